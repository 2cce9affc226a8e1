"""``pubmedrs build``: candidate questions and answers from PubMed, by the published protocol."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clinfo.errors import NOTHING_FOUND, UsageError

if TYPE_CHECKING:
    from pubmedrs.build.asking import Service
    from pubmedrs.build.plan import Plan

_WHAT, _HOW, _OTHER = "What is taken", "Where from and to", "Instead of building"
_GO_ON = "run the same command again to resume"


def _flag(panel: str, name: str, metavar: str | None, text: str) -> Any:
    return typer.Option(name, metavar=metavar, help=text, rich_help_panel=panel, show_default=False)


def build(
    out: Annotated[Path | None, _flag(_HOW, "--out", "DIR", "Folder of the build.")] = None,
    specialty: Annotated[
        list[str] | None,
        _flag(
            _WHAT,
            "--specialty",
            "NAME",
            "A specialty with its subspecialties, or one subspecialty; repeatable. [all]",
        ),
    ] = None,
    since: Annotated[
        str | None, _flag(_WHAT, "--from", "DATE", "Published on that day or later (2021-10-01).")
    ] = None,
    until: Annotated[
        str | None, _flag(_WHAT, "--to", "DATE", "Published on that day or earlier.")
    ] = None,
    per_topic: Annotated[
        int | None,
        _flag(
            _WHAT, "--per-topic", "N", "Hits examined per topic, newest first, at most 9,999. [500]"
        ),
    ] = None,
    most: Annotated[
        int | None,
        _flag(
            _WHAT,
            "--max",
            "N",
            "Stop when this many reviews are accepted over all topics. [no limit]",
        ),
    ] = None,
    email: Annotated[
        str | None, _flag(_HOW, "--email", "ADDRESS", "Told to NCBI. [NCBI_EMAIL]")
    ] = None,
    eutils_url: Annotated[
        str | None,
        _flag(
            _HOW,
            "--eutils-url",
            "URL",
            "Address of the E-utilities. [CLINFO_EUTILS_URL, else NCBI]",
        ),
    ] = None,
    batch: Annotated[
        int | None,
        _flag(
            _HOW,
            "--batch",
            "N",
            "Records per request, at most 200; does not change the result. [200]",
        ),
    ] = None,
    quiet: Annotated[bool, _flag(_HOW, "--quiet", None, "No progress on stderr.")] = False,
    dry_run: Annotated[
        bool,
        _flag(
            _OTHER, "--dry-run", None, "Print each topic's query with its number of hits, and stop."
        ),
    ] = False,
) -> int:
    """Build candidate questions with answers and references from PubMed's systematic reviews.

    Searches each medical specialty, keeps reviews with a labelled abstract and a question in their
    title, drops sentences about the review itself, and collects the references. Every answer of
    PubMed is kept in the folder: a build that was stopped, in any way, resumes where it stopped
    when the same command is run again.

    Exit status: 0 built; 2 wrong usage, or a folder of another build; 3 nothing was accepted; 4
    PubMed failed; 130 interrupted.

    \b
    Examples:
      python -m pubmedrs build --specialty asthma --dry-run
      python -m pubmedrs build --out built --specialty dermatology --from 2021-10-01
    """
    plan = _plan(specialty or [], per_topic, since, until, most, batch)
    service = _service(eutils_url, email)
    try:
        if dry_run:
            return _counted(plan, service)
        if out is None:
            raise UsageError(
                "--out DIR names the folder of the build (or use --dry-run to see what would be "
                "searched)"
            )
        return _built(plan, service, out, quiet)
    finally:
        service.close()


def _plan(
    names: list[str],
    per_topic: int | None,
    since: str | None,
    until: str | None,
    most: int | None,
    batch: int | None,
) -> Plan:
    from pubmedrs.build.asking import BATCH
    from pubmedrs.build.plan import PER_TOPIC, Plan, checked, chosen, read_topics

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
        raise UsageError(f"{flag}: {text} is not a date; write it like 2021-10-01") from None


def _service(address: str | None, email: str | None) -> Service:
    from clinfo.settings import load_settings
    from pubmedrs.build.asking import Service

    settings = load_settings()
    key = settings.ncbi_api_key
    return Service(
        address or settings.eutils_url,
        key.get_secret_value() if key is not None else None,
        email or settings.ncbi_email,
        settings.eutils_rate,
    )


def _counted(plan: Plan, service: Service) -> int:
    from clinfo.console import streams
    from clinfo.sources.replies import read_search
    from clinfo.text.wording import number

    total = 0
    for topic, query in plan.queries:
        found = read_search(service.esearch(query, 0), query)
        total += found.count
        streams.write(f"{found.count}\t{topic.specialty}\t{topic.subtopic}\t{query}\n")
    streams.say(
        f"{number(total, 'hit')} over {number(len(plan.topics), 'topic')}, repeats included"
    )
    return 0


def _built(plan: Plan, service: Service, out: Path, quiet: bool) -> int:
    from datetime import UTC, datetime

    from clinfo.console import streams
    from clinfo.errors import Cancelled, SourceUnavailable
    from clinfo.text.wording import one_line
    from pubmedrs.build.finished import as_markdown
    from pubmedrs.build.pipeline import build as carry_out

    def say(line: str) -> None:
        if not quiet:
            streams.say(one_line(line))

    try:
        built = carry_out(plan, service, out, datetime.now(UTC).date(), say)
    except KeyboardInterrupt:
        raise Cancelled(f"interrupted: {_GO_ON}") from None
    except SourceUnavailable as error:
        raise SourceUnavailable(f"{error}; {_GO_ON}") from None
    streams.show(as_markdown(built.flow).rstrip("\n"))
    return 0 if built.reviews else NOTHING_FOUND
