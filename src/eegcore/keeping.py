"""Block sums of a recording into a file: `eegcore.keep_sums`, ``eegcore sums``."""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from eegcore.blockchunks import Kept
from eegcore.blocksums import Sums
from eegcore.errors import ArgumentError
from eegcore.recording import Recording
from eegcore.sumsfile import file_name, header_line, usable_file, write_arrays
from eegcore.workspace import fast_block


def kept_file(recording: Recording, folder: str | os.PathLike[str]) -> Path | None:
    """File with the sums of a recording in a folder, if they can be used."""
    return usable_file(recording, _groups(recording), Path(folder))


def _groups(recording: Recording) -> dict[float, Kept]:
    """Sums of each rate that has some."""
    groups = {}
    for index, channel in enumerate(recording.channels):
        if channel.rate_hz not in groups and fast_block(recording, index):
            groups[channel.rate_hz] = Sums(recording, index).kept
    groups = {rate_hz: kept for rate_hz, kept in groups.items() if kept.n_blocks}
    if recording.path is None or not groups:
        rates = sorted({channel.rate_hz for channel in recording.channels})
        told = ", ".join(f"{rate_hz:g} Hz" for rate_hz in rates) or "no channels"
        raise ArgumentError(
            f"this {recording.format} recording ({told}) has no block sums; EDF and "
            "BDF files of at least a second at whole rates have"
        )
    return groups


def keep_sums(
    recording: Recording,
    folder: str | os.PathLike[str],
    *,
    progress: Callable[[int, int], None] | None = None,
) -> Path:
    """Compute the block sums of a recording and write them to a file in a folder.

    Where the environment variable EEGCORE_SUMS_DIR names the folder, tools answer from
    the file instead of reading all samples; answers have the same bytes. The file is
    found by the content of the recording, whatever its name and place.

    Parameters
    ----------
    recording : Recording
        Of an EDF or BDF file.
    folder : path
        Made if need be. Whoever can write to it can change answers.
    progress : callable or None
        Called with the blocks (of about a second) done and all there are.

    Returns
    -------
    Path
        The file. One that is there already is written anew: its size is about that
        of the recording at 100 Hz, and 40 % of it at 256 Hz.

    Raises
    ------
    ArgumentError
        No channel of the recording has sums: it is no EDF or BDF file, or shorter than
        a second, or of a rate without a fast way.
    """
    groups = _groups(recording)
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / file_name(recording)
    total = sum(kept.n_blocks for kept in groups.values())
    done = 0
    with tempfile.NamedTemporaryFile(dir=folder, suffix=".part", delete=False) as file:
        try:
            file.write(header_line(recording, groups))
            for kept in groups.values():
                sums = Sums(recording, next(iter(kept.rows)))
                for blocks in write_arrays(file, kept, sums.whole_chunks()):
                    done = min(done + blocks, total)
                    if progress is not None:
                        progress(done, total)
            file.flush()
            os.fsync(file.fileno())
            recording.check_unchanged()
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise
    Path(file.name).replace(target)
    return target
