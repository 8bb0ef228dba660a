"""Headers of EDF and BDF files: what is refused, settled, believed; dates, age, sex."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from edf_writer import Edf, Signal
from eegcore.errors import HeaderError, ReadError
from eegcore.formats import open_recording
from eegcore.recording import Recording

Opener = Callable[..., Recording]


COUNTING = Signal("EEG Cz", range(-30, 30), 10)


def refusal(opened: Opener, file: Edf) -> str:
    with pytest.raises(HeaderError) as caught:
        opened(file)
    message = str(caught.value)
    assert "\n" not in message
    assert "x.edf" not in message  # the path is in a note, never in the message
    assert "x.edf" in caught.value.__notes__[0]
    return message


@pytest.mark.parametrize("told", ["-1", "", "?", "-7"])
def test_unknown_number_of_records_comes_from_the_size(
    opened: Opener, told: str
) -> None:
    rec = opened(Edf([COUNTING], n_records=told))
    assert rec.n_records == 6
    assert "number of records" in rec.warnings[0]


def test_missing_records_are_told_and_never_made_up(opened: Opener) -> None:
    rec = opened(Edf([COUNTING], n_records="9", behind=b"\x01\x02\x03"))
    assert rec.channels[0].n_samples == 60
    assert "3 are missing" in rec.warnings[0]


def test_stray_bytes_are_left_out(opened: Opener) -> None:
    rec = opened(Edf([COUNTING], behind=b"\7" * 37))
    assert rec.n_records == 6
    assert "37 bytes" in rec.warnings[0]


def test_whole_records_beyond_the_declared_ones_are_read(opened: Opener) -> None:
    rec = opened(Edf([COUNTING], n_records="2"))
    assert rec.n_records == 6
    assert "2 records, 6 are in the file" in rec.warnings[0]


def test_file_without_records_opens_and_says_so(opened: Opener) -> None:
    rec = opened(Edf([replace(COUNTING, samples=())]))
    assert (rec.duration_sec, rec.segments, rec.n_records) == (0.0, (), 0)
    assert "no data record" in rec.warnings[0]
    assert rec.read().shape == (1, 0)


def test_empty_file_is_refused(opened: Opener, tmp_path: Path) -> None:
    for name in ("x.edf", "x", "x.txt"):
        path = tmp_path / name
        path.write_bytes(b"")
        with pytest.raises(ReadError, match=r"empty|no values"):
            open_recording(path)


@pytest.mark.parametrize("length", [1, 100, 255, 256, 300, 511])
def test_file_cut_inside_its_header_is_refused(tmp_path: Path, length: int) -> None:
    path = tmp_path / "x.edf"
    path.write_bytes(Edf([COUNTING]).to_bytes()[:length])
    with pytest.raises(HeaderError, match=r"header is cut|not an EDF"):
        open_recording(path)


def test_foreign_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.edf"
    path.write_bytes(b"RIFF" + bytes(1000))
    with pytest.raises(HeaderError, match="not an EDF or BDF file"):
        open_recording(path)


@pytest.mark.parametrize("count", ["0", "-3", "abc", "1.5"])
def test_senseless_number_of_signals_is_refused(opened: Opener, count: str) -> None:
    file = Edf([COUNTING], n_signals=count, header_bytes="?")
    assert "number of signals" in refusal(opened, file)


def test_number_of_signals_may_come_from_the_size_of_the_header(opened: Opener) -> None:
    for count in ("****", "1"):  # 12 signals of which the field tells one digit
        rec = opened(Edf([COUNTING] * 12, n_signals=count))
        assert len(rec.channels) == 12


@pytest.mark.parametrize("duration", ["", "-1", "one", "nan", "inf", "1_0"])
def test_senseless_record_duration_is_refused(opened: Opener, duration: str) -> None:
    assert "duration" in refusal(opened, Edf([COUNTING], duration=duration))


def test_samples_in_records_of_no_duration_are_refused(opened: Opener) -> None:
    message = refusal(opened, Edf([COUNTING], duration="0"))
    assert "duration" in message
    assert "EEG Cz" in message


def test_rate_beyond_reason_is_refused(opened: Opener) -> None:
    assert "rate of" in refusal(opened, Edf([COUNTING], duration="1e-300"))


def test_wrong_header_size_is_not_believed(opened: Opener) -> None:
    rec = opened(Edf([COUNTING], header_bytes="256"))
    assert rec.read_digital(0, 0, 60).tolist() == list(COUNTING.samples)
    assert "header" in rec.warnings[0]


def test_longer_header_is_believed_if_the_size_agrees(opened: Opener) -> None:
    rec = opened(Edf([COUNTING], between=b"\x55" * 256))
    assert rec.read_digital(0, 0, 60).tolist() == list(COUNTING.samples)
    assert "size of the file agrees" in rec.warnings[0]


def test_nul_padding_and_control_bytes_are_spaces(opened: Opener) -> None:
    signal = replace(COUNTING, label=b"EEG\nCz", unit=b"uV\0\0")
    rec = opened(Edf([signal], padding=b"\0"))
    assert (rec.channels[0].label, rec.channels[0].unit) == ("EEG Cz", "uV")


def test_vendor_text_in_the_reserved_field_is_plain_edf(opened: Opener) -> None:
    rec = opened(Edf([COUNTING], reserved="made by hand"))
    assert (rec.format, rec.first_sample_sec, len(rec.segments)) == ("EDF", 0.0, 1)


@pytest.mark.parametrize(
    ("date", "clock", "start"),
    [
        ("31.12.85", "23.59.08", "1985-12-31T23:59:08"),
        ("07-11-84", "23:59:08", "2084-11-07T23:59:08"),
        ("00.00.00", "10.00.00", None),
        ("01.13.05", "10.00.00", None),
        ("01.01.05", "25.00.00", None),
        ("", "", None),
    ],
)
def test_start_of_a_plain_file(
    opened: Opener, date: str, clock: str, start: str | None
) -> None:
    rec = opened(Edf([COUNTING], date=date, clock=clock))
    assert (rec.start and rec.start.isoformat()) == start
    assert any("start unknown" in w for w in rec.warnings) == (start is None)


def test_four_digit_year_counts_if_day_and_month_agree(opened: Opener) -> None:
    plus = Edf([COUNTING], reserved="EDF+C", date="02.01.05")
    for day, year in (("02-jan-1905", 1905), ("03-JAN-1905", 2005)):
        start = opened(replace(plus, recording=f"Startdate {day} X X X")).start
        assert start is not None
        assert start.year == year


@pytest.mark.parametrize(
    ("patient", "age", "sex"),
    [
        ("X F X Female_33yr", 33, "F"),
        ("MCH-0234567 F 02-JAN-1951 Haagse_Harry", 54, "F"),
        ("MCH-0234567 M 03-JAN-1951 X", 53, "M"),
        ("M X X", None, "M"),
        ("X X X X", None, None),
        ("John F Kennedy Jr", None, None),
        ("X X 30-DEC-1899 X", None, None),
        ("X X 02-JAN-2015 X", None, None),
        ("male, age 7", 7, "M"),
        ("", None, None),
    ],
)
def test_age_and_sex_are_all_that_is_kept_of_a_patient(
    opened: Opener, patient: str, age: int | None, sex: str | None
) -> None:
    rec = opened(Edf([COUNTING], patient=patient, reserved="EDF+C"))
    assert (rec.age, rec.sex) == (age, sex)
    assert "Harry" not in repr(rec) + repr(rec.channels) + repr(rec.__dict__)
