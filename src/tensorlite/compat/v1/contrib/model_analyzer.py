"""slim.model_analyzer: how large variables and tensors of a graph are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def tensor_description(var: Any) -> str:
    """Return a tensor's dtype and sizes as text, like "(float32 3x4)"."""
    sizes = "x".join(str(x) for x in var.get_shape())
    return f"({var.dtype.name} {sizes})"


def analyze_vars(
    variables: Iterable[Any], print_info: bool = False
) -> tuple[int, int]:
    """Return how many elements variables have together, and how many bytes."""
    lines = ["---------", "Variables: name (type shape) [size]", "---------"]
    elements = total = 0
    for own in variables:
        size = own.get_shape().num_elements() or 0
        taken = size * own.dtype.itemsize
        elements, total = elements + size, total + taken
        said = f"{own.name} {tensor_description(own)} [{size}, bytes: {taken}]"
        lines.append(said)
    lines += [
        f"Total size of variables: {elements}",
        f"Total bytes of variables: {total}",
    ]
    if print_info:
        print("\n".join(lines))  # noqa: T201  # what it is called for
    return elements, total


def analyze_ops(graph: Any, print_info: bool = False) -> int:
    """Return how many elements the outputs of a graph's operations have together."""
    lines = ["---------", "Operations: name -> (type shapes) [size]", "---------"]
    total = 0
    for op in graph.get_operations():
        shapes = [x.get_shape() for x in op.outputs]
        known = [x for x in shapes if x.rank is not None]
        size = sum(x.num_elements() or 0 for x in known)
        described = ", ".join(
            tensor_description(x) for x in op.outputs if x.get_shape().rank
        )
        lines.append(f"{op.name} \t-> {described} [{size}]")
        total += size
    if print_info:
        print("\n".join(lines))  # noqa: T201  # what it is called for
    return total
