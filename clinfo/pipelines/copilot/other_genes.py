"""Resistance to a medicine that the source records for changes of genes the question does not name.

The source is asked by gene, so that a question on what brings resistance sees one gene's items; the
others are told by name, never quoted as an answer.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from clinfo.pipelines.copilot.evidence_items import SUPPORTS, drugs_of

if TYPE_CHECKING:
    from clinfo.pipelines.copilot.evidence_items import Asked
    from clinfo.retrieval.silos import SiloDocument

RESISTANCE: Final = "Resistance"
MOST: Final = 12


def told(
    asked: Asked,
    drugs: Sequence[str],
    diseases: Collection[str],
    by_gene: Mapping[str, Sequence[SiloDocument]],
) -> tuple[str, ...]:
    """A sentence for each medicine of a question on resistance alone; ``diseases`` are meant."""
    if asked.directions != (RESISTANCE,):
        return ()
    named = {one.symbol for one in asked.genes}
    found = []
    for drug in drugs:
        genes = sorted(
            {
                gene
                for gene, items in by_gene.items()
                for one in items
                if gene not in named
                and one.fields.get("significance") == RESISTANCE
                and one.fields.get("direction") == SUPPORTS
                and drug in drugs_of(one)
                and (not diseases or one.fields.get("disease") in diseases)
            }
        )
        if genes:
            more = f" and {len(genes) - MOST} more" if len(genes) > MOST else ""
            found.append(
                f"CIViC also records resistance to {drug} for changes of other genes "
                f"({', '.join(genes[:MOST])}{more}); it was not looked up there: name the gene."
            )
    return tuple(found)
