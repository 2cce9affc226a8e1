"""The host's entailment model."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from clinfo.claims.registry import JudgeSpec
from clinfo.errors import UsageError

if TYPE_CHECKING:
    from clinfo.claims.learned import EntailmentJudge
    from clinfo.settings import Settings


def entailment_model(settings: Settings) -> EntailmentJudge:
    """The model that CLINFO_NLI_MODEL names. Raises UsageError where none is or it cannot be
    loaded.
    """
    if settings.nli_model is None:
        raise UsageError(
            "the judge “nli” needs an entailment model: name a folder or a model of the hub with "
            "CLINFO_NLI_MODEL"
        )
    return _model(settings.nli_model)


@cache
def _model(name: str) -> EntailmentJudge:
    from clinfo.claims.nli import NliModel

    return NliModel(name)


JUDGE = JudgeSpec(
    name="nli",
    title="An entailment model",
    note="A model on this host that tells whether a passage entails the sentence.",
    brief="this host's entailment model, CLINFO_NLI_MODEL",
    open=entailment_model,
    order=2,
)
