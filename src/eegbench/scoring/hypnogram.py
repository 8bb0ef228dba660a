"""T6: an answer's hypnogram against the reference, per night and over nights."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eegbench.scoring.hypnogram_answers import parse_hypnogram, parse_shares
from eegbench.scoring.labels import confusion_scores
from eegbench.scoring.uncertainty import Interval, Table, bootstrap, group_sums
from eegcore.hypnogram import (
    STAGES,
    UNSCORED,
    Codes,
    Shares,
    W,
    encode,
    shares,
    stage_code,
)

__all__ = [
    "HypnogramScore",
    "NightScore",
    "aligned",
    "cohen_kappa",
    "parse_hypnogram",
    "parse_shares",
    "score_hypnogram",
    "score_nights",
]


@dataclass(frozen=True, slots=True)
class NightScore:
    """Scores of one night; None where no epoch is scored."""

    n_epochs: int
    n_scored: int
    """Epochs that count: those that the reference leaves unscored do not."""
    macro_f1: float | None
    kappa: float | None
    accuracy: float | None
    f1: dict[str, float]
    best_macro_f1: float
    """What a perfect answer reaches: a fifth for each stage in the reference."""
    confusion: dict[str, dict[str, int]]
    share_errors: dict[str, float | None]
    """Stated minus true share, by `REM_pct`, `N3_pct`, `sleep_efficiency`."""
    implied_share_errors: dict[str, float | None]
    """The same, of the shares that the answered hypnogram itself has."""


@dataclass(frozen=True, slots=True)
class HypnogramScore:
    """Means over nights."""

    n: int
    n_epochs: int
    n_scored: int
    metrics: dict[str, float | None]
    intervals: dict[str, Interval | None]
    best_macro_f1: float | None
    per_stage_f1: dict[str, float | None]
    """Mean over nights."""
    confusion: dict[str, dict[str, int]]
    """Sums over nights."""


def aligned(predicted: Codes, n_epochs: int) -> Codes:
    """Cut to the reference's length, or fill up with wake; unscored becomes wake."""
    codes = np.full(n_epochs, W, dtype=np.int8)
    part = predicted[:n_epochs]
    codes[: part.size] = np.where(part == UNSCORED, W, part)
    return codes


def cohen_kappa(counts: NDArray[np.int64]) -> float | None:
    """Agreement beyond chance of a square table of counts.

    Returns
    -------
    float or None
        None without counts. Where chance agreement is 1 (one class fills both sides):
        1 for a perfect match, else 0.

    References
    ----------
    EEGAgentBench, section 6.2, equation 3.
    """
    total = int(counts.sum())
    if total == 0:
        return None
    agreed = int(np.trace(counts))
    # Integers, so that "chance is 1" is exact.
    chance = int(counts.sum(axis=0) @ counts.sum(axis=1))
    if chance == total * total:
        return 1.0 if agreed == total else 0.0
    return (agreed * total - chance) / (total * total - chance)


def score_hypnogram(
    reference: Codes | Sequence[str | None],
    predicted: Codes | Sequence[str | None],
    *,
    stated: Shares | None = None,
) -> NightScore:
    """Score one night.

    Parameters
    ----------
    reference
        Stage per epoch, as codes of `eegcore.hypnogram` or names; epochs that are
        `UNSCORED` (None) keep their place and are left out on both sides.
    predicted
        The answer; cut or filled up with wake to the reference's length.
    stated
        Shares that the answer gave beside its hypnogram.

    Notes
    -----
    Macro-F1 is over five stages: one that neither side has scores 0.

    References
    ----------
    EEGAgentBench, section 6.2.
    """
    truth = _codes(reference)
    answer = aligned(_answered(predicted), truth.size)
    scored = truth != UNSCORED
    n_scored = int(scored.sum())
    cells = truth[scored].astype(np.int64) * len(STAGES) + answer[scored]
    counts = np.bincount(cells, minlength=len(STAGES) ** 2).astype(np.int64)
    counts = counts.reshape(len(STAGES), len(STAGES))
    hits, support = np.diagonal(counts), counts.sum(axis=1)
    f1 = 2 * hits / np.maximum(support + counts.sum(axis=0), 1)
    padded = np.hstack([counts, np.zeros((len(STAGES), 1), dtype=np.int64)])
    scores = confusion_scores(padded)
    true_shares, implied = shares(truth), shares(np.where(scored, answer, UNSCORED))
    return NightScore(
        n_epochs=int(truth.size),
        n_scored=n_scored,
        macro_f1=float(scores["macro_f1"]) if n_scored else None,
        kappa=cohen_kappa(counts),
        accuracy=float(scores["accuracy"]) if n_scored else None,
        f1=dict(zip(STAGES, f1.tolist(), strict=True)),
        best_macro_f1=int(np.count_nonzero(support)) / len(STAGES),
        confusion=_named(counts),
        share_errors=_errors(stated, true_shares),
        implied_share_errors=_errors(implied, true_shares),
    )


