"""``clinfo chart overview``: a record's conditions, allergies, medicines and newest results."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clinfo.cli.help import JSON, flag
from clinfo.console import streams
from clinfo.errors import UsageError

if TYPE_CHECKING:
    from clinfo.settings import Settings


Terms = Annotated[
    str | None,
    flag(
        "--terms",
        "A list of your own: term, concept and type a line, tabs between. [CLINFO_PATIENT_TERMS]",
        "What is read",
        "FILE",
    ),
]


def with_own_terms(settings: Settings, terms: str | None) -> Settings:
    """The settings with the list of terms of a flag, where it is given."""
    return settings.model_copy(update={"patient_terms": Path(terms)}) if terms else settings


def overview(
    record: Annotated[
        str, typer.Argument(help="A file or folder of notes, CSV or FHIR.", show_default=False)
    ],
    patient: Annotated[
        str,
        typer.Option(
            help="Whose notes, where there are several patients'.",
            metavar="ID",
            show_default=False,
        ),
    ] = "",
    terms: Terms = None,
    as_of: Annotated[
        str,
        typer.Option(
            help="What is known up to this day. [that of the newest note]",
            metavar="DATE",
            show_default=False,
        ),
    ] = "",
    json: Annotated[bool, JSON] = False,
) -> int:
    """Show a record's conditions, and the allergies, medicines and results of its coded entries.

    Nothing leaves this machine. Conditions are those that notes and coded entries name as the
    patient's, each with its newest place; what notes say of the others, `chart ask` finds.
    """
    import msgspec

    from clinfo.patients.entities import find_mentions
    from clinfo.patients.keeping import read_logged
    from clinfo.patients.lexicon import with_terms
    from clinfo.patients.overview import overview as read_overview
    from clinfo.render.chart_overview import page
    from clinfo.render.text import written
    from clinfo.settings import load_settings

    try:
        day = date.fromisoformat(as_of) if as_of else None
    except ValueError:
        raise UsageError(f"--as-of: {as_of!r} is no day (YYYY-MM-DD)") from None
    settings = with_own_terms(load_settings(), terms)
    lexicon = with_terms(settings.patient_terms)
    records = read_logged(settings, [record], patient, "", "", "overview")
    found = read_overview(records.one(patient), lambda text: find_mentions(text, lexicon), day)
    if json:
        form = msgspec.json.decode(msgspec.json.encode(found))
        streams.show({**form, "problems": list(records.problems)})
    else:
        streams.write(written(page(found)))
    return 0
