"""One row: what is wrong with it, its repaired form, and every change on the way."""

import re
from collections import Counter
from collections.abc import Mapping
from datetime import date

from clinfo.text.identifiers import read_pmid
from clinfo.text.markup import without_tags
from pubmedrs.cells import read_list, redecoded, tidy
from pubmedrs.records import ENTERED, FIELD_OF, LINED, TEXTS, Fault, Repair, Review

_MONTH_FIRST = re.compile(r"([0-9]{1,2})/([0-9]{1,2})/([0-9]{4})")
_ISO = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_UNREADABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffd]")
_SHOWN = 5
"""Entries of a list named in a fault."""
_DOI = re.compile(r"10\.[0-9]{4,9}(?:\.[0-9]+)*/[!-~]+")


class RowRepair:
    """The repair of one row; after `review`, ``faults`` and ``repairs`` hold what was met and done,
    in order.
    """

    def __init__(self, number: int, cells: Mapping[str, str]) -> None:
        self.number = number
        self.faults: list[Fault] = []
        self.repairs: list[Repair] = []
        self._published = cells
        self._cells = dict(cells)
        self._pmid = read_pmid(cells.get("PMID", "")) or ""

    def review(self) -> Review | None:
        """The repaired review, or None where the row cannot give one; ``faults`` then say why."""
        if not any(cell.strip() for cell in self._cells.values()):
            self._fault("", "blank row", "every cell is empty")
            return None
        if not self._pmid:
            self._fault(
                "PMID", "impossible PMID", f"{self._published['PMID'][:40]!r} is not a PMID"
            )
            return None
        self._put("PMID", "PMID form", self._pmid)
        for column in TEXTS:
            self._text(column)
        self._misdecoded("Ref_DOIs")
        published = self._day("PublishedDate")
        entered = self._day(ENTERED) if self._cells.get(ENTERED, "").strip() else None
        pmids, dois = self._list("Ref_PMIDs"), self._list("Ref_DOIs")
        if (
            published is None
            or pmids is None
            or dois is None
            or any(fault.kind == "impossible date" for fault in self.faults)
        ):
            return None
        if len(pmids) != len(dois):
            self._fault(
                "Ref_DOIs", "DOIs not parallel", f"{len(dois):,} DOIs, {len(pmids):,} PMIDs"
            )
        references, distinct_dois = self._references(pmids), self._dois(dois)
        self._compare_questions()
        cells = self._cells
        question = cells["HumanQuestions"] or cells["questions"]
        if not question:
            self._fault(
                "HumanQuestions", "no question", "questions and HumanQuestions are both blank"
            )
            return None
        if not cells["HumanAnswer"]:
            self._fault("HumanAnswer", "no answer", "HumanAnswer is blank")
            return None
        texts = {FIELD_OF[column]: cells[column] for column in TEXTS}
        return Review(
            **{**texts, "question": question},
            pmid=self._pmid,
            published=published,
            references=tuple(references),
            dois=tuple(distinct_dois),
            entered=entered,
        )

    def _fault(self, column: str, kind: str, detail: str, count: int = 1) -> None:
        self.faults.append(Fault(self.number, self._pmid, column, kind, detail, count))

    def _put(self, column: str, kind: str, after: str, detail: str = "", count: int = 1) -> None:
        before = self._cells[column]
        if after == before:
            return
        self._fault(column, kind, detail or f"{before[:40]!r} is written {after[:40]!r}", count)
        self.repairs.append(Repair(self.number, self._pmid, column, kind, before, after))
        self._cells[column] = after

    def _misdecoded(self, column: str) -> None:
        text = self._cells[column]
        while (mended := redecoded(text))[1]:
            self._put(column, "mis-decoded text", mended[0], _places(mended[1]), mended[1])
            text = mended[0]

    def _text(self, column: str) -> None:
        while True:  # a tag taken out may leave one behind, or join what was torn
            before = self._cells[column]
            self._misdecoded(column)
            stripped, tags = without_tags(self._cells[column])
            self._put(column, "mark-up", stripped, f"{tags} {'tag' if tags == 1 else 'tags'}", tags)
            tidied = tidy(self._cells[column], column in LINED)
            self._put(column, "white space", tidied, _white_space(self._cells[column]))
            if self._cells[column] == before:
                break
        if left := _UNREADABLE.findall(self._cells[column]):
            named = ", ".join(dict.fromkeys(f"U+{ord(character):04X}" for character in left))
            self._fault(column, "unreadable character", f"{_places(len(left))}: {named}", len(left))

    def _day(self, column: str) -> date | None:
        text = self._cells[column].strip()
        day: date | None = None
        try:
            if found := _MONTH_FIRST.fullmatch(text):
                day = date(int(found[3]), int(found[1]), int(found[2]))
            elif found := _ISO.fullmatch(text):
                day = date(int(found[1]), int(found[2]), int(found[3]))
        except ValueError:
            day = None
        if day is None:
            self._fault(
                column,
                "impossible date",
                f"{text[:40]!r} is not a day" if text else "no day is given",
            )
            return None
        self._put(column, "date form", day.isoformat())
        return day

    def _list(self, column: str) -> list[str] | None:
        try:
            return read_list(self._cells[column])
        except ValueError as error:
            self._fault(column, "unreadable list", str(error))
            return None

    def _references(self, published: list[str]) -> list[str]:
        column = "Ref_PMIDs"
        distinct = self._shorten(
            column, "repeated reference", published, list(dict.fromkeys(published))
        )
        possible = self._shorten(
            column, "impossible reference", distinct, [one for one in distinct if read_pmid(one)]
        )
        plain = [read_pmid(one) or one for one in possible]
        odd = [(one, other) for one, other in zip(possible, plain, strict=True) if one != other]
        if odd:
            self._put(
                column,
                "PMID form",
                repr(plain),
                ", ".join(f"{one!r} is {other}" for one, other in odd[:_SHOWN]),
                len(odd),
            )
            plain = self._shorten(column, "repeated reference", plain, list(dict.fromkeys(plain)))
        others = self._shorten(
            column, "own PMID", plain, [one for one in plain if one != self._pmid]
        )
        if not others:
            self._fault(
                column,
                "no references",
                "the list is now empty" if published else "the list is empty",
            )
        later = [one for one in others if int(one) > int(self._pmid)]
        if later:
            self._fault(column, "later reference", _listed(later), len(later))
        return others

    def _dois(self, published: list[str]) -> list[str]:
        column = "Ref_DOIs"
        first: dict[str, str] = {}
        for one in published:
            first.setdefault(one.lower(), one)
        distinct = self._shorten(column, "repeated DOI", published, list(first.values()))
        if odd := [one for one in distinct if not _DOI.fullmatch(one)]:
            self._fault(column, "DOI form", _listed([f"{one[:80]!r}" for one in odd]), len(odd))
        return distinct

    def _shorten(self, column: str, kind: str, before: list[str], after: list[str]) -> list[str]:
        """Put a list from which entries were left out."""
        if len(after) < len(before):
            gone = list(dict.fromkeys((Counter(before) - Counter(after)).elements()))
            self._put(column, kind, repr(after), _listed(gone), len(before) - len(after))
        return after

    def _compare_questions(self) -> None:
        """Notes on the two questions; letter for letter, so on the published cells."""
        cut, asked = self._published["questions"], self._published["HumanQuestions"]
        if not self._cells["questions"]:
            self._fault("questions", "no title question", "questions is blank")
        elif _folded(self._cells["questions"]) not in _folded(self._cells["Title"]):
            self._fault("questions", "question not in title", f"{self._cells['questions']!r}")
        if asked != cut:
            detail = f"{self._cells['HumanQuestions']!r}, cut: {self._cells['questions']!r}"
            self._fault("HumanQuestions", "question differs", detail)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _listed(entries: list[str]) -> str:
    return ", ".join(entries[:_SHOWN]) + (" …" if len(entries) > _SHOWN else "")


def _places(count: int) -> str:
    return "1 place" if count == 1 else f"{count} places"


def _white_space(text: str) -> str:
    """Return what is irregular in the white space of a cell, in words."""
    found = [
        "at the ends" if text != text.strip() else "",
        "several blanks in a row" if "  " in text.strip() else "",
        "CRLF" if "\r\n" in text.strip() else "",
        "CR" if re.search(r"\r(?!\n)", text) else "",
        "blank lines" if re.search(r"\n[ \t]*\r?\n", text.strip()) else "",
    ]
    return ", ".join(part for part in found if part) or "line ends"
