from pathlib import Path

import pytest

from bench import source_folders as folders
from eegbench.errors import SourceError
from eegbench.sources.chbmit import (
    find_records,
    read_annotations,
    subject_of,
    unannotated,
)
from eegbench.sources.chbmit_annotations import parse_seizures, parse_summary
from eegbench.sources.chbmit_compare import compare, read_answer_key, read_times_table

HEAD = b"\x00\x58\x17\xfc## time resolution: 256\x00"
RESET = b"\x00\xec\xff\xff\xff\xff\x01\x00"


def step(seconds: int, kind: int) -> bytes:
    ticks = (256 * seconds).to_bytes(4, "little")
    return b"\x00\xec" + ticks[2:] + ticks[:2] + (kind << 10).to_bytes(2, "little")


def test_seizures_of_the_binary_form() -> None:
    data = HEAD + RESET + step(2996, 32) + step(40, 33) + step(100, 32) + step(7, 33)
    assert parse_seizures(data + b"\0\0", "x") == ((2996, 3036), (3136, 3143))


def test_a_time_resolution_of_its_own_counts() -> None:
    head = b"\x00\x58\x17\xfc## time resolution: 128\x00"
    data = head + RESET + step(10, 32) + step(5, 33) + b"\0\0"
    assert parse_seizures(data, "x") == ((20, 30),)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (HEAD + RESET + step(10, 32) + b"\0\0", "opens at 10 s and is not closed"),
        (HEAD + RESET + step(10, 33) + b"\0\0", "do not alternate"),
        (HEAD + RESET + step(10, 32) * 2 + b"\0\0", "do not alternate"),
        (HEAD + RESET + step(10, 32) + step(5, 33), "ends without its end mark"),
        (b"", "ends without its end mark"),
    ],
)
def test_damaged_binary_annotations_are_errors(data: bytes, message: str) -> None:
    with pytest.raises(SourceError, match=message):
        parse_seizures(data, "chb01_03.edf.seizures")


def test_summary_forms() -> None:
    summary = parse_summary(
        "Data Sampling Rate: 256 Hz\nChannels in EDF Files:\nChannel 1: FP1-F7\n"
        "File Name: a.edf\nFile Start Time: 23:59:00\nFile End Time: 24:10:00\n"
        "Number of Seizures in File: 1\nSeizure 1 Start Time:  5 seconds\n"
        "Seizure 1 End Time: 9 seconds\nChannels changed:\nChannel 1: CZ-PZ\n"
        "File Name: b.edf\nFile Start Time: 23:00:00\nFile End Time: 1:00:00\n"
        "Number of Seizures in File: 0\n"
    )
    first, second = summary.files
    assert first.duration_sec == 660
    assert first.seizures == ((5, 9),)
    assert second.duration_sec == 7200
    assert (first.channels, second.channels) == (("FP1-F7",), ("CZ-PZ",))
    assert summary.warnings == ()


def test_a_seizure_that_is_announced_but_not_listed_is_told() -> None:
    summary = parse_summary("File Name: a.edf\nNumber of Seizures in File: 2\n")
    assert summary.warnings == ("a.edf: announces 2 seizures, lists 0",)
    assert not summary.files[0].complete


def test_records_that_nothing_speaks_of_are_left_out(tmp_path: Path) -> None:
    folder = folders.chbmit(tmp_path)
    annotations = read_annotations(folder)
    records = find_records(folder, annotations)
    assert [record.name for record in records] == ["chb01_01", "chb01_02", "chb01_03"]
    assert records[0].seizures == ((10, 20),)
    assert unannotated(folder, annotations) == ["chb01_09"]


def test_binary_annotations_count_before_the_summary(tmp_path: Path) -> None:
    folder = folders.chbmit(tmp_path)
    data = HEAD + RESET + step(3, 32) + step(4, 33) + b"\0\0"
    (folder / "chb01" / "chb01_01.edf.seizures").write_bytes(data)
    annotations = read_annotations(folder)
    assert annotations.seizures["chb01_01"] == ((3, 7),)
    assert annotations.problems == (
        "chb01_01: chb01_01.edf.seizures says 3-7 s, chb01-summary.txt says 10-20 s; "
        "the first counts",
    )


def test_an_incomplete_summary_entry_is_no_seizure_free_record(tmp_path: Path) -> None:
    folder = folders.chbmit(tmp_path)
    path = folder / "chb01" / "chb01-summary.txt"
    path.write_text(
        path.read_text().replace(
            "chb01_02.edf\nNumber of Seizures in File: 0",
            "chb01_02.edf\nNumber of Seizures in File: 1",
        )
    )
    annotations = read_annotations(folder)
    assert "chb01_02" not in annotations.seizures
    assert any("chb01_02.edf: announces 1" in line for line in annotations.problems)


def test_record_lists_are_compared_and_stand_in(tmp_path: Path) -> None:
    folder = folders.chbmit(tmp_path)
    (folder / "RECORDS").write_text("chb01/chb01_09.edf\nchb01/chb01_02.edf\n")
    (folder / "RECORDS-WITH-SEIZURES").write_text("chb01/chb01_02.edf\n\n")
    annotations = read_annotations(folder)
    assert annotations.seizures["chb01_09"] == ()
    assert any(p.startswith("chb01_01: seizures in") for p in annotations.problems)
    assert any(p.startswith("chb01_02: no seizure in") for p in annotations.problems)


@pytest.mark.parametrize(
    ("name", "subject"),
    [
        ("chb02_16+", "chb02"),
        ("chb17a_03", "chb17"),
        ("chb01_18_ictal_1730s-1740s", None),
        ("sub-01", None),
    ],
)
def test_subjects(name: str, subject: str | None) -> None:
    assert subject_of(name) == subject


@pytest.mark.data
def test_real_annotations_agree_with_the_table_of_times(data_dir: Path) -> None:
    annotations = read_annotations(data_dir / "chbmit")
    table = read_times_table(data_dir / "chbmit" / "seizure_times.tsv")
    positive = {name: rows for name, rows in annotations.seizures.items() if rows}
    assert positive
    assert all(table[name] == rows for name, rows in positive.items())


@pytest.mark.data
def test_every_difference_between_table_key_and_list_is_named(data_dir: Path) -> None:
    # data/official/README.md and data/MANIFEST.md name these by hand
    folder = data_dir / "chbmit"
    lines = compare(
        {
            "table": read_times_table(folder / "seizure_times.tsv"),
            "key": read_answer_key(data_dir / "official" / "answer_keys" / "T5.jsonl"),
        },
        read_annotations(folder),
    )
    for expected in (
        "chb12_09: table has no such record",
        "chb16_18: table",
        "chb22_20: table",
        "chb12_09: in RECORDS-WITH-SEIZURES, not in table",
        "chb07_19: in table, not in RECORDS-WITH-SEIZURES",
        "chb07_18: in RECORDS-WITH-SEIZURES, not in table",
        "chb22_20: in RECORDS-WITH-SEIZURES, not in key",
    ):
        assert any(line.startswith(expected) for line in lines), expected
