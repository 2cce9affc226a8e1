"""The values of the trials pipeline: what is asked, which papers tell of which study, what each
study concludes. Offsets are code points in a paper's canonical text.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Final, Literal

from clinfo.evidence.meta_analysis.values import Better, Direction
from clinfo.records.answer import RunAnswer
from clinfo.records.request import MAX_QUESTION, Option

Side = Literal["intervention", "comparator", "neither"]
Method = Literal[
    "numbers",
    "urca",
    "urca-global",
    "rag",
    "rag-uniform",
    "abstracts",
    "no-rag",
    "raptor",
    "instruct-rag",
]
Clusters = Literal["agglomerative", "umap"]
NumbersKind = Literal["binary", "continuous"]
Order = Literal["descending", "ascending", "random", "ping-pong-top", "ping-pong-bottom"]
DIRECTIONS: Final[tuple[Direction, ...]] = (
    "increase",
    "decrease",
    "no_difference",
    "not_stated",
)


ASKED: Final = "What is asked"
READ: Final = "What is read, and how"


def _part(help: str) -> Option:
    """A part of the question."""
    return Option(help, ASKED, metavar="TEXT", longest=MAX_QUESTION, default="from the question")


@dataclass(frozen=True)
class TrialsRequest:
    """Everything a run of the trials pipeline is asked.

    ``papers`` are files or ``PMC…`` numbers. ``studies`` gives names of studies with the papers
    that tell of each. The three parts and ``better`` are read from the question where they are "".
    ``k``, ``beta``, ``most`` (N_max) and ``order`` are URCA's; ``clusters`` says how passages are
    grouped, ``embedder`` names what ranks and groups them by meaning ("": by words).
    """

    question: Annotated[str, Option("The question.", ASKED, longest=MAX_QUESTION, places=("http",))]
    papers: tuple[str, ...]
    intervention: Annotated[str, _part("What is tried.")] = ""
    comparator: Annotated[str, _part("What it is compared with.")] = ""
    outcome: Annotated[str, _part("The outcome.")] = ""
    better: Annotated[
        Better | None,
        Option("Which way the outcome is better.", ASKED, default="from the question"),
    ] = None
    studies: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    method: Annotated[
        Method,
        Option("How studies are read: direction and numbers at once, URCA, or a rival.", READ),
    ] = "numbers"
    k: Annotated[int, Option("Passages of one paper.", READ, metavar="N", least=1, most=1000)] = 10
    beta: Annotated[
        float, Option("More passages for a study of more papers.", READ, metavar="X", most=1000)
    ] = 3.0
    most: Annotated[
        int, Option("Most passages of a study.", READ, "n_max", "N", least=1, most=10_000)
    ] = 50
    order: Annotated[Order, Option("Order in which groups of passages are read.", READ)] = (
        "descending"
    )
    clusters: Annotated[
        Clusters,
        Option("How passages are grouped; umap as published.", READ, places=("cli",)),
    ] = "agglomerative"
    embedder: Annotated[
        str,
        Option(
            "Ranks and groups passages by this model's vectors.",
            READ,
            metavar="NAME",
            places=("cli",),
        ),
    ] = ""
    models: Mapping[str, str] = field(default_factory=dict)
    prompts: Mapping[str, str] = field(default_factory=dict)
    seed: Annotated[int, Option("Seed of what is random.", READ, metavar="N", most=2**31 - 1)] = 0
    max_cost: Annotated[
        float | None, Option("Most US dollars to spend.", READ, metavar="USD", places=("cli",))
    ] = None
    max_seconds: float | None = None


@dataclass(frozen=True)
class StudyPapers:
    """A study: its name, the ids of its papers in order, and why they are held for one."""

    name: str
    papers: tuple[str, ...]
    why: str


@dataclass(frozen=True)
class Quote:
    """Code points [start, end) of a paper's text."""

    paper: str
    start: int
    end: int


@dataclass(frozen=True)
class Conclusion:
    """The direction of an outcome with the intervention, and the sentences that say so; None where
    nobody was asked.
    """

    direction: Direction | None
    quotes: tuple[Quote, ...] = ()
    reason: str = ""


@dataclass(frozen=True)
class Number:
    """A number that stands at code points [start, end) of a document's canonical text, or comes
    from what stands there.

    ``text`` is what is written there. ``derived`` says how the value was made from it ("from the
    percentage and the group's size"); "" where it is the value written.
    """

    value: float
    text: str
    document: str
    start: int
    end: int
    derived: str = ""


@dataclass(frozen=True)
class ArmNumbers:
    """The numbers of one arm; None where the document does not say them.

    ``total`` is the number of people (or of what is counted) in the arm, for either kind. ``name``
    is what the paper calls the arm.
    """

    events: Number | None = None
    total: Number | None = None
    mean: Number | None = None
    sd: Number | None = None
    median: Number | None = None
    q1: Number | None = None
    q3: Number | None = None
    name: str = ""


