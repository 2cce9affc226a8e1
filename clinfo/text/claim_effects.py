"""Words of effect: what a single word says an outcome did, and which words say the opposite."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

Axis = Literal["amount", "value", "difference", "link"]
"""More or less of something; better or worse; different or the same; linked or not."""


@dataclass(frozen=True)
class Effect:
    """What a word says: ``sign`` is 1 for more, better, different, linked, and -1 for less, worse, the same, unlinked."""

    axis: Axis
    sign: int


_WORDS: tuple[tuple[Axis, int, str], ...] = (
    (
        "amount",
        1,
        r"increas\w*|higher|greater|more|elevat\w+|rais(?:e|es|ed|ing)|rise|rises|risen|rose|rising|gain(?:s|ed)?|larger|longer|prolong\w*|"
        r"grew|grown|doubl(?:ed|es|ing)|tripled|quadrupled|upregulat\w+|heighten\w*|accelerat\w+|lengthen\w*|exceed\w*|escalat\w+|"
        r"augment\w*|stronger|faster|earlier|boost\w*|promot(?:e|es|ed|ing)|climb(?:ed|s)?|expand(?:ed|s)?|surpass\w*|intensif\w+|quicker",
    ),
    (
        "amount",
        -1,
        r"decreas\w*|reduc\w+|lower(?:s|ed|ing)?|fewer|less|lessen\w*|declin\w*|diminish\w*|fell|drop(?:ped|s)?|smaller|shorter|"
        r"shorten\w*|attenuat\w+|suppress(?:e[sd])?|inhibit(?:s|ed)?|halv(?:ed|es|ing)|minimi[sz]\w+|downregulat\w+|prevent(?:s|ed|ing)?|alleviat\w+|reliev\w+|"
        r"weaker|slower|later|cut|cuts|lowest|eas(?:ed|es)|shr[au]nk|slowed|delay(?:s|ed)?|curb(?:ed|s)?|averted|mitigat\w+|blunt(?:ed|s)",
    ),
    (
        "value",
        1,
        r"improv\w+|better|superior\w*|benefi[ct]\w*|effective(?:ly|ness)?|efficac\w+|success(?:ful|fully)?|favou?rabl[ey]|safe(?:ly|ty)?|"
        r"advantage(?:s|ous)?|outperform\w*|ameliorat\w+|enhanc\w+|helpful|useful(?:ness)?|reliabl[ey]|reliability|accurate(?:ly)?|"
        r"feasib\w+|helped|helps|worked|valid|acceptable|adequate(?:ly)?|appropriate(?:ly)?|good|excellent|protective",
    ),
    (
        "value",
        -1,
        r"worse\w*|inferior\w*|harm(?:ed|ful|s|ing)?|ineffective\w*|unsafe|detriment\w*|deteriorat\w+|impair(?:s|ed|ing)?|"
        r"unfavou?rabl[ey]|disadvantage(?:s|ous)?|poor(?:ly|er)?|adversely|unhelpful|useless|unreliabl[ey]|inaccurate(?:ly)?|"
        r"unsuccessful\w*|inefficacious|unacceptable|inadequate(?:ly)?|inappropriate(?:ly)?|bad|infeasible|invalid|failure",
    ),
    ("difference", 1, r"differ(?:s|ed|ent|ently|ence|ences|ing)?|dissimilar|unequal|varied"),
    (
        "difference",
        -1,
        r"similar(?:ly|ity)?|comparabl[ey]|equivalen\w+|equal(?:ly)?|identical\w*|unchanged|unaffected|alike|non-?inferior\w*|"
        r"noninferior\w*|same|indistinguishable|unaltered|stable|constant",
    ),
    (
        "link",
        1,
        r"associat(?:ed|es?|ions?)|correlat(?:ed|es?|ions?|ing)|linked|related|relationships?|predict(?:s|ed|ive|ors?)?|depend(?:s|ed|ent)|"
        r"influenc(?:e|es|ed)|affect(?:s|ed|ing)?|effects?|impact(?:s|ed)?|alter(?:s|ed)|chang(?:e|es|ed)|determin(?:es|ants?)|contribut(?:e|es|ed)",
    ),
    ("link", -1, r"unrelated|unassociated|uncorrelated|independent(?:ly)?|irrelevant|unlinked"),
)
_PATTERNS = tuple((Effect(axis, sign), re.compile(rf"(?:{words})\Z")) for axis, sign, words in _WORDS)

_PAIRS = """
    high/low highest/lowest early/late earlier/later fast/slow faster/slower rapid/slow rapidly/slowly
    positive/negative positively/negatively large/small largest/smallest long/short strong/weak strongly/weakly
    stronger/weaker common/rare frequent/infrequent frequently/rarely commonly/rarely often/rarely often/seldom
    major/minor present/absent presence/absence likely/unlikely significant/nonsignificant
    significant/insignificant significantly/nonsignificantly significantly/insignificantly necessary/unnecessary
    able/unable possible/impossible abnormal/normal sufficient/insufficient consistent/inconsistent
    complete/incomplete severe/mild most/least best/worst maximum/minimum maximal/minimal upper/lower accept/reject
    gain/loss gained/lost success/failure succeeded/failed survived/died survival/death survival/mortality
    positive/inverse positively/inversely direct/inverse directly/inversely upward/downward above/below
    recommended/discouraged supports/refutes support/refute confirmed/refuted agree/disagree agreement/disagreement
    adherence/nonadherence compliance/noncompliance responders/nonresponders response/nonresponse
    tolerable/intolerable well/poorly deeper/shallower thicker/thinner older/younger heavier/lighter
    substantial/negligible marked/slight markedly/slightly underestimate/overestimate underestimated/overestimated
    undertreated/overtreated risk/protective upregulated/downregulated activation/inhibition activated/inhibited
    increment/decrement wider/narrower warmer/colder denser/sparser more/less frequent/rare yes/no all/none
"""
_OPPOSITES = frozenset(
    pair for one, _, other in (entry.partition("/") for entry in _PAIRS.split()) for pair in ((one, other), (other, one))
)
_PREFIXES = ("un", "in", "im", "ir", "non", "non-", "dis", "ill", "hypo", "hyper")


@lru_cache(maxsize=50_000)
def effect_of(folded: str) -> Effect | None:
    """The effect that a folded word tells of, if any."""
    return next((effect for effect, pattern in _PATTERNS if pattern.match(folded)), None)


@lru_cache(maxsize=50_000)
def opposite(one: str, other: str) -> bool:
    """Whether two folded words say opposite things of one matter: antonyms, or effects of opposite sign."""
    if (one, other) in _OPPOSITES:
        return True
    if any(one == prefix + other or other == prefix + one for prefix in _PREFIXES[:7]):
        return True
    if {one[:4], other[:4]} == {"hypo", "hype"} and one.removeprefix("hypo").removeprefix("hyper") == other.removeprefix(
        "hyper"
    ).removeprefix("hypo"):
        return True
    first, second = effect_of(one), effect_of(other)
    if first is None or second is None:
        return False
    if first.axis == second.axis or {first.axis, second.axis} == {"amount", "value"}:
        return first.sign == -second.sign and (first.axis == second.axis)
    return False
