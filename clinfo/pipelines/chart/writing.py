"""The last stage: an answer from the notes found, each quotation held against its note."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from clinfo.lazy_dataclass import replace
from clinfo.llm.delimiting import fenced
from clinfo.llm.schemas import TEXT, closed, list_of
from clinfo.patients.records import Note
from clinfo.pipelines.chart.answering import quoted_answer
from clinfo.pipelines.chart.declared import ANSWER, Answering
from clinfo.pipelines.chart.events import NotesFound
from clinfo.pipelines.chart.run_log import ChartLog
from clinfo.records.chart import NOT_DOCUMENTED, ChartRequest, FoundNote, NoteSpan
from clinfo.records.request import EXTRACTIVE
from clinfo.runs.protocols import Message
from clinfo.runs.recorder import Recorder
from clinfo.text.printable import one_line
from clinfo.text.quotes import locate
from clinfo.text.structured import json_object, words_of

if TYPE_CHECKING:
    from clinfo.pipelines.chart.assemble import Chart

TEMPERATURE: Final = 0.0
SHOWN: Final = 6_000
"""Characters of a note that a model is shown."""
LEAST_QUOTED: Final = 3
"""Letters and digits that a quotation must have to be one."""
FORMAT: Final = (
    "Reply with one JSON object and nothing else:\n"
    '{"documented": true | false, "answer": "…", "quotes": [{"note": number, "quote": "…"}]}'
)
SCHEMA: Final = closed(
    documented={"type": "boolean"},
    answer=TEXT,
    quotes=list_of(closed(note={"type": "integer"}, quote=TEXT)),
)


async def written(
    chart: Chart,
    request: ChartRequest,
    recorder: Recorder[ChartLog],
    found: NotesFound,
    texts: Mapping[str, Note],
) -> tuple[str, tuple[FoundNote, ...]]:
    """The answer in words and the notes, those that it quotes with the quotations; what is quoted
    and does not stand in its note is left out, and said. `NOT_DOCUMENTED` has notes without spans.
    """
    said = Answering(question=request.question, notes=found.notes, told=found.told)
    shown = "\n\n".join(
        fenced(_shown(number, texts[note.id]), "note", by_line=True)
        for number, note in enumerate(found.notes, 1)
    )
    (*before, last) = chart.prompts["answer"].fill(
        question=request.question, notes=shown or "(there are none)"
    )
    messages = (*before, Message("user", f"{last.content}\n\n{FORMAT}"))
    reply = await recorder.ask(
        "answer", ANSWER.request(messages, said, schema=SCHEMA, temperature=TEMPERATURE)
    )
    if reply.model == EXTRACTIVE:
        return found.told, found.notes
    form = json_object(reply.text)
    if form is None:
        recorder.warn("answer", "The model's answer could not be read: quoted instead.", "answer")
        return found.told, found.notes
    if form.get("documented") is not True:
        return NOT_DOCUMENTED, tuple(replace(note, spans=()) for note in found.notes)
    spans, lost = _located(form.get("quotes"), found.notes, texts)
    for number, quote in lost:
        told = f"left out, as it does not stand in note {number}: {one_line(quote)[:120]}"
        recorder.warn(f"quote {number} {quote[:60]}", f"A quotation was {told}", "answer")
    if not spans:
        recorder.warn(
            "answer", "Nothing the model quoted stands in the notes: quoted instead.", "answer"
        )
        return found.told, found.notes
    notes = tuple(replace(note, spans=spans.get(note.id, ())) for note in found.notes)
    quoted = tuple(note for note in notes if note.spans)
    told = words_of(form.get("answer")) or ""
    return told or quoted_answer(quoted), (*quoted, *(note for note in notes if not note.spans))


def _shown(number: int, note: Note) -> str:
    text = note.text if len(note.text) <= SHOWN else note.text[:SHOWN] + "\n(cut here)"
    return f"[{number}] {note.time[:10] or 'undated'} {note.category}\n{text.strip()}"


def _located(
    given: Any, notes: Sequence[FoundNote], texts: Mapping[str, Note]
) -> tuple[dict[str, tuple[NoteSpan, ...]], list[tuple[int, str]]]:
    """Where quotations stand, by note, and those that stand nowhere in theirs."""
    spans: dict[str, dict[NoteSpan, None]] = {}
    lost: list[tuple[int, str]] = []
    for one in given if isinstance(given, list) else []:
        number, quote = (one.get("note"), one.get("quote")) if isinstance(one, dict) else (0, "")
        if not isinstance(number, int) or not isinstance(quote, str):
            continue
        place = None
        if 1 <= number <= len(notes) and sum(map(str.isalnum, quote)) >= LEAST_QUOTED:
            text = texts[notes[number - 1].id].text
            place = locate(quote, text)
        if place is None:
            lost.append((number, quote))
            continue
        span = NoteSpan(*place, text[slice(*place)])
        spans.setdefault(notes[number - 1].id, {})[span] = None
    return {id: tuple(own) for id, own in spans.items()}, lost
