"""Words that carry a claim made others: a cause for an association, other people, arms exchanged,
all for a subgroup, significance.

Each edit takes a sentence and its article and gives the sentence changed, or None where it cannot
be made so that another claim comes of it for sure.
"""

from __future__ import annotations

import random
import re

from benchmarks.own.claim_figures import Edited
from benchmarks.own.claim_sources import listed
from benchmarks.own.claim_terms import in_case, kind_of_term
from clinfo.records.articles import Article

_NEGATED = re.compile(
    r"\b(?:no|not|nor|neither|without|lack|absence|failed|whether|if|little|never|unlikely)\b", re.I
)


def _put(text: str, match: re.Match[str], new: str, group: int = 0) -> Edited:
    return Edited(
        text[: match.start(group)] + new + text[match.end(group) :], match.group(group), new
    )


# --- a cause for an association -------------------------------------------------------------------

_EXPERIMENT = re.compile(
    (
        r"\brandom|\bplacebo|\bdouble[- ]blind|\bcaus(?:e|ed|es|al|ing|ation)\b|\btrials?\b|"
        r"\befficacy|\btolerab|\bregimens?\b|\bcost|"
        r"\bopen[- ]label|\bcrossover"
    ),
    re.I,
)
_OBSERVED = re.compile(
    (
        r"\b(?:cohort|retrospective\w*|cross[- ]sectional|case[- ]control|survey\w*|registr\w+|"
        r"observational|prospective(?:ly)?|"
        r"follow[- ]up|polymorphisms?|genotypes?|prevalence|regression|epidemiolog\w+|population[- "
        r"]based|adjust\w+|odds|records|"
        r"questionnaires?|correlat\w+|predict\w+)\b"
    ),
    re.I,
)
_ADVERBS = r"(?:(?:[a-z]+ly|also|only|still|all) )*"
_CAUSES = (
    (rf"\bwas {_ADVERBS}associated with\b", ("caused", "led to")),
    (rf"\bwere {_ADVERBS}associated with\b", ("caused", "led to")),
    (rf"\bis {_ADVERBS}associated with\b", ("causes", "leads to")),
    (rf"\bare {_ADVERBS}associated with\b", ("cause", "lead to")),
    (rf"\b(?:has|have) been {_ADVERBS}associated with\b", ("caused",)),
    (rf"\b(?:was|were) {_ADVERBS}(?:correlated with|linked to)\b", ("caused", "led to")),
    (rf"\b(?:is|are) {_ADVERBS}(?:correlated with|linked to)\b", ("can cause", "will lead to")),
    (rf"\b{_ADVERBS}correlated {_ADVERBS}with\b", ("caused",)),
    (
        (
            r"\b(?:was|were) (?:an? |the )?(?:(?:strong|significant|independent|main) "
            r")?(?:predictors?|predictive) (?:of|for)\b"
        ),
        ("caused",),
    ),
    (r"\brisk factors for\b", ("causes of",)),
    (r"\brisk factor for\b", ("cause of",)),
    (r"\bassociation between\b", ("causal link between",)),
    (r"\bassociations between\b", ("causal links between",)),
)
_PASSIVE = re.compile(r"\b(?:was|were|is|are|be|been|more) (?:[a-z]+ly |also |only |more )*$")
_CAUSE_PATTERNS = tuple((re.compile(pattern), news) for pattern, news in _CAUSES)


def cause_for_association(text: str, article: Article, draw: random.Random) -> Edited | None:
    """An association, of a study that is not an experiment and speaks of no cause, told as one."""
    whole = f"{article.title} {article.abstract}"
    if _EXPERIMENT.search(whole) or not _OBSERVED.search(whole):
        return None
    choices = []
    for pattern, news in _CAUSE_PATTERNS:
        for match in pattern.finditer(text):
            before = text[: match.start()]
            if not _NEGATED.search(before) and not _PASSIVE.search(before):
                choices.append(_put(text, match, draw.choice(news)))
    return draw.choice(choices) if choices else None


# --- other people ---------------------------------------------------------------------------------

