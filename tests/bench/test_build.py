"""From data sets on disk to a set: what is built, left out, told and counted."""

import json
import tracemalloc
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest

from bench import source_folders as folders
from eegbench.answerschema import check_schema
from eegbench.errors import SetError, SourceError
from eegbench.instances import Instance, read_set, recording_path
from eegbench.references import read_references
from eegbench.suites.eegagent.build import build
from eegbench.suites.eegagent.build.place import file_sha256
from eegbench.suites.eegagent.flow import PAPER, flow_rows, flow_table, totals
from eegcore.formats import open_recording


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return folders.all_sources(tmp_path_factory.mktemp("sources"))


@pytest.fixture(scope="module")
def built(sources: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("built") / "set"
    build(sources, out=out)
    return out


def by_task(path: Path, task: str) -> list[Instance]:
    return [row for row in read_set(path) if row.task == task]


def test_all_six_tasks_are_built(built: Path) -> None:
    found = read_set(built)
    assert found.info.counts == {
        "T1": 2,
        "T2": 300,
        "T3": 12,
        "T4": 1,
        "T5": 3,
        "T6": 1,
    }
    assert set(read_references(built)) == {row.instance_id for row in found}
    assert not found.info.simulated
    assert "numpy" in found.info.versions


def test_every_recording_opens_as_its_instance_says(built: Path) -> None:
    for row in read_set(built):
        check_schema(row.answer_schema)
        path = recording_path(built, row)
        if path is None or row.task == "T4":  # a stub of a .set file
            continue
        assert row.sha256 == file_sha256(path)
        with open_recording(path, **row.open_args) as recording:
            assert recording.duration_sec == pytest.approx(row.duration_sec, abs=1e-4)
            n_channels = row.facts["n_channels"]
            assert n_channels in (len(recording.channels), len(recording.resolve()))


def test_nothing_an_agent_sees_names_the_source(built: Path) -> None:
    for row in read_set(built):
        shown = json.dumps([row.context, row.question, row.facts])
        for secret in ("chb01", "SC4001", "sub-0", "Z001", "eegdenoise", "/"):
            assert secret not in shown.replace("10-20", ""), (row.instance_id, secret)


def test_t2_has_ten_segments_a_level_and_class(built: Path) -> None:
    references = read_references(built)
    rows = [references[row.instance_id] for row in by_task(built, "T2")]
    labels = [row.label for row in rows]
    assert [labels.count(name) for name in ("clean", "ocular", "muscle")] == [100] * 3
    cells = {(row.label, row.extra["snr_db"]) for row in rows if row.label != "clean"}
    assert cells == {(a, s) for a in ("ocular", "muscle") for s in range(-7, 3)}
    # no two instances share an EEG segment
    assert len({row.group for row in rows}) == 300


def test_t3_leaves_the_interictal_sets_out(built: Path) -> None:
    references = read_references(built)
    rows = [references[row.instance_id] for row in by_task(built, "T3")]
    assert sorted({row.extra["letter"] for row in rows}) == ["O", "S", "Z"]
    assert {row.label for row in rows if row.extra["letter"] == "S"} == {"epileptic"}
    inside = [row.recording for row in by_task(built, "T3")]
    # zip members are written into the set, files of their own referred to
    assert sum(not Path(name).is_absolute() for name in inside if name) == 4


def test_t5_has_events_subject_and_child(built: Path) -> None:
    reference = read_references(built)["T5-chbmit-chb01_01"]
    assert reference.events == [(10.0, 20.0)]
    assert (reference.subject, reference.group) == ("chb01", "chb01")
    assert reference.duration_sec == 30.0


def test_t6_is_trimmed_with_its_signal(built: Path, sources: Path) -> None:
    # 20 wake, 8 N2, 12 wake: 8 wake are kept, 5 before and 3 after
    (row,) = by_task(built, "T6")
    reference = read_references(built)[row.instance_id]
    assert reference.stages == ["W"] * 5 + ["N2"] * 8 + ["W"] * 3
    assert (row.n_epochs, reference.extra["start_epoch"]) == (16, 15)
    path = recording_path(built, row)
    whole = next(sources.rglob("SC4001E0-PSG.edf"))
    assert path is not None
    with open_recording(path) as part, open_recording(whole) as psg:
        np.testing.assert_array_equal(
            part.read("EEG Fpz-Cz"), psg.read("EEG Fpz-Cz", 450.0, 930.0)
        )


def test_a_night_of_60_s_records_is_cut_at_even_epochs(tmp_path: Path) -> None:
    # epochs 15 to 30 would be kept; both cuts move outwards by one epoch
    folders.sleep_edfx(tmp_path / "src" / "sleep-edfx", record_sec=60.0)
    build(tmp_path / "src", ["T6"], tmp_path / "set")
    (row,) = read_set(tmp_path / "set")
    reference = read_references(tmp_path / "set")[row.instance_id]
    assert reference.stages == ["W"] * 6 + ["N2"] * 8 + ["W"] * 4
    path = recording_path(tmp_path / "set", row)
    assert path is not None
    with open_recording(path) as part:
        assert part.duration_sec == 18 * 30


def test_a_hypnogram_that_starts_later_is_shifted_and_told(tmp_path: Path) -> None:
    folder = folders.sleep_edfx(tmp_path / "src" / "sleep-edfx")
    folders.hypnogram(
        folder / "sleep-cassette" / "SC4012EC-Hypnogram.edf",
        [(0, 30, "Sleep stage 2")],
        start=folders.START + timedelta(seconds=30),
    )
    report = build(tmp_path / "src", ["T6"], tmp_path / "set")
    assert "SC4012EC-Hypnogram.edf: starts +30 s from its recording" in report.problems
    references = read_references(tmp_path / "set")
    assert references["T6-sleepedfx-SC4012E0"].stages == [None, "N2"]


def test_trimming_never_loads_the_night(tmp_path: Path) -> None:
    nights = tmp_path / "src" / "sleep-edfx"
    night = folders.sleep_edfx(nights) / "sleep-cassette" / "SC4001E0-PSG.edf"
    folders.edf(night, 1200, rate_hz=2000, record_sec=1.0)
    tracemalloc.start()
    build(tmp_path / "src", ["T6"], tmp_path / "set")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    size = night.stat().st_size
    assert size > 9_000_000
    assert peak < size / 3


def test_a_night_is_kept_whole_on_request(tmp_path: Path) -> None:
    folders.sleep_edfx(tmp_path / "src" / "sleep-edfx")
    build(tmp_path / "src", ["T6"], tmp_path / "set", trim=False)
    (row,) = read_set(tmp_path / "set")
    assert (row.n_epochs, Path(row.recording or "").name) == (40, "SC4001E0-PSG.edf")


def test_the_same_sources_give_the_same_set(
    sources: Path, built: Path, tmp_path: Path
) -> None:
    again = tmp_path / "again"
    build(sources, out=again)
    for name in ("instances.jsonl", "references/references.jsonl", "construction.json"):
        assert (again / name).read_bytes() == (built / name).read_bytes()


def test_what_is_left_out_is_named(sources: Path, tmp_path: Path) -> None:
    report = build(sources, out=tmp_path / "set", checksums=False)
    text = "\n".join([*report.unreadable, *report.problems])
    for expected in (
        "dev.json: line 5 is no JSON object",
        "question q2 repeats q1",
        "sub-002_task-eyesclosed_eeg.set: a pointer",
        "chb01_09: no annotation speaks of it; left out",
        "SC4012E0-PSG.edf: no hypnogram",
        "T5 candidates, all: 3; the paper has 669",
    ):
        assert expected in text
    assert report.text().startswith("319 instances (T1 2, T2 300")


def test_one_unreadable_file_costs_itself_only(tmp_path: Path) -> None:
    folder = folders.chbmit(tmp_path / "src" / "chbmit")
    (folder / "chb01" / "chb01_02.edf").write_bytes(b"no EDF")
    (folder / "chb01" / "chb01_03.edf").write_bytes(b"")
    report = build(tmp_path / "src", ["T5"], tmp_path / "set")
    assert report.counts == {"T5": 1}
    assert len(report.unreadable) == 2
    assert report.unreadable[0].startswith("chb01_02.edf: ")


def test_missing_data_sets_are_named_and_the_rest_is_built(tmp_path: Path) -> None:
    folders.bonn(tmp_path / "src" / "bonn", n=2)
    report = build(tmp_path / "src", out=tmp_path / "set")
    assert report.counts == {"T3": 6}
    assert [line.partition(":")[0] for line in report.missing] == [
        *["T1", "T2", "T4", "T5", "T6"]
    ]
    assert "no folder of chbmit" in report.missing[3]


def test_nothing_to_build_is_an_error_and_leaves_no_set(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    with pytest.raises(SetError, match="nothing to build: T3: no folder of bonn"):
        build(tmp_path / "src", ["T3"], tmp_path / "set")
    assert not (tmp_path / "set").exists()
    with pytest.raises(SourceError, match="no folder of sources"):
        build(tmp_path / "gone", ["T3"], tmp_path / "set")
    with pytest.raises(SetError, match="unknown task 'T7'"):
        build(tmp_path / "src", ["T7"], tmp_path / "set")


def test_a_folder_with_other_files_is_not_touched(tmp_path: Path) -> None:
    folders.bonn(tmp_path / "src" / "bonn", n=1)
    out = tmp_path / "mine"
    out.mkdir()
    (out / "thesis.txt").write_text("years of work")
    with pytest.raises(SetError, match="holds other files and no set"):
        build(tmp_path / "src", ["T3"], out)
    assert (out / "thesis.txt").read_text() == "years of work"


def test_an_older_set_is_replaced(tmp_path: Path) -> None:
    folders.bonn(tmp_path / "src" / "bonn", n=3)
    out = tmp_path / "set"
    build(tmp_path / "src", ["T3"], out)
    (out / "notes.txt").write_text("mine")
    build(tmp_path / "src", ["T3"], out, exclude=["Z001", "T3-bonn-S002"])
    assert len(read_set(out)) == 7
    assert not (out / "recordings" / "T3" / "Z001.txt").exists()
    assert (out / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize("place", ["copy", "link"])
def test_signals_can_be_brought_into_the_set(tmp_path: Path, place: str) -> None:
    folders.chbmit(tmp_path / "src" / "chbmit")
    out = tmp_path / "set"
    build(tmp_path / "src", ["T5"], out, place=place)  # type: ignore[arg-type]
    for row in read_set(out):
        assert row.recording == f"recordings/T5/{row.instance_id.split('-')[-1]}.edf"
        path = recording_path(out, row)
        assert path is not None
        assert row.sha256 == file_sha256(path)


def test_balancing_without_a_panel(tmp_path: Path) -> None:
    folders.chbmit(tmp_path / "src" / "chbmit")
    report = build(tmp_path / "src", ["T5"], tmp_path / "set", balanced=True)
    assert report.counts == {"T5": 2}
    ids = [row.instance_id for row in read_set(tmp_path / "set")]
    assert ids == ["T5-chbmit-chb01_01", "T5-chbmit-chb01_02"]


def test_a_panel_screens_and_balances(tmp_path: Path) -> None:
    folders.bonn(tmp_path / "src" / "bonn", n=4)
    lines = ["record,model,solved"]
    for model in "abcde":
        lines += [f"Z00{n},{model},true" for n in (1, 2)]
        lines.append(f"T3-bonn-O001,{model},{model < 'd'}")
    panel = tmp_path / "panel.csv"
    panel.write_text("\n".join(lines))
    report = build(tmp_path / "src", ["T3"], tmp_path / "set", panel=panel)
    flow = {(r.stage, r.group): r.ours for r in report.flow}
    assert flow[("candidates", "all")] == 12
    # all five solve Z001 and Z002
    assert flow[("screened", "Z")] == 2
    assert flow[("balanced", "all")] == 8
    names = {row.instance_id for row in read_set(tmp_path / "set")}
    # O001, solved by three of five, is the easiest of its group and goes first;
    # of the others the last names go
    assert {n for n in names if "-O" in n} == {"T3-bonn-O002", "T3-bonn-O003"}
    assert any("no panel result for" in line for line in report.problems)


def test_counts_stand_beside_those_of_the_paper() -> None:
    rows = flow_rows("candidates", "T3", {"Z": 100, "O": 99}, total=199)
    text = flow_table([*rows, *totals(rows)])
    assert "candidates  T3   all            199      300 !" in text
    assert "candidates  T3   Z              100      100\n" in text


def test_totals_of_the_paper_are_those_that_it_prints() -> None:
    # section 6.1: 1,703 candidates, 1,490 after screening, 1,072 in the end
    sums = {stage: sum(t["all"] for t in PAPER[stage].values()) for stage in PAPER}
    assert sums == {"candidates": 1703, "screened": 1490, "balanced": 1072}


@pytest.mark.data
def test_bonn_in_full(data_dir: Path, tmp_path: Path) -> None:
    report = build(data_dir, ["T3"], tmp_path / "set")
    assert report.counts == {"T3": 300}
    assert not report.unreadable
