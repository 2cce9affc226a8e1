"""What tells whether an index was made by the reader of notes that is installed now."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

_ROOMS = ("patients", "pipelines/cohort", "terms", "text")
"""The folders of the package whose rules and words decide what a note is read to."""
_READ = (".py", ".tsv", ".txt", ".gz")


@cache
def reader_version() -> str:
    """A digest (SHA-256, 16 hexadecimal digits) of all rules and words that notes are read with: no
    number to be raised by hand can be forgotten.
    """
    return digest(Path(__file__).parents[2])


def digest(package: Path) -> str:
    """The digest of the package in a folder."""
    whole = hashlib.sha256()
    for room in _ROOMS:
        for file in sorted((package / room).rglob("*")):
            if file.suffix in _READ:
                whole.update(file.relative_to(package).as_posix().encode() + b"\0")
                whole.update(hashlib.sha256(file.read_bytes()).digest())
    return whole.hexdigest()[:16]
