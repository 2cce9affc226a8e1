"""The page of a run that goes on, as parts that its events fill: rendered once, sent whole or as
what changed since some event.

Every part is an element with an id whose HTML depends on nothing but the events up to a sequence
number. It is remembered at which one it last changed, so what a viewer lacks is found however the
connection was lost and whoever rendered the viewer's page.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from markupsafe import Markup, escape

from clinfo.pipelines import pipeline
from clinfo.runs import CostIncurred, RunLog, Warned, usage_of
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


@dataclass(frozen=True)
class Patch:
    """A change of the page: the element ``target`` becomes ``html``, or gets it as its last child.

    What is appended has an id; where it is there already, it is replaced. So a patch may be applied
    twice.
    """

    target: str
    how: Literal["replace", "append"]
    html: str


@dataclass
class _Part:
    """``value`` is what ``html`` was made of; ``made`` and ``changed`` are sequence numbers."""

    value: object
    html: Markup
    made: int
    changed: int


@dataclass
class _List:
    """``kind`` names what the children are; with another kind or another order they begin anew, at
    ``reset``.
    """

    kind: str
    reset: int
    children: dict[str, _Part] = field(default_factory=dict)


class WatchPage:
    """The page of one run, as far as its events go. ``macros`` are those of the template that
    ``live`` names.

    Links in it lead from the address of the page, /runs/ID.
    """

    def __init__(self, live: LivePipeline, macros: Any, run_id: str, request: Any) -> None:
        self.run_id = run_id
        self.seq = -1
        self.live = live
        self.steps: tuple[str, ...] = ()
        """The names of the parts that are the steps."""
        self.request = request
        self._events = pipeline(live.pipeline).events
        self.run_log: RunLog = pipeline(live.pipeline).log(())
        self._macros = macros
        self._parts: dict[str, _Part] = {}
        self._lists = {name: _List("", -1) for name in live.lists}
        self._rendered: set[int] = set()
        self._render()

    def take(self, events: Iterable[StoredEvent]) -> None:
        """Go on to the last of ``events``; those that came already change nothing."""
        before = self.seq
        for stored in events:
            if stored.seq <= self.seq:
                continue
            self.seq = stored.seq
            event = self._events.from_json(json.loads(stored.body))
            if event is not None:
                self.run_log.add(event)
        if self.seq != before:
            self._render()

    def part(self, name: str) -> Markup:
        """The HTML of a part, or of a list with all its parts."""
        return self._list_html(name) if name in self._lists else self._parts[name].html

    def past(self, step: str) -> bool:
        """Return whether a step is done or left out, named as its part is."""
        value = self._parts[step].value
        return isinstance(value, Step) and value.state in ("done", "left out")

    def status(self, head: Head) -> Markup:
        """The line that says how far the run is; it depends on the queue too."""
        said: Status = self.live.status(self.run_log, self.request, head)
        return self._made("status", said)

    def patches(self, after: int) -> list[Patch]:
        """Return what changes a page rendered with the events up to ``after``, wherever that was,
        into this one.

        Where this page was never rendered at ``after``, that is everything: a part may have changed
        and changed back.
        """
        if after >= self.seq:
            return []
        if after not in self._rendered:
            return [
                Patch(name, "replace", self.part(name)) for name in (*self._parts, *self._lists)
            ]
        found = [
            Patch(name, "replace", part.html)
            for name, part in self._parts.items()
            if part.changed > after
        ]
        for name, listed in self._lists.items():
            if listed.reset > after:
                found.append(Patch(name, "replace", self._list_html(name)))
                continue
            for child, part in listed.children.items():
                if part.made > after:
                    found.append(Patch(name, "append", part.html))
                elif part.changed > after:
                    found.append(Patch(child, "replace", part.html))
        return found

    # ---- keeping the parts up to date

    def _render(self) -> None:
        steps = self.live.steps(self.run_log, self.request)
        self.steps = tuple(f"step-{step.name}" for step in steps)
        for step in steps:
            self._put(Shown(f"step-{step.name}", "step", step))
        for shown in self.live.parts(self.run_log, self.request, self.run_id):
            if isinstance(shown, Listed):
                self._put_list(shown)
            else:
                self._put(shown)
        self._rendered.add(self.seq)

    def _put(self, shown: Shown) -> None:
        self._update(self._parts, shown.name, shown.macro, shown.value)

    def _put_list(self, shown: Listed) -> None:
        """Bring a list up to date, whose children the macro makes of the values by their names."""
        listed = self._lists[shown.name]
        held = list(listed.children)
        if shown.kind != listed.kind or list(shown.values)[: len(held)] != held:
            listed.kind, listed.reset, listed.children = shown.kind, self.seq, {}
        for child, value in shown.values.items():
            self._update(listed.children, child, shown.macro, value)

    def _update(self, parts: dict[str, _Part], name: str, macro: str, value: object) -> None:
        """Render a part whose value is new or another than before."""
        held = parts.get(name)
        if held is not None and held.value == value:
            return
        html = self._made(macro, value, name)
        if held is None:
            parts[name] = _Part(value, html, self.seq, self.seq)
        else:
            changed = held.changed if held.html == html else self.seq
            parts[name] = _Part(value, html, held.made, changed)

    def _list_html(self, name: str) -> Markup:
        tag, classes = self.live.lists[name]
        inner = Markup("").join(part.html for part in self._lists[name].children.values())
        return (
            Markup(f'<{tag} id="{escape(name)}" class="{escape(classes)}">')
            + inner
            + Markup(f"</{tag}>")
        )

    def _made(self, macro: str, value: object, name: str = "") -> Markup:
        """Return what a macro makes of a value, without white space around it: between parts there
        is none either.
        """
        return Markup(str(getattr(self._macros, macro)(value, name or macro)).strip())
