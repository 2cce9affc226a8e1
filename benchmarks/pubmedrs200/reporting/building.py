"""The tables of a report: the paper's three, splits, intervals, tests, what is open, cases."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Final

from benchmarks.pubmedrs200.published.data import BY_KEY, PRINTED, REGIME_TITLES
from benchmarks.pubmedrs200.reporting.labels import PUBLISHED, Named, named, ordered
from benchmarks.pubmedrs200.reporting.material import TIMES, Answer, ReportData
from benchmarks.pubmedrs200.reporting.sharing import (
    COUNTS,
    NO_VALUE,
    NOT_JUDGED,
    base_note,
    bold_note,
    column,
    effort_table,
    mean_cell,
    metric_table,
    notes,
    orientation_note,
    places,
    printed_counts,
    printed_row,
    row_title,
    signature_note,
    source_note,
    support_table,
    text_title,
    unanswered_note,
    unvalidated,
    with_best,
)
from benchmarks.pubmedrs200.reporting.tables import (
    NOT_COMPUTED,
    NOT_VALIDATED,
    Cell,
    Column,
    Group,
    Row,
    Table,
    counted,
    fixed,
    grouped,
    one_line,
    probability,
    with_sd,
)
from benchmarks.pubmedrs200.running.decisions import UNSAID
from benchmarks.pubmedrs200.running.folder import not_held
from benchmarks.pubmedrs200.running.questions import LABELS
from benchmarks.pubmedrs200.running.records import Record
from benchmarks.pubmedrs200.scoring.statistics import FEW, SURE, deviation, mean, wilson
from benchmarks.pubmedrs200.scoring.statistics import TOO_FEW as TOO_FEW_TO_SAY
from benchmarks.pubmedrs200.scoring.summary import Metric

ANSWERED_ONLY: Final = (
    "rouge_l",
    "meteor",
    "chrf",
    "google_bleu",
    "character",
    "bertscore",
    "ctc_sf",
    "unieval_overall",
    "comet",
    "ctc_consistency",
    "word_length",
)


SOURCE_AUGMENTED: Final = {
    "unieval_coherence": "Coherence",
    "unieval_consistency": "Consistency",
    "unieval_fluency": "Fluency",
    "unieval_relevance": "Relevance",
    "unieval_overall": "Overall",
    "comet": "COMET",
    "ctc_consistency": "CTC",
    "word_length": "Average length",
}
SOURCE_FREE: Final = {
    "bertscore": "BERTScore",
    "rouge_l": "ROUGE-L",
    "meteor": "METEOR",
    "chrf": "chrF",
    "google_bleu": "GoogleBLEU",
    "character": "CharacTER",
    "ctc_sf": "CTC",
}
RETRIEVAL: Final = {
    "retrieval_precision": "Precision",
    "retrieval_recall": "Recall",
    "source_included": "Source included",
}

_PUBLISHED_ROWS: Final = 145
_DAGGER: Final = (
    "† Published value, not scored again here: cell as in the published table files (n = 145)."
)
_DOUBLE: Final = (
    "‡ Published value, not scored again here: mean of the published values of those questions of "
    "this scoring that the published "
    "files hold."
)
_ROLES: Final = {
    "table-1": (
        "Roles of published values († and ‡): UniEval and CTC were asked about the system's text, "
        "as in the correct "
        "orientation; of COMET it is not known. Length is that of the system's text."
    ),
    "table-2": (
        "Roles of published values († and ‡): ROUGE-L, METEOR, chrF, GoogleBLEU and CharacTER have "
        "prediction and reference "
        "swapped (the published orientation); CTC was asked about the system's text, as in the "
        "correct "
        "one; BERTScore's F1 is the same "
        "either way."
    ),
}
"""Found from the published values; docs/pubmedrs-200.md tells how."""


def paper_tables(material: ReportData) -> tuple[Table, Table, Table]:
    """Table 1, source-augmented; Table 2, source-free; Table 3, retrieval by regime."""
    return (
        _metrics(material, "table-1", "Table 1. Source-augmented metrics", SOURCE_AUGMENTED),
        _metrics(material, "table-2", "Table 2. Source-free metrics", SOURCE_FREE),
        _retrieval(material),
    )


def _metrics(material: ReportData, key: str, title: str, metrics: dict[str, str]) -> Table:
    systems = [
        system
        for system in material.systems
        if system.output or any(material.statistics(system.label, metric) for metric in metrics)
    ]
    printed = _printed(material, list(metrics))
    marks = [
        mark
        for mark in (_DAGGER, _DOUBLE)
        if any(mark[0] in row.title for group in printed for row in group.rows)
    ]
    marks += [_ROLES[key]] if printed else []
    marks += _in_print(metrics) if key == "table-1" else ()
    caption = (
        f"{title}, mean (sd); all systems of this scoring, published ones scored again with the "
        "same code."
    )
    return metric_table(
        material, key, title, caption, metrics, systems, texts=True, under=marks, printed=printed
    )


def _in_print(metrics: dict[str, str]) -> tuple[str, ...]:
    """Return what the paper itself prints, as far as it is known, and what is wrong with it."""
    paper = PRINTED
    lines = [
        f"Printed in the paper ({metrics[metric]}): "
        + "; ".join(f"{BY_KEY[key].title} {fixed(value, 3)}" for key, value in means.items())
        + "."
        for metric, means in paper.table1.items()
        if metric in metrics
    ]
    return (*lines, *paper.notes_of("table1"))


def _printed(material: ReportData, metrics: list[str]) -> list[Group]:
    """Published values in groups of their own: cells of the table files, and means over the
    questions that were scored here.
    """
    groups = []
    rows = tuple(
        printed_row(material, label, system.title, metrics, _PUBLISHED_ROWS)
        for label, system in PUBLISHED.items()
        if any(metric in material.printed.get(label, {}) for metric in metrics)
    )
    if rows:
        groups.append(Group("Published values, not scored again †", rows))
    again = tuple(
        row
        for label, system in PUBLISHED.items()
        if (row := _again(material, label, system.title, metrics))
    )
    if again:
        groups.append(Group("Published values of the same questions, not scored again ‡", again))
    return groups


def _again(material: ReportData, label: str, title: str, metrics: list[str]) -> Row | None:
    scored = set(material.questions)
    cells, counts = [], []
    for metric in metrics:
        values = [
            value
            for id, value in material.published.get(label, {}).get(metric, {}).items()
            if id in scored
        ]
        counts.append(len(values))
        shown = places(metric, material.summary.metrics.get(metric))
        sd = deviation(values) if values else None
        cells.append(
            Cell(with_sd(mean(values), sd, shown), mean(values), sd)
            if values
            else Cell("not published")
        )
    if not any(counts):
        return None
    return Row(title + " ‡", (*cells, *printed_counts(max(counts))), label, printed=True)


def _retrieval(material: ReportData) -> Table:
    systems = [
        system
        for system in material.systems
        if any(material.statistics(system.label, metric) for metric in RETRIEVAL)
    ]
    regimes = {system.label: system.regime for system in systems}

    def cell(material: ReportData, label: str, metric: str) -> Cell:
        permitted = regimes[label] == "unrestricted" or material.statistics(label, metric)
        if metric == "source_included" and not permitted:
            return Cell("not permitted by the regime")
        return mean_cell(material, label, metric)

    extra = (
        "Precision and recall against the review's own list of references; questions whose review "
        "lists none have neither. "
        "The retrieval of the published systems is computed from the published ids. Of a system "
        "that tells no judgements the "
        "articles that it cites are taken for those judged relevant."
    )
    under = (
        extra,
        f"§ Printed value: {PRINTED.source}; rule and questions differ from ours (see reproduce).",
        *PRINTED.notes_of("table3"),
        *(() if systems else ("No system of this scoring tells what it retrieved.",)),
    )
    rows = tuple(_print_row(regime) for regime in PRINTED.table3)
    printed = [Group("Printed in the paper, not computed here §", rows)]
    title = "Table 3. Retrieval"
    caption = (
        f"{title} by regime, mean (sd): precision and recall of the articles judged relevant; "
        "source review included."
    )
    return metric_table(
        material, "table-3", title, caption, RETRIEVAL, systems,
        cell=cell, under=under, printed=printed,
    )  # fmt: skip


def _print_row(regime: str) -> Row:
    values = PRINTED.table3[regime]
    cells = [
        Cell(
            fixed(values[metric], 3) if metric in values else "not known",
            values.get(metric),
            mark="misprint" if PRINTED.is_misprint("table3", regime, metric) else "",
        )
        for metric in RETRIEVAL
    ]
    return Row(
        f"Clinfo.ai, {REGIME_TITLES.get(regime, regime)} §",
        (*cells, *printed_counts(None)),
        printed=True,
    )


def texts_of(material: ReportData) -> list[Named]:
    """The systems whose texts were scored."""
    return [system for system in material.systems if system.output or system.published]


def shared_questions(material: ReportData) -> frozenset[str]:
    """The questions that every text was scored on."""
    asked = [material.asked(system.label) for system in texts_of(material)]
    return frozenset.intersection(*asked) if asked else frozenset()


def shared_table(material: ReportData) -> list[Table]:
    """One table, or none where all texts stand on the same questions or on none in common."""
    systems, ids = texts_of(material), shared_questions(material)
    if not ids or all(material.asked(system.label) == ids for system in systems):
        return []
    metrics = [metric for metric in ANSWERED_ONLY if metric in material.summary.metrics]
    columns = tuple(column(material, metric) for metric in metrics)
    rows = [
        (
            system.group,
            Row(
                system.short_title,
                (
                    *(_shared_cell(material, system.label, metric, ids) for metric in metrics),
                    _shared_answered(material, system.label, ids),
                ),
                system.label,
            ),
        )
        for system in systems
    ]
    regimes = {system.label: system.colour for system in systems}

    def alike(row: Row, column: Column) -> Hashable | None:
        values = material.scores[row.label].get(column.key, {}).keys() & ids
        return (regimes[row.label], frozenset(values)) if values else None

    every = (*columns, Column("answered", "Answered"))
    groups = with_best(grouped(rows), every, alike)
    return [
        Table(
            "shared-questions",
            "The same questions",
            (
                f"The same questions, mean (sd): the {counted(len(ids), 'question')} that every "
                "text was scored on, and no other. "
                "Compare systems here, not across the tables in which they stand on different "
                "questions."
            ),
            "System",
            every,
            groups,
            (
                orientation_note(material),
                base_note(material) + f" Here n = {len(ids)} of them.",
                unanswered_note(material, metrics),
                *signature_note(material, metrics),
                *source_note(material),
                *bold_note(groups),
            ),
        )
    ]


def _shared_cell(material: ReportData, label: str, metric: str, ids: frozenset[str]) -> Cell:
    known, values = material.summary.metrics[metric], material.values(label, metric, ids)
    if not values:
        return Cell(NOT_COMPUTED)
    fewer = [f"n = {len(values)}"] if len(values) < len(ids) else []
    return _spread(values, metric, known, *fewer)


def _shared_answered(material: ReportData, label: str, ids: frozenset[str]) -> Cell:
    answered = len(ids - material.left_open(label))
    return Cell(str(answered), answered)


PAPER_DAY: Final = date(2021, 10, 1)
"""The paper splits its questions here, after the training data of GPT-3.5 and GPT-4 ended (65
before, 80 from then on, of 145).
"""

SPLIT_BY: Final = (
    "sentences_supported",
    "sentences_supported_own",
    "rouge_l",
    "meteor",
    "bertscore",
    "unieval_overall",
    "retrieval_recall",
)
NO_DATA: Final = "The data set was not given (--data), so that dates of publication are not known."


def split_tables(material: ReportData) -> list[Table]:
    """Both splits; without the data set they say so and hold no rows."""
    systems = material.systems if material.reviews else []
    cutoffs = {one: material.cutoffs.get(one.name) for one in systems}
    ends = {one: date.fromisoformat(last) for one, last in cutoffs.items() if last}
    unknown = dict.fromkeys(
        one.answer_title if one.published else one.name for one in systems if one not in ends
    )
    without = f"Training cut-off not known, or none, so not split: {'; '.join(unknown)}."
    day_before = PAPER_DAY - timedelta(1)
    return [
        _split(
            material, "split-2021", "Split by publication of the review",
            f"Reviews published before {PAPER_DAY} and from then on, mean (sd) with the count of "
            "questions.",
            ("Before", "From then on"), dict.fromkeys(systems, day_before),
            f"The paper's split: of its 145 questions 65 are older than {PAPER_DAY} and 80 are "
            "not.",
        ),
        _split(
            material, "split-cutoff", "Split by the end of training data",
            "Reviews published up to the last day of each system's training data (before) and "
            "after it, mean (sd).",
            ("Up to that day", "After it"), ends, *([without] if unknown else []), told=True,
        ),
    ]  # fmt: skip


def _split(
    material: ReportData, key: str, title: str, caption: str, sides: tuple[str, str],
    ends: Mapping[Named, date], *remarks: str, told: bool = False,
) -> Table:  # fmt: skip
    """A row a system and metric: questions published up to its end, and after it; ``told``: the end
    has a column. Questions without a known date are in neither part.
    """
    metrics = [metric for metric in SPLIT_BY if metric in material.summary.metrics]
    rows = []
    for system, last in ends.items():
        for metric in metrics:
            if not material.statistics(system.label, metric):
                continue
            known = material.summary.metrics[metric]
            parts = list[float](), list[float]()
            for id, row in material.scores[system.label].get(metric, {}).items():
                review = material.reviews.get(id)
                if review and review.published != date.max:
                    parts[review.published > last].append(row.value)
            both = [_spread(values, metric, known) for values in parts]
            counts = [Cell(str(len(values)), len(values)) for values in parts]
            change = mean(parts[1]) - mean(parts[0]) if all(parts) else None
            shown = fixed(change, places(metric, known)) if change is not None else NO_VALUE
            cells = (
                *([Cell(last.isoformat())] if told else []), Cell(known.title),
                both[0], counts[0], both[1], counts[1], Cell(shown, change),
            )  # fmt: skip
            rows.append((system.group, Row(row_title(system, metric), cells, system.label)))
    titles = {"metric": "Metric", "before": sides[0], "n_before": "n before", "after": sides[1],
              "n_after": "n after", "change": "Change"}  # fmt: skip
    titles = {"cutoff": "Training data to", **titles} if told else titles
    undated = sorted(set(material.questions) - set(material.reviews)) if material.reviews else []
    notes = (
        orientation_note(material), base_note(material), unanswered_note(material, metrics),
        *signature_note(material, metrics), *remarks,
        *([f"Not in the data set and in neither part: {', '.join(undated)}."] if undated else []),
        *([] if material.reviews else [NO_DATA]),
    )  # fmt: skip
    columns = tuple(Column(key, title) for key, title in titles.items())
    return Table(key, title, caption, "System", columns, grouped(rows), notes)


def _spread(values: list[float], metric: str, known: Metric, *marks: str) -> Cell:
    """Mean and deviation of some values."""
    if not values:
        return Cell(NO_VALUE)
    centre, spread = mean(values), deviation(values)
    marks = (*([NOT_VALIDATED] if unvalidated(metric, known) else []), *marks)
    return Cell(with_sd(centre, spread, places(metric, known)), centre, spread, "; ".join(marks))


def interval_table(material: ReportData) -> Table:
    """A row a system and metric."""
    rows = []
    for system in material.systems:
        for metric, known in material.summary.metrics.items():
            found = material.statistics(system.label, metric)
            if metric == TIMES or found is None:
                continue
            shown = places(metric, known)
            few = found.n < FEW

            def cell(value: float | None, mark: str = "", shown: int = shown) -> Cell:
                return (
                    Cell(NO_VALUE) if value is None else Cell(fixed(value, shown), value, mark=mark)
                )

            cells = (
                Cell(known.title),
                cell(found.mean, NOT_VALIDATED if unvalidated(metric, known) else ""),
                cell(found.sd),
                Cell(TOO_FEW_TO_SAY) if few else cell(found.low),
                Cell(TOO_FEW_TO_SAY) if few else cell(found.high),
                cell(found.answered_mean),
                cell(found.answered_sd),
                Cell(str(found.n), found.n),
                Cell(str(found.answered), found.answered),
            )
            rows.append((system.group, Row(row_title(system, metric), cells, system.label)))
    titles = (
        "Metric",
        "Mean",
        "sd",
        "95 % from",
        "to",
        "Mean, answered",
        "sd, answered",
        "n",
        "Answered",
    )
    keys = ("metric", "mean", "sd", "low", "high", "answered_mean", "answered_sd", "n", "answered")
    return Table(
        "every-metric",
        "Every metric",
        (
            "Every metric of every system, with 95 % bootstrap intervals of the mean and the "
            "answered questions alone."
        ),
        "System",
        tuple(Column(key, title) for key, title in zip(keys, titles, strict=True)),
        grouped(rows),
        notes(material, [metric for metric in material.summary.metrics if metric != TIMES]),
    )


TOO_FEW: Final = f"n below {FEW}"


def comparison_table(material: ReportData) -> Table:
    """A row a system, metric and baseline; without comparisons it says how to get them."""
    rows = []
    for item in material.summary.comparisons:
        if item.metric == TIMES:
            continue
        known = material.summary.metrics.get(item.metric)
        shown = places(item.metric, known)
        cells = (
            Cell(known.title if known else item.metric),
            Cell(text_title(named(item.baseline), item.metric)),
            Cell(fixed(item.difference, shown), item.difference),
            Cell(fixed(item.low, shown), item.low),
            Cell(fixed(item.high, shown), item.high),
            Cell(TOO_FEW)
            if item.n < FEW
            else Cell(probability(item.p_bootstrap), item.p_bootstrap),
            Cell(probability(item.p_randomisation), item.p_randomisation),
            Cell(probability(item.p_holm), item.p_holm, best=item.p_holm < 0.05),
            Cell(str(item.n), item.n),
        )
        rows.append(
            (
                named(item.system).group,
                Row(row_title(named(item.system), item.metric), cells, item.system),
            )
        )
    titles = (
        "Metric",
        "Baseline",
        "Difference",
        "95 % from",
        "to",
        "p (bootstrap)",
        "p (randomisation)",
        "p (Holm)",
        "n",
    )
    keys = (
        "metric",
        "baseline",
        "difference",
        "low",
        "high",
        "p_bootstrap",
        "p_randomisation",
        "p_holm",
        "n",
    )
    metrics = list(dict.fromkeys(item.metric for item in material.summary.comparisons))
    under = (
        (
            "Interval and first p: paired bootstrap; second p: approximate randomisation; Holm's "
            "correction of the second over the "
            "family that score tested together. Bold: below 0.05 after correction."
        ),
        *_few(
            min(
                (item.n for item in material.summary.comparisons if item.metric != TIMES),
                default=SURE,
            )
        ),
        unanswered_note(material, metrics),
        *signature_note(material, metrics),
    )
    empty = (
        "No comparisons are in the summary: score makes them against the system named with "
        "--baseline.",
    )
    return Table(
        "comparisons",
        "Tests of difference",
        "Tests of difference: system − baseline over the questions both were scored on; two-sided.",
        "System",
        tuple(Column(key, title) for key, title in zip(keys, titles, strict=True)),
        grouped(rows),
        (
            orientation_note(material),
            base_note(material, means=False),
            *(under if rows else empty),
        ),
    )


def _few(least: int) -> tuple[str, ...]:
    """Return what the tests are worth where some rest on so few questions; () where none does."""
    if least >= SURE:
        return ()
    reach = (
        f"n questions it cannot go below 2/2^n, which is {fixed(2 / 2**least, 3)} at the n = "
        f"{least} here"
    )
    lacking = f", and below n = {FEW} its p is left out" if least < FEW else ""
    return (
        f"Few questions: below n = {SURE} the bootstrap is too sure, since it knows no differences "
        "but those of the questions it "
        f"draws from: its intervals are too narrow and its p too small{lacking}. Randomisation "
        f"stays right, but of {reach}.",
    )


_SHORT: Final = 10
"""Lists no longer than this are written out each time."""


def left_open_table(material: ReportData) -> Table:
    """Unanswered, failed, quarantined, doubtful and missing questions by system."""
    doubtful = _held_by(material, lambda record: bool(record.unchecked))
    later = _held_by(material, lambda record: bool(record.later))
    kinds = (
        ("Unanswered", material.summary.unanswered),
        (
            (
                "Failed, no answer that could be used (the question's section says why): counts "
                "the floors"
            ),
            material.summary.failed,
        ),
        ("Quarantined for a leak, not scored", material.summary.quarantined),
        (
            "Uses articles that cannot be checked: a leak cannot be ruled out, scored all the same",
            doubtful,
        ),
        (
            (
                "Uses articles with a higher PMID than the review, of no known day of entry: "
                "perhaps a leak, scored all the same"
            ),
            later,
        ),
        ("Asked of the subset, not in the input", material.summary.missing),
    )
    rows = [(kind, row) for kind, listed in kinds for row in _open_rows(material, listed)]
    return Table(
        "left-open",
        "Unanswered, quarantined and missing questions",
        (
            "Questions left unanswered or failed, quarantined for a forbidden article, in doubt, "
            "or missing, by id."
        ),
        "System",
        (Column("count", "Count"), Column("ids", "Questions")),
        grouped(rows),
        (base_note(material, means=False), *(() if rows else ("None.",))),
    )


def _open_rows(material: ReportData, listed: Mapping[str, Sequence[str]]) -> Iterator[Row]:
    """A row a system; a list that stands above already is not written out again, but for other
    programs.
    """
    told: dict[tuple[str, ...], str] = {}
    for title, label, ids in _by_answer(material, listed):
        whole = ", ".join(ids)
        above = told.setdefault(ids, title)
        text = f"the same as those of {above}" if title != above and len(ids) > _SHORT else whole
        yield Row(title, (Cell(str(len(ids)), len(ids)), Cell(text, full=whole)), label)


def _by_answer(
    material: ReportData, listed: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Title, label and questions of each row; an answer whose texts all have the same questions is
    one row with them.
    """
    held: dict[str, list[Named]] = {}
    for system in ordered(label for label, ids in listed.items() if ids):
        held.setdefault(system.answer, []).append(system)
    for answer, systems in held.items():
        texts = {
            tuple(listed.get(each.label, ()))
            for each in {*material.systems, *systems}
            if each.answer == answer and each.output
        }
        ids = next(iter(texts), ())
        if (
            len(systems) > 1
            and len(texts) == 1
            and all(set(listed[system.label]) <= set(ids) for system in systems)
        ):
            yield systems[0].answer_title, answer, ids
            continue
        for system in systems:
            yield system.title, system.label, tuple(listed[system.label])


