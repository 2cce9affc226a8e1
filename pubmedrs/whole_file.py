"""Files that are there whole or not at all, whatever happens while they are written."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO


@contextmanager
def whole_file(path: Path, encoding: str = "utf-8", partial: str = ".partial") -> Iterator[TextIO]:
    """A file to write text into, which takes its name at the end of the block; where that fails,
    what was there before stays.

    It lies in ``NAME.partial`` until then, or under a name with the end ``partial``. Ends of line
    are written as they are. Raises OSError.
    """
    unfinished = path.with_name(path.name + partial)
    try:
        with unfinished.open("w", encoding=encoding, newline="") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    except BaseException:
        with contextlib.suppress(OSError):
            unfinished.unlink()
        raise
