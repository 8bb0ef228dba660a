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
    written = []
    for answer in answers:
        for name, data in FORMS[form](answer):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, data)
            written.append(path)
    if form == "bids" and written:
        path = folder / "dataset_description.json"
        write_whole(path, _json(_description()))
        written.append(path)
    return written


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
    night = asdict(architecture(answer.stages))
    return [
        (f"{answer.name}_hypnogram.csv", table.encode()),
        (f"{answer.name}_architecture.json", _json(night)),
    ]


def _bids(answer: Answer) -> Files:
    subject = "sub-" + "".join(c for c in answer.name if c.isalnum())
    agent = "".join(c for c in answer.agent if c.isalnum())
    stem = f"{subject}/eeg/{subject}_task-{answer.task}_desc-{agent}_events"
    if answer.kind == "seizures":
        table = szcore_table(answer)
    else:
        rows = [
            [f"{event.onset_sec:.2f}", f"{event.duration_sec:.2f}", event.text]
            for event in answer.events
        ]
        table = _tsv(("onset", "duration", "trial_type"), rows)
    about = {
        "onset": {"Description": "from the start of the recording", "Units": "s"},
        "duration": {"Description": "length of the event", "Units": "s"},
        "GeneratedBy": {"Name": "eegbench", "Version": __version__},
        "Agent": answer.agent,
        "Simulated": answer.simulated,
        "Note": "Answer of an agent, for research; not for clinical use.",
    }
    return [(f"{stem}.tsv", table.encode()), (f"{stem}.json", _json(about))]


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
