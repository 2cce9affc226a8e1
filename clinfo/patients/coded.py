"""What coded entries say of the patient, by their recorded status and their words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from clinfo.patients.assertion_cues import SentenceCues, ruled
from clinfo.patients.mentions import Assertion, Mention
from clinfo.patients.records import CodedEntry

_NOT_SO = frozenset(
    ("refuted", "not-done", "entered-in-error", "do-not-perform", "cancelled", "draft", "not-taken")
) | frozenset(("proposal", "plan", "planned", "preparation", "proposed"))
_REFUSED = frozenset(("refuted", "not-done", "do-not-perform", "cancelled", "not-taken"))
_OVER = frozenset(("resolved", "inactive", "remission", "stopped", "on-hold", "ended"))
_UNSURE = frozenset(("unconfirmed", "provisional", "differential", "intended", "unknown"))
"""Statuses of FHIR R4 for what is not, or not yet, so, and for what is not sure."""


def holds(entry: CodedEntry) -> bool:
    """Return whether an entry is of what is or was so: not of what was refuted, not done, or
    is only planned. The value of an observation says nothing of that.
    """
    return entry.kind == "observation" or entry.value.lower() not in _NOT_SO


def said_of(entry: CodedEntry, read: Callable[[str], Sequence[Mention]]) -> Assertion:
    """What an entry says of what it names: by its status, then by the words of its name ("Family
    history of stroke"). An observation says that its value was measured.
    """
    status = "" if entry.kind == "observation" else entry.value.lower()
    if status in _REFUSED:
        return "negated"
    if not holds(entry) or status in _UNSURE:
        return "uncertain"
    told = {each.assertion for each in entry_mentions(entry, read)}
    for said in ("family", "negated", "uncertain"):
        if said in told:
            return said
    ended = entry.kind == "medication" and status == "completed"
    return "history" if status in _OVER or ended else "present"


def entry_mentions(
    entry: CodedEntry, read: Callable[[str], Sequence[Mention]]
) -> Iterator[Mention]:
    """What an entry names, with what its status and the cues of its words say of it: the judge of
    sentences takes a bare name for one of a list of past diseases.
    """
    if not holds(entry):
        return
    unsure = entry.kind != "observation" and entry.value.lower() in _UNSURE
    cues = SentenceCues(entry.text, 0, len(entry.text))
    for each in read(entry.text):
        said = ruled(cues.bearings(each))
        said = "uncertain" if unsure and said in ("present", "history") else said
        yield replace(each, assertion=said)
