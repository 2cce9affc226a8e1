"""Reads coded entries: their meaning for the patient by their recorded status, answer and words."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Literal, cast

from clinfo.patients.assertion_cues import SentenceCues, ruled
from clinfo.patients.mentions import Assertion, Mention
from clinfo.patients.quantities import Quantity, is_blood, quantity_named
from clinfo.patients.records import CodedEntry, Kind, Polarity, Standing
from clinfo.patients.times import instant
from clinfo.text.lexicon import read_rows
from clinfo.text.terms import FUNCTION_WORDS
from clinfo.text.words import words

_MARKS = re.compile(r"\((?=[^()]*$)|[,;:]| - | for ")
_ANTIBODY = re.compile(r"\b(\w+) Ab\b.*")
"""The shorthand of LOINC: "Nuclear Ab [Titer] in Serum" are antinuclear antibodies."""
_SPAN = re.compile(r" (?:after|at|in|for) \d+ (?:days?|hours?|h|d)$")
_HYPHENED = re.compile(r"(?<=\w)-(?=\w)")
"""A hyphen within a word: "No-scar alopecia" denies nothing."""
_HERE = Path(__file__).parent
_TOLD: dict[Standing, Assertion] = {
    "present": "present", "past": "history", "negated": "negated", "uncertain": "uncertain",
    "planned": "uncertain", "family": "family",
}  # fmt: skip
_DIRECT = frozenset(
    ("rna", "dna", "rrna", "ag", "antigen", "antigens", "naa", "naat", "pcr", "igm")
)
_ASKING = FUNCTION_WORDS | {"status", "diagnosed", "diagnosis", "told", "doctor", "history"}
"""Words that name nothing in what a questionnaire or a state asks ("Have you ever had …?")."""
_SYSTEMS = {
    "loinc": "LOINC", "snomed": "SNOMED CT", "rxnorm": "RxNorm", "icd-10-cm": "ICD-10-CM",
    "icd-10": "ICD-10", "icd-9": "ICD-9", "/cvx": "CVX", "/cpt": "CPT", "/ndc": "NDC",
}  # fmt: skip
"""What systems of codes are called, by a part of their address."""
_OIDS = {
    "6.1": "LOINC", "6.96": "SNOMED CT", "6.88": "RxNorm", "6.90": "ICD-10-CM", "6.3": "ICD-10",
    "6.103": "ICD-9", "12.292": "CVX", "6.12": "CPT", "6.69": "NDC",
}  # fmt: skip
"""The same by the end of their number below 2.16.840.1.113883."""
_FOUND: dict[Polarity, Assertion] = {"negative": "negated", "unclear": "uncertain"}


def system_name(system: str) -> str:
    """The name of a system of codes by its address or number, "" where it is not known."""
    _, oid, end = system.rpartition("2.16.840.1.113883.")
    named = (name for part, name in _SYSTEMS.items() if part in system.lower())
    return _OIDS.get(end, "") if oid else next(named, "")


def measured(entry: CodedEntry) -> Quantity | None:
    """The quantity that an entry measures, by its code or, without one of LOINC, its whole name; of
    a code that has no name here by the one that LOINC gives it ("Lithium [Moles/volume] in …").
    """
    said = (entry.text, *entry.also.split("; "))
    own = next((one for one in said if "] in " in one), "") if entry.loinc else entry.text
    return quantity_named(names_of_loinc().get(entry.loinc, own))


def taken_from(entry: CodedEntry, specimen: str) -> CodedEntry:
    """A result with a specimen that is no blood in its name, as LOINC writes it."""
    told = entry.loinc or not specimen or specimen.lower() in entry.text.lower()
    named = entry.named and entry.kind == "observation" and not (told or is_blood(specimen))
    return replace(entry, text=f"{entry.text} in {specimen}") if named else entry


def also_named(entry: CodedEntry) -> str:
    """The name here of what an observation measures ("Leukozyten", "CREAT"); "" where that is among
    the words recorded.
    """
    quantity = measured(entry)
    own = names_of_loinc().get(entry.loinc, quantity.title if quantity else "")
    own = own or _ANTIBODY.sub(r"anti\1 antibody", entry.text)
    known = entry.kind == "observation" and not {*words(own)} <= {*words(entry.text)}
    return own if known else ""


def meant(entry: CodedEntry) -> str:
    """What the interpretation and the coded answer of a result say, in words, beside its value."""
    polarity = "" if entry.polarity in entry.shown.lower() else entry.polarity
    told = entry.interpretation.split(", ")  # of no value also why there is none
    known = entry.polarity if entry.shown else ""
    said = (one for one in told if not known or polarity_of(one) != known)
    return ", ".join(filter(None, (polarity, *said)))


def stands(entry: CodedEntry) -> str:
    """What is said of an entry behind its name: the status, what else is told, and the end."""
    until = f" until {entry.end[:10]}" if entry.end else ""
    return "".join(f", {one}" for one in (entry.value, meant(entry)) if one) + until


def recency(entry: CodedEntry) -> tuple[bool, str, str]:
    """What orders entries as a list of what is or was shows them, the greatest first: the newest,
    what is not sure, only planned or not so behind what is.
    """
    return entry.standing in ("present", "past"), instant(entry.start), entry.text


def holds(entry: CodedEntry) -> bool:
    """Return whether an entry is of what is or was, or may be, so with the patient."""
    return entry.standing in ("present", "past", "uncertain")


def said_of(entry: CodedEntry, read: Callable[[str], Sequence[Mention]]) -> Assertion:
    """The assertion of an entry on what it names: by its status and a test's answer, then by the
    words of its name ("Family history of stroke").

    A positive test affirms what its whole name names and what its genes or antigens are of; of what
    is only a part of the name ("depression screening", "hepatitis C antibody") it says nothing
    sure. A measured value says that it was measured.
    """
    if entry.standing in ("negated", "planned", "uncertain"):
        return _TOLD[entry.standing]
    if entry.polarity in _FOUND:
        return _FOUND[entry.polarity]
    told = {each.assertion: each for each in affirmed(entry, read)[1]}
    if entry.standing == "family":  # a sister without the disease
        return "negated" if {*told} == {"negated"} else "family"
    for said in ("family", "negated", "uncertain", "history"):
        if said in told:
            return said
    own = _telling(entry.text)
    whole = own in _asked_after() or any(own <= {*words(each.text)} for each in told.values())
    tests = (_tests().get(each.concept, ("", ""))[1] for each in read(entry.text))
    sure = whole or not entry.polarity or _is_direct(entry) or "any" in tests
    return _TOLD[entry.standing] if sure else "uncertain"


def every_name(entry: CodedEntry) -> list[CodedEntry]:
    """An entry under each name that is known for the same: those recorded, and the one here."""
    more = dict.fromkeys((also_named(entry), *entry.also.split("; ")))
    return [entry, *(replace(entry, text=name) for name in more if name)]


def named(entry: CodedEntry, read: Callable[[str], Sequence[Mention]]) -> Iterator[Mention]:
    """What an entry names, whatever it says of it: the words of its name and its code, and what a
    test that has an answer is a test of (SARS-CoV-2 RNA: COVID-19).
    """
    if entry.polarity and (state := _asked_after().get(_telling(entry.text))):
        yield Mention(0, len(entry.text), entry.text, state, ("disease",))
    own, *others = every_name(entry)
    more = (each for one in others for each in read(affirmed(one, read)[0]))
    within = (replace(one, start=0, end=len(entry.text)) for one in more)
    for each in (*read(affirmed(own, read)[0]), *within):
        yield each
        of, needs = _tests().get(each.concept, ("", ""))
        told = entry.polarity == "negative" if needs == "negative" else bool(entry.polarity)
        if of and told and (needs != "direct" or _is_direct(entry)):
            yield replace(each, concept=of, types=("disease",))


def _telling(text: str) -> frozenset[str]:
    return frozenset(words(text)) - _ASKING


def _is_direct(entry: CodedEntry) -> bool:
    """Return whether a test looks for genes or antigens, not for antibodies or signs."""
    return not _DIRECT.isdisjoint(words(entry.text))


def affirmed(
    entry: CodedEntry, read: Callable[[str], Sequence[Mention]]
) -> tuple[str, list[Mention]]:
    """The name of an entry up to what it says not to be there, "asthma" of "Asthma without status
    asthmaticus", or the whole where that begins with it ("No pneumonia"); and the mentions in it
    with what the entry's status and the cues of its words say of them: the judge of sentences takes
    a bare name for one of a list of past diseases. A name that no vocabulary has is one mention,
    for the cues where its last word is.
    """
    if entry.standing in ("negated", "planned"):
        return entry.text, []
    end, found = len(entry.text), list[Mention]()
    cues = SentenceCues(_HYPHENED.sub("_", entry.text), 0, end)
    last = Mention(entry.text.rfind(" ") + 1, end, entry.text, entry.text, ())
    own = (last,) if entry.named and entry.kind != "observation" else ()
    for each in sorted(read(entry.text) or own, key=lambda one: one.start):
        said = ruled(cues.bearings(each))
        if said == "negated" and found and found[0].assertion != "negated":
            denies = (one.start for one in cues.cues if one.kind.name == "negated")
            ends = (at for at in denies if found[-1].end <= at)
            return entry.text[: min((*ends, each.start))].rstrip(), found
        unsure = entry.standing == "uncertain" and said in ("present", "history")
        found.append(replace(each, assertion="uncertain" if unsure else said))
    return entry.text, found


def standing_of(
    kind: Kind | Literal["name", "death"], status: str
) -> Standing | Literal["", "void"]:
    """The standing of an entry of a kind by its status, of a "name" by its first word: "void" for
    one that does not count, "" where the status is not known. A reason may stand behind it
    ("Cancelled - haemolysed"), but what stands behind "active" may take it back.
    """
    known, said = _statuses(), "-".join(status.lower().replace("_", " ").split())
    plain = re.split(r"\s[-–]\s|[,;:(]", status, maxsplit=1)[0]
    found = known.get((kind, said), known.get(("*", said), ""))
    before = standing_of(kind, plain) if plain != status else ""
    return found or ("" if before == "present" else before)


def polarity_of(answer: str) -> Polarity:
    """The polarity of an answer's word or code; "" where it is not known for one."""
    says = _answer(answer)
    return says if says != "none" else "negative"


