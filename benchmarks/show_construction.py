"""Construction, trimming, baselines and scores as figures: writes docs/construction.md.

Run with the folder of real data (../shared/data): counts of every stage beside the
paper's, records on which accounts differ, the trimming of 20 nights, what no signal
reaches, and one predictions file scored by two programs.
"""

import csv
import json
import random
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
import msgspec

from eegbench.audit import baselines
from eegbench.evaluate import evaluate
from eegbench.instances import Instance, read_set
from eegbench.references import Reference, read_references
from eegbench.report.tables import render
from eegbench.runner import run
from eegbench.sources import bonn, chbmit, ds004504
from eegbench.sources.chbmit_compare import compare, read_answer_key, read_times_table
from eegbench.sources.sleep_edfx import stages_of
from eegbench.suites.eegagent.build import build
from eegbench.suites.eegagent.build.long_tasks import wake_share
from eegbench.suites.eegagent.build.release import build_release
from eegbench.suites.eegagent.build.release_rows import name_of, read_entries
from eegbench.suites.eegagent.build.short_tasks import cohort_instance
from eegbench.suites.eegagent.demo import build_demo
from eegbench.suites.eegagent.flow import flow_table
from eegbench.suites.eegagent.tasks import SUITE
from eegbench.suites.eegagent.trim import trim_edges
from eegcore.formats import open_recording
from independent_scores import scores as independent

ROOT = Path(__file__).resolve().parents[1]
PANEL = ("a", "b", "c", "d", "e")
PUBLISHED_SHORTEST = 681
"""Epochs of the shortest night, paper section 6.1."""


def simulated_panel(path: Path, folder: Path) -> None:
    """Write results of five models that do not exist."""
    rng = random.Random(6)
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["record", "model", "solved"])
        for segment in bonn.find_segments(folder):
            ease = rng.gauss(0.3 if segment.set_letter == "E" else 0.0, 1.0)
            for number, model in enumerate(PANEL):
                solved = ease + rng.gauss(0, 0.6) > 0.5 - 0.25 * number
                writer.writerow([segment.name, model, str(solved).lower()])


def bonn_counts(data: Path, work: Path) -> list[str]:
    panel = work / "panel.csv"
    simulated_panel(panel, data / "bonn")
    report = build(
        data,
        ["T3"],
        work / "bonn",
        panel=panel,
        compare_with=data / "official",
        checksums=False,
    )
    listed = [line for line in report.problems if "only in" in line]
    return [
        "## Counts: Bonn, with a SIMULATED panel",
        "",
        "The panel's results are not published, so five made-up models stand in:",
        "counts after screening show that the stages work, not that they are right.",
        "",
        "```",
        flow_table(report.flow),
        "```",
        "",
        "Records in which this set and the release's frozen T3 differ, by name (only",
        "the real panel's results could give the same ones):",
        "",
        *(f"- {line}" for line in listed),
        "",
    ]


def release_counts(data: Path, work: Path) -> list[str]:
    report = build_release(
        data / "official",
        work / "t3",
        signals=data / "bonn",
        tasks=["T3"],
        checksums=False,
    )
    keys = [
        (task, len(read_entries(data / "official", task)), SUITE.frozen_counts[task])
        for task in SUITE.tasks
    ]
    rows = [{"task": t, "rows here": n, "frozen set": frozen} for t, n, frozen in keys]
    return [
        "## The release's own layout",
        "",
        f"T3 from runtime, keys and `bonn/`: {report.counts['T3']} instances of "
        f"{SUITE.frozen_counts['T3']}; {len(report.unreadable)} unreadable.",
        "Rows of the release's files that are in `../shared/data/official`:",
        "",
        render(rows, form="md"),
    ]


