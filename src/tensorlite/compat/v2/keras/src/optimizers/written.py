"""Optimizers as programs wrote them for Keras 2: numbers by names, slots, and updates by variable.

A class of such a kind has `_resource_apply_dense`, or one derived from an optimizer of Keras calls
its; what these themselves do is in classes.py. Classes with an `update_step` are in own_updates.py.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.shared import arrays, elementwise, picking
from tensorlite.compat.v2.framework import Module
from tensorlite.compat.v2.keras import schedules
from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.compat.v2.keras.src.layers.weights import Weight
from tensorlite.compat.v2.keras.src.optimizers import slots
from tensorlite.compat.v2.keras.src.optimizers.own_updates import Stepping, writes
from tensorlite.compat.v2.keras.src.optimizers.rates import Called, Decaying, settable
from tensorlite.compat.v2.keras.src.saving import describing
from tensorlite.compat.views import plain, shown
from tensorlite.core.dispatch import interpreted_by
from tensorlite.core.dtypes import as_dtype
from tensorlite.core.tensor import IndexedSlices
from tensorlite.graph.manual import building

_HOOKS = (
    "_resource_apply_dense",
    "_resource_apply_sparse",
    "_resource_apply_sparse_duplicate_indices",
    "_prepare_local",
    "_prepare",
    "_create_slots",
)


class Written:
    """The part of an optimizer that classes of programs ask for, or write themselves."""

    _track_trackable = Module._track_trackable  # noqa: SLF001  TensorFlow's name
    _HAS_AGGREGATE_GRAD = True
    _use_locking = True
    _core: Any
    _own: Any
    _rate: Any
    learning_rate: Any
    numbers: Callable[[], dict[str, Any]]
    _rate_of_next_step: Callable[[], Any]

    def is_written(self) -> bool:
        """Return whether a program's class has written a part of the updates."""
        return any(getattr(type(self), x) is not getattr(Written, x) for x in _HOOKS)

    def is_from_scratch(self) -> bool:
        """Return whether a program's class has written the whole update."""
        own = type(self)
        by_steps = not describing.is_ours(getattr(own, "update_step", None))
        is_ours = describing.is_ours(own) or not isinstance(self._core, Stepping)
        return not (by_steps or is_ours)

    @property
    def named_numbers(self) -> dict[str, Any]:
        """The numbers that a program's class has set by names."""
        found: dict[str, Any] = vars(self).setdefault("_named_numbers", {})
        return found

    def __getattr__(self, name: str) -> Any:
        """Return a number by its name."""
        if name in vars(self).get("_named_numbers", ()):
            return self._get_hyper(name)
        if name == "decay" and not naming.is_keras_3() and "_core" in vars(self):
            return self._initial_decay
        raise AttributeError(f"{type(self).__name__!r} has no attribute {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an attribute, or a number that has a name."""
        if name in vars(self).get("_named_numbers", ()):
            self._set_hyper(name, value)
        else:
            super().__setattr__(name, value)

    def _set_hyper(self, name: str, value: Any) -> None:
        held = self.named_numbers.get(name)
        if name == "learning_rate":
            self.learning_rate = value
        elif isinstance(held, Weight) and not callable(value):
            held.assign(np.asarray(value, np.float32))
        else:
            self.named_numbers[name] = value

    def _get_hyper(self, name: str, dtype: Any = None) -> Any:
        value = self._named(name)
        if isinstance(value, schedules.LearningRateSchedule):
            return value
        value = value() if callable(value) else value
        return value if dtype is None else elementwise.cast(value, as_dtype(dtype))

    def _named(self, name: str) -> Any:
        held = settable(self._rate)
        rate = self._rate if held is None else held
        rate = rate.function if isinstance(rate, Called) else rate
        known = self.numbers() | {"learning_rate": rate} | self.named_numbers
        return known.get(name, 0.0) if name == "decay" else known[name]

    def _serialize_hyperparameter(self, name: str) -> Any:
        value = self._named(name)
        if isinstance(value, schedules.LearningRateSchedule):
            return describing.described(value)
        value = value() if callable(value) else value
        if isinstance(
            value, tl.Variable
        ):  # the shortest number that is rounded to it
            return float(str(value.numpy()))
        return value

    def _decayed_lr(self, var_dtype: Any) -> Any:
        rate = elementwise.cast(self._rate_of_next_step(), var_dtype)
        if "decay" not in self.named_numbers or isinstance(self._rate, Decaying):
            return rate
        step = elementwise.cast(self._core.iterations.value(), var_dtype)
        return rate / (1.0 + self._get_hyper("decay", var_dtype) * step)

    @property
    def _hyper(self) -> dict[str, Any]:
        return self.named_numbers

    @property
    def _dense_apply_args(self) -> list[str]:
        return inspect.getfullargspec(self._resource_apply_dense).args

    @property
    def _sparse_apply_args(self) -> list[str]:
        return inspect.getfullargspec(self._resource_apply_sparse).args

    @property
    def _initial_decay(self) -> Any:
        """By what share of its first value the learning rate falls with the steps."""
        return self.named_numbers.get("decay", getattr(self._rate, "share", 0.0))

    @property
    def _iterations(self) -> Any:
        return self._core.iterations

    @_iterations.setter
    def _iterations(self, variable: Any) -> None:
        self._core.iterations = variable

    def _create_hypers(self) -> None:
        for name, value in self.named_numbers.items():
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                self.named_numbers[name] = self._number(name, value)

    def _number(self, name: str, value: float) -> Any:
        with interpreted_by(None):
            return Weight(np.asarray(value, np.float32), trainable=False, name=name)

    def add_weight(
        self,
        name: str,
        shape: Any = (),
        dtype: Any = None,
        initializer: Any = "zeros",
        trainable: bool = False,
        **kwargs: Any,
    ) -> Any:
        """Return a new variable of the optimizer; further arguments have no effect."""
        wanted = as_dtype(dtype or "float32")
        return self._own.apart(name, shape, wanted, initializer)

    def add_slot(
        self, var: Any, slot_name: str, initializer: Any = "zeros", shape: Any = None
    ) -> Any:
        """Return what is kept beside a variable by a name, made if it is not there yet."""
        beside = vars(self).setdefault("_beside", {})
        key = id(var), slot_name
        if key not in beside:
            made = self._own.beside(var, slot_name, initializer, shape)
            beside[key] = var, made
        return beside[key][1]

    def slots_written(self) -> list[tuple[Any, str, Any]]:
        """Return each variable, the name of what a program's class keeps beside it, and that."""
        beside = vars(self).get("_beside", {})
        return [(var, name, made) for (_, name), (var, made) in beside.items()]

    def slot_names(self) -> dict[str, str]:
        """Return the names of what an optimizer of Keras keeps, by those that it has outside."""
        kind = type(self._core).__name__
        return {slots.SLOTS.get((kind, x), x): x for x in self._core.slots}

    def get_slot(self, var: Any, slot_name: str) -> Any:
        """Return what is kept beside a weight by a name."""
        found = vars(self).get("_beside", {}).get((id(var), slot_name))
        if found is not None:
            return found[1]
        return self._core.get_slot(var, self.slot_names().get(slot_name, slot_name))

    def get_slot_names(self) -> list[str]:
        """Return the names of what is kept beside weights."""
        own = [name for _, name in vars(self).get("_beside", {})]
        return list(dict.fromkeys([*self.slot_names(), *own]))

    def _create_slots(self, var_list: Any) -> None:
        self._core.build(var_list)

    def begin(self, variables: Any) -> None:
        """Make the numbers and what is kept beside variables, outside of traces."""
        outside = self.is_written() and building() is None
        with interpreted_by(None) if outside else nullcontext():
            self._create_all_weights(variables)

    def _create_all_weights(self, var_list: Any) -> None:
        self._create_hypers()
        self._create_slots(var_list)

    def _prepare(self, var_list: Any) -> dict[Any, Any]:
        keys = {(x.device, x.dtype.base_dtype) for x in var_list}
        state: dict[Any, Any] = {key: {} for key in keys}
        for place, dtype in keys:
            self._prepare_local(place, dtype, state)
        return state

    def _prepare_local(
        self, var_device: Any, var_dtype: Any, apply_state: Any
    ) -> None:
        found = apply_state[var_device, var_dtype]
        found["lr_t"] = arrays.identity(self._decayed_lr(var_dtype))

    def _fallback_apply_state(self, var_device: Any, var_dtype: Any) -> Any:
        state: dict[Any, Any] = {(var_device, var_dtype): {}}
        self._prepare_local(var_device, var_dtype, state)
        return state[var_device, var_dtype]

    def _resource_apply_dense(
        self, grad: Any, handle: Any, apply_state: Any = None
    ) -> Any:
        if isinstance(self._core, Stepping):
            raise NotImplementedError("Must be implemented in subclasses.")
        step = self._core.iterations.value() + 1
        rate = elementwise.cast(self._rate_of_next_step(), handle.dtype)
        counted = tl.astype(plain(step), handle.dtype)
        return self._core._update(handle, plain(grad), plain(rate), counted)  # noqa: SLF001

    def _resource_apply_sparse(
        self, grad: Any, handle: Any, indices: Any, apply_state: Any = None
    ) -> Any:
        rows = IndexedSlices(plain(grad), plain(indices), tuple(handle.spec.dims))
        return Written._resource_apply_dense(self, rows, handle, apply_state)

    def _resource_apply_sparse_duplicate_indices(
        self, grad: Any, handle: Any, indices: Any, **kwargs: Any
    ) -> Any:
        found, places = picking.unique(indices)
        count = arrays.shape(found)[0]
        total = tl.unsorted_segment_sum(plain(grad), plain(places), plain(count))
        return self._resource_apply_sparse(total, handle, found, **kwargs)

    def _resource_scatter_add(self, x: Any, i: Any, v: Any) -> Any:
        x.scatter_add(IndexedSlices(plain(v), plain(i)))
        return x.value()

    def _resource_scatter_update(self, x: Any, i: Any, v: Any) -> Any:
        x.scatter_update(IndexedSlices(plain(v), plain(i)))
        return x.value()

    def applied_as_written(self, gradients: list[Any], variables: list[Any]) -> Any:
        """Make a step by the methods of a program's class."""
        here = building()
        begun = 0 if here is None else len(here.graph.nodes)
        self.begin(variables)
        state = self._prepare(variables)
        for gradient, variable in zip(gradients, variables, strict=True):
            self._apply_one(gradient, variable, state)
        self._core.iterations.assign_add(np.asarray(1, np.int64))
        return [] if here is None else writes(here.graph.nodes[begun:])

    def _apply_one(self, gradient: Any, variable: Any, state: Any) -> None:
        gradient = shown(gradient)
        if isinstance(gradient, IndexedSlices):
            apply = self._resource_apply_sparse_duplicate_indices
            told = "apply_state" in self._sparse_apply_args
            given = partial(apply, gradient.values, variable, gradient.indices)
        else:
            told = "apply_state" in self._dense_apply_args
            given = partial(self._resource_apply_dense, gradient, variable)
        given(apply_state=state) if told else given()
