"""Criteria in the words that the grammar reads: shorthand written out, before anything is looked
up. What is not known here stays as it is written.
"""

from __future__ import annotations

import re

from clinfo.terms.asked_names import asked
from clinfo.terms.genes import genes_of
from clinfo.terms.naming import drug_like

_KIDNEYS = r"(?:CKD|chronic kidney disease)"
_PROTEIN = r"[A-Z]\d{2,4}(?:[A-Z*]|fs|del)(?![A-Za-z0-9])"
_TWO_STAGES = r"([1-5][ab]?)\s*(?:or|/|,)\s*([1-5][ab]?)"
_SYMBOL = (
    r"\+{0,2}(?=\s*(?:[<>≤≥=]|(?:is |of )?(?:above|below|over|under|less than|more than|"
    r"greater than|at least|at most|between)\b|\d{1,3}(?:\.\d)?\s*[-–]\s*\d))"
)
"""What follows the symbol of an electrolyte."""
_UP_TO = r"(?:(?!\b(?:and|or|with|who|but|in|on|at|after|before|not|no)\b)[^,;.()])+\b"
"""A name, up to the next word that joins."""
_GERM = (
    r"HIV|HBV|HCV|hepatitis ?[BC]|COVID(?:-19)?|SARS-CoV-2|TB|tuberculosis|H\.? ?pylori|"
    r"syphilis"
)
"""Infections that a "negative" after them denies."""
_RELATIVE = (
    r"(?:(?:a|an|the|their|his|her|whose|first[- ]degree|close) )*(?:mothers?|mums?|fathers?|dads?|"
    r"parents?|sisters?|brothers?|siblings?|relatives?|family members?|grandparents?|"
    r"grandmothers?|grandfathers?|aunts?|uncles?)"
)
_RULES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\["), "("), (re.compile(r"\]"), ")"),
    # Na <130, K+ above 6, corrected Ca 2.9-3.5
    (re.compile(rf"\bNa{_SYMBOL}"), "sodium"), (re.compile(rf"\bK{_SYMBOL}"), "potassium"),
    (re.compile(rf"\bCa{_SYMBOL}"), "calcium"), (re.compile(rf"\bMg{_SYMBOL}"), "magnesium"),
    (re.compile(r"(?i)\bexcl\.?(?=\s)"), "excluding"),
    (re.compile(r"(?i)\bincl\.(?=\s)"), "including"),
    (re.compile(r"(?i)\b(?:switched|changed|converted|moved|transitioned)(?: over)? from "
                r"((?:(?!\b(?:and|or|with|who|but|to)\b)[^,;.()])+?) (?:on)?to (?:an? )?"),
     r"\1 followed by "),
    (re.compile(r"(?i)\bpost-?\s?op(?:erative(?:ly)?)?(?=\s*(?:$|[,;.)]|(?:and|or|in|with|who)\b))"),
     "after surgery"),
    (re.compile(rf"(?i)\bpost-?\s?op(?:erative)? ({_UP_TO})"), r"\1 after surgery"),
    (re.compile(r"(?i)\bhep(?= ?[A-E]\b)"), "hepatitis"),
    (re.compile(rf"(?i)\b({_GERM})(?:[- ]?(?:negative|neg|-ve)\b)"), r"negative for \1"),
    (re.compile(rf"(?i)\b(?:{_RELATIVE})(?:(?:,| or|/)+ ?(?:{_RELATIVE}))*,? "
                r"(?:who )?(?:with|had|has|have|having|diagnosed with)\b"), "family history of"),
    # a code in brackets is of the name beside it
    (re.compile(r"(?i)(?<=\w) ?\(\s*(?:RxCUI|RxNorm|ICD-?\d+(?:-CM)?|SNOMED(?:[- ]CT)?|ATC|LOINC|"
                r"CPT)(?: codes?)?\s*:?\s*[A-Z]?[\d.]+[A-Z]{0,2}[\d.]*\s*\)"), ""),
    (re.compile(r"\bp\.(?=[A-Z]\d)"), ""),
    (re.compile(r"(?<=[A-Za-z])[–‑](?=[A-Za-z])"), "-"),
    (re.compile(r"\b(?:FIGO|AJCC|UICC|Ann[- ]Arbor|Lugano|TNM) (?=stages?\b)"), ""),
    (re.compile(r"\b(?:FIGO|AJCC|UICC|Ann[- ]Arbor|Lugano) (?=(?:I{1,3}|IV)[A-C]?\b)"), "stage "),
    (re.compile(r"(?i),? \(?(?:per|by|according to|based on|as per)(?: the)? (?:AJCC|UICC|FIGO|TNM)"
                r"(?:/UICC)?(?: \d(?:st|nd|rd|th)(?: ed(?:ition|\.)?)?| v(?:ersion)? ?\d|"
                r" staging| stage|"
                r" (?:classification|criteria|system))*\)?"), ""),
    (re.compile(r"(?<![A-Za-z0-9])(?<!CKD )(?<!stage )G([1-4])(?![A-Za-z0-9])"),
     r"histologic grade \1"),
    (re.compile(r"(?<=histologic grade [1-4])\s?[-–/]\s?histologic grade "),
     " or histologic grade "),
    (re.compile(r"(?<=\d),(?=\d{3}(?!\d))(?=\d{3}\s?/)"), ""),
    (re.compile(r"(?i)\bcholangio\b"), "cholangiocarcinoma"),
    (re.compile(r"(?i)\b1p[ -]?19q\b"), "1p/19q"),
    (re.compile(r"\b(?i:ipi)\s?[/+]\s?(?i:nivo)\b"), "(ipilimumab and nivolumab)"),
    (re.compile(r"(?i)\b(head) (?:and|&) (neck)\b"), r"\1-and-\2"),
    (re.compile(r"(?i),? etc\b\.?"), ""),
    (re.compile(r"(?i),? ?(?:\((?:either|any|whichever|whatever) "
                r"(?:type|kind|sort|form|cause|a?etiology|site|stage|grade|dose)\)|"
                r"\b(?:either|any|whichever|whatever) "
                r"(?:type|kind|sort|form|cause|a?etiology|site|stage|grade|dose)(?=\s*(?:,|$)))"
                r"(?:,(?= with\b))?"), ""),
    (re.compile(r"(?i)\b(suspected|possible|probable|query|queried),? (?:but|and|yet|though) "
                r"(?:never|not|un)(?: yet| been)?[ -]?(?:confirmed|proven|diagnosed|established) "
                r"((?:(?!\b(?:and|or|with|who|but)\b)[^,;.()])+)"), r"suspected \2 but not \2"),
    (re.compile(r"(?i)(?:\b(?:of|in) )?\b(?:child-?bearing|reproductive|working|school) age,? "
                r"?\((?:aged? )?(\d+\s?[-–]\s?\d+)(?: years| yrs)?\)"), r"aged \1 years"),
    (re.compile(r"(?i)(?<=\d )(days?|weeks?|months?|years?) of (?:starting|commencing|initiating|"
                r"beginning|(?:the )?(?:start|initiation|commencement) of) "), r"\1 after "),
    (re.compile(r"\b[Aa]nti[- ](?=[A-Z][A-Z0-9-]*\d|EGFR|VEGF|HER)([A-Z][\w-]+?)"
                r"(?: (?:therapy|treatment|agents?|drugs?|antibod(?:y|ies)|mAbs?))?(?![\w-])"),
     r"\1 inhibitor"),
    (re.compile(r"(?i)\b(?:regardless|irrespective) of "
                r"(?:(?!\b(?:and|or|with|who|but)\b)[^,;.()])+"), ""),
    (re.compile(r"(?i)\bany (?=[TNM]\b)(?-i:[TNM])\b,?"), ""),
    (re.compile(r"(?i)\bmetastatic to (?:the )?(?=[a-z])"), "with metastases to the "),
    (re.compile(r"\bdel ?\(?(\d{1,2}[pq])\)?"), r"\1 deletion"),
    (re.compile(r"(?i)\bhomologous recombination(?: repair)? genes?\b"), "HRR"),
    (re.compile(r"(?i)((?:mutations?|variants?|alterations?|fusions?|rearrangements?)) (?:in|of) "
                r"(?:any|one|either|at least one)(?: or more)? of (?:the |these )?"
                r"(?:following )?(?:genes?)?"
                r"\s*:?\s*(?-i:(?=[A-Z]))"), r"\1 in any of "),
    (re.compile(rf"(?i:mutations?|alterations?) in ([A-Z][A-Z0-9]+) ({_PROTEIN}"
                rf"(?:(?:\s*[,/]\s*|,? (?:and|or) ){_PROTEIN})*)"), r"\1 \2 mutation"),
    (re.compile(r"\b((?:yp|[cpyr])?[TN])([0-4])\s?(?:[-–]|to|through)\s?(?:yp|[cpyr])?[TN]([0-4])(?![0-9.])"),
     r"\1 \2 to \3 "),
    # EGFR mutations (L858R, G719X)
    (re.compile(rf"(?i:(mutations?|variants?|alterations?|substitutions?))\s*(?:\(|:\s*|\b)\s*"
                rf"({_PROTEIN}(?:(?:\s*[,/]\s*|,? (?:and|or) ){_PROTEIN})*)\)?"), r" \2 \1"),
    (re.compile(r"(?i)(?<!stage )(?<!stage of )\b(at least|at most|no more than|above|below) "
                r"((?:yp|[cpyr])?[TN])(?=[0-4])"),
     r"\2 \1 "),
    # stage T3, clinical stage N1: no stages of a tumour
    (re.compile(r"(?i)\b(?:(c)linical |(p)athologic(?:al)? )?stage (?=(?:yp|[cpyr])?[TNM]\d)"),
     r"\1\2"),
    (re.compile(r"(?i)(?<=\b[TNM][0-4]) (?:disease|category)\b"), ""),
    (re.compile(r"(?i)\bpathologic(?:al)? (?=[TN]\b)"), "p"),
    (re.compile(r"(?i)\bclinical (?=[TN]\b)"), "c"),
    (re.compile(r"(?i)\bhistologically (?:confirmed|proven|verified) (?=T\b)"), "p"),
    (re.compile(r"(?<=\w[+-])/(?=\w+[+-])"), " and "),
    # pancreatic adenoca, bladder Ca: after another word only ("Ca 2.1" is calcium)
    (re.compile(r"(?<=[a-z] )(?:[Cc]a|CA)\b(?![\s-]*\d)"), "cancer"),
    (re.compile(r"(?i)\badenoca\b"), "adenocarcinoma"),
    (re.compile(r"(?i)\b([Cc])hemo ?RT\b"), "chemoradiotherapy"),
    # MET ex14 skip, EGFR ex19del, FLT3 neg, IDH wt
    (re.compile(r"(?i)\bex(?:on)?[ -]?(\d+)[ -]?del(?:etion)?\b"), r"exon \1 deletion"),
    (re.compile(r"(?i)\bex(?:on)?[ -]?(\d+)[ -]?ins(?:ertion)?\b"), r"exon \1 insertion"),
    (re.compile(r"(?i)\bex(?:on)?[ -]?(\d+)[ -]?skip(?:ping)?\b"), r"exon \1 skipping"),
    (re.compile(r"[- ]ITD\b(?: pos(?:itive)?\b|\+)?"), " internal tandem duplication"),
    (re.compile(r"(?<=[A-Z0-9] )neg\b"), "negative"),
    (re.compile(r"(?<=[A-Z0-9] )pos\b"), "positive"),
    (re.compile(r"(?i)(?<=[A-Z0-9][ -])wt\b"), "wild type"),
    (re.compile(r"(?i)\b(?:ph|philadelphia)(?:[- ]chromosome)?[ -]?(?:\+|pos(?:itive)?\b)"
                r"(?: chromosome)?"),
     "BCR-ABL1 fusion"),
    (re.compile(r"\b[Rr]/[Rr]\b"), "relapsed or refractory"),
    # T1-2, stage IIIB/C, T2+
    (re.compile(r"\b((?:yp|yc|[cpyr])?[TN])([0-4])\s?[-–]\s?([0-4])(?![0-9.])"), r"\1 \2 to \3 "),
    (re.compile(r"\b((?:yp|yc|[cpyr])?[TN])([0-4][a-d]?)\+(?!\w)"), r"\1 \2 or higher"),
    (re.compile(r"(?i)\bstage\s+(iv|i{1,3}|[1-4])([abc])\s?/\s?([abc])\b"),
     r"stage \1\2 or \1\3"),
    # stages of the kidneys' disease, which are not those of a tumour
    (re.compile(rf"(?i)\bstages?\s+{_TWO_STAGES}\s+{_KIDNEYS}\b"),
     r"(CKD stage \1 or CKD stage \2)"),
    (re.compile(rf"(?i)\b{_KIDNEYS}\s+(?:stages?\s+)?{_TWO_STAGES}\b"),
     r"(CKD stage \1 or CKD stage \2)"),
    (re.compile(r"(?i)\b(ECOG(?: PS)?) worse than\b"), r"\1 above"),
    (re.compile(r"(?i)\b(ECOG(?: PS)?) better than\b"), r"\1 below"),
    (re.compile(r"(?i)\bhypothyroid\b"), "hypothyroidism"),
    (re.compile(r"(?i)\bhyperthyroid\b"), "hyperthyroidism"),
)  # fmt: skip
_ONE_OF_VALUES = re.compile(
    r"(?i)\b(?P<name>stages?|(?:histologic |tumou?r |nuclear |WHO )grade|"
    r"ECOG(?: PS| score| status| performance status)?|(?:yp|yc|[cpyr])?[TN])"
    r"\s*(?P<first>(?:iv|i{1,3}|[0-4])[a-d]?)\s*(?:,\s*(?:or\s+)?|/|\s+or\s+)"
    r"(?P<second>(?:iv|i{1,3}|[0-4])[a-d]?)\b(?!\s*(?:or|and) (?:higher|lower|more|less|above|"
    r"below|worse|better|later|earlier))"
)
"""Two values of which either will do, the second without its name: "stage III or IV"."""
_JOINED = re.compile(r"(?<![\w/+-])([A-Za-z][\w-]{2,})\s?([/+])\s?([A-Za-z][\w-]{2,})(?![\w/+-])")


