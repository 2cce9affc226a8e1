"""Study design by rules over publication types, title and abstract, and what the abstract lets one
say about bias.
"""

from __future__ import annotations

import re
from functools import lru_cache

from clinfo.lazy_dataclass import dataclass, replace
from clinfo.records.articles import Article
from clinfo.text.abstracts import abstract_sentences
from clinfo.text.keysentence import is_outlook
from clinfo.text.lexicon import either
from clinfo.text.regex import anycase, regex
from clinfo.text.subjects import chances


@dataclass(frozen=True)
class Design:
    """A kind of study, told by ``pattern`` and, where given, ``also`` standing anywhere in the
    text, in either order.

    ``strength`` orders designs by how much weight a finding carries, 0 (none) to 10. The order
    follows the usual hierarchy of evidence (Oxford Centre for Evidence-Based Medicine, levels of
    2011).
    """

    name: str
    strength: float
    pattern: str
    also: str = ""


_RANDOM = r"random(?:i[sz]ed|ly|i[sz]ation)"
_ASSIGNED = r"(?:assign|allocat|allot|divid|split|distribut)\w*"
_AT_RANDOM = (
    rf"\b{_ASSIGNED} (?:[\w,-]+ ){{0,6}}(?:at random|by lot)\b|\bat random,? (?:(?:in|by) [\w "
    r"]{1,40}, )?(?:to|into|between)\b|"
    r"\b(?:at|in|by) (?:a )?random(?:i[sz]ed)? (?:order|sequence)\b"
)
_PILOT = (
    r"\bopen-label\b|\bphase (?:I|II|1|2)[ab]?\b|\bpilot (?:study|trial)\b|\bfeasibility (?:study|"
    r"trial)\b"
)
_COMPARED = (
    r"\b(?:control(?:s|led)?|placebo|sham|versus|vs|random\w*|groups|arms|comparators?|"
    r"compared (?:with|to)|conventional|usual care)\b"
)
_OF_REVIEW = (
    r"systematic(?:ally)?[- ](?:\w+ )?(?:review|search|literature|overview)\w*|cochrane review|"
    r"umbrella review|"
    r"scoping review"
)

