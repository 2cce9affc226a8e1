"""The questions to a judge of support and its answers; the program's own rules as one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from clinfo.claims.verify import check_sentence
from clinfo.records.articles import Article, Sentence, Study


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


class RulesJudge:
    """The judge by rules that every answer of this program went through (`clinfo.claims.verify`).

    Those ask more of a sentence that cites several articles than Gao et al. (ALCE) do: each article
    has to be close to it, so that a reader who follows any citation finds what was said. ALCE asks
    what all of them tell together, and charges the needless ones to precision. Articles therefore
    support a sentence here where the rules support it by all of them, by one of them alone, or by
    those in which they found a part of it, so that what one more article says takes no support
    away.
    """

    name = "clinfo.claims.verify"

    def judge(self, asked: Sequence[Entailment]) -> list[bool]:
        return [_together(one) or _alone(one) or _by_clauses(one) for one in asked]


def not_verified(sentence: str, articles: Sequence[Article]) -> bool:
    """Return whether the rules could not compare the sentence with these articles, so that they
    vouch for nothing and condemn nothing.
    """
    return _checked(sentence, articles).verdict == "not_verified"


def _checked(sentence: str, articles: Sequence[Article]) -> Sentence:
    studies = [Study(n, article, None) for n, article in enumerate(articles, 1)]
    return check_sentence(sentence, range(1, len(articles) + 1), studies)


def _together(asked: Entailment) -> bool:
    """Return whether the rules support the sentence by all of these articles, or else by those of
    them in which they find something.
    """
    articles: tuple[Article, ...] = ()
    found = asked.articles
    while len(found) != len(articles):
        articles = found
        checked = _checked(asked.sentence, articles)
        if checked.verdict == "supported":
            return True
        places = {span.n for span in checked.spans}
        found = tuple(article for n, article in enumerate(articles, 1) if n in places)
    return False


def _alone(asked: Entailment) -> bool:
    """Return whether one of several articles supports the sentence."""
    return len(asked.articles) > 1 and any(
        _together(Entailment(asked.sentence, (each,))) for each in asked.articles
    )


def _by_clauses(asked: Entailment) -> bool:
    """Return whether each of several clauses is supported by one of the articles."""
    clauses = [each for each in _BETWEEN_CLAUSES.split(asked.sentence) if each.strip()]
    return len(clauses) > 1 and all(
        _alone(Entailment(each, (*asked.articles, *asked.articles[:1]))) for each in clauses
    )


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
