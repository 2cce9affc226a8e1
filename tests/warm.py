"""Processes of the program that begin with its packages imported.

The tests start hundreds of them, and importing takes most of their time. One process a test session
imports everything once; ``python -m clinfo`` (webapp, benchmarks, pubmedrs) is then a fork of it,
with the arguments, folder, environment and streams that it was given. Everything else about it is a
process as any other: its own pid, a child of the tests, killed and waited for as usual. Commands of
another form, with another search path or with settings of Python's own start as ever, and so do all
where CLINFO_TEST_COLD is set.
"""

import atexit
import ctypes
import gc
import json
import os
import pkgutil
import signal
import socket
import struct
import subprocess
import sys
import threading
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
DEMO = ("--model", "extractive", "--source", "demo")
PROGRAMS = ("clinfo", "webapp", "benchmarks", "pubmedrs")
FEW = 5
"""Processes of ours for which warming another is not worth its ten seconds."""
_begun = 0
_CLONE = {"x86_64": 56, "aarch64": 220}
"""The number of the system call clone(2), by machine."""
_CLONE_PARENT = 0x8000
_SIZE = struct.Struct("!I")


class Popen(subprocess.Popen):  # type: ignore[type-arg]
    """`subprocess.Popen`, whose child is a fork of the warm process where that can be."""

    def _execute_child(self, args: Any, *given: Any) -> None:
        (executable, preexec, _close, keep, cwd, env, _info, _flags, shell, *ends) = given
        stdin_read, stdin_write, out_read, out_write, err_read, err_write, *special = ends
        _restore, gid, gids, uid, umask, session, group = special
        global _begun
        plain = not (executable or preexec or keep or shell or gid or gids or uid)
        ours = plain and umask < 0 and group == -1 and _is_ours(args, env)
        _begun += ours
        if not ours or _begun <= FEW:
            super()._execute_child(args, *given)  # type: ignore[misc]
            return
        streams = [
            own if own != -1 else number
            for number, own in enumerate((stdin_read, out_write, err_write))
        ]
        asked = {
            "arguments": list(map(os.fspath, args[2:])),
            "cwd": os.fspath(cwd) if cwd is not None else os.getcwd(),
            "env": dict(os.environ if env is None else env),
            "session": session,
        }
        self.pid = _warm().forked(asked, streams)
        self._child_created = True
        self._close_pipe_fds(  # type: ignore[attr-defined]
            stdin_read, stdin_write, out_read, out_write, err_read, err_write
        )


def _is_ours(args: Any, env: Any) -> bool:
    if isinstance(args, (str, bytes)) or len(args) < 3 or args[0] != sys.executable:
        return False
    if args[1] != "-m" or args[2] not in PROGRAMS:
        return False
    given, own = (os.environ if env is None else env), os.environ
    names = [name for name in {*given, *own} if name.startswith(("PYTHON", "LC_", "LANG"))]
    changed = [one for one in names if one != "PYTHONPATH" and given.get(one) != own.get(one)]
    return not changed and given.get("PYTHONPATH") in (None, "", str(ROOT))


