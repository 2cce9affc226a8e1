"""The request of a run: every field checked in one place, for the command line, the web and the
benchmark.

The options are declared in `clinfo.records.request` and checked by `clinfo.runs.options`, here
those that are read in a way of their own. `checked` takes the fields as the HTTP interface spells
them (``from``, ``to``, ``query``, ``per_query``, …) and gives a `RunRequest`, or raises a
`FieldError` that names the field and its fault in one line. A field that is None counts as not
given. No message repeats a question.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, cast

from clinfo.claims import registry as judges
from clinfo.errors import FieldError, UsageError
from clinfo.patients.times import day_span
from clinfo.pipelines.literature.stages import (
    JUDGE_STAGE,
    LITERATURE,
    MODEL_STAGES,
    PROMPTS,
    RESOLVE,
    SINGLE_STAGES,
)
from clinfo.pubmed.brackets import unbalanced
from clinfo.records.request import (
    EXTRACTIVE,
    MAX_NAME,
    MAX_PROMPT,
    MAX_QUERY,
    MAX_QUESTION,
    MAX_SEED_STUDIES,
    MODEL,
    JudgeChoice,
    RunRequest,
)
from clinfo.runs.given import shown, unknown
from clinfo.runs.options import (
    Declared,
    Options,
    Readers,
    declared,
    one_of,
    several,
    text,
)
from clinfo.sources import registry

if TYPE_CHECKING:
    from pydantic import ValidationInfo

    from clinfo.settings import Settings

_SEARCHING: Final = ("query", "filter", "limits", "strategy", "known", "term_counts", "chase")
"""Options that say how articles are looked for."""
MAX_PATH: Final = 4_096

_DATE = re.compile(r"\d{4}(?:-\d{2}(?:-\d{2})?)?", re.ASCII)
_PMID = re.compile(r"[1-9]\d{0,8}", re.ASCII)

NO_MODEL: Final = "no model is chosen"


def _known_options() -> dict[str, Declared]:
    """Options as `RunRequest` declares them, with one model for all stages and what the registries
    know.
    """
    made: dict[str, Declared] = {}
    for name, one in declared(RunRequest).items():
        made[name] = one
        if name == "models":
            made["model"] = Declared("models", str, None, MODEL)
    kinds = {one.name: (one.title, one.note) for one in judges.specs()}
    judge, source = made["judge"], made["source"]
    told = replace(
        judge.option, help=f"Who checks each sentence: {judges.choice()}.", choices=kinds
    )
    made["judge"] = replace(judge, kind=Literal[judges.names()], option=told)
    where = f"Where articles are looked for: {registry.choice()}."
    made["source"] = replace(source, option=replace(source.option, help=where))
    return made


def checked(*, files: bool = False, **given: Any) -> RunRequest:
    """The request that ``given`` describes, with dates parsed and models spread over the stages.

    ``model`` is used in every stage and ``models`` (stage → name) in single ones. ``known`` is one
    text or several, each with one PMID or more, commas or white space between them. ``from`` and
    ``to`` may be a year or a month, which then stand for its first and its last day. With ``files``
    a source may also be the path of a citation file; leave it off for requests that come from a
    network.

    Raises FieldError for the first field that cannot be used.
    """
    if given.get("judge") in judges.RENAMED:
        given["judge"] = judges.spec(given["judge"]).name
    own = {name: value for name, value in given.items() if value is not None}
    found = OPTIONS.checked({"question": "", **own}, files=files)
    everywhere = found.pop("model", None)
    request = RunRequest(**{OPTIONS[name].field: value for name, value in found.items()})
    _refuse_conflicts(request)
    return replace(request, models=_spread(everywhere, request))


def narrowed(request: RunRequest) -> bool:
    """Return whether the request leaves out some of what its queries find, by an option or by the
    restricted regime.
    """
    return request.before is not None or any(
        getattr(request, one.field) for one in NARROWING.values()
    )


def _refuse_conflicts(request: RunRequest) -> None:
    """Raise FieldError for fields that do not go together."""
    regime, before, drop = request.regime, request.before, request.drop
    if regime == "restricted" and before is None:
        raise FieldError("before", "the restricted regime needs a day (YYYY-MM-DD)")
    if regime != "restricted" and before is not None:
        raise FieldError("before", "can only be used with the restricted regime")
    if regime == "source-dropped" and not drop:
        raise FieldError("drop", "the source-dropped regime needs at least one PMID")
    if regime != "source-dropped" and drop:
        raise FieldError("drop", "can only be used with the source-dropped regime")
    first, last = request.published_from, request.published_to
    if first and last and first > last:
        raise FieldError("from", f"{first} is after the last day asked for, {last}")
    if request.limits and not registry.reads_pubmed(request.source):
        raise FieldError(
            "limits",
            (
                f"PubMed's limits cannot be applied at {request.source}; leave them off, or choose "
                "pubmed"
            ),
        )
    for query in request.own_queries:
        if (flaw := unbalanced(_searched_line(query))) and narrowed(request):
            raise FieldError(
                "query", f"{flaw}, so it cannot be combined with a filter or dates; correct it"
            )
    for name in _SEARCHING if request.documents else ():
        value = getattr(request, OPTIONS[name].field)
        if value != OPTIONS[name].default:
            raise FieldError(name, "cannot be used with documents, which are not searched for")
    if request.strategy != "seeds" and request.own_queries:
        raise FieldError(
            "strategy",
            f"the strategy {request.strategy} writes its own queries; it cannot be combined with "
            "your queries",
        )


def checked_question(value: object) -> str:
    """The question without white space around it. Raises FieldError where nothing could be searched
    for.
    """
    question = text("question", value, MAX_QUESTION)
    letters = [character for character in question if character.isalpha()]
    if not letters:
        raise FieldError("question", "contains no word to search for")
    if not any("LATIN" in unicodedata.name(letter, "") for letter in letters):
        raise FieldError(
            "question",
            "contains no word in Latin letters; please ask in English, the language of the search",
        )
    return question


def _filter(value: object) -> str:
    """A filter that stays within the parentheses it is put into."""
    filter = text("filter", value, MAX_QUERY)
    if flaw := unbalanced(filter):
        raise FieldError("filter", flaw)
    return filter


def _searched_line(query: str) -> str:
    """The query, or the last line of a strategy of numbered lines with those that it refers to
    written out.
    """
    from clinfo.pubmed.other_syntax import other_syntax
    from clinfo.pubmed.strategy import read_strategy

    if told := other_syntax(query):
        raise FieldError("query", told)
    try:
        lines = read_strategy(query)
    except UsageError as error:
        raise FieldError("query", str(error)) from None
    return lines[-1].expanded if lines else query


_WRITTEN: Final = "write YYYY, YYYY-MM or YYYY-MM-DD"


def _interval(field: str, value: object) -> tuple[date, date]:
    """First and last day that a date of the form YYYY[-MM[-DD]] may mean."""
    if not isinstance(value, str) or not _DATE.fullmatch(value.strip()):
        raise FieldError(field, f"{shown(value)} is not a date; {_WRITTEN}")
    if (found := day_span(value.strip())) is None:
        raise FieldError(field, f"{shown(value)} is not a valid date; {_WRITTEN}")
    return found


def _day(field: str, value: object) -> date:
    start, end = _interval(field, value)
    if start != end:
        raise FieldError(field, f"{shown(value)} is not a complete date; write YYYY-MM-DD")
    return start


def _pmid(field: str, value: object) -> str:
    if not isinstance(value, str) or not _PMID.fullmatch(value.strip()):
        raise FieldError(field, f"{shown(value)} is not a PMID; write only its digits")
    return value.strip()


_COMMENT: Final = re.compile(r"^[ \t]*(?:#|//).*$", re.MULTILINE)


def _known(value: object) -> tuple[str, ...]:
    """PMIDs, each once, in the order given; lines that begin with ``#`` or ``//`` are comments."""
    texts = [_COMMENT.sub("", text("known", one, MAX_QUERY)) for one in several("known", value)]
    parts = [part for one in texts for part in re.split(r"[\s,;]+", one) if part]
    pmids = tuple(dict.fromkeys(_pmid("known", part) for part in parts))
    if len(pmids) > MAX_SEED_STUDIES:
        raise FieldError(
            "known",
            f"names {len(pmids):,} studies; at most {MAX_SEED_STUDIES:,} can be searched for",
        )
    return pmids


