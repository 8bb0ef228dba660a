"""Playing one instance: open its recording, run the dialogue, make the prediction.

Runs in a worker process or in the caller's own. Whatever goes wrong with one instance
ends here, as a prediction that says so.
"""

import contextlib
import dataclasses
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple, ParamSpec, TypeVar

import msgspec

from eegbench.agents import Agent, Observation
from eegbench.agents.registry import agent_factory
from eegbench.config import Config
from eegbench.episode import Episode, Outcome
from eegbench.errors import (
    AgentCrashError,
    AgentTimeoutError,
    EegbenchError,
    HarnessError,
    ProviderError,
)
from eegbench.instances import (
    Instance,
    instance_seed,
    opaque_id,
    recording_path,
    shown_id,
)
from eegbench.predictions import Prediction
from eegbench.records import JsonObject, plain_text
from eegbench.toolcalls import Tools
from eegbench.transcripts import TranscriptWriter, transcript_name
from eegcore.errors import EegcoreError

if TYPE_CHECKING:
    from eegcore.recording import Recording

FAILURES = ("crash", "timeout", "provider", "harness")
Value = TypeVar("Value")
P = ParamSpec("P")
NOTHING = Outcome(
    ended="harness",
    answer=None,
    answer_text=None,
    error=None,
    n_turns=0,
    n_tool_calls=0,
    n_repairs=0,
    input_tokens=0,
    cached_input_tokens=0,
    output_tokens=0,
    shown_tokens=0,
    seconds={},
)


@dataclass(frozen=True)
class Job:
    """What every instance of a run has in common; pickles."""

    set_path: Path
    run_path: Path
    agent: str
    agent_options: JsonObject
    config: Config
    dialect: str
    record_key: str


@dataclass
class Kept:
    """What is known of an instance while it is played, for the prediction."""

    transcript: str | None = None
    seconds: dict[str, float] = field(default_factory=dict)


def set_up(job: Job) -> Callable[[bytes], bytes]:
    """Return what a worker does: an encoded instance into an encoded prediction."""
    make = agent_factory(job.agent, job.agent_options)
    decoder = msgspec.json.Decoder(Instance)
    opened = Opened()

    def work(payload: bytes) -> bytes:
        return msgspec.json.encode(play(decoder.decode(payload), job, make, opened))

    return work


def play(
    instance: Instance,
    job: Job,
    make: Callable[[], Agent],
    opened: "Opened | None" = None,
) -> Prediction:
    """Play one instance by a new agent; every failure is in the prediction's status."""
    record_id = shown_id(instance, job.record_key)
    kept = Kept()
    began = time.perf_counter()
    try:
        outcome = _played(instance, record_id, job, make, kept, opened)
    except Exception as error:
        outcome = dataclasses.replace(
            NOTHING, ended=how_it_failed(error), error=one_line(error)
        )
    kept.seconds["total"] = time.perf_counter() - began
    return prediction_of(instance, job, outcome, kept)


def prediction_of(
    instance: Instance, job: Job, outcome: Outcome, kept: Kept
) -> Prediction:
    """Make the prediction of an instance that was played."""
    seconds = {**kept.seconds, **outcome.seconds}
    ended_by_agent = outcome.ended not in FAILURES
    return Prediction(
        instance_id=instance.instance_id,
        task=instance.task,
        agent=job.agent,
        status="completed" if ended_by_agent else "failed",
        ended=outcome.ended,
        answer_text=outcome.answer_text,
        answer=outcome.answer,
        error=outcome.error,
        n_turns=outcome.n_turns,
        n_tool_calls=outcome.n_tool_calls,
        n_repairs=outcome.n_repairs,
        input_tokens=outcome.input_tokens,
        cached_input_tokens=outcome.cached_input_tokens,
        output_tokens=outcome.output_tokens,
        shown_tokens=outcome.shown_tokens,
        seconds={name: round(value, 6) for name, value in seconds.items()},
        record_id=shown_id(instance, job.record_key),
        transcript=kept.transcript,
    )


def _played(
    instance: Instance,
    record_id: str,
    job: Job,
    make: Callable[[], Agent],
    kept: Kept,
    opened: "Opened | None",
) -> Outcome:
    with contextlib.ExitStack() as stack:
        stage = stack.enter_context(set_stage(instance, record_id, job, kept, opened))
        return drive(stage.episode, make, stage.writer)


class Stage(NamedTuple):
    """All that an episode needs before its first turn."""

    episode: Episode
    tools: Tools | None
    writer: TranscriptWriter | None


