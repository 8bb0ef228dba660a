"""File to all 21 features of every window, against scipy, numpy and yasa.

The same number of threads on both sides; page cache warm; nothing kept between calls.
"""

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from eegcore import blocksums, edf, edf_signals, montage, units
from eegcore.formats import open_recording
from eegcore.windowed import FEATURES, windowed_features
from gen_data import make
from plain import Mapped, features
from rounds import Row, compare, show

BANDS = tuple(name for name in FEATURES if "_power" in name or "_relative" in name)


def table() -> list[Row]:
    """Compare."""
    rows = []
    for threads in (1, 2):
        rows += _whole(threads)
    return [*rows, *_yasa(), *_mne_features(), *_one_window()]


def _ours(path, channels, window_sec, names, **options):
    blocksums.forget()
    recording = open_recording(path)
    channels = [recording.names[c] for c in channels]
    return windowed_features(
        recording, channels=channels, features=names, window_sec=window_sec, **options
    )


def _whole(threads: int) -> list[Row]:
    os.environ["EEGCORE_THREADS"] = str(threads)
    scalp, night = make("scalp"), make("night")
    pool = ThreadPoolExecutor(threads)
    every = range(23)

    def peer_scalp() -> None:
        mapped = Mapped(scalp)
        list(pool.map(lambda c: features(mapped.channel(c), 256.0, 10), every))

    def peer_night() -> None:
        features(Mapped(night).channel(0), 100.0, 30)

    rows = [
        compare(
            f"4 h x 23 x 256 Hz, 10-s windows, 21 features, {threads} thread(s)",
            "scipy + numpy",
            lambda: _ours(scalp, every, 10.0, FEATURES),
            peer_scalp,
            must=20,
            aim=35,
        )
    ]
    if threads == 1:
        rows.append(
            compare(
                "23 h x 1 x 100 Hz, 30-s windows, 21 features, 1 thread",
                "scipy + numpy",
                lambda: _ours(night, (0,), 30.0, FEATURES),
                peer_night,
                must=15,
                aim=25,
            )
        )
    pool.shutdown()
    return rows


def _yasa() -> list[Row]:
    try:
        import yasa
    except ImportError:
        return []
    os.environ["EEGCORE_THREADS"] = "1"
    night = make("night")
    x = Mapped(night).channel(0)[: 3000 * 2760].reshape(-1, 3000)
    named = [(a, b, str(i)) for i, (a, b) in enumerate(((1, 4), (4, 8), (8, 13)))]
    named += [(13, 30, "3"), (30, 45, "4")]

    def peer() -> None:
        for row in x[::60]:
            yasa.bandpower(row, sf=100.0, win_sec=2, bands=named)

    return [
        compare(
            "23 h x 1 x 100 Hz, 30-s windows, bands, 1 thread",
            "yasa.bandpower",
            lambda: _ours(night, (0,), 30.0, BANDS),
            peer,
            share=46 / 2760,
            must=50,
            aim=80,
        )
    ]


def _mne_features() -> list[Row]:
    try:
        from mne_features import univariate as peers
    except ImportError:
        return []
    os.environ["EEGCORE_THREADS"] = "1"
    night = make("night")
    x = Mapped(night).channel(0)[: 3000 * 2760].reshape(-1, 1, 3000)
    edges = np.array([1.0, 4.0, 8.0, 13.0, 30.0, 45.0])
    welch = {"welch_n_fft": 200, "welch_n_per_seg": 200, "welch_n_overlap": 100}

    def peer() -> None:
        for window in x[::60]:
            for feature in (
                *(peers.compute_rms, peers.compute_std, peers.compute_kurtosis),
                *(peers.compute_ptp_amp, peers.compute_line_length),
                *(peers.compute_hjorth_mobility, peers.compute_zero_crossings),
            ):
                feature(window)
            peers.compute_pow_freq_bands(
                100.0, window, freq_bands=edges, psd_method="welch", psd_params=welch
            )

    return [
        compare(
            "23 h x 1 x 100 Hz, 30-s windows, 21 features (peer: 12), 1 thread",
            "mne-features",
            lambda: _ours(night, (0,), 30.0, FEATURES),
            peer,
            share=46 / 2760,
            must=50,
            aim=80,
        )
    ]


def _forget_headers(*, texts: bool) -> None:
    """Forget headers that were read before, and perhaps what their texts mean, too.

    Without texts: as at the first opening of another file of the same montage.
    """
    known = [
        *(edf._known_channels, edf._known_places, edf._calibration),
        *(edf_signals._known_signals, edf_signals.field_number),
        edf_signals.field_integer,
    ]
    if texts:
        known += [edf._montage, montage.channel_kind, montage.clean_label]
        known += [montage.parse_electrode, units.unit_and_factor, units.filter_edges]
    for function in known:
        function.cache_clear()


def _one_window() -> list[Row]:
    import pyedflib

    night = make("night")
    at = iter(np.tile(np.random.default_rng(3).permutation(2700), 40) * 30)

    def ours() -> None:
        start = float(next(at))
        recording = open_recording(night)
        windowed_features(
            recording,
            channels=recording.names[0],
            features=FEATURES,
            window_sec=30.0,
            start_sec=start,
            stop_sec=start + 30,
        )

    def ours_of_montage() -> None:
        _forget_headers(texts=False)
        ours()

    def ours_anew() -> None:
        _forget_headers(texts=True)
        ours()

    def peer() -> None:
        start = int(next(at))
        with pyedflib.EdfReader(str(night)) as file:
            x = file.readSignal(0, start * 100, 3000)
        features(x, 100.0, 30)

    def many(function):
        return lambda: [function() for _ in range(20)]

    return [
        compare(
            "open 23 h, 21 features of one 30-s window (20 times)",
            "pyedflib + scipy",
            many(ours),
            many(peer),
            rounds=7,
            must=5,
            aim=10,
        ),
        compare(
            "the same, first opening of a file of a known montage",
            "pyedflib + scipy",
            many(ours_of_montage),
            many(peer),
            rounds=7,
        ),
        compare(
            "the same, nothing known of the header's texts either",
            "pyedflib + scipy",
            many(ours_anew),
            many(peer),
            rounds=7,
        ),
    ]


if __name__ == "__main__":
    show("Windowed features, from file to features", table())
