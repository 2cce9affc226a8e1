"""The systems under test: from a TOML file, from flags, and their form in run.json.

[[system]]
name = "small-model"                     # a folder's name: a-z 0-9 . _ -
model = "openai/gpt-4o-mini"             # the chain with this model in every stage
models = { synthesis = "openai/gpt-4o" } # … and another in single stages
cutoff = "2023-10-01"                    # end of the training data
options = { queries = 3, per_query = 16 }

[[system]]
name = "small-model-alone"
kind = "bare"                            # the model without retrieval
model = "openai/gpt-4o-mini"

[[system]]
name = "other-program"
command = ["python3", "other.py"]        # run in the folder of this file, without a shell; arguments that are files belong
                                         # to the run by what they hold, so name none that the program itself changes
environment = ["OTHER_API_KEY"]          # variables that it gets beside PATH, HOME and LANG
timeout = 300                            # seconds a question
"""  # noqa: E501

from __future__ import annotations

import os
import re
import shutil
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date
from hashlib import file_digest
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec

from benchmarks.pubmedrs200.running.records import Kind, System
from clinfo.errors import UsageError
from clinfo.files import file_errors
from clinfo.pipelines.literature.stages import JUDGE_STAGE, MODEL_STAGES

OPTIONS: Final = (
    "queries", "per_query", "max_articles", "rerank", "chase", "strategy", "judge", "strict",
    "repair", "filter", "limits", "from", "to", "term_counts", "allow_identifiers", "prompts",
)  # fmt: skip
"""Request fields that a chain system may set. What the run itself decides (question, regime,
source, seed) is not among them, nor are limits of time, which would make an answer depend on how
fast the machine is."""
LONGEST: Final = 86_400.0
"""Seconds: the longest time that a command may be given."""
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,79}")
Text = Annotated[str, msgspec.Meta(pattern=r"^[^\0]*[^\s\0][^\0]*$")]


class _Table(msgspec.Struct, forbid_unknown_fields=True):
    """A [[system]] table; what a field may hold is its type."""

    name: Annotated[str, msgspec.Meta(pattern=f"^{_NAME.pattern}$")]
    kind: Kind | None = None
    model: Text = ""
    models: dict[str, Text] = {}
    command: list[Annotated[str, msgspec.Meta(pattern=r"^[^\0]*$")]] = []
    environment: list[Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]] = []
    cutoff: date | None = None
    timeout: Annotated[float, msgspec.Meta(gt=0, le=LONGEST)] = 120.0
    options: dict[str, Any] = {}


def read_systems(path: Path) -> tuple[System, ...]:
    """The systems of a TOML file. Raises UsageError that names the system and what is wrong with
    it.
    """
    with file_errors(f"--systems: {path} cannot be read"):
        data = path.read_bytes()
    try:
        form = tomllib.loads(data.decode())
    except ValueError as error:
        raise UsageError(f"--systems: {path} is not TOML: {error}") from None
    tables = form.get("system")
    if form.keys() != {"system"} or not isinstance(tables, list) or not tables:
        raise UsageError(f"--systems: {path.name}: systems are listed as [[system]], nothing else")
    return tuple(_system(table, number, path.name) for number, table in enumerate(tables, 1))


