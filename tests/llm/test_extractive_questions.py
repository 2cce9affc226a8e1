"""Questions to the demo corpus whose wrong answer would do harm: turned round, on harms, comparing,
on other treatments.
"""

from __future__ import annotations

import asyncio

import pytest

from clinfo.extractive.model import ExtractiveModel
from clinfo.pipelines.literature.declared import LITERATURE, MODEL_STAGES
from clinfo.records.answer import Answer
from clinfo.sources import demo

YES, NO, MIXED, LITTLE = "yes", "no", "disagree", "not settled"
_VERDICTS = {
    "Yes (": YES,
    "Probably yes (": YES,
    "No (": NO,
    "Probably no (": NO,
    "The studies disagree (": MIXED,
    "The studies retrieved do not settle this": LITTLE,
}
NEVER_YES = (NO, MIXED, LITTLE)
NEVER_NO = (YES, MIXED, LITTLE)


def answered(question: str) -> Answer:
    from clinfo.pipelines.literature.answer_building import build_answer
    from clinfo.pipelines.literature.chain import Chain
    from clinfo.pipelines.literature.declared import PROMPTS
    from clinfo.pipelines.literature.request import checked
    from clinfo.runs.clock import SystemClock
    from clinfo.runs.spending import MemoryBudget
    from clinfo.sources.memory import Memory

    prompts = {name: PROMPTS.parse(name, text) for name, text in PROMPTS.defaults().items()}
    source = Memory(demo.load(), name="demo", notices=(demo.NOTICE,))
    models = dict.fromkeys(MODEL_STAGES, ExtractiveModel(LITERATURE.stages))
    chain = Chain(models, source, prompts, MemoryBudget(None), SystemClock())

    async def run() -> Answer:
        return build_answer(
            [
                event
                async for event in chain.run(
                    checked(question=question, model=ExtractiveModel.name, source="demo")
                )
            ]
        )

    return asyncio.run(run())


def verdict(question: str) -> str:
    """The verdict that the TL;DR gives; where it only says how many studies bear on it, that is not
    settled.
    """
    tldr = answered(question).tldr
    return next((word for opening, word in _VERDICTS.items() if opening in tldr), LITTLE)


def stances(answer: Answer) -> dict[str | None, str | None]:
    return {
        article.pmid: article.summary.stance
        for article in answer.articles
        if article.summary is not None
    }


@pytest.mark.parametrize(
    ("question", "openings"),
    [
        ("Does dexmedetomidine prevent emergence agitation in children?", (YES,)),
        ("Do probiotics relieve constipation in pregnancy?", NEVER_NO),
        ("Does yoga lower blood pressure?", (YES,)),
        ("Is formoterol effective in COPD?", NEVER_NO),
        ("Does betahistine prevent nausea after middle ear surgery?", NEVER_NO),
        ("Does dexmedetomidine reduce postoperative pain?", (YES,)),
        ("Does aclidinium relieve cough?", (YES,)),
        ("Does betahistine relieve vertigo after middle ear surgery?", (YES,)),
        ("Does ondansetron prevent nausea and vomiting after surgery?", NEVER_NO),
        ("Do probiotics help in colic?", (MIXED, LITTLE)),
        ("Does balance training improve walking after stroke?", NEVER_NO),
    ],
)
def test_what_the_studies_found_good_is_no_no(question: str, openings: tuple[str, ...]) -> None:
    assert verdict(question) in openings


@pytest.mark.parametrize(
    ("question", "openings"),
    [
        ("Does arformoterol increase mortality in COPD?", NEVER_YES),
        ("Does metformin worsen glycaemic control?", NEVER_YES),
        ("Does ondansetron cause vomiting?", NEVER_YES),
        ("Does yoga raise blood pressure?", NEVER_YES),
        ("Does Saccharomyces boulardii cause antibiotic-associated diarrhea?", (MIXED, LITTLE)),
    ],
)
def test_a_benefit_is_no_yes_to_a_harm(question: str, openings: tuple[str, ...]) -> None:
    assert verdict(question) in openings


@pytest.mark.parametrize(
    "question",
    [
        "Is vitamin D ineffective in tuberculosis?",
        "Does exercise after stroke not help?",
        "Does yoga not improve quality of life after bypass surgery?",
        "Is there no benefit of vitamin D in ulcerative colitis?",
        "Does metformin not improve glycaemic control?",
        "Is yoga useless for self esteem?",
    ],
)
def test_a_benefit_is_no_yes_to_a_question_asked_the_negative_way_round(question: str) -> None:
    assert verdict(question) in NEVER_YES


@pytest.mark.parametrize(
    "question",
    [
        "Is Wii Fit better than conventional balance training after stroke?",
        "Is ertugliflozin inferior to glimepiride?",
        "Is palonosetron more effective than ondansetron?",
        "Does olodaterol relieve breathlessness in COPD?",
        "Does vitamin D improve bone mineral density?",
    ],
)
def test_a_study_that_found_no_difference_supports_none(question: str) -> None:
    assert verdict(question) in NEVER_YES


@pytest.mark.parametrize(
    ("question", "pmid"),
    [
        ("Does ondansetron prevent nausea and vomiting after surgery?", "25225531"),
        ("Does ondansetron prevent nausea and vomiting after surgery?", "22474554"),
        ("Is formoterol effective in COPD?", "23731768"),
        ("Is formoterol effective in COPD?", "28744115"),
        ("Does betahistine prevent nausea after middle ear surgery?", "26985431"),
    ],
)
def test_a_study_of_another_treatment_or_outcome_counts_neither_way(
    question: str, pmid: str
) -> None:
    assert stances(answered(question)).get(pmid, "other outcomes") == "other outcomes"


