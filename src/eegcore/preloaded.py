"""Importing this loads all kernels: for fork servers alone, whose children share them.

A fork server imports modules and can be told nothing else. Loading takes a second;
without this, each worker would spend it, and compile what is not on the disk.
"""

from eegcore.preloaded_windows import one_thread
from eegcore.warmup import compile_all

with one_thread():
    compile_all()
