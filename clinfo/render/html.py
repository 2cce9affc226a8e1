"""Blocks as a piece of HTML for a notebook or a page of one's own.

It needs nothing else: no script, no style sheet, no colour of its own, so that it is as readable on
a dark ground as on a light one. Text from outside is never markup.
"""

import html
import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from clinfo.render.blocks import Block, Heading, Item, Items, Paragraph, Table, cited

_PAGE: Final = "max-width:60rem;line-height:1.45;text-align:left"
_CELL: Final = (
    "text-align:left;vertical-align:top;white-space:normal;padding:.3rem .7rem .3rem 0;"
    "border-bottom:1px solid rgba(128,128,128,.5)"
)
_WIDE, _LONG = ";min-width:16rem", 60
"""The least width of a cell that holds more characters."""
_ITEM: Final = "margin:.25rem 0 .25rem 2.4rem;text-indent:-2.4rem"
_LINK: Final = "color:inherit;text-decoration:underline"


def fragment(blocks: Iterable[Block], links: Mapping[int, str] = MappingProxyType({})) -> str:
    """Blocks in one element; citation numbers lead to ``links``. A folded section is closed until
    somebody opens it.
    """
    parts, folded = [f'<div class="clinfo" style="{_PAGE}">'], False
    for block in blocks:
        if isinstance(block, Heading):
            parts += ["</details>"] if folded else []
            folded = block.folded
            parts += ["<details>"] if folded else []
        parts.append(_block(block, links))
    return "\n".join([*parts, *(["</details>"] if folded else []), "</div>"])


def document(title: str, body: str) -> str:
    """A whole page of a fragment."""
    return (
        '<!doctype html>\n<html lang="en"><meta charset="utf-8">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{html.escape(title)}</title>\n{body}\n</html>\n"
    )


def _block(block: Block, links: Mapping[int, str]) -> str:
    if isinstance(block, Heading):
        name = f"h{block.level + 2}"
        text = f'<{name} style="margin:.9rem 0 .3rem">{html.escape(block.text)}</{name}>'
        summary = f"<summary><strong>{html.escape(block.text)}</strong></summary>"
        return summary if block.folded else text
    if isinstance(block, Paragraph):
        parts = (_cited(part, links) for part in re.split(r"\n\s*\n", block.text))
        return "\n".join(f"<p>{part}</p>" for part in parts)
    if isinstance(block, Items):
        return "\n".join(_item(item) for item in block.items)
    return _table(block, links)


def _item(item: Item) -> str:
    mark, url = html.escape(item.mark or "•"), html.escape(_address(item.url))
    link = f' <a style="{_LINK}" href="{url}">{url}</a>' if url else ""
    return f'<div style="{_ITEM}">{mark} {_lines(item.text)}{link}</div>'


def _table(table: Table, links: Mapping[int, str]) -> str:
    def row(cells: Iterable[str], tag: str) -> str:
        return f"<tr>{''.join(cell_of(cell, tag) for cell in cells)}</tr>"

    def cell_of(cell: str, tag: str) -> str:
        style = _CELL + (_WIDE if len(cell) > _LONG else "")
        return f'<{tag} style="{style}">{_cited(cell, links)}</{tag}>'

    body = "\n".join(row(cells, "td") for cells in table.rows)
    return (
        '<div style="overflow-x:auto"><table style="border-collapse:collapse;margin:.5rem 0">\n'
        f"<thead>{row(table.header, 'th')}</thead>\n<tbody>\n{body}\n</tbody></table></div>"
    )


def _cited(text: str, links: Mapping[int, str]) -> str:
    """Text in which every citation number that has an address leads there."""
    return cited(text, _lines, lambda n: _link(n, links))


def _link(n: int, links: Mapping[int, str]) -> str:
    url = html.escape(_address(links.get(n, "")))
    return f'<a style="{_LINK}" href="{url}">{n}</a>' if url else str(n)


def _address(url: str) -> str:
    """An address of the web; "" for any other, which might be a script."""
    return url if url.startswith(("https://", "http://")) else ""


def _lines(text: str) -> str:
    return html.escape(text).replace("\n", "<br>")
