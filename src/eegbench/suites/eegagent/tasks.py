"""The six tasks of EEGAgentBench, in words of our own.

What is asked, what an answer looks like, how it is judged and what blind guessing
reaches. The numbers of the frozen set are those of the paper's Table 1.

References
----------
"EEGAgentBench: Benchmarking LLM Agents on Short- and Long-Horizon EEG Analysis",
sections 3.1 and 6.1 to 6.4.
"""

from eegbench.suites import JsonObject, Suite, Task

STAGES = ("W", "N1", "N2", "N3", "REM")
EPOCH_SEC = 30

_FREE_TEXT: JsonObject = {
    "findings": {
        "type": "array",
        "items": {"type": "string"},
        "description": "Measurements that speak for the answer; may be left out.",
    },
    "rationale": {"type": "string", "description": "Why; may be left out."},
}


def label_schema(classes: tuple[str, ...], description: str) -> JsonObject:
    """Return the schema of an answer with one `classification` out of some classes."""
    label = {"type": "string", "enum": list(classes), "description": description}
    return {
        "type": "object",
        "properties": {"classification": label, **_FREE_TEXT},
        "required": ["classification"],
    }


_CHOICE: JsonObject = {
    "type": "object",
    "properties": {
        "answer": {
            "type": "string",
            "enum": ["A", "B", "C", "D"],
            "description": "Letter of the right option.",
        },
        "rationale": _FREE_TEXT["rationale"],
    },
    "required": ["answer"],
}


def _seconds(what: str) -> JsonObject:
    return {"type": "number", "minimum": 0, "description": f"{what}, s from the start."}


_EVENTS: JsonObject = {
    "type": "object",
    "properties": {
        "seizure_events": {
            "type": "array",
            "description": "Every seizure of the recording; empty if there is none.",
            "items": {
                "type": "object",
                "properties": {
                    "onset_sec": _seconds("Where the seizure begins"),
                    "offset_sec": _seconds("Where it ends"),
                },
                "required": ["onset_sec", "offset_sec"],
            },
        },
        **_FREE_TEXT,
    },
    "required": ["seizure_events"],
}


def _epoch(what: str) -> JsonObject:
    return {"type": "integer", "minimum": 0, "description": what}


def _share(what: str) -> JsonObject:
    return {"type": "number", "minimum": 0, "maximum": 1, "description": what}


_SEGMENT: JsonObject = {
    "type": "object",
    "properties": {
        "start_epoch": _epoch("First epoch of the run; the recording's first is 0."),
        "end_epoch": _epoch("Last epoch of the run, itself included."),
        "stage": {"type": "string", "enum": list(STAGES)},
    },
    "required": ["start_epoch", "end_epoch", "stage"],
}
_HYPNOGRAM: JsonObject = {
    "type": "object",
    "properties": {
        "hypnogram_rle": {
            "type": "array",
            "items": _SEGMENT,
            "description": "Runs of one stage that together cover every epoch.",
        },
        "architecture": {
            "type": "object",
            "description": "Shares of the whole night, from 0 to 1.",
            "properties": {
                "REM_pct": _share("Epochs in REM / all epochs."),
                "N3_pct": _share("Epochs in N3 / all epochs."),
                "sleep_efficiency": _share("Epochs not in W / all epochs."),
            },
            "required": ["REM_pct", "N3_pct", "sleep_efficiency"],
        },
        **_FREE_TEXT,
    },
    "required": ["hypnogram_rle", "architecture"],
}

