"""PubMed's search fields as data: short code, long name, every spelling, and what can be asked of
each.

Codes and meanings are those of the PubMed user guide (April 2024); long names are those that PubMed
writes in its own translations; the capital codes (TITL, MESH …) are Einfo's. Tags come and go: a
new one is a new row here, and no code.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Kind = Literal["text", "name", "key", "mesh", "date", "number"]
"""text: words of running text; name: persons; key: whole values; mesh: headings, subheadings and
types that have narrower ones below them; date: days; number: the PMID."""


@dataclass(frozen=True)
class Field:
    """A search field. ``code`` is PubMed's short tag, ``name`` the long one of its translations.

    ``spellings`` are further tags that mean the same; case, spaces, quotation marks, hyphens and
    slashes never matter in a tag.
    """

    code: str
    name: str
    kind: Kind
    spellings: tuple[str, ...] = ()

    @property
    def proximity(self) -> bool:
        """Return whether ``"two words"[field:~N]`` is answered."""
        return self.code in ("ti", "tiab", "ad")

    @property
    def explodes(self) -> bool:
        """Return whether narrower terms are included unless ``:noexp`` is asked."""
        return self.kind == "mesh"

    @property
    def ranges(self) -> bool:
        """Return whether ``low:high[field]`` is a range."""
        return self.kind in ("date", "number")


FIELDS: tuple[Field, ...] = (
    Field("all", "All Fields", "text", ()),
    Field("ti", "Title", "text", ("titl", "title word", "title words")),
    Field("tiab", "Title/Abstract", "text", ()),
    Field("tw", "Text Word", "text", ("word", "text words")),
    Field("tt", "Transliterated Title", "text", ()),
    Field("ot", "Other Term", "text", ("otrm", "other terms")),
    Field("ad", "Affiliation", "text", ("affl",)),
    Field("cois", "Conflict of Interest Statements", "text", ()),
    Field("gr", "Grants and Funding", "text", ("grnt", "grant number")),
    Field("cn", "Author - Corporate", "text", ("coln", "corporate author")),
    Field("au", "Author", "name", ("auth", "author name")),
    Field("1au", "Author - First", "name", ("faut", "first author", "first author name")),
    Field("lastau", "Author - Last", "name", ("laut", "last author", "last author name")),
    Field("fau", "Author - Full", "name", ("full", "full author name", "full author")),
    Field("ir", "Investigator", "name", ("invr",)),
    Field(
        "fir",
        "Investigator - Full",
        "name",
        ("finv", "full investigator name", "full investigator"),
    ),
    Field("ps", "Subject - Personal Name", "name", ("personal name as subject", "personal name")),
    Field("ed", "Editor", "name", ("edtr",)),
    Field("auid", "Author - Identifier", "key", ()),
    Field(
        "ta",
        "Journal",
        "key",
        ("jour", "journal title", "journal name", "journal title abbreviation"),
    ),
    Field("jid", "NLM Unique ID", "key", ()),
    Field("vi", "Volume", "key", ("vol",)),
    Field("ip", "Issue", "key", ("iss",)),
    Field("pg", "Pagination", "key", ("page",)),
    Field("la", "Language", "key", ("lang",)),
    Field("nm", "Supplementary Concept", "key", ("subs", "substance name", "substance")),
    Field("rn", "EC/RN Number", "key", ("ecno", "registry number")),
    Field("si", "Secondary Source ID", "key", ()),
    Field("sb", "Filter", "key", ("filt", "subset", "subsets")),
    Field("lid", "Location ID", "key", ()),
    Field("aid", "Article Identifier", "key", ("doi",)),
    Field("pl", "Place of Publication", "key", ("cnty",)),
    Field("book", "Book", "key", ()),
    Field("isbn", "ISBN", "key", ()),
    Field("pubn", "Publisher", "key", ()),
    Field("mh", "MeSH Terms", "mesh", ("mesh", "mesh term", "mesh heading", "mesh headings")),
    Field("majr", "MeSH Major Topic", "mesh", ("major topic", "mesh major", "mesh major topics")),
    Field(
        "sh", "MeSH Subheading", "mesh", ("subh", "subheading", "subheadings", "mesh subheadings")
    ),
    Field("pt", "Publication Type", "mesh", ("ptyp", "publication types")),
    Field("pa", "Pharmacological Action", "mesh", ("papx", "pharmacological action mesh terms")),
    Field(
        "dp",
        "Date - Publication",
        "date",
        ("pdat", "publication date", "pubdate", "date of publication"),
    ),
    Field(
        "epdat", "Electronic Publication Date", "date", ("epdt", "electronic date of publication")
    ),
    Field("ppdat", "Print Publication Date", "date", ("ppdt", "print date of publication")),
    Field("edat", "Date - Entry", "date", ("entrez date", "date - entrez", "entry date")),
    Field("crdt", "Date - Create", "date", ("create date", "date created")),
    Field("mhda", "Date - MeSH", "date", ("mesh date",)),
    Field("dcom", "Date - Completion", "date", ("cdat", "completion date", "date completed")),
    Field("lr", "Date - Modification", "date", ("mdat", "modification date", "date last revised")),
    Field("pmid", "UID", "number", ("pubmed id",)),
)

BY_CODE: dict[str, Field] = {field.code: field for field in FIELDS}

_BETWEEN = re.compile(r"[\s/_.,&|+;\"'`-]+")


def _plain(tag: str) -> str:
    return _BETWEEN.sub("", tag).lower()


_BY_TAG: dict[str, Field] = {
    _plain(spelling): field
    for field in FIELDS
    for spelling in (field.code, field.name, *field.spellings)
}


def field_of(tag: str) -> Field | None:
    """The field that a tag names (without its brackets and without ``:noexp`` or ``:~N``), None
    where PubMed knows none.
    """
    return _BY_TAG.get(_plain(tag))


ALL_FIELDS = ("ti", "ab", "tx", "ax")

TEXTS: Mapping[str, tuple[str, ...]] = {
    "all": ALL_FIELDS,
    "ti": ("ti",),
    "tiab": ("ti", "ab"),
    "tw": ("ti", "ab", "tx"),
    "tt": ("tt",),
    "ot": ("ot",),
    "ad": ("ad",),
    "cois": ("cois",),
    "gr": ("gr",),
    "cn": ("cn",),
}
"""Fields whose words are searched."""

PERSONS: Mapping[str, str] = {
    "au": "au",
    "1au": "au1",
    "lastau": "aulast",
    "fau": "fau",
    "ir": "ir",
    "fir": "fir",
    "ps": "ps",
    "ed": "ed",
}
"""Fields of names, which are cut off automatically."""

HEADINGS: Mapping[str, tuple[str, str]] = {"mh": ("mh", "mhq"), "majr": ("majr", "majrq")}
"""Fields of MeSH headings: the store of headings, and that of headings with a qualifier."""

KEYS: Mapping[str, str] = {
    "auid": "auid",
    "ta": "ta",
    "jid": "jid",
    "vi": "vi",
    "ip": "ip",
    "pg": "pg",
    "la": "la",
    "nm": "nm",
    "rn": "rn",
    "si": "si",
    "lid": "aid",
    "aid": "aid",
    "pl": "pl",
    "book": "book",
    "isbn": "isbn",
    "pubn": "pubn",
}
"""Fields of whole values."""

STORES: Mapping[str, str] = {
    **{field: store for field, (store, _) in HEADINGS.items()},
    **PERSONS,
    **KEYS,
    "sh": "sh",
    "pt": "pt",
}
"""Fields of whole values, names and headings, each with the store in which a value is looked for by
its beginning.
"""

DATES = frozenset(("dp", "epdat", "ppdat", "edat", "crdt", "mhda", "dcom", "lr"))
"""Fields of days, each with a store of its own name."""

SAYS_NOTHING_OF_THE_SUBJECT = frozenset(
    ("la", "vi", "ip", "pg", "jid", "pl", "isbn", "aid", "lid", "auid")
)
"""Key fields that only narrow a search and do not count for relevance."""
