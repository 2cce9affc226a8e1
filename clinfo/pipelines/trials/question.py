"""A question about trials taken apart without a model, by the names that vocabularies know."""

from __future__ import annotations

from clinfo.extractive.concepts import concepts
from clinfo.retrieval.asked import Asked
from clinfo.terms.naming import kind_of
from clinfo.text.terms import fold


def asked_in(question: str) -> Asked:
    """The first treatment is the intervention, the first name after it that is no treatment the
    outcome, a treatment after that the comparator; "" for what is not there.
    """
    names: list[tuple[str, bool]] = []
    for one in concepts(question):
        treats = kind_of(one.part) == "treatment"
        before, alike = names[-1] if names else ("", None)
        if alike == treats and fold(f"{before} {one.text}") in fold(question):
            names[-1] = (f"{before} {one.text}", treats)
        else:
            names.append((one.text, treats))
    first = next((at for at, (_, treats) in enumerate(names) if treats), 0)
    rest = names[first + 1 :]
    at = next((at for at, (_, treats) in enumerate(rest) if not treats), len(rest))
    tried = [name for name, _ in (*names[first : first + 1], *rest[:at])]
    outcome = rest[at][0] if at < len(rest) else names[0][0] if first else ""
    against = next((name for name, treats in rest[at + 1 :] if treats), "")
    return Asked(question, outcome, ", ".join(tried), against)
