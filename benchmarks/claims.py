"""How well the deterministic judge of claims tells honest sentences from false ones: 2,000 made pairs and 210 paraphrases.

    python -m benchmarks claims [--half even|odd] [--count 2000] [--seed 0] [--only pairs|paraphrases] [--show CLASS]
                                [--write FILE] [--data FOLDER]

A pair is a sentence and an article. Sentences are claims of real abstracts (results and conclusions; the later half of an
abstract without labels), at most one of an article. Each is first reworded by script in ways that keep what it says
(`benchmarks.claim_rewording`): a clause dropped (brackets, a lead such as "However,", a closing clause that stands by
itself), a section joined (the next sentence, or a title that is a plain noun phrase), another opening, numbers written
otherwise. Half of the pairs are left so. The others get one edit (`benchmarks.claim_edits`), after clauses and openings and
before numbers are written anew, which gives what editing last would give: a figure changed to one made up or to another
of its kind in the same abstract; a direction turned; a finding denied or a denied one affirmed; a drug, outcome or population
exchanged for one of the same abstract; or the sentence is left alone and its citation moved to the article that BM25 ranks
nearest to it among all others of the half (only where a figure or a term of the sentence is not in that article).

What scripts cannot promise: a few edits leave a sentence that is true all the same, or turn a word that was no part of
the finding, and a few rewordings are clumsy English. Some 40 of each class of even PMIDs were read by eye and the generator
mended. Rules are tuned on even PMIDs; the figures of odd ones count, and single odd cases are not looked at.

The paraphrases (`paraphrases.jsonl`) were written by hand from the abstracts before the judge existed, by someone who had
not seen it. A sentence that the judge splits gets its worst verdict. Found is unsupported or contradicted. Intervals are
Wilson's (1927), 95 %.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.claim_edits import (
    KINDS,
    Edited,
    direction_flipped,
    figure_made_up,
    figure_of_abstract,
    figures,
    negated,
    term_swapped,
)
from benchmarks.claim_rewording import reformatted, restructured
from benchmarks.claim_sources import DATA, HALVES, Candidate, candidates, read_articles, shuffled
from benchmarks.claim_terms import Vocabulary, read_vocabulary, stands_in
from clinfo.records import Article, Study
from clinfo.text.sentences import sentences

PARAPHRASES = Path(__file__).with_name("paraphrases.jsonl")
UNEDITED, MOVED = "unedited", "citation moved"
CLASSES = ("figure", "direction and negation", "swapped terms", "moved citations")
VERDICTS = ("supported", "partial", "unsupported", "contradicted", "uncited")
FOUND = ("unsupported", "contradicted")
BARS = {"figure": 0.95, "direction and negation": 0.80, "swapped terms": 0.60, "moved citations": 0.90}
KEPT_BAR, PARAPHRASE_SUPPORTED, PARAPHRASE_FALSE = 0.95, 0.75, 0.10
_BADNESS = ("contradicted", "unsupported", "partial", "supported", "uncited")
_SCARCE_FIRST = (
    "population swapped",
    "outcome swapped",
    "drug swapped",
    "figure of the same abstract",
    "negated",
    "direction flipped",
    "made-up figure",
)


@dataclass(frozen=True)
class Pair:
    """A sentence, without its citation mark and last full stop, and the article it is held against.

    ``kind`` is `UNEDITED`, a key of `KINDS` or "paraphrase"; ``source`` the sentence of the abstract it was made from (""
    for a paraphrase), ``plain`` that sentence reworded and not edited; ``old`` and ``new`` what was put for what.
    """

    id: str
    kind: str
    sentence: str
    article: Article
    pmid: str
    """Of the abstract the sentence was made from."""
    source: str = ""
    plain: str = ""
    old: str = ""
    new: str = ""

    @property
    def group(self) -> str:
        """The class it is counted in."""
        return KINDS.get(self.kind, self.kind)

    @property
    def text(self) -> str:
        """The sentence as a synthesis has it, with its citation."""
        return f"{self.sentence} [1]."


def shares(count: int) -> dict[str, int]:
    """How many pairs of each kind: half unedited, a quarter of the rest for each class, shared out among its kinds."""
    edited = count - count // 2
    wanted = {UNEDITED: count // 2}
    for place, name in enumerate(CLASSES):
        kinds = [kind for kind, group in KINDS.items() if group == name]
        of_class = edited // len(CLASSES) + (place < edited % len(CLASSES))
        for number, kind in enumerate(kinds):
            wanted[kind] = of_class // len(kinds) + (number < of_class % len(kinds))
    return wanted


def build(count: int = 2000, seed: int = 0, half: str | None = None, data: Path = DATA) -> list[Pair]:
    """The pairs, the same for the same arguments; fewer of a kind only where the articles do not give enough."""
    articles = read_articles(half, data)
    order = shuffled(articles, seed)
    vocabulary = read_vocabulary(data)
    wanted = Counter(shares(count))
    pairs: list[Pair] = []
    waiting: list[tuple[Article, Candidate]] = []
    for article in order:
        draw = random.Random(f"{seed}:{article.pmid}:sentence")
        found = candidates(article)
        if not found:
            continue
        candidate = draw.choice(found)
        if wanted[UNEDITED] and draw.random() < 0.5:
            wanted[UNEDITED] -= 1
            pairs.append(_unedited(candidate, draw))
        else:
            waiting.append((article, candidate))
    left, used = _edit_all([article for article, _ in waiting], wanted, vocabulary, seed)
    pairs.extend(left)
    for name in CLASSES:  # what the articles do not give of one kind is taken of the others of its class
        short = {kind: wanted[kind] for kind, group in KINDS.items() if group == name and wanted[kind] and kind != MOVED}
        others = [kind for kind, group in KINDS.items() if group == name and kind not in short and kind != MOVED]
        for place in range(sum(short.values()) if others else 0):
            wanted[others[place % len(others)]] += 1
        wanted.subtract(short)
    left, more = _edit_all([article for article, _ in waiting if article.pmid not in used], wanted, vocabulary, seed)
    pairs.extend(left)
    movable = [candidate for article, candidate in waiting if article.pmid not in used | more]
    random.Random(f"{seed}:moved").shuffle(movable)
    pairs.extend(_moved(movable, [article for article, _ in articles], vocabulary, wanted[MOVED], seed))
    return sorted(pairs, key=lambda pair: pair.id)


def _edit_all(
    articles: Sequence[Article], wanted: Counter[str], vocabulary: Vocabulary, seed: int
) -> tuple[list[Pair], set[str | None]]:
    """An edited pair of each article in turn, of the scarcest kind still wanted that fits it; ``wanted`` is counted down."""
    pairs: list[Pair] = []
    for article in articles:
        for kind in _SCARCE_FIRST:
            if wanted[kind] <= 0:
                continue
            pair = _edited(kind, article, vocabulary, random.Random(f"{seed}:{article.pmid}:{kind}"))
            if pair is not None:
                pairs.append(pair)
                wanted[kind] -= 1
                break
        if not any(wanted[kind] > 0 for kind in _SCARCE_FIRST):
            break
    return pairs, {pair.pmid for pair in pairs}


def _unedited(candidate: Candidate, draw: random.Random) -> Pair:
    pmid = candidate.article.pmid or ""
    text = reformatted(restructured(candidate, draw).text, draw)
    return Pair(f"{pmid}-unedited", UNEDITED, text, candidate.article, pmid, candidate.text, text)


def _edited(kind: str, article: Article, vocabulary: Vocabulary, draw: random.Random) -> Pair | None:
    """The first sentence of the article, in an order drawn, that the edit fits."""
    found = candidates(article)
    draw.shuffle(found)
    pmid = article.pmid or ""
    for candidate in found:
        text = restructured(candidate, draw).text
        edit = _edit(kind, text, article, vocabulary, draw)
        if edit is None or edit.text == text:
            continue
        style = draw.random()
        written = reformatted(edit.text, random.Random(style))
        plain = reformatted(text, random.Random(style))
        return Pair(f"{pmid}-{kind.replace(' ', '-')}", kind, written, article, pmid, candidate.text, plain, edit.old, edit.new)
    return None


def _edit(kind: str, text: str, article: Article, vocabulary: Vocabulary, draw: random.Random) -> Edited | None:
    if kind == "made-up figure":
        return figure_made_up(text, article, draw)
    if kind == "figure of the same abstract":
        return figure_of_abstract(text, article, draw)
    if kind == "direction flipped":
        return direction_flipped(text, draw)
    if kind == "negated":
        return negated(text, draw)
    return term_swapped(kind.split()[0], text, article, vocabulary, draw)


def _moved(movable: Iterable[Candidate], pool: Sequence[Article], vocabulary: Vocabulary, count: int, seed: int) -> Iterator[Pair]:
    """The first ``count`` sentences that can be cited to the nearest other article by BM25, so cited."""
    from rank_bm25 import BM25Okapi

    if count <= 0:
        return
    ranker = BM25Okapi([_words(f"{article.title} {article.abstract}") for article in pool])
    for candidate in movable:
        pmid = candidate.article.pmid or ""
        draw = random.Random(f"{seed}:{pmid}:{MOVED}")
        text = restructured(candidate, draw).text
        scores = ranker.get_scores(_words(text))
        nearest = next(pool[place] for place in scores.argsort()[::-1] if pool[place].pmid != pmid)
        if not _foreign(text, nearest, vocabulary):
            continue
        written = reformatted(text, draw)
        yield Pair(f"{pmid}-citation-moved", MOVED, written, nearest, pmid, candidate.text, written, pmid, nearest.pmid or "")
        count -= 1
        if not count:
            return


def _foreign(text: str, other: Article, vocabulary: Vocabulary) -> bool:
    """Whether a figure or a term of the sentence is not in the other article, and no sentence there has most of its words."""
    whole = f"{other.title}. {other.abstract}"
    numbers = {raw.replace(",", "") for raw in re.findall(r"\d[\d,]*(?:\.\d+)?", whole)}
    new_figure = any(figure.text.replace(",", "") not in numbers for figure in figures(text) if not figure.kind.startswith("p "))
    new_term = any(not stands_in(term.text, whole) for kind in ("drug", "outcome") for term in vocabulary.terms(text, kind))
    if not new_figure and not new_term:
        return False
    words = {word[:6] for word in _words(text) if len(word) > 3}
    return all(len(words & {word[:6] for word in _words(sentence)}) < 0.6 * len(words) for sentence in [other.title, *sentences(other.abstract)])


_STOP = frozenset(
    ["a", "an", "the", "of", "in", "and", "or", "to", "with", "for", "was", "were", "is", "are", "be", "by", "on", "at", "from", "that", "this", "these", "those", "it", "as", "not", "no", "than", "had", "has", "have", "been", "their", "there", "which", "who", "between", "after", "during", "both", "also", "did", "but", "we", "our", "its", "all", "any", "authors", "found", "study"]
)


def _words(text: str) -> list[str]:
    return [word for word in re.findall(r"[a-z0-9]+", text.lower()) if word not in _STOP]


def read_paraphrases(half: str | None = None, data: Path = DATA, path: Path = PARAPHRASES) -> list[Pair]:
    """The paraphrases written by hand of PMIDs of one parity, or all, with their articles. KeyError where an article is missing."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
    rows = [row for row in rows if half is None or int(row["pmid"]) % 2 == HALVES[half]]
    articles = {article.pmid: article for article, _ in read_articles(half, data)}
    return [Pair(row["id"], "paraphrase", row["sentence"].removesuffix(" [1]."), articles[row["pmid"]], row["pmid"]) for row in rows]


