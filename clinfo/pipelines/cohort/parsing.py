"""Criteria in words → logical form, by a small grammar; what is not understood is asked back.

First what is said with figures and signs is read (`special`: ages, stages, genes, measured values,
days, …) and stands as one sign each, as does what stands in brackets; the rest is words, names and
cues (`tokens`). The grammar cuts them, the loosest first: ``before``/``after``, ``but``, ``,`` with
``and``/``or``, ``not``/``except``, ``with``/``who``. What is left between is a name (`phrases`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from clinfo.pipelines.cohort.ages import NOW
from clinfo.pipelines.cohort.concepts import Concept
from clinfo.pipelines.cohort.facts import FactKind
from clinfo.pipelines.cohort.form import (
    Age,
    And,
    AtLeast,
    Before,
    Dead,
    Form,
    Gene,
    Has,
    Not,
    Or,
    Value,
    leaves,
    mapped,
)  # fmt: skip
from clinfo.pipelines.cohort.marks import with_quotes
from clinfo.pipelines.cohort.phrases import Named, Phrases, Terms
from clinfo.pipelines.cohort.rephrased import rephrased
from clinfo.pipelines.cohort.signs import Near, OneOf, Signs, Times, Window
from clinfo.pipelines.cohort.special import qualified, signs
from clinfo.pipelines.cohort.tokens import Token, is_filler, tokens
from clinfo.terms.composed import is_listed
from clinfo.text.words import key

_MOST = 4_000
_GROUP = re.compile(r"(?<!\w)\(([^()]*)\)(?!\w)")
_ABBREVIATION = re.compile(r"(?<=\w)\s+\([a-z]{0,3}[A-Z][A-Za-z0-9+/-]{1,8}\)")
_INITIALS = re.compile(r"\b([A-Z]{2,6})\s*$")
_PRIVATE = re.compile("[\ue000-\uf8ff]")
_CONTENT = ("word", "name", "sign")
_JOINS = ("with", "drug", "procedure", "family", "allergy", "current", "suspected")
_FRESH = ("with", "drug", "procedure", "family", "allergy", "not", "nor", "except", "denied")
_BEGUN = (
    "diagnos",
    "start",
    "initiated",
    "commenced",
    "began",
    "developed",
    "contracted",
    "put on",
)
"""The beginnings of cues of what began at the time that is given with them."""
_LEAST = 3
"""Letters up to which words that are not understood are told with those around them."""
_VERBS = ("have", "has", "had", "are", "is", "were", "did", "do")
_CONNECTIVES = ("before", "after", "later", "when", "but", "not", "nor", "except", "denied")
_KIND: Mapping[str, FactKind] = {"drug": "drug", "procedure": "procedure"}
_ALLERGIES = ("allergy", "allergies", "allergic")
_OR = Token("or", "\x00")
"""The "or" between things that one "no" denies."""
Type = Literal["name", "drug", "sign", "not"]
Run = Sequence[Token]


@dataclass(frozen=True, slots=True)
class NotUnderstood:
    """Words of the criteria that nothing is known of; what to do is for who wrote them to say."""

    words: tuple[str, ...]


def parse(text: str, terms: Terms) -> Form | NotUnderstood:
    """The logical form of criteria, or what of them is not understood."""
    return _Parser(terms).whole(text[:_MOST])


@dataclass
class _Leaf:
    """What the cues of a name say."""

    kind: FactKind | Literal[""] = ""
    changes: dict[str, Any] = field(default_factory=dict)
    words: list[str] = field(default_factory=list)
    new: bool = False
    begun: bool = False
    cue: str = ""


class _Parser:
    def __init__(self, terms: Terms) -> None:
        self._terms, self._phrases = terms, Phrases(terms)
        self._unknown: list[str] = []
        self._signs = Signs()
        self._by_with: set[Form] = set()

    def whole(self, text: str) -> Form | NotUnderstood:
        said = " ".join(_PRIVATE.sub(" ", text.replace("’", "'")).split()).rstrip(" .?!")
        said = rephrased(_ABBREVIATION.sub("", with_quotes(said, self._signs)))
        said, self._signs = signs(said, self._signs)
        while (group := _GROUP.search(said)) is not None:
            said = self._without(said, group)
        form = self._any(self._either(tokens(said, self._signs, self._is_name)))
        if form is None and not self._unknown:
            self._unknown.append(text.strip())
        if self._unknown or form is None:
            return NotUnderstood(tuple(dict.fromkeys(self._unknown)))
        return _same_time(form)

    def _without(self, said: str, group: re.Match[str]) -> str:
        """The text with what stands in brackets as one sign; with the words themselves where they
        name nothing alone ("pharyngitis (acute)"); without the initials that they stand for.
        """
        before, after, known = said[: group.start()], said[group.end() :], len(self._unknown)
        inner = self._any(tokens(group[1], self._signs, self._is_name))
        if len(self._unknown) > known or inner is None:
            del self._unknown[known:]
            return f"{before} {group[1]} {after}"
        if (short := _INITIALS.search(before)) is not None and isinstance(inner, Has):
            initials = "".join(word[0] for word in key(group[1]).split())
            if initials == short[1].lower() or self._phrases.one([short[1]]) is None:
                before = before[: short.start()]
        return f"{before} {self._signs.sign(inner)} {after}"

    def _is_name(self, name: str) -> bool:
        concept = self._terms.listed(name)
        if "," in name or any("\ue000" <= sign <= "\uf8ff" for sign in name):
            return concept is not None and concept.name == name
        return concept is not None or is_listed(name)

    def _either(self, run: Run) -> list[Token]:
        """The tokens with two values of one thing as one: in "pT3 or pT4 prostate cancer" the "or"
        stands between the two alone.
        """
        out: list[Token] = []
        for token in run:
            if [one.role for one in (*out[-2:], token)] == ["sign", "or", "sign"]:
                one, other = self._signs.form(out[-2].text), self._signs.form(token.text)
                if one is not None and other is not None and _of_one_thing(one, other):
                    del out[-2:]
                    token = Token("sign", self._signs.sign(_flat(Or, [one, other])))
            out.append(token)
        return out

    def _any(self, run: Run) -> Form | None:
        """Tokens with any connective."""
        run = _trimmed(run)
        for at, token in enumerate(run):
            if isinstance(one := self._mark(token), OneOf):
                return self._one_of(run[:at], one.count, run[at + 1 :])
        if (cut := self._ordered(run)) is not None:
            left, right, order = cut
            ahead, left = _beside(left, order)
            behind, right = _beside(right[::-1], order)
            both = self._before(left, right[::-1], order)
            for beside in (ahead, behind[::-1]):
                both = _both(both, self._list(beside)) if both and beside else both
            return both
        for at, token in enumerate(run):
            denies = at + 1 < len(run) and _first(run[at + 1 :], ("with", "filler")).role in (
                "not", "nor", "except", "denied"
            )  # fmt: skip
            if token.role == "but" and denies and _has_content(run[:at]):
                return _both(self._list(run[:at]), self._list(run[at + 1 :]))
        return self._list([_AND if token.role == "but" else token for token in run])

    def _one_of(self, before: Run, count: int, after: Run) -> Form | None:
        parts = [
            part
            for _, piece in self._pieces(after)
            if (part := self._item(piece)) is not None
        ]  # fmt: skip
        if not parts:
            return None
        options = _flat(And if count == 0 else Or, parts)
        if count > 1 and len(parts) >= count:
            options = AtLeast(count, tuple(parts))
        return _both(self._any(before) if _has_content(before) else None, options)

    def _ordered(self, run: Run) -> tuple[Run, Run, str] | None:
        """What stands before and after words of order in time, and what these say of the first."""
        already = any(token.text.lower() == "already" for token in run)
        for at, token in enumerate(run):
            mark = self._mark(token)
            order = mark.order if isinstance(mark, Near) else token.role
            order = "before" if order == "when" and already else order
            if order not in ("before", "after", "either"):
                continue
            if _has_content(run[:at]) and _has_content(run[at + 1 :]):
                return run[: at + (order == "either")], run[at + 1 :], order
        if len(run) > 1 and run[-1].role == "later":
            cuts = [at for at, token in enumerate(run) if token.role in (",", "and")]
            for at in reversed(cuts):
                if _has_content(run[:at]) and _has_content(run[at:]):
                    return run[:at], run[at + 1 : -1], "before"
        return None

    def _before(self, left: Run, right: Run, order: str) -> Form | None:
        """A relation in time of what stands left and right of its cue."""
        near = next((one for token in left if isinstance(one := self._mark(token), Near)), None)
        left = [token for token in left if not isinstance(self._mark(token), Near)]
        one, other = self._list(left), self._list(right)
        if one is None or other is None:
            return None
        if order == "after":
            one, other = other, one
        if near is not None and order == "either":
            return Or((Before(one, other, near.days), Before(other, one, near.days)))
        return Before(one, other, near.days if near is not None else None)

    def _mark(self, token: Token) -> object:
        return self._signs.of(token.text) if token.role == "mark" else None

    def _list(self, run: Run) -> Form | None:
        """Items with commas, and, or; items of other types are joined by and."""
        items = [
            (mark, form, piece)
            for mark, piece in self._pieces(run)
            if (form := self._item(piece)) is not None
        ]
        types = [self._type(form) for _, form, _ in items]
        runs: list[list[tuple[str, Form]]] = []
        for at, (mark, form, piece) in enumerate(items):
            alike = at > 0 and types[at] == types[at - 1]
            if mark == ",":
                mark = _next_mark(items, types, at) if alike else "and"
            if runs and self._belongs(last := runs[-1][-1][1], types[at], piece):
                assert isinstance(last, And)
                both = _flat(Or if mark == "or" else And, [last.parts[-1], form])
                whole = _flat(And, [*last.parts[:-1], both])
                self._by_with.add(whole)
                runs[-1][-1] = (runs[-1][-1][0], whole)
            elif runs and (alike or mark == "or"):
                runs[-1].append((mark, form))
            else:
                runs.append([("", form)])
        return _flat(And, [_joined(one) for one in runs]) if runs else None

    def _belongs(self, last: Form, own: Type, piece: Run) -> bool:
        """Whether an item goes with the last part of the one before: "A with B or C"."""
        return (
            isinstance(last, And)
            and last in self._by_with
            and self._type(last.parts[-1]) == own
            and _joint(piece) is None
        )

    def _pieces(self, run: Run) -> list[tuple[str, list[Token]]]:
        """The items, each with the connective before it: ",", "and" or "or". What a "no" denies
        stays in its item, up to a comma or a new cue; so does an adjective after its noun.
        """
        pieces: list[tuple[str, list[Token]]] = [("", [])]
        for token in run:
            if token.role in ("and", "or", ",", "nor"):
                mark, own = pieces[-1]
                if token.role == "," and not own:
                    continue
                if token.role == "nor":
                    pieces.append(("and", [Token("not", token.text)]))
                elif own:
                    pieces.append((token.role, []))
                elif mark != "or" and token.role != ",":
                    pieces[-1] = (token.role, [])
            else:
                pieces[-1][1].append(token)
        out: list[tuple[str, list[Token]]] = []
        kept = self._with_content(pieces)
        for at, (mark, piece) in enumerate(kept):
            last = out[-1][1] if out else []
            if self._denied_too(last, kept, at):
                last += [_OR, *piece]
            elif mark == "," and self._is_adjective(last, piece):
                last += piece
            else:
                out.append((mark, piece))
        return out

    def _with_content(
        self, pieces: Sequence[tuple[str, list[Token]]]
    ) -> list[tuple[str, list[Token]]]:
        """The pieces that name something; cues that stand alone go with the piece before."""
        kept: list[tuple[str, list[Token]]] = []
        ahead: list[Token] = []
        for mark, piece in pieces:
            if _has_content(piece):
                kept.append((mark, [*ahead, *piece]))
                ahead = []
            elif any(token.role not in ("filler", "with", "past") for token in piece):
                (kept[-1][1] if kept else ahead).extend(piece)
        return kept or ([("", ahead)] if ahead else [])

    def _denied_too(self, last: Run, pieces: Sequence[tuple[str, Run]], at: int) -> bool:
        mark, piece = pieces[at]
        if not any(token.role in ("not", "except", "denied") for token in last):
            return False
        named = any(token.role in ("word", "name") for token in last)
        if mark == "," and not named and not any(one.role == "sign" for one in piece):
            return False  # "nobody over 80, gout or asthma"
        if mark == ",":
            following = [one for one in pieces[at + 1 :] if one[0] != ","][:1]
            up_to = pieces.index(following[0]) if following else at
            if not following or following[0][0] != "or":
                return False
            return not any(self._is_fresh(one) for _, one in pieces[at : up_to + 1])
        return not self._is_fresh(piece)

    def _is_fresh(self, piece: Run) -> bool:
        signs = any(token.role == "sign" for token in piece)
        verb = _first(piece, ()).text.lower() in _VERBS
        return signs or verb or _first(piece, ("filler",)).role in _FRESH

    def _is_adjective(self, last: Run, piece: Run) -> bool:
        """Whether a piece only says of what kind the name before it is: "neck pain, chronic"."""
        if len(piece) > 2 or any(token.role != "word" for token in piece):
            return False
        own = [token.text for token in piece]
        nouns = [token.text for token in last if token.role in ("word", "name", "filler")]
        together = self._phrases.one([*own, *nouns]) if nouns else None
        return (
            together is not None
            and bool(together[1].above)
            and self._phrases.one(own) is None
            and self._phrases.one(nouns) is not None
        )

    def _item(self, run: Run) -> Form | None:
        """One item of a list: what it is, with what, without what."""
        run = _trimmed(run)
        for at, token in enumerate(run):
            if token.role == "non":
                return self._without_one(run, at)
            if token.role not in ("not", "except", "denied") or not _has_content(run[at + 1 :]):
                continue
            if _has_content(run[:at]):
                return self._difference(run[:at], token, run[at + 1 :])
            joint = _joint(run) if token.text.lower() in ("neither", "nor") else None
            if joint is not None and joint > at:  # "neither smokers nor drinkers with gout"
                inner = self._denied([*run[:at], *run[at + 1 : joint]])
                return _both(None if inner is None else Not(inner), self._item(run[joint:]))
            part = self._denied([*run[:at], *run[at + 1 :]])
            return None if part is None else Not(part, stated=token.role == "denied")
        if run and run[-1].role == "not" and _has_content(run):
            part = self._item(run[:-1])
            return None if part is None else Not(part)
        if (joint := _joint(run)) is not None:
            whole = _both(self._item(run[:joint]), self._item(run[joint:]))
            if whole is not None:
                self._by_with.add(whole)
            return whole
        return self._leaf(run)

    def _without_one(self, run: Run, at: int) -> Form | None:
        """An item of which the name after a "non-" is denied, and no other."""
        ahead = enumerate(run[at + 1 :], at + 1)
        stop = next((at for at, one in ahead if one.role not in ("word", "name")), len(run))
        denied = self._leaf(run[at + 1 : stop])
        rest = [part for part in (run[:at], run[stop:]) if _has_content(part)]
        others = [part for one in rest if (part := self._item(one)) is not None]
        return _flat(And, [*others, Not(denied)]) if denied is not None else None

    def _difference(self, left: Run, cue: Token, right: Run) -> Form | None:
        kept = self._item(left)
        of_patients = _first(right, ()).role == "with" or _first(right, ()).text.lower() == "those"
        if cue.role == "except" and not of_patients:
            others = [self._phrases.one(_words(one)) for one in _split(right)]
            broad = self._last_above(kept, [one[1] for one in others if one is not None])
            if broad is not None and None not in others:
                names = tuple(self._name(other) for other in others if other is not None)
                return _replaced(kept, broad, replace(broad, other_than=names))
        denied = self._denied(right)
        if denied is None:
            return kept
        return _both(kept, Not(denied, stated=cue.role == "denied"))

    def _last_above(self, form: Form | None, narrow: Sequence[Concept]) -> Has | None:
        """The last thing asked for that takes in all of these."""
        parts = form.parts if isinstance(form, And) else (form,)
        for part in reversed(parts):
            broad = self._terms.named(part.concept) if isinstance(part, Has) else None
            if broad is not None and all(self._terms.takes_in(broad, one) for one in narrow):
                assert isinstance(part, Has)
                return part
        return None

    def _denied(self, run: Run) -> Form | None:
        parts = [part for one in _split(run) if (part := self._item(one)) is not None]
        return _flat(Or, parts) if parts else None

    def _leaf(self, run: Run) -> Form | None:
        """A name with its signs, cues and qualifiers; a connective that joins nothing is not
        understood.
        """
        if any(token.role in _CONNECTIVES for token in run):
            self._unknown.append(" ".join(token.text for token in run if token.role != "sign"))
            return None
        forms: list[Form] = []
        leaf = _Leaf()
        window = Window()
        for at, token in enumerate(run):
            if token.text.lower() == "only" and self._limits(run, at):
                self._unknown.append(" ".join(one.text for one in run if one.role != "sign"))
            leaf.cue = leaf.cue or token.text
            leaf.begun = leaf.begun or token.text.lower().startswith(_BEGUN)
            form = self._signs.form(token.text) if token.role == "sign" else None
            mark = self._mark(token)
            if form is not None:
                forms.append(form)
            elif isinstance(mark, Window):
                window = Window(mark.since or window.since, mark.until or window.until)
            elif isinstance(mark, Times):
                leaf.changes["times"] = mark.count
            elif isinstance(mark, Near):
                leaf.words.append(f"within {mark.days} days")
            elif token.role in _CHANGES:
                leaf.changes |= _CHANGES[token.role]
            elif token.role in _KIND:
                leaf.kind = _KIND[token.role]
            elif token.role == "asked":
                self._unknown.append(token.text)
            elif token.role == "allergy":
                leaf.kind = "allergy"
            elif token.role == "new":
                leaf.new = True
            elif token.role != "with":
                leaf.words.append(token.text)
        if window != Window():
            leaf.changes |= {"since": window.since, "until": window.until}
            if leaf.new or (leaf.begun and window.since):
                leaf.changes["when"] = "new"
        elif leaf.new:
            leaf.words.insert(0, next(token.text for token in run if token.role == "new"))
        states, rest = qualified(" ".join(leaf.words))
        if states:
            leaf.words = rest.split()
        return _flat(And, found) if (found := [*self._named(leaf), *forms, *states]) else None

    @staticmethod
    def _limits(run: Run, at: int) -> bool:
        """Whether an "only" stands beside a name, so that nothing else is wanted: "metformin only";
        no form says that.
        """
        return any(
            one.role in ("word", "name") for one in (*run[at - 1 : at], *run[at + 1 : at + 2])
        )

    def _named(self, leaf: _Leaf) -> list[Form]:
        """The names of a leaf, as they are asked for."""
        if (one := self._phrases.one(leaf.words)) is not None:
            return [self._has(one, leaf)]
        if len(leaf.words) > 1 and leaf.words[-1].lower() in _ALLERGIES:
            leaf.words.pop()
            leaf.kind = "allergy"
            return self._named(leaf)
        several = self._phrases.several(leaf.words)
        if several is not None:
            return [self._has(one, leaf) for one in several]
        said = _said(leaf.words)
        if said or leaf.changes or leaf.kind:
            self._unknown.append(said if len(said) > _LEAST else " ".join(leaf.words) or leaf.cue)
        return []

    def _has(self, named: Named, leaf: _Leaf) -> Has:
        kind = leaf.kind or _kind(named[1])
        return replace(Has(self._name(named), kind), **leaf.changes)

    def _name(self, named: Named) -> str:
        """The concept's own name where it stands for the same, else the name as asked."""
        again = self._terms.named(named[1].name)
        same = again is not None and set(again.above) == set(named[1].above)
        return named[1].name if same else named[0]

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


