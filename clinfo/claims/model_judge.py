"""The model judge: a language model's verdict on sentences against the articles they cite.

One call for each group of sentences that share articles, no second asking. A verdict counts with
what it quotes: words that do not stand in the article prove nothing, nor do words that stand in any
article, so "supported" or "partial" on such a quotation is not a verdict; and "supported" where one
of the articles cited is not quoted is at most "partial".
"""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Final, Literal, NamedTuple

from pydantic import Field

from clinfo.claims.cited import placed
from clinfo.claims.joining import CARRIED, Opinion
from clinfo.errors import ModelError
from clinfo.llm.delimiting import fenced
from clinfo.llm.prompts import Prompt
from clinfo.records.articles import Sentence, Span, Study, text_of
from clinfo.runs.pipeline import Stage
from clinfo.runs.protocols import Ask, Message
from clinfo.runs.replies import AlsoCalled, AlsoSaid, Quotation, Reply, typed
from clinfo.text.citations import brackets, citation_marks
from clinfo.text.terms import is_content, words

_VERDICTS: Final = (
    ("support", "supported"), ("supports", "supported"), ("fully supported", "supported"),
    ("entailed", "supported"), ("entailment", "supported"), ("partially supported", "partial"),
    ("partly supported", "partial"), ("partially", "partial"), ("not supported", "unsupported"),
    ("neutral", "unsupported"), ("contradict", "contradicted"), ("contradicts", "contradicted"),
    ("contradiction", "contradicted"), ("refuted", "contradicted"),
)  # fmt: skip


class QuotedWords(Reply):
    """Words of an article, by its number."""

    prose = "words"
    article: int = 0
    words: Annotated[
        str,
        Quotation(),
        Field(description="exact words"),
        AlsoCalled(("quote", "quotation", "text")),
    ]


class JudgedSentence(Reply):
    """The verdict on the sentence of a label."""

    label: Annotated[str, Field(description="S1"), AlsoCalled(("id", "sentence"))]
    quotes: Annotated[tuple[QuotedWords, ...], AlsoCalled(("quote", "quotations"))] = ()
    reason: Annotated[str, Field(description="empty if supported, else one short sentence")] = ""
    verdict: Annotated[
        Literal["supported", "partial", "unsupported", "contradicted"], AlsoSaid(_VERDICTS)
    ]


class Verdicts(Reply):
    """One verdict for each label."""

    verdicts: tuple[JudgedSentence, ...]


class MendedSentence(JudgedSentence):
    """The verdict on a sentence, and the sentence as it should be."""

    instead: Annotated[
        str,
        Field(
            description=(
                "unless supported: the sentence as the articles carry it, with its numbers in "
                "brackets; empty if nothing of it can be kept"
            )
        ),
    ] = ""


class Mending(Verdicts):
    """One verdict for each label, of a text that is mended."""

    verdicts: tuple[MendedSentence, ...]


class AnswersToo(Mending):
    """The verdicts, and whether the TL;DR among the sentences answers the question."""

    answers_reason: Annotated[str, Field(description="empty if yes, else one short sentence")] = ""
    answers: Literal["yes", "in part", "no"] | None = None


GROUP_SENTENCES = 6
"""Most sentences in a group: their verdicts fit into the output tokens of one reply. A careful
reader wrote up to 560 characters a sentence where several were partial.
"""
GROUP_CHARACTERS = 30_000
"""Most characters of articles in a group, some fifteen abstracts; a single sentence may need
more.
"""
TELLING_WORDS = 2
"""Content words that a quotation needs to prove anything, unless it holds a figure."""
NOTHING_QUOTED = "it quoted nothing"
QUOTED_ASTRAY = "its quotation is not in any cited article"
QUOTED_TOO_LITTLE = "its quotation is too short to prove anything"
UNREAD = "the model's verdict could not be read"
OWN_TEXT = "(judging its own text)"
"""Text added to the name of a model that judged what it wrote itself."""
ASKED = (
    "The sentences marked TL;DR are the short answer to this question:\n{question}\n"
    "Say also under “answers” whether they answer it: yes, if they speak of the outcome, the "
    "comparison and the population asked about and agree with the other sentences; no, if they "
    "answer another question, leave the question open although the text settles it, or say "
    "something else than the text; in part otherwise. That the studies do not settle a question is "
    "an answer."
)
REST = "\nThe rest of the text, not to be judged here:\n{text}"


