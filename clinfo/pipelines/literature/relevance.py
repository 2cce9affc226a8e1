"""One yes or no for each article: does it bear on the question?"""

from __future__ import annotations

from clinfo.errors import ModelError
from clinfo.lazy_dataclass import replace
from clinfo.llm.prompts import Prompt
from clinfo.pipelines.literature import reading, summarize
from clinfo.pipelines.literature.declared import RELEVANCE, Read
from clinfo.pipelines.literature.replies import Reading, Relevance
from clinfo.records.articles import Article, Judgement, Summary
from clinfo.runs.protocols import Ask
from clinfo.runs.replies import typed
from clinfo.runs.run_log import RunLog

TOKENS_WITH_SUMMARY = 800
"""Most tokens of a judgement with a summary: both take some 250."""
NO_ABSTRACT = "no abstract: judged on its title"
NOT_READ = "the model's reply could not be read"
UNREADABLE = "the judgement could not be read: kept"


async def judge(question: str, article: Article, prompt: Prompt, ask: Ask) -> Judgement:
    """The judgement of one article. An unreadable reply is asked again once, then the article is
    kept and flagged.

    With the prompt `reading.READING` the reply brings a summary along (`summary_along`). Raises
    ModelError, BudgetReached.
    """
    both = prompt.name == reading.READING
    kind: type[Relevance] = Reading if both else Relevance
    variables = Read(question=question, article=article)
    request = RELEVANCE.request(reading.messages(question, article, prompt), variables, reply=kind)
    if both:
        request = replace(request, max_tokens=TOKENS_WITH_SUMMARY)
    said = await typed(ask, _call(article.id), request, kind)
    flags = () if article.abstract else (NO_ABSTRACT,)
    if said.value is None:
        return Judgement(article.id, None, NOT_READ, said.model, (*flags, UNREADABLE))
    relevant = said.value.relevant == "yes"
    return Judgement(article.id, relevant, said.value.reason, said.model, flags)


def summary_along(id: str, replies: RunLog) -> Summary | None:
    """The summary that came with the judgement of the article, None where none did."""
    reply = replies.reply(f"{_call(id)} again") or replies.reply(_call(id))
    return summarize.parse_along(reply.reply) if reply else None


def _call(id: str) -> str:
    return f"relevance {id}"


def failed(article: Article, judge: str, problem: ModelError) -> Judgement:
    """Return what stands for the judgement of an article whose judge failed: kept, flagged, with
    the reason.
    """
    flags = () if article.abstract else (NO_ABSTRACT,)
    return Judgement(
        article.id, None, f"not judged, the model failed: {problem}", judge, (*flags, UNREADABLE)
    )
