"""Operation and Function: what Keras 3 calls on symbolic tensors beside layers and models."""

from __future__ import annotations

from abc import ABCMeta
from inspect import signature
from typing import Any

from tensorlite.compat.shared import nests
from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.compat.v2.keras.src.layers.base import Layer
from tensorlite.compat.v2.keras.src.models import histories, sketch
from tensorlite.compat.v2.keras.src.models.base import Functional
from tensorlite.compat.v2.keras.src.trainers.stepping import as_tensor
from tensorlite.core.errors import InvalidArgumentError


class Operation(sketch.Noted, metaclass=ABCMeta):
    """A function without weights, which classes of it have as `call`; layers are operations too.

    InvalidArgumentError is raised for a name that is no text, or has a slash.
    """

    starts_masks = supports_masking = False
    nodes: tuple[Any, ...] = ()
    _given: dict[str, Any]

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        made = object.__new__(cls)
        _, *given = (
            signature(cls.__init__).bind(made, *args, **kwargs).arguments.items()
        )
        made._given = dict(given)
        return made

    def __init__(self, name: Any = None) -> None:
        if name is not None and (not isinstance(name, str) or "/" in name):
            raise InvalidArgumentError(
                "Argument `name` must be a string and cannot contain character `/`. Received: "
                f"name={name!r}"
            )
        self.name = name or naming.unique(naming.snake(type(self).__name__))

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """Return what the operation makes of tensors; classes say it."""
        raise NotImplementedError(f"{type(self).__name__} has no call")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        args, kwargs = histories.recovered((args, kwargs))
        if sketch.is_symbolic([args, kwargs]):
            return self.symbolic_call(*args, **kwargs)
        return self.call(*args, **kwargs)

    def symbolic_call(self, *args: Any, **kwargs: Any) -> Any:
        """Return symbolic tensors for what call will return."""
        return histories.shown(histories.record(self, args, kwargs))

    def compute_output_spec(self, *args: Any, **kwargs: Any) -> Any:
        """Return symbolic tensors like what call returns, found by tracing it."""
        return sketch.output_spec(self, args, kwargs, None)

    def told_specs(self, args: Any, kwargs: Any) -> Any:
        """Return the specs that a class of its own tells, or None."""
        if type(self).compute_output_spec is Operation.compute_output_spec:
            return None
        told = self.compute_output_spec(*args, **kwargs)
        return nests.map_structure(lambda x: x.spec, told)

    @property
    def input(self) -> Any:
        """What it was first called with."""
        found = nests.flatten(self._first().args)
        return found[0] if len(found) == 1 else found

    @property
    def output(self) -> Any:
        """What it first returned."""
        return self._first().outputs

    def _first(self) -> Any:
        if not self.nodes:
            raise AttributeError(
                f"{self.name} has not been called on symbolic tensors"
            )
        return self.nodes[0]

    def get_config(self) -> dict[str, Any]:
        """Return the name, and what it was made with if that is numbers, texts or lists of them.

        NotImplementedError is raised for anything else.
        """
        plain = (bool, int, float, str, type(None))
        if not all(isinstance(x, plain) for x in nests.flatten(self._given)):
            raise NotImplementedError(
                f"{type(self).__name__} was made with what has no description: give it a "
                "get_config of its own"
            )
        return {"name": self.name, **self._given}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Return an operation of a configuration."""
        return cls(**config)


class Function(Operation):
    """What leads from symbolic tensors to others, as a function that is no layer.

    >>> import numpy as np, tensorlite.compat.v2 as tf
    >>> x = tf.keras.Input((2,))
    >>> tf.keras.Function(x, [x + 1.0, x * 2.0])(np.ones((1, 2)))[1].numpy()
    array([[2., 2.]], dtype=float32)
    """

    def __init__(self, inputs: Any, outputs: Any, name: str | None = None) -> None:
        super().__init__(name)
        self._form, self._ends = histories.recovered((inputs, outputs))
        self.inputs = nests.flatten(self._form)
        self.outputs = nests.flatten(self._ends)
        self._plan = sketch.needed(self._ends, self.inputs)

    @property
    def operations(self) -> list[Any]:
        """The layers and operations that it calls, each once."""
        return list({id(x.layer): x.layer for x in self._plan}.values())

    def call(self, inputs: Any) -> Any:
        """Return what the outputs are for inputs; InvalidArgumentError for other structures."""
        given = nests.flatten(inputs)
        keys = [sorted(x) for x in (inputs, self._form) if isinstance(x, dict)]
        if len(given) != len(self.inputs) or len(keys) == 1 or keys[:1] != keys[1:]:
            raise InvalidArgumentError(
                "Function was called with an invalid input structure. Expected input structure: "
                f"{self._form}; received {inputs}"
            )
        values: dict[int, Any] = {}
        for x, value in zip(self.inputs, given, strict=True):
            made = as_tensor(value)
            if not made.shape.is_compatible_with(x.shape):
                raise InvalidArgumentError(
                    f"Function was passed incompatible inputs. For input {x.name!r}, expected "
                    f"shape {tuple(x.shape)}, but received {tuple(made.shape)}"
                )
            values[id(x)] = made
        return sketch.replayed(self._plan, values, self._ends)


Operation.register(Layer)
Function.register(Functional)