DESIGNS: tuple[Design, ...] = (
    Design(
        "systematic review and meta-analysis",
        10.0,
        _OF_REVIEW,
        r"meta-?\s?analy",
    ),
    Design(
        "meta-analysis",
        9.5,
        r"\bmeta-?\s?analy|\bpooled analysis of (?:\w+ ){0,3}(?:trials|studies)\b",
    ),
    Design(
        "systematic review",
        9.0,
        rf"\b(?:{_OF_REVIEW})|\b(?:medline|pubmed|embase)\b[^.]{{0,120}}\bsearch|"
        rf"\bsearch[^.]{{0,120}}\b(?:medline|pubmed|embase)\b",
    ),
    Design(
        "randomised crossover trial",
        7.5,
        (
            r"(?<!to )(?<!could )(?<!allowed )(?<!permitted )\bcross-?\s?over\b(?! (?:to|from|was "
            r"(?:allowed|permitted)))|"
            r"\b(?:receiv|took|perform|complet|given|underw|daily)\w*\b[^.]{0,120}\bin (?:a "
            r")?random(?:i[sz]ed)? (?:order|sequence)\b"
        ),
        rf"\b{_RANDOM}|{_AT_RANDOM}|\bdouble-blind[^.]{{0,200}}cross-?\s?over\b|"
        r"cross-?\s?over\b[^.]{0,200}\bdouble-blind",
    ),
    Design(
        "cluster randomised trial",
        8.0,
        rf"\bcluster[- ](?:\w+[- ])?{_RANDOM}|\bclusters? (?:was|were) {_RANDOM}|"
        rf"\bgroup-randomi[sz]ed\b",
    ),
    Design(
        "randomised controlled trial",
        8.5,
        (
            rf"\b{_RANDOM}\b[^.]{{0,80}}\b(?:trial|study|assign|allocat|receive|group|arm|into|to)|"
            rf"\b{_ASSIGNED} {_RANDOM}|"
            rf"{_AT_RANDOM}|\bRCT\b"
            rf"|\b(?:were|was) (?:then |also )?{_RANDOM}\b|\b{_RANDOM}[, -]+(?:\w+[-, "
            r"]+){0,5}(?:trial|study|design|"
            rf"experiment|comparison)"
            r"|\bdouble[- ]blind(?:ed)?\b[^.]{0,300}\bplacebo|\bplacebo[- "
            r"]controlled\b[^.]{0,300}\btrial"
        ),
    ),
    Design(
        "guideline",
        1.5,
        r"\bpractice guidelines?\b(?! recommend)|\bconsensus (?:statement|guideline|"
        r"recommendations)\b|\bposition (?:statement|paper)\b",
    ),
    Design(
        "economic evaluation",
        3.0,
        (
            r"\bcost[- ](?:effectiveness|utility|benefit|minimi[sz]ation) (?:analysis|model|"
            r"study)\b|\bcost analysis\b|"
            r"\bmarkov model\b|\b(?:pharmaco)?economic (?:evaluation|model|analysis)\b|"
            r"\bdecision[- "
            r"](?:analy\w+|tree)\b"
        ),
    ),
    Design(
        "case-control study", 5.0, r"\bcase[-– ]control|\bcase[-– ]referent|\bmatched controls?\b"
    ),
    Design(
        "before-and-after study",
        4.5,
        (
            r"\bbefore[- ]and[- ]after (?:study|design|trial)|\bpre-?(?:test)?[/ -]*(?:and "
            r")?post-?(?:test|"
            r"intervention)\b|\binterrupted time[- ]series\b"
            r"|\bquasi-?experimental\b|\bhistorical (?:control|cohort)\b"
        ),
    ),
    Design(
        "non-randomised controlled trial",
        6.0,
        r"\bnon-?randomi[sz]ed\b|\bcontrolled (?:clinical )?trial\b|"
        r"\bcontrolled before\b",
    ),
    Design(
        "diagnostic accuracy study",
        5.0,
        (
            r"\bdiagnostic (?:accuracy|performance|yield|value)\b|\bsensitivity\b|\breceiver[- "
            r"]operat|\bROC\b"
        ),
        (
            r"\bdiagnostic (?:accuracy|performance|yield|value)\b|\bspecificity\b|\breceiver[- "
            r"]operat|\bROC\b"
        ),
    ),
    Design(
        "qualitative study",
        3.5,
        r"\bqualitative\b|\bfocus groups?\b|\b(?:in-depth|"
        r"semi-?structured) interviews?\b|\bthematic(?:ally)? analy|\bgrounded theory\b",
    ),
    Design(
        "prospective cohort study",
        6.0,
        (
            r"\bprospective(?:ly)?\b[^.]{0,60}\b(?:cohort|follow|registry|"
            r"observational|longitudinal|database|study)"
            r"|\bcohort\b[^.]{0,40}\bprospective|\bprospectively (?:\w+ )?(?:collected|followed|"
            r"enrolled|studied|"
            r"evaluated)|\bprospective\b"
        ),
    ),
    Design(
        "retrospective cohort study",
        5.0,
        (
            r"\bretrospective(?:ly)?\b|\b(?:medical|hospital|patient|clinical) (?:records?|charts?|"
            r"notes) (?:\w+ )?(?:were|of|review)|\bchart reviews?\b"
            r"|\bregist(?:ry|er)\b|\badministrative (?:data|claims)|\bpropensity\b|"
            r"\bdatabase\b[^.]{0,60}\b(?:was|were|"
            r"between|from)\b"
        ),
    ),
    Design(
        "non-randomised controlled trial",
        6.0,
        r"\b(?:assigned|allocated|allotted)\b[^.]{0,60}\bto\b[^.]{0,120}\bcontrols?\b",
    ),
    Design(
        "cohort study",
        5.5,
        r"\bcohort\b|\blongitudinal\b|\bfollowed (?:up )?for\b|\bfollow-?up (?:study|of)\b|"
        r"\bbirth cohort\b|\bhazard ratio|\bcox (?:proportional|regression|model)",
    ),
    Design(
        "case series",
        2.5,
        (
            r"\bcase series\b|\bconsecutive (?:\w+ ){0,3}(?:patients|cases)\b|"
            r"\bseries of (?:our |the )?(?:\d+|\w+(?:-\w+)?) (?:\w+ ){0,2}(?:patients|cases|"
            r"children|"
            r"women|men|adults)\b|"
            r"\bwe report (?:our|on|the)\b|\bour experience\b"
        ),
    ),
    Design(
        "case report",
        1.5,
        r"\bcase reports?\b|\bwe (?:report|describe|present) (?:a|an|the|one|two|"
        r"three) (?:\w+ ){0,3}(?:case|patient)s?\b|\b(?:a|an) \d+[- ]year[- ]old\b",
    ),
    Design(
        "cross-sectional study",
        4.0,
        (
            r"\bcross-?\s?sectional\b(?! (?:areas?|imag|views?|diamet|anatom|scan|echo))|"
            r"\bprevalence study\b|\bcorrelational study\b|"
            r"\b(?:a|an|this|our|postal|online|web(?:-based)?|electronic|mail(?:ed)?|telephone|"
            r"national|internet|anonymous) survey\b|"
            r"\bsurvey (?:of|was|study|among|data)\b|\b(?:were|we) surveyed\b|\bquestionnaire "
            r"(?:survey|study)\b|"
            r"\bquestionnaires? (?:was|were) (?:\w+ )?(?:sent|mailed|posted|distributed|"
            r"administered|"
            r"returned)\b|"
            r"\breturned (?:the )?(?:questionnaires?|surveys?)\b|\brespondents\b"
        ),
    ),
    Design(
        "single-arm trial",
        4.5,
        (
            r"\bsingle-arm\b|\buncontrolled (?:study|trial)\b|"
            rf"\A(?![\s\S]*{_COMPARED})[\s\S]*?(?:{_PILOT})"
        ),
    ),
    Design(
        "narrative review",
        2.0,
        r"\bnarrative review\b|\bliterature review\b|"
        r"\breview of (?:the )?(?:\w+ )?literature\b|\b(?:this|the present) (?:article|"
        r"review|paper) (?:\w+ )?(?:reviews?|discuss|"
        r"summari[sz]e|describe|outline|focus)\w*|\bwe review\b|\b(?:is|are) reviewed\b",
    ),
)
"""Kinds of study, the more telling first: the first one whose pattern is found is taken."""

