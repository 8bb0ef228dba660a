"""What no signal reaches on a set: measured once, kept beside the references.

Measuring takes half a minute on a full set, scoring two seconds; so the result is kept
in ``SET/references/baselines.json``, where no agent looks, and used as long as set,
references and version are the same.
"""

import hashlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson

from eegbench import __version__
from eegbench.instances import SetFolder
from eegbench.records import read_bytes, write_whole
from eegbench.references import Reference, references_path
from eegbench.suites import suite

FORMAT = "eegbench-baselines/1"
JsonObject = dict[str, Any]


def baselines_of(
    chosen: SetFolder, references: dict[str, Reference], *, talk: Callable[[str], None]
) -> dict[str, list[JsonObject]]:
    """Return the baselines of a set by task, from its file or measured now.

    A set that cannot be written into is measured each time.
    """
    path = references_path(chosen.path).with_name("baselines.json")
    key = _key(chosen)
    kept = _kept(path, key)
    if kept is not None:
        return kept
    from eegbench.audit import baselines_by_task

    talk("measuring what no signal reaches on this set; kept for the next time")
    tasks = baselines_by_task(chosen, references.values(), suite(chosen.info.suite))
    told = {"format": FORMAT, "key": key, "tasks": tasks}
    options = orjson.OPT_INDENT_2 | orjson.OPT_SERIALIZE_NUMPY
    with suppress(OSError):
        write_whole(path, orjson.dumps(told, option=options) + b"\n")
    return tasks


def _key(chosen: SetFolder) -> str:
    digest = hashlib.sha256(f"{FORMAT} {__version__} {chosen.checksum}".encode())
    digest.update(read_bytes(references_path(chosen.path)))
    return digest.hexdigest()


def _kept(path: Path, key: str) -> dict[str, list[JsonObject]] | None:
    try:
        told = orjson.loads(path.read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return None
    if not isinstance(told, dict) or told.get("key") != key:
        return None
    tasks = told.get("tasks")
    return tasks if isinstance(tasks, dict) else None
