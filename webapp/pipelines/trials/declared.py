"""The trials pipeline in the web app: from what a visitor asks of papers to a request, with the
host's rules and the limits of what may be handed over; and a run of it while it goes on.
"""

import base64
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from importlib.util import find_spec
from typing import Annotated, Any, Final

import msgspec
from pydantic import AfterValidator, Field

from clinfo.errors import ClinfoError, FieldError, IdentifiersFound, RecordError
from clinfo.pipelines.trials import (
    MODEL_STAGES,
    OPTIONS,
    PROMPTS,
    TRIALS,
    PaperRead,
    PaperRefused,
    PassagesChosen,
    TrialsAnswer,
    TrialsLog,
    TrialsRequest,
    asked_in,
    build_answer,
    kind_of,
    read_document,
)
from clinfo.privacy import in_paper, refuse_texts
from clinfo.records import EXTRACTIVE, MAX_PROMPT
from clinfo.render import study_view
from clinfo.runs import named
from clinfo.settings import Settings
from clinfo.views import Step, StepState, number
from webapp.fields import (
    Fields,
    Json,
    Key,
    Model,
    Seconds,
    Texts,
    asked_of,
    checked_prompt,
    one_of,
    refuse,
    seconds,
    texts_of,
)
from webapp.pipelines import Asked, WebPipeline
from webapp.settings import WebSettings
from webapp.watch.page import NOTES, LivePipeline, Shown, Status, told

MOST_PAPERS: Final = 50
MOST_BYTES: Final = 5_000_000
"""Bytes of all papers of a run together that are text."""
MOST_PDF_BYTES: Final = 15_000_000
"""Bytes of all PDFs of a run together."""
PDF: Final = "data:application/pdf;base64,"
"""The beginning of a paper that is a PDF: a data: URL, so that every paper is text."""
BYTES: Final = "data:application/octet-stream;base64,"
"""The beginning of a file that is neither text nor a PDF: the run says so, and reads the others."""
LONGEST_NAME: Final = 200
PARTS: Final = ("intervention", "comparator", "outcome")
DECLARED: Final = OPTIONS.at("http")
"""The options that a request may set here."""
PMCID: Final = re.compile(r"PMC\d{1,9}")


def _pmcid(text: str) -> str:
    if not PMCID.fullmatch(text):
        raise FieldError("pmcids", f"{text[:40]} is no number such as PMC1234567")
    return text


Pmcid = Annotated[
    str, AfterValidator(_pmcid), Field(json_schema_extra={"pattern": f"^{PMCID.pattern}$"})
]


class TrialsFields(Fields):
    """A question and the papers of the studies that bear on it, at least one in `papers` or
    `pmcids`, or a `parent` that has them.
    """

    papers: dict[str, str] = Field(
        {},
        description="The papers by name: JATS XML, text, or a PDF as a data: URL in base64.",
        json_schema_extra={
            "maxProperties": MOST_PAPERS,
            "propertyNames": {"minLength": 1, "maxLength": LONGEST_NAME},
        },
    )
    pmcids: tuple[Pmcid, ...] = Field(
        (),
        strict=False,
        description="Articles of PubMed Central.",
        json_schema_extra={"maxItems": MOST_PAPERS},
    )
    studies: dict[str, Texts] = Field({})
    prompts: dict[str, str] = Field({}, json_schema_extra=texts_of(PROMPTS.names, MAX_PROMPT))
    model: Model = None
    max_seconds: Seconds = None
    api_key: Key = None
    parent: str = Field(
        "",
        description="The id of a run of trials, which this one repeats: its papers and settings "
        "hold unless others are given.",
    )


def asks(fields: Mapping[str, Any], web: WebSettings, chain: Settings) -> Asked:
    """The request with its papers."""
    request, texts = checked_fields(fields, web, chain), fields.get("papers") or {}
    return Asked(request, pack(texts))


