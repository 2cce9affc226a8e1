"""The answer: a bottom line and claims read from a reply, each judged against what it cites; or
quotations, where no language model wrote.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from clinfo.claims.cited import cited_sentence
from clinfo.claims.judging import Judges
from clinfo.pipelines.copilot.records import (
    UNASKED,
    AnswerWritten,
    Claim,
    Conflict,
    CopilotLog,
    LeftOut,
    NotIn,
    Source,
)
from clinfo.pipelines.copilot.shown import facts
from clinfo.pipelines.copilot.stages import Answer, Missing, Opposed, Stated
from clinfo.records.articles import Article, Section, Sentence, Study
from clinfo.records.observations import Observed
from clinfo.text.citations import without_marks
from clinfo.text.wording import number

MOST_CLAIMS: Final = 40
LONGEST: Final = 1_200
"""Characters of a claim."""
QUOTED: Final = 5
"""Passages of a call that are quoted where no language model wrote; of fields twice as many."""
FALLEN: Final = ("unsupported", "contradicted")
"""Verdicts of a judge with which a claim does not stand."""
BOTTOM_LINE: Final = "bottom line"
NOT_OBSERVED: Final = "it cites no passage that a tool brought"


async def judged(
    reply: Answer, run_log: CopilotLog, judges: Judges | None, own: bool
) -> AnswerWritten:
    """The answer that a reply makes: claims that stand, and what does not with the
    reason. ``judges`` is None where nobody judges; ``own``: the model that wrote it judges it.
    """
    every, left = run_log.passages(), list[LeftOut]()
    claims = [found for one in _claims(reply) if (found := _observed(one, every, left))]
    studies = [Study(n, _article(n, one), None) for n, one in every.items()]
    before = [cited_sentence(one.text, one.sources, studies) for one in claims]
    verdicts: Sequence[Sentence] = before
    if judges is not None:
        heard = await judges.verdicts(before, studies, "claims", own=own, apart=True)
        verdicts = heard.sentences
    stand = list[Claim]()
    for one, plain, sentence in zip(claims, before, verdicts, strict=True):
        if sentence.verdict == "not_verified":
            sentence = replace(sentence, verdict=plain.verdict)  # a quotation stays one
        if sentence.verdict in FALLEN:
            what = f"Bottom line: {one.text}" if one.part == BOTTOM_LINE else one.text
            left.append(LeftOut(what, f"{sentence.verdict}: {sentence.reason}"))
        else:
            stand.append(_claim(one, sentence, every))
    conflicts = tuple(dict.fromkeys(_conflicts(reply.conflicts, every)))
    bottom = next((one for one in stand if one.part == BOTTOM_LINE), None)
    return AnswerWritten(
        claims=tuple(one for one in stand if one is not bottom),
        sources=_sources(stand, conflicts, every),
        not_in=tuple(_not_in(reply.not_found, run_log)),
        conflicts=conflicts,
        left_out=tuple(dict.fromkeys(left)),
        bottom_line=None if bottom is None else replace(bottom, part=""),
    )


def quoted(run_log: CopilotLog) -> AnswerWritten:
    """The best passages of each call, as they stand; how many more there are is told."""
    every, found, left = run_log.passages(), dict[tuple[str, str], Claim](), list[LeftOut]()
    for call in run_log.calls:
        numbers = run_log.brought(call.call)
        most = 2 * QUOTED if {"gene", "variant", "disease", "drug"} & {*call.arguments} else QUOTED
        new = {(every[n].silo, every[n].document): n for n in reversed(numbers)}
        new = {place: n for place, n in reversed(new.items()) if place not in found}
        for place, n in [*new.items()][:most]:
            text = " ".join(every[n].text.split())
            one = Stated(text=text, sources=(n,))
            sentence = Sentence("synthesis", text, (n,), "quoted", "", judges=())
            found[place] = _claim(one, sentence, every)
        if (more := len(new) - most) > 0:
            told = f"{number(more, 'more document')} of {call.silo or call.tool}"
            left.append(LeftOut(told, "lower in its order; they stand in the trace"))
    claims = tuple(found.values())
    return AnswerWritten(
        claims=claims,
        sources=_sources(claims, (), every),
        not_in=tuple(_not_in((), run_log)),
        left_out=tuple(dict.fromkeys(left)),
        by_rule=True,
    )


def _claims(reply: Answer) -> Iterator[Stated]:
    """The bottom line and the claims of a reply. Numbers in brackets in a text are sources too, and
    are taken out of it.
    """
    first = reply.bottom_line
    lead = [Stated(**first.model_dump(), part=BOTTOM_LINE)] if first is not None else []
    for one in (*lead, *reply.claims[:MOST_CLAIMS]):
        text, numbers = without_marks(one.text)
        if text:
            sources = tuple(dict.fromkeys((*one.sources, *numbers)))
            yield Stated(text=text[:LONGEST], sources=sources, part=one.part)


def _observed(one: Stated, every: Mapping[int, Observed], left: list[LeftOut]) -> Stated | None:
    """The claim with the passages it cites that were observed, None where none was; what it cites
    beside them is told.
    """
    foreign = [n for n in one.sources if n not in every]
    if len(foreign) == len(one.sources):
        left.append(LeftOut(one.text, NOT_OBSERVED))
        return None
    if foreign:
        told = ", ".join(map(str, foreign))
        left.append(LeftOut(f"[{told}]", "no tool brought a passage of this number"))
    kept = tuple(n for n in one.sources if n in every)
    return Stated(text=one.text, sources=kept, part=one.part)


def _article(n: int, one: Observed) -> Article:
    """A passage as the claims room reads it: its text, then its fields, so that offsets in the text
    stay as they are.
    """
    fields = facts(one)
    sections = (Section(one.text), *((Section(fields),) if fields else ()))
    return Article(f"passage:{n}", one.title, sections=sections)


def _claim(one: Stated, sentence: Sentence, every: Mapping[int, Observed]) -> Claim:
    """A claim that stands; its span is where its support was found, else the passage."""
    found = [
        span
        for span in sentence.spans
        if span.field == "abstract"
        and span.n in one.sources
        and span.end <= len(every[span.n].text)
    ]
    n = found[0].n if found else one.sources[0]
    source = every[n]
    start, end = (found[0].start, found[0].end) if found else (0, source.end - source.start)
    return Claim(
        one.text,
        source.silo,
        source.document,
        (source.start + start, source.start + end),
        source.level,
        source.date,
        sentence.verdict,
        sentence.reason,
        sentence.judges,
        one.part,
        one.sources,
        sentence.notes,
    )


def _sources(
    claims: Sequence[Claim], conflicts: Sequence[Conflict], every: Mapping[int, Observed]
) -> tuple[Source, ...]:
    cited = {n for claim in claims for n in claim.sources}
    cited |= {n for conflict in conflicts for n in conflict.sources}
    return tuple(
        Source(
            n, one.silo, one.document, one.title, (one.start, one.end), one.text,
            one.level, one.date, one.version, one.licence, one.url, one.facts,
        )
        for n in sorted(cited)
        for one in (every[n],)
    )  # fmt: skip


def _conflicts(given: Sequence[Opposed], every: Mapping[int, Observed]) -> Iterator[Conflict]:
    """The contradictions that the reply names between passages of at least two documents."""
    for one in given[:MOST_CLAIMS]:
        numbers = tuple(n for n in dict.fromkeys(one.sources) if n in every)
        if one.about and len({(every[n].silo, every[n].document) for n in numbers}) > 1:
            yield Conflict(one.about[:LONGEST], numbers)


def _not_in(given: Sequence[Missing], run_log: CopilotLog) -> list[NotIn]:
    """List what is in no silo: nothing of a silo that was asked and brought nothing, or could not
    be asked; of another one what the reply says is missing there. Silos that were not asked are not
    spoken of.
    """
    asked: dict[str, list[str]] = {}
    told: dict[str, str] = {}
    failed: dict[str, str] = {}
    brought: set[str] = set()
    for call in run_log.calls:
        event, silo = run_log.observed(call.call), call.silo or call.tool
        if event is None:
            continue
        if event.observation.problem:
            failed.setdefault(silo, event.observation.problem)
            continue
        asked.setdefault(silo, []).append("; ".join(map(str, call.arguments.values())))
        if event.observation.passages:
            brought.add(silo)
        elif event.observation.said:
            told.setdefault(silo, event.observation.said[0])
    found = [
        NotIn(silo, told.get(silo, ""), tuple(own))
        for silo, own in asked.items()
        if silo not in brought
    ]
    found += [
        NotIn(silo, f"it could not be asked ({why}): {UNASKED}")
        for silo, why in failed.items()
        if silo not in asked
    ]
    empty = {one.silo for one in found}
    for one in given[:MOST_CLAIMS]:
        if one.silo in asked and one.what and one.silo not in empty:
            found.append(NotIn(one.silo, one.what[:LONGEST], tuple(asked[one.silo])))
    return list(dict.fromkeys(found))
