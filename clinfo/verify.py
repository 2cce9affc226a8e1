"""Each sentence of a synthesis or TL;DR against its source: the first form of the check.

What is checked: that every bracket number leads to a study; that a sentence cites; that each figure stands in the title or
abstract of a cited article (not merely in a summary of it); that counts of studies and participants, which the chain itself
makes, are those of its record; and that the wording has a like in what is cited. What is not: whether the sentence means what
its source means. A sentence whose wording is like nothing in its sources is partial, and so is one that cites a study which
neither states one of its figures, nor is counted in it, nor is worded like it. A count proves itself and which way its studies
point ("4 of 9 trials support this"); what else is said of them must be found in their articles.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from clinfo.records import Part, Sentence, Span, Study, Verdict
from clinfo.text import tallies
from clinfo.text.citations import citation_marks
from clinfo.text.figures import Figure, find_figures, same, states
from clinfo.text.overclaims import overclaims
from clinfo.text.passages import beginnings, closest, passages, vocabulary
from clinfo.text.sentences import sentence_spans

__all__ = ["CheckedText", "check", "overclaims"]

LEAST_WORDS = 2
LEAST_SHARE = 0.2
"""A claim's wording counts as found where one sentence of the article holds so many, and such a share, of its content words."""
SHARE_COUNTED = 0.5
SHARE_OF_FINDING = 0.75
"""Share of the further words said of studies counted that must stand in their articles: in those of all taken together where
the words name a relation or direction by which they were chosen, else in that of each."""
_STATISTICS = frozenset(("ci", "cri", "hr", "ahr", "aor", "rr", "irr", "smd", "md", "wmd", "sd", "se", "sem", "iqr", "nnt", "auc"))
"""Names of measures, which an article may spell out."""

