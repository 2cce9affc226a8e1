"""``verify``: sentences against the articles they cite, by the judges that check every answer, but
no language model.
"""

import asyncio
from collections.abc import Sequence
from typing import Self

from pydantic import Field, model_validator

from clinfo.claims import judging
from clinfo.claims.registry import learned_judge
from clinfo.errors import UsageError
from clinfo.mcp_server.host import Arguments, Checked, Host, Report, Result, typed
from clinfo.pipelines.literature.request import default_judge
from clinfo.records.articles import Article, Section, Sentence
from clinfo.text.identifiers import read_pmid

MOST = 20
"""Sentences, and articles, of a call."""
LONGEST_SENTENCE, LONGEST_ABSTRACT = 1_000, 10_000
MOST_TEXT = 60_000
"""Characters of all articles of a call together, some thirty abstracts."""
MOST_SECONDS = 30.0
"""Seconds of a call."""


class Evidence(Arguments):
    """An article: a PMID of the host's source, or its own text, which then counts."""

    n: int | None = Field(default=None, description="Its number; not given: its place.")
    pmid: str | None = Field(default=None, max_length=20, description="Its text is then fetched.")
    title: str = Field(default="", max_length=LONGEST_SENTENCE)
    abstract: str = Field(default="", max_length=LONGEST_ABSTRACT)

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if self.pmid is None and not (self.title or self.abstract):
            raise ValueError("give a pmid, or title and abstract")
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
        if {*_numbers(self)} != {*range(1, len(self.articles) + 1)}:
            raise ValueError("the articles must be numbered from 1, each by a number of its own")
        return self


def _numbers(given: Sentences) -> list[int]:
    """The number of each article."""
    return [place if one.n is None else one.n for place, one in enumerate(given.articles, 1)]


class Passage(Result):
    """The place of the evidence."""

    n: int
    field: str
    start: int = Field(description="Code points of the title or abstract.")
    end: int
    text: str


class Judged(Checked):
    """A sentence with its verdict, its judges and where the evidence stands."""

    judges: list[str]
    notes: list[str] = Field(
        description="Numbers and references that stand in no article cited for them; no verdict."
    )
    passages: list[Passage]


class Verified(Result):
    """The sentences in their order."""

    sentences: list[Judged]


async def _verify(host: Host, given: Sentences, report: Report) -> Verified:
    ordered = [given.articles[_numbers(given).index(n + 1)] for n in range(len(given.articles))]
    articles = await _articles(host, ordered)
    choice = default_judge(host.settings, None)
    learned = await asyncio.to_thread(learned_judge, host.settings, choice)
    if sum(len(one.title) + len(one.abstract) for one in articles) > MOST_TEXT:
        raise UsageError(f"articles: have more than {MOST_TEXT:,} characters together")
    asked, evidence = await asyncio.to_thread(judging.given, given.sentences, articles)
    judges = judging.Judges(choice, None, None, learned)
    try:
        async with asyncio.timeout(MOST_SECONDS):
            heard = await judges.verdicts(asked, evidence, "verify", apart=True)
    except TimeoutError:
        raise UsageError(
            f"sentences: they could not be judged in {MOST_SECONDS:g} s; give fewer"
        ) from None
    return Verified(sentences=[_told(one, articles) for one in heard.sentences])


async def _articles(host: Host, given: Sequence[Evidence]) -> list[Article]:
    """The articles in their order. Raises UsageError where the source lacks one."""
    ids = [
        f"pmid:{read_pmid(one.pmid)}" if one.pmid and not (one.title or one.abstract) else ""
        for one in given
    ]
    wanted = [id for id in dict.fromkeys(ids) if id]
    known = {one.id: one for one in (await host.source.fetch(wanted)).articles} if wanted else {}
    articles = []
    for n, (id, one) in enumerate(zip(ids, given, strict=True), 1):
        if id and id not in known:
            raise UsageError(f"articles: {host.source.name} has no article {n} ({id})")
        sections = (Section(one.abstract),) if one.abstract else ()
        articles.append(known[id] if id else Article(f"row:{n}", one.title, sections=sections))
    return articles


def _told(sentence: Sentence, articles: list[Article]) -> Judged:
    return Judged(
        text=sentence.text,
        cites=list(sentence.cites),
        verdict=sentence.verdict,
        reason=sentence.reason,
        judges=list(sentence.judges),
        notes=list(sentence.notes),
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


TOOL = typed(
    name="verify",
    title="Check sentences against the articles they cite",
    description=(
        "Judges sentences against the articles they cite, which are named by PMID or given as "
        "text. No language model is asked: where the host has an entailment model it judges "
        "(supported, partial, contradicted, not_verified); else a sentence is quoted, where it "
        "stands word for word in an article, not_verified or uncited."
    ),
    arguments=Sentences,
    result=Verified,
    call=_verify,
)
