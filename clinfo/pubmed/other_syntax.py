"""Names the marks of other search services in a query, each with the way PubMed writes it.

PubMed would read them as words to be searched.
"""

import re
from urllib.parse import unquote_plus

_FORMS = {
    "[ti] behind each word": "allintitle dctitle intitle ti title",
    "[tiab] behind each word": (
        "ab abs abstract all authkey key kf kp kw keyword mp noft tiab title-abs title_abs"
        " title-abs-key title-abs-key-auth ts tw tx allintext intext fulltext keywords text"
    ),
    '"…"[mh]': "de hw indexterms mesh mesh_mh mh mj sh su subject",
    "smith j[au]": "au auth author author-name authlastname",
    "[ad] behind each word": "ad aff affil affiliation affilorg affilcountry cs cu in og",
    '"lancet"[ta]': "jn journal jt pub so source srctitle ta",
    "2015:2024[dp]": (
        "after before first_pdate pd pub_year publication_date publication_year pubdate pubyear py"
        " submitteddate year year_cluster yr"
    ),
    "a tag, as letter[pt]": "doctype dt dtype it pt pub_type type_of_study",
    "a tag, as english[la]": "la lang language lg lim limit",
    "a tag, as 10.1000/182[doi]": "do doi",
    "a tag, as 12345678[pmid]": "ext_id pmid ui",
    "words alone": "all any cat collection db instance jr",
    "hasabstract": "has_abstract",
    '"free full text"[sb]': "in_epmc open_access",
}
_FORM = {name: form for form, names in _FORMS.items() for name in names.split()}
"""How PubMed writes what the fields of other services hold."""
_SURE = (
    "title|title_abs|abstract|tw|mh|ti|ab|author|auth|pub_year|first_pdate|pub_type|type_of_study"
    "|journal|kw|mesh|ext_id|aff|affiliation|lang|la|has_abstract|open_access|in_epmc|year"
    "|publication_year|abs|dctitle|fulltext|mesh_mh|submitteddate|year_cluster"
)
"""Fields that a word may follow; others are words and signs (Cu:Zn) where no mark follows."""
_UNSURE = ("Embase or the Cochrane Library", "another service")
_MESH, _NEAR = '"{}"[mh]', '"two words"[tiab:~{}]'
_HEADING = (
    r"(?P<T>(?:(?!\b(?i:and|or|not)\b)[\w ,'’-]){3,60})/(?=\s*(?:$|[),]|\s(?i:and|or|not)\b))"
)
_MARKS = (
    ("Ovid", rf"\b(?i:exp)\s+\*?{_HEADING}", _MESH),
    ("Ovid", rf"(?<![^\s(])\*{_HEADING}", '"{}"[majr]'),
    ("Ovid", rf"(?<![^\s(]){_HEADING}", _MESH),
    (
        "Ovid",
        r"(?<=[\w)*$?\"])\.(?P<F>(?:(?:ti|ab|tw|mp|kw|kf|sh|hw|pt|au|jn|yr|lg|ad|dt|so|ot),?)+)"
        r"(?:\.(?=\W|$)|(?<=\.ti|\.ab|,ab|,ti|\.tw|\.mp)(?=[\s)]|$))",
        "",
    ),
    ("Ovid", r"\badj(?P<T>\d+)\b", _NEAR),
    ("Ovid", r"(?<=[a-z]{3})\$\d?(?=\W|$)", "*"),
    ("Ovid", r"(?<![^\s(\"])[a-z]+[?#][a-z]+(?=\W|$)", "each spelling, with OR"),
    ("Embase", r"'(?P<T>[^'\n]+)'/(?:exp|de|mj|syn)\b", _MESH),
    ("Embase", r"\[[a-z ]+\]/(?P<F>lim)\b", "a tag, as humans[mh]"),
    ("Embase", r"\[[\d-]+\]/(?P<F>py)\b", ""),
    ("the Cochrane Library", r"(?i:\[mh \W*(?P<T>[\w ,-]+)\W*\])", _MESH),
    ("the Cochrane Library", r"(?i:MeSH descriptor: *\[(?P<T>[^]]+)\])", _MESH),
    (
        _UNSURE[0],
        r"(?<=[\w)*\"']):(?P<F>(?:ti|ab|kw|au|ta|py)(?:,(?:ti|ab|kw|tn|de))*)(?=\W|$)",
        "",
    ),
    ("Scopus", r"\b(?:LIMIT-TO|EXCLUDE)\s?\(\s?(?P<F>[A-Z]+)", ""),
    (
        "Scopus",
        r"\b(?i:(?P<F>TITLE-ABS(?:-KEY)?(?:-AUTH)?|SRCTITLE|AUTHKEY|AUTHLASTNAME|AUTHOR-NAME|INDEXTERMS"
        r"|AFFIL(?:ORG|COUNTRY)?|DOCTYPE)(?=\s?\())",
        "",
    ),
    ("Scopus", r"\b(?P<F>PUBYEAR|pubyear)\b", ""),
    ("Scopus", r"\b(?P<F>TITLE|ABS|KEY|AUTH|LANGUAGE)(?=\(| \( )", ""),
    (
        "Web of Science",
        r"\b(?i:(?P<F>(?:TS|TI|AB|AK|KP|WC|PY|KW|KY|SU|SO|AU|DO|PMID)(?=\s?=\s?[(\"\w])"
        r"|(?:AD|ALL|CU|DT|LA|OG)(?==\s?[(\"])))\s?=",
        "",
    ),
    ("EBSCO", r"\b(?:MH|MM|MJ|DE|SU)\s+\"(?P<T>[^\"+]+)\+?\"", _MESH),
    ("EBSCO", r"\b(?P<F>(?:TI|AB|TX|SU)(?=\s+[\"(])|(?:TI|TX)(?=\s+[a-z]))\s+", ""),
    ("ProQuest", r"\b(?i:mainsubject|mesh|emb)\.(?i:exact|explode)(?=\()", '"…"[mh]'),
    (
        "ProQuest",
        r"\b(?i:(?P<F>ti|ab|tiab|su|noft|pub|yr|dtype))(?=\()(?!\((?:0|I{1,3}|I?VI{0,3})\))",
        "",
    ),
    (
        "Google",
        r"\b(?i:(?P<F>(?:all)?in(?:title|url|text)|site|(?:file)?type|ext|related|after|before)):(?=\S)",
        "",
    ),
    ("Google", r"(?:(?<=[\w\")*]\s)|^)-(?=[a-z]{3}|[(\"]\w)", "NOT"),
    (_UNSURE[1], r"\b(?i:AND-?NOT)\b|(?<![^\s(&|])!(?=[(\"])", "NOT"),
    ("Google", r"\b(?:19|20)\d\d\.\.(?:19|20)\d\d\b", "2015:2024[dp]"),
    ("Google", r"\bAROUND\((?P<T>\d+)\)", _NEAR),
    (
        _UNSURE[1],
        r"(?<![^\s(\"])(?i:(?P<H>(?:(?!\b(?:and|or|not)\b)[\w ,'’-]){3,60})\"?"
        r"\[(?:mh|mesh[\w ]*|majr)(?::noexp)?\]\s?/"
        r"(?P<T>[a-z ]+?)(?=\s+(?:and|or|not)\b|\s*\)|\s*$))",
        "{1}/{0}[mh]",
    ),
    ("ClinicalTrials.gov", r"\b(?:AREA|EXPAND|SEARCH|COVERAGE)\[[^]]*\]", "words alone"),
    ("IEEE Xplore", r"\"(?:Document Title|Abstract|All Metadata|Author Keywords)\":", "[tiab]"),
    (
        "Europe PMC or LILACS",
        rf"(?<!\[)\b(?i:(?P<F>(?:{_SURE})(?=[.:]\w)|(?:{'|'.join(_FORM)})(?=(?:\.search)?:[\"(\[])))"
        r"(?:\.search)?:(?=[\"(\[\w])",
        "",
    ),
    (
        "An address",
        r"https?://(?![^\s\"]{0,500}NCT\d{8})[^\s\"]{0,500}[?&]term=(?P<T>[^&\s\"]+)[^\s\"]*",
        "{}",
    ),
    ("Lucene", r"(?<=\")~(?P<T>\d+)", _NEAR),
    ("Lucene", r"\[[\d*-]+ TO [\d*-]+\]", "2015:2024[dp]"),
    (
        "Ovid or EBSCO",
        r"^\s*(?:S?\d+(?:\s+(?i:and|or|not)\s+S?\d+)+|(?i:and|or)/\d+-\d+)\s*$",
        "the searches of these lines",
    ),
    ("Ovid", r"(?i:\b(?P<F>limit) \d+ to\b)", ""),
    (_UNSURE[1], r"\b(?:NEAR|NEXT|PRE|ONEAR|W)/(?P<T>\d+)\b", _NEAR),
    (_UNSURE[1], r"(?<=[\w)\"*] )NEAR(?= [\w(\"])", _NEAR.format(5)),
)
_ANY = re.compile(
    "|".join(
        f"(?P<m{at}>{re.sub('P<([TFH])>', lambda one, at=at: f'P<{one[1]}{at}>', pattern)})"  # type: ignore[misc]
        for at, (_, pattern, _) in enumerate(_MARKS)
    )
)


_NOT_FIRST = re.compile(r"(?:^|\()\s*NOT\b(?=\s*[\w(\"])")


def other_syntax(query: str) -> str:
    """A sentence that names the service whose marks a query has, and how PubMed writes them; "" for
    a query without any. One that only excludes is refused too: PubMed would search for that.
    """
    if _NOT_FIRST.search(query):
        return "a query and a pair of brackets cannot begin with NOT; write: zinc NOT iron"
    services, told = dict[str, None](), dict[str, None]()
    for found in _ANY.finditer(query):
        at = next(at for at in range(len(_MARKS)) if found[f"m{at}"])
        service, _, form = _MARKS[at]
        groups = found.groupdict("")
        fields = [_FORM.get(name, "") for name in groups.get(f"F{at}", "").lower().split(",")]
        form = form or (fields[0] if len({*fields}) == 1 else _FORM["tiab"]) or "words alone"
        services[service] = None
        form = form.format(*(unquote_plus(groups.get(f"{name}{at}", "")).strip() for name in "TH"))
        told[f"for {found[0].strip()} write {form}"] = None
    sure = [one for one in services if one not in _UNSURE] or [*services]
    return f"{' or '.join(sure)} writes it so, PubMed otherwise: {'; '.join(told)}" if told else ""
