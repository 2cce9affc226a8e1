"""Polarity: the words of a sentence that approve, disapprove, link, tell apart or equate, and
whether each is negated.

A negator ("no", "did not", "failed to", "lack of") reaches up to eight words on, but not past a
word that begins another clause ("but", "however", "which", "because").
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from clinfo.text.lexicon import either
from clinfo.text.regex import anycase, regex

KINDS: dict[str, str] = {
    "good": (
        rf"{either('better', 'polarity_good')}|{either('polarity', 'polarity_good')}|consistent|"
        r"safe(?:ly|ty)?"
    ),
    "bad": rf"{either('polarity', 'polarity_bad')}|{either('worse', 'polarity_bad')}",
    "weak": (
        rf"{either('polarity', 'polarity_weak')}|{either('worse', 'polarity_weak')}|"
        rf"poor(?:ly|er)?"
    ),
    "link": (
        rf"{either('polarity', 'polarity_link')}|{either('better', 'polarity_link')}|"
        rf"{either('rising', 'polarity_link')}|{either('falling', 'polarity_link')}|alter\w*|"
        r"caus(?:e|es|ed|al)|lead(?:s|ing)? to|result(?:s|ed|ing)? in"
    ),
    "same": rf"{either('alike', 'polarity_same')}|as \w+ as",
    "differ": (
        rf"{either('polarity', 'polarity_differ')}|{either('rising', 'polarity_differ')}|"
        rf"{either('falling', 'polarity_differ')}"
    ),
    "unneeded": either("polarity", "polarity_unneeded"),
    "needed": either("polarity", "polarity_needed"),
    "hedge": either("hedges", "polarity"),
}
"""Kinds of words that carry the polarity of a conclusion."""

_NEGATOR = either("negators", "polarity")
_BREAK = (
    r"but|however|although|though|whereas|while|which|who|because|since|unless|except|despite|"
    r"nevertheless|yet|instead|therefore|thus|suggesting|;|:"
)
_TOKEN = regex(r"[A-Za-z0-9'’%-]+|[;:,]")
_NEGATORS = anycase(
    rf"\b(?:{_NEGATOR})\b|\bun(?=related\b|correlated\b|associated\b)|"
    r"\bnon-?(?=significant|specific)"
)
_BREAKS = anycase(rf"(?:\b(?:{_BREAK.replace('|;|:', '')})\b|[;:])")
_KINDS = tuple((kind, anycase(rf"\b(?:{pattern})\b")) for kind, pattern in KINDS.items())
_NEW_VERB = anycase(
    r"\band (?:\w+ly )?(?:(?:caus|increas|reduc|rais|lower|improv|worsen|decreas|prolong|"
    r"shorten)ed|led|rose|fell|resulted)\b"
)
"""A second verb of the sentence, which the negation of the first does not reach: "did not reduce
stroke and caused bleeding".
"""
_NOT_NEGATION = anycase(
    r"\bnot only\b|\bno (?:doubt|less)\b|\bnot (?:to )?hesitate\b|\bno later\b|\bif not\b|"
    r"\bwhether or not\b|\bor not\b|\bwith(?: or |/)without\b"
)
_SIDE_REMARK = anycase(
    r"\bwithout (?:an? |any )?(?:\w+ly )?(?:increas|affect|compromis|worsen|chang|alter|reduc|"
    r"impair|sacrific|loss|"
    r"caus)\w*(?: \w+){0,4}"
)
_ASIDE = frozenset({"link", "differ"})
"""Kinds of words that say nothing on the main effect in a side remark ("without increased risk of
bleeding").
"""
REACH = 8
"""Words that a negator reaches."""
_WORKED = anycase(
    rf"\b(?:{either('better', 'worked')}|{either('falling', 'worked')})\w*|\b(?:effective|"
    r"efficacious|benefi\w+)\b"
)
_ALIKE = anycase(
    r"\s?\b(?:similarly|equally|comparably|alike|to (?:an? |the )?(?:similar|same|comparable|"
    r"equal) (?:extent|degree))\b"
)
_NO_WINNER = anycase(
    r"[,;]?(?:\s(?:and|but|with|although|though))?\s(?:neither\b[^.;,]{0,25}\b(?:superior|better|"
    r"more effective)\b|"
    r"no (?:\w+ )?(?:advantage|superiority) of (?:one|either) over the other|"
    r"(?:no|without)(?: \w+){0,2} differences? between (?:them|the (?:two|treatments|drugs|"
    r"regimens)\b(?: \w+)?))"
)
_NO_HARM = anycase(
    r",?(?:\s(?:and|but))?\s(?:did|does|do) not (?:delay|worsen|impair|compromise|harm)\b(?: "
    r"[\w-]+){0,3}"
)
_UNTREATED = anycase(
    r"\b(?:placebo|sham|controls|control (?:group|arm)s?|untreated|no treatment)\b"
)


def main_statement(sentence: str) -> str:
    """A sentence that says something worked, without how two treatments compare that both did, and
    without harms ruled out.

    "A and B lowered pain similarly; neither proved superior" gives "A and B lowered pain". Any
    other sentence is returned as it is, and so is one whose comparison is with no treatment.
    """
    worked = any(
        not inside(match.start(), negated_spans(sentence)) for match in _WORKED.finditer(sentence)
    )
    if not worked:
        return sentence
    kept = _NO_HARM.sub("", sentence)
    if _UNTREATED.search(sentence) is None and _ALIKE.search(sentence) is not None:
        kept = _ALIKE.sub("", _NO_WINNER.sub("", kept))
    return kept


@lru_cache(maxsize=4096)
def negated_spans(text: str) -> tuple[tuple[int, int], ...]:
    """The stretches of ``text``, as code points [start, end), that stand under a negator."""
    excused = [match.span() for match in _NOT_NEGATION.finditer(text)]
    breaks = sorted(
        match.start() for pattern in (_BREAKS, _NEW_VERB) for match in pattern.finditer(text)
    )
    spans = []
    for match in _NEGATORS.finditer(text):
        if inside(match.start(), excused):
            continue
        end = match.end()
        stop = bisect_left(breaks, match.end())
        limit = breaks[stop] if stop < len(breaks) else len(text)
        for count, token in enumerate(_TOKEN.finditer(text, match.end(), limit)):
            if count >= REACH:
                break
            end = token.end()
        spans.append((match.end(), end))
    return tuple(spans)


@lru_cache(maxsize=2048)
def polar_words(text: str) -> Counter[tuple[str, bool]]:
    """Return how often each kind of word (`KINDS`) stands in ``text``, by whether it is negated.

    The counts are kept for the next caller: they are not to be changed.
    """
    spans = negated_spans(text)
    found: Counter[tuple[str, bool]] = Counter()
    excused = tuple(match.span() for match in _SIDE_REMARK.finditer(text))
    for kind, pattern in _KINDS:
        for match in pattern.finditer(text):
            if kind in _ASIDE and inside(match.start(), excused):
                continue
            found[kind, inside(match.start(), spans)] += 1
    return found


def inside(place: int, spans: Sequence[tuple[int, int]]) -> bool:
    """Return whether a place lies in one of the spans, which are in order of their starts and of
    their ends.
    """
    last = bisect_right(spans, place, key=lambda span: span[0]) - 1
    return last >= 0 and place < spans[last][1]
