"""Pairs what stands for the two arms in a table: two columns of a row, or two rows of a column."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from clinfo.evidence.arm_numbers.grids import Entry, Grid, Row
from clinfo.evidence.arm_numbers.labels import label_words
from clinfo.evidence.arm_numbers.naming import ArmNaming
from clinfo.evidence.arm_numbers.roles import Role, is_only_role, roles, without_roles
from clinfo.lazy_dataclass import dataclass
from clinfo.text.regex import regex

LEAST = 0.25
"""The least that a pair of labels must count as the names of the two arms (`ArmNaming.pair`)."""
LEAST_OF_ROWS = 0.5
"""The same for rows, most of which name no arms."""
_PIECES = regex(r"[,;:()/]|\s[-–]\s")
WITHIN = 40
"""Most rows, or columns, between those of two arms."""


@dataclass(frozen=True)
class Part:
    """A value of one arm, and what its column or row says that it is (mean, SD, n, %)."""

    roles: frozenset[Role]
    entry: Entry


@dataclass(frozen=True)
class Reported:
    """What a table reports of both arms for one thing.

    ``label`` and ``condition`` name it from the row and from the columns, ``heading`` and
    ``caption`` from what stands over it; ``naming`` is how surely the arms are the asked ones
    (0 to 2). ``grid`` is the number of the table (-1: a sentence), ``row`` that of the first row,
    ``names`` what the arms are called and ``headers`` all that stands over their columns.
    """

    grid: int
    row: int
    label: str
    condition: str
    heading: str
    caption: str
    notes: str
    naming: float
    parts: tuple[tuple[Part, ...], tuple[Part, ...]]
    names: tuple[str, str]
    headers: tuple[str, str] = ("", "")


@dataclass(frozen=True)
class _Pair:
    """Two places of a row or column, one an arm, with what their labels share."""

    one: int
    other: int
    naming: float
    shared: str
    roles: frozenset[Role]
    names: tuple[str, str]


def reported(grid: Grid, number: int, naming: ArmNaming) -> Iterator[Reported]:
    """Everything that a table says of both arms."""
    by_columns: dict[int, list[list[_Pair]]] = {}
    for lines in _records(grid.rows):
        head = lines[0][1]
        key = id(head.headers)
        if key not in by_columns:
            by_columns[key] = _columns(head.headers, grid.stubs, naming)
        for group in by_columns[key]:
            yield from _of_columns(grid, number, lines, group)
    yield from _of_rows(grid, number, naming)


def _of_columns(
    grid: Grid, number: int, lines: Sequence[tuple[str, Row]], group: Sequence[_Pair]
) -> Iterator[Reported]:
    parts: tuple[list[Part], list[Part]] = ([], [])
    first = lines[0][1]
    only = is_only_role(first.label) and not roles(first.label) <= {"n", "percent"}
    many = len({role for role, _ in lines}) > 1
    for label, row in lines:
        role = label if only or many else ""
        for pair in group:
            for side, column in enumerate((pair.one, pair.other)):
                if column in row.entries:
                    parts[side].append(Part(pair.roles | roles(role), row.entries[column]))
    if not parts[0] or not parts[1]:
        return
    label = "" if only else first.label
    label = without_roles(label) if many else label
    over = first.headers
    above = tuple(" ".join(over.get(column, ())) for column in (group[0].one, group[0].other))
    yield Reported(
        number, first.number, label, group[0].shared, first.heading, grid.caption, grid.notes,
        group[0].naming, (tuple(parts[0]), tuple(parts[1])), group[0].names, (above[0], above[1]),
    )  # fmt: skip


def _records(rows: Sequence[Row]) -> Iterator[list[tuple[str, Row]]]:
    """The rows that tell of one thing, each with the role its label gives it: a row with those that
    go on with it, or rows whose labels differ in nothing but roles ("Pain, mean", "Pain, SD").
    """
    record: list[tuple[str, Row]] = []
    thing: tuple[str, str] | None = None
    for row in rows:
        if record and row.goes_on:
            record.append((record[0][0], row))
            continue
        told = roles(row.label)
        here = (row.heading, without_roles(row.label))
        parts = bool(told and told != {"n"} and any(here))
        if record and parts and here == thing and told not in {roles(role) for role, _ in record}:
            record.append((row.label, row))
            continue
        if record:
            yield record
        record, thing = [(row.label if parts else "", row)], here if parts else None
    if record:
        yield record


def _columns(
    headers: Mapping[int, tuple[str, ...]], stubs: int, naming: ArmNaming
) -> list[list[_Pair]]:
    """The pairs of columns that are the two arms', those of one thing together."""
    names = {column: " ".join(path) for column, path in headers.items() if column >= stubs}
    names = {column: name for column, name in names.items() if "p" not in roles(name)}
    pairs = _mutual(sorted(names), lambda column: names[column], naming)
    groups: dict[tuple[str, tuple[str, str]], list[_Pair]] = {}
    last: dict[tuple[str, str], str] = {}
    for pair in sorted(pairs, key=lambda pair: pair.one):
        shared = pair.shared
        if not shared and pair.roles and last.get(pair.names):
            shared = last[pair.names]
        last[pair.names] = shared
        groups.setdefault((shared, pair.names), []).append(pair)
    best = max((pair.naming for pair in pairs), default=0.0)
    return [group for group in groups.values() if group[0].naming >= best - 0.1]


