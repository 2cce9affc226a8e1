"""The evidence items of CIViC as the structured tool selects them, and its answer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from clinfo.lazy_dataclass import dataclass
from clinfo.pipelines.copilot.asked import Asked
from clinfo.pipelines.copilot.beside import Beside

if TYPE_CHECKING:
    from clinfo.retrieval.silos import SiloDocument

Status = Literal["found", "not in CIViC"]
PREDICTIVE, SUPPORTS = "Predictive", "Supports"


@dataclass(frozen=True)
class Evidence:
    """An evidence item that was selected."""

    id: str
    level: str
    drugs: tuple[str, ...]
    interaction: str
    significance: str
    statement: str
    pmid: str
    citation: str
    date: str
    document: SiloDocument


@dataclass(frozen=True)
class GeneDrugs:
    """The answer: ``drugs`` sorted by name, ``evidence`` by level and id; empty where the status is
    "not in CIViC", for the ``reason``.

    ``beside`` is what else the fields say that a reader must see: of the medicines named, of
    kindred diseases, of broader changes, of the other genes, in the other direction. ``caveats`` go
    before everything. ``had`` are the medicines that were given before, by the question.

    ``read_as`` says how the question was read, ``lower`` how many items of lower levels there are,
    ``near`` what the source has instead, ``opposed`` items that do not support the same. ``date``
    is the state of the source.
    """

    status: Status
    drugs: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    reason: str
    read_as: Mapping[str, str]
    lower: int
    near: tuple[str, ...]
    opposed: tuple[str, ...]
    not_understood: tuple[str, ...]
    date: str
    beside: tuple[Beside, ...] = ()
    caveats: tuple[str, ...] = ()
    had: tuple[str, ...] = ()


def answers(one: SiloDocument, asked: Asked) -> bool:
    """Whether an item says of drugs what is asked, whatever its level."""
    fields = one.fields
    return (
        fields.get("type") == PREDICTIVE
        and (fields.get("direction") == SUPPORTS) == asked.supports
        and fields.get("significance") in asked.directions
        and bool(fields.get("drugs"))
    )


def against(one: SiloDocument, asked: Asked) -> bool:
    """Whether an item says of drugs another thing than what is asked, of a level that is asked
    for: the other direction, that it is not supported, a reduced sensitivity.
    """
    fields = one.fields
    told = fields.get("type") == PREDICTIVE and bool(fields.get("drugs"))
    says = fields.get("significance", "") not in ("", "N/A")
    return told and says and of_level(one, asked) and not answers(one, asked)


def of_level(one: SiloDocument, asked: Asked) -> bool:
    """Whether an item is of a level that is asked for."""
    return one.fields.get("level", "") in asked.levels


def drugs_of(one: SiloDocument) -> list[str]:
    """The medicines of an item."""
    return [drug for drug in one.fields.get("drugs", "").split("; ") if drug]


def number(id: str) -> tuple[int, str]:
    """By what ids are sorted."""
    return int(re.sub(r"\D", "", id) or 0), id


def bare(asked: Asked) -> bool:
    """Whether the disease is no more than a word for any tumour."""
    return len(asked.diseases) == 1 and len(asked.diseases[0].written.split()) == 1


def evidence(one: SiloDocument) -> Evidence:
    """An item as evidence."""
    fields = one.fields
    return Evidence(
        one.id, fields["level"], tuple(drugs_of(one)), fields.get("interaction", ""),
        fields.get("significance", ""), one.text, fields.get("pmid", ""),
        fields.get("citation", ""), one.date, one,
    )  # fmt: skip
