"""Whether an article states a claim's figure of the thing claimed. The abstracts are invented."""

from __future__ import annotations

import gzip
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from clinfo.pubmed.xml import read_citations
from clinfo.records import Article, Section
from clinfo.text.figure_evidence import FigureEvidence, figure_evidence
from clinfo.text.figures import find_figures
from clinfo.text.sentences import sentences
from tests.shared_data import SHARED, needs_shared

TRIAL = Article(
    "pmid:1",
    "Veltaprine for vomiting after surgery: a randomised trial",
    sections=(
        Section("Vomiting troubles many patients after surgery; earlier trials gave conflicting results.", "BACKGROUND"),
        Section(
            "In this double-blind trial 400 patients at 12 hospitals were randomised to veltaprine 20 mg or placebo and followed "
            "for 24 weeks. The two groups were alike in age (mean 54.2 ± 9.8 years).",
            "METHODS",
        ),
        Section(
            "Vomiting occurred in 12 % of patients with veltaprine and in 40 % with placebo (RR 0.30; 95 % CI 0.20 to 0.45; "
            "p < 0.001). Nausea was reported by 24 % and 26 %, respectively (p = 0.60). Headache was seen in 30/200 patients given "
            "veltaprine and in 18/200 given placebo (p = 0.04). Length of stay fell from 6.4 to 4.8 days. Two deaths occurred, "
            "both with placebo.",
            "RESULTS",
        ),
        Section("Veltaprine prevents vomiting but not nausea.", "CONCLUSIONS"),
    ),
)
REVIEW = Article(
    "pmid:2",
    "Statins and falls in older people: a meta-analysis",
    sections=(
        Section(
            "We pooled 14 trials with 12,345 participants. Falls were less frequent with statins (OR 0.82, 95% CI 0.70–0.96; "
            "I² = 35%), while fractures were not (OR 1.04, 95% CI 0.91–1.19). Mortality was 8.3% with statins versus 9.1% without "
            "at 52 weeks, and muscle pain was reported twice as often (RR 2.0, 95% CI 1.4 to 2.9). One in four participants "
            "stopped treatment."
        ),
    ),
)

WAITS = Article(
    "pmid:3",
    "One-stop clinics and the wait for treatment",
    sections=(
        Section(
            "The wait fell from 42.2 days to 29.6 days. Pain scores decreased from 52.1 (15.2) to 20.5 (19.7). The odds ratio for "
            "death was 0.62 (0.48-0.80). Most patients did not come back (86 %). The model was sensitive (0.939). "
            "The extra cost was £427 a head. Sixteen clots were confirmed; sensitivity was 87.5%. Harm was "
            "likelier after abuse (OR 2.63). The bias was 5.6 ± 6.9 mmHg."
        ),
    ),
)

