"""From a question to queries: a model's, cleaned and checked, or made of what the question is
about.
"""

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from clinfo.errors import ModelError, RecordError, UsageError
from clinfo.extractive.asking import either, every, searched
from clinfo.llm.prompts import Prompt
from clinfo.pipelines.literature.replies import KindsOfQuery, PicoTerms
from clinfo.pipelines.literature.stages import QUERY
from clinfo.pubmed.clean import Cleaned, clean, same
from clinfo.pubmed.keywords import keywords
from clinfo.pubmed.query import Parsed, parse, printed
from clinfo.pubmed.repairs import heading_texts, repaired, with_headings
from clinfo.pubmed.tree import sentences
from clinfo.records.articles import MeshMatch, Pico, Query
from clinfo.runs.protocols import MAX_OUTPUT_TOKENS, Ask, Message
from clinfo.runs.replies import typed
from clinfo.terms.mesh import Mesh
from clinfo.text.terms import stems, weight
from clinfo.text.words import words

CLEANERS: Mapping[str, Callable[[str], Cleaned]] = {"question2query": clean, "keywords": keywords}
"""The function that makes a reply a query, by the prompt that asked for it
(`ArticleSource.query_prompt`): each query language has its own.
"""

DIFFER = (
    "These queries are in use already:\n{used}\nWrite a different one: other words, or a wider or "
    "narrower scope."
)


ASK_BACK = re.compile(r"\W*ASK(?:[ _]BACK)?\W*:\W*(?=\w)", re.IGNORECASE)
KINDS = ("narrow", "broad", "studies")


class AskedBack(UsageError):
    """A question that cannot be searched: what the model asks in return."""

    def __init__(self, text: str) -> None:
        self.text = " ".join(text.split())
        super().__init__(f"the question cannot be searched as it is: {self.text}")


async def write_kinds(question: str, seed: int, prompt: Prompt, ask: Ask) -> tuple[Query, ...]:
    """A query of each of the `KINDS`, in one call, each text once; none where the reply could not
    be read. Raises AskedBack, ModelError, BudgetReached.
    """
    variables = {"question": question, "form": prompt.name}
    request = QUERY.request(
        prompt.fill(question=question), variables, reply=KindsOfQuery, seed=seed
    )
    request = replace(request, max_tokens=MAX_OUTPUT_TOKENS)
    said = (await typed(ask, "question2query kinds", request, KindsOfQuery)).value
    found: list[Query] = []
    for kind in KINDS if said is not None else ():
        cleaned = clean(getattr(said, kind))
        if cleaned.text and all(not same(cleaned.text, one.text) for one in found):
            found.append(Query(len(found), cleaned.text, repairs=cleaned.repairs, breadth=kind))
    if said is not None and said.ask_back and not found:
        raise AskedBack(said.ask_back)
    return tuple(found)


async def write_query(
    question: str,
    index: int,
    seed: int,
    prompt: Prompt,
    ask: Ask,
    *,
    previous: Sequence[str] = (),
    repair: bool = True,
) -> Query:
    """Query ``index`` as the model writes it with ``seed``; with ``previous``, asked to differ from
    those.

    With ``repair`` false the reply is used as it is, apart from white space around it. Raises
    AskedBack, ModelError, BudgetReached.
    """
    messages = prompt.fill(question=question)
    call = f"question2query {index}"
    if previous:
        messages = (*messages, Message("user", DIFFER.replace("{used}", "\n".join(previous))))
        call += " again"
    variables: dict[str, Any] = {"question": question, "previous": tuple(previous)}
    if prompt.name != QUERY.name:
        variables["form"] = prompt.name
    request = QUERY.request(messages, variables, seed=seed, attempt=1 if previous else 0)
    reply = await ask(call, request)
    if back := ASK_BACK.match(reply.text):
        raise AskedBack(reply.text[back.end() :])
    if not repair:
        return Query(index, " ".join(reply.text.split()), seed)
    cleaned = CLEANERS.get(prompt.name, clean)(reply.text)
    return Query(index, cleaned.text, seed, cleaned.repairs)


def same_as_earlier(query: Query, earlier: Sequence[Query]) -> int | None:
    """Index of the first earlier query that is the same apart from case, spaces and quote style, or
    None.
    """
    return next((other.index for other in earlier if same(other.text, query.text)), None)


UNCHECKED = "MeSH could not be reached, so the headings in this query were not checked."


async def check(query: Query, mesh: Mesh | None, repair: bool) -> Query:
    """The query with its mistakes mended where ``repair`` says so, and in ``remarks`` what a reader
    should know of it still.

    A sentence is added to ``repairs`` for each rewrite (`clinfo.pubmed.repairs`,
    `clinfo.pubmed.repairs`). A query that is not repaired stays as it is, byte for byte; that a
    heading in it does not exist is a remark then. Without ``mesh`` headings are left alone; where
    it fails, a remark says that they were not checked. Never raises.
    """
    text, made = query.text, list(query.repairs)
    if repair:
        mended = repaired(text)
        text = mended.text
        made += mended.sentences
    parsed = parse(text)
    remarks = list(query.remarks)
    matches: Mapping[str, MeshMatch] = {}
    if mesh is not None and (wanted := heading_texts(parsed.tree)):
        try:
            matches = await asyncio.to_thread(mesh.matches, wanted)
        except RecordError:
            remarks.append(UNCHECKED)
    if repair and parsed.tree is not None:
        tree, rewrites = with_headings(parsed.tree, matches)
        if rewrites:
            made += [rewrite.text for rewrite in rewrites]
            mended = repaired(
                printed(tree)
            )  # a heading that became a phrase may hold what only a phrase must not
            text = mended.text
            made += mended.sentences
            parsed = parse(text)
    elif not repair:
        remarks += _not_in_mesh(parsed, matches)
    remarks += sentences(parsed.remarks)
    return replace(
        query, text=text, repairs=tuple(dict.fromkeys(made)), remarks=tuple(dict.fromkeys(remarks))
    )


