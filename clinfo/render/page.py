"""What stands on the page of an answer, in order, without saying how it is written down.

Everything is read from the answer; only the years of publication come from the articles, which an answer does not hold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from clinfo.answer import Answer, Reference, SearchedQuery, StageUsage
from clinfo.records import PROGRAM, Article, Part, Verdict
from clinfo.render.blocks import Block, Heading, Item, Items, Paragraph
from clinfo.render.evidence import evidence, notices
from clinfo.render.printable import one_line, printable
from clinfo.render.proof import how_searched, name_of
from clinfo.render.unanswered import failed_search, near_misses, unanswered, ways_to_widen
from clinfo.render.wording import cost, day, listed, number, seconds, source_name

NOT_ADVICE = "Not medical advice: read the studies cited before you act on this."
EXTRACTIVE = "extractive"
EXTRACTIVE_SHOWN = "the built-in extractive model"

VERDICTS: Mapping[Verdict, str] = {
    "supported": "supported",
    "partial": "supported in part",
    "unsupported": "not supported",
    "contradicted": "contradicted by its source",
    "uncited": "without a citation",
}


def page(answer: Answer, articles: Iterable[Article] = (), finished: bool = True) -> list[Block]:
    """The blocks of an answer's page. ``articles`` are the run's, for the years of publication; a run that did not come
    to its end is not ``finished``, and its page says so.
    """
    blocks: list[Block] = [Heading(one_line(answer.question), 1)]
    blocks += [Paragraph(one_line(notice)) for notice in answer.notices]
    if not finished:
        blocks.append(Paragraph("Not finished: this is what was done before the run stopped."))
    if answer.synthesis or answer.tldr:
        blocks += _texts(answer)
    elif finished:
        blocks += _unanswered(answer)
    blocks += evidence(answer, articles)
    blocks += notices(answer)
    blocks += _references(answer.references)
    blocks += _searched(answer)
    if answer.warnings:
        blocks += [Heading("Warnings"), Items(tuple(Item(one_line(warning)) for warning in answer.warnings))]
    return [
        *blocks,
        Heading("About this answer"),
        Paragraph(_figures(answer)),
        Paragraph(made_with(answer)),
        Paragraph(NOT_ADVICE),
    ]


def _texts(answer: Answer) -> list[Block]:
    """TL;DR and synthesis, with a mark after each sentence that is not supported and the reasons below."""
    reasons: list[str] = []
    blocks: list[Block] = []
    if answer.tldr:
        blocks += [Heading("TL;DR"), Paragraph(_marked(answer, "tldr", reasons))]
    if answer.synthesis:
        blocks += [Heading("Synthesis"), Paragraph(_marked(answer, "synthesis", reasons))]
    if not answer.sentences:
        return [*blocks, Paragraph("These sentences have not been checked.")]
    blocks.append(Paragraph(checked(answer)))
    if reasons:
        blocks.append(Items(tuple(Item(reason, f"({mark})") for mark, reason in zip(_marks(), reasons, strict=False))))
    return blocks


def checked(answer: Answer) -> str:
    """How many sentences are supported, by whom they were checked, and what became of the others."""
    written = [sentence for sentence in answer.sentences if not sentence.added]
    counting = sum(sentence.counts_only for sentence in written)
    verdicts = Counter(sentence.verdict for sentence in written if not sentence.counts_only)
    total, supported = verdicts.total(), verdicts["supported"]
    others = [f"{count:,} {name}" for verdict, name in VERDICTS.items() if verdict != "supported" and (count := verdicts[verdict])]
    rest = f"; {listed(others)}" if others else ""
    by = listed([one_line(judge) for judge in dict.fromkeys(judge for sentence in written for judge in sentence.judges)])
    added = len(answer.sentences) - len(written)
    said = [
        f"{number(total, 'sentence')} checked against the titles and abstracts cited, by {by}: {supported:,} supported "
        f"({supported / total * 100:.0f} %){rest}."
        if total
        else "",
        f"{number(counting, 'sentence counts', 'sentences count')} the studies as this run read them; whether each one's yes or no "
        "was read rightly is not checked."
        if counting
        else "",
        f"{number(answer.support.removed, 'more was', 'more were')} removed." if answer.support.removed else "",
        f"{number(added, 'more was', 'more were')} added by {PROGRAM}, from the evidence table." if added else "",
        "A check can err: the passages are named, and the citations lead to the articles.",
    ]
    return " ".join(part for part in said if part)


def _marked(answer: Answer, part: Part, reasons: list[str]) -> str:
    """The text of a part; each sentence that is not supported gets a letter, and its reason is put in ``reasons``."""
    sentences = [sentence for sentence in answer.sentences if sentence.part == part]
    if not sentences:
        return printable(answer.tldr if part == "tldr" else answer.synthesis).strip()
    marks = list(_marks())
    pieces = []
    for sentence in sentences:
        mark = ""
        if sentence.verdict != "supported":
            mark = f" ({marks[len(reasons) % len(marks)]})"
            why = one_line(sentence.why).rstrip(".")
            reasons.append(f"{VERDICTS[sentence.verdict]}{': ' + why if why else ''}.")
        pieces.append(printable(sentence.lead + sentence.text) + mark)
    return "".join(pieces).strip()


def _marks() -> list[str]:
    """``!a``, ``!b`` … ``!z``, ``!aa`` …: marks that no citation number can be taken for."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    return [f"!{first}{second}" for first in ["", *letters] for second in letters]


