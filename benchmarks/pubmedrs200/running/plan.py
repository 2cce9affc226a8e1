"""The plan of a run, as run.json holds it: nothing of the machine, nothing secret, the same bytes
for the same run.

{"schema": 1, "version", "data": {"name", "sha256"}, "subset": {"name", "n", "sha256"}, "ids": […],
 "systems": […], "regimes": […], "repeats", "seed", "source": {"name", "address"} | null, "pool":
 sha256 | null, "retractions", "prompts": {…}, "bare_prompt": sha256, "day"}
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any, Final

from benchmarks.pubmedrs200.running.folder import write_text
from benchmarks.pubmedrs200.running.records import NO_REGIME, Cell, System
from clinfo.errors import FieldError, UsageError
from clinfo.pipelines.literature.request import checked
from clinfo.records.articles import RunRequest
from pubmedrs.records import Review

SCHEMA: Final = 1
AS_PUBLISHED: Final[Mapping[str, Any]] = {"strict": False, "judge": "none"}
"""The options of a chain unless its options say otherwise: that of the paper removed no sentence
and asked no model about any.
"""
SEED_STEP: Final = 1_000
"""A repeat's seeds begin this much above those of the repeat before it: a run uses its seed and the
next few, one a query.
"""


@dataclass(frozen=True)
class Asked:
    """A question as systems get it: ``published`` is the review's day of publication, ``own`` the
    PMID of the review or article that the question was made of, "" where there is none.
    """

    id: str
    question: str
    published: date
    own: str

    @classmethod
    def of(cls, review: Review, own: str) -> Asked:
        return cls(review.pmid, review.question, review.published, own)


@dataclass(frozen=True)
class Plan:
    """The cells of a run, in order. ``source`` is the name under which the source is recorded."""

    systems: tuple[System, ...]
    regimes: tuple[str, ...]
    repeats: int
    seed: int
    source: str
    ids: tuple[str, ...]

    def cells(self) -> Iterator[Cell]:
        """All cells by system, regime, repeat and question."""
        kinds = {system.name: str(system.kind) for system in self.systems}
        return cells_of(kinds, self.regimes, self.repeats, self.ids)

    def system(self, name: str) -> System:
        """The system of that name."""
        return next(system for system in self.systems if system.name == name)

    def seed_of(self, repeat: int) -> int:
        """The seed of the ``repeat``-th time (from 1)."""
        return self.seed + SEED_STEP * (repeat - 1)


def cells_of(
    kinds: Mapping[str, str], regimes: Sequence[str], repeats: int, ids: Sequence[str]
) -> Iterator[Cell]:
    """All cells by system, regime, repeat and question, as `Plan.cells`; ``kinds`` is that of each
    system by name.
    """
    for name, kind in kinds.items():
        for regime in (NO_REGIME,) if kind == "bare" else regimes:
            for repeat in range(1, repeats + 1):
                for id in ids:
                    yield Cell(name, regime, repeat, id)


def request(plan: Plan, system: System, asked: Asked, regime: str, repeat: int) -> RunRequest:
    """Return what a system is asked under a regime: of a chain the whole request, of others the
    rule that its answer must keep to.

    In the restricted regime the review itself is dropped as well, as in the published runs: an
    electronic date before the printed one would let it in. Raises UsageError for options that
    cannot be used.
    """
    fields: dict[str, Any] = {
        "regime": regime,
        "seed": plan.seed_of(repeat),
        "question": asked.question,
        "source": "demo",
    }
    if regime == "restricted":
        fields["before"] = asked.published.isoformat()
    elif regime == "source-dropped":
        fields["drop"] = [asked.own]
    if system.kind == "chain":
        fields |= {"model": system.models.get("all"), **AS_PUBLISHED, **system.options}
        fields["models"] = {stage: name for stage, name in system.models.items() if stage != "all"}
    else:
        fields["model"] = (
            # a request cannot be without one; this one is only a rule to check against
            "extractive"
        )
    try:
        built = checked(**fields)
    except FieldError as error:
        place = f"system {system.name}" if error.field != "question" else f"question {asked.id}"
        raise UsageError(f"{place}: {error.field}: {error.fault}") from None
    return replace(
        built,
        source=plan.source,
        drop=(asked.own,) if asked.own and regime in ("restricted", "source-dropped") else (),
    )


def write_or_compare(path: Path, form: Mapping[str, Any]) -> dict[str, Any]:
    """Write run.json at the first start; at later ones refuse what differs. The form that holds is
    given back.

    The day is that of the first start. Raises UsageError that names the first difference.
    """
    if not path.exists():
        write_text(path, json.dumps(form, ensure_ascii=False, indent=1) + "\n")
        return dict(form)
    before = read_run(path.parent)
    now = json.loads(json.dumps(form))
    if found := difference({**before, "day": None}, {**now, "day": None}):
        raise UsageError(
            f"{path.parent} holds another run: {found}; resume with the same, or choose another "
            "folder"
        )
    return before


def read_run(folder: Path) -> dict[str, Any]:
    """The contents of a run's run.json. Raises UsageError where it is none."""
    path = folder / "run.json"
    try:
        form = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise UsageError(f"{path} cannot be read as the beginning of a run") from None
    if not isinstance(form, dict) or form.get("schema") != SCHEMA:
        raise UsageError(f"{path} is not of schema {SCHEMA}, the one this version writes")
    return form


def difference(before: Any, now: Any, place: str = "") -> str:
    """The first difference of two JSON values, with its place: ``seed is 0 there and 1 here``; ""
    where there is none.
    """
    if isinstance(before, dict) and isinstance(now, dict):
        for key in dict.fromkeys((*before, *now)):
            if found := difference(before.get(key), now.get(key), f"{place}.{key}".lstrip(".")):
                return found
        return ""
    if isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        pairs = enumerate(zip(before, now, strict=True), 1)
        return next(
            (found for n, (old, new) in pairs if (found := difference(old, new, f"{place}[{n}]"))),
            "",
        )
    if isinstance(before, list) and isinstance(now, list):
        return f"{place} has {len(before):,} entries there and {len(now):,} here"
    return (
        ""
        if before == now and type(before) is type(now)
        else f"{place} is {_shown(before)} there and {_shown(now)} here"
    )


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else text[:79] + "…"
