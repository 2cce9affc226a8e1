"""Sentences of the program itself about the studies, from its own reading of them: a verdict on the
question, and who bears on it.

"Probably yes (two trials, 300 participants) [1], [2]." is not a finding of an article: it is an
estimate and a count over the record. Its numbers can be compared with the record; the estimate is
this program's, and nobody checks it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from clinfo.records.articles import Study
from clinfo.text import tallies
from clinfo.text.lexicon import words_of
from clinfo.text.regex import anycase

ESTIMATED = "estimated from"
"""The beginning of the reason of a sentence that says more than a count."""
_NUMBERS = words_of("numerals", "no_to_ten")
_PEOPLE = r"(?P<people>\d[\d,]*)\sparticipants?(?P<stated>\swhere\sstated)?"
_NOUN = (
    r"(?P<noun>(?:trial|review)s?|studies|case\s(?:series|report)|"
    r"(?:(?:(?:prospective|retrospective)\s)?cohort\s|case-control\s|cross-sectional\s)?study)"
)
_VERDICT = anycase(
    r"(?:(?:probably\s)?(?:yes|no)|the\sstudies\s(?:retrieved\s)?disagree|"
    r"the\sstudies\sretrieved\sdo\snot\ssettle\sthis)"
    rf"\s\((?P<count>\w+)\s(?:small\s)?{_NOUN}(?:,\s{_PEOPLE})?\)"
)
_BEARING = anycase(
    rf"(?:(?P<count>\w+)\s(?:small\s)?{_NOUN}(?:,\s{_PEOPLE})?,?"
    r"\s(?:bears?\son\sthis|says\sso;\swhether\sit\ssettles\sthe\squestion\sis\snot\scertain)"
    r"|(?:(?P<all>both|all\s\d+|the\sone)|(?P<part>none|"
    r"\d+)\sof\sthe\s(?P<of>\d+))\s(?:relevant\s)?stud(?:y|ies)\sretrieved"
    rf"(?:\s\({_PEOPLE.replace('people', 'held').replace('stated', 'told')}\))?"
    r"\s(?:bears?|do(?:es)?\snot\sbear)\son\sthe\squestion)"
)
_UNTOLD = anycase(
    r"the\sstudies\sretrieved\sdo\snot\ssettle\sthis:\s(?:none\sis\srelevant|"
    r"harm\sis\snot\sreported\sin\sthe\sabstracts?|"
    r"none\sspeaks\sof\s(?:dose|diagnosis|prognosis)|none\sconcludes\son\sall\sthat\sis\sasked|"
    r"none\sconcludes\son\sharm\sin\swords\sthat\scould\sbe\sread|"
    r"no\sstudy\snames\s[^,;:“\"]{1,80})"
)
_NO_RESULTS = anycase(
    r"(?:the\sstudies\sretrieved\sdo\snot\ssettle\sthis:\s)?(?:(?:an?\s|"
    r"the\s)?study\sprotocols?)\sgives?\sno\sresults\syet"
)


class Estimate(NamedTuple):
    """A sentence of that kind: what is wrong with its numbers ("" for nothing), and whether it only
    counts the studies.
    """

    wrong: str
    counts: bool = False


def estimate(text: str, cited: Sequence[Study], studies: Sequence[Study]) -> Estimate | None:
    """Return what a sentence of that kind, without its citations, says; None where it is of another
    kind.

    ``cited`` are the studies it cites, ``studies`` all that it may speak of.
    """
    said = text.strip(" \n,;.")
    if _UNTOLD.fullmatch(said):
        return Estimate("")
    if _NO_RESULTS.fullmatch(said):
        return Estimate(
            ""
            if all(is_protocol(study) for study in cited)
            else "not all studies cited are protocols",
            True,
        )
    numbers, reports = {study.n for study in cited}, {study.group for study in cited if study.group}
    every = tallies.once(studies)
    held = tuple(study for study in every if study.n in numbers or study.group in reports)
    verdict, bearing = _VERDICT.fullmatch(said), _BEARING.fullmatch(said)
    found = verdict or bearing
    if found is None:
        return None
    if found["count"]:
        wrong = _wrong_count(found["count"], len(held)) or _wrong_people(
            found["people"], found["stated"], held
        )
        return Estimate(wrong, bearing is not None)
    whole = found["of"] or (found["all"] or "").split()[-1]
    wrong = _wrong_count({"both": "2"}.get(whole.lower(), whole), len(every))
    if found["part"] and found["part"].lower() != "none":
        wrong = wrong or _wrong_count(found["part"], len(held))
    return Estimate(wrong or _wrong_people(found["held"], found["told"], held), True)


def _wrong_count(said: str, count: int) -> str:
    value = (
        _NUMBERS.index(said.lower())
        if said.lower() in _NUMBERS
        else int(said)
        if said.isdecimal()
        else None
    )
    return "" if value == count else f"{said} is not their count: {count}"


def _wrong_people(said: str | None, stated: str | None, held: tallies.Group) -> str:
    """Return what is wrong with the participants told of, those "where stated" being of some of the
    studies only.
    """
    if said is None:
        return ""
    total, sized = tallies.participants(held)
    if int(said.replace(",", "")) != total:
        return f"{said} participants is not their sum: {total:,}"
    return (
        ""
        if stated or len(sized) == len(held)
        else "not all of them state their number of participants"
    )


def is_protocol(study: Study) -> bool:
    """Return whether a study is the protocol of one."""
    return study.summary is not None and study.summary.design == "study protocol"
