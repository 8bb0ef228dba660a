"""Commands on data sets: data list, status, fetch, verify."""

from collections.abc import Callable
from pathlib import Path

from eegbench.datasets.catalogue import Dataset, catalogue, dataset
from eegbench.errors import SourceError
from eegbench.report.tables import render

Talk = Callable[[str], None]
Tick = Callable[[int, int], None]


def list_data(*, form: str) -> str:
    """Return what the public data sets are, their licences, sizes and ways."""
    rows = [
        {
            "name": data.name,
            "task": data.task,
            "gb": data.size_mb / 1000,
            "licence": data.licence,
            "way": _way(data),
            "what": data.title,
            "expects": data.expects,
            "terms": data.terms,
            "page": data.page,
            "note": data.note,
        }
        for data in catalogue().values()
    ]
    if form != "table":
        return render(rows, form=form)
    short = ("name", "task", "gb", "way")
    lines = [render(rows, form="table", columns=short)]
    for row in rows:
        lines.append(f"{row['name']}: {row['what']}")
        for key in ("licence", "terms", "page", "expects", "note"):
            if row[key]:
                lines.append(f"    {key}: {row[key]}")
    lines.append("\nnothing is fetched unless you ask: eegbench data fetch NAME")
    return "\n".join(lines) + "\n"


def _way(data: Dataset) -> str:
    if data.way == "files" and data.base_url is None:
        return "by hand, or here from a mirror"
    return _WAYS[data.way]


_WAYS = {
    "files": "here, by pooch",
    "huggingface": "here, by huggingface_hub",
    "openneuro": "here, by openneuro-py",
    "physionet": "by wget or aws, checked here",
}


def data_status(sources: Path, *, form: str) -> str:
    """Return which data sets lie in a folder, and what they lack."""
    from eegbench.datasets.status import status_rows

    return render(status_rows(sources), form=form)


def fetch_data(
    name: str,
    sources: Path,
    *,
    accepted: bool,
    mirror: str | None,
    tick: Tick,
    talk: Talk,
) -> tuple[str, bool]:
    """Fetch a data set; return what was done, and whether something is missing."""
    from eegbench.datasets.fetch import fetch

    told = fetch(
        dataset(name), sources, accepted=accepted, mirror=mirror, tick=tick, talk=talk
    )
    return told.text, told.failed


def verify_data(name: str, sources: Path, *, tick: Tick) -> tuple[str, bool]:
    """Compare a data set with its checksums; return the finding and its failure."""
    from eegbench.datasets.fetch import verified
    from eegbench.datasets.status import folder_of

    data = dataset(name)
    folder = folder_of(sources, data)
    if folder is None:
        raise SourceError(f"{name} is not in {sources}")
    told = verified(data, folder, tick=tick)
    return told.text, told.failed
