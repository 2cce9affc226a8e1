"""The opening of a sentence, which describes a study before its finding: "a randomised trial of 412
participants concluded that …".

The design must be that of the article, and the size one that it states or that is read off its
abstract.
"""

from __future__ import annotations

from clinfo.claims.alignment import read
from clinfo.claims.differences import Difference
from clinfo.claims.numbers import states_size
from clinfo.claims.tokens import Token, tokens
from clinfo.records.articles import Article, Study
from clinfo.text.design import study_design
from clinfo.text.lexicon import either, words_of
from clinfo.text.numerals import numerals, plain
from clinfo.text.regex import anycase
from clinfo.text.sample_size import sample_size
from clinfo.text.terms import StemSet

_OPENING = anycase(
    rf"\A(?P<frame>.{{0,200}}?)\b(?:conclude[sd]?|found|finds?|report(?:s|ed)?|show(?:s|ed|n)?|"
    r"suggest(?:s|ed)?|indicat(?:es?|ed)|observed|stat(?:es?|ed)|not(?:es?|ed)|"
    r"demonstrat(?:es?|ed)|confirm(?:s|ed)?)\s(?:\[\d+\]\s)?that,?\s|\A(?P<place>In\s(?:an?|"
    r"the|this|one)\s"
    rf"[^,;]{{0,120}}?\b(?:{either('study_kinds', 'opening_place')})\b[^,;]{{0,60}}),\s|"
    r"\A(?P<lead>nearest):\s"
)


_PLAIN = StemSet(
    "one two three small large recent earlier later clinical group comparative evaluation arm "
    "letter report editorial single "
    "support mixed result results nearest strongest strong weak evidence contrast than"
)
"""Words before a finding that nobody need print."""
_DESIGN = StemSet(
    _PLAIN,
    *words_of("study_kinds", "opening"),
)
_PEOPLE = StemSet(*words_of("people", "opening"))
_ONE_OF = (
    (StemSet("trial experiment"), StemSet("trial randomised randomly placebo experiment")),
    (StemSet("randomised randomized"), StemSet("randomised randomly randomization")),
    (
        StemSet("controlled control"),
        StemSet("control controlled placebo sham versus randomised usual"),
    ),
    (
        StemSet("observational"),
        StemSet("observational cohort cross-sectional sectional retrospective registry survey"),
    ),
    (StemSet("review reviews"), StemSet("review overview")),
    (StemSet("analysis analyses pooled"), StemSet("analysis pooled analysed")),
    (StemSet("blind blinded masked"), StemSet("blind blinded masked")),
    (StemSet("survey"), StemSet("survey questionnaire surveyed")),
)
"""Words of a design, and those of an article any of which bears them out."""
_OBSERVED = ("cohort", "case-control", "cross-sectional", "case series", "case report", "survey")


def opening(text: str, study: Study) -> tuple[int, list[Difference]]:
    """(where what was found begins, what the opening says that is not so of the study); (0, []) for
    a sentence without one.
    """
    found = _OPENING.match(text)
    if found is None:
        return 0, []
    reading = read(study.article)
    said = tokens(found["frame"] or found["place"] or found["lead"] or "", reading.longer)
    counted = [token for token in said if token.kind == "number"]
    told = [token for token in said if token.kind == "word" and token.key not in _PEOPLE]
    if not (told or counted) or any(token.key not in _DESIGN for token in told):
        return 0, []
    wrong = [
        Difference("hard", token.text, "", room=9)
        for token in counted
        if not _has_size(token, study)
    ]
    design = study_design(study.article)
    for token in told:
        if not _borne_out(token.key, study.article, design):
            wrong.append(Difference("hard", token.text, design or "", room=9))
    return found.end(), wrong


def _has_size(token: Token, study: Study) -> bool:
    (number,) = numerals(plain(token.text))[:1] or (None,)
    if number is None:
        return False
    known = {
        sample_size(study.article),
        study.summary.sample_size if study.summary is not None else None,
    }
    return number.value in known or states_size(number.value, study.article)


def _borne_out(key: str, article: Article, design: str | None) -> bool:
    """Return whether a word of a design is one of the article's own words, of its publication
    types, or of the design read off it.
    """
    if key in _PLAIN:
        return True
    if (
        design is not None
        and key in StemSet("randomised randomized trial")
        and any(kind in design for kind in _OBSERVED)
    ):
        return False
    known = read(article).keys | _named(" ".join((design or "", *article.publication_types)))
    return key in known or any(
        key in words and not known.isdisjoint(others) for words, others in _ONE_OF
    )


def _named(text: str) -> frozenset[str]:
    return frozenset(token.key for token in tokens(text, {}))
