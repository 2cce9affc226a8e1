"""Flags made of the declared options of a request."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Annotated, Any

from clinfo.cli.help import flag
from clinfo.errors import FieldError, UsageError
from clinfo.runs.options import Declared


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
    options: Mapping[str, Declared], after: str = "question"
) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Give a command the flags of ``options`` behind its parameter ``after``; it gets their values
    by name as its parameter ``options``, which must be the last.
    """

    def made(command: Callable[..., int]) -> Callable[..., int]:
        *own, _ = inspect.signature(command, eval_str=True).parameters.values()
        place = [one.name for one in own].index(after) + 1
        own[place:place] = [_parameter(name, one, options) for name, one in options.items()]
        every = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in own]

        def asked(**given: Any) -> int:
            values = {name: given.pop(f"{name}_") for name in options}
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
