"""Calls of a run that are one: an article judged and summarised at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from clinfo.records.articles import RunRequest
from clinfo.records.request import EXTRACTIVE

READING: Final = "reading"
"""The prompt of the call that does both."""
REPLACED: Final = ("relevance", "summary")
"""The stages, and the prompts, in whose place it stands."""


def in_one_call(request: RunRequest) -> bool:
    """Return whether a run judges and summarises in one call: one model does both, it is no rule,
    neither prompt was edited, and nothing is reranked in between.
    """
    judge, writer = (request.models.get(stage) for stage in REPLACED)
    alike = judge == writer != EXTRACTIVE and not edited(request.prompts, REPLACED)
    return alike and not request.rerank


def edited(prompts: Mapping[str, str], names: Sequence[str]) -> bool:
    """Return whether a text for one of the prompts of these names differs from the default one."""
    from clinfo.pipelines.literature.stages import PROMPTS

    given = [name for name in names if name in prompts]
    defaults = PROMPTS.defaults() if given else {}
    return any(prompts[name].strip() != defaults[name].strip() for name in given)
