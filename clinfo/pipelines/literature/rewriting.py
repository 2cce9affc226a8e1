"""One more writing of what the judge rejected: a sentence with its abstracts at hand, or a TL;DR
that does not answer the question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, ClassVar, Final

from pydantic import Field

from clinfo.llm.delimiting import fenced
from clinfo.llm.prompts import Prompt
from clinfo.pipelines.literature.stages import SYNTHESIS, TLDR, Distilled, Synthesised
from clinfo.records.articles import Sentence, Study
from clinfo.runs import replies
from clinfo.runs.protocols import Message, ModelRequest
from clinfo.text.citations import brackets, with_brackets


class Mended(replies.Reply):
    """One sentence written again."""

    form: ClassVar[str] = "mended"

    sentence: Annotated[str, Field(description="empty to leave it out")] = ""


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
    if sentence.part == "tldr":
        distilled = Distilled(question=question, synthesis=sentence.text, studies=tuple(studies))
        return TLDR.request(messages, distilled, reply=Mended)
    return SYNTHESIS.request(
        messages, Synthesised(question=question, studies=tuple(studies)), reply=Mended
    )


def _text(study: Study) -> str:
    return f"{study.article.title}\n{study.article.abstract}"


def read(reply: str, before: Sentence) -> str:
    """The sentence of a reply; "" where there is none."""
    said = replies.read(Mended, reply)
    return told(said.sentence, before) if said is not None else ""


def told(sentence: str, before: Sentence) -> str:
    """A sentence that takes the place of the one ``before``, with its citations where it names
    none; "" where it cannot be used.
    """
    text = " ".join(sentence.split())
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
