"""The request of a run of the literature pipeline: each option is one field, declared here and
nowhere else.

From this declaration come the checks (`clinfo.pipelines.literature.request`), the flags and help of
``clinfo ask``, the schema of the HTTP interface, the fields of the form, the keywords of the Python
API, and the settings that a run records.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Annotated, Final, Literal

from clinfo.errors import UsageError

Regime = Literal["unrestricted", "restricted", "source-dropped"]
EXTRACTIVE: Final = "extractive"
"""The name of the model that is no language model."""
JudgeChoice = str
"""The name of a judge of `clinfo.claims.registry`."""
Strategy = Literal["seeds", "kinds", "pico"]
Limit = Literal["humans", "adults", "children", "english", "review", "rct", "last5", "last10"]
Effort = Literal["low", "medium", "high"]
Place = Literal["cli", "http", "form"]

WHO: Final = "Model and source"
SEARCHED: Final = "What is searched"
READ: Final = "How much is read"
CHECKED: Final = "How it is checked"
REPEATING: Final = "For testing and repeating"
GROUPS: Final = (WHO, SEARCHED, READ, CHECKED, REPEATING)
"""Headings of the help page and of the form, in order."""
EVERYWHERE: Final[tuple[Place, ...]] = ("cli", "http", "form")

MAX_QUESTION: Final = 4_000
"""Characters; a question is a sentence or two, and more than this is a pasted document."""
MAX_QUERY: Final = 20_000
"""Characters; the longest published PubMed filters have some 15,000."""
MAX_PROMPT: Final = 50_000
MAX_NAME: Final = 300
MAX_SEED_STUDIES: Final = 1_000
"""Seed studies; each of them goes into every request that looks for them."""
MAX_AMOUNT: Final = 1e9
"""Dollars or seconds."""
WINDOW: Final = 9_999
"""Most articles that PubMed gives of one search (`clinfo.pubmed.limits.WINDOW`)."""


def refuse_longer(name: str, text: str) -> None:
    """Raise UsageError where a question, or another text that is asked, is too long to be one."""
    if len(text) > MAX_QUESTION:
        raise UsageError(
            f"{name} has {len(text):,} characters; at most {MAX_QUESTION:,} can be used"
        )


@dataclass(frozen=True)
class Option:
    """The declaration of an option.

    ``name`` is its name over HTTP where the field has another one, ``flag`` its flag where that is
    not ``--name``. ``least`` and ``most`` are the bounds of a number (with ``above`` the least is
    excluded), ``longest`` the most characters of a text. ``default`` is what the help shows as the
    default where the field's own default does not say it. ``label``, ``hint``, ``control`` (how
    wide, or how many lines) and ``choices`` (a title and a note for each value) are for the form;
    ``under`` is the choice beside which the form shows it. An option that leaves out some of what
    the queries find says in ``narrows`` what that does ("the filter").
    """

    help: str
    group: str
    name: str = ""
    metavar: str | None = None
    flag: str = ""
    least: float = 0
    most: float = MAX_AMOUNT
    above: bool = False
    longest: int = MAX_QUERY
    default: str | None = None
    places: tuple[Place, ...] = EVERYWHERE
    label: str = ""
    hint: str = ""
    control: str = ""
    choices: Mapping[str, tuple[str, str]] = field(default_factory=dict, hash=False)
    under: str = ""
    narrows: str = ""


@dataclass(frozen=True)
class RunRequest:
    """Everything a run is asked, as validated by `clinfo.pipelines.literature.request.checked`.

    ``models`` maps a stage (`MODEL_STAGES`) to a model name; ``prompts`` maps a prompt's name to
    the text that replaces the default one; ``own_queries`` are used as they are instead of
    generated ones (one may be a strategy of numbered lines).
    """

    question: Annotated[
        str, Option("The question, in English.", WHO, longest=MAX_QUESTION, label="Question")
    ]
    follows: Annotated[
        str | None,
        Option(
            "The question that this one follows up: a language model says what this one means "
            "after it, which is then asked alone.",
            WHO,
            metavar="QUESTION",
            longest=MAX_QUESTION,
            places=("cli", "http"),
        ),
    ] = None
    models: Annotated[
        Mapping[str, str],
        Option(
            "Models of single stages, from those available.",
            WHO,
            longest=MAX_NAME,
            places=("http",),
        ),
    ] = field(default_factory=dict)
    source: Annotated[
        str,
        Option(
            "Where articles are looked for.",  # the registry says where there is to look
            WHO, metavar="NAME", default="CLINFO_SOURCE, else pubmed", label="Source",
        ),
    ] = "pubmed"  # fmt: skip
    reasoning_effort: Annotated[
        Effort | None,
        Option(
            "low, medium or high: how long a reasoning model may think, if it allows setting it.",
            WHO,
            metavar="NAME",
            default="the model's own",
            places=("cli", "http"),
        ),
    ] = None
    max_cost: Annotated[
        float | None,
        Option(
            "Stop before model calls would cost more than this.",
            WHO,
            metavar="USD",
            places=("cli",),
        ),
    ] = None
    max_seconds: Annotated[
        float | None,
        Option(
            "Answer from the articles read by then, and state how many they are.",
            WHO,
            metavar="S",
            above=True,
            label="Answer within",
            hint="Seconds. The answer is written from the articles read by then.",
            control="short",
        ),
    ] = None
    published_from: Annotated[
        date | None,
        Option(
            "First publication date: YYYY, YYYY-MM or YYYY-MM-DD.", SEARCHED, "from", "DATE",
            narrows="the first date", label="Published from",
            hint="2015, 2015-06 or 2015-06-30", control="medium",
        ),
    ] = None  # fmt: skip
    published_to: Annotated[
        date | None,
        Option(
            "Last publication date: YYYY, YYYY-MM or YYYY-MM-DD.", SEARCHED, "to", "DATE",
            narrows="the last date", label="Published until",
            hint="2020, 2020-06 or 2020-06-30", control="medium",
        ),
    ] = None  # fmt: skip
    filter: Annotated[
        str | None,
        Option(
            "PubMed filter added to every query, such as english[la].",
            SEARCHED,
            metavar="TEXT",
            narrows="the filter",
            label="Filter",
            control="query",
            hint=(
                "In PubMed's language, added to every query: english[la], randomized controlled "
                "trial[pt]"
            ),
        ),
    ] = None
    documents: Annotated[
        tuple[str, ...],
        Option(
            "Answer from these: the text of an RIS, MEDLINE (.nbib) or CSV file, or PMIDs, which "
            "the source then has; at most 500 records, 5 MB.",
            SEARCHED,
            longest=5_000_000,
            places=("http",),
            label="Answer from these",
        ),
    ] = ()  # the ids of its records
    limits: Annotated[
        tuple[Limit, ...],
        Option(
            (
                "humans, adults, children, english, review, rct, last5, last10: PubMed's limits "
                "put on every query. Of one kind (ages, "
                "article types, years) any is enough. The first three lose articles that have no "
                "MeSH headings yet."
            ),
            SEARCHED,
            metavar="NAME[,…]",
            flag="--limit",
            narrows="PubMed's limits",
            label="Limits",
            choices={
                "rct": ("Randomised trials", ""),
                "review": ("Reviews", ""),
                "humans": ("Humans", ""),
                "adults": ("Adults", ""),
                "children": ("Children", ""),
                "english": ("In English", ""),
                "last5": ("Last 5 years", ""),
                "last10": ("Last 10 years", ""),
            },
        ),
    ] = ()
    strategy: Annotated[
        Strategy,
        Option(
            (
                "seeds: one prompt, several seeds. kinds: a narrow query, a broad one and one for "
                "reviews and trials, in one call. pico: population, intervention, comparator and "
                "outcome as the model understands them, in a strict, a standard and a broad query."
            ),
            SEARCHED,
            metavar="NAME",
            label="Search strategy",
            choices={
                "seeds": ("Three separate searches", "The model writes each query by itself."),
                "kinds": (
                    "Three kinds of query",
                    "A narrow one, a broad one and one for reviews and trials, in one call.",
                ),
                "pico": (
                    "From PICO terms",
                    (
                        "A strict, a standard and a broad query, made of population, intervention, "
                        "comparator and outcome."
                    ),
                ),
            },
        ),
    ] = "seeds"
    own_queries: Annotated[
        tuple[str, ...],
        Option(
            (
                "Use this query (or strategy of numbered lines) as it is in place of generated "
                "ones; may be repeated."
            ),
            SEARCHED,
            "query",
            "TEXT|@FILE",
            default="generated ones",
            label="Your own query",
            control="3",
            hint=(
                "Sent unchanged; problems are only reported. Numbered lines (#1 …, #2 …, #3 #1 AND "
                "#2) are one strategy; "
                "a blank line separates queries."
            ),
        ),
    ] = ()
    known: Annotated[
        tuple[str, ...],
        Option(
            (
                "PMIDs of seed studies, which the search should find; the answer shows where each "
                "is found or lost. Repeatable."
            ),
            SEARCHED,
            metavar="PMIDS|@FILE",
            label="Seed studies",
            control="1",
            hint="PMIDs. The answer shows which query finds each of them, and why others are missed.",  # noqa: E501
        ),
    ] = ()
    term_counts: Annotated[
        bool,
        Option(
            "Count the hits of every term separately, with one request each.",
            SEARCHED,
            label="Count the hits of every term",
            hint="Shows which word of a query adds or loses articles; takes a few seconds more.",
        ),
    ] = False
    repair: Annotated[
        bool,
        Option(
            "Send generated queries unchanged; do not relax those that find nothing.",
            SEARCHED, flag="--no-repair", places=("cli",),
        ),
    ] = True  # fmt: skip
    queries: Annotated[
        int,
        Option(
            "Number of generated queries.",
            READ,
            metavar="N",
            least=1,
            most=20,
            label="Queries",
            hint="1 to 20",
        ),
    ] = 3
    per_query: Annotated[
        int,
        Option(
            "Articles requested per query.", READ, metavar="N", least=1, most=WINDOW,
            label="Articles per query", hint="requested",
        ),
    ] = 16  # fmt: skip
    max_articles: Annotated[
        int,
        Option(
            "Most articles judged.", READ, metavar="N", least=1, most=10_000,
            label="Most articles", hint="judged",
        ),
    ] = 100  # fmt: skip
    rerank: Annotated[
        int | None,
        Option(
            "Summarise only the N best by BM25 when more than 35 are relevant.",
            READ,
            metavar="N",
            least=1,
            most=10_000,
            default="off",
            label="Read at most N articles",
            hint="where more than 35 are relevant",
        ),
    ] = None
    chase: Annotated[
        int,
        Option(
            "Follow links from the first N relevant articles: similar, citing and cited ones.",
            READ,
            metavar="N",
            most=50,
            label="Also look at papers that the top N cite",
            hint="and at those that cite them or are similar; 0: none",
        ),
    ] = 0
    strict: Annotated[
        bool,
        Option(
            (
                "Revise unsupported sentences once, remove those that remain unsupported, and "
                "withhold an answer if too little "
                "of it is supported; or only mark them."
            ),
            CHECKED,
            flag="--strict/--no-strict",
            default="strict",
            label="Remove unsupported sentences",
            hint=(
                "A sentence that the judge rejects is written again once and removed if it remains "
                "rejected. Otherwise it is only marked."
            ),
        ),
    ] = True
    judge: Annotated[
        JudgeChoice,
        Option(
            "Who checks each sentence.",  # the registry says who there is
            CHECKED,
            metavar="NAME",
            label="Who checks each sentence",
            default=(
                "CLINFO_JUDGE, else model with a language model, else nli where "
                "there is one, else none"
            ),
        ),
    ] = "none"
    allow_identifiers: Annotated[
        bool,
        Option(
            "Send the question even if something in it seems to identify a patient.",
            CHECKED,
            places=("cli", "http"),
        ),
    ] = False
    regime: Annotated[
        Regime,
        Option(
            (
                "What the search may find: unrestricted, restricted (what was out before a day) or "
                "source-dropped (all but some "
                "articles)."
            ),
            REPEATING,
            metavar="NAME",
            label="What the search may find",
            choices={
                "unrestricted": ("Everything in the source", ""),
                "restricted": (
                    "Only what was published before a day",
                    "Shows what could have been known then.",
                ),
                "source-dropped": (
                    "Everything but certain articles",
                    "Tests whether the answer is found without them.",
                ),
            },
        ),
    ] = "unrestricted"
    before: Annotated[
        date | None,
        Option(
            "Use only articles published before this day, which the restricted regime needs.",
            REPEATING,
            metavar="YYYY-MM-DD",
            label="Published before",
            hint="A whole date: 2019-01-01",
            control="medium",
            under="restricted",
        ),
    ] = None
    drop: Annotated[
        tuple[str, ...],
        Option(
            "Never use this article; may be repeated, and the source-dropped regime needs one.",
            REPEATING,
            metavar="PMID",
            label="Articles never used",
            hint="PMIDs, with commas or spaces between them",
            under="source-dropped",
        ),
    ] = ()
    seed: Annotated[
        int,
        Option(
            "First seed; query i uses seed + i.", REPEATING, metavar="N", most=2**31 - 1,
            label="First seed", hint="The same seed asks for the same wording again.",
        ),
    ] = 0  # fmt: skip
    fresh: Annotated[
        bool,
        Option(
            "Query the source again instead of using its answers of the last 24 hours.",
            REPEATING,
            label="Search again",
            hint="Answers of the source are cached for a day; tick this to query it again.",
        ),
    ] = False
    prompts: Annotated[
        Mapping[str, str],
        Option(
            "Prompts that replace the default ones, any of them (command line: a folder as "
            "`clinfo prompts export` writes it).",
            REPEATING, metavar="DIR", longest=MAX_PROMPT, places=("cli", "http"),
        ),
    ] = field(default_factory=dict)  # fmt: skip


MODEL: Final = Option(
    "The model of every stage: extractive, or any model that litellm knows.",
    WHO, metavar="NAME", longest=MAX_NAME, default="CLINFO_MODEL", label="Model",
)  # fmt: skip
"""One name for all of `RunRequest.models`."""
