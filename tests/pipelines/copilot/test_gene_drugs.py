"""From a question in any words to the exact set of drugs, or to what CIViC has not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from clinfo.pipelines.copilot.asked import changes
from clinfo.pipelines.copilot.gene_drugs import GeneDrugTool, evidence_first
from clinfo.pipelines.copilot.kinds.gene_drugs import observation
from clinfo.pipelines.copilot.variants import change, matching
from clinfo.records.copilot import Observation
from clinfo.retrieval.silos.loading import load_files
from clinfo.retrieval.silos.staged import FILE_NAME, About, Staged
from clinfo.retrieval.silos.store import StoredSilos
from tests.retrieval.silos.rows import OLDER, older
from tests.shared_data import SHARED, needs_shared

RESISTS = {"clinical_significance": "Resistance"}
LINES = (
    older("1", "BRAF", "V600E", "Melanoma", "Vemurafenib", evidence_level="A"),
    older("2", "BRAF", "V600E", "Melanoma", "Dabrafenib,Trametinib"),
    older("3", "BRAF", "V600E", "Melanoma", "Sorafenib", evidence_level="D"),
    older("4", "BRAF", "V600E", "Colorectal Cancer", "Cetuximab", **RESISTS),
    older("5", "EGFR", "T790M", "Lung Non-small Cell Carcinoma", "Erlotinib", **RESISTS),
    older("6", "EGFR", "EXON 19 DELETION", "Lung Non-small Cell Carcinoma", "Gefitinib"),
    older("7", "ALK", "EML4-ALK", "Lung Non-small Cell Carcinoma", "Crizotinib"),
    older("8", "ERBB2", "AMPLIFICATION", "Stomach Cancer", "Trastuzumab"),
    older("9", "ERBB2", "OVEREXPRESSION", "Her2-receptor Positive Breast Cancer", "Lapatinib"),
    older("10", "KIT", "EXON 11 MUTATION", "Gastrointestinal Stromal Tumor", "Imatinib"),
    older("11", "KIT", "WILDTYPE", "Gastrointestinal Stromal Tumor", "Nilotinib"),
    older("12", "ABL1", "BCR-ABL T315I", "Chronic Myeloid Leukemia", "Ponatinib"),
    older("13", "ABL1", "BCR-ABL", "Chronic Myeloid Leukemia", "Dasatinib"),
    older("14", "AR", "V7 EXPRESSION", "Prostate Cancer", "Enzalutamide", **RESISTS),
    older("15", "PTEN", "LOSS", "Colorectal Cancer", "Panitumumab", **RESISTS),
    older("16", "KRAS", "G12/G13", "Colorectal Cancer", "Cetuximab", **RESISTS),
    older("17", "PTCH1", "MUTATION", "Cancer", "Vismodegib"),
    older("18", "BRAF", "V600E", "Melanoma", "Vemurafenib",
          evidence_direction="Does Not Support"),
    older("19", "TP53", "MUTATION", "Ovarian Cancer", "", evidence_type="Prognostic"),
)  # fmt: skip


@pytest.fixture(scope="module")
def silos(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StoredSilos]:
    folder = tmp_path_factory.mktemp("silos")
    (folder / "items.tsv").write_text("\n".join((OLDER, *LINES)), encoding="utf-8")
    made = StoredSilos(Staged(folder / FILE_NAME), folder)
    load_files(made, "civic", [folder / "items.tsv"], About(date="2021-02"))
    yield made
    made.close()


@pytest.fixture(scope="module")
def tool(silos: StoredSilos) -> GeneDrugTool:
    return GeneDrugTool(silos)


@pytest.mark.parametrize(
    ("question", "drugs"),
    [
        ("Which drugs do patients with Melanoma and BRAF V600E respond to, on clinical evidence?",
         ["Dabrafenib", "Trametinib", "Vemurafenib"]),
        ("B-Raf p.Val600Glu melanoma, level A only: what works?", ["Vemurafenib"]),
        ("melanoma, BRAF valine 600 to glutamic acid, including preclinical data",
         ["Dabrafenib", "Sorafenib", "Trametinib", "Vemurafenib"]),
        ("bowel cancer with BRAF V600E: which antibody does not work?", ["Cetuximab"]),
        ("NSCLC that acquired Thr790Met in EGFR - which TKI stops working?", ["Erlotinib"]),
        ("EGFR ex19del lung cancer, non-small cell: sensitive to?", ["Gefitinib"]),
        ("EGFR exon 19 deletion NSCLC drugs?", ["Gefitinib"]),
        ("EML4::ALK fusion, non-small-cell lung carcinoma: drug?", ["Crizotinib"]),
        ("gastric carcinoma, HER2 gene amplified", ["Trastuzumab"]),
        ("HER2+ breast cancer overexpressing HER2, effective drug", ["Lapatinib"]),
        ("GIST, c-KIT exon 11 mutated: response to", ["Imatinib"]),
        ("GIST without a KIT mutation, which inhibitor helps?", ["Nilotinib"]),
        ("CML, BCR-ABL1 T315I: what still works despite resistance?", ["Ponatinib"]),
        ("CML resistant to Gleevec, ABL1 T315I found: which inhibitor works?", ["Ponatinib"]),
        ("Is melanoma with BRAF Val600Glu treatable?",
         ["Dabrafenib", "Sorafenib", "Trametinib", "Vemurafenib"]),
        ("Is melanoma with BRAF Val600Glu treatable, in patients?",
         ["Dabrafenib", "Trametinib", "Vemurafenib"]),
        ("T790M NSCLC: avoid?", ["Erlotinib"]),
        ("BRAFV600E in CRC, negative predictor for?", ["Cetuximab"]),
        ("PTEN loss, colon and rectum: panitumumab, works or not?", ["Panitumumab"]),
        ("lung cancer, EML4-ALK: what works?", ["Crizotinib"]),
        ("HER2-positive breast, HER2 overexpressed: drug?", ["Lapatinib"]),
        ("Philadelphia-positive chronic myelogenous leukaemia, BCR::ABL1: inhibitor?",
         ["Dasatinib"]),
        ("AR-V7 in prostate tumours: resistant to?", ["Enzalutamide"]),
        ("Is AR-V7 positive prostate cancer resistant to enzalutamide?", ["Enzalutamide"]),
        ("colorectal carcinoma that lost PTEN: unresponsive to which antibody?", ["Panitumumab"]),
        ("KRAS codon 12 mutated colorectal tumour: antibody it resists", ["Cetuximab"]),
        ("patched-1 mutated tumours regardless of organ: inhibitor?", ["Vismodegib"]),
    ],
)  # fmt: skip
def test_the_exact_set(tool: GeneDrugTool, question: str, drugs: list[str]) -> None:
    answer = tool.answer(question)
    assert (answer.status, list(answer.drugs)) == ("found", drugs)


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("FLCN mutated kidney tumour: which drug?", "FLCN"),
        ("BRAF V600K melanoma: which drug?", "BRAF"),
        ("BRAF V600E in sarcoidosis: which drug?", "sarcoidosis"),
        ("BRAF V600E and inflammatory breast cancer: drug?", "breast cancer"),
        ("EGFR T790M glioblastoma: what does it resist?", "glioblastoma"),
        ("TP53 mutated ovarian cancer: sensitive to?", "TP53"),
        ("BRAF V600E melanoma, level C: drug?", "BRAF"),
        ("How are you today?", "no gene"),
    ],
)
def test_what_is_not_in_civic_is_said(tool: GeneDrugTool, question: str, reason: str) -> None:
    answer = tool.answer(question)
    assert (answer.status, answer.drugs, answer.evidence) == ("not in CIViC", (), ())
    assert reason in answer.reason


def test_an_item_carries_what_it_rests_on(tool: GeneDrugTool) -> None:
    answer = tool.answer("BRAF V600E melanoma: what works?")
    assert [(one.id, one.level, one.pmid) for one in answer.evidence] == [
        ("1", "A", "10001"), ("2", "B", "10002"), ("3", "D", "10003"),
    ]  # fmt: skip
    assert answer.evidence[0].statement.startswith("Patients of study 1")
    assert (answer.lower, answer.opposed, answer.date) == (0, ("18",), "2021-02")
    of_patients = tool.answer("BRAF V600E melanoma: what works in patients?")
    assert (of_patients.lower, of_patients.read_as["levels"]) == (1, "AB")


def test_a_gene_that_is_inferred_is_told(tool: GeneDrugTool) -> None:
    told = tool.answer("V600E melanoma: what works?").caveats
    assert any("V600E is read as of BRAF" in one for one in told)
    assert "has this change" not in tool.answer("Q61 melanoma: what works?").reason


def test_a_word_that_is_not_understood_is_told(tool: GeneDrugTool) -> None:
    answer = tool.answer("BRAF V600E and XYZ99 melanoma: what works?")
    assert answer.not_understood == ("XYZ99",)


def test_what_the_source_has_instead_is_told(tool: GeneDrugTool) -> None:
    near = tool.answer("BRAF V600E thyroid cancer: what works?").near
    assert "BRAF V600E, Melanoma" in near


def test_selected_evidence_goes_before_what_words_find(silos: StoredSilos) -> None:
    ranked = StoredSilos(
        silos.staged, silos.folder, rerank={"civic": evidence_first(GeneDrugTool(silos))}
    )
    hits = ranked.search("civic", "GIST without a KIT mutation, which inhibitor helps?")
    assert hits[0].document.id == "11"
    assert len({hit.document.id for hit in hits}) == len(hits)


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("p.(Gly12Asp)", {"G12D"}),
        ("V600E/K", {"V600E", "V600K"}),
        ("Q61", {"Q61"}),
        ("R213*", {"R213*"}),
        ("exon-20 insertion", {"exon 20"}),
        ("rs61764370", {"rs61764370"}),
        ("valine 299 to leucine", {"V299L"}),
        ("E746_A750del", {"E746_A750DEL"}),
        ("the value of 12 tests in 2019", set()),
    ],
)
def test_notations_of_changes(text: str, places: set[str]) -> None:
    assert change(text)[0].places == places


@needs_shared
@pytest.mark.slow
def test_every_question_made_of_the_fields_has_its_exact_set(tmp_path: Path) -> None:
    path = SHARED / "copilot"
    silos = StoredSilos(Staged(tmp_path / FILE_NAME), tmp_path)
    load_files(silos, "civic", [path / "silo_civic.jsonl.gz"])
    tool = GeneDrugTool(silos)
    for row in json.loads((path / "civic_drug_questions.json").read_text(encoding="utf-8")):
        answer = tool.answer(row["question"])
        assert sorted(int(one.id) for one in answer.evidence) == sorted(row["gold_evidence_ids"])
        assert list(answer.drugs) == sorted(row["gold_drugs"]), row["question"]


NEAR = (
    older("20", "ERBB2", "AMPLIFICATION", "Breast Cancer", "Neratinib"),
    older("21", "ERBB2", "AMPLIFICATION", "Her2-receptor Positive Breast Cancer", "Trastuzumab"),
    older("22", "KRAS", "G12D", "Colorectal Cancer", "Cetuximab", **RESISTS),
    older("23", "KIT", "T670I", "Gastrointestinal Stromal Tumor", "Imatinib",
          evidence_level="C", **RESISTS),
    older("24", "ROS1", "FUSION", "Lung Non-small Cell Carcinoma", "Entrectinib"),
    older("25", "ALK", "ALK FUSIONS", "Lung Non-small Cell Carcinoma", "Alectinib"),
    older("26", "PIK3CA", "MUTATION", "Melanoma", "Alpelisib"),
    older("27", "PTEN", "LOSS", "Glioblastoma", "Everolimus"),
    older("28", "NTRK1", "NTRK1 FUSIONS", "Cancer", "Larotrectinib"),
    older("29", "NTRK3", "NTRK3 FUSIONS", "Cancer", "Entrectinib"),
    older("30", "KRAS", "G12C", "Lung Small Cell Carcinoma", "Docetaxel"),
    older("31", "KRAS", "G12C", "Lung Non-small Cell Carcinoma", "Selumetinib"),
)  # fmt: skip


@pytest.fixture(scope="module")
def wider(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GeneDrugTool]:
    folder = tmp_path_factory.mktemp("wider")
    (folder / "items.tsv").write_text("\n".join((OLDER, *LINES, *NEAR)), encoding="utf-8")
    made = StoredSilos(Staged(folder / FILE_NAME), folder)
    load_files(made, "civic", [folder / "items.tsv"], About(date="2021-02"))
    yield GeneDrugTool(made)
    made.close()


@pytest.mark.parametrize(
    ("question", "first", "items"),
    [
        # a narrower name of the disease holds the drug that everyone means
        ("Which drugs work in HER2-amplified breast cancer?",
         "sensitivity/response of ERBB2 AMPLIFICATION in Her2-receptor Positive Breast Cancer: "
         "Trastuzumab", ["21"]),
        # a medicine of the question comes first, in whatever direction
        ("Does cetuximab work in KRAS G12D colorectal cancer?",
         "resistance to Cetuximab of KRAS G12D in Colorectal Cancer", ["22"]),
        ("Is Zelboraf active in BRAF V600E melanoma?",
         "sensitivity/response to Vemurafenib of BRAF V600E in Melanoma", ["1"]),
        # mutations by name where any mutation is asked, of a lower level
        ("Which KIT mutations confer resistance to Gleevec in GIST?",
         "resistance to Imatinib of KIT T670I", ["23"]),
        # the other gene, the other genes of a family
        ("ALK or ROS1 fusion in NSCLC: which drugs?", "ROS1 FUSION", ["24"]),
        ("NTRK fusion in any cancer: which drug?", "NTRK3 FUSIONS in Cancer: Entrectinib", ["29"]),
        ("Which drugs work in KRAS G12D colorectal cancer?",
         "resistance of KRAS G12D in Colorectal Cancer: Cetuximab", ["22"]),
    ],
)  # fmt: skip
def test_what_a_reader_must_see_beside_the_exact_set(
    wider: GeneDrugTool, question: str, first: str, items: list[str]
) -> None:
    beside = wider.answer(question).beside
    assert first in beside[0].text
    assert [one.id for one in beside[0].items] == items


@pytest.mark.parametrize(
    ("question", "caveat"),
    [
        ("Is sotorasib effective in KRAS G12C NSCLC?", "no item on Sotorasib"),
        ("Is Tagrisso effective in KRAS G12C NSCLC?", "no item on Osimertinib"),
        ("BRAF V600E and PTEN loss in melanoma: drugs?", "PTEN is named too"),
        ("PTEN deletion in glioblastoma: drugs?", "another kind of change, LOSS"),
        ("BRAF V600E and XYZ99 melanoma: what works?", "XYZ99"),
        ("BRAF V600E melanoma after vemurafenib: what works?", "Vemurafenib was given before"),
        ("Does cetuximab work in KRAS G12D colorectal cancer?", "no evidence of sensitivity"),
    ],
)
def test_what_is_not_an_answer_to_what_was_asked_is_said_first(
    wider: GeneDrugTool, question: str, caveat: str
) -> None:
    assert any(caveat in one for one in wider.answer(question).caveats)


@pytest.mark.parametrize(
    "question",
    [
        "BRAF V600E melanoma: what works?",
        "ROS1 rearrangement in NSCLC: which drug?",
        "PTEN loss in glioblastoma: which drug?",
    ],
)
def test_a_plain_answer_has_no_caveat(wider: GeneDrugTool, question: str) -> None:
    answer = wider.answer(question)
    assert (answer.status, answer.caveats) == ("found", ())


BROADER = (
    older("40", "PIK3CA", "H1047R", "Breast Cancer", "MEN1611", evidence_level="D"),
    older("41", "PIK3CA", "MUTATION", "Breast Cancer", "Alpelisib,Fulvestrant",
          evidence_level="A", drug_interaction_type="Combination"),
    older("42", "PIK3CA", "E545K", "Breast Cancer", "Buparlisib"),
    older("43", "NRAS", "Q61", "Skin Melanoma", "Binimetinib"),
    older("44", "PIK3CA", "RARE MUTATION", "Breast Cancer", "Dactolisib"),
    older("45", "NRAS", "Q61R", "Skin Melanoma", "Temozolomide", evidence_level="C"),
    older("46", "EGFR", "T790M", "Lung Adenocarcinoma", "Osimertinib"),
    older("47", "EGFR", "T790M", "Lung Adenocarcinoma", "Rociletinib"),
    older("48", "EGFR", "T790M", "Lung Adenocarcinoma", "Osimertinib", evidence_level="C",
          **RESISTS),
    older("49", "STK11", "LOSS", "Lung Adenocarcinoma", "Nivolumab", **RESISTS),
    older("50", "KRAS", "G12C", "Lung Adenocarcinoma", "Nivolumab", **RESISTS),
    older("51", "NTRK1", "NTRK1 FUSIONS", "Cancer", "Larotrectinib"),
    older("52", "ERG", "TMPRSS2-ERG", "Prostate Cancer", "", evidence_type="Diagnostic"),
    older("53", "BRAF", "V600E", "Cholangiocarcinoma", "Dabrafenib,Trametinib",
          drug_interaction_type="Sequential"),
    older("57", "FLT3", "ITD", "Acute Myeloid Leukemia", "Sorafenib"),
    older("58", "FLT3", "MUTATION", "Acute Myeloid Leukemia", "Nivolumab"),
    older("59", "FLT3", "ITD", "Acute Myeloid Leukemia", "Nivolumab", evidence_level="C"),
    older("60", "FLT3", "ITD", "Acute Myeloid Leukemia", "Nivolumab", evidence_level="D",
          **RESISTS),
    older("55", "EGFR", "MUTATION", "Lung Adenocarcinoma", "Erlotinib"),
    older("56", "EGFR", "T790M", "Lung Adenocarcinoma", "Erlotinib", **RESISTS),
    older("54", "EGFR", "AMPLIFICATION", "Lung Adenocarcinoma", "Erlotinib", **RESISTS),
)  # fmt: skip


@pytest.fixture(scope="module")
def rolled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GeneDrugTool]:
    folder = tmp_path_factory.mktemp("rolled")
    (folder / "items.tsv").write_text("\n".join((OLDER, *BROADER)), encoding="utf-8")
    made = StoredSilos(Staged(folder / FILE_NAME), folder)
    load_files(made, "civic", [folder / "items.tsv"], About(date="2021-02"))
    yield GeneDrugTool(made)
    made.close()


def test_a_specific_change_is_rolled_up_to_broader_rows_apart(rolled: GeneDrugTool) -> None:
    found = rolled.answer("PIK3CA H1047R breast cancer: which drugs work?")
    assert found.drugs == ("MEN1611",)
    (only,) = found.beside
    assert "PIK3CA MUTATION in Breast Cancer: Alpelisib + Fulvestrant (level A" in only.text
    assert only.text.endswith("Recorded for this broader change, not for H1047R alone.")
    assert [one.id for one in only.items] == ["41"]  # not E545K, not rare ones
    assert "recorded for a broader change" in found.caveats[0]


def test_a_medicine_of_the_question_is_looked_for_in_broader_rows(rolled: GeneDrugTool) -> None:
    (first, *_) = rolled.answer("Does alpelisib work in PIK3CA H1047R breast cancer?").beside
    assert (first.leads, [one.id for one in first.items]) == (True, ["41"])
    asked = "Does buparlisib work in PIK3CA H1047R breast cancer?"
    (other, *_) = rolled.answer(asked).beside
    assert "E545K" in other.text
    assert other.text.endswith("another change than the one asked for.")


def test_a_broader_change_does_not_hide_that_the_specific_one_resists(
    rolled: GeneDrugTool,
) -> None:
    found = rolled.answer("Which drugs work in EGFR T790M lung adenocarcinoma?")
    against, broader = found.beside
    assert "resistance of EGFR T790M in Lung Adenocarcinoma: Erlotinib" in against.text
    assert (
        "EGFR MUTATION in Lung Adenocarcinoma: Erlotinib (level B; but the opposite" in broader.text
    )


def test_what_is_weaker_than_the_same_direction_is_no_opposite(rolled: GeneDrugTool) -> None:
    beside = rolled.answer("Does nivolumab work in FLT3-ITD AML?").beside
    about = next(one for one in beside if "FLT3 MUTATION" in one.text)
    assert "FLT3 MUTATION in Acute Myeloid Leukemia: Nivolumab (level B" in about.text
    assert about.text.endswith("not for ITD alone.")


def test_options_after_resistance_are_what_works(rolled: GeneDrugTool) -> None:
    found = rolled.answer("EGFR T790M lung adenocarcinoma resistant to osimertinib, options?")
    assert {one.significance for one in found.evidence} == {"Sensitivity/Response"}


def test_a_codon_holds_its_changes_and_not_the_reverse(rolled: GeneDrugTool) -> None:
    told = [one.text for one in rolled.answer("NRAS Q61R skin melanoma: which drugs work?").beside]
    assert any("NRAS Q61 in Skin Melanoma: Binimetinib" in one for one in told)
    wide = rolled.answer("NRAS Q61 skin melanoma: which drugs work?")
    assert (wide.drugs, wide.beside) == (("Binimetinib",), ())


@pytest.mark.parametrize(
    "question",
    [
        "EGFR T790M lung adenocarcinoma progressed on osimertinib: what works?",
        "EGFR T790M lung adenocarcinoma, not Tagrisso: what else works?",
        "osimertinib-resistant EGFR T790M lung adenocarcinoma: what works?",
        "EGFR T790M lung adenocarcinoma on osimertinib. What works next?",
    ],
)
def test_what_was_had_already_comes_last_and_marked(rolled: GeneDrugTool, question: str) -> None:
    found = rolled.answer(question)
    assert found.had == ("Osimertinib",)
    (stated, *_, last) = [one for one in _observed(rolled, question).stated if "T790M" in one.text]
    assert "for: Rociletinib; Osimertinib (already had" in stated.text
    assert "to Osimertinib" in last.text
    assert "to Osimertinib" not in stated.text


@pytest.mark.parametrize(
    "question",
    [
        "Does osimertinib work in EGFR T790M lung adenocarcinoma?",
        "EGFR T790M lung adenocarcinoma failed erlotinib, does osimertinib work?",
        "Should EGFR T790M lung adenocarcinoma be treated with osimertinib?",
    ],
)
def test_a_medicine_that_is_asked_about_was_not_had(rolled: GeneDrugTool, question: str) -> None:
    assert "Osimertinib" not in rolled.answer(question).had


def test_each_gene_of_a_question_has_its_own_change(rolled: GeneDrugTool) -> None:
    found = rolled.answer("KRAS G12C and STK11 loss in lung adenocarcinoma: resistant to what?")
    assert (found.read_as["gene"], found.drugs) == ("KRAS", ("Nivolumab",))
    assert any("STK11 LOSS in Lung Adenocarcinoma: Nivolumab" in one.text for one in found.beside)


def test_a_target_in_a_class_of_medicines_is_no_gene_asked_for(rolled: GeneDrugTool) -> None:
    found = rolled.answer("KRAS G12C lung adenocarcinoma and EGFR TKIs: resistant to what?")
    assert (found.read_as["gene"], found.not_understood) == ("KRAS", ())


def test_tumours_of_any_organ_are_reached_from_one(rolled: GeneDrugTool) -> None:
    found = rolled.answer("NTRK1 fusion in salivary gland cancer: which drug?")
    (only,) = found.beside
    assert "in Cancer: Larotrectinib" in only.text
    assert "tumours of any organ" in only.text


def test_what_is_on_no_medicine_is_said_to_be(rolled: GeneDrugTool) -> None:
    (only,) = rolled.answer("TMPRSS2-ERG prostate cancer: which drugs?").beside
    assert "diagnostic evidence" in only.text
    assert only.items[0].id == "52"


def test_medicines_read_as_they_were_given(rolled: GeneDrugTool) -> None:
    stated = _observed(rolled, "BRAF V600E biliary tract cancer: what works?").stated
    assert "Dabrafenib and Trametinib, one after the other" in stated[0].text


def test_a_combination_is_one_in_the_facts_of_its_passage(rolled: GeneDrugTool) -> None:
    seen = _observed(rolled, "PIK3CA mutation in breast cancer: what works?")
    (fact,) = {one.facts["drugs"] for one in seen.passages if one.document == "41"}
    assert fact == "Alpelisib + Fulvestrant"


def test_names_alone_ask_for_both_directions(rolled: GeneDrugTool) -> None:
    found = rolled.answer("EGFR T790M, lung adenocarcinoma")
    assert {one.significance for one in found.evidence} == {"Resistance", "Sensitivity/Response"}


def _observed(tool: GeneDrugTool, question: str) -> Observation:
    """What the tool brings of a question."""
    return observation(tool.answer(question), "civic", 30, lambda id: None)


def test_small_cell_is_not_beside_non_small_cell(wider: GeneDrugTool) -> None:
    assert wider.answer("KRAS G12C non-small cell lung cancer: drug?").beside == ()


def test_evidence_of_a_lower_level_is_told_where_there_is_no_other(tool: GeneDrugTool) -> None:
    reason = tool.answer("BRAF V600E melanoma, level C or D: sorafenib?").reason
    assert reason == ""
    only_d = "Which drugs does BRAF V600E melanoma respond to, level C?"
    assert "1" not in tool.answer(only_d).drugs
    assert "items of level A, B, D" in tool.answer(only_d).reason


REDUCED = {"clinical_significance": "Reduced Sensitivity"}
NOT = {"evidence_direction": "Does Not Support"}
GIST = "Gastrointestinal Stromal Tumor"
DIRECTIONS = (
    older("70", "BRAF", "V600E", "Colorectal Cancer", "Encorafenib"),
    older("89", "BRAF", "V600", "Colorectal Cancer", "Trametinib"),
    older("88", "BRAF", "V600E", "Colorectal Cancer", "Dabrafenib"),
    older("71", "KRAS", "G12D", "Colorectal Cancer", "Selumetinib", evidence_level="D"),
    older("72", "KRAS", "G12D", "Colorectal Cancer", "Cetuximab", **RESISTS),
    older("73", "KRAS", "G12D", "Colorectal Cancer", "Regorafenib", **NOT),
    older("74", "ALK", "ALK FUSION G1202R", "Lung Non-small Cell Carcinoma", "Tanespimycin",
          evidence_level="D"),
    older("75", "ALK", "ALK FUSION G1202R", "Cancer", "Alectinib", evidence_level="D", **RESISTS),
    older("76", "PDGFRA", "D842V", GIST, "Crenolanib", evidence_level="D"),
    older("77", "PDGFRA", "D842V", GIST, "Imatinib", **RESISTS),
    older("78", "FGFR3", "FGFR3-TACC3", "Transitional Cell Carcinoma", "Infigratinib"),
    older("79", "FGFR3", "S249C", "Bladder Carcinoma", "Erdafitinib"),
    older("80", "KIT", "EXON 9 MUTATION", GIST, "Regorafenib"),
    older("81", "KIT", "EXON 9 MUTATION", GIST, "Regorafenib", **REDUCED),
    older("82", "KIT", "EXON 9 MUTATION", GIST, "Sunitinib", evidence_level="A"),
    older("83", "NRAS", "Q61", "Melanoma", "Binimetinib"),
    older("84", "NRAS", "MUTATION", "Melanoma", "Trametinib", **NOT),
    older("85", "NRAS", "MUTATION", "Melanoma", "Docetaxel", **NOT, **RESISTS),
    older("86", "BRAF", "V600E", "Colorectal Cancer", "Panitumumab", evidence_level="C",
          **RESISTS),
    older("87", "BRAF", "V600E", "Colorectal Cancer", "Cetuximab", **RESISTS),
)  # fmt: skip
BOTH_GENES = "Which drugs for KRAS G12D and BRAF V600E in colorectal cancer?"


@pytest.fixture(scope="module")
def directions(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GeneDrugTool]:
    folder = tmp_path_factory.mktemp("directions")
    (folder / "items.tsv").write_text("\n".join((OLDER, *DIRECTIONS)), encoding="utf-8")
    made = StoredSilos(Staged(folder / FILE_NAME), folder)
    load_files(made, "civic", [folder / "items.tsv"], About(date="2021-02"))
    yield GeneDrugTool(made)
    made.close()


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        # the second gene of a question, in every direction, laboratory work labelled
        (BOTH_GENES, "laboratory work or inference, nothing from patients, of sensitivity/response "
                     "of KRAS G12D in Colorectal Cancer: Selumetinib (level D)"),
        (BOTH_GENES, "evidence of resistance of KRAS G12D in Colorectal Cancer: Cetuximab"),
        (BOTH_GENES, "do not support sensitivity/response of KRAS G12D in Colorectal Cancer: "
                     "Regorafenib"),
        # of the first, each medicine with its own level
        (BOTH_GENES, "resistance of BRAF V600E in Colorectal Cancer: Cetuximab (level B); "
                     "Panitumumab (level C)"),
        # the change itself in tumours of any organ
        ("ALK G1202R NSCLC: which inhibitor is still active?",
         "resistance of ALK ALK FUSION G1202R in Cancer: Alectinib"),
        # beside a medicine that works, whatever the question names
        ("KIT exon 9 mutation GIST: which drugs?",
         f"reduced sensitivity of KIT EXON 9 MUTATION in {GIST}: Regorafenib (level B)"),
        ("KIT exon 9 mutation GIST: which drugs?", "Sunitinib (level A); Regorafenib (level B)."),
        # among broader rows
        ("NRAS Q61 melanoma: which drugs?",
         "do not support sensitivity/response of NRAS MUTATION in Melanoma: Trametinib"),
    ],
)  # fmt: skip
def test_every_direction_is_told(directions: GeneDrugTool, question: str, sentence: str) -> None:
    told = [one.text for one in _observed(directions, question).stated]
    assert sum(sentence in one for one in told) == 1, told


def test_the_change_of_each_gene_goes_before_what_is_broader(directions: GeneDrugTool) -> None:
    asked = "Which drugs for BRAF V600E and KRAS G12D in colorectal cancer?"
    told = [one.text for one in directions.answer(asked).beside]
    (broader,) = [number for number, one in enumerate(told) if "BRAF V600 in" in one]
    assert all("KRAS G12D" not in one for one in told[broader:])
    assert any("KRAS G12D" in one for one in told[:broader])


def test_several_changes_that_no_item_holds_together_are_said_to_be(
    directions: GeneDrugTool,
) -> None:
    assert any("together" in one for one in directions.answer(BOTH_GENES).caveats)
    one_gene = directions.answer("Which drugs for KRAS G12D in colorectal cancer?").caveats
    assert not any("together" in one for one in one_gene)


def test_how_strong_the_evidence_is_counts_every_direction(directions: GeneDrugTool) -> None:
    assert directions.answer("PDGFRA D842V GIST: which drugs work?").caveats == ()
    (weak, *_) = directions.answer("ALK G1202R NSCLC: which inhibitor works?").caveats
    assert "levels A, B" in weak


def test_a_narrower_name_of_the_disease_is_reached(directions: GeneDrugTool) -> None:
    found = directions.answer("FGFR3-TACC3 fusion bladder cancer: which drugs?")
    assert (found.status, found.drugs) == ("found", ("Infigratinib",))
    assert "what follows is on Transitional Cell Carcinoma" in found.caveats[0]


def test_that_a_broader_change_does_not_resist_is_not_told(directions: GeneDrugTool) -> None:
    beside = directions.answer("NRAS Q61 melanoma: which drugs?").beside
    assert not any("Docetaxel" in one.text for one in beside)


def test_another_partner_is_another_fusion() -> None:
    known = changes(["FGFR3-TACC3", "FGFR3-BAIAP2L1", "FUSION", "S249C"])

    def groups(question: str) -> list[list[str]]:
        return matching(change(question)[0], known)

    assert groups("FGFR3-TACC3 fusion") == [["FGFR3-TACC3", "FUSION"]]
    assert groups("FGFR3 fusion") == [["FUSION"], ["FGFR3-TACC3", "FGFR3-BAIAP2L1"]]
    assert ["FGFR3-TACC3", "FGFR3-BAIAP2L1"] in groups("FGFR2/FGFR3 fusion")  # alternatives


@pytest.mark.parametrize("said", ["Ph+", "Philadelphia-positive", "Philadelphia chromosome +"])
def test_philadelphia_is_the_fusion_of_bcr_and_abl(tool: GeneDrugTool, said: str) -> None:
    asked = tool.reader.read(f"Which drugs work in {said} leukemia?")
    assert asked.change.partners == {"BCR", "ABL"}
    assert asked.change.one_fusion


def test_resistance_tells_of_other_genes_and_of_what_failed(tool: GeneDrugTool) -> None:
    asked = "Cetuximab failed in BRAF V600E colorectal cancer, what resistance is known?"
    found = tool.answer(asked)
    assert found.had == ("Cetuximab",)
    (other,) = [one for one in found.caveats if "other genes" in one]
    assert "resistance to Cetuximab" in other
    assert "(KRAS)" in other  # not BRAF, which was asked for, nor PTEN of another medicine
    open_question = tool.answer(
        "What brings resistance to cetuximab, BRAF V600E colorectal cancer?"
    )
    assert open_question.had == ()


def test_what_is_told_of_a_medicine_by_name_is_not_told_again(rolled: GeneDrugTool) -> None:
    beside = rolled.answer("Does erlotinib work in EGFR T790M lung adenocarcinoma?").beside
    assert sum("56" in [item.id for item in one.items] for one in beside) == 1
