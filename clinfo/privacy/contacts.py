"""Contact details that identify a person in a text: record numbers, telephone numbers, e-mail and
street addresses, full dates of birth.

Rules over characters, in time linear in the text's length. Telephone numbers are caught by their
look, right or wrong, and by phonenumbers where they have a country's own form. Numbers of studies
(registries, PMIDs, DOIs, gene banks) are none.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache

from clinfo.records.articles import Identifier

_REGISTRIES = (
    r"NCT|ISRCTN|CRD|ACTRN|ANZCTR|ChiCTR|UMIN|DRKS|CTRI|IRCT|PACTR|JPRN|JapicCTI|KCT|TCTR|SLCTR|"
    r"jRCT|LBCTR|RPCEC|AEARCTR|EUCTR|NMRR|U1111"
)
_STUDY_NUMBERS = re.compile(
    (
        r"\bhttps?://[^\s<>?]+|\bwww\.[^\s<>?]+|\b10\.\d{4,9}/[^\s<>]+|\bPM(?:ID|CID|"
        r"C)\b[\s:#]*\d+|\bPubMed(?: ID)?[\s:#]*\d+"
        r"|\b(?-i:(?:NCT|ISRCTN)[\s:#.-]{0,3}\d(?: ?\d){7}|ACTRN[\s:#.-]{0,3}\d(?: ?\d){13})(?!\d)"
        rf"|\b(?:{_REGISTRIES})[-\w/]{{0,12}}\d[-\w/]{{0,24}}"
        rf"|\b(?-i:{_REGISTRIES}|NTR|PROSPERO)(?-i:-[A-Z]{{2,4}}){{0,2}}"
        r"(?: ?(?:number|no\b\.?|nr\b\.?|id\b|identifier))?[\s:#.-]{1,3}\d[-\w/]{3,24}"
        r"|\b(?-i:NTR\d{2,5}|NL\d{1,4}|NL-OMON\d{2,6}|RBR[ -](?=\w{0,7}\d)\w{5,8}|"
        r"CD\d{6}(?:\.pub\d)?|"
        r"PER-\d{3}-\d{2})(?![\w@])|\b(?:19|"
        r"20)\d\d-\d{6}-\d\d(?:-\d\d)?\b|\bISS?BN[\s:]*[\dX-]+|\bISSN[\s:]*[\dX-]+"
        r"|\bEudraCT(?:[ -](?:number|no\.?|nr\.?))?[\s:#]*(?:\d{4} \d{6} \d\d\b|[\d-]+)"
        r"|\b\d{2,7}-\d\d-\d\b(?= ?\(?CAS)|\bCAS(?: "
        r"(?:number|no\.?))?[\s:]*[\d-]+"
    ),
    re.IGNORECASE,
)

_TOKEN = (
    r"(?:[A-Z]{0,8}[ -]?)?\d[A-Za-z0-9]*(?:[-/.][A-Z0-9]+){0,4}"
    r"|[A-Za-z]{1,8}(?:[-/][A-Z0-9]{1,10}){0,3}[-/]?\d[A-Z0-9]*(?:[-/][A-Z0-9]+){0,3}"
)
_RECORD = re.compile(
    r"(?<![\w-])(?i:(?:(?P<sure>MRN|M\.R\.N\.?|URN?N|UHID|IPNO|OPNO|(?:med(?:ical)?|hosp(?:ital)?|"
    r"health|patient|clinic"
    r"|electronic)'?s? rec(?:ord)?"
    r"|(?:hosp(?:ital)?|chart|case ?notes?|unit|clinic|folder|ward|admission|encounter|episode|"
    r"patient(?:'s)?|insurance|policy"
    r"|member(?:ship)?"
    r"|beneficiary|claim|account|file|dossier|EHR|EMR|PAS|PIN|specimen|pathology|lab(?:oratory)?|"
    r"radiology|visit)(?= ?(?:number"
    r"|no\b|nr\b|n[°º]|#|id\b))"
    r"|hosp(?:ital)?\.? (?:no|nr)\b\.?|inmate (?:no\b\.?|number|#)"
    r"|診察券番号|患者番号|カルテ番号|住院号|病历号|เลขบัตรประชาชน|등록번호|номер карты"
    r"|patientnummer|patientennummer|Fallnummer|num[eé]ro de dossier|historia cl[ií]nica)"
    r"|(?:(?<!flow )chart|UR)(?= (?:number |no\.? |#)?\d[\d-]{4,}\b)"
    r"|(?P<case>case)(?= (?:number|no\b\.?:?|nr\b|#|id\b) ?[:#=]? ?[A-Za-z]{0,3}\d)"
    r"|(?P<record>record)(?= ?(?:number|no\b|#|id\b))|(?P<accession>accession)|(?P<id>ID))"
    r"(?: ?(?:number|no\.?|nr\.?|n[°º]|#|id))?[\s:=#.]{0,3}(?:is |was "
    rf")?#?)(?P<number>{_TOKEN})(?![\w/])(?!\.\d)"
)
_NOT_A_PERSONS_ID = re.compile(
    (
        r"(?:pubmed|pmc|trial|trials|trials\.gov|study|registration|registry|gene|protein|review|"
        r"prospero|project|protocol|mesh"
        r"|cochrane|"
        r"snp|variant|compound|drug|article|reference|doi|grant|award|ethics|approval|cid|geo|"
        r"dbgap|"
        r"arrayexpress|genbank|ncbi|gov"
        r"|expression omnibus|(?:geo|genbank|omnibus|embl|sra|ena|pdb|sequence|data|database|"
        r"archive|"
        r"bank) accession|figshare"
        r"|zenodo)[\s:()-]*\Z"
    ),
    re.IGNORECASE,
)
_ANY_CASE = re.compile(
    r"\b(?:in|which|this|that|any|each|every|worst|best|base|either)\s\Z", re.IGNORECASE
)
_BANK_NUMBER = re.compile(
    r"(?:GSE|GSM|GDS|GPL|PRJ[A-Z]|SR[APRX]|ER[APRX]|DR[APRX]|EGA[SD]|E-[A-Z]{4}|phs|"
    r"[NXAY][MPCRGTW]_|PXD|MTBLS|CRA|HRA|SAM[NED]"
    r"|[OPQ]\d[A-Z0-9]{3}\d|[A-Z]{1,2}\d{5,6}(?:\.\d)?\Z|[A-Z]{3}\d{5}\Z|[A-Z]{4}\d{8})",
)

_EMAIL = re.compile(
    r"(?<![\w.+%-])"
    r"[\w+%-]{1,64}(?:\.[\w+%-]{1,64}){0,6}@[\w-]{1,63}(?:\.[\w-]{1,63}){0,4}\.[A-Za-z]{2,24}(?![\w@])"
)
_SEP = r"[ .\u00a0\u2009-]?"
_PHONE = (
    re.compile(
        rf"(?<![\w+.])(?:\+[1-9]\d{{0,2}}{_SEP}|00[1-9]\d{{0,2}}[ .-])"
        rf"(?:\(0?\d{{0,4}}\){_SEP})?\d{{1,5}}(?:{_SEP}\d{{2,5}}){{1,5}}(?![\w]|[.,]\d|\s?%)"
    ),
    re.compile(r"(?<![\w(+-])(?:1[ .-])?\([2-9]\d\d\) ?\d{3}[ .-]?\d{4}(?![\w-])"),
    re.compile(
        r"(?<![\w.+/-])(?:1[ .-])?[2-9]\d\d(?P<s>[ .-])[2-9]\d\d(?P=s)\d{4}(?![\w/]|[.-]\d)"
    ),
    re.compile(
        r"(?<![\w.,+/-])(?:\(0[1-9]\d{1,3}\)|0[1-9]\d{1,3}) ?\d{3,4} ?\d{3,4}(?![\w/]|[.,-]\d)"
    ),
    re.compile(r"(?<![\w.,+/-])0[1-9](?:[ .]\d\d){4}(?![\w/]|[.,-]\d)"),
    re.compile(r"(?<![\w.,+/-])0\d{2,5}[/-] ?\d{3,4}[ -]?\d{2,5}(?![\w/]|[.,-]\d)"),
)
_GROUPS = re.compile(
    r"(?<![\w.,+/-])(?<!\d )(?!\d{1,3}(?:[ .]\d{3})*[ .]000\b)(?:\(\d{1,5}\) ?)?\d{1,6}(?:[ "
    r".-]\d{2,5}){1,5}"
    r"(?![\w(]|[ .,/-]\d|\s?[%–±])"
)
_REGIONS = """
    US GB FR DE IT ES NL BE CH AT SE FI PL PT IE AU NZ IN JP KR CN BR MX ZA CZ GR HU RO TR IL NG KE
    PK PH TH EG SA AR CL CO
    """.split()  # noqa: SIM905
"""Countries whose national form of a telephone number counts without a word before it."""
_NAMED_PHONE = re.compile(
    (
        r"\b(?:tel(?:ephone|[ée]fono|efon|\.)?|tel[eé]fono|phone|mobile|cell(?:phone)?|handy|"
        r"m[oó]vil|celular|whats ?app|fax|pager"
        r"|contact|"
        r"call(?:ed|ing)?(?: me| us| him| her| them)?|ring(?: me)?|text(?: me)?|reach(?:ed|able)?|"
        r"landline|portable)"
        r"(?: (?:number|no\.?|nr\.?|#))?(?: (?:is|at|on|via|under))?[\s:=#]{0,3}"
        r"(?P<number>(?:\(\d{1,5}\)|\+?\d{1,5})(?:[ .\u00a0/-]{0,3}\d{2,8}){1,6})(?![\w]|[.,]\d|"
        r"\s?(?:%|patients"
        r"|participants|people))"
    ),
    re.IGNORECASE,
)

_MONTH = (
    r"(?:jan(?:uary|vier|uar)?|feb(?:ruary|ruar)?|f[ée]v(?:rier)?|m[aä]r(?:ch|z|s|zo|ts)?|apr(?:il|"
    r"ile)?|avr(?:il)?|ma[iyj]o?"
    r"|june?i?|juin|juil(?:let)?"
    r"|july?i?|aug(?:ust|usti)?|ao[uû]t|sep(?:t(?:ember|embre)?)?|o[ck]t(?:ober|obre)?|nov(?:ember|"
    r"embre)?|de[cz](?:ember"
    r"|embre)?|d[ée]c(?:embre)?"
    r"|enero|febrero|abril|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)"
)
_ORDINAL = (
    r"(?:(?:twenty|thirty)[ -])?(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|"
    r"tenth|eleventh|twelfth|\w{3,5}teenth"
    r"|twentieth|thirtieth)"
)
_YEAR_WORDS = (
    r"(?:nineteen|twenty|two thousand)(?:[ -](?:and|hundred|oh|\w{3,5}ty|\w{3,5}teen|ten|eleven|"
    r"twelve|one|two|three"
    r"|four|five|six|seven|eight|nine)\b){0,4}"
)
_DATE = (
    r"(?:\d{1,2} ?[./-] ?\d{1,2} ?[./-] ?(?:\d{4}|\d\d)|\d{4}[./-]\d{1,2}[./-]\d{1,2}|"
    r"(?:19|20)\d{6}"
    rf"|\d{{1,2}}(?:st|nd|rd|th|\.)?[ -]?(?:of |de |di )?{_MONTH}\.?,?[ -]?(?:de |of )?(?:\d{{4}}|"
    r"\d\d)"
    rf"|{_MONTH}\.? ?\d{{1,2}}(?:st|nd|rd|th)?,? ?(?:\d{{4}}|\d\d)|\d{{1,2}} \d{{1,2}} (?:19|"
    r"20)\d\d"
    rf"|(?:the )?{_ORDINAL}(?: day)?(?: of)? {_MONTH},?(?: in)?(?: (?:the year )?(?:\d{{4}}|"
    rf"{_YEAR_WORDS}))?"
    rf"|{_MONTH},? (?:the )?{_ORDINAL},?(?: of)?(?: (?:\d{{4}}|{_YEAR_WORDS}))?)(?!\d|[./-]\d)"
)
_BIRTH = re.compile(
    (
        r"(?P<cue>\bD\.?O\.?B\b\.?|\b(?:date of birth|birth ?-?date|birthday|fecha de nacimiento|"
        r"date de naissance|data di nascita"
        r"|data de nascimento"
        r"|Geburtsdatum|geb\.|f[öø]delsedato?|f[öø]dd?t?|geboren(?: am| op)?|n[ée]e? le|"
        r"nacid[oa](?: "
        r"el)?|nat[oa] il"
        r"|nascid[oa](?: em)?|born(?: on)?)"
        rf"|(?<![\w.])b\.)(?:\s(?:is|was|of))?[\s:=(-]{{0,3}}(?P<date>{_DATE})"
    ),
    re.IGNORECASE,
)
_BORN_AFTER = re.compile(r"(?P<date>\d{4} ?[年년] ?\d{1,2} ?[月월] ?\d{1,2} ?[日일])(?= ?[生생])")
_COHORT_BEFORE = re.compile(
    (
        r"\b(?:infants|children|babies|births|neonates|newborns|women|men|people|persons|"
        r"individuals|cohort|those|participants"
        r"|patients|adults|"
        r"offspring|twins|singletons|boys|girls|subjects|all|mothers|were|are|and|or|who)(?: "
        r"\w+)?[ "
        r",(]*\Z"
    ),
    re.IGNORECASE,
)
_RANGE_AFTER = re.compile(
    r"\s*(?:to|and|through|until|till|[–—-])\s*(?:\d|[A-Z][a-z]{2,8} \d)", re.IGNORECASE
)

_WORD = r"[A-ZÀ-ÖØ-Þ][\w'’.-]{1,24}"
_CITY = r"[A-ZÀ-Þ][a-zà-ÿ'’.-]{1,24}"
_REST = (
    r"(?:,? (?:Apt|Apartment|Flat|Unit|Suite|Ste|Floor|Fl|#)\.? ?\w{1,6})?(?:,? \d{4,5}(?:-\d{4})? "
    r"[A-ZÀ-Þ]\w{2,24}|,? "
    rf"{_CITY}(?: {_CITY}){{0,2}}(?:,? [A-Z]{{2}}\b)?(?:,? (?:\d{{5}}(?:-\d{{4}})?|"
    r"[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}))?)?"
    r"(?:,? (?:\d{5}(?:-\d{4})?|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2})\b)?"
)
_STREET = re.compile(
    rf"(?<![\w.,/-])\d{{1,5}}[A-Za-z]?,? (?:{_WORD} ){{1,3}}(?:Street|St\b\.?|Road|Avenue|Drive|"
    r"Grove|Court"
    r"|Boulevard|Lane|Blvd\b\.?|Ave\b\.?|Rd\b\.?"
    r"|Terrace|Crescent|Gardens)"
    rf"(?!\w){_REST}"
)
_STREET_NAMED = re.compile(
    r"\b(?i:address(?: is)?|adresse|direcci[oó]n|live[sd]? (?:at|in|on)|living (?:at|on)|"
    r"resid(?:es|ing|ent) (?:at|in|of)"
    r"|home (?:is )?at)[\s:]{1,2}"
    r"(?P<place>\d{1,5}[A-Za-z]?,? (?:(?:rue|calle|via|rua|avenue|de|la|du|des) "
    rf"){{0,3}}{_WORD}(?:,? {_WORD}){{0,5}}{_REST}"
    r"|(?:(?:Calle|Via|Rue|Rua|Avenida|Piazza|Plaza) )?(?:(?:de|la|del|della|du|des) "
    rf"){{0,2}}{_WORD}(?: {_WORD}){{0,2}},? "
    rf"\d{{1,4}}[a-zA-Z]?\b{_REST})"
)
_STREET_SUFFIXED = re.compile(
    (
        r"(?<!\w)[A-ZÀ-Þ][a-zà-ÿ-]{1,24}(?:stra(?:ss|ß)e|str\.|gasse|platz|allee|gatan|v[äe]gen|"
        r"gade|veien|straat|laan|gracht"
        r"|katu) \d{1,4}[a-zA-Z]?\b"
    )
    + _REST
)
_POSTCODE = re.compile(
    (
        r"\b(?:post ?-?codes?|postal code|zip(?: ?-?code)?|PLZ|code postal|c[oó]digo postal|"
        r"CAP)(?: is)?[\s:]{1,2}"
        r"(?P<code>[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|[A-Z]\d[A-Z] ?\d[A-Z]\d|\d{5}(?:-\d{3,4})?|"
        r"\d{4} "
        r"?[A-Z]{2}|\d{3} ?\d{2}|\d{4})\b"
    ),
    re.IGNORECASE,
)
_STREET_FIRST = re.compile(
    rf"\b(?:\d{{1,4}}(?: ?bis| ?ter)?,? (?:rue|avenue|boulevard|chemin|impasse|allée) "
    rf"(?:(?:de la|des|du|de|d['’]) ?)?{_WORD}(?: {_WORD}){{0,3}}"
    rf"|(?:Calle|Avenida|Avda\.|Via|Viale|Rua|Plaza|Piazza) "
    rf"(?:(?:de la|de los|del|della|de|da|do) )?{_WORD}(?: {_WORD}){{0,3}},? \d{{1,4}}\b)" + _REST
)
_BRITISH_POSTCODE = re.compile(r"(?<![\w-])[A-Z]{1,2}\d{1,2}[A-Z]? \d[A-BD-HJLNP-UW-Z]{2}(?![\w-])")
"""An outward and an inward code; the inward one never holds C, I, K, M, O or V (Royal Mail's
programmers' guide).
"""
_MEASURE_AFTER = re.compile(
    r"\s?(?:m|km|ft|feet|met(?:er|re)s?|altitude|miles|masl)\b", re.IGNORECASE
)

_LONG_NUMBER = re.compile(
    r"(?<![\w.,+/-])\d{10,12}(?![\w/]|[.,-]\d|\s?%)"
    r"|\b(?i:pt|patient|client|resident)(?: (?i:id|no\.?|number))?[\s:#]{1,3}(?P<id>\d{3,4}[ "
    r"-]?\d{3}[ -]?\d{2,4})(?![\w/]|[.,-]\d)"
)
"""So many digits without a mark between them number no patients, doses or years."""

_MONTH_FIRST = re.compile(rf"(?:\d+ )?{_MONTH}\b", re.IGNORECASE)


_NEAR = 400
"""Characters before and behind a digit that a rule may read with it; the longest reads 310."""
_DIGITS = re.compile(r"\d+|[A-Z]{6}[L-NP-V]{2}[A-EHLMPR-T][L-NP-V]{2}")
"""Digits, or a codice fiscale that has letters in their place."""
_SPACE = re.compile(r"\s|\Z")
_MANY_DIGITS = re.compile(r"\d(?:\D{0,4}\d){6}")
"""As many digits near each other as the shortest telephone number has."""


def near_digits(text: str) -> Iterator[tuple[int, int]]:
    """The stretches of ``text`` that rules for numbers need to read, whole words with a digit near:
    code points [start, end), in order and apart.
    """
    end = 0
    while digits := _DIGITS.search(text, end):
        start = text.rfind(" ", end, max(end, digits.start() - _NEAR)) + 1 or end
        while digits:
            end = digits.end()
            digits = _DIGITS.search(text, end, end + 2 * _NEAR)
        space = _SPACE.search(text, min(len(text), end + _NEAR))
        end = space.start() if space else len(text)
        yield start, end


def contacts(text: str) -> Iterator[Identifier]:
    """Record numbers, telephones, e-mail addresses, birth dates and addresses, in no order; some
    may overlap.
    """
    if "@" in text:
        for match in _EMAIL.finditer(text):
            yield Identifier(match.start(), match.end(), "e-mail")
    for match in _BIRTH.finditer(text):
        if not _of_a_cohort(text, match):
            yield Identifier(match.start(), match.end(), "date of birth")
    for start, end in near_digits(text):
        yield from _with_digits(text, start, end)


def _with_digits(text: str, first: int, last: int) -> Iterator[Identifier]:
    """Stretches that hold digits, between two code points of ``text``."""
    yield from _record_numbers(text, first, last)
    if _MANY_DIGITS.search(text, first, last):
        yield from _long_numbers(text, first, last)
    for match in _BORN_AFTER.finditer(text, first, last):
        yield Identifier(*match.span("date"), "date of birth")
    for pattern in (_STREET, _STREET_SUFFIXED, _STREET_FIRST, _BRITISH_POSTCODE):
        for match in pattern.finditer(text, first, last):
            yield _address(text, *match.span())
    for match in _STREET_NAMED.finditer(text, first, last):
        if _MEASURE_AFTER.match(text, match.end("place")) is None and not _MONTH_FIRST.match(
            match["place"]
        ):
            yield _address(text, *match.span("place"))
    for match in _POSTCODE.finditer(text, first, last):
        yield Identifier(match.start("code"), match.end("code"), "address")


def _long_numbers(text: str, first: int, last: int) -> Iterator[Identifier]:
    """Telephones and numbers of ten digits or more, between two code points of ``text``."""
    for match in _LONG_NUMBER.finditer(text, first, last):
        yield Identifier(
            match.start("id") if match["id"] else match.start(), match.end(), "record number"
        )
    for pattern in _PHONE:
        for match in pattern.finditer(text, first, last):
            if sum(sign.isdigit() for sign in match.group()) >= 8:
                yield Identifier(match.start(), match.end(), "telephone")
    for match in _GROUPS.finditer(text, first, last):
        if 9 <= sum(sign.isdigit() for sign in match.group()) <= 12 and _is_telephone(
            match.group()
        ):
            yield Identifier(match.start(), match.end(), "telephone")
    for match in _NAMED_PHONE.finditer(text, first, last):
        if 7 <= sum(sign.isdigit() for sign in match["number"]) <= 15:
            yield Identifier(match.start("number"), match.end("number"), "telephone")


@lru_cache(maxsize=1 << 10)
def _is_telephone(number: str) -> bool:
    """Return whether digits in groups are a valid number of one of `_REGIONS`, grouped as that
    country writes it.
    """
    import phonenumbers

    groups = re.findall(r"\d+", number)
    for region in _REGIONS:
        with suppress(phonenumbers.NumberParseException):
            found = phonenumbers.parse(number, region)
            form = phonenumbers.format_number(found, phonenumbers.PhoneNumberFormat.NATIONAL)
            if re.findall(r"\d+", form) == groups and phonenumbers.is_valid_number_for_region(
                found, region
            ):
                return True
    return False


def _address(text: str, start: int, end: int) -> Identifier:
    return Identifier(start, start + len(text[start:end].rstrip(" .,")), "address")


def study_numbers(text: str) -> list[tuple[int, int]]:
    """Return where numbers of studies and publications stand, which identify no patient: code
    points [start, end), in order.
    """
    return [match.span() for match in _STUDY_NUMBERS.finditer(text)]


def _record_numbers(text: str, first: int, last: int) -> Iterator[Identifier]:
    for match in _RECORD.finditer(text, first, last):
        number = match["number"]
        digits = sum(sign.isdigit() for sign in number)
        before = text[max(0, match.start() - 40) : match.start()]
        least = (
            6 if match["id"] else 4 if match["accession"] or match["record"] or match["case"] else 3
        )
        if digits < least or (match["id"] and match["id"] != "ID"):
            continue
        if match["case"] and _ANY_CASE.search(before):
            continue
        if (
            not match["sure"]
            and not match["case"]
            and (_NOT_A_PERSONS_ID.search(before) or _BANK_NUMBER.match(number))
        ):
            continue
        yield Identifier(match.start(), match.end(), "record number")


def _of_a_cohort(text: str, match: re.Match[str]) -> bool:
    """Return whether the date bounds the births of many: "children born 1 January 2010 to …"."""
    bounds = ("born", "b.", "geboren", "f", "nacid", "nat", "nascid")
    before = text[max(0, match.start() - 40) : match.start()]
    cohort = _COHORT_BEFORE.search(before) or _RANGE_AFTER.match(text, match.end())
    return match["cue"].lower().startswith(bounds) and cohort is not None
