"""PubMed's tagged queries answered by reading every record: a second understanding of the language,
which shares no code.

Nothing of the package is used but the values that a citation file is read into. Words, the fields
of a record, the hierarchy of MeSH and the meaning of each term are written out here from PubMed's
user guide, plainly and slowly. Only terms with a tag stand here (and the few without one that are
never mapped: PMIDs, ``hasabstract`` and its kin, ``heading/subheading``).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Literal

from clinfo.pubmed.citation import Citation
from clinfo.records.articles import Author

NARROWER_SUBHEADINGS: Mapping[str, tuple[str, ...]] = {
    "therapy": (
        "diet therapy",
        "drug therapy",
        "nursing",
        "prevention & control",
        "radiotherapy",
        "rehabilitation",
        "surgery",
        "transplantation",
    ),
    "surgery": ("transplantation",),
    "epidemiology": ("ethnology", "mortality"),
    "analysis": ("blood", "cerebrospinal fluid", "isolation & purification", "urine"),
    "adverse effects": ("poisoning", "toxicity"),
    "complications": ("secondary",),
    "microbiology": ("virology",),
    "diagnosis": (
        "diagnostic imaging",
        "pathology",
        "radiography",
        "radionuclide imaging",
        "ultrasonography",
    ),
    "diagnostic imaging": ("radiography", "radionuclide imaging", "ultrasonography"),
}
"""What of NLM's hierarchy of subheadings is asked here, and below `LEAF_SUBHEADINGS`, which have
nothing narrower.
"""

LEAF_SUBHEADINGS = frozenset(
    (
        "blood",
        "urine",
        "drug therapy",
        "diet therapy",
        "nursing",
        "prevention & control",
        "radiotherapy",
        "rehabilitation",
        "mortality",
        "ethnology",
        "genetics",
        "pathology",
        "radiography",
        "ultrasonography",
        "pharmacokinetics",
        "immunology",
        "psychology",
        "chemically induced",
        "transplantation",
        "poisoning",
        "virology",
        "economics",
        "methods",
        "instrumentation",
        "enzymology",
        "physiopathology",
        "parasitology",
        "administration & dosage",
        "antagonists & inhibitors",
        "isolation & purification",
    )
)

ENGLISH_NAMES = {
    "eng": "english",
    "ger": "german",
    "fre": "french",
    "spa": "spanish",
    "jpn": "japanese",
    "rus": "russian",
}


def tokens(text: str) -> list[str]:
    """Runs of letters and digits without case, accents and styles."""
    found: list[str] = []
    run = ""
    for char in unicodedata.normalize("NFKD", text).casefold() + " ":
        if char.isalnum():
            run += char
        elif unicodedata.category(char)[0] == "M":
            continue
        elif run:
            found.append(unicodedata.normalize("NFKC", run))
            run = ""
    return found


@cache
def same(text: str) -> str:
    """The form in which whole values are compared."""
    return " ".join(tokens(text))


STOPWORDS = frozenset(
    tokens(
        """
        a about again all almost also although always among an and another any are as at be because been before being between both
        but by can could did do does done due during each either enough especially etc for found from further had has have having
        here how however i if in into is it its itself just kg km made mainly make may mg might ml mm most mostly must nearly
        neither no nor obtained of often on our overall perhaps pmid quite rather really regarding seem seen several should show
        showed shown shows significantly since so some such than that the their theirs them then there therefore these they this
        those through thus to upon various very was we were what when which while with within without would
        """  # noqa: E501
    )
)
"""PubMed's list: such a word alone finds nothing; inside a phrase it is a word like any other."""


# Terms and queries


@dataclass(frozen=True)
class Phrase:
    """Words side by side in one text of a field; with ``prefix`` the last one may go on."""

    field: str
    text: str
    prefix: bool = False


@dataclass(frozen=True)
class Near:
    """Words in any order in one text, at most ``between`` other words among them."""

    field: str
    text: str
    between: int


@dataclass(frozen=True)
class Subject:
    """A heading by its name or an entry term, perhaps with a subheading."""

    name: str
    major: bool = False
    explode: bool = True
    subheading: str | None = None
    prefix: bool = False


@dataclass(frozen=True)
class Subheading:
    name: str
    explode: bool = True


@dataclass(frozen=True)
class PublicationType:
    name: str
    explode: bool = True


@dataclass(frozen=True)
class Value:
    """A whole value of a journal, a language, an identifier; with ``prefix`` its beginning."""

    field: str
    text: str
    prefix: bool = False


