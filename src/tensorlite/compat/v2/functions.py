"""tf.function: traced functions with the arguments and attributes that TensorFlow's have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.compat.shared import python
from tensorlite.compat.views import in_graph, plain
from tensorlite.core import nest
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.spec import TensorSpec
from tensorlite.function.compile import ConcreteFunction
from tensorlite.function.function import Function
from tensorlite.graph_mode.graph import active_graph


class _MisfitError(InvalidArgumentError, TypeError):
    """Arguments that a signature does not allow."""


class Concrete(ConcreteFunction):
    """A trace, with TensorFlow's attributes."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return what the trace gives; TypeError for arguments that are not like its own."""
        try:
            return super().__call__(*args, **kwargs)
        except RuntimeError as error:
            if "was traced for" not in str(error):
                raise
            raise _MisfitError(str(error)) from error

    @property
    def structured_input_signature(self) -> Any:
        return self.structured_inputs

    @property
    def inputs(self) -> list[Any]:
        return list(self.graph.inputs)

    @property
    def outputs(self) -> list[Any]:
        return list(self.graph.outputs)

    @property
    def output_shapes(self) -> Any:
        return nest.map_structure(
            lambda x: None if x is None else x.shape, self.structured_outputs
        )

    @property
    def output_dtypes(self) -> Any:
        return nest.map_structure(
            lambda x: None if x is None else x.dtype, self.structured_outputs
        )

    @property
    def captured_inputs(self) -> list[Any]:
        return list(self.captured)

    @property
    def variables(self) -> list[Any]:
        states = [getattr(x, "array", None) for x in self.captured]
        owners = [getattr(state, "owner", None) for state in states]
        held = [owner() for owner in owners if owner is not None]
        return [x for x in held if x is not None]

    @property
    def trainable_variables(self) -> list[Any]:
        return [x for x in self.variables if x.trainable]

    def pretty_printed_signature(self, verbose: bool = True) -> str:
        args, kwargs = self.structured_inputs
        given = [
            *map(_described, args),
            *[f"{k}: {_described(x)}" for k, x in kwargs.items()],
        ]
        returned = nest.map_structure(_described, self.structured_outputs)
        return f"{self.name}({', '.join(given)}) -> {returned}"

    def __str__(self) -> str:
        return f"ConcreteFunction {self.pretty_printed_signature()}"


def _described(x: Any) -> str:
    if isinstance(x, TensorSpec):
        return f"TensorSpec(shape={x.shape}, dtype=tf.{x.dtype.name})"
    return repr(x)


class PolymorphicFunction(Function[..., Any]):
    """A function that is traced for each kind of arguments."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if active_graph() is None:
            return super().__call__(*args, **kwargs)
        call = super().__call__
        return in_graph(lambda: call(*plain(args), **plain(kwargs)), "PartitionedCall")

    def _arguments(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        try:
            return super()._arguments(args, kwargs)
        except InvalidArgumentError as error:
            raise _MisfitError(str(error)) from error

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> Any:
        return _shown(super().get_concrete_function(*args, **kwargs))

    def experimental_get_tracing_count(self) -> int:
        return self.trace_count

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        found = dict.fromkeys(
            [*self.cache.concrete.values(), *[x for _, x in self.cache.general]]
        )
        return "\n\n".join(_shown(x).pretty_printed_signature() for x in found)

    def _decorate(self, decorator: Callable[..., Any]) -> None:
        """Put a decorator around the Python function, before it is first traced."""
        if self.trace_count:
            raise ValueError(
                "Functions cannot be decorated after they have been traced."
            )
        self.python_function = decorator(self.python_function)

    @property
    def function_spec(self) -> Any:
        return self.input_signature

    def experimental_get_compiler_ir(self, *args: Any, **kwargs: Any) -> Any:
        raise InvalidArgumentError(
            "experimental_get_compiler_ir: there is no XLA here; "
            "get_concrete_function(...).text() shows the graph"
        )


def _shown(concrete: ConcreteFunction) -> Concrete:
    """Return a trace as one that has TensorFlow's attributes; it is the same trace."""
    made = object.__new__(Concrete)
    vars(made).update(vars(concrete))
    return made


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
    general = bool(reduce_retracing or experimental_relax_shapes)

    def decorate(python_function: Callable[..., Any]) -> Any:
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
    if func is not None:
        return python.py_function(func, inp, Tout, name)

    def decorate(python_function: Callable[..., Any]) -> Callable[..., Any]:
        def called(*args: Any) -> Any:
            return python.py_function(python_function, args, Tout, name)

        return called

    return decorate
