"""The balance of the studies retrieved: how many of them, and of their participants, point each
side.

Counting rules. A study is counted once, however many articles report it, and is mixed where these
do not agree. Within one side nobody is counted twice: the participants of a primary study go with a
retrieved review that holds it and is on the same side, where the review states its own. Of several
reviews of one side the number of the largest is told, since they pool much the same studies; it is
never added to that of primary studies. A study that has another result than the review that holds
it keeps its participants.
"""

from __future__ import annotations

from collections.abc import Sequence

from clinfo.evidence.conflict import find_conflict
from clinfo.evidence.included_studies import (
    FLAGS,
    SILENT,
    IncludedStudy,
    Sides,
    cite,
    counted,
    designs,
    listed,
    side_of,
    side_order,
    with_article,
)
from clinfo.evidence.studies import POOLING
from clinfo.records.appraisal import Balance, EvidenceRow, Share
from clinfo.text.design import design_strength

_MOST_DESIGNS = 3
_POINTS = {
    "supports": ("supports the claim", "support the claim"),
    "contradicts": ("contradicts the claim", "contradict the claim"),
    "mixed": ("is mixed", "are mixed"),
    "other outcomes": ("does not answer the question", "do not answer the question"),
    "not known": ("could not be classified", "could not be classified"),
}
_REPORTS = {
    "increased": ("reports an increase", "report an increase"),
    "decreased": ("reports a decrease", "report a decrease"),
    "no difference": ("finds no difference", "find no difference"),
    "mixed": ("reports mixed effects", "report mixed effects"),
    "unclear": ("gives no clear direction", "give no clear direction"),
}


def balance(rows: Sequence[EvidenceRow], closed_question: bool) -> Balance | None:
    """The balance of ``rows``, strongest first; None without a study to count. Counting rules: see
    the module.
    """
    sides, studies = counted(rows, closed_question)
    if not studies:
        return None
    lead = next((study for study in studies if study.answers and not study.row.unread), None)
    return Balance(
        sides=sides,
        shares=_shares(studies),
        lead=lead.n if lead is not None else None,
        lead_text=_lead_text(lead, sides) if lead is not None else "",
        text=_text(studies, sides),
        conflict=find_conflict(studies, sides),
    )


def points(side: str, sides: Sides, count: int) -> str:
    """The verb for a side: "supports the claim", "report an increase"."""
    one, many = (_POINTS if sides == "stance" else _REPORTS).get(
        side, ("has another result", "have another result")
    )
    return one if count == 1 else many


def _shares(studies: Sequence[IncludedStudy]) -> tuple[Share, ...]:
    """One share for each side and design, by side and then by the strength of the design."""
    parts: dict[tuple[str, str], list[IncludedStudy]] = {}
    for study in studies:
        parts.setdefault((study.side, study.row.design or ""), []).append(study)
    ordered = sorted(
        parts, key=lambda key: (side_order(key[0]), -design_strength(key[1] or None), key[1])
    )
    held = _held(studies)
    return tuple(_share(side, design, parts[side, design], held) for side, design in ordered)


def _share(side: str, design: str, members: Sequence[IncludedStudy], held: frozenset[int]) -> Share:
    own = [study.participants for study in members if study.participants and study.n not in held]
    return Share(
        side=side,
        design=design,
        studies=len(members),
        participants=0 if not own else max(own) if members[0].pools else sum(own),
        without_size=sum(study.sized and study.participants is None for study in members),
        numbers=tuple(sorted(study.n for study in members)),
    )


def _held(studies: Sequence[IncludedStudy]) -> frozenset[int]:
    """Numbers of the primary studies whose participants go with a review that points the same
    side.
    """
    reviews = {
        (n, study.side)
        for study in studies
        if study.pools and study.participants
        for n in study.numbers
    }
    return frozenset(
        study.n
        for study in studies
        if study.participants and any((n, study.side) in reviews for n in study.held_by)
    )


