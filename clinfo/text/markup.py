"""XML and HTML to text, for every reader: citations, full texts, pages, records.

What is raised or lowered keeps its meaning: 10<sup>6</sup> is 10^6 and never 106, m<sup>2</sup> is
m^2, Ca<sup>2+</sup> is Ca2+, H<sub>2</sub>O is H2O; an underlined < is ≤. So does MathML, whose
annotations are left out.
"""

import re
from collections.abc import Collection, Iterator
from html import unescape
from html.entities import name2codepoint
from typing import Any

_MARK = re.compile(r"\(?[-+−–]?\s?\d[\d.,]*\)?|[a-z](?:,\s?[a-z])*")
"""The look of a raised exponent or mark of a note, which the charge of an ion does not have."""
_UNDERLINED = {"<": "≤", ">": "≥"}
_NOT_READ = frozenset(("annotation", "annotation-xml", "script", "style"))
_BLOCKS = "br|div|h[1-6]|li|ol|p|sec|title|ul"
_TAG = re.compile(
    r"<(?P<end>/?)(?:jats:)?(?P<name>(?P<block>" + _BLOCKS + r")|a|b|bold|em|i|italic|sc|scp|small"
    r"|span|strong|sub|sup|u)(?:\s[^<>]{0,200})?\s?/?>",
    re.IGNORECASE,
)
_ENTITY = re.compile(r"&(?:amp;)*(#[0-9]{1,6}|#x[0-9a-f]{1,5}|[a-z]{2,8}[0-9]?);", re.IGNORECASE)
_NEIGHBOURS = re.compile(r"(?<=\w)</(i|b|em|strong|u)><\1>(?=\w)", re.IGNORECASE)
_EXPONENT = re.compile(
    r"(?:(?<=[0-9a-z])|(?<=[0-9][.,]))<sup>(?=\s?[-+−–]?\s?[0-9]+\s?</sup>)", re.IGNORECASE
)


def text_of(
    element: Any, skipped: Collection[str] = (), spaced: Collection[str] = (), apart: str = " "
) -> str:
    """All text inside an element of lxml, "" of None; white space as it stands.

    Elements named in ``skipped`` are left out, those in ``spaced`` stand apart from what is around
    them. Names are without namespace.
    """
    return "" if element is None else "".join(_pieces(element, skipped, spaced, apart))


def xml_root(raw: bytes) -> Any:
    """The root of XML from outside without its comments: nothing is fetched, no entity put in.
    Raises ValueError with the reason.
    """
    from lxml import etree

    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True,
        remove_pis=True,
    )  # fmt: skip
    try:
        return etree.fromstring(raw, parser)
    except etree.XMLSyntaxError as error:
        raise ValueError(error.msg) from None


def line_of(element: Any) -> str:
    """All text inside an element on one line; marks that were escaped twice are none either."""
    if element is None:
        return ""
    return unmarked(text_of(element) if len(element) else element.text or "")


def unmarked(text: str) -> str:
    """A text on one line whose characters may be escaped, and which may hold `without_tags`."""
    text = unescaped(" ".join(text.split()))
    return " ".join(without_tags(text)[0].split()) if "<" in text else text


def unescaped(text: str) -> str:
    """A text whose characters may be escaped as HTML has them, some of them twice."""
    return _ENTITY.sub(lambda found: unescape(f"&{found[1]};"), text)


def without_tags(text: str) -> tuple[str, int]:
    """A text that may hold tags of inline text, without them, and how many there were.

    Other ``<`` stay: they stand in many an abstract for "less than", and in some DOIs. Two words of
    which each stood in tags of its own stay two words.
    """
    count = len(_TAG.findall(text))
    if not count:
        return text, 0
    plain = _NEIGHBOURS.sub(" ", text)
    plain = _TAG.sub(_left, plain)
    return _TAG.sub("", _EXPONENT.sub("^", plain)), count


def _left(tag: re.Match[str]) -> str:
    """Return what a tag leaves: a blank between blocks; what is raised is looked at next."""
    raised = f"<{tag['end']}sup>" if tag["name"].lower() == "sup" else ""
    return " " if tag["block"] else raised


def _pieces(
    element: Any, skipped: Collection[str], spaced: Collection[str], apart: str, before: str = ""
) -> Iterator[str]:
    """The texts in an element that stands after ``before``."""
    name = _name(element)
    yield element.text or ""
    before = element.text or before
    for place, child in enumerate(element):
        tag = _name(child)
        if tag is None:
            # left over where the document relies on its DTD for a named character
            point = name2codepoint.get(getattr(child, "name", None) or "")
            text = chr(point) if point else ""
        elif tag in _NOT_READ or tag in skipped:
            text = ""
        else:
            text = "".join(_pieces(child, skipped, spaced, apart, before))
            if place and name in ("msup", "msubsup") and place == len(element) - 1:
                text = _raised("x", text.strip())
            elif place and name == "mfrac":
                text = f"/{text.strip()}"
            elif tag == "sup":
                text = _raised(before[-2:], text)
            elif tag == "sub" and before[-1:].isdigit() and text[:1].isdigit():
                text = f"_{text}"
            elif tag in ("u", "underline"):
                text = _UNDERLINED.get(text.strip(), text)
            elif tag in spaced:
                text = f"{apart}{text}{apart}"
        yield text
        yield child.tail or ""
        before = child.tail or text or before


def _raised(before: str, text: str) -> str:
    """Return what is raised, with a mark where it would else run into what stands before."""
    written = text.strip()
    if not _MARK.fullmatch(written) or written.lower() in ("st", "nd", "rd", "th"):
        return text
    if written.isalpha():  # the mark of a note, also in front of it
        return f"^{written}" if not before[-1:].isalpha() else text
    stopped = before[:1].isdigit() and before[1:] in (".", ",")  # "48.<sup>3</sup>" is no 48.3
    return f"^{written}" if before[-1:].isalnum() or before[-1:] in (*")]%",) or stopped else text


def _name(element: Any) -> str | None:
    """The name of an element without its namespace; None of an entity and the like."""
    return element.tag.rpartition("}")[2].lower() if isinstance(element.tag, str) else None
