"""The questions to a judge of support and its answers; that of quotations."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from clinfo.claims.cited import cited_sentence
from clinfo.records.articles import Article, Study


@dataclass(frozen=True)
class Entailment:
    """Do these articles, taken together, support this sentence?"""

    sentence: str
    articles: tuple[Article, ...]

    @property
    def premise(self) -> str:
        """Title and abstract of each article, one after the other."""
        return "\n\n".join(
            f"{article.title}\n{article.abstract}".strip() for article in self.articles
        )


class Judge(Protocol):
    """Somebody who says whether articles support a sentence. May have ``warnings`` too, see
    `warnings_of`.
    """

    @property
    def name(self) -> str:
        """Names the judge with its settings, as it stands beside its figures."""

    def judge(self, asked: Sequence[Entailment]) -> list[bool]:
        """In the order asked, whether the articles support the sentence wholly. Raises ModelError,
        BudgetReached, UsageError.
        """


def warnings_of(judge: Judge) -> tuple[str, ...]:
    """Return what a judge has to say of its verdicts so far, a line each: its ``warnings``, where
    it has that property.
    """
    return tuple(getattr(judge, "warnings", ()))


_BETWEEN_CLAUSES = re.compile(r";\s|,\s(?:while|whereas|but)\s")


class QuotationJudge:
    """The judge where none is named: articles support a sentence that stands word for word in one
    of them, as a whole or clause by clause (`clinfo.claims.cited`). Of other wording it says
    nothing.
    """

    name = "quotations"

    def judge(self, asked: Sequence[Entailment]) -> list[bool]:
        return [_quoted(one) or _by_clauses(one) for one in asked]


def not_verified(sentence: str, articles: Sequence[Article]) -> bool:
    """Return whether the sentence stands word for word in none of these articles."""
    return not _quoted(Entailment(sentence, tuple(articles)))


def _quoted(asked: Entailment) -> bool:
    studies = [Study(n, article, None) for n, article in enumerate(asked.articles, 1)]
    found = cited_sentence(asked.sentence, range(1, len(studies) + 1), studies)
    return found.verdict == "quoted"


def _by_clauses(asked: Entailment) -> bool:
    """Return whether each of several clauses stands in one of the articles."""
    clauses = [each for each in _BETWEEN_CLAUSES.split(asked.sentence) if each.strip()]
    return len(clauses) > 1 and all(_quoted(Entailment(each, asked.articles)) for each in clauses)


class Remembering:
    """A judge that is asked each thing once: regimes and repeats share most of their sentences."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._told: dict[Entailment, bool] = {}

    @property
    def name(self) -> str:
        return self._judge.name

    @property
    def warnings(self) -> tuple[str, ...]:
        """Those of the judge that is asked."""
        return warnings_of(self._judge)

    def judge(self, asked: Sequence[Entailment]) -> list[bool]:
        new = [one for one in dict.fromkeys(asked) if one not in self._told]
        self._told.update(zip(new, self._judge.judge(new), strict=True) if new else ())
        return [self._told[one] for one in asked]
