"""What a run may be asked: every field checked in one place, for the command line, the web and the benchmark.

`checked` takes the fields as the HTTP interface spells them (``from``, ``to``, ``query``, ``per_query``, …) and gives a
`RunRequest`, or raises a `FieldError` that names the field and its fault in one line. A field that is None counts as
not given. No message repeats a question.
"""

from __future__ import annotations

import calendar
import re
import unicodedata
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import Any, Final, get_args

from clinfo.claims import registry as judges
from clinfo.errors import UsageError
from clinfo.pipelines.literature.declared import JUDGE_STAGE, MODEL_STAGES, PROMPTS
from clinfo.pubmed.brackets import unbalanced
from clinfo.pubmed.limits import WINDOW
from clinfo.records.articles import JudgeChoice, Regime, RunRequest, Strategy
from clinfo.sources import registry

REGIMES: Final[tuple[Regime, ...]] = get_args(Regime)
STRATEGIES: Final[tuple[Strategy, ...]] = get_args(Strategy)

MAX_QUESTION: Final = 4_000
"""Characters; a question is a sentence or two, and more than this is a pasted document."""
MAX_QUERY: Final = 20_000
"""Characters; the longest published PubMed filters have some 15,000."""
MAX_PROMPT: Final = 50_000
MAX_NAME: Final = 300
MAX_KNOWN: Final = 1_000
"""Known studies; each of them goes into every request that looks for them."""
MAX_AMOUNT: Final = 1e9
"""Dollars or seconds."""

# Smallest and largest value of each whole number.
WHOLE_NUMBERS: Final = {
    "queries": (1, 20),
    "per_query": (1, WINDOW),
    "max_articles": (1, 10_000),
    "rerank": (1, 10_000),
    "chase": (0, 50),
    "seed": (0, 2**31 - 1),
}
_SWITCHES: Final = ("repair", "fresh", "strict", "term_counts", "allow_identifiers")
FIELDS: Final = frozenset(
    {"question", "model", "models", "source", "query", "from", "to", "filter", "regime", "before", "drop", "prompts"}
    | {"strategy", "known", "judge", "max_cost", "max_seconds", *WHOLE_NUMBERS, *_SWITCHES}
)
_DATE = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?", re.ASCII)
_PMID = re.compile(r"[1-9]\d{0,8}", re.ASCII)


class FieldError(UsageError):
    """A field of a request cannot be used; ``field`` is its name in the HTTP interface, ``fault`` what is wrong."""

    def __init__(self, field: str, fault: str) -> None:
        super().__init__(f"{field}: {fault}")
        self.field = field
        self.fault = fault


def checked(*, files: bool = False, **fields: Any) -> RunRequest:
    """The request that ``fields`` describe, with dates parsed and models spread over the stages.

    ``model`` is used in every stage and ``models`` (stage → name) in single ones. ``known`` is one text or several, each with
    one PMID or more, commas or white space between them. ``from`` and ``to`` may be a year or a
    month, which then stand for its first and its last day. With ``files`` a source may also be the path of a citation
    XML file; leave it off for requests that come from a network.

    Raises FieldError for the first field that cannot be used.
    """
    for name in fields:
        if name not in FIELDS:
            raise FieldError(name, "no such field")
    given = {name: value for name, value in fields.items() if value is not None}

    regime = _one_of("regime", given.get("regime", "unrestricted"), REGIMES)
    before = _day("before", given["before"]) if "before" in given else None
    drop = tuple(_pmid("drop", value) for value in _several("drop", given.get("drop", ())))
    _regime_complete(regime, before, drop)

    published_from = _interval("from", given["from"])[0] if "from" in given else None
    published_to = _interval("to", given["to"])[1] if "to" in given else None
    if published_from and published_to and published_from > published_to:
        raise FieldError("from", f"{published_from} is after the last day asked for, {published_to}")

    filter = _filter(given["filter"]) if "filter" in given else None
    own_queries = tuple(_text("query", value, MAX_QUERY) for value in _several("query", given.get("query", ())))
    limited = filter or published_from or published_to or before
    for query in own_queries:
        if (flaw := unbalanced(_searched_line(query))) and limited:
            raise FieldError("query", f"{flaw}, so it cannot be put in parentheses beside a filter or dates; mend it")

    strategy = _one_of("strategy", given.get("strategy", "seeds"), STRATEGIES)
    if strategy == "pico" and own_queries:
        raise FieldError("strategy", "pico writes queries, so it does not go with queries of your own")

    judge = _one_of("judge", given.get("judge", "rules"), judges.names())
    numbers: dict[str, Any] = {name: _whole(name, given[name]) for name in WHOLE_NUMBERS if name in given}
    switches: dict[str, Any] = {name: _switch(name, given[name]) for name in _SWITCHES if name in given}
    return RunRequest(
        question=checked_question(given.get("question", "")),
        models=_models(given.get("model"), given.get("models", {}), judge),
        source=_source(given.get("source", "pubmed"), files),
        own_queries=own_queries,
        strategy=strategy,
        judge=judge,
        known=_known(given.get("known", ())),
        published_from=published_from,
        published_to=published_to,
        filter=filter,
        regime=regime,
        before=before,
        drop=drop,
        max_cost=_amount("max_cost", given["max_cost"]) if "max_cost" in given else None,
        max_seconds=_amount("max_seconds", given["max_seconds"], positive=True) if "max_seconds" in given else None,
        prompts=_prompts(given.get("prompts", {})),
        **numbers,
        **switches,
    )


