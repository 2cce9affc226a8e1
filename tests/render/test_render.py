"""Answers as text and as Markdown, from answers made here."""

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinfo.extractive.concepts import NAMES_NOTHING
from clinfo.records.answer import (
    Answer,
    Counts,
    Overlap,
    ReadArticle,
    Reference,
    SearchedQuery,
    SearchReport,
    SearchStep,
    Support,
    Usage,
)
from clinfo.records.appraisal import (
    Appraisal,
    Balance,
    EvidenceRow,
    Notice,
    StudyGroup,
    StudyOverlap,
)
from clinfo.records.articles import (
    Article,
    CitationChase,
    DateInterval,
    Effect,
    Pico,
    SearchRequest,
    SeedHit,
    SeedLoss,
    SeedStudy,
    Sentence,
    Span,
    Summary,
    TermCount,
)
from clinfo.render.markdown import blocks_as_markdown
from clinfo.render.page import page
from clinfo.render.prisma import WIDENED, prisma_s
from clinfo.render.text import WIDTH, text
from clinfo.sources.pubmed import sent_query
from clinfo.text.wording import cost, day, listed, number, one_line, printable, seconds

ARTICLES = (
    Article(
        "pmid:11",
        "Zinc lozenges",
        pmid="11",
        published=DateInterval(date(2001, 5, 1), date(2001, 5, 31), "2001 May"),
    ),
    Article("pmid:12", "Zinc syrup", pmid="12"),
)
SUMMARIES = (
    Summary(
        "Colds were 2.1 days shorter with zinc.",
        "randomised controlled trial",
        1234,
        stance="supports",
    ),
    Summary("No difference was seen in children.", None, None, stance="contradicts"),
)
ANSWER = Answer(
    question="Does zinc shorten the common cold?",
    tldr="Mixed evidence.",
    synthesis="Lozenges shortened colds by 2.1 days [1]. Syrup cured 9 of 10 [2].",
    searched_on="2026-11-20",
    notices=("This is a notice.",),
    references=(
        Reference(
            1,
            "pmid:11",
            "11",
            "Zinc lozenges",
            'A. One, "Zinc lozenges," 2001.',
            "https://example.org/11",
            True,
        ),
        Reference(
            2,
            "pmid:12",
            "12",
            "Zinc syrup",
            'B. Two, "Syrup," 2002.',
            "https://example.org/12",
            False,
            ("title only",),
        ),
    ),
    sentences=(
        Sentence("synthesis", "Lozenges shortened colds by 2.1 days [1].", (1,), "supported", ""),
        Sentence(
            "synthesis",
            "Syrup cured 9 of 10 [2].",
            (2,),
            "unsupported",
            "9 of 10 stands in no cited article",
            lead=" ",
        ),
        Sentence("tldr", "Mixed evidence.", (), "uncited", "no citation"),
    ),
    queries=(
        SearchedQuery(
            "zinc AND cold",
            "zinc AND cold",
            0,
            "pubmed",
            "relevance",
            16,
            1234,
            ("pmid:11", "pmid:12"),
            None,
            "",
            (),
        ),
        SearchedQuery(
            "zinc colds",
            "zinc colds",
            1,
            "pubmed",
            "relevance",
            16,
            1,
            ("pmid:11",),
            None,
            "",
            ("colds: not found",),
        ),
    ),
    articles=(
        ReadArticle("pmid:11", "11", "Zinc lozenges", True, "on zinc", "m", SUMMARIES[0], ()),
        ReadArticle(
            "pmid:12", "12", "Zinc syrup", True, "on zinc", "m", SUMMARIES[1], ("title only",)
        ),
        ReadArticle("pmid:13", "13", "Iron", False, "on iron", "m", None, ()),
    ),
    counts=Counts(found=3, duplicates=1, fetched=3, judged=3, relevant=2, summarised=2, cited=1),
    usage=Usage(calls=8, cached=1, prompt_tokens=2000, completion_tokens=345, cost_usd=0.0123),
    timings={"total": 3.21},
    warnings=("Something to know.",),
    settings={
        "models": {"relevance": "m", "tldr": "m"},
        "source": "pubmed",
        "regime": "unrestricted",
        "version": "0.1.0",
    },
)
NOTHING = replace(
    ANSWER,
    tldr="",
    synthesis="",
    references=(),
    sentences=(),
    articles=ANSWER.articles[2:],
    warnings=(),
    notices=(),
    counts=Counts(found=1, fetched=1, judged=1),
)