def checked_fields(given: Mapping[str, Any], web: WebSettings, chain: Settings) -> TrialsRequest:
    """The request that ``given`` makes at this host; ``papers`` is their text by name (see `pack`),
    ``pmcids`` names others of PubMed Central. Nothing is stored or sent.

    Raises FieldError, IdentifiersFound.
    """
    if given.get("prompts") and not web.edit_prompts:
        raise FieldError("prompts", "cannot be edited here; the host has disabled it")
    asked, chosen = asked_of(TrialsFields, "trials", {**given, "api_key": None})
    if not asked.papers and not asked.pmcids:
        raise FieldError("papers", "at least one paper is needed, as JATS XML or text")
    _check_texts(asked.papers, bool(asked.pmcids))
    request: TrialsRequest = OPTIONS.request(
        papers=tuple(dict.fromkeys((*asked.papers, *asked.pmcids))),
        studies=asked.studies,
        prompts=asked.prompts,
        **chosen,
    )
    _check(request)
    longest = seconds(asked.max_seconds, web)
    refuse_texts(
        {name: getattr(request, name) for name in ("question", *PARTS)}, "Nothing was stored."
    )
    _refuse_patients(asked.papers)
    for name, text in asked.prompts.items():
        checked_prompt(PROMPTS, name, text)
    model = one_of(web.offered_models(chain), asked.model)
    single = TRIALS.stage_models(chain) if asked.model is None else {}
    models = {stage: single.get(stage, model) for stage in MODEL_STAGES}
    request = replace(request, models=models, max_seconds=longest)
    _refuse_unclear(request)
    return request


def _refuse_unclear(request: TrialsRequest) -> None:
    """Raise FieldError for a question in which no names tell intervention and outcome; what a model
    reads is seen in the run.
    """
    if request.models["pico"] != EXTRACTIVE or (request.intervention and request.outcome):
        return
    parts = asked_in(request.question)
    for name in ("intervention", "outcome"):
        if not getattr(request, name) and not getattr(parts, name):
            raise FieldError(name, f"no {name} could be read from the question; give it here")


def _refuse_patients(texts: Mapping[str, str]) -> None:
    """Raise IdentifiersFound for a text that tells of a patient. JATS is what publishers write, and
    a PDF is looked at by the worker that reads it.
    """
    for name, text in texts.items():
        if text.startswith((PDF, BYTES)) or text.lstrip("\ufeff \t\r\n").startswith("<"):
            continue
        if found := in_paper(text):
            kinds = [one.kind for one in found]
            raise IdentifiersFound(
                f"{name} seems to identify a patient ({', '.join(dict.fromkeys(kinds))}). "
                "Nothing was sent or stored; leave it out, or give the paper as JATS XML.",
                where="papers",
                spans=[(one.start, one.end) for one in found],
                kinds=kinds,
            )


def _check_texts(texts: Mapping[str, str], others: bool) -> None:
    """Raises FieldError for papers that are too much, or without a name, and where none can be read
    and there are no ``others``.
    """
    sizes, bad = {"": 0, "PDFs ": 0}, list[str]()
    for name, text in texts.items():
        refuse(
            (
                not name.strip() or len(name) > LONGEST_NAME or not name.isprintable(),
                "papers",
                f"a name must be 1 to {LONGEST_NAME} printable characters",
            ),
            (
                PMCID.fullmatch(name),
                "papers",
                f"{name}: a file must not have the name of another paper",
            ),
        )
        try:
            raw = _raw(text)
        except ValueError:
            raise FieldError("papers", f"{name} is no base64") from None
        if is_pdf := text.startswith(PDF):
            _check_pdf(name, raw)
        elif fault := _fault(name, text, raw):
            bad.append(fault)
        sizes["PDFs " if is_pdf else ""] += len(raw)
    if bad and len(bad) == len(texts) and not others:
        raise FieldError("papers", "; ".join(bad))
    for kind, most in (("", MOST_BYTES), ("PDFs ", MOST_PDF_BYTES)):
        if sizes[kind] > most:
            raise FieldError("papers", f"{kind}must be at most {most // 1_000_000} MB together")


