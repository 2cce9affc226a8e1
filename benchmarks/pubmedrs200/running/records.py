"""Files of a run.

    OUT/
      run.json            what was asked: data set and its hash, subset, systems, regimes, repeats, day, versions
                          (`benchmarks.pubmedrs200.running.plan`); written first, and a run with other contents is refused
      records/NAME/REGIME/REPEAT/ID.json    one record a cell: the JSON form of `Record`; written whole or not at all
      events/NAME/REGIME/REPEAT/ID.jsonl    the events of a chain's run, without times and in one order whatever ran at once
                          (`benchmarks.pubmedrs200.running.event_order`); of a bare model its one call. A run goes on from them, and
                          `clinfo ask --replay` shows them. While a cell runs its events are in ID.jsonl.partial, as they come
      cited/NAME/REGIME/REPEAT/ID.jsonl     what the run's source holds of the references of a command's answer: one event
                          articles_fetched, "missing" those that it does not hold (`benchmarks.pubmedrs200.running.references`).
                          Not there where the source could not be asked; the same run begun again asks it
      timings.jsonl       {"system", "regime", "repeat", "id", "seconds", "stages": {…}} as cells end; the only file whose
                          bytes differ between runs
      predictions.jsonl   {"id", "system", "prediction", "reference", "source"} of every text of every cell that is not
                          quarantined; "" where unanswered or failed, with "failed": true where failed
      quarantine.jsonl    {"id", "system", "leaks": […]}; "system" is the label without an output

With --record DIR the candidates of the run are frozen in DIR
(`benchmarks.pubmedrs200.running.pool`).

Cells, and the rows of the files made at the end, go by system, regime, repeat and question in the
order of run.json; nothing depends on the order in which cells ended. All files but timings.jsonl
are the same bytes however often the run was killed and begun again, as long as source and models
answer the same. What money is counted differs in two cases: calls to a model that Ctrl-C broke off
are counted at the most that they can have cost; those that were under way when a run was killed are
made again and cannot be counted the first time.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

Kind = Literal["chain", "bare", "command"]
Status = Literal["answered", "unanswered", "failed", "leaked"]
NO_REGIME: Final = "none"
"""The regime of systems that retrieve nothing."""
REGIMES: Final = ("restricted", "source-dropped", "unrestricted")


@dataclass(frozen=True)
class System:
    """One system under test, as the TOML file lists it.

    ``models`` maps a stage to a model for a chain ({"all": NAME} for every stage), {"all": NAME}
    for a bare model. ``command`` is that of an external system, an argument a part, and ``timeout``
    the seconds that it may take for a question. ``environment`` names variables handed to it
    (values are never recorded). ``cutoff`` is the end of the training data, an ISO date, where
    known. ``options`` are request fields of a chain as the HTTP interface spells them.
    """

    name: str
    kind: Kind
    models: Mapping[str, str] = field(default_factory=dict)
    command: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()
    cutoff: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    timeout: float = 120.0


@dataclass(frozen=True)
class Cell:
    """One question for one system under one regime, the ``repeat``-th time (from 1)."""

    system: str
    regime: str
    repeat: int
    id: str

    def path(self, root: Path, folder: str = "records", suffix: str = ".json") -> Path:
        """Return where this cell's file of that kind lies under the run's folder."""
        return root / folder / self.system / self.regime / str(self.repeat) / f"{self.id}{suffix}"


@dataclass(frozen=True)
class Leak:
    """An article that the cell's regime forbids and that the system used all the same; ``where`` is
    articles, references or text."""

    pmid: str
    where: str
    reason: str


@dataclass(frozen=True)
class Record:
    """The record of one cell. Holds no times, so that it can be repeated bit for bit.

    ``answer`` is the JSON answer without timings, None for a failure. ``retrieved`` are the PMIDs
    of all candidates before judging that the regime permits, in rank order, ``relevant`` and
    ``irrelevant`` those the system judged so. All three are None where the system does not tell.
    ``unchecked`` is what cannot be held against the regime, so that a leak cannot be ruled out:
    PMIDs whose dates could not be found, and ids of articles or "reference 3 without PMID" where no
    PMID tells what they are. ``later`` are the PMIDs of articles used (judged relevant, or cited)
    in the restricted regime that are higher than the review's own while nobody knows when the
    articles were entered into PubMed: probably after it, whatever their dates of publication.
    ``usage`` is the answer's: ``prompt_tokens``, ``completion_tokens``, ``cost_usd`` (None:
    unknown) and more; None where a system does not tell. ``problem`` says in one line why a cell
    failed.
    """

    cell: Cell
    status: Status
    synthesis: str = ""
    tldr: str = ""
    answer: Mapping[str, Any] | None = None
    queries: tuple[str, ...] = ()
    retrieved: tuple[str, ...] | None = None
    relevant: tuple[str, ...] | None = None
    irrelevant: tuple[str, ...] | None = None
    usage: Mapping[str, Any] | None = None
    leaks: tuple[Leak, ...] = ()
    unchecked: tuple[str, ...] = ()
    later: tuple[str, ...] = ()
    problem: str = ""

    @property
    def both(self) -> str:
        """Synthesis and TL;DR in one, as the published scores had them; "" where neither is
        there.
        """
        return f"{self.synthesis} TL;DR: {self.tldr}" if self.tldr else self.synthesis