_PEOPLE = (
    ("women", "men", "women|woman|female|girls|mother"),
    ("men", "women", r"\bmen\b|\bman\b|\bmales?\b|boys"),
    ("females", "males", "women|woman|female|girls"),
    ("males", "females", r"\bmen\b|\bman\b|\bmales?\b|boys"),
    ("female", "male", "women|woman|female|girls"),
    ("male", "female", r"\bmen\b|\bman\b|\bmales?\b|boys"),
    ("girls", "boys", "girl|female|women"),
    ("boys", "girls", r"boy|\bmale|\bmen\b"),
    ("children", "adults", "child|pediatric|paediatric|infant"),
    ("children", "elderly people", "child|pediatric|paediatric|infant"),
    ("paediatric patients", "adult patients", "child|pediatric|paediatric"),
    ("pediatric patients", "adult patients", "child|pediatric|paediatric"),
    ("adolescents", "elderly people", "adolescen|teen|young"),
    ("infants", "adults", "infant|neonat|newborn|bab(?:y|ies)"),
    ("neonates", "adults", "infant|neonat|newborn"),
    ("adults", "children", "adult|years"),
    ("adult patients", "children", "adult"),
    ("elderly patients", "young patients", "elder|older|aged"),
    ("the elderly", "the young", "elder|older|aged"),
    ("older adults", "younger adults", "elder|older|aged"),
    ("older people", "younger people", "elder|older|aged"),
    ("older patients", "younger patients", "elder|older|aged"),
    ("younger patients", "older patients", "young"),
    ("pregnant women", "postmenopausal women", "pregnan"),
    ("postmenopausal women", "premenopausal women", "postmenopaus|menopaus"),
    ("premenopausal women", "postmenopausal women", "premenopaus"),
    ("smokers", "non-smokers", r"(?<!non-)(?<!non)smok"),
    ("nonsmokers", "smokers", "nonsmok|non-smok"),
    ("type 2 diabetes", "type 1 diabetes", "type[ -](?:2|II)"),
    ("type 1 diabetes", "type 2 diabetes", r"type[ -](?:1|I)\b"),
    ("inpatients", "outpatients", "inpatient|hospital"),
    ("outpatients", "inpatients", "outpatient"),
    ("hospitalized patients", "outpatients", "hospitali"),
    ("hospitalised patients", "outpatients", "hospitali"),
    ("preterm infants", "term infants", "preterm|prematur"),
    ("healthy volunteers", "hospitalised patients", "healthy"),
    ("healthy subjects", "hospitalised patients", "healthy"),
    ("obese", "lean", "obes"),
    ("overweight", "underweight", "overweight|obes"),
)
"""Words for people, what is put for them, and (as a pattern) what the article must name for the
first to be its people.
"""
_GONE = {
    "men": r"\bm[ea]n\b|\bmales?\b|\bboys?\b",
    "males": r"\bm[ea]n\b|\bmales?\b",
    "male": r"\bm[ea]n\b|\bmales?\b",
    "boys": r"\bboys?\b|\bmales?\b",
    "women": r"\bwom[ae]n\b|\bfemales?\b",
    "females": r"\bwom[ae]n\b|\bfemales?\b",
    "female": r"\bwom[ae]n\b|\bfemales?\b",
    "girls": r"\bgirls?\b|\bfemales?\b",
    "elderly people": "elder|older|aged",
    "young patients": "young",
    "the young": "young",
    "younger adults": "young",
    "younger people": "young",
    "younger patients": "young",
    "older patients": "older|elder",
    "adult patients": "adult",
    "adults": "adult",
    "children": "child|pediatric|paediatric|infant",
    "non-smokers": "non-?smok|never smok",
    "outpatients": "outpatient|ambulatory",
    "inpatients": "inpatient|hospital",
    "hospitalised patients": "hospital|patient",
    "term infants": r"\bfull|\bterm infants",
    "lean": "lean|normal[- ]weight|non-?obese",
    "underweight": "underweight|lean",
    "postmenopausal women": "menopaus",
    "premenopausal women": "premenopaus",
    "smokers": r"(?<!non-)(?<!non)smoker",
    "type 1 diabetes": r"type[ -](?:1|I)\b",
    "type 2 diabetes": r"type[ -](?:2|II)\b",
}


