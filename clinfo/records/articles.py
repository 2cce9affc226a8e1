"""The values that flow through the chain: frozen dataclasses, equal by content.

PMIDs are strings. An article's id is ``pmid:…``, ``doi:…`` or ``s2:…``. Money is US dollars, times
are seconds, dates are ISO 8601. Offsets are code points in an article's title or canonical abstract
(`Article.abstract`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from typing import Final, Literal
from urllib.parse import quote

from clinfo.records.request import JudgeChoice as JudgeChoice
from clinfo.records.request import Regime as Regime
from clinfo.records.request import RunRequest as RunRequest
from clinfo.records.request import Strategy as Strategy

Stance = Literal["supports", "contradicts", "mixed", "other outcomes"]
Direction = Literal["increased", "decreased", "no difference", "mixed", "unclear"]
Verdict = Literal[
    "supported", "partial", "quoted", "not_verified", "unsupported", "contradicted", "uncited"
]
Part = Literal["tldr", "synthesis", "summary", "doubts"]
Outcome = Literal["complete", "zero", "partly dropped"]
"""The outcome of a search: with hits for the whole query, without any hit, or with hits after the
source left out part of it.
"""

Result = Literal["found benefit", "harm", "no clear difference", "mixed", "not measured"]
"""The result of a study on what is asked, as a model read it."""
Control = Literal["placebo or none", "other treatment", "other dose"]
"""The kind of comparator of a study, as a model read it."""
Scale = Literal["ratio", "difference", "standardised difference", "values"]
"""The scale of an effect. No effect is 1 on ``ratio`` and 0 on the two kinds of difference;
``values`` are those of the two arms, set side by side.
"""

_IN_ADDRESS: Final = "/:()[]@!$&'*+,="
"""Signs of a DOI that may stand in an address; some programs part a field's value at ";"."""
RESULTS: tuple[Result, ...] = (
    "found benefit",
    "harm",
    "no clear difference",
    "mixed",
    "not measured",
)


@dataclass(frozen=True)
class Section:
    """One section of an abstract; ``label`` is None in an unstructured one, ``category`` is NLM's
    class of the label.
    """

    text: str
    label: str | None = None
    category: str | None = None


@dataclass(frozen=True)
class Author:
    """A person, or a group when ``collective`` is true (then ``last`` holds its name)."""

    last: str
    fore: str | None = None
    initials: str | None = None
    suffix: str | None = None
    collective: bool = False


@dataclass(frozen=True)
class DateInterval:
    """The days a stated date may mean: "2020" is 1 January to 31 December 2020. ``text`` is the
    date as printed.
    """

    start: date
    end: date
    text: str


@dataclass(frozen=True)
class Correction:
    """A link to a notice or to the corrected article; ``kind`` is PubMed's RefType (RetractionIn,
    ErratumIn, …).
    """

    kind: str
    citation: str = ""
    pmid: str | None = None


@dataclass(frozen=True)
class Book:
    """The book that a record is, or of which it is a chapter (``title``, then the article's own
    title is the chapter's).
    """

    title: str | None = None
    editors: tuple[Author, ...] = ()
    edition: str | None = None
    publisher: str | None = None
    place: str | None = None
    isbn: str | None = None


@dataclass(frozen=True)
class Article:
    """One bibliographic record with its abstract. ``major`` are the headings of ``mesh`` marked as
    its main topics; ``book`` is None for one of a journal.
    """

    id: str
    title: str
    pmid: str | None = None
    sections: tuple[Section, ...] = ()
    authors: tuple[Author, ...] = ()
    authors_complete: bool = True
    journal: str | None = None
    journal_abbreviation: str | None = None
    volume: str | None = None
    issue: str | None = None
    pages: str | None = None
    published: DateInterval | None = None
    electronic: date | None = None
    entered: date | None = None
    doi: str | None = None
    pmcid: str | None = None
    vernacular_title: str | None = None
    languages: tuple[str, ...] = ()
    publication_types: tuple[str, ...] = ()
    mesh: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    databank_numbers: tuple[str, ...] = ()
    corrections: tuple[Correction, ...] = ()
    references: tuple[str, ...] = ()
    status: str | None = None
    book: Book | None = None
    major: tuple[str, ...] = ()

    @property
    def abstract(self) -> str:
        """The canonical abstract: its sections as ``LABEL: text``, joined by one newline."""
        return "\n".join(
            f"{part.label}: {part.text}" if part.label else part.text for part in self.sections
        )

    @property
    def year(self) -> int | None:
        """Year of publication: of the printed date, else of the electronic one."""
        if self.published is not None:
            return self.published.start.year
        return self.electronic.year if self.electronic is not None else None

    @property
    def url(self) -> str:
        """Return where a reader finds the record: PubMed, else the DOI, else Semantic Scholar; ""
        for a source of one's own.
        """
        if self.pmid:
            return f"https://pubmed.ncbi.nlm.nih.gov/{self.pmid}/"
        if self.doi:
            return f"https://doi.org/{quote(self.doi, safe=_IN_ADDRESS)}"
        return (
            f"https://www.semanticscholar.org/paper/{self.id[3:]}"
            if self.id.startswith("s2:")
            else ""
        )


