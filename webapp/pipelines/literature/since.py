"""What is new on the page of a run that repeats an earlier one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from clinfo.pipelines.literature import LiteratureLog, build_answer
from clinfo.runs import Event
from clinfo.text import day, one_line
from clinfo.views import WhatIsNew
from clinfo.views import news_of as what_is_new
from webapp.pipelines.literature.run_facts import settings
from webapp.records import NotFound, StoredRun
from webapp.services import services
from webapp.visitors import visible


@dataclass(frozen=True)
class Since:
    """``found`` is what changed since the run ``earlier``, which was asked ``when`` (in words).

    ``set_differently`` are (name, then, now) of settings that differ: what changed may come from
    them.
    """

    earlier: str
    when: str
    found: WhatIsNew
    set_differently: tuple[tuple[str, str, str], ...]


def since(run: StoredRun, events: Sequence[Event]) -> Since | None:
    """What changed since the run that this one repeats or follows up; None where there is none,
    where it asked another question, was deleted or may not be seen, and where one of the two has no
    whole answer.
    """
    if (linked := run.again_of or run.parent) is None:
        return None
    try:
        earlier = visible(linked)
    except NotFound:
        return None
    if earlier.pipeline != run.pipeline or earlier.request.question != run.request.question:
        return None
    then: LiteratureLog = services().store.log(earlier)
    now = LiteratureLog(events)
    if "answer" not in then or "answer" not in now:
        return None
    before, answer = build_answer(then), build_answer(now)
    were = dict(settings(before, earlier.request))
    are = dict(settings(answer, run.request))
    return Since(
        earlier.id,
        _when(earlier.created_at, run.created_at),
        what_is_new(before, answer),
        tuple(
            (name, one_line(were.get(name, "none")), one_line(are.get(name, "none")))
            for name in dict.fromkeys([*are, *were])
            if were.get(name) != are.get(name)
        ),
    )


def _when(then: float, now: float) -> str:
    """The day, with the time where both were asked on one day (UTC)."""
    moment, today = (datetime.fromtimestamp(seconds, UTC) for seconds in (then, now))
    said = day(moment.date().isoformat())
    return f"{said}, {moment:%H:%M} UTC" if moment.date() == today.date() else said
