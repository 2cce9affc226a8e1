"""National identity and health insurance numbers in a text, told by their form, their check digits and the words before them.

A number whose form is telling (hyphens, letters, a date inside, check digits) counts alone; one that might be any number
needs its name before it ("BSN 111222333"). After a name that means nothing else ("NHS number") a wrong check digit is taken
for a slip of the hand: the number still identifies somebody.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from clinfo.records.articles import Identifier

KIND = "national id"
_GAP = r"[ .\u00a0\u2009-]?"
_CUE_GAP = r"(?:\s?(?:number|no\.?|nr\.?|num[eé]ro|n[°º]|#|id|code))?[\s:=#.]{0,3}(?:is\s|was\s)?"
_VERHOEFF_D = (
    "0123456789", "1234067895", "2340178956", "3401289567", "4012395678",
    "5987604321", "6598710432", "7659821043", "8765932104", "9876543210",
)  # fmt: skip
_VERHOEFF_P = (
    "0123456789", "1576283094", "5803796142", "8916043527", "9453126870", "4286573901", "2793806415", "7046913258",
)  # fmt: skip
_ODD_PLACE = dict(zip("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", (
    1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23,
), strict=True))  # fmt: skip


def _digits(text: str) -> list[int]:
    return [int(sign) for sign in text if sign.isdigit() and sign.isascii()]


def _weighted(digits: Sequence[int], weights: Sequence[int]) -> int:
    return sum(digit * weight for digit, weight in zip(digits, weights, strict=False))


def luhn(text: str) -> bool:
    """Luhn's check (ISO/IEC 7812-1, annex B): Swedish, Canadian and South African numbers use it."""
    doubled = (digit * (1 + place % 2) for place, digit in enumerate(reversed(_digits(text))))
    return sum(number // 10 + number % 10 for number in doubled) % 10 == 0


def nhs(text: str) -> bool:
    """Modulus 11 over weights 10 to 2, 11 written 0 and 10 never issued (NHS Data Model and Dictionary, "NHS Number")."""
    digits = _digits(text)
    check = 11 - _weighted(digits, range(10, 1, -1)) % 11
    return len(digits) == 10 and check != 10 and check % 11 == digits[9]


def ssn(text: str) -> bool:
    """No area 000, 666 or 900–999, no group 00, no serial 0000 (Social Security Administration, POMS RM 10201.035)."""
    digits = re.sub(r"\D", "", text)
    return digits[:3] not in ("000", "666") and digits[0] != "9" and digits[3:5] != "00" and digits[5:] != "0000"


def _is_day(day: int, month: int, year: int) -> bool:
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True


def _ymd(text: str) -> bool:
    """Whether the last six digits before the serial number, year first, are a day; a day number may have 60 added."""
    d = re.sub(r"\D", "", text)
    day = int(d[4:6])
    return _is_day(day - 60 if day > 60 else day, int(d[2:4]), 1900 + int(d[:2])) or d[:6] == "000229"


def _dmy(text: str) -> bool:
    d = re.sub(r"\D", "", text[:9])
    day = int(d[:2])
    return _is_day(day - 40 if day > 40 else day, int(d[2:4]), 1900 + int(d[4:6])) or d[:6] == "290200"


def personnummer(text: str) -> bool:
    """A day and Luhn's check over ten digits, day + 60 in a coordination number (Skatteverket, SKV 704 and SKV 707)."""
    digits = "".join(map(str, _digits(text)))[-10:]
    return _ymd(digits) and luhn(digits)


def fodselsnummer(text: str) -> bool:
    """A day (D-number: day + 40) and two check digits of modulus 11 (Skatteetaten, "Fødselsnummer")."""
    d = _digits(text)
    first = -_weighted(d, (3, 7, 6, 1, 8, 9, 4, 5, 2)) % 11
    second = -_weighted(d, (5, 4, 3, 2, 7, 6, 5, 4, 3, 2)) % 11
    return len(d) == 11 and _dmy(text) and (first, second) == (d[9], d[10])


def henkilotunnus(text: str) -> bool:
    """A day, and the nine digits modulo 31 as a sign (Digital and Population Data Services Agency, "Personal identity code")."""
    return _dmy(text) and "0123456789ABCDEFHJKLMNPRSTUVWXY"[int(text[:6] + text[7:10]) % 31] == text[10].upper()


def bsn(text: str) -> bool:
    """The eleven test with weights 9 to 2 and −1 (Logisch Ontwerp BSN, Rijksdienst voor Identiteitsgegevens)."""
    digits = _digits(text)
    return any(digits) and len(digits) == 9 and _weighted(digits, (9, 8, 7, 6, 5, 4, 3, 2, -1)) % 11 == 0


def kvnr(text: str) -> bool:
    """Letter as two digits, weights 1 and 2 with cross sums, modulus 10 (§ 290 SGB V, annex 1 of the guideline)."""
    digits = _digits(f"{ord(text[0].upper()) - 64:02d}{text[1:]}")
    products = (digit * (1 + place % 2) for place, digit in enumerate(digits[:-1]))
    return sum(number // 10 + number % 10 for number in products) % 10 == digits[-1]


def nir(text: str) -> bool:
    """Key = 97 − number modulo 97, with 2A read as 19 and 2B as 18 (INSEE, "Numéro de sécurité sociale")."""
    plain = re.sub(r"[^0-9AB]", "", text.upper()).replace("2A", "19").replace("2B", "18")
    return len(plain) == 15 and plain.isdigit() and 97 - int(plain[:13]) % 97 == int(plain[13:])


def dni(text: str) -> bool:
    """Letter by the number modulo 23, an NIE's X, Y, Z read as 0, 1, 2 (Spanish Ministry of the Interior)."""
    plain = re.sub(r"[^0-9A-Z]", "", text.upper())
    number = plain[:-1].translate(str.maketrans("XYZ", "012"))
    return number.isdigit() and "TRWAGMYFPDXBNJZSQVHLCKE"[int(number) % 23] == plain[-1]


def codice_fiscale(text: str) -> bool:
    """Values of odd and even places modulo 26 as a letter (Decreto Ministeriale 23 December 1976, n. 813)."""
    plain = text.upper()
    total = sum(_ODD_PLACE[sign] if place % 2 == 0 else int(sign, 36) % 10 if sign.isdigit() else ord(sign) - 65
                for place, sign in enumerate(plain[:15]))  # fmt: skip
    return chr(65 + total % 26) == plain[15]


def cpf(text: str) -> bool:
    """Two check digits of modulus 11 (Receita Federal, Instrução Normativa on the CPF); never eleven equal digits."""
    d = _digits(text)
    if len(d) != 11 or len(set(d)) == 1:
        return False
    return all(_weighted(d, range(place + 1, 1, -1)) * 10 % 11 % 10 == d[place] for place in (9, 10))


def verhoeff(text: str) -> bool:
    """Verhoeff's dihedral check (J. Verhoeff, "Error detecting decimal codes", 1969), which UIDAI uses for Aadhaar."""
    check = 0
    for place, digit in enumerate(reversed(_digits(text))):
        check = int(_VERHOEFF_D[check][int(_VERHOEFF_P[place % 8][digit])])
    return check == 0


def pesel(text: str) -> bool:
    """Weights 1, 3, 7, 9 and modulus 10; month + 20 to + 80 tells the century (Polish Act on the population register)."""
    d = _digits(text)
    return 1 <= (d[2] * 10 + d[3]) % 20 <= 12 and 1 <= d[4] * 10 + d[5] <= 31 and -_weighted(d[:10], (1, 3, 7, 9) * 3) % 10 == d[10]


def rijksregister(text: str) -> bool:
    """97 − number modulo 97, with 2 before the number for births from 2000 (Belgian royal decree of 3 April 1984)."""
    d = re.sub(r"\D", "", text)
    return int(d[9:]) in (97 - int(d[:9]) % 97, 97 - int("2" + d[:9]) % 97)


def ahv(text: str) -> bool:
    """EAN-13 (GS1 General Specifications) with the country code 756 (Central Compensation Office)."""
    return _weighted(_digits(text), (1, 3) * 7) % 10 == 0


def resident_identity(text: str) -> bool:
    """ISO 7064 MOD 11-2 (GB 11643-1999, China)."""
    total = sum(int(sign) * pow(2, 17 - place, 11) for place, sign in enumerate(text[:17]))
    return "10X98765432"[total % 11] == text[17].upper()


def cnp(text: str) -> bool:
    """Weights 279146358279, modulus 11, 10 written 1 (Romania, Hotărârea 1375/2006)."""
    d = _digits(text)
    check = _weighted(d, tuple(map(int, "279146358279"))) % 11
    return (1 if check == 10 else check) == d[12]


def _anything(_: str) -> bool:
    return True


def _south_african(text: str) -> bool:
    return _ymd(text) and luhn(text)


@dataclass(frozen=True)
class _Number:
    """How one country's number is written. ``name`` comes before it; ``alone`` says that it counts without; ``sure`` says
    that after its name it counts without its check."""

    form: str
    valid: Callable[[str], bool]
    name: str
    alone: bool = False
    sure: bool = False


_NUMBERS = (
    _Number(r"\d{3}-\d{2}-\d{4}|\d{3} \d{2} \d{4}", ssn, r"SSN|social security", alone=True),
    _Number(r"\d{9}", ssn, r"SSN|social security"),
    _Number(rf"\d{{3}}{_GAP}\d{{3}}{_GAP}\d{{4}}", nhs, r"NHS|CHI|H&C", sure=True),
    _Number(r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d\d ?\d\d ?\d\d ?[A-D]", _anything, r"NINO|NI|national insurance", alone=True),
    _Number(r"[A-Z]{2} ?\d\d ?\d\d ?\d\d ?[A-D]", _anything, r"NINO|NI|national insurance"),
    _Number(r"(?:19|20)?\d{6}[-+]\d{4}", personnummer, r"personnummer|samordningsnummer|personal (?:identity|id)", True, True),
    _Number(r"(?:19|20)\d{10}|\d{10}", personnummer, r"personnummer|samordningsnummer|personal (?:identity|id)", sure=True),
    _Number(r"\d{6}-?\d{4}", _dmy, r"CPR(?:-?(?:nummer|nr\.?))?|personnummer"),
    _Number(r"\d{6}-\d{4}", _dmy, r"CPR", alone=True),
    _Number(r"\d{6} ?\d{5}", fodselsnummer, r"f(?:ø|oe?)dselsnummer|personnummer|D-nummer", alone=True, sure=True),
    _Number(r"\d{6}[-+A-FU-Y]\d{3}[0-9A-FHJ-NPR-Y]", henkilotunnus, r"henkil(?:ö|o)tunnus|hetu", alone=True, sure=True),
    _Number(r"\d{9}|\d{4}[. ]\d{2}[. ]\d{3}", bsn, r"BSN|burgerservicenummer|sofinummer", sure=True),
    _Number(r"[A-Z]\d{9}", kvnr, r"KVNR|(?:Kranken)?versicherten(?:nummer|nr\.?)|Versichertennr\.?", alone=True, sure=True),
    _Number(
        r"[12] ?\d\d ?(?:0[1-9]|1[0-2]|[2-9]\d) ?(?:\d\d|2[AB]) ?\d{3} ?\d{3} ?\d\d", nir,
        r"NIR|INSEE|s[ée]curit[ée] sociale", True, True
    ),
    _Number(r"\d{8}-?[A-Z]|\d{2}\.\d{3}\.\d{3}-?[A-Z]|[XYZ]-?\d{7}-?[A-Z]", dni, r"DNI|NIE|NIF", alone=True, sure=True),
    _Number(r"[A-Z]{6}[0-9L-NP-V]{2}[A-EHLMPR-T][0-9L-NP-V]{2}[A-Z][0-9L-NP-V]{3}[A-Z]", codice_fiscale, r"codice fiscale|C\.?F\.?",
            True, True),
    _Number(r"\d{3}\.\d{3}\.\d{3}-\d{2}", cpf, r"CPF", alone=True, sure=True),
    _Number(r"\d{11}", cpf, r"CPF"),
    _Number(r"[2-9]\d{3} \d{4} \d{4}|[2-9]\d{3}-\d{4}-\d{4}", verhoeff, r"aadha?ar|UIDAI|UID", alone=True, sure=True),
    _Number(r"[2-9]\d{11}", verhoeff, r"aadha?ar|UIDAI|UID", sure=True),
    _Number(rf"\d{{3}}{_GAP}\d{{3}}{_GAP}\d{{3}}", luhn, r"SIN|social insurance"),
    _Number(r"\d{11}", pesel, r"PESEL", alone=True, sure=True),
    _Number(r"\d\d\.\d\d\.\d\d-\d{3}\.\d\d", rijksregister, r"(?:rijks|national )?register(?:nummer)?|INSZ|NISS", True, True),
    _Number(r"\d{6}[ -]?\d{3}[ .-]?\d\d", rijksregister, r"rijksregister(?:nummer)?|registre national|INSZ|NISS", sure=True),
    _Number(r"756\.?\d{4}\.?\d{4}\.?\d{2}", ahv, r"AHV|AVS|OASI", alone=True, sure=True),
    _Number(r"\d{17}[\dXx]", resident_identity, r"resident identity|identity card|ID card", alone=True, sure=True),
    _Number(r"\d{6}-[1-8]\d{6}", _ymd, r"RRN|resident registration", alone=True, sure=True),
    _Number(r"[1-9]\d{12}", cnp, r"CNP|cod numeric personal", alone=True),
    _Number(r"\d{13}|\d{6} ?\d{4} ?\d{2} ?\d", _south_african, r"RSA|South African|ID", sure=True),
    _Number(r"\d{7}[A-W][A-IW]?", _anything, r"PPSN?", sure=True),
    _Number(r"[2-6]\d{3} ?\d{5} ?\d(?: ?/ ?\d)?", _anything, r"medicare"),
    _Number(r"\d{6}/\d{3,4}", _anything, r"rodn[eé] [cč][ií]slo|RČ", sure=True),
)  # fmt: skip
_EDGE_BEFORE, _EDGE_AFTER = r"(?<![\w.+/-])", r"(?![\w/]|[.,-]\d)"
_ALONE = tuple((re.compile(f"{_EDGE_BEFORE}(?:{one.form}){_EDGE_AFTER}"), one.valid) for one in _NUMBERS if one.alone)
_NAMED = tuple(
    (re.compile(rf"(?<!\w)(?:{one.name}){_CUE_GAP}(?P<number>(?:{one.form})){_EDGE_AFTER}", re.IGNORECASE), one) for one in _NUMBERS
)
_ANY_NAMED = re.compile(
    r"\b(?:national (?:id(?:entity|entification)?|insurance|health(?: insurance)?|register)|passport"
    r"|social(?: security| insurance)?|medicaid|medicare"
    r"|(?:personal |citizen )?identity(?: card| code)?|identification|health (?:card|insurance)|citizen|tax(?:payer)?|driv(?:er"
    r"|ing)"
    r"'?s? licen[cs]e|emirates id|OIB|CURP|RUT|RUN|IHI|NHI|TAJ|EGN|JMBG|NRIC|MyKad|TCKN|TC kimlik|cédula|carte vitale|PPSN?)"
    r"(?: (?:card|id))?(?: ?(?:number|no\.?|nr\.?|#|id))?[\s:=#.]{0,3}(?:(?:number |no\.? )?is )?"
    r"(?P<number>(?=[A-Z0-9 .-]{0,12}\d[ .-]?\d)(?!\d{1,4}(?![\w.-]))[A-Z]{0,5}[ -]?\d[A-Z0-9]*"
    r"(?:[ .-][A-Z0-9]*\d[A-Z0-9]*){0,4}(?:-[A-Z0-9])?)(?!\w)",
    re.IGNORECASE,
)


def national_ids(text: str) -> Iterator[Identifier]:
    """The numbers found, in no order; some may overlap."""
    for form, valid in _ALONE:
        for match in form.finditer(text):
            if match.group().isascii() and valid(match.group()):
                yield Identifier(match.start(), match.end(), KIND)
    for pattern, number in _NAMED:
        for match in pattern.finditer(text):
            if match["number"].isascii() and (number.sure or number.valid(match["number"].upper())):
                yield Identifier(match.start(), match.end("number"), KIND)
    for match in _ANY_NAMED.finditer(text):
        if sum(sign.isdigit() for sign in match["number"]) >= 5 and sum(sign.isalnum() for sign in match["number"]) >= 7:
            yield Identifier(match.start(), match.end("number"), KIND)
