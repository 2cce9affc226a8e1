"""The query language: what is written is read as a form, and a form is written as a query."""

import re
from pathlib import Path

import pytest
from hypothesis import given

from clinfo.errors import UsageError
from clinfo.pipelines.cohort.form import (
    Age,
    And,
    AtLeast,
    Before,
    Dead,
    Form,
    Gene,
    Has,
    Not,
    Or,
    Sex,
    Value,
)  # fmt: skip
from clinfo.pipelines.cohort.query import parse_query
from clinfo.pipelines.cohort.query_text import query_text
from tests.pipelines.cohort.forms import FORMS

ASTHMA, GOUT = Has("asthma", "condition"), Has("gout", "condition")


@given(FORMS)
def test_a_form_as_a_query_is_read_as_itself(form: Form) -> None:
    assert parse_query(query_text(form)) == form


@pytest.mark.parametrize(
    ("query", "form"),
    [
        (
            'condition "Type 2 Diabetes" and not drug metformin '
            "and value hba1c > 7 within 6 months",
            And((
                Has("Type 2 Diabetes", "condition"), Not(Has("metformin", "drug")),
                Value("hba1c", 7, None, strict=True, since="6 months"),
            )),
        ),
        ("condition type 2 diabetes", Has("type 2 diabetes", "condition")),
        ("Condition asthma OR condition gout", Or((ASTHMA, GOUT))),
        ('"high blood pressure"', Has("high blood pressure")),
        ("condition asthma or condition gout and female", Or((ASTHMA, And((GOUT, Sex("female")))))),
        ("(condition asthma or condition gout) and female",
         And((Or((ASTHMA, GOUT)), Sex("female")))),
        ("condition asthma but not condition gout", And((ASTHMA, Not(GOUT)))),
        ("denied condition gout", Not(GOUT, stated=True)),
        ("not condition asthma before condition gout", Not(Before((ASTHMA, GOUT)))),
        ("condition asthma before first condition gout", Before((ASTHMA, GOUT))),
        ("condition asthma within 2 weeks before condition gout", Before((ASTHMA, GOUT), 14)),
        ("condition asthma within 1 month after condition gout", Before((GOUT, ASTHMA), 30)),
        ("at least 2 of (condition asthma, condition gout, male)",
         AtLeast(2, (ASTHMA, GOUT, Sex("male")))),
        ("suspected condition asthma", Has("asthma", "condition", "suspected")),
        ("history of condition asthma", ASTHMA),
        ("family history of condition asthma", Has("asthma", "condition", subject="family")),
        ("current drug warfarin", Has("warfarin", "drug", when="current")),
        ("new condition gout since 2019-03", Has("gout", "condition", when="new", since="2019-03")),
        ("first condition gout in the last 2 years",
         Has("gout", "condition", when="new", since="2 years")),
        ("condition gout in 2019", Has("gout", "condition", since="2019", until="2019")),
        ("condition gout over 2 years ago", Has("gout", "condition", until="2 years")),
        ("condition gout at least 3 times", Has("gout", "condition", times=3)),
        ("condition gout at age < 50", Has("gout", "condition", age_to=49)),
        ("condition gout at age 18 to 40", Has("gout", "condition", age_from=18, age_to=40)),
        ("drug statins except (simvastatin, atorvastatin)",
         Has("statins", "drug", other_than=("simvastatin", "atorvastatin"))),
        ("condition carcinoma in situ", Has("carcinoma in situ", "condition")),
        ("value bmi at least 30 kg/m2", Value("bmi", 30)),
        ("value hba1c > 53 mmol/mol", Value("hba1c", 7.0, None, strict=True)),
        ("value egfr 30 to 59 mL/min/1.73 m2", Value("egfr", 30, 59)),
        ("value ldl > 100 < 190", Value("ldl", 100, 190, strict=True)),
        ("value ejection fraction <= 40 % ever", Value("ef", None, 40, "ever")),
        ("value stage >= IIB at diagnosis", Value("stage", 2.2, None, "at diagnosis")),
        ("value stage = III", Value("stage", 3, 3)),
        ("value ypT = 3", Value("t", 3, 3, said="yp")),
        ("value ckd 3b to 4", Value("ckd", 3.2, 4)),
        ('value extent = "locally advanced"', Value("extent", said="locally advanced")),
        ("age 18-64", Age(18, 64)), ("age between 18 and 64 and men",
         And((Age(18, 64), Sex("male")))), ("value ecog 0-2", Value("ecog", 0, 2)),
        ("value hba1c 7.5 - 9 %", Value("hba1c", 7.5, 9)), ("women", Sex("female")),
        ("latest value bmi > 30", Value("bmi", 30, strict=True)),
        ("condition gout in the past year", Has("gout", "condition", since="1 years")),
        ("condition gout before 2015", Has("gout", "condition", until="2014")),
        ("condition gout before 2015-01", Has("gout", "condition", until="2014-12")),
        ("condition gout after 2015-12-31", Has("gout", "condition", since="2016-01-01")),
        ('condition gout or "stroke"', Or((GOUT, Has("stroke")))),
        ("allergy to penicillin", Has("penicillin", "allergy")),
        ("gene EGFR mutation", Gene(("EGFR",),
         "mutation")),
        ("age > 60", Age(61)), ("age under 18", Age(None, 17)), ("age 18 to 64 in 2022",
         Age(18, 64, "2022")), ("age >= 18 years", Age(18)),
        ("sex female", Sex("female")), ("dead", Dead(True)), ("alive in 2022", Dead(False, "2022")),
        ("gene EGFR change L858R", Gene(("EGFR",), "L858R")),
        ('germline gene (BRCA1, BRCA2) change mutation nature pathogenic',
         Gene(("BRCA1", "BRCA2"), "mutation", "pathogenic", "germline")),
    ],
)  # fmt: skip
def test_what_is_written_is_read(query: str, form: Form) -> None:
    assert parse_query(query) == form
    assert parse_query(query_text(form)) == form


