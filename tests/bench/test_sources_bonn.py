from pathlib import Path

import numpy as np
import pytest

from bench import source_folders as folders
from eegbench.errors import SourceError
from eegbench.sources.bonn import (
    LABELS,
    SETS,
    BonnSegment,
    find_segments,
    name_parts,
    parse_values,
)


def test_letters_of_files_are_not_letters_of_sets() -> None:
    # Andrzejak et al. 2001: A, B healthy; C, D interictal; E ictal
    assert SETS == {"Z": "A", "O": "B", "N": "C", "F": "D", "S": "E"}
    assert LABELS == {"Z": "normal", "O": "normal", "S": "epileptic"}


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("Z001.txt", ("Z", 1)),
        ("n100.TXT", ("N", 100)),
        ("sub/S042.txt", ("S", 42)),
        ("Z001.csv", None),
        ("Z01.txt", None),
        ("A001.txt", None),
    ],
)
def test_names(name: str, parts: tuple[str, int] | None) -> None:
    assert name_parts(name) == parts


def test_zips_and_folders_are_found_and_a_folder_wins(tmp_path: Path) -> None:
    folder = folders.bonn(tmp_path, n=2)
    (folder / "Z001.txt").write_text("1\n2\n")
    found = {segment.name: segment for segment in find_segments(folder)}
    assert list(found) == [f"{letter}00{n}" for letter in "NOSZ" for n in (1, 2)]
    assert found["Z001"].member is None
    assert found["Z002"].member == "Z002.txt"
    assert found["N001"].label is None
    assert parse_values(found["Z002"].text(), "Z002").size == 4097


def test_damaged_lines_are_named_not_skipped() -> None:
    with pytest.raises(SourceError, match=r"O944: line 2 is '12a4', not a number"):
        parse_values(b"1\n12a4\n3\n", "O944")
    with pytest.raises(SourceError, match="line 2 is ''"):
        parse_values(b"1\n\n3\n", "O944")
    with pytest.raises(SourceError, match="line 1 is not finite"):
        parse_values(b"nan\n", "O944")
    with pytest.raises(SourceError, match="no values"):
        parse_values(b"\n\n", "O944")


def test_windows_line_ends_and_a_last_empty_line_do_not_matter() -> None:
    np.testing.assert_array_equal(parse_values(b"1\r\n-2\r\n\r\n", "Z1"), [1, -2])


def test_a_zip_that_is_none_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "Z.zip").write_bytes(b"no zip")
    with pytest.raises(SourceError, match=r"cannot read the zip Z\.zip"):
        find_segments(tmp_path)
    segment = BonnSegment("Z001", "Z", tmp_path / "gone.zip", "Z001.txt")
    with pytest.raises(SourceError, match="cannot read Z001"):
        segment.text()


@pytest.mark.data
def test_all_500_real_segments(data_dir: Path) -> None:
    segments = find_segments(data_dir / "bonn")
    assert len(segments) == 500
    assert sum(segment.label == "epileptic" for segment in segments) == 100
    assert parse_values(segments[0].text(), "F001").size == 4097
