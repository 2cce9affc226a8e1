"""Which change is of which gene, where a question names several: KRAS G12C and STK11 loss."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from clinfo.pipelines.copilot.gene_names import Named
from clinfo.pipelines.copilot.variants import Change, change

_JOINT = re.compile(r"(?i)\b(?:and|or|with|plus|but|versus|vs|also)\b|[,;/+&]|\.\s|\bco-")
"""What stands between a gene with its change and the next gene."""


def by_gene(text: str, genes: Sequence[Named]) -> Mapping[str, Change]:
    """The changes by gene; empty where one gene is named, where the names are one thing (CD74-ROS1,
    NTRK), and where the last has none: KRAS and NRAS mutations are of both. ``text`` is without the
    names of the genes. A gene that has none of its own, after one that has, is asked for whole;
    one that is named twice has both changes.
    """
    starts: list[Named] = []
    for one in sorted(genes, key=lambda one: one.start):
        if not starts or one.start > starts[-1].start:
            starts.append(one)
    bounds = [0]
    for one, following in pairwise(starts):
        joint = _JOINT.search(text, one.end, following.start)
        if joint is None:
            return {}
        bounds.append(joint.start())
    if len({one.symbol for one in starts}) < 2:
        return {}
    ends = [*bounds[1:], len(text)]
    parts = {one.start: text[a:b] for one, a, b in zip(starts, bounds, ends, strict=True)}
    if not change(parts[starts[0].start])[0]:
        return {}
    of: dict[str, list[str]] = {}
    for one in genes:
        if one.start in parts:
            of.setdefault(one.symbol, []).append(parts[one.start])
    return {symbol: change(" ; ".join(own))[0] for symbol, own in of.items()}
