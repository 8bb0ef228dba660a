"""Numbers in reasons: found with rounding, less what fits by accident."""

import numpy as np
import orjson
import pytest

from eegbench.groundedness import (
    cited_numbers,
    groundedness,
    is_among,
    look_at,
    reasons_of,
    rows,
    seen_numbers,
    summary,
)
from eegcore.tools import TOOLS
from eegcore.tools.toolbox import Toolbox
from odd_recording import odd_recording


def transcript(*values: float, prompt: str = "") -> list[dict[str, object]]:
    answer = {
        "_meta": {"approx_response_bytes": 777},
        "rows": [{"v": v} for v in values],
    }
    call = {"name": "tool", "arguments": {}, "answer": answer}
    return [
        {"event": "shown", "kind": "prompt", "text": prompt},
        {"event": "tools", "calls": [call]},
    ]


def judged(answers, transcripts):
    pairs = zip(answers, transcripts, strict=True)
    return groundedness([look_at("", "T3", said, events) for said, events in pairs])


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("C3 and N2 in rec-12ab at T7", []),
        ("power 12.5 uV at 10Hz", [12.5, 10.0]),
        ("8-13 Hz, 8\u201313 Hz", [8.0, 13.0, 8.0, 13.0]),
        ("a drop of -3.25 (\u22124)", [-3.25, -4.0]),
        ("1.2e3 and 1e-2", [1200.0, 0.01]),
        ("45 % or 45%", [45.0, 45.0]),
        ("1e999 is no number", []),
        ("", []),
    ],
)
def test_numbers_of_a_text(text, values):
    assert [number.value for number in cited_numbers(text)] == values


@pytest.mark.parametrize(
    ("text", "value", "fits"),
    [
        ("12.3", 12.34, True),
        ("12.3", 12.36, False),
        ("12.3", 12.25, True),
        ("12", 12.4, True),
        ("12", 12.6, False),
        ("45 %", 0.4512, True),
        ("45", 0.45, False),
        ("-3.2", 3.2, False),
        ("1.2e3", 1249.0, True),
        ("1200", 1249.0, False),
    ],
)
def test_a_number_fits_what_rounds_to_it(text, value, fits):
    (number,) = cited_numbers(text)
    assert is_among(number, np.array([-1000.0, value, 5000.0])) is fits


def test_nothing_is_among_no_values():
    assert not is_among(cited_numbers("1")[0], np.array([]))


def test_reasons_are_the_free_texts_alone():
    answer = {
        "rationale": "alpha 9.5",
        "findings": ["theta 4.5", {"text": "delta 2.5"}],
        "architecture": {"REM_pct": 0.2},
    }
    values = [number.value for number in cited_numbers(reasons_of(answer))]
    assert values == [9.5, 4.5, 2.5]
    assert reasons_of(None) == ""


def test_meta_of_a_tool_answer_is_no_measurement():
    assert seen_numbers(transcript(1.0, 2.0)).tolist() == [1.0, 2.0]


@pytest.mark.parametrize("tool", list(TOOLS))
@pytest.mark.parametrize("channels", [None, ["EEG C3", "EEG Cz", "12"]])
def test_compact_answers_show_the_same_numbers(tool, channels, tmp_path):
    arguments = {"record_id": "r"} if channels is None else {
        "record_id": "r", "channels": channels
    }  # fmt: skip
    seen = []
    for encoding in ("rows", "compact"):
        box = Toolbox({"r": odd_recording(tmp_path, percent="12")}, encoding=encoding)
        answer = orjson.loads(box.call_json(tool, arguments))
        call = {"name": tool, "arguments": arguments, "answer": answer}
        seen.append(seen_numbers([{"event": "tools", "calls": [call]}]).tolist())
    assert seen[0] == seen[1]
    assert seen[0] or channels


def test_share_found_less_what_another_episode_gives():
    answers = [{"rationale": "3.14 and 2.72, 9.99"}, {"rationale": "7.77"}]
    own, other = transcript(3.141, 2.718), transcript(7.77, 3.14)
    first, second = judged(answers, [own, other])
    assert (first.n_cited, first.n_found) == (3, 2)
    assert first.share == pytest.approx(2 / 3)
    assert first.chance == pytest.approx(1 / 3)  # 3.14 is in the other one too
    assert first.excess == pytest.approx(1 / 3)
    assert (second.share, second.chance, second.excess) == (1.0, 0.0, 1.0)


def test_numbers_of_the_prompt_show_nothing():
    answers = [{"rationale": "256 Hz, 12.5 uV"}] * 2
    told = [transcript(12.5, prompt="sampled at 256 Hz")] * 2
    first, _ = judged(answers, told)
    assert (first.n_cited, first.n_found, first.n_from_prompt) == (1, 1, 1)
    assert first.excess == 0.0  # the other episode measured the same


def test_invented_numbers_have_no_excess():
    rng = np.random.default_rng(5)
    measured = [transcript(*rng.uniform(0, 100, 200)) for _ in range(30)]
    invented = [
        {"rationale": " ".join(f"{x:.1f}" for x in rng.uniform(0, 100, 20))}
        for _ in range(30)
    ]
    told = summary(judged(invented, measured))
    assert told["share"] == pytest.approx(0.18, abs=0.05)  # by accident
    assert abs(float(str(told["excess"]))) < 3 * float(str(told["standard_error"]))


def test_an_agent_that_cites_nothing_has_no_share():
    results = judged([None, {"rationale": "looks normal"}], [transcript(1.0)] * 2)
    told = summary(results)
    assert (told["n"], told["n_citing"], told["share"], told["excess"]) == (
        2,
        0,
        None,
        None,
    )


def test_a_single_episode_has_no_chance():
    (only,) = judged([{"rationale": "1.5"}], [transcript(1.5)])
    assert (only.share, only.chance, only.excess) == (1.0, None, None)


def test_rows_are_by_task_by_instance_and_of_all():
    episodes = [
        look_at(f"{task}/{i}", task, {"rationale": said}, transcript(1.25, 2.5))
        for task, said in (("T2", "1.25"), ("T3", "9.75"), ("T4", "normal"))
        for i in range(2)
    ]
    by_task, by_instance = rows(episodes)
    assert [(row["task"], row["share"]) for row in by_task] == [
        ("T2", 1.0), ("T3", 0.0), ("all", 0.5),
    ]  # fmt: skip
    assert len(by_instance) == 4
    assert by_instance[0]["excess"] == 0.0
