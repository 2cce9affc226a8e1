"""Models, embedders and indexes that may see text of patients' records.

What runs on this machine may, unless a proxy stands between; anything else only where the operator
named it, or its address, in CLINFO_PATIENT_MODELS.
"""

from typing import Literal
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from clinfo.errors import NotForPatients
from clinfo.llm.model_names import address_of, is_loopback, is_ollama
from clinfo.settings import Settings

Kind = Literal["model", "embedder", "index"]
IN_PROCESS = frozenset(("extractive", "wordllama"))
"""Names for what the program does itself, or with weights that a package ships."""
ON_DISK = "sentence-transformers/"


def require_allowed(kind: Kind, name: str, settings: Settings) -> None:
    """Raise NotForPatients where text of a record may not go to ``name``.

    ``name`` is as `clinfo.llm` and `embedder_named` take it; of an index it is the address, "" for
    one in this process.
    """
    if not allowed(kind, name, settings):
        where = _address(kind, name)
        raise NotForPatients(kind, name, proxied=bool(where) and _is_proxied(where or ""))


def allowed(kind: Kind, name: str, settings: Settings) -> bool:
    """Return whether text of a record may go to ``name``, as in `require_allowed`."""
    if kind == "index":
        if not name:
            return True
    elif name in IN_PROCESS or name.startswith(ON_DISK):
        return True
    address = _address(kind, name)
    if address and _is_proxied(address):
        return False
    declared = settings.patient_models.replace(",", " ").split()
    if name in declared or (address and any(_same(one, address) for one in declared)):
        return True
    # Ollama's own server sends what such a model is asked on to its maker.
    elsewhere = is_ollama(name) and name.endswith(("-cloud", ":cloud"))
    return bool(address) and is_loopback(address or "") and not elsewhere


def _address(kind: Kind, name: str) -> str | None:
    return name if kind == "index" else address_of(name)


def _is_proxied(address: str) -> bool:
    """Return whether an address of this machine is asked through a proxy, which reads all of it."""
    if not is_loopback(address):
        return False
    parts, proxies = urlsplit(address if "//" in address else f"http://{address}"), getproxies()
    proxy = proxies.get(parts.scheme or "http") or proxies.get("all")
    return bool(proxy) and not proxy_bypass(parts.hostname or "")


def _same(declared: str, address: str) -> bool:
    """Return whether a declared address is this one's: equal host, and equal port, scheme and
    beginning of the path where it names them.
    """
    try:
        want, have = (urlsplit(one if "//" in one else f"//{one}") for one in (declared, address))
        if "/" in declared and not want.scheme:
            return False  # the name of a model
        ports = {"https": 443, "http": 80}
        return (
            bool(want.hostname)
            and want.hostname == have.hostname
            and want.scheme in ("", have.scheme)
            and (want.port or ports.get(want.scheme)) in (None, have.port or ports.get(have.scheme))
            and f"{have.path.rstrip('/')}/".startswith(f"{want.path.rstrip('/')}/")
        )
    except ValueError:
        return False
