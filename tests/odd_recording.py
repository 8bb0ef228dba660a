"""A recording with what answers have to take into account."""

from pathlib import Path

import numpy as np

import eegcore
from edf_writer import Annotations, Edf, Signal, tal


def odd_recording(folder: Path, *, percent: str = "SaO2") -> eegcore.Recording:
    """Channels of other units, a flat one, and a gap, in ``folder``/odd.edf.

    percent: name of the channel in percent.
    """
    rng = np.random.default_rng(6)
    waves = rng.integers(-900, 900, size=(4, 1200)).tolist()
    signals = [
        Signal("EEG C3", waves[0], 100),
        Signal("EEG C4", waves[1], 100),
        Signal("EEG Cz", [7] * 1200, 100),
        Signal(percent, waves[2], 100, unit="%"),
        Signal("EEG O1", waves[3], 100),
        Annotations([tal(f"+{i if i < 6 else i + 30}") for i in range(12)]),
    ]
    path = folder / "odd.edf"
    path.write_bytes(Edf(signals, reserved="EDF+D").to_bytes())
    return eegcore.open(path)
