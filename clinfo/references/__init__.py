"""References: an article as an IEEE line, and articles as files (RIS, BibTeX, CSL-JSON, NBIB, CSV).

Everything here is a pure function of the articles; no model has a hand in it. The files are text
with ``\\n`` line ends, to be written as UTF-8. ``marks`` gives an article id short words about it
("cited", "retracted"), which a reference manager shows as keywords and as a note.
"""

from clinfo import doors

__getattr__ = doors.opened(__name__, __file__)
