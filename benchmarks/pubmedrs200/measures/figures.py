"""Check that the numbers of an answer appear in the articles that it cites for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmarks.pubmedrs200.measures.claims import Claim, without_marks
from clinfo.records.articles import Article
from clinfo.text.quotes import numbers
from clinfo.text.stated_numbers import written_numbers


def figures_supported(claims: Sequence[Claim], articles: Mapping[int, Article]) -> float | None:
    """Share (0 to 1) of the numbers in the sentences that stand in title or abstract of an article
    cited there, in digits or in words; None without numbers.

    A number is looked for as it is written: 12 % is not 0.12, nor 0.75 0.7532. Of what it is said
    is no matter: a judge asks that.
    """
    stand = {
        n: written_numbers(f"{article.title}\n{article.abstract}")
        for n, article in articles.items()
    }
    held = [
        any(number in stand[n] for n in claim.cites if n in stand)
        for claim in claims
        for number, _, _ in numbers(without_marks(claim.text))
    ]
    return sum(held) / len(held) if held else None