_AND = Token("and", "but")
_CHANGES: Mapping[str, Mapping[str, Any]] = {
    "suspected": {"certainty": "suspected"},
    "current": {"when": "current"},
    "family": {"subject": "family"},
}


def _beside(run: Run, order: str) -> tuple[Run, Run]:
    """What stands beyond the comma nearest to the end of a run, and what is between that and the
    end, where only the latter is said to be before or after something: "ECOG 0, chemotherapy
    followed by surgery".
    """
    last = max((at for at, token in enumerate(run) if token.role == ","), default=0)
    joined = any(token.role in ("and", "or", "but", "not", "later") for token in run)
    if order == "either" or joined or not (_has_content(run[:last]) and _has_content(run[last:])):
        return [], run
    return run[:last], run[last + 1 :]


def _of_one_thing(one: Form, other: Form) -> bool:
    """Whether both are values of one code, or both of genes or markers."""
    if isinstance(one, Or):
        return any(_of_one_thing(part, other) for part in one.parts)
    same = isinstance(one, Value) and isinstance(other, Value) and one.name == other.name
    return same or (isinstance(one, Gene) and isinstance(other, Gene))


def _trimmed(run: Run) -> list[Token]:
    """The tokens without connectives at the ends."""
    low, high = 0, len(run)
    while low < high and run[low].role in (",", "and", "or", "but"):
        low += 1
    while low < high and run[high - 1].role in (",", "and", "or", "but"):
        high -= 1
    return list(run[low:high])


