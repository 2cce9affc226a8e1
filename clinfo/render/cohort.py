"""A cohort as rows of a table, and as a page of text."""

from collections.abc import Iterator, Mapping
from typing import Any

from clinfo.text.wording import one_line

_UNCLEAR = 4
"""Quotations of what is unclear, such as codes without a name, that a page shows."""


def csv_rows(answer: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """A heading, and a row for each sentence behind each criterion of each member."""
    yield ("member", "criterion", "quote", "date")
    for member in answer["members"]:
        for criterion in member["criteria"]:
            for span in criterion["spans"] or [{"quote": criterion.get("basis", ""), "date": ""}]:
                row = (member["id"], criterion["text"], span["quote"])
                yield (*map(_cell, row), span["date"][:10])


def _cell(text: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def page(answer: Mapping[str, Any], shown: int) -> str:
    """The form, how many are left after each criterion, and so many members with the sentences
    behind them.
    """
    counts, members = answer["counts"], answer["members"]
    lines = [f"Read as: {answer['text']}", *worth_knowing(answer), ""]
    for row in answer["attrition"]:
        alone = "" if row["alone"] == row["left"] else f" (alone: {_said(row['alone'])})"
        lines.append(f"{_said(row['left']):>8} left: {row['criterion']}{alone}")
    lines += ["", in_words(counts)]
    for member in members[:shown]:
        lines += ["", member["id"], *_criteria(member)]
    found = counts["members"]
    if isinstance(found, int) and (more := found - len(members[:shown])) > 0:
        lines += ["", f"and {more:,} more: --json or --csv prints all"]
    for other in answer.get("others", []):
        lines += ["", f"not {other['id']}", *_criteria(other)]
    return "\n".join(lines)


def worth_knowing(answer: Mapping[str, Any]) -> list[str]:
    """Lines on what was assumed, and where the form finds otherwise than its words may say."""
    assumed = [f"Assumed: {one}" for one in answer.get("assumptions", ())]
    return assumed + [f"Note: {one}" for one in answer.get("caveats", ())]


def in_words(counts: Mapping[str, Any]) -> str:
    """``1 matches · 62 do not · 11 undocumented``; counts are numbers, or ranges in words."""
    match, against, unknown = (
        _said(counts[name]) for name in ("members", "not_matching", "not_documented")
    )
    return (
        f"{match} {'matches' if match == '1' else 'match'} · "
        f"{against} {'does' if against == '1' else 'do'} not · {unknown} undocumented"
    )


def _said(count: int | str) -> str:
    return f"{count:,}" if isinstance(count, int) else count


def _criteria(patient: Mapping[str, Any]) -> Iterator[str]:
    for criterion in patient["criteria"]:
        spans = criterion["spans"]
        known = criterion["verdict"] != "not documented"
        quote = "; ".join(
            f"“{one_line(span['quote'])}” ({span['date'][:10] or 'no date'})"
            for span in spans[: 1 if known else _UNCLEAR]
        )
        more = "" if known or len(spans) <= _UNCLEAR else f"; {len(spans) - _UNCLEAR} more (--json)"
        quote = f"{quote}{more}" or criterion.get("basis", "")
        yield f"  {criterion['verdict']}: {criterion['text']}  {quote}"
