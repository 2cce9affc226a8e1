"""One cell of an external system: a process a question, one JSON line in, one JSON object out,
nothing trusted.

It gets {"id", "question", "regime", "before", "drop"} on its standard input and answers the JSON
answer, or at least {"id", "synthesis", "tldr", "references": [{"pmid"}]}, in one line or indented
over several. What does not come as one JSON object in time, of the right form and for the right
question, is a failure. It is started without a shell and sees no environment but PATH, HOME, LANG
and what its entry names.

The articles behind its references are those that the run's source holds. Where the source could not
be asked the record stands without them, and the same run begun again asks the source, not the
command.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import signal
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec

from benchmarks.pubmedrs200.running import audit
from benchmarks.pubmedrs200.running.cells import Outcome, failed
from benchmarks.pubmedrs200.running.folder import (
    cited_pmids,
    read_record,
    remove_articles,
    write_articles,
    write_record,
)
from benchmarks.pubmedrs200.running.records import Cell, Record, System
from clinfo.records.articles import RunRequest

MAX_OUTPUT: Final = 16 * 1024 * 1024
"""Bytes of an answer: a JSON answer with all that was read has some hundred thousand."""
MAX_PROBLEM: Final = 200
ENDING: Final = 2.0
"""Seconds that a command which was ended is waited for."""
_KEPT: Final = ("PATH", "HOME", "LANG")


class Unusable(Exception):
    """The reason why a command's output is no answer, in one line."""


async def ask(system: System, folder: str, line: str) -> bytes:
    """Return what the command wrote when told ``line``. Raises Unusable.

    Its process group is ended whatever happens, to this process too.
    """
    environment = {
        name: os.environ[name] for name in (*_KEPT, *system.environment) if name in os.environ
    }
    pipe = asyncio.subprocess.PIPE
    with tempfile.TemporaryFile() as given:
        given.write(line.encode() + b"\n")
        given.seek(0)
        try:
            process = await asyncio.create_subprocess_exec(
                *system.command,
                stdin=given,
                stdout=pipe,
                stderr=pipe,
                env=environment,
                cwd=folder,
                start_new_session=True,
            )
        except OSError as error:
            raise Unusable(
                f"{Path(system.command[0]).name} cannot be started: {error.strerror or 'unknown'}"
            ) from None
    tail = bytearray()
    try:
        async with asyncio.timeout(system.timeout):
            output, _ = await asyncio.gather(_output(process), _said(process, tail))
            status = await process.wait()
    except TimeoutError:
        if process.returncode is None:
            raise Unusable(f"it did not end within {system.timeout:g} s{_last(tail)}") from None
        open_still = (
            "it ended, but something that it started kept its output open for more than "
            f"{system.timeout:g} s"
        )
        raise Unusable(f"{open_still}{_last(tail)}") from None
    finally:
        _end(process)
        with contextlib.suppress(
            TimeoutError
        ):  # something that it started, and that left its group, may hold its output open
            async with asyncio.timeout(ENDING):
                await process.wait()
    if status:
        raise Unusable(f"it ended with the exit status {status}{_last(tail)}")
    if not output.strip():
        raise Unusable(f"it answered nothing{_last(tail)}")
    return output


async def _output(process: asyncio.subprocess.Process) -> bytes:
    """Return what a command writes; one that writes too much is ended, and read to its end, since
    asyncio waits for that.
    """
    assert process.stdout is not None
    try:
        await process.stdout.readexactly(MAX_OUTPUT + 1)
    except asyncio.IncompleteReadError as whole:
        return whole.partial
    _end(process)
    await process.stdout.read()
    raise Unusable(f"it wrote more than {MAX_OUTPUT // 1024 // 1024} MB")


async def _said(process: asyncio.subprocess.Process, tail: bytearray) -> None:
    """Keep the end of what a command writes to its standard error."""
    assert process.stderr is not None
    while piece := await process.stderr.read(65_536):
        tail[:] = (bytes(tail) + piece)[-8_192:]


def _last(tail: bytearray) -> str:
    """``: `` and the last line, cut; "" where there is none."""
    lines = [line for line in tail.decode(errors="replace").splitlines() if line.strip()]
    return f": {shown(lines[-1])}" if lines else ""


def _end(process: asyncio.subprocess.Process) -> None:
    """End a process with all that it started, where the system can."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        elif process.returncode is None:
            process.kill()


def shown(text: str) -> str:
    """Return what a program wrote, in one line that can be printed, cut."""
    text = " ".join(
        "".join(character if character.isprintable() else " " for character in text).split()
    )
    return text if len(text) <= MAX_PROBLEM else text[: MAX_PROBLEM - 1] + "…"


MAX_DEPTH: Final = 100
"""Lists and objects within one another: an answer of ``clinfo ask --json`` has 7. Few more than
these can be copied or written.
"""
_PMID: Final = re.compile(r"[1-9]\d{0,8}", re.ASCII)
_MOST: Final = 10**12
"""Tokens, or dollars, of a question: what is more is not their count, and sums of it may be no
number at all.
"""


_Count = Annotated[int, msgspec.Meta(ge=0, le=_MOST)]


class _Reference(msgspec.Struct):
    pmid: Annotated[str, msgspec.Meta(pattern=f"^{_PMID.pattern}$")] | None


class _Answer(msgspec.Struct):
    """The fields that every answer must have."""

    id: str
    synthesis: str
    tldr: str
    references: list[_Reference]


class _Article(msgspec.Struct):
    """An article of a whole JSON answer, whatever its fields hold."""

    pmid: Any = None
    relevant: Any = None
    judge: Any = None
    flags: Any = None


class _Usage(msgspec.Struct):
    prompt_tokens: _Count
    completion_tokens: _Count
    cost_usd: Annotated[float, msgspec.Meta(ge=0, le=_MOST)] | None = None


def read_answer(output: bytes, id: str) -> dict[str, Any]:
    """The JSON object that a command wrote when asked the question ``id``, without times. Raises
    Unusable where it is no answer.
    """
    try:
        form: dict[str, Any] = msgspec.json.decode(output, type=dict[str, Any])
        answer = msgspec.convert(form, _Answer)
        deep = _depth(form) > MAX_DEPTH
    except RecursionError:
        deep = True
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise Unusable(f"its answer cannot be used: {shown(str(error))}") from None
    if deep:
        raise Unusable(f"its answer is nested more than {MAX_DEPTH} levels deep")
    if answer.id != id:
        raise Unusable(f"it answered the question {shown(answer.id)} and was asked {id}")
    return {name: value for name, value in form.items() if name != "timings"}


def _part(value: Any, kind: Any) -> Any:
    """A part of an answer that need not be there; None where it is not of its form."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return None