# (article, claim, what is written of the figure, verdict)
CASES = [
    (WAITS, "The wait was shortened by nearly two weeks.", "nearly two weeks", "computed"),
    (WAITS, "The wait was shortened by nearly three weeks.", "nearly three weeks", "absent"),
    (WAITS, "Pain came down by three fifths.", "three fifths", "computed"),
    (WAITS, "The odds of death were lower by nearly 40 %.", "nearly 40 %", "computed"),
    (WAITS, "The odds of death were lower by nearly 60 %.", "nearly 60 %", "absent"),
    (WAITS, "One in seven patients came back.", "One in seven", "computed"),
    (WAITS, "The model had 94 % sensitivity.", "94 %", "computed"),
    (WAITS, "The model had 97 % sensitivity.", "97 %", "absent"),
    (WAITS, "It recognised 14 of 16 clots.", "14 of 16", "computed"),
    (WAITS, "It recognised 11 of 16 clots.", "11 of 16", "absent"),
    (WAITS, "Abuse more than doubled the odds of harm.", "doubled", "computed"),
    (WAITS, "The bias was almost 6 mmHg.", "almost 6 mmHg", "computed"),
    (WAITS, "The bias was almost 9 mmHg.", "almost 9 mmHg", "absent"),
    (TRIAL, "Vomiting occurred in 12 % with veltaprine.", "12 %", "stated"),
    (TRIAL, "With veltaprine, 12% of patients vomited, against 40% with placebo.", "12%", "stated"),
    (TRIAL, "With veltaprine, 12% of patients vomited, against 40% with placebo.", "40%", "stated"),
    (TRIAL, "On placebo 40 % vomited, on veltaprine 12 %.", "40 %", "stated"),
    (TRIAL, "On placebo 40 % vomited, on veltaprine 12 %.", "12 %", "stated"),
    (TRIAL, "Nausea was as common with veltaprine (24 %) as with placebo (26 %).", "24 %", "stated"),
    (TRIAL, "Nausea was as common with veltaprine (24 %) as with placebo (26 %).", "26 %", "stated"),
    (TRIAL, "The risk of vomiting was lower (RR 0.30, 95% CI 0.20–0.45).", "0.30", "stated"),
    (TRIAL, "The risk of vomiting was lower (RR 0.30, 95% CI 0.20–0.45).", "95% CI 0.20–0.45", "stated"),
    (TRIAL, "Nausea did not differ (p=.60).", "p=.60", "stated"),
    (TRIAL, "A trial of 400 patients at 12 hospitals tested veltaprine.", "400 patients", "stated"),
    (TRIAL, "A trial of 400 patients at 12 hospitals tested veltaprine.", "12 hospitals", "stated"),
    (TRIAL, "There were 2 groups in the trial.", "2 groups", "stated"),
    (TRIAL, "There were 2 deaths, both on placebo.", "2 deaths", "stated"),
    (REVIEW, "In 14 trials statins reduced falls (odds ratio .82).", ".82", "stated"),
    (REVIEW, "Across 12\u2009345 participants falls were fewer.", "12\u2009345 participants", "stated"),
    (REVIEW, "A quarter of participants stopped treatment.", "A quarter", "stated"),
    (REVIEW, "About 25 % of participants stopped treatment.", "About 25 %", "computed"),
    # What follows from what is stated
    (TRIAL, "Veltaprine lowered vomiting by 28 percentage points.", "28 percentage points", "computed"),
    (TRIAL, "Veltaprine reduced the relative risk of vomiting by 70 %.", "70 %", "computed"),
    (TRIAL, "Headache was seen in 15 % of patients given veltaprine.", "15 %", "computed"),
    (TRIAL, "Headache was seen in 9 % given placebo.", "9 %", "computed"),
    (TRIAL, "Headache was more frequent with veltaprine (p < 0.05).", "p < 0.05", "computed"),
    (TRIAL, "Patients were followed for six months.", "six months", "computed"),
    (TRIAL, "The stay was 1.6 days shorter.", "1.6 days", "computed"),
    (TRIAL, "About a quarter of patients had nausea on veltaprine.", "a quarter", "computed"),
    (TRIAL, "Veltaprine was given at 0.02 g.", "0.02 g", "computed"),
    (TRIAL, "Nearly half of those on placebo vomited, four in ten.", "four in ten", "computed"),
    (REVIEW, "Statins lowered the odds of falls by 18 %.", "18 %", "computed"),
    (REVIEW, "Mortality was 8 % with statins.", "8 %", "computed"),
    (REVIEW, "Mortality at one year was lower with statins.", "one year", "computed"),
    (REVIEW, "Muscle pain doubled with statins.", "doubled", "stated"),
    (TRIAL, "Headache was seen in about one in seven patients given veltaprine.", "one in seven", "computed"),
    (REVIEW, "Statins lowered the odds of falls by nearly 20 %.", "nearly 20 %", "computed"),
    (REVIEW, "In more than 12,000 participants falls were fewer.", "more than 12,000 participants", "computed"),
    (REVIEW, "Muscle pain was about twice as frequent with statins.", "twice", "stated"),
    # Another figure of the same abstract
    (TRIAL, "Vomiting occurred in 24 % of patients with veltaprine.", "24 %", "other"),
    (TRIAL, "Vomiting occurred in 12 % of patients with veltaprine and in 26 % with placebo.", "26 %", "other"),
    (TRIAL, "Vomiting occurred in 40 % of patients with veltaprine and in 40 % with placebo.", "40 %", "other"),
    (TRIAL, "Vomiting occurred in 40 % of patients with veltaprine and in 12 % with placebo.", "12 %", "other"),
    (TRIAL, "Nausea was reported by 26 % and 24 %, respectively (p = 0.60).", "26 %", "other"),
    (TRIAL, "Nausea was reported by 24 % and 26 %, respectively (p = 0.04).", "p = 0.04", "other"),
    (TRIAL, "Headache was seen in 18/200 patients given veltaprine and in 30/200 given placebo.", "18/200", "other"),
    (TRIAL, "Vomiting fell (RR 0.45; 95 % CI 0.20 to 0.45).", "0.45", "other"),
    (TRIAL, "Vomiting occurred in 12 patients with veltaprine.", "12 patients", "other"),
    (TRIAL, "Patients were followed for 12 weeks.", "12 weeks", "other"),
    (REVIEW, "Falls were less frequent with statins (OR 1.04, 95% CI 0.70–0.96).", "1.04", "other"),
    (REVIEW, "Falls were less frequent with statins (OR 0.82, 95% CI 0.91–1.19).", "95% CI 0.91–1.19", "other"),
    (REVIEW, "Mortality was 9.1% with statins versus 8.3% without.", "9.1%", "other"),
    # Nowhere to be found
    (TRIAL, "Vomiting occurred in 17 % of patients with veltaprine.", "17 %", "absent"),
    (TRIAL, "The risk of vomiting was lower (RR 0.36).", "0.36", "absent"),
    (TRIAL, "Nausea did not differ (p = 0.71).", "p = 0.71", "absent"),
    (REVIEW, "Statins lowered the odds of falls by 22 %.", "22 %", "absent"),
    (REVIEW, "Falls were rarer (95% CI 0.70–0.99).", "95% CI 0.70–0.99", "absent"),
    (REVIEW, "Falls halved with statins.", "halved", "absent"),
]


