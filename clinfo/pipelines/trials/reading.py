"""Reads one paper, in the process that a run has for it (`clinfo.runs.apart`)."""

from __future__ import annotations

from clinfo.errors import RecordError
from clinfo.retrieval.documents import Document
from clinfo.retrieval.readers import read_document


def read_paper(raw: bytes, name: str, guarded: bool) -> Document:
    """The paper. Raises RecordError for one that seems to identify a patient, where its text might
    go where no patient's may (``guarded``); one that a publisher numbered is not looked at.
    """
    document = read_document(raw, name)
    if not (guarded and document.id.startswith("sha256:")):
        return document
    from clinfo.privacy.phi_guard import in_paper

    if kinds := ", ".join(dict.fromkeys(one.kind for one in in_paper(document.text))):
        raise RecordError(f"{name}: seems to identify a patient ({kinds}); it was not read")
    return document
