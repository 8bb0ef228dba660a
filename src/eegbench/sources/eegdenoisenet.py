"""EEGdenoiseNet: clean EEG, eye and muscle segments of 2 s to be mixed.

Three arrays, one segment a row: `EEG_all_epochs.npy` and `EOG_all_epochs.npy` have 512
samples (256 Hz). `EMG_all_epochs.npy` is shipped at 256 Hz as well as, under the name
`..._512hz.npy`, at its own 512 Hz (1024 samples); rows of 1024 are brought to 512 by a
polyphase filter. Which rows are used is drawn by a stated rule.

References
----------
H. Zhang et al., J. Neural Eng. 18, 056057 (2021).
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.signal import resample_poly

from eegbench.errors import SourceError
from eegbench.sources.folders import walk_files

RATE_HZ = 256.0
N_SAMPLES = 512
CHANNEL = "EEG"
FILES = {"clean": "EEG", "ocular": "EOG", "muscle": "EMG"}
"""Class to the first letters of the array with its segments."""


@dataclass(frozen=True, slots=True, eq=False)
class Segments:
    """The three arrays, memory-mapped where they can be; rows are segments."""

    eeg: NDArray[np.floating]
    eog: NDArray[np.floating]
    emg: NDArray[np.floating]


def find_array(folder: Path, letters: str) -> Path | None:
    """File of one array; the one at 256 Hz before the one at 512 Hz."""
    found = list(walk_files(folder, rf"{letters}_all_epochs(_512hz)?\.npy"))
    return min(found, key=lambda path: (len(path.name), str(path)), default=None)


def load_segments(folder: Path) -> Segments:
    """Load the three arrays of a folder; a missing or misshapen one is an error."""
    arrays = []
    for letters in FILES.values():
        path = find_array(folder, letters)
        if path is None:
            raise SourceError(f"{folder}: no {letters}_all_epochs.npy")
        try:
            array = np.load(path, mmap_mode="r", allow_pickle=False)
        except (OSError, ValueError) as error:
            raise SourceError(f"cannot read {path.name}: {error}") from error
        if array.ndim != 2 or array.shape[1] not in (N_SAMPLES, 2 * N_SAMPLES):
            raise SourceError(
                f"{path.name} has shape {array.shape}; rows of {N_SAMPLES} or "
                f"{2 * N_SAMPLES} samples are allowed"
            )
        arrays.append(array)
    return Segments(*arrays)


def segment(array: NDArray[np.floating], row: int) -> NDArray[np.float64]:
    """One row at 256 Hz: float64 (512,), uV; 1024 samples are halved in rate."""
    values = np.asarray(array[row], dtype=np.float64)
    if values.size == 2 * N_SAMPLES:
        values = np.asarray(resample_poly(values, 1, 2), dtype=np.float64)
    return values


def drawn_rows(n_rows: int, n_wanted: int, key: str) -> NDArray[np.int64]:
    """Rows to use, int64 (n_wanted,): those whose sha256 of key and number is least.

    No row twice, the same on every machine and version; fewer rows than wanted is an
    error.
    """
    if n_rows < n_wanted:
        raise SourceError(f"{n_rows} segments for {key}, {n_wanted} are needed")

    def rank(row: int) -> bytes:
        return hashlib.sha256(f"eegbench\n{key}\n{row}".encode()).digest()

    return np.array(sorted(range(n_rows), key=rank)[:n_wanted], dtype=np.int64)


def mixed(
    eeg_uv: NDArray[np.float64], artifact_uv: NDArray[np.float64], snr_db: float
) -> NDArray[np.float64]:
    """EEG plus an artifact scaled to a signal-to-noise ratio, float64 (n_samples,).

    Notes
    -----
    scale = RMS(eeg) / (RMS(artifact) * 10^(snr_db / 10)). The exponent is that of a
    power ratio though RMS values are divided: so it is in the source, which calls
    this SNR in dB; in the usual definition the levels would read twice as high.
    A silent artifact or EEG is an error, for no scale would do.

    References
    ----------
    EEGAgentBench paper, section 6.9, equations 10 and 11.
    """
    rms_eeg = float(np.sqrt(np.mean(np.square(eeg_uv))))
    rms_artifact = float(np.sqrt(np.mean(np.square(artifact_uv))))
    if not (rms_eeg > 0 and rms_artifact > 0):
        raise SourceError("a silent segment cannot be mixed to a ratio")
    scale = rms_eeg / (rms_artifact * 10 ** (snr_db / 10))
    return eeg_uv + scale * artifact_uv