def _held_by(material: ReportData, chosen: Callable[[Record], bool]) -> dict[str, tuple[str, ...]]:
    """By label, the scored questions whose answers are chosen; what is quarantined is listed as
    that.
    """
    return {
        label: tuple(
            id
            for id, answer in answers.items()
            if answer.record.status != "leaked" and chosen(answer.record)
        )
        for label, answers in material.scored_answers.items()
    }


SHOWN: Final = 3
CASES_BY: Final = ("sentences_supported", "sentences_supported_own", "rouge_l", "meteor", "chrf")
"""The first of these that a system has values of is what its cases are chosen by."""


def cases(material: ReportData) -> Table:
    """Up to three best and three worst questions a whole answer, unanswered ones left out, ties by
    PMID.
    """
    answers: dict[str, list[Named]] = {}
    for system in material.systems:
        answers.setdefault(system.answer, []).append(system)
    rows = [
        (group, row) for systems in answers.values() for group, row in _case_rows(material, systems)
    ]
    named = {row.cells[0].text for _, row in rows}
    chosen = [
        name
        for name, metric in material.summary.metrics.items()
        if name in CASES_BY and metric.title in named
    ]
    return Table(
        "cases",
        "Best and worst cases",
        (
            f"The {SHOWN} best and {SHOWN} worst questions of each system that it answered, by the "
            "metric named."
        ),
        "System",
        (
            Column("metric", "Metric"),
            Column("case", "Case"),
            Column("question", "Question"),
            Column("value", "Value"),
        ),
        grouped(rows),
        (
            orientation_note(material),
            base_note(material, means=False),
            *signature_note(material, chosen),
            (
                "By support under the independent judge where there is one, else under the "
                "program's own, else by overlap with the "
                "human answer, of the text of both outputs. Unanswered questions are listed apart. "
                "Ties go by PMID."
            ),
        ),
    )


