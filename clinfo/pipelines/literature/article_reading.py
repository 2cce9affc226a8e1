"""Reads articles with a model: do they bear on the question, and what does each say?

One call does both where one model judges and summarises, of one article or of several; else each is
a call of its own. A reply that cannot be read is asked for again once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from clinfo.errors import ModelError
from clinfo.llm.delimiting import fenced
from clinfo.llm.prompts import Prompt
from clinfo.pipelines.literature.findings import (
    Finding,
    Reading,
    Readings,
    Relevance,
    summary_of,
)
from clinfo.pipelines.literature.stages import RELEVANCE, SUMMARY, Read
from clinfo.records.articles import Article, Judgement, Summary
from clinfo.runs.protocols import MAX_OUTPUT_TOKENS, Ask, Message
from clinfo.runs.replies import typed

TOKENS_OF_READING: Final = 800
"""Most tokens of a judgement with all fields: some 350 are usual."""
NOT_READ: Final = "the model's reply could not be read"
UNREADABLE: Final = "the judgement could not be read: kept"
NOTHING_WRITTEN: Final = "The model returned no summary of this article."

ReadArticles = Mapping[str, tuple[Judgement, Summary | None]]
"""What was read of articles, by id: the judgement, and the summary that came along."""


def messages(question: str, article: Article, prompt: Prompt) -> tuple[Message, ...]:
    """Return what a model reads of one article: the prompt filled."""
    abstract = article.abstract or "(no abstract)"
    values = {
        "question": lambda: question,
        "article": lambda: _whole(article),
        "title": lambda: fenced(article.title, "title"),
        "abstract": lambda: fenced(abstract, "abstract") if article.abstract else abstract,
    }
    return prompt.fill(**{name: values[name]() for name in prompt.variables})


def _whole(article: Article) -> str:
    abstract = article.abstract or "(no abstract)"
    return fenced(f"Title: {article.title}\nAbstract: {abstract}", "article")


async def read(
    question: str, articles: Sequence[Article], prompt: Prompt, ask: Ask
) -> ReadArticles:
    """Judgement and summary of each article, all in one call; one that the reply to several leaves
    out is read by itself. Raises ModelError, BudgetReached.
    """
    if len(articles) == 1:
        (article,) = articles
        return {article.id: await _read_one(question, article, prompt, ask)}
    listed = "\n\n".join(f"[{n}] {_whole(one)}" for n, one in enumerate(articles, 1))
    request = RELEVANCE.request(
        prompt.fill(question=question, article=listed),
        Read(question=question, article=articles[0]),
        reply=Readings,
    )
    request = replace(request, max_tokens=MAX_OUTPUT_TOKENS)
    call = f"relevance {' '.join(one.id for one in articles)}"
    told = await typed(ask, call, request, Readings, again=False)
    said = told.value or Readings(readings=())
    known: dict[int, Relevance] = {
        one.n: Relevance(relevant="no", reason=one.reason) for one in said.not_relevant
    }
    known |= {one.n: one for one in said.readings}
    found: dict[str, tuple[Judgement, Summary | None]] = {}
    for n, article in enumerate(articles, 1):
        one = known.get(n)
        if one is None:
            found[article.id] = await _read_one(question, article, prompt, ask)
        else:
            along = summary_of(one, article) if isinstance(one, Finding) else None
            found[article.id] = _judgement(article, one, told.model), along
    return found


async def _read_one(
    question: str, article: Article, prompt: Prompt, ask: Ask
) -> tuple[Judgement, Summary | None]:
    variables = Read(question=question, article=article)
    request = RELEVANCE.request(messages(question, article, prompt), variables, reply=Reading)
    request = replace(request, max_tokens=TOKENS_OF_READING)
    told = await typed(ask, f"relevance {article.id}", request, Reading)
    along = summary_of(told.value, article) if told.value is not None else None
    return _judgement(article, told.value, told.model), along


async def judge(question: str, article: Article, prompt: Prompt, ask: Ask) -> Judgement:
    """The judgement of one article; one that cannot be read keeps the article and says so. Raises
    ModelError, BudgetReached.
    """
    variables = Read(question=question, article=article)
    request = RELEVANCE.request(messages(question, article, prompt), variables)
    told = await typed(ask, f"relevance {article.id}", request, Relevance)
    return _judgement(article, told.value, told.model)


def _judgement(article: Article, said: Relevance | None, model: str) -> Judgement:
    if said is None:
        return Judgement(article.id, None, NOT_READ, model, (UNREADABLE,))
    outcome = said.outcome if isinstance(said, Finding) else ""
    reason = said.reason or (f"reports {outcome}" if outcome else "no reason given")
    return Judgement(article.id, said.relevant == "yes", reason, model)


async def summarise(question: str, article: Article, prompt: Prompt, ask: Ask) -> Summary:
    """The summary of one article; prose in the place of fields is kept as the finding. Raises
    ModelError, BudgetReached.
    """
    variables = Read(question=question, article=article)
    request = SUMMARY.request(messages(question, article, prompt), variables)
    told = await typed(ask, f"summary {article.id}", request, Finding)
    found = summary_of(told.value, article) if told.value is not None else None
    return found or Summary(finding=NOTHING_WRITTEN)


def failed(article: Article, judge: str, problem: ModelError) -> Judgement:
    """Return what stands for the judgement of an article whose judge failed: kept, flagged, with
    the reason.
    """
    reason = f"not judged, the model failed: {problem}"
    return Judgement(article.id, None, reason, judge, (UNREADABLE,))
