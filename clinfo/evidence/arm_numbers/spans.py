"""Places the cells of a table in its columns, also where the file has lost what each covers.

Many copies of a table keep the cells and lose how many columns and rows each covers, so that its
headers are shorter than its body. The headers are then spread again: over equal numbers of columns,
over labels that repeat from group to group, over labels whose words they share.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from clinfo.evidence.arm_numbers.cells import read_cell
from clinfo.evidence.arm_numbers.labels import label_words
from clinfo.retrieval.documents import Span, Table
from clinfo.text.regex import anycase

Placed = dict[int, Span]
"""The cells of one row that are not empty, by each column that they cover."""
_NO_GROUP = anycase(
    r"^\W*p\b|\bp[\s-]?values?\b|\btotal\b|^\W*n\W*$|^\W*(?:variables?|outcomes?|measures?|"
    r"parameters?|characteristics?)\W*$|\bratio\b|^\W*(?:OR|RR|HR)\b"
)
"""What heads a column of its own, not a group of columns."""
_P = anycase(r"\W*p(?:[\s-]?values?)?\W*(?:[<=>].*)?$")
WIDEST = 60
"""Columns of the widest header that is spread again."""
FILLED = 1.0
"""What a header must be better read by, if its empty cells are to be room and no columns."""
_LETTERS = re.compile(r"[^\W\d_]")


def placed(text: str, table: Table) -> tuple[list[Placed], list[Placed]]:
    """The rows of the header and of the body, each cell in its columns."""
    rows = [list(table.row(number)) for number in range(len(table.lines))]
    kept = any(cell.columns[1] - cell.columns[0] > 1 or cell.rows[1] - cell.rows[0] > 1
               for cell in table.cells)  # fmt: skip
    header = table.header
    while header < len(rows) - 1 and _is_header(text, [(c.start, c.end) for c in rows[header]]):
        header += 1
    spans = [[(cell.start, cell.end) for cell in row] for row in rows]
    widths = Counter(len(row) for row in spans[header:] if len(row) > 1)
    width = max((one for one, count in widths.items() if count > 1), default=0)
    if kept or all(len(row) == width for row in spans[:header]):
        whole = [
            {
                column: (cell.start, cell.end)
                for cell in row
                if text[cell.start : cell.end].strip()
                for column in range(*cell.columns)
            }
            for row in rows
        ]
        return whole[:header], whole[header:] if kept else _body(text, spans[header:], width)
    top = [row for row in spans[:header] if any(_text(text, one) for one in row)]
    return _header(text, top, max(width, *map(len, top), 1)), _body(text, spans[header:], width)


def _is_header(text: str, row: Sequence[Span]) -> bool:
    """Return whether a row of the body goes on the header: names over columns, and no value."""
    told = [part for one in row[1:] if (part := _text(text, one))]
    return (
        len(told) > 1
        and all(read_cell(part) is None and _LETTERS.search(part) for part in told)
        and len(set(told)) * 2 >= len(told)
    ) and not _text(text, row[0])


def _body(text: str, rows: Sequence[Sequence[Span]], width: int) -> list[Placed]:
    """The rows of a body. One that lacks cells before its first value is moved to the right: the
    row above covers them, or its first cell does.
    """
    labels = _labels(text, [row for row in rows if len(row) == width])
    found: list[Placed] = []
    below = False
    for row in rows:
        less, first = width - len(row), 0
        moved = 0
        if 0 < less < labels and len(row) > 1:
            values = [bool(read_cell(_text(text, one))) for one in row]
            if values.index(True) == labels - less if True in values else False:
                moved = less
                first = 0 if below else 1
        if less > 0 and not moved and 2 * less >= width - labels:
            row = row[:1]
        below = len(row) == width or moved > 0
        found.append(
            {
                place + (moved if place >= first else 0): one
                for place, one in enumerate(row)
                if _text(text, one)
            }
        )
    return found


def _labels(text: str, rows: Sequence[Sequence[Span]]) -> int:
    """How many cells from the left are labels in rows of full length."""
    return label_columns([{n: _text(text, one) for n, one in enumerate(row)} for row in rows])


def label_columns(rows: Sequence[Mapping[int, str]]) -> int:
    """How many columns from the left hold labels and no values; at least 1."""
    width = max((column for row in rows for column in row), default=0) + 1
    for column in range(1, width):
        cells = [row[column] for row in rows if row.get(column) and len(row) > 1]
        values = sum(read_cell(one) is not None for one in cells)
        words = sum(
            read_cell(one) is None and _LETTERS.search(one) is not None and not _P.match(one)
            for one in cells
        )
        if values > words:
            return column
    return 1


def _header(text: str, rows: Sequence[Sequence[Span]], width: int) -> list[Placed]:
    """The rows of a header, spread over ``width`` columns."""
    return _solved(text, [list(row) for row in rows], width)[1] if rows else []


def _solved(text: str, rows: list[list[Span]], width: int) -> tuple[float, list[Placed]]:
    """The best way to spread the rows of a header, and how good it is: from the last row upwards,
    or with cells of the first row that reach down beside all others.
    """
    best = _upwards(text, rows, width)
    if len(rows) < 3:
        return best
    top = rows[0]
    for lead in range(3):
        for trail in range(3):
            inner = width - lead - trail
            middle = top[lead : len(top) - trail]
            if not lead + trail or inner < 2 or not middle or len(top) < lead + trail + 1:
                continue
            if any(len(row) > inner for row in rows[1:]):
                continue
            score, below = _solved(text, rows[1:], inner)
            under = _paths(text, below, inner)
            way = _spread([_text(text, one) for one in middle], under, under, inner)
            if way is None:
                continue
            score += (
                way[0]
                + 0.4 * bool(lead)
                + sum(
                    0.4 * bool(_NO_GROUP.search(_text(text, one)))
                    for one in top[len(top) - trail :]
                )
            )
            if score > best[0]:
                first = dict(_named(text, top[:lead], _alone(lead, lead)))
                first.update(_named(text, middle, [(a + lead, b + lead) for a, b, _ in way[1]]))
                ends = [(width - trail + one, width - trail + one + 1) for one in range(trail)]
                first.update(_named(text, top[len(top) - trail :], ends))
                moved = [{one + lead: span for one, span in row.items()} for row in below]
                best = (score, [first, *moved])
    return best


def _upwards(text: str, rows: list[list[Span]], width: int) -> tuple[float, list[Placed]]:
    last = list(rows[-1])
    while len(last) < width and len(last) > 1 and not _text(text, last[-1]):
        last.pop()
    score = 0.0
    above = rows[:-1]
    way = None
    if above and len(above[-1]) < width:
        upper = above.pop()
        names = [_text(text, one) for one in last]
        way = _spread([_text(text, one) for one in upper], names, names, width)
        if way is None:
            score -= 10.0
    if way is None:
        found = [dict(_named(text, last, _alone(len(last), width)))]
    else:
        score += way[0]
        beneath = [(one, one + 1) for a, b, down in way[1] if not down for one in range(a, b)]
        found = [
            dict(_named(text, upper, [(a, b) for a, b, _ in way[1]])),
            dict(_named(text, last, beneath)),
        ]
    leaf = [_text(text, found[-1].get(one, (0, 0))) for one in range(width)]
    for row in reversed(above):
        if len(row) == width:
            found.insert(0, dict(_named(text, row, _alone(width, width))))
            continue
        under = _paths(text, found, width)
        spread = _spread([_text(text, one) for one in row], under, leaf, width)
        score += spread[0] if spread else -10.0
        places = [(a, b) for a, b, _ in spread[1]] if spread else []
        found.insert(0, dict(_named(text, row, places)))
    return score, found


def _paths(text: str, rows: Sequence[Placed], width: int) -> list[str]:
    """What stands over each column, from the top, in one piece."""
    return [
        " ".join(_text(text, row[column]) for row in rows if column in row)
        for column in range(width)
    ]


def _named(text: str, row: Sequence[Span], places: Sequence[Span]) -> Iterator[tuple[int, Span]]:
    """The cells of a row that are not empty, by each column of their places."""
    for one, (start, end) in zip(row, places, strict=False):
        if _text(text, one):
            yield from ((column, one) for column in range(start, end))


def _alone(count: int, width: int) -> list[Span]:
    """The places of cells with no labels under them: one column each, or the first one and the
    others equal parts of the rest.
    """
    part, left = divmod(width - 1, count - 1) if count > 1 else (1, 0)
    if count >= width or left or part < 2:
        return [(one, one + 1) for one in range(count)]
    return [(0, 1), *((1 + one * part, 1 + (one + 1) * part) for one in range(count - 1))]


def _spread(
    names: Sequence[str], under: Sequence[str], leaf: Sequence[str], width: int
) -> tuple[float, list[tuple[int, int, bool]]] | None:
    """As `_way`, also without the empty cells that only fill the room behind a name, which then
    have no place.
    """
    ways = [_way(names, under, leaf, width)]
    kept = [place for place, name in enumerate(names) if name or not place]
    if len(kept) < len(names) and (way := _way([names[one] for one in kept], under, leaf, width)):
        places = [(0, 0, False)] * len(names)
        for place, one in zip(kept, way[1], strict=True):
            places[place] = one
        ways.append((way[0] - FILLED, places))
    return max((one for one in ways if one is not None), key=lambda one: one[0], default=None)


def _way(
    names: Sequence[str], under: Sequence[str], leaf: Sequence[str], width: int
) -> tuple[float, list[tuple[int, int, bool]]] | None:
    """Where names lie over the labels ``under`` them, of which the last row has ``leaf``: for each
    its columns [first, past), and whether it reaches down to the last row, where it has no label
    under it; and how good that is.

    The best of all ways (dynamic programming): a column without a label under one name of its own,
    no label twice under a name, equal numbers of labels, the same ones in the same order under
    neighbours, words shared with the labels. None where there is no way.
    """
    down = width - len(under)
    if width > WIDEST:
        return None
    best: dict[tuple[int, int], tuple[float, list[tuple[int, int, bool]]]] = {(0, 0): (0.0, [])}
    words = [set(label_words(label)) for label in under]
    for number, name in enumerate(names):
        reached: dict[tuple[int, int], tuple[float, list[tuple[int, int, bool]]]] = {}
        own = set(label_words(name))
        for (taken, reaching), (score, way) in best.items():
            column = taken + reaching
            options = []
            if reaching < down:
                first = 0.4 * (number == 0) + 0.4 * (_NO_GROUP.search(name) is not None)
                options.append(((taken, reaching + 1), score + first, (column, column + 1, True)))
            before = next(
                (one for one in reversed(way) if not one[2] and one[1] - one[0] > 1), None
            )
            rising = sum(one[2] for one in way if before is not None and one[0] < before[0])
            for end in range(taken + 1, len(under) + 1):
                part, size = under[taken:end], end - taken
                if size == 1:
                    gain = 0.8 if not leaf[taken] else -0.3
                    gain -= 0.5 * (not name and bool(part[0]) and number > 0)
                else:
                    blank = sum(not label for label in part)
                    gain = 0.3 - 2.0 * (size - blank - len(set(part) - {""})) - 3.0 * blank
                    gain -= 2.0 * (
                        _NO_GROUP.search(name) is not None
                        and not own & set().union(*words[taken:end])
                    )
                    gain -= 1.5 * (not name) + 0.6 * (_P.match(part[0]) is not None)
                    if before is not None:
                        last = under[before[0] - rising : before[1] - rising]
                        gain -= 0.4 * abs(len(last) - size)
                        gain += sum(0.8 for a, b in zip(last, part, strict=False) if a == b and a)
                gain += sum(0.4 for one in words[taken:end] if own & one)
                place = (column, column + size, False)
                options.append(((end, reaching), score + gain, place))
            for key, total, place in options:
                if key not in reached or total > reached[key][0]:
                    reached[key] = (total, [*way, place])
        best = reached
    found = best.get((len(under), down))
    return found


def _text(text: str, span: Span) -> str:
    return text[span[0] : span[1]].strip()
