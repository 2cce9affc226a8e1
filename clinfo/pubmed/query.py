"""PubMed's query language: a text read into a tree as PubMed reads it, and every tolerance told.

PubMed refuses almost nothing. It drops what it cannot use, treats what it does not know as words,
and says little of it. So does `parse`, but a remark stands for each. What needs tables (is this
phrase a heading, a journal, an author; how is a run of bare words to be split) is not decided here.
Nothing recurses: a query may be nested as deep as it is long.
"""

import re
from collections import deque
from dataclasses import dataclass, field

from clinfo.pubmed.lexer import OPERATORS, Token, tokens
from clinfo.pubmed.limits import MAX_STARS
from clinfo.pubmed.terms import Operand, are_pmids, range_of, term_of
from clinfo.pubmed.tree import (
    Boolean,
    Leaf,
    Line,
    Node,
    Operator,
    Parsed,
    Pmids,
    Range,
    Term,
    in_order,
    remark,
    sentences,
)

__all__ = ["Parsed", "parse", "printed", "sentences"]

_LOWER = ("and", "or", "not")
_FINISHED = ("tag", "quoted", "close", "line")


def parse(text: str) -> Parsed:
    """``text`` as PubMed reads it. Never raises; takes time in proportion to the length of the
    text.
    """
    return _Reader(text).parsed()


@dataclass
class _Chain:
    """A Boolean in the making; its parts can still grow at both ends."""

    operator: Operator
    parts: deque[Node]
    start: int
    end: int


@dataclass
class _Group:
    """The content of two parentheses, as far as it has been read."""

    start: int
    node: Leaf | Boolean | _Chain | None = None
    waiting: Token | None = None
    """The operator that waits for its right side."""
    seen: set[Operator] = field(default_factory=set)


