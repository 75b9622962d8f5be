"""In which order classes of Keras take arguments by position: in TensorFlow 1.15, and in Keras 3.

The orders that differ from those of the classes here are in positions.txt. Arguments get their
names where a program makes an object; classes here call one another in their own order.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, wraps
from inspect import signature
from pathlib import Path
from typing import Any

from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.compat.v2.keras.src.saving import describing


@cache
def _orders() -> dict[tuple[str, str], tuple[str, ...]]:
    """Return the names of arguments in order, by the version and by the class in its namespace."""
    lines = Path(__file__).with_name("positions.txt").read_text().splitlines()
    told = [line.split() for line in lines if line and not line.startswith("#")]
    return {(version, kind): tuple(names) for version, kind, *names in told}


def _version() -> str:
    if naming.is_version_1():
        return "1"
    return "3" if naming.is_keras_3() else "2"


@cache
def _nearest(kind: Any) -> Any:
    """Return the class of Keras' that an object is of, by itself or through a program's class."""
    return next(x for x in kind.__mro__ if describing.is_ours(x))


def arrange(space: str, kinds: Mapping[str, Any]) -> None:
    """Let the classes of a namespace take arguments in the order of the version of a program."""
    for name in {kind for _, kind in _orders() if kind.startswith(f"{space}.")}:
        kind = kinds.get(name.removeprefix(f"{space}."))
        if isinstance(kind, type) and not hasattr(
            vars(kind).get("__init__"), "order"
        ):
            _arrange(kind, name)


def _arrange(kind: type, title: str) -> None:
    make: Any = kind.__init__  # type: ignore[misc]
    first = list(signature(make).parameters)[1]

    @wraps(make)
    def made(self: Any, *args: Any, **kwargs: Any) -> None:
        if args and _nearest(self.__class__) is kind:
            names = _orders().get((_version(), title))
            if names is not None and (len(args) > 1 or names[0] != first):
                args, kwargs = (), _named(kind, names, args, kwargs)
                if type(self).__init__ is made and hasattr(self, "_arguments"):
                    self._arguments = ((), kwargs)
        make(self, *args, **kwargs)

    setattr(made, "order", title)  # noqa: B010
    type.__setattr__(kind, "__init__", made)


def _named(
    kind: type, names: tuple[str, ...], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any]:
    """Return all arguments by their names."""
    if len(args) > len(names):
        raise TypeError(
            f"{kind.__name__} takes at most {len(names)} arguments by position, "
            f"{', '.join(names)}, but {len(args)} were given"
        )
    twice = sorted(set(names[: len(args)]) & set(kwargs))
    if twice:
        raise TypeError(
            f"{kind.__name__} got multiple values for the argument {twice[0]!r}: by position, and "
            "by its name"
        )
    return {**dict(zip(names, args, strict=False)), **kwargs}
