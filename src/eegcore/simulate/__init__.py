"""Simulated recordings with known truth: stages, seizures, artifacts, rhythms.

Everything here is *simulated* and says so. The same seed gives the same digital
samples: signals are rounded to the grid of the EDF file that holds them. All
parameters live in ``parameters.py``, each with the publication it comes from.
"""

from eegcore.simulate.artifacts import artifact_epoch
from eegcore.simulate.rest import bonn_like, resting
from eegcore.simulate.seizures import seizure_recording
from eegcore.simulate.simulated import Simulated
from eegcore.simulate.sleep import night

__all__ = [
    "Simulated",
    "artifact_epoch",
    "bonn_like",
    "night",
    "resting",
    "seizure_recording",
]
