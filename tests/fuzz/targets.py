"""What is fuzzed: a target takes bytes and raises if a promise is broken.

A target lets through only the errors that callers are promised; whatever else
comes out of it is a finding. `TARGETS` names them for `run.py` and the test.
"""

import contextlib
import io
import itertools
import logging
import math
from collections.abc import Callable
from functools import cache
from pathlib import Path

import msgspec

from eegbench.agents.command import read_reply
from eegbench.answerschema import problems
from eegbench.loose_json import loads, scan
from eegbench.records import plain_json, plain_text
from eegbench.replies import find_answer, parse_reply
from eegbench.scoring.choices import parse_choice
from eegbench.scoring.event_answers import parse_events
from eegbench.scoring.hypnogram_answers import parse_hypnogram, parse_shares
from eegbench.scoring.labels import parse_label
from eegbench.suites import find_task
from eegcore.annotations import parse_tals, record_start
from eegcore.edf import read_edf
from eegcore.edf_header import read_header
from eegcore.errors import EegcoreError, HeaderError, ReadError
from eegcore.formats import open_recording
from eegcore.source import FileStamp
from eegcore.tools import TOOLS
from eegcore.tools.toolbox import Toolbox

OPTIONS = {"A": "alpha", "B": "beta rhythm", "C": "sleep", "D": "the 4 Hz one"}
N_EPOCHS = 40
LARGEST_FILE = 1 << 16


def header(data: bytes) -> None:
    """Read the header of a file and what is derived from it."""
    try:
        found = read_header(io.BytesIO(data), len(data))
        rec = read_edf(io.BytesIO(data), Path("x.edf"), FileStamp(len(data), 0))
    except HeaderError as error:
        if "\n" in str(error):
            raise ValueError("an error of more than one line") from error
        return
    assert found.n_records >= 0
    assert 0 <= found.record_duration_sec < math.inf
    assert found.data_offset + found.n_records * found.record_bytes <= len(data)
    assert len(set(rec.names)) == len(rec.names)
    for channel in rec.channels:
        assert 0 <= channel.rate_hz < math.inf
        assert 0 <= channel.n_samples <= len(data)
        assert not math.isinf(channel.gain)
        assert not math.isinf(channel.offset)
        assert channel.label.isprintable()
    assert rec.age is None or 0 <= rec.age <= 120
    assert all("\n" not in text for text in rec.warnings)


def annotations(data: bytes) -> None:
    """Read the annotation lists of one record."""
    start_sec = record_start(data)
    assert start_sec is None or math.isfinite(start_sec)
    for timekeeping in (True, False):
        found = parse_tals(data, timekeeping=timekeeping)
        assert found.start_sec is None or timekeeping
        for event in found.events:
            assert math.isfinite(event.onset_sec)
            assert event.duration_sec is None or 0 <= event.duration_sec < math.inf
            assert event.text
        assert all(fault.isprintable() for fault in found.faults)


def replies(data: bytes) -> None:
    """Read a model's reply in every way that episode and scoring do."""
    text = data.decode("utf-8", "surrogateescape" if data[-1:] == b"\n" else "replace")
    parsed = parse_reply(text)
    for call in parsed.tool_calls:
        assert isinstance(call.name, str)
        assert isinstance(call.arguments, dict)
    found = find_answer(text)
    for given in (text, found, parsed.answer):
        assert parse_choice(given, OPTIONS).value in (None, *OPTIONS)
        parse_label(given, ["normal", "epileptic"], {"healthy": "normal"})
        for start, stop in parse_events(given, 3600.0).value:
            assert 0 <= start < stop <= 3600
        assert len(parse_hypnogram(given, N_EPOCHS).value) in (0, N_EPOCHS)
        parse_shares(given)
    for task in ("T1", "T3", "T5", "T6"):
        schema = find_task(task)[1].answer_schema
        for fault in problems(parsed.answer or {}, schema, n_epochs=N_EPOCHS):
            assert "\n" not in fault
    loads(text)
    scan(text)
    msgspec.json.encode(plain_text(text))
    # the episode takes what these say for a reply that is no JSON
    with contextlib.suppress(TypeError, ValueError, OverflowError, RecursionError):
        msgspec.json.encode(plain_json(parsed.answer))
    read_reply(data)


@cache
def _scratch() -> Path:
    """Return a file in memory, one for each process."""
    import os
    import tempfile

    root = "/dev/shm" if Path("/dev/shm").is_dir() else None
    logging.getLogger("eegcore").setLevel(logging.CRITICAL)
    return Path(tempfile.mkdtemp(prefix=f"fuzz-{os.getpid()}-", dir=root)) / "x.edf"


def files(data: bytes) -> None:
    """Write a file, open it, read everything and call all the tools."""
    path = _scratch()
    path.write_bytes(data[:LARGEST_FILE])
    try:
        rec = open_recording(path)
        segments = rec.segments
        rec.annotations  # noqa: B018 - reading the property is the test
    except (EegcoreError, ReadError):
        return
    for before, after in itertools.pairwise(segments):
        assert before.stop_sec <= after.start_sec
    for index, channel in enumerate(rec.channels[:20]):
        assert rec.read_samples(index, 0, channel.n_samples).size == channel.n_samples
    for dialect in ("default", "paper-1.0"):
        box = Toolbox({"r": rec}, dialect=dialect)
        for name in TOOLS:
            answer = box.call(name, {"record_id": "r"})
            assert answer.get("code") != "internal", (name, answer)
            assert "the tool failed" not in answer.get("error", ""), (name, answer)
    rec.close()


TARGETS: dict[str, Callable[[bytes], None]] = {
    "header": header,
    "annotations": annotations,
    "replies": replies,
    "files": files,
}
"""By the name of their folder of seeds under `corpus`."""
