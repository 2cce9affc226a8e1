"""Check that the numbers of an answer appear in the articles that it cites for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from benchmarks.pubmedrs200.measures.claims import Claim
from clinfo.lazy_dataclass import replace
from clinfo.records.articles import Article
from clinfo.text.figures import Kind, NumericExpression, find_figures, same


def figures_supported(claims: Sequence[Claim], articles: Mapping[int, Article]) -> float | None:
    """Share (0 to 1) of the figures in the sentences that title or abstract of an article cited
    there state; None without figures.

    Stricter readers ask what a figure is said of as well: a judge does, and this
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


def states(
    claim: NumericExpression, figures: Iterable[NumericExpression]
) -> NumericExpression | None:
    """The first of ``figures`` (read from a source) that states ``claim``; None where none does.

    Nothing is calculated: 12 % is not 0.12, nor 12 of 50 24 %, nor 52 weeks a year; p < 0.05 is not
    p = 0.03. What counts as the same: 0.750 and 0.75; a value rounded to fewer decimals with two
    significant digits left (0.7532 and 0.75), though never to 0 or 1; a difference with or without
    its minus sign ("fell by 1.2", "−1.2"); a fraction in words and its per cent ("half", 50 %; "one
    in five", 20 %; "a third", 33.3 %); "two-fold" or "doubled" and a ratio of 2; a range whose two
    ends the source states apart; a number without unit where the source has it with one, or the
    reverse.
    """
    known = tuple(figures)
    for figure in known:
        if same(claim, figure):
            return figure
    if claim.kind == "range":
        ends = [replace(claim, kind=_kind_of_end(claim), values=(value,)) for value in claim.values]
        found = [states(end, known) for end in ends]
        return found[0] if all(found) else None
    return None


def _kind_of_end(claim: NumericExpression) -> Kind:
    if claim.unit is None:
        return "number"
    return (
        "percent"
        if claim.unit == "%"
        else "count"
        if claim.unit in ("participants", "studies")
        else "quantity"
    )
