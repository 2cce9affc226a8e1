"""What is answered without a language model, on a little record in a clinician's prose."""

from __future__ import annotations

import pytest

from clinfo.patients.records import Note
from clinfo.pipelines.chart.asked import understood
from clinfo.pipelines.chart.index import ChartIndex, prepared
from clinfo.pipelines.chart.telling import Told, tell
from clinfo.records.chart import NOT_DOCUMENTED
from tests.pipelines.chart.records import lexicon, notes

PROSE = (
    (
        "2015-02-10",
        "Allergies: NKDA\n\nHPI: 58 year old man with chest pain. Denies shortness of breath. No "
        "history of diabetes.\n\nMedications:\n- lisinopril 10 mg daily\n- aspirin 81 mg daily\n\n"
        "Family History: Mother had breast cancer. Father died of myocardial infarction at 60. No "
        "family history of stroke.\n\nAssessment and Plan:\nPossible unstable angina. Rule out "
        "pulmonary embolism.\n",
    ),
    (
        "2016-05-03",
        "HPI: Was given amoxicillin for otitis media; had a rash after penicillin as a child.\n\n"
        "Allergies: penicillin (rash)\n\nMedications:\n- lisinopril 20 mg daily\n- aspirin 81 mg "
        "daily\n- metoprolol 25 mg bid\n\nAssessment and Plan:\nHypertension, BP 152/90. HbA1c "
        "6.9%. Suspected type 2 diabetes, recheck.\n",
    ),
    (
        "2017-09-12",
        "HPI: Quit smoking in 2010. Drinks two beers a week.\n\nMedications:\n- aspirin 81 mg "
        "daily\n- metoprolol 25 mg bid\n- metformin 500 mg bid\n\nAssessment and Plan:\nType 2 "
        "diabetes mellitus, HbA1c 7.4%. Lisinopril was stopped because of cough.\n",
    ),
    (
        "2019-01-20",
        "Allergies: No known drug allergies.\n\nHPI: Admitted with atrial fibrillation. Creatinine "
        "1.3 mg/dL.\n\nPast Surgical History: appendectomy 1985.\n\nAssessment and Plan:\nAtrial "
        "fibrillation. CHA2DS2-VASc score of 3. No evidence of pulmonary embolism on CT.\n",
    ),
    (
        "2020-03-15",
        "HPI: Follow-up. HbA1c was 8.1%. No chest pain. Patient has a history of asthma, "
        "gastritis, suspected covid-19, migraine, sinusitis, otitis media, and of osteoarthritis "
        "of both knees, after long years of work.\n\nMedications:\n- aspirin 81 mg daily\n"
        "- metformin 1000 mg bid\n- atorvastatin 40 mg nightly\n\nAssessment and Plan:\n"
        "Diabetes not controlled, metformin increased to 1000 mg. His wife has "
        "depression. He is not depressed.\n",
    ),
)


@pytest.fixture(scope="module")
def prose() -> ChartIndex:
    own = [Note(f"n{n}", "p", text, day) for n, (day, text) in enumerate(PROSE, 1)]
    return prepared(own, lexicon())


def told(question: str, index: ChartIndex) -> Told:
    return tell(understood(question, lexicon()), index, lexicon())


@pytest.mark.parametrize(
    ("question", "status"),
    [
        ("Does he have diabetes?", "documented"),
        ("Is he on a statin?", "documented"),
        ("Is he on an opioid?", "absent"),
        ("Has he had his appendix removed?", "history"),
        ("Does he smoke?", "history"),
        ("Does he have shortness of breath?", "negated"),
        ("Is he depressed?", "negated"),
        ("Did he have a pulmonary embolism?", "negated"),
        ("Unstable angina?", "uncertain"),
        ("Has he had covid?", "uncertain"),
        ("Does he have migraine?", "history"),
        ("Does he have osteoarthritis?", "history"),
        ("Any surgery for atrial fibrillation?", "documented"),
        ("Any colonoscopy for diabetes?", "partly"),
        ("Does he have breast cancer?", "family"),
        ("Has he had a heart attack?", "family"),
        ("Any family history of breast cancer?", "family"),
        ("Any family history of stroke?", "negated"),
        ("Does he have gout?", "absent"),
        ("Any kidney disease?", "absent"),
        ("Is he allergic to sulfa?", "partly"),
        ("Is he taking atorvastain?", "not recognised"),
        ("Does he live alone?", "not recognised"),
        ("What is xyzzy?", "not recognised"),
        ("Was there diabetes before 2016?", "negated"),
        ("Did he have atrial fibrillation before 2016?", "outside"),
    ],
)
def test_what_is_said_of_a_thing(question: str, status: str, prose: ChartIndex) -> None:
    found = told(question, prose)
    assert found.status == status
    assert (found.text == NOT_DOCUMENTED) == (status == "absent")


