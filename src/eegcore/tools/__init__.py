"""The ten tools, in the order agents see them."""

from collections.abc import Callable
from dataclasses import dataclass

from eegcore.tools.answers import Json
from eegcore.tools.call import Call, check_half_second, check_some_samples
from eegcore.tools.describe import (
    CHANNEL_LIST_SPEC,
    INFO_SPEC,
    get_channel_list,
    get_recording_info,
)
from eegcore.tools.events import (
    TRANSIENTS_SPEC,
    check_transients,
    detect_transients,
    transients_size,
)
from eegcore.tools.powers import (
    BAND_POWER_SPEC,
    band_power_size,
    compute_band_power,
)
from eegcore.tools.spatial import (
    ASYMMETRY_SPEC,
    CORRELATION_SPEC,
    asymmetry_size,
    check_correlation,
    compute_asymmetry,
    compute_channel_correlation,
    correlation_size,
)
from eegcore.tools.spec import ToolSpec
from eegcore.tools.spectral import PSD_SPEC, check_psd, compute_psd, psd_size
from eegcore.tools.temporal import (
    NOISE_SPEC,
    TEMPORAL_SPEC,
    compute_noise_metrics,
    compute_temporal_features,
    noise_size,
    temporal_size,
)
from eegcore.tools.windowed import (
    WINDOWED_SPEC,
    check_windows,
    compute_windowed_features,
    windowed_size,
)


@dataclass(frozen=True, slots=True)
class Tool:
    """A specification and the functions that fulfil it.

    Attributes
    ----------
    spec : ToolSpec
    check : callable or None
        Refuses what needs no samples to be seen wrong, before the budget is asked.
    answer : callable
        Checked call to answer.
    size : callable or None
        Checked call to an upper bound of the answer's characters, before computing;
        None: the tool cuts its answer to the budget and says so.
    """

    spec: ToolSpec
    check: Callable[[Call], None] | None
    answer: Callable[[Call], Json]
    size: Callable[[Call], int] | None


TOOLS: dict[str, Tool] = {
    tool.spec.name: tool
    for tool in (
        Tool(INFO_SPEC, None, get_recording_info, None),
        Tool(CHANNEL_LIST_SPEC, None, get_channel_list, None),
        Tool(NOISE_SPEC, check_some_samples, compute_noise_metrics, noise_size),
        Tool(PSD_SPEC, check_psd, compute_psd, psd_size),
        Tool(BAND_POWER_SPEC, check_half_second, compute_band_power, band_power_size),
        Tool(TRANSIENTS_SPEC, check_transients, detect_transients, transients_size),
        Tool(
            TEMPORAL_SPEC, check_some_samples, compute_temporal_features, temporal_size
        ),
        Tool(ASYMMETRY_SPEC, check_half_second, compute_asymmetry, asymmetry_size),
        Tool(
            CORRELATION_SPEC,
            check_correlation,
            compute_channel_correlation,
            correlation_size,
        ),
        Tool(WINDOWED_SPEC, check_windows, compute_windowed_features, windowed_size),
    )
}
