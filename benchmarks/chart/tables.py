"""The paper's tables on any set of the benchmark's shape: 1 (stages), 3 (chunks), 4 (encoders)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache, partial
from importlib.util import find_spec

import numpy as np

from benchmarks.chart import measures
from benchmarks.chart.data import Question
from benchmarks.chart.onnx_encoder import PREFIX, OnnxEncoder
from clinfo.patients.lexicon import Lexicon
from clinfo.patients.records import Note, Record
from clinfo.pipelines.chart.asked import understood
from clinfo.pipelines.chart.features import Matched
from clinfo.pipelines.chart.index import ChartIndex, prepared
from clinfo.pipelines.chart.packing import Chunk, Part, packed
from clinfo.pipelines.chart.retrieval import entities_of, first_stage, note_order, retrieved
from clinfo.records.chart import STAGES, Combined
from clinfo.retrieval.embedders import STATIC, Embedder, embedder_named
from clinfo.retrieval.rerankers import best

DEPTHS = (3, 20)
"""The paper's: category-restricted and visit-level."""
DRAWS = 2_000
ENCODERS = ("wordllama", "sentence-transformers/all-MiniLM-L6-v2")
Packing = Callable[[Sequence[Note]], Sequence[Chunk]]
PACKINGS: dict[str, Packing] = {
    "a note a chunk": lambda notes: packed(notes, least=1, most=10**7),
    "by visit 200-500": partial(packed, least=200, most=500),
    "by visit 900-1,500": packed,
    "across visits 900-1,500": partial(packed, across_visits=True),
    "across visits 1,700-2,200": partial(packed, across_visits=True, least=1_700, most=2_200),
    "fixed 400": lambda notes: fixed(notes, 400),
    "fixed 1,200": lambda notes: fixed(notes, 1_200),
    "fixed 1,800": lambda notes: fixed(notes, 1_800),
}


def interval(rows: Sequence[tuple[str, float]], draws: int = DRAWS) -> tuple[float, float]:
    """The 95 % interval of a mean over questions, patients drawn anew with all of theirs."""
    names = sorted({patient for patient, _ in rows})
    own = np.array([names.index(patient) for patient, _ in rows])
    sums = np.bincount(own, [value for _, value in rows], len(names))
    sizes = np.bincount(own, minlength=len(names))
    drawn = np.random.default_rng(0).integers(0, len(names), (draws, len(names)))
    means = sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    low, high = np.quantile(means, (0.025, 0.975))
    return float(low), float(high)


def fixed(notes: Sequence[Note], size: int, overlap: float = 0.1) -> tuple[Chunk, ...]:
    """Windows of ``size`` characters over all notes in time order, whatever stands in them."""
    chunks: list[Chunk] = []
    places = [(note, at) for note in notes for at in range(len(note.text))]
    step = max(1, round(size * (1 - overlap)))
    for start in range(0, len(places), step):
        window = places[start : start + size]
        spans: dict[str, list[int]] = {}
        for note, at in window:
            spans.setdefault(note.id, [at, at])[1] = at + 1
        parts = tuple(Part(id, a, b) for id, (a, b) in spans.items())
        text = "".join(note.text[at] for note, at in window)
        first, last = window[0][0], window[-1][0]
        chunks.append(Chunk(f"fixed:{start}", parts, text, since=first.time, until=last.time))
        if start + size >= len(places):
            break
    return tuple(chunks)


def tell(
    asked: Sequence[Question],
    known: Mapping[str, Record],
    lexicon: Lexicon,
    embedder: Embedder | None,
    wanted: Collection[str] = ("1", "3", "4"),
    encoders: Sequence[str] = (),
) -> None:
    """Print the tables that are wanted, macro over questions, with 95 % intervals (patients drawn
    anew); ``encoders`` are looked at beside `ENCODERS`.
    """

    @cache
    def index_of(patient: str) -> ChartIndex:
        return prepared(known[patient].notes, lexicon, embedder)

    patients = len({one.patient for one in asked})
    print(f"{len(asked)} questions, {patients} patients\n")
    for combined in ("union", "intersection") if "1" in wanted else ():
        _stages(asked, index_of, lexicon, combined)
    if "3" in wanted:
        print("Table 3: chunks, by BM25 + wordllama; @k: in as many characters as k notes have")
    for name, packing in PACKINGS.items() if "3" in wanted else ():
        _row(name, _by_chunks(asked, known, lexicon, embedder, packing, "hybrid"))
    if "4" not in wanted:
        return
    print("\nTable 4: encoders alone, chunks by visit of 900-1,500 characters; BM25 beside them")
    _row("BM25", _by_chunks(asked, known, lexicon, None, packed, "bm25"))
    for encoder in (*ENCODERS, *encoders):
        try:
            if encoder == STATIC and find_spec(STATIC) is None:
                raise ModuleNotFoundError(encoder)
            own = encoder.startswith(PREFIX)
            made = OnnxEncoder(encoder[len(PREFIX) :]) if own else embedder_named(encoder)
        except Exception as error:  # an encoder that is not on this machine is told, not a fault
            print(f"{encoder:38} not on this machine ({type(error).__name__})")
            continue
        _row(encoder, _by_chunks(asked, known, lexicon, made, packed, "dense"))


