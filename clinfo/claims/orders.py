"""Articles as evidence: without what in them is addressed to a language model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from clinfo.records import Article, Section, Study
from clinfo.text.steering import steering


def as_evidence(studies: Sequence[Study]) -> tuple[Study, ...]:
    """The studies with such text blanked in title and abstract, so that no sentence can rest on it; offsets stay as they are.

    Blank is everything from the first sentence that steers a model to the end of its section: what such a text orders to be said
    often stands in the sentence after the order.
    """
    return tuple(replace(study, article=_blanked(study.article)) for study in studies)


@lru_cache(maxsize=512)
def _blanked(article: Article) -> Article:
    title, sections = _without(article.title), tuple(_section(one) for one in article.sections)
    same = title == article.title and sections == article.sections
    return article if same else replace(article, title=title, sections=sections)


def _section(section: Section) -> Section:
    return replace(section, text=_without(section.text))


def _without(text: str) -> str:
    found = steering(text)
    start = found[0][0] if found else len(text)
    return text[:start] + " " * (len(text) - start)
