"""The studies taken together: evidence table, levels, balance, disagreement, doubts, effects,
forest plot.
"""