class Answers(NamedTuple):
    """A judge's word on whether a TL;DR answers what was asked, and why not."""

    said: str
    reason: str
    judge: str


STAGE = Stage(
    "verify",
    "checking sentences",
    "writing",
    reply=Verdicts,
    prompts=("verify",),
    required=False,
)
"""The stage at which a model judges sentences, in every pipeline that has one."""


async def opinions(
    sentences: Sequence[Sentence],
    places: Sequence[int],
    studies: Sequence[Study],
    call: str,
    prompt: Prompt,
    ask: Ask,
    *,
    own: bool = False,
    question: str = "",
    apart: bool = False,
    mend: bool = False,
) -> tuple[dict[int, Opinion], Answers | None]:
    """(the model's opinions on the sentences at ``places``, whether the TL;DR among them answers
    the question).

    ``call`` names the calls of this text uniquely in the run. ``studies`` hold every article cited.
    ``own`` says that the model wrote the text itself, and then its name here says so too.
    ``apart``: the sentences are no running text; ``mend``: it says too what stands instead of a
    sentence. Raises BudgetReached.
    """
    by_number = {study.n: study for study in studies}
    texts = {
        n: f"{one.article.title}\n{one.article.abstract or '(no abstract)'}"
        for n, one in by_number.items()
    }
    together = [place for place in places if question and sentences[place].part == "tldr"]
    singly = [place for place in places if place not in together]
    groups = _groups(
        sentences, [*([together] if together else []), *([one] for one in singly)], texts
    )
    found: dict[int, Opinion] = {}
    answers: list[Answers] = []

    async def asked_of(number: int, group: list[int]) -> None:
        asked = question if together and together[0] in group else ""
        kind = AnswersToo if asked else Mending if mend else Verdicts
        messages = _messages(sentences, sorted(group), texts, prompt, asked, apart)
        named = [by_number[n] for n in _cited(sentences, sorted(group), by_number)]
        judged = tuple(sentences[place] for place in sorted(group))
        variables = {"sentences": judged, "studies": tuple(named)}
        request = STAGE.request(messages, variables, reply=kind)
        try:
            reply = await typed(ask, f"{call} judged {number}", request, kind)
        except ModelError as error:
            why = f"the model judge gave no verdict ({error})"
            found.update(dict.fromkeys(group, Opinion("a model", None, why, failed=True)))
            return
        name = f"{reply.model} {OWN_TEXT}" if own else reply.model
        verdicts = by_label(reply.value)
        for place in group:
            said = verdicts.get(f"S{place + 1}")
            opinion = _opinion(said, name, sentences[place], by_number)
            found[place] = replace(opinion, own=own)
        if isinstance(reply.value, AnswersToo) and reply.value.answers is not None:
            answers.append(Answers(reply.value.answers, reply.value.answers_reason, name))

    await asyncio.gather(*(asked_of(number, group) for number, group in enumerate(groups)))
    return found, answers[0] if answers else None


def by_label(said: Verdicts | None) -> dict[str, JudgedSentence]:
    """The verdicts of a reply by label, the first of each; none of one that could not be read."""
    found: dict[str, JudgedSentence] = {}
    for one in said.verdicts if said is not None else ():
        label = one.label.strip("[]() ").upper()
        found.setdefault(label if label.startswith("S") else f"S{label}", one)
    return found


def _groups(
    sentences: Sequence[Sentence], units: Sequence[list[int]], texts: Mapping[int, str]
) -> list[list[int]]:
    """The units, each a list of places, in groups for one call each: with those that cite the same
    articles, as far as there is room.
    """
    groups: list[tuple[list[int], set[int]]] = []

    def size(cites: Collection[int]) -> int:
        return sum(len(texts[n]) for n in cites)

    for unit in units:
        cites = set(_cited(sentences, unit, texts))
        open_to = [
            (size(cites - held), number)
            for number, (places, held) in enumerate(groups)
            if len(places) + len(unit) <= GROUP_SENTENCES and size(cites | held) <= GROUP_CHARACTERS
        ]
        if not open_to:
            groups.append((list(unit), cites))
            continue
        places, held = groups[min(open_to)[1]]
        places += unit
        held |= cites
    return [places for places, _ in groups]


