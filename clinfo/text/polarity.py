"""Polarity: the words of a sentence that approve, disapprove, link, tell apart or equate, and
whether each is negated.

A negator ("no", "did not", "failed to", "lack of") reaches up to eight words on, but not past a
word that begins another clause ("but", "however", "which", "because").
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from clinfo.text.regex import anycase, regex

KINDS: dict[str, str] = {
    "good": r"""effective(?:ly|ness)?|efficac\w+|safe(?:ly|ty)?|feasib\w+|useful(?:ly|ness)?|reliab\w+|reproducib\w+|
        accura(?:te|tely|cy)|valid\w*|valuable|
        beneficial\w*|benefit\w*|success\w*|promising|acceptab\w+|adequate(?:ly)?|appropriate(?:ly)?|helpful|
        excellent|good|satisf\w+|viable|suitable|
        justif(?:y|ied|iable|ies)|worth\w*|practical|favou?rabl[ey]|advantag\w+|cost-effective(?:ness)?|attractive|
        efficient(?:ly)?|superior\w*|better|
        improv\w+|outperform\w*|tolerated|ideal|eas(?:y|ily)|possible|warrant\w*|recommend\w*|encourag\w+|optimal|
        preserv\w+|realistic|robust|capable|
        able|sufficient(?:ly)?|suppl(?:y|ies) useful|alternative|valu(?:e|able)|indicated|consistent|correct(?:ly)?|
        confident\w*|enhanc\w+|facilitat\w+""",  # noqa: E501
    "bad": r"""ineffective\w*|unreliab\w+|unsafe|underestimat\w+|overestimat\w+|inaccura\w+|insufficient\w*|
        inadequa\w+|questionabl[ey]|disappoint\w+|unhelpful|
        useless|unsatisf\w+|suboptimal\w*|inappropriate\w*|limitations?|lacking|underus\w+|deficien\w+|fail\w*|
        redundant|abandon\w*|
        difficult\w*|problematic|imprecise|inconsisten\w+|contraindicat\w+|rare(?:ly)?|seldom|unlikely|reconsider\w*|
        revisit\w*|discourag\w+|mislead\w+|erroneous\w*|
        discordan\w+|discrepan\w+|disagree\w*|variabilit\w+|diversity|heterogene\w+|gaps?|concerns?|caution\w*|
        disadvantag\w+|
        contradict\w*|refut\w+|reject\w*|ruling out|rules? out|ruled out|unacceptabl\w*|doubt\w*|unproven|errors?|
        compromis\w+|ignor\w+|neglect\w*|unaware|
        unjustified|impossible|overus\w+|risky|harmful|detriment\w*|instead|unclear|uncertain\w*|misclassif\w+|
        inferior\w*|difficult\w*|lacks?""",  # noqa: E501
    "weak": r"""poor(?:ly|er)?|limited|low|little|uncommon|small|slight\w*|weak\w*|modest\w*|minimal\w*|
        moderate(?:ly)?|marginal\w*|only|partial(?:ly|y)?|worse\w*|
        impair\w*|damage\w*|discomfort""",  # noqa: E501
    "link": r"""associat\w+|correlat\w+|relat(?:ed|es?|ions?|ionships?)|link\w*|predict\w*|influenc\w+|affect\w*|
        effects?|impact\w*|role|contribut\w+|caus(?:e|es|ed|al)|
        lead(?:s|ing)? to|led to|result(?:s|ed|ing)? in|due to|explain\w*|depend\w*|risk factors?|determin\w+|
        markers?|increas\w+|decreas\w+|reduc\w+|lower(?:s|ed|ing)?|
        higher|greater|longer|shorter|fewer|prevent\w*|protect\w*|chang\w+|alter\w*|modif\w+|significan\w+|delay\w*|
        elevat\w+|show(?:s|n|ed)?|demonstrat\w+|
        support\w*|confirm\w*|evidence|exist\w*|found|detect\w*|identif\w+|involv\w+|occur\w*|indicat(?:or|ors)|
        progno\w+|independent predictors?|accelerat\w+|matter\w*""",  # noqa: E501
    "same": r"""similar\w*|comparabl[ey]|equivalen\w+|equal(?:ly)?|identical\w*|same|unchanged|unaffected|
        non-?inferior\w*|as \w+ as|irrelevant|
        agree(?:s|d|ment)?|concordan\w+|parallel\w*|homogene\w+|no matter|interchangeabl\w+|consistent with""",  # noqa: E501
    "differ": r"""differ(?:s|ed|ent|ently|ence|ences|ential|ing)?|var(?:y|ies|ied|iation|iations)|disparit\w+|
        distinct\w*|distinguish\w*|discriminat\w+|differentiat\w+|
        compared (?:with|to)|than|versus|more|less|higher|lower|greater|discrepan\w+|discordan\w+|disagree\w*|
        exceed\w*|uncorrelated""",  # noqa: E501
    "unneeded": r"""unnecessary|avoid\w*|omit\w*|omission|obviate\w*|dispens\w+|forgo\w*|no longer|abandon\w*|
        withh(?:eld|old)\w*|skip\w*|eliminat\w+|without (?:the )?(?:need|use)|
        safely (?:omitted|discharged|avoided)|overtreat\w*|preclude\w*""",  # noqa: E501
    "needed": r"""should|must|necess(?:ary|ity|itates?)|need(?:s|ed)?|requir\w+|essential|mandatory|important|
        indicated|recommend\w*|advis\w+|crucial|vital|imperative|considered""",  # noqa: E501
    "hedge": r"""may|might|could|seems?|appears?|possibl[ey]|potential\w*|perhaps|probabl[ey]|likely|suggest\w*|
        tend\w*|trend\w*|would""",  # noqa: E501
}
"""Kinds of words that carry the polarity of a conclusion."""

_NEGATOR = r"""not|no|nor|neither|none|without|never|cannot|can't|n't|lack(?:s|ed|ing)?|absence|absent|fail(?:s|ed|
        ure|ing)?|unable|hardly|rarely|seldom|scarcely|unlikely|little|nothing|
    nobody|didn't|doesn't|don't|isn't|aren't|wasn't|weren't|rather than|insufficient|inability|against|refut\w+|reject\w*"""  # noqa: E501
