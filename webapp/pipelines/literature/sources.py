"""Sentences of an answer, its references and the articles found, each with what a page shows of it:
links, marks, and the passages that a sentence rests on.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from operator import itemgetter
from types import SimpleNamespace
from typing import Any, Final, Literal
from urllib.parse import quote, urlencode

from clinfo import sources
from clinfo.pipelines.literature import LiteratureLog, SentencesRemoved
from clinfo.records import Answer, Article, Reference, Sentence, Span, Verdict
from clinfo.references import doi_of, name_of, title_of
from clinfo.text import citation_marks, one_line, printable_text
from clinfo.views import (
    NOT_VERIFIED,
    VERDICTS,
    EvidenceView,
    State,
    article_view,
    evidence_by_article,
    finding_of,
    listed,
    published,
    sentence_view,
)

LONGEST = 3_500
"""Characters of a query, as an address holds it, up to which PubMed takes it from a link."""
_PUBMED = "pubmed"


@dataclass(frozen=True)
class Link:
    """A name and an address."""

    name: str
    url: str


def article_links(article: Article, resolver: str | None = None) -> tuple[Link, ...]:
    """Return where an article is found, the record first; nowhere for a record whose id names no
    database.
    """
    places = (
        ("PubMed", "https://pubmed.ncbi.nlm.nih.gov/{}/", article.pmid, ""),
        ("PMC", "https://pmc.ncbi.nlm.nih.gov/articles/{}/", article.pmcid, ""),
        ("DOI", "https://doi.org/{}", doi_of(article), "/:;()"),
    )
    links = [Link(name, url.format(quote(id, safe))) for name, url, id, safe in places if id]
    if not links and article.id.startswith("s2:"):
        paper = quote(article.id.removeprefix("s2:"), safe="")
        links.append(Link("Semantic Scholar", f"https://www.semanticscholar.org/paper/{paper}"))
    if resolver:
        links.append(Link("Library", resolver_url(resolver, article)))
    return tuple(links)


def resolver_url(resolver: str, article: Article) -> str:
    """The address at which a library's link resolver finds an article (OpenURL, ANSI/NISO
    Z39.88-2004).
    """
    named = (("pmid", article.pmid), ("doi", doi_of(article)))
    ids = [("rft_id", f"info:{kind}/{id}") for kind, id in named if id]
    about = [
        ("rft.atitle", title_of(article)),
        ("rft.jtitle", article.journal or ""),
        ("rft.date", str(article.year or "")),
    ]  # where there is nothing to know the article by but its title
    known = [
        ("url_ver", "Z39.88-2004"),
        ("rft_val_fmt", "info:ofi/fmt:kev:mtx:journal"),
        ("rft.genre", "article"),
        *(ids or [pair for pair in about if pair[1]]),
    ]
    return f"{resolver}{'&' if '?' in resolver else '?'}{urlencode(known)}"


def hits_link(source: str, text: str) -> Link | None:
    """Return where the hits of a query can be counted again by hand, if the source has such a
    page.
    """
    there = sources.spec(source)
    return search_link(source, text) if there is not None and there.counts_there else None


def search_link(source: str, text: str) -> Link | None:
    """Return where a query of a source can be run by hand: there, else at PubMed; None for one too
    long to stand in an address.
    """
    there, term = sources.spec(source), quote(text, safe="")
    if there is None or there.search_page is None:
        there = sources.spec(_PUBMED)
    return (
        Link(there.title, f"{there.search_page}{term}")
        if there and there.search_page and 0 < len(term) <= LONGEST
        else None
    )


@dataclass(frozen=True)
class Piece:
    """A stretch of a sentence; with ``n`` it is a citation of that number, with ``more`` it stands
    for several.
    """

    text: str
    n: int | None = None
    more: tuple[int, ...] = ()


def pieces(text: str, known: Collection[int]) -> tuple[Piece, ...]:
    """A sentence with each of its citations apart; numbers that no article has stay text."""
    clean = printable_text(text)
    made: list[Piece] = []
    end = 0
    for mark in citation_marks(clean):
        if not all(n in known for n in mark.numbers):
            continue
        if before := clean[end : mark.start]:
            made.append(Piece(before))
        made += [Piece(f"[{n}]", n) for n in mark.numbers]
        end = mark.end
    if rest := clean[end:]:
        made.append(Piece(rest))
    return tuple(made)


MOST_CITED: Final = 4
"""Citations of a sentence of the TL;DR that stand there as such."""
MOST_QUOTED: Final = 40
"""Words of a quotation that the TL;DR shows unopened, to the end of a sentence if there is one."""


def folded(cut: tuple[Piece, ...], best: int | None = None) -> tuple[Piece, ...]:
    """A sentence with the citations beyond `MOST_CITED` in one piece, at the place of the first;
    that of the ``best`` source is never among them.
    """
    cited = tuple(dict.fromkeys(one.n for one in cut if one.n is not None))
    beyond = tuple(sorted(cited, key=lambda n: n != best)[MOST_CITED:])
    made: list[Piece] = []
    for one in cut:
        if one.n not in beyond:
            made.append(one)
        elif not any(piece.more for piece in made):
            made.append(Piece(f"+{len(beyond)}", more=beyond))
    return tuple(made)


def shortened(cut: tuple[Piece, ...]) -> tuple[tuple[Piece, ...], str]:
    """(a quotation cut after `MOST_QUOTED` words, the words that follow)."""
    words = cut[0].text.split()
    if len(words) <= MOST_QUOTED + 5:
        return cut, ""
    ends = (n for n in range(1, MOST_QUOTED + 6) if words[n - 1].endswith((".", "!", "?")))
    most = max(ends, default=MOST_QUOTED)
    rest = " ".join(words[most:])
    return (Piece(f"{' '.join(words[:most])} … ”"), *cut[1:]), rest.rstrip("” ")


def marked(text: str, places: Iterable[tuple[int, int]]) -> tuple[tuple[str, bool], ...]:
    """The text in parts, each with whether it lies at one of these places (code points)."""
    spans = [*places]
    cuts = sorted({0, len(text), *(min(at, len(text)) for span in spans for at in span)})
    pieces = ((text[a:b], any(x <= a and b <= y for x, y in spans)) for a, b in pairwise(cuts))
    parts = (
        ("".join(piece for piece, _ in own), quoted)
        for quoted, own in groupby(pieces, key=itemgetter(1))
    )
    return tuple((clean, quoted) for part, quoted in parts if (clean := printable_text(part)))


def marked_in(article: Article, spans: Iterable[Span], field: str) -> tuple[tuple[str, bool], ...]:
    """The whole abstract, or title, in parts, each with whether it is one of the passages."""
    text = article.title if field == "title" else article.abstract
    return marked(text, [(one.start, one.end) for one in spans if one.field == field])


MARKS: Mapping[Verdict | Literal["counted"], str] = {
    "supported": "",
    "counted": "#",
    "partial": "◐",
    "quoted": "",
    "not_verified": "?",
    "unsupported": "○",
    "contradicted": "≠",
    "uncited": "–",
}
"""The sign that stands before the word for a verdict."""


def sentences(answer: Answer, part: str, numbers: set[int]) -> tuple[SimpleNamespace, ...]:
    """The checked sentences of a part, in order; ``numbers`` are those that references have.

    ``id`` is the place of each on the page, ``label`` how it is called elsewhere on it. ``rest`` is
    what follows a quotation that is cut. ``mark`` and ``word`` tell that no passage supports it,
    and are "" where one does. ``judges`` are those whose verdict it is.
    """
    of_part = [sentence for sentence in answer.sentences if sentence.part == part]
    shown = []
    for place, sentence in enumerate(of_part, 1):
        label = (
            f"Sentence {place}"
            if part == "synthesis"
            else "TL;DR"
            if len(of_part) == 1
            else f"TL;DR, sentence {place}"
        )
        view, bullet = sentence_view(sentence), " ".join(printable_text(sentence.lead).split())
        cut, rest = pieces(sentence.text, numbers), ""
        if part == "tldr":
            cut = folded(cut, answer.best_source)
            cut, rest = shortened(cut) if sentence.verdict == "quoted" else (cut, "")
        shown.append(
            SimpleNamespace(
                id=f"{'s' if part == 'synthesis' else 't'}{place}",
                label=label,
                pieces=(Piece(f"{bullet} "), *cut) if bullet else cut,
                verdict=sentence.verdict,
                mark=MARKS[view.verdict] if view.marked else "",
                word=view.word if view.marked else "",
                reason="; ".join((view.reason, *(f"note: {one_line(n)}" for n in sentence.notes))),
                judges=listed([one_line(judge) for judge in sentence.judges])
                if view.verdict != "counted"
                else "",
                added=sentence.added,
                counts_only=sentence.counts_only,
                new_paragraph="\n" in sentence.lead,
                rest=rest,
            )
        )
    return tuple(shown)


def reasons(sentences: Sequence[SimpleNamespace]) -> list[dict[str, Any]]:
    """Return why the marked ones of these sentences are marked: a reason that several share stands
    once, ``name`` is the verdict's, for the page's style. What no check could tell and what only
    counts have one reason each.
    """
    shared = {"?": NOT_VERIFIED}
    by_reason: dict[tuple[str, str], list[SimpleNamespace]] = {}
    for sentence in sentences:
        if sentence.mark:
            by_reason.setdefault(
                (sentence.word, shared.get(sentence.mark, sentence.reason)), []
            ).append(sentence)
    return [
        {
            "name": "counted" if one[0].counts_only else one[0].verdict,
            "mark": one[0].mark,
            "word": word,
            "reason": why,
            "sentences": one,
        }
        for (word, why), one in by_reason.items()
    ]


def paragraphs(sentences: Sequence[SimpleNamespace]) -> tuple[tuple[SimpleNamespace, ...], ...]:
    """The sentences as the text has them in paragraphs."""
    paragraphs: list[list[SimpleNamespace]] = []
    for sentence in sentences:
        if sentence.new_paragraph or not paragraphs:
            paragraphs.append([])
        paragraphs[-1].append(sentence)
    return tuple(map(tuple, paragraphs))


def removed(run_log: LiteratureLog) -> list[dict[str, str]]:
    """The sentences that a strict run took out, and why."""
    return [
        {
            "where": "TL;DR" if event.part == "tldr" else "literature summary",
            "text": one_line(sentence.text),
            "word": VERDICTS[sentence.verdict],
            "reason": one_line(sentence.reason),
        }
        for event in run_log.all(SentencesRemoved)
        for sentence in event.sentences
    ]


def texts(texts: Sequence[str], numbers: set[int]) -> tuple[tuple[Piece, ...], ...]:
    """Texts that are not empty, with their citations apart."""
    return tuple(pieces(one_line(text), numbers) for text in texts if text)


def short_name(article: Article) -> str:
    """``Smith 2019``, ``Smith and Jones 2019``, ``Smith et al. 2019``; the journal where nobody
    is named, else a few words of the title.
    """
    names = [name_of(author)[0] for author in article.authors]
    names = [one_line(name) for name in names if name]
    if not names and article.journal:
        named = one_line(article.journal)
    elif not names:
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
) -> tuple[SimpleNamespace, ...]:
    """The references in the order of their numbers, with all that the card of a citation shows;
    that of the number ``only`` if there is one.
    """
    rows = evidence_by_article(answer)
    findings = {one.id: finding_of(one) for one in answer.articles if one.summary is not None}
    told: dict[str, list[str]] = {}
    for notice in answer.article_notices:
        told.setdefault(notice.id, []).append(one_line(notice.text))
    labelled = [*_labelled(answer, "tldr"), *_labelled(answer, "synthesis")]
    return tuple(
        SimpleNamespace(
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
) -> dict[str, Any] | None:
    """Reference ``n`` as the source of a ``sentence`` (its id on the page), with title and abstract
    in which its passages are marked, or of all sentences: one that does not cite it counts as none
    given. None where there is no such reference.
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
    return {
        "reference": shown,
        "sentence": sentence,
        "passages": [one for one in shown.passages if sentence in ("", one.sentence)],
        "title": marked_in(article, spans, "title"),
        "abstract": marked_in(article, spans, "abstract"),
    }


