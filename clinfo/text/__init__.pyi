from clinfo.text.citations import citation_marks
from clinfo.text.printable import one_line
from clinfo.text.printable import printable as printable_text
from clinfo.text.wording import day

__all__ = [
    "citation_marks",
    "day",
    "one_line",
    "printable_text",
]
