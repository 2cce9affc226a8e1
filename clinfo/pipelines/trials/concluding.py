"""A model's conclusion on one study: by one call from its passages where they fit the model's
window; as URCA was published by groups of passages, of each of which what bears on the question is
kept first.

Passages are grouped by what they speak of. Without extras: average linkage over cosine distances of
TF-IDF vectors, cut at 0.92. By the extra `trials` URCA's published groups: RAPTOR's UMAP and
Gaussian mixtures with its own settings (cosine, 10 dimensions, √(n−1) neighbours, the mixture of
the least BIC among 1 to 50, seed 224). It is reduced once here, and each passage is in its
likeliest group alone; the seed binds on one machine, not across systems. Any number of passages
will do.
"""

from __future__ import annotations

import math
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from clinfo.extras import needed
from clinfo.llm.delimiting import fenced
from clinfo.pipelines.trials.events import PassagesChosen, PassagesClustered
from clinfo.pipelines.trials.numbers import reading_of
from clinfo.pipelines.trials.papers import TrialsRun
from clinfo.pipelines.trials.quoting import Piece, located, name_of, pieces, told
from clinfo.pipelines.trials.records import Clusters, Conclusion, Order, StudyPapers, StudyReading
from clinfo.pipelines.trials.stages import (
    CONCLUDE,
    EXTRACT,
    Concluding,
    StudyReply,
)
from clinfo.retrieval.documents import Asked, Document, Passage
from clinfo.retrieval.rerankers import best
from clinfo.retrieval.sparse import searched_words
from clinfo.runs.protocols import ModelRequest
from clinfo.runs.replies import typed
from clinfo.runs.tasks import all_of

if TYPE_CHECKING:
    import numpy as np

    from clinfo.retrieval.embedders import Vectors

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
        question = self._request.question
        shown = "\n\n".join(fenced(one.text, "passage") for one in passages)
        messages = self._run.prompts["extract"].fill(question=question, passages=shown)
        request = EXTRACT.request(messages, {"question": question})
        reply = await self._run.ask(f"extract {study.name} {number}", request)
        return "" if reply.text.strip().rstrip(".") == NOTHING else reply.text.strip()


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


DIMENSIONS: Final = 10
MOST: Final = 50
SEED: Final = 224
CUT = 0.92
"""The cosine distance up to which two groups are joined: about as many groups of what is chosen for
a question as by the published way (2.3 and 2.5 of two papers).
"""


def grouped(
    texts: Sequence[str],
    way: Clusters = "agglomerative",
    vectors: Callable[[Sequence[str]], Vectors] | None = None,
) -> list[list[int]]:
    """The places of ``texts`` in groups, by their TF-IDF vectors or those that ``vectors`` makes,
    without what these have in common: texts on one question are all alike otherwise. Raises
    UsageError where UMAP is asked and the extra is missing.
    """
    if vectors is None:
        alike = similarities(texts)
    else:
        made = vectors(texts).astype(float)
        alike = _cosines(made - made.mean(axis=0))
    return umap_clusters(alike) if way == "umap" else clusters(alike)


def clusters(alike: np.ndarray, cut: float = CUT) -> list[list[int]]:
    """The places of texts in groups, each in order, by their first members. ``alike`` are the
    texts' cosines.
    """
    import numpy as np

    distance, count = 1.0 - alike, len(alike)
    groups = {place: [place] for place in range(count)}
    np.fill_diagonal(distance, np.inf)
    while len(groups) > 1:
        first, second = sorted(divmod(int(distance.argmin()), count))
        if distance[first, second] > cut:
            break
        sizes = len(groups[first]), len(groups[second])
        merged = (sizes[0] * distance[first] + sizes[1] * distance[second]) / sum(sizes)
        distance[first, :] = distance[:, first] = merged
        distance[first, first] = np.inf
        distance[second, :] = distance[:, second] = np.inf
        groups[first] += groups.pop(second)
    return sorted(sorted(group) for group in groups.values())


def umap_clusters(alike: np.ndarray) -> list[list[int]]:
    """The places of texts in groups, as `clusters` gives them; one group of at most
    11, as in RAPTOR. Raises UsageError without the extra.
    """
    umap, mixture = needed("umap", "trials"), needed("sklearn.mixture", "trials")
    count = len(alike)
    if count <= DIMENSIONS + 1:
        return [list(range(count))] if count else []
    near = round((count - 1) ** 0.5)
    reducer = umap.UMAP(
        n_neighbors=near,
        n_components=DIMENSIONS,
        metric="precomputed",
        random_state=SEED,
        n_jobs=1,
    )
    points = reducer.fit_transform((1.0 - alike).clip(0.0)).astype(float)
    fitted = (
        mixture.GaussianMixture(number, random_state=SEED).fit(points)
        for number in range(1, min(MOST, count))
    )
    labels = min(fitted, key=lambda one: one.bic(points)).predict(points)
    groups = {label: [p for p, own in enumerate(labels) if own == label] for label in labels}
    return sorted(groups.values())


def ordered(
    groups: Sequence[Sequence[int]], scores: Sequence[float], order: Order, seed: int = 0
) -> list[Sequence[int]]:
    """The groups in one of URCA's orders by their similarity to the question, here the mean score
    of their passages; ping-pong puts the best at both ends, beginning at the top or the bottom.
    """

    def score(group: Sequence[int]) -> float:
        return math.fsum(scores[place] for place in group) / len(group)

    falling = sorted(groups, key=lambda group: (-score(group), group[0]))
    made: dict[Order, Callable[[], list[Sequence[int]]]] = {
        "descending": lambda: falling,
        "ascending": lambda: falling[::-1],
        "random": lambda: random.Random(seed).sample(falling, len(falling)),
        "ping-pong-top": lambda: falling[::2] + falling[1::2][::-1],
        "ping-pong-bottom": lambda: falling[1::2] + falling[::2][::-1],
    }
    return made[order]()


def similarities(texts: Sequence[str]) -> np.ndarray:
    """The cosines of the texts' TF-IDF vectors (1 + ln tf, smooth idf); 0 beside an empty one."""
    import numpy as np

    held = [searched_words(text) for text in texts]
    places = {word: n for n, word in enumerate(sorted({word for own in held for word in own}))}
    vectors = np.zeros((len(texts), max(1, len(places))))
    for row, own in enumerate(held):
        for word in own:
            vectors[row, places[word]] += 1
    present = (vectors > 0).sum(axis=0)
    vectors = np.where(vectors > 0, 1 + np.log(np.maximum(vectors, 1)), 0)
    vectors *= np.log((1 + len(texts)) / (1 + present)) + 1
    return _cosines(vectors)


def _cosines(vectors: np.ndarray) -> np.ndarray:
    import numpy as np

    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors = vectors / np.where(lengths > 0, lengths, 1)
    return vectors @ vectors.T
