"""What a tool found, put in order by a reranker and refined by a model, where its declaration says
so.

The model names sentences by number, so that what is kept is the source's own text at its own place
and nothing can be invented. What was paid for is recorded: a resumed run pays for nothing again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Final

from clinfo.errors import BudgetReached, ModelError
from clinfo.llm.delimiting import fenced
from clinfo.pipelines.copilot.events import EVENTS
from clinfo.pipelines.copilot.replies import Kept
from clinfo.pipelines.copilot.stages import REFINE, Refining
from clinfo.records.copilot import Observed
from clinfo.retrieval.documents import Asked, Passage
from clinfo.retrieval.rerankers import NONE, best, reranker_named, scored
from clinfo.runs.clock import SystemClock
from clinfo.runs.events import CostIncurred
from clinfo.runs.protocols import ModelReply
from clinfo.runs.recorder import Recorder
from clinfo.runs.replies import typed
from clinfo.runs.run_log import RunLog
from clinfo.runs.spending import MemoryBudget
from clinfo.text.sentences import sentence_spans

if TYPE_CHECKING:
    from clinfo.pipelines.copilot.tools import Host, Progress, ToolDeclared
    from clinfo.retrieval.silos import SiloHit

RERANK: Final = "rerank"


class Narrowing:
    """One call of a tool, with what it spends recorded in its progress."""

    def __init__(self, declared: ToolDeclared, host: Host, progress: Progress) -> None:
        self.declared, self.host = declared, host
        before = (EVENTS.from_json(dict(form)) for form in progress.before)
        self._log = RunLog(one for one in before if one is not None)
        self._budget = host.budget or MemoryBudget()
        self._recorder: Recorder[RunLog] = Recorder(
            {REFINE.name: host.refining[0]} if host.refining else {},
            self._budget, SystemClock(), 0, self._log, progress.put,
        )  # fmt: skip

    async def ranked(self, query: str, hits: Sequence[SiloHit]) -> list[SiloHit]:
        """The hits in the reranker's order. Raises ModelError, BudgetReached, UsageError."""
        name = self.declared.rerank
        if name == NONE or not hits:
            return list(hits)
        if (known := self._log.reply(RERANK)) is not None:
            scores: list[float] = json.loads(known.reply)
        else:
            took = list[ModelReply]()
            reranker = reranker_named(name, self._budget, took.append)
            assert reranker is not None
            passages = [
                Passage(str(n), hit.document.id, hit.start, hit.end, "text", (), hit.text)
                for n, hit in enumerate(hits)
            ]
            scores = await scored(reranker, Asked(query), passages)
            for one in took:  # none where it is on this machine
                self._recorder.emit(
                    CostIncurred(
                        call=RERANK, where=RERANK, model=name, reply=json.dumps(scores),
                        prompt_tokens=one.prompt_tokens, cost_usd=one.cost_usd,
                        seconds=round(one.seconds, 6),
                    )
                )  # fmt: skip
        return [hits[place] for place in best(scores, len(hits))]

    async def refined(
        self, query: str, found: Sequence[Observed]
    ) -> tuple[tuple[Observed, ...], tuple[str, ...]]:
        """What of the passages bears on a query, in their order, and what is to be said of it; all
        of them where the model keeps nothing, or its reply cannot be had or read.
        """
        if not self.declared.refine or self.host.refining is None or not found:
            return tuple(found), ()
        numbers, sentences = count(1), dict[int, tuple[int, int, int]]()
        shown = []
        for place, one in enumerate(found):
            lines = []
            for start, end in sentence_spans(one.text):
                sentences[number := next(numbers)] = (place, start, end)
                lines.append(f"({number}) {' '.join(one.text[start:end].split())}")
            shown.append(fenced("\n".join([one.title, *lines]), "passage", by_line=True))
        messages = self.host.refining[1].fill(looked_for=query, passages="\n\n".join(shown))
        variables = Refining(looked_for=query)
        request = REFINE.request(messages, variables, temperature=0.0)
        try:
            said = await typed(self._recorder.ask, REFINE.name, request, Kept, again=False)
        except (ModelError, BudgetReached) as error:
            return tuple(found), (f"The passages were not refined: {error}",)
        kept = sorted({*(said.value.keep if said.value else ())} & {*sentences})
        if not kept:
            return tuple(found), ("The passages were not refined: no sentence was named.",)
        out = tuple(_runs(found, sentences, kept))
        left = len(found) - len({sentences[number][0] for number in kept})
        told = f"{left} passages that the model found not to bear on this were left out."
        return out, (told,) if left else ()


def _runs(
    found: Sequence[Observed], sentences: Mapping[int, tuple[int, int, int]], kept: Sequence[int]
) -> list[Observed]:
    """The kept sentences as passages of the same documents; those that follow each other in one."""
    runs: list[tuple[int, int, int]] = []
    last = 0
    for number in kept:
        place, start, end = sentences[number]
        if runs and number == last + 1 and runs[-1][0] == place:
            runs[-1] = (place, runs[-1][1], end)
        else:
            runs.append((place, start, end))
        last = number
    return [
        replace(
            found[place],
            start=found[place].start + start,
            end=found[place].start + end,
            text=found[place].text[start:end],
        )
        for place, start, end in runs
    ]
