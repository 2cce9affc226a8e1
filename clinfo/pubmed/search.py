"""The one way in which a local source answers a query: read, translated, evaluated, and everything
told that was left out.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date

from clinfo.pubmed.dates import published_ranges, written
from clinfo.pubmed.plan import All, AnyOf, Days, Engine, Everything, Plan, Sort, Unscored, Without
from clinfo.pubmed.query import parse
from clinfo.pubmed.translate import Translation, translate
from clinfo.pubmed.tree import Parsed
from clinfo.records.articles import Outcome, SearchRequest, SearchResult
from clinfo.terms.mesh import Mesh

NOTHING_FOUND = "No items found."
"""PubMed's message for a search without hits."""


@dataclass(frozen=True)
class Found:
    """The answer to a query. ``ids`` are those asked for, ``count`` is all hits; ``plan`` is what
    was evaluated, limits and all.

    ``warnings`` are sentences for a reader, ``dropped`` the phrases, terms and fields that were
    left out or not found.
    """

    count: int
    ids: tuple[str, ...]
    parsed: Parsed
    translation: Translation
    plan: Plan
    outcome: Outcome
    dropped: tuple[str, ...]
    warnings: tuple[str, ...]

    def result(self, request: SearchRequest, sent_at: str) -> SearchResult:
        """The answer to a request of that moment, as sources give it."""
        return SearchResult(
            sent=sent_text(request),
            ids=self.ids,
            count=self.count,
            sort="relevance",
            sent_at=sent_at,
            translation=self.translation.text if self.translation.decides else None,
            warnings=self.warnings,
            outcome=self.outcome,
            dropped=self.dropped,
        )


def search(
    text: str,
    engine: Engine,
    mesh: Mesh | None,
    limit: int,
    offset: int = 0,
    sort: Sort = "relevance",
    today: date | None = None,
    history: Mapping[int, Plan] = {},
    *,
    filter: str | None = None,
    within: Plan | None = None,
    leave_out_unfilled: bool = False,
) -> Found:
    """Return what ``engine`` has for a query in PubMed's language; ids ``offset`` to ``offset +
    limit`` of the hits.

    ``filter`` is another query, AND-ed in its own parentheses, and ``within`` a plan that narrows
    the hits; neither counts for relevance. ``today`` is what "last 5 years" goes by (default: this
    machine's date). Where the words that were mapped automatically find nothing, the query is read
    once more with them as they are, as PubMed does ("Schema: all"). Other parameters as of
    `translate`. Raises QueryRejected.
    """
    today = today or date.today()

    def read(parsed: Parsed, automatic: bool = True) -> Translation:
        return translate(
            parsed,
            engine,
            mesh,
            today,
            history,
            automatic=automatic,
            leave_out_unfilled=leave_out_unfilled,
        )

    parsed = parse(text)
    translation = read(parsed)
    narrowed = read(parse(filter)) if filter else None
    limits = [Unscored(narrowed.plan)] if narrowed is not None and narrowed.decides else []
    if within is not None:
        limits.append(Unscored(within))

    def limited(plan: Plan) -> Plan:
        return All((plan, *limits)) if limits else plan

    plan = limited(translation.plan)
    count, ids = engine.best(plan, limit, offset, sort)
    if count == 0 and translation.mapped and not (limits and engine.count(translation.plan)):
        plain = read(parsed, automatic=False)
        if engine.count(plain.plan):
            translation = replace(plain, messages=(*plain.messages, "Schema: all"))
            plan = limited(plain.plan)
            count, ids = engine.best(plan, limit, offset, sort)
    if count == 0:
        translation = replace(translation, messages=(*translation.messages, NOTHING_FOUND))
    if narrowed is not None and narrowed.decides:
        translation = replace(translation, text=f"({translation.text}) AND ({narrowed.text})")
    read_ones = [translation] if narrowed is None else [translation, narrowed]
    dropped = tuple(
        dict.fromkeys(
            one
            for each in read_ones
            for one in (
                *each.phrases_not_found,
                *each.quoted_phrases_not_found,
                *each.fields_not_found,
                *each.unfilled,
            )
        )
    )
    outcome: Outcome = "zero" if count == 0 else "partly dropped" if dropped else "complete"
    empty = [] if translation.decides else ["The query contains no searchable word."]
    warnings = tuple(
        dict.fromkeys([*empty, *(warning for each in read_ones for warning in _warnings(each))])
    )
    return Found(count, tuple(ids), parsed, translation, plan, outcome, dropped, warnings)


def published_within(request: SearchRequest) -> Plan | None:
    """The limits of a request on dates of publication as a plan, None where there are none.

    Wide, as a request allows: it loses no record that may lie within them, and keeps those without
    a date.
    """
    ranges = published_ranges(request)
    if not ranges:
        return None
    stores = ("dp", "epdat")
    undated = Without(Everything(), Days(stores, date.min, date.max))
    return AnyOf((All(tuple(Days(stores, first, last) for first, last in ranges)), undated))


def sent_text(request: SearchRequest) -> str:
    """The query with the filter and the dates that narrow it, in PubMed's language.

    The dates stand as they were evaluated, but for records without a date, which they do not
    exclude (`published_within`).
    """
    limits = [f"({request.filter})"] if request.filter else []
    for first, last in published_ranges(request):
        start = "1000/01/01" if first == date.min else written(first)
        end = "3000" if last == date.max else written(last)
        limits.append(f'("{start}"[dp] : "{end}"[dp])')
    return " AND ".join([f"({request.query})", *limits]) if limits else request.query


def _warnings(told: Translation) -> list[str]:
    quoted = (one for one in told.quoted_phrases_not_found if one not in told.unquoted)
    every = (
        ((*told.phrases_not_found, *quoted), "No record here has {}."),
        (
            told.unquoted,
            "No record here has the phrase {}; its words were searched instead.",
        ),
        (told.as_words, "No record here has MeSH headings; searched as words: {}."),
        (
            told.fields_not_found,
            "PubMed has no field {}; the term was searched without it.",
        ),
        (told.unfilled, "No record here has the field of {}; it was ignored."),
        (told.phrases_ignored, "Too common to search for: {}."),
    )
    return [*(form.format(_named(some)) for some, form in every if some), *told.remarks]


def _named(terms: Iterable[str]) -> str:
    return ", ".join(term if '"' in term else f'"{term}"' for term in terms)
