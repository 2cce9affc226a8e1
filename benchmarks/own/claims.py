"""Accuracy of the claim judge on true and false sentences: made pairs and 517 paraphrases.

    python -m benchmarks claims [--half even|odd] [--count 2000] [--each 100] [--seed 0] [--only pairs|plain|paraphrases]
                                [--show CLASS] [--write FILE] [--data FOLDER] [--json]

A pair is a sentence and an article. Sentences are claims of real abstracts (results and
conclusions; the later half of an abstract without labels).

*Pairs*: each sentence is first reworded by script in ways that keep what it says
(`benchmarks.own.claim_rewording`): a clause dropped
(brackets, a lead such as "However,", a closing clause that stands by itself), a section joined (the
next sentence, or a title that is a plain noun phrase), another opening, numbers written otherwise.
Half of the pairs are left so. The others get one edit (`benchmarks.own.claim_edits`), after clauses
and openings and before numbers are written anew, which gives what editing last would give: a figure
changed to one made up or to another of its kind in the same abstract; a direction turned; a finding
denied or a denied one affirmed; a drug, outcome or population exchanged for one of the same
abstract; or the sentence is left alone and its citation moved to the article that BM25 ranks
nearest to it among all others of the half (only where a figure or a term of the sentence is not in
that article). At most one of an article.

*Plain errors* (`benchmarks.own.claim_plain`): the sentence is copied but for a harmless opening,
and left so ("unedited near-verbatim"), put after "A <design> of N participants concluded that"
where both are true, or given one edit that any reader would call an error, each kind with its own
row. Again at most one of an article, which may be one of the pairs too. Asked of each kind: at most
10 % marked supported, at least 60 % condemned; of the copies at least 90 % supported, at most 1 %
condemned. "Hedge dropped" is told and held to no bar.

What scripts cannot promise: a few edits leave a sentence that is true all the same, or turn a word
that was no part of the finding, and a few rewordings are clumsy English. 30 to 60 pairs of each
kind of even PMIDs were read by eye without asking any judge and the generator mended; of those read
last about 97 of 100 were what they are called, of swapped populations about 90 (a sign of the
disease put for the disease), of causes put for associations and swapped arms about 95, of subgroups
about 90. Where a kind of swap is scarce the others of its class make up for it. Rules are tuned on
even PMIDs; the figures of odd ones count, and single odd cases are not looked at.

The paraphrases (`paraphrases.jsonl`; 150 of odd PMIDs for the report, 367 of even ones to tune)
were written by hand from the abstracts by someone who had seen neither the judge nor what it says
of them. They are free wording, of which the rules say "not verified" unless something in it cannot
be: asked is only that at most 5 % of these true sentences are condemned; how many are supported is
told. A sentence that the judge splits gets its worst
verdict. Found, or condemned, is unsupported or contradicted. Intervals are Wilson's (1927), 95 %.
"""  # noqa: E501

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.own.claim_edits import KINDS
from benchmarks.own.claim_pairs import CLASSES, UNEDITED, Pair, build
from benchmarks.own.claim_plain import PLAIN_KINDS, TRUE_COPIES, UNBARRED, build_plain
from benchmarks.own.claim_sources import DATA, HALVES, read_articles
from benchmarks.own.verdict_rates import (
    CONDEMNED,
    Bars,
    at_least,
    condemned,
    lines_of,
    measures,
    rate,
    worst,
)
from clinfo.records.articles import Study

PARAPHRASES = Path(__file__).with_name("paraphrases.jsonl")
BARS = {
    "figure": 0.95,
    "direction and negation": 0.80,
    "swapped terms": 0.60,
    "moved citations": 0.90,
}
KEPT_BAR, PARAPHRASE_CONDEMNED = 0.95, 0.05
PLAIN_BARS = Bars(most_supported=0.10, least_condemned=0.60)
COPY_BARS = Bars(least_supported=0.90, most_condemned=0.01)
EDITED = KINDS | PLAIN_KINDS
"""Everything that is done to a sentence to make it false, with its class or heading."""


