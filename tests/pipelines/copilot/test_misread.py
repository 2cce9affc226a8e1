"""What an oncologist found misleading in answers, by its cause, with other examples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import pytest

from clinfo.pipelines.copilot.gene_drugs import GeneDrugTool
from clinfo.pipelines.copilot.kinds.gene_drugs import observation
from clinfo.retrieval.silos.loading import load_files
from clinfo.retrieval.silos.staged import FILE_NAME, About, Staged
from clinfo.retrieval.silos.store import StoredSilos
from tests.retrieval.silos.rows import OLDER, older

RESISTS = {"clinical_significance": "Resistance"}
NOT = {"evidence_direction": "Does Not Support"}
NSCLC = "Lung Non-small Cell Carcinoma"
CRC = "Colorectal Cancer"
OPPOSITE = "but the opposite"
Ask = Callable[..., GeneDrugTool]


@pytest.fixture
def holding(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    """A tool over given items, opened anew for each call."""
    opened: list[StoredSilos] = []

    def made(*lines: str) -> GeneDrugTool:
        folder = tmp_path_factory.mktemp("items")
        (folder / "items.tsv").write_text("\n".join((OLDER, *lines)), encoding="utf-8")
        silos = StoredSilos(Staged(folder / FILE_NAME), folder)
        opened.append(silos)
        load_files(silos, "civic", [folder / "items.tsv"], About(date="2021-02"))
        return GeneDrugTool(silos)

    yield made
    for one in opened:
        one.close()


def told(tool: GeneDrugTool, question: str) -> list[str]:
    """The sentences that the tool brings."""
    return [one.text for one in observation(tool.answer(question), "civic", 30, _none).stated]


def _none(id: str) -> None:
    return None


def the(sentences: Iterable[str], part: str) -> str:
    """The one sentence that has a part."""
    (only,) = [one for one in sentences if part in one]
    return only


BROAD = (
    older("1", "BRAF", "V600E", CRC, "Cetuximab", evidence_level="D", **RESISTS),
    older("2", "BRAF", "MUTATION", CRC, "Cetuximab", evidence_level="C", **NOT),
    older("3", "BRAF", "MUTATION", CRC, "Panitumumab", evidence_level="C", **NOT),
    older("4", "BRAF", "V600E", CRC, "Panitumumab", evidence_level="D"),
    older("5", "BRAF", "V600", CRC, "Cetuximab", evidence_level="C", **NOT, **RESISTS),
)  # fmt: skip


def test_no_response_agrees_with_resistance(holding: Ask) -> None:
    tool = holding(*BROAD)
    said = told(tool, "BRAF V600E colorectal cancer: cetuximab?")
    assert OPPOSITE not in the(said, "do not support sensitivity/response to Cetuximab")
    assert OPPOSITE in the(said, "do not support resistance to Cetuximab of BRAF V600 in")
    other = told(tool, "BRAF V600E colorectal cancer: panitumumab?")
    assert OPPOSITE in the(other, "do not support sensitivity/response to Panitumumab")


def test_a_level_is_of_one_variant(holding: Ask) -> None:
    tool = holding(
        older("1", "KIT", "V559D", "Melanoma", "Imatinib", evidence_level="D"),
        older("2", "KIT", "L576P", "Melanoma", "Imatinib"),
        older("3", "KIT", "K642E", "Melanoma", "Nilotinib"),
        older("4", "KIT", "MUTATION", "Melanoma", "Dasatinib"),
    )
    said = the(told(tool, "KIT mutated melanoma: imatinib?"), "to Imatinib of KIT")
    assert "Imatinib (L576P: level B; V559D: level D); items: 2." in said
    many = holding(
        *(older(str(n), "KIT", f"V{n}D", "Melanoma", "Imatinib", evidence_level="BD"[n % 2])
          for n in range(551, 557)),
    )  # fmt: skip
    asked = "KIT V551D, V552D, V553D, V554D, V555D, V556D melanoma: which drugs work?"
    (strong, weak) = told(many, asked)
    assert "of KIT V552D or V554D or V556D in Melanoma for: Imatinib (level B)." in strong
    assert "of KIT V551D or V553D or V555D in Melanoma for: Imatinib (level D)." in weak


@pytest.mark.parametrize("whose", ["my patient", "a patient with melanoma", "the patient's tumour"])
def test_one_patient_asks_for_no_level(holding: Ask, whose: str) -> None:
    tool = holding(older("1", "BRAF", "V600E", "Melanoma", "Vemurafenib", evidence_level="D"))
    assert tool.answer(f"BRAF V600E melanoma in {whose}: what works?").drugs == ("Vemurafenib",)
    assert not tool.answer("BRAF V600E melanoma: what works in patients?").drugs


FINDINGS = (
    older("1", "BRAF", "V600E", "Melanoma", "Vemurafenib"),
    older("2", "NRAS", "Q61", "Melanoma", "Binimetinib"),
    older("3", "KIT", "L576P", "Melanoma", "Imatinib"),
    older("4", "KIT", "WILDTYPE", "Melanoma", "Nilotinib"),
    older("5", "PTEN", "LOSS", "Melanoma", "Everolimus"),
    older("6", "RET", "RET FUSIONS", NSCLC, "Selpercatinib"),
    older("7", "ALK", "ALK FUSIONS", NSCLC, "Alectinib"),
    older("8", "ROS1", "FUSION", NSCLC, "Crizotinib"),
    older("9", "EGFR", "C797S", NSCLC, "Osimertinib", **RESISTS),
    older("10", "EGFR", "T790M", NSCLC, "Osimertinib"),
    older("11", "NRAS", "WILDTYPE", "Melanoma", "Dabrafenib"),
)


@pytest.mark.parametrize(
    ("question", "drugs", "aside"),
    [
        ("BRAF and NRAS wild-type, KIT L576P melanoma: which drug?", ["Imatinib"],
         "BRAF and NRAS wild-type"),
        ("KIT L576P, BRAF wild-type melanoma: which drug?", ["Imatinib"], "BRAF wild-type"),
        ("Melanoma, wild-type NRAS, BRAF V600E: which drug?", ["Vemurafenib"], "wild-type NRAS"),
        ("Melanoma, BRAF V600E negative. NRAS Q61. Which drug?", ["Binimetinib"],
         "BRAF V600E negative"),
        ("NSCLC, EGFR/ALK/ROS1 negative, RET fusion: drug?", ["Selpercatinib"],
         "EGFR/ALK/ROS1 negative"),
        ("NSCLC with no ALK fusion or ROS1 rearrangement, RET fused: drug?", ["Selpercatinib"],
         "no ALK fusion or ROS1 rearrangement"),
        ("NSCLC negative for ALK and ROS1, RET fusion: drug?", ["Selpercatinib"],
         "negative for ALK and ROS1"),
        ("NSCLC negative for T790M, RET fusion: drug?", ["Selpercatinib"], "negative for T790M"),
        ("NSCLC, EGFR T790M not detected, C797S found: resistant to?", ["Osimertinib"],
         "EGFR T790M not detected"),
        ("NSCLC, ALK-negative, ROS1 rearranged: drug?", ["Crizotinib"], "ALK-negative"),
        ("Melanoma, V600E-negative, NRAS Q61: drug?", ["Binimetinib"], "V600E-negative"),
    ],
)  # fmt: skip
def test_what_is_not_there_is_set_aside(
    holding: Ask, question: str, drugs: list[str], aside: str
) -> None:
    found = holding(*FINDINGS).answer(question)
    assert (found.status, list(found.drugs)) == ("found", drugs)
    assert any(f"not there: {aside}." in one for one in found.caveats)


def test_a_wild_type_alone_is_asked_about(holding: Ask) -> None:
    tool = holding(*FINDINGS)
    found = tool.answer("KIT wild-type melanoma: which drug?")
    assert (found.drugs, found.caveats) == (("Nilotinib",), ())
    assert tool.answer("RAS wild-type melanoma: which drug?").drugs == ("Dabrafenib",)
    other = told(tool, "KIT wild-type melanoma: imatinib?")
    assert the(other, "to Imatinib of KIT L576P").endswith("the question is on its wild type.")


@pytest.mark.parametrize(
    ("question", "aside"),
    [
        ("EGFR T790M negative NSCLC: which drug?", "EGFR T790M negative"),
        ("ALK-negative NSCLC with a DUSP22 rearrangement: which drug?", "ALK-negative"),
    ],
)
def test_a_finding_that_is_not_there_answers_nothing(
    holding: Ask, question: str, aside: str
) -> None:
    found = holding(*FINDINGS).answer(question)
    assert (found.status, found.drugs, found.beside) == ("not in CIViC", (), ())
    assert any(aside in one for one in found.caveats)


def test_a_protein_that_is_not_there_is_lost(holding: Ask) -> None:
    found = holding(*FINDINGS).answer("PTEN negative, BRAF V600E melanoma: which drugs?")
    assert not any("not there" in one for one in found.caveats)
    assert found.drugs == ("Everolimus",)
    assert any("BRAF V600E" in one.text for one in found.beside)


HARM = {"clinical_significance": "Adverse Response"}


def test_harm_is_never_answered_by_a_response(holding: Ask) -> None:
    tool = holding(
        older("1", "TPMT", "TPMT*3A HOMOZYGOSITY", "Leukemia", "Mercaptopurine",
              evidence_level="A", **HARM),
        older("2", "TPMT", "EXON 5 DELETION", "Leukemia", "Mercaptopurine"),
        older("3", "G6PD", "MUTATION", "Leukemia", "Rasburicase"),
    )  # fmt: skip
    found = tool.answer("Is mercaptopurine safe in a carrier of a TPMT variant?")
    assert [one.id for one in found.evidence] == ["1"]
    assert found.read_as["significance"] == "Adverse Response"
    assert any("by the name asked for" in one for one in found.caveats)
    assert not any("2" in [item.id for item in one.items] for one in found.beside)
    other = tool.answer("G6PD mutation: is rasburicase toxic?")
    assert (other.status, other.beside) == ("not in CIViC", ())
    both = tool.answer("TPMT*3A homozygote with leukemia: toxic or effective, mercaptopurine?")
    assert [one.id for one in both.evidence] == ["1"]


def test_insertions_of_an_exon_are_gathered(holding: Ask) -> None:
    tool = holding(
        older("1", "EGFR", "D770_N771INSSVD", NSCLC, "Poziotinib"),
        older("2", "EGFR", "H773DUP", NSCLC, "Afatinib", **NOT),
        older("3", "EGFR", "N771DELINSGY", NSCLC, "Mobocertinib"),
        older("4", "EGFR", "T790M", NSCLC, "Osimertinib"),
        older("5", "EGFR", "L747_A750DELINSP", NSCLC, "Gefitinib"),
    )
    found = tool.answer("EGFR exon 20 insertion in NSCLC: which drugs work?")
    assert found.drugs == ("Mobocertinib", "Poziotinib")
    assert any("Afatinib" in one.text for one in found.beside)
    assert "by the name asked for" in found.caveats[0]


TWO_SIDES = (
    older("1", "ALK", "ALK FUSIONS", NSCLC, "Ceritinib"),
    older("2", "ALK", "ALK FUSIONS", NSCLC, "Crizotinib", evidence_level="A"),
    older("3", "ALK", "ALK FUSIONS", NSCLC, "Pemetrexed", **RESISTS),
    older("4", "AR", "T878A", "Prostate Cancer", "Bicalutamide"),
    older("5", "AR", "T878A", "Prostate Cancer", "Hormone Therapy", evidence_level="D", **RESISTS),
    older("6", "ALK", "ALK FUSIONS", NSCLC, "Docetaxel", **NOT),
    older(
        "7", "ALK", "ALK FUSIONS", NSCLC, "Brigatinib", clinical_significance="Reduced Sensitivity"
    ),
)


@pytest.mark.parametrize(
    "question",
    [
        "ALK fusion NSCLC: what works and what is it resistant to?",
        "ALK fusion NSCLC: which agents are active, and to which does resistance arise?",
        "To which drugs does ALK-fused NSCLC respond, and which fail?",
        "ALK-fused NSCLC: which drugs fail and which help?",
    ],
)
def test_both_directions_where_both_are_asked_for(holding: Ask, question: str) -> None:
    found = holding(*TWO_SIDES).answer(question)
    assert found.drugs == ("Ceritinib", "Crizotinib", "Pemetrexed")


@pytest.mark.parametrize(
    ("question", "drugs"),
    [
        ("ALK fusion NSCLC: what does it fail to respond to?", ("Pemetrexed",)),
        ("ALK fusion NSCLC: to what is reduced sensitivity recorded?", ("Brigatinib",)),
        ("ALK fusion NSCLC: which drugs does the evidence not support, data against a response?",
         ("Docetaxel",)),
        ("ALK fusion NSCLC: in which drug did trials find no response?", ("Docetaxel",)),
    ],
)  # fmt: skip
def test_a_direction_asked_for_by_name(holding: Ask, question: str, drugs: tuple[str, ...]) -> None:
    tool = holding(*TWO_SIDES)
    assert tool.answer(question).drugs == drugs


def test_sensitive_or_resistant_tells_of_nothing_given(holding: Ask) -> None:
    tool = holding(*TWO_SIDES)
    assert (
        tool.answer("AR T878A prostate cancer, sensitive or resistant to bicalutamide?").had == ()
    )
    still = "Is an AR T878A prostate cancer still sensitive to bicalutamide?"
    assert any("Hormone Therapy" in one for one in told(tool, still))


def test_both_changes_of_one_gene_are_read(holding: Ask) -> None:
    tool = holding(
        older("1", "BTK", "C481S", "Chronic Lymphocytic Leukemia", "Ibrutinib", **RESISTS),
        older("2", "BTK", "L528W", "Chronic Lymphocytic Leukemia", "Zanubrutinib", **RESISTS),
        older("3", "TP53", "MUTATION", "Chronic Lymphocytic Leukemia", "Fludarabine", **RESISTS),
    )
    case = (
        "CLL. BTK C481S at first relapse. Ibrutinib for a year, then progression. "
        "Rebiopsy: BTK L528W. To what is it resistant?"
    )
    found = tool.answer(case)
    assert (found.drugs, found.had) == (("Ibrutinib", "Zanubrutinib"), ("Ibrutinib",))
    assert any("BTK C481S and L528W together" in one for one in found.caveats)
    three = tool.answer(f"{case} TP53 mutation, too.")
    assert {"Ibrutinib", "Zanubrutinib"} <= {*three.drugs}


def test_what_is_against_resistance_of_the_codon_is_told(holding: Ask) -> None:
    tool = holding(
        older("1", "KRAS", "G13D", CRC, "Cetuximab", **RESISTS),
        older("2", "KRAS", "G13", CRC, "Cetuximab", **NOT, **RESISTS),
    )
    said = told(tool, "KRAS G13D colorectal cancer: which drugs should not be given?")
    assert any("do not support resistance of KRAS G13 in" in one for one in said)


def test_other_names_of_genes_are_those_of_hgnc(holding: Ask) -> None:
    tool = holding(older("1", "NT5E", "EXPRESSION", "Breast Cancer", "Oleclumab"))
    assert tool.answer("CD73 expression in breast cancer: which drug?").drugs == ("Oleclumab",)


def test_the_genes_of_a_medicine_where_none_is_named(holding: Ask) -> None:
    tool = holding(
        older("1", "EGFR", "T790M", NSCLC, "Gefitinib", evidence_level="A", **RESISTS),
        older("2", "KRAS", "MUTATION", NSCLC, "Gefitinib", **RESISTS),
        older("3", "MET", "AMPLIFICATION", NSCLC, "Gefitinib", evidence_level="D", **RESISTS),
        older("4", "EGFR", "L858R", NSCLC, "Gefitinib"),
        older("5", "BRAF", "V600E", NSCLC, "Dabrafenib"),
    )
    found = tool.answer("Whose genotype makes lung tumours ineligible for gefitinib?")
    assert found.status == "not in CIViC"
    assert [[item.id for item in one.items] for one in found.beside] == [["1"], ["2"]]
    assert "No gene is named" in found.caveats[0]
    assert "resistance to Gefitinib" in found.caveats[0]
    response = tool.answer("Which mutations respond to Iressa?").beside
    assert [[item.id for item in one.items] for one in response] == [["4"]]
    assert tool.answer("How is gefitinib stored?").beside == ()
    assert tool.answer("Which ZZYX3 variants respond to gefitinib?").beside == ()


def test_an_insertion_that_is_a_duplication(holding: Ask) -> None:
    tool = holding(
        older("1", "EGFR", "A767_V769DUP", NSCLC, "Poziotinib"),
        older("2", "EGFR", "S768_D770DUP", NSCLC, "Afatinib"),
    )
    assert tool.answer("EGFR V769_D770insASV NSCLC: which drug?").drugs == ("Poziotinib",)
