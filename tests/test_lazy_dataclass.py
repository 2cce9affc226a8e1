"""A class whose methods are made at its first use is a dataclass like any other."""

from __future__ import annotations

import copy
import dataclasses
import inspect
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from clinfo.lazy_dataclass import dataclass, field


def _classes() -> tuple[Any, Any]:
    @dataclass(frozen=True)
    class Point:
        x: int
        y: int = 2
        note: str = field(default="", compare=False)
        seen: list[int] = field(default_factory=list)

    @dataclass(frozen=True, eq=False)
    class Named(Point):
        name: str = "here"

        def __repr__(self) -> str:
            return self.name

    return Point, Named


USES: dict[str, Callable[[Any], object]] = {
    "instance": lambda cls: cls(1),
    "fields": dataclasses.fields,
    "is a dataclass": dataclasses.is_dataclass,
    "signature": lambda cls: list(inspect.signature(cls).parameters) == ["x", "y", "note", "seen"],
    "match args": lambda cls: cls.__match_args__ == ("x", "y", "note", "seen"),
    "match without init": lambda cls: _second(cls, _bare(cls)) == 2,
    "repr without init": lambda cls: repr(_bare(cls)),
    "equality without init": lambda cls: _bare(cls) == _bare(cls),
}


def _bare(cls: Any) -> Any:
    """An instance as unpickling makes it: its init is not called."""
    made = object.__new__(cls)
    made.__dict__.update(x=1, y=2, note="", seen=[])
    return made


def _second(cls: Any, value: object) -> object:
    match value:
        case cls(_, second):
            return second
    return None


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_whatever_comes_first_makes_the_class(use: Callable[[Any], object]) -> None:
    point, _ = _classes()
    assert use(point)
    assert [one.name for one in dataclasses.fields(point)] == ["x", "y", "note", "seen"]
    made = point(1, note="a")
    assert (made.x, made.y, made.note, made.seen) == (1, 2, "a", [])
    assert made == point(1, note="b") != point(2)
    assert made == copy.deepcopy(made)
    assert repr(made) == f"{point.__qualname__}(x=1, y=2, note='a', seen=[])"
    assert dataclasses.asdict(dataclasses.replace(made, y=5))["y"] == 5
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.x = 3


def test_a_subclass_comes_first_and_keeps_its_own_methods() -> None:
    point, named = _classes()
    assert repr(named(1, name="there")) == "there"
    assert dataclasses.fields(named)[-1].name == "name"
    assert isinstance(named(1), point)


def test_a_frozen_value_can_be_hashed() -> None:
    @dataclass(frozen=True)
    class Pair:
        one: int
        other: int

    bare = object.__new__(Pair)
    bare.__dict__.update(one=1, other=2)
    assert hash(bare) == hash(Pair(1, 2))


def test_threads_make_it_once() -> None:
    for _ in range(20):
        point, _named = _classes()
        with ThreadPoolExecutor(8) as threads:
            made = list(threads.map(point, range(64)))
        assert [one.x for one in made] == list(range(64))


def test_no_thread_finds_a_class_without_its_methods() -> None:
    """Others use the class over and over while one makes it."""
    for _ in range(200):
        point, named = _classes()
        with ThreadPoolExecutor(4) as threads:
            made = list(
                threads.map(lambda cls: (cls(1) == cls(1), hash(cls), repr(cls(1))), [point] * 12)
            )
        assert all(one[0] for one in made)
        assert repr(named(1)) == "here"
        assert named(1) == named(1) != point(1)  # eq=False: as inherited


def test_a_class_that_inherits_has_the_match_args_of_its_own() -> None:
    point, named = _classes()
    assert point(1).__match_args__ == ("x", "y", "note", "seen")
    assert named.__match_args__ == ("x", "y", "note", "seen", "name")

    @dataclass
    class Without:
        __match_args__ = ()
        x: int

    assert Without.__match_args__ == Without(1).__match_args__ == ()
