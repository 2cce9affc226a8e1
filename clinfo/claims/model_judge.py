"""The model judge: a language model's verdict on sentences against the articles they cite.

One call for each group of sentences. A verdict counts with what it quotes: words
that do not stand in the article prove nothing, nor do words that stand in any article, so
"supported" or "partial" on such a quotation is not a verdict. A sentence without citation is left
to the rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TypedDict

from clinfo.claims.joining import CARRIED, Opinion
from clinfo.claims.replies import JudgedSentence, QuotedWords, Verdicts
from clinfo.errors import ModelError
from clinfo.lazy_dataclass import replace
from clinfo.llm.delimiting import fenced
from clinfo.llm.prompts import Prompt
from clinfo.records.articles import Sentence, Span, Study
from clinfo.runs.pipeline import Stage, StagePrompt
from clinfo.runs.protocols import Ask, ModelRequest
from clinfo.runs.replies import typed
from clinfo.text.regex import regex
from clinfo.text.terms import is_content, words

GROUP_SENTENCES = 10
"""Most sentences in a group: their verdicts fit into the output tokens of one reply."""
GROUP_CHARACTERS = 60_000
"""Most characters of articles in a group, about 15,000 tokens; a single sentence may need more."""
LONGEST_QUOTE = 2_000
"""Characters of a quotation that is looked for; the prompt asks for twenty-five words."""
TELLING_WORDS = 2
"""Content words that a quotation needs to prove anything, unless it holds a figure."""
NOTHING_QUOTED = "it quoted nothing"
QUOTED_ASTRAY = "its quotation is not in any cited article"
QUOTED_TOO_LITTLE = "its quotation is too short to prove anything"
UNREAD = "the model's verdict could not be read"
OWN_TEXT = "(judging its own text)"
"""Text added to the name of a model that judged what it wrote itself."""
_SPACE = regex(r"\s+")


class Judged(TypedDict):
    """Sentences to be judged against the articles that they cite."""

    sentences: Sequence[Sentence]
    studies: Sequence[Study]


STAGE = Stage(
    "verify",
    "checking sentences",
    "writing",
    variables=Judged,
    reply=Verdicts,
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
            request = _request(labels, sentences, cited, prompt)
            said = await typed(ask, f"{call} judged {count}", request, Verdicts)
        except ModelError as error:
            why = f"the model judge gave no verdict ({error})"
            found |= dict.fromkeys(places, Opinion("a model", None, why, failed=True))
            continue
        verdicts = by_label(said.value)
        name = f"{said.model} {OWN_TEXT}" if own else said.model
        for label, place in labels.items():
            found[place] = replace(
                _opinion(verdicts.get(label), name, sentences[place].cites, by_number), own=own
            )
    return found


def by_label(said: Verdicts | None) -> dict[str, JudgedSentence]:
    """The verdicts of a reply by label, the first of each; none of one that could not be read."""
    found: dict[str, JudgedSentence] = {}
    for one in said.verdicts if said is not None else ():
        label = one.label.strip("[]() ").upper()
        found.setdefault(label if label.startswith("S") else f"S{label}", one)
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
    variables = Judged(
        sentences=tuple(sentences[place] for place in labels.values()), studies=tuple(cited)
    )
    return STAGE.request(messages, variables, temperature=0.0)


def _text(study: Study) -> str:
    return f"{study.article.title}\n{study.article.abstract or '(no abstract)'}"


def _cited(sentence: Sentence) -> str:
    """The sentence on one line, with its citations also where its text names none."""
    text = " ".join(sentence.text.split())
    return text if "[" in text else f"{text} [{', '.join(map(str, sentence.cites))}]"


def _opinion(
    said: JudgedSentence | None, name: str, cites: Sequence[int], by_number: dict[int, Study]
) -> Opinion:
    if said is None:
        return Opinion(name, None, UNREAD, failed=True)
    spans, fault = _quoted(said.quotes, cites, by_number)
    why = said.reason or "no reason given"
    if said.verdict in CARRIED and not spans:
        return Opinion(name, None, f"{name}: {why}; {fault}")
    return Opinion(name, said.verdict, why, spans)


def _quoted(
    quotes: Sequence[QuotedWords], cites: Sequence[int], by_number: dict[int, Study]
) -> tuple[tuple[Span, ...], str]:
    """(where the quoted words stand in cited articles, why a quotation proves nothing where none
    does).
    """
    spans: list[Span] = []
    fault = NOTHING_QUOTED
    for quote in quotes:
        text = quote.words
        if not _telling(text):
            fault = QUOTED_TOO_LITTLE
            continue
        named = [quote.article] if quote.article in cites else list(cites)
        span = next(
            (span for n in named if n in by_number for span in _place(text, by_number[n])), None
        )
        if span is None:
            fault = QUOTED_ASTRAY
        else:
            spans.append(span)
    return tuple(dict.fromkeys(spans)), fault


def _telling(quotation: str) -> bool:
    """Return whether a quotation says something: a figure, or at least `TELLING_WORDS` content
    words.
    """
    if len(quotation) > LONGEST_QUOTE or any(sign.isdigit() for sign in quotation):
        return True  # one that is too long is told to stand nowhere
    return sum(map(is_content, words(quotation))) >= TELLING_WORDS


def _place(quotation: str, study: Study) -> Iterator[Span]:
    """Yield where whole words stand in the study's article; white space, case and marks of
    quotation or omission do not count.
    """
    wanted = quotation.strip(" \"'“”‘’….")
    if not 3 <= len(wanted) <= LONGEST_QUOTE:
        return
    start, end = (
        r"(?<!\w)(?<!\d[.,])" if wanted[0].isalnum() else "",
        r"(?!\w|[.,]\d)" if wanted[-1].isalnum() else "",
    )
    parts = r"\s+".join(re.escape(part) for part in _SPACE.split(wanted))
    pattern = re.compile(f"{start}{parts}{end}", re.IGNORECASE)
    if (match := pattern.search(study.article.abstract)) is not None:
        yield Span(study.n, "abstract", match.start(), match.end())
    if (match := pattern.search(study.article.title)) is not None:
        yield Span(study.n, "title", match.start(), match.end())
