"""Commands that make sets: build eegagent, build own."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import orjson

from eegbench.errors import ConfigError, SetError
from eegbench.instances import Condition
from eegbench.records import read_bytes
from eegbench.suites.eegagent.build.pool import Place

Talk = Callable[[str], None]


class BuildOptions(NamedTuple):
    """What ``build eegagent`` was told besides the folder of the set."""

    sources: Path | None = None
    release: Path | None = None
    signals: Path | None = None
    tasks: Sequence[str] | None = None
    condition: Condition = "default"
    panel: Path | None = None
    balanced: bool | None = None
    trim: bool = True
    exclude: str | None = None
    """What to leave out (`excluded`)."""
    place: Place = "refer"
    checksums: bool = True
    compare_with: Path | None = None


class OwnOptions(NamedTuple):
    """What ``build own`` was told besides kind, source and set."""

    label_column: str = "label"
    recording_column: str = "recording"
    codes: str | None = None
    line_sec: float = 30.0
    context: str | None = None
    question: str | None = None
    place: Place = "refer"
    checksums: bool = True


_SOURCES_ONLY = ("panel", "balanced", "trim", "exclude", "compare_with")


def build_set(output: Path, options: BuildOptions, *, talk: Talk) -> tuple[str, bool]:
    """Build the suite's set; return what was built, and whether something is missing.

    Raises
    ------
    ConfigError
        Options that do not go together.
    """
    if options.release is not None:
        return _from_release(options.release, output, options, talk)
    if options.sources is None:
        raise ConfigError("give a folder of sources or a folder of the release")
    if options.condition != "default":
        raise ConfigError(
            "a paper-like set takes its texts and ids from the release; use --release"
        )
    if options.signals is not None:
        raise ConfigError("--signals goes with --release; --sources holds its own")
    from eegbench.suites.eegagent.build import build

    report = build(
        options.sources,
        options.tasks,
        output,
        panel=options.panel,
        balanced=options.balanced,
        trim=options.trim,
        exclude=excluded(options.exclude),
        place=options.place,
        checksums=options.checksums,
        compare_with=options.compare_with,
        talk=talk,
    )
    return report.text(), bool(report.unreadable)


def _from_release(
    release: Path, output: Path, options: BuildOptions, talk: Talk
) -> tuple[str, bool]:
    from eegbench.suites.eegagent.build.release import build_release

    usual = BuildOptions()
    told = [
        f"--{name.replace('_', '-')}"
        for name in _SOURCES_ONLY
        if getattr(options, name) != getattr(usual, name)
    ]
    if told:
        raise ConfigError(
            f"{', '.join(told)} with --release; the release is screened, balanced and "
            "trimmed already"
        )
    report = build_release(
        release,
        output,
        signals=options.signals,
        tasks=options.tasks,
        condition=options.condition,
        place=options.place,
        checksums=options.checksums,
        talk=talk,
    )
    return report.text(), bool(report.missing or report.unreadable)


def build_own_set(
    kind: str, path: Path, output: Path, options: OwnOptions, *, talk: Talk
) -> tuple[str, bool]:
    """Build a set of one's own recordings; return what was built, and what failed."""
    from eegbench.suites.eegagent.build.own import build_own

    report = build_own(kind, path, output, **options._asdict(), talk=talk)
    return report.text(), bool(report.unreadable)


def excluded(told: str | None) -> set[str]:
    """Return record names to leave out: a release's folder, a file, or a comma list.

    A folder is a release, whose records are all left out. A file holds one name a
    line, or JSON Lines of the release's runtime form, whose records are named by their
    ``data_path``.
    """
    if not told:
        return set()
    path = Path(told)
    if path.is_dir():
        from eegbench.suites.eegagent.build.release import record_names
        from eegbench.suites.eegagent.tasks import SUITE

        return {name for task in SUITE.tasks for name in record_names(path, task)}
    if not path.is_file():
        if "/" in told or told.endswith((".txt", ".jsonl")):
            raise SetError(f"no file {told} of names to leave out")
        return {name.strip() for name in told.split(",") if name.strip()}
    names: set[str] = set()
    for line in read_bytes(path).decode("utf-8", "replace").splitlines():
        names |= set(_names_of(line.strip()))
    return names


def _names_of(line: str) -> Iterable[str]:
    if not line.startswith("{"):
        return [line] if line else []
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise SetError(f"names to leave out: not JSON: {line[:60]!r}") from error
    records = row.get("records", []) if isinstance(row, dict) else []
    try:
        return [Path(str(record["data_path"])).stem for record in records]
    except (TypeError, KeyError) as error:
        raise SetError(
            f"names to leave out: no records with a data_path: {line[:60]!r}"
        ) from error
