"""A query that finds nothing, made to find something: what is taken out of it, and in which order.

First what the source names as not found, as far as the query insists on it. Then, twice at most,
the narrowest part: of the parts that an AND joins and that name neither a treatment nor a
condition, the one with the fewest hits by itself: without its subject a query would find articles
on another one. A query of the user's is never touched; for it there is only a sentence on which
part lost everything (`explanation`).

Trees may be thousands of levels deep, so nothing here recurses.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from clinfo.pipelines.literature.search.pico import STUDIES
from clinfo.pubmed.query import parse, printed
from clinfo.pubmed.tree import Boolean, Node, Range, Term, leaves
from clinfo.runs.tasks import all_of
from clinfo.terms.naming import is_subject
from clinfo.text.words import key

MOST_PARTS = 6
"""Parts whose hits are asked for, so that a query that finds nothing costs a handful of
requests.
"""
MOST_REMOVALS = 2
"""The most removals of the narrowest part."""
DEEPEST = 20
"""Levels below the top at which an AND is still looked for."""

Cause = Literal["not found", "narrowest"]
Count = Callable[[str], Awaitable[int]]
"""Number of hits of a query by itself."""
Path = tuple[tuple[Boolean, int], ...]
"""The way from the top of a tree to one of its nodes: the parents and the places in them."""

_TAG = re.compile(r"\[[^\[\]]*\]\s*$")
_SUBJECT_FIELDS = frozenset({None, "all", "ti", "tiab", "tw", "ot", "mh", "majr", "nm", "pa"})
_STUDY_TERMS = frozenset(
    key(leaf.text) for leaf in leaves(parse(STUDIES).tree) if isinstance(leaf, Term)
)
"""The words of terms that say what kind of study is sought; `pico.CONTROLLED` holds some of
them.
"""


@dataclass(frozen=True)
class Step:
    """A query to try next, what it lacks that the one before held, and why."""

    query: str
    without: tuple[str, ...]
    cause: Cause


@dataclass(frozen=True)
class Halt:
    """The reason not to relax a query: ``without`` these parts it would no longer ask for its
    subject.
    """

    without: tuple[str, ...]

    @property
    def said(self) -> str:
        """A sentence for a reader."""
        named = ", ".join(f"“{shortened(text)}”" for text in self.without)
        return (
            f"It finds nothing and is not relaxed further: without {named} it would lose its "
            "subject."
        )


async def next_step(
    query: str, dropped: Sequence[str], causes: Sequence[Cause], count: Count
) -> Step | Halt | None:
    """Return what to try after ``query`` found nothing, or None where nothing is left to try.

    ``dropped`` is what the source did not find of it, ``causes`` are the steps taken so far. Raises
    what ``count`` raises.
    """
    tree = parse(query).tree
    if tree is None:
        return None
    if not causes and dropped:
        pruned = without_phrases(tree, dropped)
        lost = [
            part
            for path in and_parts(tree)
            if names_subject(part := _end(path)) and _pruned_away(part, dropped)
        ]
        if lost:
            return Halt(tuple(printed(part) for part in lost))
        if pruned.tree is not None and pruned.wider:
            if asks_for_studies_only(pruned.tree):
                return Halt(tuple(text for text in pruned.removed if not _is_studies_only(text)))
            return Step(printed(pruned.tree), pruned.removed, "not found")
    paths = and_parts(tree)[:MOST_PARTS]
    if not paths or causes.count("narrowest") >= MOST_REMOVALS:
        return None
    texts = [printed(_end(path)) for path in paths]
    counts = await all_of(count(text) for text in texts)
    order = sorted(range(len(paths)), key=lambda place: (counts[place], place))
    for place in order:
        rest = without_part(paths[place])
        if not names_subject(_end(paths[place])) and not asks_for_studies_only(rest):
            return Step(printed(rest), (texts[place],), "narrowest")
        if not counts[place]:  # whatever else is taken out, with it the query finds nothing
            return Halt((texts[place],))
    return Halt((texts[order[0]],))


async def explanation(query: str, count: Count) -> str | None:
    """Return why a query without hits has none, in a sentence, or None where that cannot be told.
    Raises what ``count`` raises.
    """
    tree = parse(query).tree
    paths = and_parts(tree)[:MOST_PARTS] if tree is not None else []
    if not paths:
        return None
    texts = [printed(_end(path)) for path in paths]
    counts = await all_of(count(text) for text in texts)
    if empty := [text for text, hits in zip(texts, counts, strict=True) if not hits]:
        named = ", ".join(f"“{shortened(text)}”" for text in empty)
        which = "this part" if len(empty) == 1 else "each of these parts"
        return f"It finds nothing because {which} finds nothing on its own: {named}."
    rest = await all_of(count(printed(without_part(path))) for path in paths)
    ways = [
        f"without “{shortened(text)}” it has {hits_of(hits)}"
        for text, hits in zip(texts, rest, strict=True)
        if hits
    ]
    if ways:
        return (
            "Every part finds something on its own, but no article matches all of them; "
            f"{'; '.join(ways)}."
        )
    return (
        "Every part finds something on its own, but no article matches all of them, or all but one."
    )


def and_parts(tree: Node) -> list[Path]:
    """The parts that an AND joins and that the query insists on, in the order of the text.

    Looked for at the top, below the first part of a NOT and in the alternatives of an OR, not
    within a part of an AND.
    """
    found: list[Path] = []
    pending: list[tuple[Node, Path]] = [(tree, ())]
    while pending:
        node, path = pending.pop()
        if not isinstance(node, Boolean) or len(path) > DEEPEST:
            continue
        places = [(part, (*path, (node, place))) for place, part in enumerate(node.parts)]
        if node.operator == "AND":
            found += [way for _, way in places]
        else:
            pending += reversed(places if node.operator == "OR" else places[:1])
    return found


def conjuncts(tree: Node) -> tuple[list[Node], list[Node]]:
    """(what every hit must match, what no hit may match), taken apart at the top of the tree
    only.
    """
    required: list[Node] = []
    excluded: list[Node] = []
    pending: list[Node] = [tree]
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


def names_subject(tree: Node) -> bool:
    """Return whether a part of a query names a treatment or a condition, or what MeSH does not know
    and so may be one.
    """
    found = [
        leaf for leaf in leaves(tree) if isinstance(leaf, Term) and leaf.field in _SUBJECT_FIELDS
    ]
    return any(is_subject(leaf.text) for leaf in found if key(leaf.text) not in _STUDY_TERMS)


def _pruned_away(part: Node, dropped: Sequence[str]) -> bool:
    """Return whether nothing of a part is left without these phrases."""
    return without_phrases(part, dropped).tree is None


def asks_for_studies_only(tree: Node) -> bool:
    """Return whether a query may be satisfied by the kind of a study, by terms of `pico.STUDIES` or
    dates, and by no subject.
    """
    done: list[bool] = []
    pending: list[tuple[Node, bool]] = [(tree, False)]
    while pending:
        node, seen = pending.pop()
        if not isinstance(node, Boolean):
            done.append(
                isinstance(node, Range)
                or (isinstance(node, Term) and key(node.text) in _STUDY_TERMS)
            )
        elif not seen:
            pending.append((node, True))
            pending += [(part, False) for part in reversed(node.parts)]
        else:
            parts = done[-len(node.parts) :]
            del done[-len(node.parts) :]
            done.append(
                all(parts)
                if node.operator == "AND"
                else any(parts)
                if node.operator == "OR"
                else parts[0]
            )
    return done[0]


def without_part(path: Path) -> Node:
    """The tree without the part that ``path`` leads to, which must have a neighbour."""
    (parent, place), above = path[-1], path[:-1]
    node = _joined(parent, [*parent.parts[:place], *parent.parts[place + 1 :]])
    for upper, where in reversed(above):
        node = _joined(upper, [*upper.parts[:where], node, *upper.parts[where + 1 :]])
    return node


@dataclass(frozen=True)
class Pruned:
    """A tree without some of its terms: None where nothing is left. ``wider`` says that it asks for
    less than before.
    """

    tree: Node | None
    removed: tuple[str, ...]
    wider: bool


def without_phrases(tree: Node, phrases: Collection[str]) -> Pruned:
    """The tree without the terms whose words are those of one of ``phrases`` (quotes and tags are
    not compared).

    A term among alternatives narrows nothing, so without it the query asks for no less; one that an
    AND joins does.
    """
    unwanted = {key(_TAG.sub("", phrase)) for phrase in phrases} - {""}
    removed: dict[str, None] = {}
    wider = False
    done: list[Node | None] = []
    pending: list[tuple[Node, bool]] = [(tree, False)]
    while pending:
        node, seen = pending.pop()
        if not isinstance(node, Boolean):
            gone = isinstance(node, Term) and key(node.text) in unwanted
            if gone:
                removed[printed(node)] = None
            done.append(None if gone else node)
        elif not seen:
            pending.append((node, True))
            pending += [(part, False) for part in reversed(node.parts)]
        else:
            parts = done[-len(node.parts) :]
            del done[-len(node.parts) :]
            left = [part for part in parts if part is not None]
            wider = wider or (node.operator == "AND" and bool(left) and len(left) < len(parts))
            lost = not left or (node.operator == "NOT" and parts[0] is None)
            done.append(None if lost else _joined(node, left))
    return Pruned(done[0], tuple(removed), wider)


def shortened(text: str, most: int = 80) -> str:
    """A part of a query in at most so many characters."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def hits_of(count: int) -> str:
    return "1 hit" if count == 1 else f"{count:,} hits"


def _is_studies_only(text: str) -> bool:
    tree = parse(text).tree
    return tree is not None and asks_for_studies_only(tree)


def _end(path: Path) -> Node:
    parent, place = path[-1]
    return parent.parts[place]


def _joined(parent: Boolean, parts: Sequence[Node]) -> Node:
    """These parts joined as the parent's were; a part with the same operator is taken apart, a
    single one stands alone.
    """
    if len(parts) == 1:
        return parts[0]
    flat: list[Node] = []
    for place, part in enumerate(parts):
        same = (
            isinstance(part, Boolean)
            and part.operator == parent.operator
            and (place == 0 or parent.operator != "NOT")
        )
        flat += part.parts if same and isinstance(part, Boolean) else [part]
    return replace(parent, parts=tuple(flat))
