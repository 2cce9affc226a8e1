"""Names of persons in a text: after titles, after words for a patient or a relative, beside an age; told by rules.

A clinician's title (Dr, Prof.) makes no identifier: whom a question cites is not whom it is about. "Dr" counts as a title only
where the word patient stands before it. Eponyms ("Crohn's disease"), imaging ("MR") and titles of works are no names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from clinfo.records import Identifier
from clinfo.text.given_names import FAMOUS, GIVEN_NAMES, NO_SURNAME

KIND = "name"
_GIVEN_LOWER = frozenset(name.lower() for name in GIVEN_NAMES) - frozenset(
    """
    chris ali mark jack jean per said chen ken max eve sam dana jan kim leo mike mia joy ella ida ana ann robin milan min wei
    xin yan shan raj tom tim ben jim jill ian amy anu max arun jin kate beth lily iris olive ruth
    """.split()  # noqa: SIM905
)
_PART = (
    r"(?:Ma?c|De|La|Le|Di|Van|O['’])?[A-ZÀ-ÖØ-ÞŁŚŠŽČĆŻŹŐŰİĐ](?:[’']?[A-ZÀ-ÖØ-Þ]?[a-zà-öø-ÿąćęłńóśźżčšžěřůőűğışđ]{1,20})"
    r"(?:[-’'][A-Za-zÀ-ÿ][a-zà-öø-ÿąćęłńóśźżčšž]{1,20}){0,2}"
)
_PARTICLE = (
    r"(?:(?:van|von|de|del|della|da|dos|der|den|di|du|la|le|el|al|bin|bint|ibn|ter|ten|zu"
    r"|Van|Von|De|Del|Da|Di|La|Le|El|Al)[ -]){0,3}"
)
_INITIALS = r"(?:[A-ZÀ-Þ]\.[ -]?){1,3}"
_FULL = (
    rf"(?:{_INITIALS}{_PARTICLE}{_PART}|{_PARTICLE}{_PART}(?: [A-ZÀ-Þ]\.(?!\w))?(?: {_PARTICLE}{_PART}){{0,2}}"
    rf"|{_INITIALS}(?!\w))(?:['’]s\b)?"
)
_CAPITALS = r"[A-ZÀ-Þ][A-ZÀ-Þ'’-]{1,24}(?:,? [A-ZÀ-Þ][A-ZÀ-Þ'’-]{1,24}){0,2}"

_TITLE = (
    r"(?:Mr|Mrs|Ms|Miss|Mx|Mme|Mlle|Messrs|Madame|Mademoiselle|Monsieur|Se[ñn]or(?:a|ita)?|Sra?|Do[ñn]a|Don|Herr|Frau|Signora?"
    r"|Sig(?:\.ra|ra)?|"
    r"Senhora?|Dhr|Mevr(?:ouw)?|Mevrouw|Meneer|Fru|Hr|Pan[i]?|Shri|Smt|Sister|Master|Madam|Mister|Missus)"
)
_TITLED = re.compile(
    rf"(?<![\w-])(?P<title>{_TITLE})(?P<more>(?:\.? (?:and|&|or|/) (?:Mr|Mrs|Ms|Miss"
    rf"|Dr))?)(?P<dot>\.?)\s?(?P<dr>(?<=[\s.])Dr\.? )?(?P<name>{_FULL})"
)
_TITLED_CAPITALS = re.compile(rf"(?<![\w-])(?:(?:MR|MRS|MS)\. |(?:Mr|Mrs|Ms|Miss)\.? )(?P<name>{_CAPITALS})(?![\w])")
_NOBODY = re.compile(r"(?:pac-?man|bean|doubtfire|piggy|potato|magoo|men|muscle|sniff)\b", re.IGNORECASE)
"""What follows a title in the names of games, toys and films that studies are about."""
_TITLED_LOWER = re.compile(
    r"(?<![\w-])(?P<title>mrs|mr|ms)\.? (?P<name>[a-z][a-z'’-]{1,20})(?: (?P<rest>[a-z][a-z'’-]{1,20}))?(?![\w-])"
)
_AFTER_A_NAME = frozenset(
    """
    takes taking took needs needed gets got wants uses using started starts stopped develops developed complains denies reports
    feels feeling now also still cannot can't may might must gets became becomes comes came suffers suffering presented lives
    living whose s
    """.split()  # noqa: SIM905
)
"""Words that follow a name written in lower case, and are no part of it."""
_WEAK_TITLES = frozenset(["Miss", "Sister", "Master", "Don", "Pan", "Pani", "Sr", "Sra", "Sig", "Hr", "Fru", "Madam"])
"""Titles that are also words or abbreviations."""
_BEFORE_MISS = re.compile(
    r"(?:\b(?:near|never|not|to|or|we|you|they|i|don['’]t|can|could|may|might|will|would|should|did|do|does|often|commonly"
    r"|frequently|"
    r"easily|still|who|that|which|tests?|clinicians|doctors|physicians|patients|people|students|adults|children)|hit[- ]or"
    r"|[a-z]s)[\s-]*\Z",
    re.IGNORECASE,
)

_KIN = (
    r"patient|pt|client|case|resident|lady|gentleman|woman|man|boy|girl|child|baby|infant|toddler|newborn|uncle|aunt|mother"
    r"|father|mum|mom|dad|"
    r"daughter|son|wife|husband|partner|brother|sister|nephew|niece|grandmother|grandfather|grandma|grandpa|granddaughter"
    r"|grandson|cousin|"
    r"neighbour|neighbor|friend|colleague|paciente|patiente|patienten|pazient[ei]|pacjentk?a?"
)
_PERSON_WORD = re.compile(_KIN, re.IGNORECASE)
_PERSON = re.compile(
    rf"(?<![\w-])(?i:(?:(?P<own>my|our|the|this|his|her|a|an)\s+)?(?:\w{{2,12}}\s+)?(?P<kin>{_KIN})s?(?P<dot>\.?)"
    rf"(?P<said>,? (?:is |was )?(?:named|called)| name(?: is)?| like| initials)?(?: is| was)?)[\s:,(]{{1,2}}(?P<dr>Dr\.? )?"
    rf"(?P<name>{_CAPITALS}(?!\w)|{_FULL})"
)
_NAMED = re.compile(
    r"(?<!trade )(?<!brand )(?<!generic )(?<!drug )(?<!product )(?<!gene )(?<!common )(?<!proprietary )\b[Nn]ame(?: is|:| =)\s?"
    rf"(?P<name>{_CAPITALS}(?![\w])|{_FULL})"
)
_PERSON_LOWER = re.compile(
    rf"\b(?:my|our|this|named|called)\s+(?:{_KIN})?,?\s?(?:is |was )?(?:named |called )?"
    r"(?P<name>(?P<given>[a-z]{3,14})(?: (?P<rest>[a-z][a-z'-]{2,20}))?)(?![\w-])"
)
_CUED_LOWER = re.compile(
    r"\b(?P<cue>[Pp]t|PT|[Pp]atient|PATIENT|[Cc]lient)\b\.?:?\s(?P<name>(?P<given>[a-z]{3,14})"
    r"(?: (?P<rest>[a-z][a-z'-]{2,20}))?)(?![\w-])"
)
_AGED_LOWER = re.compile(
    r"(?<![\w-])(?P<name>(?P<given>[a-z]{3,14}) (?P<rest>[a-z][a-z'-]{2,20}))"
    r"(?=[ ,(]{1,3}\d{1,3}(?:\s?[MFmf]\b|[\s-]?(?:y/?o\b|(?:years?|yrs?)[ -]old\b)))"
)
_INITIALS_SAID = re.compile(
    r"\b(?:(?:[Pp]atient|[Pp]t|PT|PATIENT|[Cc]lient)\.?(?: [Ii]nitials)?"
    r"|[Ii]nitials)[\s:,]{1,2}(?P<name>[A-Z]\.(?:[ -]?[A-Z]\.){1,3}|(?<=nitials )[A-Z]{2,3}\b"
    r"|(?<=nitials: )[A-Z]{2,3}\b)"
)
_REFERRED = re.compile(
    rf"(?<!\w)(?:Re|RE|Ref|Regarding|Concerning|About|For)\s?[:.]?\s(?P<name>{_PART},? {_FULL}|{_INITIALS}{_PART})"
)
_AGE = (
    r"\s?[,(]{1,2}\s?(?:(?:aged?|an?|age:)\s)?\d{1,3}(?:[\s-]?(?:years?|yrs?|months?|mo|weeks?|wks?|days?|y/?o|ans|Jahre"
    r"|a[ñn]os|anni|anos|år|jaar|lat)\b"
    r"|\s?(?:y(?:rs?)?\b)?\s?/?[MFmf]\b|(?=\s?[,)]))"
)
_AGED = re.compile(rf"(?<![\w.-])(?P<name>{_FULL})(?P<age>{_AGE}|,? (?:(?:DOB|MRN|born|n[ée]e? le|geb\.)(?![\w])))")
_LIFE_TIME = re.compile(r"\bage|\bold|years?|y/?o\b|ans\b|Jahre|a[ñn]os|anni|anos", re.IGNORECASE)
_BIRTH_DATE = r"\d{1,2} ?[./-] ?\d{1,2} ?[./-] ?(?:(?:19|20)\d\d|\d\d)(?![\w./-])"
_BESIDE_BIRTH = re.compile(
    rf"(?<![\w.-])(?P<name>[A-ZÀ-Þ][A-ZÀ-Þ'’-]{{2,24}}(?:,? [A-ZÀ-Þ][A-ZÀ-Þ'’-]{{2,24}}){{1,2}}|{_PART}(?:,? {_PART}){{1,2}})"
    rf"(?:[ ,(]{{1,3}}(?P<date>{_BIRTH_DATE})|{_AGE}| ?[,(]? ?(?:DOB|MRN)\b| (?=\d{{1,3}} ?[MF]\b))"
)
"""A name, in capitals or not, right before a date or an age."""
_SURNAME_FIRST = re.compile(
    rf"(?<![\w-])(?i:(?:my |our |the )?(?:patient|pt|client)(?:'s|’s)?(?P<said> name| initials)?(?: is)?)(?P<colon>\s?[:=])?\s"
    rf"(?P<name>{_PART}(?: {_PART})?, {_PART}(?: [A-ZÀ-Þ]\b\.?)?)(?![\w-])"
)
_CAPITAL_WORD = re.compile(rf"(?<![\w.-])(?P<given>{_PART})")
_AFTER_GIVEN = re.compile(rf"(?: [A-Z]\.)?(?: {_PARTICLE}{_PART}){{1,2}}(?:['’]s\b)?")
_PERSON_TAG = re.compile(
    r"\[\s{0,3}(?:1au|au(?:th(?:or)?)?|fau|lastau|ir|fir|ps|author ?-? ?(?:first|last|full|corporate|identifier)?|full author name"
    r"|first author name|last author name|investigator|full investigator name|personal name as subject)(?: ?- ?\w{1,12})?\s{0,3}\]",
    re.IGNORECASE,
)
_TERM_EDGE = re.compile(r"[\[\]()\";:\n]|\b(?:AND|OR|NOT)\b")
_LONGEST_TERM = 200

_EPONYM_AFTER = re.compile(
    r"(?:['’]s?)?[ -](?:[\w-]+ ){0,2}?(?:syndromes?|diseases?|signs?|tests?|scores?|scales?|operations?|procedures?|hospitals?"
    r"|universit\w+|institut\w+|methods?|"
    r"techniques?|classifications?|criteri\w+|cent(?:er|re)s?|clinics?|foundations?|trials?|stud(?:y|ies)|reflex\w*|fractures?"
    r"|positions?|"
    r"manoeuvres?|maneuvers?|lymphomas?|tumou?rs?|thyroiditis|palsy|questionnaires?|inventor\w+|ind(?:ex|ices)|stag\w+|grad\w+"
    r"|formulas?|"
    r"equations?|models?|alliance|college|school|medical|memorial|health|virus|cells?|fever|law|principle|effect|phenomenon"
    r"|prosthesis|implants?|"
    r"anomal\w+|malformations?|arter\w+|dystroph\w+|atax\w+|chorea|neuropathy|deformity|body|bodies|contracture|rating|county"
    r"|department|medicaid|commonwealth|arbor|state|city|registry|initiative|programme?|approach|reports?)\b",
    re.IGNORECASE,
)
_NO_NAME = frozenset(
    """
    health reported activation global safety satisfaction blood management centered centred care controlled education outcomes
    outcome specific support experience education access advocacy portal record records monitoring assessment generated rated
    determined impression preference selection population populations questionnaire survey january february march april may june
    july august september october november december monday tuesday wednesday thursday friday saturday sunday covid crohn
    parkinson alzheimer hodgkin graves hashimoto cushing addison marfan down turner wilson behcet behçet sjogren sjögren raynaud
    guillain barré barre charcot huntington lewy kawasaki lyme paget barrett child pugh glasgow apgar helicobacter
    staphylococcus streptococcus escherichia clostridioides clostridium candida aspergillus mycobacterium pneumocystis
    toxoplasma plasmodium american british european african asian caucasian hispanic black white chinese indian japanese german
    french english spanish italian dutch swedish danish korean arab latino latina vitamin type stage grade class phase group
    team reports report is are was were has have had does do did should can could would will in on with without after before
    during from for to of and or at by the a an if when while what which who why how i we he she it they his her their this that
    these those not no yes please thanks diagnosed treated presenting presents aged age old year male female man woman
    systematic review randomized randomised trial study number name id mrn dob date record chart hospital clinic ward bed icu ed
    er gp nhs id phone tel imaging angiography spectroscopy elastography enterography cholangiopancreatography venography
    urography arthrography scan scans mri guided perfusion diffusion relaxometry fingerprinting rate rates distance events event
    ratio sense
    """.split()  # noqa: SIM905
)
_IMAGING = re.compile(
    r"(?:graphy|graphic|graphies|gram|grams|scopy|scopic|metry|metric|logy|itis|emia|aemia|osis|oma|pathy|tion|ness|ing|ings"
    r"|ity)\Z",
    re.IGNORECASE,
)
_WORDS = re.compile(r"[^\W\d_][\w'’-]*")


def person_names(text: str) -> Iterator[Identifier]:
    """The names found, in no order; some may overlap."""
    headline = _is_headline(text)
    for match in _TITLED.finditer(text):
        if _titled(text, match, headline):
            yield _identifier(match, "title")
    for match in _TITLED_CAPITALS.finditer(text):
        if not _is_common(match["name"]) and not _IMAGING.search(match["name"]):
            yield Identifier(match.start(), match.end(), KIND)
    for match in _TITLED_LOWER.finditer(text):
        plain = match["title"] == "mrs" or text[match.end("title")] == "." or match["name"] in _GIVEN_LOWER
        if plain and not _is_common(match["name"]) and not _IMAGING.search(match["name"]):
            rest = match["rest"] if match["name"] in _GIVEN_LOWER else None
            whole = rest is not None and not _is_common(rest) and rest not in _AFTER_A_NAME and not _IMAGING.search(rest)
            yield Identifier(match.start(), match.end() if whole else match.end("name"), KIND)
    for match in _PERSON.finditer(text):
        if _of_patient(text, match, headline):
            yield _identifier(match)
    for match in _NAMED.finditer(text):
        if not _is_common(match["name"]):
            yield _identifier(match)
    for match in _PERSON_LOWER.finditer(text):
        if match["given"] in _GIVEN_LOWER:
            rest = match["rest"]
            yield Identifier(match.start("name"), match.end("given") if not rest or _is_common(rest) else match.end("name"), KIND)
    for match in _CUED_LOWER.finditer(text):
        if match["given"] in _GIVEN_LOWER:
            whole = _is_surname(match["rest"])
            if whole or match["cue"].lower() == "pt":
                yield Identifier(match.start("name"), match.end("name" if whole else "given"), KIND)
    for match in _AGED_LOWER.finditer(text):
        if match["given"] in _GIVEN_LOWER and _is_surname(match["rest"]):
            yield _identifier(match)
    for match in _INITIALS_SAID.finditer(text):
        yield _identifier(match)
    for match in _REFERRED.finditer(text):
        words = _WORDS.findall(match["name"])
        if (
            not headline
            and not any(_is_common(word) for word in words)
            and (any(word in GIVEN_NAMES for word in words) or "." in match["name"])
            and _EPONYM_AFTER.match(text, match.end("name")) is None
        ):
            yield _identifier(match)
    for match in _AGED.finditer(text):
        if not headline and _beside_age(match["name"], _LIFE_TIME.search(match["age"]) is not None):
            yield _identifier(match)
    for match in _BESIDE_BIRTH.finditer(text):
        if (start := _name_beside_birth(match)) is not None:
            yield Identifier(start, match.end("name"), KIND)
            if match["date"]:
                yield Identifier(*match.span("date"), "date of birth")
    for match in _SURNAME_FIRST.finditer(text):
        if _surname_first(match):
            yield _identifier(match)
    if not headline:
        yield from _whole_names(text)


def tagged_persons(text: str) -> list[tuple[int, int]]:
    """Where terms of a query stand that are tagged as names of authors: code points [start, end), in order."""
    spans: list[tuple[int, int]] = []
    for match in _PERSON_TAG.finditer(text):
        first = max(spans[-1][1] if spans else 0, match.start() - _LONGEST_TERM)
        term = text[first : match.start()].rstrip().removesuffix('"')
        edges = [edge.end() for edge in _TERM_EDGE.finditer(term)]
        spans.append((first + (edges[-1] if edges else 0), match.end()))
    return spans


def _is_surname(word: str | None) -> bool:
    """Whether a word in small letters behind a given name may be a surname."""
    if not word or _is_common(word) or word in _AFTER_A_NAME or word in NO_SURNAME or _IMAGING.search(word):
        return False
    return _EPONYM_AFTER.match(f" {word}") is None


def _identifier(match: re.Match[str], start: str = "name") -> Identifier:
    return Identifier(match.start(start), match.start("name") + len(match["name"].rstrip(" ,-")), KIND)


def _is_headline(text: str) -> bool:
    """Whether the text has capitals as a headline has, so that a capital tells nothing."""
    words = [word for word in _WORDS.findall(text[:2_000])[1:] if len(word) > 3]
    return len(words) > 3 and sum(word[0].isupper() for word in words) > 0.6 * len(words)


def _is_common(name: str) -> bool:
    """Whether the first word of what looks like a name is an everyday or medical word."""
    first = _WORDS.search(name)
    return first is None or first.group().lower().removesuffix("'s").removesuffix("’s") in _NO_NAME


def _titled(text: str, match: re.Match[str], headline: bool) -> bool:
    title, name = match["title"], match["name"]
    if _is_common(name) or _NOBODY.match(name) or (headline and title in _WEAK_TITLES):
        return False
    if not text[match.end("title")].isspace() and text[match.end("title")] != ".":
        return False
    if _EPONYM_AFTER.match(text, match.end("name")) and title in _WEAK_TITLES:
        return False
    if title == "Miss":
        return _BEFORE_MISS.search(text[max(0, match.start() - 24) : match.start()]) is None and not _IMAGING.search(name)
    if title in _WEAK_TITLES:
        return name.split()[0] in GIVEN_NAMES or bool(match["dot"] and title in ("Sr", "Sra", "Sig"))
    return not _IMAGING.search(name.removesuffix("'s")) or len(name.split()) > 1 or bool(match["dot"]) or title not in ("Mr", "Ms")


def _of_patient(text: str, match: re.Match[str], headline: bool) -> bool:
    """Whether capital words after "patient" and its like are a name."""
    name, said = match["name"], match["said"]
    if not name[0].isupper() or _is_common(name) or _EPONYM_AFTER.match(text, match.end("name")):
        return False
    words = _WORDS.findall(name)
    if name.isupper() and "." not in name:
        return len(words) > 1 and any(word.title() in GIVEN_NAMES for word in words) and all(len(word) > 2 for word in words)
    if any(len(word) > 1 and word.isupper() for word in words) or any(word[0].islower() and len(word) > 3 for word in words):
        return False
    own = (match["own"] or "").lower() in ("my", "our", "this", "his", "her") or bool(match["dr"]) or match["kin"].lower() == "pt"
    if headline and not (words[0] in GIVEN_NAMES and own):
        return False
    if words[0] in GIVEN_NAMES or words[0].split("-")[0] in GIVEN_NAMES:
        return len(words) > 1 or own or bool(said)
    initials = re.match(_INITIALS, name) is not None
    if said:
        return initials or (
            (own or said.strip() in ("name", "name is") or "patient" in match.group().lower()) and not _IMAGING.search(words[0])
        )
    return (own or initials) and len(words) > 1 and not any(_is_common(word) or _IMAGING.search(word) for word in words)


def _beside_age(name: str, surely: bool) -> bool:
    """Whether capital words right before an age are a name; ``surely`` says that the age can be nothing else."""
    words = _WORDS.findall(name)
    if _is_common(name) or any(len(word) > 1 and word.isupper() for word in words):
        return False
    given = words[0] in GIVEN_NAMES or words[0].split("-")[0] in GIVEN_NAMES or words[-1] in GIVEN_NAMES
    if given or (re.match(_INITIALS, name) is not None and len(words[-1]) > 1):
        return True
    return surely and len(words) > 1 and not any(_is_common(word) or _IMAGING.search(word) for word in words)


def _is_thing(word: str) -> bool:
    """Whether a word behind a given name names a place, a drug, a thing of medicine or a species."""
    return word.lower().removesuffix("'s") in NO_SURNAME or re.search(r"(?:inalis|ensis|folia|oides)\Z", word) is not None


def _name_beside_birth(match: re.Match[str]) -> int | None:
    """Where a name starts in capital words before a date or an age; None where they hold none."""
    name = match["name"]
    words = list(_WORDS.finditer(name))
    given = next((place for place, word in enumerate(words) if word.group().title() in GIVEN_NAMES), None)
    if given is None:
        return None
    first = 0 if "," in name or given == len(words) - 1 else given
    if any(_is_common(word.group()) or _is_thing(word.group()) or _PERSON_WORD.fullmatch(word.group()) for word in words[first:]):
        return None
    return match.start("name") + words[first].start()


def _surname_first(match: re.Match[str]) -> bool:
    words = _WORDS.findall(match["name"])
    if any(_is_common(word) or _IMAGING.search(word) for word in words):
        return False
    return bool(match["said"]) or any(word in GIVEN_NAMES for word in words)


def _whole_names(text: str) -> Iterator[Identifier]:
    """Given names with a surname behind them, wherever in a row of capital words the given name stands."""
    place = 0
    while (match := _CAPITAL_WORD.search(text, place)) is not None:
        place = match.end()
        given = match["given"]
        if given not in GIVEN_NAMES and given.split("-")[0] not in GIVEN_NAMES:
            continue
        if (rest := _AFTER_GIVEN.match(text, place)) is not None and _whole(text, match.start(), rest.end()):
            place = rest.end()
            yield Identifier(match.start(), place, KIND)


def _whole(text: str, start: int, end: int) -> bool:
    """Whether a given name and further capital words, without anything else that tells, are a person."""
    name = text[start:end]
    words = _WORDS.findall(name)
    if any(_is_common(word) or _is_thing(word) for word in words):
        return False
    if _EPONYM_AFTER.match(text, end) or _EPONYM_AFTER.search(f"{name} ") or FAMOUS.match(name):
        return False
    following = text[end : end + 8]
    return not re.match(r"(?:['’]s)?[ -][A-Z0-9&]|-\w|['’]", following) and not re.search(
        r"[\w-]-\Z|\b(?:St|Saint|Dr|Prof)\.? \Z", text[max(0, start - 8) : start]
    )
