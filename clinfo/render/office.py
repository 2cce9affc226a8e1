"""An answer for Word and for a spreadsheet (.docx, .xlsx). They need the extra ``office``.

The Word file is the page of the answer, block by block, as the other forms write it. The workbook
has three sheets: the answer sentence by sentence, the evidence table with a column for each thing
that an abstract states, and the references.
"""

import re
from collections.abc import Iterable, Sequence
from io import BytesIO
from typing import Any, Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from clinfo.extras import needed
from clinfo.records.answer import Answer
from clinfo.records.articles import Article
from clinfo.render.blocks import Block, Heading, Items, Paragraph
from clinfo.text.wording import printable
from clinfo.views.evidence import evidence_rows
from clinfo.views.queries import resolved_as

EXTRA: Final = "office"
DOCX, XLSX = (
    f"application/vnd.openxmlformats-officedocument.{kind}"
    for kind in ("wordprocessingml.document", "spreadsheetml.sheet")
)
EVIDENCE: Final = (
    *("No.", "PMID", "Title", "Year", "Level", "Design", "n", "Analysed", "Finding", "Result"),
    *("Effect", "Population", "Intervention", "Comparator", "Outcome", "Follow-up"),
    *("Also reported in", "Flags", "Address"),
)
SENTENCES: Final = ("Part", "Sentence", "Verdict", "Reason", "Cites")
REFERENCES: Final = ("No.", "PMID", "Reference", "Cited", "Flags", "Address")
WIDEST: Final = 60
"""Characters of a column of the workbook; longer cells are wrapped."""
_MODIFIED: Final = re.compile(rb"(<dcterms:(?:created|modified)[^>]*>)[^<]*")


def blocks_as_docx(title: str, blocks: Iterable[Block]) -> bytes:
    """Blocks of any answer as a Word file."""
    document = needed("docx", EXTRA).Document()
    properties = document.core_properties
    properties.title, properties.author = _text(title)[:255], "Clinfo"
    for block in blocks:
        _add(document, block)
    held = BytesIO()
    document.save(held)
    return _same(held)


def _add(document: Any, block: Block) -> None:
    if isinstance(block, Heading):
        document.add_heading(_text(block.text), block.level - 1)
    elif isinstance(block, Paragraph):
        for text in block.text.split("\n\n"):
            document.add_paragraph(_text(text))
    elif isinstance(block, Items):
        for item in block.items:
            text = " ".join(filter(None, (item.mark, item.text, item.url)))
            document.add_paragraph(_text(text), None if item.mark else "List Bullet")
    else:
        table = document.add_table(rows=0, cols=len(block.header), style="Table Grid")
        for row in (block.header, *block.rows):
            for cell, text in zip(table.add_row().cells, row, strict=True):
                cell.text = _text(text)


def xlsx(answer: Answer, articles: Iterable[Article] = (), *, finished: bool = True) -> bytes:
    """An answer as a workbook; whatever a text begins with, it is no formula."""
    state = () if finished else (("", "Not finished: this was done before the run stopped."),)
    told = (
        ("question", answer.question),
        *((("understood", resolved_as(answer.resolved)),) if answer.resolved else ()),
        *(("notice", one) for one in answer.notices),
        *state,
        *(
            (one.part, one.text, one.verdict, one.reason, _numbers(one.cites))
            for one in answer.sentences
        ),
    )
    lines = (
        (one.n, one.pmid, one.citation, "yes" if one.cited else "", ", ".join(one.flags), one.url)
        for one in answer.references
    )
    return workbook(
        answer.question,
        ("Answer", SENTENCES, told),
        ("Evidence", EVIDENCE, evidence_table(answer, articles)),
        ("References", REFERENCES, lines),
    )


def workbook(title: str, *sheets: tuple[str, Sequence[str], Iterable[Sequence[object]]]) -> bytes:
    """A workbook of sheets, each a title, a header and rows."""
    book = needed("openpyxl", EXTRA).Workbook()
    book.properties.title, book.properties.creator = _text(title)[:255], "Clinfo"
    book.remove(book.active)
    for name, header, rows in sheets:
        _sheet(book, name, header, rows)
    held = BytesIO()
    book.save(held)
    return _same(held)


def evidence_table(
    answer: Answer, articles: Iterable[Article]
) -> Iterable[Sequence[str | float | None]]:
    """A row a study, in the order of `EVIDENCE`."""
    cited = {one.n: one for one in answer.references}
    for row in evidence_rows(answer, articles):
        reference = cited.get(row.n)
        yield (
            *(
                row.n,
                reference.pmid if reference else "",
                row.title,
                row.year,
                row.level,
                row.design,
            ),
            *(row.sample_size, row.analysed, row.finding, row.way, row.effect),
            *(row.population, row.intervention, row.comparator, row.outcome, row.follow_up),
            *(_numbers(row.also), ", ".join(row.flags), reference.url if reference else ""),
        )


def _sheet(book: Any, title: str, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    from openpyxl.styles import Alignment, Font
    from openpyxl.utils import get_column_letter

    sheet = book.create_sheet(title)
    for place, row in enumerate((header, *rows), 1):
        for column, value in enumerate(row, 1):
            cell = sheet.cell(place, column)
            cell.value = _text(value) if isinstance(value, str) else value
            if isinstance(value, str):
                cell.data_type = "s"
            cell.alignment = Alignment(wrap_text=True, vertical="top")
            cell.font = Font(bold=place == 1)
    sheet.freeze_panes = "A2"
    for column in range(1, len(header) + 1):
        longest = max(len(str(cell.value or "")) for (cell,) in sheet.iter_rows(
            min_col=column, max_col=column
        ))  # fmt: skip
        sheet.column_dimensions[get_column_letter(column)].width = min(longest + 2, WIDEST)


def _same(made: BytesIO) -> bytes:
    """The file with one time for all that tells one, so that equal answers are equal bytes."""
    held = BytesIO()
    with ZipFile(made) as before, ZipFile(held, "w", ZIP_DEFLATED) as after:
        for name in before.namelist():
            content = before.read(name)
            if name == "docProps/core.xml":
                content = _MODIFIED.sub(rb"\g<1>1980-01-01T00:00:00Z", content)
            after.writestr(ZipInfo(name), content, ZIP_DEFLATED)
    return held.getvalue()


def _numbers(cites: Sequence[int]) -> str:
    return ", ".join(map(str, cites))


def _text(text: str) -> str:
    """A text as XML 1.0 can hold it."""
    return re.sub("[\ufffe\uffff]", "", printable(text))
