"""The 13 systems whose outputs were published with PubMedRS-200."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from types import MappingProxyType
from typing import Final, Literal

Regime = Literal["restricted", "source-dropped", "unrestricted", "none"]
Output = Literal["synthesis", "tldr", "both"]

RETRIEVING: Final = MappingProxyType(
    {
        "restricted": "clinfo_pubmed_LimitedSearch_ExludePMID",
        "source-dropped": "clinfo_pubmed_ExludePMID",
        "unrestricted": "clinfo_pubmed",
    }
)
"""By regime, the key under which the published files hold what was retrieved."""

REGIME_TITLES: Final = MappingProxyType(
    {
        "restricted": "restricted search",
        "source-dropped": "source dropped",
        "unrestricted": "unrestricted search",
    }
)


@dataclass(frozen=True)
class PublishedSystem:
    """One published system. ``key`` is its column in the published files, ``title`` its name in
    tables.

    ``group`` is the part of the paper's tables it stands in. ``regime`` is "none" for systems whose
    search was not the benchmark's: the language models asked without one, and the commercial ones,
    which searched by themselves. ``cutoff`` is the last day of the training data, None where it is
    not known for certain: also for Clinfo.ai, whose published outputs do not say by which snapshot
    of a model they were written.
    """

    key: str
    title: str
    group: str
    regime: Regime
    output: Output
    cutoff: date | None = None

    @property
    def retrieval_key(self) -> str | None:
        """The prefix of the columns that hold what this system retrieved; None where nothing is
        told.
        """
        return RETRIEVING.get(self.regime)


_SEPTEMBER_2021: Final = date(2021, 9, 30)
"""Training data of gpt-3.5-turbo-0613 and gpt-4-0613 end in September 2021 (OpenAI's list of
models).
"""


def _clinfo(regime: Regime) -> tuple[PublishedSystem, ...]:
    key, where = RETRIEVING[regime], REGIME_TITLES[regime]
    outputs: tuple[tuple[str, str, Output], ...] = (
        ("", "synthesis & TL;DR", "both"),
        ("_synthesis", "synthesis", "synthesis"),
        ("_TLDR", "TL;DR", "tldr"),
    )
    return tuple(
        PublishedSystem(
            key + ending, f"Clinfo.ai, {where}, {title}", f"Clinfo.ai, {where}", regime, output
        )
        for ending, title, output in outputs
    )


SYSTEMS: Final[tuple[PublishedSystem, ...]] = (
    PublishedSystem(
        "gpt3.5", "GPT-3.5 (closed book)", "Closed book", "none", "synthesis", _SEPTEMBER_2021
    ),
    PublishedSystem(
        "gpt4", "GPT-4 (closed book)", "Closed book", "none", "synthesis", _SEPTEMBER_2021
    ),
    *_clinfo("restricted"),
    *_clinfo("source-dropped"),
    *_clinfo("unrestricted"),
    PublishedSystem("elicit", "Elicit", "Other systems", "none", "synthesis"),
    PublishedSystem("statpearl", "Statpearls SS", "Other systems", "none", "synthesis"),
)
"""In the order of the published table files."""

BY_KEY: Final = MappingProxyType({system.key: system for system in SYSTEMS})
