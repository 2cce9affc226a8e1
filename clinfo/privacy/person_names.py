"""Names of persons asked about in a text: each word that may be a name is weighed by what it may be
and by what stands beside it.

What a word may be is told by the lexicon (`clinfo.terms.lexicon`): a given name, a surname, a word
of medicine or of everyday English, or nothing known. Beside it count words for patients and kin,
titles, ages, verbs of persons, and on the other side things named after their finders, studies and
clinicians. The weights are those of a logistic regression (`clinfo.privacy.name_weights`, fitted by
`benchmarks.own.fit_names`). A clinician's name makes no identifier: whom a question cites is not
whom it is about.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from clinfo.privacy.name_cues import CUES, PARTICLES
from clinfo.privacy.name_weights import name_weights
from clinfo.privacy.sign_names import pieces
from clinfo.records.articles import Identifier
from clinfo.terms.lexicon import EVERYDAY, GIVEN, MEDICAL, SURNAME, flags

KIND = "name"
THRESHOLD = 0.7
"""Least probability of a word to be taken for a name."""
BESIDE = 0.2
"""Least probability right beside a name."""
_LETTER = r"(?:[^\W\d_]|[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-\u109f])"
_INSIDE = _LETTER.replace(r"\d", "")
_TOKEN = re.compile(
    r"(?P<initials>(?<![\w'’-])[A-ZÀ-Þ]\.(?:[ -]?[A-ZÀ-Þ]\.(?!\w))*(?!\w)|"
    r"(?<![\w'’-])[A-ZÀ-Þ](?![\w'’-]))"
    rf"|(?P<word>(?<!\w){_LETTER}{_INSIDE}*(?:[’'-](?![sS]\b){_INSIDE}+)*)|(?P<owner>[’'][sS]\b)"
    r"|(?P<number>\d[\w./-]*)|(?P<mark>[^\s\w])"
)
_THAI_TITLE = re.compile(r"(?:นางสาว|นาง|นาย|คุณ)(?=[\u0e00-\u0e7f]{3})")
"""Titles that Thai writes on the name."""
_SIGNS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Signs of scripts that set no spaces between words, or write a name in two to four of them."""
_AGE = re.compile(
    r"\d{1,3}-?(?:[mMfF]|[yY]/?[oO]?[mMfF]?|yrs?|years?|mo|wk|weeks?|months?)(?:-.*)?\Z"
)
_DATE = re.compile(r"\d{1,2}[./-]\d{1,2}[./-](?:(?:19|20)\d\d|\d\d)\Z")
_MEDICAL_ENDING = re.compile(
    r"(?:itis|osis|emia|aemia|oma|pathy|graphy|gram|scopy|metry|logy|tion|ness|ity|mab|nib|pril|"
    r"sartan|statin|olol|azole|cillin"
    r"|mycin|parin|xaban|gliptin|flozin|glutide|prazole|triptan|setron|cept|vir|caine|azepam|idine|"
    r"amide|ine|ide|one|ate|ol|ase"
    r"|ism|ics?|al|ous|ing|ed|ly|ment|ular|ive|able|ant|ent|oid|gen|lin)s?\Z"
)
_PERSON_TAG = re.compile(
    (
        r"\[\s{0,3}(?:1au|au(?:th(?:or)?)?|fau|lastau|ir|fir|ps|author ?-? ?(?:first|last|full|"
        r"corporate|identifier)?|full author name"
        r"|first author name|last author name|investigator|full investigator name|personal name as "
        r"subject)(?: ?- ?\w{1,12})?\s{0,3}\]"
    ),
    re.IGNORECASE,
)
_TERM_EDGE = re.compile(r"[\[\]()\";:\n]|\b(?:AND|OR|NOT)\b")
_LONGEST_TERM = 200
_BIRTH = re.compile(
    r"[ ,(]{1,3}(?P<date>\d{1,2} ?[./-] ?\d{1,2} ?[./-] ?(?:(?:19|20)\d\d|\d\d)(?![\w./-]))"
)
_SHORTENED = frozenset(["title", "clinician", "patient"])
"""Kinds of words that may be abbreviated: the mark behind "Mr" ends no sentence."""


