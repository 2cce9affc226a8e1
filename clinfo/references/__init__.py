"""References: an article as an IEEE line, and articles as files (RIS, BibTeX, CSL-JSON, NBIB, CSV).

Everything here is a pure function of the articles; no model has a hand in it. The files are text
with ``\\n`` line ends, to be written as UTF-8. ``marks`` gives an article id short words about it
("cited", "retracted"), which a reference manager shows as keywords and as a note.
"""

from clinfo.references.formats.bibtex_file import bibtex
from clinfo.references.formats.csl_file import csl
from clinfo.references.formats.csv_file import csv_head, csv_lines
from clinfo.references.formats.nbib_file import nbib
from clinfo.references.formats.ris_file import ris
from clinfo.references.ieee_line import ieee

__all__ = ["bibtex", "csl", "csv_head", "csv_lines", "ieee", "nbib", "ris"]
