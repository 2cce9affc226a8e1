"""The page of an answer as values that a template shows: read from the run's events, worded as the command line words it."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from clinfo.answer import Answer, Reference, SearchedQuery, SearchStep, StageUsage
from clinfo.appraisal import EvidenceRow
from clinfo.balance import points
from clinfo.counted import SILENT, designs, way_order
from clinfo.events import Event, SentencesRemoved
from clinfo.fold import fold
from clinfo.forest import MOST_ROWS, PlotGroup, drawable
from clinfo.prompts import default_prompts
from clinfo.records import Article, RunRequest, Sentence, Verdict
from clinfo.references.parts import name_of
from clinfo.render.evidence import STRONGEST_FIRST, effect_text, finding_of, overlaps_told, reports
from clinfo.render.page import EXTRACTIVE, EXTRACTIVE_SHOWN, VERDICTS, checked, made_with, model_names, used
from clinfo.render.printable import one_line, printable
from clinfo.render.proof import how_searched
from clinfo.render.proof import name_of as query_name
from clinfo.render.unanswered import Unanswered, failed_search, unanswered
from clinfo.render.wording import cost, day, listed, number, seconds
from clinfo.transcript import Transcript
from webapp.found_articles import FoundArticle, counted, found_articles
from webapp.linking import Link, article_links, query_link
from webapp.passages import Excerpt, Piece, excerpts, pieces
from webapp.widening import Widening, widenings, without_flags

MARKS: Mapping[Verdict, str] = {
    "supported": "",
    "partial": "◐",
    "unsupported": "○",
    "contradicted": "≠",
    "uncited": "–",
}
"""The sign that stands before the word for a verdict."""
ARROWS = {"increased": "↑", "decreased": "↓", "no difference": "↔", "mixed": "↕", "unclear": "?"}
ANSWERS = {
    "supports": "points to yes",
    "contradicts": "points to no",
    "mixed": "points both ways",
    "does not answer": "does not answer",
}
MOST_LEFT_OUT = 40
"""Articles left out that the page itself lists; the rest stands on the page of all of them."""
MOST_COPIED = 20
"""Sources that are copied with the TL;DR; it seldom cites as many."""
_STAGES = {
    "question2query": "writing queries",
    "retrieve": "searching and fetching",
    "relevance": "judging",
    "summary": "summarising",
    "read": "judging and summarising",
    "evidence": "appraising",
    "synthesis": "writing the synthesis",
    "tldr": "writing the TL;DR",
    "verify": "checking sentences",
    "chase": "following links",
    "keywords": "ranking",
}


@dataclass(frozen=True)
class ShownSentence:
    """A checked sentence: ``id`` is its place on the page, ``label`` how it is called elsewhere on it.

    ``mark`` and ``word`` tell a verdict that is not "supported", and are "" for one that is.
    """

    id: str
    label: str
    pieces: tuple[Piece, ...]
    verdict: Verdict
    mark: str
    word: str
    why: str
    added: bool
    counts_only: bool
    new_paragraph: bool = False


@dataclass(frozen=True)
class RemovedSentence:
    """A sentence that was taken out, and why."""

    where: str
    text: str
    word: str
    why: str


@dataclass(frozen=True)
class Passage:
    """What a sentence rests on in one article; without excerpts ``note`` says why there are none."""

    sentence: str
    label: str
    excerpts: tuple[Excerpt, ...]
    note: str
    word: str


@dataclass(frozen=True)
class ShownReference:
    """A reference with all that the card of a citation shows."""

    n: int
    short: str
    title: str
    citation: str
    links: tuple[Link, ...]
    cited: bool
    facts: tuple[str, ...]
    notices: tuple[str, ...]
    flags: tuple[str, ...]
    retracted: bool
    passages: tuple[Passage, ...]
    anchor: str


@dataclass(frozen=True)
class Side:
    """The studies that point one way."""

    way: str
    text: str
    detail: str
    numbers: tuple[int, ...]


@dataclass(frozen=True)
class ShownRow:
    """A row of the evidence table; "" or None where the abstract does not say."""

    n: int
    short: str
    finding: str
    design: str
    year: int | None
    level: int | None
    level_why: str
    size: int | None
    population: str
    intervention: str
    outcome: str
    effect: str
    arrow: str
    direction: str
    relation: str
    follow_up: str
    notices: tuple[str, ...]
    retracted: bool


@dataclass(frozen=True)
class PlotTable:
    """A plot's numbers in words, for those who do not see it; ``rows`` are number, study, outcome, effect.

    ``height`` is about how many pixels it takes at a width of 960, so that the page keeps room for it.
    """

    number: int
    title: str
    alt: str
    height: int
    rows: tuple[tuple[int, str, str, str], ...]


@dataclass(frozen=True)
class ShownQuery:
    """A query with what its source answered."""

    name: int
    text: str
    breadth: str
    sent: str
    translation: str
    hits: str
    taken: str
    alone: str
    notes: tuple[str, ...]
    steps: tuple[SearchStep, ...]
    failed: bool
    link: Link | None


@dataclass(frozen=True)
class Count:
    """A count with the words after it and the name under which its articles are listed."""

    count: int
    words: str
    which: str


@dataclass(frozen=True)
class PromptChange:
    """A prompt that the run replaced: the lines that differ, each with " ", "-", "+" or "@" before it."""

    name: str
    lines: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Reading:
    """All that the page of an answer shows, in the order it shows it."""

    question: str
    finished: bool
    begun: bool
    notices: tuple[str, ...]
    tldr: tuple[ShownSentence, ...]
    tldr_text: str
    paragraphs: tuple[tuple[ShownSentence, ...], ...]
    synthesis_text: str
    checked: str
    removed: tuple[RemovedSentence, ...]
    unanswered: Unanswered | None
    unanswered_said: str
    widenings: tuple[Widening, ...]
    standing: str
    strongest: str
    sides: tuple[Side, ...]
    balance_texts: tuple[tuple[Piece, ...], ...]
    conflict: tuple[Side, ...]
    differences: tuple[tuple[Piece, ...], ...]
    uncertainty: tuple[tuple[Piece, ...], ...]
    rows: tuple[ShownRow, ...]
    rows_note: str
    by_relation: bool
    same_study: tuple[tuple[Piece, ...], ...]
    plots: tuple[PlotTable, ...]
    article_notices: tuple[tuple[str, str, bool], ...]
    references: tuple[ShownReference, ...]
    queries: tuple[ShownQuery, ...]
    how_searched: tuple[str, ...]
    funnel: tuple[Count, ...]
    other_counts: tuple[Count, ...]
    left_out: tuple[FoundArticle, ...]
    left_out_count: int
    warnings: tuple[str, ...]
    figures: tuple[str, ...]
    timings: tuple[tuple[str, str], ...]
    usage: tuple[tuple[str, StageUsage, str], ...]
    made_with: str
    searched_on: str
    source: str
    models: str
    settings: tuple[tuple[str, str], ...]
    prompt_changes: tuple[PromptChange, ...]
    copy_text: str
    short_names: Mapping[int, str] = field(default_factory=dict)


def reading(events: Sequence[Event], *, resolver: str | None = None, address: str = "", sources: Sequence[str] = ()) -> Reading:
    """What there is to read of a run so far. ``address`` is where its page is, ``sources`` those the host offers.

    Raises ValueError without a run_started event.
    """
    transcript = Transcript(events)
    answer = fold(transcript)
    started = transcript.started
    assert started is not None
    finished = "answer" in transcript
    articles = {article.id: article for article in transcript.articles}
    numbers = {reference.n for reference in answer.references}
    short = {reference.n: short_name(articles[reference.id]) for reference in answer.references}
    tldr = _sentences(answer, "tldr", numbers)
    synthesis = _sentences(answer, "synthesis", numbers)
    found = found_articles(transcript, answer, resolver)
    without = finished and not (answer.synthesis or answer.tldr)
    left = counted(found, "left-out")
    by_relation = answer.appraisal.balance is not None and answer.appraisal.balance.ways == "relation"
    return Reading(
        question=one_line(answer.question),
        finished=finished,
        begun=bool(answer.counts.fetched),
        notices=tuple(map(one_line, answer.notices)),
        tldr=tldr,
        tldr_text="" if tldr else printable(answer.tldr).strip(),
        paragraphs=_paragraphs(synthesis),
        synthesis_text="" if synthesis else printable(answer.synthesis).strip(),
        checked=checked(answer) if answer.sentences else "",
        removed=_removed(transcript),
        unanswered=unanswered(answer) if without else None,
        unanswered_said=without_flags(unanswered(answer).said) if without else "",
        widenings=widenings(answer, started.request, sources) if without else (),
        standing=_standing(answer),
        strongest=_strongest(answer),
        sides=_sides(answer),
        balance_texts=_texts((answer.appraisal.balance.lead_text, answer.appraisal.balance.text), numbers)
        if answer.appraisal.balance
        else (),
        conflict=_conflict(answer),
        differences=_texts(_differences(answer), numbers),
        uncertainty=_texts(answer.appraisal.uncertainty, numbers),
        rows=_rows(answer, articles, short),
        rows_note=STRONGEST_FIRST if answer.appraisal.rows else "",
        by_relation=by_relation,
        same_study=_texts((*reports(answer), *overlaps_told(answer)), numbers),
        plots=_plots(answer, short),
        article_notices=_notices(answer),
        references=_references(answer, articles, short, found, resolver),
        queries=tuple(_query(query, place) for place, query in enumerate(answer.queries, 1)),
        how_searched=tuple(how_searched(answer)),
        funnel=_funnel(answer),
        other_counts=_other_counts(answer, len(left)),
        left_out=left[:MOST_LEFT_OUT],
        left_out_count=len(left),
        warnings=tuple(map(one_line, answer.warnings)),
        figures=_figures(answer),
        timings=tuple((_STAGES.get(name, name), seconds(value)) for name, value in answer.timings.items() if name != "total"),
        usage=tuple((_STAGES.get(stage, stage), used_, cost(used_)) for stage, used_ in answer.usage.by_stage.items()),
        made_with=made_with(answer),
        searched_on=day(answer.searched_on),
        source=one_line(str(answer.settings.get("source", ""))),
        models=_models(answer),
        settings=_settings(answer, started.request),
        prompt_changes=prompt_changes(started.request),
        copy_text=copy_text(answer, address),
        short_names=short,
    )


def short_name(article: Article) -> str:
    """``Smith 2019``, ``Smith and Jones 2019``, ``Smith et al. 2019``; a few words of the title where nobody is named."""
    names = [name_of(author)[0] for author in article.authors]
    names = [one_line(name) for name in names if name]
    if not names:
        words = one_line(article.title).split()
        named = "“" + " ".join(words[:4]) + ("…" if len(words) > 4 else "") + "”" if words else article.id
    elif len(names) == 1:
        named = names[0]
    else:
        named = f"{names[0]} and {names[1]}" if len(names) == 2 else f"{names[0]} et al."
    return f"{named[:60]} {article.year}" if article.year else named[:60]


def prompt_changes(request: RunRequest) -> tuple[PromptChange, ...]:
    """The prompts that a run replaced and that differ from the default ones."""
    defaults = default_prompts()
    changes = []
    for name, text in request.prompts.items():
        before, after = defaults.get(name, "").splitlines(), printable(text).splitlines()
        lines = list(difflib.unified_diff(before, after, lineterm="", n=2))[2:]
        if lines:
            changes.append(PromptChange(name, tuple((line[:1] or " ", line[1:]) for line in lines)))
    return tuple(changes)


def copy_text(answer: Answer, address: str) -> str:
    """TL;DR, sources and date, for the clipboard."""
    tldr = printable(answer.tldr).strip() or "No answer was written."
    of_tldr = {n for sentence in answer.sentences if sentence.part == "tldr" for n in sentence.cites}
    sources = [one for one in answer.references if one.n in of_tldr] or [one for one in answer.references if one.cited]
    parts = [one_line(answer.question), tldr]
    if sources:
        more = [f"and {len(sources) - MOST_COPIED:,} more"] if len(sources) > MOST_COPIED else []
        parts.append("Sources:\n" + "\n".join([*map(_source_line, sources[:MOST_COPIED]), *more]))
    parts.append(made_with(answer) + ".")
    parts += [one_line(notice) for notice in answer.notices]
    parts.append("Not medical advice." + (f" The whole answer: {address}" if address else ""))
    return "\n\n".join(parts)


def _source_line(reference: Reference) -> str:
    flags = f" ({one_line('; '.join(reference.flags))})" if reference.flags else ""
    return f"[{reference.n}] {one_line(reference.citation)}{flags} {reference.url}"


def _sentences(answer: Answer, part: str, numbers: set[int]) -> tuple[ShownSentence, ...]:
    of_part = [sentence for sentence in answer.sentences if sentence.part == part]
    shown = []
    for place, sentence in enumerate(of_part, 1):
        supported = sentence.verdict == "supported"
        label = f"Sentence {place}" if part == "synthesis" else "TL;DR" if len(of_part) == 1 else f"TL;DR, sentence {place}"
        bullet = printable(sentence.lead).strip()
        cut = pieces(sentence.text, numbers)
        shown.append(
            ShownSentence(
                id=f"{'s' if part == 'synthesis' else 't'}{place}",
                label=label,
                pieces=(Piece(f"{bullet} "), *cut) if bullet else cut,
                verdict=sentence.verdict,
                mark=MARKS[sentence.verdict],
                word="" if supported else VERDICTS[sentence.verdict],
                why=one_line(sentence.why),
                added=sentence.added,
                counts_only=sentence.counts_only,
                new_paragraph="\n" in sentence.lead,
            )
        )
    return tuple(shown)


def _paragraphs(sentences: Sequence[ShownSentence]) -> tuple[tuple[ShownSentence, ...], ...]:
    paragraphs: list[list[ShownSentence]] = []
    for sentence in sentences:
        if sentence.new_paragraph or not paragraphs:
            paragraphs.append([])
        paragraphs[-1].append(sentence)
    return tuple(map(tuple, paragraphs))


def _removed(transcript: Transcript) -> tuple[RemovedSentence, ...]:
    return tuple(
        RemovedSentence(
            "TL;DR" if event.part == "tldr" else "literature summary",
            one_line(sentence.text),
            VERDICTS[sentence.verdict],
            one_line(sentence.why),
        )
        for event in transcript.all(SentencesRemoved)
        for sentence in event.sentences
    )


def _texts(texts: Sequence[str], numbers: set[int]) -> tuple[tuple[Piece, ...], ...]:
    return tuple(pieces(one_line(text), numbers) for text in texts if text)


def _standing(answer: Answer) -> str:
    """How the studies stand to each other, in a few words."""
    balance = answer.appraisal.balance
    if balance is None:
        return ""
    counts: dict[str, int] = {}
    for share in balance.shares:
        counts[share.way] = counts.get(share.way, 0) + share.studies
    told = {way: count for way, count in counts.items() if way not in SILENT}
    every = sum(counts.values())
    if not told:
        return "No study retrieved answers this"
    if balance.conflict is not None:
        return "Mixed evidence: the strongest studies disagree"
    if len(told) > 1 or "mixed" in told:
        return "Mixed evidence"
    way, count = next(iter(told.items()))
    if every == 1:
        return f"The one study retrieved {points(way, balance.ways, 1)}"
    return f"{count:,} of {every:,} studies retrieved {points(way, balance.ways, count)}"


def _strongest(answer: Answer) -> str:
    """The strongest source in a few words."""
    balance = answer.appraisal.balance
    lead = next((row for row in answer.appraisal.rows if balance is not None and row.n == balance.lead), None)
    if lead is None:
        return ""
    parts = [one_line(lead.design or "study of unstated design"), str(lead.year or "")]
    parts += [f"n = {lead.sample_size:,}" if lead.sample_size is not None else ""]
    parts += [f"level {lead.level} of 5" if lead.level is not None else ""]
    return ", ".join(part for part in parts if part)


def _sides(answer: Answer) -> tuple[Side, ...]:
    balance = answer.appraisal.balance
    if balance is None:
        return ()
    sides = []
    for way in sorted({share.way for share in balance.shares}, key=way_order):
        shares = [share for share in balance.shares if share.way == way]
        count = sum(share.studies for share in shares)
        told = [
            designs(share.studies, share.design) + (f" ({number(share.participants, 'participant')})" if share.participants else "")
            for share in shares
        ]
        numbers = tuple(sorted(n for share in shares for n in share.numbers))
        sides.append(Side(way, f"{count:,} {points(way, balance.ways, count)}", one_line("; ".join(told)), numbers))
    return tuple(sides)


def _conflict(answer: Answer) -> tuple[Side, ...]:
    balance = answer.appraisal.balance
    if balance is None or balance.conflict is None:
        return ()
    return tuple(Side(way, points(way, balance.ways, len(numbers)), "", tuple(numbers)) for way, numbers in balance.conflict.sides)


def _differences(answer: Answer) -> tuple[str, ...]:
    balance = answer.appraisal.balance
    return balance.conflict.differences if balance is not None and balance.conflict is not None else ()


def _rows(answer: Answer, articles: Mapping[str, Article], short: Mapping[int, str]) -> tuple[ShownRow, ...]:
    findings = {one.id: finding_of(one) for one in answer.articles if one.summary is not None}
    if answer.appraisal.rows:
        return tuple(_row(row, findings.get(row.id, ""), short) for row in answer.appraisal.rows)
    read = {one.id: one for one in answer.articles}
    rows = []
    for reference in answer.references:
        summary = read[reference.id].summary
        if summary is None:
            continue
        row = EvidenceRow(
            reference.id, reference.n, reference.title, articles[reference.id].year, summary.design, None,
            "the run stopped before the studies were appraised", summary.sample_size, summary.population, None, None, None, None,
            summary.direction or "unclear", summary.relation, None, 0,
        )  # fmt: skip
        rows.append(_row(row, findings[reference.id], short))
    return tuple(rows)


def _row(row: EvidenceRow, finding: str, short: Mapping[int, str]) -> ShownRow:
    intervention = one_line(row.intervention or "")
    if row.comparator:
        intervention = f"{intervention} against {one_line(row.comparator)}".strip()
    return ShownRow(
        n=row.n,
        short=short.get(row.n, one_line(row.title)),
        finding=finding or one_line(row.title),
        design=one_line(row.design or ""),
        year=row.year,
        level=row.level,
        level_why=one_line(row.level_why),
        size=row.sample_size,
        population=one_line(row.population or ""),
        intervention=intervention,
        outcome=one_line(row.outcome or ""),
        effect=effect_text(row.effect) if row.effect else "",
        arrow=ARROWS[row.direction],
        direction=row.direction,
        relation=ANSWERS[row.relation] if row.relation else "",
        follow_up=one_line(row.follow_up or ""),
        notices=tuple(dict.fromkeys(notice.kind for notice in row.notices)),
        retracted=any(notice.kind == "retracted" for notice in row.notices),
    )


def plot_groups(answer: Answer) -> tuple[PlotGroup, ...]:
    """The effects that can be drawn, a figure each."""
    return drawable(answer.appraisal.rows)


def _plots(answer: Answer, short: Mapping[int, str]) -> tuple[PlotTable, ...]:
    plots = []
    for place, group in enumerate(plot_groups(answer), 1):
        rows = tuple(
            (row.n, short.get(row.n, ""), one_line(row.outcome or ""), effect_text(row.effect)) for row in group.rows if row.effect
        )
        studies = number(len(rows), "study", "studies")
        alt = f"{one_line(group.title)} with intervals, {studies}; the same figures stand in the table below."
        plots.append(PlotTable(place, one_line(group.title), alt, _height(group), rows))
    return tuple(plots)


def _height(group: PlotGroup) -> int:
    """Pixels at a width of 960, from the room that `clinfo.forest` gives headings, rows and their outcomes."""
    lines = 1.7 * len({row.design for row in group.rows}) + 2.55 * min(len(group.rows), MOST_ROWS)
    return round(96 * (1.8 + 0.19 * lines))


def _notices(answer: Answer) -> tuple[tuple[str, str, bool], ...]:
    """(which article, what is to be known of it, whether it is retracted)."""
    withheld = {one.id for one in answer.articles if "withheld" in one.flags}
    titles = {one.id: one.title for one in answer.articles}
    numbers = {reference.id: reference.n for reference in answer.references}
    told = []
    for notice in answer.article_notices:
        said = f"{one_line(notice.text)} (told by {notice.told_by})"
        red = notice.kind == "retracted"
        if notice.id in numbers:
            told.append((f"[{numbers[notice.id]}]", said, red))
        elif notice.id in withheld:
            told.append((f"withheld: {one_line(titles.get(notice.id, notice.id)).rstrip('.')}", said, red))
    return tuple(told)


def _references(
    answer: Answer, articles: Mapping[str, Article], short: Mapping[int, str], found: Sequence[FoundArticle], resolver: str | None
) -> tuple[ShownReference, ...]:
    rows = {row.id: row for row in answer.appraisal.rows}
    findings = {one.id: finding_of(one) for one in answer.articles if one.summary is not None}
    anchors = {one.id: one.anchor for one in found}
    told: dict[str, list[str]] = {}
    for notice in answer.article_notices:
        told.setdefault(notice.id, []).append(one_line(notice.text))
    labelled = [*_labelled(answer, "tldr"), *_labelled(answer, "synthesis")]
    return tuple(
        ShownReference(
            n=reference.n,
            short=short[reference.n],
            title=one_line(reference.title),
            citation=one_line(reference.citation),
            links=article_links(articles[reference.id], resolver),
            cited=reference.cited,
            facts=_facts(rows.get(reference.id)),
            notices=tuple(told.get(reference.id, ())),
            flags=tuple(map(one_line, reference.flags)),
            retracted="retracted" in reference.flags,
            passages=tuple(
                _passage(reference, articles[reference.id], shown, sentence, rows.get(reference.id), findings.get(reference.id, ""))
                for shown, sentence in labelled
                if reference.n in sentence.cites
            ),
            anchor=anchors[reference.id],
        )
        for reference in answer.references
    )


def _labelled(answer: Answer, part: str) -> list[tuple[ShownSentence, Sentence]]:
    of_part = [sentence for sentence in answer.sentences if sentence.part == part]
    return list(zip(_sentences(answer, part, set()), of_part, strict=True))


def _passage(
    reference: Reference, article: Article, shown: ShownSentence, sentence: Sentence, row: EvidenceRow | None, finding: str
) -> Passage:
    cut = excerpts(article, [span for span in sentence.spans if span.n == reference.n])
    note = ""
    if not cut and (sentence.counts_only or sentence.added):
        note = f"Counted as this run read the study{_as_read(row, finding)}"
    elif not cut and sentence.verdict == "supported":
        note = "No passage of this abstract was matched; the other sources of the sentence carry it."
    elif not cut:
        note = f"No passage of this abstract carries it: {shown.why.rstrip('.')}."
    return Passage(shown.id, shown.label, cut, note, shown.word)


def _as_read(row: EvidenceRow | None, finding: str) -> str:
    """How a study was read, in words."""
    way = "" if row is None else ANSWERS[row.relation] if row.relation else f"effect {row.direction}"
    return f" ({way})" * bool(way) + (f": “{finding}”" if finding else ", which no passage can show.")


def _facts(row: EvidenceRow | None) -> tuple[str, ...]:
    if row is None:
        return ()
    parts = (
        one_line(row.design or ""),
        f"n = {row.sample_size:,}" if row.sample_size is not None else "",
        f"follow-up {one_line(row.follow_up)}" if row.follow_up else "",
        f"level {row.level} of 5" if row.level is not None else "",
        effect_text(row.effect) if row.effect else "",
    )
    return tuple(part for part in parts if part)


def _query(query: SearchedQuery, place: int) -> ShownQuery:
    failed = failed_search(query)
    text, sent = one_line(query.text), one_line(query.sent)
    translation = one_line(query.translation or "")
    return ShownQuery(
        name=query_name(query, place),
        text=text or sent,
        breadth=query.breadth or "",
        sent=sent if sent and sent != text else "",
        translation=translation if translation not in (sent, text) else "",
        hits="failed" if failed else number(query.count, "hit"),
        taken=f"best {len(query.ids):,} taken" if query.count > len(query.ids) else "",
        alone=f"{len(query.unique):,} found by this query only" if query.unique else "",
        notes=tuple(one_line(warning) for warning in query.warnings if warning),
        steps=query.steps,
        failed=failed,
        link=query_link(query),
    )


def _funnel(answer: Answer) -> tuple[Count, ...]:
    counts = answer.counts
    return (
        Count(counts.found, "found", "found"),
        Count(counts.judged, "judged", "judged"),
        Count(counts.relevant, "relevant", "relevant"),
        Count(counts.summarised, "summarised", "summarised"),
        Count(counts.cited, "cited", "cited"),
    )


def _other_counts(answer: Answer, left_out: int) -> tuple[Count, ...]:
    counts = answer.counts
    irrelevant = sum(article.relevant is False and "withheld" not in article.flags for article in answer.articles)
    every = (
        Count(irrelevant, "judged not relevant", "not-relevant"),
        Count(counts.withheld, "withheld", "withheld"),
        Count(counts.screened_out, "not judged", "not-judged"),
        Count(left_out, "left out in all", "left-out"),
    )
    return tuple(count for count in every if count.count)


def _figures(answer: Answer) -> tuple[str, ...]:
    parts = (
        seconds(answer.timings["total"]) if "total" in answer.timings else "",
        used(answer.usage) if set(model_names(answer)) != {EXTRACTIVE} else "no language model used",
    )
    return tuple(part for part in parts if part)


def _models(answer: Answer) -> str:
    return listed([EXTRACTIVE_SHOWN if name == EXTRACTIVE else one_line(name) for name in model_names(answer)])


def _settings(answer: Answer, request: RunRequest) -> tuple[tuple[str, str], ...]:
    settings: Mapping[str, Any] = answer.settings
    models = settings.get("models")
    by_stage = models if isinstance(models, Mapping) else {}
    several = len(set(by_stage.values())) > 1
    shown: list[tuple[str, str]] = []
    if several:
        shown += [(f"Model for {_STAGES.get(stage, stage)}", str(name)) for stage, name in by_stage.items()]
    else:
        shown.append(("Model", _models(answer)))
    shown += [
        ("Source", str(settings.get("source", ""))),
        ("Regime", _regime(settings)),
        ("Publication dates", _dates(settings)),
        ("Filter", str(settings.get("filter") or "")),
        ("Queries", "given by the user" if request.own_queries else f"{settings.get('queries', '')} written by the model"),
        ("Way of writing them", "" if request.own_queries else str(settings.get("strategy", "seeds"))),
        ("Articles asked of each query", str(settings.get("per_query", ""))),
        ("Most articles judged", str(settings.get("max_articles", ""))),
        ("Most articles summarised", str(settings.get("rerank") or "")),
        ("Links followed", f"up to {settings['chase']} relevant articles" if settings.get("chase") else ""),
        ("Known studies looked for", f"{len(request.known):,}" if request.known else ""),
        ("Unsupported sentences", "removed, or repaired once" if settings.get("strict") else "kept and marked"),
        ("Checked by", {"rules": "rules", "model": "a model", "both": "rules and a model"}.get(str(settings.get("judge")), "")),
        ("Deadline", seconds(settings["max_seconds"]) if settings.get("max_seconds") else "none"),
        ("Retractions known by", str(settings.get("retractions") or "the source's records")),
        ("Temperature", str(settings.get("temperature", "")) if set(by_stage.values()) != {EXTRACTIVE} else ""),
        ("First seed", str(settings.get("seed", ""))),
        ("Prompts edited", listed([str(name) for name in settings.get("prompts_edited") or ()]) or "none"),
        ("Version", f"clinfo {settings['version']}" if "version" in settings else ""),
    ]
    return tuple((name, one_line(value)) for name, value in shown if value)


def _regime(settings: Mapping[str, Any]) -> str:
    regime = str(settings.get("regime", "unrestricted"))
    if settings.get("before"):
        regime += f", before {day(str(settings['before']))}"
    if settings.get("drop"):
        regime += f", without PMID {listed([str(pmid) for pmid in settings['drop']])}"
    return regime


def _dates(settings: Mapping[str, Any]) -> str:
    first, last = settings.get("from"), settings.get("to")
    parts = [f"from {day(str(first))}" if first else "", f"to {day(str(last))}" if last else ""]
    return " ".join(part for part in parts if part)
