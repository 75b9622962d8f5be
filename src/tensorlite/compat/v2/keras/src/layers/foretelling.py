"""What a layer's class says of its results itself, so that no call is traced to know it.

Keras 3 asks `compute_output_spec` and `compute_output_shape` where a program has written them.
"""

from __future__ import annotations

import inspect
from typing import Any

from tensorlite.compat.shared import nests
from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.compat.v2.keras.src.layers.arguments import parameters
from tensorlite.core.dtypes import as_dtype
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.shapes import AnyShape, TupleShape
from tensorlite.core.spec import TensorSpec


class Foretelling:
    """The part of a layer that says what its call will return."""

    compute_dtype: Any
    compute_output_shape: Any
    compute_output_spec: Any
    name: Any
    tells_spec = False
    """Whether a program's class has a `compute_output_spec`."""
    tells_shape: Any = False
    """Whether it has a `compute_output_shape`."""

    def told_specs(self, args: Any, kwargs: Any) -> Any:
        """Return the specs of what a call on symbolic tensors returns, None if a trace says it."""
        if not naming.is_keras_3():
            return None
        if self.tells_spec:
            made = self.compute_output_spec(*args, **kwargs)
            return nests.map_structure(lambda x: TensorSpec(x.shape, x.dtype), made)
        return self.specs_by_shape(args, kwargs) if self.tells_shape else None

    def specs_by_shape(self, args: Any, kwargs: Any) -> Any:
        """Return the specs of what a call returns, by the shapes that the class says."""
        names = list(inspect.signature(self.compute_output_shape).parameters)
        if len(names) == 1:
            first = args[0] if args else next(iter(kwargs.values()))
            made = self.compute_output_shape(shapes_of(first))
        else:
            made = self.compute_output_shape(**self.named_shapes(args, kwargs, names))
        return self._specs_of_shapes(made)

    def named_shapes(self, args: Any, kwargs: Any, names: Any) -> dict[str, Any]:
        """Return the shapes of arguments x of a call by names like x_shape."""
        given = {**dict(zip(parameters(type(self)), args, strict=False)), **kwargs}
        values = {name: given.get(name.removesuffix("_shape")) for name in names}
        return {key: shapes_of(x) for key, x in values.items() if x is not None}

    def _specs_of_shapes(self, shapes: Any) -> Any:
        if isinstance(shapes, dict):
            return {key: self._specs_of_shapes(x) for key, x in shapes.items()}
        if not isinstance(shapes, (list, tuple, AnyShape)):
            raise InvalidArgumentError(
                f"Method `compute_output_shape()` of layer {self.name} is returning a type that "
                "cannot be interpreted as a shape. It should return a shape tuple. Received: "
                f"{shapes}"
            )
        if isinstance(shapes, AnyShape) or not any(_is_nested(x) for x in shapes):
            return TensorSpec(tuple(shapes), as_dtype(self.compute_dtype))
        return type(shapes)(self._specs_of_shapes(x) for x in shapes)


def _is_nested(x: Any) -> bool:
    return isinstance(x, (list, tuple, dict, AnyShape))


def shapes_of(inputs: Any) -> Any:
    """Return the shapes of tensors, in their structure."""
    return nests.map_structure(_shape_of, inputs)


def _shape_of(x: Any) -> AnyShape:
    shape = x.get_shape() if hasattr(x, "get_shape") else TupleShape()
    known = shape.known()
    return shape if known is None else TupleShape(known)
