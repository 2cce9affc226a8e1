"""The question of a study: its intervention, comparator and outcomes, in phrases copied from title
and abstract.

The title is read first, then the sentence that states the aim, then how people were assigned and
the words "primary outcome". Only set wordings are read ("X versus Y in P", "effect of X on O",
"whether X reduces O", "randomised to X or Y"); where none of them stands, nothing is said. A phrase
is a stretch of the article itself, cut at its edges and never reworded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from clinfo.lazy_dataclass import dataclass
from clinfo.records.articles import Article
from clinfo.text.abstracts import AbstractSentence, abstract_sentences
from clinfo.text.design import study_design
from clinfo.text.lexicon import either
from clinfo.text.regex import anycase, regex
from clinfo.text.terms import FUNCTION_WORDS, GENERIC_WORDS, is_content, stem, stems, words

LONGEST_PHRASE = 90
"""Characters of a phrase; a longer one is a clause and says more than who got what."""
_LONGEST_READ = 700
"""Characters of a title or sentence that are looked at."""


@dataclass(frozen=True)
class StudyQuestion:
    """Phrases of one article, None or empty where it does not say; ``outcomes`` has the likeliest
    main one first.
    """

    intervention: str | None = None
    comparator: str | None = None
    outcomes: tuple[str, ...] = ()


_STOP = (
    r"(?=\s(?:in|on|for|among|amongst|during|after|before|at|within|between|from|by|using|when|"
    r"following|undergoing|over|versus|vs|"
    r"compared|who|which|that|is|are|was|were|does|do|did|has|have|had|can|may|via|under|through|"
    r"as|"
    r"(?:(?:reduc|improv|increas|decreas|enhanc|attenuat|influenc|modulat)e[sd]?|(?:prevent|lower|"
    r"affect|prolong|shorten|"
    r"predict|inhibit)(?:s|ed)))\b|"
    r"\.(?:\s|$)|[,;:?!(\[]|\s[-–—]\s|$)"
)
_THING = (
    r"(?:(?:treatment|therapy|supplementation|combination|addition|use|intervention|training|"
    r"fortification) (?:with|of|by) )?"
    rf"[^.;:?!,()\[\]]{{2,{LONGEST_PHRASE}}}?"
)
_LIST = rf"{_THING}(?:(?:, [^.;:?!,()\[\]]{{2,40}}){{1,4}}?,? (?:and|or) [^.;:?!,()\[\]]{{2,40}}?)?"
_AGAINST = (
    r"\s(?:versus|vs\.?|v\.?|compared (?:with|to)|in comparison (?:with|to)|as compared (?:with|"
    r"to))\s"
)
_QUALITY = (
    r"(?:effect(?:iveness|s)?|efficac(?:y|ies)|impacts?|influences?|roles?|safety|benefits?|value|"
    r"usefulness|tolerability|"
    r"costs?|cost-effectiveness|feasibility|acceptability|outcomes?|clinical (?:effects?|efficacy|"
    r"outcomes?)|effects? and safety)"
)
_QUALITIES = rf"{_QUALITY}(?:(?:,? (?:and|or) |, )(?:[\w-]+ )?{_QUALITY}){{0,3}}"
_NOT_RAISED = (
    r"(?<!increase )(?<!improve )(?<!increase the )(?<!improve the )(?<!reduce the )(?<!role )"
)
"""An effect or a cost that is itself to be raised or lowered is an outcome, not what was done."""
_CHANGES = (
    rf"(?:{either('falling', 'verbs')}|{either('better', 'verbs')}|{either('rising', 'verbs')}|"
    rf"{either('worse', 'verbs')}|affects?|influences?|alters?|modulates?|predicts?|changes?)"
)
_NOT = (
    r"(?:(?:does|do|did|can|may|will|would|could) (?:not )?(?:\w+ly )?)?(?:significantly |not |"
    r"effectively )?"
)
_TREATING = (
    rf"(?:(?:the |initial |acute |early |long-term )?(?:{either('falling', 'treating')}|relief|"
    r"treatment|management|prophylaxis|control|eradication) of)"
)


def _compiled(*patterns: str) -> tuple[re.Pattern[str], ...]:
    return tuple(anycase(pattern) for pattern in patterns)


_IN_TITLE = _compiled(
    (
        r"\b(?:comparing|(?:comparison|comparative study)(?: of| between)) (?:(?:the )?(?:[\w-]+ "
        rf"){{0,2}}?{_QUALITIES} of "
        rf")?(?P<i>{_THING})(?:{_AGAINST}|\s(?:and|with|to)\s)(?P<c>{_THING}){_STOP}"
    ),
    (
        rf"{_NOT_RAISED}\b(?:{_QUALITIES}) of (?:the "
        rf")?(?P<i>{_THING}){_AGAINST}(?P<c>{_THING})(?:\son\s(?P<o>{_THING}))?{_STOP}"
    ),
    rf"\A\W*(?P<i>{_THING}){_AGAINST}(?P<c>{_THING}){_STOP}",
    rf"\b(?:trial|study) of (?P<i>{_THING}){_AGAINST}(?P<c>{_THING}){_STOP}",
    rf"{_NOT_RAISED}\b(?:{_QUALITIES}) of (?P<i>{_LIST})\son\s(?P<o>{_THING}){_STOP}",
    (
        rf"{_NOT_RAISED}\b(?:{_QUALITIES}) of (?P<i>{_THING})\s(?:in|"
        rf"for) (?:{either('falling', 'in_title')}|{either('better', 'in_title')}|"
        rf"increasing) (?P<o>{_THING}){_STOP}"
    ),
    (
        rf"\b(?:associations?|relations?(?:hips?)?|correlations?) (?:between (?P<i>{_THING})\sand|"
        rf"of (?P<i2>{_THING})\s(?:with|"
        rf"to))\s(?P<o>{_THING}){_STOP}"
    ),
    (
        rf"\A\W*(?P<i>{_THING})\sand (?:the |its )?(?P<o>(?:risk|incidence|prevalence|rate)s? of "
        rf"{_THING}){_STOP}"
    ),
    rf"\A\W*(?:do(?:es)?|can|will) (?P<i>{_THING})\s{_CHANGES} (?P<o>{_THING}){_STOP}",
    rf"\A\W*(?P<i>{_THING})\s{_NOT}{_CHANGES} (?P<o>{_THING}){_STOP}",
    rf"{_NOT_RAISED}\b(?:{_QUALITIES}) of (?P<i>{_LIST}){_STOP}",
    rf"\btrial of (?P<i>{_THING}){_STOP}",
    rf"\A\W*(?P<i>{_THING})\s(?:for|in) {_TREATING}",
    (
        rf"\A\W*(?P<i>{_THING})\sfor\s(?:[\w-]+ ){{0,3}}(?:relief|treatment|prevention|management|"
        r"analgesia|ana?esthesia|"
        rf"eradication|prophylaxis|control)\b"
    ),
    rf"\b{_TREATING} (?:(?!(?:\s(?:in|with|by|among)\s|patients|children|adults|women|men|people|"
    rf"individuals))[^.;:?!,()]){{2,60}}\s(?:with|by|using)\s(?P<i>{_THING}){_STOP}",
    (
        rf"\A\W*(?P<i>{_THING})\s(?:for|in|during|after)\s[^:.]{{2,120}}[:.]\s(?:[\w-]+,? "
        r"){0,9}(?:trial|RCT)\b"
    ),
)
"""Wordings of titles, the more telling first."""

_IN_AIM = _compiled(
    (
        rf"\bcompar(?:e|es|ed|ing) (?:the )?(?:(?:[\w-]+ ){{0,2}}?{_QUALITIES} of "
        rf")?(?P<i>{_THING})(?:{_AGAINST}|\s(?:and|with|"
        rf"to)\s)(?P<c>{_THING})(?!\s?\([^)]{{1,20}}\)\s(?:to|with|versus|"
        rf"vs)\b)(?:\son\s(?P<o>{_THING}))?{_STOP}"
    ),
    (
        rf"{_NOT_RAISED}\b(?:{_QUALITIES}) of (?P<i>{_THING}){_AGAINST}(?P<c>{_THING})"
        rf"(?:\son\s(?P<o>{_THING}))?{_STOP}"
    ),
    rf"{_NOT_RAISED}\b(?:{_QUALITIES}) of (?P<i>{_LIST})\son\s(?P<o>{_THING}){_STOP}",
    (
        rf"\b(?:whether|if) (?P<i>{_THING})\s(?:could |would |can |may |might |will "
        rf")?(?:significantly )?(?:{_CHANGES}|reduced|"
        rf"improved|increased|decreased|prevented|affected) (?P<o>{_THING}){_STOP}"
    ),
    (
        rf"\b(?:associations?|relations?(?:hips?)?) (?:between (?P<i>{_THING})\sand|of "
        rf"(?P<i2>{_THING})\s(?:with|"
        rf"to))\s(?P<o>{_THING}){_STOP}"
    ),
    rf"{_NOT_RAISED}\b(?!roles?)(?:{_QUALITIES}) of (?P<i>{_LIST}){_STOP}",
)
_ASSIGNED = _compiled(
    r"\b(?:randomi[sz]ed|assigned|allocated|allotted|randomly (?:assigned|allocated|divided)) "
    r"(?:\([^)]{1,20}\) )?(?:\d+:\d+ "
    rf")?(?:at random )?(?:in(?:to)?|to)"
    rf" (?:receive |either |undergo |one of (?:two|three|four) groups[:,]? |two groups[:,]? "
    rf"){{0,3}}(?P<i>{_THING})(?:\s?\([^)]{{1,40}}\))?,?(?:\s(?:or|versus|vs\.?)\s(?:to "
    rf")?)(?P<c>{_THING}){_STOP}",
)
_CONTROL = _compiled(
    (
        r"\b(?:compared (?:with|to)|versus|vs\.?|against|or) (?:an? |the )?(?P<c>(?:matching |oral "
        r"|saline |double-blind )?placebo|"
        r"sham [\w-]+|"
        r"(?:usual|standard|routine|conventional) (?:[\w-]+ )?(?:care|treatment|therapy)|no "
        r"treatment|"
        r"no intervention|"
        r"wait(?:ing)?[- ]list(?: controls?)?|"
        r"treatment as usual|best supportive care)\b"
    ),
    r"\b(?P<c>placebo|sham|vehicle)[- ](?:controlled|treated)\b",
)
_OUTCOME = _compiled(
    (
        r"\b(?:primary|main|principal) (?:efficacy |study |clinical |effectiveness )?(?:outcomes?|"
        r"end ?-?points?)(?: measures?| "
        r"variables?)?"
        r"(?: (?:of|in|for) (?:the|this|our) (?:study|trial))? (?:was|were|is|are|included|"
        r"comprised|"
        r"will be) (?:the )?(?:(?:mean |"
        r"absolute )?changes? (?:from baseline )?in |"
        r"(?:proportions?|percentages?|numbers?) of (?:patients|participants|subjects|women|"
        r"children) "
        r"(?:with|who had|having) |"
        rf"assessed by |defined as )?(?P<o>{_THING})(?=\s(?:at|after|within|during|between|from|"
        r"assessed|measured|defined|as|over|"
        rf"using|by|and secondary|"
        r"in (?:patients|participants|the|both|children|women|all)|on day)\b|"
        r"\.(?:\s|$)|[,;:(\[]|$)"
    ),
    (
        r"\b(?:primary|main) (?:outcomes?|end ?-?points?)(?: measures?)?: (?:the "
        rf")?(?P<o>{_THING})(?=\.(?:\s|$)|[,;:(\[]|$)"
    ),
)
_AIM = anycase(
    r"\b(?:aim|objective|purpose|goal)s?\b|\b(?:to|we) (?:\w+ )?(?:investigat|examin|evaluat|"
    r"assess|determin|compar|explor|"
    r"test)\w*|\bwhether\b"
)
_EDGE = anycase(
    r"\A(?:(?:the|a|an|either|both|receiving|daily|adding|giving|of|that|its|their|using|combined "
    r"use of|use of|treatment with|"
    r"therapy with)\s+)+"
    r"|(?:\s+(?:the|a|an|and|or|of|to|with|for|in|on|at|as|by|group|groups|patients|plus|either|"
    r"both|alone in|versus|vs|"
    r"treatment of|therapy for|"
    r"in the|for the|\w+[^i]ly(?=\Z)))+\Z"
)
_NO_THING = anycase(
    r"(?:(?:two|three|four|five|both|these|this|those|different|various|several|other|new|novel|"
    r"the|our|a|an|its|one|each|all|"
    r"such|some|single|multiple|and|of|\d+)\s+)*"
    r"(?:stud(?:y|ies)|trials?|treatments?|groups?|methods?|regimens?|drugs?|agents?|patients?|"
    r"interventions?|therap(?:y|ies)|"
    r"strateg(?:y|ies)|"
    r"approach(?:es)?|techniques?|protocols?|compounds?|doses?|effects?|differences?|changes?|"
    r"scores?|levels?|outcomes?|"
    r"results?|efficacy|safety|efficacy and safety|"
    r"it|they|them|this|these|"
    r"those|use|factors?|what|we|not|women|men|children|adults|participants|subjects|procedures?|"
    r"programs?|programmes?|"
    r"medications?|arms?|"
    r"products?|formulations?|outcome measures?|measures?|variables?|combination|control|controls|"
    r"treatment groups?|care|"
    r"evidence|literature|"
    r"systematic review|review|meta-analysis|data|cohort|hypothes[ie]s|clinical|day|week|month|"
    r"year)"
)
_NO_START = anycase(
    r"(?:(?:no\b|can\b|could\b|should\b|may\b|existing\b|various\b|several\b|different\b|"
    r"alternative\b|technical factors|process "
    r"evaluation|evaluation|assessment|factors?\b|predictors?\b|variations?\b|prevalence|incidence|"
    r"risk factors?|"
    r"characteristics|random|study|protocol|trial|double|single|prospective|retrospective|"
    r"systematic|review|meta-?analy|"
    r"comparison|comparative|evaluation|"
    r"efficacy|effects?\b|effectiveness|role of|impact|we\b|it\b|there\b|this\b|these\b|to\b|"
    r"whether\b|how\b|what\b|which\b|"
    r"why\b|is\b|are\b|does\b|do\b|in\b|on\b|and\b|or\b|not\b|no effect|no significant|lack of)"
    r"|.*\b(?:we|was|were|is|are|did|which|that|who)\b)"
)
_TRIALS = frozenset(
    {
        "randomised controlled trial",
        "cluster randomised trial",
        "randomised crossover trial",
        "study protocol",
    }
)
"""Designs in which a control named anywhere in the methods is the study's own."""
_DESCRIBES = anycase(
    r"(?:[\w-]+ )?(?:(?:high|low)-\w+|concurrent|intermittent|sequential|\w+(?:ous|ive|al|ed|ic|"
    r"ary|ible|able|ar)|oral|early|"
    r"late|low|high|short|long|open|(?:low|high)[- ]dose|"
    r"(?:short|long)[- ]term|daily|weekly)"
)
"""A description without the thing described: "oral", "early", "low-dose"."""
_PEOPLE = anycase(rf"\b(?:{either('people', 'study_question')})\Z")
_WORD = regex(r"[^\W\d_]{4}|[A-Z]{2}|[A-Z]\w?\d|[A-Za-z]{3}\b(?<!day)")
_HANGING = FUNCTION_WORDS - {"use", "alone", "work", "making", "help"}
"""Words that begin or end no phrase of this kind."""
_HOW_OFTEN = anycase(r"\A(?:(?:cumulative )?incidence|prevalence|rate|risk|frequency) of (?:the )?")
_ARM_NAME = anycase(
    r"\b(?:group|arm)\b\s?(?:[A-D\d]|I{1,3})?\Z|\A(?:groups?|arms?|one|two|three)\b"
)
_TOO_LOOSE = anycase(
    r" [-–—] |\b(?:effects? of|efficacy|effectiveness|safety of|treated|trial|RCT|study|these|"
    r"those|our|we|this|whether|because|"
    r"although|however|therefore|patients|participants|between|randomi[sz]ed|compared|versus|vs)\b"
)


