"""From flags to a run that can begin: everything that can be wrong is found here, before anything
is asked or paid for.
"""

from __future__ import annotations

import argparse
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from benchmarks.pubmedrs200.running import systems as listed
from benchmarks.pubmedrs200.running.bare_cell import PROMPT_SHA256
from benchmarks.pubmedrs200.running.plan import SCHEMA, SEED_STEP, Asked, Plan, request
from benchmarks.pubmedrs200.running.pool import Pool
from benchmarks.pubmedrs200.running.questions import Questions, read
from benchmarks.pubmedrs200.running.records import REGIMES, System
from benchmarks.pubmedrs200.running.sources import RunClock, identity, open_source, recorded_name
from benchmarks.pubmedrs200.running.worker import Setup
from clinfo import __version__
from clinfo.errors import IdentifiersFound, UsageError
from clinfo.integrity.retractions import loaded_list, settings_form
from clinfo.pipelines.literature.assemble import assemble
from clinfo.pipelines.literature.declared import PROMPTS
from clinfo.pipelines.opening import chat_model, priced
from clinfo.records.request import EXTRACTIVE
from clinfo.runs.spending import MemoryBudget
from clinfo.settings import Settings, load_settings
from clinfo.sources import registry
from clinfo.sources.protocols import ArticleSource
from clinfo.views.wording import number
from pubmedrs.records import Review, Subset
from pubmedrs.subsets import subset

OPTIONS = ("queries", "per_query", "max_articles", "rerank", "chase", "strategy", "judge")
LOCAL_CONCURRENCY = 2
CONCURRENCY = 4


@dataclass(frozen=True)
class Prepared:
    """A run that can begin. ``form`` is that of run.json."""

    root: Path
    setup: Setup
    form: Mapping[str, Any]
    reviews: Mapping[str, Review]
    labels: Mapping[str, str]
    processes: int
    concurrency: int


def prepare(arguments: argparse.Namespace) -> Prepared:
    """Check everything. Raises UsageError, and RecordError for a source that cannot be read."""
    settings = load_settings()
    if arguments.index is not None:
        settings = settings.model_copy(update={"index_dir": Path(arguments.index)})
    questions = read(Path(arguments.data))
    dataset = questions.dataset
    reviews = {review.pmid: review for review in dataset.reviews}
    chosen = _limited(subset(dataset, arguments.subset), arguments.limit)
    systems, folder = _systems(arguments)
    regimes = _regimes(arguments.regimes, questions, chosen.ids)
    if arguments.seed < 0 or arguments.seed + SEED_STEP * arguments.repeats > 2**31 - 1:
        raise UsageError("--seed must be 0 or more, and small enough for all repeats")
    if arguments.max_cost is not None:
        MemoryBudget(arguments.max_cost)  # refuses what is not an amount of money
    pool = _pool(arguments, dataset.sha256, regimes, chosen.ids, systems)
    name = _source_name(arguments, settings, systems, pool)
    plan = Plan(
        systems,
        regimes,
        arguments.repeats,
        arguments.seed,
        recorded_name(name or "pool"),
        chosen.ids,
    )
    today = datetime.now(UTC).date()
    source = open_source(settings, name, RunClock(today)) if name is not None else None
    asked = {id: Asked.of(reviews[id], questions.own.get(id, "")) for id in chosen.ids}
    _try(settings, plan, asked, source, pool, arguments.max_cost is not None)
    form = {
        "schema": SCHEMA,
        "version": __version__,
        "data": {"name": Path(arguments.data).name, "sha256": dataset.sha256},
        "subset": {"name": chosen.name, "n": len(chosen.ids), "sha256": chosen.sha256},
        "ids": list(chosen.ids),
        "systems": [listed.recorded(system, folder) for system in systems],
        "regimes": list(regimes),
        "repeats": arguments.repeats,
        "seed": arguments.seed,
        "source": identity(source, name) if source is not None and name is not None else None,
        "pool": pool.sha256 if pool is not None else None,
        "retractions": settings_form(loaded_list(settings.data_dir)),
        "prompts": {
            each: PROMPTS.parse(each, text).sha256
            for each, text in sorted(PROMPTS.defaults().items())
        },
        "bare_prompt": PROMPT_SHA256 if any(system.kind == "bare" for system in systems) else None,
        "day": today.isoformat(),
    }
    local = _is_local(systems, source)
    setup = Setup(
        number=0,
        root=str(Path(arguments.out).absolute()),
        plan=plan,
        asked=asked,
        day=today,
        source=str(Path(name).absolute())
        if name is not None and name.endswith(registry.endings())
        else name,
        index=str(settings.index_dir.absolute()) if settings.index_dir is not None else None,
        pool=str(Path(arguments.pool).absolute()) if pool is not None else None,
        folder=str(folder),
        capped=arguments.max_cost is not None,
    )
    return Prepared(
        root=Path(arguments.out),
        setup=setup,
        form=form,
        reviews=reviews,
        labels=questions.labels,
        processes=arguments.processes or (_cores() if local else 1),
        concurrency=arguments.concurrency or (LOCAL_CONCURRENCY if local else CONCURRENCY),
    )