def _case_rows(material: ReportData, systems: list[Named]) -> list[tuple[str, Row]]:
    by_output = {system.output: system for system in systems}
    texts = [
        by_output[output] for output in ("", "both", "synthesis", "tldr") if output in by_output
    ]
    for metric in CASES_BY:
        for system in texts:
            scores = material.scores.get(system.label, {}).get(metric, {})
            answered = {id: row.value for id, row in scores.items() if not row.unanswered}
            if len(set(answered.values())) > 1 or len(answered) == 1:
                return [(system.group, row) for row in _cases(material, system, metric, answered)]
    return []


def _cases(material: ReportData, system: Named, metric: str, values: dict[str, float]) -> list[Row]:
    known = material.summary.metrics[metric]
    sign = -1 if known.better == "higher" else 1
    ranked = sorted(values, key=lambda id: (sign * values[id], id))
    best = ranked[:SHOWN]
    worst = [id for id in reversed(ranked) if id not in best][:SHOWN]
    shown = places(metric, known)
    rows = []
    for kind, ids in (("best", best), ("worst", worst)):
        for id in ids:
            review = material.reviews.get(id)
            question = f"{id}: {one_line(review.question)}" if review else id
            cells = (
                Cell(known.title),
                Cell(kind),
                Cell(question, link=anchor(id)),
                Cell(fixed(values[id], shown), values[id]),
            )
            rows.append(Row(system.short_answer_title, cells, system.label))
    return rows


