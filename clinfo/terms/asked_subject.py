"""The subject of a question: its concepts, comparison and aspect; and whether an article addresses
them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from clinfo.lazy_dataclass import dataclass
from clinfo.records.articles import Article
from clinfo.terms import naming
from clinfo.terms.sense import MOST, asked, begins_a_word
from clinfo.text.abstracts import AbstractSentence, abstract_sentences
from clinfo.text.coordination import Group, coverage, groups
from clinfo.text.question import affirmed, asked_part, starts_with_verb
from clinfo.text.regex import anycase, regex
from clinfo.text.subjects import chances
from clinfo.text.terms import (
    NON,
    Concept,
    Vocabulary,
    acronyms,
    apart,
    concepts,
    fold,
    share,
    stem,
    vocabulary,
    words_as_written,
)

_BETTER = (
    r"(?:better|superior|inferior|preferable|safer|cheaper|faster|(?:more|less|"
    r"as)\s(?:\w+\s)?\w+)\s"
    r"(?:[^?.;]{0,60}?\s)?(?:than|to|as)"
)
_AGAINST = (
    rf"(?:{_BETTER}|versus|vs\.?|v\.?|compared (?:with|to)|rather than|instead of|than|as (?:\w+ "
    r"){1,4}as)"
)
_SIDES = anycase(
    r"\b(?:is|are|was|were|does|do|did|can|should|"
    rf"between)\s(?P<one>[^?;]{{2,120}}?)\s{_AGAINST}\s(?P<other>[^?;]{{2,120}})"
)
_BETWEEN = anycase(r"\bbetween\s(?P<one>[^?;]{2,80}?)\sand\s(?P<other>[^?;]{2,80})")
_COMPARES = anycase(
    r"\b(?:than|versus|vs|compared (?:with|to)|rather than|instead of|better|superior|inferior|as "
    r"(?:\w+ ){1,4}as|"
    r"differ\w* between)\b"
)
_NO_TREATMENT = anycase(
    r"\W*(?:an? |the )?(?:placebo|sham|no |nothing|usual|standard|control|before|without|expected)"
)
"""A comparator that an abstract need not name as such."""
_LEAST_TOPIC = 0.6
"""Share of the question's concepts, by weight, that title and abstract must name for an article to
speak of it.
"""
HARM = anycase(
    r"\b(?:safe\w*|(?:well|poorly|better)[ -]tolera\w+|tolerab\w+|harm\w*|adverse|side[ -]effects?|"
    r"complications?|toxic\w*|"
    r"contraindicat\w+)\b"
)
_ASKS_HARM = regex(
    (
        r"\b(?:safe(?:ly|ty)?|harm\w*|adverse|side[ -]effects?|complications?|toxic\w*|danger\w*|"
        r"risky|tolera\w+)\b"
    ),
    re.I,
)
_ASPECTS: tuple[tuple[str, re.Pattern[str], re.Pattern[str]], ...] = (
    ("harm", _ASKS_HARM, HARM),
    (
        "diagnosis",
        anycase(
            r"\b(?:diagnos(?:e|es|is|tic|ing)|sensitivity|specificity|accura\w+|rule (?:out|in)|"
            r"detect\w*|screening test)\b"
        ),
        anycase(
            r"\b(?:diagnos\w+|sensitiv\w+|specific\w*|accura\w+|predictive|likelihood|detect\w*|"
            r"AUC|ROC)\b"
        ),
    ),
    (
        "prognosis",
        anycase(r"\b(?:prognos\w+|predict\w*|risk factors?|life expectancy)\b"),
        anycase(
            r"\b(?:prognos\w+|predict\w*|risk|associat\w+|surviv\w+|hazard|odds|mortality|"
            r"outcomes?)\b"
        ),
    ),
    (
        "dose",
        anycase(
            r"\b(?:higher|lower|double|half|optimal|what|which|best|high|low)[- ](?:\w+[ "
            r"-]){0,2}dos(?:e|es|age|ing)\b|"
            r"\bdose[- ](?:response|dependent)"
        ),
        anycase(
            r"\b(?:dos(?:e|es|age|ages|ing)|\d+(?:\.\d+)? ?(?:mg|mcg|g|IU|units?|ml|micrograms?)|"
            r"once|twice)\b"
        ),
    ),
)
"""The aspects of a subject that a question may ask about, with the words that ask it and those that
an answer has.
"""
_PEOPLE = (
    (
        "children",
        (
            r"child\w*|paediatric\w*|pediatric\w*|boys|girls|kids|infants?|adolescen\w+|teenage\w*|"
            r"youths?|young people"
        ),
    ),
    ("adolescents", r"adolescen\w+|teenage\w*|teens?|youths?|young people"),
    (
        "older people",
        r"elder\w*|older (?:people|adults?|patients?|men|women|persons?)|seniors|geriatric\w*|aged",
    ),
    ("infants", r"infan\w+|neonat\w+|newborn\w*|preterm|babies|baby"),
    ("pregnancy", r"pregnan\w+|gestation\w*|antenatal\w*|prenatal\w*|maternal\w*|expectant"),
    ("women", r"wom[ae]n|females?|girls|mothers?|maternal|pregnan\w+|postmenopaus\w+"),
    ("men", r"m[ae]n|males?|boys|fathers?"),
)
ASKED_OF = tuple((name, anycase(rf"\b(?:{pattern})\b")) for name, pattern in _PEOPLE)
"""Groups of people whom an article must name where a question asks about them."""


@dataclass(frozen=True)
class Subject:
    """The subject of a question: the groups of concepts, the concepts of the two sides where two
    things are compared, and the aspect.

    ``aspect`` is "harm", "diagnosis", "prognosis", "dose" or None.
    """

    question: str
    wanted: tuple[Group, ...]
    sides: tuple[tuple[Concept, ...], tuple[Concept, ...]] | None
    aspect: str | None

    def addressed(self, article: Article) -> bool:
        """Return whether an article speaks of it."""
        return self.missing(article) is None

    def missing(self, article: Article) -> str | None:
        """Return what an article lacks that it would have to name to answer, in words; None where
        it lacks nothing.

        It must name most of what is asked, both sides of a comparison, the people, and in results
        or conclusion the outcome and the aspect.
        """
        sentences = [
            sentence for sentence in abstract_sentences(article) if sentence.role != "notice"
        ]
        if not sentences or not self.wanted:
            return "an abstract"
        expansions = acronyms(f"{article.title} {article.abstract}") | acronyms(self.question)
        whole = f"{article.title} {' '.join(sentence.text for sentence in sentences)}"
        held = vocabulary(whole, expansions)
        if self.sides is not None:
            for side in self.sides:
                if not _named(side, whole, expansions):
                    return side[0].text
        needed = [
            group
            for group in self.wanted
            if group.needed and not all(_DOING.fullmatch(each.text) for each in group.concepts)
        ]
        if needed and starts_with_verb(asked_part(self.question)):
            concluding = (
                " ".join(each.text for each in sentences if each.role == "conclusion")
                or sentences[-1].text
            )
            title = article.title if self.sides is not None else _COMPARATOR.split(article.title)[0]
            several = any(_PLURAL.search(each.text) for each in needed[0].concepts)
            about = whole if several else f"{title} {concluding}"
            if not _named(needed[0].concepts, self.given(about), expansions):
                return _words(needed[0])
        told = " ".join(
            [
                article.title,
                *(each.text for each in sentences if each.role in ("results", "conclusion")),
            ]
        )
        if self.aspect is not None and not self.tells_aspect(told):
            return self.aspect
        aim = asked(self.question)
        if (
            aim is not None
            and aim.outcome is not None
            and not _touched(aim.outcome, told, expansions)
        ):
            return _words(aim.outcome)
        for name, pattern in ASKED_OF:
            if pattern.search(self.question) and not pattern.search(
                f"{whole} {' '.join(article.mesh)}"
            ):
                return name
        if _ADULTS.search(self.question) and _only_children(article, whole):
            return ADULTS
        for word in _NEGATED.findall(self.question):
            if (
                _is_population(word)
                and not held.has(stem(fold(word)))
                and _has_it(_bare(word), article.title, sentences)
            ):
                return str(word)
        if not _ANIMALS.search(self.question) and (of := chances(article))["animals"] > max(
            of["people"], of["laboratory"]
        ):
            return PEOPLE
        if coverage(self.wanted, held) < _LEAST_TOPIC:
            return _words(
                next((group for group in self.wanted if not group.named(held)), self.wanted[0])
            )
        return None

    def given(self, text: str) -> str:
        """The text with substances blanked that are used up in it, or, where question or text names
        something given, measured ("iron status"), unless the question asks about such a measure.
        """
        treatment = self.question[: self.wanted[0].concepts[-1].end + _NEAR] if self.wanted else ""
        text = _ADDED_TO.sub(r"\1", text)
        if _MEASURED.search(treatment) or _USED_UP.search(treatment):
            return text
        text = _USED_UP.sub(_blank, text)
        gives = _GIVES.search(treatment) or _SUPPLEMENTS.search(text) or _CHANGES.search(text)
        return _MEASURED.sub(_blank, text) if gives else text

    def compared_on(self) -> tuple[Group, ...]:
        """The outcomes on which the two sides are compared: what else is asked but who was studied
        and which condition they have.
        """
        aim = asked(self.question)
        if aim is not None:
            return (aim.outcome,) if aim.outcome is not None else ()
        compared = " ".join(each.text for side in self.sides or () for each in side)
        return tuple(
            group
            for group in self.wanted
            if not any(concept.text in compared for concept in group.concepts)
            and not _STUDIED.search(self.question[: group.concepts[0].start])
            and not _is_condition(group.concepts[-1])
        )

    def sets(self, text: str, expansions: dict[str, str]) -> bool:
        """Return whether a text names an outcome on which sides are compared; true where none is
        asked about.
        """
        outcomes = self.compared_on()
        return not outcomes or any(_touched(group, text, expansions) for group in outcomes)

    def tells_aspect(self, text: str) -> bool:
        """Return whether a text has words of the aspect that is asked about; true where none is."""
        return self.aspect is None or any(
            name == self.aspect and told.search(text) for name, _, told in _ASPECTS
        )

    def told(self, text: str, article: Article) -> float:
        """Return how much of what is asked a sentence names, 0 to 1; less where it does not speak
        of the aspect.
        """
        share_named = coverage(
            self.wanted, vocabulary(text, acronyms(f"{article.title} {article.abstract}"))
        )
        return share_named * (1.0 if self.tells_aspect(text) else 0.5)


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())


_MEASURED = anycase(
    r"\b(?:serum|plasma|urinary|(?<=in )blood)\s[\w-]+|"
    r"\b[\w-]+(?:\sand\s[\w-]+)?\s(?:status|levels?|concentrations?|deficien\w+|insufficien\w+|"
    r"stores?|indices|absorption|metabolism)\b"
)
"""A substance as it is found, not given."""
_USED_UP = anycase(
    r"\b(?:opioids?|opiates?|\w*morph(?:in)?e|\w*fentan[iy]l|tramadol|pethidine|meperidine|narcotics?|"
    r"analgesics?|an(?:a?e)sthetics?|propofol|sevoflurane|oxygen)\s(?:consumption|requirements?)\b"
)
"""A drug as it is used up beside what is given, an outcome."""
_CHANGES = anycase(
    r"[a-z] (?<!with )(?<!of )(?<!that )(?<!in )(?<!for )(?<!to )"
    r"(?:improved|raised|increased|lowered|reduced|decreased)\s(?:\w+\s)?[\w-]+\s(?:status|levels?|"
    r"concentrations?|stores?)\b"
)
"""A measure that something given changes."""
_SUPPLEMENTS = anycase(r"\b(?:supplement\w*|fortif\w+)\b")
_GIVES = anycase(
    rf"{_SUPPLEMENTS.pattern}|\b(?:therap\w+|treatments?|replacement|infusions?|injections?|"
    r"administ\w+|giving|tak(?:e|ing)|dos(?:e|es|age|ing)|oral|intravenous|tablets?|capsules?|mg)\b|"
    r"\d ?(?:mg|mcg|g|IU|ml)\b"
)
"""Words of a question on something given, against an exposure."""


def _is_population(negated: str) -> bool:
    """Return whether a negated word says who was studied ("non-diabetic"), not what was given
    ("non-steroidal").
    """
    kinds = {naming.kind_of(part) for part in naming.parts(_bare(negated))}
    return bool(kinds & {"condition", "symptom"}) or _SMOKER.search(negated) is not None


def _bare(negated: str) -> str:
    return re.sub(rf"(?i)^{NON}|[-‐‑]neg.*", "", negated)


def _has_it(word: str, title: str, sentences: Sequence[AbstractSentence]) -> bool:
    """Return whether those studied have what the question's people have not: title or last sentence
    name it and nothing there denies it.
    """
    text = fold(f"{title} ; {sentences[-1].text}")
    return begins_a_word(word[: max(_SHORT, len(word) - 2)], _DENIED.sub(" ", text))


def _only_children(article: Article, whole: str) -> bool:
    """Return whether a study is on children alone, by its title, its counts or its headings."""
    headings = " ; ".join(article.mesh)
    return not (_ADULT.search(f"{whole} {headings}") or _AGED.search(headings)) and (
        _CHILD.search(f"{article.title} ; {headings}") is not None
        or _COUNTED_CHILDREN.search(whole) is not None
    )


PEOPLE, ADULTS = "people", "adults"
"""What a study on animals lacks, and one on children."""
_NEGATED = anycase(rf"\b{NON}\w+|\b\w{{2,3}}v-negative\b")
_DENIED = anycase(
    r"\b(?:never|without|free (?:of|from)|no|not|excluding)[\s-]"
    r"(?:(?:a|known|prior|history of|type \d)\s)*[\w-]+"
)
_SMOKER = anycase(r"smok|negative|drink|pregnan")
_ANIMALS = anycase(
    r"\b(?:animals?|rats?|mice|mouse|murine|rodents?|rabbits?|dogs?|canine|cats?|feline|horses?|equine|"
    r"sheep|lambs?|ewes?|goats?|cows?|cattle|bovine|calves|pigs?|piglets?|porcine|swine|chickens?|"
    r"broilers?|fish|zebrafish|monkeys?|macaques?|primates?|drosophila|veterinary)\b"
)
"""Words of a question that asks about animals."""
_ADULTS = anycase(r"\badults?\b")
_ADULT = anycase(r"\badults?\b|\belderly\b|\b(?:wo)?men\b|\bpostmenopausal\b|\bvolunteers\b")
_AGED = anycase(r"\baged\b")
_YOUNG = r"(?:child(?:ren)?|infants?|neonat\w+|newborns?|adolescents?|boys|girls)\b"
_CHILD = anycase(rf"\b(?:{_YOUNG}|childhood(?![- ](?:onset|cancer|trauma))|pa?ediatric\w*)")
_COUNTED_CHILDREN = anycase(
    rf"\b\d+\s(?:(?!with|in\b|of\b|pa(?:tients|rticipants))[\w-]+\s){{0,2}}{_YOUNG}"
)


def _is_condition(concept: Concept) -> bool:
    last = naming.parts(concept.text)[-1]
    return naming.kind_of(last) == "condition" or last.weight <= _LITTLE


_STUDIED = anycase(
    r"\b(?:in|among|with|during|after|before|undergoing|having)\s(?:(?!for\b|at\b)[\w-]+\s){0,3}\Z"
)
"""Words before who was studied."""


def _words(group: Group) -> str:
    return " or ".join(concept.text for concept in group.concepts)


@lru_cache(maxsize=256)
def subject(question: str) -> Subject:
    """Return what a question asks about, asked the positive way round."""
    plain = affirmed(question).text
    part = asked_part(plain)
    aspect = next((name for name, asks, _ in _ASPECTS if asks.search(part)), None)
    return Subject(plain, groups(question), _sides(plain), aspect)


def _sides(question: str) -> tuple[tuple[Concept, ...], tuple[Concept, ...]] | None:
    part = asked_part(question)
    found = _BETWEEN.search(part) or _SIDES.search(part)
    if found is None or not _COMPARES.search(part):
        return None
    if _NO_TREATMENT.match(found["other"]):
        return None
    led = _LED.search(found["one"])
    if led and (led["common"] or re.match(rf"{led['by']}\b", found["other"], re.I)):
        one = concepts(led["one"])[:1]  # "is nausea more common with A than with B"
    else:
        one = concepts(found["one"])[:1]
    other = concepts(found["other"])[:1]
    return (one, other) if one and other else None


_LED = anycase(
    r"(?:(?P<common>higher|lower|greater|(?:more|less) (?:common|frequent|often|likely))|\b\w+)\s"
    r"(?P<by>with|after|under|on|in|among)\s(?P<one>(?:(?!with\b|after\b|under\b)[^?;])+)\Z"
)
"""An outcome, a comparative and what it is compared under."""


def _named(side: tuple[Concept, ...], text: str, expansions: dict[str, str]) -> bool:
    """Return whether a text names one of the concepts: most of it, by synonyms and members of a
    class too, or its first word.

    The first word will do, as a verb may hang on to it ("zinc ease").
    """
    held = vocabulary(text, expansions)
    return any(
        (share(concept, held) >= MOST and not apart(concept.stems, held))
        or (naming.share(concept.text, held) >= MOST and not _inside_another(concept.text, text))
        or begins_a_word(concept.text, text)
        or _begins(concept, text, held)
        for concept in side
    )


def _inside_another(name: str, text: str) -> bool:
    """Return whether a text has a name of one word only within longer ones: esomeprazole is a
    narrower heading of omeprazole, and another drug.
    """
    return " " not in name and fold(name) in fold(text) and not begins_a_word(name, text)


def _begins(concept: Concept, text: str, held: Vocabulary) -> bool:
    name = " ".join(word for word in words_as_written(concept.text) if not _DOING.fullmatch(word))
    first = next(iter(naming.parts(name)), None)
    if first is None or len(first.stems) > 1:
        return first is not None and first.is_in(held)
    word = words_as_written(name)[0]
    return len(word) > _SHORT and _stands(word, text, held)


def _touched(group: Group, text: str, expansions: dict[str, str]) -> bool:
    """Return whether a text names an outcome, or has its noun, the last word, in any form."""
    held = vocabulary(text, expansions)
    nouns = [words_as_written(concept.text)[-1] for concept in group.concepts]
    return (
        bool(group.named(held))
        or any(naming.share(concept.text, held) >= MOST for concept in group.concepts)
        or any(_stands(noun, text, held) for noun in nouns if len(noun) > _SHORT)
    )


def _stands(word: str, text: str, held: Vocabulary) -> bool:
    """Return whether a word stands in a text, in another form too ("smokers", "smoking")."""
    root = fold(word)[: max(_SHORT, len(word) - 3)]
    return held.has(stem(fold(word))) or re.search(rf"\b{re.escape(root)}", fold(text)) is not None


_PLURAL = anycase(r"[^\Wsui_]s$")
"""A class of treatments rather than one: title and conclusion may name its member."""
_COMPARATOR = anycase(r"\b(?:versus|vs|compared (?:with|to)|relative to)\b")
_ADDED_TO = anycase(
    r"\b(added|(?:adding|addition)\b[^.;,]{0,40}?|add-on|adjunct|adjuvant)\sto\s[\w-]+(?:\s[A-Z]\b)?"
)
"""Words for adding to a treatment, which is then not what is studied."""
_LITTLE = 0.4
"""Weight of a word up to which it says little ("first", "adults")."""
_NEAR = 15
"""Characters after a treatment in which what is measured of it stands ("vitamin D levels")."""
_SHORT = 3
"""Letters of a word that are too few to know it by."""
_DOING = anycase(r"(?:adding|taking|giving|using|receiving|having|getting)")
"""Verbs of giving or taking a treatment, which an abstract need not say."""
