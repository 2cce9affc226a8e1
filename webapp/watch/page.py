"""The page of a run that goes on, as parts that its events fill: rendered once, sent whole or as
what changed since some event.

Every part is an element with an id whose HTML depends on nothing but the events up to a sequence
number. It is remembered at which one it last changed, so what a viewer lacks is found however the
connection was lost and whoever rendered the viewer's page.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from markupsafe import Markup, escape

from clinfo.pipelines import pipeline
from clinfo.runs import RunLog
from clinfo.views import Step
from webapp.records import Head, StoredEvent
from webapp.watch.shown import Listed, LivePipeline, Shown, Status


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
