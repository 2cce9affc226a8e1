"""The retrieved studies, each counted once: the report that speaks for it, the side it is on, and
its participants.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from clinfo.evidence.studies import POOLING
from clinfo.lazy_dataclass import dataclass
from clinfo.records.appraisal import EvidenceRow
from clinfo.records.articles import DIRECTIONS, STANCES

Sides = Literal["stance", "effect_direction"]

OBSERVATIONAL = frozenset(
    {
        "cohort study",
        "prospective cohort study",
        "retrospective cohort study",
        "case-control study",
        "cross-sectional study",
        "case series",
        "case report",
        "before-and-after study",
    }
)
"""Designs in which nobody was assigned to what is compared."""
WITHOUT_PARTICIPANTS = frozenset(
    {
        "study protocol",
        "guideline",
        "economic evaluation",
        "animal study",
        "laboratory study",
        "narrative review",
        "editorial or letter",
    }
)
"""Designs that have no participants of their own to count: planned ones, animals, samples, none."""
FLAGS = {
    "expression of concern": "under an expression of concern",
    "preprint": "a preprint",
    "preprint with a published version": "a preprint with a published version",
    "cites retracted articles": "citing retracted articles",
    "retracted and republished": "retracted and republished",
}
"""Words on a source that a reader must see where it is named; errata and texts for
models are told elsewhere.
"""
_JOINED = {
    "systematic review and meta-analysis": "systematic reviews and meta-analyses",
    "editorial or letter": "editorials or letters",
}
NOT_KNOWN = "not known"
"""The side of a study whose relation to the question nobody could read, while that of others is
known.
"""
DIVIDED = "mixed"
"""The side of a study whose reports disagree: no side of a disagreement between studies."""
SILENT = ("other outcomes", "unclear", NOT_KNOWN)
"""Sides that say nothing on the question."""


@dataclass(frozen=True)
class IncludedStudy:
    """One study: the row that speaks for it, all its citation numbers, its side, and its
    participants.

    The side is "mixed" where ``divided``: some of its reports that answer have another result than
    others. ``participants`` is None where no report states them, and for `WITHOUT_PARTICIPANTS`.
    ``held_by`` are the citation numbers of the retrieved reviews that hold the study already.
    """

    row: EvidenceRow
    numbers: tuple[int, ...]
    side: str
    participants: int | None
    held_by: tuple[int, ...] = ()
    divided: bool = False

    @property
    def n(self) -> int:
        """The citation number of the report that speaks for the study."""
        return self.row.n

    @property
    def pools(self) -> bool:
        """Return whether its participants are those of other studies."""
        return self.row.design in POOLING

    @property
    def sized(self) -> bool:
        """Return whether it is of a kind that has participants."""
        return self.row.design not in WITHOUT_PARTICIPANTS

    @property
    def answers(self) -> bool:
        """Return whether it says anything on the question, be it both."""
        return self.side not in SILENT


def counted(
    rows: Sequence[EvidenceRow], closed_question: bool
) -> tuple[Sides, tuple[IncludedStudy, ...]]:
    """Return what tells the sides apart, and the studies of ``rows``, which come strongest first as
    from `clinfo.evidence.table.rows`.

    The relation to the question tells them apart when the question is closed and at least half of
    the articles have one, else the direction of the effect. Of several reports the first that
    answers speaks for the study, whose side is theirs where those that answer agree, else mixed;
    those under an expression of concern have no say beside others. Its participants are the most
    that any of them states, because later reports and those on a part of the people state fewer.
    Studies under an expression of concern come last, and retracted articles are left out.
    """
    kept = [row for row in rows if all(notice.kind != "retracted" for notice in row.notices)]
    known = sum(row.stance is not None for row in kept)
    sides: Sides = (
        "stance" if closed_question and known and 2 * known >= len(kept) else "effect_direction"
    )
    by_id = {row.id: row for row in kept}
    groups: dict[int, list[EvidenceRow]] = {}
    for row in kept:
        groups.setdefault(row.group, []).append(row)
    studies = [_study(members, sides, by_id) for members in groups.values()]
    return sides, tuple(
        sorted(studies, key=lambda study: (study.row.unread, is_doubted(study.row)))
    )


def led(rows: Iterable[EvidenceRow]) -> tuple[tuple[EvidenceRow, tuple[int, ...]], ...]:
    """The rows that lead, in their order, each with the citation numbers of the study's further
    reports: one row a study.

    The first report leads, one without an expression of concern before others. Rows of group 0 are
    studies of their own.
    """
    groups: dict[int, list[EvidenceRow]] = {}
    for place, row in enumerate(rows):
        groups.setdefault(row.group or -1 - place, []).append(row)
    leading = [(min(members, key=is_doubted), members) for members in groups.values()]
    return tuple(
        (row, tuple(sorted(each.n for each in members if each is not row)))
        for row, members in leading
    )


def is_doubted(row: EvidenceRow) -> bool:
    """Return whether an expression of concern stands against an article."""
    return any(notice.kind == "expression of concern" for notice in row.notices)


def side_of(row: EvidenceRow, sides: Sides) -> str:
    """The side of a row: its relation to the question (`NOT_KNOWN` without one) or the direction
    of its effect.
    """
    return row.effect_direction if sides == "effect_direction" else row.stance or NOT_KNOWN


def side_order(side: str) -> int:
    """Sort key of sides as they are shown: yes, no, both, none; increase, decrease, no difference,
    mixed, unclear.
    """
    told = (*STANCES, *DIRECTIONS, NOT_KNOWN)
    return told.index(side) if side in told else len(told)


def cite(numbers: Iterable[int]) -> str:
    """Citation numbers as they stand in prose, in order: "[1]", "[1] and [3]", "[1], [3] and
    [4]".
    """
    return listed([f"[{n}]" for n in sorted(set(numbers))])


def listed(parts: Sequence[str]) -> str:
    """Parts of an enumeration joined: "a", "a and b", "a, b and c"."""
    return (
        parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}" if parts else ""
    )


def designs(count: int, design: str) -> str:
    """So many studies of a design, in words: "1 cohort study", "4 randomised controlled trials", "2
    studies of unstated design".
    """
    if not design:
        return f"{count:,} {'study' if count == 1 else 'studies'} of unstated design"
    return f"{count:,} {design if count == 1 else plural(design)}"


def plural(design: str) -> str:
    """The plural of a design's name: "cohort studies", "systematic reviews and meta-analyses",
    "case series".
    """
    if design in _JOINED:
        return _JOINED[design]
    for ending, many in (("analysis", "analyses"), ("series", "series"), ("study", "studies")):
        if design.endswith(ending):
            return design.removesuffix(ending) + many
    return design + "s"


def with_article(phrase: str) -> str:
    """The phrase with its indefinite article."""
    return f"{'an' if phrase[:1].lower() in 'aeiou' and phrase[:1] else 'a'} {phrase}"


def _study(
    members: list[EvidenceRow], sides: Sides, by_id: dict[str, EvidenceRow]
) -> IncludedStudy:
    row = min(
        members, key=lambda each: (each.unread, is_doubted(each), side_of(each, sides) in SILENT)
    )
    trusted = [each for each in members if is_doubted(each) == is_doubted(row)]
    told = {side for each in trusted if (side := side_of(each, sides)) not in SILENT}
    sizes = [
        each.sample_size
        for each in members
        if each.sample_size and each.design not in WITHOUT_PARTICIPANTS
    ]
    held = {by_id[review].n for each in members for review in each.in_reviews if review in by_id}
    return IncludedStudy(
        row=row,
        numbers=(row.n, *sorted(each.n for each in members if each.n != row.n)),
        side=DIVIDED if len(told) > 1 else side_of(row, sides),
        participants=max(sizes) if sizes and row.design not in WITHOUT_PARTICIPANTS else None,
        held_by=tuple(sorted(held - {each.n for each in members})),
        divided=len(told) > 1,
    )
