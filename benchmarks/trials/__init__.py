"""Measures of `clinfo trials`: passages, conclusions and numbers of real papers."""
