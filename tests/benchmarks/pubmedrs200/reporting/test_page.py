"""report.html: whole by itself, well formed, every text literal, every link leading somewhere."""

import re
from html.parser import HTMLParser

import pytest

from pubmedrs.reading import load
from tests.benchmarks.pubmedrs200.reporting.conftest import Made
from tests.benchmarks.pubmedrs200.reporting.scored import HOSTILE, IDS

VOID = {"meta", "input", "br", "hr", "img", "link"}


class Page(HTMLParser):
    """Checks nesting while reading, and keeps what the tests ask about."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str, str]] = []
        self.headless: list[str] = []
        self.levels: list[int] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        found = dict(attrs)
        if found.get("id"):
            self.ids.append(str(found["id"]))
        if re.fullmatch("h[1-6]", tag):
            self.levels.append(int(tag[1]))
        if tag == "a":
            self.links.append(str(found.get("href")))
        if tag == "th" and "scope" not in found:
            self.headless.append(str(self.getpos()))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing at {self.getpos()}"
        assert self.open.pop() == tag, f"</{tag}> at {self.getpos()}"

    def handle_data(self, data: str) -> None:
        self.text.append(data)


@pytest.fixture(scope="module")
def page(made: Made) -> Page:
    reader = Page()
    reader.feed((made.report / "report.html").read_text(encoding="utf-8"))
    reader.close()
    return reader


def test_is_well_formed_with_ids_of_their_own(page: Page) -> None:
    assert not page.open
    assert len(page.ids) == len(set(page.ids))
    assert not page.headless


def test_needs_nothing_from_outside(page: Page, made: Made) -> None:
    assert not page.tags & {"script", "iframe", "link", "img", "object", "form"}
    outside = {link for link in page.links if not link.startswith("#")}
    assert all(
        re.fullmatch(r"https://pubmed\.ncbi\.nlm\.nih\.gov/[0-9]+/", link) for link in outside
    )
    assert not [item for item in page.attributes if item[1] == "src" or item[1].startswith("on")]
    assert not [value for _, _, value in page.attributes if re.search(r"url\((?!#)", value)]
    assert "@import" not in (made.report / "report.html").read_text(encoding="utf-8")


def test_texts_come_out_literally(page: Page, made: Made) -> None:
    text = "".join(page.text)
    assert text.count(f"{IDS[0]}: {HOSTILE} [1].") == 2  # once a regime
    assert load(made.data).reviews[0].answer in text  # as the data set's repair has it
    assert "{{ 7 * 7 }}" in text
    source = (made.report / "report.html").read_text(encoding="utf-8")
    assert "<script" not in source
    assert "\x00" not in source
    assert "Perhaps.��" in text
