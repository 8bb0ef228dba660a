"""Each analyst on signals of known truth: simulated ones, and the development files."""

import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

import eegcore
from eegbench.agents.rules import artifact, knowledge, seizure_runs, sleep_evidence
from eegcore import simulate
from rules_driver import as_recording, drive, stages_of, view_of


@pytest.mark.parametrize("kind", ["clean", "ocular", "muscle"])
def test_artifacts_at_minus_5_db_are_named(kind):
    snr_db = None if kind == "clean" else -5.0
    right = 0
    for seed in range(10):
        made = simulate.artifact_epoch(seed, kind=kind, snr_db=snr_db)
        done = drive("T2", as_recording(made))
        right += done.answer["classification"] == kind
    assert right >= 8


def test_artifact_names_follow_the_schema_of_the_release():
    made = simulate.artifact_epoch(1, kind="muscle", snr_db=-5.0)
    enum = ["clean", "ocular_contaminated", "muscle_contaminated"]
    schema = {"properties": {"classification": {"type": "string", "enum": enum}}}
    done = drive("T2", as_recording(made), answer_schema=schema)
    assert done.answer["classification"] == "muscle_contaminated"


def test_amplitude_does_not_matter_to_the_artifact_rules():
    made = simulate.artifact_epoch(4, kind="ocular", snr_db=-3.0)
    answers = set()
    for gain in (0.01, 1.0, 50.0):
        rec = eegcore.from_array(made.data * gain, made.rate_hz, ["EEG"])
        answers.add(drive("T2", rec).answer["classification"])
    assert answers == {"ocular"}


def test_one_sign_of_muscle_is_not_enough():
    figures = {
        "mobility": 0.7,
        "zero_crossings_hz": 20.0,
        "hf_noise_ratio": 0.05,
        "slow_spread": 0.3,
    }
    assert artifact.decide(figures)[0] == "clean"
    assert artifact.decide(figures | {"hf_noise_ratio": 0.4})[0] == "muscle"


@pytest.mark.parametrize("label", ["normal", "epileptic"])
def test_bonn_like_segments_are_told_apart(label):
    for seed in range(5):
        done = drive("T3", as_recording(simulate.bonn_like(seed, label=label)))
        assert done.answer["classification"] == label


def test_large_eyes_closed_alpha_is_no_seizure():
    t = np.arange(4097) / 173.61
    rng = np.random.default_rng(1)
    signal = 160 * np.sin(2 * np.pi * 9.5 * t) + 12 * rng.standard_normal(4097)
    rec = eegcore.from_array(signal[None], 173.61, ["EEG"])
    assert drive("T3", rec).answer["classification"] == "normal"


@pytest.mark.data
def test_bonn_development_files_are_all_right(data_dir):
    lines = (data_dir / "official/runtime/T3.jsonl").read_text().splitlines()
    released = {Path(json.loads(x)["records"][0]["data_path"]).stem for x in lines}
    for letter, label in (("Z", "normal"), ("S", "epileptic")):
        with zipfile.ZipFile(data_dir / f"bonn/{letter}.zip") as archive:
            members = sorted(
                m for m in archive.namelist() if Path(m).stem not in released
            )
            for member in [m for m in members if not m.endswith("/")][:6]:
                signal = np.loadtxt(io.BytesIO(archive.read(member)))
                rec = eegcore.from_array(signal[None], 173.61, ["EEG"])
                assert drive("T3", rec).answer["classification"] == label


def test_strong_slowing_is_alzheimers_and_fast_alpha_is_healthy():
    slow = drive("T4", as_recording(simulate.resting(1, label="AD", duration_sec=30.0)))
    assert slow.answer["classification"] == "AD"
    rng = np.random.default_rng(3)
    t = np.arange(30 * 250) / 250
    names = ["Fp1", "Fp2", "F3", "F4", "C3", "C4", "P3", "P4", "O1", "O2"]
    alpha = np.array([2, 2, 3, 3, 6, 6, 15, 15, 25, 25.0])
    data = alpha[:, None] * np.sin(2 * np.pi * 10 * t)
    data += 4 * rng.standard_normal(data.shape)
    done = drive("T4", eegcore.from_array(data, 250.0, names))
    assert done.answer["classification"] == "HC"


def test_seizure_is_found_with_its_edges_and_a_quiet_hour_stays_empty():
    made = simulate.seizure_recording(0, duration_sec=1500.0, artifacts=False)
    done = drive("T5", as_recording(made))
    ((onset, offset),) = made.truth["events"]
    (event,) = done.answer["seizure_events"]
    assert abs(event["onset_sec"] - onset) < 20
    assert abs(event["offset_sec"] - offset) < 20
    quiet = simulate.seizure_recording(
        3, duration_sec=1500.0, n_seizures=0, artifacts=False
    )
    assert drive("T5", as_recording(quiet)).answer["seizure_events"] == []


