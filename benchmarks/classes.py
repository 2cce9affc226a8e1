"""Precision, recall and F1 of answers that are one of a few classes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def by_class(
    pairs: Sequence[tuple[str, str]], classes: Iterable[str]
) -> tuple[list[float], list[float], list[float]]:
    """Precision, recall and F1 of each class over (gold, answer) pairs; 0 where there is nothing to
    divide by.
    """
    each = []
    for name in classes:
        right = sum(gold == said == name for gold, said in pairs)
        said, true = (sum(pair[at] == name for pair in pairs) for at in (1, 0))
        each.append((right / max(1, said), right / max(1, true), 2 * right / max(1, said + true)))
    precision, recall, f1 = map(list, zip(*each, strict=True))
    return precision, recall, f1
