"""Exports read back by the tools that they are for."""

import csv
import io
import json
from datetime import datetime
from pathlib import Path

import mne
import numpy as np
import pytest
from timescoring import annotations, scoring

from bench_cases import labelled_case, night_case, seizure_case
from eegbench.errors import ConfigError, SetError
from eegbench.export.edf_annotations import edf_annotations
from eegbench.export.events import answer_of
from eegbench.export.files import export_answers, szcore_table
from eegbench.scoring.events import score_events
from eegcore.formats import open_recording

START = datetime(2001, 4, 24, 16, 13, 0)


def test_mne_reads_the_edf_annotations_of_a_night(tmp_path: Path) -> None:
    path = tmp_path / "night.edf"
    path.write_bytes(edf_annotations(answer_of(night_case(hours=2), start=START)))
    read = mne.read_annotations(path)
    assert list(read.description) == ["Sleep stage N2"]
    assert read.duration[0] == 7200


def test_our_reader_reads_start_and_events(tmp_path: Path) -> None:
    case = seizure_case([], [(12.5, 60.25), (900, 960)])
    path = tmp_path / "events.edf"
    path.write_bytes(edf_annotations(answer_of(case, start=START)))
    with open_recording(path) as recording:
        assert recording.start == START
        assert [tuple(row) for row in recording.annotations] == [
            (12.5, 47.75, "Seizure"),
            (900.0, 60.0, "Seizure"),
        ]


def test_a_long_list_takes_several_records(tmp_path: Path) -> None:
    events = [(10.0 * k, 10.0 * k + 5) for k in range(2500)]
    case = seizure_case([], events, duration_sec=25_000)
    path = tmp_path / "many.edf"
    path.write_bytes(edf_annotations(answer_of(case)))
    assert len(mne.read_annotations(path)) == 2500


def test_szcore_table_scores_as_our_own_events_do() -> None:
    truth, said = [(100.0, 160.0), (2000.0, 2050.0)], [(90.0, 130.0), (3000.0, 3100.0)]
    case = seizure_case(truth, said)
    rows = list(
        csv.DictReader(io.StringIO(szcore_table(answer_of(case))), delimiter="\t")
    )
    read = [
        (float(row["onset"]), float(row["onset"]) + float(row["duration"]))
        for row in rows
        if row["eventType"] == "sz"
    ]
    samples = 36000
    score = scoring.EventScoring(
        annotations.Annotation(truth, 10, samples),
        annotations.Annotation(read, 10, samples),
    )
    ours = score_events(truth, said, duration_sec=3600.0)
    assert (score.tp, score.fp, score.refTrue) == (ours.tp, ours.fp, ours.tp + ours.fn)


def test_no_seizure_is_one_background_row() -> None:
    table = szcore_table(answer_of(seizure_case([], []), start=START))
    assert table.splitlines()[1].split("\t") == [
        *("0.00", "3600.00", "bckg", "n/a", "n/a"),
        *("2001-04-24 16:13:00", "3600.00"),
    ]


def test_yasa_takes_the_hypnogram(tmp_path: Path) -> None:
    yasa = pytest.importorskip("yasa", reason="yasa is an optional peer")
    export_answers([answer_of(night_case(hours=3))], tmp_path, "yasa")
    table = next(tmp_path.glob("*_hypnogram.csv")).read_text()
    stages = [row["stage"] for row in csv.DictReader(io.StringIO(table))]
    hypnogram = yasa.Hypnogram(stages, n_stages=5)
    assert np.isclose(hypnogram.sleep_statistics()["SE"], 100)


def test_architecture_stands_beside_the_hypnogram(tmp_path: Path) -> None:
    export_answers([answer_of(night_case(hours=3))], tmp_path, "yasa")
    told = json.loads(next(tmp_path.glob("*_architecture.json")).read_text())
    assert told["total_sleep_time_min"] == 180
    assert told["stage_pct_of_sleep"]["N2"] == 100


def test_bids_derivatives_have_a_description_and_tables(tmp_path: Path) -> None:
    cases = [seizure_case([], [(1, 2)]), labelled_case("T3", "normal", "normal")]
    written = export_answers([answer_of(case) for case in cases], tmp_path, "bids")
    told = json.loads((tmp_path / "dataset_description.json").read_text())
    assert told["DatasetType"] == "derivative"
    assert told["GeneratedBy"][0]["Name"] == "eegbench"
    tables = [path for path in written if path.suffix == ".tsv"]
    assert len(tables) == 2
    for path in tables:
        assert path.read_text().startswith("onset\tduration\t")
        assert path.with_suffix(".json").is_file()
        parts = path.stem.split("_")
        assert [part.split("-")[0] for part in parts] == [
            "sub",
            "task",
            "desc",
            "events",
        ]


def test_what_was_not_answered_is_not_exported() -> None:
    with pytest.raises(SetError, match="was not answered"):
        answer_of(seizure_case([], [], outcome="missing"))
    with pytest.raises(SetError, match="no recording"):
        answer_of(labelled_case("T1", "A", "A"))


def test_an_unknown_form_lists_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="edf\\+, szcore, yasa, bids"):
        export_answers([], tmp_path, "xls")


def test_the_reference_is_never_written(tmp_path: Path) -> None:
    case = seizure_case([(1234.0, 1300.0)], [(10, 20)])
    for form in ("edf+", "szcore", "bids"):
        for path in export_answers([answer_of(case)], tmp_path / form, form):
            assert b"1234" not in path.read_bytes()
