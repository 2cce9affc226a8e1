"""Differences between a claim and the passages it is compared with, and how severe they are.

Every word and number of the claim must be accounted for, and every one that the claim left out of
the stretch it was taken from.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal

from clinfo.claims.alignment import Alignment, Edit, Reading
from clinfo.claims.roles import swapped
from clinfo.claims.tokens import THAN, Token
from clinfo.lazy_dataclass import dataclass
from clinfo.terms.naming import descriptor_of, same_concept
from clinfo.text.change_words import Change, cues
from clinfo.text.lexicon import either, words_of
from clinfo.text.regex import anycase, regex
from clinfo.text.terms import StemSet, synonym_stems

Level = Literal["soft", "hard"]


_NEGATORS = StemSet(*words_of("negators", "claims"))
_HEDGES = StemSet(*words_of("hedges", "claims"))
_LIMITS = StemSet("only except unless subgroup subset")
_UNSAYING = StemSet(*words_of("hedges", "unsaying"))
"""Words without which a source says what it leaves open or denies."""
_OPENING_UNSAYS = StemSet(_UNSAYING, "if unless needed required warranted")
_LIMIT_SIGNS = frozenset("<>≤≥")
_UNIVERSAL = StemSet("all every always entirely completely any each overall")
_WEAK = StemSet(
    "significant significantly statistically markedly substantially slightly clearly strongly "
    "highly very approximately "
    "about quite rather further again both either well more most many overall total mean "
    "average often frequently generally usually mainly clinically relatively considerably greatly "
    "slight marked substantial clear "
    "strong still even already currently recently however together thereby thus"
)
"""Words that may be left out of what is said; put in they make it say more."""
_LEADS = StemSet(
    "overall similarly likewise contrast contrary summary hand expected result results general aim "
    "surprisingly particular fact"
)
"""Words that lead over from the sentence before."""
_PEOPLE = StemSet(*words_of("people", "claims"))
_GROWN = StemSet("child adult adolescent infant people those", keys=("child",))
_PART_OF_THEM = StemSet(
    (
        "women woman men man female females male males boys girls smokers nonsmokers responders "
        "nonresponders infants elderly"
    ),
    keys=("woman", "man"),
)
"""Words for a part of the people studied."""
_PARTING = StemSet(
    "older younger young old severe severely mild moderate advanced early late refractory high low "
    "risk obese lean overweight "
    "diabetic nondiabetic hypertensive normotensive pregnant premenopausal postmenopausal infected "
    "uninfected impaired "
    "hospitalized metastatic"
)
"""Words by which people are parted from the others studied, beside a word for people."""
_REWORDED = tuple(
    StemSet(group)
    for group in (
        " ".join(words_of("falling", "reworded")),
        " ".join(words_of("rising", "reworded")),
        " ".join(words_of("better", "reworded")),
        " ".join(words_of("alike", "reworded")),
        (
            "use used usage given give receive receiving administer administration treat treated "
            "treatment therapy"
        ),
        "perform carry conduct undertake",
        "occur happen arise develop",
        "month months",
        "efficacious effective",
    )
)
_VERBAL = regex(r"(?:ed|ing|ly)\Z")
_TELLING = StemSet(
    "cause caused causing lead led leading result resulted resulting produce produced induce "
    "induced prevent prevented trigger "
    "triggered associated correlated related linked attributed randomised randomized randomly "
    "blinded controlled masked "
    "significantly solely only exclusively completely entirely treated confirmed failed unchanged "
    "affected smoking drinking "
    "bleeding vomiting feeding breathing swelling screening imaging vaccinated"
)
"""Words in the form of a verb or adverb that say something of their own."""
_NO_SYNONYMS = StemSet("survival analgesia analgesic")
_TURNING = anycase(rf"\b(?:{either('negators', 'turning')})\b")
_RESTRICTING = regex(
    (
        r"\W*(?:but|only|except|unless|if|when|in|among|for|provided|without|at|after|during|"
        r"within|especially)\b"
    ),
    re.I,
)
_GOES_ON = anycase(
    r"\s*(?:[;:]|[,–—(]|\s-\s|(?:and|while|whereas|although|though|suggesting|indicating|which|"
    r"thus|with)\b)"
)
_BRACKET = regex(r"\s*[(\[][^()\[\]]*[)\]]")
_BY = anycase(r"\bby\b")
_CHANCE = anycase(r"\bp\s?(?:[=>≥]\s?0?[.·](?:0[5-9]|[1-9])|[>≥]\s?0?[.·]05)|\bN\.?S\b\.?")
"""A P value that is not significant, as it is written in a bracket."""
_UNDONE = anycase(
    r"\b(?:disappear|vanish|confound|explained by|no longer|(?:lost|losing) (?:statistical "
    r")?significance)|"
    r"[;,–—(]\s*(?:but )?(?:this|which|(?:an?|the) (?:difference|effect|association))\b[^;]*?"
    r"\b(?:not|non-?)\s?(?:statistically )?signif"
)
"""Words behind a finding that take it back."""
_NO_EFFECT = regex(
    (rf"\b(?:{either('negators', 'no_effect')}|{either('alike', 'no_effect')})\b"),
    re.I,
)
_OPPOSITE: dict[Change, tuple[Change, ...]] = {
    "up": ("down", "alike"),
    "down": ("up", "alike"),
    "better": ("worse", "alike"),
    "worse": ("better", "alike"),
    "alike": ("up", "down", "better", "worse"),
    "significant": ("alike",),
}


EDGE = 2
"""Tokens before or after the aligned stretch whose denial reaches into it."""
LONGER = 2
"""Tokens by which what stands at the end of a passage may be longer than what stands for it in the
claim.
"""


@dataclass(frozen=True)
class Difference:
    """One place where a claim parts from its source: what it says instead of what, either possibly
    "".

    "hard" makes it another claim if all else is the same; "soft" keeps it from being vouched for.
    ``turns`` says that it says the opposite, ``moved`` that the source has the words in another
    place, ``sides`` that the two sides of the word changed places; ``room`` how many equal tokens
    stand around it.
    """

    level: Level
    claim: str
    source: str
    turns: bool = False
    room: int = 0
    moved: bool = False
    sides: bool = False


def differences(text: str, alignment: Alignment, reading: Reading) -> list[Difference]:
    """The differences that are not harmless, in order."""
    every = list(alignment.edits)
    dropped = Counter(alignment.order[i].key for edit in every for i in range(edit.i1, edit.i2))
    moved = Counter(alignment.claim[j].key for edit in every for j in range(edit.j1, edit.j2))
    found: list[Difference] = []
    shifted = _shifted(alignment)
    active = len(alignment.sources) == 1 and len(_BY.findall(text)) == len(
        _BY.findall(alignment.sources[0].text)
    )
    if active and (verb := swapped(alignment.claim, alignment.order)) is not None:
        found.append(
            Difference(
                "hard", verb.text, verb.text, turns=True, room=len(alignment.same), sides=True
            )
        )
    for place, edit in enumerate(every):
        ends = edit.before == 0 and place == 0, edit.after == 0 and place == len(every) - 1
        if shifted and any(ends):
            continue
        found += _of_edit(text, alignment, reading, edit, ends, dropped, moved)
    return found


def _shifted(alignment: Alignment) -> bool:
    """Return whether a phrase went whole from one end of the sentence to the other: "at one year
    pain fell", "pain fell at one year".
    """
    if len(alignment.edits) < 2 or len(alignment.sources) != 1:
        return False
    first, last = alignment.edits[0], alignment.edits[-1]
    if first.before or last.after:
        return False
    there = (
        [token.key for token in alignment.order[first.i1 : first.i2] if not token.inside],
        [token.key for token in alignment.order[last.i1 : last.i2] if not token.inside],
    )
    here = (
        [token.key for token in alignment.claim[first.j1 : first.j2]],
        [token.key for token in alignment.claim[last.j1 : last.j2]],
    )
    to_end = bool(here[1]) and there[0] == here[1] and not here[0] and not there[1]
    to_front = bool(here[0]) and there[1] == here[0] and not here[1] and not there[0]
    return (to_end or to_front) and not _NEGATORS & {*here[0], *here[1]}


def _of_edit(
    text: str,
    alignment: Alignment,
    reading: Reading,
    edit: Edit,
    ends: tuple[bool, bool],
    dropped: Counter[str],
    moved: Counter[str],
) -> Iterator[Difference]:
    own = range(edit.j1, edit.j2)
    said = [alignment.claim[j] for j in own]
    there = [alignment.order[i] for i in range(edit.i1, edit.i2)]
    room = edit.before + edit.after
    if ends[0] and not edit.i2 - edit.i1:
        said = [token for token in said if token.key not in _LEADS]
    if not said:
        titles = (source.keys for source in reading.sources if source.passage.field == "title")
        yield from _left_out(alignment, edit, there, room, frozenset().union(*titles))
        return
    if any(ends) and 0 < len(there) <= len(said) + LONGER:
        ends = (False, False)  # one stands for the other
    if not any(ends):
        there = [
            token for token in there if not token.inside or any(each.inside for each in said)
        ] or there
    if not any(ends) and _one_concept(said, there):
        yield Difference("soft", _written(text, alignment.claim, own), _words(there), room=room)
        return
    said, near = _reworded(said, there)
    if not said:
        if near:
            yield Difference("soft", _written(text, alignment.claim, own), _words(there), room=room)
        return
    shown = (
        there[-len(said) - 1 :]
        if ends[0]
        else there[: len(said) + (said[0].kind != there[0].kind)]
        if there
        else there
    )
    claim, source = _words(said), _words(shown)
    if (
        said[0].kind == "unit"
        and source
        and own[0]
        and alignment.claim[own[0] - 1].kind == "number"
    ):
        number = alignment.claim[own[0] - 1].text
        claim, source = f"{number} {claim}", f"{number} {source}"
    keys, gone = {token.key for token in said}, {token.key for token in there}
    if not any(ends) or gone & _NEGATORS or keys & _NEGATORS:
        denied = (
            sum(token.key in _NEGATORS for token in said),
            sum(token.key in _NEGATORS for token in there) if not any(ends) else 0,
        )
        if denied[0] % 2 != denied[1] % 2:
            yield Difference("hard", claim, source, turns=True, room=room)
            return
    if _opposed(said, there):
        yield Difference("hard", claim, source, turns=True, room=room)
        return
    if all(dropped[key] for key in keys):  # it stands in the passage, but elsewhere
        swapped = bool(gone) and all(moved[token.key] for token in there) and not any(ends)
        sided = any(token.key == THAN for token in alignment.order) or any(
            token.kind == "number" for token in alignment.claim
        )
        crossed = THAN in keys and said[0].key != THAN
        counted = any(token.kind == "number" for token in said) and (
            not any(ends) or all(token.kind != "word" for token in said)
        )
        grave: Level = "hard" if (swapped and sided) or crossed or counted else "soft"
        yield Difference(grave, claim, source, turns=grave == "hard", room=room, moved=True)
        return
    if not any(ends) and gone & _UNSAYING and not keys & (_UNSAYING | _NEGATORS):
        yield Difference("hard", claim, source, turns=True, room=room)
        return
    if keys <= _HEDGES or _reports(said, there):
        yield Difference("soft", claim, source, room=room)
        return
    added = any(ends) or not there
    if added and not keys & _UNIVERSAL and _stands_elsewhere(said, reading):
        yield Difference("soft", claim, source, room=room)
        return
    yield Difference("hard", claim, source, room=room)


def _one_concept(said: Sequence[Token], there: Sequence[Token]) -> bool:
    """Return whether both are names of one heading of MeSH, whose entry terms are not all exact
    ("cancer", "benign neoplasm").
    """
    words = all(token.kind == "word" for token in (*said, *there))
    return (
        words
        and bool(there)
        and descriptor_of(_words(said)) is not None
        and same_concept(_words(said), _words(there))
    )


def _stands_elsewhere(said: Sequence[Token], reading: Reading) -> bool:
    """Return whether a sentence of the article holds the tokens in their order, numbers right
    before what they count there.
    """
    wanted = [token.key for token in said]
    for source in reading.sources:
        if not source.keys.issuperset(wanted):
            continue
        keys = [token.key for token in source.tokens]
        at = 0
        for place, key in enumerate(wanted):
            if key not in keys[at:]:
                break
            found = keys.index(key, at)
            if place and said[place - 1].kind == "number" and found > at:
                break
            at = found + 1
        else:
            return True
    return False


def _reports(said: Sequence[Token], there: Sequence[Token]) -> bool:
    """Return whether one word, by its form a verb or adverb that names nothing, stands for at most
    one other: "experienced" for "had".
    """
    if (
        len(said) != 1
        or len(there) > 1
        or said[0].kind != "word"
        or not _VERBAL.search(said[0].text.lower())
    ):
        return False
    own, others = said[0].key, {token.key for token in there}
    if (
        own in _TELLING
        or others & (_TELLING | _NEGATORS | _LIMITS)
        or any(token.kind != "word" for token in there)
    ):
        return False
    return not any(own.endswith(other) or other.endswith(own) for other in others)


def _reworded(said: list[Token], there: Sequence[Token]) -> tuple[list[Token], bool]:
    """The tokens that are no rewording of any in the source, and whether one was a rewording that
    only comes near.
    """
    kept: list[Token] = []
    near = False
    for token in said:
        others = [other.key for other in there if other.kind == token.kind]
        if token.key in others or (
            token.key in _PEOPLE and (any(o in _PEOPLE for o in others) or not there)
        ):
            continue
        if token.kind == "word" and any(
            token.key in group and other in group for group in _REWORDED for other in others
        ):
            near = True
            continue
        alternatives = (
            synonym_stems().get(token.key, frozenset()) - _NO_SYNONYMS
            if token.key not in _NO_SYNONYMS
            else frozenset()
        )
        if token.kind == "word" and not alternatives.isdisjoint(others):
            near = True
            continue
        kept.append(token)
    return kept, near


def _left_out(
    alignment: Alignment, edit: Edit, there: Sequence[Token], room: int, title: frozenset[str]
) -> Iterator[Difference]:
    """Yield what the claim left out of its passages, where that matters; ``title`` holds the keys
    of the article's title.
    """
    if not there:
        return
    owner = alignment.owner
    parts: list[tuple[Sequence[Token], bool, bool, int]] = []
    start = edit.i1
    while start < edit.i2:
        stop = start
        while stop < edit.i2 and owner[stop] == owner[start]:
            stop += 1
        first_of = start == 0 or owner[start - 1] != owner[start]
        last_of = stop == len(owner) or owner[stop] != owner[start]
        parts.append((alignment.order[start:stop], first_of, last_of, owner[start]))
        start = stop
    for part, first_of, last_of, which in parts:
        passage = alignment.sources[which].text
        if first_of and last_of:
            continue
        if _turned_at_edge(part[:EDGE] if last_of else part[-EDGE:], part):
            yield Difference(
                "hard", "", _words(part[:EDGE] if last_of else part[-EDGE:]), turns=True, room=room
            )
        elif _left_open(
            part,
            passage,
            alignment.order[edit.i2].start if first_of else alignment.order[edit.i1 - 1].end,
            first_of,
        ) or (
            last_of
            and {token.key for token in part} & _LIMITS
            and not _GOES_ON.match(passage[alignment.order[edit.i1 - 1].end :])
        ):
            yield Difference("hard", "", _words(part), room=room)
        elif last_of:
            if not _may_end(passage, alignment.order[edit.i1 - 1].end if edit.i1 else 0):
                yield Difference(_grave(part, title), "", _words(part), room=room)
        elif first_of:
            if not {token.key for token in part} <= _LEADS and not _may_begin(
                passage, part[0].start, alignment.order[edit.i2].start
            ):
                yield Difference(_grave(part, title), "", _words(part), room=room)
        else:
            yield from _inner(part, passage, room, title)


def _grave(part: Sequence[Token], title: frozenset[str]) -> Level:
    """Return how grave it is to leave words out: they may say that it was found of a part of the
    people, unless all were such people.
    """
    keys = {token.key for token in part if not token.inside}
    people = bool(keys & (_PEOPLE | _GROWN))
    parting = (keys & _PART_OF_THEM) | (keys & _PARTING if people else frozenset())
    return "hard" if parting and not parting & title else "soft"


def _left_open(part: Sequence[Token], passage: str, seam: int, first: bool) -> bool:
    """Return whether what was left out before or after the ``seam`` says, in the same clause, that
    the rest is not known to be so.
    """
    if not first:
        return any(token.key in _UNSAYING for token in part[:EDGE]) and not _GOES_ON.match(
            passage[seam:]
        )
    telling = [token for token in part if token.key in _OPENING_UNSAYS and not token.inside]
    if not telling or _may_begin(passage, part[0].start, seam):
        return False
    conditional = part[0].key in ("if", "unless")
    return conditional or re.search(r"[,;:]", passage[telling[-1].end : seam]) is None


def _turned_at_edge(edge: Sequence[Token], part: Sequence[Token]) -> bool:
    """Return whether what was left out right beside the aligned stretch denies it."""
    return any(token.key in _NEGATORS for token in edge) and not all(token.inside for token in part)


def _inner(
    part: Sequence[Token], passage: str, room: int, title: frozenset[str]
) -> Iterator[Difference]:
    keys = {token.key for token in part}
    turning = [token for token in part if token.key in _NEGATORS]
    if part[-1].key in _LIMIT_SIGNS:  # the number after it stays
        yield Difference("hard", "", _words(part), room=room)
        return
    if all(token.inside for token in part) and not _TURNING.search(
        passage[part[0].start : part[-1].end]
    ):
        if _CHANCE.search(passage[part[0].start : part[-1].end]) and not _NO_EFFECT.search(
            passage[: part[0].start]
        ):
            yield Difference("soft", "", _words(part), room=room)
        return
    if len(turning) % 2:
        yield Difference("hard", "", _words(part), turns=True, room=room)
    elif keys & (_LIMITS | _UNSAYING):
        yield Difference("hard", "", _words(part), room=room)
    elif keys <= _WEAK - _HEDGES and not _denied(passage, part[0].start):
        return
    else:
        yield Difference(_grave(part, title), "", _words(part), room=room)


def _denied(passage: str, place: int) -> bool:
    return _TURNING.search(passage[max(0, place - 40) : place]) is not None


def _may_end(passage: str, end: int) -> bool:
    """Return whether a sentence may be quoted up to ``end``: only a bracket or a further clause
    follows.
    """
    rest = passage[end:]
    if not _NO_EFFECT.search(passage[:end]) and (
        _UNDONE.search(rest) or ((own := _BRACKET.match(rest)) and _CHANCE.search(own.group()))
    ):
        return False
    while (bracket := _BRACKET.match(rest)) is not None and not _TURNING.search(bracket.group()):
        rest = rest[bracket.end() :]
    rest = rest.lstrip(")]")
    goes_on = _GOES_ON.match(rest)
    return not rest.strip(" .") or (
        goes_on is not None and not _RESTRICTING.match(rest[goes_on.end() :])
    )


def _may_begin(passage: str, start: int, begin: int) -> bool:
    """Return whether a sentence may be quoted from ``begin``: a clause by itself, or only brackets,
    stand before.
    """
    before = passage[start:begin]
    return (
        re.search(r"(?:;|,\s(?:but|whereas|while|although|and)|:)\s[^;:,]*\Z", before) is not None
    )


def _opposed(said: Sequence[Token], there: Sequence[Token]) -> bool:
    mine = {change for token in said for change in _changes(token.text)}
    theirs = {change for token in there for change in _changes(token.text)}
    return any(other in _OPPOSITE.get(one, ()) for one in mine - theirs for other in theirs - mine)


@lru_cache(maxsize=8192)
def _changes(word: str) -> tuple[Change, ...]:
    return tuple(cue.change for cue in cues(word))


def _words(tokens: Sequence[Token]) -> str:
    return " ".join(dict.fromkeys(token.text for token in tokens))


def _written(text: str, claim: Sequence[Token], own: Sequence[int]) -> str:
    return text[claim[own[0]].start : claim[own[-1]].end]
