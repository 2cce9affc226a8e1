"""How much of a paper is read: sentences up to a length, and no more characters than so many."""

import pytest

from clinfo.errors import RecordError
from clinfo.retrieval.documents import Document
from clinfo.retrieval.readers import read_document
from clinfo.retrieval.readers.lengths import LONGEST_SENTENCE, MOST_CHARACTERS
from clinfo.text.sentences import sentence_spans

LONG = "Zinc cream 1 (2 to 3) " * 8_000
PLAIN = "RESULTS:\nItching fell. {} ended. Redness rose.\nNobody died."
JATS = (
    "<article><body><sec><title>Results</title><p>Itching fell. {} ended. Redness rose.</p>"
    "<p>Nobody died.</p></sec></body></article>"
)


def sentences(paper: Document) -> list[str]:
    texts = [paper.text[one.start : one.end] for one in paper.blocks if one.kind == "text"]
    return [text[start:end] for text in texts for start, end in sentence_spans(text)]


@pytest.mark.parametrize("form", [JATS, PLAIN])
def test_a_long_sentence_is_read_up_to_a_length_and_told(form: str) -> None:
    paper = read_document(form.format(LONG).encode(), "zinc.xml")
    read = sentences(paper)
    assert [one[:13] for one in read] == [
        "Itching fell.",
        "Zinc cream 1 ",
        "Redness rose.",
        "Nobody died.",
    ]
    assert len(read[1]) <= LONGEST_SENTENCE
    assert paper.lost == ("the end of a sentence of more than 5,000 characters",)


def test_a_paper_of_too_many_characters_is_refused_by_name() -> None:
    with pytest.raises(RecordError, match=r"^zinc\.txt: more than 2,000,000 characters of text"):
        read_document(b"Itching fell.\n" * (MOST_CHARACTERS // 14 + 1), "zinc.txt")
