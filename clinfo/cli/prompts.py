"""``clinfo prompts``: the prompts that come with the program, as files to be edited."""

from pathlib import Path
from typing import Annotated

import typer

from clinfo.cli.help import GroupedCommand, group
from clinfo.console import streams
from clinfo.errors import UsageError
from clinfo.files import file_errors
from clinfo.llm.prompts import PromptSet
from clinfo.pipelines import PIPELINES, pipeline

prompts = group("prompts", "Write the prompts to files, to be edited and given with --prompts.")


@prompts.command(cls=GroupedCommand)
def export(
    folder: Annotated[
        str, typer.Argument(metavar="DIR", help="A folder, made here.", show_default=False)
    ],
) -> int:
    """Write the prompts of every pipeline into a folder, one folder a pipeline.

    Give that folder, or one of those in it, to --prompts DIR. A file that is there is not
    overwritten.
    """

    written, there = 0, list[str]()
    for name in PIPELINES:
        own = Path(folder) / name
        with file_errors(f"{own} cannot be written"):
            own.mkdir(parents=True, exist_ok=True)
            for prompt, text in PromptSet.of(name, pipeline(name).stages).defaults().items():
                try:
                    with (own / f"{prompt}.md").open("x", encoding="utf-8") as file:
                        file.write(text)
                    written += 1
                except FileExistsError:
                    there.append(f"{name}/{prompt}.md")
    if not written:
        raise UsageError(f"{folder} holds these prompts already ({there[0]}, …): name another one")
    streams.write(
        f"{written} prompts in {folder}; use them with: clinfo ask … --prompts {folder}\n"
    )
    for one in there:
        streams.complain(f"{one} was there and is as it was")
    return 0
