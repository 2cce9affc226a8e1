"""An answer as Markdown (CommonMark with GitHub's tables)."""

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from clinfo.render.blocks import Block, Heading, Item, Items, Paragraph, Table, cited

_SPECIAL = re.compile(r"([\\`*_{}\[\]#|~])")
_LIST_START = re.compile(r"^(\s*)([-+=])|^(\s*\d+)([.)])", re.MULTILINE)
_BARE_ADDRESS = re.compile(r"(:(?=//)|(?<=mailto):|(?<=xmpp):|(?<=www)\.)", re.IGNORECASE)
"""The character without which GitHub does not make a link of a bare address."""


def blocks_as_markdown(
    blocks: Iterable[Block], links: Mapping[int, str] = MappingProxyType({})
) -> str:
    """Blocks of any answer; citation numbers lead to ``links``, and text from outside is never
    markup.
    """
    return "\n\n".join(_block(block, links) for block in blocks) + "\n"


def _block(block: Block, links: Mapping[int, str]) -> str:
    if isinstance(block, Heading):
        return f"{'#' * block.level} {_escaped(block.text)}"
    if isinstance(block, Paragraph):
        return _lines(_cited(block.text, links), "")
    if isinstance(block, Items):
        return "\n".join(_item(item) for item in block.items)
    return _table(block)


def _item(item: Item) -> str:
    link = f" <{_address(item.url)}>" if item.url else ""
    label = f"{_escaped(item.mark)} " if item.mark else ""
    return f"- {label}{_lines(_escaped(item.text), '  ')}{link}"


def _lines(text: str, indent: str) -> str:
    """A single line end becomes a hard break; an empty line stays a new paragraph."""
    return re.sub(r"(?<!\n)\n(?!\n)", "\\\\\n" + indent, text)


def _table(table: Table) -> str:
    body = (tuple(_escaped(cell).replace("\n", "<br>") for cell in row) for row in table.rows)
    rows = [table.header, tuple("---" for _ in table.header), *body]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _cited(text: str, links: Mapping[int, str]) -> str:
    """Escaped text in which every citation number that has an address leads there."""
    return cited(text, _escaped, lambda n: _link(n, links))


def _link(n: int, links: Mapping[int, str]) -> str:
    return f"[{n}](<{_address(links[n])}>)" if links.get(n) else str(n)


def _address(url: str) -> str:
    """Old DOIs hold angle brackets, which would end the link."""
    return url.replace("<", "%3C").replace(">", "%3E").replace(" ", "%20")


def _escaped(text: str) -> str:
    """``text`` in which nothing is markup: not within a line, not as the start of a list, a rule or
    a heading, no bare address.
    """
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    text = _BARE_ADDRESS.sub(r"\\\1", _SPECIAL.sub(r"\\\1", text))
    return _LIST_START.sub(r"\1\3\\\2\4", text)
