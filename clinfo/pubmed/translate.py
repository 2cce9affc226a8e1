"""Translates PubMed queries: the tree of a query becomes a plan of lookups and PubMed's own
translation.

Terms with a tag are settled here, terms without one in `clinfo.pubmed.mapping`. An engine is asked
what its records have, because a phrase that is nowhere is left out or taken apart. Nothing recurses
over the tree, however deep it is; a definition of a filter and a quoted phrase that loses its
quotes are translated on their own.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date

from clinfo.errors import QueryRejected
from clinfo.pubmed import mapping
from clinfo.pubmed.dates import FIRST, LAST, read_days, read_last, written
from clinfo.pubmed.fields import (
    BY_CODE,
    DATES,
    HEADINGS,
    KEYS,
    PERSONS,
    SAYS_NOTHING_OF_THE_SUBJECT,
    STORES,
    TEXTS,
)
from clinfo.pubmed.filters import ALL, DEFINITIONS, FLAGS, SUBSETS, UNKNOWABLE
from clinfo.pubmed.lexer import has_operator
from clinfo.pubmed.limits import MAX_STARS
from clinfo.pubmed.mapping import IGNORED, Notes, Part, any_of, flat, joined, keys, phrase
from clinfo.pubmed.plan import (
    AnyOf,
    Days,
    Engine,
    Everything,
    Keys,
    Lookup,
    Near,
    Nothing,
    Numbers,
    Plan,
    Unscored,
)
from clinfo.pubmed.query import parse
from clinfo.pubmed.subheadings import explode_qualifier, qualifier_of
from clinfo.pubmed.tree import (
    Boolean,
    Line,
    Node,
    Parsed,
    Pmids,
    Range,
    Term,
    folded,
    parts_of,
    terms,
)
from clinfo.records.articles import MeshDescriptor
from clinfo.terms.mesh import Mesh
from clinfo.text.words import STOPWORDS, key, words

_LONGEST_TAGGED = 12
"""Words from the end of an unquoted phrase among which what its tag belongs to is looked for."""
_TAG = re.compile(r"\[[^\[\]]*\]\s*$")
_CHECK_TAGS = frozenset(
    ("human", "humans", "animal", "animals", "male", "female", "adult", "aged", "child", "infant")
)


@dataclass(kw_only=True)
class Translation(Notes):
    """A query as it is evaluated. ``decides`` says whether anything is left to search for; the plan
    finds nothing where not.
    """

    plan: Plan
    text: str
    messages: tuple[str, ...] = ()
    decides: bool = True


def translate(
    parsed: Parsed,
    engine: Engine,
    mesh: Mesh | None,
    today: date,
    history: Mapping[int, Plan] = {},
    *,
    automatic: bool = True,
    leave_out_unfilled: bool = False,
) -> Translation:
    """The meaning of a query for one engine.

    ``history`` holds the plans that ``#n`` may name. ``automatic`` false gives PubMed's second
    reading, in which words without a tag are looked for as they are. With ``leave_out_unfilled`` a
    tag of a field that no record of the engine has decides nothing, instead of finding nothing, and
    an unfilled heading is looked for as words. Raises QueryRejected for a query with more truncated
    terms than PubMed takes.
    """
    if sum(term.truncated for term in terms(parsed.tree)) > MAX_STARS:
        raise QueryRejected(f"a query may have no more than {MAX_STARS} truncated words (*)")
    notes = Notes()
    for remark in parsed.remarks:
        if remark.code == "unknown-tag":
            notes.fields_not_found[parsed.text[remark.start : remark.end].strip("[] ")] = None
    whole = _Translator(
        parsed.text, engine, mesh, today, history, notes, automatic, leave_out_unfilled
    ).part(parsed.tree)
    return Translation(
        **vars(notes),
        plan=Nothing() if whole.plan is None else whole.plan,
        text=parsed.text if whole.plan is None or whole.finds_nothing else flat(whole.text),
        decides=whole.plan is not None,
    )


class _Translator:
    """One translation of one text."""

    def __init__(
        self,
        source: str,
        engine: Engine,
        mesh: Mesh | None,
        today: date,
        history: Mapping[int, Plan],
        notes: Notes,
        automatic: bool,
        leave_out_unfilled: bool,
    ) -> None:
        self._source = source
        self._engine = engine
        self._mesh = mesh
        self._today = today
        self._history = history
        self._notes = notes
        self._automatic = automatic
        self._leave_out_unfilled = leave_out_unfilled
        self._mapping = mapping.TermMapping(engine, mesh, notes, automatic)
        self._filled: dict[str, bool] = {}

    def part(self, tree: Node | None) -> Part:
        """The part that a tree is."""
        return IGNORED if tree is None else folded(tree, parts_of, self._made)

    def _made(self, node: Node, parts: list[Part]) -> Part:
        return joined(node.operator, parts) if isinstance(node, Boolean) else self._leaf(node)

    def _leaf(self, node: Term | Range | Line | Pmids) -> Part:
        if isinstance(node, Term):
            return self._term(node)
        if isinstance(node, Range):
            return self._range(node)
        if isinstance(node, Pmids):
            texts = " OR ".join(f"{pmid}[UID]" for pmid in node.pmids)
            return Part(
                Unscored(keys("pmid", *(str(int(pmid)) for pmid in node.pmids))),
                texts,
                len(node.pmids) > 1,
            )
        plan = self._history.get(node.number)
        if plan is None:
            self._notes.phrases_not_found[f"#{node.number}"] = None
            self._notes.remarks[f"There is no search #{node.number}."] = None
            return Part(Nothing(), f"#{node.number}")
        return Part(plan, f"#{node.number}")

    def _term(self, term: Term) -> Part:
        if self._leave_out_unfilled:
            term = self._as_plain_heading(term)
            if term.field is not None and not self._is_filled(term.field):
                return self._unfilled(term)
        if term.subheading is not None:
            return self._heading_with_qualifier(term)
        if term.field in (None, "all") and not term.quoted:
            return self._untagged(term)
        if term.field is None:
            return self._quoted(term)
        return self._tagged(term)

    # words without a tag

    def _untagged(self, term: Term) -> Part:
        if not term.truncated:
            return self._mapping.part(term.text)
        before, _, last = term.text.removesuffix("*").rpartition(" ")
        found = words(last)
        if not found:
            return self._mapping.part(before)
        cut = self._text_part(Term(f"{last}*", "all"))
        if cut is None:
            self._not_found(term if not before else Term(f"{last}*"))
            cut = Part(Nothing(), f'"{" ".join(found)}*"[All Fields]')
        return joined("AND", [self._mapping.part(before), cut])

    def _quoted(self, term: Term) -> Part:
        """A phrase in quotes and without a tag: one that no record has loses its quotes, and its
        operators work.
        """
        flag = key(term.text)
        if flag in FLAGS:
            return self._mapping.part(term.text)
        if set(words(term.text)) <= STOPWORDS:
            self._notes.phrases_ignored[term.text] = None
            return IGNORED
        part = self._text_part(Term(term.text, "all", quoted=True))
        if part is not None:
            return part
        self._notes.quoted_phrases_not_found[f'"{term.text}"'] = None
        if len(words(term.text)) == 1:
            return Part(Nothing(), f'"{key(term.text)}"[All Fields]')
        self._notes.unquoted[f'"{term.text}"'] = None
        if has_operator(term.text):
            return self._apart(term.text.replace('"', " "))  # no further quotes are within
        return self._untagged(Term(term.text))

    def _apart(self, text: str, within: Notes | None = None) -> Part:
        """A text read on its own; a definition, whose notes go ``within`` others, knows no history
        and leaves nothing out.
        """
        inner, own = parse(text), within is None
        return _Translator(
            inner.text,
            self._engine,
            self._mesh,
            self._today,
            self._history if own else {},
            within or self._notes,
            self._automatic,
            own and self._leave_out_unfilled,
        ).part(inner.tree)

    # terms with a tag

    def _tagged(self, term: Term) -> Part:
        """A term in its field; words before it that are not in the field are taken off and
        mapped.
        """
        found = words(term.text)
        if not found:
            return IGNORED
        part = self._in_field(term)
        if part is not None:
            return part
        pieces = term.text.split(" ")
        if term.quoted or len(pieces) == 1:
            return self._none(term)
        # Of a text field the last word keeps the tag; of any other the longest name that is known.
        # A person keeps last name and initials: either alone would find whoever or whatever bears
        # it.
        person = term.field in PERSONS
        last = len(pieces) - 1
        for cut in range(max(1, len(pieces) - _LONGEST_TAGGED), last if person else len(pieces)):
            rest = Term(" ".join(pieces[cut:]), term.field, False, term.explode)
            part = self._in_field(rest)
            if part is not None or cut == last:
                typed = f'"{term.text}"{self._typed_tag(term)}'
                self._notes.remarks[
                    (
                        f'No record has {typed}; only "{rest.text}" was searched there, the rest '
                        "as words."
                    )
                ] = None
                before = self._mapping.part(" ".join(pieces[:cut]))
                return joined("AND", [before, part if part is not None else self._none(rest)])
        return self._none(term)

    def _in_field(self, term: Term) -> Part | None:
        """Return what a term finds in its field; None where no record and no table has it there."""
        field = term.field or "all"
        if field in TEXTS:
            return self._text_part(term)
        if term.truncated and field in STORES:
            return self._cut(term)
        if field in HEADINGS:
            return self._heading(term)
        if field in PERSONS:
            return self._person(term)
        if field in DATES:
            return self._date(term)
        special: dict[str, Callable[[Term], Part | None]] = {
            "sh": self._qualifier,
            "pt": self._type,
            "pa": self._action,
            "sb": self._filter,
            "pmid": self._pmid,
            "si": self._secondary_source,
        }
        return special.get(field, self._key)(term)

    def _if_any(self, lookup: Lookup, text: str, plan: Plan | None = None) -> Part | None:
        """The part for a lookup, or for the ``plan`` made of it; None where no record has any."""
        return Part(plan or lookup, text) if self._engine.has(lookup) else None

    def _none(self, term: Term) -> Part:
        self._not_found(term)
        return Part(Nothing(), f'"{term.text.lower()}"[{_name(term)}]')

    def _not_found(self, term: Term) -> None:
        """Note a term that no record has: a word as it is, a phrase in quotes, whether it was typed
        with them or not.
        """
        if term.quoted or (len(words(term.text)) > 1 and term.field is not None):
            self._notes.quoted_phrases_not_found[f'"{term.text}"{self._typed_tag(term)}'] = None
        else:
            self._notes.phrases_not_found[term.text] = None

    def _typed_tag(self, term: Term) -> str:
        if term.field is None:
            return ""
        typed = _TAG.search(self._source[term.start : term.end])
        return typed[0].strip() if typed else f"[{term.field}]"

    def _text_part(self, term: Term) -> Part | None:
        """Words, a phrase, a phrase cut off at its end, or words near each other, in the stores of
        a field.
        """
        stores = TEXTS[term.field or "all"]
        found = words(term.text)
        name = _name(term)
        if not found:
            return IGNORED
        if term.within is not None:
            near = Near(stores, tuple(found), term.within)
            return self._if_any(near, f'"{" ".join(found)}"[{name}:~{term.within}]')
        if len(found) == 1 and found[0] in STOPWORDS and not term.truncated:
            return None
        lookup = phrase(stores, found, term.truncated)
        star = "*" if term.truncated else ""
        return self._if_any(lookup, f'"{" ".join(found)}{star}"[{name}]')

    def _heading(self, term: Term) -> Part | None:
        store, _ = HEADINGS[term.field or "mh"]
        name = BY_CODE[term.field or "mh"].name
        descriptor = self._mesh.descriptor(term.text) if self._mesh is not None else None
        if descriptor is not None:
            part = mapping.heading_part(descriptor, self._mesh, store, name, term.explode)
            return self._or_as_borne(part, descriptor, keys(store, key(term.text)), term)
        return self._if_any(keys(store, key(term.text)), f'"{key(term.text)}"[{name}]')

    def _or_as_borne(self, part: Part, descriptor: MeshDescriptor, borne: Keys, term: Term) -> Part:
        """Return what a name means, or also the records that bear that very name: MeSH has renamed
        a heading since they were indexed.
        """
        if key(term.text) == key(descriptor.heading) or not self._engine.has(borne):
            return part
        qualifier = qualifier_of(term.subheading or "")
        name = f"{key(term.text)}/{qualifier.name}" if qualifier is not None else key(term.text)
        noexp = "" if term.explode else ":noexp"
        plan: Plan = Unscored(borne) if isinstance(part.plan, Unscored) else borne
        return joined(
            "OR", (part, Part(plan, f'"{name}"[{BY_CODE[term.field or "mh"].name}{noexp}]'))
        )

    def _heading_with_qualifier(self, term: Term) -> Part:
        """ "hypertension/therapy": heading and subheading with all below them, or neither."""
        field = term.field or "mh"
        _, store = HEADINGS.get(field, HEADINGS["mh"])
        qualifier = qualifier_of(term.subheading or "")
        descriptor = self._mesh.descriptor(term.text) if self._mesh is not None else None
        heading = key(descriptor.heading if descriptor is not None else term.text)
        if qualifier is None or (
            descriptor is None
            and not self._engine.has(keys(store, f"{heading}/{key(qualifier.name)}"))
        ):
            whole = f"{term.text}/{term.subheading}"
            if term.field is not None:
                return self._none(
                    Term(
                        whole, term.field, term.quoted, term.explode, start=term.start, end=term.end
                    )
                )
            return self._mapping.part(whole)
        headings, qualifiers = {heading}, {key(qualifier.name)}
        if term.explode:
            if self._mesh is not None and descriptor is not None:
                headings |= self._mesh.explode(descriptor.heading)
            qualifiers |= explode_qualifier(qualifier.name)
        own = keys(store, f"{heading}/{key(qualifier.name)}")
        others = frozenset(f"{one}/{other}" for one in headings for other in qualifiers) - own.keys
        plan: Plan = AnyOf((own, Unscored(keys(store, *others)))) if others else own
        shown = (descriptor.heading if descriptor is not None else heading).lower()
        noexp = "" if term.explode else ":noexp"
        part = Part(plan, f'"{shown}/{qualifier.name}"[{BY_CODE[field].name}{noexp}]')
        if descriptor is None:
            return part
        return self._or_as_borne(
            part, descriptor, keys(store, *(f"{key(term.text)}/{one}" for one in qualifiers)), term
        )

    def _qualifier(self, term: Term) -> Part | None:
        qualifier = qualifier_of(term.text)
        return mapping.qualifier_part(qualifier, term.explode) if qualifier is not None else None

    def _type(self, term: Term) -> Part | None:
        descriptor = self._mesh.descriptor(term.text) if self._mesh is not None else None
        if descriptor is not None and mapping.is_type(descriptor):
            part = mapping.type_part(descriptor, self._mesh, term.explode)
            return self._or_as_borne(part, descriptor, keys("pt", key(term.text)), term)
        own = keys("pt", key(term.text))
        return self._if_any(own, f'"{key(term.text)}"[{_name(term)}]', Unscored(own))

    def _action(self, term: Term) -> Part | None:
        """A pharmacological action: the heading with those below, and the substances that have it
        where the table of MeSH tells.
        """
        descriptor = self._mesh.descriptor(term.text) if self._mesh is not None else None
        if descriptor is None:
            text = key(term.text)
            found = self._if_any(keys("mh", text), f'"{text}"[{_name(term)}]')
        else:
            found = mapping.heading_part(descriptor, self._mesh, "mh", _name(term), term.explode)
            acting = self._mesh.members(descriptor) if self._mesh is not None else []
            if acting and found.plan is not None:
                return Part(
                    AnyOf((found.plan, Unscored(keys("mh", *map(key, acting))))), found.text
                )
        if found is not None:
            self._notes.remarks[
                (
                    f'"{term.text}" is searched as a MeSH heading: the substances with this action '
                    "are not known here."
                )
            ] = None
        return found

    def _person(self, term: Term) -> Part | None:
        """A name, cut off automatically unless it stands in quotes: "smith j" is any Smith whose
        first initial is J.
        """
        store = PERSONS[term.field or "au"]
        name = key(term.text)
        shown = f"{name}[{_name(term)}]"
        if term.quoted:
            return self._if_any(keys(store, name), f'"{name}"[{_name(term)}]')
        last = name.rpartition(" ")[2]
        lookups: list[Plan] = []
        if " " in name and len(last) <= 2:
            lookups.append(keys(store, name, prefix=True))
        else:
            # The space keeps "smith" from being the beginning of "smithson".
            lookups += [keys(store, name), keys(store, f"{name} ", prefix=True)]
            if store == "au" and " " in name:
                lookups += [keys("fau", name), keys("fau", f"{name} ", prefix=True)]
        known = [lookup for lookup in lookups if self._engine.has(lookup)]  # type: ignore[arg-type]
        return Part(any_of(known), shown) if known else None

    def _key(self, term: Term) -> Part | None:
        field = term.field or "ta"
        store = KEYS[field]
        value = key(term.text)
        own = keys(store, value)
        if field == "book":
            title = phrase(("bt",), words(term.text))
            known = [lookup for lookup in (own, title) if self._engine.has(lookup)]
            return Part(any_of(known), f'"{value}"[{_name(term)}]') if known else None
        plan: Plan = Unscored(own) if field in SAYS_NOTHING_OF_THE_SUBJECT else own
        return self._if_any(own, f'"{value}"[{_name(term)}]', plan)

    def _secondary_source(self, term: Term) -> Part | None:
        """A data bank, an accession number, or both with a slash between them."""
        value = "/".join(key(piece) for piece in term.text.split("/"))
        own = keys("si", value, key(term.text))
        return self._if_any(own, f'"{value}"[{_name(term)}]', Unscored(own))

    def _pmid(self, term: Term) -> Part | None:
        found = words(term.text)
        if not all(number.isdecimal() for number in found):
            return None
        own = keys("pmid", *(str(int(number)) for number in found))
        return Part(
            Unscored(own), " OR ".join(f"{number}[UID]" for number in found), len(found) > 1
        )

    def _cut(self, term: Term) -> Part | None:
        """Whole values that begin so."""
        value = key(term.text.removesuffix("*"))
        lookup = keys(STORES[term.field or "mh"], value, prefix=True)
        return self._if_any(lookup, f'"{value}*"[{_name(term)}]') if value else None

    def _filter(self, term: Term) -> Part | None:
        value = key(term.text)
        shown = f'"{value}"[Filter]'
        if value in ALL:
            return Part(Unscored(Everything()), "all[Filter]")
        if term.text.lower() in FLAGS or value in FLAGS:
            return Part(Unscored(keys("flag", value, term.text.lower())), shown)
        definition = DEFINITIONS.get(value)
        if definition is not None:
            plan = self._apart(definition, Notes()).plan  # what of it no record has is no news
            return Part(Unscored(plan if plan is not None else Nothing()), shown)
        if value in UNKNOWABLE:
            self._notes.remarks[
                (
                    f'The filter "{term.text}" cannot be applied here: no record states where its '
                    "full text is."
                )
            ] = None
            self._not_found(term)
            return Part(Nothing(), shown)
        subset = keys("sb", SUBSETS.get(value, value))
        return (
            Part(Unscored(subset), shown) if value in SUBSETS or self._engine.has(subset) else None
        )

    # dates

    def _date(self, term: Term) -> Part | None:
        field = term.field or "dp"
        name = _name(term)
        since = read_last(term.text, self._today)
        if since is not None:
            last = LAST if field == "dp" else self._today
            return Part(
                Unscored(Days(_with_electronic(field), since, last)),
                f"{written(since)}:{written(LAST)}[{name}]",
            )
        days = read_days(term.text)
        if days is None:
            return None
        return Part(
            Unscored(Days((field,), *days)), f"{written(days[0])}:{written(days[1])}[{name}]"
        )

    def _range(self, node: Range) -> Part:
        if node.field == "pmid":
            return self._numbers(node)
        field = node.field if node.field in DATES else "dp"
        name = BY_CODE[field].name
        if self._leave_out_unfilled and not self._is_filled(field):
            self._notes.unfilled[
                self._source[node.start : node.end] or f"{node.low}:{node.high}[{field}]"
            ] = None
            return IGNORED
        low = read_days(node.low) if node.low else (FIRST, FIRST)
        since = read_last(node.low, self._today) if node.low else None
        if since is not None:
            low = (since, since)
        high = read_days(node.high) if node.high else (LAST, LAST)
        if low is None or high is None:
            wrong = node.low if low is None else node.high
            self._notes.phrases_not_found[wrong] = None
            self._notes.remarks[f'"{wrong}" is not a date.'] = None
            return Part(Nothing(), f"{node.low}:{node.high}[{name}]")
        text = f"{written(low[0])}:{written(high[1])}[{name}]"
        if low[0] > high[1]:
            return Part(Nothing(), text)
        return Part(Unscored(Days(_with_electronic(field), low[0], high[1])), text)

    def _numbers(self, node: Range) -> Part:
        text = f"{node.low}:{node.high}[UID]"
        ends = [end.strip() for end in (node.low or "0", node.high or "9" * 12)]
        if not all(end.isdecimal() for end in ends):
            self._notes.phrases_not_found[text] = None
            return Part(Nothing(), text)
        return Part(Unscored(Numbers(int(ends[0]), int(ends[1]))), text)

    # fields that no record has filled

    def _is_filled(self, field: str) -> bool:
        if field not in self._filled:
            self._filled[field] = self._look_for_any(field)
        return self._filled[field]

    def _look_for_any(self, field: str) -> bool:
        if field in DATES:
            return self._engine.has(Days(_with_electronic(field), FIRST, LAST))
        store = "mh" if field == "pa" else STORES.get(field)
        return store is None or self._has_any(store)

    def _as_plain_heading(self, term: Term) -> Term:
        """A heading without its star or subheading, where the records have headings but nothing of
        that kind with them.
        """
        if term.field not in (None, *HEADINGS) or not self._is_filled("mh"):
            return term
        if (
            term.subheading is not None
            and qualifier_of(term.subheading)
            and not self._has_any("mhq")
        ):
            self._notes.remarks[
                "No record here has subheadings; the headings were searched alone."
            ] = None
            term = replace(term, subheading=None, field=term.field or "mh")
        if term.field == "majr" and not self._is_filled("majr"):
            self._notes.remarks[
                "No record here marks major topics; the headings were searched alone."
            ] = None
            term = replace(term, field="mh")
        return term

    def _has_any(self, store: str) -> bool:
        return self._engine.has(keys(store, "", prefix=True))

    def _unfilled(self, term: Term) -> Part:
        """A term of a field that no record has filled: a heading is looked for as words, anything
        else left out.
        """
        typed = f'"{term.text}"' if term.quoted else term.text
        about = words(term.text)
        subject = term.field in HEADINGS or term.field in ("nm", "pa")
        if subject and not (about and _CHECK_TAGS.issuperset(about)):
            self._notes.as_words[f"{typed}{self._typed_tag(term)}"] = None
            return self._term(Term(term.text, None, term.quoted, start=term.start, end=term.end))
        pieces = term.text.split(" ")
        if (
            not term.quoted
            and len(pieces) > 1
            and (term.field in DATES or term.field in ("la", "vi", "ip", "pg"))
        ):
            # Of these fields a value is one word, so that the words before it are no part of it.
            self._notes.unfilled[f"{pieces[-1]}{self._typed_tag(term)}"] = None
            return self._mapping.part(" ".join(pieces[:-1]))
        self._notes.unfilled[f"{typed}{self._typed_tag(term)}"] = None
        return IGNORED


def _name(term: Term) -> str:
    return BY_CODE[term.field or "all"].name


def _with_electronic(field: str) -> tuple[str, ...]:
    """A range of publication dates goes by the electronic date too, a single date only by the
    printed one.
    """
    return ("dp", "epdat") if field == "dp" else (field,)
