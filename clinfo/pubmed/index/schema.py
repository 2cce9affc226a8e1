"""The index schema: the search engine's field for each store.

Text stores are fields of their own, their words split at spaces only, so that a word of the index
is a word of `clinfo.text.words` by construction. All key stores share one field, a key written as
``store:key``. A day store is a column of first days; where an interval is longer than a day, its
other days are written into the key field as the few blocks of 1, 2, 4, 8 … days that cover them, so
that "does an interval reach over this day" is a question of at most `LEVELS` keys and the answer is
right for any number of intervals.
"""

from __future__ import annotations

from datetime import date
from functools import lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, NamedTuple

from clinfo.errors import UsageError
from clinfo.pubmed.document import DAY_STORES, KEY_STORES, TEXT_STORES, Document

if TYPE_CHECKING:
    import tantivy

FORM = 1
"""Number of this way of keeping documents; an index of another number cannot be read."""
GAPS = {"ti": 32, "ab": 32, "ad": 32}
"""Empty places between two texts of a store, more than `Near` may reach over without a look at the
record; 1 elsewhere.
"""
LEVELS = 23
"""Blocks of up to 2^22 days are more than the years 1 to 9999 (3,652,059 days)."""

LARGEST_PMID = (1 << 40) - 1
"""The largest value that the columns have room for, beside a day; PMIDs have eight digits in 2026.
"""

PMID, NEWEST, KEYS, BAR = "pmid", "newest", "keys", "|"
_SPACE_IN_KEY = "\x1f"
_WORDS, _PLAIN = "clinfo_words", "clinfo_keys"


class Packed(NamedTuple):
    """A document ready for the writer: plain values that go cheaply from one process to another."""

    pmid: int
    texts: tuple[tuple[str, str], ...]
    keys: str
    days: tuple[tuple[str, int], ...]
    newest: int


def refuse_missing() -> None:
    """Raise UsageError where a package that an index needs is missing."""
    for package in ("tantivy", "zstandard", "filelock"):
        if find_spec(package) is None:
            raise UsageError(f"an index needs the package {package}: install the extra index")


def schema() -> tantivy.Schema:
    """The fields of an index."""
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field(PMID, indexed=True, fast=True)
    builder.add_unsigned_field(NEWEST, fast=True)
    for store in TEXT_STORES:
        builder.add_text_field(store, tokenizer_name=_WORDS, index_option="position")
    builder.add_text_field(KEYS, tokenizer_name=_PLAIN, index_option="basic")
    for store in DAY_STORES:
        builder.add_integer_field(store, fast=True)
    return builder.build()


def register(index: tantivy.Index) -> None:
    """Make the ways of splitting text known to ``index``; they are code and not part of what is
    stored.
    """
    import tantivy

    splitter = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace())
    index.register_tokenizer(_PLAIN, splitter.build())
    # A left-out word keeps its place, which is what parts the texts of a store.
    with_gaps = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).filter(
        tantivy.Filter.custom_stopword([BAR])
    )
    index.register_tokenizer(_WORDS, with_gaps.build())


def number(id: str) -> int:
    """The PMID of an article id. Raises ValueError for an id that is not a PMID."""
    return int(id.removeprefix("pmid:"))


def pack(document: Document) -> Packed:
    """The document as the writer takes it."""
    pmid = number(document.id)
    texts = tuple(
        [(store, _GAP[store].join(values)) for store, values in document.texts.items() if values]
    )
    # One key a line, so that all spaces can be replaced at once.
    keys = "".join(
        [
            _MARK[store] + _MARK[store].join(values)
            for store, values in document.keys.items()
            if values
        ]
    )
    keys = written(keys)
    days = []
    for store, intervals in document.days.items():
        for first, last in intervals:
            start = first.toordinal()
            days.append((store, start))
            if last > first:
                keys += "".join(
                    [f"\n{store}{block}" for block in _blocks(start + 1, last.toordinal())]
                )
    printed = document.days.get("dp")
    newest = (printed[0][0].toordinal() << LARGEST_PMID.bit_length() if printed else 0) + pmid
    return Packed(pmid, texts, keys, tuple(days), newest)


def written(key: str) -> str:
    """A key as it stands in the key field."""
    return key.replace(" ", _SPACE_IN_KEY)


def tantivy_document(packed: Packed) -> tantivy.Document:
    """The search engine's own form."""
    import tantivy

    made = tantivy.Document()
    made.add_unsigned(PMID, packed.pmid)
    made.add_unsigned(NEWEST, packed.newest)
    for store, text in packed.texts:
        made.add_text(store, text)
    made.add_text(KEYS, packed.keys)
    for store, day in packed.days:
        made.add_integer(store, day)
    return made


def blocks_over(store: str, day: date) -> list[str]:
    """Keys of all blocks that ``day`` lies in, of which an interval that reaches over it has
    one.
    """
    return [f"{store}{_block(level, day.toordinal() >> level)}" for level in range(LEVELS)]


def _block(level: int, place: int) -> str:
    return f"~{level}~{place}"


@lru_cache(maxsize=1 << 14)
def _blocks(first: int, last: int) -> tuple[str, ...]:
    """The fewest blocks that together are the days ``first`` to ``last``."""
    found = []
    for level in range(LEVELS):
        if first > last:
            break
        if first & 1:
            found.append(_block(level, first))
            first += 1
        if not last & 1:
            found.append(_block(level, last))
            last -= 1
        first >>= 1
        last >>= 1
    return tuple(found)


_GAP = {store: f" {' '.join(BAR * GAPS.get(store, 1))} " for store in TEXT_STORES}
_MARK = {store: f"\n{store}:" for store in KEY_STORES}
