"""One call an article that judges it and, if it is relevant, summarises it: when that is done, and
what is asked for.

The call is a judgement (`clinfo.pipelines.literature.relevance`) whose reply brings the summary
along. Where it brings none, the summary is a call of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from clinfo.llm.delimiting import fenced
from clinfo.llm.prompts import Prompt
from clinfo.records.articles import Article, RunRequest
from clinfo.records.request import EXTRACTIVE
from clinfo.runs.protocols import Message

READING = "reading"
"""The prompt of the call that does both."""
REPLACED = ("relevance", "summary")
"""The stages, and the prompts, in whose place it stands."""


def in_one_call(request: RunRequest) -> bool:
    """Return whether a run judges and summarises in one call: one model does both, it is no rule,
    neither prompt was edited, and nothing is reranked in between.
    """
    judge, writer = (request.models.get(stage) for stage in REPLACED)
    alike = judge == writer != EXTRACTIVE and not edited(request.prompts, REPLACED)
    return alike and not request.rerank


def edited(prompts: Mapping[str, str], names: Sequence[str]) -> bool:
    """Return whether a text for one of the prompts of these names differs from the default one."""
    from clinfo.pipelines.literature.declared import PROMPTS

    given = [name for name in names if name in prompts]
    defaults = PROMPTS.defaults() if given else {}
    return any(prompts[name].strip() != defaults[name].strip() for name in given)


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
