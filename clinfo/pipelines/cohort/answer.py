"""The answer of the cohort pipeline: its members with the sentences behind each criterion, who is
not documented, how many are left after each criterion; its JSON as a pure fold over a run's
events, and `clinfo.cohort`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Sized
from functools import cached_property, lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from clinfo.pipelines.calling import (
    Model,
    carried_out,
    door,
    in_notebook,
    named_model,
)
from clinfo.pipelines.cohort.form import (
    Age,
    And,
    Before,
    Dead,
    Form,
    Has,
    Leaf,
    Not,
    every,
    parts_of,
)
from clinfo.pipelines.cohort.matching import LOST_YEARS, Index, Matched, Statement
from clinfo.pipelines.cohort.query_text import form_tree, query_text
from clinfo.pipelines.cohort.records import CohortFound, CriteriaRead, IndexOpened
from clinfo.pipelines.cohort.request import request_of
from clinfo.pipelines.cohort.stages import COHORT
from clinfo.pipelines.cohort.store import note_text
from clinfo.runs.events import Answered, Event, plain
from clinfo.runs.run_log import RunLog
from clinfo.settings import load_settings
from clinfo.text.sentences import sentence_spans

SCHEMA: Final = 1
SYSTEM: Final = "symbolic"
"""The one of the paper's three systems by which members are found."""
_LOOKED_AT, _NAMED = 500, 5
"""Patients of whom nothing is documented that are looked at for what is possible, and named."""
_QUOTES = 3
"""Sentences given for a fact of one member: the first two, and the last."""


def folded(run_log: RunLog) -> dict[str, Any] | None:
    """The JSON answer (docs/cohort.md) of a run, None before it has found its cohort."""
    started, index = run_log.started, run_log.get(IndexOpened, "index")
    read, found = run_log.get(CriteriaRead, "criteria"), run_log.get(CohortFound, "cohort")
    if started is None or index is None or found is None:
        return None
    request = started.request
    answer = {
        "schema": SCHEMA,
        "pipeline": "cohort",
        **run_log.common(),
        "asked_on": started.started_at[:10],
        "system": SYSTEM,
        "form": read.form if read else None,
        "text": read.text if read else request.question,
        "translated_by": read.translated_by if read else "",
        "assumptions": read.assumptions if read else (),
        "caveats": found.caveats,
        "members": found.members,
        "not_documented": found.not_documented,
        "attrition": found.attrition,
        "counts": found.counts,
        **({"boxes": found.boxes} if found.boxes is not None else {}),
        **({"others": found.others} if found.others is not None else {}),
        "settings": {**started.settings, **index.about},
    }
    told: dict[str, Any] = plain(answer)
    return told


def small_cell_suppression(count: int, least: int) -> int | str:
    """A count as it is shown to people who may not see patients: where ``least`` is more than 1,
    the range of so many numbers that it lies in.

    All ranges are alike wide and begin at the same numbers, also those of large counts: of two
    counts, the one within the other, more than one difference below ``least`` is left, or none.
    """
    if least <= 1:
        return count
    low = count // least * least
    return f"{low:,} to {low + least - 1:,}" if low else f"fewer than {least:,}"


