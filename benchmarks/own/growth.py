"""Growth of the time of each reader of free text with the length of hostile text, in one run.

    python -m benchmarks growth [--only NAME] [--characters N]

Each reader gets a piece repeated to N characters, and to 4 N; each time is the least of three, in
processor seconds. The growth is the power of the length that explains both: 1 is in proportion, 2
is the square. A reader that needs less than 20 ms for the longer text is too quick to tell. Exit
status 1 if a growth is above the bound: patterns that go back over what they have read grow faster.
A text that is above it is timed up to five times, for other work on the machine makes some times
longer.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from clinfo.claims.cited import cited
from clinfo.errors import ClinfoError
from clinfo.evidence.design import stated_design as design
from clinfo.extractive.quotes import quoted
from clinfo.integrity.notices import notices
from clinfo.integrity.reference_lists import read_reference_list
from clinfo.integrity.retractions import Entry, Loaded, Retractions
from clinfo.pipelines.literature.declared import PROMPTS
from clinfo.pipelines.literature.findings import Relevance
from clinfo.privacy.phi_guard import identifiers
from clinfo.pubmed.keywords import keywords
from clinfo.pubmed.query import parse
from clinfo.records.articles import Article, Correction, Section, Study
from clinfo.runs.replies import read
from clinfo.text.prompt_injection import steering
from clinfo.text.sentences import sentence_spans
from pubmedrs.build.answering import judged

BOUND = 1.6
LEAST_SECONDS = 0.02
STUDIES = (
    Study(
        1,
        Article(
            "pmid:1", "Zinc", "1", sections=(Section("Colds fell by 5% in 120 adults.", "RESULTS"),)
        ),
        None,
    ),
)


@dataclass(frozen=True)
class Reader:
    """``characters`` of the shorter text; ``pieces`` are what it is made of."""

    name: str
    read: Callable[[str], object]
    pieces: Sequence[str]
    characters: int = 25_000


def _quoted(text: str) -> None:
    quoted(Article("pmid:1", "Zinc", sections=(Section(text),)), "Does zinc shorten colds?")


def _notices(text: str) -> None:
    links = (Correction(text, text, "2"),)
    one = Article(
        "pmid:1", text, "1", doi=text, journal=text, sections=(Section(text),), corrections=links
    )
    notices(
        [one],
        Retractions(
            Loaded((), "2026-01-02T00:00:00+00:00"), [Entry("retraction", "1", reasons=(text,))]
        ),
    )


def _long_value(text: str) -> None:
    read_reference_list(f"TY  - JOUR\nAB  - {text}")


def _verdicts(text: str) -> None:
    cited(text + " [1]", "synthesis", STUDIES)


READERS = (
    Reader(
        "steering",
        steering,
        (
            "a",
            "A ",
            "ignore ",
            "ignore all ",
            "you ",
            "\u200b",
            "#",
            '"',
            "aB3",
            "in the answer ",
            "AI ",
            "please ",
            "dear model ",
        ),
    ),
    Reader(
        "identifiers",
        identifiers,
        (
            "a",
            "A",
            "1",
            "A. ",
            "Ab ",
            "my patient Ab ",
            "ID: ",
            "a@",
            "12-",
            "van ",
            "(",
            "address 12 Abc ",
            "tel 123 ",
            "Mr Ab ",
            "[au]",
            "Ab[au]",
            "Jane Doe ",
            "JANE DOE 1 ",
            "Patient: Doe, ",
            "pt jane ",
            "case no 1",
            "PMID 1234567 Mr Ab ",
        ),
    ),
    Reader(
        "design",
        lambda text: design(Article("pmid:1", text)),
        (
            "randomised ",
            "meta-analysis ",
            "sensitivity ",
            "systematic review ",
            "crossover ",
            "double-blind ",
            "placebo-controlled ",
            "cohort ",
            "search ",
            "previous ",
            "will be ",
            "low ",
        ),
    ),
    Reader(
        "sentences",
        sentence_spans,
        (
            "a. B ",
            "(",
            "[1]",
            ". ",
            "1. ",
            "x.[",
            "- ",
            "\n",
            ")(.",
            "A.",
            ".\u00a0[1",
        ),
    ),
    Reader(
        "quotations",
        _quoted,
        ("a. ", "12% ", "p<0.05 ", "1.5 mg ", "We conclude that ", "CONCLUSION: ", "(CI "),
        5_000,
    ),
    Reader("judgement", lambda text: read(Relevance, text), ("!", "{", '{"a": [', "relevant: ")),
    Reader("prompt", lambda text: PROMPTS.parse("tldr", text), ("{", " ", "x\n", "{a ")),
    Reader(
        "notices",
        _notices,
        (
            "(",
            "retracted ",
            "[retracted",
            "retraction of ",
            "retraction for A ",
            "erratum ",
            "withdrawn: ",
            "- ",
            "\u2028",
            "10.1101/",
            "a",
        ),
    ),
    Reader(
        "reference list",
        read_reference_list,
        (
            "{",
            "@a{",
            "@a{b,c={",
            "TY  - ",
            "PMID- 1\n",
            '"',
            "10.1000/",
            "title={",
            "1,",
            "\\",
        ),
    ),
    Reader("long value", _long_value, ("zinc and colds\n", "KW  - zinc\n"), 1_500_000),
    Reader(
        "verdicts",
        _verdicts,
        (
            "1 ",
            "1,",
            "111 ",
            "[1",
            "(",
            "p ",
            "a ",
            "12 of ",
            "the ",
            "no ",
            "half ",
            "CI ",
            "OR for ",
            "1-",
            "A1",
            "%",
            "3 trials ",
            "1 2 3 4 5 6 7 8 9 ",
            "100 participants ",
            "3 trials [1] ",
            "2 of 5 studies ",
            "[9]. A ",
            "12 (",
            "3 trials; ",
            "[1]; ",
        ),
        4_000,
    ),
    Reader(
        "query",
        parse,
        (
            "(",
            '"',
            "[",
            "a:",
            "a* ",
            "“",
            "고a ",
            '"a" or ',
            "(a OR (b AND ",
            "2000:",
            "&amp;",
            "a[x] ",
        ),
        5_000,
    ),
    Reader("keywords", keywords, ("(", "(a OR b AND ", '"', "a-", "\n- a"), 5_000),
    Reader(
        "answers of reviews",
        lambda text: judged(text + "included.", text),
        ("study of the ", "with 5 "),
    ),
)


def seconds(reader: Reader, text: str, tries: int = 3) -> float:
    """The least processor time of the reader on the text; a refusal of the text is an answer
    too.
    """
    times = []
    for _ in range(tries):
        began = time.process_time()
        with contextlib.suppress(ClinfoError):
            reader.read(text)
        times.append(time.process_time() - began)
    return min(times)


def growth(reader: Reader, piece: str, characters: int) -> float | None:
    """The power of the length by which time grows; None where both texts are read too quickly to
    tell.
    """
    short, long = (piece * (length // len(piece) + 1) for length in (characters, 4 * characters))
    long_seconds = seconds(reader, long)
    if long_seconds < LEAST_SECONDS:
        return None
    return math.log(long_seconds / max(seconds(reader, short), 1e-6), 4)


def main(arguments: list[str] | None = None) -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks growth",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--only", metavar="NAME", choices=[reader.name for reader in READERS])
    parser.add_argument(
        "--characters",
        type=int,
        metavar="N",
        help="length of the shorter text, in place of each reader's own",
    )
    options = parser.parse_args(arguments)
    above = 0
    print(f"{'reader':20} {'texts':>5} {'told':>5} {'growth':>7}  of the piece")
    for reader in READERS:
        if options.only not in (None, reader.name):
            continue
        found: list[tuple[float, str]] = []
        for piece in reader.pieces:
            power = growth(reader, piece, options.characters or reader.characters)
            for _ in range(4):
                if power is None or power <= BOUND:
                    break
                power = min(
                    power, growth(reader, piece, options.characters or reader.characters) or power
                )
            if power is not None:
                found.append((power, piece))
        worst, piece = max(found, default=(0.0, ""))
        above += sum(power > BOUND for power, _ in found)
        told = f"{worst:7.2f}  {piece!r}" if found else f"{'-':>7}"
        print(f"{reader.name:20} {len(reader.pieces):5} {len(found):5} {told}", flush=True)
    print(f"above {BOUND}: {above}")
    if above:
        sys.exit(1)


if __name__ == "__main__":
    main()
