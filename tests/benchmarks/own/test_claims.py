"""The benchmark of a judge's verdicts: what is right stands, what is made up does not."""

from benchmarks.own.claims import falsified, measured, retyped
from clinfo.records.articles import Article, Section


def test_right_verdicts_stand_and_made_up_quotations_do_not() -> None:
    told = ("Pain fell by −2.4 points (p<0.05).", "Colds lasted 4.1 days with zinc, 6.3 without.")
    articles = [
        Article(f"pmid:{n}", "Zinc", sections=(Section(text, "RESULTS"), Section("Fine.")))
        for n, text in enumerate((*told, "Nothing was measured."))
    ]
    assert measured(articles) == {
        "n": 2,
        "true_supported": 1.0,
        "false_condemned": 1.0,
        "made_up_supported": 0.0,
    }
    assert retyped(told[0]) == "Pain fell by -2.4 points (p < 0.05)."
    assert falsified(told[1]).startswith("Colds lasted 8.1 days")