_AND_SIGN = re.compile(r"([\w)-]+) \+ (?=[A-Za-z(])")
_RECEPTORS = ("ER", "PR", "PgR", "HR", "HER2")
_PROGRESSED = re.compile(
    r"(?i)\b(?:(?:who|that|which|and|have|has|had|whose disease|with)\s+)*(?:disease\s+)?"
    r"progress(?:ed|ing|ion) (?:on or after|on|after|during|through|following|while on) "
    r"(?P<drug>(?:(?!\s*\b(?:and|or|with|who|but|in|at|within|since|before|after|on)\b)[^,;()])+)"
    r"(?P<more>(?:(?:,| or| and/or)+ [a-z-]+)*)"
)
"""A progression that comes after a drug, or any of several."""
_NUMBERED = re.compile(
    r"(?<![\w-])(?P<stem>[A-Z][A-Za-z]*[A-Z][A-Za-z]*?)[ -]?(?P<first>\d{1,2}[A-D]?|[A-D])"
    r"(?P<more>(?:(?:\s*,\s*(?:and |or )?|\s*[/&–-]\s*|\s+(?:and/or|and|or)\s+)"
    r"(?:\d{1,2}[A-D]?|[A-D])(?![\w.%+]))+)(?!\s*-?(?i:inhib|antag|block|degrad|TKI))"
)
"""Genes with their numbers or letters alone: "FGFR 1, 2 and 3", "NTRK1-3", "SDHA/B"."""
_MUTATED = re.compile(r"\b(?P<origin>[gs]?)(?P<gene>[A-Z][A-Z0-9]{1,5})(?P<how>m|mut|wt)\b")
"""Initials of a gene's change: "HRRm", "gBRCAm", "KRASwt"."""
_ORIGINS = {"g": "germline ", "s": "somatic ", "": ""}
_SHORT = {
    "CRPC": "castration-resistant prostate cancer", "HSPC": "castration-sensitive prostate cancer",
    "CSPC": "castration-sensitive prostate cancer", "TNBC": "triple-negative breast cancer",
    "ES-SCLC": "extensive-stage SCLC", "LS-SCLC": "limited-stage SCLC",
    "SCC": "squamous cell carcinoma", "ESCC": "esophageal squamous cell carcinoma",
    "RT": "radiotherapy", "AI": "aromatase inhibitor", "LUAD": "lung adenocarcinoma",
    "LUSC": "squamous cell carcinoma of the lung", "HGSOC": "high-grade serous ovarian cancer",
    "MBC": "metastatic breast cancer", "BTC": "biliary tract cancer", "MM": "multiple myeloma",
    "PTCL": "peripheral T-cell lymphoma", "CTCL": "cutaneous T-cell lymphoma",
    "MTC": "medullary thyroid carcinoma", "APL": "acute promyelocytic leukemia",
    "NMIBC": "non-muscle-invasive bladder cancer", "MIBC": "muscle-invasive bladder cancer",
}  # fmt: skip
"""Initials that stand for more than a name."""
_AFTER_M = {"BC": "breast cancer", "UC": "urothelial carcinoma", "PC": "prostate cancer"}
"""Initials of cancers that are only clear after the "m" of metastatic."""
_PREFIXES = {"nm": "non-metastatic ", "m": "metastatic ", "la": "locally advanced ", "": ""}
_PREFIXED = re.compile(r"\b(?P<prefix>nm|m|la|)(?P<short>(?:[EL]S-)?[A-Z]{2,5})\b")
_INITIALS = re.compile(r"\s+\(([A-Za-z][A-Za-z0-9/-]{1,9})\)")
_SENTENCE = re.compile(r"(?<=[\w)%\ue000-\uf8ff])(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)\s?[.!?]\s+(?=\S)")
_MONTHS = {
    name: number
    for number, names in enumerate(
        ("jan january", "feb february", "mar march", "apr april", "may", "jun june", "jul july",
         "aug august", "sep sept september", "oct october", "nov november", "dec december"), 1
    )
    for name in names.split()
}  # fmt: skip
_MONTH = rf"(?P<month>{'|'.join(sorted(_MONTHS, key=len)[::-1])})\b\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?\b"
_DAYS = tuple(
    re.compile(rf"(?i)\b{said}")
    for said in (
        rf"{_DAY}\s+(?:of\s+)?{_MONTH}(?:,?\s+(?P<year>(?:19|20)\d\d)\b|(?=\s+(?:and|to|until|-|–)\s+"
        r"\d{1,2}\s+[A-Za-z]{3,9}\.?,?\s+(?P<same>(?:19|20)\d\d)\b))",
        rf"{_MONTH}\s+(?:{_DAY},?\s+)?(?P<year>(?:19|20)\d\d)\b",
    )
)
"""Days and months by name: "1 March 2020", "March 2020", "1 March and 31 May 2020"."""
_BULLET = re.compile(r"(?:^|\n)[ \t]*(?:[-*•·–]|\(?(?:\d{1,2}|[a-z])[.)])[ \t]+")
_NUMBER = re.compile(r"(?<![\w.,<>≥≤=-])(?<![<>≥≤=] )(\d{1,2})[.)] +(?=[A-Za-z≥≤<>])")
_AFTER_HEAD = re.compile(r":\s*;")
"""What marks an item of a list; and the first after the heading."""
_FOLLOWS = re.compile(r"(?i)(?:then|later|afterwards|subsequently|thereafter|and|or|but|after)\b")


