"""The edition of the checks that judged a run's sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

CHECKS: Final = 2
"""Edition of the checks, in ``settings["checks"]``. Since edition 2, wording that no judge could
compare is "not_verified".
"""

OLDER = "Checked by older rules; do not rely on the verdicts."
"""The notice of an answer that an older edition judged."""


def judged_by_older_checks(settings: Mapping[str, object]) -> bool:
    """Return whether a run with these ``settings`` was judged by an older edition, which marked too
    much as supported.
    """
    edition = settings.get("checks")
    return not isinstance(edition, int) or edition < CHECKS
