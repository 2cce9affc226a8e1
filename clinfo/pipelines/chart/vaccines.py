"""A vaccine that is asked for: notes list it by what it is against ("hpv, quadrivalent")."""

from __future__ import annotations

from typing import Final

from clinfo.pipelines.chart.evidence import places_of
from clinfo.pipelines.chart.telling import Asked, Told, capital, span
from clinfo.pipelines.chart.things import Name, Thing, running
from clinfo.text.regex import anycase

_GIVEN: Final = anycase(r"\bgiven the following (?:immuni[sz]ations|vaccin\w+)\b")
_VACCINE: Final = anycase(r"\s*\b(?:vaccin\w+|immuni[sz]ation\w*|shots?|jabs?)\Z")


def vaccine(thing: Thing, asked: Asked) -> Told | None:
    """Where lists of immunizations name what a vaccine is against; None for other things and where
    none does.
    """
    against = _VACCINE.sub("", thing.main.text)
    if not against or against == thing.main.text:
        return None
    name = Name(against, frozenset(), frozenset((running(against),)), known=True)
    named = places_of(Thing(against, (name,)), asked.index)
    listed = [one for one in named if one.section == "immunizations" or _GIVEN.search(one.quote)]
    places = asked.counts(listed)
    if not places:
        return None
    lead = f"{capital(thing.main.text)}: documented in {span(places)}."
    return Told((lead, *asked.lines(places)), "documented", tuple(places))
