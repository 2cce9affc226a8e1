"""The answer and its parts, as built from a run's events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from clinfo.records.appraisal import Appraisal, Certainty, Notice
from clinfo.records.articles import (
    CitationChase,
    LineCount,
    Outcome,
    Pico,
    SeedStudy,
    Sentence,
    Summary,
    TermCount,
)


@dataclass(frozen=True)
class Reference:
    """A relevant article's line in the answer; ``citation`` is in IEEE form, made by us and never
    by a model.
    """

    n: int
    id: str
    pmid: str | None
    title: str
    citation: str
    url: str
    cited: bool
    flags: tuple[str, ...] = ()


@dataclass(frozen=True)
class SearchStep:
    """One sending of a query that found nothing at first: what had been taken out of it by then,
    and how many hits it had.
    """

    text: str
    sent: str
    without: tuple[str, ...]
    count: int
    sent_at: str


@dataclass(frozen=True)
class SearchedQuery:
    """A query with what its source answered, as the answer shows it.

    ``text`` is the query as meant; where it was relaxed, ``steps`` are all its sendings in order,
    and ``sent``, ``count`` and ``ids`` are those of the last one. ``number`` counts the run's
    queries from 1, those not searched included (0 in records of older versions). ``unique`` are the
    ids that no other query of the run brought.
    """

    text: str
    sent: str
    seed: int | None
    source: str
    sort: str
    asked: int
    count: int
    ids: tuple[str, ...]
    translation: str | None
    sent_at: str
    warnings: tuple[str, ...]
    number: int = 0
    outcome: Outcome | Literal["failed"] = "complete"
    dropped: tuple[str, ...] = ()
    repairs: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    breadth: str | None = None
    unique: tuple[str, ...] = ()
    steps: tuple[SearchStep, ...] = ()


@dataclass(frozen=True)
class Overlap:
    """The number of articles that two queries (by number) share."""

    queries: tuple[int, int]
    shared: int


@dataclass(frozen=True)
class ReadArticle:
    """An article with what the chain made of it. ``relevant`` is None when unread or unreadable
    (``reason`` says which).
    """

    id: str
    pmid: str | None
    title: str
    relevant: bool | None
    reason: str
    judge: str
    summary: Summary | None
    flags: tuple[str, ...]
    summary_check: tuple[Sentence, ...] = ()


@dataclass(frozen=True)
class Counts:
    """The number of articles that each stage took and gave; fetched = excluded + not_assessed +
    judged.
    """

    found: int = 0
    duplicates: int = 0
    fetched: int = 0
    excluded: int = 0
    not_assessed: int = 0
    judged: int = 0
    relevant: int = 0
    summarised: int = 0
    cited: int = 0
    not_verified: int = 0
    """Sentences of synthesis and TL;DR that no judge could vouch for."""


@dataclass(frozen=True)
class StageUsage:
    """Model calls of one stage; ``cost_usd`` is None where a price is unknown."""

    calls: int = 0
    cached: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = 0.0


@dataclass(frozen=True)
class Usage(StageUsage):
    """Model calls of a whole run, and by stage."""

    by_stage: Mapping[str, StageUsage] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class RunAnswer:
    """The common part of every pipeline's answer. ``settings`` is JSON-like, ``timings`` are
    seconds.
    """

    question: str
    notices: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
    timings: Mapping[str, float] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class SearchReport:
    """Evidence of how the search worked. Queries go by number; ``terms_left_out`` were not asked
    for their hits.
    """

    overlap: tuple[Overlap, ...] = ()
    lines: tuple[LineCount, ...] = ()
    terms: tuple[TermCount, ...] = ()
    terms_left_out: int = 0
    seed_studies: tuple[SeedStudy, ...] = ()
    chase: CitationChase | None = None


@dataclass(frozen=True)
class Support:
    """The number of sentences by verdict, in synthesis and TL;DR as the model wrote them.

    ``counted`` only count the studies as this run read them and rest on no passage: the count is
    right, whether each study's yes or no was read rightly is not checked, so they are never among
    the supported. ``quoted`` stand word for word in an article; nobody judged them. ``removed``
    were taken out because nothing supports them. ``added`` are those
    that this program added. These two count nowhere else.
    """

    supported: int = 0
    partial: int = 0
    quoted: int = 0
    not_verified: int = 0
    unsupported: int = 0
    contradicted: int = 0
    uncited: int = 0
    counted: int = 0
    removed: int = 0
    added: int = 0

    @property
    def told(self) -> int:
        """Return how many of the model's sentences shown a judge could tell: found carried or
        not.
        """
        return self.supported + self.partial + self.unsupported + self.contradicted

    @property
    def claims(self) -> int:
        """Return how many of the model's sentences shown claim something, counts of studies among
        them.
        """
        return self.told + self.quoted + self.not_verified + self.uncited + self.counted

    @property
    def rate(self) -> float | None:
        """The share of all sentences shown that claim something that is supported, 0 to 1; None
        without any.
        """
        return self.supported / self.claims if self.claims else None


@dataclass(frozen=True)
class Resolved:
    """A follow-up as it was asked: ``question`` stands alone, where it was ``rewritten`` by a model
    that took it to mean so, with its ``assumptions``; else it is the one that was typed. ``how``
    says in which case that is: it stood alone, there was no model, or its reply was unusable.
    """

    earlier: str
    question: str
    how: Literal["rewritten", "alone", "no model", "unusable"]
    assumptions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Answer(RunAnswer):
    """Synthesis, TL;DR and references together, with all that led to them.

    ``withheld_text`` is what a strict run wrote and does not show as an answer, because too little
    of it is carried: then ``tldr`` and ``synthesis`` are empty, and ``sentences`` are those of the
    text withheld. ``refused_tldr`` is a model's TL;DR that another took the place of.
    ``best_source`` is the citation number of the study that answers best, ``certainty`` that of the
    answer, both as a model said.
    """

    tldr: str
    synthesis: str
    searched_on: str
    references: tuple[Reference, ...]
    sentences: tuple[Sentence, ...]
    queries: tuple[SearchedQuery, ...]
    articles: tuple[ReadArticle, ...]
    counts: Counts
    understood: Pico | None = None
    resolved: Resolved | None = None
    next_questions: tuple[str, ...] = ()
    search_report: SearchReport = field(default_factory=SearchReport)
    appraisal: Appraisal = field(default_factory=Appraisal)
    article_notices: tuple[Notice, ...] = ()
    support: Support = field(default_factory=Support)
    withheld_text: str = ""
    withheld_reason: str = ""
    refused_tldr: str = ""
    certainty: Certainty | None = None
    best_source: int | None = None

    @property
    def quoted(self) -> bool:
        """Return whether the text is nothing but quotations."""
        return bool(self.sentences) and all(one.verdict == "quoted" for one in self.sentences)

    @property
    def unverified(self) -> bool:
        """Return whether the text claims more than counts and no judge could tell of any of it: it
        stands under "Not verified".
        """
        told = self.support.told + self.support.quoted
        return self.support.claims > self.support.counted and not told
