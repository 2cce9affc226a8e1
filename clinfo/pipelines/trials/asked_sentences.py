"""Sentences that cannot answer the question, however well they fit it: of the beginning, of two
other arms, of an outcome's sibling.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from clinfo.lazy_dataclass import replace
from clinfo.retrieval.asked import Asked
from clinfo.retrieval.documents import Document
from clinfo.text.arms import arms, is_control
from clinfo.text.regex import anycase, regex
from clinfo.text.terms import acronyms, fold, stems

_AT_ENTRY: Final = anycase(
    r"\bat (?:the )?(?:study )?(?:baseline|entry|enrol\w*|beginning|start)\b|"
    r"\bbefore (?:the )?(?:study|intervention|treatment|trial)\b"
)
_LATER: Final = anycase(
    r"\b(?:after|from baseline|from pre\w*|post\w*|follow|end|final|later|until|"
    r"(?:weeks?|months?|days?|years?|hours?) ?\d|\d+[ -](?:weeks?|months?|days?|years?|hours?))"
)
_BASELINE: Final = anycase(r"\bbaseline\b|\bbefore\b|\bpre\b")
_PAIR: Final = anycase(
    r"\bbetween (?:the )?(?P<one>[^,.;()]{1,40}?) (?:and|versus|vs\.?) (?:the )?"
    r"(?P<other>[^,.;()]{1,40}?) (?:groups?|arms|patients)\b"
)
_TWO: Final = anycase(
    r"\b(?:alike|similar|comparable|not differ\w*|no \w+ difference)\b[^.;]{0,40}\b(?:two|both) \W?"
    r"(?!study|patient)[\w-]+\W? (?:groups|arms)\b"
)
"""Two groups of a kind that were alike."""
_SHORT: Final = regex(r"(?=\S*[A-Z]\S*[A-Z])[A-Za-z][\w+/-]*")
"""An abbreviation: two capitals."""
_SIBLING: Final = r"\b(?P<sibling>(?=\S*[A-Z]\S*[A-Z])[A-Za-z]+)[\s-]+"
_CONTROLLING: Final = anycase(r"\bcontroll(?:ing|ed)(?= for\b)")


def can_answer(asked: Asked, sentence: str) -> bool:
    """Return whether a sentence may tell the outcome asked of the arms asked, after they began."""
    return not (
        _at_entry(asked, sentence) or _of_others(asked, sentence) or _of_sibling(asked, sentence)
    )


def plainly(sentence: str) -> str:
    """The sentence, as long, with "controlling for" in words that name no arm."""
    return _CONTROLLING.sub(lambda found: "adjusted".ljust(len(found[0])), sentence)


def with_short_forms(asked: Asked, papers: Iterable[Document]) -> Asked:
    """The question with the short forms that papers define for an arm as it is asked, or for that
    with one more word.
    """
    for paper in papers:
        for brief, long in acronyms(paper.text).items():
            for arm, other in (("intervention", "comparator"), ("comparator", "intervention")):
                own, rest = (set(stems(getattr(asked, one))) for one in (arm, other))
                known = set(stems(long))
                fits = len(own) > 1 and own <= known and len(known) <= len(own) + 1
                if fits and not rest & known - own and brief not in getattr(asked, arm):
                    asked = replace(asked, **{arm: f"{getattr(asked, arm)} ({brief})"})
    return asked


def _at_entry(asked: Asked, sentence: str) -> bool:
    return (
        _AT_ENTRY.search(sentence) is not None
        and not _LATER.search(sentence)
        and not _BASELINE.search(f"{asked.comparator} {asked.outcome}")
    )


def _of_others(asked: Asked, sentence: str) -> bool:
    """Return whether two arms under abbreviations, or of a kind beside a control, are set side by
    side, where a control is asked and neither is one.
    """
    if not (is_control(asked.comparator) or asked.comparator.startswith("no ")):
        return False
    if (two := _TWO.search(sentence)) and is_control(sentence[two.end() :]):
        return True
    if (pair := _PAIR.search(sentence)) is None:
        return False
    sides = arms(asked.intervention, asked.comparator, sentence, acronyms(sentence))
    return all(
        _SHORT.fullmatch(one) is not None
        and not is_control(one)
        and fold(one) not in ("cg", "ctl", "con", "uc", "tau")
        and not any(arm == "comparator" for _, arm in sides.named(one))
        for one in pair.groups()
    )


def _of_sibling(asked: Asked, sentence: str) -> bool:
    """Return whether a sentence names, instead of an outcome's abbreviation, another before the
    same word: "HDL cholesterol" for "LDL cholesterol".
    """
    for short in _SHORT.finditer(asked.outcome):
        if short[0].lower() in sentence.lower():
            continue
        rest = asked.outcome[short.end() :].split()
        if rest and re.search(_SIBLING + re.escape(rest[0]), sentence):
            return True
    return False
