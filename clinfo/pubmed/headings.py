"""A query's MeSH headings checked: a real one stays, an entry term becomes its heading, an invented
one plain words.

One published generated query with headings in two holds one that does not exist, and such a term
finds nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from clinfo.pubmed.subheadings import qualifier_of
from clinfo.pubmed.tree import Boolean, Leaf, Node, Term, terms
from clinfo.records.articles import MeshMatch

_MESH = ("mh", "majr")
_MOST_SUGGESTIONS = 3


@dataclass(frozen=True)
class Repair:
    """One change: the stable name of the rewrite, a sentence, and the piece before and after."""

    name: str
    text: str
    was: str = ""
    now: str = ""


def heading_texts(tree: Node | None) -> tuple[str, ...]:
    """Return what has to be looked up in MeSH: each text tagged as a heading or major topic once,
    in order.

    Truncated ones are left out. A slash without a subheading behind it gives the part before it
    too. Subheadings are known here (`clinfo.pubmed.subheadings`) and need no lookup.
    """
    texts: dict[str, None] = {}
    for term in terms(tree):
        if term.field in _MESH and not term.truncated:
            texts[term.text] = None
            if head := _before_slash(term):
                texts[head] = None
    return tuple(texts)


def with_headings(tree: Node, matches: Mapping[str, MeshMatch]) -> tuple[Node, tuple[Repair, ...]]:
    """``tree`` with its headings mended by what MeSH holds for `heading_texts`; a text that
    ``matches`` lacks stays.

    The nearest real headings of an invented one are named in the sentence and never put in.
    """
    repairs: list[Repair] = []

    def mended(term: Term) -> Term:
        if term.field == "sh" and not term.truncated and qualifier_of(term.text) is None:
            sentence = (
                f"MeSH has no subheading “{term.text}”; it is searched in title and abstract."
            )
            repairs.append(Repair("subheading-unknown", sentence, term.text))
            return _as_words(term, term.text)
        if term.field not in _MESH or term.truncated or (match := matches.get(term.text)) is None:
            return term
        head = _before_slash(term)
        if (
            match.kind == "unknown"
            and head
            and (whole := matches.get(head)) is not None
            and whole.kind != "unknown"
        ):
            sentence = (
                f"MeSH has no subheading “{term.text.rpartition('/')[2].strip()}”; “{head}” is "
                "searched without it."
            )
            repairs.append(Repair("subheading-unknown", sentence, term.text, head))
            term, match = replace(term, text=head), whole
        if match.kind == "entry term" and match.descriptor is not None:
            heading = match.descriptor.heading
            repairs.append(
                Repair(
                    "entry-term",
                    f"{match.edition} calls “{term.text}” “{heading}”.",
                    term.text,
                    heading,
                )
            )
            return replace(term, text=heading.replace('"', " "), quoted=True)
        if match.kind == "unknown":
            near = ", ".join(f"“{one}”" for one in match.suggestions[:_MOST_SUGGESTIONS])
            sentence = (
                f"{match.edition} has no heading “{term.text}”; it is searched in title and "
                "abstract."
            )
            repairs.append(
                Repair(
                    "heading-unknown", sentence + (f" Near it: {near}." if near else ""), term.text
                )
            )
            return _as_words(term, head or term.text)
        return term

    return mapped(tree, mended), tuple(repairs)


def mapped(tree: Node, change: Callable[[Term], Term]) -> Node:
    """``tree`` with every term changed; the very same tree where none is. A stack instead of
    recursion.
    """
    done: list[Node] = []
    pending: list[tuple[Node, bool]] = [(tree, False)]
    while pending:
        node, ready = pending.pop()
        if isinstance(node, Boolean) and ready:
            parts = tuple(done[-len(node.parts) :])
            del done[-len(node.parts) :]
            same = all(one is two for one, two in zip(parts, node.parts, strict=True))
            done.append(node if same else replace(node, parts=parts))
        elif isinstance(node, Boolean):
            pending.append((node, True))
            pending += [(part, False) for part in reversed(node.parts)]
        else:
            done.append(_changed(node, change))
    return done[0]


def _changed(leaf: Leaf, change: Callable[[Term], Term]) -> Leaf:
    return change(leaf) if isinstance(leaf, Term) else leaf


def _before_slash(term: Term) -> str:
    return term.text.rpartition("/")[0].strip() if term.subheading is None else ""


def _as_words(term: Term, text: str) -> Term:
    """A phrase of title and abstract; "Infant, Low Weight" in the order in which people write
    it.
    """
    parts = [part.strip() for part in text.split(",")]
    if len(parts) == 2 and all(parts):
        text = f"{parts[1]} {parts[0]}"
    return replace(
        term,
        text=text,
        field="tiab",
        quoted=" " in text or term.quoted,
        explode=True,
        subheading=None,
    )
