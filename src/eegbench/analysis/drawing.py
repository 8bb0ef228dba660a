"""Which table becomes which figure; needs matplotlib (extra ``plots``)."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from eegbench.errors import SetError
from eegbench.report.paper_data import HEADLINES, paper_models

Rows = list[dict[str, Any]]
Marked = tuple[str, Sequence[float | None], bool]


def draw_all(
    tables: Mapping[str, Rows], marked: Sequence[Marked], output: Path
) -> list[Path]:
    """Draw every figure that there are rows for; return the paths, in order.

    Parameters
    ----------
    tables : mapping
        As from `analysis_tables`.
    marked : sequence of (name, scores, comparable)
        Our runs with their headline scores.
    output : Path
        Folder, there already.

    Raises
    ------
    SetError
        matplotlib is not installed.
    """
    try:
        import matplotlib.figure  # noqa: F401 - only to say early what is missing
    except ImportError as error:
        raise SetError(
            "figures need matplotlib: pip install 'eegbench[plots]', or --no-figures"
        ) from error
    from eegbench.analysis import figures, figures_models

    drawn = {}
    if "tool_use" in tables:
        rows = tables["tool_use"]
        agents = dict.fromkeys(row["agent"] for row in rows)
        drawn["tool_use"] = figures.tool_use_figure(
            [(name, [row for row in rows if row["agent"] == name]) for name in agents]
        )
    for name, function in (
        ("calls", figures.calls_figure),
        ("calls_by_rank", figures_models.rank_figure),
        ("seizure_errors", figures.error_figure),
        ("duration_bins", figures.duration_figure),
        ("snr_response", figures.snr_figure),
        ("artifact_axes", figures.axes_figure),
        ("coverage", figures.coverage_figure),
        ("construction", figures.construction_figure),
        ("model_size", figures_models.size_figure),
    ):
        if name in tables:
            drawn[name] = function(tables[name])
    front = [row["model"] for row in tables["cost"] if row["on_front"]]
    drawn["cost"] = figures_models.cost_figure(tables["cost"], front)
    drawn["task_distributions"] = figures_models.distribution_figure(
        [
            (task, [float(str(row[f"{task}_{metric}"])) for row in paper_models()])
            for task, metric in HEADLINES.items()
        ],
        marked,
    )
    return [
        path
        for name, figure in drawn.items()
        for path in figures.save(figure, output, name)
    ]
