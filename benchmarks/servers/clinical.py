"""The scripted model's replies: a plain but sensible clinical model, a function of the request
alone.

It reads the same messages as a real model and knows the chain's stages by phrases of their prompts
and the fields of their replies, so the whole chain can be run against it over real HTTP. A request
sent twice gets the same reply.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

_STOP = frozenset(
    re.findall(
        r"\w+",
        (
            "a about after an and any are as at be been better between by can compared do does "
            "during effect effective effects for "
            "from had has have how if in into is it its less more not of on or patients people "
            "risk "
            "should than that the their "
            "there these this to use used using was what when where which who whom will with "
            "within "
            "without adults"
        ),
    )
)


@dataclass(frozen=True)
class ClinicalReply:
    """Call it with the body of a chat completion request.

    ``markers``: words of which an article must hold one to be relevant; without any, it must share
    a third of the question's content words (at least one). The other fields are regular
    expressions: they tell the stages apart (tried in this order; a query is what is left) and find
    the parts of a prompt.
    """

    markers: tuple[str, ...] = ()
    relevance: str = r'"relevant"'
    summary: str = r'"finding"'
    pico: str = r'"comparator"'
    verify: str = r'"verdicts"'
    tldr: str = r"(?m)^Synthesis:(?:\s*Articles found: .*)?"
    synthesis: str = r"(?m)^Studies, each beginning with its number"
    question: str = r"(?m)^Question: (.+)$"
    title: str = r"(?m)^Title: (.*)$"
    abstract: str = r"(?ms)^Abstract: (.*?)(?:\n\nReply with|\Z)"
    fence: str = r"<[a-z]+ [0-9a-f]{8}>\n?|\n?</[a-z]+ [0-9a-f]{8}>"
    study: str = r"(?m)^\[(\d+)\] (.+)$"

    def __call__(self, body: dict[str, Any]) -> str:
        text, form = (
            "\n\n".join(
                one["content"] for one in body["messages"] if (one["role"] == "user") is said
            )
            for said in (True, False)
        )
        text, form = re.sub(self.fence, "", text), form + json.dumps(body.get("response_format"))
        question = _found(self.question, text)
        article = _found(self.title, text), _found(self.abstract, text)
        judges, summarises = (
            re.search(pattern, form + text) for pattern in (self.relevance, self.summary)
        )
        if judges:
            judgement = self._judgement(question, *article)
            if summarises:
                relevant = judgement["relevant"] == "yes"
                judgement |= self._summary(*article) if relevant else {}
            return json.dumps(judgement)
        if summarises:
            return json.dumps(self._summary(*article))
        if re.search(self.verify, form + text):
            return _verdicts(text)
        if '"sentence"' in form + text:
            return json.dumps({"sentence": ""})
        if re.search(self.pico, form + text):
            return _pico(question)
        if re.search(self.tldr, text):
            return _tldr(text[re.search(self.tldr, text).end() :])  # type: ignore[union-attr]
        if re.search(self.synthesis, text):
            return self._synthesis(text)
        return _query(question, int(body.get("seed") or 0), used=text)

    def _judgement(self, question: str, title: str, abstract: str) -> dict[str, Any]:
        article = f"{title} {abstract}"
        if self.markers:
            met = [marker for marker in self.markers if marker.lower() in article.lower()]
            relevant = bool(met)
        else:
            asked = _content_words(question)
            met = [word for word in asked if word in _content_words(article)]
            relevant = bool(met) and 3 * len(met) >= len(asked)
        reason = f"It is about {', '.join(met[:3])}." if relevant else "It is about something else."
        return {"relevant": "yes" if relevant else "no", "reason": reason}

    def _summary(self, title: str, abstract: str) -> dict[str, Any]:
        sentences = _sentences(re.sub(r"(?m)^[A-Z][A-Z /&,-]+: ", "", abstract)) or [title]
        with_figures = [sentence for sentence in sentences if re.search(r"\d", sentence)]
        finding = (with_figures or sentences)[-1]
        size = re.search(
            (
                r"\b(\d[\d,]*) (?:\w+ ){0,2}(?:patients|participants|passengers|adults|women|men|"
                r"people)"
            ),
            abstract,
        )
        trial = re.search(r"\brandomi[sz]ed", abstract, re.IGNORECASE)
        null = re.search(
            (
                r"\bno (?:significant )?(?:difference|effect)|\bnot (?:significant|differ|reduce|"
                r"improve)"
            ),
            finding,
        )
        return {
            "finding": finding,
            "design": "randomised controlled trial" if trial else None,
            "n_randomised": int(size[1].replace(",", "")) if size else None,
            "answer": "no" if null else "yes",
            "result": "no clear difference" if null else "found benefit",
            "usefulness": 5,
        }

    def _synthesis(self, text: str) -> str:
        studies = text[re.search(self.synthesis, text).end() :]  # type: ignore[union-attr]
        sentences = []
        for block in re.split(r"\n\s*\n", studies):
            if heading := re.match(self.study, block.strip()):
                number, title = heading[1], re.sub(r" \(\d{4}\)$", "", heading[2]).rstrip(".")
                finding = re.search(r"(?m)^Finding: (.+)$", block)
                said = finding[1].rstrip(".") if finding else f"One study was about {title}"
                sentences.append(f"{said} [{number}].")
        return " ".join(sentences) or "The studies retrieved do not answer the question."


def clinical_reply(body: dict[str, Any]) -> str:
    """The reply of a `ClinicalReply` that knows the default prompts."""
    return ClinicalReply()(body)


def _tldr(synthesis: str) -> str:
    sentences = _sentences(synthesis)
    return sentences[0] if sentences else "The studies retrieved do not answer the question."


def _verdicts(text: str) -> str:
    """Supported where a sentence of an article cited holds half the claim's content words, which is
    then quoted.
    """
    articles = dict(re.findall(r"(?ms)^\[(\d+)\] (.*?)(?=\n\n\[\d+\] |\n\nReply with|\Z)", text))
    verdicts = []
    for label, claim, cites in re.findall(r"(?m)^(S\d+): (.*?)\[([\d, ]+)\]", text):
        words = set(_content_words(claim))
        found = [
            {"article": int(number), "words": sentence}
            for number in re.findall(r"\d+", cites)
            for sentence in _sentences(articles.get(number, ""))
            if words and 2 * len(words & set(_content_words(sentence))) >= len(words)
        ]
        verdict = "supported" if found else "unsupported"
        reason = "The article says so." if found else "The article does not say so."
        verdicts.append({"label": label, "verdict": verdict, "reason": reason, "quotes": found[:1]})
    return json.dumps({"verdicts": verdicts})


def _pico(question: str) -> str:
    """The question's first content word as what is asked about, the next two as alternative
    outcomes of it.
    """
    first, *rest = _content_words(question) or ["medicine"]
    return json.dumps(
        {"population": [], "intervention": [first], "comparator": [], "outcome": rest[:2]}
    )


def _query(question: str, seed: int, used: str) -> str:
    """One content word and any of the others; each seed begins with another word, and what ``used``
    holds is passed over.
    """
    words = _content_words(question)[:6] or ["medicine"]
    turns = [
        words[turn % len(words) :] + words[: turn % len(words)]
        for turn in range(seed, seed + len(words))
    ]
    queries = [f"{first} AND ({' OR '.join(rest)})" if rest else first for first, *rest in turns]
    return next((query for query in queries if query not in used), queries[0])


def _content_words(text: str) -> list[str]:
    words = re.findall(r"[a-z0-9]+(?:-[a-z0-9]+)*", text.lower())
    return list(dict.fromkeys(word for word in words if word not in _STOP and len(word) > 1))


def _sentences(text: str) -> list[str]:
    return [part.strip() for part in re.split(r"(?<=[.!?])\s+(?=[A-Z])|\n+", text) if part.strip()]


def _found(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    return match[1].strip() if match else ""
