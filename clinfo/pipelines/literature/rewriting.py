"""One more writing of what the judge rejected: a sentence with its abstracts at hand, or a TL;DR
that does not answer the question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from clinfo.llm.delimiting import fenced
from clinfo.llm.prompts import Prompt
from clinfo.llm.schemas import TEXT, closed
from clinfo.pipelines.literature.declared import SYNTHESIS, TLDR, Distilled, Synthesised
from clinfo.records.articles import Sentence, Study
from clinfo.runs.protocols import Message, ModelRequest
from clinfo.text.citations import brackets, with_brackets
from clinfo.text.structured import json_object

SCHEMA: Final = closed(sentence=TEXT)
FORMAT: Final = (
    'Reply with one JSON object and nothing else: {"sentence": "…"}, or "" to leave it out'
)
LONGEST: Final = 1_500
"""Characters of a sentence; a longer reply is none."""
NOT_ANSWERED: Final = (
    "This does not answer the question: {reason}. Write the TL;DR again so that it says, with the "
    "numbers of its studies, what these studies answer to the question, or that they do not."
)


def request(
    question: str, sentence: Sentence, studies: Sequence[Study], prompt: Prompt
) -> ModelRequest:
    """Return what the writer of a sentence is asked once its judge rejected it."""
    articles = "\n\n".join(f"[{one.n}] {fenced(_text(one), 'article')}" for one in studies)
    messages = prompt.fill(
        question=question, sentence=sentence.text, reason=sentence.reason, articles=articles
    )
    messages = (*messages[:-1], Message("user", f"{messages[-1].content}\n\n{FORMAT}"))
    if sentence.part == "tldr":
        distilled = Distilled(question=question, synthesis=sentence.text, studies=tuple(studies))
        return TLDR.request(messages, distilled, schema=SCHEMA)
    return SYNTHESIS.request(
        messages, Synthesised(question=question, studies=tuple(studies)), schema=SCHEMA
    )


def _text(study: Study) -> str:
    return f"{study.article.title}\n{study.article.abstract}"


def read(reply: str, before: Sentence) -> str:
    """The sentence of a reply, with the citations of the one ``before`` where it names none; ""
    where there is none.
    """
    form = json_object(reply)
    said = form.get("sentence") if form is not None else None
    text = " ".join(said.split()) if isinstance(said, str) else ""
    if not text or len(text) > LONGEST:
        return ""
    marked = with_brackets(text, before.cites)
    if "[" in marked or not before.cites:
        return marked
    body = marked.rstrip(".")
    return f"{body} {brackets(before.cites)}{marked[len(body) :] or '.'}"


def anew(asked: ModelRequest, tldr: str, reason: str) -> ModelRequest:
    """The request for a TL;DR that takes the place of one that does not answer."""
    told = NOT_ANSWERED.format(reason=reason.strip().rstrip(".") or "it leaves it open")
    messages = (*asked.messages, Message("assistant", tldr), Message("user", told))
    return replace(asked, messages=messages, attempt=1)
