"""Loops that earned their place; this page is their contract.

A kernel takes arrays and numbers and writes its results to its last argument. It
checks nothing: the public function that calls it converts, checks and allocates.
Kernels are compiled by the one decorator of `_jit` (``kernel`` for what Python
calls, ``part`` for what kernels call): without fast-math and without contraction, so
that the bytes are equal on every processor; with the GIL released, so that they run in
a Python thread pool, each thread on its own rows, with sums in a fixed order.

Samples are read from a recording's store as they lie in the file: elements of
``data``, channel ``c`` of record ``r`` from ``offsets[c] + r * record_stride``. Results
are in units of the file's integers; gain and unit are applied outside.

Each kernel has a slow, obvious twin in ``tests/naive.py``.
"""
