"""The command line of the data set: one module a subcommand; results on stdout, everything else on
stderr.

Nothing heavy is imported here, so that ``--help`` is instant; a subcommand imports what it needs
when it runs.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import typer

from clinfo.cli.help import GroupedCommand
from clinfo.console import streams
from clinfo.errors import Cancelled, ClinfoError, UsageError
from pubmedrs.cli.build import build
from pubmedrs.cli.check import check
from pubmedrs.cli.complaints import complain
from pubmedrs.cli.export import export
from pubmedrs.cli.fetch import fetch
from pubmedrs.cli.importing import import_sheets
from pubmedrs.cli.stats import stats

DEBUG = "CLINFO_DEBUG"
"""Environment variable that, when set, has an internal error end in Python's own traceback."""

app = typer.Typer(
    name="pubmedrs",
    help="The PubMedRS-200 data set: fetch, check, repair, describe, rebuild and annotate it.",
    epilog="Begin with:  python -m pubmedrs fetch  and  python -m pubmedrs check PubMedRS-200.csv",
    invoke_without_command=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command(cls=GroupedCommand)(fetch)
app.command(cls=GroupedCommand)(check)
app.command(cls=GroupedCommand)(stats)
app.command(cls=GroupedCommand)(build)
app.command(cls=GroupedCommand)(export)
app.command("import", cls=GroupedCommand)(import_sheets)


@app.callback()
def _without_subcommand(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), err=True)
        raise typer.Exit(UsageError.exit_status)


# Typer publishes BadParameter only; its base covers unknown options, missing arguments and the
# like.
_TyperUsageError: type[Exception] = typer.BadParameter.__mro__[1]


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and give its exit status. Whatever goes wrong is said in one line on
    stderr.
    """
    streams.take_missing_stderr()
    try:
        status = app(args=arguments, prog_name="python -m pubmedrs", standalone_mode=False)
        streams.flush()
        return status or 0
    except ClinfoError as error:
        if str(error):
            complain(str(error))
        return error.exit_status
    except _TyperUsageError as error:
        command = getattr(getattr(error, "ctx", None), "command_path", "python -m pubmedrs")
        complain(f"{error.format_message()} ({command} --help lists the options)")  # type: ignore[attr-defined]
        return UsageError.exit_status
    except (KeyboardInterrupt, typer.Abort):
        complain("interrupted")
        return Cancelled.exit_status
    except Exception as error:
        if os.environ.get(DEBUG):
            raise
        complain(
            f"internal error; please report it: {type(error).__name__} ({DEBUG}=1 shows where)"
        )
        return ClinfoError.exit_status