def standing_by_name(kind: Kind, standing: Standing, text: str, code: str) -> Standing:
    """The standing of an entry with what its name or code says of it: that there is nothing of its
    kind ("no known allergies"), that this is not known, or how sure a diagnosis is ("V.a. …").
    """
    if kind == "observation":
        return standing
    says = _answer(text)
    if "none" in (says, _answer(code)):
        return "negated"
    if standing not in ("present", "past"):
        return standing
    sure = standing_of("name", text.partition(" ")[0]) if kind == "condition" else ""
    return "uncertain" if says == "unclear" else cast(Standing, sure or standing)


def _answer(said: str) -> Polarity | Literal["none"]:
    """The meaning of an answer, or of the parts that marks divide it into: "Negative (<1 %)"."""
    known = _answers()
    said = _SPAN.sub("", " ".join(said.lower().split()).strip(" .,;:()"))
    if whole := known.get(said, known.get(said.replace("-", " "))):
        return whole
    parts = {known.get(part.strip(" .)"), "") for part in _MARKS.split(said) if len(part) > 1}
    found = parts - {"", "none"}
    return found.pop() if len(found) == 1 else "unclear" if found else ""


@cache
def _statuses() -> dict[tuple[str, str], Standing | Literal["", "void"]]:
    return {
        (kind, one): cast(Standing, says)
        for kind, statuses, says in read_rows(_HERE / "coded_statuses.tsv", 3)
        for one in statuses.split()
    }


@cache
def names_of_loinc() -> dict[str, str]:
    """The names that codes of LOINC have here."""
    return {row[0]: row[1] for row in read_rows(_HERE / "loinc_names.tsv", 2)}


@cache
def _answers() -> dict[str, Polarity | Literal["none"]]:
    rows = read_rows(_HERE / "coded_answers.tsv", 2)
    return {one: cast(Polarity, says) for says, every in rows for one in every.split("|")}


@cache
def _asked_after() -> dict[frozenset[str], str]:
    """The states that no test looks for, by the words that ask after them."""
    return {_telling(asked): of for asked, (of, needs) in _tests().items() if needs == "state"}


@cache
def _tests() -> dict[str, tuple[str, str]]:
    return {
        looked_for: (of, needs) for looked_for, of, needs in read_rows(_HERE / "coded_tests.tsv", 3)
    }
