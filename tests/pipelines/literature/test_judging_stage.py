"""The text that a model wrote: judged in one go, mended, removed, withheld."""

import asyncio
import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from clinfo.claims.learned import Entailment, EntailmentJudge
from clinfo.errors import IdentifiersFound, ModelError
from clinfo.integrity.retractions import Entry, Loaded, Retractions
from clinfo.pipelines.literature.stages import JUDGE_STAGE, MODEL_STAGES
from clinfo.records.articles import Article, Correction, Section, Verdict
from clinfo.runs.events import Answered, Event, RunFailed
from clinfo.runs.protocols import ModelRequest
from tests import fakes
from tests.fakes import FakeModel, FakeSource, articles, request, run_events, sensible_reply

Reply = Callable[[ModelRequest], str]


def answer_of(events: Sequence[Event]) -> dict[str, Any]:
    assert isinstance(events[-1], Answered), events[-1]
    return events[-1].answer


RIGHT = "In 10 adults, vitamin D and falls: 1.5% fewer."
QUOTE = {"article": 1, "words": "vitamin D and falls: 1.5% fewer"}
MODELS = {**dict.fromkeys(MODEL_STAGES, "fake"), JUDGE_STAGE: "a-judge"}
Verdicts = Callable[[str], Verdict]


class Judge(FakeModel):
    """Judges each sentence as ``verdicts`` says, with a quotation where that is carried, and says
    ``answers`` of the TL;DR, one after another.
    """

    def __init__(self, verdicts: Verdicts, *answers: str) -> None:
        super().__init__(self._said)
        self.name = "a-judge"
        self.verdicts, self.answers = verdicts, list(answers)
        self.read: list[list[str]] = []
        self.instead: dict[str, str] = {}

    def _said(self, asked: ModelRequest) -> str:
        labels = re.findall(r"(?m)^(S\d+): ", asked.messages[-1].content)
        texts = [one.text for one in asked.variables["sentences"]]
        self.read.append(texts)
        entries = []
        for label, text in zip(labels, texts, strict=True):
            verdict = self.verdicts(text)
            quotes = [QUOTE] if verdict in ("supported", "partial") else []
            entries.append(
                {"label": label, "quotes": quotes, "reason": "As read.", "verdict": verdict}
                | {"instead": self.instead.get(text, "")}
            )
        form: dict[str, object] = {"verdicts": entries}
        if "answers" in (asked.schema or {})["properties"]:
            said = self.answers.pop(0) if self.answers else "yes"
            form |= {"answers": said, "answers_reason": "It is of another outcome."}
        return json.dumps(form)


def judged(
    reply: Reply,
    judge: FakeModel,
    /,
    learned: EntailmentJudge | None = None,
    **fields: Any,
) -> tuple[dict[str, Any], FakeModel]:
    """(the answer of a strict run that ``judge`` judges, the model that wrote)."""
    run = request(**{"judge": "model", "strict": True, "models": MODELS, **fields})
    writer = FakeModel(reply)
    models = {JUDGE_STAGE: judge} if JUDGE_STAGE in run.models else {}
    chain = fakes.chain(writer, FakeSource(articles(1)), run, models=models, learned=learned)
    if learned is None:
        return answer_of(fakes.collected(chain, run)), writer

    async def collect() -> list[Event]:  # in real time: the entailment model works in a thread
        return [event async for event in chain.run(run)]

    return answer_of(asyncio.run(collect())), writer


def writing(synthesis: str, tldr: str = f"{RIGHT[:-1]} [1].", mended: str = "") -> Reply:
    """A model that writes these, and ``mended`` in the place of any sentence that is rejected."""

    def reply(asked: ModelRequest) -> str:
        if asked.stage in ("synthesis", "tldr") and asked.schema is not None:
            return json.dumps({"sentence": mended})
        if asked.stage == "synthesis":
            return synthesis
        return tldr if asked.stage == "tldr" else sensible_reply(asked)

    return reply


def sentences_of(answer: dict[str, Any], part: str) -> list[tuple[str, str]]:
    return [(one["text"], one["verdict"]) for one in answer["sentences"] if one["in"] == part]


def everything(verdict: Verdict) -> Verdicts:
    return lambda text: verdict


