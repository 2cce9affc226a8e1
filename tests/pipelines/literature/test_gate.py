"""The gate before a TL;DR: what stands as the answer, and what takes the place of the rest."""

from __future__ import annotations

from dataclasses import replace

import pytest

from clinfo.evidence.settle import Settlement, settle
from clinfo.pipelines.literature.gate import NOT_SETTLED, Asked, in_its_place, refusal
from clinfo.records.appraisal import Balance, Share
from clinfo.records.articles import PROGRAM, Article, Section, Sentence, Study, Summary, Verdict

QUESTION = "Does zinc shorten the common cold?"
TRIAL = Summary("x", design="randomised controlled trial", sample_size=400, stance="supports")


def study(n: int, title: str, *said: str) -> Study:
    sections = tuple(
        Section(text, label, label)
        for text, label in zip(said, ("METHODS", "CONCLUSIONS"), strict=True)
    )
    return Study(n, Article(f"pmid:{n}", title, pmid=str(n), sections=sections), TRIAL)


FOR = tuple(
    study(
        n,
        "Zinc for the common cold",
        "We randomised 400 adults to zinc or placebo.",
        "Zinc significantly shortened the common cold.",
    )
    for n in (1, 2, 3)
)
AGAINST = study(
    4,
    "Zinc for the common cold",
    "We randomised 90 adults to zinc or placebo.",
    "Zinc did not shorten the common cold.",
)
OTHER = study(
    5,
    "Aspirin and stroke",
    "We randomised 90 adults to aspirin or placebo.",
    "Aspirin prevented stroke.",
)
SYNTHESIS = (
    Sentence(
        "synthesis",
        "Zinc significantly shortened the common cold in trials [1][2].",
        (1, 2),
        "supported",
        "",
    ),
)


def tldr(text: str, *cites: int, verdict: Verdict = "supported") -> tuple[Sentence, ...]:
    return (Sentence("tldr", text, cites, verdict, "of some reason"),)


def asked(*studies: Study, balance: Balance | None = None) -> Asked:
    return Asked(QUESTION, studies, balance)


def pointing(yes: int, no: int) -> Balance:
    shares = [
        Share(way, "trial", count, 0, 0, ())
        for way, count in (("supports", yes), ("contradicts", no))
        if count
    ]
    return Balance("stance", tuple(shares), None, "", "")


class Sure(Asked):
    """Studies that settle the question with a yes."""

    @property
    def settlement(self) -> Settlement:
        return Settlement(True, 0.95, "yes", "nine trials")


@pytest.mark.parametrize("verdict", ["unsupported", "contradicted"])
def test_what_is_condemned_is_no_answer(verdict: Verdict) -> None:
    written = tldr("Zinc shortens the common cold by nine days [1].", 1, verdict=verdict)
    assert refusal(asked(*FOR), written, SYNTHESIS) == f"it is {verdict}: of some reason"


@pytest.mark.parametrize("verdict", ["supported", "partial", "not_verified", "uncited"])
def test_what_nobody_condemned_and_speaks_of_the_question_stands(verdict: Verdict) -> None:
    for text in (
        "Zinc may shorten the common cold by about two days [1].",
        "Probably yes: colds were two days shorter [1].",
    ):
        assert (
            refusal(Sure(QUESTION, FOR, pointing(3, 0)), tldr(text, 1, verdict=verdict), SYNTHESIS)
            == ""
        )


def test_a_flat_word_stands_only_where_the_studies_settle_it() -> None:
    sure, torn = Sure(QUESTION, FOR, None), asked(FOR[0], AGAINST)
    assert refusal(sure, tldr("Yes, zinc shortens the common cold [1].", 1), SYNTHESIS) == ""
    assert settle(QUESTION, (FOR[0], AGAINST)).word not in ("yes", "no")
    for text in (
        "Yes, zinc shortens the common cold [1].",
        "Yes. Zinc shortens colds [1].",
        "**Yes**: by two days [1].",
    ):
        assert (
            refusal(torn, tldr(text, 1), SYNTHESIS)
            == "it says yes without qualification where the studies disagree"
        )
    assert (
        refusal(sure, tldr("No, it does not [1].", 1), SYNTHESIS)
        == "it says no without qualification where the studies say yes"
    )
    assert (
        refusal(
            sure, tldr("Yes, probably: colds were two days shorter with zinc [1].", 1), SYNTHESIS
        )
        == ""
    )
    assert "do not settle it" in refusal(
        asked(OTHER), tldr("Yes, zinc shortens colds [5].", 5), SYNTHESIS
    )


