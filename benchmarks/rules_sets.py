"""The sets of bench_rules: what is real, semi-real, simulated; what develops, reports.

The split of issue 6. Development sets placed the thresholds; report sets are run once.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from rules_data import (
    Case,
    bonn,
    dreams,
    dynamo,
    florida,
    hours,
    nights,
    questions,
    semi_real_nights,
    spliced,
    t2_develop,
    t2_report,
    wakes,
    whole_chb01,
)


@dataclass(frozen=True)
class CaseSet:
    """A named set; cases are built when asked for."""

    task: str
    name: str
    kind: str  # real, semi-real, simulated
    phase: str  # develop, report
    cases: Callable[[Path], Iterator[Case]]
    classes: tuple[str, ...] = ()
    note: str = ""


_T2 = ("clean", "ocular", "muscle")
_T3 = ("normal", "epileptic")
SETS = (
    CaseSet(
        "T1",
        "MedMCQA dev and MedQA naming EEG",
        "real",
        "report",
        questions,
        tuple("ABCD"),
        "no key of the 38 questions is at hand",
    ),
    CaseSet("T2", "development mix", "semi-real", "develop", t2_develop, _T2),
    CaseSet(
        "T2",
        "EEGdenoiseNet EOG, emg.txt 50-100 s, slpdb, Nox chin and leg",
        "semi-real",
        "report",
        t2_report,
        _T2,
        "EEG scaled to 10 uV; few EMG recordings",
    ),
    CaseSet(
        "T3",
        "Bonn, the 112 not released",
        "real",
        "develop",
        bonn("ZOS", released=False),
        _T3,
    ),
    CaseSet(
        "T3",
        "Bonn, the release's 188",
        "real",
        "report",
        bonn("ZOS", released=True),
        _T3,
        "tuned in-distribution; no subject ids",
    ),
    CaseSet(
        "T3",
        "Bonn N and F against nothing",
        "real",
        "report",
        bonn("NF", released=None),
        _T3,
        "interictal: the share called epileptic",
    ),
    CaseSet(
        "T4",
        "ad-florida AD 1-39, healthy 1-4",
        "real",
        "develop",
        florida((1, 39), (1, 4)),
        ("AD", "HC"),
    ),
    CaseSet(
        "T4",
        "ad-florida AD 45-80, healthy 5-12",
        "real",
        "report",
        florida((45, 80), (5, 12)),
        ("AD", "HC"),
        "8 s each; FTD rule untested",
    ),
    CaseSet("T5", "hours 0-15", "simulated", "develop", hours(range(16))),
    CaseSet(
        "T5",
        "chb01 whole seizures",
        "real",
        "develop",
        whole_chb01,
        note="answering the whole record has Dice .88",
    ),
    CaseSet(
        "T5",
        "chb01 crops in spliced hours",
        "semi-real",
        "develop",
        spliced(("chb01",), 1),
    ),
    CaseSet("T5", "hours 500-515", "simulated", "report", hours(range(500, 516))),
    CaseSet(
        "T5",
        "chb02, chb03 crops in spliced hours",
        "semi-real",
        "report",
        spliced(("chb02", "chb03"), 2),
    ),
    CaseSet(
        "T6",
        "nights 0-9, 20-22",
        "simulated",
        "develop",
        nights(
            [(s, 9.0, 100.0) for s in range(10)]
            + [(s, 23.0, 1.0) for s in (20, 21, 22)]
        ),
    ),
    CaseSet("T6", "dreams 1", "real", "develop", dreams(1, 100.0)),
    CaseSet(
        "T6",
        "wake SC4001, SC4011",
        "real",
        "develop",
        wakes(("SC4001", "SC4011")),
        note="all wake: see accuracy",
    ),
    CaseSet(
        "T6",
        "nights 500-511",
        "simulated",
        "report",
        nights(
            [(s, 9.0, 100.0) for s in range(500, 508)]
            + [(s, 22.0, 1.0) for s in range(508, 512)]
        ),
    ),
    CaseSet("T6", "sleep-dynamo, one EEG channel", "real", "report", dynamo),
    CaseSet(
        "T6",
        "dreams 3, 50 Hz",
        "real",
        "report",
        dreams(3, 50.0),
        note="no REM: best .8",
    ),
    CaseSet(
        "T6",
        "wake SC4021, SC4031, SC4041",
        "real",
        "report",
        wakes(("SC4021", "SC4031", "SC4041")),
        note="all wake: see accuracy",
    ),
    CaseSet(
        "T6",
        "20 real hypnograms, spliced epochs",
        "semi-real",
        "report",
        semi_real_nights,
    ),
)
