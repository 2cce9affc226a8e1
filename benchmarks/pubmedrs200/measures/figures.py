"""Check that the numbers of an answer appear in the articles that it cites for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmarks.pubmedrs200.measures.claims import Claim
from clinfo.records.articles import Article
from clinfo.text.figures import find_figures, states


def figures_supported(claims: Sequence[Claim], articles: Mapping[int, Article]) -> float | None:
    """Share (0 to 1) of the figures in the sentences that title or abstract of an article cited
    there state; None without figures.

    Stricter readers ask what a figure is said of as well: `clinfo.claims.verify` does, and this
    measure does not, so that it rests on little
    else than the numbers themselves.
    """
    read = {
        n: find_figures(f"{article.title}\n{article.abstract}") for n, article in articles.items()
    }
    held = [
        any(states(figure, read[n]) is not None for n in claim.cites if n in read)
        for claim in claims
        for figure in find_figures(claim.text)
    ]
    return sum(held) / len(held) if held else None
