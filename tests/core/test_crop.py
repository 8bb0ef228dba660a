"""The lossless cut: bytes kept, header and annotations corrected."""

from pathlib import Path

import numpy as np
import pytest

from eegcore.crop import crop
from eegcore.errors import ArgumentError, FormatError, HeaderError, RangeError
from eegcore.formats import open_recording


def edf_bytes(
    n_records: int,
    *,
    record_sec: str = "30",
    rates: tuple[int, ...] = (4, 2),
    start: str = "01.01.0123.59.30",
    tals: list[bytes] | None = None,
    kind: str = "",
    tal_samples: int = 32,
) -> bytes:
    """Make a file of counting samples; with `tals`, an annotation signal at its end."""
    labels = [f"EEG {n}" for n in range(len(rates))]
    counts = list(rates)
    if tals is not None:
        labels.append("EDF Annotations")
        counts.append(tal_samples)
    n = len(labels)
    recording = "Startdate 01-JAN-2001 X X X" if kind else ""
    head = [
        f"{'0':<8}{'X X X X':<80}{recording:<80}{start}",
        f"{256 * (n + 1):<8}{kind:<44}{n_records:<8}{record_sec:<8}{n:<4}",
    ]
    for width, values in (
        (16, labels),
        (80, [""] * n),
        (8, ["uV"] * n),
        (8, ["-3276.8"] * n),
        (8, ["3276.7"] * n),
        (8, ["-32768"] * n),
        (8, ["32767"] * n),
        (80, [""] * n),
        (8, [str(count) for count in counts]),
        (32, [""] * n),
    ):
        head += [f"{value:<{width}}" for value in values]
    body = []
    for number in range(n_records):
        for channel, count in enumerate(rates):
            first = 1000 * channel + number * count
            body.append(np.arange(first, first + count, dtype="<i2").tobytes())
        if tals is not None:
            body.append(tals[number].ljust(2 * tal_samples, b"\0"))
    return "".join(head).encode() + b"".join(body)


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    path = tmp_path / "plain.edf"
    path.write_bytes(edf_bytes(10))
    return path


def test_bytes_of_the_kept_records_are_unchanged(plain: Path, tmp_path: Path) -> None:
    result = crop(plain, tmp_path / "out.edf", epochs=(3, 6))
    source, cut = plain.read_bytes(), result.path.read_bytes()
    record = 2 * (4 + 2)
    assert cut[768:] == source[768 + 3 * record : 768 + 7 * record]
    assert (result.first_record, result.n_records) == (3, 4)
    assert (result.start_sec, result.stop_sec) == (90.0, 210.0)


def test_header_counts_and_start_are_corrected_and_nothing_else(
    plain: Path, tmp_path: Path
) -> None:
    cut = crop(plain, tmp_path / "out.edf", epochs=(3, 6)).path.read_bytes()
    source = plain.read_bytes()
    assert cut[236:244] == b"4       "
    # 23:59:30 + 90 s is the next day
    assert cut[168:184] == b"02.01.0100.01.00"
    changed = {n for n in range(768) if cut[n] != source[n]}
    assert changed <= {*range(168, 184), *range(236, 244)}


def test_a_cut_recording_reads_as_that_part_of_the_source(
    plain: Path, tmp_path: Path
) -> None:
    out = crop(plain, tmp_path / "out.edf", tmin=60, tmax=150).path
    with open_recording(plain) as whole, open_recording(out) as part:
        for channel in whole.names:
            np.testing.assert_array_equal(
                part.read(channel), whole.read(channel, 60.0, 150.0)
            )
        assert part.start is not None
        assert whole.start is not None
        assert (part.start - whole.start).total_seconds() == 60


def test_ends_between_records_move_outwards(plain: Path, tmp_path: Path) -> None:
    result = crop(plain, tmp_path / "out.edf", tmin=31, tmax=61)
    assert (result.start_sec, result.stop_sec) == (30.0, 90.0)


def test_records_of_60_s_keep_the_epochs_around_an_odd_cut(tmp_path: Path) -> None:
    path = tmp_path / "slow.edf"
    path.write_bytes(edf_bytes(5, record_sec="60"))
    result = crop(path, tmp_path / "out.edf", epochs=(3, 5))
    assert (result.start_sec, result.stop_sec, result.n_records) == (60.0, 180.0, 2)