def _mutual(places: Sequence[int], name: Callable[[int], str], naming: ArmNaming) -> list[_Pair]:
    """The pairs of places of which each is the other's best partner."""
    found: list[_Pair] = []
    for one in places:
        for other in places:
            if one == other or abs(one - other) > WITHIN:
                continue
            if roles(name(one)) != roles(name(other)):
                continue
            own, others = without_roles(name(one)), without_roles(name(other))
            score = naming.pair(own, others)
            if score >= LEAST:
                shared, only = _shared(own, others)
                found.append(_Pair(one, other, score, shared, roles(name(one)), only))
    best: dict[tuple[int, int], float] = {}
    for pair in found:
        for key in ((0, pair.one), (1, pair.other)):
            best[key] = max(best.get(key, 0.0), _rank(pair))
    kept = [p for p in found if _rank(p) >= max(best[0, p.one], best[1, p.other]) - 1e-9]
    taken: set[tuple[int, int]] = set()
    single: list[_Pair] = []
    for pair in sorted(kept, key=lambda pair: (-_rank(pair), pair.one, pair.other)):
        if (0, pair.one) not in taken and (1, pair.other) not in taken:
            single.append(pair)
            taken |= {(0, pair.one), (1, pair.other)}
    return single


def _rank(pair: _Pair) -> float:
    """The more words two labels share, and the nearer they are, the likelier they belong
    together.
    """
    return pair.naming + 0.03 * len(pair.shared.split()) - 0.001 * abs(pair.one - pair.other)


def _shared(one: str, other: str) -> tuple[str, tuple[str, str]]:
    """The words of two labels that both hold, and those that only one holds."""
    first, second = label_words(one), label_words(other)
    words = [word for word in one.split() if all(part in second for part in label_words(word))]
    only = (
        " ".join(sorted(word for word in first if word not in second)),
        " ".join(sorted(word for word in second if word not in first)),
    )
    return " ".join(word for word in words if label_words(word)), only


def _of_rows(grid: Grid, number: int, naming: ArmNaming) -> Iterator[Reported]:
    """What rows that are named as the arms tell, column by column."""
    rows = [row for row in grid.rows if not row.goes_on]
    spots = [
        place
        for place, row in enumerate(rows)
        if any(naming.names(without_roles(one)) for part in row.stub for one in _PIECES.split(part))
    ]
    near = sorted({b for a in spots for b in range(a - 2, a + 3) if 0 <= b < len(rows)})
    blocks: dict[str, list[int]] = {}
    for place in near:
        blocks.setdefault(rows[place].heading, []).append(place)
    for heading, places in blocks.items():
        for pair in _mutual(places, lambda place: rows[place].label, naming):
            one, other = rows[pair.one], rows[pair.other]
            if pair.naming < LEAST_OF_ROWS or one.headers is not other.headers:
                continue
            for condition, columns in _things(one.headers, grid.stubs).items():
                parts = tuple(
                    tuple(
                        Part(roles(" ".join(one.headers.get(column, ()))), row.entries[column])
                        for column in columns
                        if column in row.entries
                    )
                    for row in (one, other)
                )
                if parts[0] and parts[1]:
                    yield Reported(
                        number, one.number, pair.shared, condition, heading, grid.caption,
                        grid.notes, pair.naming, (parts[0], parts[1]), pair.names,
                    )  # fmt: skip


def _things(headers: Mapping[int, tuple[str, ...]], stubs: int) -> dict[str, list[int]]:
    """The columns by what they tell of, without the words for mean, SD, n and the like."""
    found: dict[str, list[int]] = {}
    last = ""
    for column in sorted(headers):
        name = " ".join(headers[column])
        if column < stubs or "p" in roles(name):
            continue
        thing = without_roles(name).strip() or (last if roles(name) else "")
        last = thing
        found.setdefault(thing, []).append(column)
    sizes = [one for one in found.get("", ()) if roles(" ".join(headers[one])) == {"n"}]
    return {thing: columns if not thing else [*columns, *sizes] for thing, columns in found.items()}
