"""Disagreement: whether a sentence says that findings disagree, and whether two clauses say
opposite things of one matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from clinfo.text.citations import citation_marks
from clinfo.text.direction import direction
from clinfo.text.lexicon import either, words_of
from clinfo.text.regex import anycase
from clinfo.text.tallies import meanings
from clinfo.text.terms import FUNCTION_WORDS, is_content, stem, vocabulary, weight, words

_LONGEST_READ = 1_500
_CONTRAST = (
    r"however|whereas|in contrast|by contrast|in opposition|contrary to|contrarily|conversely|on "
    r"the other hand|on the contrary|"
    r"but|yet|nevertheless|nonetheless|against (?:it|this)"
)
_LINK = anycase(rf"\b(?:{_CONTRAST}|while|although|though|unlike)\b")
_LINKED_START = anycase(
    rf"\W*(?:(?:{_CONTRAST})\b|[^,.]{{0,60}}, (?:however|in contrast|by contrast|conversely|on the "
    r"other hand)\b)"
)

_TAKES_UP = anycase(
    r"\W*(?:this|that|these|those|it|such|the (?:\w+ )?(?:benefits?|findings?|effects?|results?|"
    r"differences?|associations?))\b"
)

_FINDINGS = (
    r"(?:evidence|findings?|results?|stud(?:y|ies)|trials?|reviews?|meta-?analys[ei]s|conclusions?|"
    r"estimates?|data|literature|"
    r"reports?|authors|sources?|answers?|effects?|RCTs?)"
)
_CITED = "scited"
"""Stands for a citation in what the patterns read."""
_SUBJECT = rf"(?:{_FINDINGS}|{_CITED})"
_BETWEEN = r"(?:\s(?!not\b|no\b|nor\b|neither\b)[\w,'()%-]+)"
_NOT_OF_IT = (
    r"(?![\w-])(?!\s(?:of\sinterest|ethnic|populations?|methods?|doses?|samples?|"
    r"(?:effects?\s)?models?|meals?|into|by|in\stwo)\b)"
)
_OF_PEOPLE = (
    r"(?!\s(?:\w+\s)?(?:between|by|across|among|in|with)\s(?!(?:\w+\s){0,2}?(?:stud|trial|review|"
    r"report|source)))"
)
_DISAGREES = anycase(
    "|".join(
        (
            # studies disagree, evidence conflicts
            (
                rf"\b{_SUBJECT}\b{_BETWEEN}{{0,10}}?\s(?:disagree|conflict|diverge|"
                rf"contradict)\w*{_NOT_OF_IT}"
            ),
            # findings are mixed, trials were divided
            (
                rf"\b{_SUBJECT}\b{_BETWEEN}{{0,10}}?\s(?:is|are|was|were|be|been|"
                r"remain\w*)\s(?:\w+\s)?(?:at\sodds|mixed|inconsistent|"
                r"discordant|divided|opposing|opposite|opposed|contradictory|divergent|split|"
                rf"equivocal){_NOT_OF_IT}"
            ),
            (
                rf"\b{_SUBJECT}\b{_BETWEEN}{{0,6}}?\s(?:do|did|are|were|is|"
                r"was)\snot\s(?:\w+\s)?(?:agree|consistent|unanimous|concordant|"
                r"in\sagreement)\b"
            ),
            # conflicting evidence, mixed results
            (
                r"(?<!\bearlier )(?<!\bprior )(?<!\bprevious )(?<!\bpreviously )"
                r"\b(?:conflicting|contradictory|inconsistent|mixed|discordant|divergent|opposing|"
                r"opposite)\s(?:\w+\s){0,2}?"
                rf"{_FINDINGS}\b(?!\smodels?)"
            ),
            rf"\bnot\sall\s(?:\w+\s){{0,2}}?{_FINDINGS}\b",
            # a disagreement between studies
            (
                r"\b(?:disagreements?|conflicts?|contradictions?|discrepanc(?:y|ies)|"
                r"inconsistenc(?:y|ies))(?!\sof\sinterest)\s"
                rf"(?:between|among|across|in|of)\s(?:\w+\s){{0,4}}?{_SUBJECT}\b"
            ),
            # results differ; studies point different ways
            (
                r"\b(?:results?|findings?|conclusions?|evidence|answers?|effects?|"
                rf"estimates?)\b{_BETWEEN}{{0,6}}?\s(?:differ|differed|"
                rf"differs|vary|varied|varies)\b{_OF_PEOPLE}"
            ),
            (
                rf"\b{_SUBJECT}\b{_BETWEEN}{{0,6}}?\s(?:point|pointed|reach|reached|came|come|draw|"
                r"drew)\s(?:in\s|to\s)?"
                r"(?:different|opposite|opposing|both)\b"
            ),
            # one study against another
            r"\b(?:not|n['’]t)\s(?:been\s|be\s)?(?:confirm|replicat|reproduc|borne\sout)\w*",
            (
                r"\b(?:contradict(?:s|ed)|refut(?:es|ed)|disagree[sd]?\swith|"
                rf"at\sodds\swith)\b(?=.{{0,80}}\b{_SUBJECT}\b)"
            ),
        )
    )
)
_UNLIKE = anycase(
    rf"\b(?:unlike|contrary\sto|in\scontrast\s(?:to|with))\s(?:\w+\s){{0,5}}?{_SUBJECT}\b"
)
_DENIED = anycase(rf"\b(?:{either('negators', 'disagreement')})\W+(?:\w+\W+){{0,3}}$")
_AGREES = anycase(
    r"\b(?:agree[sd]?|in agreement|concordant|consistent(?:ly)?|unanimous(?:ly)?|points? the same "
    r"way)\b"
)
_NEGATED = anycase(r"\b(?:not|never|no|nor|fail(?:s|ed)? to|less)\s(?:\w+\s){0,2}$")


def says_findings_disagree(text: str) -> bool:
    """Return whether a sentence says, undenied, that findings or studies disagree: not that groups,
    doses or interests do.

    A citation may be the subject. A sentence that goes on to say that they agree does not.
    """
    read = _read(text, f" {_CITED} ")
    for match in _DISAGREES.finditer(read):
        if _DENIED.search(read[max(0, match.start() - 60) : match.start()]):
            continue
        later = (each for each in _AGREES.finditer(read, match.end()))
        if all(_NEGATED.search(read[max(0, each.start() - 30) : each.start()]) for each in later):
            return True
    return _UNLIKE.search(read) is not None and sign(text) != ""


def starts_with_contrast(text: str) -> bool:
    """Return whether a sentence is set against the one before it: "However, …", "A later trial, in
    contrast, …".
    """
    return _LINKED_START.match(text) is not None


def takes_up(text: str) -> bool:
    """Return whether a sentence speaks on about what the one before it told: "This was not
    replicated …".
    """
    return _TAKES_UP.match(text) is not None


def clauses(text: str) -> Iterator[tuple[str, frozenset[int]]]:
    """The clauses of a sentence that cite something, without their citations, and what each cites.

    Cut at words of contrast and semicolons; between two citations also behind the first where
    citations end the clauses ("fell [1] and rose [2]"), else at the last comma or "and" ("[1] found
    a fall and [2] a rise").
    """
    text = text[:_LONGEST_READ]
    marks = citation_marks(text)
    cuts = {0, len(text)} | {match.start() for match in _LINK.finditer(text)}
    cuts |= {at for at, character in enumerate(text) if character == ";"}
    trailing = bool(marks) and re.search(r"\w", text[marks[-1].end :]) is None
    for mark, following in pairwise(marks):
        between = text[mark.end : following.start]
        if re.search(r"[^\W\d_]{4}", between) is None:
            continue
        last = max(between.rfind(","), between.rfind(" and "))
        if trailing or last >= 0:
            cuts.add(mark.end if trailing else mark.end + last)
    for start, end in pairwise(sorted(cuts)):
        cited = frozenset(n for mark in marks if start <= mark.start < end for n in mark.numbers)
        if cited:
            yield _read(text[start:end], " "), cited


_NONE = anycase(
    rf"\b(?:{either('negators', 'none')}|(?:(?:did|does|do|could|was|were|is|are|has|have|had|"
    r"can) not|(?:did|does|do|could|was|were)n['’]t|cannot)(?!\s(?:\w+\s)?(?:report|assess|"
    r"measur|stat|stud|examin|clear|powered|describ|specif|blind|includ|randomi|mention|"
    rf"address))|no (?:such )?(?:\w+ )?(?:{either('better', 'none_of')}|"
    rf"{either('falling', 'none_of')}|{either('rising', 'none_of')}|worsening|differences?|"
    r"associations?|changes?|links?))\b"
)
_SOME = anycase(
    r"\b(?:effective|benefit\w*|beneficial|work(?:s|ed)|helped|helps|associat\w+|advantage|"
    r"efficac\w+|positive|"
    r"(?:a|an|clear|significant|large|small|modest) (?:effect|difference|association|link))\b"
)


def sign(clause: str) -> str:
    """ "up", "down", "some" (an effect or support), "none" (neither), or "" where a clause says
    nothing or several of it.
    """
    clause = _read(clause, " ")
    said, read = meanings(clause), direction(clause)
    if "contradicts" in said or read == "no difference" or _NONE.search(clause):
        return "none"
    if read in ("increased", "decreased"):
        return "up" if read == "increased" else "down"
    return "some" if "supports" in said or (read == "unclear" and _SOME.search(clause)) else ""


def opposed(first: str, second: str) -> bool:
    """Return whether two clauses say opposite things of the same matter: an effect and none, or a
    rise and a fall.
    """
    signs = {sign(first), sign(second)}
    return (
        ("none" in signs or signs == {"up", "down"})
        and len(signs) == 2
        and "" not in signs
        and _same_matter(first, second)
    )


_SAID_OF = frozenset(words_of("generic_words", "findings"))
"""Words of clauses about findings that name no matter: of effects, studies, treatments and
people.
"""
_ASIDE = frozenset(words_of("generic_words", "aside"))
"""Words too general to name a matter elsewhere; here they say that it is another one."""
_VERB = anycase(
    r"\b(?P<passive>(?:was|were|is|are|been) (?:not |also |"
    rf"significantly )*(?:{either('falling', 'said_passive')}|"
    rf"{either('rising', 'said_passive')}|{either('alike', 'said_passive')}|improved|changed|"
    r"affected|different|associated)|fell|rose|declined|dropped|worsened|(?:did|does|"
    r"do) not (?:differ|change|fall|rise|improve|worsen)|(?:was|were|is|are) not)\b|"
    r"\b(?P<change>reduc|increas|decreas|lower|rais|improv|worsen|chang)\w*|\b(?:prevent|"
    r"affect|support|favou?r|benefit|help|work|confirm|differ|associat|effect|no\b|not\b|found|"
    r"find|show|report)\w*"
)


def _same_matter(first: str, second: str) -> bool:
    """Return whether the second clause names no outcome of its own, or shares a word with that of
    the first.
    """
    mine = _matter(second)
    if not mine:
        return True
    theirs = _matter(first) or _naming(first)
    known = vocabulary(" ".join(theirs))
    return not theirs or any(known.has(stem(word)) for word in mine)


def _matter(clause: str) -> frozenset[str]:
    """The words for what a clause says something of: before the verb where that is passive, else
    behind it.
    """
    clause = _read(clause, " ")
    passive = next((match for match in _VERB.finditer(clause) if match["passive"]), None)
    if passive is not None and (before := _naming(clause[: passive.start()])):
        return before
    verb = _VERB.search(clause)
    if verb is None:
        return _naming(clause)
    behind = re.split(
        r"\b(?:among|with|compared|versus|than|after|over)\b", clause[verb.end() :], maxsplit=1
    )[0]
    told = _naming(behind)
    return told if told or not verb["change"] else _naming(clause[: verb.start()])


def _naming(text: str) -> frozenset[str]:
    return frozenset(
        word
        for word in words(text)
        if word in _ASIDE
        or (
            is_content(word)
            and word not in _SAID_OF
            and word not in FUNCTION_WORDS
            and not word.isdigit()
            and weight(word) > 0.4
        )
    )


def _read(text: str, citation: str) -> str:
    """The text on one line, with something else for every citation."""
    text = text[:_LONGEST_READ]
    for mark in reversed(citation_marks(text)):
        text = text[: mark.start] + citation + text[mark.end :]
    return " ".join(text.split())
