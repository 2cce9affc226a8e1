"""Text whose UTF-8 bytes were once read as Latin-1 or Windows-1252 and saved again ("mojibake"),
brought back.
"""

from __future__ import annotations

import re

_LATIN = re.compile("[\u0080-\u00ff]+")
_WINDOWS = "".join(bytes([byte]).decode("cp1252", "ignore") for byte in range(0x80, 0xA0))
_WINDOWS_RUN = re.compile(f"[\u0080-\u00ff{re.escape(_WINDOWS)}]+")
_WINDOWS_BYTES = {ord(character): character.encode("cp1252")[0] for character in _WINDOWS}


def undo(text: str) -> tuple[str, int]:
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
