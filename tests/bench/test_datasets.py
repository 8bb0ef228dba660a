"""Data sets: the table, what is here, fetching by each way, checksums."""

import hashlib
import json
import shutil
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner, Result

from eegbench.cli import main
from eegbench.datasets.catalogue import catalogue, dataset
from eegbench.datasets.fetch import _huggingface, fetch
from eegbench.datasets.samples import sample_problems
from eegbench.datasets.sums import read_sums, verify
from eegbench.errors import ConfigError, SourceError
from eegbench.sources.folders import FOLDER_NAMES
from eegbench.suites.eegagent.build import DATASETS
from file_server import Faults, Server, file_server


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(each) for each in arguments])


def silent(_text: str) -> None:
    """Say nothing."""


@pytest.fixture
def server() -> Iterator[Server]:
    with file_server() as running:
        yield running


def test_every_source_of_a_task_is_in_the_table() -> None:
    known = catalogue()
    assert set(known) == {*FOLDER_NAMES, "release"}
    for task, name in DATASETS.items():
        assert known[name].task == task
    assert all(data.page.startswith("https://") for data in known.values())
    with pytest.raises(ConfigError, match="unknown data set 'bern'; known: medmcqa"):
        dataset("bern")


def test_list_names_licence_terms_size_and_what_is_expected() -> None:
    text = call("data", "list").stdout
    for word in ("ODC-By 1.0", "commercial and military use", "openneuro-py", "42.6"):
        assert word in text
    rows = json.loads(call("data", "list", "--format", "json").stdout)
    assert [row["name"] for row in rows] == list(catalogue())


def test_status_tells_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "Bonn").mkdir()
    (tmp_path / "Bonn" / "Z.zip").write_bytes(b"12")
    (tmp_path / "eegdenoisenet").mkdir()
    (tmp_path / "eegdenoisenet" / "EEG_all_epochs.npy.part").write_bytes(b"1")
    (tmp_path / "chb-mit-1.0.0").mkdir()
    (tmp_path / "chb-mit-1.0.0" / "SHA256SUMS.txt").write_text(
        f"{'0' * 64} chb01/chb01_01.edf\n{'1' * 64} RECORDS\n"
    )
    result = call("data", "status", "--sources", tmp_path, "--format", "json")
    rows = {row["name"]: row for row in json.loads(result.stdout)}
    assert rows["bonn"]["state"] == "without O.zip, S.zip"
    assert rows["eegdenoisenet"]["state"].startswith("begun")
    assert rows["chbmit"]["state"] == "2 of 2 files missing"
    assert rows["ds004504"]["state"].startswith("not in")
    (tmp_path / "medmcqa").mkdir()
    (tmp_path / "medmcqa" / "dev.json").write_text("{}")
    signals = tmp_path / "ds004504" / "sub-001" / "eeg"
    signals.mkdir(parents=True)
    (signals / "sub-001_task-eyesclosed_eeg.set").write_text("/annex/objects/x")
    result = call("data", "status", "--sources", tmp_path, "--format", "json")
    rows = {row["name"]: row for row in json.loads(result.stdout)}
    assert rows["medmcqa"]["state"] == "without train.json"
    assert rows["ds004504"]["state"] == "without recordings"
    assert call("data", "status", "--sources", tmp_path / "no").exit_code == 0


def test_terms_are_shown_and_never_accepted_for_anyone(tmp_path: Path) -> None:
    for name in ("bonn", "release"):
        result = call("data", "fetch", name, "--sources", tmp_path)
        assert result.exit_code == 1
        assert "commercial and military use" in result.stdout
        assert "nothing was fetched" in result.stdout
    assert list(tmp_path.iterdir()) == []


def test_without_an_address_the_page_is_named(tmp_path: Path) -> None:
    result = call(
        "data", "fetch", "bonn", "--sources", tmp_path, "--i-accept-the-terms"
    )
    assert result.exit_code == 1
    assert "https://www.ukbonn.de" in result.stdout
    assert "--from URL" in result.stdout


def array_bytes(rows: int) -> bytes:
    import io

    stream = io.BytesIO()
    np.save(stream, np.zeros((rows, 512), dtype=np.float32))
    return stream.getvalue()