def test_the_page_holds_everything_once_and_in_order():
    written = text(ANSWER, ARTICLES)
    wanted = [
        "Does zinc shorten the common cold?",
        "TL;DR",
        "Mixed evidence. (!a)",
        "This is a notice.",
        "SYNTHESIS",
        "Lozenges shortened colds by 2.1 days [1]. Syrup cured 9 of 10 [2]. (!b)",
        (
            "1 of 3 sentences match their sources, 1 not supported, 1 without a citation. Checked "
            "by rules against the titles and abstracts cited. A check can be wrong: the passages "
            "are shown, and the citations link to the articles."
        ),
        "(!a) without a citation: no citation.",
        "(!b) not supported: 9 of 10 stands in no cited article.",
        "EVIDENCE",
        "1,234  Colds were 2.1 days shorter",
        "REFERENCES (* CITED ABOVE)",
        '[1]* A. One, "Zinc lozenges," 2001.',
        "https://example.org/11",
        '[2]  B. Two, "Syrup," 2002. (title only)',
        "WHAT WAS SEARCHED",
        "1. zinc AND cold → 1,234 hits, best 2 retrieved",
        "2. zinc colds → 1 hit",
        "note: colds: not found",
        "Left out: 1 not relevant and 1 relevant but not used;",
        "WARNINGS",
        "- Something to know.",
        "ABOUT THIS ANSWER",
        "3 articles found · 3 judged · 2 relevant · 2 summarised · 1 cited · 3.2 s",
        "2,345 tokens in 9 model calls, 1 from the cache · $0.0123",
        "Model: m · source: PubMed · searched on 20 November 2026 · clinfo 0.1.0",
        "Not medical advice",
    ]
    flat = " ".join(written.split())
    places = [flat.find(" ".join(part.split())) for part in wanted]
    assert -1 not in places, wanted[places.index(-1)]
    assert places == sorted(places)
    assert max(map(len, written.splitlines())) <= WIDTH
    assert "\x1b" not in written


def markdown(answer, articles=()):
    links = {reference.n: reference.url for reference in answer.references}
    return blocks_as_markdown(page(answer, articles), links)


def test_a_reference_without_an_address_is_no_link():
    bare = replace(ANSWER.references[0], id="ref:2", pmid=None, url="")
    answer = replace(ANSWER, references=(bare, *ANSWER.references[1:]))
    shown = markdown(answer, ARTICLES)
    assert "](<>)" not in shown
    assert " <>" not in shown
    assert "Lozenges shortened colds by 2.1 days \\[1\\]" in shown
    assert "https://example.org/11" not in text(answer, ARTICLES)


def test_the_built_in_model_is_no_language_model():
    models = {"relevance": "extractive", "tldr": "extractive"}
    written = text(
        replace(ANSWER, settings={**ANSWER.settings, "models": models}, usage=Usage(calls=16))
    )
    assert "no language model used" in " ".join(written.split())
    assert "call" not in written
    assert "cost" not in written
    assert "16 model calls · no cost" in text(replace(ANSWER, usage=Usage(calls=16)))


def test_counts_of_a_runs_own_readings_are_no_support():
    count = Sentence(
        "tldr",
        "Both studies support this [1, 2].",
        (1, 2),
        "supported",
        "computed from [1, 2]",
        counts_only=True,
    )
    written = " ".join(text(replace(ANSWER, sentences=(*ANSWER.sentences[:2], count))).split())
    assert "1 of 2 sentences match their sources, 1 not supported. Checked by" in written
    assert ": counted by software from abstracts." not in written
    assert "counted by software from abstracts." in written
    assert "Both studies support this [1, 2]. (!" in written


def test_what_was_removed_is_told_also_in_brief():
    fewer = replace(ANSWER, support=replace(ANSWER.support, removed=15))
    assert "; 15 removed." in " ".join(text(fewer, extent="usual").split())


def test_the_share_that_matches_is_of_all_sentences_that_claim_something():
    one = ANSWER.sentences[0]
    unclear = replace(one, verdict="not_verified", reason="whatever was looked at")
    count = replace(one, counts_only=True)
    mixed = replace(ANSWER, sentences=(one,) * 5 + (unclear,) * 12 + (count,) * 3)
    whole, usual = (" ".join(text(mixed, extent=extent).split()) for extent in ("whole", "usual"))
    said = "5 of 17 sentences match their sources, 12 not verified. Checked by rules"
    assert f"{said} against" in whole
    assert f"{said}." in usual
    for written in (whole, usual):
        assert (
            written.count("not verified: no check could confirm this wording; read the passage.")
            == 1
        )  # one mark for all
        assert written.count("(!a)") == 13


