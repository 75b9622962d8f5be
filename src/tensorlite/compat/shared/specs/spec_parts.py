"""Parts of specs: which may be those of one value, which are narrower, what two have in common.

What a TypeSpec serialises to is nested: specs, shapes, dtypes and Python values in containers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np

from tensorlite.compat.shapes import TensorShape
from tensorlite.core import nest
from tensorlite.core.shapes import AnyShape
from tensorlite.core.spec import TensorSpec

__all__ = ["NoCommonPart", "agree", "common", "is_narrower", "key_of", "mapped"]


class NoCommonPart(Exception):
    """Parts of specs that have nothing in common."""


def agree(one: Any, other: Any) -> bool:
    """Return whether parts of two specs may be those of one value."""
    if isinstance(one, AnyShape):
        return isinstance(other, AnyShape) and one.is_compatible_with(other)
    if hasattr(one, "is_compatible_with"):
        return bool(one.is_compatible_with(other))
    return _each(agree, one, other)


def is_narrower(one: Any, other: Any) -> bool:
    """Return whether what one part says is the same as the other, or says more."""
    if isinstance(one, AnyShape):
        if not isinstance(other, AnyShape):
            return False
        sizes, wanted = TensorShape(one).known(), TensorShape(other).known()
        if sizes is None or wanted is None or len(sizes) != len(wanted):
            return wanted is None
        return all(b is None or a == b for a, b in zip(sizes, wanted, strict=True))
    if hasattr(one, "is_subtype_of"):
        return bool(one.is_subtype_of(other))
    return _each(is_narrower, one, other)


def _each(compare: Callable[[Any, Any], bool], one: Any, other: Any) -> bool:
    pairs = _pairs([one, other])
    if pairs is None:
        return type(one) is type(other) and bool(one == other)
    return all(compare(*pair) for pair in pairs)


def common(parts: Sequence[Any]) -> Any:
    """Return what holds of all parts, which correspond; NoCommonPart where nothing does."""
    first, *rest = parts
    if isinstance(first, AnyShape):
        if not all(isinstance(x, AnyShape) for x in rest):
            raise NoCommonPart
        return reduce(lambda a, b: a.most_specific_compatible_shape(b), parts)
    if hasattr(first, "most_specific_common_supertype"):
        found = first.most_specific_common_supertype(rest)
        if found is None:
            raise NoCommonPart
        return found
    groups = _pairs(parts)
    if groups is not None:
        return nest.rebuild(first, [common(group) for group in groups])
    if any(type(x) is not type(first) or x != first for x in rest):
        raise NoCommonPart
    return first


def _pairs(parts: Sequence[Any]) -> list[tuple[Any, ...]] | None:
    """Return the members of containers that correspond; None if they are no such containers."""
    first = parts[0]
    if not isinstance(first, (list, tuple, Mapping)):
        return None
    if any(type(x) is not type(first) or len(x) != len(first) for x in parts):
        return None
    if isinstance(first, Mapping) and any(set(x) != set(first) for x in parts):
        return None
    return list(zip(*map(nest.children, parts), strict=True))


def key_of(part: Any) -> Any:
    """Return what a part is compared by: a value that has a hash."""
    if isinstance(part, AnyShape):
        return AnyShape, TensorShape(part).known()
    if isinstance(part, Mapping):
        pairs = [(key_of(key), key_of(x)) for key, x in part.items()]
        return type(part), tuple(sorted(pairs, key=repr))
    if isinstance(part, (list, tuple)):
        return type(part), *[key_of(x) for x in part]
    if isinstance(part, np.ndarray):
        return np.ndarray, part.shape, key_of(part.tolist())
    return part if isinstance(part, TensorSpec) else (type(part), part)


def mapped(function: Callable[[Any], Any], part: Any) -> Any:
    """Return a part with the function's results for the specs and shapes in it."""
    if isinstance(part, (AnyShape, TensorSpec)) or hasattr(part, "_component_specs"):
        return function(part)
    if isinstance(part, (list, tuple, Mapping)):
        return nest.rebuild(part, [mapped(function, x) for x in nest.children(part)])
    return part
