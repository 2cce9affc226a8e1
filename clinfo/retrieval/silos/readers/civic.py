"""Evidence items of CIViC (civicdb.org, CC0): its nightly table of clinical evidence summaries, as
it was until 2022 (gene, variant, drugs, clinical_significance) and as it is since (molecular
profile, therapies, significance), and rows of the former as JSON.

The text of a document is the statement; what it is searched by beside that is a sentence made of
its fields.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping

from clinfo.errors import RecordError
from clinfo.retrieval.silos import SiloDocument
from clinfo.retrieval.silos.readers import Content
from clinfo.retrieval.silos.staged import About

TITLE, LICENCE, SOURCE = "CIViC evidence items", "CC0 1.0", "https://civicdb.org"
_NEWER = {
    "drugs": "therapies",
    "drug_interaction_type": "therapy_interaction_type",
    "clinical_significance": "significance",
}
"""What columns are called since 2022."""
_WANTED = ("evidence_id", "disease", "evidence_type", "evidence_level", "evidence_statement")
_PROFILE = re.compile(r"(?P<gene>[A-Za-z0-9-]+(?:::[A-Za-z0-9-]+)?)\s+(?P<variant>.+)")
_NUMBERED = re.compile(r"\d+(?:-|$)")
"""What follows a comma within a name: 2,4-pyrimidinediamine, CP-724,714."""


def from_table(text: str, name: str, silo: str) -> Content:
    """The evidence items of a table. Raises RecordError where it has not the columns."""
    table = csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    missing = [one for one in _WANTED if one not in (table.fieldnames or ())]
    if missing:
        raise RecordError(f"{name}: not a table of CIViC's evidence: no column {missing[0]}")
    return from_rows(list(table), name, silo)


def from_rows(rows: Iterable[Mapping[str, object]], name: str, silo: str) -> Content:
    """The evidence items of rows under either names of columns; rows without an id or a statement
    are told.
    """
    found: list[SiloDocument] = []
    bad = 0
    for row in rows:
        said = {key: str(value).strip() for key, value in row.items() if key and value is not None}
        if said.get("evidence_id", "").isdigit() and said.get("evidence_statement"):
            found.append(_document(said, silo))
        else:
            bad += 1
    problems = (f"{name}: {bad} rows without an evidence id or a statement",) if bad else ()
    newest = max((one.date for one in found), default="")
    return Content(tuple(found), About(TITLE, LICENCE, newest, "", SOURCE), problems)


def drugs_of(text: str) -> list[str]:
    """The names in a list of CIViC's, whose names may hold a comma before a number."""
    found: list[str] = []
    for part in text.split(","):
        if found and _NUMBERED.match(part):
            found[-1] += "," + part.strip()
        elif part.strip():
            found.append(part.strip())
    return found


def _document(row: Mapping[str, str], silo: str) -> SiloDocument:
    def of(name: str) -> str:
        return row.get(name) or row.get(_NEWER.get(name, ""), "")

    gene, variant = of("gene"), of("variant")
    if not gene and (profile := of("molecular_profile")):
        gene, variant = _profile(profile)
    fields = {
        "gene": gene,
        "variant": variant,
        "disease": of("disease"),
        "doid": of("doid"),
        "drugs": "; ".join(drugs_of(of("drugs"))),
        "interaction": of("drug_interaction_type"),
        "type": of("evidence_type"),
        "direction": of("evidence_direction"),
        "level": of("evidence_level"),
        "significance": of("clinical_significance"),
        "origin": of("variant_origin"),
        "rating": of("rating"),
        "pmid": of("citation_id") if of("source_type") in ("", "PubMed") else "",
        "citation": of("citation"),
        "trials": of("nct_ids"),
    }
    id = of("evidence_id")
    return SiloDocument(
        silo=silo,
        id=id,
        title=f"EID{id}: {gene} {variant}, {fields['disease'] or 'no disease'}",
        text=of("evidence_statement"),
        abstractions={"fields": _sentence(fields)},
        fields={name: value for name, value in fields.items() if value and value != "N/A"},
        date=of("last_review_date")[:10],
        url=of("evidence_civic_url") or f"https://civicdb.org/links/evidence/{id}",
    )


def _profile(text: str) -> tuple[str, str]:
    """Gene and variant of a molecular profile: "BRAF V600E", "EML4::ALK Fusion". A profile of
    several variants has the first one's gene, and its variant is the rest whole.
    """
    found = _PROFILE.fullmatch(text)
    if found is None:
        return text, ""
    gene, variant = found["gene"], found["variant"]
    if "::" in gene:
        return gene.split("::")[1], f"{gene} {variant}"
    return gene, variant


def _sentence(fields: Mapping[str, str]) -> str:
    """The fields as a sentence, the purpose of which is to be found."""
    drugs = fields["drugs"].replace(";", ",") or "no drug"
    return (
        f"{fields['gene']} {fields['variant']} in {fields['disease']}: {drugs}. "
        f"{fields['type']} evidence {fields['direction'].lower()} {fields['significance'].lower()}"
        f", level {fields['level']}, {fields['origin'].lower()}."
    )
