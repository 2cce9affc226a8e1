"""Random queries over real records, so made that they often find something: trees of
`tests.pubmed.brute_force`, and their text. Ways of typing the same (quotes, case, blanks, odd
groups) are `tests.pubmed.test_query`'s; here a term is typed plainly, by any spelling of its tag.
"""

from __future__ import annotations

import calendar
import random
import re
from collections.abc import Mapping, Sequence
from datetime import date, timedelta

from clinfo.pubmed.citation import Citation
from tests.pubmed.brute_force import (
    ENGLISH_NAMES,
    LEAF_SUBHEADINGS,
    NARROWER_SUBHEADINGS,
    Chain,
    Dated,
    Flag,
    Leaf,
    Name,
    Near,
    Operator,
    Phrase,
    PmidRange,
    Pmids,
    PublicationType,
    Query,
    Reading,
    Subheading,
    Subject,
    Value,
    same,
    tokens,
)

TAGS: Mapping[str, tuple[str, ...]] = {
    "ti": ("ti", "Title", "TITL", "title word"),
    "tiab": ("tiab", "TIAB", "Title/Abstract", "title/abstract"),
    "tw": ("tw", "Text Word", "text words", "WORD"),
    "all": ("all", "All Fields", "ALL"),
    "ot": ("ot", "Other Term"),
    "ad": ("ad", "Affiliation", "AFFL"),
    "tt": ("tt", "Transliterated Title"),
    "cois": ("cois",),
    "gr": ("gr", "Grants and Funding"),
    "cn": ("cn", "Author - Corporate"),
    "mh": ("mh", "MeSH Terms", "mesh", "MeSH", "MESH"),
    "majr": ("majr", "MeSH Major Topic", "Majr"),
    "sh": ("sh", "MeSH Subheading", "subheading"),
    "pt": ("pt", "Publication Type", "ptyp"),
    "la": ("la", "Language", "lang"),
    "au": ("au", "Author", "AU"),
    "1au": ("1au", "Author - First"),
    "lastau": ("lastau", "Author - Last"),
    "ta": ("ta", "Journal", "jour"),
    "pmid": ("pmid", "UID", "PMID"),
    "aid": ("aid", "Article Identifier"),
    "vi": ("vi", "Volume"),
    "nm": ("nm", "Supplementary Concept"),
    "rn": ("rn", "EC/RN Number"),
    "pl": ("pl", "Place of Publication"),
    "sb": ("sb", "Filter", "subset"),
    "dp": ("dp", "pdat", "Date - Publication", "Publication Date"),
    "edat": ("edat", "Date - Entry", "Entrez Date"),
    "crdt": ("crdt", "Date - Create"),
    "mhda": ("mhda", "Date - MeSH"),
    "lr": ("lr", "Date - Modification"),
    "epdat": ("epdat", "Electronic Publication Date"),
}  # fmt: skip
FLAGS = ("hasabstract", "hasstructuredabstract", "haskeyword", "hascois", "hascommentin")
SUBSETS = ("medline", "pubmednotmedline", "publisher", "inprocess", "pubmed pmc")
TEXTS = ("ti", "tiab", "tiab", "tw", "all", "ot", "ad", "tt", "gr", "cois", "cn")
_LETTERED = re.compile(r"[a-z0-9]+")
_UNQUOTABLE = re.compile('["“”„‟«»″*∗＊\n\\]\\[%&;]')
"""What may not stand in a piece of text that goes between quotes as it is."""


