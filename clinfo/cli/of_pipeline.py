"""The command of a pipeline that has none of its own, made of its declaration: a question and its
options in, the JSON answer out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from clinfo.cli.flags import refused, with_options
from clinfo.cli.help import Events, Overwrite, Quiet, Replay, Save, flag
from clinfo.cli.running import anew, replayed
from clinfo.console import streams
from clinfo.errors import FieldError, UsageError
from clinfo.pipelines import pipeline
from clinfo.runs.run_log import RunLog
from clinfo.settings import load_settings


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
        events: Events = False,
        quiet: Quiet = False,
        save: Save = None,
        overwrite: Overwrite = False,
        replay: Replay = None,
        options: Any = None,
    ) -> int:
        def show(run_log: RunLog) -> int:
            if not events and (answer := spec.answer(run_log)) is not None:
                streams.show(answer)
            return 0

        if replay is not None:
            return replayed(spec, replay, show, events=events)
        settings = load_settings()
        models = spec.chosen_models(settings, model)
        if question is None or not all(models.values()):
            missing = "a question is" if question is None else "--model NAME or CLINFO_MODEL is"
            raise UsageError(f"{missing} missing")
        given = {flags[one].field: value for one, value in options.items() if value is not None}
        try:
            request = spec.options.request(question=question, models=models, **given)
        except FieldError as error:
            raise refused(error, flags) from None
        return anew(
            spec, settings, request, show,
            save=save, overwrite=overwrite, events=events, quiet=quiet,
        )  # fmt: skip

    command.__doc__ = f"Ask the pipeline {name}; its answer is JSON."
    return command