def first_cited(answer: Answer) -> tuple[int, str] | None:
    """The best source, else the first citation that a reader meets: its number and the id of the
    first sentence that cites it.
    """
    best = answer.best_source
    cited = next((best for one in answer.sentences if best in one.cites), None)
    return next(
        (
            (cited or min(sentence.cites), named.id)
            for part in ("tldr", "synthesis")
            for named, sentence in _labelled(answer, part)
            if (cited in sentence.cites if cited else sentence.cites)
        ),
        (best, "") if best else None,
    )


def _labelled(answer: Answer, part: str) -> list[tuple[SimpleNamespace, Sentence]]:
    of_part = [sentence for sentence in answer.sentences if sentence.part == part]
    return list(zip(sentences(answer, part, set()), of_part, strict=True))


def _passage(
    reference: Reference,
    article: Article,
    shown: SimpleNamespace,
    sentence: Sentence,
    row: EvidenceView | None,
    finding: str,
) -> SimpleNamespace:
    """The passages of an article that a sentence rests on; without ``quotes`` the ``note`` says why
    there are none. ``word`` is the verdict on the sentence, ``judges`` are those who gave it.
    """
    spans = [span for span in sentence.spans if span.n == reference.n]
    cut = tuple(
        words
        for field in ("title", "abstract")
        for words, quoted in marked_in(article, spans, field)
        if quoted
    )
    why = f" ({shown.reason.rstrip('.')}.)" if shown.reason != NOT_VERIFIED else ""
    unverified = f"{NOT_VERIFIED[:1].upper()}{NOT_VERIFIED[1:]}.{why}"
    notes = (
        (
            not cut and (sentence.counts_only or sentence.added),
            f"Counted according to this run's reading of the study{_as_read(row, finding)}",
        ),
        (sentence.verdict == "not_verified", unverified),
        (
            not cut and sentence.verdict == "supported",
            "No passage of this abstract was matched; the other sources of the sentence support "
            "it.",
        ),
        (not cut, f"No passage of this abstract supports it: {shown.reason.rstrip('.')}."),
    )
    note = next((told for holds, told in notes if holds), "")
    return SimpleNamespace(
        sentence=shown.id,
        label=shown.label,
        quotes=cut,
        note=note,
        word=shown.word or VERDICTS[shown.verdict],
        judges=shown.judges,
    )


