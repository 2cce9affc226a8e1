"""The form of the ask page, and its translation for `webapp.asking.ask`.

The form holds text only: `Typed.values` has one for each field (a box that is ticked holds "yes"),
so that whatever was typed, however wrong, can be shown again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field
from datetime import date
from itertools import groupby
from typing import Any, Final

from werkzeug.datastructures import MultiDict

from clinfo import sources
from clinfo.errors import FieldError, PromptError, UsageError
from clinfo.pipelines.literature import (
    LITERATURE,
    PROMPT_TEXTS,
    PROMPTS,
    at,
    checked,
    plain,
    read_strategy,
)
from clinfo.records import EXTRACTIVE, GROUPS, READ
from clinfo.settings import Settings
from webapp.settings import WebSettings

SHOWN: Final = at("form")
"""The options of the form, the question first, then in the order of the page."""
WHOLE: Final = tuple(name for name, one in SHOWN.items() if one.kind is int)
SWITCHES: Final = tuple(name for name, one in SHOWN.items() if one.kind is bool)
TICKS: Final = tuple(name for name, one in SHOWN.items() if one.several and one.choices)
OPTIONS: Final = tuple(name for name in SHOWN if name != "question")
"""The fields under "Options"."""
LABELS: Final[Mapping[str, str]] = {name: one.option.label for name, one in SHOWN.items()} | {
    "api_key": "Your own key",
    "documents": "Your own documents",
}
BESIDE: Final = {READ: "grid", "medium": "pair"}
"""The class of what holds neighbours that stand beside each other: those of a group, or of a
width.
"""

TICKED: Final = "yes"
BEST_JUDGE: Final = "best"
"""Stands for no judge named: the best that there is for the models chosen."""
_ANY_QUESTION: Final = "Does it work?"
"""Stands for a question that cannot be used while the other fields are checked."""


@dataclass(frozen=True)
class Fault:
    """Something that cannot be used: ``field`` is the id of the control on the page, "" where it
    belongs to none.
    """

    field: str
    text: str


@dataclass
class Typed:
    """Texts by field, and prompts that differ from the default ones by name."""

    values: dict[str, str]
    prompts: dict[str, str] = field(default_factory=dict)


def untouched(web: WebSettings, chain: Settings) -> dict[str, str]:
    """The form as it is first shown."""
    first = {
        name: "" if one.default in (None, (), MISSING) else plain(one.default)
        for name, one in SHOWN.items()
    }
    most = web.most_articles
    return {
        **dict.fromkeys(LABELS, ""),
        **{
            name: TICKED if value is True else "" if value is False else str(value)
            for name, value in first.items()
        },
        **{name: str(min(int(first[name]), most)) for name in ("per_query", "max_articles")},
        "model": web.offered_models(chain)[0],
        "source": web.offered_sources(chain)[0],
        "max_seconds": _number(web.max_seconds),
        "judge": BEST_JUDGE,
    }


def groups() -> list[tuple[str, list[tuple[str, list[str]]]]]:
    """The options as the page shows them: heading by heading, neighbours together under the class
    of what holds them.

    Left out are the model and the source, which depend on the host, and what is shown under a
    choice.
    """
    made = []
    for heading in GROUPS:
        names = [
            name
            for name in OPTIONS[2:]
            if (one := SHOWN[name].option).group == heading and not one.under
        ]
        parted = groupby(
            names,
            lambda name: (
                BESIDE.get(SHOWN[name].option.group) or BESIDE.get(SHOWN[name].option.control, "")
            ),
        )
        made.append((heading, [(beside, list(those)) for beside, those in parted]))
    return made


def submitted(form: Mapping[str, str], web: WebSettings, chain: Settings) -> Typed:
    """The form as it was sent; a field that is missing is as it was first shown, a box that is
    missing is not ticked.
    """
    values = untouched(web, chain)
    for name in LABELS:
        if name in SWITCHES:
            values[name] = TICKED if form.get(name) else ""
        elif name in TICKS and isinstance(form, MultiDict):
            values[name] = ", ".join(form.getlist(name))
        elif name in form:
            values[name] = _plain(form[name])
    own = (
        {name: _plain(form.get(f"prompt-{name}", "")) for name in PROMPTS.variables}
        if web.edit_prompts
        else {}
    )
    return Typed(values, edited(own))


def asked_before(
    fields: Mapping[str, Any], web: WebSettings, chain: Settings
) -> tuple[Typed, list[str]]:
    """The form with what an earlier run was asked (`webapp.asking.fields_of`), and what of it can
    no longer be asked here.
    """
    values, lost = untouched(web, chain), []
    given = {name: value for name, value in fields.items() if value is not None}
    if any(
        LITERATURE.stage_models(chain).get(stage) != name
        for stage, name in given.get("models", {}).items()
    ):
        lost.append(
            "That run used different models for some steps; here one model is used for all of them."
        )
    for name in LABELS:
        if name in SWITCHES and name in given:
            values[name] = TICKED if given[name] else ""
        elif name in given and name != "api_key" and not isinstance(given[name], bytes):
            values[name] = _text(name, given[name])
    for name, offered in (
        ("model", web.offered_models(chain)),
        ("source", web.offered_sources(chain)),
    ):
        if values[name] not in offered:
            lost.append(
                f"The {name} {values[name]} is no longer available here; {offered[0]} is chosen "
                "instead."
            )
            values[name] = offered[0]
    prompts = edited(dict(given.get("prompts") or {}))
    if prompts and not web.edit_prompts:
        lost.append(
            "That run had edited prompts. Prompts cannot be edited here, so the default ones are "
            "used."
        )
        prompts = {}
    return Typed(values, prompts), lost


def with_changes(typed: Typed, arguments: Mapping[str, str]) -> None:
    """Lay what an address names over the form: ``?question=…``, ``?again=ID&queries=5``. No key and
    no prompt comes that way.
    """
    for name in LABELS:
        if name in arguments and name != "api_key":
            text = _plain(arguments[name])
            off = text.strip().lower() in ("", "0", "false", "no", "off")
            typed.values[name] = text if name not in SWITCHES else "" if off else TICKED


def edited(prompts: Mapping[str, str]) -> dict[str, str]:
    """The prompts that say something else than the default ones; blank ones count as the
    default.
    """
    defaults = PROMPTS.defaults()
    return {
        name: text
        for name, text in prompts.items()
        if text.strip() and _plain(text).strip() != defaults.get(name, "").strip()
    }


def fields(typed: Typed, first: Mapping[str, str]) -> dict[str, Any]:
    """Return what `webapp.asking.ask` is given: only what was typed, and numbers as numbers where
    they are some.

    The model that comes ``first`` is not named, so that the models which the host has set for
    single steps hold beside it.
    """
    values = typed.values
    asked: dict[str, Any] = {
        name: text
        for name in LABELS
        if name not in SWITCHES and (text := values[name].strip()) and name != "question"
    }
    asked["question"] = values["question"].strip()
    if asked.get("model") == first["model"]:
        del asked["model"]
    if asked.get("judge") == BEST_JUDGE:
        del asked["judge"]
    asked |= {name: bool(values[name]) for name in SWITCHES}
    asked |= {name: _whole(asked[name]) for name in WHOLE if name in asked}
    if "max_seconds" in asked:
        asked["max_seconds"] = _amount(asked["max_seconds"])
    if "query" in asked:
        asked["query"] = own_queries(values["query"])
    if "drop" in asked:
        asked["drop"] = [pmid for pmid in re.split(r"[\s,;]+", values["drop"]) if pmid]
    if typed.prompts:
        asked["prompts"] = dict(typed.prompts)
    return asked


def own_queries(text: str) -> list[str]:
    """The queries in a text: numbered lines are one strategy, anything else is parted by blank
    lines.
    """
    try:
        strategy = read_strategy(text) is not None
    except UsageError:  # numbered, but wrongly: whoever checks the request says how
        strategy = True
    if strategy:
        return [text.strip()]
    return [part.strip() for part in re.split(r"\n[ \t]*\n", text) if part.strip()]


def faults(typed: Typed, asked: Mapping[str, Any]) -> list[Fault]:
    """Everything that the chain could not use, in the order of the page."""
    left = {
        name: value
        for name, value in asked.items()
        if name not in ("api_key", "prompts", "allow_identifiers")
        and (name != "source" or value in sources.names())  # else one of the host's own
    }
    left.setdefault(
        "model", EXTRACTIVE
    )  # none given: whoever starts the run takes the first on offer
    found: dict[str, str] = {}
    while True:
        try:
            checked(**left)
            break
        except FieldError as error:
            if error.field not in left:  # left out already, or never given
                found.setdefault(error.field, error.fault)
                break
            found[error.field] = error.fault
            del left[error.field]
            if error.field == "question":
                left["question"] = _ANY_QUESTION
    order = ("question", *OPTIONS)
    named = sorted(
        found.items(), key=lambda item: order.index(item[0]) if item[0] in order else len(order)
    )
    return [of_field(name, text) for name, text in named] + [
        Fault(f"prompt-{name}", text) for name, text in prompt_problems(typed.prompts).items()
    ]


def of_field(name: str, fault: str) -> Fault:
    """A fault as a sentence that begins with the field's label."""
    label = LABELS.get(name)
    if (name, fault) == ("question", "is empty"):
        fault = "write one first"
    return Fault(name if label else "", f"{label or name}: {fault}")


