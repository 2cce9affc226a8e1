"""Commands: help pages in plain text, with the flags grouped under headings.

Typer groups flags only when rich draws the page, and importing rich more than doubles the time that
``--help`` takes.
"""

from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from clinfo.console.streams import INTERRUPTED
from clinfo.errors import Cancelled, UsageError

JSON = typer.Option("--json", help="As JSON.", show_default=False)
OUTPUT = "Output"
RECORD = "Saved runs"


def flag(
    name: str,
    text: str,
    panel: str | None = None,
    metavar: str | None = None,
    least: float | None = None,
) -> Any:
    """A flag under the heading ``panel``, if any, its default told in ``text``; a number is at
    ``least`` so much.
    """
    return typer.Option(
        name, help=text, rich_help_panel=panel, metavar=metavar, min=least, show_default=False
    )


def refuse(*faults: tuple[object, str]) -> None:
    """Raise UsageError for the first of ``faults`` that is there, each with what is said of it."""
    for fault, told in faults:
        if fault:
            raise UsageError(told)


JsonAnswer = Annotated[bool, flag("--json", "The answer as JSON.", OUTPUT)]
Quiet = Annotated[bool, flag("--quiet", "No progress on stderr.", OUTPUT)]
Events = Annotated[bool, flag("--events", "One JSON event per line as it happens.", OUTPUT)]
Save = Annotated[
    str | None,
    flag("--save", "Save the run's events; an unfinished run is resumed.", RECORD, "FILE"),
]
Overwrite = Annotated[
    bool, flag("--overwrite", "Let --save replace the contents of the file.", RECORD)
]
Replay = Annotated[
    str | None, flag("--replay", "Show a saved run; nothing is asked.", RECORD, "FILE")
]
"""Flags of every command that carries out a run."""


def group(name: str, help: str) -> typer.Typer:
    """A command of several subcommands, which shows its help where none of them is named."""
    made = typer.Typer(
        name=name,
        help=help,
        invoke_without_command=True,
        add_completion=False,
        rich_markup_mode=None,
    )
    made.callback()(needs_subcommand)
    return made


def needs_subcommand(context: typer.Context) -> None:
    """Show the help, and end as after wrong usage, where no subcommand is named."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), err=True)
        raise typer.Exit(UsageError.exit_status)


class GroupedCommand(TyperCommand):
    """A command whose help lists its flags by their ``rich_help_panel``, in the order in which the
    panels first appear.

    Ctrl-C within it is raised as Cancelled; Typer would end without a word.
    """

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise Cancelled(INTERRUPTED) from None

    def format_options(self, ctx: Any, formatter: Any) -> None:
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            if (record := parameter.get_help_record(ctx)) is not None:
                default = "Arguments" if parameter.param_type_name == "argument" else "Other"
                groups.setdefault(
                    getattr(parameter, "rich_help_panel", None) or default, []
                ).append(record)
        for heading, records in groups.items():
            with formatter.section(heading):
                formatter.write_dl(records)
