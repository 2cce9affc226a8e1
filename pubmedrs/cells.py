"""The text of cells: mis-decoding, mark-up and white space mended, lists read, formulas guarded."""

import ast
import re

_FORMULA = re.compile(r"'*[=+\-@\t\r\n]")
_GUARDED = re.compile(r"'+[=+\-@\t\r\n]")


def guard(cell: str) -> str:
    """The cell with an apostrophe before what a spreadsheet might run (=, +, -, @, tab, end of
    line); `unguard` takes it away.
    """
    return "'" + cell if _FORMULA.match(cell) else cell


def unguard(cell: str) -> str:
    """The cell as it was before `guard`; other cells are given back as they are."""
    return cell[1:] if _GUARDED.match(cell) else cell


LONGEST_LIST = 1_000_000
"""Characters; the longest published list has about 10,000."""


def read_list(text: str) -> list[str]:
    """The entries of a list of texts or whole numbers, as texts. Nothing is evaluated.

    Raises ValueError, whose text says in words what is wrong.
    """
    if len(text) > LONGEST_LIST:
        raise ValueError(f"it is longer than {LONGEST_LIST:,} characters")
    if not text.strip():
        raise ValueError("the cell is empty; an empty list is written []")
    try:
        entries = ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        raise ValueError(
            f"it cannot be read: {text[:40]!r}{'…' if len(text) > 40 else ''}"
        ) from None
    if not isinstance(entries, list):
        raise ValueError(f"it is not a list but {text[:40]!r}")
    for entry in entries:
        if not isinstance(entry, str) and (not isinstance(entry, int) or isinstance(entry, bool)):
            raise ValueError(f"it holds {str(entry)[:40]!r}, which is not text")
    return [str(entry) for entry in entries]


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


_LATIN = re.compile("[\u0080-\u00ff]+")
_WINDOWS = "".join(bytes([byte]).decode("cp1252", "ignore") for byte in range(0x80, 0xA0))
_WINDOWS_RUN = re.compile(f"[\u0080-\u00ff{re.escape(_WINDOWS)}]+")
_WINDOWS_BYTES = {ord(character): character.encode("cp1252")[0] for character in _WINDOWS}


def redecoded(text: str) -> tuple[str, int]:
    """The text with every mis-decoded run brought back, and how many there were.

    A run is made of characters that Latin-1 or Windows-1252 gives for bytes from 0x80; it is
    brought back only if its bytes, all of them, are UTF-8. Correct text is left alone by that, for
    a lone é or ± is not UTF-8; only such rarities as É before » would be taken for a mis-decoded
    character, which the record of the repair shows.
    """
    count = 0

    def bring_back(found: re.Match[str]) -> str:
        nonlocal count
        try:
            back = found[0].translate(_WINDOWS_BYTES).encode("latin-1").decode("utf-8")
        except UnicodeError:
            return found[0]
        count += 1
        return back

    return _WINDOWS_RUN.sub(bring_back, _LATIN.sub(bring_back, text)), count
