from clinfo.render.blocks import Block
from clinfo.render.chart import page as chart_page
from clinfo.render.cohort import csv_rows as cohort_rows
from clinfo.render.cohort import in_words as counts_in_words
from clinfo.render.copilot import page as copilot_page
from clinfo.render.forms import INCLUDES, Form, Include
from clinfo.render.forms import forms as export_forms
from clinfo.render.markdown import blocks_as_markdown
from clinfo.render.office import EVIDENCE as EVIDENCE_HEAD
from clinfo.render.office import evidence_table
from clinfo.render.page import REFUSED, made_with
from clinfo.render.search_report import how_searched
from clinfo.render.text import written
from clinfo.render.trials import page as trials_page

__all__ = [
    "EVIDENCE_HEAD",
    "INCLUDES",
    "REFUSED",
    "Block",
    "Form",
    "Include",
    "blocks_as_markdown",
    "chart_page",
    "cohort_rows",
    "copilot_page",
    "counts_in_words",
    "evidence_table",
    "export_forms",
    "how_searched",
    "made_with",
    "trials_page",
    "written",
]