@dataclass(frozen=True)
class Name:
    """A person: one whose indexed name begins with the text, is it, or has it as the whole words
    that it begins with.
    """

    field: str
    text: str
    how: Literal["begins", "is", "first words"]


@dataclass(frozen=True)
class Pmids:
    """Any of these."""

    numbers: tuple[int, ...]


@dataclass(frozen=True)
class PmidRange:
    first: int
    last: int


@dataclass(frozen=True)
class Dated:
    """A day within [first, last]. As a range, a date of publication is also the electronic one."""

    field: str
    first: date
    last: date
    range: bool = False


@dataclass(frozen=True)
class Flag:
    """An untagged filter such as hasabstract."""

    name: str


Meaning = (
    Phrase
    | Near
    | Subject
    | Subheading
    | PublicationType
    | Value
    | Name
    | Pmids
    | PmidRange
    | Dated
    | Flag
)
Operator = Literal["AND", "OR", "NOT"]


@dataclass(frozen=True)
class Leaf:
    """A term as it is typed, and what it means."""

    typed: str
    meaning: Meaning


@dataclass(frozen=True)
class Chain:
    """Parts in a row, worked off from left to right."""

    typed: str
    first: Query
    rest: tuple[tuple[Operator, Query], ...]


Query = Leaf | Chain


# Records


@dataclass(frozen=True)
class Record:
    """What a query can ask of a citation. Texts have a space at either end and between words;
    values are in `same` form.
    """

    id: str
    pmid: int
    texts: Mapping[str, tuple[str, ...]]
    headings: tuple[tuple[str, bool, tuple[tuple[str, bool], ...]], ...]
    whole: Mapping[str, str]
    """All texts of a field, one a line; no phrase reaches over a line's end."""
    types: frozenset[str]
    values: Mapping[str, frozenset[str]]
    names: Mapping[str, frozenset[str]]
    days: Mapping[str, tuple[tuple[date, date], ...]]
    flags: frozenset[str]


def record(citation: Citation) -> Record:
    article = citation.article
    title = [article.title]
    abstract = [f"{part.label or ''} {part.text}" for part in article.sections]
    abstract += [other.text for other in citation.other_abstracts]
    abstract += [*article.keywords, citation.book or "", citation.collection or ""]
    heads = [(one.descriptor, one.major, one.qualifiers) for one in citation.headings]
    if not heads:
        heads = [(name, False, ()) for name in article.mesh]
    persons = [one for one in article.authors if not one.collective]
    groups = [one.last for one in article.authors if one.collective]
    more = [name for name, _, _ in heads] + [
        qualifier.name for _, _, qualifiers in heads for qualifier in qualifiers
    ]
    more += [
        *article.publication_types,
        *(name for name, _ in citation.substances),
        *citation.supplementary,
        *groups,
    ]
    more += _every_form(citation.personal_subjects)
    more += [part for bank in citation.databanks for part in bank] + list(article.databank_numbers)
    more += [link.citation for link in article.corrections] + [
        *citation.space_flight,
        *citation.gene_symbols,
    ]
    identifiers = [value for _, value in citation.identifiers] or [
        article.pmid or "",
        article.doi or "",
        article.pmcid or "",
    ]
    journal = [
        name or ""
        for name in (
            article.journal,
            article.journal_abbreviation,
            citation.medline_journal,
            citation.nlm_id,
            *citation.issns,
        )
    ]
    languages = [name for code in article.languages for name in (code, ENGLISH_NAMES.get(code, ""))]
    # The user guide leaves only the place of publication and five dates out of All Fields.
    rest = [
        *_every_form(persons),
        *_every_form(citation.investigators),
        *_every_form(citation.editors),
    ]
    rest += [
        *citation.affiliations,
        *journal,
        *citation.grants,
        article.volume or "",
        article.issue or "",
        article.pages or "",
    ]
    rest += [
        article.vernacular_title or "",
        citation.conflict or "",
        *identifiers,
        *languages,
        *citation.general_notes,
    ]
    rest += [citation.publisher or "", *citation.isbns, *citation.author_identifiers]
    rest += [number for _, number in citation.substances]
    texts = {
        "ti": title,
        "tiab": title + abstract,
        "tw": title + abstract + more,
        "all": title + abstract + more + rest,
        "ot": list(article.keywords),
        "ad": list(citation.affiliations),
        "tt": [article.vernacular_title or ""],
        "cois": [citation.conflict or ""],
        "gr": list(citation.grants),
        "cn": groups,
    }
    values = {
        "ta": journal,
        "la": languages,
        "aid": identifiers,
        "vi": [article.volume or ""],
        "nm": [*(name for name, _ in citation.substances), *citation.supplementary],
        "rn": [number for _, number in citation.substances],
        "pl": [citation.country or ""],
        "sb": _subsets(citation),
    }
    entry = dict(citation.days)
    if not entry and article.entered:
        entry = {"edat": article.entered, "crdt": article.entered}
    days: dict[str, tuple[tuple[date, date], ...]] = {
        store: ((day, day),) for store, day in entry.items()
    }
    days["dp"] = ((article.published.start, article.published.end),) if article.published else ()
    days["epdat"] = tuple(
        (day, day) for day in citation.all_electronic or filter(None, (article.electronic,))
    )
    if not days["epdat"] and (citation.publication_model or "").startswith("Electronic"):
        days["epdat"] = days["dp"]  # the only date of a journal that is not printed
    lines = {
        tag: tuple(f" {line} " for text in some if (line := same(text)))
        for tag, some in texts.items()
    }
    return Record(
        id=article.id,
        pmid=int(article.pmid or 0),
        texts=lines,
        whole={tag: "\n".join(some) for tag, some in lines.items()},
        headings=tuple(
            (same(name), star, tuple((same(one.name), one.major) for one in qualifiers))
            for name, star, qualifiers in heads
        ),
        types=frozenset(map(same, article.publication_types)),
        values={tag: frozenset(filter(None, map(same, some))) for tag, some in values.items()},
        names={
            "au": frozenset(_with_initials(persons)),
            "1au": frozenset(_with_initials(persons[:1])),
            "lastau": frozenset(_with_initials(persons[-1:])),
        },
        days=days,
        flags=frozenset(_flags(citation)),
    )


