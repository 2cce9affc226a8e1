"""Claims of a model about a patient held against the notes that they quote: the quotation located
by code, the claim judged by a model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from clinfo.claims.joining import CARRIED
from clinfo.claims.model_judge import by_label
from clinfo.claims.replies import JudgedSentence, Verdicts
from clinfo.errors import ModelError
from clinfo.llm.prompts import Prompt
from clinfo.pipelines.chart.material import SHOWN, Excerpt
from clinfo.pipelines.chart.replies import WrittenClaim
from clinfo.pipelines.chart.stages import VERIFY, asked
from clinfo.records.chart import Claim, NoteSpan
from clinfo.runs.protocols import Ask
from clinfo.runs.replies import typed
from clinfo.text.quotes import locate

GROUP_CLAIMS: Final = 10
GROUP_CHARACTERS: Final = 30_000
"""Most claims of a call, and most characters of notes; a single claim may need more."""
LEAST_QUOTED: Final = 3
"""Letters and digits that a quotation must have to be one."""
UNREAD: Final = "the judge's verdict could not be read"
ASTRAY: Final = "what the judge quotes does not stand in the note"


def located(written: WrittenClaim, excerpts: Sequence[Excerpt]) -> Claim | None:
    """The claim with its quotation where it stands: in the note that it names, else in another one
    that was shown; None where it stands in none.
    """
    if sum(map(str.isalnum, written.quotation)) < LEAST_QUOTED or not written.text.strip():
        return None
    named = excerpts[written.note - 1 : written.note] if written.note > 0 else ()
    for one in dict.fromkeys((*named, *excerpts)):
        found = locate(written.quotation, one.note.text[one.start : one.end])
        if found is not None:
            start, end = found[0] + one.start, found[1] + one.start
            span = NoteSpan(start, end, one.note.text[start:end])
            return Claim(" ".join(written.text.split()), one.note.id, one.note.time, span)
    return None


async def judged(
    claims: Sequence[Claim],
    excerpts: Sequence[Excerpt],
    patient: str,
    call: str,
    prompt: Prompt,
    ask: Ask,
) -> tuple[Claim, ...]:
    """The claims under the verdicts of the judge; `not_verified` where it gave none that counts.

    ``call`` names the calls uniquely in the run. Raises BudgetReached.
    """
    done: list[Claim] = []
    for number, group in enumerate(_groups(claims)):
        shown = [_cut(excerpts, claim) for claim in group]
        notes = list(dict.fromkeys(shown))
        listed = "\n".join(
            f"S{place}: {claim.text} [{notes.index(one) + 1}]"
            for place, (claim, one) in enumerate(zip(group, shown, strict=True), 1)
        )
        messages = prompt.fill(
            patient=patient,
            claims=listed,
            notes="\n\n".join(one.shown(place) for place, one in enumerate(notes, 1)),
        )
        try:
            request = asked(VERIFY, messages, "")
            reply = await typed(ask, f"{call} judged {number}", request, Verdicts)
        except ModelError as error:
            why = f"the judge gave no verdict ({error})"
            done += [replace(claim, reason=why) for claim in group]
            continue
        verdicts = by_label(reply.value)
        done += [
            _under(verdicts.get(f"S{place}"), claim, one, reply.model)
            for place, (claim, one) in enumerate(zip(group, shown, strict=True), 1)
        ]
    return tuple(done)


def _groups(claims: Sequence[Claim]) -> Iterator[list[Claim]]:
    group: list[Claim] = []
    for claim in claims:
        notes = {one.note for one in (*group, claim)}
        full = len(group) == GROUP_CLAIMS or len(notes) * SHOWN > GROUP_CHARACTERS
        if group and full:
            yield group
            group = []
        group.append(claim)
    if group:
        yield group


def _cut(excerpts: Sequence[Excerpt], claim: Claim) -> Excerpt:
    """The note of a claim, of a long one the part around what is quoted."""
    quoted = claim.quotation
    one = next(
        one
        for one in excerpts
        if one.note.id == claim.note and one.start <= quoted.start and quoted.end <= one.end
    )
    if one.end - one.start <= SHOWN:
        return one
    start = max(one.start, min(quoted.start - SHOWN // 2, one.end - SHOWN))
    return Excerpt(one.note, start, max(quoted.end, min(one.end, start + SHOWN)))


def _under(said: JudgedSentence | None, claim: Claim, shown: Excerpt, judge: str) -> Claim:
    if said is None:
        return replace(claim, reason=UNREAD, judge=judge)
    text = shown.note.text[shown.start : shown.end]
    quoted = [one.words for one in said.quotes if one.words]
    if said.verdict in CARRIED and quoted and not any(locate(one, text) for one in quoted):
        return replace(claim, reason=ASTRAY, judge=judge)
    return replace(claim, verdict=said.verdict, reason=said.reason, judge=judge)
