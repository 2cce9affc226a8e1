"""Criteria in words → logical form, by a small grammar; what is not understood is asked back.

First what is said with figures and signs is read (`special`: ages, stages, genes, measured values,
days, …) and stands as one sign each, as does what stands in brackets; the rest is words, names and
cues (`tokens`). The grammar cuts them, the loosest first: ``before``/``after``, ``but``, ``,`` with
``and``/``or``, ``not``/``except``, ``with``/``who``. What is left between is a name (`phrases`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from clinfo.pipelines.cohort.ages import NOW
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
from clinfo.pipelines.cohort.items import (
    CHANGES,
    Items,
    Run,
    Type,
    both_of,
    first_of,
    flat,
    has_content,
    joint_of,
    stopped,
    trimmed,
)
from clinfo.pipelines.cohort.marks import with_quotes
from clinfo.pipelines.cohort.phrases import Terms
from clinfo.pipelines.cohort.pieces import pieces_of
from clinfo.pipelines.cohort.rephrased import (
    rephrased,
    sentences,
    without_bullets,
    without_initials,
)  # fmt: skip
from clinfo.pipelines.cohort.signs import Near, OneOf, Window
from clinfo.pipelines.cohort.special import signs
from clinfo.pipelines.cohort.tokens import Token, tokens
from clinfo.pipelines.cohort.whole_names import with_whole_names
from clinfo.terms.composed import is_listed
from clinfo.text.words import key

_MOST = 4_000
_GROUP = re.compile(r"(?<!\w)\(([^()]*)\)(?!\w)")
_INITIALS = re.compile(r"\b([A-Z]{2,6})\s*$")
_IF = re.compile(
    r"(?i)^\s*(?:and |but )*if (?P<if>(?:(?!\bthen\b).)+?)(?:,? then,? (?P<then>.+)|"
    r"(?!.*\bthen\b), (?P<else>.+))$"
)
_OUT = re.compile(
    r"(?i)^(?P<what>.+?)(?:\s*(?:→|->|:|=|—)\s*exclu(?:de[ds]?|sion)|"
    r",?\s+(?:is|are|must be|should be|"
    r"to be|will be) (?:excluded|ineligible|not (?:permitted|allowed|eligible)|prohibited|out)|"
    r"(?P<bare>,?\s+(?:not (?:permitted|allowed|eligible)|excluded|prohibited|disallowed)))$"
)
"""What is said to be left out after it was named."""
_HEADED = re.compile(
    r"(?i)(?:^|(?<=[.;,)\w])\s*)\b(?P<head>inclusion|exclusion|include|exclude|incl|excl)"
    r"(?:\.|(?: criteria| list)?)\s*(?::|-(?= ))\s*"
)
"""What begins a list of what is wanted or left out: "Exclusion criteria: …"."""
_CAUSE = re.compile(
    r"(?i)\bdie[ds]? (?:of|from)\b|\bdeaths? (?:of|from|due to)\b|"
    r"\bnot (?:due to|caused by|because of|secondary to)\b"
)
"""What asks for a cause, which no form says."""
_JOINING = re.compile(r"(?i)\b(?:or|and|not|non|no)\b|/|,")
_PRIVATE = re.compile("[\ue000-\uf8ff]")
_PLAIN_WITH = ("with", "w/", "w", "having", "among", "in people with", "in patients with",
               "in those with")  # fmt: skip
"""Words after which stands what somebody has, not what was done."""
_GIVEN = ("stopped", "current", "allergy", "family", "suspected")
_GIVEN_ON = (("family", "or"), ("family", "and"), ("suspected", "or"))
_AND, _HAD = Token("and", "but"), Token("with", "post")
_TUMOUR = re.compile(r"(?i)(?:cancer|carcinoma|sarcoma|blastoma|melanoma|neoplasm|tumou?r)s?$")


@dataclass(frozen=True, slots=True)
class NotUnderstood:
    """Words of the criteria that nothing is known of; what to do is for who wrote them to say.
    ``rest`` is what the other words are read as, None without one: to be told, never to be asked.
    """

    words: tuple[str, ...]
    rest: Form | None = None


def parse(text: str, terms: Terms) -> Form | NotUnderstood:
    """The logical form of criteria, or what of them is not understood."""
    try:
        return _Parser(terms).whole(text[:_MOST])
    except RecursionError:  # "no asthma no asthma …"
        return NotUnderstood((text.strip(),))


class _Parser:
    def __init__(self, terms: Terms) -> None:
        self._terms, self._items = terms, Items(terms)

    def whole(self, text: str) -> Form | NotUnderstood:
        said = without_bullets(_PRIVATE.sub(" ", text.replace("’", "'")))
        said = " ".join(said.split()).rstrip(" .?!;")
        self._items.unknown += _CAUSE.findall(said)
        said = with_quotes(said, self._items.signs)
        said = with_whole_names(said, self._items.signs, self._terms)
        said = rephrased(without_initials(said))
        said, self._items.signs = signs(said, self._items.signs)
        while (group := _GROUP.search(said)) is not None:
            said = self._without(said, group)
        whole = any(isinstance(one, OneOf) for one in self._items.signs.held)
        parts: list[Form] = []
        for left_out, listed in _headed(said):
            for one in sentences(listed, not whole):
                part = self._excluded(one, False) if left_out else self._sentence(one)
                parts += [part] if part is not None else []
        form = flat(And, parts) if parts else None
        if form is None and not self._items.unknown:
            self._items.unknown.append(text.strip())
        if self._items.unknown or form is None:
            return NotUnderstood(tuple(dict.fromkeys(self._items.unknown)), form)
        return _same_time(form)

    def _sentence(self, said: str) -> Form | None:
        """The form of a sentence; "if A, then B" holds where A does not, or B does."""
        if (out := _OUT.match(said)) is not None:
            return self._excluded(out["what"], out["bare"] is not None)
        if (cut := _IF.match(said)) is None:
            return self._any(self._either(tokens(said, self._items.signs, self._is_name)))
        condition, rest = self._sentence(cut["if"]), self._sentence(cut["then"] or cut["else"])
        if condition is None or rest is None:
            self._items.unknown.append("if")
            return None
        return Or((Not(condition), rest))

    def _excluded(self, said: str, bare: bool) -> Form | None:
        """Whoever has anything of what is said to be excluded left out; where nothing tells how
        far back "excluded" reaches, it is asked back.
        """
        pieces = pieces_of(tokens(said, self._items.signs, self._is_name), self._items.phrases)
        if bare and any(mark == "," for mark, _ in pieces):
            self._items.unknown.append("excluded")
        parts = [form for _, one in pieces if (form := self._items.item(one)) is not None]
        return Not(flat(Or, parts)) if parts else None

    def _without(self, said: str, group: re.Match[str]) -> str:
        """The text with what stands in brackets as one sign; with the words themselves where they
        name nothing alone ("pharyngitis (acute)"); without the initials that they stand for.
        """
        before, after, known = said[: group.start()], said[group.end() :], len(self._items.unknown)
        for inside in (group[1], *_with_noun(group[1], before)):
            inner = self._any(tokens(inside, self._items.signs, self._is_name))
            if len(self._items.unknown) == known and inner is not None:
                break
            del self._items.unknown[known:]
        else:
            return f"{before} {group[1]} {after}"
        if (short := _INITIALS.search(before)) is not None and isinstance(inner, Has):
            initials = "".join(word[0] for word in key(group[1]).split())
            if initials == short[1].lower() or self._items.phrases.one([short[1]]) is None:
                before = before[: short.start()]
        return f"{before} {self._items.signs.sign(inner)} {after}"

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
                one, other = (
                    self._items.signs.form(out[-2].text),
                    self._items.signs.form(token.text),
                )
                if one is not None and other is not None and _of_one_thing(one, other):
                    del out[-2:]
                    token = Token("sign", self._items.signs.sign(flat(Or, [one, other])))
            out.append(token)
        return out

    def _any(self, run: Run) -> Form | None:
        """Tokens with any connective."""
        run = _treated(trimmed(run))
        for at, token in enumerate(run):
            if isinstance(one := self._items.mark(token), OneOf):
                return self._one_of(run[:at], one.count, run[at + 1 :])
        if (cut := self._ordered(run)) is not None:
            left, right, order = cut
            people, left = _of_people(left)
            ahead, left = _beside(left, order)
            ahead = [*people, *ahead]
            behind, right = _beside(right[::-1], order)
            both = self._before(left, right[::-1], order)
            for beside in (ahead, behind[::-1]):
                both = both_of(both, self._list(beside)) if both and beside else both
            return both
        for at, token in enumerate(run):
            denies = at + 1 < len(run) and first_of(run[at + 1 :], ("with", "filler")).role in (
                "not", "nor", "except", "denied"
            )  # fmt: skip
            if token.role == "but" and denies and has_content(run[:at]):
                return both_of(self._list(run[:at]), self._any(run[at + 1 :]))
        return self._list([_AND if token.role == "but" else token for token in run])

    def _one_of(self, before: Run, count: int, after: Run) -> Form | None:
        parts = [
            part
            for _, piece in pieces_of(after, self._items.phrases)
            if (part := self._items.item(piece)) is not None
        ]  # fmt: skip
        if not parts:
            return None
        options = flat(And if count == 0 else Or, parts)
        if count > 1:
            parts = list(dict.fromkeys(parts))
            options = AtLeast(count, tuple(parts))
        if count > len(parts):
            self._items.unknown.append(f"at least {count} of {len(parts)}")
        return both_of(self._any(before) if has_content(before) else None, options)

    def _ordered(self, run: Run) -> tuple[Run, Run, str] | None:
        """What stands before and after words of order in time, and what these say of the first."""
        already = any(token.text.lower() == "already" for token in run)
        for at, token in enumerate(run):
            mark = self._items.mark(token)
            order = mark.order if isinstance(mark, Near) else token.role
            order = "before" if order == "when" and already else order
            if order not in ("before", "after", "either"):
                continue
            if has_content(run[:at]) and has_content(run[at + 1 :]):
                return run[: at + (order == "either")], run[at + 1 :], order
        if len(run) > 1 and run[-1].role == "later":
            cuts = [at for at, token in enumerate(run) if token.role in (",", "and")]
            who = [at for at, token in enumerate(run) if token.text.lower() == "who"]
            for at in (*reversed(cuts), *reversed(who)):
                if has_content(run[:at]) and has_content(run[at:]):
                    return run[:at], run[at + 1 : -1], "before"
        return None

    def _before(self, left: Run, right: Run, order: str) -> Form | None:
        """A relation in time of what stands left and right of its cue."""
        near = next(
            (one for token in left if isinstance(one := self._items.mark(token), Near)), None
        )
        left = [token for token in left if not isinstance(self._items.mark(token), Near)]
        self._items.unknown += [one.text for one in (*left, *right) if one.role == "stopped"]
        one, other = self._list(left), self._list(right)
        if one is None or other is None:
            return None
        if any(isinstance(part, Age) and part.low == part.high for part in (one, other)):
            self._items.unknown.append("age at an event")
            return None
        if order == "after":
            one, other = other, one
        if near is not None and order == "either":
            return Or((Before(one, other, near.days), Before(other, one, near.days)))
        return Before(one, other, near.days if near is not None else None)

    def _list(self, run: Run) -> Form | None:
        """Items with commas, and, or; items of other types are joined by and."""
        items = [
            (mark, form, piece)
            for mark, piece in pieces_of(run, self._items.phrases)
            if (form := self._items.item(piece)) is not None
        ]
        self._give_window(items)
        _give_cue(items)
        items = _either_of(items)
        types = [self._items.type_of(form) for _, form, _ in items]
        runs: list[list[tuple[str, Form]]] = []
        for at, (mark, form, piece) in enumerate(items):
            alike = at > 0 and types[at] == types[at - 1]
            if mark == "," and first_of(piece, ()).role == "with" and _is_or(runs):
                runs.append([("", form)])  # "A or B, with C"
                continue
            if mark == ",":
                mark = _next_mark(items, types, at) if alike else "and"
            if runs and self._belongs(last := runs[-1][-1][1], types[at], piece):
                assert isinstance(last, And)
                both = flat(Or if mark == "or" else And, [last.parts[-1], form])
                whole = flat(And, [*last.parts[:-1], both])
                self._items.by_with.add(whole)
                runs[-1][-1] = (runs[-1][-1][0], whole)
            elif runs and (alike or mark == "or"):
                runs[-1].append((mark, form))
            else:
                runs.append([("", form)])
        return flat(And, [self._with_all(_joined(one)) for one in runs]) if runs else None

    def _give_window(self, items: list[tuple[str, Form, list[Token]]]) -> None:
        """Give the time that stands at the last of several alternatives to all: "stroke or TIA in
        the last year".
        """
        for at in range(len(items) - 1, 0, -1):
            mark, last, piece = items[at]
            said = any(isinstance(self._items.mark(token), Window) for token in piece)
            if mark != "or" or not said or not isinstance(last, Has):
                continue
            times = {"since": last.since, "until": last.until}
            for before in range(at - 1, -1, -1):
                joined, one, own = items[before]
                if not isinstance(one, Has) or one.since or one.until or one.kind != last.kind:
                    break
                items[before] = (joined, replace(one, **times), own)  # type: ignore[arg-type]
                if joined not in ("or", ","):
                    break

    def _with_all(self, form: Form) -> Form:
        """What the last of several illnesses is said to be with, or without, given to all: "breast
        or ovarian cancer with a BRCA1 mutation" wants it of either.
        """
        if not isinstance(form, Or):
            return form
        last = form.parts[-1]
        if not isinstance(last, And):
            return form
        name, *having = last.parts
        alike = all(isinstance(one, Has) and one.kind == "condition" for one in form.parts[:-1])
        if last not in self._items.by_with or not alike or not isinstance(name, Has):
            return form
        return flat(And, [flat(Or, [*form.parts[:-1], name]), *having])

    def _belongs(self, last: Form, own: Type, piece: Run) -> bool:
        """Whether an item goes with the last part of the one before: "A with B or C"."""
        return (
            isinstance(last, And)
            and last in self._items.by_with
            and self._items.type_of(last.parts[-1]) == own
            and joint_of(piece) is None
        )


def _give_cue(items: list[tuple[str, Form, list[Token]]]) -> None:
    """Give what is said before the first of several things to all that have no cue of their own:
    "currently on aspirin and clopidogrel", "no longer on A or B", "allergic to A or B", "family
    history of A or B".
    """
    given = ""
    for at, (mark, form, piece) in enumerate(items):
        cues = {token.role for token in piece} - {"word", "name", "filler"}
        if cues or not isinstance(form, Has):
            given = next((one for one in _GIVEN if one in cues), "")
            continue
        if (form.kind == "drug" and given in ("current", "stopped", "allergy")) or (
            form.kind == "condition" and (given, mark) in _GIVEN_ON
        ):
            items[at] = (mark, _as_said(form, given), piece)
        elif given != "current":
            given = ""


def _as_said(form: Has, cue: str) -> Form:
    """A thing as a cue before it would have it."""
    if cue == "stopped":
        return And(stopped(form))
    return replace(form, **({"kind": "allergy"} if cue == "allergy" else CHANGES[cue]))


def _treated(run: Run) -> list[Token]:
    """The tokens, of which a "post" that says how somebody was treated is no word of order:
    "Crohn's, post colectomy", "bladder cancer post cystectomy".
    """
    return [
        _HAD
        if token.role == "after" and token.text.lower() == "post" and at
        and (run[at - 1].role == "," or _TUMOUR.search(run[at - 1].text) is not None)
        else token
        for at, token in enumerate(run)
    ]  # fmt: skip


def _with_noun(inside: str, before: str) -> list[str]:
    """What stands in brackets with the noun before them, which its parts may lack: "arthritis
    (rheumatoid or psoriatic)", "viral hepatitis (B or C)", "dementia (not Lewy body)".
    """
    if _JOINING.search(inside) is None:
        return []
    noun = re.search(r"[\w-]+$", before.rstrip()[-40:])
    return [f"{inside} {noun[0]}", f"{noun[0]} {inside}"] if noun is not None else []


def _headed(said: str) -> list[tuple[bool, str]]:
    """The criteria by the headings of their lists, each with whether what is listed is left out."""
    parts = _HEADED.split(said)
    heads = ["", *parts[1::2]]
    return [
        (head.lower().startswith("excl"), one.strip(" .;,"))
        for head, one in zip(heads, parts[::2], strict=True)
        if one.strip(" .;,")
    ]


def _beside(run: Run, order: str) -> tuple[Run, Run]:
    """What stands beyond the comma nearest to the end of a run, and what is between that and the
    end, where only the latter is said to be before or after something: "ECOG 0, chemotherapy
    followed by surgery".
    """
    last = max((at for at, token in enumerate(run) if token.role == ","), default=0)
    joined = any(token.role in ("and", "or", "but", "not", "later") for token in run)
    if order == "either" or joined or not (has_content(run[:last]) and has_content(run[last:])):
        return [], run
    return run[:last], run[last + 1 :]


def _of_people(run: Run) -> tuple[Run, Run]:
    """What stands before the last "who received" or the like, and the rest: who is meant has no
    part in an order in time.
    """
    for at in range(len(run) - 1, 0, -1):
        verb = run[at].role == "with" and run[at].text.lower() not in _PLAIN_WITH
        if verb and has_content(run[:at]) and has_content(run[at:]):
            return run[:at], run[at:]
    return [], run


def _of_one_thing(one: Form, other: Form) -> bool:
    """Whether both are values of one code, or both of genes or markers."""
    if isinstance(one, Or):
        return any(_of_one_thing(part, other) for part in one.parts)
    same = isinstance(one, Value) and isinstance(other, Value) and one.name == other.name
    return same or (isinstance(one, Gene) and isinstance(other, Gene))


def _either_of(
    items: Sequence[tuple[str, Form, list[Token]]],
) -> list[tuple[str, Form, list[Token]]]:
    """The items with what "either" begins, up to the last "or", as one: "A and either B or C"."""
    found: list[tuple[str, Form, list[Token]]] = []
    begun = False
    for mark, form, piece in items:
        if begun and mark == "or":
            found[-1] = (found[-1][0], flat(Or, [found[-1][1], form]), found[-1][2])
            continue
        begun = bool(found) and any(token.text.lower() == "either" for token in piece)
        found.append((mark, form, piece))
    return found


def _is_or(runs: Sequence[Sequence[tuple[str, Form]]]) -> bool:
    """Whether the items before are alternatives."""
    return bool(runs) and any(mark == "or" for mark, _ in runs[-1])


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
    return flat(Or, [flat(And, group) for group in groups])


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

    form = mapped(form, timed)
    return flat(And, form.parts) if isinstance(form, And) else form
