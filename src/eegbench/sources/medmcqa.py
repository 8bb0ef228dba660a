"""MedMCQA: multiple-choice questions of Indian medical entrance examinations.

JSON Lines with `question`, `opa` to `opd`, `cop` (the right option), `subject_name`,
`choice_type`, `id`. The original release counts `cop` from 1, a common mirror from 0;
which it is shows in the smallest value of the file. The test split has no answers.

References
----------
A. Pal et al., Proc. Machine Learning Research 174 (CHIL 2022), 248-260.
"""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from eegbench.errors import SourceError
from eegbench.sources.folders import walk_files

LETTERS = "ABCD"

EEG_TERMS: dict[str, str] = {
    "eeg": r"\bs?EEGs?(\b|(?=[a-e]\)))|\be\.e\.g\b\.?(?!,)"
    r"|electro-?\s?ence?ph?al[ao]?o?gra",
    "rhythm": r"\b(alpha|beta|theta|delta|gamma|mu)[\s-]+(rhythm|waves?\b|activity)",
    "sleep": r"polysomnogra|sleep spindle|\bk[\s-]?complex|sawtooth waves?"
    r"|vertex (sharp )?waves?|slow[\s-]wave sleep",
    "sign": r"hyps[ay]+r+h?yth?mia|burst[\s-]suppression|triphasic (slow )?wave"
    r"|rad[ea]m[ae]c?ker|spike[\s-]*(and|&|n)[\s-]*(dome|slow|wave)|polyspikes?"
    r"|periodic lateralized|\bPLEDs?\b",
    "evoked": r"evoked potential|\b[BV]?AEPs?\b|\bBERA\b|\bSSEPs?\b|\bVEPs?\b",
}
"""Why a question counts as EEG: name of the reason, pattern. The patterns are ours; the
paper does not print its filter."""

_STRICT = ("eeg", "rhythm", "sleep", "sign")
# Alone, these words mean something else: alpha waves of a physics question, the
# sawtooth wave of atrial flutter, delta activity of an adrenergic receptor.
_NOT_EEG = re.compile(
    r"atrial flutter|delta wave.*(ECG|WPW|pre-?excitation)|(ECG|WPW).*delta wave"
    r"|jugular|\bJVP\b|radiation|emission|pulse",
    re.IGNORECASE | re.DOTALL,
)


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """One question with its options, options in the order of the source."""

    question_id: str
    question: str
    options: tuple[str, str, str, str]
    correct: int | None
    """Index of the right option, from 0; None where the source does not say."""
    subject_name: str | None = None
    reasons: tuple[str, ...] = ()
    """Names of the EEG terms that it contains."""


@dataclass(frozen=True, slots=True)
class Questions:
    """What was found in the files of one folder."""

    kept: tuple[Question, ...]
    n_read: int
    problems: tuple[str, ...]


def eeg_reasons(question: str, options: Iterable[str]) -> tuple[str, ...]:
    """Names of the EEG terms in a question or its options; empty: no EEG question.

    Evoked potentials alone do not make an EEG question.
    """
    text = " ".join((question, *options))
    reasons = tuple(
        name
        for name, pattern in EEG_TERMS.items()
        if re.search(pattern, text, re.IGNORECASE)
    )
    if "eeg" not in reasons and _NOT_EEG.search(text):
        return ()
    return reasons if any(name in _STRICT for name in reasons) else ()


def shuffled(question: Question, key: str = "eegbench") -> tuple[int, ...]:
    """Order of the options: the sha256 of key, id and option number, ascending.

    The same question is always shuffled the same way, on every machine and whatever
    else is in the set.
    """

    def rank(index: int) -> bytes:
        text = f"{key}\n{question.question_id}\n{index}"
        return hashlib.sha256(text.encode()).digest()

    return tuple(sorted(range(4), key=rank))


def read_questions(paths: Iterable[Path]) -> Questions:
    """EEG questions of the given files, one each, in the order of the files.

    A question whose text and options were seen before is dropped and told; a line that
    is no question is told and passed by.
    """
    kept: dict[tuple[str, ...], Question] = {}
    problems: list[str] = []
    n_read = 0
    for path in paths:
        rows = _rows(path, problems)
        n_read += len(rows)
        codes = [row["cop"] for row in rows if isinstance(row.get("cop"), int)]
        first = 0 if any(code == 0 for code in codes) else 1
        for row in rows:
            question = _question(row, first)
            if question is None or not question.reasons:
                continue
            same = (question.question.strip(), *sorted(question.options))
            if same in kept:
                problems.append(
                    f"question {question.question_id} repeats {kept[same].question_id}"
                )
            else:
                kept[same] = question
    return Questions(tuple(kept.values()), n_read, tuple(problems))


def find_files(folder: Path) -> list[Path]:
    """Files of the splits with answers, `train` before `dev`; others are not read."""
    order = {"train": 0, "dev": 1, "validation": 1, "valid": 1}
    paths = walk_files(folder, r"(train|dev|validation|valid)\.jsonl?")
    return sorted(paths, key=lambda path: (order[path.stem.lower()], str(path)))


def _rows(path: Path, problems: list[str]) -> list[dict[str, object]]:
    rows = []
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise SourceError(f"cannot read {path.name}: {error}") from error
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            rows.append(msgspec.json.decode(line, type=dict[str, object]))
        except msgspec.DecodeError as error:
            problems.append(f"{path.name}: line {number} is no JSON object: {error}")
    return rows


def _question(row: dict[str, object], first: int) -> Question | None:
    texts = [row.get(name) for name in ("question", "opa", "opb", "opc", "opd", "id")]
    if not all(isinstance(text, str) and text for text in texts):
        return None
    question, a, b, c, d, identity = (str(text) for text in texts)
    code = row.get("cop")
    correct = code - first if isinstance(code, int) else None
    if correct is not None and not 0 <= correct < 4:
        correct = None
    subject = row.get("subject_name")
    return Question(
        question_id=identity,
        question=question,
        options=(a, b, c, d),
        correct=correct,
        subject_name=subject if isinstance(subject, str) else None,
        reasons=eeg_reasons(question, (a, b, c, d)),
    )
