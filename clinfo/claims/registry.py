"""The judges by name. Each is a module of `clinfo.claims.judges`; it is found there and listed
nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from clinfo.claims import judges
from clinfo.errors import UsageError
from clinfo.extras import declared

if TYPE_CHECKING:
    from clinfo.claims.learned import EntailmentJudge
    from clinfo.settings import Settings


RENAMED: Final = {"rules": "none", "learned": "nli"}
"""Names of before, which saved runs and scripts hold, and today's."""


@dataclass(frozen=True)
class JudgeSpec:
    """The judges that one name stands for.

    - ``note``: what it does, as sentences for who chooses it; ``brief``: the same in a few words,
      for the command line;
    - ``model``: whether a language model judges; ``open`` makes the judge beside it. Raises
      UsageError;
    - ``order``: its place among the judges on offer.
    """

    name: str
    title: str
    note: str
    brief: str
    model: bool = False
    open: Callable[[Settings], EntailmentJudge | None] | None = None
    order: int = 100


def specs() -> tuple[JudgeSpec, ...]:
    """All judges, in the order in which they are offered."""
    return declared(judges, "JUDGE")


def names() -> tuple[str, ...]:
    """Return what can be chosen."""
    return tuple(one.name for one in specs())


def choice() -> str:
    """Return what can be chosen, each with what it is, for help."""
    return ", ".join(f"{one.name} ({one.brief})" for one in specs())


def spec(name: str) -> JudgeSpec:
    """The judge of this name, or of the name that it has today. Raises UsageError."""
    today = RENAMED.get(name, name)
    found = next((one for one in specs() if one.name == today), None)
    if found is None:
        raise UsageError(f"the judge “{name[:40]}” is unknown; choose one of: {', '.join(names())}")
    return found


def renamed(name: str) -> str:
    """The line that says what a name of before is called today; "" for any other name."""
    today = RENAMED.get(name)
    return f"The judge “{name}” is called “{today}” now; no rules judge any more." if today else ""


def learned_judge(settings: Settings, name: str) -> EntailmentJudge | None:
    """The judge beside the language model under this name. Raises UsageError where it cannot be
    had.
    """
    opens = spec(name).open
    return opens(settings) if opens is not None else None
