"""The tables of the paper in shape, of one system: by cohort size (Tables 1 and 6), by length of
the records (Figure 5), and how often stated relations of sets are violated (Tables 2 to 4).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

SIZES = {"broad": (16, None), "narrow": (4, 15), "sparse": (1, 3)}
"""Members of a query's gold set, by which it is called so; of 89 patients as the paper's 50 and 10
of 1,436.
"""
LENGTHS = {"below 35": (0, 34), "35 to 73": (35, 73), "74 and more": (74, None)}
"""Notes of a patient, the paper's bounds."""
RELATIONS = ("same_as", "subset_of", "superset_of", "child_of")
Queries = Sequence[Mapping[str, Any]]
Sets = Mapping[str, Collection[str]]
Scores = tuple[float, float, float]


def tables(
    queries: Queries, found: Sets, ranked: Mapping[str, Sequence[str]], lengths: Mapping[str, int]
) -> str:
    """All tables as text. ``lengths`` are the notes of every patient."""
    return "\n\n".join(
        "\n".join(part)
        for part in (
            _by_size(queries, found, ranked, len(lengths)),
            _by_length(queries, found, lengths),
            _relations(queries, found),
        )
    )


def scores(right: int, found: int, gold: int) -> Scores:
    """Precision, recall and F1 of counts; what has no denominator is 0."""
    return (
        right / found if found else 0.0,
        right / gold if gold else 0.0,
        2 * right / (found + gold) if found + gold else 0.0,
    )


def macro(pairs: Sequence[tuple[Collection[str], Collection[str]]]) -> Scores:
    """The means over (gold, found)."""
    each = [scores(len(set(gold) & set(got)), len(got), len(gold)) for gold, got in pairs]
    first, second, third = (sum(column) / len(each) for column in zip(*each, strict=True))
    return first, second, third


def micro(pairs: Sequence[tuple[Collection[str], Collection[str]]]) -> Scores:
    """The scores of all members of all (gold, found) together."""
    return scores(
        sum(len(set(gold) & set(got)) for gold, got in pairs),
        sum(len(got) for _, got in pairs),
        sum(len(gold) for gold, _ in pairs),
    )


def _by_size(
    queries: Queries, found: Sets, ranked: Mapping[str, Sequence[str]], patients: int
) -> Iterator[str]:
    head = ("queries", "P", "R", "F1", "top-k P", "R", "F1", "HR", "recall", "FPR %")
    yield _row("by cohort size", head)
    for name, (low, high) in SIZES.items():
        own = [one for one in queries if low <= len(one["gold"]) <= (high or patients)]
        if not own:
            continue
        pairs = [(one["gold"], found[one["id"]]) for one in own]
        cut = [(one["gold"], ranked[one["id"]][: len(one["gold"])]) for one in own]
        mean = micro if name == "sparse" else macro
        false = [len(set(got) - set(gold)) for gold, got in pairs]
        ratio = sum(one / len(gold) for one, (gold, _) in zip(false, pairs, strict=True)) / len(own)
        rates = [one / (patients - len(gold)) for one, (gold, _) in zip(false, pairs, strict=True)]
        recall = macro(pairs)[1]
        told = (len(own), *mean(pairs), *mean(cut), ratio, recall, 100 * sum(rates) / len(own))
        yield _row(f"{name} ({'micro' if name == 'sparse' else 'macro'})", told)
    zero = [len(found[one["id"]]) for one in queries if not one["gold"]]
    if zero:
        rate = 100 * sum(zero) / (len(zero) * patients)
        yield f"zero: {len(zero)} queries, {sum(zero)} false positives, FPR {rate:.2f} %"


def _by_length(queries: Queries, found: Sets, lengths: Mapping[str, int]) -> Iterator[str]:
    yield _row("by notes of a patient", ("patients", "P", "R", "F1"))
    for name, (low, high) in LENGTHS.items():
        own = {id for id, count in lengths.items() if low <= count and (not high or count <= high)}
        pairs = [(own & set(one["gold"]), own & set(found[one["id"]])) for one in queries]
        yield _row(f"{name} (micro)", (len(own), *micro(pairs)))


def _relations(queries: Queries, found: Sets) -> Iterator[str]:
    yield _row("relations", ("pairs", "violated", "members"))
    for relation in RELATIONS:
        pairs = list(related(queries, found, relation))
        wrong = [len(outside) for _, _, outside in pairs if outside]
        yield _row(relation, (len(pairs), len(wrong), sum(wrong)))


def related(
    queries: Queries, found: Sets, relation: str
) -> Iterator[tuple[str, str, frozenset[str]]]:
    """The two queries of each stated relation, and the members that violate it."""
    for query in queries:
        others = query.get(relation) or []
        for other in [others] if isinstance(others, str) else others:
            if other in found:
                own, that = frozenset(found[query["id"]]), frozenset(found[other])
                outside = (
                    own ^ that if relation == "same_as"
                    else that - own if relation == "superset_of"
                    else own - that
                )  # fmt: skip
                yield query["id"], other, outside


def _row(name: str, cells: Sequence[object]) -> str:
    told = (f"{one:9.3f}" if isinstance(one, float) else f"{one!s:>9}" for one in cells)
    return f"{name:24}{''.join(told)}"
