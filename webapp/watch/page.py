"""The page of a run that goes on, as parts that its events fill: sent whole, or as the parts that
changed.

Every part is an element with an id whose HTML depends on nothing but the events up to a sequence
number, so what a viewer lacks is found however the connection was lost and whoever rendered the
viewer's page.
"""

import json
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from markupsafe import Markup, escape

from clinfo.pipelines import pipeline
from clinfo.runs import CostIncurred, RunLog, Warned
from clinfo.views import Step, StepState, number, used
from webapp.records import Head, StoredEvent


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
    """A part of the page: the element that ``macro`` makes of ``value``, with its name as its id.

    A list has values by their names, of ``each`` of which the macro makes a child; it grows at its
    end.
    """

    name: str
    macro: str
    value: Any
    each: bool = False


@dataclass(frozen=True)
class LivePipeline:
    """The way in which runs of a pipeline are shown while they go on.

    ``template`` makes the inside of the page and ``macros`` its parts; ``lists`` gives element and
    classes of each list. The functions take the pipeline's own run log and request; ``parts`` the
    run's id too; ``status`` is that of a run on its way, with what is kept as ``more``.
    ``seconds_left`` estimates how long reading still takes from the last event
    on; ``style`` is a style sheet of its own, ``heading`` what watch/plain.html says.
    """

    pipeline: str
    template: str
    macros: str
    lists: Mapping[str, tuple[str, str]]
    steps: Callable[[Any, Any], Sequence[Step]]
    parts: Callable[[Any, Any, str], Iterable[Shown]]
    status: Callable[[Any, Any], Status]
    seconds_left: Callable[[Any], float | None] = lambda run_log: None
    style: str = ""
    heading: str = ""


def status_of(head: Head, now: Status, run_log: RunLog) -> Status:
    """The line of a run of any pipeline, which is ``now`` where it is on its way; what is kept then
    is told where it is not carried out.
    """
    kept = now.more
    before = (head.position or 1) - 1
    line = "Yours is next" if before == 0 else f"{number(before, 'run')} before yours"
    states = {
        "queued": Status("queued", f"{line} …", kept),
        "key_needed": Status("key_needed", "This run waits for your key", kept),
        "failed": Status("failed", "This run stopped early", head.problem or "", now.done),
        "cancelled": Status("cancelled", "This run was cancelled", kept),
    }
    if head.status in states:
        return states[head.status]
    if head.status == "done" or "answer" in run_log:
        return Status("done", "The answer is ready", done=100)
    begun = run_log.started is not None
    return replace(now, more="") if begun else Status("running", "Starting …", done=0)


NOTES: Final = {"notes": ("ul", "notes")}
"""The list of most pages."""


def told(run_log: RunLog, before: Sequence[str] = ()) -> Iterator[Shown]:
    """The parts that most pages have: what was warned of, what was used, the notices."""
    said = [*before, *(event.text for event in run_log.all(Warned))]
    yield Shown("notes", "note", {f"note-{n}": text for n, text in enumerate(said)}, each=True)
    spent = used(run_log.usage) if run_log.all(CostIncurred) else ""
    yield Shown("used", "used", spent)
    started = run_log.started
    yield Shown("notices", "plain_notices", started.notices if started else ())


def state_at(place: int, now: int) -> StepState:
    """The state of the step at ``place`` while that at ``now`` goes on."""
    return "done" if place < now else "now" if place == now else "to come"


