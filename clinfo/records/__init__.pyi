from clinfo.records.answer import Answer, Reference, SearchedQuery
from clinfo.records.appraisal import Effect, EvidenceRow
from clinfo.records.articles import (
    Article,
    Identifier,
    RunRequest,
    Sentence,
    Span,
    Summary,
    Verdict,
)
from clinfo.records.chart import NOT_DOCUMENTED, ChartAnswer, ChartRequest, StageTrace
from clinfo.records.cohort import CohortRequest
from clinfo.records.copilot import CopilotAnswer, CopilotRequest, called
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
from clinfo.records.trials import (
    GivenArm,
    GivenNumbers,
    TrialsAnswer,
    TrialsRequest,
)

__all__ = [
    "EXTRACTIVE",
    "GROUPS",
    "MAX_NAME",
    "MAX_PROMPT",
    "MAX_QUERY",
    "MAX_QUESTION",
    "MAX_SEED_STUDIES",
    "NOT_DOCUMENTED",
    "READ",
    "Answer",
    "Article",
    "ChartAnswer",
    "ChartRequest",
    "CohortRequest",
    "CopilotAnswer",
    "CopilotRequest",
    "Effect",
    "EvidenceRow",
    "GivenArm",
    "GivenNumbers",
    "Identifier",
    "Reference",
    "RunRequest",
    "SearchedQuery",
    "Sentence",
    "Span",
    "StageTrace",
    "Summary",
    "TrialsAnswer",
    "TrialsRequest",
    "Verdict",
    "called",
]
