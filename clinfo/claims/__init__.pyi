from clinfo.claims.checks_version import CHECKS
from clinfo.claims.registry import spec as judge_spec
from clinfo.claims.registry import specs as judge_specs

__all__ = [
    "CHECKS",
    "judge_spec",
    "judge_specs",
]
