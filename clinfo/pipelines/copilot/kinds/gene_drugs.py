"""Evidence on genes and drugs: exact sets, selected by the fields of CIViC's items."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property
from typing import Any, Final

from clinfo.pipelines.copilot.asked import ADVERSE
from clinfo.pipelines.copilot.beside import STRENGTHS
from clinfo.pipelines.copilot.evidence_items import SUPPORTS, GeneDrugs
from clinfo.pipelines.copilot.gene_drugs import GeneDrugTool
from clinfo.pipelines.copilot.given import given_as, listed
from clinfo.pipelines.copilot.kinds.silo import missing_silo, observed, silos_of
from clinfo.pipelines.copilot.tool_declared import ToolDeclared
from clinfo.pipelines.copilot.tools import Kind, Progress
from clinfo.records.copilot import Observation, Stated
from clinfo.retrieval.silos import SiloDocument, Silos

MOST_BESIDE: Final = 20
"""Items of each sentence that stands beside the exact set."""
MOST_OPPOSED: Final = 5
"""Items that say the opposite which are brought beside those that were asked for."""


class _GeneDrugs:
    def __init__(self, declared: ToolDeclared, silos: Silos) -> None:
        self._declared, self._silos = declared, silos

    @cached_property
    def _tool(self) -> GeneDrugTool:
        return GeneDrugTool(self._silos, self._declared.silo)

    async def __call__(self, arguments: Mapping[str, Any], progress: Progress) -> Observation:
        return await asyncio.to_thread(self._found, arguments["question"])

    def _found(self, question: str) -> Observation:
        silo = self._declared.silo
        return observation(
            self._tool.answer(question),
            silo,
            self._declared.top_k,
            lambda id: self._silos.document(silo, id),
        )


def observation(
    found: GeneDrugs, silo: str, most: int, document: Callable[[str], SiloDocument | None]
) -> Observation:
    """An answer as a tool brings it: sentences of its fields, and ``most`` items of the exact set
    with those beside it. ``document`` gives an item by its id.
    """
    said = tuple(_said(found))
    if not found.evidence and not found.beside:
        return Observation(said=said, missing=(silo,), caveats=found.caveats)
    had = {*found.had}
    ordered = sorted(found.evidence, key=lambda one: {*one.drugs} <= had)  # those last
    items = [one.document for one in ordered[:most]]
    near = [one for about in found.beside for one in about.items[:MOST_BESIDE]]
    opposed = map(document, found.opposed[:MOST_OPPOSED])
    passages = [
        observed(one, 0, len(one.text))
        for one in {one.id: one for one in (*items, *near, *opposed) if one is not None}.values()
    ]
    brought = {one.document for one in passages}
    stated = [
        Stated(one.text, tuple(item.id for item in one.items if item.id in brought))
        for one in found.beside
    ]
    place = sum(one.leads for one in found.beside)
    stated[place:place] = list(_exact(found, brought))
    return Observation(tuple(passages), said, stated=tuple(stated), caveats=found.caveats)


APART: Final = 4
"""Variants up to which each has sentences of its own."""


def _exact(found: GeneDrugs, brought: Collection[str]) -> Iterator[Stated]:
    """The exact set in sentences: by direction, the stronger levels first; a medicine stands in the
    first sentence of its direction that has it.
    """
    read = found.read_as
    supports = all(one.document.fields.get("direction") == SUPPORTS for one in found.evidence)
    where = f" in {read['disease']}" if read.get("disease") not in (None, "", "any") else ""
    for direction, variants in _sets(found):
        seen: set[tuple[str, str]] = set()
        for levels, *names in STRENGTHS:
            own = [
                one
                for one in found.evidence
                if one.significance == direction
                and one.document.fields.get("variant", "") in variants
                and one.level in levels
                and one.id in brought
            ]
            given = [(label, one.document) for one in own for label in given_as(one.document)]
            new = [pair for pair in given if _held(*pair) not in seen]
            if not new:
                continue
            seen.update(_held(*pair) for pair in new)
            told = " or ".join(sorted({_held(*pair)[1] for pair in new}))
            of = " ".join(filter(None, (read.get("gene"), told)))
            called = names[0] if supports else f"{names[1]} that do not support"
            yield Stated(
                f"CIViC has {called} {'of ' * supports}{direction.lower()} of {of}{where} for: "
                f"{listed(new, found.had)}.",
                tuple(one.id for one in own),
            )


def _held(label: str, item: SiloDocument) -> tuple[str, str]:
    """A medicine, as it was given, with the variant of an item."""
    return label, item.fields.get("variant", "")


def _sets(found: GeneDrugs) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The directions of the items, each with one variant at a time, so that two are not read as one
    that has both; together, with "or", where they are many. Adverse responses stand first, then
    resistance where variants are apart.
    """
    named = (one.document.fields.get("variant", "") for one in found.evidence)
    variants = tuple(dict.fromkeys(named))
    apart = [(one,) for one in variants] if len(variants) <= APART else [variants]
    directions = {one.significance for one in found.evidence}
    ordered = sorted(directions, reverse=len(variants) == 1)
    for direction in sorted(ordered, key=lambda one: one != ADVERSE):
        for own in apart:
            if any(
                one.significance == direction and one.document.fields.get("variant", "") in own
                for one in found.evidence
            ):
                yield direction, own


def _said(found: GeneDrugs) -> list[str]:
    """What the tool says beside the items."""
    read = "; ".join(f"{name} {value}" for name, value in found.read_as.items() if value)
    return [
        line
        for line in (
            "; what there is instead: ".join(filter(None, (found.reason, "; ".join(found.near)))),
            f"read as: {read}" if read else "",
            f"not understood: {', '.join(found.not_understood)}" if found.not_understood else "",
            f"{found.lower} more items of lower levels of evidence" if found.lower else "",
            f"items that do not support the same: {', '.join(found.opposed)}"
            if found.opposed
            else "",
            f"state of the source: {found.date}" if found.date else "",
        )
        if line
    ]


KIND = Kind(
    "gene_drugs",
    lambda declared, host: _GeneDrugs(declared, silos_of(host)),
    missing_silo,
    order=20,
)
