"""What must stand beside an exact set: the medicines of the question, broader changes, other
diseases, directions and genes, and what to know first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from clinfo.lazy_dataclass import replace
from clinfo.pipelines.copilot.asked import (
    ADVERSE,
    CLINICAL,
    LEVELS,
    RESISTANCE,
    SENSITIVITY,
    changes,
)
from clinfo.pipelines.copilot.beside import Beside, kindred
from clinfo.pipelines.copilot.disease_names import ANYWHERE
from clinfo.pipelines.copilot.evidence_items import (
    PREDICTIVE,
    SUPPORTS,
    GeneDrugs,
    against,
    answers,
    drugs_of,
    of_level,
)
from clinfo.pipelines.copilot.given import given_as, parts
from clinfo.pipelines.copilot.setting import Setting, disease_of, variant_of
from clinfo.pipelines.copilot.variants import matching, of_kind
from clinfo.terms.naming import known

if TYPE_CHECKING:
    from clinfo.retrieval.silos import SiloDocument

ALIKE: Final = 0.85
"""The likeness of two spellings, 0 to 1, from which one may be a slip of the other."""
MOST_TOLD: Final = 6
"""Changes with their diseases that a caveat names."""
MOST_AROUND: Final = 8
"""Sentences on broader changes and other diseases."""
_NOT_OF_PATIENTS: Final = (
    "CIViC has nothing from studies of groups of patients (levels A, B) on what is asked. What "
    "follows are single cases (C), laboratory work (D) or inference (E): read the level of each."
)
_BROADER_OF_PATIENTS: Final = (
    "On exactly what is asked CIViC has single cases, laboratory work or inference only (levels C "
    "to E), in whatever direction. What follows from studies of patients (A, B) is recorded for a "
    "broader change, another change or disease: each line says for which."
)
_NEAR_IT: Final = (
    "What follows is near it, not it: read the change, the disease, the direction and the level of "
    "each line."
)
_ON_IT: Final = (
    "On that change and disease CIViC has something else, which is among what follows: read the "
    "change, the disease, the direction and the level of each line."
)
_WITH_MORE: Final = "Recorded for the change asked for together with another."
_ELSEWHERE: Final = "Recorded in another disease than the one asked for."
_IN_GENERAL: Final = "Recorded for tumours of any organ."
_OTHER: Final = "Recorded for another change than the one asked for."
_OF_CHANGED: Final = "Recorded for a changed gene: the question is on its wild type."
_EACH: Final = "Each is recorded for its own change alone."


def with_beside(setting: Setting, others: Sequence[Setting]) -> GeneDrugs:
    """An answer with what stands beside it, and what a reader must know first. ``others`` are the
    other genes of the question, each with the items chosen of it, or why there are none.
    """
    found, gene, asked = setting.found, setting.gene, setting.asked
    said, last, caveats = list[Beside](), list[Beside](), list[str]()
    fused = _of_fusion_with_change(setting)
    told_of = {item.id for one in fused for item in one.items}
    rest = replace(setting, items=[one for one in setting.items if one.id not in told_of])
    for medicine, aliases in setting.named.items():
        own = _on_medicine(rest, medicine, aliases)
        (last if medicine in setting.had else said).extend(own)
        exact = any(variant_of(one) in setting.meant for each in own for one in each.items)
        if not exact and medicine not in setting.had:
            caveats.append(_without(setting, medicine, aliases, bool(own)))
    said[:0] = fused
    around = _around(setting, {item.id for one in (*said, *last) for item in one.items})
    said += _against(setting, (*said, *last))
    itself = len(said)
    said += around
    if not (found.evidence or said) and asked.directions != (ADVERSE,):
        said += _of_other_kinds(setting)
    for other in others:
        chosen = [one.document for one in other.found.evidence]
        told = (*other.sentences(chosen, ""), *_against(other, ()))
        said[itself:itself] = told  # before what is broader
        itself += len(told)
        if not chosen and found.evidence and not asked.change.fuses(other.gene):
            caveats.append(f"{other.gene} is named too: {other.found.reason}.")
    if not found.evidence and (said or last):
        caveats.append(f"{found.reason}. {_ON_IT if _on_it((*said, *last), setting) else _NEAR_IT}")
    caveats += _apart((setting, *others))
    variants = {one.document.fields["variant"] for one in found.evidence}
    if asked.change and setting.groups and not matching(asked.change, changes(setting.known)):
        single = ", ".join(sorted(variants or setting.meant)[:MOST_TOLD])
        caveats.insert(
            0,
            f"CIViC has no change of {gene} by the name asked for. What follows is on changes that "
            f"are of its kind, each for its own alone: {single}.",
        )
    elif variants and not of_kind(asked.change, changes(variants)):
        kinds = " or ".join(asked.change.kinds)
        caveats.insert(
            0,
            f"CIViC has no evidence on {gene} {kinds} as asked. What follows is on another "
            f"kind of change, {', '.join(sorted(variants))}, and may not hold for it.",
        )
    if asked.not_understood:
        caveats.append(f"Not understood and left aside: {', '.join(asked.not_understood)}.")
    on_it = _shown_of_itself((*said, *last), setting, others)
    weak = not any(map(_clinical, (*(one.document for one in found.evidence), *on_it)))
    if found.evidence and weak:
        beyond = any(_clinical(each) for one in (*said, *last) for each in one.items)
        caveats.insert(0, _BROADER_OF_PATIENTS if beyond else _NOT_OF_PATIENTS)
    if found.evidence and not asked.diseases:
        caveats.insert(0, "No disease was read in the question: what follows is on any.")
    if asked.inferred:
        codes = ", ".join(sorted(asked.change.places))
        caveats.insert(0, f"No gene is named: {codes} is read as of {gene}, the one gene of "
                          "CIViC that has it with what is asked.")  # fmt: skip
    return replace(
        found, beside=(*said, *last), caveats=tuple(caveats), had=tuple(sorted(setting.marked))
    )


def _on_medicine(setting: Setting, medicine: str, aliases: frozenset[str]) -> list[Beside]:
    """What the items say of a medicine: for the change, for broader ones, for each mutation where
    any is asked for, and in tumours of any organ.
    """
    first = RESISTANCE if medicine in setting.had else setting.asked.significance
    kinds: tuple[tuple[Collection[str], str], ...] = (
        (setting.meant, ""), (setting.broader, setting.for_broader), (setting.single, _EACH),
    )  # fmt: skip
    said = list[Beside]()
    for variants, note in kinds:
        for places, where in (
            ((*setting.there, *setting.near), ""),
            (setting.anywhere, _IN_GENERAL),
        ):
            on = [
                one
                for one in places
                if variant_of(one) in variants and aliases.intersection(drugs_of(one))
            ]
            said += setting.sentences(on, first, medicine, f"{note} {where}".strip())
    if not said and medicine not in setting.had:
        close = (*setting.there, *setting.near)
        on = [one for one in close if aliases.intersection(drugs_of(one))]
        wild = "wild type" in setting.asked.change.kinds
        said += setting.sentences(on, first, medicine, _OF_CHANGED if wild else _OTHER)
    return said


def _of_fusion_with_change(setting: Setting) -> list[Beside]:
    """What is recorded for a fusion with the very change asked for, in whatever disease and beside
    whatever other change: what responds without it may not with it.
    """
    asked = setting.asked.change
    if not (asked.places and asked.partners):
        return []
    own = changes(setting.known)
    on = [
        one
        for one in setting.own
        if own[variant_of(one)].places & asked.places and own[variant_of(one)].partners
    ]
    there = {one.id for one in (*setting.there, *setting.near)}
    chosen = {one.id for one in setting.found.evidence}
    more = {name for name, one in own.items() if one.places - asked.places}
    said = list[Beside]()
    for further, note in ((False, ""), (True, _WITH_MORE)):
        for elsewhere, where in ((False, ""), (True, _ELSEWHERE)):
            items = [
                one
                for one in on
                if one.id not in chosen
                and (variant_of(one) in more) is further
                and (one.id not in there) is elsewhere
            ]
            if note or where:
                sentences = setting.sentences(items, "", "", f"{note} {where}".strip())
                said += [replace(one, leads=True) for one in sentences]
    return said


def _around(setting: Setting, told: Collection[str]) -> list[Beside]:
    """What is recorded for a broader change, in a kindred disease, and in tumours of any organ, but
    what is ``told``, by id.
    """
    asked = setting.asked
    level = replace(asked, levels=CLINICAL if asked.levels == LEVELS else asked.levels)
    chosen = {item.id for item in setting.found.evidence} | {*told}
    closest = {*setting.groups[0]} if setting.groups else set()
    said = list[Beside]()
    places = ((setting.there, ""), (setting.near, ""), (setting.anywhere, _IN_GENERAL))
    for variants, note in ((closest, ""), ({*setting.broader}, setting.for_broader)):
        for items, where in places[not note :]:
            of = [one for one in items if variant_of(one) in variants and one.id not in chosen]
            on = [one for one in of if answers(one, asked)]
            strong = [
                one for one in on if of_level(one, level if setting.found.evidence else asked)
            ]
            if note:
                works = SENSITIVITY in asked.directions
                other = [one for one in of if against(one, level)]
                strong += [one for one in other if _unresisted(one) != works]
            said += setting.sentences(strong, "", "", f"{note} {where}".strip())
    return said[:MOST_AROUND]


def _against(setting: Setting, said: Collection[Beside]) -> list[Beside]:
    """What the items on the change itself say against what is asked, but what is ``said`` of a
    medicine by name; of the medicines of the answer alone where no change is asked for, or nothing
    but resistance.
    """
    found, told = setting.found, {item.id for one in said for item in one.items}
    named = {name for names in setting.named.values() for name in names}
    narrow = not setting.asked.change or SENSITIVITY not in setting.asked.directions
    on = [
        one
        for one in setting.pointed
        if not (one.id in told and all(named & {*parts(label)} for label in given_as(one)))
        and (not narrow or not found.evidence or {*drugs_of(one)} & {*found.drugs})
    ]
    general = [one for one in on if disease_of(one) == ANYWHERE and setting.anywhere]
    return [
        *setting.sentences([one for one in on if one not in general], ""),
        *setting.sentences(general, "", "", _IN_GENERAL),
    ]


def _shown_of_itself(
    said: Collection[Beside], setting: Setting, others: Sequence[Setting]
) -> list[SiloDocument]:
    """The items in sentences that are on the change itself and in the disease or a narrower or
    wider one, of each gene.
    """
    shown = {item.id for one in said for item in one.items}
    return [
        item
        for one in (setting, *others)
        for item in (*one.there, *one.near)
        if item.id in shown and variant_of(item) in one.exact
    ]


def _on_it(said: Collection[Beside], setting: Setting) -> bool:
    """Whether a sentence is on the change itself in the disease itself."""
    return any(
        variant_of(item) in setting.exact
        and (not setting.wanted or disease_of(item) in setting.wanted)
        for one in said
        for item in one.items
    )


def _apart(settings: Sequence[Setting]) -> Iterator[str]:
    """What is said of several changes, of one gene or of a gene each, that no item holds
    together.
    """
    asked = settings[0].asked
    own = [one for one in settings if one.gene in asked.own and not asked.change.fuses(one.gene)]
    both = any(
        other.gene in variant_of(item)
        for one in own
        for other in own
        if other is not one
        for item in one.own
    )
    for one in settings:
        if len(one.apart) > 1:
            names = " and ".join(one.apart)
            yield f"No item of CIViC holds {one.gene} {names} together: each line is for one alone."
    if len(own) > 1 and not both:
        names = " and ".join(one.gene for one in own)
        yield f"No item of CIViC holds the changes of {names} together: each line is for one alone."


def _of_other_kinds(setting: Setting) -> list[Beside]:
    """What items that are not on medicines are on, where no other is there."""
    wanted = setting.wanted
    of: dict[str, list[SiloDocument]] = {}
    for one in setting.items:
        kind, disease = one.fields.get("type", ""), disease_of(one)
        close = not wanted or disease in wanted or kindred(disease, wanted)
        if close and variant_of(one) in setting.meant and kind not in ("", PREDICTIVE):
            of.setdefault(kind.lower(), []).append(one)
    return [
        Beside(
            f"On {setting.gene} {' or '.join(sorted({variant_of(one) for one in own}))} in "
            f"{' or '.join(sorted({disease_of(one) for one in own}))} CIViC has {kind} evidence "
            f"(items: {len(own)}), and none on medicines.",
            tuple(own),
        )
        for kind, own in of.items()
    ]


def _without(setting: Setting, medicine: str, aliases: frozenset[str], follows: bool) -> str:
    """What is said of a medicine that no item has with exactly what is asked."""
    gene, items = setting.gene, setting.own
    others = sorted(
        {
            f"{_side(one)} of {variant_of(one)} in {disease_of(one)}"
            for one in items
            if aliases & {*drugs_of(one)}
        }
    )
    if others:
        told = "below is what is nearest" if follows else "ask about these too"
        more = f" and {len(others) - MOST_TOLD} more" if len(others) > MOST_TOLD else ""
        return (
            f"CIViC has no item on {medicine} with exactly what is asked of {gene}, but has items "
            f"on it with another disease, level, direction or change of {gene} "
            f"({', '.join(others[:MOST_TOLD])}{more}): {told}."
        )
    names = {name.lower() for one in items for name in drugs_of(one)}
    there = sorted(names | {word for name in names for word in name.split()})
    near = get_close_matches(medicine.lower(), there, 1, ALIKE)
    if near and known().descriptor(medicine) is None:
        return f"“{medicine}” is no medicine that is known here: perhaps {near[0]} is meant."
    return (
        f"CIViC has no item on {medicine} with what is asked of {gene}: nothing here "
        f"answers for {medicine}."
    )


def _side(one: SiloDocument) -> str:
    """What an item records, in a word or two."""
    told = {SENSITIVITY: "response", RESISTANCE: "resistance"}
    significance = one.fields.get("significance", "")
    no = "" if one.fields.get("direction") == SUPPORTS else "no "
    return no + told.get(significance, significance.lower())


def _unresisted(one: SiloDocument) -> bool:
    """Whether an item says no more than that resistance is not supported."""
    return one.fields["significance"] == RESISTANCE and one.fields.get("direction") != SUPPORTS


def _clinical(one: SiloDocument) -> bool:
    return one.fields.get("level", "E") in CLINICAL
