"""The shared folder of real data, where there is one; nothing from it is part of the
project.
"""

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[1].parent / "shared" / "data"
needs_shared = pytest.mark.skipif(
    not SHARED.is_dir(), reason="the folder of shared real data is not beside this checkout"
)