def reads_pdf() -> bool:
    """Return whether PDFs can be read here: pypdfium2 is installed (the extra ``pdf``)."""
    return find_spec("pypdfium2") is not None


def of_file(raw: bytes) -> str:
    """A file as the text that a request holds; of one that is neither text nor a PDF as much as
    shows that.
    """
    if raw.startswith(b"%PDF-"):
        return PDF + base64.b64encode(raw).decode()
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return BYTES + base64.b64encode(raw[: max(16, error.start + 1)]).decode()


def _fault(name: str, text: str, raw: bytes) -> str:
    """The reason why a file cannot be read, as far as can be told without reading JATS, which only
    the worker does; "" where that cannot be told.
    """
    if text.startswith(BYTES) or not text.strip("\ufeff \t\r\n"):
        try:
            if kind_of(raw, name) == "plain":
                read_document(raw, name)
        except ClinfoError as error:
            return str(error)
    return ""


def _raw(text: str) -> bytes:
    """The bytes of a paper as it is held. Raises ValueError for what is no base64."""
    if text.startswith((PDF, BYTES)):
        return base64.b64decode(text.partition(",")[2], validate=True)
    return text.encode("utf-8", "replace")


def _check_pdf(name: str, raw: bytes) -> None:
    """Raises FieldError for what is no PDF, and where none can be read."""
    refuse(
        (
            not reads_pdf(),
            "papers",
            f"{name} is a PDF, which this site cannot read (its host can add the extra pdf); "
            "give it as JATS XML or plain text",
        ),
        (not raw[:1024].lstrip().startswith(b"%PDF-"), "papers", f"{name} is no PDF"),
    )


def pack(papers: Mapping[str, str]) -> bytes | None:
    """The papers handed over as they are stored with their run; None where there are none."""
    return msgspec.json.encode(papers) if papers else None


def unpack(packed: bytes | None) -> dict[str, str]:
    """The inverse of `pack`."""
    return msgspec.json.decode(packed, type=dict[str, str]) if packed else {}


def reader(packed: bytes | None) -> Callable[[str], bytes]:
    """Return what reads the papers handed over, and no file of this machine."""
    papers = unpack(packed)

    def read(name: str) -> bytes:
        if name not in papers:
            raise RecordError(f"{name}: was not handed over")
        return _raw(papers[name])

    return read


def _check(request: TrialsRequest) -> None:
    if len(request.papers) > MOST_PAPERS:
        raise FieldError("papers", f"at most {MOST_PAPERS} papers can be read at a time")
    for study, papers in request.studies.items():
        if not study.strip() or len(study) > LONGEST_NAME or not study.isprintable():
            raise FieldError("studies", f"a name must be 1 to {LONGEST_NAME} printable characters")
        if unknown := set(papers) - set(request.papers):
            raise FieldError("studies", f"{study[:60]}: {sorted(unknown)[0][:60]} is no paper here")


def fields_of(request: TrialsRequest) -> dict[str, Any]:
    """Return what was asked but for the papers handed over, as `checked_fields` takes it, to be
    asked again with changes.
    """
    found: dict[str, Any] = {
        name: getattr(request, one.field) for name, one in DECLARED.items()
    } | {"studies": request.studies, "prompts": request.prompts}
    found["pmcids"] = [name for name in request.papers if PMCID.fullmatch(name)]
    model = next(iter(request.models.values()), None)
    return {name: value for name, value in found.items() if value} | {"model": model}


def described(schemas: dict[str, Json], web: WebSettings, chain: Settings) -> None:
    """A run of trials only can be edited."""
    answers = [{"$ref": "#/components/schemas/TrialsAnswer"}, {"type": "null"}]
    schemas["EditedRun"]["properties"]["answer"] = {"anyOf": answers}


_ENOUGH: Final = 2
"""Studies that must have been read before their speed tells how long the others take."""


