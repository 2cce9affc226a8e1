"""What an abstract says of one outcome under two arms, sentence by sentence, as named features.

Every sentence of results, conclusion and title is weighed by how much of the outcome it names. In it each word of change and
each contrast of figures counts the more the nearer it stands to the outcome's words, less across the end of a clause, and its
way is turned where the comparator is what went up or down ("X was higher in the controls than with A").
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from clinfo.records import Article, Section
from clinfo.text.abstracts import AbstractSentence, abstract_sentences
from clinfo.text.arms import Arm, Arms, arms, tokens
from clinfo.text.change_words import Change, breaks, cues
from clinfo.text.contrasts import contrasts
from clinfo.text.outcome_names import OutcomeName
from clinfo.text.polarity import inside
from clinfo.text.terms import acronyms, stem

Where = Literal["title", "results", "conclusion"]
_LABELLED = re.compile(r"(?P<label>[A-Z][^\n:a-z]{1,80}|[A-Z][A-Za-z ,&/()-]{2,60}): ?")


@dataclass(frozen=True)
class Statement:
    """A sentence that may tell of the outcome: code points [start, end) of title or abstract.

    ``named`` is how much of the outcome it names, 0 to 1; ``says`` what its words and figures say, each with its strength.
    """

    text: str
    field: Literal["title", "abstract"]
    start: int
    end: int
    where: Where
    named: float
    says: Mapping[str, float]
    general: Mapping[str, float]


@dataclass(frozen=True)
class Comparison:
    """A prompt against an article: its statements in the order of the text, and the features they make."""

    statements: tuple[Statement, ...]
    best: Statement | None
    features: Mapping[str, float]


def read(intervention: str, comparator: str, outcome: str, title: str, abstract: str) -> Comparison:
    """What title and abstract say of ``outcome`` with ``intervention`` against ``comparator``."""
    text = f"{title}\n{abstract}"
    expansions = acronyms(text)
    sides = arms(intervention, comparator, text, expansions)
    wanted = OutcomeName(outcome, [sentence.text for sentence in _sentences(title, abstract)], expansions, sides)
    found: list[Statement] = []
    if title.strip():
        found.append(_statement(title, "title", 0, "title", wanted, sides))
    for sentence in _sentences(title, abstract):
        if sentence.role in ("results", "conclusion"):
            found.append(_statement(sentence.text, "abstract", sentence.start, sentence.role, wanted, sides))
    best = max(found, key=lambda item: _rank(item), default=None)
    return Comparison(tuple(found), best, _features(found, best, outcome, comparator, wanted.absent))


def parts(abstract: str) -> tuple[Section, ...]:
    """The sections of a canonical abstract, a line each; joined again they give it back unchanged."""
    found = []
    for line in abstract.split("\n"):
        label = _LABELLED.match(line)
        if label is not None and line[label.end() - 1] == " ":
            found.append(Section(line[label.end() :], label["label"]))
        else:
            found.append(Section(line))
    return tuple(found)


@lru_cache(maxsize=64)
def _sentences(title: str, abstract: str) -> tuple[AbstractSentence, ...]:
    return abstract_sentences(Article(id="", title=title, sections=parts(abstract)))


def _statement(
    text: str, field: Literal["title", "abstract"], start: int, where: Where, wanted: OutcomeName, sides: Arms
) -> Statement:
    named, places = wanted.named(text)
    says = _says(text, places, sides, wanted.is_fall)
    if _AT_ENTRY.search(text) and not sides.against_baseline:
        named *= 0.3
    general = {name: value for name, value in _says(text, [], sides, False, 1.0).items() if not name.startswith("nearest")}
    return Statement(text, field, start, start + len(text), where, named, says, general)


def _says(text: str, places: Sequence[tuple[int, float]], sides: Arms, turned: bool, least: float = 0.0) -> dict[str, float]:
    """What words and figures of a sentence say of the outcome, whose words stand at ``places``."""
    words = tokens(text)
    brackets = tuple(match.span() for match in _BRACKETS.finditer(text))
    layout = _Layout(
        words.stems,
        tuple(places),
        tuple((words.at(place), hard) for place, hard in breaks(text)),
        tuple(sides.named(text)),
        tuple(words.at(match.start()) for match in _REFERENCE.finditer(text) if not inside(match.start(), brackets)),
        tuple(words.at(match.start()) for match in _EXCEPT.finditer(text)),
        tuple(words.at(match.start()) for match in _WITHIN.finditer(text)),
        tuple(words.at(cue.start) for cue in cues(text) if cue.change not in ("significant", "trend")),
    )
    says: dict[str, float] = defaultdict(float)
    nearest: tuple[float, str] = (0.0, "")
    for cue in cues(text):
        at = words.at(cue.start)
        near = max(least, layout.nearness(at))
        if inside(cue.start, brackets):
            near *= 0.35
        if cue.change == "alike" and not sides.against_baseline and layout.at_entry(at):
            near *= 0.2
        if cue.denied and _BETWEEN_GROUPS.search(text, cue.start, cue.start + 60):
            near = max(near, 0.6 if places else 0.0)
        if layout.excepted(at):
            says["excepted"] += 1.0
            continue
        if cue.change in ("alike", "significant", "trend"):
            name = "denied" if cue.denied else cue.change
        else:
            if layout.is_named(at) and not layout.stems[at].endswith("ed"):
                near *= 0.4
            way, known = layout.side(at)
            change = _TURNED[cue.change] if (way < 0) != (turned and cue.change in ("up", "down")) else cue.change
            name = f"{change}{known}"
        says[name] += near
        if near > nearest[0] and cue.change not in ("significant", "trend"):
            nearest = (near, name)
    if nearest[1]:
        says[f"nearest {nearest[1]}"] = 1.0
    figures = contrasts(text)
    for number, contrast in enumerate(figures):
        at = words.at(contrast.start)
        near = max(least, layout.nearness(at, figures=True))
        if contrast.says in ("significant", "alike"):
            says[f"figures {contrast.says}"] += near
        elif contrast.says in ("up", "down"):
            way, _ = layout.side(at)
            up = (contrast.says == "up") == (way > 0)
            says[f"estimate {'up' if up != turned else 'down'}"] += near
        else:
            way = layout.first_of_pair(at, words.at(contrast.other))
            if way:
                up = (contrast.says == "first higher") == (way > 0)
                later = figures[number + 1].says if number + 1 < len(figures) else ""
                firm = f" {later}" if later in ("significant", "alike") else ""
                says[f"pair {'up' if up != turned else 'down'}{firm}"] += near
    return dict(says)


@dataclass(frozen=True)
class _Layout:
    """Where in a sentence, by number of word, the outcome, ends of clauses, arms, words of comparison and cues stand."""

    stems: tuple[str, ...]
    places: tuple[tuple[int, float], ...]
    ends: tuple[tuple[int, bool], ...]
    mentions: tuple[tuple[int, Arm], ...]
    markers: tuple[int, ...]
    exceptions: tuple[int, ...]
    within: tuple[int, ...]
    cues: tuple[int, ...]

    def nearness(self, at: int, figures: bool = False) -> float:
        """How near a word stands to the outcome: 1 beside it, less with the distance, across clauses and other cues."""
        best = 0.0
        governs = not _OF.isdisjoint(self.stems[at + 1 : at + 2])
        for place, import_ in self.places:
            low, high = (place, at) if place < at else (at, place)
            value = import_ * math.exp(-(high - low) / (18.0 if figures else 14.0))
            for end, hard in self.ends:
                if low < end <= high:
                    value *= 0.35 if hard else 0.88
            if not figures:
                if any(low < other < high for other in self.cues):
                    value *= 0.5
                if governs and place < at:
                    value *= 0.6
            best = max(best, value)
        return best

    def at_entry(self, at: int) -> bool:
        """Whether the clause of a word tells how the arms were before anything was given."""
        low = max((end for end, hard in self.ends if hard and end <= at), default=-1)
        high = min((end for end, hard in self.ends if hard and end > at), default=10**6)
        return any(
            word in _BEFORE and place > low and not _FROM & set(self.stems[max(0, place - 3) : place])
            for place, word in enumerate(self.stems[: min(high, at + 25)])
        )

    def excepted(self, at: int) -> bool:
        """Whether the outcome is excepted from what the word says: "no differences except for pain"."""
        places = [place for place, _ in self.places]
        return any(at < end and 2 * sum(place > end for place in places) > len(places) for end in self.exceptions)

    def is_named(self, at: int) -> bool:
        """Whether a word is one of the outcome's own."""
        return any(place == at for place, _ in self.places)

    def side(self, at: int) -> tuple[int, str]:
        """Whose change a word of change tells: (1, …) the intervention's, (-1, …) the comparator's; and how far that is known.

        "" where the sentence says so, " free" where it names no arm, " both" where both changed or one over time.
        """
        low = max((end for end, hard in self.ends if hard and end <= at), default=-1)
        high = min((end for end, hard in self.ends if hard and end > at), default=10**6)
        over_time = other = False
        for marker in sorted(self.markers, key=lambda place: abs(place - at)):
            if not low <= marker < high:
                continue
            if not _BEFORE.isdisjoint(self.stems[marker + 1 : marker + 6]):
                over_time = True
                continue
            referred = next((arm for place, arm in self.mentions if marker <= place <= marker + 9), None)
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
            return (1 if "intervention" in names else -1), " over time" if over_time else " of another" if other else ""
        behind = [(place, arm) for place, arm in self.mentions if at < place <= at + 10 and place < high]
        if behind and not _PREPOSITIONS.isdisjoint(self.stems[max(at + 1, behind[0][0] - 3) : behind[0][0]]):
            return (1 if behind[0][1] == "intervention" else -1), ""
        return (1 if min(own)[1] == "intervention" else -1), " both"

    def first_of_pair(self, first: int, second: int) -> int:
        """Whose value stands first of two: 1 the intervention's, -1 the comparator's, 0 not known."""
        return _first_of_pair(first, second, self.mentions)


