"""Automatic term mapping: what PubMed makes of words without a tag.

From the left the longest run of words that a table knows is taken: subjects (MeSH headings and
entry terms, subheadings, publication types, headings and substances that only the records know),
then journals, then authors. What no table knows is looked for in all fields, each word with its
other forms (`clinfo.text.plurals`). All that is found is AND-ed.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from clinfo.pubmed.fields import ALL_FIELDS
from clinfo.pubmed.filters import FLAGS
from clinfo.pubmed.plan import (
    All,
    AnyOf,
    Engine,
    Everything,
    Keys,
    Nothing,
    Phrase,
    Plan,
    Unscored,
    Without,
)
from clinfo.pubmed.subheadings import Qualifier, explode_qualifier, qualifier_of
from clinfo.pubmed.tree import Operator
from clinfo.records.articles import MeshDescriptor
from clinfo.terms.mesh import Mesh
from clinfo.text.plurals import variants
from clinfo.text.words import STOPWORDS, key, words

Rope = str | tuple["Rope", ...]
"""Text in pieces, put together once at the end: joining at every level would copy a deep query over
and over.
"""


@dataclass(frozen=True, eq=False)
class Part:
    """A translated piece of a query. ``wide``: its text is several terms, which need parentheses
    beside others.

    ``plan`` is None where the piece decides nothing, because all of it was ignored.
    """

    plan: Plan | None
    text: Rope = ""
    wide: bool = False

    @property
    def finds_nothing(self) -> bool:
        return isinstance(self.plan, Nothing)


IGNORED = Part(None)


@dataclass(kw_only=True)
class Notes:
    """The by-products of a translation: the groups of ESearch's error and warning lists, as typed,
    and sentences of our own (``remarks``); each once, in order.

    ``unquoted`` are the quoted phrases, without a tag, that no record has and whose words were
    searched instead. ``unfilled`` are tagged terms left out because no record has that field,
    ``as_words`` headings looked for as words for that reason (both only where that was asked for).
    ``mapped`` says whether a term was mapped automatically.
    """

    phrases_not_found: dict[str, None] = field(default_factory=dict)
    quoted_phrases_not_found: dict[str, None] = field(default_factory=dict)
    phrases_ignored: dict[str, None] = field(default_factory=dict)
    fields_not_found: dict[str, None] = field(default_factory=dict)
    unquoted: dict[str, None] = field(default_factory=dict)
    unfilled: dict[str, None] = field(default_factory=dict)
    as_words: dict[str, None] = field(default_factory=dict)
    remarks: dict[str, None] = field(default_factory=dict)
    translation_set: dict[tuple[str, str], None] = field(default_factory=dict)
    mapped: bool = False


def joined(operator: Operator, parts: Sequence[Part]) -> Part:
    """The parts under one operator; those that decide nothing are left out, and alternatives that
    find nothing are not shown.
    """
    if operator == "NOT":
        return _without(parts)
    kept = [part for part in parts if part.plan is not None]
    if len(kept) < 2:
        return kept[0] if kept else IGNORED
    if operator == "AND":
        return Part(
            All(tuple(part.plan for part in kept if part.plan is not None)),
            _beside(" AND ", kept),
            True,
        )
    found = [part for part in kept if not part.finds_nothing]
    if len(found) < 2:
        return found[0] if found else Part(Nothing(), _beside(" OR ", kept), True)
    return Part(
        AnyOf(tuple(part.plan for part in found if part.plan is not None)),
        _beside(" OR ", found),
        True,
    )


def _without(parts: Sequence[Part]) -> Part:
    first, excluded = parts[0], [part for part in parts[1:] if part.plan is not None]
    if first.plan is None:
        if not excluded:
            return IGNORED
        first = Part(Everything(), "all[Filter]")
    shown = [part for part in excluded if not part.finds_nothing]
    if not shown:
        return first
    assert first.plan is not None
    plans = tuple(part.plan for part in shown if part.plan is not None)
    return Part(
        Without(first.plan, plans[0] if len(plans) == 1 else AnyOf(plans)),
        _beside(" NOT ", [first, *shown]),
        True,
    )


def _beside(operator: str, parts: Iterable[Part]) -> Rope:
    pieces: list[Rope] = []
    for part in parts:
        if pieces:
            pieces.append(operator)
        pieces.append(("(", part.text, ")") if part.wide else part.text)
    return tuple(pieces)


def flat(rope: Rope) -> str:
    """The text of a rope of any depth."""
    pieces: list[str] = []
    pending: list[Rope] = [rope]
    while pending:
        one = pending.pop()
        if isinstance(one, str):
            pieces.append(one)
        else:
            pending += reversed(one)
    return "".join(pieces)


def any_of(lookups: Sequence[Plan]) -> Plan:
    """One plan for alternatives."""
    return lookups[0] if len(lookups) == 1 else AnyOf(tuple(lookups))


def keys(store: str, *values: str, prefix: bool = False) -> Keys:
    return Keys(store, frozenset(values), prefix)


def phrase(stores: tuple[str, ...], words: Sequence[str], prefix: bool = False) -> Phrase:
    return Phrase(stores, tuple(words), prefix)


_MOST_WORDS = 8
"""Words of the longest journal, type or substance that is looked for."""
_CHUNK = re.compile(r"\w+(?:['’‘‐‑–-]+\w+)*['’‘]?")
"""Words joined by a hyphen or an apostrophe; every other mark separates."""
_POSSESSIVE = re.compile(r"[^\W_]+['’‘][sS]")
_TYPES = "V"
"""The branch of MeSH that holds the publication types."""


@dataclass(frozen=True)
class _Unit:
    """A word of the query, or several that a hyphen or an apostrophe joins and that are searched as
    a phrase.
    """

    typed: str
    words: tuple[str, ...]

    @property
    def ignored(self) -> bool:
        return len(self.words) == 1 and self.words[0] in STOPWORDS


class TermMapping:
    """Maps text without a tag, for one query. Not for several threads."""

    def __init__(
        self, engine: Engine, mesh: Mesh | None, notes: Notes, automatic: bool = True
    ) -> None:
        self._engine = engine
        self._mesh = mesh
        self._notes = notes
        self._automatic = automatic

    def part(self, text: str) -> Part:
        """The words of ``text`` mapped; one that decides nothing where all of them are ignored."""
        units = list(_units(text))
        starts = [0]
        for unit in units:
            starts.append(starts[-1] + len(unit.words))
        row = [word for unit in units for word in unit.words]
        parts: list[Part] = []
        at = 0
        while at < len(units):
            taken, part = self._next(units, row, starts, at)
            if part is not None:
                parts.append(part)
            else:
                self._notes.phrases_ignored[units[at].typed] = None
            at += taken
        return joined("AND", parts)

    def _next(
        self, units: Sequence[_Unit], row: Sequence[str], starts: Sequence[int], at: int
    ) -> tuple[int, Part | None]:
        """The part that begins with unit ``at``, and how many units it takes; None where that one
        is ignored.
        """
        if units[at].typed.lower() in FLAGS:
            flag = key(units[at].typed)
            return 1, Part(
                Unscored(keys("flag", flag, units[at].typed.lower())),
                f"{units[at].typed.lower()}[All Fields]",
            )
        if self._automatic:
            for taken, make in self._matches(units, row, starts, at):
                if taken > 1 or not units[at].ignored:
                    return taken, self._noted(units[at : at + taken], make())
        if units[at].ignored:
            return 1, None
        return 1, self._noted(units[at : at + 1], _alternatives(self._forms(units[at])))

    def _matches(
        self, units: Sequence[_Unit], row: Sequence[str], starts: Sequence[int], at: int
    ) -> Iterator[tuple[int, Callable[[], Part]]]:
        """Yield what the tables know, the longest run first and at equal length the first table
        first.
        """
        known, descriptor = self._longest(row, starts, at)
        for taken in range(max(known, min(_MOST_WORDS, len(units) - at)), 0, -1):
            run = units[at : at + taken]
            text = " ".join(row[starts[at] : starts[at + taken]])
            if taken == known and descriptor is not None:
                yield taken, lambda run=run: self._subject(descriptor, run)  # type: ignore[misc]
            if taken > _MOST_WORDS:
                continue
            qualifier = qualifier_of(text) if len(text) > 2 else None
            if qualifier is not None and key(qualifier.name) == text:
                yield taken, lambda run=run: self._subject(None, run)  # type: ignore[misc]
            for store, name in (
                ("pt", "Publication Type"),
                ("mh", "MeSH Terms"),
                ("nm", "Supplementary Concept"),
            ):
                if self._engine.has(keys(store, text)):
                    one = Part(keys(store, text), f'"{text}"[{name}]')
                    yield (
                        taken,
                        lambda run=run, one=one, split=store != "nm": self._with_words(  # type: ignore[misc]
                            one, run, split
                        ),
                    )
            if self._engine.has(keys("ta", text)):
                journal = Part(keys("ta", text), f'"{text}"[Journal]')
                yield taken, lambda run=run, journal=journal: self._with_words(journal, run)  # type: ignore[misc]
            last = row[starts[at + taken] - 1]
            initials = len(last) <= 2 and last.isalpha() and last not in STOPWORDS
            if taken > 1 and initials and self._engine.has(keys("au", text, prefix=True)):
                yield (
                    taken,
                    lambda text=text: Part(  # type: ignore[misc]
                        keys("au", text, prefix=True), f"{text}[Author]"
                    ),
                )

    def _longest(
        self, row: Sequence[str], starts: Sequence[int], at: int
    ) -> tuple[int, MeshDescriptor | None]:
        """Units of the longest run that MeSH knows: one that does not end inside what a hyphen
        joins.
        """
        if self._mesh is None:
            return 0, None
        end = len(row)
        while end > starts[at]:
            found = self._mesh.longest(row[:end], starts[at])
            if found is None:
                return 0, None
            reached = starts[at] + found[0]
            if reached in starts:
                return starts.index(reached) - at, found[1]
            end = reached - 1
        return 0, None

    def _subject(self, descriptor: MeshDescriptor | None, run: Sequence[_Unit]) -> Part:
        """A subject: the heading with the narrower ones, the subheading of the same name, its words
        and phrase, and those typed.
        """
        parts: list[Part] = []
        text = " ".join(word for unit in run for word in unit.words)
        qualifier = qualifier_of(text) if len(text) > 2 else None
        if qualifier is not None and key(qualifier.name) == text:
            parts.append(qualifier_part(qualifier))
        if descriptor is None:
            return _alternatives([*parts, *self._worded(run)])
        parts.append(
            type_part(descriptor, self._mesh)
            if is_type(descriptor)
            else heading_part(descriptor, self._mesh)
        )
        if is_type(descriptor) and (topic := self._as_topic(descriptor)) is not None:
            parts.append(heading_part(topic, self._mesh))
        natural = words(in_natural_order(descriptor.heading))
        if " ".join(natural) != text:
            parts += self._worded([_Unit(word, (word,)) for word in natural], other_forms=False)
        return _alternatives([*parts, *self._worded(run)])

    def _as_topic(self, descriptor: MeshDescriptor) -> MeshDescriptor | None:
        assert self._mesh is not None
        names = (
            f"{descriptor.heading} as topic",
            f"{descriptor.heading}s as topic",
            f"{descriptor.heading} literature as topic",
        )
        return next(
            (found for name in names if (found := self._mesh.descriptor(name)) is not None), None
        )

    def _with_words(self, one: Part, run: Sequence[_Unit], split: bool = True) -> Part:
        return _alternatives([one, *self._worded(run, split=split)])

    def _worded(
        self, run: Sequence[_Unit], other_forms: bool = True, split: bool = True
    ) -> list[Part]:
        """The words of a known run in all fields: all of them anywhere, or next to each other; one
        word with its other forms.

        A name with a lone letter or number in it is not split: "vitamin" and "c" would be in every
        other record.
        """
        if len(run) == 1:
            return self._forms(run[0]) if other_forms else [_everywhere(run[0].words)]
        together = tuple(word for unit in run for word in unit.words)
        if not split or any(len(word) == 1 or word.isdigit() for word in together):
            return [_everywhere(together)]
        apart = joined("AND", [_everywhere(unit.words) for unit in run if not unit.ignored])
        return [
            Part(apart.plan, ("(", apart.text, ")") if apart.wide else apart.text),
            _shown(together),
        ]

    def _forms(self, unit: _Unit) -> list[Part]:
        """One word with its other forms, or a phrase that a hyphen made with those of its last
        word, in all fields.

        Of the other forms only those that some record has: PubMed's table, too, holds forms that
        occur.
        """
        typed = _everywhere(unit.words)
        if not self._automatic:
            return [typed]
        before, last = unit.words[:-1], unit.words[-1]
        if _POSSESSIVE.fullmatch(unit.typed):
            typed, before, last = _shown(unit.words), (), unit.words[0]
        forms = [form.split(" ") for form in variants(last)]
        parts = [
            _everywhere((*before, *form))
            for form in forms
            if len(form) == 1 and (*before, *form) != unit.words
        ]
        possessives = [
            form for form in forms if len(form) > 1 and not before and form != list(unit.words)
        ]
        held = [
            part for part in parts if isinstance(part.plan, Phrase) and self._engine.has(part.plan)
        ]
        return [
            typed,
            *held,
            *(_shown(form) for form in possessives if self._engine.has(phrase(ALL_FIELDS, form))),
        ]

    def _noted(self, run: Sequence[_Unit], part: Part) -> Part:
        """``part``, with the translation noted, and that nothing was found where no record has any
        of it.
        """
        typed = " ".join(unit.typed for unit in run)
        if part.wide and self._automatic:
            self._notes.mapped = True
            self._notes.translation_set[typed, flat(part.text)] = None
        if part.plan is None or self._found(part.plan):
            return part
        if len(run) == 1 and len(run[0].words) > 1:
            self._notes.quoted_phrases_not_found[f'"{typed}"'] = None
        else:
            self._notes.phrases_not_found[typed] = None
        # A subject that the tables know stays as it is; a word that nobody knows is left out.
        known = isinstance(part.plan, AnyOf) and not all(
            isinstance(one, Phrase) for one in part.plan.parts
        )
        return part if known else Part(Nothing(), part.text, part.wide)

    def _found(self, plan: Plan) -> bool:
        """Return whether some record has any of what a mapped part looks for (for words together:
        each of them).
        """
        pending: list[Plan] = [plan]
        while pending:
            one = pending.pop()
            if isinstance(one, AnyOf):
                pending += one.parts
            elif isinstance(one, All):
                if all(isinstance(part, Phrase) and self._engine.has(part) for part in one.parts):
                    return True
            elif isinstance(one, Unscored):
                pending.append(one.plan)
            elif not isinstance(one, Nothing) and self._engine.has(one):  # type: ignore[arg-type]
                return True
        return False


def is_type(descriptor: MeshDescriptor) -> bool:
    """Return whether a descriptor is a publication type."""
    return bool(descriptor.tree_numbers) and all(
        place.startswith(_TYPES) for place in descriptor.tree_numbers
    )


def heading_part(
    descriptor: MeshDescriptor,
    mesh: Mesh | None,
    store: str = "mh",
    name: str = "MeSH Terms",
    explode: bool = True,
) -> Part:
    """A heading, with the narrower ones where it is exploded; only its own name counts for
    relevance.
    """
    heading = key(descriptor.heading)
    narrower = (
        mesh.explode(descriptor.heading) - {heading}
        if mesh is not None and explode
        else frozenset()
    )
    own: Plan = keys(store, heading)
    plan = AnyOf((own, Unscored(keys(store, *narrower)))) if narrower else own
    return Part(plan, f'"{descriptor.heading.lower()}"[{name}{"" if explode else ":noexp"}]')


def type_part(descriptor: MeshDescriptor, mesh: Mesh | None, explode: bool = True) -> Part:
    """A publication type, with the narrower ones where it is exploded."""
    part = heading_part(descriptor, mesh, "pt", "Publication Type", explode)
    assert part.plan is not None
    return Part(Unscored(part.plan), part.text)


def qualifier_part(qualifier: Qualifier, explode: bool = True) -> Part:
    """A subheading, with those below it where it is exploded; only its own name counts for
    relevance.
    """
    name = key(qualifier.name)
    below = explode_qualifier(qualifier.name) - {name} if explode else frozenset()
    own: Plan = keys("sh", name)
    plan = AnyOf((own, Unscored(keys("sh", *below)))) if below else own
    return Part(plan, f'"{qualifier.name}"[MeSH Subheading{"" if explode else ":noexp"}]')


def in_natural_order(heading: str) -> str:
    """ "Pulmonary Disease, Chronic Obstructive" as it is said: "Chronic Obstructive Pulmonary
    Disease".
    """
    return " ".join(reversed(heading.split(", ")))


def _units(text: str) -> Iterator[_Unit]:
    for chunk in _CHUNK.findall(text):
        if found := words(chunk):
            yield _Unit(chunk, tuple(found))


def _everywhere(its_words: Sequence[str]) -> Part:
    return Part(phrase(ALL_FIELDS, its_words), f'"{" ".join(its_words)}"[All Fields]')


def _shown(its_words: Sequence[str]) -> Part:
    """A phrase that is shown, but decides nothing: what stands beside it includes all that it would
    find.
    """
    return Part(None, f'"{" ".join(its_words)}"[All Fields]')


def _alternatives(parts: Sequence[Part]) -> Part:
    """Any of the parts, each once."""
    by_text: dict[str, Part] = {}
    for part in parts:
        text = flat(part.text)
        if text not in by_text or by_text[text].plan is None:
            by_text[text] = part
    unlike = list(by_text.values())
    pieces: list[Rope] = []
    for part in unlike:
        pieces += [" OR ", part.text] if pieces else [part.text]
    plans = [part.plan for part in unlike if part.plan is not None]
    return Part(any_of(plans), tuple(pieces), len(unlike) > 1)
