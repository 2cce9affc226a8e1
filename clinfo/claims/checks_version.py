"""The edition of the checks that judged a run's sentences."""

from collections.abc import Mapping
from typing import Final

CHECKS: Final = 3
"""Edition of the checks, in ``settings["checks"]``. What an older edition judged is shown as it was
recorded: nothing is judged again without a judge.
"""


def judged_by_older_checks(settings: Mapping[str, object]) -> bool:
    """Return whether a run with these ``settings`` was begun by an older edition."""
    return _edition(settings) < CHECKS


def judged_by(settings: Mapping[str, object]) -> str:
    """The notice of a run whose sentences an older edition judged: by which version."""
    version, edition = settings.get("version", "of unknown version"), _edition(settings)
    return (
        f"Judged by clinfo {version} (edition {edition} of the checks) and shown as recorded; "
        "nothing was judged again."
    )


def _edition(settings: Mapping[str, object]) -> int:
    edition = settings.get("checks")
    return edition if isinstance(edition, int) else 1
