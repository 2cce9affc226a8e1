"""Levels of evidence: the Oxford CEBM table of 2011 as rules over the kind of question and the
design of the study.

Source: OCEBM Levels of Evidence Working Group (J. Howick, I. Chalmers, P. Glasziou, T. Greenhalgh,
C. Heneghan, A. Liberati, I. Moschetti, B. Phillips, H. Thornton, O. Goddard, M. Hodgkinson), "The
Oxford 2011 Levels of Evidence", Oxford Centre for Evidence-Based Medicine, 2011,
https://www.cebm.ox.ac.uk/resources/levels-of-evidence/ocebm-levels-of-evidence

The table lets a reader move a study up or down for its quality, precision, directness or size of
effect. An abstract does not carry such a judgement, so the level here is that of the design alone;
only where the abstract itself names what the table asks for (what a review pooled, an inception
cohort, consecutive patients) does that count.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from clinfo.lazy_dataclass import dataclass
from clinfo.records.articles import Article
from clinfo.text.design import REVIEWS, study_design
from clinfo.text.lexicon import either
from clinfo.text.question import asked_part
from clinfo.text.regex import anycase, regex

Row = Literal[
    "treatment benefit", "treatment harm", "diagnosis", "prognosis", "screening", "frequency"
]
"""The rows of the table: does it help, does it harm, is the test accurate, what will happen, is
early detection worthwhile, " "how common."""

_RANDOMISED = (
    "randomised controlled trial",
    "cluster randomised trial",
    "randomised crossover trial",
)
_CONTROLLED = (
    "non-randomised controlled trial",
    "prospective cohort study",
    "retrospective cohort study",
    "cohort study",
)
_UNCONTROLLED = (
    "case series",
    "case report",
    "single-arm trial",
    "case-control study",
    "before-and-after study",
    "cross-sectional study",
)
_MECHANISM = ("animal study", "laboratory study")

_TREATMENT: dict[str, int] = {
    **dict.fromkeys(_RANDOMISED, 2),
    **dict.fromkeys(_CONTROLLED, 3),
    **dict.fromkeys(_UNCONTROLLED, 4),
    **dict.fromkeys(_MECHANISM, 5),
}
_TABLE: dict[Row, dict[str, int]] = {
    "treatment benefit": _TREATMENT,
    "treatment harm": _TREATMENT,
    "screening": _TREATMENT,
    "diagnosis": {
        **dict.fromkeys(
            (
                "diagnostic accuracy study",
                "cross-sectional study",
                "prospective cohort study",
                "cohort study",
            ),
            2,
        ),
        **dict.fromkeys(_RANDOMISED, 2),
        **dict.fromkeys(
            ("retrospective cohort study", "case series", "non-randomised controlled trial"), 3
        ),
        **dict.fromkeys(
            ("case-control study", "case report", "single-arm trial", "before-and-after study"), 4
        ),
        **dict.fromkeys(_MECHANISM, 5),
    },
    "prognosis": {
        **dict.fromkeys(
            ("prospective cohort study", "retrospective cohort study", "cohort study"), 3
        ),
        **dict.fromkeys((*_RANDOMISED, "non-randomised controlled trial"), 3),
        **dict.fromkeys(_UNCONTROLLED, 4),
    },
    "frequency": {
        "cross-sectional study": 3,
        **dict.fromkeys(
            ("prospective cohort study", "retrospective cohort study", "cohort study"), 3
        ),
        **dict.fromkeys(("case series", "case report"), 4),
    },
}
"""Level of a single study by row and design. A design that stands in no cell of the table is put
with the one nearest to it: uncontrolled trials and cross-sectional studies with case series,
before-and-after studies with historical controls."""
_OF_REVIEWS: dict[Row, int] = {
    "treatment benefit": 1,
    "treatment harm": 1,
    "screening": 1,
    "diagnosis": 1,
    "prognosis": 1,
    "frequency": 2,
}
"""Level of a systematic review of the studies that the row's cell names: trials, inception cohorts
(prognosis), cross-sectional studies with a consistently applied reference standard and blinding
(diagnosis), surveys (frequency)."""
_NO_LEVEL = {
    "guideline": "a guideline has no level: its recommendations rest on the studies it cites",
    "study protocol": "a protocol has no results: no level",
    "narrative review": "a narrative review is not in the table: no level",
    "editorial or letter": "an editorial or letter is not in the table: no level",
    "economic evaluation": "an economic evaluation is not in the table: no level",
    "qualitative study": "a qualitative study is not in the table: no level",
}

_POOLS_TRIALS = anycase(
    r"(?<!\bnon[ -])\brandomi[sz]ed\b|\bRCTs?\b|\bcontrolled (?:clinical )?trials?\b|\bclinical "
    r"trials\b"
)
_PLACEBO = anycase(r"\bplacebo\b")
_POOLS_OTHERS = anycase(
    r"\bobservational\b|\bcohort\b|\bcase[- ]control\b|\bnon-?randomi[sz]ed\b|\bcross-sectional\b|"
    r"\bprospective (?:cohort "
    r")?studies\b|"
    r"\bretrospective\b|\bcase series\b"
)
# Trials that a review did not pool: it found none, it calls for them, or it searched a register of
# that name.
_NO_TRIALS = anycase(
    r"\bno (?:\w+ )?(?:randomi[sz]ed|RCTs?)\b|\black of (?:\w+ )?randomi[sz]ed\b|\bnone of (?:the|"
    r"these) (?:\w+ ){0,2}?studies "
    r"(?:was|were) randomi[sz]ed\b|\bregist(?:er|ry) of (?:controlled|clinical) trials\b|"
    r"\bclinical trials (?:register|registr)\w*|"
    r"(?:^|(?<=[.;]\s)|(?<=\n))(?=[^.;\n]{0,400}\b(?:needed|warranted|required|necessary|awaited|"
    r"future|further)\b)[^.;\n]*"
)
_COHORTS = anycase(
    r"\bcohorts?\b|\bobservational\b|\bprospective(?:ly)?\b|\bretrospective(?:ly)?\b|"
    r"\b(?:longitudinal|follow-?up) studies\b"
)
_WEAKER = anycase(r"\bcase[- ]control\b|\bcase series\b|\bcase reports\b|\bcross-sectional\b")
_ACCURACY_STUDIES = anycase(
    r"\bcross-sectional\b|\bcohort\b|\bprospective(?:ly)?\b|\bconsecutive\b|\b(?:diagnostic|test) "
    r"accuracy\b|\baccuracy studies\b|"
    r"\bstudies (?:of|on|about) (?:\w+ ){0,3}?accuracy\b|\bsensitivit(?:y|ies) and specificit(?:y|"
    r"ies)\b"
)
_ONE_STANDARD = anycase(
    r"\b(?:same|single|consistent(?:ly)?|uniform(?:ly)?|all (?:\w+ ){1,3}?(?:received|underwent|"
    r"had))\b[^.;\n]{0,80}"
    r"\breference (?:standard|test)s?\b|"
    r"\breference (?:standard|test)s?\b[^.;\n]{0,80}\b(?:consistently|uniformly|(?:in|to) (?:all|"
    r"every))\b"
)
_BLINDED = anycase(r"\bblind(?:ed|ly|ing)?\b|\bmask(?:ed|ing)\b")
_IN_DOUBT = anycase(rf"\b(?:{either('negators', 'doubt')})\b")
_SENTENCE_END = regex(r"[.;\n]")
_TITLE_OF = anycase(r"\b(?:analys[ei]s|review) of\b")
_NESTED = anycase(r"\bnested case[- ]control\b")
_INCEPTION = anycase(
    r"\binception cohorts?\b|\bnewly[- ]diagnosed\b|\bfirst[- ]episode\b|\bincident cases\b|\bat "
    r"(?:disease "
    r")?onset\b"
)
_NOT_CONSECUTIVE = anycase(r"\bnon-?consecutive\b|\bconvenience sample\b|\bretrospective(?:ly)?\b")
_CASE_CONTROL = anycase(r"\bcase[- ]control\b|\bhealthy (?:controls|volunteers)\b")
_RANDOM_SAMPLE = anycase(
    r"\brandom(?:ly)? (?:\w+ )?(?:sampl\w+|selected)\b|\bcensus\b|\bnationally representative\b"
)


@dataclass(frozen=True)
class Level:
    """The level, 1 (strongest) to 5, None where the table has none for this study, and the rule
    that says so, in words.
    """

    level: int | None
    reason: str


def level(row: Row, article: Article) -> Level:
    """The level of ``article`` for a question of the kind ``row``."""
    design = study_design(article)
    if design is None:
        return Level(None, "the abstract does not state the design: no level")
    if design in _NO_LEVEL:
        return Level(None, _NO_LEVEL[design])
    text = f"{article.title}\n{article.abstract}"
    number, named = (
        _of_review(row, design, text) if design in REVIEWS else _of_study(row, design, text)
    )
    asked = "how common it is" if row == "frequency" else row
    if number is None:
        return Level(
            None,
            named
            if design in REVIEWS
            else f"{named}: no level in the table for a question of {asked}",
        )
    return Level(number, f"{named}, question of {asked}: level {number}")


def _of_review(row: Row, design: str, text: str) -> tuple[int | None, str]:
    best = _OF_REVIEWS[row]
    if row == "prognosis":
        return _of_prognosis_review(design, text)
    if row == "diagnosis":
        return _of_diagnosis_review(design, text)
    if row == "frequency":
        return best, design
    if row == "treatment harm" and _NESTED.search(text):
        return best, f"{design} of nested case-control studies"
    title, _, _ = text.partition("\n")
    others = _POOLS_OTHERS.search(text) is not None
    trials = _POOLS_TRIALS.search(_NO_TRIALS.sub(" ", text)) is not None or (
        not others and _PLACEBO.search(text) is not None
    )
    if (
        (named := _TITLE_OF.search(title))
        and _POOLS_OTHERS.search(title, named.end())
        and not _POOLS_TRIALS.search(title)
    ):
        trials = False  # its title says what it pools
    if trials:
        return best, f"{design} of {'trials and other studies' if others else 'trials'}"
    if others:
        return 3, f"{design} of observational studies, which has the level of the studies it pools"
    return (
        None,
        (
            f"{design}, the abstract does not state of which studies (level {best} if of "
            "randomised trials)"
        ),
    )


def _of_prognosis_review(design: str, text: str) -> tuple[int | None, str]:
    said = _NO_TRIALS.sub(" ", text)
    cohorts = _COHORTS.search(said) is not None
    if cohorts and any(_INCEPTION.search(one) for one in _sure(said)):
        return 1, f"{design} of cohorts from the start of the disease"
    if cohorts:
        return (
            3,
            (
                f"{design} of cohorts, not stated to start with the disease, which has the level "
                "of the studies it pools"
            ),
        )
    if _POOLS_TRIALS.search(said):
        return (
            3,
            f"{design} of trials, read as cohorts, which has the level of the studies it pools",
        )
    if _WEAKER.search(said):
        return (
            4,
            (
                f"{design} of studies without follow-up or with few patients, which has the level "
                "of the studies it pools"
            ),
        )
    return (
        None,
        f"{design}, the abstract does not state of which studies (level 1 if of inception cohorts)",
    )


def _sure(text: str) -> list[str]:
    """The sentences in which nothing is denied, doubted or said of the reviewers."""
    return [one for one in _SENTENCE_END.split(text) if not _IN_DOUBT.search(one)]


def _of_diagnosis_review(design: str, text: str) -> tuple[int | None, str]:
    said = _NO_TRIALS.sub(" ", text)
    sure = _sure(said)
    if any(_ONE_STANDARD.search(one) for one in sure) and any(_BLINDED.search(one) for one in sure):
        return 1, f"{design} of studies with one reference standard, read blindly"
    if _ACCURACY_STUDIES.search(said) or _POOLS_TRIALS.search(said):
        named = "accuracy studies, not said to share a reference standard and blinding"
        return 2, f"{design} of {named}, which has the level of the studies it pools"
    if _NOT_CONSECUTIVE.search(said):
        return (
            3,
            (
                f"{design} of studies without consecutive patients, which has the level of the "
                "studies it pools"
            ),
        )
    if _CASE_CONTROL.search(said):
        return 4, f"{design} of case-control studies, which has the level of the studies it pools"
    return (
        None,
        (
            f"{design}, the abstract does not state of which studies (level 1 if of ones with one "
            "reference standard, read blindly)"
        ),
    )


def _of_study(row: Row, design: str, text: str) -> tuple[int | None, str]:
    number = _TABLE[row].get(design)
    if row == "prognosis" and number == 3 and "cohort" in design and _INCEPTION.search(text):
        return 2, f"{design} from the start of the disease"
    if row == "prognosis" and design in _RANDOMISED:
        return number, f"{design}, read as a cohort"
    if row == "diagnosis" and design == "diagnostic accuracy study":
        if _CASE_CONTROL.search(text):
            return 4, "diagnostic accuracy study of cases and controls"
        if _NOT_CONSECUTIVE.search(text):
            return 3, "diagnostic accuracy study without consecutive patients"
    if row == "frequency" and number == 3 and _RANDOM_SAMPLE.search(text):
        return 1, f"{design} of a random sample"
    return number, design


_SCREENING = anycase(
    r"\bscreen(?:ing|ed)?\b(?!\s+(?:tool|questionnaire|test\b.*\baccura))|\bearly detection\b"
)
_DIAGNOSIS = anycase(
    r"\bdiagnos(?!ed)\w*|\bsensitivity\b(?! to)|\bspecificity\b|\baccura\w+|\bdetect\w*|\brule "
    r"(?:in|out)\b|\bdifferentiat\w+|"
    r"\bdistinguish\w*|\bbiomarker\b|"
    r"\bpredictive value\b|\bdiscriminat\w+|\breliably (?:measure|identify)\b"
)
_HARM = anycase(
    r"\b(?:adverse|side[- ]effects?|toxicity|harm\w*|safe(?:ty)?|unsafe|dangerous|worsen\w*|"
    r"tolerab\w+|complications?)\b|"
    r"\b(?:increase[sd]?|raise[sd]?|elevate[sd]?|higher|greater) (?:the |their |one's )?(?:\w+ "
    r"){0,2}?(?:risks?|incidence|"
    r"rates?|odds|mortality|likelihood)\b|"
    r"\bcauses?\b(?! of)|(?<!-)\binduce\b|\b(?:a?etiology|pathogenesis)\b|\bat (?:higher|increased|"
    r"greater) risk\b|\brisks of\b"
)
_HELPS = anycase(
    rf"\b(?:{either('falling', 'helps')}|{either('better', 'helps')}|help\w*|cure\w*|"
    r"prophyla\w+|necessary|indicated)\b"
)
_PROGNOSIS = anycase(
    r"\bprognos\w+|\bpredict\w*|\bnatural history\b|\bsurvival (?:of|after|in)\b|\bcourse of\b|"
    r"\boutcomes? "
    r"(?:of|after|in) (?:patients|children|"
    r"people)\b|\blong-term outcomes?\b|\brecurrence after\b|\blife expectancy\b|\bdeterminants?\b"
)
_ACCURACY = anycase(
    r"\baccura\w+|\bdetect\w*|\bsensitivity\b(?! to)|\bspecificity\b|\bdiagnostic\b|\bdiagnosing\b"
)
_FORETELLS = anycase(r"\bpredict\w*|\bprognos\w+")
_EXPOSURE = anycase(
    r"(?<!-)\b(?:associat\w+|relat(?:ed|ion\w*)|correlat\w+|linked?)\b|\brisk (?:of|factors?)\b"
)
_FREQUENCY = anycase(
    r"\bhow (?:common|frequent(?:ly)?|often|many|prevalent)\b|\bwhat(?:'s| is| are| was) the "
    r"(?:\w+ )?(?:prevalence|incidence|"
    r"frequency)\b"
)


@lru_cache(maxsize=256)
def question_row(question: str) -> Row:
    """The row of the table that a question belongs to, by its wording; treatment benefit where
    nothing says otherwise.

    A question on an exposure ("is X associated with Y?") goes with harm: the table has no row of
    its own for causes.
    """
    asked = asked_part(question)
    if _SCREENING.search(asked):
        return "screening"
    if _FREQUENCY.search(asked) and not _HELPS.search(asked):
        return "frequency"
    helps = _HELPS.search(asked) is not None
    if _ACCURACY.search(asked) or (_DIAGNOSIS.search(asked) and not helps):
        return "diagnosis"
    if _FORETELLS.search(asked):
        return "prognosis"
    harm = _HARM.search(asked)
    if harm and not (helps and re.fullmatch(r"complications?", harm.group(), re.IGNORECASE)):
        both = helps and re.fullmatch(r"safe(?:ty)?", harm.group(), re.IGNORECASE)
        return "treatment benefit" if both else "treatment harm"
    if helps:
        return "treatment benefit"
    if _PROGNOSIS.search(asked):
        return "prognosis"
    return "treatment harm" if _EXPOSURE.search(asked) else "treatment benefit"
