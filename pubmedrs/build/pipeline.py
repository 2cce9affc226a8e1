"""The build from the first search to the finished files, resumable at every request.

    OUT/state/plan.json        what is built, and the day it was begun
    OUT/state/*.jsonl          the answers of the E-utilities, as they came
    OUT/candidates.jsonl       accepted reviews, in the form of `pubmedrs.records.Review`
    OUT/details.jsonl          of each: all topics, sentences dropped with their rule, references with their origins
    OUT/rejected.jsonl         every other record with the step it failed at and the reason
    OUT/flow.json, flow.md     how many came to each step
    OUT/build.json             day, service, queries sent and their hits, versions, counts, hashes of the files

The finished files depend on the answers alone, so that a build that was interrupted ends in the same bytes as one that was not.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from clinfo import __version__
from clinfo.errors import RecordError, UsageError
from clinfo.pubmed.xml import read_article
from clinfo.records import Article
from pubmedrs.build import flow as flows
from pubmedrs.build.asking import Answers, Found, Received, Say, cited_by
from pubmedrs.build.citing import Origin, Reference, references
from pubmedrs.build.flow import Flow, flow_of
from pubmedrs.build.plan import Plan, begun
from pubmedrs.build.screening import Draft, Rejection, screened
from pubmedrs.build.service import Service
from pubmedrs.build.store import write_json, write_lines, write_whole
from pubmedrs.build.topics import Topic
from pubmedrs.records import Review
from pubmedrs.writing import write

STATE = "state"
_EVERY = 20
"""Topics after which progress is told."""


@dataclass(frozen=True)
class Built:
    """A finished build."""

    reviews: tuple[Review, ...]
    rejections: tuple[Rejection, ...]
    flow: Flow


@dataclass(frozen=True)
class _Accepted:
    draft: Draft
    xml: str


def build(plan: Plan, service: Service, out: Path, today: date, say: Say) -> Built:
    """Carry out ``plan`` into the folder ``out``, going on where an earlier run of the same plan stopped.

    ``say`` is told of progress. Raises UsageError (folder not usable, in use, or of another plan) and SourceError.
    """
    state = out / STATE
    try:
        state.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--out: the folder {out.name} cannot be made: {error.strerror}") from None
    try:
        with FileLock(state / "lock", timeout=0):
            day = begun(plan, service.host, today, state / "plan.json")
            with Answers(service, state, plan.batch, say=say) as answers:
                return _built(plan, service, answers, out, day, say)
    except Timeout:
        raise UsageError(f"--out: another build is at work in {out.name}") from None
    except OSError as error:
        raise UsageError(f"--out: the folder {out.name} cannot be used: {error.strerror}") from None


def _built(plan: Plan, service: Service, answers: Answers, out: Path, day: date, say: Say) -> Built:
    searches = _searched(plan, answers, say)
    topics: dict[str, list[Topic]] = {}
    for topic, _, found in searches:
        for pmid in found.pmids:
            topics.setdefault(pmid, []).append(topic)
    accepted, rejections, looked_at = _screened(list(topics), answers, plan.most, say)
    listed = _references(accepted, answers)
    reviews = tuple(_review(one.draft, topics[one.draft.pmid][0], listed[one.draft.pmid]) for one in accepted)
    flow = flow_of(
        len(searches),
        sum(found.count for _, _, found in searches),
        sum(len(found.pmids) for _, _, found in searches),
        len(topics),
        looked_at,
        rejections,
        len(reviews),
    )
    write(reviews, out / "candidates.jsonl")
    write_lines(out / "details.jsonl", (_details(one.draft, topics[one.draft.pmid], listed[one.draft.pmid]) for one in accepted))
    write_lines(out / "rejected.jsonl", ({"pmid": one.pmid, "step": one.step, "reason": one.reason} for one in rejections))
    write_json(out / "flow.json", flows.as_json(flow))
    write_whole(out / "flow.md", flows.as_markdown(flow))
    write_json(out / "build.json", _manifest(plan, service, searches, flow, day, out))
    return Built(reviews, tuple(rejections), flow)


def _searched(plan: Plan, answers: Answers, say: Say) -> list[tuple[Topic, str, Found]]:
    searches = []
    for number, (topic, query) in enumerate(plan.queries, 1):
        found = answers.search(query, plan.per_topic)
        searches.append((topic, query, found))
        if not found.count:
            say(f"{topic.name}: no review found")
        if number % _EVERY == 0 or number == len(plan.topics):
            say(f"{number:,} of {len(plan.topics):,} topics searched")
    if remarked := sum(bool(found.warnings) for _, _, found in searches):
        say(f"PubMed remarked on {remarked:,} of the searches; build.json has the remarks")
    return searches


def _screened(pmids: Sequence[str], answers: Answers, most: int | None, say: Say) -> tuple[list[_Accepted], list[Rejection], int]:
    """Accepted and rejected records in their order, and how many were looked at until ``most`` were accepted."""
    accepted: list[_Accepted] = []
    rejections: list[Rejection] = []
    for batch in answers.records(pmids):
        for received in batch:
            outcome = _judged(received)
            if isinstance(outcome, Rejection):
                rejections.append(outcome)
            else:
                accepted.append(_Accepted(outcome, received.xml))
            if most is not None and len(accepted) >= most:
                return accepted, rejections, len(accepted) + len(rejections)
        say(f"{len(accepted) + len(rejections):,} of {len(pmids):,} records screened, {len(accepted):,} accepted")
    return accepted, rejections, len(accepted) + len(rejections)


def _judged(received: Received) -> Draft | Rejection:
    if received.fault:
        return Rejection(received.pmid, "record", received.fault)
    try:
        return screened(read_article(received.xml.encode()))
    except RecordError as error:
        return Rejection(received.pmid, "record", f"record cannot be read: {error}")


def _references(accepted: Sequence[_Accepted], answers: Answers) -> dict[str, tuple[Reference, ...]]:
    linked = answers.linked([one.draft.pmid for one in accepted])
    numbers = {one.draft.pmid: _number(one.draft.article) for one in accepted}
    texts = answers.in_full_text([number for number in dict.fromkeys(numbers.values()) if number])
    found = {}
    for one in accepted:
        pmid = one.draft.pmid
        sources: dict[Origin, Any] = {
            "record": cited_by(one.xml, one.draft.article.references),
            "elink": linked[pmid],
            "pmc": texts.get(numbers[pmid], ()),
        }
        found[pmid] = references(sources, pmid, one.draft.article.doi or "")
    return found


def _number(article: Article) -> str:
    return "".join(character for character in article.pmcid or "" if character.isdecimal() and character.isascii())


def _review(draft: Draft, topic: Topic, cited: Sequence[Reference]) -> Review:
    article, parts = draft.article, draft.parts
    return Review(
        pmid=draft.pmid,
        title=article.title,
        question=draft.question,
        answer=draft.answer,
        published=draft.published,
        specialty=topic.specialty,
        subtopic=topic.subtopic,
        title_question=draft.question,
        abstract=article.abstract,
        introduction=parts.introduction,
        methods=parts.methods,
        results=parts.results,
        conclusion=parts.conclusion,
        references=tuple(one.pmid for one in cited if one.pmid),
        dois=tuple(one.doi for one in cited if one.doi),
        entered=article.entered,
    )


def _details(draft: Draft, topics: Sequence[Topic], cited: Sequence[Reference]) -> dict[str, Any]:
    return {
        "pmid": draft.pmid,
        "topics": [{"specialty": topic.specialty, "subtopic": topic.subtopic} for topic in topics],
        "dropped": [{"part": one.part, "sentence": one.text, "rule": one.rule} for one in draft.sentences if one.rule],
        "references": [{"pmid": one.pmid, "doi": one.doi, "origins": list(one.origins)} for one in cited],
    }


def _manifest(
    plan: Plan, service: Service, searches: Sequence[tuple[Topic, str, Found]], flow: Flow, day: date, out: Path
) -> dict[str, Any]:
    names = ("candidates.jsonl", "details.jsonl", "rejected.jsonl", "flow.json", "flow.md")
    return {
        "schema": 1,
        "day": day.isoformat(),
        "service": service.host,
        "version": __version__,
        "settings": {
            "from": plan.since.isoformat() if plan.since else None,
            "to": plan.until.isoformat() if plan.until else None,
            "per_topic": plan.per_topic,
            "max": plan.most,
        },
        "counts": {"topics": flow.topics, "taken": flow.taken, "looked_at": flow.looked_at, "accepted": flow.accepted},
        "files": {name: hashlib.sha256((out / name).read_bytes()).hexdigest() for name in names},
        "searches": [
            {
                "specialty": topic.specialty,
                "subtopic": topic.subtopic,
                "query": query,
                "hits": found.count,
                "taken": len(found.pmids),
                "warnings": list(found.warnings),
            }
            for topic, query, found in searches
        ],
    }
