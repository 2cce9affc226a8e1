"""From a question to queries: a model's, cleaned and checked, or made of what the question is
about.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from clinfo.errors import ModelError, RecordError, SourceError, UsageError
from clinfo.llm.prompts import Prompt
from clinfo.pipelines.literature.replies import KindsOfQuery, PicoTerms
from clinfo.pipelines.literature.stages import QUERY, Asked
from clinfo.pubmed import expand
from clinfo.pubmed.clean import Cleaned, clean, same
from clinfo.pubmed.expand import Piece
from clinfo.pubmed.keywords import keywords
from clinfo.pubmed.query import Parsed, parse, printed
from clinfo.pubmed.repairs import heading_texts, repaired, with_headings
from clinfo.pubmed.tree import sentences
from clinfo.records.articles import MeshMatch, Pico, Query
from clinfo.runs.protocols import MAX_OUTPUT_TOKENS, Ask, Message
from clinfo.runs.replies import typed
from clinfo.sources.mesh_lookup import MeshLookup
from clinfo.text.terms import PEOPLE_WORDS, stem, weight
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
    variables = Asked(question=question, form=prompt.name)
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
    variables = Asked(question=question, previous=tuple(previous))
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


async def check(query: Query, lookup: MeshLookup | None, repair: bool) -> Query:
    """The query with its mistakes mended where ``repair`` says so, and in ``remarks`` what a reader
    should know of it still.

    A sentence is added to ``repairs`` for each rewrite (`clinfo.pubmed.repairs`,
    `clinfo.pubmed.repairs`). A query that is not repaired stays as it is, byte for byte; that a
    heading in it does not exist is a remark then. Without ``lookup`` headings are left alone; where
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
    if lookup is not None and (wanted := heading_texts(parsed.tree)):
        try:
            matches = await lookup.match(wanted)
        except (SourceError, RecordError):
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


NO_LOOKUP = "MeSH could not be reached, so the terms of the question are searched only as words."

PARTS = ("population", "intervention", "comparator", "outcome")
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
_PEOPLE = PEOPLE_WORDS | {
    "adolescents",
    "children",
    "elderly",
    "infants",
    "neonates",
    "newborns",
    "patients",
    "people",
    "seniors",
}
"""Words that end a term for people where MeSH cannot be asked ("older adults")."""
_PERSONS = "M01."
"""The branch of MeSH that holds groups of people."""
MOST_TERMS = 8
"""Terms of one part that are used; a model that goes on listing is not followed."""


async def understand(question: str, seed: int | None, prompt: Prompt, ask: Ask) -> Pico:
    """Return what the question is about, as the model says it; a reply without one usable term is
    asked for again once.

    The calls are "question2query pico" and "question2query pico again". Raises ModelError where the
    second reply cannot be used either, AskedBack, and what ``ask`` raises.
    """
    variables = Asked(question=question, form="pico")
    request = QUERY.request(prompt.fill(question=question), variables, reply=PicoTerms, seed=seed)
    said = await typed(ask, "question2query pico", request, PicoTerms)
    pico = None if said.value is None else pico_of(said.value)
    if pico is None and said.value is not None and said.value.ask_back:
        raise AskedBack(said.value.ask_back)
    if pico is None:
        raise ModelError("the model did not say, in two replies, what the question is about")
    return pico


def pico_of(said: PicoTerms) -> Pico | None:
    """Return what a reply names, each term once and in one part; None where it names none."""
    taken: set[str] = set()
    parts: dict[str, tuple[str, ...]] = {}
    for part in PARTS:
        terms = [
            term for term in getattr(said, part) if expand.plain(term) and _key(term) not in taken
        ]
        parts[part] = tuple({_key(term): term for term in reversed(terms)}.values())[::-1][
            :MOST_TERMS
        ]
        taken.update(_key(term) for term in parts[part])
    return Pico(**parts) if any(parts.values()) else None


async def write_queries(pico: Pico, lookup: MeshLookup | None) -> tuple[Query, ...]:
    """Three queries from narrow to wide, without those that are the same as an earlier one; their
    seed is None.

    strict asks for all parts, standard for population and intervention, wide for the more specific
    of these two in words that PubMed maps itself (where three or more parts are named, with any of
    the others). Studies stand in for what the question does not name: with neither comparator nor
    outcome strict asks for controlled studies, and with one part alone all three ask for studies,
    wide for those of any kind. Without ``lookup``, or where it fails, terms are words only; where
    it fails the queries say so in their remarks. Never raises.
    """
    terms = {
        part: [plain for term in getattr(pico, part) if (plain := expand.plain(term))]
        for part in PARTS
    }
    remarks: tuple[str, ...] = ()
    try:
        matches = {} if lookup is None else await _looked_up(terms, lookup)
    except (SourceError, RecordError):
        matches, remarks = {}, (NO_LOOKUP,)
    texts = _texts({part: _cut(terms[part], matches) for part in PARTS if terms[part]})
    queries: list[Query] = []
    for breadth, text in texts.items():
        if text and all(text != query.text for query in queries):
            queries.append(Query(len(queries), text, remarks=remarks, breadth=breadth))
    return tuple(queries)


