"""Memory and time of building T6 from one very large night: nothing is loaded whole."""

import resource
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from bench import source_folders
from edf_writer import Edf, Signal
from eegbench.suites.eegagent.build import build

HOURS = 22
RATE_HZ = 2000
N_CHANNELS = 4


def large_night(folder: Path) -> Path:
    """A night of 1.27 GB (sparse): 7.7 h of wake, 6 h asleep, 8.3 h of wake."""
    folder.mkdir(parents=True)
    seconds = HOURS * 3600
    signals = [
        Signal(label=f"EEG C{k}", samples=[0] * RATE_HZ * 30, per_record=RATE_HZ * 30)
        for k in range(N_CHANNELS)
    ]
    head = Edf(signals=signals, duration="30", n_records=str(seconds // 30)).header()
    path = folder / "SC4001E0-PSG.edf"
    with path.open("wb") as stream:
        stream.write(head)
        stream.truncate(len(head) + seconds * RATE_HZ * N_CHANNELS * 2)
    source_folders.hypnogram(
        folder / "SC4001EC-Hypnogram.edf",
        [
            (0, 27750, "Sleep stage W"),
            (27750, 21600, "Sleep stage 2"),
            (49350, seconds - 49350, "Sleep stage W"),
        ],
    )
    return path


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        path = large_night(root / "src" / "sleep-edfx" / "sleep-cassette")
        before = peak_mb()
        began = time.perf_counter()
        build(root / "src", ["T6"], root / "set")
        took = time.perf_counter() - began
        (cut,) = (root / "set" / "recordings" / "T6").iterdir()
        print(f"a night of {path.stat().st_size / 1e6:.0f} MB, checked and trimmed to")
        print(
            f"{cut.stat().st_size / 1e6:.0f} MB in {took:.1f} s; peak memory rises by"
        )
        print(f"{peak_mb() - before:.1f} MB, from {before:.0f} MB with all imports")


if __name__ == "__main__":
    main()
