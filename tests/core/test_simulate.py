"""The simulator holds what it promises: truth, levels, and the same samples again."""

import hashlib
import warnings
from itertools import pairwise

import numpy as np
import pytest
from scipy.signal import welch

from eegcore import simulate
from eegcore.errors import ArgumentError, RateError
from eegcore.simulate import parameters as par
from eegcore.simulate.architecture import course
from eegcore.simulate.artifacts import mixed


def band_power(signal, rate_hz, low_hz, high_hz):
    frequency, density = welch(signal, rate_hz, nperseg=int(2 * rate_hz))
    inside = (frequency >= low_hz) & (frequency <= high_hz)
    return density[inside].sum() * (frequency[1] - frequency[0])


def digest(simulated):
    joined = b"".join(channel.tobytes() for channel in simulated.digital)
    return hashlib.sha256(joined).hexdigest()


MAKERS = {
    "night": lambda seed: simulate.night(seed, duration_sec=1800.0),
    "hour": lambda seed: simulate.seizure_recording(seed, duration_sec=300.0),
    "epoch": lambda seed: simulate.artifact_epoch(seed, kind="muscle", snr_db=-3.0),
    "bonn": lambda seed: simulate.bonn_like(seed, label="epileptic"),
    "resting": lambda seed: simulate.resting(seed, label="AD", duration_sec=8.0),
}


@pytest.mark.parametrize("kind", MAKERS)
def test_same_seed_gives_the_same_samples_and_another_seed_others(kind):
    first, again, other = (digest(MAKERS[kind](seed)) for seed in (7, 7, 8))
    assert first == again
    assert first != other


@pytest.mark.parametrize("kind", MAKERS)
def test_truth_says_simulated(kind):
    assert MAKERS[kind](1).truth["simulated"] is True


@pytest.mark.parametrize("kind", MAKERS)
def test_written_file_holds_the_same_digital_samples(kind, tmp_path):
    pyedflib = pytest.importorskip("pyedflib")
    simulated = MAKERS[kind](3)
    path = simulated.write_edf(tmp_path / "simulated.edf")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        with pyedflib.EdfReader(str(path)) as edf:
            assert tuple(edf.getSignalLabels()) == simulated.channel_names
            for i, expected in enumerate(simulated.digital):
                np.testing.assert_array_equal(edf.readSignal(i, digital=True), expected)
                assert edf.getSampleFrequency(i) == pytest.approx(
                    simulated.rates_hz[i], rel=1e-6
                )


def test_night_has_every_stage_and_one_label_an_epoch():
    for duration_sec in (900.0, 2 * 3600.0):
        night = simulate.night(1, duration_sec=duration_sec)
        stages = night.truth["stages"]
        assert len(stages) == duration_sec / 30
        assert set(stages) == set(par.STAGES)
        assert night.duration_sec == duration_sec


def test_day_long_recording_has_long_wake_at_both_ends():
    stages = course(np.random.default_rng(2), 22 * 3600.0)
    asleep = [i for i, stage in enumerate(stages) if stage != "W"]
    assert asleep[0] > 4 * 120
    assert len(stages) - asleep[-1] > 2 * 120


def test_stages_differ_as_the_manual_says():
    night = simulate.night(4, age=25, duration_sec=4 * 3600.0)
    fpz, _, eog, emg = night.data.reshape(4, -1, 3000)
    stages = np.array(night.truth["stages"])

    def median(values, stage):
        return np.median(values[stages == stage])

    delta = np.array([band_power(x, 100.0, 0.5, 4) for x in fpz])
    sigma = np.array([band_power(x, 100.0, 12, 15) for x in fpz])
    assert median(delta, "N3") > 2 * median(delta, "N2") > 2 * median(delta, "REM")
    assert median(sigma, "N2") > 2 * median(sigma, "REM")
    assert median(emg.std(axis=1), "REM") < 0.8 * median(emg.std(axis=1), "N2")
    assert median(np.abs(eog).max(axis=1), "REM") > median(
        np.abs(eog).max(axis=1), "N2"
    )


