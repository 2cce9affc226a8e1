"""Evidence items of CIViC (civicdb.org, CC0): its nightly table of clinical evidence summaries, as
it was until 2022 (gene, variant, drugs, clinical_significance) and as it is since (molecular
profile, therapies, significance), and rows of the former as JSON.

The text of a document is the statement; what it is searched by beside that is a sentence made of
its fields.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

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
"""Names of columns since 2022."""
UNREAD = "unread"
"""The state of a row that could not be read whole, which is kept: nobody takes it for absent."""
_WANTED = ("evidence_id", "disease", "evidence_type", "evidence_level", "evidence_statement")
_BROKEN = "the whole row"
_TOLD = 5
"""Ids that are told of what was left out."""
_LINK = re.compile(r"links/evidence(?:_items)?/(\d+)|\bEID(\d+)")
_PROFILE = re.compile(r"(?P<gene>[A-Za-z0-9-]+(?:::[A-Za-z0-9-]+)?)\s+(?P<variant>.+)")
_NUMBERED = re.compile(r"\d+(?:-|$)")
"""Signs after a comma within a name: 2,4-pyrimidinediamine, CP-724,714."""


def from_table(text: str, name: str, silo: str) -> Content:
    """The evidence items of a table. Raises RecordError where it has not the columns."""
    lines = text.splitlines()
    columns = lines[0].split("\t") if lines else []
    missing = [one for one in _WANTED if one not in columns]
    if missing:
        raise RecordError(f"{name}: not a table of CIViC's evidence: no column {missing[0]}")
    return from_rows(_rows(lines[1:], columns), name, silo)


def _rows(lines: Iterable[str], columns: Sequence[str]) -> Iterator[Mapping[str, str]]:
    """The rows of a table, of which one may stand on several lines: its statement has ends of
    lines. A row that does not come out whole is given as `_BROKEN`.
    """
    held = ""
    for line in (one for one in lines if one.strip()):
        joined = f"{held}\n{line}" if held else line
        row = _row(joined, columns)
        if held and len(joined.split("\t")) > len(columns):
            yield {_BROKEN: held}
            joined, row = line, _row(line, columns)
        if row is None and len(joined.split("\t")) < len(columns):
            held = joined
            continue
        yield {_BROKEN: joined} if row is None else row
        held = ""
    if held:
        yield {_BROKEN: held}


def _row(text: str, columns: Sequence[str]) -> Mapping[str, str] | None:
    """The row that a text holds; None where it has not the columns up to its id and statement."""
    cells = [_unquoted(cell) for cell in text.split("\t")]
    row = dict(zip(columns, cells, strict=False))
    return row if len(cells) <= len(columns) and _readable(row) else None


def _unquoted(cell: str) -> str:
    whole = len(cell) > 1 and cell[0] == cell[-1] == '"' and "\n" in cell
    return cell[1:-1].replace('""', '"') if whole else cell


def _readable(row: Mapping[str, str]) -> bool:
    return row.get("evidence_id", "").isdigit() and bool(row.get("evidence_statement"))


def from_rows(rows: Iterable[Mapping[str, object]], name: str, silo: str) -> Content:
    """The evidence items of rows under either names of columns. What is flagged or not
    accepted is left out and counted; a row that could not be read whole is told, and kept as a
    document of the state `UNREAD`, so that nobody takes it for absent.
    """
    found: list[SiloDocument] = []
    unread: list[SiloDocument] = []
    out: list[str] = []
    for n, row in enumerate(rows, 1):
        said = {key: str(value).strip() for key, value in row.items() if key and value is not None}
        if not any(said.values()):
            continue
        if not _readable(said):
            unread.append(_unread(said, n, silo))
        elif (
            said.get("evidence_status", "").lower() not in ("", "accepted")
            or said.get("is_flagged", "").lower() == "true"
        ):
            out.append(said["evidence_id"])
        else:
            found.append(_document(said, silo))
    problems = tuple(
        f"{name}: {len(ids)} {what}: {', '.join(ids[:_TOLD])}{' …' * (len(ids) > _TOLD)}"
        for ids, what in (
            ([one.id for one in unread], "rows could not be read whole"),
            (out, "items that CIViC flagged or has not accepted were left out"),
        )
        if ids
    )
    newest = max((one.date for one in found), default="")
    about = About(TITLE, LICENCE, newest, "", SOURCE)
    return Content((*found, *unread), about, problems)


def _unread(row: Mapping[str, str], n: int, silo: str) -> SiloDocument:
    """A row that could not be read whole, under the id that stands in it, else its number."""
    text = " ".join(one for one in row.values() if one)
    link = _LINK.search(text)
    id = row.get("evidence_id") or ((link[1] or link[2]) if link else f"row {n}")
    return SiloDocument(silo, id, f"EID{id}: could not be read whole", text, {}, {"state": UNREAD})


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
    several variants has the first one's gene, and its variant is the rest whole, or all of it
    where it begins with a bracket.
    """
    found = _PROFILE.fullmatch(text.lstrip("("))
    if found is None:
        return text, ""
    gene, variant = found["gene"], found["variant"]
    if "::" in gene:
        return gene.split("::")[1], f"{gene} {variant}"
    return gene, text if text.startswith("(") else variant


def _sentence(fields: Mapping[str, str]) -> str:
    """The fields as a sentence, the purpose of which is to be found."""
    drugs = fields["drugs"].replace(";", ",") or "no drug"
    return (
        f"{fields['gene']} {fields['variant']} in {fields['disease']}: {drugs}. "
        f"{fields['type']} evidence {fields['direction'].lower()} {fields['significance'].lower()}"
        f", level {fields['level']}, {fields['origin'].lower()}."
    )
