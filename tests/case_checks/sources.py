"""Cases of data sets: Bonn files, CHB-MIT summaries, Sleep-EDF hypnograms."""

import numpy as np

from case_checks import reading
from eegbench.errors import EegbenchError
from eegbench.sources import bonn
from eegbench.sources.chbmit_annotations import read_summary
from eegbench.sources.sleep_edfx import stages_of, whole_epochs
from eegcore.errors import EegcoreError
from eegcore.formats import open_recording


def check_stages(path, e):
    """Stages by onset, cut to the recording, unscored apart from wake."""
    with open_recording(path) as rec:
        n = whole_epochs(e["psg_duration_s"]) if "psg_duration_s" in e else None
        assert stages_of(rec.annotations, n_epochs=n) == e["stages"]


def check_summary(path, e):
    """Files, durations, seizures and montages of a summary text."""
    s = read_summary(path)
    if "rate_hz" in e:
        assert s.rate_hz == e["rate_hz"]
    for g, w in zip(s.files, e["files"], strict=True):
        assert g.name == w["name"]
        if "duration_s" in w:
            assert g.duration_sec == w["duration_s"]
        assert [list(x) for x in g.seizures] == [
            list(map(float, x)) for x in w["seizures"]
        ]
        if "channels" in w:
            assert list(g.channels) == w["channels"]
    for word in e.get("warning_must_mention", []):
        assert any(word in x for x in s.warnings), s.warnings


def check_bonn(path, e):
    """Set letter, label and values; a damaged line moves nothing."""
    letter, _ = bonn.name_parts(path.name)
    segment = bonn.BonnSegment(path.stem.upper(), letter, path, None)
    values = bonn.parse_values(segment.text(), path.name)
    assert segment.set_letter == e["set"]
    assert segment.label == e["label"]
    assert e["rate_hz"] == bonn.RATE_HZ
    assert values.size == e["n_in_file"] == e["n_used"]
    with open_recording(path, rate_hz=bonn.RATE_HZ, channel_names=["EEG"]) as rec:
        assert np.array_equal(rec.read()[0], values)


def check(row, root, folder):
    """Check what the source's own reader makes of a file, then its signals."""
    path, e = root / row["file"], row["expect"]
    is_summary = row["kind"] == "chbmit" and path.suffix == ".txt"
    try:
        if row["kind"] == "bonn":
            check_bonn(path, e)
        elif is_summary:
            check_summary(path, e)
        elif "stages" in e:
            check_stages(path, e)
        assert e["outcome"] != "error" or not is_summary, "an error was expected"
    except (EegbenchError, EegcoreError) as error:
        assert e["outcome"] != "value", error
        assert reading.mentions(str(error), e.get("error_must_mention", []))
    if not is_summary:
        reading.check(row, root, folder)
