"""Relation: whether an article's own conclusion says yes or no to a question, or neither.

Each sentence of the conclusion gets a leaning: its polar words (`polarity`), each counted with the sign that it has for this
kind of question (`LEANINGS`: "similar" is a yes to "are they alike?" and a no to "do they differ?"). Leanings, the polar words
themselves, negated echoes of the question's words and its form are named features; a multinomial logistic regression with the
weights of `relation_weights` turns them into the probabilities of yes, no and maybe.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from clinfo.records import Article, Relation
from clinfo.text import coordination
from clinfo.text.abstracts import AbstractSentence, abstract_sentences
from clinfo.text.coordination import groups
from clinfo.text.keysentence import is_outlook
from clinfo.text.polarity import inside, main_statement, negated_spans, polar_words
from clinfo.text.question import Kind, affirmed, asked_part, forms, is_closed, question_kind, starts_with_verb
from clinfo.text.relation_weights import BIAS, MAYBE_FROM, WEIGHTS
from clinfo.text.sense import Heard, asked, heard, names, names_outcome
from clinfo.text.terms import FUNCTION_WORDS, Concept, acronyms, concepts, coverage, stem, vocabulary, words

_Leaning = dict[tuple[str, bool], float]


def _leaning(plain: dict[str, float], negated: dict[str, float]) -> _Leaning:
    return {(kind, False): value for kind, value in plain.items()} | {(kind, True): value for kind, value in negated.items()}


LEANINGS: dict[Kind, _Leaning] = {
    "neutral": _leaning(
        {"link": 0.4, "same": -0.9, "differ": 0.4, "good": 0.3, "bad": -0.1, "unneeded": -0.1},
        {"link": -1.4, "same": 0.4, "differ": -1.2, "good": -0.9, "bad": -0.1, "weak": -0.2},
    ),
    "gain": _leaning(
        {"link": 0.4, "same": -0.9, "differ": 0.4, "good": 0.5, "bad": -0.6, "weak": -0.2, "unneeded": -0.2},
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
        {"good": 0.8, "bad": -0.9, "weak": -0.3, "same": 0.3, "link": 0.1, "unneeded": -0.1, "needed": 0.1},
        {"good": -1.3, "bad": 0.6, "weak": 0.3, "differ": 0.3, "link": -0.4, "needed": -0.2},
    ),
    "need": _leaning(
        {"unneeded": -1.1, "needed": 0.6, "good": 0.3, "bad": -0.3, "same": -0.4, "link": 0.2, "weak": -0.2},
        {"unneeded": 0.5, "needed": -1.3, "good": -0.9, "differ": -0.4, "link": -0.4},
    ),
    "omit": _leaning(
        {"unneeded": 0.8, "needed": -0.2, "good": 0.6, "bad": -0.6, "same": 0.6, "weak": -0.1},
        {"needed": 1.0, "good": -0.9, "differ": 0.6, "link": 0.2},
    ),
    "harm": _leaning(
        {"link": 0.4, "same": -1.0, "good": -0.5, "bad": 0.5, "differ": 0.3, "weak": 0.2, "unneeded": -0.2},
        {"link": -1.3, "differ": -0.9, "good": 0.4, "bad": -0.7, "weak": -0.4},
    ),
}
"""What a polar word, plain or negated, says to a kind of question: above 0 towards yes, below towards no (set by hand)."""

_MARKS: dict[str, re.Pattern[str]] = {
    name: re.compile(pattern, re.IGNORECASE)
    for name, pattern in {
        "does not": r"\b(?:do|does|did)(?: not|n['’]t)\b",
        "is not": r"\b(?:is|are|was|were|be|been)(?: \w+ly)? not\b",
        "no": r"\b(?:no|neither|nor|none)\b",
        "cannot": r"\b(?:cannot|can not|could not|should not|may not|might not|will not|would not|failed|lack\w*)\b",
        "suggests": r"\b(?:suggest\w*|seems?|appears?)\b",
        "may": r"\b(?:may|might)\b(?! not)",
        "can": r"\bcan\b(?! not)",
        "but": r"\b(?:but|however|although)\b",
        "only": r"\b(?:only|some|certain|subgroups?|selected|subsets?)\b",
    }.items()
}
_NO_COMPARISON: frozenset[Kind] = frozenset(("gain", "evaluative"))
_COMPARES = re.compile(r"\b(?:versus|vs|compar\w+|than|superior\w*|inferior\w*|better|more|less|which|between)\b", re.IGNORECASE)
"""Words of a question that asks how treatments compare."""
_MOST_COUNTED = 2
"""A kind of polar word counts at most this often in a sentence."""
MARGIN = 0.1
"""Least distance between the probabilities of yes and no for either to be said."""
_ASKS_BETTER = re.compile(
    r"\b(?:better|superior|preferable|more (?:effective|efficacious|accurate|useful|reliable)(?:ly)?|safer|outperform\w*|"
    r"(?:more|less|fewer|greater|higher|lower)\b[^?]*\bthan)\b",
    re.IGNORECASE,
)
_ASKS_AS_GOOD = re.compile(r"\bas (?:good|effective|efficacious|safe|useful|accurate|reliable|well) as\b", re.IGNORECASE)
_FINDS_ALIKE = re.compile(
    r"\b(?:neither|each (?:effective|of)|both (?:\w+ ){0,4}(?:effective|improved|reduced|were|are)|similar\w*|equal(?:ly)?|"
    r"comparabl[ey]|equivalent|alike|same extent|no (?:\w+ )?(?:advantage|superiority|differences?)|"
    r"not (?:\w+ )?(?:superior|better|differ\w*)|"
    r"(?:no less|as) (?:\w+ )?(?:than|as)|non-?inferior\w*)\b",
    re.IGNORECASE,
)
_FINDS_BETTER = re.compile(
    r"(?<!not )(?<!no )(?<!neither )\b(?:(?:better|more (?:\w+ )?|less (?:\w+ )?|superior (?:to)?)(?:than|to)|outperform\w*|"
    r"even though|although)\b",
    re.IGNORECASE,
)
_HEDGED = re.compile(
    r"\b(?:appear\w*|seem\w*|may|might|could|suggest\w*|hint\w*|possibl[ey]|perhaps|potential\w*)\b", re.IGNORECASE
)
_COMPARATOR = re.compile(r"\b(?:versus|vs|compared (?:with|to)|relative to)\b", re.IGNORECASE)
_SAFE = re.compile(r"\b(?:safe\w*|toler\w+|harm\w*|adverse|side effects?|complications?|toxic\w*)\b", re.IGNORECASE)
"""What a conclusion must name to say anything on harm in general: that a treatment worked does not."""
_CONTRARIES = (
    ("slower", "faster|quicker"),
    ("faster|quicker", "slower"),
    ("higher", "lower"),
    ("lower", "higher"),
    ("longer", "shorter"),
    ("shorter", "longer"),
    ("more", "less|fewer"),
    ("less|fewer", "more"),
    ("better", "worse"),
    ("worse", "better"),
    ("earlier", "later"),
    ("later", "earlier"),
    ("greater|larger", "smaller|lesser"),
    ("smaller", "greater|larger"),
)
_CONTRARY = tuple(
    (re.compile(rf"\b(?:{one})\b(?:[^?]*\bthan\b)?", re.IGNORECASE), re.compile(rf"\b(?:{other})\b", re.IGNORECASE))
    for one, other in _CONTRARIES
)
"""Comparatives with their contraries: a conclusion that has only the contrary of what is asked is no plain yes."""
_PLURAL = re.compile(r"[^\Wsui_]s$", re.IGNORECASE)
_ADDED_TO = re.compile(r"\b(added|adding\s[^.;,]{3,40}?|addition|add-on|adjunct|adjuvant)\sto\s[\w-]+", re.IGNORECASE)
_TURN = re.compile(r"\b(?:but|although|though|while|however|and)\b", re.IGNORECASE)
"""Where a sentence turns, it may say more than that research is needed."""
_NAMES_TOPIC = 0.6
"""Share of the question's concepts, by weight, that title and conclusion must name for the article to answer it."""