_STRENGTH = {design.name: design.strength for design in DESIGNS} | {
    "study protocol": 0.0,
    "animal study": 1.0,
    "laboratory study": 1.0,
}
_COMPILED = tuple(
    (design.name, tuple(anycase(pattern) for pattern in (design.pattern, design.also) if pattern))
    for design in DESIGNS
)
LONGEST_READ = 20_000
"""Characters of a title or an abstract that the rules look at: an abstract has a tenth, or is
none.
"""

_PUBLICATION_TYPES = (
    ("Meta-Analysis", "meta-analysis"),
    ("Systematic Review", "systematic review"),
    ("Randomized Controlled Trial", "randomised controlled trial"),
    ("Practice Guideline", "guideline"),
    ("Guideline", "guideline"),
    ("Case Reports", "case report"),
    ("Review", "narrative review"),
    ("Editorial", "editorial or letter"),
    ("Letter", "editorial or letter"),
    ("Comment", "editorial or letter"),
)
_REFINES = {
    "randomised controlled trial": ("randomised crossover trial", "cluster randomised trial"),
    "meta-analysis": ("systematic review and meta-analysis",),
    "systematic review": ("systematic review and meta-analysis",),
    "narrative review": (
        "systematic review and meta-analysis",
        "meta-analysis",
        "systematic review",
        "guideline",
    ),
}
_TITLE_ONLY = frozenset({"narrative review", "guideline", "case report"})
_ABOUT_OTHERS = anycase(
    r"\b(?:previous|prior|earlier|recent|several|many|few|most|other|existing|published)(?: "
    r"\w+){0,4} (?:trials?|"
    r"studies|reviews?|"
    r"meta-analyses|reports)\b|"
    r"\b(?:trials?|stud(?:y|ies)) (?:[\w-]+ ){0,12}(?:is|are|be|seems?|appears?) (?:now |still "
    r")?(?:warranted|needed|required)\b|"
    r"\black of\b|\bno (?:randomi[sz]ed|systematic)\b|"
    r"\Acase (?:reports?|series)\b[^.;]{0,60}? (?:suggest|have|indicate|show)\b"
)


