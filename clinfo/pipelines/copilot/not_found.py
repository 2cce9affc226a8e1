"""Findings that a question says are not there: wild-type genes, negative tests.

They tell of no change to look up, so that the rest of the question is answered without them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from clinfo.pipelines.copilot.gene_names import Named
from clinfo.pipelines.copilot.variants import blanked, change

GENE, CODE = "\N{SECTION SIGN}", "\N{PILCROW SIGN}"
"""What stands for the letters of a gene's name and of a change's code."""
WHAT = (
    r"(?:mutat\w*|mutants?|fusions?|rearrange\w*|translocat\w*|amplif\w*|alterat\w*|variants?"
    r"|deletions?|insertions?|duplications?|overexpress\w*|exon \d+|skipping|changes?)"
)
_BARE = rf"(?<!{GENE}){GENE}++(?!\s*{CODE})"
_GENES = (
    rf"{_BARE}(?:\s*[/&]\s*{_BARE}|\s*,?\s+(?:and|or|nor)\s+{_BARE}"
    rf"|\s*,\s*{_BARE}(?![\s-]+{WHAT}))*+"
)
_CODES = (
    rf"(?:(?:(?<!{GENE}){GENE}++\s+)?(?<!{CODE}){CODE}++(?:\s*/\s*{CODE}++)*"
    rf"|(?<!{GENE}\s)(?<!{CODE}){CODE}++(?:\s+(?:and|or|nor)\s+{CODE}++)+)"
)
_THING = rf"(?:{_CODES}|{_GENES})(?:[\s-]+{WHAT})*"
_THINGS = (
    rf"{_THING}(?:\s*,\s*{_GENES}(?![\s-]+{WHAT})"
    rf"|(?:\s*/\s*|\s*,?\s+(?:and|or|nor)\s+){_THING})*"
)
"""After a comma a gene without a change of its own alone: "negative for T790M, MET amplification"
tells of an amplification that is there.
"""
_ABSENT = re.compile(
    rf"(?i){_CODES}[-\u2212](?=\s*(?:[,;.)]|$))"
    rf"|{_THING}(?:[\s-]+(?:status|test|tests|is|are|was|were|both|all|found|tested))*[\s:-]*"
    r"(?:wild[\s-]?types?|WT\b|negative|neg\b|unmutated|non-?mutated|absent|undetect\w+"
    r"|not[\s-](?:mutated|detected|found|present|amplified|rearranged|seen|identified))"
    rf"|(?:\bwild[\s-]?types?(?:\s+for)?|\bWT|\bun-?mutated|\bnon-?mutated)[\s-]+{_GENES}"
    rf"|\b(?:negative|tested negative)\s+for\s+{_THINGS}"
    rf"|\b(?:no|without(?:\s+an?|\s+any)?|lacks?|lacking|absence\s+of)\s+"
    rf"(?:{_THINGS}(?<!{GENE})|{_CODES})"
)
_WORD = re.compile(r"[^\s,;/()\u2212-]+?(?=\.*(?:[\s,;/()\u2212-]|$))")
_LOST = re.compile(r"(?i)negative|neg\b|absent|undetect\w+|not[\s-](?:detected|found|present|seen)")
"""What may tell of a lost protein."""


def not_found(text: str, genes: Sequence[Named], lost: Iterable[str] = ()) -> list[tuple[int, int]]:
    """Where a text tells of findings that are not there. ``genes`` are those that it names; one of
    those ``lost`` that is "negative" has lost its protein, which is a finding.
    """
    read = masked(text, genes)
    may_be_lost = {*lost}
    found = []
    for one in _ABSENT.finditer(read):
        within = {gene.symbol for gene in genes if one.start() <= gene.start < one.end()}
        if not (within & may_be_lost and CODE not in one[0] and _LOST.search(one[0])):
            found.append(one.span())
    return found


def masked(text: str, genes: Sequence[Named]) -> str:
    """A text with `GENE` and `CODE` for the letters of genes' names and of changes' codes."""
    places = [(one.start, one.end) for one in genes]
    free = blanked(text, places, " ")
    codes = (
        (found.start(), found.end()) for found in _WORD.finditer(free) if change(found[0])[0].places
    )
    return blanked(blanked(text, places, GENE), codes, CODE)