class _Reader:
    """One reading of one text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens, self.remarks = tokens(text)
        self.groups = [_Group(0)]
        self.stars: list[Term] = []
        self.alone: set[int] = set()
        """Places of operators in lower case that are terms of their own."""

    def parsed(self) -> Parsed:
        place = 0
        while place < len(self.tokens):
            token = self.tokens[place]
            if token.kind in ("word", "quoted", "star", "colon"):
                place = self._operands(place)
                continue
            if token.kind == "operator":
                self._operator(token)
            elif token.kind == "open":
                self.groups.append(_Group(token.start))
            elif token.kind == "close":
                self._close(token)
            elif token.kind == "line":
                self._add(Line(int(token.text[1:]), token.start, token.end))
            else:
                before = self.tokens[place - 1].kind if place else ""
                self._remark(
                    "tag-on-group" if before in ("close", "line") else "tag-without-term", token
                )
            place += 1
        while len(self.groups) > 1:
            opened = self.groups[-1].start
            self.remarks.append(remark("unbalanced-parenthesis", opened, opened + 1))
            self._end_group(None)
        self._dangling(self.groups[0])
        if len(self.stars) > MAX_STARS:
            self.remarks.append(remark("too-many-stars", self.stars[0].start, self.stars[-1].end))
        tree = self.groups[0].node
        if tree is None:
            self.remarks.append(remark("empty-query", 0, len(self.text)))
        remarks = [
            one for one in self.remarks if one.code != "stopword" or one.start not in self.alone
        ]
        return Parsed(
            self.text, None if tree is None else _settled(tree), in_order(self.text, remarks)
        )

    def _remark(self, code: str, where: Token | Operand, **filled: str) -> None:
        self.remarks.append(remark(code, where.start, where.end, **filled))

    # groups and operators

    def _operator(self, token: Token) -> None:
        group = self.groups[-1]
        waiting = group.waiting
        if waiting is not None:
            to_not = token.text == "NOT" and waiting.text != "NOT"
            code = "and-not" if to_not and waiting.text == "AND" else "repeated-operator"
            self.remarks.append(remark(code, waiting.start, token.end))
            if to_not:
                group.waiting = token
        elif group.node is None:
            self._remark("dangling-operator", token, operator=token.text)
        else:
            group.waiting = token

    def _dangling(self, group: _Group) -> None:
        if group.waiting is not None:
            self._remark("dangling-operator", group.waiting, operator=group.waiting.text)
            group.waiting = None

    def _close(self, token: Token) -> None:
        if len(self.groups) == 1:
            self._remark("unbalanced-parenthesis", token)
        else:
            self._end_group(token.end)

    def _end_group(self, end: int | None) -> None:
        """Closes the innermost group at ``end``; None where no parenthesis does."""
        group = self.groups.pop()
        self._dangling(group)
        if group.node is None:
            if end is not None:
                self.remarks.append(remark("empty-group", group.start, end))
            return
        if isinstance(group.node, _Chain):
            group.node.start, group.node.end = group.start, end or len(self.text)
        self._add(group.node)

    def _add(self, node: Leaf | Boolean | _Chain) -> None:
        group = self.groups[-1]
        if group.node is None:
            group.node = node
            return
        operator = OPERATORS[group.waiting.text] if group.waiting else "AND"
        place = group.waiting or node
        group.waiting = None
        if operator != "NOT" and operator not in group.seen:
            group.seen.add(operator)
            if len(group.seen) == 2:
                self.remarks.append(remark("mixed-operators", place.start, place.end))
        group.node = _joined(operator, group.node, node)

    # terms and ranges

    def _operands(self, place: int) -> int:
        """Reads terms from ``place`` on, as far as colons hold them together, and returns the place
        after them.
        """
        operand, place = self._operand(place)
        while place < len(self.tokens) and self.tokens[place].kind == "colon":
            colon = self.tokens[place]
            following, place = self._operand(place + 1)
            if found := range_of(operand, following, self.remarks):
                before, between, operand = found
                self._term(before)
                self._add(between)
                continue
            self._remark("colon-as-space", colon)
            if operand.quoted is None and operand.tag is None and following.quoted is None:
                operand.run.extend(following.run)
                operand.tag = following.tag
            else:
                self._term(operand)
                operand = following
        self._term(operand)
        return place

    def _operand(self, place: int) -> tuple[Operand, int]:
        """A phrase or a run of words with its tag; empty where neither begins at ``place``."""
        operand = Operand()
        after_colon = place > 0 and self.tokens[place - 1].kind == "colon"
        if self._kind(place) == "quoted":
            operand.quoted = self.tokens[place]
            place += 1
            while self._kind(place) == "star":
                self._remark("star-inside", self.tokens[place])
                place += 1
        else:
            while self._kind(place) in ("word", "star"):
                if self._stands_alone(place):
                    if not operand.run:
                        self._remark(
                            "lower-case-operator", self.tokens[place], word=self.tokens[place].text
                        )
                        self.alone.add(self.tokens[place].start)
                        return Operand(run=[self.tokens[place]]), place + 1
                    return operand, place
                operand.run.append(self.tokens[place])
                place += 1
        if self._kind(place) == "tag" and (after_colon or not operand.empty):
            operand.tag = self.tokens[place]
            place += 1
        return operand, place

    def _kind(self, place: int) -> str:
        return self.tokens[place].kind if 0 <= place < len(self.tokens) else ""

    def _stands_alone(self, place: int) -> bool:
        """Return whether a word is an operator in lower case beside a finished term or group, and
        so no part of a run.
        """
        word = self.tokens[place].text
        if len(word) > 3 or word.lower() not in _LOWER:
            return False
        before, after = self._kind(place - 1), self._kind(place + 1)
        if before in _FINISHED:
            return after in ("word", "quoted", "open", "line")
        if before in ("word", "star") and after in ("quoted", "open", "line"):
            return True
        if before in ("word", "star") and after == "word" and word.lower() in ("or", "not"):
            self._remark("lower-case-operator", self.tokens[place], word=word)
        return False

    def _term(self, operand: Operand) -> None:
        if (leaf := term_of(operand, self.remarks)) is not None:
            if isinstance(leaf, Term) and leaf.truncated:
                self.stars.append(leaf)
            self._add(leaf)


def _joined(
    operator: Operator, left: Leaf | Boolean | _Chain, right: Leaf | Boolean | _Chain
) -> _Chain:
    """Both under one operator. A chain grows by the shorter of the two, so that no nesting makes
    this quadratic.
    """
    start, end = left.start, right.end
    same_left = isinstance(left, _Chain) and left.operator == operator
    if isinstance(right, _Chain) and right.operator == operator != "NOT":
        if isinstance(left, _Chain) and same_left and len(left.parts) > len(right.parts):
            left.parts.extend(right.parts)
            chain = left
        else:
            right.parts.extendleft(
                reversed(left.parts) if isinstance(left, _Chain) and same_left else [_settled(left)]
            )
            chain = right
    elif isinstance(left, _Chain) and same_left:
        left.parts.append(_settled(right))
        chain = left
    else:
        chain = _Chain(operator, deque((_settled(left), _settled(right))), start, end)
    chain.start, chain.end = start, end
    return chain


def _settled(node: Leaf | Boolean | _Chain) -> Node:
    return (
        Boolean(node.operator, tuple(node.parts), node.start, node.end)
        if isinstance(node, _Chain)
        else node
    )


_MARKS = re.compile(r'[()\[\]":&|]|\*(?!$)|(?:^|\s)#[0-9]{1,6}(?=[\s*]|$)')
_PLAIN_END = re.compile(r"[0-9/]*")


def printed(tree: Node | None) -> str:
    """The canonical text of a tree: operators written out, a pair of parentheses for every Boolean
    inside another.

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
            out.append(_leaf(item))
    return "".join(out)


def _leaf(leaf: Leaf) -> str:
    if isinstance(leaf, Line):
        return f"#{leaf.number}"
    if isinstance(leaf, Pmids):
        return " ".join(leaf.pmids)
    if isinstance(leaf, Range):
        return f"{_end(leaf.low)}:{_end(leaf.high)}{_tag(leaf.field)}"
    text = leaf.text if leaf.subheading is None else f"{leaf.text}/{leaf.subheading}"
    text = text.replace('"', " ")
    if leaf.quoted or leaf.within is not None or _reads_otherwise(leaf, text):
        text = f'"{text}"'
    modifier = "" if leaf.explode else ":noexp"
    return text + _tag(leaf.field, modifier if leaf.within is None else f":~{leaf.within}")


def _tag(code: str | None, modifier: str = "") -> str:
    return "" if code is None else f"[{code}{modifier}]"


def _end(text: str) -> str:
    return text if _PLAIN_END.fullmatch(text) else f'"{text}"'


def _reads_otherwise(term: Term, text: str) -> bool:
    """Return whether the words would be no single term without quotation marks."""
    chunks = text.split()
    if _MARKS.search(text) or any(chunk in OPERATORS for chunk in chunks):
        return True
    return term.field is None and are_pmids(chunks)