def _not_in_mesh(parsed: Parsed, matches: Mapping[str, MeshMatch]) -> list[str]:
    """A sentence for each heading and subheading of a query that MeSH does not have."""
    if parsed.tree is None:
        return []
    told = []
    for rewrite in with_headings(parsed.tree, matches)[1]:
        if rewrite.name == "heading-unknown":
            match = matches.get(rewrite.was)
            near = (
                f" The nearest are: {', '.join(match.suggestions)}."
                if match and match.suggestions
                else ""
            )
            told.append(
                f"{match.edition if match else 'MeSH'} has no heading “{rewrite.was}”; this term "
                f"finds nothing.{near}"
            )
        elif rewrite.name == "subheading-unknown":
            told.append(f"MeSH has no subheading as in “{rewrite.was}”.")
    return told


PARTS = ("population", "intervention", "comparator", "outcome")
_IN_ORDER = ("intervention", "population", "outcome", "comparator")
"""The parts, those that tell most first."""
_SAYS = 0.4
"""The weight of a word for people."""
_CONTROLLED = (
    '"randomized controlled trial"[pt] OR "controlled clinical trial"[pt] OR "Random '
    'Allocation"[mh] OR "Double-Blind Method"[mh]'
    ' OR random*[tiab] OR placebo*[tiab] OR "double blind*"[tiab] OR trial[tiab]'
)
CONTROLLED = f"({_CONTROLLED})"
"""Controlled studies: terms of the highly sensitive strategy for PubMed (K. A. Robinson and K.
Dickersin, Int J Epidemiol 2002; 31:150–153) and of its revision in the Cochrane Handbook (C.
Lefebvre and others, 2008), without their broadest ones."""
STUDIES = (
    f'({_CONTROLLED} OR "comparative study"[pt] OR "Follow-Up Studies"[mh] OR "Prospective '
    'Studies"[mh]'
    ' OR "Cross-Over Studies"[mh] OR control*[tiab] OR prospectiv*[tiab] OR volunteer*[tiab] OR '
    "systematic[sb])"
)
"""Clinical studies of any kind, by the last, broadest part of the same strategy, and systematic
reviews.
"""
MOST_TERMS = 8
"""Terms of one part that are used; a model that goes on listing is not followed."""


async def understand(question: str, seed: int | None, prompt: Prompt, ask: Ask) -> Pico:
    """Return what the question is about, as the model says it; a reply without one usable term is
    asked for again once.

    The calls are "question2query pico" and "question2query pico again". Raises ModelError where the
    second reply cannot be used either, AskedBack, and what ``ask`` raises.
    """
    variables = {"question": question, "form": "pico"}
    request = QUERY.request(prompt.fill(question=question), variables, reply=PicoTerms, seed=seed)
    said = await typed(ask, "question2query pico", request, PicoTerms)
    pico = None if said.value is None else pico_of(said.value)
    if pico is None and said.value is not None and said.value.ask_back:
        raise AskedBack(said.value.ask_back)
    if pico is None:
        raise ModelError("the model did not say, in two replies, what the question is about")
    return pico


def pico_of(said: PicoTerms) -> Pico | None:
    """Return what a reply names, each term once and in one part; None where nothing of it can be
    searched for.
    """
    taken: set[str] = set()
    parts: dict[str, tuple[str, ...]] = {}
    for part in PARTS:
        named = {
            " ".join(stems(one)): one
            for one in reversed(getattr(said, part))
            if any(map(str.isalpha, one))
        }
        own = [(stems, one) for stems, one in named.items() if stems not in taken][::-1]
        parts[part] = tuple(one for _, one in own[:MOST_TERMS])
        taken.update(stems for stems, _ in own[:MOST_TERMS])
    return Pico(**parts) if any(searched(one) for own in parts.values() for one in own) else None


def write_queries(pico: Pico) -> tuple[Query, ...]:
    """Three queries from narrow to wide, without those that are the same as an earlier one; their
    seed is None. PubMed itself maps their words.

    strict asks for all parts, standard for population and intervention, or what stands in for one
    that names people alone; wide for the first of these and, of three parts or more, any of the
    others. Studies stand in for what the question does not name: with neither comparator nor
    outcome strict asks for controlled studies, and with one part alone all three ask for studies,
    wide for those of any kind.
    """
    whole = {part: either([searched(term) for term in getattr(pico, part)]) for part in PARTS}
    parts = {part: text for part in _IN_ORDER if (text := whole[part])}
    people = either([one for one in map(_plain, pico.population) if not parts.get("population")])
    alone, first = len(parts) == 1, [*parts.values()][:2]
    controlled = CONTROLLED if not {"comparator", "outcome"} & {*parts} else ""
    others = [text for text in parts.values() if text not in first[:1]]
    studies = (CONTROLLED, STUDIES) if alone else ("", "")
    texts = {
        "strict": every([people, *parts.values(), controlled or studies[0]]),
        "standard": every([*first, studies[0]]),
        "wide": every([*first[:1], either(others) if len(others) > 1 else "", studies[1]]),
    }
    kept = {text: breadth for breadth, text in reversed(texts.items()) if parts}
    return tuple(
        Query(place, text, breadth=breadth)
        for place, (text, breadth) in enumerate(reversed(kept.items()))
    )


def _plain(term: str) -> str:
    """A term that names people alone, as PubMed maps it; "" for one that says nothing."""
    own = words(term)
    return f"({' '.join(own)})" if any(weight(one) >= _SAYS for one in own) else ""
