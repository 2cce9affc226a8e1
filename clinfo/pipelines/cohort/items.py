"""One item of criteria, read: a name with its cues, what it is said to be with and without.

`parsing` cuts criteria to items.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from clinfo.pipelines.cohort.concepts import Concept
from clinfo.pipelines.cohort.facts import FactKind
from clinfo.pipelines.cohort.form import Age, And, Form, Gene, Has, Not, Or, Value
from clinfo.pipelines.cohort.phrases import Named, Phrases, Terms, is_other
from clinfo.pipelines.cohort.quantities import named_quantities
from clinfo.pipelines.cohort.signs import AgeThen, Near, Signs, Times, Window
from clinfo.pipelines.cohort.special import qualified
from clinfo.pipelines.cohort.tokens import Token, is_filler

OR = Token("or", "\x00")
"""The "or" between things that one "no" denies."""
Type = Literal["name", "drug", "sign", "not"]
Run = Sequence[Token]
_CONTENT = ("word", "name", "sign")
_JOINS = ("with", "drug", "procedure", "family", "allergy", "current", "suspected", "stopped")
_BEGUN = (
    "diagnos", "start", "initiated", "commenced", "began", "developed", "contracted", "put on",
)  # fmt: skip
"""The beginnings of cues of what began at the time that is given with them."""
_LEAST = 3
"""Letters up to which words that are not understood are told with those around them."""
_NOTHING_MORE = ("disease", "the disease", "setting")
"""What says nothing of what is "metastatic"."""
_KINDS_OF = re.compile(
    r"(?i)\b(?:disease|disorder|condition|syndrome|illnesse?|comorbidit(?:y|ie)|cancer|malignanc(?:y|ie)|"
    r"tumou?r|neoplasm|carcinoma|risk|factor|allerg(?:y|ie)|metastas[ei]|lesion|symptom|sign)s?$"
)
"""What may be several kinds side by side, so that a number of them is no number of times."""
_CONNECTIVES = ("before", "after", "later", "when", "but", "not", "nor", "except", "denied")
_KIND: Mapping[str, FactKind] = {"drug": "drug", "procedure": "procedure"}
_OPEN = frozenset(
    ("since", "while", "unless", "stop", "stops", "stopped", "stopping", "arrest", "arrested")
)
"""Words that tie a name to something that is not said beside it, and those of doing that are no
illness ("stopped" is no cardiac arrest).
"""
_ALLERGIES = ("allergy", "allergies", "allergic")
_INTOLERANCE = ("intolerance", "intolerant")
CHANGES: Mapping[str, Mapping[str, Any]] = {
    "suspected": {"certainty": "suspected"},
    "current": {"when": "current"},
    "family": {"subject": "family"},
}


@dataclass
class _Leaf:
    """What the cues of a name say."""

    kind: FactKind | Literal[""] = ""
    changes: dict[str, Any] = field(default_factory=dict)
    words: list[str] = field(default_factory=list)
    new: bool = False
    begun: bool = False
    quoted: bool = False
    stopped: bool = False
    count: str = ""
    cue: str = ""


class Items:
    """The reader of items, for one text of criteria: ``signs`` are those of the text, ``unknown``
    the words that were not understood so far, ``by_with`` the forms that a "with" made.
    """

    def __init__(self, terms: Terms) -> None:
        self._terms, self.phrases = terms, Phrases(terms)
        self.unknown: list[str] = []
        self.signs = Signs()
        self.by_with: set[Form] = set()
        self._before_now: list[tuple[str, Concept]] = []

    def mark(self, token: Token) -> object:
        """What a token marks; None of others."""
        return self.signs.of(token.text) if token.role == "mark" else None

    def item(self, run: Run) -> Form | None:
        """One item of a list: what it is, with what, without what."""
        run = trimmed(run)
        for at, token in enumerate(run):
            if token.role == "non":
                return self._without_one(run, at)
            if token.role not in ("not", "except", "denied") or not has_content(run[at + 1 :]):
                continue
            if has_content(run[:at]):
                return self._difference(run[:at], token, run[at + 1 :])
            joint = joint_of(run) if token.text.lower() in ("neither", "nor") else None
            if joint is not None and joint > at:  # "neither smokers nor drinkers with gout"
                inner = self._denied([*run[:at], *run[at + 1 : joint]])
                return both_of(None if inner is None else Not(inner), self.item(run[joint:]))
            stop = joint_of(run[at + 1 :])
            if stop is not None and not run[:at] and self._is_gene(run[at + 1 : at + 1 + stop]):
                stop += at + 1  # "no RB1 mutation treated with palbociclib"
                return both_of(self.item(run[:stop]), self.item(run[stop:]))
            part = self._denied([*run[:at], *run[at + 1 :]])
            return None if part is None else Not(part, stated=token.role == "denied")
        if run and run[-1].role == "not" and has_content(run):
            part = self.item(run[:-1])
            return None if part is None else Not(part)
        if (joint := joint_of(run)) is not None:
            first = self.item(run[:joint])
            if isinstance(first, Has) and first.times > 1:  # "two pregnancies with pre-eclampsia"
                told = (one.text for one in run if one.role not in ("sign", "mark"))
                self.unknown.append(" ".join(told))
            whole = both_of(first, self.item(run[joint:]))
            if whole is not None:
                self.by_with.add(whole)
            return whole
        return self._leaf(run)

    def _is_gene(self, run: Run) -> bool:
        """Whether a run is nothing but changes of genes."""
        forms = [self.signs.form(token.text) for token in run if token.role == "sign"]
        others = any(token.role not in ("sign", "filler") for token in run)
        return bool(forms) and not others and all(isinstance(one, Gene) for one in forms)

    def _without_one(self, run: Run, at: int) -> Form | None:
        """An item of which the name after a "non-" is denied, and no other: "non-clear cell renal
        cell carcinoma" is a renal cell carcinoma.
        """
        ahead = enumerate(run[at + 1 :], at + 1)
        stop = next((at for at, one in ahead if one.role not in ("word", "name")), len(run))
        denied = self._leaf(run[at + 1 : stop])
        rest = [part for part in (run[:at], run[stop:]) if has_content(part)]
        others = [part for one in rest if (part := self.item(one)) is not None]
        words = [word for token in run[at + 1 : stop] for word in token.text.split()]
        for low in range(1, len(words)):
            broad, narrow = self.phrases.one(words[low:]), self.phrases.one(words)
            if broad is not None and narrow is not None and broad[1].above:
                others.insert(0, self._has(broad, _Leaf()))
                break
        if denied is None:
            return None
        if first_of(run[stop:], ()).role == "with":  # "never smokers with emphysema or gout"
            whole = flat(And, [Not(denied), *others])
            self.by_with.add(whole)
            return whole
        return flat(And, [*others, Not(denied)])

    def _difference(self, left: Run, cue: Token, right: Run) -> Form | None:
        kept = self.item(left)
        of_patients = (
            first_of(right, ()).role == "with" or first_of(right, ()).text.lower() == "those"
        )
        if cue.role == "except" and not of_patients:
            others = [self.phrases.one(_words(one)) for one in _split(right)]
            known = all(one is not None and one[1].above for one in others)
            broad = self._last_above(kept, [one[1] for one in others if one is not None])
            if broad is not None and known:
                names = tuple(self._name(other) for other in others if other is not None)
                return _replaced(kept, broad, replace(broad, other_than=names))
        denied = self._denied(right)
        if denied is None:
            return kept
        whole = both_of(kept, Not(denied, stated=cue.role == "denied"))
        if whole is not None:
            self.by_with.add(whole)
        return whole

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
        """Any of the things that one "no" denies; what an "except" leaves out of the last of them
        goes on to the end.
        """
        runs = _split(run)
        cues = [at for at, one in enumerate(runs) if any(token.role == "except" for token in one)]
        if cues:
            ahead = [token for one in runs[cues[0] + 1 :] for token in (OR, *one)]
            runs[cues[0] :] = [[*runs[cues[0]], *ahead]]
        parts = [part for one in runs if (part := self.item(one)) is not None]
        return flat(Or, parts) if parts else None

    def _leaf(self, run: Run) -> Form | None:
        """A name with its signs, cues and qualifiers; a connective that joins nothing is not
        understood.
        """
        if any(token.role in _CONNECTIVES for token in run):
            self.unknown.append(" ".join(token.text for token in run if token.role != "sign"))
            return None
        forms: list[Form] = []
        leaf = _Leaf()
        window = Window()
        for at, token in enumerate(run):
            if token.text.lower() == "only" and self._limits(run, at):
                self.unknown.append(" ".join(one.text for one in run if one.role != "sign"))
            if token.role not in ("sign", "mark", "filler"):
                leaf.cue = leaf.cue or token.text
            leaf.begun = leaf.begun or token.text.lower().startswith(_BEGUN)
            form = self.signs.form(token.text) if token.role == "sign" else None
            mark = self.mark(token)
            if form is not None:
                forms.append(form)
            elif isinstance(mark, Window):
                window = Window(mark.since or window.since, mark.until or window.until)
            elif isinstance(mark, Times):
                leaf.changes["times"], leaf.count = mark.count, mark.said
            elif isinstance(mark, AgeThen) and "age_from" in leaf.changes:
                self.unknown.append("two ages at an event")
            elif isinstance(mark, AgeThen):
                leaf.changes |= {"age_from": mark.low, "age_to": mark.high}
            elif isinstance(mark, Near):
                leaf.words.append(f"within {mark.days} days")
            elif token.role in CHANGES:
                leaf.changes |= CHANGES[token.role]
            elif token.role in _KIND:
                leaf.kind = _KIND[token.role]
            elif token.role == "asked":
                self.unknown.append(token.text)
            elif token.role == "allergy":
                leaf.kind = "allergy"
            elif token.role == "new":
                leaf.new = True
            elif token.role == "stopped":
                leaf.stopped = True
            elif token.role != "with":
                leaf.words.append(token.text)
                leaf.quoted |= token.quoted
        if window != Window():
            leaf.changes |= {"since": window.since, "until": window.until}
            if leaf.new or (leaf.begun and window.since):
                leaf.changes["when"] = "new"
        elif leaf.new:
            leaf.words.insert(0, next(token.text for token in run if token.role == "new"))
        states, rest = qualified(" ".join(leaf.words))
        if leaf.quoted:
            states = []
        if states:
            leaf.words = [] if rest.lower() in _NOTHING_MORE else rest.split()
        if leaf.changes.get("times") and any(isinstance(one, Value) for one in forms):
            self.unknown.append("how often a value was measured")
        if not (found := [*self._named(leaf), *forms, *states]):
            return None
        whole = flat(And, found)
        if isinstance(whole, And) and all(isinstance(one, Not) for one in whole.parts[1:]):
            self.by_with.add(whole)  # "dementia (not Lewy body)"
        return whole

    @staticmethod
    def _limits(run: Run, at: int) -> bool:
        """Whether an "only" is said of a name, so that nothing else is wanted: "metformin only",
        "only had chemotherapy"; no form says that.
        """
        ahead = first_of(run[at + 1 :], ("filler",)).role
        behind = first_of(run[:at][::-1], ("filler",)).role
        named = any(one.role in ("word", "name") for one in run[at + 1 :])
        return behind in ("word", "name") or ahead in ("word", "name") or (
            ahead in ("with", "drug", "procedure") and named
        )  # fmt: skip

    def _named(self, leaf: _Leaf) -> list[Form]:
        """The names of a leaf, as they are asked for."""
        said = " ".join(leaf.words)
        if leaf.count or leaf.stopped:
            return self._happened(leaf)
        bare = _said(leaf.words).lower()
        measured = bare in named_quantities() and not leaf.kind and not leaf.quoted
        if measured or bare == "situ" or _OPEN.intersection(word.lower() for word in leaf.words):
            self.unknown.append(said)
            return []
        one, several = self.phrases.one(leaf.words), None
        if one is not None and not one[1].above:
            several = self.phrases.several(leaf.words)
        if several is not None:
            return [self._has(one, leaf) for one in several]
        if one is not None:
            return [self._has(one, leaf)]
        if (other := self._other(leaf)) is not None:
            return [other]
        last = leaf.words[-1].lower() if len(leaf.words) > 1 else ""
        if last in _ALLERGIES or (last in _INTOLERANCE and self.phrases.is_drug(leaf.words[:-1])):
            leaf.words.pop()
            leaf.kind = "allergy"
            return self._named(leaf)
        several = self.phrases.several(leaf.words)
        if several is not None:
            return [self._has(one, leaf) for one in several]
        said = _said(leaf.words)
        if said or leaf.changes or leaf.kind:
            cue = leaf.cue or "the time or count, which goes with nothing named"
            around = " ".join(leaf.words) if said else ""
            self.unknown.append(said if len(said) > _LEAST else around or cue)
        return []

    def _happened(self, leaf: _Leaf) -> list[Form]:
        """What was counted without a word of how ("at least 2 falls"), or a drug that was stopped:
        taken once, and now no more. Of kinds of things and drugs no form counts how many.
        """
        one = self.phrases.one(leaf.words)
        kind = (leaf.kind or one[1].kind) if one is not None else ""
        alike = _KINDS_OF.search(" ".join(leaf.words)) is not None
        if one is None or (kind == "drug") != leaf.stopped or (leaf.count and alike):
            said = (leaf.count or leaf.cue, *leaf.words)
            self.unknown.append(" ".join(dict.fromkeys(filter(None, said))))
            return []
        has = self._has(one, leaf)
        return [*stopped(has)] if leaf.stopped else [has]

    def _other(self, leaf: _Leaf) -> Has | None:
        """Other kinds of a thing than those that were named before: "another EGFR inhibitor"."""
        words = [word for word in leaf.words if not is_other(word)]
        broad = self.phrases.one(words) if 0 < len(words) < len(leaf.words) else None
        if broad is None:
            return None
        named = tuple(
            dict.fromkeys(name for name, one in self._before_now if self._takes_in(broad[1], one))
        )
        return replace(self._has(broad, leaf), other_than=named) if named else None

    def _takes_in(self, broad: Concept, narrow: Concept) -> bool:
        return broad.kind in ("drug", "procedure") and self._terms.takes_in(broad, narrow)

    def _has(self, named: Named, leaf: _Leaf) -> Has:
        kind = leaf.kind or _kind(named[1])
        has = replace(Has(self._name(named), kind), **leaf.changes)
        self._before_now.append((has.concept, named[1]))
        return has

    def _name(self, named: Named) -> str:
        """The concept's own name where it stands for the same, else the name as asked."""
        again = self._terms.named(named[1].name)
        same = again is not None and set(again.above) == set(named[1].above)
        return named[1].name if same else named[0]

    def type_of(self, form: Form) -> Type:
        """What decides with which others a form may stand side by side."""
        match form:
            case Has():
                return "drug" if form.kind == "drug" else "name"
            case Not():
                return "not"
            case And(parts) | Or(parts):
                types = {self.type_of(part) for part in parts}
                return types.pop() if len(types) == 1 else "name"
            case _:
                return "sign"