LONGEST_CLAUSE = 800
"""Characters after a count that are read as what is said of it."""
SUMMED = " (sample sizes as summarised)"
_BARE_COUNT = re.compile(
    r"(?:\s\([^()]*\))?\s(?:of\s(?:them|these|those)\s)?(?:supports?|points?|speaks?|gives?|reports?|found|finds?|show(?:s|ed)?|"
    r"concluded?|reported|favou?r(?:s|ed)?|contradicts?|do(?:es)?|did|bears?|had|were|was|are|is|answers?)\b"
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
    waiting = deque(sorted(removed))
    for start, end in sentence_spans(final):
        gone: list[int] = []
        while waiting and waiting[0][0] <= end:
            gone.append(waiting.popleft()[1])
        here = tuple(dict.fromkeys(gone))
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

    ``of_record`` says that it is a count of the studies retrieved or their participants, which needs no citation; ``note``
    what it was computed with.
    """

    proved: bool
    why: str
    spans: tuple[Span, ...] = ()
    counted: tuple[int, ...] = ()
    of_record: bool = False
    note: str = ""


@dataclass(frozen=True)
class _Part:
    """A part of a sentence: the studies counted in it, those it cites, and what it says beyond that.

    ``words`` are the beginnings of the words that say more than how many studies there are and which way they point;
    ``settled`` says that the count itself answers for them.
    """

    words: frozenset[str]
    counted: tallies.Group
    cites: frozenset[int]
    settled: bool


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
        self.mark_starts = [mark.start for mark in self.marks]
        self.counted: tallies.Group = ()
        self.known_places: dict[tuple[Figure, int], tuple[Span, ...]] = {}
        self.says_studies = any(figure.unit == "studies" for figure in self.figures)
        self.counts = [figure.start for figure in self.figures if self.counts_studies(figure)]

    def sentence(self, lead: str, invented: tuple[int, ...]) -> Sentence:
        verdict, why, spans = self.verdict()
        if invented:
            verbs = "leads to no study and was removed" if len(invented) == 1 else "lead to no study and were removed"
            if not self.cites:
                verdict = "unsupported"
                why = "; ".join(("nothing else is cited", *why.removeprefix("no citation").split("; ", 1)[1:]))
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
        if self.turned(findings):
            return "unsupported", f"the answer is the opposite of what it counts: {why}", spans
        if not all(finding.proved for finding in findings):
            return "unsupported", _joined([finding for finding in findings if not finding.proved]), spans
        parts = self.parts(findings)
        if not self.cites:
            return self.uncited(parts, why, spans)
        told = {span.n for span in spans}
        places = [*spans, *(span for study in self.cited if study.n not in told for span in self.wording(study))]
        lacking = self.lacking(parts, findings)
        if lacking:
            return "partial", "; ".join((why, *lacking, "meaning is not judged")), places
        return "supported", why, places

    def turned(self, findings: Sequence[_Finding]) -> bool:
        """Whether the sentence begins with "Yes" or "No" and first counts the studies that say the opposite."""
        answered = tallies.answer(self.text)
        counted = (figure for figure, finding in zip(self.figures, findings, strict=True) if finding.counted)
        first = next((figure for figure in counted if self.counts_studies(figure)), None)
        if answered is None or first is None:
            return False
        said = tallies.meanings(self.clause(first))
        return answered not in said and ("contradicts" if answered == "supports" else "supports") in said

    def may_go_uncited(self, findings: Sequence[_Finding]) -> bool:
        """A TL;DR need not cite its figures; elsewhere only counts of the record go without."""
        return self.part == "tldr" or all(finding.of_record for finding in findings)

    def uncited(self, parts: Sequence[_Part], why: str, spans: Sequence[Span]) -> tuple[Verdict, str, Sequence[Span]]:
        """The verdict on a sentence without citation whose figures are all proved."""
        words = frozenset[str]().union(*(part.words for part in parts if not part.settled))
        if not words:
            return "supported", why, spans
        if not spans:
            return "uncited", f"no citation; {why}, which says nothing of the rest", spans
        stating = {span.n for span in spans}
        if any(_like(words, study) for study in self.studies if study.n in stating):
            return "supported", why, spans
        return "partial", f"{why}; the wording was not found in {_brackets(sorted(stating))}; meaning is not judged", spans

    def lacking(self, parts: Sequence[_Part], findings: Sequence[_Finding]) -> list[str]:
        """What keeps a sentence whose figures are all proved from being supported, in words."""
        said: list[str] = []
        open_parts = [part for part in parts if part.words and not part.settled]
        for part in open_parts:
            if part.counted:
                citing = [study for study in self.cited if study.n in part.cites] or self.cited
                missing = [study.n for study in citing if not _found(part.words, study)]
                if missing:
                    said.append(f"the count says nothing of the rest, whose wording was not found in {_brackets(missing)}")
        words = frozenset[str]().union(*(part.words for part in open_parts if not part.counted))
        if words and not any(_like(words, study) for study in self.cited):
            said.append(f"the wording was not found in {_brackets(self.cites)}")
        proving = {span.n for finding in findings for span in finding.spans}
        proving |= {study.n for part in parts for study in part.counted if study.n in part.cites}
        proving |= set(self.recorded())
        every = beginnings(self.text) - _STATISTICS
        idle = [study.n for study in self.cited if study.n not in proving and not _like(every, study)]
        if idle and not said:
            said.append(
                f"{_brackets(idle)} {'states' if len(idle) == 1 else 'state'} none of the figures and "
                f"{'its' if len(idle) == 1 else 'their'} wording is not close"
            )
        return said

    def parts(self, findings: Sequence[_Finding]) -> list[_Part]:
        """The clauses that say something of a count from the record, and the rest of the sentence before and between them."""
        found: list[_Part] = []
        rest: list[str] = []
        by_number = {study.n: study for study in self.studies}
        answered = tallies.answer(self.text) is not None
        end = 0
        for figure, finding in zip(self.figures, findings, strict=True):
            if not finding.counted or figure.start < end:
                continue
            group = tuple(by_number[n] for n in finding.counted)
            if not self.counts_studies(figure):
                cites = frozenset(self.cites_between(figure.end, figure.end + len(self.clause(figure))))
                found.append(_Part(frozenset(), group, cites, settled=True))
                continue
            clause = self.clause(figure)
            after = figure.end + len(clause)
            words = tallies.beyond(clause) - _STATISTICS
            chosen = answered or bool(tallies.meanings(clause))
            settled = not words or (chosen and _share(words, group) >= SHARE_COUNTED)
            found.append(_Part(words, group, frozenset(self.cites_between(figure.end, after)), settled))
            rest.append(self.text[end : figure.start])
            end = after
        rest.append(self.text[end:])
        words = frozenset[str]().union(*map(tallies.beyond, rest)) - _STATISTICS
        everyone = tuple(dict.fromkeys(study for part in found for study in part.counted))
        settled = not words or (answered and end > 0 and len(rest) < 3 and _share(words, everyone) >= SHARE_COUNTED)
        return [*found, _Part(words, (), frozenset(), settled)]

    def recorded(self) -> Iterator[int]:
        """The numbers cited in clauses that say only what the record holds of those studies."""
        start = 0
        for clause in self.text.split(";"):
            end = start + len(clause)
            cited = set(self.cites_between(start, end))
            if cited and tallies.recorded(clause, tuple(study for study in self.cited if study.n in cited)):
                yield from cited
            start = end + 1

    def cites_between(self, start: int, end: int) -> Iterator[int]:
        """The numbers cited from ``start`` to ``end``, and in the run of brackets that follows there."""
        for place in range(bisect_left(self.mark_starts, start), len(self.marks)):
            mark = self.marks[place]
            if mark.start > end and self.text[end : mark.start].strip(" ,"):
                return
            end = max(end, mark.end)
            yield from mark.numbers

    def by_wording(self) -> tuple[Verdict, str, Sequence[Span]]:
        """The verdict on a sentence that cites and holds no figure."""
        if tallies.recorded(self.text, self.cited):
            return "supported", f"as recorded of {_brackets(self.cites)}", ()
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
        key = (replace(figure, start=0, end=0), study.n)
        if key not in self.known_places:
            self.known_places[key] = self.found_places(figure, study)
        return self.known_places[key]

    def found_places(self, figure: Figure, study: Study) -> tuple[Span, ...]:
        """`places`, looked up."""
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
        note = "" if self.counts_studies(figure) else SUMMED
        return _Finding(True, f"{written} computed from {_brackets(numbers)}{note}", counted=numbers, of_record=True, note=note)

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
        before, written = self.text[max(0, figure.start - 40) : figure.start], self.text[figure.start : figure.end]
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
        end = min(end, figure.end + LONGEST_CLAUSE)
        semicolon = self.text.find(";", figure.end, end)
        return self.text[figure.end : semicolon if semicolon >= 0 else end]

    def cited_after(self, figure: Figure) -> tallies.Group:
        """The studies cited right after the clause of a figure, as one run of brackets."""
        end = figure.end + len(self.clause(figure))
        run: list[int] = []
        last = None
        for place in range(bisect_left(self.mark_starts, figure.end), len(self.marks)):
            mark = self.marks[place]
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
        return f"computed from {_brackets(every[0].counted)}{max(finding.note for finding in every)}"
    return "; ".join(dict.fromkeys(finding.why for finding in every))


def _like(words: frozenset[str], study: Study) -> bool:
    """Whether one sentence of the study's article holds enough of ``words``; all of them where there are very few."""
    _, shared = closest(words, study.article)
    return shared >= min(LEAST_WORDS, len(words)) and shared >= LEAST_SHARE * len(words)


def _found(words: frozenset[str], study: Study) -> bool:
    """Whether what is said of studies counted is found in this one's article."""
    return _like(words, study) and _share(words, (study,)) >= SHARE_OF_FINDING


def _share(words: frozenset[str], group: tallies.Group) -> float:
    """The share of ``words`` that stand in the articles of the group."""
    known = frozenset[str]().union(*(vocabulary(study.article) for study in group))
    return len(words & known) / len(words)


def _brackets(numbers: Iterable[int]) -> str:
    return ", ".join(f"[{number}]" for number in numbers)
