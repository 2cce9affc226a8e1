"""What a pipeline declares so that its runs can be watched: its steps, its parts, how far it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from clinfo.runs import CostIncurred, RunLog, Warned, usage_of
from clinfo.views import Step, StepState, number, used
from webapp.records import Head


@dataclass(frozen=True)
class Status:
    """The line on how far the run is, and the share of the work that is done, per cent; None before
    it begins.
    """

    state: str
    said: str
    more: str = ""
    done: int | None = None


@dataclass(frozen=True)
class Shown:
    """A part of the page: the element that ``macro`` makes of ``value``, with its name as its
    id.
    """

    name: str
    macro: str
    value: object


@dataclass(frozen=True)
class Listed:
    """A list of the page, whose children ``macro`` makes of the values by their names.

    ``kind`` names what the children are; with another kind or another order they begin anew.
    """

    name: str
    macro: str
    values: Mapping[str, object]
    kind: str = ""


@dataclass(frozen=True)
class LivePipeline:
    """How runs of a pipeline are shown while they go on.

    ``template`` makes the inside of the page and ``macros`` its parts; ``lists`` gives element and
    classes of each list. The functions take the pipeline's own run log and request; ``parts`` the
    run's id too. ``seconds_left`` estimates how long reading still takes from the last event
    on; ``style`` is a style sheet of its own.
    """

    pipeline: str
    template: str
    macros: str
    lists: Mapping[str, tuple[str, str]]
    steps: Callable[[Any, Any], Sequence[Step]]
    parts: Callable[[Any, Any, str], Iterable[Shown | Listed]]
    status: Callable[[Any, Any, Head], Status]
    seconds_left: Callable[[Any], float | None] = lambda run_log: None
    style: str = ""


def ending(head: Head, kept: str, share: int, run_log: RunLog) -> Status | None:
    """The line of a run that is not carried out at the moment, or only starts or ends, in any
    pipeline; None where it is on its way. ``kept`` is what is there already, ``share`` what is
    done, per cent.
    """
    if head.status == "queued":
        before = (head.position or 1) - 1
        line = "Yours is next" if before == 0 else f"{number(before, 'run')} before yours"
        return Status("queued", f"{line} …", kept)
    if head.status == "key_needed":
        return Status("key_needed", "This run waits for your key", kept)
    if head.status == "failed":
        return Status("failed", "This run stopped early", head.problem or "", share)
    if head.status == "cancelled":
        return Status("cancelled", "This run was cancelled", kept)
    if head.status == "done" or "answer" in run_log:
        return Status("done", "The answer is ready", done=100)
    return Status("running", "Starting …", done=0) if run_log.begun is None else None


NOTES: Final = {"notes": ("ul", "notes")}
"""The list of most pages."""


def told(run_log: RunLog, before: Sequence[str] = ()) -> Iterator[Shown | Listed]:
    """The parts that most pages have: what was warned of, what was used, the notices."""
    said = [*before, *(event.text for event in run_log.all(Warned))]
    yield Listed("notes", "note", {f"note-{n}": text for n, text in enumerate(said)})
    calls = run_log.all(CostIncurred)
    yield Shown("used", "used", used(usage_of(calls)) if calls else "")
    started = run_log.begun
    yield Shown("notices", "plain_notices", started.notices if started else ())


def state_at(place: int, now: int) -> StepState:
    """The state of the step at ``place`` while that at ``now`` goes on."""
    return "done" if place < now else "now" if place == now else "to come"


def in_order(pipeline: str, titles: Mapping[str, tuple[str, str]]) -> LivePipeline:
    """A pipeline whose steps have a title and what is done in words, by the key of the event that
    ends each.
    """
    doing = [words for _, words in titles.values()]

    def done(run_log: RunLog) -> int:
        return next((at for at, key in enumerate(titles) if key not in run_log), len(titles))

    def states(run_log: RunLog, request: Any) -> list[Step]:
        now = done(run_log)
        return [
            Step(key, title, f"{pipeline}-part", state_at(at, now), "")
            for at, (key, (title, _)) in enumerate(titles.items())
        ]

    def status(run_log: RunLog, request: Any, head: Head) -> Status:
        now = done(run_log)
        share = 100 * now // len(titles)
        if (said := ending(head, "", share, run_log)) is not None:
            return said
        return Status("running", f"{doing[now].capitalize()} …", done=share)

    return LivePipeline(
        pipeline,
        f"{pipeline}/watch.html",
        "watch/plain_parts.html",
        NOTES,
        states,
        lambda run_log, request, run_id: told(run_log),
        status,
    )
