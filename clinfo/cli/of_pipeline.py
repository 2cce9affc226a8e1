"""The command of a pipeline that has none of its own, made of its declaration: a question and its
options in, the JSON answer out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from clinfo.cli.flags import with_options
from clinfo.cli.help import flag
from clinfo.console import streams
from clinfo.errors import UsageError
from clinfo.pipelines import pipeline
from clinfo.runs.run_log import RunLog
from clinfo.settings import Settings


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
        kept: Any = None,
        options: Any = None,
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

        run: int = kept.run(spec, show, asked)
        return run

    command.__doc__ = f"Ask the pipeline {name}; its answer is JSON."
    return command
