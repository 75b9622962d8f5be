"""tf.function: traced functions with the arguments and attributes that TensorFlow's have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from inspect import Parameter, signature
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from tensorlite.compat.shared import python
from tensorlite.compat.shared.specs.tensor_specs import told
from tensorlite.compat.v2.framework import constant
from tensorlite.compat.v2.func_graphs import FuncGraph
from tensorlite.compat.v2.function_types import (
    FunctionType,
    function_type,
    own_part,
)
from tensorlite.compat.views import in_graph, plain
from tensorlite.core import nest
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.shapes import TensorShape
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor
from tensorlite.function.binding import Binding
from tensorlite.function.compile import ConcreteFunction
from tensorlite.function.function import Function
from tensorlite.graph_mode.graph import active_graph
from tensorlite.interop.tensorflow.writing import Library
from tensorlite.ops.arrays.identity import result
from tensorlite.ops.state.variable import Variable


class _MisfitError(InvalidArgumentError, TypeError):
    """Arguments that a signature does not allow."""


class Concrete(ConcreteFunction):
    """A trace, with TensorFlow's attributes."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return what the function returns for arguments that fit this trace."""
        call = super().__call__
        if active_graph() is None:
            return call(*args, **kwargs)
        return in_graph(
            lambda: call(*plain(args), **plain(kwargs)), "PartitionedCall"
        )

    @property
    def structured_input_signature(self) -> Any:
        """The specs of the positional and of the named arguments: (tuple, dict)."""
        if isinstance(self.binding, Binding):
            return told(self.binding.named)
        return told(self.structured_inputs)

    @property
    def inputs(self) -> list[Any]:
        """The graph's placeholders, of arguments and captured tensors."""
        return list(self.graph.inputs)

    @property
    def outputs(self) -> list[Any]:
        """The tensors that the graph returns, as a flat list."""
        return list(self.graph.outputs)

    @property
    def output_shapes(self) -> Any:
        """The shapes of what is returned, in its structure."""
        return nest.map_structure(
            lambda x: None if x is None else TensorShape(x.shape),
            self.structured_outputs,
        )

    @property
    def output_dtypes(self) -> Any:
        """The dtypes of what is returned, in its structure."""
        return nest.map_structure(
            lambda x: None if x is None else x.dtype, self.structured_outputs
        )

    @property
    def captured_inputs(self) -> list[Any]:
        """The tensors from outside that the trace reads."""
        return list(self.captured)

    @property
    def variables(self) -> Sequence[Any]:
        """The variables that the trace reads or writes, as far as they are still there."""
        states = [getattr(x, "array", None) for x in self.captured]
        owners = [getattr(state, "owner", None) for state in states]
        held = [owner() for owner in owners if owner is not None]
        return tuple([x for x in held if x is not None])

    @property
    def trainable_variables(self) -> Sequence[Any]:
        """Those of `variables` that are trainable."""
        return tuple([x for x in self.variables if x.trainable])

    @property
    def function_type(self) -> FunctionType:
        """Parameters, result and captured tensors with their types."""
        takes = self.binding
        if not isinstance(takes, Binding):
            args, kwargs = self.structured_inputs
            labels = [f"args_{i}" for i in range(len(args))]
            takes = Binding(self.name, labels, (args, kwargs))
        return function_type(takes, self.structured_outputs, self.captured)

    @property
    def function_def(self) -> Any:
        """The trace as a FunctionDef."""
        library = Library()
        name = library.function(super().graph, f"__inference_{self.name}").name
        made = library.proto.library.function
        return next(x for x in made if x.signature.name == name)

    @property
    def inference_fn(self) -> Concrete:
        """The trace itself: there is none beside it for derivatives."""
        return self

    @cached_property
    def graph(self) -> FuncGraph:
        """The traced graph, with the methods of TensorFlow's."""
        return FuncGraph.of(super().graph, self)

    def add_to_graph(self, g: Any = None, overwrite: bool = False) -> None:
        """Do nothing: calls carry their traces, graphs have no libraries to be filled first."""

    def add_gradient_functions_to_graph(self, g: Any = None) -> None:
        """Do nothing: gradients are made of the trace that a call carries."""

    def pretty_printed_signature(self, verbose: bool = True) -> str:
        """Return parameters, result and captures as text; the short form if not verbose."""
        described = self.function_type
        return repr(described) if verbose else str(described)

    def __str__(self) -> str:
        return f"ConcreteFunction {self.pretty_printed_signature()}"

    def __repr__(self) -> str:
        signature = self.pretty_printed_signature(verbose=False)
        return f"<ConcreteFunction {signature} at 0x{id(self):X}>"


_SHOWN: WeakKeyDictionary[ConcreteFunction, Concrete] = WeakKeyDictionary()
"""Traces as the program sees them."""


