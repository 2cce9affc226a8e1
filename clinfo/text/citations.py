"""Bracket numbers in a text: [1], [1,2], [1-3], [1; 3–5]; and the other forms in which models
write them.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

CITATION = re.compile(r"\[\s?\d{1,3}(?:\s?[,;–—‑−-]\s?\d{1,3})*\s?\]")
_STATISTIC_BEFORE = re.compile(r"\b(?:CI|IQR|CrI|UI|range|interval)[\s:,=]*\Z")
_NUMBER = re.compile(r"\d+")
_NAMED = (
    r"(?:(?:stud(?:y|ies)|trial|article|paper|source|abstract|doc(?:ument)?|evidence|ref(?:erence)?"
    r"|cit(?:e|ation)|passage|result|id)s?(?:\s?[.:=]|_)?|no\.)"
)
_ITEM = rf"(?:{_NAMED}\s?)?[#^@№]?\s?\d{{1,3}}(?:†[^\]】\[【,;]{{0,60}}|[.*^])?"
_LIST = rf"{_ITEM}(?:\s?(?:[,;&–—‑−-]|,?\sand)\s?{_ITEM})*"
_LINK = r"(?:\((?:https?:|www\.|pmid:|doi:|[#/])[^()\s]{0,300}\))?"
_MORE = r"(?P<more>:\s?[^\W\d][^\[\]]{0,80}|,\s?pp?\.[^\[\]]{0,20})?"
"""A name or a page behind a number."""
_ODD = re.compile(
    rf"(?:<sup>\s?)?\\?[\[【［〔⟦]{{1,2}}\s?(?P<inner>{_LIST})\s?,?{_MORE}\\?[\]】］〕⟧]{{1,2}}{_LINK}"
    rf"(?:\s?</sup>)?|\(\s?(?P<named>{_NAMED}\s?{_LIST})\s?\)"
    rf"|<(?:cite|citation|inref|ref|source)\b[^<>\d]{{0,20}}(?P<empty>{_LIST})[\"']?\s?/>"
    rf"|<(?P<tag>cite|citation|ref|reference|source)>\s?(?P<tagged>{_LIST})\s?</(?P=tag)>"
    rf"|\\cite[pt]?\{{(?P<latex>{_LIST})\}}"
    rf"|(?:<sup>|\$\^\{{?|\^)\s?(?P<raised>{_LIST})\s?(?:</sup>|\}}?\$|\^)",
    re.IGNORECASE,
)
_GROUPS = ("inner", "named", "empty", "tagged", "latex", "raised")
_PLAIN = re.compile(
    r"(?<=[\w%\"”)])\s?\((?P<round>\d{1,3}(?:\s?[,;–-]\s?\d{1,3})*)\)(?=\s*(?:[.,;:!?]|\Z))"
    r"|(?P<high>(?<=[.,;)%\"”])[¹²³⁰⁴-⁹]+(?:[⁻˒’,–-]{1,2}[¹²³⁰⁴-⁹]+)*"
    r"|(?<=[a-z]{4})[¹²³⁰⁴-⁹]+(?:[⁻,–-][¹²³⁰⁴-⁹]+)*)(?![\w/])",
    re.IGNORECASE,
)
"""Numbers that are citations only where a text has no others and every one is a study's."""
_PMIDS = re.compile(
    r"[\[(]\s?PMIDs?:?\s?\d{1,8}(?:\s?[,;]\s?(?:PMID:?\s?)?\d{1,8})*\s?[\])]", re.IGNORECASE
)
_HEADINGS = frozenset(
    (
        *("references", "reference list", "list of references", "bibliography", "sources"),
        *("sources cited", "works cited", "literature cited", "studies cited", "cited studies"),
        *("citations", "referenzen", "quellen", "literatur", "literaturverzeichnis", "références"),
        *("bibliographie", "referencias", "bibliografía", "bibliografia", "referências", "fonti"),
        *("参考文献", "литература", "список литературы"),
    )
)
"""Headings of lists of references."""
_SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


@dataclass(frozen=True)
class Mark:
    """A bracket at [start, end) of the text, with the numbers it names; a range stands for all the
    numbers in it.
    """

    start: int
    end: int
    numbers: tuple[int, ...]


def citation_marks(text: str) -> tuple[Mark, ...]:
    """The citations of ``text``, in order. Two numbers in brackets right after a word like CI are
    an interval instead.
    """
    return tuple(
        Mark(match.start(), match.end(), _numbers(match.group()))
        for match in CITATION.finditer(text)
        if len(_NUMBER.findall(match.group())) != 2
        or not _STATISTIC_BEFORE.search(text, max(0, match.start() - 12), match.start())
    )


