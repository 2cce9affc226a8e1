"""A checked reference list as values for JSON."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, get_args

from clinfo.integrity.reference_check import Checked
from clinfo.records.appraisal import NoticeKind


def reference_form(one: Checked) -> dict[str, Any]:
    """One reference: what it says of itself, by what it was checked, its notices and remarks."""
    article = one.listed.article
    notices = [
        {key: value for key, value in asdict(notice).items() if key != "id"}
        for notice in one.notices
    ]
    return {
        "n": one.listed.place,
        "line": one.listed.line,
        "pmid": article.pmid,
        "doi": article.doi,
        "title": article.title,
        "checked_by": one.how,
        "record": one.record.id if one.record else None,
        "record_title": one.record.title if one.record else None,
        "notices": notices,
        "remarks": list(one.remarks),
    }


def reference_counts(checked: Sequence[Checked]) -> dict[str, Any]:
    """Counts of references by what they were checked with, and `kinds_found`."""
    how = Counter(one.how for one in checked)
    return {
        "references": len(checked),
        "by_record": how["record"],
        "by_list_alone": how["list"],
        "not_found": how["not found"],
        "not_identified": how["not identified"],
        "kinds": kinds_found(checked),
    }


def kinds_found(checked: Sequence[Checked]) -> dict[str, int]:
    """Counts of references with a notice of each kind, gravest first."""
    counted = Counter[str](notice.kind for one in checked for notice in one.notices)
    return {kind: counted[kind] for kind in get_args(NoticeKind) if counted[kind]}
