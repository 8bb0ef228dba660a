"""Annotation lists, record times, discontinuous files."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edf_writer import Annotations, Edf, Signal, bdf, tal
from eegcore.annotations import parse_tals, record_start
from eegcore.errors import HeaderError, RangeError
from eegcore.formats import open_recording
from eegcore.recording import Recording, Segment

Opener = Callable[..., Recording]
COUNTING = Signal("EEG Cz", range(100), 25)  # 4 records of 1 s at 25 Hz


@pytest.fixture
def opened(tmp_path: Path) -> Opener:
    """Write an EDF+ file with one annotation signal, given record by record."""

    def write(*records: bytes, kind: str = "EDF+C", **fields: object) -> Recording:
        signals = fields.pop("signals", [COUNTING, Annotations(records)])
        file = replace(Edf(signals, reserved=kind), **fields)
        path = tmp_path / "x.edf"
        path.write_bytes(file.to_bytes())
        return open_recording(path)

    return write


def kept(*starts: str) -> list[bytes]:
    return [tal(start) for start in starts]


def test_one_list_in_all_its_parts() -> None:
    found = parse_tals(tal("+3.5", "a", "b", duration="0.25") + tal("-0.5", "c"))
    assert found.start_sec is None
    assert found.events == [(3.5, 0.25, "a"), (3.5, 0.25, "b"), (-0.5, None, "c")]


def test_duration_zero_is_not_no_duration() -> None:
    events = parse_tals(tal("+0", "a", duration="0") + tal("+0", "b")).events
    assert [event.duration_sec for event in events] == [0.0, None]


def test_timekeeping_list_may_carry_texts_too() -> None:
    found = parse_tals(tal("+7", "", "spindle"))
    assert found == (7.0, [(7.0, None, "spindle")], [])


def test_empty_texts_are_left_out() -> None:
    assert parse_tals(tal("+0") + tal("+2", "")).events == []


@pytest.mark.parametrize(
    "bad", [b"+1.2x\x14a\x14", b"x", b"+\x14a\x14", b"+1\x15-2\x14a\x14", b"+1e3\x14a"]
)
def test_unreadable_list_is_told_and_those_behind_it_are_read(bad: bytes) -> None:
    found = parse_tals(tal("+0") + bad + b"\0" + tal("+5", "good"))
    assert found.events == [(5.0, None, "good")]
    assert len(found.faults) == 1
    assert "annotation" in found.faults[0]


@pytest.mark.parametrize("onset", ["1.5", "+1,5", "+1.50", "+01.5"])
def test_onset_forms_that_mean_one_thing(onset: str) -> None:
    assert parse_tals(tal(onset, "a")).events[0].onset_sec == 1.5


@pytest.mark.parametrize(
    ("raw", "start"),
    [
        (tal("+0.21"), 0.21),
        (tal("+0.21", "", "text"), 0.21),
        (tal("+3", "event"), None),
        (tal("+3", "event", duration="30"), None),
        (b"\0" + tal("+3"), None),
        (b"", None),
        (b"rubbish", None),
    ],
)
def test_start_of_a_record(raw: bytes, start: float | None) -> None:
    assert record_start(raw) == start
    assert parse_tals(raw).start_sec == start


def test_texts_are_utf8_or_else_latin1() -> None:
    raw = tal("+0", "眼动 élevé", "\xe9t\xe9".encode("latin-1"))
    assert [event.text for event in parse_tals(raw).events] == ["眼动 élevé", "été"]


_WORDS = st.text(st.characters(exclude_characters="\0\x14\x15", exclude_categories="C"))


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.decimals(-9999, 9999, places=4),
            st.none() | st.decimals(0, 9999, places=4),
            st.lists(_WORDS.filter(bool), min_size=1, max_size=3),
        ),
        max_size=5,
    )
)
def test_written_lists_are_read(rows: list) -> None:
    raw = tal("+0")
    wanted = []
    for onset, duration, texts in rows:
        sign = "" if str(onset).startswith("-") else "+"
        length = None if duration is None else f"{duration:f}"
        raw += tal(f"{sign}{onset:f}", *texts, duration=length)
        seconds = None if length is None else float(length)
        wanted += [(float(onset), seconds, text) for text in texts]
    found = parse_tals(raw + bytes(7))
    assert found == (0.0, wanted, [])


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes_are_read_without_a_crash(raw: bytes) -> None:
    found = parse_tals(raw)
    assert all(isinstance(event.text, str) and event.text for event in found.events)


def test_events_of_all_annotation_signals_in_order_of_onset(opened: Opener) -> None:
    first = Annotations([tal(f"+{k}") + tal(f"+{k}.4", f"e{k}") for k in range(4)])
    second = Annotations([tal("+2.1", "cough"), b"", b"", tal("+0", "", "start")])
    rec = opened(signals=[first, COUNTING, second])
    assert rec.names == ("EEG Cz",)
    texts = [event.text for event in rec.annotations]
    assert texts == ["start", "e0", "e1", "cough", "e2", "e3"]
    assert rec.read_digital(0, 20, 30).tolist() == list(range(20, 30))


def test_times_count_from_the_header_and_from_the_first_sample(opened: Opener) -> None:
    starts = kept("+0.21", "+1.21", "+2.21", "+3.21")
    rec = opened(starts[0] + tal("+1.5", "A"), *starts[1:])
    assert rec.first_sample_sec == 0.21
    assert rec.start is not None
    assert rec.start.isoformat() == "2005-01-02T10:20:30.210000"
    assert rec.annotations == ((1.5, None, "A"),)
    assert rec.annotations_from_first_sample == ((1.29, None, "A"),)
    assert rec.segments == ((0.0, 4.0),)


def test_fault_is_told_once_annotations_were_read(opened: Opener) -> None:
    rec = opened(tal("+0") + b"+1.2x\x14bad\x14\0", *kept("+1", "+2", "+3"))
    assert rec.warnings == ()
    assert rec.annotations == ()
    assert "annotation" in rec.warnings[0]


def test_annotation_only_file_has_events_and_no_channel(opened: Opener) -> None:
    signals = [Annotations([tal("+0") + tal("+0", "Sleep stage W", duration="60")])]
    rec = opened(signals=signals, duration="0")
    assert (rec.channels, rec.duration_sec, rec.segments) == ((), 0.0, ())
    assert rec.annotations == ((0.0, 60.0, "Sleep stage W"),)


def test_plus_file_without_annotation_signal(opened: Opener) -> None:
    rec = opened(signals=[COUNTING])
    assert (rec.annotations, rec.first_sample_sec) == ((), 0.0)


def test_annotations_in_bdf(tmp_path: Path) -> None:
    lists = Annotations([tal("+0") + tal("+0.5", "x")] * 4, 12, "BDF Annotations")
    path = tmp_path / "x.bdf"
    path.write_bytes(bdf(Edf([lists, COUNTING], reserved="BDF+C")).to_bytes())
    rec = open_recording(path)
    assert rec.format == "BDF+C"
    assert rec.annotations == ((0.5, None, "x"),) * 4
    assert rec.read_digital(0, 0, 100).tolist() == list(range(100))


def test_continuous_file_whose_records_tell_of_a_gap_is_told(opened: Opener) -> None:
    rec = opened(*kept("+0", "+1", "+5", "+6"))
    assert rec.duration_sec == 4.0
    assert rec.annotations == ()
    assert "record 3" in rec.warnings[0]


# Discontinuous files


def test_gap_makes_segments(opened: Opener) -> None:
    rec = opened(*kept("+0", "+1", "+10", "+11"), kind="EDF+D")
    assert rec.format == "EDF+D"
    assert rec.segments == (Segment(0.0, 2.0), Segment(10.0, 12.0))
    assert rec.duration_sec == 12.0
    assert [rec.sample_time(0, n) for n in (0, 49, 50, 80)] == [0.0, 1.96, 10.0, 11.2]
    assert rec.sample_range(0, 11.2, 11.8) == (80, 95)
    assert rec.sample_range(0, 1.6, 10.4) == (40, 60)
    assert rec.sample_range(0, 3.0, 9.0) == (0, 0)
    assert rec.gap_between(1.0, 3.0)
    assert rec.gap_between(3.0, 4.0)
    assert not rec.gap_between(10.0, 12.0)


def test_samples_in_a_gap_are_nan(opened: Opener) -> None:
    rec = opened(*kept("+0", "+1", "+10", "+11"), kind="EDF+D")
    values = rec.read(None, 1.6, 10.4)[0]
    assert values.size == 220
    assert np.isnan(values[10:210]).all()
    np.testing.assert_allclose(values[:10], COUNTING.values()[40:50], atol=1e-9)
    np.testing.assert_allclose(values[210:], COUNTING.values()[50:60], atol=1e-9)
    assert np.isnan(rec.read(None, 3.0, 4.0)).all()


def test_segments_count_from_the_first_sample(opened: Opener) -> None:
    rec = opened(*kept("+100.5", "+101.5", "+110", "+111"), kind="EDF+D")
    assert rec.segments == (Segment(0.0, 2.0), Segment(9.5, 11.5))
    assert rec.first_sample_sec == 100.5


def test_discontinuous_file_without_a_gap_is_one_segment(opened: Opener) -> None:
    rec = opened(*kept("+0", "+1", "+2.001", "+3"), kind="EDF+D")  # a jitter of 1 ms
    assert rec.segments == ((0.0, 4.0),)
    assert rec.read().shape == (1, 100)


def test_drift_of_a_clock_is_told_and_makes_no_gap(opened: Opener) -> None:
    rec = opened(*kept("+0", "+1.015", "+2.03", "+3.045"), kind="EDF+D")
    assert rec.segments == ((0.0, 4.0),)
    assert "drift by 0.045 s" in rec.warnings[0]


def test_continuous_file_with_records_out_of_order_is_told(opened: Opener) -> None:
    rec = opened(*kept("+0", "+2", "+1", "+3"))
    assert rec.annotations == ()
    assert "out of order" in rec.warnings[0]


@pytest.mark.parametrize(
    "starts", [("+0", "+1", "+2", "+1.5"), ("+5", "+1", "+2", "+3")]
)
def test_records_out_of_order_are_refused_by_time(
    opened: Opener, starts: tuple[str, ...]
) -> None:
    rec = opened(*kept(*starts), kind="EDF+D")
    for call in (rec.read, lambda: rec.duration_sec, lambda: rec.segments):
        with pytest.raises(HeaderError, match="out of order"):
            call()
    assert rec.read_digital(0, 0, 100).tolist() == list(range(100))


def test_discontinuous_file_with_a_record_without_time_is_refused(
    opened: Opener,
) -> None:
    rec = opened(*kept("+0", "+1"), b"", tal("+3"), kind="EDF+D")
    with pytest.raises(HeaderError, match="1 of 4 records"):
        rec.segments  # noqa: B018 - reading the property is the test


def test_discontinuous_file_without_annotations_is_taken_as_continuous(
    opened: Opener,
) -> None:
    rec = opened(signals=[COUNTING], kind="EDF+D")
    assert rec.duration_sec == 4.0
    assert "taken as continuous" in rec.warnings[0]


def test_time_behind_the_last_segment_is_out_of_range(opened: Opener) -> None:
    rec = opened(*kept("+0", "+1", "+10", "+11"), kind="EDF+D")
    with pytest.raises(RangeError, match="0 to 12 s"):
        rec.read(None, 0.0, 13.0)