def test_a_models_text_stands_as_its_judge_says_and_no_code_says_otherwise() -> None:
    free = "Yes: people on vitamin D fell less often, by some 77 percent [1]."
    judge = Judge(everything("supported"))
    answer, writer = judged(writing(free, "Yes, it prevents falls [1]."), judge)
    assert sentences_of(answer, "synthesis") == [(free, "supported")]
    assert sentences_of(answer, "tldr") == [("Yes, it prevents falls [1].", "supported")]
    assert answer["refused_tldr"] == ""
    (one,) = [one for one in answer["sentences"] if one["in"] == "synthesis"]
    assert (one["judges"], one["notes"]) == (["a-judge"], ["77 stands in none of [1]"])
    assert len(judge.asked) == 1  # TL;DR and synthesis in one go
    assert "(note: 77 stands in none of [1])" in judge.asked[0].messages[-1].content
    assert Counter(asked.form or asked.stage for asked in writer.asked)["synthesis"] == 1


def test_a_rejected_sentence_is_written_again_alone_with_its_abstract_and_judged_once_more() -> (
    None
):
    judge = Judge(lambda text: "unsupported" if "77%" in text else "supported")
    text = f"{RIGHT[:-1]} [1]. Falls fell by 77% [1]."
    answer, writer = judged(writing(text, mended="Falls fell by 1.5% [1]."), judge)
    assert sentences_of(answer, "synthesis") == [
        (f"{RIGHT[:-1]} [1].", "supported"),
        ("Falls fell by 1.5% [1].", "supported"),
    ]
    (asked,) = [
        one
        for one in writer.asked
        if one.schema and one.stage == "synthesis" and one.form != "doubts"
    ]
    said = asked.messages[-1].content
    assert "Falls fell by 77% [1]." in said
    assert "As read." in said
    assert articles(1)[0].sections[0].text in said
    assert RIGHT[:-1] not in said.replace(articles(1)[0].sections[0].text, "")
    assert judge.read[1] == ["Falls fell by 1.5% [1]."]  # only what changed is judged again
    assert answer["support"]["removed"] == 0


def test_a_tldr_that_stands_is_recorded_before_another_sentence_is_written_again() -> None:
    run = request(judge="model", strict=True, models=MODELS)
    judge = Judge(lambda text: "unsupported" if "77%" in text else "supported")
    writer = FakeModel(writing(f"{RIGHT[:-1]} [1]. Falls fell by 77% [1]."))
    models = {JUDGE_STAGE: judge}
    chain = fakes.chain(writer, FakeSource(articles(1)), run, models=models)
    keys = [event.key for event in fakes.collected(chain, run)]
    mended = next(place for place, key in enumerate(keys) if "mended" in key)
    assert keys.index("checked tldr 0") < mended < keys.index("checked synthesis 0")


@pytest.mark.parametrize("mended", ["Falls fell by 77% indeed [1].", ""])
def test_what_stays_rejected_is_removed(mended: str) -> None:
    judge = Judge(lambda text: "contradicted" if "77%" in text else "supported")
    text = f"{RIGHT[:-1]} [1]. Falls fell by 77% [1]."
    answer, _ = judged(writing(text, mended=mended), judge)
    assert answer["synthesis"] == f"{RIGHT[:-1]} [1]."
    assert answer["support"]["removed"] == 1
    assert "1 unsupported sentence was removed from the synthesis." in answer["warnings"]


def test_a_sentence_that_says_too_much_is_written_again_and_stays_where_it_still_does() -> None:
    judge = Judge(lambda text: "partial" if "All" in text else "supported")
    answer, _ = judged(writing("All adults fell less [1].", mended="All fell less [1]."), judge)
    assert sentences_of(answer, "synthesis") == [("All fell less [1].", "partial")]


def test_what_fails_to_be_mended_is_removed_and_told() -> None:
    judge = Judge(lambda text: "unsupported" if "77%" in text else "supported")
    written = writing(f"{RIGHT[:-1]} [1]. Falls fell by 77% [1].")

    def reply(asked: ModelRequest) -> Any:
        return (
            ModelError("out of order")
            if asked.schema and asked.stage == "synthesis"
            else (written(asked))
        )

    answer, _ = judged(reply, judge)
    assert answer["synthesis"] == f"{RIGHT[:-1]} [1]."
    assert "A sentence could not be written again: out of order" in answer["warnings"]


def test_a_run_that_is_not_strict_shows_what_is_rejected() -> None:
    judge = Judge(everything("contradicted"))
    answer, _ = judged(writing("Falls fell by 77% [1]."), judge, strict=False)
    assert sentences_of(answer, "synthesis") == [("Falls fell by 77% [1].", "contradicted")]
    assert len(judge.asked) == 1
    assert answer["support"]["contradicted"] == 2


# ---- the TL;DR


