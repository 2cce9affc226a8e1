"""``clinfo index``: citation files into a local index, the index searched, told about, and its
versions.
"""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from clinfo.cli.help import JSON, GroupedCommand, group
from clinfo.cli.progress import Bar
from clinfo.console import streams
from clinfo.errors import NOTHING_FOUND, Cancelled, UsageError
from clinfo.extras import needed
from clinfo.pubmed import index as local
from clinfo.references import ieee
from clinfo.settings import load_settings
from clinfo.terms.mesh import bundled_mesh, table_path
from clinfo.text.wording import number, one_line

_DIR = typer.Argument(metavar="DIR", help="The index's folder.", show_default=False)
_AS_OF = typer.Option(
    "--as-of",
    metavar="DATE|N",
    help="The index as it was on that day or in that version.",
    show_default=False,
)

index = group(
    "index",
    "Build and search a PubMed of your own on this machine.",
)


@index.command(cls=GroupedCommand)
def build(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE",
            help="Citation XML, .xml or .xml.gz: the baseline, then update files in their order.",
            show_default=False,
        ),
    ],
    out: Annotated[
        str,
        typer.Option(
            "--out",
            metavar="DIR",
            help="The folder of the index; it is created if missing.",
            show_default=False,
        ),
    ],
    mesh: Annotated[
        str | None,
        typer.Option(
            "--mesh",
            metavar="FILE",
            help="The MeSH file for it. [the one loaded with clinfo mesh load]",
            show_default=False,
        ),
    ] = None,
    json: Annotated[bool, JSON] = False,
) -> int:
    """Load citation files into a local index and make a new version of it.

    Files that are loaded already are skipped. A build that was stopped resumes when the same
    command is run again. A file with a .md5 file beside it is checked against that.
    """
    needed("tantivy", "index")
    table: Path | None = Path(mesh) if mesh is not None else table_path(load_settings().data_dir)
    if table is not None and mesh is None and not table.exists():
        table = None
        edition = f"{bundled_mesh().name}, which is included in the program"
        streams.say(f"no MeSH loaded (clinfo mesh load FILE): queries are read by {edition}")
    began = time.monotonic()
    bar, told = Bar(f"building an index of {number(len(files), 'file')} …"), set[str]()

    def show(at: local.Progress) -> None:
        file, citations = one_line(at.file), number(at.citations, "citation")
        rate = at.citations / max(time.monotonic() - began, 1e-9)
        bar.show(f"{file} {citations}, {rate:,.0f}/s", at.done, at.total)
        if not bar.live and at.file not in told:
            told.add(at.file)
            share = 100 * at.done // max(at.total, 1)
            streams.say(f"reading {file} ({share} %, {citations})")

    try:
        made = local.build(files, out, mesh=table, progress=show)
    except KeyboardInterrupt:
        raise Cancelled("interrupted: run the same command again to resume") from None
    finally:
        bar.close()
    form = {
        **_version_form(made.version),
        "new": made.new,
        "files": made.files,
        "skipped": list(made.skipped),
        "loaded": made.citations,
        "deleted": made.deleted,
        "unreadable": made.unreadable,
        "seconds": round(made.seconds, 1),
    }
    if made.skipped and not json:
        streams.say(f"{number(len(made.skipped), 'file')} loaded before, skipped")
    if made.unreadable and not json:
        streams.say(f"{number(made.unreadable, 'damaged record')} left out")
    said = (
        f"version {made.version.number} of {made.version.day}: "
        f"{number(made.version.citations, 'citation')}"
    )
    rate = (
        f" ({made.citations / made.seconds:,.0f}/s)" if made.seconds > 0 and made.citations else ""
    )
    loaded = f"{said}; {made.citations:,} loaded{rate}, {made.deleted:,} deleted"
    streams.show(form if json else loaded if made.new else f"nothing to load; {said}")
    return 0


