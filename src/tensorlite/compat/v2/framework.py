"""TensorFlow 2's core names: tensors, variables, functions, tapes, scopes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial, wraps
from inspect import signature
from typing import Any

import numpy as np

from tensorlite.compat.calling import converted, deferring
from tensorlite.compat.conversions import any_registered, registered, registered_in
from tensorlite.compat.shared.creators import Creatable
from tensorlite.compat.shared.tapes import GradientTape
from tensorlite.compat.shared.values import UnconnectedGradients
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.v1.graphs.eager_variables import EagerVariable, bare_name
from tensorlite.compat.v1.graphs.variables import RefVariable
from tensorlite.compat.v2.held import held
from tensorlite.core import nest, scope
from tensorlite.core.constant import array_of, encoded, fitting_array
from tensorlite.core.dispatch import constant as constant_of, tracer
from tensorlite.core.dtypes import as_dtype, complex128
from tensorlite.core.errors import ConversionError, InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.core.shapes import AnyShape, TensorShape
from tensorlite.core.tensor import Tensor
from tensorlite.graph_mode.graph import active_graph
from tensorlite.ops.arrays.shape import astype, reshape
from tensorlite.ops.state.variable import Variable as AnyVariable
from tensorlite.train.module import Module as Collector

__all__ = ["GradientTape"]


def constant(
    value: Any, dtype: Any = None, shape: Any = None, name: str | None = "Const"
) -> Any:
    """Return a tensor of a value's elements, in a dtype and a shape where these are given.

    A single element fills the shape. TypeError is raised where the number of elements differs from
    the shape's. In a graph that is built by hand it is a node `name`.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.constant([1, 2, 3, 4], tf.float32, [2, 2]).numpy().tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    if active_graph() is not None:
        return framework.constant(value, dtype, shape, name or "Const")
    if isinstance(value, Operand):
        made = converted(value)
        made = made if dtype is None else astype(made, as_dtype(dtype))
    else:
        array = _array(value, dtype)
        held = hasattr(value, "__array__") and np.may_share_memory(array, value)
        made = constant_of(array.copy() if held else array)
    if shape is None:
        return made
    sizes = list(TensorShape(shape))
    if made.spec.size == 1 and TensorShape(shape).num_elements() != 1:
        return constant_of(np.full(sizes, made.numpy()))
    if made.spec.size != TensorShape(shape).num_elements():
        raise TypeError(
            f"tf.constant with unsupported shape: {made.spec} has {made.spec.size} elements, "
            f"and not those of the shape {sizes}"
        )
    return reshape(made, sizes)


def _array(value: Any, dtype: Any) -> Any:
    wanted = None if dtype is None else as_dtype(dtype)
    is_numpys = isinstance(value, (np.ndarray, np.generic))
    if wanted is not None and is_numpys and value.dtype.kind in "mM":
        return value.astype(wanted.numpy)  # how many days or seconds there are
    if wanted is not None:
        return encoded(fitting_array(value, wanted))
    array = encoded(array_of(value))
    if array.dtype == np.complex64 and not is_numpys:
        return array_of(value, complex128)  # as TensorFlow has Python's numbers
    return array


def _wide(value: Any) -> Any:
    """Return complex numbers of Python's as TensorFlow has them, and anything else as it is."""
    leaves = nest.flatten(value)
    is_complex = any(isinstance(x, complex) for x in leaves)
    held = any(isinstance(x, Operand) for x in leaves)
    return _array(value, None) if is_complex and not held else value


@deferring
def convert_to_tensor(
    value: Any, dtype: Any = None, dtype_hint: Any = None, name: str | None = None
) -> Any:
    """Return a tensor, an array, a number or a list of these as a tensor.

    dtype_hint is the dtype taken where the value allows it. ConversionError, a ValueError, is
    raised for a tensor of another dtype than the one asked for.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.convert_to_tensor([1, 2], tf.float32).numpy().tolist()
    [1.0, 2.0]
    """
    if active_graph() is not None:
        return framework.convert_to_tensor(value, dtype, name, None, dtype_hint)
    wanted = None if dtype is None else as_dtype(dtype)
    value = registered_in(value) if any_registered() else value
    if not isinstance(value, Operand):
        hint = None if dtype_hint is None else as_dtype(dtype_hint)
        held = any(isinstance(x, Operand) for x in nest.flatten(value))
        if wanted is None or held:
            made = converted(value, wanted or hint)
            return made if wanted is None else astype(made, wanted)
        return constant_of(_array(value, wanted))
    x = converted(value)
    if wanted is not None and x.dtype is not wanted:
        raise ConversionError(
            f"Tensor conversion requested dtype {wanted.name} for Tensor with dtype {x.dtype.name}"
        )
    return x


def is_variable(x: object) -> bool:
    """Return whether something is a variable."""
    return isinstance(x, AnyVariable)


