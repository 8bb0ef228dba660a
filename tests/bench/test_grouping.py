"""Instances of one recording: opened once, together, and answered as if alone."""

import json

import numpy as np

from bench.sets import instance, make_set
from eegbench import worker
from eegbench.config import Config
from eegbench.instances import read_set
from eegbench.predictions import read_predictions
from eegbench.runner import in_order, run
from eegbench.shards import source_key
from eegbench.transcripts import read_transcript
from eegcore.pool import Task, _Waiting

ASKS = "bench.agents_that_fail:Asks"
OPENING = {"rate_hz": 256.0, "channel_names": ["EEG"], "unit": "uV"}


def signals(path, n_files=3, n=12):
    (path / "recordings").mkdir(parents=True)
    rng = np.random.default_rng(1)
    for k in range(n_files):
        np.save(path / f"recordings/{k}.npy", rng.normal(scale=30.0, size=(1, 512)))
    rows = [
        instance(k, recording=f"recordings/{k % n_files}.npy", open_args=OPENING)
        for k in range(n)
    ]
    return make_set(path, rows)


def test_each_recording_is_opened_once(tmp_path, monkeypatch):
    from eegcore import formats

    folder, opened, real = signals(tmp_path / "set"), [], formats.open_recording
    monkeypatch.setattr(
        formats, "open_recording", lambda p, **k: opened.append(p) or real(p, **k)
    )
    run(folder, tmp_path / "run", agent=ASKS, in_process=True)
    assert len(opened) == 3
    assert all(row.status == "completed" for row in read_predictions(tmp_path / "run"))


def test_answers_are_those_of_each_recording_opened_alone(tmp_path, monkeypatch):
    folder = signals(tmp_path / "set")
    told = []
    for name, key in (("a", "ab" * 16), ("b", "ab" * 16)):
        if name == "b":
            monkeypatch.setattr(worker.Opened, "_is_as_it_was", lambda self: False)
        run(folder, tmp_path / name, agent=ASKS, in_process=True, record_key=key)
        calls = {}
        for row in read_predictions(tmp_path / name):
            events = read_transcript(tmp_path / name / (row.transcript or ""))
            [tools] = [event for event in events if event["event"] == "tools"]
            calls[row.instance_id] = json.dumps(tools["calls"][0]["answer"])
        told.append(calls)
    assert told[0] == told[1]


def test_file_that_changed_between_two_instances_is_opened_again(tmp_path):
    folder = signals(tmp_path / "set", n_files=1, n=1)
    path = folder / "recordings" / "0.npy"
    with worker.Opened() as opened:
        first = opened.recording(path, OPENING)
        assert opened.recording(path, OPENING) is first
        np.save(path, np.zeros((1, 1024)))
        assert opened.recording(path, OPENING).duration_sec == 4.0


def test_order_keeps_recordings_together_and_the_longest_first(tmp_path):
    rows = [
        instance(k, recording=f"r{k % 3}", duration_sec=60.0 + (k % 3))
        for k in range(9)
    ]
    keys = [source_key(row) for row in in_order(rows, "ab" * 16)]
    assert keys == sorted(keys, reverse=True)


def test_worker_keeps_its_group_and_helps_when_it_has_none():
    waiting = _Waiting([Task(f"{g}{k}", b"", g) for g in "ab" for k in range(3)])
    taken = []
    for worker_group in ("", "", "a", "b", "a", "a"):
        _, task = waiting.take(worker_group)
        taken.append(task.key)
    assert taken == ["a0", "b0", "a1", "b1", "a2", "b2"]
    assert len(waiting) == 0


def test_pool_and_process_of_its_own_agree(tmp_path):
    folder = signals(tmp_path / "set")
    run(folder, tmp_path / "a", agent=ASKS, in_process=True)
    run(folder, tmp_path / "b", agent=ASKS, config=Config())
    answers = [
        {row.instance_id: row.answer for row in read_predictions(tmp_path / name)}
        for name in ("a", "b")
    ]
    assert answers[0] == answers[1]
    assert len(answers[0]) == len(read_set(folder))
