"""Multi-line strategies: which text is one, what its lines refer to, what is wrong with it in one
line.
"""

import pytest

from clinfo.errors import UsageError
from clinfo.pubmed.strategy import MAX_EXPANDED, read_strategy

STRATEGY = """
#1 asthma[mh] OR asthma*[tiab]
#2 "breathing exercises"[mh] OR
   buteyko[tiab]

#3 (#1 AND #2) NOT "case #1"[ti]
"""


def test_lines_are_joined_numbered_and_written_out() -> None:
    lines = read_strategy(STRATEGY)
    assert lines is not None
    assert [line.number for line in lines] == [1, 2, 3]
    assert lines[1].text == '"breathing exercises"[mh] OR buteyko[tiab]'
    assert lines[2].expanded == (
        '((asthma[mh] OR asthma*[tiab]) AND ("breathing exercises"[mh] OR buteyko[tiab])) NOT '
        '"case #1"[ti]'
    )


@pytest.mark.parametrize("numbers", [("1.", "2.", "3."), ("#1:", "#2)", "#3"), ("1)", "2)", "3)")])
def test_numbers_may_be_written_in_other_ways(numbers: tuple[str, str, str]) -> None:
    one, two, three = numbers
    lines = read_strategy(f"{one} asthma\n{two} zinc\n{three} #1 AND #2")
    assert lines is not None
    assert lines[-1].expanded == "(asthma) AND (zinc)"


def test_comments_are_passed_over() -> None:
    text = (
        "# Asthma, 2026-11-01\n// by A. Librarian\n#1 asthma\n# population\n#2 zinc\n"
        "  // and both\n# 3 #1 AND #2"
    )
    lines = read_strategy(text)
    assert lines is not None
    assert [(line.number, line.text) for line in lines] == [
        (1, "asthma"),
        (2, "zinc"),
        (3, "#1 AND #2"),
    ]


@pytest.mark.parametrize(
    ("last", "meant"),
    [
        ("3. 1 OR 2", "#1 OR #2"),
        ("3. 1 or 2", "#1 OR #2"),
        ("#3 (1 OR 2) NOT #2", "(#1 OR #2) NOT #2"),
        ("3. or/1-2", "#1 OR #2"),
        ("#3 AND/1,2", "#1 AND #2"),
        ("3. OR/1-150", "#1 OR #2 OR … OR #150"),
    ],
)
def test_lines_named_without_the_sign_are_refused_with_what_to_write(last: str, meant: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_strategy(f"1. asthma\n2. zinc\n{last}")
    assert str(caught.value) == f"line #3 refers to lines without the # sign: write {meant}"


@pytest.mark.parametrize(
    "last", ["17170002 OR 16381840", "12", "#1 OR #2", "1 AND asthma", "2020:2021[dp]"]
)
def test_other_numbers_stay_as_they_are(last: str) -> None:
    lines = read_strategy(f"1. asthma\n2. zinc\n3. {last}")
    assert lines is not None
    assert lines[-1].text == last


@pytest.mark.parametrize(
    "text",
    [
        "asthma AND zinc",
        "17170002 16381840",
        "#1 AND asthma",
        "asthma\nAND zinc",
        "",
        "2020:2021[dp]",
    ],
)
def test_a_single_query_is_no_strategy(text: str) -> None:
    assert read_strategy(text) is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("#1 asthma\n#1 zinc", "two lines #1"),
        ("#1 asthma\n#2 #1 AND #3", "refers to #3"),
        ("#1 #1 OR zinc", "refers to #1"),
        ("\n".join(f"#{n} term" for n in range(1, 300)), "at most 200"),
        (
            "#1 asthma\n" + "\n".join(f"#{n} #{n - 1} OR #{n - 1}" for n in range(2, 60)),
            f"more than {MAX_EXPANDED:,}",
        ),
    ],
)
def test_faults_are_told_in_one_line(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        read_strategy(text)
    assert "\n" not in str(caught.value)
