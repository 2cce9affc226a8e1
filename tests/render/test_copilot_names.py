"""Names of silos for a reader, and the line on one that brought nothing."""

from clinfo.pipelines.copilot.records import UNASKED, CopilotAnswer, NotIn, Source
from clinfo.render.copilot import not_found, says_of, silo_name

SILOS = {
    "cancergov": {"title": "National Cancer Institute (CancerGov, PDQ) pages, from MedQuAD"},
    "civic": {"title": "CIViC evidence items", "unfinished": 1_200},
    "own": {"title": ""},
}
ANSWER = CopilotAnswer(question="?", settings={"silos": SILOS})


def test_a_silo_is_called_by_its_title() -> None:
    names = [silo_name(ANSWER, one) for one in (*SILOS, "other")]
    assert names == ["National Cancer Institute", "CIViC evidence items", "own", "other"]


def test_a_trial_is_shown_with_its_status() -> None:
    source = Source(1, "trials", "N", "N", (0, 1), "x", facts={"status": "NOT_YET_RECRUITING"})
    assert says_of(source) == "not yet recruiting"


def test_only_a_silo_that_is_whole_is_said_to_lack_something() -> None:
    assert not_found(ANSWER, NotIn("cancergov", "nothing on it")) == (
        "not in National Cancer Institute: nothing on it"
    )
    unfinished = not_found(ANSWER, NotIn("civic"))
    assert "not in" not in unfinished
    assert "1,200 documents are not fully searched" in unfinished
    assert "not in" not in not_found(ANSWER, NotIn("own", f"no gene is named; {UNASKED}"))
