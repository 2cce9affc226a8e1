"""Abstractions that a language model makes of texts, with a prompt of one's own for each purpose.

A part of a document is asked of once for each prompt. What came is kept by what was asked, so that
neither a load that was killed nor the same text in another file is paid for twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from clinfo.errors import BudgetReached, ModelError, PromptError, UsageError
from clinfo.llm.delimiting import fenced
from clinfo.llm.prompts import Prompt, PromptSet
from clinfo.retrieval.silos import SiloDocument
from clinfo.retrieval.silos.passages import parts
from clinfo.retrieval.silos.staged import Staged
from clinfo.runs.clock import SystemClock
from clinfo.runs.protocols import ChatModel, ModelRequest
from clinfo.runs.recorder import Recorder
from clinfo.runs.run_log import RunLog
from clinfo.runs.spending import MemoryBudget

STAGE: Final = "abstract"
MOST_TOKENS: Final = 500
AT_ONCE: Final = 8
"""Calls that are made at the same time."""
MOST_FAILED: Final = 3
"""Calls that brought nothing after their retries, after which no more is asked."""
STRUCTURED: Final = "fields"
"""The abstraction of records whose template says all that there is."""


def prompts_of(files: Sequence[Path], known: PromptSet) -> dict[str, Prompt]:
    """The prompts in files, by their names without ending; the ``known`` one where none is named.
    Raises PromptError, UsageError.
    """
    if not files:
        return known.checked()
    found = {}
    for file in files:
        try:
            found[file.stem] = known.parse(STAGE, file.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
            raise UsageError(f"--abstract-prompt: {file} cannot be read: {why}") from None
        except PromptError as error:
            raise PromptError(f"{file}: {error}") from None
    if len(found) < len(files):
        raise UsageError("--abstract-prompt: the files must have different names")
    return found


class Abstracter:
    """Has ``model`` make abstractions, one for each of ``prompts`` and part of a document, within
    ``max_cost`` US dollars; what it makes is kept in ``staged``.

    ``stopped`` says why no more is asked ("" while more is), ``lacking`` counts the abstractions
    that are wanted and not there. An abstraction is called by its prompt and the number of its
    part.
    """

    def __init__(
        self,
        staged: Staged,
        model: ChatModel,
        prompts: dict[str, Prompt],
        max_cost: float | None = None,
    ) -> None:
        self.stopped: ModelError | BudgetReached | None = None
        self.lacking = 0
        self._staged, self._prompts, self._model, self._failed = staged, prompts, model.name, 0
        self._log = RunLog()
        self._recorder: Recorder[RunLog] = Recorder(
            {STAGE: model}, MemoryBudget(max_cost), SystemClock(), 0, self._log, lambda _: None
        )
        own = [model.name, *(f"{name} {one.sha256}" for name, one in sorted(prompts.items()))]
        self.signature = "\n".join(own)
        """All that changes the abstractions of a text."""

    @property
    def usage(self) -> Any:
        """Return what the calls so far took."""
        return self._log.usage

    def abstracted(self, documents: Sequence[SiloDocument]) -> list[SiloDocument]:
        """The documents with the abstractions that could be made; records as they are."""

        async def every() -> list[SiloDocument]:
            places = asyncio.Semaphore(AT_ONCE)
            return await asyncio.gather(*(self._document(one, places) for one in documents))

        return asyncio.run(every())

    async def _document(self, document: SiloDocument, places: asyncio.Semaphore) -> SiloDocument:
        if STRUCTURED in document.abstractions:
            return document
        spans = list(enumerate(parts(document), 1))
        wanted = [(f"{name} {n}", name, span) for name in self._prompts for n, span in spans]
        made = await asyncio.gather(
            *(self._made(document, name, span, places) for _, name, span in wanted)
        )
        new = {called: text for (called, *_), text in zip(wanted, made, strict=True) if text}
        return replace(document, abstractions={**document.abstractions, **new})

    async def _made(
        self, document: SiloDocument, name: str, span: tuple[int, int], places: asyncio.Semaphore
    ) -> str:
        """One abstraction; "" where there is none."""
        messages = self._prompts[name].fill(
            silo=document.silo,
            title=fenced(" ".join(document.title.split()), "title"),
            text=fenced(document.text[slice(*span)], "document"),
        )
        asked = repr((self._model, [(one.role, one.content) for one in messages]))
        key = sha256(asked.encode(errors="replace")).hexdigest()
        if known := self._staged.made(key):
            return known
        async with places:
            request = ModelRequest(STAGE, messages, temperature=0.0, max_tokens=MOST_TOKENS)
            text = "" if self.stopped else await self._asked(key, request)
        if text:
            self._staged.keep(key, text)
        else:
            self.lacking += 1
        return text

    async def _asked(self, key: str, request: ModelRequest) -> str:
        """Return what the model says; "" where nothing came of it."""
        try:
            reply = await self._recorder.ask(key, request)
        except (BudgetReached, ModelError) as error:
            self._failed += 1
            broke = isinstance(error, BudgetReached) or not error.retryable
            self.stopped = error if broke or self._failed >= MOST_FAILED else self.stopped
            return ""
        return reply.text.strip()
