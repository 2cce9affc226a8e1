"""What must stand beside an exact set: other directions, diseases and genes, what to know first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from clinfo.lazy_dataclass import replace
from clinfo.pipelines.copilot.asked import CLINICAL, LEVELS, RESISTANCE, SENSITIVITY, Asked, changes
from clinfo.pipelines.copilot.beside import Beside, beside, kindred
from clinfo.pipelines.copilot.evidence_items import (
    PREDICTIVE,
    SUPPORTS,
    GeneDrugs,
    answers,
    drugs_of,
    of_level,
)
from clinfo.pipelines.copilot.variants import of_kind
from clinfo.terms.naming import known

if TYPE_CHECKING:
    from clinfo.retrieval.silos import SiloDocument

ALIKE: Final = 0.85
"""The likeness of two spellings, 0 to 1, from which one may be a slip of the other."""
_NOT_OF_PATIENTS: Final = (
    "CIViC has nothing from studies of groups of patients (levels A, B) on what is asked. What "
    "follows are single cases (C), laboratory work (D) or inference (E): read the level of each."
)


def with_beside(
    found: GeneDrugs,
    gene: str,
    asked: Asked,
    items: Sequence[SiloDocument],
    groups: Sequence[Sequence[str]],
    named: Mapping[str, frozenset[str]],
    others: Mapping[str, Sequence[SiloDocument]],
) -> GeneDrugs:
    """An answer with what stands beside it, and what a reader must know first. ``items`` are the
    gene's, ``groups`` its variants that are meant, ``named`` the medicines of the question,
    ``others`` the items chosen of the other genes that it names.
    """
    meant = {name for group in groups for name in group}
    single = not asked.change.places and "mutation" in asked.change.kinds
    names = {one.fields.get("variant", "") for one in items}
    widened = meant | {name for name, own in changes(names).items() if single and own.places}
    chosen = {item.id for item in found.evidence}
    wanted = {name for one in asked.diseases for name in one.names}
    disease = found.read_as.get("disease", "")
    wanted = {disease} if disease not in ("", "any") else wanted
    own = [one for one in items if one.fields.get("type") == PREDICTIVE]
    there = [one for one in own if not wanted or one.fields.get("disease") in wanted]
    near = [one for one in own if kindred(one.fields.get("disease", ""), wanted)]
    said = list[Beside]()
    caveats = list[str]()
    for medicine, aliases in named.items():
        on = [
            one
            for place in (there, near)
            for one in place
            if one.fields.get("variant") in widened and aliases.intersection(drugs_of(one))
        ]
        said += beside(on, gene, medicine, asked.significance)
        if not on:
            caveats.append(_without(medicine, aliases, gene, own))
    shown = CLINICAL if asked.levels == LEVELS else asked.levels
    level = replace(asked, levels=shown)
    opposite = {SENSITIVITY, RESISTANCE} - {*asked.directions}
    levels = [one for one in near if answers(one, asked) and of_level(one, level)]
    closest = set(groups[0]) if groups else set()
    elsewhere = [one for one in levels if one.fields.get("variant") in closest]
    said += beside([one for one in elsewhere if one.id not in chosen], gene, "", "")
    if not found.evidence:
        against = [
            one
            for one in there
            if one.fields.get("variant") in meant
            and one.fields.get("direction") == SUPPORTS
            and one.fields.get("significance") in opposite
            and one.fields.get("drugs")
            and of_level(one, asked)
        ]
        said += beside(against, gene, "", "") if not said else ()
        if said:
            caveats.append(
                f"{found.reason}. What follows is near it, not it: "
                "read the disease, the direction and the level of each line."
            )
    for name, chosen_of in others.items():
        if chosen_of:
            said += beside(chosen_of, name, "", "")
        elif name not in asked.change.partners:
            caveats.append(f"{name} is named too and not answered here: ask about it alone.")
    variants = {one.document.fields["variant"] for one in found.evidence}
    if variants and not of_kind(asked.change, changes(variants)):
        kinds = " or ".join(asked.change.kinds)
        caveats.insert(
            0,
            f"CIViC has no evidence on {gene} {kinds} as asked. What follows is on another "
            f"kind of change, {', '.join(sorted(variants))}, and may not hold for it.",
        )
    if asked.not_understood:
        caveats.append(f"Not understood and left aside: {', '.join(asked.not_understood)}.")
    every = [one.document for one in found.evidence] + [each for one in said for each in one.items]
    if found.evidence and not any(one.fields.get("level", "E") in CLINICAL for one in every):
        caveats.insert(0, _NOT_OF_PATIENTS)
    if asked.inferred:
        codes = ", ".join(sorted(asked.change.places))
        caveats.insert(0, f"No gene is named: {codes} is read as of {gene}, the one gene of "
                          "CIViC that has it with what is asked.")  # fmt: skip
    return replace(found, beside=tuple(said), caveats=tuple(caveats))


def _without(
    medicine: str, aliases: frozenset[str], gene: str, items: Sequence[SiloDocument]
) -> str:
    """What is said of a medicine that no item has with what is asked; ``items`` are the gene's."""
    others = sorted({one.fields["variant"] for one in items if aliases & set(drugs_of(one))})
    if others:
        return (
            f"CIViC has no item on {medicine} with exactly what is asked of {gene}, but has items "
            f"on it with another disease, level, direction or change of {gene} "
            f"({', '.join(others)}): ask about these too."
        )
    there = sorted({name for one in items for name in drugs_of(one)})
    near = get_close_matches(medicine.lower(), [name.lower() for name in there], 1, ALIKE)
    if near and known().descriptor(medicine) is None:
        return f"“{medicine}” is no medicine that is known here: perhaps {near[0]} is meant."
    return (
        f"CIViC has no item on {medicine} with what is asked of {gene}: nothing here "
        f"answers whether {medicine} works."
    )
