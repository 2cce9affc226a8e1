"""Plain keywords from the content words of a question, without a language model: for sources that
read no operators.
"""

from __future__ import annotations

from collections.abc import Sequence

from clinfo.pubmed.keywords import keywords
from clinfo.text.coordination import Group, groups
from clinfo.text.terms import fold

_SEEDS = 3
_CHOICES = ((0, 1, 2), (0, 1), (0, 2), (1, 2), (0, 3), (0,), (1,), (2,), (3,))
"""The combinations of a question's groups, by their order: all words of a query are looked for, so
three are the most.

The first group of a question is mostly the treatment or the exposure, so what goes with it comes
before what does not.
"""


def write_keywords(question: str, seed: int, previous: Sequence[str] = ()) -> str:
    """A query that differs from ``previous`` where the question has words for another; "" for a
    question without words.

    ``seed`` modulo 3 takes the first, second or third choice: first all of the main concepts, with
    each alternative of "a or b" in turn, then two of them.
    """
    candidates = _candidates(groups(question))
    taken = {fold(query) for query in previous}
    first = candidates[seed % _SEEDS : seed % _SEEDS + 1]
    order = [*first, *candidates]
    return next((query for query in order if fold(query) not in taken), order[0] if order else "")


def _candidates(found: Sequence[Group]) -> list[str]:
    """Queries without operators, best first, each once."""
    queries: dict[str, None] = {}
    for choice in _CHOICES:
        chosen = [found[place] for place in choice if place < len(found)]
        for turn in range(max((len(group.concepts) for group in chosen), default=0)):
            words = " ".join(group.concepts[turn % len(group.concepts)].text for group in chosen)
            if text := keywords(words).text:
                queries[text] = None
    return list(queries)
