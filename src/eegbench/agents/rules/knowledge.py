"""T1: a question with four options, by a glossary of textbook facts; no tools.

For each fact whose one side stands in the question, an option gains the fact's weight
if the other side stands in it. Where the question asks for the exception, the option
with the least support wins. Nothing known: the longest option that is neither "all" nor
"none", a habit of examiners (Haladyna and Downing 1989, Appl Meas Educ 2:37).
"""

import re
from collections.abc import Mapping

from eegbench.agents import InstanceView
from eegbench.agents.rules.desk import Analysis
from eegbench.agents.rules.glossary import FACTS, NEGATIONS, WRONG_SOUNDING

KNOWN = 0.35


def analyse(view: InstanceView) -> Analysis:
    """Answer from the glossary."""
    yield from ()
    options = view.options or {}
    letter, why = choose(f"{view.context} {view.question}", options)
    return {"answer": letter, "rationale": why}


def choose(question: str, options: Mapping[str, str]) -> tuple[str, str]:
    """Return the letter and the reason."""
    if not options:
        return "A", "no options were given"
    text = _plain(question)
    support = dict.fromkeys(options, 0.0)
    used: dict[str, list[str]] = {letter: [] for letter in options}
    for fact in FACTS:
        for asked, answered in ((fact.about, fact.fact), (fact.fact, fact.about)):
            if not re.search(asked, text):
                continue
            hits = [x for x in options if re.search(answered, _plain(options[x]))]
            if not hits:
                continue
            share = 1.0 if len(hits) == 1 else 1.0 / len(hits)
            for letter in hits:
                support[letter] += fact.weight * share
                used[letter].append(f"{fact.weight:g} {answered[:40]}")
    negated = re.search(NEGATIONS, text) is not None
    supported = [letter for letter, value in support.items() if value >= KNOWN]
    if not supported:
        letter = _by_habit(options)
        return letter, "no fact of the glossary applies; the fullest option"
    every = _everything(options, supported, negated=negated)
    if every is not None:
        return every, f"{len(supported)} options are supported, so all of them"
    ranked = sorted(options, key=lambda x: (support[x], len(options[x])))
    letter = ranked[0] if negated else ranked[-1]
    said = "; ".join(used[letter][:3]) or "nothing speaks for it"
    ask = "the exception is asked for" if negated else "most support"
    figures = ", ".join(f"{x} {support[x]:.2f}" for x in options)
    return letter, f"{ask}: {figures} ({said})"


def _plain(text: str) -> str:
    """Return lower case with one kind of dash."""
    return text.lower().replace("\u2013", "-").replace("\u2014", "-")


def _by_habit(options: Mapping[str, str]) -> str:
    """Return the longest option that is no catch-all."""
    plain = [x for x in options if not re.search(WRONG_SOUNDING, options[x].lower())]
    return max(plain or list(options), key=lambda x: len(options[x]))


def _everything(
    options: Mapping[str, str], supported: list[str], *, negated: bool
) -> str | None:
    """Return the option "all of the above" if at least two others are supported."""
    catch = [x for x in options if re.search(r"\ball\b", options[x].lower())]
    others = [x for x in supported if x not in catch]
    if catch and not negated and len(others) >= 2:
        return catch[0]
    return None
