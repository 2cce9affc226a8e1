"""The page of cohorts: the form as nested boxes, counts at each step, patients with evidence; of
what is asked now, and of a run that was kept. A box is known by its path: the places of parts.
"""

import csv
import io
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from flask import Blueprint, Response, abort, render_template, request

from clinfo.errors import FieldError, IdentifiersFound, RecordError, UsageError
from clinfo.pipelines.cohort import (
    And,
    AtLeast,
    Before,
    Concepts,
    Form,
    Not,
    Or,
    checked,
    from_json,
    joins,
    known_terms,
    opened,
    parse_query,
    parts_of,
    to_json,
    written_query,
)
from clinfo.render import cohort_rows, counts_in_words
from clinfo.runs import recorded_answer
from webapp.api import api, as_json, fresh, json_object
from webapp.api_types import SCHEMA, Reply, operation
from webapp.forms import download
from webapp.patients import UNUSABLE, looked_at, refuse_unknown
from webapp.pipelines.cohort.declared import (
    CohortAnswer,
    CohortFields,
    answered,
    checked_fields,
    folder_of,
    offered_models,
)
from webapp.records import NotFound, StoredRun
from webapp.services import services
from webapp.visitors import remembered, visitor, with_page

pages = Blueprint("cohort", __name__)

SHOWN: Final = 20
"""Patients of each value whose evidence is on the page; a download has all."""
NO_PATIENTS: Final = "This host shows ranges of counts only, and no patients."


@pages.route("/cohort", methods=["GET", "POST"])
def form() -> tuple[str, int] | Response:
    """The form; sent, what it finds, on the page or as a file."""
    web = services().web
    if request.method == "POST" or not web.for_this_machine:
        refuse_unknown(remembered() if request.method == "POST" else visitor(), web)
    typed = dict(request.form.items())
    if request.method == "GET":
        again = request.args.get("again")
        return _page(_asked(with_page(again, "cohort")) if again else typed)
    try:
        return _found(typed)
    except FieldError as error:
        of_boxes = error.field == "form" and "again" not in typed
        return _page(typed, {"query" if of_boxes else error.field: error.fault})
    except IdentifiersFound as error:
        return _page(typed, {"criteria": str(error)})
    except RecordError:
        return _page(typed, {"index": UNUSABLE})


def _found(typed: dict[str, str]) -> tuple[str, int] | Response:
    """Find what the criteria or the boxes ask. Raises FieldError, IdentifiersFound."""

    parts = services()
    least = parts.web.fewest_shown
    wanted = typed.get("download")
    if wanted and least > 1:
        abort(403, NO_PATIENTS)
    given: dict[str, Any] = {
        name: typed.get(name, "").strip()
        for name in ("criteria", "query", "index", "as_of", "model")
    }
    given["form"] = _form(typed)
    of_words = bool(given["model"] and given["criteria"])
    if given["form"] is not None or of_words:
        given["query"] = ""
    elif given["query"]:
        given["criteria"] = ""
    asked = checked_fields(given, parts.web, parts.chain)
    faults: dict[str, str] = {}
    if given["form"] is not None and "again" not in typed:
        with opened(folder_of(asked, parts.web)) as base:
            concepts = Concepts.of(base, known_terms(), least)
            left = edited(from_json(asked.form), typed, concepts, faults)
        if left is None:
            raise FieldError("query", "no criterion is left")
        asked = replace(asked, form=to_json(left))
    if wanted in ("json", "csv"):
        return _file(answered(asked, visitor(), export=True), wanted)
    answer = answered(replace(asked, explain=True, shown=SHOWN), visitor())
    if not faults:
        typed["query"] = answer["text"]  # what the boxes say now
    return _page(typed, {}, _shown(answer, typed, faults))


def _shown(answer: dict[str, Any], typed: dict[str, str], faults: dict[str, str]) -> dict[str, Any]:
    """The values of an answer for the page."""

    return {
        "box": boxes(answer["boxes"], typed, faults),
        "faulty": faults,
        "form": json.dumps(answer["form"], ensure_ascii=False),
        "warnings": answer["warnings"],
        "translated_by": answer["translated_by"],
        "assumptions": answer.get("assumptions", []),
        "caveats": answer.get("caveats", []),
        "asked_on": answer["asked_on"],
        "built_on": answer["settings"]["closed_at"][:10],
        "mesh": answer["settings"]["mesh"],
        "words": counts_in_words(answer["counts"]),
        "attrition": answer["attrition"],
        "groups": [] if services().web.fewest_shown > 1 else _groups(answer),
    }


def ended(run: StoredRun, values: dict[str, Any]) -> str:
    """The page of a run that has ended. Raises NotFound, Refused."""
    answer = recorded_answer(looked_at(run, visitor(), "view"))
    typed = _asked(run)
    found = None if answer is None else _shown(answer, typed, {})
    return _page(typed, found=found, run=run, mine=values["mine"])[0]


def _asked(run: StoredRun) -> dict[str, str]:
    return {name: getattr(run.request, name) for name in ("criteria", "query", "index", "as_of")}


