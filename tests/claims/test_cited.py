"""The sentences of a text before anybody judges them: quotations, citations, notes."""

import pytest

from clinfo.claims.cited import cited, cited_sentence
from clinfo.records.articles import Article, Section, Study, text_of

STUDIES = tuple(
    Study(n, Article(f"pmid:{n}", title, str(n), (Section(text),), doi=f"10.1000/syrup.{n}"), None)
    for n, title, text in (
        (
            1,
            "Zinc for colds",
            "Colds were shorter in 3.9 % of 1,234 adults (p = 0·02). All had HIV-1.",
        ),
        (2, "Syrup for coughs", "Coughs ended after 21 v 19 days; the difference was −0.98."),
    )
)


def test_a_sentence_that_stands_in_an_article_it_cites_is_a_quotation() -> None:
    text = (
        "Colds were shorter in 3.9% of 1234 adults (p=0.02) [1]. Zinc helps [1]. Nothing is sure."
    )
    first, second, third = cited(text, "synthesis", STUDIES).sentences
    assert (first.verdict, first.judges, second.verdict) == ("quoted", (), "not_verified")
    (span,) = first.spans
    assert STUDIES[0].article.abstract[span.start : span.end].startswith("Colds were shorter")
    assert (third.verdict, third.reason) == ("uncited", "no citation")


def test_a_citation_that_leads_nowhere_is_taken_out_and_told() -> None:
    found = cited("Zinc helps [1, 9]. Syrup does not [8].", "synthesis", STUDIES)
    assert text_of(found.sentences) == "Zinc helps [1]. Syrup does not."
    assert found.invented == (9, 8)
    assert found.sentences[0].reason == "[9] leads to no study; nobody judged it"
    assert found.sentences[1].verdict == "uncited"


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        ("Colds were shorter in 3.9% of people [1], coughs took 21 v 19 days [2].", ()),
        ("It helped more (3.9 % [1]; 21 v 19 [2]).", ()),
        ("It helped more (21 v 19 [1]; 3.9 % [2]).", ("21", "19", "3.9")),
        ("Colds were shorter in 4.1% of 1234 adults [1].", ("4.1",)),
        ("Colds were shorter in 39% [1].", ("39",)),
        ("Colds were shorter by 1% in HIV-1 [1].", ("1",)),
        ("Coughs differed by -0.98 [2].", ()),
        ("Either helped, by 3.9% or 21 days [1][2].", ()),
        ("Smith et al. (2020) found it [1].", ("2020",)),
        ("It raised IL-6, B12 and PD-L1 in COVID-19 and phase 2 (NCT04000001) [1].", ("2", "NCT0")),
        ("CA 15‑3 and CA 19-9 rose in 27, CA 125 to 88 and GAD-7 by 4 [1].", ("27", "88", "4")),
        ("Coughs differed by +0.98 [2].", ("+0.98",)),
        ("See doi:10.1000/Syrup.2, 10.1000/not.7 and PMID 2 or PMID 99 [2].", ("10.1000/n", "99")),
        ("Coughs differed by 0.98, colds by −3.9 and 2-19 [2].", ("−3.9", "2")),
    ],
)
def test_a_number_is_looked_for_in_the_articles_of_its_clause(
    text: str, notes: tuple[str, ...]
) -> None:
    (sentence,) = cited(text, "synthesis", STUDIES).sentences
    assert len(sentence.notes) == len(notes)
    assert all(note.startswith(word) for note, word in zip(sentence.notes, notes, strict=True))
    assert sentence.verdict == "not_verified"


def test_a_number_that_an_article_writes_in_words_stands_there() -> None:
    said = "Fourteen patients took part in a phase II trial; none had a second one; minus 3."
    said += " They had 4-6.5 points (IC95%: 4 - 6.5)."
    article = Article("pmid:5", "A trial", sections=(Section(said),))
    study = (Study(5, article, None),)
    assert cited_sentence("14 of phase 2; 0 had a 2nd, −3 [5].", (5,), study).notes == ()
    assert cited_sentence("95% CI 4 to 6.5 [5].", (5,), study).notes == ()
    assert cited_sentence("It was -6.5 [5].", (5,), study).notes == ("-6.5 stands in none of [5]",)
    assert cited_sentence("There were 15 patients [5].", (5,), study).notes == (
        "15 stands in none of [5]",
    )
