"""EDF and BDF files: headers, records, calibration, rates; faults of real files."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edf_writer import Annotations, Edf, Signal, bdf, tal
from eegcore.errors import FileChangedError, ReadError
from eegcore.formats import open_recording
from eegcore.recording import Recording
from eegcore.store import MOST_MAPPED

Opener = Callable[..., Recording]
COUNTING = Signal("EEG Cz", range(-30, 30), 10)


def test_healthy_file_is_read_by_the_linear_rule(opened: Opener) -> None:
    signal = replace(COUNTING, physical=("-100", "200"), digital=("-2000", "2047"))
    rec = opened(Edf([signal]))
    assert rec.format == "EDF"
    assert rec.warnings == ()
    assert rec.duration_sec == 6.0
    np.testing.assert_allclose(rec.read(), [signal.values()], rtol=1e-13)
    np.testing.assert_array_equal(rec.read_digital(0, 0, 60), signal.samples)


@pytest.mark.parametrize("name", ["x.edf", "x.bdf", "x.EDF", "x", "x.txt"])
@pytest.mark.parametrize("width", [2, 3])
def test_format_is_told_by_content_not_by_name(
    opened: Opener, name: str, width: int
) -> None:
    file = Edf([COUNTING])
    rec = opened(bdf(file) if width == 3 else file, name)
    assert rec.format == ("BDF" if width == 3 else "EDF")
    assert rec.read_digital(0, 0, 60).tolist() == list(COUNTING.samples)


def test_text_may_begin_like_an_edf_header(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text("0        1\n" * 60)
    assert open_recording(path, rate_hz=1.0).format == "text"


def test_bdf_that_calls_itself_edf_plus(opened: Opener) -> None:
    lists = Annotations([tal(f"+{k}") for k in (0, 1, 9, 10, 11, 12)])
    file = bdf(Edf([COUNTING, lists], reserved="EDF+D"))
    rec = opened(file)
    assert rec.format == "BDF+D"
    assert len(rec.segments) == 2


def test_nothing_behind_the_header_is_read_at_open(tmp_path: Path) -> None:
    path = tmp_path / "sparse.edf"
    wide = [replace(COUNTING, per_record=2560)] * 4
    header = replace(Edf(wide), n_records="225000").header()
    with path.open("wb") as file:
        file.write(header)
        file.truncate(len(header) + 225000 * 2 * 4 * 2560)
        file.seek(len(header) + 224999 * 2 * 4 * 2560 + 2 * 2560)
        file.write(b"\x39\x30")
    rec = open_recording(path)  # 4.6 GB
    assert rec.channels[0].n_samples == 225000 * 2560
    assert rec.read_digital(1, 224999 * 2560, 224999 * 2560 + 2).tolist() == [12345, 0]
    assert rec.read([rec.names[1]], 224999.0, 225000.0)[0, 0] == pytest.approx(1234.5)


# Number of records


# Cut and foreign files


# Header fields


# Units and calibration


@pytest.mark.parametrize(
    ("unit", "shown", "factor"),
    [
        (b"uV", "uV", 1.0),
        (b"UV", "uV", 1.0),
        (b"\xb5V", "uV", 1.0),
        ("µV".encode(), "uV", 1.0),
        ("μV".encode(), "uV", 1.0),
        (b"uVolt", "uV", 1.0),
        (b"microV", "uV", 1.0),
        (b"?V", "uV", 1.0),
        (b"\xe6V", "uV", 1.0),
        (b"mV", "mV", 1e3),
        (b"mv", "mV", 1e3),
        (b"V", "V", 1e6),
        (b"nV", "nV", 1e-3),
        (b"MV", "MV", None),
        (b"mmHg", "mmHg", None),
        (b"%", "%", None),
        (b"", "", None),
    ],
)
def test_units_in_their_spellings(
    opened: Opener, unit: bytes, shown: str, factor: float | None
) -> None:
    rec = opened(Edf([replace(COUNTING, unit=unit)]))
    assert (rec.channels[0].unit, rec.channels[0].to_uv) == (shown, factor)
    np.testing.assert_allclose(
        rec.read_samples(0, 0, 60), COUNTING.values() * (factor or 1.0), rtol=1e-9
    )


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"physical": ("0", "0")}, "physical minimum = maximum"),
        ({"digital": ("0", "0")}, "digital minimum = maximum"),
        ({"physical": ("", "")}, "physical minimum or maximum is no number"),
        ({"digital": ("", "x")}, "digital minimum or maximum is no number"),
        ({"physical": ("-9e99", "9e99")}, "physical range"),
    ],
)
def test_channel_without_calibration_spoils_no_other(
    opened: Opener, fields: dict[str, tuple[str, str]], told: str
) -> None:
    dummy = replace(COUNTING, label="-", unit="", **fields)
    rec = opened(Edf([COUNTING, dummy, replace(COUNTING, label="EEG Pz")]))
    assert rec.names == ("EEG Cz", "-", "EEG Pz")
    assert any("'-'" in w and told in w for w in rec.warnings)
    assert np.isnan(rec.read(["-"])).all()
    assert rec.read_digital(1, 0, 60).tolist() == list(COUNTING.samples)
    np.testing.assert_allclose(rec.read(["EEG Pz"])[0], COUNTING.values())


@pytest.mark.parametrize(
    "physical", [("100", "-100"), ("-1,5", "2,5"), ("-1.0E-03", "+1.0E-03")]
)
def test_odd_but_legal_limits(opened: Opener, physical: tuple[str, str]) -> None:
    signal = replace(COUNTING, physical=physical)
    low, high = (x.replace(",", ".") for x in physical)
    expected = replace(signal, physical=(low, high)).values()
    np.testing.assert_allclose(opened(Edf([signal])).read()[0], expected, atol=1e-12)


def test_stored_value_below_the_digital_minimum_is_not_clipped(opened: Opener) -> None:
    signal = Signal("EEG X1", [-32768, 32767], 2, digital=("-2048", "2047"))
    rec = opened(Edf([signal]))
    np.testing.assert_allclose(rec.read_samples(0, 0, 2), signal.values(), rtol=1e-12)


def test_bdf_extremes_and_status(opened: Opener) -> None:
    values = [-8388608, 8388607, -1, 0, 1, 65536, -65537, 4660]
    physical = ("-262144", "262143")
    digital = ("-8388608", "8388607")
    signal = Signal("A1", values, 4, physical=physical, digital=digital)
    status = replace(signal, label="Status", unit="Boolean", physical=digital)
    rec = opened(bdf(Edf([signal, status], reserved="24BIT")))
    assert rec.read_digital(0, 0, 8).tolist() == values
    assert rec.read_digital(0, 3, 6).tolist() == values[3:6]
    np.testing.assert_allclose(rec.read_samples(0, 0, 8), signal.values(), atol=1e-9)
    assert [c.kind for c in rec.channels] == ["eeg", "stim"]
    assert rec.read_samples(1, 0, 8).tolist() == values


# Rates and labels


@pytest.mark.parametrize("duration", ["0.5", "60", "9.59375", "0.23814", "28"])
def test_rate_is_never_rounded(opened: Opener, duration: str) -> None:
    slow = replace(COUNTING, label="Resp", samples=range(6), per_record=1)
    rec = opened(Edf([COUNTING, slow], duration=duration))
    seconds = float(duration)
    assert [c.rate_hz for c in rec.channels] == [10 / seconds, 1 / seconds]
    assert rec.duration_sec == pytest.approx(6 * seconds, abs=1e-9)
    assert rec.read(["EEG Cz"]).shape == (1, 60)
    assert rec.read(["Resp"]).shape == (1, 6)


def test_equal_labels_are_numbered_as_mne_does(opened: Opener) -> None:
    labels = ["T8-P8", "-", "T8-P8", "-", "", "T8-P8-0"]
    rec = opened(Edf([replace(COUNTING, label=label) for label in labels]))
    assert rec.names == (*("T8-P8-1", "--0", "T8-P8-2", "--1", "channel-5", "T8-P8-0"),)
    assert [c.label for c in rec.channels] == labels


def test_channel_without_samples_is_listed(opened: Opener) -> None:
    rec = opened(Edf([COUNTING, replace(COUNTING, label="EEG Pz", per_record=0)]))
    assert (rec.channels[1].n_samples, rec.channels[1].rate_hz) == (0, 0.0)
    assert rec.read(["EEG Pz"]).shape == (1, 0)


def test_record_larger_than_the_standard_advises(opened: Opener) -> None:
    rng = np.random.default_rng(1)
    big = Signal("EEG big", rng.integers(-2000, 2000, 70000).tolist(), 35000)
    rec = opened(Edf([big, COUNTING], duration="140", n_records="2"))
    assert rec.read_digital(0, 34998, 35003).tolist() == big.samples[34998:35003]


# The file under an opened recording


@pytest.mark.parametrize("change", ["cut", "grown", "touched", "removed", "replaced"])
def test_change_under_an_opened_recording_is_noticed(
    opened: Opener, change: str
) -> None:
    rec = opened(Edf([COUNTING]))
    rec.read()
    path = rec.path
    assert path is not None
    raw = path.read_bytes()
    if change == "cut":
        path.write_bytes(raw[:600])
    elif change == "grown":
        path.write_bytes(raw + b"12")
    elif change == "touched":
        path.touch()
    else:
        path.unlink()
    if change == "replaced":
        path.write_bytes(raw)
    for call in (
        rec.read,
        lambda: rec.read_samples(0, 0, 5),
        lambda: rec.read_digital(0, 0, 5),
        rec.check_unchanged,
        rec.checksum,
        lambda: rec.annotations,
    ):
        with pytest.raises(FileChangedError):
            call()


def test_file_cut_before_the_first_reading_is_noticed(opened: Opener) -> None:
    rec = opened(Edf([COUNTING]))
    assert rec.path is not None
    rec.path.write_bytes(rec.path.read_bytes()[:600])
    with pytest.raises(FileChangedError):
        rec.store  # noqa: B018 - reading the property is the test


def test_handles_stay_flat_over_many_recordings(opened: Opener) -> None:
    handles = Path("/proc/self/fd")
    if not handles.is_dir():
        pytest.skip("no /proc on this system")
    rec = opened(Edf([COUNTING]))
    assert rec.path is not None
    before = len(list(handles.iterdir()))
    for _ in range(300):
        open_recording(rec.path).read()
    assert len(list(handles.iterdir())) <= before + 2
    kept = [open_recording(rec.path) for _ in range(MOST_MAPPED + 50)]
    for other in kept + kept[::-1]:
        assert other.read().any()
    assert len(list(handles.iterdir())) <= before + MOST_MAPPED + 2


# Round trips

_TEXT = st.text(st.characters(codec="latin-1", exclude_categories=["C", "Z"]))
_SIGNALS = st.builds(
    lambda label, n, low, span, seed: Signal(
        label.encode("latin-1"),
        np.random.default_rng(seed).integers(-32768, 32768, n * 3).tolist(),
        n,
        physical=(str(low), str(low + span)),
    ),
    _TEXT.filter(lambda t: t.casefold() != "edf annotations").map(lambda t: t[:16]),
    st.integers(1, 40),
    st.integers(-9999, 9999),
    st.integers(1, 9999),
    st.integers(0, 2**32),
)


@settings(max_examples=60, deadline=None)
@given(signals=st.lists(_SIGNALS, min_size=1, max_size=4), data=st.data())
def test_what_was_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, signals: list[Signal], data: st.DataObject
) -> None:
    path = tmp_path_factory.getbasetemp() / "roundtrip.edf"
    path.write_bytes(Edf(signals, duration="2").to_bytes())
    rec = open_recording(path)
    for index, signal in enumerate(signals):
        n = len(signal.samples)
        start = data.draw(st.integers(0, n))
        stop = data.draw(st.integers(start, n))
        found = rec.read_digital(index, start, stop)
        assert found.tolist() == signal.samples[start:stop]
        np.testing.assert_allclose(
            rec.read_samples(index, start, stop),
            signal.values()[start:stop],
            rtol=1e-9,
            atol=1e-9,
        )
        assert len(rec.read([rec.names[index]], start / n * 6)[0]) == n - start


@settings(max_examples=60, deadline=None)
@given(
    at=st.integers(0, 1023),
    patch=st.binary(min_size=1, max_size=9),
    length=st.integers(0, 1300),
)
def test_damage_gives_a_recording_or_an_error_of_ours(
    tmp_path_factory: pytest.TempPathFactory, at: int, patch: bytes, length: int
) -> None:
    lists = Annotations([tal("+0") + tal("+0.5", "x")] * 6)
    raw = bytearray(Edf([COUNTING, lists], reserved="EDF+C").to_bytes())
    raw[at : at + len(patch)] = patch
    path = tmp_path_factory.getbasetemp() / "damaged.edf"
    path.write_bytes(raw[: length or None])
    try:
        rec = open_recording(path)
        assert rec.annotations is not None
        for index, channel in enumerate(rec.channels):
            rec.read_samples(index, 0, channel.n_samples)
    except ReadError:
        return
