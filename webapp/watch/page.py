"""The page of a run that goes on, as parts that its events fill: rendered once, sent whole or as
what changed since some event.

Every part is an element with an id whose HTML depends on nothing but the events up to a sequence
number. It is remembered at which one it last changed, so what a viewer lacks is found however the
connection was lost and whoever rendered the viewer's page.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from markupsafe import Markup, escape

from clinfo.pipelines.literature.events import (
    EVENTS,
    ArticleExcluded,
    ArticleFlagged,
    ArticleJudged,
    ArticlesChased,
    ArticlesFetched,
    ArticlesNotAssessed,
    ArticlesReranked,
    ArticleSummarised,
    ContextCut,
    EvidenceAppraised,
)
from clinfo.pipelines.literature.run_log import LiteratureLog
from clinfo.records.articles import RunRequest
from clinfo.runs.events import Event
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
        self._stale: set[str] = set()
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
                self._mark(event)
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

    def _mark(self, event: Event) -> None:
        """Remember whose card an event changes: there may be many of them, so only those are
        rendered again.
        """
        if isinstance(event, ArticleJudged):
            self._stale.add(event.judgement.id)
        elif isinstance(event, ArticleFlagged):
            self._stale.add(event.notice.id)
        elif isinstance(event, ArticleSummarised | ArticleExcluded):
            self._stale.add(event.id)
        elif isinstance(event, ArticlesNotAssessed | ContextCut):
            self._stale.update(event.ids)
        elif isinstance(event, ArticlesReranked):
            self._stale.update(event.dropped)
        elif isinstance(event, EvidenceAppraised | ArticlesFetched | ArticlesChased):
            self._stale.update(article.id for article in self.run_log.articles)

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
        self._put_list(
            "queries",
            "queries",
            {f"query-{one.number}": _maker(self, "query", one) for one in queries},
        )
        for name, places in watch_parts.NOTES.items():
            said = watch_parts.notes(run_log, places)
            self._put_list(
                name,
                "notes",
                {f"{name}-{n}": _maker(self, "note", text) for n, text in enumerate(said)},
                fixed=True,
            )
        self._put_list("articles", "articles", self._cards(), stale=self._stale_cards())
        kind, pieces = watch_parts.synthesis(run_log)
        self._put_list(
            "synthesis", kind, {one.name: _maker(self, "piece", one) for one in pieces}, fixed=True
        )
        self._stale.clear()
        self._rendered.add(self.seq)

    def _cards(self) -> dict[str, Callable[[str], Markup]]:
        known: dict[str, Any] = {}

        def maker(place: int, id: str) -> Callable[[str], Markup]:
            def make(name: str) -> Markup:
                if not known:
                    known.update(watch_parts.cards(self.run_log, self.request, self._stale))
                return self._made("article", known[id], name)

            return make

        return {
            f"article-{place}": maker(place, article.id)
            for place, article in enumerate(self.run_log.articles)
        }

    def _stale_cards(self) -> set[str]:
        if not self._stale:
            return set()
        return {
            f"article-{place}"
            for place, article in enumerate(self.run_log.articles)
            if article.id in self._stale
        }

    def _put(self, name: str, macro: str, value: object) -> None:
        html = self._made(macro, value, name)
        held = self._parts.get(name)
        if held is None:
            self._parts[name] = _Part(html, self.seq, self.seq)
        elif held.html != html:
            held.html, held.changed = html, self.seq

    def _put_list(
        self,
        name: str,
        kind: str,
        makers: Mapping[str, Callable[[str], Markup]],
        *,
        fixed: bool = False,
        stale: set[str] | None = None,
    ) -> None:
        """Bring a list up to date. ``fixed`` children never change; with ``stale`` only these are
        made anew.
        """
        listed = self._lists[name]
        order, held = list(makers), list(listed.children)
        if kind != listed.kind or order[: len(held)] != held:
            listed.kind, listed.reset, listed.children = kind, self.seq, {}
        for child, make in makers.items():
            part = listed.children.get(child)
            if part is None:
                listed.children[child] = _Part(make(child), self.seq, self.seq)
            elif (
                not fixed
                and (stale is None or child in stale)
                and (html := make(child)) != part.html
            ):
                part.html, part.changed = html, self.seq

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


def _maker(page: WatchPage, macro: str, value: object) -> Callable[[str], Markup]:
    return lambda name: page._made(macro, value, name)
