"""``clinfo eutils``: E-utilities over a local index, for whatever program asks NCBI."""

from typing import Annotated

import typer

from clinfo.console import streams
from clinfo.errors import UsageError
from clinfo.extras import needed

THREADS = 4


def eutils(
    folder: Annotated[
        str,
        typer.Argument(
            metavar="DIR", help="A local index, made by clinfo index build.", show_default=False
        ),
    ],
    host: Annotated[
        str,
        typer.Option(
            "--host", metavar="H", help="Address to listen on. [127.0.0.1]", show_default=False
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int,
        typer.Option(
            "--port",
            metavar="P",
            help="Port to listen on; 0 chooses a free one. [8080]",
            show_default=False,
        ),
    ] = 8080,
    as_of: Annotated[
        str | None,
        typer.Option(
            "--as-of",
            metavar="DATE|N",
            help="The index as it was on that day or in that version.",
            show_default=False,
        ),
    ] = None,
) -> int:
    """Serve NCBI's E-utilities from a local index.

    Give the printed address to any Entrez client, or to clinfo as CLINFO_EUTILS_URL. The number of
    requests is not limited. Ctrl-C ends the server.
    """
    if not 0 <= port <= 65_535:
        raise UsageError(f"--port: {port} is not a port; choose one from 0 to 65,535")

    waitress = needed("waitress", "index")
    from clinfo.pubmed.eutils import PATH, EutilsApplication
    from clinfo.pubmed.index import LocalIndex

    index = LocalIndex.open(folder, as_of=as_of)
    try:
        server = waitress.create_server(
            EutilsApplication(index), host=host, port=port, threads=THREADS, ident=None
        )
    except (OSError, ValueError) as error:
        index.close()
        why = (error.strerror if isinstance(error, OSError) else None) or error
        raise UsageError(f"cannot listen on {host} port {port}: {why}") from None
    # A name may stand for several addresses, and then there is a server for each, at a port of its
    # own where any will do.
    ports = {at for _, at in getattr(server, "effective_listen", ())} or {server.effective_port}
    shown = f"[{host}]" if ":" in host else host
    streams.write("".join(f"http://{shown}:{at}{PATH}\n" for at in sorted(ports)))
    streams.say(f"answering from {index.description}; Ctrl-C ends it")
    try:
        server.run()
    finally:
        server.close()
        index.close()
    return 0
