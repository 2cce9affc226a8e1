"""``clinfo retractions``: a retraction list loaded onto this machine, and told about."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from clinfo.cli.help import JSON, GroupedCommand
from clinfo.console import streams
from clinfo.integrity.retractions import LOAD, Retractions, keep, list_path, loaded_list, read_lists
from clinfo.settings import load_settings
from clinfo.text.wording import number, one_line

retractions = typer.Typer(
    name="retractions",
    help="Show or replace the retraction list on this machine.",
    invoke_without_command=True,
    add_completion=False,
    rich_markup_mode=None,
)


@retractions.callback()
def state(context: typer.Context, json: Annotated[bool, JSON] = False) -> None:
    """Show the retraction list on this machine."""
    if context.invoked_subcommand is not None:
        return

    data_dir = load_settings().data_dir
    path = list_path(data_dir)
    held = loaded_list(data_dir)
    if held is None:
        missing = (
            f"there is no retraction list at {path}: load one with {LOAD} (the Retraction Watch "
            "CSV, PMIDs)"
        )
        streams.show({"loaded": False, "path": str(path)} if json else missing)
    else:
        streams.show({"loaded": True, **_form(held, path)} if json else _text(held, path))


@retractions.command(cls=GroupedCommand)
def load(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE",
            help=("Retraction Watch CSV or PMIDs, or .gz of it; all of them make one list."),
            show_default=False,
        ),
    ],
    json: Annotated[bool, JSON] = False,
) -> int:
    """Load a retraction list in place of the one before.

    The old list is replaced once the new files are read, so that entries withdrawn by their
    publisher disappear. To combine several lists, name all their files in one command.
    """

    data_dir = load_settings().data_dir
    held = read_lists(files)
    path = keep(held, data_dir)
    streams.show({"loaded": True, **_form(held, path)} if json else f"loaded {_text(held, path)}")
    return 0


def _form(held: Retractions, path: Path) -> dict[str, object]:
    loaded = held.loaded
    return {
        "name": loaded.name,
        "entries": len(held),
        "counts": held.counts(),
        "loaded_at": loaded.loaded_at,
        "files": [asdict(file) for file in loaded.files],
        "path": str(path),
    }


def _text(held: Retractions, path: Path) -> str:
    counts = held.counts()
    kinds = ", ".join(
        number(counts[nature], one, many)
        for nature, one, many in (
            ("retraction", "retraction", None),
            ("expression of concern", "expression of concern", "expressions of concern"),
            ("correction", "correction", None),
            ("reinstatement", "reinstatement", None),
        )
        if counts.get(nature)
    )
    lines = [
        (
            f"{number(len(held), 'entry', 'entries')} ({kinds}) on "
            f"{number(counts['retracted articles'], 'retracted article')}"
        )
    ]
    for file in held.loaded.files:
        left_out = [
            f"{number(file.unidentified, 'row')} without PMID and DOI left out"
            if file.unidentified
            else "",
            f"{number(file.unread, 'line')} could not be read" if file.unread else "",
        ]
        held_in = (
            f"from {one_line(file.name)} ({file.form}, {number(file.entries, 'entry', 'entries')})"
        )
        lines.append("; ".join([held_in, *(part for part in left_out if part)]))
    return "\n".join([*lines, f"loaded {held.loaded.loaded_at}", f"in {path}"])