@pytest.mark.parametrize("question", ["Any drug allergies?", "Is he allergic to penicillin?"])
def test_an_allergy_and_none_known_are_shown_side_by_side(question: str, prose: ChartIndex) -> None:
    found = told(question, prose)
    assert "contradict" in found.lines[0]
    assert {"penicillin (rash)", "NKDA", "No known drug allergies"} <= {
        one.quote.removeprefix("Allergies: ") for one in found.places
    }


@pytest.mark.parametrize(
    ("told_of", "name", "status"),
    [
        ("Given ceftriaxone - developed diffuse hives.", "ceftriaxone", "partly"),
        ("Allergy list updated: ceftriaxone.", "ceftriaxone", "documented"),
        ("Delirium: add to allergies/intolerances - codeine (delirium).", "codeine", "documented"),
        ("Lip swelling on ramipril: angioedema.", "ramipril", "documented"),
    ],
)
def test_none_known_never_beats_a_reaction(told_of: str, name: str, status: str) -> None:
    own = [Note("a", "p", "Cough. NKDA.", "2020-09-08"), Note("b", "p", told_of, "2022-01-20")]
    index = prepared(own, lexicon())
    for question in ("Any drug allergies?", f"Is he allergic to {name}?"):
        found = told(question, index)
        assert found.status == status
        assert [one.note.id for one in found.places] == ["b", "a"]
    assert told("Is he allergic to latex?", index).status == "partly"


@pytest.mark.parametrize(
    "other", ["No rash with amoxicillin.", "Hives, treated with cetirizine.", "Took amoxicillin."]
)
def test_what_is_no_reaction_leaves_none_known(other: str) -> None:
    own = [Note("a", "p", "NKDA.", "2020-09-08"), Note("b", "p", other, "2022-01-20")]
    assert told("Any drug allergies?", prepared(own, lexicon())).status == "negated"


def test_an_allergy_section_is_the_answer_and_stands_once() -> None:
    own = [
        Note(f"n{year}", "p", "# Allergies\nNo Known Allergies.\n\n# Medications\naspirin\n", year)
        for year in ("2001-01-01", "2002-01-01", "2003-01-01")
    ]
    found = told("Any drug allergies?", prepared(own, lexicon()))
    assert found.status == "negated"
    assert found.lines[1:] == (
        '2003-01-01 (first 2001-01-01, 3 notes): "No Known Allergies" [n2003-01-01]',
    )


def test_the_newest_list_of_medicines_with_what_is_gone(prose: ChartIndex) -> None:
    lines = told("What is the latest medication list?", prose).lines
    assert "2020-03-15" in lines[0]
    assert "[n5]" in lines[0]
    assert [line.split('"')[1].split()[0] for line in lines[1:4]] == [
        "aspirin",
        "metformin",
        "atorvastatin",
    ]
    assert any("Metoprolol" in line and "no longer listed" in line for line in lines[4:])
    earlier = told("What was he taking in 2015?", prose).lines
    assert [line.split('"')[1] for line in earlier[1:3]] == [
        "lisinopril 10 mg daily",
        "aspirin 81 mg daily",
    ]
    assert len(earlier) == 3


def test_a_medicine_that_was_stopped(prose: ChartIndex) -> None:
    lines = told("Is he on lisinopril?", prose).lines
    assert lines[0].startswith("Lisinopril: not on the newest medication list (2020-03-15)")
    assert any("stopped because of cough" in line for line in lines)


OLDER_LIST = (
    ("2020-09-08", "Medications: albuterol prn, lisinopril 20 mg daily."),
    ("2020-10-01", "Dry cough -> d/c lisinopril. Not on anticoagulants."),
    ("2021-03-01", "Ferrous fumarate 210 mg started. Alendronate weekly. Rivaroxaban for DVT."),
    ("2021-09-01", "HCQ stopped because of blurred vision. Jardiance 10 mg daily."),
)


