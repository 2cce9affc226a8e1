"""Sense: which way a question's verb points, and whether a sentence says that its outcome went that
way.

"Does X increase mortality?" points up, "X lowered the risk of death" down: the sentence speaks
against it. Words of better and worse are set against words of up and down by whether the outcome is
one that nobody wants.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from typing import Literal

from clinfo.lazy_dataclass import dataclass
from clinfo.terms import naming
from clinfo.text.coordination import Group, groups
from clinfo.text.lexicon import either
from clinfo.text.polarity import inside, negated_spans
from clinfo.text.question import asked_part
from clinfo.text.regex import anycase
from clinfo.text.terms import NON, PEOPLE_WORDS, StemSet, fold, share, vocabulary

MOST = 0.6
"""Least share of what was given that a text must name: "gait training" is no "balance training"."""
Sense = Literal["up", "down", "better", "worse"]

_ASKED: tuple[tuple[Sense, str], ...] = (
    (
        "up",
        (
            rf"{either('rising', 'asked_up')}|promote|(?:lead to|"
            rf"result in)(?! (?:an? )?(?:lower|reduc|"
            r"less|fewer|improv|better|higher|great|more|short|long))"
        ),
    ),
    (
        "down",
        (rf"{either('falling', 'asked_down')}|{either('better', 'asked_down')}"),
    ),
    ("better", rf"{either('better', 'asked_better')}|benefit(?! from)"),
    ("worse", either("worse", "asked_worse")),
)
_WORDS: tuple[tuple[Sense, str], ...] = (
    (
        "better",
        (
            rf"{either('better', 'sense_better')}|{either('falling', 'sense_better')}|(?:less|"
            rf"fewer|"
            rf"reduced|lessened|lower|prevented|"
            rf"slowed)\s(?:\w+\s)?(?:{either('worse', 'worsening')})|"
            r"eased?|cur(?:e[sd]?|ing)|superior\sto\s(?:placebo|sham|no\streatment)"
        ),
    ),
    (
        "worse",
        (either("worse", "sense_worse")),
    ),
    (
        "up",
        (rf"{either('rising', 'sense_up')}|more(?!\s(?:effective|than))"),
    ),
    (
        "down",
        (
            rf"{either('falling', 'sense_down')}|lower(?:s|ed|ing)?(?!\s(?:limb|leg|extremit|"
            rf"back|abdom|"
            r"urinary|respirator|body|dose))|slow(?:s|ed|er|ing)?"
        ),
    ),
)
_SENSES = anycase("|".join(rf"\b(?P<{sense}>{pattern})\b" for sense, pattern in _WORDS))
_ANY_SENSE = "|".join(pattern for _, pattern in _WORDS)
_VERB = anycase("|".join(rf"\b(?P<{sense}>{pattern})\b" for sense, pattern in _ASKED))
_SAID_OF = anycase(
    rf"\b(?:associated|linked) with (?:an? )?(?:(?P<up>{either('rising', 'said_of_up')})|"
    rf"(?P<down>{either('falling', 'said_of_down')})|(?P<better>improved|better)|"
    r"(?P<worsened>worse|poorer|impaired))\b|(?P<causing>\ba (?:cause of|risk factor for)|"
    r"\bresponsible for)\b|(?P<worse>\b(?:harmful|dangerous|bad|toxic|risky|detrimental|"
    r"hazardous|damaging)\b)(?=\s*(?:\?|$|for\b|to\b|in\b|after\b|during\b))|"
    r"(?P<harmed>\b(?:any (?:harms?|dangers?)|(?:harms?|dangers?) (?:from|of|with))\b)"
)
_MAKES = anycase(r"\bmakes?\b")
_LESS_OF = anycase(r"\s(?:an? )?(?:\w+ly )?(?:fewer|less|lower (?:rate|risk|incidence))\b")
"""What turns a verb: "cause fewer strokes"."""
_ASKS_DOING = anycase(
    r"\W*(?:and\s|but\s|or\s)?(?:do|does|did|can|could|will|would|may|might)(?:n['’]t)?\b"
)
_UNWANTED = anycase(
    r"\b(?:pain|mortality|deaths?|nausea|vomiting|emesis|PONV|risks?|agitat\w+|delirium|diarrh\w+|"
    r"constipat\w+|colic|symptoms?|"
    r"breathless\w*|dyspn\w+|cough\w*|sputum|exacerbations?|complications?|infections?|bleed\w*|"
    r"blood loss|h(?:a?e)morrhag\w+|"
    r"hypotension|hypertensi\w+|blood pressure|hypoglyc\w+|anxiety|depressi\w+|stress|aggressi\w+|"
    r"inflammat\w+|fatigue|vertigo|"
    r"dizziness|falls?|fractures?|relapses?|recurrences?|failure|disabilit\w+|disease|injur\w+|"
    r"admissions?|readmissions?|morbidit\w+|"
    r"adverse|side effects?|toxicit\w+|obesity|fever|headaches?|migraines?|insomnia|seizures?|"
    r"strokes?|infarction|sepsis|ulcers?|"
    r"shivering|cholesterol|HbA1c|\w{3,}itis|cancer|tumou?rs?|dementia|malnutrition|an(?:a?e)mia|"
    r"incidence|crying|regurgitation)\b"
)
"""Outcomes that are better when there is less of them."""
_WANTED = anycase(
    r"\b(?:function\w*|quality|life\w*|control|survival|recovery|satisfaction|motility|self[- "
    r"]esteem|balance|walking|gait|"
    r"mobility|attention|cognit\w+|memory|adherence|capacity|performance|strength|healing|"
    r"well-?being|fertility|remission|density|endurance|sleep|growth)\b"
)
"""Outcomes that are better when there is more of them."""
_SAYS_UNWANTED = anycase(r"(?:cause|prevent|stop|avoid|relieve|alleviate|ease|cure|treat)\b")
"""Verbs of what nobody wants."""
_BREAK = anycase(
    r"[;:,](?=\s)|\b(?:but|although|though|while|whereas|however|yet|except|because)\b|"
    r"\band(?=\s(?:\w+ly\s)?(?:did|does|do|was|were|is|are|had|has|have|can|may|might|"
    rf"{_ANY_SENSE})\b)"
)
_STARTS_DENIED = anycase(rf"\W*(?:but\s)?(?:{either('negators', 'sense_start')})\b")
_ALIKE = anycase(
    r"\b(?:similar\w*|comparable|unchanged|unaffected|no(?:t|r)?\s(?:\w+\s){0,3}(?:differen\w+|"
    r"differ|effects?|affect\w*|chang\w+|"
    r"associat\w+|influenc\w+|impact\w*|significant\w*))\b"
)
_PEOPLE = anycase(
    r"\b(?:in|among|of|for|by)\s(?:(?!(?:in|among|of|for|by|and|or|but|to|with)\b)[\w-]+\s"
    rf"){{0,4}}?(?:{either('people', 'sense')})\b(?:\s(?:with|who\s(?:had|have|suffer\w*\sfrom)|"
    rf"after|undergoing)\s(?:[\w-]+\s?){{1,5}})?"
)
"""Words for who was studied: what they suffer from is not an outcome."""
_WANTING = anycase(
    r"\b(?:deficien\w+|insufficien\w+|lack|absence|low|shortage|withdrawal|stopping)\b"
)
"""Words for what is not given or not had: what giving it does says little about it."""
_GIVEN = anycase(
    r"\b[\w-]+\s(?:training|exercises?|therapy|rehabilitation|treatment|programmes?|programs?|"
    r"interventions?)\b"
)
"""Words for what was given: "gait training" is no result on gait."""
_TREATED = anycase(
    r"\b[\w-]+(?:\s(?:cases|episodes|patients))?\s(?:being\s|(?:that|which|who)\s(?:was|were)\s)treated\b|"
    r"\btreat(?:ed|ment(?:\s(?:and|or)\s\w+)?)\s(?:of|for)\s(?:(?:acute|chronic|severe|mild)\s)?[\w-]+"
)
"""What is treated, which is no result of it: "episodes of diarrhoea being treated with zinc"."""
_REVERSED = anycase(r"\b(?:analgesi\w*|survival)\b")
_REVERSES = anycase(r"\b(?:pain\w*|mortality|deaths?)\b")
"""Outcomes of which more is less of the other: `clinfo.text.terms` takes them for synonyms."""
AGAINST = anycase(r"\b(?:than|compar(?:ed|ison|ing)\s(?:with|to)|versus|vs|relative\sto|over)\b")
_OPPOSITE: dict[Sense, Sense] = {"up": "down", "down": "up", "better": "worse", "worse": "better"}
_LESS_IS_BETTER: dict[Sense, Sense] = {"better": "down", "worse": "up"}
_MORE_IS_BETTER: dict[Sense, Sense] = {"better": "up", "worse": "down"}


@dataclass(frozen=True)
class Asked:
    """The outcome of a question: which way it points, of which outcome, given what, and whether
    less of it is better.

    ``unwanted`` is None for an outcome of which that is not known; ``wanting`` where the lack of
    something is asked about, ``compares`` where two things are.
    """

    sense: Sense
    outcome: Group | None
    subject: Group | None
    unwanted: bool | None
    wanting: bool = False
    compares: bool = False

    @property
    def harm(self) -> bool:
        """Return whether a yes would be bad news."""
        return self.sense == "worse" or (self.sense, self.unwanted) in (
            ("up", True),
            ("down", False),
        )

    def compare(self, sense: Sense) -> int:
        """1 for a sense that is the one asked about, -1 for its opposite, 0 where the two cannot be
        set against each other.
        """
        one, other = self._level(sense), self._level(self.sense)
        return 1 if one == other else -1 if one == _OPPOSITE[other] else 0

    def _level(self, sense: Sense) -> Sense:
        """A word of better or worse as one of more or less of this outcome."""
        if self.unwanted is None:
            return sense
        return (_LESS_IS_BETTER if self.unwanted else _MORE_IS_BETTER).get(sense, sense)


@dataclass(frozen=True)
class Heard:
    """The number of clauses on the outcome that say what is asked, say the opposite, deny what is
    asked, or only deny its opposite.
    """

    agree: int = 0
    oppose: int = 0
    deny: int = 0
    aside: int = 0


def asked(question: str) -> Asked | None:
    """Return which way a question that begins "does", "can" …, or asks whether something "is
    harmful", points; None for others.
    """
    part = asked_part(question)
    verb = _VERB.search(part) if _ASKS_DOING.match(part) else _SAID_OF.search(part)
    if verb is None:
        return None
    made = _MAKES.search(part[: verb.start()])
    at = question.find(part) + (made.start() if made is not None else verb.start())
    found = groups(question)
    harmed = verb.groupdict().get("harmed") is not None
    outcome = (
        None if harmed else next((group for group in found if group.concepts[0].start >= at), None)
    )
    if outcome is not None and all(
        piece in _PEOPLE_STEMS for concept in outcome.concepts for piece in concept.stems
    ):
        outcome = None
    first = found[0] if found and found[0] is not outcome else None
    subject = first if first is not None and (harmed or first.concepts[0].start < at) else None
    wanting = _WANTING.search(part[: verb.start()]) is not None
    sense = _sense(verb)
    return Asked(
        "down" if sense == "up" and _LESS_OF.match(part, verb.end()) else sense,
        outcome,
        subject,
        _is_unwanted(verb.group(), outcome),
        wanting,
        AGAINST.search(part) is not None,
    )


def _is_unwanted(verb: str, outcome: Group | None) -> bool | None:
    text = " ".join(concept.text for concept in outcome.concepts) if outcome is not None else ""
    if _WANTED.search(text):
        return False
    return True if _UNWANTED.search(text) or _SAYS_UNWANTED.match(verb) else None


_PEOPLE_STEMS = StemSet(" ".join(PEOPLE_WORDS), "children infants patients people")


def names(wanted: Group, text: str, expansions: Mapping[str, str]) -> bool:
    """Return whether ``text`` names one of a group, most of its words or all of them as they are
    written.
    """
    held = vocabulary(text, expansions)
    return any(
        share(each, held) >= MOST or begins_a_word(each.text, text) for each in wanted.concepts
    )


def begins_a_word(name: str, text: str) -> bool:
    """Return whether a text has the name as it is written, from the beginning of a word:
    "omeprazole" does not stand in "esomeprazole", nor "cancer pain" in "non-cancer pain".
    """
    return re.search(rf"\b(?<!\b{NON}){re.escape(fold(name))}", fold(text)) is not None


def _named(wanted: Group, text: str, expansions: Mapping[str, str]) -> bool:
    held = vocabulary(text, expansions)
    return any(
        all(
            part.is_in(held) or any(map(held.has, part.stems))
            for part in naming.parts(each.text)
            if naming.kind_of(part) in _ILL
        )
        for each in wanted.named(held)
    ) or any(begins_a_word(each.text, text) for each in wanted.concepts)


_ILL = ("condition", "symptom")
"""Kinds of parts of an outcome that must be named: "radiation-induced" is no mucositis."""


def outcomes(wanted: Group, text: str) -> str:
    """The text with what is not an outcome, or the reverse of this one, blanked."""
    asks = " ".join(concept.text for concept in wanted.concepts)
    other = _REVERSES if _REVERSED.search(asks) else _REVERSED if _REVERSES.search(asks) else None
    return _blanked(text, _PEOPLE, _GIVEN, _TREATED, *((other,) if other is not None else ()))


def _blanked(text: str, *patterns: re.Pattern[str]) -> str:
    """The text with spaces for what the patterns match, so that places stay the same."""
    for pattern in patterns:
        text = pattern.sub(lambda match: " " * len(match.group()), text)
    return text


def heard(
    wanted: Asked, sentences: Iterable[str], expansions: Mapping[str, str], named: bool = False
) -> Heard:
    """Return what sentences say to it, clause by clause; with ``named`` only those that name what
    was given.

    Where the question compares two things, what was given may be what a sentence compares the other
    with.
    """
    agree = oppose = deny = aside = 0
    for sentence in sentences:
        if (named or wanted.compares) and (
            wanted.subject is None or not wanted.subject.named(vocabulary(sentence, expansions))
        ):
            continue
        turned = _is_comparator(wanted, sentence, expansions)
        if turned and not wanted.compares:
            continue
        for sense, negated in _told(wanted, sentence, expansions):
            way = (
                0 if sense is None else -wanted.compare(sense) if turned else wanted.compare(sense)
            )
            if sense is None or (negated and way > 0):
                deny += 1
            elif negated:
                aside += way < 0
            else:
                agree += way > 0
                oppose += way < 0
    return Heard(agree, oppose, deny, aside)


def _told(
    wanted: Asked, sentence: str, expansions: Mapping[str, str]
) -> Iterable[tuple[Sense | None, bool]]:
    """(sense, whether negated) of each clause that names the outcome; no sense for one that says
    all was alike.
    """
    negated = negated_spans(sentence)
    if unproved := NO_EVIDENCE.search(sentence):  # reaches on, however long what it denies is
        negated = (*(span for span in negated if span[1] <= unproved.end()), unproved.span(1))
    before: tuple[Sense | None, bool] | None = None
    for start, end in clauses(sentence):
        clause = sentence[start:end]
        found = [
            (start + match.start(), _sense(match), inside(start + match.start(), negated))
            for match in _SENSES.finditer(clause)
            if wanted.outcome is None or _beside(wanted, match.group().lower()) is None
        ]
        alike = _ALIKE.search(clause)
        own: tuple[Sense | None, bool] | None = None
        at = start + _place(wanted, clause, expansions)
        if at >= start:
            earlier = [each for each in found if each[0] <= at]
            chosen = earlier[-1] if earlier else found[0] if found else None
            if chosen is not None and chosen[2]:
                chosen = next(
                    (each for each in earlier if each[2] and wanted.compare(each[1]) > 0), chosen
                )
            if chosen is not None:
                own = (chosen[1], chosen[2])
            elif alike is not None:
                own = (None, True)
            elif before is not None:
                own = (before[0], True) if _STARTS_DENIED.match(clause) else before
            if own is not None:
                yield own
        if found:
            before = (found[-1][1], found[-1][2])
        elif alike is not None:
            before = (None, True)


NO_EVIDENCE = anycase(r"\bno (?:[\w-]+ ){0,2}evidence (?:\w+ ){0,2}that\b(.*)")


def _beside(wanted: Asked, word: str) -> re.Match[str] | None:
    """A word that tells nothing of the asked outcome: who tolerates a drug, or is treated with
    success for what it is asked to cause.
    """
    return (_EFFECTIVE if wanted.harm else _TOLERATED).search(word)


_TOLERATED = anycase(r"\btolerated\b")
_EFFECTIVE = anycase(r"\b(?:tolerated|effective(?:ly)?)\b")


def _place(wanted: Asked, clause: str, expansions: Mapping[str, str]) -> int:
    """Return where in the clause its naming of the outcome is complete; -1 where it does not name
    it.
    """
    if wanted.outcome is None:
        return len(clause)
    told = outcomes(wanted.outcome, clause)
    if not _named(wanted.outcome, told, expansions):
        return -1
    ends = [match.end() for match in re.finditer(r"\S+", told)]
    outcome = wanted.outcome
    place = bisect_left(
        ends, True, hi=len(ends) - 1, key=lambda end: _named(outcome, told[:end], expansions)
    )
    return ends[place]


def _is_comparator(wanted: Asked, sentence: str, expansions: Mapping[str, str]) -> bool:
    """Return whether what was given comes up only as what something else is compared with."""
    turn = AGAINST.search(sentence)
    if turn is None or wanted.subject is None:
        return False
    before, after = sentence[: turn.start()], sentence[turn.end() :]
    if _LEADING.search(before) and ", " in after:  # "compared with B, A …"
        after, _, before = after.partition(", ")
    return bool(wanted.subject.named(vocabulary(after, expansions))) and not wanted.subject.named(
        vocabulary(before, expansions)
    )


_LEADING = anycase(r"(?:\A|[,;:]|\bthat)\s*(?:(?:when|as|in|by)\b\s*)*\Z")
"""What stands before "compared with" where the comparator comes first."""


def clauses(sentence: str) -> Iterable[tuple[int, int]]:
    """The places [start, end) of the clauses of a sentence."""
    start = 0
    for match in _BREAK.finditer(sentence):
        yield start, match.start()
        start = match.end()
    yield start, len(sentence)


def _sense(match: re.Match[str]) -> Sense:
    named = {name for name, text in match.groupdict().items() if text is not None}
    return next(sense for sense in _OPPOSITE if sense in named or named & _ALSO[sense])


_ALSO: dict[Sense, frozenset[str]] = {
    "up": frozenset({"causing"}),
    "down": frozenset(),
    "better": frozenset(),
    "worse": frozenset({"worsened", "harmed"}),
}
"""Other names of a sense's group in a pattern."""
