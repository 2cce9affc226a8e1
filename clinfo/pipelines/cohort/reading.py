"""Notes read to facts: listed diagnoses, drugs and procedures, and what the text names, by the
dictionary and the assertion of `clinfo.patients`.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import Any

from clinfo.patients.assertion import asserted
from clinfo.patients.assertion_cues import said_of_value
from clinfo.patients.coded import standing_by_name
from clinfo.patients.entities import KIND, Mention, find_mentions
from clinfo.patients.lexicon import form, standard
from clinfo.patients.records import Note, Record
from clinfo.patients.sections import Section, sections, sentence_at
from clinfo.pipelines.cohort.age_and_sex import age_sex_death
from clinfo.pipelines.cohort.alterations import stated_alterations
from clinfo.pipelines.cohort.facts import (
    PAST,
    Certainty,
    Fact,
    FactKind,
    Source,
    stated,
    stated_facts,
    stated_values,
)
from clinfo.terms.asked_names import asked
from clinfo.terms.composed import narrower_names
from clinfo.terms.naming import descriptor_of
from clinfo.text.words import key

_HEADING = re.compile(
    r"(?m)^[ \t]*#+[ \t]*(.+?)[ \t]*:?$|^(?!The |Patient |He |She |They )([A-Z][A-Za-z "
    r"/&-]{2,40}):[ \t]*"
)
Rules = tuple[tuple[str, FactKind], ...]
_KINDS: Rules = (
    (r"chief complaint|presenting complaint|reason for visit", "complaint"),
    (r"medication|drugs|prescri", "drug"),
    (r"allerg", "allergy"),
    (r"procedure|operation|surger|surgical", "procedure"),
    (r"problem|diagnos|impression|past medical|history|assessment", "condition"),
)
_CUES = (
    r"(?i)\bpresent(?:s|ing|ed) with[: ]",
    r"(?i)\b(?:was |is |been )?diagnosed (?:with|as having)[: ]",
    r"(?i)\b(?:has|had) an? (?:past |medical |known |documented )*history of[: ]",
    r"(?i)\b(?:past )?medical history (?:includes|is significant for|of)[: ]",
)
"""Words that an enumeration of conditions follows."""
_OF_PATIENT = re.compile(
    r"(?i)\s*(?:(?:the |this )?(?:patient|pt|he|she|they)\s+)?"
    r"(?:(?:is|was|has|had|been|also|now|currently|recently)\s+)*"
)
"""Words before such a cue that tells of the patient, and denies nothing."""
_LISTS: Rules = (
    (r"prescribed|medications?|started on|drugs", "drug"),
    (r"procedures?|operations?|surger", "procedure"),
    (r"immuni[sz]ations?|vaccin", "drug"),
    (r"care ?plan", "procedure"),
    (r"diagnos|problems?|conditions?", "condition"),
)
_TYPES: dict[str, FactKind] = {
    "disease": "condition", "finding": "condition", "injury": "condition", "mental": "condition",
    "mental disorder": "condition", "behaviour": "condition",
    "drug or substance": "drug", "drug class": "drug", "procedure": "procedure",
    "diagnostic procedure": "procedure", "treatment": "procedure", "surgery": "procedure",
}  # fmt: skip
"""The kinds of facts of the semantic types of clinfo/patients."""
_ALLERGIC = re.compile(
    r"(?i)\b(?:allerg(?:ic|y|ies) (?:to|:)|allergies:|intoleran(?:t|ce) (?:to|of)|"
    r"hypersensitiv\w+ to|(?:rash|hives|anaphyla\w+|reaction)\s+(?:with|to|from|after))\s*"
    r"(?:[\w-]+(?:,\s*|\s*/\s*|\s+(?:and|or)\s+)){0,4}$"
)
_ALLERGY = re.compile(r"(?i)^[\s-]*(?:allerg(?:y|ies|ic)|hypersensitivity|intoleran(?:ce|t))\b")
_YEAR_AFTER = re.compile(r"(?i)^\s*(?:,\s*)?(?:\(|(?:back )?in )(?P<year>(?:19|20)\d\d)\b")
_NEAR = 60
"""Characters on either side of a name that are looked at."""
LISTED_ALLERGY = re.compile(r"\s*\b(?:allergy to|allergic to|allergy|allergies)\b\s*")
_SMOKES = re.compile(
    r"(?i)\b(?:(?P<never>never (?:been a )?smoke[dr]|non-?smoker|denies (?:any )?smoking|"
    r"does(?: not|n['’]t) smoke)|(?P<past>(?:quite?|stopped) smoking|(?:ex|former)[- ]smoker)|"
    r"(?P<now>(?:active|current|is a|heavy|daily) smoker|(?:continues to|currently) smok(?:e|ing)|"
    r"reports smoking|currently smokes))\b"
)
SURE = 80
"""Percent (`Mention.sure`) under which a sentence is unclear. Chosen by reading each writer's
sentences with weights of the others' (`benchmarks.chart.fit_assertion`), docs/cohort.md.
"""
_SEMANTIC = re.compile(r"\s*\((?:[a-z/ ]+)\)?\s*$")
_SUSPECTED = re.compile(
    r"(?i)^(?:suspected|suspicion of|possible|probable|presumed|likely|query|rule out|r/o|\?)\s+"
)
_KIDNEYS = "Renal Insufficiency, Chronic"
_NOTHING = re.compile(r"(?i)no (?:active |known |current )?\w+|none|no complaints|n/?a|nil")
ASSERTED: dict[str, dict[str, Any]] = {
    "family": {"subject": "family"}, "negated": {"negated": True},
    "uncertain": {"certainty": "suspected"},
}  # fmt: skip
"""The fields of a fact that `clinfo.patients` asserts otherwise than of the patient."""
_ITEM = re.compile(r"(?m)^[ \t]*(?:[-*•]|\d+[.)])[ \t]+(.+?)[ \t]*$")
_SENTENCE_END = re.compile(r"\.(?=\s|$)")
_DOSE = re.compile(
    r"(?i)(?<![\w.])\d[\d.,]*\s*(?:mg|mcg|ug|g|ml|meq|unt|units?|iu|actuat|hr|day|%|mg/ml|/)\S*|"
    r"\b(?:\d+\s*(?:mg|ml|hr|day)\S*|nda\d+|oral|tablet|capsule|injection|injectable|solution|"
    r"suspension|pack|spray|mucosal|metered|dose|inhaler|inhalation|topical|cream|ointment|"
    r"extended|release|prefilled|syringe|transdermal|system|vaginal|ring|chewable|delayed|"
    r"product|once|twice|daily|bid|tid|qid|prn|po|iv|disintegrating|sublingual|auto|injector|"
    r"pen|cartridge|film|coated|powder|gas|medicated|patch|lotion|gel|drops?|ophthalmic)\b"
)
_BRAND = re.compile(r"\[([^\]]+)\]")
_SALT = re.compile(
    r"(?i)\s+(?:hydrochloride|hydrochlorid|sodium|potassium|calcium|succinate|tartrate|besylate|"
    r"maleate|fumarate|sulfate|phosphate|acetate|propionate|bitartrate|citrate|mesylate)$"
)


def read(record: Record) -> Iterator[Fact]:
    """All statements of a record's notes, note by note."""
    for note in record.notes:
        yield from read_note(note)