_BREAK = r"""but|however|although|though|whereas|while|which|who|because|since|unless|except|despite|nevertheless|yet|
        instead|therefore|thus|suggesting|;|:"""  # noqa: E501


def _squeezed(pattern: str) -> str:
    return re.sub(r"\s*\n\s*", "", pattern)


_TOKEN = regex(r"[A-Za-z0-9'’%-]+|[;:,]")
_NEGATORS = anycase(
    rf"\b(?:{_squeezed(_NEGATOR)})\b|\bun(?=related\b|correlated\b|associated\b)|"
    r"\bnon-?(?=significant|specific)"
)
_BREAKS = anycase(rf"(?:\b(?:{_squeezed(_BREAK.replace('|;|:', ''))})\b|[;:])")
_KINDS = tuple((kind, anycase(rf"\b(?:{_squeezed(pattern)})\b")) for kind, pattern in KINDS.items())
_NEW_VERB = anycase(
    r"\band (?:\w+ly )?(?:(?:caus|increas|reduc|rais|lower|improv|worsen|decreas|prolong|"
    r"shorten)ed|led|rose|fell|resulted)\b"
)
"""A second verb of the sentence, which the negation of the first does not reach: "did not reduce
stroke and caused bleeding".
"""
_NOT_NEGATION = anycase(
    r"\bnot only\b|\bno (?:doubt|less)\b|\bnot (?:to )?hesitate\b|\bno later\b|\bif not\b|"
    r"\bwhether or not\b|\bor not\b"
)
_SIDE_REMARK = anycase(
    r"\bwithout (?:an? |any )?(?:\w+ly )?(?:increas|affect|compromis|worsen|chang|alter|reduc|"
    r"impair|sacrific|loss|"
    r"caus)\w*(?: \w+){0,4}"
)
_ASIDE = frozenset({"link", "differ"})
"""Kinds of words that say nothing on the main effect in a side remark ("without increased risk of
bleeding").
"""
REACH = 8
"""Words that a negator reaches."""
_WORKED = anycase(
    r"\b(?:improv|reduc|reliev|lower|decreas|prevent|alleviat|ameliorat|enhanc)\w*|\b(?:effective|"
    r"efficacious|benefi\w+)\b"
)
_ALIKE = anycase(
    r"\s?\b(?:similarly|equally|comparably|alike|to (?:an? |the )?(?:similar|same|comparable|"
    r"equal) (?:extent|degree))\b"
)
_NO_WINNER = anycase(
    r"[,;]?(?:\s(?:and|but|with|although|though))?\s(?:neither\b[^.;,]{0,25}\b(?:superior|better|"
    r"more effective)\b|"
    r"no (?:\w+ )?(?:advantage|superiority) of (?:one|either) over the other|"
    r"(?:no|without)(?: \w+){0,2} differences? between (?:them|the (?:two|treatments|drugs|"
    r"regimens)\b(?: \w+)?))"
)
_NO_HARM = anycase(
    r",?(?:\s(?:and|but))?\s(?:did|does|do) not (?:delay|worsen|impair|compromise|harm)\b(?: "
    r"[\w-]+){0,3}"
)
_UNTREATED = anycase(
    r"\b(?:placebo|sham|controls|control (?:group|arm)s?|untreated|no treatment)\b"
)


