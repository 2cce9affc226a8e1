"""Screens records: selects those that become questions, with the reason for each rejection. Pure
functions; steps in the order of `STEPS`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from clinfo.integrity.notices import EXCLUDED, notices
from clinfo.records.articles import Article, Section
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


STEPS: tuple[tuple[str, str], ...] = (
    ("record", "record received and readable"),
    ("retraction", "not retracted"),
    ("abstract", "structured abstract"),
    ("question", "question in the title"),
    ("sections", "results and conclusion among the sections"),
    ("proposal", "neither protocol nor proposal"),
    ("results", "substantive results"),
    ("date", "publication date"),
)
"""Name of each step, and what passes it."""

_PROTOCOL_TITLE = re.compile(
    (
        r"\bprotocols? (?:for|of) (?:an? |the )?(?:[\w-]+ ){0,5}(?:review|meta-analys[ei]s|study|"
        r"trial|synthesis|overview|survey)\b"
        r"|\b(?:review|study|meta-analys[ei]s|trial|research|overview)(?: and "
        r"meta-analys[ei]s)?(?:'s)? protocol\b"
        r"|^\W*(?:study )?protocol\W|[:?.–—-]\s*(?:an? |the )?(?:study )?protocol\W*$"
    ),
    re.IGNORECASE,
)
_PROPOSAL_TITLE = re.compile(
    (
        r"\b(?:research|review|study) proposal\b|^\W*proposal (?:for|of)\b|[:?.–—-]\s*(?:an? "
        r")?(?:research )?(?:proposal|agenda)\W*$"
    ),
    re.IGNORECASE,
)
_PROTOCOL_TYPE = "clinical trial protocol"
_FIGURES_AND_WORDS = re.compile(r"[^\W_]+")
FEWEST_WORDS = 5
"""Words from which an answer can say something."""


@dataclass(frozen=True)
class Rejection:
    """A record that became no question: the step that it failed at, and why."""

    pmid: str
    step: str
    reason: str


@dataclass(frozen=True)
class Draft:
    """A record that passed: its parts, the question cut from its title, and its day of
    publication.
    """

    article: Article
    parts: Parts
    question: str
    published: date

    @property
    def pmid(self) -> str:
        """The review's PMID."""
        return self.article.pmid or ""

    @property
    def answer(self) -> str:
        """The candidate answer: results and conclusion, which annotators shorten."""
        return _answer(self.parts)


def screened(article: Article) -> Draft | Rejection:
    """Return what becomes of a record that was read; of several reasons the first step's counts."""
    parts = parts_of(article.sections)
    question = question_in(article.title)
    published = published_on(article)
    failed = (
        ("retraction", ", ".join(sorted({one.kind for one in notices([article])} & EXCLUDED))),
        ("abstract", _unstructured(article, parts)),
        ("question", "" if question else "no question in the title"),
        ("sections", _lacking(parts)),
        ("proposal", _proposal(article)),
        ("results", _nothing_said(parts)),
        ("date", "" if published else "no publication date"),
    )
    for step, reason in failed:
        if reason:
            return Rejection(article.pmid or "", step, reason)
    assert published is not None
    return Draft(article, parts, question, published)


def published_on(article: Article) -> date | None:
    """The day a review came out: its electronic date unless the printed one was over by then, else
    the printed one's first day.

    None where the record has neither.
    """
    printed, electronic = article.published, article.electronic
    if printed is None:
        return electronic
    return electronic if electronic is not None and electronic <= printed.end else printed.start


def _unstructured(article: Article, parts: Parts) -> str:
    if not article.abstract.strip():
        return "no abstract"
    return "" if parts.structured else "abstract without labelled sections"


def _lacking(parts: Parts) -> str:
    if not parts.results:
        return "no results section"
    return "" if parts.conclusion or parts.joined else "no conclusion section"


def _proposal(article: Article) -> str:
    if _PROTOCOL_TYPE in (
        kind.casefold() for kind in article.publication_types
    ) or _PROTOCOL_TITLE.search(article.title):
        return "a protocol"
    if _PROPOSAL_TITLE.search(article.title):
        return "a proposal"
    return ""


def _answer(parts: Parts) -> str:
    return "\n".join(
        filter(None, (" ".join(parts.results.split()), " ".join(parts.conclusion.split())))
    )


def _nothing_said(parts: Parts) -> str:
    return "too short" if len(_FIGURES_AND_WORDS.findall(_answer(parts))) < FEWEST_WORDS else ""
