"""The answer of a model in claims: each with words of a note, which code locates, judged by a model
against the notes that it quotes; what is rejected is written anew once or removed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from clinfo.claims.cited import cited_sentence
from clinfo.claims.judging import Judges
from clinfo.claims.orders import as_evidence
from clinfo.pipelines.chart.events import ChartLog
from clinfo.pipelines.chart.excerpts import SHOWN, Excerpt
from clinfo.pipelines.chart.replies import Claims, WrittenClaim
from clinfo.pipelines.chart.replies import Quoted as Words
from clinfo.pipelines.chart.stages import ANSWER, asked
from clinfo.records.articles import Article, Section, Study
from clinfo.records.chart import NOT_DOCUMENTED, ChartRequest, Claim, FoundNote, NoteSpan, Quoted
from clinfo.runs.engine import Run
from clinfo.runs.protocols import Message
from clinfo.runs.recorder import Recorder
from clinfo.runs.replies import typed
from clinfo.text.citations import without_marks
from clinfo.text.printable import one_line
from clinfo.text.quotes import locate

LEAST_QUOTED: Final = 3
"""Letters and digits that a quotation must have to be one."""
NOT_QUOTED: Final = "its quotation does not stand in the notes shown"
UNREAD: Final = "The model's answer could not be read: the nearest notes are quoted instead."
NONE_STANDS: Final = (
    "Nothing that the model quoted stands in the notes: the nearest ones are quoted instead."
)
REJECTED: Final = frozenset(("unsupported", "contradicted", "partial"))
"""Verdicts with which a claim is written anew."""
REMOVED: Final = frozenset(("unsupported", "contradicted"))
"""Verdicts with which it goes then."""


@dataclass(frozen=True)
class Asker:
    """The run whose claims are asked and judged, and what is known of its patient."""

    run: Run[ChartRequest, ChartLog, Any]
    patient: str


async def claims_of(asker: Asker, excerpts: Sequence[Excerpt]) -> tuple[Claim, ...] | None:
    """The claims that stand, under their verdicts; None where the model's reply could not be read,
    or quotes nothing that stands in the notes: that is no word on what the record holds.

    Both, and what was removed, are told as warnings. Raises ModelError, BudgetReached.
    """
    recorder = asker.run.recorder
    messages = asker.run.prompts["answer"].fill(
        question=asker.run.request.question, patient=asker.patient, notes=_shown(excerpts)
    )
    written = await _asked(asker, "answer", messages)
    if written is None:
        recorder.warn("answer", UNREAD, "answer")
        return None
    first = await _checked(asker, written, excerpts, "answer")
    again = [(one, why) for one, _, why in first if why]
    if not again:
        return tuple(claim for _, claim, _ in first if claim is not None)
    second = await _rewritten(asker, again, excerpts)
    kept = [claim for _, claim, why in first if claim is not None and not why]
    for one, claim, why in [each for each in first if each[2]] if second is None else second:
        if claim is None or claim.verdict in REMOVED:
            _removed(recorder, one, why)
        else:
            kept.append(claim)
    if second is not None and (left := len(again) - len(second)) > 0:
        told = f"{left} of {len(again)} claims that the check rejected were left out by the model."
        recorder.warn("claims left out", told, "answer")
    if not kept and all(claim is None for _, claim, _ in first):  # nothing that could be judged
        recorder.warn("answer", NONE_STANDS, "answer")
        return None
    return tuple(kept)


Checked = tuple[WrittenClaim, Claim | None, str]
"""What was written, the claim where its quotation stands, and why it is rejected ("" if not)."""


async def _checked(
    asker: Asker, written: Sequence[WrittenClaim], excerpts: Sequence[Excerpt], call: str
) -> list[Checked]:
    found = [(one, located(one, excerpts)) for one in written]
    judges = Judges("model", asker.run.prompts["verify"], asker.run.recorder.ask)
    standing = [claim for _, claim in found if claim is not None]
    verdicts = iter(await judged(standing, excerpts, asker.patient, call, judges))
    every = [(one, next(verdicts) if claim is not None else None) for one, claim in found]
    return [(one, claim, _rejected(claim)) for one, claim in every]


def _rejected(claim: Claim | None) -> str:
    if claim is None:
        return NOT_QUOTED
    told = claim.verdict.replace("_", " ")
    return (claim.reason or told) if claim.verdict in REJECTED else ""


def located(written: WrittenClaim, excerpts: Sequence[Excerpt]) -> Claim | None:
    """The claim with its quotations where they stand; None where the first stands nowhere."""
    text = " ".join(without_marks(written.text)[0].split())
    found = [_where(one, excerpts) for one in (written, *written.also)]
    first, *also = found
    if not text or first is None:
        return None
    further = tuple(dict.fromkeys(one for one in also if one is not None and one != first))
    return Claim(text, first.note, first.date, first.quotation, also=further)


def _where(written: Words, excerpts: Sequence[Excerpt]) -> Quoted | None:
    """Words in the note that is named, else in another one that was shown."""
    if sum(map(str.isalnum, written.quotation)) < LEAST_QUOTED:
        return None
    named = excerpts[written.note - 1 : written.note] if written.note > 0 else ()
    for one in dict.fromkeys((*named, *excerpts)):
        found = locate(written.quotation, one.note.text[one.start : one.end])
        if found is not None:
            start, end = found[0] + one.start, found[1] + one.start
            span = NoteSpan(start, end, one.note.text[start:end])
            return Quoted(one.note.id, one.note.time, span)
    return None


async def judged(
    claims: Sequence[Claim],
    excerpts: Sequence[Excerpt],
    patient: str,
    call: str,
    judges: Judges,
) -> tuple[Claim, ...]:
    """The claims under the verdicts of the judge; `not_verified` where it gave none that counts.

    ``call`` names the calls uniquely in the run. Raises BudgetReached.
    """
    shown: dict[Excerpt, int] = {}
    cites = [
        tuple(shown.setdefault(_cut(excerpts, one), len(shown) + 1) for one in claim.quoted)
        for claim in claims
    ]
    studies = as_evidence([_study(n, one, patient) for one, n in shown.items()])
    before = [
        cited_sentence(claim.text, own, studies) for claim, own in zip(claims, cites, strict=True)
    ]
    heard = await judges.verdicts(before, studies, call, apart=True)
    done = list[Claim]()
    for place, claim in enumerate(claims):
        for said in heard.opinions.get(place, ()):
            why = "" if said.verdict == "supported" else said.reason
            verdict = said.verdict or "not_verified"
            claim = replace(claim, verdict=verdict, reason=why, judge=said.judge)
        done.append(claim)
    return tuple(done)


def _study(n: int, one: Excerpt, patient: str) -> Study:
    """A note as the claims room reads it."""
    text = one.note.text[one.start : one.end]
    return Study(
        n, Article(f"note:{n}", f"{one.head} · {patient}", sections=(Section(text),)), None
    )


def _cut(excerpts: Sequence[Excerpt], quoted: Quoted) -> Excerpt:
    """The note of a quotation, of a long one the part around it."""
    span = quoted.quotation
    one = next(
        one
        for one in excerpts
        if one.note.id == quoted.note and one.start <= span.start and span.end <= one.end
    )
    if one.end - one.start <= SHOWN:
        return one
    start = max(one.start, min(span.start - SHOWN // 2, one.end - SHOWN))
    return Excerpt(one.note, start, max(span.end, min(one.end, start + SHOWN)))


async def _rewritten(
    asker: Asker, rejected: Sequence[tuple[WrittenClaim, str]], excerpts: Sequence[Excerpt]
) -> list[Checked] | None:
    """Rejected claims as the model writes them with the reason and their notes at hand, checked;
    None where its reply could not be read.
    """
    own = tuple(
        dict.fromkeys(
            excerpts[each.note - 1]
            for one, _ in rejected
            for each in (one, *one.also)
            if 1 <= each.note <= len(excerpts)
        )
    )
    lines = (f"- {one_line(one.text)} (rejected: {one_line(why)})" for one, why in rejected)
    messages = asker.run.prompts["rewrite"].fill(
        question=asker.run.request.question,
        patient=asker.patient,
        claims="\n".join(lines),
        notes=_shown(own),
    )
    written = await _asked(asker, "rewrite", messages)
    return None if written is None else await _checked(asker, written, own, "rewrite")


async def _asked(
    asker: Asker, call: str, messages: tuple[Message, ...]
) -> tuple[WrittenClaim, ...] | None:
    """The claims of a reply; None where it could not be read."""
    request = asked(ANSWER, messages, asker.run.request.question)
    reply = await typed(asker.run.recorder.ask, call, request, Claims)
    return None if reply.value is None else reply.value.claims


def _shown(excerpts: Sequence[Excerpt]) -> str:
    shown = (one.shown(number) for number, one in enumerate(excerpts, 1))
    return "\n\n".join(shown) or "(there are none)"


def _removed(recorder: Recorder[ChartLog], one: WrittenClaim, why: str) -> None:
    recorder.warn(
        f"removed {one.text[:80]} {one.note}",
        f"A claim was removed ({one_line(why)[:200]}): {one_line(one.text)[:160]}",
        "answer",
    )


def in_words(claims: Sequence[Claim]) -> str:
    """The claims with the notes that they rest on, a line each; `NOT_DOCUMENTED` without any."""
    lines = (
        f"{one.text} [{'] ['.join(dict.fromkeys(each.note for each in one.quoted))}]"
        for one in claims
    )
    return "\n".join(lines) or NOT_DOCUMENTED


def with_quotations(
    notes: Sequence[FoundNote], claims: Sequence[Claim], excerpts: Sequence[Excerpt]
) -> tuple[FoundNote, ...]:
    """The notes with what the claims quote of each; those that are quoted first."""
    quotes = [each for one in claims for each in one.quoted]
    spans = {
        one.note: tuple(dict.fromkeys(each.quotation for each in quotes if each.note == one.note))
        for one in quotes
    }
    known = {one.id: one for one in notes}
    for one in excerpts:
        note = one.note
        known.setdefault(note.id, FoundNote(note.id, note.time, (), note.category, note.visit))
    quoted = [replace(known[id], spans=own) for id, own in spans.items()]
    return (*quoted, *(replace(one, spans=()) for one in notes if one.id not in spans))
