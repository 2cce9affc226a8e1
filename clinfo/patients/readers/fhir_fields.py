"""What stands in the fields of a FHIR resource: codes, times, values, references.

Each takes any JSON and gives "" or nothing where it is not what FHIR says.
"""

from __future__ import annotations

from typing import Any

from clinfo.text.markup import text_of

Json = dict[str, Any]
_BLOCKS = ("p", "br", "div", "li", "tr", "h1", "h2", "h3", "h4")


def value(resource: Json) -> tuple[str, str]:
    """The value of an observation and its unit."""
    if quantity := part(resource, "valueQuantity"):
        value = quantity.get("value")
        mark = str(quantity.get("comparator") or "")
        return (
            "" if value is None else f"{mark}{value}",
            str(quantity.get("unit") or quantity.get("code") or ""),
        )
    if concept := part(resource, "valueCodeableConcept"):
        return coded(concept)[0], ""
    for key in ("valueString", "valueInteger", "valueBoolean", "valueDateTime", "valueTime"):
        if (value := resource.get(key)) is not None:
            return str(value).lower() if isinstance(value, bool) else str(value), ""
    return "", ""


def status(resource: Json) -> str:
    """The recorded status; of a condition the clinical one, unless it was refuted or is not
    confirmed; of a prescription that is only proposed or planned its intent.
    """
    sure = code(resource.get("verificationStatus"))
    if resource.get("doNotPerform") is True:
        return "do-not-perform"
    if sure in ("refuted", "entered-in-error", "unconfirmed", "provisional", "differential"):
        return sure
    if (intent := resource.get("intent")) in ("proposal", "plan"):
        return str(intent)
    return code(resource.get("clinicalStatus")) or str(resource.get("status") or "")


def is_error(resource: Json) -> bool:
    """Return whether the resource says of itself that it was entered in error."""
    return "entered-in-error" in (
        resource.get("status"),
        resource.get("docStatus"),
        code(resource.get("verificationStatus")),
    )


def code(concept: object) -> str:
    """The first code of a CodeableConcept."""
    codings = parts_of(concept, "coding") if isinstance(concept, dict) else []
    return str(codings[0].get("code") or "") if codings else ""


def coded(concept: object) -> tuple[str, str, str]:
    """The words, the code and its system of a CodeableConcept."""
    if not isinstance(concept, dict):
        return "", "", ""
    codings = parts_of(concept, "coding")
    first = codings[0] if codings else {}
    shown = next((str(one["display"]) for one in codings if one.get("display")), "")
    code = str(first.get("code") or "")
    return str(concept.get("text") or shown or code), code, str(first.get("system") or "")


def first(resource: Json, names: tuple[str, ...], side: str) -> str:
    """The first time among choices such as onsetDateTime and onsetPeriod."""
    for name in names:
        if (period := part(resource, f"{name}Period")) and period.get(side):
            return str(period[side])
        if side == "end" and name != "abatement":
            continue
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
    return text.removeprefix("urn:uuid:").removeprefix("urn:oid:").rpartition("/")[2]


def without_marks(html: str) -> str:
    """The text of HTML, a block a line."""
    from lxml import etree

    root = etree.fromstring(html.encode(), etree.HTMLParser(encoding="utf-8", no_network=True))
    for cell in root.iter("td", "th"):
        cell.tail = f" {cell.tail or ''}"
    lines = text_of(root, spaced=_BLOCKS, apart="\n").splitlines()
    return "\n".join(line for line in lines if line.strip()).strip()


def part(resource: object, key: str) -> Json:
    """The object in a field."""
    value = resource.get(key) if isinstance(resource, dict) else None
    return value if isinstance(value, dict) else {}


def parts_of(resource: object, key: str) -> list[Json]:
    """The objects in a field that holds a list."""
    value = resource.get(key) if isinstance(resource, dict) else None
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
