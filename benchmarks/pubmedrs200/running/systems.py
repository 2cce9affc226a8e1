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

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any, Final

from benchmarks.pubmedrs200.running.records import Kind, System
from clinfo.errors import UsageError
from clinfo.pipelines.literature.declared import JUDGE_STAGE, MODEL_STAGES

OPTIONS: Final = (
    "queries",
    "per_query",
    "max_articles",
    "rerank",
    "chase",
    "strategy",
    "judge",
    "strict",
    "repair",
    "filter",
    "limits",
    "from",
    "to",
    "term_counts",
    "allow_identifiers",
    "prompts",
)
"""Request fields that a chain system may set. What the run itself decides (question, regime,
source, seed) is not among them, nor are limits of time, which would make an answer depend on how
fast the machine is."""
KEYS: Final = (
    "name",
    "kind",
    "model",
    "models",
    "command",
    "environment",
    "cutoff",
    "timeout",
    "options",
)
LONGEST: Final = 86_400.0
"""Seconds: the longest time that a command may be given."""
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,79}")
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_KINDS: Final[tuple[Kind, ...]] = ("chain", "bare", "command")


def read_systems(path: Path) -> tuple[System, ...]:
    """The systems of a TOML file. Raises UsageError that names the system and what is wrong with
    it.
    """
    try:
        form = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(
            f"--systems: {path} cannot be read: {error.strerror or 'unknown'}"
        ) from None
    except UnicodeDecodeError:
        raise UsageError(f"--systems: {path} is not UTF-8 text") from None
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"--systems: {path} is not TOML: {error}") from None
    if unknown := sorted(form.keys() - {"system"}):
        raise UsageError(
            f"--systems: {path.name}: unknown key {unknown[0]!r}; systems are listed as [[system]]"
        )
    tables = form.get("system")
    if (
        not isinstance(tables, list)
        or not tables
        or not all(isinstance(table, dict) for table in tables)
    ):
        raise UsageError(f"--systems: {path.name} lists no system; each begins with [[system]]")
    return tuple(_system(table, number, path.name) for number, table in enumerate(tables, 1))


def chain_of(model: str) -> System:
    """The chain with one model in every stage, named after it."""
    return System(_name_of(model), "chain", {"all": model})


def bare_of(model: str) -> System:
    """A model without retrieval, named after it."""
    return System(f"{_name_of(model)}-bare", "bare", {"all": model})


def distinct(systems: Iterable[System]) -> tuple[System, ...]:
    """The systems as they are. Raises UsageError where there is none, and for two of one name."""
    found: dict[str, System] = {}
    for system in systems:
        if system.name in found:
            raise UsageError(
                f"two systems are called {system.name}; give one of them another name in a file "
                "for --systems"
            )
        found[system.name] = system
    if not found:
        raise UsageError("no system to run: give --model NAME, --bare NAME or --systems FILE.toml")
    return tuple(found.values())


def with_options(systems: Iterable[System], options: Mapping[str, Any]) -> tuple[System, ...]:
    """The systems, the chains among them with ``options`` wherever they do not have their own."""
    return tuple(
        replace(one, options={**options, **one.options}) if one.kind == "chain" else one
        for one in systems
    )


def recorded(system: System, folder: Path) -> dict[str, Any]:
    """A system's form in run.json; ``folder`` is where commands are run.

    Absolute paths in a command are cut to their last part: they differ between machines. What the
    files among its parts hold is kept as their SHA-256, so that a run is not resumed by another
    program of the same name. Raises UsageError for a file that cannot be read.
    """
    return {
        "name": system.name,
        "kind": system.kind,
        "models": dict(system.models),
        "command": [
            Path(part).name if Path(part).is_absolute() else part for part in system.command
        ],
        "files": _hashes(system, folder) if system.kind == "command" else None,
        "environment": list(system.environment),
        "cutoff": system.cutoff,
        "timeout": system.timeout if system.kind == "command" else None,
        "options": dict(sorted(system.options.items())),
    }


def _hashes(system: System, folder: Path) -> list[str]:
    """SHA-256 of the parts of a command that are files, in their order; a program that is looked up
    in PATH is none.
    """
    from hashlib import file_digest

    found = []
    for number, part in enumerate(system.command):
        path = folder / part
        if (number or Path(part).name != part) and _is_file(path):
            try:
                with path.open("rb") as file:
                    found.append(file_digest(file, "sha256").hexdigest())
            except OSError as error:
                raise UsageError(
                    f"system {system.name}: {path.name} cannot be read: "
                    f"{error.strerror or 'unknown'}"
                ) from None
    return found


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # an argument that is not a path, longer than names of files may be
        return False


def _name_of(model: str) -> str:
    name = re.sub(r"[^a-z0-9._-]+", "-", model.lower()).strip("-._")
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"no name for a folder can be made of the model {model[:60]!r}; list it in a file for "
            "--systems"
        )
    return name


