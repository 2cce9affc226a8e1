"""From full-text papers to the conclusion of each study, its numbers and a pooled effect."""

from clinfo import doors

__getattr__ = doors.opened(__name__, __file__)
