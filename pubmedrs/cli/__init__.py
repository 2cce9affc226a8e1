"""The command line of the data set: one module a subcommand; results on stdout, everything else on
stderr.

Nothing heavy is imported here, so that ``--help`` is instant; a subcommand imports what it needs
when it runs.
"""

from collections.abc import Sequence

import typer

from clinfo.cli import run as run_command_line
from clinfo.cli.help import GroupedCommand, needs_subcommand
from pubmedrs.cli.build import build
from pubmedrs.cli.check import check
from pubmedrs.cli.complaints import complain
from pubmedrs.cli.export import export
from pubmedrs.cli.fetch import fetch
from pubmedrs.cli.importing import import_sheets
from pubmedrs.cli.stats import stats

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


app.callback()(needs_subcommand)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and give its exit status. Whatever goes wrong is said in one line on
    stderr.
    """
    return run_command_line(arguments, app, "python -m pubmedrs", complain)
