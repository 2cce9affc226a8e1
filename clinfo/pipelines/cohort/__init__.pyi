from clinfo.pipelines.cohort.concepts import Concepts
from clinfo.pipelines.cohort.form import (
    And,
    AtLeast,
    Before,
    Form,
    Not,
    Or,
    form_schema,
    from_json,
    parts_of,
    to_json,
)
from clinfo.pipelines.cohort.matching import Index
from clinfo.pipelines.cohort.query import parse_query
from clinfo.pipelines.cohort.query_text import joins
from clinfo.pipelines.cohort.query_text import query_text as written_query
from clinfo.pipelines.cohort.records import CohortFound, CohortRequest
from clinfo.pipelines.cohort.request import OPTIONS, request_of
from clinfo.pipelines.cohort.stages import COHORT, TRANSLATE
from clinfo.pipelines.cohort.store import FILE as INDEX_FILE
from clinfo.pipelines.cohort.store import opened
from clinfo.pipelines.cohort.translating import checked
from clinfo.terms.naming import known as known_terms

__all__ = [
    "COHORT",
    "INDEX_FILE",
    "OPTIONS",
    "TRANSLATE",
    "And",
    "AtLeast",
    "Before",
    "CohortFound",
    "CohortRequest",
    "Concepts",
    "Form",
    "Index",
    "Not",
    "Or",
    "checked",
    "form_schema",
    "from_json",
    "joins",
    "known_terms",
    "opened",
    "parse_query",
    "parts_of",
    "request_of",
    "to_json",
    "written_query",
]