def test_seizure_grows_slows_and_stands_out_at_its_focus():
    hour = simulate.seizure_recording(5, duration_sec=900.0, artifacts=False)
    ((onset, offset),) = hour.truth["events"]
    first, last = int(onset * 256), int(offset * 256)
    third = (last - first) // 3
    channel = int(np.argmax(hour.data[:, first:last].std(axis=1)))
    signal = hour.data[channel]
    early, late = signal[first : first + third], signal[last - 2 * third : last - third]
    assert late.std() > 1.5 * early.std()

    def peak_hz(piece):
        frequency, density = welch(piece, 256.0, nperseg=1024)
        inside = (frequency >= 1.5) & (frequency <= 15)
        return frequency[inside][np.argmax(density[inside])]

    assert peak_hz(signal[last - third : last]) < peak_hz(early)


def test_several_seizures_do_not_overlap_and_lie_inside():
    hour = simulate.seizure_recording(6, n_seizures=4, duration_sec=1800.0)
    events = hour.truth["events"]
    assert len(events) == 4
    assert events[0][0] >= 0
    assert events[-1][1] <= hour.duration_sec
    assert all(a[1] < b[0] for a, b in pairwise(events))


@pytest.mark.parametrize("snr_db", [-7.0, 0.0, 2.0])
def test_mixing_follows_the_rms_rule_of_protocol_section_6(snr_db):
    rng = np.random.default_rng(0)
    eeg, artifact = rng.standard_normal(512) * 12, rng.standard_normal(512) * 70
    added = mixed(eeg, artifact, snr_db) - eeg
    ratio = np.sqrt(np.mean(eeg**2)) / np.sqrt(np.mean(added**2))
    assert 10 * np.log10(ratio) == pytest.approx(snr_db)


def test_ocular_is_slow_and_muscle_is_fast():
    def share(kind, low_hz, high_hz):
        values = []
        for seed in range(10):
            x = simulate.artifact_epoch(seed, kind=kind, snr_db=-5.0).data[0]
            part = band_power(x, 256.0, low_hz, high_hz)
            values.append(part / band_power(x, 256.0, 0.5, 100))
        return np.median(values)

    assert share("ocular", 0.5, 4) > 0.6
    assert share("muscle", 20, 100) > 0.5


def test_alpha_peak_slows_from_healthy_to_alzheimer():
    def peak(label):
        values = []
        for seed in range(8):
            data = simulate.resting(seed, label=label, duration_sec=30.0).data
            frequency, density = welch(data[8], 500.0, nperseg=1000)
            inside = (frequency >= 5.5) & (frequency <= 13)
            values.append(frequency[inside][np.argmax(density[inside])])
        return np.mean(values)

    assert peak("HC") > peak("AD") + 1


def test_mixed_rates_refuse_one_matrix():
    night = simulate.night(1, duration_sec=600.0, emg_rate_hz=1.0)
    with pytest.raises(RateError, match="rates 1, 100 Hz"):
        _ = night.data
    assert [len(x) for x in night.signals] == [60000, 60000, 60000, 600]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: simulate.night(1, duration_sec=10.0), "duration_sec is 10"),
        (lambda: simulate.night(1, emg_rate_hz=50.0), "allowed: 1, 100"),
        (lambda: simulate.artifact_epoch(1, kind="eog"), "allowed: clean, ocular"),
        (lambda: simulate.artifact_epoch(1, kind="muscle"), "snr_db is None"),
        (lambda: simulate.bonn_like(1, label="Z"), "allowed: normal, epileptic"),
        (lambda: simulate.resting(1, label="MCI"), "allowed: HC, AD, FTD"),
        (lambda: simulate.seizure_recording(1, n_seizures=99), "do not fit"),
        (lambda: mixed(np.ones(4), np.zeros(4), 0.0), "zero everywhere"),
    ],
)
def test_wrong_arguments_are_named(call, message):
    with pytest.raises(ArgumentError, match=message):
        call()
