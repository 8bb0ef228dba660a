"""Recordings of a user's own."""

import csv
from pathlib import Path

import pytest

from bench import source_folders as folders
from bench.test_sources_small import bids
from eegbench.errors import SetError
from eegbench.instances import read_set
from eegbench.references import read_references
from eegbench.suites.eegagent.build.own import build_own

WHOLE_SEIZURES = ("chb01_03", "chb01_04", "chb01_15", "chb01_16")


def test_a_bids_folder_becomes_seizure_instances(tmp_path: Path) -> None:
    folder = bids(tmp_path / "bids")
    report = build_own("seizures", folder, tmp_path / "set")
    assert report.counts == {"T5": 1}
    (row,) = read_set(tmp_path / "set")
    assert (row.suite, row.task, row.duration_sec) == ("own", "T5", 60.0)
    reference = read_references(tmp_path / "set")[row.instance_id]
    assert reference.events == [(3.5, 7.5), (20.0, 30.5)]
    assert reference.subject == "sub-01"


def test_a_seizure_after_the_end_is_told(tmp_path: Path) -> None:
    events = "onset\tduration\teventType\n50\t100\tsz\n"
    folder = bids(tmp_path / "bids", events)
    report = build_own("seizures", folder, tmp_path / "set")
    assert "1 seizures end after the recording (60 s)" in report.problems[0]


def test_pairs_of_a_folder_become_nights(tmp_path: Path) -> None:
    folder = tmp_path / "nights"
    folders.edf(folder / "anna.edf", 90)
    (folder / "anna_hypnogram.txt").write_text("W\nN1\n?\n")
    folders.edf(folder / "bert.edf", 90)
    report = build_own("nights", folder, tmp_path / "set")
    assert report.counts == {"T6": 1}
    assert report.unreadable == ["bert.edf: no hypnogram bert*"]
    assert report.problems == ["anna.edf: 1 of 3 epochs are unscored"]
    reference = read_references(tmp_path / "set")["T6-own-anna"]
    assert reference.stages == ["W", "N1", None]


def test_sleep_edf_pairs_are_found_without_a_table(tmp_path: Path) -> None:
    folders.sleep_edfx(tmp_path / "nights")
    report = build_own("nights", tmp_path / "nights", tmp_path / "set")
    assert report.counts == {"T6": 1}
    (row,) = read_set(tmp_path / "set")
    assert row.n_epochs == 40


def test_a_table_of_nights_says_what_text_files_do_not(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "x.txt").write_text("[EEG]\n" + "1\n" * 6000)
    (tmp_path / "h.txt").write_text("[Hypnogram]\n" + "5\n" * 6 + "2\n" * 6)
    table = tmp_path / "nights.tsv"
    table.write_text(
        "recording\thypnogram\trate_hz\tchannel_names\tsubject\tage\tsex\n"
        "sub/x.txt\th.txt\t100\tC3-A1\ts1\t20\tf\n"
    )
    build_own("nights", table, tmp_path / "set", codes="dreams", line_sec=5)
    (row,) = read_set(tmp_path / "set")
    assert row.open_args == {"rate_hz": 100.0, "channel_names": ["C3-A1"]}
    assert (row.facts["age"], row.facts["sex"]) == (20, "F")
    reference = read_references(tmp_path / "set")[row.instance_id]
    assert (reference.stages, reference.subject) == (["W", "N2"], "s1")


def label_table(tmp_path: Path, labels: dict[str, str]) -> Path:
    lines = ["file,label"]
    for name, label in labels.items():
        folders.edf(tmp_path / name, 4)
        lines.append(f"{name},{label}")
    path = tmp_path / "labels.csv"
    path.write_text("\n".join(lines))
    return path


def test_labels_of_ones_own_make_a_task(tmp_path: Path) -> None:
    table = label_table(tmp_path, {"a/1.edf": "rest", "b/1.edf": "task"})
    report = build_own("labels", table, tmp_path / "set", recording_column="file")
    assert report.counts == {"labels": 2}
    rows = list(read_set(tmp_path / "set"))
    assert [row.instance_id for row in rows] == ["labels-own-a-1", "labels-own-b-1"]
    enum = rows[0].answer_schema["properties"]["classification"]["enum"]
    assert enum == ["rest", "task"]
    assert "rest, task" in rows[0].question


