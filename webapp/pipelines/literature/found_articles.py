"""The fate of every article found by a run: the counts it belongs to, and the reason it went no
further.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from clinfo.pipelines.literature import LiteratureLog
from clinfo.records import Answer, Article, Span
from clinfo.text import one_line
from clinfo.views import State, article_view, number, published
from webapp.pipelines.literature.linking import Link, article_links
from webapp.pipelines.literature.passages import marked

COUNTS: Mapping[str, tuple[str, str]] = {
    "found": ("found", "Every article found by the queries and links, each once."),
    "fetched": ("records read", "The articles whose records the source returned."),
    "excluded": ("excluded", "Articles excluded from the run, each with the reason."),
    "not-judged": ("not judged", "Articles not assessed for this question, each with the reason."),
    "judged": ("judged", "Articles whose title and abstract were assessed for relevance."),
    "not-relevant": ("judged not relevant", "Articles judged not relevant, each with the reason."),
    "relevant": (
        "relevant",
        "Articles judged relevant, and those whose judgement could not be read.",
    ),
    "summarised": ("summarised", "Articles whose summary was used for the answer."),
    "cited": ("cited", "Articles that the answer cites."),
    "left-out": ("left out", "Articles found but not cited, each with the reason."),
}
"""The lists that a page may show: the name in its address, the words for it, what it means."""


_COUNTED: Mapping[State, frozenset[str]] = {
    "waiting": frozenset(),
    "unread": frozenset({"not-judged"}),
    "excluded": frozenset({"excluded"}),
    "irrelevant": frozenset({"judged", "not-relevant"}),
    "unreadable": frozenset({"judged"}),
    "relevant": frozenset({"judged"}),
}
"""The counts that an article belongs to by what became of it."""


@dataclass(frozen=True)
class FoundArticle:
    """An article with its fate. ``n`` is its citation number, None where it was not relevant;
    ``reason`` one line.
    """

    id: str
    anchor: str
    n: int | None
    title: str
    published: str
    links: tuple[Link, ...]
    fate: str
    reason: str
    in_counts: frozenset[str]
    finding: str
    flags: tuple[str, ...]
    abstract: tuple[tuple[str, bool], ...]

    @property
    def retracted(self) -> bool:
        return "retracted" in self.flags


def found_articles(
    run_log: LiteratureLog, answer: Answer, resolver: str | None = None
) -> tuple[FoundArticle, ...]:
    """All of them in rank order, those whose record did not come last."""
    records = {article.id: article for article in run_log.articles}
    references = {reference.id: reference for reference in answer.references}
    used: dict[int, list[Span]] = {}
    for sentence in answer.sentences:
        for span in sentence.spans:
            used.setdefault(span.n, []).append(span)
    queried = {id for result in run_log.results.values() for id in result.ids}
    followed = run_log.chased.ids if run_log.chased else ()
    found = queried | set(followed)
    made = []
    for place, read in enumerate(answer.articles):
        article = records[read.id]
        reference = references.get(read.id)
        counts = {"fetched"} | ({"found"} if read.id in found else set())
        view = article_view(read)
        counts |= _COUNTED[view.state]
        if reference is not None:
            counts.add("relevant")
            counts |= {"summarised"} if read.summary is not None else set()
            counts |= {"cited"} if reference.cited else set()
        fate, why = view.word, view.reason
        if "cited" in counts:
            fate = "cited"
        elif reference is not None:
            fate = (
                "summarised, not cited" if read.summary is not None else "relevant, not summarised"
            )
            why = (
                view.later or f"no sentence of the answer cites it; judged relevant: {view.reason}"
            )
        if "cited" not in counts:
            counts.add("left-out")
        made.append(
            FoundArticle(
                id=read.id,
                anchor=f"article-{place}",
                n=reference.n if reference else None,
                title=one_line(read.title) or "(without a title)",
                published=published(article),
                links=article_links(article, resolver),
                fate=fate,
                reason=why,
                in_counts=frozenset(counts),
                finding=one_line(read.summary.finding) if read.summary else "",
                flags=view.flags,
                abstract=marked(article, used.get(reference.n, ()) if reference else ()),
            )
        )
    unreadable = {
        record.id: record.reason
        for event in (run_log.fetched, run_log.chased)
        if event
        for record in event.unreadable
    }
    for place, id in enumerate(sorted(found - records.keys()), len(made)):
        why = (
            f"its record could not be read: {one_line(unreadable[id])}"
            if id in unreadable
            else "the source did not return it"
        )
        if run_log.fetched is None:
            why = "the run stopped before its record was fetched"
        kind, _, value = id.partition(":")
        pmid, doi = (value if kind == name else None for name in ("pmid", "doi"))
        bare = Article(id, id, pmid=pmid, doi=doi)
        made.append(
            FoundArticle(
                id,
                f"article-{place}",
                None,
                one_line(id),
                "",
                article_links(bare, resolver),
                "without a record",
                why,
                frozenset({"found", "left-out"}),
                "",
                (),
                (),
            )
        )
    return tuple(made)


def counted(articles: tuple[FoundArticle, ...], which: str) -> tuple[FoundArticle, ...]:
    """Those that a count counts."""
    return tuple(article for article in articles if which in article.in_counts)


def count_title(which: str, count: int) -> str:
    """``22 articles judged``."""
    return f"{number(count, 'article')} {COUNTS[which][0]}"