def _first_of_pair(first: int, second: int, mentions: Sequence[tuple[int, Arm]]) -> int:
    """Whose value stands first of two: 1 the intervention's, -1 the comparator's, 0 not known."""
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


def _rank(item: Statement) -> float:
    """How well a statement serves as the one that carries the direction."""
    told = sum(item.says.values())
    bonus = {"results": 0.12, "conclusion": 0.05, "title": 0.0}[item.where]
    return item.named + bonus + 0.15 * math.tanh(told)


def _features(
    found: Sequence[Statement], best: Statement | None, outcome: str, comparator: str, absent: float
) -> dict[str, float]:
    valence = "unwanted" if _UNWANTED.search(outcome) else "wanted" if _WANTED.search(outcome) else "plain"
    own: dict[str, float] = {f"outcome {valence}": 1.0}
    if _HARM.search(outcome):
        own["outcome adverse"] = 1.0
    if re.search(r"\b(?:placebo|sham)\b", comparator, re.IGNORECASE):
        own["against placebo"] = 1.0
    if re.search(r"\b(?:baseline|before|pre)\b", comparator, re.IGNORECASE):
        own["against baseline"] = 1.0
    if best is None:
        own["nothing told"] = 1.0
        return own
    known = best.named * (1.0 - 0.5 * absent)
    own["named"] = known
    own["hardly named"] = float(known < 0.3)
    own["absent"] = absent
    scores = [SHARPNESS * _rank(item) for item in found]
    top = max(scores)
    shares = [math.exp(score - top) for score in scores]
    total = sum(shares)
    for item, share in zip(found, shares, strict=True):
        for name, value in _valued(item.says, valence).items():
            own[name] = own.get(name, 0.0) + share / total * math.tanh(value) * max(item.named, 0.15)
    unknown = 1.0 - known
    general: dict[str, float] = defaultdict(float)
    for item in found:
        for name, value in item.general.items():
            general[name] += value
    for name, value in _valued(general, valence).items():
        own[f"general {name}"] = math.tanh(value / 3) * unknown
    told = " ".join(item.text for item in found)
    own["alike throughout"] = math.tanh(sum(cue.change == "alike" for cue in cues(told)) / 3)
    own["other outcomes alike"] = float(_ALL_ALIKE.search(told) is not None)
    return own


