"""What can be answered without a signal: models of labels, facts and time of night.

Arrays in, answers out; nothing here looks at a recording. Cross-validation leaves whole
groups (people, source segments) out, folds and draws are deterministic.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eegcore.hypnogram import STAGES, UNSCORED, Codes

MOST_FOLDS = 200
N_PERMUTATIONS = 199
RIDGE = 1.0
NIGHT_BINS = 60
PRIOR_POWERS = (0.0, 0.25, 0.5, 0.75, 1.0)

Matrix = NDArray[np.float64]
Labels = NDArray[np.intp]


class FactsModel(NamedTuple):
    """Cross-validated answers of a small model on what a prompt shows."""

    predicted: Labels
    """Class per instance, from a model that never saw the instance's group."""
    n_features: int
    p_value: float | None
    """Share of label permutations that score at least as well; None: no features."""


def folds(groups: Sequence[str], *, most: int = MOST_FOLDS) -> Labels:
    """Give each group a fold of its own; above ``most`` groups, by a hash of its name.

    Returns
    -------
    ndarray of intp, shape (n_instances,)
    """
    order = sorted(set(groups), key=lambda name: (_digest(name), name))
    fold_of = {name: number % most for number, name in enumerate(order)}
    return np.array([fold_of[group] for group in groups], dtype=np.intp)


def _digest(name: str) -> bytes:
    return hashlib.blake2b(name.encode(), digest_size=8).digest()


def features(facts: Sequence[Mapping[str, object]]) -> Matrix:
    """Turn facts into columns: numbers as they are, texts as indicators.

    Facts that do not vary, or are lists, make no column. A number that is missing is
    the mean. Columns have mean 0 and variance 1.

    Returns
    -------
    ndarray of float64, shape (n_instances, n_features)
    """
    columns: list[Matrix] = []
    for key in sorted({key for row in facts for key in row}):
        values = [row.get(key) for row in facts]
        told = [value for value in values if value is not None]
        if all(_is_number(value) for value in told):
            numbers = np.array(
                [value if _is_number(value) else np.nan for value in values],
                dtype=float,
            )
            mean, deviation = np.nanmean(numbers), np.nanstd(numbers)
            if deviation > 0:
                columns.append(np.nan_to_num((numbers - mean) / deviation))
        elif all(isinstance(value, str | bool) for value in told):
            texts = [str(value) for value in values]
            levels = sorted(set(texts))[:20]
            columns += [
                np.array([text == level for text in texts], dtype=float)
                for level in levels[1:]
            ]
    kept = [(c - c.mean()) / c.std() for c in columns if c.std() > 1e-12]
    return np.column_stack(kept) if kept else np.zeros((len(facts), 0))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def facts_model(
    facts: Sequence[Mapping[str, object]],
    labels: Labels,
    groups: Sequence[str],
    *,
    n_classes: int,
    score: Callable[[Labels, Labels], float],
    seed: int = 0,
) -> FactsModel:
    """Predict labels from facts by cross-validated ridge regression on indicators.

    Parameters
    ----------
    facts
        What each prompt shows.
    labels
        intp, class per instance.
    groups
        What is independent, per instance.
    score
        Of (true, predicted) labels; for the permutation test.

    Notes
    -----
    An instance gets the class whose indicator is predicted furthest above its mean in
    the training folds, so that a frequent class has no advantage. The permutation test
    moves labels between groups (between instances, where a group has several labels)
    and cross-validates again; the observed labelling counts as one permutation.
    """
    table = features(facts)
    fold = folds(groups)
    if table.shape[1] == 0:
        # Not cross-validated: without one instance of a balanced set its own class is
        # the rarer one, and every answer would be wrong.
        counts = np.bincount(labels, minlength=n_classes)
        return FactsModel(np.full_like(labels, np.argmax(counts)), 0, None)
    rng = np.random.default_rng(seed)
    shuffled = [_permuted(labels, groups, rng) for _ in range(N_PERMUTATIONS)]
    all_labels = np.stack([labels, *shuffled])
    predicted = _ridge(table, all_labels, fold, n_classes)
    scores = [score(t, p) for t, p in zip(all_labels, predicted, strict=True)]
    n_as_good = sum(value >= scores[0] - 1e-12 for value in scores)
    return FactsModel(predicted[0], table.shape[1], n_as_good / len(scores))


def _permuted(
    labels: Labels, groups: Sequence[str], rng: np.random.Generator
) -> Labels:
    label_of = dict(zip(groups, labels.tolist(), strict=True))
    constant = all(
        label_of[group] == label
        for group, label in zip(groups, labels.tolist(), strict=True)
    )
    if not constant:
        return rng.permutation(labels)
    names = list(label_of)
    values = rng.permutation(np.array([label_of[name] for name in names]))
    moved = dict(zip(names, values.tolist(), strict=True))
    return np.array([moved[group] for group in groups], dtype=np.intp)


