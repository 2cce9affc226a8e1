"""The references of an answer, each with what the card of a citation shows: facts, notices, links,
passages.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from clinfo.records import Answer, Article, Reference, Sentence
from clinfo.references import name_of
from clinfo.text import one_line
from clinfo.views import NOT_VERIFIED, VERDICTS, EvidenceView, evidence_by_article, finding_of
from webapp.pipelines.literature.linking import Link, article_links
from webapp.pipelines.literature.passages import Excerpt, ShownSentence, excerpts, marked, sentences


@dataclass(frozen=True)
class Passage:
    """The passages of one article that a sentence rests on; without excerpts ``note`` says why
    there are none.

    ``word`` is the verdict on the sentence, ``judges`` are those who gave it.
    """

    sentence: str
    label: str
    excerpts: tuple[Excerpt, ...]
    note: str
    word: str
    judges: str


@dataclass(frozen=True)
class ShownReference:
    """A reference with all that the card of a citation shows."""

    n: int
    short: str
    title: str
    citation: str
    links: tuple[Link, ...]
    cited: bool
    facts: tuple[str, ...]
    notices: tuple[str, ...]
    retracted: bool
    passages: tuple[Passage, ...]
    year: int | None


@dataclass(frozen=True)
class Source:
    """A reference with its title and abstract, cut into parts of which each is marked or not: the
    passages of ``sentence``, of all sentences where it is "". ``passages`` are of those sentences.
    """

    reference: ShownReference
    sentence: str
    passages: tuple[Passage, ...]
    title: tuple[tuple[str, bool], ...]
    abstract: tuple[tuple[str, bool], ...]


def short_name(article: Article) -> str:
    """``Smith 2019``, ``Smith and Jones 2019``, ``Smith et al. 2019``; a few words of the title
    where nobody is named.
    """
    names = [name_of(author)[0] for author in article.authors]
    names = [one_line(name) for name in names if name]
    if not names:
        words = one_line(article.title).split()
        named = (
            "“" + " ".join(words[:4]) + ("…" if len(words) > 4 else "") + "”"
            if words
            else article.id
        )
    elif len(names) == 1:
        named = names[0]
    else:
        named = f"{names[0]} and {names[1]}" if len(names) == 2 else f"{names[0]} et al."
    return f"{named[:60]} {article.year}" if article.year else named[:60]


def references(
    answer: Answer,
    articles: Mapping[str, Article],
    resolver: str | None,
    only: int | None = None,
) -> tuple[ShownReference, ...]:
    """The references in the order of their numbers; that of the number ``only`` if there is one."""
    rows = evidence_by_article(answer)
    findings = {one.id: finding_of(one) for one in answer.articles if one.summary is not None}
    told: dict[str, list[str]] = {}
    for notice in answer.article_notices:
        told.setdefault(notice.id, []).append(one_line(notice.text))
    labelled = [*_labelled(answer, "tldr"), *_labelled(answer, "synthesis")]
    return tuple(
        ShownReference(
            n=reference.n,
            short=short_name(articles[reference.id]),
            title=one_line(reference.title),
            citation=one_line(reference.citation),
            links=article_links(articles[reference.id], resolver),
            cited=reference.cited,
            facts=rows[reference.id].facts if reference.id in rows else (),
            notices=tuple(told.get(reference.id, ())),
            retracted="retracted" in reference.flags,
            passages=tuple(
                _passage(
                    reference,
                    articles[reference.id],
                    shown,
                    sentence,
                    rows.get(reference.id),
                    findings.get(reference.id, ""),
                )
                for shown, sentence in labelled
                if reference.n in sentence.cites
            ),
            year=articles[reference.id].year,
        )
        for reference in answer.references
        if only is None or reference.n == only
    )


def source(
    answer: Answer, articles: Mapping[str, Article], n: int, sentence: str, resolver: str | None
) -> Source | None:
    """Reference ``n`` as the source of a sentence (its id on the page); a sentence that does not
    cite it counts as none given. None where there is no such reference.
    """
    shown = next(iter(references(answer, articles, resolver, n)), None)
    if shown is None:
        return None
    if all(one.sentence != sentence for one in shown.passages):
        sentence = ""
    article = articles[next(one.id for one in answer.references if one.n == n)]
    labelled = [*_labelled(answer, "tldr"), *_labelled(answer, "synthesis")]
    spans = [
        span
        for named, one in labelled
        for span in one.spans
        if span.n == n and sentence in ("", named.id)
    ]
    return Source(
        shown,
        sentence,
        tuple(one for one in shown.passages if sentence in ("", one.sentence)),
        marked(article, spans, "title"),
        marked(article, spans),
    )


def first_cited(answer: Answer) -> tuple[int, str] | None:
    """The first citation that a reader meets: its number and the id of its sentence."""
    return next(
        (
            (min(sentence.cites), named.id)
            for part in ("tldr", "synthesis")
            for named, sentence in _labelled(answer, part)
            if sentence.cites
        ),
        None,
    )


def _labelled(answer: Answer, part: str) -> list[tuple[ShownSentence, Sentence]]:
    of_part = [sentence for sentence in answer.sentences if sentence.part == part]
    return list(zip(sentences(answer, part, set()), of_part, strict=True))


def _passage(
    reference: Reference,
    article: Article,
    shown: ShownSentence,
    sentence: Sentence,
    row: EvidenceView | None,
    finding: str,
) -> Passage:
    cut = excerpts(article, [span for span in sentence.spans if span.n == reference.n])
    note = ""
    if not cut and (sentence.counts_only or sentence.added):
        note = f"Counted according to this run's reading of the study{_as_read(row, finding)}"
    elif sentence.verdict == "not_verified":
        note = f"{NOT_VERIFIED[:1].upper()}{NOT_VERIFIED[1:]}." + (
            f" ({shown.reason.rstrip('.')}.)" if shown.reason != NOT_VERIFIED else ""
        )
    elif not cut and sentence.verdict == "supported":
        note = (
            "No passage of this abstract was matched; the other sources of the sentence support it."
        )
    elif not cut:
        note = f"No passage of this abstract supports it: {shown.reason.rstrip('.')}."
    return Passage(
        shown.id, shown.label, cut, note, shown.word or VERDICTS[shown.verdict], shown.judges
    )


def _as_read(row: EvidenceView | None, finding: str) -> str:
    """Return how a study was read, in words."""
    read = f": “{finding}”" if finding else ", which no passage can show."
    if row is None:
        return read
    return f" ({row.told}){read}" if row.way else read
