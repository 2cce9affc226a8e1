"""Criteria in words → logical form, by rules; what is not understood is asked back.

First what is said with figures and signs is read (`clinfo.pipelines.cohort.special`: ages, stages,
genes, …) and stands as one sign each; then names that hold a connective ("head and neck cancer");
then the text is cut at its connectives, the loosest first: ``before``/``after``, ``but not``, ``,``
with ``and``/``or``, ``with``/``who``. What is left between connectives is a name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from clinfo.pipelines.cohort.concepts import Concept
from clinfo.pipelines.cohort.facts import FactKind
from clinfo.pipelines.cohort.form import And, AtLeast, Before, Form, Has, Not, Or, When
from clinfo.pipelines.cohort.special import Signs, qualified, signs
from clinfo.terms.composed import is_listed
from clinfo.text.terms import FUNCTION_WORDS
from clinfo.text.words import key

_EDGES = FUNCTION_WORDS | {"patients", "patient", "no", "not", "but"}
_MOST = 4_000
_FLAGS = re.IGNORECASE
_LEAD = re.compile(
    r"^(?:please\s+|can you\s+|could you\s+|i (?:want|need|would like)(?: to (?:see|find))?\s+)*"
    r"(?:(?:find|show|list|give|get|identify|select|return|retrieve|search for|look for|count|"
    r"how many|which|what|who are|who)\b\s*)?(?:me\s+)?(?:all\s+)?(?:of\s+)?(?:the\s+)?", _FLAGS,
)  # fmt: skip
_PATIENTS = r"(?:patients?|people|persons?|individuals?|subjects?|those|cases|everyone|anyone)"
_FILLER = re.compile(
    rf"^(?:{_PATIENTS}|with|who|that|which|whose|have|has|had|having|been|being|are|is|was|were|a|"
    r"an|the|any|some|all|kind|type|form|forms|of|their|his|her|ever|currently|also|both|either|"
    r"documented|known|confirmed|histologically|diagnosed|diagnosis|diagnoses|suffering|suffer|"
    r"suffers|from|presenting|present|presented|experiencing|experienced|developed|evidence|"
    r"status|in|and|additionally|records?|did|do|does|at least one|there|affected|by|"
    r"exactly|specific|on|as|recorded|noted|reported|reporting|complaining|whom)\b[\s:]*", _FLAGS,
)  # fmt: skip
_TRAILING = re.compile(
    rf"\s*\b(?:{_PATIENTS}|(?:was|were|is|has been) (?:recorded|found|documented|diagnosed|noted|"
    r"seen|reported)|in the past|at any time|ever|documented|on record|in their (?:record|"
    r"history|notes))\s*[.?!]*$", _FLAGS,
)  # fmt: skip
_BEFORE = re.compile(
    r"\s+(?:(?P<within>within (?P<n>\d+|an?|one|two|three|four|five|six|twelve) (?P<unit>day|week|"
    r"month|year)s?)\s+)?(?:(?:came|occurred|happened|started|began|appeared|was (?:recorded|"
    r"diagnosed|noted))\s+)?(?P<word>before|preced(?:ed|ing)|prior to|earlier than|ahead of|"
    r"followed by|after|following|later than|subsequent to|of)\s+(?:(?:ever )?(?:having|getting|"
    r"developing|receiving|starting|being diagnosed with)\s+)?(?:(?:their|the|his|her|a|an)\b)"
    r"?\s*(?:(?:first|initial|"
    r"earliest)\b)?\s*(?:(?:diagnosis|onset|occurrence|episode|record|mention) of\s+)?", _FLAGS,
)  # fmt: skip
_BUT_NOT = re.compile(
    r"\s*,?\s+(?:(?:but|and|though|yet)\s+)?(?:(?:who|that|which|with)\s+)?(?:(?:(?:do|does|did|"
    r"have|has|had|are|is|"
    r"were|was)\s+(?:not|never)(?:\s+(?:had|have|been|received?|taken?|taking|diagnosed with))?|"
    r"(?:don't|doesn't|didn't|haven't|hasn't|aren't|isn't|never)(?:\s+had|\s+have|\s+been)?|not|"
    r"without|except(?:ing)?(?: for)?|excluding|lacking|free of|minus|no|never|nor|neither|"
    r"absent|other than|in the absence of)\b\s*(?:those\s+)?(?:(?:with|who|having|have|any|had|"
    r"of)\b\s*)*)",
    _FLAGS,
)  # fmt: skip
_BUT = re.compile(
    r"\s*,?(\s+but)\s+(?=(?:with )?(?:not|no|without|never|excluding|(?:do|did|does|have|has|had|"
    r"are|were) (?:not|never|no))\b)",
    _FLAGS,
)
_OF_KIND = re.compile(r"\b(?:except|other than|excluding|excepting)\b", _FLAGS)
_OF_PATIENTS = re.compile(r"\b(?:those|with|who|having)\b", _FLAGS)
_NO = re.compile(
    rf"^(?:{_PATIENTS}\s+)?(?:with\s+|who\s+|and\s+|but\s+)*(?:no|not|without|never|excluding|"
    r"absence of|neither|(?:have|has|had|do|does|did) (?:no|not(?: have)?|never(?: had)?))\b"
    r"\s*(?:(?:any|with|a|an|had|history of|evidence of|documented)\s+)*", _FLAGS,
)  # fmt: skip
_STATED = re.compile(
    r"^(?:documented absence of|negative for|(?:who )?(?:deny|denies|denied|denying))\s+", _FLAGS
)
_ONE_OF = re.compile(
    r"\s*,?\s*(?:and\s+|with\s+)*\b(?P<count>at least (?:one|two|three|four|\d+)|one|any|two|"
    r"three|either|all)(?: or more)? of(?: the following| these)?(?: [a-z]+){0,3}?\s*:\s*", _FLAGS,
)  # fmt: skip
_SPLIT = re.compile(
    r"\s*[,;]\s*(?:and/or|and|or|as well as|plus)\b\s*|\s*[,;]\s*|"
    r"\s+(?:and/or|and|or|as well as|together with|along with|in addition to|plus|&)\s+", _FLAGS,
)  # fmt: skip
_JOINED = re.compile(
    rf"\s+{_PATIENTS}\s+(?:with|who|that|whose|and|receiving|treated|having|on)\b\s*|"
    r"\s+(?:who|whose|with|having|plus|that have|that had)\s+|"
    r"\s+(?=(?:treated|managed|prescribed|receiving|taking|undergoing|given)\b)", _FLAGS,
)  # fmt: skip
_KEPT_WITH = re.compile(
    r"(?:treated|treatment|therapy|diagnosed|presenting|presented|managed)$", _FLAGS
)
_CUES: tuple[tuple[re.Pattern[str], FactKind], ...] = tuple(
    (re.compile(rf"^{pattern}\s+", _FLAGS), kind)  # type: ignore[misc]
    for pattern, kind in (
        (
            (
                r"(?:(?:were |was |been |being |are |is )?(?:ever |currently |previously )?"
                r"(?:prescribed|given|administered|started on|put on|dispensed)|(?:on|taking|took|"
                r"takes|take|using|uses?|used|receiv(?:ing|ed|es?)|got)(?: a prescription for)?|"
                r"(?:a )?prescriptions? (?:for|of)|(?:treated|treatment|therapy|managed|management)"
                r" (?:with|by|using)|exposed to|exposure to|medicated with|on treatment with)"
            ),
            "drug",
        ),
        (r"(?:who )?(?:underwent|undergone|undergoing|had undergone|operated for)", "procedure"),
    )
)  # fmt: skip
_SUSPECTED = re.compile(
    r"^(?:an? )?(?:suspected|suspicion of|possible|probable|presumed|query|unconfirmed|"
    r"under suspicion of)\s+(?:to have\s+)?|\s+(?:is|was) suspected$", _FLAGS,
)  # fmt: skip
_CURRENT = re.compile(r"^(?:(?:are |is )?current(?:ly)?|active(?:ly)?|ongoing|now)\s+", _FLAGS)
_PAST = re.compile(
    r"^(?:an? )?(?:past |previous |prior |medical )*(?:history|h/o) of(?: an?)?\s+", _FLAGS
)
_TIMES = re.compile(
    r"^at least (\d+|two|three|four|five) (?:times |episodes of |occurrences of |records of |"
    r"separate |different )?|^(?:(?:two|2) or more|multiple) (?:episodes|occurrences) "
    r"of\s+", _FLAGS,
)  # fmt: skip
_NUMBERS = {
    "a": 1,
    "an": 1,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "twelve": 12,
}
_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}
_CONNECTIVE = re.compile(
    r"\b(?:and|or|with|without|no|not|who|before|after|of|except|other than|first|"
    r"initial)\b|[,;/&:-]",
    _FLAGS,
)
_FOR_DISEASE = re.compile(
    r"(.+)\s+(chemo|chemotherapy|drugs?|medications?|treatment|therapy|surgery|immunotherapy)$",
    _FLAGS,
)
_HELD = "\ue100"
_QUOTED = re.compile(r"[\"“]([^\"“”]{1,200})[\"”]")
_GROUP = re.compile(r"(?<!\w)\(([^()]*)\)(?!\w)")
_ABBREVIATION = re.compile(r"(?<=\w)\s+\([a-z]{0,3}[A-Z][A-Za-z0-9+/-]{1,8}\)")
_LONGEST_NAME = 9


class Terms(Protocol):
    """What understands phrases: by their parts too, or only as listed names."""

    def named(self, phrase: str) -> Concept | None: ...

    def listed(self, phrase: str) -> Concept | None: ...


Type = Literal["name", "drug", "sign", "not"]


@dataclass(frozen=True, slots=True)
class NotUnderstood:
    """Words of the criteria that nothing is known of; what to do is for who wrote them to say."""

    words: tuple[str, ...]


def parse(text: str, terms: Terms) -> Form | NotUnderstood:
    """The logical form of criteria, or what of them is not understood."""
    return _Parser(terms).whole(text[:_MOST])


class _Parser:
    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self._unknown: list[str] = []
        self._signs = Signs()
        self._names: list[str] = []
        self._by_with: set[Form] = set()

    def whole(self, text: str) -> Form | NotUnderstood:
        said = " ".join(text.replace("’", "'").split()).rstrip(" .?!")
        said = _LEAD.sub("", said.replace("(or both)", ""), count=1)
        said = _QUOTED.sub(lambda match: self._held(match[1]), said)
        said, self._signs = signs(said)
        said = self._hold(_ABBREVIATION.sub("", said))
        while (group := _GROUP.search(said)) is not None:
            inner = self._any(group[1])
            sign = self._signs.sign(inner) if inner is not None else ""
            said = f"{said[: group.start()]} {sign} {said[group.end() :]}"
        form = self._any(said)
        if form is None and not self._unknown:
            self._unknown.append(text.strip())
        return (
            NotUnderstood(tuple(dict.fromkeys(self._unknown)))
            if self._unknown or form is None
            else form
        )

    def _hold(self, text: str) -> str:
        """The text with each known name that has a connective in it as one sign."""
        its_words = list(re.finditer(r"[^\s,;:()]+(?:[-'][^\s,;:()]+)*", text))
        at, done, out = 0, 0, ""
        while at < len(its_words):
            for end in range(min(len(its_words), at + _LONGEST_NAME), at, -1):
                start, stop = its_words[at].start(), its_words[end - 1].end()
                name = text[start:stop]
                if end - at > 1 and _CONNECTIVE.search(name) and self._is_name(name):
                    out += text[done:start] + self._held(name)
                    at, done = end, stop
                    break
            else:
                at += 1
        return out + text[done:]

    def _held(self, name: str) -> str:
        self._names.append(name)
        return chr(ord(_HELD) + len(self._names) - 1)

    def _is_name(self, name: str) -> bool:
        its_words = key(name).split()
        edges = {*its_words[:1], *its_words[-1:]} & _EDGES - {"not"}
        if len(its_words) < 2 or (edges and not is_listed(name)):
            return False
        concept = self._terms.listed(name)
        if "," in name or any(sign >= "\ue000" for sign in name):
            return concept is not None and concept.name == name
        return concept is not None or is_listed(name)

    def _any(self, text: str) -> Form | None:
        """A text with any connective."""
        text = text.strip(" ,;")
        if (listed := _ONE_OF.search(text)) is not None:
            return self._one_of(text, listed)
        if (before := self._before(text)) is not None:
            return before
        if (cut := _BUT.search(text)) is not None and _stripped(text[: cut.start()]):
            return _both(self._list(text[: cut.start()]), self._list(text[cut.end(1) :]))
        return self._list(text)

    def _one_of(self, text: str, listed: re.Match[str]) -> Form | None:
        parts = [
            part
            for piece in self._pieces(text[listed.end() :])
            if (part := self._item(piece[1])) is not None
        ]
        words = listed["count"].lower().split()
        count = 2 if "two" in words else 3 if "three" in words else 4 if "four" in words else 1
        count = int(words[-1]) if words[-1].isdigit() else count
        options = _flat(Or, parts)
        if "all" in words:
            options = _flat(And, parts)
        elif count > 1 and len(parts) >= count:
            options = AtLeast(count, tuple(parts))
        first = self._any(text[: listed.start()]) if text[: listed.start()].strip(" ,") else None
        return _both(first, options)

    def _before(self, text: str) -> Form | None:
        for match in _BEFORE.finditer(text):
            word, within = match["word"].lower(), match["within"]
            if word == "of" and not within:
                continue
            if re.match(r"(?:age|the age|\d)", text[match.end() :]):
                continue
            one, other = self._list(text[: match.start()]), self._list(text[match.end() :])
            if one is None or other is None:
                return None
            if word in ("after", "following", "later than", "subsequent to"):
                one, other = other, one
            number = match["n"] or ""
            days = (
                (int(number) if number.isdigit() else _NUMBERS[number.lower()])
                * _DAYS[match["unit"].lower()]
                if within
                else None
            )
            if word == "of" and within:
                return Or((Before(one, other, days), Before(other, one, days)))
            return Before(one, other, days)
        return None

    def _list(self, text: str) -> Form | None:
        """A text of items with commas, and, or; items of other types are joined by and."""
        items = [
            (mark, form, piece)
            for mark, piece in self._pieces(text)
            if (form := self._item(piece)) is not None
        ]
        types = [self._type(form) for _, form, _ in items]
        runs: list[list[tuple[str, Form]]] = []
        for at, (mark, form, piece) in enumerate(items):
            if mark == ",":
                mark = _next_mark(items, types, at)
            if runs and self._belongs(last := runs[-1][-1][1], types[at], piece):
                assert isinstance(last, And)
                both = _flat(Or if mark == "or" else And, [last.parts[-1], form])
                whole = _flat(And, [*last.parts[:-1], both])
                self._by_with.add(whole)
                runs[-1][-1] = (runs[-1][-1][0], whole)
            elif runs and (types[at] == types[at - 1] or mark == "or"):
                runs[-1].append((mark, form))
            else:
                runs.append([("", form)])
        joined = [_joined(run) for run in runs]
        return _flat(And, joined) if joined else None

    def _belongs(self, last: Form, own: Type, piece: str) -> bool:
        """Whether an item goes with the last part of the one before: "A with B or C"."""
        return (
            isinstance(last, And)
            and last in self._by_with
            and self._type(last.parts[-1]) == own
            and not _JOINED.search(piece)
        )

    def _pieces(self, text: str) -> list[tuple[str, str]]:
        """The items of a text, each with the connective before it: ",", "and" or "or"."""
        pieces: list[tuple[str, str]] = []
        at, mark = 0, ""
        cuts = [*_SPLIT.finditer(text), None]
        for cut in cuts:
            piece = text[at : cut.start() if cut else len(text)]
            if piece.strip(" ,"):
                pieces.append((mark, piece.strip(" ,")))
            if cut:
                word = cut.group().strip(" ,;").lower()
                mark = "or" if word in ("or", "and/or") else "and" if word else ","
                at = cut.end()
        return self._scoped(pieces)

    def _scoped(self, pieces: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """Items after a "no" or "without" stay in its scope up to a comma or a new cue."""
        out: list[tuple[str, str]] = []
        for mark, piece in pieces:
            denies = out and (_BUT_NOT.search(f" {out[-1][1]}") or _NO.match(out[-1][1]))
            fresh = _CUED.match(piece) or _NO.match(piece) or self._signs.in_(piece)
            if denies and mark in ("and", "or") and not fresh:
                out[-1] = (out[-1][0], f"{out[-1][1]} \ue0ff {piece}")
            else:
                out.append((mark, piece))
        return out

    def _item(self, piece: str) -> Form | None:
        """One item of a list: what it is, with what, without what."""
        piece = piece.strip()
        if (stated := _STATED.match(piece)) is not None:
            part = self._denied(piece[stated.end() :])
            return None if part is None else Not(part, stated=True)
        if (no := _NO.match(piece)) is not None and piece[no.end() :].strip():
            part = self._denied(piece[no.end() :])
            return None if part is None else Not(part)
        if (cut := _BUT_NOT.search(piece)) is not None and piece[: cut.start()].strip():
            return self._difference(piece[: cut.start()], cut, piece[cut.end() :])
        for cut in _JOINED.finditer(piece):
            before, after = piece[: cut.start()], piece[cut.end() :]
            if _KEPT_WITH.search(before):
                continue
            if before.strip() and _stripped(before) and after.strip():
                word = re.search(r"(receiving|treated|on)\s*$", cut.group(), _FLAGS)
                whole = _both(
                    self._item(before), self._item(f"{word[1]} {after}" if word else after)
                )
                if whole is not None:
                    self._by_with.add(whole)
                return whole
        return self._leaf(piece)

    def _difference(self, left: str, cut: re.Match[str], right: str) -> Form | None:
        kept = self._item(left)
        of_kind = _OF_KIND.search(cut.group()) and not _OF_PATIENTS.search(cut.group())
        if of_kind and isinstance(last := _last(kept), Has):
            others = tuple(
                re.sub(r"s$", "", name) if self._terms.named(name) is None else name
                for name in (_stripped(self._restored(one)) for one in right.split("\ue0ff"))
                if name
            )
            unknown = [name for name in others if self._terms.named(name) is None]
            self._unknown.extend(unknown)
            return _replaced(kept, last, replace(last, other_than=others))
        denied = self._denied(right)
        return _both(kept, None if denied is None else Not(denied))

    def _denied(self, text: str) -> Form | None:
        parts = [part for one in text.split("\ue0ff") if (part := self._item(one)) is not None]
        return _flat(Or, parts) if parts else None

    def _leaf(self, piece: str) -> Form | None:
        """A name with its signs, cues and qualifiers."""
        forms, rest = self._signs.taken(piece)
        states, rest = qualified(rest)
        rest = _stripped(rest)
        found: list[Form] = [*forms, *states]
        if rest:
            has = self._has(self._restored(rest))
            if has is not None:
                found.insert(0, has)
        return _flat(And, found) if found else None

    def _has(self, phrase: str) -> Form | None:
        kind: FactKind | Literal[""] = ""
        certainty: Literal["confirmed", "suspected"] = "confirmed"
        when: When = "ever"
        times = 1
        while True:
            concept = self._terms.listed(phrase)
            if concept is not None:
                break
            shorter = phrase
            for cue, cued in _CUES:
                if (match := cue.match(shorter)) is not None:
                    shorter, kind = shorter[match.end() :], cued
            if (match := _SUSPECTED.search(shorter)) is not None:
                shorter, certainty = _SUSPECTED.sub("", shorter), "suspected"
            if (match := _CURRENT.match(shorter)) is not None:
                shorter, when = shorter[match.end() :], "current"
            if (match := _PAST.match(shorter)) is not None:
                shorter = shorter[match.end() :]
            if (match := _TIMES.match(shorter)) is not None:
                number = (match[1] or "2").lower()
                times = int(number) if number.isdigit() else _NUMBERS[number]
                shorter = shorter[match.end() :]
            shorter = _TRAILING.sub("", _FILLER.sub("", shorter)).strip()
            if shorter == phrase or not shorter:
                concept = self._terms.named(phrase)
                break
            phrase = shorter
        if concept is None and (match := _FOR_DISEASE.match(phrase)) is not None:
            disease, drug = self._terms.named(match[1]), self._terms.named(match[2])
            if disease is not None and drug is not None:
                phrase, concept = match[2], drug
        if concept is None:
            self._unknown.append(phrase)
            return None
        name = concept.name if self._same(concept) else phrase
        return Has(name, kind or _kind(concept), certainty, when, times)

    def _same(self, concept: Concept) -> bool:
        """Whether the concept's own name stands for the same."""
        again = self._terms.named(concept.name)
        return again is not None and set(again.above) == set(concept.above)

    def _restored(self, text: str) -> str:
        return "".join(
            self._names[ord(sign) - ord(_HELD)]
            if _HELD <= sign < chr(ord(_HELD) + len(self._names))
            else sign
            for sign in text
        ).replace("\ue0ff", "or")

    def _type(self, form: Form) -> Type:
        match form:
            case Has():
                return "drug" if form.kind == "drug" else "name"
            case Not():
                return "not"
            case And(parts) | Or(parts):
                types = {self._type(part) for part in parts}
                return types.pop() if len(types) == 1 else "name"
            case _:
                return "sign"


