"""A data set by its own way: plain files, huggingface_hub, openneuro-py, or by hand.

Terms that a person must accept are shown and stop the fetch until the person says so;
nothing is ever accepted for them. Each way resumes: the same call goes on.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from eegbench.datasets.catalogue import Dataset
from eegbench.datasets.download import Tick, download
from eegbench.datasets.samples import sample_problems
from eegbench.datasets.status import folder_of
from eegbench.datasets.sums import SUMS_NAME, read_sums, sha256_of, verify
from eegbench.errors import SourceError
from eegbench.records import write_whole

Talk = Callable[[str], None]
RECORD = "fetched.json"
"""Where the checksums of what was fetched are kept, for `verify`."""


class Fetched(NamedTuple):
    """What there is to tell, and whether something is still missing."""

    text: str
    failed: bool


def fetch(
    data: Dataset,
    sources: Path,
    *,
    accepted: bool = False,
    mirror: str | None = None,
    tick: Tick | None = None,
    talk: Talk,
) -> Fetched:
    """Fetch a data set into its folder below `sources`.

    Parameters
    ----------
    data : Dataset
        From the catalogue.
    sources : Path
        Folder of all data sets; made where it is not there.
    accepted : bool
        Whether the person who asks has accepted the terms of the data set.
    mirror : str or None
        Address that holds the plain files, in place of the catalogue's.

    Raises
    ------
    SourceError
        The network, the server or the file is not as it should be.
    """
    if data.terms is not None and not accepted:
        return Fetched(
            f"{data.title}\nterms: {data.terms}\npage: {data.page}\n"
            "nothing was fetched; if you accept the terms, say so yourself with "
            "--i-accept-the-terms",
            failed=True,
        )
    talk(f"{data.title}\nlicence: {data.licence}; {data.page}")
    if data.way == "physionet":
        return _physionet(data, sources, tick)
    if data.way == "files":
        return _files(data, sources, mirror, tick, talk)
    client = _huggingface if data.way == "huggingface" else _openneuro
    folder = client(data, sources)
    return Fetched(f"{data.name} is in {folder}", failed=False)


def _files(
    data: Dataset,
    sources: Path,
    mirror: str | None,
    tick: Tick | None,
    talk: Talk,
) -> Fetched:
    base = mirror or data.base_url
    if base is None:
        return Fetched(
            f"{data.note}\npage: {data.page}\nput into {sources / data.name}: "
            f"{data.expects}",
            failed=True,
        )
    folder = folder_of(sources, data) or sources / data.name
    sums: dict[str, str] = {}
    for name in data.files:
        path = folder / name
        if path.is_file():
            talk(f"{name} is there")
        else:
            talk(f"{name} from {base}")
            download(f"{base.rstrip('/')}/{name}", path, tick=_in_mb(tick))
        problem = content_problem(data, path)
        if problem is not None:
            path.unlink()
            raise SourceError(f"{name}: {problem}; it was thrown away")
        sums[name] = sha256_of(path)
    write_whole(folder / RECORD, json.dumps(sums, indent=2).encode() + b"\n")
    return Fetched(f"{data.name} is in {folder}", failed=False)


def _in_mb(tick: Tick | None) -> Tick | None:
    """Progress in millions of bytes, which a person can read."""
    if tick is None:
        return None
    return lambda done, total: tick(done // 1_000_000, -(-total // 1_000_000))


def content_problem(data: Dataset, path: Path) -> str | None:
    """What is wrong with the content of a fetched file, where that can be told."""
    shapes = dict(zip(data.files, data.shapes, strict=False))
    if path.name in shapes:
        try:
            found = np.load(path, mmap_mode="r").shape
        except (ValueError, OSError, EOFError) as error:
            return f"no whole array: {error}"
        wanted = shapes[path.name]
        return None if found == wanted else f"shape {found}; {wanted} is expected"
    wanted_sum = data.samples_sha256.get(path.stem)
    return None if wanted_sum is None else sample_problems(path, wanted_sum)


def _physionet(data: Dataset, sources: Path, tick: Tick | None) -> Fetched:
    """Say how to fetch; check what is there against the published checksums."""
    target = sources / data.name
    lines = [
        f"{data.size_mb / 1000:.1f} GB; one of these, both go on where they stopped:",
        f"  wget -r -N -c -np -nH --cut-dirs=3 -P {target} "
        f"https://physionet.org/files/{data.repository}/",
        f"  aws s3 sync --no-sign-request s3://physionet-open/{data.repository}/ "
        f"{target}",
    ]
    folder = folder_of(sources, data)
    if folder is None:
        return Fetched("\n".join(lines), failed=True)
    told = verified(data, folder, tick=tick)
    return Fetched("\n".join([*lines, told.text]), told.failed)


def verified(data: Dataset, folder: Path, *, tick: Tick | None = None) -> Fetched:
    """Compare what is there with published or recorded checksums.

    Raises
    ------
    SourceError
        The list of checksums cannot be read.
    """
    if data.way == "files" and (folder / RECORD).is_file():
        sums = json.loads((folder / RECORD).read_text(encoding="utf-8"))
    elif data.way == "huggingface":
        sums = _recorded_by_huggingface(folder)
    elif data.samples_sha256:
        return _by_samples(data, folder)
    elif data.way == "openneuro":
        raise SourceError(
            f"OpenNeuro publishes no list of checksums; 'eegbench data fetch "
            f"{data.name}' checks each file by size and by NEMAR's checksums"
        )
    else:
        sums = read_sums(folder / SUMS_NAME)
    found = verify(folder, sums, tick=tick)
    lines = [f"{found.n_right} of {found.n_listed} files are right in {folder}"]
    for what, names in (("missing", found.missing), ("wrong", found.wrong)):
        if names:
            shown = ", ".join(names[:10]) + (", ..." if len(names) > 10 else "")
            lines.append(f"{what} ({len(names)}): {shown}")
    return Fetched("\n".join(lines), bool(found.missing or found.wrong))


def _by_samples(data: Dataset, folder: Path) -> Fetched:
    """Compare the samples of text sets with the checksums of the catalogue."""
    lines, failed = [], False
    for name, wanted in data.samples_sha256.items():
        places = [folder / f"{name}.zip", folder / name]
        path = next((place for place in places if place.exists()), None)
        problem = "not there" if path is None else sample_problems(path, wanted)
        failed |= problem is not None
        lines.append(f"set {name}: {problem or 'every sample is right'}")
    return Fetched("\n".join(lines), failed)


def _huggingface(data: Dataset, sources: Path, *, endpoint: str | None = None) -> Path:
    """Fetch by huggingface_hub, which resumes, and check its recorded checksums."""
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import HfHubHTTPError
    except ImportError as error:
        raise SourceError(
            "this needs huggingface_hub: pip install 'eegbench[data]'"
        ) from error
    folder = folder_of(sources, data) or sources / data.name
    try:
        snapshot_download(
            str(data.repository),
            repo_type="dataset",
            revision=data.revision,
            allow_patterns=list(data.files),
            local_dir=folder,
            token=False,
            endpoint=endpoint,
        )
    except (HfHubHTTPError, OSError, ValueError) as error:
        raise SourceError(f"{data.repository}: {_line(error)}") from error
    wrong = verify(folder, _recorded_by_huggingface(folder)).wrong
    if wrong:
        for name in wrong:
            (folder / name).unlink()
        raise SourceError(
            f"{data.repository}: {', '.join(wrong)} did not arrive whole; thrown away, "
            "the same command fetches again"
        )
    return folder


def _recorded_by_huggingface(folder: Path) -> dict[str, str]:
    """SHA-256 of the large files, which the server gives as their mark."""
    kept = folder / ".cache" / "huggingface" / "download"
    sums = {}
    for path in sorted(kept.rglob("*.metadata")):
        lines = path.read_text(encoding="utf-8").splitlines()
        name = str(path.relative_to(kept)).removesuffix(".metadata")
        if len(lines) > 1 and len(lines[1]) == 64:
            sums[name] = lines[1]
    return sums


def _openneuro(data: Dataset, sources: Path) -> Path:
    """Fetch by openneuro-py into a folder that gets its name when it is whole.

    Run as a program of its own: its HTTP library replaces the urllib3 of the
    environment that it is installed into.
    """
    target = folder_of(sources, data) or sources / data.name
    incoming = target if target.is_dir() else sources / f".incoming-{data.name}"
    wanted = [f"--include={pattern}" for pattern in data.include]
    arguments = [
        "download", f"--dataset={data.repository}", f"--target-dir={incoming}",
        "--nemar-checksums", *wanted,
    ]  # fmt: skip
    program = _openneuro_program()
    if program is None:
        raise SourceError(
            "this needs openneuro-py or uvx on the path; or run it elsewhere: "
            f"uvx openneuro-py {' '.join(arguments)}"
        )
    sources.mkdir(parents=True, exist_ok=True)
    done = subprocess.run([*program, *arguments], stdout=sys.stderr, check=False)
    if done.returncode:
        raise SourceError(
            f"openneuro-py ended with status {done.returncode}; what came is kept in "
            f"{incoming}, the same command goes on"
        )
    if incoming != target:
        incoming.rename(target)
    return target


def _openneuro_program() -> list[str] | None:
    for command in (["openneuro-py"], ["uvx", "openneuro-py"]):
        path = shutil.which(command[0])
        if path is not None:
            return [path, *command[1:]]
    return None


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:300] or type(error).__name__
