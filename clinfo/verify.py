"""The judge by rules: each sentence of a synthesis, TL;DR or summary against the articles it cites. No network, no model.

Every bracket number must lead to a study. Every figure must be stated by a cited article of the thing the sentence says it
measures (`clinfo.text.figure_evidence`), or be a count that the chain's own record bears out (`clinfo.text.claim_counts`). What
the sentence says must be found there too, with the same direction and of the same terms (`clinfo.text.claim_meaning`).

Supported: all of it is found. Partial: part of it is. Unsupported: nothing carries it, or a figure or a term is not what the
article has in that place. Contradicted: the cited passage says the opposite. Uncited: it names no source. Where a sentence is
worded freely, a figure or an opposite word that seems out of place is a doubt, which makes it partial: rules misread what stands
in no order they know. They read words, not thoughts: a wrong claim made of the right words can pass, and the reason says what
was looked at.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from clinfo.records import Article, Part, Sentence, Span, Study, Verdict
from clinfo.text import tallies
from clinfo.text.citations import Mark, citation_marks
from clinfo.text.claim_clauses import Clause, clauses
from clinfo.text.claim_consistency import against_itself, significance
from clinfo.text.claim_counts import STATISTICS, Counted, Counts, found_in, like
from clinfo.text.claim_counts import Part as CountedPart
from clinfo.text.claim_meaning import Meaning, meaning, without_frame
from clinfo.text.claim_reasons import brackets, reason
from clinfo.text.claim_universals import unmatched
from clinfo.text.figure_evidence import FigureEvidence, figure_evidence
from clinfo.text.figures import Figure, find_figures, states
from clinfo.text.overclaims import overclaims
from clinfo.text.passages import beginnings, passages
from clinfo.text.sentences import sentence_spans

__all__ = ["CheckedText", "check", "check_sentence", "check_summary", "overclaims"]

SUMMARISED = 0
"""The citation number under which spans of a summary point at its own article."""
COMPUTED, RECORDED = "computed from", "as recorded of"
"""What the reasons say of figures that only count studies, and of words that only repeat which way the run read them."""
MOST_FIGURES = 80
LONGEST = 6000
"""Figures and characters from which a sentence is no sentence, and its figures are not judged one by one."""
NEAR_SHARE = 0.2
"""Share of a claim that a further cited article must hold where another carries it."""
_WORST: tuple[Verdict, ...] = ("contradicted", "unsupported", "partial", "supported")


@dataclass(frozen=True)
class CheckedText:
    """A text's sentences with their verdicts, and the citation numbers that no study has, in order of appearance."""

    sentences: tuple[Sentence, ...]
    invented: tuple[int, ...]

    @property
    def text(self) -> str:
        """The text without the invented numbers."""
        return "".join(sentence.lead + sentence.text for sentence in self.sentences)


