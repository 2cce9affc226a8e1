"""Terms: whether a claim says of one drug, outcome or population what its source says of another.

Only where claim and passage share their wording around the place: there a term that takes the place of another, and that the
article uses elsewhere or that is plainly another drug, is a swap. A synonym, an inflection, an acronym's long form and a word
of wide sense are none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from clinfo.text.claim_alignment import Alignment, Edit, Reading
from clinfo.text.claim_effects import opposite
from clinfo.text.claim_words import NOT, THAN, Token, alike
from clinfo.text.drug_names import classes
from clinfo.text.terms import fold, is_acronym

SHORTEST_SPELT = 3
"""Letters from which an acronym that an article spells out is known by the first letters of its words."""
_WORDS = re.compile(r"[^\W\d_]+")
LEAST_WEIGHT = 0.35
NEAR = 3
LONGEST_TERM = 6
LEAST_VERBATIM = 0.65
_PEOPLE = (
    (re.compile(r"\b(?:wom[ae]n|females?|girls?)\b"), re.compile(r"\b(?:m[ae]n|males?|boys?)\b")),
    (re.compile(r"\b(?:child(?:ren)?|infants?|neonat\w+|newborns?)\b"), re.compile(r"\b(?:adults?|elderly|older)\b")),
)


_NAMED = re.compile(
    r"(?!(?:dis)?proportionate|compassionate)[a-z]{3,}(?:apine|idone|azole|oxetine|traline|opram|caine|orphine|entanyl|mycin|cycline|cillin|floxacin|amide|arone|profen|"
    r"fenac|oxicam|coxib|setron|sone|solone|nolone|statin|sartan|pril|olol|dipine|tidine|prazole|gliptin|gliflozin|glitazone|tinib|"
    r"mab|azepam|azolam|barbital|triptan|dronate|xaban|parin|grel|vudine|navir|tegravir|platin|taxel|rubicin|trexate|afil|tropium|"
    r"terol|tadine|rizine|nidine|dopa|giline|mantine|zepine|toin|trigine|pentin|gabalin|bactam|penem|conazole|fungin|lukast|phylline|"
    r"profol|etamine|curonium|flurane|oxone|adol|codeine|methadone|formin|glitide|glutide|thiazide|semide|actone|stigmine|clovir|"
    r"quine|mectin|dazole|bendazole|fibrate|imibe|lactone|tretinoin|limus|mofetil|oprine|citabine|uracil|amycin|nitrate|ionate|buspirone|"
    r"propion|prazosin|losin|steride|estradiol|gesterone|gestrel|thyroxine|ipramine|triptyline|peridol|promazine|azine|pezil|ofen|prostol)s?\Z"
    r"|(?!(?:medic|rout|basel|vacc|decl|determ|exam|comb|mach|onl|magaz|discipl|intest|genu|imag|guidel|headl|pipel|mascul|femin|"
    r"predeterm|underl|outl|crystall|quarant|"
    r"migra|(?:intra)?uter|borderl|airl|helpl|lifel|telemedic|medl|\w*docr|exocr|paracr|porc|bov|alkal|midl|centerl|streaml|ultraf|\w*crystall|"
    r"hotl)ine)[a-z]{4,}ine\Z"
    r"|(?:morphine|codeine|warfarin|aspirin|insulin|heparin|lithium|digoxin|ibuprofen|paracetamol|acetaminophen|sucralfate|baclofen)\Z"
)
"""Endings of the names of drugs, beyond the stems that name a class."""


def unnamed(alignment: Alignment, reading: Reading) -> tuple[str, ...]:
    """The drugs and acronyms that the claim names and the article nowhere does, nor spells out in words that begin so."""
    names = dict.fromkeys(token.text for token in alignment.missing if _is_name(token))
    return tuple(name for name in names if not _spelt_out(name, reading))


def _spelt_out(name: str, reading: Reading) -> bool:
    """Whether words in a row of one sentence begin with the letters of an acronym ("PRP": platelet-rich plasma)."""
    if not name.isupper() or not name.isalpha() or len(name) < SHORTEST_SPELT:
        return False
    initials = ("".join(word[0] for word in _WORDS.findall(source.text)).upper() for source in reading.sources)
    return any(name in each for each in initials)


def _is_name(token: Token) -> bool:
    lower = fold(token.text)
    return bool(classes(lower)) or _NAMED.match(lower) is not None or (is_acronym(token.text) and token.text.isupper())


@dataclass(frozen=True)
class Swap:
    """A term of the claim and the term that the source has in its place."""

    claim: str
    source: str
    elsewhere: bool
    """Whether the article uses the claim's term in another place."""


def swapped(alignment: Alignment, reading: Reading) -> Swap | None:
    """The first term of the claim that takes the place of another of the closest passages."""
    for edit in alignment.edits:
        found = _swap(edit, alignment, reading)
        if found is not None:
            return found
    return None


def _swap(edit: Edit, alignment: Alignment, reading: Reading) -> Swap | None:
    if len(edit.claim) > LONGEST_TERM or len(edit.source) > LONGEST_TERM:
        return None
    if edit.before + edit.after < NEAR or alignment.verbatim < LEAST_VERBATIM:
        return None
    there = tuple(token for token in edit.source if _telling(token))
    said = tuple(token for token in edit.claim if _telling(token) and not any(_one_thing(token, other) for other in there))
    there = tuple(token for token in there if not any(_one_thing(token, other) for other in edit.claim))
    if not said or not there:
        return None
    near = {token.key for token in alignment.aligned[max(0, edit.at - 2) : edit.at + len(edit.source) + 2]}
    near |= {token.key for other in alignment.edits for token in other.source}  # words told in another order
    said = tuple(token for token in said if token.key not in near)
    elsewhere = [token for token in said if token.key in reading.keys]
    strange = [token for token in said if token.key not in reading.keys and (classes(fold(token.text)) or is_acronym(token.text))]
    if not elsewhere and not strange:
        return None
    return Swap(" ".join(dict.fromkeys(t.text for t in said)), " ".join(dict.fromkeys(t.text for t in there)), bool(elsewhere))


def _telling(token: Token) -> bool:
    return token.weight >= LEAST_WEIGHT and len(token.text) > 1 and token.key not in (NOT, THAN) and token.effect is None


def _one_thing(one: Token, other: Token) -> bool:
    bare, plain = one.text.rstrip("0123456789"), other.text.rstrip("0123456789")
    if bare == plain and bare in (one.text, other.text):
        return True
    return one.key == other.key or alike(one.key, other.key) or opposite(fold(one.text), fold(other.text))
