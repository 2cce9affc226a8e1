"""The candidates of a run, frozen, so that systems are compared on identical articles.

    DIR/manifest.json          {"schema", "data": {"name", "sha256"}, "source", "system", "seed", "day", "regimes", "ids",
                                "files": {"REGIME/ID.json": sha256}}
    DIR/REGIME/ID.json         {"id", "question", "regime", "queries": [{"text", "sent", "count", "ids"}], "articles": [record]}

``queries`` are the distinct searches as they were last sent, with the ids in the source's order;
``articles`` are all records that came, in fused order, those that links led to last, whether or not
the regime permits them: the chain's rule decides that anew. They are the candidates of the run's
first chain, the first time it was asked.
"""  # noqa: E501

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from benchmarks.pubmedrs200.running.folder import read_events, write_text
from benchmarks.pubmedrs200.running.records import Cell
from clinfo.errors import SourceError, UsageError
from clinfo.pipelines.literature.events import LiteratureLog
from clinfo.records.articles import Article, Fetched, SearchRequest, SearchResult

SCHEMA: Final = 1
LINKED: Final = "(articles that relevant ones led to)"
"""Stands for the query where links led to articles."""


def record(folder: Path, run: Path, form: Mapping[str, Any], system: str) -> list[str]:
    """Freeze what ``system`` retrieved in the run of run.json ``form``; the cells that have nothing
    to freeze, as REGIME/ID.

    Raises UsageError where the folder holds anything else than an earlier recording of the same
    run.
    """
    head = check_free(folder, form, system)
    _write_manifest(
        folder, head, {}
    )  # so that the folder is known as this run's wherever this ends
    files, without = {}, []
    for regime in form["regimes"]:
        for id in form["ids"]:
            name = f"{regime}/{id}.json"
            run_log = LiteratureLog(read_events(run, Cell(system, regime, 1, id)))
            if run_log.fetched is None or run_log.started is None:
                without.append(f"{regime}/{id}")
                continue
            text = json.dumps(_candidates(run_log, id, regime), ensure_ascii=False) + "\n"
            write_text(folder / name, text)
            files[name] = hashlib.sha256(text.encode()).hexdigest()
    _write_manifest(folder, head, files)
    return without


def check_free(folder: Path, form: Mapping[str, Any], system: str) -> dict[str, Any]:
    """The head of the manifest of such a recording. Raises UsageError where the folder holds
    anything else than an earlier one.
    """
    head = {
        "schema": SCHEMA,
        "data": form["data"],
        "source": form["source"],
        "system": system,
        "seed": form["seed"],
        "day": form["day"],
        "regimes": form["regimes"],
        "ids": form["ids"],
    }
    if (before := _manifest(folder)) is not None and {**before, "files": None} != {
        **head,
        "files": None,
    }:
        raise UsageError(f"--record: {folder} holds the pool of another run; choose another folder")
    if before is None and folder.exists() and any(folder.iterdir()):
        raise UsageError(
            f"--record: {folder} is not empty and holds no pool; choose another folder"
        )
    return head


def _candidates(run_log: LiteratureLog, id: str, regime: str) -> dict[str, Any]:
    assert run_log.started is not None
    texts = {event.query.index: event.query.text for event in run_log.queries}
    queries: dict[str, dict[str, Any]] = {}
    for index, result in sorted(run_log.results.items()):
        steps = run_log.relaxed(index)
        text = steps[-1].query if steps else texts.get(index, result.sent)
        queries.setdefault(
            text,
            {"text": text, "sent": result.sent, "count": result.count, "ids": list(result.ids)},
        )
    if (chased := run_log.chased) is not None and chased.ids:
        queries[LINKED] = {
            "text": LINKED,
            "sent": LINKED,
            "count": len(chased.ids),
            "ids": list(chased.ids),
        }
    return {
        "id": id,
        "question": run_log.started.request.question,
        "regime": regime,
        "queries": list(queries.values()),
        "articles": msgspec.to_builtins(run_log.articles),
    }


