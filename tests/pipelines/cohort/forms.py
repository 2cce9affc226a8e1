"""Strategies of logical forms, for tests."""

from hypothesis import strategies as st

from clinfo.patients.quantities import quantities
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
    When,
)  # fmt: skip

_NAMES = st.sampled_from((
    "Hypertension", "Diabetes Mellitus, Type 2", "loss of taste", "age at onset", "and", "7",
    'a "b" c', "since 2015", "metformin", "before", "within 2 years", "x;y(z)", "IIB", '"', "ü",
    "carcinoma in situ",
)) | st.text(min_size=1, max_size=12).filter(lambda name: name.strip() != "")  # fmt: skip
_TIMES = st.sampled_from(("", "2015", "2015-03", "2015-03-31", "2 years", "6 months", "10 days"))
_YEARS = st.none() | st.integers(0, 150)
_WHEN: st.SearchStrategy[When] = st.sampled_from(
    ("ever", "current", "latest", "at diagnosis", "new")
)


def _ordered(low: float | None, high: float | None) -> bool:
    return low is None or high is None or low <= high


_HAS = st.builds(
    Has, _NAMES,
    st.sampled_from(
        ("", "condition", "drug", "procedure", "allergy", "complaint", "observation")
    ),
    st.sampled_from(("confirmed", "suspected")), _WHEN, st.integers(1, 5),
    st.lists(_NAMES, max_size=3).map(tuple), _TIMES, _TIMES,
    st.sampled_from(("patient", "family", "other")), _YEARS, _YEARS,
).filter(lambda form: _ordered(form.age_from, form.age_to))  # fmt: skip


@st.composite
def _values(draw: st.DrawFn) -> Value:
    name = draw(st.sampled_from(("stage", "t", "n", "m", "ecog", "ckd", "grade", *quantities())))
    own = quantities().get(name)
    numbers = st.sampled_from((0.0, 0.5, 1.0, 1.05, 2.0, 2.1, 2.2, 2.49, 3.3, 4.0))
    if own is not None:
        numbers = st.floats(own.least, own.most).map(lambda number: round(number, 3))
    low, high = draw(st.none() | numbers), draw(st.none() | numbers)
    said = "" if own is not None else draw(st.sampled_from(("", "yp", "recurrent", 'odd "x"')))
    strict = (low, high) != (None, None) and low != high and draw(st.booleans())
    return Value(name, low, high, draw(_WHEN), said, strict, draw(_TIMES), draw(_TIMES))


_VALUE = _values().filter(
    lambda form: (
        _ordered(form.low, form.high) and (form.low, form.high, form.said) != (None, None, "")
    )
)
_LEAVES = st.one_of(
    _HAS, _VALUE,
    st.just(Value("extent", said="locally advanced", when="ever")),
    st.builds(Age, _YEARS, _YEARS, st.sampled_from(("", "2022", "2022-01-31"))).filter(
        lambda form: (form.low, form.high) != (None, None) and _ordered(form.low, form.high)
    ),
    st.builds(
        Gene,
        st.lists(st.sampled_from(("EGFR", "BRCA1", "HLA-A", "1p/19q", "PD-L1")), min_size=1,
                 max_size=3).map(tuple),
        st.sampled_from(("alteration", "L858R", "exon 19 deletion", "wild type", "c.35G>A")),
        st.sampled_from(("", "pathogenic")), st.sampled_from(("", "germline", "somatic")),
        st.lists(_NAMES, max_size=2).map(tuple),
    ),
    st.builds(Sex, st.sampled_from(("female", "male"))),
    st.builds(Dead, st.booleans(), st.sampled_from(("", "2022"))),
)  # fmt: skip


def _lists(parts: st.SearchStrategy[Form]) -> st.SearchStrategy[tuple[Form, ...]]:
    return st.lists(parts, min_size=2, max_size=3, unique_by=str).map(tuple)


FORMS = st.recursive(
    _LEAVES,
    lambda inner: st.one_of(
        st.builds(And, _lists(inner)),
        st.builds(Or, _lists(inner)),
        st.builds(Not, inner, st.booleans()),
        st.builds(Before, st.tuples(inner, inner), st.none() | st.integers(0, 999)),
        st.builds(AtLeast, st.just(2), _lists(inner)),
    ),
    max_leaves=5,
)
"""Whatever a form can say."""