class _Kind(Creatable):
    """Counts every variable as one of tf.Variable; classes below it have their own instances."""

    def __instancecheck__(self, instance: Any) -> Any:
        is_own = self is not Variable
        return (
            super().__instancecheck__(instance) if is_own else is_variable(instance)
        )


class Variable(EagerVariable, metaclass=_Kind):
    """A variable that has its value; where a graph is built, one of the graph."""

    __slots__ = ("_trainable",)

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        if cls is Variable and active_graph() is not None:
            given = cls.arguments.bind(None, *args, **kwargs).arguments
            eager_only = ("self", "experimental_enable_variable_lifting")
            return RefVariable(
                **{k: x for k, x in given.items() if k not in eager_only}
            )
        return object.__new__(cls)

    @property
    def trainable(self) -> bool:
        """Whether modules list it among those to train; libraries change `_trainable` later."""
        return self._trainable

    @trainable.setter
    def trainable(self, wanted: bool) -> None:
        """Set whether modules list it among those to train."""
        self._trainable = wanted

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: Any = None,
        import_scope: Any = None,
        constraint: Any = None,
        synchronization: Any = None,
        aggregation: Any = None,
        shape: Any = None,
        experimental_enable_variable_lifting: bool = True,
    ) -> None:
        if initial_value is None:
            raise InvalidArgumentError(
                "The `initial_value` arg to `tf.Variable` must be specified except when you are "
                "not providing a `variable_def`."
            )
        if dtype is None and isinstance(initial_value, (complex, list, tuple)):
            initial_value = _wide(initial_value)
        super().__init__(
            initial_value,
            trainable,
            name=name,
            dtype=dtype,
            constraint=constraint,
            synchronization=synchronization,
            shape=shape,
        )
        self.distribute(synchronization, aggregation)

    def __tensor__(self) -> Any:
        """Return the value; classes below that hold it themselves say how it is converted."""
        has_handle = hasattr(self, "handle")
        return super().__tensor__() if has_handle else registered(self)

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what pickles this as a variable of its own; tensorlite's own are not pickled."""
        kept = {"name": bare_name(self), "trainable": self.trainable}
        made = partial(Variable, self.numpy(), constraint=self.constraint, **kept)
        return made, ()


Variable.arguments = signature(Variable.__init__)


_HOLDERS = (AnyVariable, Collector, dict, list, tuple)
"""What may hold variables that are saved."""


def device(device_name: Any) -> AbstractContextManager[None]:
    """Place operations inside the block on a device, like "/device:GPU:0".

    None takes away devices outside; a function is asked for the name with each operation.
    """
    return framework.device(device_name)


class Module(Collector):
    """A module that has a name; its attributes are gone through in the order of their names."""

    _TF_MODULE_IGNORED_PROPERTIES = frozenset({"awaiting"})
    """Names of attributes in which nothing is looked for; classes below it name more."""
    awaiting: tuple[Any, ...] = ()
    """Restores of checkpoints that have something for what will be here."""

    def __init__(self, name: str | None = None) -> None:
        chosen = _spelled(type(self)) if name is None else name
        if not chosen.isidentifier():
            raise InvalidArgumentError(
                f"{chosen!r} is not a valid module name. Module names must be valid Python "
                "identifiers (e.g. a valid class name)."
            )
        self._name = chosen
        with name_scope(chosen) as whole:
            self._name_scope = name_scope(whole)

    def _track_trackable(
        self, trackable: Any, name: str, overwrite: bool = False
    ) -> Any:
        """Have checkpoints know what is held by a name, and return it."""
        if getattr(self, name, trackable) is not trackable and not overwrite:
            raise InvalidArgumentError(
                f"Called Trackable._track_trackable() with name='{name}', but a Trackable with "
                "this name is already declared as a dependency; give another name, or overwrite="
            )
        setattr(self, name, trackable)
        return trackable

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, held(value))
        if name != "awaiting" and self.awaiting and isinstance(value, _HOLDERS):
            for restore in self.awaiting:
                restore.again()

    @property
    def name(self) -> str:
        """The module's name: what it was given, or its class' name in snake case."""
        return getattr(self, "_name", _spelled(type(self)))

    @property
    def name_scope(self) -> Any:
        """A scope in which names begin with the module's."""
        return self._name_scope

    @property
    def variables(self) -> Any:
        """The variables of the module and of those in it, in the order of attributes' names."""
        return tuple(self._flatten(predicate=is_variable))

    @property
    def trainable_variables(self) -> Any:
        """Those of `variables` that are trainable."""
        found = self._flatten(predicate=is_variable)
        return tuple(x for x in found if x.trainable)

    @property
    def non_trainable_variables(self) -> Any:
        """Those of `variables` that are not trainable."""
        found = self._flatten(predicate=is_variable)
        return tuple(x for x in found if not x.trainable)

    @property
    def submodules(self) -> Any:
        """The modules among the attributes, and those in them."""
        return tuple(self._flatten(predicate=lambda x: isinstance(x, Module)))

    def _flatten(
        self,
        recursive: bool = True,
        predicate: Callable[[Any], bool] | None = None,
        attribute_traversal_key: Any = None,
        with_path: bool = False,
        expand_composites: bool = False,
    ) -> Iterator[Any]:
        seen = None if with_path else {id(self)}
        for path, leaf in _reached(self, recursive, attribute_traversal_key, seen):
            if predicate is None or predicate(leaf):
                yield (path, leaf) if with_path else leaf

    def _no_dependency(self, value: Any) -> Any:
        """Return an attribute that is no part of the module where it is no module, as it is."""
        return value

    @classmethod
    def with_name_scope(cls, method: Callable[..., Any]) -> Callable[..., Any]:
        """Return a method so wrapped that it is called in the module's name scope."""

        @wraps(method)
        def named(self: Any, *args: Any, **kwargs: Any) -> Any:
            with self.name_scope:
                return method(self, *args, **kwargs)

        return named


