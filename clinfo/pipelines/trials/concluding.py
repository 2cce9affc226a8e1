"""A model's conclusion on one study: by one call from its passages where they fit the model's
window; as URCA was published by groups of passages, of each of which what bears on the question is
kept first.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from clinfo.llm.delimiting import fenced
from clinfo.pipelines.trials.clustering import grouped, ordered
from clinfo.pipelines.trials.events import EvidenceExtracted, PassagesChosen, PassagesClustered
from clinfo.pipelines.trials.numbers import reading_of
from clinfo.pipelines.trials.papers import TrialsRun
from clinfo.pipelines.trials.quoting import Piece, located, name_of, pieces, told
from clinfo.pipelines.trials.records import Conclusion, StudyPapers, StudyReading
from clinfo.pipelines.trials.stages import (
    CONCLUDE,
    EXTRACT,
    Concluding,
    StudyReply,
)
from clinfo.retrieval.documents import Asked, Document, Passage
from clinfo.retrieval.rerankers import best
from clinfo.runs.protocols import ModelRequest
from clinfo.runs.replies import typed
from clinfo.runs.tasks import all_of

CLUSTERED: Final = frozenset(("urca", "urca-global", "raptor"))
NOTHING: Final = "NOTHING"
"""The reply of an extraction that found nothing."""
UNREADABLE: Final = "the model's answer could not be read"
UNQUOTED: Final = "the model quoted nothing that stands in the papers"
Groups = tuple[tuple[int, ...], ...]
Worked = Callable[[Callable[[], Any]], Awaitable[Any]]
Concluded = tuple[Conclusion, StudyReading | None]


class Concluder:
    """Asks the models of a run for the conclusions of its studies; ``worked`` does what takes a
    processor.
    """

    def __init__(self, run: TrialsRun, worked: Worked) -> None:
        self._run, self._request, self._log = run, run.request, run.run_log
        self._model, self._reranker = run.models[CONCLUDE.name], run.parts.reranker
        self._worked = worked

    async def concluded(
        self,
        study: StudyPapers,
        papers: Mapping[str, Document],
        chosen: PassagesChosen,
        asked: Asked,
    ) -> Concluded:
        """A model's conclusion of the study's papers, and, by the method ``numbers``, what else
        it reads there.
        """
        read = await self._worked(partial(pieces, chosen.passages, papers))
        request = self._conclude(told(read) if read else "", asked)
        if self._request.method != "numbers" or not self._fits(request):
            evidence = await self._evidence(study, papers, chosen, asked)
            if not evidence and self._request.method != "no-rag":
                return Conclusion("not_stated", (), "no passage bears on the question"), None
            request = self._conclude(evidence, asked)
        call = f"conclude {study.name}"
        if self._request.method == "numbers":
            full = (await typed(self._run.ask, call, request, StudyReply)).value
            found = await self._worked(partial(reading_of, full, read, papers)) if full else None
            return conclusion(full, read), found
        said = (await typed(self._run.ask, call, request, Concluding)).value
        return conclusion(said, read, quoted=self._request.method != "no-rag"), None

    def _conclude(self, evidence: str, asked: Asked) -> ModelRequest:
        method, question = self._request.method, self._request.question
        name = {"numbers": "study", "instruct-rag": "instruct"}.get(method, "conclude")
        messages = self._run.prompts[name].fill(
            question=question,
            intervention=asked.intervention,
            comparator=asked.comparator or "not named",
            outcome=asked.outcome,
            evidence=fenced(evidence, "evidence") if evidence else "(nothing is given)",
        )
        reply = StudyReply if method == "numbers" else None
        return CONCLUDE.request(messages, {"question": question}, reply=reply)

    def _fits(self, request: ModelRequest) -> bool:
        """Return whether the model reads a request at once."""
        texts = [message.content for message in request.in_words().messages]
        size = sum(map(self._model.count_tokens, texts)) + request.max_tokens
        return size <= self._run.window(CONCLUDE.name)

    async def _evidence(
        self,
        study: StudyPapers,
        papers: Mapping[str, Document],
        chosen: PassagesChosen,
        asked: Asked,
    ) -> str:
        """Return what the conclusion is drawn from, as text for a model."""
        passages = [_labelled(one, papers[one.document]) for one in chosen.passages]
        if self._request.method not in (*CLUSTERED, "numbers") or not self._run.asks(EXTRACT.name):
            return "\n\n".join(one.text for one in passages)
        groups = await self._clustered(study, chosen)
        if self._request.method == "raptor":
            return await self._tree(study, passages, groups, asked)
        texts = await all_of(
            self._extracted(study, number, [passages[place] for place in group])
            for number, group in enumerate(groups)
        )
        return "\n\n".join(text for text in texts if text)

    async def _tree(
        self,
        study: StudyPapers,
        passages: Sequence[Passage],
        groups: Sequence[Sequence[int]],
        asked: Asked,
    ) -> str:
        """The k best of all passages and of what their groups, and groups of these, hold in short:
        RAPTOR's collapsed tree.
        """
        nodes = layer = list(passages)
        number = 0
        while len(groups) < len(layer):
            joined = [tuple(layer[place] for place in group) for group in groups if len(group) > 1]
            texts = await all_of(
                self._extracted(study, number + place, own) for place, own in enumerate(joined)
            )
            number += len(joined)
            layer = [
                replace(own[0], text=text) for own, text in zip(joined, texts, strict=True) if text
            ]
            nodes = nodes + layer
            groups = await self._worked(partial(self._grouped, layer))
        scores = await self._worked(lambda: self._reranker.scores(asked, nodes))
        return "\n\n".join(nodes[place].text for place in best(scores, self._request.k))

    def _grouped(self, passages: Sequence[Passage]) -> list[list[int]]:
        texts = [one.text for one in passages]
        return grouped(texts, self._request.clusters, getattr(self._reranker, "vectors", None))

    async def _clustered(self, study: StudyPapers, chosen: PassagesChosen) -> Groups:
        """The groups of the passages chosen."""
        known = self._log.get(PassagesClustered, f"clusters {study.name}")
        if known is not None:
            return known.clusters
        groups = await self._worked(partial(self._grouped, chosen.passages))
        order = ordered(groups, chosen.scores, self._request.order, self._request.seed)
        event = PassagesClustered(study=study.name, clusters=tuple(map(tuple, order)))
        self._run.emit(event)
        return event.clusters

    async def _extracted(self, study: StudyPapers, number: int, passages: Sequence[Passage]) -> str:
        key = f"extracted {study.name} {number}"
        if (known := self._log.get(EvidenceExtracted, key)) is not None:
            return known.text
        question = self._request.question
        shown = "\n\n".join(fenced(one.text, "passage") for one in passages)
        messages = self._run.prompts["extract"].fill(question=question, passages=shown)
        request = EXTRACT.request(messages, {"question": question})
        reply = await self._run.ask(f"extract {study.name} {number}", request)
        text = "" if reply.text.strip().rstrip(".") == NOTHING else reply.text.strip()
        self._run.emit(EvidenceExtracted(study=study.name, cluster=number, text=text))
        return text


def _labelled(passage: Passage, paper: Document) -> Passage:
    """A passage whose text tells its paper and heading."""
    where = " > ".join((name_of(paper), *passage.section))
    return replace(passage, text=f"[{where}]\n{passage.text}")


def conclusion(said: Concluding | None, read: Sequence[Piece], quoted: bool = True) -> Conclusion:
    """The conclusion of a reply. Where it must be ``quoted``, one whose quotations do not stand in
    what was ``read`` is "not_stated".
    """
    if said is None:
        return Conclusion("not_stated", (), UNREADABLE)
    numbers = said.number_quotes if isinstance(said, StudyReply) else ()
    quotes = located(said.quotes, read) or located(numbers, read)
    if said.direction != "not_stated" and quoted and not quotes:
        return Conclusion("not_stated", (), UNQUOTED)
    return Conclusion(said.direction, quotes, said.reason)
