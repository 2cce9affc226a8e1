"""The cited paragraph over all summaries, and the TL;DR distilled from it: what is asked of the
model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from clinfo.evidence.effect_words import effect_text
from clinfo.llm.delimiting import fenced
from clinfo.llm.prompts import Prompt
from clinfo.pipelines.literature.findings import Doubts
from clinfo.pipelines.literature.stages import SYNTHESIS, TLDR, Distilled, Synthesised
from clinfo.records.articles import Study, Summary
from clinfo.runs.protocols import MAX_OUTPUT_TOKENS, ModelRequest

UNJUDGED = "nobody could judge whether it bears on the question; do not lead with it"


def synthesis_request(question: str, studies: Sequence[Study], prompt: Prompt) -> ModelRequest:
    """Return what the model is asked for the synthesis of these studies."""
    text = "\n\n".join(study_text(study) for study in studies)
    variables = Synthesised(question=question, studies=tuple(studies))
    return SYNTHESIS.request(prompt.fill(question=question, studies=text), variables)


def doubts_request(question: str, studies: Sequence[Study], prompt: Prompt) -> ModelRequest:
    """Return what the model is asked for the reasons to doubt these studies: their rows of the
    evidence table.
    """
    text = "\n".join(map(_row, studies))
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


def study_text(study: Study) -> str:
    """One study as the model reads it: its number, then in a fence what it is and its reading."""
    article, read = study.article, study.summary
    lines = [" ".join(article.title.split()) + (f" ({article.year})" if article.year else "")]
    if read is None:
        return _numbered(study, [*lines, f"Abstract: {article.abstract}"])
    told = [*study.notices, *((UNJUDGED,) if study.unread else ())]
    facts = (
        ("Design", _design(read)),
        ("Result", _result(read)),
        ("Finding", read.finding),
        ("Quoted", " … ".join(read.quotes)),
        ("Follow-up", read.follow_up),
        ("Limits", read.bias),
        ("To be told of it", ", ".join(told)),
    )
    return _numbered(study, lines + [f"{name}: {value}" for name, value in facts if value])


def _row(study: Study) -> str:
    """One study as a row of the evidence table."""
    read = study.summary or Summary("")
    year = str(study.article.year or "year not stated")
    effect = effect_text(read.effect) if read.effect else None
    cells = (
        *(year, _design(read), _result(read), effect, read.follow_up),
        *(f"limits: {read.bias}" if read.bias else None, *study.notices),
    )
    return _numbered(study, ["; ".join(filter(None, cells))])


def _design(read: Summary) -> str:
    people = read.sample_size if read.sample_size is not None else read.analysed
    size = f"{people:,} people" if people is not None else None
    return ", ".join(filter(None, (read.design, size, read.population)))


def _result(read: Summary) -> str:
    """The result, against what, and on which outcome."""
    if not read.result:
        return ""
    against = f" against {read.comparator}" if read.comparator else ""
    given = f" with {read.intervention}" if read.intervention else ""
    return f"{read.result}{given}{against}{f' ({read.outcome})' if read.outcome else ''}"


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
