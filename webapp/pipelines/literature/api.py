"""The options and prompts of the literature at this host, over HTTP."""

from __future__ import annotations

from flask import Response

from clinfo.pipelines.literature import OPTIONS, PROMPTS
from clinfo.records import MAX_NAME, MAX_PROMPT, MAX_QUERY, MAX_QUESTION, MAX_SEED_STUDIES
from clinfo.settings import Settings
from webapp.api import UNCHANGED, api, validated
from webapp.api_types import Bounds, Deadlines, DefaultPrompt, Options, Prompts
from webapp.fields import MAX_KEY
from webapp.operation import Reply, operation
from webapp.pipelines.literature.asking import MAX_LISTED, MAX_OWN_QUERIES
from webapp.services import services
from webapp.settings import WebSettings


@api.get("/options")
@operation(
    "getOptions",
    "host",
    {200: Reply("What there is.", Options, headers=("ETag",)), 304: UNCHANGED},
    *(401, 429),
)
def offered() -> Response:
    """Models, sources and limits.

    The available models and sources, the default of each first, and all limits.
    """
    return validated(options(services().web, services().chain))


@api.get("/prompts")
@operation(
    "getPrompts",
    "host",
    {200: Reply("The prompts.", Prompts, headers=("ETag",)), 304: UNCHANGED},
    *(401, 429),
)
def prompts() -> Response:
    """The default prompts.

    Each with the variables that a replacement must hold, and the only ones that it may hold.
    """
    texts = PROMPTS.defaults()
    parsed = {name: PROMPTS.parse(name, text).sha256 for name, text in texts.items()}
    return validated(
        Prompts(
            prompts={
                name: DefaultPrompt(texts[name], list(PROMPTS.variables[name]), sha256)
                for name, sha256 in parsed.items()
            }
        )
    )


def options(web: WebSettings, chain: Settings) -> Options:
    """The models, sources and limits of this host. Limits are lengths in characters, smallest and
    largest numbers, and seconds.
    """
    whole = {
        name: Bounds(int(one.option.least), int(one.option.most))
        for name, one in OPTIONS.items()
        if one.kind is int
    }
    for name in ("max_articles", "per_query"):
        whole[name] = Bounds(whole[name].least, min(whole[name].most, web.most_articles))
    return Options(
        models=list(web.offered_models(chain)),
        sources=list(web.offered_sources(chain)),
        reasoning_efforts=list(OPTIONS["reasoning_effort"].choices),
        limits=list(OPTIONS["limits"].choices),
        strategies=list(OPTIONS["strategy"].choices),
        judges=list(OPTIONS["judge"].choices),
        regimes=list(OPTIONS["regime"].choices),
        edit_prompts=web.edit_prompts,
        own_keys=web.own_keys,
        max_seconds=Deadlines(web.max_seconds, web.longest_seconds),
        longest={
            "question": MAX_QUESTION,
            "query": MAX_QUERY,
            "filter": MAX_QUERY,
            "prompt": MAX_PROMPT,
            "name": MAX_NAME,
            "api_key": MAX_KEY,
        },
        most={"query": MAX_OWN_QUERIES, "drop": MAX_LISTED, "known": MAX_SEED_STUDIES},
        whole_numbers=whole,
        largest_body=web.largest_body,
        retention_days=web.retention_days,
    )