def without_bullets(text: str) -> str:
    """The criteria with what marks the items of a list, at the begin of a line or as numbers that
    count up, as semicolons.
    """
    text = _BULLET.sub("; ", text)
    last, found = 0, list[re.Match[str]]()
    for match in _NUMBER.finditer(text):
        if int(match[1]) == last + 1 or (found and match[1] == "1"):
            last = int(match[1])
            found.append(match)
    if len(found) > 1:
        for match in reversed(found):
            text = f"{text[: match.start()]}; {text[match.end() :]}"
    return _AFTER_HEAD.sub(":", text).lstrip("; ")


def without_initials(text: str) -> str:
    """The criteria without initials in brackets of the words before: "chronic lymphocytic leukemia
    (CLL)"; others say something more ("breast cancer (HER2+)").
    """
    return _INITIALS.sub(
        lambda match: "" if _stand_for(match[1], text[: match.start()]) else match[0], text
    )


def _stand_for(initials: str, before: str) -> bool:
    letters = re.sub(r"[/-]|(?<=[A-Z])s$", "", initials).lower()
    words = re.findall(r"[a-z0-9]+", before.lower())[-len(letters) - 2 :]
    return any(_fit(letters, words[at:]) for at in range(len(words) - 1))


def _fit(letters: str, words: list[str]) -> bool:
    """Whether the letters are, in order, of the words, with the initials of the first and last."""
    if not words or not letters:
        return not words and not letters
    inside = iter(words[0])
    for taken, letter in enumerate(letters, 1):
        if (taken == 1 and letter != words[0][0]) or letter not in inside:
            break
        if _fit(letters[taken:], words[1:]):
            return True
    return len(words) > 1 and words[0] in ("of", "the", "in", "and") and _fit(letters, words[1:])