def read_note(note: Note) -> Iterator[Fact]:
    """The statements of a note in the order of its rules."""
    facts = (*age_sex_death(note.text), *_in_sections(note.text, note.time[:4]))
    excluded = {
        (fact.kind, fact.name): fact.source.start
        for fact in facts
        if fact.negated and fact.certainty == "confirmed"
    }  # a note that tells of an allergy and that it was excluded denies it
    for fact in facts:
        allergic = fact.kind == "allergy" or fact.name == "hypersensitivity"
        later = allergic and excluded.get((fact.kind, fact.name), -1) > fact.source.start
        if later and not fact.negated:
            continue
        yield replace(fact, source=replace(fact.source, note=note.id, time=note.time))


def _in_sections(text: str, written: str) -> Iterator[Fact]:
    """The statements of a text's sections, ``written`` in this year."""
    known = (one for one in sections(text) if one.kind != "other")  # those within a line too
    begun = {0: (0, "")} | {
        one.heading: (one.start, text[one.heading : one.start]) for one in known
    }
    begun |= {one.start(): (one.end(), one[1] or one[2]) for one in _HEADING.finditer(text)}
    heads = [(begin, *begun[begin]) for begin in sorted(begun)]
    taken: list[tuple[int, int]] = []
    for (begin, start, title), (end, _, _) in pairwise([*heads, (len(text), len(text), "")]):
        allergic, family = ("allerg" in title.lower(), "family" in title.lower())
        for fact in _section(text, start, end, _kind_of(title, _KINDS), taken):
            one = replace(fact, subject="family") if family else fact
            yield from _allergies(one) if allergic else [one]
        for fact in _stated(text[begin:end]):
            low, high = begin + fact.source.start, begin + fact.source.end
            if any(first < high and low < last for first, last in taken):
                continue
            year = _YEAR_AFTER.match(text, high, high + _NEAR)
            own = fact.kind in ("condition", "procedure") and not fact.said
            past = own and year is not None and year["year"] < written
            yield replace(fact, source=Source("", "", low, high), said=PAST if past else fact.said)


