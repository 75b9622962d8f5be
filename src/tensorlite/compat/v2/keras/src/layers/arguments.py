"""What a layer's call is given: arrays as tensors, of its dtype, and masks and training with them.

Calling itself is base.py's.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from tensorlite.compat.shared import nests
from tensorlite.compat.v2.keras import defaults, dtype_policies
from tensorlite.compat.v2.keras.src.layers import masks, naming, phases
from tensorlite.compat.v2.keras.src.models import in_graphs
from tensorlite.core import nest
from tensorlite.core.dispatch import constant
from tensorlite.core.dtypes import as_dtype
from tensorlite.core.operand import Operand
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.ragged.base import RaggedParts


class Arguments:
    """The part of a layer that sees to the arguments of its call."""

    autocast = True
    asks_phase = True
    """Whether its call is given the phase of a graph where nobody says whether layers train."""
    compute_dtype: Any
    is_told_dtype: bool
    was_called: bool
    dtype_policy: Any
    _arguments: tuple[Any, Any]
    _held: Any

    def arguments_named(self) -> frozenset[str]:
        """Return the names of the arguments that the layer was made with by name."""
        return frozenset(self._arguments[1])

    def take_dtype(self, args: Any, kwargs: Any) -> None:
        """Let the first floating inputs of a layer say its dtype, as in TensorFlow 1.

        So they do where neither the layer nor all layers were told one, and there is no weight yet.
        """
        told = self.was_called or self.is_told_dtype or defaults.chosen.policy
        if told or self._held.weights or not naming.is_version_1():
            return
        given = [x for x in nest.flatten((args, kwargs)) if hasattr(x, "dtype")]
        dtype = as_dtype(given[0].dtype) if given else None
        if dtype is not None and dtype.is_floating:
            self.dtype_policy = dtype_policies.get(dtype.name)

    def as_tensors(self, args: Any, kwargs: Any) -> tuple[Any, Any]:
        """Return the arguments of a call, arrays among them as tensors."""
        first = (self.as_inputs(args[0]),) if args else ()
        others = [self._as_input(x) for x in args[1:]]
        named = {key: self._as_input(x) for key, x in kwargs.items()}
        return (*first, *others), named

    def _as_input(self, value: Any) -> Any:
        """Return an argument after the first, whose numbers stay numbers."""
        leaves = nest.flatten(value)
        tensors = any(isinstance(x, (np.ndarray, Operand)) for x in leaves)
        return self.as_inputs(value) if tensors else value

    def with_masks(self, args: Any, kwargs: Any) -> Any:
        """Return named arguments with the masks of those that a call takes masks of."""
        given = {**dict(zip(parameters(type(self)), args, strict=False)), **kwargs}
        found = {}
        for place, (name, value) in enumerate(given.items()):
            own = "mask" if place == 0 and self.takes("mask") else f"{name}_mask"
            if self.takes(own) and given.get(own) is None:
                found[own] = masks.of(value)
        return {**kwargs, **{key: x for key, x in found.items() if x is not None}}

    def as_inputs(self, inputs: Any) -> Any:
        """Return inputs as tensors; arrays and floats of another width take the layer's dtype."""
        wanted = as_dtype(self.compute_dtype)
        casts = self.autocast and wanted.is_floating

        def one(x: Any) -> Any:
            is_number = isinstance(x, (float, int)) and not isinstance(x, bool)
            if is_number or _is_foreign(x):
                x = constant(np.asarray(x))
            if nest.is_value(x):
                return nest.map_structure(one, x)
            if not isinstance(x, Operand):
                return x
            tensor = x.__tensor__()
            if not (casts and tensor.dtype.is_floating) or tensor.dtype is wanted:
                return x
            made = astype(tensor, wanted)
            masks.remember(made, masks.of(x))
            return made

        if isinstance(inputs, list) and inputs and _is_value(inputs[0]):
            inputs = np.asarray(inputs)
        return nests.map_structure(one, inputs)

    def with_training(
        self, args: Any, kwargs: Any, around: phases.Calling | None
    ) -> Any:
        """Return the call's named arguments with `training` filled in where call takes it.

        What was given goes first, then what the call around has, then call's own default.
        """
        if not self.takes("training"):
            if "training" in kwargs and not self.takes("kwargs"):
                kwargs = {k: v for k, v in kwargs.items() if k != "training"}
            return kwargs
        place = list(parameters(type(self))).index("training")
        if len(args) > place or kwargs.get("training") is not None:
            return kwargs
        default = parameters(type(self))["training"].default
        chosen = phases.training_in(around)
        if chosen is None and isinstance(default, bool):
            chosen = default
        if chosen is None and not (
            self.asks_phase or in_graphs.building.get() is None
        ):
            return kwargs
        if chosen is None:
            chosen = phases.here()
        return {**kwargs, "training": chosen}

    def told_inside(
        self, args: Any, kwargs: Any, around: phases.Calling | None
    ) -> Any:
        """Return whether layers inside this one train; None where these decide by themselves."""
        told = self.given(args, kwargs, "training")
        default = None
        if self.takes("training"):
            default = parameters(type(self))["training"].default
        told = phases.training_in(around) if told is None else told
        return default if told is None and isinstance(default, bool) else told

    def given(self, args: Any, kwargs: Any, name: str) -> Any:
        """Return what a call is given under a name, or at its place; None if nothing."""
        places = list(parameters(type(self)))
        if name not in kwargs and name in places[: len(args)]:
            return args[places.index(name)]
        return kwargs.get(name)

    def first_given(self, args: Any, kwargs: Any) -> Any:
        """Return what stands first in a call: at its place, by that name, or before the others."""
        if args:
            return args[0]
        first = next(iter(parameters(type(self))), None)
        return kwargs[first] if first in kwargs else next(iter(kwargs.values()), None)

    def takes(self, name: str) -> bool:
        """Return whether the layer's call has a parameter of a name."""
        return name in parameters(type(self))


def _is_foreign(x: Any) -> bool:
    """Return whether this is an array that is no tensor: NumPy's, or a column of a table."""
    return hasattr(x, "__array__") and not isinstance(x, (Operand, RaggedParts))


_known: dict[Any, Any] = {}


def build_parameters(kind: Any) -> list[str]:
    """Return the names of the parameters of a class' build, self aside."""
    return [*_parameters_of(kind.build)]


@lru_cache(maxsize=1024)
def _parameters_of(build: Callable[..., Any]) -> tuple[str, ...]:
    return tuple(inspect.signature(build).parameters)[1:]


def parameters(kind: Any) -> Any:
    """Return the parameters of a layer's `call`, without self."""
    call = kind.call
    found = _known.get(call)
    if found is None:
        inner = getattr(call, "python_function", call)
        own = list(inspect.signature(inner).parameters.items())[1:]
        found = _known[call] = dict(own)
    return found


def _is_value(x: Any) -> bool:
    if isinstance(x, list):
        return bool(x) and _is_value(x[0])
    return isinstance(x, (int, float, str, bytes, np.generic))
