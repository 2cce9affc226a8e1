"""Wording that speaks of the literature as a whole, where only the studies retrieved were read."""

from __future__ import annotations

import re

from clinfo.text.citations import citation_marks
from clinfo.text.lexicon import either
from clinfo.text.regex import anycase, regex
from clinfo.text.sentences import sentences

_VERB = (
    r"(?:\w+ly\s)?(?:shows?|shown|suggests?|supports?|indicates?|demonstrates?|demonstrated|"
    r"confirms?|agrees?|finds?|found|reports?|"
    r"proves?|points?|is|are|remains?|lacks?|does\snot|do\snot|has|have)\b"
)
_QUALITY = (
    r"available|existing|current|published|known|relevant|randomi[sz]ed|controlled|clinical|recent|"
    r"medical|scientific|other|best"
)
_KIND = rf"(?:\s(?:the|{_QUALITY})){{0,4}}"
_READ_HERE = (
    r"(?!\s(?:that\swere\s|which\swere\s)?(?:retrieved|included|cited|listed|given|found|above|"
    r"here|summari[sz]ed)\b)"
)
_WHOLE = regex(
    rf"""
      \bthe{_KIND}\s(?:literature|evidence\sbase|body\sof\s(?:evidence|research))\s{_VERB}
    | \b(?:all|every|most|no|numerous|countless|many){_KIND}
      \s(?:{either("study_kinds", "overclaims")}){_READ_HERE}\s{_VERB}
    | \b(?:there\s(?:is|exists)|we\shave)\s(?:currently\s)?
      (?:no|little|insufficient|limited|scant|strong|clear|good|ample|overwhelming|solid)(?:\s[\w-]+){{0,2}}?\sevidence\b
    | \bno\sevidence\s(?:exists|that|supports?|shows?|suggests?|is|has)\b
    | \bit\sis\s(?:well[\s-])?(?:known|established|accepted|proven)\b
    | \b(?:scientific|medical|clinical)\sconsensus\b | \bexperts\sagree\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_UNLESS_CITED = regex(
    rf"""
      \b(?:the|{_QUALITY}){_KIND}\s(?:evidence|research|science)\s{_VERB}
    | \b(?:studies|research|trials|evidence)\s(?:has|have)\s(?:\w+ly\s)?(?:shown|demonstrated|found|established|proven|confirmed)\b
    """,  # noqa: E501
    re.IGNORECASE | re.VERBOSE,
)
"""With a citation these speak of the studies cited."""
_OF_THESE = anycase(
    r"\bretrieved\b|\b(?:these|those)\s(?:\w+\s)?(?:studies|trials|reviews)\b|\b(?:studies|"
    r"trials)\s(?:read|found|given|listed)\shere\b"
)


def overclaims(text: str) -> tuple[str, ...]:
    """The words of ``text`` that speak of the whole literature ("all studies show", "there is no
    evidence"), in order.

    A sentence that says it is about the studies retrieved is let pass, and so is "studies have
    shown" with a citation.
    """
    return tuple(words for sentence in sentences(text) for words in _in_sentence(sentence))


def _in_sentence(sentence: str) -> list[str]:
    if _OF_THESE.search(sentence) is not None:
        return []
    patterns = (_WHOLE,) if citation_marks(sentence) else (_WHOLE, _UNLESS_CITED)
    found = [match for pattern in patterns for match in pattern.finditer(sentence)]
    return [match.group() for match in sorted(found, key=lambda match: match.start())]
