"""Drug names: the class of a drug, as far as the ending of its international name tells it.

The World Health Organization gives drugs of one class names with a common stem ("The use of stems
in the selection of International Nonproprietary Names"), so formoterol can be told to be a
bronchodilator by its name alone.
"""

import re
from functools import lru_cache

from clinfo.text.lexicon import groups

_CLASSES = {
    name.removeprefix("class:").replace("+", " "): "|".join(endings)
    for name, endings in groups("drug_endings").items()
    if name.startswith("class:")
}
_WORDS = re.compile(r"\w+")
_NAME = re.compile(
    r"[a-z]{2,}(?:" + "|".join(f"({ending})" for ending in _CLASSES.values()) + r")s?"
)


def classes(folded: str) -> frozenset[str]:
    """The words that name the classes of the drugs in a folded text: "ondansetron" gives
    {"antiemetic"}.
    """
    return frozenset().union(*map(_classes, set(_WORDS.findall(folded))))


@lru_cache(maxsize=1 << 14)
def _classes(word: str) -> tuple[str, ...]:
    match = _NAME.fullmatch(word)
    return tuple(list(_CLASSES)[match.lastindex - 1].split()) if match and match.lastindex else ()
