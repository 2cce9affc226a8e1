"""Tokens that a run sends and gets, against those of the original Clinfo.AI over the same articles.

The original's prompts are those of som-shahlab/Clinfo.AI at c0cf9e3 and a719c4c
(prompts/PubMed/Architecture_1; of task_2, whose file is not there, the text of Architecture_3 at
a4049cb). Its calls are those of its pubmed_engine.py as published: three queries, a yes or no for
each abstract, a summary of each relevant one, and one synthesis with the TL;DR over all summaries
with their citations; nothing is judged. Ours are counted with all that a run does: schemas beside a
request (``response_format``), doubts, the judge, and the mending of one sentence.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.own import speed
from benchmarks.servers import workload

QUERY, RELEVANCE, SUMMARY, SYNTHESIS = 84, 66, 102, 184
"""Tokens of the original's two messages a call, without question, abstract and summaries."""
STUDY, FIELDS = 9, 20
"""Tokens around one study in the original's synthesis, and of the names of its summary's fields."""
MESSAGE = 4
"""Tokens of the marks around a message, as OpenAI counts them."""
TARGET = 0.9


@dataclass(frozen=True)
class Tokens:
    """Tokens of all calls of a run, by OpenAI's encoding cl100k."""

    sent: int
    got: int


def counted(text: str) -> int:
    """Tokens of a text."""
    from clinfo.llm.litellm_loading import load

    return int(load().token_counter(model="gpt-3.5-turbo", text=text))


def of_chain(count: int, round: int) -> tuple[Tokens, Counter[str], dict[str, Any]]:
    """(Tokens of our run, those sent by stage, its answer) over new articles. Raises SystemExit
    where it does not answer.
    """
    replies: list[str] = []

    def reply(body: Mapping[str, Any]) -> str:
        replies.append(one_rejected(workload.reply(dict(body))))
        return replies[-1]

    events, received = speed.judged_run(reply, count, round)
    answer = speed.answer_of(events)
    sent: Counter[str] = Counter()
    for request in received:
        form = request.body.get("response_format")
        told = [one["content"] for one in request.body["messages"]]
        schema = counted(json.dumps(form, separators=(",", ":"), ensure_ascii=False)) if form else 0
        name = form["json_schema"]["name"] if form is not None else told[0].split(" from ")[0][:40]
        sent[name] += sum(counted(one) + MESSAGE for one in told) + schema
    return Tokens(sent.total(), sum(map(counted, replies))), sent, answer


def one_rejected(reply: str) -> str:
    """A reply of the judge with the third sentence of the text rejected, and what stands instead;
    any other as it is.
    """
    if not reply.startswith('{"verdicts"'):
        return reply
    said = json.loads(reply)
    for one in said["verdicts"]:
        if one["label"] == "S3" and len(said["verdicts"]) > 3:
            one |= {
                "verdict": "partial",
                "reason": "The trials say it of people over 70.",
                "instead": "In one of these trials of people over 70 falls were fewer [1].",
            }
    return json.dumps(said)


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
            summary = FIELDS + workload.SUMMARY_TOKENS
            got += summary
            synthesis += STUDY + counted(citations[judged["id"]]) + summary
    cited = counted("\n".join(citations.values()))
    return Tokens(sent + synthesis, got + counted(answer["synthesis"] + answer["tldr"]) + cited)


def report(count: int, round: int) -> dict[str, float]:
    """Print input and output tokens over so many new articles, beside the original's; give back the
    ratio of input tokens.
    """
    ours, stages, answer = of_chain(count, round)
    original = of_original(count, round, answer)
    ratio = ours.sent / original.sent
    print(
        f"{count} articles: {ours.sent:,} tokens in, {ours.got:,} out; the original's "
        f"{original.sent:,} and {original.got:,}: {ratio:.2f} x its input (target {TARGET}), "
        f"{ours.got / original.got:.2f} x its output"
    )
    print("  " + ", ".join(f"{name} {tokens:,}" for name, tokens in stages.most_common()))
    return {f"the chain, {count}": ratio}


def main(arguments: list[str] | None = None) -> None:
    """Print the figures, and as JSON."""
    argparse.ArgumentParser("python -m benchmarks tokens", description=__doc__).parse_args(
        arguments
    )
    print(json.dumps({count: report(count, 0) for count in workload.COUNTS}))