def test_plain_files_are_fetched_checked_and_their_sums_kept(
    server: Server, tmp_path: Path
) -> None:
    data = msgspec.structs.replace(
        dataset("eegdenoisenet"),
        base_url=server.url,
        shapes=((4, 512), (3, 512), (5, 512)),
    )
    for name, rows in zip(data.files, (4, 3, 5), strict=True):
        server.files[f"/{name}"] = array_bytes(rows)
    server.faults = Faults(cuts=[1000])
    told = fetch(data, tmp_path, talk=silent)
    assert not told.failed
    kept = json.loads((tmp_path / "eegdenoisenet" / "fetched.json").read_text())
    assert set(kept) == set(data.files)
    assert call("data", "verify", "eegdenoisenet", "--sources", tmp_path).exit_code == 0
    (tmp_path / "eegdenoisenet" / "EOG_all_epochs.npy").write_bytes(b"other")
    result = call("data", "verify", "eegdenoisenet", "--sources", tmp_path)
    assert result.exit_code == 1
    assert "wrong (1): EOG_all_epochs.npy" in result.stdout


@pytest.mark.parametrize("content", [array_bytes(2), array_bytes(4)[:-9], b"<html>"])
def test_a_file_of_another_content_does_not_stay(
    server: Server, tmp_path: Path, content: bytes
) -> None:
    data = msgspec.structs.replace(
        dataset("eegdenoisenet"), base_url=server.url, shapes=((4, 512),) * 3
    )
    server.files["/EEG_all_epochs.npy"] = content
    with pytest.raises(SourceError, match=r"EEG_all_epochs\.npy: .*thrown away"):
        fetch(data, tmp_path, talk=silent)
    assert list((tmp_path / "eegdenoisenet").iterdir()) == []


def text_zip(path: Path, names: tuple[str, ...], text: str) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, text)


def test_samples_count_not_the_zip_around_them(tmp_path: Path) -> None:
    text_zip(tmp_path / "a.zip", ("Z/Z001.txt", "Z/Z002.txt"), "12\n-3\n")
    (tmp_path / "b").mkdir()
    for name in ("z001.TXT", "z002.TXT"):
        (tmp_path / "b" / name).write_text(" 12\r\n-3\r\n")
    wanted = hashlib.sha256(b"12\n-3\n" * 2).hexdigest()
    assert sample_problems(tmp_path / "a.zip", wanted) is None
    assert sample_problems(tmp_path / "b", wanted) is None
    text_zip(tmp_path / "c.zip", ("Z001.txt", "Z002.txt"), "12\n-4\n")
    assert "not those" in str(sample_problems(tmp_path / "c.zip", wanted))
    (tmp_path / "d.zip").write_bytes(b"no zip")
    assert "cannot be read" in str(sample_problems(tmp_path / "d.zip", wanted))


def test_a_mirror_of_bonn_is_checked_sample_by_sample(
    server: Server, tmp_path: Path
) -> None:
    for name in ("Z", "O", "S"):
        text_zip(tmp_path / f"{name}.zip", (f"{name}001.txt",), "1\n2\n")
        server.files[f"/{name}.zip"] = (tmp_path / f"{name}.zip").read_bytes()
    result = call(
        "data", "fetch", "bonn", "--sources", tmp_path / "data",
        "--i-accept-the-terms", "--from", server.url,
    )  # fmt: skip
    assert result.exit_code == 1
    assert "Z.zip: the samples of its 1 files are not those" in result.stderr
    assert list((tmp_path / "data" / "bonn").iterdir()) == []


@pytest.mark.data
def test_bonn_as_we_have_it_is_right_sample_by_sample(data_dir: Path) -> None:
    result = call("data", "verify", "bonn", "--sources", data_dir)
    assert result.exit_code == 0, result.output
    assert result.stdout.count("every sample is right") == 3


def test_physionet_says_how_and_checks_what_is_there(tmp_path: Path) -> None:
    result = call("data", "fetch", "sleep-edfx", "--sources", tmp_path)
    assert result.exit_code == 1
    assert "wget -r -N -c -np" in result.stdout
    assert "aws s3 sync --no-sign-request s3://physionet-open/sleep-edfx" in (
        result.stdout
    )
    folder = tmp_path / "sleep-edfx"
    folder.mkdir()
    (folder / "a.edf").write_bytes(b"one")
    right = hashlib.sha256(b"one").hexdigest()
    (folder / "SHA256SUMS.txt").write_text(f"{right} a.edf\n{right} b/c.edf\n")
    result = call("data", "fetch", "sleep-edfx", "--sources", tmp_path)
    assert "1 of 2 files are right" in result.stdout
    assert "missing (1): b/c.edf" in result.stdout
    (folder / "b").mkdir()
    (folder / "b" / "c.edf").write_bytes(b"one")
    assert call("data", "fetch", "sleep-edfx", "--sources", tmp_path).exit_code == 0