def seizure_accounts(data: Path) -> list[str]:
    folder = data / "chbmit"
    annotations = chbmit.read_annotations(folder)
    accounts = {
        "table of times": read_times_table(folder / "seizure_times.tsv"),
        "release's key": read_answer_key(data / "official/answer_keys/T5.jsonl"),
    }
    official = {
        name: told
        for name, told in annotations.seizures.items()
        if name in accounts["table of times"]
    }
    wrong = [
        name
        for name, told in official.items()
        if told != accounts["table of times"][name]
    ]
    records = (folder / "RECORDS").read_text().split()
    key = accounts["release's key"]
    rows = [
        {"account": "RECORDS", "records": len(records), "with seizures": None},
        {
            "account": "RECORDS-WITH-SEIZURES",
            "records": None,
            "with seizures": len(annotations.listed_with_seizures),
        },
        *(
            {
                "account": name,
                "records": len(told) if name == "release's key" else None,
                "with seizures": sum(bool(value) for value in told.values()),
            }
            for name, told in accounts.items()
        ),
    ]
    told = compare(accounts, annotations)
    return [
        "## Counts: CHB-MIT, record by record",
        "",
        render(rows, form="md"),
        f"The paper has 669 candidates; {len(records)} records are listed. Which "
        f"{len(records) - 669} it left out it does not say.",
        f"Of {len(official)} records with `.seizures` files or summaries here, "
        f"{len(wrong)} differ from the table of times: {', '.join(wrong)}.",
        f"Subjects in the key: {len({chbmit.subject_of(name) for name in key})}.",
        "",
        "Every record on which table, list and key differ:",
        "",
        *(f"- {line}" for line in told),
        "",
    ]


def nights(data: Path) -> dict[str, list[str | None]]:
    """Stages of the 20 nights, up to the end of the last scored stage."""
    found = {}
    for path in sorted((data / "sleep-edfx" / "hypnograms").glob("*.edf")):
        with open_recording(path) as hypnogram:
            found[path.name[:6]] = stages_of(hypnogram.annotations)
    return found


def trimming(data: Path) -> list[str]:
    samples = read_entries_of_samples(data)
    rows, before, after, wake_before, wake_after = [], 0, 0, 0.0, 0.0
    for name, stages in nights(data).items():
        last = max(i for i, stage in enumerate(stages) if stage is not None)
        recorded = stages[: last + 1]
        trim = trim_edges(recorded)
        kept = recorded[trim.start_epoch : trim.stop_epoch]
        before, after = before + len(recorded), after + len(kept)
        wake_before += wake_share(recorded) * len(recorded)
        wake_after += wake_share(kept) * len(kept)
        published = samples.get(name)
        rows.append(
            {
                "night": name,
                "epochs": len(recorded),
                "kept": f"{trim.start_epoch} to {trim.stop_epoch - 1}",
                "length": trim.n_kept,
                "published": published,
                "equal": None if published is None else published == trim.n_kept,
                "case": trim.case,
            }
        )
    checked = [row for row in rows if row["equal"] is not None]
    return [
        "## Trimming of 20 nights",
        "",
        "Whole nights end with the last scored epoch here, for lack of their signals.",
        "Published: lengths in `../shared/data/official/samples`.",
        "",
        render(rows, form="md"),
        f"{sum(bool(row['equal']) for row in checked)} of {len(checked)} published "
        f"lengths are reproduced; SC4001 keeps epochs 925 to 1827, as the paper's "
        f"example does; the shortest night has "
        f"{min(int(str(row['length'])) for row in rows)} epochs (paper: "
        f"{PUBLISHED_SHORTEST}).",
        f"Over these nights {before:,} epochs become {after:,}, wake "
        f"{wake_before / before:.3f} becomes {wake_after / after:.3f} (paper, all 197: "
        "461,702 become 264,422, .637 becomes .365).",
        "",
    ]


def read_entries_of_samples(data: Path) -> dict[str, int]:
    """Lengths of trimmed nights in the release's sample of T6 scenarios."""
    path = data / "official/samples/scenarios_T6_first5_last1.jsonl"
    found = {}
    for line in path.read_text().splitlines():
        row = json.loads(line)
        name = row["scenario_id"].rpartition("_")[2][:6]
        metadata = row["records"][0]["metadata"]
        found[name] = int(metadata["n_epochs_total"])
    return found


def cohort(
    data: Path, names: set[str] | None
) -> tuple[list[Instance], list[Reference]]:
    """People of ds004504 with what a T4 prompt tells of them; no signal is needed."""
    instances, references = [], []
    for person in ds004504.read_participants(data / "ds004504").participants:
        if names is not None and person.participant_id not in names:
            continue
        name = person.participant_id
        duration = person.sidecar.recording_duration
        instances.append(
            cohort_instance(
                name,
                age=person.age,
                sex=person.sex,
                facts={"n_channels": len(person.channel_names)},
                duration_sec=duration,
            )
        )
        references.append(
            Reference(
                instance_id=name,
                task="T4",
                label=person.label,
                subject=name,
                group=name,
                duration_sec=duration,
            )
        )
    return instances, references