@pytest.mark.parametrize(
    ("text", "flat"),
    [
        ("Yes stenting prevents stroke [1].", "yes"),
        ("Definitely yes.", "yes"),
        ("The answer is yes", "yes"),
        ("In short, yes.", "yes"),
        ("TL;DR: Yes, it does.", "yes"),
        ("**Short answer:** no.", "no"),
        ("The answer is no for children.", "no"),
        ("No, likely harmful [1].", "no"),
        ("Yes, apparently healthy adults benefit [1].", "yes"),
        ("Does zinc help? No.", "no"),
        ("No, probably not.", ""),
        ("Probably, yes.", ""),
        ("It is probably yes.", ""),
        ("Yes (perhaps) [1].", ""),
        ("Yes, it seems that zinc helps.", ""),
        ("No trial was found.", ""),
        ("There is clearly no benefit.", ""),
        ("Patients who answered yes, fell.", ""),
        ("It is not clear: yes or no.", ""),
    ],
)
def test_a_flat_word_is_seen_after_a_few_words_and_a_hedge_only_where_it_ends_its_clause(
    text: str, flat: str
) -> None:
    settled = Settlement(True, 0.5, "not settled", "three trials")
    studies = type("Unsettled", (Asked,), {"settlement": settled})(QUESTION, FOR, None)
    expected = (
        f"it says {flat} without qualification where the studies do not settle it" if flat else ""
    )
    assert refusal(studies, tldr(text, 1), SYNTHESIS, settled=True) == expected


def test_an_answer_to_another_question_is_refused() -> None:
    reason = refusal(asked(OTHER, *FOR), tldr("Aspirin prevents stroke [5].", 5), SYNTHESIS)
    assert reason == "neither it nor the articles it cites address the question"
    assert (
        refusal(asked(*FOR), tldr("It shortens them by two days."), SYNTHESIS) == ""
    )  # it rests on what the synthesis cites


def test_an_answer_must_point_the_way_of_the_synthesis_and_of_the_studies() -> None:
    no = tldr("Zinc does not shorten the common cold [1].", 1)
    assert refusal(asked(*FOR), no, SYNTHESIS) == "it says no where the synthesis says yes"
    silent = (Sentence("synthesis", "Trials of zinc were retrieved [1].", (1,), "supported", ""),)
    assert "of the studies 3 point the other way, 0 this way" in refusal(
        asked(*FOR, balance=pointing(3, 0)), no, silent
    )
    assert refusal(Sure(QUESTION, FOR, None), no, silent) == "it says no where the studies say yes"
    uncited = tldr("Zinc shortens the common cold.", verdict="uncited")
    assert (
        refusal(asked(AGAINST), uncited, silent[:0]) == "neither it nor the synthesis cites a study"
    )
    assert (
        refusal(
            asked(*FOR, balance=pointing(0, 2)), tldr("The studies disagree [1].", 1), SYNTHESIS
        )
        == ""
    )


def test_a_name_that_stands_nowhere_is_refused() -> None:
    reason = refusal(
        asked(*FOR),
        tldr("The common cold is shortened by zinc and by drug Zlorp [1].", 1),
        SYNTHESIS,
    )
    assert reason == "it names Zlorp, which neither the question nor any article names"


def test_in_its_place_stands_what_the_strongest_source_concludes_word_for_word() -> None:
    sentence = in_its_place(asked(*FOR, AGAINST))
    (span,) = sentence.spans
    quoted = next(one.article.abstract for one in (*FOR, AGAINST) if one.n == span.n)[
        span.start : span.end
    ]
    assert sentence.text == f"The strongest source retrieved concludes: “{quoted}” [{span.n}]."
    assert (sentence.verdict, sentence.cites, sentence.added) == ("supported", (span.n,), False)
    nothing = in_its_place(asked(OTHER))
    assert (nothing.text, nothing.judges, nothing.counts_only) == (NOT_SETTLED, (PROGRAM,), True)


def test_what_nobody_could_judge_relevant_leads_nothing() -> None:
    unread = [replace(one, unread=True) for one in FOR]
    assert in_its_place(asked(*unread, AGAINST)).cites == (AGAINST.n,)
    assert in_its_place(asked(*unread)).text == NOT_SETTLED
