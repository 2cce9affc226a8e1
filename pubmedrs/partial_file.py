"""A partly fetched file, and the facts needed to request the rest.

The bytes lie in ``NAME.partial``, beside it ``NAME.partial.json`` with their address and the
validator (a strong ETag, else Last-Modified) that lets a server say whether the rest still belongs
to them (RFC 9110, sections 13.1.5 and 14).
"""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any


class PartialFile:
    """The beginning of the file at ``url``, beside ``place``, where the whole will be. All methods
    raise OSError.
    """

    def __init__(self, place: Path, url: str) -> None:
        self.path = place.with_name(place.name + ".partial")
        self._about = place.with_name(place.name + ".partial.json")
        self._url = url

    @property
    def size(self) -> int:
        """Bytes that are there."""
        return self.path.stat().st_size if self.path.exists() else 0

    def so_far(self) -> tuple[int, str]:
        """Return how many bytes are there, and their validator; 0 and "" where they cannot be
        resumed.
        """
        about: Any = None
        with contextlib.suppress(OSError, ValueError):
            about = json.loads(self._about.read_text(encoding="utf-8"))
        if (
            not isinstance(about, dict)
            or about.get("url") != self._url
            or not about.get("validator")
        ):
            return 0, ""
        return self.size, str(about["validator"])

    def begin(self, validator: str) -> None:
        """Begin anew with nothing, and note the validator of what is to come; "" where it has
        none.
        """
        self.path.write_bytes(
            b""
        )  # before the note: bytes that were there are not those that the new validator stands for
        self._about.write_text(
            json.dumps({"url": self._url, "validator": validator}), encoding="utf-8"
        )

    def forget(self) -> None:
        """Remove everything."""
        for file in (self.path, self._about):
            file.unlink(missing_ok=True)