class Draws:
    """Queries over some records, drawn by ``rng``. ``reading`` answers them, ``citations`` lend
    their words.
    """

    def __init__(
        self,
        citations: Sequence[Citation],
        reading: Reading,
        mesh: Mapping[str, tuple[Sequence[str], Sequence[str]]],
    ) -> None:
        self.reading = reading
        self.rng = random.Random(0)
        articles = [one.article for one in citations]
        self.texts = {
            tag: [
                text.split() for one in reading.records for text in one.texts[tag] if text.split()
            ]
            for tag in TEXTS
        }  # fmt: skip
        self.raw = [one.title for one in articles]
        self.raw += [part.text for one in articles for part in one.sections]
        self.pairs = [heading for one in reading.records for heading in one.headings]
        self.surfaces = {same(name): name for name in mesh}
        self.surfaces |= {
            same(own.descriptor): own.descriptor for one in citations for own in one.headings
        }
        # Of a name that leads to several headings nobody says here which is meant.
        several = {name for name, own in reading.entries.items()
                   if len(own) > 1 and name not in reading.places}  # fmt: skip
        self.headings = sorted({heading for heading, _, _ in self.pairs} - several)
        near = {*self.headings, *(above for name in self.headings for above in self.above(name))}
        self.subjects = sorted(near) + sorted(
            name
            for name, own in reading.entries.items()
            if len(own) == 1 and own <= near and name not in reading.places and len(name) > 2
        )
        types = sorted({name for one in articles for name in one.publication_types
                        if same(name) not in several})  # fmt: skip
        self.types = types + [self.surfaces[above] for kind in types
                              for above in self.above(same(kind))]  # fmt: skip
        self.persons = [
            (tag, name)
            for one in reading.records
            for tag, some in one.names.items()
            for name in some
            if all(map(_LETTERED.fullmatch, name.split())) and not _has_operator(name)
        ]
        values = {
            "la": [text for both in ENGLISH_NAMES.items() for text in both],
            "sb": SUBSETS,
            "ta": {name for one in citations for name in
                   (one.article.journal, one.medline_journal, one.nlm_id, *one.issns)},
            "aid": {text for one in citations for kind, text in one.identifiers
                    if kind in ("doi", "pii")},
            "vi": {one.volume for one in articles},
            "nm": {name for one in citations for name, _ in one.substances},
            "rn": {number for one in citations for _, number in one.substances if number != "0"},
            "pl": {one.country for one in citations},
        }  # fmt: skip
        kept = {tag: sorted(text for text in some if text and not _UNQUOTABLE.search(text)
                            and tokens(text) and all(map(_LETTERED.fullmatch, tokens(text))))
                for tag, some in values.items()}  # fmt: skip
        self.values = {tag: some for tag, some in kept.items() if some}
        self.days = {
            tag: sorted({day for one in reading.records for both in one.days.get(tag, ())
                         for day in both})
            for tag in ("dp", "edat", "crdt", "mhda", "lr", "epdat")
        }  # fmt: skip
        self.pmids = sorted(one.pmid for one in reading.records)
        self.kinds = {
            self.words: 40, self.quoted_piece: 10, self.across: 8, self.subject: 16, self.pair: 5,
            self.classed: 8, self.name: 9, self.value: 11, self.pmid: 4, self.dated: 14,
        }  # fmt: skip

    def above(self, name: str) -> list[str]:
        """The headings right above a heading."""
        numbers = {number.rpartition(".")[0] for number in self.reading.places.get(name, ())}
        return [heading for number, heading in self.reading.numbered if number in numbers]

    # Queries

    def query(self, depth: int = 0) -> Query:
        first, typed = self.part(depth)
        rest: list[tuple[Operator, Query]] = []
        for _ in range(self.rng.choice((0, 0, 1, 1, 2, 3))):
            operator: Operator = self.rng.choice(("AND", "AND", "OR", "OR", "NOT"))
            part, text = self.part(depth)
            rest.append((operator, part))
            typed = f"{typed} {operator} {text}"
        return Chain(typed, first, tuple(rest)) if rest else first

    def part(self, depth: int) -> tuple[Query, str]:
        """A part of a chain, and its text as it stands there."""
        if depth < 3 and self.rng.random() < 0.25:
            query = self.query(depth + 1)
            return query, f"({query.typed})"
        while True:
            make = self.rng.choices([*self.kinds], [*self.kinds.values()])[0]
            if (leaf := make()) is not None:
                return leaf, leaf.typed

    def tag(self, field: str, more: str = "") -> str:
        return f"[{self.rng.choice(TAGS[field])}{more}]"

    # Terms

    def words(self) -> Leaf | None:
        """Words of a text: side by side, the last one perhaps cut, or in any order near another."""
        field = self.rng.choice(TEXTS)
        some = self.texts[field if self.rng.random() < 0.9 else "all"]
        text = self.rng.choice(some) if some else []
        place = self.rng.randrange(len(text)) if text else 0
        chosen = text[place : place + self.rng.choice((1, 1, 1, 2, 2, 3, 4))]
        how = self.rng.randrange(4)
        if not chosen or not all(map(_LETTERED.fullmatch, chosen)):
            return None
        if how == 0 and len(chosen) > 1 and field in ("ti", "tiab", "ad"):
            reach = [*filter(_LETTERED.fullmatch, text[place : place + 9])]
            chosen = self.rng.sample(reach, self.rng.randint(2, min(4, len(reach))))
            between = self.rng.choice((0, 0, 1, 2, 3, 5, 8, 50))
            return Leaf(f'"{" ".join(chosen)}"{self.tag(field, f":~{between}")}',
                        Near(field, " ".join(chosen), between))  # fmt: skip
        if how == 1 and len(chosen[-1]) >= 4:
            chosen[-1] = chosen[-1][: self.rng.randint(4, 8)]
            cut = " ".join(chosen)
            return Leaf(f'"{cut}*"{self.tag(field)}', Phrase(field, cut, prefix=True))
        if how == 2:
            self.rng.shuffle(chosen)
        bare = len(chosen) == 1 and field != "all"  # there it would be mapped
        typed = chosen[0] if bare else f'"{" ".join(chosen)}"'
        return Leaf(typed + self.tag(field), Phrase(field, " ".join(chosen)))

    def quoted_piece(self) -> Leaf | None:
        """A piece of a real text with all that stands in it."""
        raw = self.rng.choice(self.raw).split()
        place = self.rng.randrange(len(raw)) if raw else 0
        piece = " ".join(raw[place : place + self.rng.randint(1, 4)])
        odd = any(char.isalpha() and ord(char) > 0x24F for char in piece)
        if odd or _UNQUOTABLE.search(piece) or not tokens(piece):
            return None
        field = self.rng.choice(("ti", "tiab", "tw", "all", "ad"))
        return Leaf(f'"{piece}"{self.tag(field)}', Phrase(field, piece))

    def across(self) -> Leaf | None:
        """The last words of one text and the first of another: a phrase that hardly any record
        has.
        """
        field = self.rng.choice(("tiab", "tw", "all"))
        texts = self.rng.choice(self.reading.records).texts[field]
        if len(texts) < 2:
            return None
        place = self.rng.randrange(len(texts) - 1)
        chosen = texts[place].split()[-2:] + texts[place + 1].split()[: self.rng.randint(1, 2)]
        if not all(map(_LETTERED.fullmatch, chosen)):
            return None
        words = " ".join(chosen)
        if field == "tiab" and self.rng.random() < 0.3:
            return Leaf(f'"{words}"{self.tag(field, ":~2")}', Near(field, words, 2))
        return Leaf(f'"{words}"{self.tag(field)}', Phrase(field, words))

    def explode(self) -> tuple[bool, str]:
        """Whether narrower names count, and what stands in the tag for it."""
        return (True, "") if self.rng.random() < 0.7 else (False, ":noexp")

    def subject(self) -> Leaf | None:
        """A heading that a record bears, one above it, or an entry term; or its beginning."""
        if not self.subjects:
            return None
        name, (explode, more) = self.rng.choice(self.subjects), self.explode()
        major = self.rng.random() < 0.25
        tag = self.tag("majr" if major else "mh", more)
        stem = same(name)[: self.rng.randint(4, 10)].strip()
        cut = len(stem.split()[-1]) >= 4 and all(map(_LETTERED.fullmatch, stem.split()))
        if cut and explode and name in self.reading.places and self.rng.random() < 0.1:
            return Leaf(f'"{stem}*"{tag}', Subject(stem, major, prefix=True))
        name = self.surfaces.get(name, name)
        return Leaf(f'"{name}"{tag}', Subject(name, major, explode))

    def pair(self) -> Leaf | None:
        """A heading with a subheading, or one above it."""
        heading, _, pairs = self.rng.choice(self.pairs) if self.pairs else ("", False, ())
        known = {same(name): name for name in (*LEAF_SUBHEADINGS, *NARROWER_SUBHEADINGS)}
        own = [known[name] for name, _ in pairs if name in known]
        if not own or heading not in self.headings or heading not in self.reading.places:
            return None
        wanted = self.rng.choice(own)
        wanted = self.rng.choice([wanted, *(name for name, below in NARROWER_SUBHEADINGS.items()
                                            if wanted in below)])  # fmt: skip
        name = self.rng.choice([heading, heading, *self.above(heading)])
        name = self.surfaces.get(name, name)
        field, (explode, more) = self.rng.choice(("mh", "mh", "majr")), self.explode()
        if "/" in name:
            return None
        return Leaf(f'"{name}/{wanted}"{self.tag(field, more)}',
                    Subject(name, field == "majr", explode, wanted))  # fmt: skip

    def classed(self) -> Leaf:
        """A subheading alone, a type of publication, or a filter."""
        how, (explode, more) = self.rng.randrange(3), self.explode()
        if how == 0:
            name = self.rng.choice(sorted({*LEAF_SUBHEADINGS, *NARROWER_SUBHEADINGS}))
            return Leaf(f'"{name}"{self.tag("sh", more)}', Subheading(name, explode))
        if how == 1 and self.types:
            name = self.rng.choice(self.types)
            return Leaf(f'"{name}"{self.tag("pt", more)}', PublicationType(name, explode))
        name = self.rng.choice(FLAGS)
        return Leaf(name, Flag(name))

    def name(self) -> Leaf | None:
        field, name = self.rng.choice(self.persons) if self.persons else ("", "")
        family, _, initials = name.rpartition(" ")
        if not family or len(initials) > 2:
            return None
        how = self.rng.randrange(4)
        if how == 0:
            return Leaf(f'"{name}"{self.tag(field)}', Name(field, name, "is"))
        if how == 1 and len(family) > 4 and " " not in family:
            return Leaf(family + self.tag(field), Name(field, family, "first words"))
        if how == 2 and len(family) > 4 and " " not in family:
            stem = family[: self.rng.randint(4, len(family))]
            return Leaf(f"{stem}*{self.tag(field)}", Name(field, stem, "begins"))
        typed = f"{family} {initials[: self.rng.randint(1, len(initials))]}"
        return Leaf(typed + self.tag(field), Name(field, typed, "begins"))

    def value(self) -> Leaf:
        field = self.rng.choice([*self.values])
        value = self.rng.choice(self.values[field])
        stem = tokens(value)[0][:5]
        if field == "ta" and len(stem) == 5 and self.rng.random() < 0.15:
            return Leaf(f"{stem}*{self.tag(field)}", Value(field, stem, prefix=True))
        return Leaf(f'"{value}"{self.tag(field)}', Value(field, value))

    def pmid(self) -> Leaf:
        first, last = sorted(self.rng.choice(self.pmids) for _ in range(2))
        how = self.rng.randrange(3)
        if how == 0:
            return Leaf(f"{first}{self.tag('pmid')}", Pmids((first,)))
        if how == 1:
            return Leaf(f"{first}:{last}{self.tag('pmid')}", PmidRange(first, last))
        return Leaf(f"{first} {last + 1}", Pmids((first, last + 1)))

    def dated(self) -> Leaf | None:
        """A day, month or year, or a range of them, perhaps open."""
        field = self.rng.choice(("dp", "dp", "dp", *self.days))
        if not (pool := self.days[field]):
            return None
        low, high = sorted(self.rng.choice(pool) for _ in range(2))
        typed, first, last = self.day(low + timedelta(self.rng.choice((-1, 0, 0, 0, 1))))
        how = self.rng.randrange(4)
        if how == 0:
            return Leaf(typed + self.tag(field), Dated(field, first, last))
        until, _, end = self.day(high) if how > 1 else ("3000", high, date.max)
        if end < first:
            return None
        tag = self.tag(field)
        if how == 2:
            return Leaf(f'("{typed}"{tag} : "{until}"{tag})', Dated(field, first, end, True))
        return Leaf(f"{typed}:{until}{tag}", Dated(field, first, end, True))

    def day(self, at: date) -> tuple[str, date, date]:
        """A day typed to the year, the month or the day, and the first and last day that this may
        be.
        """
        how = self.rng.randrange(3)
        if how == 0:
            return str(at.year), date(at.year, 1, 1), date(at.year, 12, 31)
        if how == 1:
            last = calendar.monthrange(at.year, at.month)[1]
            return f"{at:%Y/%m}", at.replace(day=1), at.replace(day=last)
        return f"{at:%Y/%m/%d}", at, at


def _has_operator(text: str) -> bool:
    return not {"and", "or", "not"}.isdisjoint(text.split())
