"""The form of the trials page: what was typed and handed over, and the form of an earlier run."""

from __future__ import annotations

import re
from typing import Any

from werkzeug.datastructures import FileStorage, MultiDict

from clinfo.errors import FieldError
from clinfo.pipelines.trials import PaperRead, TrialsLog
from clinfo.sources import read_pmcid
from clinfo.text import one_line
from webapp.pipelines.trials.asking import LONGEST_NAME, PARTS, fields_of, of_bytes, of_pdf, unpack
from webapp.records import StoredRun, Visitor
from webapp.services import services
from webapp.visitors import visible


def fields(
    sent: MultiDict[str, str], files: MultiDict[str, FileStorage], before: StoredRun | None
) -> dict[str, Any]:
    """Return what was typed and handed over, as `checked_fields` takes it; the
    papers of the run ``before`` are read again beside new ones. Raises FieldError.
    """
    papers = unpack(services().store.documents(before.id)) if before else {}
    new: set[str] = set()
    for upload in files.getlist("papers"):
        name = one_line(upload.filename or "").replace("\\", "/").rpartition("/")[2]
        name = name.replace(" ", "_")[-LONGEST_NAME:]  # a line of studies parts names by blanks
        if not name:
            continue
        if name in new:
            raise FieldError("papers", f"two papers are called {name}; give one another name")
        new.add(name)
        raw = upload.stream.read()
        if raw.startswith(b"%PDF-"):
            papers[name] = of_pdf(raw)
            continue
        try:
            papers[name] = raw.decode("utf-8-sig")
        except UnicodeDecodeError:
            papers[name] = of_bytes(raw)
    names = ("question", *PARTS, "better", "method", "model")
    found: dict[str, Any] = {name: sent[name] for name in names if sent.get(name, "").strip()}
    studies = _grouping(sent, before)
    typed = re.split(r"[\s,;]+", sent.get("pmcids", "").strip())
    numbers = [read_pmcid(one) or one for one in typed if one]
    return found | {"papers": papers, "pmcids": numbers} | ({"studies": studies} if studies else {})


def continued(given: dict[str, Any], who: Visitor) -> tuple[dict[str, Any], dict[str, Any]]:
    """A request that may name a ``parent``: what that run asked, papers handed over included, with
    the changes; and its id. Raises FieldError, NotFound.
    """
    changes = {name: value for name, value in given.items() if value is not None}
    if (before := changes.pop("parent", None)) is None:
        return changes, {}
    if not isinstance(before, str):
        raise FieldError("parent", "must be the id of a run")
    run = visible(before)
    if run.pipeline != "trials":
        raise FieldError("parent", "must be a run of trials")
    kept = fields_of(run.request) | {"papers": unpack(services().store.documents(run.id))}
    return kept | changes, {"again_of": run.id}


def _grouping(sent: MultiDict[str, str], before: StoredRun | None) -> dict[str, list[str]]:
    """The papers of each study as the form says: line by line, or beside each paper of the run
    ``before``; one that nobody names a study for is put where it belongs. Raises FieldError.
    """
    studies: dict[str, list[str]] = {}
    for line in sent.get("studies", "").splitlines():
        study, colon, files = line.partition(":")
        if not line.strip():
            continue
        if not colon or not files.split():
            raise FieldError("studies", "each line must be NAME: FILE FILE")
        studies[study.strip()] = files.split()
    if before is None:
        return studies
    run_log: TrialsLog = services().store.log(before)
    typed = dict(zip(sent.getlist("paper"), sent.getlist("study_of"), strict=False))
    if all(typed.get(name, study) == study for name, _, study in papers_of(run_log)):
        return {name: [*files] for name, files in before.request.studies.items()}
    for paper, study in typed.items():
        if name := " ".join(study.split()):
            studies.setdefault(name, []).append(paper)
    return studies


def papers_of(run_log: TrialsLog) -> list[tuple[str, str, str]]:
    """Each paper that was read, by its name in the request, with its title and its study."""
    study_of = {paper: study.name for study in run_log.studies for paper in study.papers}
    return [
        (event.name, event.document.title, study_of.get(event.document.id, ""))
        for event in run_log.all(PaperRead)
    ]


def typed_before(run: StoredRun) -> dict[str, Any]:
    """The form as it made ``run``, with the parts of the question as the run read them."""
    typed = fields_of(run.request)
    asked = services().store.log(run).understood
    if asked is not None:
        read = {name: getattr(asked.asked, name) for name in PARTS}
        typed |= read | {"better": asked.better or ""}
    return typed | {"studies": "", "pmcids": " ".join(typed.get("pmcids", ()))}
