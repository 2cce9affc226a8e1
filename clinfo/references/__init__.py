"""References: an article as an IEEE line, and articles as files for reference managers (RIS, BibTeX, CSL-JSON).

Everything here is a pure function of the articles; no model has a hand in it. The files are text with ``\\n`` line ends, to
be written as UTF-8. ``marks`` gives an article id short words about it ("cited", "retracted"), which a reference manager
shows as keywords and as a note.
"""

from clinfo.references.bibtex_file import bibtex
from clinfo.references.csl_file import csl
from clinfo.references.ieee_line import ieee
from clinfo.references.ris_file import ris

__all__ = ["bibtex", "csl", "ieee", "ris"]
