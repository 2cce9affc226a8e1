"""The parts of a closed question: treatment, comparator and outcome, in the words of the question.

Only set wordings are read ("does X reduce Y in P?", "is X superior to C for Y?", "effect of X on
Y"). Where none of them stands the parts are empty, and nothing may be concluded from them.
"""

from __future__ import annotations

from functools import lru_cache

from clinfo.lazy_dataclass import dataclass
from clinfo.text.lexicon import either
from clinfo.text.regex import anycase, regex


@dataclass(frozen=True)
class AskedParts:
    """Phrases of a question, "" where it has none; ``exact`` where the outcome is what the answer
    must be about.

    "Does X reduce Y?" asks about Y and nothing else; in "is X effective for Y?" Y is the illness,
    and other outcomes answer too.
    """

    treatment: str = ""
    comparator: str = ""
    outcome: str = ""
    exact: bool = False


_CHANGES = (
    rf"(?:{either('falling', 'asked_parts')}|{either('rising', 'asked_parts')}|"
    rf"{either('better', 'asked_parts')}|{either('worse', 'asked_parts')}|associated with|"
    r"linked (?:to|with)|related to|results? in|affects?|alters?|changes?|influences?|induces?|"
    r"triggers?|a risk factor for|a cause of|predicts?|(?:have|has) (?:an? )?(?:effect|impact|"
    r"influence) on)"
)
_WORKS = (
    r"(?:(?:more |less |as |at least as )?(?:effective|efficacious|beneficial|useful|helpful|safe|"
    r"good)|superior|inferior|"
    r"noninferior|non-inferior|better|worse|helps?|works?|treats?|benefits?|safer)"
)
_ASKED = anycase(
    r"(?:\A|[,:;]\s)\W*(?:does|do|did|is|are|was|were|can|could|will|would|should|may|might|has|"
    r"have)\s+(?:there\s+)?"
    r"(?P<treatment>[^?;]{2,120}?)\s+(?:(?:not|really|significantly|also|"
    rf"be)\s+){{0,2}}(?:(?P<changes>{_CHANGES})|{_WORKS})\b"
    r"(?P<rest>[^?;]{0,240})"
)
_EFFECT_ON = anycase(
    r"\b(?:effects?|impact|influence|efficacy) of "
    r"(?P<treatment>[^?;]{2,120}?)\s+on\s+(?P<rest>[^?;]{2,240})"
)
_COMPARED = anycase(
    r"\s(?:versus|vs\.?|(?:as )?compared (?:with|to)|in comparison (?:with|"
    r"to))\s(?P<comparator>(?:[^?,;]|,(?=\d)){2,120}?)"
    r"(?=\s(?:for|in|at|among|after|during|when)\b|[?;]|,(?!\d)|\Z)"
)
_AGAINST = anycase(
    r"\s(?:relative to|rather than|over|than|or)\s(?P<comparator>(?:[^?,;]|,(?=\d)){2,80}?)"
    r"(?=\s(?:for|in|at|on|among|to|with|after|during|when)\b|[?;]|,(?!\d)|\Z)"
)
_FIRST_AGAINST = regex(
    r"\A\s*(?:than|to|as)\s(?P<comparator>[^?,;]{2,80}?)(?=\s(?:for|in|at|on|among|to|with|after|"
    r"during)\b|\Z)"
)
_ENDS = anycase(
    r"\s(?:in|among|amongst|for|after|during|compared|versus|vs|than|when|at|within|of patients|"
    r"over|following|by|from)\b|[,;?]"
)
_RISK_OF = anycase(
    rf"\A\W*(?:(?:{either('falling', 'risk_of')}|{either('rising', 'risk_of')}|improving|an?|"
    r"the|of|for|in|to|with|treating|risks?|incidence|rates?|odds|people|patients|treatment|"
    r"development|occurrence|onset|overall)\s+)+"
)


@lru_cache(maxsize=64)
def asked_parts(question: str) -> AskedParts:
    """The parts of a question; all empty where its wording is none of those read."""
    match = _ASKED.search(question[:600]) or _EFFECT_ON.search(question[:600])
    if match is None:
        return AskedParts()
    treatment, rest = match["treatment"], match["rest"]
    exact = bool(match.groupdict().get("changes", "on"))
    compared = _COMPARED.search(rest)
    beside = (
        None if compared else _COMPARED.search(f"{treatment} ") or _AGAINST.search(f"{treatment} ")
    )
    against = (
        beside
        or compared
        or (None if exact else _FIRST_AGAINST.search(rest))
        or _AGAINST.search(rest)
    )
    if beside is not None:
        treatment = treatment[: beside.start()]
    elif against is not None:
        rest = rest[: against.start()] if rest[: against.start()].strip() else rest[against.end() :]
    outcome = _RISK_OF.sub("", f"{rest.strip(' .?')} ")
    cut = _ENDS.search(outcome)
    outcome = (outcome[: cut.start()] if cut else outcome).strip()
    return AskedParts(
        treatment.strip(),
        against["comparator"].strip() if against else "",
        outcome,
        exact and bool(outcome),
    )