def _kind_of(said: str, rules: Rules) -> FactKind | None:
    """The kind of what stands under such a title, or in such a list."""
    return next((kind for pattern, kind in rules if re.search(pattern, said, re.IGNORECASE)), None)


def _allergies(fact: Fact) -> Iterator[Fact]:
    """The statements of an item of a list of allergies: the substance, and the allergy by its
    name.
    """
    substance = LISTED_ALLERGY.sub("", fact.name)
    yield replace(fact, kind="allergy", name=substance, concept=_concept(substance))
    name = fact.name if "allerg" in fact.name else f"{fact.name} allergy"
    yield replace(fact, kind="condition", name=name, concept=_concept(name))


@lru_cache(maxsize=20_000)
def _stated(text: str) -> tuple[Fact, ...]:
    """The facts of a section's text with places in it: notes are copied forward, so that the same
    section comes often.
    """
    smoking, measured = [*_smoking(text)], [*_of_patient(text, stated_facts(text))]
    mentions = find_mentions(text, standard())
    told = {at for one in smoking for at in range(one.source.start, one.source.end)}
    within = told | {at for one in measured for at in range(one.source.start, one.source.end)}
    named = [
        fact
        for fact in filter(None, (_of_mention(text, one) for one in mentions))
        if (within if fact.kind == "drug" else told).isdisjoint(
            range(fact.source.start, fact.source.end)
        )
    ]
    found = (of_tumour(text, fact, mentions) for fact in stated_values(text))
    staged = [*filter(None, found)]
    if {one.name for one in staged} == {"m"} and not any(_is_tumour(m.concept) for m in mentions):
        staged = [replace(one, certainty="unclear") for one in staged]  # or a segment of an artery
    others = [*staged, *stated_alterations(text)]
    return (*named, *_of_patient(text, others), *smoking, *measured)


def of_tumour(text: str, fact: Fact, mentions: Sequence[Mention]) -> Fact | None:
    """A stage, or a T alone, of a tumour or of nothing that its sentence names; a stage that stands
    beside the kidneys' disease as theirs; None of another disease's ("stage 2 hypertension"), and
    of a T beside other things alone (thyroxine, an image, a vertebra).
    """
    alone = (
        fact.name == "t" and not fact.said and text[fact.source.end : fact.source.end + 1] != "N"
    )
    if not alone and fact.name != "stage":
        return fact
    at, end = fact.source.start, fact.source.end
    low, high = sentence_at(text, at)
    own = [one for one in mentions if low <= one.start < high and (alone or "disease" in one.types)]
    if not own or any(map(_is_tumour, {one.concept for one in own})):
        return fact
    beside = [one for one in own if len(text[min(end, one.end) : max(at, one.start)].split()) <= 1]
    if fact.name == "stage" and any(one.concept == _KIDNEYS for one in beside):
        return replace(fact, name="ckd")
    return None if alone or beside else fact


@lru_cache(maxsize=1_000)
def _is_tumour(concept: str) -> bool:
    found = descriptor_of(concept)
    return found is not None and any(place.startswith("C04") for place in found.tree_numbers)


def _of_patient(text: str, facts: Iterable[Fact]) -> Iterator[Fact]:
    """Values without those that a text aims at, limits or asks for, and of relatives as theirs."""
    parts = sections(text)
    for fact in facts:
        at = fact.source.start
        said = said_of_value(text, at, fact.source.end)
        if any(part.kind == "family" and part.start <= at < part.end for part in parts):
            said = said or "family"
        if said != "aim":
            own = replace(fact, subject="family") if said else fact
            yield replace(own, certainty="unclear") if _is_older(text, parts, fact) else own


