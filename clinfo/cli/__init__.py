"""The command line: one module a subcommand; results on stdout, everything else on stderr.

Nothing heavy is imported here, so that ``--help`` is instant; a subcommand imports what it needs
when it runs.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Annotated

import typer

from clinfo import __version__
from clinfo.cli.ask import ask
from clinfo.cli.direction import direction
from clinfo.cli.doctor import doctor
from clinfo.cli.eutils import eutils
from clinfo.cli.help import GroupedCommand, needs_subcommand
from clinfo.cli.index import index
from clinfo.cli.integrity import integrity
from clinfo.cli.mesh import mesh
from clinfo.cli.retractions import retractions
from clinfo.cli.search import search
from clinfo.cli.verify import verify
from clinfo.console import streams
from clinfo.errors import Cancelled, ClinfoError, UsageError

DEBUG = "CLINFO_DEBUG"
"""Environment variable that, when set, has an internal error end in Python's own traceback."""

app = typer.Typer(
    name="clinfo",
    help=(
        "A clinical question in, a short answer and a cited synthesis of the literature out, every "
        "sentence checked."
    ),
    epilog='Begin with:  clinfo ask "Does yoga lower blood pressure?" --model extractive --source demo',  # noqa: E501
    invoke_without_command=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command(cls=GroupedCommand)(ask)
app.command()(search)
app.command()(eutils)
app.command()(verify)
app.command()(direction)
app.command("stance", hidden=True)(direction)
app.command(cls=GroupedCommand)(doctor)
app.add_typer(index)
app.add_typer(mesh)
app.command(cls=GroupedCommand)(integrity)
app.add_typer(retractions)


@app.callback()
def _without_subcommand(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", show_default=False)
    ] = False,
) -> None:
    if version:
        typer.echo(f"clinfo {__version__}")
        raise typer.Exit
    needs_subcommand(context)


def _said(error: ClinfoError) -> int:
    if str(error):
        streams.complain(str(error))
    return error.exit_status


# Typer publishes BadParameter only; its base covers unknown options, missing arguments and the
# like.
_TyperUsageError: type[Exception] = typer.BadParameter.__mro__[1]


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and give its exit status. Whatever goes wrong is said in one line on
    stderr.

    Where Typer itself writes to a pipe that its reader has left, it ends the process quietly with
    status 1.
    """
    streams.take_missing_stderr()
    try:
        status = app(args=arguments, prog_name="clinfo", standalone_mode=False)
        streams.flush()
        return status or 0
    except ClinfoError as error:
        return _said(error)
    except _TyperUsageError as error:
        command = getattr(getattr(error, "ctx", None), "command_path", "clinfo")
        streams.complain(f"{error.format_message()} ({command} --help lists the options)")  # type: ignore[attr-defined]
        return UsageError.exit_status
    except (KeyboardInterrupt, typer.Abort):
        streams.complain(streams.INTERRUPTED)
        return Cancelled.exit_status
    except (
        Exception
    ) as error:  # a fault of ours; its text may quote what was asked, so only its kind is told
        try:
            streams.flush(after=error)
        except streams.Unwritten as unwritten:  # Typer could not write a page of help
            return _said(unwritten)
        if os.environ.get(DEBUG):
            raise
        streams.complain(
            f"internal error; please report it: {type(error).__name__} ({DEBUG}=1 shows where)"
        )
        return ClinfoError.exit_status