def test_a_fraction_of_a_second_is_told(tmp_path: Path) -> None:
    path = tmp_path / "half.edf"
    path.write_bytes(edf_bytes(10, record_sec="0.5"))
    result = crop(path, tmp_path / "out.edf", tmin=1.5)
    assert "500000 us" in result.warnings[-1]


def tal(onset: str, *events: str) -> bytes:
    lists = [f"+{onset}\x14\x14\x00", *(f"{event}\x14\x00" for event in events)]
    return "".join(lists).encode()


def test_annotations_are_shifted_and_those_outside_dropped(tmp_path: Path) -> None:
    path = tmp_path / "plus.edf"
    tals = [
        tal("0", "+5\x14early", "+95\x1510\x14stored early"),
        tal("30"),
        tal("60", "+70\x1560\x14long"),
        tal("90", "+119\x14last"),
        tal("120", "+120\x14late"),
    ]
    path.write_bytes(edf_bytes(5, tals=tals, kind="EDF+C"))
    out = crop(path, tmp_path / "out.edf", tmin=90, tmax=120)
    with open_recording(out.path) as part:
        assert [tuple(event) for event in part.annotations] == [
            (0.0, 40.0, "long"),
            (5.0, 10.0, "stored early"),
            (29.0, None, "last"),
        ]
        assert part.first_sample_sec == 0.0
    assert out.n_annotations == 3
    assert "1 annotations began earlier" in out.warnings[-1]
    header = out.path.read_bytes()[:256]
    assert header[88:168].startswith(b"Startdate 02-JAN-2001 X X X")


def test_a_start_within_a_second_is_kept_by_the_time_of_the_records(
    tmp_path: Path,
) -> None:
    path = tmp_path / "plus.edf"
    tals = [tal(f"{0.25 + 0.5 * n:g}") for n in range(6)]
    path.write_bytes(edf_bytes(6, record_sec="0.5", tals=tals, kind="EDF+C"))
    out = crop(path, tmp_path / "out.edf", tmin=1.0).path
    with open_recording(path) as whole, open_recording(out) as part:
        assert part.first_sample_sec == 0.25
        assert part.start is not None
        assert whole.start is not None
        assert (part.start - whole.start).total_seconds() == 1.0


def test_a_discontinuous_file_stays_so(tmp_path: Path) -> None:
    path = tmp_path / "gap.edf"
    onsets = [0, 30, 100, 130, 300]
    tals = [tal(str(onset)) for onset in onsets]
    path.write_bytes(edf_bytes(5, tals=tals, kind="EDF+D"))
    out = crop(path, tmp_path / "out.edf", tmin=40, tmax=200)
    with open_recording(out.path) as part:
        assert part.format == "EDF+D"
        assert [tuple(segment) for segment in part.segments] == [(0, 30), (70, 130)]
    assert (out.start_sec, out.stop_sec) == (30.0, 160.0)


def test_a_range_inside_a_gap_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "gap.edf"
    path.write_bytes(edf_bytes(2, tals=[tal("0"), tal("90")], kind="EDF+D"))
    with pytest.raises(RangeError, match="nothing was recorded from 40 to 50 s"):
        crop(path, tmp_path / "out.edf", tmin=40, tmax=50)


def test_annotations_find_room_in_other_records(tmp_path: Path) -> None:
    path = tmp_path / "full.edf"
    tals = [tal("0", "+1\x14first", "+2\x14second", "+3\x14third"), tal("30")]
    tals += [tal("60")]
    path.write_bytes(edf_bytes(3, tals=tals, kind="EDF+C", tal_samples=18))
    out = crop(path, tmp_path / "out.edf", tmin=0, tmax=60).path
    with open_recording(out) as part:
        assert [event.text for event in part.annotations] == [
            "first",
            "second",
            "third",
        ]


