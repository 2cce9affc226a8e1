from clinfo.text.citations import citation_marks
from clinfo.text.wording import day, one_line
from clinfo.text.wording import printable as printable_text

__all__ = [
    "citation_marks",
    "day",
    "one_line",
    "printable_text",
]
