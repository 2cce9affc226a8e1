"""The values that flow through a run: articles, queries, judgements, evidence, answers."""

from clinfo import doors

__getattr__ = doors.opened(__name__, __file__)
