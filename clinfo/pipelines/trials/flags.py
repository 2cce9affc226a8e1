"""What a reader has to know of a study: where what the model says, what the paper states and what
the arms' numbers come to do not agree, and what was left out.
"""

from __future__ import annotations

from collections.abc import Iterator

from clinfo.evidence.meta_analysis.values import RATIOS, StudyEffect, direction
from clinfo.pipelines.trials.numbers import WORDS, direction_of
from clinfo.records.trials import Direction, StatedEffect, StudyPapers, StudyReading

CLUSTER = "Cluster-randomised, the model says: its numbers are shown, not pooled."
ANIMALS = "Not about people, the model says."
PARTED = (
    "The model does not take these papers for reports on the same people in the same groups; "
    "--study parts them."
)
_DIFFERENCES = frozenset({"RD", "MD", "SMD", "WMD"})


def flags(
    study: StudyPapers,
    said: Direction | None,
    reading: StudyReading | None,
    found: StudyEffect | None,
) -> Iterator[str]:
    """The flags of a study, of which a model ``said`` where the outcome went and ``found`` is what
    its numbers come to.
    """
    if len(study.papers) > 1 and study.why != "as told":
        yield f"Read as one trial since {study.why}; --study parts them."
    by_numbers = direction_of(found) if found else None
    if said is not None and by_numbers not in (None, said):
        yield (
            f"The numbers and the text disagree: {WORDS[by_numbers]} by the interval of the "
            f"numbers, {WORDS[said]} by the text."
        )
    if reading is None:
        return
    if reading.cluster_randomised:
        yield CLUSTER
    if reading.about_people is False:
        yield ANIMALS
    if reading.one_trial is False:
        yield PARTED
    if reading.stated is not None:
        yield from _against_stated(reading.stated, said, found)
    if reading.lost:
        yield (
            f"Given by the model, but not in what it quotes, and left out: "
            f"{'; '.join(reading.lost)}."
        )


def stated_direction(stated: StatedEffect) -> Direction | None:
    """Where the whole interval that a paper states lies; None of another level than 95 %, or a
    measure of which nobody knows where no effect is.
    """
    known = stated.measure in RATIOS or stated.measure in _DIFFERENCES
    if not known or stated.low is None or stated.high is None or stated.level not in (None, 95.0):
        return None
    return direction(stated.measure, stated.low, stated.high)


def _against_stated(
    stated: StatedEffect, said: Direction | None, found: StudyEffect | None
) -> Iterator[str]:
    by_paper = stated_direction(stated)
    shown = f"{stated.measure} {stated.estimate:g}" if stated.estimate is not None else "effect"
    if said not in (None, "not_stated") and by_paper not in (None, said):
        yield (
            f"The paper's own interval ({shown}, {stated.low:g} to {stated.high:g}) says "
            f"{WORDS[by_paper]}, the model {WORDS[said]}."
        )
    if found is None or stated.measure != found.measure or stated.low is None:
        return
    if stated.high is not None and (stated.high < found.low or found.high < stated.low):
        yield (
            f"The paper states {shown} ({stated.low:g} to {stated.high:g}), the numbers come to "
            f"{found.estimate:.3g} ({found.low:.3g} to {found.high:.3g})."
        )
