"""``clinfo integrity``: a reference list compared with PubMed's records of retractions and
corrections, and a retraction list.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from clinfo.console import streams
from clinfo.errors import UsageError
from clinfo.integrity.reference_check import (
    Checked,
    check,
    kinds_found,
    name_of,
    reference_counts,
    reference_form,
    reference_list,
)
from clinfo.integrity.reference_lists import ReferenceList
from clinfo.integrity.retractions import LOAD, Retractions, loaded_list, settings_form
from clinfo.pipelines.opening import open_cache
from clinfo.settings import load_settings
from clinfo.sources.registry import PUBMED_LANGUAGE, ArticleSource, article_source, specs
from clinfo.text.wording import number, one_line

NO_SOURCE = "none"
FOUND_RETRACTED = 1
"""Exit status with --fail where something retracted is in the list."""
_TITLE = 100


def integrity(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help=(
                "A reference list: RIS, BibTeX, MEDLINE text (.nbib), CSV, or one PMID or DOI per "
                "line."
            ),
            show_default=False,
        ),
    ],
    source: Annotated[
        str | None,
        typer.Option(
            "--source",
            metavar="NAME",
            show_default=False,
            help=(
                "pubmed, local, demo, a citation file, or none: the retraction list alone. "
                "[CLINFO_SOURCE, else pubmed]"
            ),
        ),
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print JSON with every reference.", show_default=False)
    ] = False,
    fail: Annotated[
        bool,
        typer.Option(
            "--fail",
            help="Exit with status 1 if the list contains something retracted.",
            show_default=False,
        ),
    ] = False,
    fresh: Annotated[
        bool,
        typer.Option(
            "--fresh",
            help="Query again instead of using answers of the last 24 hours.",
            show_default=False,
        ),
    ] = False,
) -> int:
    """Check a reference list for retractions and corrections.

    Each reference is identified by its PMID, else by its DOI. It is compared with PubMed's record
    and with the retraction list, if one is loaded (clinfo retractions). The output lists
    retractions, expressions of concern, corrections, preprints, and references that could not be
    checked. The counts come last.

    Exit status: 0 checked, whatever was found; 1 with --fail where something retracted was found; 2
    wrong usage; 4 the source failed or the file cannot be read.
    """

    settings = load_settings()
    listed = reference_list(Path(file))
    chosen = _source(settings, source if source is not None else settings.source)
    retractions = loaded_list(settings.data_dir)
    if chosen is None and retractions is None:
        raise UsageError(
            f"--source {NO_SOURCE}: this machine has no retraction list either; load one with "
            f"{LOAD}"
        )
    checked = asyncio.run(check(listed.references, chosen, retractions, fresh))
    name = Path(file).name
    streams.show(
        _form(name, listed, checked, chosen, retractions)
        if json
        else _text(name, checked, chosen, retractions)
    )
    return FOUND_RETRACTED if fail and any(one.retracted for one in checked) else 0


def _source(settings: Any, name: str) -> ArticleSource | None:

    if name == NO_SOURCE:
        return None
    source = article_source(settings, name, open_cache(settings))
    if source.query_prompt != PUBMED_LANGUAGE:
        others = ", ".join(one.name for one in specs() if one.query_prompt == PUBMED_LANGUAGE)
        raise UsageError(
            f"the source {name} does not record retractions; choose {others} or {NO_SOURCE}"
        )
    return source


def _form(
    name: str,
    listed: ReferenceList,
    checked: Sequence[Checked],
    source: ArticleSource | None,
    retractions: Retractions | None,
) -> dict[str, object]:

    return {
        "schema": 2,
        "file": name,
        "form": listed.form,
        "source": name_of(source) if source else None,
        "retraction_list": settings_form(retractions),
        "counts": reference_counts(checked),
        "references": [reference_form(one) for one in checked],
        "notices": list(source.notices) if source else [],
    }


def _text(
    name: str,
    checked: Sequence[Checked],
    source: ArticleSource | None,
    retractions: Retractions | None,
) -> str:

    troubled = [_lines(one) for one in checked if one.notices or one.remarks]
    how = Counter(one.how for one in checked)
    parts = [
        f"{how['record']:,} compared with the records of {one_line(name_of(source))}"
        if source
        else "",
        f"{how['list']:,} compared with the retraction list alone" if how["list"] else "",
        f"{how['not found']:,} not found, so not checked" if how["not found"] else "",
        f"{how['not identified']:,} without PMID and DOI, so not checked"
        if how["not identified"]
        else "",
    ]
    found = "; ".join(f"{kind}: {count:,}" for kind, count in kinds_found(checked).items())
    by = (
        f"Retraction list: {retractions.description}."
        if retractions
        else f"No retraction list is loaded ({LOAD})."
    )
    ends = [
        (
            f"{number(len(checked), 'reference')} in {one_line(name)}: "
            f"{'; '.join(part for part in parts if part)}."
        ),
        f"Found: {found}."
        if found
        else "No retraction or other notice was found in the references checked.",
        one_line(by),
        *(source.notices if source else ()),
    ]
    return "\n\n".join([*troubled, "\n".join(ends)])


def _lines(one: Checked) -> str:
    article = one.listed.article
    ids = [
        f"PMID {article.pmid}" if article.pmid else "",
        f"doi {article.doi}" if article.doi else "",
    ]
    title = one_line(one.listed.label or (one.record.title if one.record else ""))
    head = ", ".join(part for part in ids if part)
    shown = title if len(title) <= _TITLE else f"{title[: _TITLE - 2].rstrip()} …"
    lines = [f"{one.listed.place}. {one_line(': '.join(part for part in (head, shown) if part))}"]
    lines += [
        f"   {notice.kind.upper()}  {one_line(notice.text)} (source: {notice.reported_by})"
        for notice in one.notices
    ]
    lines += [f"   {one_line(remark)}" for remark in one.remarks]
    return "\n".join(lines)
