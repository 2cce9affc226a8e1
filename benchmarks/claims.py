"""How well the deterministic judge of claims tells honest sentences from false ones: 2,000 made pairs and 517 paraphrases.

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
the finding, and a few rewordings are clumsy English. 30 to 60 pairs of each kind of even PMIDs were read by eye without asking any
judge and the generator mended; of those read last about 97 of 100 were what they are called, of swapped populations about 90 (a
sign of the disease put for the disease). Where a kind of swap is scarce the others of its class make up for it. Rules are tuned on
even PMIDs; the figures of odd ones count, and single odd cases are not looked at.

The paraphrases (`paraphrases.jsonl`; 150 of odd PMIDs for the report, 367 of even ones to tune) were written by hand from the
abstracts by someone who had seen neither the judge nor what it says of them. A sentence that the judge splits gets its worst
verdict. Found is unsupported or contradicted. Intervals are Wilson's (1927), 95 %.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.claim_edits import KINDS
from benchmarks.claim_pairs import CLASSES, UNEDITED, Pair, build
from benchmarks.claim_sources import DATA, HALVES, read_articles
from clinfo.records import Study

PARAPHRASES = Path(__file__).with_name("paraphrases.jsonl")
VERDICTS = ("supported", "partial", "unsupported", "contradicted", "uncited")
FOUND = ("unsupported", "contradicted")
BARS = {"figure": 0.95, "direction and negation": 0.80, "swapped terms": 0.60, "moved citations": 0.90}
KEPT_BAR, PARAPHRASE_SUPPORTED, PARAPHRASE_FALSE = 0.95, 0.75, 0.10
_BADNESS = ("contradicted", "unsupported", "partial", "supported", "uncited")


def read_paraphrases(half: str | None = None, data: Path = DATA, path: Path = PARAPHRASES) -> list[Pair]:
    """The paraphrases written by hand of PMIDs of one parity, or all, with their articles. KeyError where an article is missing."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
    rows = [row for row in rows if half is None or int(row["pmid"]) % 2 == HALVES[half]]
    articles = {article.pmid: article for article, _ in read_articles(half, data)}
    return [
        Pair(row["id"], "paraphrase", row["sentence"].removesuffix(" [1]."), articles[row["pmid"]], row["pmid"]) for row in rows
    ]


def as_row(pair: Pair) -> dict[str, object]:
    """The pair in the form that ``clinfo verify`` reads, and the truth about it."""
    article = {"n": 1, "pmid": pair.article.pmid, "title": pair.article.title, "abstract": pair.article.abstract}
    truth = {
        "edited": pair.kind in KINDS,
        "class": pair.group,
        "kind": pair.kind,
        "from": pair.pmid,
        "old": pair.old,
        "new": pair.new,
    }
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
                lines.append(
                    f"  supported                             {_against(counts['supported'], total, PARAPHRASE_SUPPORTED)}"
                )
                verdict = "reached" if false <= PARAPHRASE_FALSE * total else "MISSED"
                lines.append(
                    f"  unsupported or contradicted          {rate(false, total)}  bar <= {100 * PARAPHRASE_FALSE:.0f} % {verdict}"
                )
    return "\n".join(lines)


def _against(hits: int, count: int, bar: float) -> str:
    return f"bar >= {100 * bar:.0f} % {'reached' if hits >= bar * count else 'MISSED'}"


def missed(results: Sequence[tuple[Pair, str, str]], name: str) -> Iterator[str]:
    """The items of a class, a kind, the unedited or the paraphrases that the judge gets wrong, with what they were made from."""
    for pair, verdict, why in results:
        edited = pair.kind in KINDS
        right = FOUND if edited else ("supported",) if pair.kind == "paraphrase" else ("supported", "partial")
        if name in (pair.kind, pair.group) and verdict not in right:
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
    parser.add_argument(
        "--really", action="store_true", help="show single odd cases all the same (nothing may then be tuned on them)"
    )
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