@pytest.mark.data
def test_published_sums_are_read_and_hold(data_dir: Path, tmp_path: Path) -> None:
    sums = read_sums(data_dir / "chbmit" / "SHA256SUMS.txt")
    assert len(sums) == 856
    names = ("RECORDS", "RECORDS-WITH-SEIZURES", "SUBJECT-INFO")
    found = verify(data_dir / "chbmit", {name: sums[name] for name in names})
    assert (found.n_right, found.missing, found.wrong) == (3, (), ())
    sleep = read_sums(data_dir / "sleep-edfx" / "SHA256SUMS.txt")
    nights = {
        path.name: sleep[f"sleep-cassette/{path.name}"]
        for path in (data_dir / "sleep-edfx" / "hypnograms").glob("*.edf")
    }
    found = verify(data_dir / "sleep-edfx" / "hypnograms", nights)
    assert found.n_right == len(nights) == 20


def test_sums_that_lead_out_of_the_folder_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"one")
    (tmp_path / "set").mkdir()
    right = hashlib.sha256(b"one").hexdigest()
    found = verify(tmp_path / "set", {"../secret": right})
    assert found.missing == ("../secret",)
    (tmp_path / "bad.txt").write_text("no sum here\n")
    with pytest.raises(SourceError, match="line 1: no checksum"):
        read_sums(tmp_path / "bad.txt")


def program(folder: Path, lines: str) -> None:
    """Put a stand-in for openneuro-py on the path."""
    path = folder / "openneuro-py"
    path.write_text(f"#!{sys.executable}\nimport sys, pathlib\n{lines}\n")
    path.chmod(0o755)


def test_openneuro_gets_its_name_when_it_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    (tmp_path / "bin").mkdir()
    data = dataset("ds004504")
    with pytest.raises(SourceError, match="uvx openneuro-py download --dataset=ds0"):
        fetch(data, tmp_path / "data", talk=silent)
    target = "[a.partition('=')[2] for a in sys.argv if 'target-dir' in a][0]"
    write = f"p = pathlib.Path({target}); p.mkdir(parents=True, exist_ok=True)\n"
    write += "(p / 'half').write_text('x')\n"
    program(tmp_path / "bin", write + "sys.exit(1)")
    with pytest.raises(SourceError, match="ended with status 1; what came is kept"):
        fetch(data, tmp_path / "data", talk=silent)
    assert [each.name for each in (tmp_path / "data").iterdir()] == [
        ".incoming-ds004504"
    ]
    program(tmp_path / "bin", write + "assert (p / 'half').exists()")
    assert not fetch(data, tmp_path / "data", talk=silent).failed
    assert (tmp_path / "data" / "ds004504" / "half").is_file()
    result = call("data", "verify", "ds004504", "--sources", tmp_path / "data")
    assert "publishes no list of checksums" in result.stderr


def test_huggingface_resumes_and_checks_by_the_servers_mark(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_DISABLE_XET", "1")
    monkeypatch.setenv("HF_HUB_DISABLE_TELEMETRY", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    content = np.random.default_rng(3).bytes(11_000_000)
    server.files["/train.json"] = content
    server.repository = {
        "lighteval/med_mcqa": {"train.json": hashlib.sha256(content).hexdigest()}
    }
    data = dataset("medmcqa")
    server.faults = Faults(cuts=[10_800_000])  # it keeps pieces of 10 MiB
    folder = _huggingface(data, tmp_path, endpoint=server.url)
    assert (folder / "train.json").read_bytes() == content
    assert f"bytes={10 << 20}-" in server.faults.asked
    assert call("data", "verify", "medmcqa", "--sources", tmp_path).exit_code == 0
    shutil.rmtree(folder)
    server.files["/train.json"] = content[:-1] + b"x"
    with pytest.raises(SourceError, match=r"train\.json did not arrive whole"):
        _huggingface(data, tmp_path, endpoint=server.url)
    assert not (folder / "train.json").exists()
    with pytest.raises(SourceError, match="nobody/nothing"):
        _huggingface(
            msgspec.structs.replace(data, repository="nobody/nothing"),
            tmp_path / "x",
            endpoint=server.url,
        )