class Token(NamedTuple):
    """A word, a number or a mark of a text. ``kind`` says what it is to its neighbours, ``own``
    what it may be itself ("" where it can be no name)."""

    start: int
    end: int
    text: str
    kind: str
    own: str


def person_names(text: str) -> Iterator[Identifier]:
    """The names found, in order, apart from each other, each with its title; a date right behind
    one is one of birth.
    """
    tokens = tokens_of(text)
    chances = {place: _chance(features) for place, features in candidates(tokens)}
    names = {place for place, chance in chances.items() if chance >= THRESHOLD}
    for step in (1, -1):
        for place in sorted(names, reverse=step < 0):
            while (
                following := _beside(text, tokens, chances, place, step)
            ) is not None and following not in names:
                place = following
                names.add(place)
    end = 0
    for place in sorted(names):
        if tokens[place].start < end:
            continue
        last = place
        while (following := _continued(text, tokens, names, last)) is not None:
            last = following
        if (
            last + 1 < len(tokens)
            and tokens[last + 1].kind == "thing"
            and tokens[last + 1].text.istitle()
        ):
            continue  # "Robert Koch Institute"
        first = place
        while first and tokens[first - 1].kind in ("title", "particle"):
            first -= (
                3
                if [one.kind for one in tokens[max(0, first - 3) : first]]
                == ["title", "and", "title"]
                else 1
            )
        last += last + 1 < len(tokens) and tokens[last + 1].kind == "owner"
        end = tokens[last].end
        yield Identifier(tokens[first].start, end, KIND)
        if birth := _BIRTH.match(text, end):
            yield Identifier(*birth.span("date"), "date of birth")


def _beside(
    text: str, tokens: Sequence[Token], chances: Mapping[int, float], place: int, step: int
) -> int | None:
    """The place of a further word of the name that the word at ``place`` belongs to; None where
    there is none.
    """
    for other in (place + step, place + 2 * step, place + 3 * step):
        if other in chances:
            likely = chances[other] >= BESIDE or (
                tokens[other].kind[:2] in ("wn", "wm") and not tokens[other].text.islower()
            )
            return other if likely and _apart(text, tokens, place, other) else None
    return None


def _continued(text: str, tokens: Sequence[Token], names: set[int], place: int) -> int | None:
    """Return where the next word of the same name stands; None where it ends."""
    for following in range(place + 1, min(place + 4, len(tokens))):
        if following in names and _apart(text, tokens, place, following):
            return following
    return None


def _apart(text: str, tokens: Sequence[Token], one: int, other: int) -> bool:
    """Return whether only spaces, a comma, a hyphen or particles stand between two words."""
    first, second = sorted((one, other))
    if any(
        token.kind != "particle" and token.text not in (",", "-", ".")
        for token in tokens[first + 1 : second]
    ):
        return False
    return "\n" not in text[tokens[first].end : tokens[second].start]


def tokens_of(text: str) -> list[Token]:
    """The words, numbers and marks of ``text``, in order."""
    found: list[Token] = []
    for match in _TOKEN.finditer(text):
        word, which = match.group(), match.lastgroup
        signs = which == "word" and not word.isascii() and _SIGNS.match(word)
        parts = list(pieces(word)) if signs else ()
        if parts and any(kind != "xlong" for *_, kind in parts):
            for start, end, kind in parts:
                own = kind if kind == "xsure" else ""
                found.append(
                    Token(match.start() + start, match.start() + end, word[start:end], kind, own)
                )
            continue
        if which == "word":
            kind, own = _word(word)
            if kind == "ms":
                kind = (
                    "title"
                    if (word != "MS" and word != "MR") or text[match.end() : match.end() + 1] == "."
                    else "wvA"
                )
        elif which == "initials":
            kind, own = (
                ("the", "")
                if word in ("A", "I")
                else ("initials", f"initials{word.count('.')}" if "." in word else "")
            )
            kind = "i" if word == "I" else kind
        elif which == "number":
            kind, own = _number(word), ""
        elif (
            word == "."
            and found
            and found[-1].end == match.start()
            and found[-1].kind in _SHORTENED
            and len(found[-1].text) < 5
        ):
            continue
        else:
            kind, own = ("owner" if which == "owner" else word), ""
        found.append(Token(match.start(), match.end(), word, kind, own))
    return found