def test_where_no_judge_could_tell_anything_the_answer_is_marked_as_not_verified():
    unclear = tuple(replace(one, verdict="not_verified") for one in ANSWER.sentences)
    unverified = replace(ANSWER, sentences=unclear, support=Support(not_verified=3))
    lines = text(unverified, ARTICLES, extent="usual").splitlines()
    assert lines.index("TL;DR (NOT VERIFIED)") < lines.index("SYNTHESIS")
    assert "NOT VERIFIED" not in text(ANSWER)
    assert "No check could confirm any of these sentences" in markdown(unverified)


def test_a_withheld_answer_shows_no_answer_and_its_text_below_marked():
    withheld = replace(
        ANSWER,
        tldr="",
        synthesis="",
        withheld_text="Whatever was written.",
        support=Support(unsupported=3),
    )
    for extent in ("usual", "whole"):
        written = " ".join(text(withheld, ARTICLES, extent=extent).split())
        assert "WITHHELD: TOO LITTLE OF THE ANSWER IS SUPPORTED" in written
        assert "SYNTHESIS" not in written
        before, _, after = written.partition("THE WITHHELD TEXT: DO NOT RELY ON IT")
        assert "Syrup cured" not in before
        assert (
            "Syrup cured 9 of 10 [2]. – not supported: 9 of 10 stands in no cited article." in after
        )
    short = text(withheld, ARTICLES, extent="short")
    assert "WITHHELD" in short
    assert "Syrup cured" not in short


def test_a_refused_tldr_is_shown_where_nothing_is_withheld_and_marked():
    refused = replace(ANSWER, refused_tldr="Zinc cures colds.")
    assert "which its sources do not support or which does not answer the question" in " ".join(
        text(refused).split()
    )
    assert "Zinc cures" not in text(replace(refused, settings={**ANSWER.settings, "strict": True}))


def test_the_usual_page_tells_things_once_and_folds_the_rest_into_lines_that_name_the_flag():
    long = replace(
        APPRAISED,
        synthesis="One.\n\nTwo.\n\nThree.\n\nFour.",
        sentences=(),
        warnings=("Something to know.",),
        appraisal=replace(
            APPRAISED.appraisal, rows=tuple(replace(ROW, n=n, group=n) for n in range(1, 14))
        ),
    )
    usual = text(long, ARTICLES, extent="usual")
    flat = " ".join(usual.split())
    assert "Three." in usual
    assert "Four." not in usual
    assert usual.count("Zinc lozenges\n") == 10
    assert usual.count("answers yes") == 10
    assert "3 more studies (--all-rows)" in usual
    assert text(long, ARTICLES, extent="usual", all_rows=True).count("Zinc lozenges\n") == 13
    for line in (
        "1 more paragraph (--details)",
        "Why this is not certain: 1 reason (--details)",
        "1 reference that is not cited (--details)",
        "The search: 2 queries, 3 articles found, 2 of them not cited",
    ):
        assert f"- {line}" in flat, line
    assert "WARNINGS" in usual
    for folded in ("WHAT WAS SEARCHED", "ABOUT THIS ANSWER", "B. Two"):
        assert folded not in usual
        assert folded in text(long, ARTICLES)
    short = text(long, ARTICLES, extent="short")
    assert [line for line in short.splitlines() if line.isupper()] == [
        "TL;DR",
        "SYNTHESIS",
        "REFERENCES",
        "MORE",
    ]
    assert "1 more paragraph, 1 warning, evidence, search and settings (--details)" in short


def test_of_quotations_every_page_holds_all_that_the_first_line_names():
    quotations = tuple(
        Sentence("synthesis", f"“Finding {n}.” [{n}]", (n,), "quoted", "", (), "\n\n" * (n > 1))
        for n in range(1, 6)
    )
    told = "".join(one.lead + one.text for one in quotations)
    quoted = replace(ANSWER, synthesis=told, sentences=quotations)
    for extent in ("usual", "whole"):
        shown = text(quoted, ARTICLES, extent=extent)
        assert "Finding 5." in shown
        assert "more paragraph" not in shown


def test_a_sentence_that_this_program_added_is_told_apart_from_those_checked():
    added = Sentence(
        "synthesis",
        "Studies disagree [1], [2].",
        (1, 2),
        "supported",
        "",
        lead=" ",
        judges=("this program",),
    )
    written = " ".join(text(replace(ANSWER, sentences=(*ANSWER.sentences, added))).split())
    assert "1 of 3 sentences match their sources, 1 not supported, 1 without a citation." in written
    assert "Studies disagree [1], [2]." in written


