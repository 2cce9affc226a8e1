"""Reads the fields of a FHIR resource: codes, times, values, references.

Each takes any JSON and gives "" or nothing where it is not what FHIR says.
"""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import partial
from typing import Any

from clinfo.patients.coded import polarity_of, standing_of, system_name
from clinfo.patients.records import CodedEntry, Polarity
from clinfo.patients.times import instant
from clinfo.text.markup import text_of

Json = dict[str, Any]
_NUMBER = re.compile(
    r"(?P<mark>[<>]=?|[≤≥])?\s*(?P<number>-?(?:[1-9]\d{0,2}(?:,\d{3})*,000|\d+(?:[.]\d+)?|\d+,(?:\d{1,2}|\d{4,})))(?:\s+(?P<unit>[^\W\d]\S*|[%°µ\[{]\S*)|\s*(?P<sign>[%°]\S*))?"
)
LOINC = "http://loinc.org"
LOINC_CODE = re.compile(r"\d{1,7}-\d")
_NOT_DONE = ("notDone", "notGiven", "notPerformed", "wasNotGiven", "wasNotTaken")
"""Fields of older editions that say so."""
_STATUSES = ("clinicalStatus", "status", "lifecycleStatus", "actuality", "verificationStatus",
             "adherence.code")  # fmt: skip
_NOT_YET = ("proposal", "plan", "option")
"""Intents of what nobody ordered."""
_TAKEN = {"n": "not-done", "unk": "unknown"}
_CERTAINTY = "icd-10-gm-diagnosesicherheit"
"""The end of the address of the extension that German diagnoses have in place of a status."""
_ABSENT = "data-absent-reason"
"""The end of the addresses of what tells why something is absent: extension and codes."""
MODIFIERS = ("modifierExtension", "implicitRules")
"""Fields that may turn what a resource says into anything."""
_NOT_LAST = {"p": "preliminary", "r": "preliminary", "s": "partial", "c": "corrected"}
"""Statuses of results that may still change, or took the place of others, by their letters in HL7
v2.
"""
_COMPARATORS = {"≤": "<=", "≥": ">="}
_CASES = re.compile(r"(?<=[a-z])(?=[A-Z])")
_TYPES = re.compile(r"(?:String|Range|Boolean|CodeableConcept)$")
"""The type at the end of the name of a field that has a choice of them."""
_TIMES = ("Period", "DateTime", "Instant", "Timing", "Date", "")
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
    fields = ("interpretation", "valueCodeableConcept", "valueCoding")
    codes = (code for one in fields for code in codes_of(resource.get(one)))
    found = {*map(polarity_of, (value["value"], *codes))} - {""}
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
        told = [*codes_of(why)[:1], in_words(why)]
        return ": ".join(dict.fromkeys(one.replace("-", " ") for one in told if one))
    for key, one in resource.items():
        for each in parts_of(one, "extension") if key.strip("_").startswith(field) else ():
            if str(each.get("url")).endswith(_ABSENT):
                return str(each.get("valueCode") or "").replace("-", " ")
    return "" if "dataAbsentReason" in resource else None


def _interpretation(resource: Json) -> str:
    said = [*map(in_words, at(resource, "interpretation")[:1]), not_final(resource.get("status"))]
    return modified(", ".join(filter(None, said)), resource)


def not_final(status: object) -> str:
    """The status of a result that may still change or that was changed, "" of any other."""
    said = str(status).lower()
    return _NOT_LAST.get(said, said if said in (*_NOT_LAST.values(), "amended") else "")


def modified(said: str, resource: Json) -> str:
    """What a resource says, with a word on a modifier, which may turn it into anything."""
    doubt = "with a modifier that is not known here" if any(map(resource.get, MODIFIERS)) else ""
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
    others = (
        in_words(value)
        for key, value in resource.items()
        if key[:5] == "value" and key[5:6].isupper()
    )
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
            return str(name(value)["text"])
        case {"code": _, "display": _}:
            return str(name({"coding": [value]})["text"])
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
        case {"display": str() as said}:
            return said
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
        if (words := in_words(at(resource, name))) not in ("", known):
            said.append(f"{label}: {words[:_LONGEST]}")
    return ", ".join(said)


