"""What of a gene's items bears on a question: in the disease or near it, for the change that is
meant or a broader one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from clinfo.lazy_dataclass import dataclass
from clinfo.pipelines.copilot.asked import ADVERSE, BOTH, Asked, changes
from clinfo.pipelines.copilot.beside import Beside, beside, kindred
from clinfo.pipelines.copilot.disease_names import ANYWHERE
from clinfo.pipelines.copilot.evidence_items import PREDICTIVE, SUPPORTS, GeneDrugs, against
from clinfo.pipelines.copilot.given import given_as
from clinfo.pipelines.copilot.rolled_up import broader

if TYPE_CHECKING:
    from clinfo.retrieval.silos import SiloDocument


@dataclass(frozen=True)
class Setting:
    """What the sentences beside an answer are made of: the ``items`` of ``gene``, the variants that
    are meant in ``groups``, the medicines that are ``named``, each with the source's names for it,
    and those of them that were ``had`` before.
    """

    found: GeneDrugs
    gene: str
    asked: Asked
    items: Sequence[SiloDocument]
    groups: Sequence[Sequence[str]]
    named: Mapping[str, frozenset[str]]
    had: Collection[str] = ()

    @cached_property
    def own(self) -> list[SiloDocument]:
        """The items on medicines; on harm alone where that is asked for."""
        harm = self.asked.directions == (ADVERSE,)
        return [
            one
            for one in self.items
            if one.fields.get("type") == PREDICTIVE
            and (not harm or one.fields.get("significance") == ADVERSE)
        ]

    @cached_property
    def wanted(self) -> frozenset[str]:
        """The names of the disease; none where any is meant. Where what was chosen is a kind of the
        one asked for, both.
        """
        disease = self.found.read_as.get("disease", "")
        asked = {name for one in self.asked.diseases for name in one.names or (one.written,)}
        if disease in ("", "any"):
            return frozenset(asked)
        return frozenset((disease,) if disease in asked else (disease, *asked))

    @cached_property
    def there(self) -> list[SiloDocument]:
        """The items in the disease."""
        return [one for one in self.own if not self.wanted or disease_of(one) in self.wanted]

    @cached_property
    def near(self) -> list[SiloDocument]:
        """The items in a narrower or wider disease."""
        return [one for one in self.own if kindred(disease_of(one), self.wanted)]

    @cached_property
    def anywhere(self) -> list[SiloDocument]:
        """The items in no organ, where one is asked for."""
        if not self.wanted or ANYWHERE in self.wanted:
            return []
        return [one for one in self.own if disease_of(one) == ANYWHERE]

    @cached_property
    def known(self) -> frozenset[str]:
        return frozenset(variant_of(one) for one in self.items)

    @cached_property
    def meant(self) -> frozenset[str]:
        return frozenset(name for group in self.groups for name in group)

    @cached_property
    def apart(self) -> list[str]:
        """The places of the change that the gene has in variants of their own, and in none
        together.
        """
        asked = self.asked.change.places
        held = [own.places & asked for own in changes(self.known).values()]
        if any(len(own) > 1 for own in held):
            return []
        return sorted({place for own in held for place in own})

    @cached_property
    def broader(self) -> list[str]:
        """The variants that hold the change and more."""
        found = broader(self.gene, self.asked.change, changes(self.known))
        return [name for name in found if name not in self.meant]

    @cached_property
    def single(self) -> frozenset[str]:
        """The specific variants where any mutation, or any form of a fusion, is asked for."""
        asked = self.asked.change
        if asked.places or asked.special or ("mutation" not in asked.kinds and not asked.partners):
            return frozenset()
        return frozenset(one for one, own in changes(self.known).items() if own.places) - self.meant

    @cached_property
    def marked(self) -> frozenset[str]:
        """The source's names of the medicines that were had."""
        return frozenset(name for one in self.had for name in self.named.get(one, ()))

    def opposed(self, items: Iterable[SiloDocument]) -> Mapping[str, frozenset[str]]:
        """By significance, the medicines, as they were given, of which for each of some ``items``
        others support the other significance, and none of so strong a level this one: of the same
        variant, or of the very change asked for where the item is on a broader one; in the same
        disease, a broader one or the one asked for.
        """
        of: dict[str, list[SiloDocument]] = {}
        for one in items:
            for given in given_as(one):
                of.setdefault(given, []).append(one)
        return {
            side: frozenset(
                given
                for given, own in of.items()
                if all(self._best(other, given, one) < self._best(side, given, one) for one in own)
            )
            for side, other in (BOTH, BOTH[::-1])
        }

    def _best(self, significance: str, given: str, item: SiloDocument) -> str:
        """The strongest level, "F" where none, of what is to be held against an item."""
        broad = variant_of(item) in self.broader
        return min(
            (
                one.fields.get("level", "E")
                for one in self.own
                if one.id != item.id
                and one.fields.get("significance") == significance
                and one.fields.get("direction") == SUPPORTS
                and (
                    variant_of(one) in self.exact if broad else variant_of(one) == variant_of(item)
                )
                and (disease_of(one) in self.wanted or _within(item, one))
                and given in given_as(one)
            ),
            default="F",
        )

    @cached_property
    def exact(self) -> frozenset[str]:
        """The nearest variants, with those of the exact set."""
        chosen = (variant_of(one.document) for one in self.found.evidence)
        return frozenset((*(self.groups[0] if self.groups else ()), *chosen))

    @cached_property
    def pointed(self) -> list[SiloDocument]:
        """The items on the change itself, in the disease, near it or in no organ, that say of
        drugs anything else than what is asked: the other direction, that it is not supported, a
        reduced sensitivity.
        """
        return [
            one
            for one in (*self.there, *self.near, *self.anywhere)
            if variant_of(one) in self.exact and against(one, self.asked)
        ]

    @property
    def for_broader(self) -> str:
        """What is said of an item on a broader change."""
        kinds = " ".join(self.asked.change.kinds)
        places = " and ".join(
            f"{one} {kinds}".strip() if one.startswith("exon ") else one
            for one in sorted(self.asked.change.places)
        ) or " ".join(one.upper() for one in sorted(self.asked.change.special))
        alone = f"{places} alone" if places else "exactly the one asked for"
        return f"Recorded for this broader change, not for {alone}."

    def sentences(
        self, items: Iterable[SiloDocument], first: str, medicine: str = "", note: str = ""
    ) -> tuple[Beside, ...]:
        """Sentences of items."""
        items = [*items]
        leads = bool(medicine) and medicine not in self.had
        return beside(
            items,
            self.gene,
            first,
            medicine=medicine,
            aliases=self.named.get(medicine, ()),
            note=note,
            had=self.marked,
            opposed=self.opposed(items) if note else {},
            leads=leads,
        )


def variant_of(one: SiloDocument) -> str:
    """The variant of an item."""
    return one.fields.get("variant", "")


def disease_of(one: SiloDocument) -> str:
    """The disease of an item."""
    return one.fields.get("disease", "")


def _within(one: SiloDocument, other: SiloDocument) -> bool:
    """Whether an item's disease is another's or, by its names, a kind of it."""
    own, wide = disease_of(one), disease_of(other)
    return own == wide or wide == ANYWHERE or (kindred(own, (wide,)) and len(own) > len(wide))
