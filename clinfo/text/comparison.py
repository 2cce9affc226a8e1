"""An abstract's statements on one outcome under two arms, as named features.

Every sentence of results and conclusion, and the title, is a statement. What it says
(`clinfo.text.compared_sentence`) counts by its share: the more of the outcome's wording it names,
the larger. Where nothing names the outcome well, what the article says of anything stands in for
it, under names of its own ("general …").
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Literal

from clinfo.lazy_dataclass import dataclass, replace
from clinfo.records.articles import Article, Section
from clinfo.text.abstracts import AbstractSentence, abstract_sentences
from clinfo.text.arms import arms
from clinfo.text.change_words import cues
from clinfo.text.compared_sentence import LONGEST, says
from clinfo.text.outcome_names import OutcomeName
from clinfo.text.outcome_valence import ALL_ALIKE, Valence, is_harm, valence
from clinfo.text.regex import anycase, regex
from clinfo.text.terms import acronyms

Where = Literal["title", "results", "conclusion"]
SHARPNESS = 10.0
"""The advantage of a statement that names more of the outcome: e to this power for the whole
against nothing.
"""
LEAST_NAMED = 0.15
"""The least weight of the best statement, however little of the outcome it names."""
HARDLY = 0.3
"""Below this an outcome is hardly named at all."""
_LONGEST_TERM = 600
"""Characters of intervention, comparator and outcome that are read."""
_BONUS: dict[Where, float] = {"results": 0.12, "conclusion": 0.05, "title": 0.0}
_LABELLED = regex(r"(?P<label>[A-Z][^\n:a-z]{1,80}): ")
_PLACEBO = anycase(r"\b(?:placebo|sham)\b")
_AT_ENTRY = anycase(
    r"\b(?:at baseline|before (?:the )?(?:study|intervention|treatment|trial|surgery)|"
    r"demographic\w*|"
    r"baseline (?:\w+ ){0,3}(?:characteristics|scores?|values?|levels?)|"
    r"pre-?treatment|patient characteristics)\b[^.;]{0,80}\b(?:no|not|similar\w*|comparable|"
    r"balanced|identical)\b|"
    r"\b(?:no|not|similar\w*|comparable|balanced|matched)\b[^.;]{0,80}\b(?:at baseline|"
    r"demographic\w*|"
    r"baseline (?:\w+ ){0,2}characteristics)"
)
"""Words for the arms before anything was given, which says nothing of an effect."""


@dataclass(frozen=True)
class Statement:
    """A sentence that may tell of the outcome: code points [start, end) of title or abstract.

    ``named`` is how much of the outcome it names and ``share`` how much it counts among all
    statements, both 0 to 1; ``says`` is what its words and figures say, by name.
    """

    text: str
    field: Literal["title", "abstract"]
    start: int
    end: int
    where: Where
    named: float
    says: Mapping[str, float]
    share: float = 0.0


@dataclass(frozen=True)
class Comparison:
    """Intervention, comparator and outcome against an article.

    ``features`` hold what the statements say, each by its share, and what else tells; ``known`` is
    how well the outcome is named anywhere, 0 to 1.
    """

    statements: tuple[Statement, ...]
    features: Mapping[str, float]
    known: float


def read(intervention: str, comparator: str, outcome: str, title: str, abstract: str) -> Comparison:
    """Return what title and canonical abstract say of ``outcome`` with ``intervention`` against
    ``comparator``.
    """
    given, against, wanted = (term[:_LONGEST_TERM] for term in (intervention, comparator, outcome))
    text = f"{title}\n{abstract}"
    expansions = acronyms(text)
    sides = arms(given, against, text, expansions)
    sentences = _sentences(title, abstract)
    name = OutcomeName(wanted, [sentence.text for sentence in sentences], expansions, sides)
    kind = valence(wanted)
    found: list[Statement] = []
    general: dict[str, float] = defaultdict(float)
    for part, where in _telling(title, sentences):
        named, places = name.named(part.text[:LONGEST])
        if not sides.against_baseline and _AT_ENTRY.search(part.text):
            named *= 0.3
        told = _valued(says(part.text, places, sides, name.is_fall), kind)
        found.append(
            Statement(
                part.text,
                "title" if where == "title" else "abstract",
                part.start,
                part.end,
                where,
                named,
                told,
            )
        )
        for key, value in _valued(says(part.text, (), sides, False, 1.0), kind).items():
            if not key.startswith("nearest"):
                general[key] += value
    statements = _shared(found)
    known = max((item.named for item in statements), default=0.0) * (1.0 - 0.5 * name.absent)
    features = _of_prompt(wanted, against, kind, sides.against_baseline)
    if statements:
        features.update(
            {"named": known, "hardly named": float(known < HARDLY), "absent": name.absent}
        )
        for key in sorted({key for item in statements for key in item.says}):
            features[key] = sum(contribution(item, key) for item in statements)
        features.update(
            {
                f"general {key}": math.tanh(value / 3) * (1.0 - known)
                for key, value in general.items()
            }
        )
        features["alike throughout"] = math.tanh(
            sum(cue.change == "alike" for item in statements for cue in cues(item.text)) / 3
        )
        features["other outcomes alike"] = float(
            any(ALL_ALIKE.search(item.text) for item in statements)
        )
    return Comparison(statements, features, known)


def contribution(item: Statement, key: str) -> float:
    """Return what a statement adds to the feature of a name."""
    return item.share * math.tanh(item.says.get(key, 0.0)) * max(item.named, LEAST_NAMED)


def sections(abstract: str) -> tuple[Section, ...]:
    """The sections of a canonical abstract, a line each; joined again they give it back
    unchanged.
    """
    found = []
    for line in abstract.split("\n"):
        label = _LABELLED.match(line)
        found.append(
            Section(line[label.end() :], label["label"]) if label is not None else Section(line)
        )
    return tuple(found)


@lru_cache(maxsize=64)
def _sentences(title: str, abstract: str) -> tuple[AbstractSentence, ...]:
    return abstract_sentences(Article(id="", title=title, sections=sections(abstract)))


def _telling(
    title: str, sentences: Sequence[AbstractSentence]
) -> list[tuple[AbstractSentence, Where]]:
    """The title and the sentences that tell results or conclude; all sentences where none is known
    to.
    """
    found: list[tuple[AbstractSentence, Where]] = []
    if title.strip():
        found.append((AbstractSentence(title, 0, len(title), "conclusion", False), "title"))
    told = [sentence for sentence in sentences if sentence.role in ("results", "conclusion")]
    for sentence in told or [sentence for sentence in sentences if sentence.role != "notice"]:
        found.append((sentence, "conclusion" if sentence.role == "conclusion" else "results"))
    return found


def _shared(found: Sequence[Statement]) -> tuple[Statement, ...]:
    scores = [
        SHARPNESS * (item.named + _BONUS[item.where] + 0.15 * math.tanh(sum(item.says.values())))
        for item in found
    ]
    top = max(scores, default=0.0)
    counts = [math.exp(score - top) for score in scores]
    total = sum(counts)
    return tuple(
        replace(item, share=count / total) for item, count in zip(found, counts, strict=True)
    )


def _of_prompt(
    outcome: str, comparator: str, kind: Valence, against_baseline: bool
) -> dict[str, float]:
    """Return what the terms themselves tell, before any article is read."""
    told = {
        f"outcome {kind}": True,
        "outcome adverse": is_harm(outcome),
        "against placebo": _PLACEBO.search(comparator) is not None,
        "against baseline": against_baseline,
    }
    return {key: 1.0 for key, holds in told.items() if holds}


def _valued(told: Mapping[str, float], kind: Valence) -> dict[str, float]:
    """``told`` with the outcome's valence beside better and worse, which say up or down only with
    it.
    """
    found: dict[str, float] = defaultdict(float)
    for key, value in told.items():
        nearest, _, rest = key.rpartition("nearest ")
        first, _, known = (rest if nearest or key.startswith("nearest ") else key).partition(" ")
        if first in ("better", "worse"):
            prefix = "nearest " if key.startswith("nearest ") else ""
            key = f"{prefix}{first} {kind}{' ' + known if known else ''}"
        found[key] += value
    return dict(found)
