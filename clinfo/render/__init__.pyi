from clinfo.render.blocks import Block
from clinfo.render.chart import page as chart_page
from clinfo.render.cohort import csv_rows as cohort_rows
from clinfo.render.cohort import in_words as counts_in_words
from clinfo.render.copilot import (
    bottom_line,
    by_part,
    by_silo,
    not_found,
    rounds,
    says_of,
    side_by_side,
    silo_name,
)
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
from clinfo.render.trials import pooled, study_view, tally

__all__ = [
    "EVIDENCE_HEAD",
    "INCLUDES",
    "REFUSED",
    "Block",
    "Form",
    "Include",
    "blocks_as_markdown",
    "bottom_line",
    "by_part",
    "by_silo",
    "chart_page",
    "cohort_rows",
    "copilot_page",
    "counts_in_words",
    "evidence_table",
    "export_forms",
    "how_searched",
    "made_with",
    "not_found",
    "pooled",
    "rounds",
    "says_of",
    "side_by_side",
    "silo_name",
    "study_view",
    "tally",
    "trials_page",
    "written",
]
