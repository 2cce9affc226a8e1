"""Readers of silos' files: each makes documents of a file's bytes, by what its content shows."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from clinfo.errors import RecordError
from clinfo.retrieval.readers.plain import text_in
from clinfo.retrieval.silos import SiloDocument
from clinfo.retrieval.silos.staged import About


@dataclass(frozen=True)
class Content:
    """The contents of a file: documents, what it says of itself, and what could not be read."""

    documents: tuple[SiloDocument, ...]
    about: About = field(default_factory=About)
    problems: tuple[str, ...] = ()


def read(raw: bytes, name: str, silo: str) -> Content:
    """The contents of a file. Raises RecordError, of one line, where it cannot be read; UsageError
    for a PDF where the package that reads it is missing.
    """
    from clinfo.retrieval.silos.readers import civic, registered, rows, texts

    bare = name.lower().removesuffix(".gz")
    if bare.endswith(".tsv"):
        return civic.from_table(text_in(raw, name), name, silo)
    if bare.endswith((".jsonl", ".ndjson")):
        return rows.from_lines(text_in(raw, name), name, silo)
    if bare.endswith(".json"):
        return registered.from_json(_json(text_in(raw, name), name), name, silo)
    return texts.from_file(raw, name, silo)


def _json(text: str, name: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise RecordError(f"{name}: not JSON") from None
