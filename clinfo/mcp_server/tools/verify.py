"""``verify``: sentences against the articles they cite, by the judges that check every answer, but
no language model.
"""

from __future__ import annotations

import asyncio
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from clinfo.claims.judging import Judges
from clinfo.claims.orders import as_evidence
from clinfo.claims.registry import learned_judge
from clinfo.claims.verify import check_sentence
from clinfo.errors import UsageError
from clinfo.mcp_server.host import Host
from clinfo.mcp_server.tool import Arguments, Report, Result, Tool
from clinfo.pipelines.literature.assemble import default_judge
from clinfo.records.articles import Article, Section, Sentence, Study, Verdict
from clinfo.references.identifiers import read_pmid
from clinfo.text.citations import citation_marks

MOST = 20
"""Sentences, and articles, of a call."""
LONGEST_SENTENCE, LONGEST_ABSTRACT = 1_000, 10_000
MOST_TEXT = 60_000
"""Characters of all articles of a call together, some thirty abstracts."""
MOST_SECONDS = 30.0
"""Seconds of a call; what is judged is not interrupted within a sentence."""


class Evidence(BaseModel):
    """An article: a PMID of the host's source, or its own text."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    pmid: str | None = Field(default=None, max_length=20, description="Its text is then fetched.")
    title: str = Field(default="", max_length=LONGEST_SENTENCE)
    abstract: str = Field(default="", max_length=LONGEST_ABSTRACT)

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.pmid is None) == (not (self.title or self.abstract)):
            raise ValueError("give either a pmid, or title and abstract")
        if self.pmid is not None and read_pmid(self.pmid) is None:
            raise ValueError("the pmid is not a number of PubMed")
        return self


class Sentences(Arguments):
    """Sentences with brackets such as [1], and the articles in the order of those numbers."""

    sentences: tuple[str, ...] = Field(
        min_length=1,
        max_length=MOST,
        description=(
            "Sentences that cite articles by their place: “Yoga lowered blood pressure [1].” One "
            f"without brackets cites all. At most {LONGEST_SENTENCE:,} characters each."
        ),
    )
    articles: tuple[Evidence, ...] = Field(min_length=1, max_length=MOST)

    @model_validator(mode="after")
    def _of_a_length(self) -> Self:
        if any(not one.strip() or len(one) > LONGEST_SENTENCE for one in self.sentences):
            raise ValueError(f"a sentence must have from 1 to {LONGEST_SENTENCE:,} characters")
        return self


class Passage(Result):
    """Where the evidence stands."""

    n: int
    field: str
    start: int = Field(description="Code points of the title or abstract.")
    end: int
    text: str


class Judged(Result):
    """A sentence with its verdict."""

    text: str
    cites: list[int]
    verdict: Verdict = Field(
        description="Only “supported” means that a check confirmed it; “not_verified” does not."
    )
    reason: str
    judges: list[str]
    passages: list[Passage]


class Verified(Result):
    """The sentences in their order."""

    sentences: list[Judged]


async def _verify(host: Host, given: Sentences, report: Report) -> Verified:
    articles = await _articles(host, given.articles)
    studies = [Study(n, article, None) for n, article in enumerate(articles, 1)]
    choice = default_judge(host.settings, None)
    learned = await asyncio.to_thread(learned_judge, host.settings, choice)
    if sum(len(one.title) + len(one.abstract) for one in articles) > MOST_TEXT:
        raise UsageError(f"articles: have more than {MOST_TEXT:,} characters together")
    judged = []
    try:
        async with asyncio.timeout(MOST_SECONDS):
            for one in given.sentences:  # each by itself, so that a call can be ended in between
                judged.append(await asyncio.to_thread(_by_rules, one, studies))
    except TimeoutError:
        raise UsageError(
            f"sentences: only {len(judged)} could be judged in {MOST_SECONDS:g} s; give fewer"
        ) from None
    judges = Judges(choice, None, None, learned)
    verdicts = await judges.verdicts("synthesis", judged, as_evidence(studies), "verify")
    return Verified(sentences=[_told(one, articles) for one in verdicts])


async def _articles(host: Host, given: tuple[Evidence, ...]) -> list[Article]:
    """The articles in their order. Raises UsageError where the source lacks one."""
    ids = [f"pmid:{read_pmid(one.pmid)}" if one.pmid else "" for one in given]
    wanted = [id for id in dict.fromkeys(ids) if id]
    known = {one.id: one for one in (await host.source.fetch(wanted)).articles} if wanted else {}
    articles = []
    for n, (id, one) in enumerate(zip(ids, given, strict=True), 1):
        if id and id not in known:
            raise UsageError(f"articles: {host.source.name} has no article {n} ({id})")
        sections = (Section(one.abstract),) if one.abstract else ()
        articles.append(known[id] if id else Article(f"row:{n}", one.title, sections=sections))
    return articles


def _by_rules(sentence: str, studies: list[Study]) -> Sentence:
    cited = [n for mark in citation_marks(sentence) for n in mark.numbers]
    return check_sentence(sentence, cited or [study.n for study in studies], as_evidence(studies))


def _told(sentence: Sentence, articles: list[Article]) -> Judged:
    return Judged(
        text=sentence.text,
        cites=list(sentence.cites),
        verdict=sentence.verdict,
        reason=sentence.reason,
        judges=list(sentence.judges),
        passages=[
            Passage(
                n=span.n,
                field=span.field,
                start=span.start,
                end=span.end,
                text=getattr(articles[span.n - 1], span.field)[span.start : span.end],
            )
            for span in sentence.spans
        ],
    )


TOOL = Tool(
    name="verify",
    title="Check sentences against the articles they cite",
    description=(
        "Judges sentences against the articles they cite, which are named by PMID or given as "
        "text: supported, partial, not_verified (no judge could confirm the wording), unsupported, "
        "contradicted, uncited. No language model is asked; free wording is usually not_verified."
    ),
    arguments=Sentences,
    result=Verified,
    call=_verify,
)