def prompt_problems(prompts: Mapping[str, str]) -> dict[str, str]:
    """Return what is wrong with prompts, by name; those that can be used are left out."""
    problems = {}
    for name, text in prompts.items():
        try:
            PROMPTS.parse(name, text)
        except PromptError as error:
            problems[name] = problem_in_words(name, error)
    return problems


def problem_in_words(name: str, error: PromptError) -> str:
    """A prompt's problem as a sentence that names the prompt as the page does."""
    title = PROMPT_TEXTS[name].title if name in PROMPT_TEXTS else name
    return str(error).replace(f"the prompt {name}", f"The prompt “{title}”", 1)


def changed(typed: Typed, first: Mapping[str, str]) -> int:
    """Return how many options differ from ``first``; blank counts as not changed, but for a box."""
    now = {name: typed.values[name].strip() for name in OPTIONS}
    return sum(
        text != first[name] and (bool(text) or name in SWITCHES) for name, text in now.items()
    )


def line_of(text: str, problem: str) -> int | None:
    """The line, from 1, that holds the placeholder which a prompt's problem names first, if there
    is one.
    """
    named = re.search(r"\{[a-z][a-z0-9_]*\}", problem)
    place = text.find(named[0]) if named else -1
    return text.count("\n", 0, place) + 1 if place >= 0 else None


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _text(name: str, value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ("\n\n" if name == "query" else ", ").join(str(one) for one in value)
    if isinstance(value, date):
        return value.isoformat()
    return _number(value) if isinstance(value, float) else str(value)


def _number(value: float) -> str:
    return f"{value:g}" if value < 1e6 else str(value)


def _whole(text: str) -> int | str:
    compact = text.replace(",", "")
    return int(compact) if re.fullmatch(r"[+-]?\d{1,12}", compact, re.ASCII) else text


def _amount(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text
