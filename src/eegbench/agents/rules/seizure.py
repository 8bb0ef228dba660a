"""T5: seizures in a long scalp recording, by a coarse screen and a fine look.

Coarse: ``compute_windowed_features`` with windows of 10 s over the whole recording, in
pieces that fit the budget, on every distinct EEG derivation: theta, alpha, beta, gamma.
Power from 4 to 13 Hz is taken against the channel's own median (its background), in
units of the spread below the median. A window is suspect if two neighbouring
derivations both exceed 2.5 (focal seizures reach neighbours that share an electrode).

Fine: windows of 2 s from 30 s before to 30 s after, on the six leading derivations;
edges where the excess sinks below three tenths of its height. A run is a seizure if

* it is rhythmic (slow power does not dwarf theta and alpha, fast power does not either)
  and lasts at least 16 s, or it lasts at least 26 s and is not mostly muscle: ACNS asks
  for evolution over at least 10 s (Hirsch et al. 2021, J Clin Neurophysiol 38:1),
  of which only the length is asked here, since band powers of 2 s show the course of
  frequency poorly;
* and it is no movement: a broad rise with slow waves in front, under 45 s; no muscle:
  gamma above beta (Goncharova et al. 2003; Tatum et al. 2011, Neurodiagn J 51:233).

Thresholds: simulated hours 0 to 15 (16 of 16 found, 0.19 false alarms an hour) and the
four whole seizures of chb01.
"""

from collections.abc import Generator, Sequence
from typing import NamedTuple

import numpy as np

from eegbench.agents import InstanceView, ToolCall
from eegbench.agents.rules.channels import distinct, kind, neighbours
from eegbench.agents.rules.desk import (
    Analysis,
    Plan,
    Record,
    Table,
    Values,
    record,
    whole_windows,
    windowed,
)
from eegbench.agents.rules.seizure_runs import (
    Background,
    Run,
    background,
    excess,
    judged,
    neighbour_excess,
    runs_of,
)
from eegbench.records import JsonObject

COARSE_SEC, FINE_SEC = 10.0, 2.0
COARSE = ("theta_power", "alpha_power", "beta_power", "gamma_power")
FINE = ("delta_power", *COARSE)
SUSPECT = 2.5
AROUND_SEC = 30.0
LEADING = 6
MERGE_SEC = 30.0


class Suspect(NamedTuple):
    """A stretch to look at closely, and its leading channels."""

    start_sec: float
    stop_sec: float
    channels: tuple[int, ...]


def analyse(view: InstanceView) -> Analysis:
    """Screen, look closely, and list the seizures."""
    about = yield from record(view)
    names = eeg_names(about)
    n_coarse = whole_windows(about.duration_sec, COARSE_SEC)
    if not names or n_coarse < 1:
        return _answer([], "no EEG of at least 10 s")
    coarse = yield from windowed(
        Plan(view.record_id, names, COARSE, COARSE_SEC, 0.0, n_coarse)
    )
    usual = background(coarse.values)
    lead = neighbour_excess(excess(coarse.values, usual), neighbours(names))
    found: list[Run] = []
    dropped: list[Run] = []
    suspects = suspects_of(lead, about.duration_sec)
    for suspect in suspects:
        runs = yield from _closely(view.record_id, names, suspect, usual)
        for run in runs:
            (found if run.is_seizure else dropped).append(run)
    events = merged(found)
    return _answer(events, _reason(coarse, suspects, found, dropped))


def eeg_names(about: Record) -> tuple[str, ...]:
    """Return the distinct EEG derivations."""
    eeg = [
        name
        for name, listed in zip(about.channels, about.types, strict=True)
        if kind(name, listed) == "eeg"
    ]
    return tuple(eeg[i] for i in distinct(eeg))


def suspects_of(lead: Values, duration_sec: float) -> list[Suspect]:
    """Return stretches of suspect windows, with their leading channels."""
    out: list[Suspect] = []
    hot = np.flatnonzero(np.nanmax(lead, axis=0, initial=-9.0) >= SUSPECT)
    for first, last in runs_of(hot, longest_gap=1):
        order = np.argsort(-lead[:, first : last + 1].max(axis=1), kind="stable")
        out.append(
            Suspect(
                max(0.0, first * COARSE_SEC - AROUND_SEC),
                min(duration_sec, (last + 1) * COARSE_SEC + AROUND_SEC),
                tuple(int(i) for i in order[:LEADING]),
            )
        )
    return out


def _closely(
    record_id: str,
    names: Sequence[str],
    suspect: Suspect,
    usual: Background,
) -> Generator[list[ToolCall], list[JsonObject], list[Run]]:
    """Measure a suspect stretch in windows of 2 s and judge its runs."""
    chosen = list(suspect.channels)
    plan = Plan(
        record_id,
        tuple(names[i] for i in chosen),
        FINE,
        FINE_SEC,
        suspect.start_sec,
        int((suspect.stop_sec - suspect.start_sec) // FINE_SEC),
    )
    fine = yield from windowed(plan)
    here = Background(
        usual.level[chosen],
        usual.spread[chosen],
        usual.fast_level[chosen],
        short=usual.short,
    )
    return judged(fine.values, here, suspect.start_sec, FINE_SEC)


def merged(runs: Sequence[Run]) -> list[tuple[float, float]]:
    """Return events; runs less than 30 s apart are one."""
    events: list[tuple[float, float]] = []
    for run in sorted(runs):
        if events and run.start_sec - events[-1][1] < MERGE_SEC:
            events[-1] = (events[-1][0], max(events[-1][1], run.stop_sec))
        else:
            events.append((run.start_sec, run.stop_sec))
    return events


def _answer(events: Sequence[tuple[float, float]], why: str) -> JsonObject:
    return {
        "seizure_events": [
            {"onset_sec": round(start, 1), "offset_sec": round(stop, 1)}
            for start, stop in events
        ],
        "rationale": why,
    }


def _reason(
    coarse: Table,
    suspects: Sequence[Suspect],
    found: Sequence[Run],
    dropped: Sequence[Run],
) -> str:
    """Say in numbers what was found and what was not believed."""
    n_channels, n_windows = next(iter(coarse.values.values())).shape
    parts = [
        f"{n_channels} derivations, {n_windows} windows of {COARSE_SEC:g} s, "
        f"{len(suspects)} suspect stretches;"
    ]
    parts += [f"seizure {run.words()};" for run in found[:8]]
    worst = sorted(dropped, key=lambda run: -run.height)[:4]
    parts += [f"not one: {run.words()};" for run in worst]
    return " ".join(parts)
