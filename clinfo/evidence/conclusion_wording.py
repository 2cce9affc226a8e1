"""Features of the wording of a conclusion: how firmly it speaks, whether its results were
significant, and which results its words foretell.

What `foretold` weighs is learned without labels: of thousands of abstracts, how far the results
report significant findings was fitted to the words of the conclusion (`python -m
benchmarks.own.fit_conclusion`), so that also words no list holds say something.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import Any

from clinfo.text.abstracts import AbstractSentence
from clinfo.text.keysentence import is_outlook
from clinfo.text.lexicon import either
from clinfo.text.polarity import inside, negated_spans
from clinfo.text.regex import anycase, regex
from clinfo.text.terms import stem

_WAYS: dict[str, re.Pattern[str]] = {
    name: anycase(pattern)
    for name, pattern in {
        "may": rf"\b(?:{either('hedges', 'may')})\b(?! not)",
        "unsure": (rf"\b(?:{either('hedges', 'unsure')})\b"),
        "it depends": (
            r"\b(?:complex\w*|multifactorial|var(?:y|ies|ied|iable|iability)|depend\w*|"
            r"heterogen\w+|not always|"
            r"not necessarily|mixed|differs? (?:between|among|by|across))\b"
        ),
        "limited": (rf"\b(?:{either('hedges', 'limited')})\b"),
        "tentative": (rf"\b(?:{either('hedges', 'tentative')})\b"),
        "more research": (
            r"\b(?:further|future|additional|larger|more|prospective|randomi[sz]ed)\b[^.;]{0,40}\b"
            r"(?:stud(?:y|ies)|research|investigations?|trials?|data|evaluation|work|analysis|"
            r"attention)\b|\bwarrant\w*|"
            r"\b(?:needs?|remains?|required?) (?:to be |further )"
        ),
        "but": (
            r"\b(?:but|however|although|though|while|whereas|despite|nevertheless|nonetheless|yet|"
            r"on the other hand|except|"
            r"unless)\b"
        ),
        "in some": (
            r"\b(?:some|certain|selected|subgroups?|subsets?|particular(?:ly)?|especially|in "
            r"patients with|among those|"
            r"under|when|if)\b"
        ),
        "recommends": (
            r"\b(?:should|recommend\w*|advocat\w*|encourag\w*|must|need(?:s|ed)? to|"
            r"propos\w+)\b(?! not)"
        ),
        "shows": (
            r"\b(?:show(?:s|ed|n)?|demonstrat\w+|confirm\w*|indicat\w+|reveal\w*|prov(?:es?|ed|en)|"
            r"establish\w+|conclud\w+|"
            r"found)\b"
        ),
        "suggests": r"\b(?:suggest\w*|seems?|appears?|impl(?:y|ies))\b",
        "firm": (
            r"\b(?:strong\w*|highly|clear(?:ly)?|excellent|substantial\w*|marked\w*|important|"
            r"effective|reliable|accurate\w*|"
            r"valid|independent\w*|safe\w*|feasible)\b"
        ),
        "significant": r"\bsignificant\w*\b",
        "not significant": r"\b(?:not|no|non|without|n't)\b[- ](?:\w+ ){0,3}significan\w*",
        "no effect": (
            r"\b(?:no|lack of|little|without) (?:\w+ ){0,2}(?:evidence|support|effect|difference|"
            r"association|relationship|"
            r"correlation|benefit|impact|influence|advantage|role|change|improvement|increase|"
            r"reduction)s?\b"
        ),
        "not": (
            r"\b(?:do|does|did|is|are|was|were|has|have|had|can|could|should|would|will)(?: not|"
            r"n['’]t)\b|\bcannot\b"
        ),
        "fails": (
            r"\b(?:fail\w*|unable|lack(?:s|ed)?|unlikely|neither|nor|never|unnecessary|"
            r"overestimat\w*|disappoint\w*|rarely|"
            r"little)\b"
        ),
    }.items()
}
"""Ways of speaking that bear on how sure and how whole an answer is."""
_SIGNIFICANT = anycase(r"\bp\s*[<=≤]\s*0?\.0[0-4]\d*|\bp\s*<\s*0?\.05|\bsignificantly\b")
_NOT_SIGNIFICANT = anycase(
    r"\bp\s*[=>]\s*0?\.(?:0[5-9]|[1-9])\d*|\bp\s*>\s*0?\.05|\bNS\b|\bno(?:t|n)?[- ](?:\w+ "
    r")?significan|"
    r"\bno (?:\w+ ){0,2}differences?|\b(?:did|was|were) not\b|\bsimilar\b"
)
_VERB_FIRST = anycase(r"\W*(does|do|did|is|are|was|were|can|could|should|would|will|has|have)\b")
_ASKS_WORTH = anycase(r"\b(?:should|need|necessary|worth|time|role|useful|value|justif)\w*")
_WORD = regex(r"[a-z]+(?:-[a-z]+)*")


def wording(
    question: str,
    conclusion: Sequence[AbstractSentence],
    results: Sequence[AbstractSentence],
    shares: Mapping[str, float],
) -> dict[str, float]:
    """Named features, -1 to about 3; ``shares`` tells how much of the question a sentence names, 0
    to 1, by its text.
    """
    found = _asked(question)
    said = [each for each in conclusion if not is_outlook(each.text)] or list(conclusion)
    focus = max(range(len(said)), key=lambda place: shares[said[place].text] - 0.1 * place)
    everything = " ".join(each.text for each in said)
    for name, pattern in _WAYS.items():
        if count := len(pattern.findall(everything)):
            found[f"says {name}"] = math.tanh(count / 1.5)
        if count := len(pattern.findall(said[focus].text)):
            found[f"focus says {name}"] = math.tanh(count)
    if any(is_outlook(each.text) for each in conclusion):
        found["an outlook"] = 1.0
    found["sentences"] = min(len(conclusion), 6) / 6
    found["length"] = min(len(everything.split()), 150) / 150
    found["named"] = max(shares[each.text] for each in said)
    found["named in all"] = math.tanh(sum(shares[each.text] for each in said) / 2)
    found["results foretold"] = foretold(conclusion, _phrases())
    return found | _significance(results, shares)


def _asked(question: str) -> dict[str, float]:
    """Return how the question is put, which goes with how often experts say neither yes nor no."""
    verb = _VERB_FIRST.match(question)
    found = {f"begins with {verb[1].lower() if verb is not None else 'no verb'}": 1.0}
    if re.search(r":|--|\. ", question):
        found["a question with a heading"] = 1.0
    if re.search(r"\b(?:or|and)\b", question, re.IGNORECASE):
        found["asks of several"] = 1.0
    if _ASKS_WORTH.search(question):
        found["asks the worth"] = 1.0
    return found


def _significance(
    results: Sequence[AbstractSentence], shares: Mapping[str, float]
) -> dict[str, float]:
    """Return whether the results, those that speak of the question first, report significant
    findings or findings of none.
    """
    if not results:
        return {"no results": 1.0}
    most = max(results, key=lambda each: shares[each.text]).text
    found = {"results in balance": balance(results, shares)}
    for name, pattern in (("significant", _SIGNIFICANT), ("not significant", _NOT_SIGNIFICANT)):
        found[f"results {name}"] = math.tanh(_told(pattern, results, shares) / 3)
        if pattern.search(most):
            found[f"nearest result {name}"] = 1.0
    return found


def balance(results: Sequence[AbstractSentence], shares: Mapping[str, float]) -> float:
    """Return how far results report significant findings (to 1) rather than findings of no
    significance (to -1).
    """
    return math.tanh(
        (_told(_SIGNIFICANT, results, shares) - _told(_NOT_SIGNIFICANT, results, shares)) / 3
    )


def _told(
    pattern: re.Pattern[str], results: Sequence[AbstractSentence], shares: Mapping[str, float]
) -> float:
    return sum((0.3 + shares[each.text]) * len(pattern.findall(each.text)) for each in results)


def phrases(conclusion: Sequence[AbstractSentence]) -> set[str]:
    """The stems and pairs of stems of a conclusion, outlooks left out; "~" before what is
    negated.
    """
    found: set[str] = set()
    for sentence in conclusion:
        if len(conclusion) > 1 and is_outlook(sentence.text):
            continue
        text, spans = sentence.text.lower(), negated_spans(sentence.text)
        own = [
            ("~" if inside(match.start(), spans) else "") + stem(match.group())
            for match in _WORD.finditer(text)
        ]
        found.update(own, map(" ".join, pairwise(own)))
    return found


def foretold(conclusion: Sequence[AbstractSentence], fitted: Mapping[str, Any]) -> float:
    """Return how far the words of a conclusion let one expect significant results, in standard
    deviations from the mean.
    """
    own = phrases(conclusion)
    if not own:
        return 0.0
    weights = fitted["weights"]
    return float(
        (sum(weights.get(each, 0.0) for each in own) / math.sqrt(len(own)) - fitted["mean"])
        / fitted["deviation"]
    )


@lru_cache(maxsize=1)
def _phrases() -> dict[str, Any]:
    return dict(
        json.loads(
            files("clinfo.evidence").joinpath("conclusion_phrases.json").read_text(encoding="utf-8")
        )
    )