@lru_cache(maxsize=256)
def study_question(article: Article) -> StudyQuestion:
    """Return what the article says it asked. Time is linear in its length."""
    sentences = [sentence for sentence in abstract_sentences(article) if sentence.role != "notice"]
    found = list(_readings(article.title, sentences))
    intervention = next((match["i"] for match in found if match.get("i")), None)
    # A comparator belongs to the intervention it was named with; "placebo" may stand elsewhere.
    comparator = next(
        (
            match["c"]
            for match in found
            if match.get("c") and match.get("i") in (None, intervention)
        ),
        None,
    )
    if comparator is None and intervention is not None and study_design(article) in _TRIALS:
        comparator = _first_control(
            [
                article.title,
                *(
                    sentence.text
                    for sentence in sentences
                    if sentence.role in ("background", "methods")
                ),
            ]
        )
    primary = [
        phrase for sentence in sentences for phrase in _phrases(_OUTCOME, sentence.text, "o")
    ]
    told = [
        match["o"] for match in found if match.get("o") and match.get("i") in (None, intervention)
    ]
    outcomes = tuple(
        dict.fromkeys(phrase for phrase in (*primary, *told) if not _PEOPLE.search(phrase))
    )
    if comparator and intervention and comparator.casefold() == intervention.casefold():
        comparator = None
    return StudyQuestion(intervention, comparator, outcomes)


