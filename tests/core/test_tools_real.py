"""Every tool on real recordings of every format, in the `default` dialect."""

import orjson
import pytest

from eegcore.tools import TOOLS
from eegcore.tools.toolbox import Toolbox

FILES = (
    "eeglab/eeglab_data.set",
    "eegmat/Subject00_1.edf",
    "eegmmidb/S001R02_first60s.edf",
    "chbmit/excerpts/chb01_03_2986s-3036s.edf",
    "sleep-edfx/SC4001E0-PSG_first300s.edf",
    "yasa/data_resting_EO_200Hz_raw.fif",
    "edf-reader/edfio_short_psg.bdf",
)


@pytest.mark.data
@pytest.mark.parametrize("file", FILES)
def test_every_tool_answers_within_the_budget(data_dir, file: str) -> None:
    box = Toolbox({"r": data_dir / file})
    for tool in TOOLS:
        raw = box.call_json(tool, {"record_id": "r"})
        answer = orjson.loads(raw)
        if "suggested_call" in answer:
            suggested = answer["suggested_call"]
            raw = box.call_json(suggested["name"], suggested["arguments"])
            answer = orjson.loads(raw)
        assert "_meta" in answer, answer
        assert len(raw) <= 4 * 8000
        assert file.encode() not in raw


@pytest.mark.data
def test_a_night_shows_its_signals_as_what_they_are(data_dir) -> None:
    box = Toolbox({"r": data_dir / FILES[4]})
    rows = box.call("get_channel_list", {"record_id": "r"})["channels"]
    kinds = ["eeg", "eeg", "eog", "resp", "emg", "temp", "stim"]
    assert [row["type"] for row in rows] == kinds
    # The EMG is an envelope of 1 Hz: at its own rate it is not flat, as the release
    # says after resampling it to 100 Hz.
    emg = box.call(
        "compute_noise_metrics", {"record_id": "r", "channels": ["EMG submental"]}
    )
    assert emg["channels"][0]["flat_line_ratio"] < 0.9
