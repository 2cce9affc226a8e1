"""The judges by name. Each is a module of `clinfo.claims.judges`; it is found there and listed
nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from clinfo.claims import judges
from clinfo.errors import UsageError
from clinfo.extras import declared
from clinfo.lazy_dataclass import dataclass
from clinfo.records.articles import Part

if TYPE_CHECKING:
    from clinfo.claims.learned import ReadingJudge
    from clinfo.settings import Settings


@dataclass(frozen=True)
class JudgeSpec:
    """The judges that one name stands for.

    - ``note``: what it can tell, as sentences for who chooses it; ``brief``: the same in a few
      words, for the command line;
    - ``model_reads``: the parts of an answer that a language model judges;
    - ``open`` makes the judge of the parts that no language model reads, beside the rules; None,
      here or there: the rules alone. Raises UsageError;
    - ``by_rules``: whether the rules have a say; ``order``: its place among the judges on offer.
    """

    name: str
    title: str
    note: str
    brief: str
    model_reads: frozenset[Part] = frozenset()
    open: Callable[[Settings], ReadingJudge | None] | None = None
    by_rules: bool = True
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
    """The judge of this name. Raises UsageError."""
    found = next((one for one in specs() if one.name == name), None)
    if found is None:
        raise UsageError(f"the judge “{name[:40]}” is unknown; choose one of: {', '.join(names())}")
    return found


def asks_model(name: str) -> bool:
    """Return whether a language model judges anything under this name."""
    return bool(spec(name).model_reads)


def learned_judge(settings: Settings, name: str) -> ReadingJudge | None:
    """The judge beside rules and language model under this name. Raises UsageError where it cannot
    be had.
    """
    opens = spec(name).open
    return opens(settings) if opens is not None else None
