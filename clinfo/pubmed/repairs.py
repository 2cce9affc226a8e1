"""Mends a query that a model wrote: separate, named rewrites of what PubMed would drop or take for
something else.

A query of the user's own is never rewritten: nobody calls this for one. Each rewrite changes its
piece of the text and leaves the rest byte for byte, and says in a sentence what it did. Headings
are checked against MeSH: a real one stays, an entry term becomes its heading, one that is not known
words of text and headings.
"""

import html
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from urllib.parse import unquote

from clinfo.pubmed.brackets import quotes_balanced, tags_closed
from clinfo.pubmed.fields import field_of
from clinfo.pubmed.lexer import CURLY, LOOK_ALIKES, has_operator, tokens
from clinfo.pubmed.query import parse, printed
from clinfo.pubmed.subheadings import qualifier_of
from clinfo.pubmed.tree import Boolean, Node, Parsed, Remark, Term, folded, parts_of, terms
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

    The nearest real headings of one that is not known are named in the sentence and never put in:
    it may be newer than the edition that is looked into, so its words are looked for in headings
    too.
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
                f"{match.edition} has no heading “{term.text}”; it is searched as words of text "
                "and headings."
            )
            if term.subheading or head or term.field != "mh" or not term.explode:
                sentence += " A subheading, [majr] and :noexp do not count there."
            repairs.append(
                Repair(
                    "heading-unknown", sentence + (f" Near it: {near}." if near else ""), term.text
                )
            )
            return _as_words(term, head or term.text, "tw")
        return term

    return mapped(tree, mended), tuple(repairs)


def mapped(tree: Node, change: Callable[[Term], Term]) -> Node:
    """``tree`` with every term changed; the very same tree where none is."""

    def made(node: Node, parts: list[Node]) -> Node:
        if not isinstance(node, Boolean):
            return change(node) if isinstance(node, Term) else node
        same = all(one is two for one, two in zip(parts, node.parts, strict=True))
        return node if same else replace(node, parts=tuple(parts))

    return folded(tree, parts_of, made)


def _before_slash(term: Term) -> str:
    return term.text.rpartition("/")[0].strip() if term.subheading is None else ""


def _as_words(term: Term, text: str, field: str = "tiab") -> Term:
    """A phrase of title and abstract, or of a ``field``; "Infant, Low Weight" in the order in which
    people write it.
    """
    parts = [part.strip() for part in text.split(",")]
    if len(parts) == 2 and all(parts):
        text = f"{parts[1]} {parts[0]}"
    return replace(
        term,
        text=text,
        field=field,
        quoted=" " in text or term.quoted,
        explode=True,
        subheading=None,
    )


__all__ = [
    "NAMES",
    "Repair",
    "Repaired",
    "heading_texts",
    "one_repair",
    "repaired",
    "with_headings",
]

_MAX_PASSES = 40
_MEANT = {
    "tiab": (
        "ab",
        "abs",
        "abst",
        "abstract",
        "abstracts",
        "abstract/title",
        "ti,ab",
        "title and abstract",
        "title or abstract",
    ),
    "ot": ("kw", "keyword", "keywords", "author keyword", "author keywords"),
    "dp": ("year", "py", "date", "publication year"),
    "mh": (
        "mesh subject heading",
        "mesh subject headings",
        "subject heading",
        "subject headings",
        "mesh descriptor",
    ),
    "tw": ("text", "full text"),
    "all": ("all text", "any field", "anywhere"),
    "au": ("authors",),
    "la": ("languages",),
}
"""Tags that PubMed does not know, and the one that whoever wrote them surely meant."""
_MEANT_BY = {
    re.sub(r"[\s/,]+", "", spelling): code
    for code, spellings in _MEANT.items()
    for spelling in spellings
}
_ODD_GROUP = re.compile(r"[\[{]([^\[\]{}]*\b(?:AND|OR|NOT)\b[^\[\]{}]*)[\]}]")
"""A group in brackets or braces, which PubMed does not take for one."""
_TAG_IN_QUOTES = re.compile(r'"([^"\[\]]*)(\[[^\[\]"]*\])\s*"')


@dataclass(frozen=True)
class Repaired:
    """A query and what was changed in it; without repairs the text is the one given, byte for
    byte.
    """

    text: str
    repairs: tuple[Repair, ...] = ()

    @property
    def sentences(self) -> tuple[str, ...]:
        """Return what was changed, each sentence once."""
        return tuple(dict.fromkeys(repair.text for repair in self.repairs))


@dataclass(frozen=True)
class _Edit:
    """``text[start:end]`` becomes ``put``; ``told`` is the sentence."""

    start: int
    end: int
    put: str
    told: str


def repaired(text: str) -> Repaired:
    """``text`` with every plain mistake mended. Never raises. Doing it again changes nothing more.

    A query that searched for something never comes back searching for nothing.
    """
    repairs: list[Repair] = []
    now = text
    for _ in range(_MAX_PASSES):
        before = now
        for name in NAMES:
            now, made = one_repair(name, now)
            repairs += made
        if now == before:
            break
    else:
        return Repaired(text)
    if not repairs or (_parsed(now).tree is None and _parsed(text).tree is not None):
        return Repaired(text)
    return Repaired(now, tuple(repairs))


