"""Cells around cells: dropout, residual connections, devices, projections, embeddings."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any, Self

from tensorlite.compat.shapes import TensorShape
from tensorlite.compat.shared.arrays import concat, reshape
from tensorlite.compat.shared.elementwise import div, floor
from tensorlite.compat.shared.linear.matrices import matmul
from tensorlite.compat.shared.nn import bias_add
from tensorlite.compat.v1.functions.embeddings import embedding_lookup
from tensorlite.compat.v1.functions.init_ops import Constant
from tensorlite.compat.v1.functions.nn_functions import dropout
from tensorlite.compat.v1.graphs import framework, scopes
from tensorlite.compat.v1.random import random_uniform
from tensorlite.compat.v1.recurrent.cells import LSTMStateTuple, RNNCell
from tensorlite.core import nest
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph_mode.graph import active_graph


class Wrapper(RNNCell):
    """A cell that asks another one."""

    def __init__(self, cell: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.cell = cell

    @property
    def wrapped_cell(self) -> Any:
        """The cell that this one asks."""
        return self.cell

    @property
    def state_size(self) -> Any:
        """Size of the inner cell's state."""
        return self.cell.state_size

    @property
    def output_size(self) -> Any:
        """Size of the inner cell's output."""
        return self.cell.output_size

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """Return the inner cell's state of zeros for batch_size sequences."""
        with framework.name_scope(
            f"{type(self).__name__}ZeroState", values=[batch_size]
        ):
            return self.cell.zero_state(batch_size, dtype)

    def build(self, inputs_shape: Any) -> None:
        self.built = True

    def get_config(self) -> dict[str, Any]:
        """Return the arguments by their names; the cell is told by its class and its own."""
        inner = {
            "class_name": type(self.cell).__name__,
            "config": self.cell.get_config(),
        }
        return {**super().get_config(), "cell": inner}

    @classmethod
    def from_config(
        cls, config: Mapping[str, Any], custom_objects: Any = None
    ) -> Self:
        """Return what a dict tells of in which "cell" is a cell; InvalidArgumentError without."""
        if not hasattr(config["cell"], "state_size"):
            raise InvalidArgumentError(
                f"{cls.__name__} cannot reconstruct the wrapped cell. Please overwrite the cell "
                "in the config with a RNNCell instance."
            )
        return cls(**config)

    def __call__(
        self, inputs: Any, state: Any, scope: Any = None, *args: Any, **kwargs: Any
    ) -> Any:
        # What is around a cell has no scope of its own, so that variables are the cell's.
        return self.around(
            lambda x, s: (
                self.cell(x, s) if scope is None else self.cell(x, s, scope=scope)
            ),
            inputs,
            state,
        )

    def around(self, cell: Callable[..., Any], inputs: Any, state: Any) -> Any:
        """Return output and state of the cell, changed as this wrapper does."""
        return cell(inputs, state)


