"""Effects that the evidence table shows of real trials: how many, and how many of those read by
hand are right.

    python -m benchmarks effects [--half even|odd] [--show] [--dump FILE] [--data FOLDER]

Each labelled prompt of a trial is put as a question ("Does INTERVENTION affect OUTCOME compared
with COMPARATOR?"), and of trials without a prompt the question that their own title and aim ask,
until there are `TRIALS`, in the order of a hash of their PMIDs. Counted are trials of which any
effect is shown. Rules were tuned on even PMIDs; the figures of odd ones count. Whether an effect is
right was judged by reading the abstract (`effects_judged.jsonl`): its outcome, its arms, its sign
and its interval, all four; effects that came later are told as not judged. The first reading of odd
PMIDs found 18 of 34 right; kinds of faults it showed (one arm named, doses, vague outcomes, no
interval) were then shut out, so that odd PMIDs are no longer unread: the share is that after two
revisions, the second (nothing in the clause beside outcome, arms, figures and times) made on even
PMIDs alone.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import hashlib
import html
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.own.verdict_rates import wilson
from clinfo.evidence.table import rows
from clinfo.records.appraisal import EvidenceRow
from clinfo.records.articles import Article, Study
from clinfo.text.study_question import study_question
from clinfo.views.evidence import effect_text

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
PROMPTS = "evidence_inference/trial_prompts.csv.gz"
RECORDS = "citations/pmc_trial_citations.xml.gz"
JUDGED = Path(__file__).with_name("effects_judged.jsonl")
TRIALS = 407
"""As many as the owner's first measure had, which showed 11 effects, 7 of them right."""
HALVES = {"even": 0, "odd": 1}
_SIGNS = {"significantly increased": True, "significantly decreased": False}


@dataclass(frozen=True)
class Shown:
    """An effect shown for a question; ``agrees`` with the doctors' label of its prompt, None where
    that tells no direction.
    """

    question: str
    article: Article
    row: EvidenceRow
    agrees: bool | None