def with_brackets(text: str, known: Collection[int], pmids: Mapping[str | None, int] = {}) -> str:
    """``text`` with its citations as bracket numbers, however its writer marked them: [1](link),
    【1†source】, [^1], [Study 1], [1 and 2], superscripts, (1), and [PMID: …] of known ``pmids``.

    Round brackets and superscripts count only where nothing else does and all of them are
    ``known``.
    """

    def plain(found: re.Match[str]) -> str:
        inner = next(filter(None, found.group(*_GROUPS)))
        numbers = _numbers(re.sub(r"†[^\]】,;]*", "", inner))
        before = text[max(0, found.start() - 5) : found.start()].rstrip()
        power = found["raised"] and not re.search(r"[a-z]{4}\Z|[.,;:)%]\Z", before)
        sure = found["inner"] and not found["more"]
        unknown = not sure and not {*numbers} <= {*known}
        if CITATION.fullmatch(found.group()) or power or unknown:
            return found.group()
        return f"[{', '.join(map(str, numbers))}]"

    def named(found: re.Match[str]) -> str:
        numbers = [pmids.get(pmid) for pmid in re.findall(r"\d+", found.group())]
        return found.group() if None in numbers else f"[{', '.join(map(str, numbers))}]"

    marked = _ODD.sub(plain, _PMIDS.sub(named, text))
    if citation_marks(marked):
        return marked
    found = list(_PLAIN.finditer(marked))
    lists = [_numbers((one["round"] or one["high"]).translate(_SUPERSCRIPT)) for one in found]
    if not found or not {n for numbers in lists for n in numbers} <= {*known}:
        return marked
    pieces, end = [], 0
    for one, numbers in zip(found, lists, strict=True):
        before = marked[end : one.start()]
        stop = before[-1:] if one["high"] and before[-1:] in ".,;" else ""
        pieces.append(f"{before.removesuffix(stop)} [{', '.join(map(str, numbers))}]{stop}")
        end = one.end()
    return "".join([*pieces, marked[end:]])


def without_own_list(text: str, titles: Mapping[int, str]) -> tuple[str, str]:
    """(the text, the list of references that its writer put at its end), "" in doubt. Each entry of
    a list begins with a number of its own. Its heading says what it is, or each has an address and,
    but below a rule, the title of its article in ``titles``.
    """
    lines, entries = text.splitlines(keepends=True), dict[tuple[int, ...], str]()
    at = end = len(lines)
    held = False  # a further line of an entry, right below
    while at:
        marks = citation_marks(line := lines[at - 1])
        before = line[: marks[0].start].strip(" \t-*•.)") if marks else "text"
        if len(marks) == 1 and marks[0].numbers not in entries and (before or "0").isdecimal():
            entries[marks[0].numbers] = "".join(lines[at - 1 : end])
            end = at - 1
        elif marks or not line[0].isspace() or (line.isspace() and held):
            break
        at, held = at - 1, end != at - 1 and not line.isspace()
    above = "".join(lines[:end]).rstrip()
    rest, _, heading = above.rpartition("\n")
    told = " ".join(re.findall(r"[^\W\d_]+", heading.casefold())) in _HEADINGS
    rule = not any(map(str.isalnum, heading))
    listed = told or all(
        "://" in entry and (rule or _letters(titles.get(number) or "none") in _letters(entry))
        for (number, *_), entry in entries.items()
    )
    above = rest.rstrip() if told or rule else above
    if not (listed and entries and citation_marks(above)):
        return text, ""
    return above, "".join(lines[end:])


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def renumbered(text: str, numbers: Mapping[int, int]) -> str:
    """``text`` with other numbers in its citations; one that is not in ``numbers`` stays."""
    pieces, end = [], 0
    for mark in citation_marks(text):
        inner = ", ".join(str(numbers.get(n, n)) for n in mark.numbers)
        pieces.append(f"{text[end : mark.start]}[{inner}]")
        end = mark.end
    return "".join([*pieces, text[end:]])


def brackets(numbers: Iterable[int]) -> str:
    """The numbers as citations: "[1], [4]"."""
    return ", ".join(f"[{number}]" for number in numbers)


def _numbers(bracket: str) -> tuple[int, ...]:
    numbers: list[int] = []
    for dash, written in re.findall(r"([–—‑−-]?)[^\d–—‑−-]*(\d+)", bracket):
        number = int(written)
        if dash and numbers and numbers[-1] < number:
            numbers.extend(range(numbers[-1] + 1, number))
        numbers.append(number)
    return tuple(dict.fromkeys(numbers))


def without_marks(text: str) -> tuple[str, tuple[int, ...]]:
    """(the text without its citations, the numbers that they name)."""
    numbers = list[int]()
    for mark in reversed(citation_marks(text)):
        numbers += mark.numbers
        text = text[: mark.start].rstrip() + text[mark.end :]
    return text.strip(), tuple(dict.fromkeys(numbers))
