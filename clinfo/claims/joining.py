"""Combines the verdicts of several judges on one sentence.

The rules can tell only of wording close to its source (`Sentence.near`), of counts that the run's
own record bears out, and of what condemns whatever the wording: a wrong figure, unit or citation.
Of the rest they say "not_verified", which a learned or a model judge may lift or condemn. Two
judges that could tell and conflict, one for and one against, leave it not verified, and so does a
judge that was asked and gave no verdict, unless the rules could tell. What a model says for its own
text does not outweigh a judge who condemns it. A reason is that of a judge who could tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from clinfo.lazy_dataclass import dataclass, replace
from clinfo.records.articles import Sentence, Span, Verdict

RULES: Final = "rules"
CONDEMNED: Final[frozenset[Verdict]] = frozenset(("unsupported", "contradicted"))
"""Verdicts with which a sentence does not stay in a strict run."""
CARRIED: Final[frozenset[Verdict]] = frozenset(("supported", "partial"))
TOLD: Final = CARRIED | CONDEMNED
"""Verdicts of a judge who could tell."""
_SEVERITY: Final[dict[Verdict, int]] = {
    "supported": 0,
    "partial": 1,
    "unsupported": 2,
    "contradicted": 3,
}


@dataclass(frozen=True)
class Opinion:
    """The opinion of one judge on a sentence; ``verdict`` is None where it gave none, and then
    ``reason`` says so.

    ``own``: the judge wrote the sentence; ``failed``: it could not be asked or read, which is not
    that it could not tell.
    """

    judge: str
    verdict: Verdict | None
    reason: str
    spans: tuple[Span, ...] = ()
    own: bool = False
    failed: bool = False


def joined(rules: Sentence, opinions: Sequence[Opinion], alone: bool = False) -> Sentence:
    """The sentence as the rules judged it, under the verdict that stands with the other judges'
    ``opinions``.

    ``alone``: the rules have no say, but for a citation that leads nowhere, which they have taken
    out before. A count that all bear out stays a count, and not verified.
    """
    if not opinions:
        return rules
    ruled = Opinion(
        RULES, "supported" if rules.counts_only else rules.verdict, rules.reason, rules.spans
    )
    told = [ruled] if _rules_tell(rules) and not alone else []
    told += [opinion for opinion in opinions if opinion.verdict is not None]
    silent = [opinion for opinion in opinions if opinion.verdict is None]
    if not told:
        why = "; ".join(
            opinion.reason
            for opinion in ([ruled] if not alone and ruled.verdict not in CARRIED else []) + silent
        )
        verdict: Verdict = "uncited" if rules.verdict == "uncited" else "not_verified"
        return replace(rules, verdict=verdict, reason=why, counts_only=False)
    if len(told) == 1 and told[0] is ruled:
        return replace(
            rules,
            reason="; ".join(filter(None, (rules.reason, *(opinion.reason for opinion in silent)))),
        )
    verdicts = {opinion.verdict for opinion in told}
    conflict = any(one.verdict == "supported" and not one.own for one in told) and bool(
        verdicts & CONDEMNED
    )
    stands = (
        "not_verified"
        if conflict
        else max((one.verdict for one in told if one.verdict), key=_SEVERITY.__getitem__)
    )
    counts_only = rules.counts_only and stands == "supported"
    said = [
        f"{one.judge}: {f'{one.verdict}, ' if conflict else ''}{one.reason}" for one in told
    ] + [one.reason for one in silent]
    return replace(
        rules,
        verdict="not_verified" if counts_only else stands,
        reason="; ".join((*(["the judges disagree"] if conflict else []), *said)),
        spans=tuple(dict.fromkeys(span for one in reversed(told) for span in one.spans)),
        judges=tuple(one.judge for one in told),
        counts_only=counts_only,
    )


def _rules_tell(rules: Sentence) -> bool:
    return (
        rules.verdict in CONDEMNED or rules.counts_only or (rules.verdict in CARRIED and rules.near)
    )
