"""Names the marks of other search services in a query, each with the way PubMed writes it.

PubMed would read them as words to be searched.
"""

from __future__ import annotations

import re

_WORDS, _YEARS = "[tiab] behind each word", "2015:2024[dp]"
_UNSURE = ("Embase or the Cochrane Library", "another service")
_MARKS = (
    ("Ovid", r"\bexp\s+(?P<ovid>[\w ,'’-]+)/(?=\s|\)|$)", '"{}"[mh]'),
    ("Ovid", r"(?<=[\w)*$\"])\.(?:(?:ti|ab|tw|mp|kw|kf|sh|hw|pt),?)+\.(?=\W|$)", _WORDS),
    ("Ovid", r"\badj(?P<adj>\d+)\b", '"two words"[tiab:~{}]'),
    ("Embase", r"'(?P<embase>[^'\n]+)'/(?:exp|de|mj)\b", '"{}"[mh]'),
    ("Embase", r"\[[a-z]+\]/lim\b", "a tag, as humans[mh]"),
    ("the Cochrane Library", r"(?i:\[mh \W*(?P<mh>[\w ,-]+)\W*\])", '"{}"[mh]'),
    ("the Cochrane Library", r"(?i:MeSH descriptor: *\[(?P<of>[^]]+)\])", '"{}"[mh]'),
    (_UNSURE[0], r"(?<=[\w)*\"']):(?:ti|ab|kw)(?:,(?:ti|ab|kw|tn|de))*(?=\W|$)", _WORDS),
    ("Scopus", r"\b(?:TITLE-ABS(?:-KEY)?|SRCTITLE|AUTHKEY)(?=\()", _WORDS),
    ("Scopus", r"\bDOCTYPE(?=\()", "a tag, as letter[pt]"),
    ("Scopus", r"\bPUBYEAR\b", _YEARS),
    ("Web of Science", r"\b(?:TS|TI|AB|AK|WC)\s?=(?=\s?[(\"\w])", _WORDS),
    ("Web of Science", r"\bPY\s?=(?=\s?[(\"\w])", _YEARS),
    (_UNSURE[1], r"\b(?:NEAR|NEXT|PRE|ONEAR|W)/(?P<near>\d+)\b", '"two words"[tiab:~{}]'),
)
_ANY = re.compile("|".join(f"(?P<m{at}>{pattern})" for at, (_, pattern, _) in enumerate(_MARKS)))


def other_syntax(query: str) -> str:
    """A sentence that names the service whose marks a query has, and how PubMed writes them; "" for
    a query without any.
    """
    services, told = dict[str, None](), dict[str, None]()
    for found in _ANY.finditer(query):
        service, _, form = _MARKS[next(at for at in range(len(_MARKS)) if found[f"m{at}"])]
        own = ("ovid", "adj", "embase", "mh", "of", "near")
        held = next((found[one] for one in own if found[one]), "")
        services[service] = None
        told[f"for {found[0].strip()} write {form.format(held.strip())}"] = None
    sure = [one for one in services if one not in _UNSURE] or [*services]
    return f"{' or '.join(sure)} writes it so, PubMed otherwise: {'; '.join(told)}" if told else ""
