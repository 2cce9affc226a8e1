"""National identity and health insurance numbers in a text, told by their form, their check digits
and the words before them.

A number whose form is telling (hyphens, letters, a date inside, check digits) counts alone; one
that might be any number needs its name before it ("BSN 111222333"). python-stdnum knows the check
digits. After a name that means nothing else ("NHS number") a wrong check digit is taken for a slip
of the hand: the number still identifies somebody.
"""

import re
from collections.abc import Callable, Iterator
from datetime import date
from importlib import import_module
from typing import NamedTuple

from clinfo.privacy.contacts import near_digits
from clinfo.records.articles import Identifier

KIND = "national id"
_GAP = r"[ .\u00a0\u2009-]?"
_CUE_GAP = r"(?:\s?(?:number|no\.?|nr\.?|num[eé]ro|n[°º]|#|id|code))?[\s:=#.]{0,3}(?:is\s|was\s)?"


def _by(*schemes: str, **options: bool) -> Callable[[str], bool]:
    """Return whether one of python-stdnum's schemes calls a number valid; each is imported when a
    text first holds such a number.
    """

    def valid(text: str) -> bool:
        number = "".join(text.replace(".", " ").split())
        return any(
            import_module(f"stdnum.{scheme}").is_valid(number, **options) for scheme in schemes
        )

    return valid


def _luhn(text: str) -> bool:
    return _by("luhn")(text.replace("-", ""))


def _ymd(text: str) -> bool:
    """Return whether a number begins with a day, year first; the day may have 60 added, and 29
    February 2000 is one.
    """
    year, month, day = int(text[:2]), int(text[2:4]), int(text[4:6])
    try:
        return bool(date(year + 1900 if year else 2000, month, day - 60 if day > 60 else day))
    except ValueError:
        return False


def personnummer(text: str) -> bool:
    """A day and Luhn's check over ten digits; python-stdnum lacks coordination numbers, with day +
    60 (SKV 704 and SKV 707).
    """
    return _ymd(text[-11:]) and _luhn(text[-11:].replace("+", ""))


