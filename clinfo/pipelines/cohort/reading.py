"""Notes read to facts: listed diagnoses, drugs and procedures, and what the text names, by the
dictionary and the assertion of `clinfo.patients`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any

from clinfo.patients.entities import Mention, find_mentions
from clinfo.patients.lexicon import standard
from clinfo.patients.records import Note, Record
from clinfo.pipelines.cohort.age_and_sex import age_sex_death
from clinfo.pipelines.cohort.alterations import stated_alterations
from clinfo.pipelines.cohort.facts import AT_LEAST, PAST, Certainty, Fact, FactKind, Source
from clinfo.pipelines.cohort.quantities import stated_quantities
from clinfo.pipelines.cohort.values import stated_values
from clinfo.terms.asked_names import asked
from clinfo.terms.naming import descriptor_of
from clinfo.text.words import key

_HEADING = re.compile(
    r"(?m)^[ \t]*#+[ \t]*(.+?)[ \t]*:?$|^(?!The |Patient |He |She |They )([A-Z][A-Za-z "
    r"/&-]{2,40}):[ \t]*"
)
Rule = tuple[re.Pattern[str], FactKind]


def _compiled(rows: tuple[tuple[str, FactKind], ...]) -> tuple[Rule, ...]:
    return tuple((re.compile(pattern, re.IGNORECASE), kind) for pattern, kind in rows)


_KINDS = _compiled(
    (
        (r"chief complaint|presenting complaint|reason for visit", "complaint"),
        (r"medication|drugs|prescri", "drug"),
        (r"procedure|operation|surger|surgical", "procedure"),
        (r"problem|diagnos|impression|past medical|history|assessment", "condition"),
    )
)
_CUES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\bpresent(?:s|ing|ed) with[: ]",
        r"\b(?:was |is |been )?diagnosed (?:with|as having)[: ]",
        r"\b(?:has|had) an? (?:past |medical |known |documented )*history of[: ]",
        r"\b(?:past )?medical history (?:includes|is significant for|of)[: ]",
    )
)
"""What an enumeration of conditions follows."""
_OF_PATIENT = re.compile(
    r"(?i)\s*(?:(?:the |this )?(?:patient|pt|he|she|they)\s+)?"
    r"(?:(?:is|was|has|had|been|also|now|currently|recently)\s+)*"
)
"""What stands before such a cue that tells of the patient, and denies nothing."""
_LISTS = _compiled(
    (
        (r"prescribed|medications?|started on|drugs", "drug"),
        (r"procedures?|operations?|surger", "procedure"),
        (r"immuni[sz]ations?|vaccin", "drug"),
        (r"care ?plan", "procedure"),
        (r"diagnos|problems?|conditions?", "condition"),
    )
)
_TYPES: dict[str, FactKind] = {
    "disease": "condition", "finding": "condition", "injury": "condition", "mental": "condition",
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
_ENDED_BEFORE = re.compile(
    r"(?i)\b(?:stopped|discontinued|ceased|came off|come off|weaned off|taken off|"
    r"no longer (?:on|taking|takes|using|uses|has)|previously (?:on|took|taking|had|treated with)|"
    r"used to (?:take|be on|have)|formerly (?:on|had)|was (?:previously )?on|previous|prior|"
    r"childhood|remote|resolved|past)\s+(?:the |his |her |their |an? )?$"
)
_ENDED_AFTER = re.compile(
    r"(?i)^\s*(?:\w+\s+)?(?:(?:was|were|has been|had been|now|since|fully|-|,)\s+){0,2}"
    r"\(?(?:stopped|discontinued|ceased|d/c'?d|resolved|in remission|withdrawn|cured|"
    r"until\s+(?:19|20)\d\d)\b"
)
_YEAR_AFTER = re.compile(r"(?i)^\s*(?:,\s*)?(?:\(|(?:back )?in )(?P<year>(?:19|20)\d\d)\b")
_NEAR = 60
"""Characters on either side of a name that are looked at."""
_LISTED_ALLERGY = re.compile(r"\s*\b(?:allergy to|allergic to|allergy|allergies)\b\s*")
_SMOKES = re.compile(
    r"(?i)\b(?:(?P<never>never (?:been a )?smoke[dr]|non-?smoker|denies (?:any )?smoking|"
    r"does(?: not|n['’]t) smoke)|(?P<past>(?:quite?|stopped) smoking|(?:ex|former)[- ]smoker)|"
    r"(?P<now>(?:active|current|is a|heavy|daily) smoker|(?:continues to|currently) smok(?:e|ing)|"
    r"reports smoking|currently smokes))\b"
)
SURE = 90
"""Percent (`Mention.sure`) under which a sentence is unclear. Chosen by reading each writer's
sentences with weights of the others' (`benchmarks.chart.fit_assertion`), docs/cohort.md.
"""
_SEMANTIC = re.compile(r"\s*\((?:[a-z/ ]+)\)?\s*$")
_SUSPECTED = re.compile(
    r"(?i)^(?:suspected|suspicion of|possible|probable|presumed|likely|query|rule out|r/o|\?)\s+"
)
_NOTHING = re.compile(r"(?i)no (?:active |known |current )?\w+|none|no complaints|n/?a|nil")
_RELATIVES_ITEM = re.compile(
    r"(?i)(?:(?:maternal|paternal|older|younger|twin|half)\s+)*(?:mother|father|mum|mom|dad|parents?|"
    r"brothers?|sisters?|sibs|siblings?|sons?|daughters?|aunts?|uncles?|cousins?|grand\w+)\b[^:]{0,20}:"
)
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
    text = note.text
    heads = [
        (match.start(), match.end(), match.group(1) or match.group(2))
        for match in _HEADING.finditer(text)
    ]
    yield from age_sex_death(note)
    taken: list[tuple[int, int]] = []
    starts = [*heads, (len(text), len(text), "")]
    if not heads or heads[0][0] > 0:
        heads, starts = [(0, 0, ""), *heads], [(0, 0, ""), *starts]
    for (begin, start, title), (end, _, _) in zip(heads, starts[1:], strict=True):
        kind = next((kind for pattern, kind in _KINDS if pattern.search(title)), None)
        allergic = "allerg" in title.lower()
        family = "family" in title.lower()
        for fact in _section(note, start, end, kind, taken):
            one = replace(fact, subject="family") if family else fact
            yield from _allergies(one) if allergic else [one]
        if not allergic:
            yield from _free(note, begin, end, taken)


def _allergies(fact: Fact) -> Iterator[Fact]:
    """What an item of a list of allergies states: the substance, and the allergy by its name."""
    substance = _LISTED_ALLERGY.sub("", fact.name)
    yield replace(fact, kind="allergy", name=substance, concept=_concept(substance))
    name = fact.name if "allerg" in fact.name else f"{fact.name} allergy"
    yield replace(fact, kind="condition", name=name, concept=_concept(name))


def _free(note: Note, start: int, end: int, taken: list[tuple[int, int]]) -> Iterator[Fact]:
    """Yield what a section states outside of its lists."""
    stated = _stated(note.text[start:end])
    for one in stated:
        first, last = start + one.source.start, start + one.source.end
        if not any(low < last and first < high for low, high in taken):
            year = _YEAR_AFTER.match(note.text[last : last + _NEAR])
            own = one.kind in ("condition", "procedure") and not one.said
            if own and year is not None and year["year"] < note.time[:4]:
                one = replace(one, said=PAST)
            yield replace(one, source=Source(note.id, note.time, first, last))


@lru_cache(maxsize=20_000)
def _stated(text: str) -> tuple[Fact, ...]:
    """The facts of a section's text with places in it: notes are copied forward, so that the same
    section comes often.
    """
    found = [_of_mention(text, mention) for mention in find_mentions(text, standard())]
    smoking = [*_smoking(text)]
    told = [(one.source.start, one.source.end) for one in smoking]
    facts = [
        fact for fact in found if fact is not None
        and not any(low < fact.source.end and fact.source.start < high for low, high in told)
    ]  # fmt: skip
    facts += [
        Fact("stage", one.name, Source("", "", one.start, one.end), value=one.value, said=one.said)
        for one in stated_values(text)
    ]
    facts += [
        Fact("alteration", name, Source("", "", low, high), said=said, negated=denied)
        for name, said, denied, low, high in stated_alterations(text)
    ]
    facts += _measured(text)
    facts += smoking
    return tuple(facts)


def _smoking(text: str) -> Iterator[Fact]:
    """Yield whether one smokes, did, or never has, as notes of social history say it."""
    for match in _SMOKES.finditer(text):
        said = match.lastgroup
        yield Fact(
            "condition", "smoking", Source("", "", *match.span()), _concept("smoking"),
            negated=said == "never", said=PAST if said == "past" else "",
        )  # fmt: skip


def _measured(text: str) -> list[Fact]:
    """The measured values of a text; of "30+" only the least is known."""
    return [
        Fact(
            "observation", code, Source("", "", low, high), value=value, unit=unit,
            said=AT_LEAST if text[high : high + 1] == "+" else "",
        )
        for code, value, unit, low, high in stated_quantities(text)
    ]  # fmt: skip


def _of_mention(text: str, mention: Mention) -> Fact | None:
    kind = next((_TYPES[one] for one in mention.types if one in _TYPES), None)
    if kind is None:
        return None
    before = text[max(0, mention.start - _NEAR) : mention.start]
    after = text[mention.end : mention.end + _NEAR]
    if kind == "drug" and (_ALLERGIC.search(before) or _ALLERGY.match(after)):
        kind = "allergy"
    ended = _ENDED_BEFORE.search(before) or _ENDED_AFTER.match(after)
    said, clear = mention.assertion, mention.sure >= SURE
    return Fact(
        kind,
        key(mention.concept),
        Source("", "", mention.start, mention.end),
        _concept(mention.concept),
        certainty="unclear" if not clear else "suspected" if said == "uncertain" else "confirmed",
        negated=said == "negated",
        subject="family" if said == "family" else "patient",
        said=PAST if kind != "allergy" and ended else "",
    )


def _section(
    note: Note, start: int, end: int, kind: FactKind | None, taken: list[tuple[int, int]]
) -> Iterator[Fact]:
    """The listed items of a section; the places of lines that are nothing else go to ``taken``."""
    text = note.text
    listed = kind
    for line in re.finditer(r"[^\n]+", text[start:end]):
        at, said = start + line.start(), line.group()
        if (item := _ITEM.match(said)) is not None:
            if listed is not None:
                taken.append((at, at + len(said)))
                yield from _named(note, listed, at + item.start(1), at + item.end(1))
            continue
        cued = False
        for cue in _CUES:
            for match in cue.finditer(said):
                begin = max(said.rfind(". ", 0, match.start()) + 1, 0)
                if _OF_PATIENT.fullmatch(said, begin, match.start()) is None:
                    continue
                stop = _SENTENCE_END.search(said, match.end())
                last = stop.start() if stop else len(said)
                yield from _enumerated(note, "condition", at + match.end(), at + last)
                taken.append((at + match.start(), at + last))
                cued = True
        if cued:
            continue
        head = next((kind for pattern, kind in _LISTS if pattern.search(said)), None)
        if head is not None and said.rstrip().endswith(":"):
            listed = head
            taken.append((at, at + len(said)))
        elif head is not None and ":" in said:
            opened = said.index(":") + 1
            ended = len(said.rstrip().rstrip("."))
            yield from _enumerated(note, head, at + opened, at + ended)
            taken.append((at, at + len(said)))
        elif kind in ("drug", "complaint") and not _NOTHING.match(said.strip()):
            yield from _enumerated(note, kind, at, at + len(said), ";")
            taken.append((at, at + len(said)))


def _enumerated(
    note: Note, kind: FactKind, start: int, end: int, mark: str = ","
) -> Iterator[Fact]:
    """The items between marks; a mark within brackets is of its item."""
    depth, at = 0, start
    for position in range(start, end + 1):
        sign = note.text[position] if position < end else mark
        depth += (sign == "(") - (sign == ")" and depth > 0)
        if (sign == mark and (depth == 0 or position == end)) or sign == ";":
            yield from _named(note, kind, at, position)
            at = position + 1


def _named(note: Note, kind: FactKind, start: int, end: int) -> Iterator[Fact]:
    """The facts of one item: a condition under its name, a drug under each of its ingredients."""
    said = note.text[start:end]
    start += len(said) - len(said.lstrip())
    said = said.strip().rstrip(".")
    if not said or _NOTHING.fullmatch(said):
        return
    source = Source(note.id, note.time, start, start + len(said))
    asserted = _asserted(said)
    for name, concept, certainty in names_of(said, kind):
        own = Fact(kind, name, source, concept, certainty=certainty)
        yield replace(own, **asserted) if asserted else own
        substance = _LISTED_ALLERGY.sub("", name)
        if kind == "condition" and substance and substance != name:
            yield Fact("allergy", substance, source, _concept(substance), certainty=certainty)
    if kind == "condition":
        for fact in _measured(said):
            yield replace(fact, source=source)


@lru_cache(maxsize=20_000)
def _asserted(said: str) -> dict[str, Any]:
    """What an item of a list says of the one thing that it names, where it does not affirm it of
    the patient: "brother: gout", "no asthma", "?asthma".
    """
    if _RELATIVES_ITEM.match(said):
        return {"subject": "family"}
    found = {mention.assertion for mention in find_mentions(said, standard())}
    changes: dict[str, dict[str, Any]] = {
        "family": {"subject": "family"}, "negated": {"negated": True},
        "uncertain": {"certainty": "suspected"},
    }  # fmt: skip
    return changes.get(next(iter(found)), {}) if len(found) == 1 else {}


@lru_cache(maxsize=20_000)
def names_of(said: str, kind: FactKind) -> tuple[tuple[str, str, Certainty], ...]:
    """The names of an item, as keys, each with its MeSH identifier and how certain it is."""
    if kind == "drug":
        parts = [*_BRAND.findall(said), *_BRAND.sub(" ", said).split(" / ")]
        names = [" ".join(_DOSE.sub(" ", part).split()).strip(" ,;/-") for part in parts]
        return tuple(
            dict.fromkeys(
                (key(name), _concept(name) or _concept(_SALT.sub("", name)), "confirmed")
                for name in names
                if key(name)
            )
        )
    plain = _SEMANTIC.sub("", said)
    certain = _SUSPECTED.sub("", plain)
    certainty: Certainty = "confirmed" if certain == plain else "suspected"
    return ((key(certain), _concept(certain), certainty),) if key(certain) else ()


def _concept(name: str) -> str:
    listed = asked(name)
    single = listed is not None and listed.kind == "condition" and len(listed.takes) == 1
    found = descriptor_of(listed.takes[0] if listed is not None and single else name)
    return found.ui if found is not None else ""
