"""Small data set files in the published form, written by the tests themselves."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

HEADER = (
    "specialty",
    "SubTopic",
    "Title",
    "Abstract",
    "Introduction",
    "Methods",
    "Results",
    "Conclusion",
    "PMID",
    "Ref_PMIDs",
    "Ref_DOIs",
    "questions",
    "PublishedDate",
    "HumanQuestions",
    "HumanAnswer",
)


def row(pmid: str = "30000001", **cells: str) -> dict[str, str]:
    """A row without fault but for what ``cells`` put into it."""
    plain = {
        "specialty": "dermatology",
        "SubTopic": "eczema",
        "Title": "Does tea help? A systematic review.",
        "Abstract": "BACKGROUND:\nTea is drunk.\nRESULTS:\nIt helped 12 of 20.",
        "Introduction": "Tea is drunk.",
        "Methods": "We searched.",
        "Results": "It helped 12 of 20.",
        "Conclusion": "Tea helps.",
        "PMID": pmid,
        "Ref_PMIDs": "['101', '102']",
        "Ref_DOIs": "['10.1000/a', '10.1000/b']",
        "questions": "Does tea help?",
        "PublishedDate": "2020-03-04",
        "HumanQuestions": "Does tea help?",
        "HumanAnswer": "It helped 12 of 20.\nTea helps.",
    }
    assert set(cells) <= set(plain)
    return plain | cells


def written(path: Path, rows: Sequence[Mapping[str, str]], header: Sequence[str] = HEADER) -> Path:
    """The rows as a CSV file in UTF-8."""
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL)
        table.writerow(header)
        table.writerows([one[column] for column in header] for one in rows)
    return path


def read_published(path: Path) -> list[dict[str, str]]:
    """The rows of the published file as published, unnamed columns left out."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        return [{name: cell for name, cell in row.items() if name} for row in csv.DictReader(file)]