class PolymorphicFunction(Function[..., Any]):
    """A function that is traced for each kind of arguments."""

    makes_once = True

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if active_graph() is None:
            return super().__call__(*args, **kwargs)
        call = super().__call__
        return in_graph(
            lambda: call(*plain(args), **plain(kwargs)), "PartitionedCall"
        )

    def _arguments(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        try:
            given = super()._arguments(args, kwargs)
        except InvalidArgumentError as error:
            raise _MisfitError(str(error)) from error
        pairs = zip(given.leaves, given.parts, strict=True)
        parts = tuple([own_part(leaf, part) for leaf, part in pairs])
        return given if parts == given.parts else given.with_parts(parts)

    def returned(self, value: Any) -> Any:
        """Return a result with tensors for variables, numbers and texts, each as `Identity`."""
        return nest.map_structure(_as_result, value)

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> Any:
        """Return the trace for arguments, or for tensor specs in their place."""
        return self._shown(super().get_concrete_function(*args, **kwargs))

    def _shown(self, concrete: ConcreteFunction) -> Concrete:
        """Return a trace as one that has TensorFlow's attributes; it is the same trace."""
        known = _SHOWN.get(concrete)
        if known is None:
            known = _SHOWN[concrete] = object.__new__(Concrete)
            vars(known).update(vars(concrete))
        return known

    def experimental_get_tracing_count(self) -> int:
        """Return how often the function was traced."""
        return self.trace_count

    def all_concrete_functions(self) -> list[Any]:
        """Return all traces there are, in the order in which they were made."""
        found = dict.fromkeys(
            [*self.cache.concrete.values(), *[x for _, x in self.cache.general]]
        )
        return [self._shown(x) for x in found]

    _list_all_concrete_functions = all_concrete_functions

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """Return the signatures of all traces as text; verbose has no effect."""
        found = self.all_concrete_functions()
        return "\n\n".join(x.pretty_printed_signature() for x in found)

    def _decorate(self, decorator: Callable[..., Any]) -> None:
        """Put a decorator around the Python function, before it is first traced."""
        if self.trace_count:
            raise ValueError(
                "Functions cannot be decorated after they have been traced."
            )
        self.python_function = decorator(self.python_function)

    @property
    def function_spec(self) -> Any:
        """The input signature that was given, or None."""
        return self.input_signature

    def experimental_get_compiler_ir(self, *args: Any, **kwargs: Any) -> Any:
        """Raise InvalidArgumentError: there is no XLA."""
        raise InvalidArgumentError(
            "experimental_get_compiler_ir: there is no XLA here; "
            "get_concrete_function(...).text() shows the graph"
        )


def _as_tensor(leaf: Any) -> Any:
    if isinstance(leaf, Variable):
        return leaf.__tensor__()
    is_plain = isinstance(leaf, (bool, int, float, complex, str, bytes, np.ndarray))
    return constant(leaf) if is_plain or isinstance(leaf, np.generic) else leaf


def _as_result(leaf: Any) -> Any:
    """Return a leaf of a result as TensorFlow's graphs have it, an `Identity` of what it was."""
    made = _as_tensor(leaf)
    return result(made) if isinstance(made, Tensor) else made


def _checked(input_signature: Any) -> Any:
    """Return an input signature as a tuple; DTypeError for what is none."""
    if input_signature is None:
        return None
    if not isinstance(input_signature, (tuple, list)):
        raise DTypeError(
            f"input_signature must be either a tuple or a list, got {type(input_signature)}"
        )
    wrong = [
        x for x in nest.flatten(input_signature) if not isinstance(x, TensorSpec)
    ]
    if wrong:
        raise DTypeError(
            "input_signature must be a possibly nested sequence of TensorSpec objects, got "
            f"invalid args {wrong} with types {[type(x) for x in wrong]}"
        )
    return tuple(input_signature)


def _check_parameters(func: Callable[..., Any], specs: Sequence[Any] | None) -> None:
    """Raise DTypeError where an input signature has too few members for a function, or too many."""
    if specs is None:
        return
    try:
        found = list(signature(func).parameters.values())
    except (TypeError, ValueError):  # a function of C tells no parameters
        return
    found = found[1:] if found and found[0].name == "self" else found
    kinds = Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD
    placed = [x for x in found if x.kind in kinds]
    named = [x for x in found if x.kind is Parameter.KEYWORD_ONLY]
    bare = [x for x in [*placed, *named][len(specs) :] if x.default is x.empty]
    takes_more = any(x.kind is Parameter.VAR_POSITIONAL for x in found)
    extra = len(specs) - len(placed) - len(named)
    if bare:
        raise DTypeError(
            f"input_signature missing type constraint for {bare[0].name}"
        )
    if extra > 0 and not takes_more:
        raise DTypeError(f"input_signature contains {extra} extra type constraints.")


def function(
    func: Callable[..., Any] | None = None,
    input_signature: Any = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: Any = None,
    experimental_autograph_options: Any = None,
    experimental_attributes: Any = None,
    experimental_relax_shapes: bool | None = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
) -> Any:
    """Return a function that is traced to a graph for each kind of arguments, then run as that.

    Without func a decorator is returned. input_signature allows one trace only; reduce_retracing
    (experimental_relax_shapes in older programs) lets shapes become general; autograph converts
    loops and conditions on tensors. The other arguments have no effect.

    >>> from tensorlite.compat import v2 as tf
    >>> int(tf.function(lambda x: x * x)(tf.constant(3)))
    9
    """
    general = bool(reduce_retracing or experimental_relax_shapes)
    input_signature = _checked(input_signature)

    def decorate(python_function: Callable[..., Any]) -> Any:
        if not callable(python_function):
            raise DTypeError(
                f"{python_function!r} is not a callable object: tf.function takes a function"
            )
        _check_parameters(python_function, input_signature)
        return PolymorphicFunction(
            python_function,
            input_signature=input_signature,
            autograph=autograph,
            reduce_retracing=general,
        )

    return decorate if func is None else decorate(func)


def py_function(
    func: Callable[..., Any] | None = None,
    inp: Any = None,
    Tout: Any = None,
    name: str | None = None,
) -> Any:
    """Return what a Python function of eager tensors gives, as tensors of the dtypes Tout.

    inp are the tensors it is given; gradients go through it. Without func a decorator is returned.
    """
    if func is not None:
        return python.py_function(func, inp, Tout, name)

    def decorate(python_function: Callable[..., Any]) -> Callable[..., Any]:
        def called(*args: Any) -> Any:
            return python.py_function(python_function, args, Tout, name)

        return called

    return decorate