def _cited(
    sentences: Sequence[Sentence], places: Sequence[int], known: Collection[int]
) -> list[int]:
    """The numbers that the sentences cite, each once."""
    numbers = dict.fromkeys(n for place in places for n in sentences[place].cites)
    return [n for n in numbers if n in known]


def _messages(
    sentences: Sequence[Sentence],
    places: Sequence[int],
    texts: Mapping[int, str],
    prompt: Prompt,
    question: str,
    apart: bool,
) -> tuple[Message, ...]:
    listed = "\n".join(_listed(sentences, place, places, apart) for place in places)
    numbers = _cited(sentences, places, texts)
    articles = "\n\n".join(f"[{n}] {fenced(texts[n], 'article')}" for n in numbers)
    messages = prompt.fill(sentences=listed, articles=articles)
    if not question:
        return messages
    asked = ASKED.format(question=question)
    rest = [
        one
        for place, one in enumerate(sentences)
        if one.part == "synthesis" and place not in places
    ]
    if rest:
        asked += REST.format(text=fenced(text_of(rest), "text"))
    return (*messages[:-1], Message("user", f"{messages[-1].content}\n\n{asked}"))


def _listed(sentences: Sequence[Sentence], place: int, places: Sequence[int], apart: bool) -> str:
    """One sentence with its label, what stands before it where the model would not see that, and
    what code found in it.
    """
    one = sentences[place]
    before = sentences[place - 1] if place and not apart else None
    text = " ".join(one.text.split())
    text += "" if "[" in text else f" [{', '.join(map(str, one.cites))}]"
    lines = [f"S{place + 1}: {'(TL;DR) ' if one.part == 'tldr' else ''}{text}"]
    if before is not None and before.part == one.part and place - 1 not in places:
        lines.append(f"  (it follows: “{' '.join(before.text.split())}”)")
    lines += [f"  (note: {note})" for note in one.notes]
    return "\n".join(lines)


def _opinion(
    said: JudgedSentence | None, name: str, sentence: Sentence, by_number: Mapping[int, Study]
) -> Opinion:
    if said is None:
        return Opinion(name, None, UNREAD, failed=True)
    spans, fault = _quoted(said.quotes, sentence.cites, by_number)
    if said.verdict in CARRIED and not spans:
        return Opinion(name, None, f"{name} said “{said.verdict}”, but {fault}")
    if said.verdict == "supported":
        quoted = {span.n for span in spans}
        rests = sentence.part == "tldr" and not citation_marks(sentence.text)
        if missing := [n for n in sentence.cites if not rests and n not in quoted]:
            lacking = f"nothing is quoted from {brackets(missing)}"
            return Opinion(name, "partial", lacking, spans, lowered=True)
        return Opinion(name, said.verdict, said.reason or "it quotes the passage", spans)
    instead = said.instead if isinstance(said, MendedSentence) else ""
    return Opinion(name, said.verdict, said.reason or "no reason given", spans, instead=instead)


def _quoted(
    quotes: Sequence[QuotedWords], cites: Sequence[int], by_number: Mapping[int, Study]
) -> tuple[tuple[Span, ...], str]:
    """(where the quoted words stand in cited articles, why a quotation proves nothing where none
    does).
    """
    spans: list[Span] = []
    fault = NOTHING_QUOTED
    for quote in quotes:
        if not _telling(quote.words):
            fault = QUOTED_TOO_LITTLE
            continue
        named = [quote.article] if quote.article in cites else []
        every = dict.fromkeys((*named, *cites))
        found = next(
            (at for n in every if n in by_number if (at := placed(quote.words, by_number[n]))), ()
        )
        spans += found
        fault = fault if found else QUOTED_ASTRAY
    return tuple(dict.fromkeys(spans)), fault


def _telling(quotation: str) -> bool:
    """Return whether a quotation says something: a figure, or at least `TELLING_WORDS` content
    words.
    """
    if any(sign.isdigit() for sign in quotation):
        return True
    return sum(map(is_content, words(quotation))) >= TELLING_WORDS
