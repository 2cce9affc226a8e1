"""Drug names: the class of a drug, as far as the ending of its international name tells it.

The World Health Organization gives drugs of one class names with a common stem ("The use of stems
in the selection of International Nonproprietary Names"), so formoterol can be told to be a
bronchodilator by its name alone.
"""

from __future__ import annotations

from functools import lru_cache

from clinfo.text.regex import regex

_CLASSES = (
    (r"(?<!s)terol", "bronchodilator beta2-agonist"),
    (r"tropium|(?<=l)idinium|pyrronium", "bronchodilator anticholinergic antimuscarinic"),
    (r"setron", "antiemetic"),
    (r"vastatin", "statin"),
    (r"olol", "beta blocker"),
    (r"\w{2}pril(?:at)?", "angiotensin converting enzyme ace inhibitor"),
    (r"sartan", "angiotensin receptor blocker"),
    (r"dipine", "calcium channel blocker"),
    (r"thiazide", "diuretic"),
    (r"(?<!pi)prazole", "proton pump inhibitor"),
    (r"gliptin", "dpp-4 inhibitor"),
    (r"gliflozin", "sglt2 sglt-2 inhibitor"),
    (r"glutide|natide", "glp-1 agonist"),
    (r"glitazone", "thiazolidinedione"),
    (r"coxib", "cox-2 inhibitor nsaid"),
    (r"triptan", "triptan"),
    (r"dron(?:ate|ic)", "bisphosphonate"),
    (r"azepam|azolam", "benzodiazepine"),
    (r"xaban|gatran|parin", "anticoagulant"),
    (r"cillin|floxacin|thromycin", "antibiotic"),
    (r"conazole", "antifungal"),
    (r"vir", "antiviral"),
    (r"tinib", "kinase inhibitor"),
    (r"(?<!\bco)caine", "local anaesthetic"),
)
_WORDS = regex(r"\w+")
_NAME = regex(r"[a-z]{2,}(?:" + "|".join(f"({ending})" for ending, _ in _CLASSES) + r")s?")


def classes(folded: str) -> frozenset[str]:
    """The words that name the classes of the drugs in a folded text: "ondansetron" gives
    {"antiemetic"}.
    """
    return frozenset().union(*map(_classes, set(_WORDS.findall(folded))))


@lru_cache(maxsize=1 << 14)
def _classes(word: str) -> tuple[str, ...]:
    match = _NAME.fullmatch(word)
    return tuple(_CLASSES[match.lastindex - 1][1].split()) if match and match.lastindex else ()
