"""Study designs and what may bias them."""

from dataclasses import replace

import pytest

from clinfo.records.articles import Article, Section
from clinfo.text.design import NOT_STATED, design_strength, risk_of_bias, study_design


def _article(
    title: str, text: str = "", label: str | None = "METHODS", types: tuple[str, ...] = ()
) -> Article:
    sections = (Section(text, label),) if text else ()
    return Article(id="pmid:1", title=title, sections=sections, publication_types=types)


@pytest.mark.parametrize(
    ("title", "text", "expected"),
    [
        ("Walking for weight: a randomised controlled trial", "", "randomised controlled trial"),
        (
            "Walking",
            "Sixty adults were randomly assigned to walking or rest.",
            "randomised controlled trial",
        ),
        ("Walking: a randomized, double-blind, crossover study", "", "randomised crossover trial"),
        (
            "Walking",
            "Villages were the clusters; clusters were randomised.",
            "cluster randomised trial",
        ),
        (
            "Walking: a systematic review and meta-analysis of randomised trials",
            "",
            "systematic review and meta-analysis",
        ),
        ("Walking", "We searched MEDLINE and Embase for trials of walking.", "systematic review"),
        ("Walking and falls: a case-control study", "", "case-control study"),
        (
            "Walking",
            "We followed a prospective cohort of adults for two years.",
            "prospective cohort study",
        ),
        (
            "Walking",
            "The medical records of adults were reviewed retrospectively.",
            "retrospective cohort study",
        ),
        ("Walking", "A postal survey was sent to all adults.", "cross-sectional study"),
        ("Walking", "Semi-structured interviews were held with ten adults.", "qualitative study"),
        ("Walking", "A 64-year-old man walked. We report a case of blisters.", "case report"),
        ("Walking for weight: study protocol for a trial", "", "study protocol"),
        (
            "Walking",
            (
                "Adults will be asked to walk. The primary outcome will be weight. We will compare "
                "means."
            ),
            "study protocol",
        ),
        ("Walking", "Rats were made to walk on wheels.", "animal study"),
        ("Walking", "Legs move.", None),
        (
            "Walking",
            "Adults were allotted at random, in blocks, to walking or to rest.",
            "randomised controlled trial",
        ),
        (
            "Walking",
            "Pilot trial. Adults were divided at random into two groups.",
            "randomised controlled trial",
        ),
        (
            "Walking",
            "Walking, assigned at random, was long or short; a questionnaire was used.",
            "randomised controlled trial",
        ),
        ("Walking", "Adults were split randomly into two groups.", "randomised controlled trial"),
        (
            "Walking: a randomised trial",
            "In a cross-over adults walked and rested, in random order.",
            "randomised crossover trial",
        ),
        ("Walking", "A random sample of adults walked, and schools were chosen at random.", None),
        (
            "Walking",
            "Classes were assigned arbitrarily to walking or to a control.",
            "non-randomised controlled trial",
        ),
        (
            "Walking: a pilot study",
            "In an uncontrolled before-and-after study adults walked.",
            "before-and-after study",
        ),
        ("Walking: a pilot study", "Adults walked.", "single-arm trial"),
        ("Walking", "Adults walked as controls did. A pilot study.", None),
        ("Walking", "The groups were asked about diet in questionnaires at 6 and 12 months.", None),
        ("Walking", "The cross-sectional area of the calf was measured.", None),
        ("Walking", "This was a cross-sectional study of walkers.", "cross-sectional study"),
        (
            "Walking",
            "Adults took long and short walks in random order.",
            "randomised crossover trial",
        ),
        (
            "Walking",
            (
                "Fourteen adults walked. A randomised controlled trial of shoes for falls seems "
                "warranted."
            ),
            None,
        ),
        ("Walking", "The response rate was 40% with walking.", None),
        (
            "Walking. A review of its use in gout",
            "Benefit has been shown in placebo-controlled trials.",
            "narrative review",
        ),
        (
            "Current management of gout",
            "Randomised trials were considered; walking helps in vitro too.",
            "narrative review",
        ),
        ("Walking", "Randomised controlled trials have shown that walking helps.", None),
        (
            "Walking",
            "Walking and rest in a randomised, double-blind, parallel-group trial.",
            "randomised controlled trial",
        ),
        ("Cost analysis of walking", "Randomised trials gave the rates.", "economic evaluation"),
        (
            "Walking",
            "Walking acts in vitro. Forty patients were given shoes in a prospective study.",
            "prospective cohort study",
        ),
        (
            "Walking",
            "Shoes act in vitro. In a randomised crossover study, double-blind, 20 adults walked.",
            "randomised crossover trial",
        ),
        ("Walking", "Adults filled in a series of self-report forms.", None),
        ("A survey of walkers", "Consecutive patients were asked.", "cross-sectional study"),
        (
            "Walking: a retrospective cohort study",
            "Shoes were tested in a randomised trial before.",
            "retrospective cohort study",
        ),
    ],
)
def test_designs(title: str, text: str, expected: str | None) -> None:
    assert study_design(_article(title, text)) == expected


