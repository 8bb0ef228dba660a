import csv
import json
from pathlib import Path
from typing import Any

import pytest

from bench_folders import perfect_answers, run_folder, small_set
from eegbench import pipeline
from eegbench.errors import ConfigError, SetError
from eegbench.pipeline.building import BuildOptions, build_set, excluded


def silent(_text: str) -> None:
    """Say nothing."""


def test_analyse_writes_tidy_tables_and_figures(tmp_path: Path) -> None:
    folder = small_set(tmp_path / "set")
    run = run_folder(tmp_path / "run", folder, perfect_answers())
    text = pipeline.analyse(
        [run], tmp_path / "out", set_path=None, figures=True, talk=silent
    )
    written = [Path(line) for line in text.splitlines()]
    assert all(path.stat().st_size > 0 for path in written)
    names = {path.name for path in written}
    assert {"cost.png", "cost.svg", "task_distributions.svg", "model_size.png"} <= names
    text = (tmp_path / "out" / "seizure_errors.csv").read_text()
    rows = list(csv.DictReader(text.splitlines()))
    assert rows[0]["agent"] == "by-hand"
    assert float(rows[0]["miss_rate"]) == 0.0
    told = json.loads((tmp_path / "out" / "cost.json").read_text())
    assert len(told) == 19
    assert {row["model"] for row in told if row["on_front"]} >= {"GPT-5.6-sol"}


def test_the_same_figures_have_the_same_bytes(tmp_path: Path) -> None:
    folder = small_set(tmp_path / "set")
    run = run_folder(tmp_path / "run", folder, perfect_answers())
    for name in ("a", "b"):
        pipeline.analyse(
            [run], tmp_path / name, set_path=None, figures=True, talk=silent
        )
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes(), path


def test_names_to_leave_out_come_from_commas_or_a_file(tmp_path: Path) -> None:
    assert excluded(None) == set()
    assert excluded("Z001, S002,") == {"Z001", "S002"}
    lines = tmp_path / "names.txt"
    lines.write_text(
        'Z001\n\n{"scenario_id": "x", "records": [{"data_path": "d/bonn/S/S7.txt"}]}\n'
    )
    assert excluded(str(lines)) == {"Z001", "S7"}
    with pytest.raises(SetError, match="no file"):
        excluded(str(tmp_path / "gone.txt"))
    lines.write_text("{oops\n")
    with pytest.raises(SetError, match="not JSON"):
        excluded(str(lines))


def test_a_paper_like_set_needs_the_release(tmp_path: Path) -> None:
    options = BuildOptions(sources=tmp_path, condition="paper-like")
    with pytest.raises(ConfigError, match="use --release"):
        build_set(tmp_path / "set", options, talk=silent)


def test_replay_says_what_it_needs(tmp_path: Path) -> None:
    folder = small_set(tmp_path / "set")
    with pytest.raises(ConfigError, match="--source"):
        pipeline.run_agent(
            folder,
            "replay",
            tmp_path / "run",
            talk=silent,
            tick=lambda done, total: None,
        )


def test_baselines_are_measured_once_and_kept_with_the_references(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = small_set(tmp_path / "set")
    run = run_folder(tmp_path / "run", folder, perfect_answers())
    said: list[str] = []

    def score() -> dict[str, Any]:
        text, _ = pipeline.score(
            run, set_path=None, form="json", rounds=0, talk=said.append
        )
        return dict(json.loads(text))

    first = score()
    told = first["tasks"]["T3"]
    assert {row["name"] for row in told["baselines"]} >= {"constant", "id only"}
    assert told["best_no_signal"] in told["baselines"]
    assert told["skill"] == 1.0
    assert len(said) == 1
    assert score() == first
    assert len(said) == 1
    references = folder / "references" / "references.jsonl"
    references.write_text(references.read_text().replace('"normal"', '"epileptic"'))
    score()
    assert len(said) == 2


def test_scores_do_not_need_a_set_that_can_be_written(tmp_path: Path) -> None:
    folder = small_set(tmp_path / "set")
    run = run_folder(tmp_path / "run", folder, perfect_answers())
    (folder / "references" / "baselines.json").mkdir()
    text, failed = pipeline.score(run, set_path=None, form="csv", rounds=0, talk=silent)
    assert not failed
    assert "constant" in text


def test_a_priced_chat_run_stands_on_the_cost_table(tmp_path: Path) -> None:
    folder = small_set(tmp_path / "set")
    run = run_folder(
        tmp_path / "run",
        folder,
        perfect_answers(),
        agent="chat",
        agent_config={"model": "openai/gpt-5.5"},
    )
    prices = tmp_path / "prices.toml"
    prices.write_text(
        'dated = "2026-07"\n[prices."GPT-5.5"]\ninput = 5.0\noutput = 30.0\n'
    )
    pipeline.analyse(
        [run],
        tmp_path / "out",
        set_path=None,
        figures=False,
        prices=prices,
        talk=silent,
    )
    rows = json.loads((tmp_path / "out" / "cost.json").read_text())
    mine = [row for row in rows if row["source"] == "run"]
    assert [(row["model"], row["cost_usd"]) for row in mine] == [("openai/gpt-5.5", 0)]


def test_a_written_page_has_the_usual_permissions(tmp_path: Path) -> None:
    folder = small_set(tmp_path / "set")
    run = run_folder(tmp_path / "run", folder, perfect_answers())
    page, plain = tmp_path / "page.html", tmp_path / "plain"
    plain.touch()
    pipeline.report([run], page, set_path=None, form="html", rounds=0, talk=silent)
    assert page.stat().st_mode == plain.stat().st_mode