def _with_initials(persons: Iterable[Author]) -> Iterator[str]:
    for person in persons:
        initials = person.initials or "".join(
            part[0] for part in (person.fore or "").replace("-", " ").split()
        )
        yield same(f"{person.last} {initials}")
        if person.suffix:
            yield same(f"{person.last} {initials} {person.suffix}")


def _every_form(persons: Sequence[Author]) -> list[str]:
    full = [
        form
        for one in persons
        if one.fore
        for form in (f"{one.last} {one.fore}", f"{one.fore} {one.last}")
    ]
    return [*_with_initials(persons), *full]


def _subsets(citation: Citation) -> Iterator[str]:
    names = {
        "MEDLINE": "medline",
        "PubMed-not-MEDLINE": "pubmednotmedline",
        "Publisher": "publisher",
    }
    names |= {"In-Process": "inprocess", "In-Data-Review": "inprocess"}
    yield names.get(citation.article.status or "", "")
    if citation.article.pmcid:
        yield "pubmed pmc"


def _flags(citation: Citation) -> Iterator[str]:
    if citation.article.sections:
        yield "hasabstract"
    if any(part.label for part in citation.article.sections):
        yield "hasstructuredabstract"
    if citation.article.keywords:
        yield "haskeyword"
    if citation.conflict:
        yield "hascois"
    for link in citation.article.corrections:
        yield f"has{link.kind.casefold()}"


# Answers


