from clinfo.text.wording import cost, listed, number, seconds
from clinfo.views.articles import State, article_view, published
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
)
from clinfo.views.first_line import (
    OutcomeLine,
    Tally,
    best_source,
    brief,
    caveat,
    outcomes,
    tally,
)
from clinfo.views.queries import QueryView, pico_parts, query_view, resolved_as
from clinfo.views.steps import Step, StepState, doing, reading, tldr, wanted, writing
from clinfo.views.steps import steps as run_steps
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
    "OutcomeLine",
    "QueryView",
    "State",
    "Step",
    "StepState",
    "Tally",
    "Way",
    "WhatIsNew",
    "article_notices",
    "article_view",
    "best_source",
    "brief",
    "caveat",
    "checked",
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
    "number",
    "outcomes",
    "pico_parts",
    "published",
    "query_view",
    "reading",
    "resolved_as",
    "result_of",
    "run_steps",
    "same_studies",
    "seconds",
    "sentence_view",
    "taken",
    "tally",
    "tldr",
    "used",
    "wanted",
    "ways_to_widen",
    "why_unanswered",
    "writing",
]
