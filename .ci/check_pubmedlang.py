"""Runs the examples of pubmedlang's README where its wheel is installed:

    python .ci/check_pubmedlang.py packaging/pubmedlang/README.md

in an empty folder. Fails where an example finds something else than it shows, or needs Clinfo.
"""

import contextlib
import io
import re
import sys
from pathlib import Path
from typing import Any

EXPECTED = (
    "(asthma OR copd) AND inhaled steroid*[tiab] AND 2019:2021[dp]",
    "1 ('pmid:1',)",
    "('pmid:1',) index pubmed, version 1",
    '"count":"1"',
)


def main(readme: str) -> None:
    examples = re.findall(r"```python\n(.+?)```", Path(readme).read_text("utf-8"), re.DOTALL)
    names: dict[str, Any] = {"__name__": "example"}
    for example, expected in zip(examples, EXPECTED, strict=True):
        with contextlib.redirect_stdout(io.StringIO()) as shown:
            exec(example, names)
        print(shown.getvalue(), end="")
        assert expected in shown.getvalue(), expected
    assert not {"clinfo", "litellm", "pydantic"} & sys.modules.keys()


if __name__ == "__main__":
    main(sys.argv[1])
