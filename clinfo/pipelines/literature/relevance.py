"""One yes or no for each article: does it bear on the question?"""

from __future__ import annotations

import re

from clinfo.errors import ModelError
from clinfo.lazy_dataclass import replace
from clinfo.llm.prompts import Prompt
from clinfo.llm.schemas import TEXT, Schema, closed, one_of
from clinfo.pipelines.literature import reading, summarize
from clinfo.pipelines.literature.declared import RELEVANCE, Read
from clinfo.records.articles import Article, Judgement, Summary
from clinfo.runs.protocols import Ask, Message
from clinfo.runs.run_log import RunLog
from clinfo.text.structured import json_object, words_of

FORMAT = (
    'Reply with one JSON object and nothing else, in this form:\n{"relevant": "yes" or "no", '
    '"reason": "one short sentence"}'
)
AGAIN = (
    'Your reply could not be read. Reply with only {"relevant": "yes", "reason": "…"} or '
    '{"relevant": "no", "reason": "…"}.'
)
WITH_SUMMARY = (
    'Reply in JSON only, null if not stated:\n{"relevant": "yes/no", "reason": "short", '
    f'"summary": null if no, else {summarize.FIELDS}}}'
)
JUDGEMENT: dict[str, Schema] = {"relevant": one_of(("yes", "no")), "reason": TEXT}
SCHEMA = closed(**JUDGEMENT)
SCHEMA_WITH_SUMMARY = closed(**JUDGEMENT, summary={"anyOf": [{"type": "null"}, summarize.SCHEMA]})
TOKENS_WITH_SUMMARY = 800
"""Most tokens of a judgement with a summary: both take some 250."""
NO_ABSTRACT = "no abstract: judged on its title"
UNREADABLE = "the judgement could not be read: kept"

READ_AT_MOST = 8_000
"""Characters of a reply that are looked at, those of `TOKENS_WITH_SUMMARY` tokens; what degenerates
is not read to its end.
"""

_BROKEN_JSON = re.compile(
    r"""["']?\brelevan(?:t|ce)["']?\s*[:=]\s*["']?\s*([^"',}\n]{1,40})""", re.IGNORECASE
)
_BROKEN_REASON = re.compile(r"""["']?reason["']?\s*[:=]\s*["']?([^\n}]{1,300})""", re.IGNORECASE)
_UNDECIDED = re.compile(r"\b(?:yes|no)[\"']?\s*(?:/|\||or|and)\s*[\"']?(?:yes|no)\b", re.IGNORECASE)
_TOKEN = re.compile(r"[a-z]+(?:['’]t)?|[^\w\s]")
_NO_DOUBT = re.compile(r"\bno\s+(?:doubt|question)\b")
_LABELS = frozenset(
    [
        "the",
        "my",
        "final",
        "answer",
        "judgement",
        "judgment",
        "verdict",
        "decision",
        "relevance",
        "is",
    ]
)
_NEGATIONS = frozenset(
    [
        "not",
        "never",
        "hardly",
        "no",
        "non",
        "lacks",
        "lack",
        "without",
        "nothing",
        "none",
        "neither",
        "nobody",
    ]
)
_DOUBTS = frozenset(["whether", "if", "unclear", "cannot", "depends", "unsure", "determine"])
_AFTER_NO = frozenset(
    ["it", "this", "the", "because", "as", "since", "but", "not", "these", "they", "there"]
)
"""Words that follow a "no" that is the verdict; "no abstract", "no information" is none."""
_POINTERS = frozenset(["is", "are", "seems", "appears", "highly", "directly", "clearly", "very"])


async def judge(question: str, article: Article, prompt: Prompt, ask: Ask) -> Judgement:
    """The judgement of one article. An unreadable reply is asked again once, then the article is
    kept and flagged.

    With the prompt `reading.READING` the reply brings a summary along (`summary_along`), but not
    when it is asked again. Raises ModelError, BudgetReached.
    """
    both = prompt.name == reading.READING
    messages = reading.messages(question, article, prompt, WITH_SUMMARY if both else FORMAT)
    variables = Read(question=question, article=article)
    flags = () if article.abstract else (NO_ABSTRACT,)
    request = RELEVANCE.request(messages, variables, schema=SCHEMA_WITH_SUMMARY if both else SCHEMA)
    if both:
        request = replace(request, max_tokens=TOKENS_WITH_SUMMARY)
    reply = await ask(_call(article.id), request)
    relevant, reason = parse_judgement(reply.text)
    if relevant is None:
        again = (*messages, Message("assistant", reply.text), Message("user", AGAIN))
        reply = await ask(
            f"{_call(article.id)} again",
            RELEVANCE.request(again, variables, schema=SCHEMA, attempt=1),
        )
        relevant, reason = parse_judgement(reply.text)
    if relevant is None:
        return Judgement(
            article.id,
            None,
            "the model's reply could not be read",
            reply.model,
            (*flags, UNREADABLE),
        )
    return Judgement(article.id, relevant, reason, reply.model, flags)


