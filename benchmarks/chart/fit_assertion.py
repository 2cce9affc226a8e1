"""Fits the learned judge of what is said of a mention (`clinfo.patients.assertion`).

    python -m benchmarks.chart.fit_assertion [--write] [--texts FOLDER] | --measure FILE

On the sentences of ``assertion_sentences.jsonl.gz`` beside this module, ``{"text", "mentions":
[{"start", "end", "assertion"}], "hand"}``, written for this project: "a", "d", "e", "f", "g" and
"j" by five writers who saw no rule ("e", "f", "g", "j": templates), "b" and "k" by two who knew
this judge, "c", "h" and "k" by three who had read some of the others (`WRITERS`; "k" all of "j", of
the rest a dozen sentences each), "i" put together from parts, so that plain sentences are plain.
"k" has what was unsure or misread: patients, donors, contacts and pets of others, shorthand of
suspicion, and plain affirmation in many words, with other things denied or of relatives. "l", by
one who knew this judge and had read a dozen of "a", has templates of checklists, boxes, signs,
questions with answers, bare names, and relatives before the patient. "m" is by one who saw no rule
(what is only named, of a leaflet, a clinic, a risk, is negated there, and elsewhere uncertain), "n"
by one who knew this judge and "m": templates of changes of therapy, courses that ended, what is
only named, and two of these in a sentence. ``--measure`` reads such sentences of another, a JSON
object a line, by the weights that come along. With ``--texts``, as these were fitted, also on
mentions in half of the notes in CSV files there (`PROSE`), each as the cues alone have it: what is
written to be hard teaches too little of long prose. Softmax regression with a quadratic penalty,
by gradient steps. Prints how each writer's sentences are read by weights fitted without them, by
class and by how sure the reading is: what the cohort's `SURE` is chosen by.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.chart.data import digest
from benchmarks.pubmedrs200.scoring.statistics import wilson
from clinfo.patients.assertion import CLASSES, FILE, Weights, assertion_weights, described
from clinfo.patients.assertion_features import Line
from clinfo.patients.entities import find_mentions
from clinfo.patients.lexicon import standard
from clinfo.patients.mentions import Mention
from clinfo.patients.sections import sections

SENTENCES = Path(__file__).with_name("assertion_sentences.jsonl.gz")
PROSE = (("aci_bench_train.csv", "note"), ("mts_dialog_train.csv", "section_text"))
"""The files of real prose and the column that is read: texts of an even SHA-256, and of their
mentions those of an even one.
"""
LEAST = 2
"""Sentences that must have a word for it to be known, or a feature for it to be weighed."""
PENALTY = 1.0
STEPS = 200
SURE = (0, 80, 85, 90, 95)
WRITERS = {"a": "", "de": "ch", "f": "bh", "g": "", "j": "k", "m": "n"}
"""The hands of each writer who saw no rule, and those who had read them: both are left out of the
weights that read them.
"""
SMALLEST = 5
"""Features with no weight of so many hundredths are left out."""
_HAD = ("present", "history")
_CUES = ("rule present", "rule negated", "rule family", "rule history", "rule uncertain")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A text with its mentions, and whose hand it is."""

    text: str
    mentions: tuple[Mention, ...]
    hand: str = ""


def main(arguments: list[str] | None = None) -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--write", action="store_true", help="write the weights")
    parser.add_argument("--texts", type=Path, help="the folder of real prose")
    parser.add_argument("--measure", type=Path, help="only read this JSONL by the weights kept")
    options = parser.parse_args(arguments)
    if options.measure:
        measure(options.measure.name, written(options.measure), assertion_weights())
        return
    rows = written()
    prose = of_prose(options.texts) if options.texts else []
    if options.write:
        FILE.write_bytes(packed(fitted([*rows, *prose])))
    tell(rows, prose)


def written(file: Path = SENTENCES) -> list[Sentence]:
    """The sentences of a file, a line each."""
    content = file.read_bytes()
    lines = (gzip.decompress(content) if file.suffix == ".gz" else content).splitlines()
    return [read(json.loads(line)) for line in lines]


def read(row: dict[str, Any]) -> Sentence:
    """A row of the file."""
    return Sentence(
        row["text"],
        tuple(
            Mention(m["start"], m["end"], "", "", (), m["assertion"])
            for m in sorted(row["mentions"], key=lambda m: m["start"])
        ),
        row.get("hand", ""),
    )


def of_prose(folder: Path) -> list[Sentence]:
    """The texts of `PROSE` with what the cues say of their mentions."""
    found = []
    for name, column in PROSE:
        with (folder / name).open(encoding="utf-8", newline="") as lines:
            texts = [row[column] for row in csv.DictReader(lines)]
        for text in texts:
            if digest(text) % 2:
                continue
            named = find_mentions(text, standard())
            kept = [one for one in named if digest(f"{one.start}{text}") % 2 == 0]
            row = Sentence(text, tuple(kept))
            said = [_by_cues(list(features)) for features in told(row, frozenset())]
            mentions = (replace(m, assertion=s) for m, s in zip(kept, said, strict=True))
            found.append(Sentence(text, tuple(mentions)))
    return [row for row in found if row.mentions]


def packed(weights: Weights) -> bytes:
    """The content of `FILE` for these weights: the same bytes for the same weights."""
    lines = (
        "\t".join([name, *map(str, values)]) + "\n" for name, values in sorted(weights.of.items())
    )
    content = " ".join(sorted(weights.words)) + "\n" + "".join(lines)
    return gzip.compress(content.encode(), 9, mtime=0)