async def _looked_up(
    terms: Mapping[str, Sequence[str]], lookup: MeshLookup
) -> dict[str, MeshMatch]:
    """Return what MeSH holds for the terms: parts of a term are looked up only where the term
    itself is unknown and the first of its part, which is what the question says.
    """
    rounds = {
        term: expand.lookups(term)[: None if place == 0 else 2]
        for part in terms.values()
        for place, term in enumerate(part)
    }
    matches: dict[str, MeshMatch] = {}
    for number in range(max(map(len, rounds.values()), default=0)):
        open_terms = [
            term
            for term in rounds
            if not any(piece.descriptor for piece in expand.pieces(term, matches))
        ]
        wanted = {
            text
            for term in open_terms
            for texts in rounds[term][number : number + 1]
            for text in texts
        } - set(matches)
        if wanted:
            matches |= await lookup.match(sorted(wanted))
    return matches


def _cut(terms: Sequence[str], matches: Mapping[str, MeshMatch]) -> list[tuple[Piece, ...]]:
    """The terms of a part in pieces, without those that only say who was studied where others say
    more.
    """
    found = [expand.pieces(term, matches) for term in terms]
    return [term for term in found if not _is_people(term)] or found


def _texts(parts: Mapping[str, Sequence[Sequence[Piece]]]) -> dict[str, str]:
    """The text of each breadth. ``parts`` holds the terms of each part that has some, cut into
    pieces.
    """
    if not parts:
        return {}
    full = {part: expand.block(terms) for part, terms in parts.items()}
    loose = {
        part: expand.block([expand.relaxed(term) for term in terms])
        for part, terms in parts.items()
    }
    strict = list(full.values())
    if len(parts) == 1 or not ("comparator" in parts or "outcome" in parts):
        strict.append(CONTROLLED)
    standard = [loose[part] for part in _main(parts)]
    if len(parts) == 1:
        standard.append(CONTROLLED)
    wide = [_wide(parts), *([STUDIES] if len(parts) == 1 else [])]
    return {
        "strict": expand.every(strict),
        "standard": expand.every(standard),
        "wide": expand.every(wide),
    }


def _main(parts: Mapping[str, Sequence[Sequence[Piece]]]) -> list[str]:
    """The parts that standard asks for: population and intervention; the outcome for one that is
    missing or names people only.
    """
    main = [part for part in ("population", "intervention") if part in parts]
    if (
        "outcome" in parts
        and "population" in main
        and all(_is_people(term) for term in parts["population"])
    ):
        main.remove("population")
    if len(main) < 2:
        main += [part for part in ("outcome", "comparator") if part in parts][: 2 - len(main)]
    return main


def _wide(parts: Mapping[str, Sequence[Sequence[Piece]]]) -> str:
    """The part that tells most, in words that PubMed maps; where three or more are named, with any
    of the others.
    """
    mapped = {
        part: expand.either([expand.mapped(term) for term in terms])
        for part, terms in parts.items()
    }
    main = [part for part in ("intervention", "population") if part in parts] or list(parts)
    first = max(
        main,
        key=lambda part: (not all(_is_people(term) for term in parts[part]), _weight(parts[part])),
    )
    others = [text for part, text in mapped.items() if part != first]
    return expand.every(
        [mapped[first], expand.either(others)] if len(others) > 1 else [mapped[first]]
    )


def _is_people(term: Sequence[Piece]) -> bool:
    """Return whether a term only says who was studied: a heading under Persons, or a word for
    people.
    """
    return all(
        any(place.startswith(_PERSONS) for place in piece.descriptor.tree_numbers)
        if piece.descriptor
        else piece.words[-1].lower() in _PEOPLE
        for piece in term
    )


def _weight(terms: Sequence[Sequence[Piece]]) -> float:
    """Return how much a part tells one question from another: that of the first of its terms, which
    is the question's own.
    """
    return sum(weight(word) for piece in terms[0] for word in piece.words)


def _key(term: str) -> str:
    return " ".join(stem(word) for word in words(expand.plain(term)))