def _is_older(text: str, parts: Sequence[Section], fact: Fact) -> bool:
    """Return whether a value is read as past in a sentence that goes on with its unit, so that
    nobody knows which is of the day ("9.1 % last year, now 6.4 %").
    """
    start, end = fact.source.start, fact.source.end
    unit = re.split(r"\d\s*", text[start:end])[-1]
    if fact.kind != "observation" or not unit or unit not in text[end : sentence_at(text, end)[1]]:
        return False
    (found,) = asserted(text, parts, [Mention(start, end, text[start:end], "", ())])
    return found.assertion == "history"


def _smoking(text: str) -> Iterator[Fact]:
    """Yield whether one smokes, did, or never has, as notes of social history say it."""
    for match in _SMOKES.finditer(text):
        yield stated(
            "condition", "smoking", match.span(), concept=_concept("smoking"),
            negated=match.lastgroup == "never", said=PAST if match.lastgroup == "past" else "",
        )  # fmt: skip


def _of_mention(text: str, mention: Mention) -> Fact | None:
    kind = next((_TYPES[one] for one in mention.types if one in _TYPES), None)
    if kind is None:
        return None
    before = text[max(0, mention.start - _NEAR) : mention.start]
    after = text[mention.end : mention.end + _NEAR]
    if kind == "drug" and (_ALLERGIC.search(before) or _ALLERGY.match(after)):
        kind = "allergy"
    ended = mention.assertion == "history" and kind != "allergy"
    told = {**ASSERTED.get(mention.assertion, {}), "said": PAST if ended else ""}
    if mention.sure < SURE:
        told["certainty"] = "unclear"
    span, concept = (mention.start, mention.end), _concept(mention.concept)
    return stated(kind, _name_of(mention.text, mention.concept), span, concept=concept, **told)


@lru_cache(maxsize=20_000)
def _name_of(said: str, heading: str) -> str:
    """The name of a mention: as written where MeSH has it under a wider heading, which is the name
    else (acute lymphoblastic leukemia is narrower than "… Leukemia-Lymphoma").
    """
    found, own = descriptor_of(heading), form(key(said))
    terms = found.entry_terms if found is not None else ()
    spelt = next((term for term in terms if form(key(term)) == own), said)
    narrower = found is not None and narrower_names(spelt, found)
    return key(spelt if narrower else heading)


def _section(
    text: str, start: int, end: int, kind: FactKind | None, taken: list[tuple[int, int]]
) -> Iterator[Fact]:
    """The listed items of a section; the places of lines that are nothing else go to ``taken``."""
    listed = kind
    for line in re.finditer(r"[^\n]+", text[start:end]):
        at, said = start + line.start(), line.group()
        whole = at, at + len(said)
        if (item := _ITEM.match(said)) is not None:
            if listed is not None and not _in_words(item[1], listed):
                taken.append(whole)
                said = standing_by_name("allergy", "present", item[1].strip(" ."), "")
                if listed != "allergy" or said == "present":
                    yield from _named(text, listed, at + item.start(1), at + item.end(1))
            continue
        cues = [
            match for cue in _CUES for match in re.finditer(cue, said)
            if _OF_PATIENT.fullmatch(said, said.rfind(". ", 0, match.start()) + 1, match.start())
        ]  # fmt: skip
        for match in cues:
            stop = _SENTENCE_END.search(said, match.end())
            last = at + (stop.start() if stop else len(said))
            yield from _enumerated(text, "condition", at + match.end(), last)
            taken.append((at + match.start(), last))
        if cues:
            continue
        head = _kind_of(said, _LISTS)
        if head is not None and said.rstrip().endswith(":"):
            listed = head
            taken.append(whole)
        elif lists := [*_lists(said)]:
            for head, first, last in lists:
                yield from _enumerated(text, head, at + said.index(":", first) + 1, at + last)
                taken.append((at + first, at + last))
        elif kind == "allergy":
            stop = _SENTENCE_END.search(said)
            last = at + (stop.start() if stop else len(said))
            if standing_by_name(kind, "present", text[at:last].strip(), "") == "present":
                yield from _enumerated(text, kind, at, last)
            taken.append((at, last))
        elif kind in ("drug", "complaint") and not _NOTHING.match(said.strip()):
            yield from _enumerated(text, kind, *whole, ";")
            taken.append(whole)


