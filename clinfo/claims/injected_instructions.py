"""Articles as evidence: without what in them is addressed to a language model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from clinfo.claims.beginnings import beginnings, vocabulary
from clinfo.records.articles import Article, Study
from clinfo.text.prompt_injection import steering

OBEYED = "it says what text addressed to a language model orders to be said"
LEAST_ORDERED = 0.6
"""Share of a sentence's words that such a text must hold for the sentence to obey it."""


def as_evidence(studies: Sequence[Study]) -> tuple[Study, ...]:
    """The studies with such text blanked in title and abstract, so that no sentence can rest on it;
    offsets stay as they are.

    Blank is everything from the first sentence that steers a model to the end of its section: what
    such a text orders to be said often stands in the sentence after the order.
    """
    return tuple(replace(study, article=_blanked(study.article)) for study in studies)


@lru_cache(maxsize=512)
def _blanked(article: Article) -> Article:
    sections = tuple(replace(one, text=_without(one.text)) for one in article.sections)
    blanked = replace(article, title=_without(article.title), sections=sections)
    return article if blanked == article else blanked


def _without(text: str) -> str:
    found = steering(text)
    start = found[0][0] if found else len(text)
    return text[:start] + " " * (len(text) - start)


def obeys(text: str, studies: Sequence[Study]) -> bool:
    """Return whether a sentence is worded like an order that one of the articles gives, and more so
    than like the rest of that article.
    """
    said = beginnings(text)
    for study in studies:
        plain = _blanked(study.article)
        if plain is study.article or not said:
            continue
        texts = (study.article.title, *(part.text for part in study.article.sections))
        ordered = beginnings(" ".join(map(_ordered, texts)))
        share = len(said & ordered) / len(said)
        if share >= LEAST_ORDERED and share > len(said & vocabulary(plain)) / len(said):
            return True
    return False


def _ordered(text: str) -> str:
    found = steering(text)
    return text[found[0][0] :] if found else ""
