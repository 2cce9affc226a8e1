"""The page of cohorts: the form as nested boxes, counts at each step, patients with evidence."""

from __future__ import annotations

import csv
import io
import json
from datetime import date
from pathlib import Path
from typing import Any, Final

from flask import Blueprint, Response, abort, render_template, request

from clinfo.errors import UsageError
from clinfo.patients.keeping import PatientStore
from webapp.chart.asking import refuse_unknown
from webapp.cohort.hiding import shown
from webapp.services import services
from webapp.visitors import remembered, visitor

pages = Blueprint("cohort", __name__)

LONGEST: Final = 4_000
"""Characters of the criteria."""
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
    title = typed.get("index") or next(iter(web.cohorts))
    if title not in web.cohorts:
        return _page(typed, {"index": "this host has no such records"})
    if (as_of := typed.get("as_of", "").strip()) and not _is_day(as_of):
        return _page(typed, {"as_of": "must be a day as 2022-01-31"})
    if len(typed.get("criteria", "")) > LONGEST:
        return _page(typed, {"criteria": f"must be at most {LONGEST:,} characters"})
    if not typed.get("criteria", "").strip() and not typed.get("form", "").strip():
        return _page(typed, {"criteria": "must not be empty"})
    _audit(title, typed)
    return _found(typed, Path(web.cohorts[title]), as_of)


def _found(typed: dict[str, str], folder: Path, as_of: str) -> tuple[str, int] | Response:
    from clinfo.pipelines.cohort.answer import AskedBack, Cohort, answer_json, understood
    from clinfo.pipelines.cohort.matching import Index
    from clinfo.pipelines.cohort.shapes import from_json, to_json
    from clinfo.pipelines.cohort.store import opened
    from clinfo.terms.naming import known
    from webapp.cohort.editing import Edited, boxes, with_faults

    least = services().web.fewest_shown
    with opened(folder) as base:
        index = Index(base, known(), as_of)
        faults: dict[str, Any] = {}
        try:
            given = typed.get("form", "").strip()
            data = json.loads(given) if given else None
            held = data.get("form", data) if isinstance(data, dict) else data
            asked = from_json(held) if given else None
            if asked is not None and "again" not in typed:
                edited = Edited(typed, index.concepts)
                asked = edited.form(asked)
                faults = edited.asked_back
                if asked is None:
                    return _page(typed, {"criteria": "no criterion is left"})
            read = understood(index, typed.get("criteria", ""), asked)
        except AskedBack as error:
            return _page(typed, {"criteria": "not understood: " + "; ".join(error.words)})
        except ValueError:
            return _page(typed, {"form": "is no JSON"})
        except UsageError as error:
            return _page(typed, {"form" if given else "criteria": str(error)})
        cohort = Cohort(index, read)
        if (wanted := typed.get("download")) in ("json", "csv"):
            if least > 1:
                abort(403, "This host shows ranges of counts only, and no patients.")
            return _file(answer_json(typed.get("criteria", ""), read, cohort), wanted)

        def counted(part: Any) -> str:
            return shown(int((index.match(part).yes & index.patients.there).sum()), least)

        counts = cohort.counts()
        values = {
            "box": with_faults(boxes(read, counted), typed, faults),
            "faulty": faults,
            "form": json.dumps(to_json(read), ensure_ascii=False),
            "counts": {name: shown(count, least) for name, count in counts.items()},
            "attrition": [
                row | {name: shown(row[name], least) for name in ("alone", "left")}
                for row in cohort.attrition()
            ],
            "groups": [] if least > 1 else _groups(cohort),
        }
    return _page(typed, {}, values)


def _groups(cohort: Any) -> list[tuple[str, int, list[dict[str, Any]]]]:
    return [
        (words, len(numbers), [cohort.told(number) for number in numbers[:SHOWN]])
        for words, numbers in (
            ("Matches", cohort.members),
            ("Does not match", cohort.refused),
            ("Not documented", cohort.unknown),
        )
    ]


def _page(
    typed: dict[str, str], wrong: dict[str, str] | None = None, found: dict[str, Any] | None = None
) -> tuple[str, int]:
    web = services().web
    faulty = wrong or (found and found["faulty"])
    page = render_template(
        "cohort/form.html",
        typed=typed,
        wrong=wrong or {},
        found=found,
        offered=list(web.cohorts),
        least=web.fewest_shown,
    )
    return page, 422 if faulty else 200


def _audit(title: str, typed: dict[str, str]) -> None:
    """Log who asks what of which records. Raises UsageError where it cannot be logged."""
    who = visitor()
    PatientStore.of(services().chain).audit(
        user=(who.user or f"browser {str(who.browser)[:12]}").replace("\x1f", " "),
        run="",
        patient=f"cohort {title}",
        question=typed.get("criteria", "") + typed.get("form", ""),
        did="export" if typed.get("download") else "cohort",
    )


def _is_day(text: str) -> bool:
    try:
        return bool(date.fromisoformat(text))
    except ValueError:
        return False


def _file(answer: dict[str, Any], kind: str) -> Response:
    from clinfo.render.cohort import csv_rows

    if kind == "json":
        made, media = json.dumps(answer, ensure_ascii=False), "application/json"
    else:
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(csv_rows(answer))
        made, media = text.getvalue(), "text/csv"
    response = Response(made, content_type=f"{media}; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="clinfo-cohort.{kind}"'
    return response
