"""Block sums of several channels, made before each of them is asked for its own."""

from eegcore.blocksums import Sums
from eegcore.recording import Recording
from eegcore.workspace import fast_block


def prepare(
    recording: Recording, ranges: dict[int, tuple[int, int]], kinds: tuple[int, ...]
) -> bool:
    """Have the sums of ranges of stored samples made in file order, on all threads.

    Parameters
    ----------
    ranges : dict
        (start, stop) by channel. Channels without a fast way are passed over, and so
        is what would not fit into the bounds: it is computed when it is asked for.

    Returns
    -------
    bool
        Whether next to nothing is left to compute: all is kept, and every range starts
        at a block.
    """
    groups: dict[tuple[float, int, int], list[int]] = {}
    is_all = True
    for channel, (start, stop) in ranges.items():
        h = fast_block(recording, channel)
        is_all = is_all and h > 0 and start % h == 0
        if h and stop - start >= h:
            rate_hz = recording.channels[channel].rate_hz
            groups.setdefault((rate_hz, start // h, -(-stop // h)), []).append(channel)
    for (_, first, stop), channels in groups.items():
        sums = Sums(recording, channels[0])
        stop = min(stop, sums.n_blocks)
        if not sums.fits(channels, stop - first, kinds):
            is_all = False
            continue
        sums.keep(channels, first, stop, kinds)
    return is_all
