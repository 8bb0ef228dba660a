"""What the simulator hands out: digital samples, their scale, and the truth."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from types import MappingProxyType, ModuleType

import numpy as np
from numpy.typing import NDArray

from eegcore.errors import ArgumentError, RateError

DIGITAL_MIN, DIGITAL_MAX = -32768, 32767
START = datetime(2000, 1, 1, 22, 0, 0)
MICROVOLT_STEP = 0.05  # digital step of every voltage: +-1638.4 uV


@dataclass(frozen=True, slots=True, eq=False)
class Simulated:
    """A simulated recording and its truth.

    Attributes
    ----------
    digital : tuple of int16 (n_samples,)
        One array a channel, on the grid of the file; rates may differ.
    rates_hz, channel_names, units, steps : tuple
        Per channel: rate, EDF label, unit, unit per digital step.
    truth : mapping
        What was put in: ``stages``, ``events``, ``label``, ``snr_db``, ...
    age, sex : int or None, "F" or "M" or None
        Facts that a prompt may show.
    """

    digital: tuple[NDArray[np.int16], ...]
    rates_hz: tuple[float, ...]
    channel_names: tuple[str, ...]
    units: tuple[str, ...]
    steps: tuple[float, ...]
    truth: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    record_duration_sec: float = 1.0
    age: int | None = None
    sex: str | None = None

    @property
    def signals(self) -> tuple[NDArray[np.float64], ...]:
        """Each channel in its unit, on the digital grid."""
        return tuple(
            d.astype(np.float64) * s
            for d, s in zip(self.digital, self.steps, strict=True)
        )

    @property
    def rate_hz(self) -> float:
        """The one rate of all channels; RateError if they differ."""
        if len(set(self.rates_hz)) != 1:
            rates = ", ".join(f"{rate:g}" for rate in sorted(set(self.rates_hz)))
            raise RateError(f"channels have the rates {rates} Hz; read signals instead")
        return self.rates_hz[0]

    @property
    def data(self) -> NDArray[np.float64]:
        """float64 (n_channels, n_samples); RateError if rates differ."""
        _ = self.rate_hz
        return np.stack(self.signals)

    @property
    def duration_sec(self) -> float:
        """Length in seconds."""
        return len(self.digital[0]) / self.rates_hz[0]

    def write_edf(self, path: str | Path) -> Path:
        """Write a plain EDF file (needs pyedflib) and return its path.

        The header says "simulated"; it holds neither truth nor identity.
        """
        import pyedflib

        with warnings.catch_warnings():
            # pyedflib warns of any record duration that is set by hand
            warnings.simplefilter("ignore", UserWarning)
            self._write(path := Path(path), pyedflib)
        return path

    def _write(self, path: Path, pyedflib: ModuleType) -> None:
        """Write all data records."""
        counts = _samples_per_record(self)
        n_records = len(self.digital[0]) // counts[0]
        header = {
            "transducer": "simulated",
            "prefilter": "",
            "digital_min": DIGITAL_MIN,
            "digital_max": DIGITAL_MAX,
        }
        writer = pyedflib.EdfWriter(
            str(path), len(self.digital), file_type=pyedflib.FILETYPE_EDF
        )
        try:
            writer.setDatarecordDuration(self.record_duration_sec)
            writer.setStartdatetime(START)
            writer.setPatientName("simulated")
            writer.setEquipment("eegcore.simulate")
            for i, count in enumerate(counts):
                writer.setSignalHeader(
                    i,
                    header
                    | {
                        "label": self.channel_names[i],
                        "dimension": self.units[i],
                        "sample_frequency": count / self.record_duration_sec,
                        "physical_min": round(DIGITAL_MIN * self.steps[i], 3),
                        "physical_max": round(DIGITAL_MAX * self.steps[i], 3),
                    },
                )
                writer.setSamplefrequency(i, count / self.record_duration_sec)
            rows = np.concatenate(
                [
                    d[: n_records * c].reshape(n_records, c)
                    for d, c in zip(self.digital, counts, strict=True)
                ],
                axis=1,
            )
            for row in rows:
                writer.blockWriteDigitalShortSamples(np.ascontiguousarray(row))
        finally:
            writer.close()


def _samples_per_record(simulated: Simulated) -> list[int]:
    """Count the samples of each channel in one data record."""
    return [round(r * simulated.record_duration_sec) for r in simulated.rates_hz]


def quantize(
    signals: Sequence[NDArray[np.float64]], steps: Sequence[float]
) -> tuple[NDArray[np.int16], ...]:
    """Round each signal to its digital grid, clipping at the rails."""
    return tuple(
        np.clip(np.rint(s / step), DIGITAL_MIN, DIGITAL_MAX).astype(np.int16)
        for s, step in zip(signals, steps, strict=True)
    )


def microvolt_recording(
    data: NDArray[np.float64],
    rate_hz: float,
    *,
    channel_names: Sequence[str],
    truth: Mapping[str, object],
    record_duration_sec: float = 1.0,
    age: int | None = None,
    sex: str | None = None,
) -> Simulated:
    """Return an all-voltage, one-rate recording from float64 (n_channels, n) in uV."""
    n = len(channel_names)
    return Simulated(
        digital=quantize(list(data), [MICROVOLT_STEP] * n),
        rates_hz=(rate_hz,) * n,
        channel_names=tuple(channel_names),
        units=("uV",) * n,
        steps=(MICROVOLT_STEP,) * n,
        truth=MappingProxyType(dict(truth)),
        record_duration_sec=record_duration_sec,
        age=age,
        sex=sex,
    )


def require_positive(name: str, value: float) -> None:
    """Raise ArgumentError unless the value is a finite number above 0."""
    if not (np.isfinite(value) and value > 0):
        raise ArgumentError(f"{name} is {value}; a number above 0 is allowed")
