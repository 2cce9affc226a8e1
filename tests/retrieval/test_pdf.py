"""The reader of PDFs, on files made here."""

from collections.abc import Sequence

import pytest

from clinfo.errors import RecordError
from clinfo.retrieval.readers import read_document

pytest.importorskip("pypdfium2")

FIRST = [
    "Journal of Itching 2020; page 1",
    "Zinc cream for itching: a randomised trial (NCT00000001)",
    "Abstract",
    "Itching was significantly lower with zinc cream than with pla-",
    "cebo after four weeks of treatment (P = 0.003).",
    "Results",
]
SECOND = [
    "Journal of Itching 2020; page 2",
    "The itching score fell by 20 mm with zinc cream and by 8 mm with placebo in",
    "the other arm.",
    "Redness did not differ.",
]
THIRD = ["Journal of Itching 2020; page 3", "References", "1. Smith J. Itching fell. 1999."]


def pdf(*pages: Sequence[str]) -> bytes:
    """A PDF of lines of text, one below the other."""
    objects = ["<</Type/Catalog/Pages 2 0 R>>", "", "<</Type/Font/Subtype/Type1/BaseFont/Courier>>"]
    kids = []
    for lines in pages:
        shown = " ".join(
            "({}) Tj 0 -14 Td".format(line.replace("(", r"\(").replace(")", r"\)"))
            for line in lines
        )
        stream = f"BT /F1 10 Tf 40 720 Td {shown} ET" if lines else ""
        objects.append(f"<</Length {len(stream)}>>\nstream\n{stream}\nendstream")
        objects.append(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 700 792]/Resources<</Font<</F1 3 0 R>>>>"
            f"/Contents {len(objects)} 0 R>>"
        )
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<</Type/Pages/Kids[{' '.join(kids)}]/Count {len(kids)}>>"
    made, places = "%PDF-1.4\n", []
    for number, one in enumerate(objects, 1):
        places.append(len(made))
        made += f"{number} 0 obj\n{one}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    end = f"trailer<</Size {size}/Root 1 0 R>>\nstartxref\n{len(made)}\n%%EOF\n"
    return f"{made}xref\n0 {size}\n0000000000 65535 f \n{table}{end}".encode("latin-1")


def test_a_paper_is_read_with_its_sections() -> None:
    paper = read_document(pdf(FIRST, SECOND, THIRD), "zinc.pdf")
    assert paper.title == FIRST[1]
    assert paper.registrations == ("NCT00000001",)
    told = [(one.section, paper.text[one.start : one.end]) for one in paper.blocks]
    assert told[1:] == [
        (
            ("Abstract",),
            "Itching was significantly lower with zinc cream than with placebo after four weeks of "
            "treatment (P = 0.003).",
        ),
        (("Results",), " ".join(SECOND[1:3])),
        (("Results",), SECOND[3]),
    ]
    assert "Smith" not in paper.text
    assert "page 2" not in paper.text
    (lost,) = paper.lost
    assert "tables" in lost


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (pdf([], []), "pictures of pages"),
        (b"%PDF-1.4\nnothing of the kind", "damaged"),
        (pdf(FIRST)[:300], "damaged"),
    ],
)
def test_what_cannot_be_read_is_one_line(raw: bytes, said: str) -> None:
    with pytest.raises(RecordError, match=said) as caught:
        read_document(raw, "paper.pdf")
    assert str(caught.value).startswith("paper.pdf: ")
