"""The web app's command line: all of it on one machine, or one part of it for a host that runs
several.
"""

from __future__ import annotations

import argparse
import asyncio
import errno
import os
import signal
import socket
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from clinfo import __version__
from clinfo.errors import ClinfoError, UsageError
from clinfo.extras import needed
from clinfo.settings import Settings, load_settings

try:
    needed("sqlalchemy", "web")
except UsageError as error:  # an installation without the extra
    print(f"error: {error}", file=sys.stderr)
    sys.exit(error.exit_status)

from sqlalchemy import make_url
from sqlalchemy.exc import SQLAlchemyError

from clinfo.records import EXTRACTIVE
from webapp.hosting import logs, starting
from webapp.settings import WebSettings, kept_secret, load_web_settings
from webapp.storage import tokens
from webapp.storage.database import backup, connect, existing, migrate, revision_problem
from webapp.storage.store import Store
from webapp.work.retrying import reason
from webapp.work.supervising import GUNICORN_CANNOT_START, Child, supervise

if TYPE_CHECKING:
    from webapp.work.worker import Worker

DESCRIPTION = """\
Clinfo's web app. Without a command: everything on this machine (a web server, a worker, a database file), with no other
service. With a command: one part, for hosts that run several; web and worker processes then share DATABASE_URL
(PostgreSQL) and REDIS_URL.
"""  # noqa: E501
EPILOG = """\
Settings come from the environment and from a .env file in this folder: CLINFO_MODEL (or CLINFO_WEB_MODELS, those on offer),
provider keys such as OPENAI_API_KEY, CLINFO_WEB_DAILY_BUDGET, SECRET_KEY, DATABASE_URL, REDIS_URL, PORT and more;
docs/hosting.md lists them all.
"""  # noqa: E501
BACKLOG = 512
MIGRATION_WAIT = 1.0
"""Seconds between two looks of a worker whether its database is there and migrated."""


def main(arguments: list[str] | None = None) -> int:
    """Exit status 0, or 2 for settings that cannot be used, 1 for what failed later."""
    options = _parser().parse_args(arguments)
    try:
        load_settings()  # reads .env into the environment, before the flags are laid over it
        if getattr(options, "host", None) is not None:
            os.environ["CLINFO_WEB_HOST"] = options.host
        if getattr(options, "port", None) is not None:
            os.environ["PORT"] = options.port
        return _run(options, load_web_settings(), load_settings())
    except ClinfoError as error:
        _say(f"error: {error}")
        return error.exit_status
    except SQLAlchemyError as error:
        _say(f"error: the database cannot be used: {reason(error)}")
        return 1


def _parser() -> argparse.ArgumentParser:
    # Without defaults, so that those given before a command are not overwritten by it.
    where = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    where.add_argument(
        "--host", help="the address to listen on (default: CLINFO_WEB_HOST, else 127.0.0.1)"
    )
    where.add_argument(
        "--port", help="the port to listen on, 0 for a free one (default: PORT, else 8000)"
    )
    parser = argparse.ArgumentParser(
        prog="python -m webapp",
        description=DESCRIPTION,
        epilog=EPILOG,
        parents=[where],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"clinfo {__version__}")
    parts = parser.add_subparsers(dest="part", metavar="COMMAND", title="commands")
    parts.add_parser(
        "web",
        parents=[where],
        help="the web server only (WEB_CONCURRENCY: number of processes)",
    )
    parts.add_parser("worker", help="a worker only: runs questions")
    parts.add_parser(
        "release",
        aliases=["migrate"],
        help="migrate the database to this version; its contents are kept",
    )
    backup = parts.add_parser(
        "backup", help="copy a SQLite database to a new file, even while it is in use"
    )
    backup.add_argument("file", type=Path, metavar="FILE")
    token = parts.add_parser("token", help="create, list and revoke access tokens of the HTTP API")
    tokens = token.add_subparsers(dest="action", metavar="ACTION", required=True)
    create = tokens.add_parser("create", help="a new token, shown once")
    create.add_argument("name", metavar="NAME", help="whose it is")
    create.add_argument(
        "--expires", type=_days, metavar="DAYS", help="days until it expires (default: never)"
    )
    tokens.add_parser("list", help="names, when they were created and when they expire")
    tokens.add_parser("revoke", help="delete a token").add_argument("name", metavar="NAME")
    return parser


