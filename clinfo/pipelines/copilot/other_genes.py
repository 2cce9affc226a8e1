"""What the source, which is asked by gene, records of a medicine for changes of genes that a
question does not name.

A question on what brings resistance sees one gene's items: the others are told by name, never
quoted as an answer. One that names no gene, and asks for genotypes, gets those of its medicines.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from clinfo.lazy_dataclass import replace
from clinfo.pipelines.copilot.asked import CLINICAL
from clinfo.pipelines.copilot.beside import Beside, beside
from clinfo.pipelines.copilot.evidence_items import SUPPORTS, answers, drugs_of, of_level

if TYPE_CHECKING:
    from clinfo.pipelines.copilot.asked import Asked
    from clinfo.retrieval.silos import SiloDocument

RESISTANCE: Final = "Resistance"
MOST: Final = 12
MOST_GENES: Final = 8
"""Genes that are given of a medicine where a question names none."""
_GENETIC = re.compile(
    r"(?i)\b(?:geno(?:typ\w*|mic\w*)|genes?|genetic\w*|mutat\w*|mutants?|variants?|alterations?"
    r"|(?:bio|genetic )?markers?|molecular\w*)\b"
)


def told(
    asked: Asked,
    drugs: Iterable[str],
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


def of_medicines(
    question: str,
    asked: Asked,
    drugs: Mapping[str, Collection[str]],
    by_gene: Mapping[str, Sequence[SiloDocument]],
) -> tuple[tuple[Beside, ...], tuple[str, ...]]:
    """Sentences on the genes whose changes bear on the medicines of a question that names no gene
    and asks for genotypes, those with the strongest evidence first, and what is to be said of
    them.
    """
    wide = replace(asked, levels=CLINICAL)
    diseases = {name for one in asked.diseases for name in one.names}
    said, caveats = list[Beside](), list[str]()
    for medicine, names in drugs.items() if _GENETIC.search(question) else ():
        of = {
            gene: [
                one
                for one in items
                if answers(one, wide)
                and of_level(one, wide)
                and {*names} & {*drugs_of(one)}
                and (not diseases or one.fields.get("disease") in diseases)
            ]
            for gene, items in by_gene.items()
        }
        genes = sorted(
            (gene for gene in of if of[gene]),
            key=lambda gene: (min(one.fields["level"] for one in of[gene]), -len(of[gene]), gene),
        )
        if genes:
            left = len(genes) - MOST_GENES
            rest = f" Not shown: {', '.join(genes[MOST_GENES:])}." if left > 0 else ""
            caveats.append(
                f"No gene is named. What follows are the genes for whose changes CIViC records "
                f"{asked.significance.lower()} to {medicine} in studies of patients (levels A, "
                f"B), each for its own change.{rest}"
            )
        for gene in genes[:MOST_GENES]:
            own = beside(of[gene], gene, asked.directions[0], medicine=medicine, aliases={*names})
            said += own
    return tuple(said), tuple(caveats)
