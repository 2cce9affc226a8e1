"""Which way round a model's metric was scored, how far it is off, and what is kept of that for
`score`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import pytest

from benchmarks.pubmedrs200.metrics.spec import MetricSpec
from benchmarks.pubmedrs200.published.comparison import Agreement, agreement
from benchmarks.pubmedrs200.published.reading import Published, read
from benchmarks.pubmedrs200.published.recomputation import Recomputed, chosen_roles, computed
from benchmarks.pubmedrs200.published.validation import Validation, validated, write
from benchmarks.pubmedrs200.scoring.batches import Batch, Computed
from tests.benchmarks.pubmedrs200.published import made_up

SPECS = {
    name: MetricSpec(name, name, 0, None, "higher", 0, "made here", neural=True)
    for name in ("comet", "ctc_sf", "bertscore")
}


class Lengths:
    """A computer whose every metric is the length of the prediction, in hundreds of characters."""

    def __init__(self, *names: str) -> None:
        self._names = names

    def signatures(self) -> list[Mapping[str, str]]:
        return [{name: f"{name}:length"} for name in self._names]

    def compute(self, batches: Sequence[Batch]) -> Iterator[tuple[Sequence[Batch], list[Computed]]]:
        for batch in reversed(batches):
            yield (
                [batch],
                [
                    Computed(
                        {
                            name: [len(pair.prediction) / 100 for pair in batch.pairs]
                            for name in batch.group.names
                        }
                    )
                ],
            )


@pytest.fixture
def published(tmp_path: Path) -> Published:
    """COMET was given outputs, CTC human answers, BERTScore human answers."""
    made = made_up.rows(70)
    for row in made:
        for key in made_up.KEYS:
            answer = len(row["HumanAnswer"]) - 2  # without the empty line between its paragraphs
            row |= {
                f"{key}_commet": repr(len(row[key]) / 100),
                f"{key}_CTC_summary": repr(answer / 100 + 5e-4),
            }
            row[f"{key}_bertscore"] = repr(answer / 100 + 5e-3)
    made_up.write(tmp_path, made, tables=False)
    return read(tmp_path)


def test_the_way_round_is_told_by_the_published_values(published: Published) -> None:
    computer = Lengths("comet", "ctc_sf", "bertscore")
    roles = chosen_roles(published, computer, SPECS, ("comet", "ctc_sf", "bertscore"))
    assert roles == {"comet": "output", "ctc_sf": "swapped", "bertscore": "swapped"}
    told: list[int] = []
    made = computed(published, computer, SPECS, roles, told.append)
    assert sum(told) == 3 * 13 * 70
    comet, ctc, bert = (
        agreement(published, made[name]) for name in ("comet", "ctc_sf", "bertscore")
    )
    assert (comet.largest, comet.agrees, comet.role, comet.n) == (0.0, True, "output", 910)
    assert (pytest.approx(5e-4), True, 910) == (ctc.largest, ctc.agrees, ctc.over)
    assert (pytest.approx(5e-3), False) == (bert.largest, bert.agrees)


def test_a_value_that_is_no_number_agrees_with_nothing(published: Published) -> None:
    made = computed(published, Lengths("comet"), SPECS, {"comet": "output"}, lambda _: None)[
        "comet"
    ]
    values = dict(made.values) | {"elicit": (float("nan"), *made.values["elicit"][1:])}
    spoilt = agreement(published, replace(made, values=values))
    assert (spoilt.agrees, spoilt.worst.system) == (False, "elicit")


def test_what_was_found_is_kept_by_metric_and_signature(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLINFO_DATA_DIR", str(tmp_path))
    assert validated("bertscore", "bert-score:1") is None
    path = tmp_path / "validated.json"
    write(path, [Validation("bertscore", "bert-score:1", 1e-7, 1300, 1e-3, True, "swapped")])
    write(path, [Validation("comet", "comet:1", 0.5, 1300, 1e-3, False, "output")])
    write(path, [Validation("ctc_sf", "ctc:1", 0.0, 13, 1e-3, True, "output")])
    assert validated("bertscore", "bert-score:1") is True
    assert validated("bertscore", "bert-score:2") is None  # other versions, other settings
    assert validated("comet", "comet:1") is False
    assert validated("ctc_sf", "ctc:1") is None  # one question shows nothing
    path.write_text("{", encoding="utf-8")
    assert validated("bertscore", "bert-score:1") is None


def test_meteor_by_the_rules_of_a_newer_nltk_alone_may_be_off_and_says_by_which(
    published: Published,
) -> None:
    """As made with nltk newer than 3.8.1, which is what is installed here."""
    from benchmarks.pubmedrs200.metrics.meteor import signature

    def off_by(metric: str, distance: float, made_by: str = "made here") -> Agreement:
        values = {
            key: tuple(value + distance for value in column)
            for key, column in published.values[metric].items()
        }
        return agreement(published, Recomputed(metric, made_by, "swapped", values))

    own, older = signature("installed"), signature()
    near, far, same = (off_by("meteor", distance, own) for distance in (0.0132, 0.016, 0.0))
    assert (near.agrees, near.over, near.tolerance) == (True, 910, 0.015)
    assert f"nltk {version('nltk')}" in near.why
    assert far.agrees is False
    assert (same.tolerance, same.why) == (1e-6, "")
    assert (off_by("meteor", 2e-6, older).agrees, off_by("meteor", 2e-6, older).tolerance) == (
        False,
        1e-6,
    )
    assert off_by("chrf", 2e-6, own).agrees is False
