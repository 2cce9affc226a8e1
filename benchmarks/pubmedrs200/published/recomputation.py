"""The published values made anew from the published texts, in the roles that the metrics were given
them in then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.pubmedrs200.metrics.spec import MetricSpec, Pair
from benchmarks.pubmedrs200.published.answer_text import published_reference
from benchmarks.pubmedrs200.published.columns import BY_METRIC, UNIEVAL_PARTS
from benchmarks.pubmedrs200.published.reading import Published, PublishedQuestion
from benchmarks.pubmedrs200.published.systems import SYSTEMS
from benchmarks.pubmedrs200.scoring.batches import Batch, Group
from benchmarks.pubmedrs200.scoring.parallel import Choice, Computer, Here, Processes

SAMPLE: Final = 2
"""Questions on which both ways round are tried for metrics whose published way is not known."""
BATCH: Final = 64
"""Pairs that a model is given at a time."""

Role = str
Tell = Callable[[int], None]


@dataclass(frozen=True)
class Recomputed:
    """One metric's values by system key, a question each, in the order of the published files.

    ``role`` says what was scored: "swapped" is the human answer as prediction against the system's
    text as reference, "output" the system's text as prediction (against the human answer),
    "published" values put together from published ones.
    """

    metric: str
    signature: str
    role: Role
    values: Mapping[str, tuple[float, ...]]


def texts(question: PublishedQuestion, system: str, role: Role) -> Pair:
    """Return what a metric was given. Every text is the cell as published; the human answer is in
    the order that the scores had.
    """
    answer, output = published_reference(question.human_answer), question.outputs[system]
    if role == "swapped":
        return Pair(prediction=answer, reference=output, source=question.context)
    return Pair(prediction=output, reference=answer, source=question.context)


def overall_of_parts(published: Published) -> Recomputed:
    """UniEval's overall value as the mean of its four published parts: what can be checked of it
    without a model.
    """
    parts = [published.values[name] for name in UNIEVAL_PARTS]
    values = {
        system.key: tuple(
            sum(four) / len(parts)
            for four in zip(*(part[system.key] for part in parts), strict=True)
        )
        for system in SYSTEMS
    }
    return Recomputed("unieval_overall", "mean of its four published parts", "published", values)


def recompute(
    published: Published,
    names: Sequence[str],
    processes: int,
    weights: Path | None = None,
    tell: Tell = lambda _: None,
) -> Mapping[str, Recomputed]:
    """The values of metrics, by name. ``tell`` is called with how many values have come to be.

    Lexical metrics are spread over ``processes``; models stay in this process. Raises UsageError
    where a metric cannot be loaded, ServiceError where a process dies.
    """
    from benchmarks.pubmedrs200.metrics.registry import SPECS

    found: dict[str, Recomputed] = {}
    lexical = tuple(name for name in names if not SPECS[name].neural)
    neural = tuple(name for name in names if SPECS[name].neural)
    with ExitStack() as stack:
        if lexical:
            choice = Choice(lexical)
            computer: Computer = (
                stack.enter_context(Processes(choice, processes)) if processes > 1 else Here(choice)
            )
            roles = {name: BY_METRIC[name].role for name in lexical}
            found |= computed(published, computer, SPECS, roles, tell)
        if neural:
            models = Here(Choice(neural, str(weights) if weights else None))
            found |= computed(
                published, models, SPECS, chosen_roles(published, models, SPECS, neural), tell
            )
    return {name: found[name] for name in names}


def chosen_roles(
    published: Published, computer: Computer, specs: Mapping[str, MetricSpec], names: Sequence[str]
) -> dict[str, Role]:
    """The role of each metric; where it is not known, the one that comes closer to the published
    values of a sample.
    """
    roles: dict[str, Role] = {name: BY_METRIC[name].role for name in names}
    unknown = [name for name, role in roles.items() if role == "unknown"]
    if unknown:
        few = published.questions[:SAMPLE]
        tried = {
            role: computed(
                published, computer, specs, dict.fromkeys(unknown, role), lambda _: None, few
            )
            for role in ("output", "swapped")
        }
        for name in unknown:
            roles[name] = min(
                tried, key=lambda role: _distance(tried[role][name], published.values[name])
            )
    return roles


def _distance(recomputed: Recomputed, values: Mapping[str, Sequence[float]]) -> float:
    return sum(
        abs(value - values[key][number])
        for key, made in recomputed.values.items()
        for number, value in enumerate(made)
    )


def computed(
    published: Published,
    computer: Computer,
    specs: Mapping[str, MetricSpec],
    roles: Mapping[str, Role],
    tell: Tell,
    questions: Sequence[PublishedQuestion] | None = None,
) -> dict[str, Recomputed]:
    """Values of the metrics in ``roles``, each with its texts in that role, for some questions
    (default: all).
    """
    questions = published.questions if questions is None else questions
    signatures = computer.signatures()
    batches = [
        batch
        for number, by_metric in enumerate(signatures)
        for role in ("swapped", "output")
        if (wanted := [name for name in by_metric if roles.get(name) == role])
        for batch in _batches(_group(number, wanted, by_metric, specs), role, questions)
    ]
    values: dict[str, dict[tuple[str, str], float]] = {name: {} for name in roles}
    for done, made_of in computer.compute(batches):
        for batch, one in zip(done, made_of, strict=True):
            for name, made in one.values.items():
                values[name].update(zip(batch.rows, made, strict=True))
            tell(len(batch.rows) * len(one.values))
    signature = {name: text for by_metric in signatures for name, text in by_metric.items()}
    return {
        name: Recomputed(
            name,
            signature[name],
            role,
            {
                system.key: tuple(values[name][system.key, question.pmid] for question in questions)
                for system in SYSTEMS
            },
        )
        for name, role in roles.items()
    }


def _group(
    scorer: int,
    names: Sequence[str],
    signatures: Mapping[str, str],
    specs: Mapping[str, MetricSpec],
) -> Group:
    return Group(
        scorer,
        tuple(names),
        tuple(signatures[name] for name in names),
        neural=any(specs[name].neural for name in names),
        with_source=any(specs[name].needs_source for name in names),
    )


def _batches(group: Group, role: Role, questions: Sequence[PublishedQuestion]) -> list[Batch]:
    size = BATCH if group.neural else 1
    rows = [(system.key, question) for system in SYSTEMS for question in questions]
    found = []
    for start in range(0, len(rows), size):
        part = rows[start : start + size]
        pairs = tuple(texts(question, key, role) for key, question in part)
        found.append(Batch(group, pairs, tuple((key, question.pmid) for key, question in part)))
    return found
