"""Exports read back by the tools that they are for."""

import csv
import io
import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import mne
import pyedflib
import pytest
import yasa
from msgspec.structs import replace as replace_fields
from timescoring import annotations, scoring

from bench_cases import labelled_case, night_case, seizure_case
from eegbench.errors import ConfigError, SetError
from eegbench.export.edf_annotations import edf_annotations
from eegbench.export.events import answer_of
from eegbench.export.files import export_answers, szcore_table
from eegbench.instances import Instance
from eegbench.scoring.events import score_events
from eegcore.formats import open_recording

START = datetime(2001, 4, 24, 16, 13, 0)


def replace_id(instance: Instance, name: str) -> Instance:
    return replace_fields(instance, instance_id=name)


def test_mne_reads_the_edf_annotations_of_a_night(tmp_path: Path) -> None:
    path = tmp_path / "night.edf"
    path.write_bytes(edf_annotations(answer_of(night_case(hours=2), start=START)))
    read = mne.read_annotations(path)
    assert list(read.description) == ["Sleep stage N2"]
    assert read.duration[0] == 7200


def test_pyedflib_reads_the_edf_annotations(tmp_path: Path) -> None:
    case = seizure_case([], [(12.5, 60.25), (900, 960)])
    path = tmp_path / "events.edf"
    path.write_bytes(edf_annotations(answer_of(case, start=START)))
    with pyedflib.EdfReader(str(path)) as reader:
        onsets, lengths, texts = reader.readAnnotations()
        assert reader.getStartdatetime() == START
    assert list(onsets) == [12.5, 900]
    assert list(lengths) == [47.75, 60]
    assert list(texts) == ["Seizure", "Seizure"]


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


def test_yasa_takes_the_hypnogram_and_agrees_on_its_statistics(tmp_path: Path) -> None:
    stages = ["W"] * 30 + ["N1"] * 4 + ["N2"] * 40 + ["W"] * 3 + ["N3"] * 20
    stages += ["REM"] * 15 + ["W"] * 8
    case = replace(night_case(hours=1), stages=tuple(stages))
    export_answers([answer_of(case)], tmp_path, "yasa")
    table = next(tmp_path.glob("*_hypnogram.csv")).read_text()
    read = [row["stage"] for row in csv.DictReader(io.StringIO(table))]
    theirs = yasa.Hypnogram(read, n_stages=5).sleep_statistics()
    ours = json.loads(next(tmp_path.glob("*_architecture.json")).read_text())
    assert ours["total_sleep_time_min"] == theirs["TST"]
    assert ours["sleep_efficiency_pct"] == pytest.approx(theirs["SE"], abs=1e-4)
    assert ours["sleep_latency_min"] == theirs["SOL"]
    for stage, share in ours["stage_pct_of_sleep"].items():
        assert share == pytest.approx(theirs[f"%{stage}"], abs=1e-4)
    # where the definitions differ, the file says so
    assert ours["rem_latency_min"] == theirs["Lat_REM"] - theirs["SOL"]
    assert ours["wake_after_sleep_onset_min"] == theirs["WASO"] + 8 * 0.5
    for key in ("rem_latency_min", "wake_after_sleep_onset_min"):
        assert "yasa" in ours["definitions"][key]


def test_an_epoch_that_was_not_scored_is_unscored_for_yasa(tmp_path: Path) -> None:
    case = replace(night_case(hours=0.1), stages=("W", None, "N2"))
    export_answers([answer_of(case)], tmp_path, "yasa")
    table = next(tmp_path.glob("*_hypnogram.csv")).read_text()
    read = [row["stage"] for row in csv.DictReader(io.StringIO(table))]
    assert list(yasa.Hypnogram(read, n_stages=5).hypno) == ["WAKE", "UNS", "N2"]


def test_architecture_stands_beside_the_hypnogram(tmp_path: Path) -> None:
    export_answers([answer_of(night_case(hours=3))], tmp_path, "yasa")
    told = json.loads(next(tmp_path.glob("*_architecture.json")).read_text())
    assert told["total_sleep_time_min"] == 180
    assert told["stage_pct_of_sleep"]["N2"] == 100


@pytest.fixture(scope="module")
def bids_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bids")
    cases = [
        seizure_case([], [(1, 2), (30, 40)]),
        seizure_case([], []),
        labelled_case("T3", "normal", "normal"),
        night_case(hours=1),
    ]
    export_answers([answer_of(case, start=START) for case in cases], folder, "bids")
    return folder


def bids_problems(folder: Path) -> list[str]:
    program = Path(sys.executable).with_name("bids-validator-deno")
    if not program.exists():
        pytest.skip("no bids-validator-deno beside this Python")
    done = subprocess.run(
        [program, "--format", "json", folder],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "DENO_NO_UPDATE_CHECK": "1"},
        check=False,
    )
    issues = json.loads(done.stdout)["issues"]["issues"]
    return sorted({issue["code"] for issue in issues})


def test_the_bids_validator_finds_nothing_but_the_authors(bids_folder: Path) -> None:
    # who made the run is not known to us
    assert bids_problems(bids_folder) == ["TOO_FEW_AUTHORS"]


def test_the_bids_validator_would_notice_a_wrong_name(
    bids_folder: Path, tmp_path: Path
) -> None:
    shutil.copytree(bids_folder, tmp_path / "bad")
    table = next((tmp_path / "bad").rglob("*_events.tsv"))
    table.rename(table.with_name(table.name.replace("_events", "_foo")))
    assert "NOT_INCLUDED" in bids_problems(tmp_path / "bad")


def test_bids_description_says_what_it_is(bids_folder: Path) -> None:
    told = json.loads((bids_folder / "dataset_description.json").read_text())
    assert told["DatasetType"] == "derivative"
    assert told["GeneratedBy"][0]["Name"] == "eegbench"
    assert "not for clinical use" in (bids_folder / "README").read_text()


@pytest.mark.parametrize("form", ["edf+", "szcore", "bids"])
def test_ids_that_differ_in_signs_alone_get_files_of_their_own(
    tmp_path: Path, form: str
) -> None:
    cases = [
        replace(case, instance=replace_id(case.instance, name))
        for name in ("night/1-1", "night/11", "NIGHT-11")
        for case in [seizure_case([], [(1, 2)])]
    ]
    written = export_answers([answer_of(case) for case in cases], tmp_path, form)
    tables = [path for path in written if path.suffix in (".edf", ".tsv")]
    assert len({str(path).lower() for path in tables}) == 3
    assert all(path.is_file() for path in tables)


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