class Reading:
    """Records and MeSH to be asked. ``mesh`` maps a heading to (its numbers in the tree, its entry
    terms).
    """

    def __init__(
        self, citations: Iterable[Citation], mesh: Mapping[str, tuple[Sequence[str], Sequence[str]]]
    ) -> None:
        self.records = [record(citation) for citation in citations]
        self.ids = frozenset(one.id for one in self.records)
        self.places: dict[str, set[str]] = {}
        """Numbers in the tree by heading; of two headings that differ by no word, those of both."""
        self.entries: dict[str, set[str]] = {}
        """Headings by entry term."""
        for heading, (numbers, entries) in mesh.items():
            self.places.setdefault(same(heading), set()).update(numbers)
            for entry in entries:
                self.entries.setdefault(same(entry), set()).add(same(heading))
        self.numbered = [
            (number, heading) for heading, numbers in self.places.items() for number in numbers
        ]
        borne = {
            name
            for one in self.records
            for name in (*one.types, *(heading for heading, _, _ in one.headings))
        }
        self.borne = [(number, heading) for number, heading in self.numbered if heading in borne]
        self.exploded = cache(self._exploded)
        self._answers: dict[Meaning, frozenset[str]] = {}

    def answer(self, query: Query) -> frozenset[str]:
        """The ids that a query finds."""
        if isinstance(query, Leaf):
            if query.meaning not in self._answers:
                holds = self.test(query.meaning)
                self._answers[query.meaning] = frozenset(
                    one.id for one in self.records if holds(one)
                )
            return self._answers[query.meaning]
        found = self.answer(query.first)
        for operator, part in query.rest:
            other = self.answer(part)
            found = (
                found & other
                if operator == "AND"
                else found | other
                if operator == "OR"
                else found - other
            )
        return found

    def test(self, meaning: Meaning) -> Callable[[Record], bool]:
        """Return what tells whether a record is one that the term means."""
        match meaning:
            case Phrase(tag, text, prefix):
                line = same(text)
                if not line or (not prefix and line in STOPWORDS):
                    return lambda one: False
                wanted = f" {line}" if prefix else f" {line} "
                return lambda one: wanted in one.whole[tag]
            case Near(tag, text, between):
                words = tokens(text)
                return lambda one: (
                    all(f" {word} " in one.whole[tag] for word in words)
                    and any(close(words, some.split(), between) for some in one.texts[tag])
                )
            case Subject():
                return self._subject(meaning)
            case Subheading(name, explode):
                qualifiers = subheadings(name, explode)
                return lambda one: any(
                    qualifier in qualifiers
                    for _, _, pairs in one.headings
                    for qualifier, _ in pairs
                )
            case PublicationType(name, explode):
                kind = same(name)
                meant = (
                    next(iter(self.entries.get(kind, ())), kind)
                    if kind not in self.places
                    else kind
                )
                kinds = {kind, *(self.exploded(meant) if explode else (meant,))}
                return lambda one: not one.types.isdisjoint(kinds)
            case Value(tag, text, prefix):
                value = same(text)
                if prefix:
                    return lambda one: any(some.startswith(value) for some in one.values[tag])
                return lambda one: value in one.values[tag]
            case Name(tag, text, how):
                name = same(text)
                if how == "is":
                    return lambda one: name in one.names[tag]
                if how == "begins":
                    return lambda one: any(some.startswith(name) for some in one.names[tag])
                return lambda one: any(f"{some} ".startswith(f"{name} ") for some in one.names[tag])
            case Pmids(numbers):
                return lambda one: one.pmid in numbers
            case PmidRange(lowest, highest):
                return lambda one: lowest <= one.pmid <= highest
            case Dated(store, first, last, is_range):
                stores = ("dp", "epdat") if store == "dp" and is_range else (store,)
                return lambda one: any(
                    low <= last and first <= high
                    for some in stores
                    for low, high in one.days.get(some, ())
                )
            case Flag(flag):
                return lambda one: flag in one.flags

    def _subject(self, asked: Subject) -> Callable[[Record], bool]:
        name = same(asked.name)
        meant = name
        if name not in self.places and not asked.prefix:
            headings = self.entries.get(name, set())
            assert len(headings) < 2, (
                f"{name} leads to several headings, which is not a question for this reading"
            )
            meant = next(iter(headings), name)
        # A name that MeSH has given up is still the heading of the records that bear it.
        wanted = {name, *(self.exploded(meant) if asked.explode else (meant,))}
        qualifiers = subheadings(asked.subheading, asked.explode) if asked.subheading else None

        def holds(one: Record) -> bool:
            for heading, star, pairs in one.headings:
                if not (heading.startswith(name) if asked.prefix else heading in wanted):
                    continue
                if qualifiers is None:
                    if not asked.major or star or any(its_star for _, its_star in pairs):
                        return True
                elif any(
                    pair in qualifiers and (not asked.major or star or its_star)
                    for pair, its_star in pairs
                ):
                    return True
            return False

        return holds

    def _exploded(self, name: str) -> frozenset[str]:
        """The heading and all that some record bears and that stand below one of its numbers."""
        above = tuple(f"{number}." for number in self.places.get(name, ()))
        below = (heading for number, heading in self.borne if above and number.startswith(above))
        return frozenset((name, *below))


def subheadings(name: str, explode: bool) -> frozenset[str]:
    """A subheading with those below it."""
    plain = {same(one): narrower for one, narrower in NARROWER_SUBHEADINGS.items()}
    narrower = plain.get(same(name), ()) if explode else ()
    return frozenset(map(same, (name, *narrower)))


def close(words: Sequence[str], text: Sequence[str], between: int) -> bool:
    """Return whether some choice of different places for the words spans at most their number and
    ``between`` more.
    """
    widest = len(words) + between
    for start in range(len(text)):
        window = list(text[start : start + widest])
        if window[0] in words:
            try:
                for word in words:
                    window.remove(word)
            except ValueError:
                continue
            return True
    return False


def parts(query: Query) -> Iterator[Query]:
    """The query and all that it is made of."""
    yield query
    if isinstance(query, Chain):
        for part in (query.first, *(part for _, part in query.rest)):
            yield from parts(part)
