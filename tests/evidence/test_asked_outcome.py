"""What gives a study a side: a sentence that names the intervention, as a phrase, and the asked
outcome.
"""

import pytest

from clinfo.evidence.conclusion import sets_against, stance
from clinfo.evidence.settle import concluding, settle
from clinfo.evidence.speaking import asking
from clinfo.records.articles import Article, Section, Study
from clinfo.terms.asked_subject import PEOPLE, subject


def _article(title: str, *sections: tuple[str, str], mesh: tuple[str, ...] = ()) -> Article:
    return Article(
        id="pmid:1",
        title=title,
        sections=tuple(Section(text, label) for label, text in sections),
        mesh=mesh,
    )


def _concludes(title: str, text: str) -> Article:
    return _article(title, ("CONCLUSIONS", text))


COPPER = "Does copper supplementation reduce fatigue in nurses?"


@pytest.mark.parametrize(
    ("title", "conclusion", "expected"),
    [
        (
            "Copper supplementation and fatigue in nurses",
            "Copper supplementation reduced fatigue in nurses.",
            "supports",
        ),
        (
            "Supplementation with copper for fatigue in nurses",
            "Supplementation of nurses with copper reduced fatigue.",
            "supports",
        ),
        (
            "Supplemental copper for fatigue in nurses",
            "Copper (2 mg) supplementation did not reduce fatigue in nurses.",
            "contradicts",
        ),
        (
            "Vitamin K supplementation and copper status in nurses with fatigue",
            "Vitamin K supplementation improved copper status and reduced fatigue in nurses.",
            "other outcomes",
        ),
        (
            "Fatigue and serum copper in nurses",
            "A supplement of maize lowered plasma copper and reduced fatigue in nurses.",
            "other outcomes",
        ),
    ],
)
def test_an_intervention_of_two_words_is_given_and_named_as_a_phrase(
    title: str, conclusion: str, expected: str
) -> None:
    article = _concludes(title, conclusion)
    assert stance(COPPER, article) == expected
    assert bool(asking(COPPER).speaks(conclusion, article)) is (expected != "other outcomes")


def test_a_measure_that_is_asked_about_is_not_taken_away() -> None:
    article = _concludes(
        "Plasma copper levels and fatigue in nurses",
        "High copper levels increased fatigue in nurses.",
    )
    assert stance("Do high copper levels increase fatigue in nurses?", article) == "supports"


@pytest.mark.parametrize(
    ("question", "title", "conclusion", "expected"),
    [
        (
            "Does cocoa reduce the risk of stroke?",
            "Cocoa consumption and stroke",
            "Cocoa consumption was associated with a lower risk of stroke.",
            "supports",
        ),
        (
            "Does copper cause fatigue?",
            "Serum copper levels and fatigue in nurses",
            "High serum copper levels caused fatigue in nurses.",
            "supports",
        ),
        (
            "Does copper reduce fatigue?",
            "Vitamin K supplementation and copper status in nurses with fatigue",
            "Vitamin K supplementation improved copper status and reduced fatigue in nurses.",
            "other outcomes",
        ),
        (
            "Does copper reduce fatigue?",
            "Vitamin K and copper status in nurses with fatigue",
            "Vitamin K improved copper status and reduced fatigue in nurses.",
            "other outcomes",
        ),
        (
            "Does copper therapy reduce fatigue?",
            "Plasma copper and fatigue in nurses",
            "Nurses with high plasma copper had less fatigue.",
            "other outcomes",
        ),
        (
            "Does morphine reduce pain after hernia repair?",
            "Ketamine, pain and morphine consumption after hernia repair",
            "Ketamine reduced pain and morphine consumption after hernia repair.",
            "other outcomes",
        ),
    ],
)
def test_an_exposure_is_named_by_its_measure_and_a_treatment_is_not(
    question: str, title: str, conclusion: str, expected: str
) -> None:
    assert stance(question, _concludes(title, conclusion)) == expected


def test_what_a_treatment_is_added_to_is_not_what_was_studied() -> None:
    article = _concludes(
        "Adding zinc to vitamin D for fatigue in nurses",
        "The addition of zinc to vitamin D reduced fatigue in nurses.",
    )
    assert stance("Does vitamin D reduce fatigue in nurses?", article) == "other outcomes"
    assert stance("Does zinc reduce fatigue in nurses?", article) == "supports"


