from clinfo.references.formats.bibtex_file import bibtex
from clinfo.references.formats.csl_file import csl
from clinfo.references.formats.csv_file import csv_head, csv_lines, csv_rows
from clinfo.references.formats.nbib_file import nbib
from clinfo.references.formats.ris_file import ris
from clinfo.references.ieee_line import ieee
from clinfo.references.parts import doi_of, name_of, title_of
from clinfo.references.registry import IEEE, styles
from clinfo.text.identifiers import read_pmid

__all__ = [
    "IEEE",
    "bibtex",
    "csl",
    "csv_head",
    "csv_lines",
    "csv_rows",
    "doi_of",
    "ieee",
    "name_of",
    "nbib",
    "read_pmid",
    "ris",
    "styles",
    "title_of",
]
