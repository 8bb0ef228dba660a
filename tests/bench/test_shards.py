"""Shards: one division everywhere, balanced; a merge that refuses what does not fit."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from bench.sets import instance
from bench_folders import small_set
from eegbench.cli import main
from eegbench.config import Config, RunSettings
from eegbench.errors import ConfigError, SetError
from eegbench.evaluate import evaluate
from eegbench.instances import Instance, read_set
from eegbench.merging import merge_runs
from eegbench.predictions import predictions_path, read_predictions, read_run
from eegbench.records import write_struct
from eegbench.runner import run
from eegbench.shards import Shard, divide, expected_work, read_shard

QUICK = Config(run=RunSettings(workers=1))


def play(folder: Path, out: Path, shard: str | None = None, **given: object) -> Path:
    part = None if shard is None else read_shard(shard)
    run(folder, out, agent="random", shard=part, in_process=True, **given)
    return out


def lengths(*seconds: float) -> list[Instance]:
    return [
        instance(i, facts={"n_channels": 20}, duration_sec=float(each))
        for i, each in enumerate(seconds)
    ]


def test_division_is_a_partition_and_the_same_for_any_order():
    rows = lengths(*[100 * (1 + i % 7) for i in range(60)])
    parts = divide(rows, 4)
    ids = sorted(row.instance_id for part in parts for row in part)
    assert ids == sorted(row.instance_id for row in rows)
    turned = divide(rows[::-1], 4)
    assert [{r.instance_id for r in p} for p in parts] == [
        {r.instance_id for r in p} for p in turned
    ]


def test_work_is_balanced_to_a_few_percent():
    rows = lengths(*[60 + (i * 7919) % 3600 for i in range(400)])
    loads = [sum(expected_work(row) for row in part) for part in divide(rows, 10)]
    assert max(loads) < 1.02 * sum(loads) / 10


def test_instances_of_one_recording_stay_together():
    rows = [instance(i, recording=f"recordings/{i % 5}.edf") for i in range(40)]
    for part in divide(rows, 3):
        for row in part:
            others = [r for r in rows if r.recording == row.recording]
            assert all(other in part for other in others)


def test_more_shards_than_instances_leave_some_empty():
    parts = divide(lengths(1, 2), 5)
    assert sorted(map(len, parts)) == [0, 0, 0, 1, 1]


@pytest.mark.parametrize("text", ["0/2", "3/2", "1", "1/0", "-1/2", "a/b", "1/2/3", ""])
def test_shard_that_does_not_exist_is_refused(text):
    with pytest.raises(ConfigError, match="i/n with i from 1 to n"):
        read_shard(text)


def test_merged_shards_score_as_the_whole_run_does_byte_for_byte(tmp_path):
    folder = small_set(tmp_path / "set")
    whole = play(folder, tmp_path / "run")
    parts = [play(folder, tmp_path / f"p{i}", f"{i}/3") for i in (1, 2, 3)]
    merged = tmp_path / "again" / "run"
    done = merge_runs(parts[::-1], merged)
    assert done.n_predictions == len(read_set(folder))
    assert json.dumps(evaluate(merged)) == json.dumps(evaluate(whole))
    order = [row.instance_id for row in read_predictions(merged)]
    assert order == [row.instance_id for row in read_set(folder)]
    for row in read_predictions(merged):
        assert (merged / (row.transcript or "")).is_file()
    again = run(folder, merged, agent="random", in_process=True)
    assert (again.n_played, again.n_skipped) == (0, done.n_predictions)


def test_shards_of_a_choice_know_each_other(tmp_path):
    folder = small_set(tmp_path / "set")
    parts = [play(folder, tmp_path / f"p{i}", f"{i}/2", limit=4) for i in (1, 2)]
    assert merge_runs(parts, tmp_path / "run").n_predictions == 4
    other = play(folder, tmp_path / "other", "2/2", limit=5)
    with pytest.raises(SetError, match="not shards of one division"):
        merge_runs([parts[0], other], tmp_path / "x")


def test_shards_that_do_not_belong_together_are_refused(tmp_path):
    folder = small_set(tmp_path / "set")
    one = play(folder, tmp_path / "one", "1/2")
    two = play(folder, tmp_path / "two", "2/2")

    def refused(match: str, *parts: Path) -> None:
        with pytest.raises(SetError, match=match):
            merge_runs(list(parts), tmp_path / "out")
        assert not (tmp_path / "out").exists()

    refused(r"no shard 2 of 2; --partial", one)
    refused(r"shard 1/2 is there twice", one, one, two)
    refused("is a whole run", one, play(folder, tmp_path / "whole"))
    refused("one division", one, play(folder, tmp_path / "third", "2/3"))
    run(folder, tmp_path / "c", agent="constant", shard=Shard(2, 2), in_process=True)
    refused('agent is "random" and "constant"', one, tmp_path / "c")
    info = read_run(two)
    for field, value in (
        ("versions", {**info.versions, "eegcore": "0.0.9"}),
        ("set_checksum", "0" * 64),
        ("limits", {}),
        ("seed", 7),
        ("record_key", "00"),
    ):
        changed = {name: getattr(info, name) for name in info.__struct_fields__}
        write_struct(two / "run.json", type(info)(**{**changed, field: value}))
        refused(f"do not belong together: {field} is", one, two)
    write_struct(two / "run.json", info)
    lines = predictions_path(two).read_bytes().splitlines(keepends=True)
    first = predictions_path(one).read_bytes().splitlines(keepends=True)[0]
    for data, match in (
        (lines[:-1], r"lacks 1 of \d+ instances; run it again"),
        ([*lines, first], "both answer"),
        ([*lines, lines[0]], "answered more than once"),
        ([*lines[1:], lines[0].replace(b"T", b"X", 1)], "not in the set"),
    ):
        predictions_path(two).write_bytes(b"".join(data))
        refused(match, one, two)
    predictions_path(two).write_bytes(b"".join(lines[:-1]))
    done = merge_runs([one, two], tmp_path / "out", partial=True)
    assert "lacks 1 of" in done.notes[0]
    with pytest.raises(SetError, match="not empty"):
        merge_runs([one, two], tmp_path / "out")


def test_answer_of_another_shard_is_astray(tmp_path):
    folder = small_set(tmp_path / "set")
    one = play(folder, tmp_path / "one", "1/2")
    two = play(folder, tmp_path / "two", "2/2")
    first = predictions_path(one).read_bytes().splitlines(keepends=True)
    lines = predictions_path(two).read_bytes().splitlines(keepends=True)
    predictions_path(one).write_bytes(b"".join([*first[1:], lines[0]]))
    with pytest.raises(SetError, match="answers instances that are not of its shard"):
        merge_runs([one, two], tmp_path / "out")


def test_shard_is_not_resumed_as_another(tmp_path):
    folder = small_set(tmp_path / "set")
    play(folder, tmp_path / "run", "1/2")
    with pytest.raises(SetError, match="with shard"):
        play(folder, tmp_path / "run", "2/2")
    with pytest.raises(SetError, match="with shard"):
        play(folder, tmp_path / "run")


def test_printed_xargs_job_runs_as_it_stands(tmp_path):
    folder, out = small_set(tmp_path / "set"), tmp_path / "a folder"
    words = [
        "run",
        str(folder),
        "--agent",
        "constant",
        "--workers",
        "1",
        "-o",
        str(out),
    ]
    told = CliRunner().invoke(main, [*words, "--print-job", "xargs", "--jobs", "2"])
    assert told.exit_code == 0, told.output
    assert not out.exists()
    script = tmp_path / "job.sh"
    script.write_text(told.stdout)
    here = str(Path(sys.executable).parent)  # where this environment's programs are
    path = os.pathsep.join([here, os.environ["PATH"]])
    done = subprocess.run(
        ["sh", str(script)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PATH": path},
    )
    assert done.returncode == 0, done.stderr
    assert len(read_predictions(out / "whole")) == len(read_set(folder))


def test_printed_slurm_job_names_what_was_given_and_no_more(tmp_path):
    words = ["run", "SET", "--agent", "rules", "--tasks", "T3,T5", "-o", "R"]
    told = CliRunner().invoke(main, [*words, "--print-job", "slurm", "--jobs", "100"])
    assert told.exit_code == 0, told.output
    assert "#SBATCH --array=1-100\n" in told.stdout
    assert (
        "srun eegbench run SET --agent rules --tasks T3,T5 "
        '--shard "$SLURM_ARRAY_TASK_ID/100" -o R/shard-"$SLURM_ARRAY_TASK_ID"\n'
    ) in told.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--shard", "3/2"], "it is i/n"),
        (["--scheduler", "tcp://x:1"], "goes with --executor dask"),
        (["--print-job", "xargs", "--shard", "1/2"], "leave --shard out"),
    ],
)
def test_misuse_is_named(tmp_path, words, message):
    folder = small_set(tmp_path / "set")
    told = CliRunner().invoke(
        main, ["run", str(folder), "--agent", "random", "-o", str(tmp_path), *words]
    )
    assert told.exit_code in (1, 2)
    assert message in told.stderr
