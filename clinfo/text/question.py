"""The kind of a question, and how a positive answer to it is worded."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, get_args

from clinfo.lazy_dataclass import dataclass
from clinfo.text.lexicon import either
from clinfo.text.regex import anycase, regex

Kind = Literal["neutral", "gain", "difference", "sameness", "evaluative", "need", "omit", "harm"]
"""neutral: does X affect, predict, relate to Y? gain: does X improve or reduce Y? difference: do X
and Y differ? sameness: are X and Y alike? evaluative: is X safe, useful, accurate, possible? need:
is X needed? omit: can X be left out? harm: does X harm?"""
KINDS: tuple[str, ...] = get_args(Kind)


def _any(pattern: str) -> re.Pattern[str]:
    return anycase(pattern)


FORMS: dict[str, re.Pattern[str]] = {
    "difference": _any(
        r"\bdiffer\w*|\bdisparit\w+|\bvary\b|\bvariations?\b|\bdiscriminat\w+|\bdistinguish\w*|"
        r"\bdistinct\b"
    ),
    "sameness": _any(rf"\b(?:{either('alike', 'question_same')}|as (?:\w+ ){{1,2}}as)\b"),
    "association": _any(
        r"\b(?:associat\w+|relat(?:ed|ion\w*)|correlat\w+|link(?:ed)?|depend\w*|connect\w+)\b"
    ),
    "prediction": _any(
        r"\b(?:predict\w*|prognos\w+|risk factors?|marker\w*|indicator\w*|determinant\w*)\b"
    ),
    "effect": _any(
        r"\b(?:affect\w*|effects?|influenc\w+|impact\w*|chang\w+|role|alter\w*|modif\w+|matter|"
        r"contribut\w+|"
        r"make a difference)\b"
    ),
    "rise": _any(
        rf"\b(?:{either('rising', 'question_rise')}|{either('better', 'question_rise')})\b"
    ),
    "fall": _any(rf"\b(?:{either('falling', 'question_fall')}|protect\w*)\b"),
    "harm": _any(
        r"\b(?:compromis\w+|harm\w*|worse\w*|adverse\w*|impair\w*|risk|contraindicat\w+|danger\w*|"
        r"complicat\w+|problem\w*|"
        r"jeopardi[sz]e\w*|overestimat\w+|underestimat\w+|over-?used|limit\w*|barrier\w*|caus\w+|"
        r"fail\w*|delay\w*)\b"
    ),
    "safety": _any(r"\b(?:safe\w*|toler\w+)\b"),
    "efficacy": _any(
        r"\b(?:effective\w*|efficac\w+|useful\w*|feasib\w+|possible|reliab\w+|accura\w+|valid\w*|"
        r"worth\w*|justif\w+|"
        r"appropriate|"
        r"work|beneficial|helpful|success\w*|adequate|sufficient|acceptable|alternative|value|"
        r"valuable|utility|viable|"
        r"practical|good)\b"
    ),
    "need": _any(
        r"\b(?:necess\w+|needed?|require\w*|should|must|mandatory|indicated|essential|recommend\w+|"
        r"time to|ought|"
        r"routine(?:ly)?)\b"
    ),
    "ability": _any(r"^\W*can\b|: can\b|\b(?:able|ability|possible)\b"),
    "existence": _any(r"\b(?:is|are|was|were) there\b|\bexist\w*\b|\bhave a\b"),
    "knowledge": _any(
        r"\b(?:know\w*|aware\w*|understand\w*|follow\w*|compl(?:y|iance)|adher\w+|perceiv\w*|"
        r"prefer\w*|attitudes?|"
        r"satisf\w+)\b"
    ),
}
"""Words by which a question shows what it asks for."""

_AUXILIARY = (
    r"(?:is|are|was|were|do|does|did|can|could|should|would|will|has|have|had|may|might|must|need|"
    r"am)(?:n['’]t)?\b"
)
_PARTS = regex(r"(?<=[:;.?!])\s+|--|\s[–—-]\s")
_STARTS_CLOSED = _any(rf"\W*(?:and |but |or |if so,? |then )?{_AUXILIARY}")
_STARTS_OPEN = _any(
    r"\W*(?:and |but |or )?(?:(?:in|for|among|with|after|during) [^,?]{1,80}, )?(?:in |for |to |at "
    r"|with |"
    r"from )?(?:what|which|how|why|when|where|who|whom|whose)\b"
)
_LEAVES_OUT = _any(r"\b(?:omit\w*|avoid\w*|without|unnecessary|abandon\w*|dispens\w+|obviate)\b")
_HARMS = _any(
    r"\b(?:compromis\w+|harm\w*|worse\w*|contraindicat\w+|danger\w*|jeopardi\w*|over-?used|"
    r"barrier\w*|delay\w*|problem|"
    r"impair\w*|underestimat\w*|overestimat\w*|increase the risk)\b"
)
_VALUES = _any(r"\b(?:adequate\w*|accurate\w*|reliabl\w+|sufficient\w*|safe\w*)\b")
_VERB_FIRST = _any(r"\W*(?:do|does|did)\b")


@dataclass(frozen=True)
class Affirmed:
    """A question asked the positive way round; ``turned`` where its yes is the no of the question
    as it was asked.
    """

    text: str
    turned: bool


_PREDICATE = (
    r"(?=\s*(?:[?,.;]|$|(?:for|in|on|against|at|during|after|before|as|when|with|to|and|or)\b))"
)
_TURNING: tuple[tuple[re.Pattern[str], str], ...] = (
    (_any(r"\bno (?=(?:better|more|safer|superior)\b)"), ""),
    (
        _any(
            r"\b(?:ineffective|inefficacious|ineffectual|futile|worthless|of no (?:use|value|"
            rf"help)){_PREDICATE}"
        ),
        "effective",
    ),
    (_any(rf"\b(?:useless|unhelpful|pointless){_PREDICATE}"), "useful"),
    (_any(rf"\bunsafe{_PREDICATE}"), "safe"),
    (_any(r"\b(?:inferior to|worse than)\b"), "as good as"),
    (_any(r"\bless (effective|efficacious|safe|useful|accurate|reliable) than\b"), r"as \1 as"),
    (_any(r"\bfail(?:s|ed)? to\b ?"), ""),
    (_any(r"\bit (?:wrong|untrue|false|a myth) that\b"), "it true that"),
    (_any(r"\bunable to\b"), "able to"),
    (
        _any(
            r"\b(?:no|without) (?=(?:\w+ ){0,2}(?:benefits?|effects?|advantages?|role|value|use|"
            r"evidence|improvements?|"
            r"associations?|relation\w*|links?|harms?|place|impact|influence)\b)"
        ),
        "",
    ),
    (
        _any(
            r"^(?P<before>(?:(?!\b(?:when|that|which|who|because|if|why|whether|how|"
            r"or)\b).)*?)\b(?:not|never)\b "
            r"(?!only\b|yet\b|just\b|later than\b)"
        ),
        r"\g<before>",
    ),
)
"""Words that turn a question round, with what it is turned into."""
_AS_GOOD = _any(
    r"\b(?:not inferior to|non-?inferior to|(?:no|not) worse than|(?:no|not) less effective than)\b"
)
_PLAIN_VERBS: tuple[tuple[re.Pattern[str], str], ...] = (
    (_any(r"\b(?:worsen|aggravate|exacerbate)\b"), "worse"),
    (_any(r"\b(?:hasten|speed up)\b"), "accelerate"),
    (_any(r"\bameliorate\b"), "improve"),
    (_any(r"\belevate\b"), "raise"),
    (_any(r"\blengthen\b"), "prolong"),
    (_any(r"\b(?:induce|provoke|trigger)\b"), "cause"),
    (_any(r"\b(?:attenuate|lessen|minimi[sz]e)\b"), "reduce"),
    (_any(r"\b(?:soothe|cut down)\b"), "relieve"),
)
"""Verbs that name nothing, as the more common ones that `clinfo.text.terms` knows to name
nothing.
"""


@lru_cache(maxsize=512)
def affirmed(question: str) -> Affirmed:
    """The question without "not", "no benefit", "ineffective", "inferior to" …: two of them cancel
    out.

    Open questions stay as they are, and so does a contracted "isn't it?", which expects a yes.
    """
    if not is_closed(question):
        return Affirmed(question, False)
    part = asked_part(question)
    text, times = _AS_GOOD.sub("as good as", part), 0
    for pattern, other in _TURNING:
        text, count = pattern.subn(other, text)
        times += count
    for pattern, other in _PLAIN_VERBS:
        text = pattern.sub(other, text)
    return Affirmed(question.replace(part, text), times % 2 == 1)


def asked_part(text: str) -> str:
    """The part of a question that asks: "Double balloon enteroscopy: is it safe?" asks "is it
    safe?".
    """
    parts = [part for part in _PARTS.split(text) if part.strip()]
    closed = [part for part in parts if _STARTS_CLOSED.match(part)]
    asking = closed or [part for part in parts if part.rstrip().endswith("?")]
    return asking[-1] if asking else text


def is_closed(question: str) -> bool:
    """Return whether a question can be answered by yes or no: a part of it begins with a verb, or
    none with a question word.
    """
    parts = [part for part in _PARTS.split(question) if part.strip()]
    return any(_STARTS_CLOSED.match(part) for part in parts) or not any(
        _STARTS_OPEN.match(part) for part in parts
    )


def starts_closed(question: str) -> bool:
    """Return whether a part of a question begins with a verb, so that yes or no is an answer to
    it.
    """
    return any(_STARTS_CLOSED.match(part) for part in _PARTS.split(question) if part.strip())


def starts_with_verb(question: str) -> bool:
    """Return whether a question begins "does", "is", "can" …, so that what it asks about comes
    next.
    """
    return _STARTS_CLOSED.match(question) is not None


def forms(question: str) -> frozenset[str]:
    """Names of the `FORMS` that the asking part of a question shows."""
    asked = asked_part(question)
    return frozenset(name for name, pattern in FORMS.items() if pattern.search(asked))


def question_kind(question: str) -> Kind:
    """The one kind that says how a conclusion is to be read for this question."""
    asked, shown = asked_part(question), forms(question)
    valued = bool(shown & {"ability", "efficacy", "safety"})
    if _LEAVES_OUT.search(asked) and (valued or "need" in shown):
        return "omit"
    if "sameness" in shown:
        return "sameness"
    if _HARMS.search(asked):
        return "harm"
    if "difference" in shown:
        return "difference"
    if _VALUES.search(asked):
        return "evaluative"
    if "need" in shown:
        return "need"
    if shown & {"association", "prediction", "effect"}:
        return "neutral"
    if shown & {"rise", "fall"}:
        return "gain"
    if valued:
        return "evaluative"
    return "neutral" if _VERB_FIRST.match(asked) else "evaluative"