def sentences(text: str, parts: bool) -> list[str]:
    """The sentences of criteria, with ``parts`` also their parts between semicolons; one that goes
    on with what was said before stays with it.
    """
    found: list[str] = []
    for one in re.split(rf"{_SENTENCE.pattern}|;\s+", text) if parts else _SENTENCE.split(text):
        if found and _FOLLOWS.match(one):
            found[-1] += f", {one}"
        else:
            found.append(one)
    return found


def rephrased(text: str) -> str:
    """The criteria with shorthand written out: "dabrafenib+trametinib" are both, "a/b" any."""
    for pattern in _DAYS:
        text = pattern.sub(_day, text)
    text = _AND_SIGN.sub(_both, text)
    for written, put in _RULES:
        text = written.sub(put, text)
    text = _PROGRESSED.sub(_progressed, text)
    text = _NUMBERED.sub(_each_gene, text)
    text = _MUTATED.sub(_of_gene, text)
    text = _PREFIXED.sub(_written_out, text)
    while _ONE_OF_VALUES.search(text) is not None:
        text = _ONE_OF_VALUES.sub(r"\g<name> \g<first> or \g<name> \g<second>", text)
    return _JOINED.sub(_drugs, text)


def _day(match: re.Match[str]) -> str:
    """A day or month in figures (ISO 8601)."""
    said = match.groupdict()
    month = f"{said['year'] or said.get('same')}-{_MONTHS[match['month'].lower()]:02}"
    return month + (f"-{int(match['day']):02}" if match["day"] else "")


