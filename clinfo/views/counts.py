"""The counts of a run from found to cited, what was left on the way, and what it took, as every
page says them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from clinfo.records.answer import Answer, StageUsage
from clinfo.records.request import EXTRACTIVE
from clinfo.text.printable import one_line
from clinfo.text.wording import cost, number, seconds

EXTRACTIVE_SHOWN = "no language model"


@dataclass(frozen=True)
class Count:
    """A count with the words after it and the name under which its articles are listed."""

    count: int
    words: str
    which: str

    def __str__(self) -> str:
        return f"{self.count:,} {self.words}"


def funnel(answer: Answer) -> tuple[Count, ...]:
    """The counts from found to cited."""
    counts = answer.counts
    if _quotes(answer):
        return (
            Count(counts.found, "found", "found"),
            Count(counts.judged, "read", "judged"),
            Count(counts.relevant, "that name what is asked", "relevant"),
            Count(counts.cited, "quoted", "cited"),
        )
    return (
        Count(counts.found, "found", "found"),
        Count(counts.judged, "judged", "judged"),
        Count(counts.relevant, "relevant", "relevant"),
        Count(counts.summarised, "summarised", "summarised"),
        Count(counts.cited, "cited", "cited"),
    )


def left_on_the_way(answer: Answer) -> tuple[Count, ...]:
    """Return what went no further than it did, as far as there was any."""
    counts = answer.counts
    irrelevant = sum(
        article.relevant is False and "excluded" not in article.flags for article in answer.articles
    )
    unlike = "that name too little of it" if _quotes(answer) else "not relevant"
    every = (
        Count(irrelevant, unlike, "not-relevant"),
        Count(counts.relevant - counts.cited, "relevant but not used", "not-used"),
        Count(counts.excluded, "excluded", "excluded"),
        Count(counts.not_assessed, "not judged", "not-judged"),
    )
    return tuple(count for count in every if count.count)


def _quotes(answer: Answer) -> bool:
    """Return whether no language model was asked: what was found is ranked and quoted."""
    return set(model_names(answer)) == {EXTRACTIVE}


def taken(answer: Answer) -> tuple[str, ...]:
    """Time, tokens, calls and cost, in words."""
    parts = (
        seconds(answer.timings["total"]) if "total" in answer.timings else "",
        used(answer.usage) if not _quotes(answer) else "no language model used",
    )
    return tuple(part for part in parts if part)


def used(usage: StageUsage) -> str:
    """Tokens, model calls and cost."""
    tokens = usage.prompt_tokens + usage.completion_tokens
    calls = number(usage.calls + usage.cached, "model call") + (
        f", {usage.cached:,} from the cache" if usage.cached else ""
    )
    return (
        f"{number(tokens, 'token')} in {calls} · {cost(usage)}"
        if tokens
        else f"{calls} · {cost(usage)}"
    )


class WithSettings(Protocol):
    """An answer of any pipeline."""

    @property
    def settings(self) -> Mapping[str, Any]: ...


def model_names(answer: WithSettings) -> list[str]:
    """The names of the models, each once."""
    models = answer.settings.get("models")
    return list(dict.fromkeys(map(str, models.values()))) if isinstance(models, Mapping) else []


def models_in_words(answer: Answer) -> list[str]:
    """The same as people call them."""
    return [
        EXTRACTIVE_SHOWN if name == EXTRACTIVE else one_line(name) for name in model_names(answer)
    ]