def one_repair(name: str, text: str) -> tuple[str, tuple[Repair, ...]]:
    """``text`` after the rewrite of this name alone, and what it did."""
    parsed = _parsed(text)
    if name not in _ALWAYS and not parsed.remarks:
        return text, ()
    edits: list[_Edit] = []
    for edit in sorted(_STEPS[name](parsed), key=lambda edit: (edit.start, -edit.end)):
        if edit.put != text[edit.start : edit.end] and (not edits or edit.start >= edits[-1].end):
            edits.append(edit)
    if not edits:
        return text, ()
    out, last = [], 0
    for edit in edits:
        out += [text[last : edit.start], edit.put]
        last = edit.end
    changed = "".join(out) + text[last:]
    return changed, tuple(
        Repair(name, edit.told, text[edit.start : edit.end], edit.put) for edit in edits
    )


@lru_cache(maxsize=8)
def _parsed(text: str) -> Parsed:
    return parse(text)


def _told(parsed: Parsed, *codes: str) -> list[tuple[Remark, str]]:
    """The remarks of these codes, each with the piece of the text that it is about."""
    return [(one, parsed.text[one.start : one.end]) for one in parsed.remarks if one.code in codes]


# characters


def _look_alikes(parsed: Parsed) -> Iterator[_Edit]:
    for one, piece in _told(parsed, "look-alike", "curly-quotes"):
        for place, char in enumerate(piece, one.start):
            put = '"' if char in CURLY else LOOK_ALIKES.get(char)
            if put is not None:
                yield _Edit(
                    place, place + 1, put, f"“{put}” replaced a character that only looks like it."
                )


def _encoded(parsed: Parsed) -> Iterator[_Edit]:
    for one, piece in _told(parsed, "html-entity"):
        yield _Edit(
            one.start, one.end, html.unescape(piece), f"The HTML entity {piece} was decoded."
        )
    for one, piece in _told(parsed, "percent-encoding"):
        plain = re.sub("%(?:25)+", "%", piece)
        yield _Edit(
            one.start, one.end, unquote(plain), f"The percent-encoding {piece} was decoded."
        )


# pairs


def _whole(before: str, after: str, told: str) -> list[_Edit]:
    """One edit for a text that was rewritten as a whole: what differs, without what both begin and
    end with.
    """
    if before == after:
        return []
    shorter = min(len(before), len(after))
    start = next((place for place in range(shorter) if before[place] != after[place]), shorter)
    most = shorter - start
    same = next((back for back in range(most) if before[-1 - back] != after[-1 - back]), most)
    return [_Edit(start, len(before) - same, after[start : len(after) - same], told)]


# what stands inside quotation marks


def _tags_in_quotes(parsed: Parsed) -> Iterator[_Edit]:
    for one, piece in _told(parsed, "tag-in-quotes"):
        alone = _TAG_IN_QUOTES.fullmatch(piece)
        if alone and field_of(alone[2][1:-1].partition(":")[0]) and not has_operator(alone[1]):
            put = f'"{alone[1].strip()}"{alone[2]}'
            yield _Edit(
                one.start, one.end, put, f"The tag {alone[2]} was moved after the quotation marks."
            )
        elif piece.endswith('"'):
            put = _grouped(parsed.text, one, piece.strip('"').strip())
            yield _Edit(
                one.start, one.end, put, "Quotation marks around a whole search were removed."
            )


def _operators_in_quotes(parsed: Parsed) -> Iterator[_Edit]:
    """A quoted phrase that holds operators becomes the terms that they join; a tag after it goes to
    each of them without one.

    Its groups stay, in whatever brackets they stand, and so do its stars.
    """
    for term in terms(parsed.tree):
        found = field_of(term.field) if term.field else None
        if not term.quoted or not has_operator(term.text) or term.within is not None:
            continue
        if found is not None and found.kind != "text":
            continue
        piece = parsed.text[term.start : term.end]
        text = _ODD_GROUP.sub(
            r"(\1)", piece[1 : piece.rindex('"')].strip() if piece.count('"') > 1 else term.text
        )
        if found is None and "[" in text:
            continue  # tags: `_tags_in_quotes`
        if found is None:
            put = _grouped(parsed.text, Remark("", "", term.start, term.end), text)
        else:
            if (tree := parse(text).tree) is None:
                continue
            text = in_field(tree, found.code, quoted=True)
            put = f"({text})" if isinstance(tree, Boolean) else text
        yield _Edit(
            term.start,
            term.end,
            put,
            "A phrase with operators inside quotation marks was split at the operators.",
        )


def _grouped(text: str, place: Remark, inner: str) -> str:
    """``inner`` for the text at ``place``: as it is where that is the whole query or all of a
    group, else in parentheses.
    """
    before, after = text[: place.start].rstrip(), text[place.end :].lstrip()
    alone = (not before and not after) or (before.endswith("(") and after.startswith(")"))
    return inner if alone else f"({inner})"


