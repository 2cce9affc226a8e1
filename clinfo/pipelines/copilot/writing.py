"""The answer: claims read from a reply, each held against the passages that were observed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from clinfo.claims.cited import cited_sentence
from clinfo.claims.judging import Judges
from clinfo.claims.orders import as_evidence
from clinfo.lazy_dataclass import dataclass, replace
from clinfo.llm.schemas import TEXT, closed, list_of
from clinfo.pipelines.copilot.conflicts import by_fields
from clinfo.pipelines.copilot.events import AnswerWritten
from clinfo.pipelines.copilot.medicines import unsourced
from clinfo.pipelines.copilot.run_log import CopilotLog
from clinfo.records.articles import Article, Section, Sentence, Span, Study
from clinfo.records.copilot import Claim, Conflict, LeftOut, NotIn, Observed, Source
from clinfo.text.sentences import sentence_spans
from clinfo.text.structured import words_of

FORMAT: Final = (
    "Reply with one JSON object and nothing else:\n"
    '{"claims": [{"text": "one sentence", "sources": [numbers of passages], "part": "…"}], '
    '"not_found": [{"silo": "…", "what": "what it does not say"}], '
    '"conflicts": [{"about": "…", "sources": [numbers]}]}'
)
_NUMBERS = list_of({"type": "integer"})
SCHEMA: Final = closed(
    claims=list_of(closed(text=TEXT, sources=_NUMBERS, part=TEXT)),
    not_found=list_of(closed(silo=TEXT, what=TEXT)),
    conflicts=list_of(closed(about=TEXT, sources=_NUMBERS)),
)
MOST_CLAIMS: Final = 40
LONGEST: Final = 1_200
"""Characters of a claim."""
FALLEN: Final = ("unsupported", "contradicted")
"""Verdicts with which a claim does not stand."""
VERBATIM: Final = "it is a sentence of the passage, word by word"
OF_FIELDS: Final = "the fields of these documents say it"
THESE: Final = "what these sources say"
"""What a conflict is about that was told with a medicine or a dose of no source."""
NOT_OBSERVED: Final = "it cites no passage that a tool brought"


@dataclass(frozen=True)
class _Written:
    """A claim as it was written: its text, the passages it cites, its part."""

    text: str
    sources: tuple[int, ...]
    part: str


async def judged(
    form: Mapping[str, Any], run_log: CopilotLog, judges: Judges, by_rule: bool, own: bool
) -> AnswerWritten:
    """The answer that a reply (`FORMAT`) makes: claims that stand, and what does not with the
    reason. ``own``: the model that wrote it judges it.
    """
    every, stated = run_log.passages(), run_log.stated()
    known_of = [*every.values(), _asked(run_log)]
    claims, left, studies, ruled = await asyncio.to_thread(_by_rules, form, every, stated, known_of)
    free = [place for place, one in enumerate(ruled) if one.reason not in (VERBATIM, OF_FIELDS)]
    heard = await judges.verdicts(
        [ruled[place] for place in free], studies, "claims", own=own, apart=True
    )
    for place, sentence in zip(free, heard.sentences, strict=True):
        ruled[place] = sentence
    stand = list[Claim]()
    for one, sentence in zip(claims, ruled, strict=True):
        if sentence.verdict in FALLEN:
            left.append(LeftOut(one.text, f"{sentence.verdict}: {sentence.reason}"))
        else:
            stand.append(_claim(one, sentence, every))
    opposed = list[Conflict]()
    for conflict in _conflicts(form.get("conflicts"), every):
        if why := unsourced(conflict.about, [every[n] for n in conflict.sources]):
            left.append(LeftOut(conflict.about, why))
            conflict = replace(conflict, about=THESE)
        opposed.append(conflict)
    conflicts = (*opposed, *by_fields(every))
    cited = {n for one in stand for n in one.sources} | {n for c in conflicts for n in c.sources}
    return AnswerWritten(
        claims=tuple(stand),
        sources=tuple(_source(n, every[n]) for n in sorted(cited)),
        not_in=tuple(_not_in(form.get("not_found"), run_log, known_of)),
        conflicts=tuple(dict.fromkeys(conflicts)),
        left_out=tuple(dict.fromkeys(left)),
        by_rule=by_rule,
    )


def _by_rules(
    form: Mapping[str, Any],
    every: Mapping[int, Observed],
    stated: Mapping[str, tuple[int, ...]],
    known_of: Sequence[Observed],
) -> tuple[list[_Written], list[LeftOut], tuple[Study, ...], list[Sentence]]:
    """The claims of a reply, those left out, the passages as evidence, and by claim the sentence
    before anybody judged it.
    """
    claims, left, headings = list[_Written](), list[LeftOut](), {"": ""}
    for one in _claims(form.get("claims")):
        known = tuple(n for n in one.sources if n in every)
        foreign = [n for n in one.sources if n not in every]
        if not known:
            left.append(LeftOut(one.text, NOT_OBSERVED))
        elif why := unsourced(one.text, [every[n] for n in known]):
            left.append(LeftOut(one.text, why))
        else:
            part = one.part
            if part not in headings:
                headings[part] = "" if unsourced(part, known_of) else part
            claims.append(_Written(one.text, known, headings[part]))
        if known and foreign:
            told = ", ".join(map(str, foreign))
            left.append(LeftOut(f"[{told}]", "no tool brought a passage of this number"))
    studies = as_evidence([Study(n, _article(n, one), None) for n, one in every.items()])
    ruled = [
        _of_fields(one, stated)
        or _verbatim(one, every)
        or cited_sentence(one.text, one.sources, studies)
        for one in claims
    ]
    return claims, left, studies, ruled


def _claims(given: Any) -> Iterator[_Written]:
    for one in (given if isinstance(given, list) else [])[:MOST_CLAIMS]:
        text = words_of(one.get("text")) if isinstance(one, dict) else None
        if text is not None:
            sources = one.get("sources")
            numbers = tuple(dict.fromkeys(_whole(sources)))
            yield _Written(text[:LONGEST], numbers, words_of(one.get("part")) or "")


def _whole(given: Any) -> Iterator[int]:
    for one in (given if isinstance(given, list | tuple) else [given])[:MOST_CLAIMS]:
        written = str(one).strip("[] ")
        if written.isascii() and written.isdecimal() and len(written) < 7:
            yield int(written)


def _asked(run_log: CopilotLog) -> Observed:
    """What was asked, as a passage: what it names may be named, though not claimed."""
    request = run_log.started.request if run_log.started else None
    plan = run_log.plan.parts if run_log.plan else ()
    asked = (request.question, request.case) if request else ()
    return Observed("", "", "", 0, 0, "\n".join((*asked, *(one.question for one in plan))))


def _article(n: int, one: Observed) -> Article:
    """A passage as the claims room reads it."""
    facts = "; ".join(f"{name}: {value}" for name, value in one.facts.items() if value)
    return Article(f"passage:{n}", one.title or facts, sections=(Section(one.text),))


def _of_fields(one: _Written, stated: Mapping[str, tuple[int, ...]]) -> Sentence | None:
    """The verdict on a sentence that the program made of the fields of what it cites; None for any
    other.
    """
    if not set(one.sources) & set(stated.get(one.text, ())):
        return None
    return Sentence(
        "synthesis", one.text, one.sources, "supported", OF_FIELDS, judges=("fields",), near=True
    )


def _verbatim(one: _Written, every: Mapping[int, Observed]) -> Sentence | None:
    """The verdict on a claim that is a passage it cites, or a whole sentence of one; None for any
    other. Less than a sentence may say the opposite of it.
    """
    wanted = one.text.split()
    for n in one.sources:
        text = every[n].text
        for start, end in ((0, len(text)), *sentence_spans(text)):
            if text[start:end].split() == wanted:
                span = Span(n, "abstract", start, end)
                return Sentence(
                    "synthesis", one.text, one.sources, "supported", VERBATIM, (span,), near=True
                )
    return None


def _claim(one: _Written, sentence: Sentence, every: Mapping[int, Observed]) -> Claim:
    """A claim that stands; its span is where the judges found its support, else the passage."""
    found = [span for span in sentence.spans if span.field == "abstract" and span.n in one.sources]
    n = found[0].n if found else one.sources[0]
    source = every[n]
    span = (
        (source.start + found[0].start, source.start + found[0].end)
        if found
        else (source.start, source.end)
    )
    return Claim(
        one.text,
        source.silo,
        source.document,
        span,
        source.level,
        source.date,
        sentence.verdict,
        sentence.reason,
        sentence.judges,
        one.part,
        one.sources,
    )


def _source(n: int, one: Observed) -> Source:
    return Source(
        n, one.silo, one.document, one.title, (one.start, one.end), one.text,
        one.level, one.date, one.version, one.licence, one.url,
    )  # fmt: skip


def _conflicts(given: Any, every: Mapping[int, Observed]) -> Iterator[Conflict]:
    """The contradictions that the reply names between passages of at least two documents."""
    for one in (given if isinstance(given, list) else [])[:MOST_CLAIMS]:
        about = words_of(one.get("about")) if isinstance(one, dict) else None
        if about is None:
            continue
        numbers = tuple(n for n in dict.fromkeys(_whole(one.get("sources"))) if n in every)
        if len({(every[n].silo, every[n].document) for n in numbers}) > 1:
            yield Conflict(about[:LONGEST], numbers)


def _not_in(given: Any, run_log: CopilotLog, known: Sequence[Observed]) -> list[NotIn]:
    """What is in no silo: nothing at all of a silo that was asked and brought nothing; of another
    one what the reply says is missing there, with no medicine or dose that ``known`` does not name.
    Silos that were not asked are not spoken of.
    """
    asked: dict[str, list[str]] = {}
    told: dict[str, str] = {}
    brought: set[str] = set()
    for call in run_log.calls:
        event = run_log.observed(call.call)
        if event is None or event.observation.problem:
            continue
        silo = call.silo or call.tool
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
    empty = {one.silo for one in found}
    for one in (given if isinstance(given, list) else [])[:MOST_CLAIMS]:
        row = one if isinstance(one, dict) else {}
        name, what = words_of(row.get("silo")), words_of(row.get("what"))
        if name in asked and what and name not in empty and not unsourced(what, known):
            found.append(NotIn(name, what[:LONGEST], tuple(asked[name])))
    return list(dict.fromkeys(found))


def quoted(run_log: CopilotLog, most: int = 5) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """The claims by rule, each with its passages, by silo in the order of the plan: what fields
    say, then the first ``most`` passages, as they stand; one that says the same as another is left
    out.
    """
    held: dict[str, int] = {}
    found = dict(run_log.stated())
    passages = run_log.passages()
    for n, one in passages.items():
        text = " ".join(one.text.split())[:LONGEST]
        if text and text not in found and held.get(one.silo, 0) < most:
            held[one.silo] = held.get(one.silo, 0) + 1
            found[text] = (n,)
    silos = list(dict.fromkeys(one.silo for one in passages.values()))
    place = {text: silos.index(passages[n[0]].silo) if n else 0 for text, n in found.items()}
    return tuple(sorted(found.items(), key=lambda claim: place[claim[0]]))