def population_changed(text: str, article: Article, draw: random.Random) -> Edited | None:
    """The people of a sentence made others of whom the article does not speak."""
    whole = f"{article.title} {article.abstract}"
    choices = []
    for old, new, own in _PEOPLE:
        pattern = re.compile(rf"(?<![\w-]){old}(?![\w-]|'s|’s)", re.I)
        match = pattern.search(text)
        if match is None or not re.search(own, whole, re.I) or re.search(_GONE[new], whole, re.I):
            continue
        if re.match(r" (?:than|sex|gender)\b", text[match.end() :]) or re.search(
            r"\b(?:pregnant|menopausal) $", text[: match.start()]
        ):
            continue
        put = in_case(new, match.group())
        choices.append(
            Edited(
                pattern.sub(lambda found, new=new: in_case(new, found.group()), text),
                match.group(),
                put,
            )
        )  # type: ignore[misc]
    return draw.choice(choices) if choices else None


# --- arms exchanged -------------------------------------------------------------------------------

_COMPARED = re.compile(
    r"\b(?:than(?! \d)|versus|vs\.?|compared (?:with|to)|in comparison (?:with|to)|superior to|"
    r"inferior to|relative to)\b"
)
_UNEQUAL = re.compile(
    (
        r"\b(?:higher|lower|greater|less|fewer|more|better|worse|superior|inferior|reduc\w+|"
        r"increas\w+|decreas\w+|longer|shorter|"
        r"larger|"
        r"smaller|faster|slower|improve[ds]?|improvements?|earlier|later)\b"
    ),
    re.I,
)
_EQUAL = re.compile(
    (
        r"\b(?:no|not|nor|neither|similar\w*|comparable|equivalent|equally|non-?inferior\w*|"
        r"differ(?:ed)? only|without|both|"
        r"respectively|whether|difference|differences|either|between)\b"
    ),
    re.I,
)
_LABELLED = re.compile(
    r"(?<![\w-])([A-Za-z][\w+/-]*)(?=(?:[- ]treated)?[- ](?:group|arm|patients|subjects|"
    r"recipients)\b)"
)
_LETTERED = re.compile(r"\b[Gg]roup ([A-Z]|[IV]{1,3}|\d)(?![\w.,]*\d)\b")
_NAMED = re.compile(
    (
        r"(?<![\w-])(placebo|sham|controls?|women|men|males|females|boys|girls|smokers|nonsmokers|"
        r"non-smokers|monotherapy|usual care|"
        r"standard care|standard treatment|surgery)(?![\w-])"
    ),
    re.I,
)
_SEXES = listed("women men males females boys girls")
_WORD = re.compile(r"(?<![\w-])([A-Za-z]{5,})(?![\w-])")
_NO_LABEL = listed(
    "the each this a an one both either same age risk per any in of other these those most all two "
    "three patient treated "
    "between study comparison two-thirds older younger adult elderly male female among for with "
    "some more and or that many few our"
)


def arms_swapped(text: str, article: Article, draw: random.Random) -> Edited | None:
    """The two sides of a than, versus or compared with, put in each other's place."""
    joint = _COMPARED.search(text)
    if joint is None or not _UNEQUAL.search(text) or _EQUAL.search(text):
        return None
    labels = {
        match.span(1)
        for match in _LABELLED.finditer(text)
        if match.group(1).lower() not in _NO_LABEL
    }
    drugs = {
        match.span(1)
        for match in _WORD.finditer(text)
        if kind_of_term(match.group(1), frozenset({"D"})) == "drug"
    }
    spans = sorted(
        labels
        | drugs
        | {match.span(1) for pattern in (_LETTERED, _NAMED) for match in pattern.finditer(text)}
    )
    spans = [
        one
        for one in spans
        if not any(other != one and other[0] <= one[0] and one[1] <= other[1] for other in spans)
    ]
    before = [span for span in spans if span[1] <= joint.start()]
    after = [span for span in spans if span[0] >= joint.end()]
    if len(spans) != 2 or len(before) != 1 or len(after) != 1:
        return None
    (a, b), (c, d) = before[0], after[0]
    one, other = text[a:b], text[c:d]
    if (
        _same(one, other)
        or (one.lower() in _SEXES) != (other.lower() in _SEXES)
        or re.search(rf"\b{re.escape(one)}\b", text[:a] + text[b:], re.I)
    ):
        return None
    if _LETTERED.search(text[max(0, a - 8) : b]) is None and one.isdigit():
        return None
    first, second = in_case(other, one), in_case(one, other) if a == 0 else one
    return Edited(
        text[:a] + first + text[b:c] + second + text[d:], f"{one} … {other}", f"{first} … {second}"
    )