@pytest.mark.parametrize("width", [20, 50, 80, 110])
def test_lines_keep_to_the_width(width):
    longest = max(
        len(line)
        for line in text(ANSWER, ARTICLES, width=width).splitlines()
        if "example.org" not in line
    )
    assert longest <= max(width, 28)


def test_in_a_narrow_terminal_cells_stand_below_each_other():
    lines = text(ANSWER, ARTICLES, width=36).splitlines()
    start = lines.index("EVIDENCE") + 2
    assert [line.replace("\xa0", " ") for line in lines[start : start + 4]] == [
        "1. 2001, randomised controlled",
        "   trial, n = 1,234",
        "   Colds were 2.1 days shorter with",
        "   zinc.",
    ]


ROW = EvidenceRow(
    "pmid:11",
    1,
    "Zinc lozenges",
    2001,
    "randomised controlled trial",
    2,
    "randomised trial",
    1234,
    "adults",
    "zinc",
    "placebo",
    "duration of colds",
    Effect("RR", "ratio", 0.75, 0.6, 0.94, 95.0, None, Span(1, "abstract", 0, 5)),
    "decreased",
    "supports",
    "7 days",
    1,
    notices=(Notice("pmid:11", "erratum", "An erratum was published.", "PubMed's record"),),
)
APPRAISED = replace(
    ANSWER,
    appraisal=Appraisal(
        rows=(ROW,),
        groups=(StudyGroup(("pmid:11", "pmid:12"), "both name NCT00000001", ("NCT00000001",)),),
        overlaps=(StudyOverlap("pmid:12", ("pmid:11",)),),
        balance=Balance("stance", 1, "1 of 2 studies supports this."),
        uncertainty=("Few studies: 2.",),
    ),
    article_notices=(
        *ROW.notices,
        Notice("pmid:13", "retracted", "It was retracted in 2004.", "the retraction list"),
        Notice("pmid:99", "erratum", "Of an article that is nowhere shown.", "PubMed's record"),
    ),
    articles=(
        *ANSWER.articles[:2],
        replace(ANSWER.articles[2], relevant=None, flags=("excluded",)),
    ),
)


@pytest.mark.parametrize("write", [text, markdown])
def test_the_appraisal_stands_on_the_page(write):
    page = write(APPRAISED, ARTICLES, **({"width": 300} if write is text else {}))
    written = " ".join(page.replace("\\", "").replace("<br>", " ").split())
    for part in (
        "1 randomised trial · newest 2001.",
        "Duration of colds: 25 % lower risk, RR 0.75 (95 % CI 0.60 to 0.94) with zinc [1]",
        "Colds were 2.1 days shorter with zinc.",
        "answers yes · in adults · zinc against placebo · on duration of colds",
        "RR 0.75 (95 % CI 0.60 to 0.94) · follow-up 7 days · erratum",
        "Few studies: 2.",
        "report the same study and are counted once: both name NCT00000001.",
        "is a review whose reference list contains",
        "An erratum was published. (source: PubMed's record)",
        "Iron. It was retracted in 2004. (source: the retraction list)",
    ):
        assert part in written, part
    assert "nowhere shown" not in written


def test_an_unknown_price_is_said_to_be_unknown():
    written = text(replace(ANSWER, usage=replace(ANSWER.usage, cost_usd=None)))
    assert "cost unknown" in written
    assert "$" not in written


def test_nothing_relevant_is_a_page_with_queries_and_ways_to_widen():
    written = text(
        replace(
            NOTHING, settings={**ANSWER.settings, "filter": "english[la]", "from": "2020-01-01"}
        )
    )
    for part in (
        "NOTHING RELEVANT WAS FOUND",
        "1 article was read",
        "→ 1,234 hits",
        "--query",
        "(--from, --filter)",
    ):
        assert part in written
    assert "SYNTHESIS" not in written
    nothing = replace(NOTHING, counts=Counts(), articles=(), settings={"source": "demo"})
    none = text(nothing)
    assert "The searches found no article." in none
    unsearched = text(replace(nothing, queries=()))
    assert "NOTHING WAS SEARCHED" in unsearched
    assert "Say what it is about" in unsearched
    assert "--source pubmed" in none


def test_where_nothing_is_relevant_the_nearest_articles_stand_with_the_word_that_they_lack():
    def read(number, reason):
        return ReadArticle(
            f"pmid:{number}",
            str(number),
            f"Article {number}",
            False,
            reason,
            "extractive",
            None,
            (),
        )

    reasons = (
        "Mentions blood pressure; no mention of kombucha.",
        NAMES_NOTHING,
        "Mentions life; no mention of tube feeding, advanced dementia.",
    )
    written = text(replace(NOTHING, articles=tuple(read(*one) for one in enumerate(reasons, 1))))
    assert "- Article 1 (Mentions blood pressure; no mention of kombucha.)" in written
    assert "Article 2" not in written


