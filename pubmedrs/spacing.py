"""White space of a cell in one form."""

from __future__ import annotations

import re

_BLANKS = re.compile(r"[ \t\v\f]+")
_ANY = re.compile(r"[ \t\v\f\r\n]+")
_LINE_END = re.compile(r"\r\n|\r|\n")


def tidy(text: str, lined: bool) -> str:
    """Without white space at the ends, single blanks; a ``lined`` text keeps its lines, with single
    line feeds between them.

    Thin and no-break spaces inside the text are the authors' and stay.
    """
    if not lined:
        return _ANY.sub(" ", text).strip()
    lines = (_BLANKS.sub(" ", line).strip() for line in _LINE_END.split(text))
    return "\n".join(line for line in lines if line)
