"""MedMCQA, EEGdenoiseNet, ds004504, BIDS event tables, tables, and folder names."""

from pathlib import Path

import numpy as np
import pytest

from bench import source_folders as folders
from eegbench.errors import SourceError
from eegbench.sources import ds004504, eegdenoisenet, szcore_bids
from eegbench.sources.folders import find_folder, walk_files
from eegbench.sources.medmcqa import (
    Question,
    eeg_reasons,
    find_files,
    read_questions,
    shuffled,
)
from eegbench.sources.tables import read_table


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Burst EEG pattern is seen in?", "eeg"),
        ("The electroencephalogram shows", "eeg"),
        ("a) ECGb) EEGc) reflex", "eeg"),
        ("Theta waves are seen in", "rhythm"),
        ("The usual voltage of alpha rhythm is", "rhythm"),
        ("Polysomnography reveals 5 apneic episodes", "sleep"),
        ("Sawtooth waves are most characteristic of what sleep stage?", "sleep"),
        ("Triphasic waveforms in hepatic encephalopathy", "sign"),
        ("Hypsarrhythmia is seen in", "sign"),
        ("Largest bone of the body?", None),
        ("ECG shows a sawtooth wave in atrial flutter", None),
        ("Delta waves on ECG are seen in WPW", None),
        ("Alpha waves of radiation", None),
        ("BERA measures", None),
        ("IEEG? no: sheegs", None),
    ],
)
def test_eeg_filter(text: str, reason: str | None) -> None:
    reasons = eeg_reasons(text, ("a", "b", "c", "d"))
    assert (reasons[0] if reasons else None) == reason


def test_options_count_for_the_filter() -> None:
    assert eeg_reasons("Best test?", ("MRI", "EEG", "CT", "none")) == ("eeg",)


@pytest.mark.data
def test_filter_finds_what_the_release_asks(data_dir: Path) -> None:
    # all but one of the release's 38, whose only EEG term is a misread "MMN"
    import json

    path = data_dir / "official" / "scenarios" / "T1.jsonl"
    shown = [json.loads(line)["input"] for line in path.read_text().splitlines()]
    found = [bool(eeg_reasons(s["question"], s["options"].values())) for s in shown]
    assert (len(found), sum(found)) == (38, 37)


@pytest.mark.data
def test_filter_on_the_whole_dev_split(data_dir: Path) -> None:
    # data/medmcqa/dev_eeg.jsonl: one question of 4183 names EEG outside of its answer
    found = read_questions([data_dir / "medmcqa" / "dev.json"])
    assert (found.n_read, len(found.kept)) == (4183, 1)


def test_repeats_and_broken_lines_are_told(tmp_path: Path) -> None:
    folder = folders.medmcqa(tmp_path)
    found = read_questions(find_files(folder))
    assert [question.question_id for question in found.kept] == ["q1", "q4"]
    assert found.problems[0].startswith("dev.json: line 5 is no JSON object")
    assert found.problems[1] == "question q2 repeats q1"
    assert found.kept[0].correct == 0


def test_codes_from_zero_are_understood(tmp_path: Path) -> None:
    folder = folders.medmcqa(tmp_path)
    path = folder / "dev.json"
    text = path.read_text().replace('"cop": 1', '"cop": 0').replace("4,", "3,")
    path.write_text(text)
    assert [q.correct for q in read_questions([path]).kept] == [0, 2]


def test_shuffling_is_the_same_everywhere_and_balanced() -> None:
    questions = [
        Question(
            question_id=f"q{n}", question="?", options=("a", "b", "c", "d"), correct=0
        )
        for n in range(2000)
    ]
    orders = [shuffled(question) for question in questions]
    # sha256sum of "eegbench", "q0" and 0 to 3, a line each: f98b, 8aa3, 6ca8, cd67
    assert orders[0] == (2, 1, 3, 0)
    assert all(sorted(order) == [0, 1, 2, 3] for order in orders)
    places = np.bincount([order.index(0) for order in orders], minlength=4)
    assert places.min() > 420


