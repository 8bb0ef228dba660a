"""Sets on which the rule-based analysts are developed and reported (see bench_rules).

Every set is built in memory from real recordings, from pieces of them (semi-real) or by
the simulator. Development and report sets share no signal of a labelled class.
"""

import io
import json
import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.io import loadmat
from scipy.signal import butter, resample_poly, sosfiltfilt

import eegcore
from eegcore import simulate
from eegcore.simulate.artifacts import mixed
from rules_splice import spliced_hours, spliced_nights

Values = NDArray[np.float64]
RATE_HZ = 256.0
LEVELS_DB = tuple(range(-7, 3))


@dataclass(frozen=True)
class Case:
    """One instance: what the agent gets and what is true."""

    recording: "eegcore.Recording | None"
    truth: object
    group: object
    facts: dict[str, object] = field(default_factory=dict)
    question: str = ""
    options: dict[str, str] | None = None


def one_channel(
    signal: Values, rate_hz: float, name: str = "EEG"
) -> "eegcore.Recording":
    return eegcore.from_array(np.ascontiguousarray(signal)[None], rate_hz, [name])


def held(simulated: simulate.Simulated, folder: Path, name: str) -> "eegcore.Recording":
    """Write a simulated recording once and open it (rates may differ)."""
    path = folder / f"{name}.edf"
    return eegcore.open(simulated.write_edf(path))


def text_column(path: Path) -> Values:
    rows = path.read_text().splitlines()
    return np.array([float(r.split()[-1]) for r in rows if r and r[0] != "#"])


def at_256(signal: Values, rate_hz: float, low_hz: float) -> Values:
    """Resample to 256 Hz and cut drift below a frequency."""
    centred = np.asarray(signal, dtype=np.float64) - np.mean(signal)
    up = resample_poly(centred, 256, int(rate_hz))
    sos = butter(2, low_hz, "high", fs=RATE_HZ, output="sos")
    return sosfiltfilt(sos, up)


def epochs(signal: Values) -> Values:
    count = len(signal) // 512
    return signal[: count * 512].reshape(count, 512)


# --- T2 ----------------------------------------------------------------------
def t2_develop(data: Path) -> Iterator[Case]:
    rng = np.random.default_rng(2)
    clean: list[Values] = []
    for subject in ("00", "01", "05"):
        with eegcore.open(data / f"eegmat/Subject{subject}_1.edf") as rec:
            for name in ("EEG F3", "EEG C4", "EEG P3", "EEG O2", "EEG Fz", "EEG T5"):
                clean += list(epochs(at_256(rec.read(name)[0], 500, 0.5)))[:12]
    for name in ("eeg_ec", "eeg_eo"):
        signal = text_column(data / f"biosppy/{name}.txt")
        clean += list(epochs(at_256(signal, 125, 0.5)))[:60]
    eyes: list[Values] = []
    for name in ("VEOG", "HEOG"):
        matrix = loadmat(data / f"eog-klados/{name}.mat")
        for key in sorted(k for k in matrix if not k.startswith("_")):
            eyes += list(epochs(at_256(matrix[key].ravel(), 200, 0.5)))
    with np.load(data / "yasa/data_EOGs_REM_256Hz.npz") as rem:
        for row in np.atleast_2d(rem[rem.files[0]]):
            eyes += list(epochs(at_256(row, 256, 0.5)))
    moved = [e for e in eyes if e.std() > np.median([x.std() for x in eyes])]
    muscle = list(
        epochs(at_256(text_column(data / "biosppy/emg.txt")[:50000], 1000, 10))
    )
    yield from _mixtures(rng, clean, moved, muscle, 150)


def t2_report(data: Path) -> Iterator[Case]:
    noisy = np.load(data / "eegdenoisenet/eog_test/EOG_data_input.npy")
    clean = np.load(data / "eegdenoisenet/eog_test/EOG_data_output.npy")
    raw = text_column(data / "biosppy/emg.txt")[50000:]
    muscle = list(epochs(at_256(raw, 1000, 10)))
    slp = loadmat(data / "slpdb/slp41_60s.mat")["val"][6]
    muscle += list(epochs(at_256(slp, 250, 10)))
    with eegcore.open(data / "edf-reader/rsleep_nox_psg_120s.edf") as rec:
        for name in ("1-2", "Right Leg"):
            muscle += list(epochs(at_256(rec.read(name)[0], 200, 10)))[:30]
    order = np.random.default_rng(22).permutation(len(muscle))
    for i in range(clean.shape[1]):
        level = i % 10
        scale = 10.0 / clean[level, i].std()  # one plausible amplitude: 10 uV of EEG
        eeg = clean[level, i] * scale
        artifact = muscle[order[i % len(order)]]
        made = {
            "clean": eeg,
            "ocular": noisy[level, i] * scale,
            "muscle": mixed(eeg, artifact - artifact.mean(), LEVELS_DB[level]),
        }
        for label, signal in made.items():
            yield Case(one_channel(signal, RATE_HZ), label, i)