def _models(value: object) -> dict[str, str]:
    if not isinstance(value, Mapping):
        raise FieldError("models", "must map stages to model names")
    for stage in value:
        one_of("models", stage, SINGLE_STAGES)
    return {stage: text("models", name, MAX_NAME) for stage, name in value.items()}


def _spread(everywhere: str | None, request: RunRequest) -> dict[str, str]:
    """A model for every stage that this run has. Raises FieldError where one is left without."""
    models, stages = request.models, list(MODEL_STAGES)
    stages += [RESOLVE.name] if request.follows else []
    stages += [JUDGE_STAGE] if judges.spec(request.judge).model else []
    chosen = {stage: models.get(stage, everywhere) for stage in stages}
    if without := [stage for stage, name in chosen.items() if name is None]:
        where = "" if len(without) == len(stages) else f" for {', '.join(without)}"
        raise FieldError("model", f"{NO_MODEL}{where}")
    return cast("dict[str, str]", chosen)


def _source(value: object, info: ValidationInfo) -> str:
    source, files = text("source", value, MAX_PATH), info.context and info.context["files"]
    if source in registry.names():
        return source
    if files and source.lower().endswith(registry.endings()):
        try:
            if not Path(source).is_file():
                raise FieldError("source", f"the file {shown(source)} does not exist")
        except OSError as error:  # a name too long, a folder that may not be looked into
            raise FieldError(
                "source", f"the file {shown(source)} cannot be read: {error.strerror}"
            ) from None
        return source
    offered = registry.choice() if files else ", ".join(registry.names())
    raise FieldError("source", unknown(source, registry.names(), offered))


