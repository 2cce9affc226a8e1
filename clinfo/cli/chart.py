"""``clinfo chart``: one patient's record in, the notes that answer a question out."""

from collections.abc import Mapping
from datetime import date
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from clinfo.cli.flags import Kept, with_options
from clinfo.cli.help import (
    JSON,
    OUTPUT,
    GroupedCommand,
    JsonAnswer,
    flag,
    group,
)
from clinfo.cli.running import told
from clinfo.console import streams
from clinfo.errors import NOTHING_FOUND, UsageError
from clinfo.patients.coded_texts import coded_texts
from clinfo.patients.entities import find_mentions
from clinfo.patients.keeping import PatientStore, read_logged, this_user
from clinfo.patients.lexicon import with_terms
from clinfo.patients.overview import overview as read_overview
from clinfo.pipelines.chart.index import counted, prepared
from clinfo.pipelines.chart.records import FOUND, READ, ChartRequest
from clinfo.pipelines.chart.request import OPTIONS, request_of
from clinfo.pipelines.chart.stages import CHART
from clinfo.runs.events import plain
from clinfo.settings import Settings, load_settings
from clinfo.text.wording import number

FLAGS = OPTIONS.at("cli")
chart = group("chart", "Ask one patient's record; its notes, quoted.")
_NOTES = "Files or folders of one patient's notes, CSV or FHIR"
_Record = Annotated[
    list[str], typer.Argument(metavar="RECORD", help=f"{_NOTES}.", show_default=False)
]
_Patient = Annotated[str, flag("--patient", OPTIONS["patient"].option.help, READ, "ID")]
Terms = Annotated[
    str | None,
    flag(
        "--terms",
        "A list of your own: term, concept and type a line, tabs between. [CLINFO_PATIENT_TERMS]",
        READ,
        "FILE",
    ),
]


@chart.command(cls=GroupedCommand)
def overview(
    record: _Record,
    patient: _Patient = "",
    terms: Terms = None,
    as_of: Annotated[
        str,
        flag("--as-of", "What is known up to this day. [that of the newest note]", READ, "DATE"),
    ] = "",
    json: Annotated[bool, JSON] = False,
) -> int:
    """Show a record's conditions, and the allergies, medicines and results of its coded entries.

    Nothing leaves this machine. Conditions are those that notes and coded entries name as the
    patient's, each with its newest place; what notes say of the others, `chart ask` finds.
    """
    from clinfo.render.chart import overview_page
    from clinfo.render.text import written

    try:
        day = date.fromisoformat(as_of) if as_of else None
    except ValueError:
        raise UsageError(f"--as-of: {as_of!r} is no day (YYYY-MM-DD)") from None
    settings = _with_own_terms(load_settings(), terms)
    lexicon = with_terms(settings.patient_terms)
    records = read_logged(settings, record, patient, "", "", "overview")
    found = read_overview(records.one(patient), lambda text: find_mentions(text, lexicon), day)
    if json:
        streams.show({**plain(found), "problems": list(records.problems)})
    else:
        streams.write(written(overview_page(found)))
        for problem in records.problems:
            streams.complain(problem)
    return 0


@chart.command(cls=GroupedCommand)
@with_options(FLAGS, after="model", quiet=False)
def ask(
    given: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="RECORD QUESTION",
            help=f"{_NOTES}, and last the question, in quotes.",
            show_default=False,
        ),
    ] = None,
    terms: Terms = None,
    model: Annotated[
        str | None,
        flag("--model", "The model of every stage. [CLINFO_MODEL, else extractive]", FOUND, "NAME"),
    ] = None,
    judge_model: Annotated[
        str | None,
        flag(
            "--judge-model",
            "The model that checks the answer. [CLINFO_MODEL_VERIFY, else the answer's]",
            FOUND,
            "NAME",
        ),
    ] = None,
    trace: Annotated[
        str | None, flag("--trace", "Also write what each stage kept, and why.", OUTPUT, "FILE")
    ] = None,
    json: JsonAnswer = False,
    *,
    kept: Kept,
    options: Mapping[str, Any],
) -> int:
    """Answer a question from one patient's notes, each statement with its note and date.

    With a model the answer is claims, each with words of a note that stand there and a verdict.
    Without one the notes that bear on the question are quoted, the best first, with coded entries;
    nothing is judged. Do not use it for care: read what it quotes.

    Nothing of a record goes to a model that is neither on this machine nor named in
    CLINFO_PATIENT_MODELS. What is saved with --save or --trace holds text of the record.

    Exit status: 0 answered; 2 wrong usage, or no note could be read; 3 nothing found; 4 a model
    failed; 5 budget reached; 6 the model may not see patients' records; 130 interrupted.
    """

    def asked(settings: Settings) -> tuple[Settings, ChartRequest]:
        *record, question = given or [""]
        if not record:
            raise UsageError('give a record and a question: clinfo chart ask RECORD "Which …?"')
        if missing := [one for one in record if not Path(one).exists()]:
            one, hint = missing[0], "put the question in quotation marks, behind files and folders"
            raise UsageError(f"cannot read {one}: there is no such file ({hint})")
        settings = _with_own_terms(settings, terms)
        return settings, request_of(settings, record, question, model, judge_model, **options)

    return kept.run(CHART, partial(told, CHART, json=json, trace=trace), asked)


@chart.command(cls=GroupedCommand)
def index(
    record: _Record,
    patient: _Patient = "",
    terms: Terms = None,
    json: Annotated[bool, JSON] = False,
) -> int:
    """Read a record and say what questions can find in it: notes, chunks, entities by type."""

    settings = _with_own_terms(load_settings(), terms)
    lexicon = with_terms(settings.patient_terms)
    records = read_logged(settings, record, patient, "", "", "index")
    one = records.one(patient)
    coded = coded_texts(one.entries)
    found = counted(prepared((*one.notes, *coded.notes), lexicon, coded=coded))
    found |= {"skipped": dict(records.skipped), "problems": list(records.problems)}
    streams.show(found if json else "\n".join(f"{name}: {value}" for name, value in found.items()))
    return 0


@chart.command(cls=GroupedCommand)
def erase(
    patient: Annotated[
        str, typer.Argument(help="The patient's id, as the record has it.", show_default=False)
    ],
    json: Annotated[bool, JSON] = False,
) -> int:
    """Take away all that is kept of a patient here, with the web app's runs on the record.

    The log keeps that it was done. Exit status: 0 erased; 3 nothing was kept.
    """

    store = PatientStore.of(load_settings())
    store.audit(user=this_user(), patient=patient, did="erase", run="")
    count = store.erase(store.hashed(patient))
    streams.show({"files": count} if json else f"{number(count, 'file')} erased.")
    return 0 if count else NOTHING_FOUND


def _with_own_terms(settings: Settings, terms: str | None) -> Settings:
    """The settings with the list of terms of a flag, where it is given."""
    return settings.model_copy(update={"patient_terms": Path(terms)}) if terms else settings
