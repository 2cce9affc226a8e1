"""Flags made of the declared options of a request, the forms that articles and answers can be
written down in, and the commands of pipelines that have none of their own.
"""

import inspect
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from clinfo.cli.help import Events, Overwrite, Quiet, Replay, Save, flag
from clinfo.cli.running import anew, replayed
from clinfo.console import streams
from clinfo.errors import FieldError, UsageError
from clinfo.extras import needed
from clinfo.files import file_errors
from clinfo.pipelines import pipeline
from clinfo.references import registry
from clinfo.runs.options import Declared
from clinfo.runs.pipeline import Pipeline
from clinfo.runs.run_log import RunLog
from clinfo.settings import Settings, load_settings

REFERENCE_FORMATS = tuple(one.name for one in registry.specs())
OFFICE = {"docx": "docx", "xlsx": "openpyxl"}
"""Forms that are no text, with the package that each needs."""
FORMATS = ("text", "markdown", "json", *REFERENCE_FORMATS, "prisma-s", *OFFICE)

Include = Literal["cited", "relevant", "all"]
if TYPE_CHECKING:
    Format = str
    ExportFormat = str
    Style = str
else:  # the command line takes the members of an enumeration, and nothing else
    Format = StrEnum("Format", {name: name for name in FORMATS})
    ExportFormat = StrEnum("ExportFormat", {name: name for name in registry.growing()})
    Style = StrEnum("Style", {name: name for name in registry.styles()})

_RUN: Mapping[str, Any] = {
    "events": Events, "quiet": Quiet, "save": Save, "overwrite": Overwrite, "replay": Replay,
}  # fmt: skip
"""The flags of every command that carries out a run."""


@dataclass(frozen=True)
class Kept:
    """The flags of a run as they were given: what is written of it, and where it is kept."""

    options: Mapping[str, Declared]
    events: bool = False
    quiet: bool = True
    save: str | None = None
    overwrite: bool = False
    replay: str | None = None

    def run(
        self,
        pipeline: Pipeline[Any, Any],
        show: Callable[..., int],
        asked: Callable[[Settings], tuple[Settings, Any]],
        question: str | None = None,
        **ways: Any,
    ) -> int:
        """Show the saved run that is named, else carry out the request that is ``asked`` under the
        settings, as `running.replayed` and `running.anew` do in these ``ways``; ``show`` is told
        whether ``events`` were written. A saved run of another ``question`` is refused. The exit
        status.
        """

        shown = partial(show, events=self.events)
        ways["events"] = self.events
        if self.replay is not None:
            return replayed(pipeline, self.replay, shown, question=question, **ways)
        try:
            settings, request = asked(load_settings())
        except FieldError as error:
            raise refused(error, self.options) from None
        return anew(
            pipeline, settings, request, shown,
            save=self.save, overwrite=self.overwrite, quiet=self.quiet, **ways,
        )  # fmt: skip


def flag_of(name: str, options: Mapping[str, Declared]) -> str:
    """The flag of an option, ``--name`` unless it is declared otherwise."""
    return options[name].option.flag or f"--{name.replace('_', '-')}"


def turns_off(one: Declared) -> bool:
    """Return whether the flag says what is not to be done."""
    return one.option.flag.startswith("--no-")


def refused(error: FieldError, options: Mapping[str, Declared]) -> UsageError:
    """The error of a field as the command line names it."""
    field = error.field
    if field == "question":
        return UsageError(f"the question {error.fault}")
    name = flag_of(field, options).partition("/")[0] if field in options else field
    return UsageError(f"{name}: {error.fault}")


