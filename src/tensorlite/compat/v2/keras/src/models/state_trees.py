"""All state of a model as nested dicts, by the paths of its variables, and back from them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tensorlite.core.errors import InvalidArgumentError

_FORMATS = ("backend_tensor", "numpy_array")


def state_of(model: Any, value_format: str) -> dict[str, Any]:
    """Return the values of a model's variables by kind and by the parts of their paths."""
    if value_format not in _FORMATS:
        raise InvalidArgumentError(
            "Invalid `value_format` argument. Expected one of {'numpy_array', 'backend_tensor'}. "
            f"Received: value_format={value_format}"
        )
    as_arrays = value_format == "numpy_array"
    return {
        kind: _tree(variables, as_arrays) for kind, variables in _kinds(model).items()
    }


def restore(model: Any, tree: Mapping[str, Any]) -> None:
    """Give a model's variables the values of a tree; those that it leaves out stay."""
    kinds = _kinds(model)
    unknown = sorted(set(tree) - set(kinds))
    if unknown:
        raise InvalidArgumentError(
            f"set_state_tree: unknown kinds of variables {unknown}; there are {sorted(kinds)}"
        )
    for kind, values in tree.items():
        by_path = {x.path: x for x in kinds[kind]}
        for path, value in _leaves(values, ()):
            if path in by_path:
                by_path[path].assign(value)


def _kinds(model: Any) -> dict[str, list[Any]]:
    optimizer = getattr(model, "optimizer", None)
    return {
        "trainable_variables": list(model.trainable_variables),
        "non_trainable_variables": list(model.non_trainable_variables),
        "optimizer_variables": [] if optimizer is None else list(optimizer.variables),
        "metrics_variables": list(model.metrics_variables),
    }


def _tree(variables: list[Any], as_arrays: bool) -> dict[str, Any]:
    made: dict[str, Any] = {}
    seen: set[str] = set()
    for variable in variables:
        if variable.path in seen:
            raise InvalidArgumentError(
                f"The following variable path is found twice in the model: '{variable.path}'. "
                "`get_state_tree()` can only be called when all variable paths are unique. Make "
                "sure to give unique names to your layers (and other objects)."
            )
        seen.add(variable.path)
        *above, last = variable.path.split("/")
        inner = made
        for part in above:
            inner = inner.setdefault(part, {})
        inner[last] = variable.numpy() if as_arrays else variable.value()
    return made


def _leaves(tree: Any, above: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    """Yield the values of a tree with their paths."""
    for key, value in tree.items():
        path = (*above, key)
        if isinstance(value, Mapping):
            yield from _leaves(value, path)
        else:
            yield "/".join(path), value
