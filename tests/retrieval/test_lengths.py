"""How much of a paper is read: no more characters than so many."""

import pytest

from clinfo.errors import RecordError
from clinfo.retrieval.documents import MOST_CHARACTERS
from clinfo.retrieval.readers import read_document


def test_a_paper_of_too_many_characters_is_refused_by_name() -> None:
    with pytest.raises(RecordError, match=r"^zinc\.txt: more than 2,000,000 characters of text"):
        read_document(b"Itching fell.\n" * (MOST_CHARACTERS // 14 + 1), "zinc.txt")
