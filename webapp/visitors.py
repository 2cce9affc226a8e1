"""Who asks, and what of a run is theirs."""

from __future__ import annotations

from webapp.records import StoredRun, Visitor


def visitor() -> Visitor:
    """Who sent the present request: its browser's cookie, the user a trusted proxy names, the address."""
    raise NotImplementedError


def may_see(who: Visitor, run: StoredRun) -> bool:
    """Whoever has the address of a run may see it, unless it belongs to another user who does not share it."""
    return run.owner is None or run.shared or run.owner == who.user


def may_change(who: Visitor, run: StoredRun) -> bool:
    """The user whose run it is, or the browser that started it; a run that a program started, whoever knows its id."""
    if run.owner is not None:
        return run.owner == who.user
    return run.visitor is None or run.visitor == who.browser


def visible(run_id: str) -> StoredRun:
    """The run, if the visitor may see it. Raises NotFound."""
    raise NotImplementedError


def changeable(run_id: str) -> StoredRun:
    """The run, if the visitor may change it. Raises NotFound where it may not even be seen, Refused otherwise."""
    raise NotImplementedError
