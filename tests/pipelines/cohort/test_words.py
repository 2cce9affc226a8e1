"""Criteria as clinicians write them, read as a form; its words; and the patients that it finds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinfo.pipelines.cohort.concepts import Concept, Concepts
from clinfo.pipelines.cohort.matching import Index
from clinfo.pipelines.cohort.parsing import NotUnderstood, parse
from clinfo.pipelines.cohort.store import build, opened
from clinfo.pipelines.cohort.wording import text_of
from clinfo.terms.naming import known
from tests.pipelines.cohort.notes import record

TERMS = Concepts({}, known())

SAID = [
    # drugs, spelling, abbreviations, who has something
    ("women over 75 on warfarin", "female and aged at least 76 and taking Warfarin"),
    ("amlodipine users", "taking Amlodipine"),
    ("been started on metformin", "taking Metformin"),
    ("oedema", "Edema"),
    ("phaeochromocytoma", "Pheochromocytoma"),
    ("PE", "Pulmonary Embolism"),
    ("SOB", "Dyspnea"),
    ("asthmatics", "Asthma"),
    ("non-diabetic women with COPD",
     'female and "Pulmonary Disease, Chronic Obstructive" and (not Diabetes Mellitus)'),
    # measured values
    ("diabetics with an HbA1c above 9 %", "Diabetes Mellitus and HbA1c above 9 %"),
    ("HbA1c of 75 mmol/mol or more", "HbA1c at least 9.01 %"),
    ("eGFR < 30", "eGFR below 30 mL/min/1.73 m2"),
    ("EF 40 or less", "ejection fraction at most 40 %"),
    ("BMI over 35", "BMI above 35 kg/m2"),
    ("systolic > 160", "systolic blood pressure above 160 mmHg"),
    ("CKD stage 3 to 5", "CKD stage 3 to 5"),
    ("stage 4 CKD or worse", "CKD stage at least 4"),
    ("BP over 140/90",
     "systolic blood pressure above 140 mmHg or diastolic blood pressure above 90 mmHg"),
    ("stage 3 or 4 CKD", "CKD stage 3 or CKD stage 4"),
    # what is of another type is joined by "and", whatever joins its neighbours
    ("gout, asthma, warfarin or heparin",
     "Gout and Asthma and (taking Warfarin or taking Heparin)"),
    ("stage II, taking warfarin or aspirin",
     "stage II and (taking Warfarin or taking Aspirin)"),
    ("PIK3CA-mutated breast cancer", "Breast Neoplasms and PIK3CA mutation"),
    ("JAK2 mutated polycythaemia vera", "Polycythemia Vera and JAK2 mutation"),
    ("chemotherapy for breast cancer", "taking chemotherapy and Breast Neoplasms"),
    # ages and days
    ("under-18s", "aged at most 17"),
    ("octogenarians", "aged 80 to 89"),
    ("65 and up, alive in 2022", "aged at least 65 in 2022 and alive in 2022"),
    ("gout since 2015", "Gout since 2015"),
    ("gout before 2015", "Gout until 2014"),
    ("diagnosed with gout in 2015", "new Gout since 2015 until 2015"),
    ("gout in the last 2 years", "Gout in the last 2 years"),
    # relatives and allergies
    ("women whose mother had gout", "female and family history of Gout"),
    ("allergic to penicillin", "allergic to penicillins"),
    ("penicillin allergy", "allergic to penicillins"),
    ("?PE", "suspected Pulmonary Embolism"),
    ('"Platelet Count" or gout', 'underwent "Platelet Count" or Gout'),  # without a value: the test
    # the age at which something began
    ("stroke before the age of 55", "Stroke at age at most 54"),
    ("gout, under 40 yrs at diagnosis", "Gout at age at most 39"),
    ("gout diagnosed at 30 to 39", "Gout at age 30 to 39"),
    ("asthma with age at onset > 60", "Asthma at age at least 61"),
    ("men over 60 with gout diagnosed at 45", "male and aged at least 61 and Gout at age 45"),
    ("gout in patients aged 40 to 50", "Gout and aged 40 to 50"),
    # days by name, spans that are over
    ("gout seen between 1 March and 31 May 2020", "Gout since 2020-03-01 until 2020-05-31"),
    ("gout in March 2020", "Gout since 2020-03 until 2020-03"),
    ("gout more than 5 years ago", "Gout at least 5 years ago"),
    # what belongs to all of a list, or to the list's heading
    ("currently on aspirin + warfarin", "taking current Aspirin and taking current Warfarin"),
    ("HER2 + breast cancer", "Breast Neoplasms and HER2 positive"),
    ("Inclusion: adults; gout. Exclusion: asthma, cough",
     "aged at least 18 and Gout and (not (Asthma or Cough))"),
    ("BMI >= 35, or >= 30 with gout", "BMI at least 35 kg/m2 or (BMI at least 30 kg/m2 and Gout)"),
    ("diabetic, either type, with gout or asthma", "Diabetes Mellitus and (Gout or Asthma)"),
    ("no gout in past 5 years. Not had asthma",
     "(not Gout in the last 5 years) and (not Asthma)"),
    ("suspected but never confirmed gout", "suspected Gout and (not Gout)"),
    ("asthma within 7 days of starting aspirin",
     "taking Aspirin within 7 days before Asthma"),
    ("gout who went on to develop asthma", "Gout before Asthma"),
    ("penicillin allergy who was given amoxicillin afterwards",
     "allergic to penicillins before taking Amoxicillin"),
    ("cirrhosis", "Liver Cirrhosis"),
    # symbols, and numbers without a unit, which are of the unit that they fit
    ("hypernatraemia (Na > 150)", "Hypernatremia and sodium above 150 mmol/L"),
    ("Mg < 0.5 on omeprazole", "magnesium below 0.5 mmol/L and taking Omeprazole"),
    ("corrected Ca > 2.8", "calcium above 11.22 mg/dL"),
    ("HbA1c over 64", "HbA1c above 8.01 %"),
    ("HbA1c over 8", "HbA1c above 8 %"),
    ("urate above 500", "uric acid above 8.4 mg/dL"),
    ("eosinophils >= 0.5", "eosinophils at least 500 cells/uL"),
    ("LDL > 5 or HDL < 1", "LDL above 193.35 mg/dL or HDL below 38.67 mg/dL"),
    ("vitamin B12 < 200", "vitamin B12 below 200 ng/L"),
    ("on vitamin B12", "taking Vitamin B 12"),
    ("CK > 5000 IU/L", "creatine kinase above 5000 U/L"),
    ("ferritin < 30 µg/L", "ferritin below 30 ng/mL"),
    # what stands in brackets shares the noun before them, and so do alternatives
    ("pneumonia (viral or bacterial)",
     'Pneumonia and ("Pneumonia, Viral" or "Pneumonia, Bacterial")'),
    ("hepatitis D or E", "Hepatitis D or Hepatitis E"),
    ("type 1 or type 2 diabetes with gout",
     '("Diabetes Mellitus, Type 1" or "Diabetes Mellitus, Type 2") and Gout'),
    ("asthma or COPD without pneumonia",
     '(Asthma or "Pulmonary Disease, Chronic Obstructive") and (not Pneumonia)'),
    ("asthma or COPD (not pneumonia)",
     '(Asthma or "Pulmonary Disease, Chronic Obstructive") and (not Pneumonia)'),
    ("lung cancer squamous cell", "squamous cell lung cancer"),
    ("HIV negative, gout", "(documented absence of hiv) and Gout"),
    # counts without a word of how, what was stopped or changed
    ("two or more strokes", "at least 2 records of Stroke"),
    ("at least 3 seizures in the last year", "at least 3 records of Seizures in the last 1 years"),
    ("pneumonia x2", "at least 2 records of Pneumonia"),
    ("no longer on lithium", "taking Lithium and (not taking current Lithium)"),
    ("gout, stopped allopurinol",
     "Gout and taking Allopurinol and (not taking current Allopurinol)"),
    ("switched from metformin to insulin", "taking Metformin before taking Insulin"),
    ("post-op pneumonia", "underwent surgery before Pneumonia"),
    ("gallstones, post cholecystectomy", "Gallstones and underwent Cholecystectomy"),
    ("lung cancer post pneumonectomy", "Lung Neoplasms and underwent Pneumonectomy"),
    ("pneumonia post pneumonectomy", "underwent Pneumonectomy before Pneumonia"),
    ("menopause before 45", "Menopause at age at most 44"),
    ("dad or brother with gout", "family history of Gout"),
    ("asthmatics who have had pneumonia", "Asthma and Pneumonia"),
    ("previously on lithium, now stopped", "taking Lithium and (not taking current Lithium)"),
    ("no longer on metformin or insulin",
     "(taking Metformin and (not taking current Metformin)) or (taking Insulin and (not taking "
     "current Insulin))"),
    # what a cue says of the first of several
    ("allergic to penicillin or cephalosporins",
     "allergic to penicillins or allergic to cephalosporins"),
    ("family history of gout and asthma, on aspirin",
     "(family history of Gout) and (family history of Asthma) and taking Aspirin"),
    ("suspected PE or DVT", "(suspected Pulmonary Embolism) or suspected Venous Thrombosis"),
    ("statin intolerance",
     "allergic to Hydroxymethylglutaryl-CoA Reductase Inhibitors"),
    ("ischaemic or haemorrhagic stroke", "ischaemic stroke or haemorrhagic stroke"),
    ("diabetic or hypertensive retinopathy",
     "Diabetic Retinopathy or Hypertensive Retinopathy"),
    ("at least 2 of gout, asthma, cough", "at least 2 of: Gout, Asthma, Cough"),
    ("INR ever above 8", "INR above 8 ever"),
    ("pull a list of women with gout", "female and Gout"),
    ("hep B negative, gout", "(documented absence of Hepatitis B) and Gout"),
    # lists
    ("- gout\n- asthma or cough\n- no pneumonia", "Gout and (Asthma or Cough) and (not Pneumonia)"),
    ("Inclusion: 1. gout 2. asthma. Excl: 1) pneumonia 2) cough",
     "Gout and Asthma and (not Pneumonia) and (not Cough)"),
    ("gout excl. asthma", "Gout and (not Asthma)"),
    # connectives
    ("either gout or asthma will do", "Gout or Asthma"),
    ("gout as well as asthma", "Gout and Asthma"),
    ("gout, nobody with asthma", "Gout and (not Asthma)"),
    ("gout excluding asthma", "Gout and (not Asthma)"),
    ("men who never had gout", "male and (not Gout)"),
    ("no record of gout", "not Gout"),
    ("no gout, asthma or cough", "not (Gout or Asthma or Cough)"),
    ("neither gout nor asthma", "(not Gout) and (not Asthma)"),
    ("asthma first, gout later", "Asthma before Gout"),
    ("asthma that predates gout", "Asthma before Gout"),
    ("gout within 2 years of asthma",
     "(Gout within 730 days before Asthma) or (Asthma within 730 days before Gout)"),
    ("Show me everyone with gout. Exclude those with asthma.", "Gout and (not Asthma)"),
    ("neither smokers nor drinkers with gout",
     "(not Smoking) and (not Alcohol Drinking) and Gout"),
    ("nobody over 80, gout or asthma", "(not (aged at least 81)) and (Gout or Asthma)"),
    ("ECOG 0-1, asthma followed by gout", "(Asthma before Gout) and ECOG 0 to 1"),
    ("asthma, cough or gout before pneumonia", "(Asthma or Cough or Gout) before Pneumonia"),
    # a measured value is no age, and an age needs no unit beside people
    ("gout with ferritin < 15", "Gout and ferritin below 15 ng/mL"),
    ("men 40-60 with gout", "male and aged 40 to 60 and Gout"),
    ("over 50s with gout", "aged at least 51 and Gout"),
    ("gout in last 5 yrs", "Gout in the last 5 years"),
    # oncology: two values of one thing, genes, classes of drugs, names narrower than their heading
    ("pT3 or pT4 prostate cancer with Gleason 8 or more",
     "Prostatic Neoplasms and (pT3 or pT4) and Gleason at least 8"),
    ("stage III or IV ovarian cancer", "Ovarian Neoplasms and (stage III or stage IV)"),
    ("melanoma, ECOG worse than 1", "Melanoma and ECOG at least 2"),
    ("a mutation in ATM, CHEK2 and PALB2", "ATM/CHEK2/PALB2 mutation"),
    ("a mutation in KRAS and NRAS", "KRAS/NRAS mutation"),
    ("KRAS and NRAS mutations", "KRAS mutation and NRAS mutation"),
    ("AML FLT3-ITD pos", '"Leukemia, Myeloid, Acute" and FLT3 internal tandem duplication'),
    ("an EGFR TKI", "taking EGFR TKI"),
    ("a PD-1 blocker", "taking PD-1 blocker"),
    ("melanoma on dabrafenib+trametinib",
     "Melanoma and taking dabrafenib and taking trametinib"),
    ("NSCLC that progressed on osimertinib, ECOG 0",
     '"Carcinoma, Non-Small-Cell Lung" and (taking osimertinib before Disease Progression) and '
     "ECOG 0"),
    # genes by other names, numbers alone and families
    ("VEGFR1 or RAF-1 mutation", "FLT1/RAF1 mutation"),
    ("FGFR 1,2,3 and 4 alterations", "FGFR1/FGFR2/FGFR3/FGFR4 alteration"),
    ("FLT-3 mutated AML", '"Leukemia, Myeloid, Acute" and FLT3 mutation'),
    ("kras-mutated colorectal cancer", "Colorectal Neoplasms and KRAS mutation"),
    ("KLK3 amplification", "KLK3 amplification"),
    ("ACE inhibitors", "taking Angiotensin-Converting Enzyme Inhibitors"),
    ("unmutated KRAS", "KRAS wild type"),
    ("EGFR mutation-negative NSCLC", '"Carcinoma, Non-Small-Cell Lung" and (not (EGFR mutation))'),
    ("PIK3CA mutations (H1047R, E545K)", "PIK3CA H1047R or PIK3CA E545K"),
    ("mCRPC with HRRm",
     "Prostatic Neoplasms and Neoplasm Metastasis and castration resistant and ATM/BARD1/BRCA1/"
     "BRCA2/BRIP1/CDK12/CHEK1/CHEK2/FANCL/PALB2/RAD51B/RAD51C/RAD51D/RAD54L mutation"),
    # treatments and their settings
    ("osimertinib and any other EGFR inhibitor",
     "taking osimertinib and (taking EGFR inhibitor except osimertinib)"),
    ("EGFR or ALK inhibitors", "taking EGFR inhibitors or taking ALK inhibitors"),
    ("first-line osimertinib", 'taking "first line osimertinib"'),
    ("no prior systemic therapy", "not taking systemic therapy"),
    ("neoadjuvant or adjuvant trastuzumab",
     "taking neoadjuvant trastuzumab or taking adjuvant trastuzumab"),
    ("imatinib (RxCUI 282388)", "taking Imatinib Mesylate"),
    # words that several share
    ("ductal or lobular carcinoma of the breast",
     '"Carcinoma, Ductal, Breast" or "lobular carcinoma of the breast"'),
    ("carcinoma of the ovary, fallopian tube or peritoneum",
     "Ovarian Neoplasms or Fallopian Tube Neoplasms or Peritoneal Neoplasms"),
    ("liver or bone metastases", "liver metastases or bone metastases"),
    ("breast or ovarian cancer with a BRCA1 mutation",
     "(Breast Neoplasms or Ovarian Neoplasms) and BRCA1 mutation"),
    ("melanoma or sarcoma, with brain metastases",
     "(Melanoma or Sarcoma) and brain metastases"),
    ("stage III or metastatic melanoma",
     "Melanoma and (stage III or Neoplasm Metastasis)"),
    # what stands in brackets, in another sentence, after "if"
    ("breast cancer (HER2+)", "Breast Neoplasms and HER2 positive"),
    ("chronic lymphocytic leukaemia (CLL)", '"Leukemia, Lymphocytic, Chronic, B-Cell"'),
    ("Breast cancer. If N0, then stage T3 or higher.",
     "Breast Neoplasms and ((not (N0)) or T at least 3)"),
    ("T4 any N M0 colon cancer", "Colonic Neoplasms and T4 and M0"),
    ("non-clear cell renal cell carcinoma",
     '"Carcinoma, Renal Cell" and (not clear cell renal cell carcinoma)'),
    # what belongs to what
    ("men who received abiraterone or enzalutamide but not docetaxel",
     "male and (taking Abiraterone Acetate or taking enzalutamide) and (not taking Docetaxel)"),
    ("bevacizumab plus either FOLFOX or FOLFIRI",
     "taking Bevacizumab and (taking folfox or taking folfiri)"),
    ("RB1 wild-type sarcoma and no KIT mutation treated with palbociclib",
     "Sarcoma and RB1 wild type and (not (KIT mutation)) and taking palbociclib"),
    ("HER2-positive gastric or oesophageal adenocarcinoma",
     "(gastric adenocarcinoma and HER2 positive) or (oesophageal adenocarcinoma and HER2 "
     "positive)"),
    ("ALK fusion in people who received crizotinib followed by another ALK inhibitor",
     "(taking Crizotinib before (taking ALK inhibitor except Crizotinib)) and ALK fusion"),
    ("children and adults with gout", "(aged at most 17 or aged at least 18) and Gout"),
    ("N1-N3 breast cancer", "Breast Neoplasms and N 1 to 3"),
    ("asthma; gout excluded", "Asthma and (not Gout)"),
    ("Brain metastases or gout: exclude", "not (brain metastases or Gout)"),
    ("breast cancer G2 or G3",
     "Breast Neoplasms and (histologic grade 2 or histologic grade 3)"),
    ("CLL with del(17p)",
     '"Leukemia, Lymphocytic, Chronic, B-Cell" and 17p deletion'),
    # kinds of tumours that have no heading stay what they are
    ("renal clear cell carcinoma", "renal clear cell carcinoma"),
    ("metaplastic breast carcinoma", "metaplastic breast carcinoma"),
    ("spindle cell carcinoma of the lung", '"spindle cell carcinoma of the lung"'),
    ("primary brain tumor", "primary brain tumor"),
    ("spindle cell carcinoma", "spindle cell carcinoma"),
    ("renal cell adenocarcinoma", '"Carcinoma, Renal Cell"'),
    # counts, what an "except" leaves out, whom a "with" goes with
    ("bronchitis more than 3 times", "at least 4 records of Bronchitis"),
    ("gout, no antipsychotic except quetiapine or clozapine",
     "Gout and (not (taking Antipsychotic Agents except Quetiapine Fumarate or Clozapine))"),
    ("gout but no asthma and no anemia but with obesity",
     "Gout and (not Asthma) and (not Anemia) and Obesity"),
    ("asthma unless they smoke", "Asthma and (not Smoking)"),
    ("smokers who drink alcohol", "Smoking and Alcohol Drinking"),
    ("pregnant women", "Pregnancy and female"),
    ("never smokers with gout or asthma", "(not Smoking) and (Gout or Asthma)"),
]  # fmt: skip


@pytest.mark.parametrize(("criteria", "expected"), SAID)
def test_free_words_are_read(criteria: str, expected: str) -> None:
    form = parse(criteria, TERMS)
    assert not isinstance(form, NotUnderstood), form
    assert text_of(form) == expected
    assert parse(text_of(form), TERMS) == form


@pytest.mark.parametrize(
    ("criteria", "words"),
    [
        ("gout and diabtes", ("diabtes",)),
        ("severe gout", ("severe gout",)),
        ("gout for over 5 years", ("gout for over",)),
        ("newly diagnosed gout", ("newly diagnosed gout",)),
        ("aspirin or warfarin but not both", ("not",)),
        ("chronic", ("chronic",)),
        ("accident", ("accident",)),
        ("metformin only", ("metformin",)),
        ("brain metastases at diagnosis", ("at diagnosis",)),
        ("specific POLE mutations", ("specific",)),
        ("certain EGFR mutations", ("certain",)),
        ("gout if on warfarin", ("if",)),
        ("patients who only received chemotherapy", ("patients",)),
        ("RxCUI 282388", ("RxCUI",)),
        ("kids with ALL", ("ALL?",)),
        ("histologically confirmed breast cancer", ("histologically",)),
        ("gout, ESR over 300", ("ESR",)),
        ("gout or asthma before", ("asthma",)),
        ("gout fewer than 3 times", ("gout",)),
        ("died of heart failure", ("died",)),
        ("died in 2020", ("the",)),
        ("anemia not due to pregnancy", ("not", "due")),
        ("gout with no HbA1c in 1 year", ("HbA1c",)),
        ("gout and creatinine", ("creatinine",)),
        ("not diabetic since", ("diabetic",)),
        ("prostate cancer except in situ", ("in",)),
        ("gout before 30 or after 70", ("two",)),
        ("stopped warfarin after a stroke", ("stopped",)),
        ("exercise intolerance", ("exercise",)),
        ("bleeding while on warfarin", ("while",)),
        ("falls whilst taking zopiclone", ("whilst",)),
        ("low back pain alone", ("alone",)),
        ("anaemia secondary to gastritis", ("secondary",)),
        ("failed methotrexate", ("failed",)),
        ("on 4 or more regular medicines", ("4",)),
        ("at least 2 antidepressants", ("at",)),
        ("three or more autoimmune diseases", ("three",)),
        ("at least 2 lines of chemotherapy", ("at",)),
        ("warfarin 5 mg or more", ("warfarin",)),
        ("haemoglobin > 7 mg/L", ("haemoglobin",)),
    ],
)
def test_what_is_not_understood_is_asked_back(criteria: str, words: tuple[str, ...]) -> None:
    form = parse(criteria, TERMS)
    assert isinstance(form, NotUnderstood), form
    assert [one.split()[0] for one in form.words] == [one.split()[0] for one in words]


def test_what_is_understood_is_told_beside_what_is_not() -> None:
    form = parse("men with severe gout, not on allopurinol", TERMS)
    assert isinstance(form, NotUnderstood)
    assert form.words == ("severe gout",)
    assert form.rest is not None
    assert text_of(form.rest) == "male and (not taking Allopurinol)"


@pytest.mark.parametrize(
    "kind",
    ["spindle cell", "clear cell", "sarcomatoid", "metaplastic", "micropapillary", "primary",
     "mucinous", "poorly differentiated", "bilateral", "unheard-of"],
)  # fmt: skip
@pytest.mark.parametrize(
    "tumour",
    ["carcinoma of the lung", "renal cell carcinoma", "breast carcinoma", "bladder cancer",
     "ovarian carcinoma with a BRCA1 mutation"],
)  # fmt: skip
def test_no_word_of_a_tumours_name_is_dropped(kind: str, tumour: str) -> None:
    """It asks for something else with the word, or the word is asked back."""
    form = parse(f"{kind} {tumour}", TERMS)
    if isinstance(form, NotUnderstood):
        assert any(word in " ".join(form.words) for word in kind.split())
    else:
        assert form != parse(tumour, TERMS)
        assert parse(text_of(form), TERMS) == form


@pytest.mark.parametrize(
    ("words", "near"),
    [("osimertnib", "osimertinib"), ("PIK3C", "PIK3CA"), ("PARP inhibitr", "PARP inhibitors")],
)
def test_near_names_are_offered(words: str, near: str) -> None:
    assert near in TERMS.near(words)


@pytest.mark.parametrize(
    "words",
    ["cancer patients with another malignancy", "patients before age 50",
     "gout, HbA1c > 9 at diagnosis", "gout, asthma excluded", "ECOG stage IIIB NSCLC",
     "TP53 copy number of 6"],
)  # fmt: skip
def test_what_no_form_says_is_asked_back(words: str) -> None:
    assert isinstance(parse(words, TERMS), NotUnderstood)


ANN = record(
    "ann",
    ("2014-05-01", "Mrs Ann Smith attended. HbA1c 9.4 %. BMI 36.1. PMH: gout (2008). Has asthma."),
    ("2021-05-01", "A 66-year-old woman. HbA1c 7.1 %. BP 170/95. Metformin was stopped."),
)
BOB = record(
    "bob",
    ("2016-05-01", "70M with asthma. Allergic to amoxicillin. His 95 year-old mother has gout."),
    ("2021-06-01", "Has gout. He takes metformin."),
)


@pytest.mark.parametrize(
    ("criteria", "expected"),
    [
        ("HbA1c above 9", set()),
        ("HbA1c above 9 ever", {"ann"}),
        ("HbA1c above 9.4 ever", set()),
        ("BMI over 35", {"ann"}),
        ("systolic > 160", {"ann"}),
        ("allergic to amoxicillin", {"bob"}),
        ("on amoxicillin", set()),
        ("family history of gout", {"bob"}),
        ("gout", {"ann", "bob"}),
        ("current gout", {"bob"}),
        ("asthma before 2015", {"ann"}),
        ("asthma since 2015", {"bob"}),
        ("asthma diagnosed before 65", {"ann"}),
        ("asthma at age 70", {"bob"}),
        ("asthma at age 60 to 69", set()),
        ("asthma more than 2 years ago", {"ann", "bob"}),
        ("diagnosed with gout since 2015", {"bob"}),
        ("on metformin", {"ann", "bob"}),
        ("currently on metformin", {"bob"}),
        ("women", {"ann"}),
        ("men aged 70 to 71 in 2016", {"bob"}),
        ("aged 66 to 67 in 2021", {"ann"}),
    ],
)
def test_facts_of_free_notes_are_found(
    criteria: str, expected: set[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.getbasetemp() / "free-notes"
    build([ANN, BOB], folder)
    with opened(folder) as base:
        index = Index(base, known())
        form = parse(criteria, index.concepts)
        assert not isinstance(form, NotUnderstood), form
        ids = dict(base.execute("SELECT number, id FROM patients"))
        assert {ids[number] for number in index.match(form).members} == expected


@pytest.mark.parametrize(
    ("words", "form"),
    [
        ("pathological N stage of at least N1", "pN at least 1"),
        ("clinical T stage T2", "cT2"),
        ("HR+/HER2- breast cancer", "HR positive and Breast Neoplasms and HER2 negative"),
    ],
)
def test_what_is_written_out_is_not_lost(words: str, form: str) -> None:
    read = parse(words, TERMS)
    assert not isinstance(read, NotUnderstood)
    assert text_of(read) == form


@pytest.mark.parametrize(
    "words",
    ["VHL and some other cancer", "any other EGFR inhibitor", "asthma and another"],
)
def test_other_than_what_is_asked_back(words: str) -> None:
    assert isinstance(parse(words, TERMS), NotUnderstood)


FRAGMENTS = (
    *(
        "T",
        "pT",
        "N",
        "M",
        "stage",
        "is",
        "Tisa-cel",
        "II",
        "iv",
        "4d",
        "2b",
        "N0",
        "T1-3",
        "or higher",
    ),
    *("≥", "<", "between", "to", "-", "ECOG", "0-1", "age", "aged", "18", "75 years", "1.2 mg/dL"),
    *(
        "creatinine",
        "x ULN",
        "BRAF",
        "V600E",
        "EGFR",
        "exon 20",
        "fusion",
        "wild type",
        "FGFR1/2/3",
    ),
    *(
        "if",
        "then",
        "not",
        "no",
        "other than",
        "(",
        ")",
        "[",
        ",",
        ";",
        ".",
        ":",
        "/",
        "+",
        "%",
        "and",
    ),
    *(
        "or",
        "with",
        "without",
        "after",
        "before",
        "in 2022",
        "2031-02-30",
        "gout",
        "warfarin",
        "women",
    ),
    *(
        "first-line",
        "neoadjuvant",
        "breast cancer",
        "at least",
        "lines of",
        "$1",
        "\\",
        "'s",
        "n't",
    ),
)


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=9), st.booleans())
def test_any_words_are_read_or_asked_back(fragments: list[str], spaced: bool) -> None:
    form = parse((" " if spaced else "").join(fragments), TERMS)
    if not isinstance(form, NotUnderstood):
        assert parse(text_of(form), TERMS) == form
    else:
        assert not any("\ue000" <= sign <= "\uf8ff" for word in form.words for sign in word)


@pytest.mark.parametrize("said", ['yoga "', 'yoga "asthma" ', "yoga "])
def test_twice_the_criteria_are_looked_up_about_twice_as_often(said: str) -> None:
    class Counted(Concepts):
        asked = 0

        def listed(self, phrase: str) -> Concept | None:
            Counted.asked += 1
            return super().listed(phrase)

    terms, counts = Counted({}, known()), []
    for many in (60, 120):
        Counted.asked = 0
        parse(said * many, terms)
        counts.append(Counted.asked)
    assert counts[1] < 2.5 * counts[0]


def test_long_criteria_are_answered() -> None:
    for said in ('yoga "', "no asthma "):
        assert isinstance(parse((said * 650)[:3_900], TERMS), NotUnderstood)
