"""The engine of the local index against an evaluation of plans written out plainly here, over
documents made by chance.
"""

from __future__ import annotations

import itertools
import random
import threading
from datetime import date
from functools import cache
from pathlib import Path
from typing import cast

import pytest

from clinfo.errors import QueryRejected
from clinfo.pubmed.document import DAY_STORES, Document
from clinfo.pubmed.index import schema
from clinfo.pubmed.index.engine import TantivyEngine
from clinfo.pubmed.plan import (
    All,
    AnyOf,
    Days,
    Engine,
    Everything,
    Keys,
    Near,
    Nothing,
    Numbers,
    Phrase,
    Plan,
    Unscored,
    Without,
    near,
)

tantivy = pytest.importorskip("tantivy")

WORDS = ("a", "b", "c", "d", "ee", "ef", "efg", "cat", "cats", "catalog", "ß", "ü2", "or")
TEXTS, KEYS = ("ti", "ab", "tx", "ax", "ad"), ("mh", "au", "la")


class Chance:
    """Documents and plans drawn by a seed."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)

    def word(self) -> str:
        return self.draw.choice(WORDS)

    def text(self, least: int = 1, most: int = 9) -> str:
        return " ".join(self.word() for _ in range(self.draw.randint(least, most)))

    def interval(self) -> tuple[date, date]:
        first = self.draw.randint(1, 4000)
        length = self.draw.choice((0, 0, 0, self.draw.randint(0, 40), self.draw.randint(0, 900)))
        return date.fromordinal(first), date.fromordinal(first + length)

    def document(self, pmid: int) -> Document:
        return Document(
            f"pmid:{pmid}",
            {
                store: tuple(self.text() for _ in range(self.draw.choice((0, 1, 1, 2, 3))))
                for store in TEXTS
            },
            {
                store: tuple({self.text(1, 2) for _ in range(self.draw.randint(0, 3))})
                for store in KEYS
            },
            {
                store: tuple(self.interval() for _ in range(self.draw.choice((1, 1, 1, 2, 3))))
                for store in DAY_STORES
                if self.draw.random() < 0.7
            },
        )

    def stores(self) -> tuple[str, ...]:
        return tuple(self.draw.sample(TEXTS, self.draw.randint(1, 3)))

    def lookup(self) -> Plan:
        kind, draw = self.draw.random(), self.draw
        if kind < 0.4:
            return Phrase(self.stores(), tuple(self.text(1, 3).split()), draw.random() < 0.3)
        if kind < 0.55:
            return Near(
                self.stores(), tuple(self.text(1, 4).split()), draw.choice((0, 1, 2, 3, 5, 40))
            )
        if kind < 0.75:
            keys = frozenset(self.text(1, 2) for _ in range(draw.choice((0, 1, 1, 2, 20))))
            return Keys(draw.choice(KEYS), keys, draw.random() < 0.2)
        if kind < 0.9:
            first = self.interval()[0]
            last = date.fromordinal(first.toordinal() + draw.choice((0, 0, 3, 10, 400)))
            return Days(tuple(draw.sample(DAY_STORES, draw.randint(1, 2))), first, last)
        if kind < 0.95:
            return Numbers(draw.randint(-5, 10**8), draw.randint(0, 10**8))
        return draw.choice((Everything(), Nothing()))

    def plan(self, depth: int) -> Plan:
        kind = self.draw.random()
        if depth == 0 or kind < 0.2:
            return self.lookup()
        if kind < 0.45:
            return All(tuple(self.plan(depth - 1) for _ in range(self.draw.randint(0, 4))))
        if kind < 0.75:
            return AnyOf(tuple(self.plan(depth - 1) for _ in range(self.draw.randint(0, 5))))
        if kind < 0.9:
            return Without(self.plan(depth - 1), self.plan(depth - 1))
        return Unscored(self.plan(depth - 1))


def finds(document: Document, plan: Plan) -> bool:
    match plan:
        case All(parts):
            return all(finds(document, part) for part in parts)
        case AnyOf(parts):
            return any(finds(document, part) for part in parts)
        case Without(inner, excluded):
            return finds(document, inner) and not finds(document, excluded)
        case Unscored(inner):
            return finds(document, inner)
        case Phrase(stores, words, prefix):
            return any(
                _phrase(text.split(), words, prefix)
                for store in stores
                for text in document.texts[store]
            )
        case Near(stores, words, between):
            return any(
                _near(text.split(), words, between)
                for store in stores
                for text in document.texts[store]
            )
        case Keys(store, keys, prefix):
            return any(
                key in keys or (prefix and key.startswith(tuple(keys)))
                for key in document.keys[store]
            )
        case Days(stores, first, last):
            return any(
                start <= last and end >= first
                for store in stores
                for start, end in document.days.get(store, ())
            )
        case Numbers(first, last):
            return first <= int(document.id[5:]) <= last
    return isinstance(plan, Everything)


def _phrase(text: list[str], words: tuple[str, ...], prefix: bool) -> bool:
    for start in range(len(text) - len(words) + 1):
        part = text[start : start + len(words)]
        if part == list(words) or (
            prefix and part[:-1] == list(words[:-1]) and part[-1].startswith(words[-1])
        ):
            return True
    return False


def _near(text: list[str], words: tuple[str, ...], between: int) -> bool:
    places = [[place for place, word in enumerate(text) if word == one] for one in words]
    return any(
        len(set(chosen)) == len(words) and max(chosen) - min(chosen) + 1 - len(words) <= between
        for chosen in itertools.product(*places)
    )


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> tuple[TantivyEngine, dict[int, Document]]:
    """An engine of several segments, in which some documents have been replaced and some
    removed.
    """
    folder, chance = tmp_path_factory.mktemp("engine"), Chance(7)
    documents: dict[int, Document] = {}
    index = tantivy.Index(
        schema.schema(), str(folder), sort_by_field=schema.PMID, sort_order=tantivy.Order.Desc
    )
    schema.register(index)
    writer = index.writer(20_000_000, 1)

    def remove(pmid: int) -> None:
        writer.delete_documents_by_query(tantivy.Query.term_query(index.schema, schema.PMID, pmid))
        documents.pop(pmid)

    for place in range(360):
        pmid = chance.draw.randint(1, 10**8)
        documents[pmid] = chance.document(pmid)
        writer.add_document(schema.tantivy_document(schema.pack(documents[pmid])))
        if place % 90 == 0:
            writer.commit()
    for pmid in sorted(documents)[:60]:
        remove(pmid)
        if pmid % 2:
            documents[pmid] = chance.document(pmid)
            writer.add_document(schema.tantivy_document(schema.pack(documents[pmid])))
    writer.commit()
    writer.wait_merging_threads()
    return TantivyEngine(folder, lambda pmids: [documents[pmid] for pmid in pmids]), documents


def by_date(documents: dict[int, Document], ids: set[str]) -> list[str]:
    def place(id: str) -> tuple[int, int]:
        printed = documents[int(id[5:])].days.get("dp")
        return (-printed[0][0].toordinal() if printed else 0, -int(id[5:]))

    return sorted(ids, key=place)


@pytest.mark.slow
def test_every_plan_is_answered_as_the_plain_evaluation_answers_it(
    held: tuple[TantivyEngine, dict[int, Document]],
) -> None:
    engine, documents = held
    chance, telling = Chance(11), 0
    for _ in range(500):
        plan = chance.plan(chance.draw.randint(0, 4))
        expected = {f"pmid:{pmid}" for pmid, document in documents.items() if finds(document, plan)}
        telling += 0 < len(expected) < len(documents)
        count, ids = engine.best(plan, 1000)
        assert engine.count(plan) == count == len(ids) == len(expected), plan
        assert set(ids) == expected, plan
        dated = by_date(documents, expected)
        assert engine.best(plan, 1000, sort="pub_date") == (count, dated)
        offset, limit = chance.draw.randint(0, 10), chance.draw.randint(0, 50)
        assert engine.best(plan, limit, offset) == (count, ids[offset : offset + limit])
        assert engine.best(plan, limit, offset, "pub_date") == (
            count,
            dated[offset : offset + limit],
        )
        assert engine.pmids(plan) == sorted((int(id[5:]) for id in expected), reverse=True)
        if not isinstance(plan, All | AnyOf | Without | Unscored):
            assert engine.has(plan) is bool(expected), plan
    assert telling > 250


def test_it_is_an_engine(held: tuple[TantivyEngine, dict[int, Document]]) -> None:
    engine: Engine = held[0]
    assert engine.count(Everything()) == len(held[1])


def test_stems_are_the_words_that_some_record_has(
    held: tuple[TantivyEngine, dict[int, Document]],
) -> None:
    engine, documents = held
    words = {
        word
        for one in documents.values()
        for texts in one.texts.values()
        for text in texts
        for word in text.split()
    }
    assert engine.stems("", 100) == sorted(words)
    assert engine.stems("cat", 2) == ["cat", "catalog"]
    assert engine.stems("zz", 5) == []
    assert engine.stems("cat", 0) == []
    assert not engine.has(Phrase(("ti", "ab"), ("zz",), True))
    assert not engine.has(Phrase(("ti", "ab"), ("cat", "zz"), True))
    assert not engine.has(Phrase((), ("cat",)))


def test_titles_count_more_and_equal_scores_go_by_pmid(tmp_path: Path) -> None:
    def one(pmid: int, title: str, abstract: str) -> Document:
        return Document(
            f"pmid:{pmid}", {"ti": (title,), "ab": (abstract,)}, {"mh": ("humans",)}, {}
        )

    documents = [one(number, "b b b", "a c c") for number in (5, 80, 7, 300, 60)] + [
        one(4, "a b b", "c c c")
    ]
    index = tantivy.Index(
        schema.schema(), str(tmp_path), sort_by_field=schema.PMID, sort_order=tantivy.Order.Desc
    )
    schema.register(index)
    writer = index.writer(20_000_000, 1)
    for document in documents:  # a segment each
        writer.add_document(schema.tantivy_document(schema.pack(document)))
        writer.commit()
    writer.wait_merging_threads()
    engine = TantivyEngine(tmp_path, lambda pmids: [])
    expected = [f"pmid:{pmid}" for pmid in (4, 300, 80, 60, 7, 5)]
    plan = Phrase(("ti", "ab"), ("a",))
    assert engine.best(plan, 10) == (6, expected)
    for limit in range(1, 6):
        assert engine.best(plan, limit) == (6, expected[:limit])
        assert engine.best(All((plan, Unscored(Phrase(("ab",), ("c",))))), limit) == (
            6,
            expected[:limit],
        )
    assert engine.best(Keys("mh", frozenset(("humans",))), 2) == (6, ["pmid:300", "pmid:80"])


@pytest.mark.slow
def test_plans_of_thousands_of_levels_are_answered_from_any_thread(
    held: tuple[TantivyEngine, dict[int, Document]],
) -> None:
    engine, documents = held
    chance = Chance(3)

    @cache
    def having(lookup: Phrase) -> frozenset[str]:
        return frozenset(
            f"pmid:{pmid}" for pmid, document in documents.items() if finds(document, lookup)
        )

    lookup = Phrase(("ab",), ("cat",))
    plan, wanted = cast(Plan, lookup), having(lookup)
    for level in range(2000):
        if level % 50 == 0:
            other = Phrase(("ad",), ("cat", "cat"))
            plan, wanted = Without(plan, other), wanted - having(other)
            continue
        other = Phrase(("ab", "ti", "tx"), (chance.word(),))
        plan, wanted = (
            (AnyOf((plan, other)), wanted | having(other))
            if level % 2
            else (All((plan, other)), wanted & having(other))
        )
    answers: list[tuple[int, list[str]]] = []
    thread = threading.Thread(target=lambda: answers.append(engine.best(plan, 1000)))
    thread.start()
    thread.join()
    assert answers[0][0] == len(wanted)
    assert set(answers[0][1]) == wanted
    assert 0 < len(wanted) < len(documents)
    for _ in range(30_000):
        plan = All((AnyOf((plan, Nothing())),))
    with pytest.raises(QueryRejected, match="levels deep"):
        engine.count(plan)


def test_a_union_of_hundreds_of_words_and_headings_is_one_query(
    held: tuple[TantivyEngine, dict[int, Document]],
) -> None:
    engine, documents = held
    words = [f"x{number}" for number in range(600)] + ["cat", "efg"]
    plan = AnyOf(
        (*(Phrase(("ti", "ab"), (word,)) for word in words), Keys("mh", frozenset([*words, "a b"])))
    )
    expected = {f"pmid:{pmid}" for pmid, document in documents.items() if finds(document, plan)}
    assert engine.count(plan) == len(expected)
    assert set(engine.best(plan, 1000)[1]) == expected


def test_nearness_in_a_text() -> None:
    chance = Chance(5)
    for _ in range(400):
        text, words = chance.text(0, 12).split(), tuple(chance.text(1, 4).split())
        between = chance.draw.randint(0, 6)
        assert near(text, words, between) is _near(text, words, between)


def test_blocks_cover_an_interval_and_nothing_else() -> None:
    draw = random.Random(1)
    for _ in range(500):
        first = draw.randint(1, 4_000)
        last = first + draw.choice((0, 1, draw.randint(0, 40), draw.randint(0, 3_000)))
        document = Document(
            "pmid:1", {}, {}, {"dp": ((date.fromordinal(first), date.fromordinal(last)),)}
        )
        written = set(schema.pack(document).keys.split())
        assert len(written) <= 2 * schema.LEVELS
        for place in {
            first,
            first + 1,
            last,
            last + 1,
            draw.randint(first, last),
            max(first - 1, 1),
        }:
            over = written & set(schema.blocks_over("dp", date.fromordinal(place)))
            assert bool(over) is (first < place <= last)