def in_order(
    pipeline: str,
    heading: str,
    titles: Mapping[str, tuple[str, str]],
    done: Callable[[RunLog], int] | None = None,
) -> LivePipeline:
    """A pipeline whose steps have a title and what is done in words, by the key of the event that
    ends each, unless ``done`` counts those that are.
    """
    doing = [words for _, words in titles.values()]

    def ended(run_log: RunLog) -> int:
        if done is not None:
            return done(run_log)
        return next((at for at, key in enumerate(titles) if key not in run_log), len(titles))

    def states(run_log: RunLog, request: Any) -> list[Step]:
        now = ended(run_log)
        return [
            Step(key, title, f"{pipeline}-part", state_at(at, now), "")
            for at, (key, (title, _)) in enumerate(titles.items())
        ]

    def status(run_log: RunLog, request: Any) -> Status:
        now = ended(run_log)
        words = doing[min(now, len(doing) - 1)]
        return Status("running", f"{words.capitalize()} …", done=100 * now // len(titles))

    return LivePipeline(
        pipeline,
        "watch/plain.html",
        "watch/plain_parts.html",
        NOTES,
        states,
        lambda run_log, request, run_id: told(run_log),
        status,
        heading=heading,
    )


class WatchPage:
    """The page of one run, as far as its events go. ``macros`` are those of the template that
    ``live`` names.

    Links in it lead from the address of the page, /runs/ID.
    """

    def __init__(self, live: LivePipeline, macros: Any, run_id: str, request: Any) -> None:
        self.run_id = run_id
        self.seq = -1
        self.live = live
        self.request = request
        self.rendered = -math.inf
        """The moment of the last rendering, by the monotonic clock."""
        self.html: dict[str, str | dict[str, str]] = {}
        """The parts by name, never changed in place; of a list its children by theirs."""
        self.run_log: RunLog = pipeline(live.pipeline).log(())
        self._events = pipeline(live.pipeline).events
        self._macros = macros
        self._render()

    def take(self, events: Iterable[StoredEvent]) -> None:
        """Go on to the last of ``events``; those that came already change nothing."""
        before = self.seq
        for stored in events:
            if stored.seq > self.seq:
                self.seq = stored.seq
                event = self._events.from_json(json.loads(stored.body))
                if event is not None:
                    self.run_log.add(event)
        if self.seq != before:
            self._render()
            self.rendered = time.monotonic()

    def part(self, name: str) -> Markup:
        """The HTML of a part, or of a list with all its parts."""
        made = self.html[name]
        if isinstance(made, str):
            return Markup(made)
        tag, classes = self.live.lists[name]
        inner = "".join(made.values())
        return Markup(f'<{tag} id="{escape(name)}" class="{escape(classes)}">{inner}</{tag}>')

    def status(self, head: Head) -> Markup:
        """The line that says how far the run is; it depends on the queue too."""
        now = self.live.status(self.run_log, self.request)
        return Markup(self._made("status", status_of(head, now, self.run_log)))

    def changes(self, seen: Mapping[str, str | dict[str, str]]) -> list[dict[str, str]]:
        """Return what makes this page of one whose parts were ``seen``: an element ``target`` (its
        id) becomes ``html``, or gets it as its last child, in the place of a child of the same id
        where there is one. So a change may be made twice.
        """
        found = []
        for name, made in self.html.items():
            before = seen.get(name)
            if made == before:
                continue
            if isinstance(made, dict) and isinstance(before, dict) and before.keys() <= made.keys():
                found += [
                    {"target": name, "how": "append", "html": html}
                    for child, html in made.items()
                    if before.get(child) != html
                ]
            else:
                found.append({"target": name, "how": "replace", "html": str(self.part(name))})
        return found

    def _render(self) -> None:
        self.steps = self.live.steps(self.run_log, self.request)
        parts = [Shown(f"step-{step.name}", "step", step) for step in self.steps]
        self.html = {
            shown.name: {
                name: self._made(shown.macro, value, name) for name, value in shown.value.items()
            }
            if shown.each
            else self._made(shown.macro, shown.value, shown.name)
            for shown in (*parts, *self.live.parts(self.run_log, self.request, self.run_id))
        }

    def _made(self, macro: str, value: object, name: str = "") -> str:
        """Return what a macro makes of a value, without white space around it: between parts there
        is none either.
        """
        return str(getattr(self._macros, macro)(value, name or macro)).strip()