@lru_cache(maxsize=512)
def study_design(article: Article) -> str | None:
    """Name of the design (see `DESIGNS`), or None where nothing in the record says.

    Looks at the publication types, then the title, then the sentences of the abstract about this
    study itself (not what others did and not what is still needed). What is on animals or things of
    the laboratory, or a plan (`clinfo.text.subjects`), is that before all else but an overview;
    where it is not sure that people were studied there is no trial and no cohort.
    """
    told = chances(article)
    likely = max(told, key=lambda kind: told[kind])
    if likely == "plan" or "Clinical Trial Protocol" in article.publication_types:
        return "study protocol"
    found = _design_of_people(article)
    if found in _OVERVIEWS:
        return found
    if found == "case report" and likely == "laboratory":
        return found
    if likely != "people":
        return "animal study" if likely == "animals" else "laboratory study"
    return None if found in _OF_PEOPLE and told["people"] < SURELY_PEOPLE else found


def _design_of_people(article: Article) -> str | None:
    """The design as the record's words tell it, whoever was studied."""
    sentences = abstract_sentences(article)
    others = other_authors(article)
    title = _first(article.title)
    typed = next(
        (name for kind, name in _PUBLICATION_TYPES if kind in article.publication_types), None
    )
    own = [
        replace(sentence, text=_OTHER_TRIAL.sub(" ", sentence.text))
        for sentence in sentences
        if sentence.role != "notice"
        and not is_outlook(sentence.text)
        and not _ABOUT_OTHERS.search(sentence.text)
        and not (others and others.search(sentence.text))
    ]
    body = _first(
        " ".join(sentence.text for sentence in own if sentence.role in ("methods", "results")),
        skip=_TITLE_ONLY,
    )
    text = " ".join(sentence.text for sentence in own)
    if typed is None and title is None and body not in (*_RANDOMISED, *REVIEWS):
        own_random = " ".join(
            each.text
            for each in own
            if each.role == "background"
            and _OWN_RANDOM.search(each.text)
            and _STUDIED.search(each.text)
        )
        body = _first(own_random, skip=_TITLE_ONLY) or body
    if typed is None and _is_of_one(article.title, text):
        return "case report"
    if typed is None and _PUBLISHED_CASES.search(article.title):
        return "case series"
    if title is None and (body or _first(text)) == "meta-analysis" and not _OWN_META.search(text):
        text = _META.sub(" ", text)
        body = _first(text, skip=_TITLE_ONLY)
    if typed is None and title is None and others and not _STUDIED.search(text):
        return "narrative review"
    if body in _RANDOMISED and _NOT_RANDOM.search(f"{article.title} {text}"):
        body = None
    if title in _RANDOMISED | {None} and _POOLED.search(f"{article.title}. {text}"):
        title = "meta-analysis"
    read = title or body or _first(text)
    if (
        typed is None
        and title not in _NAMED
        and read not in _SURE
        and _is_overview(article.title, text)
    ):
        return "narrative review"
    if typed is None and read in _RANDOMISED and title is None and not _OWN_RANDOM.search(text):
        read = body = _first(text, skip=_RANDOMISED | _TITLE_ONLY)
    if (
        typed is None
        and read in _RANDOMISED
        and _RETROSPECTIVE.search(article.title)
        and not _WERE_RANDOM.search(text)
    ):
        read = body = "retrospective cohort study"
    if read == "case series" and _OF_INSTRUMENT.search(article.title):
        return (
            "cross-sectional study"
            if re.search(r"\bsurvey", f"{article.title} {text}", re.IGNORECASE)
            else None
        )
    if typed is not None:
        refinements = _REFINES.get(typed, ())
        return next((name for name in (title, body) if name in refinements), typed)
    if title in (
        "cohort study",
        "case series",
        "single-arm trial",
        "cross-sectional study",
        "non-randomised controlled trial",
    ):
        return (
            body
            if body is not None
            and design_strength(body) >= design_strength(title)
            and body not in REVIEWS
            else title
        )
    if read == "randomised controlled trial":
        whole = _first(" ".join(sentence.text for sentence in own))
        return next((name for name in (body, whole) if name in _REFINES[read]), read)
    return read


def other_authors(article: Article) -> re.Pattern[str] | None:
    """A pattern of the authors of other studies of whom the abstract tells ("Sandler and
    colleagues"); None where it names none.
    """
    names = {name for s in abstract_sentences(article) for name in _COLLEAGUES.findall(s.text)}
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(names)))})\b") if names else None