def staged(data: Path) -> tuple[list[Instance], list[Reference]]:
    """The 20 nights, trimmed, two of a person as one group."""
    task, instances, references = SUITE.tasks["T6"], [], []
    for name, stages in nights(data).items():
        trim = trim_edges(stages)
        kept = stages[trim.start_epoch : trim.stop_epoch]
        instances.append(
            Instance(
                instance_id=name,
                task="T6",
                suite="eegagent",
                question=task.question,
                answer_schema=task.answer_schema,
                n_epochs=len(kept),
                duration_sec=30.0 * len(kept),
            )
        )
        references.append(
            Reference(
                instance_id=name,
                task="T6",
                stages=kept,
                subject=name[:5],
                group=name[:5],
            )
        )
    return instances, references


def audits(data: Path, work: Path) -> list[str]:
    frozen = {name_of(entry) for entry in read_entries(data / "official", "T4")}
    shown = {e.scenario_id: e.shown_id for e in read_entries(data / "official", "T3")}
    hidden = [*read_set(work / "t3")]
    named = [
        msgspec.structs.replace(row, record_id=shown[row.instance_id]) for row in hidden
    ]
    truth = [*read_references(work / "t3").values()]
    parts = [
        ("Bonn T3, the release's 188", hidden, truth),
        ("the same with the release's record ids shown", named, truth),
        ("ds004504, all participants", *cohort(data, None)),
        ("ds004504, the release's 69", *cohort(data, frozen)),
        ("20 nights of Sleep-EDF, trimmed", *staged(data)),
    ]
    rows = []
    for name, instances, references in parts:
        told = baselines(instances, references, SUITE)
        for (task, metric, n), found in told.items():
            best = max(row.score for row in found if row.score is not None)
            rows += [
                {
                    "set": name,
                    "task": task,
                    "n": n,
                    "metric": metric,
                    "baseline": row.name,
                    "score": row.score,
                    "p": row.p_value,
                    "best": row.score == best,
                    "note": row.note,
                }
                for row in found
            ]
    return [
        "## What no signal reaches",
        "",
        "The prompt of T4 tells age, sex and the length of the recording; a small",
        "cross-validated model on these is `prompt facts`, p by permutation of labels.",
        "For comparison, the paper's 29 models: median .248, best .429 on T4; median",
        ".208, best .492 on T6.",
        "",
        render(rows, form="md"),
    ]


def two_scorers(work: Path) -> list[str]:
    build_demo(work / "demo")
    rows = []
    for agent in ("rules", "random"):
        out = work / f"run-{agent}"
        run(work / "demo", out, agent=agent)
        ours = evaluate(out, rounds=0)["tasks"]
        rows += [
            {
                "agent": agent,
                "task": task,
                "metric": metric,
                "our scorer": ours[task]["metrics"][metric],
                "independent": value,
                "difference": f"{abs(ours[task]['metrics'][metric] - value):.1e}",
            }
            for task, metrics in independent(out, work / "demo").items()
            for metric, value in metrics.items()
            if metric in ours[task]["metrics"]
        ]
    return [
        "## One predictions file, two programs",
        "",
        "Runs on the demo set (SIMULATED recordings): our scorer beside",
        "`tests/independent_scores.py`, which shares no code with it.",
        "",
        render(rows, form="md"),
    ]


def page(parts: Iterable[Sequence[str]]) -> str:
    head = [
        "# Construction, checked on the data that we have",
        "",
        "Written by `python benchmarks/show_construction.py DATA`; do not edit. For",
        "research; not for clinical use.",
        "",
    ]
    lines = [*head, *(line for part in parts for line in part)]
    return "\n".join(lines).rstrip() + "\n"


def main(data: Path, out: Path) -> None:
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        text = page(
            [
                bonn_counts(data, work),
                release_counts(data, work),
                seizure_accounts(data),
                trimming(data),
                audits(data, work),
                two_scorers(work),
            ]
        )
    out.write_text(text, encoding="utf-8")
    print(f"wrote {out}")


if __name__ == "__main__":
    main(
        Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT.parent / "shared" / "data",
        Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "docs" / "construction.md",
    )
