"""The time that a question asks about."""

from __future__ import annotations

from datetime import date

import pytest

from clinfo.patients.asked_time import AskedTime, asked_time, without_time
from clinfo.patients.stated_days import stated_days

AS_OF = date(2021, 6, 15)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is the diagnosis?", AskedTime()),
        ("What was the first blood pressure drug?", AskedTime(order="first")),
        ("What is first-line treatment?", AskedTime()),
        ("What was the last hemoglobin?", AskedTime(order="last")),
        ("What is the most recent creatinine?", AskedTime(order="last")),
        ("What happened in 2019?", AskedTime("2019-01-01", "2019-12-31")),
        ("Any visits in March 2019?", AskedTime("2019-03-01", "2019-03-31")),
        ("What was done on March 4, 2019?", AskedTime("2019-03-04", "2019-03-04")),
        ("What was done on 4 March 2019?", AskedTime("2019-03-04", "2019-03-04")),
        ("What was done on 3/4/2019?", AskedTime("2019-03-04", "2019-03-04")),
        ("What was done on 2019-03-04?", AskedTime("2019-03-04", "2019-03-04")),
        ("Which drugs before 2019?", AskedTime("", "2018-12-31")),
        ("Which drugs prior to March 2019?", AskedTime("", "2019-02-28")),
        ("Which drugs since 2019?", AskedTime("2019-01-01", "")),
        ("Which drugs after 2019?", AskedTime("2020-01-01", "")),
        ("Which drugs until 2019?", AskedTime("", "2019-12-31")),
        ("Which drugs between 2018 and March 2020?", AskedTime("2018-01-01", "2020-03-31")),
        ("Which drugs from 2018 to 2020?", AskedTime("2018-01-01", "2020-12-31")),
        ("What happened three months ago?", AskedTime("2021-02-28", "2021-03-30")),
        ("What happened 2 years ago?", AskedTime("2018-12-15", "2019-12-14")),
        ("What happened since 2 weeks ago?", AskedTime("2021-05-29", "")),
        ("Falls in the last six months?", AskedTime("2020-12-15", "2021-06-15")),
        ("Falls within the past year?", AskedTime("2020-06-15", "2021-06-15")),
        ("Visits last year?", AskedTime("2020-01-01", "2020-12-31")),
        ("Visits this month?", AskedTime("2021-06-01", "2021-06-15")),
        ("What happened yesterday?", AskedTime("2021-06-14", "2021-06-14")),
        ("First visit in the 1990s?", AskedTime("1990-01-01", "1999-12-31", "first")),
        ("Which drugs at discharge?", AskedTime(at="discharge")),
        ("What was the weight on admission?", AskedTime(at="admission")),
        ("Drugs before the stroke?", AskedTime(event="stroke", relation="before")),
        (
            "Which drugs were started after his heart attack in 2019?",
            AskedTime(event="heart attack", relation="after"),
        ),
        (
            "Since she was diagnosed with breast cancer, what changed?",
            AskedTime(event="breast cancer", relation="since"),
        ),
        (
            "What was the last INR before the operation?",
            AskedTime(order="last", event="operation", relation="before"),
        ),
    ],
)
def test_what_a_question_says_of_time(question: str, expected: AskedTime) -> None:
    assert asked_time(question, AS_OF) == expected


def test_days_that_are_none_are_left_out() -> None:
    assert list(stated_days("on 2019-02-30, 13/13/2020 or 99 March")) == []


def test_a_month_above_twelve_is_a_day() -> None:
    (found,) = stated_days("on 25/12/2019")
    assert found.first == date(2019, 12, 25)


@pytest.mark.parametrize(
    ("question", "rest"),
    [
        ("Which care plan was started?", "Which care plan was started?"),
        ("Which drugs were stopped before March 2019?", "Which drugs were stopped?"),
        ("Which drugs between 2018 and 2020 for gout?", "Which drugs for gout?"),
        ("What was the last INR before the stroke?", "What was the INR?"),
        ("Any falls in the last six months?", "Any falls?"),
        ("Which drugs at discharge?", "Which drugs?"),
    ],
)
def test_what_is_asked_about_without_its_time(question: str, rest: str) -> None:
    assert without_time(question) == rest
