"""Many questions: a run each, some at a time, a line of JSON an answer in one file.

A batch that was stopped, even killed, goes on with the questions that the file has no answer to;
those that failed are asked again. What is spent counts for all of them together. The benchmark's
runs are carried out by the same loop, on the same budget.
"""

import asyncio
import csv
import hashlib
import io
import json
import os
import re
from collections.abc import (
    AsyncGenerator,
    Awaitable,
    Callable,
    Coroutine,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import IO, Any, Final, TypeVar

from clinfo.errors import (
    BudgetReached,
    Cancelled,
    ClinfoError,
    RecordError,
    UsageError,
    file_errors,
)
from clinfo.files import claim, whole_file
from clinfo.references.readers.table import column_mark
from clinfo.references.reading import decoded
from clinfo.runs.given import as_given
from clinfo.runs.protocols import Budget
from clinfo.runs.saved import NO_LINES
from clinfo.runs.spending import MemoryBudget
from clinfo.sources.memory import listed

Item = TypeVar("Item")
Result = TypeVar("Result")
Row = dict[str, Any]
"""``id``, ``question``, ``asked`` (a digest of the options), ``status`` (the exit status that the
command would have), ``answer`` (the JSON answer, None without one), ``error`` and ``cost_usd``, of
all times that it was asked."""
AT_ONCE: Final = 4
"""Questions that a batch asks at a time."""
STOPPING: Final = 5.0
"""Seconds that what is under way has to end in good order, once nothing more is to be begun."""
AGAIN: Final = (1, 4, 5, 130)
"""Statuses of questions that a batch asks again when it goes on: what failed may not fail then."""


TAKEN: Final = "give a list of questions, or a file: CSV, JSON lines or a question a line"
_NO_TEXT = re.compile(r"\A\s*(?:%PDF|\{\\rtf|<[?!a-z])|[\0-\x08\x0e-\x1f]", re.I)
"""The beginning of a document of another kind, or a sign that no text has."""


@dataclass(frozen=True)
class Question:
    """A question of a batch under its id."""

    id: str
    question: str


def read_questions(path: str | Path) -> tuple[Question, ...]:
    """The questions of a file: a table (.csv, .tsv), a list (.json) or JSON lines with ``question``
    and, where there is one, ``id``; of another text a line each. Raises UsageError.
    """
    name = Path(path)
    with file_errors(f"{name} cannot be read"):
        raw = name.read_bytes()
    try:
        text = decoded(raw)
        if _NO_TEXT.search(text):
            raise RecordError("is no text")
        if name.suffix.lower() in (".csv", ".tsv"):
            rows: list[Any] = _table(text)
        elif name.suffix.lower() in (".jsonl", ".ndjson"):
            rows = [json.loads(line) for line in text.split("\n") if line.strip()]
        elif name.suffix.lower() == ".json":
            rows = json.loads(text)
        else:
            rows = [line.strip() for line in text.splitlines() if line.strip()]
        return questions_of(rows)
    except RecordError as error:
        raise UsageError(f"{name} {error}; {TAKEN}") from None
    except (json.JSONDecodeError, csv.Error) as error:
        raise UsageError(f"{name} cannot be read: {error}") from None
    except (ValueError, RecursionError):
        raise UsageError(f"{name} is nested too deep or holds too long a number") from None
    except UsageError as error:
        raise UsageError(f"{name}: {error}") from None


def _table(text: str) -> list[Mapping[str, Any]]:
    """The rows of a table that are not empty and not its first line again."""
    if text[:4].lower() == "sep=":  # a line for spreadsheets alone
        text = text.partition("\n")[2]
    mark = column_mark("".join(text.splitlines()[:1]))
    names, *rows = [*csv.reader(io.StringIO(text, newline=""), delimiter=mark)] or [[]]
    found = [(n, row) for n, row in enumerate(rows, 1) if any(map(str.strip, row)) and row != names]
    if wide := next((n for n, row in found if any(map(str.strip, row[len(names) :]))), 0):
        told = f"row {wide} has more columns than the first line"
        raise UsageError(f"{told}: put a question with {mark!r} in quotation marks")
    return [dict(zip(names, row, strict=False)) for _, row in found]


def questions_of(given: Any) -> tuple[Question, ...]:
    """Questions given as texts, as mappings with ``question`` and ``id``, or as a table of pandas.
    Raises UsageError for none, an empty one, and an id that two have.
    """
    made: list[Question] = []
    given = listed(given)
    if isinstance(given, Mapping) or not isinstance(given, Iterable):
        given = [given]
    for number, one in enumerate(given, 1):
        given = {"question": one} if isinstance(one, str) else one
        named = given if isinstance(given, Mapping) else {}
        row = {str(name).strip().lower(): value for name, value in named.items()}
        text = row.get("question")
        if not isinstance(text, str) or not text.strip():
            has = f"; it has {', '.join(row)}" if row else ""
            raise UsageError(f"row {number} has no question (a column or field of that name{has})")
        id = as_given(row.get("id"), str)  # of a data frame 1.0, or nan for none
        made.append(Question(str(number if id in (None, "nan") else id), text.strip()))
    if not made:
        raise UsageError("there is no question")
    ids = [one.id for one in made]
    if twice := sorted({one for one in ids if ids.count(one) > 1}):
        raise UsageError(f"the id {twice[0][:60]} stands at two questions")
    return tuple(made)


async def under_way(
    items: Iterable[Item],
    do: Callable[[Item], Coroutine[Any, Any, Result]],
    at_once: int,
    stop: asyncio.Event,
) -> AsyncGenerator[tuple[Item, Result], None]:
    """What ``do`` makes of each item, as it comes, ``at_once`` at a time. Once ``stop`` is set no
    other item is taken, and what does not end within `STOPPING` is broken off.
    """
    waiting = iter(items)
    tasks: dict[asyncio.Task[Any], Item] = {}
    stopped = asyncio.create_task(stop.wait())
    try:
        while True:
            while len(tasks) < at_once and not stop.is_set():
                taken = next(((item,) for item in waiting), None)
                if taken is None:
                    break
                tasks[asyncio.create_task(do(*taken))] = taken[0]
            if not tasks:
                return
            awaited = tasks.keys() if stop.is_set() else {*tasks, stopped}
            limit = STOPPING if stop.is_set() else None
            done, _ = await asyncio.wait(
                awaited, timeout=limit, return_when=asyncio.FIRST_COMPLETED
            )
            if not done:
                return
            for task in [one for one in tasks if one in done]:  # of a set the order is chance
                yield tasks.pop(task), task.result()
    finally:
        left = {*tasks, stopped}
        for task in left:
            task.cancel()
        await asyncio.wait(left, timeout=STOPPING)


async def each(
    questions: Sequence[Question],
    ask: Callable[[str, Budget], Awaitable[Any]],
    options: object,
    out: Path | None,
    limit: float | None = None,
    seen: Callable[[int, Row], None] = lambda number, row: None,
    at_once: int = AT_ONCE,
) -> list[Row]:
    """The rows of all questions, in their order. ``ask`` gets a question and what it may spend from
    and gives its answer; ``seen`` is told how many are done and of the last one.

    Raises UsageError where ``out`` holds other questions or answers to other ``options``, and
    BudgetReached where ``limit`` is spent, after the rows so far were kept.
    """
    asked = hashlib.sha256(repr(options).encode()).hexdigest()[:16]
    with _kept(out, questions, asked) as (rows, failed, file):
        before = sum(row["cost_usd"] for row in (*rows.values(), *failed.values()))
        budget, spent_out = MemoryBudget(limit, before), list[Row]()

        async def answered(one: Question) -> Row:
            return await _row(one, ask, asked, budget)

        todo = [one for one in questions if one.id not in rows]
        left = takewhile(lambda _: not spent_out, todo)
        async with aclosing(under_way(left, answered, at_once, asyncio.Event())) as done:
            async for one, row in done:
                row["cost_usd"] += failed.pop(one.id, {"cost_usd": 0.0})["cost_usd"]
                if file is not None:
                    file.write(json.dumps(row, ensure_ascii=False) + "\n")
                    file.flush()
                    os.fsync(file.fileno())
                if row["status"] == BudgetReached.exit_status:
                    spent_out.append(row)
                rows[one.id] = row
                seen(len(rows), row)
        if spent_out:
            raise BudgetReached(str(spent_out[0]["error"]))
        return [rows[one.id] for one in questions]


async def _row(
    one: Question,
    ask: Callable[[str, Budget], Awaitable[Any]],
    asked: str,
    budget: Budget,
) -> Row:
    row: Row = {"id": one.id, "question": one.question, "asked": asked}
    try:
        answer = await ask(one.question, budget)
    except Cancelled:
        raise
    except ClinfoError as error:
        told, cost = str(error), error.cost_usd
        return row | {"status": error.exit_status, "answer": None, "error": told, "cost_usd": cost}
    held = answer.to_dict()
    cost = held["usage"]["cost_usd"] or 0.0
    return row | {"status": answer.status, "answer": held, "error": None, "cost_usd": cost}


@contextmanager
def _kept(
    out: Path | None, questions: Sequence[Question], asked: str
) -> Iterator[tuple[dict[str, Row], dict[str, Row], IO[str] | None]]:
    """The rows that a file holds by id, those that failed and are to be asked again, and the file
    at its end. At last it has one line a question, in their order.
    """
    if out is not None and out.suffix.lower() in NO_LINES:
        told = f"let its name end in .jsonl (--table {out.name} makes a table of the answers)"
        raise UsageError(f"{out} would hold lines of JSON; {told}")
    if out is None:
        yield {}, {}, None
        return
    with (
        file_errors(f"{out} cannot be written"),
        out.open("a+", encoding="utf-8", newline="") as file,
    ):
        claim(file, f"{out} is being written by another batch")
        file.seek(0)
        *lines, rest = file.read().split("\n")  # JSON may hold other ends of lines, such as U+2028
        held = {row["id"]: row for row in map(_read, lines)}  # of two of one id the later counts
        try:  # an editor may have left out the end of the last line
            held |= {row["id"]: row for row in (_read(rest),)} if rest else {}
            file.write("\n" * bool(rest))
        except UsageError:  # the batch was killed in the middle of it
            file.truncate(sum(len(line.encode()) + 1 for line in lines))
        rows = {id: row for id, row in held.items() if row["status"] not in AGAIN}
        failed = {id: row for id, row in held.items() if id not in rows}
        wanted = {one.id: one.question for one in questions}
        if other := [id for id, row in held.items() if wanted.get(id) != row["question"]]:
            told = f"{out} holds answers to other questions (under the id {other[0][:60]})"
            raise UsageError(f"{told}: name another file")
        if any(row["asked"] != asked for row in held.values()):
            raise UsageError(f"{out} holds answers to other options: name another file")
        anew = len(lines) + bool(rest) > len(rows)
        try:
            yield rows, failed, file
        finally:
            last = failed | rows
            order = [last[one.id] for one in questions if one.id in last]
            if anew or order != list(rows.values()):
                with whole_file(out) as whole:
                    whole.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in order)


def _read(line: str) -> Row:
    try:
        row = json.loads(line)
        if {"id", "question", "asked", "status", "answer", "cost_usd"} <= set(row):
            return dict(row)
    except (ValueError, TypeError, RecursionError):
        pass
    raise UsageError("the file named to take the answers holds something else: name another one")