def _days(text: str) -> float:
    with suppress(ValueError):
        if 0 < (days := float(text)) <= 36_500:
            return days
    raise argparse.ArgumentTypeError("must be days, above 0 and at most 36500")


def _run(options: argparse.Namespace, web: WebSettings, chain: Settings) -> int:
    if options.part in (None, "web", "worker"):
        for line in starting.unknown(os.environ).values():
            _say(f"warning: {line}")
        starting.check(web, chain)
    match options.part:
        case "web":
            return _web(web, chain)
        case "worker":
            return _worker(web, chain)
        case "release" | "migrate":
            migrate(web.engine_url)
            _say(f"the database is at this version: {_shown(web.engine_url)}")
            return 0
        case "backup":
            backup(existing(web.engine_url), options.file)
            _say(f"copied to {options.file}")
            return 0
        case "token":
            return _token(options, web)
    return _everything(web, chain)


def _token(options: argparse.Namespace, web: WebSettings) -> int:
    """Results go to stdout: the token alone, or a line for each, by tabulators."""

    engine = existing(web.engine_url)
    if problem := revision_problem(engine):
        raise UsageError(problem)
    match options.action:
        case "create":
            print(tokens.create(engine, options.name, options.expires))
            _say("this is shown once; it is sent as the header Authorization: Bearer TOKEN")
        case "list":
            for token in tokens.every(engine):
                expires = "never" if token.expires_at is None else _day(token.expires_at)
                print(token.name, _day(token.created_at), expires, sep="\t")
        case _:
            if not tokens.revoke(engine, options.name):
                raise UsageError(f"there is no token {options.name}")
            _say(f"the token {options.name} is no longer valid")
    return 0