def test_mixing_reaches_the_ratio_of_the_paper(rng: np.random.Generator) -> None:
    # section 6.9: at +2 dB artifact/EEG RMS is .63, at 0 dB 1, at -7 dB 5.01
    eeg, artifact = rng.normal(0, 13, 512), rng.normal(3, 40, 512)
    for snr_db, ratio in ((2, 0.63), (0, 1.0), (-7, 5.01)):
        added = eegdenoisenet.mixed(eeg, artifact, snr_db) - eeg
        got = np.sqrt(np.mean(added**2)) / np.sqrt(np.mean(eeg**2))
        assert got == pytest.approx(ratio, abs=0.005)


def test_a_silent_segment_cannot_be_mixed() -> None:
    with pytest.raises(SourceError, match="silent"):
        eegdenoisenet.mixed(np.ones(4), np.zeros(4), 0)


def test_drawn_rows_do_not_repeat_and_do_not_change() -> None:
    rows = eegdenoisenet.drawn_rows(500, 300, "EEG")
    assert len(set(rows.tolist())) == 300
    np.testing.assert_array_equal(rows, eegdenoisenet.drawn_rows(500, 300, "EEG"))
    assert rows.tolist() != eegdenoisenet.drawn_rows(500, 300, "EOG").tolist()
    with pytest.raises(SourceError, match="5 segments for EEG, 6 are needed"):
        eegdenoisenet.drawn_rows(5, 6, "EEG")


def test_emg_at_512_hz_is_brought_to_256(tmp_path: Path) -> None:
    folder = folders.eegdenoisenet(tmp_path, n=2, emg_samples=1024)
    time_sec = np.arange(1024) / 512
    np.save(folder / "EMG_all_epochs.npy", np.sin(2 * np.pi * 20 * time_sec)[None])
    arrays = eegdenoisenet.load_segments(folder)
    halved = eegdenoisenet.segment(arrays.emg, 0)
    wanted = np.sin(2 * np.pi * 20 * np.arange(512) / 256)
    np.testing.assert_allclose(halved[50:-50], wanted[50:-50], atol=0.01)


def test_arrays_of_another_shape_are_refused(tmp_path: Path) -> None:
    folder = folders.eegdenoisenet(tmp_path, n=2, emg_samples=500)
    with pytest.raises(
        SourceError, match=r"EMG_all_epochs\.npy has shape \(110, 500\)"
    ):
        eegdenoisenet.load_segments(folder)
    (folder / "EOG_all_epochs.npy").unlink()
    with pytest.raises(SourceError, match=r"no EOG_all_epochs\.npy"):
        eegdenoisenet.load_segments(folder)


def test_pointers_and_missing_signals_are_told(tmp_path: Path) -> None:
    found = ds004504.read_participants(folders.ds004504(tmp_path))
    assert [p.label for p in found.participants] == ["AD", "FTD", "HC"]
    assert [p.path is not None for p in found.participants] == [True, False, False]
    assert found.problems == (
        "sub-002_task-eyesclosed_eeg.set: a pointer or no EEGLAB file",
        "2 participants without a signal file: sub-002, sub-003",
    )
    assert found.participants[0].sidecar.recording_duration == 599.8


@pytest.mark.data
def test_real_participants(data_dir: Path) -> None:
    # 36 Alzheimer, 23 frontotemporal, 29 controls (data/MANIFEST.md)
    found = ds004504.read_participants(data_dir / "ds004504")
    labels = [person.label for person in found.participants]
    assert [labels.count(name) for name in ("AD", "FTD", "HC")] == [36, 23, 29]
    assert all(len(person.channel_names) == 19 for person in found.participants)
    assert found.participants[0].sidecar.eeg_reference == "A1 A2"


EVENTS = """onset\tduration\teventType\tconfidence
20\t10.5\tsz_foc_ia\tn/a
3.5\t4\tsz\tn/a
0\t60\tbckg\tn/a
"""


