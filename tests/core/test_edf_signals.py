"""What is known of a header from another file never shows in this one."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edf_writer import Edf, Signal
from eegcore import edf, edf_signals
from eegcore.formats import open_recording

LABELS = ("EEG Cz", "Fp1", "E1", "", "EDF Annotations")
LIMITS = ("-100", "100", "-0", "0", "1,5", "x")


def forget() -> None:
    for known in (
        *(edf._known_channels, edf._montage, edf._calibration),
        *(edf_signals._known_signals, edf_signals.field_number),
    ):
        known.cache_clear()


signals = st.builds(
    Signal,
    label=st.sampled_from(LABELS),
    samples=st.just(range(20)),
    per_record=st.sampled_from((5, 10)),
    unit=st.sampled_from(("uV", "mV", "degC")),
    physical=st.tuples(st.sampled_from(LIMITS), st.sampled_from(LIMITS)),
)
files = st.builds(
    Edf,
    st.lists(signals, min_size=1, max_size=3),
    duration=st.sampled_from(("1", "2", "0,5")),
)


def seen(path: Path, content: bytes) -> str:
    """Everything the header tells, as text: NaN equals NaN and -0.0 does not 0.0."""
    path.write_bytes(content)
    rec = open_recording(path)
    return repr((rec.channels, rec.reference, rec.warnings, rec.duration_sec))


@settings(max_examples=60, deadline=None)
@given(some=st.lists(files, min_size=2, max_size=4))
def test_a_header_reads_the_same_alone_and_after_others(
    some: list[Edf], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("headers") / "x.edf"
    contents = [file.to_bytes() for file in some]
    alone = []
    for content in contents:
        forget()
        alone.append(seen(path, content))
    forget()
    for _ in range(2):
        assert [seen(path, content) for content in contents] == alone


def test_equal_signals_of_other_lengths_keep_their_own_rates(tmp_path: Path) -> None:
    signal = Signal("EEG Cz", range(40), 10)
    rates = {}
    for duration in ("1", "2", "1"):
        path = tmp_path / f"{duration}.edf"
        path.write_bytes(Edf([signal], duration=duration).to_bytes())
        rates[duration] = open_recording(path).channels[0].rate_hz
    assert rates == {"1": 10.0, "2": 5.0}
    path.write_bytes(Edf([Signal("EEG Cz", range(20), 10)]).to_bytes())
    assert open_recording(path).channels[0].n_samples == 20


def test_a_header_of_more_signals_than_are_read_at_once(tmp_path: Path) -> None:
    some = [Signal(f"EEG {n}", range(n, n + 10), 10) for n in range(100)]
    path = tmp_path / "x.edf"
    path.write_bytes(Edf(some).to_bytes())
    rec = open_recording(path)
    assert rec.names == tuple(f"EEG {n}" for n in range(100))
    assert rec.read_digital(99, 0, 10).tolist() == list(range(99, 109))
