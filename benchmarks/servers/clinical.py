"""The scripted model's replies: a plain but sensible clinical model, a function of the request
alone.

It reads the same messages as a real model and knows the chain's stages by phrases of their prompts
and the fields of their replies, so the whole chain can be run against it over real HTTP. A request
sent twice gets the same reply.
"""

from __future__ import annotations

import json
import re
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


_TLDR = re.compile(r"(?m)^Synthesis:(?:\s*Articles found: .*)?")
_SYNTHESIS = re.compile(r"(?m)^Studies, each beginning with its number")
_FENCE = r"<[a-z]+ [0-9a-f]{8}>\n?|\n?</[a-z]+ [0-9a-f]{8}>"


class ClinicalReply:
    """Call it with the body of a chat completion request. The stages are told apart by what their
    prompts and replies name, in the order below; a query is what is left.
    """

    def __call__(self, body: dict[str, Any]) -> str:
        text, form = (
            "\n\n".join(
                one["content"] for one in body["messages"] if (one["role"] == "user") is said
            )
            for said in (True, False)
        )
        text, form = re.sub(_FENCE, "", text), form + json.dumps(body.get("response_format"))
        question = _found(r"(?m)^Question: (.+)$", text)
        article = (
            _found(r"(?m)^Title: (.*)$", text),
            _found(r"(?ms)^Abstract: (.*?)(?:\n\nReply with|\Z)", text),
        )
        whole = form + text
        if '"relevant"' in whole:
            judgement = _judgement(question, *article)
            if '"finding"' in whole and judgement["relevant"] == "yes":
                judgement |= self._summary(*article)
            return json.dumps(judgement)
        if '"finding"' in whole:
            return json.dumps(self._summary(*article))
        if '"verdicts"' in whole:
            return _verdicts(text)
        if '"sentence"' in whole:
            return json.dumps({"sentence": ""})
        if '"comparator"' in whole:
            return _pico(question)
        if begun := _TLDR.search(text):
            return _tldr(text[begun.end() :])
        if begun := _SYNTHESIS.search(text):
            return _synthesis(text[begun.end() :])
        return _query(question, int(body.get("seed") or 0), used=text)

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


clinical_reply = ClinicalReply()


def _judgement(question: str, title: str, abstract: str) -> dict[str, Any]:
    """Relevant is what shares a third of the question's content words, and at least one."""
    asked, there = _content_words(question), _content_words(f"{title} {abstract}")
    met = [word for word in asked if word in there]
    relevant = bool(met) and 3 * len(met) >= len(asked)
    reason = f"It is about {', '.join(met[:3])}." if relevant else "It is about something else."
    return {"relevant": "yes" if relevant else "no", "reason": reason}


def _synthesis(studies: str) -> str:
    sentences = []
    for block in re.split(r"\n\s*\n", studies):
        if heading := re.match(r"(?m)^\[(\d+)\] (.+)$", block.strip()):
            number, title = heading[1], re.sub(r" \(\d{4}\)$", "", heading[2]).rstrip(".")
            finding = re.search(r"(?m)^Finding: (.+)$", block)
            said = finding[1].rstrip(".") if finding else f"One study was about {title}"
            sentences.append(f"{said} [{number}].")
    return " ".join(sentences) or "The studies retrieved do not answer the question."


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
