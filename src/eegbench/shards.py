"""Parts of a run for many machines: which instances are whose.

A part is made from the instances alone, so that every machine finds the same division
without asking another. Instances of one recording stay together, since the recording
is then opened once and its block sums serve them all.
"""

import hashlib
import heapq
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import msgspec

from eegbench.errors import ConfigError
from eegbench.instances import Instance
from eegbench.predictions import ShardInfo

LEAST_WORK = 1000.0
"""Channel-seconds that an instance counts for at least: its dialogue costs, too."""


@dataclass(frozen=True)
class Shard:
    """The part ``index`` (from 1) of ``count``."""

    index: int
    count: int

    def __str__(self) -> str:
        """Write it as it is read."""
        return f"{self.index}/{self.count}"


def read_shard(text: str) -> Shard:
    """Read ``i/n``; ConfigError unless 1 <= i <= n."""
    match = re.fullmatch(r"\s*(\d{1,9})\s*/\s*(\d{1,9})\s*", text, re.ASCII)
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        raise ConfigError(f"shard {text!r}; it is i/n with i from 1 to n, such as 3/10")
    return Shard(int(match[1]), int(match[2]))


def expected_work(instance: Instance) -> float:
    """Return channels x seconds as the prompt shows them, and nothing else.

    The size of a file may follow the label: text files of large amplitudes have more
    digits.
    """
    seconds = instance.duration_sec or instance.facts.get("duration_sec")
    channels = instance.facts.get("n_channels", 1)
    if not isinstance(seconds, int | float) or not isinstance(channels, int):
        return 0.0
    return float(seconds) * channels


def counted_work(instance: Instance) -> float:
    """Return the expected work, with what an instance costs at least."""
    return max(LEAST_WORK, expected_work(instance))


def source_key(instance: Instance) -> str:
    """Return what instances of one recording have in common; else the own id."""
    if instance.recording is None:
        return f"instance {instance.instance_id}"
    opening = msgspec.json.encode(instance.open_args, order="sorted").decode()
    return f"recording {instance.recording} {opening}"


def grouped(instances: Iterable[Instance]) -> dict[str, list[Instance]]:
    """Return the instances of each recording, in the order given."""
    groups: dict[str, list[Instance]] = {}
    for item in instances:
        groups.setdefault(source_key(item), []).append(item)
    return groups


def divide(instances: Sequence[Instance], count: int) -> list[list[Instance]]:
    """Divide instances into parts of nearly equal work, the same ones each time.

    The longest group comes first and goes to the part with the least work so far;
    equals are ordered by a hash, so that neighbours in a set are spread. A part keeps
    the order of the instances. With more parts than recordings, some are empty.
    """
    groups = grouped(instances)
    weight = {key: sum(map(counted_work, members)) for key, members in groups.items()}
    ranked = sorted(groups, key=lambda key: (-weight[key], _hash(key)))
    loads = [(0.0, number) for number in range(count)]
    owner: dict[str, int] = {}
    for key in ranked:
        load, number = heapq.heappop(loads)
        heapq.heappush(loads, (load + weight[key], number))
        owner.update((item.instance_id, number) for item in groups[key])
    parts: list[list[Instance]] = [[] for _ in range(count)]
    for item in instances:
        parts[owner[item.instance_id]].append(item)
    return parts


def take(instances: Sequence[Instance], shard: Shard) -> list[Instance]:
    """Return the instances of one part."""
    return divide(instances, shard.count)[shard.index - 1]


def shard_info(instances: Sequence[Instance], shard: Shard) -> ShardInfo:
    """Say which part a run is, so that a merge can tell whether parts fit."""
    mine = take(instances, shard)
    return ShardInfo(
        index=shard.index,
        count=shard.count,
        n_instances=len(mine),
        mine=ids_checksum(item.instance_id for item in mine),
        whole=ids_checksum(item.instance_id for item in instances),
    )


def ids_checksum(instance_ids: Iterable[str]) -> str:
    """Return SHA-256 over the ids in order, one a line."""
    text = "".join(f"{name}\n" for name in sorted(instance_ids))
    return hashlib.sha256(text.encode()).hexdigest()


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
