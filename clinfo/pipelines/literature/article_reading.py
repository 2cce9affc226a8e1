"""Reads one article with a model: does it bear on the question, and what does it say?

One call does both where one model judges and summarises; else each is a call of its own. A reply
that cannot be read is asked for again once.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from clinfo.errors import ModelError
from clinfo.llm.delimiting import fenced
from clinfo.llm.prompts import Prompt
from clinfo.pipelines.literature.declared import RELEVANCE, SUMMARY, Read
from clinfo.pipelines.literature.findings import Finding, Reading, Relevance, summary_of
from clinfo.pipelines.literature.one_call import READING
from clinfo.records.articles import Article, Judgement, Summary
from clinfo.runs.protocols import Ask, Message
from clinfo.runs.replies import read, typed
from clinfo.runs.run_log import RunLog

TOKENS_OF_READING: Final = 800
"""Most tokens of a judgement with all fields: some 350 are usual."""
NOT_READ: Final = "the model's reply could not be read"
UNREADABLE: Final = "the judgement could not be read: kept"
NOTHING_WRITTEN: Final = "The model returned no summary of this article."


def messages(question: str, article: Article, prompt: Prompt) -> tuple[Message, ...]:
    """Return what a model reads of one article: the prompt filled."""
    abstract = article.abstract or "(no abstract)"
    values = {
        "question": lambda: question,
        "article": lambda: fenced(f"Title: {article.title}\nAbstract: {abstract}", "article"),
        "title": lambda: fenced(article.title, "title"),
        "abstract": lambda: fenced(abstract, "abstract") if article.abstract else abstract,
    }
    return prompt.fill(**{name: values[name]() for name in prompt.variables})


async def judge(question: str, article: Article, prompt: Prompt, ask: Ask) -> Judgement:
    """The judgement of one article; one that cannot be read keeps the article and says so.

    With the prompt `READING` the reply brings a summary along (`summary_along`). Raises ModelError,
    BudgetReached.
    """
    variables = Read(question=question, article=article)
    asked = messages(question, article, prompt)
    kind: type[Relevance] = Reading if prompt.name == READING else Relevance
    request = RELEVANCE.request(asked, variables, reply=kind)
    if kind is Reading:
        request = replace(request, max_tokens=TOKENS_OF_READING)
    told = await typed(ask, _call(article.id), request, kind)
    if told.value is None:
        return Judgement(article.id, None, NOT_READ, told.model, (UNREADABLE,))
    reason = told.value.reason or _reason(told.value)
    return Judgement(article.id, told.value.relevant == "yes", reason, told.model)


def summary_along(article: Article, replies: RunLog) -> Summary | None:
    """The summary that came with the readable judgement of the article, None where none did."""
    call = _call(article.id)
    reply = replies.reply(f"{call} again") or replies.reply(call)
    along = read(Reading, reply.reply) if reply else None
    return summary_of(along, article) if along is not None else None


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


def _reason(said: Relevance) -> str:
    """The reason of a reading that gives none: what it measured."""
    outcome = said.outcome if isinstance(said, Reading) else None
    return f"reports {outcome}" if outcome else "no reason given"


def _call(id: str) -> str:
    return f"relevance {id}"