def evidence(article: Article, claim: str, written: str) -> FigureEvidence:
    figure = next(figure for figure in find_figures(claim) if claim[figure.start : figure.end] == written)
    return figure_evidence(figure, claim, article)


@pytest.mark.parametrize(("article", "claim", "written", "verdict"), CASES, ids=[f"{case[1]} [{case[2]}]" for case in CASES])
def test_verdict(article: Article, claim: str, written: str, verdict: str) -> None:
    found = evidence(article, claim, written)
    assert found.verdict == verdict, found.why
    assert found.why.startswith(written) or written in found.why


def test_the_place_shown_is_where_the_figure_stands() -> None:
    found = evidence(TRIAL, "Nausea was reported by 26 % with placebo.", "26 %")
    assert (found.field, found.start is not None) == ("abstract", True)
    assert TRIAL.abstract[found.start : found.end] == "26 %"
    nowhere = evidence(TRIAL, "Nausea was reported by 77 % with placebo.", "77 %")
    assert (nowhere.start, nowhere.end, nowhere.field) == (None, None, None)


def test_a_reader_is_told_what_the_figure_is_of() -> None:
    why = evidence(TRIAL, "Vomiting occurred in 24 % of patients with veltaprine.", "24 %").why
    assert why == "24 % is stated of “nausea”; of “vomiting, veltaprine” the abstract states 12 %"
    why = evidence(TRIAL, "Vomiting occurred in 17 % of patients with veltaprine.", "17 %").why
    assert why == "17 % is not stated; here the abstract has 12 %"
    why = evidence(TRIAL, "Nausea was reported by 26 % and 24 %, respectively (p = 0.60).", "26 %").why
    assert "exchanged" in why or "stands in the abstract" in why


def test_what_is_said_loosely_is_doubted() -> None:
    assert evidence(REVIEW, "Falls halved with statins.", "halved").doubt
    assert not evidence(TRIAL, "Vomiting occurred in 17 % of patients with veltaprine.", "17 %").doubt
    assert not evidence(TRIAL, "Vomiting occurred in 12 % with veltaprine.", "12 %").doubt


def test_an_article_without_abstract_states_nothing() -> None:
    assert evidence(Article("pmid:3", ""), "Deaths fell by 12 %.", "12 %").verdict == "absent"
    title = Article("pmid:3", "Mortality of 12 % after resection")
    assert evidence(title, "Mortality was 12 %.", "12 %").field == "title"


@needs_shared
def test_real_sentences_are_stated_in_their_own_abstracts() -> None:
    with gzip.open(SHARED / "citations" / "pubmedqa_citations.xml.gz") as file:
        articles = [article for article in read_citations(file) if isinstance(article, Article) and article.abstract][:120]
    judged = [
        figure_evidence(figure, sentence, article).verdict
        for article in articles
        for sentence in sentences(article.abstract)
        for figure in find_figures(sentence)
    ]
    assert len(judged) > 500
    assert sum(verdict in ("stated", "computed") for verdict in judged) >= 0.99 * len(judged)


WORDS = (
    *("vomiting", "nausea", "12", "40", "%", "24", "0.30", "RR", "p", "<", "=", "0.04", "95% CI", "0.20", "to", "0.45", "halved"),
    *("doubled", "one in five", "with", "placebo", ",", ";", "(", ")", "−", "±", "by", "lower", "12/50", "two", "mg"),
)


@given(st.lists(st.sampled_from(WORDS), max_size=20).map(" ".join), st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join))
@example("0/0 1/0 ± 0 doubled by 0 %", "0 % 0/0 ± 0. RR 0 lower by 0")
@example("1e-999 % 10^9 ×10−999", "0.0000000001 % by 3 1e-400 lower")
def test_any_text_is_judged(claim: str, abstract: str) -> None:
    article = Article("pmid:9", "", sections=(Section(abstract),))
    for figure in find_figures(claim):
        found = figure_evidence(figure, claim, article)
        assert found.why
        if found.field is not None:
            assert found.start is not None
            assert found.end is not None
            assert 0 <= found.start < found.end <= len(article.abstract)


@given(st.text(max_size=200), st.text(max_size=200))
def test_odd_text_is_judged(claim: str, abstract: str) -> None:
    for figure in find_figures(claim):
        assert figure_evidence(figure, claim, Article("pmid:9", abstract, sections=(Section(abstract),))).verdict


def test_time_is_linear_in_the_claim_and_the_abstract() -> None:
    def seconds(times: int) -> float:
        article = Article("pmid:9", "", sections=(Section("Pain fell by 12 % and nausea by 3 days (p = 0.04). " * times),))
        claim = "Pain fell by 12 % and nausea by 4 days."
        begun = time.process_time()
        for figure in find_figures(claim):
            figure_evidence(figure, claim, article)
        return time.process_time() - begun

    seconds(10)
    assert seconds(400) < 25 * max(seconds(41), 0.004)
