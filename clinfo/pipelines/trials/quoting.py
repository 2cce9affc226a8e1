"""The passages of papers: chosen for a study, so many of each paper (URCA's uniform retrieval) or
the best wherever they stand; in pieces that a model is given to read; and the places of what it
quotes.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby
from typing import Final

from clinfo.pipelines.trials.records import Quote, TrialsRequest
from clinfo.retrieval.documents import Asked, Block, Document, Passage, Span, Table
from clinfo.retrieval.rerankers import Reranker, best
from clinfo.retrieval.sparse import searched_words
from clinfo.text.quotes import locate

LEAST: Final = 12
"""Letters and digits that a quotation must have to be one, unless it is a table's whole row."""
_APART: Final = 2
"""Code points between passages that are read as one."""


@dataclass(frozen=True)
class Piece:
    """Code points [start, end) of a paper that are read together: passages of one section that
    follow each other, or a table whole.
    """

    paper: Document
    start: int
    end: int
    block: Block | None

    @property
    def text(self) -> str:
        return self.paper.text[self.start : self.end]

    @property
    def section(self) -> tuple[str, ...]:
        return self.block.section if self.block else ()

    @property
    def table(self) -> Table | None:
        return self.block.table if self.block else None


def pieces(passages: Iterable[Passage], papers: Mapping[str, Document]) -> tuple[Piece, ...]:
    """The pieces that passages are part of, in the order of the papers and of their texts, each
    once.
    """
    found: list[Piece] = []
    for id, paper in papers.items():
        own = (one for one in passages if one.document == id and one.kind != "title")
        for start, end in sorted({whole(one, paper) for one in own}):
            new, last = Piece(paper, start, end, block_at(paper, start)), found[-1:]
            if last and _follows(new, last[0]):
                found[-1] = replace(last[0], end=max(end, last[0].end))
            else:
                found.append(new)
    return tuple(found)


def _follows(new: Piece, last: Piece) -> bool:
    alike = last.paper is new.paper and last.section == new.section
    return alike and not last.table and not new.table and new.start - last.end <= _APART


def told(found: Iterable[Piece]) -> str:
    """Pieces as a model reads them: under the name of their paper and the heading they stand
    under.
    """
    lines: list[str] = []
    for paper, own in groupby(found, key=lambda one: one.paper):
        lines.append(f"[Paper {name_of(paper)}: {paper.title or 'without a title'}]")
        for section, parts in groupby(own, key=lambda one: one.section):
            heading = f"[{' > '.join(section) or 'without a heading'}]\n"
            lines.append(heading + "\n…\n".join(one.text for one in parts))
    return "\n\n".join(lines)


def name_of(paper: Document) -> str:
    """The name by which a paper is told: its number where it has one, else its file."""
    return paper.id.partition(":")[2] if paper.id.startswith(("pmcid:", "pmid:")) else paper.file


def located(quotes: Iterable[str], read: Sequence[Piece]) -> tuple[Quote, ...]:
    """The places of quotations in what was read, each once, in the order given; of one that stands
    nowhere as a whole those of its lines.

    What does not stand there, or is too short to be a quotation, is left out.
    """
    found: dict[Quote, None] = {}
    for quote in quotes:
        lines = quote.splitlines()
        places = _places(quote, read) or [one for line in lines for one in _places(line, read)]
        found.update(dict.fromkeys(places))
    return tuple(found)


def _places(quote: str, read: Sequence[Piece]) -> list[Quote]:
    short = sum(map(str.isalnum, quote)) < LEAST
    for one in read:
        place = _row(quote, one) if short else locate(quote, one.text)
        if place:
            return [Quote(one.paper.id, one.start + place[0], one.start + place[1])]
    return []


def _row(quote: str, piece: Piece) -> tuple[int, int] | None:
    """Return where a short quotation stands as the whole of a table's row ("N | 30 | 32")."""
    for start, end in piece.table.lines if piece.table and "|" in quote else ():
        if piece.paper.text[start:end].strip() == quote.strip():
            return start - piece.start, end - piece.start
    return None


def whole(passage: Passage, paper: Document) -> tuple[int, int]:
    """The place of a passage, of a table's that of the whole table."""
    block = block_at(paper, passage.start)
    if block is not None and block.table is not None:
        return block.start, block.end
    return passage.start, passage.end


def block_at(paper: Document, start: int) -> Block | None:
    """The block of a paper that holds a place."""
    return next((one for one in paper.blocks if one.start <= start < one.end), None)


Scored = tuple[Passage, float]
Cut = Mapping[str, Sequence[Passage]]
TABLES = 4
"""Tables of a paper that are read for their numbers, besides those that passages are part of."""
SHOWN = 5
"""Passages of a paper that are shown where nobody says what it concludes."""


def share(k: int, beta: float, papers: int, most: int) -> int:
    """The passages taken of each of so many papers: ceil(min(k + β·ln S, N_max) / S).

    URCA, Algorithm 1; the paper leaves the base of the logarithm, β and N_max open.
    """
    if papers < 1:
        return 0
    return math.ceil(min(k + beta * math.log(papers), most) / papers)


def chosen(request: TrialsRequest, asked: Asked, papers: Cut, reranker: Reranker) -> list[Scored]:
    """The passages that a study is read from by the request's method, with their scores."""
    each = share(request.k, request.beta, len(papers), request.most)
    every = [one for own in papers.values() for one in own]
    match request.method:
        case "no-rag":
            return []
        case "abstracts":
            return [(one, 0.0) for one in every if one.section[:1] == ("Abstract",)]
        case "rag" | "instruct-rag":
            return together(asked, papers, reranker, request.k)
        case "urca-global":
            return together(asked, papers, reranker, each * len(papers))
        case "raptor":
            return together(asked, papers, reranker, len(every))
        case "numbers":
            return uniform(asked, papers, reranker, 2 * each, TABLES)
        case _:
            return uniform(asked, papers, reranker, each)


def uniform(
    asked: Asked, papers: Cut, reranker: Reranker, each: int, tables: int = 0
) -> list[Scored]:
    """The ``each`` best passages of every paper with their scores, paper by paper, and of its best
    ``tables`` the best piece, though it is not among these.

    Scores of one paper are compared among themselves only, so that no paper is left out.
    """
    found: list[Scored] = []
    for passages in papers.values():
        scores = reranker.scores(asked, passages)
        order = best(scores, len(passages))
        held: dict[tuple[Span, ...], int] = {}
        for place in order:
            if passages[place].kind == "table":
                held.setdefault(passages[place].repeated, place)
        further = [place for place in list(held.values())[:tables] if place not in order[:each]]
        found += [(passages[place], scores[place]) for place in (*order[:each], *further)]
    return found


def together(asked: Asked, papers: Cut, reranker: Reranker, count: int) -> list[Scored]:
    """The ``count`` best passages over all papers, from the best."""
    passages = [one for own in papers.values() for one in own]
    scores = reranker.scores(asked, passages)
    return [(passages[place], scores[place]) for place in best(scores, count)]


def bearing(
    passages: Sequence[Passage], papers: Mapping[str, Document], outcome: str
) -> tuple[Quote, ...]:
    """The first passages of each paper as quotations, tables whole; none where no passage has a
    word of the outcome.
    """
    words = set(searched_words(outcome))
    if not any(words & set(searched_words(one.text)) for one in passages):
        return ()
    found: dict[str, dict[Quote, None]] = {}
    for one in passages:
        own = found.setdefault(one.document, {})
        if len(own) < SHOWN:
            own.setdefault(Quote(one.document, *whole(one, papers[one.document])))
    return tuple(chain.from_iterable(found.values()))
