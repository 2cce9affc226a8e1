"""A model and a source for tests of the chain: they answer by rule and remember what they were
asked.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from functools import cache
from typing import Any

from clinfo.errors import SourceError
from clinfo.pipelines.literature.at_work import Chain
from clinfo.pipelines.literature.events import LiteratureLog
from clinfo.pipelines.literature.stages import LITERATURE, MODEL_STAGES, PROMPTS
from clinfo.pubmed.query import parse
from clinfo.pubmed.tree import Boolean, Node, Term
from clinfo.records.articles import (
    Article,
    Fetched,
    Related,
    RunRequest,
    SearchRequest,
    SearchResult,
    Section,
)
from clinfo.runs.engine import Opened, Runner
from clinfo.runs.events import Event
from clinfo.runs.protocols import ChatModel, Clock, ModelReply, ModelRequest, StreamReset
from clinfo.runs.spending import MemoryBudget
from clinfo.settings import Settings
from clinfo.sources.registry import ArticleSource
from clinfo.text.words import key
from tests.virtual_time import LoopClock, virtual_loop

QUESTION = "Does vitamin D prevent falls?"


def articles(count: int) -> list[Article]:
    """Articles 1…count; every third is about something else."""
    made = []
    for number in range(1, count + 1):
        about = "aspirin and headache" if number % 3 == 0 else "vitamin D and falls"
        text = f"In {number}0 adults, {about}: {number}.5% fewer (95% CI {number}.1 to {number}.9)."
        made.append(
            Article(
                id=f"pmid:{number}",
                pmid=str(number),
                title=f"A trial of {about} ({number})",
                sections=(Section(text, "RESULTS"),),
            )
        )
    return made


def sensible_reply(request: ModelRequest) -> str:
    """Return what a sensible model would say, as a function of the request alone."""
    variables = request.variables
    if request.stage == "question2query" and variables.get("form") == "pico":
        return json.dumps(
            {
                "population": ["adults"],
                "intervention": ["vitamin D"],
                "comparator": [],
                "outcome": ["falls"],
            }
        )
    if request.stage == "question2query":
        return f"vitamin D AND falls AND seed{request.seed}"
    if request.stage == "relevance":
        fits = "vitamin D" in variables["article"].title
        return json.dumps(
            {
                "relevant": "yes" if fits else "no",
                "reason": "it fits" if fits else "another subject",
            }
        )
    if request.stage == "summary":
        return json.dumps(summary_of(variables["article"]))
    if request.stage == "synthesis":
        return " ".join(
            f"Study {study.n} found {study.article.pmid}.5% fewer falls [{study.n}]."
            if study.article.sections
            else f"Another was retrieved [{study.n}]."
            for study in variables["studies"]
        )
    return f"Fewer falls in the {len(variables['studies'])} studies retrieved [1]."


def summary_of(article: Article) -> dict[str, object]:
    """The fields of the summary that a sensible model writes."""
    return {
        "finding": article.sections[0].text if article.sections else "Only a title.",
        "answer": "yes",
        "result": "found benefit",
        "outcome": "falls",
        "design": "randomised controlled trial",
        "n_randomised": 10 * int(article.pmid or 0),
        "usefulness": 7,
    }


def reply_in_one(request: ModelRequest) -> str:
    """A sensible reply that brings the summary along with the judgement where that is asked for."""
    reply = sensible_reply(request)
    if request.form != "reading":
        return reply
    judged = json.loads(reply)
    fields = summary_of(request.variables["article"]) if judged["relevant"] == "yes" else {}
    return json.dumps(judged | fields)


class FakeModel:
    """``reply`` may return a text, or an error to raise, for each request; ``price`` is dollars a
    call, None unknown.
    """

    name = "fake"
    remote = False
    notices: tuple[str, ...] = ("Made by a fake.",)

    def __init__(
        self,
        reply: Callable[[ModelRequest], str | Exception] = sensible_reply,
        price: float | None = 0.0,
        context_tokens: int | None = None,
        delay: float = 0.0,
    ) -> None:
        self.reply = reply
        self.price = price
        self.context_tokens = context_tokens
        self.delay = delay
        self.asked: list[ModelRequest] = []
        self.resets = 0

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def worst_cost(self, request: ModelRequest) -> float | None:
        return None if self.price is None else 2 * self.price

    async def complete(self, request: ModelRequest) -> ModelReply:
        self.asked.append(request)
        await asyncio.sleep(self.delay)
        reply = self.reply(request)
        if isinstance(reply, Exception):
            raise reply
        return ModelReply(
            reply,
            self.name,
            prompt_tokens=7,
            completion_tokens=len(reply.split()),
            cost_usd=self.price,
        )

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | StreamReset | ModelReply]:
        reply = await self.complete(request)
        if self.resets:
            self.resets -= 1
            yield "Broken off "
            yield StreamReset()
        for word in reply.text.split(" "):
            yield word + " "
            await asyncio.sleep(self.delay / 100)
        yield reply


class FakeSource:
    """Query number i (by its seed's last digit, if it has one) finds the articles from place i
    on.
    """

    name = "fake"
    remote = False
    query_prompt = "question2query"
    notices = ("From a fake source.",)

    def __init__(
        self,
        found: Sequence[Article],
        fail: Callable[[str], str | None] = lambda _: None,
        delay: float = 0.0,
    ) -> None:
        self.found = list(found)
        self.fail = fail
        self.delay = delay
        self.searched: list[SearchRequest] = []
        self.fetched: list[tuple[str, ...]] = []

    async def search(self, request: SearchRequest) -> SearchResult:
        self.searched.append(request)
        await asyncio.sleep(self.delay)
        if problem := self.fail(request.query):
            raise SourceError(problem, retryable=True)
        start = int(request.query[-1]) if request.query[-1].isdigit() else 0
        ids = tuple(article.id for article in self.found[start : start + request.limit])
        return SearchResult(
            request.query, ids, len(self.found), "relevance", "2026-01-02T03:04:05+00:00"
        )

    async def fetch(self, ids: Sequence[str], fresh: bool = False) -> Fetched:
        self.fetched.append(tuple(ids))
        await asyncio.sleep(self.delay)
        return Fetched(tuple(article for article in self.found if article.id in ids))


class ReadingSource(FakeSource):
    """A source that reads queries: terms by their words in title and abstract, ``[pmid]`` by
    number, AND, OR and NOT.

    Hits are in the order of the articles. A quoted phrase that no article holds is named as
    dropped, as PubMed names it. Links of article n: similar n + 1 to n + 3, citing n + 10, cited n
    + 20, as far as there are such articles.
    """

    async def search(self, request: SearchRequest) -> SearchResult:
        self.searched.append(request)
        await asyncio.sleep(self.delay)
        if problem := self.fail(request.query):
            raise SourceError(problem, retryable=True)
        sent = f"({request.query}) AND ({request.filter})" if request.filter else request.query
        dropped: dict[str, None] = {}
        hits = [one.id for one in self.found if matches(parse(sent).tree, one, self.found, dropped)]
        return SearchResult(
            sent,
            tuple(hits[: request.limit]),
            len(hits),
            "relevance",
            "2026-01-02T03:04:05+00:00",
            outcome="zero" if not hits else "partly dropped" if dropped else "complete",
            dropped=tuple(dropped),
        )

    async def related(self, id: str, limit: int, fresh: bool = False) -> Related:
        number, there = int(id.removeprefix("pmid:")), {article.id for article in self.found}
        near = [f"pmid:{number + step}" for step in (1, 2, 3, 10, 20)]
        held = [id if id in there else None for id in near]
        return Related(
            similar=tuple(id for id in held[:3] if id)[:limit],
            citing=tuple(id for id in held[3:4] if id),
            cited=tuple(id for id in held[4:] if id),
        )


def matches(
    node: Node | None, article: Article, all_articles: Sequence[Article], dropped: dict[str, None]
) -> bool:
    """Return whether an article is a hit, by the plainest reading of a (shallow) tree."""
    if isinstance(node, Boolean):
        found = [matches(part, article, all_articles, dropped) for part in node.parts]
        return (
            all(found)
            if node.operator == "AND"
            else any(found)
            if node.operator == "OR"
            else found[0] and not any(found[1:])
        )
    if not isinstance(node, Term):
        return False
    if node.field == "pmid":
        return node.text == article.pmid
    phrase = key(node.text.rstrip("*"))
    if node.quoted and not any(f" {phrase} " in _read(one) for one in all_articles):
        dropped[phrase] = None
    if node.quoted:
        return f" {phrase} " in _read(article)
    return all(f" {word}" in _read(article) for word in phrase.split())


@cache
def _read(article: Article) -> str:
    return f" {key(article.title)} {key(article.abstract)} "


def request(**fields: object) -> RunRequest:
    """A request that marks what is not carried and removes nothing; a test of what is removed says
    ``strict=True``.
    """
    settings: dict[str, object] = {
        "question": QUESTION,
        "source": "fake",
        "models": dict.fromkeys(MODEL_STAGES, "fake"),
    }
    settings["strict"] = False
    return RunRequest(**(settings | fields))  # type: ignore[arg-type]


def chain(
    model: ChatModel,
    source: ArticleSource,
    run: RunRequest,
    *,
    models: Mapping[str, ChatModel] | None = None,
    clock: Clock | None = None,
    **own: Any,
) -> Runner[RunRequest, LiteratureLog, Chain]:
    """The chain for a run, with what is its ``own`` beside the source."""
    by_stage = {**dict.fromkeys((*MODEL_STAGES, *run.models), model), **(models or {})}
    prompts, budget = PROMPTS.checked(run.prompts), MemoryBudget(run.max_cost)
    opened = Opened(Settings(cache="off"), by_stage, prompts, budget, clock or LoopClock())
    return Runner(LITERATURE, opened, Chain(source, **own))


def run_events(
    run: RunRequest,
    model: FakeModel,
    source: FakeSource,
    after: Sequence[Event] = (),
    cancel: asyncio.Event | None = None,
) -> list[Event]:
    """All new events of a run."""
    return collected(chain(model, source, run), run, after, cancel)


def collected(
    chain: Runner[RunRequest, LiteratureLog, Chain],
    run: RunRequest,
    after: Sequence[Event] = (),
    cancel: asyncio.Event | None = None,
) -> list[Event]:
    """All new events of a run of this chain, on virtual time (`tests.virtual_time`): ``delay`` and
    deadlines take none.
    """

    async def collect() -> list[Event]:
        return [event async for event in chain.run(run, after=after, cancel=cancel)]

    with asyncio.Runner(loop_factory=virtual_loop) as runner:
        return runner.run(collect())
