"""``pubmedrs build``: candidate questions and answers from PubMed, by the published protocol."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clinfo.errors import UsageError

if TYPE_CHECKING:
    from pubmedrs.build.plan import Plan
    from pubmedrs.build.service import Service

_WHAT, _HOW, _OTHER = "What is taken", "Where from and to", "Instead of building"


def build(
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Folder of the build.", rich_help_panel=_HOW, show_default=False)
    ] = None,
    specialty: Annotated[
        list[str] | None,
        typer.Option(
            "--specialty",
            metavar="NAME",
            help="A specialty with all below it, or one subspecialty; may be repeated. [all]",
            rich_help_panel=_WHAT,
            show_default=False,
        ),
    ] = None,
    per_topic: Annotated[
        int | None,
        typer.Option(
            "--per-topic",
            metavar="N",
            help="Newest hits taken of each topic, at most 9,999. [500]",
            rich_help_panel=_WHAT,
            show_default=False,
        ),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="DATE", help="Published on that day or later (2021-10-01).", rich_help_panel=_WHAT, show_default=False
        ),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option("--to", metavar="DATE", help="Published on that day or earlier.", rich_help_panel=_WHAT, show_default=False),
    ] = None,
    most: Annotated[
        int | None,
        typer.Option(
            "--max", metavar="N", help="Stop when so many reviews are accepted. [all]", rich_help_panel=_WHAT, show_default=False
        ),
    ] = None,
    email: Annotated[
        str | None,
        typer.Option("--email", metavar="ADDRESS", help="Told to NCBI. [NCBI_EMAIL]", rich_help_panel=_HOW, show_default=False),
    ] = None,
    eutils_url: Annotated[
        str | None,
        typer.Option(
            "--eutils-url",
            metavar="URL",
            help="Address of the E-utilities. [CLINFO_EUTILS_URL, else NCBI]",
            rich_help_panel=_HOW,
            show_default=False,
        ),
    ] = None,
    batch: Annotated[
        int | None,
        typer.Option(
            "--batch", metavar="N", help="Records asked for at once, at most 200. [200]", rich_help_panel=_HOW, show_default=False
        ),
    ] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="No progress on stderr.", rich_help_panel=_HOW, show_default=False)
    ] = False,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Print each topic's query with its number of hits, and stop.",
            rich_help_panel=_OTHER,
            show_default=False,
        ),
    ] = False,
    measure_rules: Annotated[
        Path | None,
        typer.Option(
            "--measure-rules",
            metavar="CSV",
            help="Hold the rules against the annotators of the published CSV, and stop.",
            rich_help_panel=_OTHER,
            show_default=False,
        ),
    ] = None,
) -> int:
    """Build candidate questions with answers and references from PubMed's systematic reviews.

    Searches each medical specialty, keeps reviews with a labelled abstract and a question in their title, drops sentences about the
    review itself, and collects the references. Can be interrupted at any time and goes on where it stopped.

    Examples:  pubmedrs build --out build --specialty dermatology --from 2021-10-01

    pubmedrs build --dry-run --specialty asthma
    """
    if measure_rules is not None:
        return _measured(measure_rules)
    plan = _plan(specialty or [], per_topic, since, until, most, batch)
    service = _service(eutils_url, email)
    try:
        if dry_run:
            return _counted(plan, service)
        if out is None:
            raise UsageError("--out DIR says where the build goes (or --dry-run what would be searched)")
        return _built(plan, service, out, quiet)
    finally:
        service.close()


def _plan(
    names: list[str], per_topic: int | None, since: str | None, until: str | None, most: int | None, batch: int | None
) -> Plan:
    from pubmedrs.build.asking import BATCH
    from pubmedrs.build.plan import PER_TOPIC, Plan, checked
    from pubmedrs.build.topics import chosen, read_topics

    return checked(
        Plan(
            chosen(read_topics(), names),
            _day("--from", since),
            _day("--to", until),
            PER_TOPIC if per_topic is None else per_topic,
            most,
            BATCH if batch is None else batch,
        )
    )


def _day(flag: str, text: str | None) -> date | None:
    try:
        return None if text is None else date.fromisoformat(text)
    except ValueError:
        raise UsageError(f"{flag}: {text} is no date; write it like 2021-10-01") from None


def _service(address: str | None, email: str | None) -> Service:
    from clinfo.settings import load_settings
    from pubmedrs.build.service import Service

    settings = load_settings()
    key = settings.ncbi_api_key
    return Service(
        address or settings.eutils_url,
        key.get_secret_value() if key is not None else None,
        email or settings.ncbi_email,
        settings.eutils_rate,
    )


def _counted(plan: Plan, service: Service) -> int:
    from clinfo.cli import streams
    from clinfo.sources.outcomes import read_search

    total = 0
    for topic, query in plan.queries:
        found = read_search(service.esearch(query, 0), query)
        total += found.count
        streams.write(f"{found.count}\t{topic.specialty}\t{topic.subtopic}\t{query}\n")
    streams.say(f"{total:,} hits over {len(plan.topics):,} topics, repeats included")
    return 0


def _built(plan: Plan, service: Service, out: Path, quiet: bool) -> int:
    from datetime import UTC, datetime

    from clinfo.cli import streams
    from clinfo.cli.statuses import NOTHING_FOUND
    from clinfo.render.printable import one_line
    from pubmedrs.build.flow import as_markdown
    from pubmedrs.build.pipeline import build as carry_out

    def say(line: str) -> None:
        if not quiet:
            streams.say(one_line(line))

    built = carry_out(plan, service, out, datetime.now(UTC).date(), say)
    streams.show(as_markdown(built.flow).rstrip("\n"))
    return 0 if built.reviews else NOTHING_FOUND


def _measured(path: Path) -> int:
    from clinfo.cli import streams
    from pubmedrs.build.measured_text import page
    from pubmedrs.build.measuring import measure, read

    streams.show(page(measure(read(path))).rstrip("\n"))
    return 0