def _prompts(value: object) -> dict[str, str]:
    if not isinstance(value, Mapping):
        raise FieldError("prompts", "must map prompt names to texts")
    for name in value:
        one_of("prompts", name, PROMPTS.names)
    for name, prompt in value.items():
        try:
            text("prompts", prompt, MAX_PROMPT)
        except FieldError as error:
            raise FieldError("prompts", f"the prompt {name} {error.fault}") from None
    return dict(value)


def _says(longest: int, pattern: str = r"\S") -> dict[str, Any]:
    return {"type": "string", "minLength": 1, "maxLength": longest, "pattern": pattern}


def _matches(pattern: str) -> dict[str, Any]:
    return {"type": "string", "pattern": rf"^\s*{pattern}\s*$"}


def _one_or_more(one: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [one, {"type": "array", "items": one}]}


def _by_name(names: Iterable[str], longest: int) -> dict[str, Any]:
    properties = {name: {"type": "string", "maxLength": longest} for name in names}
    return {"type": "object", "properties": properties, "additionalProperties": False}


_DAY_TEXT, _PMID_TEXT = _matches(r"\d{4}(-\d{2}(-\d{2})?)?"), _matches(r"[1-9]\d{0,8}")

_READERS: Final[Readers] = {
    "question": (checked_question, _says(MAX_QUESTION, "[A-Za-z]")),
    "model": (lambda value: text("model", value, MAX_NAME), _says(MAX_NAME)),
    "models": (_models, _by_name(SINGLE_STAGES, MAX_NAME)),
    "source": (_source, {"type": "string", "enum": list(registry.names())}),
    "from": (lambda value: _interval("from", value)[0], _DAY_TEXT),
    "to": (lambda value: _interval("to", value)[1], _DAY_TEXT),
    "before": (lambda value: _day("before", value), _matches(r"\d{4}-\d{2}-\d{2}")),
    "filter": (_filter, _says(MAX_QUERY)),
    "query": (
        lambda value: tuple(text("query", one, MAX_QUERY) for one in several("query", value)),
        _one_or_more(_says(MAX_QUERY)),
    ),
    "known": (_known, _one_or_more(_says(MAX_QUERY))),
    "drop": (
        lambda value: tuple(_pmid("drop", one) for one in several("drop", value)),
        _one_or_more(_PMID_TEXT),
    ),
    "documents": (
        # Ids; before `webapp.documents` has read them, whatever was given.
        lambda value: tuple(map(str, value if isinstance(value, (list, tuple)) else [value])),
        _one_or_more(_says(5_000_000)),
    ),
    "prompts": (_prompts, _by_name(PROMPTS.names, MAX_PROMPT)),
}
"""Fields whose values are read in a way of their own: the reader, which raises FieldError, and the
JSON schema of what it takes.
"""

OPTIONS: Final = Options(RunRequest, _READERS, _known_options())
"""By name over HTTP, in the order of the form."""
NARROWING: Final = {name: one for name, one in OPTIONS.items() if one.option.narrows}
"""The options that leave out some of what the queries find."""


at = OPTIONS.at


def request_of(
    settings: Settings, model: str | None, judge_model: str | None = None, **fields: Any
) -> RunRequest:
    """The request of ``fields`` over the settings; ``model`` holds for every stage, whatever the
    environment says, but for the judge's: ``judge_model``, else CLINFO_MODEL_VERIFY, hold beside
    it.

    Raises `clinfo.pipelines.literature.request.FieldError`.
    """
    of_stages = dict(LITERATURE.stage_models(settings))
    if model is not None:
        judge = {} if model == EXTRACTIVE else {JUDGE_STAGE: of_stages.get(JUDGE_STAGE)}
        of_stages = {stage: name for stage, name in judge.items() if name is not None}
    if judge_model is not None:
        of_stages[JUDGE_STAGE] = judge_model
    everywhere = model if model is not None else settings.model
    if fields.get("judge") is None:
        fields["judge"] = default_judge(settings, of_stages.get(JUDGE_STAGE, everywhere))
    if fields.get("source") is None:
        fields["source"] = settings.source
    return checked(files=True, model=everywhere, models=of_stages, **fields)


def default_judge(settings: Settings, model: str | None) -> JudgeChoice:
    """Return who judges where nobody says: CLINFO_JUDGE as far as it can be had; ``model`` is the
    one that would be the model judge.

    Without CLINFO_JUDGE: a language model where one is named, else the entailment model where there
    is one, else nobody.
    """
    named = settings.judge
    if named is not None and named not in (*judges.names(), *judges.RENAMED):
        raise UsageError(
            "the environment variable CLINFO_JUDGE cannot be used: it must be one of: "
            f"{', '.join(judges.names())}"
        )
    named = judges.spec(named).name if named is not None else None
    if named is not None and not judges.spec(named).model:
        return named
    if model is not None and model != EXTRACTIVE:
        return named or "model"
    return "nli" if settings.nli_model else "none"