def test_what_others_did_and_what_is_needed_does_not_count() -> None:
    text = "Previous randomised controlled trials disagreed. Randomised trials are needed."
    assert study_design(_article("Walking", text, label="CONCLUSIONS")) is None


def test_a_crossover_told_in_the_aims_is_one() -> None:
    aims = Section(
        "This randomised, three-period crossover study compared long and short walks.", "BACKGROUND"
    )
    methods = Section("Long and short walks were randomised among 24 adults.", "METHODS")
    assert (
        study_design(Article(id="pmid:1", title="Walking", sections=(aims, methods)))
        == "randomised crossover trial"
    )


def test_publication_types_come_first_and_are_refined() -> None:
    typed = _article(
        "Walking: a cluster randomised trial",
        types=("Journal Article", "Randomized Controlled Trial"),
    )
    assert study_design(typed) == "cluster randomised trial"
    assert study_design(_article("Walking", types=("Case Reports",))) == "case report"


def test_strength_follows_the_hierarchy_of_evidence() -> None:
    order = [
        "systematic review and meta-analysis",
        "randomised controlled trial",
        "cohort study",
        "case series",
        "study protocol",
    ]
    assert [design_strength(name) for name in order] == sorted(
        (design_strength(name) for name in order), reverse=True
    )
    assert 0 < design_strength(None) < design_strength("cohort study")


def test_bias_says_what_the_abstract_allows() -> None:
    article = _article(
        "Walking: an open-label pilot trial",
        "It was done at a single centre. Two adults dropped out.",
    )
    found = risk_of_bias(article, "randomised controlled trial", 24)
    assert (
        found == "small sample (24); open label; pilot study; single centre; incomplete follow-up"
    )
    assert risk_of_bias(_article("Walking"), "randomised controlled trial", 400) == NOT_STATED
    assert risk_of_bias(_article("Walking"), "case series", None) == "no control group"
    assert "confounding" in risk_of_bias(_article("Walking"), "cohort study", 400)
    assert (
        risk_of_bias(
            _article("Walking", "There was no attrition."), "randomised controlled trial", 99
        )
        == NOT_STATED
    )


@pytest.mark.parametrize(
    ("title", "text", "expected"),
    [
        (
            "Tea in colitis",
            (
                "Sixty Wistar rats were randomly assigned to tea or water. The rats on tea lost "
                "less weight."
            ),
            "animal study",
        ),
        (
            "A randomised, double-blind trial of tea in dogs",
            "Forty dogs with eczema were randomised to tea or placebo.",
            "animal study",
        ),
        (
            "Two rinses before bonding",
            "Forty extracted premolars were randomly divided. Bond strength was tested.",
            "laboratory study",
        ),
        (
            "Tea in adults",
            (
                "Earlier work in mice was promising. Forty patients were randomised to tea or "
                "placebo; the patients on tea slept more."
            ),
            "randomised controlled trial",
        ),
        (
            "Cow's milk in children",
            (
                "Sixty children were randomised to cow's milk or soy milk. Children on soy milk "
                "grew less."
            ),
            "randomised controlled trial",
        ),
        (
            "A short and a long stimulation protocol",
            (
                "We randomised 60 women as the study protocol says. Pregnancy was significantly "
                "commoner with the long one (p = 0.01)."
            ),
            "randomised controlled trial",
        ),
        (
            "Tea for sleep: study protocol for a randomised trial",
            "We will randomise 60 women.",
            "study protocol",
        ),
    ],
)
def test_who_or_what_was_studied(title: str, text: str, expected: str) -> None:
    assert study_design(_article(title, text, label=None)) == expected