def summary_along(id: str, replies: RunLog) -> Summary | None:
    """The summary that came with the readable judgement of the article, None where none did."""
    reply, again = replies.reply(_call(id)), replies.reply(f"{_call(id)} again")
    return summarize.parse_along(reply.reply) if reply and not again else None


def _call(id: str) -> str:
    return f"relevance {id}"


def failed(article: Article, judge: str, problem: ModelError) -> Judgement:
    """Return what stands for the judgement of an article whose judge failed: kept, flagged, with
    the reason.
    """
    flags = () if article.abstract else (NO_ABSTRACT,)
    return Judgement(
        article.id, None, f"not judged, the model failed: {problem}", judge, (*flags, UNREADABLE)
    )


def parse_judgement(text: str) -> tuple[bool | None, str]:
    """(relevant, reason) of a reply; relevant is None when the reply does not say, or says both."""
    text = text[:READ_AT_MOST]
    form = json_object(text)
    said = [key for key in form or () if key.strip().lower() in ("relevant", "relevance", "answer")]
    if form is not None and said:
        return _stated(form[said[0]]), words_of(form.get("reason")) or "no reason given"
    if (
        text.lstrip("` \n").removeprefix("json").lstrip().startswith("{")
    ):  # JSON that is broken or cut off
        value, why = _BROKEN_JSON.search(text), _BROKEN_REASON.search(text)
        decided = _stated(value[1]) if value and not _UNDECIDED.search(text) else None
        return decided, why[1].rstrip("\"' ") if why else "no reason given"
    plain = " ".join(text.split())
    relevant = _stated(plain)
    reason = re.sub(
        r"^[\W_]*(?:yes|no|true|false)\b[\W_]*", "", plain, count=1, flags=re.IGNORECASE
    )
    return relevant, reason[:300] or "no reason given"


def _stated(value: object) -> bool | None:
    """Return what a value or a text says: by its first word, else by a label ("Answer: no"), else
    by its wording; else None.
    """
    if isinstance(value, bool):
        return value
    if not isinstance(value, str) or _UNDECIDED.search(value):
        return None
    _, mark, told = value.rpartition("?")
    if mark and not re.search(r"\w", told):
        return None  # a question is not a judgement
    tokens = [token.replace("’", "'") for token in _TOKEN.findall(_NO_DOUBT.sub(" ", told.lower()))]
    words = [token for token in tokens if token[0].isalpha()]
    for said in (_at_the_beginning(tokens), _after_a_label(words), _in_the_wording(words)):
        if said is not None:
            return said
    return None


def _at_the_beginning(tokens: list[str]) -> bool | None:
    """ "Yes, …", "Not relevant", "Answer: no", "Relevant: yes"; "No abstract was given" is no
    no.
    """
    while tokens and (tokens[0] in _LABELS or not tokens[0][0].isalpha()):
        tokens = tokens[1:]
    words = [token for token in tokens if token[0].isalpha()]
    if words[:1] == ["relevant"]:
        rest = words[3:] if words[1:3] == ["or", "not"] else words[1:]
        following = rest[0] if rest else ""
        return {"no": False, "false": False, "not": False, "yes": True, "true": True}.get(
            following, rest == words[1:] or None
        )
    match tokens[:2]:
        case ["yes" | "true", *_]:
            return True
        case ["false" | "irrelevant", *_] | ["no"]:
            return False
        case ["no", following]:
            return False if following in _AFTER_NO or not following[0].isalpha() else None
        case ["not", *_] if "relevant" in words[1:4]:
            return False
    return False if words[:2] == ["non", "relevant"] else None


def _after_a_label(words: list[str]) -> bool | None:
    """ "… so the answer is yes"."""
    for place, word in enumerate(words):
        if word in ("answer", "verdict", "decision", "judgement", "judgment", "relevance"):
            following = [
                one for one in words[place + 1 : place + 3] if one not in ("is", "therefore")
            ][:1]
            if following and following[0] in ("yes", "no", "true", "false"):
                return following[0] in ("yes", "true")
    return None


def _in_the_wording(words: list[str]) -> bool | None:
    """ "It is directly relevant", "it isn't really relevant"; None where both are said, or where it
    stays open.
    """
    said: set[bool | None] = set()
    for place, word in enumerate(words):
        before = words[max(0, place - 8) : place]
        if word == "irrelevant":
            said.add(False)
        elif word in ("relevant", "relevance"):
            if _DOUBTS.intersection(before):
                said.add(None)
            elif any(_negates(one) for one in before[-4:]):
                said.add(False)
            elif any(_negates(one) for one in before):
                said.add(None)  # too far off to say what it negates
            elif word == "relevant" and _POINTERS.intersection(before[-3:]):
                said.add(True)
    return said.pop() if len(said) == 1 else None


def _negates(word: str) -> bool:
    return word in _NEGATIONS or word.endswith("n't")