def _mixtures(
    rng: np.random.Generator,
    clean: Sequence[Values],
    eyes: Sequence[Values],
    muscle: Sequence[Values],
    n_each: int,
) -> Iterator[Case]:
    for i, place in enumerate(rng.permutation(len(clean))[:n_each]):
        eeg = clean[place]
        yield Case(one_channel(eeg, RATE_HZ), "clean", int(place))
        for label, pool in (("ocular", eyes), ("muscle", muscle)):
            artifact = pool[int(rng.integers(len(pool)))]
            signal = mixed(eeg, artifact - artifact.mean(), LEVELS_DB[i % 10])
            yield Case(one_channel(signal, RATE_HZ), label, int(place))


# --- T3 ----------------------------------------------------------------------
def bonn(letters: str, *, released: bool | None) -> Callable[[Path], Iterator[Case]]:
    """Segments of some sets: of the release's 188, of the rest, or all (None)."""

    def cases(data: Path) -> Iterator[Case]:
        lines = (data / "official/runtime/T3.jsonl").read_text().splitlines()
        ids = {Path(json.loads(line)["records"][0]["data_path"]).stem for line in lines}
        for letter in letters:
            with zipfile.ZipFile(data / f"bonn/{letter}.zip") as archive:
                for member in sorted(archive.namelist()):
                    stem = Path(member).stem
                    wanted = released is None or (stem in ids) == released
                    if member.endswith("/") or not wanted:
                        continue
                    signal = np.loadtxt(io.BytesIO(archive.read(member)))
                    label = "normal" if letter in "ZO" else "epileptic"
                    yield Case(one_channel(signal, 173.61), label, stem)

    return cases


# --- T4 ----------------------------------------------------------------------
def florida(
    patients: tuple[int, int], healthy: tuple[int, int]
) -> Callable[[Path], Iterator[Case]]:
    def cases(data: Path) -> Iterator[Case]:
        for label, archive, (low, high) in (
            ("AD", "AD_eyes_closed.zip", patients),
            ("HC", "Healthy_eyes_closed.zip", healthy),
        ):
            people: dict[int, dict[str, Values]] = defaultdict(dict)
            with zipfile.ZipFile(data / "ad-florida" / archive) as opened:
                for member in opened.namelist():
                    path = Path(member)
                    digits = "".join(c for c in path.parent.name if c.isdigit())
                    if path.suffix == ".txt" and digits and low <= int(digits) <= high:
                        values = np.loadtxt(io.BytesIO(opened.read(member)))
                        people[int(digits)][path.stem] = values
            for number in sorted(people):
                names = sorted(people[number])
                matrix = np.stack([people[number][n] for n in names])
                yield Case(
                    eegcore.from_array(matrix, 128.0, names), label, (label, number)
                )

    return cases


# --- T5 ----------------------------------------------------------------------
def hours(seeds: Sequence[int]) -> Callable[[Path], Iterator[Case]]:
    def cases(data: Path) -> Iterator[Case]:
        del data
        for seed in seeds:
            made = simulate.seizure_recording(seed, n_seizures=(1, 0, 2, 1)[seed % 4])
            rec = eegcore.from_array(
                made.data, made.rate_hz, _unique(made.channel_names)
            )
            yield Case(rec, made.truth["events"], f"simulated {seed}")

    return cases


def _unique(names: Sequence[str]) -> list[str]:
    seen: Counter[str] = Counter()
    out = []
    for name in names:
        repeated = names.count(name) > 1
        out.append(f"{name}-{seen[name]}" if repeated else name)
        seen[name] += 1
    return out


def whole_chb01(data: Path) -> Iterator[Case]:
    for name in (
        "03_2986s-3036s",
        "04_1457s-1494s",
        "15_1722s-1772s",
        "16_1005s-1066s",
    ):
        rec = eegcore.open(data / f"chbmit/excerpts/chb01_{name}.edf")
        yield Case(rec, ((10.0, rec.duration_sec),), name)