def test_check_tags_go_before_words() -> None:
    told = Article(
        id="pmid:1",
        title="Tea and sleep",
        sections=(Section("Sleep was longer after tea than after water."),),
    )
    assert study_design(replace(told, mesh=("Animals", "Male"))) in (
        "animal study",
        "laboratory study",
    )
    rats = Article(
        id="pmid:1",
        title="Tea in rats",
        sections=(Section("Rats were given tea. The rats slept."),),
    )
    assert study_design(rats) == "animal study"
    assert study_design(replace(rats, mesh=("Animals", "Humans"))) != "animal study"


def test_a_record_that_may_be_on_nobody_is_not_ranked() -> None:
    told = _article(
        "A randomised comparison of two clips ex vivo",
        "The clips were randomly assigned to 20 stomachs. Leaks were rarer.",
        label=None,
    )
    assert study_design(told) in (None, "laboratory study", "animal study")


def test_a_trial_under_way_is_a_protocol() -> None:
    told = Article(
        id="pmid:1",
        title="Tea for sleep in shift workers: the TEAS trial",
        sections=(
            Section("Shift workers sleep badly.", "BACKGROUND"),
            Section(
                (
                    "A total of 120 workers will be randomised to tea or water. Sleep will be "
                    "measured for a week."
                ),
                "METHODS/DESIGN",
            ),
            Section("The trial will show whether tea helps.", "DISCUSSION"),
        ),
    )
    assert study_design(told) == "study protocol"


@pytest.mark.parametrize(
    "text",
    [
        "In a cross-sectional survey we asked dermatologists about a randomised trial.",
        "This was a cross-sectional survey of adults who had taken part in a randomised trial.",
        "A randomised trial that had tested gel preceded a cross-sectional survey of adults.",
    ],
)
def test_a_trial_that_a_clause_speaks_of_is_not_the_design(text: str) -> None:
    article = Article("pmid:1", "Gel in adults with eczema", sections=(Section(text, "METHODS"),))
    assert study_design(article) == "cross-sectional study"


@pytest.mark.parametrize(
    ("title", "text", "expected"),
    [
        (
            "Gel: a review of its use in eczema",
            "Gel is a drug. Gel healed eczema. A meta-analysis suggests that gel is safe.",
            "narrative review",
        ),
        (
            "Gel: an update of its place in eczema",
            "Meta-analytic data and experience in >9,000 patients suggest that gel is safe.",
            "narrative review",
        ),
        (
            "Gel and the skin of adults",
            "Patients need care. Miller and colleagues show that gel helps. In the Miller study "
            "300 patients were randomised to gel or cream.",
            "narrative review",
        ),
        (
            "Gel in an observational cohort study of adults with eczema",
            "Centres were randomized to gel or cream for patients. The nonrandomized nature of "
            "this study limits what can be said.",
            "cohort study",
        ),
        (
            "Gel for eczema",
            "A 2-year follow-up study of a patient. Single patient case report. It healed.",
            "case report",
        ),
        (
            "Gel in eczema: an experimental case study",
            "A double-blind, randomised cross-over study in a patient with eczema.",
            "case report",
        ),
        (
            "Rashes on gel: an analysis of 30 published cases",
            "We analyzed 30 cases of patients. The cohort was young.",
            "case series",
        ),
        (
            "Rashes in trials of gel in adults with eczema",
            "A combined analysis of individual patient data was made. Patients were randomly "
            "assigned to gel or cream.",
            "meta-analysis",
        ),
        (
            "Rashes on gel in adults with eczema",
            "Data from all controlled eczema trials were read. Patients were randomised to gel.",
            "meta-analysis",
        ),
    ],
)
def test_what_others_did_is_not_the_design(title: str, text: str, expected: str) -> None:
    assert study_design(Article("pmid:1", title, sections=(Section(text, None),))) == expected


def test_a_case_series_of_others_is_not_the_design() -> None:
    text = "Case series suggest that gel burns. The skin of patients on gel was looked at."
    article = Article("pmid:1", "Gel in patients with eczema", sections=(Section(text, None),))
    assert study_design(article) is None
