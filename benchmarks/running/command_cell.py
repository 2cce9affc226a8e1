"""One cell of an external system: a process a question, one JSON line in, one JSON object out, nothing trusted.

It gets {"id", "question", "regime", "before", "drop"} on its standard input and answers the JSON answer, or at least
{"id", "synthesis", "tldr", "references": [{"pmid"}]}, in one line or indented over several. It is started without a shell and sees
no environment but PATH, HOME, LANG and what its entry names. What does not come as one JSON object in time, of the right form and
for the right question, is a failure.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import signal
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks.running import audit
from benchmarks.running.chain_cell import Outcome, failed
from benchmarks.running.folder import write_record
from benchmarks.running.records import Cell, Record, System
from benchmarks.running.warden import Warden
from clinfo.records import RunRequest

MAX_OUTPUT: Final = 16 * 1024 * 1024
"""Bytes of an answer: a JSON answer with all that was read has some hundred thousand."""
MAX_PROBLEM: Final = 200
ENDING: Final = 2.0
"""Seconds that a command which was ended is waited for."""
_KEPT: Final = ("PATH", "HOME", "LANG")
_STDERR_KEPT: Final = 8_192
_TRACEBACK: Final = "Traceback (most recent call last)"
_RAISED: Final = re.compile(r"[^\W\d][\w.]*(?::.*)?")
"""The line after a Python traceback that names what was raised, whatever it is called; those of the traceback are indented."""
_EXCEPTION: Final = re.compile(r'(?:Exception in thread "[^"]*" |Uncaught )?[\w.]*(?:Error|Exception|Exit|Interrupt)(?::|$)')
"""As programs in Python, JavaScript and Java name what ended them."""
_PMID: Final = re.compile(r"[1-9]\d{0,8}", re.ASCII)


class _Unusable(Exception):
    """Why what a command did is no answer, in one line."""


async def run_command(
    root: Path,
    cell: Cell,
    system: System,
    folder: str,
    question: str,
    request: RunRequest,
    lookup: audit.Lookup,
    warden: Warden,
) -> Outcome:
    """Ask a command that is run in ``folder``, audit its answer, and write the record."""
    began = time.monotonic()
    line = {
        "id": cell.id,
        "question": question,
        "regime": cell.regime,
        "before": request.before.isoformat() if request.before else None,
        "drop": list(request.drop),
    }
    try:
        form = _read(await _ask(system, folder, json.dumps(line, ensure_ascii=False), warden), cell.id)
    except _Unusable as error:
        return Outcome("done", failed(root, cell, str(error)), time.monotonic() - began)
    record = await _record(cell, form, request, lookup)
    seconds = time.monotonic() - began
    write_record(root, record)
    return Outcome("done", record, seconds)


async def _ask(system: System, folder: str, line: str, warden: Warden) -> bytes:
    """What the command wrote. Its process group is ended whatever happens, to this process too."""
    environment = {name: os.environ[name] for name in (*_KEPT, *system.environment) if name in os.environ}
    pipe = asyncio.subprocess.PIPE
    warden.ready()
    try:
        process = await asyncio.create_subprocess_exec(
            *system.command, stdin=pipe, stdout=pipe, stderr=pipe, env=environment, cwd=folder, start_new_session=True
        )
    except OSError as error:
        raise _Unusable(f"{Path(system.command[0]).name} cannot be started: {error.strerror or 'unknown'}") from None
    warden.began(process.pid)
    said = _Tail()
    try:
        async with asyncio.timeout(system.timeout):
            _, output, _ = await asyncio.gather(_tell(process, line), _output(process), said.read(process))
            status = await process.wait()
    except TimeoutError:
        raise _Unusable(f"it did not end within {system.timeout:g} s{said.last}") from None
    finally:
        _end(process)
        with contextlib.suppress(TimeoutError):  # something that it started, and that left its group, may hold its output open
            async with asyncio.timeout(ENDING):
                await process.wait()
        warden.ended(process.pid)
    if status:
        raise _Unusable(f"it ended with the exit status {status}{said.last}")
    if not output.strip():
        raise _Unusable(f"it answered nothing{said.last}")
    return output


async def _tell(process: asyncio.subprocess.Process, line: str) -> None:
    assert process.stdin is not None
    with contextlib.suppress(ConnectionError):  # a program that reads nothing may answer all the same
        process.stdin.write(line.encode() + b"\n")
        await process.stdin.drain()
        process.stdin.close()
        await process.stdin.wait_closed()


async def _output(process: asyncio.subprocess.Process) -> bytes:
    """What a command writes; one that writes too much is ended, and read to its end, since asyncio waits for that."""
    assert process.stdout is not None
    output, over = bytearray(), False
    while piece := await process.stdout.read(65_536):
        if not over:
            output += piece
        if len(output) > MAX_OUTPUT:
            output, over = bytearray(), True
            _end(process)
    if over:
        raise _Unusable(f"it wrote more than {MAX_OUTPUT // 1024 // 1024} MB")
    return bytes(output)


class _Tail:
    """The end of what a command writes to its standard error."""

    def __init__(self) -> None:
        self._text = b""

    async def read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stderr is not None
        while piece := await process.stderr.read(65_536):
            self._text = (self._text + piece)[-_STDERR_KEPT:]

    @property
    def last(self) -> str:
        """``: `` and the exception with what follows it, else the last line, cut; "" where there is none."""
        lines = [line for line in self._text.decode(errors="replace").splitlines() if line.strip()]
        return f": {_shown(' '.join(lines[_exception(lines) :]))}" if lines else ""


def _exception(lines: Sequence[str]) -> int:
    """The place of the line that names the last exception: messages may go on over further lines. Else the last."""
    traces = [place for place, line in enumerate(lines) if line.startswith(_TRACEBACK)]
    if traces:
        for place in range(traces[-1] + 1, len(lines)):
            if _RAISED.fullmatch(lines[place]):
                return place
    return next((place for place in reversed(range(len(lines))) if _EXCEPTION.match(lines[place])), len(lines) - 1)


def _end(process: asyncio.subprocess.Process) -> None:
    """End a process with all that it started, where the system can."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        elif process.returncode is None:
            process.kill()


