"""The structured tool of CIViC's silo: from a question to the exact set of drugs, each with the
evidence items behind it, and nothing that was not selected by a field.

What the source has not is said to be not in it: a gene, a change, a disease, their combination.
Words that were not understood are told, never guessed.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from copy import copy
from itertools import repeat
from typing import TYPE_CHECKING, TypeAlias

from clinfo.lazy_dataclass import replace
from clinfo.pipelines.copilot import other_genes
from clinfo.pipelines.copilot.asked import (
    LEVELS,
    RESISTANCE,
    Asked,
    Reader,
    changes,
)
from clinfo.pipelines.copilot.beside_set import MOST_TOLD, with_beside
from clinfo.pipelines.copilot.disease_names import ANYWHERE
from clinfo.pipelines.copilot.evidence_items import (
    PREDICTIVE,
    GeneDrugs,
    answers,
    bare,
    drugs_of,
    evidence,
    number,
    of_level,
)
from clinfo.pipelines.copilot.genes_by_change import GenesByChange
from clinfo.pipelines.copilot.given import had_before
from clinfo.pipelines.copilot.left_out import held, may_hold
from clinfo.pipelines.copilot.rolled_up import narrower
from clinfo.pipelines.copilot.setting import Setting
from clinfo.pipelines.copilot.subject import diseases, kind_of, placed_in, subtype_of
from clinfo.pipelines.copilot.variants import Change, matching
from clinfo.records.copilot import UNASKED

if TYPE_CHECKING:
    from clinfo.retrieval.silos import SiloDocument, SiloHit, Silos

SILO = "civic"
_TO_ANY = re.compile(r"(?<![A-Za-z0-9])([A-Z]\d{2,4})X(?![A-Za-z0-9])")
_LOSS = frozenset(("LOSS", "UNDEREXPRESSION"))
_Chosen: TypeAlias = "tuple[list[str], str, list[SiloDocument]]"
"""Variants, disease and items of a gene that were selected."""


class GeneDrugTool:
    """The evidence items of a silo, held by gene. Reads all of it once."""

    def __init__(self, silos: Silos, silo: str = SILO) -> None:
        self.date = str(silos.about(silo).get("date", ""))
        self._by_gene: dict[str, list[SiloDocument]] = defaultdict(list)
        named, drugs = set(), set[str]()
        for one in silos.documents(silo):
            if one.fields.get("gene"):
                self._by_gene[one.fields["gene"]].append(one)
                named.add(one.fields.get("disease", ""))
                drugs.update(drugs_of(one))
        self._having_change = GenesByChange(self._by_gene)
        self.reader = Reader(self._by_gene, named - {""}, drugs, self._lost())

    def _lost(self) -> set[str]:
        """The genes of which the source has a loss, of expression too."""
        return {
            gene
            for gene, own in self._by_gene.items()
            if any(_LOSS & {*one.fields.get("variant", "").upper().split()} for one in own)
        }

    def answer(self, question: str) -> GeneDrugs:
        """The drugs that a question asks for."""
        asked = self._having_change.completed(self.reader.read(question))
        asked = self._any_at_codon(asked, question)
        found = self._without(asked)._answered(asked, question)
        return replace(found, caveats=(*self._not_there(asked, found), *found.caveats))

    def _any_at_codon(self, asked: Asked, question: str) -> Asked:
        """A question with the changes that the source has at a codon for each change to X
        (G719X), which is any; but a stop where the source has one there.
        """
        stops = {f"{one}*": one for one in _TO_ANY.findall(question)}
        wanted = {
            stop: {
                place
                for gene in {one.symbol for one in asked.genes}
                for own in changes(
                    {of.fields.get("variant", "") for of in self._by_gene[gene]}
                ).values()
                for place in own.places
                if re.fullmatch(rf"{codon}[A-Z*]?", place)
            }
            | {codon}
            for stop, codon in stops.items()
        }

        def whole(change: Change) -> Change:
            places = {*change.places}
            for stop, others in wanted.items():
                if stop in places and stop not in others:
                    places = (places - {stop}) | others
            return replace(change, places=frozenset(places))

        own = {gene: whole(change) for gene, change in asked.own.items()}
        out = whole(asked.out)
        return replace(asked, change=whole(asked.change), own=own, out=out)

    def _not_there(self, asked: Asked, found: GeneDrugs) -> Iterator[str]:
        """What is said of findings that the question says are not there, or leaves out."""
        if asked.set_aside:
            yield (
                "Set aside, since the question says that it is not there: "
                f"{', '.join(asked.set_aside)}. Nothing was looked up on it."
            )
        if asked.left_out:
            names = sorted(
                f"{gene} {name}"
                for gene in {one.symbol for one in asked.genes}
                for name in self._left_out(gene, asked)
            )
            more = f" and {len(names) - MOST_TOLD} more" if len(names) > MOST_TOLD else ""
            yield (
                f"Left out, since the question says “{'”, “'.join(asked.left_out)}”: "
                f"{', '.join(names[:MOST_TOLD]) or 'nothing that CIViC has by name'}{more}."
            )
            shown = {item.fields.get("variant", "") for one in found.beside for item in one.items}
            shown |= {one.document.fields.get("variant", "") for one in found.evidence}
            if wide := may_hold(asked.out.places, changes(shown)):
                yield (
                    f"CIViC does not tell of {', '.join(wide)} which changes its patients had: "
                    "what is left out may be among them."
                )
        if asked.unread:
            yield (
                f"“{'”, “'.join(asked.unread)}” was not read: what follows may be on what it "
                "leaves out."
            )
        if asked.negative and asked.genes:
            yield (
                f"The question says: {', '.join(asked.negative)}. What follows is recorded for the "
                "marker that is present, as each line names it; none of it is recorded for its "
                "absence."
            )

    def _without(self, asked: Asked) -> GeneDrugTool:
        """This tool without the items on changes that a question leaves out."""
        if not (asked.out or asked.wild):
            return self
        other = copy(self)
        other._by_gene = defaultdict(list, self._by_gene)
        for gene in {one.symbol for one in asked.genes}:
            out = self._left_out(gene, asked)
            own = (one for one in self._by_gene[gene] if one.fields.get("variant", "") not in out)
            other._by_gene[gene] = [*own]
        return other

    def _left_out(self, gene: str, asked: Asked) -> frozenset[str]:
        """The variants of a gene that a question leaves out."""
        names = {one.fields.get("variant", "") for one in self._by_gene[gene]} - {""}
        return held(gene, asked.out, changes(names), asked.wild)

    def _answered(self, asked: Asked, question: str) -> GeneDrugs:
        genes = list(dict.fromkeys(one.symbol for one in asked.genes))
        if not genes:
            absent = self._absent(asked, {}, self._no_gene(asked))
            drugs = {} if asked.not_understood else self.reader.drugs.within(question)
            near, told = other_genes.of_medicines(question, asked, drugs, self._by_gene)
            reason = "no gene is named" if near else absent.reason
            return replace(absent, beside=near, caveats=told, reason=reason)
        meant = [name for one in asked.diseases for name in (*one.names, one.written)]
        named_at_all = any(one.names for one in asked.diseases)
        if asked.diseases and not named_at_all and not any(self._kinds(of, meant) for of in genes):
            none = f"CIViC has no disease {asked.diseases[0].written!r}"
            absent = self._absent(asked, {"gene": ", ".join(genes)}, none, genes)
            return with_beside(self._setting(absent, genes[0], asked, question), ())
        reasons: dict[str, str] = {}
        every: dict[str, _Chosen] = {}
        for gene in genes:
            of = asked.of(gene)
            groups = self._variants(gene, of.change)
            chosen = self._selected(gene, groups, of) if groups else None
            if chosen is not None:
                every[gene] = chosen
            elif groups:
                reasons[gene] = self._none_for(gene, groups, of)
            else:
                reasons[gene] = f"CIViC has no such change of {gene}"
        if every:
            best = max(every, key=lambda one: _fits(every[one], meant))
            genes.sort(key=lambda one: one != best)
        founds = [
            self._found(asked, one, every[one])
            if one in every
            else self._absent(asked, {"gene": one}, reasons[one], [one])
            for one in genes
        ]
        if not every:
            read_as = {"gene": ", ".join(genes)}
            founds[0] = self._absent(asked, read_as, "; ".join(reasons.values()), genes)
        first, *others = map(self._setting, founds, genes, repeat(asked), repeat(question))
        whole = with_beside(first, others)
        if not every:
            return whole
        disease = every[genes[0]][1]
        kind = [_kind(asked, disease)] if disease and disease not in meant else []
        elsewhere = other_genes.told(
            asked, self.reader.drugs.within(question), {*meant, disease} - {""}, self._by_gene
        )
        return replace(whole, caveats=(*kind, *elsewhere, *_after(whole.had), *whole.caveats))

    def _setting(self, found: GeneDrugs, gene: str, asked: Asked, question: str) -> Setting:
        of = asked.of(gene)
        return Setting(
            found,
            gene,
            of,
            self._by_gene[gene],
            self._variants(gene, of.change),
            self.reader.drugs.within(question),
            had_before(
                question, self.reader.drugs.placed(question), RESISTANCE in asked.directions
            ),
        )

    def _no_gene(self, asked: Asked) -> str:
        """Why a question was not looked up: it names no gene that CIViC has."""
        several = self._having_change.having(asked)
        if len(several) > 1:
            return f"no gene is named, and several have this change: {', '.join(sorted(several))}"
        said = ", ".join(asked.not_understood)
        return (
            f"no gene that is known here is named{f' (not understood: {said})' if said else ''}; "
            f"CIViC is asked by gene, so that {UNASKED}"
        )

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
        """The gene's variants that are meant, in groups, the nearest first; its kinds where it
        has not the change by that name; all of them where the question names no change.
        """
        names = {one.fields.get("variant", "") for one in self._by_gene[gene]} - {""}
        if not asked:
            return [sorted(names)]
        known = changes(sorted(names))
        kinds = narrower(gene, asked, known)
        return matching(asked, known) or ([kinds] if kinds else [])

    def _selected(self, gene: str, groups: Sequence[Sequence[str]], asked: Asked) -> _Chosen | None:
        """Variants, disease and items of the first group that has evidence, by the question's first
        name for the disease.
        """
        wanted = [name for one in asked.diseases for name in one.names]
        if not asked.diseases or (set(wanted) == {ANYWHERE} and bare(asked)):
            wanted.append("")
        wanted += self._kinds(gene, [*wanted, *(one.written for one in asked.diseases)])
        for disease in wanted:
            for variants in groups:
                items = [
                    one
                    for one in self._by_gene[gene]
                    if one.fields.get("variant") in variants
                    and (not disease or one.fields.get("disease") == disease)
                    and answers(one, asked)
                    and of_level(one, asked)
                ]
                if items:
                    return sorted({one.fields["variant"] for one in items}), disease, items
        return None

    def _kinds(self, gene: str, wanted: Sequence[str]) -> list[str]:
        """The diseases of a gene's items that are kinds of those wanted, the one with most first:
        non-small cell lung carcinoma for lung cancer.
        """
        of = [one.fields.get("disease", "") for one in self._by_gene[gene]]
        named = [name for name in wanted if name and name != ANYWHERE]
        asked = [one for name in named for one in diseases(name)]
        kinds = {
            name
            for name in {*of} - {*wanted}
            if any(kind_of(own, one) for own in diseases(name) for one in asked)
            or any(subtype_of(name, other) or placed_in(name, other) for other in named)
        }
        return sorted(kinds, key=lambda name: (-of.count(name), name))

    def _found(self, asked: Asked, gene: str, chosen: _Chosen) -> GeneDrugs:
        variants, disease, items = chosen
        read_as = {
            "gene": gene,
            "variant": ", ".join(variants),
            "disease": disease or "any",
            "significance": asked.significance,
            "levels": asked.levels,
        }
        same = [
            one
            for one in self._by_gene[read_as["gene"]]
            if one.fields.get("variant") in {item.fields["variant"] for item in items}
            and read_as["disease"] in ("any", one.fields.get("disease"))
            and one.fields.get("type") == PREDICTIVE
        ]
        lower = sum(answers(one, asked) and one.fields["level"] not in asked.levels for one in same)
        drugs = {drug for one in items for drug in drugs_of(one)}
        opposed = sorted(
            (
                one.id
                for one in same
                if drugs.intersection(drugs_of(one)) and not answers(one, asked)
            ),
            key=number,
        )
        ordered = sorted(items, key=lambda one: (one.fields["level"], number(one.id)))
        return GeneDrugs(
            "found", tuple(sorted(drugs)), tuple(map(evidence, ordered)), "", read_as, lower, (),
            tuple(opposed), asked.not_understood, self.date,
        )  # fmt: skip

    def _absent(
        self, asked: Asked, read_as: dict[str, str], reason: str, genes: Sequence[str] = ()
    ) -> GeneDrugs:
        near: dict[str, bool] = {}  # whether it is on another change than asked
        for gene in genes:
            meant = {
                name for group in self._variants(gene, asked.of(gene).change) for name in group
            }
            for one in self._by_gene[gene]:
                variant = one.fields["variant"]
                if answers(one, asked) and of_level(one, asked):
                    near[f"{gene} {variant}, {one.fields['disease']}"] = variant not in meant
        ordered = sorted(near, key=lambda one: (near[one], one))
        return GeneDrugs(
            "not in CIViC", (), (), reason, read_as, 0, tuple(ordered[:10]), (),
            asked.not_understood, self.date,
        )  # fmt: skip


def _fits(chosen: _Chosen, meant: Sequence[str]) -> tuple[bool, int]:
    """How well what was chosen of a gene fits: in the disease itself, then by how many items."""
    _, disease, items = chosen
    return not disease or disease in meant, len(items)


def _kind(asked: Asked, disease: str) -> str:
    named = " and ".join(dict.fromkeys(one.written for one in asked.diseases))
    return f"CIViC has nothing on this of {named} as a whole; what follows is on {disease}."


def _after(had: Sequence[str]) -> Iterator[str]:
    """What is said of each medicine that was had, its salts under its name."""
    for one in had:
        if not any(one.startswith(f"{other} ") for other in had):
            yield (
                f"The question tells that {one} was given before or failed. CIViC's fields do "
                f"not tell that of an item's patients: response to {one} below is not response "
                "after it."
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
