"""Changes of genes and states of markers that notes state, and what they answer."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clinfo.pipelines.cohort.alterations import changes_in
from clinfo.pipelines.cohort.form import And, Form, Gene, Not, Or

_HARMFUL = frozenset(
    ("pathogenic", "likely pathogenic", "pathogenic or likely pathogenic", "deleterious",
     "suspected deleterious", "deleterious or suspected deleterious", "oncogenic", "inactivating")
)  # fmt: skip
_NATURES = dict.fromkeys(_HARMFUL - {"inactivating"}, _HARMFUL)
"""What a note may say where a nature was asked for."""
_DENIES = re.compile(r"(?i)\b(?:no|not|without|negative for|absence of)\s+(?:\w+\s+){0,3}$")


def stated_alterations(text: str) -> Iterator[tuple[str, str, bool, int, int]]:
    """Gene or marker, what is said of it, whether that is denied, and the place, for each of a
    note's statements.
    """
    for match, form in changes_in(text):
        lacking = isinstance(form, Not)
        for one in _genes(form.part if isinstance(form, Not) else form):
            said = "|".join((one.origin, one.nature, one.change))
            for gene in one.genes:
                yield gene.lower(), said, lacking or _denied(text, match), *match.span()


def _genes(form: Form | None) -> list[Gene]:
    parts = form.parts if isinstance(form, (And, Or)) else (form,)
    return [one for one in parts if isinstance(one, Gene)]


def _denied(text: str, match: re.Match[str]) -> bool:
    return _DENIES.search(text[max(0, match.start() - 40) : match.start()]) is not None


def answers(said: str, negated: bool, form: Gene) -> bool | None:
    """Whether a statement of one of a form's genes answers it yes or no; None neither."""
    origin, nature, change = said.split("|")
    if form.origin and origin != form.origin:
        return None
    if form.nature and not (_NATURES.get(form.nature, {form.nature}) & {nature}):
        return None
    absent = negated or change in ("wild type", "negative")
    if form.change in ("wild type", "negative"):
        return absent if not negated or form.change == "negative" else None
    if form.change in ("positive", "high", "deficient", "stable", "proficient", "low"):
        return change == form.change if not negated else None
    if absent:
        return False
    if change in form.other_than:
        return False
    return True if _covers(form.change, change) else None


def _covers(asked: str, stated: str) -> bool:
    if asked == stated or asked in ("alteration", "variant"):
        return True
    specific = re.fullmatch(
        r"[A-Z]\d.*|exon .*|insertion|(?:loss|gain) of function mutation", stated
    )
    return asked == "mutation" and specific is not None
