"""Articles held in memory and ranked by BM25: the demo corpus, a file of citations, a test's own list.

It reads enough of PubMed's query language to be useful: words, "phrases", trunc*, AND, OR, NOT, parentheses; adjacency is
AND, operators go from left to right, and words side by side bind first. Text tags such as [tiab] or [mh] are read past:
every term is looked for in title, abstract, key words, MeSH headings and publication types alike.
"""

from __future__ import annotations

import asyncio
import re
import threading
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

from clinfo.protocols import Clock
from clinfo.pubmed.stopwords import STOPWORDS
from clinfo.records import Article, Fetched, SearchRequest, SearchResult
from clinfo.text.terms import stem, words

if TYPE_CHECKING:
    from rank_bm25 import BM25Plus

_TOKEN = re.compile(
    r"""(?: "(?P<phrase>[^"]*)" | (?P<paren>[()]) | (?P<operator>[&|]) | (?P<word>[^\s"()\[\]&|]+) )
        (?: \s* \[ \s* (?P<tag>[A-Za-z][A-Za-z0-9 /:~,.-]*) \] )?""",
    re.VERBOSE,
)
_OPERATORS = {"AND": "AND", "and": "AND", "And": "AND", "&": "AND", "OR": "OR", "or": "OR", "Or": "OR", "|": "OR", "NOT": "NOT"}
_QUOTES = str.maketrans(dict.fromkeys("“”„‟«»″", '"'))
_TEXT_TAGS = frozenset(
    (
        *("ti", "title", "tiab", "title/abstract", "ab", "abstract", "tw", "text word", "text words", "all", "all fields"),
        *("mh", "mesh", "mesh terms", "mesh term", "majr", "mesh major topic", "sh", "subheading", "mesh subheading"),
        *("nm", "substance name", "supplementary concept", "ot", "other term", "pa", "pharmacological action"),
        *("pt", "publication type", "ptyp"),
    )
)
"""Tags of fields whose words are looked for; what carries another tag (journal, author, date, language) is ignored."""
_TYPE_TAGS = frozenset(("pt", "publication type", "ptyp"))
_MESH_TAGS = frozenset(("mh", "mesh", "mesh terms", "mesh term"))
_CHECK_TAGS = frozenset(("human", "humans", "animal", "animals", "male", "female", "adult", "aged", "child", "infant"))
_LAST_WORD_TAGS = re.compile(r"date|^(dp|pdat|edat|crdt|mhda|lr|epdat|ppdat|la|lang|language)$")
"""Tags whose value is one word, so that words before it are no part of it."""
_SHORTEST_PREFIX = 4
"""Letters before a truncation's star, as PubMed wants them."""
_MOST_NAMED = 10
K1, B = 0.9, 0.4
"""BM25's parameters as Anserini sets them by default (P. Yang, H. Fang and J. Lin, SIGIR 2017)."""


@dataclass
class _Index:
    """What is computed once from the articles; documents go by their place in the list."""

    postings: dict[str, set[int]]
    texts: list[str]
    vocabulary: list[str]
    ranker: BM25Plus | None


@dataclass
class _Reading:
    """What reading a query gathers beside its hits."""

    stems: dict[str, None] = field(default_factory=dict)
    unknown: dict[str, None] = field(default_factory=dict)
    ignored: dict[str, None] = field(default_factory=dict)


@dataclass
class _Level:
    """One level of parentheses: its hits so far (None: nothing that decides), the operator waiting, whether it is negated."""

    hits: set[int] | None = None
    operator: str = "AND"
    negated: bool = False
    run: list[str] = field(default_factory=list)


