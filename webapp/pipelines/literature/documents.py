"""A visitor's own documents: "answer from these", as text of a citation file or as PMIDs."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Final

import msgspec
from flask import Blueprint, Request, request

from clinfo.errors import FieldError, IdentifiersFound, RecordError
from clinfo.learned_types import learned
from clinfo.privacy import identifiers
from clinfo.records import Article, Identifier, RunRequest
from clinfo.references import read_pmid
from clinfo.sources import GIVEN, MOST_GIVEN, ArticleSource, Given, decoded, read_citations
from webapp.services import services

MAX_BYTES: Final = 5_000_000
"""Of a file, and of the same text in a form or in JSON."""
LONGEST_BODY: Final = 3 * MAX_BYTES
"""Bytes of a request with documents, which JSON may write at twice their length and more. What is
longer is not read, so that only up to here is told by how much a file is too long.
"""
_STARTS: Final = ("api.start", "ask.form", "ask.advanced")
_SEPARATORS: Final = re.compile(r"(?:[\s,;]|pmids?\s{0,3}:)+", re.IGNORECASE)
_NEVER_IN_AN_ARTICLE: Final = {"name", "address"}
"""Kinds of identifiers that rules see in every tenth abstract: authors and places of studies."""
_MOST_LISTED: Final = 20
"""Records that are named by number; of more it is told how many."""


class Documents(msgspec.Struct, frozen=True):
    """The records given: ``ids`` in their order, and the ``articles`` where they came whole.
    ``notices`` count what of them could not be used; ``numbers`` are those of the articles in what
    was given, from 1.
    """

    ids: tuple[str, ...]
    articles: tuple[Article, ...] = ()
    notices: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()

    def asked(self, request: RunRequest) -> RunRequest:
        """The request over these records, all of which are found at once."""
        source = GIVEN if self.articles else request.source
        return replace(request, source=source, per_query=len(self.ids))

    def refuse_identifiers(self, way_out: str) -> None:
        """Raise IdentifiersFound, which names every record that tells of a patient by its number,
        with the kinds found.
        """
        numbers = self.numbers or range(1, len(self.articles) + 1)
        found: dict[int, list[Identifier]] = {}
        for number, one in zip(numbers, self.articles, strict=True):
            for each in identifiers(f"{one.title}\n{one.abstract}"):
                if each.kind not in _NEVER_IN_AN_ARTICLE:
                    found.setdefault(number, []).append(each)
        if not found:
            return
        shown = [
            f"{number:,} ({', '.join(dict.fromkeys(each.kind for each in those))})"
            for number, those in islice(found.items(), _MOST_LISTED)
        ]
        more = f" and {len(found) - len(shown):,} more" if len(found) > len(shown) else ""
        named = (
            "record {} of the documents seems"
            if len(found) == 1
            else ("records {} of the documents seem")
        )
        first = next(iter(found.values()))
        raise IdentifiersFound(
            f"{named.format(', '.join(shown) + more)} to identify a patient. {way_out}",
            where="documents",
            spans=[(each.start, each.end) for each in first],
            kinds=[each.kind for each in first],
        )


def set_up(pages: Blueprint) -> None:
    """Let requests that may bring documents be longer than others."""

    @pages.app_url_value_preprocessor
    def _longer(endpoint: str | None, _values: dict[str, Any] | None) -> None:
        if request.method == "POST" and endpoint in _STARTS:
            request.max_content_length = max(LONGEST_BODY, services().web.largest_body)


def count_of(run_id: str | None) -> int:
    """The records that were given with a run and are kept with it."""
    packed = services().store.documents(run_id) if run_id else None
    return len(unpack(packed).articles) if packed else 0


def carried(sent: Request, again: str | None) -> list[tuple[str, str]]:
    """The ticks about documents that a form sends unseen where it does not show them."""
    kept = count_of(again) and (sent.method == "GET" or sent.form.get("documents_kept"))
    return [("documents_kept", "yes")] if kept else []


def of_form(sent: Request, again: str | None) -> dict[str, object]:
    """The fields that a form brings beside its text: the file, or the records of the run it began
    with (``again``, which the visitor may read). Raises FieldError.
    """

    file, typed = sent.files.get("documents_file"), sent.form.get("documents", "").strip()
    if file is not None and file.filename:
        if typed:
            raise FieldError("documents", "choose a file or write PMIDs, not both")
        raw = file.read()
        if len(raw) > MAX_BYTES:
            raise too_long(len(raw))
        try:
            text = decoded(raw)
            read(text)
        except RecordError as error:
            raise FieldError("documents", f"the file {error}") from None
        return {"documents": text}
    packed = services().store.documents(again) if again else None
    return {"documents": packed} if packed and not typed and sent.form.get("documents_kept") else {}


def read(given: object) -> Documents | None:
    """The documents of a request's field: text, a list of PMIDs, or the bytes of `pack`. None where
    there are none. Raises FieldError.
    """
    if given is None:
        return None
    if isinstance(given, bytes):
        return unpack(given)
    parts = [given] if isinstance(given, str) else given
    if not isinstance(parts, (list, tuple)) or not all(isinstance(one, str) for one in parts):
        raise FieldError("documents", "must be text, or a list of PMIDs")
    text = "\n".join(parts)
    if (size := len(text.encode("utf-8", "replace"))) > MAX_BYTES:
        raise too_long(size)
    if not text.strip():
        raise FieldError("documents", "is empty")
    words = [word for word in _SEPARATORS.split(text.removeprefix("\ufeff")) if word]
    pmids = [pmid for word in words[: MOST_GIVEN + 1] if (pmid := read_pmid(word))]
    if len(pmids) == len(words[: MOST_GIVEN + 1]):
        return _of_pmids(pmids)
    return _of_text(text)


def too_long(size: int) -> FieldError:
    """The refusal of what has so many bytes."""
    most = MAX_BYTES // 1_000_000
    return FieldError("documents", f"has {size / 1e6:.1f} MB; at most {most} MB can be used")


def _of_pmids(pmids: Sequence[str], notices: tuple[str, ...] = ()) -> Documents:
    if len(pmids) > MOST_GIVEN:
        raise FieldError(
            "documents", f"has more than {MOST_GIVEN:,} PMIDs; at most {MOST_GIVEN:,} can be used"
        )
    return Documents(tuple(f"pmid:{one}" for one in dict.fromkeys(pmids)), (), notices)


def _of_text(text: str) -> Documents:

    try:
        found = read_citations(text, MOST_GIVEN)
    except RecordError as error:
        raise FieldError("documents", str(error)) from None
    if not found.articles:
        if found.untitled:  # a table of PMIDs
            return _of_pmids(found.untitled, replace(found, untitled=()).notices("the documents"))
        first = found.unreadable[0]
        told = f"has no record that can be read ({first.id}: {first.reason})"
        raise FieldError("documents", told)
    ids = tuple(one.id for one in found.articles)
    return Documents(ids, found.articles, found.notices("the documents"), found.numbers)


def pack(documents: Documents) -> bytes:
    """The bytes that are stored with the run."""
    return msgspec.json.encode(documents)


def unpack(packed: bytes) -> Documents:
    """The inverse of `pack`."""
    return msgspec.json.decode(packed, type=learned(Documents))


def source_of(packed: bytes, opened: Callable[[], ArticleSource]) -> ArticleSource:
    """The source of a run over documents; ``opened`` is the one that has the records of PMIDs.
    Raises what that raises.
    """
    held = unpack(packed)
    return Given(held.ids, held.articles, None if held.articles else opened(), held.notices)
