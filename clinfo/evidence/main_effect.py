"""Selects the effect that represents an article: one with known outcome, arms and sign, or none.

Effects are ratios and differences with their measure (`clinfo.text.effects`) and values of two arms
set side by side (`clinfo.text.arm_values`). One is taken only where its own clause names the
outcome that is asked for (or, where the question asks for none, one that the study names), where it
is known whose each side is, and where nothing the abstract says of the outcome's direction speaks
against its figures. In doubt there is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set

from clinfo.evidence.effect_direction import effect_direction
from clinfo.lazy_dataclass import dataclass, replace
from clinfo.records.appraisal import Effect
from clinfo.records.articles import Article, Span
from clinfo.text.abstracts import AbstractSentence, abstract_sentences
from clinfo.text.arm_values import ArmValues, arm_values, change_told, size
from clinfo.text.arms import Arms, arms, is_control, tokens
from clinfo.text.asked_parts import AskedParts, asked_parts
from clinfo.text.effect_sides import Sides, sides
from clinfo.text.effects import StatedEffect, stated_effects
from clinfo.text.lexicon import either, words_of
from clinfo.text.outcome_names import OutcomeName
from clinfo.text.regex import anycase, regex
from clinfo.text.sample_size import arms_told
from clinfo.text.study_question import StudyQuestion
from clinfo.text.terms import GENERIC_WORDS, acronyms, fold, is_content, stem, stems, words

MOST_EFFECTS = 60
"""Effects of one article that are weighed; an abstract states a third of this at most, or is
none.
"""
LEAST_NAMED = 0.86
"""The share of an outcome's wording, 0 to 1, that the clause of an effect must name to be the
effect on it.
"""
_MORE_NAMED = anycase(
    r"\A\W*(?:(?:scores?|rates?|levels?|incidence|values?)\W+)?(?:,|and|or|as well as|"
    r"/)\W*(?!(?:was|were|is|"
    r"did|the (?:inter|con))\b)"
    r"[a-z]"
)
"""Words after an outcome that is the first of several which share what is said of them."""
_COMPOUND = anycase(r",|\s(?:and|or)\s|/\s|\w{3}/\w{3}|&|\([^)]*\Z")
"""Between two outcomes named together, of which no one figure is the effect."""
_DEFINITION = regex(r"[(\[][^()\[\]]{16,}[)\]]")
"""A long bracket, which says how an outcome is defined, not what is measured."""
_ALTHOUGH = anycase(r"\b(?:although|though|while|whereas|despite|however|except)\b")
_BRACKETS = regex(r"[(\[][^()\[\]]*[)\]]")
_NEW_CLAUSE = anycase(
    r"(?:,|\b(?:and|but))\s(?:it|there|they|we|that|this|these|(?:the\s)?(?!(?:was|were|had|did|is|"
    r"are)\b)[a-z][\w-]*(?:\s[\w-]+){0,2})\s(?:was|were|had|did|is|are)\b"
)
"""The beginning of another subject behind an outcome."""
_P = anycase(r"[\s,;()\[\]]{0,4}(?P<p>p(?:[\s-]?value)?\s?[<>=≤≥]\s?0?[.·]\d+)")
_MORE_BEFORE = anycase(r"(?:,|\band|\bor|\bas well as)\s(?:the\s|mean\s)?\Z")
_SUBGROUP = anycase(
    r"\b(?:in|among|for|within)\s(?:the\s)?(?:sub-?(?:group|set|population)s?\b|"
    rf"(?:{either('people', 'subgroup')})\s(?:with|who|aged|without|younger|older|whose|over|"
    rf"under|in)\b)(?P<who>[^,;()]{{0,60}})|\bsub-?group\b|\A\W*(?:in|among|for)\s"
    rf"(?P<whose>[^,;]{{3,60}}\b(?:{either('people', 'whose')}))\b,"
)
_PART_BEHIND = anycase(
    rf"\b(?:in|among|for)\s(?:the\s)?(?P<who>[^,;.()]{{2,50}}?)\s"
    rf"(?:{either('people', 'part')})\b"
)
"""Of whom an effect is, told behind it."""
_CONTROL = anycase(r"\b(?:placebo|sham|vehicle|usual care|standard care|controls?)\b")
_NEXT = regex(r";\s|[.:]\s(?=[A-Z])|,\s(?:and|but|while|whereas)\b")
_OTHER_MODEL = anycase(r"\bsecondary analys|\bsensitivity analys|\bunivaria\w+|\bper-?protocol\b")
_BETWEEN_GROUPS = anycase(
    r"\b(?:between|inter)[- ](?:the\s|both\s|two\s)*(?:groups?|arms?|treatments?)\b|\bgroup "
    r"differences?\b"
)
_CHANGE_IN = anycase(
    rf"\b(?:{either('rising', 'change_in')}|{either('falling', 'change_in')}|changes?)\s(?:in|"
    r"of|from)\b"
)
"""Words after which the values of two arms are those of a change, not of the outcome."""
_LASTS = anycase(r"\bsurviv\w*|\btime\s(?:to|until)\b|\bduration\b")
"""Outcomes that are longer where the hazard is lower."""
_TIMES = frozenset(words_of("times", "survival"))
"""Units of such outcomes."""


_VAGUE = frozenset(words_of("generic_words", "vague"))
"""Words that alone name no outcome."""


@dataclass(frozen=True)
class MainEffect:
    """An effect with what it is of and between whom, in words of the question or else of the
    study.
    """

    effect: Effect
    outcome: str
    intervention: str
    comparator: str | None


@dataclass(frozen=True)
class _Candidate:
    """An effect, the words ``before`` it that may name its outcome, and whether the intervention's
    side is the higher one.
    """

    effect: Effect
    before: str
    rises: bool | None
    behind: str = ""
    own: str = ""
    """The words of the effect itself."""
    several: bool = False
    """True where another effect follows that has no words of its own, so that several outcomes may
    share the words before.
    """
    armed: bool = True
    """True where its own sentence names an arm or speaks of the groups; else the title says whose
    it is.
    """


def main_effect(article: Article, n: int, question: str, asked: StudyQuestion) -> MainEffect | None:
    """The effect that answers for article ``n``; None where none is stated whose outcome, arms and
    sign are sure.

    ``asked`` is what the study asks: it gives the arms and outcomes that the question leaves open.
    """
    parts = asked_parts(question) if question else AskedParts()
    treatment = (
        parts.treatment if any(map(is_content, words(parts.treatment))) else asked.intervention
    )
    own_outcomes = (
        asked.outcomes
        if not parts.exact
        else asked.outcomes[:1]
        if _names_all(article.title, parts.outcome)
        else ()
    )
    wanted = list(
        dict.fromkeys(
            each for each in (parts.outcome, *_single(parts.outcome), *own_outcomes) if each
        )
    )
    if (
        not treatment
        or _is_vague(parts.outcome)
        or (_OR.search(question) and _HELD.search(question))
    ):
        return None
    comparator = parts.comparator or asked.comparator or ""
    if (
        comparator
        and not is_control(comparator)
        and set(stems(comparator)) <= set(stems(treatment))
    ):
        return None
    sentences = [each for each in abstract_sentences(article) if each.role != "notice"]
    expansions = acronyms(f"{article.title}. {article.abstract}")
    own_arms = arms(treatment, comparator, f"{article.title}\n{article.abstract}", expansions)
    if not _studied(parts.comparator, f"{article.title} {article.abstract}"):
        return None
    whose = sides(replace(parts, treatment=treatment, comparator=comparator), expansions)
    pairs = _Pairs(own_arms, arms_told(sentences) or 2)
    texts = [each.text for each in sentences]
    names = {
        outcome: OutcomeName(outcome, texts, expansions, own_arms, loosely=False)
        for outcome in wanted
        if _COMPOUND.search(_BRACKETS.sub("", outcome)) is None
    }
    telling = [
        each
        for each in sentences
        if any(name.named(each.text)[0] >= LEAST_NAMED for name in names.values())
    ]
    found = (
        [*_stated(article, n, whose, pairs), *_values(telling, n, pairs)][:MOST_EFFECTS]
        if names
        else []
    )
    known = frozenset(stems(f"{article.title} {question}"))
    held = known | own_arms.intervention | own_arms.comparator
    best: tuple[float, _Candidate, str, bool] | None = None
    for outcome, name in names.items():
        order = wanted.index(outcome)
        for place, each in enumerate(found):
            named = _named(name, each, own_arms)
            if named < LEAST_NAMED or _of_part(each.before, known) or not _whole(each, outcome):
                continue
            if (
                each.effect.scale == "values"
                and _CHANGE_IN.search(each.before)
                and not _CHANGE_IN.search(outcome)
            ):
                continue
            if any(
                _has_others(match["who"], held)
                for match in _PART_BEHIND.finditer(_NEXT.split(each.behind)[0])
            ):
                continue
            if _says_more(
                each,
                name,
                article.title,
                f"{treatment} {comparator} {outcome}",
                own_arms,
                expansions,
            ):
                continue
            score = (
                named - 0.3 * order - 0.01 * place + (0.5 if each.effect.low is not None else 0.0)
            )
            if best is None or score > best[0]:
                best = (score, each, outcome, name.is_fall)
    if best is None:
        return None
    _, chosen, outcome, is_fall = best
    told = effect_direction(
        treatment, comparator, outcome, article.title, article.abstract
    ).direction
    rises = (
        chosen.rises
        if chosen.effect.measure != "HR" or not _LASTS.search(outcome)
        else (None if chosen.rises is None else not chosen.rises)
    )
    against = _as_studied(comparator, asked.comparator) or _control(chosen)
    if against is None and chosen.effect.scale == "values":
        return None
    if (
        comparator
        and rises is not None
        and told in ("increased", "decreased")
        and (told == "increased") != (rises != is_fall)
    ):
        return None
    return MainEffect(chosen.effect, outcome, _as_studied(treatment, asked.intervention), against)


@dataclass(frozen=True)
class _Pairs:
    """Reads pairs of values for the arms of one comparison."""

    arms: Arms
    told: int

    def of(self, sentence: str) -> tuple[ArmValues, ...]:
        return arm_values(sentence, self.arms, self.told)


def _stated(article: Article, n: int, whose: Sides, pairs: _Pairs) -> Iterator[_Candidate]:
    """The ratios and differences that are known to be those of the intervention against the
    comparator.
    """
    for each in stated_effects(article, n):
        if each.effect.low is None:
            continue
        if not whose.answers(each.clause, each.lead, article.title) or _OTHER_MODEL.search(
            f"{each.lead} {each.clause}"
        ):
            continue
        none = 1.0 if each.effect.scale == "ratio" else 0.0
        rises = None if each.effect.estimate == none else each.effect.estimate > none
        own = each.clause[each.at : each.to]
        before = each.clause[: each.at] + re.split(r"\d", own, maxsplit=1)[0]
        at = each.sentence.find(each.clause) + each.at
        if (
            "respectively" in each.sentence[at:].partition(";")[0]
        ):  # whose of several outcomes or arms it is, only their order tells
            continue
        pair = next(
            (
                pair
                for pair in reversed(pairs.of(each.sentence))
                if pair.end <= at and at - pair.end < _BESIDE
            ),
            None,
        )
        if pair is not None:
            lasts = each.effect.measure == "HR" and pair.own.unit in _TIMES
            if pair.arm is None or (
                rises is not None and (rises != lasts) != (size(pair.own) > size(pair.other))
            ):
                continue
        elif not _signed(each, before, rises) or _unordered(each, before, pairs.arms):
            continue
        told = each.sentence[: each.sentence.find(each.clause) + len(each.clause)]
        armed = (
            pair is not None
            or bool(pairs.arms.named(told))
            or _BETWEEN_GROUPS.search(told) is not None
        )
        if not armed and not whose.named(article.title):
            continue
        if each.effect.scale == "difference" and _OF_ONE_ARM.match(each.clause[each.to :]):
            continue
        yield _Candidate(each.effect, before, rises, each.clause[each.to :], own=own, armed=armed)


_OR = anycase(
    r"\A[^?]{2,160}?\sor\s[^?]*?\b(?:affect|reduce|improve|increase|decrease|prevent|cause)"
)
"""A question that names two treatments beside what they are compared with."""
_HELD = anycase(r"\b(?:versus|vs|than|compar\w+|relative to|against)\b")
_FOR = regex(r"\W{0,4}for\s(?P<what>[^,;()\d]{3,60})")
_OF_FIGURES = frozenset(words_of("generic_words", "of_figures"))
"""Words that tell a figure or its size, and nothing of whose it is."""
_TELLS_FIGURES = _OF_FIGURES.union(
    GENERIC_WORDS, words_of("generic_words", "tells_figures")
).difference(words_of("generic_words", "of_outcomes"))
"""Words of a clause that tell a figure, a time, a change or whose it is, and nothing of another
outcome.
"""
_ANOTHER = regex(
    r",|\band\s(?:with\s)?(?:an?\s)?(?:significantly\s)?(?=(?:more|fewer|less|lower|higher|longer|"
    r"shorter|greater)\b)"
)
"""The end of the words on another outcome."""
_OPENED = regex(r"[(\[][^()\[\]]*\Z")
_LENGTH = anycase(
    r"\btimes? (?:to|until)\b|\bduration\b|\b(?:days|hours|weeks|nights) (?:of|with|without|to)\b"
)
_LENGTH_NAMED = anycase(r"\b(?:times?|duration|latency|days|hours|period|length|surviv\w+)\b")
"""An effect on how long something lasts, which is not one on the thing itself."""
_OF_ONE_ARM = anycase(r"\W{0,3}(?:for|in)\s(?:the\s)?(?:[\w-]+\s){0,3}(?:group|arm|controls)\b")
_BESIDE = 60
"""Characters between two values and the effect they come to."""


def _signed(each: StatedEffect, before: str, rises: bool | None) -> bool:
    """Return whether the words of change before a figure do not speak against it."""
    way = change_told(f"{each.lead} {before}")
    return rises is None or way is None or way == rises


def _unordered(each: StatedEffect, before: str, own: Arms) -> bool:
    """Return whether both arms are named and nothing says which is compared with which: "A or B had
    no impact".
    """
    told = f"{each.lead} {before}"
    both = len({arm for _, arm in own.named(told)}) == 2
    return (
        both and change_told(told) is None and not _HELD.search(f"{told} {each.clause[each.to :]}")
    )


def _values(sentences: Sequence[AbstractSentence], n: int, pairs: _Pairs) -> Iterator[_Candidate]:
    """The pairs of values that are known to be those of the two arms."""
    for sentence in sentences:
        if sentence.role not in ("results", "conclusion"):
            continue
        found = pairs.of(sentence.text)
        for place, pair in enumerate(found):
            if pair.arm is None:
                continue
            one, other = size(pair.own), size(pair.other)
            span = Span(n, "abstract", sentence.start + pair.start, sentence.start + pair.end)
            p = _P.match(sentence.text, pair.end)
            unit = "%" if pair.own.kind == "proportion" else pair.own.unit or pair.other.unit
            effect = Effect(
                "values", "values", one, None, None, None, unit, span, other, p["p"] if p else None
            )
            own = sentence.text[pair.start : pair.end]
            rises = None if one == other else one > other
            following = found[place + 1] if place + 1 < len(found) else None
            several = following is not None and not re.search(
                r"[^\W\d_]{4}", sentence.text[pair.end : following.start]
            )
            before, behind = sentence.text[pair.begins : pair.start], sentence.text[pair.end :]
            if not place and not _has_others(before.rsplit(",", 1)[-1], frozenset()):
                before = _said_of(sentence.text, pair)
            yield _Candidate(effect, before, rises, behind, own=own, several=several)


def _said_of(sentence: str, pair: ArmValues) -> str:
    """Return what a sentence that opens with its values says of them: "35 of 203 (17 %) were ill
    with tea and 24 (12 %) with water".
    """
    between = sentence[pair.first.end : pair.second.start]
    return re.sub(
        r"[\d.,()%±]+", " ", _BRACKETS.sub(" ", f"{between} {_STOP.split(sentence[pair.end :])[0]}")
    )


_STOP = regex(r"[,;:.(]")


def _named(name: OutcomeName, each: _Candidate, own: Arms) -> float:
    """Return how much of an outcome the words before an effect name, 0 where they name other
    outcomes beside it.
    """
    before = _DEFINITION.sub(" ", _ALTHOUGH.split(each.before)[-1])
    named, places = name.named(before)
    if named < LEAST_NAMED or not places:
        ahead = _FOR.match(each.behind)
        return name.named(ahead["what"])[0] if ahead and not places else 0.0
    words = tokens(before)
    first, last = words.starts[places[0][0]], places[-1][0]
    rest = before[words.starts[last] + len(words_at(before, words.starts[last])) :]
    if (
        any(
            not own.named(match.group()) for match in _NEW_CLAUSE.finditer(_BRACKETS.sub(" ", rest))
        )
        or _MORE_NAMED.match(rest)
        or (each.several and _MORE_BEFORE.search(before[:first]))
    ):
        return 0.0
    return named


def words_at(text: str, at: int) -> str:
    match = re.compile(r"[\w'’]+").match(text, at)
    return match.group() if match else ""


def _whole(each: _Candidate, outcome: str) -> bool:
    """Return whether an effect whose sentence names no arm speaks of its outcome and of nothing
    else that it could be an effect of.
    """
    if each.armed:
        return True
    told = (
        word
        for word in words(each.before)
        if is_content(word) and word not in GENERIC_WORDS and word not in _OF_FIGURES
    )
    return set(map(stem, told)) <= set(stems(outcome))


def _says_more(
    each: _Candidate,
    name: OutcomeName,
    title: str,
    told: str,
    own: Arms,
    expansions: Mapping[str, str],
) -> bool:
    """Return whether the words before an effect tell more than its outcome, the arms, figures and
    times: another measure of the outcome, or a part of the people. ``told`` are arms and outcome;
    behind the outcome the words of the title may stand as well."""
    clause = _BRACKETS.sub(" ", _BRACKETS.sub(" ", _ALTHOUGH.split(each.before)[-1]))
    opened = _OPENED.search(clause)
    if opened is not None and not name.named(opened.group())[1]:
        clause = clause[: opened.start()]
    clause = clause.rsplit(";", 1)[-1].split(")")[-1]
    places = name.named(clause)[1]
    if not places:
        return _FOR.match(each.behind) is None
    if _LENGTH.search(clause) and not _LENGTH_NAMED.search(told):
        return True
    ends = tokens(clause).starts[places[-1][0]]
    held = {*stems(told), *own.intervention, *own.comparator}
    wide = held.union(stems(title))
    for short, long in expansions.items():
        for words_held in (held, wide):
            if words_held.issuperset(stems(long)):
                words_held.update(stems(short))
    return _has_others(_ANOTHER.split(clause[:ends])[-1], held) or _has_others(clause[ends:], wide)


def _control(each: _Candidate) -> str | None:
    """The control that the sentence of an effect names, where neither question nor study gives the
    comparator.
    """
    match = _CONTROL.search(f"{each.before} {each.own} {each.behind}")
    return match.group().lower() if match else None


def _has_others(text: str, held: Set[str]) -> bool:
    """Return whether a text has telling words beside those of ``held`` (stems) and those that tell
    a figure or a time.
    """
    return any(
        is_content(word)
        and not word[0].isdigit()
        and not _tells_figures(word)
        and not held & {stem(word), stem(fold(word))}
        for word in words(text.replace("-", " ") if "-" in text else text)
    )


def _tells_figures(word: str) -> bool:
    """Return whether a word tells a figure, its size or how a sentence goes on (every adverb in
    -ly), and nothing of another outcome.
    """
    return word in _TELLS_FIGURES or (
        word.endswith("ly") and word not in ("daily", "weekly", "monthly", "early")
    )


def _as_studied(arm: str, own: str | None) -> str:
    """An arm in the words of the study where these name the same."""
    return own if own and set(stems(own)) == set(stems(arm)) else arm


def _single(outcome: str) -> list[str]:
    """Outcomes that one wording asks for together and that stand for themselves: both of "AST and
    ALT", else the last.
    """
    parts = [
        part
        for part in re.split(r"\s(?:and|or)\s", outcome)
        if any(map(is_content, words(part))) and not _is_vague(part)
    ]
    return (
        (parts if all(" " not in part for part in parts) else parts[-1:]) if len(parts) > 1 else []
    )


def _is_vague(outcome: str) -> bool:
    """Return whether an outcome has words and none of them tells what it is: "mean time",
    "percentages".
    """
    told = words(outcome)
    return bool(told) and not any(is_content(word) and word not in _VAGUE for word in told)


def _names_all(title: str, outcome: str) -> bool:
    """Return whether a title names an asked outcome, so that the study's main outcome answers for
    it: sleep latency for insomnia.
    """
    return {stem(word) for word in words(outcome) if is_content(word)} <= set(stems(title))


def _studied(comparator: str, text: str) -> bool:
    """Return whether an article names what the question holds the treatment against; a control
    bears any name.
    """
    own = {
        stem(word) for word in words(comparator) if is_content(word) and word not in GENERIC_WORDS
    }
    return not own or is_control(comparator) or bool(own & set(stems(text)))


def _of_part(before: str, known: frozenset[str]) -> bool:
    """Return whether an effect is that of a part of the people: told by words that neither title
    nor question has.
    """
    for match in _SUBGROUP.finditer(before):
        who = [
            stem(word) for word in words(match["who"] or match["whose"] or "") if is_content(word)
        ]
        if not who or any(word not in known for word in who):
            return True
    return False