def _steps(run_log: TrialsLog, request: TrialsRequest) -> list[Step]:
    """The steps: papers, the question's parts, studies."""
    studies, read = len(run_log.studies), len(run_log.concluded)
    over = "answer" in run_log

    def step(name: str, title: str, said: str, done: bool, begun: bool) -> Step:
        state: StepState = "done" if done or over else "now" if begun else "to come"
        return Step(name, title, f"{name}-part", state, said)

    asked, grouped = run_log.understood is not None, "grouped" in run_log
    said = f"{read:,} of {studies:,} read" if grouped else ""
    started = run_log.started is not None
    seen = f"{_papers_seen(run_log):,} of {len(request.papers):,} read"
    return [
        step("papers", "Papers", seen, grouped, started),
        step("asked", "Question", "understood" if asked else "", asked, started),
        step("studies", "Studies", said, grouped and read >= studies, grouped),
    ]


def _papers_seen(run_log: TrialsLog) -> int:
    return len(run_log.all(PaperRead)) + len(run_log.all(PaperRefused))


def _parts(run_log: TrialsLog, request: TrialsRequest, run_id: str) -> Iterator[Shown]:
    answer = build_answer(run_log) if run_log.started else None
    yield Shown("asked", "asked", answer.pico if answer and run_log.understood else None)
    cards: dict[str, object] = {}
    for place, study in enumerate(answer.studies if answer else ()):
        assert answer is not None
        reading = f"passages {study.name}" in run_log
        cards[f"study-{place}"] = (study_view(study, answer), study.read, reading)
    yield Shown("studies", "study", cards, each=True)
    yield from told(run_log, [event.reason for event in run_log.all(PaperRefused)])


def _status(run_log: TrialsLog, request: TrialsRequest) -> Status:
    studies, done = len(run_log.studies), len(run_log.concluded)
    share = 0 if run_log.started is None else 10
    if studies:
        share = 20 + 78 * done // studies
    kept = f"Kept so far: {number(done, 'conclusion')}." if done else ""
    line = f"{_papers_seen(run_log):,} of {number(len(request.papers), 'paper')} read"
    if studies:
        line = f"{done:,} of {number(studies, 'study', 'studies')} read"
    return Status("running", line, kept, share)


def _seconds_left(run_log: TrialsLog) -> float | None:
    """Estimate how long reading still takes, from this run alone: the time since passages were
    first chosen, times the studies that are left over those that are read. None before two are
    read.
    """
    chosen = run_log.all(PassagesChosen)
    done, studies = len(run_log.concluded), len(run_log.studies)
    if not chosen or done < _ENOUGH or done >= studies:
        return None
    return (run_log.last_t - chosen[0].t) * (studies - done) / done


LIVE: Final = LivePipeline(
    "trials",
    "trials/watch.html",
    "watch/plain_parts.html",
    {"studies": ("ol", "articles"), **NOTES},
    _steps,
    _parts,
    _status,
    _seconds_left,
)


_HERE = "webapp.pipelines.trials"

WEB = WebPipeline(
    name="trials",
    asks=asks,
    live=LIVE,
    page=named(f"{_HERE}.pages:ended"),
    sent=TrialsFields,
    answers=TrialsAnswer,
    within="Of",
    described=described,
    pages=(f"{_HERE}.pages:pages", f"{_HERE}.pages:api"),
    form="trials.form",
    title="Trials",
    does="What each trial concludes, from full-text papers that you hand over, with a forest plot. "
    "The papers are kept with the run and deleted with it. Of 174 numbers that rules read from "
    "held-out papers 91 were wrong.",
    after="after URCA and CochraneForest, 2025",
    listed=lambda request: f"{len(request.papers)} papers",
    hosted=lambda run, packed, web, chain: (
        chain,
        {"read": reader(packed), "guarded": True},
    ),
    continued=named(f"{_HERE}.pages:continued"),
)