def notices(arguments: argparse.Namespace, systems: Sequence[System]) -> list[str]:
    """Return what flags do not do in this run although somebody may think so, a line each."""
    lines = []
    commands = [system.name for system in systems if system.kind == "command"]
    if arguments.max_cost is not None and commands:
        lines.append(
            f"--max-cost does not bound what external programs spend: {', '.join(commands)}"
        )
    if arguments.pool is not None and arguments.source is None and commands:
        named = ", ".join(commands)
        lines.append(
            "--pool without --source: what external systems cite is not looked up, no figures of "
            f"support: {named}"
        )
    if arguments.pool is not None:
        searching = ("queries", "per_query", "strategy", "chase")
        ignored = [
            f"--{name.replace('_', '-')}"
            for name in searching
            if getattr(arguments, name) is not None
        ]
        if arguments.index is not None and arguments.source is None:
            ignored.append("--index")
        if ignored:
            lines.append(
                "ignored beside --pool, whose candidates were searched before: "
                f"{', '.join(ignored)}"
            )
        if arguments.source is not None:
            lines.append(
                "--source beside --pool: no candidates are searched there, only what answers used "
                "is checked"
            )
    return lines


def _limited(chosen: Subset, limit: int | None) -> Subset:
    if limit is None or limit >= len(chosen.ids):
        return chosen
    return Subset(f"{chosen.name}, first {limit}", chosen.ids[:limit])


def _regimes(text: str | None, questions: Questions, ids: Sequence[str]) -> tuple[str, ...]:
    """The regimes named, in the order of `REGIMES`; without any those that all questions allow:
    restricted wants their days, source-dropped the articles that they were made of.
    """
    lacking = {
        "restricted": [id for id in ids if id in questions.undated],
        "source-dropped": [id for id in ids if id not in questions.own],
    }
    if text is None:
        return tuple(regime for regime in REGIMES if not lacking.get(regime))
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in REGIMES:
            raise UsageError(
                f"--regimes: {name[:40]!r} is unknown; choose from {', '.join(REGIMES)}"
            )
        if without := lacking.get(name):
            raise UsageError(
                f"--regimes: {name} cannot be asked of {number(len(without), 'question')} without "
                f"{'a date' if name == 'restricted' else 'a PMID of its own'}, first {without[0]}"
            )
    return tuple(regime for regime in REGIMES if regime in names)


def _systems(arguments: argparse.Namespace) -> tuple[tuple[System, ...], Path]:
    """The systems, and the folder in which commands are run."""
    found = [*map(listed.chain_of, arguments.model), *map(listed.bare_of, arguments.bare)]
    folder = Path.cwd()
    if arguments.systems is not None:
        path = Path(arguments.systems)
        found += listed.read_systems(path)
        folder = path.absolute().parent
    flags = {
        name: getattr(arguments, name) for name in OPTIONS if getattr(arguments, name) is not None
    }
    systems = listed.with_options(listed.distinct(found), flags)
    for system, variable in listed.missing_variables(systems, os.environ):
        raise UsageError(f"system {system}: the environment variable {variable} is not set")
    for one in systems:
        if one.kind == "command" and not _can_start(one.command[0], folder):
            raise UsageError(
                f"system {one.name}: there is no program {one.command[0]!r} that can be started"
            )
    return systems, folder


def _can_start(program: str, folder: Path) -> bool:
    found = (
        shutil.which(program)
        if Path(program).name == program
        else shutil.which(str(folder / program))
    )
    return found is not None


def _pool(
    arguments: argparse.Namespace,
    sha256: str,
    regimes: Sequence[str],
    ids: Sequence[str],
    systems: Sequence[System],
) -> Pool | None:
    has_chain = any(system.kind == "chain" for system in systems)
    if arguments.pool is not None and arguments.record is not None:
        raise UsageError(
            "--pool and --record exclude each other: recorded candidates are not recorded again"
        )
    for flag, value in (("--pool", arguments.pool), ("--record", arguments.record)):
        if value is not None and not has_chain:
            raise UsageError(f"{flag} concerns chains, and none is run")
    if arguments.pool is None:
        return None
    pool = Pool(Path(arguments.pool))
    pool.check(sha256, regimes, ids)
    return pool


def _source_name(
    arguments: argparse.Namespace, settings: Settings, systems: Sequence[System], pool: Pool | None
) -> str | None:
    """The source to open: none for bare models alone, and beside a pool only one that was asked
    for.
    """
    if all(system.kind == "bare" for system in systems) or (
        pool is not None and arguments.source is None
    ):
        return None
    name: str = arguments.source if arguments.source is not None else settings.source
    if name.endswith(registry.endings()):
        if not Path(name).is_file():
            raise UsageError(f"--source: there is no file {name}")
    elif name not in registry.names():
        raise UsageError(f"--source: {name[:60]!r} is unknown; choose one of {registry.choice()}")
    return name


def _try(
    settings: Settings,
    plan: Plan,
    asked: Mapping[str, Asked],
    source: ArticleSource | None,
    pool: Pool | None,
    capped: bool,
) -> None:
    """Put every system together once, as for its first question. Raises UsageError."""
    first = asked[plan.ids[0]]
    settings = settings.model_copy(update={"cache": "off"})
    for system in plan.systems:
        if system.kind == "bare":
            name = system.models["all"]
            if name == EXTRACTIVE:
                raise UsageError(
                    f"system {system.name}: the extractive model chooses sentences of articles; "
                    "without any it has none"
                )
            model = chat_model(settings, name, None)
            if capped:
                priced({"synthesis": model})
            continue
        for regime in plan.regimes:
            asks = request(plan, system, first, regime, 1)
            if system.kind != "chain":
                continue
            given = pool.source(regime, first.id) if pool is not None else source
            assert given is not None
            try:
                chain = assemble(settings, asks, source=given, clock=RunClock(date(2000, 1, 1)))
            except IdentifiersFound:
                continue  # this one question will fail, and say so
            if capped:
                priced(chain.models)


def _is_local(systems: Sequence[System], source: ArticleSource | None) -> bool:
    """Return whether nothing but this machine's own work takes time."""
    extractive = all(
        system.kind == "chain" and set(system.models.values()) == {EXTRACTIVE} for system in systems
    )
    return extractive and (source is None or not source.remote)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
