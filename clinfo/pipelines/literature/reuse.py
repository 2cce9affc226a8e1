"""Judgements and summaries of an earlier run that stand in a new one: of the same question, asked
of the same models under the same prompts and checks, and of the same text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from clinfo.pipelines.literature.events import (
    ArticleJudged,
    ArticleSummarised,
    RunStarted,
)
from clinfo.pipelines.literature.run_log import LiteratureLog
from clinfo.pipelines.literature.stages import JUDGE_STAGE, LITERATURE
from clinfo.records.articles import Article
from clinfo.runs.events import Event

_STAGES: Final = ("relevance", "summary", JUDGE_STAGE)
_PROMPTS: Final = tuple(
    prompt.name for stage in LITERATURE.stages if stage.name in _STAGES for prompt in stage.prompts
)
_SETTINGS: Final = (
    "version",
    "reasoning_effort",
    "strict",
    "judge",
    "learned_judge",
    "checks",
    "temperature",
    "max_tokens",
    "read_in_one_call",
)
"""What a judgement or a summary depends on, beside models and prompts."""


class Reuse:
    """What an ``earlier`` run has judged and summarised, as far as ``started`` may use it."""

    def __init__(self, earlier: Iterable[Event], started: RunStarted | None) -> None:
        run_log = LiteratureLog(earlier)
        before = run_log.started
        same = before is not None and started is not None and _read_by(before) == _read_by(started)
        self._run_log = run_log if same else LiteratureLog()
        self._articles = {article.id: article for article in self._run_log.articles}

    def judged(self, article: Article) -> ArticleJudged | None:
        """The readable judgement of this very text, or None."""
        event = self._run_log.get(ArticleJudged, f"judged {article.id}")
        readable = event is not None and event.judgement.relevant is not None
        return event if readable and self._articles.get(article.id) == article else None

    def summarised(self, article: Article) -> tuple[Event, ...]:
        """The summary of this very text; () without one."""
        event = self._run_log.get(ArticleSummarised, f"summarised {article.id}")
        if event is None or event.summary is None or self._articles.get(article.id) != article:
            return ()
        return (event,)


def _read_by(started: RunStarted) -> tuple[Any, ...]:
    """Question, models, prompts and settings by which a run judges and summarises."""
    settings: Mapping[str, Any] = started.settings
    models, prompts = settings.get("models", {}), settings.get("prompts", {})
    return (
        started.request.question,
        [models.get(stage) for stage in _STAGES],
        [prompts.get(name) for name in _PROMPTS],
        [settings.get(name) for name in _SETTINGS],
    )