LATE = "The deadline of 3 s was reached: few of many articles were judged."


@pytest.mark.parametrize(
    ("counts", "changed", "said"),
    [
        (
            Counts(found=9, fetched=9, not_assessed=9),
            {"warnings": (LATE,)},
            "NOT ANSWERED: THE DEADLINE PASSED BEFORE ANY ARTICLE WAS READ",
        ),
        (
            Counts(found=9, fetched=9, not_assessed=5, judged=4),
            {"warnings": (LATE,)},
            (
                "NOTHING RELEVANT AMONG THE ARTICLES READ None of those was judged "
                "relevant. 4 of 9 articles were read. Allow more"
            ),
        ),
        (
            Counts(found=9, fetched=9, judged=9, relevant=4),
            {"warnings": (LATE,)},
            (
                "NOT ANSWERED: THE DEADLINE PASSED BEFORE ANY RELEVANT ARTICLE WAS SUMMARISED 9 "
                "articles were read, and 4 of them kept as relevant. Allow more"
            ),
        ),
        (
            Counts(found=9, fetched=9, judged=9, relevant=4),
            {},
            "NOT ANSWERED: NO RELEVANT ARTICLE COULD BE SUMMARISED",
        ),
        (
            Counts(found=9, fetched=9, judged=9, relevant=4, summarised=4),
            {"support": Support(removed=4)},
            "NOT ANSWERED: NONE OF THE SENTENCES OF THE SYNTHESIS IS SUPPORTED",
        ),
        (
            Counts(found=9, fetched=9, judged=9, relevant=4, summarised=4),
            {"warnings": ("m: the provider's content filter withheld the reply",)},
            "THE MODEL WROTE NO SYNTHESIS m: the provider's content filter withheld the reply. 4",
        ),
        (
            Counts(found=9, fetched=9, judged=9, relevant=4, summarised=4),
            {},
            "NOT ANSWERED: THE MODEL WROTE NO SYNTHESIS",
        ),
        (
            Counts(found=1, fetched=1, excluded=1),
            {},
            "NO USABLE ARTICLE WAS FOUND 1 article was found, and it had to be",
        ),
        (
            Counts(),
            {"warnings": (LATE,), "queries": ()},
            "NOT ANSWERED: THE DEADLINE PASSED BEFORE THE SEARCH WAS DONE",
        ),
        (Counts(found=2), {}, "NOT ANSWERED: NO RECORD COULD BE USED"),
    ],
)
def test_a_page_without_a_synthesis_says_what_happened(counts, changed, said):
    written = " ".join(text(replace(NOTHING, counts=counts, **changed)).split())
    assert said in written
    assert "NOTHING RELEVANT WAS FOUND" not in written


def test_a_search_that_failed_is_no_search_without_hits():
    failed = SearchedQuery(
        "zinc",
        "zinc",
        2,
        "pubmed",
        "",
        16,
        0,
        (),
        None,
        "",
        ("the deadline passed before it was answered",),
    )
    assert "1. zinc → failed note: the deadline passed" in " ".join(
        text(replace(ANSWER, queries=(failed,))).split()
    )
    written = " ".join(
        text(replace(NOTHING, counts=Counts(), queries=(*NOTHING.queries, failed))).split()
    )
    assert (
        "NOT ANSWERED: THE SEARCH IS INCOMPLETE The searches that were answered found no "
        "article. 1 of 3 searches failed"
    ) in written


def test_an_unfinished_run_says_so_and_claims_nothing():
    written = text(NOTHING, finished=False)
    assert "Not finished" in written
    assert "NOTHING RELEVANT" not in written
    streamed = text(replace(ANSWER, sentences=(), tldr=""), finished=False)
    assert "These sentences were not checked." in streamed


def test_markdown_links_citations_and_is_not_fooled_by_text_from_outside():
    title = "<script>alert(1)</script> *p* | q_r_ [1](http://bad.example) `x`"
    hostile = replace(
        ANSWER,
        question="# Not a heading?\n- no list",
        references=(
            replace(ANSWER.references[0], citation=title, url="https://doi.org/10.1/a(b)<c>"),
        ),
        articles=(replace(ANSWER.articles[0], summary=replace(SUMMARIES[0], finding="a | b\nc")),),
    )
    written = markdown(hostile, ARTICLES)
    assert r"\[[1](<https://doi.org/10.1/a(b)%3Cc%3E>)\]" in written
    assert "<script" not in written
    assert r"\[1\](http\://bad.example)" in written
    assert written.startswith(r"# \# Not a heading? - no list")
    assert r"| 1 | 2001 | – | randomised controlled trial | 1,234 | a \| b c |" in written
    assert "## Synthesis\n" in written
    assert (
        "| No. | Year | Level | Design | n | Finding |\n| --- | --- | --- | --- | --- | --- |\n"
        in written
    )