T1 = Task(
    name="T1",
    key="knowledge_qa",
    title="EEG knowledge",
    kind="choice",
    question="Which of the four options is right? Reply with its letter.",
    answer_schema=_CHOICE,
    metrics=("accuracy",),
    averaged_over="questions",
    chance=0.25,
    chance_note="a letter at random; in the release's key, always A reaches .395",
    data="MedMCQA (MIT): four-choice questions on EEG, no signal",
    independent="questions",
    answer_field="answer",
    classes=("A", "B", "C", "D"),
    has_tools=False,
)
T2 = Task(
    name="T2",
    key="artifact_identification",
    title="Artifact in a 2-s segment",
    kind="label",
    question=(
        "Does this segment hold clean EEG, EEG with an eye movement artifact, or EEG "
        "with a muscle artifact? Measure before you decide."
    ),
    answer_schema=label_schema(
        ("clean", "ocular", "muscle"),
        "clean; ocular: eye movement or blink mixed in; muscle: muscle activity mixed "
        "in.",
    ),
    metrics=("macro_f1", "accuracy"),
    averaged_over="the three classes, over all segments",
    chance=1 / 3,
    chance_note="a class at random; one class throughout reaches .167",
    data=(
        "EEGdenoiseNet (MIT): 100 clean segments and 100 with each artifact mixed in, "
        "ten at each of ten levels"
    ),
    independent="source segments",
    answer_field="classification",
    classes=("clean", "ocular", "muscle"),
    aliases={
        "ocular_contaminated": "ocular",
        "eog": "ocular",
        "muscle_contaminated": "muscle",
        "emg": "muscle",
    },
    notes=("semi-simulated: real EEG and real artifacts, mixed by formula",),
)
T3 = Task(
    name="T3",
    key="epilepsy_screening",
    title="Normal or epileptic, 23.6 s",
    kind="label",
    question=(
        "Is this recording normal or epileptic? Give the measurements that speak for "
        "your answer."
    ),
    answer_schema=label_schema(
        ("normal", "epileptic"),
        "normal: background activity only; epileptic: epileptic activity.",
    ),
    metrics=("macro_f1", "accuracy"),
    averaged_over="the two classes, over all recordings",
    chance=0.5,
    chance_note="a class at random; one class throughout reaches .333",
    data=(
        "Bonn (research with citation): scalp EEG of healthy people with eyes open (Z) "
        "or closed (O) as normal, intracranial EEG in a seizure (S) as epileptic"
    ),
    independent="recordings",
    answer_field="classification",
    classes=("normal", "epileptic"),
    notes=(
        "no subject ids (five people a set): the interval is too narrow",
        "classes differ in electrode, amplitude and person as well as in seizure",
    ),
)
T4 = Task(
    name="T4",
    key="dementia_cohort_classification",
    title="Research cohort of a resting EEG",
    kind="label",
    question=(
        "Which cohort of the study does this person belong to: Alzheimer's disease "
        "(AD), frontotemporal dementia (FTD) or healthy controls (HC)? Give the "
        "measurements that speak for your answer. The answer sorts a recording into "
        "a cohort; it is no diagnosis."
    ),
    answer_schema=label_schema(
        ("AD", "FTD", "HC"), "Cohort of the study; no diagnosis."
    ),
    metrics=("macro_f1", "accuracy"),
    averaged_over="the three cohorts, over all people",
    chance=1 / 3,
    chance_note="a cohort at random; one cohort throughout reaches .167; age and sex "
    "alone tell more than chance",
    data="OpenNeuro ds004504 (CC0): eyes closed, 19 channels, 5 to 21 min",
    independent="people",
    answer_field="classification",
    classes=("AD", "FTD", "HC"),
)
T5 = Task(
    name="T5",
    key="seizure_detection",
    title="Seizures in a long recording",
    kind="events",
    question=(
        "Look through the whole recording for electrographic seizures and give the "
        "beginning and end of each in seconds from the start of the recording. "
        "Without a seizure the list is empty."
    ),
    answer_schema=_EVENTS,
    metrics=(
        "event_f1",
        "dice_seizure",
        "sensitivity",
        "precision",
        "fp_per_24h",
        "miss_rate",
        "over_alarm_rate",
    ),
    averaged_over="subjects (events summed within each); Dice over seizure records",
    chance=None,
    chance_note="none agreed on; never alarming scores 0",
    data=(
        "CHB-MIT (ODC-By 1.0): bipolar scalp EEG of children, 12 min to 4 h; as many "
        "records with seizures as without"
    ),
    independent="children (chb01 and chb21 are one)",
    answer_field="seizure_events",
    notes=(
        "half of the records hold a seizure: false alarms do not compare with "
        "leaderboards on continuous monitoring",
    ),
)
T6 = Task(
    name="T6",
    key="sleep_staging",
    title="Stages of a whole night",
    kind="hypnogram",
    question=(
        "Stage the night in epochs of 30 s by the AASM classes W, N1, N2, N3 and REM. "
        "Give the hypnogram as runs that together cover all {n_epochs} epochs, "
        "numbered 0 to {last_epoch}, and the shares REM_pct, N3_pct and "
        "sleep_efficiency of the whole recording."
    ),
    answer_schema=_HYPNOGRAM,
    metrics=("macro_f1", "kappa", "accuracy"),
    averaged_over="nights (five stages averaged within each)",
    chance=None,
    chance_note="none agreed on; a typical night learned from others reaches about .4",
    data=(
        "Sleep-EDF Expanded (ODC-By 1.0): polysomnography of 5.7 to 23 h, leading and "
        "trailing wake trimmed"
    ),
    independent="people (most gave two nights)",
    answer_field="hypnogram_rle",
    classes=STAGES,
    notes=(
        "a stage absent from both sides scores 0, so a perfect night can be below 1",
        "stages 3 and 4 are N3; movement time and unscored epochs are left out",
    ),
)

SUITE = Suite(
    name="eegagent",
    title="EEGAgentBench: six EEG tasks for tool-using agents",
    tasks={task.name: task for task in (T1, T2, T3, T4, T5, T6)},
    overall=("T1", "T2", "T3", "T4", "T5", "T6"),
    frozen_counts={"T1": 38, "T2": 300, "T3": 188, "T4": 69, "T5": 280, "T6": 197},
    source="paper, Table 1",
)
