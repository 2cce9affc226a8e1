"""Clinfo: a clinical question in, a checked and cited answer out.

    import clinfo

    answer = clinfo.ask("Do probiotics prevent antibiotic-associated diarrhea?", model="extractive", source="demo")
    print(answer.tldr)

What ``__all__`` lists is public and stays (the ``__init__.pyi`` beside this file says where it lies);
everything else may change. Nothing is loaded before it is used.
"""  # noqa: E501

from __future__ import annotations

from pathlib import Path
from typing import Any

__version__ = "0.3.0"


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return __dir__()
    from clinfo.doors import opened

    return opened(__name__, __file__)(name)


def __dir__() -> list[str]:
    from clinfo.doors import handed_out

    return sorted(["__version__", *handed_out(Path(__file__).with_suffix(".pyi"))])
