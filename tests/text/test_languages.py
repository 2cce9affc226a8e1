"""The language of a question, told from its commonest words."""

import pytest

from clinfo.text.languages import other_language


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("¿Reduce el yoga la presión arterial?", "Spanish"),
        ("Quel est l'effet de la metformine sur le poids ?", "French"),
        ("Senkt Yoga den Blutdruck bei Erwachsenen?", "German"),
        ("O yoga reduz a pressão arterial?", "Portuguese"),
        ("Снижает ли йога давление?", "Cyrillic script"),
        ("瑜伽能降低血压吗", "Chinese or Japanese"),
        ("Does yoga lower blood pressure?", ""),
        ("De novo mutations in SCN1A and Dravet syndrome", ""),
        ("Spinal haematoma: a sequela of a ruptured aneurysm?", ""),
        ("La Crosse encephalitis", ""),
        ("", ""),
    ],
)
def test_a_question_in_another_language_is_named(question: str, language: str) -> None:
    assert other_language(question) == language
