from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinfo.pubmed.dates import read_interval


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("2019", date(2019, 1, 1), date(2019, 12, 31)),
        ("2019 Feb", date(2019, 2, 1), date(2019, 2, 28)),
        ("2020 Feb", date(2020, 2, 1), date(2020, 2, 29)),
        ("2019 Mar 5", date(2019, 3, 5), date(2019, 3, 5)),
        ("2019 Feb 31", date(2019, 2, 1), date(2019, 2, 28)),
        ("2019 Feb 0", date(2019, 2, 1), date(2019, 2, 28)),
        ("1998 Dec-1999 Jan", date(1998, 12, 1), date(1999, 1, 31)),
        ("1999 Jan-Feb", date(1999, 1, 1), date(1999, 2, 28)),
        ("1999 Jan 5-12", date(1999, 1, 5), date(1999, 1, 12)),
        ("1998 Dec 28-1999 Jan 3", date(1998, 12, 28), date(1999, 1, 3)),
        ("1999 Jan 28-Feb 3", date(1999, 1, 28), date(1999, 2, 3)),
        ("1998-1999", date(1998, 1, 1), date(1999, 12, 31)),
        ("1998-99", date(1998, 1, 1), date(1999, 12, 31)),
        ("Summer 2018", date(2018, 7, 1), date(2018, 9, 30)),
        ("2018 Spring", date(2018, 4, 1), date(2018, 6, 30)),
        ("2018 Winter", date(2018, 1, 1), date(2018, 12, 31)),
        ("Fall 1990-Winter 1991", date(1990, 10, 1), date(1991, 12, 31)),
        ("2000 Spring-Summer", date(2000, 4, 1), date(2000, 9, 30)),
        ("1977 4th Quart", date(1977, 10, 1), date(1977, 12, 31)),
        ("1999 Dec-Jan", date(1999, 1, 1), date(1999, 12, 31)),
        ("2003 Sept 9th", date(2003, 9, 9), date(2003, 9, 9)),
    ],
)
def test_printed_dates(text: str, start: date, end: date) -> None:
    interval = read_interval(text)
    assert interval is not None
    assert (interval.start, interval.end, interval.text) == (start, end, text)


@pytest.mark.parametrize("text", ["", "Summer", "no date", "12", "3000", "--", "May 5"])
def test_without_a_year_there_is_no_date(text: str) -> None:
    assert read_interval(text) is None


@given(st.text(alphabet="0123456789 -/JanFebSumerWintQq", max_size=40))
def test_any_text_is_an_interval_or_none(text: str) -> None:
    interval = read_interval(text)
    assert interval is None or interval.start <= interval.end