@dataclass(frozen=True)
class Stance:
    """What an article says to a question: the probabilities of yes, no and maybe, which add up to 1."""

    yes: float
    no: float
    maybe: float


def relation(question: str, article: Article) -> Relation:
    """The relation of the article's own conclusion to the question; "does not answer" for an article without abstract.

    A question asked the negative way round ("is it ineffective?") is read the positive way round, and its answer turned.
    """
    plain = affirmed(question)
    found = _relation(plain.text, article)
    return _TURNED.get(found, found) if plain.turned else found


_TURNED: dict[Relation, Relation] = {"supports": "contradicts", "contradicts": "supports"}


def _relation(question: str, article: Article) -> Relation:
    sentences = _own_sentences(article)
    if not sentences or not _names_topic(question, article, sentences):
        return "does not answer"
    if all(is_outlook(sentence.text) and not _TURN.search(sentence.text) for sentence in _conclusion(sentences)):
        return "does not answer"
    if is_closed(question) and not _names_both(question, article, sentences):
        return "does not answer"
    found = stance(features(question, article))
    if found.maybe >= MAYBE_FROM or abs(found.yes - found.no) < MARGIN:
        read: Relation = "mixed"
    else:
        read = "supports" if found.yes >= found.no else "contradicts"
    return _compared(question, sentences, _heard(question, article, sentences, read))