def _number(word: str) -> str:
    if _AGE.match(word):
        return "age"
    if _DATE.match(word):
        return "date of birth"
    if not word.isdigit():
        return "0"
    years = "year" if len(word) == 4 and word[:2] in ("19", "20") else "0"
    return "number" if len(word) < 4 and int(word) <= 120 else years


@lru_cache(maxsize=8_192)
def _word(word: str) -> tuple[str, str]:
    """(what a word is to its neighbours, what it may be itself)."""
    small = word.lower()
    if any(sign.isdigit() for sign in word):
        return "code", ""
    if small in ("mr", "ms"):
        return "ms", ""
    if small in PARTICLES:
        return "particle", ""
    if (cue := CUES.get(small)) is not None:
        return ("query" if word in ("AND", "OR", "NOT") else cue), ""
    if not word.isascii() and _other_script(word):
        return _other_script(word), _other_script(word)
    what = flags(word)
    if "-" in word and not what:
        parts = [flags(part) for part in word.split("-")]
        what = 0
        for part in parts:
            what |= part
        if all(part & (MEDICAL | EVERYDAY) and not part & GIVEN for part in parts):
            what &= MEDICAL | EVERYDAY
        elif all(part & GIVEN for part in parts):
            what &= GIVEN | SURNAME
    shape = (
        "l"
        if word.islower()
        else "A"
        if word.isupper() and len(word) > 1
        else "C"
        if word.istitle()
        else "M"
    )
    name, vocabulary = what & (GIVEN | SURNAME), what & (MEDICAL | EVERYDAY)
    rough = (
        ("e" if what & EVERYDAY else "m" if vocabulary else "n")
        if name
        else "v"
        if vocabulary
        else "u"
    )
    if rough == "v" and shape == "l":
        return "wvl", ""
    return f"w{rough}{shape}", f"{what}{shape}"


def _other_script(word: str) -> str:
    """Return whether a word in another script has the form of a name there; "" for Latin letters
    and for single Greek ones.
    """
    first = word[0]
    if _SIGNS.search(word):
        family = 2 <= len(word) <= (3 if first >= "\uac00" else 5) and flags(first) & SURNAME
        return "xname" if family else "xshort" if len(word) <= 5 else "xlong"
    if first < "\u0370" or "\u1e00" <= first < "\u1f00" or len(word) < 2:
        return ""
    stems = [word[:-cut] for cut in (1, 2) if first.isupper() and len(word) > cut + 2]
    cases = (stem + ending for stem in stems for ending in ("", "а", "я", "й", "ь", "ς", "ης"))
    if any(flags(one) & (GIVEN | SURNAME) for one in (word, *cases)) or _THAI_TITLE.match(word):
        return "xname"
    return "xcapital" if first.isupper() else "xlow" if first.islower() else "xword"