def _system(table: Mapping[str, Any], number: int, file: str) -> System:
    name = table.get("name")
    where = f"--systems: {file}: system {name if isinstance(name, str) else number}"
    if not isinstance(name, str):
        raise UsageError(f"{where}: name is missing")
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{where}: its name is also a folder's: a-z 0-9 . _ - only, at most 80, a letter or "
            "digit first"
        )
    if unknown := sorted(table.keys() - set(KEYS)):
        raise UsageError(f"{where}: unknown key {unknown[0]!r}; known are {', '.join(KEYS)}")
    kind = table.get("kind", "command" if "command" in table else "chain")
    if kind not in _KINDS:
        raise UsageError(f"{where}: kind is {str(kind)[:40]!r}; choose one of {', '.join(_KINDS)}")
    system = System(
        name,
        kind,
        models=_models(table, kind, where),
        command=_command(table, kind, where),
        environment=_environment(table, kind, where),
        cutoff=_cutoff(table, where),
        options=_options(table, kind, where),
    )
    return replace(system, timeout=_timeout(table, where)) if kind == "command" else system


def _models(table: Mapping[str, Any], kind: str, where: str) -> dict[str, str]:
    models = table.get("models", {})
    if not isinstance(models, dict) or not all(
        isinstance(one, str) and one.strip() for one in models.values()
    ):
        raise UsageError(
            f"{where}: models must name a model for each stage, as models = {{ synthesis = "
            '"openai/gpt-4o" }'
        )
    if unknown := sorted(models.keys() - {*MODEL_STAGES, JUDGE_STAGE, "all"}):
        raise UsageError(
            f"{where}: models: unknown stage {unknown[0]!r}; stages are "
            f"{', '.join((*MODEL_STAGES, JUDGE_STAGE))}"
        )
    if "model" in table:
        if not isinstance(table["model"], str) or not table["model"].strip():
            raise UsageError(f"{where}: model must be the name of a model")
        models = {"all": table["model"], **models}
    if kind == "command":
        return models  # what such a program says of itself; nothing is asked of these models here
    if kind == "bare" and set(models) != {"all"}:
        raise UsageError(f'{where}: a bare model needs model = "NAME" and nothing in models')
    if "all" not in models and (
        missing := [stage for stage in MODEL_STAGES if stage not in models]
    ):
        raise UsageError(f'{where}: no model for {", ".join(missing)}; give model = "NAME"')
    return models


def _command(table: Mapping[str, Any], kind: str, where: str) -> tuple[str, ...]:
    command = table.get("command")
    if kind != "command":
        if command is not None:
            raise UsageError(f'{where}: command goes with kind = "command" only')
        return ()
    if (
        not isinstance(command, list)
        or not command
        or not all(isinstance(part, str) and "\0" not in part for part in command)
    ):
        raise UsageError(
            f'{where}: command must be a list of texts, the program first: command = ["python3", '
            '"system.py"]'
        )
    if not command[0].strip():
        raise UsageError(f"{where}: command: the program's name is empty")
    return tuple(command)


def _environment(table: Mapping[str, Any], kind: str, where: str) -> tuple[str, ...]:
    names = table.get("environment", [])
    if not isinstance(names, list) or not all(
        isinstance(name, str) and _VARIABLE.fullmatch(name) for name in names
    ):
        raise UsageError(
            f"{where}: environment must list names of variables, not values: environment = "
            '["MY_API_KEY"]'
        )
    if names and kind != "command":
        raise UsageError(f"{where}: environment goes with a command only")
    return tuple(names)


def _cutoff(table: Mapping[str, Any], where: str) -> str | None:
    value = table.get("cutoff")
    try:
        return None if value is None else date.fromisoformat(str(value)).isoformat()
    except ValueError:
        raise UsageError(
            f"{where}: cutoff must be a day as YYYY-MM-DD, not {str(value)[:40]!r}"
        ) from None


def _timeout(table: Mapping[str, Any], where: str) -> float:
    value = table.get("timeout", System("", "command").timeout)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= LONGEST:
        raise UsageError(f"{where}: timeout must be seconds above 0 and at most {LONGEST:,.0f}")
    return float(value)


def _options(table: Mapping[str, Any], kind: str, where: str) -> dict[str, Any]:
    options = table.get("options", {})
    if not isinstance(options, dict):
        raise UsageError(f"{where}: options must be a table: options = {{ queries = 3 }}")
    if options and kind != "chain":
        raise UsageError(f"{where}: options go with a chain only")
    if unknown := sorted(options.keys() - set(OPTIONS)):
        raise UsageError(
            f"{where}: options: {unknown[0]!r} cannot be set; what can is {', '.join(OPTIONS)}"
        )
    return {
        name: value.isoformat() if isinstance(value, date) else value
        for name, value in options.items()
    }


def missing_variables(
    systems: Sequence[System], environment: Mapping[str, str]
) -> list[tuple[str, str]]:
    """(system, variable) for each variable that a command is to get and that is not set."""
    return [
        (one.name, name) for one in systems for name in one.environment if name not in environment
    ]
