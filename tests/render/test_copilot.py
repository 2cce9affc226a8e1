"""The copilot's answer as it is shown: the span quoted, claims by silo, tools by round."""

import pytest

from clinfo.pipelines.copilot.records import (
    Claim,
    CopilotAnswer,
    Source,
)
from clinfo.render.copilot import by_part, claim_view, ranges

TEXT = "It helps.\nIt may harm."
SOURCE = Source(3, "nccn", "x", "X", (100, 100 + len(TEXT)), TEXT, "2A", "2026-01")
OTHER = Source(4, "esmo", "y", "Y", (0, 9), "It helps.")


def claim(text: str, span: tuple[int, int], silo: str = "nccn", document: str = "x") -> Claim:
    return Claim(text, silo, document, span, "2A", "2026-01", "partial", "why", sources=(4, 3))


def test_a_claim_quotes_its_span_of_its_own_document() -> None:
    view = claim_view(claim("It hurts.", (110, 122)), {3: SOURCE, 4: OTHER})
    assert (view.source, view.quote, view.others) == (SOURCE, "It may harm.", ((4, 4),))
    assert (view.word, view.reason, view.whole) == ("supported in part", "why", False)
    assert claim_view(claim("It helps.  It may harm.", (100, 122)), {3: SOURCE}).whole


def test_many_citations_in_a_row_are_folded() -> None:
    assert ranges((3, 1, 2)) == ((1, 1), (2, 2), (3, 3))
    assert ranges((9, 1, 2, 3, 4, 5, 7)) == ((1, 5), (7, 7), (9, 9))


@pytest.mark.parametrize(
    "own",
    [claim("x", (90, 105)), claim("x", (100, 105), "esmo"), claim("x", (100, 105), "nccn", "z")],
)
def test_a_span_that_no_source_holds_is_not_quoted(own: Claim) -> None:
    view = claim_view(own, {3: SOURCE, 4: OTHER})
    assert (view.source, view.quote) == (None, "")


def test_quotations_by_rule_stand_by_silo() -> None:
    both = (claim("It helps.", (100, 109)), claim("It helps.", (0, 9), "esmo", "y"))
    answer = CopilotAnswer(question="?", claims=both, sources=(SOURCE, OTHER), by_rule=True)
    assert list(by_part(answer)) == ["nccn", "esmo"]