def test_the_value_that_counts_is_written() -> None:
    for query in ("latest value bmi >= 30 kg/m2", "value bmi >= 30 kg/m2 ever"):
        assert query_text(parse_query(query)) == query
    assert query_text(Value("bmi", 30)) == "latest value bmi >= 30 kg/m2"


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("", "at the end: wanted a criterion, such as: condition"),
        ("women with anemia", 'at character 7, "with anemia": wanted "and", "or"'),
        ("condition asthma and", "at the end: wanted a criterion"),
        ("(condition asthma", 'at the end: wanted a closing ")"'),
        ("condition asthma)", 'at character 17, ")": wanted the end'),
        ("condition", "at the end: wanted a name"),
        ("condition asthma without condition gout", 'at character 18, "without condition gout"'),
        ("condition gout or stroke", 'at character 19, "stroke": wanted what this is'),
        ("high blood pressure and age > 60", 'is, as condition "high blood pressure", or'),
        ("condition gout after 2015-12-99", "since"),
        ("condition asthma age > 3", 'at character 18, "age > 3": wanted "and"'),
        ("value hba1cc > 7", '"hba1cc" names nothing that is measured (near: hba1c'),
        ("value hba1c > 7 furlong", "at character 15: 7 furlong cannot be HbA1c (%, mmol/mol)"),
        ("value hba1c > 700", "700 cannot be HbA1c"),
        ("value bmi", "wants a bound"),
        ("value hba1c > IIB", "is a number"),
        ("age > IIB", "an age is whole years"),
        ("age > 17.5", "an age is whole years"),
        ("age > 3 female", '"female" is no unit of age'),
        ("age 60 to 40", "from is above to"),
        ("value stage > 3 mg", "no value of stage"),
        ("suspected age > 3", "wanted"),
        ("suspected value bmi > 30", '"suspected" does not go with this criterion'),
        ("gene EGFR at least 2 times", "wanted"),
        ("at least 3 of (female, dead)", "fewer parts"),
        ("value bmi > 30 > 40", "two bounds"),
        ("female " + "or female " * 400, "at most 4,000 can be used"),
        ("not " * 60 + "female", "within each other"),
        ("(" * 1_900 + "female" + ")" * 1_900, ""),
    ],
)
def test_a_fault_is_told_in_one_line_with_its_place(query: str, told: str) -> None:
    if not told:
        assert parse_query(query) == Sex("female")
        return
    with pytest.raises(UsageError) as refused:
        parse_query(query)
    assert told in str(refused.value)
    assert "\n" not in str(refused.value)


def test_what_the_page_of_the_language_shows_is_read() -> None:
    page = Path("docs/cohort.md").read_text(encoding="utf-8")
    language = page.partition("## The query language")[2].partition("## Criteria in words")[0]
    starts = (
        "condition|drug|procedure|allergy|any|value|age|gene|germline|suspected|family|current|new|"
        "denied|female|dead|alive|at least 2 of"
    )
    shown = re.findall(rf"(?<!not )`((?:{starts})\b[^`]*)`", language)
    assert len(shown) > 45
    for query in shown:
        form = parse_query(query)
        assert parse_query(query_text(form)) == form
