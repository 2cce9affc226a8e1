"""The sample size and population of a study, as stated in its abstract.

Wrong sizes are worse than missing ones, so only statements about the whole sample are read. In this
order: people randomised, people who entered (enrolled, included, took part, "a trial in 60
adults"), people analysed or followed, people merely mentioned in the methods. Left out are parts of
the sample ("60 of them", "12 (10%)", "30 in each group", the sizes of outcomes), numbers that are
planned, invited or rough, and everything counted that is not a person: records, studies, hospitals.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from clinfo.lazy_dataclass import dataclass
from clinfo.records.articles import Article
from clinfo.text.abstracts import AbstractSentence, abstract_sentences
from clinfo.text.design import other_authors, study_design
from clinfo.text.lexicon import either
from clinfo.text.numerals import Numeral, numerals, plain
from clinfo.text.regex import anycase, regex

_PEOPLE = rf"(?:{either('people', 'sample_size')})\b"
_STUDIES = rf"(?:{either('study_kinds', 'sample_size')})"
_NO_ADJECTIVE_OF_PEOPLE = (
    r"(?:of|in|with|from|to|for|by|at|on|per|who|that|which|were|was|are|is|had|has|have|did|"
    r"received|underwent|versus|vs|as|"
    r"after|before|than|among|between|when|while|whose|treated|more|fewer|less|additional|trials?|"
    r"studies|RCTs?|reports?|articles?|"
    r"papers|records?|publications?|reviews?|abstracts|citations|hospitals?|cent(?:er|re)s?|"
    r"clinics?|sites?|practices?|schools?|"
    r"villages?|countries|wards?|units?|classes|clusters?|groups?|arms?|times?|years?|months?|"
    r"weeks?|days?|hours?|"
    r"min|minutes?|mg|g|kg|ml|mm|cm|describing|including|involving|containing|comprising|showing|"
    r"using|treating|sessions?|doses?|"
    r"samples?|items?|points?|eyes|teeth|grade|thousand|million|per ?cent)\b"
)
_CLASS = (
    r"(?:ASA|NYHA|class|grade|stage|status)\s[\dIV]{1,3}(?:\s?(?:or|and|to|[-/,])\s?[\dIV]{1,3})*"
)
"""A class of people between their number and their name: "ASA 1 or 2"."""
_WHOM = anycase(
    r"(?!\s(?-i:h|hrs?|min|mins|mm|cm|kg|mL)\b)"
    rf"(?:\s\(\s?(?:n\s?=\s?)?\d[\d,]*\s?\))?\s+(?:(?!{_NO_ADJECTIVE_OF_PEOPLE})"
    r"(?:[^\W\d][\w'/-]*(?:\s\([^()]{1,30}\))?|"
    rf"\ue001+),?\s+|(?:physical\s)?{_CLASS}\s+){{0,9}}?{_PEOPLE}"
)
_BARE = anycase(
    r"\s+(?:(?:were|was)\s+(?:then\s+|finally\s+|subsequently\s+|eventually\s+)?(?:randomi[sz]ed|"
    r"randomly|enrolled|recruited|"
    r"included)\b"
    r"|(?:of\s+(?:them|these|whom)\b))"
)
"""Words after a number that counts people named before it."""

_BARE_VERB = regex(r"\s+(?:were|was)\b")
_RANDOM = anycase(
    r"\brandomi[sz]\w*|\brandomly\b|\bat random\b|\brandom(?= (?:allocation|assignment|order))"
)
_ASSIGNED = anycase(r"\b(?:assigned|allocated|allotted|divided|split)\b")
_ENTERED = anycase(
    r"\b(?:enrolled|recruited|included|studied|participated|took part|taking part|entered|joined|"
    r"investigated|surveyed|"
    r"interviewed|responded)\b"
)
_VERB = anycase(r"\b(?:were|was|are|is|had|have|has|who|did|\w{3,}ed)\b")
_ANALYSED = anycase(
    r"\b(?:analy[sz]ed|evaluated|reviewed|examined|assessed|completed|finished|followed|tested|"
    r"compared|identified|evaluable|"
    r"available)\b"
)
_TREATED = anycase(r"\b(?:treated|received|underwent|given|took)\b")
_SCREENED = anycase(r"\b(?:screened|invited|approached)\s")
_LOST = anycase(
    r"\b(?<!who )(?:screened|invited|approached|contacted|excluded|declined|refused|withdr\w+|"
    r"dropped|discontinued|lost to|died|"
    r"ineligible|(?:is|are|was|were|be) (?:required|needed|planned|necessary)|will|would|to be|may "
    r"be)\b"
)
"""Words for people who are no participants, or no longer, or not yet."""
_OUTCOME = anycase(
    r"\b(?<!who )(?<!that )(?:had(?! been)|developed|experienced|reported|exhibited|displayed|"
    r"vomited|showed|achieved|failed|"
    r"relapsed|needed|required|"
    r"complained|responded|improved|reached|suffered|"
    r"were (?:diagnosed|cured|lost|found)|met|preferred|recovered|remained)\b"
)
_EVENT = anycase(
    r"^(?:\s\([^)]*\))?\s(?:\w+ly\s)?(?:reported|experienced|developed|exhibited|displayed|complained|"
    r"improved|relapsed|vomited|preferred|recovered)\b|^, all (?:in|of|on)\b|\bwere reported\b"
)
"""What some of the people did: "five patients reported burning" says nothing of how many there
were.
"""
_THERE_WERE = anycase(r"\bthere (?:were|was)\s$")
_ONE_ARM = anycase(
    r"^\s*(?:\([^)]*\)\s*)?(?:(?:each|apiece|per)\b|in (?:both|either)\b|in groups? [A-Z\ue001]|"
    r"(?:(?:were|was)\s+)?(?:randomly\s+)?(?:in|from|of|on|assigned to|allocated to|randomi[sz]ed "
    r"to|given|received|receiving)\s+"
    r"(?:the|each|every|a|this)?\s*(?:[\w+/-]+\s+){0,4}?(?:(?:group|arm)\b|placebo\b|sham\b)"
    r"(?!\s+(?:or|and|versus|vs)\b)(?!,))"
)
_NO_SAMPLE_BEFORE = anycase(
    r"(?:[<>=≤≥±+~≈(\[–/-]\s?|\b(?:per|every|each|aged|age|over|under|about|approximately|around|"
    r"nearly|almost|some|than|"
    r"at least|at most|up to|only|another|additional|further|other|grade|type|phase|"
    r"ASA|NYHA|class|status|stage|groups of|"
    r"control group of|or|vs\.?|versus|"
    r"remaining|(?:group|arm)[^.;,]{0,30}\b(?:of|included|comprised|had)|"
    r"each[^.;,]{0,30})\s(?:the\s)?|\d\s(?:and|to|or)\s)$"
)
_PLANNED = anycase(
    r"\bsample size (?:of|calc|estim)|\bpower\b|\bcalculated\b|\bplan(?:s|ned)? to\b|\bwill\b|"
    r"\baim(?:s|ed|ing)? to (?:include|enrol|recruit)"
)
_OF_STUDY = anycase(
    rf"\b(?:{either('study_kinds', 'of_study')})\b[^;:]{{0,60}}?(?:\b(?:of|in|on|with|among|"
    r"from|involving|comprising|comprised|consisted of)\s)(?:a total of\s|all\s|the\s)?$|"
    r"\ba total of\s$"
)
_OF_STUDIES = anycase(
    rf"\b{_STUDIES}\b[^.;:]{{0,40}}?[(,]?\s?(?:with|involving|including|comprising|totall?ing|of|"
    r"on|in|enrolling|and)?\s?"
    r"(?:a total of\s)?$"
)
_STUDIES_BRACKETED = anycase(rf"\b{_STUDIES}\s?(?:\(|[,;]\s?)$")
_VERB_BEFORE = anycase(
    r"\b(?P<verb>[a-z]+)\s(?:assigned\s|allocated\s|divided\s|data (?:of|from|on)\s)?(?:a total "
    r"of\s|all\s|the\s|our\s)?$"
)
_SHARE = regex(r"\s*\(\s?\d[\d.]*\s?%\s?[);,]")
_LISTED = anycase(r"(?:,|\band|\bplus|\bwith)\s(?:the\s)?$")
_PART = anycase(
    rf"(?:\d|\b(?:{either('numerals', 'design')})|t(?:y|een))(?:\s\([^)]*\))?\s"
    r"(?:out\s)?of\s(?:the\s)?$|"
    r"\w,?\sout of\s(?:a total of\s|all\s|the\s)?$"
)
_OF_OTHERS = anycase(
    r"^\W*of (?:the|these|those)\s[^.;]{3,120},\s$|"
    r"\b(?:in|for) the [\w -]{1,30}\b(?:cohort|group|arm),?\s"
    r"(?:there were\s)?$|"
    r"\b(?:observed|occurred|seen|noted|found|present|reported|developed|detected|"
    r"persisted|resolved)"
    r"\s(?:(?:at|after|during|within|by)\s(?:\w+\s){1,3})?in\s(?:the\s)?$"
)
"""Words before a part of the people: "Of the women with asthma, 20", "rashes were seen in 7"."""
_SOURCE = anycase(
    r"\b(?:databases?|regist(?:er|ry)|(?:health|insurance) plans?|insur\w+)\b[^.;]{0,60}?"
    r"\b(?:comprising|"
    r"encompassing|covering|containing|serving|representing|including|with)\s"
    r"(?:data (?:on|of|from)\s)?$|"
    r"\b(?:attended|attends|serving|serves)\s$"
)
"""Words before the people of whom a source tells, who are no sample."""
_MOST_PEOPLE = 1_000_000
"""So many people are the source of a sample."""
_SUPPLEMENT = anycase(r"\bsupplement(?:al|ary) analys[ie]s\b")
_LATER_PHASE = anycase(r"\b(?:maintenance|extension|continuation|re-?randomi[sz]ed)\b")
_WERE_RANDOM = anycase(
    r"\brandomly (?:assigned|allocated|divided)\b|\brandomi[sz]ed to\b|\bwere randomi[sz]ed\b"
)
_TAKING = (
    r"(?:(?:who\s)?(?:(?:were|was|had|been|being|then|randomly)\s){0,3}(?:(?:randomi[sz]ed|assigned|"
    r"allocated|allotted)\sto|treated\s(?:with|for|by)|received|receiving|given|administered|taking|took)|"
    r"who\s(?:were|was|did|had)\snot)\b"
)
_TAKES = anycase(rf"\s{_TAKING}")
_WITH = anycase(r"\swith\b")
_BARE_ARM = anycase(
    r"\s(?!(?:mg|g|ml|kg|mm|min|h|days?|weeks?|months?|years?|hours?|times|doses?|with|who|were|was|had|in|of|did|from|aged|have|\w+ed)\b)[a-z-]+(?P<end>[.,;)])?"
)
"""What the next arm took, where the verb is left out: "and 103 patients water"."""
_NEXT_ARM = anycase(r"(?:\band|,|;|\bversus|\bvs\.?|\bcompared with)\s(?:the\s|another\s)?$")
_MOST_UNLIKE = 5
"""So many times as large as the smallest arm the largest is at most."""
_NO_NEXT_ARM = anycase(r"\b(?:were|was|had|followed|developed|experienced|showed)\b")
_N_EQUALS = regex(r"(?<![(\[])\b[nN]\s?=\s?$")
_OPENING = anycase(
    r"^\W*(?:(?:out )?of|among|from)\s(?:the\s|all\s|these\s)?$|[;:]\s(?:of|among)\s(?:the\s)?$"
)
_AVAILABLE = anycase(r"\bavailable (?:for|from|in|on)\s(?:the\s|all\s)?$")
_OTHERS = anycase(
    r"\b(?:previous|prior|earlier|other|published|worldwide|annually|each year|per year)\b|"
    r"\bestimated\b|"
    r"\b(?:in|into|to|for) the (?:original|parent|larger) (?:trial|study|cohort)\b"
)
_BRACKET = regex(
    r"(?:[(\[]|;(?=[^(\[]{0,300}[)\]]))[^()\[\];]{0,40}?"
    r"(?<![\w-])[nN]\s?=\s?(?P<n>\d{1,3}(?:[,\u2009 ]\d{3})+(?!\d)|"
    r"\d+)(?!\.?\d|\s?%)"
)
_MADE_UP = anycase(r"\b(?:age|men|women|smokers|(?:fe)?males?)\b")
"""What a bracket tells of the people beside their number."""
_WHOM_OF = anycase(r"\bwhom\b|\bincluding\b|\bof these\b")
_OF_SUBGROUP = anycase(
    r"^\W*(?:among|of|in) (?:those |the )?(?:patients|people|subjects|women|men)\b"
)
_BEFORE_BRACKET = anycase(rf"\b{_PEOPLE}[^.;()]{{0,90}}$")
_COUNTED_OTHERWISE = anycase(
    r"(?:trials?|stud(?:y|ies)|RCTs?|records?|articles?|papers|reports?|hospitals?|sites?|"
    r"cent(?:er|re)s?|groups?|arms?|"
    r"practices|schools|eyes|samples)\s$"
)
_SUBSTUDY = anycase(
    r"\bsub-?stud(?:y|ies)\b|\bsub-?group analysis\b|\bancillary (?:study|analysis)\b"
)
_PARTS = regex(
    r"\b(?:[Pp]art|[Ss]tudy|[Ee]xperiment|[Tt]rial)s? (?:[12]|I|II|A|B|one|two)\b(?![,.]\d)|\btwo "
    r"(?:parts|experiments)\b"
)
_TWO_STUDIES = anycase(r"\btwo\b[^.;]{0,60}\b(?:trials|studies)\b")
_SEX = anycase(r"\s+(?:healthy\s)?(?:fe)?males?\s+and\s+(?=[\dA-Za-z])")
_AND = regex(r"\s+and\s+(?=[\dA-Za-z])")
_ARMS = anycase(
    r"\b(?:assigned|allocated|allotted|divided|split|groups?|arms?|either|receive[sd]?|took|"
    r"given)\b"
)
_ARM_PAIR = anycase(
    r"(?<![\w.,/=-])(?P<a>\d{1,4})(?: of them)? (?:with|on|in|to|received|were given|had|did) "
    r"(?P<one>[^.;,()\d]{2,60}) and "
    r"(?P<b>\d{1,4}) (?:with|on|in|to|received|were given|had|did) (?P<other>[^.;,()\d]{2,60})"
)
_SPLIT = anycase(
    r"(?<![\w.,/=-])(?P<one>\d{1,3}(?:,\d{3})+|\d+)\s(?:\w+\s){0,3}?(?:were|"
    r"was)\s(?:then\s)?(?:randomly\s)?"
    r"(?:randomi[sz]ed|allocated|assigned|allotted)\sto\s[^.;\d]{1,80}(?:\band\b|"
    r",)\s(?P<other>\d{1,3}(?:,\d{3})+|\d+)\s"
    r"(?:\w+\s){0,3}?(?:(?:were\s)?(?:randomi[sz]ed|allocated|assigned|"
    r"allotted)\s)?to\b(?![^.;]{0,60}\band\s\d)"
)
"""Two arms in running text: "66 were randomised to walking and 73 to rest"."""
_CONTROL = anycase(r"\b(?:placebo|sham|controls?|usual care|conventional|standard)\b")
_ARM_NUMBERS = {"three": 3, "3": 3, "four": 4, "4": 4, "five": 5, "5": 5, "six": 6, "6": 6}
_TOLD_ARMS = anycase(
    r"(?<![\d.])\b(?P<n>three|four|five|six|[3-6])[\s-](?:(?:equal|treatment|study|parallel|"
    r"different|intervention|dose|of|the|"
    r"randomi[sz]ed|experimental)[\s-]){0,3}(?:groups?|arms?)\b"
)
_REVIEW = anycase(
    r"\bmeta-?\s?analy|\bsystematic(?:ally)? review|\bpubmed\b|\bmedline\b|\bembase\b|\bcochrane\b"
)

_RANDOMISED, _ENTERS, _ANALYSES, _TREATS, _MENTIONED = 9.0, 7.0, 5.0, 4.0, 3.0
_WINDOW = 220
"""Characters on either side of a number that say what it counts."""


@dataclass(frozen=True)
class _Count:
    """A number of people at [start, end) of a sentence; ``named`` where the people are named after
    it.
    """

    start: int
    end: int
    value: int
    named: bool = True


@lru_cache(maxsize=512)
def sample_size(article: Article) -> int | None:
    """Number of people studied, or None where the abstract does not say it clearly.

    The surest statement wins (see the module), the earlier one of two alike. Arms ("(n = 20)", "(n
    = 22)") are added up where one sentence names them all (as many as the study says it has), and
    so are two trials reported together ("904 and 934 patients were treated"). Of a substudy the
    people randomised in the whole trial are not taken. A study in parts with samples of their own
    has no one size.
    """
    design = study_design(article)
    if design in _NO_SAMPLE:
        return None
    others = other_authors(article)
    sentences = [
        s
        for s in abstract_sentences(article)
        if s.role != "notice" and not (others and others.search(s.text))
    ]
    told = arms_told(sentences)
    review = bool(_REVIEW.search(article.title)) or any(
        _REVIEW.search(s.text) for s in sentences if s.role == "methods"
    )
    substudy = bool(_SUBSTUDY.search(article.title)) or any(
        _SUBSTUDY.search(s.text) for s in sentences
    )
    if not review and any(
        _PARTS.search(s.text) for s in sentences if s.role == "methods" or not s.labelled
    ):
        return None
    best: tuple[float, int] | None = None
    best_place, random = 0, False
    stated: dict[int, int] = {}  # the place where each number was first stated
    for place, sentence in enumerate(sentences):
        aside = sentence.labelled and sentence.role in ("background", "conclusion")
        for rank, value in _statements(sentence, review, substudy, told, design):
            later = (
                value < max(stated, default=0)
                and _LATER_PHASE.search(sentence.text)
                and (random or " then " in sentence.text)
            )
            score = rank - 0.02 * place - (2.5 if aside else 0.0)
            if score > 1.5 and not later:
                stated.setdefault(value, place)
                if best is None or score > best[0]:
                    best, best_place = (score, value), place
        random = random or _WERE_RANDOM.search(sentence.text) is not None
    if best is not None:
        size = best[1] if best[0] >= _SURE else _largest(stated, best[1], best_place)
        if design == "randomised crossover trial" and size == 2 * best[1]:
            size = best[1]  # both arms are the same people
        whole = 0 if best[0] >= _SURE else max(map(_largest_whole, sentences), default=0)
        return None if size is None or size < whole else size
    titled = [] if review else list(_counts(_joined(article.title)))
    return titled[0].value if len(titled) == 1 and titled[0].value > 4 else None


_NO_SAMPLE = frozenset({"study protocol", "narrative review", "editorial or letter", "guideline"})
"""Designs without people of their own: what is planned is nobody yet."""
_SURE = 5.5
"""A statement that scores less may be of a part: the largest number of people stated is taken."""


def _largest(stated: dict[int, int], value: int, place: int) -> int | None:
    """The largest number of people stated (at its place), where the value that seemed the surest
    may be a part of it; None where it may be an arm beside it, or others.
    """
    most = max(stated)
    beside = next(each for each in stated if stated[each] == stated[most]) != most
    if most == value:
        return None if beside else value
    after = stated[most] > place and most < 2 * value
    return None if beside or after or most > 5 * value else most


def _largest_whole(sentence: AbstractSentence) -> int:
    """The most people of whom the sentence tells a part ("48 of 61 patients"), or 0."""
    if sentence.labelled and sentence.role in ("background", "conclusion"):
        return 0
    text = _joined(sentence.text)
    wholes = (
        count.value
        for count in _counts(text)
        if _PART.search(text[max(0, count.start - 40) : count.start])
        and not _LOST.search(text[max(0, count.start - 40) : count.end + 60])
    )
    return max(wholes, default=0)


@lru_cache(maxsize=512)
def analysed_size(article: Article) -> int | None:
    """Number of people analysed, or who finished, where the abstract says it and it is fewer than
    `sample_size`; else None.
    """
    whole = sample_size(article)
    if whole is None:
        return None
    found: list[int] = []
    for sentence in abstract_sentences(article):
        if sentence.role not in ("methods", "results"):
            continue
        text = _joined(sentence.text)
        for number in _grouped(text, numerals(text)):
            value, after = int(number.value), text[number.end : number.end + 90]
            before = text[max(0, number.start - 60) : number.start]
            if not LEAST_ANALYSED * whole <= value < whole or value != number.value:
                continue
            if _WERE_ANALYSED.match(after) or (_ANALYSIS_OF.search(before) and _WHOM.match(after)):
                found.append(value)
    return max(found, default=None)


LEAST_ANALYSED = 0.5
"""Share of the sample that those analysed are at least: fewer are a part of it."""
_WERE_ANALYSED = anycase(
    rf"(?:\s\([^)]{{1,60}}\))?(?:\s(?:[\w-]+\s){{0,3}}?{_PEOPLE})?(?:\s\([^)"
    r"]{1,60}\))?,?\s(?:(?!not\b|in\b|each\b|"
    r"to\b)[a-z]+\s){0,6}?"
    r"(?:analy[sz]ed|evaluable|assessable|evaluated|(?:included|available|eligible) (?:in|for) "
    r"(?:the |"
    r"our )?(?:\w+[ -]){0,3}analys[ie]s|"
    r"completed (?:the |all |both )?(?:\w+[ -]){0,2}(?:study|trial|follow|intervention|treatment|"
    r"protocol|visits?|"
    r"assessments?|experiment|program))"
)
_ANALYSIS_OF = anycase(
    r"\b(?:analys[ie]s (?:of|included|comprised|was based on)|data (?:of|from|on)|we analy[sz]ed|"
    r"leaving)\s(?:a total of |the |all )?\Z"
)
_SPACED = anycase(
    r"(?P<first>(?:\b[nN]\s?=\s?|\btotal of |\bsample of |\A\W?|\b(?:randomi[sz]ed|recruited|"
    r"enrolled|included|among|"
    rf"of|in) )[1-9]\d{{0,2}}), "
    rf"(?P<rest>\d{{3}})(?=\)|\]|\s(?:[\w-]+\s){{0,3}}?{_PEOPLE})"
)
"""Thousands set apart by a comma and a space: "n = 1, 334", "a total of 1, 334 women"."""
_ONE_HUNDRED = anycase(r"\ba (?=(?:hundred|thousand)\b)")


def _joined(text: str) -> str:
    """A plain text whose numbers are written as one: "n = 1, 334", "a hundred and twenty"."""
    return _ONE_HUNDRED.sub("one ", _SPACED.sub(r"\g<first>,\g<rest>", plain(text)))


def arms_told(sentences: Sequence[AbstractSentence]) -> int | None:
    """Return how many groups the study says it has, where these are three or more; the largest
    number that it says.
    """
    found = [
        _ARM_NUMBERS[match["n"].lower()]
        for each in sentences
        for match in _TOLD_ARMS.finditer(each.text)
    ]
    return max(found, default=None)


def _statements(
    sentence: AbstractSentence,
    review: bool,
    substudy: bool,
    told: int | None = None,
    design: str | None = None,
) -> Iterator[tuple[float, int]]:
    """Yield how sure (a rank) and how many, for every statement of a sample in the sentence;
    ``told`` is the number of groups.
    """
    text = _joined(sentence.text)
    if _SUPPLEMENT.search(text):
        return
    counts = list(_counts(text))
    split = None if review or told else _SPLIT.search(text)
    if split is not None:
        yield (
            _RANDOMISED if _RANDOM.search(text) else _ENTERS,
            sum(int(re.sub(r"\D", "", split[arm])) for arm in ("one", "other")),
        )
    arms = [] if review or split else _listed_arms(text, counts, told)
    if arms and not (sentence.labelled and sentence.role == "results"):
        named = text[arms[0].start : arms[-1].end + 30]
        least = _MENTIONED if _WITH.match(text, arms[-1].end) else 5.4
        yield _RANDOMISED if _RANDOM.search(named) else least, sum(arm.value for arm in arms)
    if design == "case-control study" and (pair := _cases_and_controls(text, counts)):
        yield _RANDOMISED, pair
        return
    for place, count in enumerate(counts):
        if split is not None and split.start() <= count.start < split.end():
            continue
        if arms and arms[0].start <= count.start <= arms[-1].start:
            continue
        if place and _is_listed(text, counts[place - 1], count):
            continue
        end = min(
            counts[place + 1].start if place + 1 < len(counts) else len(text), count.end + _WINDOW
        )
        before = (
            text[max(0, count.start - _WINDOW) : count.start]
            .rpartition("; ")[2]
            .rpartition(": ")[2]
        )
        before = _N_EQUALS.sub("", before)
        after = text[count.end : end].partition("; ")[0]
        rank = _rank(sentence, count, before, after, review)
        if told and rank == _TREATS and " either " not in after:  # one group of several
            continue
        if rank is not None and not (
            substudy and rank == _RANDOMISED and not _SUBSTUDY.search(text)
        ):
            yield rank, count.value
    if not review:
        sized = None if told and 2 <= len(_BRACKET.findall(text)) < told else _arms(text, sentence)
        if sized is not None:
            yield sized


def _listed_arms(text: str, counts: list[_Count], told: int | None) -> list[_Count]:
    """The arms that a sentence lists with what each took ("72 patients treated with tea and 105
    with water"); empty where it lists fewer than two, or than the study has, or parts.
    """
    numbers = {number.start: number for number in _grouped(text, numerals(text))}
    for first in counts:
        before = text[max(0, first.start - _WINDOW) : first.start]
        takes = next((verb for verb in (_TAKES, _WITH) if verb.match(text, first.end)), None)
        if takes is None or not first.named or _is_no_sample(before) or _LOST.search(before):
            continue
        arms = [first]
        for start, number in numbers.items():
            if start < first.end or number.value != int(number.value):
                continue
            if start > arms[-1].end + _WINDOW:
                break
            link = text[arms[-1].end : start]
            whom = _WHOM.match(text, number.end)
            end = whom.end() if whom else number.end
            goes_on = takes.match(text, end) or (
                takes is _TAKES
                and (bare := _BARE_ARM.match(text, end)) is not None
                and (whom or bare["end"])
            )
            if not goes_on:
                continue
            if (
                ": " in link
                or not _NEXT_ARM.search(link)
                or _NO_NEXT_ARM.search(link[_taking(link) :])
            ):
                break
            arms.append(_Count(start, end, int(number.value)))
        tail = text[arms[-1].end : arms[-1].end + 120]
        least = max(told or 2, 3 if takes is _WITH else 2)
        values = [arm.value for arm in arms]
        alike = max(values) <= _MOST_UNLIKE * min(values)
        if len(arms) >= least and alike and not _OUTCOME.search(tail) and not _LOST.search(tail):
            return arms
    return []


def _taking(link: str) -> int:
    """Where the words for taking end that open the text, or 0."""
    found = _TAKES.match(link)
    return found.end() if found else 0


def _cases_and_controls(text: str, counts: list[_Count]) -> int | None:
    """Cases and controls together where the sentence counts both: "45 cases and 90 controls"."""
    for cases, controls in pairwise(counts):
        named = text[cases.start : cases.end].lower(), text[controls.start : controls.end].lower()
        if (
            named[0].endswith("cases")
            and named[1].endswith("controls")
            and not re.match(r"\s(?:per|each|for each|for every)\b", text[controls.end :])
        ):
            return cases.value + controls.value
    return None


def _is_listed(text: str, last: _Count, count: _Count) -> bool:
    """Return whether a count goes on a list begun before it ("20 patients, 20 relatives and 10
    nurses were studied"): a part only.
    """
    link = text[last.end : count.start]
    opened = _OPENING.search(text[max(0, last.start - _WINDOW) : last.start])
    return (
        opened is None
        and len(link) < _WINDOW
        and _LISTED.search(link) is not None
        and not _VERB.search(link)
    )


def _counts(text: str) -> Iterator[_Count]:
    """Numbers of people in a plain text, those in brackets left out; "30 men and 32 women" and "904
    and 934 patients" are one.
    """
    found: list[_Count] = []
    two_studies = _TWO_STUDIES.search(text) is not None
    for number in _grouped(text, numerals(text)):
        if number.value < 2 or number.value != int(number.value) or number.value > 10**9:
            continue
        if found and number.start < found[-1].end:  # "75 ASA 1 or 2 children"
            continue
        whom = _WHOM.match(text, number.end)
        bare = None if whom else _BARE.match(text, number.end)
        if whom is None and bare is None:
            pair = _SEX.match(text, number.end) or (two_studies and _AND.match(text, number.end))
            if pair:
                found.append(_Count(number.start, pair.end(), int(number.value), named=False))
            continue
        end = whom.end() if whom else number.end
        last = found[-1] if found else None
        link = text[last.end : number.start] if last else ""
        paired = (
            link.endswith(" and ")
            and len(link) < 60
            and "," not in link
            and ";" not in link
            and not _VERB.search(link)
        )
        joined = last is not None and ((not last.named and link == "") or (last.named and paired))
        if joined and last is not None and whom:
            found[-1] = _Count(last.start, end, last.value + int(number.value))
        else:
            found.append(_Count(number.start, end, int(number.value), named=whom is not None))
    for count in found:
        if _SCREENED.search(text, count.start, count.end):
            continue
        if count.named or _BARE.match(text, count.end):
            ahead = text[max(0, count.start - _WINDOW) : count.start]
            if ahead.rfind("(") <= ahead.rfind(")") or _STUDIES_BRACKETED.search(ahead):
                yield count


def _grouped(text: str, found: list[Numeral]) -> list[Numeral]:
    """The numbers with thousands set apart by a space ("12 537") put together."""
    whole: list[Numeral] = []
    for number in found:
        last = whole[-1] if whole else None
        if (
            last is not None
            and number.start - last.end == 1
            and text[last.end] in " \u2009"
            and not last.worded
            and text[last.start : last.end].isdecimal()
            and last.end - last.start <= 3
            and re.fullmatch(r"\d{3}(?:[ \u2009]\d{3})*", text[number.start : number.end])
        ):
            digits = sum(character.isdigit() for character in text[number.start : number.end])
            whole[-1] = Numeral(last.start, number.end, last.value * 10**digits + number.value)
        else:
            whole.append(number)
    return whole


def _rank(
    sentence: AbstractSentence, count: _Count, before: str, after: str, review: bool
) -> float | None:
    """Return how surely a number of people is the whole sample, None where it is a part, a plan or
    something else.

    ``before`` and ``after`` are the words beside it, up to the next count.
    """
    if review:
        if re.match(r"\s*(?:each|per|apiece)\b", after) or re.search(
            r"\b(?:approximately|about|around|nearly|almost)\s$", before
        ):
            return None
        return (
            _RANDOMISED
            if _OF_STUDIES.search(before) and sentence.role in ("methods", "results")
            else None
        )
    if _AVAILABLE.search(before):
        return _ANALYSES + (2.0 if sentence.role == "methods" else 0.0)
    if _is_no_sample(before) or _OTHERS.search(after[:60]) or count.value >= _MOST_PEOPLE:
        return None
    if count.value in range(1900, 2030) and re.search(
        r"\b(?:in|since|from|to|until|by|during|of)\s$", before
    ):
        return None
    if _SHARE.match(after):
        return None
    if (not count.named and not _BARE_VERB.match(after)) or _ONE_ARM.search(after):
        return None
    rank = _rank_by_verb(sentence, before, after)
    return (
        None if rank is None or (count.value < 5 and (rank < _ENTERS or not count.named)) else rank
    )


def _is_no_sample(before: str) -> bool:
    """Return whether the words before a number of people say that they are a part, a plan, a source
    or of another study.
    """
    kinds = (_NO_SAMPLE_BEFORE, _PLANNED, _OTHERS, _PART, _OF_OTHERS, _SOURCE)
    return any(kind.search(before) for kind in kinds)


def _rank_by_verb(sentence: AbstractSentence, before: str, after: str) -> float | None:
    lost, outcome = _LOST.search(after), _OUTCOME.search(after)
    taken = _first(
        after,
        (_RANDOM, _RANDOMISED),
        (_ASSIGNED, 6.0),
        (_ENTERED, _ENTERS),
        (_ANALYSED, _ANALYSES),
        (_TREATED, _TREATS),
    )
    if lost is not None and (taken is None or lost.start() < taken[0]):
        return None
    verb = _VERB_BEFORE.search(before)
    if verb is not None:
        ahead = _first(
            verb["verb"],
            (_RANDOM, _RANDOMISED),
            (_ASSIGNED, 6.0),
            (_ENTERED, _ENTERS),
            (_ANALYSED, _ANALYSES),
        )
        own = re.search(r"\b[Ww]e\s\w+\s(?:\w+\s){0,2}$", before)
        if ahead is not None and (sentence.role != "results" or ahead[1] >= _ENTERS or own):
            return _RANDOMISED if _RANDOM.search(before[-60:]) else ahead[1]
    results = sentence.role == "results" and sentence.labelled
    told = outcome is not None and (taken is None or outcome.start() < taken[0])
    if taken is not None and taken[1] >= _ENTERS and not (results and told):
        return taken[1]
    if _OF_STUDY.search(before) and not (results and told):
        return _ENTERS
    if _OPENING.search(before) and after.startswith(","):
        return 4.5
    if results and (told or taken is None or taken[1] == _TREATS):
        return None
    weak = taken is None or taken[1] < _ENTERS
    if (weak and _EVENT.search(after)) or (weak and _THERE_WERE.search(before)):
        return None
    return (
        taken[1]
        if taken is not None
        else _MENTIONED
        if sentence.role == "methods" or not sentence.labelled
        else 2.0
    )


def _first(text: str, *kinds: tuple[re.Pattern[str], float]) -> tuple[int, float] | None:
    """Place of the surest kind of verb in the text, and its rank."""
    for pattern, rank in kinds:
        if found := pattern.search(text):
            return found.start(), rank
    return None


def _arms(text: str, sentence: AbstractSentence) -> tuple[float, int] | None:
    """The size of a sample given in brackets: once after the people, or arm by arm; with its
    rank.
    """
    brackets = []
    for match in _BRACKET.finditer(text):
        start = match.start()
        if text[start] == ";":
            start = max(text.rfind("(", 0, start), text.rfind("[", 0, start))
            if _MADE_UP.search(text, start, match.end()):
                continue
        brackets.append((start, match.end(), int(re.sub(r"\D", "", match["n"]))))
    if _OF_SUBGROUP.search(text):
        return None
    random = _RANDOM.search(text) is not None
    if len(brackets) == 1:
        start, end, value = brackets[0]
        before = text[max(0, start - 120) : start]
        if (
            _TWO_STUDIES.search(text)
            or value < 5
            or not _BEFORE_BRACKET.search(before)
            or _COUNTED_OTHERWISE.search(before)
            or sentence.role == "conclusion"
        ):
            return None
        if re.search(r"\b(?:group|arm)\b[^.;,]*$", before[-50:]) or _LOST.search(before):
            return None
        after = text[end : end + _WINDOW]
        if sentence.role == "results" and not (random or _ENTERED.search(after)):
            return None
        return (8.9 if random else 6.0 if _ENTERED.search(after) else 4.0), value
    sizes = [value for _, _, value in brackets]
    people = bool(brackets) and _BEFORE_BRACKET.search(text[: brackets[0][0]][-120:]) is not None
    if people and len(sizes) > 2 and sizes[0] == sum(sizes[1:]):
        return (8.9 if random else 6.0), sizes[0]
    told = random or _ARMS.search(text) or (people and _ENTERED.search(text))
    own = sentence.role in ("methods", "results") or (
        sentence.role == "background" and not sentence.labelled
    )
    if len(sizes) == 2 and _WHOM_OF.search(text, brackets[0][1], brackets[1][1]):
        return None
    if 2 <= len(sizes) <= 6 and own and told:
        if _COUNTED_OTHERWISE.search(text[: brackets[0][0]][-40:]) and not re.search(
            r"(?:groups?|arms?)\s$", text[: brackets[0][0]]
        ):
            return None
        total = max(sizes) if len(sizes) > 2 and 2 * max(sizes) == sum(sizes) else sum(sizes)
        return (8.5 if random else 4.2), total
    if pair := _ARM_PAIR.search(text):
        both = f"{pair['one']} {pair['other']}"
        if (
            sentence.role == "methods"
            and _CONTROL.search(both)
            and not _OUTCOME.search(both)
            and not _LOST.search(text)
        ):
            return 3.5, int(pair["a"]) + int(pair["b"])
    return None


_NO_ADJECTIVE = (
    r"(?:of|the|and|in|were|was|with|from|to|for|that|these|those|all|both|two|three|each|study|"
    r"other|more|keep|keeps|"
    r"without|than|"
    r"per|via|given|had|has|have|most|some|many|if|when|while|after|before|during|between|into|"
    r"only|also|not|no|fewer|every|"
    r"occurred|once|leaves?|received|by|a|an|our|we|or|among|on|as|enrolled|included|recruited|"
    r"randomi[sz]ed|total|"
    r"consecutive|"
    r"studied|rehabilitation|using|whether|is|are|[IVX]+)"
)
_WHO = anycase(
    rf"\b(?P<who>(?:(?!{_NO_ADJECTIVE}\b)[A-Za-z][\w-]*\s"
    rf"+){{0,4}}(?:{either('people', 'described')})\b(?:,?\s+(?:with|aged|age|ages|who|"
    r"undergoing|hospitali[sz]ed|receiving|at|suffering|treated|admitted|referred|between|"
    r"older|having|living|over|under|diagnosed|scheduled|presenting|without|requiring|taking)\s"
    rf"+[^.;:,()\[\]]{{2,90}})?)"
)
_STOP_WHO = anycase(
    r"(?<!referred)(?<!exposed)(?<!admitted)(?<!due)(?<!prior)(?<!related)(?<!resistant)(?<!refractory)\s"
    r"+to\s+(?=[a-z]).*$|\s+(?:via|from\s+\w+ing|were|was|are|is|had|have|received|underwent|"
    rf"participated|compared|versus|vs|between (?:{either('months', 'sample_size')}|19|20)|"
    r"from (?:january|19|20)|in (?:a|the|this|our|19|20|order)|at the (?:university|department|"
    r"hospital|clinic)|into|completed|did|and (?:to|were)|to (?:receive|determine|evaluate|"
    r"compare|assess|either)|using|by|during|before|after|reporting|randomly|will|should|would|"
    r"may|can|could|and\s+\d+|(?<!older )(?<!younger )(?<!more )(?<!less )(?<!fewer )(?<!greater )"
    r"(?<!higher )(?<!lower )(?<!longer )(?<!later )(?<!earlier )than)\b.*$"
)
_DANGLING = anycase(
    r"(?:[\s,]+(?:took part|whose serum|between|who|with|of|and|or|in|a|the|aged|at|having|for|"
    r"without|that|no|"
    r"greater|more|less|than|to|difference))+$"
)
_NO_PEOPLE = anycase(
    r"\b(?<!who )(?<!that )(?:excluded?|enlisted?|enough|involves?|involving|includes?|including|"
    r"manages?|discontinued|experienced|"
    r"remains?|showed|shows|treating|reported|developed|improved|achieved|recruiting|enrolling|"
    r"trials?|studies|served)\b|"
    r"\bwho\smanage\b|\bwho(?:\s[\w-]+(?:ly|e)?)?\Z"
)
"""Words that make a stretch a sentence about people, not a name of them."""
_GENERIC_WHO = anycase(rf"(?:{either('people', 'generic')})")


@lru_cache(maxsize=512)
def population(article: Article) -> str | None:
    """Return who was studied, as the abstract or the title words it ("women aged 65 years or
    older"); None where it says nothing.
    """
    sentences = abstract_sentences(article)
    ranked = [s.text for s in sentences if s.role == "methods"] + [article.title]
    ranked += [s.text for s in sentences if s.role in ("background", "results")]
    best: tuple[float, str] | None = None
    for place, text in enumerate(ranked):
        for match in _WHO.finditer(text):
            who = _uncounted(_STOP_WHO.sub("", match["who"])).strip(" ,-?")
            if re.match(r"\.\d", text[match.end() :]):
                who = re.sub(r"\s+\S*\d+$", "", who)
            who = _DANGLING.sub("", who).strip(" ,")
            if _GENERIC_WHO.fullmatch(who) or _NO_PEOPLE.search(who):
                continue
            detail = (
                1.0
                if re.search(
                    r"\b(?:with|aged|who|undergoing|hospital|receiving|older|living|diagnosed)", who
                )
                else 0.0
            )
            counted = 1.0 if re.search(r"\d\s+(?:\w+\s+){0,2}$", text[: match.start()]) else 0.0
            score = detail + counted + 0.1 * min(len(who.split()), 10) - 0.1 * place
            if best is None or score > best[0]:
                best = (score, who)
    return best[1] if best else None


def _uncounted(who: str) -> str:
    """The words without a number that leads them."""
    leading = [number for number in numerals(who) if number.start == 0 and number.worded]
    return who[leading[0].end :] if leading else who