class Pool:
    """A recorded pool. Its files are checked against their hashes as they are read."""

    def __init__(self, folder: Path) -> None:
        """Raises UsageError where the folder holds no pool."""
        manifest = _manifest(folder)
        if manifest is None:
            raise UsageError(f"--pool: {folder} holds no pool; one is made with --record")
        self._folder = folder
        self.manifest = manifest
        self.sha256 = hashlib.sha256((folder / "manifest.json").read_bytes()).hexdigest()

    def check(self, data_sha256: str, regimes: Sequence[str], ids: Iterable[str]) -> None:
        """Raise UsageError where the pool does not hold the candidates for these questions of this
        data set.
        """
        if self.manifest["data"]["sha256"] != data_sha256:
            raise UsageError(
                f"--pool: it was recorded for another data set ({self.manifest['data']['name']})"
            )
        for regime in regimes:
            if regime not in self.manifest["regimes"]:
                recorded = ", ".join(self.manifest["regimes"])
                raise UsageError(
                    f"--pool: it was not recorded for the regime {regime}, only for {recorded}"
                )
        missing = [
            f"{regime}/{id}"
            for regime in regimes
            for id in ids
            if f"{regime}/{id}.json" not in self.manifest["files"]
        ]
        if missing:
            raise UsageError(
                f"--pool: it lacks {len(missing):,} of the candidate lists, first {missing[0]}"
            )

    def source(self, regime: str, id: str) -> Pooled:
        """The candidates of one question under one regime, as a source. Raises SourceError where
        they are not what was recorded.
        """
        name = f"{regime}/{id}.json"
        try:
            data = (self._folder / name).read_bytes()
        except OSError as error:
            raise SourceError(
                f"the pool's file {name} cannot be read: {error.strerror or 'unknown'}"
            ) from None
        if hashlib.sha256(data).hexdigest() != self.manifest["files"].get(name):
            raise SourceError(f"the pool's file {name} is not what was recorded")
        form = json.loads(data)
        return Pooled(
            form["queries"],
            msgspec.convert(form["articles"], list[Article]),
            self.sha256,
            self.manifest["day"],
        )


class Pooled:
    """An ArticleSource that gives the recorded candidates to the recorded queries, and nothing to
    any other.
    """

    name = "pool"
    remote = False
    query_prompt = "keywords"
    """Not PubMed's language: the recorded queries are to be sent as they are, unchecked and
    unmended.
    """

    def __init__(
        self,
        queries: Sequence[Mapping[str, Any]],
        articles: Iterable[Article],
        sha256: str,
        day: str,
    ) -> None:
        self._queries = {query["text"]: query for query in queries}
        self._articles = {article.id: article for article in articles}
        self._day = day
        self.address = f"pool {sha256[:12]} of {day}"
        self.notices = (
            f"Nothing was searched: the candidates are those that a run of {day} recorded.",
        )

    @property
    def texts(self) -> tuple[str, ...]:
        """The recorded queries."""
        return tuple(self._queries)

    async def search(self, request: SearchRequest) -> SearchResult:
        """Return what was recorded, whatever limits the request has: they were in force then."""
        query = self._queries.get(request.query, {"sent": request.query, "count": 0, "ids": []})
        return SearchResult(
            sent=query["sent"],
            ids=tuple(query["ids"]),
            count=query["count"],
            sort="as recorded",
            sent_at=f"{self._day}T00:00:00+00:00",
            outcome="complete" if query["count"] else "zero",
        )

    async def fetch(self, ids: Sequence[str], fresh: bool = False) -> Fetched:
        """The recorded records."""
        wanted = list(dict.fromkeys(ids))
        return Fetched(
            tuple(self._articles[id] for id in wanted if id in self._articles),
            tuple(id for id in wanted if id not in self._articles),
        )


def _write_manifest(folder: Path, head: Mapping[str, Any], files: Mapping[str, str]) -> None:
    write_text(
        folder / "manifest.json",
        json.dumps({**head, "files": files}, ensure_ascii=False, indent=1) + "\n",
    )


def _manifest(folder: Path) -> dict[str, Any] | None:
    try:
        form = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        if form["schema"] != SCHEMA or not {"data", "regimes", "files", "day"} <= form.keys():
            raise UsageError(
                f"the pool in {folder} is not of schema {SCHEMA}, the one this version reads"
            )
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        raise UsageError(f"{folder / 'manifest.json'} cannot be read as that of a pool") from None
    return dict(form)