def at(resource: object, path: str, types: Sequence[str] = ("",)) -> list[Any]:
    """What stands at a path (reaction.substance), in all parts of a resource; of a field that has a
    choice of ``types`` (onset) that of any of them.
    """
    *above, key = path.split(".")
    whole = [resource]
    for one in above:
        whole = [each for own in whole for each in parts_of(own, one)]
    found = (own.get(key + type) for type in types for own in whole if isinstance(own, dict))
    every = (one if isinstance(one, list) else [one] for one in found if one is not None)
    return [one for own in every for one in own]


def numbered(value: str, unit: str) -> dict[str, str]:
    """A number with its comparator, as it is written but for a decimal comma; other words as they
    are.
    """
    if (found := _NUMBER.fullmatch(value.strip().replace("−", "-").replace("–", "-"))) is None:
        return {"value": value, "unit": unit if value else ""}
    number = found["number"]
    number = number.replace(",", "" if number.endswith(",000") else ".")
    mark = _COMPARATORS.get(found["mark"] or "", found["mark"] or "")
    return {
        "value": number,
        "unit": unit or found["unit"] or found["sign"] or "",
        "comparator": mark,
    }


def statuses(resource: Json) -> Iterator[list[str]]:
    """The codes of each status that a resource gives of itself: that it was not done, is only
    proposed or planned, how it stands, how sure it is, whether it is taken.
    """
    if resource.get("doNotPerform") is True:
        yield ["do-not-perform"]
    if any(resource.get(name) is True for name in _NOT_DONE):
        yield ["not-done"]
    yield [one for one in codes_of(resource.get("intent")) if one in _NOT_YET]
    for path in _STATUSES:
        yield codes_of(at(resource, path))
    yield [_TAKEN[one] for one in codes_of(resource.get("taken")) if one in _TAKEN]
    certain = at(resource, "code.coding.extension")
    yield [code for one in certain if str(part({"": one}, "").get("url")).endswith(_CERTAINTY)
           for code in codes_of(one.get("valueCoding"))]  # fmt: skip


def is_error(resource: Json) -> bool:
    """Return whether the resource says of itself that it was entered in error."""
    every = (resource.get(name) for name in ("status", "docStatus", "verificationStatus"))
    return "void" in (standing_of("name", code) for one in every for code in codes_of(one))


def about_another(resource: Json) -> bool:
    """Return whether an observation is of someone or something else (`focus`): a donor, a fetus."""
    focus = at(resource, "focus") if resource.get("resourceType") == "Observation" else ()
    return any(reference(one) != reference(resource.get("subject")) for one in focus if one)


def codes_of(concepts: object) -> list[str]:
    """The codes of a CodeableConcept or Coding, or of a list of them; of words alone, which older
    editions and converters have, these.
    """
    found = []
    for one in concepts if isinstance(concepts, list) else [concepts]:
        own = part({"": one}, "")
        codes = [str(each["code"]) for each in (own, *parts_of(own, "coding")) if each.get("code")]
        found += codes or [one if isinstance(one, str) else str(own.get("text") or "")]
    return [one for one in found if one]


def name(concept: object) -> dict[str, Any]:
    """The fields of an entry that a CodeableConcept gives, by what its user chose first: words,
    code and system, the code of LOINC in any place, and the further words that codings have for the
    same. A code of why there is none is no name, nor are the words for it.
    """
    own = {"text": concept} if isinstance(concept, str) else part({"": concept}, "")
    codings = parts_of(own, "coding")
    codings.sort(key=lambda one: one.get("userSelected") is not True)
    absent = [one for one in codings if str(one.get("system")).endswith(_ABSENT)]
    empty = {"", *(str(one.get("display")).strip().lower() for one in absent)}
    words = [own.get("text"), *(one.get("display") for one in codings if one not in absent)]
    said = [one.strip() for one in words if isinstance(one, str)]
    said = [one for one in said if one.lower() not in empty]
    codes = [(str(one.get("code") or ""), str(one.get("system") or "")) for one in codings]
    code, system = codes[0] if codes else ("", "")
    text = next(iter(said), code)
    return {
        "text": text,
        "code": code,
        "system": system,
        "loinc": next((code for code, of in codes if code and system_name(of) == "LOINC"), ""),
        "also": "; ".join(dict.fromkeys(one for one in said if one != text)),
    }


