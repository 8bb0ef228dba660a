"""EEGAgentBench: six tasks from EEG knowledge to whole-night sleep staging."""