def _heard(question: str, article: Article, sentences: Sequence[AbstractSentence], read: Relation) -> Relation:
    """The relation set against which way the outcome is said to have gone."""
    wanted = asked(question)
    if wanted is None:
        return read
    expansions = acronyms(f"{article.title} {article.abstract}")
    concluding = [
        sentence.text for sentence in _conclusion(sentences) if not is_outlook(sentence.text) or _TURN.search(sentence.text)
    ]
    if wanted.outcome is None and wanted.harm and not _SAFE.search(" ".join(concluding)):
        return "does not answer"
    told = heard(wanted, concluding, expansions)
    concluded = told != Heard()
    if not concluded:
        told = heard(wanted, [each.text for each in sentences if each.role == "results"], expansions, named=True)
    against = told.oppose + told.deny
    if told.agree and not against:
        if read != "contradicts" or _COMPARES.search(asked_part(question)):
            return read
        return "mixed" if _HEDGED.search(" ".join(concluding)) else "supports"
    if against and not told.agree:
        if wanted.wanting and told.oppose:
            return "does not answer"
        return "contradicts" if concluded or read == "contradicts" else "mixed"
    if against:
        return "mixed" if read == "contradicts" or wanted.harm else read
    if told.aside or (wanted.harm and read == "supports"):
        return "does not answer"
    return read


def _compared(question: str, sentences: Sequence[AbstractSentence], read: Relation) -> Relation:
    """The relation where a question compares two things that the conclusion finds alike: neither "better" nor "not as good"."""
    part = asked_part(question)
    concluding = " ".join(sentence.text for sentence in _conclusion(sentences))
    if read == "supports" and any(
        one.search(part) and other.search(concluding) and not one.search(concluding) for one, other in _CONTRARY
    ):
        return "mixed"
    wrong: Relation | None = "supports" if _ASKS_BETTER.search(part) else "contradicts" if _ASKS_AS_GOOD.search(part) else None
    if read != wrong or not _FINDS_ALIKE.search(concluding):
        return read
    return "mixed" if _FINDS_BETTER.search(concluding) else _TURNED[read]


def _names_both(question: str, article: Article, sentences: Sequence[AbstractSentence]) -> bool:
    """Whether what is asked about and its outcome are named where an article says what it studied and found.

    The first by title or conclusion, other than as what is compared with or added to; the last there or in a result. A class
    ("probiotics") may be named anywhere, because title and conclusion name its member.
    """
    wanted = [group for group in groups(question) if group.needed]
    if not wanted or not starts_with_verb(asked_part(question)):
        return True
    expansions = acronyms(f"{article.title} {article.abstract}")
    concluding = [sentence.text for sentence in _conclusion(sentences)]
    results = [sentence.text for sentence in sentences if sentence.role == "results"]
    studied = _ADDED_TO.sub(r"\1", " ".join([_COMPARATOR.split(article.title)[0], *concluding]))
    abstract = vocabulary(" ".join(sentence.text for sentence in sentences), expansions)
    if not names(wanted[0], studied, expansions) and not (_is_class(wanted[0]) and wanted[0].named(abstract)):
        return False
    aim = asked(question)
    if aim is None or aim.outcome is None:
        return True
    return any(names_outcome(aim.outcome, text, expansions) for text in (article.title, *concluding, *results))


def _is_class(group: coordination.Group) -> bool:
    """Whether a plural names what is asked about: a class of treatments rather than one."""
    return any(_PLURAL.search(concept.text) for concept in group.concepts)


def stance(own: dict[str, float]) -> Stance:
    """The probabilities that `features` lead to."""
    scores = list(BIAS)
    for name, value in own.items():
        for place, weight in enumerate(WEIGHTS.get(name, ())):
            scores[place] += weight * value
    top = max(scores)
    parts = [math.exp(score - top) for score in scores]
    total = sum(parts)
    return Stance(*(part / total for part in parts))