def _same(one: str, other: str) -> bool:
    return one.lower().rstrip("s") == other.lower().rstrip("s")


_MEASURE = (
    r"(?: ?(?:%|per ?cent|mm ?Hg|mg/dl|mmol/l|mg|kg|g|ml|cm|mm|days?|weeks?|months?|years?|hours?|"
    r"h|min|minutes|points)(?![\w/]))?"
)
_AMOUNT = rf"[-−–]?\d+(?:[.,·]\d+)*{_MEASURE}(?: ?(?:±|\+/-) ?\d+(?:[.·]\d+)?{_MEASURE})?"
_SIDES = re.compile(
    rf"(?<![\w.,/–−-])(?<!± )(?<!±)(?<!/- )(?<!year )(?<!week )(?<!day )(?<!group )(?<!grade )"
    rf"({_AMOUNT})( (?:vs\.?|versus|v|compared (?:with|to)) (?:only )?)({_AMOUNT})"
    r"(?![\w/%]|[.,]\d| ?(?:±|\+/-)|[–-]\d)",
    re.I,
)


def figures_swapped(text: str, article: Article, draw: random.Random) -> Edited | None:
    """The numbers on both sides of a versus put in each other's place."""
    if not _UNEQUAL.search(text) or re.search(
        r"\b(?:no|not|similar\w*|comparable|nor|neither|non-?significant\w*)\b", text, re.I
    ):
        return None
    matches = [
        match
        for match in _SIDES.finditer(text)
        if _digits(match.group(1)) != _digits(match.group(3))
    ]
    if not matches:
        return None
    parts, place = [], 0
    for match in matches:
        low, joint, high = match.groups()
        unit = re.search(rf"(?<=\d){_MEASURE}$", high, re.I)
        if unit is not None and not re.search(r"[A-Za-z%]", low):
            low, high = low + unit.group(), high[: unit.start()]
        parts += [text[place : match.start()], high, joint, low]
        place = match.end()
    return Edited("".join(parts) + text[place:], matches[0].group(), "sides exchanged")


def _digits(text: str) -> str:
    match = re.match(r"[-−–]?\d+(?:[.,·]\d+)*", text)
    return match.group() if match else ""


# --- all for a subgroup ---------------------------------------------------------------------------

_MALE, _FEMALE = r"\b(?:men|males?|boys)\b", r"\b(?:women|females?|girls)\b"
_PARTS = {
    **dict.fromkeys(("women", "females", "female", "girls"), _MALE),
    **dict.fromkeys(("men", "males", "male", "boys"), _FEMALE),
    "severe": "mild",
    "severely": "mild",
    "mild": "severe",
    "older": "young",
    "younger": r"\bold|elder",
    "elderly": r"\byoung",
    "high-risk": r"low[- ]risk",
    "low-risk": r"high[- ]risk",
    "obese": "lean|normal[- ]weight|non-?obese",
    "diabetic": "non-?diabetic|without diabetes",
    "nondiabetic": r"(?<!non)(?<!non-)diabet",
    "smokers": "non-?smoker|never smok",
    "nonsmokers": r"(?<!non)(?<!non-)smok",
    "responders": "non-?responder",
    "nonresponders": r"(?<!non)(?<!non-)respond",
    "premenopausal": "postmenopaus",
    "postmenopausal": "premenopaus",
    "advanced": r"\bearly\b",
    "subgroup": ".",
    "subgroups": ".",
    "white": r"\bblack|african|hispanic|asian",
    "black": r"\bwhite|caucasian|hispanic",
    "metastatic": "locali[sz]ed|non-?metastatic",
    "overweight": "normal[- ]weight|lean",
    "hypertensive": "normotensive",
    "normotensive": "hypertens",
    "pregnant": "non-?pregnant",
    "infected": "uninfected|non-?infected",
    "uninfected": r"(?<!un)(?<!non-)infected",
    "hospitalized": "outpatient|ambulatory",
}
"""A word that makes a part of the patients of an article that speaks of the others as well (a
pattern).
"""
_LATE_PARTS = listed(
    "severe severely mild moderate older younger elderly obese diabetic hypertensive advanced "
    "refractory impaired "
    "smokers high-risk low-risk subset infected"
)
"""Words that make a part where they come up late: neither in the title nor in the first two fifths
of the abstract.
"""
_PERSONS = (
    r"(?:patients|women|men|children|adults|people|subjects|participants|individuals|persons|those|"
    r"boys|girls|smokers|infants|"
    r"adolescents|males|females|responders)"
)
_SOME = re.compile(
    (
        r"(?<!-)\b(some|most|many|several|selected|certain|a minority of|a subset of|a majority of|"
        r"the majority of|half of|a few) "
        rf"(?=(?:the |these |of the )?(?:[a-z-]+ )?{_PERSONS}\b)"
    ),
    re.I,
)
_OF_THEM = (
    r"(?: (?:with|aged|older|younger|who|whose|receiving|at|without|over|under)\b(?: (?!is\b|was\b|"
    r"are\b|were\b)[^ ,.;()]+){1,9})?"
)
_SUB = rf"((?:the |a )?(?:subgroups? of )?(?:[a-z-]+ ){{0,2}}{_PERSONS}{_OF_THEM})"
_SUB_FIRST = re.compile(
    rf"^(?:(?:The|It|According)[^,]*?(?: that|,) )?((?:[Ii]n|[Aa]mong|[Ff]or) {_SUB}, )"
)
_SUB_SUBJECT = re.compile(
    (
        rf"^((?:[Tt]he )?(?:subgroups? of )?(?!more )(?:[A-Za-z-]+ )??{_PERSONS}{_OF_THEM}) "
        r"(?=(?:also )?(?:had|were|showed|was|"
        r"reported|experienced|improved|received|benefit\w*|achieved|responded|tended|did)\b)"
    ),
    re.I,
)
_SUB_LAST = re.compile(
    rf"(,? (?:only )?(?<!especially )(?<!particularly )(?<!as )(?:in|among|for) {_SUB})(?= \(|;|"
    r",(?! \w+ (?:or|and) )|$)"
)


