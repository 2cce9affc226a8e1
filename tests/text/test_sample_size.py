"""Sample sizes and populations."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinfo.records.articles import Article, Section
from clinfo.text.sample_size import analysed_size, population, sample_size


def _article(*parts: tuple[str | None, str], title: str = "A trial of walking") -> Article:
    return Article(
        id="pmid:1", title=title, sections=tuple(Section(text, label) for label, text in parts)
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1,204 patients were randomised to walking or rest.", 1204),
        ("A total of forty-two women took part.", 42),
        ("We randomly assigned 96 healthy adults to walking.", 96),
        ("Adults with asthma (n = 412) walked.", 412),
        ("One hundred and five patients were enrolled.", 105),
        ("Adults were randomised to walking (n = 20), running (n = 22) or rest (n = 21).", 63),
        ("Of 500 adults screened, 120 adults were randomised.", 120),
        ("Of 50 patients, 12 fell.", 50),
        ("The sample included N = 167 women.", 167),
        ("Of the 139 adults enrolled, 66 were randomised to walking and 73 to rest.", 139),
        (
            "202 adults were allocated to the walking group and 200 adults to the control group.",
            402,
        ),
        ("At eight Danish hospitals 412 participants were randomised.", 412),
        ("The trial's 784 girls were divided by weight.", 784),
        ("A survey of 310 nurses.", 310),
        ("We included 14 trials with 3,210 participants.", 3210),
        ("Adults walked for 12 weeks, 45% of patients at 30 minutes a day.", None),
        ("Patients aged 65 years were seen in 2010.", None),
        ("Legs move.", None),
        ("three hundred patients awaiting surgery were randomised.", 300),
        ("We included 12 537 patients.", 12537),
        ("141 355 participants were enrolled.", 141355),
        ("A cohort of 120 thousand adults was followed.", 120000),
        ("Adults (n = 12,537) were randomised.", 12537),
        ("Of 350 eligible adults, 200 were randomised.", 200),
        ("36 women and 2 men were included.", 38),
        ("20 patients with gout and 20 controls were enrolled.", 40),
        ("Walking was offered to 48 patients with gout in a randomised trial.", 48),
        (
            (
                "Walkers and runners took part: adults who ran (n = 24) and walked (n = 26) were "
                "recruited."
            ),
            50,
        ),
    ],
)
def test_sample_sizes(text: str, expected: int | None) -> None:
    assert sample_size(_article(("METHODS", text))) == expected


@pytest.mark.parametrize(
    "text",
    [
        "We retrieved 630 records and screened 6543 eligible records.",
        "Of 6543 eligible records, 14 RCTs were included.",
        "Group 2 patients walked.",
        "Patients in 8 hospitals were randomised.",
        "At 8 hospitals treating patients with gout, walking was tried.",
        "Thirty adults in each group walked.",
        "40 and 42 adults walked or rested.",
        "A total of 400 adults will be randomised.",
        "At least 30 adults were enrolled.",
        "About 300 adults were enrolled.",
        "200 of 350 eligible adults were randomised.",
        "500 adults were invited.",
        "12 of 50 patients fell.",
        "Of 4345 adults enrolled in the original trial, most walked.",
        "A survey with 8 stories describing patients was sent.",
        "Two trials were done in adults (n = 84; elsewhere another).",
        "Surgery was done in 17 patients (85%).",
        "Of the walkers, sixty of them were men.",
        "In study 1, 30 adults walked; in study 2, 40 adults ran.",
    ],
)
def test_what_is_no_sample_is_not_read(text: str) -> None:
    assert sample_size(_article(("METHODS", text))) is None


@pytest.mark.parametrize(
    "text",
    [
        "Pain fell in 12 patients.",
        "11 adults had blisters.",
        "30 adults in the walking group fell.",
        "Of the 59 adults with gout, 5 fell.",
    ],
)
def test_outcomes_are_no_sample(text: str) -> None:
    assert sample_size(_article(("METHODS", "Adults walked."), ("RESULTS", text))) is None


def test_randomised_before_entered_before_analysed() -> None:
    entered, randomised = (
        "A total of 900 adults entered.",
        "Those not in pain were then randomised: 310 adults in all.",
    )
    analysed = "In all, 280 adults were analysed."
    methods = " ".join((analysed, entered))
    assert sample_size(_article(("METHODS", methods))) == 900
    assert sample_size(_article(("METHODS", f"{methods} 310 adults were randomised."))) == 310
    assert sample_size(_article(("METHODS", analysed), ("RESULTS", randomised))) == 280


def test_arms_of_the_randomised_stand_before_those_who_entered() -> None:
    text = (
        "For weeks 988 adults walked. Then some were randomised to run (n = 162) or to rest (n = "
        "161)."
    )
    assert (
        sample_size(
            _article(
                ("METHODS", text),
                ("RESULTS", "Of the 821 adults who completed the walks, most ran."),
            )
        )
        == 323
    )


def test_two_trials_reported_together_are_added_up() -> None:
    text = "Two trials randomised adults to walking or rest; 904 and 934 adults were treated."
    assert sample_size(_article(("METHODS", text))) == 1838


def test_of_a_substudy_the_whole_trial_is_not_taken() -> None:
    whole = "In the trial 2,144 adults were randomised; 182 (8%) were tall."
    title = "Walking: a subgroup analysis"
    assert sample_size(_article(("METHODS", whole), title=title)) is None
    arms = f"{whole} They took long walks (n = 90) or short ones (n = 92)."
    assert sample_size(_article(("METHODS", arms), title=title)) == 182
    part = "Adults were randomised. This substudy had X-rays available for 237 of them (63%)."
    assert sample_size(_article(("METHODS", part))) == 237


def test_the_studies_of_a_review_are_no_people() -> None:
    title = "Walking: a systematic review"
    assert (
        sample_size(
            _article(
                ("METHODS", "Fourteen RCTs were included. Twelve RCTs (n = 40) were pooled."),
                title=title,
            )
        )
        is None
    )
    assert (
        sample_size(
            _article(("RESULTS", "Fourteen trials (3 210 adults) were pooled."), title=title)
        )
        == 3210
    )


def test_the_surest_statement_wins() -> None:
    article = _article(
        ("METHODS", "A total of 300 adults were invited. 180 adults were randomised."),
        ("RESULTS", "In 20 patients pain fell."),
        ("CONCLUSIONS", "Walking helps 1,000 patients a year."),
    )
    assert sample_size(article) == 180


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Sixty women aged 65 years or older were randomised.", "women aged 65 years or older"),
        ("We studied 40 children with severe asthma.", "children with severe asthma"),
        ("Legs move.", None),
    ],
)
def test_populations(text: str, expected: str | None) -> None:
    assert population(_article(("METHODS", text), title="Walking")) == expected


@given(st.integers(5, 999), st.integers(0, 999), st.sampled_from([",", " ", "\u2009", "\u00a0"]))
def test_thousands_are_read_whole(thousands: int, rest: int, between: str) -> None:
    text = f"{thousands}{between}{rest:03d} patients with gout were randomised."
    assert sample_size(_article(("METHODS", text))) == 1000 * thousands + rest


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    article = _article((None, text), title=text)
    size = sample_size(article)
    assert size is None or size > 1
    who = population(article)
    assert who is None or who in f"{text}\n{article.abstract}"


@pytest.mark.parametrize(
    "parts",
    [
        (
            (
                "METHODS",
                "Adults had one of three treatment groups: walking (n = 40), rest (n = 41).",
            ),
        ),
        (("METHODS", "Adults were split into four groups. 20 patients received shoes."),),
        (
            (
                "METHODS",
                (
                    "We will recruit 300 adults with gout. Adults will be randomised to shoes or "
                    "to rest."
                ),
            ),
        ),
        (
            ("METHODS", "We reviewed PubMed."),
            ("RESULTS", "There were 2 smaller trials with approximately 1000 patients each."),
        ),
    ],
)
def test_parts_and_plans_are_no_sample(parts: tuple[tuple[str | None, str], ...]) -> None:
    assert sample_size(_article(*parts)) is None


def test_all_the_groups_that_are_told_are_added_up() -> None:
    text = (
        "Adults were randomised to three groups: walking (n = 40), rest (n = 41) or shoes (n = 42)."
    )
    assert sample_size(_article(("METHODS", text))) == 123


@pytest.mark.parametrize(
    "text",
    [
        "We excluded smokers with current depression.",
        "We enlisted enough subjects.",
        "Involve patients in the plan.",
        "Smokers who manage well.",
    ],
)
def test_verbs_are_no_people(text: str) -> None:
    who = population(_article(("METHODS", text)))
    assert who is None or not any(
        verb in who for verb in ("excluded", "enlisted", "enough", "Involve", "manage")
    )


@pytest.mark.parametrize(
    ("text", "randomised", "analysed"),
    [
        ("One hundred and forty-two women were randomised to tea or water.", 142, None),
        ("A hundred and twenty men were randomised.", 120, None),
        ("Women (n = 1, 334) were randomised to tea or water.", 1334, None),
        ("A total of 1, 334 women were randomised to tea or water.", 1334, None),
        ("Women were randomised to tea (n = 1, 020) or water (n = 1, 014).", 2034, None),
        ("We randomised 200 adults. 180 were analysed.", 200, 180),
        (
            "Two hundred patients were randomised and 187 patients were included in the analysis.",
            200,
            187,
        ),
        (
            (
                "The 193 out-patients were randomised to tea. One hundred and eighty-six patients "
                "completed the study."
            ),
            193,
            186,
        ),
        ("From 2,137 screened subjects, 85 adults entered the study.", 85, None),
        ("We randomised 200 adults, of whom 20 were analysed twice.", 200, None),
        ("45 providers of care with headache were randomly allocated to tea or water.", 45, None),
    ],
)
def test_randomised_and_analysed(text: str, randomised: int, analysed: int | None) -> None:
    article = Article(id="pmid:1", title="Tea", sections=(Section(text, "METHODS"),))
    assert (sample_size(article), analysed_size(article)) == (randomised, analysed)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Gel was compared with cream in eczema. Five patients reported burning.", None),
        ("We treated 75 adults with gel. Five patients reported burning.", 75),
        ("Gel was well tolerated. There were 16 patients with a rash.", None),
        ("Five patients exhibited a rash. Gel was given to 75 adults.", 75),
        ("Forty patients who reported pain were given gel.", 40),
        ("We assessed gel in 25 male and 9 female healthy adults.", 34),
        ("ASA 12 patients were given gel.", None),
    ],
)
def test_what_some_did_is_no_size(text: str, expected: int | None) -> None:
    article = Article("pmid:1", "Gel", sections=(Section(text, None),))
    assert sample_size(article) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "We randomised 60 adults with rheumatoid arthritis and 40 healthy controls.",
            "adults with rheumatoid arthritis",
        ),
        (
            "Sixty adults older than 18 years with eczema were randomised.",
            "adults older than 18 years with eczema",
        ),
    ],
)
def test_a_population_ends_where_others_begin(text: str, expected: str) -> None:
    assert population(Article("pmid:1", "Gel", sections=(Section(text, None),))) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Sixty ASA 1 or 2 adults were enrolled and given gel or cream.", 60),
        ("Gel was tested. There were 12 adults with a rash compared with three on cream.", None),
        ("A rash was seen in seven adults on gel.", None),
        ("Gel was given to 40 adults. The rash cleared in 18 of 90 adults.", None),
        ("The database comprising 3.2 million adults was read.", None),
        ("Health plans encompassing 80,000 adults were read.", None),
        ("310 adults were administered gel and 305 cream.", 615),
        ("The trial included 210 adults randomized to gel 5 mg and 204 randomized to cream.", 414),
        ("We studied two cohorts: 40 adults treated with gel and 55 treated with cream.", 95),
        ("The adults of each cohort (gel, n = 31; cream, n = 33) received it in groups.", 64),
        ("The cost was read for 9 adults out of a total of 200 adults.", None),
        ("In the gel cohort, there were 80 adults who were treated and 900 who were not.", None),
        ("In 14 adults, gel was tested. Nine adults were called healed and received cream.", 14),
        ("102 adults received gel. They were compared with 108 adults that received cream.", None),
        ("Long-term data of 900 adults were included in a supplementary analysis.", None),
        (
            "We studied 500 adults. They were randomly assigned to gel or cream. We randomly "
            "assigned 300 adults who healed to maintenance treatment with gel or none.",
            500,
        ),
        ("In the study 300 adults were randomised by Miller and colleagues to gel.", None),
        ("We report on 15 adults: 11 with eczema, 3 with psoriasis and 1 with acne.", 15),
    ],
)
def test_a_part_is_no_size_and_arms_are_added(text: str, expected: int | None) -> None:
    article = Article("pmid:1", "Gel and cream in eczema", sections=(Section(text, None),))
    assert sample_size(article) == expected


def test_cases_and_controls_are_added() -> None:
    text = "A list of 19,000 adults was read. 60 cases of eczema were matched with 240 controls."
    article = Article(
        "pmid:1", "Soap and eczema: a case-control study", sections=(Section(text, None),)
    )
    assert sample_size(article) == 300


def test_the_arms_of_a_crossover_are_the_same_people() -> None:
    text = (
        "24 healthy volunteers were given gel. Adults had gel daily with either placebo (n = 24) "
        "or cream (n = 24)."
    )
    article = Article(
        "pmid:1", "Gel: a randomised crossover study", sections=(Section(text, None),)
    )
    assert sample_size(article) == 24
