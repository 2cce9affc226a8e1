"""The gate before a TL;DR: whether what a model wrote stands as the answer, and what takes its
place where it does not.

A TL;DR stands where its first sentence is not condemned, where it or the articles it rests on speak
of what is asked, where it points the way that the studies read do, and where a flat yes or no is as
sure as `clinfo.evidence.settle` wants it. What takes its place is what the strongest source
concludes, word for word.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from clinfo.claims.joining import CARRIED, CONDEMNED
from clinfo.evidence.conclusion import read
from clinfo.evidence.settle import Settlement, Word, settle, strongest
from clinfo.records.appraisal import Balance
from clinfo.records.articles import PROGRAM, Article, Section, Sentence, Span, Study, text_of
from clinfo.terms.asked_subject import subject
from clinfo.text.citations import citation_marks
from clinfo.text.disagreement import says_findings_disagree
from clinfo.text.passages import beginning, beginnings, vocabulary

SURE = 0.75
"""Probability from which a text is taken to say yes or no, as `clinfo.evidence.settle` takes a
study.
"""
_OPENS = re.compile(
    (
        r"(?P<lead>(?:[^?.!]*\?)?\W*(?:\w[\w'’]*[^\w.?!]+){0,5}?)\b"
        r"(?P<says>yes\b(?!\W+(?:or|and)\W+no\b)|no\b(?=\W*\Z|\s*[^\w\s-]|\s[–—-]\s|(?<=answer is "
        r"no)\s))"
    ),
    re.IGNORECASE,
)
"""A yes or no with up to five words before it ("In short, yes", "The answer is no"), or after a
question.
"""
_LEADS = re.compile(r"(?:\A|[?:,;–—]|\b(?:is|\w+ly)\b)\W*\Z", re.IGNORECASE)
"""Text allowed right before it: nothing, a mark, "is", "definitely"."""
_DENIES = re.compile(r"\b(?:not|nor|neither|unclear|whether)\b", re.IGNORECASE)
_PERHAPS = (
    r"(?:(?:most|very|quite)\s)?(?:probabl[ey]|possibl[ey]|perhaps|likely|maybe|apparently)\b"
)
_HEDGE = re.compile(rf"\b{_PERHAPS}|\b(?:may|might|seems|appears)\b", re.IGNORECASE)
_HEDGED = re.compile(
    rf"\W+(?:it (?:seems|appears)\b|{_PERHAPS}(?:\s(?:not|so))?(?=\W*\Z|\s*[^\w\s]))", re.IGNORECASE
)
"""Text after a yes or no that hedges it: "Yes, probably: …", not "No, likely harmful"."""
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]{3,}\b")
"""A word with a capital inside a sentence."""
_OPPOSITE = {"yes": "contradicts", "no": "supports"}
_SAME = {"yes": "supports", "no": "contradicts"}
_TOLD: dict[Word, str] = {
    "yes": "say yes",
    "no": "say no",
    "probably yes": "say probably yes",
    "probably no": "say probably no",
    "disagree": "disagree",
    "not settled": "do not settle it",
}
NOT_SETTLED = "The studies retrieved do not settle this."


@dataclass(frozen=True)
class Asked:
    """The context of a TL;DR: the question, the studies read and their balance."""

    question: str
    studies: tuple[Study, ...]
    balance: Balance | None

    @property
    def leading(self) -> tuple[Study, ...]:
        """The studies that may lead an answer: those whose relevance could be judged."""
        return tuple(study for study in self.studies if not study.unread)

    @cached_property
    def settlement(self) -> Settlement:
        return settle(self.question, self.leading)


def refusal(
    asked: Asked, tldr: Sequence[Sentence], synthesis: Sequence[Sentence], settled: bool = False
) -> str:
    """Return why a TL;DR, in its sentences as judged, does not stand as the answer over a
    synthesis; "" where it does.

    ``settled``: it was made of the same settlement, so neither its subject nor its direction is
    asked for again.
    """
    if not tldr:
        return "it is empty"
    if tldr[0].verdict in CONDEMNED:
        return f"it is {tldr[0].verdict}: {tldr[0].reason}"
    text = _plain(tldr)
    settlement = asked.settlement
    flat = _flat(text)
    if flat and settlement.word != flat:
        return f"it says {flat} without qualification where the studies {_TOLD[settlement.word]}"
    if settled:
        return ""
    if names := _unknown_names(asked, text, synthesis):
        return f"it names {', '.join(names)}, which neither the question nor any article names"
    numbers = {n for one in tldr for n in one.cites} or {n for one in synthesis for n in one.cites}
    if not numbers:
        return "neither it nor the synthesis cites a study"
    if not _speaks_of_it(
        asked.question, text, [study.article for study in asked.studies if study.n in numbers]
    ):
        return "neither it nor the articles it cites address the question"
    return (
        _against(asked, text, synthesis, carried=tldr[0].verdict in CARRIED)
        if settlement.closed
        else ""
    )


def refused(
    asked: Asked, tldr: Sequence[Sentence], synthesis: Sequence[Sentence], settled: bool
) -> tuple[str, Sentence | None]:
    """(why a TL;DR does not stand, what stands in its place); "" and None where it does."""
    reason = refusal(asked, tldr, synthesis, settled)
    return reason, in_its_place(asked) if reason else None


def in_its_place(asked: Asked) -> Sentence:
    """Return what the strongest source concludes, quoted; where none speaks of what is asked, that
    this is not settled.
    """
    quotation = strongest(asked.question, asked.leading)
    if quotation is None:
        basis = asked.settlement.basis
        return Sentence(
            "tldr",
            NOT_SETTLED,
            (),
            "not_verified",
            f"it rests on {basis}",
            judges=(PROGRAM,),
            counts_only=True,
        )
    text = f"The strongest source retrieved concludes: “{quotation.text}” [{quotation.n}]."
    span = Span(quotation.n, quotation.field, quotation.start, quotation.end)
    return Sentence(
        "tldr",
        text,
        (quotation.n,),
        "supported",
        f"quoted word for word from [{quotation.n}]",
        (span,),
        near=True,
    )


def _flat(text: str) -> Literal["", "yes", "no"]:
    """The yes or no that a text opens with and does not hedge."""
    says, hedged = _opening(text)
    return "" if says is None or hedged else says


def _opening(text: str) -> tuple[Literal["yes", "no"] | None, bool]:
    """(the yes or no that a text opens with, whether it is hedged); (None, False) for any other
    opening.
    """
    found = _OPENS.match(text)
    if found is None or not _LEADS.search(found["lead"]) or _DENIES.search(found["lead"]):
        return None, False
    hedged = _HEDGE.search(found["lead"]) or _HEDGED.match(text, found.end("says"))
    return ("yes" if found["says"].lower() == "yes" else "no"), hedged is not None


def _unknown_names(asked: Asked, text: str, synthesis: Sequence[Sentence]) -> tuple[str, ...]:
    """Words that a text writes as names and that stand nowhere else."""
    known = beginnings(f"{asked.question} {_plain(synthesis)}").union(
        *(vocabulary(study.article) for study in asked.studies)
    )
    return tuple(
        dict.fromkeys(name for name in _NAME.findall(text) if beginning(name.lower()) not in known)
    )


def _speaks_of_it(question: str, text: str, articles: Sequence[Article]) -> bool:
    """Return whether the text and the articles together name what is asked: most of it, both sides
    of a comparison, the outcome.
    """
    named = tuple(
        section
        for article in articles
        for section in (Section(f"{article.title}."), *article.sections)
    )
    return subject(question).addressed(Article("tldr", text, sections=(Section(text), *named)))


def _against(asked: Asked, text: str, synthesis: Sequence[Sentence], carried: bool) -> str:
    """Return why the way that a TL;DR points is not that of the synthesis or of the studies; ""
    where it is, or points no way.

    Where the studies settle nothing, what a judge found ``carried`` by its sources may still be
    told.
    """
    way = says(asked.question, text)
    if way is None:
        return ""
    other = says(asked.question, _plain(synthesis)) if synthesis else None
    if other is not None and other != way:
        return f"it says {way} where the synthesis says {other}"
    if asked.balance is not None and asked.balance.sides == "stance":
        same, against = _studies(asked.balance, _SAME[way]), _studies(asked.balance, _OPPOSITE[way])
        if against > same:
            return (
                f"it says {way}, and of the studies {against} point the other way, {same} this way"
            )
    word = asked.settlement.word
    borne_out = word in (way, f"probably {way}") or (word == "not settled" and carried)
    return "" if borne_out else f"it says {way} where the studies {_TOLD[word]}"


def says(question: str, text: str, sure: float = SURE) -> Literal["yes", "no"] | None:
    """Return which answer a text gives: the one it opens with, else the one it reads like, with a
    probability of ``sure``; None where it tells of disagreement.
    """
    says, _ = _opening(text)
    if says is not None:
        return says
    if says_findings_disagree(text):
        return None
    reading = read(
        question, Article("text", "", sections=(Section(text, "CONCLUSIONS", "CONCLUSIONS"),))
    )
    return "yes" if reading.yes >= sure else "no" if reading.no >= sure else None


def _studies(balance: Balance, way: str) -> int:
    return sum(share.studies for share in balance.shares if share.side == way)


def _plain(sentences: Sequence[Sentence]) -> str:
    """The text of the sentences without its citations."""
    text = text_of(sentences)
    for mark in reversed(citation_marks(text)):
        text = text[: mark.start].rstrip() + text[mark.end :]
    return text