def as_row(pair: Pair) -> dict[str, object]:
    """The pair in the form that ``clinfo verify`` reads, and the truth about it."""
    article = {"n": 1, "pmid": pair.article.pmid, "title": pair.article.title, "abstract": pair.article.abstract}
    truth = {"edited": pair.kind in KINDS, "class": pair.group, "kind": pair.kind, "from": pair.pmid, "old": pair.old, "new": pair.new}
    return {"id": pair.id, "sentence": pair.text, "cites": [1], "articles": [article], "truth": truth}


def judged(pairs: Iterable[Pair]) -> tuple[list[tuple[Pair, str, str]], float]:
    """Each pair with the judge's verdict on it and why, and the mean seconds a sentence."""
    from clinfo.verify import check

    found, began = [], time.perf_counter()
    for pair in pairs:
        checked = check(pair.text, "synthesis", [Study(1, pair.article, None)])
        worst = min(checked.sentences, key=lambda sentence: _BADNESS.index(sentence.verdict), default=None)
        found.append((pair, worst.verdict if worst else "uncited", worst.why if worst else "no sentence"))
    return found, (time.perf_counter() - began) / max(1, len(found))


def wilson(hits: int, count: int, z: float = 1.959964) -> tuple[float, float]:
    """The 95 % score interval of a share (Wilson 1927, J Am Stat Assoc 22:209); (0, 1) for nothing."""
    if not count:
        return 0.0, 1.0
    share, spread = hits / count, z * z / count
    middle = share + spread / 2
    half = z * math.sqrt(share * (1 - share) / count + spread / (4 * count))
    return (middle - half) / (1 + spread), (middle + half) / (1 + spread)