def _depth(value: object) -> int:
    """Return how many lists and objects stand within one another; without recursion, since that has
    a depth of its own.
    """
    depth, level = 0, [value]
    while level := [one for one in level if isinstance(one, (dict, list))]:
        depth += 1
        inside = (one.values() if isinstance(one, dict) else one for one in level)
        level = [inner for one in inside for inner in one]
    return depth


async def record_of(
    cell: Cell, answer: Mapping[str, Any], request: RunRequest, lookup: audit.Lookup
) -> Record:
    """The record of what a command answered (`read_answer`), audited."""
    texts = {"synthesis": answer["synthesis"], "tldr": answer["tldr"]}
    articles = _articles(answer)
    # unreadable judgements (null) keep an article, and name their judge
    kept = [
        one.pmid
        for one in articles or ()
        if one.relevant is True or (one.relevant is not False and one.judge)
    ]
    cited = [one["pmid"] for one in answer["references"] if one["pmid"] is not None]
    used = [("references", pmid) for pmid in cited] + [("articles", pmid) for pmid in kept]
    leaks, unchecked = await audit.of_others(used, texts, answer["references"], request, lookup)
    pmids = dict.fromkeys(
        [
            *(pmid for _, pmid in used),
            *(pmid for text in texts.values() for pmid in audit.pmids_named(text)),
        ]
    )
    known = await lookup.articles(pmids) if request.before is not None else {}
    answered = bool(answer["synthesis"].strip() or answer["tldr"].strip())
    told = articles is not None
    rejected = (one.pmid for one in articles or () if one.relevant is False)
    held = (
        one.pmid
        for one in articles or ()
        if not (isinstance(one.flags, list) and "excluded" in one.flags)
    )
    return Record(
        cell,
        "leaked" if leaks else "answered" if answered else "unanswered",
        synthesis=answer["synthesis"],
        tldr=answer["tldr"],
        answer=dict(answer),
        queries=_queries(answer),
        retrieved=tuple(dict.fromkeys(held)) if told else None,
        relevant=tuple(dict.fromkeys(kept if told else cited)),
        irrelevant=tuple(dict.fromkeys(rejected)) if told else None,
        usage=_usage(answer.get("usage")),
        leaks=leaks,
        unchecked=unchecked,
        later=audit.later({pmid: known.get(pmid) for pmid in pmids}, request),
    )


def _articles(answer: Mapping[str, Any]) -> list[_Article] | None:
    """The articles that a whole JSON answer lists, those with a PMID; None where it lists none."""
    listed: list[_Article] | None = _part(answer.get("articles"), list[_Article])
    if listed is None:
        return None
    return [one for one in listed if isinstance(one.pmid, str) and _PMID.fullmatch(one.pmid)]


def _queries(answer: Mapping[str, Any]) -> tuple[str, ...]:
    listed = _part(answer.get("queries"), list[dict[str, Any]]) or []
    return tuple(one["sent"] for one in listed if isinstance(one.get("sent"), str))


def _usage(value: Any) -> dict[str, Any] | None:
    """Tokens and dollars as the system states them; None where it does not, or not in the form of
    an answer's ``usage``.
    """
    return {"cost_usd": None} | value if _part(value, _Usage) is not None else None


async def run_command(
    root: Path,
    cell: Cell,
    system: System,
    folder: str,
    question: str,
    request: RunRequest,
    lookup: audit.Lookup,
) -> Outcome:
    """Ask a command that is run in ``folder``, audit its answer, write the articles it refers to
    and the record.

    A command whose answer is recorded already is not asked again: that answer is audited anew, with
    its articles. The outcome has no seconds then.
    """
    seconds = None
    before = read_record(root, cell)
    if before is not None and before.status == "answered" and before.answer is not None:
        answer = before.answer
    else:
        remove_articles(root, cell)
        began = time.monotonic()
        line = {
            "id": cell.id,
            "question": question,
            "regime": cell.regime,
            "before": request.before.isoformat() if request.before else None,
            "drop": list(request.drop),
        }
        try:
            answer = read_answer(
                await ask(system, folder, json.dumps(line, ensure_ascii=False)), cell.id
            )
        except Unusable as error:
            return Outcome("done", failed(root, cell, str(error)), time.monotonic() - began)
        seconds = time.monotonic() - began
    pmids = cited_pmids(answer["references"])
    # The review too, so that an answer without references has figures of support where all others
    # have them, and only there.
    own = request.drop or ((cell.id,) if cell.id.isdecimal() else ())
    held = await lookup.held((*own, *pmids))
    record = await record_of(cell, answer, request, lookup)
    if held is not None and record.status == "answered":
        write_articles(root, cell, {pmid: held[pmid] for pmid in pmids})
    write_record(root, record)
    return Outcome("done", record, seconds)
