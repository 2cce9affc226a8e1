"""A model's reading of a study: figures located in what it quotes, checked against each other, and
never put in the place of what it said.
"""

import json
from typing import Any

import pytest

from clinfo.pipelines.trials.effects import ANIMALS, CLUSTER
from clinfo.pipelines.trials.numbers import FALLEN, FROM_CI, FROM_PERCENT, FROM_SE
from clinfo.pipelines.trials.records import Method
from clinfo.settings import Settings
from tests.pipelines.carried import answer, events
from tests.pipelines.trials.test_run import Scripted, carrier_of, request

PAPER = """<article><front><article-meta><article-id pub-id-type="pmid">1</article-id>
<title-group><article-title>Zinc cream</article-title></title-group></article-meta></front><body>
<sec><title>Results</title><p>Twelve villages took part (NCT00000001). Itching was significantly
less frequent with zinc cream than with placebo (risk ratio 0.45, 95% CI 0.25–0.84; P&lt;.01). Pain
fell by 20.5 mm (SE 2.0) with zinc cream and by 8·1 mm (SE 2.5) with placebo. Sleep lasted 6.1 h
(95% CI 5.6 to 6.6) against −0.4 h. Of 1,040 people twelve were lost.</p>
<table-wrap><label>Table 2</label><caption><p>Outcomes at week 8</p></caption><table><thead>
<tr><th>Outcome</th><th>Zinc cream (n = 40)</th><th>Placebo (n = 41)</th></tr></thead><tbody>
<tr><td>Itching, n (%)</td><td>10 (25%)</td><td>22 (54%)</td></tr>
<tr><td>Costs, median (IQR)</td><td>3 (1–6)</td><td>5 (2–9)</td></tr>
<tr><td>Score, mean (SD)</td><td>− 0.89 (1,4)</td><td>0.30 (1,5)</td></tr>
<tr><td>Seen</td><td>38</td><td>39</td></tr>
</tbody></table></table-wrap></sec></body></article>"""
SAID = "Itching was significantly less frequent with zinc cream than with placebo (risk ratio 0.45"
ROW = "Itching, n (%) | 10 (25%) | 22 (54%)"
PAIN = "Pain fell by 20.5 mm (SE 2.0) with zinc cream and by 8·1 mm (SE 2.5) with placebo"
HEAD = "Outcome | Zinc cream (n = 40) | Placebo (n = 41)"
COUNTS = {"intervention": {"n": "40", "events": "10"}, "comparator": {"n": "41", "events": "22"}}


def study(arms: Any = None, papers: int = 1, method: Method = "numbers", **reply: Any) -> Any:
    """The study of a run whose model replies so."""
    said = {"direction": "decrease", "quotes": [SAID], "reason": "", "arms": arms} | reply
    asked = request(
        *(f"{n}.xml" for n in range(papers)),
        intervention="zinc cream",
        comparator="placebo",
        outcome="itching",
        better="lower",
        method=method,
    )
    model = Scripted(lambda asked: json.dumps(said) if asked.stage == "conclude" else SAID)
    texts = {f"{n}.xml": PAPER.replace(">1<", f">{n}<").encode() for n in range(papers)}
    carrier = carrier_of(Settings(cache="off"), asked, texts.__getitem__, model)
    (found,) = answer(events(carrier, asked))["studies"]
    return found


def arm(found: Any, side: str) -> dict[str, float]:
    numbers = found["numbers"][side]
    return {
        name: round(numbers[name]["value"], 3)
        for name in ("events", "total", "mean", "sd", "median", "q1", "q3")
        if numbers[name]
    }


def test_numbers_stand_in_the_row_and_under_its_header() -> None:
    found = study(COUNTS, number_quotes=[ROW])
    assert arm(found, "intervention") == {"events": 10, "total": 40}
    assert arm(found, "comparator") == {"events": 22, "total": 41}
    assert {span["text"] for span in found["number_spans"]} == {ROW, HEAD}
    assert round(found["effect"]["estimate"], 2) == 0.47
    assert (found["direction"], found["numbers_direction"]) == ("decrease", "decrease")
    assert found["flags"] == []


@pytest.mark.parametrize(
    ("given", "lost"),
    [
        ({"events": "11"}, "intervention: events 11"),
        ({"events": "-10"}, "intervention: events -10"),
        ({"events": "1"}, "intervention: events 1"),
        ({"n": "1,041"}, "intervention: n 1,041"),
    ],
)
def test_a_number_that_stands_nowhere_is_emptied_and_told(given: dict[str, str], lost: str) -> None:
    own = COUNTS["intervention"] | given
    found = study(COUNTS | {"intervention": own}, number_quotes=[ROW])
    assert found["reading"]["lost"] == [lost]
    assert any(lost in flag for flag in found["flags"])
    assert found["effect"] is None
    assert found["direction"] == "decrease"


def test_signs_apart_decimal_commas_and_short_rows_are_read_as_printed() -> None:
    """A short quotation counts where it is a table's whole row, and only there."""
    arms = {
        "intervention": {"n": "38", "mean": "− 0.89", "sd": "1,4"},
        "comparator": {"n": "39", "mean": "0.30", "sd": "1,5"},
    }
    row = "Score, mean (SD) | − 0.89 (1,4) | 0.30 (1,5)"
    found = study(arms, number_quotes=[row, "Seen | 38 | 39"])
    assert arm(found, "intervention") == {"total": 38, "mean": -0.89, "sd": 1.4}
    assert arm(found, "comparator") == {"total": 39, "mean": 0.3, "sd": 1.5}
    piece = study(arms, number_quotes=[row, "Seen | 38"])
    assert piece["reading"]["lost"] == ["intervention: n 38", "comparator: n 39"]
    joined = study({"comparator": {"mean": "41,10"}}, number_quotes=[ROW, HEAD])
    assert joined["numbers"] is None


