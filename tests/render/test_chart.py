"""The answer about a record as a page: each claim with its verdict, else what was looked for."""

from clinfo.pipelines.chart.records import NOT_DOCUMENTED, ChartAnswer, Claim, FoundNote, NoteSpan
from clinfo.render.chart import page
from clinfo.render.text import written

SPAN = NoteSpan(0, 6, "Asthma")


def shown(answer: ChartAnswer) -> str:
    return " ".join(written(page(answer)).split())


def test_every_claim_shows_its_verdict_and_its_words() -> None:
    claims = (
        Claim("She has asthma.", "n1", "2019-03-01", SPAN, "supported", "", "m"),
        Claim("It is severe.", "n1", "", SPAN, "partial", "the note does not say severe", "m"),
    )
    told = shown(
        ChartAnswer("She has asthma. [n1]", claims, question="Asthma?", established="Read: all.")
    )
    assert "She has asthma. (supported) 2019-03-01 [n1]: “Asthma”" in told
    assert "It is severe. (supported in part: the note does not say severe) undated" in told
    assert "Read: all." in told


def test_what_was_looked_for_stands_in_place_of_an_answer() -> None:
    note = FoundNote("n1", "2019-03-01", (SPAN,), "Clinic")
    looked = "None of 4 notes names “gout”; no coded entry does."
    told = shown(ChartAnswer(NOT_DOCUMENTED, notes=(note,), question="Gout?", established=looked))
    assert looked in told
    assert "THE NEAREST NOTES" in told
    assert "2019-03-01 Clinic: “Asthma” [n1]" in told
