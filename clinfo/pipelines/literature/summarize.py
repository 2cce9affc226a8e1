"""Summaries: the finding of one relevant article about the question, as typed fields."""

from __future__ import annotations

import json
from collections.abc import Sequence

from clinfo.llm.prompts import Prompt
from clinfo.pipelines.literature import reading
from clinfo.pipelines.literature.by_rule import OTHER_OUTCOMES
from clinfo.pipelines.literature.declared import SUMMARY, Read
from clinfo.pipelines.literature.replies import Reading, Summarised
from clinfo.records.articles import Article, Sentence, Summary
from clinfo.runs.protocols import Ask, Message
from clinfo.runs.replies import read, typed
from clinfo.text.structured import json_object

NOTHING_SAID = "The model returned no summary of this article."
NOTHING_PROVED = "No statement in the model's summary of this article could be supported by it."
UNPROVED = (
    "The article does not carry these sentences of the finding. Reply with the whole JSON object "
    "again, with them mended or left "
    "out and nothing new:\n"
)
LEAST_WORDS = 4
"""Words of a finding that comes as prose in place of fields: "not relevant" is none."""


async def summarise(question: str, article: Article, prompt: Prompt, ask: Ask) -> Summary:
    """The summary of one article; prose instead of JSON is kept as the finding, with the typed
    fields None.

    Raises ModelError, BudgetReached.
    """
    messages = reading.messages(question, article, prompt)
    request = SUMMARY.request(messages, Read(question=question, article=article))
    said = await typed(ask, f"summary {article.id}", request, Summarised)
    if said.value is None:
        return Summary(finding=NOTHING_SAID)
    return summary_of(said.value)


async def repaired(
    question: str,
    article: Article,
    prompt: Prompt,
    ask: Ask,
    summary: Summary,
    problems: Sequence[Sentence],
) -> Summary | None:
    """The summary written once more, after the sentences of its finding that the article does not
    carry were named; None where the reply could not be read. Raises ModelError, BudgetReached.
    """
    listed = "\n".join(f"- {sentence.text} ({sentence.reason})" for sentence in problems)
    written = json.dumps({"finding": summary.finding}, ensure_ascii=False)
    messages = (
        *reading.messages(question, article, prompt),
        Message("assistant", written),
        Message("user", UNPROVED + listed),
    )
    variables = Read(question=question, article=article)
    request = SUMMARY.request(messages, variables, attempt=1)
    said = await typed(ask, f"summary {article.id} repaired", request, Summarised, again=False)
    return None if said.value is None else summary_of(said.value)


def parse_along(text: str) -> Summary | None:
    """The summary in a reply that judges first, or None where it holds none that can be read."""
    along = read(Reading, text)
    summary = along.summary if along is not None else None
    if summary is not None and summary == Summarised(finding=summary.finding):
        summary = summary if len(summary.finding.split()) >= LEAST_WORDS else None
    if summary is None and "finding" in (json_object(text, ("finding",)) or ()):
        summary = read(Summarised, text)  # its fields beside those of the judgement
    return None if summary is None else summary_of(summary)


def summary_of(said: Summarised) -> Summary:
    """The summary that a reply gives."""
    return Summary(
        finding=said.finding,
        design=said.design,
        sample_size=said.sample_size,
        population=said.population,
        bias=said.bias,
        stance="other outcomes" if said.relation == OTHER_OUTCOMES else said.relation,
        effect_direction=said.direction,
    )
