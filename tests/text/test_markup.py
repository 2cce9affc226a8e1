"""XML and HTML to text: what is raised keeps its meaning, in every reader."""

import pytest
from lxml import etree

from clinfo.patients.readers.fhir_fields import without_marks
from clinfo.text.markup import line_of, text_of, without_tags

MATH = '<m:math xmlns:m="http://www.w3.org/1998/Math/MathML">{}</m:math>'
TEXTS = {
    "10<sup>6</sup> cells": "10^6 cells",
    "10<sup>-3</sup> and 2 x 10<sup>−5</sup>": "10^-3 and 2 x 10^−5",
    "27 kg/m<sup>2</sup>": "27 kg/m^2",
    "Ca<sup>2+</sup>, CD4<sup>+</sup>, H<sub>2</sub>O, HbA<sub>1c</sub>": "Ca2+, CD4+, H2O, HbA1c",
    "<sup>18</sup>F, [<sup>18</sup>F]FDG, the 1<sup>st</sup>": "18F, [18F]FDG, the 1st",
    "412 (30)<sup>a</sup> and <i>p</i><sup>2</sup>": "412 (30)^a and p^2",
    "10<i><sup>6</sup></i>": "10^6",
    MATH.format("<m:msup><m:mn>10</m:mn><m:mn>6</m:mn></m:msup>"): "10^6",
    MATH.format("<m:msup><m:mi>m</m:mi><m:mrow><m:mo>-</m:mo><m:mn>2</m:mn></m:mrow></m:msup>"): (
        "m^-2"
    ),
    MATH.format("<m:mfrac><m:mn>1</m:mn><m:mn>2</m:mn></m:mfrac>"): "1/2",
    MATH.format("<m:mi>x</m:mi><m:annotation>x=2</m:annotation>"): "x",
    "p &lt; .05": "p < .05",
}


@pytest.mark.parametrize("written", TEXTS, ids=TEXTS.values())
def test_markup_as_text(written: str) -> None:
    element = etree.fromstring(f"<p>{written}</p>")
    assert line_of(element) == TEXTS[written]
    if "math" not in written:
        assert without_marks(f"<div>{written}</div>") == TEXTS[written]
    if "&" not in written and "math" not in written and "(30)" not in written:
        plain, tags = without_tags(written)
        assert plain == TEXTS[written]
        assert tags == written.count("<")


def test_parts_are_left_out_or_stand_apart() -> None:
    element = etree.fromstring("<a>one<b>two</b><c>three</c>four</a>")
    assert text_of(element, skipped=("b",), spaced=("c",)) == "one three four"
    assert text_of(None) == ""
    assert without_tags("a < b and x>c, <i>d</i>") == ("a < b and x>c, d", 2)
