"""Difficulty screening by a panel's results (paper, section 6.1)."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from eegbench.errors import SetError
from eegbench.instances import Instance
from eegbench.references import Reference
from eegbench.suites.eegagent.screening import (
    EASY,
    read_panel,
    solve_rates,
    solved_by_rule,
)


@dataclass(frozen=True)
class Item:
    name: str
    instance: Instance
    reference: Reference | None


def item(task: str, **truth: object) -> Item:
    options = {"A": "alpha", "B": "beta", "C": "gamma", "D": "delta"}
    return Item(
        "rec",
        Instance(
            instance_id=f"{task}-rec",
            task=task,
            suite="eegagent",
            question="?",
            answer_schema={},
            options=options if task == "T1" else None,
            duration_sec=1000.0,
        ),
        Reference(instance_id=f"{task}-rec", task=task, **truth),  # type: ignore[arg-type]
    )


def events(*pairs: tuple[float, float]) -> dict[str, object]:
    return {
        "seizure_events": [{"onset_sec": a, "offset_sec": b} for a, b in pairs],
    }


@pytest.mark.parametrize(
    ("task", "truth", "answer", "solved"),
    [
        ("T1", {"label": "B"}, {"answer": "B"}, True),
        ("T1", {"label": "B"}, "beta", True),
        ("T1", {"label": "B"}, {"answer": "C"}, False),
        ("T3", {"label": "normal"}, {"classification": " Normal "}, True),
        ("T3", {"label": "normal"}, {"classification": "abnormal"}, False),
        ("T4", {"label": "FTD"}, {"classification": "ftd"}, True),
        ("T4", {"label": "FTD"}, None, False),
    ],
)
def test_labels_are_solved_by_the_scores_own_rule(
    task: str, truth: dict[str, object], answer: object, *, solved: bool
) -> None:
    assert solved_by_rule(task, answer, item(task, **truth)) is solved


@pytest.mark.parametrize(
    ("answer", "solved"),
    [
        # 100 s against 15: Dice 2 * 15 / 115 = .26; against 18: .305
        (events((100, 115)), False),
        (events((100, 118)), True),
        (events(), False),
        (events((0, 1000)), False),
        ("no idea", False),
    ],
)
def test_a_seizure_record_is_solved_at_dice_30(answer: object, *, solved: bool) -> None:
    truth = item("T5", events=[(100.0, 200.0)])
    assert solved_by_rule("T5", answer, truth) is solved


def test_a_free_record_is_solved_by_silence_alone() -> None:
    truth = item("T5", events=[])
    assert solved_by_rule("T5", events(), truth)
    assert not solved_by_rule("T5", events((1, 2)), truth)
    assert not solved_by_rule("T5", "no idea", truth)


def test_nights_are_not_screened() -> None:
    with pytest.raises(SetError, match="task T6 is not screened"):
        solved_by_rule("T6", {}, item("T6", stages=["W"]))


def test_five_of_five_is_too_easy_and_four_of_five_is_not(tmp_path: Path) -> None:
    path = tmp_path / "panel.jsonl"
    path.write_text(
        "\n".join(
            f'{{"record": "rec", "model": "m{n}", "solved": {str(n < 4).lower()}}}'
            for n in range(5)
        )
    )
    rates = solve_rates("T3", [item("T3", label="normal")], read_panel(path))
    assert rates == {"T3-rec": 0.8}
    assert rates["T3-rec"] < EASY <= 1.0


def test_answers_are_judged_against_our_reference(tmp_path: Path) -> None:
    path = tmp_path / "panel.jsonl"
    row = '{{"record": "T3-rec", "model": "{}", "answer": {{"classification": "{}"}}}}'
    path.write_text(f"{row.format('a', 'normal')}\n{row.format('b', 'epileptic')}\n")
    rates = solve_rates("T3", [item("T3", label="normal")], read_panel(path))
    assert rates == {"T3-rec": 0.5}


def test_csv_and_tsv_are_read(tmp_path: Path) -> None:
    for suffix, mark in ((".csv", ","), (".tsv", "\t")):
        path = tmp_path / f"panel{suffix}"
        path.write_text(f"record{mark}model{mark}solved\nrec{mark}m{mark}yes\n")
        panel = read_panel(path)
        assert panel.models == ("m",)
        assert panel.rows["rec"][0].solved is True


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("record,model\nrec,m\n", "line 2: needs solved or answer"),
        ("record,solved\nrec,1\n", "line 2: needs record and model"),
        ("record,model,solved\nrec,m,maybe\n", "line 2: solved is 'maybe'"),
        ("record,model,solved\nr,m,1\nr,m,0\n", "line 3: m on r stands there twice"),
        ("record,model,solved\n", "no rows"),
    ],
)
def test_a_broken_panel_file_is_refused(
    tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "panel.csv"
    path.write_text(text)
    with pytest.raises(SetError, match=message):
        read_panel(path)


def test_a_missing_panel_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SetError, match="cannot read the panel file"):
        read_panel(tmp_path / "gone.csv")