def with_options(
    options: Mapping[str, Declared], after: str = "question", quiet: bool = True
) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Give a command the flags of ``options`` behind its parameter ``after``; it gets their values
    by name as its parameter ``options``, which must be the last. In the place of a parameter
    ``kept`` it gets the flags of a run, as `Kept`; ``quiet`` says whether --quiet is among them.
    """

    def made(command: Callable[..., int]) -> Callable[..., int]:
        *own, _ = inspect.signature(command, eval_str=True).parameters.values()
        names = [one.name for one in own]
        of_run = [one for one in _RUN if quiet or one != "quiet"] if "kept" in names else []
        if of_run:
            place = names.index("kept")
            own[place : place + 1] = [
                inspect.Parameter(
                    one,
                    inspect.Parameter.KEYWORD_ONLY,
                    default=None if one in ("save", "replay") else False,
                    annotation=_RUN[one],
                )
                for one in of_run
            ]
        place = names.index(after) + 1
        own[place:place] = [_parameter(name, one, options) for name, one in options.items()]
        every = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in own]

        def asked(**given: Any) -> int:
            values = {name: given.pop(f"{name}_") for name in options}
            if of_run:
                given["kept"] = Kept(options, **{name: given.pop(name) for name in of_run})
            return command(**given, options=values)

        asked.__name__, asked.__doc__ = command.__name__, command.__doc__
        asked.__signature__ = inspect.Signature(every, return_annotation=int)  # type: ignore[attr-defined]
        asked.__annotations__ = {one.name: one.annotation for one in every}
        return asked

    return made


def _parameter(name: str, one: Declared, options: Mapping[str, Declared]) -> inspect.Parameter:
    """An option as a parameter of a command; its default is told where nobody gives it."""
    option, switch = one.option, one.kind is bool
    counted = one.kind in (int, float) and one.default is not None
    shown = option.default or (
        f"{one.default:g}" if counted else str(one.default) if one.choices and one.default else ""
    )
    told = f"{option.help} [{shown}]" if shown else option.help
    kind = list[str] if one.several else one.kind if one.kind in (int, float) else str
    return inspect.Parameter(
        f"{name}_",  # ``from`` is no name
        inspect.Parameter.KEYWORD_ONLY,
        default=one.default and not turns_off(one) if switch else None,
        annotation=Annotated[
            bool if switch else kind | None,
            flag(
                flag_of(name, options),
                told,
                option.group,
                option.metavar or ("|".join(one.choices) if not one.several else None) or None,
            ),
        ],
    )


def held(flag: str, text: str, longest: int | None = None) -> str:
    """A value, or the whole of the file that ``@FILE`` names (``@-`` is standard input), of which
    ``longest`` characters can be used. Raises UsageError.
    """
    if not text.startswith("@"):
        return text
    if text == "@-" and sys.stdin is None:
        raise UsageError(f"{flag}: @- reads from standard input, which is closed")
    failed = f"{flag}: the file {text[1:]} cannot be read"
    most = None if longest is None else 4 * longest + 1  # bytes that UTF-8 takes at most, and one
    try:
        with file_errors(failed):
            if text == "@-":
                return sys.stdin.read()
            with Path(text[1:]).open("rb") as file:
                data = file.read(most)
        if len(data) == most:
            raise UsageError(f"{flag}: {text[1:]} is longer than {longest:,} characters")
        return data.decode("utf-8-sig")
    except UnicodeError:
        raise UsageError(f"{failed}: it is not UTF-8 text") from None


def plot_file(name: str | None, *endings: str) -> Path | None:
    """The file of a plot. Raises UsageError where it cannot be drawn, before anything is paid."""
    if name is None:
        return None
    path = Path(name)
    if path.suffix.lower() not in endings:
        some = f"{', '.join(endings[:-1])} or {endings[-1]}"
        raise UsageError(f"--plot: the name of the file must end in {some}")
    if path.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
        raise UsageError(f"--plot: {path} cannot be written")
    needed("matplotlib", "plots")
    return path


def command_of(name: str) -> Callable[..., int]:
    """The command of the pipeline of this name."""
    spec = pipeline(name)
    flags = {one: option for one, option in spec.options.at("cli").items() if one != "question"}

    @with_options(flags)
    def command(
        question: Annotated[
            str | None, typer.Argument(help="The question, in quotes.", show_default=False)
        ] = None,
        model: Annotated[
            str | None,
            flag("--model", "The model of every stage. [CLINFO_MODEL]", "Models", "NAME"),
        ] = None,
        *,
        kept: Kept,
        options: Mapping[str, Any],
    ) -> int:
        def show(run_log: RunLog, events: bool) -> int:
            if not events and (answer := spec.answer(run_log)) is not None:
                streams.show(answer)
            return 0

        def asked(settings: Settings) -> tuple[Settings, Any]:
            models = spec.chosen_models(settings, model)
            if question is None or not all(models.values()):
                missing = "a question is" if question is None else "--model NAME or CLINFO_MODEL is"
                raise UsageError(f"{missing} missing")
            return settings, spec.options.request(question=question, models=models, **options)

        return kept.run(spec, show, asked)

    command.__doc__ = f"Ask the pipeline {name}; its answer is JSON."
    return command
