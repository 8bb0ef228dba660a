"""Texts of a file made harmless before an agent sees them.

A file comes from a stranger, and a model reads its channel labels. Control
characters and marks of chat formats become "?", long labels are cut, and what reads
like words to an agent is not shown at all. No list of words is complete: the real
limits are the length and that labels stand only where names are expected.
"""

import re

from eegcore.tools.failures import harmless

_LETTERS = frozenset("αβγδθσµμΩ°²")
_SIGNS = frozenset(" -+_.,:;/()[]#%*'&=~^$")
_LAST_LATIN = "\u024f"
_MOST_WORDS = 5
_MOST_MARKS = 2  # of chat formats, markup or other scripts, in one label
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_STEMS = (
    *("ignor", "disregard", "instruct", "prompt", "assistan", "pretend"),
    *("classif", "diagnos", "overrid", "jailbreak", "password", "credential"),
)
_WORDS = frozenset(
    {
        *("you", "your", "please", "must", "always", "never", "forget", "obey"),
        *("answer", "respond", "reply", "say", "tell", "print"),
        *("previous", "http", "https", "www", "json", "tool", "tools"),
    }
)
_QUOTED = re.compile(r"'([^']*)'|\"([^\"]*)\"")
_PATH = re.compile(r"(?:[A-Za-z]:)?(?:[/\\][^\s/\\'\"]+){2,}[/\\]?")
_LONGEST_QUOTE = 24
_LONGEST_READ = 1000


def reads_like_words(text: str, *, most_words: int = _MOST_WORDS) -> bool:
    """Whether a text speaks to a reader rather than naming something."""
    text = text[:_LONGEST_READ]
    joined = re.sub(r"[^a-z]", "", text.lower())
    words = [word.lower() for word in _WORD.findall(text) if len(word) > 1]
    return (
        len(words) > most_words
        or any(stem in joined for stem in _STEMS)
        or any(word in _WORDS for word in words)
    )


def safe_label(label: str, limit: int) -> str | None:
    """Return a label as an agent may see it; None: it may not.

    Parameters
    ----------
    label : str
        Text of a header.
    limit : int
        Characters; what is longer is cut and ends in an ellipsis.
    """
    cut = label[:limit]
    shown = "".join(c if _is_plain(c) else "?" for c in harmless(label, limit))
    n_marks = sum(not _is_plain(c) for c in cut)
    if n_marks > _MOST_MARKS or n_marks * 2 > len(cut) or reads_like_words(label):
        return None
    return shown


def _is_plain(character: str) -> bool:
    if character.isalnum():
        return character <= _LAST_LATIN or character in _LETTERS
    return character in _SIGNS or character in _LETTERS or character in "?…"


def safe_names(labels: tuple[str, ...], limit: int) -> list[str]:
    """Labels as an agent may see them; the hidden ones are called channel-<number>."""
    return [
        safe_label(label, limit) or f"channel-{number}"
        for number, label in enumerate(labels, 1)
    ]


def safe_message(text: str, limit: int) -> str:
    """Error text without paths and without what a file says about itself."""

    def hidden(found: re.Match[str]) -> str:
        inside = found.group(1) if found.group(1) is not None else found.group(2)
        plain = len(inside) <= _LONGEST_QUOTE and not re.search(r"[/\\]", inside)
        label = safe_label(inside, _LONGEST_QUOTE) if plain else None
        return "(text of the file)" if label is None and inside else f"'{label or ''}'"

    return harmless(_PATH.sub("(path)", _QUOTED.sub(hidden, text)), limit)
