"""The writing: what a model is asked for the synthesis over all summaries, the TL;DR, the doubts
and a sentence that its judge rejected, and the parts of its replies.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Annotated, ClassVar, Final

from pydantic import Field

from clinfo.evidence.effect_words import effect_text
from clinfo.llm.delimiting import fenced
from clinfo.llm.prompts import Prompt
from clinfo.pipelines.literature.replies import Doubts
from clinfo.pipelines.literature.stages import RESOLVE, SYNTHESIS, TLDR
from clinfo.records.articles import Sentence, Study, Summary
from clinfo.runs.protocols import MAX_OUTPUT_TOKENS, Message, ModelRequest
from clinfo.runs.replies import Reply, read
from clinfo.text.citations import brackets, with_brackets

MOST_NEXT: Final = 3
LONGEST_NEXT: Final = 80
"""Characters of a question that is offered to be asked next; "Against sumatriptan?" has 20."""
UNJUDGED = "nobody could judge whether it bears on the question; do not lead with it"


def resolve_request(earlier: str, words: str, prompt: Prompt) -> ModelRequest:
    """Return what the model is asked for the question of a follow-up."""
    variables = {"earlier": earlier, "words": words}
    texts = {name: fenced(text, name) for name, text in variables.items()}
    return RESOLVE.request(prompt.fill(**texts), variables)


def questions_in(texts: Sequence[str]) -> tuple[str, ...]:
    """Questions to be asked next, each in a line, without those too long to be offered."""
    lines = dict.fromkeys(" ".join(text.split()) for text in texts)
    return tuple(line for line in lines if 0 < len(line) <= LONGEST_NEXT)[:MOST_NEXT]


def synthesis_request(
    question: str, studies: Sequence[Study], prompt: Prompt, extent: str = ""
) -> ModelRequest:
    """Return what the model is asked for the synthesis of these studies; ``extent`` says how much
    they are of what was found.
    """
    text = "\n\n".join(filter(None, (extent, *map(study_text, studies))))
    variables = {"question": question, "studies": tuple(studies)}
    return SYNTHESIS.request(prompt.fill(question=question, studies=text), variables)


def doubts_request(question: str, studies: Sequence[Study], prompt: Prompt) -> ModelRequest:
    """Return what the model is asked for the reasons to doubt these studies: their rows of the
    evidence table.
    """
    text = "\n".join(map(_row, studies))
    variables = {"question": question, "studies": tuple(studies)}
    return SYNTHESIS.request(prompt.fill(question=question, studies=text), variables, reply=Doubts)


def tldr_request(
    question: str, synthesis: str, studies: Sequence[Study], prompt: Prompt, extent: str = ""
) -> ModelRequest:
    """Return what the model is asked for the TL;DR of a synthesis; ``extent`` as there."""
    variables = {"question": question, "synthesis": synthesis, "studies": tuple(studies)}
    return TLDR.request(
        prompt.fill(question=question, synthesis=f"{extent}\n{fenced(synthesis, 'synthesis')}"),
        variables,
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
    if people != read.analysed and read.analysed is not None:
        size = f"{size} ({read.analysed:,} analysed)"
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


FORM = (
    'Before the paragraph, write "TL;DR:" and, on the same line, the direct answer in at most 30 '
    "words, one sentence or two: first the size of the effect on what is asked, as the value of "
    "each group where stated, then how certain it is (design, people, agreement); at most two "
    "numbers of studies in brackets before each full stop; no more certain than the studies: copy "
    "figures exactly, say if they disagree or do not answer it, give no advice, call no study the "
    "only, first or largest; then an empty line, then the paragraph without a label."
)
MOST = 500
"""Characters within which an empty line ends the TL;DR; after as many a line does. One of 50 words
has some 350.
"""
HELD = 24
"""Characters of a synthesis that are waited for before they are shown: a label may begin it."""
_LABEL = re.compile(r"[\s*_#>]*TL\W{0,2}DR\b[\s*_#>:–—-]*", re.IGNORECASE)
_AT_HEAD = re.compile(rf"^{_LABEL.pattern}", re.IGNORECASE | re.MULTILINE)
_SECOND = re.compile(
    r"[\s>]*(?:[\s*_#>]*Synthesis[*_ \t]*(?::[*_]{0,2}\s*|\s*\n\s*))?", re.IGNORECASE
)
_EMPTY_LINE = re.compile(r"\n[ \t\r>]*\n")
_BREAK = re.compile(rf"(?<=[.!?\]])[*_\"”) \t\r]*\n|{_EMPTY_LINE.pattern}")


def both(synthesis: ModelRequest) -> ModelRequest:
    """The request for a synthesis, asked to begin with the TL;DR."""
    first, *rest = synthesis.messages
    messages = (Message(first.role, f"{first.content}\n\n{FORM}"), *rest)
    return replace(synthesis, messages=messages)


def unlabelled(tldr: str) -> str:
    """A TL;DR without its label and what greets before it; a citation is of the answer."""
    before, *after = _AT_HEAD.split(tldr, maxsplit=1)
    return after[0].strip() if after and "[" not in before else tldr.strip()


def parted(text: str, whole: bool = False) -> tuple[str, str]:
    """(TL;DR, synthesis) of a reply, which is ``whole`` or as far as it has come; both empty until
    the TL;DR is whole, the first empty where there is none.
    """
    label = _LABEL.match(text)
    if label is None:
        letters = re.sub(r"[\W_]", "", text[:HELD]).lower()[:4]
        return "", text if whole or not "tldr".startswith(letters) else ""
    body = text[label.end() :]
    end = _EMPTY_LINE.search(body[:MOST])
    if end is None and (whole or len(body) >= MOST):
        end = _BREAK.search(body)
    if end is None:
        return "", body if whole else ""
    tldr, rest = body[: end.start()].replace("**", "").strip(" \t\r\n*_"), body[end.end() :]
    if not whole and len(rest) < HELD:
        return tldr, ""
    rest = _SECOND.sub("", rest, count=1)
    return (tldr, rest) if rest.strip() or not whole else ("", tldr)


class Mended(Reply):
    """One sentence written again."""

    form: ClassVar[str] = "mended"

    sentence: Annotated[str, Field(description="empty to leave it out")] = ""


LONGEST: Final = 1_500
"""Characters of a sentence; a longer reply is none."""
NOT_ANSWERED: Final = (
    "This does not answer the question: {reason}. Write the TL;DR again so that it says, with the "
    "numbers of its studies, what these studies answer to the question, or that they do not."
)


def rewrite_request(
    question: str, sentence: Sentence, studies: Sequence[Study], prompt: Prompt
) -> ModelRequest:
    """Return what the writer of a sentence is asked once its judge rejected it."""
    articles = "\n\n".join(f"[{one.n}] {fenced(_source_text(one), 'article')}" for one in studies)
    messages = prompt.fill(
        question=question, sentence=sentence.text, reason=sentence.reason, articles=articles
    )
    stage = TLDR if sentence.part == "tldr" else SYNTHESIS
    return stage.request(messages, {"question": question}, reply=Mended)


def _source_text(study: Study) -> str:
    return f"{study.article.title}\n{study.article.abstract}"


def rewritten(reply: str, before: Sentence) -> str:
    """The sentence of a reply; "" where there is none."""
    said = read(Mended, reply)
    return in_its_place(said.sentence, before) if said is not None else ""


def in_its_place(sentence: str, before: Sentence) -> str:
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


def tldr_anew(asked: ModelRequest, tldr: str, reason: str) -> ModelRequest:
    """The request for a TL;DR that takes the place of one that does not answer."""
    told = NOT_ANSWERED.format(reason=reason.strip().rstrip(".") or "it leaves it open")
    messages = (*asked.messages, Message("assistant", tldr), Message("user", told))
    return replace(asked, messages=messages, attempt=1)