def read_paraphrases(
    half: str | None = None, data: Path = DATA, path: Path = PARAPHRASES
) -> list[Pair]:
    """The paraphrases written by hand of PMIDs of one parity, or all, with their articles. KeyError
    where an article is missing.
    """
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
    rows = [row for row in rows if half is None or int(row["pmid"]) % 2 == HALVES[half]]
    articles = {article.pmid: article for article, _ in read_articles(half, data)}
    return [
        Pair(
            row["id"],
            "paraphrase",
            row["sentence"].removesuffix(" [1]."),
            articles[row["pmid"]],
            row["pmid"],
        )
        for row in rows
    ]


def as_row(pair: Pair) -> dict[str, object]:
    """The pair in the form that ``clinfo verify`` reads, and the truth about it."""
    article = {
        "n": 1,
        "pmid": pair.article.pmid,
        "title": pair.article.title,
        "abstract": pair.article.abstract,
    }
    truth = {
        "edited": pair.kind in EDITED,
        "class": EDITED.get(pair.kind, pair.kind),
        "kind": pair.kind,
        "from": pair.pmid,
        "old": pair.old,
        "new": pair.new,
    }
    return {
        "id": pair.id,
        "sentence": pair.text,
        "cites": [1],
        "articles": [article],
        "truth": truth,
    }


def judged(pairs: Iterable[Pair]) -> tuple[list[tuple[Pair, str, str]], float]:
    """Each pair with the judge's verdict on it and why, and the mean seconds a sentence."""
    from clinfo.claims.verify import check

    found, began = [], time.perf_counter()
    for pair in pairs:
        parts = check(pair.text, "synthesis", [Study(1, pair.article, None)]).sentences
        verdict = worst(part.verdict for part in parts)
        found.append(
            (
                pair,
                verdict,
                next((part.reason for part in parts if part.verdict == verdict), "no sentence"),
            )
        )
    return found, (time.perf_counter() - began) / max(1, len(found))


def counted(results: Iterable[tuple[Pair, str, str]]) -> dict[str, Counter[str]]:
    """Return how often each verdict was said, by kind and by class."""
    counts: dict[str, Counter[str]] = {}
    for pair, verdict, _ in results:
        for name in {pair.kind, EDITED.get(pair.kind, pair.kind)}:
            counts.setdefault(name, Counter())[verdict] += 1
    return counts


def report(results: Sequence[tuple[Pair, str, str]]) -> str:
    """Per class and kind the share found, for copies, the unedited and the paraphrases the share of
    each verdict, and the bars.
    """
    counts, lines = counted(results), []
    for name in CLASSES:
        if (verdicts := counts.get(name)) is not None:
            lines.append(
                f"{name:32} found {_found(verdicts)}  "
                f"{at_least(condemned(verdicts), verdicts.total(), BARS[name])}"
            )
            kinds = [kind for kind, group in KINDS.items() if group == name and kind in counts]
            lines.extend(
                f"  {kind:30} found {_found(counts[kind])}" for kind in kinds if len(kinds) > 1
            )
    for kind in PLAIN_KINDS:
        lines += lines_of(
            kind, counts.get(kind, Counter()), Bars() if kind in UNBARRED else PLAIN_BARS
        )
    for kind in TRUE_COPIES:
        lines += lines_of(kind, counts.get(kind, Counter()), COPY_BARS)
    if (verdicts := counts.get(UNEDITED)) is not None:
        lines += lines_of(UNEDITED, verdicts, Bars())
        kept = verdicts["supported"] + verdicts["partial"]
        lines.append(
            f"  supported or partial {rate(kept, verdicts.total())}  "
            f"{at_least(kept, verdicts.total(), KEPT_BAR)}"
        )
    lines += lines_of(
        "paraphrase", counts.get("paraphrase", Counter()), Bars(most_condemned=PARAPHRASE_CONDEMNED)
    )
    return "\n".join(lines)


def _found(verdicts: Counter[str]) -> str:
    return rate(condemned(verdicts), verdicts.total())


