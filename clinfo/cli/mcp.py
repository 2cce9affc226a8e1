"""``clinfo mcp``: the tools for other programs' agents, by the Model Context Protocol."""

from typing import Annotated

from clinfo.cli.ask import HOW_TO_CHOOSE_A_MODEL
from clinfo.cli.help import flag
from clinfo.errors import FieldError, UsageError
from clinfo.extras import needed
from clinfo.pipelines.literature.request import NO_MODEL
from clinfo.settings import load_settings
from clinfo.sources import registry

_SERVED, _LIMITS = "What is served", "Limits"


def mcp(
    http: Annotated[
        str | None,
        flag(
            "--http",
            "Serve streamable HTTP there, at /mcp; port 0 chooses a free one. [stdio]",
            _SERVED,
            "HOST:PORT",
        ),
    ] = None,
    model: Annotated[
        str | None,
        flag("--model", "extractive, or any litellm model name. [CLINFO_MODEL]", _SERVED, "NAME"),
    ] = None,
    source: Annotated[
        str | None,
        flag("--source", f"{registry.choice()}. [CLINFO_SOURCE, else pubmed]", _SERVED, "NAME"),
    ] = None,
    max_cost: Annotated[
        float | None,
        flag(
            "--max-cost",
            "Stop a call before its model calls would cost more. [CLINFO_MCP_MAX_COST]",
            _LIMITS,
            "USD",
            0,
        ),
    ] = None,
    max_seconds: Annotated[
        float | None,
        flag(
            "--max-seconds",
            "Answer from the articles read by then, and state how many they are.",
            _LIMITS,
            "S",
            0,
        ),
    ] = None,
) -> int:
    """Serve tools to agents of other programs (MCP).

    The tools of this Model Context Protocol server: ask, search, fetch (an article), verify
    (sentences), integrity (of a reference list), and one search a silo of the copilot.
    They only read, use this machine's source and model, and see no patient's record. Without
    --http the server talks over stdin and stdout, as a program that starts it expects.

    Off loopback a token is needed (CLINFO_MCP_TOKEN), which callers send as Authorization: Bearer.
    CLINFO_MCP_CALLS_A_MINUTE and CLINFO_MCP_AT_ONCE limit the calls. One line a call on stderr,
    without what was asked.
    """

    needed("mcp.server", "mcp")
    from clinfo.mcp_server.host import open_host
    from clinfo.mcp_server.server import make_server
    from clinfo.mcp_server.transports import quiet_libraries, serve_http, serve_stdio

    settings = load_settings()
    if max_cost is not None:
        settings = settings.model_copy(update={"mcp_max_cost": max_cost})
    try:
        host = open_host(settings, model, source, max_seconds)
    except FieldError as error:
        if error.fault == NO_MODEL:
            raise UsageError(HOW_TO_CHOOSE_A_MODEL) from None
        raise
    server = make_server(host)
    quiet_libraries()
    if http is not None:
        serve_http(server, settings, http)
    else:
        serve_stdio(server, host.gate)
    return 0
