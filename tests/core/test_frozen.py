"""Frozen kernels: the same bytes, without numba; numba where nothing is frozen."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import eegcore
from edf_writer import Edf, Signal
from eegcore import blocksums, compiled, frozen, warmup
from eegcore.cli import main
from eegcore.errors import ReadError
from eegcore.kernels import _folder

QUICK = ("stretch_sums", "crossings", "join_blocks", "keep_apart")
TOOLS = ("compute_temporal_features", "compute_band_power", "detect_transients")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some kernels frozen: those that take seconds, not minutes."""
    from eegcore.kernels import _freeze

    warmup.compile_all()
    target = tmp_path_factory.mktemp("frozen")

    def leave_out(name: str, key: str) -> bool:
        return name not in QUICK or (target / f"{frozen.stem(name, key)}.json").exists()

    for item in _freeze.freeze(lambda _: None, leave_out):
        _freeze.write(target, frozen.stem(item.name, item.key), item)
    return target


@pytest.fixture
def using(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("EEGCORE_FROZEN", "1")
    monkeypatch.setattr(frozen, "frozen_folder", lambda: folder)
    compiled.kernel.cache_clear()
    yield
    compiled.kernel.cache_clear()


@pytest.fixture(scope="module")
def edf_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    x = np.cumsum(np.random.default_rng(4).integers(-40, 41, (2, 128 * 300)), axis=1)
    x = x % 6000 - 3000
    signals = [
        Signal(label, x[k].tolist(), 128) for k, label in enumerate(("C3", "C4"))
    ]
    path = tmp_path_factory.mktemp("recording") / "x.edf"
    path.write_bytes(Edf(signals).to_bytes())
    return path


def answers(path: Path) -> list[bytes]:
    blocksums.forget()
    box = eegcore.Toolbox({"r": eegcore.open(path)})
    ranges = ({}, {"tmin": 10.3, "tmax": 11.9}, {"tmin": 2, "tmax": 250})
    return [
        box.call_json(tool, {"record_id": "r"} | r) for tool in TOOLS for r in ranges
    ]


@pytest.fixture(scope="module")
def by_numba(edf_path: Path) -> list[bytes]:
    return answers(edf_path)


def test_answers_are_the_same_bytes(
    by_numba: list[bytes], edf_path: Path, using: None
) -> None:
    assert answers(edf_path) == by_numba
    for name in QUICK:
        called = compiled.kernel(name)
        assert isinstance(called, frozen.FrozenKernel)
        assert called._known, f"{name} was not called"
        assert all(called._known.values()), f"{name} was not frozen"


def test_what_is_not_frozen_goes_to_numba(
    by_numba: list[bytes], edf_path: Path, using: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frozen, "frozen_folder", lambda: Path("/nowhere"))
    assert answers(edf_path) == by_numba


def test_a_file_that_is_cut_goes_to_numba(
    by_numba: list[bytes],
    edf_path: Path,
    using: None,
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for path in folder.glob("*.json"):
        (tmp_path / path.name).write_bytes(path.read_bytes()[:-9])
        (tmp_path / path.name).with_suffix(".o").write_bytes(b"")
    monkeypatch.setattr(frozen, "frozen_folder", lambda: tmp_path)
    assert answers(edf_path) == by_numba


def test_a_process_answers_without_numba(edf_path: Path, folder: Path) -> None:
    code = (
        "import os, sys; os.environ['EEGCORE_FROZEN'] = '1'\n"
        "from pathlib import Path; from eegcore import frozen\n"
        f"frozen.frozen_folder = lambda: Path({str(folder)!r})\n"
        "import eegcore\n"
        f"box = eegcore.Toolbox({{'r': {str(edf_path)!r}}})\n"
        "given = {'record_id': 'r', 'tmin': 10.3, 'tmax': 11.1}\n"
        "print(box.call_json('compute_temporal_features', given).decode())\n"
        "assert 'numba' not in sys.modules\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    box = eegcore.Toolbox({"r": edf_path})
    arguments = {"record_id": "r", "tmin": 10.3, "tmax": 11.1}
    expected = box.call_json("compute_temporal_features", arguments)
    assert done.stdout.encode() == expected + b"\n"


def test_types_and_order_of_arrays_are_told_apart() -> None:
    def key(*values: object) -> str:
        text: list[str] = []
        frozen.argument_key(values, text, [])
        return "".join(text)

    square = np.zeros((3, 3))
    assert key(square, 1, 2.0) == "<f82Cid"
    assert key(square.T, (np.int64(1),)) == "<f82F(i)"
    assert key(np.zeros((4, 4))[::2, ::2]) == "<f82A"
    assert key(np.zeros(3, np.int16)) == "<i21C"


def test_freezing_needs_a_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frozen, "frozen_folder", lambda: None)
    with pytest.raises(ReadError, match="EEGCORE_CACHE_DIR"):
        warmup.freeze_all()


@pytest.fixture
def one_kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Freezing takes seconds: of one small kernel, into a folder of its own."""
    from eegcore.kernels import _freeze

    warmup.compile_all()
    every = _freeze.signatures()
    few = [(k, types) for k, types in every if k.__name__ == "keep_apart"]
    monkeypatch.setattr(_freeze, "signatures", lambda: few)
    monkeypatch.setattr(frozen, "frozen_folder", lambda: tmp_path / "frozen")
    return tmp_path / "frozen"


def test_what_is_frozen_already_is_left_alone(
    one_kernel: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EEGCORE_FROZEN", "1")
    seen: list[tuple[str, int, int]] = []
    assert warmup.freeze_all(lambda *told: seen.append(told)) == 1
    assert seen == [("keep_apart", 0, 1), ("", 1, 1)]
    assert sorted(path.suffix for path in one_kernel.iterdir()) == [".json", ".o"]
    assert warmup.freeze_all() == 0
    assert compiled.is_frozen()  # as it was asked for before


@pytest.mark.parametrize("asked", ["", "1"])
def test_warmup_freezes_if_asked(
    one_kernel: Path, monkeypatch: pytest.MonkeyPatch, asked: str
) -> None:
    monkeypatch.setenv("EEGCORE_FROZEN", asked)
    done = CliRunner().invoke(main, ["warmup"])
    assert done.exit_code == 0
    assert "kernels kept in" in done.stderr
    assert one_kernel.exists() == (asked == "1")


def test_warmup_says_where_nothing_can_be_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_folder, "_candidates", list)
    done = CliRunner().invoke(main, ["warmup"])
    assert "every process compiles anew" in done.stderr