def _both(match: re.Match[str]) -> str:
    """Two things with a plus between them; of a gene it is a result ("HER2 + breast cancer")."""
    return match[0] if genes_of(match[1]) or match[1] in _RECEPTORS else f"{match[1]} and "


def _progressed(match: re.Match[str]) -> str:
    more, rest = "", match["more"]
    while (found := re.match(r"((?:,| or| and/or)+ )([A-Za-z-]+)", rest)) and _is_drug(found[2]):
        more, rest = more + found[0], rest[found.end() :]
    return f" and (disease progression after {match['drug'].strip()}{more}) {rest}"


def _each_gene(match: re.Match[str]) -> str:
    """Each of the genes by its name; the text as it is where one is none."""
    parts = re.split(r"([\s,/&–-]+(?:(?:and/or|and|or)\b\s*)?)", match["more"])[1:]
    marks, numbers = parts[::2], [match["first"], *parts[1::2]]
    said = match["stem"] + numbers[0]
    genes = [said]
    for mark, last, number in zip(marks, numbers, numbers[1:], strict=False):
        stem = match["stem"] + ("" if number.isdigit() or last.isalpha() else last[:-1])
        if mark.strip() in ("-", "–") and last.isdigit() and number.isdigit():
            more = [f"{match['stem']}{one}" for one in range(int(last) + 1, int(number) + 1)]
        else:
            more = [stem + number]
        genes += more
        said += "".join((" or " if mark.strip() in ("/", "-", "–") else mark) + one for one in more)
    return said if len(genes) > 1 and all(map(genes_of, genes)) else match[0]


def _of_gene(match: re.Match[str]) -> str:
    if not genes_of(match["gene"]):
        return match[0]
    change = "wild type" if match["how"] == "wt" else "mutation"
    return f"{_ORIGINS[match['origin']]}{match['gene']} {change}"


def _written_out(match: re.Match[str]) -> str:
    prefix, short = match["prefix"], match["short"]
    name = _SHORT.get(short) or (_AFTER_M.get(short) if prefix else None)
    listed = asked(short)
    if name is None and prefix and listed is not None and listed.kind == "condition":
        name = short
    return _PREFIXES[prefix] + name if name is not None else match[0]


def _drugs(match: re.Match[str]) -> str:
    if not (_is_drug(match[1]) and _is_drug(match[3])):
        return match[0]
    return f"({match[1]} {'and' if match[2] == '+' else 'or'} {match[3]})"


def _is_drug(word: str) -> bool:
    listed = asked(word)
    return (listed is not None and listed.kind == "drug") or drug_like(word.lower())
