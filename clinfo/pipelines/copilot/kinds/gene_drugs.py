"""Evidence on genes and drugs: items of CIViC, selected by their fields."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from clinfo.pipelines.copilot.evidence_items import (
    Fields,
    counted,
    level,
    negative,
    selected,
)
from clinfo.pipelines.copilot.kinds.silo import missing_silo, observed, silos_of
from clinfo.pipelines.copilot.records import LEVELS
from clinfo.pipelines.tools import Arguments, Host, Kind, Progress, ToolDeclared, in_thread
from clinfo.records.observations import Observation
from clinfo.retrieval.silos.readers.civic import UNREAD

DIRECTION = {"sens": "response", "resp": "response", "resi": "resistance", "redu": "resistance"}
"""The beginnings of directions, as models and CIViC write it."""


class GeneDrug(Arguments):
    gene: str = Field("", description="symbol of the gene, e.g. ERBB2")
    variant: str = Field("", description="e.g. V600E, exon 19 deletion, amplification, EML4-ALK")
    disease: str = Field("", description="name of the cancer, spelled out; empty for any")
    drug: str = Field("", description="generic name of one drug; empty for any")
    direction: Literal["", "response", "resistance"] = Field("", description="empty for both")
    levels: str = Field("", description="letters of levels wanted, e.g. AB; empty for all")

    @field_validator("direction", mode="before")
    @classmethod
    def _direction(cls, given: Any) -> Any:
        start = str(given).strip().casefold()[:4]
        return "" if start in ("any", "both") else DIRECTION.get(start, given)

    @field_validator("levels", mode="before")
    @classmethod
    def _levels(cls, given: Any) -> str:
        text = " ".join(map(str, given)) if isinstance(given, list) else str(given)
        found = {letter for word in re.findall(r"\b[A-E]+\b", text.upper()) for letter in word}
        if first_last := re.fullmatch(r"\W*([A-E])\s*(?:-|–|to)\s*([A-E])\W*", text.upper()):
            found = {one for one in LEVELS if first_last[1] <= one <= first_last[2]}
        if text.strip() and not found:
            raise ValueError("letters from A to E")
        return "".join(sorted(found)) if len(found) < len(LEVELS) else ""

    @model_validator(mode="after")
    def _one_of(self) -> GeneDrug:
        if not (self.gene or self.variant or self.disease or self.drug):
            raise ValueError("give at least one of gene, variant, disease, drug")
        return self


def _found(
    declared: ToolDeclared, host: Host, arguments: Mapping[str, Any], progress: Progress
) -> Observation:
    silo, most = declared.silo, declared.top_k
    documents = list(silos_of(host).documents(silo))
    found = selected(documents, Fields(**arguments))
    said = list(found.said)
    if cut := found.items[most:]:
        levels = Counter(f"level {level(one)}" for one in cut)
        against = sum(map(negative, cut))
        said.append(
            f"{len(cut)} more items that fit were left out: {counted(levels)}"
            + f", {against} of them found no such effect" * bool(against)
        )
    if unread := [one.id for one in documents if one.fields.get("state") == UNREAD]:
        told = f"{len(unread)} rows of {silo} could not be read whole: {', '.join(unread[:5])}"
        said.append(told)
    if not found.items:
        why = "; ".join(filter(None, (found.missing, *said)))
        return Observation(said=(why,), missing=(silo,))
    passages = tuple(observed(one, 0, len(one.text)) for one in found.items[:most])
    return Observation(passages, tuple(said))


KIND = Kind("gene_drugs", GeneDrug, in_thread(_found), missing_silo, "fields")
