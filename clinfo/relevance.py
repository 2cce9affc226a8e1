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

_NO = re.compile(
    r"\b(?:not|isn't|is not|n't)\s+(?:\w+\s+){0,2}?relevant\b|\birrelevant\b|\bnon-?relevant\b|^\W*(?:answer|relevant|relevance"
    r"|judge?ment|verdict|decision)?\W*(?:no|false)\b|\b(?:answer|verdict|decision|relevant|relevance)\W{1,4}(?:is\s+)?(?:no|false)\b",
    re.IGNORECASE,
)
_YES = re.compile(
    r"^\W*(?:answer|relevant|relevance|judge?ment|verdict|decision)?\W*(?:yes|true|relevant)\b"
    r"|\b(?:answer|verdict|decision|relevant|relevance)\W{1,4}(?:is\s+)?(?:yes|true)\b|\bis\s+(?:\w+\s+)?relevant\b",
    re.IGNORECASE,
)


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
    reason = re.sub(r"^\W*(?:answer|relevant|relevance)?\W*(?:yes|no|true|false)\b\W*", "", plain, flags=re.IGNORECASE)
    return relevant, reason[:300] or "no reason given"


def _yes_or_no(text: str) -> bool | None:
    """Strict: a text that gives both signs, or neither, is None. Negated forms are looked for first."""
    text = text.strip().strip("*_`\"'")
    no = _NO.search(text)
    yes = _YES.search(_NO.sub(" ", text))
    if no and yes:
        return None if no.start() and yes.start() else not text[: no.end()].strip().startswith(no.group().strip())
    return False if no else True if yes else None
