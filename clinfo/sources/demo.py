"""The demo corpus: real trials on a few clinical questions, so that the chain can be tried without
network or keys.

Bibliographic data are those of PubMed; the abstracts were rewritten for this project in its own
words, from the facts and figures of the real ones. Each file of ``demo_corpus/`` is one question
with its articles, as `clinfo.records.articles.Article` has them.
"""

from functools import cache
from importlib.resources import files

import msgspec

from clinfo.learned_types import learned
from clinfo.records.articles import Article

NOTICE = (
    "This comes from a small demonstration corpus: the articles are real, but their "
    "abstracts were rewritten for "
    "this project, so check every statement in the original and do not base decisions on it."
)


class Asked(msgspec.Struct, forbid_unknown_fields=True):
    """A file of the corpus."""

    question: str
    articles: tuple[Article, ...]


@cache
def corpus() -> tuple[Asked, ...]:
    """The questions with their articles, in the order of the files' names."""
    folder = files("clinfo.sources") / "demo_corpus"
    found = sorted(
        (file for file in folder.iterdir() if file.name.endswith(".json")),
        key=lambda file: file.name,
    )
    return tuple(msgspec.json.decode(file.read_bytes(), type=learned(Asked)) for file in found)


def load() -> tuple[Article, ...]:
    """All articles."""
    return tuple(article for one in corpus() for article in one.articles)


def questions() -> tuple[str, ...]:
    """The clinical questions that the corpus has articles on."""
    return tuple(one.question for one in corpus())