HEALING = "Is famotidine better than sucralfate for healing of duodenal ulcers?"
TITLE = "Famotidine or sucralfate in duodenal ulcers"


@pytest.mark.parametrize(
    ("question", "conclusion", "expected"),
    [
        (HEALING, "Famotidine was superior to sucralfate for the relief of heartburn.", None),
        (
            HEALING,
            "Famotidine relieved heartburn better than sucralfate, and healing was similar.",
            -1,
        ),
        (HEALING, "Compared with sucralfate, famotidine gave higher healing rates.", 1),
        (HEALING, "In comparison to famotidine, sucralfate healed more ulcers.", -1),
        (HEALING, "Zinc healed more ulcers compared with famotidine and sucralfate.", None),
        (
            HEALING,
            "The difference in healing between famotidine and sucralfate increased with age.",
            None,
        ),
        (
            "Is famotidine better than sucralfate for patient satisfaction?",
            "Satisfaction was lower with famotidine than with sucralfate.",
            -1,
        ),
        (
            "Is famotidine better than sucralfate for adherence?",
            "Famotidine led to better adherence but to more nausea than sucralfate.",
            1,
        ),
        (
            "Is famotidine better than sucralfate for nausea?",
            "Famotidine led to better adherence but to more nausea than sucralfate.",
            -1,
        ),
        (
            "Does famotidine cause fewer headaches than sucralfate?",
            "Headaches were fewer with famotidine than with sucralfate.",
            1,
        ),
        (
            "Does famotidine cause fewer headaches than sucralfate?",
            "Famotidine healed fewer ulcers than sucralfate.",
            None,
        ),
        (
            "Does famotidine reduce relapse compared with sucralfate?",
            "Famotidine was superior to sucralfate in preventing relapse.",
            1,
        ),
        (
            "Does famotidine lower gastric acid more than sucralfate?",
            "Famotidine gave greater reductions in gastric acid than sucralfate.",
            1,
        ),
        (
            "Is famotidine better than sucralfate for preventing relapses?",
            "Sucralfate prevented more relapses than famotidine.",
            -1,
        ),
        (
            "Is sucralfate better than famotidine for preventing relapses?",
            "Sucralfate prevented more relapses than famotidine.",
            1,
        ),
        (
            "Does famotidine prevent more relapses than sucralfate?",
            "Sucralfate prevented more relapses than famotidine.",
            -1,
        ),
        (
            "Does famotidine cause fewer ulcers than sucralfate?",
            "Famotidine prevented more ulcers than sucralfate.",
            1,
        ),
        (
            "Is famotidine better than sucralfate for ulcers?",
            "Sucralfate caused more ulcers than famotidine.",
            1,
        ),
    ],
)
def test_two_are_set_against_each_other_by_the_asked_outcome_alone(
    question: str, conclusion: str, expected: int | None
) -> None:
    told = sets_against(question, _concludes(TITLE, conclusion))
    assert set(told) <= {"concludes for it", "concludes alike"}
    sign = None if not told else 1 if told.get("concludes for it", 0) > 0 else -1
    assert sign == expected


def test_a_combination_is_not_read_against_its_part() -> None:
    article = _concludes(
        "Budesonide/formoterol in asthma", "Budesonide/formoterol by inhaler was better than none."
    )
    question = "Is budesonide/formoterol better than budesonide alone in asthma?"
    assert sets_against(question, article) == {}
    assert stance(question, article) == "other outcomes"


