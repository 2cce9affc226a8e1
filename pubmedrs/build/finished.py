"""The finished files of a build.

candidates.jsonl       accepted reviews, in the form of `pubmedrs.records.Review`
details.jsonl          of each: all topics, references with their origins, and which of
                       ELink and PMC gave no answer about it
rejected.jsonl         every other record with the step it failed at and the reason
flow.json, flow.md     how many came to each step
build.json             day, service, queries sent and their hits, versions, counts, hashes of the files
"""  # noqa: E501

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from clinfo import __version__
from pubmedrs.build.asking import Found
from pubmedrs.build.citing import Origin, Reference
from pubmedrs.build.plan import Plan, Topic
from pubmedrs.build.screening import STEPS, Draft, Rejection
from pubmedrs.build.store import write_json, write_lines, write_whole
from pubmedrs.records import Review
from pubmedrs.writing import write

Flow = Mapping[str, Any]
"""A whole build as flow.json holds it. ``hits`` are PubMed's numbers over all topics, ``taken`` the
PMIDs taken of them, ``distinct`` without repeats, ``not_looked_at`` those left over once enough
were accepted. Of a step ``entered`` = ``passed`` + the sum of ``rejected``, reasons with their
numbers, most frequent first.
"""


def flow_of(
    searches: Sequence[Searched],
    distinct: int,
    looked_at: int,
    rejections: Sequence[Rejection],
    accepted: int,
) -> Flow:
    """The flow from what was looked at and what was rejected.

    Raises ValueError where a record was lost or counted twice: what came in is not what went out.
    """
    steps = []
    left = looked_at
    for name, title in STEPS:
        reasons = Counter(one.reason for one in rejections if one.step == name)
        entered, left = left, left - reasons.total()
        rejected = dict(sorted(reasons.items(), key=lambda one: (-one[1], one[0])))
        steps.append(
            {
                "step": name,
                "passes": title,
                "entered": entered,
                "passed": left,
                "rejected": rejected,
            }
        )
    if left != accepted:
        raise ValueError(
            f"of {looked_at} records {accepted} were accepted and {len(rejections)} rejected"
        )
    taken = sum(len(one.found.pmids) for one in searches)
    return {
        "schema": 1,
        "topics": len(searches),
        "hits": sum(one.found.count for one in searches),
        "taken": taken,
        "duplicates": taken - distinct,
        "distinct": distinct,
        "not_looked_at": distinct - looked_at,
        "steps": steps,
        "accepted": accepted,
    }


def as_markdown(flow: Flow) -> str:
    """The flow as a page for people."""
    rows = [
        ("", f"searches, one a topic ({flow['hits']:,} hits in PubMed)", f"{flow['topics']:,}"),
        ("", "PMIDs taken", f"{flow['taken']:,}"),
        ("", "repeats across topics removed", f"{flow['duplicates']:,}"),
        ("", "distinct PMIDs", f"{flow['distinct']:,}"),
    ]
    if left := flow["not_looked_at"]:
        rows.append(("", "not examined, because enough were accepted", f"{left:,}"))
    for number, step in enumerate(flow["steps"], 1):
        rows.append((str(number), step["passes"], f"{step['passed']:,} of {step['entered']:,}"))
        rows.extend(
            ("", f"rejected: {reason.replace('|', chr(92) + '|')}", f"{count:,}")
            for reason, count in step["rejected"].items()
        )
    rows.append(("", "candidate questions", f"{flow['accepted']:,}"))
    table = [("step", "records", "n"), ("--:", "---", "--:"), *rows]
    lines = [f"| {' | '.join(row)} |" for row in table]
    return "\n".join(["# Flow of the build", "", *lines]) + "\n"


_HASHED = ("candidates.jsonl", "details.jsonl", "rejected.jsonl", "flow.json", "flow.md")


@dataclass(frozen=True)
class Searched:
    """A topic, the query sent for it, and what it found."""

    topic: Topic
    query: str
    found: Found


@dataclass(frozen=True)
class Cites:
    """The references of a review, and the sources that were asked for them and did not answer."""

    works: tuple[Reference, ...]
    unanswered: tuple[Origin, ...]


@dataclass(frozen=True)
class Candidate:
    """An accepted record; ``topics`` are all that found it, in the order of the data file."""

    draft: Draft
    topics: tuple[Topic, ...]
    cites: Cites

    @property
    def review(self) -> Review:
        """The candidate as a question of the benchmark, under the first topic that found it."""
        draft, article, parts = self.draft, self.draft.article, self.draft.parts
        return Review(
            pmid=draft.pmid,
            title=article.title,
            question=draft.question,
            answer=draft.answer,
            published=draft.published,
            specialty=self.topics[0].specialty,
            subtopic=self.topics[0].subtopic,
            title_question=draft.question,
            abstract=article.abstract,
            introduction=parts.introduction,
            methods=parts.methods,
            results=parts.results,
            conclusion=parts.conclusion,
            references=tuple(one.pmid for one in self.cites.works if one.pmid),
            dois=tuple(one.doi for one in self.cites.works if one.doi),
            entered=article.entered,
        )


def write_files(
    out: Path,
    plan: Plan,
    host: str,
    day: date,
    searches: Sequence[Searched],
    candidates: Sequence[Candidate],
    rejections: Sequence[Rejection],
    flow: Flow,
) -> None:
    """Write them all into ``out``, each whole or not at all, build.json last. Raises UsageError
    where one cannot be written.
    """
    write((one.review for one in candidates), out / "candidates.jsonl")
    write_lines(out / "details.jsonl", map(_details, candidates))
    write_lines(
        out / "rejected.jsonl",
        ({"pmid": one.pmid, "step": one.step, "reason": one.reason} for one in rejections),
    )
    write_json(out / "flow.json", flow)
    write_whole(out / "flow.md", as_markdown(flow))
    write_json(out / "build.json", _manifest(out, plan, host, day, searches, flow))


def _details(one: Candidate) -> dict[str, Any]:
    return {
        "pmid": one.draft.pmid,
        "topics": [
            {"specialty": topic.specialty, "subtopic": topic.subtopic} for topic in one.topics
        ],
        "references": [
            {"pmid": work.pmid, "doi": work.doi, "origins": list(work.origins)}
            for work in one.cites.works
        ],
        "unanswered": list(one.cites.unanswered),
    }


def _manifest(
    out: Path, plan: Plan, host: str, day: date, searches: Sequence[Searched], flow: Flow
) -> dict[str, Any]:
    return {
        "schema": 1,
        "day": day.isoformat(),
        "service": host,
        "version": __version__,
        "settings": {
            "from": plan.since.isoformat() if plan.since else None,
            "to": plan.until.isoformat() if plan.until else None,
            "per_topic": plan.per_topic,
            "max": plan.most,
        },
        "counts": {
            "topics": flow["topics"],
            "taken": flow["taken"],
            "looked_at": flow["distinct"] - flow["not_looked_at"],
            "accepted": flow["accepted"],
        },
        "files": {name: hashlib.sha256((out / name).read_bytes()).hexdigest() for name in _HASHED},
        "searches": [
            {
                "specialty": one.topic.specialty,
                "subtopic": one.topic.subtopic,
                "query": one.query,
                "hits": one.found.count,
                "taken": len(one.found.pmids),
                "warnings": list(one.found.warnings),
            }
            for one in searches
        ],
    }
