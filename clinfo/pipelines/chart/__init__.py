"""A question to one patient's record: the notes that answer it, with an audit of each stage."""

from clinfo import doors

__getattr__ = doors.opened(__name__, __file__)