@pytest.mark.parametrize(
    ("question", "first", "status"),
    [
        ("Is he still on lisinopril?", "Dry cough -> d/c lisinopril", "documented"),
        ("Is he taking hydroxychloroquine?", "HCQ stopped because", "history"),
        ("Is he on an SGLT2 inhibitor?", "Jardiance 10 mg", "documented"),
        ("Is he still taking iron?", "Ferrous fumarate 210 mg", "documented"),
        ("What bone protection is he on?", "Alendronate weekly", "documented"),
        ("Is he on a blood thinner?", "Rivaroxaban for DVT", "documented"),
    ],
)
def test_a_medicine_by_class_or_brand_begins_with_the_newest_note(
    question: str, first: str, status: str
) -> None:
    own = [Note(f"n{n}", "p", text, day) for n, (day, text) in enumerate(OLDER_LIST, 1)]
    found = told(question, prepared(own, lexicon()))
    assert found.status == status
    assert first in found.lines[1]


def test_values_come_newest_first(prose: ChartIndex) -> None:
    found = told("What is the latest HbA1c?", prose)
    assert [one.note.id for one in found.places] == ["n5", "n3", "n2"]
    assert "8.1" in found.lines[0]
    first = told("What was the first HbA1c?", prose)
    assert [one.note.id for one in first.places] == ["n2", "n3", "n5"]


def test_a_risk_score_is_a_range_with_its_items(prose: ChartIndex) -> None:
    lines = told("What is his CHA2DS2-VASc score?", prose).lines
    assert '"CHA2DS2-VASc score of 3" [n4]' in lines[0]
    assert "at least" in lines[1]
    items = [line.partition(":")[0] for line in lines[2:-1]]
    assert {"Hypertension", "Diabetes mellitus", "Female sex"} <= set(items)


def test_the_newest_denial_is_told_with_what_it_denies(prose: ChartIndex) -> None:
    found = told("Any chest pain?", prose)
    assert "denies it (2020-03-15)" in found.lines[0]
    assert {one.note.id for one in found.places if one.assertion == "negated"} == {"n5"}


def test_a_word_that_cannot_be_looked_for_is_named(prose: ChartIndex) -> None:
    found = told("Is he taking atorvastain?", prose)
    assert found.unrecognised == ("atorvastain",)
    assert "atorvastatin" in found.text


@pytest.mark.parametrize(
    ("question", "status", "says"),
    [
        ("When was non-bacterial otitis media diagnosed?", "partly", "No note names"),
        ("When was zymotic gout diagnosed?", "not as written", "Not found as written"),
        ("When was gout diagnosed?", "absent", "Looked for “gout”"),
    ],
)
def test_not_documented_says_what_was_looked_for(
    question: str, status: str, says: str, prose: ChartIndex
) -> None:
    found = told(question, prose)
    assert (found.status, found.text) == (status, NOT_DOCUMENTED)
    assert says in found.established
    assert bool(found.places) == (status == "partly")


def test_a_treatment_that_was_not_given_is_denied() -> None:
    index = prepared([Note("a", "p", "Radiotherapy done. No chemo.", "2016-08-30")], lexicon())
    assert told("Has she had chemotherapy?", index).status == "negated"


def test_repeated_lines_are_one_with_first_and_last_day() -> None:
    index = prepared(notes(), lexicon())
    lines = told("Which drug is asthma treated with, and any history of asthma?", index).lines
    assert any("first 2020-06-11, 3 notes" in line for line in lines)


def test_all_of_a_kind_of_the_time_asked_for() -> None:
    given = "# Plan\nThe patient was given the following immunizations: {}.\n"
    own = [
        Note(f"n{day}", "p", given.format(name), day)
        for day, name in (("2001-01-01", "tetanus"), ("2020-01-01", "influenza"))
    ]
    index = prepared(own, lexicon())
    assert len(told("Which vaccines were given?", index).places) == 2
    (since,) = told("Which vaccines were given since 2010?", index).places
    assert "influenza" in since.quote
    assert told("Which operations were done?", index).status == "absent"


def test_every_place_stands_in_its_note(prose: ChartIndex) -> None:
    for question in ("Any drug allergies?", "Diabetes?", "What are his problems?", "Medications?"):
        for one in told(question, prose).places:
            assert one.note.text[one.start : one.end].strip()
            assert one.note is prose.notes[one.note.id]