def rate(hits: int, count: int) -> str:
    low, high = wilson(hits, count)
    return f"{100 * hits / count if count else 0:5.1f} %  ({hits}/{count}, 95 % CI {100 * low:.1f} to {100 * high:.1f})"


def report(results: Sequence[tuple[Pair, str, str]]) -> str:
    """Per class and kind the share found, for the unedited and the paraphrases the share of each verdict, and the bars."""
    lines = []
    for name in CLASSES:
        verdicts = [verdict for pair, verdict, _ in results if pair.group == name]
        if verdicts:
            hits = sum(verdict in FOUND for verdict in verdicts)
            lines.append(f"{name:32} found {rate(hits, len(verdicts))}  {_against(hits, len(verdicts), BARS[name])}")
        kinds = [kind for kind, group in KINDS.items() if group == name]
        for kind in kinds if len(kinds) > 1 else ():
            verdicts = [verdict for pair, verdict, _ in results if pair.kind == kind]
            if verdicts:
                lines.append(f"  {kind:30} found {rate(sum(verdict in FOUND for verdict in verdicts), len(verdicts))}")
    for name in (UNEDITED, "paraphrase"):
        counts = Counter(verdict for pair, verdict, _ in results if pair.kind == name)
        if total := counts.total():
            lines.append(f"{name}, n = {total}")
            lines.extend(f"  {verdict:30}       {rate(counts[verdict], total)}" for verdict in VERDICTS if counts[verdict])
            kept, false = counts["supported"] + counts["partial"], sum(counts[verdict] for verdict in FOUND)
            if name == UNEDITED:
                lines.append(f"  supported or partial                 {rate(kept, total)}  {_against(kept, total, KEPT_BAR)}")
            else:
                lines.append(f"  supported: {_against(counts['supported'], total, PARAPHRASE_SUPPORTED)}; unsupported or contradicted: "
                             f"bar <= {100 * PARAPHRASE_FALSE:.0f} % {'reached' if false <= PARAPHRASE_FALSE * total else 'MISSED'}")  # fmt: skip
    return "\n".join(lines)