def test_too_many_annotations_for_the_room_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "full.edf"
    tals = [tal("0", f"+{n}9\x14{'x' * 18}") for n in (3, 4)] + [tal("30")]
    tals[1] = tal("30", "+49\x14" + "y" * 18)
    tals[2] = tal("60", "+41\x14" + "z" * 8)
    path.write_bytes(edf_bytes(3, tals=tals, kind="EDF+C", tal_samples=18))
    out = tmp_path / "out.edf"
    with pytest.raises(FormatError, match="no room for an annotation"):
        crop(path, out, tmin=30, tmax=60)
    assert not out.exists()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"tmin": -1.0}, RangeError, "0 <= tmin < tmax"),
        ({"tmin": 60.0, "tmax": 60.0}, RangeError, "0 <= tmin < tmax"),
        ({"tmin": float("nan")}, RangeError, "0 <= tmin < tmax"),
        ({"tmin": 300.0}, RangeError, "the recording has 300 s"),
        ({"tmax": 301.0}, RangeError, "the recording has 300 s"),
        ({"epochs": (4, 3)}, RangeError, "0 <= first <= last"),
        ({"epochs": (0, 10)}, RangeError, "the recording has 300 s"),
        ({"epochs": (0, 1), "tmin": 0.0}, ArgumentError, "not both"),
    ],
)
def test_refusals(
    plain: Path,
    tmp_path: Path,
    arguments: dict[str, float],
    error: type[Exception],
    message: str,
) -> None:
    out = tmp_path / "out.edf"
    with pytest.raises(error, match=message):
        crop(plain, out, **arguments)  # type: ignore[arg-type]
    assert not out.exists()


def test_a_file_is_not_cut_into_itself(plain: Path) -> None:
    before = plain.read_bytes()
    with pytest.raises(ArgumentError, match="into itself"):
        crop(plain, plain, tmin=30)
    assert plain.read_bytes() == before


def test_only_whole_records_of_a_short_file_are_cut(tmp_path: Path) -> None:
    path = tmp_path / "short.edf"
    path.write_bytes(edf_bytes(4)[:-3])
    result = crop(path, tmp_path / "out.edf", tmin=30)
    assert result.n_records == 2
    assert "1 are missing" in result.warnings[0]


def test_records_beyond_4_gb_are_cut(tmp_path: Path) -> None:
    path = tmp_path / "huge.edf"
    n_records, n_samples = 4300, 500_000
    head = bytearray(edf_bytes(1, record_sec="1", rates=(n_samples, 2))[:768])
    head[236:244] = b"%-8d" % n_records
    with path.open("wb") as stream:
        stream.write(head)
        last = np.arange(n_samples + 2).astype("<i2").tobytes()
        # a hole in the file: it takes no space
        stream.seek(768 + len(last) * (n_records - 1))
        stream.write(last)
    assert path.stat().st_size > 2**32
    result = crop(path, tmp_path / "out.edf", tmin=n_records - 1)
    assert result.path.read_bytes()[768:] == last


def test_no_edf_file_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "text.edf"
    path.write_text("no EDF file")
    with pytest.raises(HeaderError, match="not an EDF"):
        crop(path, tmp_path / "out.edf", tmin=0)


@pytest.mark.data
def test_real_recordings_are_cut_without_a_change(
    data_dir: Path, cases_dir: Path, tmp_path: Path
) -> None:
    for path, tmin, tmax in (
        (data_dir / "sleep-edfx" / "SC4001E0-PSG_first300s.edf", 60.0, 180.0),
        (data_dir / "edf-reader" / "edfio_short_psg.bdf", 60.0, 180.0),
        (data_dir / "eegmmidb" / "S001R03.edf", 10.0, 20.0),
        (cases_dir / "files" / "slp04.edf", 60.0, 120.0),
    ):
        out = crop(path, tmp_path / path.name, tmin=tmin, tmax=tmax).path
        with open_recording(path) as whole, open_recording(out) as part:
            assert part.duration_sec == tmax - tmin
            for index, channel in enumerate(whole.channels):
                low, high = whole.sample_range(index, tmin, tmax)
                np.testing.assert_array_equal(
                    part.read_digital(index, 0, part.channels[index].n_samples),
                    whole.read_digital(index, low, high),
                    err_msg=f"{path.name} {channel.name}",
                )


@pytest.mark.data
def test_real_annotations_keep_their_place(data_dir: Path, tmp_path: Path) -> None:
    path = data_dir / "eegmmidb" / "S001R03.edf"
    out = crop(path, tmp_path / "part.edf", tmin=50.0, tmax=100.0).path
    with open_recording(path) as whole, open_recording(out) as part:
        wanted = [e for e in whole.annotations if 50 <= e.onset_sec < 100]
        got = [e for e in part.annotations if e.onset_sec > 0]
        got_texts = [e.text for e in got]
        assert got_texts[-len(wanted) :] == [e.text for e in wanted]
        np.testing.assert_allclose(
            [e.onset_sec + 50 for e in got][-len(wanted) :],
            [e.onset_sec for e in wanted],
        )