class DropoutWrapper(Wrapper):
    """A cell whose inputs, state and output are dropped in part, each with a share that is kept.

    variational_recurrent drops the same elements in each step (Gal and Ghahramani 2016).
    """

    def __init__(
        self,
        cell: Any,
        input_keep_prob: Any = 1.0,
        output_keep_prob: Any = 1.0,
        state_keep_prob: Any = 1.0,
        variational_recurrent: bool = False,
        input_size: Any = None,
        dtype: Any = None,
        seed: int | None = None,
        dropout_state_filter_visitor: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(cell, dtype=dtype, **kwargs)
        self._keep = {
            "input": input_keep_prob,
            "state": state_keep_prob,
            "output": output_keep_prob,
        }
        for name, keep in self._keep.items():
            if isinstance(keep, (int, float)) and not 0 <= keep <= 1:
                raise InvalidArgumentError(
                    f"Parameter {name}_keep_prob must be between 0 and 1: {keep}"
                )
        if (
            active_graph() is not None
        ):  # as TensorFlow does, which looks at their values
            with framework.name_scope("DropoutWrapperInit"):
                for keep in self._keep.values():
                    framework.convert_to_tensor(keep)
        self._seed, self._filter = (
            seed,
            dropout_state_filter_visitor or _unless_memory,
        )
        self._noise: dict[str, Any] = {}
        self._variational_recurrent = variational_recurrent
        self._input_size = input_size
        if variational_recurrent:
            self._draw(input_size, dtype)

    def get_config(self) -> dict[str, Any]:
        """Return the arguments by their names, functions of states as they are."""
        made = super().get_config()
        made |= {f"{name}_keep_prob": keep for name, keep in self._keep.items()}
        made["variational_recurrent"] = self._variational_recurrent
        made |= {"input_size": self._input_size, "seed": self._seed}
        if self._filter is not _unless_memory:
            made["dropout_state_filter_visitor"] = self._filter
        return made

    def _draw(self, input_size: Any, dtype: Any) -> None:
        """Draw the masks that all steps share."""
        if dtype is None:
            raise InvalidArgumentError(
                "When variational_recurrent=True, dtype must be provided"
            )
        if input_size is None and self._drops("input"):
            raise InvalidArgumentError(
                "When variational_recurrent=True and input_keep_prob < 1.0 or is unknown, "
                "input_size must be provided"
            )
        wanted = {
            "input": input_size,
            "state": self.cell.state_size,
            "output": self.cell.output_size,
        }
        for what, given in wanted.items():
            if given is None or (what == "input" and not self._drops(what)):
                continue
            drawn = []
            for i, size in enumerate(_flat(given)):
                sizes = [1, *_sizes(size)]
                if active_graph() is not None:  # as TensorFlow joins them
                    sizes = concat(([1], _sizes(size)), 0)
                seed = self._seed_of(what, i)
                drawn.append(random_uniform(sizes, dtype=dtype, seed=seed))
            self._noise[what] = drawn

    def _drops(self, what: str) -> bool:
        keep = self._keep[what]
        return not (isinstance(keep, (int, float)) and keep >= 1)

    def _seed_of(self, what: str, index: int) -> int | None:
        if self._seed is None:
            return None
        salted = f"{self._seed}{what}_{index}".encode()
        return int(hashlib.md5(salted).hexdigest()[:8], 16) & 0x7FFFFFFF  # noqa: S324  as TensorFlow's

    def around(self, cell: Callable[..., Any], inputs: Any, state: Any) -> Any:
        """Return the cell's (output, state), with inputs, state and output dropped in part."""
        if self._drops("input"):
            inputs = self._dropped("input", inputs)
        output, following = cell(inputs, state)
        if self._drops("state"):
            following = self._dropped_state(following)
        if self._drops("output"):
            output = self._dropped("output", output)
        return output, following

    def _dropped(self, what: str, values: Any) -> Any:
        made = [self._one(what, i, x) for i, x in enumerate(nest.flatten(values))]
        return nest.pack_like(values, made)

    def _dropped_state(self, state: Any) -> Any:
        number = iter(range(len(nest.flatten(state))))

        def visit(part: Any) -> Any:
            allowed = self._filter(part)
            if isinstance(part, LSTMStateTuple) and isinstance(
                allowed, LSTMStateTuple
            ):
                pairs = zip(part, allowed, strict=True)
                made = [
                    (
                        self._one("state", next(number), x)
                        if on
                        else _passed(number, x)
                    )
                    for x, on in pairs
                ]
                return LSTMStateTuple(*made)
            if nest.is_nested(part):
                return nest.rebuild(part, [visit(x) for x in nest.children(part)])
            return (
                self._one("state", next(number), part)
                if allowed
                else _passed(number, part)
            )

        return visit(state)

    def _one(self, what: str, index: int, value: Any) -> Any:
        keep = self._keep[what]
        if what not in self._noise:
            return dropout(value, keep_prob=keep, seed=self._seed_of(what, index))
        mask = floor(keep + self._noise[what][index])
        return div(value, keep) * mask


def _passed(number: Any, value: Any) -> Any:
    next(number)
    return value


def _unless_memory(state: Any) -> Any:
    """Say which parts of a state are dropped: of an LSTM's not its memory."""
    if isinstance(state, LSTMStateTuple):
        return LSTMStateTuple(c=False, h=True)
    return True


def _flat(sizes: Any) -> list[Any]:
    return [sizes] if isinstance(sizes, TensorShape) else nest.flatten(sizes)


def _sizes(size: Any) -> list[Any]:
    return list(TensorShape(size).as_list())


class ResidualWrapper(Wrapper):
    """A cell whose inputs are added to its outputs, or joined by residual_fn(inputs, outputs)."""

    def __init__(self, cell: Any, residual_fn: Any = None, **kwargs: Any) -> None:
        super().__init__(cell, **kwargs)
        self._residual_fn = residual_fn

    def get_config(self) -> dict[str, Any]:
        """Return the arguments by their names, residual_fn as it is where there is one."""
        own = {} if self._residual_fn is None else {"residual_fn": self._residual_fn}
        return {**super().get_config(), **own}

    def around(self, cell: Callable[..., Any], inputs: Any, state: Any) -> Any:
        """Return the cell's (output, state), its inputs added to the output.

        residual_fn(inputs, outputs), where it was given, says how they are joined.
        """
        outputs, following = cell(inputs, state)
        if self._residual_fn is not None:
            return self._residual_fn(inputs, outputs), following
        return nest.map_structure(lambda x, y: x + y, inputs, outputs), following


class DeviceWrapper(Wrapper):
    """A cell that runs on a device."""

    def __init__(self, cell: Any, device: Any, **kwargs: Any) -> None:
        super().__init__(cell, **kwargs)
        self._device = device

    def get_config(self) -> dict[str, Any]:
        """Return the arguments by their names."""
        return {**super().get_config(), "device": self._device}

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """Return the inner cell's state of zeros, made on the device."""
        with framework.device(self._device):
            return super().zero_state(batch_size, dtype)

    def around(self, cell: Callable[..., Any], inputs: Any, state: Any) -> Any:
        """Return the cell's (output, state), run on the device."""
        with framework.device(self._device):
            return cell(inputs, state)


class CellAround(RNNCell):
    """A cell with variables of its own around another one, whose state it has."""

    def __init__(self, cell: Any, reuse: Any = None) -> None:
        super().__init__(_reuse=reuse)
        self._cell = cell

    @property
    def state_size(self) -> Any:
        """Size of the inner cell's state."""
        return self._cell.state_size

    @property
    def output_size(self) -> Any:
        """Size of the inner cell's output."""
        return self._cell.output_size

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """Return the inner cell's state of zeros for batch_size sequences."""
        name = f"{type(self).__name__}ZeroState"
        with framework.name_scope(name, values=[batch_size]):
            return self._cell.zero_state(batch_size, dtype)


class _Projecting(CellAround):
    """A cell with a matrix and a bias beside it."""

    def __init__(self, cell: Any, size: int, activation: Any, reuse: Any) -> None:
        super().__init__(cell, reuse)
        self._size, self._activation = size, activation

    def _projected(self, x: Any, width: int | None = None) -> Any:
        rows = width or x.get_shape().as_list()[-1]
        kernel = scopes.get_variable("kernel", [rows, self._size], x.dtype)
        bias = scopes.get_variable("bias", [self._size], x.dtype, Constant(0.0))
        made = bias_add(matmul(x, kernel), bias)
        return made if self._activation is None else self._activation(made)


class OutputProjectionWrapper(_Projecting):
    """A cell whose output a matrix and biases bring to another size."""

    def __init__(
        self, cell: Any, output_size: int, activation: Any = None, reuse: Any = None
    ) -> None:
        super().__init__(cell, output_size, activation, reuse)

    @property
    def output_size(self) -> int:
        """Size that the inner cell's output is projected to."""
        return self._size

    def call(self, inputs: Any, state: Any) -> Any:
        output, following = self._cell(inputs, state)
        return self._projected(output), following


class InputProjectionWrapper(_Projecting):
    """A cell whose inputs a matrix and biases bring to another size."""

    def __init__(
        self,
        cell: Any,
        num_proj: int,
        activation: Any = None,
        input_size: Any = None,
        reuse: Any = None,
    ) -> None:
        super().__init__(cell, num_proj, activation, reuse)

    def call(self, inputs: Any, state: Any) -> Any:
        return self._cell(self._projected(inputs), state)


class EmbeddingWrapper(CellAround):
    """A cell whose inputs are classes' numbers, of which a variable has vectors."""

    def __init__(
        self,
        cell: Any,
        embedding_classes: int,
        embedding_size: int,
        initializer: Any = None,
        reuse: Any = None,
    ) -> None:
        super().__init__(cell, reuse)
        if embedding_classes <= 0 or embedding_size <= 0:
            raise InvalidArgumentError(
                "Both embedding_classes and embedding_size must be > 0: "
                f"{embedding_classes}, {embedding_size}."
            )
        self._initializer = initializer
        self._classes, self._size = embedding_classes, embedding_size

    def call(self, inputs: Any, state: Any) -> Any:
        with framework.device("/cpu:0"):
            dtype = nest.flatten(state)[0].dtype
            given = self._initializer or scopes.get_variable_scope().initializer
            first = given or (
                lambda s, dtype=None, **_: random_uniform(s, -_R, _R, dtype)
            )
            table = scopes.get_variable(
                "embedding", [self._classes, self._size], dtype, first
            )
            found = embedding_lookup(table, reshape(inputs, [-1]))
        return self._cell(found, state)


_R = 3**0.5
"""Uniform numbers within this have a variance of 1."""
