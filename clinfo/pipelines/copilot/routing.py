"""Which silo answers a question, without a language model: a linear model over its words and runs
of letters, in which names of genes, changes, diseases, medicines, bodies stand as what they are.

`benchmarks.copilot.fit` fits it on sentences written for it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from functools import cache

from clinfo.pipelines.copilot.disease_names import Diseases
from clinfo.pipelines.copilot.gene_names import Genes
from clinfo.pipelines.copilot.linear import model
from clinfo.pipelines.copilot.medicines import medicines
from clinfo.pipelines.copilot.naming import american, pieces, table
from clinfo.pipelines.copilot.variants import change
from clinfo.terms.naming import known
from clinfo.text.terms import stems

NONE = "none"
RUNS = (3, 4, 5)
"""Letters of the runs that are features."""
NOT_A_LETTER = r"\W+"
SIZE, KIND = 4.0, 3.0
"""The root of the sum of squares of a question's features, and how many times a word that tells a
kind of source counts: chosen by leaving one writer out (`benchmarks.copilot.fit`).
"""
LEAST = 0.15
"""A silo is named from this probability on, and one whatever it is where none leads it."""
_MARKS = (
    (re.compile(r"\bNCT ?\d{4,8}\b", re.IGNORECASE), " xtrialnumber "),
    (re.compile(r"\bPMID:? ?\d+|\bdoi:? ?\S+", re.IGNORECASE), " xarticlenumber "),
    (re.compile(r"\b(?:NCCN|ESMO|ASCO|ASH|ASTRO|NICE|EAU|AUA|ESTRO|SIGN|AWMF|S3|USPSTF|ESGO|ELN|"
                r"EANO|SNO|SSO|AGO|EASL|AASLD|IASLC|ASCO/CAP|ACR|JSMO|CSCO|SEOM)\b"), " xbody "),
    (re.compile(r"\b(?:et al\b\.?|[A-Z][a-z]+ (?:19|20)\d\d)"), " xauthor "),
    (re.compile(r"\b\d+(?:\.\d+)? ?(?:mg|mcg|µg|ml|g)(?:/\w+)?\b", re.IGNORECASE), " xdose "),
    (re.compile(r"\b(?:[A-Z]{4,}|[A-Z][a-z]+[A-Z][a-z]+)[- ]?\d{2,4}\b"), " xtrialname "),
)  # fmt: skip


def route(question: str) -> tuple[str, ...]:
    """The silos that may answer, the likeliest first; none where the question is for none."""
    found = routed(question)
    best = max(found, key=lambda name: found[name])
    if best == NONE:
        return ()
    ranked = sorted(found, key=lambda name: -found[name])
    return tuple(one for one in ranked if one != NONE and (one == best or found[one] >= LEAST))


def routed(question: str) -> dict[str, float]:
    """The probability of each silo, and of none."""
    return model("router_weights.json.gz").probabilities(features(question))


def names_alteration(question: str) -> bool:
    """Whether a question names a gene or a change of one."""
    return bool({"xgene", "xchange"} & {*masked_names(question).split()})


def features(question: str) -> dict[str, float]:
    """The words of a question with names as what they are, which names stand there, runs of
    letters, and words that tell a kind of source, each with its value; the sum of squares is the
    same whatever the question's length.
    """
    masked = masked_names(american(question))
    own = masked.split()
    names = {one for one in own if _NAME.fullmatch(one)}
    together = "+".join(sorted(names)) or "no name"
    first = "first " + own[0].lower() if own else "first"
    medical = min(2, len(names) + sum(map(_medical, own)))
    found = {*stems(masked), f"names {together}", first, f"medical {medical}", *_runs(masked)}
    told = [f"kind {kind}" for kind, words in _kinds().items() if words.search(question)]
    size = (len(found) + KIND * len(told)) or 1
    value = SIZE / math.sqrt(size)
    return dict.fromkeys(found, value) | dict.fromkeys(told, value * math.sqrt(KIND))


def _runs(text: str) -> set[str]:
    """The runs of letters of a text, with the ends of words."""
    plain = f" {re.sub(NOT_A_LETTER, ' ', text.lower()).strip()} "
    return {
        f"#{plain[at : at + length]}" for length in RUNS for at in range(len(plain) - length + 1)
    }


@cache
def _kinds() -> dict[str, re.Pattern[str]]:
    return {
        kind: re.compile(
            r"(?i)\b(?:" + "|".join(re.escape(one).replace(r"\*", r"\w*") for one in words) + r")\b"
        )
        for kind, words in table("route_words.txt").items()
    }


@cache
def _medical(word: str) -> bool:
    """Whether MeSH has a word among diseases, medicines and procedures."""
    bare = word.strip(".,;:?!()'\"").lower()
    one = known().descriptor(bare) if len(bare) > 2 else None
    return one is not None and any(place[0] in "CDE" for place in one.tree_numbers)


_NAME = re.compile(
    r"x(?:gene|change|disease|drug|trialnumber|articlenumber|body|author|dose|trialname)"
)


def masked_names(question: str) -> str:
    """A question in which each name stands as what it is: xgene, xchange, xdisease, xdrug …"""
    text = question
    for pattern, name in _MARKS:
        text = pattern.sub(name, text)
    genes, diseases = _known()
    spans = [(one.start, one.end, "xdisease") for one in diseases.within(text)]
    free = _blank(text, spans)
    # a family's name stands for several genes at one place
    named = sorted({(one.start, one.end, "xgene") for one in genes.within(free)})
    free = _blank(free, named)
    changed = [
        (found.start(), found.end(), "xchange")
        for found in re.finditer(r"\S+(?: \d+)?", free)
        if change(found[0])[0].places
    ]
    free = _blank(free, changed)
    drugs = set(medicines(free))
    given = [
        (one.start, one.end, "xdrug") for one in pieces(free) if one.written.casefold() in drugs
    ]
    for start, end, name in sorted((*spans, *named, *changed, *given), reverse=True):
        text = f"{text[:start]} {name} {text[end:]}"
    return text


def _blank(text: str, spans: Iterable[tuple[int, int, str]]) -> str:
    for start, end, _ in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


@cache
def _known() -> tuple[Genes, Diseases]:
    """All genes and diseases that the tables know, whatever is loaded."""
    from clinfo.terms.packaged import FILE

    more = (FILE.parent / "genes.txt").read_text(encoding="utf-8").splitlines()
    plain = [line for line in more if not line.startswith("#") and ":" not in line]
    symbols = {one for line in plain for one in line.split()}
    return Genes(sorted({*table("gene_names.txt"), *symbols})), Diseases(table("disease_names.txt"))
