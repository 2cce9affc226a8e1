"""Sample size and design of every article of the demo corpus, as a person reads them in its
abstract.
"""

import pytest

from clinfo.records.articles import Article
from clinfo.sources import demo
from clinfo.text.design import study_design
from clinfo.text.sample_size import sample_size

ARTICLES = {article.pmid: article for article in demo.load()}
READ: dict[str, tuple[int | None, str | None]] = {
    "22085439": (613, "randomised controlled trial"),
    "23731768": (329, "randomised controlled trial"),
    "25045258": (1838, "randomised controlled trial"),
    "25451347": (841, "randomised controlled trial"),
    "27785010": (182, "randomised controlled trial"),
    "28074135": (1792, "randomised controlled trial"),
    "28558833": (None, "randomised controlled trial"),
    "28744115": (None, "randomised crossover trial"),
    "27578968": (None, "randomised controlled trial"),
    "29284837": (90, "randomised controlled trial"),
    "23646238": (90, "randomised controlled trial"),
    "25829902": (60, "randomised controlled trial"),
    "27871236": (74, "randomised controlled trial"),
    "28249614": (97, "randomised controlled trial"),
    "28442950": (86, "randomised controlled trial"),
    "26495053": (44, "randomised controlled trial"),
    "27442674": (60, "randomised controlled trial"),
    "29284844": (60, "randomised controlled trial"),
    "29599834": (58, "randomised controlled trial"),
    "19523207": (16, "randomised controlled trial"),
    "22977778": (40, "randomised controlled trial"),
    "25019632": (24, "randomised controlled trial"),
    "25931691": (20, "randomised controlled trial"),
    "25995576": (30, "randomised controlled trial"),
    "26355721": (26, "randomised controlled trial"),
    "27630438": (12, "randomised controlled trial"),
    "28265141": (27, "before-and-after study"),
    "29765183": (14, None),
    "28744053": (12, "randomised controlled trial"),
    "26916684": (412, "randomised controlled trial"),
    "27573938": (48, "randomised controlled trial"),
    "27977774": (237, "randomised controlled trial"),
    "25148570": (784, None),
    "29043702": (None, "randomised controlled trial"),
    "16842480": (262, "randomised controlled trial"),
    "22584132": (323, "randomised controlled trial"),
    "23425012": (546, "randomised controlled trial"),
    "26229753": (None, "randomised controlled trial"),
    "29282633": (1326, "randomised controlled trial"),
    "22474554": (100, "randomised controlled trial"),
    "23459499": (100, "randomised controlled trial"),
    "23441598": (240, "randomised controlled trial"),
    "25237447": (132, "randomised controlled trial"),
    "25589945": (108, "randomised controlled trial"),
    "26985431": (140, None),
    "23878443": (100, "randomised controlled trial"),
    "25225531": (50, None),
    "23560187": (40, "randomised controlled trial"),
    "23493245": (40, "randomised controlled trial"),
    "21165295": (214, "randomised controlled trial"),
    "22130826": (120, "randomised controlled trial"),
    "23035837": (20, "before-and-after study"),
    "24969056": (106, "randomised controlled trial"),
    "23468874": (29, "randomised controlled trial"),
    "26973849": (477, "randomised controlled trial"),
    "26084276": (42, "randomised crossover trial"),
    "20730056": (624, "randomised controlled trial"),
    "29143799": (80, "randomised controlled trial"),
    "20056003": (421, "randomised controlled trial"),
    "23331510": (259, "randomised controlled trial"),
    "25593737": (81, "randomised controlled trial"),
    "26698303": (180, "randomised controlled trial"),
    "29123173": (65, "randomised controlled trial"),
    "29255724": (165, "randomised controlled trial"),
    "27713805": (47, "randomised controlled trial"),
    "28791200": (18, "randomised controlled trial"),
    "20052352": (None, None),
    "27186550": (100, "randomised controlled trial"),
    "22090672": (98, "randomised crossover trial"),
    "23440456": (68, "randomised controlled trial"),
    "23334063": (90, "randomised controlled trial"),
    "26000038": (182, "randomised controlled trial"),
    "26286137": (83, "non-randomised controlled trial"),
    "27833364": (160, "randomised controlled trial"),
    "28670534": (124, "randomised controlled trial"),
    "29343930": (300, "randomised controlled trial"),
    "21234210": (226, "randomised controlled trial"),
    "29422744": (None, "non-randomised controlled trial"),
}
"""PMID: people studied and design, None where the abstract does not say. 28744115 has two parts
with samples of their own.
"""


def test_every_article_was_read() -> None:
    assert ARTICLES.keys() == READ.keys()


@pytest.mark.parametrize("article", ARTICLES.values(), ids=ARTICLES.keys())
def test_size_and_design(article: Article) -> None:
    assert (sample_size(article), study_design(article)) == READ[article.pmid or ""]
