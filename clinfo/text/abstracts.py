"""The sentences of an abstract with the part each plays: background, methods, results, conclusion
or notice.

Section labels decide, also those written into the running text ("CONCLUSION: …"); nothing is
guessed of an abstract without them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from clinfo.records.articles import Article
from clinfo.text.sentences import sentence_spans

Role = Literal["background", "methods", "results", "conclusion", "notice"]

_LABEL_ROLES: tuple[tuple[Role, str], ...] = (
    (
        "notice",
        (
            r"regist|fund|supplement|ethic|abbrev|copyright|disclos|support|conflict|keyword|"
            r"identifier|trial number"
        ),
    ),
    ("results", r"method\w*\s*(?:and|&|/)\s*(?:principal |main )?(?:result|finding)|main results"),
    (
        "conclusion",
        (
            r"conclu|interpret|implication|discussion|summary|comment|significance|relevance|"
            r"practice point"
        ),
    ),
    (
        "methods",
        (
            r"outcome measure|measurement|main outcome|end ?point|(?:data|study) (?:extract|synth|"
            r"select|design|"
            r"source)"
        ),
    ),
    ("results", r"result|finding|outcome|observation"),
    (
        "methods",
        (
            r"method|design|setting|patient|participant|subject|population|intervention|material|"
            r"procedure|analys"
        ),
    ),
    ("background", r"."),
)
_INLINE_LABEL = re.compile(
    r"(?P<label>(?:BACKGROUND|INTRODUCTION|OBJECTIVES?|AIMS?|PURPOSE|METHODS?|DESIGN|SETTING|"
    r"PATIENTS|PARTICIPANTS|"
    r"RESULTS?|FINDINGS|CONCLUSIONS?|DISCUSSION|INTERPRETATION|"
    r"Background|Objectives?|Aims?|Purpose|Methods?|Results?|Findings|Conclusions?|"
    r"Interpretation))(?::\s|\s?(?:--|—)\s?|(?P<stop>\.\s?)|"
    r"(?P<bare>\s?(?=[A-Z][a-z]|[A-Z]+\s)))"
)
_LABELS = 3
"""Labels with a full stop ("Results. We found") from which on they are labels, in small letters
too.
"""
_NOTICE = re.compile(
    r"clinicaltrials?\.gov|\b(?:trial )?registration\b|registry|\bregistered (?:at|with|in|"
    r"under)\b|©|copyright|"
    r"\bfunded by\b|supplementary material|https?://|published by|\bNCT\d{6,}|\bISRCTN|"
    r"^\s*(?:funding|keywords?)\b",
    re.IGNORECASE,
)
_LAST = 2
"""Sentences at the end of an abstract, or of its results, in which a study mostly concludes."""
_GLUED = re.compile(r"(?<=[a-z)\]]\.)(?=Clinical ?Trials?\b|Trial [Rr]egistration\b|NCT\d{6})")
"""The place where "no effect.ClinicalTrials.gov" lacks its blank."""


@dataclass(frozen=True)
class AbstractSentence:
    """A sentence of an article's canonical abstract at code points [start, end), with the part it
    plays, None where no label says.
    """

    text: str
    start: int
    end: int
    role: Role | None


@lru_cache(maxsize=256)
def abstract_sentences(article: Article) -> tuple[AbstractSentence, ...]:
    """All sentences of the abstract in their order; section labels belong to none."""
    found: list[AbstractSentence] = []
    at = 0
    for number, section in enumerate(article.sections):
        if number:
            at += 1
        if section.label:
            at += len(section.label) + 2
        found.extend(_section(section.text, at, label_role(section.label, section.category)))
        at += len(section.text)
    return tuple(found)


def conclusion(article: Article) -> tuple[AbstractSentence, ...]:
    """The sentences that conclude: of the sections labelled so, else the last two of the results;
    of an abstract without labels the last two.
    """
    told = [one for one in abstract_sentences(article) if one.role != "notice"]
    for role in ("conclusion", "results"):
        if found := [one for one in told if one.role == role]:
            return tuple(found if role == "conclusion" else found[-_LAST:])
    return () if any(one.role for one in told) else tuple(told[-_LAST:])


def finished(article: Article) -> bool:
    """Return whether the labels of an abstract allow that its study has results: where it has a
    section of methods it has one of results too.
    """
    roles = {one.role for one in abstract_sentences(article)}
    return "methods" not in roles or "results" in roles


def label_role(label: str | None, category: str | None = None) -> Role | None:
    """The part that a section with this label plays; None where there is no label that says."""
    if not label or label.upper() in ("UNLABELLED", "UNASSIGNED", "ABSTRACT"):
        label = category if category and category.upper() != "UNASSIGNED" else None
    if not label:
        return None
    for role, pattern in _LABEL_ROLES:
        if re.search(pattern, label, re.IGNORECASE):
            return role
    return None


def _section(text: str, at: int, role: Role | None) -> list[AbstractSentence]:
    cuts = _labels_in(text, certain=role is not None)
    if not cuts:
        return _sentences(text, 0, len(text), at, role)
    found = _sentences(text, 0, cuts[0].start(), at, role or "background")
    for number, cut in enumerate(cuts):
        stop = cuts[number + 1].start() if number + 1 < len(cuts) else len(text)
        found.extend(_sentences(text, cut.end(), stop, at, label_role(cut["label"])))
    return found


def _labels_in(text: str, certain: bool) -> list[re.Match[str]]:
    """Labels inside running text; those without a colon ("Results We found") count only where there
    are several.

    One in capitals, or glued to the next word ("ConclusionsIn patients"), is a label by itself; in
    a section that has a label, only ``certain`` ones like these are looked for.
    """
    found = [
        match
        for match in _INLINE_LABEL.finditer(text)
        if (text[: match.start()].rstrip() or ".")[-1] in ".!?)"
    ]
    stopped = [match for match in found if match["stop"] is not None]
    if len(stopped) < _LABELS:
        found = [one for one in found if one["stop"] is None or one["label"].isupper()]
    sure = [match for match in found if match["bare"] == "" or match["label"].isupper()]
    plain = (
        sure if certain else [match for match in found if match["bare"] is None or match in sure]
    )
    return found if not certain and len(found) - len(plain) > 1 else plain


def _sentences(
    text: str, start: int, stop: int, at: int, role: Role | None
) -> list[AbstractSentence]:
    spans = [
        (start + one, start + other)
        for first, last in sentence_spans(text[start:stop])
        for one, other in _unglued(text[start:stop], first, last)
    ]
    parts = [text[one:other] for one, other in spans]
    notices = [_NOTICE.search(part) is not None for part in parts]
    return [
        AbstractSentence(part, at + one, at + other, "notice" if noticed else role)
        for part, (one, other), noticed in zip(parts, spans, notices, strict=True)
    ]


def _unglued(text: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """A sentence, without a registration that is glued to its end."""
    glued = _GLUED.search(text, start, stop)
    ends = [start, *([glued.start()] if glued else []), stop]
    return pairwise(ends)