def _readings(title: str, sentences: Sequence[AbstractSentence]) -> Iterator[dict[str, str]]:
    """The readings of title, aim and assignment, in this order, each with the phrases that stood
    the test.
    """
    yield from _of(_IN_TITLE, title.strip("[] ").removesuffix("."))
    for sentence in sentences:
        if sentence.role in ("background", "methods") and _AIM.search(sentence.text):
            yield from _of(_IN_AIM, sentence.text)
    for sentence in sentences:
        if sentence.role in ("background", "methods", "results"):
            yield from _of(_ASSIGNED, sentence.text)


def _of(patterns: Sequence[re.Pattern[str]], text: str) -> Iterator[dict[str, str]]:
    """Yield what each pattern finds first; a reading is left out unless its intervention stands the
    test (and its comparator, if any).
    """
    for pattern in patterns:
        match = pattern.search(text[:_LONGEST_READ])
        if match is None:
            continue
        phrases = {
            name[0]: _phrase(value, outcome=name[0] == "o")
            for name, value in match.groupdict().items()
            if value
        }
        if any(phrases.get(name, "") is None for name in ("i", "c")):
            continue
        first, second = phrases.get("i"), phrases.get("c")
        if (
            first and second and _DESCRIBES.fullmatch(first) and " " in second
        ):  # "oral versus intravenous iron"
            whole = re.sub(r"\s+", " ", text[match.start("i") : match.end("c")])
            phrases["i"] = whole[whole.find(first) : whole.rfind(second) + len(second)]
        yield {name: phrase for name, phrase in phrases.items() if phrase}


