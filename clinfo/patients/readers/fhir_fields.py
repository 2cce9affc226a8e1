"""Reads the fields of a FHIR resource: codes, times, values, references.

Each takes any JSON and gives "" or nothing where it is not what FHIR says.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from functools import partial
from typing import Any

from clinfo.patients.coded import polarity_of, system_name
from clinfo.patients.records import CodedEntry, Polarity
from clinfo.patients.times import instant
from clinfo.text.markup import text_of

Json = dict[str, Any]
_NUMBER = re.compile(
    r"(?P<mark>[<>]=?|[≤≥])?\s*(?P<number>-?(?:[1-9]\d{0,2}(?:,\d{3})*,000|\d+(?:[.]\d+)?|\d+,(?:\d{1,2}|\d{4,})))(?:\s+(?P<unit>[^\W\d]\S*|[%°µ\[{]\S*)|\s*(?P<sign>[%°]\S*))?"
)
_LOINC = re.compile(r"\d{3,6}-\d")
_NOT_DONE = ("notDone", "notGiven", "notPerformed", "wasNotGiven", "wasNotTaken")
"""Fields of older editions that say so."""
_CERTAINTY = "icd-10-gm-diagnosesicherheit"
"""The end of the address of the extension that German diagnoses have in place of a status."""
_ABSENT = "data-absent-reason"
"""The end of the addresses of what tells why something is absent: extension and codes."""
_MAY_CHANGE = {"p": "preliminary", "r": "preliminary", "s": "partial"}
"""Statuses of results that may still change, by their letters in HL7 v2."""
_COMPARATORS = {"≤": "<=", "≥": ">="}
_VALUE = re.compile(r"value[A-Z]\w*")
_CASES = re.compile(r"(?<=[a-z])(?=[A-Z])")
_TYPES = re.compile(r"(?:String|Range|Boolean|CodeableConcept)$")
"""The type at the end of the name of a field that has a choice of them."""
_UNITS = {"1": "", "a": "years", "mo": "months", "wk": "weeks", "d": "days", "h": "hours"}
"""Units of time, and of none, in words."""
_LONGEST = 200
_BLOCKS = ("p", "br", "div", "li", "tr", "h1", "h2", "h3", "h4")


def observed(resource: Json, whole: CodedEntry | None = None) -> dict[str, Any]:
    """The fields of an entry that tell what an observation, or a part of the ``whole``, found: its
    value, unit, comparator and polarity. A value in words is read as a number where it is nothing
    else. What is only named of a test that found nothing ("gene studied") was not found either.
    """
    value = _value(resource) | {"interpretation": _interpretation(resource)}
    said = [
        polarity_of(one.replace("-", " ")) or polarity_of(one)
        for one in codes_of(resource.get("interpretation"))
    ]
    told = {"coding": [part(resource, "valueCoding")]}
    codes = codes_of([resource.get("valueCodeableConcept"), told])
    found = {*said, polarity_of(value["value"]), *map(polarity_of, codes)} - {""}
    polarity: Polarity = found.pop() if len(found) == 1 else "unclear" if found else ""
    if whole is not None and whole.polarity in ("negative", "unclear") and "unit" not in value:
        polarity = polarity or whole.polarity
    why = absent(resource)
    if polarity or value["value"] or why is None:
        return value | {"polarity": polarity}
    value["interpretation"] = ", ".join(filter(None, (value["interpretation"], why)))
    return value | {"polarity": polarity, "standing": "uncertain"}


def absent(resource: Json, field: str = "value") -> str | None:
    """Why a field is absent, as far as that is told; None where nothing says that it is."""
    if why := part(resource, "dataAbsentReason"):
        told = [*codes_of(why)[:1], coded(why)[0]]
        return ": ".join(dict.fromkeys(one.replace("-", " ") for one in told if one))
    for key, one in resource.items():
        for each in parts_of(one, "extension") if key.strip("_").startswith(field) else ():
            if str(each.get("url")).endswith(_ABSENT):
                return str(each.get("valueCode") or "").replace("-", " ")
    return "" if "dataAbsentReason" in resource else None


def _interpretation(resource: Json) -> str:
    every = resource.get("interpretation")
    one = every[0] if isinstance(every, list) and every else every
    said = [one if isinstance(one, str) else coded(one)[0], not_final(resource.get("status"))]
    return modified(", ".join(filter(None, said)), resource)


def not_final(status: object) -> str:
    """The status of a result that may still change, "" of any other."""
    said = str(status).lower()
    return _MAY_CHANGE.get(said, said if said in _MAY_CHANGE.values() else "")


def modified(said: str, resource: Json) -> str:
    """What a resource says, with a word on a modifier, which may turn it into anything."""
    doubt = "with a modifier that is not known here" if "modifierExtension" in resource else ""
    return ", ".join(filter(None, (said, doubt)))


def _value(resource: Json) -> dict[str, str]:
    quantity = part(resource, "valueQuantity")
    if (number := quantity.get("value")) is not None:
        unit = str(quantity.get("unit") or quantity.get("code") or "")
        mark = str(quantity.get("comparator") or "")
        if isinstance(number, str):
            return numbered(f"{mark}{number}", unit)
        return {"value": _plain(number), "unit": unit, "comparator": mark}
    if limits := part(resource, "valueRange"):
        low, high = part(limits, "low"), part(limits, "high")
        unit = str(low.get("unit") or high.get("unit") or low.get("code") or "")
        ends = [str(side.get("value", "")) for side in (low, high)]
        if "" not in ends:
            return {"value": "-".join(ends), "unit": unit}
        return {"value": "".join(ends), "unit": unit, "comparator": ">=" if ends[0] else "<="}
    if part(resource, "valueSampledData"):
        return {"value": "sampled data"}
    for key in ("valueString", "valueInteger", "valueDecimal"):
        if (value := resource.get(key)) is not None:
            return numbered(str(value), "")
    others = (in_words(value) for key, value in resource.items() if _VALUE.fullmatch(key))
    return {"value": next(filter(None, others), "")}


def _plain(number: object) -> str:
    return number if isinstance(number, str) else f"{Decimal(str(number)):f}"


def in_words(value: object, deep: int = 12) -> str:
    """What a field says in words, whatever its type, so many levels deep; "" of one that has none
    (an attachment).
    """
    if not deep:
        return ""
    within = partial(in_words, deep=deep - 1)
    match value:
        case bool():
            return str(value).lower()
        case str() | int() | float():
            return _plain(value).strip()
        case list():
            return "; ".join(dict.fromkeys(filter(None, map(within, value))))
        case {"coding": _} | {"text": _}:
            return coded(value)[0]
        case {"code": _, "display": _}:
            return coded({"coding": [value]})[0]
        case {"value": _} | {"low": _} | {"high": _}:
            own = _value({"valueQuantity": value, "valueRange": value})
            unit = own.get("unit", "")
            return f"{own.get('comparator', '')}{own['value']} {_UNITS.get(unit, unit)}".strip()
        case {"numerator": upper, "denominator": lower}:
            return f"{within(upper)}:{within(lower)}"
        case {"start": str() as start, "end": str() as end}:
            return f"{start}/{end}"
        case {"frequency": times, "period": period, "periodUnit": unit}:
            return f"{times} in {period} {_UNITS.get(unit, unit)}"
        case {"display": str() as name}:
            return name
        case dict():
            inner = (within(one) for one in value.values() if isinstance(one, dict | list))
            return ", ".join(filter(None, inner))
    return ""


def told(resource: Json, names: Sequence[str], known: str = "") -> str:
    """What fields of a resource say in words beside what is ``known``, each behind its name ("body
    site: Left hip").
    """
    said = []
    for name in names:
        *above, key = name.split(".")
        label = _CASES.sub(" ", _TYPES.sub("", above[-1] if key == "summary" else key)).lower()
        if (words := words_at(resource, name)) not in ("", known):
            said.append(f"{label}: {words[:_LONGEST]}")
    return ", ".join(said)


def words_at(resource: Json, name: str) -> str:
    """What a field of a resource, or of all its parts (reaction.substance), says in words."""
    *above, key = name.split(".")
    whole = [resource]
    for one in above:
        whole = [each for own in whole for each in parts_of(own, one)]
    return in_words([each.get(key) for each in whole])


def numbered(value: str, unit: str) -> dict[str, str]:
    """A number with its comparator, as it is written but for a decimal comma; other words as they
    are.
    """
    if (found := _NUMBER.fullmatch(re.sub("[−–]", "-", value.strip()))) is None:
        return {"value": value, "unit": unit if value else ""}
    number = found["number"]
    number = number.replace(",", "" if number.endswith(",000") else ".")
    mark = _COMPARATORS.get(found["mark"] or "", found["mark"] or "")
    return {
        "value": number,
        "unit": unit or found["unit"] or found["sign"] or "",
        "comparator": mark,
    }


def status(resource: Json, known: Callable[[str], object]) -> str:
    """The recorded status, the one that is ``known`` where several are given; of a condition the
    clinical one, unless it was refuted or is not confirmed; of a prescription that is only proposed
    or planned its intent. What says that it was not done or taken goes before a status.
    """
    if resource.get("doNotPerform") is True:
        return "do-not-perform"
    if any(resource.get(name) is True for name in _NOT_DONE) or resource.get("taken") == "n":
        return "not-done"

    def told(key: str) -> str:
        codes = codes_of(resource.get(key))
        return next(filter(known, codes), codes[0] if codes else "")

    if (sure := told("verificationStatus")) and known(sure) not in ("", "present"):
        return sure
    every = ("clinicalStatus", "status", "lifecycleStatus", "actuality")
    stands = next(filter(None, map(told, every)), "")
    intent = resource.get("intent") in ("proposal", "plan", "option")
    if intent and known(stands) not in ("negated", "void"):  # what was called off is not planned
        return str(resource["intent"])
    if resource.get("taken") == "unk":
        return "unknown"
    for coding in parts_of(part(resource, "code"), "coding"):
        for one in parts_of(coding, "extension"):
            sure = str(part(one, "valueCoding").get("code") or "")
            if str(one.get("url")).endswith(_CERTAINTY) and known(sure) not in ("", "present"):
                return sure
    taking = next(iter(codes_of(part(resource, "adherence").get("code"))), "")
    return taking or stands


def is_error(resource: Json) -> bool:
    """Return whether the resource says of itself that it was entered in error."""
    every = [resource.get("status"), resource.get("docStatus"), resource.get("verificationStatus")]
    return "entered-in-error" in [one.lower() for one in codes_of(every)]


def about_another(resource: Json) -> bool:
    """Return whether an observation is of someone or something else (`focus`): a donor, a fetus."""
    focus = resource.get("focus") if resource.get("resourceType") == "Observation" else None
    subject = reference(resource.get("subject"))
    told = [one for one in (focus if isinstance(focus, list) else [focus]) if one]
    return any(reference(one) != subject for one in told)


def codes_of(concepts: object) -> list[str]:
    """The codes of a CodeableConcept or of a list of them; of words alone, which older editions and
    converters have, these as a code is written.
    """
    found = []
    for one in concepts if isinstance(concepts, list) else [concepts]:
        codes = [str(each["code"]) for each in parts_of(one, "coding") if each.get("code")]
        words = one if isinstance(one, str) else str(part({"": one}, "").get("text") or "")
        found += codes or ["-".join(words.split())]
    return [one for one in found if one]


def coded(concept: object) -> tuple[str, str, str]:
    """The words, the code and its system of a CodeableConcept, by what its user chose first. A
    code of why there is none is no name, nor are the words for it.
    """
    if isinstance(concept, str):
        return concept.strip(), "", ""
    codings = parts_of(concept, "coding")
    codings.sort(key=lambda one: one.get("userSelected") is not True)
    first = codings[0] if codings else {}
    absent = [one for one in codings if str(one.get("system")).endswith(_ABSENT)]
    empty = {"", *(str(one.get("display")).strip().lower() for one in absent)}
    words = [part({"": concept}, "").get("text"), *(one.get("display") for one in codings)]
    named = (one.strip() for one in words if isinstance(one, str))
    text = next((one for one in named if one.lower() not in empty), str(first.get("code") or ""))
    return text.strip(), str(first.get("code") or ""), str(first.get("system") or "")


def name(concept: object) -> dict[str, Any]:
    """The fields of an entry that a CodeableConcept gives: words, code and system, the code of
    LOINC in any place, and the further words that codings have for the same.
    """
    text, code, system = coded(concept)
    codings = parts_of(concept, "coding")
    systems = [(system_name(str(one.get("system"))), str(one.get("code") or "")) for one in codings]
    own = (one for one in codings if not str(one.get("system")).endswith(_ABSENT))
    also = dict.fromkeys(str(one.get("display") or "").strip() for one in own)
    return {
        "text": text,
        "code": code,
        "system": system,
        "loinc": next((code for name, code in systems if name == "LOINC" and code), ""),
        "also": "; ".join(one for one in also if one and one != text),
    }


def named(resource: Json, names: Sequence[str]) -> tuple[Json, Json]:
    """The concept that names a resource, in the first of its fields that has one, and the reference
    to what does; of a choice of types as older editions, R4 or R5 give it.
    """
    for name in names:
        *above, key = name.split(".")
        for one in above:
            resource = next(iter(parts_of(resource, one)), {})
        words = resource.get(key)
        either = {"text": words} if isinstance(words, str) else part(resource, key)
        if "code" in either:  # a class of encounters
            either = {"coding": [either]}
        concept = part(resource, f"{key}CodeableConcept") or part(either, "concept")
        refers = part(resource, f"{key}Reference") or part(either, "reference")
        if "coding" in either or "text" in either:
            concept = concept or either
        elif not concept:
            refers = refers or either
        if concept or refers:
            return concept, refers
    return {}, {}


def name_of(resource: object) -> dict[str, Any]:
    """What names a Medication, Substance or Device, as `name`; a medicine that has a code
    alone, or none, by its ingredients.
    """
    own = resource if isinstance(resource, dict) else {}
    found = name(named(own, ("code", "type", "deviceName.name"))[0])
    parts = (coded(named(one, ("item",))[0])[0] for one in parts_of(own, "ingredient"))
    bare = found["text"] == found["code"]
    return found | {"text": (bare and " / ".join(filter(None, parts))) or found["text"]}


def narrative(resource: Json) -> str:
    """The first line of the narrative of a resource."""
    told = without_marks(str(part(resource, "text").get("div") or "<p/>"))
    return told.partition("\n")[0].strip()[:_LONGEST]


def answers(response: Json) -> Iterator[tuple[str, str, Json]]:
    """The questions of a questionnaire, or of a part of one, each with its code of LOINC, which
    often is its link, and an answer to it.
    """
    for item in parts_of(response, "item"):
        link = str(item.get("linkId") or "").rpartition("/")[2]
        code = link if _LOINC.fullmatch(link) else ""
        for answer in parts_of(item, "answer"):
            yield str(item.get("text") or link), code, answer
            yield from answers(answer)
        yield from answers(item)


def newest(bundle: Json) -> list[object]:
    """The entries of a Bundle; of a history each resource once, in its newest version, which is the
    first where the versions are not told.
    """
    entries = bundle.get("entry") or []
    entries = entries if isinstance(entries, list) else [entries]
    if bundle.get("type") != "history":
        return entries
    last: dict[object, object] = {}
    for number, one in enumerate(entries):
        known = last.setdefault(called(one) or number, one)
        if ("", -1) < _version_of(known) < _version_of(one):
            last[called(one)] = one
    return [*last.values()]


def called(entry: object) -> str:
    """The kind and id (``Observation/7``) of the resource of a Bundle's entry, or of what its
    request asks for.
    """
    own = part(entry, "resource")
    if {"resourceType", "id"} <= {*own}:
        return f"{own['resourceType']}/{own['id']}"
    asked = str(part(entry, "request").get("url") or "").partition("/_history/")[0]
    return "/".join(asked.split("/")[-2:])


def version(resource: Json) -> tuple[str, int]:
    """What orders the versions of a resource: when it was last changed, and its number."""
    told = part(resource, "meta")
    number = str(told.get("versionId") or "")[:64]
    return instant(str(told.get("lastUpdated") or "")), int(number) if number.isdecimal() else -1


def _version_of(entry: object) -> tuple[str, int]:
    """The version of a Bundle's entry; of a deletion only its time is told."""
    deleted = {"meta": {"lastUpdated": part(entry, "response").get("lastModified")}}
    return version(part(entry, "resource") or deleted)


def identifiers(resource: Json, key: str = "identifier") -> list[tuple[str, str]]:
    """The identifiers of a resource: the system and value of each, and the value alone."""
    told = [(str(one.get("system") or ""), str(one.get("value") or ""))
            for one in parts_of(resource, key)]  # fmt: skip
    return [own for system, value in told if value for own in ((system, value), ("", value))]


def first(resource: Json, names: Sequence[str], side: str) -> str:
    """The first time among choices such as onsetDateTime and onsetPeriod."""
    for name in names:
        for form in ("Period", "DateTime", "Instant", "Timing", "Date", ""):
            value = resource.get(name + form)
            if isinstance(value, dict):
                events = value.get("event") if side == "start" else ()
                value = value.get(side) or (isinstance(events, list) and events and events[0])
            elif side == "end" and name != "abatement":
                continue
            if value and isinstance(value, str):
                return value
    return ""


def about(resource: Json) -> Json:
    """The reference to the patient that a resource is about, {} where it says that it is another's
    than a patient's.
    """
    one = part(resource, "subject") or part(resource, "patient")
    return one if one.get("type") in (None, "Patient") else {}


def patient_of(resource: Json) -> tuple[str, str]:
    """The address of the server that the resource's patient is on ("": the resource's own), and the
    id; ("", "") where it is about a group, say, or refers to nobody.
    """
    whom = about(resource)
    text = str(whom.get("reference") or "")
    if text.startswith(("urn:uuid:", "urn:oid:")):
        return "", reference(whom)
    if "/" not in text and whom.get("type") == "Patient":
        return "", text
    server, id = placed(text.partition("/_history/")[0], "Patient")
    return (server, id) if "/" not in id else ("", "")


def placed(address: str, kind: str) -> tuple[str, str]:
    """The server's address and the id in ``…/Patient/7`` for the kind "Patient"; else nothing."""
    server, found, id = f"/{address}".rpartition(f"/{kind}/")
    return (server.removeprefix("/"), id) if found else ("", "")


def reference(reference: object) -> str:
    """The id in a reference: ``Patient/7``, an address, ``urn:uuid:…``, ``#7``."""
    return referred(reference).rpartition("/")[2]


def referred(reference: object) -> str:
    """The kind and id (``Medication/7``) in a reference; the id alone of what tells no kind."""
    text = str(reference.get("reference") or "") if isinstance(reference, dict) else ""
    text = text.partition("/_history/")[0]
    return urn(text) or "/".join(text.split("/")[-2:])


def urn(address: str) -> str:
    """The id in ``urn:uuid:…`` or ``urn:oid:…``; "" for any other address."""
    own = address.removeprefix("urn:uuid:").removeprefix("urn:oid:")
    return own if own != address else ""


def without_marks(html: str) -> str:
    """The text of HTML, a block a line."""
    from lxml import etree

    root = etree.fromstring(html.encode(), etree.HTMLParser(encoding="utf-8", no_network=True))
    for cell in root.iter("td", "th"):
        cell.tail = f" {cell.tail or ''}"
    lines = text_of(root, spaced=_BLOCKS, apart="\n").splitlines()
    return "\n".join(line for line in lines if line.strip()).strip()


def part(resource: object, key: str) -> Json:
    """The object in a field, the first where a converter made a list of one."""
    value = resource.get(key) if isinstance(resource, dict) else None
    value = value[0] if isinstance(value, list) and value else value
    return value if isinstance(value, dict) else {}


def parts_of(resource: object, key: str) -> list[Json]:
    """The objects in a field that holds a list, or should: XML does not tell one from a list."""
    value = resource.get(key) if isinstance(resource, dict) else None
    return [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, dict)]
