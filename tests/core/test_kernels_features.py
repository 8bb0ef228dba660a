import numpy as np
import pytest

from eegcore import blocksums
from eegcore.blockscan import PIECE
from eegcore.window_values import window_values
from eegcore.windowed import FEATURES, windowed_features
from stored import stored_recording

RATE_HZ = 128.0
SECONDS = 1100  # past the end of the first chunk of kept sums


# gains that are powers of two: numpy then rounds nothing where a sample is at the mean
@pytest.fixture(params=[("int16", 0.125), ("int16", -0.125), ("int24", 0.125)])
def recording(rng, request):
    encoding, gain = request.param
    n = int(RATE_HZ) * SECONDS
    x = np.round(np.cumsum(rng.standard_normal((2, n)), axis=1) * 9) % 9000 - 4500
    x[0, 1280:2560] = 77  # a flat window
    x[1, 5000] = 9000
    return stored_recording(
        x.astype(int), RATE_HZ, per_record=640, encoding=encoding, gain=gain
    )


@pytest.mark.parametrize(("window_sec", "step_sec"), [(2, 2), (10, 10), (30, 7)])
def test_features_of_blocks_equal_those_of_samples(recording, window_sec, step_sec):
    found = windowed_features(
        recording, features=FEATURES, window_sec=window_sec, step_sec=step_sec
    )
    n = int(window_sec * RATE_HZ)
    for row in range(2):
        x = recording.read(None)[row]
        starts = (found.start_sec * RATE_HZ).astype(int)
        windows = np.stack([x[s : s + n] for s in starts])
        expected = window_values(windows, RATE_HZ, features=FEATURES)
        np.testing.assert_allclose(found.values[row, :7], expected[:7], rtol=1e-9)
        np.testing.assert_allclose(found.values[row, 7:], expected[7:], rtol=4e-6)


def test_subset_and_order_of_features_change_no_byte(recording):
    every = windowed_features(recording, features=FEATURES, window_sec=10.0).values
    chosen = ("slow_fast_ratio", "kurtosis", "sigma_power", "rms_uv")
    some = windowed_features(recording, features=chosen, window_sec=10.0).values
    places = [FEATURES.index(name) for name in chosen]
    assert every[:, places].tobytes() == some.tobytes()


def test_few_windows_keep_no_sums(recording):
    blocksums.forget()
    windowed_features(recording, features=FEATURES, window_sec=10.0, stop_sec=PIECE)
    assert blocksums.kept_bytes() == 0
