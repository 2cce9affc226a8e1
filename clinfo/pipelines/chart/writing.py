"""The answer of a model in claims: each with words of a note, located and judged; what is rejected
is written anew once or removed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from clinfo.claims.judging import Judges
from clinfo.llm.prompts import Prompt
from clinfo.pipelines.chart.checking import judged, located
from clinfo.pipelines.chart.material import Excerpt
from clinfo.pipelines.chart.replies import Claims, WrittenClaim
from clinfo.pipelines.chart.run_log import ChartLog
from clinfo.pipelines.chart.stages import ANSWER, asked
from clinfo.records.chart import NOT_DOCUMENTED, Claim, FoundNote
from clinfo.runs.protocols import Message
from clinfo.runs.recorder import Recorder
from clinfo.runs.replies import typed
from clinfo.text.printable import one_line

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
    """What the claims of a run are asked and judged with."""

    prompts: Mapping[str, Prompt]
    recorder: Recorder[ChartLog]
    question: str
    patient: str


async def claims_of(asker: Asker, excerpts: Sequence[Excerpt]) -> tuple[Claim, ...] | None:
    """The claims that stand, under their verdicts; None where the model's reply could not be read,
    or quotes nothing that stands in the notes: that is no word on what the record holds.

    Both, and what was removed, are told as warnings. Raises ModelError, BudgetReached.
    """
    recorder = asker.recorder
    messages = asker.prompts["answer"].fill(
        question=asker.question, patient=asker.patient, notes=_shown(excerpts)
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
    judges = Judges("model", asker.prompts["verify"], asker.recorder.ask)
    standing = [claim for _, claim in found if claim is not None]
    verdicts = iter(await judged(standing, excerpts, asker.patient, call, judges))
    every = [(one, next(verdicts) if claim is not None else None) for one, claim in found]
    return [(one, claim, _rejected(claim)) for one, claim in every]


def _rejected(claim: Claim | None) -> str:
    if claim is None:
        return NOT_QUOTED
    told = claim.verdict.replace("_", " ")
    return (claim.reason or told) if claim.verdict in REJECTED else ""


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
    messages = asker.prompts["rewrite"].fill(
        question=asker.question, patient=asker.patient, claims="\n".join(lines), notes=_shown(own)
    )
    written = await _asked(asker, "rewrite", messages)
    return None if written is None else await _checked(asker, written, own, "rewrite")


async def _asked(
    asker: Asker, call: str, messages: tuple[Message, ...]
) -> tuple[WrittenClaim, ...] | None:
    """The claims of a reply; None where it could not be read."""
    request = asked(ANSWER, messages, asker.question)
    reply = await typed(asker.recorder.ask, call, request, Claims)
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
