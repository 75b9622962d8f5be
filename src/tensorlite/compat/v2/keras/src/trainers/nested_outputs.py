"""Outputs of a model inside one another: what losses, metrics and weights are given for each.

An output's path is the keys and numbers that lead to it, `("boxes", "left")`; what is given for
outputs may have their structure, or stand for all that is below where it ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tensorlite.compat.shared import nests
from tensorlite.core.errors import InvalidArgumentError

Path = tuple[Any, ...]


def are_nested(outputs: Any) -> bool:
    """Return whether there are structures among a model's outputs."""
    if not isinstance(outputs, (dict, list, tuple)):
        return False
    return len(nests.flatten(outputs)) != len(outputs)


def _below(outputs: Any) -> list[tuple[Any, Any]]:
    """Return what outputs consist of by key or number, in the order in which they are flat."""
    if isinstance(outputs, dict):
        return sorted(outputs.items())
    return list(enumerate(outputs))


def paths(outputs: Any, above: Path = ()) -> Iterator[Path]:
    """Yield the path of each output."""
    if not isinstance(outputs, (dict, list, tuple)):
        yield above
        return
    for key, x in _below(outputs):
        yield from paths(x, (*above, key))


def titles(outputs: Any, names: list[str]) -> list[str]:
    """Return what the outputs' losses are listed by: their paths, which end in no number.

    >>> titles({"boxes": [1, 2], "kind": 3}, ["dense", "dense_1", "dense_2"])
    ['boxes/dense', 'boxes/dense_1', 'kind']
    """
    found = []
    for path, name in zip(paths(outputs), names, strict=True):
        *above, last = path
        own = last if isinstance(last, str) else name
        found.append("/".join(str(x) for x in (*above, own)))
    return found


def along(given: Any, outputs: Any, names: list[str], what: str) -> list[Any]:
    """Return what is given for each output: by the same structure, by names, or one by one.

    InvalidArgumentError is raised for keys and numbers of entries that outputs do not have.

    >>> along({"a": ["mse", "mae"], "b": "mse"}, {"a": [1, 2], "b": 3}, ["x", "y", "z"], "loss")
    ['mse', 'mae', 'mse']
    """
    if isinstance(given, dict) and not isinstance(outputs, dict):
        _known(given, names, (), what)
        return [given.get(name) for name in names]
    flat = isinstance(given, (list, tuple)) and len(given) == len(names)
    if flat and not any(isinstance(x, (dict, list, tuple)) for x in given):
        return list(given)
    return list(_spread(given, outputs, (), what))


def _spread(given: Any, outputs: Any, above: Path, what: str) -> Iterator[Any]:
    if not isinstance(outputs, (dict, list, tuple)):
        if isinstance(given, dict) and "class_name" not in given:
            _known(given, [], above, what)
        yield given
        return
    parts = _below(outputs)
    if not isinstance(given, (dict, list, tuple)):
        own = [given] * len(parts)
    elif isinstance(given, dict) and isinstance(outputs, dict):
        _known(given, list(outputs), above, what)
        own = [given.get(key) for key, _ in parts]
    elif isinstance(outputs, dict) or len(given) != len(parts):
        raise InvalidArgumentError(
            f"Invalid `{what}`: {given} does not match the structure of the model's outputs"
            f"{_place(above)}: their paths are {list(paths(outputs))}"
        )
    else:
        own = list(given)
    for part, (key, x) in zip(own, parts, strict=True):
        yield from _spread(part, x, (*above, key), what)


def _known(given: dict[Any, Any], keys: list[Any], above: Path, what: str) -> None:
    """Refuse keys that are none of outputs."""
    strange = [key for key in given if key not in keys]
    if strange:
        raise InvalidArgumentError(
            f"Invalid `{what}`: the keys {strange}{_place(above)} can't be found in the model's "
            f"outputs. Expected keys: {keys}"
        )


def _place(above: Path) -> str:
    return f" at {'/'.join(map(str, above))}" if above else ""
