"""Reads the texts of FHIR documents: attachments, and the sections of a Composition."""

import base64
import binascii
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from clinfo.patients.collecting import Collection
from clinfo.patients.readers import fhir_fields as fields
from clinfo.patients.readers.fhir_fields import Json
from clinfo.patients.readers.files import decoded

_TEXT = "text/"


def texts_of(
    forms: Sequence[Json], binaries: Mapping[str, Json], to: Collection, where: str
) -> Iterator[str]:
    """The texts of attachments, of which some only name one of the ``binaries``: the plain ones,
    else those of HTML.
    """
    kinds = [str(form.get("contentType") or "text/plain").lower() for form in forms]
    typed = list(zip(kinds, forms, strict=True))
    plain = any(kind.startswith("text/plain") and form.get("data") for kind, form in typed)
    lost, found = Counter[str](), False
    for kind, form in typed:
        form = form if form.get("data") else binaries.get(str(form.get("url")), form)
        name, _, parameters = kind.partition(";")
        try:
            raw = base64.b64decode("".join(str(form.get("data") or "").split()), validate=True)
        except (binascii.Error, ValueError):
            to.problem(f"{where}: an attachment is not base64, passed over")
            continue
        name = "application/rtf" if raw.startswith(b"{\\rtf") else name
        if not raw:
            lost["attachments that are only addresses"] += 1
        elif not name.startswith(_TEXT) and name != "application/xhtml+xml":
            lost[f"attachments of {name[:40]}"] += 1
        elif not plain or name == "text/plain":
            charset = parameters.partition("charset=")[2].strip(' "')
            text, sure = decoded(raw, charset or "utf-8-sig", "utf-8-sig")
            if not sure:
                to.problem(f"{where}: its text is not UTF-8 and is read as Windows-1252")
            found = True
            yield text if name == "text/plain" else fields.without_marks(text)
    to.skipped.update(lost)
    to.unread.update({} if found else lost)


def sections_of(part: Json) -> Iterator[str]:
    """The titles and the narrative of a Composition's sections, those within them too."""
    for one in fields.parts_of(part, "section"):
        told = fields.without_marks(str(fields.part(one, "text").get("div") or "<p/>"))
        yield "\n".join(filter(None, (str(one.get("title") or ""), told)))
        yield from sections_of(one)