def _stages(
    asked: Sequence[Question],
    index_of: Callable[[str], ChartIndex],
    lexicon: Lexicon,
    combined: Combined,
) -> None:
    """Table 1: what each further stage does to ratio, filtering recall and recall."""
    print(f"Table 1, filters by {combined}: ratio, filtering recall, gold among revived, recall")
    names = ("baseline", *STAGES)
    rows: dict[str, dict[str, list[tuple[str, float]]]] = {name: {} for name in names}
    revived = [0, 0]
    for one in asked:
        index = index_of(one.patient)
        question = Matched(understood(one.text, lexicon), index)
        entities = entities_of(question)
        for name in names:
            if name == "baseline":
                scores = first_stage(question)
                order, kept = best([float(s) for s in scores], len(index.chunks)), None
            else:
                found = retrieved(question, entities, published=True, combined=combined, upto=name)
                order, kept = list(found.order), found.kept
                if name in ("types", "entities"):
                    scores = first_stage(question)
                    order = sorted(order, key=lambda p, s=scores: (-s[p], p))  # type: ignore[misc]
                if name == "recovery":
                    gold, all_ = measures.revived_gold(found, index, one.gold)
                    revived[0] += gold
                    revived[1] += all_
            own = rows[name]
            places = range(len(index.chunks)) if kept is None else kept
            notes = {part.note for place in places for part in index.chunks[place].parts}
            values = {
                "ratio": len(places) / max(1, len(index.chunks)),
                "filtering": len(one.gold & notes) / len(one.gold),
                **{f"@{d}": measures.recall(note_order(index, order), one.gold, d) for d in DEPTHS},
            }
            for key, value in values.items():
                own.setdefault(key, []).append((one.patient, value))
    for name in names:
        _row(name, rows[name], f"{revived[0]}/{revived[1]}" if name == "recovery" else "")
    print()


def _by_chunks(
    asked: Sequence[Question],
    known: Mapping[str, Record],
    lexicon: Lexicon,
    embedder: Embedder | None,
    packing: Packing,
    method: str,
) -> dict[str, list[tuple[str, float]]]:
    """The recall of a first stage over chunks of one packing, as `_recall` counts it."""
    rows: dict[str, list[tuple[str, float]]] = {}
    indexes: dict[str, ChartIndex] = {}
    for one in asked:
        if one.patient not in indexes:
            notes = known[one.patient].notes
            indexes[one.patient] = prepared(notes, lexicon, embedder, packing(notes))
        index = indexes[one.patient]
        scores = first_stage(Matched(understood(one.text, lexicon), index), method)
        order = best([float(score) for score in scores], len(scores))
        for depth in DEPTHS:
            rows.setdefault(f"@{depth}", []).append(
                (one.patient, _recall(index, order, one, depth))
            )
    return rows


def _recall(index: ChartIndex, order: Sequence[int], question: Question, depth: int) -> float:
    """Gold notes half given in so many characters as ``depth`` notes have in the mean, the last
    chunk cut ÷ min(depth, gold).
    """
    notes, shares = index.notes.values(), dict[str, int]()
    room = depth * sum(len(note.text) for note in notes) // max(1, len(notes))
    for part in (part for place in order for part in index.chunks[place].parts):
        size = min(room, part.end - part.start)
        shares[part.note] = shares.get(part.note, 0) + size
        room -= size
    given = {
        note
        for note, size in shares.items()
        if size >= measures.GIVEN * len(index.notes[note].text)
    }
    return min(1.0, len(given & question.gold) / min(depth, len(question.gold)))


def _row(name: str, values: Mapping[str, Sequence[tuple[str, float]]], more: str = "") -> None:
    told = []
    for key, rows in values.items():
        low, high = interval(rows)
        mean = sum(value for _, value in rows) / len(rows)
        told.append(f"{key} {mean:.3f} [{low:.3f}, {high:.3f}]")
    print(f"{name:38} {'  '.join(told)}  {more}".rstrip())