# tags


def _unknown_tags(parsed: Parsed) -> Iterator[_Edit]:
    for one, tag in _told(parsed, "unknown-tag"):
        meant = _MEANT_BY.get(re.sub(r"[\s/,]+", "", tag[1:-1].lower()))
        what = f"[{meant}] was put in its place" if meant else "the tag was removed"
        yield _Edit(
            one.start, one.end, f"[{meant}]" if meant else "", f"PubMed has no field {tag}; {what}."
        )


def _tags_on_groups(parsed: Parsed) -> Iterator[_Edit]:
    """A tag after parentheses, which PubMed ignores, goes to every term between them that has
    none; of groups within each other the inner ones come first.
    """
    opened: list[int] = []
    found = tokens(parsed.text)[0] if _told(parsed, "tag-on-group") else []
    for before, token in pairwise(found):
        if before.kind == "open":
            opened.append(before.start)
        elif before.kind == "close" and opened:
            inner = parse(parsed.text[opened[-1] : before.end])
            if token.field is not None and inner.tree and not _told(inner, "tag-on-group"):
                tag = parsed.text[token.start : token.end]
                sentence = f"The tag {tag} after parentheses was given to each term between them."
                put = f"({in_field(inner.tree, token.field.code)})"
                yield _Edit(opened[-1], token.end, put, sentence)
            opened.pop()


def in_field(tree: Node, code: str, quoted: bool = False) -> str:
    """The text of a tree with a tag at each of its terms that has none."""
    return printed(
        mapped(
            tree,
            lambda one: (
                replace(one, field=code, quoted=quoted or one.quoted) if one.field is None else one
            ),
        )
    )


# operators


def _lower_case(parsed: Parsed) -> Iterator[_Edit]:
    """Operators in lower case put in capitals between one finished term or group and the next."""
    told = {one.start for one, _ in _told(parsed, "lower-case-operator")}
    if not told:
        return
    found, _ = tokens(parsed.text)
    for place in range(1, len(found) - 1):
        token = found[place]
        if token.start not in told or found[place - 1].kind not in (
            "quoted",
            "tag",
            "close",
            "line",
        ):
            continue
        after = place + 1
        while after < len(found) and found[after].kind in ("word", "star"):
            after += 1
        goes_on = found[place + 1].kind in ("quoted", "open", "line") or (
            after < len(found) and found[after].kind == "tag"
        )
        if goes_on:
            capitals = token.text.upper()
            yield _Edit(
                token.start, token.end, capitals, f"“{token.text}” was capitalised: {capitals}."
            )


_LEFT_OUT = (
    *("and-not", "repeated-operator", "dangling-operator"),
    *("empty-group", "empty-phrase", "short-star"),
    *("unbalanced-bracket", "unbalanced-parenthesis"),
)
"""Remarks on what PubMed leaves out of a query that it reads."""


def _canonical(parsed: Parsed) -> list[_Edit]:
    """The query as PubMed reads it where it would leave out some of it; not one that begins with
    NOT, since what that excludes would be searched for.
    """
    told = _told(parsed, *_LEFT_OUT)
    excludes = (
        one.code == "dangling-operator" and "NOT" in piece and _leads(parsed.text, one)
        for one, piece in told
    )
    if not told or parsed.tree is None or any(excludes):
        return []
    sentence = " ".join(dict.fromkeys(one.text for one, _ in told))
    return _whole(parsed.text, printed(parsed.tree), sentence)


def _leads(text: str, one: Remark) -> bool:
    before = text[: one.start].rstrip()
    return (
        (not before or before.endswith("("))
        and not text[one.end :].lstrip().startswith(")")
        and bool(text[one.end :].strip())
    )


_STEPS: dict[str, Callable[[Parsed], Iterable[_Edit]]] = {
    "invisible-characters": lambda parsed: [
        _Edit(one.start, one.end, "", "Invisible characters were removed.")
        for one, _ in _told(parsed, "invisible-characters")
    ],
    "look-alikes": _look_alikes,
    "encoded-characters": _encoded,
    "quotes-balanced": lambda parsed: _whole(
        parsed.text, quotes_balanced(parsed.text), "Quotation marks were balanced."
    ),
    "brackets-balanced": lambda parsed: _whole(
        parsed.text,
        tags_closed(parsed.text) if _told(parsed, "unbalanced-bracket") else parsed.text,
        "Brackets were balanced.",
    ),
    "tags-in-quotes": _tags_in_quotes,
    "operators-in-quotes": _operators_in_quotes,
    "unknown-tags": _unknown_tags,
    "tags-on-groups": _tags_on_groups,
    "lower-case-operators": _lower_case,
    "left-out": _canonical,
}
_ALWAYS = ("quotes-balanced",)
NAMES: tuple[str, ...] = tuple(_STEPS)
"""The stable names of the rewrites, in the order in which they are applied (again and again, until
none changes anything).
"""