def candidates(tokens: Sequence[Token]) -> Iterator[tuple[int, list[str]]]:
    """(place, features) of each word that may be a name, in order."""
    kinds = ["^", "^", *(token.kind for token in tokens), "$", "$"]
    counts = Counter(token.kind for token in tokens)
    words = [token.text[0] for token in tokens[1:] if token.kind[0] == "w"]
    whole = {
        "headline": len(words) > 3 and sum(map(str.isupper, words)) > 0.6 * len(words),
        "foreign": sum(n for kind, n in counts.items() if kind[0] == "x") > 0.5 * len(tokens),
        "strange": counts["wul"] + counts["wnl"] > 0.35 * len(tokens),
        "he": any(
            token.kind == "he" or token.text.lower() in ("his", "her") for token in tokens[:400]
        ),
    }
    traits = [what for what, true in whole.items() if true]
    cue, since_person, since_clinician = "", 99, 99
    for place, token in enumerate(tokens):
        if token.kind in ("kin", "patient", "called"):
            cue, since_person = token.kind, 0
        elif token.kind in ("clinician", "study", "query"):
            since_clinician = 0
        since_person += 1
        since_clinician += 1
        if not token.own:
            continue
        k = token.kind
        found = [*_features(token.own, *kinds[place : place + 5]), *_of_the_word(token.text, k)]
        if since_person <= 5:
            found.append(f"{k}~{cue}")
        if since_clinician <= 3:
            found += ["clinician", f"{k}clinician"]
        found += [f"{k}{what}" for what in traits]
        found += [f"{k}ahead{what}" for what in _AHEAD.intersection(kinds[place + 3 : place + 9])]
        if place and (before := tokens[place - 1]).own:
            found += [f"{_sort(before)}+", f"{_sort(before)}+{_sort(token)}"]
        if place + 1 < len(tokens) and (after := tokens[place + 1]).own:
            found += [f"+{_sort(after)}", f"{_sort(token)}+{_sort(after)}+"]
        yield place, found


_AHEAD = frozenset(["age", "old", "kin", "patient", "person", "he", "thing", "study"])


def _sort(token: Token) -> str:
    """A given name, a surname or neither, how sure it is one, and its shape."""
    if not token.own[0].isdigit():
        return token.own
    what = int(token.own[:-1])
    return f"{'g' if what & GIVEN else 's' if what & SURNAME else 'o'}{token.kind}"


@lru_cache(maxsize=8_192)
def _features(own: str, p2: str, p1: str, k: str, n1: str, n2: str) -> tuple[str, ...]:
    """Return what a word may be, and the kinds of itself and the two words before and behind it."""
    start = p1 in ("^", ".", "?", "!", ":")
    return (
        "",
        own,
        f"{own}/{start}",
        f"{k}/{start}",
        f"p1={p1}",
        f"n1={n1}",
        f"p2={p2}",
        f"n2={n2}",
        f"{k}<{p1}",
        f"{k}>{n1}",
        f"{p1}_{n1}",
        f"{p2}_{p1}",
        f"_{n1}_{n2}",
        f"{k}<{p1}<{p2}",
        f"{k}>{n1}>{n2}",
        f"{p1}_{k}_{n1}",
        f"{p1}_{k}_{n1}_{n2}",
    )


@lru_cache(maxsize=8_192)
def _of_the_word(word: str, kind: str) -> tuple[str, ...]:
    """Signs of a word: its ending, that it is short, that it has a hyphen."""
    true = {
        "ending": _MEDICAL_ENDING.search(word.lower()) is not None,
        "short": len(word) < 4,
        "hyphen": "-" in word,
    }
    return tuple(f"{what}{kind}" for what, so in true.items() if so)


def _chance(features: Sequence[str]) -> float:
    """Probability in [0, 1] that a word with these features is a name."""
    score = sum(filter(None, map(name_weights().get, features)))
    return 1 / (1 + math.exp(-max(-50.0, min(50.0, score))))


def tagged_persons(text: str) -> list[tuple[int, int]]:
    """Return where terms of a query stand that are tagged as names of authors: code points [start,
    end), in order.
    """
    spans: list[tuple[int, int]] = []
    for match in _PERSON_TAG.finditer(text):
        first = max(spans[-1][1] if spans else 0, match.start() - _LONGEST_TERM)
        term = text[first : match.start()].rstrip().removesuffix('"')
        edges = [edge.end() for edge in _TERM_EDGE.finditer(term)]
        spans.append((first + (edges[-1] if edges else 0), match.end()))
    return spans
