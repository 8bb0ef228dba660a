"""One plain file by HTTP: resumed where it broke off, whole or not there.

pooch checks the checksum and gives the file its name; what it lacks is done here: the
bytes that came are kept beside the target as `NAME.part` and the rest is asked for by
range, in this run or a later one. `NAME.part.tag` holds the server's mark of the
version, so that two versions are never joined.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from eegbench.errors import SourceError

ATTEMPTS = 6
WAIT_SEC = 1.0
"""Before the second attempt; twice as long before each further one."""
TIMEOUT_SEC = 30.0
_CHUNK_BYTES = 1 << 18

Tick = Callable[[int, int], None]


def download(
    url: str,
    target: Path,
    *,
    sha256: str | None = None,
    tick: Tick | None = None,
    attempts: int = ATTEMPTS,
    wait_sec: float = WAIT_SEC,
) -> Path:
    """Download a file, or go on where an earlier call broke off.

    Parameters
    ----------
    url, target : str, Path
        Where from, where to. A file that is there with the right checksum is kept.
    sha256 : str or None
        Checksum in hex; None: only the length that the server states is checked.
    tick : callable, optional
        Called with bytes so far and bytes in all (0: not known).
    attempts, wait_sec : int, float
        Requests without a new byte before this gives up, and the first pause.

    Raises
    ------
    SourceError
        The server cannot be reached or keeps dropping the connection, or the file is
        not what the checksum says; nothing stands under the target's name then.
    """
    try:
        import pooch
    except ImportError as error:
        raise SourceError("downloads need pooch: pip install 'eegbench[data]'") from (
            error
        )
    part = target.with_name(f"{target.name}.part")

    def into(url: str, output: str, _pooch: Any) -> None:
        _complete(url, part, tick=tick, attempts=attempts, wait_sec=wait_sec)
        part.replace(output)
        _tag(part).unlink(missing_ok=True)

    known = None if sha256 is None else f"sha256:{sha256}"
    pooch.get_logger().setLevel("WARNING")
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        pooch.retrieve(
            url, known, fname=target.name, path=target.parent, downloader=into
        )
    except ValueError as error:
        raise SourceError(
            f"{target.name} from {url} is not the file that is expected: its checksum "
            "is another; it was thrown away"
        ) from error
    return target


def _tag(part: Path) -> Path:
    return part.with_name(f"{part.name}.tag")


def _complete(
    url: str,
    part: Path,
    *,
    tick: Tick | None,
    attempts: int,
    wait_sec: float,
) -> None:
    """Ask for what is missing until the file is whole."""
    import requests
    import urllib3

    idle, most, reason = 0, _size(part), ""
    while idle < attempts:
        if idle:
            time.sleep(wait_sec * 2 ** (idle - 1))
        try:
            if _ask(url, part, tick):
                return
            reason = "the connection ended early"
        except requests.HTTPError as error:
            raise SourceError(f"{url}: {error}") from error
        except (requests.RequestException, urllib3.exceptions.HTTPError) as error:
            reason = f"{type(error).__name__}: {error}"
        idle = 0 if _size(part) > most else idle + 1
        most = max(most, _size(part))
    raise SourceError(
        f"{url}: {reason}, {attempts} times without a new byte; {_size(part)} bytes "
        f"are kept in {part.name}, the same command goes on from there"
    )


def _ask(url: str, part: Path, tick: Tick | None) -> bool:
    """Request the rest once; return whether the file is whole."""
    import requests

    have = _size(part)
    headers = {"Accept-Encoding": "identity"}
    tag = _tag(part).read_text(encoding="utf-8") if _tag(part).is_file() else ""
    if have and tag:
        headers |= {"Range": f"bytes={have}-", "If-Range": tag}
    elif have:  # without a mark nobody knows whether the rest belongs to it
        part.unlink()
        have = 0
    with requests.get(url, headers=headers, stream=True, timeout=TIMEOUT_SEC) as reply:
        if reply.status_code == 416:
            if _total(reply.headers) == have:
                return True
            part.unlink(missing_ok=True)
            return False
        reply.raise_for_status()
        resumed = reply.status_code == 206
        if resumed and not reply.headers.get("Content-Range", "").startswith(
            f"bytes {have}-"
        ):
            raise requests.ConnectionError("the server sent another range")
        if not resumed:
            have = 0
        total = _total(reply.headers) if resumed else _length(reply.headers)
        mark = reply.headers.get("ETag", "")
        if mark.startswith("W/"):  # a weak mark does not vouch for bytes
            mark = ""
        _tag(part).write_text(
            mark or reply.headers.get("Last-Modified", ""), encoding="utf-8"
        )
        with part.open("ab" if resumed else "wb") as stream:
            # read1: what came before a cut is kept; iter_content would lose its chunk
            while chunk := reply.raw.read1(_CHUNK_BYTES):
                stream.write(chunk)
                have += len(chunk)
                if tick is not None:
                    tick(have, max(total, 0))
    return total < 0 or have == total


def _size(part: Path) -> int:
    return part.stat().st_size if part.is_file() else 0


def _length(headers: Any) -> int:
    """Length that the server states; -1: none."""
    text = headers.get("Content-Length", "")
    return int(text) if text.isdigit() else -1


def _total(headers: Any) -> int:
    """Length of the whole file in a Content-Range; -1: none."""
    text = headers.get("Content-Range", "").rpartition("/")[2]
    return int(text) if text.isdigit() else -1
