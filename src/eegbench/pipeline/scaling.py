"""Runs spread over machines: array jobs as text, shards merged, executors by name."""

import shlex
from collections.abc import Sequence
from pathlib import Path

from eegbench.merging import merge_runs
from eegbench.pipeline.runs import Talk


def merge(
    runs: Sequence[Path],
    output: Path,
    *,
    set_path: Path | None,
    partial: bool,
    talk: Talk,
) -> tuple[str, bool]:
    """Put shards together; return what was done, and whether rows failed."""
    done = merge_runs(runs, output, set_path=set_path, partial=partial)
    for note in done.notes:
        talk(note)
    text = (
        f"{done.n_runs} shards, {done.n_predictions} instances, {done.n_failed} "
        f"failed: {output}\nnext: eegbench score {shlex.quote(str(output))}"
    )
    return text, done.n_failed > 0


def print_job(kind: str, words: Sequence[str], output: Path, *, n_jobs: int) -> str:
    """Return a script that runs a command as ``n_jobs`` shards; nothing is started.

    Parameters
    ----------
    kind : str
        "slurm": an array job for ``sbatch``; "xargs": one machine, one at a time.
    words : sequence of str
        The command up to, and without, ``--shard`` and ``-o``.
    """
    command, folder = shlex.join(words), shlex.quote(str(output))
    merging = (
        f"eegbench merge {folder}/shard-* -o {folder}/whole   # when all have ended"
    )
    if kind == "xargs":
        return "\n".join(
            (
                "#!/bin/sh",
                "# each shard uses all cores: -P more is for slow agents",
                f"mkdir -p {folder}",
                f"seq 1 {n_jobs} | xargs -P 1 -I '{{}}' {command} "
                f"--shard '{{}}/{n_jobs}' -o {folder}/shard-'{{}}'",
                merging.split("   #")[0],
            )
        )
    return "\n".join(
        (
            "#!/bin/sh",
            "#SBATCH --job-name=eegbench",
            f"#SBATCH --array=1-{n_jobs}",
            "#SBATCH --nodes=1 --ntasks=1 --exclusive",
            "#SBATCH --requeue",
            "# a shard that is started again goes on where it stopped",
            f"mkdir -p {folder}",
            f'srun {command} --shard "$SLURM_ARRAY_TASK_ID/{n_jobs}" '
            f'-o {folder}/shard-"$SLURM_ARRAY_TASK_ID"',
            f"# {merging}",
        )
    )