def features(question: str, article: Article) -> dict[str, float]:
    """Named features of question and conclusion, values from -2 to 2; none for an article without abstract."""
    sentences = _own_sentences(article)
    if not sentences:
        return {}
    conclusion = _conclusion(sentences)
    results = [sentence for sentence in sentences if sentence.role == "results"]
    kind = question_kind(question)
    if kind in _NO_COMPARISON and not _COMPARES.search(question):
        conclusion = [replace(sentence, text=main_statement(sentence.text)) for sentence in conclusion]
    expansions = acronyms(f"{article.title} {article.abstract}")
    wanted = concepts(question)
    focus = _focus(conclusion, wanted, expansions)
    leanings = [leaning(sentence.text, kind) for sentence in conclusion]
    found = {f"kind {kind}": 1.0}
    found.update((f"asks {form}", 1.0) for form in forms(question))
    found["leaning of the focus"] = 2 * math.tanh(leaning(focus.text, kind) / 1.5)
    found["leaning of the first"] = math.tanh(leanings[0] / 1.5)
    found["leaning of the last"] = math.tanh(leanings[-1] / 1.5)
    found["leaning of all"] = 2 * math.tanh(sum(leanings) / 3)
    found["least leaning"] = math.tanh(min(leanings) / 1.5)
    if results:
        told = sum(coverage(wanted, vocabulary(sentence.text, expansions)) * leaning(sentence.text, kind) for sentence in results)
        found["leaning of the results"] = math.tanh(told / 2)
    found.update(_counts("focus", [focus]))
    found.update(_counts("rest", [sentence for sentence in conclusion if sentence is not focus]))
    text = " ".join(sentence.text for sentence in conclusion if not is_outlook(sentence.text))
    found.update((f"says {name}", 1.0) for name, pattern in _MARKS.items() if pattern.search(text))
    found.update(_echo(question, conclusion))
    if wanted and kind in ("neutral", "gain"):
        found.update(_outcome(wanted[-1], conclusion))
    return found


def leaning(sentence: str, kind: Kind) -> float:
    """How far a sentence says yes (above 0) or no to a question of this kind, about -4 to 4; 0 for a call for research."""
    if is_outlook(sentence):
        return 0.0
    signs = LEANINGS[kind]
    return sum(signs.get(word, 0.0) * min(count, _MOST_COUNTED) for word, count in polar_words(sentence).items())


def _own_sentences(article: Article) -> list[AbstractSentence]:
    return [sentence for sentence in abstract_sentences(article) if sentence.role != "notice"]


def _conclusion(sentences: Sequence[AbstractSentence]) -> list[AbstractSentence]:
    return [sentence for sentence in sentences if sentence.role == "conclusion"] or list(sentences[-2:])


def _names_topic(question: str, article: Article, sentences: Sequence[AbstractSentence]) -> bool:
    """Whether title and conclusion together are about what is asked."""
    expansions = acronyms(f"{article.title} {article.abstract}")
    told = " ".join([article.title, *(sentence.text for sentence in _conclusion(sentences))])
    return coordination.coverage(groups(question), vocabulary(told, expansions)) >= _NAMES_TOPIC


def _focus(conclusion: list[AbstractSentence], wanted: tuple[Concept, ...], expansions: dict[str, str]) -> AbstractSentence:
    """The sentence of the conclusion that is most about the question, an early one before a late one."""

    def score(place: int) -> float:
        text = conclusion[place].text
        return coverage(wanted, vocabulary(text, expansions)) - 0.1 * place - (0.5 if is_outlook(text) else 0.0)

    return conclusion[max(range(len(conclusion)), key=score)]


def _counts(where: str, sentences: Sequence[AbstractSentence]) -> dict[str, float]:
    counts: Counter[tuple[str, bool]] = Counter()
    for sentence in sentences:
        counts.update(polar_words(sentence.text))
    return {
        f"{where} {'not ' if negated else ''}{kind}": min(count, _MOST_COUNTED) / _MOST_COUNTED
        for (kind, negated), count in counts.items()
    }


def _outcome(concept: Concept, conclusion: Sequence[AbstractSentence]) -> dict[str, float]:
    """Whether the last thing asked about, often the outcome, comes back in the conclusion only under a negation."""
    asked = set(concept.stems)
    places = [
        inside(match.start(), negated_spans(sentence.text))
        for sentence in conclusion
        for match in _LONG_WORD.finditer(sentence.text)
        if stem(match.group().lower()) in asked
    ]
    return {"outcome negated" if all(places) else "outcome told": 1.0} if places else {}


_LONG_WORD = re.compile(r"[A-Za-z]{4,}")


def _echo(question: str, conclusion: Sequence[AbstractSentence]) -> dict[str, float]:
    """Whether the question's words come back in the conclusion under a negation."""
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
    found = {"echo negated": math.tanh(negated / 2), "share of echoes negated": negated / (negated + plain)}
    return found | ({"an echo negated": 1.0} if negated else {})
