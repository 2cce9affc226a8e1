"""The meaning of studies' numbers of arms: the effect of each, all of them pooled, and in which
direction the intervals lie.

Ours and not a library's: of those that are kept, statsmodels (0.15) has neither REML nor a
Mantel–Haenszel risk ratio with its interval and pools with a variance between studies below 0,
PyMARE has no Mantel–Haenszel at all, and both need SciPy and pandas.
Every figure is checked against metafor (tests/evidence/metafor).
"""
