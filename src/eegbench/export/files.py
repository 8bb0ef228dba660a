"""The four export forms: which files an answer becomes, and what is in them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

import orjson

from eegbench import __version__
from eegbench.errors import ConfigError
from eegbench.export.edf_annotations import edf_annotations
from eegbench.export.events import Answer
from eegbench.records import write_whole
from eegcore.hypnogram import architecture, decode

YASA_NAMES = {
    "W": "WAKE",
    "N1": "N1",
    "N2": "N2",
    "N3": "N3",
    "REM": "REM",
    None: "UNS",
}
SZCORE_COLUMNS = (
    *("onset", "duration", "eventType", "confidence", "channels"),
    *("dateTime", "recordingDuration"),
)
BIDS_VERSION = "1.9.0"
DEFINITIONS = {
    "recording_time_min": "all epochs of the recording",
    "total_sleep_time_min": "N1 + N2 + N3 + REM",
    "sleep_efficiency_pct": "total sleep time / recording time",
    "sleep_latency_min": "from the first epoch to the first epoch of any sleep",
    "rem_latency_min": "from the first epoch of any sleep to the first of REM; yasa "
    "counts it from the first epoch of the recording",
    "wake_after_sleep_onset_min": "wake from the first epoch of any sleep to the end "
    "of the recording; yasa stops at the last epoch of sleep",
    "stage_pct_of_sleep": "share of total sleep time",
}
"""AASM terms as `eegcore.hypnogram.Architecture` computes them."""
COLUMNS: dict[str, dict[str, object]] = {
    "onset": {"Description": "From the start of the recording.", "Units": "s"},
    "duration": {"Description": "Length of the event.", "Units": "s"},
    "trial_type": {"Description": "What the agent says of this stretch."},
    "eventType": {"Description": "SzCORE type: sz a seizure, bckg none."},
    "confidence": {"Description": "SzCORE; agents give none."},
    "channels": {"Description": "SzCORE; agents name none."},
    "dateTime": {"Description": "Start of the recording, n/a if its header has none."},
    "recordingDuration": {"Description": "Length of the recording.", "Units": "s"},
}
README = """\
Answers of an agent, written by eegbench {version}: events that the agent named, or
the sleep stages that it scored, as BIDS events. Nothing here is a reference or an
opinion of a person. For research; not for clinical use.
"""


def export_answers(answers: Iterable[Answer], folder: Path, form: str) -> list[Path]:
    """Write answers in one form; return the files.

    Parameters
    ----------
    answers : iterable of Answer
        Those that a form cannot hold are passed over: ``yasa`` takes hypnograms,
        ``szcore`` seizures, ``edf+`` and ``bids`` everything.
    folder : Path
        Made if it is not there.
    form : {"edf+", "szcore", "yasa", "bids"}
        What to write.
    """
    if form not in FORMS:
        raise ConfigError(f"unknown form {form!r}; known: {', '.join(FORMS)}")
    written: list[Path] = []
    taken: set[str] = set()
    for answer in answers:
        for name, data in FORMS[form](_with_own_name(answer, taken)):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, data)
            written.append(path)
    if form == "bids" and written:
        readme = README.format(version=__version__).encode()
        about = (
            ("dataset_description.json", _json(_description())),
            ("README", readme),
        )
        for name, data in about:
            write_whole(folder / name, data)
            written.append(folder / name)
    return written


def _with_own_name(answer: Answer, taken: set[str]) -> Answer:
    """Return an answer whose files no other takes, of ids like a-1 and a1 too."""
    name, number = answer.name, 1
    while _label(name) in taken:
        number += 1
        name = f"{answer.name}-x{number}"
    taken.add(_label(name))
    return answer._replace(name=name)


def _label(name: str) -> str:
    """Return a name as BIDS allows it: letters and digits; case does not count."""
    return _alphanumeric(name).lower()


Files = Sequence[tuple[str, bytes]]


def _edf(answer: Answer) -> Files:
    return [(f"{answer.name}_annotations.edf", edf_annotations(answer))]


def _szcore(answer: Answer) -> Files:
    if answer.kind != "seizures":
        return []
    return [(f"{answer.name}_events.tsv", szcore_table(answer).encode())]


def szcore_table(answer: Answer) -> str:
    """Return seizures as an SzCORE table; without any, one background row."""
    date = "n/a" if answer.start is None else f"{answer.start:%Y-%m-%d %H:%M:%S}"
    tail = ["n/a", "n/a", date, f"{answer.duration_sec:.2f}"]
    rows = [
        [f"{event.onset_sec:.2f}", f"{event.duration_sec:.2f}", "sz", *tail]
        for event in answer.events
    ]
    return _tsv(
        SZCORE_COLUMNS, rows or [["0.00", f"{answer.duration_sec:.2f}", "bckg", *tail]]
    )


def _yasa(answer: Answer) -> Files:
    if answer.stages is None:
        return []
    names = [YASA_NAMES.get(stage, stage) for stage in decode(answer.stages)]
    rows = [f"{epoch},{30 * epoch},{name}\n" for epoch, name in enumerate(names)]
    table = "epoch,start_sec,stage\n" + "".join(rows)
    night = asdict(architecture(answer.stages)) | {"definitions": DEFINITIONS}
    return [
        (f"{answer.name}_hypnogram.csv", table.encode()),
        (f"{answer.name}_architecture.json", _json(night)),
    ]


def _bids(answer: Answer) -> Files:
    subject = "sub-" + _alphanumeric(answer.name)
    agent = _alphanumeric(answer.agent)
    stem = f"{subject}/eeg/{subject}_task-{_alphanumeric(answer.task)}"
    stem += f"_desc-{agent}_events"
    if answer.kind == "seizures":
        columns: Sequence[str] = SZCORE_COLUMNS
        table = szcore_table(answer)
    else:
        columns = ("onset", "duration", "trial_type")
        rows = [
            [f"{event.onset_sec:.2f}", f"{event.duration_sec:.2f}", event.text]
            for event in answer.events
        ]
        table = _tsv(columns, rows)
    about = {name: COLUMNS[name] for name in columns} | {
        "Description": "Answer of an agent, for research; not for clinical use.",
        "GeneratedBy": {"Name": "eegbench", "Version": __version__},
        "Agent": answer.agent,
        "Simulated": answer.simulated,
    }
    return [(f"{stem}.tsv", table.encode()), (f"{stem}.json", _json(about))]


def _alphanumeric(text: str) -> str:
    return "".join(c for c in text if c.isascii() and c.isalnum()) or "x"


def _description() -> dict[str, object]:
    return {
        "Name": "Answers of an agent, by eegbench",
        "BIDSVersion": BIDS_VERSION,
        "DatasetType": "derivative",
        "GeneratedBy": [{"Name": "eegbench", "Version": __version__}],
    }


def _tsv(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [columns, *rows]
    return "".join("\t".join(line) + "\n" for line in lines)


def _json(value: object) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2) + b"\n"


FORMS: dict[str, Callable[[Answer], Files]] = {
    "edf+": _edf,
    "szcore": _szcore,
    "yasa": _yasa,
    "bids": _bids,
}
