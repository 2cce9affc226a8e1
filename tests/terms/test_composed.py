"""What phrases mean: those that a clinician takes for one thing meet, near misses do not."""

from __future__ import annotations

import pytest

from clinfo.terms.composed import (
    FILE,
    broader_headings,
    headings_with,
    meanings,
    same,
    signatures,
    understood,
)
from clinfo.terms.naming import known


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("torn knee cartilage", "tear of meniscus of knee"),
        ("partial-thickness burn", "second degree burn"),
        ("lung clot", "pulmonary embolism"),
        ("a fresh clot on the lung", "acute pulmonary embolism"),
        ("damaged cuff tendon of the shoulder", "tendon damage in the shoulder's cuff"),
        ("nerve damage from T2DM", "neuropathy due to type 2 diabetes mellitus"),
        ("long-term drug-resistant migraine with no aura",
         "chronic intractable migraine without aura"),
        ("metastatic prostate cancer", "metastasis from malignant tumor of prostate"),
        ("secondary cancer of the bowel wall", "secondary malignant neoplasm of bowel wall"),
        ("stage III chronic renal disease", "chronic kidney disease stage 3"),
        ("impaired glucose regulation, not yet diabetes", "prediabetes"),
        ("anaemia", "low haemoglobin"), ("diarrhoea", "loose stools"),
        ("keyhole removal of the gall bladder", "laparoscopic cholecystectomy"),
        ("polyps removed from the rectum", "rectal polypectomy"),
        ("tubes tied in the past", "history of tubal ligation"),
        ("jobless", "unemployed"), ("elective abortion", "induced termination of pregnancy"),
        ("a leaky aortic valve", "aortic valve regurgitation"),
        ("infections of the kidneys", "pyelonephritis"),
    ],
)  # fmt: skip
def test_two_wordings_of_one_thing_meet(one: str, other: str) -> None:
    assert same(signatures(one, known()), signatures(other, known()))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("second degree burn", "third degree burn"), ("sepsis", "septic shock"),
        ("hay fever", "perennial allergic rhinitis"), ("prediabetes", "diabetes"),
        ("preeclampsia", "eclampsia"), ("tia", "stroke"), ("nstemi", "stemi"),
        ("open fracture of hip", "closed fracture of hip"),
        ("secondary malignant neoplasm of prostate", "metastatic prostate cancer"),
        ("carcinoma in situ of prostate", "prostate cancer"),
        ("concussion with loss of consciousness", "concussion with no loss of consciousness"),
        ("chronic kidney disease stage 3", "chronic kidney disease stage 4"),
        ("limited social contact", "social isolation"), ("unemployed", "not in labor force"),
        ("miscarriage", "induced termination of pregnancy"), ("osteopenia", "osteoporosis"),
        ("tear of anterior cruciate ligament", "injury of medial collateral ligament of knee"),
        ("insertion of intrauterine contraceptive device",
         "removal of intrauterine contraceptive device"),
        ("retinopathy", "macular edema"), ("confusion", "delirium"),
        ("chronic kidney disease stage 5", "end-stage renal disease"),
        ("never smoked", "smoker"), ("fracture of radius", "fracture of ulna"),
    ],
)  # fmt: skip
def test_near_misses_do_not(one: str, other: str) -> None:
    assert not same(signatures(one, known()), signatures(other, known()))


@pytest.mark.parametrize("phrase", ["severe gout", "new asthma", "flibbery of the knee"])
def test_a_word_that_means_something_in_some_names_only_is_not_understood(phrase: str) -> None:
    assert not understood(phrase)


def test_a_fracture_with_more_said_of_it_is_below_the_heading_of_the_fracture() -> None:
    found = broader_headings(meanings("closed fracture of hip"), known())
    assert [known().descriptor(one).heading for one in found] == ["Hip Fractures"]  # type: ignore[union-attr]


def test_no_phrase_is_listed_with_two_meanings() -> None:
    seen: dict[str, str] = {}
    for line in FILE.read_text(encoding="utf-8").partition("\n# Goes without")[0].splitlines():
        meaning, _, said = line.partition(":")
        for phrase in said.split(",") if said and not line.startswith("#") else ():
            assert seen.setdefault(phrase.strip(), meaning) == meaning, phrase


@pytest.mark.parametrize("phrase", ["type 1", "medicines", "job", "nose", "drugs"])
def test_a_meaning_that_tells_no_one_heading_tells_none(phrase: str) -> None:
    assert headings_with(frozenset({meanings(phrase)}), known()) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("gangrene", "death"), ("heartburn", "acid reflux"), ("growth disorder", "tumour"),
        ("haematoma", "bruise"), ("facial paralysis", "Bell's palsy"), ("seizures", "epilepsy"),
        ("cellulite", "cellulitis"), ("bone marrow disease", "spinal cord disease"),
        ("gestational diabetes", "pregnancy in diabetics"), ("lockjaw", "tetanus infection"),
    ],
)  # fmt: skip
def test_what_is_near_is_not_the_same(one: str, other: str) -> None:
    assert meanings(one) != meanings(other)