_CUED = re.compile(
    r"(?:with|who|on|taking|prescribed|treated|received|receiving|are|is|have|has|had|aged)\b",
    _FLAGS,
)


def _kind(concept: Concept) -> FactKind | Literal[""]:
    return concept.kind if concept.kind in ("condition", "drug", "procedure") else ""  # type: ignore[return-value]


def _stripped(text: str) -> str:
    """A text without words that name nothing at its ends."""
    text = text.strip(" ,;:.")
    while True:
        shorter = _TRAILING.sub("", _FILLER.sub("", text)).strip(" ,;:.")
        if shorter == text:
            return text
        text = shorter


def _next_mark(items: Sequence[tuple[str, Form, str]], types: Sequence[Type], at: int) -> str:
    """The connective that a comma stands for: the next one between items of its type."""
    for other in range(at + 1, len(items)):
        if types[other] != types[at]:
            break
        if items[other][0] != ",":
            return items[other][0]
    return "and"


def _joined(run: Sequence[tuple[str, Form]]) -> Form:
    """Items joined by and and or, of which and binds closer."""
    groups: list[list[Form]] = [[run[0][1]]]
    for mark, form in run[1:]:
        if mark == "or":
            groups.append([form])
        else:
            groups[-1].append(form)
    return _flat(Or, [_flat(And, group) for group in groups])


def _both(one: Form | None, other: Form | None) -> Form | None:
    return _flat(And, [part for part in (one, other) if part is not None]) if one or other else None


def _flat(kind: type[And] | type[Or], parts: Sequence[Form]) -> Form:
    """The parts under one connective, those of the same connective opened, each once."""
    opened: list[Form] = []
    for part in parts:
        opened.extend(part.parts if isinstance(part, kind) else [part])
    unique = tuple(dict.fromkeys(opened))
    return unique[0] if len(unique) == 1 else kind(unique)


def _last(form: Form | None) -> Form | None:
    while isinstance(form, And):
        form = form.parts[-1]
    return form


def _replaced(form: Form | None, old: Form, new: Form) -> Form | None:
    if isinstance(form, And):
        return And(tuple(new if part is old else part for part in form.parts))
    return new if form is old else form
