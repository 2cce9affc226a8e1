"""A query's tree as text that PubMed reads back as the same tree."""

from __future__ import annotations

import re
from typing import Literal

from clinfo.pubmed.fields import BY_CODE
from clinfo.pubmed.lexer import OPERATORS
from clinfo.pubmed.terms import are_pmids
from clinfo.pubmed.tree import Boolean, Leaf, Line, Node, Pmids, Range, Term

_MARKS = re.compile(r'[()\[\]":&|]|\*(?!$)|(?:^|\s)#[0-9]{1,6}(?=[\s*]|$)')
_PLAIN_END = re.compile(r"[0-9/]*")


def printed(tree: Node | None, names: Literal["short", "long"] = "short") -> str:
    """The canonical text of a tree: operators written out, a pair of parentheses for every Boolean
    inside another.

    Tags are short (``[tiab]``), or long as in PubMed's own translations (``[Title/Abstract]``).
    Printing what `parse` made of a printed text gives that text again. A tree made by hand is put
    in quotation marks where its words would be read otherwise.
    """
    out: list[str] = []
    pending: list[Node | str] = [] if tree is None else [tree]
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            out.append(item)
        elif isinstance(item, Boolean):
            pieces: list[Node | str] = []
            for part in item.parts:
                if pieces:
                    pieces.append(f" {item.operator} ")
                pieces += ["(", part, ")"] if isinstance(part, Boolean) else [part]
            pending += reversed(pieces)
        else:
            out.append(_leaf(item, long=names == "long"))
    return "".join(out)


def _leaf(leaf: Leaf, long: bool) -> str:
    if isinstance(leaf, Line):
        return f"#{leaf.number}"
    if isinstance(leaf, Pmids):
        return " ".join(leaf.pmids)
    if isinstance(leaf, Range):
        return f"{_end(leaf.low)}:{_end(leaf.high)}{_tag(leaf.field, long)}"
    text = leaf.text if leaf.subheading is None else f"{leaf.text}/{leaf.subheading}"
    text = text.replace('"', " ")
    if leaf.quoted or leaf.within is not None or _reads_otherwise(leaf, text):
        text = f'"{text}"'
    modifier = "" if leaf.explode else ":noexp"
    return text + _tag(leaf.field, long, modifier if leaf.within is None else f":~{leaf.within}")


def _tag(code: str | None, long: bool, modifier: str = "") -> str:
    if code is None:
        return ""
    return f"[{BY_CODE[code].name if long and code in BY_CODE else code}{modifier}]"


def _end(text: str) -> str:
    return text if _PLAIN_END.fullmatch(text) else f'"{text}"'


def _reads_otherwise(term: Term, text: str) -> bool:
    """Return whether the words would be no single term without quotation marks."""
    chunks = text.split()
    if _MARKS.search(text) or any(chunk in OPERATORS for chunk in chunks):
        return True
    return term.field is None and are_pmids(chunks)
