"""What a run is told and keeps in run.json: its part of the set, how tools answer."""

import pytest

from bench.sets import instance, make_set, set_with_signals
from eegbench.config import Config, RunSettings, ToolSettings
from eegbench.errors import ConfigError, SetError
from eegbench.evaluate import evaluate
from eegbench.instances import read_set
from eegbench.predictions import read_predictions, read_run
from eegbench.runner import run
from eegbench.subset import choose_subset
from eegbench.transcripts import read_transcript
from eegcore.tools.compact import COMPACT_RULE


def test_subset_is_kept_and_another_is_refused(tmp_path):
    folder = make_set(tmp_path / "set", [instance(i) for i in range(8)])
    chosen = choose_subset(read_set(folder).instances, 4)
    out = tmp_path / "run"
    run(folder, out, agent="constant", subset=chosen, limit=1, in_process=True)
    run(folder, out, agent="constant", subset=chosen, in_process=True)
    assert {row.instance_id for row in read_predictions(out)} == chosen.instance_ids
    info = read_run(out)
    assert info.subset == chosen.info()
    assert info.subset.overall_error == chosen.overall_error > 0
    other = choose_subset(read_set(folder).instances, 5)
    for wrong in (other, None):
        with pytest.raises(SetError, match=r'run with subset \{"size":4'):
            run(folder, out, agent="constant", subset=wrong, in_process=True)
    result = evaluate(out, rounds=0)
    assert result["subset"]["size"] == 4
    assert result["tasks"]["T3"]["n"] == 4
    assert result["tasks"]["T3"]["missing"] == []
    words = f"score a standard error of at most {chosen.overall_error:.3f}"
    assert any(words in why for why in result["incomplete_because"])
    assert not any("reference" in why for why in result["incomplete_because"])


def test_compact_answers_are_an_option_of_dialect_default(tmp_path):
    folder = set_with_signals(tmp_path, 1)
    asks = Config(run=RunSettings(workers=1), tools=ToolSettings(encoding="compact"))
    run(
        folder,
        tmp_path / "run",
        agent="bench.agents_that_fail:MeasuresPower",
        config=asks,
        in_process=True,
    )
    (row,) = read_predictions(tmp_path / "run")
    events = read_transcript(tmp_path / "run" / (row.transcript or ""))
    (answer,) = [
        call["answer"]
        for event in events
        if event["event"] == "tools"
        for call in event["calls"]
    ]
    assert isinstance(answer["channels"]["channel"], list)
    (prompt,) = [event["text"] for event in events if event.get("kind") == "prompt"]
    assert prompt.count(COMPACT_RULE) == 1
    assert read_run(tmp_path / "run").encoding == "compact"
    with pytest.raises(SetError, match='encoding "compact", this run has "rows"'):
        run(
            folder,
            tmp_path / "run",
            agent="bench.agents_that_fail:MeasuresPower",
            in_process=True,
        )
    paper = ToolSettings(encoding="compact", dialect="paper-1.0")
    with pytest.raises(ConfigError, match=r"not offered in dialect paper-1\.0"):
        run(
            folder,
            tmp_path / "p",
            agent="bench.agents_that_fail:MeasuresPower",
            config=Config(tools=paper),
        )
    with pytest.raises(ConfigError, match="'rules' reads tool answers as rows"):
        run(folder, tmp_path / "r", agent="rules", config=asks)
    assert not (tmp_path / "p" / "run.json").exists()