_COLLEAGUES = regex(r"\b([A-Z][\w-]{2,}) (?:and|&) (?:colleagues|co-?workers)\b")
_ONE_PERSON = (
    r"\b(?:in|of|an?|the) (?:an? )?(?:[\w-]+ ){0,5}(?:(?:out-?|in-?)?patient|man|woman|boy|girl)\b"
)
_OF_ONE = anycase(
    rf"\bcase (?:study|report)\b[^.]{{0,120}}{_ONE_PERSON}|\bcase (?:study|report)\W*\Z"
)
_SINGLE_PATIENT = anycase(r"\bsingle[- ]patient case (?:report|study)\b")
_PERSON = anycase(_ONE_PERSON)
_PUBLISHED_CASES = anycase(r"\b(?:published|reported) cases\b")
_META = anycase(r"\bmeta-?\s?analy\w*")
_OWN_META = anycase(
    r"\b(?:we|was|were|by|this|present|our|in(?: (?:a|the|this))?|using|random[- ]effects?|"
    r"fixed[- ]effects?)\s(?:(?:[\w-]+)\s){0,4}meta-?\s?analy|\bpooled\b|\bsearch|"
    r"\bmeta-?\s?analy\w*[^.;]{0,240}\b(?:was|were|of (?:the|these|all|\d+|\w+ trials))\b"
)
"""A meta-analysis of one's own, not one that an overview speaks of."""
_NOT_RANDOM = anycase(r"\bnon-?randomi[sz]ed (?:and \w+ )?(?:nature|design|study)\b")
_POOLED = anycase(
    r"\b(?:combined|pooled|integrated) analys[ie]s of (?:[\w-]+ ){0,4}(?:trials|studies|data)\b|"
    r"\bin this (?:combined|pooled|integrated) analys[ie]s\b[^.;]{0,60}\btrials\b|"
    r"\bin this (?:combined|pooled|integrated) analys[ie]s\b[^.;]{0,60}\d [^.;]{0,60}\bstudies\b|"
    r"\b(?:trials|RCTs)\b[^.;]{0,80}\bconsidered eligible for this (?:review|analysis)\b|"
    r"\banalys[ie]s of (?:all )?\d+ [^.;]{0,80}\btrials\b|"
    r"\bdata from all [^.;]{0,60}\btrials\b"
)
"""Several trials analysed together."""


def _is_of_one(title: str, text: str) -> bool:
    """Return whether a study has one patient."""
    return _SINGLE_PATIENT.search(text) is not None or (
        _OF_ONE.search(title) is not None and _PERSON.search(f"{title} {text}") is not None
    )


