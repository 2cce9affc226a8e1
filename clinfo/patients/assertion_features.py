"""The features of a mention for the learned judge of `clinfo.patients.assertion`.

Words, pairs and threes of words on either side with what parts them from the mention, and their
classes, also with the kind of the mention (a medicine, a procedure); punctuation, headings, and
whose name stands nearest; never a word of the mention itself. Other mentions are their kinds, and a
word that few sentences have is "_", so that names of diseases and medicines weigh nothing.
"""

import gzip
import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Container, Iterable
from functools import cache
from pathlib import Path

from clinfo.patients.assertion_cues import is_kin
from clinfo.patients.mentions import Mention

CLASSES = Path(__file__).with_name("word_classes.tsv.gz")
"""Classes of words alike in meaning, so that what is learned of one word serves its kind. A class a
line: the number of the wider class that it belongs to, a tab, its words. Made from
the vectors of wordllama 0.4 (MIT licence).
"""
FAR = 12
"""Words on either side that are looked at, of unknown ones in a row the first."""
FARTHEST = 60
"""Words on either side, all of them counted, beyond which none is looked at."""
_WORDS = re.compile(
    r"\b[A-Za-z]/[A-Za-z]{1,2}\b|\d+|[øØ]|(?:(?![øØ_])[^\W\d])+(?:['’][^\W\d_]+)?|\n|[^\w\s]"
)
_HYPHEN = re.compile(r"(?<=\w)[-‐](?=\w)")
_YEAR = re.compile(r"(?:19|20)\d\d")
_BREAKS = {**dict.fromkeys(":()–—→+-=>[]•*✓⊘", 1), **dict.fromkeys(",/&", 2)}
_BREAKS |= dict.fromkeys(";.?!|", 3)
_OUTSIDE = 4
"""The distance of a word from the mention: none (0), a link, a comma, a stop, a sentence's end."""
_PATIENT = re.compile(
    r"(?:patient|pt)(?:['’]s)?|s?he|i|him|herself|himself|myself|me|we|they", re.IGNORECASE
)
_CLASSED = 10
"""Words on either side whose classes are looked at."""
_BESIDE = 2
"""Of these, those whose place counts, so that the head of a name is known ("stroke leaflet")."""
_NEAR = 4
"""Of these, those whose narrow classes are taken in pairs."""
_THREES = 6
"""Words on either side that are taken in threes."""
_OPENING = 6
"""Words that a sentence begins with, which bear on a long list to its end ("a history of …")."""
_ANSWERS = 3
"""Words between a mention and a question mark up to which what follows is an answer."""
_KINDS = {
    **dict.fromkeys(("drug or substance", "drug class", "diet"), "@drug"),
    **dict.fromkeys(("diagnostic procedure", "procedure", "surgery", "treatment"), "@done"),
    **dict.fromkeys(("device", "result"), "@done"),
    **dict.fromkeys(("anatomy", "organism"), "@thing"),
    **dict.fromkeys(("behaviour", "mental", "care"), ""),
}
"""What stands for a mention by its first semantic type, of those that are no state; "" where its
words stand for themselves ("fears", "screening").
"""


@cache
def word_classes() -> dict[str, tuple[str, str]]:
    """The class and the wider class of each word in small letters."""
    lines = gzip.decompress(CLASSES.read_bytes()).decode().split("\n")
    found = {}
    for number, line in enumerate(lines):
        wide, _, words = line.partition("\t")
        found.update(dict.fromkeys(words.split(), (f"f{number}", f"w{wide}")))
    return found


def _kind(mention: Mention) -> str:
    return _KINDS.get(mention.types[0], "@state") if mention.types else "@state"


class Line:
    """The words of [start, end) of a text in small letters, with the place of each; a mention is
    one word, its kind.
    """

    def __init__(
        self,
        text: str,
        start: int,
        end: int,
        known: Container[str] | None,
        mentions: Iterable[Mention] = (),
    ) -> None:
        self.start, self.end = start, end
        self.words: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        named = iter(mentions)
        mention, within = next(named, None), None
        for match in _WORDS.finditer(text, start, end):
            word, place = match.group(), match.start()
            while mention and mention.end <= place:
                mention = next(named, None)
            if mention and mention.start <= place and (kind := _kind(mention)):
                if within is mention:
                    self.ends[-1] = match.end()
                    continue
                within, word = mention, kind
            elif word in "-‐" and _HYPHEN.match(text, place):
                continue
            elif word[0].isdecimal():
                word = "year" if _YEAR.fullmatch(word) else "0"
            elif word == "\n":
                word = "¶"
            self.words.append(word.lower().replace("’", "'"))
            self.starts.append(place)
            self.ends.append(match.end())
        self.full = self.words
        self.colons = [at for at, word in enumerate(self.words) if word == ":" and at]
        if known is not None:
            self.words = [
                word if not word[0].isalpha() or word in known else "_" for word in self.full
            ]


