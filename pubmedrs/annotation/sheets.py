"""The annotators' sheets: one CSV a person, made for spreadsheets.

Every sheet is in UTF-8 with a byte order mark, by which spreadsheets know it, with CRLF between
rows; cells that a spreadsheet might run are guarded (`pubmedrs.cells`). What stands in the
first columns is not to be changed; it is compared on the way back.
"""

import csv
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal, cast

from clinfo.errors import UsageError
from clinfo.files import file_errors, whole_file
from clinfo.text.identifiers import read_pmid
from pubmedrs.cells import guard, tidy, unguard
from pubmedrs.csv_file import decode, read_bytes, read_table
from pubmedrs.records import Dataset, Review
from pubmedrs.subsets import subset

SHOWN: Final = ("id", "title", "question", "candidate_answer", "abstract")
"""Columns that are filled in, and must come back as they were."""
WRITTEN: Final = ("decision", "edited_question", "edited_answer", "comment")
"""Columns for the annotator."""
ANNOTATOR: Final = "annotator"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")


def shown_cells(review: Review) -> dict[str, str]:
    """The columns of a review that an annotator sees."""
    sections = (
        ("INTRODUCTION", review.introduction),
        ("METHODS", review.methods),
        ("RESULTS", review.results),
    )
    pieces = (*sections, ("CONCLUSION", review.conclusion))
    abstract = review.abstract or "\n".join(f"{label}:\n{text}" for label, text in pieces if text)
    return {
        "id": review.pmid,
        "title": review.title,
        "question": review.question,
        "candidate_answer": review.answer,
        "abstract": abstract,
    }


def export(
    dataset: Dataset,
    annotators: Sequence[str],
    folder: Path,
    *,
    seed: int | None = None,
    chosen: str = "all",
) -> list[Path]:
    """Write ``annotate-NAME.csv`` for each annotator into the folder; with a seed everyone's rows
    are in an order of their own.

    ``chosen`` names a subset. Raises UsageError for names that cannot be part of a file's name or
    stand twice, fewer than two of them, and where a sheet is there already: somebody may have
    written into it.
    """
    if odd := [name for name in annotators if not _NAME.fullmatch(name)]:
        raise UsageError(f"annotator {odd[0]!r}: a name may contain letters, digits, - and _")
    if len({name.casefold() for name in annotators}) != len(annotators) or len(annotators) < 2:
        raise UsageError("two or more annotators with different names are needed")
    ids = set(subset(dataset, chosen).ids)
    reviews = [review for review in dataset.reviews if review.pmid in ids]
    paths = [folder / f"annotate-{name}.csv" for name in annotators]
    if there := [path for path in paths if path.exists()]:
        raise UsageError(
            f"{there[0]} already exists and may contain somebody's work: move it away, or choose "
            "another folder"
        )
    for name, path in zip(annotators, paths, strict=True):
        ordered = list(reviews)
        if seed is not None:
            random.Random(f"{seed}:{name}").shuffle(ordered)
        header = (*SHOWN, *WRITTEN, ANNOTATOR)
        write_sheet(path, header, ({**shown_cells(review), ANNOTATOR: name} for review in ordered))
    return paths


def write_sheet(path: Path, header: Sequence[str], rows: Iterable[dict[str, str]]) -> None:
    """Write a sheet, whole or not at all; missing cells stay empty. Raises UsageError where it
    cannot be written.
    """
    with file_errors(f"the file {path} cannot be written"):
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(path, "utf-8-sig") as file:
            table = csv.DictWriter(file, header, restval="", lineterminator="\r\n")
            table.writeheader()
            for row in rows:
                table.writerow({column: guard(cell) for column, cell in row.items()})


Decision = Literal["accept", "edit", "reject"]
DECISIONS: Final[tuple[Decision, ...]] = ("accept", "edit", "reject")
_NEEDED = (*SHOWN, "decision", "edited_question", "edited_answer")
_DELIMITERS = ",;\t"


@dataclass(frozen=True)
class Problem:
    """A fault of a row of a sheet. ``row`` is that of the spreadsheet (the header is row 1); 0 is
    the sheet as a whole.
    """

    file: str
    row: int
    id: str
    column: str
    detail: str


@dataclass(frozen=True)
class Choice:
    """The decision on a candidate; ``question`` and ``answer`` are what it then is, "" where
    rejected.
    """

    id: str
    decision: Decision
    question: str
    answer: str
    comment: str = ""


@dataclass(frozen=True)
class SheetRow:
    """A row as it stands in a sheet: its number in the spreadsheet, and its cells without
    guards.
    """

    number: int
    cells: Mapping[str, str]

    @property
    def id(self) -> str:
        """The id as a PMID where it is one (spreadsheets may write it as a decimal number), else as
        it stands.
        """
        written = self.cells.get("id", "").strip()
        return read_pmid(written) or written


@dataclass(frozen=True)
class Sheet:
    """A sheet as it was read."""

    name: str
    header: tuple[str, ...]
    rows: tuple[SheetRow, ...]