def test_labels_of_t4_are_judged_as_t4(tmp_path: Path) -> None:
    table = label_table(tmp_path, {"1.edf": "AD", "2.edf": "HC"})
    report = build_own("labels", table, tmp_path / "set", recording_column="file")
    assert report.counts == {"T4": 2}


def test_one_class_is_no_task(tmp_path: Path) -> None:
    table = label_table(tmp_path, {"1.edf": "rest"})
    with pytest.raises(SetError, match="only one class in the table: rest"):
        build_own("labels", table, tmp_path / "set", recording_column="file")


def test_an_unreadable_recording_costs_itself_only(tmp_path: Path) -> None:
    table = label_table(tmp_path, {"1.edf": "rest", "2.edf": "task", "3.edf": "task"})
    (tmp_path / "2.edf").write_bytes(b"")
    report = build_own("labels", table, tmp_path / "set", recording_column="file")
    assert report.counts == {"labels": 2}
    assert report.unreadable[0].startswith("2.edf: ")


def test_unknown_kind(tmp_path: Path) -> None:
    with pytest.raises(SetError, match="unknown kind 'x'; known: seizures, nights"):
        build_own("x", tmp_path, tmp_path / "set")


@pytest.mark.data
def test_real_excerpts_eegmmidb_and_dreams(data_dir: Path, tmp_path: Path) -> None:
    # the label column of the excerpts holds seizure and background crops
    index = data_dir / "chbmit" / "excerpts" / "index.tsv"
    with index.open() as stream:
        n_rows = sum(1 for _ in csv.DictReader(stream, delimiter="\t"))
    report = build_own("labels", index, tmp_path / "a", recording_column="file")
    assert report.n_instances == n_rows
    folder = data_dir / "eegmmidb"
    table = tmp_path / "eyes.csv"
    table.write_text(
        "recording,label,subject\n"
        f"{folder}/S001R01_first60s.edf,open,S001\n"
        f"{folder}/S001R02_first60s.edf,closed,S001\n"
    )
    assert build_own("labels", table, tmp_path / "b").counts == {"labels": 2}
    table = tmp_path / "dreams.csv"
    table.write_text(
        "recording,hypnogram,rate_hz,channel_names\n"
        + "".join(
            f"{data_dir}/dreams/excerpt{n}.txt,"
            f"{data_dir}/dreams/Hypnogram_excerpt{n}.txt,{rate},C3-A1\n"
            for n, rate in ((1, 100), (3, 50))
        )
    )
    report = build_own("nights", table, tmp_path / "c", codes="dreams", line_sec=5)
    assert report.counts == {"T6": 2}
    assert all(row.n_epochs == 60 for row in read_set(tmp_path / "c"))


@pytest.mark.data
def test_real_excerpts_with_their_seizures_become_t5(
    data_dir: Path, tmp_path: Path
) -> None:
    excerpts = data_dir / "chbmit" / "excerpts"
    with (excerpts / "index.tsv").open() as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    whole = [row for row in rows if row["source_record"] in WHOLE_SEIZURES]
    assert len(whole) >= 3
    for number, row in enumerate(whole):
        stem = f"sub-01_task-szMonitoring_run-{number:02d}"
        folder = tmp_path / "bids" / "sub-01" / "eeg"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{stem}_eeg.edf").symlink_to(excerpts / row["file"])
        onset = float(row["seizure_start_s"]) - float(row["start_s"])
        length = float(row["seizure_end_s"]) - float(row["seizure_start_s"])
        (folder / f"{stem}_events.tsv").write_text(
            f"onset\tduration\teventType\n{onset}\t{length}\tsz_foc_ia\n"
        )
    report = build_own("seizures", tmp_path / "bids", tmp_path / "set")
    assert report.counts == {"T5": len(whole)}
    assert not report.unreadable
    for reference in read_references(tmp_path / "set").values():
        assert reference.events is not None
        ((start, stop),) = reference.events
        assert start == 10.0
        assert stop == reference.duration_sec
