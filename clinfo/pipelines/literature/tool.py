"""The literature as a tool: a whole run with its own checks, as a user would ask it."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from pydantic import Field

from clinfo.patients.access import allowed
from clinfo.pipelines.literature.api import Answer, stream
from clinfo.pipelines.tools import Arguments, Host, Kind, Progress, ToolDeclared, carried_out
from clinfo.records.observations import Observation, Observed
from clinfo.records.request import EXTRACTIVE

if TYPE_CHECKING:
    from clinfo.records.articles import Article

SILO: Final = "literature"
HERE: Final = frozenset(("local", "demo"))
"""Sources on this machine."""
MOST_ARTICLES: Final = 30


class Question(Arguments):
    question: str = Field(min_length=1, description="one clinical question, in a sentence")


async def _asked(
    declared: ToolDeclared, host: Host, arguments: Mapping[str, Any], progress: Progress
) -> Observation:
    question, options = arguments["question"], dict(declared.options)
    options.setdefault("max_articles", MOST_ARTICLES)
    if host.model != EXTRACTIVE:
        options.setdefault("judge", "model")
    events = await carried_out(
        "literature",
        host,
        progress,
        lambda before, most: stream(
            question, model=host.model, after=before, **options, max_cost=most
        ),
    )
    if problem := getattr(events[-1], "problem", ""):
        return Observation(problem=f"the literature could not be asked: {problem}")
    answer = Answer(events)
    found = tuple(_passages(answer))[: declared.top_k]
    said = [f"{answer.tldr} {answer.synthesis}".strip() or answer.record.withheld_reason]
    return Observation(found, tuple(filter(None, said)), () if found else (SILO,))


def _passages(answer: Answer) -> Iterator[Observed]:
    """The passages of cited abstracts that sentences of the answer rest on; where the checks point
    at none, the whole abstract.
    """
    articles: dict[str, Article] = {
        one.id: one for event in answer.events for one in getattr(event, "articles", ())
    }
    levels = {row.id: row.level for row in answer.evidence}
    for one in answer.references:
        article = articles.get(one.id)
        if not one.cited or article is None or not article.abstract:
            continue
        spans = {
            (span.start, span.end)
            for sentence in answer.sentences
            for span in sentence.spans
            if span.n == one.n and span.field == "abstract"
        }
        text = article.abstract
        level = f"CEBM {levels[one.id]}" if levels.get(one.id) else ""
        date = str(article.published.start if article.published else article.electronic or "")
        for start, end in sorted(spans) or [(0, len(text))]:
            yield Observed(
                SILO, one.id, one.title, start, end, text[start:end], level, date, url=one.url,
                facts={"flags": ", ".join(one.flags)} if one.flags else {},
            )  # fmt: skip


def _missing(declared: ToolDeclared, host: Host) -> str:
    """A question made of a case goes to a remote source only where the host declared
    it, and into no cache of source answers.
    """
    source = str(declared.options.get("source", host.settings.source))
    if not host.of_patients or source in HERE:
        return ""
    if not allowed("model", source, host.settings):
        return (
            f"a question made of a case would go to {source}, which is not named in "
            "CLINFO_PATIENT_MODELS"
        )
    if host.settings.cache == "on":
        return f"what {source} answers would be cached with the question: CLINFO_CACHE=off"
    return ""


KIND = Kind("literature", Question, _asked, _missing, runs=True)
