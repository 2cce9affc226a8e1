"""Measures of whole answers: retrieval, citations, support, cost, readability."""

from benchmarks.pubmedrs200.measures.judging import warnings_of
from benchmarks.pubmedrs200.measures.measuring import measure
from benchmarks.pubmedrs200.measures.specs import SPECS

__all__ = ["SPECS", "measure", "warnings_of"]