def checked_question(value: object) -> str:
    """The question without white space around it. Raises FieldError where nothing could be searched for."""
    if not isinstance(value, str) or not value.strip():
        raise FieldError("question", "is empty")
    if len(value) > MAX_QUESTION:
        raise FieldError("question", f"has {len(value):,} characters; at most {MAX_QUESTION:,} can be used")
    _refuse_controls("question", value)
    letters = [character for character in value if character.isalpha()]
    if not letters:
        raise FieldError("question", "holds no word to search for")
    if not any("LATIN" in unicodedata.name(letter, "") for letter in letters):
        raise FieldError("question", "holds no word in Latin letters; please ask in English, the language of the search")
    return value.strip()


def _refuse_controls(field: str, value: str) -> None:
    """Line ends and tabs are white space; other control characters and halves of surrogate pairs are no text."""
    for character in value:
        if character == "\0":
            raise FieldError(field, "holds a NUL byte")
        category = unicodedata.category(character)
        if category == "Cs":
            raise FieldError(field, "is not valid UTF-8 text")
        if category == "Cc" and character not in "\t\n\r":
            raise FieldError(field, f"holds the control character U+{ord(character):04X}")


def _text(field: str, value: object, longest: int) -> str:
    if not isinstance(value, str):
        raise FieldError(field, "must be text")
    if not value.strip():
        raise FieldError(field, "is empty")
    if len(value) > longest:
        raise FieldError(field, f"has {len(value):,} characters; at most {longest:,} can be used")
    _refuse_controls(field, value)
    return value.strip()


def _filter(value: object) -> str:
    """A filter that stays within the parentheses it is put into."""
    text = _text("filter", value, MAX_QUERY)
    if flaw := unbalanced(text):
        raise FieldError("filter", flaw)
    return text


def _searched_line(query: str) -> str:
    """The query, or the last line of a strategy of numbered lines with those that it refers to written out."""
    from clinfo.pubmed.strategy import read_strategy

    try:
        lines = read_strategy(query)
    except UsageError as error:
        raise FieldError("query", str(error)) from None
    return lines[-1].expanded if lines else query


def _several(field: str, value: object) -> Iterable[object]:
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, (list, tuple)):
        raise FieldError(field, "must be a list")
    return value


def _one_of(field: str, value: object, choices: tuple[Any, ...]) -> Any:
    if value not in choices:
        raise FieldError(field, f"{_shown(value)} is unknown; choose one of: {', '.join(choices)}")
    return value


def _regime_complete(regime: Regime, before: date | None, drop: tuple[str, ...]) -> None:
    if regime == "restricted" and before is None:
        raise FieldError("before", "the restricted regime needs a day (YYYY-MM-DD)")
    if regime != "restricted" and before is not None:
        raise FieldError("before", "is used by the restricted regime only")
    if regime == "source-dropped" and not drop:
        raise FieldError("drop", "the source-dropped regime needs at least one PMID")
    if regime != "source-dropped" and drop:
        raise FieldError("drop", "is used by the source-dropped regime only")


