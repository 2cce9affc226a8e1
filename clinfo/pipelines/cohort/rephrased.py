"""Criteria in the words that the grammar reads: shorthand written out, before anything is looked
up. What is not known here stays as it is written.
"""

from __future__ import annotations

import re

from clinfo.terms.asked_names import asked
from clinfo.terms.naming import drug_like

_KIDNEYS = r"(?:CKD|chronic kidney disease)"
_TWO_STAGES = r"([1-5][ab]?)\s*(?:or|/|,)\s*([1-5][ab]?)"
_RULES: tuple[tuple[re.Pattern[str], str], ...] = (
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
    (re.compile(r"(?i)\b(?:ph|philadelphia)[ -]?(?:\+|pos(?:itive)?\b)(?: chromosome)?"),
     "BCR-ABL1 fusion"),
    # progressed on X: a progression that comes after it
    (re.compile(
        r"(?i)\b(?:(?:who|that|which|and|have|has|had|whose disease|with)\s+)*(?:disease\s+)?"
        r"progress(?:ed|ing|ion) (?:on|after|during|through|following|while on) "
        r"((?:(?!\b(?:and|or|with|who|but|in|at|within|since|before|after|on)\b)[^,;()])+)"
    ), r" and (disease progression after \1) "),
    # T1-2, stage IIIB/C, T2+
    (re.compile(r"\b((?:yp|yc|[cpyr])?[TN])([0-4])\s?[-–]\s?([0-4])\b"), r"\1 \2 to \3"),
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
    r"(?i)\b(?P<name>stages?|ECOG(?: PS| score| status| performance status)?|(?:yp|yc|[cpyr])?[TN])"
    r"\s*(?P<first>(?:iv|i{1,3}|[0-4])[a-d]?)\s*(?:,\s*(?:or\s+)?|/|\s+or\s+)"
    r"(?P<second>(?:iv|i{1,3}|[0-4])[a-d]?)\b(?!\s*(?:or|and) (?:higher|lower|more|less|above|"
    r"below|worse|better|later|earlier))"
)
"""Two values of which either will do, the second without its name: "stage III or IV"."""
_JOINED = re.compile(r"(?<![\w/+-])([A-Za-z][\w-]{2,})\s?([/+])\s?([A-Za-z][\w-]{2,})(?![\w/+-])")


def rephrased(text: str) -> str:
    """The criteria with shorthand written out: "dabrafenib+trametinib" are both, "a/b" any."""
    for written, put in _RULES:
        text = written.sub(put, text)
    while _ONE_OF_VALUES.search(text) is not None:
        text = _ONE_OF_VALUES.sub(r"\g<name> \g<first> or \g<name> \g<second>", text)
    return _JOINED.sub(_drugs, text)


def _drugs(match: re.Match[str]) -> str:
    if not (_is_drug(match[1]) and _is_drug(match[3])):
        return match[0]
    return f"({match[1]} {'and' if match[2] == '+' else 'or'} {match[3]})"


def _is_drug(word: str) -> bool:
    listed = asked(word)
    return (listed is not None and listed.kind == "drug") or drug_like(word.lower())
