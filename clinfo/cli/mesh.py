"""``clinfo mesh``: NLM's descriptors loaded into a table on this machine, looked up, and told
about.
"""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from clinfo.cli.help import JSON, GroupedCommand, group
from clinfo.cli.progress import Bar
from clinfo.console import streams
from clinfo.errors import NOTHING_FOUND
from clinfo.records.articles import MeshMatch
from clinfo.settings import load_settings
from clinfo.terms.mesh import Edition, Mesh, bundled_mesh, mesh_table, table_path
from clinfo.text.wording import one_line

SHOWN = 40
"""Entry terms shown as text; all of them with --json."""

mesh = group(
    "mesh",
    "Load Medical Subject Headings (MeSH) and look up terms.",
)


@mesh.command(cls=GroupedCommand)
def load(
    file: Annotated[
        str,
        typer.Argument(
            help="NLM's descriptors: descYYYY.xml, or .gz of it; or JSON lines.",
            show_default=False,
        ),
    ],
    year: Annotated[
        int | None,
        typer.Option(
            "--year",
            help="The edition, if the file does not state it.",
            min=1960,
            max=2100,
            show_default=False,
        ),
    ] = None,
    json: Annotated[bool, JSON] = False,
) -> int:
    """Load MeSH descriptors; what was loaded before is replaced once the new file is read whole."""
    from clinfo.terms.mesh_files import load

    table = table_path(load_settings().data_dir)
    reading = f"reading {one_line(Path(file).name)}"
    bar = Bar(reading)

    def show(descriptors: int, done: int, size: int) -> None:
        bar.show(f"{reading}: {descriptors:,} descriptors", done, size or None)

    try:
        edition = load(file, table, year, show)
    finally:
        bar.close()
    streams.show(
        {"loaded": True, **_edition_form(edition, table)}
        if json
        else f"loaded {_edition_text(edition, table)}"
    )
    return 0


@mesh.command(cls=GroupedCommand)
def show(
    term: Annotated[
        str,
        typer.Argument(
            help="A heading, an entry term or an identifier such as D006973.", show_default=False
        ),
    ],
    json: Annotated[bool, JSON] = False,
) -> int:
    """Show what MeSH holds for a term, or the nearest headings (exit status 3).

    Without a table on this machine the one that comes with the program is looked into.
    """

    table = mesh_table(load_settings().data_dir)
    match = table.match(term)
    if match.descriptor is None and (named := table.descriptor(term)) is not None:
        match = MeshMatch(term, "heading", named, year=table.edition.year)
    narrower = table.narrower(match.descriptor) if match.descriptor is not None else None
    members = table.members(match.descriptor) if match.descriptor is not None else []
    streams.show(
        _match_form(match, narrower, members)
        if json
        else _match_text(match, narrower, members, table.name)
    )
    return 0 if match.descriptor is not None else NOTHING_FOUND


@mesh.command(cls=GroupedCommand)
def status(json: Annotated[bool, JSON] = False) -> int:
    """Show which MeSH is loaded, from which file, and where it lies."""

    path = table_path(load_settings().data_dir)
    loaded = path.exists()
    table = Mesh(path) if loaded else bundled_mesh()
    missing = (
        f"there is no MeSH table at {path}: {table.name}, which is included in the program, is "
        "used; load NLM's file with clinfo mesh load FILE"
    )
    form = {"loaded": loaded, **_edition_form(table.edition, path)}
    streams.show(form if json else _edition_text(table.edition, path) if loaded else missing)
    return 0


def _edition_form(edition: Edition, path: Path) -> dict[str, object]:
    return {**asdict(edition), "path": str(path)}


def _edition_text(edition: Edition, path: Path) -> str:
    year = edition.year if edition.year is not None else "of a year that the file does not state"
    held = f"MeSH {year}: {edition.descriptors:,} headings, {edition.entry_terms:,} entry terms"
    return (
        f"{held}\nfrom {edition.source} (SHA-256 {edition.sha256}), {edition.loaded_at}\nin {path}"
    )


def _match_form(
    match: MeshMatch, narrower: list[str] | None, members: list[str]
) -> dict[str, object]:
    one = match.descriptor
    return {
        "text": match.text,
        "kind": match.kind,
        "ui": one.ui if one else None,
        "heading": one.heading if one else None,
        "entry_terms": list(one.entry_terms) if one else [],
        "tree_numbers": list(one.tree_numbers) if one else [],
        "narrower": len(narrower) if narrower is not None else None,
        "members": members,
        "year": match.year,
        "suggestions": list(match.suggestions),
    }


def _match_text(
    match: MeshMatch, narrower: list[str] | None, members: list[str], edition: str
) -> str:
    one = match.descriptor
    if one is None:
        near = f"; nearest headings: {'; '.join(match.suggestions)}" if match.suggestions else ""
        return f"{one_line(match.text)!r} is not a heading or entry term of {edition}{near}"
    terms = "; ".join(one.entry_terms[:SHOWN]) + (
        f"; and {len(one.entry_terms) - SHOWN:,} more" if one.entry_terms[SHOWN:] else ""
    )
    of_entry = match.kind == "entry term"
    lines = (
        f"{one.heading} ({one.ui}, {edition})",
        f"{one_line(match.text)!r} is an entry term of this heading" if of_entry else "",
        f"entry terms   {terms or 'none'}",
        f"tree numbers  {', '.join(one.tree_numbers) or 'none'}",
        f"narrower      {len(narrower):,} headings" if narrower is not None else "",
        f"members       {len(members):,} substances with this action" if members else "",
    )
    return "\n".join(filter(None, lines))
