from clinfo.claims.registry import spec as judge_spec
from clinfo.claims.registry import specs as judge_specs

__all__ = [
    "judge_spec",
    "judge_specs",
]
