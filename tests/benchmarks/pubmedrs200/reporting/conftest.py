"""One report of everything, made once."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from benchmarks.pubmedrs200.reporting.command import main
from tests.benchmarks.pubmedrs200.reporting.scored import write_data, write_run, write_scores


@dataclass(frozen=True)
class Made:
    """Paths of the inputs and of the report."""

    scores: Path
    run: Path
    data: Path
    report: Path

    def arguments(self, out: Path) -> list[str]:
        """Return what the report was made with, for another folder."""
        return [
            str(self.scores),
            "--run",
            str(self.run),
            "--data",
            str(self.data),
            "--out",
            str(out),
        ]


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("report")
    done = Made(
        write_scores(folder),
        write_run(folder / "run"),
        write_data(folder / "data.csv"),
        folder / "report",
    )
    main(done.arguments(done.report))
    return done
