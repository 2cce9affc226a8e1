"""A language model and, where the host has one, its entailment model."""

from clinfo.claims.judges.nli import entailment_model
from clinfo.claims.registry import JudgeSpec

JUDGE = JudgeSpec(
    name="both",
    title="Both",
    note="A language model and the entailment model; if they conflict, a sentence is not verified.",
    brief="both; not verified where they conflict",
    model=True,
    open=lambda settings: entailment_model(settings) if settings.nli_model else None,
    order=3,
)
