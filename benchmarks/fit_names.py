"""Fit the weights by which `clinfo.text.person_names` tells names of persons: a logistic regression, in plain Python.

    python -m benchmarks.fit_names [--data FOLDER] [--folds 5]

Learns from guard_tuning.jsonl, the tuning halves of `benchmarks.guard`, each question also with other names in the place of
its own (a part of them made up of halves of names, so that a name need not be listed), and, as texts without a patient, from even
rows of the shared real data. With ``--folds`` it prints what weights fitted without a fold's questions catch in it, and writes
nothing; without, it writes ``clinfo/text/name_weights.py``.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import math
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.guard import DATA, TUNING, by_hand, by_script, questions_of
from clinfo.terms import lexicon
from clinfo.text import name_weights, person_names

SEED, VARIANTS, EPOCHS, RATE, DECAY, LEAST_SEEN = 7, 8, 6, 0.2, 2e-6, 4
TITLES = 4_000
_SCRIPTS = (("\u0370", "\u03ff"), ("\u0400", "\u04ff"), ("\u0590", "\u05ff"), ("\u0600", "\u06ff"), ("\u0900", "\u097f"), ("\u0e00", "\u0e7f"))


@dataclass(frozen=True)
class Text:
    """A text, where names stand in it, how much it weighs, and its question's number (-1: a real text without a patient)."""

    text: str
    names: tuple[tuple[int, int], ...]
    weight: float
    question: int


