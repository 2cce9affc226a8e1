"""Random queries over real records, so made that they often find something: trees of
`tests.pubmed.brute_force`, and their text.

A term is typed in one of the many ways that PubMed takes for the same: quotes straight and curly or
none, tags short, long and odd, any case, spaces before the tag, operators as words or marks, groups
within groups and needless ones.
"""

from __future__ import annotations

import calendar
import random
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta

from clinfo.pubmed.citation import Citation
from tests.pubmed.brute_force import (
    LEAF_SUBHEADINGS,
    NARROWER_SUBHEADINGS,
    SUBHEADING_CODES,
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
LANGUAGES = {
    "eng": "English",
    "ger": "German",
    "fre": "French",
    "spa": "Spanish",
    "jpn": "Japanese",
    "rus": "Russian",
}
FLAGS = (
    "hasabstract",
    "hasabstract",
    "hasstructuredabstract",
    "haskeyword",
    "hascois",
    "hascommentin",
)
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
        self.texts: dict[str, list[list[str]]] = {}
        for one in reading.records:
            for tag, some in one.texts.items():
                self.texts.setdefault(tag, []).extend(
                    found for text in some if len(found := text.split()) > 0
                )
        self.texts["none"] = [tokens(one.country) for one in citations if one.country] or [
            ["nowhere"]
        ]
        """Words that a record has, but not where a search for words looks."""
        self.raw = [
            part
            for one in citations
            for part in (one.article.title, *(some.text for some in one.article.sections))
        ]
        self.raw += [text for one in citations for text in one.affiliations]
        self.pairs = [heading for one in reading.records for heading in one.headings]
        self.surfaces = {same(name): name for name in mesh}
        self.surfaces.update(
            {same(name.descriptor): name.descriptor for one in citations for name in one.headings}
        )
        # Of a name that leads to several headings nobody says here which is meant.
        several = {
            entry
            for entry, names in reading.entries.items()
            if len(names) > 1 and entry not in reading.places
        }
        self.headings = sorted({heading for heading, _, _ in self.pairs} - several)
        self.renamed = sorted(
            name for name in self.headings if name not in reading.places and name in reading.entries
        )
        places = dict(reading.numbered)
        above = {number[:-4] for name in self.headings for number in reading.places.get(name, ())}
        above |= {number.rsplit(".", 1)[0] for number in above}
        self.broader = (
            sorted({places[number] for number in above if number in places}) or self.headings
        )
        near = set(self.headings) | set(self.broader)
        self.entries = sorted(
            entry
            for entry, names in reading.entries.items()
            if len(names) == 1 and names <= near and entry not in reading.places and len(entry) > 2
        )
        self.names = {
            tag: sorted({name for one in reading.records for name in one.names[tag]})
            for tag in ("au", "1au", "lastau")
        }
        self.persons = [
            person for one in citations for person in one.article.authors if not person.collective
        ]
        types = {name for one in citations for name in one.article.publication_types}
        self.types = sorted(name for name in types if same(name) not in several)
        self.type_names = sorted(
            self.types
            + [self.surfaces[name] for kind in self.types for name in self._above(same(kind))]
        )
        self.journals = sorted(
            {
                name
                for one in citations
                for name in (
                    one.article.journal,
                    one.article.journal_abbreviation,
                    one.medline_journal,
                    one.nlm_id,
                    *one.issns,
                )
                if name
            }
        )
        self.values = {
            "aid": sorted(
                {
                    value
                    for one in citations
                    for kind, value in one.identifiers
                    if kind in ("doi", "pii")
                }
            ),
            "vi": sorted({one.article.volume for one in citations if one.article.volume}),
            "nm": sorted({name for one in citations for name, _ in one.substances}),
            "rn": sorted(
                {
                    number
                    for one in citations
                    for _, number in one.substances
                    if number not in ("", "0")
                }
            ),
            "pl": sorted({one.country for one in citations if one.country}),
        }
        self.days = {
            tag: sorted(
                {
                    day
                    for one in reading.records
                    for interval in one.days.get(tag, ())
                    for day in interval
                }
            )
            for tag in ("dp", "edat", "crdt", "mhda", "lr", "epdat")
        }
        self.pmids = sorted(one.pmid for one in reading.records)
        self.kinds: list[tuple[int, Callable[[], Leaf | None]]] = [
            (22, self.words),
            (10, self.quoted_piece),
            (8, self.across),
            (14, self.near),
            (12, self.truncated),
            (14, self.subject),
            (5, self.pair),
            (3, self.subheading),
            (5, self.publication_type),
            (3, self.language),
            (9, self.name),
            (4, self.journal),
            (4, self.pmid),
            (14, self.dated),
            (4, self.flag),
            (4, self.other_value),
        ]
        self.weights = [weight for weight, _ in self.kinds]

    def _above(self, name: str) -> list[str]:
        numbers = {
            number.rsplit(".", 1)[0]
            for number in self.reading.places.get(name, ())
            if "." in number
        }
        return [heading for number, heading in self.reading.numbered if number in numbers]

    # Queries

    def query(self, depth: int = 0) -> Query:
        length = (
            self.rng.choice((1, 1, 2, 2, 3, 4)) if depth else self.rng.choice((1, 2, 2, 3, 3, 4, 5))
        )
        first, typed = self.part(depth)
        rest: list[tuple[Operator, Query]] = []
        for _ in range(length - 1):
            operator: Operator = self.rng.choice(("AND", "AND", "OR", "OR", "NOT"))
            part, text = self.part(depth)
            signs = {
                "AND": ("AND", "AND", "&"),
                "OR": ("OR", "OR", "|"),
                "NOT": ("NOT", "NOT", "AND NOT"),
            }[operator]
            sign = self.rng.choice(signs)
            beside = (
                typed.endswith((")", "]"))
                and not text[0].isdigit()
                and text[0] != ":"
                and not _starts_with_operator(text)
            )
            if operator == "AND" and beside and self.rng.random() < 0.3:
                sign = ""
            rest.append((operator, part))
            typed = f"{typed} {sign} {text}"
        return Chain(typed, first, tuple(rest)) if rest else first

    def part(self, depth: int) -> tuple[Query, str]:
        """A part of a chain, and its text as it stands there."""
        if depth < 3 and self.rng.random() < 0.25:
            query = self.query(depth + 1)
            return query, f"({query.typed})"
        leaf = self.leaf()
        return leaf, f"({leaf.typed})" if self.rng.random() < 0.05 else leaf.typed

    def leaf(self) -> Leaf:
        while True:
            make = self.rng.choices(self.kinds, self.weights)[0][1]
            if (leaf := make()) is not None:
                return leaf

    # Ways of typing

    def tag(self, field: str, more: str = "") -> str:
        spelling = self.rng.choice(TAGS[field]) if self.rng.random() < 0.5 else field
        return f"{self.rng.choice(('', '', '', ' '))}[{spelling}{more}]"

    def quoted(self, text: str) -> str:
        first, last = self.rng.choice(('""', '""', '""', "“”"))
        return f"{first}{text}{last}"

    def cased(self, text: str) -> str:
        how = self.rng.randrange(6)
        return (
            text.title()
            if how == 0
            else text.upper()
            if how == 1 and not _has_operator(text)
            else text
        )

    def text_field(self) -> str:
        common = ("ti", "ti", "tiab", "tiab", "tiab", "tw", "tw", "all", "all")
        return self.rng.choice((*common, "ot", "ad", "ad", "tt", "gr", "cois", "cn"))

    def text_of(self, field: str) -> list[str] | None:
        """The words of some text that the field, or seldom another one, has."""
        field = field if self.rng.random() < 0.9 else self.rng.choice(("all", "none"))
        some = self.texts.get(field) or self.texts["none"]
        return self.rng.choice(some) if some else None

    # Terms

    def words(self) -> Leaf | None:
        field = self.text_field()
        text = self.text_of(field)
        if not text:
            return None
        size = self.rng.choice((1, 1, 1, 2, 2, 3, 4))
        place = self.rng.randrange(len(text))
        chosen = text[place : place + size]
        if self.rng.random() < 0.2:
            self.rng.shuffle(chosen)
        if not all(map(_LETTERED.fullmatch, chosen)):
            return None
        meaning = Phrase(field, " ".join(chosen))
        if field == "all":  # mapped unless it is quoted
            return Leaf(self.quoted(self.cased(" ".join(chosen))) + self.tag(field), meaning)
        if len(chosen) == 1 and self.rng.random() < 0.7:
            return Leaf(self.cased(chosen[0]) + self.tag(field), meaning)
        if len(chosen) > 1 and self.rng.random() < 0.2:
            return Leaf(self.cased(self.rng.choice("-").join(chosen)) + self.tag(field), meaning)
        plain = not any(word in ("and", "or", "not") for word in (chosen[0], chosen[-1]))
        if (
            len(chosen) > 1
            and plain
            and self.rng.random() < 0.4
            and self.reading.answer(Leaf("", meaning))
        ):
            return Leaf(self.cased(" ".join(chosen)) + self.tag(field), meaning)
        return Leaf(self.quoted(self.cased(" ".join(chosen))) + self.tag(field), meaning)

    def quoted_piece(self) -> Leaf | None:
        """A piece of a real text with all that stands in it."""
        raw = self.rng.choice(self.raw).split()
        place = self.rng.randrange(len(raw)) if raw else 0
        piece = " ".join(raw[place : place + self.rng.randint(1, 4)])
        if (
            _UNQUOTABLE.search(piece)
            or not all(map(_LETTERED.fullmatch, tokens(piece)))
            or not tokens(piece)
        ):
            return None
        if any(char.isalpha() and ord(char) > 0x24F for char in piece):
            return None
        field = self.rng.choice(("ti", "tiab", "tw", "all", "ad"))
        plain = (
            not re.search(r"[()&|:#/]", piece)
            and not _has_operator(piece)
            and not piece[0].isdigit()
            and field != "all"
        )
        if (
            plain
            and self.rng.random() < 0.4
            and self.reading.answer(Leaf("", Phrase(field, piece)))
        ):
            return Leaf(piece + self.tag(field), Phrase(field, piece))
        return Leaf(self.quoted(piece) + self.tag(field), Phrase(field, piece))

    def across(self) -> Leaf | None:
        """The last words of one text and the first of another: a phrase that hardly any record
        has.
        """
        field = self.rng.choice(("tiab", "tw", "all"))
        one = self.rng.choice(self.reading.records)
        if len(one.texts[field]) < 2:
            return None
        place = self.rng.randrange(len(one.texts[field]) - 1)
        first, second = (one.texts[field][place + number].split() for number in (0, 1))
        chosen = first[-self.rng.randint(1, 2) :] + second[: self.rng.randint(1, 2)]
        if not all(map(_LETTERED.fullmatch, chosen)):
            return None
        if self.rng.random() < 0.3 and field == "tiab":
            between = self.rng.randint(0, 3)
            return Leaf(
                self.quoted(" ".join(chosen)) + self.tag(field, f":~{between}"),
                Near(field, " ".join(chosen), between),
            )
        return Leaf(
            self.quoted(" ".join(chosen)) + self.tag(field), Phrase(field, " ".join(chosen))
        )

    def near(self) -> Leaf | None:
        field = self.rng.choice(("ti", "tiab", "tiab", "ad"))
        text = self.text_of(field)
        if not text or len(text) < 2:
            return None
        place = self.rng.randrange(len(text) - 1)
        reach = text[place : place + self.rng.randint(2, 9)]
        chosen = self.rng.sample(reach, min(len(reach), self.rng.choice((2, 2, 2, 3, 3, 4))))
        if self.rng.random() < 0.1:
            chosen[-1] = chosen[0]
        if not all(map(_LETTERED.fullmatch, chosen)):
            return None
        typed, between = " ".join(chosen), self.rng.choice((0, 0, 1, 2, 3, 5, 8, 50))
        if self.rng.random() < 0.08 and len(chosen[-1]) >= 4:
            return Leaf(
                self.quoted(f"{typed}*") + self.tag(field, f":~{between}"),
                Phrase(field, typed, prefix=True),
            )
        return Leaf(
            self.quoted(self.cased(typed)) + self.tag(field, f":~{between}"),
            Near(field, typed, between),
        )

    def truncated(self) -> Leaf | None:
        field = self.text_field()
        text = self.text_of(field)
        if not text:
            return None
        place = self.rng.randrange(len(text))
        before = text[max(0, place - self.rng.choice((0, 0, 0, 1, 2))) : place]
        if not all(map(_LETTERED.fullmatch, [*before, text[place]])):
            return None
        stem = text[place][: self.rng.randint(3, 8)]
        if len(stem) < 4:
            if before or field == "all":
                return None
            return Leaf(f"{stem}*{self.tag(field)}", Phrase(field, stem))
        typed = " ".join([*before, stem])
        meaning = Phrase(field, typed, prefix=True)
        bare = not before or (
            field != "all" and before[0] not in ("and", "or", "not") and self.rng.random() < 0.3
        )
        if before and bare and not self.reading.answer(Leaf("", meaning)):
            return None
        return Leaf(
            (f"{self.cased(typed)}*" if bare else self.quoted(f"{typed}*")) + self.tag(field),
            meaning,
        )

    def heading(self) -> str:
        """A heading that a record bears, one above it, or an entry term, as MeSH writes it (entry
        terms folded).
        """
        pool = self.rng.choice(
            (self.headings, self.headings, self.broader, self.entries or self.headings)
        )
        name = self.rng.choice(self.renamed if self.renamed and self.rng.random() < 0.02 else pool)
        return self.surfaces.get(name, name)

    def subject(self) -> Leaf | None:
        if not self.headings:
            return None
        major, explode = self.rng.random() < 0.25, self.rng.random() < 0.75
        tag = self.tag(
            "majr" if major else "mh", "" if explode else self.rng.choice((":noexp", ":NoExp"))
        )
        name = self.heading()
        if self.rng.random() < 0.1 and explode and same(name) in self.reading.places:
            stem = same(name)[: self.rng.randint(4, 10)].strip()
            if len(stem.split()[-1]) >= 4 and all(map(_LETTERED.fullmatch, stem.split())):
                return Leaf(f'"{stem}*"{tag}', Subject(stem, major, prefix=True))
        return Leaf(self.as_value(name) + tag, Subject(name, major, explode))

    def as_value(self, name: str) -> str:
        """A heading, type or journal with quotes or, where nothing in it is read as more than a
        word, without.
        """
        risky = (
            re.search(r"[()\[\]&|:/#\"*]", name)
            or set(tokens(name)) & {"and", "or", "not"}
            or name[0].isdigit()
        )
        if risky or self.rng.random() < 0.5:
            return self.quoted(name)
        return name.lower() if self.rng.random() < 0.5 else name

    def pair(self) -> Leaf | None:
        heading, _, pairs = self.rng.choice(self.pairs) if self.pairs else ("", False, ())
        if not pairs or heading not in self.headings:
            return None
        subheading = self.rng.choice(pairs)[0]
        broader = [
            name for name, below in NARROWER_SUBHEADINGS.items() if subheading in map(same, below)
        ]
        known = {same(name): name for name in (*LEAF_SUBHEADINGS, *NARROWER_SUBHEADINGS)}
        if subheading not in known:
            return None
        wanted = self.rng.choice([known[subheading], *broader])
        above = self._above(heading)
        name = self.rng.choice(above) if above and self.rng.random() < 0.4 else heading
        name = self.surfaces.get(name, name)
        if "/" in name or name == "" or same(name) not in self.reading.places:
            return None
        explode, field = self.rng.random() < 0.7, self.rng.choice(("mh", "mh", "majr", ""))
        typed = (
            f"{name}/{SUBHEADING_CODES.get(wanted, wanted) if self.rng.random() < 0.3 else wanted}"
        )
        tag = self.tag(field, "" if explode else ":noexp") if field else ""
        meaning = Subject(name, field == "majr", explode or not field, wanted)
        risky = (
            re.search(r"[()\[\]&|:#\"*]", typed)
            or set(tokens(typed)) & {"and", "or", "not"}
            or name[0].isdigit()
        )
        if risky and not field:
            return None
        return Leaf(
            (self.quoted(typed) if risky or (field and self.rng.random() < 0.6) else typed) + tag,
            meaning,
        )

    def subheading(self) -> Leaf:
        name = self.rng.choice(sorted({*LEAF_SUBHEADINGS, *NARROWER_SUBHEADINGS}))
        explode = self.rng.random() < 0.7
        return Leaf(
            self.as_value(name) + self.tag("sh", "" if explode else ":noexp"),
            Subheading(name, explode),
        )

    def publication_type(self) -> Leaf | None:
        if not self.types:
            return None
        name = self.rng.choice(self.type_names)
        if self.rng.random() < 0.1:
            stem = same(name)[:6].strip()
            if len(stem.split()[-1]) >= 4:
                return Leaf(f"{stem}*{self.tag('pt')}", PublicationType(stem, prefix=True))
        explode = self.rng.random() < 0.7
        return Leaf(
            self.as_value(name) + self.tag("pt", "" if explode else ":noexp"),
            PublicationType(name, explode),
        )

    def language(self) -> Leaf:
        code, name = self.rng.choice((*LANGUAGES.items(), ("eng", "English")))
        typed = self.cased(self.rng.choice((code, name, name.lower())))
        return Leaf(
            (self.quoted(typed) if self.rng.random() < 0.3 else typed) + self.tag("la"),
            Value("la", typed),
        )

    def name(self) -> Leaf | None:
        field = self.rng.choice(("au", "au", "au", "1au", "lastau"))
        name = self.rng.choice(self.names[field]) if self.names[field] else ""
        family, _, initials = name.rpartition(" ")
        if (
            not all(map(_LETTERED.fullmatch, name.split()))
            or not family
            or len(initials) > 2
            or _has_operator(name)
        ):
            return None
        how = self.rng.randrange(5)
        if how == 0:
            return Leaf(self.quoted(name) + self.tag(field), Name(field, name, "is"))
        if how == 1 and len(family) > 4 and " " not in family:
            return Leaf(family + self.tag(field), Name(field, family, "first words"))
        if how == 2 and len(family) >= 5 and " " not in family:
            stem = family[: self.rng.randint(4, len(family))]
            return Leaf(f"{stem}*{self.tag(field)}", Name(field, stem, "begins"))
        typed = f"{family} {initials[: self.rng.randint(1, len(initials))]}"
        return Leaf(self.cased(typed) + self.tag(field), Name(field, typed, "begins"))

    def journal(self) -> Leaf | None:
        if not self.journals:
            return None
        name = self.rng.choice(self.journals)
        if _UNQUOTABLE.search(name) or not all(map(_LETTERED.fullmatch, tokens(name))):
            return None
        if self.rng.random() < 0.15 and len(tokens(name)[0]) > 4:
            stem = tokens(name)[0][:5]
            return Leaf(f"{stem}*{self.tag('ta')}", Value("ta", stem, prefix=True))
        return Leaf(self.as_value(name) + self.tag("ta"), Value("ta", name))

    def other_value(self) -> Leaf | None:
        field = self.rng.choice(("aid", "vi", "nm", "rn", "pl"))
        pool = self.values[field]
        if not pool:
            return None
        value = self.rng.choice(pool)
        if _UNQUOTABLE.search(value) or not all(map(_LETTERED.fullmatch, tokens(value))):
            return None
        return Leaf(self.quoted(value) + self.tag(field), Value(field, value))

    def pmid(self) -> Leaf:
        chosen = [
            self.rng.choice(self.pmids) + self.rng.choice((0, 0, 0, 1))
            for _ in range(self.rng.randint(1, 3))
        ]
        how = self.rng.randrange(4)
        if how == 0:
            return Leaf(f"{chosen[0]}{self.tag('pmid')}", Pmids((chosen[0],)))
        if how == 1:
            first, last = sorted((chosen[0], self.rng.choice(self.pmids)))
            return Leaf(f"{first}:{last}{self.tag('pmid')}", PmidRange(first, last))
        return Leaf(" ".join(map(str, chosen)), Pmids(tuple(chosen)))

    def flag(self) -> Leaf:
        if self.rng.random() < 0.4:
            subset = self.rng.choice(
                ("medline", "pubmednotmedline", "publisher", "inprocess", "pubmed pmc")
            )
            typed = f'"{subset}"' if " " in subset else subset
            return Leaf(typed + self.tag("sb"), Value("sb", subset))
        name = self.rng.choice(FLAGS)
        return Leaf(name, Flag(name))

    def dated(self) -> Leaf | None:
        field = self.rng.choice(("dp", "dp", "dp", "dp", "edat", "crdt", "mhda", "lr", "epdat"))
        pool = self.days[field]
        if not pool:
            return None
        low = self.rng.choice(pool) + timedelta(self.rng.choice((-1, 0, 0, 0, 1)))
        typed, first, last = self.day(low)
        how = self.rng.randrange(6)
        if how < 2:
            text = self.quoted(typed) if self.rng.random() < 0.3 else typed
            return Leaf(text + self.tag(field), Dated(field, first, last))
        high = max(
            low, self.rng.choice(pool) if how < 5 else low + timedelta(self.rng.randint(0, 40))
        )
        typed_high, _, end = self.day(high)
        if end < first:
            return None
        if how == 2:
            open_end, last_day = self.rng.choice((("", date.max), ("3000", date.max)))
            typed_high, end = open_end, last_day
        if how == 3 and self.rng.random() < 0.3:
            typed, first = "", date.min
        style = self.rng.randrange(3)
        if style == 0 and typed and typed_high:
            tag = self.tag(field)
            return Leaf(f'("{typed}"{tag} : "{typed_high}"{tag})', Dated(field, first, end, True))
        if style == 1 and typed and typed_high:
            return Leaf(
                f'"{typed}":"{typed_high}"{self.tag(field)}', Dated(field, first, end, True)
            )
        return Leaf(f"{typed}:{typed_high}{self.tag(field)}", Dated(field, first, end, True))

    def day(self, at: date) -> tuple[str, date, date]:
        """A day typed to the year, the month or the day, and the first and last day that this may
        be.
        """
        how = self.rng.randrange(4)
        if how == 0:
            return str(at.year), date(at.year, 1, 1), date(at.year, 12, 31)
        month = self.rng.choice((f"{at.month:02}", str(at.month)))
        if how == 1:
            return (
                f"{at.year}/{month}",
                at.replace(day=1),
                at.replace(day=calendar.monthrange(at.year, at.month)[1]),
            )
        return f"{at.year}/{month}/{self.rng.choice((f'{at.day:02}', str(at.day)))}", at, at


def _has_operator(text: str) -> bool:
    return not {"AND", "OR", "NOT"}.isdisjoint(text.upper().split())


def _starts_with_operator(text: str) -> bool:
    return re.match(r"(and|or|not)\b", text, re.IGNORECASE) is not None
