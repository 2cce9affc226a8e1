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
    ("Scopus", r"\b(?:TITLE|ABS|KEY|AUTH)(?=\()", _WORDS),
    ("EBSCO", r"\b(?:MH|MM|MJ|DE|SU)\s+\"(?P<ebsco>[^\"+]+)\+?\"", '"{}"[mh]'),
    ("EBSCO", r"\b(?:TI|AB|TX|SU)\s+(?=[\"(])|\b(?:TI|TX)\s+(?=[a-z])", _WORDS),
    ("ProQuest", r"\b(?i:mainsubject|mesh|emb)\.(?i:exact|explode)(?=\()", '"…"[mh]'),
    ("ProQuest", r"\b(?i:ti|ab|tiab|su|noft)(?=\()", _WORDS),
    ("Google", r"\b(?:site|filetype|intitle|allintitle|inurl|after|before):(?=\S)", "words alone"),
    ("Google", r"(?<=\w\s)-(?=[a-z]{3})", "NOT"),
    (
        "Europe PMC or LILACS",
        r"(?<!\[)\b(?i:title|title_abs|abstract|tw|mh|ti|ab|author|auth|pub_year)"
        r":(?=[\"(\w])",
        _WORDS,
    ),
    ("Lucene", r"(?<=\")~(?P<lucene>\d+)", '"two words"[tiab:~{}]'),
    ("Web of Science", r"\b(?:KW|KY|SU|SO|AU|DO)\s?=(?=\s?[(\"\w])", _WORDS),
    (
        "Ovid or EBSCO",
        r"^\s*(?:S?\d+)(?:\s+(?i:and|or|not)\s+S?\d+)+\s*$",
        "the searches of these lines",
    ),
    ("Ovid", r"(?i:\blimit \d+ to\b)", "a tag, as english[la]"),
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
        own = ("ovid", "adj", "embase", "mh", "of", "near", "ebsco", "lucene")
        held = next((found[one] for one in own if found[one]), "")
        services[service] = None
        told[f"for {found[0].strip()} write {form.format(held.strip())}"] = None
    sure = [one for one in services if one not in _UNSURE] or [*services]
    return f"{' or '.join(sure)} writes it so, PubMed otherwise: {'; '.join(told)}" if told else ""
