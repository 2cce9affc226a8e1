"""The chart pipeline on patients' records, and what a model answers from them.

    python -m benchmarks chart [--data FOLDER] [--json] [--part development|reported]
        [--noise FILE] [--questions FILE]
        [--model NAME --record FILE [--most N]]

``--data`` is shaped like ../shared/data/chart, with the notes in it or in a folder beside it.
``--noise`` puts sentences into notes, ``--questions`` asks other questions. The learned parts were
fitted on the patients of development: what counts are the others, and those of another set. With
``--model`` the measures that need one are printed beside the others; each answer is a line of
``--record``, and what stands there is not asked again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from benchmarks import flags
from benchmarks.chart import data, measures, with_model
from clinfo.patients.lexicon import Lexicon, standard
from clinfo.patients.records import Record
from clinfo.pipelines.chart.index import ChartIndex, prepared
from clinfo.pipelines.chart.parsed_question import parsed
from clinfo.pipelines.chart.retrieval import Matched, note_order
from clinfo.retrieval.embedders import Embedder, embedder_named

FLAGS: flags.Flags = {
    "--part": {"choices": ("development", "reported"), "help": "half of the patients"},
    "--noise": {"type": Path, "help": "templates of sentences put into the notes"},
    "--questions": {"type": Path, "help": "questions asked instead"},
    "--model": {"help": "the model that answers and judges"},
    "--record": {"type": Path, "help": "its answers, a line each; resumed from"},
    "--most": {"type": int, "default": 100, "help": "questions put to it [100]"},
}


def main(arguments: list[str] | None = None) -> None:
    """Entry point."""
    about = "The chart pipeline on patients' notes."
    parser, options = flags.read("chart", about, "record_questions.json", arguments, FLAGS)
    if options.model and options.record is None:
        parser.error("--model needs --record FILE")
    folder = options.data
    known = data.records(folder)
    plain = [one for one in data.questions(folder, known) if _in(one.patient, options.part)]
    asked = plain
    if options.questions is not None:
        worded = data.questions(folder, known, options.questions)
        asked = [one for one in worded if _in(one.patient, options.part)]
    if options.noise is not None:
        known = data.noised(known, plain, data.templates(options.noise))
    empty = sum(not one.gold for one in asked)
    asked = [one for one in asked if one.gold]
    if not asked:
        parser.error(f"{folder} holds no questions whose notes are known")
    lexicon, embedder = standard(), embedder_named()
    rows, found = measured(asked, known, lexicon, embedder)
    found["gold_empty"] = empty
    if options.model:
        pairs = measures.absent_pairs(plain, known, lexicon)
        found |= with_model.measured(
            asked[: options.most], pairs[: options.most], known, options.model, options.record
        )
    if not options.json:
        patients = len({row.patient for row in rows})
        print(f"{patients} patients, {len(rows)} questions, {empty} more without gold")
    flags.tell(found, options.json, None)


def _in(patient: str, part: str | None) -> bool:
    return part is None or data.in_development(patient) == (part == "development")


def measured(
    asked: Sequence[data.Question],
    known: Mapping[str, Record],
    lexicon: Lexicon,
    embedder: Embedder | None,
) -> tuple[list[measures.Row], dict[str, float | None]]:
    """The rows of all questions, and the measures by name."""

    @cache
    def index_of(patient: str) -> ChartIndex:
        return prepared(known[patient].notes, lexicon, embedder)

    rows = []
    for one in asked:
        question = Matched(parsed(one.text, lexicon), index_of(one.patient))
        own = measures.row(one, question)
        values = dict(own.values)
        for name, ranker in measures.BASELINES.items():
            order = note_order(question.index, ranker(one, question))
            values |= {
                f"{name}_at_{k}": measures.recall(order, one.gold, k) for k in measures.DEPTHS
            }
        rows.append(measures.Row(own.patient, values, own.revived))
    gold, revived = (sum(row.revived[place] for row in rows) for place in (0, 1))
    means = {name: _mean([row.values[name] for row in rows]) for name in rows[0].values}
    first = ("recall_at_1", "recall_at_3", "filtering_recall", "corpus_ratio")
    found: dict[str, float | None] = {"n": len(rows)}
    found |= {name: means.pop(name) for name in first}
    found["revived_gold"] = round(gold / revived, 4) if revived else None
    found |= {"revived": revived, **means}
    return rows, found


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(sum(known) / len(known), 4) if known else None