def spliced(subjects: Sequence[str], seed: int) -> Callable[[Path], Iterator[Case]]:
    def cases(data: Path) -> Iterator[Case]:
        for rec, events, subject in spliced_hours(data, subjects, seed):
            yield Case(rec, events, subject)

    return cases


# --- T6 ----------------------------------------------------------------------
def nights(
    specs: Sequence[tuple[int, float, float]],
) -> Callable[[Path], Iterator[Case]]:
    """Simulated nights: seed, hours, rate of the chin EMG."""

    def cases(folder: Path) -> Iterator[Case]:
        del folder
        import tempfile

        with tempfile.TemporaryDirectory() as scratch:
            for seed, n_hours, emg_hz in specs:
                made = simulate.night(
                    seed, duration_sec=n_hours * 3600, emg_rate_hz=emg_hz
                )
                rec = held(made, Path(scratch), f"night{seed}")
                yield Case(rec, made.truth["stages"], seed, {"age": made.age})

    return cases


def dreams(number: int, rate_hz: float) -> Callable[[Path], Iterator[Case]]:
    def cases(data: Path) -> Iterator[Case]:
        signal = np.loadtxt(data / f"dreams/excerpt{number}.txt", skiprows=1)
        codes = np.loadtxt(data / f"dreams/Hypnogram_excerpt{number}.txt", skiprows=1)
        names = {5: "W", 4: "REM", 3: "N1", 2: "N2", 1: "N3", 0: "N3"}
        rows = codes.astype(int)[: len(codes) // 6 * 6].reshape(-1, 6)
        stages = [Counter(names[c] for c in row).most_common(1)[0][0] for row in rows]
        rec = one_channel(signal, rate_hz, "EEG C3-A1")
        yield Case(rec, tuple(stages), f"dreams {number}")

    return cases


def dynamo(data: Path) -> Iterator[Case]:
    signal, stages = dynamo_signal(data)
    yield Case(one_channel(signal, 100.0), tuple(stages), "sleep-dynamo")


def dynamo_signal(data: Path) -> tuple[Values, list[str | None]]:
    """Return the signal and the stage that covers each epoch's middle."""
    signal = np.loadtxt(data / "sleep-dynamo/segment_data.csv")
    table = np.loadtxt(
        data / "sleep-dynamo/segment_stages.csv", delimiter=",", skiprows=1
    )
    names = {5: "W", 4: "REM", 3: "N1", 2: "N2", 1: "N3"}
    out: list[str | None] = []
    for epoch in range(len(signal) // 3000):
        row = np.searchsorted(table[:, 0], 30 * epoch + 15, side="right") - 1
        out.append(names.get(int(table[max(row, 0), 1])))
    return signal, out


def wakes(names: Sequence[str]) -> Callable[[Path], Iterator[Case]]:
    def cases(data: Path) -> Iterator[Case]:
        for name in names:
            rec = one_channel(wake_signal(data, name), 100.0, "EEG Pz-Oz")
            yield Case(rec, ("W",) * 333, name)

    return cases


def wake_signal(data: Path, name: str) -> Values:
    path = data / f"sleep-edfx/wake_10000s/{name}E0-PSG_edfm.mat"
    return loadmat(path)["val"].ravel() * (393 / 4095)


def semi_real_nights(data: Path) -> Iterator[Case]:
    pieces, stages = dynamo_signal(data)
    awake = wake_signal(data, "SC4021")
    for signal, night, subject in spliced_nights(data, pieces, stages, awake):
        yield Case(one_channel(signal, 100.0), tuple(night), subject)


# --- T1 ----------------------------------------------------------------------
def questions(data: Path) -> Iterator[Case]:
    for line in (data / "medmcqa/dev_eeg.jsonl").read_text().splitlines():
        row = json.loads(line)
        options = {k: row[f"op{k.lower()}"] for k in "ABCD"}
        yield Case(
            None, "ABCD"[int(row["cop"]) - 1], row["id"], {}, row["question"], options
        )
    path = data / "medmcqa/medqa_usmle_test_eeg.jsonl"
    for i, line in enumerate(path.read_text().splitlines()):
        row = json.loads(line)
        yield Case(None, row["answer_idx"], i, {}, row["question"], row["options"])
