"""Named choices of questions, each with a hash of its ids.

all         every review of the data set
scored145   the 145 questions for which outputs and scores are published (scored145.txt beside this module)
paper       what a run leaves (`benchmarks.pubmedrs200.scoring.inputs`)
FILE        the PMIDs of a file, one a line, what follows # left out
"""  # noqa: E501

from importlib import resources
from pathlib import Path
from typing import Final

from clinfo.errors import UsageError
from pubmedrs.csv_file import read_bytes
from pubmedrs.records import Dataset, Subset

NAMES: Final = ("all", "scored145")
"""The names that `subset` knows."""
PAPER: Final = "paper"
_SHOWN = 10


def subset(dataset: Dataset, name: str) -> Subset:
    """The subset of that name, or of the PMIDs in the file of that name, in data set order.

    Raises UsageError for an unknown name, for a file with a line that is not a PMID or with one
    twice, and where the data set lacks questions of the subset, naming them.
    """
    if name == "all":
        return Subset(name, tuple(review.pmid for review in dataset.reviews))
    if name == "scored145":
        wanted = _pmids(
            resources.files("pubmedrs").joinpath("scored145.txt").read_text(encoding="utf-8"),
            "scored145.txt",
        )
        return _chosen(dataset, name, wanted)
    if name == PAPER:
        raise UsageError(
            "the subset paper depends on what a run retrieved; known by name are "
            + ", ".join(NAMES)
        )
    path = Path(name)
    if not path.is_file():
        raise UsageError(
            f"no subset is called {name!r}; known are {', '.join(NAMES)}, or a file of PMIDs, one "
            "per line"
        )
    try:
        text = read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError(f"{path.name} is not a file of PMIDs: it is not UTF-8 text") from None
    return _chosen(dataset, path.stem, _pmids(text, path.name))


def _chosen(dataset: Dataset, name: str, wanted: list[str]) -> Subset:
    held = {review.pmid for review in dataset.reviews}
    if missing := [pmid for pmid in wanted if pmid not in held]:
        raise UsageError(
            f"subset {name}: the data set lacks {len(missing):,} of its {len(wanted):,} questions: "
            f"{first_of(missing)}"
        )
    chosen = set(wanted)
    return Subset(name, tuple(review.pmid for review in dataset.reviews if review.pmid in chosen))


def _pmids(text: str, name: str) -> list[str]:
    from clinfo.text.identifiers import read_pmid

    pmids: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        word = line.partition("#")[0].strip()
        if not word:
            continue
        pmid = read_pmid(word)
        if pmid is None:
            raise UsageError(f"{name}: line {number:,} is not a PMID: {word[:40]!r}")
        if pmid in pmids:
            raise UsageError(f"{name}: line {number:,} repeats the PMID {pmid}")
        pmids.append(pmid)
    if not pmids:
        raise UsageError(f"{name} contains no PMID")
    return pmids


def first_of(ids: list[str]) -> str:
    """The first ids, and how many more there are."""
    return ", ".join(ids[:_SHOWN]) + (
        f" and {len(ids) - _SHOWN:,} more" if len(ids) > _SHOWN else ""
    )
