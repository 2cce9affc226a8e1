"""One edit that makes a sentence false for its abstract: a figure, a direction, a negation, or a
term.

Each edit gives the changed sentence, or None where it cannot be made so that the outcome is surely
another claim. Words that only name something (an increased risk *group*, the lower limb, a high-fat
diet) are not turned, nor aims and plans.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from benchmarks.own.claim_figures import Edited, carried
from benchmarks.own.claim_sources import states_finding
from benchmarks.own.claim_terms import (
    OVERLAPPING,
    Term,
    Vocabulary,
    exchangeable,
    in_case,
    names_people,
    stands_in,
)
from clinfo.records.articles import Article
from clinfo.text.sentences import sentences

KINDS = {
    "made-up figure": "figure",
    "figure of the same abstract": "figure",
    "direction flipped": "direction and negation",
    "negated": "direction and negation",
    "drug swapped": "swapped terms",
    "outcome swapped": "swapped terms",
    "population swapped": "swapped terms",
    "citation moved": "moved citations",
}
"""The change made to a sentence, and the class it is counted in."""


# --- direction and negation -----------------------------------------------------------------------

_PAIRS = (
    "increased decreased",
    "increases decreases",
    "increase decrease",
    "increasing decreasing",
    "higher lower",
    "improved worsened",
    "improves worsens",
    "improvement worsening",
    "improvements deteriorations",
    "fewer more",
    "superior inferior",
    "better worse",
    "greater smaller",
    "larger smaller",
    "longer shorter",
    "reduced increased",
    "reduces increases",
    "reduction increase",
    "reductions increases",
    "decline rise",
    "declined rose",
    "faster slower",
    "rose fell",
    "elevated lowered",
    "positively negatively",
    "prolonged shortened",
    "beneficial harmful",
    "enhanced impaired",
    "enhances impairs",
    "earlier later",
    "stronger weaker",
    "highest lowest",
)
_FLIPS: dict[str, str] = {}
for _pair in _PAIRS:
    _one, _other = _pair.split()
    _FLIPS.setdefault(_one, _other)
    _FLIPS.setdefault(_other, _one)
_FLIPS |= {
    "more": "less",
    "less": "more",
    "smaller": "larger",
    "improve": "worsen",
    "reduce": "increase",
    "rise": "fall",
}
_FLIP_WORD = re.compile(rf"(?<![\w-])(?:{'|'.join(_FLIPS)})(?![\w-])")
_PHRASES = (
    (re.compile(r"\bwell[ -]tolerated\b"), "poorly tolerated"),
    (re.compile(r"\b(?:is|was|were|are|be) (?:as )?(safe)\b"), "unsafe"),
    (re.compile(r"(?<![\w-])(?:is|was|were|are|proved|highly|very) (effective)\b"), "ineffective"),
    (re.compile(r"\bin (favou?r of)\b"), "disfavour of"),
)
_NEGATION_NEAR = re.compile(
    (
        r"\b(?:no|not|nor|neither|without|non|never|cannot|lack|absence|failed|unlikely|little|"
        r"whether|if|either|any|hardly|or|"
        r"nonsignificant\w*|non-significant\w*|similar\w*|comparable)\b"
    ),
    re.I,
)
_NAMING_AFTER = re.compile(
    r"^ (?:limbs?|back|extremit\w+|body|leg|legs|abdom\w+|doses? (?:of|group)|dose\b|urinary|"
    r"respiratory|esophageal|oesophageal|"
    r"gastrointestinal|than \d|than (?:one|two|three|half|twice)|education|"
    r"and (?:lower|upper|higher|worse|later|smaller|longer|shorter|decreas\w+|increas\w+)|"
    r"or (?:lower|higher|less|more|worse|fewer|equal|greater)|risk (?:patients|groups?)|studies|"
    r"trials|term|group|"
    r"research|data|evidence|attention|research|detailed|recent|proportion of patients (?:with|"
    r"who) (?:normal))"
)
_NAMING_BEFORE = re.compile(
    (
        r"(?:\b(?:at|of|for|with|the|an?|one or|two or|once or|or|upper and|higher and|lower and|"
        r"further|much|any|no|even|what|\d or|"
        r"aged|years or|used|baseline|than|dose|to|from) |-)$"
    ),
    re.I,
)
_TO_ALLOWED = re.compile(
    r"(?:shown|found|likely|appear\w*|seem\w*|able|effective|led|leads|associated|tend\w*|"
    r"demonstrated|due|prove[nd]?) to $"
)
_ARTICLE_BEFORE = re.compile(r"\b(?:a|an|the|of|with the|for) $")


def direction_flipped(text: str, draw: random.Random) -> Edited | None:
    """One word of direction or of better and worse turned to its opposite, in a clause without a
    negation.
    """
    choices: list[Edited] = []
    for match in _FLIP_WORD.finditer(text):
        before, after = text[: match.start()], text[match.end() :]
        clause = re.split(r"[;]|, (?:and|but|whereas|while)\b", before)[-1]
        word = match.group()
        if (
            _NEGATION_NEAR.search(clause[-90:])
            or re.match(r"\W*(?:\w+\W+){0,2}(?:no|nor|or|not)\b", after)
            or _NAMING_AFTER.match(after)
        ):
            continue
        if before.endswith("to ") and not _TO_ALLOWED.search(before):
            continue
        if word.startswith("reduction") and re.search(
            r"\b(?:closed|open|fracture|harm|breast|internal) $", before, re.I
        ):
            continue
        if re.match(
            r" (?:insight|knowledge|understanding|awareness|number of (?:reports|studies))\b", after
        ):
            continue
        if (
            not before.endswith("to ")
            and _NAMING_BEFORE.search(before)
            and not _claims_after_article(word, before, after)
        ):
            continue
        if re.search(
            (
                r"\b(?:after|following|because of|despite|due to|those with|patients with|who had|"
                r"in which|who) (?:\w+ )?$"
            ),
            before,
        ):
            continue
        new = _with_article(before, _FLIPS[word])
        choices.append(Edited(new + after, word, _FLIPS[word]))
    for pattern, put in _PHRASES:
        match = pattern.search(text)
        if match is not None and not _NEGATION_NEAR.search(
            text[max(0, match.start() - 60) : match.start()]
        ):
            group = 1 if pattern.groups else 0
            choices.append(
                Edited(
                    text[: match.start(group)] + put + text[match.end(group) :],
                    match.group(group),
                    put,
                )
            )
    return draw.choice(choices) if choices else None


def _claims_after_article(word: str, before: str, after: str) -> bool:
    """After an article the word claims only where a verb of finding leads to it: "was associated
    with a higher rate".
    """
    if re.search(r"\b(?:associated|correlated|linked) with $", before):
        return True
    return bool(
        _ARTICLE_BEFORE.search(before)
        and re.search(
            (
                r"\b(?:associated with|resulted in|led to|leads to|results in|showed|had|produced|"
                r"found|observed|there was|reported|"
                r"caused|experienced|demonstrated|achieved|revealed|exhibited|was|is) (?:an?|the) $"
            ),
            before,
            re.I,
        )
    )


def _with_article(before: str, word: str) -> str:
    if before.endswith(" a ") and word[0] in "aeiou":
        return before[:-1] + "n " + word
    if before.endswith(" an ") and word[0] not in "aeiou":
        return before[:-2] + " " + word
    return before + word


_BASE = {
    "reduced": "reduce",
    "increased": "increase",
    "decreased": "decrease",
    "improved": "improve",
    "led": "lead",
    "resulted": "result",
    "showed": "show",
    "produced": "produce",
    "prevented": "prevent",
    "caused": "cause",
    "enhanced": "enhance",
    "lowered": "lower",
    "prolonged": "prolong",
    "differed": "differ",
    "changed": "change",
    "affected": "affect",
    "predicted": "predict",
    "correlated": "correlate",
    "attenuated": "attenuate",
    "induced": "induce",
    "inhibited": "inhibit",
    "experienced": "experience",
    "declined": "decline",
    "rose": "rise",
    "fell": "fall",
    "provided": "provide",
    "demonstrated": "demonstrate",
    "achieved": "achieve",
    "exhibited": "exhibit",
}
_PAST = {base: past for past, base in _BASE.items()}
_BE = re.compile(
    r"\b(was|were|is|are|has been|have been) "
    r"(?=(?:also |both |all |found to be |shown to be )*(?:significantly |statistically |strongly |"
    r"independently |highly |more |less |positively |negatively |inversely |well |as |markedly |"
    r"slightly |clinically |much )*"
    r"(?:significant|associated|effective|superior|inferior|higher|lower|greater|better|worse|"
    r"reduced|increased|decreased|improved|"
    r"observed|safe|tolerated|efficacious|longer|shorter|different|similar|comparable|equivalent|"
    r"noted|predictive|related|"
    r"correlated|common|frequent|prolonged|elevated|larger|smaller|faster|likely|beneficial|"
    r"detected|feasible|useful)\b)"
)
_RELATIVE = re.compile(
    (
        r"\b(?:who|which|when|if|as|than|whom|whose|where|what|because|although|while|whereas) "
        r"(?:\w+ ){0,2}$"
    ),
    re.I,
)
_NOT_HERE = re.compile(
    (
        r"\b(?:no|not|nor|neither|without|never|cannot|lack|absence|none|only|failed|either|few|"
        r"little|any)\b"
    ),
    re.I,
)
_VERB = re.compile(
    rf"(?<=[a-z)0-9A-Z] )(significantly |also |markedly |substantially )?({'|'.join(_BASE)}) "
    r"(?=[a-z])(?!by\b|with\b|and\b)"
)
_DENY = (
    (
        re.compile(
            r"\b(There (?:was|were)|there (?:was|were)|had|showed|found|shows|revealed|"
            r"demonstrated) no (?=(?:\w+ )?(?:significant|"
            r"difference|effect|change|increase|decrease|improvement|association|correlation|"
            r"evidence|benefit|"
            r"reduction))"
        ),
        r"\1 a ",
    ),
    (
        re.compile(
            r"\b([Nn])o (significant|statistically significant) (differences?|effects?|changes?|"
            r"associations?|correlations?|"
            r"improvements?|reductions?|increases?|decreases?|interactions?)\b"
        ),
        None,
    ),
    (
        re.compile(
            r"\b(was|were|is|are|has|have|had|could|can|does|do) not (?!only|yet|known|clear|"
            r"available|possible|been|"
            r"(?:all|always|necessarily|fully|well)\b)"
        ),
        r"\1 ",
    ),
)
_DID_NOT = re.compile(rf"\bdid not (?:significantly )?({'|'.join(_PAST)})\b")


def negated(text: str, draw: random.Random) -> Edited | None:
    """A finding denied, or a denied one affirmed."""
    choices: list[Edited] = []
    without = _NOT_HERE.search(text) is None
    if without:
        for match in _BE.finditer(text):
            if not _RELATIVE.search(text[: match.start()]):
                verb = match.group(1)
                put = verb.replace("has been", "has not been").replace("have been", "have not been")
                put = put if put != verb else f"{verb} not"
                choices.append(
                    Edited(f"{text[: match.start()]}{put} {text[match.end() :]}", verb, put)
                )
        for match in _VERB.finditer(text):
            before = text[: match.start()]
            if _RELATIVE.search(before) or re.search(
                (
                    r"\b(?:was|were|been|be|is|are|an?|the|of|with|had|have|has|and|or|for|in|by|"
                    r"to|from|to|more|less|after|between|at|"
                    r"significantly|showing|showed|on|due|that|both|as)\W$"
                ),
                before,
                re.I,
            ):
                continue
            if re.match(r"[^.;]*\bbut also\b", text[match.end() :]):
                continue
            put = f"did not {match.group(1) or ''}{_BASE[match.group(2)]}"
            choices.append(
                Edited(
                    text[: match.start()] + put + text[match.end(2) :], match.group().strip(), put
                )
            )
    else:
        for match in _DID_NOT.finditer(text):
            put = _PAST[match.group(1)]
            choices.append(
                Edited(text[: match.start()] + put + text[match.end() :], match.group(), put)
            )
        for pattern, put in _DENY:
            choices += [
                _affirmed(text, match, put)
                for match in pattern.finditer(text)
                if not _RELATIVE.search(text[: match.start()])
            ]
    return draw.choice(choices) if choices else None


def _affirmed(text: str, match: re.Match[str], put: str | None) -> Edited:
    if put is not None:
        new = match.expand(put)
        if new.endswith(" a "):
            following = text[match.end() : match.end() + 60]
            plural = re.match(
                (
                    r"(?:\w+ ){0,3}?\w*(?:differences|effects|changes|associations|improvements|"
                    r"reductions|increases|evidence)\b"
                ),
                following,
            )
            new = (
                new[:-2]
                if plural or re.search(r"were a $", new)
                else new[:-2] + ("an " if following[:1] in "aeiou" else "a ")
            )
    else:
        words = f"{match.group(2)} {match.group(3)}"
        plural = match.group(3).endswith("s")
        article = "" if plural else ("A " if match.group(1) == "N" else "a ")
        new = article + (
            words if article or match.group(1) == "n" else words[0].upper() + words[1:]
        )
    return Edited(text[: match.start()] + new + text[match.end() :], match.group(), new)


# --- terms ----------------------------------------------------------------------------------------

_UPWARD = re.compile(r"\b(?:increas|higher|greater|more|rose|rise|elevat|longer|gain)", re.I)
_DOWNWARD = re.compile(r"\b(?:decreas|lower|fewer|less|reduc|fell|declin|shorter|loss)", re.I)
_LEVEL = re.compile(r"\b(?:no\b|not\b|similar|comparable|equivalent|neither|nor\b|without)", re.I)
_GOOD = re.compile(
    r"\b(?:improv|better|effective|superior|benefi|prevent|efficac|safe|tolerated)", re.I
)
_LINK = re.compile(r"\b(?:associat|correlat|predict|relat|risk)", re.I)
_FAMILIES = (_UPWARD, _DOWNWARD, _LEVEL, _GOOD, _LINK)


def term_swapped(
    kind: str, text: str, article: Article, vocabulary: Vocabulary, draw: random.Random
) -> Edited | None:
    """A ``kind`` of term (drug, outcome, population) put for another of the same abstract that the
    sentence does not have.

    The other term stands in no sentence of the title or abstract that says something of the same
    direction, and no sentence with it holds most of the words of the claim.
    """
    whole = f"{article.title}. {article.abstract}"
    choices: list[Edited] = []
    for old, new in _pairs(kind, text, article, vocabulary):
        if stands_in(new.text, text) or not exchangeable(old, new, whole):
            continue
        if re.search(rf"\b{re.escape(old.text)} ?(?:\(|/|-|\+)|[-/+]{re.escape(old.text)}\b", text):
            continue
        if _said_alike(text, new, whole) and not (old.label and new.label):
            continue
        put = in_case(new.text, old.text)
        changed = re.sub(
            rf"(?<![\w-]){re.escape(old.text)}(?![\w-])", lambda match, put=put: put, text
        )  # type: ignore[misc]
        if changed != text and not carried(changed, put, article, 0.6):
            choices.append(Edited(changed, old.text, put))
    return draw.choice(choices) if choices else None


def _pairs(
    kind: str, text: str, article: Article, vocabulary: Vocabulary
) -> list[tuple[Term, Term]]:
    whole = f"{article.title}. {article.abstract}"
    inside, around = vocabulary.terms(text, kind), vocabulary.terms(whole, kind)
    if kind == "population":
        pairs = [
            (old, new)
            for old in inside
            if names_people(old, text)
            for new in around
            if _same_table(old, new)
        ]
    elif kind == "drug":
        pairs = [(old, new) for old in inside for new in around]
    else:
        pairs = [(old, new) for old in inside for new in around]
        pairs += _prompted(text, whole, vocabulary.prompts.get(article.pmid or "", ()))
    return pairs


def _prompted(text: str, whole: str, prompts: Sequence[object]) -> list[tuple[Term, Term]]:
    """Outcomes of the doctors' prompts on one comparison of the article that found different things
    of them.
    """
    rows = [row for row in prompts if isinstance(row, dict) and stands_in(row["outcome"], whole)]
    found = []
    for one in rows:
        for other in rows:
            same = (
                one["intervention"] == other["intervention"]
                and one["comparator"] == other["comparator"]
            )
            place = text.lower().find(one["outcome"].lower())
            if same and one["label"] != other["label"] and place >= 0 and len(one["outcome"]) >= 5:
                old = text[place : place + len(one["outcome"])]
                found.append(
                    (
                        _outcome(old, one["label"]),
                        _outcome(other["outcome"].lower(), other["label"]),
                    )
                )
    return found


def _outcome(text: str, label: str) -> Term:
    return Term(text, "outcome", frozenset({f"prompt:{text.lower()}"}), label)


def _same_table(old: Term, new: Term) -> bool:
    one, other = next(iter(old.concepts)), next(iter(new.concepts))
    if ":" in one or ":" in other:
        table, meaning = one.split(":") if ":" in one else ("", one)
        other_table, other_meaning = other.split(":") if ":" in other else ("-", other)
        return (
            table == other_table
            and meaning != other_meaning
            and frozenset((meaning, other_meaning)) not in OVERLAPPING
        )
    return True


def _said_alike(text: str, new: Term, whole: str) -> bool:
    """Return whether another sentence with the new term says something of the same direction as the
    claim.
    """
    mine = [family for family in _FAMILIES if family.search(text)]
    for sentence in sentences(whole):
        if (
            states_finding(sentence)
            and stands_in(new.text, sentence)
            and any(family.search(sentence) for family in mine)
        ):
            return True
    return False
