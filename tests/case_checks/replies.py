"""Cases of replies and scores: a check returns the fields that come out otherwise."""

import json
import math

from eegbench.scoring.event_records import score_event_records, score_record
from eegbench.scoring.events import dice, event_ratios, parse_events, score_events
from eegbench.scoring.hypnogram import aligned, parse_hypnogram, score_hypnogram
from eegbench.scoring.labels import parse_choice, parse_label, score_labels
from eegbench.suites import find_task
from eegcore.hypnogram import decode, encode


def same(found, wanted):
    if isinstance(wanted, dict):
        return all(same(found.get(key), value) for key, value in wanted.items())
    if isinstance(wanted, list):
        return len(found) == len(wanted) and all(map(same, found, wanted))
    if isinstance(wanted, float) and isinstance(found, int | float):
        return math.isclose(found, wanted, rel_tol=1e-9, abs_tol=1e-12)
    return found == wanted


def differences(found, expect):
    """Fields that the case states and that come out otherwise."""
    result = []
    for key, value in found.items():
        if key not in expect:
            continue
        allowed = [expect[key]]
        allowed += expect.get(f"{key}_alternatives", [])
        if key in ("events", "stages"):
            allowed += expect.get("alternatives", [])
        if not any(same(value, wanted) for wanted in allowed):
            result.append(f"{key}: {value!r}, expected {expect[key]!r}")
    return result


def choice(case, given):
    parsed = parse_choice(given["reply"], given["options"])
    found = {
        "answer": parsed.value,
        "correct": parsed.value == given["gold"],
        "parse_failed": parsed.parse_failed,
    }
    return differences(found, case["expect"])


def label(case, given):
    task = find_task(given["task"])[1]
    parsed = parse_label(given["reply"], given["labels"], task.aliases)
    found = {
        "label": parsed.value,
        "correct": parsed.value == given["gold"],
        "parse_failed": parsed.parse_failed,
    }
    return differences(found, case["expect"])


def events(case, given):
    parsed = parse_events(given["reply"], given["duration_s"])
    found = {
        "events": [list(interval) for interval in parsed.value],
        "parse_failed": parsed.parse_failed,
        # A reversed row may be dropped and counted, or swapped and said so.
        "rows_skipped": parsed.rows_skipped + parsed.rows_reversed,
    }
    return differences(found, case["expect"])


def hypnogram(case, given):
    parsed = parse_hypnogram(given["reply"], given["n_epochs"])
    found = {
        "stages": decode(parsed.value),
        "parse_failed": parsed.parse_failed,
        "rows_skipped": parsed.rows_skipped,
        "rows_unknown_stage": parsed.rows_unknown_stage,
    }
    return differences(found, case["expect"])


def event_counts(case, given):
    if "records" in given:
        records = [
            score_record(
                row["reference"],
                row["predicted"],
                duration_sec=row["duration_s"],
                subject=row["subject"],
            )
            for row in given["records"]
        ]
        score = score_event_records(records, n_rounds=0)
        subjects = {
            name: {**row, "duration_s": row["duration_sec"]}
            for name, row in score.subjects.items()
        }
        found = {"subjects": subjects, "event_f1": score.metrics["event_f1"]}
        return differences(found, case["expect"])
    duration = given["duration_s"]
    counts = score_events(given["reference"], given["predicted"], duration_sec=duration)
    ratios = event_ratios(*counts[:3], duration_sec=duration)
    found = {
        "tp": counts.tp,
        "fp": counts.fp,
        "fn": counts.fn,
        "ref_events": [list(event) for event in counts.reference_events],
        "hyp_events": [list(event) for event in counts.predicted_events],
        **ratios._asdict(),
    }
    return differences(found, case["expect"])


def event_dice(case, given):
    record = score_record(
        given["reference"],
        given["predicted"],
        duration_sec=given["duration_s"],
        subject="s",
    )
    found = {
        "dice": dice(given["reference"], given["predicted"]),
        "in_mean": record.missed is not None,
    }
    return differences(found, case["expect"])


def sleep(case, given):
    score = score_hypnogram(given["reference"], given["predicted"])
    found = {
        "kappa": score.kappa,
        "macro_f1": score.macro_f1,
        "f1": score.f1,
        "n_scored": score.n_scored,
        "aligned": decode(aligned(encode(given["predicted"]), score.n_epochs)),
    }
    return differences(found, case["expect"])


def classes(case, given):
    score = score_labels(
        given["reference"], given["predicted"], given["labels"], n_rounds=0
    )
    return differences(score.metrics, case["expect"])


CHECKS = {
    "llm_choice": choice,
    "llm_label": label,
    "llm_events": events,
    "llm_hypnogram": hypnogram,
    "score_events": event_counts,
    "score_dice": event_dice,
    "score_sleep": sleep,
    "score_class": classes,
}


def check(case, root, folder):
    """Compare what is found with what the case states."""
    given = json.loads((root / case["file"]).read_text())
    assert CHECKS[case["kind"]](case, given) == []
