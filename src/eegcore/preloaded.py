"""Importing this loads all kernels: for fork servers alone, whose children share them.

A fork server imports modules and can be told nothing else. Loading takes a second;
without this, each worker would spend it, and compile what is not on the disk.
"""

import os

from eegcore.warmup import compile_all


def _load() -> None:
    before = os.environ.get("EEGCORE_THREADS")
    os.environ["EEGCORE_THREADS"] = "1"  # a process that forks has no other threads
    try:
        compile_all()
    finally:
        if before is None:
            del os.environ["EEGCORE_THREADS"]
        else:
            os.environ["EEGCORE_THREADS"] = before


_load()
