"""Sentences cited to an article that they cannot come from: another study's wording, or another
subject.
"""

from __future__ import annotations

from clinfo.claims.foreign_subjects import foreign_subjects
from clinfo.claims.verify import check
from clinfo.records.articles import Article, Section, Sentence, Study

MORE = (
    " The sample was drawn by chance from lists kept by those who had agreed to take part, and "
    "nobody was told of it."
) * 3
ASTHMA = Article(
    "1",
    "Budesonide in asthma",
    sections=(Section(f"Budesonide halved attacks in adults with asthma.{MORE}"),),
)
HEART = Article(
    "2",
    "Aspirin after a heart attack",
    sections=(
        Section(
            "Low-dose aspirin lowered the number of strokes among survivors by a quarter within "
            f"five years.{MORE}"
        ),
    ),
)
STUDIES = (Study(1, ASTHMA, None), Study(2, HEART, None))


def judged(text: str, studies: tuple[Study, ...] = STUDIES) -> Sentence:
    (sentence,) = check(text, "synthesis", studies).sentences
    return sentence


def test_a_sentence_of_another_study_retrieved_does_not_stand_in_the_one_cited() -> None:
    sentence = judged(
        "Low-dose aspirin lowered the number of strokes among survivors by a quarter within five "
        "years [1]."
    )
    assert sentence.verdict == "unsupported"
    assert sentence.reason == "it appears in [2], not in [1]"
    assert [span.n for span in sentence.spans] == [2]
    assert judged(f"{sentence.text[:-5]} [2].").verdict == "supported"


def test_an_article_that_names_none_of_the_things_said_is_no_source() -> None:
    sentence = judged(
        "Psoriasis cleared more often with methotrexate injections than before [1].", STUDIES[:1]
    )
    assert sentence.verdict == "unsupported"
    assert (
        sentence.reason
        == "[1] is about something else: Psoriasis, methotrexate, injections stand nowhere in it"
    )


def test_synonyms_narrower_and_broader_names_are_names() -> None:
    assert not foreign_subjects("Aspirin helps after myocardial infarction", HEART)
    assert not foreign_subjects(
        "Acetylsalicylic acid protects from cerebrovascular accidents", HEART
    )
    assert not foreign_subjects("Inhaled corticosteroids calm lung diseases", ASTHMA)


def test_what_is_said_of_the_studies_themselves_is_no_other_subject() -> None:
    assert not foreign_subjects(
        "The studies retrieved do not settle this: none concludes on all that is asked", ASTHMA
    )


def test_an_article_in_another_language_cannot_be_told_to_name_nothing() -> None:
    abstract = (
        "Le budésonide a réduit de moitié les crises chez les adultes asthmatiques suivis "
        "pendant douze mois. "
    ) * 6
    french = Article("3", "Budésonide et asthme", sections=(Section(abstract),))
    assert not foreign_subjects(
        "Inhaled steroids halved the number of exacerbations among grown-ups with wheezing", french
    )


def test_a_sentence_of_another_subject_and_no_number_is_condemned() -> None:
    sentence = judged(
        (
            "Laparoscopic repair of inguinal hernia shortened hospital stay compared with open "
            "mesh surgery [1]."
        ),
        STUDIES[:1],
    )
    assert sentence.verdict == "unsupported"
    assert sentence.reason.startswith("[1] is about something else: ")