@pytest.mark.parametrize(
    ("question", "text", "named"),
    [
        ("Does baclofen help chronic non-cancer pain?", "chronic cancer pain", False),
        ("Does baclofen help chronic non-cancer pain?", "chronic noncancer pain", True),
        ("Does baclofen help cancer pain?", "chronic non-cancer pain", False),
        ("Does baclofen lower weight in non-diabetic adults?", "type 2 diabetic adults", False),
        ("Does baclofen lower weight in non-diabetic adults?", "adults without diabetes", True),
        ("Does baclofen lower weight in non-smokers?", "smokers", False),
        ("Does baclofen lower weight in non-diabetic adults?", "non diabetic adults", True),
        ("Does baclofen lower weight in non diabetic adults?", "non–diabetic adults", True),
        ("Does baclofen lower weight in non-obese men?", "men of normal weight", True),
        ("Does baclofen lower weight in non-smokers?", "never-smokers", True),
        ("Does baclofen help pain in non-ulcer dyspepsia?", "functional dyspepsia", True),
        ("Does baclofen help pain in non-small cell cancer?", "non–small-cell cancer", True),
        ("Does baclofen lower weight in HIV-negative men?", "HIV-positive men", False),
        ("Does baclofen lower weight in HIV-negative men?", "HIV-negative men", True),
    ],
)
def test_people_who_do_not_have_it_are_not_those_who_do(
    question: str, text: str, named: bool
) -> None:
    article = _concludes(
        f"Baclofen, pain and weight in {text}", f"Baclofen lowered weight and pain in {text}."
    )
    assert (stance(question, article) != "other outcomes") is named


def test_a_study_on_animals_says_nothing_of_people() -> None:
    article = _article(
        "Dobutamine and cardiac output in lambs",
        ("METHODS", "Twelve lambs were given dobutamine or saline."),
        ("CONCLUSIONS", "Dobutamine increased cardiac output in lambs."),
        mesh=("Animals", "Sheep"),
    )
    question = "Does dobutamine increase cardiac output?"
    assert subject(question).missing(article) == PEOPLE
    assert settle(question, [Study(1, article, None)]).word == "not settled"
    assert stance("Does dobutamine increase cardiac output in lambs?", article) == "supports"


def test_a_drug_made_in_an_animal_is_given_to_people() -> None:
    article = _concludes(
        "Rabbit antithymocyte globulin or nothing after cornea grafts",
        "Among 90 patients, rabbit antithymocyte globulin prevented rejection.",
    )
    assert stance("Does antithymocyte globulin prevent rejection?", article) == "supports"


@pytest.mark.parametrize(
    ("title", "conclusion", "mesh", "expected"),
    [
        ("Baclofen and sleep", "Baclofen improved sleep in childhood-onset spasticity.", (), True),
        ("Baclofen and sleep", "Baclofen improved sleep; no patients were children.", (), True),
        ("Baclofen and sleep in children", "Baclofen improved sleep.", ("Middle Aged",), True),
        ("Baclofen and sleep", "Baclofen improved sleep.", ("Child", "Humans"), False),
        ("Baclofen and sleep", "In 40 spastic children baclofen improved sleep.", (), False),
    ],
)
def test_only_a_study_on_children_lacks_adults(
    title: str, conclusion: str, mesh: tuple[str, ...], expected: bool
) -> None:
    article = _article(title, ("CONCLUSIONS", conclusion), mesh=mesh)
    said = stance("Does baclofen improve sleep in adults?", article)
    assert said == ("supports" if expected else "other outcomes")


def test_children_do_not_answer_for_adults() -> None:
    article = _concludes("Baclofen and sleep in children", "Baclofen improved sleep in children.")
    assert stance("Does baclofen improve sleep in adults?", article) == "other outcomes"
    assert stance("Does baclofen improve sleep?", article) == "supports"


@pytest.mark.parametrize(
    "conclusion",
    [
        "Training led to more episodes of diarrhoea being treated with zinc.",
        "These analyses suggest a protective effect of honey compared with zinc on diarrhoea.",
    ],
)
def test_a_sentence_that_says_nothing_of_the_outcome_gives_no_side(conclusion: str) -> None:
    article = _concludes("Zinc at home", conclusion)
    found = settle("Does zinc reduce diarrhoea?", [Study(1, article, None)])
    assert found.word == "not settled"
    assert stance("Does zinc reduce diarrhoea?", article) == "other outcomes"


def test_an_acronym_of_the_abstract_is_read_in_the_quoted_sentence() -> None:
    article = _article(
        "Baclofen to prevent persistent hiccups: a randomised controlled trial",
        ("METHODS", "In 900 adults with persistent hiccups (PH) baclofen was tested."),
        ("CONCLUSIONS", "Baclofen significantly reduced PH."),
    )
    found = settle("Does baclofen reduce persistent hiccups?", [Study(1, article, None)])
    assert found.word in ("yes", "probably yes")


def test_what_stands_before_the_comma_after_compared_with_is_the_comparator() -> None:
    article = _concludes(
        "Zinc for diarrhoea", "We found that, when compared with honey, zinc reduced diarrhoea."
    )
    assert stance("Does zinc reduce diarrhoea?", article) == "supports"


