"""The demo corpus, which is included in the program."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from clinfo.sources.registry import ArticleSource, SourceSpec

if TYPE_CHECKING:
    from clinfo.runs.protocols import Clock
    from clinfo.settings import Settings


def _made(clock: Clock | None) -> ArticleSource:
    from clinfo.sources import demo
    from clinfo.sources.memory import Memory

    return Memory(demo.load(), name="demo", notices=(demo.NOTICE,), clock=clock)


@cache
def _shared() -> ArticleSource:
    """The one that every run of a process uses, so that it is read and ranked once."""
    return _made(None)


def _inspect(settings: Settings) -> tuple[bool | None, str]:
    from clinfo.sources import demo

    return True, f"{len(demo.load()):,} articles"


SOURCE = SourceSpec(
    name="demo",
    title="the demo corpus",
    note="a few dozen trials with rewritten abstracts, only for trying the program",
    platform="The demo corpus included in clinfo (not a bibliographic database)",
    open=lambda asked: _shared() if asked.clock is None else _made(asked.clock),
    order=4,
    caution=(
        "The demo corpus holds a few dozen real trials whose abstracts were rewritten. It only "
        "shows how "
        "Clinfo works."
    ),
    inspect=_inspect,
)