def _in_words(item: str, kind: FactKind) -> bool:
    """Return whether an item of a list of conditions is no name of one but has names in it, which
    are read as in any sentence ("Hypertension: lisinopril 10 mg daily").
    """
    named = kind != "condition" or any(concept for _, concept, _ in names_of(item, kind))
    return not named and bool(find_mentions(item, standard()))


def _lists(line: str) -> Iterator[tuple[FactKind, int, int]]:
    """The lists within a line, each with its kind, from the sentence that names it before a colon
    up to the next with a colon.
    """
    starts = [0, *(end.end() for end in _SENTENCE_END.finditer(line)), len(line)]
    titled = [a for a, b in pairwise(starts) if ":" in line[a:b]]
    for first, last in pairwise([*titled, len(line)]):
        if (kind := _kind_of(line[first:last].partition(":")[0], _LISTS)) is not None:
            yield kind, first, first + len(line[first:last].rstrip().rstrip("."))


def _enumerated(text: str, kind: FactKind, start: int, end: int, mark: str = ",") -> Iterator[Fact]:
    """The items between marks; a mark within brackets is of its item."""
    depth, at = 0, start
    for position in range(start, end + 1):
        sign = text[position] if position < end else mark
        depth += (sign == "(") - (sign == ")" and depth > 0)
        if (sign == mark and (depth == 0 or position == end)) or sign == ";":
            yield from _named(text, kind, at, position)
            at = position + 1


def _named(text: str, kind: FactKind, start: int, end: int) -> Iterator[Fact]:
    """The facts of one item: a condition under its name, a drug under each of its ingredients."""
    item = text[start:end]
    if kind == "allergy":  # what it does to the patient stands behind it
        item = item.partition(":")[0].partition("(")[0]
    start += len(item) - len(item.lstrip())
    item = item.strip().rstrip(".")
    if not item or _NOTHING.fullmatch(item):
        return
    span, asserted = (start, start + len(item)), _asserted(item)
    for name, concept, certainty in names_of(item, kind):
        yield stated(kind, name, span, concept=concept, **{"certainty": certainty, **asserted})
        substance = LISTED_ALLERGY.sub("", name)
        if kind == "condition" and substance and substance != name:
            of = _concept(substance)
            yield stated("allergy", substance, span, concept=of, certainty=certainty)
    for fact in _of_patient(item, stated_facts(item)) if kind == "condition" else ():
        yield replace(fact, source=Source("", "", *span))


@lru_cache(maxsize=20_000)
def _asserted(item: str) -> dict[str, Any]:
    """The assertion of an item of a list on the one thing that it names, where it does not affirm
    it of the patient: "brother: gout", "no asthma", "?asthma".
    """
    found = {mention.assertion for mention in find_mentions(item, standard())}
    return ASSERTED.get(next(iter(found)), {}) if len(found) == 1 else {}


@lru_cache(maxsize=20_000)
def names_of(item: str, kind: FactKind) -> tuple[tuple[str, str, Certainty], ...]:
    """The names of an item, as keys, each with its MeSH identifier and how certain it is."""
    if kind == "drug":
        parts = [*_BRAND.findall(item), *_BRAND.sub(" ", item).split(" / ")]
        names = [" ".join(_DOSE.sub(" ", part).split()).strip(" ,;/-") for part in parts]
        made = ((key(name), _concept(name) or _concept(_SALT.sub("", name))) for name in names)
        found = dict(made)
        if not any(found.values()):  # in words around it
            mentions = find_mentions(item, standard())
            said = (m for m in mentions if any(_TYPES.get(one) == "drug" for one in m.types))
            found = {key(one.concept): _concept(one.concept) for one in said} or found
        return tuple((name, concept, "confirmed") for name, concept in found.items() if name)
    plain = _SEMANTIC.sub("", KIND.sub("", item))
    certain = _SUSPECTED.sub("", plain)
    certainty: Certainty = "confirmed" if certain == plain else "suspected"
    return ((key(certain), _concept(certain), certainty),) if key(certain) else ()


def _concept(name: str) -> str:
    listed = asked(name)
    single = listed is not None and listed.kind == "condition" and len(listed.takes) == 1
    found = descriptor_of(listed.takes[0] if listed is not None and single else name)
    return found.ui if found is not None else ""