@dataclass(frozen=True)
class StudyNumbers:
    """The numbers of both arms for one outcome.

    ``timepoint`` is the time as the table or sentence words it, "" where it says none. ``flags``
    are sentences on what a reader has to know: a change score, a share that does not fit its group.
    """

    kind: NumbersKind
    intervention: ArmNumbers
    comparator: ArmNumbers
    timepoint: str = ""
    flags: tuple[str, ...] = ()
    unit: str = ""


@dataclass(frozen=True)
class StatedEffect:
    """The effect between the arms as a paper states it, ``low`` to ``high`` being its interval of
    ``level`` per cent; ``p`` is as printed.
    """

    measure: str
    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    level: float | None = None
    p: str = ""


@dataclass(frozen=True)
class StudyReading:
    """A model's reading of a study beside its direction.

    ``outcome`` is what the papers call the outcome. ``one_trial`` says of several papers that they
    report the same people in the same groups. ``lost`` names the figures given that stand nowhere
    in what was quoted, and were emptied.
    """

    numbers: StudyNumbers | None = None
    stated: StatedEffect | None = None
    outcome: str = ""
    cluster_randomised: bool | None = None
    about_people: bool | None = None
    one_trial: bool | None = None
    lost: tuple[str, ...] = ()


@dataclass(frozen=True)
class GivenArm:
    """The numbers of one arm as a person gives them; None where there is none."""

    events: float | None = None
    total: float | None = None
    mean: float | None = None
    sd: float | None = None


@dataclass(frozen=True)
class GivenNumbers:
    """The numbers of both arms as a person gives them; ``timepoint`` says of which outcome or time
    they are, None that this stays as it was.
    """

    kind: NumbersKind
    intervention: GivenArm
    comparator: GivenArm
    timepoint: str | None = None


@dataclass(frozen=True)
class Edit:
    """A person's change of a study after it was read: numbers, or whether it is pooled; None
    where that stays.

    ``seq`` is that of its event; ``who`` names a browser, a token or a user, never an address.
    ``made_at`` is ISO 8601, UTC.
    """

    seq: int
    why: str
    who: str
    made_at: str
    numbers: GivenNumbers | None = None
    excluded: bool | None = None
    undone: bool = False


@dataclass(frozen=True)
class Effect:
    """The effect in one study with its 95 % interval, as computed from the arms' numbers.

    ``weight`` is its per cent of the pooled effect, None where it is not pooled.
    """

    measure: str
    estimate: float
    low: float
    high: float
    weight: float | None = None


@dataclass(frozen=True)
class PooledEffect:
    """The studies' effects pooled; ``left_out`` maps a study to why it is not among them."""

    measure: str
    model: str
    estimate: float
    low: float
    high: float
    p: float
    tau2: float
    i2: float
    prediction: tuple[float, float] | None
    studies: int
    left_out: Mapping[str, str]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Pico:
    """The comparison, its outcome, and which way is better for the patient."""

    intervention: str = ""
    comparator: str = ""
    outcome: str = ""
    better: Better | None = None


@dataclass(frozen=True)
class Paper:
    """A paper that was read; ``lost`` says what of it could not be."""

    id: str
    file: str
    title: str
    date: str | None
    licence: str | None
    registrations: tuple[str, ...]
    lost: tuple[str, ...]


@dataclass(frozen=True)
class Span:
    """A passage that a conclusion stands on, with its text and the headings it stands under."""

    paper: str
    start: int
    end: int
    text: str
    section: tuple[str, ...]


@dataclass(frozen=True)
class StudyResult:
    """The conclusion of a study's papers; ``direction`` is None where no model was asked and nobody
    gave numbers, and where the run did not get so far: then it was not ``read``.

    ``basis`` says what it rests on; ``text_direction`` is what the model concludes,
    ``numbers_direction`` where the interval of the arms' numbers lies: neither overrules the other.
    ``reading`` is what a model read beside direction and numbers.
    ``passages_read`` of ``passages_found`` passages were looked at.

    ``candidates`` are passages that are likely about the outcome, where nobody says what they
    conclude.
    ``number_spans`` are the rows and sentences that the numbers were read from. Of a study that a
    person edited, ``numbers`` are those in force and ``numbers_read`` those that the paper gave.
    """

    name: str
    papers: tuple[str, ...]
    why: str
    direction: Direction | None = None
    favours: Side | None = None
    basis: Literal["numbers", "text"] | None = None
    reason: str = ""
    spans: tuple[Span, ...] = ()
    flags: tuple[str, ...] = ()
    text_direction: Direction | None = None
    numbers: StudyNumbers | None = None
    effect: Effect | None = None
    passages_read: int = 0
    passages_found: int = 0
    candidates: tuple[Span, ...] = ()
    number_spans: tuple[Span, ...] = ()
    numbers_read: StudyNumbers | None = None
    excluded: bool = False
    edits: tuple[Edit, ...] = ()
    read: bool = False
    numbers_direction: Direction | None = None
    reading: StudyReading | None = None


@dataclass(frozen=True)
class TrialsAnswer(RunAnswer):
    """The conclusions of studies, with all that led to them. ``read_on`` is a day."""

    read_on: str
    pico: Pico
    papers: tuple[Paper, ...]
    studies: tuple[StudyResult, ...]
    pooled: PooledEffect | None
