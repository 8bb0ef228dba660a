"""Ends of chat runs: limits, servers that are gone, keys, cost."""

import json

import pytest

from eegbench.config import Limits
from eegbench.errors import ConfigError, ProviderError
from stand_in_server import StandIn, record_id_of, refuses, says

pytest.importorskip("inspect_ai", reason="chat models need the extra 'llm'")

from bench.chats import CALL, RIGHT, played, signal_set
from eegbench.agents.chat import ChatOptions
from eegbench.chat_runner import run_chat
from eegbench.prices import Price


def test_instance_is_ended_at_its_time_limit(tmp_path):
    slow = says(RIGHT)
    slow.wait_sec = 3.0
    _, (row,), _ = played(tmp_path, lambda r, n: slow, time_limit_sec=0.5)
    assert (row.status, row.ended) == ("failed", "timeout")
    assert row.error == "not ended within 0.5 s"


def test_calls_without_end_are_ended_by_the_limits(tmp_path):
    def script(request, number):
        arguments = {"record_id": record_id_of(request)}
        call = {**CALL, "tool_name": "get_recording_info", "arguments": arguments}
        return says(json.dumps([call] * 3), usage=(1, 1))

    limits = Limits(max_turns=60, max_tool_calls=90)
    _, (row,), server = played(tmp_path, script, limits=limits)
    assert (row.status, row.ended, row.n_tool_calls) == ("completed", "no_answer", 90)
    assert len(server.requests) == 34


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (refuses(401, "Incorrect API key"), "does not take the key"),
        (refuses(404, "The model does not exist"), "does not have this model"),
        (refuses(402, "Insufficient credits"), "account with the provider is used up"),
        (
            refuses(429, "You exceeded your current quota", code="insufficient_quota"),
            "account with the provider is used up",
        ),
    ],
    ids=["key", "model", "credits", "quota"],
)
def test_what_no_instance_could_survive_is_said_before_the_first(
    tmp_path, answer, words
):
    with pytest.raises(ProviderError, match=words) as caught:
        played(tmp_path, lambda request, number: answer, probe=True)
    assert "\n" not in str(caught.value)
    # nothing is left that would stop a run with the right name
    assert not (tmp_path / "run" / "run.json").exists()


def test_unreachable_server_is_said_before_the_first_instance(tmp_path):
    with pytest.raises(ProviderError, match="cannot be reached"):
        played(
            tmp_path, lambda r, n: says(RIGHT), probe=True,
            base_url="http://127.0.0.1:9/v1",
        )  # fmt: skip


def test_key_that_is_withdrawn_ends_the_run_with_what_it_has(tmp_path):
    def script(request, number):
        return says(RIGHT) if number < 2 else refuses(401, "revoked")

    summary, rows, server = played(tmp_path, script, n=6, connections=1)
    assert [row.status for row in rows] == ["completed", "completed", "failed"]
    assert len(server.requests) == 3
    assert summary.stopped is not None
    assert "does not take the key" in summary.stopped


def test_provider_that_is_gone_ends_the_run_after_some_episodes(tmp_path):
    summary, rows, _ = played(
        tmp_path, lambda r, n: refuses(503, "down"), n=6, connections=1, give_up_after=2
    )
    assert len(rows) == 2
    assert "(503)" in (summary.stopped or "")


def test_cost_is_counted_and_limited_over_all_sessions(tmp_path):
    price = Price(input=1000.0, output=0.0)  # 0.1 USD a reply
    with StandIn(lambda request, number: says(RIGHT)) as server:
        folder = signal_set(tmp_path, 6)
        told = [
            run_chat(
                folder,
                tmp_path / "run",
                options=ChatOptions(
                    model="openai-api/local/m", base_url=server.url, connections=1
                ),
                price=price,
                max_cost_usd=limit_usd,
                probe=False,
            )
            for limit_usd in (0.25, 0.25, 1.0)
        ]
    assert [one.n_played for one in told] == [3, 0, 3]
    assert "the budget of 0.25 USD is used up" in (told[0].stopped or "")
    assert "used up" in (told[1].stopped or "")
    assert told[2].stopped is None
    assert told[2].spent_usd == pytest.approx(0.6)


def test_cost_cannot_be_limited_without_a_price(tmp_path):
    with pytest.raises(ConfigError, match="no price is known"):
        played(tmp_path, lambda r, n: says(RIGHT), max_cost_usd=1.0)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"model": "nonsense/model"}, "nonsense"),
        ({"model": "openai-api/nowhere/m", "base_url": None}, "NOWHERE_API_KEY"),
        ({"generate": {"temprature": 0}}, "unknown generate options temprature"),
        ({"generate": {"max_retries": 1}}, "options of the chat agent"),
        ({"api_key_env": "NOT_A_VARIABLE"}, "NOT_A_VARIABLE"),
    ],
)
def test_wrong_options_are_said_in_one_line(tmp_path, options, words):
    with pytest.raises(ConfigError, match=words) as caught:
        played(tmp_path, lambda r, n: says(RIGHT), **options)
    assert "\n" not in str(caught.value)
