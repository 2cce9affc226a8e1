"""The sentences of an abstract with the part each plays: background, methods, results, conclusion
or notice.

Section labels decide where there are any (also those written into the running text, "CONCLUSION:
…"); in an unlabelled abstract the wording and the place of a sentence do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from clinfo.records.articles import Article
from clinfo.text.lexicon import either
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
_GLUED = re.compile(r"(?<=[a-z)\]]\.)(?=Clinical ?Trials?\b|Trial [Rr]egistration\b|NCT\d{6})")
"""The place where "no effect.ClinicalTrials.gov" lacks its blank."""
_CONCLUDES = re.compile(
    r"^\W*(?:in (?:conclusion|summary|short)|to conclude|conclusions?\b|taken together|overall|"
    r"thus|therefore|hence|(?:these|our|the|present|"
    rf"current)(?: \w+){{0,3}}? (?:{either('study_kinds', 'concludes')})(?: \w+){{0,3}}? "
    r"(?:suggests?|indicates?|shows?|showed|demonstrates?|demonstrated|supports?|confirms?|provides?|do|"
    r"does|did|found|reveals?|impl(?:y|ies)|highlights?)|"
    rf"this (?:{either('study_kinds', 'concludes_this')}) (?:\w+ )?(?:suggests?|indicates?|"
    r"shows?|showed|demonstrates?|demonstrated|supports?|confirms?|provides?|found))|\b(?:we|"
    r"authors?) (?:\w+ )?(?:conclude|suggest|recommend|believe)\b|\b(?:is|"
    r"are) concluded that\b",
    re.IGNORECASE,
)
_AIMS = re.compile(
    r"\b(?:aim(?:s|ed)?|objectives?|purposes?|goals?) (?:of|was|were|is|to)\b|\b(?:we|study|trial|"
    r"review|authors?) "
    r"(?:\w+ )?(?:aim\w*|sought|wished|hypothesi\w+|set out|investigates?|examines?|evaluates?|"
    r"assesses?|determines?)\b"
    r"|\bto (?:investigate|examine|evaluate|assess|determine|compare|explore|test)\b|"
    r"\b(?:un(?:clear|known)|"
    r"controversial)\b",
    re.IGNORECASE,
)
_METHODS = re.compile(
    r"\bwere (?:\w+ )?(?:randomi[sz]ed|assigned|allocated|recruited|enrolled|measured|assessed|"
    r"recorded|collected|"
    r"searched|invited|divided|evaluated|included|reviewed|followed)\b|\bwe (?:\w+ )?(?:conducted|"
    r"performed|used|enrolled|"
    r"randomi[sz]ed|recruited|searched|reviewed|studied|included|measured|analy[sz]ed|compared)\b|"
    r"\b(?:primary|secondary|main) (?:outcome|end ?point)s? (?:was|were|measures?)\b|\bwill be\b",
    re.IGNORECASE,
)
_RESULTS = re.compile(
    r"\bp\s*[<>=≤≥]|\b\d+(?:\.\d+)?\s*%|\bCI\b|\bsignificant|\bhigher\b|\blower\b|\bwas "
    r"associated\b|\bdid not\b|"
    r"\bcompared with\b|"
    r"\bimproved\b|\breduced\b|\bincreased\b|\bdecreased\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class AbstractSentence:
    """A sentence of an article's canonical abstract at code points [start, end), with the part it
    plays.
    """

    text: str
    start: int
    end: int
    role: Role
    labelled: bool


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


def concludes(sentence: str) -> bool:
    """Return whether a sentence begins or says that it concludes."""
    return _CONCLUDES.search(sentence) is not None


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
    labelled = role is not None
    roles: list[Role] = [role] * len(parts) if role is not None else _guess(parts, notices)
    roles = ["notice" if noticed else each for noticed, each in zip(notices, roles, strict=True)]
    return [
        AbstractSentence(part, at + one, at + other, each, labelled)
        for part, (one, other), each in zip(parts, spans, roles, strict=True)
    ]


def _unglued(text: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """A sentence, without a registration that is glued to its end."""
    glued = _GLUED.search(text, start, stop)
    ends = [start, *([glued.start()] if glued else []), stop]
    return pairwise(ends)


def _guess(parts: list[str], notices: list[bool]) -> list[Role]:
    roles: list[Role] = []
    count = len(parts)
    for place, part in enumerate(parts):
        late = place >= 0.5 * count
        if late and _CONCLUDES.search(part):
            roles.append("conclusion")
        elif _AIMS.search(part) and not late:
            roles.append("background")
        elif _METHODS.search(part) and not (late and _RESULTS.search(part)):
            roles.append("methods")
        elif _RESULTS.search(part) and place > 0:
            roles.append("results")
        else:
            roles.append(roles[-1] if roles else "background")
    last = next((place for place in range(count - 1, -1, -1) if not notices[place]), None)
    if (
        last is not None
        and "conclusion" not in roles
        and (count > 1 or _CONCLUDES.search(parts[last]))
    ):
        roles[last] = "conclusion"
    return roles
