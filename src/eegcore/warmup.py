"""Compile every kernel, so that no later call has to."""

import os
from collections.abc import Callable, Iterator
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from eegcore.arrays import ArrayLoader
from eegcore.errors import ReadError
from eegcore.recording import Recording, SampleStore
from eegcore.source import Channel, Source
from eegcore.timeline import Segment, Timeline

_RATE_HZ = 32.0
_SECONDS = 70


def _windows(recording: Recording) -> None:
    from eegcore.windowed import FEATURES, windowed_features

    windowed_features(recording, features=FEATURES, window_sec=10.0)
    windowed_features(recording, features=FEATURES, window_sec=10.0, start_sec=0.5)


def _spectra(recording: Recording) -> None:
    from eegcore.spectrum import density_of

    density_of(recording, 0, 0, recording.channels[0].n_samples)


def _long(recording: Recording) -> None:
    from eegcore.bandsums import band_powers_of
    from eegcore.moments import figures_of

    start = np.zeros(1, np.int64)
    n = recording.channels[0].n_samples
    band_powers_of(recording, 0, start, n)
    figures_of(recording, 0, start, start + n)


def _transients(recording: Recording) -> None:
    from eegcore.transients import transients_of

    n = recording.channels[0].n_samples
    transients_of(recording, 0, 0, n, min_amplitude_uv=500.0)


def _correlation(recording: Recording) -> None:
    from eegcore.coupling import correlation_of

    correlation_of(recording, (0, 1), 0, recording.channels[0].n_samples)


_WORK: tuple[tuple[str, Callable[[Recording], None]], ...] = (
    ("windows", _windows),
    ("spectra", _spectra),
    ("long stretches", _long),
    ("transients", _transients),
    ("correlation", _correlation),
)


def steps() -> tuple[str, ...]:
    """Names of the steps of `compile_all`."""
    kinds = ("16-bit", "24-bit")
    return tuple(f"{what} {kind}" for kind in kinds for what, _ in _WORK)


def compile_all(progress: Callable[[str, int, int], None] | None = None) -> None:
    """Compile all kernels for 16-bit and 24-bit samples into the cache.

    Parameters
    ----------
    progress : callable or None
        Called before each step with its name, its number from 0 and how many there are,
        and once at the end with an empty name.
    """
    from eegcore.kernels import _jit

    _jit.announced()
    names = steps()
    done = 0
    for recording in _recordings():
        for _, work in _WORK:
            if progress is not None:
                progress(names[done], done, len(names))
            work(recording)
            done += 1
    if progress is not None:
        progress("", done, len(names))


def freeze_all(progress: Callable[[str, int, int], None] | None = None) -> int:
    """Freeze all kernels for this processor (`eegcore.frozen`); minutes the first time.

    Only for a process that has not used a kernel yet. Returns how many were frozen.

    Raises
    ------
    ReadError
        There is no folder that can be written to.
    """
    from eegcore import compiled, frozen
    from eegcore.kernels import _freeze

    folder = frozen.frozen_folder()
    if folder is None:
        raise ReadError("no folder can be written to; set EEGCORE_CACHE_DIR to one")
    asked = os.environ.pop("EEGCORE_FROZEN", None)
    compiled.kernel.cache_clear()
    try:
        compile_all()
        count, done = len(_freeze.signatures()), -1

        def told(name: str) -> None:
            nonlocal done
            done += 1
            if progress is not None:
                progress(name, done, count)

        def is_there(name: str, key: str) -> bool:
            return (folder / f"{frozen.stem(name, key)}.json").exists()

        written = 0
        for item in _freeze.freeze(told, is_there):
            _freeze.write(folder, frozen.stem(item.name, item.key), item)
            written += 1
        if progress is not None:
            progress("", count, count)
        return written
    finally:
        compiled.kernel.cache_clear()
        if asked is not None:
            os.environ["EEGCORE_FROZEN"] = asked


def load_windows() -> None:
    """Have the kernels of windowed features of 16-bit samples ready, and no others."""
    _windows(next(_recordings()))


def _recordings() -> Iterator[Recording]:
    """Two channels of noise, stored as 16 and as 24 bits."""
    rng = np.random.default_rng(1)
    values = rng.integers(-3000, 3000, 2 * int(_RATE_HZ) * _SECONDS).astype("<i4")
    yield _recording(values.astype("<i2"), "int16", 1)
    low_bytes = values.view(np.uint8).reshape(-1, 4)[:, :3]
    yield _recording(np.ascontiguousarray(low_bytes).reshape(-1), "int24", 3)


def _recording(
    data: NDArray[np.generic], encoding: Literal["int16", "int24"], width: int
) -> Recording:
    per_record = int(_RATE_HZ)
    data.flags.writeable = False
    store = SampleStore(
        data,
        encoding,
        2 * per_record * width,
        np.array([0, per_record * width]),
        np.array([per_record, per_record]),
        _SECONDS,
    )
    channels = tuple(
        Channel(
            name=name,
            label=name,
            kind="eeg",
            rate_hz=_RATE_HZ,
            n_samples=per_record * _SECONDS,
            unit="uV",
            to_uv=1.0,
            gain=1.0,
            offset=0.0,
            digital_min=-32768.0,
            digital_max=32767.0,
            physical_min=-32768.0,
            physical_max=32767.0,
            highpass_hz=None,
            lowpass_hz=None,
            prefilter="",
            transducer="",
        )
        for name in ("C3", "C4")
    )
    timeline = Timeline((Segment(0.0, float(_SECONDS)),), 0.0, None)
    loader = ArrayLoader(store, timeline)
    return Recording(Source("array", channels, 1.0, _SECONDS, True, loader))  # noqa: FBT003