@pages.get("/runs/<run_id>/cohort.<any(csv, json):kind>")
def exported(run_id: str, kind: str) -> Response:
    """A kept run's cohort as a file."""
    run = with_page(run_id, "cohort")
    if services().web.fewest_shown > 1:
        abort(403, NO_PATIENTS)
    if (answer := recorded_answer(looked_at(run, visitor(), "export"))) is None:
        abort(404, "This run has found nothing that could be exported.")
    return _file(answer, kind)


def _form(typed: dict[str, str]) -> Any:
    """The form that was sent, None without one. Raises FieldError."""
    if not (sent := typed.get("form", "").strip()):
        return None
    try:
        found = json.loads(sent)
    except (ValueError, RecursionError):
        raise FieldError("form", "is no JSON") from None
    if not isinstance(found, dict):
        raise FieldError("form", "must be a JSON object")
    return found


def _groups(answer: dict[str, Any]) -> list[tuple[str, int, list[dict[str, Any]]]]:
    counts, unknown = answer["counts"], set(answer["not_documented"])
    others = answer.get("others", [])
    refused = [one for one in others if one["id"] not in unknown]
    undocumented = [one for one in others if one["id"] in unknown]
    return [
        ("Match", counts["members"], answer["members"][:SHOWN]),
        ("Do not match", counts["not_matching"], refused[:SHOWN]),
        ("Undocumented", counts["not_documented"], undocumented[:SHOWN]),
    ]


def _page(
    typed: dict[str, str],
    wrong: dict[str, str] | None = None,
    found: dict[str, Any] | None = None,
    **of_run: Any,
) -> tuple[str, int]:
    web, chain = services().web, services().chain
    faulty = wrong or (found and found["faulty"])
    page = render_template(
        "cohort/form.html", typed=typed, wrong=wrong or {}, found=found,
        offered=list(web.cohorts), models=offered_models(web, chain), least=web.fewest_shown,
        **of_run,
    )  # fmt: skip
    return page, 422 if faulty else 200


def _file(answer: dict[str, Any], kind: str) -> Response:
    if kind == "json":
        made, media = json.dumps(answer, ensure_ascii=False), "application/json"
    else:
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(cohort_rows(answer))
        made, media = text.getvalue(), "text/csv"
    return download(made, media, f"clinfo-cohort.{kind}")


@api.post("/cohort")
@operation(
    "findCohort",
    "cohort",
    {200: Reply("The cohort.", CohortAnswer)},
    *(400, 401, 403, 404, 413, 415, 422, 429),
    body=CohortFields,
    pipeline="cohort",
)
def cohort() -> Response:
    """Find patients.

    Which patients of an index match criteria, at once; nothing is stored. An access token or a
    login is needed.
    """
    web, chain = services().web, services().chain
    if not web.cohorts:
        raise NotFound("This host has no cohorts.")
    found = answered(checked_fields(json_object(), web, chain), visitor())
    return fresh(as_json({"schema": SCHEMA, **found}))


def boxes(
    found: Mapping[str, Any], said: Mapping[str, str], faults: Mapping[str, str], path: str = "0"
) -> dict[str, Any]:
    """The nested boxes of an answer with their paths, and where one was not understood with its
    fault and what was typed.
    """
    inner = [boxes(part, said, faults, f"{path}.{at}") for at, part in enumerate(found["parts"])]
    made = {**found, "path": path, "parts": inner, "fault": faults.get(path, "")}
    return made | {"text": said.get(f"is-{path}", found["text"])} if made["fault"] else made


def edited(
    form: Form, sent: Mapping[str, str], concepts: Concepts, faults: dict[str, str], path: str = "0"
) -> Form | None:
    """The form as its boxes were sent; None where nothing is left of it. What is wrong in them goes
    to ``faults``, by path.
    """
    if not (parts := parts_of(form)):
        return _leaf(form, sent, concepts, faults, path)
    each = (edited(one, sent, concepts, faults, f"{path}.{at}") for at, one in enumerate(parts))
    kept = tuple(one for one in each if one is not None)
    match form:
        case _ if not kept:
            return None
        case And() | Or():
            wanted = Or if sent.get(f"joins-{path}", joins(form)) == "or" else And
            return wanted(kept) if len(kept) > 1 else kept[0]
        case Not(_, stated):
            return Not(kept[0], stated)
        case Before(_, within) if len(kept) == 2:
            return Before(kept, within)
        case AtLeast(count, _) if len(kept) >= count:
            return AtLeast(count, kept)
    return kept[0] if len(kept) == 1 else And(kept)


def _leaf(
    form: Form, sent: Mapping[str, str], concepts: Concepts, faults: dict[str, str], path: str
) -> Form | None:
    said = sent.get(f"is-{path}")
    if said is None or said.strip() == written_query(form):
        return form
    if not said.strip():
        return None
    try:
        return checked(concepts, parse_query(said))
    except UsageError as error:
        faults[path] = str(error)
        return form
