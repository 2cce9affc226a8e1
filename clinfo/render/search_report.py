"""The search report of an answer, in lines: how the question was understood, each query's share,
seed studies, links.
"""

from clinfo.records.answer import Answer
from clinfo.records.articles import SeedStudy
from clinfo.text.wording import listed, number, one_line
from clinfo.views.queries import failed_search, found_by_queries, understood

MOST_COMPARED = 5
"""Queries; with more of them the pairs would fill the page."""


def how_searched(answer: Answer) -> list[str]:
    """A line for each thing that is known beyond the queries themselves; none where there is
    nothing to say.
    """
    lines = (
        [f"Understood as: {one_line(understood(answer.understood))}."] if answer.understood else []
    )
    lines += overlap_lines(answer)
    lines += chase_lines(answer)
    lines += seed_study_lines(answer)
    return lines + strategy_lines(answer) + term_lines(answer)


def overlap_lines(answer: Answer) -> list[str]:
    """Return what each query alone brought, and what any two share."""
    queries = {
        query.number: query for query in answer.queries if query.number and not failed_search(query)
    }
    if len(queries) < 2 or not any(query.ids for query in queries.values()):
        return []
    alone = [
        f"{len(query.unique):,} of {len(query.ids):,} by query {name}"
        for name, query in queries.items()
    ]
    lines = [f"Found by one query only: {listed(alone)}."]
    pairs = [(one.queries, one.shared) for one in answer.search_report.overlap]
    if len(queries) <= MOST_COMPARED and any(shared for _, shared in pairs):
        lines.append(
            "Found by two queries: "
            f"{listed([f'{shared:,} by queries {one} and {two}' for (one, two), shared in pairs])}."
        )
    return lines


def chase_lines(answer: Answer) -> list[str]:
    """Return which links were followed, and how many articles they led to."""
    chase = answer.search_report.chase
    if chase is None:
        return []
    kinds = f"{chase.similar:,} similar, {chase.citing:,} citing and {chase.cited:,} cited"
    began = number(len(chase.began), "relevant article")
    return [
        (
            f"Links from {began} led to {kinds} articles; {chase.new:,} of them were new and "
            f"{chase.taken:,} of these were retrieved."
        )
    ]


def seed_study_lines(answer: Answer) -> list[str]:
    """Return what became of each seed study, under a line that sums them up."""
    known = answer.search_report.seed_studies
    if not known:
        return []
    asked = {query.number: query.asked for query in answer.queries}
    linked = sum(item.chased for item in known)
    links = f"; {linked:,} by a link from a relevant article" if linked else ""
    lines = [f"Seed studies: {found_by_queries(known)}{links}."]
    return lines + [f"Seed study {item.pmid}: {one_line(_known(item, asked))}." for item in known]


def _known(item: SeedStudy, asked: dict[int, int]) -> str:
    if item.in_source is False:
        return "not in the source"
    parts = []
    for hit in item.hits:
        rank = f"at rank {hit.rank:,}" if hit.rank is not None else "at an unknown rank"
        more = "" if hit.within else f", beyond the {asked.get(hit.query, 0):,} asked for"
        parts.append(f"found by query {hit.query} {rank}{more}")
    for loss in item.losses:
        where = [
            *(f"“{part}”" for part in loss.parts),
            *(["the filter or the dates"] if loss.limits else []),
        ]
        parts.append(f"query {loss.query} loses it{f' at {listed(where)}' if where else ''}")
    if item.unanswered:
        queries = (
            f"{'query' if len(item.unanswered) == 1 else 'queries'} "
            f"{listed([str(one) for one in item.unanswered])}"
        )
        parts.append(f"the source did not say whether {queries} would find it")
    if item.chased:
        parts.append("found by a link")
    if not parts:
        parts.append("found by no query" if item.in_source else "not among the articles retrieved")
    return "; ".join([*parts, *([item.became] if item.became else [])])


def strategy_lines(answer: Answer) -> list[str]:
    """The hits of each line of the strategies that the user gave."""
    lines = []
    for line in answer.search_report.lines:
        hits = "not known" if line.count is None else number(line.count, "hit")
        lines.append(f"Line #{line.number} of query {line.query}: {hits}: {one_line(line.text)}")
    return lines


def term_lines(answer: Answer) -> list[str]:
    """The hits of each term by itself."""
    proof = answer.search_report
    lines = []
    for term in proof.terms:
        hits = "not known" if term.count is None else number(term.count, "hit")
        names = listed([f"{name}" for name in term.queries])
        queries = "query" if len(term.queries) == 1 else "queries"
        lines.append(f"{one_line(term.term)} alone: {hits} ({queries} {names})")
    if proof.terms_left_out:
        lines.append(f"Not requested: {number(proof.terms_left_out, 'more term')}.")
    return lines
