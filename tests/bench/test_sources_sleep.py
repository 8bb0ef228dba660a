from pathlib import Path

import pytest

from bench import source_folders as folders
from eegbench.errors import SourceError
from eegbench.sources.hypnogram_files import read_hypnogram
from eegbench.sources.sleep_edfx import find_nights, stages_of, whole_epochs
from eegcore.source import Annotation


def rows(*events: tuple[float, float | None, str]) -> list[Annotation]:
    return [Annotation(*event) for event in events]


def test_every_rechtschaffen_and_kales_stage() -> None:
    names = ["W", "1", "2", "3", "4", "R", "?"]
    events = [(30.0 * n, 30.0, f"Sleep stage {name}") for n, name in enumerate(names)]
    events.append((210.0, 30.0, "Movement time"))
    assert stages_of(rows(*events)) == [
        *["W", "N1", "N2", "N3", "N3", "REM"],
        None,
        None,
    ]


def test_stages_stand_at_their_onset_and_holes_are_unscored() -> None:
    events = rows((30, 60, "Sleep stage 2"), (120, 30, "Sleep stage R"))
    assert stages_of(events, n_epochs=6) == [None, "N2", "N2", None, "REM", None]


def test_what_runs_on_after_the_recording_is_cut() -> None:
    events = rows((0, 60, "Sleep stage W"), (60, 86400, "Sleep stage ?"))
    assert stages_of(events, n_epochs=3) == ["W", "W", None]


def test_an_epoch_has_the_stage_that_covers_its_middle() -> None:
    events = rows((0, 44, "Sleep stage W"), (44, 46, "Sleep stage 1"))
    assert stages_of(events, n_epochs=3) == ["W", "N1", "N1"]


def test_other_annotations_are_passed_by() -> None:
    events = rows((0, 30, "Lights off"), (0, 30, "Sleep stage N3"))
    assert stages_of(events) == ["N3"]
    assert stages_of([]) == []


@pytest.mark.parametrize(
    ("duration_sec", "n"), [(0, 0), (29.99, 0), (30, 1), (79500, 2650), (89.9999999, 3)]
)
def test_whole_epochs(duration_sec: float, n: int) -> None:
    assert whole_epochs(duration_sec) == n


def test_halves_of_nights_are_paired_and_lonely_ones_named(tmp_path: Path) -> None:
    folder = folders.sleep_edfx(tmp_path)
    lonely = folder / "ST7011JP-Hypnogram.edf"
    folders.hypnogram(lonely, [(0, 30, "Sleep stage W")])
    found = find_nights(folder)
    (night,) = found.nights
    assert (night.name, night.study, night.subject, night.night) == (
        "SC4001E0",
        "SC",
        "SC400",
        1,
    )
    assert found.problems == (
        "SC4012E0-PSG.edf: no hypnogram SC4012*-Hypnogram.edf",
        "1 hypnograms without recording: ST7011JP-Hypnogram.edf",
    )


def test_text_hypnograms_need_no_codes(tmp_path: Path) -> None:
    path = tmp_path / "h.txt"
    path.write_text("stage\nW\nN1\nSleep stage 2\nS4\nREM\n?\n")
    assert read_hypnogram(path) == ["W", "N1", "N2", "N3", "REM", None]
    assert read_hypnogram(path, n_epochs=2) == ["W", "N1"]
    assert read_hypnogram(path, n_epochs=7)[-1] is None


def test_numbers_need_named_codes(tmp_path: Path) -> None:
    path = tmp_path / "h.txt"
    path.write_text("0\n3\n4\n")
    with pytest.raises(SourceError, match="name its codes, one of yasa, rk"):
        read_hypnogram(path)
    assert read_hypnogram(path, codes="yasa") == ["W", "N3", "REM"]
    assert read_hypnogram(path, codes="rk") == ["W", "N3", "N3"]
    with pytest.raises(SourceError, match="unknown codes 'aasm'"):
        read_hypnogram(path, codes="aasm")


def test_a_line_that_is_no_stage_is_named(tmp_path: Path) -> None:
    path = tmp_path / "h.txt"
    path.write_text("W\nN7\n")
    with pytest.raises(SourceError, match="line 2 is 'N7', no stage"):
        read_hypnogram(path)


def test_short_lines_are_joined_by_majority_then_by_the_middle(tmp_path: Path) -> None:
    path = tmp_path / "h.txt"
    path.write_text("W\nW\nN1\nN1\nN1\nN1\nN2\nN2\nN2\nREM\nREM\nREM\nW\n")
    assert read_hypnogram(path, line_sec=5) == ["N1", "REM"]
    with pytest.raises(SourceError, match="does not go into 30 s"):
        read_hypnogram(path, line_sec=7)


@pytest.mark.data
def test_dreams_hypnogram(data_dir: Path) -> None:
    path = data_dir / "dreams" / "Hypnogram_excerpt1.txt"
    stages = read_hypnogram(path, codes="dreams", line_sec=5)
    assert len(stages) == 60
    assert set(stages) <= {"W", "N1", "N2", "N3", "REM", None}
