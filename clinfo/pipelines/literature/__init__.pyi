from clinfo.extractive.model import NOTICE as EXTRACTIVE_NOTICE
from clinfo.pipelines.literature.answer_building import (
    build_answer,
    read_articles,
    searched_queries,
)
from clinfo.pipelines.literature.assemble import default_judge, open_cache
from clinfo.pipelines.literature.declared import JUDGE_STAGE, LITERATURE, PROMPT_TEXTS, PROMPTS
from clinfo.pipelines.literature.events import (
    EVENTS,
    ArticleSummarised,
    EvidenceAppraised,
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
    plain,
    refuse_controls,
)
from clinfo.pipelines.literature.run_log import LiteratureLog
from clinfo.pubmed.strategy import read_strategy

__all__ = [
    "EVENTS",
    "EXTRACTIVE_NOTICE",
    "JUDGE_STAGE",
    "LITERATURE",
    "NARROWING",
    "OPTIONS",
    "PROMPTS",
    "PROMPT_TEXTS",
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
