"""Stores searched by each field of a query: those of `clinfo.pubmed.document` by the field's
code.
"""

from __future__ import annotations

from collections.abc import Mapping

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