def _interval(field: str, value: object) -> tuple[date, date]:
    """First and last day that a date of the form YYYY[-MM[-DD]] may mean."""
    found = _DATE.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is None:
        raise FieldError(field, f"{_shown(value)} is not a date; write YYYY, YYYY-MM or YYYY-MM-DD")
    year, month, day = (int(part) if part else None for part in found.groups())
    try:
        start = date(year or 0, month or 1, day or 1)
        last_month = month or 12
        return start, date(start.year, last_month, day or calendar.monthrange(start.year, last_month)[1])
    except ValueError:
        raise FieldError(field, f"{_shown(value)} is not a day of the calendar") from None


def _day(field: str, value: object) -> date:
    start, end = _interval(field, value)
    if start != end:
        raise FieldError(field, f"{_shown(value)} is not a whole date; write YYYY-MM-DD")
    return start


def _pmid(field: str, value: object) -> str:
    if not isinstance(value, str) or not _PMID.fullmatch(value.strip()):
        raise FieldError(field, f"{_shown(value)} is not a PMID; write its digits alone")
    return value.strip()


_COMMENT: Final = re.compile(r"^[ \t]*(?:#|//).*$", re.MULTILINE)


def _known(value: object) -> tuple[str, ...]:
    """PMIDs, each once, in the order given; lines that begin with ``#`` or ``//`` are comments."""
    texts = [_COMMENT.sub("", _text("known", text, MAX_QUERY)) for text in _several("known", value)]
    pmids = tuple(dict.fromkeys(_pmid("known", part) for text in texts for part in re.split(r"[\s,;]+", text) if part))
    if len(pmids) > MAX_KNOWN:
        raise FieldError("known", f"names {len(pmids):,} studies; at most {MAX_KNOWN:,} can be looked for")
    return pmids


def _whole(field: str, value: object) -> int:
    least, most = WHOLE_NUMBERS[field]
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise FieldError(field, f"must be a whole number from {least} to {most:,}, not {_shown(value)}")
    return value


def _amount(field: str, value: Any, positive: bool = False) -> float:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if number and 0 <= value <= MAX_AMOUNT and (value > 0 or not positive):  # NaN fails every comparison
        return float(value)
    least = "above 0" if positive else "of 0 or more"
    raise FieldError(field, f"must be a number {least} and at most {MAX_AMOUNT:,.0f}, not {_shown(value)}")


def _switch(field: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise FieldError(field, f"must be true or false, not {_shown(value)}")
    return value


def _models(model: object, models: object, judge: JudgeChoice) -> dict[str, str]:
    if not isinstance(models, Mapping):
        raise FieldError("models", "must map stages to model names")
    for stage in models:
        _one_of("models", stage, (*MODEL_STAGES, JUDGE_STAGE))
    everywhere = None if model is None else _text("model", model, MAX_NAME)
    stages = (*MODEL_STAGES, JUDGE_STAGE) if judges.asks_model(judge) else MODEL_STAGES
    chosen = {stage: _text("models", models[stage], MAX_NAME) if stage in models else everywhere for stage in stages}
    if None in chosen.values():
        without = [stage for stage, name in chosen.items() if name is None]
        where = "" if len(without) == len(stages) else f" for {', '.join(without)}"
        raise FieldError("model", f"none is chosen{where}")
    return {stage: name for stage, name in chosen.items() if name is not None}


def _source(value: object, files: bool) -> str:
    source = _text("source", value, 4_096)
    if source in registry.names():
        return source
    if files and source.endswith(registry.endings()):
        try:
            if not Path(source).is_file():
                raise FieldError("source", f"there is no file {_shown(source)}")
        except OSError as error:  # a name too long, a folder that may not be looked into
            raise FieldError("source", f"the file {_shown(source)} cannot be read: {error.strerror}") from None
        return source
    offered = registry.choice() if files else ", ".join(registry.names())
    raise FieldError("source", f"{_shown(source)} is unknown; choose one of: {offered}")


def _prompts(value: object) -> dict[str, str]:
    if not isinstance(value, Mapping):
        raise FieldError("prompts", "must map prompt names to texts")
    for name in value:
        _one_of("prompts", name, tuple(PROMPTS.variables))
    for name, text in value.items():
        try:
            _text("prompts", text, MAX_PROMPT)
        except FieldError as error:
            raise FieldError("prompts", f"the prompt {name} {error.fault}") from None
    return dict(value)


def _shown(value: object) -> str:
    """A short, printable form of a value that was refused."""
    shown = value if isinstance(value, str) else repr(value)
    clean = "".join(character if character.isprintable() else "�" for character in shown)
    return f"“{clean[:40]}…”" if len(clean) > 40 else f"“{clean}”"
