"""A model's conclusion on one study: passages grouped, what bears on the question kept of each
group, the direction with its quotations.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from clinfo.lazy_dataclass import replace
from clinfo.llm.delimiting import fenced
from clinfo.pipelines.trials.clustering import clusters, ordered
from clinfo.pipelines.trials.events import EvidenceExtracted, PassagesChosen, PassagesClustered
from clinfo.pipelines.trials.quoting import located
from clinfo.pipelines.trials.replies import Concluding
from clinfo.pipelines.trials.run_log import TrialsLog
from clinfo.pipelines.trials.stages import CONCLUDE, EXTRACT, TEMPERATURE
from clinfo.records.request import EXTRACTIVE
from clinfo.records.trials import Conclusion, StudyPapers, TrialsRequest
from clinfo.retrieval.asked import Asked
from clinfo.retrieval.documents import Document, Passage
from clinfo.retrieval.rerankers import Reranker, best
from clinfo.runs.recorder import Recorder
from clinfo.runs.replies import typed
from clinfo.runs.tasks import all_of

if TYPE_CHECKING:
    from clinfo.llm.prompts import Prompt

CLUSTERED: Final = frozenset(("numbers", "urca", "raptor"))
NOTHING: Final = "NOTHING"
"""The reply of an extraction that found nothing."""
UNREADABLE: Final = "the model's answer could not be read"
UNQUOTED: Final = "the model quoted nothing that stands in the papers"
Groups = tuple[tuple[int, ...], ...]
Worked = Callable[[Callable[[], Any]], Awaitable[Any]]


class Concluder:
    """Asks the models of a run for the conclusions of its studies; ``worked`` does what takes a
    processor.
    """

    def __init__(
        self,
        request: TrialsRequest,
        prompts: Mapping[str, Prompt],
        reranker: Reranker,
        recorder: Recorder[TrialsLog],
        worked: Worked,
    ) -> None:
        self._request = request
        self._prompts = prompts
        self._reranker = reranker
        self._recorder = recorder
        self._log = recorder.run_log
        self._worked = worked
        self._extracts = request.models.get("extract") != EXTRACTIVE

    async def concluded(
        self,
        study: StudyPapers,
        papers: Mapping[str, Document],
        chosen: PassagesChosen,
        asked: Asked,
    ) -> Conclusion:
        """What a model concludes of the study's papers."""
        groups = await self._clustered(study, chosen)
        evidence = await self._evidence(study, chosen, groups, asked)
        if not evidence and self._request.method != "no-rag":
            return Conclusion("not_stated", (), "no passage bears on the question")
        question = self._request.question
        name = "instruct" if self._request.method == "instruct-rag" else "conclude"
        messages = self._prompts[name].fill(
            question=question,
            intervention=asked.intervention,
            comparator=asked.comparator or "not named",
            outcome=asked.outcome,
            evidence=fenced(evidence, "evidence") if evidence else "(nothing is given)",
        )
        request = CONCLUDE.request(messages, {"question": question}, temperature=TEMPERATURE)
        said = await typed(self._recorder.ask, f"conclude {study.name}", request, Concluding)
        return conclusion(said.value, chosen.passages, quoted=self._request.method != "no-rag")

    async def _evidence(
        self, study: StudyPapers, chosen: PassagesChosen, groups: Groups, asked: Asked
    ) -> str:
        """What the conclusion is drawn from, as text for a model."""
        passages = chosen.passages
        if not groups:
            return "\n\n".join(one.text for one in passages)
        if self._request.method == "raptor":
            return await self._tree(study, passages, groups, asked)
        texts = await all_of(
            self._extracted(study, number, tuple(passages[place] for place in group))
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
            groups = await self._worked(partial(clusters, [one.text for one in layer]))
        scores = await self._worked(lambda: self._reranker.scores(asked, nodes))
        return "\n\n".join(nodes[place].text for place in best(scores, self._request.k))

    async def _clustered(self, study: StudyPapers, chosen: PassagesChosen) -> Groups:
        """The groups of the passages chosen; none where the method has none."""
        if self._request.method not in CLUSTERED or not chosen.passages or not self._extracts:
            return ()
        known = self._log.get(PassagesClustered, f"clusters {study.name}")
        if known is not None:
            return known.clusters
        groups = await self._worked(partial(clusters, [one.text for one in chosen.passages]))
        order = ordered(groups, chosen.scores, self._request.order, self._request.seed)
        event = PassagesClustered(study=study.name, clusters=tuple(map(tuple, order)))
        self._recorder.emit(event)
        return event.clusters

    async def _extracted(
        self, study: StudyPapers, number: int, passages: tuple[Passage, ...]
    ) -> str:
        key = f"extracted {study.name} {number}"
        if (known := self._log.get(EvidenceExtracted, key)) is not None:
            return known.text
        question = self._request.question
        shown = "\n\n".join(fenced(one.text, "passage") for one in passages)
        messages = self._prompts["extract"].fill(question=question, passages=shown)
        request = EXTRACT.request(messages, {"question": question}, temperature=TEMPERATURE)
        reply = await self._recorder.ask(f"extract {study.name} {number}", request)
        text = "" if reply.text.strip().rstrip(".") == NOTHING else reply.text.strip()
        self._recorder.emit(EvidenceExtracted(study=study.name, cluster=number, text=text))
        return text


def conclusion(
    said: Concluding | None, passages: Sequence[Passage], quoted: bool = True
) -> Conclusion:
    """The conclusion of a reply. Where it must be ``quoted``, one whose quotations do not stand in
    the passages is "not_stated".
    """
    if said is None:
        return Conclusion("not_stated", (), UNREADABLE)
    quotes = located(said.quotes, passages)
    if said.direction != "not_stated" and quoted and not quotes:
        return Conclusion("not_stated", (), UNQUOTED)
    return Conclusion(said.direction, quotes, said.reason)
