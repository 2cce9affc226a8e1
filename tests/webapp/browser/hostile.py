"""Texts that run something, or break the page, where they are not treated as text; each sets
``window.__ran``.
"""

import json
import re
from datetime import date
from typing import Any

from clinfo.records.articles import Article, Author, DateInterval, Section

RUN = "window.__ran=1"
PIECES = (
    f"<script>{RUN}</script>",
    f"<img src=x onerror={RUN}>",
    f'"><svg onload="{RUN}"></svg>',
    f"[see](javascript:{RUN})",
    "{{ 7*7 }} {% raw %} ${7*7} %(question)s {0.__class__}",
    f"</textarea><script>{RUN}</script>",
    f"<a href=\"javascript:{RUN}\" onclick='{RUN}'>here</a>",
    "<!-- --><style>*{display:none}</style>",
    "\u202edesrever\u202c &lt;b&gt; &amp;amp;",
)
HOSTILE = " ".join(PIECES)
QUESTION = f"Does zinc {PIECES[0]} shorten {PIECES[1]} colds {PIECES[2]} {PIECES[3]} {PIECES[5]}?"
PMIDS = ("7001", "7002", "7003")


def articles() -> list[Article]:
    """Three articles on zinc whose every text is hostile."""
    return [
        Article(
            id=f"pmid:{pmid}",
            pmid=pmid,
            title=f"Zinc for colds {PIECES[number]} {HOSTILE}",
            sections=(
                Section(f"Zinc and colds. {HOSTILE}", "BACKGROUND"),
                Section(
                    (
                        f"We randomised {120 + number} adults to zinc or placebo. Colds were "
                        f"{number + 1}.5 days shorter {HOSTILE}."
                    ),
                    "RESULTS",
                ),
            ),
            authors=(Author(f"O'<b>Neil</b>{PIECES[1]}", "Ann", "A"),),
            journal=f"Journal {PIECES[0]}",
            journal_abbreviation=f"J {PIECES[0]}",
            volume="1<i>",
            pages="1-2",
            published=DateInterval(date(2020, 1, 1), date(2020, 12, 31), "2020"),
        )
        for number, pmid in enumerate(PMIDS)
    ]


def reply(body: dict[str, Any]) -> str:
    """A model that answers in the right form with hostile text in it."""
    text = "\n".join(message["content"] for message in body["messages"])
    text += json.dumps(body.get("response_format"))
    if '"relevant"' in text or '"finding"' in text:
        return json.dumps(
            {
                "relevant": "yes",
                "reason": f"It is about zinc {HOSTILE}",
                "finding": f"Colds were 1.5 days shorter {HOSTILE}",
                "design": f"randomised controlled trial {PIECES[0]}",
                "n_randomised": 120,
                "population": f"adults {HOSTILE}",
                "outcome": f"colds {HOSTILE}",
                "limits": HOSTILE,
                "answer": "yes",
                "result": "found benefit",
            }
        )
    numbers = re.findall(r"(?m)^\[(\d+)\]", text) or ["1"]
    if "Synthesis:" in text:
        return f"Zinc may shorten colds {PIECES[0]} {PIECES[1]} [{numbers[0]}]."
    if "Studies, each beginning" in text:
        return " ".join(
            f"Colds were shorter with zinc {piece} [{number}]."
            for number in numbers[:2]
            for piece in PIECES
        )
    return "zinc AND colds"
