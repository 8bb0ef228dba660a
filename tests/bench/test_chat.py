"""Chat models against a scripted server: the protocol, and all that may go wrong."""

import json

import pytest

from bench.sets import instance, make_set
from eegbench.config import Limits
from eegbench.errors import SetError
from eegbench.instances import opaque_id
from eegbench.predictions import read_run
from eegbench.transcripts import read_transcript
from stand_in_server import Answer, record_id_of, refuses, says

pytest.importorskip("inspect_ai", reason="chat models need the extra 'llm'")

from bench.chats import CALL, RIGHT, played, signal_set


def test_text_protocol_calls_a_tool_and_answers(tmp_path):
    def script(request, number):
        if number == 0:
            return says(
                json.dumps({**CALL, "arguments": {"record_id": record_id_of(request)}})
            )
        return says(RIGHT, usage=(300, 20), cached=200)

    summary, (row,), server = played(tmp_path, script)
    assert (row.status, row.ended, row.n_tool_calls) == ("completed", "answer", 1)
    assert row.answer == {"classification": "normal"}
    assert (row.input_tokens, row.cached_input_tokens) == (400, 200)
    assert row.output_tokens == 30
    roles = [message["role"] for message in server.requests[1]["messages"]]
    assert roles == ["user", "assistant", "user"]
    assert "tools" not in server.requests[0]
    assert '"ratios"' in server.requests[1]["messages"][2]["content"]
    assert summary.stopped is None
    info = read_run(tmp_path / "run")
    assert info.agent == "chat"
    assert row.record_id == opaque_id(row.instance_id, info.record_key)
    assert row.instance_id not in json.dumps(server.requests)
    events = read_transcript(tmp_path / "run" / (row.transcript or ""))
    assert [event["event"] for event in events] == [
        "episode", "shown", "reply", "tools", "reply", "end",
    ]  # fmt: skip
    assert list((tmp_path / "run" / "inspect").glob("*.eval"))
    assert (tmp_path / "run" / "inspect" / "session-1.json").is_file()


def test_native_calls_are_answered_one_by_one_and_broken_ones_by_an_error(tmp_path):
    def script(request, number):
        if number:
            return says(RIGHT)
        good = json.dumps({"record_id": record_id_of(request)})
        return says(
            None,
            calls=[
                ("get_recording_info", good),
                ("compute_band_power", '{"record_id": "rec-'),
                ("compute_band_power", good),
                ("compute_band_power", good),
            ],
        )

    _, (row,), server = played(tmp_path, script, native=True)
    assert (row.ended, row.n_tool_calls, row.n_turns) == ("answer", 3, 2)
    names = {tool["function"]["name"] for tool in server.requests[0]["tools"]}
    assert len(names) == 10
    answers = server.requests[1]["messages"][2:]
    assert [message["role"] for message in answers] == ["tool"] * 4
    told = [json.loads(message["content"]) for message in answers]
    assert "error" not in told[0]
    assert told[1]["code"] == "wrong_type"
    assert told[1]["error"].startswith("the arguments are no JSON object")
    assert "error" not in told[2]
    assert told[3]["code"] == "too_many_calls"


def test_native_calls_where_none_are_left_are_repaired(tmp_path):
    def script(request, number):
        call = [
            ("get_recording_info", json.dumps({"record_id": record_id_of(request)}))
        ]
        return says(RIGHT) if number == 2 else says("", calls=call)

    limits = Limits(max_tool_calls=1)
    _, (row,), server = played(tmp_path, script, native=True, limits=limits)
    assert (row.ended, row.n_tool_calls, row.n_repairs) == ("answer", 1, 1)
    assert server.requests[1]["messages"][-1]["content"].endswith(
        "No tool calls are left. Give your final answer now."
    )
    assert [m["role"] for m in server.requests[2]["messages"][-2:]] == ["tool", "user"]


def test_task_without_tools_is_asked_as_text_in_both_modes(tmp_path):
    folder = make_set(tmp_path / "set", [instance(1, "T1")])
    answer = '{"action": "final_answer", "answer": "B"}'
    for native in (False, True):
        _, (row,), server = played(
            tmp_path, lambda r, n: says(answer), folder=folder, native=native,
            run=f"run-{native}",
        )  # fmt: skip
        assert row.answer == {"answer": "B"}
        assert "tools" not in server.requests[0]


