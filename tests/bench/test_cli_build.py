"""`eegbench build` from the command line: options, own recordings, paper-like runs."""

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from bench import source_folders as folders
from bench.test_release import release  # noqa: F401 - a fixture
from bench.test_sources_small import bids
from eegbench.cli import main
from eegbench.instances import read_set


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(each) for each in arguments])


def names(folder: Path) -> list[str]:
    return [row.instance_id for row in read_set(folder)]


def eegagent(tmp_path: Path, *options: object) -> Result:
    return call(
        "build", "eegagent", "--sources", tmp_path / "src", "-o", tmp_path / "set",
        *options,
    )  # fmt: skip


def test_counts_stand_beside_the_papers_and_differences_are_named(
    tmp_path: Path,
) -> None:
    folders.bonn(tmp_path / "src" / "bonn")
    result = eegagent(tmp_path, "--tasks", "T3")
    assert result.exit_code == 0, result.output
    assert "candidates  T3   Z                4      100 !" in result.stdout
    assert "T3 candidates, Z: 4; the paper has 100" in result.stdout


def test_what_is_left_out_is_told_by_names_a_file_or_a_release(
    tmp_path: Path,
    release: Path,  # noqa: F811
) -> None:
    folders.bonn(tmp_path / "src" / "bonn")
    eegagent(tmp_path, "--tasks", "T3")
    everything = names(tmp_path / "set")
    eegagent(tmp_path, "--tasks", "T3", "--exclude", "Z002,S001")
    by_names = names(tmp_path / "set")
    assert set(everything) - set(by_names) == {"T3-bonn-Z002", "T3-bonn-S001"}
    (tmp_path / "names.txt").write_text("Z002\nS001\n")
    for told in (tmp_path / "names.txt", release):
        eegagent(tmp_path, "--tasks", "T3", "--exclude", told)
        assert names(tmp_path / "set") == by_names


def test_a_set_is_compared_with_the_release_record_by_record(
    tmp_path: Path,
    release: Path,  # noqa: F811
) -> None:
    folders.bonn(tmp_path / "src" / "bonn", n=1)
    result = eegagent(tmp_path, "--tasks", "T3", "--compare-with", release)
    assert "T3: 2 only in ours: O001, Z001" in result.stdout
    assert "T3: 1 only in the release: Z002" in result.stdout


def test_placing_trimming_panel_and_balance_reach_the_builder(tmp_path: Path) -> None:
    folders.sleep_edfx(tmp_path / "src" / "sleep-edfx")
    folders.bonn(tmp_path / "src" / "bonn")
    eegagent(tmp_path, "--tasks", "T6", "--no-trim", "--place", "copy")
    (night,) = read_set(tmp_path / "set")
    assert night.n_epochs == 40
    assert (tmp_path / "set" / str(night.recording)).is_file()
    (tmp_path / "panel.csv").write_text(
        "record,model,solved\n" + "".join(f"Z001,{m},true\n" for m in "abcde")
    )
    panel = ("--tasks", "T3", "--panel", tmp_path / "panel.csv")
    eegagent(tmp_path, *panel, "--not-balanced", "--no-checksums")
    kept = names(tmp_path / "set")
    assert len(kept) == 11
    assert "T3-bonn-Z001" not in kept
    assert {row.sha256 for row in read_set(tmp_path / "set")} == {None}
    eegagent(tmp_path, *panel)
    assert len(names(tmp_path / "set")) == 8


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--panel", "p.csv"), "--panel with --release"),
        (("--no-trim",), "--trim with --release"),
        (("--exclude", "Z001"), "--exclude with --release"),
    ],
)
def test_options_that_mean_nothing_for_a_release_are_refused(
    tmp_path: Path,
    release: Path,  # noqa: F811
    options: tuple[str, ...],
    told: str,
) -> None:
    result = call(
        "build", "eegagent", "--release", release, "-o", tmp_path / "s", *options
    )
    assert result.exit_code == 1
    assert told in result.stderr
    assert not (tmp_path / "s").exists()


def test_seizures_nights_and_labels_of_ones_own(tmp_path: Path) -> None:
    bids(tmp_path / "bids")
    result = call("build", "own", "seizures", tmp_path / "bids", "-o", tmp_path / "s")
    assert result.exit_code == 0, result.output
    assert "1 instances (T5 1)" in result.stdout
    (tmp_path / "x.txt").write_text("1\n" * 6000)
    (tmp_path / "h.txt").write_text("5\n" * 6 + "2\n" * 6)
    with (tmp_path / "nights.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["recording", "hypnogram", "rate_hz"])
        writer.writerow(["x.txt", "h.txt", 100])
    result = call(
        "build", "own", "nights", tmp_path / "nights.csv", "-o", tmp_path / "n",
        "--codes", "dreams", "--line-sec", "5", "--context", "An afternoon nap.",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    (night,) = read_set(tmp_path / "n")
    assert (night.n_epochs, night.context) == (2, "An afternoon nap.")
    for name in ("a", "b"):
        folders.edf(tmp_path / f"{name}.edf", 10)
    (tmp_path / "labels.csv").write_text("file,group\na.edf,rest\nb.edf,task\n")
    result = call(
        "build", "own", "labels", tmp_path / "labels.csv", "-o", tmp_path / "l",
        "--recording-column", "file", "--label-column", "group",
        "--question", "Rest or task?",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert {row.question for row in read_set(tmp_path / "l")} == {"Rest or task?"}


def test_own_recordings_that_cannot_be_read_end_with_status_1(tmp_path: Path) -> None:
    folders.edf(tmp_path / "a.edf", 10)
    folders.edf(tmp_path / "b.edf", 10)
    (tmp_path / "c.edf").write_bytes(b"no recording")
    (tmp_path / "labels.csv").write_text("recording,label\na.edf,x\nb.edf,y\nc.edf,y\n")
    result = call(
        "build", "own", "labels", tmp_path / "labels.csv", "-o", tmp_path / "s"
    )
    assert result.exit_code == 1
    assert "could not be used (1):\n  c.edf" in result.stdout
    assert len(names(tmp_path / "s")) == 2
    assert call("build", "own", "dreams", tmp_path, "-o", tmp_path / "x").exit_code == 2


def test_a_paper_like_run_shows_the_releases_texts_and_record_ids(
    tmp_path: Path,
    release: Path,  # noqa: F811
) -> None:
    folders.bonn(tmp_path / "signals" / "bonn")
    shown = {}
    for condition in ("default", "paper-like"):
        out = tmp_path / condition
        result = call(
            "build", "eegagent", "--release", release, "--tasks", "T3",
            "--signals", tmp_path / "signals", "--condition", condition, "-o", out,
        )  # fmt: skip
        assert result.exit_code == 0, result.output
        run = call(
            "run", out, "--agent", "rules", "--workers", "1",
            "-o", tmp_path / f"run-{condition}",
        )  # fmt: skip
        assert run.exit_code == 0, run.output
        told = [
            json.loads(line)
            for path in (tmp_path / f"run-{condition}").glob("transcripts/*.jsonl")
            for line in path.read_text().splitlines()
        ]
        shown[condition] = json.dumps(told)
    assert '\\"EEG_0\\"' in shown["paper-like"]
    assert "23.6 seconds of one channel" in shown["paper-like"]
    assert "rec-" not in shown["paper-like"]
    assert "EEG_0" not in shown["default"]
    assert "rec-" in shown["default"]
