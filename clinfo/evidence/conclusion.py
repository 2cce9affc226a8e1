"""The reader of conclusions: how likely experts would take what an article concludes for a yes, a
no, or neither.

Features of question and conclusion, each with a name: what its polar words say to this kind of
question (`LEANINGS`), whether clauses on the asked outcome agree (`clinfo.terms.sense`), how the
two sides of a comparison are set against each other, and how firmly it is worded
(`clinfo.evidence.conclusion_wording`). A multinomial logistic regression weighs them; its weights,
and the sharpening that calibrates its probabilities, are fitted by `python -m
benchmarks.own.fit_conclusion` and stand in `conclusion_weights.json`.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from importlib.resources import files
from typing import Any

from clinfo.evidence.conclusion_wording import wording
from clinfo.evidence.speaking import asking
from clinfo.lazy_dataclass import dataclass, replace
from clinfo.records.articles import Article, Stance
from clinfo.terms.asked_subject import HARM, Subject, subject
from clinfo.terms.sense import AGAINST, NO_EVIDENCE, asked, clauses, heard
from clinfo.text.abstracts import AbstractSentence, abstract_sentences
from clinfo.text.keysentence import is_on_size, is_outlook
from clinfo.text.lexicon import either
from clinfo.text.outcome_valence import Valence, valence
from clinfo.text.polarity import inside, main_statement, negated_spans, polar_words
from clinfo.text.question import Kind, affirmed, asked_part, forms, question_kind
from clinfo.text.regex import anycase, regex
from clinfo.text.terms import (
    FUNCTION_WORDS,
    Concept,
    acronyms,
    concepts,
    coverage,
    fold,
    is_content,
    stem,
    vocabulary,
    words,
    words_as_written,
)

_Leaning = dict[tuple[str, bool], float]


def _leaning(plain: dict[str, float], negated: dict[str, float]) -> _Leaning:
    return {(kind, False): value for kind, value in plain.items()} | {
        (kind, True): value for kind, value in negated.items()
    }


LEANINGS: dict[Kind, _Leaning] = {
    "neutral": _leaning(
        {"link": 0.4, "same": -0.9, "differ": 0.4, "good": 0.3, "bad": -0.1, "unneeded": -0.1},
        {"link": -1.4, "same": 0.4, "differ": -1.2, "good": -0.9, "bad": -0.1, "weak": -0.2},
    ),
    "gain": _leaning(
        {
            "link": 0.4,
            "same": -0.9,
            "differ": 0.4,
            "good": 0.5,
            "bad": -0.6,
            "weak": -0.2,
            "unneeded": -0.2,
        },
        {"link": -1.4, "same": 0.4, "differ": -1.2, "good": -1.2, "bad": 0.2},
    ),
    "difference": _leaning(
        {"differ": 0.8, "same": -1.0, "link": 0.3, "good": 0.1, "bad": -0.1, "weak": -0.1},
        {"differ": -1.4, "same": 0.6, "link": -0.9, "good": -0.4},
    ),
    "sameness": _leaning(
        {"same": 1.0, "differ": -0.8, "good": 0.5, "bad": -0.7, "weak": -0.2},
        {"same": -1.0, "differ": 1.0, "good": -0.8, "bad": 0.3, "link": -0.1},
    ),
    "evaluative": _leaning(
        {
            "good": 0.8,
            "bad": -0.9,
            "weak": -0.3,
            "same": 0.3,
            "link": 0.1,
            "unneeded": -0.1,
            "needed": 0.1,
        },
        {"good": -1.3, "bad": 0.6, "weak": 0.3, "differ": 0.3, "link": -0.4, "needed": -0.2},
    ),
    "need": _leaning(
        {
            "unneeded": -1.1,
            "needed": 0.6,
            "good": 0.3,
            "bad": -0.3,
            "same": -0.4,
            "link": 0.2,
            "weak": -0.2,
        },
        {"unneeded": 0.5, "needed": -1.3, "good": -0.9, "differ": -0.4, "link": -0.4},
    ),
    "omit": _leaning(
        {"unneeded": 0.8, "needed": -0.2, "good": 0.6, "bad": -0.6, "same": 0.6, "weak": -0.1},
        {"needed": 1.0, "good": -0.9, "differ": 0.6, "link": 0.2},
    ),
    "harm": _leaning(
        {
            "link": 0.4,
            "same": -1.0,
            "good": -0.5,
            "bad": 0.5,
            "differ": 0.3,
            "weak": 0.2,
            "unneeded": -0.2,
        },
        {"link": -1.3, "differ": -0.9, "good": 0.4, "bad": -0.7, "weak": -0.4},
    ),
}
"""The value of a polar word, plain or negated, for a kind of question: above 0 towards yes,
below towards no (set by hand).
"""

_NO_COMPARISON: frozenset[Kind] = frozenset(("gain", "evaluative"))
_COMPARES = anycase(
    r"\b(?:versus|vs|compar\w+|than|superior\w*|inferior\w*|better|more|less|which|between)\b"
)
"""Words of a question that asks how treatments compare."""
_MOST_COUNTED = 2
"""A kind of polar word, or a way of speaking of the outcome, counts at most this often."""
_AGAINST = anycase(
    rf"{AGAINST.pattern}|\b(?:switch|conver|chang)\w*\sfrom\b|"
    r"\b(?:superior|inferior|preferable|equivalent) to\b"
)
_MORE_OR_LESS = anycase(
    rf"\b(?:(?P<bad>{either('worse', 'conclusion_less')}|{either('falling', 'conclusion_less')}|"
    rf"slower)|(?P<good>{either('better', 'conclusion_more')}|"
    rf"{either('rising', 'conclusion_more')}|faster))\b"
)
_ALIKE = anycase(
    rf"\b(?:{either('alike', 'conclusion')}|as (?:\w+ ){{1,2}}as|no (?:\w+ ){{0,3}}differences?|"
    rf"not (?:\w+ ){{0,2}}differ\w*|"
    r"not (?:\w+ )?(?:superior|better))\b"
)
_UNLIKE = anycase(r"\b(?:better|worse|superior|fewer|higher|lower|greater|more|less)\b")
_ASKS_AS_GOOD = anycase(r"\bas (?:\w+ )?\w+ as\b|\b(?:same|similar|equivalent|comparable)\b")
_ASKS_LESS = anycase(rf"\b(?:{either('falling', 'asks_less')}|slower|prevent|relieve)\b")


@dataclass(frozen=True)
class ConclusionReading:
    """The conclusion of an article, as an answer: the probabilities of yes, no and neither, which
    add up to 1.

    ``told`` is false where no sentence says how what is asked went, or, where the question asks
    which way something goes or which of two is better, none says that; ``opposed`` is true where
    what sentences say of it speaks against these probabilities.
    """

    yes: float
    no: float
    maybe: float
    told: bool = True
    opposed: bool = False

    @property
    def clear(self) -> bool:
        """Return whether it says which way it goes, and nothing said outright speaks against
        that.
        """
        return self.told and not self.opposed

    @property
    def lean(self) -> float:
        """Log odds of yes against no."""
        return math.log(max(self.yes, 1e-6) / max(self.no, 1e-6))


def stance(question: str, article: Article) -> Stance:
    """Return what the article says to the question in one word; "does not answer" where it does not
    speak of what is asked.
    """
    if not subject(question).addressed(article):
        return "other outcomes"
    sentences = _conclusion(own_sentences(article))
    found = read(question, article)
    if not found.told:  # a side would be a guess
        return "other outcomes"
    if subject(question).sides is not None and (said := _said_of_sides(question, article)):
        return said
    if all(is_outlook(sentence.text) and not _TURN.search(sentence.text) for sentence in sentences):
        return "other outcomes"
    if found.maybe >= _weights()["maybe_from"] or found.opposed:
        return "mixed"
    return "supports" if found.yes >= found.no else "contradicts"


def _said_of_sides(question: str, article: Article) -> Stance | None:
    """Return the side that sentences outright take where two things are compared; None where they
    take none.
    """
    plain, sentences = affirmed(question), own_sentences(article)
    results = [sentence for sentence in sentences if sentence.role == "results"]
    own = _sides(plain.text, article, _conclusion(sentences), results)
    for where in ("concludes", "finds"):
        signs = {
            _outright_sign(name) * (1 if value > 0 else -1) * (-1 if plain.turned else 1)
            for name, value in own.items()
            if name.startswith(where)
        } - {0}
        if signs:
            return "mixed" if len(signs) > 1 else "supports" if 1 in signs else "contradicts"
    return None


def _spoken_of(question: str, article: Article) -> bool:
    wanted = asking(affirmed(question).text)
    return any(
        wanted.speaks(sentence.text, article, title_will_do=True)
        for sentence in own_sentences(article)
        if sentence.role in ("results", "conclusion")
    )


def _asks_itself(question: str, title: str) -> bool:
    """Return whether an article's title is the question: what it concludes then answers it in
    whatever words.
    """
    one, other = (
        {stem(fold(word)) for word in words_as_written(text) if is_content(word)}
        for text in (question, title)
    )
    return len(one & other) >= _SAME * len(one | other)


_SAME = 0.7
"""The share of the words of a question and a title, of those of both, that they must have in
common to ask the same."""
_PRICED = anycase(r"\bcost(?:s|ed)? (?:more|less)\b|\bICERs?\b|\bdollars\b|\bQALYs?\b")
_COST = anycase(rf"{_PRICED.pattern}|\bcosts?\b|\bcost-|\beconomic")
"""Words of a sentence whose comparison is of prices; and of one that may only be on costs."""
_NOT_IN_ALL = anycase(
    r"\b(?:and|but) not (?:in|among|for) (?:the )?"
    r"(?![^.;,]{0,30}\b(?:controls?|placebo|untreated|sham|comparison|comparator|usual)\b)"
    r"(?:those|(?:[\w-]+ )?(?:patients|people|women|men|children|adults|subjects|participants))\b"
)
"""What limits a conclusion to some of those studied."""
_TURN = anycase(r"\b(?:but|although|though|while|however|and)\b")
"""Turns in a sentence, which may say more than that research is needed."""


@lru_cache(maxsize=256)
def read(question: str, article: Article) -> ConclusionReading:
    """Return how an article's conclusion reads as an answer; of a question asked the negative way
    round, the answer is turned.
    """
    plain = affirmed(question)
    own = features(plain.text, article)
    yes, no, maybe = probabilities(own, _weights())
    told = (
        bool(own)
        and own.keys().isdisjoint((_UNTOLD, _ASIDE))
        and (_asks_itself(question, article.title) or _spoken_of(question, article))
    )
    told = told and not _of_others(subject(plain.text), article.title)
    concludes = [each.text for each in _conclusion(own_sentences(article))]
    if not _COST.search(plain.text):
        priced = _PRICED if any(map(_says_how, own)) else _COST
        told = told and not all(map(priced.search, concludes))
    opposed = _opposed(own, yes - no) or (yes > no and any(map(_NOT_IN_ALL.search, concludes)))
    return (
        ConclusionReading(no, yes, maybe, told, opposed)
        if plain.turned
        else ConclusionReading(yes, no, maybe, told, opposed)
    )


def compares(question: str, article: Article) -> bool:
    """Return whether a conclusion sets the two sides of a question against each other, where that
    asks which of them is better.

    Which has more of something is not read surely enough.
    """
    plain = affirmed(question).text
    return _ASKS_QUALITY.search(asked_part(plain)) is not None and bool(
        sets_against(plain, article)
    )


def sets_against(question: str, article: Article) -> dict[str, float]:
    """Return how the conclusion of an article sets the two sides of a question against each other;
    empty where it does not.
    """
    return _sides(question, article, _conclusion(own_sentences(article)), ())


_UNTOLD = "untold"
_ASIDE = "concludes only aside"


def _opposed(own: Mapping[str, float], lean: float) -> bool:
    """Return whether what the conclusion, or else the results, say outright of what is asked speaks
    against the lean to yes.
    """
    for where in ("concludes", "finds"):
        if outright := sum(
            value * _outright_sign(name) for name, value in own.items() if name.startswith(where)
        ):
            return outright * lean < 0
    return False


def _says_how(name: str) -> bool:
    """Return whether a feature is that the conclusion says how the asked outcome went."""
    return name.startswith("concludes ") and name != _ASIDE


def _outright_sign(name: str) -> int:
    """1 where a feature of the asked outcome or of two sides speaks for a yes, -1 for a no, 0 for
    neither.
    """
    if name.endswith(("in balance", "for it", "for it, asked as good", "alike, asked as good")):
        return 1
    return -1 if name.endswith("alike") else 0


@lru_cache(maxsize=1)
def _weights() -> dict[str, Any]:
    return dict(
        json.loads(
            files("clinfo.evidence").joinpath("conclusion_weights.json").read_text(encoding="utf-8")
        )
    )


def probabilities(
    own: Mapping[str, float], fitted: Mapping[str, Any]
) -> tuple[float, float, float]:
    """(yes, no, maybe) that features lead to, under ``bias``, ``weights`` by name and the
    ``sharpness`` of the scores.
    """
    scores = list(fitted["bias"])
    for name, value in own.items():
        for place, weight in enumerate(fitted["weights"].get(name, ())):
            scores[place] += weight * value
    top = max(scores)
    parts = [math.exp(fitted["sharpness"] * (score - top)) for score in scores]
    yes, no, maybe = (part / sum(parts) for part in parts)
    return yes, no, maybe


def features(question: str, article: Article) -> dict[str, float]:
    """Named features of a question asked the positive way round and of a conclusion, -2 to about 3;
    none without abstract.
    """
    sentences = own_sentences(article)
    if not sentences:
        return {}
    conclusion = _conclusion(sentences)
    results = [sentence for sentence in sentences if sentence.role == "results"]
    expansions = acronyms(f"{article.title} {article.abstract}")
    sides = _sides(question, article, conclusion, results)
    ways = {} if sides else _ways(question, conclusion, results, expansions)
    untold = (
        not sides
        and not ways
        and (asked(question) is not None or subject(question).sides is not None)
    )
    found = _leanings(question, conclusion, results, expansions) | (
        {_UNTOLD: 1.0} if untold else {}
    )
    found.update((f"asks {form}", 1.0) for form in forms(question))
    found.update(_echo(question, conclusion))
    found.update(wording(question, conclusion, results, named(question, article)))
    return found | sides | ways


def named(question: str, article: Article) -> dict[str, float]:
    """Return how much of what a question asks each sentence of an abstract names, 0 to 1, by its
    text.
    """
    wanted, expansions = concepts(question), acronyms(f"{article.title} {article.abstract}")
    return {
        each.text: coverage(wanted, vocabulary(each.text, expansions))
        for each in own_sentences(article)
    }


def _leanings(
    question: str,
    conclusion: list[AbstractSentence],
    results: list[AbstractSentence],
    expansions: dict[str, str],
) -> dict[str, float]:
    """Return what the polar words of the sentences lean to for this kind of question."""
    kind = question_kind(question)
    if kind in _NO_COMPARISON and not _COMPARES.search(question):
        conclusion = [
            replace(sentence, text=main_statement(sentence.text)) for sentence in conclusion
        ]
    wanted = concepts(question)
    focus = _focus(conclusion, wanted, expansions)
    leanings = [leaning(sentence.text, kind) for sentence in conclusion]
    found = {
        f"kind {kind}": 1.0,
        "leaning of the focus": 2 * math.tanh(leaning(focus.text, kind) / 1.5),
        "leaning of the first": math.tanh(leanings[0] / 1.5),
        "leaning of the last": math.tanh(leanings[-1] / 1.5),
        "leaning of all": 2 * math.tanh(sum(leanings) / 3),
        "least leaning": math.tanh(min(leanings) / 1.5),
    }
    if results:
        told = sum(
            coverage(wanted, vocabulary(sentence.text, expansions)) * leaning(sentence.text, kind)
            for sentence in results
        )
        found["leaning of the results"] = math.tanh(told / 2)
    found.update(_counts("focus", [focus]))
    found.update(_counts("rest", [sentence for sentence in conclusion if sentence is not focus]))
    if wanted and kind in ("neutral", "gain"):
        found.update(_outcome(wanted[-1], conclusion))
    return found


def _ways(
    question: str,
    conclusion: Sequence[AbstractSentence],
    results: Sequence[AbstractSentence],
    expansions: dict[str, str],
) -> dict[str, float]:
    """Return how often clauses on the asked outcome say that it went the asked way, the other way,
    or not; empty where none speaks.
    """
    wanted = asked(question)
    if wanted is None:
        return {}
    found = {}
    for where, sentences, named in (("concludes", conclusion, False), ("finds", results, True)):
        texts = [
            each.text
            for each in sentences
            if not (is_outlook(each.text) or _listed(subject(question), each.text))
        ]
        if wanted.harm and wanted.outcome is None:
            texts = [text for text in texts if HARM.search(text)]
        told = heard(wanted, texts, expansions, named=named)
        found.update(
            {f"{where} {way}": _counted(count) for way, count in asdict(told).items() if count}
        )
        if told.aside and not named and not told.agree + told.oppose + told.deny:
            found[_ASIDE] = 1.0
        if balance := told.agree - told.oppose - told.deny:
            found[f"{where} in balance"] = 2 * math.tanh(balance / 1.5)
            if wanted.harm:
                found[f"{where} in balance on harm"] = math.tanh(balance / 1.5)
    return found


def _sides(
    question: str,
    article: Article,
    conclusion: Sequence[AbstractSentence],
    results: Sequence[AbstractSentence],
) -> dict[str, float]:
    """Return how sentences set the two sides of a comparison against each other; empty where it
    compares nothing or none does.

    "for it": the first comes out as it is asked about (better, or less of it), or below 0 the other
    does; "alike": neither.
    """
    about = subject(question)
    sides = about.sides
    if sides is None or set(sides[0][0].stems) & set(sides[1][0].stems) == set(sides[1][0].stems):
        return {}  # a combination against its part is not read
    part = asked_part(question)
    as_good = ", asked as good" if _ASKS_AS_GOOD.search(part) is not None else ""
    valued = _ASKS_QUALITY.search(part) is not None
    turned = -1 if not valued and _ASKS_LESS.search(part) else 1
    outcomes = " ".join(each.text for group in about.compared_on() for each in group.concepts)
    of = valence(outcomes.rpartition(" ")[2])
    of = valence(outcomes or part) if of == "plain" else of
    reading = (valued, of, acronyms(f"{article.title} {article.abstract}"))
    titled = all(_place(side, article.title) is not None for side in sides)
    found: dict[str, float] = {}
    for where, sentences in (("concludes", conclusion), ("finds", results)):
        told = [
            each
            for sentence in sentences
            if (each := _set_against(about, sentence.text, titled, *reading)) is not None
        ]
        if alike := told.count(0):
            found[f"{where} alike{as_good}"] = 2 * _counted(alike)
        if balance := sum(told) * turned:
            found[f"{where} for it{as_good}"] = 2 * math.tanh(balance / 1.5)
    return found


def _set_against(
    about: Subject,
    text: str,
    titled: bool,
    valued: bool,
    asked_of: Valence,
    expansions: dict[str, str],
) -> int | None:
    """1 where a sentence says more or better of the first side, -1 of the other, 0 for alike, None
    where it does not tell.

    It must name both, or one of them against nothing else where the title (``titled``) names both;
    only clauses that name an outcome that is asked about count. Where the question asks which is
    better (``valued``), less of what nobody wants is better, and where it asks of which there is
    more, better is less of that; ``asked_of`` is the valence of the question's own outcome.
    """
    first, other = (_place(side, text) for side in about.sides or ())
    turn = _AGAINST.search(text)
    if (first is None or other is None) and (not titled or turn is not None or first is other):
        return None
    beyond = text[turn.end() :] if turn is not None else ""
    alone = first is None or other is None
    if _THIRD.match(beyond) or (_ADDED.search(text) and not _ADDED.search(about.question)):
        return None
    if turn is not None and not alone and _other_subject(text[: turn.start()], first, other):
        return None
    one, two = (_place(side, beyond) for side in about.sides or ())
    if one is not None and two is not None and _BOTH.search(beyond[: max(one, two)]):
        return None  # a third one against both
    if one is None and two is None:
        leads = other is None or (first is not None and first < other)
    else:  # what stands next after "than" or "compared with" is what the other is set against
        leads = one is None or (two is not None and two < one)
    for start, end in _clauses_with_their_lead(text):
        clause = text[start:end]
        if not about.sets(clause, expansions):
            continue
        if alike := _ALIKE.search(clause):
            rest = clause[: alike.start()] + " ; " + clause[alike.end() :]
            if _UNLIKE.search(rest):
                continue  # alike in one thing and not in another
            if sum(_place(side, clause) is None for side in about.sides or ()) == 1:
                continue  # alike to a third, or before and after
            return 0
        stop = turn.start() if turn is not None else end
        match = _MORE_OR_LESS.search(text, start, max(start, min(stop, end)))
        match = match or _MORE_OR_LESS.search(text, start, end)
        if match is None or _DIFFERENCE.search(text, start, match.start()):
            continue
        if _listed(about, text) or (
            alone and (not _UNLIKE.match(match.group()) or _GRADED.search(text, match.end(), end))
        ):
            continue  # an effect of one alone, or of both
        if inside(match.start(), negated_spans(text)):
            if alone:
                continue
            return 0
        says = 1 if match.lastgroup == "good" else -1
        near = text[match.end() : match.end() + _NEAR]
        fell = _FELL.search(text, start, match.start())
        if fell and fell.end() + 1 < match.start():  # "prevented more strokes" tells of its verb
            fell = fell if _THAN.match(near) else None
        if _QUALITY.match(text, match.start()):
            if not valued and asked_of == "plain":
                continue
            says = -says if not valued and asked_of == "unwanted" else says
        elif not valued:
            says = -says if _FALL.match(near) or fell else says
        elif not (_WORKS.search(near) or fell):
            told = valence(near)
            if told == "plain" and _CAUSED.search(text, 0, match.start()):
                told = "unwanted"
            says = -says if (asked_of if told == "plain" else told) == "unwanted" else says
        return says * (1 if leads else -1)
    return None


def _listed(about: Subject, text: str) -> bool:
    """Return whether a sentence says the same of both sides: "A and B lowered it"."""
    places = [place for side in about.sides or () if (place := _place(side, text)) is not None]
    return (
        len(places) == 2
        and _AGAINST.search(text) is None
        and _LISTED.fullmatch(text, *sorted(places)) is not None
    )


def _clauses_with_their_lead(text: str) -> Iterable[tuple[int, int]]:
    """The places of the clauses, "for healing, …" and "compared with B, …" with what they lead."""
    begun: int | None = None
    for start, end in clauses(text):
        if begun is None and _LEADS.match(text, start, end):
            begun = start
        else:
            yield (start if begun is None else begun), end
            begun = None


def _of_others(about: Subject, title: str) -> bool:
    """Return whether a title sets a third thing against the sides that are compared, or gives one
    of them on top of another.
    """
    if about.sides is None:
        return False
    if _ADDED.search(title) and not _ADDED.search(about.question):
        return True
    lead, turn, beyond = _parted(title)
    return bool(turn) and all(
        _place(side, beyond) is not None and _place(side, lead) is None for side in about.sides
    )


def _parted(text: str) -> tuple[str, str, str]:
    turn = _AGAINST.search(text)
    return (text[: turn.start()], turn.group(), text[turn.end() :]) if turn else (text, "", "")


def _other_subject(lead: str, *places: int | None) -> bool:
    """Return whether what stands before "than" or "compared with" is about neither side: "C worked
    faster than A or B".
    """
    return (
        all(place is None or place >= len(lead) for place in places)
        and _LEADS.fullmatch(lead) is None
        and _MORE_OR_LESS.search(lead) is not None
    )


_LEADS = anycase(
    r"\W*(?:for|in|with|regarding|concerning|as|when|compared|relative|after|at)\b(?![^,]*\b(?:was|were|is|are|had)\b)"
)
_THIRD = anycase(
    r"\W*(?:with\s|in\s|(?:that|those)\s(?:of|for|in|with)\s|the\s|patients\s)*"
    r"(?:untreated|non[- ]?users?|placebo|no\s|controls?\b|general population)"
)
"""A third thing that a side is set against."""
_ADDED = anycase(
    r"\b(?:addition of|added to|adding|add-on|adjunct\w*|augment\w*|combin\w+ (?:with|of)|plus)\b"
)
"""Words of one side given on top of the other, which is no comparison of the two."""
_GRADED = anycase(r"\b(?:dos(?:es?|ages?)|age|duration|time)\b")
"""What one side alone goes with."""
_LISTED = anycase(r"[\w-]+(?:,\s[\w-]+)*,?\s(?:and|or)\s(?:[\w-]+,?\s)?")
"""What stands from one side to the other where both are of one list."""
_BOTH = anycase(r"\b(?:and|or)\s(?:[\w.-]+\s){0,2}\Z")
_DIFFERENCE = anycase(r"\bdifferences?\b")


_ASKS_QUALITY = anycase(
    r"\b(?:better|superior|inferior|safer|preferable|worse|as (?:good|effective|efficacious|safe|"
    r"useful|well)|"
    r"more (?:effective|efficacious|useful|reliable)(?:ly)?)\b"
)
_QUALITY = anycase(
    rf"(?:{either('worse', 'conclusion_less')}|{either('better', 'conclusion_more')}|"
    r"(?:more|less|greater|higher)\s(?:[\w-]+\s)?(?:effect\w*|efficac\w+|potent|potency|benefi\w+|"
    r"favou?rabl[ey]|success\w*))\b"
)
"""Words of better and worse, against those of more and less."""
_FALL = anycase(rf"\W*(?:[\w-]+\s)?(?:{either('falling', 'works')})\b")
_WORKS = anycase(
    rf"\b(?:{either('better', 'works')}|{either('falling', 'works')}|control|response|heal\w*|"
    r"cure\w*|relie\w+|remission|satisf\w+|adheren\w+|effective\w*|efficac\w+)\b"
)
_FELL = anycase(
    rf"\b(?:{either('falling', 'works')}|lower(?:s|ed)|prevent(?:s|ed)|reliev(?:es|ed))\b"
)
_CAUSED = anycase(r"\b(?:caus|provok)(?:es?|ed|ing)\s(?:\w+ly\s)?\Z")
_THAN = anycase(r"\W*(?:than|compared|in|with|by|on|$)\b")
"""After "more" or "less" that tells of a verb: "lowered it more than"."""
_NEAR = 40
"""Characters after "less" or "more" in which what there is less of is named."""


def _counted(count: int) -> float:
    return min(count, _MOST_COUNTED) / _MOST_COUNTED


def _place(side: Sequence[Concept], text: str) -> int | None:
    """Return where a sentence first names a side; None where it does not."""
    wanted = {part for concept in side for part in concept.stems}
    wanted = {part for part in wanted if len(part) > _SHORT} or wanted
    return next(
        (match.start() for match in _WORD.finditer(text) if _is(fold(match.group()), wanted)), None
    )


def _is(word: str, wanted: set[str]) -> bool:
    return stem(word) in wanted or any(
        len(part) > _SHORT and word.startswith(part) for part in wanted
    )


_WORD = regex(r"[A-Za-z][A-Za-z0-9]*")
_SHORT = 4
"""Letters of a word that may be part of many others."""


def leaning(sentence: str, kind: Kind) -> float:
    """Return how far a sentence says yes (above 0) or no to a question of this kind, about -4 to 4;
    0 for a call for research.
    """
    if is_outlook(sentence):
        return 0.0
    signs = LEANINGS[kind]
    return sum(
        signs.get(word, 0.0) * min(count, _MOST_COUNTED)
        for word, count in polar_words(sentence).items()
    )


def own_sentences(article: Article) -> list[AbstractSentence]:
    """The sentences of an abstract without notices."""
    return [sentence for sentence in abstract_sentences(article) if sentence.role != "notice"]


def _conclusion(sentences: Sequence[AbstractSentence]) -> list[AbstractSentence]:
    telling = [each for each in sentences if not is_on_size(each.text)] or sentences
    found = [each for each in telling if each.role == "conclusion"]
    if len(found) == 1 and NO_EVIDENCE.search(found[0].text):
        return list(telling[-2:])  # what is not proved follows what is
    return found or list(telling[-2:])


def _focus(
    conclusion: list[AbstractSentence], wanted: tuple[Concept, ...], expansions: dict[str, str]
) -> AbstractSentence:
    """The sentence of the conclusion that is most about the question, an early one before a late
    one.
    """

    def score(place: int) -> float:
        text = conclusion[place].text
        return (
            coverage(wanted, vocabulary(text, expansions))
            - 0.1 * place
            - (0.5 if is_outlook(text) else 0.0)
        )

    return conclusion[max(range(len(conclusion)), key=score)]


def _counts(where: str, sentences: Sequence[AbstractSentence]) -> dict[str, float]:
    counts: Counter[tuple[str, bool]] = Counter()
    for sentence in sentences:
        counts.update(polar_words(sentence.text))
    return {
        f"{where} {'not ' if negated else ''}{kind}": _counted(count)
        for (kind, negated), count in counts.items()
    }


def _outcome(concept: Concept, conclusion: Sequence[AbstractSentence]) -> dict[str, float]:
    """Return whether the last thing asked about, often the outcome, comes back in the conclusion
    only under a negation.
    """
    asked = set(concept.stems)
    places = [
        inside(match.start(), negated_spans(sentence.text))
        for sentence in conclusion
        for match in _LONG_WORD.finditer(sentence.text)
        if stem(match.group().lower()) in asked
    ]
    return {"outcome negated" if all(places) else "outcome told": 1.0} if places else {}


_LONG_WORD = regex(r"[A-Za-z]{4,}")


def _echo(question: str, conclusion: Sequence[AbstractSentence]) -> dict[str, float]:
    """Return whether the question's words come back in the conclusion under a negation."""
    asked = {stem(word) for word in words(question) if len(word) > 3 and word not in FUNCTION_WORDS}
    negated = plain = 0
    for sentence in conclusion:
        spans = negated_spans(sentence.text)
        for match in _LONG_WORD.finditer(sentence.text):
            if stem(match.group().lower()) in asked:
                if inside(match.start(), spans):
                    negated += 1
                else:
                    plain += 1
    if not negated + plain:
        return {"no echo": 1.0}
    found = {
        "echo negated": math.tanh(negated / 2),
        "share of echoes negated": negated / (negated + plain),
    }
    return found | ({"an echo negated": 1.0} if negated else {})
