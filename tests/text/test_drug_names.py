"""Drug names: classes told by the stems of international names."""

import pytest

from clinfo.text.drug_names import classes


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("salmeterol", {"bronchodilator", "beta2-agonist"}),
        (
            "granisetron after lisinopril",
            {"antiemetic", "angiotensin", "converting", "enzyme", "ace", "inhibitor"},
        ),
        ("rosuvastatin", {"statin"}),
        ("bupivacaine", {"local", "anaesthetic"}),
        ("cholesterol in april, a virus, alcohol, nystatin, cocaine and aripiprazole", set()),
        ("", set()),
    ],
)
def test_the_ending_of_a_name_tells_its_class(text: str, expected: set[str]) -> None:
    assert classes(text) == expected
