"""The cited paragraph over all summaries, and the TL;DR distilled from it: what is asked of the
model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from clinfo.llm.delimiting import fenced
from clinfo.llm.prompts import Prompt
from clinfo.pipelines.literature.declared import SYNTHESIS, TLDR, Distilled, Synthesised
from clinfo.pipelines.literature.findings import Doubts
from clinfo.records.articles import Sentence, Study
from clinfo.runs.protocols import MAX_OUTPUT_TOKENS, Message, ModelRequest

UNPROVED = "These sentences of your text could not be proved from the articles they cite:\n"
UNSAID = (
    "Your text does not say that the strongest studies disagree. This must be said, in your "
    "words:\n"
)
UNJUDGED = "nobody could judge whether it bears on the question; do not lead with it"
AGAIN = (
    "Write the whole text again. Mend or leave out what is named above, keep the rest as it is, "
    "and add nothing else."
)


def synthesis_request(question: str, studies: Sequence[Study], prompt: Prompt) -> ModelRequest:
    """Return what the model is asked for the synthesis of these studies."""
    text = "\n\n".join(study_text(study) for study in studies)
    variables = Synthesised(question=question, studies=tuple(studies))
    return SYNTHESIS.request(prompt.fill(question=question, studies=text), variables)


def doubts_request(question: str, studies: Sequence[Study], prompt: Prompt) -> ModelRequest:
    """Return what the model is asked for the reasons to doubt these studies."""
    text = "\n\n".join(study_text(study) for study in studies)
    variables = Synthesised(question=question, studies=tuple(studies))
    return SYNTHESIS.request(prompt.fill(question=question, studies=text), variables, reply=Doubts)


def tldr_request(
    question: str, synthesis: str, studies: Sequence[Study], prompt: Prompt
) -> ModelRequest:
    """Return what the model is asked for the TL;DR of a synthesis."""
    variables = Distilled(question=question, synthesis=synthesis, studies=tuple(studies))
    return TLDR.request(
        prompt.fill(question=question, synthesis=fenced(synthesis, "synthesis")), variables
    )


def repair_request(
    request: ModelRequest, text: str, problems: Sequence[Sentence], missing: str = ""
) -> ModelRequest:
    """The same request again, with the text it led to and what is wrong with it.

    ``problems`` are sentences that could not be proved, ``missing`` is a conflict of the studies
    that the text does not tell.
    """
    listed = (
        UNPROVED + "\n".join(f"- {sentence.text} ({sentence.reason})" for sentence in problems)
        if problems
        else ""
    )
    unsaid = f"{UNSAID}- {missing}" if missing else ""
    wrong = "\n".join(part for part in (listed, unsaid, AGAIN) if part)
    messages = (*request.messages, Message("assistant", text), Message("user", wrong))
    return replace(request, messages=messages, attempt=1)


def study_text(study: Study) -> str:
    """One study as the model reads it: its number, then in a fence what it is and its reading."""
    article, read = study.article, study.summary
    lines = [" ".join(article.title.split()) + (f" ({article.year})" if article.year else "")]
    if read is None:
        return _numbered(study, [*lines, f"Abstract: {article.abstract}"])
    people = read.sample_size if read.sample_size is not None else read.analysed
    size = f"{people:,} people" if people is not None else None
    outcome = f" ({read.outcome})" if read.outcome else ""
    facts = (
        ("Design", ", ".join(filter(None, (read.design, size, read.population)))),
        ("Result", f"{read.result}{outcome}" if read.result else None),
        ("Finding", read.finding),
        ("Quoted", " … ".join(read.quotes)),
        ("Follow-up", read.follow_up),
        ("Limits", read.bias),
        ("To be told of it", ", ".join((*study.notices, *((UNJUDGED,) if study.unread else ())))),
    )
    return _numbered(study, lines + [f"{name}: {value}" for name, value in facts if value])


def _numbered(study: Study, lines: Sequence[str]) -> str:
    """The number stands outside the fence: a number that an article puts at the head of a line is
    no study's.
    """
    return f"[{study.n}] {fenced(chr(10).join(lines), 'study')}"


def fitting(
    question: str,
    studies: Sequence[Study],
    prompt: Prompt,
    context_tokens: int | None,
    count_tokens: Callable[[str], int],
) -> tuple[list[Study], list[Study]]:
    """(studies that fit into the model's context together with prompt and reply, the rest), cut by
    rank from the end.
    """
    if context_tokens is None:
        return list(studies), []
    empty = synthesis_request(question, (), prompt)
    room = (
        context_tokens
        - MAX_OUTPUT_TOKENS
        - sum(count_tokens(message.content) + 8 for message in empty.messages)
    )
    for place, study in enumerate(studies):
        room -= count_tokens(study_text(study)) + 2
        if room < 0:
            return list(studies[:place]), list(studies[place:])
    return list(studies), []