def subgroup_for_all(text: str, article: Article, draw: random.Random) -> Edited | None:
    """Return what was found of a part of the patients told of all; the article speaks of the others
    too, its title not of the part.
    """
    if re.search(
        (
            r"\b(?:than|but not|whereas|while|compared|versus|vs\.?|not in|nor|respectively|"
            r"between|both|similar|all)\b"
        ),
        text,
    ):
        return None
    whole = f"{article.title} {article.abstract}".lower()
    beginning = f"{article.title} {article.abstract[: len(article.abstract) * 2 // 5]}".lower()
    for pattern in (_SUB_FIRST, _SUB_LAST, _SUB_SUBJECT):
        for match in pattern.finditer(text):
            named = re.findall(r"[a-z]+(?:-[a-z]+)?", match.group(match.lastindex or 1).lower())
            words = [word for word in named if word in _PARTS]
            if re.search(r"\b(?:and|or|to)\b", match.group(1)):
                continue
            late = [word for word in named if word in _LATE_PARTS]
            part = bool(words) and all(
                re.search(_PARTS[word], whole) and not re.search(_PARTS[word], text)
                for word in words
            )
            part = part or (
                bool(late)
                and pattern is not _SUB_SUBJECT
                and not any(word[:5] in beginning for word in late)
            )
            if not part or any(
                re.search(rf"\b{word[:5]}", article.title, re.I) for word in (*words, *late)
            ):
                continue
            if re.search(r"\b(?:and|or)$", text[: match.start(1)]):
                continue
            if pattern is _SUB_FIRST:
                rest = text[match.end(1) :]
                start = text[: match.start(1)]
                put = draw.choice(("", "in all patients, "))
                put = put.capitalize() if not start else put
                told = rest if put or start else rest[0].upper() + rest[1:]
                return Edited(start + put + told, match.group(1), put)
            if pattern is _SUB_SUBJECT:
                return Edited("All patients" + text[match.end(1) :], match.group(1), "All patients")
            put = draw.choice(("", " in all patients"))
            return Edited(text[: match.start(1)] + put + text[match.end(1) :], match.group(1), put)
    return None


def all_for_some(text: str, article: Article, draw: random.Random) -> Edited | None:
    """Return what was found of some, most or half of the patients told of all."""
    some = _SOME.search(text)
    if some is None or _NEGATED.search(text):
        return None
    return _put(text, some, "All" if some.group()[0].isupper() else "all", 1)


