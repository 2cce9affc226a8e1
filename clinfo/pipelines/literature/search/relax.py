"""A query that finds nothing, made to find something: first without what the source names as not
found, then without all parts that name neither a treatment nor a condition: without its subject a
query would find articles on another one. A query of the user's is never touched; for it, and where
no part may go, there is a sentence on which part lost everything (`explanation`). Parts are those
of an AND at the top of the tree.

Trees may be thousands of levels deep, so nothing here recurses.
"""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from clinfo.pipelines.literature.search.question2query import STUDIES
from clinfo.pubmed.query import parse, printed
from clinfo.pubmed.tree import Boolean, Node, Term, leaves, terms
from clinfo.runs.tasks import all_of
from clinfo.terms.naming import is_subject
from clinfo.text.wording import number
from clinfo.text.words import key

MOST_PARTS = 6
"""Parts whose hits are asked for, so that a query that finds nothing costs a handful of
requests.
"""
Cause = Literal["not found", "narrowest"]
Count = Callable[[str], Awaitable[int]]
"""Number of hits of a query by itself."""

_TAG = re.compile(r"\[[^\[\]]*\]\s*$")
_SUBJECT_FIELDS = frozenset({None, "all", "ti", "tiab", "tw", "ot", "mh", "majr", "nm", "pa"})
_STUDY_TERMS = frozenset(key(leaf.text) for leaf in terms(parse(STUDIES).tree))
"""The words of terms that say what kind of study is sought; `question2query.CONTROLLED` holds
some of them.
"""


@dataclass(frozen=True)
class Step:
    """A query to try next, what it lacks that the one before held, and why."""

    query: str
    without: tuple[str, ...]
    cause: Cause


def next_step(query: str, dropped: Sequence[str], causes: Sequence[Cause]) -> Step | None:
    """Return what to try after ``query`` found nothing, or None where no part may go.

    ``dropped`` is what the source did not find of it, ``causes`` are the steps taken so far.
    """
    required, excluded = conjuncts(parse(query).tree)
    unwanted = {key(_TAG.sub("", phrase)) for phrase in dropped} - {""}
    free = [part for part in required if not names_subject(part)]
    lost = (
        []
        if causes
        else [
            part
            for part in free
            if all(isinstance(leaf, Term) and key(leaf.text) in unwanted for leaf in leaves(part))
        ]
    )
    kept = [part for part in required if part not in (lost or free)]
    if not free or len(free) == len(required):
        return None
    cause: Cause = "not found" if lost else "narrowest"
    gone = lost or free
    return Step(printed(joined(kept, excluded)), tuple(map(printed, gone)), cause)


async def explanation(query: str, count: Count) -> str | None:
    """Return why a query without hits has none, in a sentence, or None where that cannot be told.
    Raises what ``count`` raises.
    """
    required, excluded = conjuncts(parse(query).tree)
    if len(required) < 2:
        return None
    texts = [printed(part) for part in required[:MOST_PARTS]]
    counts = await all_of(count(text) for text in texts)
    if empty := [text for text, hits in zip(texts, counts, strict=True) if not hits]:
        named = ", ".join(f"“{shortened(text)}”" for text in empty)
        which = "this part" if len(empty) == 1 else "each of these parts"
        return f"It finds nothing because {which} finds nothing on its own: {named}."
    rest = await all_of(
        count(printed(joined([*required[:place], *required[place + 1 :]], excluded)))
        for place in range(len(texts))
    )
    ways = [
        f"without “{shortened(text)}” it has {number(hits, 'hit')}"
        for text, hits in zip(texts, rest, strict=True)
        if hits
    ]
    told = "Every part finds something on its own, but no article matches all of them"
    return f"{told}; {'; '.join(ways)}." if ways else f"{told}, or all but one."


def conjuncts(tree: Node | None) -> tuple[list[Node], list[Node]]:
    """(what every hit must match, what no hit may match), taken apart at the top of the tree
    only.
    """
    required: list[Node] = []
    excluded: list[Node] = []
    pending: list[Node] = [] if tree is None else [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, Boolean) and node.operator == "AND":
            pending += reversed(node.parts)
        elif isinstance(node, Boolean) and node.operator == "NOT":
            pending.append(node.parts[0])
            excluded += node.parts[1:]
        else:
            required.append(node)
    return required, excluded


def joined(required: Sequence[Node], excluded: Sequence[Node]) -> Node:
    """The tree of what `conjuncts` took apart; at least one part is required."""
    whole = required[0] if len(required) == 1 else Boolean("AND", tuple(required))
    return Boolean("NOT", (whole, *excluded)) if excluded else whole


def names_subject(tree: Node) -> bool:
    """Return whether a part of a query names a treatment or a condition, or what MeSH does not know
    and so may be one.
    """
    found = [leaf for leaf in terms(tree) if leaf.field in _SUBJECT_FIELDS]
    return any(is_subject(leaf.text) for leaf in found if key(leaf.text) not in _STUDY_TERMS)


def shortened(text: str, most: int = 80) -> str:
    """A part of a query in at most so many characters."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"
