"""The chart pipeline in the web app, where the host switched it on, for people whom it knows: from
what somebody asks of a record to a request.

The record is kept in the patients' store; the database gets a hash of the patient's id and the name
of the file.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Final

import msgspec
from pydantic import WithJsonSchema

from clinfo.errors import FieldError, UsageError
from clinfo.learned_types import learned
from clinfo.patients import PatientStore, Records, allowed, read_records, require_allowed
from clinfo.pipelines.chart import ChartAnswer, ChartRequest, request_of
from clinfo.records import EXTRACTIVE
from clinfo.runs import named
from clinfo.settings import Settings
from webapp.fields import Fields, Json, Model, Seconds, asked_of, one_of, refuse, seconds
from webapp.pipelines import Asked, WebPipeline
from webapp.records import ENDED
from webapp.settings import WebSettings
from webapp.storage.store import Store
from webapp.watch.page import in_order

MOST_BYTES: Final = 20_000_000
"""Bytes of all files of a record together."""
MOST_FILES: Final = 5_000
HOUR_SECONDS: Final = 3_600.0
"""A record that no run is on is kept for so long."""
NO_RECORD: Final = "add notes, a table or FHIR"
_PACKED: Final = (b"PK\x03\x04", b"\x1f\x8b")


class ChartFields(Fields):
    """A question about a patient's record; an access token or a login is needed."""

    record: Annotated[
        Any,
        WithJsonSchema(
            {
                "type": "object",
                "additionalProperties": {"type": "string"},
                "minProperties": 1,
                "maxProperties": MOST_FILES,
                "description": "The files of the record, as text, by name; what names nobody is of "
                "`patient`.",
            }
        ),
    ]
    model: Model = None
    max_seconds: Seconds = None


@dataclass(frozen=True)
class Kept:
    """A record in the patients' store: the hashed id of the patient, and the name of the file."""

    patient: str
    name: str


def offered_models(web: WebSettings, chain: Settings) -> tuple[str, ...]:
    """The models on offer that may see patients' records, and the extractive one."""
    fit = [name for name in web.offered_models(chain) if allowed("model", name, chain)]
    return tuple(dict.fromkeys((*fit, EXTRACTIVE)))


def checked_fields(given: Mapping[str, Any], web: WebSettings, chain: Settings) -> ChartRequest:
    """The request that ``given`` makes at this host; ``record`` is texts or bytes by name, or a
    record that is kept already. A new record is kept.

    Raises FieldError, NotForPatients, UsageError where the store cannot be used.
    """
    if given.get("record") is None:
        raise FieldError("record", NO_RECORD)
    asked, chosen = asked_of(ChartFields, "chart", {**given, "api_key": None})
    model = one_of(offered_models(web, chain), asked.model)
    longest = seconds(asked.max_seconds, web)
    request = request_of(chain, (), model=model, max_seconds=longest, **chosen)
    for name in dict.fromkeys(request.models.values()):  # the judge too
        require_allowed("model", name, chain)
    held = asked.record
    if not isinstance(held, Kept):
        held = keep(_files(held), request.patient, chain)
    if not held.name:
        raise FieldError("record", NO_RECORD)
    return replace(request, patient=held.patient, record=(held.name,))


def _files(given: object) -> dict[str, bytes]:
    """Raises FieldError for files that are too many, too large, or none."""
    if not isinstance(given, Mapping) or not all(
        isinstance(name, str) and isinstance(text, str | bytes) for name, text in given.items()
    ):
        raise FieldError("record", "must be an object of texts by name")
    files = {
        name: text.encode("utf-8", "replace") if isinstance(text, str) else text
        for name, text in given.items()
    }
    most = f"{MOST_FILES:,} files and {MOST_BYTES // 1_000_000} MB"
    refuse(
        (
            len(files) > MOST_FILES or sum(map(len, files.values())) > MOST_BYTES,
            "record",
            f"must be at most {most} together",
        ),
        (
            any(raw.startswith(_PACKED) for raw in files.values()),
            "record",
            "archives and compressed files are not read here; unpack them",
        ),
    )
    return files


