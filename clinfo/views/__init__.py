"""The parts of an answer that are shown, as values: text, Markdown, page and live page put them on
paper, each in its way.
"""

from clinfo import doors

__getattr__ = doors.opened(__name__, __file__)