def kvnr(text: str) -> bool:
    """Letter as two digits, weights 1 and 2 with cross sums, modulus 10 (§ 290 SGB V, annex 1 of
    the guideline).
    """
    digits = [int(sign) for sign in f"{ord(text[0].upper()) - 64:02d}{text[1:]}"]
    products = (digit * (1 + place % 2) for place, digit in enumerate(digits[:-1]))
    return sum(number // 10 + number % 10 for number in products) % 10 == digits[-1]


class _Number(NamedTuple):
    """The form of one country's number. ``name`` comes before it. With ``alone`` it counts without
    its name if it passes ``check``; with ``sure`` it counts after its name whatever the check says.
    """

    form: str
    name: str
    check: Callable[[str], bool] | None = None
    alone: bool = False
    sure: bool = False


_NUMBERS = (
    _Number(
        r"\d{3}-\d{2}-\d{4}|\d{3} \d{2} \d{4}", r"SSN|social security", _by("us.ssn"), True, True
    ),
    _Number(r"\d{9}", r"SSN|social security", _by("us.ssn")),
    _Number(rf"\d{{3}}{_GAP}\d{{3}}{_GAP}\d{{4}}", r"NHS|CHI|H&C", sure=True),
    _Number(
        r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d\d ?\d\d ?\d\d ?[A-D]",
        r"NINO|NI|national insurance",
        alone=True,
    ),
    _Number(r"[A-Z]{2} ?\d\d ?\d\d ?\d\d ?[A-D]", r"NINO|NI|national insurance"),
    _Number(
        r"(?:19|20)?\d{6}[-+]\d{4}",
        r"personnummer|samordningsnummer|personal (?:identity|id)",
        personnummer,
        True,
        True,
    ),
    _Number(
        r"(?:19|20)\d{10}|\d{10}",
        r"personnummer|samordningsnummer|personal (?:identity|id)",
        sure=True,
    ),
    _Number(r"\d{6}-?\d{4}", r"CPR(?:-?(?:nummer|nr\.?))?|personnummer", _by("dk.cpr")),
    _Number(r"\d{6}-\d{4}", r"CPR", _by("dk.cpr"), alone=True),
    _Number(
        r"\d{6} ?\d{5}",
        r"f(?:ø|oe?)dselsnummer|personnummer|D-nummer",
        _by("no.fodselsnummer"),
        True,
        True,
    ),
    _Number(
        r"\d{6}[-+A-FU-Y]\d{3}[0-9A-FHJ-NPR-Y]",
        r"henkil(?:ö|o)tunnus|hetu",
        _by("fi.hetu", allow_temporary=True),
        True,
        True,
    ),
    _Number(r"\d{9}|\d{4}[. ]\d{2}[. ]\d{3}", r"BSN|burgerservicenummer|sofinummer", sure=True),
    _Number(
        r"[A-Z]\d{9}",
        r"KVNR|(?:Kranken)?versicherten(?:nummer|nr\.?)|Versichertennr\.?",
        kvnr,
        True,
        True,
    ),
    _Number(
        r"[12] ?\d\d ?(?:0[1-9]|1[0-2]|[2-9]\d) ?(?:\d\d|2[AB]) ?\d{3} ?\d{3} ?\d\d",
        r"NIR|INSEE|s[ée]curit[ée] sociale",
        _by("fr.nir"),
        True,
        True,
    ),
    _Number(
        r"\d{8}-?[A-Z]|\d{2}\.\d{3}\.\d{3}-?[A-Z]|[XYZ]-?\d{7}-?[A-Z]",
        r"DNI|NIE|NIF",
        _by("es.nif"),
        True,
        True,
    ),
    _Number(
        r"[A-Z]{6}[0-9L-NP-V]{2}[A-EHLMPR-T][0-9L-NP-V]{2}[A-Z][0-9L-NP-V]{3}[A-Z]",
        r"codice fiscale|C\.?F\.?",
        _by("it.codicefiscale"),
        True,
        True,
    ),
    _Number(r"\d{3}\.\d{3}\.\d{3}-\d{2}", r"CPF", _by("br.cpf"), True, True),
    _Number(r"\d{11}", r"CPF", _by("br.cpf")),
    _Number(
        r"[2-9]\d{3} \d{4} \d{4}|[2-9]\d{3}-\d{4}-\d{4}",
        r"aadha?ar|UIDAI|UID",
        _by("in_.aadhaar"),
        True,
        True,
    ),
    _Number(r"[2-9]\d{11}", r"aadha?ar|UIDAI|UID", sure=True),
    _Number(rf"\d{{3}}{_GAP}\d{{3}}{_GAP}\d{{3}}", r"SIN|social insurance", _luhn),
    _Number(r"\d{11}", r"PESEL", _by("pl.pesel"), True, True),
    _Number(
        r"\d\d\.\d\d\.\d\d-\d{3}\.\d\d",
        r"(?:rijks|national )?register(?:nummer)?|INSZ|NISS",
        _by("be.nn", "be.bis"),
        True,
        True,
    ),
    _Number(
        r"\d{6}[ -]?\d{3}[ .-]?\d\d",
        r"rijksregister(?:nummer)?|registre national|INSZ|NISS",
        sure=True,
    ),
    _Number(r"756\.?\d{4}\.?\d{4}\.?\d{2}", r"AHV|AVS|OASI", _by("ch.ssn"), True, True),
    _Number(r"\d{17}[\dXx]", r"resident identity|identity card|ID card", _by("cn.ric"), True, True),
    _Number(r"\d{6}-[1-8]\d{6}", r"RRN|resident registration", _ymd, True, True),
    _Number(r"[1-9]\d{12}", r"CNP|cod numeric personal", _by("ro.cnp"), True, True),
    _Number(r"\d{13}|\d{6} ?\d{4} ?\d{2} ?\d", r"RSA|South African|ID", sure=True),
    _Number(r"\d{7}[A-W][A-IW]?", r"PPSN?", sure=True),
    _Number(r"[2-6]\d{3} ?\d{5} ?\d(?: ?/ ?\d)?", r"medicare"),
    _Number(r"\d{6}/\d{3,4}", r"rodn[eé] [cč][ií]slo|RČ", sure=True),
)
_EDGE_AFTER = r"(?![\w/]|[.,-]\d)"
_ALONE = tuple(
    (re.compile(f"(?P<number>{one.form}){_EDGE_AFTER}"), one.check) for one in _NUMBERS if one.alone
)
_NAMED = tuple(
    (
        re.compile(
            rf"(?:{one.name}){_CUE_GAP}(?P<number>(?:{one.form})){_EDGE_AFTER}", re.IGNORECASE
        ),
        None if one.sure else one.check,
    )
    for one in _NUMBERS
)
_MAY_STAND_ALONE = re.compile(
    r"[A-Z\d](?<![\w.+/-].)(?=(?:[A-Z .+-]{0,3}\d){5}|[A-Z]{5}[0-9L-NP-V]{2}[A-EHLMPR-T])"
)
"""The possible beginnings of a number of `_ALONE`: five more digits are near, or the head of a
codice fiscale. One scan with this is cheaper than one with each of its patterns.
"""
_MAY_BE_NAMED = re.compile(
    rf"(?<!\w)(?=(?:{'|'.join(one.name for one in _NUMBERS)}){_CUE_GAP}"
    r"(?:[A-Z]{0,2}[ -]?\d|[A-Z]{6}[0-9L-NP-V]{2}))",
    re.IGNORECASE,
)
"""The possible beginnings of a cue of `_NAMED`."""
_ANY_NAMED = re.compile(
    (
        r"\b(?:national (?:id(?:entity|entification)?|insurance|health(?: insurance)?|register)|"
        r"passport"
        r"|social(?: security| insurance)?|medicaid|medicare"
        r"|(?:personal |citizen )?identity(?: card| code)?|identification|health (?:card|"
        r"insurance)|"
        r"citizen|tax(?:payer)?|driv(?:er"
        r"|ing)"
        r"'?s? licen[cs]e|emirates id|OIB|CURP|RUT|RUN|IHI|NHI|TAJ|EGN|JMBG|NRIC|MyKad|TCKN|TC "
        r"kimlik|"
        r"cédula|carte vitale|PPSN?)"
        r"(?: (?:card|id))?(?: ?(?:number|no\.?|nr\.?|#|id))?[\s:=#.]{0,3}(?:(?:number |no\.? )?is "
        r")?"
        r"(?P<number>(?=[A-Z0-9 .-]{0,12}\d[ .-]?\d)(?!\d{1,4}(?![\w.-]))[A-Z]{0,5}[ -]?\d[A-Z0-9]*"
        r"(?:[ .-][A-Z0-9]*\d[A-Z0-9]*){0,4}(?:-[A-Z0-9])?)(?!\w)"
    ),
    re.IGNORECASE,
)


def national_ids(text: str) -> Iterator[Identifier]:
    """The numbers found, in no order; some may overlap."""
    for first, last in near_digits(text):
        yield from _numbers(text, first, last)


def _numbers(text: str, first: int, last: int) -> Iterator[Identifier]:
    for begins, patterns in ((_MAY_STAND_ALONE, _ALONE), (_MAY_BE_NAMED, _NAMED)):
        ends = [0] * len(patterns)  # finds of one pattern do not overlap
        for place in (match.start() for match in begins.finditer(text, first, last)):
            for index, (pattern, check) in enumerate(patterns):
                if place < ends[index] or not (match := pattern.match(text, place)):
                    continue
                ends[index] = match.end()
                number = match["number"]
                if number.isascii() and (check is None or check(number.upper())):
                    yield Identifier(place, match.end("number"), KIND)
    for match in _ANY_NAMED.finditer(text, first, last):
        if (
            sum(sign.isdigit() for sign in match["number"]) >= 5
            and sum(sign.isalnum() for sign in match["number"]) >= 7
        ):
            yield Identifier(match.start(), match.end("number"), KIND)
