"""News between two answers: nothing for the same, each difference once, with its reason."""

from dataclasses import replace

import pytest

from clinfo.pipelines.literature.answer import build_answer
from clinfo.pipelines.literature.events import ArticleExcluded, ArticleJudged, EvidenceAppraised
from clinfo.records.answer import Answer
from clinfo.records.articles import Judgement
from clinfo.runs.events import Event
from clinfo.views.what_is_new import what_is_new
from tests.webapp.handmade import MODEL, handmade


def answer(events: list[Event]) -> Answer:
    return build_answer(events)


@pytest.fixture
def before() -> Answer:
    return answer(handmade())


def test_the_same_answer_has_nothing_new_and_says_so(before: Answer) -> None:
    found = what_is_new(before, before)
    assert (found.new, found.gone, found.changed, found.verdicts, found.tldr) == (
        (),
        (),
        (),
        (),
        (),
    )
    assert found.said == (
        "Nothing has changed: the same 4 studies, the same stances and verdicts, the same TL;DR."
    )


def excluded(id: str, reason: str) -> list[Event]:
    """The run in which an article was taken out, after the fetch, for this reason."""
    events = handmade(end=False)
    place = next(i for i, event in enumerate(events) if isinstance(event, ArticleExcluded))
    events.insert(place, ArticleExcluded(id=id, reason=reason))
    kept = [
        event
        for event in events
        if not (isinstance(event, ArticleJudged) and event.judgement.id == id)
    ]
    return [replace(event, seq=seq) for seq, event in enumerate(kept)]


def test_a_retracted_study_is_gone_with_that_reason_and_new_the_other_way_round(
    before: Answer,
) -> None:
    now = answer(excluded("pmid:102", "retracted: the data were made up"))
    found = what_is_new(before, now)
    (gone,) = found.gone
    assert (gone.n, gone.url) == (None, "https://pubmed.ncbi.nlm.nih.gov/102/")
    assert gone.text == "excluded now: retracted: the data were made up"
    assert found.said.startswith("1 study is gone.")
    (new,) = what_is_new(now, before).new
    assert (new.n, new.text) == (2, "excluded then: retracted: the data were made up")


def test_a_study_that_was_not_found_then_is_new(before: Answer) -> None:
    without = replace(
        before,
        references=before.references[1:],
        articles=tuple(one for one in before.articles if one.id != "pmid:101"),
        queries=tuple(
            replace(query, ids=tuple(id for id in query.ids if id != "pmid:101"))
            for query in before.queries
        ),
    )
    (new,) = what_is_new(without, before).new
    assert (new.n, new.text) == (1, "not found then")
    (gone,) = what_is_new(before, without).gone
    assert gone.text == "no longer found"


def test_a_study_judged_otherwise_says_both_ways(before: Answer) -> None:
    events = [
        replace(event, judgement=Judgement("pmid:103", False, "It has no comparison.", MODEL))
        if isinstance(event, ArticleJudged) and event.judgement.id == "pmid:103"
        else event
        for event in handmade(end=False)
    ]
    (gone,) = what_is_new(before, answer(events)).gone
    assert gone.text == "not relevant now: It has no comparison."


def test_changed_stances_verdicts_and_notices_are_told_with_what_was(before: Answer) -> None:
    row = before.appraisal.rows[0]
    first = replace(before.sentences[0], verdict="contradicted", reason="")
    now = replace(
        before,
        appraisal=replace(
            before.appraisal,
            rows=(
                replace(row, stance="mixed", result="mixed"),
                *before.appraisal.rows[1:],
            ),
        ),
        references=tuple(
            replace(one, flags=(*one.flags, "expression of concern")) if one.id == row.id else one
            for one in before.references
        ),
        sentences=(first, *before.sentences[1:]),
    )
    assert row.stance == "contradicts"
    found = what_is_new(before, now)
    (changed,) = found.changed
    assert changed.text == (
        "found mixed results; then: found no clear difference; new: expression of concern"
    )
    (verdict,) = found.verdicts
    assert (verdict.was, verdict.now) == ("supported", "contradicted by its source")
    assert "[1]" not in verdict.text
    assert found.said == (
        "1 study is read differently and 1 verdict on a sentence changed. The TL;DR is the same."
    )


def test_the_tldr_is_compared_word_by_word_without_its_numbers(before: Answer) -> None:
    then = replace(before, tldr="Drug A lowers mortality [1][3] (95% CI [0.6, 0.9]).")
    renumbered = replace(before, tldr="Drug A lowers mortality [2, 4] (95% CI [0.6, 0.9]).")
    assert what_is_new(then, renumbered).tldr == ()
    now = replace(before, tldr="Drug A may lower mortality [1] (95% CI [0.6, 0.9]).")
    assert what_is_new(then, now).tldr == (
        (" ", "Drug A"),
        ("-", "lowers"),
        ("+", "may lower"),
        (" ", "mortality (95% CI [0.6, 0.9])."),
    )
    assert what_is_new(then, now).said.endswith("The TL;DR changed.")
    assert what_is_new(replace(before, tldr=""), then).tldr[0][0] == "+"


def test_one_article_under_two_sources_ids_is_one_study(before: Answer) -> None:
    other = replace(
        before,
        references=tuple(replace(one, id=f"s2:{one.n}") for one in before.references),
    )
    found = what_is_new(before, other)
    assert (found.new, found.gone) == ((), ())


def test_an_answer_without_an_appraisal_can_be_compared() -> None:
    events = [event for event in handmade(end=False) if not isinstance(event, EvidenceAppraised)]
    assert what_is_new(answer(events), answer(handmade())).changed == ()
