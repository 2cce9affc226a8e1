"""The rules, and an entailment model for what they cannot tell."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from clinfo.claims.registry import JudgeSpec
from clinfo.errors import UsageError

if TYPE_CHECKING:
    from clinfo.claims.learned import EntailmentJudge
    from clinfo.settings import Settings


def where_there_is_one(settings: Settings) -> EntailmentJudge | None:
    """The model that CLINFO_NLI_MODEL names. Raises UsageError where it cannot be loaded."""
    return _model(settings.nli_model) if settings.nli_model is not None else None


def _open(settings: Settings) -> EntailmentJudge:
    if (model := where_there_is_one(settings)) is None:
        asked = "CLINFO_JUDGE=learned" if settings.judge == "learned" else "--judge learned"
        raise UsageError(
            f"{asked} needs an entailment model: name a folder or a model of the hub with "
            "CLINFO_NLI_MODEL"
        )
    return model


@cache
def _model(name: str) -> EntailmentJudge:
    from clinfo.claims.nli import NliModel

    return NliModel(name)


JUDGE = JudgeSpec(
    name="learned",
    title="A learned judge",
    note="Rules, and an entailment model on this host for what they cannot tell.",
    brief="and an entailment model, CLINFO_NLI_MODEL",
    open=_open,
    order=2,
)
