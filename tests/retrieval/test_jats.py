"""The reader of full texts in JATS."""

import pytest

from clinfo.errors import RecordError
from clinfo.retrieval.documents import Block, Document, Table
from clinfo.retrieval.readers.jats import read_jats

ARTICLE = b"""<?xml version="1.0"?>
<!DOCTYPE article PUBLIC "-//NLM//DTD JATS" "JATS-archivearticle1.dtd">
<article article-type="research-article" xmlns:xlink="http://www.w3.org/1999/xlink">
<front><article-meta>
<article-id pub-id-type="pmid">11</article-id>
<article-id pub-id-type="pmc">PMC22</article-id>
<title-group><article-title>Sleep with <italic>melatonin</italic>: a trial</article-title>
</title-group>
<pub-date><day>3</day><month>4</month><year>2015</year></pub-date>
<permissions><license xlink:href="https://example.org/by"><license-p>Free.</license-p></license>
</permissions><abstract><sec><title>Results</title>
<p>Sleep came 12 min sooner (NCT 01234567).</p></sec></abstract>
</article-meta></front>
<body>
<sec><title>Methods</title><p>We took 10<sup>6</sup> cells<sup><xref>3</xref></sup>.</p></sec>
<sec><title>Results</title>
 <sec><title>Sleep</title><p>Sleep was longer (Table 1).
  <bold><table-wrap><label>Table 1</label><caption><p>Sleep, mean (SD)</p></caption>
  <table><thead><tr><th rowspan="2">Outcome</th><th colspan="2">Arm</th></tr>
  <tr><th>Melatonin (n = 30)</th><th>Placebo (n = 31)</th></tr></thead>
  <tbody><tr><td colspan="3">Night</td></tr>
  <tr><td>Minutes</td><td>412 (30)<sup>a</sup></td><td>400 (28)</td></tr></tbody></table>
  <table-wrap-foot><fn><p><sup>a</sup>p = 0.04</p></fn></table-wrap-foot></table-wrap></bold></p>
 </sec>
</sec>
<sec><title>Extra</title><table-wrap><label>Table 2</label><caption><p>A picture</p></caption>
<graphic xlink:href="t2.png"/></table-wrap></sec>
</body><back><ack><p>Never read.</p></ack><app-group><app><title>Late</title><p>In 9.<sup>4</sup>
</p><table-wrap><table><tbody><row><entry>Naps</entry><entry>7</entry></row></tbody></table>
</table-wrap></app></app-group>
<ref-list><ref><mixed-citation>Never read.</mixed-citation></ref></ref-list></back>
</article>"""


@pytest.fixture
def document() -> Document:
    return read_jats(ARTICLE, "a.xml")


def shown(document: Document, block: Block) -> str:
    return document.text[block.start : block.end]


def table(document: Document) -> Table:
    return next(one.table for one in document.blocks if one.table is not None)


def test_what_the_front_says(document: Document) -> None:
    assert (document.id, document.title) == ("pmcid:PMC22", "Sleep with melatonin: a trial")
    assert (document.date, document.licence) == ("2015-04-03", "https://example.org/by")
    assert document.registrations == ("NCT01234567",)
    assert document.lost == ("a table that is a picture",)


def test_paragraphs_stand_under_their_headings_and_raised_signs_apart(document: Document) -> None:
    texts = {shown(document, one): one.section for one in document.blocks if one.kind == "text"}
    assert texts == {
        "Sleep came 12 min sooner (NCT 01234567).": ("Abstract", "Results"),
        "We took 10^6 cells^3.": ("Methods",),
        "Sleep was longer (Table 1).": ("Results", "Sleep"),
        "In 9.^4": ("Late",),
    }
    assert "Never read" not in document.text
    assert document.text.endswith("Naps | 7")


def test_a_table_keeps_its_grid(document: Document) -> None:
    found = table(document)
    text = document.text
    assert text[slice(*found.caption)] == "Table 1 Sleep, mean (SD)"
    assert text[slice(*found.notes)] == "^ap = 0.04"
    assert found.header == 2
    assert [text[a:b] for a, b in found.lines] == [
        "Outcome | Arm",
        "Melatonin (n = 30) | Placebo (n = 31)",
        "Night",
        "Minutes | 412 (30)^a | 400 (28)",
    ]


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"<article><body>", "not well-formed"),
        (b"<PubmedArticleSet/>", "no JATS article"),
        (b"<article><front/><body><sec><title>Only</title></sec></body></article>", "no text"),
        (
            b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><article>&x;</article>',
            "no text",
        ),
    ],
)
def test_what_cannot_be_read_is_one_clear_line(raw: bytes, said: str) -> None:
    with pytest.raises(RecordError, match=said) as caught:
        read_jats(raw, "bad.xml")
    assert str(caught.value).startswith("bad.xml: ")
    assert "\n" not in str(caught.value)


def test_a_table_of_very_many_cells_is_not_read_and_told() -> None:
    row = b"<tr>" + b'<td rowspan="1000" colspan="-3">1</td>' * 700 + b"</tr>"
    table = b"<table-wrap><table>" + row * 90 + b"</table></table-wrap>"
    raw = b"<article><body><p>Forty fell.</p>" + table + b"</body></article>"
    document = read_jats(raw, "t.xml")
    assert not any(block.kind == "table" for block in document.blocks)
    assert any("60,000 cells" in one for one in document.lost)