def _spelled(kind: type) -> str:
    """Return the name of a class as modules of it are called: `MyDense` is `my_dense`."""
    pattern = r"(?<!^)(?=[A-Z][a-z])|(?<=[a-z0-9])(?=[A-Z])"
    return re.sub(pattern, "_", kind.__name__).lower()


def _reached(
    module: Any, recursive: bool, order: Any, seen: set[int] | None
) -> Iterator[tuple[Any, Any]]:
    """Yield what a module's attributes hold with its path; what is inside modules comes last."""
    inside = []
    ignored = getattr(module, "_TF_MODULE_IGNORED_PROPERTIES", ())
    for key in sorted(vars(module).keys() - ignored, key=order):
        for path, leaf in _leaves(vars(module)[key], (key,)):
            if seen is not None and id(leaf) in seen:
                continue
            if seen is not None:
                seen.add(id(leaf))
            yield path, leaf
            if recursive and isinstance(leaf, Collector):
                inside.append((path, leaf))
    for path, leaf in inside:
        for inner, found in _reached(leaf, recursive, order, seen):
            yield (*path, *inner), found


def _leaves(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[Any, Any]]:
    if isinstance(value, (list, tuple)) and not isinstance(value, AnyShape):
        labels = getattr(value, "_fields", range(len(value)))
        members = list(zip(labels, value, strict=True))
    elif isinstance(value, dict):
        members = [(key, value[key]) for key in sorted(value, key=str)]
    else:
        yield path, value
        return
    for label, member in members:
        yield from _leaves(member, (*path, label))


class NameScope:
    """Opens a scope of names below the one around, or the very one that was entered as `a/b/`."""

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise InvalidArgumentError("name for name_scope must be a string.")
        self._name = name
        self._entered: list[Any] = []

    @property
    def name(self) -> str:
        """The name that the scope was given."""
        return self._name

    def __enter__(self) -> str:
        opened = _opened(self._name)
        whole = opened.__enter__()
        self._entered.append(opened)
        return whole

    def __exit__(self, *error: object) -> None:
        self._entered.pop().__exit__(*error)


name_scope = NameScope


@contextmanager
def _opened(name: str) -> Iterator[str]:
    if active_graph() is not None:
        with framework.name_scope(name) as whole:
            yield whole
        return
    spelled = name.rstrip("/")
    around = scope.scope.get()
    outer = "" if spelled != name or not name else around.name
    token = scope.scope.set(around._replace(name=outer))
    try:
        if not spelled:
            yield ""
        else:
            with scope.name_scope(spelled) as prefix:
                yield f"{prefix}/"
    finally:
        scope.scope.reset(token)


def get_current_name_scope() -> str:
    """Return the names of the open scopes, joined by "/"; "" outside of all."""
    return scope.scope.get().name


def inside_function() -> bool:
    """Return whether a function is being traced; a graph that is built by hand is none."""
    return tracer() is not None and active_graph() is None


def is_symbolic_tensor(tensor: Any) -> bool:
    """Return whether something is a tensor of a graph that is being built or traced."""
    return isinstance(tensor, Tensor) and hasattr(tensor, "node")


def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    gate_gradients: bool = False,
    aggregation_method: Any = None,
    stop_gradients: Any = None,
    unconnected_gradients: Any = UnconnectedGradients.NONE,
) -> Any:
    """Return the derivatives of the sum of ys by each of xs, in a graph or a traced function.

    grad_ys are weights of ys, ones if None; stop_gradients are tensors taken as constant.
    gate_gradients and aggregation_method have no effect. InvalidArgumentError is raised where
    neither a graph is built nor a function is traced.
    """
    if active_graph() is None and tracer() is None:
        raise InvalidArgumentError(
            "tf.gradients is not supported when eager execution is enabled. Use tf.GradientTape "
            "instead."
        )
    return framework.gradients(
        ys,
        xs,
        grad_ys,
        name,
        stop_gradients=stop_gradients,
        unconnected_gradients=unconnected_gradients,
    )