def fitted(rows: Sequence[Sentence]) -> Weights:
    """The weights that these sentences give."""
    having: Counter[str] = Counter()
    for row in rows:
        text = row.text
        for each in row.mentions:
            text = text[: each.start] + " " * (each.end - each.start) + text[each.end :]
        having.update(set(Line(text, 0, len(text), None).words))
    words = frozenset(
        word for word, count in having.items() if count >= LEAST and word[0].isalpha()
    )
    table = [[list(found) for found in told(row, words)] for row in rows]
    counts = Counter(name for row in table for name in {n for found in row for n in found})
    names = sorted(name for name, count in counts.items() if count >= LEAST)
    at = {name: place for place, name in enumerate(names)}
    given = [[at[name] for name in found if name in at] for row in table for found in row]
    right = [CLASSES.index(each.assertion) for row in rows for each in row.mentions]
    found = np.rint(100 * _softmax(given, right, len(names))).astype(int)
    keep = np.flatnonzero(np.abs(found).max(1) >= SMALLEST)
    return Weights(words, {names[place]: tuple(map(int, found[place])) for place in keep})


def told(row: Sentence, words: frozenset[str]) -> Any:
    """The features of each mention of a sentence."""
    return described(row.text, sections(row.text), row.mentions, words)


def tell(rows: Sequence[Sentence], also: Sequence[Sentence] = ()) -> None:
    """Print for each writer what weights without the writer give."""
    for hands, readers in WRITERS.items():
        others = [row for row in rows if row.hand not in hands + readers]
        weights = fitted([*others, *also])
        measure(hands, [row for row in rows if row.hand in hands], weights)


def measure(name: str, rows: Sequence[Sentence], weights: Weights) -> None:
    """Print how these weights read sentences: by class, and whom they count as having or having
    had what is named.
    """
    learned: Counter[tuple[str, str]] = Counter()
    having: dict[bool, list[int]] = {True: [], False: []}
    for row in rows:
        for each, found in zip(row.mentions, told(row, weights.words), strict=True):
            said, sure = weights.judged(found)
            learned[each.assertion, said] += 1
            having[each.assertion in _HAD].append(sure if said in _HAD else -1)
    print(f"{name}: {_figures(learned)}", flush=True)
    for kind in CLASSES:
        gold, said = (sum(n for pair, n in learned.items() if pair[at] == kind) for at in (0, 1))
        right = learned[kind, kind]
        print(f"  {kind}: precision {share(right, said)}, recall {share(right, gold)}")
    past = sum(n for pair, n in learned.items() if pair[0] == "history")
    print(f"  past said to be present: {share(learned['history', 'present'], past)}")
    for least in SURE:
        false, missed = (
            share(sum((sure >= least) == wrong for sure in having[had]), len(having[had]))
            for had, wrong in ((False, True), (True, False))
        )
        print(f"  sure of {least} %: said to have or have had of those who did not {false}, "
              f"missed of those who did {missed}")  # fmt: skip


def share(part: int, whole: int) -> str:
    """A share with its Wilson interval."""
    low, high = wilson(part / max(1, whole), max(1, whole))
    return f"{part}/{whole} = {part / max(1, whole):.3f} [{low:.3f}, {high:.3f}]"


def _by_cues(features: Sequence[str]) -> Any:
    """Return what the cues alone say, of a mention with these features."""
    return next(name for name in features if name in _CUES).removeprefix("rule ")


def _figures(counts: Counter[tuple[str, str]]) -> str:
    total = sum(counts.values())
    right = sum(count for (gold, said), count in counts.items() if gold == said)
    asked = ("negated", "family")
    found = sum(counts[name, name] for name in asked)
    both = sum((gold in asked) * n + (said in asked) * n for (gold, said), n in counts.items())
    shown = sum(counts[name, "present"] for name in asked)
    absent = sum(count for (gold, _), count in counts.items() if gold in asked)
    return (
        f"{right / total:.3f} right of {total}; F1 of negated and family {2 * found / both:.3f};"
        f" of these {shown / absent:.3f} said to be present"
    )


def _softmax(given: Sequence[Sequence[int]], right: Sequence[int], size: int) -> Any:
    """Weights [feature, class] by gradient steps (Adam) on all rows."""
    lengths = [len(row) for row in given]
    flat = np.concatenate([np.array(row, int) for row in given])
    of = np.repeat(np.arange(len(given)), lengths)
    starts = np.cumsum([0, *lengths[:-1]])
    wanted = np.eye(len(CLASSES))[list(right)]
    found = np.zeros((size, len(CLASSES)))
    first, second = np.zeros_like(found), np.zeros_like(found)
    for step in range(1, STEPS + 1):
        value = np.add.reduceat(found[flat], starts, 0)
        power = np.exp(value - value.max(1, keepdims=True))
        miss = (power / power.sum(1, keepdims=True) - wanted)[of]
        slope: Any = np.stack([np.bincount(flat, miss[:, c], size) for c in range(len(CLASSES))], 1)
        slope += PENALTY * found
        first, second = 0.9 * first + 0.1 * slope, 0.99 * second + 0.01 * slope**2
        rate = 0.05 * (1 - step / (STEPS + 1)) / (1 - 0.9**step)
        found -= rate * first / (np.sqrt(second / (1 - 0.99**step)) + 1e-8)
    return found


if __name__ == "__main__":
    main()
