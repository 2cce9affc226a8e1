"""One yes or no for each article: does it bear on the question?"""

from __future__ import annotations

import re

from clinfo.errors import ModelError
from clinfo.prompts import Prompt
from clinfo.protocols import Ask, Message, ModelRequest
from clinfo.records import Article, Judgement
from clinfo.structured import json_object, words_of

FORMAT = (
    "Reply with one JSON object and nothing else, in this form:\n"
    '{"relevant": "yes" or "no", "reason": "one short sentence"}'
)
AGAIN = 'Your reply could not be read. Reply with only {"relevant": "yes", "reason": "…"} or {"relevant": "no", "reason": "…"}.'
NO_ABSTRACT = "no abstract: judged on its title"
UNREADABLE = "the judgement could not be read: kept"

_LABEL = r"(?:(?:the\s+)?(?:final\s+)?(?:answer|relevant|relevance|judge?ment|verdict|decision)\s*(?:is\b|[:=—–-])+[\s\W]*)"
_UNDECIDED = re.compile(r"\b(?:yes|no)\s*(?:/|\||or)\s*(?:yes|no)\b", re.IGNORECASE)
_LEADING = re.compile(
    rf"\W*{_LABEL}?\W*(?:(?P<yes>yes|true|relevant)|(?P<no>no|false|irrelevant|not\s+(?:\w+\s+){{0,2}}relevant|not\s+relevant))\b",
    re.IGNORECASE,
)
_LABELLED = re.compile(rf"\b{_LABEL}(?:(?P<yes>yes|true)|(?P<no>no|false))\b", re.IGNORECASE)
_NEGATIVE = re.compile(
    r"\b(?:not|never|hardly|\w+n['’]t|no)\s+(?:\w+\s+){0,3}?relevan(?:t|ce)\b|\b(?:ir|non-?\s?)relevant\b|\blacks?\s+relevance\b",
    re.IGNORECASE,
)
_POSITIVE = re.compile(r"\b(?:is|are|seems|appears|highly|directly|clearly)\s+(?:\w+\s+){0,2}?relevant\b", re.IGNORECASE)


async def judge(question: str, article: Article, prompt: Prompt, ask: Ask) -> Judgement:
    """The judgement of one article. An unreadable reply is asked again once, then the article is kept and flagged.

    Raises ModelError, BudgetReached.
    """
    messages = prompt.fill(question=question, title=article.title, abstract=article.abstract or "(no abstract)")
    messages = (*messages[:-1], Message("user", f"{messages[-1].content}\n\n{FORMAT}"))
    variables = {"question": question, "article": article}
    flags = () if article.abstract else (NO_ABSTRACT,)
    reply = await ask(f"relevance {article.id}", ModelRequest("relevance", messages, variables, json=True))
    relevant, reason = parse_judgement(reply.text)
    if relevant is None:
        again = (*messages, Message("assistant", reply.text), Message("user", AGAIN))
        reply = await ask(f"relevance {article.id} again", ModelRequest("relevance", again, variables, json=True, attempt=1))
        relevant, reason = parse_judgement(reply.text)
    if relevant is None:
        return Judgement(article.id, None, "the model's reply could not be read", reply.model, (*flags, UNREADABLE))
    return Judgement(article.id, relevant, reason, reply.model, flags)


def failed(article: Article, judge: str, problem: ModelError) -> Judgement:
    """What stands for the judgement of an article whose judge failed: kept, flagged, with the reason."""
    flags = () if article.abstract else (NO_ABSTRACT,)
    return Judgement(article.id, None, f"not judged, the model failed: {problem}", judge, (*flags, UNREADABLE))


def parse_judgement(text: str) -> tuple[bool | None, str]:
    """(relevant, reason) of a reply; relevant is None when the reply does not say, or says both."""
    form = json_object(text)
    if form is not None:
        verdict = next((form[key] for key in form if key.strip().lower() in ("relevant", "relevance", "answer")), None)
        relevant = verdict if isinstance(verdict, bool) else _yes_or_no(str(verdict)) if verdict is not None else None
        return relevant, words_of(form.get("reason")) or "no reason given"
    plain = " ".join(text.split())
    relevant = _yes_or_no(plain)
    reason = plain[decided.end() :].lstrip(" ,.;:—–-*") if (decided := _LEADING.match(plain)) else plain
    return relevant, reason[:300] or "no reason given"


def _yes_or_no(text: str) -> bool | None:
    """What a text says: by its first word, else by a label ("Answer: no"), else by its wording; None where it says both."""
    if _UNDECIDED.search(text):
        return None
    if decided := _LEADING.match(text) or _LABELLED.search(text):
        return decided["yes"] is not None
    negative = bool(_NEGATIVE.search(text))
    positive = bool(_POSITIVE.search(_NEGATIVE.sub(" ", text)))
    return positive if positive != negative else None
