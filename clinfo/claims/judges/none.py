"""Nobody."""

from clinfo.claims.registry import JudgeSpec

JUDGE = JudgeSpec(
    name="none",
    title="Nobody",
    note="Sentences that stand word for word in an article are quotations; nothing else is said.",
    brief="nobody",
    order=4,
)