def asked(data: Path, half: int) -> list[tuple[Article, list[tuple[str, str]]]]:
    """Trials with their questions and the label of each, "" where it has none."""
    from clinfo.pubmed.xml import read_file

    prompts: dict[str, list[tuple[str, str]]] = {}
    with gzip.open(data / PROMPTS, "rt", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            told = {
                name: html.unescape(html.unescape(value)).strip() for name, value in row.items()
            }
            question = (
                f"Does {told['intervention']} affect {told['outcome']} compared with "
                f"{told['comparator']}?"
            )
            prompts.setdefault(row["pmid"], []).append((question, row["label"]))
    found: list[tuple[Article, list[tuple[str, str]]]] = []
    for item in read_file(data / RECORDS):
        if (
            not isinstance(item, Article)
            or item.pmid is None
            or int(item.pmid) % 2 != half
            or not item.sections
        ):
            continue
        own = study_question(item)
        if item.pmid in prompts:
            found.append((item, prompts[item.pmid]))
        elif own.intervention and own.comparator and own.outcomes:
            found.append(
                (
                    item,
                    [
                        (
                            (
                                f"Does {own.intervention} affect {own.outcomes[0]} compared with "
                                f"{own.comparator}?"
                            ),
                            "",
                        )
                    ],
                )
            )
    found.sort(
        key=lambda one: (
            one[0].pmid not in prompts,
            hashlib.sha256((one[0].pmid or "").encode()).hexdigest(),
        )
    )
    return found[:TRIALS]


def shown(trials: Sequence[tuple[Article, Sequence[tuple[str, str]]]]) -> Iterator[Shown]:
    """The effects in the rows of these trials."""
    for article, questions in trials:
        for question, label in questions:
            row = rows(question, [Study(1, article, None)], ())[0]
            if row.effect is not None:
                yield Shown(question, article, row, _agrees(row, _SIGNS.get(label)))


def _agrees(row: EvidenceRow, increased: bool | None) -> bool | None:
    effect = row.effect
    if effect is None or increased is None or effect.measure == "HR":
        return None
    none = effect.against if effect.against is not None else 1.0 if effect.scale == "ratio" else 0.0
    return (effect.estimate > none) == increased


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks effects", description="Effects shown of real trials."
    )
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of shared real data")
    parser.add_argument(
        "--half", choices=tuple(HALVES), default="odd", help="PMIDs to use (default %(default)s)"
    )
    parser.add_argument(
        "--show",
        action="store_true",
        help="print each effect with the words around it, to be judged by hand",
    )
    parser.add_argument(
        "--dump",
        type=Path,
        metavar="FILE",
        help="write each effect as a line of JSON, for a reader to judge",
    )
    options = parser.parse_args(arguments)
    if not options.data.is_dir():
        sys.exit(f"no folder of shared real data at {options.data}")
    trials = asked(options.data, HALVES[options.half])
    found = list(shown(trials))
    with_any = {one.article.pmid for one in found}
    values = sum(one.row.effect is not None and one.row.effect.scale == "values" for one in found)
    told = [one.agrees for one in found if one.agrees is not None]
    print(
        f"effects, {options.half} PMIDs: {len(trials)} trials, "
        f"{sum(len(each) for _, each in trials)} questions"
    )
    kinds = f"{len(found) - values} ratios and differences, {values} pairs of values"
    print(f"shown: {len(found)} effects of {len(with_any)} trials ({kinds})")
    print(f"sign agrees with the doctors' label: {sum(told)} of {len(told)}")
    judged = {
        (one["pmid"], one["question"], one["effect"]): one["right"]
        for one in map(json.loads, JUDGED.read_text(encoding="utf-8").splitlines())
    }
    verdicts = [
        judged.get((one.article.pmid, one.question[:60], effect_text(one.row.effect)))
        if one.row.effect
        else None
        for one in found
    ]
    known = [verdict for verdict in verdicts if verdict is not None]
    if known:
        low, high = wilson(sum(known), len(known))
        share = f"{100 * sum(known) / len(known):.0f} % ({100 * low:.0f} to {100 * high:.0f})"
        print(
            f"read by hand: {sum(known)} of {len(known)} right, {share}; {len(found) - len(known)} "
            "not judged"
        )
    if options.show:
        for one in found:
            print(_told(one))
    if options.dump:
        options.dump.write_text(
            "".join(json.dumps(_line(one), ensure_ascii=False) + "\n" for one in found),
            encoding="utf-8",
        )


def _line(one: Shown) -> dict[str, str | None]:
    """Return what a reader needs to judge an effect; ``sentence`` has it between [[ and ]]."""
    row, effect = one.row, one.row.effect
    assert effect is not None
    text, span = (
        one.article.title if effect.span.field == "title" else one.article.abstract,
        effect.span,
    )
    begins = max(text.rfind(". ", 0, span.start), text.rfind("\n", 0, span.start)) + 1
    ends = min(
        (at for at in (text.find(". ", span.end), text.find("\n", span.end)) if at >= 0),
        default=len(text),
    )
    return {
        "pmid": one.article.pmid,
        "title": one.article.title,
        "question": one.question,
        "outcome": row.outcome,
        "intervention": row.intervention,
        "comparator": row.comparator,
        "effect": effect_text(effect),
        "sentence": f"{text[begins : span.start]}[[{text[span.start : span.end]}]]{text[span.end : ends + 1]}".strip(),  # noqa: E501
    }


def _told(one: Shown) -> str:
    row, effect = one.row, one.row.effect
    assert effect is not None
    text = one.article.title if effect.span.field == "title" else one.article.abstract
    around = f"{text[max(0, effect.span.start - 260) : effect.span.start]}[[{text[effect.span.start : effect.span.end]}]]"  # noqa: E501
    shown = f"{row.outcome}: {row.intervention} against {row.comparator}: {effect_text(effect)}"
    return (
        f"\n{one.article.pmid} {one.question}\n  {shown}\n"
        f"  {around}{text[effect.span.end : effect.span.end + 90]}"
    ).replace("\n ", "\n ")


if __name__ == "__main__":
    main()
