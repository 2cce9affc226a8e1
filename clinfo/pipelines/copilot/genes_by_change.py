"""The gene of a change that is named without one: V600E in melanoma."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from clinfo.lazy_dataclass import replace
from clinfo.pipelines.copilot.asked import Asked, changes
from clinfo.pipelines.copilot.evidence_items import PREDICTIVE, drugs_of
from clinfo.pipelines.copilot.gene_names import Named
from clinfo.pipelines.copilot.variants import Change

if TYPE_CHECKING:
    from clinfo.retrieval.silos import SiloDocument

_CODE = re.compile(r"[A-Z]\d{2,4}(?:[A-Z*]|FS|DEL|DUP|INS)?")
"""A change that tells its gene: V600E."""


class GenesByChange:
    """The genes of a source by the changes that have items on drugs."""

    def __init__(self, by_gene: Mapping[str, Sequence[SiloDocument]]) -> None:
        self._by_gene = by_gene

    def completed(self, asked: Asked) -> Asked:
        """A question that names a change and no gene, with the one gene that has it in the disease
        that is meant: V600E in melanoma.
        """
        if asked.genes or asked.not_understood:
            return asked
        found = self.having(asked)
        if len(found) != 1:
            return asked
        return replace(asked, genes=(Named(found[0], 0, 0, ""),), inferred=True)

    def having(self, asked: Asked) -> list[str]:
        """The genes with drugs that have the places of a change, in the disease that is meant."""
        codes = {one for one in asked.change.places if _CODE.fullmatch(one)}
        wanted = {name for one in asked.diseases for name in one.names}
        if not codes or (asked.diseases and not wanted):
            return []
        return [
            gene
            for gene, own in self._changes.items()
            if any(
                codes <= change.places
                and (not wanted or wanted & self._diseases.get((gene, name), set()))
                for name, change in own.items()
            )
        ]

    @cached_property
    def _changes(self) -> Mapping[str, Mapping[str, Change]]:
        """The changes of the variants that have items on drugs, by gene."""
        return {
            gene: changes({name for of, name in self._diseases if of == gene})
            for gene in dict.fromkeys(of for of, _ in self._diseases)
        }

    @cached_property
    def _diseases(self) -> Mapping[tuple[str, str], set[str]]:
        """The diseases of items on drugs, by gene and variant."""
        found: dict[tuple[str, str], set[str]] = defaultdict(set)
        for gene, own in self._by_gene.items():
            for one in own:
                if one.fields.get("type") == PREDICTIVE and drugs_of(one):
                    name = one.fields.get("variant", "")
                    found[gene, name].add(one.fields.get("disease", ""))
        return found
