"""One sentence's statement on an outcome under two arms: its words of change and its figures, each
with a strength.

Each counts the more the nearer it stands to the outcome's words, less across the end of a clause,
past another word of change and in brackets; its way is turned where the comparator is what went up
or down ("X was higher in the controls than with A"). What is said carries how far its arm is known:
nothing where the sentence says so, "free" where no arm is named, "both" where both arms changed,
"over time" against the start, "of another" against something that is neither arm.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Sequence

from clinfo.lazy_dataclass import dataclass
from clinfo.text.arms import Arm, Arms, tokens
from clinfo.text.change_words import OPPOSITE, breaks, cues
from clinfo.text.contrasts import contrasts
from clinfo.text.lexicon import either
from clinfo.text.polarity import inside
from clinfo.text.regex import anycase, regex
from clinfo.text.terms import StemSet

LONGEST = 2_000
"""Characters of a sentence that are read; no sentence of an abstract is longer, only what is
none.
"""
_MOST_PLACES = 40
_REFERENCE = anycase(
    r"\b(?:than|(?:as\s)?compar\w+\s(?:with|to|against)|in\scomparison\s(?:with|to)|"
    r"comparing\swith|relative\sto|(?:versus|vs)(?=\.?\s[^\W\d])|over(?!\s(?:time|the|an?|\d))|"
    r"unlike|"
    r"but\snot|rather\sthan|against|in\scontrast\s(?:to|with)|as\sopposed\sto)\b"
)
_EXCEPT = anycase(
    r"\b(?:except(?:ing)?|apart\sfrom|other\sthan|with\sthe\sexception\sof|aside\sfrom)\b"
)
_WITHIN = anycase(
    r"\b(?:in|within|with|for|by|under|across)\s(?:both|all|each|either|the\stwo)\b(?!\s(?:time|"
    r"cases|subjects|patients))|"
    r"\b(?:both|all|the\stwo)\s(?:\w+\s){0,2}?(?:groups|arms|treatments|regimens|drugs|"
    r"interventions|diets)\b|\bover\stime\b"
)
_BETWEEN_GROUPS = anycase(
    r"\b(?:between|among|across)\s(?:the\s)?(?:\w+\s){0,2}?(?:groups|arms|treatments|regimens|them|"
    r"interventions)\b"
)
_REFERS_BACK = anycase(
    r"\b(?:this|these|their|the|which|it)\s(?:\w+\s"
    rf"){{0,2}}(?:{either('rising', 'refers_back')}|{either('falling', 'refers_back')}|"
    rf"{either('better', 'refers_back')}|differences?|changes?|trends?)?\s?(?:was|were|is|are|"
    rf"did|do|does)?\s?(?:not|n't)?\s?(?:\w+\s){{0,2}}$|\b(?:fail\w*\sto|did\snot|without)\s"
    r"(?:reach|achiev|attain|obtain)\w*\s(?:\w+\s)?$"
)
_OF = frozenset(("in", "of"))
_FROM = frozenset(("from", "than", "to", "with", "over", "versu", "vs"))
_BRACKETS = regex(r"[(\[{][^()\[\]{}]{0,400}[)\]}]")
_BEFORE = StemSet("baseline before pretreatment preoperative initial pre prior")
_PREPOSITIONS = frozenset(("in", "with", "for", "among", "by", "after", "under", "on", "of"))


def says(
    sentence: str,
    places: Sequence[tuple[int, float]],
    sides: Arms,
    turned: bool,
    least: float = 0.0,
) -> dict[str, float]:
    """Return what the first `LONGEST` characters of a sentence say, by name.

    ``places`` are the numbers of the words that name the outcome, each with its import; ``turned``
    says that the outcome is itself a fall ("reduction in pain"), so that more of what falls is more
    of it; ``least`` is the least nearness of anything.
    """
    text = sentence[:LONGEST]
    words = tokens(text)
    brackets = tuple(match.span() for match in _BRACKETS.finditer(text))
    layout = _Layout(
        words.stems,
        tuple(places[:_MOST_PLACES]),
        tuple(words.at(place) + 1 for place, hard in breaks(text) if hard),
        tuple(words.at(place) + 1 for place, hard in breaks(text) if not hard),
        tuple(sides.named(text)[:_MOST_PLACES]),
        tuple(
            words.at(match.start())
            for match in _REFERENCE.finditer(text)
            if not inside(match.start(), brackets)
        )[:_MOST_PLACES],
        tuple(words.at(match.start()) for match in _EXCEPT.finditer(text)),
        tuple(words.at(match.start()) for match in _WITHIN.finditer(text)),
        tuple(
            words.at(cue.start) for cue in cues(text) if cue.change not in ("significant", "trend")
        ),
    )
    found: dict[str, float] = defaultdict(float)
    nearest: tuple[float, str] = (0.0, "")
    for cue in cues(text):
        at = words.at(cue.start)
        near = max(least, layout.nearness(at))
        if inside(cue.start, brackets):
            near *= 0.35
        if cue.change == "alike" and not sides.against_baseline and layout.at_entry(at):
            near *= 0.2
        if (
            cue.denied
            and layout.all_before(at)
            and (
                _BETWEEN_GROUPS.search(text, cue.start, cue.start + 60)
                or _REFERS_BACK.search(text, max(0, cue.start - 45), cue.start)
            )
        ):
            near = max(near, 0.6)
        if layout.excepted(at):
            found["excepted"] += 1.0
            continue
        if cue.change in ("alike", "significant", "trend"):
            name: str = "denied" if cue.denied else cue.change
        else:
            if layout.is_named(at) and not layout.stems[at].endswith("ed"):
                near *= 0.4
            way, known = layout.side(at)
            change = (
                OPPOSITE[cue.change]
                if (way < 0) != (turned and cue.change in ("up", "down"))
                else cue.change
            )
            name = f"{change}{known}"
        found[name] += near
        if near > nearest[0] and cue.change not in ("significant", "trend"):
            nearest = (near, name)
    if nearest[1]:
        found[f"nearest {nearest[1]}"] = 1.0
    figures = contrasts(text)
    for number, contrast in enumerate(figures):
        at = words.at(contrast.start)
        near = max(least, layout.nearness(at, figures=True))
        if contrast.says in ("significant", "alike"):
            found[f"figures {contrast.says}"] += near
        elif contrast.says in ("up", "down"):
            way, _ = layout.side(at)
            up = (contrast.says == "up") == (way > 0)
            found[f"estimate {'up' if up != turned else 'down'}"] += near
        else:
            way = layout.first_of_pair(at, words.at(contrast.other))
            if way:
                up = (contrast.says == "first higher") == (way > 0)
                later = figures[number + 1].says if number + 1 < len(figures) else ""
                firm = f" {later}" if later in ("significant", "alike") else ""
                found[f"pair {'up' if up != turned else 'down'}{firm}"] += near
    return dict(found)


@dataclass(frozen=True)
class _Layout:
    """The places in a sentence, by number of word, at which the outcome, ends of clauses, arms,
    words of comparison and cues stand.
    """

    stems: tuple[str, ...]
    places: tuple[tuple[int, float], ...]
    ends: tuple[int, ...]
    commas: tuple[int, ...]
    mentions: tuple[tuple[int, Arm], ...]
    markers: tuple[int, ...]
    exceptions: tuple[int, ...]
    within: tuple[int, ...]
    cues: tuple[int, ...]

    def nearness(self, at: int, figures: bool = False) -> float:
        """Return how near a word stands to the outcome: 1 beside it, less with the distance, across
        clauses and other cues.
        """
        best = 0.0
        governs = not _OF.isdisjoint(self.stems[at + 1 : at + 2])
        for place, import_ in self.places:
            low, high = (place, at) if place < at else (at, place)
            value = import_ * math.exp(-(high - low) / (18.0 if figures else 14.0))
            value *= 0.35 ** _within(self.ends, low, high) * 0.88 ** _within(self.commas, low, high)
            if not figures:
                if bisect_left(self.cues, high) > bisect_right(self.cues, low):
                    value *= 0.5
                if governs and place < at:
                    value *= 0.6
            best = max(best, value)
        return best

    def clause(self, at: int) -> tuple[int, int]:
        """The clause of a word: the numbers of words it lies between."""
        number = bisect_right(self.ends, at)
        return (self.ends[number - 1] if number else -1), (
            self.ends[number] if number < len(self.ends) else len(self.stems)
        )

    def at_entry(self, at: int) -> bool:
        """Return whether the clause of a word tells how the arms were before anything was given."""
        low, high = self.clause(at)
        return any(
            word in _BEFORE
            and place > low
            and not _FROM & set(self.stems[max(0, place - 3) : place])
            for place, word in enumerate(
                self.stems[max(0, at - 25) : min(high, at + 25)], max(0, at - 25)
            )
        )

    def excepted(self, at: int) -> bool:
        """Return whether the outcome is excepted from what the word says: "no differences except
        for pain".
        """
        return any(
            at < end and any(place > end and import_ > 0.8 for place, import_ in self.places)
            for end in self.exceptions
        )

    def all_before(self, at: int) -> bool:
        """Return whether the outcome is named, and only before a word."""
        return bool(self.places) and max(self.places)[0] < at

    def is_named(self, at: int) -> bool:
        """Return whether a word is one of the outcome's own."""
        return any(place == at for place, _ in self.places)

    def side(self, at: int) -> tuple[int, str]:
        """The arm whose change a word of change tells: (1, …) the intervention's, (-1, …) the
        comparator's; and how far that is known.

        "" where the sentence says so, " free" where it names no arm, " both" where both changed or
        one over time.
        """
        low, high = self.clause(at)
        if not any(low <= place < high for place, _ in self.mentions):
            low, high = (
                -1,
                len(self.stems),
            )  # "slept longer with A than with B and had less pain": the arms are those told before
        over_time = other = False
        for marker in sorted(self.markers, key=lambda place: abs(place - at)):
            if not low <= marker < high:
                continue
            if not _BEFORE.isdisjoint(self.stems[marker + 1 : marker + 6]):
                over_time = True
                continue
            after = [
                arm
                for place, arm in self.mentions
                if marker <= place <= marker + 9 and place < high
            ]
            referred = after[0] if after else None
            if (
                len(set(after)) == 2
                and marker > at
                and not any(low <= place < marker for place, _ in self.mentions)
            ):
                return 1, " of another"
            if referred is not None:
                return (1 if referred == "comparator" else -1), ""
            other = other or "other" not in self.stems[marker + 1 : marker + 5]
        if any(low <= place < high for place in self.within):
            return 1, " both"
        own = [(abs(place - at), arm) for place, arm in self.mentions if low <= place < high]
        if not own:
            own = [(abs(place - at), arm) for place, arm in self.mentions]
        names = {arm for _, arm in own}
        if not names:
            return 1, " both" if over_time else " free"
        if len(names) == 1:
            return (
                1 if "intervention" in names else -1
            ), " over time" if over_time else " of another" if other else ""
        behind = [
            (place, arm) for place, arm in self.mentions if at < place <= at + 10 and place < high
        ]
        if behind and not _PREPOSITIONS.isdisjoint(
            self.stems[max(at + 1, behind[0][0] - 3) : behind[0][0]]
        ):
            return (1 if behind[0][1] == "intervention" else -1), ""
        return (1 if min(own)[1] == "intervention" else -1), " both"

    def first_of_pair(self, first: int, second: int) -> int:
        """The arm whose value stands first of two: 1 the intervention's, -1 the comparator's, 0 not
        known.
        """
        return _first_of_pair(first, second, self.mentions)


def _within(places: Sequence[int], low: int, high: int) -> int:
    """Return how many of ``places``, which are in order, lie after ``low`` and not after
    ``high``.
    """
    return bisect_right(places, high) - bisect_right(places, low)


def _first_of_pair(first: int, second: int, mentions: Sequence[tuple[int, Arm]]) -> int:
    """The arm whose value stands first: 1 the intervention's, -1 the comparator's, 0 unknown."""
    between = [arm for place, arm in mentions if first < place <= second]
    behind = [arm for place, arm in mentions if second < place <= second + 10]
    if between and behind and between[0] != behind[0]:
        return 1 if between[0] == "intervention" else -1
    order: list[Arm] = []
    for place, arm in mentions:
        if place <= first and (not order or order[-1] != arm):
            order.append(arm)
    if len(order) >= 2:
        return 1 if order[-2] == "intervention" else -1
    if between and not behind and order and order[0] != between[0]:
        return 1 if order[0] == "intervention" else -1
    if len(order) == 1:
        return 1 if order[0] == "intervention" else -1
    after = [arm for place, arm in mentions if place > second]
    if len(set(after)) == 2:
        return 1 if after[0] == "intervention" else -1
    return 0
