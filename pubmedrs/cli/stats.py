"""``pubmedrs stats``: figures about a data set file."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from clinfo.console import streams


def stats(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="The published CSV, or a data set built or repaired here.",
            show_default=False,
        ),
    ],
    json: Annotated[bool, typer.Option("--json", help="As JSON.", show_default=False)] = False,
) -> int:
    """Show figures about a data set in its repaired form: specialties, dates, lengths, references,
    subsets and their hashes.

    Exit status: 0; 2 the file cannot be read.

    \b
    Example:
      python -m pubmedrs stats PubMedRS-200.csv --json
    """
    from pubmedrs.figures import figures
    from pubmedrs.reading import load

    found: Mapping[str, Any] = figures(load(file))
    streams.show(found if json else _text(file, found))
    return 0


def _text(file: str, found: Mapping[str, Any]) -> str:
    from pathlib import Path

    published, references = found["published"], found["references"]
    lines = [
        f"{Path(file).name}: {found['rows']:,} rows, {found['reviews']:,} reviews",
        f"SHA-256 {found['sha256']}",
        "",
        f"Specialties ({len(found['specialties'])}, with {found['subtopics']} subtopics)",
        *(f"  {name or '(none)':<32}{count:>5,}" for name, count in found["specialties"].items()),
        "",
        f"Published {published['first']} to {published['last']}",
        *(f"  {year:<32}{count:>5,}" for year, count in published["years"].items()),
        "",
        f"{'Words':<20}{'least':>8}{'median':>10}{'mean':>10}{'most':>8}",
        *(_spread(name, one) for name, one in found["words"].items()),
        _spread("references", references["per_review"]),
        "",
        f"References: {references['total']:,}, {references['distinct']:,} distinct",
        f"Reviews without references: {references['reviews_without']:,}",
        "",
        "Subsets",
    ]
    for one in found["subsets"]:
        split = f"{one['before']:,} published before {one['split_at']}, {one['from']:,} from it on"
        lines += [
            f"  {one['name']:<10} n = {one['n']:,}: {split}",
            f"    SHA-256 of the ids {one['sha256']}",
        ]
    lines += [f"  {name:<10} not here: {why}" for name, why in found["subsets_missing"].items()]
    return "\n".join(lines)


def _spread(name: str, one: Mapping[str, Any] | None) -> str:
    if one is None:
        return f"  {name:<18}{'none':>8}"
    return (
        " "
        " "
        f"{name:<18}{one['least']:>8,}{one['median']:>10,.1f}{one['mean']:>10,.1f}{one['most']:>8,}"
    )
