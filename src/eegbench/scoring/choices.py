r"""T1: the option that a reply chooses.

The rule, in order; the first that says something decides:

1. A structured answer (``{"answer": ...}``): its value, read by 3.
2. Explicit statements in the text: ``Answer: B``, ``the answer is B``, ``\boxed{B}``,
   ``I choose B``, ``B is correct``, a line that is only a letter. The last one counts.
   One that offers two letters is ambiguous, and ambiguous is no answer; ``D.`` at the
   end of a repeated list of options is none.
3. A value or text as a whole: an option's text word for word, else a letter in any
   usual dress (``(B)``, ``**b.**``, ``Option B``, ``B) text``).
4. The only option that the text names, by a dressed or capital letter or by its full
   text. The article ``a`` and ``A`` before a word is no letter.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping

from eegbench.loose_json import Json
from eegbench.scoring.answers import (
    NO_ANSWER,
    Missing,
    Parsed,
    answer_of,
    decoded,
    payload,
    text_of,
)

CHOICE_KEYS = (
    "answer",
    "final_answer",
    "choice",
    "option",
    "letter",
    "selected_option",
    "classification",
    "prediction",
    "raw_response",
)
_AMBIGUOUS = ""  # a statement was made, but not for one option
# Statements are looked for at the end of a reply; keeps a megabyte of them cheap.
_MAX_LINES = 2000
_MAX_LINE = 20_000

_LATEX = re.compile(
    r"\\(?:text|textbf|textit|mathbf|mathrm|mathit|mathsf|fbox)\s*\{([^{}]*)\}"
)
_BOXED = re.compile(r"\\boxed\s*\{([^{}]*)\}")
_ANSWER_TAG = re.compile(r"</?(?:answer|final_answer|final)>", re.IGNORECASE)
_TAG = re.compile(r"</?\w{1,10}>")
_MARKUP = re.compile(r"\\[()\[\],;! ]|[*`$#>]|(?<!\w)_+|_+(?!\w)")
_JOIN = r"(?:\s*(?:,\s*)?(?:or|and|oder|und)\s+|\s*[/,&|]\s*)"
_VERB = (
    r"(?:is|are|was|were|must\s+be|should\s+be|would\s+be|will\s+be|seems\s+to\s+be|"
    r"appears\s+to\s+be|has\s+to\s+be)"
)
_SUBJECT = (
    r"(?:answer|ans|choice|option|response|solution|letter|antwort|respuesta|"
    r"r\u00e9ponse|\u7b54\u6848)"
)
_CUE = re.compile(
    rf"\b{_SUBJECT}(?:\s+(?:to\s+the\s+question|here|therefore|thus|then))?"
    r"(?:\s*\([^()]{0,20}\))?\s*"
    rf"(?:{_VERB}\s*:?|[:=\u2192\u662f\u4e3a]+|-+>?|\u2013|\u2014)\s*"
    r"|\b(?:i|we)(?:\s+(?:would|will|\'ll|\'d|must|shall|now|thus|therefore))*\s+"
    r"(?:choose|chose|pick|picked|select|selected|go\s+with|opt\s+for|say|answer)"
    r"\s*:?\s+"
    r"|\b(?:going|go)\s+with\s+|\b(?:correct|selected|chosen)\s*:\s*|\bans\.\s*",
    re.IGNORECASE,
)
_FILLER = (
    r"(?:(?:the|most\s+likely|clearly|definitely|probably|therefore|thus|"
    r"option|choice|letter|answer|number|correct|best)\s+)*"
)
_QUOTES = "\"'\u201c\u201d\u2018\u2019"


def parse_choice(raw: object, options: Mapping[str, str]) -> Parsed[str | None]:
    """Read the option that a reply chooses.

    Parameters
    ----------
    raw
        The reply as text, or the accepted answer object.
    options
        Option texts by letter.

    Returns
    -------
    Parsed
        The letter, or None (``parse_failed``) for a reply that is empty, names no
        option or offers several.
    """
    reader = _Reader(options)
    answer = answer_of(raw)
    if answer is not None and not isinstance(answer, list):
        value = _value(answer)
        letter = reader.read(value) if isinstance(value, str) else None
        if letter or isinstance(answer, dict):
            return _parsed(letter, f"no option in the answer {str(value)[:60]!r}")
    if isinstance(answer, list):
        value = _value({"answer": answer})
        if isinstance(value, str):
            return _parsed(reader.read(value), "no option in the list")
    text = text_of(raw)
    if not text.strip():
        return _parsed(None, "empty reply")
    return _parsed(reader.read(text), NO_ANSWER)


def _parsed(letter: str | None, warning: str) -> Parsed[str | None]:
    if letter:
        return Parsed(letter)
    if letter == _AMBIGUOUS:
        warning = "several options are offered: no answer"
    return Parsed(None, parse_failed=True, warnings=(warning,))


def _value(answer: Json) -> Json:
    """Return the text of an answer, out of wrappers and lists of one."""
    value: Json = answer
    for _ in range(4):
        if isinstance(value, list):
            if len(value) != 1:
                return None
            value = value[0]
        elif isinstance(value, dict):
            found = payload(value, CHOICE_KEYS)
            if isinstance(found, Missing):
                return None
            value = found
        else:
            break
        value = decoded(value)
    return value


class _Reader:
    """The options, ready to be looked for in many texts."""

    def __init__(self, options: Mapping[str, str]) -> None:
        self.letters = {key.strip().upper(): key for key in options}
        class_ = "".join(re.escape(letter) for letter in self.letters)
        either = f"[{class_}{class_.lower()}]"
        opened = rf"[(\[{{{_QUOTES}]*\s*"
        closed = rf"\s*+[)\]}}{_QUOTES}]*+"
        self.texts = {key: _plain(text) for key, text in options.items()}
        self.whole = re.compile(
            rf"(?:(?:final\s+|correct\s+|the\s+)*(?:{_SUBJECT}|opt\.?)\b\s*[:=]?\s*)?"
            rf"{opened}({either}){closed}\s*[.,:;!)]*",
            re.IGNORECASE,
        )
        self.headed = re.compile(
            rf"(?:(?:option|choice|answer)\s+)?(?:[(\[]\s*({either})\s*[)\]]"
            rf"|({either})\s*[).:\]])\s*[-:.]?\s*(?=\S)|([{class_}])\s*"
            rf"(?=[,;\u2014\u2013-]\s|because\b|since\b|as\b|\()",
        )
        self.target = re.compile(
            rf"{_FILLER}{opened}({either})(?![\w'\u2019]){closed}", re.IGNORECASE
        )
        self.second = re.compile(
            rf"{_JOIN}(?:option\s+)?{opened}({either})(?![\w'\u2019]){closed}"
            r"(?!\s*(?:is|are|was|has|have|does|do|can|would|cannot|describes|fits)\b)",
            re.IGNORECASE,
        )
        self.verdict = re.compile(
            rf"(?<!\w)[(\[]?([{class_}])[)\]]?\s+(?:is|must\s+be|seems|looks)\s+"
            r"(?:clearly\s+|therefore\s+|indeed\s+|also\s+|definitely\s+)*(?:the\s+)?"
            r"(?:most\s+likely\s+|most\s+)?(?:correct|right|best|true|appropriate|"
            r"answer)\b"
        )
        self.mention = re.compile(
            rf"(?<![\w-])(?:[(\[]\s*({either})\s*[)\]]|({either})\)|"
            rf"option\s+({either})\b|([{class_}])(?![\w'\u2019-]))",
            re.IGNORECASE,
        )

    def read(self, text: str) -> str | None:
        """Return a letter, `_AMBIGUOUS`, or None where nothing is said."""
        plain = _plain(_boxes(text))
        exact = self._exact(plain)
        if exact is not None:
            return exact
        match = self.whole.fullmatch(plain)
        if match is not None:
            return self._key(match.group(1))
        statement = self._last_statement(_boxes(text))
        if statement is not None:
            return statement
        match = self.headed.match(plain)
        if match is not None and not self.second.match(plain, match.end()):
            return self._key(next(filter(None, match.groups())))
        return self._only_named(plain)

    def _key(self, letter: str) -> str:
        return self.letters[letter.upper()]

    def _exact(self, plain: str) -> str | None:
        """Return the option whose text this is; a lone letter is a letter first."""
        trimmed = _trim(plain)
        if len(trimmed) == 1 and trimmed.upper() in self.letters:
            return self._key(trimmed)
        folded = trimmed.casefold()
        hits = [k for k, text in self.texts.items() if _trim(text).casefold() == folded]
        return hits[0] if len(hits) == 1 and folded else None

    def _last_statement(self, text: str) -> str | None:
        last: str | None = None
        lines = [_plain(line) for line in text.splitlines()[-_MAX_LINES:]]
        headed = [self.headed.match(line) for line in lines]
        many_headed = sum(match is not None for match in headed) > 1
        for number, line in enumerate(lines):
            alone = self.whole.fullmatch(line) if line else None
            if alone is not None:
                before = next((m for m in reversed(headed[:number]) if m), None)
                if not (many_headed and self._next_item(before, line)):
                    last = self._key(alone.group(1))
                continue
            head = headed[number]
            if head is not None and not many_headed and number > 0:
                last = self._key(next(filter(None, head.groups())))
            said = self._said(line)
            last = said if said is not None else last
        return last

    def _next_item(self, before: re.Match[str] | None, line: str) -> bool:
        """Whether ``D.`` goes on a list whose last item was ``C. text``."""
        if before is None or not line.endswith((".", ")", ":")):
            return False
        letters = list(self.letters)
        item = next(filter(None, before.groups())).upper()
        place = letters.index(item) + 1
        return place < len(letters) and line.strip(" ()[].:").upper() == letters[place]

    def _said(self, line: str) -> str | None:
        """Return what the last explicit statement of a line says."""
        last: tuple[int, str] | None = None
        line = line[-_MAX_LINE:]
        for cue in reversed(list(_CUE.finditer(line))):
            said = self._target(line, cue.end())
            if said is not None:
                last = (cue.start(), said)
                break
        for verdict in self.verdict.finditer(line):
            if last is None or verdict.start() > last[0]:
                last = (verdict.start(), self._key(verdict.group(1)))
        return last[1] if last else None

    def _target(self, line: str, position: int) -> str | None:
        """Return what follows a cue: a letter, an option's text, or nothing."""
        swap = re.compile(r"not\b.{0,60}?\bbut\s+(?:rather\s+)?", re.IGNORECASE)
        turned = swap.match(line, position)
        if turned is not None:
            position = turned.end()
        rest = line[position : position + 400]
        exact = self._exact(rest.rstrip(" ."))
        if exact is not None:
            return exact
        match = self.target.match(rest)
        if match is None or self._is_article(match, rest):
            named = set(self._named_texts(rest))
            negated = re.match(r"not\b", rest, re.IGNORECASE)
            return named.pop() if len(named) == 1 and not negated else None
        second = self.second.match(rest, match.end())
        first = self._key(match.group(1))
        if second is None or self._is_article(second, rest):
            return first
        return first if self._key(second.group(1)) == first else _AMBIGUOUS

    def _is_article(self, match: re.Match[str], rest: str) -> bool:
        """Whether ``a`` or ``A`` only opens a noun phrase."""
        letter = match.group(1)
        following = rest[match.end(1) :]
        if letter not in "aA":
            return False
        if re.match(r"\s+[A-Za-z0-9]", following) is None:
            return False
        if letter == "a":
            return True
        return bool(set(self._named_texts(following)) - {self._key("A")})

    def _only_named(self, plain: str) -> str | None:
        named = set(self._named_texts(plain))
        for match in self.mention.finditer(plain):
            dressed = match.group(1) or match.group(2) or match.group(3)
            bare = match.group(4)
            if dressed is None and (bare == "A" or not bare.isupper()):
                continue  # an article, or a small letter in prose
            named.add(self._key(dressed or bare))
        if len(named) == 1:
            return named.pop()
        return _AMBIGUOUS if named else None

    def _named_texts(self, plain: str) -> Iterator[str]:
        """Options whose whole text stands in a text, those inside longer ones left out.

        Texts of one or two letters are words of the language and do not count.
        """
        folded = plain.casefold()
        taken: list[tuple[int, int]] = []
        for key, text in sorted(self.texts.items(), key=lambda item: -len(item[1])):
            wanted = _trim(text).casefold()
            if len(wanted) < 3:
                continue
            pattern = rf"(?<!\w){re.escape(wanted)}(?!\w)"
            for match in re.finditer(pattern, folded):
                inside = any(a <= match.start() and match.end() <= b for a, b in taken)
                if not inside:
                    taken.append(match.span())
                    yield key
                    break


def _boxes(text: str) -> str:
    r"""Turn ``\boxed{B}`` and ``<answer>B</answer>`` into lines of their own."""
    for _ in range(3):
        text = _LATEX.sub(r"\1", text)
    text = _BOXED.sub(r"\nanswer: \1\n", text)
    return _ANSWER_TAG.sub("\n", text)


def _plain(text: str) -> str:
    """Take off markup, and reduce white space to single blanks."""
    text = unicodedata.normalize("NFKC", text)
    text = _MARKUP.sub("", _TAG.sub("", text))
    return " ".join(text.split())


def _trim(text: str) -> str:
    return text.strip(f" .,;:!{_QUOTES}")
