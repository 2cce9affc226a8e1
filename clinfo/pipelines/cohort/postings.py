"""The facts of an index by what they state: for each kind, name and said value one array of all
patients' facts, which sets are made of without a row for each fact.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from clinfo.pipelines.cohort.facts import Subject

POSTING = np.dtype(
    [
        ("patient", "<i4"), ("fact", "<i4"), ("first", "<i8"), ("time", "<i8"), ("value", "<f8"),
        ("negated", "?"), ("suspected", "?"), ("unclear", "?"),
    ]
)  # fmt: skip
"""A fact at one of the times at which it is stated: the patient's number, the fact's number in
``held``, when it is first stated and when here (`stamp`), its value or NaN.
"""
Stamps = NDArray[np.int64]
_SECOND = 10**6
"""What a day's stamp is multiplied by."""


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts of one or more postings. ``said`` are the values in words of the postings, ``of`` the
    place there of each fact.
    """

    rows: NDArray[np.void]
    said: tuple[str, ...]
    of: NDArray[np.intp]

    def where(self, kept: NDArray[np.bool_]) -> Facts:
        """Those that are marked."""
        return Facts(self.rows[kept], self.said, self.of[kept])


def stamp(time: str) -> int:
    """A recorded time as a number of 14 digits, YYYYMMDDhhmmss, in the same order as the texts; 0
    where there is none.
    """
    return int(stamp_digits(time).ljust(14, "0"))


def stamp_digits(time: str) -> str:
    """The digits of a recorded time."""
    return "".join(filter(str.isdecimal, time))[:14]


def days(stamps: Stamps) -> Stamps:
    """The days of stamps, counted from 1970; the least number where no whole day is known."""
    day = stamps // _SECOND
    year, month = day // 10_000, day // 100 % 100
    whole = (month > 0) & (month < 13) & (day % 100 > 0) & (year < 10_000)
    months = (np.where(whole, year, 1970) - 1970) * 12 + np.where(whole, month, 1) - 1
    first = months.astype("M8[M]").astype("M8[D]").astype(np.int64)
    return np.where(whole, first + day % 100 - 1, NO_DAY)


NO_DAY = np.int64(np.iinfo(np.int32).min)


def end_of(day: str) -> int:
    """The last stamp of a day."""
    return stamp(day) + _SECOND - 1


def write_postings(base: sqlite3.Connection) -> None:
    """Make the postings of an index anew from its facts."""
    base.execute("DELETE FROM postings")
    rows = base.execute(
        "SELECT kind, name, subject, said, patient, number, times, value, negated, certainty "
        "FROM held ORDER BY kind, name, subject, said, patient, number"
    )
    base.executemany("INSERT INTO postings VALUES (?, ?, ?, ?, ?)", _packed(rows))


def _packed(rows: Iterable[tuple[object, ...]]) -> Iterator[tuple[object, ...]]:
    for same, group in groupby(rows, key=lambda row: row[:4]):
        facts = [
            (patient, number, stamps[0], time, np.nan if value is None else value, bool(negated),
             certainty == "suspected", certainty == "unclear")
            for _, _, _, _, patient, number, times, value, negated, certainty in group
            for stamps in ([*map(stamp, str(times).split("\t"))],) for time in stamps
        ]  # fmt: skip
        yield (*same, np.array(facts, POSTING).tobytes())


def read_postings(
    base: sqlite3.Connection, kinds: Iterable[str], names: Iterable[str] | None, subject: Subject
) -> Facts:
    """The facts of some kinds about a subject, of these names only where they are given."""
    kinds, names = tuple(kinds), None if names is None else tuple(names)
    marks = ",".join("?" * len(kinds))
    sql = f"SELECT said, facts FROM postings WHERE subject = ? AND kind IN ({marks})"
    if names is not None:
        sql += f" AND name IN ({','.join('?' * len(names))})"
    found = base.execute(sql, (subject, *kinds, *(names or ()))).fetchall()
    whole = np.frombuffer(b"".join(facts for _, facts in found), POSTING)
    sizes = [len(facts) // POSTING.itemsize for _, facts in found]
    return Facts(whole, tuple(said for said, _ in found), np.repeat(np.arange(len(found)), sizes))