class Cohort:
    """The sets of a form, criterion by criterion, and the sentences behind each patient.

    ``members``, ``refused`` and ``unknown`` are the patients who match, who do not, and of whom it
    is not documented, by number. With ``least`` more than 1 counts are ranges and no patient is
    told.
    """

    def __init__(self, index: Index, form: Form, least: int = 0) -> None:
        self._index, self._form, self._least = index, form, least
        self._parts = form.parts if isinstance(form, And) else (form,)
        found = index.match(form)
        self.members, self.refused = sorted(found.yes), sorted(found.no)
        self.unknown = sorted(index.patients.keys() - found.yes.keys() - found.no)
        self._note = lru_cache(maxsize=64)(self._read)

    @cached_property
    def _criteria(self) -> list[tuple[str, Matched]]:
        """The criteria one by one, as queries: what stands under the form's outermost ``and``."""
        return [(query_text(part), self._index.match(part)) for part in self._parts]

    def found(self, explain: bool, most: int | None) -> CohortFound:
        """The cohort as the answer has it, with at most so many patients of each value."""
        most = most if self._least <= 1 else 0
        others = sorted((*self.refused[:most], *self.unknown[:most]))
        return CohortFound(
            members=tuple(map(self._told, self.members[:most])),
            not_documented=tuple(self._index.patients[one].id for one in self.unknown[:most]),
            attrition=tuple(self._attrition()),
            counts={
                "patients": self._shown(self._index.patients),
                "members": self._shown(self.members),
                "not_matching": self._shown(self.refused),
                "not_documented": self._shown(self.unknown),
            },
            others=tuple(map(self._told, others)) if explain and self._least <= 1 else None,
            boxes=form_tree(self._form, lambda part: self._shown(self._index.match(part).yes)),
            caveats=tuple(dict.fromkeys(self._caveats())),
        )

    def _shown(self, patients: Sized) -> int | str:
        return small_cell_suppression(len(patients), self._least)

    def _attrition(self) -> Iterator[dict[str, Any]]:
        """The number who match each criterion, and all up to it."""
        left = {*self._index.patients}
        yield {"criterion": "all patients", "alone": self._shown(left), "left": self._shown(left)}
        for text, one in self._criteria:
            left &= one.yes.keys()
            yield {"criterion": text, "alone": self._shown(one.yes), "left": self._shown(left)}

    def _told(self, number: int) -> dict[str, Any]:
        """A patient's id, with the verdict on each criterion and the sentences behind it."""
        criteria = [self._criterion(text, one, number) for text, one in self._criteria]
        return {"id": self._index.patients[number].id, "criteria": criteria}

    def _criterion(self, text: str, found: Matched, number: int) -> dict[str, Any]:
        verdict = (
            "matches" if number in found.yes
            else "does not match" if number in found.no
            else "not documented"
        )  # fmt: skip
        stated = found.behind(number)
        unclear, basis = all(one.unclear for one in stated), list[str]()
        if unclear and verdict == "matches":
            basis.append("nothing in the notes affirms it")
        if unclear and stated:
            basis.append("possible: what these sentences say of it is not clear enough to count")
        told = {"text": text, "verdict": verdict, "spans": self._spans(number, stated)}
        return told | {"basis": "; ".join(basis)} if basis else told

    def _spans(self, patient: int, stated: Sequence[Statement]) -> list[dict[str, Any]]:
        """The sentences of statements, by time, each once."""
        spans = {}
        for _, group in groupby(stated, key=lambda one: one.fact):
            places = [*group]
            for one in dict.fromkeys([*places[: _QUOTES - 1], places[-1]]):
                span = self._span(patient, one)
                spans[span["note"], span["start"]] = span
        return sorted(spans.values(), key=lambda one: (one["date"], one["note"], one["start"]))

    def _span(self, patient: int, stated: Statement) -> dict[str, Any]:
        name, time, text = self._note(patient, stated.note)
        low = text.rfind("\n", 0, stated.start) + 1
        high = text.find("\n", stated.stop)
        line, at = text[low : len(text) if high < 0 else high], stated.start - low
        inside = (span for span in sentence_spans(line) if span[0] <= at < span[1])
        first, last = next(inside, (0, len(line)))
        return {"note": name, "date": time, "start": low + first, "end": low + last,
                "quote": line[first:last]}  # fmt: skip

    def _read(self, patient: int, note: int) -> tuple[str, str, str]:
        sql = "SELECT id, time, text FROM notes WHERE patient = ? AND number = ?"
        name, time, packed = self._index.base.execute(sql, (patient, note)).fetchone()
        return name, time, note_text(packed)

    def _caveats(self) -> Iterator[str]:
        """Tell where a form finds otherwise than its words may seem to say, and criteria that
        nobody matches, excluded ones too. With ``least`` more than 1 nothing tells of the records.
        """
        for one in every(self._form):
            match one:
                case Has(concept=name) if taken := self._index.concepts.taken_for(name):
                    yield f"“{name}” is taken for {taken}"
                case Dead(dead=True):
                    yield '"dead" finds only those whose death a record states'
                case Age(at=""):
                    told = (
                        f"ages run to {self._index.today}, also of patients last seen long before"
                    )
                    lost = sum(map(self._index.lost, self.members))
                    seen = "member was" if lost == 1 else "members were"
                    if self._least > 1:
                        yield told
                    elif lost:
                        yield f"{told}: {lost:,} {seen} not seen in the last {LOST_YEARS} years"
                case Has(times=times) if times > 1:
                    counted = "counts days on which it is mentioned, not how often it happened"
                    yield f'"at least {times} times" {counted}'
                case Before(parts, None):
                    first, second = map(query_text, parts)
                    yield f"the first {first} is compared with the first {second}"
        if self._least <= 1:
            yield from self._unmatched(self._form)
            behind = self._index.match(self._form).behind
            open_to = [
                one for one in self.unknown[:_LOOKED_AT] if any(s.unclear for s in behind(one))
            ]
            if open_to:
                ids = ", ".join(self._index.patients[one].id for one in open_to[:_NAMED])
                more = f" and {len(open_to) - _NAMED:,} more" if len(open_to) > _NAMED else ""
                yield f"possible: {ids}{more}, whose sentences are not clear enough to count"

    def _unmatched(self, form: Form, excluded: bool = False) -> Iterator[str]:
        """The criteria that nobody matches; ``excluded`` those under a ``not``."""
        denied = isinstance(form, Not) and form.stated  # an absence that is stated is a criterion
        found = self._index.match(form)
        if (isinstance(form, Leaf) or denied) and not found.yes:
            told = "no patient matches" if found.no else "no record states"
            removes = ": this exclusion removes nobody" if excluded else ""
            yield f"{told} {query_text(form)}{removes}"
        for part in () if denied else parts_of(form):
            yield from self._unmatched(part, excluded != isinstance(form, Not))


class CohortAnswer(dict[str, Any]):
    """The JSON answer about a cohort, which a notebook shows as tables."""

    def _repr_html_(self) -> str:
        return in_notebook("cohort", self)


def answer_of(events: Sequence[Event]) -> CohortAnswer:
    """The JSON answer that a run recorded."""
    return CohortAnswer(next(one.answer for one in events if isinstance(one, Answered)))


@door
def cohort(
    index: str | Path,
    criteria: str = "",
    *,
    query: str = "",
    form: Mapping[str, Any] | None = None,
    model: Model = None,
    save: str | Path | None = None,
    **options: Any,
) -> CohortAnswer:
    """The patients of an index (``clinfo cohort build``) who match criteria in words, put into a
    form by the ``model``, a ``query``, or a logical form as an answer has it; JSON of
    docs/cohort.md.

    ``model`` is as for `stream`, ``save`` as for `aask`; ``options`` are those of the command line
    with underscores. Raises UsageError where something is asked back, RecordError where there is
    no index, and otherwise the class of `clinfo.errors` that carries the exit status the command
    line would have.
    """
    settings = load_settings()
    request = request_of(
        settings, index, named_model(model), criteria=criteria, query=query, form=form, **options
    )
    return answer_of(carried_out(COHORT, settings, request, model, save))