def test_bare_addresses_in_text_from_outside_lead_nowhere():
    from markdown_it import MarkdownIt

    outside = (
        "Log in at http://evil.example/a_b or HTTPS://evil.example, www.evil.example, "
        "mailto:a@evil.example [1]."
    )
    hostile = replace(ANSWER, synthesis=outside, sentences=(), warnings=(outside,), tldr="")
    written = markdown(hostile, ARTICLES)
    assert (
        r"http\://evil.example/a\_b or HTTPS\://evil.example, www\.evil.example, mailto\:a@"
        in written
    )
    shown = MarkdownIt("commonmark").render(written)
    assert outside in shown  # as it was, for a reader
    assert 'href="https://example.org/11"' in shown
    assert 'href="http://evil' not in shown


def test_escape_sequences_never_reach_the_terminal():
    nasty = (
        "a\x1b[31mred\x1b[0m \x1b]8;;http://x\x07link\x1b]8;;\x07 \x9b2J\x00\x07\u202eb\r\nc\ud800"
    )
    assert printable(nasty) == "ared link b\nc"
    assert one_line(nasty) == "ared link b c"
    reference = replace(ANSWER.references[0], citation=nasty, flags=(nasty,))
    page = text(
        replace(
            ANSWER, question=nasty, references=(reference,), warnings=(nasty,), notices=(nasty,)
        )
    )
    assert not set(page) & {"\x1b", "\x9b", "\x00", "\x07", "\u202e", "\r"}


@given(st.text(max_size=200), st.integers(10, 120))
def test_any_text_can_be_written_down(value, width):
    strange = replace(
        ANSWER,
        question=value,
        synthesis=value,
        sentences=(Sentence("synthesis", value, (), "uncited", value),),
        articles=(replace(ANSWER.articles[0], summary=Summary(value, value)),),
    )
    assert text(strange, width=width).endswith("\n")
    assert markdown(strange).endswith("\n")


def test_wording():
    assert (number(1, "article"), number(1200, "article"), number(2, "study", "studies")) == (
        "1 article",
        "1,200 articles",
        "2 studies",
    )
    assert [seconds(value) for value in (0, 0.04)] == ["under 0.1 s"] * 2
    assert [seconds(value) for value in (0.1, 9.94, 75.2, 700)] == [
        "0.1 s",
        "9.9 s",
        "75 s",
        "12 min",
    ]
    costs = [cost(value) for value in (None, 0.0, 0.00001, 0.5, 1234.5)]
    assert costs == ["cost unknown", "no cost", "under $0.0001", "$0.5000", "$1,234.50"]
    assert (day("2026-11-20"), day("soon")) == ("20 November 2026", "soon")
    assert [listed(list(parts)) for parts in ("", "a", "ab", "abc")] == [
        "",
        "a",
        "a and b",
        "a, b and c",
    ]


def test_how_the_source_read_a_query_is_shown() -> None:
    read = '"zinc"[MeSH Terms] AND "common cold"[MeSH Terms]'
    query = SearchedQuery(
        "zinc AND cold",
        "zinc AND cold",
        0,
        "pubmed",
        "relevance",
        16,
        2,
        ("pmid:11", "pmid:12"),
        read,
        "",
        (),
    )
    shown = text(replace(ANSWER, queries=(query,)), ARTICLES, finished=True)
    assert f"read as: {read}" in " ".join(shown.split())
    same = text(
        replace(ANSWER, queries=(replace(query, translation=query.sent),)), ARTICLES, finished=True
    )
    assert "read as:" not in same