def _has_content(run: Run) -> bool:
    return any(token.role in _CONTENT for token in run)


def _first(run: Run, skipped: Sequence[str]) -> Token:
    """The first token of another role."""
    return next((token for token in run if token.role not in skipped), Token("", ""))


def _joint(run: Run) -> int | None:
    """The place of the first cue that joins what stands before and after it."""
    for at, token in enumerate(run):
        if token.role not in _JOINS or not _has_content(run[:at]):
            continue
        named = any(one.role in ("word", "name") for one in run[at + 1 :])
        if named or (token.role == "with" and _has_content(run[at + 1 :])):
            return at
    return None


def _split(run: Run) -> list[list[Token]]:
    """The things that one "no" denies."""
    parts: list[list[Token]] = [[]]
    for token in run:
        if token is _OR:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _words(run: Run) -> list[str]:
    return [token.text for token in run if token.role not in ("with", ",")]


def _said(words: Sequence[str]) -> str:
    """The words without those at the ends that say nothing."""
    low, high = 0, len(words)
    while low < high and is_filler(words[low]):
        low += 1
    while low < high and is_filler(words[high - 1]):
        high -= 1
    return " ".join(words[low:high])


def _kind(concept: Concept) -> FactKind | Literal[""]:
    return concept.kind if concept.kind in ("condition", "drug", "procedure") else ""  # type: ignore[return-value]


def _next_mark(
    items: Sequence[tuple[str, Form, Sequence[Token]]], types: Sequence[Type], at: int
) -> str:
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


def _replaced(form: Form | None, old: Form, new: Form) -> Form | None:
    if isinstance(form, And):
        return And(tuple(new if part is old else part for part in form.parts))
    return new if form is old else form


def _same_time(form: Form) -> Form:
    """The form with the only time at which an age or life was asked for given to the others that
    have none; "today" says that there is none.
    """
    times = {leaf.at for leaf in leaves(form) if isinstance(leaf, (Age, Dead))} - {"", NOW}
    only = times.pop() if len(times) == 1 else ""

    def timed(leaf: Form) -> Form:
        if not isinstance(leaf, (Age, Dead)) or leaf == Dead():
            return leaf
        return replace(leaf, at="" if leaf.at == NOW else leaf.at or only)

    return mapped(form, timed)