def named(resource: Json, names: Sequence[str]) -> tuple[Json, Json]:
    """The concept that names a resource, in the first of its fields that has one, and the reference
    to what does; of a choice of types as older editions, R4 or R5 give it.
    """
    concept, refers = Json(), Json()
    for path in names:
        for one in at(resource, path, ("CodeableConcept", "Reference", "")):
            one = part({"": {"text": one} if isinstance(one, str) else one}, "")
            one = {"coding": [one]} if "code" in one else one  # a class of encounters
            told = "coding" in one or "text" in one
            concept = concept or part(one, "concept") or (one if told else {})
            refers = refers or part(one, "reference") or ({} if told or "concept" in one else one)
        if concept or refers:
            break
    return concept, refers


def name_of(resource: object) -> dict[str, Any]:
    """What names a Medication, Substance or Device, as `name`; a medicine that has a code
    alone, or none, by its ingredients.
    """
    own = resource if isinstance(resource, dict) else {}
    found = name(named(own, ("code", "type", "deviceName.name"))[0])
    parts = (in_words(named(one, ("item",))[0]) for one in parts_of(own, "ingredient"))
    bare = found["text"] == found["code"]
    return found | {"text": (bare and " / ".join(filter(None, parts))) or found["text"]}


def narrative(resource: Json) -> str:
    """The first line of the narrative of a resource."""
    told = without_marks(str(part(resource, "text").get("div") or "<p/>"))
    return told.partition("\n")[0].strip()[:_LONGEST]


def answers(response: Json) -> Iterator[Json]:
    """The answers to a questionnaire, or to a part of one, each as a part of an observation, named
    by the question, with its code of LOINC, which often is its link.
    """
    for item in parts_of(response, "item"):
        link = str(item.get("linkId") or "").rpartition("/")[2]
        known = LOINC_CODE.fullmatch(link) and len(link) > len("12-3")  # else a number of a form's
        coding = [{"code": link, "system": LOINC}] if known else []
        for answer in parts_of(item, "answer"):
            yield {"code": {"text": str(item.get("text") or link), "coding": coding}, **answer}
            yield from answers(answer)
        yield from answers(item)


def newest(bundle: Json) -> list[object]:
    """The entries of a Bundle; of a history each resource once, in its newest version, which is the
    first where the versions are not told.
    """
    entries = at(bundle, "entry")
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
    return referred({"reference": part(entry, "request").get("url")})


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
    """The first time among choices such as onsetDateTime and onsetPeriod, of a period its side."""
    for one in (each for name in names for each in at(resource, name, _TIMES)):
        time = [*at(one, side), *at(one, "event")] if isinstance(one, dict) else [one]
        if time and isinstance(time[0], str) and time[0]:
            return time[0]
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
    address = str(whom.get("reference") or "")
    server, kind, id = placed(address)
    sure = kind == "Patient" or (not kind and ("type" in whom or address.startswith("urn:")))
    return (server, id) if sure else ("", "")


def visit(resource: Json) -> str:
    """The id of the visit that a resource is of."""
    paths = ("context.encounter", "encounter", "context")
    told = (placed(str(part({"": one}, "").get("reference") or ""))
            for path in paths for one in at(resource, path))  # fmt: skip
    return next((id for _, kind, id in told if id and kind in ("", "Encounter")), "")


def placed(address: str) -> tuple[str, str, str]:
    """The server's address, the kind and the id in ``…/Patient/7``, "" for what is not told; the
    id alone in ``urn:uuid:…``, ``#7``.
    """
    if named := urn(address):
        return "", "", named
    server, kind, id = ["", "", *address.partition("/_history/")[0].rsplit("/", 2)][-3:]
    return server, kind, id


def reference(reference: object) -> str:
    """The id in a reference: ``Patient/7``, an address, ``urn:uuid:…``, ``#7``."""
    return referred(reference).rpartition("/")[2]


def referred(reference: object) -> str:
    """The kind and id (``Medication/7``) in a reference; the id alone of what tells no kind."""
    _, kind, id = placed(str(part({"": reference}, "").get("reference") or ""))
    return f"{kind}/{id}" if kind else id


def urn(address: str) -> str:
    """The id in ``urn:uuid:…`` or ``urn:oid:…``; "" for any other address."""
    own = address.removeprefix("urn:uuid:").removeprefix("urn:oid:")
    return own if own != address else ""


def without_marks(html: str) -> str:
    """The text of HTML, a block a line."""
    from lxml import etree

    root = etree.fromstring(html.encode(), etree.HTMLParser(encoding="utf-8", no_network=True))
    for one in root.iter("*"):
        struck = one.tag in ("s", "strike") or "line-through" in str(one.get("style"))
        one.tag = "del" if struck else one.tag
    etree.strip_elements(root, "del", with_tail=False)
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
