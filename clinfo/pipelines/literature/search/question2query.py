"""From a question to queries in the source's language: one prompt, several seeds, each reply
cleaned.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from clinfo.llm.prompts import Prompt
from clinfo.pipelines.literature.declared import QUERY, Asked
from clinfo.pubmed.clean import Cleaned, clean, same
from clinfo.pubmed.keywords import keywords
from clinfo.records.articles import Query
from clinfo.runs.protocols import Ask, Message

CLEANERS: Mapping[str, Callable[[str], Cleaned]] = {"question2query": clean, "keywords": keywords}
"""The function that makes a reply a query, by the prompt that asked for it
(`ArticleSource.query_prompt`): each query language has its own.
"""

DIFFER = (
    "These queries are in use already:\n{used}\nWrite a different one: other words, or a wider or "
    "narrower scope."
)


async def write_query(
    question: str,
    index: int,
    seed: int,
    prompt: Prompt,
    ask: Ask,
    *,
    previous: Sequence[str] = (),
    repair: bool = True,
) -> Query:
    """Query ``index`` as the model writes it with ``seed``; with ``previous``, asked to differ from
    those.

    With ``repair`` false the reply is used as it is, apart from white space around it. Raises
    ModelError, BudgetReached.
    """
    messages = prompt.fill(question=question)
    call = f"question2query {index}"
    if previous:
        messages = (*messages, Message("user", DIFFER.replace("{used}", "\n".join(previous))))
        call += " again"
    variables = Asked(question=question, previous=tuple(previous))
    if prompt.name != QUERY.name:
        variables["form"] = prompt.name
    request = QUERY.request(messages, variables, seed=seed, attempt=1 if previous else 0)
    reply = await ask(call, request)
    if not repair:
        return Query(index, " ".join(reply.text.split()), seed)
    cleaned = CLEANERS.get(prompt.name, clean)(reply.text)
    return Query(index, cleaned.text, seed, cleaned.repairs)


def same_as_earlier(query: Query, earlier: Sequence[Query]) -> int | None:
    """Index of the first earlier query that is the same apart from case, spaces and quote style, or
    None.
    """
    return next((other.index for other in earlier if same(other.text, query.text)), None)