def keep(files: Mapping[str, bytes], patient: str, chain: Settings) -> Kept:
    """Read the record of ``patient`` ("": the only one there is) in files and keep it. Raises
    FieldError, UsageError.
    """
    if not files:
        return Kept("", "")
    store = PatientStore.of(chain)
    with TemporaryDirectory(dir=store.root, prefix="incoming-") as made:
        folder = Path(made) / "record"
        folder.mkdir(mode=0o700)
        for number, (name, raw) in enumerate(files.items()):
            plain = name.replace("\\", "/").rpartition("/")[2].replace("\0", "")[-120:].lstrip(".")
            at = folder / (plain or "file")
            (at if not at.exists() else folder / f"{number}-{plain}").write_bytes(raw)
        found = read_records([folder])
        if patient and {one.patient for one in found.records} <= set(found.unnamed):
            found = read_records([folder], unnamed_as=patient)
    records = {one.patient: one for one in found.records if one.patient not in found.unnamed}
    why, some = "".join(f": {one}" for one in found.problems[:1]), ", ".join(list(records)[:5])
    several = not patient and len(records) > 1
    refuse(
        (not found.records, "record", f"no notes were found in these files{why}"),
        (
            patient and patient not in records,
            "patient",
            "these files hold no notes of this patient",
        ),
        (several, "patient", f"these files hold {len(records)} patients; name one: {some}"),
        (
            not patient and found.unnamed,
            "patient",
            "these files do not name the patient; write a name or number",
        ),
    )
    record = records[patient] if patient else next(iter(records.values()))
    data = msgspec.json.encode(Records((record,), found.skipped, found.problems))
    hashed = store.hashed(record.patient)
    name = f"record-{store.hashed(data.decode())}.json"
    store.keep(record.patient, name, data)
    return Kept(hashed, name)


def reader(chain: Settings) -> Callable[[ChartRequest], Records]:
    """Return what reads a kept record, and no file that a request names otherwise."""

    def read(request: ChartRequest) -> Records:
        raw = PatientStore.of(chain).kept(request.patient, request.record[0])
        if raw is None:
            raise UsageError(
                "the record is not here: it was erased, or the web app and its worker do not share "
                "CLINFO_PATIENTS_DIR"
            )
        found = msgspec.json.decode(raw, type=learned(Records))
        return replace(found, records=(replace(found.one(), patient=request.patient),))

    return read


def logged(request: ChartRequest) -> Mapping[str, str]:
    """Whose record is looked at for what."""
    return {"hashed": request.patient, "question": request.question}


def sweeper(
    web: WebSettings, chain: Settings, store: Store, now: Callable[[], float]
) -> Callable[[], None] | None:
    """Deletes the runs of patients whose record was erased, by the command line say, and erases
    records that no run is on any longer.
    """
    records = PatientStore.of(chain)

    def sweep() -> None:
        used = set()
        for run in store.of_pipeline("chart"):
            held = records.holds(run.request.patient, run.request.record[0])
            if run.status in ENDED and not held:
                store.delete(run.id)
            used.add(run.request.patient)
        records.erase_unused(used, now() - HOUR_SECONDS)

    return sweep


def described(schemas: dict[str, Json], web: WebSettings, chain: Settings) -> None:
    """An answer counts the chunks of each stage, whose ids the trace has."""
    stage = schemas["ChartStageTrace"]
    kinds = {"name": {"type": "string"}, "in": {"type": "integer"}, "out": {"type": "integer"}}
    stage["properties"] = kinds | {"measures": stage["properties"]["measures"]}


_HERE = "webapp.pipelines.chart"

WEB = WebPipeline(
    name="chart",
    asks=lambda fields, web, chain: Asked(checked_fields(fields, web, chain)),
    live=in_order(
        "chart",
        "Reading the record",
        {
            "record": ("Record", "reading the record"),
            "question": ("Question", "reading the question"),
            "found": ("Notes", "finding notes"),
            "written": ("Answer", "writing the answer"),
        },
    ),
    page=named(f"{_HERE}.pages:ended"),
    sent=ChartFields,
    answers=ChartAnswer,
    within="Chart",
    models=offered_models,
    described=described,
    pages=(f"{_HERE}.pages:pages",),
    form="chart.form",
    title="Chart",
    does="One patient’s notes, asked. The record stays on the machines of this site; only whoever "
    "asked sees the run, also by its address; each use is logged. Not for care: it misreads and "
    "misses notes.",
    after="after staged deterministic retrieval, King’s College London, 2026",
    of_patients=True,
    listed=lambda request: "a patient’s record",
    offered=lambda web: web.chart,
    private=lambda request: True,
    needs_login=lambda fields: True,
    logged=logged,
    sweeper=sweeper,
    hosted=lambda run, packed, web, chain: (chain, {"read": reader(chain)}),
)
