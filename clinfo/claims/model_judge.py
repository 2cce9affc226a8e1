"""The model judge: a language model's verdict on sentences against the articles they cite.

One call for each group of sentences, no second asking. A verdict counts with what it quotes: words
that do not stand in the article prove nothing, nor do words that stand in any article, so
"supported" or "partial" on such a quotation is not a verdict. A sentence without citation is left
to the rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, TypedDict

from clinfo.claims.joining import CARRIED, TOLD, Opinion
from clinfo.errors import ModelError
from clinfo.lazy_dataclass import replace
from clinfo.llm.delimiting import fenced
from clinfo.llm.prompts import Prompt
from clinfo.llm.schemas import TEXT, closed, list_of, one_of
from clinfo.records.articles import Sentence, Span, Study, Verdict
from clinfo.runs.pipeline import Stage, StagePrompt
from clinfo.runs.protocols import Ask, Message, ModelRequest
from clinfo.text.quotes import locate_all
from clinfo.text.structured import json_object, words_of
from clinfo.text.terms import is_content, words

GROUP_SENTENCES = 10
"""Most sentences in a group: their verdicts fit into the output tokens of one reply."""
GROUP_CHARACTERS = 60_000
"""Most characters of articles in a group, about 15,000 tokens; a single sentence may need more."""
TELLING_WORDS = 2
"""Content words that a quotation needs to prove anything, unless it holds a figure."""
NOTHING_QUOTED = "it quoted nothing"
QUOTED_ASTRAY = "its quotation is not in any cited article"
QUOTED_TOO_LITTLE = "its quotation is too short to prove anything"
UNREAD = "the model's verdict could not be read"
OWN_TEXT = "(judging its own text)"
"""Text added to the name of a model that judged what it wrote itself."""
FORMAT = (
    "Reply with one JSON object and nothing else, in this form, with one entry for each label:\n"
    '{"verdicts": [{"label": "S1", "verdict": "supported" | "partial" | "unsupported" | '
    '"contradicted", '
    '"reason": "one short sentence", "quotes": [{"article": number, "words": "exact words"}]}]}'
)
_QUOTE = closed(article={"type": "integer"}, words=TEXT)
_ENTRY = closed(label=TEXT, verdict=one_of(sorted(TOLD)), reason=TEXT, quotes=list_of(_QUOTE))
SCHEMA = closed(verdicts=list_of(_ENTRY))


class Judged(TypedDict):
    """Sentences to be judged against the articles that they cite."""

    sentences: Sequence[Sentence]
    studies: Sequence[Study]


STAGE = Stage(
    "verify",
    "checking sentences",
    "writing",
    variables=Judged,
    prompts=(
        StagePrompt(
            "verify",
            {
                "sentences": "the sentences, labelled",
                "articles": "the articles they cite, delimited",
            },
            "Check",
            "Judges sentences against the articles they cite. Called once for every ten sentences.",
            "Used only where a model checks the sentences.",
        ),
    ),
    required=False,
)
"""The stage at which a model judges sentences, in every pipeline that has one."""


async def opinions(
    sentences: Sequence[Sentence],
    studies: Sequence[Study],
    call: str,
    prompt: Prompt,
    ask: Ask,
    own: bool = False,
) -> dict[int, Opinion]:
    """The model's opinions by place of the sentence; none of a sentence that cites nothing.

    ``call`` names the calls of this text uniquely in the run. ``studies`` hold every article cited.
    ``own`` says that the model wrote the text itself, and then its name here says so too. Raises
    BudgetReached.
    """
    by_number = {study.n: study for study in studies}
    found: dict[int, Opinion] = {}
    for count, places in enumerate(_groups(sentences, by_number)):
        labels = {f"S{place + 1}": place for place in places}
        cited = [
            by_number[n]
            for n in dict.fromkeys(n for place in places for n in sentences[place].cites)
            if n in by_number
        ]
        try:
            reply = await ask(f"{call} judged {count}", _request(labels, sentences, cited, prompt))
        except ModelError as error:
            why = f"the model judge gave no verdict ({error})"
            found |= dict.fromkeys(places, Opinion("a model", None, why, failed=True))
            continue
        verdicts, name = (
            read_verdicts(reply.text),
            f"{reply.model} {OWN_TEXT}" if own else reply.model,
        )
        for label, place in labels.items():
            found[place] = replace(
                _opinion(verdicts.get(label), name, sentences[place].cites, by_number), own=own
            )
    return found


def read_verdicts(text: str) -> dict[str, dict[str, Any]]:
    """The entries of a reply by label; what cannot be read is left out."""
    form = json_object(text)
    entries = form.get("verdicts") if form is not None else None
    if form is not None and entries is None and "verdict" in form:
        entries = [form]
    found: dict[str, dict[str, Any]] = {}
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, dict) and str(entry.get("verdict")).strip().lower() in TOLD:
            label = str(entry.get("label", "")).strip().strip("[]").upper()
            found.setdefault(label if label.startswith("S") else f"S{label}", entry)
    return found


def _groups(sentences: Sequence[Sentence], by_number: dict[int, Study]) -> Iterator[list[int]]:
    """The places of the sentences that cite something, in groups for one call each."""
    group: list[int] = []
    held: set[int] = set()
    size = 0
    for place, sentence in enumerate(sentences):
        cites = {n for n in sentence.cites if n in by_number}
        if not cites:
            continue
        more = sum(len(by_number[n].article.abstract) for n in cites - held)
        if group and (len(group) == GROUP_SENTENCES or size + more > GROUP_CHARACTERS):
            yield group
            group, held, size = [], set(), 0
            more = sum(len(by_number[n].article.abstract) for n in cites)
        group.append(place)
        held |= cites
        size += more
    if group:
        yield group


def _request(
    labels: dict[str, int], sentences: Sequence[Sentence], cited: Sequence[Study], prompt: Prompt
) -> ModelRequest:
    listed = "\n".join(f"{label}: {_cited(sentences[place])}" for label, place in labels.items())
    articles = "\n\n".join(f"[{study.n}] {fenced(_text(study), 'article')}" for study in cited)
    messages = prompt.fill(sentences=listed, articles=articles)
    messages = (*messages[:-1], Message("user", f"{messages[-1].content}\n\n{FORMAT}"))
    variables = Judged(
        sentences=tuple(sentences[place] for place in labels.values()), studies=tuple(cited)
    )
    return STAGE.request(messages, variables, schema=SCHEMA, temperature=0.0)


def _text(study: Study) -> str:
    return f"{study.article.title}\n{study.article.abstract or '(no abstract)'}"


def _cited(sentence: Sentence) -> str:
    """The sentence on one line, with its citations also where its text names none."""
    text = " ".join(sentence.text.split())
    return text if "[" in text else f"{text} [{', '.join(map(str, sentence.cites))}]"


def _opinion(
    entry: dict[str, Any] | None, name: str, cites: Sequence[int], by_number: dict[int, Study]
) -> Opinion:
    if entry is None:
        return Opinion(name, None, UNREAD, failed=True)
    verdict: Verdict = str(entry["verdict"]).strip().lower()  # type: ignore[assignment]
    why = words_of(entry.get("reason")) or "no reason given"
    spans, fault = _quoted(entry.get("quotes"), cites, by_number)
    if verdict in CARRIED and not spans:
        return Opinion(name, None, f"{name}: {why}; {fault}")
    return Opinion(name, verdict, why, spans)


def _quoted(
    quotes: object, cites: Sequence[int], by_number: dict[int, Study]
) -> tuple[tuple[Span, ...], str]:
    """(where the quoted words stand in cited articles, why a quotation proves nothing where none
    does).
    """
    spans: list[Span] = []
    fault = NOTHING_QUOTED
    for quote in quotes if isinstance(quotes, list) else []:
        text = words_of(quote.get("words")) if isinstance(quote, dict) else None
        if text is None:
            continue
        if not _telling(text):
            fault = QUOTED_TOO_LITTLE
            continue
        number = re.sub(r"\D", "", str(quote.get("article")))
        named = (
            [int(number)] if number and len(number) < 7 and int(number) in cites else list(cites)
        )
        placed = next(
            (at for n in named if n in by_number if (at := _place(text, by_number[n]))), ()
        )
        spans += placed
        fault = fault if placed else QUOTED_ASTRAY
    return tuple(dict.fromkeys(spans)), fault


def _telling(quotation: str) -> bool:
    """Return whether a quotation says something: a figure, or at least `TELLING_WORDS` content
    words.
    """
    if any(sign.isdigit() for sign in quotation):
        return True
    return sum(map(is_content, words(quotation))) >= TELLING_WORDS


def _place(quotation: str, study: Study) -> tuple[Span, ...]:
    """Where the study's article says the quotation, piece by piece; nothing where it does not."""
    abstract, title = study.article.abstract, study.article.title
    if found := locate_all(quotation, abstract):
        return tuple(Span(study.n, "abstract", start, end) for start, end in found)
    return tuple(Span(study.n, "title", start, end) for start, end in locate_all(quotation, title))