def missed(results: Sequence[tuple[Pair, str, str]], name: str) -> Iterator[str]:
    """The items of a class or kind that the judge gets wrong, with what they were made from."""
    for pair, verdict, why in results:
        edited = pair.kind in EDITED
        right = (
            CONDEMNED
            if edited
            else ("supported", "partial")
            if pair.kind == UNEDITED
            else ("supported",)
        )
        if name in (pair.kind, EDITED.get(pair.kind)) and verdict not in right:
            change = f" [{pair.old} -> {pair.new}]" if edited else ""
            yield (
                f"{pair.id}: {verdict} ({why})\n  sentence: {pair.sentence}{change}\n"
                f"  source:   {pair.source}"
            )


def counts_line(pairs: Sequence[Pair]) -> str:
    counts: Mapping[str, int] = Counter(pair.kind for pair in pairs)
    return ", ".join(
        f"{kind} {counts[kind]}" for kind in (UNEDITED, *TRUE_COPIES, *EDITED) if counts.get(kind)
    )


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks claims", description="The judge of claims, measured."
    )
    parser.add_argument(
        "--half",
        choices=tuple(HALVES),
        help="PMIDs of one parity only; even to tune, odd to report",
    )
    parser.add_argument(
        "--count", type=int, default=2000, help="made pairs, half of them without edit"
    )
    parser.add_argument(
        "--each",
        type=int,
        default=100,
        help="plain errors of each kind; four times as many copies are left so",
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=("pairs", "plain", "paraphrases"))
    kinds = (UNEDITED, "paraphrase", *CLASSES, *TRUE_COPIES, *EDITED)
    parser.add_argument(
        "--show",
        metavar="CLASS",
        help=f"print what was missed of a class or kind: {', '.join(kinds)}",
    )
    parser.add_argument(
        "--really",
        action="store_true",
        help="show single odd cases all the same (nothing may then be tuned on them)",
    )
    parser.add_argument(
        "--write",
        type=Path,
        metavar="FILE",
        help="write rows for `clinfo verify` with the truth, judge nothing",
    )
    parser.add_argument(
        "--data",
        type=Path,
        default=Path(os.environ.get("CLINFO_BENCH_DATA") or DATA),
        help="[$CLINFO_BENCH_DATA]",
    )
    parser.add_argument(
        "--json", action="store_true", help="one JSON object of measures, shares from 0 to 1"
    )
    options = parser.parse_args(arguments)
    if options.show and options.half != "even" and not options.really:
        parser.error(
            "--show is for --half even: odd PMIDs are for the report (--really shows them all the "
            "same)"
        )
    if options.show and options.show not in kinds:
        parser.error(f"no class or kind of that name: {options.show}")
    if not (options.data / "citations").is_dir():
        parser.error(
            f"no real data in {options.data}: give --data or CLINFO_BENCH_DATA a folder shaped "
            "like shared/data"
        )
    wanted = (options.only,) if options.only else ("pairs", "plain", "paraphrases")
    pairs = (
        build(options.count, options.seed, options.half, options.data) if "pairs" in wanted else []
    )
    pairs += (
        build_plain(options.each, options.seed, options.half, options.data)
        if "plain" in wanted
        else []
    )
    if "paraphrases" in wanted and PARAPHRASES.is_file():
        pairs += read_paraphrases(options.half, options.data)
    if options.write is not None:
        options.write.write_text(
            "".join(json.dumps(as_row(pair), ensure_ascii=False) + "\n" for pair in pairs),
            encoding="utf-8",
        )
        print(f"{len(pairs)} rows written: {counts_line(pairs)}", file=sys.stderr)
        return
    results, seconds = judged(pairs)
    if options.json:
        named = [measures(name, verdicts) for name, verdicts in counted(results).items()]
        print(
            json.dumps(
                {"n": len(results)}
                | {key: value for one in named for key, value in one.items()}
                | {"ms_a_sentence": round(1000 * seconds, 2)}
            )
        )
        return
    print(f"claims of {options.half or 'all'} PMIDs, seed {options.seed}: {counts_line(pairs)}")
    print(report(results))
    print(f"{1000 * seconds:.1f} ms a sentence")
    if options.show:
        print("\n".join(missed(results, options.show)))


if __name__ == "__main__":
    main()
