"""The page of cohorts: the form as nested boxes, counts at each step, patients with evidence."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from flask import Blueprint, Response, abort, render_template, request

from clinfo.errors import IdentifiersFound, RecordError
from clinfo.pipelines.cohort.shapes import from_json, to_json
from clinfo.pipelines.literature.request import FieldError
from clinfo.render.cohort import csv_rows, in_words
from webapp.chart.asking import refuse_unknown
from webapp.cohort.asking import UNUSABLE, answered, checked, hidden, offered_models
from webapp.cohort.hiding import shown
from webapp.services import services
from webapp.visitors import remembered, visitor

pages = Blueprint("cohort", __name__)

SHOWN: Final = 20
"""Patients of each value whose evidence is on the page; a download has all."""


@pages.route("/cohort", methods=["GET", "POST"])
def form() -> tuple[str, int] | Response:
    """The form; sent, what it finds, on the page or as a file."""
    web = services().web
    if request.method == "POST" or not web.for_this_machine:
        refuse_unknown(remembered() if request.method == "POST" else visitor(), web)
    typed = dict(request.form.items())
    if request.method == "GET":
        return _page(typed)
    try:
        return _found(typed)
    except FieldError as error:
        return _page(typed, {error.field: error.fault})
    except IdentifiersFound as error:
        return _page(typed, {"criteria": str(error)})
    except RecordError:
        return _page(typed, {"index": UNUSABLE})


def _found(typed: dict[str, str]) -> tuple[str, int] | Response:
    """What the criteria or the boxes find. Raises FieldError, IdentifiersFound."""
    from clinfo.pipelines.cohort.matching import Index
    from clinfo.pipelines.cohort.store import opened
    from clinfo.terms.naming import known
    from webapp.cohort.editing import Edited, boxes, with_faults

    parts = services()
    least = parts.web.fewest_shown
    wanted = typed.get("download")
    if wanted and least > 1:
        abort(403, "This host shows ranges of counts only, and no patients.")
    given: dict[str, Any] = {
        name: typed.get(name, "").strip() for name in ("criteria", "index", "as_of", "model")
    }
    given["form"] = _form(typed)
    asked = checked(given, parts.web, parts.chain)
    with opened(Path(asked.index)) as base:
        index = Index(base, known(), asked.as_of)
        faults: dict[str, Any] = {}
        if asked.form is not None and "again" not in typed:
            edited = Edited(typed, index.concepts)
            left = edited.form(from_json(asked.form))
            faults = edited.asked_back
            if left is None:
                raise FieldError("criteria", "no criterion is left")
            asked = replace(asked, form=to_json(left))
        if wanted in ("json", "csv"):
            return _file(answered(asked, visitor(), export=True), wanted)
        few = 0 if least > 1 else SHOWN
        answer = answered(replace(asked, explain=few > 0, shown=few), visitor())
        read = from_json(answer["form"])

        def counted(part: Any) -> str:
            return shown(int((index.match(part).yes & index.patients.there).sum()), least)

        told = hidden(answer, least) if least > 1 else answer
        values = {
            "box": with_faults(boxes(read, counted), typed, faults),
            "faulty": faults,
            "form": json.dumps(answer["form"], ensure_ascii=False),
            "translated_by": answer["translated_by"],
            "warnings": answer["warnings"],
            "words": in_words(told["counts"]),
            "attrition": told["attrition"],
            "groups": [] if least > 1 else _groups(answer),
        }
    return _page(typed, {}, values)


def _form(typed: dict[str, str]) -> Any:
    """The form that was sent, None without one. Raises FieldError."""
    if not (sent := typed.get("form", "").strip()):
        return None
    try:
        found = json.loads(sent)
    except ValueError:
        raise FieldError("form", "is no JSON") from None
    if not isinstance(found, dict):
        raise FieldError("form", "must be a JSON object")
    return found


def _groups(answer: dict[str, Any]) -> list[tuple[str, int, list[dict[str, Any]]]]:
    counts, unknown = answer["counts"], set(answer["not_documented"])
    others = answer["others"]
    return [
        ("Matches", counts["members"], answer["members"]),
        (
            "Does not match",
            counts["not_matching"],
            [one for one in others if one["id"] not in unknown],
        ),
        (
            "Not documented",
            counts["not_documented"],
            [one for one in others if one["id"] in unknown],
        ),
    ]


def _page(
    typed: dict[str, str], wrong: dict[str, str] | None = None, found: dict[str, Any] | None = None
) -> tuple[str, int]:
    web, chain = services().web, services().chain
    faulty = wrong or (found and found["faulty"])
    page = render_template(
        "cohort/form.html", typed=typed, wrong=wrong or {}, found=found,
        offered=list(web.cohorts), models=offered_models(web, chain), least=web.fewest_shown,
    )  # fmt: skip
    return page, 422 if faulty else 200


def _file(answer: dict[str, Any], kind: str) -> Response:
    if kind == "json":
        made, media = json.dumps(answer, ensure_ascii=False), "application/json"
    else:
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(csv_rows(answer))
        made, media = text.getvalue(), "text/csv"
    response = Response(made, content_type=f"{media}; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="clinfo-cohort.{kind}"'
    return response
