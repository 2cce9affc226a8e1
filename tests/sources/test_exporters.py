"""Files in the shape of 58 programs' exports, and 6 that are refused, with right values by a writer
who did not see the reader (`exporters/right.json`).
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from clinfo.errors import RecordError
from clinfo.records.articles import Article, Author
from clinfo.references.reading import read_citation_file

FOLDER = Path(__file__).with_name("exporters")
RIGHT: dict[str, dict[str, Any]] = json.loads((FOLDER / "right.json").read_text("utf-8"))


def alike(value: object) -> object:
    """Blanks and a stop at the end make no difference, nor do null and nothing."""
    if isinstance(value, str):
        return re.sub(r"\s+", " ", value).strip().rstrip(".") or None
    return value or None


def person(author: Author) -> str:
    if author.collective:
        return f"{author.last}|collective"
    return f"{author.last}|{author.fore or 'null'}|{author.initials or 'null'}"


def told(article: Article) -> dict[str, object]:
    book = article.book
    sections = [f"{one.label}: {one.text}" if one.label else one.text for one in article.sections]
    return {
        "title": article.title,
        "authors": list(map(person, article.authors)),
        "journal": article.journal or article.journal_abbreviation,
        "year": article.published.start.year if article.published else None,
        "abstract": " ".join(sections),
        "book_title": book.title if book else None,
        "publisher": book.publisher if book else None,
        "editors": list(map(person, book.editors)) if book else None,
        **{name: getattr(article, name) for name in ("volume", "issue", "pages", "doi", "pmid")},
    }


@pytest.mark.parametrize("name", [name for name, one in RIGHT.items() if one["form"] != "refused"])
def test_a_file_of_another_program_is_read_whole(name: str) -> None:
    held = read_citation_file(FOLDER / name)
    assert held.form == RIGHT[name]["form"]
    every = [told(article) for article in held.articles]
    for right in RIGHT[name]["records"]:
        # The publisher of a journal's article is not kept.
        wanted = {
            key: alike(value)
            for key, value in right.items()
            if key != "publisher" or right.get("book_title")
        }
        same = [
            one for one in every if all(alike(one[key]) == value for key, value in wanted.items())
        ]
        assert same, (wanted, every)
        every.remove(same[0])
    assert not every


@pytest.mark.parametrize("name", [name for name, one in RIGHT.items() if one["form"] == "refused"])
def test_a_file_that_cannot_be_read_is_refused_in_one_line(name: str) -> None:
    with pytest.raises(RecordError) as error:
        read_citation_file(FOLDER / name)
    assert str(error.value).startswith(name)
    assert "\n" not in str(error.value)
