"""Real articles and the sentences of their abstracts that make a claim, for the benchmark of the
judge of claims.

Read from the folder of shared data beside the checkout; nothing of it is part of the project. Order
and choice hang on the seed and the half alone, never on what a judge says.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from clinfo.pubmed.xml import read_file
from clinfo.records.articles import Article
from clinfo.text.sentences import sentences

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
FILES = (
    "citations/pmc_trial_citations.xml.gz",
    "citations/pubmedqa_citations.xml.gz",
    "citations/pubmedrs200_source_reviews.xml.gz",
    "citations/drug_class_review_citations.xml.gz",
)
HALVES = {"even": 0, "odd": 1}
SHORTEST, LONGEST = 45, 330
"""Characters of a sentence that is taken."""
_LATE = 3.0
"""Factor on the place of an article of the last file in the order drawn: that file holds two thirds
of all records, of seven drug classes.
"""

_LABEL = re.compile(r"result|finding|conclusion|interpretation|discussion|summary|outcomes?$", re.I)
_CLAIM = re.compile(
    (
        r"\b(?:significant\w*|increas\w+|decreas\w+|reduc\w+|improv\w+|worsen\w*|higher|lower|"
        r"greater|fewer|less|more|better|worse|"
        r"superior\w*|inferior\w*|effective\w*|associat\w+|differ\w*|prevent\w*|efficac\w+|safe|"
        r"tolerated|similar|comparable|"
        r"equivalent|prolong\w*|longer|shorter|predict\w*|correlat\w+|risk|odds|rates?|incidence|"
        r"prevalence|scores?|median|mean)\b"
    ),
    re.I,
)
_NO_CLAIM = re.compile(
    (
        r"\b(?:aim(?:s|ed)?|objectives?|purpose|hypothes[ie]\w+|whether|"
        r"to (?:determine|evaluate|assess|investigate|examine|compare|test)|"
        r"will|would|should|warrant\w*|needed|further|future|protocol|registered|registration|"
        r"ISRCTN|"
        r"NCT\d+|trial number|"
        r"(?:were|are) (?:evaluated|examined|rated|recorded|analy[sz]ed)|(?:examine|summari[sz]e|"
        r"review|discuss|describe)s? the|"
        r"were (?:randomi[sz]ed|assigned|allocated|recruited|enrolled|measured|assessed|included|"
        r"studied|compared)|"
        r"was (?:measured|assessed|performed|conducted|compared|used|gauged|evaluated|defined|"
        r"estimated|calculated)|"
        r"end ?points? (?:was|were) the|"
        r"is expected|are expected|is (?:reviewed|discussed|described)|"
        r"are (?:reviewed|discussed|described|presented)|we (?:review|describe|discuss|propose|"
        r"recommend|suggest))\b"
    ),
    re.I,
)
_STARTS_WELL = re.compile(r"[A-Z0-9][^\s]*\s")


@dataclass(frozen=True)
class Candidate:
    """A sentence of an abstract that makes a claim, and the one after it in its section ("" where
    none makes one).
    """

    article: Article
    text: str
    following: str
    known: bool
    """True where the abstract labels its sections, so that the sentence is known to be of its
    results or conclusions.
    """


def listed(words: str) -> frozenset[str]:
    """The words of a text, each once."""
    return frozenset(words.split())


def read_articles(half: str | None = None, data: Path = DATA) -> list[tuple[Article, bool]]:
    """Articles with an abstract, of PMIDs of one parity or all, each with whether it is of the
    largest file. No PMID twice.
    """
    found: dict[str, tuple[Article, bool]] = {}
    for name in FILES:
        for item in read_file(data / name):
            if (
                not isinstance(item, Article)
                or not item.pmid
                or not item.sections
                or item.pmid in found
            ):
                continue
            if half is not None and int(item.pmid) % 2 != HALVES[half]:
                continue
            if len(item.abstract) >= 250:
                found[item.pmid] = (item, name == FILES[-1])
    return list(found.values())


def shuffled(articles: Sequence[tuple[Article, bool]], seed: int) -> list[Article]:
    """The articles in an order drawn by the seed; those of the largest file come later on the
    whole.
    """
    keyed = []
    for article, large in articles:
        draw = random.Random(f"{seed}:{article.pmid}:order").random()
        keyed.append((draw * (_LATE if large else 1.0), article.pmid or "", article))
    return [article for _, _, article in sorted(keyed, key=lambda item: item[:2])]


def candidates(article: Article) -> list[Candidate]:
    """The sentences of results and conclusions (or of the later half, where nothing is labelled)
    that make a claim.
    """
    labelled = any(part.label for part in article.sections)
    found = []
    for part in article.sections:
        if labelled and not (part.label and _LABEL.search(part.label)):
            continue
        texts = [" ".join(text.split()) for text in sentences(part.text)]
        first = 0 if labelled else (len(texts) + 1) // 2
        for place in range(first, len(texts)):
            text = texts[place]
            if makes_claim(text):
                after = (
                    texts[place + 1]
                    if place + 1 < len(texts) and makes_claim(texts[place + 1])
                    else ""
                )
                found.append(Candidate(article, text, after, labelled))
    return found


def states_finding(text: str) -> bool:
    """Return whether a sentence has a word of comparison or effect and tells no aim, plan or
    measurement.
    """
    return _CLAIM.search(text) is not None and _NO_CLAIM.search(text) is None


def makes_claim(text: str) -> bool:
    """Return whether a sentence states something found: of fit length, whole, with a word of
    comparison or effect, no aim, no plan.
    """
    return (
        SHORTEST <= len(text) <= LONGEST
        and text.endswith(".")
        and _STARTS_WELL.match(text) is not None
        and states_finding(text)
        and text.count("(") == text.count(")")
        and "?" not in text
        and ": " not in text[:40]
        and not text.isupper()
    )
