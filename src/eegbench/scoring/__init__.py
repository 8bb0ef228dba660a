"""Answers against references: parsing, scores, intervals, paired tests.

Everything here is recomputed from stored raw answers. It imports numpy and scipy, and
of `eegcore` only `jsonio` and `hypnogram`, so that scoring starts without numba.
"""