def test_a_tldr_that_does_not_answer_is_written_once_more_with_the_reason() -> None:
    judge = Judge(everything("supported"), "no", "yes")
    first, second = "Adults were studied [1].", "Vitamin D prevents falls [1]."
    texts = [first, second]
    written = writing(f"{RIGHT[:-1]} [1].")
    answer, writer = judged(
        lambda asked: texts.pop(0) if asked.stage == "tldr" else written(asked), judge
    )
    assert answer["tldr"] == second
    asked = [one for one in writer.asked if one.stage == "tldr"][-1]
    assert "It is of another outcome" in asked.messages[-1].content
    assert judge.read[1] == [second]


def test_a_tldr_that_still_does_not_answer_stands_under_a_plain_line() -> None:
    judge = Judge(everything("supported"), "no", "no")
    answer, _ = judged(writing(f"{RIGHT[:-1]} [1].", "Adults were studied [1]."), judge)
    assert answer["tldr"] == (
        "These studies do not answer the question: It is of another outcome.\n\n"
        "Adults were studied [1]."
    )
    assert answer["support"]["added"] == 1


def test_nothing_takes_the_place_of_a_rejected_tldr_but_a_supported_sentence() -> None:
    judge = Judge(lambda text: "contradicted" if text.startswith("No") else "supported")
    answer, _ = judged(writing(f"{RIGHT[:-1]} [1].", "No, it does nothing [1]."), judge)
    assert sentences_of(answer, "tldr") == [(f"{RIGHT[:-1]} [1].", "supported")]
    assert answer["refused_tldr"] == "No, it does nothing [1]."


def test_a_tldr_without_citation_rests_on_what_the_synthesis_cites() -> None:
    judge = Judge(everything("supported"))
    answer, _ = judged(writing(f"{RIGHT[:-1]} [1].", "Vitamin D prevents falls."), judge)
    (one,) = [one for one in answer["sentences"] if one["in"] == "tldr"]
    assert (one["verdict"], one["cites"]) == ("supported", [])


# ---- judges


def test_with_nobody_to_judge_what_stands_in_its_source_is_quoted_and_the_rest_not_verified() -> (
    None
):
    text = f"{RIGHT[:-1]} [1]. Falls fell by 77% [1]. It is good."
    answer, writer = judged(
        writing(text), Judge(everything("supported")), judge="none",
        models=dict.fromkeys(MODEL_STAGES, "fake"),
    )  # fmt: skip
    verdicts = [verdict for _, verdict in sentences_of(answer, "synthesis")]
    assert verdicts == ["quoted", "not_verified", "uncited"]
    assert {tuple(one["judges"]) for one in answer["sentences"]} == {()}
    assert answer["support"]["quoted"] == 2
    assert Counter(asked.form or asked.stage for asked in writer.asked)["synthesis"] == 1