HARM = (
    (
        "2010-01-05",
        "CURRENT MEDICATIONS\nPrilosec; lisinopril 10 mg daily.\n\nHPI: She has stopped taking "
        "Prilosec altogether. Regarding his epilepsy, no seizures in a few months. 03/2008 Hgb A1c "
        "5.5. Last A1c was higher than 9. Underwent an aortic valve replacement. CVA tenderness "
        "on the right.\n\nAllergies: enalapril (cough)\n",
    ),
    (
        "2012-01-05",
        "HPI: Prediabetes. Hemoglobin WNL. Drinks a beer on occasion. Black, tarry stools in 2009."
        "\n\n"
        "Assessment and Plan:\nIncrease lisinopril to 20 mg. Start metformin if A1c stays high.\n",
    ),
)


@pytest.fixture(scope="module")
def harm() -> ChartIndex:
    own = [Note(f"h{n}", "p", text, day) for n, (day, text) in enumerate(HARM, 1)]
    return prepared(own, lexicon())


@pytest.mark.parametrize(
    ("question", "said", "unsaid"),
    [
        ("What is her hemoglobin?", "Hemoglobin: documented", "5.5 ("),
        ("What was the A1c?", "2008-03 (in the note of 2010-01-05)", "the newest 5.5"),
        ("What was the A1c?", ">9", ""),
        ("Any seizures?", "for a time only", ""),
        ("What operations has she had?", "aortic valve replacement", ""),
        ("What medicines is she taking?", "Omeprazole stopped", ""),
        ("What medicines is she taking?", "Lisinopril 20 mg planned change", ""),
        ("Which new medicines were started?", "Metformin planned", "Metformin started"),
        ("Is she on enalapril?", "stands under allergies", ""),
        ("Is she diabetic?", "not documented", "Prediabetes."),
        ("Does she drink alcohol?", "beer", "medication list"),
        ("What is the HAS-BLED score?", "tarry stools", ""),
        ("What is the CHA2DS2-VASc score?", "thromboembolism: not documented", "CVA"),
    ],
)
def test_what_misled_a_physician_once(
    harm: ChartIndex, question: str, said: str, unsaid: str
) -> None:
    found = told(question, harm)
    assert said in found.text
    assert not unsaid or unsaid not in found.text


PHYSICIAN = (
    (
        "2014-06-15",
        "Patient was given the following immunizations: influenza, hpv, quadrivalent.\n\n"
        "Allergies: No Known Allergies.\n\nPhysical exam: crackles at both bases.\n\n"
        "Assessment and Plan:\nPatient is presenting with viral sinusitis (disorder). "
        "Depression screening was done. He drinks alcohol.\n- standard pregnancy test\n",
    ),
    (
        "2015-03-02",
        "HPI: Underwent aortic valve replacement. Her medicine was changed to metformin, but she "
        "has not yet started it.\n\nAssessment and Plan:\nHistory of appendectomy.\n",
    ),
)


@pytest.fixture(scope="module")
def physician() -> ChartIndex:
    own = [Note(f"n{n}", "p", text, day) for n, (day, text) in enumerate(PHYSICIAN, 1)]
    return prepared(own, lexicon())


@pytest.mark.parametrize(
    "question",
    [
        "When was chronic sinusitis diagnosed?",
        "Which visit included allergy screening test?",
        "Which care plan was started: weight management program?",
        "Does she have wheezing?",
        "At which visit was amiodarone hydrocholoride prescribed?",
        "Which visit included percutaneous thrombectomy using fluoroscopic guidance?",
    ],
)
def test_what_is_near_is_no_evidence(question: str, physician: ChartIndex) -> None:
    assert told(question, physician).text == NOT_DOCUMENTED


@pytest.mark.parametrize(
    ("question", "quoted"),
    [
        ("Did he get the HPV vaccine?", "hpv, quadrivalent"),
        ("Which heart surgery has she had?", "aortic valve replacement"),
        ("Has she ever had her appendix taken out?", "appendectomy"),
    ],
)
def test_the_same_under_another_name_is_found(
    question: str, quoted: str, physician: ChartIndex
) -> None:
    assert quoted in told(question, physician).text


def test_an_order_that_was_not_begun_is_no_start(physician: ChartIndex) -> None:
    found = told("Did she ever start metformin?", physician).text
    assert "planned" in found
    assert " started" not in found.replace("yet started", "")


def test_since_when_names_no_event(physician: ChartIndex) -> None:
    assert "“when”" not in told("Since when does she have sinusitis?", physician).text
