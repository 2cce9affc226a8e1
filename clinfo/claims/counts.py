"""Counts in a claim: which studies "4 of 9 trials" stands for, and what the claim says of them
beyond the count.

A count of the studies retrieved, or of their participants, is proved by the chain's own record
(`clinfo.text.tallies`). It proves itself and which way its studies point; what else is said of them
must be found in their articles.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from clinfo.lazy_dataclass import dataclass
from clinfo.records.articles import Study
from clinfo.text import tallies
from clinfo.text.citations import Mark
from clinfo.text.figures import NumericExpression
from clinfo.text.passages import vocabulary
from clinfo.text.regex import anycase, regex

SHARE_COUNTED = 0.5
"""Share of the further words said of studies counted that must stand in their articles: in those of
all taken together where the words name a relation or direction by which they were chosen, else in
that of each."""
STATISTICS = frozenset(
    (
        "ci",
        "cri",
        "hr",
        "ahr",
        "aor",
        "rr",
        "irr",
        "smd",
        "md",
        "wmd",
        "sd",
        "se",
        "sem",
        "iqr",
        "nnt",
        "auc",
    )
)
"""Names of measures, which an article may spell out."""
LONGEST_CLAUSE = 800
"""Characters after a count that are read as what is said of it."""
SUMMED = " (sample sizes as summarised)"
_BARE_COUNT = regex(
    r"(?:\s\([^()]*\))?\s(?:of\s(?:them|these|those)\s)?(?:supports?|points?|speaks?|gives?|"
    r"reports?|found|finds?|show(?:s|ed)?|"
    r"concluded?|reported|favou?r(?:s|ed)?|contradicts?|do(?:es)?|did|bears?|had|were|was|are|is|"
    r"answers?)\b"
)
_OF_ALL_BEFORE = anycase(r"\b(?:of|from|among|in|the)\s(?:the\s|these\s|all\s)*\Z")


@dataclass(frozen=True)
class Counted:
    """The studies that a count stands for, and what it was computed with."""

    studies: tallies.Group
    note: str = ""


@dataclass(frozen=True)
class Part:
    """A part of a sentence: the studies counted in it, those it cites, and what it says beyond
    that.

    ``text`` is the part as written, ``words`` are the beginnings of the words that say more than
    how many studies there are and which way they point; ``settled`` says that the count itself
    answers for them.
    """

    text: str
    words: frozenset[str]
    counted: tallies.Group
    cites: frozenset[int]
    settled: bool


class Counts:
    """The counts of one sentence under check."""

    def __init__(
        self,
        text: str,
        studies: Sequence[Study],
        cited: Sequence[Study],
        marks: Sequence[Mark],
        figures: Sequence[NumericExpression],
    ) -> None:
        self.text = text
        self.studies = tuple(studies)
        self.cited = tuple(cited)
        self.cites = tuple(study.n for study in cited)
        self.marks = tuple(marks)
        self.figures = tuple(figures)
        self.mark_starts = [mark.start for mark in marks]
        self.counted: tallies.Group = ()
        self.says_studies = any(figure.unit == "studies" for figure in figures)
        self.counts = [figure.start for figure in figures if self.counts_studies(figure)]

    def turned(self, found: Sequence[Counted | None]) -> bool:
        """Return whether the sentence begins with "Yes" or "No" and first counts the studies that
        say the opposite.
        """
        answered = tallies.answer(self.text)
        counted = (
            figure for figure, each in zip(self.figures, found, strict=True) if each is not None
        )
        first = next((figure for figure in counted if self.counts_studies(figure)), None)
        if answered is None or first is None:
            return False
        said = tallies.meanings(self.clause(first))
        return (
            answered not in said
            and ("contradicts" if answered == "supports" else "supports") in said
        )

    def parts(self, found: Sequence[Counted | None]) -> list[Part]:
        """The clauses that say something of a count from the record, and last the rest of the
        sentence before and between them.
        """
        parts: list[Part] = []
        rest: list[str] = []
        answered = tallies.answer(self.text) is not None
        end = 0
        for figure, counted in zip(self.figures, found, strict=True):
            if counted is None or figure.start < end:
                continue
            clause = self.clause(figure)
            after = figure.end + len(clause)
            cites = frozenset(self.cites_between(figure.end, after))
            if not self.counts_studies(figure):
                parts.append(Part("", frozenset(), counted.studies, cites, settled=True))
                continue
            words = tallies.beyond(clause) - STATISTICS
            chosen = answered or bool(tallies.meanings(clause))
            settled = not words or (chosen and share_of(words, counted.studies) >= SHARE_COUNTED)
            parts.append(Part(clause, words, counted.studies, cites, settled))
            rest.append(self.text[end : figure.start])
            end = after
        rest.append(self.text[end:])
        words = frozenset[str]().union(*map(tallies.beyond, rest)) - STATISTICS
        everyone = tuple(dict.fromkeys(study for part in parts for study in part.counted))
        settled = not words or (
            answered and end > 0 and len(rest) < 3 and share_of(words, everyone) >= SHARE_COUNTED
        )
        cites = frozenset(self.cites_between(end, len(self.text)))
        return [*parts, Part(rest[-1], words, (), cites, settled)]

    def cites_between(self, start: int, end: int) -> Iterator[int]:
        """The numbers cited from ``start`` to ``end``, and in the run of brackets that follows
        there.
        """
        for place in range(bisect_left(self.mark_starts, start), len(self.marks)):
            mark = self.marks[place]
            if mark.start > end and self.text[end : mark.start].strip(" ,"):
                return
            end = max(end, mark.end)
            yield from mark.numbers

    def counts_studies(self, figure: NumericExpression) -> bool:
        """Return whether the figure counts studies: by its noun, or a bare number in a sentence
        that counts them.
        """
        if figure.unit == "studies":
            return True
        if figure.kind not in ("number", "proportion") or figure.unit is not None:
            return False
        return self.says_studies and _BARE_COUNT.match(self.text, figure.end) is not None

    def tally(self, figure: NumericExpression) -> Counted | None:
        """The figure as a count of studies or participants that the record bears out."""
        if self.counts_studies(figure):
            counted = self.studies_counted(figure)
            return Counted(counted) if counted is not None else None
        if figure.unit == "participants" and figure.kind in ("count", "sample size"):
            sized = self.participants_counted(figure)
            return Counted(sized, SUMMED) if sized is not None else None
        return None

    def studies_counted(self, figure: NumericExpression) -> tallies.Group | None:
        """The studies that a count stands for: the part of "4 of 9 studies", all of "9 studies"."""
        noun = self.text[figure.start : figure.end + 80]
        candidates = tallies.named_by_noun(noun, self.studies)
        wanted = figure.values[0]
        for group in self.groups(figure, candidates):
            if len(group) == wanted and (
                figure.kind != "proportion" or self.whole(figure, group, candidates)
            ):
                self.counted = group
                return group
        return None

    def whole(
        self, figure: NumericExpression, part: tallies.Group, candidates: tallies.Group
    ) -> bool:
        """Return whether the second number of "4 of 9" is that of a group that holds the first."""
        answering = tuple(study for study in candidates if tallies.fits(study, ("answers",)))
        return any(
            len(group) == figure.values[1] and set(part) <= set(group)
            for group in (candidates, answering)
        )

    def participants_counted(self, figure: NumericExpression) -> tallies.Group | None:
        """The studies whose sample sizes add up to the figure: first those just counted in the
        sentence.

        The size of one study is no sum, and must stand in its article unless the sentence has just
        counted that study.
        """
        sums = [
            group
            for group in (self.cited_after(figure), *self.groups(figure, self.studies))
            if len(group) > 1
        ]
        for group in (self.counted, *sums):
            total, sized = tallies.participants(group)
            if sized and total == figure.values[0]:
                return sized
        return None

    def groups(
        self, figure: NumericExpression, candidates: tallies.Group
    ) -> Iterator[tallies.Group]:
        """The groups of studies that the sentence may be counting, the likelier first."""
        clause = self.clause(figure)
        before, written = (
            self.text[max(0, figure.start - 40) : figure.start],
            self.text[figure.start : figure.end],
        )
        if figure.kind == "count" and _OF_ALL_BEFORE.search(before) and (
            "retrieved" in written or clause.lstrip().startswith("retrieved")
        ):  # fmt: skip
            yield candidates
            return
        said = tallies.meanings(clause)
        cited = self.cited_after(figure)
        if (
            cited
            and set(cited) <= set(candidates)
            and all(tallies.fits(study, said) for study in cited)
        ):
            yield cited
        yield from tallies.groups(clause, self.text, candidates)

    def clause(self, figure: NumericExpression) -> str:
        """Return what the sentence says of a count: its words up to the next count of studies or
        the end of the clause.
        """
        following = bisect_left(self.counts, figure.end)
        end = self.counts[following] if following < len(self.counts) else len(self.text)
        end = min(end, figure.end + LONGEST_CLAUSE)
        semicolon = self.text.find(";", figure.end, end)
        return self.text[figure.end : semicolon if semicolon >= 0 else end]

    def cited_after(self, figure: NumericExpression) -> tallies.Group:
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


def share_of(words: frozenset[str], group: Sequence[Study]) -> float:
    """The share of ``words`` that stand in the articles of the group."""
    known = frozenset[str]().union(*(vocabulary(study.article) for study in group))
    return len(words & known) / len(words)
