from clinfo.pipelines.cohort.concepts import Concepts
from clinfo.pipelines.cohort.declared import assemble
from clinfo.pipelines.cohort.events import CohortFound
from clinfo.pipelines.cohort.form import And, AtLeast, Before, Form, Not, Or, parts_of
from clinfo.pipelines.cohort.matching import Index
from clinfo.pipelines.cohort.query import parse_query
from clinfo.pipelines.cohort.query_text import joins
from clinfo.pipelines.cohort.query_text import query_text as written_query
from clinfo.pipelines.cohort.request import request_of
from clinfo.pipelines.cohort.shapes import form_schema, from_json, to_json
from clinfo.pipelines.cohort.stages import TRANSLATE
from clinfo.pipelines.cohort.store import FILE as INDEX_FILE
from clinfo.pipelines.cohort.store import opened
from clinfo.pipelines.cohort.translating import checked
from clinfo.terms.naming import known as known_terms

__all__ = [
    "INDEX_FILE",
    "TRANSLATE",
    "And",
    "AtLeast",
    "Before",
    "CohortFound",
    "Concepts",
    "Form",
    "Index",
    "Not",
    "Or",
    "assemble",
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
