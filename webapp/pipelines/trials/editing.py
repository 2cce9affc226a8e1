"""Edits of what a run of trials read: a number corrected, a study kept out of the pool, or that
undone. Each is an event of the run, with who, why and when.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final

from pydantic import ConfigDict, Field

from clinfo.errors import FieldError, UsageError
from clinfo.pipelines.trials import (
    EditUndone,
    GivenArm,
    GivenNumbers,
    StudyEdited,
    TrialsLog,
    build_answer,
    checked_numbers,
    given_of,
    in_force,
)
from clinfo.privacy import refuse_texts
from webapp.fields import Fields, read, refuse
from webapp.records import Refused, StoredRun, Visitor
from webapp.services import services
from webapp.visitors import named

LONGEST_WHY: Final = 300
"""Characters of a reason."""
LONGEST_TIMEPOINT: Final = 200
MOST_EDITS: Final = 500
"""Edits of a run, those undone included."""
CHANGED: Final = "This run was changed since you opened this page; your correction was not kept."
_THOUSANDS: Final = re.compile(r"-?[1-9]\d{0,2}(,\d{3})+(\.\d+)?")
_KINDS: Final = {"binary": "events", "continuous": "means"}
_ARMS: Final = ("intervention", "comparator")
_NUMBERS: Final = ("events", "mean", "sd", "total")


class EditFields(Fields):
    """A person's change of a study; null, or a field left out, leaves that as it is.

    ``seen`` is the run's last event as the person saw it: a run that has gone on is not changed.
    """

    model_config = ConfigDict(strict=False)
    study: str
    why: str = Field(json_schema_extra={"minLength": 1, "maxLength": LONGEST_WHY})
    numbers: GivenNumbers | None = None
    excluded: bool | None = None
    seen: int | None = None


def edit(run: StoredRun, fields: Mapping[str, Any], who: Visitor) -> StoredRun:
    """The run after an edit. Raises FieldError, IdentifiersFound, Refused."""
    asked = read(EditFields, fields)
    run_log: TrialsLog = services().store.log(run)
    why = " ".join(asked.why.split())
    refuse(
        (
            not why or len(why) > LONGEST_WHY or not why.isprintable(),
            "why",
            f"say why, in 1 to {LONGEST_WHY} characters",
        ),
        (
            asked.study not in {study.name for study in run_log.studies},
            "study",
            "is none of this run",
        ),
    )
    refuse_texts({"why": why}, "Nothing was stored.")
    if asked.seen not in (None, run.last_seq):
        raise Refused(CHANGED)
    held = in_force(run_log.numbers.get(asked.study), run_log.edits(asked.study))
    numbers, excluded = asked.numbers, asked.excluded
    if numbers is not None:
        said = numbers.timepoint
        if said is None:
            said = held.numbers.timepoint if held.numbers else ""
        numbers = replace(numbers, timepoint=" ".join(said.split()))
        _check(numbers)
        if held.numbers is not None and numbers == given_of(held.numbers):
            numbers = None
    if numbers is not None and {numbers.intervention, numbers.comparator} != {GivenArm()}:
        _check_kind(numbers, asked.study, run_log)
    if excluded == bool(held.excluded):
        excluded = None
    if numbers is None and excluded is None:
        raise FieldError("numbers", "nothing is changed")
    if len(run_log.all(StudyEdited)) >= MOST_EDITS:
        raise Refused(f"This run has {MOST_EDITS} edits; start it again to make more.")
    event = StudyEdited(
        seq=run.last_seq + 1,
        t=run_log.last_t,
        study=asked.study,
        why=why,
        who=named(who),
        made_at=_now(),
        numbers=numbers,
        excluded=excluded,
    )
    run_log.add(event)
    try:
        build_answer(run_log)
    except (ArithmeticError, ValueError):
        raise FieldError("numbers", "nothing can be computed from these") from None
    return services().store.amend(run.id, event, run.last_seq)


def undo(run: StoredRun, seq: int, who: Visitor) -> StoredRun:
    """The run without an edit, named by its event. Raises FieldError, Refused."""
    run_log: TrialsLog = services().store.log(run)
    if seq not in {event.seq for event in run_log.all(StudyEdited)}:
        raise FieldError("edit", "is none of this run")
    event = EditUndone(t=run_log.last_t, edit=seq, who=named(who), made_at=_now())
    return services().store.amend(run.id, event)


def of_form(sent: Mapping[str, str]) -> dict[str, Any]:
    """The edit of a form, as `edit` takes it: events make it counts, else they are means. Raises
    FieldError.
    """
    arms = {
        arm: {name: _number(sent.get(f"{arm}_{name}", ""), arm, name) for name in _NUMBERS}
        for arm in _ARMS
    }
    counts = any(arm["events"] is not None for arm in arms.values())
    given = any(value is not None for arm in arms.values() for value in arm.values())
    numbers = {
        "kind": "binary" if counts else "continuous",
        "timepoint": sent.get("timepoint", ""),
        **arms,
    }
    return {
        "study": sent.get("study", ""),
        "why": sent.get("why", ""),
        "numbers": numbers if given else None,
        "excluded": "excluded" in sent,
        "seen": int(sent["seen"]) if re.fullmatch(r"\d{1,9}", sent.get("seen", "")) else None,
    }


def _number(text: str, arm: str, name: str) -> float | None:
    text = text.strip().replace("\N{MINUS SIGN}", "-")
    if not text:
        return None
    if _THOUSANDS.fullmatch(text):
        text = text.replace(",", "")
    try:
        return float(text)
    except ValueError:
        raise FieldError("numbers", f"{arm}: {name} must be a number such as 12 or 3.4") from None


def _check_kind(numbers: GivenNumbers, study: str, run_log: TrialsLog) -> None:
    """Raise FieldError for events where the other studies report means, or the other way round."""
    known = {
        one.name: in_force(run_log.numbers.get(one.name), run_log.edits(one.name))
        for one in run_log.studies
    }
    held = known.pop(study).numbers
    others = [one.numbers.kind for one in known.values() if one.numbers and not one.excluded]
    if (held is None or held.kind != numbers.kind) and others and numbers.kind not in others:
        raise FieldError(
            "numbers",
            f"the other studies are pooled by {_KINDS[others[0]]}: give these, or leave this study "
            "out of the pool",
        )


def _check(numbers: GivenNumbers) -> None:
    outcome = numbers.timepoint or ""
    if len(outcome) > LONGEST_TIMEPOINT or not outcome.isprintable():
        raise FieldError("numbers", f"the outcome has at most {LONGEST_TIMEPOINT} characters")
    refuse_texts({"numbers": outcome}, "Nothing was stored.")
    try:
        checked_numbers(numbers)
    except UsageError as error:
        raise FieldError("numbers", str(error)) from None


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