@index.command(cls=GroupedCommand)
def search(
    folder: Annotated[str, _DIR],
    query: Annotated[str, typer.Argument(help="A query in PubMed's language.", show_default=False)],
    limit: Annotated[
        int,
        typer.Option(
            "--limit", metavar="N", help="Most hits shown. [20]", min=0, show_default=False
        ),
    ] = 20,
    ids: Annotated[
        bool, typer.Option("--ids", help="Only PMIDs, one per line.", show_default=False)
    ] = False,
    sort: Annotated[
        str,
        typer.Option(
            "--sort", metavar="ORDER", help="relevance | pub_date. [relevance]", show_default=False
        ),
    ] = "relevance",
    as_of: Annotated[str | None, _AS_OF] = None,
    json: Annotated[bool, JSON] = False,
) -> int:
    """Search a local index. Nothing found: exit status 3.

    Its hits as RIS, MEDLINE text or CSV: clinfo search QUERY --source local --all --format ris,
    with CLINFO_INDEX_DIR=DIR.
    """
    needed("tantivy", "index")
    if sort not in ("relevance", "pub_date"):
        raise UsageError(f"--sort: {sort} is not a sort order; choose relevance or pub_date")
    with closing(local.LocalIndex.open(folder, as_of=as_of)) as opened:
        found = opened.search(query, limit, sort="pub_date" if sort == "pub_date" else "relevance")
        pmids = [id.removeprefix("pmid:") for id in found.ids]
        hits = [f"{one.pmid}  {ieee(one)}" for one in opened.articles([] if ids else pmids)]
        version = opened.version
    if json:
        form = {
            "query": query,
            "translation": found.translation.text if found.translation.decides else None,
            "count": found.count,
            "sort": sort,
            "pmids": pmids,
            "outcome": found.outcome,
            "dropped": list(found.dropped),
            "warnings": list(found.warnings),
            "version": version.number,
            "day": version.day,
        }
        streams.show(form)
    elif ids:
        streams.write("".join(f"{pmid}\n" for pmid in pmids))
    else:
        streams.show("\n".join([number(found.count, "hit"), *hits]))
    if not json:
        for warning in found.warnings:
            streams.say(one_line(warning))
        if found.translation.decides:
            streams.say(f"searched as {one_line(found.translation.text)}")
    return 0 if found.count else NOTHING_FOUND


@index.command(cls=GroupedCommand)
def info(
    folder: Annotated[str, _DIR],
    as_of: Annotated[str | None, _AS_OF] = None,
    json: Annotated[bool, JSON] = False,
) -> int:
    """Show what an index holds: version, citations, files, size, MeSH."""
    needed("tantivy", "index")
    with closing(local.LocalIndex.open(folder, as_of=as_of)) as opened:
        held = opened.info()
    one = held.version
    share = held.bytes / held.xml_bytes if held.xml_bytes else None
    form = {
        **_version_form(one),
        "versions": [version.number for version in held.versions],
        "files": [asdict(file) for file in held.files],
        "bytes": held.bytes,
        "xml_bytes": held.xml_bytes,
        "unfinished": held.unfinished,
    }
    lines = [
        (
            f"version {one.number} of {one.day}: {number(one.citations, 'citation')} from "
            f"{number(len(held.files), 'file')}"
        ),
        f"{held.bytes / 1e6:,.0f} MB with {number(len(held.versions), 'version')}"
        + (f", {share:.2f} times the size of the XML" if share is not None else ""),
        _mesh_text(one),
    ]
    if held.unfinished:
        lines.append("a further build was started and is not finished: run it again to resume")
    streams.show(form if json else "\n".join(lines))
    return 0


@index.command(cls=GroupedCommand)
def snapshots(
    folder: Annotated[str, _DIR],
    drop: Annotated[
        int | None,
        typer.Option("--drop", metavar="N", help="Forget version N.", min=1, show_default=False),
    ] = None,
    json: Annotated[bool, JSON] = False,
) -> int:
    """List the versions of an index, or drop one that is not the last."""

    if drop is not None:
        local.drop(folder, drop)
    versions = local.snapshots(folder)
    lines = (
        f"{one.number}  {one.day}  {number(one.citations, 'citation')}  {_mesh_text(one)}"
        for one in versions
    )
    form = {"versions": [_version_form(one) for one in versions]}
    streams.show(form if json else "\n".join(lines))
    return 0


def _version_form(one: local.Version) -> dict[str, object]:
    form = asdict(one)
    return {"version": form.pop("number"), **form}


def _mesh_text(one: local.Version) -> str:
    if one.mesh is None:
        return "no MeSH of its own"
    return f"MeSH {one.mesh_year}" if one.mesh_year else "MeSH of unknown year"
