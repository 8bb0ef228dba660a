"""The simulated set of all six tasks."""

from pathlib import Path

import pytest

from eegbench.instances import SetFolder, read_set, recording_path
from eegbench.references import read_references
from eegbench.suites.eegagent import demo
from eegbench.suites.eegagent.demo_questions import QUESTIONS
from eegcore.formats import open_recording


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> SetFolder:
    out = tmp_path_factory.mktemp("demo") / "set"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(demo, "PERSON_SEC", 10.0)
        patch.setattr(demo, "SEIZURES", (1, 0))
        patch.setattr(demo, "SEIZURE_SEC", 120.0)
        patch.setattr(demo, "N_NIGHTS", 1)
        patch.setattr(demo, "NIGHT_SEC", 600.0)
        demo.build_demo(out)
    return read_set(out)


def test_everything_is_called_simulated(small: SetFolder) -> None:
    assert small.info.simulated
    for row in small:
        assert row.simulated
        assert row.instance_id.startswith("simulated-")


def test_all_six_tasks_and_their_recordings_are_there(small: SetFolder) -> None:
    assert list(small.info.counts) == ["T1", "T2", "T3", "T4", "T5", "T6"]
    references = read_references(small.path)
    for row in small:
        assert row.instance_id in references
        path = recording_path(small.path, row)
        if path is not None:
            with open_recording(path, **row.open_args) as recording:
                assert recording.duration_sec == pytest.approx(row.duration_sec)


def test_classes_are_balanced_and_events_inside(small: SetFolder) -> None:
    references = read_references(small.path).values()
    labels = [row.label for row in references if row.task in ("T3", "T4")]
    assert labels.count("normal") == labels.count("epileptic") == 12
    assert labels.count("AD") == labels.count("FTD") == labels.count("HC") == 4
    for row in references:
        for onset_sec, offset_sec in row.events or []:
            assert 0 <= onset_sec < offset_sec <= 120
    assert sum(bool(row.events) for row in references) == 1


def test_right_options_are_not_always_the_same_letter(small: SetFolder) -> None:
    references = read_references(small.path)
    for row in small:
        if row.task == "T1" and row.options is not None:
            right = row.options[references[row.instance_id].label or ""]
            question = row.question.partition("\n")[0]
            assert (question, right) in [(q, o[0]) for q, o in QUESTIONS]
    letters = {row.label for row in references.values() if row.task == "T1"}
    assert len(letters) >= 3


def test_the_same_seed_gives_the_same_files(
    small: SetFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "PERSON_SEC", 10.0)
    monkeypatch.setattr(demo, "SEIZURES", (1, 0))
    monkeypatch.setattr(demo, "SEIZURE_SEC", 120.0)
    monkeypatch.setattr(demo, "N_NIGHTS", 1)
    monkeypatch.setattr(demo, "NIGHT_SEC", 600.0)
    demo.build_demo(tmp_path / "set")
    # instances hold the checksum of every recording
    assert (tmp_path / "set" / "instances.jsonl").read_bytes() == (
        small.path / "instances.jsonl"
    ).read_bytes()
