"""Time of the rule-based judge for one answer: ten sentences on ten articles it has not read
before, after import.

    python -m benchmarks.own.judge_speed [--answers 20] [--seed 0]

The articles are made of stock phrases and made-up numbers, about the length of a structured
abstract (250 words), so nothing of one answer is in the judge's caches when the next begins. The
bar is 50 ms (median).
"""

from __future__ import annotations

import argparse
import random
import statistics
import time

from clinfo.claims.verify import check
from clinfo.records.articles import Article, Section, Study

BAR = 50.0
"""Milliseconds an answer."""
_DRUGS = (
    "krill oil",
    "bright lamps",
    "melatonin",
    "warm baths",
    "peppermint tea",
    "standing desks",
    "chess",
    "cold showers",
)
_OUTCOMES = (
    "pain",
    "low mood",
    "falls",
    "fatigue",
    "stroke",
    "headache",
    "time to sleep",
    "days off work",
    "blood pressure",
)
_PEOPLE = (
    "nurses",
    "adults over 65 years",
    "students",
    "pregnant women",
    "men with gout",
    "bus drivers",
)


def answer(draw: random.Random) -> tuple[str, list[Study]]:
    """A made-up answer of ten sentences and the ten studies it cites."""
    studies, said = [], []
    for n in range(1, 11):
        drug, people = draw.choice(_DRUGS), draw.choice(_PEOPLE)
        found = []
        for outcome in draw.sample(_OUTCOMES, 5):
            one, other = draw.randint(2, 40), draw.randint(41, 90)
            found.append(
                f"The rate of {outcome} was lower with {drug} than usual care ({one}% vs {other}%; "
                f"RR 0.{draw.randint(20, 90)}, "
                f"95% CI 0.{draw.randint(10, 19)} to 0.{draw.randint(91, 99)}; p = "
                f"0.0{draw.randint(10, 49)})."
            )
        size = draw.randint(40, 4000)
        methods = (
            f"We randomised {size} {people} to {drug} or usual care and followed them for "
            f"{draw.randint(2, 52)} weeks. "
        ) * 2
        sections = (
            Section(
                (
                    f"Whether {drug} helps {people} is unknown, and trials so far were small and "
                    "short."
                ),
                "BACKGROUND",
            ),
            Section(methods, "METHODS"),
            Section(" ".join(found), "RESULTS"),
            Section(
                f"In {people}, {drug} improved most outcomes without serious harm.", "CONCLUSIONS"
            ),
        )
        studies.append(
            Study(
                n,
                Article(
                    f"pmid:{n}", f"{drug} for {people}: a trial", pmid=str(n), sections=sections
                ),
                None,
            )
        )
        said.append(f"{draw.choice(found).rstrip('.')} [{n}].")
    return " ".join(said), studies


def milliseconds(answers: int, seed: int) -> list[float]:
    """The time of each answer, in milliseconds, after one that is not counted."""
    draw = random.Random(seed)
    found = []
    for _ in range(answers + 1):
        text, studies = answer(draw)
        began = time.perf_counter()
        check(text, "synthesis", studies)
        found.append(1000 * (time.perf_counter() - began))
    return found[1:]


def main(arguments: list[str] | None = None) -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.own.judge_speed", description="The judge's time for one answer."
    )
    parser.add_argument("--answers", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    times = milliseconds(options.answers, options.seed)
    middle = statistics.median(times)
    print(
        f"10 sentences, 10 studies, n = {len(times)} answers: median {middle:.0f} ms, worst "
        f"{max(times):.0f} ms; "
        f"bar <= {BAR:.0f} ms {'reached' if middle <= BAR else 'MISSED'}"
    )


if __name__ == "__main__":
    main()
