"""Trials of ClinicalTrials.gov (public domain) as version 2 of its API gives them
(``protocolSection``), one study or many.

The text of a document is the registration in words; its abstraction is what a patient's case is
compared with: conditions, interventions, phase and eligibility.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from clinfo.errors import RecordError
from clinfo.retrieval.silos import SiloDocument
from clinfo.retrieval.silos.readers import Content
from clinfo.retrieval.silos.staged import About
from clinfo.text.wording import number

_ABOUT = About(
    "ClinicalTrials.gov registrations", "public domain", "", "", "https://clinicaltrials.gov"
)
_NUMBER = re.compile(r"NCT\d{8}")


def from_json(data: Any, name: str, silo: str) -> Content:
    """The trials of a reply. Raises RecordError where it holds none."""
    made = [_document(study, silo) for study in _studies(data)]
    found, bad = [one for one in made if one is not None], made.count(None)
    if not found:
        raise RecordError(f"{name}: not a reply of ClinicalTrials.gov's API")
    newest = max(one.date for one in found)
    problems = (
        [f"{name}: {number(bad, 'study', 'studies')} without a number or a title"] if bad else []
    )
    if isinstance(data, dict) and data.get("nextPageToken"):
        whole = data.get("totalCount") or "more"
        problems.append(f"{name}: one page, {len(found)} of {whole} studies: load the others too")
    return Content(tuple(found), replace(_ABOUT, date=newest), tuple(problems))


def _studies(data: Any) -> Iterator[Mapping[str, Any]]:
    """The studies within a reply, or a list of them."""
    if isinstance(data, list):
        for one in data:
            yield from _studies(one)
    elif isinstance(data, dict):
        yield from _studies(data.get("studies") or ())
        if "protocolSection" in data:
            yield data


def _document(study: Mapping[str, Any], silo: str) -> SiloDocument | None:
    section = study.get("protocolSection")
    if not isinstance(section, dict):
        return None

    def of(*path: str) -> Any:
        value: Any = section
        for step in path:
            value = value.get(step) if isinstance(value, dict) else None
        return value

    nct = str(of("identificationModule", "nctId") or "")
    title = _one(
        of("identificationModule", "briefTitle"), of("identificationModule", "officialTitle")
    )
    if not _NUMBER.fullmatch(nct) or not title:
        return None
    conditions = _names(of("conditionsModule", "conditions"))
    interventions = _names(of("armsInterventionsModule", "interventions"), "name")
    phases = _names(of("designModule", "phases"))
    eligibility = str(of("eligibilityModule", "eligibilityCriteria") or "").strip()
    status = str(of("statusModule", "overallStatus") or "")
    why = " ".join(str(of("statusModule", "whyStopped") or "").split())
    limits = [of("eligibilityModule", one) for one in ("minimumAge", "maximumAge")]
    sex = str(of("eligibilityModule", "sex") or "")
    updated = _date(of("statusModule", "lastUpdatePostDateStruct")) or _date(
        of("statusModule", "lastUpdateSubmitDate")
    )
    ages = f"{limits[0] or 'any age'} to {limits[1] or 'any age'}"
    parts = [
        f"# {title}",
        f"Status: {status.replace('_', ' ').capitalize()}. Phase: {', '.join(phases) or '-'}.",
        why and f"Why it stopped: {why}",
        f"Conditions: {'; '.join(conditions)}",
        f"Interventions: {'; '.join(interventions)}",
        "## Summary",
        str(of("descriptionModule", "briefSummary") or ""),
        str(of("descriptionModule", "detailedDescription") or ""),
        "## Primary outcomes",
        "; ".join(_names(of("outcomesModule", "primaryOutcomes"), "measure")),
        "## Eligibility",
        f"Sex: {sex or 'not given'}. Ages: {ages}.",
        eligibility,
    ]
    return SiloDocument(
        silo=silo,
        id=nct,
        title=f"{nct}: {title}",
        text="\n\n".join(part.strip() for part in parts if part.strip()),
        abstractions={
            "eligibility": f"{title}. {'; '.join(conditions)}. {'; '.join(interventions)}. "
            f"{' '.join(phases)}. {eligibility}"[:2000]
        },
        fields={
            key: value
            for key, value in {
                "status": status.upper().replace(" ", "_").replace(",", ""),
                "why_stopped": why,
                "phase": ", ".join(phases),
                "conditions": "; ".join(conditions),
                "interventions": "; ".join(interventions),
                "minimum_age": str(limits[0] or ""),
                "maximum_age": str(limits[1] or ""),
                "sex": sex,
                "eligibility": eligibility,
            }.items()
            if value
        },
        date=updated,
        url=f"https://clinicaltrials.gov/study/{nct}",
    )


def _one(*values: Any) -> str:
    return next((str(one).strip() for one in values if one), "")


def _names(value: Any, *keys: str) -> list[str]:
    """The names in a list of texts, or of objects that hold them under one of the keys."""
    said = (
        _one(*(one.get(key) for key in keys)) if isinstance(one, dict) else str(one)
        for one in (value if isinstance(value, list) else ())
    )
    return [one for one in said if one]


def _date(value: Any) -> str:
    """A date as ISO 8601 where it is written so, of an object or a text."""
    said = str((value.get("date") if isinstance(value, dict) else value) or "")
    return said if re.fullmatch(r"\d{4}(?:-\d\d){0,2}", said) else ""
