"""Failures as visitors are told them."""

from __future__ import annotations

import pytest

from webapp.work.failing import OF_DAY, OF_RUN, for_visitors


@pytest.mark.parametrize(
    ("error", "problem", "retryable", "told"),
    [
        (
            "BudgetReached",
            "today's budget of this site, $1.0000, does not cover this run: $0.9000 spent, and it "
            "is likely to cost $0.2000; the budget is renewed at 0:00 UTC",
            False,
            (OF_DAY, True),
        ),
        (
            "BudgetReached",
            "the budget of $0.1000 does not cover another call: $0.0900 spent, and the next call "
            "might cost $0.0200",
            True,
            (OF_RUN, False),
        ),
        (
            "ModelError",
            "openai/x: the provider's rate limit was reached (429); wait, or lower "
            "CLINFO_CONCURRENCY",
            True,
            ("openai/x: the provider's rate limit was reached (429); wait", True),
        ),
        (
            "ModelError",
            "openai/x: no API key; set OPENAI_API_KEY",
            False,
            ("openai/x: no API key", False),
        ),
        (
            "SourceError",
            "PubMed could not be reached (timed out); check the network",
            True,
            ("PubMed could not be reached (timed out); check the network", True),
        ),
        (
            "IdentifiersFound",
            "the question seems to identify a patient. Nothing was sent. Remove it and ask again, "
            "or allow it (--allow-identifiers).",
            False,
            (
                "the question seems to identify a patient. Nothing was sent. Remove it and ask "
                "again",
                False,
            ),
        ),
        (
            "UsageError",
            "set CLINFO_INDEX_DIR",
            False,
            ("something is not set up on this site; please tell its host", False),
        ),
    ],
)
def test_a_visitor_reads_no_amounts_and_no_advice_for_hosts(
    error: str, problem: str, retryable: bool, told: tuple[str, bool]
) -> None:
    assert for_visitors(error, problem, retryable) == told