def _read(output: bytes, id: str) -> dict[str, Any]:
    try:
        text = output.decode()
    except UnicodeDecodeError:
        raise _Unusable("its answer is not text in UTF-8") from None
    try:
        form = json.loads(text, parse_constant=_no_number)
        json.dumps(form, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:  # halves of surrogate pairs are a ValueError too
        lines = sum(bool(line.strip()) for line in text.split("\n"))
        what = "its answer is not JSON" if lines == 1 else f"it wrote {lines:,} lines, not one JSON object"
        raise _Unusable(f"{what}: {_shown(str(error))}") from None
    if not isinstance(form, dict):
        raise _Unusable("its answer is JSON, but no object")
    for field in ("id", "synthesis", "tldr", "references"):
        if field not in form:
            raise _Unusable(f"its answer lacks {field}")
    if form["id"] != id:
        raise _Unusable(f"it answered the question {_shown(str(form['id']))} and was asked {id}")
    for field in ("synthesis", "tldr"):
        if not isinstance(form[field], str):
            raise _Unusable(f"its {field} is no text")
    references = form["references"]
    if not isinstance(references, list) or not all(isinstance(one, dict) and _is_pmid(one.get("pmid")) for one in references):
        raise _Unusable('its references are no list of objects with a "pmid" (its digits as text, or null)')
    return form


def _no_number(text: str) -> None:
    raise ValueError(f"{text} is no number")


def _is_pmid(value: object) -> bool:
    return value is None or (isinstance(value, str) and _PMID.fullmatch(value) is not None)


async def _record(cell: Cell, form: Mapping[str, Any], request: RunRequest, lookup: audit.Lookup) -> Record:
    answer = {name: value for name, value in form.items() if name != "timings"}
    texts = {"synthesis": answer["synthesis"], "tldr": answer["tldr"]}
    articles = _articles(answer)
    kept = [str(one["pmid"]) for one in articles or () if one.get("relevant") is not False and _is_judged(one)]
    cited = [one["pmid"] for one in answer["references"] if one["pmid"] is not None]
    used = [("references", pmid) for pmid in cited] + [("articles", pmid) for pmid in kept]
    leaks, unchecked = await audit.of_others(used, texts, answer["references"], request, lookup)
    pmids = dict.fromkeys([*(pmid for _, pmid in used), *(pmid for text in texts.values() for pmid in audit.pmids_named(text))])
    known = await lookup.articles(pmids) if request.before is not None else {}
    answered = bool(answer["synthesis"].strip() or answer["tldr"].strip())
    told = articles is not None
    rejected = tuple(dict.fromkeys(str(one["pmid"]) for one in articles or () if one.get("relevant") is False))
    return Record(
        cell,
        "leaked" if leaks else "answered" if answered else "unanswered",
        synthesis=answer["synthesis"],
        tldr=answer["tldr"],
        answer=answer,
        queries=_queries(answer),
        retrieved=tuple(dict.fromkeys(str(one["pmid"]) for one in articles or () if not _is_withheld(one))) if told else None,
        relevant=tuple(dict.fromkeys(kept if told else cited)),
        irrelevant=rejected if told else None,
        usage=_usage(answer.get("usage")),
        leaks=leaks,
        unchecked=unchecked,
        later=audit.later({pmid: known.get(pmid) for pmid in pmids}, request),
    )


def _articles(answer: Mapping[str, Any]) -> list[Mapping[str, Any]] | None:
    """The articles that a whole JSON answer lists, those with a PMID; None where it lists none."""
    articles = answer.get("articles")
    if not isinstance(articles, list) or not all(isinstance(one, dict) for one in articles):
        return None
    return [one for one in articles if isinstance(one.get("pmid"), str) and _PMID.fullmatch(one["pmid"])]


def _is_withheld(article: Mapping[str, Any]) -> bool:
    return "withheld" in (article.get("flags") or ())


def _is_judged(article: Mapping[str, Any]) -> bool:
    """Whether an article was judged at all; unreadable judgements (null) keep it, and name their judge."""
    return article.get("relevant") is True or bool(article.get("judge"))


def _queries(answer: Mapping[str, Any]) -> tuple[str, ...]:
    queries = answer.get("queries")
    if not isinstance(queries, list):
        return ()
    return tuple(one["sent"] for one in queries if isinstance(one, dict) and isinstance(one.get("sent"), str))


def _usage(value: object) -> dict[str, Any] | None:
    """Tokens and dollars as the system states them; None where it does not, or not in the form of an answer's ``usage``."""
    if not isinstance(value, dict):
        return None
    tokens, cost = [value.get("prompt_tokens"), value.get("completion_tokens")], value.get("cost_usd")
    if not all(isinstance(one, int) and not isinstance(one, bool) and one >= 0 for one in tokens):
        return None
    if cost is not None and (isinstance(cost, bool) or not isinstance(cost, (int, float)) or cost < 0):
        return None
    return {**value, "cost_usd": cost}


def _shown(text: str) -> str:
    text = " ".join("".join(character if character.isprintable() else " " for character in text).split())
    return text if len(text) <= MAX_PROBLEM else text[: MAX_PROBLEM - 1] + "…"