def stopped(drug: Has) -> tuple[Form, Form]:
    """What a drug that was stopped asks for: taken once, and now no more."""
    return drug, Not(replace(drug, when="current"))


def trimmed(run: Run) -> list[Token]:
    """The tokens without connectives at the ends."""
    low, high = 0, len(run)
    while low < high and run[low].role in (",", "and", "or", "but"):
        low += 1
    while low < high and run[high - 1].role in (",", "and", "or", "but"):
        high -= 1
    return list(run[low:high])


def has_content(run: Run) -> bool:
    return any(token.role in _CONTENT for token in run)


def first_of(run: Run, skipped: Sequence[str]) -> Token:
    """The first token of another role."""
    return next((token for token in run if token.role not in skipped), Token("", ""))


def joint_of(run: Run) -> int | None:
    """The place of the first cue that joins what stands before and after it."""
    for at, token in enumerate(run):
        if token.role not in _JOINS or not has_content(run[:at]):
            continue
        named = any(one.role in ("word", "name") for one in run[at + 1 :])
        if named or (token.role == "with" and has_content(run[at + 1 :])):
            return at
    return None


def _split(run: Run) -> list[list[Token]]:
    """The things that one "no" denies."""
    parts: list[list[Token]] = [[]]
    for token in run:
        if token is OR:
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


def both_of(one: Form | None, other: Form | None) -> Form | None:
    return flat(And, [part for part in (one, other) if part is not None]) if one or other else None


def flat(kind: type[And] | type[Or], parts: Sequence[Form]) -> Form:
    """The parts under one connective, those of the same connective opened, each once."""
    opened: list[Form] = []
    for part in parts:
        opened.extend(part.parts if isinstance(part, kind) else [part])
    unique = tuple(dict.fromkeys(opened))
    ages = [part for part in unique if isinstance(part, Age)]
    if kind is And and len(ages) == 2 and _apart(*ages):  # "children and adults"
        first = unique.index(ages[0])
        others = [part for part in unique if part not in ages]
        unique = (*others[:first], Or(tuple(ages)), *others[first:])
    return unique[0] if len(unique) == 1 else kind(unique)


def _apart(one: Age, other: Age) -> bool:
    """Whether nobody is of both ages."""
    low, high = max(one.low or 0, other.low or 0), [one.high, other.high]
    return one.at == other.at and any(top is not None and top < low for top in high)


def _replaced(form: Form | None, old: Form, new: Form) -> Form | None:
    if isinstance(form, And):
        return And(tuple(new if part is old else part for part in form.parts))
    return new if form is old else form
