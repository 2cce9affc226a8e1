"""From a question to queries in the source's language: one prompt, several seeds, each reply
cleaned.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from clinfo.errors import UsageError
from clinfo.llm.prompts import Prompt
from clinfo.pipelines.literature.replies import KindsOfQuery
from clinfo.pipelines.literature.stages import QUERY, Asked
from clinfo.pubmed.clean import Cleaned, clean, same
from clinfo.pubmed.keywords import keywords
from clinfo.records.articles import Query
from clinfo.runs.protocols import MAX_OUTPUT_TOKENS, Ask, Message
from clinfo.runs.replies import typed

CLEANERS: Mapping[str, Callable[[str], Cleaned]] = {"question2query": clean, "keywords": keywords}
"""The function that makes a reply a query, by the prompt that asked for it
(`ArticleSource.query_prompt`): each query language has its own.
"""

DIFFER = (
    "These queries are in use already:\n{used}\nWrite a different one: other words, or a wider or "
    "narrower scope."
)


ASK_BACK = re.compile(r"\W*ASK(?:[ _]BACK)?\W*:\W*(?=\w)", re.IGNORECASE)
KINDS = ("narrow", "broad", "studies")


class AskedBack(UsageError):
    """A question that cannot be searched: what the model asks in return."""

    def __init__(self, text: str) -> None:
        self.text = " ".join(text.split())
        super().__init__(f"the question cannot be searched as it is: {self.text}")


async def write_kinds(question: str, seed: int, prompt: Prompt, ask: Ask) -> tuple[Query, ...]:
    """A query of each of the `KINDS`, in one call, each text once; none where the reply could not
    be read. Raises AskedBack, ModelError, BudgetReached.
    """
    variables = Asked(question=question, form=prompt.name)
    request = QUERY.request(
        prompt.fill(question=question), variables, reply=KindsOfQuery, seed=seed
    )
    request = replace(request, max_tokens=MAX_OUTPUT_TOKENS)
    said = (await typed(ask, "question2query kinds", request, KindsOfQuery)).value
    found: list[Query] = []
    for kind in KINDS if said is not None else ():
        cleaned = clean(getattr(said, kind))
        if cleaned.text and all(not same(cleaned.text, one.text) for one in found):
            found.append(Query(len(found), cleaned.text, repairs=cleaned.repairs, breadth=kind))
    if said is not None and said.ask_back and not found:
        raise AskedBack(said.ask_back)
    return tuple(found)


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
    AskedBack, ModelError, BudgetReached.
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
    if back := ASK_BACK.match(reply.text):
        raise AskedBack(reply.text[back.end() :])
    if not repair:
        return Query(index, " ".join(reply.text.split()), seed)
    cleaned = CLEANERS.get(prompt.name, clean)(reply.text)
    return Query(index, cleaned.text, seed, cleaned.repairs)


def same_as_earlier(query: Query, earlier: Sequence[Query]) -> int | None:
    """Index of the first earlier query that is the same apart from case, spaces and quote style, or
    None.
    """
    return next((other.index for other in earlier if same(other.text, query.text)), None)
