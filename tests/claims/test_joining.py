"""Combines the verdicts of several judges on one sentence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from clinfo.claims.joining import CARRIED, CONDEMNED, Opinion, joined
from clinfo.records.articles import Sentence, Span, Verdict

HERE = Span(1, "abstract", 0, 9)
THERE = Span(1, "title", 0, 4)


def ruled(verdict: Verdict, near: bool = False, counts_only: bool = False) -> Sentence:
    why = {"not_verified": "no check could confirm this wording"}.get(verdict, "by rules")
    return Sentence(
        "synthesis",
        "Zinc works [1].",
        (1,),
        verdict,
        why,
        (HERE,),
        near=near,
        counts_only=counts_only,
    )


def opinion(verdict: Verdict | None, judge: str = "a-model", own: bool = False) -> Opinion:
    return Opinion(
        judge,
        verdict,
        "said so" if verdict else "it gave no verdict",
        (THERE,) if verdict else (),
        own,
    )


def test_without_another_judge_that_of_the_rules_stands() -> None:
    assert joined(ruled("partial"), []) == ruled("partial")


@pytest.mark.parametrize("verdict", ["supported", "partial", "unsupported", "contradicted"])
def test_outside_near_wording_the_other_judge_lifts_or_condemns_and_its_reason_alone_is_given(
    verdict: Verdict,
) -> None:
    final = joined(ruled("not_verified"), [opinion(verdict)])
    assert (final.verdict, final.reason, final.judges, final.spans) == (
        verdict,
        "a-model: said so",
        ("a-model",),
        (THERE,),
    )


@pytest.mark.parametrize("verdict", ["supported", "partial"])
def test_what_rules_say_for_wording_that_is_not_near_counts_for_nothing(verdict: Verdict) -> None:
    final = joined(ruled(verdict), [opinion(None)])
    assert (final.verdict, final.reason) == ("not_verified", "it gave no verdict")
    assert joined(ruled(verdict), [opinion("contradicted")]).verdict == "contradicted"


@pytest.mark.parametrize("rules", ["supported", "partial", "unsupported", "contradicted"])
def test_a_judge_that_fails_leaves_what_the_rules_could_tell_of_near_wording(
    rules: Verdict,
) -> None:
    final = joined(ruled(rules, near=True), [opinion(None)])
    assert (final.verdict, final.judges) == (rules, ("rules",))
    assert final.reason == "by rules; it gave no verdict"


def test_a_judge_that_fails_on_other_wording_leaves_it_not_verified_and_a_wrong_figure_condemned() -> (  # noqa: E501
    None
):
    final = joined(ruled("not_verified"), [opinion(None)])
    assert (final.verdict, final.reason) == (
        "not_verified",
        "no check could confirm this wording; it gave no verdict",
    )
    assert joined(ruled("unsupported"), [opinion(None)]).verdict == "unsupported"


@pytest.mark.parametrize("near", [True, False])
@pytest.mark.parametrize("against", sorted(CONDEMNED))
def test_judges_in_conflict_leave_a_sentence_not_verified(against: Verdict, near: bool) -> None:
    final = joined(ruled(against, near), [opinion("supported")])
    assert (final.verdict, final.judges) == ("not_verified", ("rules", "a-model"))
    assert (
        final.reason
        == f"the judges disagree; rules: {against}, by rules; a-model: supported, said so"
    )
    assert joined(ruled("supported", near=True), [opinion(against)]).verdict == "not_verified"
    assert (
        joined(
            ruled("not_verified"), [opinion(against, "one"), opinion("supported", "two")]
        ).verdict
        == "not_verified"
    )


def test_a_model_does_not_outweigh_the_rules_for_its_own_text() -> None:
    assert joined(ruled("unsupported"), [opinion("supported", own=True)]).verdict == "unsupported"
    assert joined(ruled("not_verified"), [opinion("supported", own=True)]).verdict == "supported"


def test_of_verdicts_that_do_not_conflict_the_graver_stands() -> None:
    assert joined(ruled("partial", near=True), [opinion("supported")]).verdict == "partial"
    assert joined(ruled("unsupported"), [opinion("partial")]).verdict == "unsupported"
    both = joined(ruled("supported", near=True), [opinion("supported")])
    assert (both.verdict, both.judges, both.spans) == (
        "supported",
        ("rules", "a-model"),
        (THERE, HERE),
    )
    assert both.reason == "rules: by rules; a-model: said so"


def test_a_judge_alone_is_not_joined_to_the_rules() -> None:
    assert (
        joined(ruled("contradicted", near=True), [opinion("supported")], alone=True).verdict
        == "supported"
    )
    assert (
        joined(ruled("supported", near=True), [opinion(None)], alone=True).verdict == "not_verified"
    )


def test_counts_of_studies_stay_apart_whoever_agrees() -> None:
    counting = ruled("not_verified", counts_only=True)
    for verdict in sorted(CARRIED):
        final = joined(counting, [opinion(verdict)])
        assert (final.verdict, final.counts_only) == (
            ("not_verified", True) if verdict == "supported" else (verdict, False)
        )
    condemned = joined(counting, [opinion("unsupported")])
    assert (condemned.verdict, condemned.counts_only) == ("not_verified", False)


def test_a_text_without_citation_stays_so_unless_a_judge_could_tell() -> None:
    bare = replace(ruled("uncited"), cites=())
    assert joined(bare, [opinion(None)]).verdict == "uncited"
    assert joined(bare, [opinion("supported")]).verdict == "supported"
