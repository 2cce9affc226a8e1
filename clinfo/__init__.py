"""Clinfo: a clinical question in, a checked and cited answer out.

    import clinfo

    answer = clinfo.ask("Do probiotics prevent antibiotic-associated diarrhea?", model="extractive", source="demo")
    print(answer.tldr)

What ``__all__`` lists is public and stays; everything else may change. Nothing is loaded before it
is used.
"""  # noqa: E501

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clinfo.api import (
        Answer,
        ChartAnswer,
        CopilotAnswer,
        TrialsAnswer,
        aask,
        ask,
        chart,
        check_references,
        cohort,
        copilot,
        replay,
        search,
        stream,
        stream_chart,
        trials,
        verify,
    )

__version__ = "0.3.0"
__all__ = [
    "Answer",
    "ChartAnswer",
    "CopilotAnswer",
    "TrialsAnswer",
    "__version__",
    "aask",
    "ask",
    "chart",
    "check_references",
    "cohort",
    "copilot",
    "replay",
    "search",
    "stream",
    "stream_chart",
    "trials",
    "verify",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from clinfo import api

    return getattr(api, name)


def __dir__() -> list[str]:
    return __all__
