"""Groups of passages: any number of them, the same twice, and the right ones together."""

import importlib.util

import pytest

from clinfo.errors import UsageError
from clinfo.pipelines.trials.concluding import clusters, grouped, ordered, similarities

BONE = ["Bone density rose in the hip.", "Density of bone in the hip and spine rose."]
SLEEP = ["Sleep lasted longer by night.", "They slept longer; sleep at night lasted."]


def test_empty_and_equal_texts_do_no_harm() -> None:
    assert grouped(["", "…", ""]) == [[0], [1], [2]]
    assert grouped([BONE[0]] * 3) == [[0, 1, 2]]


def test_average_linkage_agrees_with_scipy() -> None:
    hierarchy = pytest.importorskip("scipy.cluster.hierarchy")
    distance = pytest.importorskip("scipy.spatial.distance")
    texts = [f"{a} {b} trial of {c}" for a in ("red", "blue") for b in ("fox", "owl") for c in "xy"]
    apart = distance.squareform(1 - similarities(texts), checks=False)
    labels = hierarchy.fcluster(hierarchy.linkage(apart, "average"), 0.5, "distance")
    theirs = sorted([p for p, own in enumerate(labels) if own == label] for label in set(labels))
    assert clusters(similarities(texts), 0.5) == theirs


def test_the_orders_of_the_paper() -> None:
    groups, scores = [[0], [1], [2], [3]], [0.4, 0.9, 0.1, 0.6]
    assert ordered(groups, scores, "descending") == [[1], [3], [0], [2]]
    assert ordered(groups, scores, "ascending") == [[2], [0], [3], [1]]
    assert ordered(groups, scores, "ping-pong-top") == [[1], [0], [2], [3]]
    assert ordered(groups, scores, "ping-pong-bottom") == [[3], [2], [0], [1]]
    shuffled = ordered(groups, scores, "random", seed=3)
    assert shuffled == ordered(groups, scores, "random", seed=3)
    assert sorted(shuffled) == groups


@pytest.mark.parametrize("count", [0, 1, 2, 3, 5, 11, 12, 13, 40])
def test_the_published_way_does_with_any_number_too_and_the_same_twice(count: int) -> None:
    pytest.importorskip("umap")
    texts = [f"{one} No. {n % 7}" for n, one in enumerate((BONE + SLEEP + ["", "Nothing."]) * 7)]
    found = grouped(texts[:count], "umap")
    assert sorted(place for group in found for place in group) == list(range(count))
    assert found == grouped(texts[:count], "umap")


def test_the_published_way_without_its_packages_says_what_installs_them() -> None:
    if importlib.util.find_spec("umap"):
        pytest.skip("umap is installed")
    with pytest.raises(UsageError, match="extra trials"):
        grouped(BONE, "umap")