def _text(studies: Sequence[IncludedStudy], sides: Sides) -> str:
    shares = _shares(studies)
    present = list(dict.fromkeys(share.side for share in shares))
    said = [_side([share for share in shares if share.side == side], sides) for side in present]
    if len(studies) == 1:
        told = _designs(shares[0]).removeprefix("1 ")
        text = f"The one study retrieved, {with_article(told)}, {points(shares[0].side, sides, 1)}."
    elif len(present) == 1:
        text = (
            f"{'Both' if len(studies) == 2 else f'All {len(studies)}'} studies retrieved "
            f"{said[0].partition(' ')[2]}."
        )
    else:
        text = f"Of {len(studies)} studies retrieved, {listed(said)}."
    text += _unsized(studies)
    held = _held(studies)
    if held:
        text += (
            f" The participants of {cite(held)} are counted with the review that includes "
            f"{'it' if len(held) == 1 else 'them'}."
        )
    for study in studies:
        if study.divided:
            text += (
                " The reports of one study disagree, so it counts for no side: "
                f"{cite(study.numbers)}."
            )
    if sides == "effect_direction" and len(present) > 1:
        text += " Directions refer to each study's own outcome."
    return text


def _unsized(studies: Sequence[IncludedStudy]) -> str:
    """Return how many of the answering studies (of all, where there is but one) state no number of
    participants.
    """
    asked = [study for study in studies if study.answers or len(studies) == 1]
    without = sum(study.sized and study.participants is None for study in asked)
    if not without:
        return ""
    among = " of those that answer" if len(asked) < len(studies) else ""
    if len(asked) == 1:
        return f" {'The one that answers' if among else 'It'} states no number of participants."
    if without == len(asked):
        return f" None{among} states a number of participants."
    return f" {without}{among} {'states' if without == 1 else 'state'} no number of participants."


def _side(shares: Sequence[Share], sides: Sides) -> str:
    """The studies of one side: "5 support the claim (4 cohort studies with 1,204 participants; 1
    case series)".
    """
    count = sum(share.studies for share in shares)
    verb = f"{count} {points(shares[0].side, sides, count)}"
    if shares[0].side in SILENT:
        return verb
    most = _MOST_DESIGNS if len(shares) > _MOST_DESIGNS + 1 else len(shares)
    told = [_designs(share) for share in shares[:most]]
    others = sum(share.studies for share in shares[most:])
    if others:
        people = sum(share.participants for share in shares[most:] if share.design not in POOLING)
        told.append(f"{others} of other designs" + (f" with {_people(people)}" if people else ""))
    return f"{verb} ({'; '.join(told)})"


def _designs(share: Share) -> str:
    text = designs(share.studies, share.design)
    if not share.participants:
        return text
    several = share.studies > 1 and share.design in POOLING
    return (
        f"{text}, the largest with {_people(share.participants)}"
        if several
        else f"{text} with {_people(share.participants)}"
    )


def _people(count: int) -> str:
    return f"{count:,} participant{'' if count == 1 else 's'}"


def _lead_text(lead: IncludedStudy, sides: Sides) -> str:
    """The sentence on the strongest source: design, year, participants, flags and side, as its row
    holds them.
    """
    row = lead.row
    words = with_article(row.design or "study of unstated design")
    words += f" of {row.year}" if row.year is not None else ", its year not stated,"
    words += f" with {_people(lead.participants)}" if lead.participants else ""
    flags = [FLAGS[notice.kind] for notice in row.notices if notice.kind in FLAGS]
    aside = f" ({listed(list(dict.fromkeys(flags)))})" if flags else ""
    return (
        f"The strongest source retrieved, {words.rstrip(',')}{aside} [{row.n}], "
        f"{points(side_of(row, sides), sides, 1)}"
        f"{', but not all reports of its study do' if lead.divided else ''}."
    )
