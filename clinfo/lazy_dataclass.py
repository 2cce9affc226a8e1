"""``dataclass`` as in the standard library, whose methods are made when a class is first used.

Making a frozen dataclass takes half a millisecond, and the rules define a hundred of them, of which
a run uses a part: they are most of the cost of importing a room. Importing this module instead of
``dataclasses`` moves that cost to the first instance. Type checkers see the standard decorator.
"""

from __future__ import annotations

import dataclasses
from threading import RLock
from typing import TYPE_CHECKING, Any

_MADE_LATER = ("__init__", "__repr__", "__eq__", "__hash__")
_FROZEN = ("__setattr__", "__delattr__")
_OF_ITS_OWN = frozenset(
    ("_made_later", "__dict__", "__weakref__", "__signature__", "_abc_impl", *_FROZEN)
)
"""Attributes that a class does not share with its copy."""
_LOCK = RLock()


class _Fields:
    """Stands for the fields of a class whose methods are not made yet; asking for them makes
    them."""

    def __init__(self, cls: type, options: dict[str, Any]) -> None:
        self._cls, self._options = cls, options

    def __get__(self, instance: object, owner: type) -> Any:
        return self.made().__dict__["__dataclass_fields__"]

    def made(self) -> type:
        """The class, with the methods of a dataclass.

        They are made on a copy and then put in the place of those that stand for them, so that no
        other thread ever finds the class without one.
        """
        with _LOCK:
            if self._cls.__dict__["__dataclass_fields__"] is self:
                made = self._copy().__dict__
                for name in set(self._cls.__dict__["_made_later"]) - made.keys():
                    delattr(self._cls, name)  # inherited, as of one with ``eq=False``
                # The fields come last: until then others come here, and wait.
                for name in sorted(made.keys() - _OF_ITS_OWN, key="__dataclass_fields__".__eq__):
                    if made[name] is not self._cls.__dict__.get(name):
                        setattr(self._cls, name, made[name])
                for name, default in list(self._cls.__dict__.items()):
                    if isinstance(default, dataclasses.Field):  # as of a default factory
                        delattr(self._cls, name)
        return self._cls

    def _copy(self) -> type:
        stand_ins = ["__dataclass_fields__", *self._cls.__dict__["_made_later"]]
        if isinstance(self._cls.__dict__.get("__match_args__"), _MatchArgs):
            stand_ins.append("__match_args__")
        left = {*stand_ins, *_OF_ITS_OWN}
        own = {name: value for name, value in vars(self._cls).items() if name not in left}
        copy = type(self._cls)(self._cls.__name__, self._cls.__bases__, own)
        # Put there where an __init_subclass__ makes dataclasses:
        for name in (*stand_ins, "__signature__", *_FROZEN):
            if name in copy.__dict__:
                delattr(copy, name)
        return dataclasses.dataclass(**self._options)(copy)

    def method(self, name: str) -> Any:
        """Stands for a method: makes all of them, then calls the one of this name."""

        def first(instance: object, *values: Any, **named: Any) -> Any:
            return getattr(self.made(), name)(instance, *values, **named)

        return first


class _Signature:
    """The signature of a class; asking for it makes the methods."""

    def __init__(self, fields: _Fields) -> None:
        self._fields = fields

    def __get__(self, instance: object, owner: type) -> Any:
        import inspect

        self._fields.made()
        whole = inspect.signature(owner.__init__)  # type: ignore[misc]
        return whole.replace(parameters=list(whole.parameters.values())[1:])


class _MatchArgs:
    """The fields that a pattern may name by place; asking for them makes the methods."""

    def __init__(self, fields: _Fields) -> None:
        self._fields = fields

    def __get__(self, instance: object, owner: type) -> Any:
        return self._fields.made().__dict__["__match_args__"]


def _frozen(instance: object, name: str, *_: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _dataclass(cls: type | None = None, /, **options: Any) -> Any:
    if cls is None:
        return lambda cls: _dataclass(cls, **options)
    if options.keys() & {"slots", "order", "weakref_slot"}:
        raise TypeError("use dataclasses.dataclass for classes with slots or an order")
    fields = _Fields(cls, options)
    own = [name for name in _MADE_LATER if name not in cls.__dict__]
    cls._made_later = own  # type: ignore[attr-defined]
    cls.__dataclass_fields__ = fields  # type: ignore[attr-defined]
    cls.__signature__ = _Signature(fields)  # type: ignore[attr-defined]
    if options.get("match_args", True) and "__match_args__" not in cls.__dict__:
        cls.__match_args__ = _MatchArgs(fields)  # type: ignore[misc, attr-defined]
    if options.get("frozen"):
        cls.__setattr__, cls.__delattr__ = _frozen, _frozen  # type: ignore[assignment]
    for name in own:
        setattr(cls, name, fields.method(name))
    return cls


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
    from dataclasses import field as field
    from dataclasses import replace as replace
else:
    dataclass, field, replace = _dataclass, dataclasses.field, dataclasses.replace
