"""An agent that is a program: JSON Lines on its standard input and output.

The program is started once an instance, in an empty working folder with an empty
environment. It reads ``{"event": "start", ...}`` with what it may know of the
instance, then one ``{"event": "observation", ...}`` a turn, and writes one line a
turn: ``{"tool_calls": [{"name", "arguments"}]}``, ``{"answer": {...}}`` or
``{"text": "..."}``, each with an optional ``usage``. A line that is no such object is
taken as the text of a chat model. Standard error is kept for the error message.

Under bubblewrap, where that works, the program sees the system's programs, the files
that its command names and ``share``, and no network. Elsewhere it runs as it is, and
the run says ``isolated: false``.
"""

import contextlib
import functools
import os
import selectors
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import msgspec

from eegbench.agents import InstanceView, Observation, Reply, ToolCall, Usage
from eegbench.errors import AgentCrashError, AgentTimeoutError, ConfigError
from eegbench.records import JsonObject, plain_json

LONGEST_REPLY = 16_000_000
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache")
_INSIDE = "/eegbench-agent"  # a name that hides no folder of a program
_PATH = "/usr/local/bin:/usr/bin:/bin"


class CommandOptions(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True
):
    """How a program is run."""

    exec: str
    """Command line; relative files are those of the folder where the run began."""
    reply_limit_sec: float = 300.0
    share: list[str] = []
    """Files and folders that the program may read inside the sandbox."""
    network: bool = False
    """Inside the sandbox."""
    folder: str = "."
    """Where relative files of ``exec`` lie."""

    def check(self) -> None:
        """Raise ConfigError for a command that no instance could start."""
        _resolved_words(self)


class _CommandReply(msgspec.Struct, kw_only=True):
    """A line of the program; other fields are ignored."""

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    answer: JsonObject | None = None
    usage: Usage = Usage()


class CommandAgent:
    """Plays an instance by a program of its own."""

    name = "command"

    def __init__(self, options: CommandOptions) -> None:
        self._options = options
        self._process: subprocess.Popen[bytes] | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._errors: Path | None = None
        self._unread = b""

    def start(self, view: InstanceView) -> None:
        """Start the program and tell it what it may know."""
        self.close()
        self._unread = b""
        # the standard error lies beside the working folder, which stays empty
        self._folder = tempfile.TemporaryDirectory(prefix="eegbench-agent-")
        work = Path(self._folder.name) / "work"
        work.mkdir()
        self._errors = Path(self._folder.name) / "stderr"
        with self._errors.open("wb") as errors:
            self._process = subprocess.Popen(
                command_line(self._options, work),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                cwd=work,
                env={},
                start_new_session=True,
                bufsize=0,
            )
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                os.set_blocking(pipe.fileno(), False)
        known = msgspec.to_builtins(view)
        del known["seed"]
        self._exchange({"event": "start", **known}, answered=False)

    def reply(self, observation: Observation) -> Reply:
        """Send an observation, wait for the program's line."""
        line = self._exchange(
            {
                "event": "observation",
                "kind": observation.kind,
                "text": observation.text,
                "results": observation.results,
                "calls_left": observation.calls_left,
            },
            answered=True,
        )
        return read_reply(line)

    def close(self) -> None:
        """End the program and all that it started; remove its folder."""
        process, self._process = self._process, None
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with contextlib.suppress(OSError):
                        pipe.close()
        folder, self._folder = self._folder, None
        if folder is not None:
            folder.cleanup()

    def _exchange(self, message: JsonObject, *, answered: bool) -> bytes:
        """Write a line; read one if an answer is due; keep to the limit."""
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            raise AgentCrashError("the agent's program is not running")
        until = time.monotonic() + self._options.reply_limit_sec
        to_send = memoryview(msgspec.json.encode(message) + b"\n")
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdin, selectors.EVENT_WRITE)
            if answered:
                selector.register(process.stdout, selectors.EVENT_READ)
            while to_send or (answered and b"\n" not in self._unread):
                ready = selector.select(timeout=until - time.monotonic())
                if not ready and time.monotonic() >= until:
                    limit = self._options.reply_limit_sec
                    raise AgentTimeoutError(
                        f"no reply within {limit:g} s{self._last_words()}"
                    )
                for key, _ in ready:
                    if key.fileobj is process.stdin:
                        to_send = self._send(process, to_send)
                        if not to_send:
                            selector.unregister(process.stdin)
                    else:
                        self._receive(process)
        if not answered:
            return b""
        line, _, self._unread = self._unread.partition(b"\n")
        return line

    def _send(self, process: subprocess.Popen[bytes], data: memoryview) -> memoryview:
        try:
            return data[os.write(process.stdin.fileno(), data[:65536]) :]  # type: ignore[union-attr]
        except BlockingIOError:
            return data
        except OSError as error:
            raise self._crash(process) from error

    def _receive(self, process: subprocess.Popen[bytes]) -> None:
        try:
            chunk = os.read(process.stdout.fileno(), 65536)  # type: ignore[union-attr]
        except BlockingIOError:
            return
        if not chunk and not self._unread.strip():
            raise self._crash(process)
        self._unread += chunk or b"\n"
        if len(self._unread) > LONGEST_REPLY:
            raise AgentCrashError(
                f"a reply of more than {LONGEST_REPLY} bytes; send shorter lines"
            )

    def _crash(self, process: subprocess.Popen[bytes]) -> AgentCrashError:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=1.0)
        code = process.poll()
        ended = "closed its output" if code is None else f"ended with status {code}"
        return AgentCrashError(f"the agent's program {ended}{self._last_words()}")

    def _last_words(self) -> str:
        """Return the last line of the standard error, for a message."""
        if self._errors is None:
            return ""
        data = self._errors.read_bytes()[-2000:]
        lines = data.decode("utf-8", "replace").strip().splitlines()
        return f": {lines[-1][:300]}" if lines else ""


