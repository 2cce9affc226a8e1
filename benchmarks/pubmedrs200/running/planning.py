"""From flags to a run that can begin: everything that can be wrong is found here, before anything
is asked or paid for. The plan stands in run.json: nothing of the machine, nothing secret, the same
bytes for the same run.

{"schema": 1, "version", "data": {"name", "sha256"}, "subset": {"name", "n", "sha256"}, "ids": […],
 "systems": […], "regimes": […], "repeats", "seed", "source": {"name", "address"} | null, "pool":
 sha256 | null, "retractions", "prompts": {…}, "bare_prompt": sha256, "day"}
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from hashlib import file_digest
from pathlib import Path
from typing import Any, Final

from benchmarks.pubmedrs200.running import systems as listed
from benchmarks.pubmedrs200.running.cells import PROMPT_SHA256
from benchmarks.pubmedrs200.running.folder import SCHEMA, cells_of, read_run
from benchmarks.pubmedrs200.running.pool import Pool
from benchmarks.pubmedrs200.running.questions import Questions, limited, read
from benchmarks.pubmedrs200.running.records import REGIMES, Cell, System
from clinfo import __version__
from clinfo.errors import FieldError, IdentifiersFound, UsageError
from clinfo.integrity.retractions import loaded_list, settings_form
from clinfo.pipelines.literature.request import checked
from clinfo.pipelines.literature.stages import LITERATURE, PROMPTS
from clinfo.pipelines.opening import chat_model, open_cache, priced
from clinfo.records.articles import RunRequest, SearchRequest, SearchResult
from clinfo.records.request import EXTRACTIVE
from clinfo.runs.spending import MemoryBudget
from clinfo.settings import Settings, load_settings
from clinfo.sources import registry
from clinfo.sources.memory import Memory
from clinfo.sources.registry import AddressedSource, ArticleSource
from clinfo.terms.mesh import mesh_table
from clinfo.text.wording import number
from pubmedrs.records import Review
from pubmedrs.subsets import subset

AS_PUBLISHED: Final[Mapping[str, Any]] = {"strict": False, "judge": "none"}
"""The options of a chain unless its options say otherwise: that of the paper removed no sentence
and asked no model about any.
"""
SEED_STEP: Final = 1_000
"""A repeat's seeds begin this much above those of the repeat before it: a run uses its seed and the
next few, one a query.
"""


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


def request(
    plan: Plan, system: System, review: Review, own: str, regime: str, repeat: int
) -> RunRequest:
    """Return what a system is asked under a regime: of a chain the whole request, of others the
    rule that its answer must keep to. ``own`` is the PMID of the review or article that the
    question was made of, "" where there is none.

    In the restricted regime the review itself is dropped as well, as in the published runs: an
    electronic date before the printed one would let it in. Raises UsageError for options that
    cannot be used.
    """
    fields: dict[str, Any] = {
        "regime": regime,
        "seed": plan.seed_of(repeat),
        "question": review.question,
        "source": "demo",
    }
    if regime == "restricted":
        fields["before"] = review.published.isoformat()
    elif regime == "source-dropped":
        fields["drop"] = [own]
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
        place = f"system {system.name}" if error.field != "question" else f"question {review.pmid}"
        raise UsageError(f"{place}: {error.field}: {error.fault}") from None
    return replace(
        built,
        source=plan.source,
        drop=(own,) if own and regime in ("restricted", "source-dropped") else (),
    )


@dataclass(frozen=True)
class RunClock:
    """A clock that says one day all the time, so that a run that goes on tomorrow gives the same
    answers; seconds are real.
    """

    day: date

    def now(self) -> datetime:
        """Midnight (UTC) of the day."""
        return datetime(self.day.year, self.day.month, self.day.day, tzinfo=UTC)

    def monotonic(self) -> float:
        """Seconds that only grow."""
        return time.monotonic()


def dated_by_day(source: ArticleSource) -> ArticleSource:
    """The source with searches that are dated by the day alone; what only some sources can do, it
    still can.
    """

    class DatedByDay(type(source)):  # type: ignore[misc]  # so that the protocols of what it can do hold for it too
        async def search(self, request: SearchRequest) -> SearchResult:
            found: SearchResult = await super().search(request)
            return replace(
                found, sent_at=f"{found.sent_at[:10]}T00:00:00+00:00" if found.sent_at else ""
            )

    dated = copy(source)
    dated.__class__ = DatedByDay
    return dated


def open_source(settings: Settings, name: str, clock: RunClock) -> ArticleSource:
    """The source of this name. Raises UsageError, and RecordError for a file or an index that
    cannot be read.
    """
    if name.endswith(registry.endings()):
        return dated_by_day(
            Memory.from_files([name], Path(name).name, clock, mesh_table(settings.data_dir))
        )
    return dated_by_day(registry.article_source(settings, name, open_cache(settings), clock))


def recorded_name(name: str) -> str:
    """The name by which a source stands in records: of a file without its folder."""
    return Path(name).name if name.endswith(registry.endings()) else name


def identity(source: ArticleSource, name: str) -> dict[str, str | None]:
    """Return what was searched: the source's name, and the address without user and password, the
    index's version, the file's hash.
    """
    address = source.address if isinstance(source, AddressedSource) else None
    if name.endswith(registry.endings()):
        with Path(name).open("rb") as file:
            address = f"sha256:{file_digest(file, 'sha256').hexdigest()}"
    return {
        "name": recorded_name(name),
        "address": re.sub(r"(?<=//)[^/@]*@", "", address) if address else None,
    }


OPTIONS = ("queries", "per_query", "max_articles", "rerank", "chase", "strategy", "judge")
LOCAL_CONCURRENCY = 2
CONCURRENCY = 4


@dataclass(frozen=True)
class Prepared:
    """A run that can begin. ``form`` is that of run.json; ``source`` is None where nothing is
    searched; ``folder`` is where commands are run, ``own`` the articles that questions were made
    of.
    """

    root: Path
    plan: Plan
    settings: Settings
    source: ArticleSource | None
    pool: Pool | None
    clock: RunClock
    folder: Path
    form: Mapping[str, Any]
    reviews: Mapping[str, Review]
    own: Mapping[str, str]
    labels: Mapping[str, str]
    concurrency: int
    max_cost: float | None

    def request(self, system: System, regime: str, repeat: int, id: str) -> RunRequest:
        """`request` of one of the questions."""
        own = self.own.get(id, "")
        return request(self.plan, system, self.reviews[id], own, regime, repeat)


def prepare(arguments: argparse.Namespace) -> Prepared:
    """Check everything. Raises UsageError, and RecordError for a source that cannot be read."""
    settings = load_settings()
    if arguments.index is not None:
        settings = settings.model_copy(update={"index_dir": Path(arguments.index)})
    questions = read(Path(arguments.data))
    dataset = questions.dataset
    reviews = {review.pmid: review for review in dataset.reviews}
    chosen = limited(subset(dataset, arguments.subset), arguments.limit)
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
    root = Path(arguments.out)
    begun = (root / "run.json").exists()
    day = date.fromisoformat(read_run(root)["day"]) if begun else datetime.now(UTC).date()
    clock = RunClock(day)
    source = open_source(settings, name, clock) if name is not None else None
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
        "day": day.isoformat(),
    }
    local = _is_local(systems, source)
    ready = Prepared(
        root, plan, settings, source, pool, clock, folder, form, reviews, questions.own,
        questions.labels, arguments.concurrency or (LOCAL_CONCURRENCY if local else CONCURRENCY),
        arguments.max_cost,
    )  # fmt: skip
    _try(ready)
    return ready


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
        lines.append(
            "flags of searching do nothing beside --pool: its candidates were found before"
        )
        if arguments.source is not None:
            lines.append(
                "--source beside --pool: no candidates are searched there, only what answers used "
                "is checked"
            )
    return lines


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
    found, folder = listed.of_flags(arguments.model, arguments.bare), Path.cwd()
    if arguments.systems is not None:
        path = Path(arguments.systems)
        found += listed.read_systems(path)
        folder = path.absolute().parent
    flags = {
        name: getattr(arguments, name) for name in OPTIONS if getattr(arguments, name) is not None
    }
    return listed.usable(found, flags, folder), folder


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


def _try(ready: Prepared) -> None:
    """Put every system together once, as for its first question. Raises UsageError."""
    first, capped = ready.plan.ids[0], ready.max_cost is not None
    settings = ready.settings.model_copy(update={"cache": "off"})
    for system in ready.plan.systems:
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
        for regime in ready.plan.regimes:
            asks = ready.request(system, regime, 1, first)
            if system.kind != "chain":
                continue
            given = ready.pool.source(regime, first) if ready.pool is not None else ready.source
            assert given is not None
            try:
                chain = LITERATURE.assemble(
                    settings, asks, source=given, clock=RunClock(date(2000, 1, 1))
                )
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