def features(
    line: Line, mention: Mention, sentence: tuple[int, int], section: str, head: Line
) -> Collection[str]:
    """The features of a mention in a sentence [start, end) of a line, under a section's kind, with
    the line that heads its list; each once, in the same order in every process.
    """
    words, before, own = line.words, bisect_right(line.ends, mention.start), _kind(mention)
    after = bisect_right(line.starts, mention.end - 1, before)
    found: list[str] = [f"in {section}", own, f"in {own}{section}"]
    for side, at in (("<", before - 1), (">", after)):
        _one_side(line, side, at, sentence, own, found)
        _classes(line, side, at, sentence, own, found)
    first = bisect_left(line.starts, sentence[0])
    found += [f"opens {word}" for word in words[first : min(first + _OPENING, before)]]
    _answer(line, after, found)
    further, left = ["^", "^", *words[:before]][-2:]
    right, beyond = [*words[after : after + 2], "$", "$"][:2]
    found += [f"ab {left}|{right}", f"ab {further} {left}|{right}", f"ab {left}|{right} {beyond}"]
    if of := bisect_left(line.colons, before):
        _heading(line, line.colons[of - 1], found)
    elif head.colons:
        _heading(head, head.colons[-1], found)
    return dict.fromkeys(found)


def _one_side(
    line: Line, side: str, at: int, sentence: tuple[int, int], own: str, found: list[str]
) -> None:
    """Put what stands on one side of a mention, from the word at a place on, into ``found``."""
    add, step = found.append, -1 if side == "<" else 1
    level, seen, between, last, last_but_one = 0, 0, 0, "T", "T"
    who = ""
    furthest = at + step * FARTHEST
    while 0 <= at < len(line.words) and seen < FAR and at != furthest:
        word, full, place = line.words[at], line.full[at], line.starts[at]
        at += step
        if not sentence[0] <= place < sentence[1]:
            level = _OUTSIDE
        elif word in _BREAKS and level < _OUTSIDE:
            if not level:
                add(f"p{side}{word}")
            level = max(level, _BREAKS[word])
        if word == last == "_":
            continue
        seen += 1
        if word not in ",_":
            add(f"{side}{level}{word}")
            add(f"{side}{word}")
            add(f"{own}{side}{word}")
            add(f"{side}m{min(between, 2)}{word}")
        between += word[0] == "@"
        person = "KIN" if is_kin(full) else "PT" if _PATIENT.fullmatch(full) else ""
        if person:
            add(f"{side}{level}{person}")
            if not who:
                who = person
                add(f"subj{side}{person}{level}")
        pair = f"{word} {last}" if side == "<" else f"{last} {word}"
        add(f"{side}b{'' if level < _OUTSIDE else level}{pair}")
        add(f"{own}{side}b{pair}")
        if seen <= _THREES:
            three = f"{pair} {last_but_one}" if side == "<" else f"{last_but_one} {pair}"
            add(f"{side}t{three}")
        last_but_one, last = last, word
    if not who:
        add(f"subj{side}none")
    if not seen:
        add(f"edge{side}")


def _classes(
    line: Line, side: str, at: int, sentence: tuple[int, int], own: str, found: list[str]
) -> None:
    """Put the classes of the words on one side, singly and in pairs, into ``found``."""
    step, level, last = -1 if side == "<" else 1, 0, ("T", "T")
    known = word_classes()
    for seen in range(_CLASSED):
        if not 0 <= at < len(line.full):
            break
        word = line.full[at]
        if not sentence[0] <= line.starts[at] < sentence[1]:
            level = _OUTSIDE
        else:
            level = max(level, _BREAKS.get(word, 0))
        kinds = known.get(word, (word, word) if not word[0].isalpha() else ("_", "_"))
        for number, kind in enumerate(kinds):
            if kind != "_":
                found.append(f"{side}{level}k{number}{kind}")
                found.append(f"{own}{side}k{number}{kind}")
                if seen < _BESIDE:
                    found.append(f"{side}kp{seen}{kind}")
                if number or seen < _NEAR:
                    found.append(f"{side}kb{number}{kind} {last[number]}")
        last = kinds
        at += step


def _answer(line: Line, after: int, found: list[str]) -> None:
    """Put the first word of the answer into ``found`` where the mention ends a question."""
    words = line.words[after : after + _ANSWERS + 1]
    if "?" in words:
        rest = line.full[after + words.index("?") + 1 : after + words.index("?") + 4]
        said = next((word for word in rest if word[0].isalnum()), "")
        found.append(f"answer {said}")


def _heading(line: Line, colon: int, found: list[str]) -> None:
    """Put the last two words before a colon into ``found``."""
    name: list[str] = []
    for at in range(colon - 1, -1, -1):
        if line.words[at] in _BREAKS or len(name) == 2:
            break
        name.insert(0, line.words[at])
        found.append(f"h {line.words[at]}")
    found.append(f"h {' '.join(name)}")
