"""The answer of a model: the part of a record that it reads, and its claims.

It reads the record in order of time where all of it fits the model's window, else the notes found
with the newest one and the current lists of medicines, problems and allergies. Each claim has words
of a note, which code locates, and is judged by a model against the notes that it quotes; what is
rejected is written anew once or removed.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Final

from clinfo.claims.cited import cited_sentence
from clinfo.claims.judging import Judges
from clinfo.llm.delimiting import fenced
from clinfo.patients.coded_texts import PREFIX, is_coded
from clinfo.patients.records import CodedEntry, Note
from clinfo.patients.sections import sections
from clinfo.patients.times import day_span, newest_day
from clinfo.pipelines.chart.records import (
    NOT_DOCUMENTED,
    ChartLog,
    ChartRequest,
    Claim,
    FoundNote,
    NoteSpan,
    Quoted,
)
from clinfo.pipelines.chart.stages import ANSWER, Claims, WrittenClaim
from clinfo.pipelines.chart.stages import Quoted as Words
from clinfo.records.articles import Article, Section, Study
from clinfo.runs.engine import Run
from clinfo.runs.replies import typed
from clinfo.text.citations import without_marks
from clinfo.text.quotes import locate
from clinfo.text.wording import one_line

SHOWN: Final = 6_000
"""Characters shown of a note where the record is not read whole."""
REPLY_TOKENS: Final = 2_500
"""Tokens left free for the instructions and the reply."""
LISTS: Final = ("medications", "allergies", "past", "plan", "planned")
"""Kinds of sections (`clinfo.patients.sections`) that hold the current lists."""
CODED_LISTS: Final = tuple(PREFIX + kind for kind in ("medication", "allergy", "condition"))
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
BIRTH, SEX = "21112-8", "46098-0"
"""Codes of LOINC for the date of birth and the sex."""


@dataclass(frozen=True)
class Excerpt:
    """A note as a model reads it: [start, end) of its text."""

    note: Note
    start: int
    end: int

    @property
    def whole(self) -> bool:
        return self.end - self.start == len(self.note.text)

    def shown(self, number: int) -> str:
        """The excerpt under its number, day and category, delimited."""
        text = self.note.text[self.start : self.end].strip()
        return fenced(f"[{number}] {self.head}\n{text}", "note")

    @property
    def head(self) -> str:
        """Day and category of the note, and whether more stands in it."""
        cut = "" if self.whole else " (only a part of this note is shown)"
        return f"{self.note.time[:10] or 'undated'} {self.note.category}".rstrip() + cut


def in_order(excerpts: Iterable[Excerpt]) -> tuple[Excerpt, ...]:
    """Excerpts in order of time, those without a day last."""
    return tuple(
        sorted(excerpts, key=lambda one: (not one.note.time, one.note.time, one.note.id, one.start))
    )


def whole_record(
    notes: Sequence[Note], count_tokens: Callable[[str], int], window: int
) -> tuple[Excerpt, ...] | None:
    """All notes and coded entries in order of time; None where they do not fit the window."""
    every = in_order(Excerpt(note, 0, len(note.text)) for note in notes)
    room = window - REPLY_TOKENS
    if sum(len(one.note.text) for one in every) > 8 * max(room, 0):  # no tokens are that long
        return None
    text = "\n\n".join(one.shown(number) for number, one in enumerate(every, 1))
    return every if count_tokens(text) <= room else None


def chosen_excerpts(
    notes: Sequence[Note],
    found: Sequence[FoundNote],
    count_tokens: Callable[[str], int],
    window: int,
) -> tuple[Excerpt, ...]:
    """As much as fits of: the newest note, the newest section of each of the `LISTS`, the coded
    entries of such kinds, the notes found, best first, then the others from the newest back; in
    order of time.
    """
    known = {note.id: note for note in notes}
    dated = sorted(
        (note for note in notes if note.time and not is_coded(note)),
        key=lambda note: (note.time, note.id),
        reverse=True,
    )
    wanted = [_around(note, 0) for note in dated[:1]]
    for kind in LISTS:
        wanted += next(
            (
                [Excerpt(note, part.heading, min(part.end, part.heading + SHOWN))]
                for note in dated
                for part in sections(note.text)
                if part.kind == kind and note.text[part.start : part.end].strip()
            ),
            [],
        )
    coded = [note for note in notes if note.category in CODED_LISTS]
    wanted += [_around(note, 0) for note in sorted(coded, key=lambda note: note.time, reverse=True)]
    wanted += [
        _around(known[one.id], one.spans[0].start if one.spans else 0)
        for one in found
        if one.id in known
    ]
    wanted += [_around(note, 0) for note in dated]
    room = window - REPLY_TOKENS
    taken: dict[str, list[Excerpt]] = {}
    for one in wanted:
        own = taken.get(one.note.id, [])
        if any(each.start <= one.start and one.end <= each.end for each in own):
            continue
        cost = count_tokens(one.shown(100))
        if cost <= room:
            room -= cost
            inside = [each for each in own if not (one.start <= each.start and each.end <= one.end)]
            taken[one.note.id] = [*inside, one]
    return in_order(one for own in taken.values() for one in own)


def _around(note: Note, at: int) -> Excerpt:
    """The note, or `SHOWN` characters of it around a place."""
    start = max(0, min(at - SHOWN // 2, len(note.text) - SHOWN))
    return Excerpt(note, start, min(len(note.text), start + SHOWN))


def what_was_read(excerpts: Sequence[Excerpt], notes: Sequence[Note]) -> str:
    """The share of the record that a model read, in words."""
    ids = {one.note.id for one in excerpts if not is_coded(one.note)}
    whole = {one.note.id for one in excerpts if one.whole} & ids
    every = sum(not is_coded(note) for note in notes)
    if len(whole) == every:
        coded = " and the coded entries" if every < len(notes) else ""
        return f"The model read all {every:,} notes{coded}."
    part = f", {len(ids - whole):,} of them in part" if ids - whole else ""
    return (
        f"The model read {len(ids):,} of {every:,} notes{part}; what stands in the others it has "
        "not seen."
    )


def patient_facts(entries: Sequence[CodedEntry], notes: Sequence[Note]) -> str:
    """Age, sex and the last day of a record, as far as coded entries and the days of notes say."""
    by_code = {one.code: one.value for one in entries if one.kind == "observation"}
    last = newest_day((note.time for note in notes), date.max)
    born = day_span(by_code.get(BIRTH, ""))
    day = f"last day of the record: {last}" if last else "no day is known of the record"
    told = [day]
    if born and last:
        years = last.year - born[0].year - ((last.month, last.day) < (born[0].month, born[0].day))
        told.append(f"{years} years old on that day (born {by_code[BIRTH]})")
    if sex := by_code.get(SEX, ""):
        told.append(f"sex: {sex}")
    return "; ".join(told if told[1:] else (*told, "age and sex: as the notes say"))


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
            elif (claim.text, claim.quoted) not in {(same.text, same.quoted) for same in kept}:
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
"""A claim as written, as it stands (None: nowhere), and why it is rejected ("" if it is not)."""


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
    studies = [Study(n, one, None) for n, one in enumerate(articles, 1)]
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
    reply = await typed(run.ask, call, ANSWER.request(messages, {"question": question}), Claims)
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
