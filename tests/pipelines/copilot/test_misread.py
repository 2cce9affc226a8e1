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
