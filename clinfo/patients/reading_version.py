"""The version of the rules and words that notes are read with."""

import hashlib
from functools import cache
from pathlib import Path

_READ = (".py", ".tsv", ".txt", ".gz", ".json")


@cache
def reading_version(pipeline: str, package: Path = Path(__file__).parents[1]) -> str:
    """A digest (SHA-256, 16 hexadecimal digits) of all that decides what a pipeline reads a note
    to: no number to be raised by hand can be forgotten.
    """
    whole = hashlib.sha256()
    for room in ("patients", f"pipelines/{pipeline}", "terms", "text"):
        for file in sorted((package / room).rglob("*")):
            if file.suffix in _READ:
                whole.update(file.relative_to(package).as_posix().encode() + b"\0")
                whole.update(hashlib.sha256(file.read_bytes()).digest())
    return whole.hexdigest()[:16]
