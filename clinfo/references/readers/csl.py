"""CSL JSON, of Zotero, pandoc and Crossref."""

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from clinfo.errors import RecordError
from clinfo.records.articles import Author
from clinfo.references.parts import OF_KIND, plain
from clinfo.references.record import Reader, Record, book_of, parted, record
from clinfo.text.identifiers import find_doi, named_pmid, read_pmid
from clinfo.text.markup import unescaped

_LISTS_OF_ITEMS: Final = ("message", "items", "references")
"""Under which names answers of services hold their items."""


def _records(text: str) -> Iterator[Record]:
    """The items of a file: a list of them, one a line, an object that holds them, or one item.
    Raises RecordError.
    """
    try:
        lines = [line for line in text.splitlines() if line.strip()]
        several = len(lines) > 1 and all(line.lstrip().startswith('{"') for line in lines)
        held = [json.loads(line) for line in lines] if several else json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RecordError(f"is cut off or damaged: it is no JSON ({error})") from None
    for name in _LISTS_OF_ITEMS:
        held = (held.get(name) or held) if isinstance(held, dict) else held
    held = held if isinstance(held, list) else [held]
    items = [one for one in held if isinstance(one, dict) and ({"type", "title"} & one.keys())]
    if not items:
        raise RecordError("has no record: its JSON is no list of CSL items")
    for place, one in enumerate(items, 1):
        try:
            found = _of_item(place, one)
        except (TypeError, ValueError, LookupError, ArithmeticError):
            found = Record(place, fault="this item is no CSL: a field has another form")
        yield found


def _of_item(place: int, item: dict[str, Any]) -> Record:
    def text(*names: str) -> str:
        held = next((item[name] for name in names if item.get(name)), "")
        return unescaped("; ".join(map(str, held)) if isinstance(held, list) else str(held))

    def people(role: str) -> Iterator[str | Author]:
        every = item.get(role) or ()
        for one in [every] if isinstance(every, dict) else every:
            if not isinstance(one, dict):
                continue
            last = " ".join(filter(None, (one.get("non-dropping-particle"), one.get("family"))))
            fore = " ".join(filter(None, (one.get("given"), one.get("dropping-particle"))))
            if last:
                yield ", ".join(filter(None, (last, fore, one.get("suffix"))))
            elif named := one.get("literal") or one.get("name"):
                yield Author(plain(str(named)), collective=True)

    issued = item.get("issued") or item.get("published") or item.get("published-print") or {}
    issued = issued[0] if isinstance(issued, list) else issued
    issued = issued if isinstance(issued, dict) else {"raw": issued}
    day = "-".join(f"{int(part):02}" for part in (issued.get("date-parts") or [[]])[0] if part)
    kind, noted = text("type"), text("note", "URL")
    book = kind in ("book", "chapter", "paper-conference")
    return record(
        place,
        title=text("title"),
        abstract=text("abstract"),
        authors=people("author"),
        journal="" if book else text("container-title"),
        abbreviation=text("container-title-short", "journalAbbreviation"),
        volume=text("volume"),
        issue=text("issue"),
        pages=text("page", "number", "article-number"),
        dates=[day, str(issued.get("raw") or issued.get("literal") or issued.get("year") or "")],
        pmid=read_pmid(text("PMID")) or named_pmid(noted),
        doi=find_doi(text("DOI")) or find_doi(noted),
        pmcid=text("PMCID"),
        languages=[text("language")],
        types=[OF_KIND.get(kind, "")],
        keywords=parted(text("keyword"), ",;"),
        book=book_of(
            text("container-title"), people("editor"), text("edition"), text("publisher"),
            text("publisher-place"), text("ISBN"),
        ) if book else None,
    )  # fmt: skip


READER = Reader(
    "CSL", lambda text: re.match(r"\s*(?:\[\s*(?:[{\]]|null)|\{\s*[\"}])", text), _records
)