def _codes(stages: Codes | Sequence[str | None]) -> Codes:
    if isinstance(stages, np.ndarray):
        return stages.astype(np.int8)
    return encode(stages)


def _answered(stages: Codes | Sequence[str | None]) -> Codes:
    """Return codes of an answer, in which an unknown stage is wake."""
    if isinstance(stages, np.ndarray):
        return stages.astype(np.int8)
    codes = [stage_code(name) for name in stages]
    return np.array([W if code is None else code for code in codes], dtype=np.int8)


def _named(counts: NDArray[np.int64]) -> dict[str, dict[str, int]]:
    return {
        name: dict(zip(STAGES, row.tolist(), strict=True))
        for name, row in zip(STAGES, counts, strict=True)
    }


def _errors(given: Shares | None, true: Shares) -> dict[str, float | None]:
    given = given if given is not None else Shares(None, None, None)
    pairs = zip(("REM_pct", "N3_pct", "sleep_efficiency"), given, true, strict=True)
    return {
        key: None if stated is None or wanted is None else stated - wanted
        for key, stated, wanted in pairs
    }


_METRICS = ("macro_f1", "kappa", "accuracy")
_ERRORS = ("REM_pct", "N3_pct", "sleep_efficiency")


def score_nights(
    nights: Iterable[NightScore],
    *,
    groups: Sequence[object] | None = None,
    n_rounds: int = 1000,
    seed: int = 0,
) -> HypnogramScore:
    """Average the scores of nights; nights without a scored epoch are left out.

    Parameters
    ----------
    nights
        From `score_hypnogram`.
    groups
        The person of each night; the bootstrap resamples people.
    n_rounds, seed
        Of the bootstrap; 0 rounds: no intervals.

    Notes
    -----
    Errors of the stated shares enter as means of absolute values
    (``REM_pct_error``, ...), over the answers that state them.
    """
    rows = list(nights)
    table = night_table(rows)
    metrics = {
        key: float(mean[0]) if np.isfinite(mean[0]) else None
        for key, mean in night_statistic(table.sum(axis=0, keepdims=True)).items()
    }
    intervals = bootstrap(
        group_sums(table, groups), night_statistic, n_rounds=n_rounds, seed=seed
    )
    scored = [row for row in rows if row.n_scored]
    total = sum(
        (np.array([list(r.values()) for r in row.confusion.values()]) for row in rows),
        start=np.zeros((len(STAGES), len(STAGES)), dtype=np.int64),
    )
    return HypnogramScore(
        n=len(rows),
        n_epochs=sum(row.n_epochs for row in rows),
        n_scored=sum(row.n_scored for row in rows),
        metrics=metrics,
        intervals=intervals or dict.fromkeys(metrics),
        best_macro_f1=_mean([row.best_macro_f1 for row in scored]),
        per_stage_f1={name: _mean([row.f1[name] for row in scored]) for name in STAGES},
        confusion=_named(total),
    )


def night_table(rows: Sequence[NightScore]) -> Table:
    """Return the scores of each night and whether they are defined, a row a night."""
    values = np.array(
        [
            [
                *(getattr(row, key) for key in _METRICS),
                *(_absolute(row.share_errors[key]) for key in _ERRORS),
            ]
            for row in rows
        ],
        dtype=np.float64,
    ).reshape(len(rows), len(_METRICS) + len(_ERRORS))
    defined = np.isfinite(values)
    return np.hstack([np.where(defined, values, 0.0), defined.astype(np.float64)])


def _absolute(value: float | None) -> float | None:
    return None if value is None else abs(value)


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def night_statistic(totals: Table) -> dict[str, NDArray[np.float64]]:
    """Return scores from summed rows of `night_table`; NaN where undefined."""
    keys = (*_METRICS, *(f"{key}_error" for key in _ERRORS))
    result = {}
    for column, key in enumerate(keys):
        counts = totals[:, len(keys) + column]
        means = np.full(len(totals), np.nan)
        np.divide(totals[:, column], counts, out=means, where=counts > 0)
        result[key] = means
    return result
