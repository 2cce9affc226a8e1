"""Items of a list that share words, each with its own: "ductal or lobular carcinoma of the breast",
"cancer of the lung or breast", "EGFR or ALK inhibitors".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from clinfo.pipelines.cohort.phrases import Phrases
from clinfo.pipelines.cohort.settings_of_care import setting
from clinfo.pipelines.cohort.special import qualified
from clinfo.pipelines.cohort.tokens import Token, is_filler

Piece = tuple[str, list[Token]]
_PARTS = ("word", "name", "filler")
_JOINED = ("and", "or", ",")
_PREPOSITIONS = ("of", "in", "to", "from")
_KIND = re.compile(r"(?i)(?:carcinoma|sarcoma|cancer|tumou?r|lymphoma)s?$")
_ADJECTIVE = re.compile(r"(?:ic|al|ar|ary|ive|ous)$")
_MOST = 12
"""Words of the longest name that is tried."""
_LETTERS = 2
"""Letters up to which a word may be a kind's letter or number alone."""


def shared(pieces: Sequence[Piece], phrases: Phrases) -> list[Piece]:
    """The items, each with the words that it shares with the next or the one before, where it is no
    name without them and one with them.
    """
    found = [(mark, list(own)) for mark, own in pieces]
    for at in range(len(found) - 2, -1, -1):
        mark, own = found[at]
        head = _words(_ahead(found[at + 1][1]))
        if found[at + 1][0] not in _JOINED or not head or len(head) > _MOST:
            continue
        rest = qualified(" ".join(_words(_behind(own))))[1].split()
        if rest and (whole := _with_head(rest, head, phrases)) is not None:
            states = [Token("word", one) for one in _words(_behind(own)) if one not in rest]
            alike = [one for one in own[: len(own) - len(_behind(own))] if one.role == "sign"]
            kept = own[: len(own) - len(_behind(own))]
            found[at] = (mark, [*kept, *states, Token("name", whole)])
            found[at + 1] = (found[at + 1][0], [*alike, *states, *found[at + 1][1]])
    for at in range(1, len(found)):
        mark, own = found[at]
        before, words = _words(_behind(found[at - 1][1])), _words(_ahead(own))
        if mark not in _JOINED or not words or not before or len(before) > _MOST:
            continue
        if (whole := _with_first(before, words, phrases)) is not None:
            found[at] = (mark, [Token("name", whole), *own[len(_ahead(own)) :]])
    return found


def _with_head(words: list[str], head: list[str], phrases: Phrases) -> str | None:
    """The words with the last ones of the next item ("ductal" and "carcinoma of the breast"); of a
    kind of tumour, with the place of the next.
    """
    own = phrases.is_name(words) and not phrases.lacks_noun(words)
    if own and (
        _ADJECTIVE.search(words[-1]) or not phrases.is_listed(words)
    ):  # "ischaemic or haemorrhagic stroke"
        ends = [head[at:] for at in range(1, len(head)) if phrases.is_listed(head[at:])]
        fuller = next((one for end in ends if phrases.is_listed(one := [*words, *end])), None)
        if fuller is not None:
            return " ".join(fuller)
    if own:
        place = next((at for at, word in enumerate(head) if word in ("of", "in")), 0)
        kinds = _KIND.search(words[-1]) and place and _KIND.search(head[place - 1])
        if not kinds or not phrases.is_without_place(words) or phrases.is_without_place(head):
            return None
        tails = [head[place:]]
        return " ".join([*words, *tails[0]]) if phrases.is_name([*words, *tails[0]]) else None
    tails = [head[at:] for at in range(1, len(head)) if not is_filler(head[at])]
    whole = [[*words, *tail] for tail in tails]
    both = list(zip(whole, tails, strict=True))
    found = [one for one, tail in both if phrases.is_listed(tail) and phrases.is_name(one)]
    found += [one for one, tail in both if phrases.is_name(tail) and phrases.is_name(one)]
    found += filter(phrases.is_listed, whole)
    return " ".join(found[0]) if found else None


def _with_first(before: list[str], words: list[str], phrases: Phrases) -> str | None:
    """The words with the first ones of the item before, up to a preposition ("cancer of the")."""
    said, own = setting(" ".join(before)), setting(" ".join(words))
    if said is not None and own is None and phrases.is_drug(words):
        treated = [*said[0].split(), *words]  # "neoadjuvant gemcitabine and cisplatin"
        return " ".join(treated) if phrases.is_name(treated) else None
    if len(words) == 1 and max(map(len, (words[0], before[-1]))) <= _LETTERS and len(before) > 1:
        whole = [*before[:-1], *words]  # "hepatitis B or C"
        return " ".join(whole) if phrases.is_listed(whole) else None
    cuts = [at for at, word in enumerate(before) if at and word in _PREPOSITIONS]
    if not cuts or phrases.is_name(words):
        return None
    end = cuts[-1] + 1
    end += before[end : end + 1] == ["the"]
    whole = [*before[:end], *words]
    return " ".join(whole) if phrases.is_name(whole) else None


def _behind(run: Sequence[Token]) -> list[Token]:
    """The words at the end of an item."""
    at = len(run)
    while at and run[at - 1].role in _PARTS:
        at -= 1
    return list(run[at:])


def _ahead(run: Sequence[Token]) -> list[Token]:
    """The words at the begin of an item."""
    end = next((at for at, token in enumerate(run) if token.role not in _PARTS), len(run))
    return list(run[:end])


def _words(run: Sequence[Token]) -> list[str]:
    """The single words of a run, without those at its ends that say nothing."""
    low, high = 0, len(run)
    while low < high and run[low].role == "filler":
        low += 1
    while low < high and run[high - 1].role == "filler":
        high -= 1
    return [word for token in run[low:high] for word in token.text.split()]
