"""Reads FHIR of XML as the objects that its JSON would give."""

from contextlib import suppress
from typing import Any

from clinfo.errors import RecordError
from clinfo.patients.readers.fhir_fields import Json
from clinfo.patients.readers.files import MOST_LINE, Source
from clinfo.text.markup import xml_root

_NAMESPACE = "{http://hl7.org/fhir}"
_TRUTH = {"true": True, "false": False}
_WORDS = ("valueString", "text", "display")


def read_xml(source: Source) -> Json:
    """The resource that a file holds; a field that stands once is no list.

    Raises RecordError where the file is damaged or something else than FHIR.
    """
    with source.open() as file:
        raw = file.read(MOST_LINE + 1)
    root = None
    with suppress(ValueError):
        root = xml_root(raw if len(raw) <= MOST_LINE else b"")
    if root is None or not str(root.tag).startswith(_NAMESPACE):
        raise RecordError(
            f"{source.name}: of XML and HTML only FHIR is read, undamaged and up to "
            f"{MOST_LINE // 1_000_000} MB"
        )
    return _resource(root)


def _resource(element: Any) -> Json:
    return {"resourceType": element.tag.removeprefix(_NAMESPACE), **_object(element)}


def _object(element: Any) -> Json:
    made: dict[str, Any] = dict(element.attrib)
    for child in element.iterchildren(f"{_NAMESPACE}*"):
        name = child.tag.removeprefix(_NAMESPACE)
        if name in ("resource", "contained") and len(child):
            value: Any = _resource(child[0])
        elif "value" in child.attrib or not len(child):
            value = child.get("value")
            value = value if name in _WORDS else _TRUTH.get(value, value)
        else:
            value = _object(child)
        if isinstance(made.get(name), list):
            made[name].append(value)
        else:
            made[name] = [made[name], value] if name in made else value
    return made
