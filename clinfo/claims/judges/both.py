"""A language model for the answer, the rules and the learned judge, if there is one, for
summaries.
"""

from __future__ import annotations

from clinfo.claims.judges.learned import where_there_is_one
from clinfo.claims.registry import JudgeSpec

JUDGE = JudgeSpec(
    name="both",
    title="Both",
    note="A model and the rules; if they conflict, a sentence is not verified.",
    brief="a model, and rules or learned",
    model_reads=frozenset(("synthesis", "tldr")),
    open=where_there_is_one,
    order=4,
)