_OTHER_TRIAL = anycase(
    r"\b(?:had (?:taken part|participated)|"
    r"(?:follow\w*|asked|comments?|based)\b[^.;,]{0,30}?\b(?:up|on|about)) "
    r"(?:in )?(?:an?|the) [^.;,]{0,60}?\b(?:trial|study)\b|"
    r"\b(?:trial|study) (?:that|which) had\b[^.;,]*|"
    r"\b(?:an?|the) (?:[\w-]+ ){1,4}?(?:trial|study)(?= (?:that|which) had\b)"
)
"""Another study, of which a clause speaks: "who had taken part in a randomised trial"."""
SURELY_PEOPLE = 0.85
"""A record is ranked as a trial or a cohort of people where the probability that it is one on
people is at least this.
"""
_RANDOMISED = frozenset(
    {"randomised controlled trial", "randomised crossover trial", "cluster randomised trial"}
)
_OF_PEOPLE = _RANDOMISED | {
    "non-randomised controlled trial",
    "single-arm trial",
    "before-and-after study",
    "prospective cohort study",
    "retrospective cohort study",
    "cohort study",
}
_SURE = frozenset(
    {
        "systematic review and meta-analysis",
        "meta-analysis",
        "systematic review",
        "guideline",
        "case report",
    }
)
"""Designs that an article which calls itself an overview may still have."""
_NAMED = frozenset(
    {
        "case series",
        "cohort study",
        "prospective cohort study",
        "cross-sectional study",
        "economic evaluation",
    }
)
"""Designs that a title names even where it speaks of a review."""
_ONE_STUDY = (
    r"(?:trial|study|design|experiment|comparison|evaluation|manner|fashion|protocol|work|"
    r"investigation|RCT|order|treatment)\b"
)
_OWN_RANDOM = anycase(
    rf"\b(?:were|was) (?:[\w-]+ ){{0,3}}{_RANDOM}\b|\b{_RANDOM} (?:then )?(?:{_ASSIGNED}|received?|"
    rf"to)\b|\b{_ASSIGNED} {_RANDOM}|"
    r"\b(?:study|studies|trials?) (?:was|were) (?:randomi[sz]ed|double[- ]blind)|\b(?:following|"
    r"after) randomi[sz]ation|"
    rf"\b(?:two|three|2|3) (?:[\w-]+,? ){{0,3}}{_RANDOM},? [^.;]{{0,80}}\b(?:trials|studies)\b|"
    r"placebo-controlled administration|"
    rf"{_AT_RANDOM}|\b(?:we|trials?|study|studies) {_RANDOM}\b|\b{_RANDOM} \d|"
    rf"\b(?:{_RANDOM}|placebo|blind(?:ed)?|masked)\b[^.;]{{0,110}}?[\s-]{_ONE_STUDY}|\bplacebo[- "
    r"]controlled\b[^.;]{0,40}\bin \d"
)
"""Words of a study that randomised people itself: one trial, not "randomised trials" in general."""
_STUDIED = anycase(
    rf"\b(?:{either('numerals', 'design')}|(?<![<>])(?<![<>] )(?<![\d,])\d[\d,]*|(?:twenty|thirty|"
    r"forty|fifty|sixty|seventy|eighty|ninety|one hundred|two hundred)(?:[- ]\w+)?)\s"
    rf"(?:(?!mg\b|to\b|weeks?\b|days?\b|years?\b)[\w()/+-]+\s)"
    rf"{{0,5}}?(?:{either('people', 'design')})\b|\b(?:patients|subjects|volunteers|"
    rf"participants|children|women) (?:[\w,-]+ ){{0,6}}(?:were|was) (?:[\w-]+ )?{_RANDOM}"
)
"""Words of a study that had people of its own."""
_OVERVIEW = anycase(
    r"\b(?:an? )?(?:clinical |brief |comprehensive |critical |comparative |pharmacologic\w* "
    r")?(?:review|overview|"
    r"update) (?:of|on|and|its)\b"
    r"(?! (?:our|the (?:records|charts)|\d|(?:\w+ ){0,2}(?:cases|patients|charts|records)))|"
    r"\A\W*review article|(?<!year )(?<!case )(?<!chart )(?<!record )(?<!literature )\b(?:review|"
    r"update|overview)\W*\Z|"
    r"\b(?:[Cc]urrent|[Nn]ew|[Rr]ecent) (?:\w+ ){0,3}(?:guidelines|concepts|status|principles|"
    r"advances|developments|perspectives|"
    r"trends|approaches)\b|\b[Cc]urrent (?:diagnosis|treatment|management)\b|: a(?: new|"
    r" novel)? (?:\w+ ){0,3}agent\b|\bstate of the art\b"
)
_REVIEWING = anycase(
    r"\bliterature (?:was|is|were) reviewed\b|\b(?:this|the present) (?:article|review|paper|"
    r"overview) (?:\w+ )?(?:reviews?|discuss|"
    r"summari[sz]e|outline|focus|consider|address)\w*|\b(?:is|are) reviewed\b|"
    r"\bwe review(?: the| recent| current| available)\b"
)
_WERE_RANDOM = anycase(rf"\b(?:were|was) (?:[\w-]+ ){{0,3}}{_RANDOM}\b|{_AT_RANDOM}")
_RETROSPECTIVE = anycase(r"\bretrospective(?:ly)?\b")
_OF_INSTRUMENT = anycase(
    r"\bsurvey\b|\b(?:validity|validation|reliability|psychometric\w*|instruments?|questionnaires?|"
    r"monitoring system)\b"
)


def _is_overview(title: str, text: str) -> bool:
    """Return whether an article without people of its own tells what is known."""
    if _RETROSPECTIVE.search(title) or _STUDIED.search(text):
        return False
    return _OVERVIEW.search(title) is not None or _REVIEWING.search(text) is not None


