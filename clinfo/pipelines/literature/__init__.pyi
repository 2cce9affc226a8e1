from clinfo.extractive.model import NOTICE as EXTRACTIVE_NOTICE
from clinfo.pipelines.literature.answer import (
    build_answer,
    read_articles,
    searched_queries,
)
from clinfo.pipelines.literature.events import (
    EVENTS,
    ArticleSummarised,
    EvidenceAppraised,
    LiteratureLog,
    SentencesRemoved,
    SynthesisReset,
    SynthesisText,
    loads,
)
from clinfo.pipelines.literature.request import (
    NARROWING,
    OPTIONS,
    at,
    checked,
    default_judge,
)
from clinfo.pipelines.literature.stages import JUDGE_STAGE, LITERATURE, PROMPTS
from clinfo.pipelines.opening import open_cache
from clinfo.pubmed.strategy import read_strategy
from clinfo.runs.events import plain
from clinfo.runs.options import refuse_controls

__all__ = [
    "EVENTS",
    "EXTRACTIVE_NOTICE",
    "JUDGE_STAGE",
    "LITERATURE",
    "NARROWING",
    "OPTIONS",
    "PROMPTS",
    "ArticleSummarised",
    "EvidenceAppraised",
    "LiteratureLog",
    "SentencesRemoved",
    "SynthesisReset",
    "SynthesisText",
    "at",
    "build_answer",
    "checked",
    "default_judge",
    "loads",
    "open_cache",
    "plain",
    "read_articles",
    "read_strategy",
    "refuse_controls",
    "searched_queries",
]
