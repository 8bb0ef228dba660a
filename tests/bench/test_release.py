"""The published release's layout."""

import json
import zipfile
from pathlib import Path

import pytest

from bench import source_folders as folders
from eegbench.errors import SetError
from eegbench.instances import read_set
from eegbench.references import read_references
from eegbench.suites.eegagent.build import build
from eegbench.suites.eegagent.build.release import (
    build_release,
    find_layout,
    record_names,
)

TEXT = "23.6 seconds of one channel"


def write(path: Path, rows: list[dict[str, object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def scenario(name: str, text: str, metadata: dict[str, object]) -> dict[str, object]:
    return {
        "scenario_id": name,
        "task_id": "T?",
        "input": {"clinical_context": text, "question": "which?"},
        "records": [{"record_id": "EEG_1", "metadata": metadata}],
        "expected_output_schema": {"type": "object"},
    }


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """T3 with two scenarios, one with text; T5 and T6 with one each."""
    root = tmp_path / "release"
    names = ["c3_routine_bonn_Z002", "c3_routine_bonn_S001"]
    write(
        root / "runtime" / "T3.jsonl",
        [
            {
                "scenario_id": name,
                "records": [
                    {
                        "record_id": f"EEG_{n}",
                        "data_path": f"data/bonn/{name[-4]}/{name[-4:]}.txt",
                    }
                ],
            }
            for n, name in enumerate(names)
        ],
    )
    write(
        root / "answer_keys" / "T3.jsonl",
        [
            {"scenario_id": names[0], "gold": {"label": "normal"}},
            {"scenario_id": names[1], "gold": {"label": "epileptic"}},
        ],
    )
    write(
        root / "scenarios" / "T3.jsonl",
        [scenario(names[0], TEXT, {"channels": 1, "n_samples": 4096})],
    )
    for task, name, path, gold in (
        (
            "T5",
            "c1_seizure_chb01_01",
            "data/chbmit/chb01/chb01_01.edf",
            {"seizure_events": [[3.0, 9.0]]},
        ),
        (
            "T6",
            "c3_sleep_sc_SC4001E0",
            "data/sleep_edfx/processed/c3_sleep_sc_SC4001E0.edf",
            {"epoch_labels_aasm": ["W", "N2"]},
        ),
    ):
        record = {"record_id": "EEG_0007", "data_path": path}
        write(
            root / "runtime" / f"{task}.jsonl",
            [{"scenario_id": name, "records": [record]}],
        )
        write(
            root / "answer_keys" / f"{task}.jsonl",
            [{"scenario_id": name, "gold": gold}],
        )
    return root


@pytest.fixture
def signals(tmp_path: Path) -> Path:
    root = tmp_path / "signals"
    folders.bonn(root / "bonn", n=2)
    folders.edf(root / "chb01_01.edf", 30, names=folders.CHB)
    folders.edf(root / "c3_sleep_sc_SC4001E0.edf", 60, rate_hz=10, record_sec=30)
    return root


def test_default_condition_needs_no_scenarios(
    release: Path, signals: Path, tmp_path: Path
) -> None:
    out = tmp_path / "set"
    report = build_release(release, out, signals=signals)
    assert report.counts == {"T3": 2, "T5": 1, "T6": 1}
    found = read_set(out)
    assert (found.info.condition, found.info.dialect) == ("default", "default")
    references = read_references(out)
    assert references["c3_routine_bonn_Z002"].label == "normal"
    assert references["c1_seizure_chb01_01"].events == [(3.0, 9.0)]
    assert references["c1_seizure_chb01_01"].subject == "chb01"
    night = references["c3_sleep_sc_SC4001E0"]
    assert (night.stages, night.subject) == (["W", "N2"], "SC400")
    rows = {row.instance_id: row for row in found}
    assert rows["c3_sleep_sc_SC4001E0"].n_epochs == 2
    assert TEXT not in rows["c3_routine_bonn_Z002"].context


def test_members_of_zips_are_found_by_the_end_of_their_path(
    release: Path, signals: Path, tmp_path: Path
) -> None:
    out = tmp_path / "set"
    build_release(release, out, signals=signals, tasks=["T3"])
    rows = {row.instance_id: row for row in read_set(out)}
    assert rows["c3_routine_bonn_Z002"].recording == "recordings/T3/Z002.txt"
    with zipfile.ZipFile(signals / "bonn" / "Z.zip") as archive:
        wanted = archive.read("Z002.txt")
    assert (out / "recordings" / "T3" / "Z002.txt").read_bytes() == wanted
    # S001.TXT lies as a file and is referred to
    assert str(rows["c3_routine_bonn_S001"].recording).endswith("S001.TXT")


def test_paper_like_takes_the_texts_of_the_release(
    release: Path, signals: Path, tmp_path: Path
) -> None:
    out = tmp_path / "set"
    report = build_release(
        release, out, signals=signals, tasks=["T3"], condition="paper-like"
    )
    found = read_set(out)
    (row,) = found
    assert (found.info.condition, found.info.dialect) == ("paper-like", "paper-1.0")
    assert (row.context, row.question) == (TEXT, "which?")
    assert row.facts == {"channels": 1, "n_samples": 4096}
    assert row.answer_schema == {"type": "object"}
    assert any("1 without scenario text, left out" in p for p in report.problems)


def test_missing_signals_and_counts_are_told(release: Path, tmp_path: Path) -> None:
    with pytest.raises(SetError, match="nothing to build"):
        build_release(release, tmp_path / "set")
    folders.bonn(release / "data" / "bonn", n=1)
    report = build_release(release, tmp_path / "set")
    assert report.counts == {"T3": 1}
    text = "\n".join(report.problems)
    assert "T3: 1 without signal, left out: data/bonn/Z/Z002.txt" in text
    assert "T3: 2 scenarios in the release's files, the frozen set has 188" in text
    assert [line[:2] for line in report.missing] == ["T1", "T2", "T4"]


def test_the_layout_may_lie_deeper(release: Path, tmp_path: Path) -> None:
    assert find_layout(release) == release
    assert find_layout(tmp_path) == release
    with pytest.raises(SetError, match="holds no runtime, answer_keys, scenarios"):
        find_layout(release / "runtime")
    with pytest.raises(SetError, match="no release folder"):
        find_layout(tmp_path / "gone")


def test_names_of_the_release_can_be_left_out_of_another_set(release: Path) -> None:
    assert record_names(release, "T3") == ["Z002", "S001"]


def test_a_broken_row_names_its_line(release: Path, tmp_path: Path) -> None:
    path = release / "runtime" / "T3.jsonl"
    path.write_text(path.read_text() + '{"records": []}\n')
    with pytest.raises(SetError, match=r"T3\.jsonl, line 3: "):
        build_release(release, tmp_path / "set")


def test_a_built_set_is_compared_with_the_release(
    release: Path, tmp_path: Path
) -> None:
    sources = folders.all_sources(tmp_path / "sources")
    report = build(sources, ["T3", "T5", "T6"], tmp_path / "set", compare_with=release)
    text = "\n".join(report.problems)
    assert "T3: 10 only in ours: O001, O002, O003" in text
    assert "T5: 2 only in ours: chb01_02, chb01_03" in text
    assert "T5 chb01_01: seizures [(10, 20)], in the release [(3, 9)]" in text
    assert "T6 SC4001E0: 16 epochs, in the release 2" in text


@pytest.mark.data
def test_the_whole_t3_of_the_paper(data_dir: Path, tmp_path: Path) -> None:
    # 47 Z, 47 O, 94 S (paper, section 6.1)
    out = tmp_path / "set"
    report = build_release(data_dir / "official", out, signals=data_dir / "bonn")
    assert report.counts == {"T1": 38, "T3": 188}
    references = read_references(out)
    letters = [row.extra["letter"] for row in references.values()]
    assert [letters.count(letter) for letter in "ZOS"] == [47, 47, 94]
    # labels agree with our own reading of the data set
    assert all(
        (row.label == "epileptic") == (row.extra["letter"] == "S")
        for row in references.values()
    )
