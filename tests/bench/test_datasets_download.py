"""Plain files from a server that drops connections and lies."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from eegbench.datasets.download import download
from eegbench.errors import SourceError
from file_server import Faults, Server, file_server

DATA = np.random.default_rng(5).bytes(700_001)
SUM = hashlib.sha256(DATA).hexdigest()


@pytest.fixture
def server() -> Iterator[Server]:
    with file_server() as running:
        running.files["/a.npy"] = DATA
        yield running


def fetch(server: Server, target: Path, **changes: object) -> Path:
    told = {"sha256": SUM, "attempts": 3, "wait_sec": 0.01, **changes}
    return download(f"{server.url}/a.npy", target, **told)  # type: ignore[arg-type]


def test_a_file_arrives_with_progress_and_nothing_beside_it(
    server: Server, tmp_path: Path
) -> None:
    seen: list[tuple[int, int]] = []
    fetch(server, tmp_path / "a.npy", tick=lambda *told: seen.append(told))
    assert (tmp_path / "a.npy").read_bytes() == DATA
    assert [path.name for path in tmp_path.iterdir()] == ["a.npy"]
    assert seen[-1] == (len(DATA), len(DATA))


def test_dropped_connections_are_resumed_where_they_broke_off(
    server: Server, tmp_path: Path
) -> None:
    server.faults = Faults(cuts=[200_000] * 3)
    fetch(server, tmp_path / "a.npy")
    assert (tmp_path / "a.npy").read_bytes() == DATA
    starts = [int(r.removeprefix("bytes=")[:-1]) for r in server.faults.asked if r]
    assert starts == [200_000, 400_000, 600_000]


def test_what_came_is_kept_for_a_later_call(server: Server, tmp_path: Path) -> None:
    server.faults = Faults(cuts=[300_000, 0])
    with pytest.raises(SourceError, match="300000 bytes are kept in"):
        fetch(server, tmp_path / "a.npy", attempts=1)
    assert not (tmp_path / "a.npy").exists()
    server.faults = Faults()
    fetch(server, tmp_path / "a.npy")
    assert server.faults.asked == ["bytes=300000-"]
    assert (tmp_path / "a.npy").read_bytes() == DATA


def test_a_wrong_checksum_is_refused_and_nothing_stays(
    server: Server, tmp_path: Path
) -> None:
    server.files["/a.npy"] = DATA[:-1] + b"x"
    with pytest.raises(SourceError, match="checksum is another"):
        fetch(server, tmp_path / "a.npy")
    assert list(tmp_path.iterdir()) == []


def test_a_server_that_promises_more_than_it_has(
    server: Server, tmp_path: Path
) -> None:
    server.faults = Faults(claim=1000)
    with pytest.raises(SourceError, match="without a new byte"):
        fetch(server, tmp_path / "a.npy")
    assert not (tmp_path / "a.npy").exists()


def test_a_server_that_promises_less_than_it_has(
    server: Server, tmp_path: Path
) -> None:
    server.faults = Faults(claim=-1000)
    with pytest.raises(SourceError, match="checksum is another"):
        fetch(server, tmp_path / "a.npy")
    assert list(tmp_path.iterdir()) == []


def test_a_server_without_ranges_starts_anew(server: Server, tmp_path: Path) -> None:
    server.faults = Faults(cuts=[200_000] * 2, ranges=False)
    fetch(server, tmp_path / "a.npy")
    assert (tmp_path / "a.npy").read_bytes() == DATA


def test_two_versions_of_a_file_are_never_joined(
    server: Server, tmp_path: Path
) -> None:
    server.faults = Faults(cuts=[200_000], tags=['"old"', '"new"'])
    fetch(server, tmp_path / "a.npy", sha256=None)
    assert server.faults.asked == ["", "bytes=200000-"]
    assert (tmp_path / "a.npy").read_bytes() == DATA


def test_another_range_than_asked_for_is_not_appended(
    server: Server, tmp_path: Path
) -> None:
    server.faults = Faults(cuts=[200_000], range_shift=7)
    with pytest.raises(SourceError, match="another range"):
        fetch(server, tmp_path / "a.npy")
    assert not (tmp_path / "a.npy").exists()


def test_a_whole_part_without_its_name_is_only_renamed(
    server: Server, tmp_path: Path
) -> None:
    (tmp_path / "a.npy.part").write_bytes(DATA)
    (tmp_path / "a.npy.part.tag").write_text('"one"')
    fetch(server, tmp_path / "a.npy")
    assert (tmp_path / "a.npy").read_bytes() == DATA


def test_a_file_that_is_there_is_not_asked_for(server: Server, tmp_path: Path) -> None:
    (tmp_path / "a.npy").write_bytes(DATA)
    fetch(server, tmp_path / "a.npy")
    assert server.faults.asked == []


def test_no_such_file_and_no_server_are_one_line(
    server: Server, tmp_path: Path
) -> None:
    with pytest.raises(SourceError, match="404"):
        download(f"{server.url}/b.npy", tmp_path / "b.npy")
    with pytest.raises(SourceError, match="ConnectionError"):
        download("http://127.0.0.1:9/c.npy", tmp_path / "c.npy", attempts=1, wait_sec=0)
    assert list(tmp_path.iterdir()) == []
