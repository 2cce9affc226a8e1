"""Measures of whole answers: retrieval, citations, support, cost, readability."""