SHARPNESS = 8.0
"""How much more a statement counts that names more of the outcome: e to this power for the whole against nothing."""


def _valued(says: Mapping[str, float], valence: str) -> dict[str, float]:
    """``says`` with better and worse read as up or down by the outcome's valence, kept apart from up and down themselves."""
    kept: dict[str, float] = defaultdict(float)
    for name, value in says.items():
        first, _, rest = name.removeprefix("nearest ").partition(" ")
        if first in ("better", "worse"):
            kept[f"{'nearest ' if name.startswith('nearest') else ''}{first} {valence}{' ' + rest if rest else ''}"] += value
        else:
            kept[name] += value
    return kept


_AT_ENTRY = re.compile(
    r"\b(?:at baseline|before (?:the )?(?:study|intervention|treatment|trial|surgery)|demographic\w*|baseline (?:\w+ ){0,3}(?:characteristics|scores?|values?|levels?)|"
    r"pre-?treatment|patient characteristics)\b[^.;]{0,80}\b(?:no|not|similar\w*|comparable|balanced|identical)\b|"
    r"\b(?:no|not|similar\w*|comparable|balanced|matched)\b[^.;]{0,80}\b(?:at baseline|demographic\w*|baseline (?:\w+ ){0,2}characteristics)",
    re.IGNORECASE,
)
_REFERENCE = re.compile(
    r"\b(?:than|(?:as\s)?compar\w+\s(?:with|to|against)|in\scomparison\s(?:with|to)|comparing\swith|relative\sto|(?:versus|vs)(?=\.?\s[^\W\d])|over(?!\s(?:time|the|an?|\d))|unlike|"
    r"but\snot|rather\sthan|against|in\scontrast\s(?:to|with)|as\sopposed\sto)\b",
    re.IGNORECASE,
)
_EXCEPT = re.compile(r"\b(?:except(?:ing)?|apart\sfrom|other\sthan|with\sthe\sexception\sof|aside\sfrom)\b", re.IGNORECASE)
_WITHIN = re.compile(
    r"\b(?:in|within|with|for|by|under|across)\s(?:both|all|each|either|the\stwo)\b(?!\s(?:time|cases|subjects|patients))|"
    r"\b(?:both|all|the\stwo)\s(?:\w+\s){0,2}?(?:groups|arms|treatments|regimens|drugs|interventions|diets)\b|\bover\stime\b",
    re.IGNORECASE,
)
_BETWEEN_GROUPS = re.compile(
    r"\b(?:between|among|across)\s(?:the\s)?(?:\w+\s){0,2}?(?:groups|arms|treatments|regimens|them|interventions)\b", re.IGNORECASE
)
_OF = frozenset(("in", "of"))
_FROM = frozenset(("from", "than", "to", "with", "over", "versu", "vs"))
_BRACKETS = re.compile(r"[(\[{][^()\[\]{}]{0,400}[)\]}]")
_BEFORE = frozenset(map(stem, ("baseline", "before", "pretreatment", "preoperative", "initial", "pre", "prior")))
_PREPOSITIONS = frozenset(("in", "with", "for", "among", "by", "after", "under", "on", "of"))
_TURNED: dict[Change, Change] = {"up": "down", "down": "up", "better": "worse", "worse": "better"}
_HARM = re.compile(r"\b(?:adverse|side[\s-]effects?|safety|toxicit\w+|complications?|tolerab\w+|serious)\b", re.IGNORECASE)
_UNWANTED = re.compile(
    r"\b(?:pain|mortality|deaths?|nausea|vomiting|PONV|risks?|delirium|diarrh\w+|constipat\w+|symptoms?|dyspn\w+|cough\w*|"
    r"exacerbations?|complications?|infections?|bleed\w*|h(?:a?e)morrhag\w+|hypotension|hypertensi\w+|pressure|hypoglyc\w+|anxiety|"
    r"depressi\w+|stress|inflammat\w+|fatigue|falls?|fractures?|relapses?|recurrences?|failure|disabilit\w+|injur\w+|admissions?|"
    r"morbidit\w+|adverse|side|toxicit\w+|fever|headaches?|insomnia|seizures?|strokes?|shivering|cholesterol|LDL\w*|HbA1c|glucose|"
    r"triglycerides?|weight|BMI|\w{3,}itis|tumou?rs?|dementia|an(?:a?e)mia|incidence|VAS|WOMAC|severity|consumption|requirement|"
    r"length\sof\sstay|duration|errors?|burden|scabbing|plaque|bother\w*|use|time|swelling|edema|oedema|cost\w*|CRP)\b",
    re.IGNORECASE,
)
_WANTED = re.compile(
    r"\b(?:function\w*|quality|QoL|control|survival|recovery|satisfaction|motility|self[- ]esteem|balance|walking|gait|"
    r"mobility|attention|cognit\w+|memory|adherence|compliance|capacity|performance|strength|healing|well-?being|fertility|"
    r"remission|density|endurance|efficiency|growth|knowledge|skills?|success\w*|response|FEV1?|efficacy|HDL\w*|sensitivity|"
    r"acceptance|confidence|range|score)\b",
    re.IGNORECASE,
)
_ALL_ALIKE = re.compile(
    r"\b(?:no|not|neither|nor|similar\w*|comparable)\b[^.;]{0,60}\b(?:other|any\sof|all|remaining|secondary|rest)\b|"
    r"\b(?:other|secondary|remaining|all)\b[^.;]{0,60}\b(?:similar\w*|comparable|did\snot\sdiffer|no\ssignificant)",
    re.IGNORECASE,
)