def bids(tmp_path: Path, events: str = EVENTS) -> Path:
    eeg = tmp_path / "sub-01" / "ses-01" / "eeg"
    folders.edf(eeg / "sub-01_ses-01_task-rest_run-00_eeg.edf", 60)
    (eeg / "sub-01_ses-01_task-rest_run-00_events.tsv").write_text(events)
    return tmp_path


def test_szcore_events(tmp_path: Path) -> None:
    found = szcore_bids.find_records(bids(tmp_path))
    (record,) = found.records
    assert record.subject == "sub-01"
    assert record.seizures == ((3.5, 7.5), (20.0, 30.5))


def test_a_table_as_epilepsy2bids_writes_it(tmp_path: Path) -> None:
    # epilepsy2bids 0.0.7, Annotations.saveTsv; 200 random tables read as it does
    path = tmp_path / "sub-01_events.tsv"
    path.write_text(
        "onset\tduration\teventType\tconfidence\tchannels\tdateTime\t"
        "recordingDuration\n"
        "12.25\t30.50\tsz_gen_m_tonicClonic\tn/a\tn/a\tn/a\t4000.00\n"
    )
    assert szcore_bids.read_events(path) == ((12.25, 42.75),)


def test_a_recording_without_table_is_not_seizure_free(tmp_path: Path) -> None:
    folder = bids(tmp_path)
    folders.edf(folder / "sub-02" / "eeg" / "sub-02_task-rest_eeg.edf", 60)
    found = szcore_bids.find_records(folder)
    assert len(found.records) == 1
    assert found.problems == (
        "sub-02_task-rest_eeg.edf: no sub-02_task-rest_events.tsv; left out",
    )


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("n/a\t4\tsz", "line 2: time 'n/a' of a seizure is no number"),
        ("3\t0\tsz", "a seizure from 3 s that lasts 0 s"),
        ("-3\t9\tsz", "a seizure from -3 s that lasts 9 s"),
    ],
)
def test_unusable_events_are_errors(tmp_path: Path, row: str, message: str) -> None:
    path = tmp_path / "sub-01_events.tsv"
    path.write_text(f"onset\tduration\teventType\n{row}\n")
    with pytest.raises(SourceError, match=message):
        szcore_bids.read_events(path)
    path.write_text("start\tstop\n1\t2\n")
    with pytest.raises(SourceError, match="onset, duration and eventType are needed"):
        szcore_bids.read_events(path)


def test_tables(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("recording,label,rate_hz,channel_names,age\na.txt,x,100,A;B,33\n")
    (row,) = read_table(path, value_column="label")
    assert row.path == tmp_path / "a.txt"
    assert row.open_args == {"rate_hz": 100.0, "channel_names": ["A", "B"]}
    assert (row.value, row.age, row.sex, row.subject) == ("x", 33, None, None)
    with pytest.raises(SourceError, match="no column 'stage'; it has recording"):
        read_table(path, value_column="stage")
    path.write_text("recording,label\na.txt,\n")
    with pytest.raises(SourceError, match="line 2: recording or label is empty"):
        read_table(path, value_column="label")
    path.write_text("recording,label,age\na.txt,x,old\n")
    with pytest.raises(SourceError, match="age is 'old', no number"):
        read_table(path, value_column="label")


def test_usual_names_of_folders_are_found(tmp_path: Path) -> None:
    folders.all_sources(tmp_path)
    for dataset in ("bonn", "chbmit", "sleep-edfx", "eegdenoisenet", "ds004504"):
        assert find_folder(tmp_path, dataset) is not None, dataset
    found = find_folder(tmp_path, "chbmit")
    assert found == tmp_path / "physionet.org" / "files" / "chbmit"
    assert find_folder(tmp_path / "medmcqa", "bonn") is None
    with pytest.raises(SourceError, match="no folder of sources"):
        find_folder(tmp_path / "gone", "bonn")


def test_hidden_folders_are_passed_by(tmp_path: Path) -> None:
    for name in (".git", "a"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.edf").write_text("")
    assert [path.parent.name for path in walk_files(tmp_path, r".*\.edf")] == ["a"]