def _ridge(table: Matrix, all_labels: Labels, fold: Labels, n_classes: int) -> Labels:
    """Predictions per labelling: the fit is linear in it, so all are solved at once."""
    predicted = np.zeros_like(all_labels)
    indicators = np.eye(n_classes)[all_labels]  # (n_labellings, n, n_classes)
    for number in np.unique(fold):
        inside, outside = fold == number, fold != number
        centre = table[outside].mean(axis=0)
        x = table[outside] - centre
        gram = x.T @ x + RIDGE * np.eye(x.shape[1])
        smoother = (table[inside] - centre) @ np.linalg.solve(gram, x.T)
        targets = indicators[:, outside]
        targets = targets - targets.mean(axis=1, keepdims=True)
        predicted[:, inside] = np.argmax(smoother @ targets, axis=2)
    return predicted


def nearest_by_number(
    numbers: Sequence[int], labels: Labels, *, n_classes: int, n_neighbours: int = 3
) -> Labels:
    """Label each instance by vote of those whose id numbers lie nearest.

    Finds ids that follow the order of labels; at chance where they are opaque.
    """
    predicted = np.zeros(len(numbers), dtype=np.intp)
    order = sorted(range(len(numbers)), key=lambda index: numbers[index])
    for place, index in enumerate(order):
        near = [
            other
            for other in order[max(0, place - n_neighbours) : place + n_neighbours + 1]
            if other != index
        ]
        near.sort(key=lambda other: (abs(numbers[other] - numbers[index]), other))
        votes = np.bincount(labels[near[:n_neighbours]], minlength=n_classes)
        predicted[index] = int(np.argmax(votes)) if near else 0
    return predicted


def typical_nights(nights: Sequence[Codes], groups: Sequence[str]) -> list[Codes]:
    """Stage each night by relative time, as learned from the nights of other groups.

    Parameters
    ----------
    nights
        Reference codes per night.
    groups
        The person of each night; a person's other night is left out too.

    Notes
    -----
    The night is cut into 60 equal parts. In each the stage with the largest
    p(stage | part) / p(stage)^a is taken; a is one of 0, 1/4, 1/2, 3/4, 1: the one
    with the best mean macro-F1 on the training nights alone.
    """
    counts = np.stack([_bin_counts(night) for night in nights])
    result = []
    for night, group in zip(nights, groups, strict=True):
        others = [i for i, name in enumerate(groups) if name != group]
        if not others:
            result.append(np.zeros(night.size, dtype=np.int8))
            continue
        total = counts[others].sum(axis=0)
        prior = total.sum(axis=0) / max(total.sum(), 1)
        tables = {power: _best_stages(total, prior, power) for power in PRIOR_POWERS}
        means = {
            power: float(_macro_f1(counts[others], table).mean())
            for power, table in tables.items()
        }
        best = max(PRIOR_POWERS, key=lambda power: (means[power], -power))
        result.append(_staged(tables[best], night.size))
    return result


def _bins(n_epochs: int) -> Labels:
    return np.arange(n_epochs) * NIGHT_BINS // max(n_epochs, 1)


def _bin_counts(night: Codes) -> Matrix:
    counts = np.zeros((NIGHT_BINS, len(STAGES)))
    scored = night != UNSCORED
    np.add.at(counts, (_bins(night.size)[scored], night[scored]), 1.0)
    return counts


def _best_stages(total: Matrix, prior: Matrix, power: float) -> Codes:
    share = total / np.maximum(total.sum(axis=1, keepdims=True), 1)
    weighted = share / np.where(prior > 0, prior, 1.0) ** power
    best: Codes = np.argmax(weighted, axis=1).astype(np.int8)
    return best


def _macro_f1(counts: Matrix, table: Codes) -> Matrix:
    """Macro-F1 of one table on many nights; counts (n_nights, n_parts, n_stages).

    A part has one predicted stage, so its counts are a column of the confusion table.
    """
    said = np.eye(len(STAGES))[table]
    confusion = np.einsum("npt,ps->nts", counts, said)
    hits = np.diagonal(confusion, axis1=1, axis2=2)
    sizes = confusion.sum(axis=1) + confusion.sum(axis=2)
    f1: Matrix = (2 * hits / np.maximum(sizes, 1)).mean(axis=1)
    return f1


def _staged(table: Codes, n_epochs: int) -> Codes:
    return table[_bins(n_epochs)]
