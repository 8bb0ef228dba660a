"""Small folders laid out as the public data sets are, filled with simulated signals."""

import json
import zipfile
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import numpy as np
import pyedflib

from eegcore.simulate.simulated import START, microvolt_recording

CHB = ["FP1-F7", "F7-T7", "T8-P8", "T8-P8"]
SUMMARY = """Data Sampling Rate: 256 Hz

Channels in EDF Files:
Channel 1: FP1-F7

File Name: chb01_01.edf
Number of Seizures in File: 1
Seizure Start Time: 10 seconds
Seizure End Time: 20 seconds

File Name: chb01_02.edf
Number of Seizures in File: 0

File Name: chb01_03.edf
Number of Seizures in File: 0
"""


def edf(
    path: Path,
    duration_sec: int,
    *,
    names: Sequence[str] = ("EEG Fpz-Cz", "EEG Pz-Oz", "EOG horizontal"),
    rate_hz: float = 32.0,
    record_sec: float = 1.0,
) -> Path:
    """Write a plain EDF file of noise."""
    rng = np.random.default_rng(len(path.name) + duration_sec)
    data = rng.normal(0, 20, (len(names), int(duration_sec * rate_hz)))
    path.parent.mkdir(parents=True, exist_ok=True)
    made = microvolt_recording(
        data,
        rate_hz,
        channel_names=names,
        truth={},
        record_duration_sec=record_sec,
    )
    return made.write_edf(path)


def hypnogram(
    path: Path,
    stages: Sequence[tuple[float, float, str]],
    *,
    start: datetime = START,
) -> Path:
    """Write an EDF+ file with nothing but annotations."""
    path.parent.mkdir(parents=True, exist_ok=True)
    writer = pyedflib.EdfWriter(str(path), 0, file_type=pyedflib.FILETYPE_EDFPLUS)
    writer.setStartdatetime(start)
    for onset_sec, duration_sec, text in stages:
        writer.writeAnnotation(onset_sec, duration_sec, text)
    writer.close()
    return path


def bonn(folder: Path, n: int = 4, *, n_samples: int = 4097) -> Path:
    """Write sets Z and N as zips, O and S as folders."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(3)

    def text() -> str:
        return "".join(f"{value}\r\n" for value in rng.integers(-90, 90, n_samples))

    for letter in "ZN":
        with zipfile.ZipFile(folder / f"{letter}.zip", "w") as archive:
            for number in range(1, n + 1):
                archive.writestr(f"{letter}{number:03d}.txt", text())
    for letter in "OS":
        (folder / letter).mkdir()
        for number in range(1, n + 1):
            (folder / letter / f"{letter}{number:03d}.TXT").write_text(text())
    return folder


def chbmit(folder: Path) -> Path:
    """Three annotated records of 30 s, one with a seizure, and one that none lists."""
    case = folder / "chb01"
    for number in (1, 2, 3, 9):
        edf(case / f"chb01_{number:02d}.edf", 30, names=CHB)
    (case / "chb01-summary.txt").write_text(SUMMARY)
    return folder


def sleep_edfx(folder: Path, *, record_sec: float = 30.0) -> Path:
    """One night of 40 epochs: 20 wake, 8 N2, 12 wake; another without hypnogram."""
    nights = folder / "sleep-cassette"
    edf(nights / "SC4001E0-PSG.edf", 1200, rate_hz=10, record_sec=record_sec)
    edf(nights / "SC4012E0-PSG.edf", 60, rate_hz=10, record_sec=record_sec)
    hypnogram(
        nights / "SC4001EC-Hypnogram.edf",
        [
            (0, 600, "Sleep stage W"),
            (600, 240, "Sleep stage 2"),
            (840, 360, "Sleep stage W"),
            (1200, 600, "Sleep stage ?"),
        ],
    )
    return folder


def eegdenoisenet(folder: Path, n: int = 310, *, emg_samples: int = 512) -> Path:
    """Three arrays with enough rows."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(4)
    for letters, n_rows, width in (
        ("EEG", n, 512),
        ("EOG", 120, 512),
        ("EMG", 110, emg_samples),
    ):
        np.save(
            folder / f"{letters}_all_epochs.npy", rng.normal(0, 20, (n_rows, width))
        )
    return folder


def medmcqa(folder: Path) -> Path:
    """Write a split of five rows: two of EEG, one repeated, one other, one broken."""
    folder.mkdir(parents=True, exist_ok=True)
    base = {"opb": "theta", "opc": "beta", "opd": "delta", "subject_name": "Physiology"}
    rows = [
        {"id": "q1", "question": "EEG with eyes closed?", "opa": "alpha", "cop": 1},
        {"id": "q2", "question": "EEG with eyes closed?", "opa": "alpha", "cop": 1},
        {"id": "q3", "question": "Largest bone?", "opa": "femur", "cop": 4},
        {"id": "q4", "question": "Sleep spindles: which stage?", "opa": "N2", "cop": 2},
    ]
    lines = [json.dumps(row | base) for row in rows]
    (folder / "dev.json").write_text("\n".join([*lines, "{broken"]) + "\n")
    return folder


def ds004504(folder: Path) -> Path:
    """Three people: one with a signal file, one with a pointer, one without."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = ["participant_id\tGender\tAge\tGroup\tMMSE"]
    rows += ["sub-001\tF\t57\tA\t16", "sub-002\tM\t66\tF\t20", "sub-003\tF\t70\tC\t30"]
    (folder / "participants.tsv").write_text("\n".join(rows) + "\n")
    for number, content in ((1, b"MATLAB 5.0 MAT-file"), (2, b"/annex/objects/x")):
        eeg = folder / f"sub-{number:03d}" / "eeg"
        eeg.mkdir(parents=True)
        stem = f"sub-{number:03d}_task-eyesclosed"
        (eeg / f"{stem}_eeg.set").write_bytes(content)
        (eeg / f"{stem}_channels.tsv").write_text(
            "name\ttype\tunits\nFp1\tEEG\tmicroV\n"
        )
        (eeg / f"{stem}_eeg.json").write_text(
            json.dumps({"SamplingFrequency": 500, "RecordingDuration": 599.8})
        )
    return folder


def all_sources(root: Path) -> Path:
    """One folder per data set, under names as downloads give them."""
    bonn(root / "Bonn-EEG")
    chbmit(root / "physionet.org" / "files" / "chbmit" / "1.0.0")
    sleep_edfx(root / "sleep-edf-database-expanded-1.0.0")
    eegdenoisenet(root / "EEGdenoiseNet")
    medmcqa(root / "medmcqa")
    ds004504(root / "ds004504-download")
    return root