REFERENCES = "References of external systems"
_REFERENCE_NOTES = (
    (
        "The articles behind an external system's references are those that the run's source holds "
        "under their PMIDs. A sentence that "
        "cites a reference without an article counts as not supported, as in ALCE's program: where "
        "the "
        "source lacks many, as a small "
        "index does, figures of support say more of the source than of the system."
    ),
    (
        "Not looked up: answers of which the source could not be asked; they have no figures of "
        "support."
    ),
)


def external_answers(material: ReportData) -> dict[str, list[Answer]]:
    """By label of the whole answer, what external systems answered to the questions scored; none of
    those that answered nothing.
    """
    found = {
        label: [one for one in answers.values() if one.external and one.record.status == "answered"]
        for label, answers in material.scored_answers.items()
    }
    return {label: answers for label, answers in found.items() if answers}


def looked_up_tables(material: ReportData) -> list[Table]:
    """One table, a row a system and regime; none where no external system answered."""
    rows = [
        (named(label).group, _reference_row(label, answers))
        for label, answers in external_answers(material).items()
    ]
    if not rows:
        return []
    columns = (
        Column("answers", "Answers"),
        Column("not_looked_up", "Not looked up"),
        Column("references", "References of the others"),
        Column("not_held", "Not held by the source"),
        Column("without_pmid", "Without a PMID"),
    )
    caption = (
        f"{REFERENCES}: how many of them the run's source does not hold, so that no sentence can "
        "be supported by them."
    )
    return [
        Table(
            "references",
            REFERENCES,
            caption,
            "System",
            columns,
            grouped(rows),
            (base_note(material, means=False), *_REFERENCE_NOTES),
        )
    ]


