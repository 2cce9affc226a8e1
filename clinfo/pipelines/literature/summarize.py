"""Summaries: the finding of one relevant article about the question, as typed fields."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from clinfo.llm.prompts import Prompt
from clinfo.llm.schemas import MAYBE_TEXT, MAYBE_WHOLE, TEXT, closed, one_of
from clinfo.pipelines.literature import reading
from clinfo.pipelines.literature.by_rule import OTHER_OUTCOMES
from clinfo.pipelines.literature.declared import SUMMARY, Read
from clinfo.records.articles import DIRECTIONS, STANCES, Article, Sentence, Summary
from clinfo.runs.protocols import Ask, Message
from clinfo.text.structured import json_object, words_of

FIELDS = (
    '{"finding": "2-3 sentences", "design": "…", "sample_size": people, "population": "…", "bias": '
    '"limits", "relation": "supports/contradicts/mixed/does not answer", '
    '"direction": "increased/decreased/no difference/mixed/unclear"}'
)
FORMAT = f"Reply in JSON only, null if not stated:\n{FIELDS}"
SCHEMA = closed(
    finding=TEXT,
    design=MAYBE_TEXT,
    sample_size=MAYBE_WHOLE,
    population=MAYBE_TEXT,
    bias=MAYBE_TEXT,
    relation=one_of(
        [OTHER_OUTCOMES if stance == "other outcomes" else stance for stance in STANCES]
    ),
    direction=one_of(DIRECTIONS),
)
NOTHING_PROVED = "No statement in the model's summary of this article could be supported by it."
UNPROVED = (
    "The article does not carry these sentences of the finding. Reply with the whole JSON object "
    "again, with them mended or left "
    "out and nothing new:\n"
)
AGAIN = (
    "Your reply could not be read. Reply with the JSON object described above, and nothing else."
)
LEAST_WORDS = 4
"""Words of a finding that comes as prose in place of fields: "not relevant" is none."""

_FENCE = re.compile(r"```(?:\w+)?")
_WHOLE = re.compile(r"\d{1,3}(?:[,\u2009\u202f\u00a0]\d{3})+(?!\d)|\d+")

Choice = TypeVar("Choice", bound=str)


async def summarise(question: str, article: Article, prompt: Prompt, ask: Ask) -> Summary:
    """The summary of one article; prose instead of JSON is kept as the finding, with the typed
    fields None.

    Raises ModelError, BudgetReached.
    """
    messages = reading.messages(question, article, prompt, FORMAT)
    variables = Read(question=question, article=article)
    reply = await ask(f"summary {article.id}", SUMMARY.request(messages, variables, schema=SCHEMA))
    summary = parse_summary(reply.text)
    if summary is None:
        again = (*messages, Message("assistant", reply.text), Message("user", AGAIN))
        reply = await ask(
            f"summary {article.id} again",
            SUMMARY.request(again, variables, schema=SCHEMA, attempt=1),
        )
        summary = parse_summary(reply.text)
    return summary or Summary(finding="The model returned no summary of this article.")


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
        *reading.messages(question, article, prompt, FORMAT),
        Message("assistant", written),
        Message("user", UNPROVED + listed),
    )
    variables = Read(question=question, article=article)
    reply = await ask(
        f"summary {article.id} repaired",
        SUMMARY.request(messages, variables, schema=SCHEMA, attempt=1),
    )
    return parse_summary(reply.text)


def parse_summary(text: str) -> Summary | None:
    """The summary in a reply, or None when it holds neither a finding nor prose."""
    form = json_object(text)
    if form is None:
        prose = _FENCE.sub("", " ".join(text.split())).strip()
        return (
            Summary(finding=prose)
            if re.search(r"\w{2}", prose) and not prose.startswith(("{", "["))
            else None
        )
    return _summary(form)


def parse_along(text: str) -> Summary | None:
    """The summary in a reply that judges first, or None where it holds none that can be read."""
    form = json_object(text) or {}
    inner = form.get("summary")
    if isinstance(inner, str) and len(inner.split()) < LEAST_WORDS:
        form = form | {"summary": None}
    return _summary(inner if isinstance(inner, dict) else form)


def _summary(form: Mapping[str, Any]) -> Summary | None:
    fields: dict[str, Any] = {key.strip().lower(): value for key, value in form.items()}
    finding = words_of(fields.get("finding")) or words_of(fields.get("summary"))
    if finding is None:
        return None
    said = _choice(fields.get("relation"), (OTHER_OUTCOMES, *STANCES))
    return Summary(
        finding=finding,
        design=words_of(fields.get("design")),
        sample_size=_whole_number(fields.get("sample_size")),
        population=words_of(fields.get("population")),
        bias=words_of(fields.get("bias")),
        stance="other outcomes" if said == OTHER_OUTCOMES else _choice(said, STANCES),
        effect_direction=_choice(fields.get("direction"), DIRECTIONS),
    )


def _whole_number(value: object) -> int | None:
    """412 from 412, "412", "n = 1,412"; None from anything that holds no number or more than
    one.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return int(value) if value == value and 0 <= value < 1e10 and value == int(value) else None
    numbers = _WHOLE.findall(str(value or "")[:200])
    if len(numbers) != 1:
        return None
    digits = re.sub(r"\D", "", numbers[0])
    return int(digits) if len(digits) <= 10 else None


def _choice(value: object, choices: tuple[Choice, ...]) -> Choice | None:
    """The choice that a reply names, tolerant of case, hyphens and underscores."""
    said = re.sub(r"[\s_-]+", " ", str(value or "")).strip().lower()
    return next((choice for choice in choices if said == choice), None)
