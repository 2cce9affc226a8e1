"""Which outcome the clause of an effect names: set wordings ("odds ratio for death", "reduced the risk of stroke (", "pain was
lower (", "change in weight", "lower rates of stroke ("), the nearest to the effect."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clinfo.text.study_question import outcome_phrase
from clinfo.text.terms import is_content, words

_READ = 400
"""Characters before and behind an effect that are read for its outcome."""
_THING = r"(?P<o>(?!\d)[^.;:,()\[\]=<>\d]{3,60}?)"
_ENDS = (
    r"(?=\s(?:was|were|is|are|in|among|with|for|between|comparing|compared|at|after|associated|versus|vs|by|than|from|over|when|"
    r"during|within|favou?ring|and|or|as)\b|\s?[,.;:()\[\]=]|\s\d|\s?\Z)"
)
_MORE = (
    r"(?:(?:significantly|substantially|markedly|slightly|much|also|more|less|statistically|clinically|not|no|similarly|"
    r"non-?significantly|considerably)\s){0,3}"
)
_CHANGED = (
    r"(?:lower|higher|reduced|decreased|increased|improved|better|worse|greater|smaller|fewer|shorter|longer|elevated|"
    r"less (?:common|frequent|likely)|more (?:common|frequent|likely)|rarer|commoner|similar|different)"
)
_BEFORE = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:odds|hazards?|risk|rate|prevalence|relative\srisks?|ORs?|RRs?|HRs?)(?:[\s-]ratios?)?(?:\s?[\[(][^)\]]{1,30}[)\]])?,?"
        rf"\s(?:for|of)\s(?:the\s|an?\s|having\s|developing\s|experiencing\s|risk\sof\s|any\s){{0,3}}{_THING}{_ENDS}",
        r"\b(?:risks?|odds|incidence|rates?|hazards?|likelihood|probability|frequency|prevalence|occurrence)\sof\s"
        rf"(?:the\s|an?\s|having\s|developing\s|experiencing\s|any\s){{0,2}}{_THING}{_ENDS}",
        r"\b(?:mean\s|absolute\s|between-group\s|significant\s)?(?:differences?|changes?|reductions?|increases?|improvements?|"
        rf"decreases?|effects?)\s(?:\([^)]{{1,30}}\)\s)?(?:in|on|for)\s(?:the\s|mean\s){{0,2}}{_THING}{_ENDS}",
        rf"\b(?:reduc|improv|increas|decreas|lower|prevent|prolong|shorten|rais|worsen)(?:e|es|ed|ing|s)?\s(?:the\s|mean\s|both\s)?"
        rf"(?!(?:risks?|odds|incidence|rates?|likelihood)\b){_THING}{_ENDS}",
        rf"\b(?:lower|higher|fewer|more|less|greater|shorter|longer|smaller|larger)\s(?:mean\s|median\s|rates?\sof\s|incidence\sof\s)?{_THING}"
        r"(?=\s?[,(\[:]|\s(?:than|in|with|among|compared|versus|vs|for|by|at|after)\b)",
        rf"(?:\A|[.,;:]\s)(?:the\s|mean\s|median\s|average\s|overall\s){{0,2}}{_THING}\s(?:was|were|is|are|occurred|did\snot\sdiffer)\b",
        rf"(?:\A|[.,;:]\s|\b(?:and|that|but|while|whereas)\s)(?:the\s|mean\s|overall\s){{0,2}}{_THING}"
        rf"\s(?:(?:was|were|is|are)\s{_MORE}{_CHANGED}|{_MORE}(?:decreased|improved|increased|declined|fell|rose|differed|did not "
        r"differ)|(?:was|were|is|are)\s(?:\w+\s)?(?:predicted|associated))\b",
    )
)
_BEHIND = re.compile(rf"\A[\s)\],;]{{0,4}}for\s(?:the\s|an?\s|risk\sof\s|any\s){{0,2}}{_THING}{_ENDS}", re.IGNORECASE)
_NO_OUTCOME = re.compile(
    r"\b(?:groups?|arms?|patients|participants|subjects|women|men|children|adults|individuals|smokers|studies|trials?|treatment|"
    r"therapy|placebo|controls?|intervention|recipients|users|end\s?-?points?|outcomes?|this|these|those|it|they|we|there|both|"
    r"ratios?|differences?|analys[ie]s|confidence|interval|respectively|baseline|drugs?|dose|risk|effects?|results?|"
    r"evidence|interventions?|association|factors?)\Z|\A(?:we|it|they|there|this|these|no|not|if|when|who|which)\b",
    re.IGNORECASE,
)
_A_SENTENCE = re.compile(
    r"\b(?:had|have|has|was|were|is|are|did|does|who|that|which|indicat\w+|receiv\w+|but)\b|"
    r"\A(?:patients|participants|children|women|men|subjects|people|individuals|adults|girls|boys)\b",
    re.IGNORECASE,
)
_VAGUE = frozenset(
    words(
        "period periods proportion proportions percentage percentages time times number numbers rate rates score scores "
        "level levels change changes mean median average total overall phase value values amount increase decrease "
        "reduction improvement duration"
    )
)
"""Words that alone name no outcome."""


_CUT = re.compile(r"\b[A-Z]\.\s\Z")
"""Before the rest of a name whose point was taken for the end of a sentence: "H. pylori"."""


def is_vague(outcome: str) -> bool:
    """Whether an outcome has words and none of them tells what it is: "mean time", "percentages"."""
    told = words(outcome)
    return bool(told) and not any(is_content(word) and word not in _VAGUE for word in told)


def named_outcome(before: str, behind: str = "") -> str | None:
    """The outcome that the clause of an effect names, in its own words: the nearest to the effect; None where it names none.

    ``before`` are the words before its figure, ``behind`` those behind it.
    """
    nearest = max(_phrases(before[-_READ:]), default=None)
    if nearest is not None:
        return nearest[1]
    ahead = _BEHIND.search(behind[:_READ])
    return _fit(ahead["o"]) if ahead is not None else None


def _phrases(text: str) -> Iterator[tuple[int, str]]:
    for pattern in _BEFORE:
        for match in pattern.finditer(text):
            if (phrase := _fit(match["o"])) and not _CUT.search(text, 0, match.start("o")):
                yield match.start("o"), phrase


def _fit(written: str) -> str | None:
    phrase = outcome_phrase(written)
    if phrase is None or _NO_OUTCOME.search(phrase) or _A_SENTENCE.search(phrase):
        return None
    return None if is_vague(phrase) else phrase
