"""Loading `evaluate` modules from a folder, without the hub and without writing into anybody's
home.

`evaluate` copies a module into its modules cache before it imports it; here that cache lies in
clinfo's cache folder.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from clinfo.errors import ClinfoError, UsageError
from clinfo.extras import install

if TYPE_CHECKING:
    from benchmarks.pubmedrs200.metrics.spec import Pair

MODULES: Final = Path(__file__).parent / "modules"
_NOT_IN_UTF_8: Final = re.compile("[\ud800-\udfff]")


def cache_folder() -> Path:
    """The folder under clinfo's cache folder in which `evaluate` keeps its copies of modules and
    its rows.
    """
    from clinfo.settings import load_settings

    return load_settings().cache_dir / "evaluate"


def load_module(name: str, modules: Path = MODULES, /, **options: Any) -> Any:
    """The `evaluate.EvaluationModule` of the folder ``modules/name``. No network is used.

    ``options`` go to the module's class. An edited module is loaded as it is now. Several processes
    may load at once. Raises UsageError where `evaluate` is not installed or no module is there,
    ClinfoError where the cache folder cannot be written.
    """
    try:
        import evaluate
    except ModuleNotFoundError as error:
        raise UsageError(f"metrics need the package {error.name}; {install('metrics')}") from None
    from filelock import FileLock

    folder = modules / name
    script = folder / f"{name}.py"
    if not script.is_file():
        raise UsageError(
            f"there is no evaluate module {name}: {script.name} is missing in its folder"
        )
    cache = cache_folder()
    package = evaluate.config.MODULE_NAME_FOR_DYNAMIC_MODULES
    # All copies are modules of one package, which a process finds in one place only.
    loaded = getattr(sys.modules.get(package), "__file__", None)
    copied_to = Path(loaded).parents[1] if loaded else cache / "modules"
    evaluate.config.HF_MODULES_CACHE = copied_to
    copies = copied_to / package / "metrics" / name
    try:
        copied_to.mkdir(parents=True, exist_ok=True)
        with FileLock(copied_to.parent / f"{name}.lock"):
            # evaluate names a copy by a hash that leaves comments out and never looks into a copy
            # that is there, be it an old one or half of one.
            wanted = script.read_bytes()
            for copy in copies.glob(f"*/{name}.py"):
                if copy.read_bytes() != wanted:
                    shutil.rmtree(copy.parent)
            return evaluate.load(
                str(folder.resolve()), cache_dir=str(cache / "rows"), keep_in_memory=True, **options
            )
    except OSError as error:
        raise ClinfoError(
            f"the evaluate module {name} cannot be loaded through {cache}: "
            f"{error.strerror or error}"
        ) from None


def storable(text: str) -> str:
    """The text with U+FFFD for each lone surrogate, which Arrow cannot hold; the number of
    characters stays.
    """
    return _NOT_IN_UTF_8.sub("\ufffd", text)


class FolderScorer:
    """A `Scorer` of one metric whose `evaluate` module gives one value a pair under "scores".

    A module that cannot take in every text whole says of which pairs it did not under "truncated".
    ``settings`` go to the module's ``compute``.
    """

    def __init__(self, name: str, signature: str, **settings: Any) -> None:
        self._name, self._settings = name, settings
        self._module = load_module(name)
        self.signatures: Mapping[str, str] = {name: signature}
        self.truncated: Mapping[str, Sequence[bool]] = {}

    def score(self, pairs: Sequence[Pair]) -> Mapping[str, list[float]]:
        """One value a pair, in order."""
        self.truncated = {}
        if not pairs:
            return {self._name: []}
        predictions = [storable(pair.prediction) for pair in pairs]
        references = [storable(pair.reference) for pair in pairs]
        result = self._module.compute(
            predictions=predictions, references=references, **self._settings
        )
        if "truncated" in result:
            self.truncated = {self._name: result["truncated"]}
        return {self._name: [float(value) for value in result["scores"]]}
