"""``integrity``: a reference list against records of retraction and correction."""

import asyncio
from typing import Any

from pydantic import Field, field_validator

from clinfo.errors import RecordError, UsageError
from clinfo.integrity.reference_check import check, reference_counts, reference_form
from clinfo.integrity.reference_lists import read_reference_list
from clinfo.integrity.retractions import loaded_list
from clinfo.mcp_server.host import Arguments, Host, Report, Result, typed
from clinfo.records.appraisal import Notice

LONGEST = 1_000_000
MOST = 1_000
"""References of a call."""


class References(Arguments):
    """The text of a reference list."""

    references: str = Field(
        min_length=1,
        max_length=LONGEST,
        description=(
            "RIS, BibTeX, MEDLINE text (.nbib), CSV, or one PMID, DOI or reference per line; at "
            f"most {MOST:,} references."
        ),
    )

    @field_validator("references", mode="before")
    @classmethod
    def _lines(cls, given: Any) -> Any:
        """A list of references as lines; an object is its PMID, its DOI or its title."""
        if isinstance(given, str):
            return given
        lines = list[str]()
        for n, one in enumerate(given if isinstance(given, list) else [given], 1):
            form = (
                {str(name).lower(): held for name, held in {**one}.items()}
                if isinstance(one, dict)
                else {"pmid": one}
            )
            held = next((form[name] for name in ("pmid", "doi", "title") if form.get(name)), None)
            held = one if isinstance(one, str) else held  # an empty one is an empty line
            if isinstance(held, bool) or not isinstance(held, str | int):
                raise ValueError(f"entry {n} is neither a text nor has it a pmid, doi or title")
            lines.append(str(held))
        return "\n".join(lines)


class Reference(Result):
    """One reference of the list."""

    n: int
    line: int
    pmid: str | None
    doi: str | None
    title: str
    checked_by: str = Field(
        description="record, list (the retraction list alone), not found, or not identified"
    )
    record: str | None
    record_title: str | None
    notices: list[Notice]
    remarks: list[str]


class Counted(Result):
    """Counts of references by what they were checked with, and by kind of notice."""

    references: int
    by_record: int
    by_list_alone: int
    not_found: int
    not_identified: int
    kinds: dict[str, int]


class Integrity(Result):
    """Every reference, none left out."""

    form: str
    counts: Counted
    references: list[Reference]
    retraction_list: str | None = Field(description="null: none is loaded on the host.")
    source: str
    notices: list[str]


async def _integrity(host: Host, given: References, report: Report) -> Integrity:
    if not host.reads_pubmed:
        raise UsageError(f"the source {host.source.name} does not record retractions")
    try:
        listed = await asyncio.to_thread(read_reference_list, given.references)
    except RecordError as error:
        raise UsageError(f"references: the list {error}") from None
    if len(listed.references) > MOST:
        raise UsageError(
            f"references: the list has {len(listed.references):,} references; at most {MOST:,} "
            "can be checked in one call"
        )
    retractions = loaded_list(host.settings.data_dir)
    checked = await check(listed.references, host.source, retractions)
    counts: dict[str, Any] = reference_counts(checked)
    return Integrity(
        form=listed.form,
        counts=Counted(**counts),
        references=[
            Reference.model_validate({**reference_form(one), "notices": list(one.notices)})
            for one in checked
        ],
        retraction_list=retractions.description if retractions else None,
        source=host.source.name,
        notices=list(host.source.notices),
    )


TOOL = typed(
    name="integrity",
    title="Check a reference list for retractions and corrections",
    description=(
        "Compares each reference of a list with the source's record and, where the host has one, a "
        "retraction list: retractions, expressions of concern, corrections, preprints, ids that "
        "do not fit, and references that could not be checked."
    ),
    arguments=References,
    result=Integrity,
    call=_integrity,
)
