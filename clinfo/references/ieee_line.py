"""The IEEE reference of a journal article (IEEE Reference Guide), as one line of plain text without
its number.

    A. B. Last, C. Last Jr., and D. Last, "Title in sentence case," Abbrev. J., vol. 1, no. 2, pp. 3–4, May 2020, doi: 10.1/x.

Six or more authors are named by the first and "et al."; an article number stands after the date as
"Art. no. e123"; what is not known is left out.
"""  # noqa: E501

import re
from calendar import month_abbr

from clinfo.records.articles import Article, Author
from clinfo.references.parts import article_number, date_parts, doi_of, page_ranges, plain, title_of

MOST_AUTHORS = 5
"""Above this many only the first is named."""

_SUFFIXES = {
    "jr": "Jr.",
    "sr": "Sr.",
    "1st": "I",
    "2nd": "II",
    "2d": "II",
    "3rd": "III",
    "3d": "III",
    "4th": "IV",
    "5th": "V",
}
_OWN_ISSUE_WORD = re.compile(r"(?:suppl|pt|part|spec)", re.IGNORECASE)


def ieee(article: Article) -> str:
    """The reference of ``article``; never empty, for an article without any other data gives at
    least its address or id.
    """
    number = article_number(article)
    volume, issue = (
        re.sub(r"(?<=\d)-(?=\d)", "–", plain(part)) for part in (article.volume, article.issue)
    )
    after_title = [
        _journal(article),
        f"vol. {volume}" if volume else "",
        (issue if _OWN_ISSUE_WORD.match(issue) else f"no. {issue}") if issue else "",
        "" if number else _pages(article),
        _date(article),
        f"Art. no. {number}" if number else "",
        f"doi: {doi_of(article)}" if doi_of(article) else "",
    ]
    rest = ", ".join(part for part in after_title if part)
    title = _title(article, ends="," if rest else ".")
    line = " ".join(part for part in (title, rest) if part)
    authors = _authors(article)
    line = (
        f"{authors}, {line}" if authors and line else authors or line or article.url or article.id
    )
    return line if line.endswith((".", '."', '?"', '!"')) else line + "."


def _authors(article: Article) -> str:
    names = [name for author in article.authors if (name := _name(author))]
    if len(names) > MOST_AUTHORS:
        return f"{names[0]} et al."
    if not article.authors_complete:
        return (
            f"{', '.join(names)} et al."
            if len(names) == 1
            else ", ".join([*names, "et al."] if names else [])
        )
    if len(names) < 3:
        return " and ".join(names)
    return f"{', '.join(names[:-1])}, and {names[-1]}"


def _name(author: Author) -> str:
    last = plain(author.last)
    if author.collective:
        return last.rstrip(".")
    suffix = plain(author.suffix).rstrip(".")
    parts = (_initials(author), last, _SUFFIXES.get(suffix.lower(), suffix))
    return " ".join(part for part in parts if part)


def _initials(author: Author) -> str:
    """Initials with full stops: of "Jean-Paul M" J.-P. M.; a particle in lower case ("van") stays a
    word.
    """
    words = (plain(author.fore) or plain(author.initials)).replace(".", " ").split()
    if all(word.isupper() and word.isalpha() and len(word) <= 3 for word in words):
        words = list("".join(words))  # initials in place of forenames: "JP", "E M S"
    return " ".join(initial for word in words if (initial := _initial(word)))


def _initial(word: str) -> str:
    if word.islower() and len(word) > 1:
        return word
    firsts = (re.sub(r"^[^\w]+", "", part)[:1] for part in word.split("-"))
    return "-".join(f"{first.upper()}." for first in firsts if first.isalpha())


def _title(article: Article, ends: str) -> str:
    """The title in quotation marks, with its own inner ones made single and the comma inside where
    one is needed.
    """
    title = title_of(article).translate(str.maketrans('"“”', "'‘’"))
    if not title:
        return ""
    return f'"{title}"' if title.endswith(("?", "!")) else f'"{title}{ends}"'


def _journal(article: Article) -> str:
    """The abbreviated title. PubMed drops the full stops of abbreviations: a word that the full
    title lacks gets one.
    """
    full, short = plain(article.journal), plain(article.journal_abbreviation)
    if not short or not full or "." in short:
        return short or full
    whole = set(re.findall(r"\w+", re.sub(r"['’]", "", full).casefold()))

    def stopped(word: re.Match[str]) -> str:
        return word[0] if set(word[0].casefold().split("-")) <= whole else word[0] + "."

    return re.sub(r"\w+(?:-\w+)*", stopped, short)


def _pages(article: Article) -> str:
    ranges = page_ranges(article.pages)
    if not ranges:
        return ""
    several = len(ranges) > 1 or ranges[0][1] is not None
    listed = ", ".join(first if last is None else f"{first}–{last}" for first, last in ranges)
    return f"{'pp.' if several else 'p.'} {listed}"


def _date(article: Article) -> str:
    dates = date_parts(article)
    if not dates:
        return ""
    months = [_month(part[1]) for part in dates if len(part) > 1]
    if len(dates) == 2 and dates[0][0] != dates[1][0]:
        return f"{months[0]} {dates[0][0]}/{months[1]} {dates[1][0]}"
    return " ".join(part for part in ("/".join(months), str(dates[0][0])) if part)


def _month(number: int) -> str:
    return "May" if number == 5 else f"{month_abbr[number]}."
