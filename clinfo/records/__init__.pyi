from clinfo.records.answer import Answer, Reference, SearchedQuery
from clinfo.records.appraisal import EvidenceRow
from clinfo.records.articles import (
    Article,
    Effect,
    Identifier,
    RunRequest,
    Sentence,
    Span,
    Summary,
    Verdict,
)
from clinfo.records.request import (
    EXTRACTIVE,
    GROUPS,
    MAX_NAME,
    MAX_PROMPT,
    MAX_QUERY,
    MAX_QUESTION,
    MAX_SEED_STUDIES,
    READ,
)

__all__ = [
    "EXTRACTIVE",
    "GROUPS",
    "MAX_NAME",
    "MAX_PROMPT",
    "MAX_QUERY",
    "MAX_QUESTION",
    "MAX_SEED_STUDIES",
    "READ",
    "Answer",
    "Article",
    "Effect",
    "EvidenceRow",
    "Identifier",
    "Reference",
    "RunRequest",
    "SearchedQuery",
    "Sentence",
    "Span",
    "Summary",
    "Verdict",
]