class Names:
    """Draws names in the form of a given one."""

    def __init__(self, draw: random.Random) -> None:
        self.draw = draw
        every = lexicon._lexicon()
        self.given = [word for word, flag in every.items() if flag & lexicon.GIVEN and word < "\u0250" and flag < 8 and len(word) > 2]
        self.family = [word for word, flag in every.items() if flag & lexicon.SURNAME and word < "\u0250" and flag < 8 and len(word) > 2]
        self.other = [
            [word for word, flag in every.items() if flag & 3 and first <= word[0] <= last and len(word) > 2] for first, last in _SCRIPTS
        ]
        signs = [word for word, flag in every.items() if flag & lexicon.SURNAME and len(word) == 1]
        self.signs = [sign for sign in signs if "\u4e00" <= sign <= "\u9fff"], [sign for sign in signs if "\uac00" <= sign]
        self.more = [word for word, flag in every.items() if flag & lexicon.GIVEN and len(word) <= 2 and word >= "\u4e00"]

    def like(self, name: str) -> str:
        """Another name with as many words, in the same case."""
        if not name.isascii() and not any(sign < "\u0250" and sign.isalpha() for sign in name) or self.draw.random() < 0.06:
            return self._foreign(len(name.split()))
        tokens = person_names._TOKEN.finditer(name)
        pieces, end = [], 0
        for token in tokens:
            pieces += [name[end : token.start()], self._word(token.group()) if token.lastgroup == "word" else token.group()]
            end = token.end()
        return "".join([*pieces, name[end:]])

    def _word(self, word: str) -> str:
        if person_names._word(word)[1] == "" or len(word) < 3:
            return word
        flag = lexicon.flags(word)
        listed = self.given if flag & 3 == 1 or (flag & 3 != 2 and self.draw.random() < 0.6) else self.family
        new = self.draw.choice(listed)
        if self.draw.random() < 0.25:
            other = self.draw.choice(listed)
            new = new[: max(2, len(new) // 2)] + other[len(other) // 2 :]
        return new.upper() if word.isupper() else new.title() if word[0].isupper() else new

    def _foreign(self, words: int) -> str:
        if self.draw.random() < 0.35:
            signs = self.draw.choice(self.signs)
            alike = [word for word in self.more if (word >= "\uac00") == (signs is self.signs[1])] or self.more
            return self.draw.choice(signs) + self.draw.choice(alike)
        listed = self.draw.choice(self.other)
        chosen = [self.draw.choice(listed) for _ in range(words)]
        return " ".join(word.capitalize() for word in chosen)


def texts(data: Path, draw: random.Random) -> list[Text]:
    """What is learned from, in a set order."""
    rows = questions_of(TUNING)
    hand, made = by_hand()[::2], by_script()[::2]
    marked = [(row.question, [(one.start, one.end) for one in row.marked if one.kind == "name"], 1.0) for row in [*rows, *hand]]
    marked += [(row.question, [(one.start, one.end) for one in row.marked if one.kind == "name"], 0.5) for row in made]
    names, every = Names(draw), list[Text]()
    for number, (question, spans, weight) in enumerate(marked):
        every.append(Text(question, tuple(spans), 4 * weight, number))
        for _ in range(VARIANTS if spans else 0):
            every.append(_with_others(question, spans, names, weight, number))
        if not spans:
            every += [Text(question, (), 1.0, number)]
    for number, template in enumerate(_HARMLESS, len(marked)):
        for _ in range(VARIANTS):
            every.append(Text(template.replace("{}", names._word("Zzzz")), (), 0.7, number))
    return every + [Text(text, (), 1.0, -1) for text in real(data)]


_HARMLESS = (
    "{} et al. found that aspirin lowers events. Is that right?", "What did {} show about statins in 2015?", "Does {} syndrome respond to steroids?",
    "Is {}'s sign useful in appendicitis?", "Was the {} score validated?", "Is {} disease treated with rituximab?", "Did the {} trial include women?",
    "Is {} safe in pregnancy?", "Does {} cause weight gain?", "Is {} better than metformin?", "Do women in {} get fewer infections?",
    "Dr {} says I should take aspirin. Is that right?", "my doctor Dr. {} wants me on a statin, is it needed?", "{} and {} (2004) argued for early surgery.",
    "{} J[au] AND gout", "asthma AND {}[Author]", "Is the {} technique better?", "Does the {} manoeuvre work?", "Prof {} claims that mammography does harm.",
    "In {}, does screening lower mortality?", "Patients on {} who need surgery: stop or continue?", "Are {} coils as good as surgery?",
    "Is {} (apixaban) effective?", "{} versus placebo in heart failure?", "Does {}-{} syndrome need IVIG?", "Is {} fever treated with doxycycline?",
    "Should children take {} for asthma?", "My patient takes {} daily; is that safe?", "My son takes {} and is sick, is it the drug?",
    "According to {}, does surgery help?", "the {} criteria in children", "Does {}'s disease run in families?", "Was {} 2019 right about colchicine?",
    "My mother has {}'s disease, does exercise help?", "A patient with {} disease needs surgery.", "Is a {} catheter safer?", "{} hospital readmissions after TAVI",
    "Nurses at {} University found less delirium.", "What is the {} effect?", "Does {} have side effects?", "can i take {} with alcohol",
    "my wife is on {} and is breastfeeding", "pt on {} with rash", "patient started on {} yesterday; monitor what?", "my daughter has {} syndrome",
    "She was seen by Dr {} yesterday.", "Is {} effective for children aged 6?", "Is the {} vaccine effective?", "{} for depression: does it work?",
    "He lives near {} and has asthma", "My patient from {} has fever; malaria?", "my friend in {} has dengue", "Patient refuses {}; what else is there?",
)  # fmt: skip


def _with_others(question: str, spans: Sequence[tuple[int, int]], names: Names, weight: float, number: int) -> Text:
    pieces, marked, end, length = list[str](), list[tuple[int, int]](), 0, 0
    for start, stop in spans:
        new = names.like(question[start:stop])
        pieces += [question[end:start], new]
        length += start - end
        marked.append((length, length + len(new)))
        length, end = length + len(new), stop
    return Text("".join([*pieces, question[end:]]), tuple(marked), weight, number)


def real(data: Path) -> list[str]:
    """Even rows of the real questions, queries and titles."""
    from clinfo.pubmed.xml import read_file
    from clinfo.records import Article

    with (data / "pubmedrs200" / "PubMedRS-200.csv").open(newline="", encoding="utf-8") as stream:
        found = [row[column] for row in list(csv.DictReader(stream))[::2] for column in ("questions", "HumanQuestions")]
    with gzip.open(data / "pubmedqa" / "ori_pqal.first700.json.gz", "rt", encoding="utf-8") as stream:
        found += [row["QUESTION"] for pmid, row in json.load(stream).items() if int(pmid) % 2 == 0]
    for name in ("llm_pubmed_queries.jsonl.gz", "queries/human_pubmed_queries.jsonl.gz"):
        with gzip.open(data / name, "rt", encoding="utf-8") as stream:
            found += [json.loads(line)["query"] for line in list(stream)[::2]]
    titles = [
        one.title
        for path in sorted((data / "citations").glob("*.xml.gz"))
        for one in read_file(path)
        if isinstance(one, Article) and int(one.pmid) % 2 == 0
    ]
    return [*found, *random.Random(SEED).sample(titles, min(TITLES, len(titles)))]


Sample = tuple[list[str], int, float, int]


def samples(every: Sequence[Text]) -> list[Sample]:
    """(features, 1 for a name or 0, weight, question) of each word that may be a name."""
    found: list[Sample] = []
    for text in every:
        tokens = person_names.tokens_of(text.text)
        for place, features in person_names.candidates(tokens):
            inside = any(tokens[place].start < end and start < tokens[place].end for start, end in text.names)
            found.append((features, int(inside), text.weight, text.question))
    return found


def fit(rows: Sequence[Sample], draw: random.Random) -> dict[str, float]:
    """The weights, by AdaGrad over the rows in a drawn order; features seen seldom have none."""
    seen = Counter(feature for features, *_ in rows for feature in features)
    index = {feature: place for place, feature in enumerate(sorted(one for one, count in seen.items() if count >= LEAST_SEEN))}
    held = [([index[one] for one in features if one in index], label, weight) for features, label, weight, _ in rows]
    weights, squares = [0.0] * len(index), [1e-2] * len(index)
    total = [0.0] * len(index)
    for epoch in range(EPOCHS):
        draw.shuffle(held)
        for places, label, weight in held:
            score = sum(map(weights.__getitem__, places))
            slope = weight * (1 / (1 + math.exp(-max(-30.0, min(30.0, score)))) - label)
            if abs(slope) < 1e-3:
                continue
            for place in places:
                step = slope + 0.003 * weights[place]
                squares[place] += step * step
                weights[place] -= RATE * step / math.sqrt(squares[place])
    return {feature: round(weights[place], 2) for feature, place in index.items() if abs(weights[place]) >= 0.05}


def caught(weights: dict[str, float], text: str) -> bool:
    name_weights.WEIGHTS.clear()
    name_weights.WEIGHTS.update(weights)
    return any(True for _ in person_names.person_names(text))


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fit_names", description="Fit the weights of names of persons.")
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--folds", type=int, default=0)
    parser.add_argument("--only", type=int, help="this many folds only")
    options = parser.parse_args(arguments)
    draw = random.Random(SEED)
    every = texts(options.data, draw)
    rows = samples(every)
    print(len(every), "texts,", len(rows), "words")
    if not options.folds:
        weights = fit(rows, draw)
        lines = "".join(f"    {json.dumps(feature, ensure_ascii=False)}: {weight},\n" for feature, weight in weights.items())
        Path(name_weights.__file__).write_text(
            '"""Weights of what tells a name of a person, written by `benchmarks.fit_names`: log odds, by feature."""\n\n'
            "# fmt: off\nWEIGHTS: dict[str, float] = {\n" + lines + "}\n", encoding="utf-8"
        )  # fmt: skip
        print(len(weights), "weights")
        return
    first = {}
    for text in every:
        if text.question >= 0:
            first.setdefault(text.question, text)
    right, wrong, of, free = 0, 0, 0, 0
    for fold in list(range(options.folds))[: options.only]:
        weights = fit([row for row in rows if row[3] < 0 or row[3] % options.folds != fold], draw)
        for number, text in first.items():
            if number % options.folds == fold:
                hit = caught(weights, text.text)
                of, free = of + bool(text.names), free + (not text.names)
                right, wrong = right + (hit and bool(text.names)), wrong + (hit and not text.names)
                if hit != bool(text.names):
                    print("MISSED" if text.names else "ALARM", text.text)
    print(f"caught {right} of {of}, false alarms {wrong} of {free}")


if __name__ == "__main__":
    main()