@pytest.mark.parametrize(
    ("answer", "ended", "error"),
    [
        (refuses(500, "it broke"), "provider", "failed up to the last retry (500)"),
        (refuses(429, "slow down"), "provider", "busy up to the last retry (429)"),
        (refuses(400, "no such field"), "provider", "refused the request (400)"),
        (Answer(b"not json"), "provider", "failed up to the last retry"),
        (Answer(says(RIGHT).body, cut=True), "provider", "failed up to the last retry"),
        (
            Answer({**says("").body, "choices": []}),  # type: ignore[dict-item]
            "provider",
            "no choices",
        ),
        (
            Answer(says(RIGHT).body, drip_sec=0.5),
            "provider",
            "failed up to the last retry",
        ),
    ],
    ids=["500", "429", "400", "no-json", "cut", "no-choices", "drip"],
)
def test_failures_of_the_provider_are_no_wrong_answers(tmp_path, answer, ended, error):
    summary, (row,), _ = played(
        tmp_path, lambda request, number: answer, attempt_limit_sec=1.0
    )
    assert (row.status, row.ended) == ("failed", ended)
    assert error in (row.error or "")
    assert "\n" not in (row.error or "")
    assert (summary.n_played, summary.n_failed) == (1, 1)
    events = read_transcript(tmp_path / "run" / (row.transcript or ""))
    assert events[-1]["ended"] == ended


def test_busy_and_failing_servers_are_asked_again(tmp_path):
    troubles = {0: refuses(429, "slow down", retry_after="0"), 1: refuses(500, "oops")}

    def script(request, number):
        return troubles.get(number, says(RIGHT))

    _, (row,), server = played(tmp_path, script, model_args={"max_retries": 3})
    assert (row.status, row.ended, row.n_turns) == ("completed", "answer", 1)
    assert len(server.requests) == 3


def test_failed_instances_are_played_again_and_finished_ones_are_not(tmp_path):
    folder = signal_set(tmp_path, 4)

    def first(request, number):
        return refuses(500, "oops") if number == 1 else says(RIGHT)

    played(tmp_path, first, folder=folder, connections=1)
    before = (tmp_path / "run" / "predictions.jsonl").read_bytes()
    assert before.count(b'"status":"failed"') == 1
    # the server has another port now: an address may change, a model may not
    summary, rows, server = played(tmp_path, lambda r, n: says(RIGHT), folder=folder)
    assert (summary.n_played, summary.n_skipped, len(server.requests)) == (1, 3, 1)
    assert (tmp_path / "run" / "predictions.jsonl").read_bytes().startswith(before)
    assert {row.status for row in rows} == {"completed"}
    with pytest.raises(SetError, match="was run with agent_config"):
        played(
            tmp_path, lambda r, n: says(RIGHT), folder=folder,
            generate={"temperature": 0.5},
        )  # fmt: skip


def test_refused_content_is_the_models_answer(tmp_path):
    _, (row,), server = played(
        tmp_path, lambda request, number: says("", finish="content_filter")
    )
    assert (row.status, row.ended, row.n_repairs) == ("completed", "no_answer", 3)
    assert len(server.requests) == 4


def test_full_context_is_scored_and_not_tried_again(tmp_path):
    full = refuses(
        400,
        "This model's maximum context length is 4096 tokens, you asked for 9000",
        code="context_length_exceeded",
    )
    _, (row,), server = played(tmp_path, lambda request, number: full)
    assert (row.status, row.ended) == ("completed", "no_answer")
    assert "context is full" in (row.error or "")
    assert len(server.requests) == 1


def test_answers_in_thinking_do_not_count(tmp_path):
    wrong = RIGHT.replace("normal", "epileptic")
    replies = {
        0: says(f"<think>{wrong}</think>"),
        1: says("", reasoning_content=wrong),
        2: says(f"<think>or {wrong}?</think>\n{RIGHT}"),
    }
    _, (row,), _ = played(tmp_path, lambda request, number: replies[number])
    assert row.answer == {"classification": "normal"}
    assert (row.n_repairs, row.ended) == (2, "answer")


def test_reply_of_a_megabyte_is_read(tmp_path):
    long = "so many words " * 80_000 + RIGHT
    _, (row,), _ = played(tmp_path, lambda request, number: says(long))
    assert row.answer == {"classification": "normal"}
    assert len(row.answer_text or "") > 1_000_000


def test_streamed_replies_are_read(tmp_path):
    _, (row,), server = played(
        tmp_path,
        lambda r, n: says(RIGHT),
        model_args={"stream": True, "max_retries": 0},
    )
    assert server.requests[0]["stream"]
    assert (row.ended, row.input_tokens) == ("answer", 100)
