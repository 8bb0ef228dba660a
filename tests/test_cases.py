"""Every case of the failure-case folder, checked as its README defines.

The folder is EEGCORE_CASES, or ../shared/cases. No case is named here: what is checked
follows from a case's kind and from what it expects.
"""

import json
import os
from pathlib import Path

import pytest

from case_checks import harness, reading, replies, sources, tools

FOLDER = Path(
    os.environ.get(
        "EEGCORE_CASES", Path(__file__).resolve().parents[2] / "shared" / "cases"
    )
)
CHECKS = {
    **dict.fromkeys(
        ("edf_header", "edf_scaling", "edf_records", "edf_annotations"), reading.check
    ),
    **dict.fromkeys(("edf_discontinuous", "edf_rates", "bdf", "eeglab"), reading.check),
    **dict.fromkeys(("bonn", "chbmit", "sleepedf"), sources.check),
    **dict.fromkeys(replies.CHECKS, replies.check),
    **dict.fromkeys(tools.CHECKS, tools.check),
    "harness": harness.check,
}


def _rows() -> list:
    listing = FOLDER / "cases.json"
    return json.loads(listing.read_text()) if listing.is_file() else []


@pytest.mark.data
@pytest.mark.parametrize("row", _rows(), ids=lambda row: row["id"])
def test_case(row, cases_dir, tmp_path):
    CHECKS[row["kind"]](row, cases_dir, tmp_path)


@pytest.mark.data
def test_the_folder_has_cases(cases_dir):
    assert _rows(), f"no cases in {cases_dir}"
