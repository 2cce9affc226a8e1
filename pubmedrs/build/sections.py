"""What a record's title and labelled abstract hold: the question, and introduction, methods,
results and conclusion.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from clinfo.records.articles import Section
from clinfo.text.abstracts import Role, label_role

_MARK = re.compile(r"[?？][\"'”’»)\]]*")
_TRANSLATED = re.compile(r"\[(.*)\]\.?", re.DOTALL)
_WORD = re.compile(r"[^\W\d_]{2}")
MOST_WORDS = 60
"""Words beyond which what precedes a question mark is a text and no question."""


def question_in(title: str) -> str:
    """The title up to its first question mark, "" where it holds no question.

    What stands before a colon stays, because it says what is asked about ("X: is it Y?"): the
    published questions are cut so. Brackets around a translated title are taken off. A mark with no
    words before it, or in a web address, asks nothing.
    """
    text = " ".join(title.split())
    if translated := _TRANSLATED.fullmatch(text):
        text = translated[1].strip()
    for mark in _MARK.finditer(text):
        following = text[mark.end() : mark.end() + 1]
        before = text[: mark.start()]
        if following.isalnum() or following in ("=", "&"):
            continue
        question = before + "?"
        if len(_WORD.findall(before)) >= 2 and len(before.split()) <= MOST_WORDS:
            return _without_open_bracket(question)
    return ""


def _without_open_bracket(question: str) -> str:
    """A bracket or quotation mark that opens before the question and closes after it is not part of
    it.
    """
    for opening, closing in (("(", ")"), ("[", "]"), ("“", "”")):
        if question.startswith(opening) and closing not in question:
            return question[1:].strip()
    return question[1:] if question.startswith('"') and question.count('"') == 1 else question


FEWEST_LABELS = 2
"""Labels from which an abstract counts as structured."""
_ROLE_OF_CATEGORY: dict[str, Role] = {
    "BACKGROUND": "background",
    "OBJECTIVE": "background",
    "METHODS": "methods",
    "RESULTS": "results",
    "CONCLUSIONS": "conclusion",
}
_RESULTS_AND_CONCLUSION = re.compile(
    r"\b(?:result|finding)\w*\b.*\b(?:conclu|interpret|discuss)\w*", re.IGNORECASE
)
_AFTERTHOUGHT = re.compile(r"relevance|implication|practice|comment|limitation", re.IGNORECASE)
_NO_LABELS = ("UNLABELLED", "UNASSIGNED", "ABSTRACT")


@dataclass(frozen=True)
class Parts:
    """The four parts of an abstract, each "" where it has none; several sections of one part are
    joined by one space.

    A section of results and conclusion in one stands as results. What is not part of the study
    (registration, funding) is left out, and so are sections on relevance or practice where there is
    a conclusion beside them, as the published file leaves them out. ``labels`` counts the sections
    that have a label.
    """

    introduction: str = ""
    methods: str = ""
    results: str = ""
    conclusion: str = ""
    labels: int = 0
    joined: bool = False

    @property
    def structured(self) -> bool:
        """Return whether the abstract has labelled sections."""
        return self.labels >= FEWEST_LABELS


def parts_of(sections: Sequence[Section]) -> Parts:
    """The parts by what the labels say, and by NLM's category where a label says nothing."""
    found: dict[Role, list[str]] = {
        "background": [],
        "methods": [],
        "results": [],
        "conclusion": [],
        "notice": [],
    }
    afterthoughts: list[str] = []
    labels, joined = 0, False
    for section in sections:
        label = (section.label or "").strip()
        if not label or label.upper() in _NO_LABELS or not section.text.strip():
            continue
        labels += 1
        if _RESULTS_AND_CONCLUSION.search(label):
            joined = True
            found["results"].append(section.text.strip())
        elif (role := _role(label, section.category)) == "conclusion" and _AFTERTHOUGHT.search(
            label
        ):
            afterthoughts.append(section.text.strip())
        else:
            found[role].append(section.text.strip())
    found["conclusion"] = found["conclusion"] or afterthoughts
    introduction, methods, results, conclusion = (
        " ".join(found[role]) for role in ("background", "methods", "results", "conclusion")
    )
    return Parts(introduction, methods, results, conclusion, labels, joined)


def _role(label: str, category: str | None) -> Role:
    by_label = label_role(label) or "background"
    if by_label == "background" and category:  # the label's words say nothing of their own
        return _ROLE_OF_CATEGORY.get(category.upper(), by_label)
    return by_label