def check(text: str, part: Part, studies: Sequence[Study]) -> CheckedText:
    """The sentences of ``text`` with verdict, reason and, where there is one, the place of their support.

    ``studies`` are all that may be cited, under their numbers. A citation number that none of them has is taken out of the
    text, listed in ``invented`` and named in the reason of the sentence that had it.
    """
    known = {study.n for study in studies}
    invented: list[int] = []
    removed: list[tuple[int, int]] = []
    final = text
    while True:  # more than once only where what was taken out stood inside another bracket
        final, taken = _without_invented(final, known)
        if not taken:
            break
        removed += taken
        invented += (number for _, number in taken)
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
    """One sentence, taken as a whole, that cites the studies numbered ``cites`` beside those in its own brackets, if any.

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
        _Claim(finding[start:end], "summary", (study,), (SUMMARISED,)).sentence(finding[previous:start], ())
        for previous, (start, end) in zip(starts, spans, strict=False)
    )


def _without_invented(text: str, known: set[int]) -> tuple[str, list[tuple[int, int]]]:
    """(the text without the bracket numbers that are not ``known``, [(place in that text, number taken out there)])."""
    pieces: list[str] = []
    removed: list[tuple[int, int]] = []
    size = end = 0
    for mark in citation_marks(text):
        kept = [number for number in mark.numbers if number in known]
        if len(kept) == len(mark.numbers):
            continue
        before = text[end : mark.start]
        if not kept and not text[mark.end : mark.end + 1].isalnum():
            before = before.rstrip(" \u00a0\u202f\u2009")
        piece = before + (f"[{', '.join(map(str, kept))}]" if kept else "")
        pieces.append(piece)
        size, end = size + len(piece), mark.end
        removed += [(size, number) for number in mark.numbers if number not in known]
    return "".join([*pieces, text[end:]]), removed


@dataclass(frozen=True)
class _Finding:
    """What became of one figure: the reason in words, where it stands, the studies it counts.

    ``of_record`` says that it is a count of the studies retrieved or their participants, which needs no citation; ``loose`` how a
    figure not proved may be right all the same: "spoken" as a way of speaking, "elsewhere" as one that the article states of
    what looks like something else.
    """

    proved: bool
    why: str
    spans: tuple[Span, ...] = ()
    counted: Counted | None = None
    of_record: bool = False
    loose: Literal["", "spoken", "elsewhere"] = ""


@dataclass(frozen=True)
class _Judged:
    """What one cited study says to one clause."""

    n: int
    clause: Clause
    said: Meaning
    verdict: Verdict
    why: str

    @property
    def spans(self) -> tuple[Span, ...]:
        return tuple(Span(self.n, passage.field, passage.start, passage.end) for passage in self.said.passages)


class _Claim:
    """One sentence under check. ``apart`` are numbers it cites without bracket."""

    def __init__(self, text: str, part: Part, studies: Sequence[Study], apart: Sequence[int] = ()) -> None:
        self.text = text
        self.part = part
        self.studies = tuple(studies)
        by_number = {study.n: study for study in studies}
        self.marks: tuple[Mark, ...] = citation_marks(text) if part != "summary" else ()
        written = (number for mark in self.marks for number in mark.numbers if number in by_number)
        self.cites = tuple(dict.fromkeys((*apart, *written)))
        self.cited = tuple(by_number[number] for number in self.cites)
        self.apart = tuple(apart)
        self.figures = find_figures(text)
        self.known: dict[tuple[str, int, int], Meaning] = {}
        self.counts = Counts(text, () if part == "summary" else studies, self.cited, self.marks, self.figures)
        self.carrying: list[Span] = []
        """Passages that carry the words of a sentence whose figures stand elsewhere in the same article."""

    def sentence(self, lead: str, invented: tuple[int, ...], removed: bool = True) -> Sentence:
        verdict, why, spans = self.verdict()
        of_record = all(COMPUTED in each or each.startswith(RECORDED) for each in why.split("; "))
        counts_only = verdict == "supported" and of_record
        if verdict in ("supported", "partial"):
            verdict, why = self.second_look(verdict, why, spans)
        if verdict == "supported" and not counts_only and (beyond := self.said_of_all(spans)) is not None:
            verdict, why = "partial", "; ".join((beyond, why))
        if invented:
            one = len(invented) == 1
            gone = (" and was removed" if one else " and were removed") if removed else ""
            if not self.cites:
                verdict = "unsupported"
                why = "; ".join(("nothing else is cited", *why.removeprefix("no citation").split("; ", 1)[1:]))
            why = f"{brackets(invented)} {'leads' if one else 'lead'} to no study{gone}; {why}"
        cites = () if self.part == "summary" else self.cites
        shown = tuple(dict.fromkeys((*spans, *self.carrying)))
        return Sentence(self.part, self.text, cites, verdict, why, shown, lead, counts_only=counts_only)

    def second_look(self, verdict: Verdict, why: str, spans: Sequence[Span]) -> tuple[Verdict, str]:
        """A sentence whose own figures belie its words is contradicted; significance that a passage denies makes it partial."""
        if (belied := against_itself(self.text)) is not None:
            return "contradicted", belied
        if "signific" not in self.text.lower():
            return verdict, why
        by_number = {study.n: study.article for study in self.studies}
        told = {
            article.abstract[passage.start : passage.end]
            for span in spans
            if span.field == "abstract" and (article := by_number.get(span.n)) is not None
            for passage in passages(article)
            if passage.field == "abstract" and passage.start <= span.start < passage.end
        }
        doubts = [doubt for text in sorted(told) if (doubt := significance(self.text, text)) is not None]
        if doubts and len(doubts) == len(told):
            return "partial", "; ".join((doubts[0], why))
        return verdict, why

    def said_of_all(self, spans: Sequence[Span]) -> str | None:
        """Why what the sentence says of all or of none is more than its sources say of them; None where it is not."""
        by_number = {study.n: study.article for study in self.studies}
        told = tuple(dict.fromkeys(span.n for span in spans))
        for clause in self.clauses() if self.cites else (Clause(self.text, told),):
            of_one = len(clause.cites) == 1 and not self.counts.counts
            written = unmatched(clause.text, [by_number[n] for n in clause.cites], studies=of_one)
            if written is not None:
                source = "the abstract" if self.part == "summary" else brackets(clause.cites)
                return f"it says “{written}”, which {source} does not say of all"
        return None

    def verdict(self) -> tuple[Verdict, str, Sequence[Span]]:
        findings = [self.finding(figure) for figure in self.figures]
        spans = [span for finding in findings for span in finding.spans]
        why = _joined(findings)
        if not self.cites and (not findings or not self.may_go_uncited(findings)):
            return "uncited", "; ".join(filter(None, ("no citation", why))), spans
        counted = [finding.counted for finding in findings]
        if self.counts.turned(counted):
            return "unsupported", f"the answer is the opposite of what it counts: {why}", spans
        astray = [finding for finding in findings if not finding.proved]
        if any(counted) or not self.cites:
            if astray:
                return "unsupported", _joined(astray), spans
            parts = self.counts.parts(counted)
            return self.counting(parts, findings, why, spans) if self.cites else self.uncited(parts, why, spans)
        if not findings and tallies.recorded(self.text, self.cited):
            return "supported", f"{RECORDED} {brackets(self.cites)}", ()
        if self.part != "summary" and not tallies.beyond(self.text) - STATISTICS and not astray:
            return self.by_record(why, spans)
        return self.by_meaning(findings, astray, why, spans)

    def by_record(self, why: str, spans: list[Span]) -> tuple[Verdict, str, Sequence[Span]]:
        """The verdict on a sentence that says no more than which way the studies it cites point, and figures that are proved."""
        says = tallies.answer(self.text) is not None or bool(tallies.meanings(self.text))
        if (says or not spans) and not tallies.recorded(self.text, self.cited):
            not_borne = f"says only which way {brackets(self.cites)} points, which the record does not bear out"
            return "partial", "; ".join(filter(None, (why, not_borne))), spans
        return "supported", why, spans

    def by_meaning(
        self, findings: Sequence[_Finding], astray: Sequence[_Finding], why: str, spans: list[Span]
    ) -> tuple[Verdict, str, Sequence[Span]]:
        """The verdict on a sentence that cites and counts no studies."""
        proving = Counter(n for finding in findings for n in {span.n for span in finding.spans})
        judged = [each for clause in self.clauses() for each in self.judged(clause, proving)]
        against = [each for each in judged if each.verdict == "contradicted"]
        shown = [span for each in judged if each.verdict != "unsupported" or each.said.swap for span in each.spans]
        told = {span.n for span in spans}
        places = [*spans, *(span for span in shown if span.n not in told or not findings)]
        self.carrying = [span for span in shown if not any(_within(place, span) for place in places)]
        if against:
            self.carrying = []
            return "contradicted", "; ".join(dict.fromkeys(each.why for each in against)), [s for e in against for s in e.spans]
        if any(not self.doubtful(finding, judged) for finding in astray):
            return "unsupported", _joined(astray), spans
        verdicts = {each.verdict for each in judged}
        wrong = list(dict.fromkeys(each.why for each in judged if each.verdict != "supported"))
        if astray and verdicts != {"unsupported"}:
            return "partial", "; ".join(dict.fromkeys((*why.split("; "), *wrong))), places
        if verdicts == {"unsupported"}:
            return "unsupported", "; ".join(filter(None, (why, *wrong))), places
        if wrong:
            return "partial", "; ".join(filter(None, (why, *wrong))), places
        found = f"found in {brackets(dict.fromkeys(each.n for each in judged))}, judged by rules"
        return "supported", why or found, places

    @staticmethod
    def doubtful(finding: _Finding, judged: Sequence[_Judged]) -> bool:
        """Whether a figure that is not proved leaves a doubt only: the words are found, and tell the finding in another way."""
        carried = any(each.said.found in ("found", "in part") for each in judged)
        free = not any(each.said.close for each in judged)
        return carried and (finding.loose == "spoken" or (finding.loose == "elsewhere" and free))

    def clauses(self) -> Sequence[Clause]:
        """What the sentence says, with the studies cited for each part of it."""
        known = set(self.cites)
        return clauses(self.text, self.marks, tuple(n for n in self.cites if n in known), self.apart)

    def judged(self, clause: Clause, proving: Mapping[int, int]) -> list[_Judged]:
        """What each study cited for a clause says to it, the others considered: together they may carry what one alone does not."""
        by_number = {study.n: study for study in self.cited}
        said = {n: self.said(clause.text, by_number[n], proving.get(n, 0)) for n in clause.cites}
        for n, each in said.items():
            if clause.whole not in ("", clause.text) and each.found not in ("found", "opposite"):
                said[n] = self.said(clause.whole, by_number[n], proving.get(n, 0))
        carried = any(each.found == "found" for each in said.values())
        judged = []
        for n, each in said.items():
            verdict, why = reason(each, n, self.part)
            if verdict in ("partial", "unsupported") and carried and each.swap is None:
                near = n in proving or n in set(self.counts.recorded()) or each.share >= NEAR_SHARE
                none = "states none of the figures and its wording is not close" if self.figures else "is not close in wording"
                verdict, why = ("supported", "") if near else ("partial", f"{brackets((n,))} {none}")
            judged.append(_Judged(n, clause, each, verdict, why))
        return judged

    def said(self, text: str, study: Study, proved: int) -> Meaning:
        """What a study says to a text, looked up once."""
        key = (text, study.n, proved)
        if key not in self.known:
            self.known[key] = meaning(text[:LONGEST], study.article, proved)
        return self.known[key]

    def may_go_uncited(self, findings: Sequence[_Finding]) -> bool:
        """A TL;DR need not cite its figures; elsewhere only counts of the record go without."""
        return self.part == "tldr" or all(finding.of_record for finding in findings)

    def uncited(self, parts: Sequence[CountedPart], why: str, spans: Sequence[Span]) -> tuple[Verdict, str, Sequence[Span]]:
        """The verdict on a sentence without citation whose figures are all proved."""
        words = frozenset[str]().union(*(part.words for part in parts if not part.settled))
        if not words:
            return "supported", why, spans
        if not spans:
            return "uncited", f"no citation; {why}, which says nothing of the rest", spans
        stating = {span.n for span in spans}
        said = {study.n: self.said(self.text, study, 1) for study in self.studies if study.n in stating}
        if any(each.found == "found" for each in said.values()):
            return "supported", why, spans
        verdict, reasons = max((reason(each, n, self.part) for n, each in said.items()), key=lambda pair: _WORST.index(pair[0]))
        return verdict if verdict == "contradicted" else "partial", "; ".join(filter(None, (why, reasons))), spans

    def counting(
        self, parts: Sequence[CountedPart], findings: Sequence[_Finding], why: str, spans: list[Span]
    ) -> tuple[Verdict, str, Sequence[Span]]:
        """The verdict on a sentence that cites and counts studies, whose figures are all proved."""
        told = {span.n for span in spans}
        places = [*spans]
        against: list[_Judged] = []
        for part in parts:
            if not part.words or part.settled:
                continue
            for study in self.cited:
                if study.n in part.cites:
                    said = self.said(part.text, study, int(study.n in told))
                    verdict, why_not = reason(said, study.n, self.part)
                    judged = _Judged(study.n, Clause(part.text, (study.n,)), said, verdict, why_not)
                    if verdict == "contradicted":
                        against.append(judged)
                    elif study.n not in told:
                        places += judged.spans
        if against:
            return "contradicted", "; ".join(dict.fromkeys(each.why for each in against)), [s for e in against for s in e.spans]
        lacking = self.lacking(parts, findings)
        if lacking:
            return "partial", "; ".join((why, *lacking)), places
        return "supported", why, places

    def lacking(self, parts: Sequence[CountedPart], findings: Sequence[_Finding]) -> list[str]:
        """What keeps a sentence that counts studies, and whose figures are all proved, from being supported, in words."""
        said: list[str] = []
        open_parts = [part for part in parts if part.words and not part.settled]
        for part in open_parts:
            if part.counted:
                citing = [study for study in self.cited if study.n in part.cites] or self.cited
                missing = [study.n for study in citing if not found_in(part.words, study)]
                if missing:
                    said.append(f"the count says nothing of the rest, whose wording was not found in {brackets(missing)}")
        words = frozenset[str]().union(*(part.words for part in open_parts if not part.counted))
        if words and not any(like(words, study) for study in self.cited):
            said.append(f"the wording was not found in {brackets(self.cites)}")
        proving = {span.n for finding in findings for span in finding.spans}
        proving |= {study.n for part in parts for study in part.counted if study.n in part.cites}
        proving |= set(self.counts.recorded())
        every = beginnings(self.text) - STATISTICS
        idle = [study.n for study in self.cited if study.n not in proving and not like(every, study)]
        if idle and not said:
            said.append(
                f"{brackets(idle)} {'states' if len(idle) == 1 else 'state'} none of the figures and "
                f"{'its' if len(idle) == 1 else 'their'} wording is not close"
            )
        return said

    def finding(self, figure: Figure) -> _Finding:
        written = self.text[figure.start : figure.end]
        if figure.measure and figure.measure not in written:
            written = f"{figure.measure} {written}"
        if len(self.figures) > MOST_FIGURES or len(self.text) > LONGEST:
            return _Finding(False, "the sentence is too long for its figures to be judged")
        about_studies = self.part != "summary" and self.counts.counts_studies(figure)
        if about_studies and not (self.cites and figure.unit == "studies" and "retrieved" not in self.text):
            uncounted = _Finding(False, f"{written} is no count of the studies retrieved", of_record=True)
            return self.tally(figure, written) or uncounted
        if about_studies or (figure.unit == "participants" and not self.cited):
            found = self.tally(figure, written) or self.in_articles(figure, written)
        else:
            found = self.in_articles(figure, written)
            if not found.proved:
                found = self.tally(figure, written) or found
        return found

    def tally(self, figure: Figure, written: str) -> _Finding | None:
        """The figure as a count of studies or participants that the record bears out."""
        counted = self.counts.tally(figure)
        if counted is None:
            return None
        numbers = tuple(study.n for study in counted.studies)
        return _Finding(True, f"{written} {COMPUTED} {brackets(numbers)}{counted.note}", counted=counted, of_record=True)

    def in_articles(self, figure: Figure, written: str) -> _Finding:
        """What the cited articles say of a figure; in a TL;DR without citation, what any says."""
        pool = self.cited if self.cites or self.part != "tldr" else self.studies
        found = {study.n: figure_evidence(figure, self.text, study.article) for study in pool}
        if figure.unit == "participants" and figure.end <= len(self.text) - len(without_frame(self.text)):
            found = {n: self.size_of(figure, n) or each for n, each in found.items()}
        spans = tuple(
            Span(n, each.field, each.start, each.end)
            for n, each in found.items()
            if each.verdict in ("stated", "computed") and each.field is not None and each.start is not None and each.end is not None
        )
        if spans or any(each.verdict in ("stated", "computed") for each in found.values()):
            proving = [n for n, each in found.items() if each.verdict in ("stated", "computed")]
            computed = next((each for each in found.values() if each.verdict == "computed"), None)
            stated = any(each.verdict == "stated" for each in found.values())
            how = f"{written} stands in" if stated or computed is None else f"{computed.why}, in"
            return _Finding(True, f"{how} {brackets(proving)}", spans)
        other = [f"{brackets((n,))}: {each.why}" for n, each in found.items() if each.verdict == "other"]
        if other:
            return _Finding(False, "; ".join(other), loose="elsewhere")
        spoken = any(each.doubt for each in found.values())
        return self.astray(figure, written, "spoken" if spoken else "")

    def size_of(self, figure: Figure, n: int) -> FigureEvidence | None:
        """A sample size told of a study before its finding ("a trial of 140 participants concluded that"): where it is printed."""
        article = next(study.article for study in self.studies if study.n == n)
        stated = states(figure, find_figures(article.abstract))
        return FigureEvidence("stated", stated.start, stated.end, "abstract", "") if stated is not None else None

    def astray(self, figure: Figure, written: str, loose: Literal["", "spoken"] = "") -> _Finding:
        """What to say of a figure that no cited article states: whether another does."""
        if self.part == "summary":
            return _Finding(False, f"{written} is not in the abstract", loose=loose)
        others = [study for study in self.studies if study not in self.cited]
        places = [study.n for study in others if figure_evidence(figure, self.text, study.article).verdict == "stated"]
        if places and not self.cites:
            return _Finding(False, f"{written} stands in {brackets(places)}")
        where = "none of the cited abstracts" if self.cites else "none of the abstracts of the studies retrieved"
        elsewhere = f", but in {brackets(places)}, not cited here" if places else ""
        return _Finding(False, f"{written} stands in {where}{elsewhere}", loose=loose if not places else "")


def _within(one: Span, other: Span) -> bool:
    """Whether a span begins inside another one, or is it."""
    return (one.n, one.field) == (other.n, other.field) and other.start <= one.start < other.end


def _joined(findings: Iterable[_Finding]) -> str:
    """The reasons one after another; a single count says only what it was computed from."""
    every = list(findings)
    groups = {finding.counted.studies for finding in every if finding.counted is not None}
    if every and all(finding.counted is not None for finding in every) and len(groups) == 1:
        note = max(finding.counted.note for finding in every if finding.counted is not None)
        return f"{COMPUTED} {brackets(study.n for study in next(iter(groups)))}{note}"
    return "; ".join(dict.fromkeys(finding.why for finding in every))
