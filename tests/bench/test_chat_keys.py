"""Keys of providers: in no file of a run."""

import zipfile
from pathlib import Path

import pytest

from bench.chats import RIGHT, played
from stand_in_server import refuses, says

pytest.importorskip("inspect_ai", reason="chat models need the extra 'llm'")

KEY = "secret-of-the-variable"


@pytest.fixture
def _key(monkeypatch):
    monkeypatch.setenv("MY_KEY", KEY)


def parts(path: Path) -> list[bytes]:
    """Contents of a file; of Inspect's log, a compressed archive, its members."""
    if path.suffix != ".eval":
        return [path.read_bytes()]
    import inspect_ai.log._recorders.eval  # noqa: F401 - teaches zipfile zstd

    with zipfile.ZipFile(path) as packed:
        return [packed.read(name) for name in packed.namelist()]


def files(run: Path) -> list[Path]:
    return [path for path in run.rglob("*") if path.is_file()]


@pytest.mark.usefixtures("_key")
def test_key_stands_in_no_file_of_a_run(tmp_path):
    played(tmp_path, lambda r, n: says(RIGHT), api_key_env="MY_KEY")
    found = files(tmp_path / "run")
    assert sum(path.suffix == ".eval" for path in found) == 1
    for path in found:
        assert not any(KEY.encode() in part for part in parts(path)), path


@pytest.mark.usefixtures("_key")
@pytest.mark.parametrize("status", [401, 500])
def test_key_that_a_server_repeats_stands_in_no_file_of_ours(tmp_path, status):
    def script(request, number):
        return refuses(status, f"cannot take {KEY}") if number else says(RIGHT)

    summary, rows, _ = played(
        tmp_path, script, n=2, connections=1, api_key_env="MY_KEY"
    )
    assert [row.status for row in rows] == ["completed", "failed"]
    assert "cannot take $MY_KEY" in (rows[1].error or "")
    assert KEY not in str(summary)
    for path in files(tmp_path / "run"):
        # Inspect's own log keeps what a server said; docs/chat-models.md says so
        if path.suffix != ".eval":
            assert KEY.encode() not in path.read_bytes(), path