REVIEWS = ("systematic review and meta-analysis", "meta-analysis", "systematic review")
_OVERVIEWS = frozenset(
    {*REVIEWS, "narrative review", "guideline", "editorial or letter", "economic evaluation"}
)


def design_strength(design: str | None) -> float:
    """Return how much weight a finding of this design carries, 0 (a protocol: no finding) to 10;
    3.0 where it is unknown.
    """
    return _STRENGTH.get(design or "", 0.5 if design == "editorial or letter" else 3.0)


def _first(text: str, skip: frozenset[str] = frozenset()) -> str | None:
    if not text:
        return None
    text = text[:LONGEST_READ]
    return next(
        (
            name
            for name, patterns in _COMPILED
            if name not in skip and all(pattern.search(text) for pattern in patterns)
        ),
        None,
    )


_CAVEATS = (
    (
        "open label",
        r"\bopen[- ]label(?:led)?\b|\bunblinded\b|\bnon-?blinded\b|\bnot (?:be )?blinded\b",
    ),
    ("single blind", r"\bsingle[- ]blind"),
    (
        "pilot study",
        (
            r"\bpilot\b|\bfeasibility (?:study|trial)\b|\bpreliminary (?:study|trial|results|data|"
            r"evidence)\b"
        ),
    ),
    (
        "single centre",
        r"\bsingle[- ](?:cent(?:er|re)|institution|site|hospital|surgeon)\b|\bone (?:cent(?:er|re)|"
        r"hospital|institution)\b",
    ),
    ("retrospective data", r"\bretrospective(?:ly)?\b|\bchart review\b"),
    ("self-reported data", r"\bself-?report(?:ed|s)?\b|\brecall\b"),
    (
        "incomplete follow-up",
        r"\b(?:lost to follow-?up|dropped out|drop-?outs?|attrition|withdr(?:ew|awals?))\b",
    ),
    (
        "low power stated",
        r"\bunder-?powered\b|\b(?:low|limited|insufficient|lack of) (?:statistical )?power\b|"
        r"\bstopped (?:early|prematurely)\b|\bterminated early\b",
    ),
    (
        "small sample stated",
        r"\bsmall (?:sample|number|group|study|cohort)\w*\b|\blimited (?:sample|number)\b",
    ),
    ("heterogeneous studies", r"\bheterogene(?:ity|ous)\b"),
    (
        "low-quality studies included",
        r"\b(?:low|poor|limited|moderate)[- ](?:\w+ )?quality\b|\b(?:high|"
        r"unclear) risk of bias\b|\bpublication bias\b",
    ),
)
_CAVEAT_PATTERNS = tuple((words, anycase(pattern)) for words, pattern in _CAVEATS)
_NEGATED = anycase(r"\b(?:no|not|without|little|low)\s+(?:\w+\s+){0,2}$")
_OF_REVIEWS_ONLY = frozenset({"heterogeneous studies", "low-quality studies included"})
_UNCONTROLLED = frozenset({"case series", "case report", "single-arm trial"})
_OBSERVATIONAL = frozenset(
    {
        "cohort study",
        "prospective cohort study",
        "retrospective cohort study",
        "case-control study",
        "cross-sectional study",
    }
)
SMALL_SAMPLE = 50
"""Fewer participants than this are called a small sample."""
NOT_STATED = "not stated in the abstract"


def risk_of_bias(article: Article, design: str | None, sample_size: int | None) -> str:
    """Return what may bias the findings, in plain words that title and abstract allow, joined by ";
    ", or `NOT_STATED`.
    """
    text = f"{article.title}. " + " ".join(
        s.text for s in abstract_sentences(article) if s.role != "notice"
    )
    review = design in REVIEWS
    found: list[str] = []
    if design in _UNCONTROLLED:
        found.append("no control group")
    elif design in _OBSERVATIONAL:
        found.append("observational, so confounding is possible")
    if sample_size is not None and sample_size < SMALL_SAMPLE and not review:
        found.append(f"small sample ({sample_size})")
    for words, pattern in _CAVEAT_PATTERNS:
        if (words in _OF_REVIEWS_ONLY) != review or (
            words == "small sample stated" and any("small" in each for each in found)
        ):
            continue
        match = pattern.search(text)
        if match is not None and not _NEGATED.search(text[: match.start()]):
            found.append(words)
    return "; ".join(found) if found else NOT_STATED
