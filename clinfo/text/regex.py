"""Regular expressions that are compiled at their first use, so that importing the rules costs
nothing.
"""

from __future__ import annotations

import re
from typing import Any, cast


class LazyPattern:
    """Stands for `re.compile` of its source and flags; compiled when an attribute of it is first
    asked for.

    The compiled pattern's methods are then kept as its own attributes. Threads that ask at once get
    the same pattern from the cache of `re` or an equal one.
    """

    def __init__(self, source: str, flags: int) -> None:
        self._source, self._flags = source, flags

    def compiled(self) -> re.Pattern[str]:
        """The compiled pattern. re.error where the source is no regular expression."""
        return re.compile(self._source, self._flags)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        compiled = self.compiled()
        for method in (
            "search",
            "match",
            "fullmatch",
            "finditer",
            "findall",
            "sub",
            "subn",
            "split",
            "pattern",
            "flags",
        ):
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def regex(source: str, flags: int = 0) -> re.Pattern[str]:
    """A pattern that is compiled at its first use."""
    return cast("re.Pattern[str]", LazyPattern(source, flags))


def anycase(source: str) -> re.Pattern[str]:
    """A pattern for which capitals and small letters are alike, compiled at its first use."""
    return regex(source, re.IGNORECASE)
