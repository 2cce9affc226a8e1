"""Rewording by script that leaves what a sentence says: every sentence of the benchmark of claims
goes through it.

`restructured` joins a section (the next sentence, or the title before it), drops a clause (in
brackets, in front, or one that stands by itself at the end) and gives it another opening. `copied`
leaves all but the opening. `reformatted` writes its numbers in another way. A clause goes only
where what remains is said by the abstract too: nothing with a negation, an exception or a condition
is dropped.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

from benchmarks.own.claim_sources import LONGEST, Candidate, listed

OPENINGS = (
    "The authors found that ",
    "The authors reported that ",
    "In this study, ",
    "The investigators observed that ",
    "It was reported that ",
    "According to the authors, ",
)
_LEAD = re.compile(
    r"^(?:In conclusion|However|Moreover|Furthermore|Overall|In addition|Additionally|Also|Thus|"
    r"Therefore|Finally|Interestingly|"
    r"Importantly|Notably|Of note|In summary|Hence|Consequently|In contrast|Similarly|In this "
    r"study|In the present study|"
    r"In our study|Conversely|Nevertheless|On the other hand|As expected|Accordingly|Likewise|"
    r"Conclusions?:|Results?:),?\s+(?=\S)"
)
_WE_FOUND = re.compile(
    r"^(?:We|The authors|The present study|Our (?:results|findings|data|study)|The (?:results|"
    r"findings|data)|This study) "
    r"(?:also |further )?(found|observed|report|reported|conclude|concluded|showed|show|shows|"
    r"demonstrated|demonstrate|demonstrates|"
    r"confirmed|confirm) that "
)
_BRACKET = re.compile(r"\s?\((?![^()]*\b(?:not|no|except|only|unless|without)\b)[^()]{2,120}\)")
_TAIL = re.compile(
    r"(?:,| ?;) (?:whereas|while|although|though|suggesting|indicating|and this|which (?:was|were|"
    r"is|are)) [^;]{15,}\.$"
)
_TURNING = re.compile(
    r"\b(?:not|no|nor|neither|only|except|unless|if|respectively|both|either|without|but)\b", re.I
)
TOLD = re.compile(
    r"(?:Th(?:is|e|ese) (?:\w+ )?(?:study|trial|results|findings|data|evidence|review|authors)|It|"
    r"In)\b"
)
_NUMBERED = re.compile(r"^\d\. (?=[A-Z])")
_SAFE_LOWER = listed(
    "The There In A An This These Those Both Patients Treatment All After At Compared During For "
    "No Mean Median Most More "
    "Among Women Men Children Significant Significantly Adverse It They Their Subjects "
    "Participants Use Neither On Of With "
    "When While Although Compliance Mortality Pain Side Response Serum Plasma Baseline Total "
    "Changes Differences Similar "
    "Survival Two Three Four Five Six Seven Eight Nine Ten Each Higher Lower Greater Only Using By "
    "From Between Within "
    "Results Data Analysis Rates Adherence Combination Therapy Intervention Quality Incidence "
    "Prevalence Improvement Weight "
    "Blood Body"
)
_STUDY_OF = re.compile(
    r"^(?:Effects?|Efficacy|Safety|Effectiveness|Impact|Comparison|Use|Treatment|Role|Influence|"
    r"Prevalence|Evaluation)\b"
)

SMALL = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_WORD_NUMBER = re.compile(rf"(?<![\w-])(?:{'|'.join(SMALL)})(?= [a-z]{{4,}})", re.I)
_DIGIT_NUMBER = re.compile(
    r"(?<=[a-z] )(?<!\btype )(?<!\bgrade )(?<!\bphase )(?<!\bstage )(?<!\bweek )(?<!\bday "
    r")(?<!\bmonth )(?<!\byear )(?<!\blevel )"
    r"(?<!\bclass )(?<!\band )(?<!\bto )(?<!\bversus )(?<!\bvs )(?<!\bfactor )(?<!\bgroup "
    r")(?<!\bweeks )(?<!\bomega )(?<!\bor )"
    r"[2-9](?= (?:patients|weeks|months|years|days|hours|groups|participants|women|men|"
    r"children|subjects|studies|trials|doses|arms)\b)"
)
_PERCENT = re.compile(r"(?<=\d)\s?%(?!\w)")
_RANGE_IN_CI = re.compile(
    r"(\bCI\b[^()\d]{0,4}(?:of )?)([-−–]?\d+(?:[.·]\d+)?)\s?(?:-|–|to|"
    r",)\s?(\d+(?:[.·]\d+)?)(?![\d.·/-])"
)
_CI_95 = re.compile(r"\b95\s?%\s?CI\b")
_P_VALUE = re.compile(r"\b[Pp]\s?([<>=])\s?0?\.(\d+)\b")
_THOUSANDS = re.compile(r"(?<![\d.,])(\d{1,3}),(\d{3})(?![\d,]|\.\d)")
_MINUS = re.compile(r"(?<=[ (])[-–−](?=\d)")
_N_EQUALS = re.compile(r"\b([nN])\s?=\s?(?=\d)")
_VERSUS = re.compile(r"\bvs\b\.?(?= )")


@dataclass(frozen=True)
class Reworded:
    """A sentence said anew (without its last full stop) and what was done to it."""

    text: str
    steps: tuple[str, ...]


def restructured(candidate: Candidate, draw: random.Random, join: bool = True) -> Reworded:
    """The sentence joined, shortened and opened otherwise; always changed in at least one way."""
    text, steps = candidate.text.removesuffix(".").rstrip(), []
    text, dropped = _without_lead(text)
    if dropped:
        steps.append("clause dropped")
    if (match := _WE_FOUND.match(text)) is not None:
        text = text[match.end() :]
        text = text[0].upper() + text[1:]
        steps.append("clause dropped")
    if text.startswith("We "):
        steps.append("opening")
    text = _impersonal(text)
    if draw.random() < 0.65 and (shorter := _shortened(text, draw)) is not None:
        text = shorter
        steps.append("clause dropped")
    if (
        join
        and draw.random() < 0.3
        and candidate.following
        and len(text) + len(candidate.following) < LONGEST + 60
    ):
        second, _ = _without_lead(candidate.following.removesuffix(".").rstrip())
        second = _impersonal(second)
        text = f"{text}{draw.choice(('; ', '; ', ', and '))}{_lower(second, candidate.article.abstract)}"  # noqa: E501
        steps.append("section joined")
    elif (
        draw.random() < 0.08
        and (title := _as_topic(candidate.article.title))
        and len(text) + len(title) < LONGEST + 60
    ):
        return Reworded(
            f"In a report on the {title}, {_lower(text, candidate.article.abstract)}",
            (*steps, "section joined"),
        )
    if not steps or (draw.random() < 0.35 and not text.startswith("The authors")):
        opening = "According to the authors, " if TOLD.match(text) else draw.choice(OPENINGS)
        text = opening + _lower(text, candidate.article.abstract)
        steps.append("opening")
    return Reworded(text, tuple(dict.fromkeys(steps)))


def copied(candidate: Candidate, draw: random.Random) -> str:
    """The sentence as the abstract has it, without its full stop, but for its first words: half of
    them get another opening.
    """
    text, _ = _without_lead(candidate.text.removesuffix(".").rstrip())
    text = _impersonal(text)
    if draw.random() < 0.5 or TOLD.match(text) or text.startswith("The authors"):
        return text
    return draw.choice(OPENINGS) + _lower(text, candidate.article.abstract)


def after(opening: str, candidate: Candidate) -> str:
    """The sentence as the abstract has it after words that end in "that"; its own "We found that"
    goes.
    """
    text, _ = _without_lead(candidate.text.removesuffix(".").rstrip())
    if (match := _WE_FOUND.match(text)) is not None:
        text = text[match.end() :]
        text = text[0].upper() + text[1:]
    return opening + _lower(_impersonal(text), candidate.article.abstract)


def reformatted(text: str, draw: random.Random) -> str:
    """The same sentence, its numbers written as another journal would."""
    style = draw.randrange
    text = (
        _CI_95.sub(("95 % CI", "95% CI", "95% confidence interval", "95%CI")[style(4)], text)
        if style(2)
        else text
    )
    text = (
        _RANGE_IN_CI.sub((r"\1\2 to \3", r"\1\2–\3", r"\1\2-\3")[style(3)], text)
        if "-" not in _signs(text)
        else text
    )
    text = _PERCENT.sub(
        ("%", " %", " per cent", " percent")[style(4)], text.replace("95% CI", "95\0 CI")
    ).replace("\0", "%")
    text = _P_VALUE.sub((r"P \1 .\2", r"p\g<1>0.\2", r"p \1 0.\2", r"p\g<1>.\2")[style(4)], text)
    text = _THOUSANDS.sub((r"\1 \2", "\\1\u202f\\2", r"\1\2", r"\1,\2")[style(4)], text)
    text = _MINUS.sub(("−", "-", "–")[style(3)], text)
    text = _N_EQUALS.sub((r"\1 = ", r"\1=")[style(2)], text)
    text = _VERSUS.sub(("versus", "vs")[style(2)], text)
    if style(2):
        text = _WORD_NUMBER.sub(lambda match: str(SMALL.index(match.group().lower()) + 2), text)
    elif style(2):
        text = _DIGIT_NUMBER.sub(lambda match: SMALL[int(match.group()) - 2], text)
    return text


def _signs(text: str) -> str:
    """The minus signs of intervals: where a bound is negative, a hyphen between bounds is left
    alone.
    """
    return (
        "".join(re.findall(r"CI\b[^()]{0,4}[-−–](?=\d)", text)).replace("−", "-").replace("–", "-")
    )


def _without_lead(text: str) -> tuple[str, bool]:
    text = _NUMBERED.sub("", text)
    match = _LEAD.match(text)
    if match is None:
        return text, False
    rest = text[match.end() :]
    return rest[0].upper() + rest[1:], True


def _impersonal(text: str) -> str:
    text = re.sub(r"^We (?=[a-z])", "The authors ", text)
    text = re.sub(r"\b[Oo]ur (?=study|results|findings|data|patients|trial|analysis)", "the ", text)
    return text[0].upper() + text[1:]


def _shortened(text: str, draw: random.Random) -> str | None:
    """Without a bracket, or without a clause at its end that stands by itself; None where neither
    can go honestly.
    """
    if (tail := _TAIL.search(text + ".")) is not None and draw.random() < 0.6:
        rest = text[: tail.start()]
        if (
            len(rest) >= 40
            and not re.search(r"\b(?:respectively|both|either)\b", tail.group())
            and rest.count("(") == rest.count(")")
        ):
            return rest
    brackets = [
        match for match in _BRACKET.finditer(text) if _TURNING.search(match.group()) is None
    ]
    if brackets:
        bracket = draw.choice(brackets)
        rest = text[: bracket.start()] + text[bracket.end() :]
        if len(rest) >= 40 and rest[bracket.start() : bracket.start() + 1] in {
            "",
            " ",
            ",",
            ";",
            ".",
        }:
            return rest
    return None


def _lower(text: str, abstract: str) -> str:
    """The first letter small where the first word is an ordinary one: a common word, or written
    small elsewhere in the abstract.
    """
    first = text.split(" ", 1)[0].rstrip(",")
    ordinary = first in _SAFE_LOWER or (first[1:].islower() and f" {first.lower()} " in abstract)
    return text[0].lower() + text[1:] if ordinary else text


def _as_topic(title: str) -> str:
    """The title as words in a sentence, or "" where it is a question, long, or no plain noun
    phrase.
    """
    title = title.strip().rstrip(".")
    if len(title) > 110 or not _STUDY_OF.match(title) or re.search(r"[?:\[\]]|[a-z]\. ", title):
        return ""
    return title[0].lower() + title[1:]
