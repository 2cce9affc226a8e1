"""The system that a label of a row of scores stands for, and its group in a table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from benchmarks.own.scores import OUTPUTS
from benchmarks.own.scores import label as label_of
from benchmarks.pubmedrs200.published.data import BY_KEY, SYSTEMS, System
from benchmarks.pubmedrs200.running.records import NO_REGIME, REGIMES

_REGIME_WORDS: Final = {
    NO_REGIME: "no regime",
    "restricted": "restricted search",
    "source-dropped": "source dropped",
    "unrestricted": "unrestricted search",
}
_OUTPUT_WORDS: Final = {"synthesis": "synthesis", "tldr": "TL;DR", "both": "synthesis & TL;DR"}
_SEARCHING: Final = ("elicit", "statpearl")
"""Published systems that search by themselves, under no regime of the benchmark."""


@dataclass(frozen=True)
class Named:
    """A label taken apart. ``regime`` is "" where the label names none, ``output`` "" where it
    concerns a whole answer.

    ``published`` tells the systems of the published files, ``retrieves`` whether the system
    searches at all (None: not known).
    """

    label: str
    name: str
    regime: str = ""
    output: str = ""
    repeat: int = 1
    published: bool = False
    retrieves: bool | None = None

    @property
    def answer(self) -> str:
        """The label of the whole answer that this text is part of."""
        if self.published or not self.regime:
            return self.name
        return label_of(self.name, self.regime, repeat=self.repeat)

    @property
    def title(self) -> str:
        """Return how a row of a table calls it."""
        if self.published:
            return BY_KEY[self.label].title
        output = _OUTPUT_WORDS.get(self.output, self.output)
        regime = _REGIME_WORDS.get(self.regime, "") if self.regime != NO_REGIME else ""
        repeat = f"repeat {self.repeat}" if self.repeat > 1 else ""
        return ", ".join(part for part in (self.name, regime, output, repeat) if part)

    @property
    def answer_title(self) -> str:
        """Return how the whole answer is called, where texts of it are not told apart."""
        if not self.published or not self.output or self.label not in _OUTPUTS_OF_RUNS:
            return replace(self, output="").title if not self.published else self.title
        return BY_KEY[self.label].group

    @property
    def short_title(self) -> str:
        """The title without the regime, for rows under a heading that names it."""
        return _without(self.title, self.regime)

    @property
    def short_answer_title(self) -> str:
        """As `short_title`, for the whole answer."""
        return _without(self.answer_title, self.regime)

    @property
    def group(self) -> str:
        """The heading of its rows in a table."""
        if self.published:
            if self.label in _OUTPUTS_OF_RUNS:
                return f"Published: {BY_KEY[self.label].group}"
            return (
                "Published: with retrieval of their own"
                if self.retrieves
                else "Published: without retrieval"
            )
        if not self.regime:
            return "Other systems"
        return (
            "Ours: no regime" if self.regime == NO_REGIME else f"Ours: {_REGIME_WORDS[self.regime]}"
        )

    @property
    def colour(self) -> str:
        """Return what shares a colour in plots: systems under one regime, whoever made them."""
        if self.retrieves is False:
            return "no retrieval"
        return _REGIME_WORDS[self.regime] if self.regime and self.regime != NO_REGIME else "other"


def _without(title: str, regime: str) -> str:
    words = _REGIME_WORDS.get(regime, "")
    return title.replace(f", {words}", "", 1) if words else title


_OUTPUTS_OF_RUNS: Final = {system.key for system in SYSTEMS if system.run}
"""The published texts that are one of three outputs of a run of Clinfo.ai."""


def _published(system: System) -> Named:
    if system.run:
        return Named(
            system.key,
            system.run,
            system.regime,
            system.output,
            published=True,
            retrieves=True,
        )
    return Named(system.key, system.key, published=True, retrieves=system.key in _SEARCHING)


_BY_GROUP: Final = {"Closed book": 0, "Other systems": 1}
PUBLISHED: Final = {
    system.key: _published(system)
    for system in sorted(SYSTEMS, key=lambda each: _BY_GROUP.get(each.group, 2))
}
"""The 13 published systems by the names of the published files: without retrieval, with their own,
then Clinfo.ai by regime. The whole answer of a run of Clinfo.ai has the label of its ``both``
text."""


def named(label: str) -> Named:
    """A label taken apart; one that follows no rule stands for itself."""
    if label in PUBLISHED:
        return PUBLISHED[label]
    parts = label.split(":")
    repeat = (
        int(parts.pop()) if len(parts) > 2 and parts[-1].isascii() and parts[-1].isdigit() else 1
    )
    output = parts.pop() if len(parts) > 2 and parts[-1] in OUTPUTS else ""
    if len(parts) < 2 or parts[-1] not in _REGIME_WORDS:
        return Named(label, label)
    regime = parts.pop()
    return Named(label, ":".join(parts), regime, output, repeat, retrieves=regime != NO_REGIME)


def ordered(labels: Iterable[str]) -> list[Named]:
    """Labels in the order of the tables: the published ones as the paper has them, then ours by
    regime, name, output, repeat.
    """
    regimes = [NO_REGIME, *REGIMES, ""]
    outputs = [*OUTPUTS, ""]
    published = list(PUBLISHED)

    def place(system: Named) -> tuple[int, int, str, int, int, str]:
        if system.published:
            return 0, published.index(system.label), "", 0, 0, ""
        return (
            1,
            regimes.index(system.regime),
            system.name,
            system.repeat,
            outputs.index(system.output),
            system.label,
        )

    return sorted((named(label) for label in set(labels)), key=place)
