"""The published files as they are read: what is taken from them, and what is refused, and how it is
said.
"""

from pathlib import Path

import pytest

from benchmarks.pubmedrs200.published.data import SYSTEMS
from benchmarks.pubmedrs200.published.reading import read
from clinfo.errors import UsageError
from tests.benchmarks.pubmedrs200.published import made_up
from tests.shared_data import SHARED, needs_shared


def test_everything_is_read_and_texts_are_left_as_they_are(tmp_path: Path) -> None:
    made = made_up.rows(3)
    made[1]["elicit"] = ' Two\r\nlines, "quoted" \u00e2\u0080\u0089text.  '
    made_up.write(tmp_path, made)
    published = read(tmp_path)
    assert published.ids == ("30000000", "30000001", "30000002")
    assert (
        published.questions[1].outputs["elicit"]
        == ' Two\r\nlines, "quoted" \u00e2\u0080\u0089text.  '
    )
    assert published.questions[1].human_answer == made[1]["HumanAnswer"]
    assert published.questions[2].references == ("11", "12", "13", "52")
    assert published.questions[2].relevant["unrestricted"] == ("11", "52", "99", "98", "30000002")
    assert published.questions[2].irrelevant["restricted"] == ("97",)
    assert published.values["unieval_fluency"]["gpt4"][2] == float(made[2]["gpt4_fluency"])
    assert len(published.values) == 16
    assert all(
        len(published.values[metric][system.key]) == 3
        for metric in published.values
        for system in SYSTEMS
    )


@pytest.mark.parametrize(
    ("column", "cell", "said"),
    [
        ("gpt4_fluency", "", "record 2, column gpt4_fluency: '' is not a number"),
        ("gpt4_chrf", "NaN", "record 2, column gpt4_chrf: 'NaN' is not a number"),
        ("gpt4_commet", "inf", "record 2, column gpt4_commet: 'inf' is not a number"),
        (
            "clinfo_pubmed_relevant_ids",
            "[1, 2",
            "record 2, column clinfo_pubmed_relevant_ids: not a list of PMIDs",
        ),
        ("Ref_PMIDs", "__import__('os')", "record 2, column Ref_PMIDs: not a list of PMIDs"),
        ("PMID", "30000000", "record 2: PMID 30000000 is there already in record 1"),
        ("PMID", "PMC12", "record 2, column PMID: 'PMC12' is not a PMID"),
    ],
)
def test_a_cell_that_cannot_be_used_is_named(
    tmp_path: Path, column: str, cell: str, said: str
) -> None:
    made = made_up.rows(3)
    made[1][column] = cell
    made_up.write(tmp_path, made, tables=False)
    with pytest.raises(UsageError) as error:
        read(tmp_path)
    assert said in str(error.value)
    assert "\n" not in str(error.value)
    assert ".csv" in str(error.value)


def test_files_that_are_not_there_are_named(tmp_path: Path) -> None:
    made_up.write(tmp_path, made_up.rows(1))
    (tmp_path / "scores__all_2021.csv").unlink()
    with pytest.raises(UsageError, match=r"not there: scores__all_2021\*\.csv"):
        read(tmp_path)
    with pytest.raises(UsageError, match="is not a folder"):
        read(tmp_path / "elsewhere")


@needs_shared
def test_the_published_files() -> None:
    published = read(SHARED / "pubmedrs200")
    assert len(published.questions) == 100
    assert (published.ids[0], len(set(published.ids))) == ("34158009", 100)