PROVED = replace(
    ANSWER,
    queries=(
        replace(
            ANSWER.queries[0],
            number=1,
            breadth="strict",
            unique=("pmid:12",),
            sent="(zinc AND cold) AND (english[la])",
            sent_at="2026-11-20T10:00:00+00:00",
            repairs=("A quote was closed.",),
            warnings=("A quote was closed.",),
        ),
        replace(
            ANSWER.queries[1],
            number=3,
            breadth="wide",
            sent_at="2026-11-21T00:10:00+00:00",
            outcome="partly dropped",
            steps=(
                SearchStep(
                    "zinc colds AND x", "zinc colds AND x", (), 0, "2026-11-21T00:00:00+00:00"
                ),
                SearchStep("zinc colds", "zinc colds", ("x",), 1, "2026-11-21T00:10:00+00:00"),
            ),
        ),
    ),
    understood=Pico(("children", "adults"), ("zinc",)),
    search_report=SearchReport(
        overlap=(Overlap((1, 3), 1),),
        terms=(TermCount("zinc", 1234, (1, 3)), TermCount("cold[mh]", None, (1,))),
        terms_left_out=2,
        seed_studies=(
            SeedStudy(
                "11",
                True,
                (SeedHit(1, 1, True), SeedHit(3, 120, False)),
                became="judged relevant",
            ),
            SeedStudy(
                "12",
                True,
                (SeedHit(3, None, False),),
                (SeedLoss(1, ("cold", "NOT mice"), limits=True),),
            ),
            SeedStudy(
                "13",
                True,
                (),
                (SeedLoss(1), SeedLoss(3, limits=True)),
                chased=True,
                became="judged not relevant",
            ),
            SeedStudy("14", False),
            SeedStudy("15", None),
            SeedStudy("16", True, (), (), (1, 3)),
        ),
        chase=CitationChase(("pmid:11",), 5, 3, 2, 7, 4),
    ),
    settings={
        **ANSWER.settings,
        "filter": "english[la]",
        "from": "2001-01-01",
        "seed": 7,
        "per_query": 16,
        "max_articles": 100,
        "prompts": {"tldr": "abc"},
        "strategy": "pico",
        "own_queries": 0,
    },
)


def test_how_it_was_searched_is_on_the_page():
    flat = " ".join(text(PROVED).split())
    for line in (
        "1. strict: zinc AND cold → 1,234 hits, best 2 retrieved",
        "3. wide: zinc colds → 1 hit",
        "Understood as: population children, adults; intervention zinc.",
        "Found by one query only: 1 of 2 by query 1 and 0 of 1 by query 3.",
        "Found by two queries: 1 by queries 1 and 3.",
        "Links from 1 relevant article led to 5 similar, 3 citing and 2 cited articles; "
        "7 of them were new and 4 of these were retrieved.",
        (
            "Seed studies: 2 of 6 found by the queries, 1 of them beyond the articles requested; "
            "1 by a link from a relevant article."
        ),
        (
            "Seed study 11: found by query 1 at rank 1; found by query 3 at rank 120, beyond the "
            "16 asked for; judged relevant."
        ),
        (
            "Seed study 12: found by query 3 at an unknown rank, beyond the 16 asked for; query 1 "
            "loses it at "
            "“cold”, “NOT mice” and the filter or the dates."
        ),
        (
            "Seed study 13: query 1 loses it; query 3 loses it at the filter or the dates; found "
            "by a link; judged not relevant."
        ),
        "Seed study 14: not in the source.",
        "Seed study 15: not among the articles retrieved.",
        "Seed study 16: the source did not say whether queries 1 and 3 would find it.",
        "zinc alone: 1,234 hits (queries 1 and 3)",
        "cold[mh] alone: not known (query 1)",
        "Not requested: 2 more terms.",
    ):
        assert line in flat, line
    assert "HOW THE SEARCH WAS DONE" in flat
    assert "## How the search was done" in markdown(PROVED)
    assert "HOW THE SEARCH WAS DONE" not in text(ANSWER)  # a record of an older version


@pytest.mark.parametrize(
    ("own", "first", "widened"),
    [
        ("zinc", date(2001, 1, 1), True),
        ("zinc", date(2001, 6, 15), True),
        ("zinc", None, False),
        ('zinc AND ("1990/01/01"[dp] : "1995/12/31"[dp])', None, False),
        ('(zinc) AND ("1990/01/01"[dp] : "1995/12/31"[dp])', date(1, 1, 1), False),
    ],
)
def test_the_search_appendix_says_why_the_dates_sent_are_wider_than_those_asked_for(
    own, first, widened
):
    sent = sent_query(SearchRequest(own, 16, published_from=first, published_to=date(2010, 5, 6)))
    settings = {**PROVED.settings, "from": first.isoformat() if first else None, "to": "2010-05-06"}
    query = replace(PROVED.queries[0], sent=sent)
    written = prisma_s(replace(PROVED, queries=(query,), settings=settings))
    assert (f"    {sent}\n\n{WIDENED}\n" in written) == widened
    assert (WIDENED in written) == widened