@dataclass(frozen=True)
class MeshDescriptor:
    """A MeSH heading with its entry terms and its places in the tree.

    ``actions`` are the headings of a substance's pharmacological actions, told where a file of MeSH
    is read and nowhere else.
    """

    ui: str
    heading: str
    entry_terms: tuple[str, ...] = ()
    tree_numbers: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()


@dataclass(frozen=True)
class MeshMatch:
    """The result of looking a text up in MeSH: a heading, an entry term of one, or neither, and
    then the nearest real headings.

    ``year`` is the edition's; None where a table's file did not tell.
    """

    text: str
    kind: Literal["heading", "entry term", "unknown"]
    descriptor: MeshDescriptor | None = None
    suggestions: tuple[str, ...] = ()
    year: int | None = field(default=None, compare=False)

    @property
    def edition(self) -> str:
        """The edition for a reader: "MeSH 2020", or "MeSH" where the year is not known."""
        return f"MeSH {self.year}" if self.year else "MeSH"


@dataclass(frozen=True)
class Pico:
    """The concepts of a question, as terms: population, intervention, comparator, outcome. Each may
    be empty.
    """

    population: tuple[str, ...] = ()
    intervention: tuple[str, ...] = ()
    comparator: tuple[str, ...] = ()
    outcome: tuple[str, ...] = ()


@dataclass(frozen=True)
class Query:
    """A query as it is meant: generated (then with the seed) or given by the user (then without).

    ``repairs`` are the rewrites that made it what it is, a sentence each; ``remarks`` what a check
    of it says and nobody changed. ``breadth`` is how wide a query of the strategy pico is (strict,
    standard, wide).
    """

    index: int
    text: str
    seed: int | None = None
    repairs: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    breadth: str | None = None


@dataclass(frozen=True)
class SearchRequest:
    """A request to a source: a query, how many ids, and limits kept apart from the query.

    ``published_from`` and ``published_to`` are inclusive; ``before`` (the restricted regime) is
    exclusive. A source may apply dates loosely, because the chain checks every fetched article by
    its one rule, but must not lose a match.
    """

    query: str
    limit: int
    filter: str | None = None
    published_from: date | None = None
    published_to: date | None = None
    before: date | None = None
    fresh: bool = False


@dataclass(frozen=True)
class SearchResult:
    """The answer of a source. ``ids`` are article ids, best first; ``count`` is all hits;
    ``sent_at`` is ISO 8601, UTC.
    """

    sent: str
    ids: tuple[str, ...]
    count: int
    sort: str
    sent_at: str
    translation: str | None = None
    warnings: tuple[str, ...] = ()
    outcome: Outcome = "complete"
    dropped: tuple[str, ...] = ()
    """The phrases, terms or fields of the query that the source left out or did not find."""


@dataclass(frozen=True)
class Related:
    """Article ids that a source links to one article, best first in each list."""

    similar: tuple[str, ...] = ()
    citing: tuple[str, ...] = ()
    cited: tuple[str, ...] = ()


@dataclass(frozen=True)
class Unreadable:
    """A record that a source returned and that could not be read, and why."""

    id: str
    reason: str