def _unanswered(answer: Answer) -> list[Block]:
    """What stands in place of a synthesis where a run came to its end without one."""
    why = unanswered(answer)
    if not why.widen:
        return [Heading(why.heading), Paragraph(f"{why.said} This says nothing about what studies there are.")]
    near = [Item(f"{one_line(article.title)} ({one_line(article.reason)})") for article in near_misses(answer)]
    blocks: list[Block] = [Heading(why.heading), Paragraph(why.said)]
    if near:
        blocks += [Paragraph("Nearest to the question, and why they are not relevant:"), Items(tuple(near))]
    return [
        *blocks,
        Paragraph("This says nothing about whether such studies exist. To search more widely:"),
        Items(tuple(Item(way + ".") for way in ways_to_widen(answer))),
    ]


def _references(references: tuple[Reference, ...]) -> list[Block]:
    if not references:
        return []
    items = []
    for reference in references:
        flags = f" ({one_line('; '.join(reference.flags))})" if reference.flags else ""
        mark = f"[{reference.n}]{'*' if reference.cited else ''}"
        items.append(Item(one_line(reference.citation) + flags, mark, reference.url))
    return [Heading("References (* cited above)"), Items(tuple(items))]


def _searched(answer: Answer) -> list[Block]:
    if not answer.queries:
        return []
    items = [Item(_query(query), f"{name_of(query, place)}.") for place, query in enumerate(answer.queries, 1)]
    blocks: list[Block] = [Heading("What was searched"), Items(tuple(items))]
    if left_out := _left_out(answer):
        blocks.append(Paragraph(left_out))
    if lines := how_searched(answer):
        blocks += [Heading("How it was searched"), Items(tuple(Item(line) for line in lines))]
    return blocks


def _query(query: SearchedQuery) -> str:
    """``text → 1,234 hits, best 16 taken`` (or ``→ failed``) and below it what the source said about it."""
    hits = "failed" if failed_search(query) else number(query.count, "hit")
    if query.count > len(query.ids):
        hits += f", best {len(query.ids):,} taken"
    breadth = f"{query.breadth}: " if query.breadth else ""
    lines = [f"{breadth}{one_line(query.text)} → {hits}"]
    if query.sent and query.sent != query.text:
        lines.append(f"sent as: {one_line(query.sent)}")
    if query.translation and query.translation not in (query.sent, query.text):
        lines.append(f"read as: {one_line(query.translation)}")
    lines += [f"note: {one_line(warning)}" for warning in query.warnings if warning]
    return "\n".join(lines)


def _left_out(answer: Answer) -> str:
    """One line on the articles that did not reach the synthesis."""
    counts = answer.counts
    irrelevant = sum(article.relevant is False for article in answer.articles)
    unsummarised = counts.relevant - counts.summarised
    parts = [
        f"{irrelevant:,} judged not relevant" if irrelevant else "",
        f"{counts.withheld:,} withheld" if counts.withheld else "",
        f"{counts.screened_out:,} not judged" if counts.screened_out else "",
        f"{unsummarised:,} relevant but not summarised" if unsummarised > 0 else "",
    ]
    named = [part for part in parts if part]
    return f"Left out: {listed(named)}; the reasons stand in the JSON form of this answer." if named else ""


def _figures(answer: Answer) -> str:
    """One line of counts, time, tokens and cost."""
    counts, usage = answer.counts, answer.usage
    parts = [
        f"{number(counts.found, 'article')} found",
        f"{counts.judged:,} judged",
        f"{counts.relevant:,} relevant",
        f"{counts.summarised:,} summarised",
        f"{counts.cited:,} cited",
        seconds(answer.timings["total"]) if "total" in answer.timings else "",
        used(usage) if set(model_names(answer)) != {EXTRACTIVE} else "no language model used",
    ]
    return " · ".join(part for part in parts if part)


def used(usage: StageUsage) -> str:
    """Tokens, model calls and cost."""
    tokens = usage.prompt_tokens + usage.completion_tokens
    calls = number(usage.calls + usage.cached, "model call") + (f", {usage.cached:,} from the cache" if usage.cached else "")
    return f"{number(tokens, 'token')} in {calls} · {cost(usage)}" if tokens else f"{calls} · {cost(usage)}"


def model_names(answer: Answer) -> list[str]:
    """The names of the models, each once."""
    models = answer.settings.get("models")
    return list(dict.fromkeys(map(str, models.values()))) if isinstance(models, Mapping) else []


def made_with(answer: Answer) -> str:
    """One line of models, source, day and version."""
    settings = answer.settings
    shown = [EXTRACTIVE_SHOWN if name == EXTRACTIVE else one_line(name) for name in model_names(answer)]
    regime = settings.get("regime", "unrestricted")
    parts = [
        f"{'Model' if len(shown) == 1 else 'Models'}: {listed(shown)}" if shown else "",
        f"source: {source_name(str(settings['source']))}" if "source" in settings else "",
        f"regime: {regime}" if regime != "unrestricted" else "",
        f"searched on {day(answer.searched_on)}",
        f"clinfo {settings['version']}" if "version" in settings else "",
    ]
    return " · ".join(part for part in parts if part)
