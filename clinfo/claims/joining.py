"""The verdict on a sentence, chosen from what its judges said, and the floor under an answer.

A judge that gave no verdict leaves it to the other; two that conflict, one for and one against,
leave the sentence not verified.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from clinfo.records.articles import Sentence, Span, Verdict

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
    that it could not tell; ``lowered``: it said "supported", and did not quote each article;
    ``instead`` is the sentence as it would have it.
    """

    judge: str
    verdict: Verdict | None
    reason: str
    spans: tuple[Span, ...] = ()
    own: bool = False
    failed: bool = False
    lowered: bool = False
    instead: str = ""


def chosen(sentence: Sentence, opinions: Sequence[Opinion]) -> Sentence:
    """The sentence under the verdict that stands with these opinions; as it is without any."""
    if not opinions:
        return sentence
    told = [one for one in opinions if one.verdict is not None]
    silent = [one.reason for one in opinions if one.verdict is None]
    if not told:
        return replace(sentence, verdict="not_verified", reason="; ".join(silent), spans=())
    verdicts = {one.verdict for one in told}
    conflict = "supported" in verdicts and bool(verdicts & CONDEMNED)
    stands: Verdict = (
        "not_verified"
        if conflict
        else max((one.verdict for one in told if one.verdict), key=_SEVERITY.__getitem__)
    )
    said = [f"{one.judge}: {f'{one.verdict}, ' if conflict else ''}{one.reason}" for one in told]
    return replace(
        sentence,
        verdict=stands,
        reason="; ".join((*(["the judges disagree"] if conflict else []), *said, *silent)),
        spans=tuple(dict.fromkeys(span for one in told for span in one.spans)),
        judges=tuple(one.judge for one in told),
    )


LEAST_TOLD: Final = 3
"""Sentences that a judge could tell, from which the floor is asked."""
LEAST_SHARE: Final = 1 / 5
"""Share of these that must be supported or partial (both as issue 12 asks)."""


def too_little(sentences: Iterable[Sentence]) -> str:
    """Return why a text with these sentences, as the model wrote them, is no answer; "" where it is
    one.

    A text without any citation answers from no article. Else sentences without verdict or citation
    and counts of studies are no evidence either way.
    """
    sentences = tuple(sentences)
    if sentences and not any(one.cites for one in sentences):
        return "no sentence cites an article"
    told = [one for one in sentences if one.verdict in TOLD and not one.counts_only]
    carried = sum(one.verdict in CARRIED for one in told)
    if len(told) < LEAST_TOLD or carried >= LEAST_SHARE * len(told):
        return ""
    few = f"{carried or 'none'} {'is' if carried < 2 else 'are'}"
    return f"of {len(told)} sentences that could be checked, {few} supported by the articles cited"
