"""The judge by rules: each sentence of a synthesis, TL;DR or summary against the articles it cites.
No network, no model.

Each clause is compared with the closest passages of each article it cites
(`clinfo.claims.wording`). Where it is worded nearly as they are, every difference must be accounted
for: with none that matters it is supported, with one that makes it another claim it is unsupported
or contradicted, and the reason names both wordings. Where it is worded freely the rules cannot
tell: it is not verified, unless it has a number that the article cannot have given, or cites
nothing that was retrieved.

Counts of the studies retrieved, and which way they point, are compared with the run's own record
(`clinfo.claims.counts`). Where the sentence says nothing else they are ``counts_only``, and not
verified, since nobody checked how the run read each study.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from clinfo.claims.cited import CheckedText, without_invented
from clinfo.claims.clauses import Clause, clauses, unlabelled, unmarked
from clinfo.claims.counts import STATISTICS, Counted, Counts
from clinfo.claims.estimates import ESTIMATED, estimate
from clinfo.claims.foreign_subjects import foreign_subjects
from clinfo.claims.wording import (
    MOST_NAMED,
    UNVOUCHED,
    Wording,
    names_all,
    unsaid,
    worded,
    worded_by,
)
from clinfo.lazy_dataclass import dataclass, replace
from clinfo.records.articles import Article, Part, Sentence, Span, Study, Verdict
from clinfo.text import tallies
from clinfo.text.citations import Mark, brackets, citation_marks
from clinfo.text.figures import NumericExpression, find_figures
from clinfo.text.overclaims import overclaims
from clinfo.text.sentences import sentence_spans

__all__ = ["CheckedText", "check", "check_sentence", "check_summary", "overclaims"]

SUMMARISED = 0
"""The citation number under which spans of a summary point at its own article."""
COMPUTED, RECORDED = "computed from", "as recorded of"
"""The beginnings of reasons for numbers that only count studies, and of words that only repeat
which way the run read them.
"""
MOST_FIGURES = 80
"""Figures from which a sentence is not a sentence, and its counts are not looked at."""


def check(text: str, part: Part, studies: Sequence[Study]) -> CheckedText:
    """The sentences of ``text`` with verdict, reason and, where there is one, the place of their
    support.

    ``studies`` are all that may be cited, under their numbers. A citation number that none of them
    has is taken out of the text, listed in ``invented`` and named in the reason of the sentence
    that had it.
    """
    known = {study.n for study in studies}
    final, removed = without_invented(text, known)
    invented = [number for _, number in removed]
    checked: list[Sentence] = []
    previous = 0
    waiting = deque(sorted(removed))
    for start, end in sentence_spans(final):
        gone: list[int] = []
        while waiting and waiting[0][0] <= end:
            gone.append(waiting.popleft()[1])
        claim = _Claim(final[start:end], part, studies)
        checked.append(claim.sentence(final[previous:start], tuple(dict.fromkeys(gone))))
        previous = end
    return CheckedText(tuple(checked), tuple(dict.fromkeys(invented)))


def check_sentence(sentence: str, cites: Sequence[int], studies: Sequence[Study]) -> Sentence:
    """One sentence, taken as a whole, that cites the studies numbered ``cites`` beside those in its
    own brackets, if any.

    Numbers that no study has are named in the reason; the sentence itself stays as it is.
    """
    known = {study.n for study in studies}
    written = [number for mark in citation_marks(sentence) for number in mark.numbers]
    invented = tuple(dict.fromkeys(number for number in (*cites, *written) if number not in known))
    apart = tuple(number for number in dict.fromkeys(cites) if number in known)
    return _Claim(sentence, "synthesis", studies, apart).sentence("", invented, removed=False)


def check_summary(finding: str, article: Article) -> tuple[Sentence, ...]:
    """The sentences of a summary's finding against the one article it is of; they need no citation.

    Spans have `SUMMARISED` (0) as their number.
    """
    study = Study(SUMMARISED, article, None)
    spans = sentence_spans(finding)
    starts = [0, *(end for _, end in spans)]
    return tuple(
        _Claim(finding[start:end], "summary", (study,), (SUMMARISED,)).sentence(
            finding[previous:start], ()
        )
        for previous, (start, end) in zip(starts, spans, strict=False)
    )


@dataclass(frozen=True)
class _Judged:
    """The verdict on a sentence or clause, why, where to look, and whether it is worded nearly as
    its source.
    """

    verdict: Verdict
    reason: str
    spans: tuple[Span, ...] = ()
    near: bool = False
    counts_only: bool = False


class _Claim:
    """One sentence under check. ``apart`` are numbers it cites without bracket."""

    def __init__(
        self, text: str, part: Part, studies: Sequence[Study], apart: Sequence[int] = ()
    ) -> None:
        self.text = text
        self.part = part
        self.studies = tuple(studies)
        by_number = {study.n: study for study in studies}
        self.marks: tuple[Mark, ...] = citation_marks(text) if part != "summary" else ()
        written = (number for mark in self.marks for number in mark.numbers if number in by_number)
        self.cites = tuple(dict.fromkeys((*apart, *written)))
        self.cited = tuple(by_number[number] for number in self.cites)
        self.apart = tuple(apart)
        self.figures = find_figures(text)[:MOST_FIGURES]
        self.reckoned: set[str] = set()
        """The figures, as written, that count studies or participants as the record does."""
        self.counts = Counts(
            text, () if part == "summary" else studies, self.cited, self.marks, self.figures
        )

    def sentence(self, lead: str, invented: tuple[int, ...], removed: bool = True) -> Sentence:
        judged = self.judged()
        if invented:
            one = len(invented) == 1
            gone = (" and was removed" if one else " and were removed") if removed else ""
            if not self.cites:
                rest = judged.reason.removeprefix("no citation").removeprefix("; ")
                judged = _Judged(
                    "unsupported",
                    "; ".join(filter(None, ("nothing else is cited", rest))),
                    judged.spans,
                )
            judged = replace(
                judged,
                reason=(
                    f"{brackets(invented)} {'leads' if one else 'lead'} to no study{gone}; "
                    f"{judged.reason}"
                ),
            )
        cites = () if self.part == "summary" else self.cites
        spans = tuple(dict.fromkeys(judged.spans))
        return Sentence(
            self.part,
            self.text,
            cites,
            judged.verdict,
            judged.reason,
            spans,
            lead,
            counts_only=judged.counts_only,
            near=judged.near,
        )

    def judged(self) -> _Judged:
        if self.part != "summary" and (counted := self.estimating() or self.counting()) is not None:
            return counted
        if self.cites:
            return _together([self.of_clause(clause) for clause in self.clauses()])
        return self.uncited()

    def estimating(self) -> _Judged | None:
        """The verdict on a sentence that gives the program's own estimate or says who bears on the
        question; None for any other.
        """
        said = estimate(unmarked(self.text, self.marks), self.cited, self.studies)
        if (
            said is None
            or (said.counts and not self.cites)
            or not (said.counts or self.part == "tldr")
        ):
            return None
        of = brackets(self.cites) or "the studies retrieved"
        if said.wrong:
            return _Judged("unsupported", f"of {of}: {said.wrong}")
        return _Judged(
            "not_verified", f"{COMPUTED if said.counts else ESTIMATED} {of}", counts_only=True
        )

    def counting(self) -> _Judged | None:
        """The verdict on a sentence that counts the studies retrieved or says which way they point;
        None for any other.
        """
        tallied = [(figure, self.counts.tally(figure)) for figure in self.figures]
        self.reckoned = {
            self.text[figure.start : figure.end] for figure, found in tallied if found is not None
        }
        counts = [
            (figure, found) for figure, found in tallied if self.counts.counts_studies(figure)
        ]
        if not counts and not any(found for _, found in tallied):
            return self.pointing()
        astray = [
            figure for figure, found in counts if found is None and not self.may_be_told(figure)
        ]
        if astray:
            written = ", ".join(self.text[figure.start : figure.end] for figure in astray)
            return _Judged("unsupported", f"{written} is not a count of the studies retrieved")
        found = [each for _, each in tallied]
        if self.counts.turned(found):
            return _Judged(
                "unsupported",
                f"the answer is the opposite of what it counts: {_computed(self.text, tallied)}",
            )
        if not any(found):
            return None
        if all(found) and all(part.settled or not part.words for part in self.counts.parts(found)):
            return _Judged("not_verified", _computed(self.text, tallied), counts_only=True)
        if (
            not counts and self.cites
        ):  # a sum of participants that may as well be the size of one study
            return None
        if not self.cites:
            return _Judged(
                "uncited",
                f"no citation; {_computed(self.text, tallied)}, which says nothing of the rest",
            )
        beyond = [
            self.of_clause(clause)
            for clause in self.clauses()
            if not self.counted_in(clause, counts)
        ]
        rest = _together(beyond) if beyond else _Judged("not_verified", UNVOUCHED)
        if rest.verdict in ("supported", "partial"):
            rest = replace(rest, verdict="partial")
        return replace(rest, reason=f"{_computed(self.text, tallied)}; {rest.reason}")

    def may_be_told(self, figure: NumericExpression) -> bool:
        """Return whether a count of studies may be what a cited article says of those it looked at:
        "the review included 12 trials".
        """
        return bool(self.cites) and figure.unit == "studies" and "retrieved" not in self.text

    def counted_in(
        self, clause: Clause, counts: Sequence[tuple[NumericExpression, Counted | None]]
    ) -> bool:
        return any(
            self.text[figure.start : figure.end] in clause.text
            for figure, found in counts
            if found is not None
        )

    def pointing(self) -> _Judged | None:
        """The verdict on a sentence that says no more of the studies it cites than their design and
        which way they point.
        """
        if not self.cites or self.figures or tallies.beyond(self.text) - STATISTICS:
            return None
        if tallies.recorded(self.text, self.cited):
            return _Judged("not_verified", f"{RECORDED} {brackets(self.cites)}", counts_only=True)
        return _Judged(
            "not_verified",
            (
                f"says only which way {brackets(self.cites)} points, which the record does not "
                "confirm"
            ),
        )

    def clauses(self) -> Sequence[Clause]:
        """Return what the sentence says, with the studies cited for each part of it."""
        if self.part == "summary":
            return (Clause(self.text, self.cites),)
        return clauses(self.text, self.marks, self.cites, self.apart)

    def of_clause(self, clause: Clause) -> _Judged:
        """Return what the studies cited for a clause say to it: each must carry it for it to be
        supported.
        """
        by_number = {study.n: study for study in self.cited}
        said = [self.best(clause, by_number[n]) for n in clause.cites]
        condemned = [each for each in said if each.verdict in ("contradicted", "unsupported")]
        vouched = [each for each in said if each.verdict == "supported"]
        if condemned:
            worst = [each for each in condemned if each.verdict == "contradicted"] or condemned
            return _of(worst[0].verdict, worst, near=True)
        if len(vouched) == len(said):
            return _of("supported", said, near=True)
        near = [each for each in said if each.near]
        if vouched or any(each.verdict == "partial" for each in near):
            return _of(
                "partial",
                [*vouched, *(each for each in said if each not in vouched)],
                near=len(near) == len(said),
            )
        if near:
            return _of("not_verified", near, near=True)
        wrong = (
            frozenset.intersection(*(frozenset(one.written for one in each.wrong) for each in said))
            - self.reckoned
        )
        if wrong:
            against = [
                replace(
                    each,
                    reason=unsaid(
                        [one for one in each.wrong if one.written in wrong], self.name(each.n)
                    ),
                )
                for each in said
            ]
            return _of("unsupported", against)
        return (
            self.elsewhere(clause, said)
            or self.of_another_subject(clause, said)
            or _of("not_verified", said)
        )

    def elsewhere(self, clause: Clause, said: Sequence[Wording]) -> _Judged | None:
        """The verdict on a clause that is worded as another study, which it does not cite, and no
        study cited names all of it.
        """
        reports = {study.group for study in self.cited if study.group}
        for study in self.studies:
            if study.n in self.cites or study.group in reports or not worded_by(clause.text, study):
                continue
            if any(
                names_all(clause.text, one.article) for one in self.cited if one.n in clause.cites
            ):
                return None
            told = replace(worded(clause.text, study, brackets((study.n,))), n=study.n)
            return _Judged(
                "unsupported",
                f"it appears in {brackets((study.n,))}, not in {brackets(clause.cites)}",
                told.spans,
            )
        return None

    def of_another_subject(self, clause: Clause, said: Sequence[Wording]) -> _Judged | None:
        """The verdict on a clause that is about something else than each of the studies cited for
        it.
        """
        foreign = [
            foreign_subjects(clause.text, study.article)
            for study in self.cited
            if study.n in clause.cites
        ]
        if clause.whole not in ("", clause.text) or not foreign or not all(foreign):
            return None
        source = self.name(said[0].n) if len(said) == 1 else brackets(clause.cites)
        gone = [word for word in foreign[0] if all(word in others for others in foreign)][
            :MOST_NAMED
        ]
        told = (
            f": {', '.join(gone)} {'stands' if len(gone) == 1 else 'stand'} nowhere in it"
            if gone
            else ""
        )
        return _Judged("unsupported", f"{source} is about something else{told}")

    def best(self, clause: Clause, study: Study) -> Wording:
        """Return what a study says to a clause, or to the whole sentence where the clause alone
        says little.
        """
        own = worded(unlabelled(clause.text, study.n), study, self.name(study.n))
        if own.verdict == "supported" or clause.whole in ("", clause.text):
            return own
        whole = worded(clause.whole, study, self.name(study.n))
        return whole if whole.near or not own.near else own

    def name(self, n: int) -> str:
        return "the abstract" if self.part == "summary" else brackets((n,))

    def uncited(self) -> _Judged:
        """The verdict on a sentence without citation: a TL;DR may take its words from any study."""
        if self.part != "tldr":
            return _Judged("uncited", "no citation")
        said = [worded(self.text, study, brackets((study.n,))) for study in self.studies]
        vouched = [each for each in said if each.verdict == "supported"]
        if vouched:
            return _of("supported", vouched[:1], near=True)
        wrong = (
            frozenset.intersection(*(frozenset(one.written for one in each.wrong) for each in said))
            if said
            else frozenset()
        )
        if wrong:
            return _Judged(
                "unsupported",
                (
                    f"{', '.join(sorted(wrong))} appears in none of the abstracts of the studies "
                    "retrieved"
                ),
            )
        return _Judged("uncited", "no citation")


def _of(verdict: Verdict, said: Sequence[Wording], near: bool = False) -> _Judged:
    return _Judged(
        verdict,
        "; ".join(dict.fromkeys(each.reason for each in said)),
        tuple(s for each in said for s in each.spans),
        near,
    )


def _together(parts: Sequence[_Judged]) -> _Judged:
    """The verdict on a sentence whose clauses were judged."""
    if len(parts) == 1:
        return parts[0]
    verdicts = {part.verdict for part in parts}
    near = all(part.near for part in parts)
    for verdict in ("contradicted", "unsupported"):
        against = [part for part in parts if part.verdict == verdict]
        if against:
            return _joined(against[0].verdict, against, any(part.near for part in against))
    if verdicts == {"supported"}:
        return _joined("supported", parts, near)
    return _joined(
        "partial" if verdicts & {"supported", "partial"} else "not_verified", parts, near
    )


def _joined(verdict: Verdict, parts: Sequence[_Judged], near: bool) -> _Judged:
    return _Judged(
        verdict,
        "; ".join(dict.fromkeys(part.reason for part in parts)),
        tuple(s for part in parts for s in part.spans),
        near,
    )


def _computed(text: str, found: Sequence[tuple[NumericExpression, Counted | None]]) -> str:
    """The reason of counts that the record bears out; one that is the same for all of them is told
    once.
    """
    every = [(text[figure.start : figure.end], each) for figure, each in found if each is not None]
    groups = {each.studies for _, each in every}
    note = max((each.note for _, each in every), default="")
    if len(groups) == 1:
        return f"{COMPUTED} {brackets(study.n for study in groups.pop())}{note}"
    return "; ".join(
        f"{written} {COMPUTED} {brackets(study.n for study in each.studies)}{each.note}"
        for written, each in every
    )
