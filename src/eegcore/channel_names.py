"""Names of channels: made unique, and found again in any dress."""

from collections.abc import Sequence

from eegcore.errors import ChannelError
from eegcore.montage import clean_label


def unique_names(labels: Sequence[str]) -> tuple[str, ...]:
    """Labels made unique: equal ones become LABEL-0, LABEL-1, as MNE names them.

    An empty label becomes "channel-<number>", counted from 1.
    """
    named = [label or f"channel-{n}" for n, label in enumerate(labels, 1)]
    if len(set(named)) == len(named):
        return tuple(named)
    counts: dict[str, int] = {}
    for label in named:
        counts[label] = counts.get(label, 0) + 1
    taken = {label for label, count in counts.items() if count == 1}
    numbers = dict.fromkeys(counts, 0)
    names = []
    for label in named:
        name = label
        if counts[label] > 1:
            while (name := f"{label}-{numbers[label]}") in taken:
                numbers[label] += 1
            taken.add(name)
        names.append(name)
    return tuple(names)


def some_of(names: Sequence[str], limit: int = 24) -> str:
    """Names in one line, those beyond the limit counted."""
    if len(names) <= limit:
        return ", ".join(names) or "no channels"
    return ", ".join(names[:limit]) + f" and {len(names) - limit} more"


class NameIndex:
    """Looks up the position of a channel by its name.

    Parameters
    ----------
    names : sequence of str
        Unique names.
    labels : sequence of str
        Texts of the header they came from.
    """

    def __init__(self, names: Sequence[str], labels: Sequence[str]) -> None:
        self._names = names
        self._positions = {name: i for i, name in enumerate(names)}
        self._folded: dict[str, list[int]] = {}
        self._electrodes: dict[str, list[int]] = {}
        self._labels = labels

    def find(self, name: object, *, ignore_case: bool = False) -> int:
        """Position of a channel.

        With `ignore_case`, a name that differs in case, or in what surrounds the
        electrode ("FP1" for "EEG Fp1-Ref" or "Fp1."), is found too if only one channel
        fits.

        Raises
        ------
        ChannelError
            Naming the unknown channel and those that exist.
        """
        if isinstance(name, str):
            found = self._positions.get(name)
            if found is not None:
                return found
            fitting = self._fitting(name) if ignore_case else []
            if len(fitting) == 1:
                return fitting[0]
            if fitting:
                told = " or ".join(self._names[i] for i in fitting)
                raise ChannelError(f"channel {name!r} is ambiguous; it may be {told}")
        raise ChannelError(
            f"unknown channel {name!r}; this recording has {some_of(self._names)}"
        )

    def _fitting(self, name: str) -> list[int]:
        """Channels that a name may mean; those of the same letters go first."""
        if not self._folded:
            for i, (own, label) in enumerate(
                zip(self._names, self._labels, strict=True)
            ):
                self._folded.setdefault(own.casefold(), []).append(i)
                self._electrodes.setdefault(clean_label(label), []).append(i)
        same = self._folded.get(name.strip().casefold())
        return same or self._electrodes.get(clean_label(name), [])