def read_reply(line: bytes) -> Reply:
    """Read a program's line; what is no reply object is the text of one."""
    text = line.decode("utf-8", "replace")
    try:
        given = msgspec.json.decode(line, type=_CommandReply)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return Reply(text=text)
    if not given.text and not given.tool_calls and given.answer is None:
        return Reply(text=text, usage=given.usage)
    return Reply(
        text=given.text,
        tool_calls=given.tool_calls,
        answer=None if given.answer is None else plain_json(given.answer),
        usage=given.usage,
    )


def command_line(options: CommandOptions, work: Path) -> list[str]:
    """Return the words that start the program, in a sandbox where there is one.

    Raises
    ------
    ConfigError
        The command is empty or its program is not found.
    """
    words = _resolved_words(options)
    if can_isolate():
        return [*_sandbox(options, words, work), "--", *words]
    # without a sandbox, a killed worker must at least not leave the program behind
    ender = shutil.which("setpriv")
    return [ender, "--pdeathsig", "KILL", "--", *words] if ender else words


def _resolved_words(options: CommandOptions) -> list[str]:
    try:
        words = shlex.split(options.exec)
    except ValueError as error:
        raise ConfigError(
            f"cannot read the command {options.exec!r}: {error}"
        ) from error
    if not words:
        raise ConfigError("the command is empty; give a program and its arguments")
    folder = Path(options.folder).absolute()
    program = shutil.which(words[0]) or shutil.which(folder / words[0])
    if program is None:
        raise ConfigError(f"no program {words[0]!r}; give a path or one on PATH")
    resolved = [str(Path(program).absolute())]
    for word in words[1:]:
        path = folder / word
        resolved.append(
            str(path) if not word.startswith("-") and path.is_file() else word
        )
    return resolved


def _sandbox(options: CommandOptions, words: list[str], work: Path) -> list[str]:
    """Return the words of bubblewrap: what the program sees."""
    readable = [*_SYSTEM, *(str(Path(path).absolute()) for path in options.share)]
    readable += [word for word in words if Path(word).is_file()]
    readable += _installations(Path(words[0]))
    binds = [word for path in dict.fromkeys(readable) for word in _bind(path)]
    return [
        str(shutil.which("bwrap")),
        "--unshare-all",
        *(["--share-net"] if options.network else []),
        "--die-with-parent",
        "--new-session",
        *("--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"),
        *binds,
        *("--bind", str(work), _INSIDE, "--chdir", _INSIDE),
        *("--clearenv", "--setenv", "PATH", _PATH, "--setenv", "LANG", "C.UTF-8"),
    ]


def _installations(program: Path) -> list[str]:
    """Return the folders of a Python: its virtual environment and what that is of."""
    prefixes = [program.parent.parent, program.resolve().parent.parent]
    return [
        str(prefix)
        for prefix in prefixes
        if prefix != Path("/")
        and ((prefix / "pyvenv.cfg").is_file() or [*prefix.glob("lib/python3.*")])
    ]


def _bind(path: str) -> list[str]:
    return ["--ro-bind", path, path] if Path(path).exists() else []


@functools.cache
def can_isolate() -> bool:
    """Say whether bubblewrap is installed and may make a sandbox here."""
    program = shutil.which("bwrap")
    if program is None:
        return False
    trial = [program, "--unshare-all", "--ro-bind", "/", "/", "true"]
    try:
        done = subprocess.run(trial, capture_output=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
