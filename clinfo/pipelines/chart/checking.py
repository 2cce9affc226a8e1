"""Claims of a model about a patient held against the notes that they quote: the quotations located
by code, the claim judged by a model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from clinfo.claims.cited import cited_sentence
from clinfo.claims.judging import Judges
from clinfo.claims.orders import as_evidence
from clinfo.pipelines.chart.material import SHOWN, Excerpt
from clinfo.pipelines.chart.replies import Quoted as Written
from clinfo.pipelines.chart.replies import WrittenClaim
from clinfo.records.articles import Article, Section, Study
from clinfo.records.chart import Claim, NoteSpan, Quoted
from clinfo.text.citations import without_marks
from clinfo.text.quotes import locate

LEAST_QUOTED: Final = 3
"""Letters and digits that a quotation must have to be one."""


def located(written: WrittenClaim, excerpts: Sequence[Excerpt]) -> Claim | None:
    """The claim with its quotations where they stand; None where the first stands nowhere."""
    text = " ".join(without_marks(written.text)[0].split())
    found = [_where(one, excerpts) for one in (written, *written.also)]
    first, *also = found
    if not text or first is None:
        return None
    further = tuple(dict.fromkeys(one for one in also if one is not None and one != first))
    return Claim(text, first.note, first.date, first.quotation, also=further)


def _where(written: Written, excerpts: Sequence[Excerpt]) -> Quoted | None:
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