def _reference_row(label: str, answers: list[Answer]) -> Row:
    looked_up = [
        ((answer.record.answer or {})["references"], answer.cited)
        for answer in answers
        if answer.cited is not None
    ]
    counts = (
        len(answers),
        len(answers) - len(looked_up),
        sum(len(references) for references, _ in looked_up),
        sum(not_held(references, cited) for references, cited in looked_up),
        sum(one["pmid"] is None for references, _ in looked_up for one in references),
    )
    return Row(
        named(label).short_answer_title, tuple(Cell(str(count), count) for count in counts), label
    )


def anchor(id: str) -> str:
    """The id of a question's section; what an attribute cannot hold is written as its number."""
    return "q-" + re.sub(r"[^A-Za-z0-9_.-]", lambda match: f"_{ord(match[0]):x}_", id)


def own_tables(material: ReportData) -> Iterator[Table]:
    """The tables of somebody's own questions: what was measured of them, nothing of the paper."""
    texts, whole = texts_of(material), [one for one in material.systems if not one.output]
    likeness = "Likeness to the reference answers"
    retrieval = "Precision and recall against the articles given, by whole answer, mean (sd)."
    by_text, by_ids = {**SOURCE_FREE, **SOURCE_AUGMENTED}, dict([*RETRIEVAL.items()][:2])
    computed = {one: title for one, title in by_text.items() if one in material.summary.metrics}
    for table in (
        _decided(material),
        support_table(material),
        *looked_up_tables(material),
        metric_table(material, "likeness", likeness, f"{likeness}, mean (sd).", computed, texts,
                     texts=True),
        metric_table(material, "retrieval", "Retrieval", retrieval, by_ids, whole),
        *shared_table(material),
        effort_table(material),
        split_tables(material)[1],
        interval_table(material),
        comparison_table(material),
        left_open_table(material),
        cases(material),
    ):  # fmt: skip
        counts = {one.key for one in COUNTS}
        kept = [
            place
            for place, column in enumerate(table.columns)
            if any(row.cells[place].text not in _NOTHING for row in table.rows)
        ]
        if any(table.columns[place].key not in counts for place in kept):
            yield table.only(kept)


