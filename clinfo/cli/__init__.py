"""The command line: one module a subcommand; results on stdout, everything else on stderr.

A subcommand is imported when it is called, so that ``--help`` is instant; what weighs most of what
it needs, when it runs.
"""

import os
import shlex
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group

from clinfo import __version__
from clinfo.cli.help import GroupedCommand, needs_subcommand
from clinfo.console import streams
from clinfo.errors import Cancelled, ClinfoError, UsageError
from clinfo.pipelines import DEFAULT, PIPELINES
from clinfo.text.wording import did_you_mean

DEBUG = "CLINFO_DEBUG"
"""Environment variable that, when set, has an internal error end in Python's own traceback."""

COMMANDS = {
    "ask": "Answer a question from the literature.",
    "search": "Search with a PubMed query and show its hits.",
    "trials": "Read what each trial concludes from its full-text papers.",
    "chart": "Ask one patient's record; its notes, quoted.",
    "cohort": "Find the patients who match criteria, each with the evidence.",
    "copilot": "Load silos of documents and ask them.",
    "verify": "Judge sentences against the articles they cite.",
    "integrity": "Check a reference list for retractions and corrections.",
    "retractions": "Show or replace the retraction list on this machine.",
    "index": "Build and search a PubMed of your own on this machine.",
    "eutils": "Serve NCBI's E-utilities from a local index.",
    "mesh": "Load Medical Subject Headings (MeSH) and look up terms.",
    "prompts": "Write the prompts to files, to be edited and given with --prompts.",
    "mcp": "Serve tools to agents of other programs (MCP).",
    "doctor": "Show what to do next: what is configured, reachable and installed.",
}
"""Modules of this room that hold a command of that name, with the first sentence of its help."""
FIRST = 6
"""So many of them come first in the help; the others stand under "More"."""
GONE = {
    "--check-again": "a saved run is shown as it was recorded; ask again to have it judged again",
    "direction": "name a model, which reads each article of an answer (clinfo ask --model NAME)",
}
"""Flags and commands of earlier versions, with the line that answers them."""
GONE["stance"] = GONE["direction"]
QUOTED = tuple(f"clinfo {name}" for name in ("ask", "search", "trials", "copilot ask"))
"""Commands of which the last argument is a question or a query."""
_GROUPED = ("ask", "trials", "doctor", "integrity", "mcp")


def _opened(name: str) -> Any:
    """The command or group of commands of that name, imported."""
    if name in COMMANDS:
        found = getattr(import_module(f"clinfo.cli.{name}"), name)
    else:
        from clinfo.cli.flags import command_of

        found = command_of(name)
    holder = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)
    if isinstance(found, typer.Typer):
        holder.add_typer(found)
    else:
        grouped = name in _GROUPED or name not in COMMANDS
        holder.command(name, cls=GroupedCommand if grouped else None)(found)
    return get_group(holder).commands[name]


def _every() -> dict[str, str]:
    """`COMMANDS`, and the pipelines that have none among them."""
    others = [name for name in PIPELINES if name != DEFAULT and name not in COMMANDS]
    return {**COMMANDS, **{name: f"Ask the pipeline {name}." for name in others}}


class _Commands(TyperGroup):
    """The commands by name and sentence; one is imported when it is called."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        for name, told in _every().items():
            self.add_command(TyperCommand(name, help=told))

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        shown = list(_every().items())
        for heading, records in (("Commands", shown[:FIRST]), ("More", shown[FIRST:])):
            with formatter.section(heading):
                formatter.write_dl(records)

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[Any, Any, list[str]]:
        if args[0] in GONE:
            raise UsageError(_gone(args[0]))
        if " " in args[0].strip():
            raise UsageError(
                f"no command is called so; to ask it: clinfo ask {shlex.quote(args[0])}"
            )
        name, command, rest = super().resolve_command(ctx, args)
        return name, _opened(name) if name in _every() else command, rest


app = typer.Typer(
    name="clinfo",
    cls=_Commands,
    help=(
        "A clinical question in, a short answer and a cited synthesis of the literature out, every "
        "sentence checked."
    ),
    epilog='Begin with:  clinfo ask "Does yoga lower blood pressure?" --model extractive --source demo',  # noqa: E501
    invoke_without_command=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"]},
)


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


def _gone(name: str) -> str:
    return f"{name} is no longer there: {GONE[name]}"


def _said(error: ClinfoError, complain: Callable[[str], None]) -> int:
    if str(error):
        complain(str(error))
    return error.exit_status


# Typer publishes BadParameter only; its base covers unknown options, missing arguments and the
# like.
_TyperUsageError: type[Exception] = typer.BadParameter.__mro__[1]


def run(
    arguments: Sequence[str] | None = None,
    app: typer.Typer = app,
    name: str = "clinfo",
    complain: Callable[[str], None] = streams.complain,
) -> int:
    """Run a command line (of ``app``, called ``name``) and give its exit status. Whatever goes
    wrong is said in one line on stderr.

    Where Typer itself writes to a pipe that its reader has left, it ends the process quietly with
    status 1.
    """
    streams.take_missing_stderr()
    try:
        status = app(args=arguments, prog_name=name, standalone_mode=False)
        streams.flush()
        return status or 0
    except ClinfoError as error:
        return _said(error, complain)
    except _TyperUsageError as error:
        command = getattr(getattr(error, "ctx", None), "command_path", name)
        said = error.format_message().replace("Value error, ", "")  # type: ignore[attr-defined]
        gone = getattr(error, "option_name", None)
        given = sys.argv[1:] if arguments is None else arguments
        if dashed := next((one[:40] for one in given if one.startswith((*"—–−",))), ""):
            meant = f"--{dashed.lstrip('—–−-')}"
            said = f"{dashed} begins with the dash of a word processor: write {meant}"
        elif said.startswith("Got unexpected extra argument") and command in QUOTED:
            said = 'put the question in quotation marks, as in "Does yoga lower blood pressure?"'
        wrong, unknown, choices = said.partition(" is not one of ")
        if unknown:
            said += did_you_mean(wrong.split("'")[-2], choices.strip("'.").split("', '"))
        complain(_gone(gone) if gone in GONE else f"{said} ({command} --help lists the options)")
        return UsageError.exit_status
    except (KeyboardInterrupt, typer.Abort):
        complain(streams.INTERRUPTED)
        return Cancelled.exit_status
    except (
        Exception
    ) as error:  # a fault of ours; its text may quote what was asked, so only its kind is told
        try:
            streams.flush(after=error)
        except streams.Unwritten as unwritten:  # Typer could not write a page of help
            return _said(unwritten, complain)
        if os.environ.get(DEBUG):
            raise
        complain(
            f"internal error; please report it: {type(error).__name__} ({DEBUG}=1 shows where)"
        )
        return ClinfoError.exit_status