@contextlib.contextmanager
def set_stage(
    instance: Instance,
    record_id: str,
    job: Job,
    kept: Kept,
    opened: "Opened | None" = None,
) -> Iterator[Stage]:
    """Open recording and transcript of an instance; both are closed at the end."""
    settings = job.config.run
    began = time.perf_counter()
    with contextlib.ExitStack() as stack:
        tools = stack.enter_context(open_tools(instance, record_id, job, opened))
        kept.seconds["open"] = time.perf_counter() - began
        episode = Episode(
            instance,
            record_id,
            tools=tools,
            limits=job.config.limits,
            seed=instance_seed(instance.instance_id, settings.seed),
            native=settings.protocol == "native",
        )
        writer = None
        if settings.keep_transcripts:
            # by the opaque id, which is unique also where the shown one is not
            name = opaque_id(instance.instance_id, job.record_key)
            kept.transcript = transcript_name(name)
            path = job.run_path / kept.transcript
            writer = stack.enter_context(TranscriptWriter(path))
            head = {"instance_id": instance.instance_id, "record_id": record_id}
            task = {"task": instance.task, "agent": job.agent}
            writer.write([{"event": "episode", **head, **task}])
        yield Stage(episode, tools, writer)


@contextlib.contextmanager
def open_tools(
    instance: Instance, record_id: str, job: Job, opened: "Opened | None" = None
) -> Iterator[Tools | None]:
    """Open an instance's recording as a toolbox; None without a recording.

    With ``opened`` it stays open for the next instance of the same recording.
    """
    path = recording_path(job.set_path, instance)
    if path is None:
        yield None
        return
    # compiled code is loaded where it is used: not by the parent of a pool
    from eegcore.tools.toolbox import Toolbox

    with contextlib.ExitStack() as stack:
        keeper = opened or stack.enter_context(Opened())
        yield Toolbox(
            {record_id: keeper.recording(path, instance.open_args)},
            dialect=job.config.tools.dialect or job.dialect,
            budget_tokens=job.config.tools.budget_tokens or None,
            encoding=job.config.tools.encoding,
        )


class Opened:
    """The recording that was opened last, kept for the next instance of the same.

    What is kept with it are its block sums, which give the same bytes whether they
    are kept or made anew. A file that changed or shrank is opened again.
    """

    def __init__(self) -> None:
        self._key: tuple[Path, bytes] | None = None
        self._recording: Recording | None = None

    def recording(self, path: Path, open_args: JsonObject) -> "Recording":
        """Return the recording of a file; HarnessError if it cannot be opened."""
        from eegcore.formats import open_recording

        key = (path, msgspec.json.encode(open_args, order="sorted"))
        if self._recording is not None and self._key == key and self._is_as_it_was():
            return self._recording
        self.close()
        try:
            self._recording = open_recording(path, **open_args)
        except EegcoreError as error:
            raise HarnessError(f"cannot open {path}: {error}") from error
        self._key = key
        return self._recording

    def _is_as_it_was(self) -> bool:
        if self._recording is None:
            return False
        try:
            self._recording.check_unchanged()
        except EegcoreError:
            return False
        return True

    def close(self) -> None:
        """Let go of the recording."""
        recording, self._recording, self._key = self._recording, None, None
        if recording is not None:
            recording.close()

    def __enter__(self) -> "Opened":
        """Return itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close."""
        self.close()


def drive(
    episode: Episode,
    make: Callable[[], Agent],
    writer: TranscriptWriter | None = None,
) -> Outcome:
    """Play an episode to its end by a new agent.

    What the agent raises, and what the tools raise, ends the episode as a failure; the
    transcript is kept up to there.
    """
    n_written = 0

    def keep() -> None:
        nonlocal n_written
        if writer is not None:
            writer.write(episode.events[n_written:])
        n_written = len(episode.events)

    agent: Agent | None = None
    try:
        agent = _of_agent(make)
        _of_agent(agent.start, episode.view)
        following: Observation | Outcome = episode.start()
        keep()
        while isinstance(following, Observation):
            following = episode.step(_of_agent(agent.reply, following))
            keep()
    except Exception as error:
        following = episode.abandon(how_it_failed(error), one_line(error))
        keep()
    finally:
        close = getattr(agent, "close", None)
        if close is not None:
            close()
    return following


def _of_agent(function: Callable[P, Value], *args: P.args, **kwargs: P.kwargs) -> Value:
    """Call an agent; what it raises is its crash, unless it says what failed."""
    try:
        return function(*args, **kwargs)
    except EegbenchError:
        raise
    except Exception as error:
        raise AgentCrashError(f"{type(error).__name__}: {error}") from error


def how_it_failed(error: Exception) -> str:
    """Name a failure as ``Prediction.ended`` does."""
    if isinstance(error, AgentTimeoutError):
        return "timeout"
    if isinstance(error, AgentCrashError):
        return "crash"
    return "provider" if isinstance(error, ProviderError) else "harness"


def one_line(error: Exception) -> str:
    """Return an error's message as one line; its type too, if nobody named it."""
    text = plain_text(" ".join(str(error).split())) or type(error).__name__
    named = isinstance(error, EegbenchError | EegcoreError)
    return (text if named else f"{type(error).__name__}: {text}")[:1000]