@pytest.mark.parametrize(
    "question",
    [
        "Why does dexmedetomidine reduce pain?",
        "Which drugs prevent nausea and vomiting after surgery?",
        "How many children were deficient in vitamin D?",
    ],
)
def test_open_questions_take_no_sides(question: str) -> None:
    assert verdict(question) in (None, LITTLE)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("question", "openings"),
    [
        ("Does dexmedetomidine worsen pain after thoracotomy?", NEVER_YES),
        ("Is vildagliptin superior to glimepiride when added to metformin?", NEVER_YES),
        ("Does propofol increase nausea and vomiting compared with sevoflurane?", NEVER_YES),
        (
            "Is robotic treadmill training better than manual-assisted training after stroke?",
            NEVER_YES,
        ),
        ("Does motor imagery fail to improve trunk control after stroke?", NEVER_YES),
        ("Does yoga harm women with a high-risk pregnancy?", NEVER_YES),
        ("Does propofol reduce nausea and vomiting compared with sevoflurane?", NEVER_NO),
        (
            "Is Saccharomyces boulardii better than placebo for antibiotic-associated diarrhea?",
            NEVER_YES,
        ),
        ("Does low-pressure pneumoperitoneum prevent nausea after cholecystectomy?", NEVER_YES),
        ("Does vitamin D reduce inflammation in obesity?", NEVER_YES),
        ("Does yoga increase anxiety after bypass surgery?", NEVER_YES),
        ("Is acarbose worse than metformin?", NEVER_YES),
        ("Is yoga harmful for blood pressure?", NEVER_YES),
        ("Does dexmedetomidine cause hypotension?", NEVER_NO),
        ("Does dapagliflozin increase genital infections?", NEVER_NO),
        ("Does ertugliflozin increase genital infections?", NEVER_NO),
        ("Does alfentanil cause more nausea than remifentanil?", NEVER_YES),
        ("Is sevoflurane recovery slower than propofol recovery?", NEVER_YES),
        ("Doesn't yoga reduce aggression?", NEVER_NO),
        ("Can probiotics never relieve irritable bowel syndrome?", NEVER_YES),
        ("Is there no evidence that aclidinium relieves cough?", NEVER_YES),
        ("Does vitamin D deficiency cause tuberculosis?", NEVER_YES),
        ("Does arformoterol shorten life in COPD?", NEVER_YES),
        ("Does yoga reduce quality of life in women with diabetes?", NEVER_YES),
        ("Does metformin lower HbA1c?", NEVER_NO),
        ("Does yoga lower self esteem?", NEVER_YES),
        ("Does aerobic exercise not improve walking speed after stroke?", NEVER_NO),
        ("Does vitamin D have no effect on bone mineral density?", NEVER_NO),
        ("Do probiotics not prevent antibiotic-associated diarrhea?", NEVER_NO),
        ("Is arformoterol associated with increased mortality in COPD?", NEVER_YES),
        ("Does metformin lead to weight gain?", NEVER_YES),
        ("Is yoga associated with higher blood pressure?", NEVER_YES),
        ("Is dexmedetomidine associated with more postoperative pain?", NEVER_YES),
        ("Can exercise make balance worse after stroke?", NEVER_YES),
        ("Is ondansetron a cause of nausea?", NEVER_YES),
        ("Does yoga make blood pressure worse?", NEVER_YES),
        ("Is yoga bad for self esteem?", NEVER_YES),
        ("Does aclidinium aggravate cough?", NEVER_YES),
        ("Do probiotics trigger irritable bowel syndrome?", NEVER_YES),
        ("Would dexmedetomidine delay recovery of bowel function?", NEVER_YES),
        ("Is it wrong that yoga lowers blood pressure?", NEVER_YES),
        ("Is olodaterol inferior to formoterol?", NEVER_YES),
        ("Does remifentanil cause more nausea than alfentanil?", NEVER_NO),
        ("Is dexmedetomidine harmful?", NEVER_YES),
        ("Is dexmedetomidine dangerous after surgery?", NEVER_YES),
        ("Is yoga not harmful in pregnancy?", NEVER_NO),
        ("Does arformoterol not increase mortality in COPD?", NEVER_NO),
        ("Is vitamin D without benefit in tuberculosis?", NEVER_YES),
        ("Is there any harm from yoga in pregnancy?", NEVER_YES),
        ("Is olodaterol safe in COPD?", NEVER_NO),
        ("Does sevoflurane cause more vomiting than propofol?", NEVER_NO),
        ("Is propofol worse than sevoflurane for nausea?", NEVER_YES),
        ("Does dexmedetomidine harm patients?", NEVER_YES),
    ],
)
def test_further_questions_written_down_before_their_answers_were_seen(
    question: str, openings: tuple[str, ...]
) -> None:
    assert verdict(question) in openings


def test_nothing_is_answered_where_no_study_is_about_it() -> None:
    assert verdict("Does sitagliptin reduce vomiting?") not in (YES, NO)


def test_an_outlook_is_no_conclusion() -> None:
    assert "if any" not in answered("Does vitamin D improve bone mineral density?").synthesis
