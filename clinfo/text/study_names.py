"""The name of the study that an article reports: HERS, the Heart and Estrogen/progestin Replacement
Study.

A name is an acronym whose long form says that it is a study, or that is called a trial or study. It
is an article's own where its title bears it, a group of authors does, or the abstract says that it
tells of people in it; a study that is only compared with, built on or come after is another one. An
article that tells of several named studies has no name of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from clinfo.records.articles import Article
from clinfo.text.abstracts import abstract_sentences
from clinfo.text.regex import anycase, regex
from clinfo.text.terms import acronyms, stems

_STUDY = (
    r"(?:[Tt]rials?|[Ss]tud(?:y|ies)|[Ii]nitiative|[Cc]ohort|[Rr]egistry|[Ii]nvestigat(?:ors?|ion)|"
    r"[Rr]esearch [Gg]roup|[Pp]rogram(?:me)?|[Pp]roject|[Ss]urvey)"
)
_LONG = regex(rf"\b{_STUDY}\b")
_ACRONYM = r"[A-Z][A-Za-z0-9]*[A-Z][A-Za-z0-9]*(?:[- ](?:II|III|IV|\d)\b)?"
_CALLED = regex(rf"(?<![\w-])(?P<name>{_ACRONYM})(?:\)|[-\s]\d)?\s(?P<what>{_STUDY})\b")
_DEFINED = regex(
    r"(?P<long>(?:[A-Z][\w/'-]*(?:\s(?:of|and|the|in|for|with|to|on|"
    rf"a))*[\s/-]+){{2,12}}?)\((?:the\s)?(?P<name>{_ACRONYM})\)"
)
_OTHERS = anycase(
    r"\b(?:previous(?:ly)?|prior|earlier|other|another|since|after|following|unlike|compar\w+ "
    r"(?:with|to)|similar to|versus|beyond|"
    r"lessons|publication|results of the|light of|contrast to|such as|like|based on|implications?|"
    r"impact of|cessation|termination|"
    r"criteria|scale|score|index)\b[^.;:]{0,60}\Z"
)
_IN = regex(
    r"\b(?:in|from|of|within|among|for|enrolled in|participa\w+ in|data from|ancillary to|part of|"
    r"substudy of)\s(?:the\s)?(?:[\w/'-]+\s){0,12}\(?\Z"
)
_DOES = anycase(
    r"\A\)?(?:\s(?:trial|study))?\s(?:was|is|randomi[sz]ed|enrolled|recruited|assigned|included)\b"
)
_NO_STUDY = frozenset(
    (
        "RCT",
        "RCTs",
        "MRI",
        "fMRI",
        "PET",
        "DNA",
        "RNA",
        "HIV",
        "AIDS",
        "COPD",
        "ICU",
        "ITT",
        "USA",
        "UK",
        "II",
        "III",
        "IV",
        "IIa",
        "IIb",
        "IIIb",
        "PK",
        "PD",
        "CT",
        "EEG",
        "ECG",
        "QOL",
        "HRQOL",
        "VAS",
        "BMI",
        "PCR",
        "US",
        "FDA",
        "GCP",
        "NHS",
        "NIH",
        "WHO",
    )
)
"""Acronyms before "study" or "trial" that name none."""


@lru_cache(maxsize=512)
def study_names(article: Article) -> dict[str, frozenset[str]]:
    """The own name of the study that an article reports, with the stems of its long form (empty
    where none is given).
    """
    groups = " . ".join(author.last for author in article.authors if author.collective)
    text = f"{groups} . {article.title} . {article.abstract}"
    long = _long_forms(text)
    others = {
        _normal(name) for name, told in acronyms(text).items() if not _LONG.search(told)
    } - long.keys()
    titled = {name for part in (article.title, groups) for name in _own(part, long, title=True)}
    told = titled or {
        name
        for each in abstract_sentences(article)
        if each.role in ("methods", "results") or (each.role == "background" and not each.labelled)
        for name in _own(each.text, long, title=False)
    }
    told = set(told) - others
    return {name: long.get(name, frozenset()) for name in told} if len(told) == 1 else {}


def _long_forms(text: str) -> dict[str, frozenset[str]]:
    """The acronyms that a text defines as names of studies, with the stems of their long forms."""
    found: dict[str, frozenset[str]] = {}
    for match in _DEFINED.finditer(text):
        if _LONG.search(match["long"]) and _initials(match["name"], match["long"]):
            found.setdefault(_normal(match["name"]), frozenset(stems(match["long"])))
    return found


def _initials(name: str, long: str) -> bool:
    """Return whether the capitals of a name stand in order in its long form."""
    rest = iter(long.upper())
    return all(letter in rest for letter in re.sub(r"[^A-Z]", "", name.split("-")[0])[:3])


def _own(text: str, long: dict[str, frozenset[str]], title: bool) -> Iterator[str]:
    for match in re.finditer(rf"(?<![\w-])(?P<name>{_ACRONYM})(?![\w-])", text):
        name = _normal(match["name"])
        called = _CALLED.match(text, match.start()) is not None
        if (
            name in _NO_STUDY
            or len(name) < 3
            or not (name in long or called)
            or _OTHERS.search(text[: match.start()])
        ):
            continue
        if title or _DOES.match(text[match.end() :]) or _IN.search(text[: match.start()]):
            yield name


def _normal(name: str) -> str:
    return re.sub(r"[- ](?:II|III|IV|\d)\Z", "", name)
