"""Reads the fields of a FHIR resource: codes, times, values, references.

Each takes any JSON and gives "" or nothing where it is not what FHIR says.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from clinfo.patients.coded import polarity_of
from clinfo.patients.records import CodedEntry, Polarity
from clinfo.text.markup import text_of

Json = dict[str, Any]
_NUMBER = re.compile(
    r"(?P<mark>[<>]=?|[≤≥])?\s*(?P<number>-?(?:\d{1,3}(?:,\d{3})*,000|\d+(?:[.]\d+)?|\d+,(?:\d{1,2}|\d{4,})))\s*(?:\s+(?P<unit>[^\W\d]\S*|[%°µ\[{]\S*)|(?P<sign>[%°]\S*))?"
)
_NOT_DONE = ("notDone", "notGiven", "notPerformed", "wasNotGiven", "wasNotTaken")
"""Fields of older editions that say so."""
_CERTAINTY = "icd-10-gm-diagnosesicherheit"
"""The end of the address of the extension that German diagnoses have in place of a status."""
_COMPARATORS = {"≤": "<=", "≥": ">="}
_BLOCKS = ("p", "br", "div", "li", "tr", "h1", "h2", "h3", "h4")


def observed(resource: Json, whole: CodedEntry | None = None) -> dict[str, Any]:
    """The fields of an entry that tell what an observation, or a part of the ``whole``, found: its
    value, unit, comparator and polarity. A value in words is read as a number where it is nothing
    else. What is only named of a test that found nothing ("gene studied") was not found either.
    """
    value = _value(resource)
    answers = [
        polarity_of(one.replace("-", " ")) or polarity_of(one)
        for one in _codes(resource.get("interpretation"))
    ]
    answers += [polarity_of(value["value"])]
    answers += map(polarity_of, _codes(resource.get("valueCodeableConcept")))
    answers.append(polarity_of(str(part(resource, "valueCoding").get("code") or "")))
    found = set(answers) - {""}
    polarity: Polarity = found.pop() if len(found) == 1 else "unclear" if found else ""
    if whole is not None and whole.polarity in ("negative", "unclear") and "unit" not in value:
        polarity = polarity or whole.polarity
    if polarity or value["value"] or not resource.get("dataAbsentReason"):
        return value | {"polarity": polarity}
    return value | {"polarity": polarity, "standing": "uncertain"}


def _value(resource: Json) -> dict[str, str]:
    quantity = part(resource, "valueQuantity")
    if (number := quantity.get("value")) is not None:
        unit = str(quantity.get("unit") or quantity.get("code") or "")
        if isinstance(number, str):
            return _numbered(f"{quantity.get('comparator') or ''}{number}", unit)
        mark = str(quantity.get("comparator") or "")
        return {"value": f"{Decimal(str(number)):f}", "unit": unit, "comparator": mark}
    if concept := part(resource, "valueCodeableConcept") or part(resource, "valueCoding"):
        return {
            "value": coded(
                concept if "coding" in concept or "text" in concept else {"coding": [concept]}
            )[0]
        }
    if limits := part(resource, "valueRange"):
        low, high = part(limits, "low"), part(limits, "high")
        unit = str(low.get("unit") or high.get("unit") or "")
        if not (low and high):
            only = (low or high).get("value", "")
            return {"value": str(only), "unit": unit, "comparator": ">=" if low else "<="}
        return {"value": f"{low.get('value', '')}-{high.get('value', '')}", "unit": unit}
    if ratio := part(resource, "valueRatio"):
        sides = (part(ratio, side).get("value", "") for side in ("numerator", "denominator"))
        return {"value": ":".join(map(str, sides))}
    for key in ("valueString", "valueInteger", "valueDecimal"):
        if (value := resource.get(key)) is not None:
            return _numbered(str(value), "")
    for key in ("valueBoolean", "valueDateTime", "valueTime"):
        if (value := resource.get(key)) is not None:
            return {"value": str(value).lower() if isinstance(value, bool) else str(value)}
    return {"value": ""}


def _numbered(value: str, unit: str) -> dict[str, str]:
    """A number with its comparator, as it is written; other words as they are."""
    if (found := _NUMBER.fullmatch(value.strip().replace("−", "-"))) is None:
        return {"value": value, "unit": unit}
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
        codes = _codes(resource.get(key))
        return next(filter(known, codes), codes[0] if codes else "")

    if (sure := told("verificationStatus")) and known(sure) not in ("", "present"):
        return sure
    if (intent := resource.get("intent")) in ("proposal", "plan", "option"):
        return str(intent)
    if resource.get("taken") == "unk":
        return "unknown"
    for coding in parts_of(part(resource, "code"), "coding"):
        for one in parts_of(coding, "extension"):
            sure = str(part(one, "valueCoding").get("code") or "")
            if str(one.get("url")).endswith(_CERTAINTY) and known(sure) not in ("", "present"):
                return sure
    taking = next(iter(_codes(part(resource, "adherence").get("code"))), "")
    return taking or told("clinicalStatus") or told("status")


def is_error(resource: Json) -> bool:
    """Return whether the resource says of itself that it was entered in error."""
    every = [resource.get("status"), resource.get("docStatus"), resource.get("verificationStatus")]
    return "entered-in-error" in [one.lower() for one in _codes(every)]


def _codes(concepts: object) -> list[str]:
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
    """The words, the code and its system of a CodeableConcept, by what its user chose first."""
    if isinstance(concept, str):
        return concept.strip(), "", ""
    codings = parts_of(concept, "coding")
    codings.sort(key=lambda one: one.get("userSelected") is not True)
    first = codings[0] if codings else {}
    words = [
        part({"": concept}, "").get("text"),
        *(one.get("display") for one in codings),
        first.get("code"),
    ]
    text = next((one.strip() for one in words if isinstance(one, str) and one.strip()), "")
    return text, str(first.get("code") or ""), str(first.get("system") or "")


def medicine(resource: Json, key: str = "medication") -> tuple[Json, object]:
    """The concept of a prescription's medicine (an ingredient's "item") and the reference to one,
    as R4 or R5 give them.
    """
    either = part(resource, key)
    concept = part(resource, f"{key}CodeableConcept") or part(either, "concept")
    return concept, resource.get(f"{key}Reference") or either.get("reference") or either


def medication(resource: object) -> tuple[str, str, str]:
    """The name, code and system of a Medication; of one without a code its ingredients."""
    text, code, system = coded(part(resource, "code"))
    parts = (medicine(one, "item")[0] for one in parts_of(resource, "ingredient"))
    return text or " / ".join(filter(None, (coded(one)[0] for one in parts))), code, system


def first(resource: Json, names: tuple[str, ...], side: str) -> str:
    """The first time among choices such as onsetDateTime and onsetPeriod."""
    for name in names:
        if (period := part(resource, f"{name}Period")) and period.get(side):
            return str(period[side])
        if side == "end" and name != "abatement":
            continue
        events = part(resource, f"{name}Timing").get("event")
        if isinstance(events, list) and events:
            return str(events[0])
        for key in (f"{name}DateTime", f"{name}Instant", name):
            if isinstance(value := resource.get(key), str):
                return value
    return ""


def patient_of(resource: Json) -> tuple[str, str]:
    """The address of the server that the resource's patient is on ("": the resource's own), and the
    id; ("", "") where it is about a group, say, or refers to nobody.
    """
    about = resource.get("subject") or resource.get("patient")
    text = str(about.get("reference") or "") if isinstance(about, dict) else ""
    if text.startswith(("urn:uuid:", "urn:oid:")):
        return "", reference(about)
    if "/" not in text and isinstance(about, dict) and about.get("type") == "Patient":
        return "", text
    server, id = placed(text.partition("/_history/")[0], "Patient")
    return (server, id) if "/" not in id else ("", "")


def placed(address: str, kind: str) -> tuple[str, str]:
    """The server's address and the id in ``…/Patient/7`` for the kind "Patient"; else nothing."""
    server, found, id = f"/{address}".rpartition(f"/{kind}/")
    return (server.removeprefix("/"), id) if found else ("", "")


def reference(reference: object) -> str:
    """The id in a reference: ``Patient/7``, an address, ``urn:uuid:…``, ``#7``."""
    text = str(reference.get("reference") or "") if isinstance(reference, dict) else ""
    text = text.partition("/_history/")[0]
    return urn(text) or text.rpartition("/")[2]


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
    """The objects in a field that holds a list, or should."""
    value = resource.get(key) if isinstance(resource, dict) else None
    value = [value] if isinstance(value, dict) else value
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
