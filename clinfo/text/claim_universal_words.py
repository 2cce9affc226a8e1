"""The words in which claims and articles speak of all or of none, as patterns; `clinfo.text.claim_universals` reads with them."""

from __future__ import annotations

import re

_STUDIES = r"(?:stud(?:y|ies)|trials?|reviews?|RCTs?|meta-analys[ei]s)"
_ONE = (
    r"(?:patient|participant|subject|individual|person|case|woman|man|child|infant|neonate|newborn|baby|toddler|adult|adolescent|"
    r"teenager|girl|boy|volunteer|respondent|survivor|mother|recipient|inpatient|outpatient|resident|student|athlete|"
    r"eye|knee|hip|tooth|limb|wound|ulcer|lesion|fracture|tumou?r|implant|graft)"
)
_MANY = (
    r"(?:patients|participants|subjects|individuals|persons|people|cases|women|men|children|infants|neonates|newborns|babies|"
    r"toddlers|adults|adolescents|teenagers|girls|boys|volunteers|respondents|survivors|mothers|recipients|inpatients|outpatients|"
    r"residents|students|athletes|eyes|knees|hips|teeth|limbs|wounds|ulcers|lesions|fractures|tumou?rs|implants|grafts)"
)
_NO_NAME = (
    r"(?!['’]|[-\s](?:benefits?|satisfaction|reported|outcomes?|characteristics?|factors?|preferences?|data|levels?|groups?|"
    r"selection|controls?|reports?|management|series|years?|centr\w+|definitions?|numbers?|care|education|safety|fatalit\w+)\b)"
)
"""What must not follow: there the word only names something else ("patient groups", "case reports")."""
_BETWEEN = (
    r"(?:\s(?!(?:of|in|for|with|and|or|to|by|on|at|from|than|that|which|who|was|were|is|are|had|have|has|but|except|other|causes?|"
    r"groups?|arms?|outcomes?|doses?|significant\w*|differences?|evidence|effects?|changes?|benefits?|more|less|fewer|"
    r"(?!diabetes)\w{2,}[^\Wsui]s)\b)"
    r"[\w-]+){0,3}?"
)
_OF = r"(?:\sof)?(?:\s(?:the|these|those|our|its|their))?"
BEARERS = re.compile(
    rf"""
      \ball{_OF}{_BETWEEN}\s(?:{_MANY}|(?P<all>{_STUDIES}))\b{_NO_NAME}
    | \b(?:every|each)\b(?!\s(?:single\s)?(?:\d|two|three|four|five|ten|hundred|thousand))(?:\ssingle|\sone)?
      (?:\sof\s(?:the|these|those))?{_BETWEEN}\s(?:{_ONE}|{_MANY}|(?P<every>{_STUDIES}))\b{_NO_NAME}
    | \b(?:none\sof|not\s(?:a\ssingle|one)(?:\sof)?)(?:\s(?:the|these|those|our|its|their|all))*{_BETWEEN}
      \s(?:{_ONE}|{_MANY}|(?P<none>{_STUDIES}))\b{_NO_NAME}
    | \bno{_BETWEEN}\s(?:{_ONE}|{_MANY}|(?P<no>{_STUDIES}))\b{_NO_NAME}
    | \b{_MANY}\s(?:(?:were|are|had|have)\s)?all\b(?!-|\s(?:over|of|the|these|those|doses|causes?)\b)
    | \b(?:all|none|not\sone)\sof\sthem\b | \bthey\s(?:(?:were|are|had|have)\s)?all\b(?!-|\s(?:of|the|these|those|causes?)\b)
    | \A(?:all|none)\s(?:were|was|had|have|survived|recovered|improved|responded|remained|relapsed|died)\b
    | \b(?:everyone|everybody|nobody|no\sone)\b(?!\selse)
    | \bwithout\s(?:any\s)?exception\b
    | \b(?:always|invariably)\b
    | (?<!ever/)(?<!or\s)\bnever\b
      (?![-/]|\s(?:smok|us(?:e|ing)|marri|drink|drank|treat|been|expos|pregnan|employ|vaccinat|before|previous))
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""What a claim says of all or of none of those who bear an outcome; a group of the match tells that these are studies."""
LIMITED = re.compile(
    r"(?:\b(?:not|nearly|almost|virtually|practically|essentially|whether|if|unless|who|who (?:had|have|has)|(?<=no )matter)|"
    r"n['’]t|(?:[\d%)]|\b(?:half|thirds?|quarters?|most|majority|proportion|percentage|share|rate|number|per\s?cent)) of)\s\Z",
    re.IGNORECASE,
)
"""What right before a universal takes it back, or makes it the whole of which a share is told."""
EXCEPTED = re.compile(
    r"\b(?:all|every\w*|no(?:ne|body| one)?)\s(?:[\w-]+\s){0,4}?(?:but|except\w*|apart from|other than)\b", re.IGNORECASE
)
"""All but some."""
SHARE_OF_ALL = re.compile(r"\b(?:of|among|amongst|across)\s\Z", re.IGNORECASE)
"""Before "all patients" in a clause with figures: the whole that they are shares or means of."""
SHARE = re.compile(
    r"\d\s?%|\b(?:half|thirds?|quarters?|most|many|some|few|several|per\s?cent|in (?:ten|five|four|three))\b", re.IGNORECASE
)
"""Who never had it, or always did, where that is told of a share: "almost half had never seen it fail"."""
POLICY = re.compile(r"\A\W*(?:[\w-]+ly\s)?[\w-]{2,}ing\s\Z", re.IGNORECASE)
"""A claim that begins with what is done to all ("screening all women halved deaths") tells a policy, and no outcome of all."""
STAYED = re.compile(
    r"(?<!who )(?<!who had )\b(?:complet(?:ed|ion)|finished|retained|retention|drop(?:ped)?[-\s]?outs?|attrition|withdr[ae]w\w*|"
    r"los(?:t|s|ses) to follow)",
    re.IGNORECASE,
)
"""That all stayed to the end is told in several ways: "100 % retention", "no drop-outs", "all completed it"."""
AND_MORE = re.compile(r"\band\s(?:all\s)?(?:were|was|had)\b", re.IGNORECASE)
"""Where a clause says more than who stayed."""
EVER = re.compile(
    r"\b(?:all|every|each|everyone|everybody|none|nobody|never|always|zero|nil|entire(?:ly)?|whole|invariabl[ey]|universal(?:ly)?|"
    rf"uniform(?:ly)?|both(?:\sof)?(?:\sthe(?:se)?)?\s(?:{_MANY}|were|had)|no{_BETWEEN}\s(?:{_ONE}|{_MANY}|{_STUDIES}|one)|"
    r"there\s(?:was|were)\sno|no\s(?:[\w-]+\s){1,3}(?:occurred|(?:was|were)\s(?:seen|observed|reported|recorded|noted|found)))\b",
    re.IGNORECASE,
)
"""Words of an article that speak of all or of none, once `NOT_EVER` and `EXCEPTED` are taken out of it."""
NONE = re.compile(r"\b(?:no|any|neither|nor|without|free (?:of|from)|lack(?:ed|s|ing)?|absen(?:t|ce))\b", re.IGNORECASE)
"""Words that tell of none only: they bear out no claim on all ("women without relapse slept better")."""
NOT_EVER = re.compile(
    r"\ball[-\s]causes?\b|\ball\s(?:P|ps)\b|\ball\s(?:(?:the|other|of the|two|three|four)\s)*(?:groups|arms|outcomes|scores|"
    r"measures|domains|scales|time\s?points|doses|regimens|models|analyses|comparisons|variables|endpoints)\b|"
    r"\b(?:every|each)\s(?:other\s)?(?:\d|(?:two|three|four|six|eight|twelve|second|few|hours?|days?|weeks?|months?|"
    r"years?|times?|cycles?|group|arm|visit|other|dose|of the (?:two|three|four) (?:groups|arms))\b)|"
    r"\b(?:no|without|any)\s(?:(?:statistically|clinically)\s)?(?:significant|differences?|evidence (?:that|for|from))\b|"
    r"\b(?:not|nearly|almost|virtually|practically|essentially)\s(?:quite\s)?(?:all|every|each|always|never|any|no|none)\b"
    r"(?<!not any)|"
    r"\bnever[-/\s](?:smok|us|marri|drink|been)\w*|\bno (?:longer|more than|less than|matter)\b|"
    r"\bat all\b|\bin all,",
    re.IGNORECASE,
)
"""The same words where they speak of groups, measures and times, or are taken back."""
NEW_SUBJECT = re.compile(r",?\s(?:and|of whom|of which)\s(?=(?:[^\W\d]+\s){0,2}?\d|(?:most|many|some|half|few)\b)", re.IGNORECASE)
"""Where a statement goes on with how many others: "all took it and 31 were cured"."""
BEARER_WORDS = re.compile(rf"(?:{_ONE}|{_MANY}|{_STUDIES})\Z", re.IGNORECASE)
"""Words that only name who bears the outcome."""