def test_a_standard_deviation_is_made_of_what_is_printed() -> None:
    """20.5 - 8.1 with SE 2.0 and 2.5: SD is SE times the root of n (Handbook 6.5.2.2)."""
    arms = {
        "intervention": {"n": "40", "mean": "20.5", "se": "2.0"},
        "comparator": {"n": "41", "mean": "8.1", "se": "2.5"},
    }
    found = study(arms, scores="fall", unit="mm", number_quotes=[PAIN, HEAD])
    assert arm(found, "intervention") == {"mean": -20.5, "sd": 12.649, "total": 40}
    assert found["numbers"]["intervention"]["sd"]["derived"] == FROM_SE
    assert found["numbers"]["comparator"]["mean"]["derived"] == FALLEN
    assert round(found["effect"]["estimate"], 1) == -12.4
    assert "mm" in found["numbers"]["unit"]
    quote = "Sleep lasted 6.1 h (95% CI 5.6 to 6.6) against −0.4 h."
    arms = {
        "intervention": {"n": "40", "mean": "6.1", "ci_low": "5.6", "ci_high": "6.6"},
        "comparator": {"mean": "-0.4"},
    }
    found = study(arms, number_quotes=[quote, HEAD])
    # (6.6 - 5.6) / (2 × 2.0227) × √40, the t of 39 degrees of freedom
    assert arm(found, "intervention") == {"mean": 6.1, "sd": 1.563, "total": 40}
    assert found["numbers"]["intervention"]["sd"]["derived"] == FROM_CI
    assert arm(found, "comparator") == {"mean": -0.4}
    lost = study(arms | {"comparator": {"mean": "0.4"}}, number_quotes=[quote])
    assert "comparator: mean 0.4" in lost["reading"]["lost"]


def test_medians_with_quartiles_and_percentages_with_people_give_an_effect() -> None:
    arms = {
        "intervention": {"n": "40", "median": "3", "q1": "1", "q3": "6"},
        "comparator": {"n": "41", "median": "5", "q1": "2", "q3": "9"},
    }
    row = "Costs, median (IQR) | 3 (1–6) | 5 (2–9)"
    found = study(arms, number_quotes=[row])
    assert arm(found, "comparator") == {"median": 5, "q1": 2, "q3": 9, "total": 41}
    assert any("median and quartiles" in flag for flag in found["flags"])
    shares = {
        "intervention": {"n": "40", "percent": "25%"},
        "comparator": {"n": "41", "percent": "54"},
    }
    found = study(shares, number_quotes=[ROW])
    assert arm(found, "comparator") == {"events": 22, "total": 41}
    assert found["numbers"]["comparator"]["events"]["derived"] == FROM_PERCENT


def test_what_does_not_fit_is_shown_and_overrules_nothing() -> None:
    own = {"n": "41", "events": "22", "percent": "25"}
    found = study({**COUNTS, "comparator": own}, direction="increase", number_quotes=[ROW])
    assert (found["direction"], found["favours"]) == ("increase", "comparator")
    assert (found["text_direction"], found["numbers_direction"]) == ("increase", "decrease")
    assert any("numbers and the text disagree" in flag for flag in found["flags"])
    assert any("the paper prints 25%" in flag for flag in found["flags"])
    stated = {
        "measure": "risk ratio",
        "estimate": "0.45",
        "low": "0.25",
        "high": "0.84",
        "p": ".01",
    }
    found = study(COUNTS, direction="no_difference", effect=stated, number_quotes=[ROW, PART])
    assert found["reading"]["stated"] == {
        "measure": "RR",
        "estimate": 0.45,
        "low": 0.25,
        "high": 0.84,
        "level": None,
        "p": ".01",
    }
    assert any("The paper's own interval" in flag for flag in found["flags"])
    assert found["direction"] == "no_difference"


PART = "(risk ratio 0.45, 95% CI 0.25–0.84; P<.01)"


def test_clusters_are_shown_and_not_pooled_and_typed_doubts_are_flags() -> None:
    found = study(COUNTS, number_quotes=[ROW], cluster_randomised=True, about_people=False)
    assert {CLUSTER, ANIMALS} <= set(found["flags"])
    assert arm(found, "intervention") == {"events": 10, "total": 40}
    assert found["effect"] is None


def test_the_published_method_reads_no_numbers() -> None:
    found = study(COUNTS, method="urca", number_quotes=[ROW])
    assert (found["direction"], found["basis"], found["numbers"]) == ("decrease", "text", None)


def test_a_reply_without_quotations_counts_by_those_of_its_numbers() -> None:
    found = study(COUNTS, quotes=[], number_quotes=[ROW])
    assert found["direction"] == "decrease"
    assert [span["text"] for span in found["spans"]] == [ROW]
    assert study(COUNTS, quotes=[], number_quotes=["Nothing of the kind"])["direction"] == (
        "not_stated"
    )