def test_movement_and_muscle_are_no_seizures():
    rules = {"slow": 1.0, "fast": 1.0, "rise": 3.0}
    assert not seizure_runs._is_ictal(30.0, **rules)
    assert seizure_runs._is_ictal(60.0, **rules)
    assert seizure_runs._is_ictal(20.0, slow=-1.0, fast=2.0, rise=0.1)
    assert not seizure_runs._is_ictal(10.0, slow=-1.0, fast=2.0, rise=0.1)


@pytest.mark.data
def test_whole_chb01_seizures_are_found(data_dir):
    for name in ("03_2986s-3036s", "16_1005s-1066s"):
        path = data_dir / f"chbmit/excerpts/chb01_{name}.edf"
        (event,) = drive("T5", path).answer["seizure_events"]
        assert abs(event["onset_sec"] - 10.0) < 8


def test_simulated_night_is_staged_with_all_channels():
    made = simulate.night(1, duration_sec=3 * 3600.0)
    truth = list(made.truth["stages"])
    done = drive("T6", as_recording(made), n_epochs=len(truth))
    said = stages_of(done.answer)
    assert len(said) == len(truth)
    assert np.mean([a == b for a, b in zip(said, truth, strict=True)]) > 0.9
    shares = done.answer["architecture"]
    assert shares["REM_pct"] == pytest.approx(said.count("REM") / len(said), abs=1e-4)


def test_half_a_day_with_1_hz_emg_is_staged(tmp_path):
    made = simulate.night(40, duration_sec=12 * 3600.0, emg_rate_hz=1.0)
    path = made.write_edf(tmp_path / "day.edf")
    truth = list(made.truth["stages"])
    done = drive("T6", path, n_epochs=len(truth))
    said = stages_of(done.answer)
    assert np.mean([a == b for a, b in zip(said, truth, strict=True)]) > 0.9
    assert len(done.calls) < 200


def test_one_eeg_channel_is_enough():
    made = simulate.night(7, duration_sec=3 * 3600.0, eeg_only=True)
    truth = list(made.truth["stages"])
    said = stages_of(drive("T6", as_recording(made), n_epochs=len(truth)).answer)
    assert np.mean([a == b for a, b in zip(said, truth, strict=True)]) > 0.75


def test_flat_night_is_wake_throughout():
    rec = eegcore.from_array(np.zeros((1, 60000)), 100.0, ["EEG Fpz-Cz"])
    assert set(stages_of(drive("T6", rec, n_epochs=20).answer)) == {"W"}


@pytest.mark.data
def test_real_wake_is_staged_as_wake(data_dir):
    from scipy.io import loadmat

    path = data_dir / "sleep-edfx/wake_10000s/SC4001E0-PSG_edfm.mat"
    signal = loadmat(path)["val"].ravel() * (393 / 4095)
    rec = eegcore.from_array(signal[None], 100.0, ["EEG Pz-Oz"])
    said = stages_of(drive("T6", rec, n_epochs=333).answer)
    assert said.count("W") > 0.9 * 333


def test_long_n1_between_sleep_is_called_rem_only_without_eyes_and_chin():
    stages = ["N2"] * 5 + ["N1"] * 14 + ["N2"] * 3
    late = np.zeros(22, dtype=bool)
    called = sleep_evidence._long_n1_is_rem(stages, late)
    assert called == ["N2"] * 5 + ["REM"] * 14 + ["N2"] * 3
    short = ["N2"] * 5 + ["N1"] * 4 + ["N2"] * 3
    assert sleep_evidence._long_n1_is_rem(short, late) == short
    assert sleep_evidence._long_n1_is_rem(stages, ~late) == stages


QUESTIONS = (
    # our own, in the manner of a textbook quiz
    (
        "Which discharge goes with typical absence seizures?",
        {"A": "Hypsarrhythmia", "B": "3 Hz spike and wave", "C": "PLEDs", "D": "Mu"},
        "B",
    ),
    (
        "K-complexes are a sign of which stage of sleep?",
        {"A": "REM sleep", "B": "Stage 2 NREM", "C": "Wake", "D": "Stage 4 NREM"},
        "B",
    ),
    (
        "All of the following belong to REM sleep except:",
        {
            "A": "Sawtooth waves",
            "B": "Sleep spindles",
            "C": "Muscle atonia",
            "D": "Dreams",
        },
        "B",
    ),
    (
        "Triphasic waves are typical of",
        {"A": "Absence", "B": "Hepatic coma", "C": "Febrile fits", "D": "Migraine"},
        "B",
    ),
)


@pytest.mark.parametrize(("question", "options", "letter"), QUESTIONS)
def test_glossary_answers_textbook_questions(question, options, letter):
    assert knowledge.choose(question, options)[0] == letter


def test_question_beyond_the_glossary_still_gets_a_letter():
    options = {"A": "red", "B": "deep blue", "C": "all of the above", "D": "lime"}
    letter, why = knowledge.choose("What colour is it?", options)
    assert letter == "B"
    assert "no fact" in why


def test_knowledge_needs_no_tools():
    view = view_of("T1", question=QUESTIONS[0][0], options=QUESTIONS[0][1])
    with pytest.raises(StopIteration) as done:
        next(knowledge.analyse(view))
    assert done.value.value["answer"] == "B"
