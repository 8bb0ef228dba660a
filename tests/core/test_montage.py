"""Names of electrodes and kinds of channels."""

import pytest

from eegcore.montage import (
    channel_kind,
    channel_kinds,
    clean_label,
    common_reference,
    homologous_pairs,
    parse_electrode,
)


@pytest.mark.parametrize(
    ("label", "clean"),
    [
        ("EEG Fp1-Ref", "FP1"),
        ("EEG FP1-REF", "FP1"),
        ("Fp1-LE", "FP1"),
        ("Fc5.", "FC5"),
        ("Iz..", "IZ"),
        ("EEG Pz - Oz", "PZ-OZ"),
        ("EEG L1(Fp1)", "FP1"),
        ("C3-(A1+A2)/2", "C3"),
        ("FP1-F7", "FP1-F7"),
        ("EEG", "EEG"),
        ("-", "-"),
        ("", ""),
    ],
)
def test_electrode_part_of_a_label(label: str, clean: str) -> None:
    assert clean_label(label) == clean


@pytest.mark.parametrize(
    ("label", "names", "hemisphere", "region"),
    [
        ("Fp1", ("FP1",), "L", "frontal"),
        ("EEG T8-Ref", ("T8",), "R", "temporal"),
        ("T3", ("T3",), "L", "temporal"),
        ("P8", ("P8",), "R", "temporal"),
        ("Cz", ("CZ",), "M", "central"),
        ("Po10", ("PO10",), "R", "parietal"),
        ("FFC1h", ("FFC1H",), "L", "frontal"),
        ("Oz", ("OZ",), "M", "occipital"),
        ("Nz", ("NZ",), "M", "frontal"),
        ("M2", ("M2",), "R", "temporal"),
        ("FP1-F7", ("FP1", "F7"), "L", "frontal"),
        ("FZ-CZ", ("FZ", "CZ"), "M", "frontal"),
        ("T8-P8-0", ("T8", "P8"), "R", "temporal"),
        ("FT9-FT10", ("FT9", "FT10"), "unknown", "temporal"),
        ("C3-A2", ("C3",), "L", "central"),
        ("A2-A1", ("A2", "A1"), "unknown", "temporal"),
    ],
)
def test_electrodes_and_pairs(
    label: str, names: tuple[str, ...], hemisphere: str, region: str
) -> None:
    assert parse_electrode(label) == (names, hemisphere, region)


@pytest.mark.parametrize(
    "label", ["", "-", "x", "EEG", "EEG 1", "ECG", "A5", "T", "C11", "N1", "F3-x", "Q3"]
)
def test_what_is_no_electrode(label: str) -> None:
    assert parse_electrode(label) == ((), "unknown", "unknown")


@pytest.mark.parametrize(
    ("label", "unit", "kind"),
    [
        ("EEG", "uV", "eeg"),
        ("EEG Fpz-Cz", "uV", "eeg"),
        ("EEG(sec)", "uV", "eeg"),
        ("EEG temporal", "uV", "eeg"),
        ("EEG M1", "", "eeg"),
        ("FP1-F7", "mV", "eeg"),
        ("Fc5.", "uV", "eeg"),
        ("iEEG 1", "uV", "eeg"),
        ("A17", "uV", "eeg"),  # a BioSemi cap
        ("Fp1", "Ohm", "misc"),
        ("EEG Fp1", "%", "misc"),
        ("EOG horizontal", "uV", "eog"),
        ("ROC", "uV", "eog"),
        ("E1-M2", "uV", "eog"),
        ("EEG LOC-A2", "uV", "eog"),
        ("EMG submental", "uV", "emg"),
        ("Chin1-Chin2", "uV", "emg"),
        ("RLEG", "uV", "emg"),
        ("ECG ECG", "uV", "ecg"),
        ("EKG1", "mV", "ecg"),
        ("Resp oro-nasal", "", "resp"),
        ("Flow", "L/s", "resp"),
        ("Abdo RIP", "V", "resp"),
        ("Temp rectal", "DegC", "temp"),
        ("Event marker", "", "stim"),
        ("Status", "Boolean", "stim"),
        ("STI 014", "", "stim"),
        ("SpO2", "%", "misc"),
        ("H.R.", "bpm", "misc"),
        ("1 Impédance", "Ohm", "misc"),
        ("Voltage (battery", "V", "misc"),
        ("x", "uV", "unknown"),
        ("vy", "uV", "unknown"),
        ("sine", "uV", "unknown"),
        ("1-2", "uV", "unknown"),
        ("ch0", "uV", "unknown"),
        ("-", "", "unknown"),
        ("", "uV", "unknown"),
        ("machine", "uV", "unknown"),
    ],
)
def test_kind_of_a_channel(label: str, unit: str, kind: str) -> None:
    assert channel_kind(label, unit) == kind


def test_geodesic_net_is_told_from_an_eog_by_the_other_labels() -> None:
    net = [f"E{n}" for n in range(1, 129)]
    assert set(channel_kinds(net, ["uV"] * 128)) == {"eeg"}
    assert channel_kinds(["E1", "E2", "C3"], ["uV"] * 3) == ("eog", "eog", "eeg")


def test_homologous_pairs_of_every_naming() -> None:
    names = ["T7", "T8", "T3", "T4", "EEG P7-Ref", "p8", "Fz", "AF8", "AF7", "T5", "x"]
    assert homologous_pairs(names) == ((0, 1), (2, 3), (4, 5), (8, 7))


def test_homologues_of_a_bipolar_montage() -> None:
    names = ["FP1-F7", "FP2-F8", "F8-FP2", "T7-P7", "T8-P8-0", "T8-P8-1", "FZ-CZ"]
    assert homologous_pairs(names) == ((0, 1), (3, 4))


def test_ears_are_a_pair_but_not_in_a_biosemi_cap() -> None:
    assert homologous_pairs(["A1", "A2"]) == ((0, 1),)
    assert homologous_pairs(["A1", "A2", "A3"]) == ()


@pytest.mark.parametrize(
    ("labels", "reference"),
    [
        (["EEG Fp1-Ref", "EEG Fp2-Ref"], "Ref"),
        (["C3-A1", "C4-A1"], "A1"),
        (["C3-A2", "C4-A1"], None),
        (["FP1-F7", "F7-T7"], None),
        (["C3", "C4"], None),
        ([], None),
    ],
)
def test_reference_that_all_labels_name(
    labels: list[str], reference: str | None
) -> None:
    assert common_reference(labels) == reference
