"""The reranker that looks for the result that is asked for."""

from clinfo.retrieval.chunking import by_section
from clinfo.retrieval.documents import Asked
from clinfo.retrieval.readers.plain import of_text
from clinfo.retrieval.rerankers import best
from clinfo.retrieval.rerankers.results import ResultReranker

PAPER = """INTRODUCTION:
Itching troubles many people with eczema. Whether a cream with zinc eases itching is not known.

METHODS:
Itching was to be measured by a scale of 100 mm at week 4 in patients randomised to zinc or placebo.

RESULTS:
Of 80 patients, 76 came back.
Itching fell more with zinc than with placebo (mean difference 12 mm, 95% CI 4 to 20, P = 0.003).
Redness did not differ significantly between groups (P = 0.4).

DISCUSSION:
Itching is a burden, as others have said [3]. Our patients were young.
"""


def test_the_result_asked_for_comes_first() -> None:
    passages = by_section(of_text(PAPER, "x"), 110)
    order = {}
    for outcome in ("itching", "redness"):
        scores = ResultReranker().scores(Asked("", outcome, "zinc cream", "placebo"), passages)
        order[outcome] = passages[best(scores, 1)[0]].text
    assert "12 mm" in order["itching"]
    assert "Redness did not differ" in order["redness"]


def test_a_question_without_parts_is_searched_by_its_words() -> None:
    passages = by_section(of_text(PAPER, "x"), 110)
    scores = ResultReranker().scores(Asked("Does zinc ease itching in eczema?"), passages)
    assert "12 mm" in passages[best(scores, 1)[0]].text