def _day(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d %H:%M UTC")


# ---- all of it


def _everything(web: WebSettings, chain: Settings) -> int:

    logs.configure()
    listening = _listen(web)
    # What is no setting was said already: empty, it is not said again by each part.
    environment = {
        **os.environ,
        **dict.fromkeys(starting.unknown(os.environ), ""),
        **_for_one_machine(web, chain),
    }
    migrate(web.engine_url)
    address = _address(web.host, listening)
    _introduce(address, web, chain)
    python = [sys.executable, "-m", "webapp"]
    if sys.platform == "win32":
        listening.close()
        served = Child(
            "the web server",
            [*python, "web"],
            {**environment, "PORT": str(listening.getsockname()[1])},
        )
    else:
        # The socket stays open here: while a web server that died is started again, visitors wait
        # and are not refused.
        number = listening.fileno()
        served = Child(
            "the web server", _gunicorn(number), environment, (number,), GUNICORN_CANNOT_START
        )
    _advise(web)
    stop = threading.Event()
    for number in _signals():
        signal.signal(number, lambda *_: stop.set())
    return supervise(
        [served, Child("the worker", [*python, "worker"], environment)],
        stop,
        stop.wait,
    )


def _for_one_machine(web: WebSettings, chain: Settings) -> Mapping[str, str]:
    """Return what is laid over the environment of the children. Raises UsageError off loopback
    without SECRET_KEY.
    """
    laid: dict[str, str] = {}
    loopback = web.on_loopback
    if web.secret_key is None:
        if not loopback:
            raise UsageError(
                f"SECRET_KEY is not set, and {web.host} can be reached from outside: set it to a "
                "long random text, the same at "
                "each start"
            )
        laid["SECRET_KEY"] = _kept_secret(chain.data_dir)
    if web.https is None and loopback:
        laid["CLINFO_WEB_HTTPS"] = "false"
    return laid


def _kept_secret(folder: Path) -> str:
    try:
        if len(kept := kept_secret(folder)) < starting.SHORTEST_SECRET:
            raise ValueError
        return kept
    except OSError as error:
        raise UsageError(
            f"the folder {folder} cannot be used: {error.strerror} (CLINFO_DATA_DIR)"
        ) from None
    except ValueError:
        raise UsageError(
            f"the file webapp-secret in {folder} is damaged: remove it; a new one is then created"
        ) from None


def _introduce(address: str, web: WebSettings, chain: Settings) -> None:

    models = web.offered_models(chain)
    _say(f"Clinfo's web app: {address} (Ctrl-C stops it)")
    _say(f"  models: {', '.join(models)}")
    _say(f"  sources: {', '.join(web.offered_sources(chain))}")
    _say(f"  database: {_shown(web.engine_url)}")
    if models == (EXTRACTIVE,):
        _say(
            "  note: no language model is set up; answers consist of sentences chosen from "
            "abstracts. Set CLINFO_MODEL for a real "
            "one."
        )


def _advise(web: WebSettings) -> None:
    if told := starting.advice(web):
        _say(f"warning: {told}")


def _shown(engine_url: str) -> str:
    return make_url(engine_url).render_as_string(hide_password=True)


# ---- parts


def _web(web: WebSettings, chain: Settings) -> int:

    if sys.platform == "win32":
        return _waitress(web, chain)
    listening = _listen(web)
    starting.secret(web)
    connect(web.engine_url)  # says in one line what is wrong with its file
    _advise(web)
    listening.set_inheritable(True)
    command = _gunicorn(listening.fileno())
    sys.stderr.flush()
    os.execv(command[0], command)


def _gunicorn(number: int) -> list[str]:
    """The command that serves on an open socket, by the number of its file."""
    config = Path(__file__).parent / "hosting" / "gunicorn_config.py"
    return [
        sys.executable,
        "-m",
        "gunicorn",
        "--config",
        str(config),
        "--bind",
        f"fd://{number}",
        "webapp.wsgi:app",
    ]


def _waitress(web: WebSettings, chain: Settings) -> int:
    """Return where there is no gunicorn (Windows)."""
    import waitress  # type: ignore[import-untyped]

    from webapp.app import create_app

    waitress.serve(
        create_app(web, chain), host=web.host, port=web.port, threads=web.streams + 32, ident=None
    )
    return 0


def _listen(web: WebSettings) -> socket.socket:
    """A socket that listens where the app shall. Raises UsageError where none can."""
    try:
        family = socket.getaddrinfo(web.host, web.port, type=socket.SOCK_STREAM)[0][0]
        both = family == socket.AF_INET6 and socket.has_dualstack_ipv6()
        place = (web.host, web.port)
        return socket.create_server(place, family=family, backlog=BACKLOG, dualstack_ipv6=both)
    except OSError as error:
        if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
            said = f"{web.host} is not an address of this machine (CLINFO_WEB_HOST, --host)"
        elif error.errno == errno.EADDRINUSE:
            said = f"port {web.port} is used by another program"
            said += "; choose another with --port (0: a free one)"
        else:
            said = f"cannot listen on {web.host}, port {web.port}: {error.strerror}"
        raise UsageError(said) from None


def _address(host: str, listening: socket.socket) -> str:
    port = listening.getsockname()[1]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


# ---- the worker


def _worker(web: WebSettings, chain: Settings) -> int:
    from webapp.work.worker import SWITCH_SECONDS, Worker

    logs.configure()
    worker = Worker(web, chain, Store(connect(web.engine_url)))
    worker.prepare()
    sys.setswitchinterval(SWITCH_SECONDS)
    asyncio.run(_working(worker))
    return 0


async def _working(worker: Worker) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in _signals():
        try:
            loop.add_signal_handler(number, stop.set)
        except NotImplementedError:  # Windows
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop.set))
    await _migrated(worker, stop)
    if not stop.is_set():
        await worker.work(stop)


async def _migrated(worker: Worker, stop: asyncio.Event) -> None:
    """Wait until the database is there and at this version: on several machines it may come later
    than its workers.
    """

    said = None
    while (
        not stop.is_set()
        and (problem := await asyncio.to_thread(revision_problem, worker.store.engine)) is not None
    ):
        if problem != said:
            _say(f"waiting: {problem}")
            said = problem
        with suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), MIGRATION_WAIT)


def _signals() -> list[signal.Signals]:
    """Those that end the program, without one that it was started to ignore, as by nohup."""
    ending = (signal.SIGTERM, signal.SIGINT)
    return [one for one in ending if signal.getsignal(one) is not signal.SIG_IGN]


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
