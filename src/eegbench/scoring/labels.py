"""T1 to T4: one class per instance. Parsing of labels, accuracy, macro-F1.

Rules (protocol, section 5): a label counts if it equals a class or an alias after lower
casing and stripping; anything else is one invalid label, which is wrong, stays in the
denominator, and is never a class of its own. The class set is fixed by the task.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from eegbench.loose_json import Json
from eegbench.scoring.answers import (
    NO_ANSWER,
    Missing,
    Parsed,
    answer_of,
    payload,
    text_of,
)
from eegbench.scoring.choices import parse_choice
from eegbench.scoring.uncertainty import (
    Interval,
    Statistic,
    Table,
    bootstrap,
    group_sums,
)

__all__ = [
    "LabelScore",
    "accuracy",
    "confusion",
    "confusion_scores",
    "label_statistic",
    "label_table",
    "macro_f1",
    "parse_choice",
    "parse_label",
    "score_labels",
]

LABEL_KEYS = (
    "classification",
    "label",
    "class",
    "category",
    "answer",
    "final_answer",
    "prediction",
    "result",
    "diagnosis",
)
INVALID: Final = "invalid"


@dataclass(frozen=True, slots=True)
class LabelScore:
    """Scores of one task with fixed classes."""

    n: int
    n_invalid: int
    metrics: dict[str, float | None]
    intervals: dict[str, Interval | None]
    per_class: dict[str, dict[str, float | int | None]]
    """Precision, recall, F1 and support of each class."""
    confusion: dict[str, dict[str, int]]
    """Reference class to predicted class or `invalid`, counts."""


def parse_label(
    raw: object,
    classes: Sequence[str],
    aliases: Mapping[str, str] | None = None,
    *,
    allow_gloss: bool = False,
) -> Parsed[str | None]:
    """Read the class that an answer names.

    Parameters
    ----------
    raw
        The reply as text, or the accepted answer object.
    classes
        The task's classes, as they are to be returned.
    aliases
        Other spellings and the class each stands for.
    allow_gloss
        Also accept a class followed by a remark in parentheses (``ocular (EOG)``):
        looser than the protocol, therefore off by default.

    Returns
    -------
    Parsed
        The class, or None (``parse_failed``). Prose is no answer, whatever class words
        stand in it; a reply that is nothing but the class is one.
    """
    answer = answer_of(raw)
    value: Json | Missing = answer
    if answer is None:
        text = text_of(raw).removeprefix("```").removesuffix("```").strip()
        value = text if _lookup(text, classes, aliases, gloss=allow_gloss) else None
        if not value:
            warning = NO_ANSWER if text else "empty reply"
            return Parsed(None, parse_failed=True, warnings=(warning,))
    elif isinstance(answer, dict):
        value = payload(answer, LABEL_KEYS)
        if isinstance(value, dict):
            value = payload(value, LABEL_KEYS)
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if not isinstance(value, str):
        shown = "missing" if isinstance(value, Missing) else repr(value)[:60]
        return Parsed(None, parse_failed=True, warnings=(f"label is {shown}, no text",))
    label = _lookup(value, classes, aliases, gloss=allow_gloss)
    if label is None:
        known = ", ".join(classes)
        warning = f"label {value[:60]!r} is none of {known}"
        return Parsed(None, parse_failed=True, warnings=(warning,))
    return Parsed(label)


def _lookup(
    text: str,
    classes: Sequence[str],
    aliases: Mapping[str, str] | None,
    *,
    gloss: bool,
) -> str | None:
    table = {_fold(name): name for name in classes}
    table = {_fold(alias): name for alias, name in (aliases or {}).items()} | table
    folded = _fold(text)
    if gloss and folded.endswith(")"):
        folded = folded.partition("(")[0].rstrip("_")
    return table.get(folded)


def _fold(text: str) -> str:
    """Lower case, outer white space off, inner white space as one underscore."""
    return "_".join(text.lower().split())


def confusion(
    true: Sequence[str], predicted: Sequence[str | None], classes: Sequence[str]
) -> NDArray[np.int64]:
    """Count reference class (rows) by predicted class (columns, the last: invalid).

    Returns
    -------
    ndarray of int64, shape (n_classes, n_classes + 1)

    Raises
    ------
    ValueError
        A reference outside the classes, or sequences of different length.
    """
    rows = _class_index(true, classes)
    columns = _column_index(predicted, classes)
    if len(rows) != len(columns):
        raise ValueError(
            f"{len(rows)} references but {len(columns)} predictions; one each is needed"
        )
    counts = np.zeros((len(classes), len(classes) + 1), dtype=np.int64)
    np.add.at(counts, (rows, columns), 1)
    return counts


def _class_index(true: Sequence[str], classes: Sequence[str]) -> NDArray[np.intp]:
    index = {name: number for number, name in enumerate(classes)}
    unknown = sorted({str(name) for name in true if name not in index})
    if unknown:
        known = ", ".join(classes)
        raise ValueError(f"reference label {unknown[0]!r} is none of {known}")
    return np.array([index[name] for name in true], dtype=np.intp)


def _column_index(
    predicted: Sequence[str | None], classes: Sequence[str]
) -> NDArray[np.intp]:
    index: dict[str | None, int] = {name: n for n, name in enumerate(classes)}
    return np.array(
        [index.get(name, len(classes)) for name in predicted], dtype=np.intp
    )


def confusion_scores(
    counts: NDArray[np.int64] | NDArray[np.float64],
) -> dict[str, NDArray[np.float64]]:
    """Accuracy and macro-F1 of one or many confusion matrices.

    Parameters
    ----------
    counts
        Shape (..., n_classes, n_classes + 1), the last column invalid answers.

    Returns
    -------
    dict of float64 arrays, shape (...)
        ``accuracy`` (NaN without instances) and ``macro_f1``.

    Notes
    -----
    F1 of a class is 2 TP / (2 TP + FP + FN), and 0 where that is 0 / 0.

    References
    ----------
    EEGAgentBench, section 6.2, equations 1 and 2.
    """
    counts = np.asarray(counts, dtype=np.float64)
    hits = np.diagonal(counts, axis1=-2, axis2=-1)
    support = counts.sum(axis=-1)
    called = counts[..., :-1].sum(axis=-2)
    total = support.sum(axis=-1)
    return {
        "accuracy": _ratio(hits.sum(axis=-1), total, empty=np.nan),
        "macro_f1": _ratio(2 * hits, support + called, empty=0.0).mean(axis=-1),
    }


def _ratio(
    top: NDArray[np.float64], bottom: NDArray[np.float64], *, empty: float
) -> NDArray[np.float64]:
    result = np.full(np.broadcast(top, bottom).shape, empty, dtype=np.float64)
    np.divide(top, bottom, out=result, where=bottom > 0)
    return result


def accuracy(true: Sequence[str], predicted: Sequence[str | None]) -> float | None:
    """Share of right labels; invalid ones are wrong; None without instances.

    References
    ----------
    EEGAgentBench, section 6.2, equation 1.
    """
    if len(true) != len(predicted):
        raise ValueError(
            f"{len(true)} references but {len(predicted)} predictions; one each is "
            "needed"
        )
    if not true:
        return None
    return sum(t == p for t, p in zip(true, predicted, strict=True)) / len(true)


def macro_f1(
    true: Sequence[str], predicted: Sequence[str | None], classes: Sequence[str]
) -> float:
    """Mean F1 over the fixed classes; a class absent from both sides scores 0.

    References
    ----------
    EEGAgentBench, section 6.2, equation 2.
    """
    return float(confusion_scores(confusion(true, predicted, classes))["macro_f1"])


def score_labels(
    true: Sequence[str],
    predicted: Sequence[str | None],
    classes: Sequence[str],
    *,
    groups: Sequence[object] | None = None,
    n_rounds: int = 1000,
    seed: int = 0,
) -> LabelScore:
    """Score one class per instance.

    Parameters
    ----------
    true, predicted
        Reference and answered label per instance; None: invalid.
    classes
        The fixed class set.
    groups
        What is independent, per instance (default: each instance); the bootstrap
        resamples these.
    n_rounds, seed
        Of the bootstrap; 0 rounds: no intervals.
    """
    counts = confusion(true, predicted, classes)
    scores = confusion_scores(counts)
    metrics = {key: _or_none(float(value)) for key, value in scores.items()}
    intervals = bootstrap(
        group_sums(label_table(true, predicted, classes), groups),
        label_statistic(len(classes)),
        n_rounds=n_rounds,
        seed=seed,
    )
    return LabelScore(
        n=len(true),
        n_invalid=int(counts[:, -1].sum()),
        metrics=metrics,
        intervals=intervals or dict.fromkeys(metrics),
        per_class=_per_class(counts, classes),
        confusion={
            name: dict(zip([*classes, INVALID], row.tolist(), strict=True))
            for name, row in zip(classes, counts, strict=True)
        },
    )


def label_table(
    true: Sequence[str], predicted: Sequence[str | None], classes: Sequence[str]
) -> Table:
    """Return the cell of the confusion matrix that each instance counts in.

    Returns
    -------
    ndarray of float64, shape (n_instances, n_classes * (n_classes + 1))
    """
    width = len(classes) + 1
    table = np.zeros((len(true), len(classes) * width))
    if len(true):
        cells = _class_index(true, classes) * width + _column_index(predicted, classes)
        table[np.arange(len(true)), cells] = 1
    return table


def label_statistic(n_classes: int) -> Statistic:
    """Return the function from summed rows of `label_table` to scores."""

    def scores(totals: Table) -> dict[str, NDArray[np.float64]]:
        return confusion_scores(totals.reshape(len(totals), n_classes, n_classes + 1))

    return scores


def _per_class(
    counts: NDArray[np.int64], classes: Sequence[str]
) -> dict[str, dict[str, float | int | None]]:
    result: dict[str, dict[str, float | int | None]] = {}
    for number, name in enumerate(classes):
        hits = int(counts[number, number])
        support = int(counts[number].sum())
        called = int(counts[:, number].sum())
        result[name] = {
            "precision": hits / called if called else None,
            "recall": hits / support if support else None,
            "f1": 2 * hits / (support + called) if support + called else 0.0,
            "support": support,
        }
    return result


def _or_none(value: float) -> float | None:
    return value if np.isfinite(value) else None