def test_the_search_appendix_of_a_local_source_names_the_index_and_how_current_it_was():
    local = replace(PROVED, settings={**PROVED.settings, "source": "local"})
    written = prisma_s(local, address="index pubmed, version 2 of 2026-03-01, 1,234 citations")
    assert (
        "    source: local\n    searched in: index pubmed, version 2 of 2026-03-01, 1,234 "
        "citations\n"
    ) in written
    assert (
        "The source was the index of item 1 as of its own date; it contains nothing newer."
        in written
    )
    assert "is not recorded" not in written.partition("## 13.")[2].partition("## 14.")[0]
    assert "How current the source was that day is not recorded." in prisma_s(local)


def test_the_search_appendix_holds_what_prisma_s_asks_for():
    written = prisma_s(PROVED, address="http://127.0.0.1:9/")
    items = [line for line in written.splitlines() if line.startswith("## ")]
    assert [item.partition(".")[0] for item in items] == [f"## {number}" for number in range(1, 17)]
    for part in (
        "    Does zinc shorten the common cold?\n",
        (
            "    clinfo 0.1.0\n    model for relevance: m\n    model for tldr: m\n    seed: 7\n"
            "    prompt tldr: sha256 abc\n"
        ),
        "    source: pubmed\n    address: http://127.0.0.1:9/\n",
        "### Query 1 (strict)\n\nWritten by the model with seed 0.\n",
        (
            "Sent on 2026-11-20T10:00:00+00:00, 1,234 hits, the best 16 asked for (relevance), 2 "
            "retrieved:\n\n"
            "    (zinc AND cold) AND (english[la])\n\nChanged before it was sent:\n\n"
            "    A quote was closed.\n"
        ),
        "Sent first on 2026-11-21T00:00:00+00:00, 0 hits:\n\n    zinc colds AND x\n\n"
        "Then relaxed, because it found nothing; removed were:\n\n    x\n",
        (
            "    publication dates from 2001-01-01\n    no last publication date\n"
            "    regime unrestricted\n"
        ),
        "in its own parentheses:\n\n    english[la]\n",
        "Queries were sent from 20 November 2026 to 21 November 2026.",
        "    Seed studies: 2 of 6 found by the queries",
        (
            "    query 1: 2 of 1,234 hits\n    query 3: 1 of 1 hit\n    records by links: 4 of 7 "
            "new ones\n"
        ),
        "1 duplicate removed",
        "- Found by one query only: 1 of 2 by query 1 and 0 of 1 by query 3.",
    ):
        assert part in written, part


def test_what_an_appendix_does_not_know_it_says():
    bare = replace(ANSWER, settings={}, queries=ANSWER.queries[:1])
    written = prisma_s(bare, finished=False)
    assert "source: not recorded\n    address: not recorded" in written
    assert "clinfo (version not recorded)" in written
    assert "articles requested per query: not recorded" in written
    assert "did not finish" in written
    assert "Sent at a time not recorded" in prisma_s(
        replace(bare, queries=(replace(bare.queries[0], sort="relevance"),))
    )
    failed = SearchedQuery("zinc", "zinc", 2, "pubmed", "", 16, 0, (), None, "", ("away",))
    assert "As intended; the source did not answer:\n\n    zinc\n\n    away\n" in prisma_s(
        replace(bare, queries=(failed,))
    )
    assert "No query was sent." in prisma_s(replace(bare, queries=()))


def test_nothing_from_outside_is_markup_in_an_appendix():
    from markdown_it import MarkdownIt

    nasty = "# zinc <script>alert(1)</script>\n\n- [a](http://evil.example) **b** \x1b[31m"
    query = replace(
        PROVED.queries[0],
        text=nasty,
        sent=nasty,
        translation=nasty + "!",
        repairs=(nasty,),
        warnings=(nasty, "x" + nasty),
    )
    hostile = replace(
        PROVED,
        question=nasty,
        queries=(query,),
        understood=Pico((nasty,)),
        settings={
            **PROVED.settings,
            "filter": nasty,
            "source": nasty,
            "models": {"tldr": nasty},
            "before": nasty,
            "drop": [nasty],
            "regime": nasty,
            "per_query": nasty,
            "from": nasty,
        },
        articles=(replace(ANSWER.articles[0], judge=nasty, flags=("not judged",), reason=nasty),),
        searched_on=nasty,
        search_report=replace(
            PROVED.search_report, seed_studies=(SeedStudy("1", True, (), (SeedLoss(1, (nasty,)),)),)
        ),
    )
    written = prisma_s(hostile, address=nasty)
    assert "\x1b" not in written
    shown = MarkdownIt("commonmark", {"html": True}).render(written)
    assert "<script" not in shown
    assert "<strong" not in shown
    assert "href" not in shown
    assert shown.count("<h1>") == 1
