"""Tokens that a run sends and gets, against those of the original Clinfo.AI over the same articles.

The original's prompts are those of som-shahlab/Clinfo.AI at c0cf9e3 and a719c4c
(prompts/PubMed/Architecture_1; of task_2, whose file is not there, the text of Architecture_3 at
a4049cb). Its calls are those of its pubmed_engine.py as published: three queries, a yes or no for
each abstract, a summary of each relevant one, and one synthesis with the TL;DR over all summaries
with their citations. Schemas sent beside a request (``response_format``) are not counted.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.own import speed
from benchmarks.servers import workload
from benchmarks.servers.eutils import EutilsServer
from benchmarks.servers.model import ModelServer

QUERY, RELEVANCE, SUMMARY, SYNTHESIS = 84, 66, 102, 184
"""Tokens of the original's two messages a call, without question, abstract and summaries."""
STUDY, FIELDS = 9, 20
"""Tokens around one study in the original's synthesis, and of the names of its summary's fields."""
MESSAGE = 4
"""Tokens of the marks around a message, as OpenAI counts them."""
COUNTS = (workload.ARTICLE_COUNT, 126, 200)
TARGETS = {"the chain": 0.95, "summaries by rule": 0.4, "judged and summarised by rule": 0.4}
BY_RULE = {
    "the chain": (),
    "summaries by rule": ("summary",),
    "judged and summarised by rule": ("relevance", "summary"),
}
"""Ways to read the articles: the stages that the extractive model serves."""


@dataclass(frozen=True)
class Tokens:
    """Tokens of all calls of a run, by OpenAI's encoding cl100k."""

    sent: int
    got: int


def counted(text: str) -> int:
    """Tokens of a text."""
    from clinfo.llm.litellm_loading import load

    return int(load().token_counter(model="gpt-3.5-turbo", text=text))


def of_chain(count: int, round: int, by_rule: tuple[str, ...]) -> tuple[Tokens, dict[str, Any]]:
    """(Tokens of our run, its answer) over new articles; no model judges sentences, nothing is
    written twice. Raises SystemExit where it does not answer.
    """
    replies: list[str] = []

    def reply(body: Mapping[str, Any]) -> str:
        replies.append(workload.reply(dict(body)))
        return replies[-1]

    model = ModelServer(reply)
    eutils = EutilsServer(workload.articles(count, round), scripted=workload.searches(count))
    with tempfile.TemporaryDirectory() as folder, model, eutils:
        environment = {
            "OPENAI_API_BASE": model.url,
            "OPENAI_API_KEY": "sk-scripted",
            "CLINFO_EUTILS_URL": eutils.url,
            "CLINFO_EUTILS_RATE": "10000",
        }
        models = dict.fromkeys(by_rule, "extractive")
        answer, _ = speed.ask(environment, folder, count, models)
    if "failed" in answer:
        raise SystemExit(f"the chain did not answer: {answer['failed']}")
    messages = [one for request in model.received for one in request.body["messages"]]
    sent = sum(counted(one["content"]) + MESSAGE for one in messages)
    return Tokens(sent, sum(map(counted, replies))), answer


def of_original(count: int, round: int, answer: Mapping[str, Any]) -> Tokens:
    """Tokens of the original's run over the articles, summaries and citations of ``answer``."""
    question, query = counted(workload.QUESTION), workload.reply({"messages": []})
    articles = {one.id: one for one in workload.articles(count, round)}
    sent, got = 3 * (2 * MESSAGE + QUERY + question), 3 * counted(query)
    synthesis = 2 * MESSAGE + SYNTHESIS + question
    citations = {one["id"]: one["citation"] for one in answer["references"]}
    for judged in answer["articles"]:
        abstract = counted(re.sub(r"(?m)^([A-Z ]+): ", r"\1:\n", articles[judged["id"]].abstract))
        sent += 2 * MESSAGE + RELEVANCE + question + abstract
        got += 1
        if judged["summary"]:
            sent += 2 * MESSAGE + SUMMARY + question + abstract
            said = [str(judged["summary"].get(name) or "Not stated") for name in _PARTS]
            summary = FIELDS + counted("\n".join(said))
            got += summary
            synthesis += STUDY + counted(citations[judged["id"]]) + summary
    cited = counted("\n".join(citations.values()))
    return Tokens(sent + synthesis, got + counted(answer["synthesis"] + answer["tldr"]) + cited)


_PARTS = ("finding", "design", "sample_size", "population", "bias")


def report(count: int, round: int) -> dict[str, float]:
    """Print input and output tokens of the ways to read so many new articles, beside the
    original's; give back the ratios of input tokens.
    """
    _, answer = of_chain(count, round, ())
    original, figures = of_original(count, round, answer), {}
    print(
        f"{count} articles, original Clinfo.AI: {original.sent:,} tokens in, {original.got:,} out"
    )
    for way, stages in BY_RULE.items():
        ours, read = of_chain(count, round, stages)
        figures[f"{way}, {count}"] = ratio = ours.sent / original.sent
        print(
            f"  {way}: {ours.sent:,} in, {ours.got:,} out = {ratio:.2f} x the original's input "
            f"(target {TARGETS[way]}), {ours.got / original.got:.2f} x its output; "
            f"{read['counts']['summarised']} studies for {answer['counts']['summarised']}"
        )
    return figures


if __name__ == "__main__":
    print(json.dumps({count: report(count, 0) for count in COUNTS}))
