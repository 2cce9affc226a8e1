"""The page of a run that goes on, as parts that its events fill: rendered once, sent whole or as
what changed since some event.

Every part is an element with an id whose HTML depends on nothing but the events up to a sequence
number. It is remembered at which one it last changed, so what a viewer lacks is found however the
connection was lost and whoever rendered the viewer's page.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from markupsafe import Markup, escape

from clinfo.pipelines.literature.events import EVENTS
from clinfo.pipelines.literature.run_log import LiteratureLog
from clinfo.records.articles import RunRequest
from clinfo.views import steps
from webapp.records import Head, StoredEvent
from webapp.watch import parts as watch_parts

LISTS: Final = {
    "queries": ("ol", "queries"),
    "search-notes": ("ul", "notes"),
    "articles": ("ol", "articles"),
    "reading-notes": ("ul", "notes"),
    "synthesis": ("div", "reading synthesis"),
    "writing-notes": ("ul", "notes"),
}
"""Element and classes of each list: parts whose children are parts. They stand in the order of the
page.
"""


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
    """The page of one run, as far as its events go. ``macros`` are those of
    templates/watch/parts.html.

    Links in it lead from the address of the page, /runs/ID.
    """

    def __init__(self, macros: Any, run_id: str, request: RunRequest) -> None:
        self.run_id = run_id
        self.seq = -1
        self.run_log = LiteratureLog()
        self.request = request
        self._macros = macros
        self._parts: dict[str, _Part] = {}
        self._lists = {name: _List("", -1) for name in LISTS}
        self._rendered: set[int] = set()
        self._render()

    def take(self, events: Iterable[StoredEvent]) -> None:
        """Go on to the last of ``events``; those that came already change nothing."""
        before = self.seq
        for stored in events:
            if stored.seq <= self.seq:
                continue
            self.seq = stored.seq
            event = EVENTS.from_json(json.loads(stored.body))
            if event is not None:
                self.run_log.add(event)
        if self.seq != before:
            self._render()

    def part(self, name: str) -> Markup:
        """The HTML of a part, or of a list with all its parts."""
        return self._list_html(name) if name in self._lists else self._parts[name].html

    def status(self, head: Head) -> Markup:
        """The line that says how far the run is; it depends on the queue too."""
        return self._made("status", watch_parts.status(self.run_log, self.request, head))

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
        run_log, request = self.run_log, self.request
        reading, short = steps.reading(run_log), steps.tldr(run_log)
        for step in steps.steps(run_log, request):
            self._put(f"step-{step.name}", "step", step)
        self._put("notices", "notices", watch_parts.notices(run_log))
        self._put("understood", "understood", watch_parts.understood(run_log, request))
        self._put("found", "found", watch_parts.found(run_log))
        self._put("reading", "reading", (reading, f"{self.run_id}/articles?which="))
        self._put("best", "best", watch_parts.best(run_log, request))
        self._put("articles-head", "articles_head", reading)
        self._put("synthesis-state", "synthesis_state", steps.writing(run_log))
        pieces = watch_parts.sentence_pieces(run_log, short.sentences, "tldr")
        self._put("tldr", "tldr", (short, pieces))
        self._put("used", "used", watch_parts.used(run_log))
        queries = watch_parts.queries(run_log, request)
        self._put_list("queries", "query", {f"query-{one.number}": one for one in queries})
        for name, places in watch_parts.NOTES.items():
            said = watch_parts.notes(run_log, places)
            self._put_list(name, "note", {f"{name}-{n}": text for n, text in enumerate(said)})
        cards = watch_parts.cards(run_log, request)
        self._put_list("articles", "article", {f"article-{card.place}": card for card in cards})
        kind, pieces = watch_parts.synthesis(run_log)
        self._put_list("synthesis", "piece", {one.name: one for one in pieces}, kind)
        self._rendered.add(self.seq)

    def _put(self, name: str, macro: str, value: object) -> None:
        self._update(self._parts, name, macro, value)

    def _put_list(
        self, name: str, macro: str, values: Mapping[str, object], kind: str = ""
    ) -> None:
        """Bring a list up to date, whose children ``macro`` makes of ``values`` by their names."""
        listed = self._lists[name]
        held = list(listed.children)
        if kind != listed.kind or list(values)[: len(held)] != held:
            listed.kind, listed.reset, listed.children = kind, self.seq, {}
        for child, value in values.items():
            self._update(listed.children, child, macro, value)

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
        tag, classes = LISTS[name]
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
