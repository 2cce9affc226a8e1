"""Each sentence of a synthesis or TL;DR against its source: the first form of the check.

What is checked: that every bracket number leads to a study; that a sentence cites; that each figure stands in the title or
abstract of a cited article (not merely in a summary of it); and that counts of studies and participants, which the chain
itself makes, are those of its record. What is not: whether the sentence means what its source means. A sentence without
figures is held against the closest wording of its source, and called partial where there is none.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from clinfo.records import Part, Sentence, Span, Study, Verdict
from clinfo.text import tallies
from clinfo.text.citations import citation_marks
from clinfo.text.figures import Figure, find_figures, same, states
from clinfo.text.overclaims import overclaims
from clinfo.text.passages import beginnings, closest, passages
from clinfo.text.sentences import sentence_spans

__all__ = ["CheckedText", "check", "overclaims"]

LEAST_WORDS = 2
LEAST_SHARE = 0.2
"""A claim's wording counts as found where one sentence of the article holds so many, and such a share, of its content words."""

_BARE_COUNT = re.compile(
    r"(?:\s\([^()]*\))?\s(?:of\s(?:them|these|those)\s)?(?:supports?|points?|speaks?|gives?|reports?|found|finds?|show(?:s|ed)?|"
    r"concluded?|favou?r(?:s|ed)?|contradicts?|do(?:es)?|did|bears?|had|were|was|are|is|answers?)\b"
)
_OF_ALL_BEFORE = re.compile(r"\b(?:of|from|among|in|the)\s(?:the\s|these\s|all\s)*\Z", re.IGNORECASE)


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
    for start, end in sentence_spans(final):
        here = tuple(dict.fromkeys(number for place, number in removed if previous <= place <= end))
        removed = [(place, number) for place, number in removed if place > end]
        checked.append(_Claim(final[start:end], part, studies).sentence(final[previous:start], here))
        previous = end
    return CheckedText(tuple(checked), tuple(dict.fromkeys(invented)))


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

    ``of_record`` says that it is a count of the studies retrieved or their participants, which needs no citation.
    """

    proved: bool
    why: str
    spans: tuple[Span, ...] = ()
    counted: tuple[int, ...] = ()
    of_record: bool = False


class _Claim:
    """One sentence under check."""

    def __init__(self, text: str, part: Part, studies: Sequence[Study]) -> None:
        self.text = text
        self.part = part
        self.studies = tuple(studies)
        by_number = {study.n: study for study in studies}
        self.marks = citation_marks(text)
        self.cites = tuple(dict.fromkeys(number for mark in self.marks for number in mark.numbers if number in by_number))
        self.cited = tuple(by_number[number] for number in self.cites)
        self.figures = find_figures(text)
        self.words = beginnings(text)
        self.counted: tallies.Group = ()
        self.says_studies = any(figure.unit == "studies" for figure in self.figures)
        self.counts = [figure.start for figure in self.figures if self.counts_studies(figure)]

    def sentence(self, lead: str, invented: tuple[int, ...]) -> Sentence:
        verdict, why, spans = self.verdict()
        if invented:
            verbs = "leads to no study and was removed" if len(invented) == 1 else "lead to no study and were removed"
            why = f"{_brackets(invented)} {verbs}; {why}"
        return Sentence(self.part, self.text, self.cites, verdict, why, tuple(dict.fromkeys(spans)), lead)

    def verdict(self) -> tuple[Verdict, str, Sequence[Span]]:
        findings = [self.finding(figure) for figure in self.figures]
        spans = [span for finding in findings for span in finding.spans]
        why = _joined(findings)
        if not self.cites and (not findings or not self.may_go_uncited(findings)):
            return "uncited", "; ".join(filter(None, ("no citation", why))), spans
        if not findings:
            return self.by_wording()
        if not all(finding.proved for finding in findings):
            return "unsupported", _joined([finding for finding in findings if not finding.proved]), spans
        told = {span.n for span in spans}
        return "supported", why, [*spans, *(span for study in self.cited if study.n not in told for span in self.wording(study))]

    def may_go_uncited(self, findings: Sequence[_Finding]) -> bool:
        """A TL;DR need not cite its figures; elsewhere only counts of the record go without."""
        return self.part == "tldr" or all(finding.of_record for finding in findings)

    def by_wording(self) -> tuple[Verdict, str, Sequence[Span]]:
        """The verdict on a sentence that cites and holds no figure."""
        spans = {study.n: self.wording(study) for study in self.cited}
        missing = [n for n, found in spans.items() if not found]
        places = [span for found in spans.values() for span in found]
        if missing:
            return "partial", f"the wording was not found in {_brackets(missing)}; meaning is not judged", places
        return "supported", f"closest wording in {_brackets(spans)}; meaning is not judged", places

    def wording(self, study: Study) -> tuple[Span, ...]:
        """The place of the study's article closest in wording, if any is close."""
        passage, shared = closest(self.words, study.article)
        if passage is None or shared < LEAST_WORDS or shared < LEAST_SHARE * len(self.words):
            return ()
        return (Span(study.n, passage.field, passage.start, passage.end),)

    def finding(self, figure: Figure) -> _Finding:
        written = self.text[figure.start : figure.end]
        if figure.measure and figure.measure not in written:
            written = f"{figure.measure} {written}"
        about_studies = self.counts_studies(figure)
        if about_studies and not (self.cites and figure.unit == "studies" and "retrieved" not in self.text):
            uncounted = _Finding(False, f"{written} is no count of the studies retrieved", of_record=True)
            return self.tally(figure, written) or uncounted
        if about_studies or (figure.unit == "participants" and not self.cited):
            found = self.tally(figure, written) or self.in_articles(figure, written)
        else:
            found = self.in_articles(figure, written) or self.tally(figure, written)
        return found or self.astray(figure, written)

    def astray(self, figure: Figure, written: str) -> _Finding:
        """What to say of a figure that stands in no cited article: whether it does in another."""
        places = [study.n for study in self.studies if study not in self.cited and self.places(figure, study)]
        if places and not self.cites:
            return _Finding(False, f"{written} stands in {_brackets(places)}")
        where = "none of the cited abstracts" if self.cites else "none of the abstracts of the studies retrieved"
        elsewhere = f", but in {_brackets(places)}, not cited here" if places else ""
        return _Finding(False, f"{written} stands in {where}{elsewhere}")

    def in_articles(self, figure: Figure, written: str) -> _Finding | None:
        """The figure in the cited articles; in a TL;DR without citation in any."""
        pool = self.cited if self.cites or self.part == "synthesis" else self.studies
        spans = [span for study in pool for span in self.places(figure, study)]
        if not spans:
            return None
        return _Finding(True, f"{written} stands in {_brackets(dict.fromkeys(span.n for span in spans))}", tuple(spans))

    def places(self, figure: Figure, study: Study) -> tuple[Span, ...]:
        """Where the study's article states the figure: of several places, the one whose sentence is closest in wording."""
        article = study.article
        found: list[tuple[int, Span]] = []
        for passage_field, text in (("title", article.title), ("abstract", article.abstract)):
            known = find_figures(text)
            stated = [other for other in known if same(figure, other)] or [other for other in (states(figure, known),) if other]
            for other in stated:
                around = (passage for passage in passages(article) if passage.field == passage_field)
                words = next((len(self.words & p.words) for p in around if p.start <= other.start < p.end), 0)
                span = Span(study.n, "title" if passage_field == "title" else "abstract", other.start, other.end)
                found.append((words, span))
        return (max(found, key=lambda place: place[0])[1],) if found else ()

    def counts_studies(self, figure: Figure) -> bool:
        """Whether the figure counts studies: by its noun, or a bare number in a sentence that counts them."""
        if figure.unit == "studies":
            return True
        if figure.kind not in ("number", "proportion") or figure.unit is not None:
            return False
        return self.says_studies and _BARE_COUNT.match(self.text, figure.end) is not None

    def tally(self, figure: Figure, written: str) -> _Finding | None:
        """The figure as a count of studies or participants that the record bears out."""
        if self.counts_studies(figure):
            counted = self.studies_counted(figure)
        elif figure.unit == "participants" and figure.kind in ("count", "sample size"):
            counted = self.participants_counted(figure)
        else:
            return None
        if counted is None:
            return None
        numbers = tuple(study.n for study in counted)
        return _Finding(True, f"{written} computed from {_brackets(numbers)}", counted=numbers, of_record=True)

    def studies_counted(self, figure: Figure) -> tallies.Group | None:
        """The studies that a count stands for: the part of "4 of 9 studies", all of "9 studies"."""
        noun = self.text[figure.start : figure.end + 80]
        candidates = tallies.named_by_noun(noun, self.studies)
        wanted = figure.values[0]
        for group in self.groups(figure, candidates):
            if len(group) == wanted and (figure.kind != "proportion" or self.whole(figure, group, candidates)):
                self.counted = group
                return group
        return None

    def whole(self, figure: Figure, part: tallies.Group, candidates: tallies.Group) -> bool:
        """Whether the second number of "4 of 9" is that of a group that holds the first."""
        answering = tuple(study for study in candidates if tallies.fits(study, ("answers",)))
        return any(len(group) == figure.values[1] and set(part) <= set(group) for group in (candidates, answering))

    def participants_counted(self, figure: Figure) -> tallies.Group | None:
        """The studies whose sample sizes add up to the figure: first those just counted in the sentence.

        The size of one study is no sum, and must stand in its article unless the sentence has just counted that study.
        """
        sums = [group for group in (self.cited_after(figure), *self.groups(figure, self.studies)) if len(group) > 1]
        for group in (self.counted, *sums):
            total, sized = tallies.participants(group)
            if sized and total == figure.values[0]:
                return sized
        return None

    def groups(self, figure: Figure, candidates: tallies.Group) -> Iterator[tallies.Group]:
        """The groups of studies that the sentence may be counting, the likelier first."""
        clause = self.clause(figure)
        before, written = self.text[: figure.start], self.text[figure.start : figure.end]
        if figure.kind == "count" and _OF_ALL_BEFORE.search(before) and (
            "retrieved" in written or clause.lstrip().startswith("retrieved")
        ):  # fmt: skip
            yield candidates
            return
        said = tallies.meanings(clause)
        cited = self.cited_after(figure)
        if cited and set(cited) <= set(candidates) and all(tallies.fits(study, said) for study in cited):
            yield cited
        yield from tallies.groups(clause, self.text, candidates)

    def clause(self, figure: Figure) -> str:
        """What the sentence says of a count: its words up to the next count of studies or the end of the clause."""
        following = bisect_left(self.counts, figure.end)
        end = self.counts[following] if following < len(self.counts) else len(self.text)
        semicolon = self.text.find(";", figure.end, end)
        return self.text[figure.end : semicolon if semicolon >= 0 else end]

    def cited_after(self, figure: Figure) -> tallies.Group:
        """The studies cited right after the clause of a figure, as one run of brackets."""
        end = figure.end + len(self.clause(figure))
        run: list[int] = []
        last = None
        for mark in self.marks:
            if mark.start < figure.end:
                continue
            if last is None and mark.start > end:
                break
            if last is not None and self.text[last : mark.start].strip(" ,"):
                break
            run += mark.numbers
            last = mark.end
        return tuple(study for study in self.studies if study.n in run)


def _joined(findings: Iterable[_Finding]) -> str:
    """The reasons one after another; a single count says only what it was computed from."""
    every = list(findings)
    if every and all(finding.counted for finding in every) and len({finding.counted for finding in every}) == 1:
        return f"computed from {_brackets(every[0].counted)}"
    return "; ".join(dict.fromkeys(finding.why for finding in every))


def _brackets(numbers: Iterable[int]) -> str:
    return ", ".join(f"[{number}]" for number in numbers)
