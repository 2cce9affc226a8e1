"""The evidence table of an answer, and what is to be known of single articles, as every page says
it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from types import SimpleNamespace
from typing import Any, Final, Literal

from clinfo.evidence.effect_words import effect_text as effect_text
from clinfo.evidence.table import WORDS, led
from clinfo.records.answer import Answer, ReadArticle, Reference
from clinfo.records.appraisal import EvidenceRow
from clinfo.records.articles import Article, Summary
from clinfo.text.wording import one_line

UNREADABLE: Final = "judgement unreadable"
"""The words for an article that is kept because nobody could read whether it bears on the question.
"""
STRONGEST_FIRST: Final = (
    "Guidelines and recent systematic reviews first, then by level. Level of evidence: Oxford CEBM "
    "2011, from 1 (strongest) to 5, as far as an abstract states the design."
)
ANSWERS: Final = {
    "supports": "answers yes",
    "contradicts": "answers no",
    "mixed": "found mixed results",
    "other outcomes": "has no result on this",
}
"""The stances of runs of older versions, in words."""


_TEXTS: Final = (
    *("title", "level_reason", "design", "population", "intervention", "comparator", "outcome"),
    *("answer", "follow_up"),
)


@dataclass(frozen=True)
class EvidenceView(EvidenceRow):
    """A row of the evidence table, its texts printable and "" where the abstract does not say.

    ``way`` is what the study found on what is asked, in runs of older versions how it answers.
    ``also`` are the citation numbers of further reports of the
    study, which have no row of their own.
    """

    effect: str  # type: ignore[assignment]  # in words
    finding: str = ""
    way: str = ""
    flags: tuple[str, ...] = ()
    also: tuple[int, ...] = ()

    @property
    def people(self) -> int | None:
        """The people randomised, else those analysed."""
        return self.sample_size if self.sample_size is not None else self.analysed

    @property
    def told(self) -> str:
        """The result with what it is against, and the name or amount that the study answers."""
        against = f" {self._against}" if self.way.startswith("found") and self._against else ""
        first = (self.answer or "").lower().split()[:1]
        answers = self.answer if first not in (["yes"], ["no"], ["unclear"]) else ""
        return "; ".join(filter(None, (f"{self.way}{against}", answers)))

    @property
    def compared(self) -> str:
        """The intervention and, where no result says so, what it was compared with."""
        against = "" if self.way.startswith("found") else self._against
        return " ".join(part for part in (self.intervention, against) if part)

    @property
    def _against(self) -> str:
        return f"against {self.comparator}" if self.comparator else ""

    @property
    def facts(self) -> tuple[str, ...]:
        """The facts that a reader weighs a study by, a few words each."""
        parts = (
            self.design,
            f"n = {self.people:,}" if self.people is not None else "",
            f"follow-up {self.follow_up}" if self.follow_up else "",
            f"level {self.level} of 5" if self.level is not None else "",
            self.effect,
        )
        return tuple(part for part in parts if part)


def _view(row: EvidenceRow, read: ReadArticle | None, also: Sequence[int] = ()) -> EvidenceView:
    """A row as it is shown, with what the run ``read`` of its article."""
    kinds: list[str] = [notice.kind for notice in row.notices]
    kinds += [UNREADABLE] if read is not None and read.relevant is None else []
    shown: dict[str, Any] = {one.name: getattr(row, one.name) for one in fields(row)}
    shown |= {name: one_line(shown[name] or "") for name in _TEXTS}
    shown["effect"] = effect_text(row.effect) if row.effect else ""
    shown["notices"] = ()  # their kinds are the flags
    return EvidenceView(
        **shown,
        finding=(finding_of(read) if read else "") or shown["title"],
        way=result_of(row),
        flags=tuple(dict.fromkeys(kinds)),
        also=tuple(also),
    )


def evidence_rows(answer: Answer, articles: Iterable[Article]) -> tuple[EvidenceView, ...]:
    """The evidence table, strongest first; before the appraisal what the summaries say, by rank.
    ``articles`` are the run's, for the years of publication.
    """
    read = {one.id: one for one in answer.articles}
    if answer.appraisal.rows:
        grouped = led(answer.appraisal.rows)
        return tuple(_view(row, read.get(row.id), also) for row, also in grouped)
    years = {article.id: article.year for article in articles}
    return tuple(
        _view(_unappraised(one, years.get(one.id), known.summary), known)
        for one in answer.references
        if (known := read.get(one.id)) is not None and known.summary is not None
    )


def evidence_by_article(answer: Answer) -> dict[str, EvidenceView]:
    """The row of each relevant article by its id, further reports of a study among them."""
    read = {one.id: one for one in answer.articles}
    return {row.id: _view(row, read.get(row.id)) for row in answer.appraisal.rows}


def _unappraised(reference: Reference, year: int | None, summary: Summary) -> EvidenceRow:
    return EvidenceRow(
        id=reference.id,
        n=reference.n,
        title=reference.title,
        year=year,
        design=summary.design,
        level=None,
        level_reason="the run stopped before the appraisal of the studies",
        sample_size=summary.sample_size,
        population=summary.population,
        intervention=summary.intervention,
        comparator=summary.comparator,
        outcome=summary.outcome,
        effect=summary.effect,
        effect_direction=summary.effect_direction,
        stance=summary.stance,
        follow_up=summary.follow_up,
        group=0,
        result=summary.result,
        answer=summary.answer,
    )


def result_of(read: Summary | EvidenceRow) -> str:
    """The result of a study in words, else what an older version recorded; "" for neither."""
    if read.result:
        return WORDS[read.result]
    return ANSWERS.get(read.stance or "", "") or (read.effect_direction or "").replace(
        "unclear", ""
    )


def finding_of(read: ReadArticle) -> str:
    """The finding of a summary; one that its own abstract does not carry says so."""
    finding = one_line(read.summary.finding) if read.summary is not None else ""
    condemned = any(
        one.verdict in ("unsupported", "contradicted") and one.text in finding
        for one in read.summary_check
    )
    return f"(Not supported by its abstract:) {finding}" if condemned else finding


def same_studies(answer: Answer) -> list[str]:
    """A sentence for each study of several reports, and for each review that contains others."""
    numbers = {reference.id: reference.n for reference in answer.references}
    said = []
    for group in answer.appraisal.groups:
        cited = [numbers[id] for id in group.ids if id in numbers]
        if len(cited) > 1:
            said.append(
                f"{_cited(cited)} report the same study and are counted once: "
                f"{one_line(group.reason)}."
            )
    for overlap in answer.appraisal.overlaps:
        held = [numbers[id] for id in overlap.studies if id in numbers]
        if overlap.review in numbers and held:
            review = f"[{numbers[overlap.review]}] is a review whose reference list contains"
            said.append(f"{review} {_cited(held)}.")
    return said


def also_in(row: EvidenceView) -> str:
    """The further reports of a study."""
    return f"also reported in {_cited(row.also)}" if row.also else ""


def _cited(numbers: Iterable[int]) -> str:
    return ", ".join(f"[{n}]" for n in numbers)


def article_notices(answer: Answer) -> tuple[SimpleNamespace, ...]:
    """Notices on articles that were excluded for what became of them, and on those used that carry
    a flag: ``mark`` is the citation number in brackets, or "excluded" for one that was excluded for
    it, with its ``title``.
    """
    excluded = {one.id: one.title for one in answer.articles if "excluded" in one.flags}
    numbers = {reference.id: reference.n for reference in answer.references}
    return tuple(
        SimpleNamespace(
            mark=f"[{numbers[one.id]}]" if one.id in numbers else "excluded",
            title="" if one.id in numbers else one_line(excluded[one.id]).rstrip("."),
            said=f"{one_line(one.text)} (source: {one.reported_by})",
            retracted=one.kind == "retracted",
        )
        for one in answer.article_notices
        if one.id in numbers or one.id in excluded
    )


State = Literal["waiting", "unread", "excluded", "irrelevant", "unreadable", "relevant"]
FATES: Final[Mapping[State, str]] = {
    "waiting": "not judged yet",
    "unread": "not judged",
    "excluded": "excluded",
    "irrelevant": "not relevant",
    "unreadable": "kept, judgement unreadable",
    "relevant": "relevant",
}
_STATES: Final[Mapping[str, State]] = {"excluded": "excluded", "not judged": "unread"}


@dataclass(frozen=True)
class ArticleView:
    """An article with its fate: ``word`` names the ``state``, ``reason`` is why, ``later`` why it
    went no further than relevant.

    ``flags`` are what else is to be known of it.
    """

    state: State
    word: str
    reason: str
    later: str
    flags: tuple[str, ...]

    @property
    def kept(self) -> bool:
        """Return whether it belongs to the articles that are summarised."""
        return self.state in ("relevant", "unreadable")


def article_view(read: ReadArticle) -> ArticleView:
    """Return what the answer, as far as it is, holds of an article."""
    state = next((state for flag, state in _STATES.items() if flag in read.flags), None)
    if state is None:
        judged: dict[bool | None, State] = {
            None: "unreadable",
            True: "relevant",
            False: "irrelevant",
        }
        state = judged[read.relevant] if read.judge else "waiting"
    later = [
        one_line(flag) for flag in read.flags if flag.startswith(("not summarised", "left out"))
    ]
    flags = tuple(one_line(flag) for flag in read.flags if flag not in (*_STATES, "not summarised"))
    return ArticleView(
        state,
        FATES[state],
        one_line(read.reason) if state != "waiting" else "",
        "; ".join(later),
        flags,
    )


def published(article: Article) -> str:
    """Return where and when, in a few words: ``Lancet 2019``."""
    journal = one_line(article.journal_abbreviation or article.journal or "")
    return " ".join(part for part in (journal.rstrip("."), str(article.year or "")) if part)
