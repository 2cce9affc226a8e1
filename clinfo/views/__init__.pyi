from clinfo.text.wording import cost, listed, number, seconds
from clinfo.views.articles import State, article_view, published
from clinfo.views.copilot import (
    bottom_line,
    by_part,
    by_silo,
    not_found,
    says_of,
    side_by_side,
    silo_name,
    step_views,
    uses,
)
from clinfo.views.copilot import told as claim_told
from clinfo.views.counts import Count, funnel, left_on_the_way, models_in_words, taken, used
from clinfo.views.evidence import (
    STRONGEST_FIRST,
    EvidenceView,
    article_notices,
    effect_text,
    evidence_by_article,
    evidence_rows,
    finding_of,
    result_of,
    same_studies,
    standing,
)
from clinfo.views.queries import QueryView, pico_parts, query_view
from clinfo.views.steps import Step, StepState, doing, reading, tldr, wanted, writing
from clinfo.views.steps import steps as run_steps
from clinfo.views.trials import pooled, study_view, tally
from clinfo.views.unanswered import Way, failed_search, ways_to_widen
from clinfo.views.unanswered import unanswered as why_unanswered
from clinfo.views.verdicts import NONE_VERIFIED, NOT_VERIFIED, VERDICTS, checked, sentence_view
from clinfo.views.what_is_new import WhatIsNew
from clinfo.views.what_is_new import what_is_new as news_of

__all__ = [
    "NONE_VERIFIED",
    "NOT_VERIFIED",
    "STRONGEST_FIRST",
    "VERDICTS",
    "Count",
    "EvidenceView",
    "QueryView",
    "State",
    "Step",
    "StepState",
    "Way",
    "WhatIsNew",
    "article_notices",
    "article_view",
    "bottom_line",
    "by_part",
    "by_silo",
    "checked",
    "claim_told",
    "cost",
    "doing",
    "effect_text",
    "evidence_by_article",
    "evidence_rows",
    "failed_search",
    "finding_of",
    "funnel",
    "left_on_the_way",
    "listed",
    "models_in_words",
    "news_of",
    "not_found",
    "number",
    "pico_parts",
    "pooled",
    "published",
    "query_view",
    "reading",
    "result_of",
    "run_steps",
    "same_studies",
    "says_of",
    "seconds",
    "sentence_view",
    "side_by_side",
    "silo_name",
    "standing",
    "step_views",
    "study_view",
    "taken",
    "tally",
    "tldr",
    "used",
    "uses",
    "wanted",
    "ways_to_widen",
    "why_unanswered",
    "writing",
]
