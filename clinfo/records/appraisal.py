"""The appraisal of the studies: integrity notices, groups of reports, the evidence table, the
balance, doubts.

What the table says of a study comes from the model's typed reading of its article; the level comes
from its design, groups from registry numbers and links, and counts are counted.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from clinfo.records.articles import Control, Direction, Effect, Result, Stance

Certainty = Literal["high", "moderate", "low", "very low"]
"""The certainty of an answer as a whole, in the words of GRADE, as a model rated it."""
NoticeKind = Literal[
    "retracted",
    "retraction notice",
    "retracted and republished",
    "partly retracted",
    "expression of concern",
    "erratum",
    "preprint",
    "preprint with a published version",
    "superseded",
    "cites retracted articles",
    "text addressed to a language model",
]
"""Retracted articles and notices of retractions are excluded; every other kind is a flag that goes
with the article wherever it is shown."""


@dataclass(frozen=True)
class Notice:
    """Something about an article that its reader must know.

    ``text`` is a sentence; ``pmid`` and ``citation`` name the notice or the other version where
    known; ``reported_by`` says who tells so: "PubMed's record", "the retraction list", "the
    reference list",
    "the title", "the abstract" or "the reference itself" (a reference list's entry). ``count`` is
    how many articles it speaks of: more than 1 for a reference list that holds several retracted
    ones.
    """

    id: str
    kind: NoticeKind
    text: str
    reported_by: str
    pmid: str | None = None
    citation: str = ""
    count: int = 1


def kinds(notices: Iterable[Notice]) -> dict[str, list[str]]:
    """The kinds of notices by article id."""
    found: dict[str, list[str]] = {}
    for one in notices:
        found.setdefault(one.id, []).append(one.kind)
    return found


@dataclass(frozen=True)
class StudyGroup:
    """Articles (by id, best rank first) that report one study, why they are taken for one, and its
    registry numbers.
    """

    ids: tuple[str, ...]
    reason: str
    registry_numbers: tuple[str, ...] = ()


@dataclass(frozen=True)
class StudyOverlap:
    """A relevant review (``review``, an id) whose reference list holds other relevant articles
    (``studies``, ids).
    """

    review: str
    studies: tuple[str, ...]


@dataclass(frozen=True)
class EvidenceRow:
    """One relevant article in the evidence table; None or "" where nobody read it there.

    ``level`` is that of Oxford CEBM 2011 (1 strongest to 5), ``level_reason`` the rule that gave
    it. ``result`` and the other typed fields are the model's reading of the article, None without
    a model. ``stance`` and ``effect_direction`` are those of the summary. ``group`` numbers the
    study it reports from 1: reports of one study share it. ``in_reviews`` are the ids of relevant
    reviews that hold this article already. ``unread`` says that the judgement of its relevance
    could not be read: such rows come last and lead nothing. ``sample_size`` is the people
    randomised, or who entered; ``analysed`` those analysed; ``control`` is the kind of comparator.
    """

    id: str
    n: int
    title: str
    year: int | None
    design: str | None
    level: int | None
    level_reason: str
    sample_size: int | None
    population: str | None
    intervention: str | None
    comparator: str | None
    outcome: str | None
    effect: Effect | None
    effect_direction: Direction | None
    stance: Stance | None
    follow_up: str | None
    group: int
    in_reviews: tuple[str, ...] = ()
    notices: tuple[Notice, ...] = ()
    unread: bool = False
    analysed: int | None = None
    result: Result | None = None
    usefulness: int | None = None
    answer: str | None = None
    control: Control | None = None


@dataclass(frozen=True)
class Balance:
    """The number of retrieved studies and participants on each side.

    ``sides`` says what tells them apart: the result as the model read it; in runs of older
    versions the stance towards the question or the direction of the effect. ``lead`` is the
    citation number of the strongest source; ``text`` is the balance in one or two sentences.
    """

    sides: Literal["stance", "effect_direction", "result"]
    lead: int | None
    text: str = ""


@dataclass(frozen=True)
class Appraisal:
    """The evidence as a whole: rows in order of strength, groups, overlaps, balance, and why it is
    not certain, in sentences.
    """

    rows: tuple[EvidenceRow, ...] = ()
    groups: tuple[StudyGroup, ...] = ()
    overlaps: tuple[StudyOverlap, ...] = ()
    balance: Balance | None = None
    uncertainty: tuple[str, ...] = ()