def _against(hits: int, count: int, bar: float) -> str:
    return f"bar >= {100 * bar:.0f} % {'reached' if hits >= bar * count else 'MISSED'}"


def missed(results: Sequence[tuple[Pair, str, str]], name: str) -> Iterator[str]:
    """The items of a class, a kind, the unedited or the paraphrases that the judge gets wrong, with what they were made from."""
    for pair, verdict, why in results:
        edited = pair.kind in KINDS
        wrong = verdict not in FOUND if edited else verdict not in ("supported", "partial") or (pair.kind == "paraphrase" and verdict != "supported")
        if name in (pair.kind, pair.group) and wrong:
            change = f" [{pair.old} -> {pair.new}]" if edited else ""
            yield f"{pair.id}: {verdict} ({why})\n  sentence: {pair.sentence}{change}\n  source:   {pair.source}"


def counts_line(pairs: Sequence[Pair]) -> str:
    counts: Mapping[str, int] = Counter(pair.kind for pair in pairs)
    return ", ".join(f"{kind} {counts[kind]}" for kind in (UNEDITED, *KINDS) if counts.get(kind))


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks claims", description="The deterministic judge of claims, measured.")
    parser.add_argument("--half", choices=tuple(HALVES), help="PMIDs of one parity only; even to tune, odd to report")
    parser.add_argument("--count", type=int, default=2000, help="made pairs, half of them without edit")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=("pairs", "paraphrases"))
    parser.add_argument("--show", metavar="CLASS", help=f"print what was missed of a class or kind: {UNEDITED}, paraphrase, "
                                                        f"{', '.join((*CLASSES, *KINDS))}")  # fmt: skip
    parser.add_argument("--really", action="store_true", help="show single odd cases all the same (nothing may then be tuned on them)")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write rows for `clinfo verify` with the truth, judge nothing")
    parser.add_argument("--data", type=Path, default=DATA)
    options = parser.parse_args(arguments)
    if options.show and options.half != "even" and not options.really:
        parser.error("--show is for --half even: odd PMIDs are for the report (--really shows them all the same)")
    if options.show and options.show not in (UNEDITED, "paraphrase", *CLASSES, *KINDS):
        parser.error(f"no class or kind of that name: {options.show}")
    pairs = [] if options.only == "paraphrases" else build(options.count, options.seed, options.half, options.data)
    if options.only != "pairs" and PARAPHRASES.is_file():
        pairs += read_paraphrases(options.half, options.data)
    if options.write is not None:
        options.write.write_text("".join(json.dumps(as_row(pair), ensure_ascii=False) + "\n" for pair in pairs), encoding="utf-8")
        print(f"{len(pairs)} rows written: {counts_line(pairs)}", file=sys.stderr)
        return
    results, seconds = judged(pairs)
    print(f"claims of {options.half or 'all'} PMIDs, seed {options.seed}: {counts_line(pairs)}")
    print(report(results))
    print(f"{1000 * seconds:.1f} ms a sentence")
    if options.show:
        print("\n".join(missed(results, options.show)))


if __name__ == "__main__":
    main()
