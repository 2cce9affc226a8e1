"""The studies taken together: evidence table, levels, balance, disagreement, doubts, effects,
forest plot.
"""

from clinfo import doors

__getattr__ = doors.opened(__name__, __file__)
