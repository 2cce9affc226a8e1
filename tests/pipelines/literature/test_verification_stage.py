"""What a run does with what a model wrote: summaries checked, sentences repaired or removed,
conflicts said, judges asked.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, get_args

import pytest

from clinfo.claims.learned import Entailment, EntailmentJudge
from clinfo.errors import IdentifiersFound, ModelError
from clinfo.integrity.retractions import Entry, Loaded, Retractions
from clinfo.pipelines.literature.chain import Chain
from clinfo.pipelines.literature.declared import JUDGE_STAGE, MODEL_STAGES
from clinfo.pipelines.literature.synthesize import UNSAID
from clinfo.records.articles import Article, Correction, RunRequest, Section, Verdict
from clinfo.runs.events import Answered, Event, RunFailed
from clinfo.runs.protocols import MAX_OUTPUT_TOKENS, ModelRequest
from tests import fakes
from tests.fakes import FakeModel, FakeSource, articles, request, run_events, sensible_reply

Reply = Callable[[ModelRequest], str]


def answer_of(events: Sequence[Event]) -> dict[str, Any]:
    assert isinstance(events[-1], Answered), events[-1]
    return events[-1].answer


def replying(stage: str, *texts: str) -> Reply:
    """A model that says ``texts`` one after another in a stage (the last one for good) and is
    sensible elsewhere.
    """
    left = list(texts)

    def reply(asked: ModelRequest) -> str:
        if asked.stage != stage:
            return sensible_reply(asked)
        return left.pop(0) if len(left) > 1 else left[0]

    return reply


def summary(finding: str) -> str:
    return json.dumps({"finding": finding, "relation": "supports", "direction": "decreased"})


TRUE = "In 10 adults, vitamin D and falls: 1.5% fewer."
FALSE = "In 10 adults, vitamin D and falls: 8.25% fewer."


def test_a_summary_is_checked_against_its_article_and_stays_with_its_verdicts():
    answer = answer_of(
        run_events(
            request(),
            FakeModel(replying("summary", summary(f"{TRUE} {FALSE}"))),
            FakeSource(articles(1)),
        )
    )
    (read,) = answer["articles"]
    assert read["summary_check"][0]["verdict"] == "supported"
    assert read["summary_check"][1]["verdict"] in ("unsupported", "contradicted")
    assert read["summary_check"][1]["in"] == "summary"
    assert read["summary"]["finding"] == f"{TRUE} {FALSE}"


def test_a_strict_run_has_a_summary_repaired_once():
    model = FakeModel(replying("summary", summary(FALSE), summary(TRUE)))
    (read,) = answer_of(run_events(request(strict=True), model, FakeSource(articles(1))))[
        "articles"
    ]
    assert read["summary"]["finding"] == TRUE
    asked = [one for one in model.asked if one.stage == "summary"]
    assert len(asked) == 2
    assert "8.25%" in asked[1].messages[-1].content


def test_what_stays_unproved_in_a_summary_is_removed_in_a_strict_run():
    model = FakeModel(replying("summary", summary(f"{TRUE} {FALSE}")))
    (read,) = answer_of(run_events(request(strict=True), model, FakeSource(articles(1))))[
        "articles"
    ]
    assert read["summary"]["finding"] == TRUE
    assert len(read["summary_check"]) == 2
    model = FakeModel(replying("summary", summary(FALSE)))
    (read,) = answer_of(run_events(request(strict=True), model, FakeSource(articles(1))))[
        "articles"
    ]
    assert "8.25" not in read["summary"]["finding"]
    assert read["summary"]["stance"] is read["summary"]["effect_direction"] is None
    assert "could be supported" in read["summary"]["finding"]


def test_the_rate_of_support_counts_what_is_shown_and_names_what_was_removed():
    text = "Falls fell by 77% [1]. In 10 adults, vitamin D and falls: 1.5% fewer [1]."
    strict = answer_of(
        run_events(
            request(strict=True), FakeModel(replying("synthesis", text)), FakeSource(articles(1))
        )
    )
    assert strict["support"]["removed"] == 1
    assert strict["support"]["unsupported"] == strict["support"]["contradicted"] == 0
    shown = [one["verdict"] for one in strict["sentences"]]
    proved = [one for one in strict["sentences"] if not one["counts_only"]]
    assert strict["support"]["rate"] == sum(one["verdict"] == "supported" for one in proved) / len(
        shown
    )
    loose = answer_of(
        run_events(request(), FakeModel(replying("synthesis", text)), FakeSource(articles(1)))
    )
    assert loose["support"]["removed"] == 0
    assert loose["support"]["unsupported"] + loose["support"]["contradicted"] == 1


def test_a_repair_of_which_nothing_may_stay_does_not_take_the_first_text_with_it():
    first = "Falls fell by 77% [1]. In 10 adults, vitamin D and falls: 1.5% fewer [1]."
    model = FakeModel(replying("synthesis", first, "Falls fell by 66% [1]."))
    answer = answer_of(run_events(request(strict=True), model, FakeSource(articles(1))))
    assert answer["synthesis"] == "In 10 adults, vitamin D and falls: 1.5% fewer [1]."
    assert answer["support"]["removed"] == 1


def opposed() -> list[Article]:
    """Two randomised trials of one question, one for and one against it."""
    texts = {
        "1": (
            "Vitamin D reduced falls: in this randomised controlled trial of 400 adults falls were "
            "significantly fewer."
        ),
        "2": "Vitamin D did not reduce falls in this randomised controlled trial of 500 adults.",
    }
    return [
        Article(
            f"pmid:{pmid}",
            f"Trial of vitamin D and falls ({pmid})",
            pmid=pmid,
            sections=(Section(text, "CONCLUSIONS"),),
            publication_types=("Randomized Controlled Trial",),
        )
        for pmid, text in texts.items()
    ]


def divided(synthesis: str, repaired: str = "") -> Reply:
    def reply(asked: ModelRequest) -> str:
        if asked.stage == "summary":
            against = asked.variables["article"].pmid == "2"
            text = asked.variables["article"].abstract.removeprefix("CONCLUSIONS: ")
            stance, direction = (
                ("contradicts", "no difference") if against else ("supports", "decreased")
            )
            return json.dumps(
                {
                    "finding": text,
                    "relation": stance,
                    "direction": direction,
                    "design": "randomised trial",
                }
            )
        if asked.stage == "synthesis":
            return repaired if asked.attempt and repaired else synthesis
        return sensible_reply(asked)

    return reply


ONE_SIDE = "Vitamin D reduced falls in a randomised controlled trial of 400 adults [1]."


def test_a_conflict_of_strong_studies_is_said_although_the_model_left_it_out():
    answer = answer_of(
        run_events(request(queries=1), FakeModel(divided(ONE_SIDE)), FakeSource(opposed()))
    )
    sides = dict(answer["appraisal"]["balance"]["conflict"]["sides"])
    assert set(sides) == {"supports", "contradicts"}
    assert ONE_SIDE in answer["synthesis"]
    added = [one for one in answer["sentences"] if one["in"] == "synthesis"][-1]
    assert "disagree" in added["text"]
    assert set(added["cites"]) == {1, 2}
    written = [one for one in answer["sentences"] if one["judges"] != ["this program"]]
    assert len(written) == len(answer["sentences"]) - 1
    assert added["judges"] == ["this program"]
    assert answer["support"]["added"] == 1
    proved = [one for one in written if not one["counts_only"]]
    assert answer["support"]["counted"] == len(written) - len(proved)
    assert answer["support"]["rate"] == sum(one["verdict"] == "supported" for one in proved) / len(
        written
    )
    assert sum(answer["support"][verdict] for verdict in get_args(Verdict)) == len(proved)
    assert any(
        "did not say that the strongest studies disagree" in warning
        for warning in answer["warnings"]
    )


def test_the_sentence_on_a_conflict_cites_also_what_the_model_was_not_shown():
    run = request(queries=1, strict=True)
    model = FakeModel(divided(ONE_SIDE))
    run_events(run, model, FakeSource(opposed()))
    whole = next(asked for asked in model.asked if asked.stage == "synthesis")
    room = sum(model.count_tokens(message.content) + 8 for message in whole.messages)
    model = FakeModel(divided(ONE_SIDE), context_tokens=MAX_OUTPUT_TOKENS + room - 10)
    answer = answer_of(run_events(run, model, FakeSource(opposed())))
    assert any("left out of the synthesis" in warning for warning in answer["warnings"])
    added = [one for one in answer["sentences"] if one["in"] == "synthesis"][-1]
    assert "disagree" in added["text"]
    named = {int(n) for n in re.findall(r"\[(\d+)\]", added["text"])}
    assert named == set(added["cites"])
    assert named <= {one["n"] for one in answer["references"] if one["cited"]}
    assert all(
        UNSAID not in asked.messages[-1].content
        for asked in model.asked
        if asked.stage == "synthesis"
    )


def test_a_strict_run_asks_the_model_to_say_the_conflict():
    both = (
        f"{ONE_SIDE} However, vitamin D did not reduce falls in a randomised controlled trial of "
        "500 adults [2]."
    )
    model = FakeModel(divided(ONE_SIDE, both))
    answer = answer_of(run_events(request(strict=True, queries=1), model, FakeSource(opposed())))
    assert answer["synthesis"] == both
    asked = [one for one in model.asked if one.stage == "synthesis"]
    assert len(asked) == 2
    assert UNSAID in asked[1].messages[-1].content
    said = answer_of(
        run_events(request(queries=1), FakeModel(divided(both)), FakeSource(opposed()))
    )
    assert said["synthesis"] == both


def test_a_tldr_that_hides_the_conflict_has_a_warning():
    def warned(tldr: str) -> bool:
        told = divided(ONE_SIDE)
        model = FakeModel(lambda asked: tldr if asked.stage == "tldr" else told(asked))
        answer = answer_of(run_events(request(queries=1), model, FakeSource(opposed())))
        return any(
            "The TL;DR does not say that the strongest studies disagree" in one
            for one in answer["warnings"]
        )

    assert warned("Vitamin D was studied for falls in adults [1].")
    assert not warned("These studies disagree on whether vitamin D reduces falls [1], [2].")
    assert not warned("The evidence of these studies is mixed.")
    agreed = answer_of(run_events(request(), FakeModel(), FakeSource(articles(2))))
    assert not any("TL;DR does not" in one for one in agreed["warnings"])


def test_references_to_what_was_not_retrieved_are_taken_out_of_brackets_and_condemned_elsewhere():
    text = (
        "In 10 adults, vitamin D and falls: 1.5% fewer (PMID 31999999) [1]. PMID 31999998 found "
        "1.5% fewer falls [1]."
    )
    answer = answer_of(
        run_events(request(), FakeModel(replying("synthesis", text)), FakeSource(articles(1)))
    )
    first, second = [one for one in answer["sentences"] if one["in"] == "synthesis"]
    assert first["text"] == "In 10 adults, vitamin D and falls: 1.5% fewer [1]."
    assert second["verdict"] in ("unsupported", "contradicted")
    assert "31999998" in second["reason"]
    assert any("31999999" in warning and "removed" in warning for warning in answer["warnings"])


# ---- the model judge


class Learned:
    """A learned judge that takes everything for entailed."""

    name = "an-nli"

    def entailments(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        return [Entailment(0.95, 0.04, 0.01)] * len(pairs)


def judged_events(
    run: RunRequest, reply: Reply, verdict: str, learned: EntailmentJudge | None = None
) -> tuple[list[Event], FakeModel]:
    quotes = [{"article": 1, "words": "vitamin D and falls"}]
    entries = [
        {"label": f"S{place}", "verdict": verdict, "reason": "As asked.", "quotes": quotes}
        for place in range(1, 13)
    ]
    judge = FakeModel(lambda asked: json.dumps({"verdicts": entries}))
    judge.name = "a-judge"
    chain = fakes.chain(FakeModel(reply), FakeSource(articles(1)), run)
    models = {**chain.models, JUDGE_STAGE: judge}
    chain = Chain(models, chain.source, chain.prompts, chain.budget, chain.clock, learned=learned)
    if learned is None:
        return fakes.collected(chain, run), judge

    async def collect() -> list[Event]:  # in real time: the learned judge works in a thread
        return [event async for event in chain.run(run)]

    return asyncio.run(collect()), judge


@pytest.mark.parametrize("verdict", ["supported", "contradicted"])
def test_the_model_judge_is_asked_once_for_each_group_of_sentences(verdict):
    run = request(
        judge="model", models={**dict.fromkeys(MODEL_STAGES, "fake"), JUDGE_STAGE: "a-judge"}
    )
    events, judge = judged_events(run, sensible_reply, verdict)
    answer = answer_of(events)
    synthesis = [one for one in answer["sentences"] if one["in"] == "synthesis"]
    assert {one["verdict"] for one in synthesis} == {verdict}
    assert {tuple(one["judges"]) for one in synthesis} == {("a-judge",)}
    assert len(judge.asked) == 3  # the summary, the synthesis, the TL;DR
    assert answer["settings"]["models"][JUDGE_STAGE] == "a-judge"
    assert answer["usage"]["by_stage"][JUDGE_STAGE]["calls"] == 3


def synthesis_of(answer: dict[str, Any]) -> list[dict[str, Any]]:
    return [one for one in answer["sentences"] if one["in"] == "synthesis"]


def test_judges_in_conflict_leave_a_sentence_in_a_strict_run_marked_not_verified():
    run = request(
        judge="both",
        strict=True,
        models={**dict.fromkeys(MODEL_STAGES, "fake"), JUDGE_STAGE: "a-judge"},
    )
    text = "Falls fell by 77% [1]. In 10 adults, vitamin D and falls: 1.5% fewer [1]."
    answer = answer_of(judged_events(run, replying("synthesis", text), "supported")[0])
    wrong, _ = synthesis_of(answer)
    assert (wrong["verdict"], wrong["judges"]) == ("not_verified", ["rules", "a-judge"])
    assert wrong["reason"].startswith("the judges disagree; rules: ")
    assert answer["counts"]["not_verified"] == answer["support"]["not_verified"] == 1
    assert answer["support"]["rate"] == answer["support"]["supported"] / answer["support"]["claims"]


def test_a_model_that_judges_its_own_text_is_named_so_and_does_not_outweigh_the_rules():
    run = request(
        judge="both",
        strict=True,
        models={**dict.fromkeys(MODEL_STAGES, "fake"), JUDGE_STAGE: "fake"},
    )
    text = "Falls fell by 77% [1]. In 10 adults, vitamin D and falls: 1.5% fewer [1]."
    answer = answer_of(judged_events(run, replying("synthesis", text), "supported")[0])
    (sentence,) = synthesis_of(answer)
    assert sentence["text"] == "In 10 adults, vitamin D and falls: 1.5% fewer [1]."
    assert sentence["judges"][-1] == "a-judge (judging its own text)"
    assert any("fake judged text that it wrote itself" in warning for warning in answer["warnings"])


def test_with_both_a_model_reads_the_answer_and_the_learned_judge_the_summaries():
    run = request(
        judge="both", models={**dict.fromkeys(MODEL_STAGES, "fake"), JUDGE_STAGE: "a-judge"}
    )
    events, judge = judged_events(run, sensible_reply, "supported", learned=Learned())
    answer = answer_of(events)
    assert {tuple(one["judges"])[-1] for one in answer["sentences"]} == {"a-judge"}
    (check,) = answer["articles"][0]["summary_check"]
    assert check["judges"][-1] == "an-nli"
    assert len(judge.asked) == 2  # the synthesis and the TL;DR, one call each
    assert answer["settings"]["learned_judge"] == "an-nli"


def test_a_learned_judge_reads_all_texts_where_it_is_asked():
    run = request(judge="learned")
    events, judge = judged_events(run, sensible_reply, "supported", learned=Learned())
    answer = answer_of(events)
    assert judge.asked == []
    assert {
        tuple(one["judges"])[-1]
        for one in (*synthesis_of(answer), *answer["articles"][0]["summary_check"])
    } == {"an-nli"}


def test_a_judge_that_fails_leaves_what_the_rules_could_tell():
    run = request(
        judge="both", models={**dict.fromkeys(MODEL_STAGES, "fake"), JUDGE_STAGE: "a-judge"}
    )
    chain = fakes.chain(FakeModel(), FakeSource(articles(1)), run)
    judge = FakeModel(lambda asked: ModelError("out of order"))
    events = fakes.collected(
        Chain(
            {**chain.models, JUDGE_STAGE: judge},
            chain.source,
            chain.prompts,
            chain.budget,
            chain.clock,
        ),
        run,
    )
    synthesis = synthesis_of(answer_of(events))
    assert {one["verdict"] for one in synthesis} <= (
        {"supported", "partial"} if synthesis[0]["near"] else {"not_verified"}
    )
    assert all(
        one["reason"].endswith("the model judge gave no verdict (out of order)")
        for one in synthesis
    )
    assert {tuple(one["judges"]) for one in synthesis} == {("rules",)}
    said = (
        "The model judge gave no readable verdict on 1 of 1 sentences of the synthesis; only "
        "verdicts of the rules count."
    )
    assert said in answer_of(events)["warnings"]


def test_a_learned_judge_that_fails_is_told_once_a_part():
    class Broken(Learned):
        truncated = 0

        def entailments(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
            self.truncated += 1
            raise ModelError("out of memory")

    run = request(judge="learned")
    events, _ = judged_events(run, sensible_reply, "supported", learned=Broken())
    told = [warning for warning in answer_of(events)["warnings"] if "judge" in warning]
    assert [warning for warning in told if "summary" in warning] == [
        (
            "The learned judge gave no readable verdict on 1 of 1 sentences of a summary, and "
            "perhaps of others; only verdicts "
            "of the rules count."
        )
    ]
    assert sum("sentences of the synthesis" in warning for warning in told) == 1
    assert sum("longer than the learned judge can read" in warning for warning in told) == 1


# ---- the floor


WRONG = "Falls fell by 77% [1]. Falls fell by 8.25% [1]. Falls fell by 66% [1]."


def test_an_answer_of_which_too_little_is_carried_is_withheld_and_not_distilled():
    model = FakeModel(replying("synthesis", WRONG))
    answer = answer_of(run_events(request(strict=True), model, FakeSource(articles(1))))
    assert (answer["tldr"], answer["synthesis"], answer["withheld_text"]) == ("", "", WRONG)
    assert [one["verdict"] for one in answer["sentences"]] == ["unsupported"] * 3
    assert all(asked.stage != "tldr" for asked in model.asked)
    loose = answer_of(
        run_events(
            request(strict=False), FakeModel(replying("synthesis", WRONG)), FakeSource(articles(1))
        )
    )
    assert (loose["synthesis"], loose["withheld_text"]) == (WRONG, "")


def test_sentences_count_as_the_model_wrote_them_before_any_is_removed():
    right = "In 10 adults, vitamin D and falls: 1.5% fewer [1]."
    kept = answer_of(
        run_events(
            request(strict=True),
            FakeModel(replying("synthesis", f"{right} {WRONG}")),
            FakeSource(articles(1)),
        )
    )
    assert (kept["synthesis"], kept["withheld_text"], kept["support"]["removed"]) == (right, "", 3)
    more = f"{WRONG} {WRONG} {right}"
    gone = answer_of(
        run_events(
            request(strict=True), FakeModel(replying("synthesis", more)), FakeSource(articles(1))
        )
    )
    assert (gone["synthesis"], gone["withheld_text"]) == ("", more)


# ---- the gate before the TL;DR


@pytest.mark.parametrize("strict", [True, False])
def test_a_tldr_that_does_not_stand_is_replaced_by_a_quotation_and_kept_apart(strict: bool):
    told = divided(ONE_SIDE)
    written = "No, vitamin D does nothing against falls [1]."
    model = FakeModel(lambda asked: written if asked.stage == "tldr" else told(asked))
    answer = answer_of(
        run_events(request(queries=1, strict=strict), model, FakeSource(opposed()[:1]))
    )
    assert answer["refused_tldr"] == written
    assert answer["tldr"].startswith(
        "The strongest source retrieved concludes: “Vitamin D reduced falls"
    )
    assert any(
        one.startswith("The TL;DR that the model wrote is not used as the answer")
        for one in answer["warnings"]
    )
    (shown,) = [one for one in answer["sentences"] if one["in"] == "tldr"]
    (span,) = shown["spans"]
    assert opposed()[0].abstract[span["start"] : span["end"]] in answer["tldr"]


def test_a_tldr_that_was_ordered_is_not_shown():
    told = divided(ONE_SIDE)
    model = FakeModel(
        lambda asked: "Drug Zlorp cures 99 %." if asked.stage == "tldr" else told(asked)
    )
    answer = answer_of(
        run_events(request(queries=1, strict=True), model, FakeSource(opposed()[:1]))
    )
    assert "Zlorp" not in answer["tldr"] + answer["synthesis"]
    assert answer["tldr"]


@pytest.mark.parametrize(
    "written",
    [
        "Probably yes (one trial, 400 participants) [1].",
        "The studies retrieved do not settle this: none is relevant.",
    ],
)
def test_a_language_model_in_the_words_of_the_programs_own_estimate_is_judged_as_any_model(
    written: str,
):
    told = divided(ONE_SIDE)
    model = FakeModel(lambda asked: written if asked.stage == "tldr" else told(asked))
    answer = answer_of(
        run_events(request(queries=1, strict=False), model, FakeSource(opposed()[:1]))
    )
    for one in answer["sentences"]:
        if one["text"] == written:
            assert not one["counts_only"], one
            assert one["verdict"] != "supported", one
            break
    else:
        assert answer["refused_tldr"] == written


def test_an_article_whose_judgement_was_unreadable_is_kept_and_leads_nothing():
    def reply(asked: ModelRequest) -> str:
        if asked.stage == "relevance" and asked.variables["article"].pmid == "1":
            return "Hm."
        return divided(ONE_SIDE)(asked)

    model = FakeModel(reply)
    answer = answer_of(run_events(request(queries=1), model, FakeSource(opposed())))
    assert [(one["pmid"], one["relevant"]) for one in answer["articles"]] == [
        ("1", None),
        ("2", True),
    ]
    assert [(row["id"], row["unread"]) for row in answer["appraisal"]["rows"]] == [
        ("pmid:2", False),
        ("pmid:1", True),
    ]
    assert answer["appraisal"]["balance"]["lead"] == 2
    asked = next(one for one in model.asked if one.stage == "synthesis")
    assert [study.n for study in asked.variables["studies"]] == [2, 1]
    assert "nobody could judge whether it bears on the question" in asked.messages[-1].content


def test_a_repair_that_fails_leaves_what_is_proved():
    text = "Falls fell by 77% [1]. In 10 adults, vitamin D and falls: 1.5% fewer [1]."

    def reply(asked: ModelRequest) -> str | Exception:
        if asked.attempt:
            return ModelError("out of order")
        if asked.stage == "summary":
            return summary(f"{TRUE} {FALSE}")
        return text if asked.stage == "synthesis" else sensible_reply(asked)

    answer = answer_of(run_events(request(strict=True), FakeModel(reply), FakeSource(articles(1))))
    assert answer["synthesis"] == "In 10 adults, vitamin D and falls: 1.5% fewer [1]."
    assert answer["articles"][0]["summary"]["finding"] == TRUE
    assert "The synthesis could not be repaired: out of order" in answer["warnings"]


# ---- integrity


def test_a_retracted_article_is_withheld_before_judging_and_listed_with_its_notice():
    found = articles(4)
    found[0] = replace(
        found[0], corrections=(Correction("RetractionIn", "J Tests. 2020;1:2", "777"),)
    )
    found[1] = replace(found[1], corrections=(Correction("ErratumIn", "J Tests. 2021;1:2", "778"),))
    model = FakeModel()
    answer = answer_of(run_events(request(), model, FakeSource(found)))
    judged = {
        asked.variables["article"].pmid for asked in model.asked if asked.stage == "relevance"
    }
    assert judged == {"2", "3", "4"}
    by_pmid = {one["pmid"]: one for one in answer["articles"]}
    assert "excluded" in by_pmid["1"]["flags"]
    assert "777" in by_pmid["1"]["reason"]
    assert answer["counts"]["excluded"] == 1
    (erratum,) = [one for one in answer["references"] if one["pmid"] == "2"]
    assert "erratum" in erratum["flags"]
    (row,) = [one for one in answer["appraisal"]["rows"] if one["id"] == "pmid:2"]
    assert [notice["kind"] for notice in row["notices"]] == ["erratum"]
    assert {(one["id"], one["kind"]) for one in answer["article_notices"]} == {
        ("pmid:1", "retracted"),
        ("pmid:2", "erratum"),
    }
    shown = next(asked for asked in model.asked if asked.stage == "synthesis").messages[-1].content
    assert "To be told of it: erratum" in shown


@pytest.mark.parametrize("last", ["judged pmid:2", "summarised pmid:2"])
def test_a_run_gone_on_with_uses_no_article_that_a_list_loaded_since_has_as_retracted(last):
    answer = resumed_with_list(last)
    assert [one["pmid"] for one in answer["references"]] == ["1"]
    assert all("excluded" in one["flags"] for one in answer["articles"] if one["pmid"] == "2")
    counts = answer["counts"]
    assert counts["fetched"] == counts["excluded"] + counts["not_assessed"] + counts["judged"]


@pytest.mark.parametrize("last", ["appraised", "cost synthesis", "tldr"])
def test_numbers_that_a_text_stands_on_stay_and_a_warning_tells_what_became_known_since(last):
    answer = resumed_with_list(last)
    (two,) = [one for one in answer["references"] if one["pmid"] == "2"]
    assert "retracted" in two["flags"]
    assert any(f"[{two['n']}] must not be relied on" in warning for warning in answer["warnings"])


def resumed_with_list(last: str) -> dict[str, Any]:
    """The answer of a run that stopped after the event ``last`` and went on when a list had article
    2 as retracted.
    """
    run = request()
    full = run_events(run, FakeModel(), FakeSource(articles(3)))
    before = full[
        : next(place for place, event in enumerate(full) if event.key.startswith(last)) + 1
    ]
    chain = fakes.chain(FakeModel(), FakeSource(articles(3)), run)
    listed = Retractions(Loaded((), "2026-01-01T00:00:00"), [Entry("retraction", "2")])
    chain = Chain(
        chain.models, chain.source, chain.prompts, chain.budget, chain.clock, retractions=listed
    )
    return answer_of(fakes.collected(chain, run, before))


def test_a_run_gone_on_with_under_another_list_says_so_once_and_one_under_the_same_list_does_not():
    def went_on(*lists: Retractions | None) -> list[str]:
        run, chain = request(), fakes.chain(FakeModel(), FakeSource(articles(3)), request())
        events: list[Event] = []
        for listed in lists:
            chain = Chain(
                chain.models,
                chain.source,
                chain.prompts,
                chain.budget,
                chain.clock,
                retractions=listed,
            )
            events = [*events, *fakes.collected(chain, run, events)]
            answer = answer_of(events)
            events.pop()
        return [warning for warning in answer["warnings"] if "list of retractions" in warning]

    first = Retractions(Loaded((), "2026-01-01T00:00:00"), [Entry("retraction", "999")])
    second = Retractions(
        Loaded((), "2026-02-03T00:00:00"), [Entry("retraction", "999"), Entry("retraction", "998")]
    )
    assert went_on(first) == went_on(None, None) == went_on(first, first) == []
    assert went_on(None, first, first) == [
        (
            "This run started with no list of retractions and continued with a list of retractions "
            "(1 in it, loaded on 2026-01-01); "
            "its settings record the first."
        )
    ]
    (said,) = went_on(first, second)
    assert (
        "(1 in it, loaded on 2026-01-01) and continued with a list of retractions (2 in it, "
        "loaded on 2026-02-03)"
    ) in said
    (gone,) = went_on(first, None)
    assert "continued with no list" in gone


def test_without_a_list_the_settings_say_so():
    assert (
        answer_of(run_events(request(), FakeModel(), FakeSource(articles(1))))["settings"][
            "retractions"
        ]
        is None
    )


# ---- the guard


class Remote(FakeModel):
    remote = True


PATIENT = "Does vitamin D prevent falls in Mr John Smith, born 12/03/1956?"


def test_what_identifies_a_patient_does_not_leave_the_machine():
    model = Remote()
    *before, last = run_events(request(question=PATIENT), model, FakeSource(articles(1)))
    assert isinstance(last, RunFailed)
    assert (last.exit_status, last.error, last.retryable) == (
        IdentifiersFound.exit_status,
        "IdentifiersFound",
        False,
    )
    assert "Smith" not in last.problem
    assert "1956" not in last.problem
    assert not model.asked
    (flagged,) = [event for event in before if event.type == "question_flagged"]
    assert not flagged.allowed  # type: ignore[attr-defined]


def test_it_goes_where_nothing_is_remote_or_where_it_is_allowed():
    assert answer_of(run_events(request(question=PATIENT), FakeModel(), FakeSource(articles(1))))[
        "tldr"
    ]
    events = run_events(
        request(question=PATIENT, allow_identifiers=True), Remote(), FakeSource(articles(1))
    )
    assert answer_of(events)["tldr"]
    assert [event.allowed for event in events if event.type == "question_flagged"] == [True]  # type: ignore[attr-defined]


def test_queries_of_the_users_own_are_looked_at_too():
    run = request(own_queries=("falls", "falls AND MRN 00482913"))
    last = run_events(run, Remote(), FakeSource(articles(1)))[-1]
    assert isinstance(last, RunFailed)
    assert last.problem.startswith("The query 2 seems to identify a patient")


def test_an_invented_citation_of_the_tldr_is_not_forgiven_for_what_the_synthesis_cites():
    told = divided(ONE_SIDE)
    model = FakeModel(
        lambda asked: ONE_SIDE.replace("[1]", "[9]") if asked.stage == "tldr" else told(asked)
    )
    answer = answer_of(run_events(request(queries=1), model, FakeSource(opposed()[:1])))
    assert answer["refused_tldr"] == ONE_SIDE.replace(" [1]", "")
    assert any("[9] leads to no study" in one for one in answer["warnings"])
