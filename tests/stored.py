"""Recordings of given stored integers, without a file."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from eegcore.arrays import ArrayLoader
from eegcore.recording import Recording, SampleStore
from eegcore.source import Channel, Source
from eegcore.timeline import Segment, Timeline


def stored_recording(
    values: NDArray[np.integer],
    rate_hz: float,
    *,
    per_record: int | None = None,
    encoding: Literal["int16", "int24"] = "int16",
    gain: float = 0.1,
    offset: float = 0.0,
) -> Recording:
    """Recording of (n_channels, n_samples) integers, a whole number of records."""
    n_channels, n = values.shape
    per_record = per_record or n
    n_records = n // per_record
    assert n_records * per_record == n
    by_record = values.reshape(n_channels, n_records, per_record).transpose(1, 0, 2)
    flat = np.ascontiguousarray(by_record).ravel()
    width = 1 if encoding == "int16" else 3
    if encoding == "int16":
        data: NDArray[np.generic] = flat.astype("<i2")
    else:
        data = flat.astype("<i4").view(np.uint8).reshape(-1, 4)[:, :3].reshape(-1)
    data.flags.writeable = False
    store = SampleStore(
        data,
        encoding,
        n_channels * per_record * width,
        np.arange(n_channels, dtype=np.int64) * per_record * width,
        np.full(n_channels, per_record, np.int64),
        n_records,
    )
    channels = tuple(
        Channel(
            name=f"C{i}",
            label=f"C{i}",
            kind="eeg",
            rate_hz=rate_hz,
            n_samples=n,
            unit="uV",
            to_uv=1.0,
            gain=gain,
            offset=offset,
            digital_min=-32768.0,
            digital_max=32767.0,
            physical_min=-32768.0,
            physical_max=32767.0,
            highpass_hz=None,
            lowpass_hz=None,
            prefilter="",
            transducer="",
        )
        for i in range(n_channels)
    )
    timeline = Timeline((Segment(0.0, n / rate_hz),), 0.0, None)
    loader = ArrayLoader(store, timeline)
    return Recording(
        Source("array", channels, per_record / rate_hz, n_records, True, loader)
    )
