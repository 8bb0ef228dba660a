"""What kernels need beside samples: block lengths, tables, layouts, work space."""

import math
import threading
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eegcore.bands import Bands
from eegcore.recording import Recording
from eegcore.store import Layout

Int = NDArray[np.int64]
_room = threading.local()

LEAST_BLOCK, LARGEST_BLOCK = 16, 4096
# A float32 bin carries an error of about 1e-7 of the root of a segment's energy; below
# this share of the energy a band's error could pass 1e-6, and it is done in float64.
ENERGY_FLOOR = 1.0 / 25.0


class Plan(NamedTuple):
    """What is transformed and which sums are kept.

    atoms: rising bin numbers; sum ``a`` is of bins atoms[a] <= k < atoms[a + 1].
    checked: rows (first atom, last atom + 1) of which each must hold at least the
    share ``floor`` of a segment's energy for float32 to be enough.
    """

    block: int
    cos: NDArray[Any]
    sin: NDArray[Any]
    cotangent: NDArray[Any]
    atoms: NDArray[np.int64]
    checked: NDArray[np.int64]
    floor: float


@lru_cache(maxsize=256)
def block_length(rate_hz: float) -> int:
    """Return samples of a block at a rate; 0 where there is no fast way."""
    n = int(2 * rate_hz)
    h = n // 2
    if n % 2 or not LEAST_BLOCK <= h <= LARGEST_BLOCK:
        return 0
    rest = h
    for prime in (2, 3, 5):
        while rest % prime == 0:
            rest //= prime
    return h if rest == 1 else 0


def fast_block(recording: Recording, channel: int) -> int:
    """Return samples of a block of a channel; 0: it takes the ordinary way."""
    facts = recording.channels[channel]
    if recording.encoding == "float64":
        return 0
    if not math.isfinite(facts.gain * facts.offset) or facts.gain == 0:
        return 0
    return block_length(facts.rate_hz)


def is_stored_voltage(recording: Recording, channel: int) -> bool:
    """Whether a channel is stored as integers that stand for a voltage."""
    facts = recording.channels[channel]
    known = facts.to_uv is not None and math.isfinite(facts.gain * facts.offset)
    return known and facts.gain != 0 and recording.encoding != "float64"


def flat_limit(recording: Recording, channel: int, step_uv: float) -> int:
    """Return the least step of stored integers that is not below `step_uv`."""
    facts = recording.channels[channel]
    scale = abs(facts.gain) * (1.0 if facts.to_uv is None else facts.to_uv)
    return math.ceil(min(step_uv / scale * (1 - 1e-12), 2.0**40))


def aligned(shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    """Zeros that start at a multiple of 64 bytes, as wide vectors want it."""
    count = math.prod(shape) * np.dtype(dtype).itemsize
    raw = np.zeros(count + 64, np.uint8)
    start = -raw.ctypes.data % 64
    room: NDArray[Any] = raw[start : start + count].view(dtype).reshape(shape)
    return room


def layout_of(recording: Recording) -> Layout:
    """Return the recording's samples as kernels take them."""
    return recording.store.layout


@lru_cache(maxsize=32)
def plan_of(h: int, bands: Bands, kind: type[np.floating]) -> Plan:
    """Return tables of the transforms with blocks of `h` samples."""
    angle = 2 * np.pi * np.arange(2 * h) / (2 * h)
    cotangent = np.zeros(h + 1)
    cotangent[1:] = 1.0 / np.tan(np.pi * np.arange(1, h + 1) / (2 * h))
    return Plan(
        h,
        np.cos(angle).astype(kind),
        (-np.sin(angle)).astype(kind),
        cotangent.astype(kind),
        np.array(bands.atoms, np.int64),
        np.array(bands.checked, np.int64).reshape(-1, 2),
        ENERGY_FLOOR,
    )


@lru_cache(maxsize=32)
def every_bin(h: int) -> Bands:
    """Return each bin of a segment with blocks of `h` samples as a sum of its own."""
    return Bands(tuple(range(h + 2)), ())


@lru_cache(maxsize=1)
def ones_then_zeros() -> NDArray[np.int16]:
    """Return the mask from which kernels read how much of a vector counts."""
    mask = np.zeros(160, np.int16)
    mask[:64] = -1
    return mask


def sample_kind(recording: Recording) -> type[np.int16] | type[np.int32]:
    """Return the integer type that holds a sample of the recording."""
    return np.int16 if recording.encoding == "int16" else np.int32


def segment_work(recording: Recording, h: int) -> tuple[Any, ...]:
    """Return work space of `eegcore.kernels.spectrum.segment_sums`, one a thread."""
    kind = sample_kind(recording)
    kept: tuple[Any, tuple[Any, ...]] | None = getattr(_room, "segment", None)
    if kept is None or kept[0] != (h, kind):
        kept = ((h, kind), _segment_arrays(h, kind))
        _room.segment = kept
    return kept[1]


def _segment_arrays(h: int, kind: Any) -> tuple[Any, ...]:
    n = 2 * h
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(n) / n)
    return (
        aligned((16 * n + 64,), kind),
        aligned((16 * n,), np.float64),
        window,
        aligned((32,), np.float64),
        tuple(aligned((16 * (h + 1),), np.float64) for _ in range(2)),
        tuple(aligned((16 * n,), np.float64) for _ in range(8)),
    )


def scan_work(
    kind: type[np.integer[Any]], h: int, flat: Int, n_atoms: int, *, whole: bool
) -> tuple[Any, ...]:
    """Return work space of `eegcore.kernels.spectrum.scan`, one a thread."""
    n_channels = flat.size
    key = (h, n_channels, kind, n_atoms, whole)
    kept = getattr(_room, "kept", None)
    if kept is None or kept[0] != key:
        kept = (key, _scan_arrays(h, n_channels, kind, n_atoms, whole=whole))
        _room.kept = kept
    arrays: tuple[Any, ...] = kept[1]
    lanes = arrays[-1]
    if whole:
        lanes.fill(0)
    return (*arrays[:6], (*arrays[6], flat), *arrays[7:])


def _scan_arrays(
    h: int, n_channels: int, kind: Any, n_atoms: int, *, whole: bool
) -> tuple[Any, ...]:
    small = max(16, 16 * n_atoms)
    return (
        aligned((n_channels, 2, 16 * (h + 1)), np.float32),
        aligned((n_channels, 2, 16 * (h + 1)), np.float32),
        aligned((16 * h + 64,), kind),
        aligned((16 * h,), np.float32),
        tuple(aligned((small,), np.float32) for _ in range(5)),
        tuple(aligned((16 * h,), np.float32) for _ in range(8)),
        (ones_then_zeros(), np.zeros(h + 64, np.int16)),
        aligned((n_channels, 2, 32), np.float32),
        aligned((n_channels, 2, 32), np.float32),
        aligned((n_channels, 16 * (h + 1) if whole else 16), np.float32),
    )
