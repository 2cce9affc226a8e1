"""Passages: what they hold, and that nothing is lost or split between them."""

from hypothesis import given
from hypothesis import strategies as st

from clinfo.retrieval.chunking import by_section
from clinfo.retrieval.documents import Document, passage
from clinfo.retrieval.readers.jats import read_jats
from clinfo.retrieval.readers.plain import of_text
from tests.retrieval.test_jats import ARTICLE


def test_sentences_of_a_section_share_a_passage_and_sections_do_not() -> None:
    text = "METHODS:\nWe slept. We ate.\nWe ran.\n\nRESULTS:\nAll was well.\n"
    found = by_section(of_text(text, "sha256:1"), 60)
    assert [(one.text, one.section) for one in found] == [
        ("We slept. We ate.\nWe ran.", ("Methods",)),
        ("All was well.", ("Results",)),
    ]
    assert [one.id for one in found] == ["sha256:1:9-34", "sha256:1:45-58"]


def test_rows_of_a_table_repeat_its_caption_and_header() -> None:
    document = read_jats(ARTICLE, "a")
    block = next(one for one in document.blocks if one.table is not None)
    assert block.table is not None
    found = [one for one in by_section(document, 50) if one.kind == "table"]
    head = "Table 1 Sleep, mean (SD)\nOutcome | Arm\nMelatonin (n = 30) | Placebo (n = 31)\n"
    assert [one.text for one in found] == [
        head + "Night\nMinutes | 412 (30)^a | 400 (28)\n^ap = 0.04",
        "Naps | 7",
    ]
    rows = [passage(document, *line, block).text for line in block.table.lines[3:]]
    assert rows == [head + "Minutes | 412 (30)^a | 400 (28)"]


@given(st.lists(st.text("ab .|\nÄ", max_size=80), max_size=12).map("\n".join), st.integers(50, 90))
def test_every_word_is_in_exactly_one_passage_of_a_text(text: str, size: int) -> None:
    if not text.strip():
        return
    document = of_text(text, "x")
    found = by_section(document, size)
    assert all(one.end - one.start <= size for one in found)
    assert [w for one in found for w in one.text.split()] == _words(document)


def _words(document: Document) -> list[str]:
    """The words of the blocks, those longer than a passage cut as a passage must."""
    return [
        word
        for one in by_section(document, 10_000_000)
        for word in document.text[one.start : one.end].split()
    ]
