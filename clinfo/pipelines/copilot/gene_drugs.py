"""The structured tool of CIViC's silo: from a question to the exact set of drugs, each with the
evidence items behind it, and nothing that was not selected by a field.

What the source has not is said to be not in it: a gene, a change, a disease, their combination.
Words that were not understood are told, never guessed.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from clinfo.lazy_dataclass import dataclass, replace
from clinfo.pipelines.copilot.asked import LEVELS, RESISTANCE, SENSITIVITY, Asked, Reader, changes
from clinfo.pipelines.copilot.beside import Beside, beside, kindred
from clinfo.pipelines.copilot.disease_names import ANYWHERE
from clinfo.pipelines.copilot.drug_names import Drugs, given_before
from clinfo.pipelines.copilot.variants import Change, matching, of_kind

if TYPE_CHECKING:
    from clinfo.retrieval.silos import SiloDocument, SiloHit, Silos

SILO = "civic"
Status = Literal["found", "not in CIViC"]
_PREDICTIVE, _SUPPORTS = "Predictive", "Supports"


@dataclass(frozen=True)
class Evidence:
    """An evidence item that was selected."""

    id: str
    level: str
    drugs: tuple[str, ...]
    interaction: str
    statement: str
    pmid: str
    citation: str
    date: str
    document: SiloDocument


@dataclass(frozen=True)
class GeneDrugs:
    """The answer: ``drugs`` sorted by name, ``evidence`` by level and id; empty where the status is
    "not in CIViC", for the ``reason``.

    ``beside`` is what else the fields say that a reader must see: of the medicines named, of
    kindred diseases, of the other genes, in the other direction. ``caveats`` go before everything.

    ``read_as`` says how the question was read, ``lower`` how many items of lower levels there are,
    ``near`` what the source has instead, ``opposed`` items that do not support the same. ``date``
    is the state of the source.
    """

    status: Status
    drugs: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    reason: str
    read_as: Mapping[str, str]
    lower: int
    near: tuple[str, ...]
    opposed: tuple[str, ...]
    not_understood: tuple[str, ...]
    date: str
    beside: tuple[Beside, ...] = ()
    caveats: tuple[str, ...] = ()


class GeneDrugTool:
    """The evidence items of a silo, held by gene. Reads all of it once."""

    def __init__(self, silos: Silos, silo: str = SILO) -> None:
        self.date = str(silos.about(silo).get("date", ""))
        self._by_gene: dict[str, list[SiloDocument]] = defaultdict(list)
        diseases, drugs = set(), set[str]()
        for one in silos.documents(silo):
            if one.fields.get("gene"):
                self._by_gene[one.fields["gene"]].append(one)
                diseases.add(one.fields.get("disease", ""))
                drugs.update(_drugs(one))
        self._medicines = Drugs(drugs)
        self.reader = Reader(self._by_gene, diseases - {""})

    def answer(self, question: str) -> GeneDrugs:
        """The drugs that a question asks for."""
        asked = self.reader.read(question)
        genes = list(dict.fromkeys(one.symbol for one in asked.genes))
        if not genes:
            said = ", ".join(asked.not_understood)
            return self._absent(
                asked, {}, f"no gene of CIViC is named{f' ({said} is not in it)' if said else ''}"
            )
        if asked.diseases and not any(one.names for one in asked.diseases):
            return self._absent(
                asked,
                {"gene": ", ".join(genes)},
                f"CIViC has no disease {asked.diseases[0].written!r}",
                genes,
            )
        best: tuple[str, list[str], str, list[SiloDocument]] | None = None
        named = self._medicines.within(question)
        reasons: list[str] = []
        others: dict[str, list[SiloDocument]] = {}
        for gene in genes:
            variant_groups = self._variants(gene, asked.change)
            if not variant_groups:
                reasons.append(f"CIViC has no such change of {gene}")
                continue
            chosen = self._selected(gene, variant_groups, asked)
            others[gene] = chosen[2] if chosen else []
            if chosen is None:
                reasons.append(self._none_for(gene, variant_groups, asked))
            elif best is None or len(chosen[2]) > len(best[3]):
                best = (gene, *chosen[:2], chosen[2])
        if best is None:
            absent = self._absent(asked, {"gene": ", ".join(genes)}, "; ".join(reasons), genes)
            return self._with_beside(absent, genes[0], asked, named, {})
        gene, variants, disease, items = best
        read_as = {
            "gene": gene,
            "variant": ", ".join(variants),
            "disease": disease or "any",
            "significance": asked.significance,
            "levels": asked.levels,
        }
        others = {name: others.get(name, []) for name in genes if name != gene}
        found = self._found(asked, read_as, items)
        whole = self._with_beside(found, gene, asked, named, others)
        given = given_before(question, named) if asked.significance == SENSITIVITY else []
        return replace(whole, caveats=(*map(_after, given), *whole.caveats))

    def _with_beside(
        self,
        found: GeneDrugs,
        gene: str,
        asked: Asked,
        named: Mapping[str, frozenset[str]],
        others: Mapping[str, list[SiloDocument]],
    ) -> GeneDrugs:
        """An answer with what stands beside it, and what a reader must know first."""
        groups = self._variants(gene, asked.change)
        meant = {name for group in groups for name in group}
        single = not asked.change.places and "mutation" in asked.change.kinds
        names = {one.fields.get("variant", "") for one in self._by_gene[gene]}
        widened = meant | {name for name, own in changes(names).items() if single and own.places}
        chosen = {item.id for item in found.evidence}
        wanted = {name for one in asked.diseases for name in one.names}
        disease = found.read_as.get("disease", "")
        wanted = {disease} if disease not in ("", "any") else wanted
        own = [one for one in self._by_gene[gene] if one.fields.get("type") == _PREDICTIVE]
        there = [one for one in own if not wanted or one.fields.get("disease") in wanted]
        near = [one for one in own if kindred(one.fields.get("disease", ""), wanted)]
        said = list[Beside]()
        caveats = list[str]()
        for medicine, aliases in named.items():
            on = [
                one
                for place in (there, near)
                for one in place
                if one.fields.get("variant") in widened and aliases.intersection(_drugs(one))
            ]
            said += beside(on, gene, medicine, asked.significance)
            if not on:
                caveats.append(
                    f"CIViC has no item on {medicine} with what is asked of {gene}: nothing here "
                    f"answers whether {medicine} works."
                )
        levels = [one for one in near if _answers(one, asked) and _level(one, asked)]
        closest = set(groups[0]) if groups else set()
        elsewhere = [one for one in levels if one.fields.get("variant") in closest]
        said += beside([one for one in elsewhere if one.id not in chosen], gene, "", "")
        if not found.evidence:
            against = [
                one
                for one in there
                if one.fields.get("variant") in meant
                and one.fields.get("direction") == _SUPPORTS
                and one.fields.get("significance") in (SENSITIVITY, RESISTANCE)
                and one.fields.get("significance") != asked.significance
                and one.fields.get("drugs")
                and _level(one, asked)
            ]
            said += beside(against, gene, "", "") if not said else ()
            if said:
                caveats.append(
                    f"{found.reason}. What follows is near it, not it: "
                    "read the disease, the direction and the level of each line."
                )
        for name, items in others.items():
            if items:
                said += beside(items, name, "", "")
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
        return replace(found, beside=tuple(said), caveats=tuple(caveats))

    def _none_for(self, gene: str, groups: Sequence[Sequence[str]], asked: Asked) -> str:
        """Why a gene has no answer: nothing at all, or nothing of the levels that are meant."""
        what = asked.significance.lower()
        where = " or ".join(name for one in asked.diseases for name in one.names) or "any disease"
        below = self._selected(gene, groups, replace(asked, levels=LEVELS))
        if below is None:
            return f"CIViC has no evidence of {what} for {gene} as asked in {where}"
        own = ", ".join(sorted({one.fields["level"] for one in below[2]}))
        return (
            f"CIViC has no evidence of {what} of levels {', '.join(asked.levels)} for {gene} as "
            f"asked in {where}, but {len(below[2])} items of level {own} (ask for any level)"
        )

    def _variants(self, gene: str, asked: Change) -> list[list[str]]:
        """The gene's variants that are meant, in groups, the nearest first; all of them where the
        question names no change.
        """
        names = {one.fields.get("variant", "") for one in self._by_gene[gene]} - {""}
        if not asked:
            return [sorted(names)]
        return matching(asked, changes(sorted(names)))

    def _selected(
        self, gene: str, groups: Sequence[Sequence[str]], asked: Asked
    ) -> tuple[list[str], str, list[SiloDocument]] | None:
        """Variants, disease and items of the first group that has evidence, by the question's first
        name for the disease.
        """
        wanted = [name for one in asked.diseases for name in one.names]
        if not wanted or (set(wanted) == {ANYWHERE} and _bare(asked)):
            wanted.append("")
        for disease in wanted:
            for variants in groups:
                items = [
                    one
                    for one in self._by_gene[gene]
                    if one.fields.get("variant") in variants
                    and (not disease or one.fields.get("disease") == disease)
                    and _answers(one, asked)
                    and _level(one, asked)
                ]
                if items:
                    return sorted({one.fields["variant"] for one in items}), disease, items
        return None

    def _found(
        self, asked: Asked, read_as: dict[str, str], items: Sequence[SiloDocument]
    ) -> GeneDrugs:
        same = [
            one
            for one in self._by_gene[read_as["gene"]]
            if one.fields.get("variant") in {item.fields["variant"] for item in items}
            and read_as["disease"] in ("any", one.fields.get("disease"))
            and one.fields.get("type") == _PREDICTIVE
        ]
        lower = sum(
            _answers(one, asked) and one.fields["level"] not in asked.levels for one in same
        )
        drugs = {drug for one in items for drug in _drugs(one)}
        opposed = sorted(
            (
                one.id
                for one in same
                if drugs.intersection(_drugs(one)) and not _answers(one, asked)
            ),
            key=_number,
        )
        ordered = sorted(items, key=lambda one: (one.fields["level"], _number(one.id)))
        return GeneDrugs(
            "found", tuple(sorted(drugs)), tuple(map(_evidence, ordered)), "", read_as, lower, (),
            tuple(opposed), asked.not_understood, self.date,
        )  # fmt: skip

    def _absent(
        self, asked: Asked, read_as: dict[str, str], reason: str, genes: Sequence[str] = ()
    ) -> GeneDrugs:
        near: dict[str, None] = {}
        for gene in genes:
            for one in self._by_gene[gene]:
                if _answers(one, asked) and _level(one, asked):
                    near.setdefault(f"{gene} {one.fields['variant']}, {one.fields['disease']}")
        return GeneDrugs(
            "not in CIViC", (), (), reason, read_as, 0, tuple(sorted(near)[:10]), (),
            asked.not_understood, self.date,
        )  # fmt: skip


def _after(medicine: str) -> str:
    return (
        f"The question tells that {medicine} was given before or failed. CIViC's fields do not "
        f"tell that of an item's patients: response to {medicine} below is not response after it."
    )


def evidence_first(tool: GeneDrugTool) -> object:
    """The silo's reranking: evidence items that the fields select go before what words find."""

    def reranked(query: str, hits: Sequence[SiloHit]) -> Sequence[SiloHit]:
        from clinfo.retrieval.silos import SiloHit

        top = hits[0].score if hits else 1.0
        exact = [
            SiloHit(one.document, 0, len(one.document.text), top + 1, "fields")
            for one in tool.answer(query).evidence
        ]
        ids = {hit.document.id for hit in exact}
        return [*exact, *(hit for hit in hits if hit.document.id not in ids)]

    return reranked


def _answers(one: SiloDocument, asked: Asked) -> bool:
    """Whether an item says of drugs what is asked, whatever its level."""
    fields = one.fields
    return (
        fields.get("type") == _PREDICTIVE
        and fields.get("direction") == _SUPPORTS
        and fields.get("significance") == asked.significance
        and bool(fields.get("drugs"))
    )


def _level(one: SiloDocument, asked: Asked) -> bool:
    return one.fields.get("level", "") in asked.levels


def _drugs(one: SiloDocument) -> list[str]:
    return [drug for drug in one.fields.get("drugs", "").split("; ") if drug]


def _number(id: str) -> tuple[int, str]:
    return int(re.sub(r"\D", "", id) or 0), id


def _bare(asked: Asked) -> bool:
    """Whether the disease is no more than a word for any tumour."""
    return len(asked.diseases) == 1 and len(asked.diseases[0].written.split()) == 1


def _evidence(one: SiloDocument) -> Evidence:
    fields = one.fields
    return Evidence(
        one.id, fields["level"], tuple(_drugs(one)), fields.get("interaction", ""), one.text,
        fields.get("pmid", ""), fields.get("citation", ""), one.date, one,
    )  # fmt: skip
