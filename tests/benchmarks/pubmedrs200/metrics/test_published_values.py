"""The published values of 13 systems on 100 questions, in the roles in which they were made: the
human answer as prediction.
"""

import csv
import re

import pytest

from benchmarks.pubmedrs200.metrics import registry
from benchmarks.pubmedrs200.metrics.spec import Pair
from tests.shared_data import SHARED, needs_shared

pytestmark = [needs_shared, pytest.mark.usefixtures("wordnet")]
FOLDER = SHARED / "pubmedrs200"
COLUMNS = {
    "rouge_l": "rouge-L",
    "meteor": "meteor",
    "chrf": "chrf",
    "google_bleu": "google_bleu",
    "character": "character",
    "exact_match": "exact_match",
}


@pytest.fixture(scope="module")
def rows() -> list[dict[str, str]]:
    return _read("Model__all_all_scores.first100.csv")


def _read(name: str) -> list[dict[str, str]]:
    csv.field_size_limit(1 << 30)
    with (FOLDER / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _systems(rows: list[dict[str, str]], suffix: str) -> list[str]:
    return [column.removesuffix(suffix) for column in rows[0] if column.endswith(suffix)]


def _human(row: dict[str, str]) -> str:
    return "".join(re.split(r"(?:\r?\n[ \t]*)+(?=\S)", row["HumanAnswer"])[::-1])


def test_every_value(rows: list[dict[str, str]]) -> None:
    cells = [(system, row) for system in _systems(rows, "_rouge-L") for row in rows]
    assert len(cells) == 1_300
    pairs = [Pair(prediction=_human(row), reference=row[system]) for system, row in cells]
    for scorer in registry.load(COLUMNS):
        for name, values in scorer.score(pairs).items():
            published = [float(row[f"{system}_{COLUMNS[name]}"]) for system, row in cells]
            assert values == pytest.approx(published, rel=0, abs=1e-9), name


def test_word_lengths() -> None:
    rows = _read("scores__all_2021.first100.csv")
    cells = [(system, row) for system in _systems(rows, "_word_length") for row in rows]
    assert len(cells) == 1_300
    (scorer,) = registry.load(["word_length"])
    values = scorer.score([Pair(prediction=row[system], reference="") for system, row in cells])[
        "word_length"
    ]
    assert values == [float(row[f"{system}_word_length"]) for system, row in cells]
