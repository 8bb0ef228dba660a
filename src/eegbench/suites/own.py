"""Recordings of your own: tasks whose classes are yours.

Seizure tables become T5 and hypnograms T6 of `eegagent`, judged as there. A table of
labels that are not the classes of T3 or T4 makes a task `labels`, whose classes are
those of the table and stand in the answer schema of each instance.
"""

from collections.abc import Iterable

from eegbench.suites import Suite, Task
from eegbench.suites.eegagent.tasks import SUITE as EEGAGENT
from eegbench.suites.eegagent.tasks import label_schema

LABELS = "labels"


def label_task(classes: Iterable[str]) -> Task:
    """Task that sorts recordings into classes of a user's own."""
    names = tuple(classes)
    return Task(
        name=LABELS,
        key="own_labels",
        title="Class of a recording",
        kind="label",
        question=(
            f"Which class does this recording belong to: {', '.join(names)}? Give the "
            "measurements that speak for your answer."
        ),
        answer_schema=label_schema(names, "Class of the recording."),
        metrics=("macro_f1", "accuracy"),
        averaged_over="the classes, over all recordings",
        chance=1 / len(names) if names else None,
        chance_note="a class at random, if all are equally frequent",
        data="your own",
        independent="subjects where the table names them, else recordings",
        answer_field="classification",
        classes=names,
    )


SUITE = Suite(
    name="own",
    title="Recordings of your own",
    tasks={
        LABELS: label_task(()),
        **{name: EEGAGENT.tasks[name] for name in ("T3", "T4", "T5", "T6")},
    },
    overall=(),
    frozen_counts={},
    source="your own tables",
)