def _system(form: Any, number: int, file: str) -> System:
    name = form.get("name") if isinstance(form, dict) else None
    where = f"--systems: {file}: system {name if isinstance(name, str) else number}"
    try:
        table = msgspec.convert(form, _Table)
    except msgspec.ValidationError as error:
        raise UsageError(f"{where}: {error}") from None
    kind: Kind = table.kind or ("command" if table.command else "chain")
    models = {**({"all": table.model} if table.model else {}), **table.models}
    only: tuple[tuple[str, bool, Kind], ...] = (
        ("command", bool(table.command), "command"),
        ("environment", bool(table.environment), "command"),
        ("options", bool(table.options), "chain"),
    )
    for field, given, of in only:
        if given and kind != of:
            raise UsageError(f"{where}: {field} goes with a {of} only")
    if kind == "command" and not (table.command and table.command[0].strip()):
        raise UsageError(f"{where}: command must list the program first")
    stages = (*MODEL_STAGES, JUDGE_STAGE)
    if unknown := sorted(models.keys() - {*stages, "all"}):
        what = f"unknown stage {unknown[0]!r}; stages are {', '.join(stages)}"
        raise UsageError(f"{where}: models: {what}")
    if kind == "bare" and set(models) != {"all"}:
        raise UsageError(f'{where}: a bare model needs model = "NAME" and nothing in models')
    lacking = [stage for stage in MODEL_STAGES if stage not in models]
    if kind == "chain" and "all" not in models and lacking:
        raise UsageError(f'{where}: no model for {", ".join(lacking)}; give model = "NAME"')
    if unknown := sorted(table.options.keys() - set(OPTIONS)):
        known = ", ".join(OPTIONS)
        raise UsageError(f"{where}: options: {unknown[0]!r} cannot be set; what can is {known}")
    options = {
        name: value.isoformat() if isinstance(value, date) else value
        for name, value in table.options.items()
    }
    cutoff = table.cutoff.isoformat() if table.cutoff else None
    command, environment = tuple(table.command), tuple(table.environment)
    timeout = table.timeout if kind == "command" else 120.0
    return System(table.name, kind, models, command, environment, cutoff, options, timeout)


def of_flags(models: Iterable[str], bare: Iterable[str]) -> list[System]:
    """The chain with each of the ``models``, and ``bare`` models, each named after its model."""
    found = [System(_name_of(model), "chain", {"all": model}) for model in models]
    return found + [System(f"{_name_of(model)}-bare", "bare", {"all": model}) for model in bare]


def _name_of(model: str) -> str:
    name = re.sub(r"[^a-z0-9._-]+", "-", model.lower()).strip("-._")
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"no name for a folder can be made of the model {model[:60]!r}; list it in a file for "
            "--systems"
        )
    return name


def usable(
    systems: Iterable[System], options: Mapping[str, Any], folder: Path
) -> tuple[System, ...]:
    """The systems, the chains among them with ``options`` wherever they do not have their own.
    Raises UsageError where there is none, for two of one name, and for a program or a variable of
    its that is not there.
    """
    found: dict[str, System] = {}
    for one in systems:
        if one.name in found:
            raise UsageError(
                f"two systems are called {one.name}; give one of them another name in a file for "
                "--systems"
            )
        for variable in one.environment:
            if variable not in os.environ:
                raise UsageError(
                    f"system {one.name}: the environment variable {variable} is not set"
                )
        if one.kind == "command":
            program = one.command[0]
            place = program if Path(program).name == program else str(folder / program)
            if shutil.which(place) is None:
                raise UsageError(
                    f"system {one.name}: there is no program {program!r} that can be started"
                )
        own = {**options, **one.options} if one.kind == "chain" else one.options
        found[one.name] = replace(one, options=own)
    if not found:
        raise UsageError("no system to run: give --model NAME, --bare NAME or --systems FILE.toml")
    return tuple(found.values())


def recorded(system: System, folder: Path) -> dict[str, Any]:
    """A system's form in run.json; ``folder`` is where commands are run.

    Absolute paths in a command are cut to their last part: they differ between machines. What the
    files among its parts hold is kept as their SHA-256, so that a run is not resumed by another
    program of the same name. Raises UsageError for a file that cannot be read.
    """
    command, hashes = [], []
    for number, part in enumerate(system.command):
        command.append(Path(part).name if Path(part).is_absolute() else part)
        file = folder / part
        if (number or Path(part).name != part) and len(part) < 1_000 and file.is_file():
            with (
                file_errors(f"system {system.name}: {file.name} cannot be read"),
                file.open("rb") as opened,
            ):
                hashes.append(file_digest(opened, "sha256").hexdigest())
    of_command = system.kind == "command"
    return {
        "name": system.name,
        "kind": system.kind,
        "models": dict(system.models),
        "command": command,
        "files": hashes if of_command else None,
        "environment": list(system.environment),
        "cutoff": system.cutoff,
        "timeout": system.timeout if of_command else None,
        "options": dict(sorted(system.options.items())),
    }
