"""Fits the learned judge of what is said of a mention (`clinfo.patients.assertion`).

    python -m benchmarks.chart.fit_assertion [--write] | --measure FILE

On the sentences of ``assertion_sentences.jsonl.gz`` beside this module, ``{"text", "mentions":
[{"start", "end", "assertion"}], "hand"}``, written for this project. `OUTSIDERS` saw no rule and
wrote each sentence freely: "m", "o", and "p" to "s", one a room of medicine; what is only named, of
a leaflet, a clinic, a risk, is negated there, and elsewhere uncertain. Of the others, which weigh
less, "a", "d", "e", "f", "g" and "j" are of five who saw no rule ("e", "f", "g", "j": templates),
"b" of one who knew this judge, "c", "h" and "k" of three who had read some of the rest, "i" is put
together from parts, so that plain sentences are plain, "l", "n" and "t" are templates by those who
knew this judge: of checklists, boxes, signs and bare names, of changes of therapy, of past history
and plans under headings. ``--measure`` reads such sentences of another, a JSON object a line, by
the weights that come along. Softmax regression with a quadratic penalty, by gradient steps that
each leave features out. Prints how each outsider's sentences are read by weights fitted without
them, by class and by how sure the reading is: what the cohort's `SURE` is chosen by.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.pubmedrs200.scoring.statistics import wilson
from clinfo.patients.assertion import CLASSES, FILE, Weights, assertion_weights, described
from clinfo.patients.assertion_features import Line
from clinfo.patients.entities import named_in
from clinfo.patients.lexicon import standard
from clinfo.patients.mentions import Mention
from clinfo.patients.sections import sections

SENTENCES = Path(__file__).with_name("assertion_sentences.jsonl.gz")
LEAST = 2
"""Sentences that must have a word for it to be known, or a feature for it to be weighed."""
PENALTY = 1.0
ROUNDS, ROWS = 15, 512
"""Times that every mention is looked at, and mentions a step."""
LEFT_OUT = 0.3
"""Share of the features that a step does without, so that none is relied on alone."""
SURE = (0, 80, 85, 90, 95)
OUTSIDERS = {"m": "n", "o": "", "p": "", "q": "", "r": "", "s": ""}
"""The hands of writers who saw no rule and wrote each sentence freely, and those who had read them:
both are left out of the weights that read them.
"""
OTHERS = 0.7
"""The weight of a sentence of another hand."""
SMALLEST = 5
"""Features with no weight of so many hundredths are left out."""
_HAD = ("present", "history")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A text with the mentions that have a label, whose hand it is, and all that it names."""

    text: str
    mentions: tuple[Mention, ...]
    hand: str = ""
    named: tuple[Mention, ...] = ()


def main(arguments: list[str] | None = None) -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--write", action="store_true", help="write the weights")
    parser.add_argument("--measure", type=Path, help="only read this JSONL by the weights kept")
    options = parser.parse_args(arguments)
    if options.measure:
        measure(options.measure.name, written(options.measure), assertion_weights())
        return
    rows = written()
    if options.write:
        FILE.write_bytes(packed(fitted(rows)))
    tell(rows)


def written(file: Path = SENTENCES) -> list[Sentence]:
    """The sentences of a file, a line each."""
    content = file.read_bytes()
    lines = (gzip.decompress(content) if file.suffix == ".gz" else content).splitlines()
    return [read(json.loads(line)) for line in lines]


def read(row: dict[str, Any]) -> Sentence:
    """A row of the file."""
    text = row["text"]
    others = named_in(text, sections(text), standard())
    mentions = list[Mention]()
    for m in sorted(row["mentions"], key=lambda m: m["start"]):
        within = [one for one in others if one.start < m["end"] and m["start"] < one.end]
        types = within[0].types if within else ()
        mentions.append(Mention(m["start"], m["end"], "", "", types, m["assertion"]))
        others = [one for one in others if one not in within]
    named = tuple(sorted((*mentions, *others), key=lambda one: one.start))
    return Sentence(text, tuple(mentions), row.get("hand", ""), named)


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
        for each in row.named:
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
    weight = [1.0 if row.hand in OUTSIDERS else OTHERS for row in rows for _ in row.mentions]
    found = np.rint(100 * _softmax(given, right, np.array(weight), len(names))).astype(int)
    keep = np.flatnonzero(np.abs(found).max(1) >= SMALLEST)
    return Weights(words, {names[place]: tuple(map(int, found[place])) for place in keep})


def told(row: Sentence, words: frozenset[str]) -> list[Collection[str]]:
    """The features of each mention of a sentence."""
    every = described(row.text, sections(row.text), row.named, words)
    own = {each.start for each in row.mentions}
    return [found for each, found in zip(row.named, every, strict=True) if each.start in own]


def tell(rows: Sequence[Sentence]) -> None:
    """Print for each writer what weights without the writer give."""
    for hand, readers in OUTSIDERS.items():
        weights = fitted([row for row in rows if row.hand not in hand + readers])
        measure(hand, [row for row in rows if row.hand == hand], weights)


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
        gold, read_so = (sum(n for pair, n in learned.items() if pair[at] == kind) for at in (0, 1))
        right = learned[kind, kind]
        print(f"  {kind}: precision {share(right, read_so)}, recall {share(right, gold)}")
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


def _softmax(given: Sequence[Any], right: Sequence[int], weight: Any, size: int) -> Any:
    """Weights [feature, class] by gradient steps (Adam) on some rows at a time, each time without
    some of their features.
    """
    chance, wanted = np.random.default_rng(0), np.eye(len(CLASSES))[list(right)]
    found = np.zeros((size, len(CLASSES)))
    first, second = np.zeros_like(found), np.zeros_like(found)
    order = np.concatenate([chance.permutation(len(given)) for _ in range(ROUNDS)])
    batches = np.array_split(order, len(order) // ROWS)
    for step, rows in enumerate(batches, 1):
        of = np.repeat(np.arange(len(rows)), [len(given[row]) for row in rows])
        flat = np.concatenate([given[row] for row in rows])
        kept = chance.random(len(flat)) >= LEFT_OUT
        of, flat = of[kept], flat[kept]
        value = np.stack([np.bincount(of, each, len(rows)) for each in found[flat].T], 1)
        power = np.exp(value - value.max(1, keepdims=True))
        miss = power / power.sum(1, keepdims=True) - wanted[rows]
        miss *= weight[rows, None] * (len(given) / len(rows))
        slope: Any = np.stack([np.bincount(flat, each, size) for each in miss[of].T], 1)
        slope += PENALTY * found
        first, second = 0.9 * first + 0.1 * slope, 0.99 * second + 0.01 * slope**2
        rate = 0.03 * (1 - step / (len(batches) + 1)) / (1 - 0.9**step)
        found -= rate * first / (np.sqrt(second / (1 - 0.99**step)) + 1e-6)
    return (1 - LEFT_OUT) * found


if __name__ == "__main__":
    main()