_NOTHING: Final = (NOT_COMPUTED, NOT_JUDGED, NO_VALUE)


def _decided(material: ReportData) -> Table:
    """Yes, no or maybe against what was given: a row a system."""
    rows = []
    for one in material.decisions:
        system, n, share = named(one["system"]), one["n"], one["accuracy"]
        decided = sum(guess in LABELS for guess in one["decisions"].values())
        if share is None or n < FEW:
            figures = [Cell(NO_VALUE if share is None else TOO_FEW_TO_SAY)] * 4
        else:
            numbers = (share, *wilson(share, n), one["macro_f1"])
            figures = [Cell(fixed(number, 3), number) for number in numbers]
        counted_cells = (Cell(str(decided), decided), Cell(str(n), n))
        cells = (*figures, *counted_cells)
        rows.append((system.group, Row(system.short_answer_title, cells, system.label)))
    titles = {"accuracy": "Accuracy", "low": "95 % from", "high": "to", "macro_f1": "Macro F1",
              "decided": "Decided", "n": "n"}  # fmt: skip
    return Table(
        "decisions",
        "Yes, no or maybe",
        "Yes, no or maybe against the answers given; what was not decided counts as wrong.",
        "System",
        tuple(Column(key, title) for key, title in titles.items()),
        grouped(rows),
        (f"No value: {UNSAID}.", base_note(material, means=False)),
    )


def every_table(material: ReportData) -> tuple[Table, ...]:
    """All tables in the order of the report."""
    if material.own:
        return tuple(own_tables(material))
    return (
        support_table(material),
        *looked_up_tables(material),
        *paper_tables(material),
        *shared_table(material),
        effort_table(material),
        *split_tables(material),
        interval_table(material),
        comparison_table(material),
        left_open_table(material),
        cases(material),
    )