def _as_read(row: EvidenceView | None, finding: str) -> str:
    """Return how a study was read, in words."""
    read = f": “{finding}”" if finding else ", which no passage can show."
    return f" ({row.told}){read}" if row is not None and row.way else read


COUNTS: Mapping[str, tuple[str, str]] = {
    "found": ("found", "Every article found by the queries and links, each once."),
    "fetched": ("records read", "The articles whose records the source returned."),
    "excluded": ("excluded", "Articles excluded from the run, each with the reason."),
    "not-judged": ("not judged", "Articles not assessed for this question, each with the reason."),
    "judged": ("judged", "Articles whose title and abstract were assessed for relevance."),
    "not-relevant": ("not relevant", "Articles judged not relevant, each with the reason."),
    "relevant": (
        "relevant",
        "Articles judged relevant, and those whose judgement could not be read.",
    ),
    "summarised": ("summarised", "Articles whose summary was used for the answer."),
    "cited": ("cited", "Articles that the answer cites."),
    "not-used": ("relevant but not used", "Relevant articles not cited, each with the reason."),
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


def found_articles(
    run_log: LiteratureLog, answer: Answer, resolver: str | None = None
) -> list[dict[str, Any]]:
    """All articles in rank order, those whose record did not come last, each with its fate and why
    (one line), and the counts that it belongs to; ``n`` is its citation number, None where it was
    not relevant.
    """
    records = {article.id: article for article in run_log.articles}
    references = {reference.id: reference for reference in answer.references}
    used: dict[int, list[Span]] = {}
    for sentence in answer.sentences:
        for span in sentence.spans:
            used.setdefault(span.n, []).append(span)
    queried = {id for result in run_log.results.values() for id in result.ids}
    followed = run_log.chased.ids if run_log.chased else ()
    found = queried | set(followed)
    made: list[dict[str, Any]] = []
    for read in answer.articles:
        article, reference, view = records[read.id], references.get(read.id), article_view(read)
        counts = {"fetched"} | _COUNTED[view.state] | ({"found"} if read.id in found else set())
        fate, why, spans = view.word, view.reason, list[Span]()
        if reference is not None:
            counts |= {"relevant"} | ({"summarised"} if read.summary is not None else set())
            spans = used.get(reference.n, [])
            kept = "summarised, not cited" if read.summary else "relevant, not summarised"
            fate = "cited" if reference.cited else kept
            if not reference.cited:
                counts.add("not-used")
                uncited = f"no sentence of the answer cites it; judged relevant: {view.reason}"
                why = view.later or uncited
        counts.add("cited" if reference is not None and reference.cited else "left-out")
        made.append(
            {
                "n": reference.n if reference else None,
                "title": one_line(read.title) or "(without a title)",
                "published": published(article),
                "links": article_links(article, resolver),
                "fate": fate,
                "reason": why,
                "in_counts": counts,
                "finding": one_line(read.summary.finding) if read.summary else "",
                "flags": view.flags,
                "retracted": "retracted" in view.flags,
                "abstract": marked_in(article, spans, "abstract"),
            }
        )
    unreadable = {
        record.id: record.reason
        for event in (run_log.fetched, run_log.chased)
        if event
        for record in event.unreadable
    }
    for id in sorted(found - records.keys()):
        why = "the source did not return it"
        if id in unreadable:
            why = f"its record could not be read: {one_line(unreadable[id])}"
        if run_log.fetched is None:
            why = "the run stopped before its record was fetched"
        kind, _, value = id.partition(":")
        pmid, doi = (value if kind == name else None for name in ("pmid", "doi"))
        lost: dict[str, Any] = {"n": None, "title": one_line(id), "fate": "without a record"}
        lost |= {"links": article_links(Article(id, id, pmid=pmid, doi=doi), resolver)}
        made.append(lost | {"reason": why, "in_counts": {"found", "left-out"}})
    return [one | {"anchor": f"article-{place}"} for place, one in enumerate(made)]
