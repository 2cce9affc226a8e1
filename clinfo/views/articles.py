"""The fate of an article of a run, as every page says it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from clinfo.records.answer import ReadArticle
from clinfo.records.articles import Article
from clinfo.text.printable import one_line

State = Literal["waiting", "unread", "excluded", "irrelevant", "unreadable", "relevant"]
WORDS: Final[Mapping[State, str]] = {
    "waiting": "not judged yet",
    "unread": "not judged",
    "excluded": "excluded",
    "irrelevant": "not relevant",
    "unreadable": "kept, judgement unreadable",
    "relevant": "relevant",
}
_STATES: Final[Mapping[str, State]] = {"excluded": "excluded", "not judged": "unread"}


@dataclass(frozen=True)
class ArticleView:
    """An article with its fate: ``word`` names the ``state``, ``reason`` is why, ``later`` why it
    went no further than relevant.

    ``flags`` are what else is to be known of it.
    """

    state: State
    word: str
    reason: str
    later: str
    flags: tuple[str, ...]

    @property
    def kept(self) -> bool:
        """Return whether it belongs to the articles that are summarised."""
        return self.state in ("relevant", "unreadable")


def article_view(read: ReadArticle) -> ArticleView:
    """Return what the answer, as far as it is, holds of an article."""
    state = next((state for flag, state in _STATES.items() if flag in read.flags), None)
    if state is None:
        judged: dict[bool | None, State] = {
            None: "unreadable",
            True: "relevant",
            False: "irrelevant",
        }
        state = judged[read.relevant] if read.judge else "waiting"
    later = [
        one_line(flag) for flag in read.flags if flag.startswith(("not summarised", "left out"))
    ]
    flags = tuple(one_line(flag) for flag in read.flags if flag not in (*_STATES, "not summarised"))
    return ArticleView(
        state,
        WORDS[state],
        one_line(read.reason) if state != "waiting" else "",
        "; ".join(later),
        flags,
    )


def published(article: Article) -> str:
    """Return where and when, in a few words: ``Lancet 2019``."""
    journal = one_line(article.journal_abbreviation or article.journal or "")
    return " ".join(part for part in (journal.rstrip("."), str(article.year or "")) if part)
