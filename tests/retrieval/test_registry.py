"""Registry numbers in the spellings of abstracts; the numbers are made up."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinfo.retrieval.registry import registrations


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("ClinicalTrials.gov NCT01234567.", "NCT01234567"),
        ("ClinicalTrials.govNCT01234567", "NCT01234567"),
        ("(NCT 01234567)", "NCT01234567"),
        ("identifier: NCT-01234567", "NCT01234567"),
        ("Current Controlled Trials ISRCTN 12345678", "ISRCTN12345678"),
        ("Randomised Controlled Trial Number (ISRCTN): 12345678", "ISRCTN12345678"),
        ("ISRCTN registry number 12345678", "ISRCTN12345678"),
        ("ACTRN12612345678901", "ACTRN12612345678901"),
        ("ACTRN012612345678901", "ACTRN12612345678901"),
        ("ANZCTRN12612345678901", "ACTRN12612345678901"),
        ("Australian New Zealand Clinical Trials Registry, 12612345678901", "ACTRN12612345678901"),
        ("ChiCTR-TRC-12345678", "ChiCTR-TRC-12345678"),
        ("ChiCTR1900012345", "ChiCTR1900012345"),
        ("UMIN000012345", "UMIN000012345"),
        ("UMIN-CTR: UMIN000012345", "UMIN000012345"),
        ("jRCTs031180001", "jRCTs031180001"),
        ("JapicCTI-123456", "JapicCTI-123456"),
        ("DRKS-ID: DRKS00012345", "DRKS00012345"),
        ("CTRI/2013/06/003770", "CTRI/2013/06/003770"),
        ("IRCT201201234567N8", "IRCT201201234567N8"),
        ("Netherlands Trial Register NTR 1658", "NTR1658"),
        ("Nederlands Trial Register (NTR) 1658", "NTR1658"),
        ("PACTR201512345678901", "PACTR201512345678901"),
        ("TCTR20190123456", "TCTR20190123456"),
        ("KCT0001234", "KCT0001234"),
        ("RBR-4g5d5t", "RBR-4g5d5t"),
        ("SLCTR/2012/005", "SLCTR/2012/005"),
        ("EudraCT Number: 2013-003817-16", "EudraCT 2013-003817-16"),
        ("EU CT number 2022-501234-12-00", "EUCT 2022-501234-12"),
        ("PROSPERO CRD42014009110", "CRD42014009110"),
        ("PROSPERO 2013:CRD 42013004567", "CRD42013004567"),
    ],
)
def test_spellings(text: str, number: str) -> None:
    found = registrations(text)
    assert {each.number for each in found} == {number}
    assert all(text[each.start : each.end].strip() for each in found)


@pytest.mark.parametrize(
    "text",
    [
        "NCT0123456",
        "the NTR1 receptor",
        "12345678 patients",
        "ethics approval 2013-003817-16",
        "control 12345678",
        "active 123456",
        "NCT012345678",
    ],
)
def test_what_is_no_number(text: str) -> None:
    assert registrations(text) == ()


def test_a_normal_form_reads_as_itself() -> None:
    for number in (
        "NCT01234567",
        "CTRI/2013/06/003770",
        "EudraCT 2013-003817-16",
        "EUCT 2022-501234-12",
        "ChiCTR-TRC-12345678",
    ):
        assert [each.number for each in registrations(number)] == [number]


def test_several_in_their_order() -> None:
    found = registrations("ISRCTN12345678, NCT01234567 and again NCT01234567")
    assert [(each.register, each.number) for each in found] == [
        ("ISRCTN", "ISRCTN12345678"),
        ("ClinicalTrials.gov", "NCT01234567"),
        ("ClinicalTrials.gov", "NCT01234567"),
    ]


@given(st.text(alphabet="NCTRIUMDKSAEudraPB 0123456789-–/:().", max_size=120))
def test_odd_text_never_raises(text: str) -> None:
    for each in registrations(text):
        assert 0 <= each.start < each.end <= len(text)


def test_long_junk_is_read_in_linear_time() -> None:
    for junk in ("NCT", "ISRCTN: ", "EudraCT 2", "CTRI/2013/", "NTR 1"):
        registrations(junk * (100_000 // len(junk)))