class _Warm:
    """The process that is forked, as the tests see it."""

    def __init__(self) -> None:
        self._end, other = socket.socketpair()
        self._lock = threading.Lock()
        clean = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("CLINFO_", "NCBI_", "S2_", "OPENAI_", "PYTEST_"))
        }
        with other:
            self._process = _COLD(
                [sys.executable, "-m", "tests.warm", str(other.fileno())],
                cwd=ROOT,
                env={**clean, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"},
                pass_fds=[other.fileno()],
                stdin=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is for the tests
            )
        atexit.register(self._end.close)

    def forked(self, asked: dict[str, Any], streams: list[int]) -> int:
        """The pid of a child that does what is asked."""
        data = json.dumps(asked).encode()
        with self._lock:
            socket.send_fds(self._end, [_SIZE.pack(len(data))], streams)
            self._end.sendall(data)
            (pid,) = _SIZE.unpack(_exactly(self._end, _SIZE.size))
        return int(pid)


def _exactly(end: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        part = end.recv(size - len(data))
        if not part:
            raise EOFError("the warm process has ended")
        data += part
    return data


_COLD = subprocess.Popen
_KEPT: list[_Warm] = []


def _warm() -> _Warm:
    if not _KEPT:
        _KEPT.append(_Warm())
    return _KEPT[0]


def use() -> None:
    """Let the tests start the program's processes warm, where the system can."""
    known = sys.platform == "linux" and os.uname().machine in _CLONE
    if known and not os.environ.get("CLINFO_TEST_COLD"):
        subprocess.Popen = Popen  # type: ignore[misc]


def _serve(end: socket.socket) -> None:
    """Fork for whoever asks, until nobody can any more."""
    _import_everything()
    gc.collect()
    gc.freeze()  # what is there is never looked through again, so its pages stay shared
    while True:
        try:
            size, streams, _, _ = socket.recv_fds(end, _SIZE.size, 3)
            if not size:
                return
            asked = json.loads(_exactly(end, *_SIZE.unpack(size)))
        except (EOFError, OSError):
            return
        child = _forked()
        if child == 0:
            end.close()
            _become(asked, streams)
        end.sendall(_SIZE.pack(child))
        for stream in streams:
            os.close(stream)


def _forked() -> int:
    """As `os.fork`, but the child is one of this process's own parent."""
    python = ctypes.pythonapi
    python.PyOS_BeforeFork()
    flags = _CLONE_PARENT | signal.SIGCHLD
    child = int(ctypes.PyDLL(None).syscall(_CLONE[os.uname().machine], flags, 0, 0, 0, 0))
    if child == 0:
        python.PyOS_AfterFork_Child()
    else:
        python.PyOS_AfterFork_Parent()
    return child


def _become(asked: dict[str, Any], streams: list[int]) -> None:
    """The command that is asked for, in this process; it ends with it."""
    import random
    import runpy

    status = 1
    try:
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        for stream in streams:
            if stream > 2:
                os.close(stream)
        if asked["session"]:
            os.setsid()
        os.chdir(asked["cwd"])
        os.environ.clear()
        os.environ.update(asked["env"])
        random.seed()
        for number, name in enumerate(("stdin", "stdout", "stderr")):
            _open_stream(number, name)
        sys.path[0] = asked["cwd"]

        def run(arguments: list[str]) -> None:
            sys.argv, sys.orig_argv = arguments, [sys.executable, "-m", *arguments]
            runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)

        def replaced(path: str, command: list[str]) -> None:
            """As `os.execv`; the web server takes this process's place as it is."""
            if command[1:3] != ["-m", "gunicorn"]:
                execv(path, command)
            run(command[2:])
            sys.exit(0)

        execv, os.execv = os.execv, replaced  # type: ignore[assignment]
        try:
            run(asked["arguments"])
            status = 0
        except SystemExit as ended:
            code = ended.code
            status = 0 if code is None else code if isinstance(code, int) else 1
            if isinstance(code, str):
                print(code, file=sys.stderr)
        except KeyboardInterrupt:
            status = -1
        except BaseException:
            sys.excepthook(*sys.exc_info())
        with suppress(BaseException):
            threading._shutdown()  # type: ignore[attr-defined]
        with suppress(BaseException):
            atexit._run_exitfuncs()
        for stream_ in (sys.stdout, sys.stderr):
            if stream_ is not None:
                with suppress(BaseException):
                    stream_.flush()
    finally:
        if status == -1:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGINT)
        os._exit(status & 0xFF)


def _open_stream(number: int, name: str) -> None:
    mode = "r" if number == 0 else "w"
    errors = {"stdin": "strict", "stdout": "strict", "stderr": "backslashreplace"}[name]
    terminal = os.isatty(number)
    made = open(  # noqa: SIM115
        number,
        mode,
        encoding=getattr(sys.__stdout__, "encoding", "utf-8"),
        errors=errors,
        buffering=1 if terminal or number == 2 else -1,
        closefd=False,
    )
    setattr(sys, name, made)
    setattr(sys, f"__{name}__", made)


def _import_everything() -> None:
    """Import what the program's commands import, and read the tables that a question needs."""
    import tempfile
    from importlib import import_module

    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    for name in (
        "clinfo.pipelines.literature.api",
        "clinfo.cli.ask",
        "clinfo.cli.answering",
        "clinfo.cli.search",
        "clinfo.cli.trials",
        "clinfo.cli.chart",
        "clinfo.cli.cohort",
        "clinfo.cli.copilot",
        "clinfo.cli.verify",
        "clinfo.llm.litellm_model",
        "benchmarks",
        "webapp.app",
        "webapp.hosting.starting",
        "webapp.work.supervising",
        "gunicorn.app.wsgiapp",
        "webapp.work.worker",
        "litellm",
        "sqlalchemy",
        "lxml.etree",
    ):
        with suppress(Exception):
            import_module(name)
    from clinfo import cli, pipelines
    from clinfo.settings import load_settings
    from clinfo.terms.closure import closure
    from clinfo.terms.mesh import mesh_table

    for module in pkgutil.walk_packages(pipelines.__path__, f"{pipelines.__name__}."):
        import_module(module.name)
    del os.environ["LITELLM_LOCAL_MODEL_COST_MAP"]
    os.environ["CLINFO_CACHE"] = "off"
    here, told = os.getcwd(), (sys.stdout, sys.stderr)
    with tempfile.TemporaryDirectory() as folder, open(os.devnull, "w") as nowhere:
        os.chdir(folder)
        sys.stdout = sys.stderr = nowhere
        status = cli.run(["ask", "Does yoga lower blood pressure?", *DEMO])
        note = {"id": "1", "date": "2020-01-01", "text": "She has epilepsy."}
        Path("r.jsonl").write_text(json.dumps({"id": "ada", "notes": [note]}))
        os.environ["CLINFO_PATIENTS_DIR"] = folder
        status += cli.run(["cohort", "build", "r.jsonl", "--out", "index"])
        status += cli.run(["cohort", "find", "index", "--query", "any epilepsy"])
        with closing(mesh_table(load_settings().data_dir)) as mesh:
            list(closure({"a name that no heading has": ""}, mesh))
        sys.stdout, sys.stderr = told
        os.chdir(here)
    del os.environ["CLINFO_CACHE"], os.environ["CLINFO_PATIENTS_DIR"]
    assert status == 0
    assert len(os.listdir("/proc/self/task")) == 1, "only a process of one thread can be forked"


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])))
