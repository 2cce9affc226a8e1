"""The answer of a model in claims: each with words of a note, which code locates, judged by a model
against the notes that it quotes; what is rejected is written anew once or removed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from clinfo.claims.cited import cited_sentence
from clinfo.claims.injected_instructions import as_evidence
from clinfo.claims.judging import Judges
from clinfo.pipelines.chart.events import ChartLog
from clinfo.pipelines.chart.excerpts import SHOWN, Excerpt
from clinfo.pipelines.chart.stages import ANSWER, Claims, WrittenClaim, asked
from clinfo.pipelines.chart.stages import Quoted as Words
from clinfo.records.articles import Article, Section, Study
from clinfo.records.chart import NOT_DOCUMENTED, ChartRequest, Claim, FoundNote, NoteSpan, Quoted
from clinfo.runs.engine import Run
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


ChartRun = Run[ChartRequest, ChartLog, Any]


async def claims_of(
    run: ChartRun, patient: str, excerpts: Sequence[Excerpt]
) -> tuple[Claim, ...] | None:
    """The claims that stand, under their verdicts; None where the model's reply could not be read,
    or quotes nothing that stands in the notes: that is no word on what the record holds.

    Both, and what was removed, are told as warnings. Raises ModelError, BudgetReached.
    """
    written = await _asked(run, "answer", patient, excerpts)
    if written is None:
        run.warn("answer", UNREAD, "answer")
        return None
    first = await _checked(run, patient, written, excerpts, "answer")
    kept = [claim for _, claim, why in first if claim is not None and not why]
    rejected = [each for each in first if each[2]]
    if rejected:
        second = await _rewritten(run, patient, rejected, excerpts)
        for one, claim, why in rejected if second is None else second:
            if claim is None or claim.verdict in REMOVED:
                told = f"A claim was removed ({one_line(why)[:200]}): {one_line(one.text)[:160]}"
                run.warn(f"removed {one.text[:80]} {one.note}", told, "answer")
            else:
                kept.append(claim)
        left = 0 if second is None else len(rejected) - len(second)
        if left > 0:
            told = f"{left} of {len(rejected)} claims that the check rejected were left out by the "
            run.warn("claims left out", told + "model.", "answer")
        if not kept and all(claim is None for _, claim, _ in first):  # nothing could be judged
            run.warn("answer", NONE_STANDS, "answer")
            return None
    return tuple(kept)


Checked = tuple[WrittenClaim, Claim | None, str]
"""What was written, the claim where its quotation stands, and why it is rejected ("" if not)."""


async def _checked(
    run: ChartRun,
    patient: str,
    written: Sequence[WrittenClaim],
    excerpts: Sequence[Excerpt],
    call: str,
) -> list[Checked]:
    found = [(one, located(one, excerpts)) for one in written]
    standing = [claim for _, claim in found if claim is not None]
    verdicts = iter(await _judged(run, patient, standing, excerpts, call))
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


async def _judged(
    run: ChartRun, patient: str, claims: Sequence[Claim], excerpts: Sequence[Excerpt], call: str
) -> list[Claim]:
    """The claims under the verdicts of the judge; `not_verified` where it gave none that counts.

    ``call`` names the calls uniquely in the run. Raises BudgetReached.
    """
    shown: dict[Excerpt, int] = {}
    cites = [
        tuple(shown.setdefault(_cut(excerpts, one), len(shown) + 1) for one in claim.quoted)
        for claim in claims
    ]
    articles = [
        Article(
            f"note:{n}",
            f"{one.head} · {patient}",
            sections=(Section(one.note.text[one.start : one.end]),),
        )
        for one, n in shown.items()
    ]
    studies = as_evidence([Study(n, one, None) for n, one in enumerate(articles, 1)])
    before = [
        cited_sentence(claim.text, own, studies) for claim, own in zip(claims, cites, strict=True)
    ]
    judges = Judges("model", run.prompts["verify"], run.ask)
    heard = await judges.verdicts(before, studies, call, apart=True)
    done = list(claims)
    for place, opinions in heard.opinions.items():
        for said in opinions:
            why = "" if said.verdict == "supported" else said.reason
            verdict = said.verdict or "not_verified"
            done[place] = replace(done[place], verdict=verdict, reason=why, judge=said.judge)
    return done


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
    run: ChartRun, patient: str, rejected: Sequence[Checked], excerpts: Sequence[Excerpt]
) -> list[Checked] | None:
    """Rejected claims as the model writes them with the reason and their notes at hand, checked;
    None where its reply could not be read.
    """
    places = dict.fromkeys(each.note for one, *_ in rejected for each in (one, *one.also))
    own = [excerpts[place - 1] for place in places if 1 <= place <= len(excerpts)]
    lines = (f"- {one_line(one.text)} (rejected: {one_line(why)})" for one, _, why in rejected)
    written = await _asked(run, "rewrite", patient, own, claims="\n".join(lines))
    return None if written is None else await _checked(run, patient, written, own, "rewrite")


async def _asked(
    run: ChartRun, call: str, patient: str, excerpts: Sequence[Excerpt], **more: str
) -> tuple[WrittenClaim, ...] | None:
    """The claims of a reply to the prompt of this name; None where it could not be read."""
    shown = (one.shown(number) for number, one in enumerate(excerpts, 1))
    notes, question = "\n\n".join(shown) or "(there are none)", run.request.question
    messages = run.prompts[call].fill(question=question, patient=patient, notes=notes, **more)
    reply = await typed(run.ask, call, asked(ANSWER, messages, question), Claims)
    return None if reply.value is None else reply.value.claims


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
