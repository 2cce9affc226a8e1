"""Which change is of which gene, where a question names several: KRAS G12C and STK11 loss."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from clinfo.pipelines.copilot.gene_names import Named
from clinfo.pipelines.copilot.variants import Change, change

_JOINT = re.compile(r"(?i)\b(?:and|or|with|plus|but|versus|vs|also)\b|[,;/+&]|\bco-")
"""What stands between a gene with its change and the next gene."""


def by_gene(text: str, genes: Sequence[Named]) -> Mapping[str, Change]:
    """The changes by gene; empty where one gene is named, where the names are one thing (CD74-ROS1,
    NTRK), and where the last has none: KRAS and NRAS mutations are of both. ``text`` is without the
    names of the genes. A gene that has none of its own, after one that has, is asked for whole.
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
    if len(starts) < 2:
        return {}
    ends = [*bounds[1:], len(text)]
    own = [change(text[a:b])[0] for a, b in zip(bounds, ends, strict=True)]
    if not own[0]:
        return {}
    first = {one.start: found for one, found in zip(starts, own, strict=True)}
    return {one.symbol: first[one.start] for one in genes if one.start in first}
