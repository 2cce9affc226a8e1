"""The build from the first search to the finished files, resumable at every request.

    OUT/state/plan.json        what is built, and the day it was begun
    OUT/state/answers.sqlite   the answers of the E-utilities, as they came
    OUT/*                      the finished files (`pubmedrs.build.finished`)

The finished files depend on the answers alone, so that a build that was interrupted ends in the
same bytes as one that was not.
"""

import re
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from filelock import FileLock, Timeout

from clinfo.errors import RecordError, UsageError
from clinfo.files import file_errors
from clinfo.pubmed.xml import read_article
from clinfo.text.wording import number
from pubmedrs.build.asking import Answers, Received, Say, Service
from pubmedrs.build.citing import Cited, Origin, cited_by, references
from pubmedrs.build.finished import Candidate, Cites, Flow, Searched, flow_of, write_files
from pubmedrs.build.plan import Plan, Topic, begun
from pubmedrs.build.screening import Draft, Rejection, screened
from pubmedrs.records import Review

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
    """Carry out ``plan`` into the folder ``out``, going on where an earlier run of the same plan
    stopped.

    ``say`` is told of progress. Raises UsageError (folder not usable, in use, or of another plan)
    and SourceError.
    """
    state = out / STATE
    with file_errors(f"--out: the folder {out.name} cannot be made"):
        state.mkdir(parents=True, exist_ok=True)
    with file_errors(f"--out: the folder {out.name} cannot be used"):
        try:
            with FileLock(state / "lock", timeout=0):
                day = begun(plan, service.host, today, state / "plan.json")
                with closing(Answers(service, state, plan.batch, say=say)) as answers:
                    return _built(plan, service, answers, out, day, say)
        except Timeout:
            raise UsageError(f"--out: another build is running in {out.name}") from None


def _built(plan: Plan, service: Service, answers: Answers, out: Path, day: date, say: Say) -> Built:
    searches = _searched(plan, answers, say)
    topics: dict[str, list[Topic]] = {}
    for one in searches:
        for pmid in one.found.pmids:
            topics.setdefault(pmid, []).append(one.topic)
    accepted, rejections, looked_at = _screened(list(topics), answers, plan.most, say)
    cites = _references(accepted, answers)
    if lacking := sum(bool(one.unanswered) for one in cites.values()):
        say(
            f"ELink or PMC gave no answer about {number(lacking, 'review')}; details.jsonl names "
            "them (unanswered)"
        )
    candidates = [
        Candidate(one.draft, tuple(topics[one.draft.pmid]), cites[one.draft.pmid])
        for one in accepted
    ]
    flow = flow_of(searches, len(topics), looked_at, rejections, len(candidates))
    write_files(out, plan, service.host, day, searches, candidates, rejections, flow)
    return Built(tuple(one.review for one in candidates), tuple(rejections), flow)


def _searched(plan: Plan, answers: Answers, say: Say) -> list[Searched]:
    searches = []
    for place, (topic, query) in enumerate(plan.queries, 1):
        found = answers.search(query, plan.per_topic)
        searches.append(Searched(topic, query, found))
        if not found.count:
            say(f"{topic.name}: no review found")
        if place % _EVERY == 0 or place == len(plan.topics):
            say(f"{place:,} of {number(len(plan.topics), 'topic')} searched")
    if remarked := sum(bool(one.found.warnings) for one in searches):
        say(f"PubMed remarked on {remarked:,} of the searches; build.json has the remarks")
    return searches


def _screened(
    pmids: Sequence[str], answers: Answers, most: int | None, say: Say
) -> tuple[list[_Accepted], list[Rejection], int]:
    """Accepted and rejected records in their order, and how many were looked at until ``most`` were
    accepted.
    """
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
        say(
            f"{len(accepted) + len(rejections):,} of {len(pmids):,} records screened, "
            f"{len(accepted):,} accepted"
        )
    return accepted, rejections, len(accepted) + len(rejections)


def _judged(received: Received) -> Draft | Rejection:
    if received.fault:
        return Rejection(received.pmid, "record", received.fault)
    try:
        return screened(read_article(received.xml.encode()))
    except RecordError as error:
        return Rejection(received.pmid, "record", f"record cannot be read: {error}")


def _references(accepted: Sequence[_Accepted], answers: Answers) -> dict[str, Cites]:
    linked = answers.linked([one.draft.pmid for one in accepted])
    numbers = {
        one.draft.pmid: re.sub(r"[^0-9]", "", one.draft.article.pmcid or "") for one in accepted
    }
    texts = answers.in_full_text([pmcid for pmcid in dict.fromkeys(numbers.values()) if pmcid])
    found = {}
    for one in accepted:
        pmid = one.draft.pmid
        asked: dict[Origin, tuple[Cited, ...] | None] = {
            "record": cited_by(one.xml, one.draft.article.references),
            "elink": linked[pmid],
            "pmc": texts.get(numbers[pmid], ()),
        }
        sources = {origin: cited for origin, cited in asked.items() if cited is not None}
        works = references(sources, pmid, one.draft.article.doi or "")
        found[pmid] = Cites(works, tuple(origin for origin in asked if origin not in sources))
    return found
