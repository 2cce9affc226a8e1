"""The candidate answer: the sentences of results and conclusion without those that describe the
review itself.

Each rule is a pattern with what it is about. A sentence that also states a finding is kept whatever
rule it meets, because the annotators can shorten a sentence and cannot bring one back. The rules
were made on records 1, 3, 5 … of the published file and measured on the others: of the sentences
they drop 0.897 were dropped by the annotators too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from clinfo.text.sentences import sentences

Part = Literal["results", "conclusion"]

_STUDIES = (
    r"(?:stud(?:y|ies)|trials?|rcts?|articles?|papers?|publications?|records?|citations?|"
    r"abstracts?|reports?|reviews?|"
    r"manuscripts?|references?|titles?|meta-analys[ei]s|series|cohorts?|hits)"
)
_TAKEN = (
    r"(?:includ\w+|identif\w+|retriev\w+|eligib\w+|select\w+|screen\w+|analy[sz]ed|reviewed|"
    r"enrolled|inclusion|criteria|"
    r"qualif\w+|assessed for|pooled|extracted|suitable|chosen|considered|obtained)"
)

_PEOPLE = (
    r"(?:patients|participants|subjects|individuals|people|women|men|children|adults|respondents|"
    r"cases|infants|adolescents|"
    r"athletes|injuries)"
)
_COUNT = r"\d[\d,. \u2009\u202f]*"


@dataclass(frozen=True)
class Rule:
    """A kind of sentence about the review itself. ``parts`` are where it is looked for; ``always``:
    also beside a finding.
    """

    name: str
    pattern: re.Pattern[str]
    parts: tuple[Part, ...] = ("results", "conclusion")
    always: bool = False


@dataclass(frozen=True)
class Judged:
    """A sentence of the abstract; ``rule`` is the one that drops it, "" where it is kept."""

    part: Part
    text: str
    rule: str


def _rule(name: str, pattern: str, *parts: Part, always: bool = False) -> Rule:
    return Rule(
        name, re.compile(pattern, re.IGNORECASE), parts or ("results", "conclusion"), always
    )


RULES: tuple[Rule, ...] = (
    _rule(
        "registration",
        (
            r"\b(?:prospero\b|registered (?:prospectively|with|in|at)\b|prospectively registered|"
            r"CRD\d{6,}|institutional review board)"
        ),
        always=True,
    ),
    _rule(
        "yield of the search",
        (
            r"\b(?:search\w*|screening|databases?|literature)\b.{0,40}\b(?:yield\w*|identif\w+|"
            r"retriev\w+|found|result\w*|return\w*|"
            rf"produc\w+|generat\w+|reveal\w*|provid\w+)\b.{{0,60}}\b{_STUDIES}\b"
        ),
    ),
    _rule("studies included", rf"\b{_STUDIES}\b.{{0,160}}\b{_TAKEN}\b", "results"),
    _rule(
        "studies included",
        (
            r"\b(?:includ\w+|identif\w+|retriev\w+|select\w+|found|screened|involv\w+|review of|"
            r"requested from|entered)\b"
            rf".{{0,50}}\b{_STUDIES}\b"
        ),
        "results",
    ),
    _rule(
        "studies included",
        (
            r"^\W*(?:a total of |in total,? |overall,? |only |finally,? |of (?:these|those|the),? "
            r")?"
            rf"(?:[\w-]+ ){{1,6}}?{_STUDIES}(?: \([^)]*\))?"
            r"(?:,? (?:with|of|in|that|which|comprising|involving|representing|on|describing|"
            r"detailing) .{0,200})?"
            r"(?: (?:were|was|met|fulfilled|satisfied|remained|comprised|enrolled|contributed|"
            r"involved|provided)\b.{0,150})?\W*$"
        ),
        "results",
    ),
    _rule(
        "numbers of participants",
        (
            r"\b(?:total|sample|number|participants included|data|comprised|comprising|involv\w+|"
            r"includ\w+|enrolled|representing|with)"
            rf"\b.{{0,60}}\b{_COUNT}\s?(?:\w+ ){{0,4}}{_PEOPLE}\b"
        ),
        "results",
    ),
    _rule(
        "numbers of participants",
        rf"^\W*(?:a total of )?{_COUNT}\s?(?:\w+ ){{0,4}}{_PEOPLE}\b",
        "results",
    ),
    _rule(
        "who was studied",
        (
            r"\b(?:(?:mean|median|average) (?:patient )?age\b|age of (?:the )?(?:patients|"
            r"participants)|"
            r"follow-?up (?:period|time|duration)?\s?(?:averaged|ranged|was|varied|of)|"
            r"(?:patients|participants) were (?:mostly|mainly|predominantly))"
        ),
        "results",
    ),
    _rule(
        "designs and places",
        (
            r"\b(?:retrospective|prospective|cross-sectional|case[- ](?:reports?|control|series)|"
            r"cohort|observational|"
            r"randomi[sz]ed(?:,? controlled)?|controlled|level (?:[IViv]+|\d)|double[- ]blind\w*|"
            r"good|"
            r"fair|poor|high|low)\b"
            r".{0,60}\b(?:studies|trials|study|case series|rcts?|design|quality)\b.{0,80}$"
        ),
        "results",
    ),
    _rule(
        "designs and places",
        (
            rf"\b{_STUDIES}\b.{{0,40}}\b(?:were|was) (?:\w+ )?(?:from|conducted|published|"
            r"performed|carried out|based|undertaken|"
            r"classified|categori[sz]ed|retrospective|prospective|of)\b"
        ),
        "results",
    ),
    _rule(
        "what the studies did",
        (
            r"^\W*(?:the |all |most |only |these |other |included |of the )*(?:[\w-]+ "
            rf"){{0,4}}{_STUDIES}(?: \([^)]*\))? (?:also )?"
            r"(?:evaluat\w+|assess\w+|examin\w+|investigat\w+|compar\w+|describ\w+|focus\w+|"
            r"enrolled|"
            r"recruited|explor\w+|analy[sz]\w+|"
            r"address\w+|studied|measured|recommended|requested)\b"
        ),
        "results",
    ),
    _rule(
        "quality and bias",
        (
            r"\b(?:publication bias|funnel|egger|harbord|begg|sensitivity analys[ei]s|risk of bias|"
            r"rob ?2|robust|small-study|"
            r"methodological quality|quality assessment|newcastle|quality (?:score|rating)s?|"
            r"heterogeneity (?:between|among) (?:the )?(?:included )?studies)\b"
        ),
        "results",
    ),
)
"""The first that fits drops a sentence."""

_FINDING = re.compile(
    (
        r"\bp\s?[-=<>≤≥]|\b(?:a?OR|a?RR|a?HR|MD|SMD|WMD|ES|CI)s?\b\W{0,4}(?:of |was |were "
        r")?[=:(\[]?\s?[-−]?\d|"
        r"\bsignifican|associat|\b(?:ratio|reduc|improv|increas|decreas|worse|benefit|superior|"
        r"inferior|predict|correlat|effective|"
        r"efficacy|impair)|\b(?:higher|lower|better|greater|fewer|more|less) (?:\w+ ){0,4}(?:than|"
        r"in|"
        r"with|rate|risk)|"
        r"\bdifferen(?:t|ces?) (?:\w+ ){0,3}(?:between|in)\b|\b(?:show|demonstrat|suggest|"
        r"indicat)(?:s|"
        r"ed|ing|es)?\b|"
        r"\b(?:incidence|prevalence|sensitivity|specificity) (?:of|was|were|rang\w+)"
    ),
    re.IGNORECASE,
)
"""Marks of a sentence that states a finding: a figure of an effect, or a word of change or
comparison.
"""
_ENOUGH = re.compile(r"[^\W\d_]{3}")


def judged(results: str, conclusion: str) -> tuple[Judged, ...]:
    """Every sentence of the two sections in their order, with the rule that drops it. What has no
    word in it is left out.
    """
    found: list[Judged] = []
    parts: tuple[tuple[Part, str], ...] = (("results", results), ("conclusion", conclusion))
    for part, text in parts:
        found.extend(
            Judged(part, one, _dropped_by(one, part))
            for one in sentences(text)
            if _ENOUGH.search(one)
        )
    return tuple(found)


def answer(sentences: tuple[Judged, ...]) -> str:
    """The kept sentences: those of the results, a line feed, those of the conclusion; "" where none
    is left.
    """
    parts = (
        " ".join(one.text for one in sentences if one.part == part and not one.rule)
        for part in ("results", "conclusion")
    )
    return "\n".join(part for part in parts if part)


def states_finding(sentence: str) -> bool:
    """Return whether a sentence holds a figure of an effect, or a word of change or comparison;
    most rules then leave it alone.
    """
    return _FINDING.search(sentence) is not None


def _dropped_by(sentence: str, part: Part) -> str:
    finding = states_finding(sentence)
    for rule in RULES:
        if part in rule.parts and (rule.always or not finding) and rule.pattern.search(sentence):
            return rule.name
    return ""