# --- significance ---------------------------------------------------------------------------------

_SIGNIFICANCE = (
    (r"\bnon-?significantly\b", "significantly"),
    (r"\bnon-?significant\b", "significant"),
    (r"\bnot (?:statistically )?(significant(?:ly)?)\b", r"\1"),
    (r"\bdid not (?:reach|achieve|attain) (?=(?:statistical )?significance)", "reached "),
    (r"\bstatistically (significant(?:ly)?)\b", r"not statistically \1"),
    (
        (
            r"(?<!statistically )\bsignificantly (?=(?:higher|lower|greater|better|worse|longer|"
            r"shorter|more|less|fewer|larger|smaller|"
            r"improved|reduced|increased|decreased|different|associated)\b)"
        ),
        "non-significantly ",
    ),
    (
        (
            r"(?<!statistically )(?<!clinically )\b(?:a )significant (?=(?:reduction|increase|"
            r"decrease|improvement|difference|effect|"
            r"association|correlation|benefit|decline|rise|change)\b)"
        ),
        "a non-significant ",
    ),
    (r"\b(was|were|is|are) significant\b", r"\1 not significant"),
    (r"\b([Nn])o (?:statistically )?significant (?=\w+s\b)", None),
    (
        r"\b(There was|there was|showed|had|found) no (?:statistically )?significant (?=\w+[^s ] )",
        r"\1 a significant ",
    ),
)
_SIGNIFICANCE_PATTERNS = tuple((re.compile(pattern), put) for pattern, put in _SIGNIFICANCE)


def significance_changed(text: str, article: Article, draw: random.Random) -> Edited | None:
    """Return what was significant told as not so, or the other way about; one place of the
    sentence.
    """
    choices = []
    for pattern, put in _SIGNIFICANCE_PATTERNS:
        for match in pattern.finditer(text):
            affirms = (
                re.match(r"(?:non|not|did not|no\b)", match.group(), re.I)
                or " no " in match.group()
            )
            if not affirms and _NEGATED.search(text[max(0, match.start() - 60) : match.start()]):
                continue
            plural = "Significant " if match.group().startswith("N") else "significant "
            new = plural if put is None else match.expand(put)
            changed = Edited(
                text[: match.start()] + new + text[match.end() :],
                match.group().strip(),
                new.strip(),
            )
            choices.append(changed)
    return draw.choice(choices) if choices else None


# --- hedges ---------------------------------------------------------------------------------------

_MODAL = re.compile(r"\b(may|might) (?!be\b|have\b|not\b|also\b)([a-z]+(?<!ly))\b")
_MODAL_BE = re.compile(r"\b(may|might) be\b")
_SEEMS = (
    (re.compile(r"\b(?:appears|seems) to be\b"), "is"),
    (re.compile(r"\b(?:appear|seem) to be\b"), "are"),
    (re.compile(r"\b(?:appeared|seemed) to be\b"), "was"),
    (re.compile(r"\bsuggests that\b"), "proves that"),
    (re.compile(r"\bsuggest that\b"), "prove that"),
    (re.compile(r"\bsuggested that\b"), "proved that"),
    (re.compile(r"\b(?:probably|possibly|perhaps|potentially) "), ""),
)


def hedge_dropped(text: str, article: Article, draw: random.Random) -> Edited | None:
    """A may, might, seems or suggests made a plain statement. Informative only: how strong a hedge
    is is a matter of taste.
    """
    choices = [_put(text, match, f"will {match.group(2)}") for match in _MODAL.finditer(text)]
    choices += [_put(text, match, "will be") for match in _MODAL_BE.finditer(text)]
    choices += [
        _put(text, match, put) for pattern, put in _SEEMS for match in pattern.finditer(text)
    ]
    return draw.choice(choices) if choices else None


HEDGE = "hedge dropped"
PHRASE_EDITS = {
    "cause for association": cause_for_association,
    "population changed": population_changed,
    "arms swapped": arms_swapped,
    "figures of versus swapped": figures_swapped,
    "all for a subgroup": subgroup_for_all,
    "all for some or most": all_for_some,
    "significance changed": significance_changed,
    HEDGE: hedge_dropped,
}
"""Edits by kind; each takes a sentence, its article and a source of chance."""
