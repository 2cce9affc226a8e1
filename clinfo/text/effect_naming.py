"""Which outcome the clause of a stated effect names, so that no figure stands beside an outcome that is not its own.

First set wordings ("odds ratio for death", "reduced the risk of stroke (", "pain was lower (", "change in weight"), the nearest to
the effect; then an outcome that the study or the question lists and whose every telling word stands in the clause.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from clinfo.text.effects import StatedEffect
from clinfo.text.study_question import outcome_phrase
from clinfo.text.terms import Vocabulary, acronyms, concepts, share, stem, vocabulary, words

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
        rf"(?:\A|[.,;:]\s|\b(?:and|that|but|while|whereas)\s)(?:the\s|mean\s|overall\s){{0,2}}{_THING}"
        rf"\s(?:(?:was|were|is|are)\s{_MORE}{_CHANGED}|{_MORE}(?:decreased|improved|increased|declined|fell|rose|differed|did not "
        r"differ)|(?:was|were|is|are)\s(?:\w+\s)?(?:predicted|associated))\b",
    )
)
_BEHIND = re.compile(rf"\A[\s)\],;]{{0,4}}(?:for|in|of)\s(?:the\s|an?\s|risk\sof\s|any\s){{0,2}}{_THING}{_ENDS}", re.IGNORECASE)
_NO_OUTCOME = re.compile(
    r"\b(?:groups?|arms?|patients|participants|subjects|women|men|children|adults|individuals|smokers|studies|trials?|treatment|"
    r"therapy|placebo|controls?|intervention|recipients|users|end\s?-?points?|outcomes?|this|these|those|it|they|we|there|both|"
    r"ratios?|differences?|analys[ie]s|confidence|interval|respectively|baseline|drugs?|dose|risk|effects?|results?|"
    r"evidence|interventions?|association|factors?)\Z|\A(?:we|it|they|there|this|these|no|not|if|when|who|which)\b",
    re.IGNORECASE,
)
_LOOSE_HEADS = frozenset(
    map(stem, ("gain", "loss", "change", "changes", "level", "rate", "risk", "score", "symptoms", "events", "disease", "disorder"))
)
"""Last words of an outcome that an abstract may word otherwise: "weight gain" is a change in weight."""


def named_outcome(effect: StatedEffect, outcomes: Sequence[str] = (), asked: str = "") -> str | None:
    """The outcome that the effect's own clause names, in words of the article; None where it names none.

    ``outcomes`` are those the study lists, ``asked`` the question's: of these one is taken only where all its telling words
    stand in the clause, and the question's only where it stands there as it is written.
    """
    before, behind = effect.clause[: effect.at][-_READ:], effect.clause[effect.to :][:_READ]
    own = effect.clause[effect.at : effect.to]
    ahead = _BEHIND.search(behind)
    if ahead is not None and (phrase := _fit(ahead["o"])):
        return phrase
    nearest = max(_phrases(f"{before}{_name(own)}"), default=None)
    here = f"{before} {_name(own)} {behind}"
    written = re.findall(rf"\b{re.escape(asked)}\b", here, re.IGNORECASE) if asked else []
    if written and (nearest is None or shares(nearest[1], written[-1])):
        return str(written[-1])
    listed = next((outcome for outcome in outcomes if _all_named(outcome, vocabulary(here))), None)
    if listed is not None and (nearest is None or shares(nearest[1], listed)):
        return listed
    if nearest is not None:
        return nearest[1]
    shared = max(_phrases(effect.lead[-_READ:]), default=None) if effect.lead else None
    return shared[1] if shared is not None else None


def shares(one: str, other: str) -> bool:
    """Whether two outcomes share a telling word, a synonym counting as the word."""
    here = vocabulary(one, acronyms(other))
    return any(share(concept, here) > 0 for concept in concepts(other))


def is_about(outcome: str, asked: str) -> bool:
    """Whether an outcome is the one asked for: half of its words and what it is at heart ("severity" of "COVID-19 severity")."""
    telling = concepts(asked)
    if not telling:
        return True
    here = vocabulary(outcome)
    total = sum(concept.weight for concept in telling)
    held = sum(concept.weight * share(concept, here) for concept in telling)
    head = stem((words(re.split(r"\sof\s", asked)[0]) or [""])[-1])
    return 2 * held >= total and (head in _LOOSE_HEADS or here.has(head))


def _phrases(text: str) -> Iterator[tuple[int, str]]:
    for pattern in _BEFORE:
        for match in pattern.finditer(text):
            if phrase := _fit(match["o"]):
                yield match.start("o"), phrase


def _fit(written: str) -> str | None:
    phrase = outcome_phrase(written)
    return phrase if phrase and not _NO_OUTCOME.search(phrase) else None


def _name(own: str) -> str:
    """The words of the effect itself before its first digit: "odds ratio for death"."""
    return re.split(r"\d", own, maxsplit=1)[0]


def _all_named(outcome: str, here: Vocabulary) -> bool:
    telling = concepts(outcome)
    return bool(telling) and all(share(concept, here) > 0.99 for concept in telling)
