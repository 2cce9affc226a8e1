"""A language model alone."""

from __future__ import annotations

from clinfo.claims.registry import JudgeSpec

JUDGE = JudgeSpec(
    name="model",
    title="A model",
    note="Reads the sentences and the abstracts they cite, and must quote.",
    brief="CLINFO_MODEL_VERIFY, else the model",
    model_reads=frozenset(("summary", "synthesis", "tldr")),
    by_rules=False,
    order=3,
)