def read_sheet(path: Path) -> Sheet:
    """The rows of a sheet, delimiter and byte order mark told by its content; rows without any text
    are left out.

    Raises UsageError where it cannot be opened, is not Unicode, is not a CSV file, or has rows of
    another length than its header.
    """
    data = read_bytes(path)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):  # "Unicode text" of a spreadsheet
        try:
            text = data.decode("utf-16")
        except UnicodeDecodeError as error:
            raise UsageError(
                f"{path.name} is damaged: invalid UTF-16 at position {error.start:,}"
            ) from None
    else:
        try:
            text = decode(data, path.name)
        except UsageError as error:
            raise UsageError(f"{error}; save it as “CSV UTF-8” to keep all characters") from None
    skipped = 0
    first, _, rest = text.partition("\n")
    if (
        first.strip().lower().startswith("sep=") and len(first.strip()) <= 5
    ):  # a line for spreadsheets alone
        text, skipped = rest, 1
    head = text.partition("\n")[0]
    delimiter = max(_DELIMITERS, key=head.count)
    table = read_table(text, path.name, delimiter)
    rows = []
    for place, row in zip(table.places, table.rows, strict=True):
        number = place + skipped
        if not any(cell.strip() for cell in row):
            continue
        if any(cell.strip() for cell in row[len(table.header) :]):
            raise UsageError(
                f"{path.name}: row {number:,} has {len(row)} cells, the header {len(table.header)}"
            )
        cells = dict.fromkeys(table.header, "") | dict(zip(table.header, row, strict=False))
        rows.append(
            SheetRow(number, {column: unguard(cell) for column, cell in cells.items() if column})
        )
    return Sheet(path.name, table.header, tuple(rows))


def annotator_of(sheet: Sheet, problems: list[Problem]) -> str:
    """The one name in the sheet's column for it; the file's name where there is none."""
    names = {row.cells.get(ANNOTATOR, "").strip() for row in sheet.rows} - {""}
    if len(names) > 1:
        problems.append(
            Problem(
                sheet.name,
                0,
                "",
                ANNOTATOR,
                f"several names in one sheet: {', '.join(sorted(names)[:5])}",
            )
        )
    return min(names) if names else Path(sheet.name).stem


def choices(
    sheet: Sheet,
    reviews: Mapping[str, Review],
    shown: Sequence[Mapping[str, str]],
    problems: list[Problem],
    sides: Mapping[str, Mapping[str, Choice]] = {},
) -> dict[str, Choice]:
    """The decisions of a sheet by id. ``shown`` are the rows as they were handed out; every row
    that is wrong is added to ``problems`` and left out. ``sides`` has by id the choices that may be
    taken over, by the decision that does so.
    """
    if missing := [column for column in _NEEDED if column not in sheet.header]:
        problems.append(
            Problem(sheet.name, 0, "", missing[0], f"columns are missing: {', '.join(missing)}")
        )
        return {}
    handed_out = {row["id"]: row for row in shown}
    found: dict[str, Choice] = {}
    seen: dict[str, int] = {}
    for row in sheet.rows:
        id = row.id
        before = len(problems)
        if id not in handed_out:
            problems.append(
                Problem(sheet.name, row.number, id, "id", "unknown id" if id else "no id")
            )
            continue
        if id in seen:
            problems.append(
                Problem(sheet.name, row.number, id, "id", f"stands in row {seen[id]:,} too")
            )
            continue
        seen[id] = row.number
        for column, cell in handed_out[id].items():
            # Spreadsheets change white space.
            if column != "id" and row.cells.get(column, "").split() != cell.split():
                problems.append(
                    Problem(
                        sheet.name,
                        row.number,
                        id,
                        column,
                        "was changed; write edits in the columns edited_…",
                    )
                )
        choice = _choice(sheet.name, row, reviews[id], problems, sides.get(id, {}))
        if len(problems) == before and choice is not None:
            found[id] = choice
    return found


def _choice(
    file: str, row: SheetRow, review: Review, problems: list[Problem], sides: Mapping[str, Choice]
) -> Choice | None:
    cells, id = row.cells, review.pmid
    decision = cells["decision"].strip().lower()
    question, answer = tidy(cells["edited_question"], False), tidy(cells["edited_answer"], True)
    comment = tidy(cells.get("comment", ""), True)
    own = (question or review.question, answer or review.answer)
    wrong: tuple[str, str] | None = None
    if decision not in (known := (*DECISIONS, *sides)):
        named = f"{decision[:40]!r} is not one of {', '.join(known)}"
        wrong = ("decision", named if decision else "no decision")
    elif decision != "edit" and (question or answer):
        column = "edited_question" if question else "edited_answer"
        wrong = (column, f"contains text, but the decision is {decision}")
    elif decision == "edit" and not (question or answer):
        wrong = ("edited_answer", "the decision is edit, but no edited text is given")
    elif decision == "edit" and own == (review.question, review.answer):
        wrong = ("edited_answer", "the decision is edit, but the text is the candidate's")
    if wrong is not None:
        problems.append(Problem(file, row.number, id, *wrong))
        return None
    if decision in sides:
        return replace(sides[decision], comment=comment)
    if decision == "reject":
        own = ("", "")
    return Choice(id, cast(Decision, decision), *own, comment)
