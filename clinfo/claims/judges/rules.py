"""The rules alone."""

from __future__ import annotations

from clinfo.claims.registry import JudgeSpec

JUDGE = JudgeSpec(
    name="rules",
    title="Rules",
    note="Can judge only wording close to the abstract; the rest is not verified. No network.",
    brief="near-verbatim wording only",
    order=1,
)
