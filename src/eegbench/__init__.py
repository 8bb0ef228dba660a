"""EEG agents and their scores: the benchmark around eegcore."""

__version__ = "0.1.0"
