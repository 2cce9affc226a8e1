"""How long one question about one patient takes, without a language model.

    python -m benchmarks.chart.speed [--data FOLDER] [--notes N] [--questions N]

The patient with the most notes, repeated to N notes (dates moved, so that none is the same).
Reading the record is told apart from asking: it is done once. The ratio compares with BM25 alone
over the same chunks in the same run.
"""

from __future__ import annotations

import argparse
import os
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.chart import data
from clinfo.patients.lexicon import standard
from clinfo.patients.records import Note
from clinfo.pipelines.chart.answer import coded_facts, found_notes, looked_for
from clinfo.pipelines.chart.asked import understood
from clinfo.pipelines.chart.features import Matched
from clinfo.pipelines.chart.index import prepared
from clinfo.pipelines.chart.retrieval import first_stage, retrieved
from clinfo.retrieval.embedders import embedder_named


def main(arguments: list[str] | None = None) -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.chart.speed")
    parser.add_argument("--data", type=Path, default=os.environ.get("CLINFO_BENCH_DATA"))
    parser.add_argument("--notes", type=int, default=1_000)
    parser.add_argument("--questions", type=int, default=200)
    options = parser.parse_args(arguments)
    if options.data is None:
        parser.error("give --data or CLINFO_BENCH_DATA a folder of questions")
    folder = Path(options.data)
    folder = folder / "chart" if (folder / "chart").is_dir() else folder
    known = data.records(folder)
    longest = max(known.values(), key=lambda record: len(record.notes))
    asked = data.questions(folder, known)[: options.questions]
    lexicon, embedder = standard(), embedder_named()
    notes = repeated(longest.notes, options.notes)
    began = time.perf_counter()
    index = prepared(notes, lexicon, embedder)
    read = time.perf_counter() - began
    whole, words, cpu = [], [], []
    for one in asked:
        began, used = time.perf_counter(), time.process_time()
        question = Matched(understood(one.text, lexicon), index)
        found_notes(question, retrieved(question), 20)
        coded_facts(question)
        looked_for(question)
        whole.append(time.perf_counter() - began)
        cpu.append(time.process_time() - used)
        began = time.perf_counter()
        first_stage(Matched(question.question, index), "bm25")
        words.append(time.perf_counter() - began)
    p50, p95 = (1_000 * float(np.quantile(whole, share)) for share in (0.5, 0.95))
    print(f"{len(notes):,} notes, {len(index.chunks):,} chunks, {len(index.texts):,} items")
    print(f"record read once in {read:.1f} s, {1_000 * read / len(notes):.1f} ms a note")
    print(f"a question: median {p50:.0f} ms, 95th percentile {p95:.0f} ms")
    half, most = (1_000 * float(np.quantile(cpu, share)) for share in (0.5, 0.95))
    print(f"of it processor time, whatever else runs: median {half:.0f} ms, 95th {most:.0f} ms")
    ratio = p95 / (1_000 * float(np.quantile(words, 0.95)))
    print(f"of it BM25 alone: the whole takes {ratio:.1f} times as long")


def repeated(notes: tuple[Note, ...], count: int) -> list[Note]:
    """The notes again and again until there are ``count``, each time a century later."""
    made = []
    for place in range(count):
        turn, note = divmod(place, len(notes))
        own = notes[note]
        year = f"{int(own.time[:4]) + 100 * turn:04}" if own.time[:4].isdigit() else own.time[:4]
        made.append(
            replace(
                own,
                id=f"{own.id}-{turn}",
                time=year + own.time[4:],
                visit=f"{own.visit}-{turn}",
                text=f"{own.text}\nTurn {turn}.",
            )
        )
    return made


if __name__ == "__main__":
    main()