@dataclass(frozen=True)
class Fetched:
    """Articles by id (their order means nothing), ids the source did not return, and records that
    could not be read.
    """

    articles: tuple[Article, ...]
    missing: tuple[str, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()


@dataclass(frozen=True)
class Judgement:
    """A relevance judgement; ``relevant`` is None when the judge's reply could not be read (then
    kept and flagged).
    """

    id: str
    relevant: bool | None
    reason: str
    judge: str
    flags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Effect:
    """An effect as an abstract states it, and where.

    ``measure`` is its usual abbreviation (RR, OR, HR, IRR, RD, MD, SMD, WMD …); ``low`` and
    ``high`` bound the interval of ``level`` per cent, None where none is stated. ``unit`` is that
    of a difference or value ("mmHg", "%"), None without one. On the scale "values" ``estimate`` is
    the value of the intervention's arm and ``against`` that of the comparator's; ``p`` is the p
    value beside them, as it is written, and ``arms`` are the values of all arms as printed.
    ``turned`` is an estimate that is printed for the comparator against the intervention;
    ``subset`` names the studies or people that it is of, where not of all.
    ``span`` is None where no place of it is known.
    """

    measure: str
    scale: Scale
    estimate: float
    low: float | None
    high: float | None
    level: float | None
    unit: str | None
    span: Span | None = None
    against: float | None = None
    p: str | None = None
    arms: tuple[str, ...] = ()
    turned: bool = False
    subset: str = ""


@dataclass(frozen=True)
class Summary:
    """The reading of one article for the question: its finding, and what a model put into typed
    fields, None where the article does not say or the reply was prose only.

    ``answer`` is what the study answers: yes, no, unclear, or the name or amount asked for.
    ``sample_size`` is the people randomised or who entered, ``analysed`` those analysed;
    ``usefulness`` goes from 0 to 10. ``quotes`` are verbatim passages of the abstract.
    ``ungrounded`` counts the figures and quotations of the reply that do not stand in the abstract
    and were emptied.
    """

    finding: str
    design: str | None = None
    sample_size: int | None = None
    population: str | None = None
    bias: str | None = None
    stance: Stance | None = None
    effect_direction: Direction | None = None
    answer: str | None = None
    result: Result | None = None
    outcome: str | None = None
    analysed: int | None = None
    intervention: str | None = None
    comparator: str | None = None
    effect: Effect | None = None
    follow_up: str | None = None
    usefulness: int | None = None
    quotes: tuple[str, ...] = ()
    ungrounded: int = 0
    control: Control | None = None


@dataclass(frozen=True)
class Study:
    """A relevant article under its citation number ``n``, with its summary: what synthesis and
    checks stand on.

    ``notices`` are the kinds of what its reader must know (`clinfo.records.appraisal.NoticeKind`).
    Articles that report one study share
    a ``group`` above 0; 0 is an article of which no other report is known. ``unread`` says that the
    judgement of its relevance could not be read: it stays, shown as such, and leads nothing.
    """

    n: int
    article: Article
    summary: Summary | None
    notices: tuple[str, ...] = ()
    group: int = 0
    unread: bool = False


@dataclass(frozen=True)
class Span:
    """The passage of study ``n`` that supports a sentence: code points [start, end) of the title or
    canonical abstract.
    """

    n: int
    field: Literal["title", "abstract"]
    start: int
    end: int


PROGRAM: Final = "this program"
"""The author of a sentence that was added to what a model wrote."""


@dataclass(frozen=True)
class Sentence:
    """A checked sentence. ``lead`` is the white space (or list mark) that stood before it in the
    text.

    ``judges`` are those whose verdict this is: "rules" and the names of models, or `PROGRAM` alone
    where no model wrote it. ``counts_only`` says that it rests on nothing but this run's own record
    of how it read each study. ``notes`` are what code found, such as a number that stands in none
    of the articles cited for it; they are no verdict.
    """

    part: Part
    text: str
    cites: tuple[int, ...]
    verdict: Verdict
    reason: str
    spans: tuple[Span, ...] = ()
    lead: str = ""
    judges: tuple[str, ...] = ("rules",)
    counts_only: bool = False
    notes: tuple[str, ...] = ()

    @property
    def added(self) -> bool:
        """Return whether this program added the sentence to what the model wrote."""
        return self.judges == (PROGRAM,)


def text_of(sentences: Iterable[Sentence]) -> str:
    """The text that sentences make, as they were written."""
    return "".join(one.lead + one.text for one in sentences).strip()


@dataclass(frozen=True)
class Identifier:
    """A stretch of a text, code points [start, end), that seems to identify a patient, and what it
    seems to be.
    """

    start: int
    end: int
    kind: str


@dataclass(frozen=True)
class TermCount:
    """Hits of one term by itself, without the run's filter and dates; None where the source could
    not say.

    ``queries`` are the numbers of the queries that hold it.
    """

    term: str
    count: int | None
    queries: tuple[int, ...]


@dataclass(frozen=True)
class LineCount:
    """Hits of one line of a strategy, without the run's filter and dates; ``query`` is the number
    of the query it belongs to.
    """

    query: int
    number: int
    text: str
    count: int | None


@dataclass(frozen=True)
class SeedHit:
    """A query (by number) that finds a seed study, at which rank of all its hits; ``within`` the
    number asked for or beyond.

    ``rank`` is None where it lies beyond what the source lists, and where the source did not
    answer.
    """

    query: int
    rank: int | None
    within: bool


@dataclass(frozen=True)
class SeedLoss:
    """A query (by number) that does not find a seed study, and the parts of it that lose the
    study.

    No part is named where every one finds it and where nobody could tell; ``limits`` says that the
    run's filter or dates do.
    """

    query: int
    parts: tuple[str, ...] = ()
    limits: bool = False


@dataclass(frozen=True)
class SeedStudy:
    """The fate of a study that the search should find. ``in_source`` is None where the source could
    not say.

    ``unanswered`` are the queries, by number, of which the source did not say whether they find it:
    it is neither hit nor lost. ``chased`` says that a link from a relevant article brought it;
    ``became`` what the run made of it, "" where it did not come.
    """

    pmid: str
    in_source: bool | None
    hits: tuple[SeedHit, ...] = ()
    losses: tuple[SeedLoss, ...] = ()
    unanswered: tuple[int, ...] = ()
    chased: bool = False
    became: str = ""


@dataclass(frozen=True)
class CitationChase:
    """Articles linked to relevant ones: from which it began, links by kind, how many were new and
    how many of these taken.
    """

    began: tuple[str, ...]
    similar: int
    citing: int
    cited: int
    new: int
    taken: int