def _phrases(patterns: Sequence[re.Pattern[str]], text: str, name: str) -> Iterator[str]:
    for pattern in patterns:
        match = pattern.search(text[:_LONGEST_READ])
        phrase = _phrase(match[name], outcome=name == "o") if match else None
        if phrase:
            yield phrase


def _first_control(texts: Sequence[str]) -> str | None:
    return next((phrase for text in texts for phrase in _phrases(_CONTROL, text, "c")), None)


def _phrase(written: str, outcome: bool = False) -> str | None:
    """The phrase without what hangs on at its edges, None where it names nothing or goes on too
    long.
    """
    text = re.sub(r"\s+", " ", written).strip(" ,;:-–—'\"")
    while (shorter := _EDGE.sub("", text).strip(" ,;:-–—")) != text:
        text = shorter
    while (last := text.rpartition(" "))[0] and last[2].lower() in _HANGING:
        text = last[0].strip(" ,;:")
    start = _HOW_OFTEN.sub("", text) if outcome else text
    loose = (
        _NO_THING.fullmatch(start)
        or _NO_START.match(start)
        or _ARM_NAME.search(text)
        or _TOO_LOOSE.search(text)
    )
    if (
        text.partition(" ")[0].lower() in _HANGING
        or loose
        or len(text.split()) > 12
        or _WORD.search(text) is None
    ):
        return None
    return text


def fitting_outcome(outcomes: Sequence[str], text: str) -> str | None:
    """The first of ``outcomes`` of which ``text`` names at least half of the telling words."""
    here = set(stems(text))
    for outcome in outcomes:
        telling = {
            stem(word) for word in words(outcome) if is_content(word) and word not in GENERIC_WORDS
        }
        if telling and 2 * len(telling & here) >= len(telling):
            return outcome
    return None
