"""Measures of whole answers: retrieval, citations, support, cost, readability."""

from benchmarks.measures.judging import warnings_of
from benchmarks.measures.measuring import measure
from benchmarks.measures.specs import SPECS

__all__ = ["SPECS", "measure", "warnings_of"]
