"""Detects patient identifiers in a question before it leaves the machine: found offline, by rules
and a small fitted score.

Names, record numbers, national ids, telephone numbers, e-mail and street addresses and full dates
of birth. Ages, years, wards and clinicians' names are none: they do not single out a patient by
themselves. A name that nothing beside it gives away, and that is none of those listed, may pass
unseen.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence

from clinfo.errors import IdentifiersFound
from clinfo.privacy.contacts import contacts, study_numbers
from clinfo.privacy.national_ids import national_ids
from clinfo.privacy.person_names import person_names, tagged_persons
from clinfo.records.articles import Identifier, RunRequest

HOW_TO_GO_ON = "Nothing was sent. Remove it and ask again, or allow it (--allow-identifiers)."

_STRENGTH = (
    "e-mail",
    "date of birth",
    "national id",
    "record number",
    "telephone",
    "address",
    "name",
)
"""The kinds by certainty, for a stretch that several rules found; the surest first."""


def identifiers(text: str) -> tuple[Identifier, ...]:
    """Return what seems to identify a patient in ``text``, as code points, in order, never
    overlapping.
    """
    found = [*national_ids(text), *contacts(text), *person_names(text)]
    if not found:
        return ()
    studies, authors = study_numbers(text), tagged_persons(text)
    harmless = {"name": authors, "date of birth": (), "e-mail": ()}
    kept = [one for one in found if not _within(text, one, harmless.get(one.kind, studies))]
    return tuple(_joined(kept))


_OF_A_PATIENT = ("date of birth", "national id", "record number")


def in_paper(text: str) -> tuple[Identifier, ...]:
    """Return what in the text of a paper can only be a patient's, as `identifiers` does: papers
    name people, places and addresses of their own.
    """
    studies = study_numbers(text)
    found = [
        one
        for one in (*national_ids(text), *contacts(text))
        if one.kind in _OF_A_PATIENT
        and not _within(text, one, () if one.kind == "date of birth" else studies)
    ]
    return tuple(_joined(found))


def _within(text: str, one: Identifier, spans: Sequence[tuple[int, int]]) -> bool:
    """Return whether a find is explained by the first of ``spans`` that it overlaps: fewer than
    five digits of it stand outside. The spans are in order and apart from each other.
    """
    place = bisect_right(spans, one.start, key=lambda span: span[1])
    if place == len(spans) or spans[place][0] >= one.end:
        return False
    start, end = spans[place]
    outside = text[one.start : max(one.start, start)] + text[min(end, one.end) : one.end]
    return sum(sign.isdigit() for sign in outside) < 5


def _joined(found: Sequence[Identifier]) -> list[Identifier]:
    """Overlapping finds as one stretch, which has the surest kind among them."""
    joined: list[Identifier] = []
    for one in sorted(found, key=lambda one: (one.start, one.end)):
        if joined and one.start < joined[-1].end:
            last = joined[-1]
            kind = min(last.kind, one.kind, key=_STRENGTH.index)
            joined[-1] = Identifier(last.start, max(last.end, one.end), kind)
        else:
            joined.append(one)
    return joined


_ANNOUNCED = re.compile(
    (
        r"(?P<who>\bwho )?(?:\b(?:(?:his|her|their|my|our|the|a)\s)?(?:daughter's |son's |"
        r"patient's |wife's |husband's )?"
        r"(?:tel(?:ephone)?|phone|mobile|cell|e-?mail|fax|home address|address|adresse|post ?code|"
        r"zip(?: code)?|postal code|contact"
        r"|re|ref|regarding"
        r"|(?:call|ring|text|phone|contact|reach|email|write to) (?:me|us|him|her|them)|(?:i |she |"
        r"he "
        r")?can be (?:reached"
        r"|contacted)|(?:send|mailed?) to"
        r"|(?:she |he )?(?:lives?|lived|resides?|living|residing)|initials)"
        r"(?: ?(?:numbers?|no\.?|nr\.?|#))?(?:(?: is| was| at| on| in| via| under| "
        r"to)(?=\W))?[\s:#=,(-]*)\Z"
    ),
    re.IGNORECASE,
)
_NAME_ANNOUNCED = re.compile(
    (
        r",?\s*\b(?:(?:is |was |who is )?(?:named|called)|initials|like|re|ref|regarding|"
        r"for)[\s:,(]*\Z|(?:\b(?:my|her|his|their"
        r"|(?:the )?patient'?s?) )?"
        r"\bname(?: is|:)?[\s:]*\Z"
    ),
    re.IGNORECASE,
)
_NAME_IS = re.compile(r"\bname(?: is|:)?[\s:]*\Z", re.IGNORECASE)
_PREPOSITION = re.compile(
    r"\s*\b(?:with|on|at|under|of|for|to|from|in|by|whose|is|has)\s*\Z", re.IGNORECASE
)
_PERSON_BEFORE = re.compile(
    (
        r"\b(?:patient|pt|client|woman|man|boy|girl|child|baby|infant|lady|gentleman|uncle|aunt|"
        r"mother|father|daughter|son|wife"
        r"|husband|"
        r"brother|sister|friend|colleague|patiente|paciente)s?\.?[\s:,(]*\Z"
    ),
    re.IGNORECASE,
)
_EMPTY_BRACKETS = re.compile(r"\([\s\x00\x01,;:-]*\)|\[[\s\x00\x01]*\]")
_SPACE_BEFORE_MARK = re.compile(r"\s+([,;:.?!)])")
_MARKS_IN_A_ROW = re.compile(r"[,;:(–—-][\s,;:–—-]*([,;:.?!])")
_STUMP = re.compile(r"(?<=[.?!])[^.?!]*\x00[^.?!]*(?:[.!]|\Z)|\A[^.?!]*\x00[^.?!]*[.!](?=.)")
_SAYING_NOTHING = frozenset(
    """
    a an and are at be by call can contact daughter email for he her his husband i is it mail me my
    no number of on or our patient patients please reach reached s send she son text the their there
    they this to under us was we wife with you
    """.split()  # noqa: SIM905
)


def without(text: str, found: Sequence[Identifier]) -> str:
    """``text`` without the stretches ``found`` and the words that announced them, made a tidy
    sentence again.

    A name gives way to "the patient" where the sentence needs somebody, to nothing where it says
    "my patient" anyway. A statement of which nothing else is left ("Call me on …") goes as a whole;
    a question never does. What seems to identify somebody in the words left is cut out too, so that
    nothing does in the end.
    """
    left = _reworded(text, found)
    while again := identifiers(left):
        edges = [0, *(edge for one in again for edge in (one.start, one.end)), len(left)]
        left = _tidy(
            " ".join(left[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True))
        )
    return left


def _reworded(text: str, found: Sequence[Identifier]) -> str:
    pieces: list[str] = []
    end = 0
    for one in sorted(found, key=lambda one: one.start):
        before = "".join([*pieces, text[end : max(end, one.start)]])
        end = max(end, one.end)
        if one.kind == "name":
            introduced = _NAME_IS.search(before)
            before, stand_in = _unnamed(before, text[one.start : one.end])
            following = re.match(r"\s+and (?:s?he|they)\b", text[end:])
            end += following.end() if introduced and following else 0
        else:
            announced = _ANNOUNCED.search(before)
            before = _PREPOSITION.sub("", before[: announced.start()] if announced else before)
            stand_in = " \x00"
            following = re.match(r"\s+and\b", text[end:])
            if announced and announced["who"] and following:
                before, end = f"{before} who", end + following.end()
        pieces = [before, stand_in]
    return _tidy("".join([*pieces, text[end:]]))


def _unnamed(before: str, name: str) -> tuple[str, str]:
    """(what stood before a name, without the words that announced it; what stands for the name)."""
    announced = _NAME_ANNOUNCED.search(before)
    left = before[: announced.start()] if announced else before
    if _PERSON_BEFORE.search(left):
        return left, "\x01"
    if announced and "for" in announced.group().lower():
        left = before
    owned = "'s" if re.search(r"['’]s\Z", name) else ""
    several = "s" if re.search(r" (?:and|&) ", name) else ""
    return left, f" the patient{several}{owned}"


def _says_something(sentence: str) -> bool:
    return any(word.lower() not in _SAYING_NOTHING for word in re.findall(r"\w+", sentence))


def _tidy(text: str) -> str:
    text = _EMPTY_BRACKETS.sub("", text)
    text = _STUMP.sub(lambda match: match.group() if _says_something(match.group()) else " ", text)
    text = " ".join(text.replace("\x00", " ").replace("\x01", " ").split())
    text = _SPACE_BEFORE_MARK.sub(r"\1", text)
    text = _MARKS_IN_A_ROW.sub(
        lambda match: (
            match[1] if match[1] in ".?!" else match.group().rstrip()[0].replace("(", ",")
        ),
        text,
    )
    text = re.sub(r"([.?!])\s*[,;:]", r"\1", text)
    text = re.sub(r"\A(?:\W|and\b|with\b)+(?=\w)", "", text).rstrip(" ,;:(–—-")
    return text if re.match(r"[a-z]{1,3}[A-Z]", text) else text[:1].upper() + text[1:]


def told(found: Sequence[Identifier], where: str = "question") -> str:
    """One line that names the kinds found and where they stand, never what they say; "" where
    nothing was found.
    """
    if not found:
        return ""
    places = ", ".join(
        f"{_with_article(one.kind)} (characters {one.start + 1} to {one.end})" for one in found
    )
    return f"The {where} seems to identify a patient: {places}."


def of_request(request: RunRequest) -> dict[str, str]:
    """Return what a person wrote and a run would send, by name: the question, "query 1" …, the
    filter, "prompt synthesis" …
    """
    texts = {"question": request.question} | {
        f"query {place}": text for place, text in enumerate(request.own_queries, 1)
    }
    if request.filter:
        texts["filter"] = request.filter
    return texts | {f"prompt {name}": _sent(text) for name, text in request.prompts.items()}


def in_request(request: RunRequest) -> dict[str, tuple[Identifier, ...]]:
    """Return what identifies a patient in the texts `of_request`; texts without any are left
    out.
    """
    return {
        where: found for where, text in of_request(request).items() if (found := identifiers(text))
    }


def refuse(request: RunRequest) -> None:
    """Raise IdentifiersFound for the first text of a request that seems to identify a patient,
    unless the request allows it.
    """
    if not request.allow_identifiers:
        refuse_texts(of_request(request))


def refuse_texts(texts: Mapping[str, str], how_to_go_on: str = HOW_TO_GO_ON) -> None:
    """Raise IdentifiersFound for the first of some texts, by what they are, that seems to identify
    a patient.
    """
    for where, text in texts.items():
        if found := identifiers(text):
            raise IdentifiersFound(
                f"{told(found, where)} {how_to_go_on}",
                where=where,
                spans=[(one.start, one.end) for one in found],
                kinds=[one.kind for one in found],
            )


def _sent(prompt: str) -> str:
    """A prompt's text with blanks for its leading comments, which no model is shown."""
    return "".join(_blanked(prompt.splitlines(keepends=True)))


def _blanked(lines: Sequence[str]) -> Iterator[str]:
    leading = True
    for line in lines:
        leading = leading and (line.startswith("#") or not line.strip())
        yield " " * len(line) if leading else line


def _with_article(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"
