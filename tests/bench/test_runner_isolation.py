"""What a run may open, and what its agent sees: opaque ids, no references."""

import json
import subprocess
import sys

from bench.running import GOOD, config, ends, set_of
from bench.sets import instance, make_set, set_with_signals
from eegbench.predictions import read_predictions, read_run
from eegbench.runner import in_order, run
from eegbench.transcripts import read_transcript


def test_ids_differ_from_run_to_run(tmp_path):
    folder = set_of(tmp_path, None, None)
    for name in ("a", "b"):
        run(folder, tmp_path / name, agent="constant", in_process=True)
    assert (
        len(
            {
                row.record_id
                for name in ("a", "b")
                for row in read_predictions(tmp_path / name)
            }
        )
        == 4
    )


def test_longest_comes_first_and_equals_in_the_order_of_their_hash():
    lengths = [10.0, 500.0, 10.0, None, 10.0]
    rows = [instance(i, duration_sec=length) for i, length in enumerate(lengths)]
    orders = {
        tuple(row.instance_id[-1] for row in in_order(rows, key * 16))
        for key in ("ab", "cd", "ef", "12", "34", "56")
    }
    assert {order[0] for order in orders} == {"1"}
    assert {order[-1] for order in orders} == {"3"}
    assert len(orders) > 1


def test_missing_recording_costs_its_instance_only(tmp_path):
    rows = [instance(0), instance(1, recording="recordings/none.edf")]
    folder = make_set(tmp_path / "set", rows)
    run(folder, tmp_path / "run", agent="constant", in_process=True)
    assert ends(tmp_path / "run") == {"0": GOOD, "1": ("failed", "harness")}
    failed = [row for row in read_predictions(tmp_path / "run") if row.error]
    assert [row.transcript for row in failed] == [None]


def test_limit_and_tasks_choose_instances(tmp_path):
    rows = [instance(i, task) for i in range(3) for task in ("T1", "T3")]
    folder = make_set(tmp_path / "set", rows)
    run(folder, tmp_path / "a", agent="constant", tasks=["T3"], in_process=True)
    assert {row.task for row in read_predictions(tmp_path / "a")} == {"T3"}
    assert read_run(tmp_path / "a").tasks == ["T3"]
    run(folder, tmp_path / "a", agent="constant", in_process=True)
    assert len(read_predictions(tmp_path / "a")) == 6
    assert read_run(tmp_path / "a").tasks is None
    run(folder, tmp_path / "b", agent="constant", limit=2, in_process=True)
    assert len(read_predictions(tmp_path / "b")) == 2
    assert read_run(tmp_path / "b").limit == 2
    run(folder, tmp_path / "b", agent="constant", limit=4, in_process=True)
    assert len(read_predictions(tmp_path / "b")) == 4
    assert read_run(tmp_path / "b").limit == 4


def test_references_are_never_opened(tmp_path):
    folder = set_of(tmp_path, None, None)
    code = (
        "import sys\n"
        "def watch(event, args):\n"
        "    if event == 'open' and 'references' in str(args[0]).split('/'):\n"
        "        raise SystemError('opened ' + str(args[0]))\n"
        "sys.addaudithook(watch)\n"
        "from eegbench.runner import run\n"
        f"s = run({str(folder)!r}, {str(tmp_path / 'run')!r}, agent='random',"
        " in_process=True)\n"
        "assert s.n_played == 2 and s.n_failed == 0\n"
        "bad = [m for m in sys.modules if m.startswith(('eegbench.references',"
        " 'eegbench.scoring', 'eegbench.suites', 'eegbench.evaluate'))]\n"
        "assert not bad, bad\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_run_goes_on_without_the_references_folder(tmp_path):
    folder = set_of(tmp_path, None)
    (folder / "references" / "references.jsonl").unlink()
    (folder / "references").rmdir()
    assert run(folder, tmp_path / "run", agent="constant", config=config(1)).n_played


def test_agent_measures_a_recording_by_its_opaque_id(tmp_path):
    folder = set_with_signals(tmp_path, 3)
    (folder / "recordings" / "2.npy").write_bytes(b"")
    run(folder, tmp_path / "run", agent="bench.agents_that_fail:Asks", config=config())
    assert ends(tmp_path / "run") == {"0": GOOD, "1": GOOD, "2": ("failed", "harness")}
    for row in read_predictions(tmp_path / "run"):
        if row.transcript is None:
            assert "2.npy" in (row.error or "")
            continue
        events = read_transcript(tmp_path / "run" / row.transcript)
        [tools] = [event for event in events if event["event"] == "tools"]
        answer = tools["calls"][0]["answer"]
        assert answer["record_id"] == row.record_id
        assert answer["duration_sec"] == 2.0
        shown = json.dumps(events[1:])
        assert row.instance_id not in shown
        assert ".npy" not in shown
        assert row.seconds["compute"] > 0


def test_dialect_of_the_set_reaches_the_tools(tmp_path):
    folder = set_with_signals(tmp_path, 1)
    text = (folder / "set.json").read_text()
    (folder / "set.json").write_text(text.replace('"default"', '"paper-1.0"', 2))
    text = (
        (folder / "set.json")
        .read_text()
        .replace('"condition": "paper-1.0"', '"condition": "paper-like"')
    )
    (folder / "set.json").write_text(text)
    run(folder, tmp_path / "run", agent="constant", in_process=True)
    assert read_run(tmp_path / "run").dialect == "paper-1.0"
    [row] = read_predictions(tmp_path / "run")
    assert row.status == "completed", row.error