def test_the_sentence_with_intervention_outcome_and_result_is_quoted() -> None:
    question = "Does zinc reduce diarrhoea in children at home?"
    study = Study(
        1,
        _article(
            "Zinc in children",
            ("RESULTS", "Zinc reduced diarrhoea by a third."),
            ("CONCLUSIONS", "Children at home were given zinc more often after training at home."),
        ),
        None,
    )
    found = concluding(question, study, asking(question))
    assert found is not None
    assert found.text == "Zinc reduced diarrhoea by a third"


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Is concept mapping useful for the learning of nurses?", "supports"),
        ("Concept mapping and job satisfaction of nurses", "other outcomes"),
    ],
)
def test_what_an_article_concludes_of_its_own_question_may_be_in_other_words(
    title: str, expected: str
) -> None:
    article = _concludes(title, "Concept mapping improved academic achievement of nurses.")
    question = "Is concept mapping useful for the learning of nurses?"
    assert stance(question, article) == expected


@pytest.mark.parametrize(
    ("conclusion", "expected"),
    [
        ("Mirtazapine was superior to placebo in treatment of insomnia.", "supports"),
        ("Mirtazapine was not superior to placebo in treatment of insomnia.", "contradicts"),
        ("Mirtazapine was superior to placebo for nausea.", "other outcomes"),
        ("Placebo was superior to mirtazapine for insomnia.", "other outcomes"),
    ],
)
def test_superior_to_placebo_says_that_it_went_better(conclusion: str, expected: str) -> None:
    article = _concludes("Mirtazapine at home", conclusion)
    assert stance("Does mirtazapine reduce insomnia?", article) == expected


@pytest.mark.parametrize(
    ("title", "conclusion", "expected"),
    [
        ("Iron for fatigue", "Oral iron improved fatigue and raised iron levels.", "supports"),
        ("Vitamin K for fatigue", "Vitamin K improved fatigue and iron.", "other outcomes"),
        ("Vitamin K, iron, fatigue", "Vitamin K improved fatigue and iron.", "other outcomes"),
    ],
)
def test_supplementation_need_not_be_said_of_what_was_given(
    title: str, conclusion: str, expected: str
) -> None:
    article = _concludes(title, conclusion)
    assert stance("Does iron supplementation improve fatigue?", article) == expected


@pytest.mark.parametrize(
    ("conclusion", "expected"),
    [
        ("Sleepiness was not increased with baclofen.", "other outcomes"),
        ("Baclofen was associated with an increased risk of sleepiness.", "other outcomes"),
        ("Tizanidine and baclofen increased sleepiness.", "other outcomes"),
        ("Tizanidine increased sleepiness more often than placebo.", "other outcomes"),
        ("Sleepiness with baclofen was similar to that in untreated people.", "other outcomes"),
        ("Sleepiness with tizanidine rose to higher levels with age.", "other outcomes"),
        ("Sleepiness was more frequent with tizanidine than with baclofen.", "supports"),
        ("Sleepiness was more frequent with baclofen than with tizanidine.", "contradicts"),
        ("Sleepiness was similar with tizanidine and with baclofen.", "contradicts"),
        ("Compared with baclofen, tizanidine caused more sleepiness.", "supports"),
        ("Tizanidine gave more sleepiness over baseline (7%) than baclofen.", "supports"),
    ],
)
def test_more_with_one_than_with_the_other_is_told_only_where_both_are_compared(
    conclusion: str, expected: str
) -> None:
    article = _concludes("Tizanidine and baclofen for spasticity", conclusion)
    for question in (
        "Is the risk of sleepiness higher with tizanidine than with baclofen?",
        "Does tizanidine cause more sleepiness than baclofen?",
    ):
        assert stance(question, article) == expected


def test_what_was_found_of_two_counts_where_the_conclusion_asks_for_research() -> None:
    article = _article(
        "Sleepiness with tizanidine and with baclofen",
        ("RESULTS", "Sleepiness was more frequent with tizanidine than with baclofen."),
        ("CONCLUSIONS", "More studies are required to investigate this."),
    )
    question = "Is sleepiness more common with tizanidine than with baclofen?"
    assert stance(question, article) == "supports"
