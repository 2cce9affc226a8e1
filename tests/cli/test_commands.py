"""The commands by name: a table that is read without importing them."""

import inspect
import re
from importlib import import_module

import pytest
import typer

from clinfo.cli import COMMANDS, run
from clinfo.pipelines import PIPELINES


@pytest.mark.parametrize("name", COMMANDS)
def test_the_table_has_the_first_sentence_of_each_commands_help(name: str) -> None:
    command = getattr(import_module(f"clinfo.cli.{name}"), name)
    told = command.info.help if isinstance(command, typer.Typer) else inspect.getdoc(command)
    assert " ".join(told.partition("\n\n")[0].split()) == COMMANDS[name]


def test_six_commands_come_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    first, _, more = capsys.readouterr().out.partition("\nCommands:")[2].partition("\nMore:")
    assert re.findall(r"^  (\w+) ", first, re.MULTILINE) == list(COMMANDS)[:6]
    others = re.findall(r"^  (\w+)  ", more, re.MULTILINE)
    assert [one for one in others if one not in PIPELINES] == list(COMMANDS)[6:] != []