class Memory:
    """An ArticleSource over a list of articles; of two with one id the later counts."""

    remote = False
    query_prompt = "question2query"

    def __init__(
        self, articles: Iterable[Article], name: str = "memory", notices: tuple[str, ...] = (), clock: Clock | None = None
    ) -> None:
        self.name = name
        self.notices = notices
        self._clock = clock
        self._by_id = {article.id: article for article in articles}
        self._articles = list(self._by_id.values())
        self._lock = threading.Lock()
        self._built: _Index | None = None

    @classmethod
    def from_files(cls, paths: Sequence[str | Path], name: str | None = None, clock: Clock | None = None) -> Memory:
        """The articles of citation files (.xml, .xml.gz), in order; later records and deletions count. Raises RecordError."""
        from clinfo.pubmed.xml import DeletedIds, read_file

        articles: dict[str, Article] = {}
        unreadable = 0
        for path in paths:
            for item in read_file(path):
                if isinstance(item, Article):
                    articles[item.id] = item
                elif isinstance(item, DeletedIds):
                    for id in item.ids:
                        articles.pop(id, None)
                else:
                    unreadable += 1
        title = name or ", ".join(Path(path).name for path in paths)
        notices = (f"{unreadable} damaged record{'' if unreadable == 1 else 's'} of {title} could not be read.",)
        return cls(articles.values(), title, notices if unreadable else (), clock)

    def __len__(self) -> int:
        return len(self._articles)

    async def search(self, request: SearchRequest) -> SearchResult:
        """The articles that match, best first by BM25, equal scores by id. Any text is a query; none raises."""
        return await asyncio.to_thread(self._search, request)

    async def fetch(self, ids: Sequence[str], fresh: bool = False) -> Fetched:
        """The articles of these ids."""
        wanted = list(dict.fromkeys(ids))
        return Fetched(
            articles=tuple(self._by_id[id] for id in wanted if id in self._by_id),
            missing=tuple(id for id in wanted if id not in self._by_id),
        )

    def rank(self, text: str, limit: int) -> list[str]:
        """Ids of the ``limit`` best articles by BM25 on any of the text's words: no operators, no phrases."""
        index = self._index()
        stems = dict.fromkeys(stem for stem in _stems(text) if stem in index.postings)
        hits = set[int]().union(*(index.postings[stem] for stem in stems))
        return self._ranked(hits, list(stems))[:limit]

    def _search(self, request: SearchRequest) -> SearchResult:
        reading = _Reading()
        hits = self._hits(request.query, reading)
        warnings = []
        if hits is None:
            hits = set()
            warnings.append("The query holds no word that can be searched for.")
        sent = request.query
        if request.filter:
            sent = f"({request.query}) AND ({request.filter})"
            chosen = self._hits(request.filter, reading, scored=False)
            hits = hits if chosen is None else hits & chosen
        hits = {place for place in hits if _may_be_within(self._articles[place], request)}
        if reading.unknown:
            warnings.append(f"No article here holds {_named(reading.unknown)}.")
        if reading.ignored:
            warnings.append(f"This source does not evaluate {_named(reading.ignored)}; ignored.")
        return SearchResult(
            sent=sent,
            ids=tuple(self._ranked(hits, list(reading.stems))[: max(request.limit, 0)]),
            count=len(hits),
            sort="relevance",
            sent_at=(self._clock.now() if self._clock else datetime.now(UTC)).astimezone(UTC).isoformat(timespec="seconds"),
            warnings=tuple(warnings),
        )

    def _index(self) -> _Index:
        with self._lock:
            if self._built is None:
                self._built = _index_of(self._articles)
            return self._built

    def _ranked(self, hits: set[int], stems: list[str]) -> list[str]:
        ranker = self._index().ranker
        if not hits or ranker is None:
            return []
        places = sorted(hits)
        scores = ranker.get_batch_scores(stems, places) if stems else [0.0] * len(places)
        ids = [self._articles[place].id for place in places]
        return [id for _, id in sorted(zip((-round(score, 9) for score in scores), ids, strict=True))]

    def _hits(self, query: str, reading: _Reading, scored: bool = True) -> set[int] | None:
        """Places of the articles that match; None where nothing in the query decides. Levels, not recursion: any depth."""
        query = query.translate(_QUOTES)
        if query.count('"') % 2:
            cut = query.rindex('"')
            query = f"{query[:cut]} {query[cut + 1 :]}"
        levels = [_Level()]
        for token in _TOKEN.finditer(query):
            level, tag = levels[-1], " ".join((token["tag"] or "").lower().split())
            operator = _OPERATORS.get(token["operator"] or token["word"] or "")
            if token["word"] is not None and operator is None:
                level.run.append(token["word"])
                if tag:
                    self._close_run(level, reading, tag, scored)
                continue
            self._close_run(level, reading, "", scored)
            if operator:
                level.operator = "NOT" if level.operator == "NOT" and operator == "AND" else operator
            elif token["paren"] == "(":
                levels.append(_Level(negated=level.negated != (level.operator == "NOT")))
            elif token["paren"] == ")":
                if len(levels) > 1:
                    inner = levels.pop()
                    self._combine(levels[-1], inner.hits)
            elif self._ignores(tag, token["phrase"] or ""):
                reading.ignored[f'"{token["phrase"]}"[{tag}]'] = None
                self._combine(level, None)
            else:
                wanted = scored and level.negated == (level.operator == "NOT")
                self._combine(level, self._phrase(token["phrase"] or "", reading, wanted, "~" in tag))
        while True:
            level = levels.pop()
            self._close_run(level, reading, "", scored)
            if not levels:
                return level.hits
            self._combine(levels[-1], level.hits)

    def _ignores(self, tag: str, text: str) -> bool:
        """Whether a tagged term says nothing here: its field is not held, or no article has that field filled."""
        name = tag.partition(":")[0].strip()
        if name in _TYPE_TAGS:
            return not any(article.publication_types for article in self._articles)
        if name in _MESH_TAGS and _CHECK_TAGS.issuperset(words(text)):
            return not any(article.mesh for article in self._articles)
        return bool(name) and name not in _TEXT_TAGS

    def _combine(self, level: _Level, hits: set[int] | None) -> None:
        operator, level.operator = level.operator, "AND"
        if hits is None:
            return
        if operator == "NOT":
            level.hits = (set(range(len(self._articles))) if level.hits is None else level.hits) - hits
        elif level.hits is None:
            level.hits = hits
        else:
            level.hits = level.hits | hits if operator == "OR" else level.hits & hits

    def _close_run(self, level: _Level, reading: _Reading, tag: str, scored: bool) -> None:
        """End a run of words side by side: all of them must occur, unless their tag is one that is ignored."""
        run, level.run = level.run, []
        if not run:
            return
        if self._ignores(tag, " ".join(run)):
            kept = len(run) - 1 if _LAST_WORD_TAGS.search(tag) else 0
            reading.ignored[f"{' '.join(run[kept:])}[{tag}]"] = None
            run = run[:kept]
        scored = scored and level.negated == (level.operator == "NOT")
        found: set[int] | None = None
        for word in run:
            one = self._word(word, reading, scored)
            if one is not None:
                found = one if found is None else found & one
        self._combine(level, found)

    def _word(self, word: str, reading: _Reading, scored: bool) -> set[int] | None:
        if word.endswith("*") and len(parts := words(word)) == 1 and len(parts[0]) >= _SHORTEST_PREFIX:
            return self._prefix(parts[0], reading, scored)
        stems = _stems(word)
        if len(stems) > 1:
            return self._phrase(word, reading, scored, anywhere=False)
        return self._all(word, stems, reading, scored)

    def _all(self, text: str, stems: list[str], reading: _Reading, scored: bool) -> set[int] | None:
        if not stems:
            return None
        postings = self._index().postings
        if scored:
            reading.stems.update(dict.fromkeys(stem for stem in stems if stem in postings))
        lacking = [word for word in words(text) if word not in STOPWORDS and stem(word) not in postings]
        reading.unknown.update(dict.fromkeys(f'"{word}"' for word in lacking))
        return set.intersection(*(postings.get(stem, set()) for stem in stems))

    def _phrase(self, text: str, reading: _Reading, scored: bool, anywhere: bool) -> set[int] | None:
        """Articles with the phrase; where none has it, those its words find, operators among them working."""
        stems = _stems(text)
        if len(stems) < 2 or anywhere:
            return self._word(text, reading, scored) if len(stems) < 2 and "*" in text else self._all(text, stems, reading, scored)
        index = self._index()
        wanted = f" {' '.join(stems)} "
        candidates = set.intersection(*(index.postings.get(stem, set()) for stem in stems))
        if found := {place for place in candidates if wanted in index.texts[place]}:
            if scored:
                reading.stems.update(dict.fromkeys(stems))
            return found
        if any(_OPERATORS.get(word) for word in text.split() if word.isupper()):
            return self._hits(text, reading, scored)
        return self._all(text, stems, reading, scored)

    def _prefix(self, prefix: str, reading: _Reading, scored: bool) -> set[int]:
        index = self._index()
        start = bisect_left(index.vocabulary, prefix)
        found = list(takewhile(lambda word: word.startswith(prefix), index.vocabulary[start:]))
        stems = dict.fromkeys(stem(word) for word in found)
        if scored:
            reading.stems.update(stems)
        if not found:
            reading.unknown[f'"{prefix}*"'] = None
        return set[int]().union(*(index.postings[stem] for stem in stems))


