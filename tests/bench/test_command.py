import json
import shutil
import sys
from pathlib import Path

import pytest

from bench.sets import StandInTools, instance
from eegbench.agents.command import (
    CommandAgent,
    CommandOptions,
    can_isolate,
    command_line,
    read_reply,
)
from eegbench.agents.registry import agent_factory, isolation
from eegbench.episode import Episode, Outcome
from eegbench.errors import ConfigError
from eegbench.worker import drive

PROGRAM = Path(__file__).with_name("command_agent.py")
RECORD = "rec-0123456789"


def played(deed: str, limit_sec: float = 20.0) -> tuple[Outcome, StandInTools]:
    options = {
        "exec": f"{sys.executable} {PROGRAM} {deed}",
        "reply_limit_sec": limit_sec,
    }
    tools = StandInTools()
    episode = Episode(instance(), RECORD, tools=tools, seed=4711)
    return drive(episode, agent_factory("command", options)), tools


def test_program_calls_tools_and_answers():
    outcome, tools = played("work")
    assert outcome.ended == "answer", outcome.error
    assert [args for _, args in tools.calls] == [{"record_id": RECORD}] * 2
    assert (outcome.answer or {})["classification"] == "epileptic"
    assert outcome.n_turns == 2


def test_program_may_speak_the_text_protocol():
    outcome, _ = played("text")
    assert outcome.ended == "answer"
    assert (outcome.input_tokens, outcome.output_tokens) == (7, 3)


def test_program_is_told_no_id_path_or_seed_and_sees_nothing():
    outcome, _ = played("tell")
    assert outcome.answer is not None, outcome.error
    told = json.loads(outcome.answer["findings"][0])
    assert told["record_id"] == RECORD
    assert told["folder"] == []
    # Python itself sets LC_CTYPE in an empty environment
    assert set(told["environment"]) <= {"LC_CTYPE", "PATH", "LANG", "PWD"}
    assert not {"seed", "instance_id", "recording", "open_args"} & set(told)


@pytest.mark.parametrize(
    ("deed", "ended", "error"),
    [
        ("die", "crash", "ended with status 4: out of ideas"),
        ("close", "crash", "closed its output"),
        ("flood", "crash", "more than 16000000 bytes"),
        ("hang", "timeout", "no reply within 2 s"),
    ],
)
def test_failure_of_the_program_is_named(deed, ended, error):
    if deed == "close" and can_isolate():
        # the sandbox's own process keeps the output open: only the limit ends it
        deed, ended, error = "close", "timeout", "no reply within"
    outcome, _ = played(deed, 2.0 if ended == "timeout" else 20.0)
    assert (outcome.ended, outcome.answer) == (ended, None)
    assert error in (outcome.error or "")


def test_nonsense_of_the_program_is_a_wrong_answer_and_no_failure():
    outcome, _ = played("nonsense")
    assert (outcome.ended, outcome.n_repairs) == ("no_answer", 3)


def test_program_and_its_folder_are_gone_afterwards(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    options = CommandOptions(exec=f"{sys.executable} {PROGRAM} hang")
    agent = CommandAgent(options)
    agent.start(Episode(instance(), RECORD, tools=None).view)
    process = agent._process
    assert process is not None
    assert process.poll() is None
    agent.close()
    assert process.poll() is not None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("line", "text", "n_calls", "answer"),
    [
        (b'{"text": "hello"}', "hello", 0, None),
        (b'{"answer": {"a": 1}, "mood": "fine"}', "", 0, {"a": 1}),
        (b'{"tool_calls": [{"name": "f"}]}', "", 1, None),
        (b'{"tool_calls": "f"}', '{"tool_calls": "f"}', 0, None),
        (b'{"action": "final_answer"}', '{"action": "final_answer"}', 0, None),
        (b"hm", "hm", 0, None),
        (b"\xff", "\ufffd", 0, None),
        (b"", "", 0, None),
        (b"[" * 100_000, "[" * 100_000, 0, None),
    ],
)  # fmt: skip
def test_line_of_a_program(line, text, n_calls, answer):
    reply = read_reply(line)
    assert (reply.text, len(reply.tool_calls), reply.answer) == (text, n_calls, answer)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("", "the command is empty"),
        ("no-such-program-here", "no program 'no-such-program-here'"),
        ("python 'a", "cannot read the command"),
    ],
)
def test_command_that_cannot_run_is_named(tmp_path, command, message):
    with pytest.raises(ConfigError, match=message):
        command_line(CommandOptions(exec=command), tmp_path)


def test_example_of_the_documentation_calls_a_tool_and_answers():
    program = Path(__file__).parents[2] / "docs" / "examples" / "command_agent.py"
    tools = StandInTools()
    tools.names = ("compute_band_power",)
    factory = agent_factory("command", {"exec": f"{sys.executable} {program}"})
    outcome = drive(Episode(instance(), RECORD, tools=tools), factory)
    assert outcome.answer == {"classification": "normal"}, outcome.error
    assert tools.calls == [("compute_band_power", {"record_id": RECORD})]


def test_isolation_is_stated():
    assert isolation("command") is can_isolate()
    assert isolation("rules") is None
    if shutil.which("bwrap") is None:
        assert can_isolate() is False
