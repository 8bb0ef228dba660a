"""Runs of small sets, and how their instances ended."""

from pathlib import Path

from bench.sets import instance, make_set
from eegbench.config import Config, Limits, RunSettings
from eegbench.predictions import read_predictions


def config(workers: int = 2, limit_sec: float = 60.0, **limits: int) -> Config:
    return Config(
        limits=Limits(**limits),
        run=RunSettings(workers=workers, time_limit_sec=limit_sec),
    )


def set_of(path: Path, *deeds: str | None) -> Path:
    rows = [
        instance(number, facts={} if deed is None else {"deed": deed})
        for number, deed in enumerate(deeds)
    ]
    return make_set(path / "set", rows)


def ends(run_path: Path) -> dict[str, tuple[str, str]]:
    return {
        row.instance_id[-1]: (row.status, row.ended)
        for row in read_predictions(run_path)
    }


GOOD = ("completed", "answer")
