"""Settings of gunicorn for the web app; ``python -m webapp web`` starts it so.

By hand: ``gunicorn -c webapp/hosting/gunicorn_config.py webapp.wsgi:app``.

The number of processes is gunicorn's own WEB_CONCURRENCY (1 unless set), where it listens our PORT
and CLINFO_WEB_HOST.
"""

import logging
import os
import signal
import sys
import threading
from typing import Any

from clinfo.errors import UsageError
from clinfo.settings import load_settings
from webapp.hosting import logs, starting
from webapp.settings import load_web_settings
from webapp.work.supervising import CANNOT_START

try:
    _chain = load_settings()  # reads .env into the environment
    _web = load_web_settings()
    # Here rather than in a web process, whose traceback would bury it.
    starting.check(_web, _chain)
    starting.secret(_web)
except UsageError as error:
    print(f"error: {error}", file=sys.stderr, flush=True)
    sys.exit(CANNOT_START)

bind = f"[{_web.host}]:{_web.port}" if ":" in _web.host else f"{_web.host}:{_web.port}"
worker_class = "gthread"
# Each event stream holds a thread while it is open; the rest answers all other requests.
threads = _web.streams + 32
worker_connections = threads + 500
keepalive = 5
timeout = 60
graceful_timeout = 10
# On a disk, the sign of life that a worker gives its master can hang when the disk is busy.
worker_tmp_dir = "/dev/shm" if os.path.isdir("/dev/shm") else None
control_socket_disable = True

limit_request_line = 8190
limit_request_fields = 64
limit_request_field_size = 8190
# Which proxy is believed is for webapp.hosting.headers to say (CLINFO_WEB_TRUSTED_PROXIES), not for
# a list of gunicorn's.
forwarded_allow_ips = ""

accesslog = None
logconfig_dict = logs.configuration()


class _WithoutRequest(logging.Filter):
    """Takes out of gunicorn's own messages what they repeat of a request: its address may hold a
    question.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        message = str(record.msg)
        if message.startswith("Error handling request"):
            record.msg, record.args = "Error handling request", ()
        elif message.startswith("Invalid request from"):
            record.msg, record.args, record.levelno, record.levelname = (
                "Invalid request",
                (),
                logging.INFO,
                "INFO",
            )
        return True


def on_starting(server: Any) -> None:
    server.log.error_log.addFilter(_WithoutRequest())


def post_worker_init(worker: Any) -> None:
    """End the worker's event streams: their readers come back to another one, where they were."""
    hub = worker.wsgi.extensions["clinfo"].hub
    leave = signal.getsignal(signal.SIGTERM)

    def end(number: int, frame: Any) -> None:
        threading.Thread(
            target=hub.stop, name="leaving"
        ).start()  # it takes a lock, which a signal handler must not wait for
        if callable(leave):
            leave(number, frame)

    signal.signal(signal.SIGTERM, end)
    signal.siginterrupt(signal.SIGTERM, False)
