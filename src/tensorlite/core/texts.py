"""How values print where results are TensorFlow's (`tl.config.set_tensorflow_results`).

How they print elsewhere stands with their classes, which ask `wanted` whose form they take.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tensorlite.core.device import settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlite.core.spec import TensorSpec
    from tensorlite.core.tensor import Tensor


def wanted() -> bool:
    """Return whether values print as TensorFlow's do."""
    return settings.tensorflow_results


def of_graphs_alone(name: str, older: bool) -> str:
    """Return what a tensor that has its value says of an attribute that those of graphs have."""
    word = "meaningless" if older else "undefined"
    return f"Tensor.{name} is {word} when eager execution is enabled."


def encoded(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return an array whose strings are bytes, as TensorFlow's are: text becomes UTF-8."""
    if array.dtype != object:
        return array
    flat = [x.encode() if isinstance(x, str) else x for x in array.ravel()]
    made = np.empty(len(flat), object)
    made[:] = flat
    return made.reshape(array.shape)


def shape_repr(sizes: Sequence[int | None] | None) -> str:
    """Return a shape as a notebook shows it: `TensorShape([2, None])`."""
    return f"TensorShape({None if sizes is None else list(sizes)})"


def shape_text(spec: TensorSpec) -> str:
    """Return the shape of a spec as it prints: `(2, None)`."""
    return "<unknown>" if spec.shape is None else str(tuple(spec.shape))


def spec_repr(spec: TensorSpec) -> str:
    """Return a spec, as `TensorSpec(shape=(2,), dtype=tf.float32, name=None)`."""
    shape = "<unknown>" if spec.shape is None else tuple(spec.shape)
    return (
        f"TensorSpec(shape={shape}, dtype=tf.{spec.dtype.name}, name={spec.name!r})"
    )


def tensor_text(x: Tensor) -> str:
    """Return an eager tensor as it prints: `tf.Tensor([1 2], shape=(2,), dtype=int32)`."""
    return f"tf.Tensor({_elements(x, str)}, shape={x.shape}, dtype={x.dtype.name})"


def tensor_repr(x: Tensor) -> str:
    """Return an eager tensor as a notebook shows it."""
    return f"<tf.Tensor: shape={x.shape}, dtype={x.dtype.name}, numpy={_elements(x, repr)}>"


def variable_repr(name: str, shape: Any, dtype: str, value: Tensor | None) -> str:
    """Return a variable as it prints; its value is None while a trace does not know it."""
    shown = "" if value is None else f", numpy={_elements(value, repr)}"
    return f"<tf.Variable '{name}' shape={shape} dtype={dtype}{shown}>"


def parts_text(kind: str, **parts: object) -> str:
    """Return what consists of tensors as it prints: `SparseTensor(indices=tf.Tensor(...), ...)`."""
    return f"{kind}({', '.join(f'{name}={part!s}' for name, part in parts.items())})"


def symbolic_text(name: str, spec: TensorSpec) -> str:
    """Return a tensor of a trace as it prints: `Tensor("x:0", shape=(), dtype=int32)`."""
    shape = "" if spec.shape is None else f", shape={tuple(spec.shape)}"
    return f'Tensor("{name}"{shape}, dtype={spec.dtype.name})'


def symbolic_repr(name: str, spec: TensorSpec) -> str:
    """Return a tensor of a trace as a notebook shows it."""
    shape = "<unknown>" if spec.shape is None else tuple(spec.shape)
    return f"<tf.Tensor '{name}' shape={shape} dtype={spec.dtype.name}>"


def _elements(x: Tensor, spelled: Any) -> str:
    if x.dtype.kind in "RV":
        return "<unprintable>"
    value: Any = x.numpy()
    if isinstance(value, np.generic) and spelled is repr:
        value = value.item()
    text: str = spelled(value)
    return f"\n{text}" if "\n" in text else text