def main_statement(sentence: str) -> str:
    """A sentence that says something worked, without how two treatments compare that both did, and
    without harms ruled out.

    "A and B lowered pain similarly; neither proved superior" gives "A and B lowered pain". Any
    other sentence is returned as it is, and so is one whose comparison is with no treatment.
    """
    worked = any(
        not inside(match.start(), negated_spans(sentence)) for match in _WORKED.finditer(sentence)
    )
    if not worked:
        return sentence
    kept = _NO_HARM.sub("", sentence)
    if _UNTREATED.search(sentence) is None and _ALIKE.search(sentence) is not None:
        kept = _ALIKE.sub("", _NO_WINNER.sub("", kept))
    return kept


@lru_cache(maxsize=4096)
def negated_spans(text: str) -> tuple[tuple[int, int], ...]:
    """The stretches of ``text``, as code points [start, end), that stand under a negator."""
    excused = [match.span() for match in _NOT_NEGATION.finditer(text)]
    breaks = sorted(
        match.start() for pattern in (_BREAKS, _NEW_VERB) for match in pattern.finditer(text)
    )
    spans = []
    for match in _NEGATORS.finditer(text):
        if inside(match.start(), excused):
            continue
        end = match.end()
        stop = bisect_left(breaks, match.end())
        limit = breaks[stop] if stop < len(breaks) else len(text)
        for count, token in enumerate(_TOKEN.finditer(text, match.end(), limit)):
            if count >= REACH:
                break
            end = token.end()
        spans.append((match.end(), end))
    return tuple(spans)


@lru_cache(maxsize=2048)
def polar_words(text: str) -> Counter[tuple[str, bool]]:
    """Return how often each kind of word (`KINDS`) stands in ``text``, by whether it is negated.

    The counts are kept for the next caller: they are not to be changed.
    """
    spans = negated_spans(text)
    found: Counter[tuple[str, bool]] = Counter()
    excused = tuple(match.span() for match in _SIDE_REMARK.finditer(text))
    for kind, pattern in _KINDS:
        for match in pattern.finditer(text):
            if kind in _ASIDE and inside(match.start(), excused):
                continue
            found[kind, inside(match.start(), spans)] += 1
    return found


def inside(place: int, spans: Sequence[tuple[int, int]]) -> bool:
    """Return whether a place lies in one of the spans, which are in order of their starts and of
    their ends.
    """
    last = bisect_right(spans, place, key=lambda span: span[0]) - 1
    return last >= 0 and place < spans[last][1]