def _index_of(articles: list[Article]) -> _Index:
    from rank_bm25 import BM25Plus

    postings: dict[str, set[int]] = {}
    texts: list[str] = []
    vocabulary: set[str] = set()
    bags: list[list[str]] = []
    for place, article in enumerate(articles):
        abstract = [section.text for section in article.sections]
        parts = [article.title, *abstract, *article.keywords, *article.mesh, *article.publication_types]
        read = [_index_words(part) for part in parts]
        vocabulary.update(*read)
        stems = [[stem(word) for word in part] for part in read]
        # The bar keeps a phrase from reaching out of one part into the next.
        texts.append(f" {' | '.join(' '.join(part) for part in stems)} ")
        bag = stems[0] + [stem for part in stems for stem in part]  # the title counts twice
        bags.append(bag)
        for one in bag:
            postings.setdefault(one, set()).add(place)
    # BM25Plus, whose idf is never negative: BM25Okapi's is for a word in more than half of a small set of articles.
    return _Index(postings, texts, sorted(vocabulary), BM25Plus(bags, k1=K1, b=B) if postings else None)


def _index_words(text: str) -> list[str]:
    return [word for word in words(text) if word not in STOPWORDS]


def _stems(text: str) -> list[str]:
    return [stem(word) for word in _index_words(text)]


def _named(terms: Iterable[str]) -> str:
    named = list(terms)
    more = f" and {len(named) - _MOST_NAMED} more" if len(named) > _MOST_NAMED else ""
    return ", ".join(named[:_MOST_NAMED]) + more


def _may_be_within(article: Article, request: SearchRequest) -> bool:
    """Whether the chain's rule may keep the article; an undated one stays, because the chain says why it drops it."""
    intervals = [(article.published.start, article.published.end)] if article.published else []
    if article.electronic is not None:
        intervals.append((article.electronic, article.electronic))
    if not intervals:
        return True
    first, last = request.published_from or date.min, request.published_to or date.max
    if not any(start <= last and end >= first for start, end in intervals):
        return False
    return request.before is None or min(end for _, end in intervals) < request.before
