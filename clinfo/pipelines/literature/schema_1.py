"""Reading what schema 1 wrote: its events and answers in the words of schema 2."""

from __future__ import annotations

from typing import Any, Final

TYPES: Final = {
    "article_withheld": "article_excluded",
    "articles_screened": "articles_not_assessed",
    "query_loosened": "query_relaxed",
    "known_checked": "seed_studies_checked",
}
KEYS: Final = {
    "withheld": "excluded",
    "screened_out": "not_assessed",
    "why": "reason",
    "level_why": "level_reason",
    "relation": "stance",
    "direction": "effect_direction",
    "told_by": "reported_by",
    "search_proof": "search_report",
    "known": "seed_studies",
    "way": "side",
    "ways": "sides",
}
_STANCE: Final = {"does not answer": "other outcomes"}
_VALUES: Final[dict[str, dict[Any, Any]]] = {
    "relation": _STANCE,
    "way": _STANCE,
    "ways": {"relation": "stance", "direction": "effect_direction"},
    "schema": {1: 2},
}
_FREE: Final = {"request", "settings"}
"""Fields whose keys are the user's or the settings', never words of the schema."""


def upgraded(form: dict[str, Any]) -> dict[str, Any]:
    """The JSON form of an event or answer of schema 1 as schema 2 writes it; an event's key stays
    as it was recorded.
    """
    if form.get("type") in TYPES:
        form = {**form, "type": TYPES[form["type"]]}
    return {
        KEYS.get(key, key): value if key in _FREE else _upgraded(key, value)
        for key, value in form.items()
    }


def _upgraded(key: str, value: Any) -> Any:
    if isinstance(value, dict):
        return upgraded(value)
    if isinstance(value, list):
        if key == "flags":
            return ["excluded" if flag == "withheld" else flag for flag in value]
        return [upgraded(one) if isinstance(one, dict) else one for one in value]
    return _VALUES.get(key, {}).get(value, value) if isinstance(value, (str, int)) else value
