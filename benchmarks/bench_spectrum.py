"""int16 EDF to Welch band powers on one thread, against the fastest FFT libraries.

4 h, 23 channels, 256 Hz, segments of 512 samples, Hann, half overlap, mean removed.
"""

import os

import numpy as np
import scipy.fft

from eegcore import blockscan, blocksums
from eegcore.formats import open_recording
from gen_data import make
from plain import Mapped
from rounds import Row, compare, show

try:
    import numba
    import rocket_fft  # noqa: F401 - teaches numba np.fft

    @numba.njit(fastmath=True)
    def _rocket(x, window, edges, n, hop, out):
        count = (x.size - n) // hop + 1
        for first in range(0, count, 256):
            stop = min(count, first + 256)
            rows = np.empty((stop - first, n), np.float32)
            for i in range(first, stop):
                mean = np.float32(0)
                for j in range(n):
                    mean += x[i * hop + j]
                mean /= n
                for j in range(n):
                    rows[i - first, j] = (x[i * hop + j] - mean) * window[j]
            lines = np.fft.rfft(rows)
            for i in range(stop - first):
                for e in range(edges.size - 1):
                    acc = 0.0
                    for k in range(edges[e], edges[e + 1]):
                        acc += lines[i, k].real ** 2 + lines[i, k].imag ** 2
                    out[first + i, e] = acc
except ImportError:
    _rocket = None

WINDOW = np.hanning(513)[:-1].astype(np.float32)
EDGES = np.array([2, 8, 16, 22, 32, 60, 91])


def table() -> list[Row]:
    """Compare."""
    os.environ["EEGCORE_THREADS"] = "1"
    path = make("scalp")
    mapped = Mapped(path)
    records = mapped.body.reshape(len(mapped.body), 23, 256)

    def ours() -> None:
        blocksums.forget()
        recording = open_recording(path)
        sums = blocksums.Sums(recording, 0)
        for first in range(0, sums.n_blocks, 4096):
            stop = min(first + 4096, sums.n_blocks)
            sums.prepare(range(23), first, stop, (blockscan.SEGMENTS,))

    def rocket() -> None:
        out = np.empty((len(records), EDGES.size - 1), np.float32)
        for c in range(23):
            x = np.ascontiguousarray(records[:, c]).reshape(-1)
            _rocket(x, WINDOW, EDGES, 512, 256, out)

    def scipy_chunks() -> None:
        for c in range(0, 23, 4):  # every fourth channel
            x = np.ascontiguousarray(records[:, c]).reshape(-1).astype(np.float32)
            every = np.lib.stride_tricks.sliding_window_view(x, 512)[::256]
            for first in range(0, len(every), 512):
                rows = every[first : first + 512]
                rows = (rows - rows.mean(axis=1, keepdims=True)) * WINDOW
                lines = scipy.fft.rfft(rows, axis=1)
                power = lines.real**2 + lines.imag**2
                np.add.reduceat(power, EDGES, axis=1)

    work = "EDF to bands, 4 h x 23 x 256 Hz"
    rows = []
    if _rocket is not None:
        rows.append(compare(work, "rocket-fft float32", ours, rocket, must=2, aim=3))
    rows.append(
        compare(work, "scipy.fft float32 chunks", ours, scipy_chunks, share=6 / 23)
    )
    blocksums.forget()
    return rows


if __name__ == "__main__":
    show("Bands of every segment, one thread", table())
