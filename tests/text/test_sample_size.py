"""Sample sizes and populations."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinfo.records import Article, Section
from clinfo.text.sample_size import number, population, sample_size


def _article(*parts: tuple[str | None, str], title: str = "A trial of walking") -> Article:
    return Article(id="pmid:1", title=title, sections=tuple(Section(text, label) for label, text in parts))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1,204 patients were randomised to walking or rest.", 1204),
        ("A total of forty-two women took part.", 42),
        ("We randomly assigned 96 healthy adults to walking.", 96),
        ("Adults with asthma (n = 412) walked.", 412),
        ("One hundred and five patients were enrolled.", 105),
        ("Adults were randomised to walking (n = 20), running (n = 22) or rest (n = 21).", 63),
        ("Of 500 adults screened, 120 adults were randomised.", 120),
        ("12 of 50 patients fell.", 50),
        ("At eight Danish hospitals 412 participants were randomised.", 412),
        ("The trial's 784 girls were divided by weight.", 784),
        ("A survey of 310 nurses.", 310),
        ("We included 14 trials with 3,210 participants.", 3210),
        ("Adults walked for 12 weeks, 45% of patients at 30 minutes a day.", None),
        ("Patients aged 65 years were seen in 2010.", None),
        ("Legs move.", None),
    ],
)
def test_sample_sizes(text: str, expected: int | None) -> None:
    assert sample_size(_article(("METHODS", text))) == expected


def test_the_surest_statement_wins() -> None:
    article = _article(
        ("METHODS", "A total of 300 adults were invited. 180 adults were randomised."),
        ("RESULTS", "In 20 patients pain fell."),
        ("CONCLUSIONS", "Walking helps 1,000 patients a year."),
    )
    assert sample_size(article) == 180


@given(st.integers(1, 99_999))
def test_numbers_in_digits(value: int) -> None:
    assert number(str(value)) == number(f"{value:,}") == value


@pytest.mark.parametrize(
    ("text", "expected"),
    [("forty-two", 42), ("two hundred", 200), ("one thousand two hundred and six", 1206), ("few", None), ("", None)],
)
def test_numbers_in_words(text: str, expected: int | None) -> None:
    assert number(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Sixty women aged 65 years or older were randomised.", "women aged 65 years or older"),
        ("We studied 40 children with severe asthma.", "children with severe asthma"),
        ("Legs move.", None),
    ],
)
def test_populations(text: str, expected: str | None) -> None:
    assert population(_article(("METHODS", text), title="Walking")) == expected


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    article = _article((None, text), title=text)
    size = sample_size(article)
    assert size is None or size > 1
    who = population(article)
    assert who is None or who in f"{text}\n{article.abstract}"