class Entailing:
    """An entailment model that takes everything for entailed."""

    name = "an-nli"
    truncated = 0

    def entailments(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        return [Entailment(0.95, 0.04, 0.01)] * len(pairs)


def test_an_entailment_model_judges_where_it_is_asked() -> None:
    judge = Judge(everything("supported"))
    answer, _ = judged(
        sensible_reply, judge, learned=Entailing(), judge="nli",
        models=dict.fromkeys(MODEL_STAGES, "fake"),
    )  # fmt: skip
    assert not judge.asked
    assert {tuple(one["judges"]) for one in answer["sentences"]} == {("an-nli",)}
    assert answer["settings"]["learned_judge"] == "an-nli"


def test_two_judges_that_conflict_leave_a_sentence_not_verified() -> None:
    judge = Judge(lambda text: "contradicted" if "77%" in text else "supported")
    text = f"{RIGHT[:-1]} [1]. Falls fell by 77% [1]."
    answer, _ = judged(writing(text), judge, learned=Entailing(), judge="both")
    assert sentences_of(answer, "synthesis")[1] == ("Falls fell by 77% [1].", "not_verified")
    wrong = next(one for one in answer["sentences"] if "77%" in one["text"])
    assert wrong["judges"] == ["a-judge", "an-nli"]
    assert wrong["reason"].startswith("the judges disagree; a-judge: contradicted")


def test_a_judge_that_fails_leaves_all_not_verified_and_is_told_once() -> None:
    class Broken(Entailing):
        def entailments(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
            self.truncated += 1
            raise ModelError("out of memory")

    broken = FakeModel(lambda asked: ModelError("out of order"))
    answer, _ = judged(writing(f"{RIGHT[:-1]} [1]."), broken, learned=Broken(), judge="both")
    assert {verdict for _, verdict in sentences_of(answer, "synthesis")} == {"not_verified"}
    told = [one for one in answer["warnings"] if "no readable verdict" in one]
    assert len(told) == 1
    assert "out of order" in told[0]
    assert (
        sum("longer than the entailment model can read" in one for one in answer["warnings"]) == 1
    )


def test_a_model_that_judges_its_own_text_is_named_so_once() -> None:
    models = {**MODELS, JUDGE_STAGE: "fake"}
    answer, _ = judged(sensible_reply, Judge(everything("supported")), models=models)
    own = {tuple(one["judges"]) for one in answer["sentences"]}
    assert own == {("a-judge (judging its own text)",)}
    assert sum("judged text that it wrote itself" in one for one in answer["warnings"]) == 1


def test_a_reference_to_what_was_not_retrieved_is_a_note() -> None:
    text = f"{RIGHT[:-1]} (PMID 31999999) [1]."
    answer, _ = judged(writing(text), Judge(everything("supported")))
    (one,) = [one for one in answer["sentences"] if one["in"] == "synthesis"]
    assert (one["text"], one["verdict"]) == (text, "supported")
    assert "31999999 stands in none of [1]" in one["notes"]


# ---- the floor


WRONG = "Falls fell by 77% [1]. Falls fell by 8.25% [1]. Falls fell by 66% [1]."


def test_an_answer_of_which_too_little_is_carried_is_withheld() -> None:
    judge = Judge(everything("unsupported"))
    answer, writer = judged(writing(WRONG, "Falls fell [1]."), judge)
    assert (answer["tldr"], answer["synthesis"]) == ("", "")
    assert answer["withheld_text"] == f"Falls fell [1].\n\n{WRONG}"
    assert not [
        one
        for one in writer.asked
        if one.schema and one.stage == "synthesis" and one.form != "doubts"
    ]
    loose, _ = judged(writing(WRONG), Judge(everything("unsupported")), strict=False)
    assert (loose["synthesis"], loose["withheld_text"]) == (WRONG, "")


# ---- what was read


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


def divided(synthesis: str) -> Reply:
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
            return synthesis
        return sensible_reply(asked)

    return reply


ONE_SIDE = "Vitamin D reduced falls in a randomised controlled trial of 400 adults [1]."


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
    assert answer["appraisal"]["balance"] is None, "nobody typed a result"
    asked = next(one for one in model.asked if one.stage == "synthesis")
    assert [study.n for study in asked.variables["studies"]] == [2, 1]
    assert "nobody could judge whether it bears on the question" in asked.messages[-1].content


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
    listed = Retractions(Loaded((), "2026-01-01T00:00:00"), [Entry("retraction", "2")])
    chain = fakes.chain(FakeModel(), FakeSource(articles(3)), run, retractions=listed)
    return answer_of(fakes.collected(chain, run, before))


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


# ---- doubts


def test_doubts_are_judged_with_the_answer_and_only_carried_ones_are_shown() -> None:
    told = ["The trial was small [1].", "It was paid for by its maker [1]."]
    judge = Judge(lambda text: "unsupported" if "paid for" in text else "supported")

    written = writing(f"{RIGHT[:-1]} [1].")

    def reply(asked: ModelRequest) -> str:
        return json.dumps({"doubts": told}) if asked.form == "doubts" else written(asked)

    answer, writer = judged(reply, judge)
    assert answer["appraisal"]["uncertainty"] == told[:1]
    assert [one.form for one in writer.asked].count("doubts") == 1
    assert len(judge.asked) == 1, "in one go with TL;DR and synthesis"
    assert {one["in"] for one in answer["sentences"]} == {"tldr", "synthesis"}
    assert answer["counts"]["not_verified"] == 0


def test_a_doubt_carried_in_part_stands_as_its_judge_would_have_it_or_not_at_all() -> None:
    told = ["The only trial was small [1].", "Its maker meant well [1].", "It was short [1]."]
    judge = Judge(lambda text: "supported" if text in (RIGHT, *said) else "partial")
    said = ["One trial was small [1].", told[2], f"{RIGHT[:-1]} [1]."]
    judge.instead = {told[0]: said[0]}
    written = writing(said[2])

    def reply(asked: ModelRequest) -> str:
        return json.dumps({"doubts": told}) if asked.form == "doubts" else written(asked)

    answer, _ = judged(reply, judge)
    assert answer["appraisal"]["uncertainty"] == said[:2]


def test_queries_of_the_users_own_are_looked_at_too():
    run = request(own_queries=("falls", "falls AND MRN 00482913"))
    last = run_events(run, Remote(), FakeSource(articles(1)))[-1]
    assert isinstance(last, RunFailed)
    assert last.problem.startswith("The query 2 seems to identify a patient")
