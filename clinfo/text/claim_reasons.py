"""The verdict that follows from what an article says to a claim, and why, in words a clinician understands."""

from __future__ import annotations

from collections.abc import Iterable

from clinfo.records import Part, Verdict
from clinfo.text.claim_meaning import Meaning

MOST_NAMED = 3


def reason(said: Meaning, n: int, part: Part = "synthesis") -> tuple[Verdict, str]:
    """(verdict, why); the reason for "supported" is empty. In a summary the article is "the abstract", else its number."""
    source = "the abstract" if part == "summary" else brackets((n,))
    if said.clash is not None:
        clash = said.clash
        if said.found != "opposite":
            return "partial", f"{source} may say otherwise: “{clash.source}” there, “{clash.claim}” in the sentence"
        if not clash.source:
            return "contradicted", f"{source} says it without {clash.claim}"
        if not clash.claim:
            return "contradicted", f"{source} says “{clash.source}” where the sentence affirms"
        return "contradicted", f"{source} says “{clash.source}”, the sentence says “{clash.claim}”"
    if said.swap is not None:
        return "unsupported", f"{source} says this of “{said.swap.source}”, not of “{said.swap.claim}”"
    if said.found == "found":
        return "supported", ""
    named = f" ({', '.join(said.missing[:MOST_NAMED])}{' …' if len(said.missing) > MOST_NAMED else ''})" if said.missing else ""
    if said.unnamed:
        return "unsupported", f"{source} does not name {', '.join(said.unnamed[:MOST_NAMED])}"
    if said.found == "not found":
        return "unsupported", f"hardly any of its terms stand in {source}{named}"
    return "partial", f"only part of it was found in {source}{f'; not found:{named}' if named else ''}"


def brackets(numbers: Iterable[int]) -> str:
    """The numbers as citations: "[1], [4]"."""
    return ", ".join(f"[{number}]" for number in numbers)
