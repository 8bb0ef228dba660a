"""Deterministic measurements on EEG recordings, fast enough for LLM agents.

The public names, loaded on first use (PEP 562), so that importing the package
costs nothing and a program that never measures never imports numba.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from eegcore.errors import EegcoreError as EegcoreError
    from eegcore.formats import from_array as from_array
    from eegcore.formats import from_mne as from_mne
    from eegcore.formats import open_recording
    from eegcore.keeping import keep_sums as keep_sums
    from eegcore.recording import Recording as Recording
    from eegcore.tools.toolbox import Toolbox as Toolbox
    from eegcore.windowed import windowed_features as windowed_features

    open = open_recording  # the public name; a def would hide the builtin here

__version__ = "0.1.0"

_HOME = {
    "open": ("eegcore.formats", "open_recording"),
    "from_array": ("eegcore.formats", "from_array"),
    "from_mne": ("eegcore.formats", "from_mne"),
    "Recording": ("eegcore.recording", "Recording"),
    "Toolbox": ("eegcore.tools.toolbox", "Toolbox"),
    "keep_sums": ("eegcore.keeping", "keep_sums"),
    "windowed_features": ("eegcore.windowed", "windowed_features"),
    "EegcoreError": ("eegcore.errors", "EegcoreError"),
}

__all__ = [*_HOME, "__version__"]


def __getattr__(name: str) -> Any:
    """Load one public name from its module."""
    if name not in _HOME:
        raise AttributeError(f"module 'eegcore' has no attribute {name!r}")
    module, attribute = _HOME[name]
    return getattr(import_module(module), attribute)


def __dir__() -> list[str]:
    return sorted(__all__)
