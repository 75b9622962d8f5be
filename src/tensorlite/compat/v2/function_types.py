"""What tf.types says of functions: FunctionType, of parameters and results, and TraceType.

Functions themselves stand in functions.py.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from inspect import Parameter, Signature
from typing import Any, Protocol, runtime_checkable

from tensorlite.core import nest
from tensorlite.core.spec import TensorSpec
from tensorlite.core.texts import shape_text, spec_repr
from tensorlite.function.binding import Binding
from tensorlite.ops.state.variable import Variable

__all__ = ["TraceType"]


class TraceType(ABC):
    """How an argument counts for a function's cache of traces."""

    @abstractmethod
    def is_subtype_of(self, other: TraceType) -> bool:
        """Return whether a trace for the other type serves this one too."""

    @abstractmethod
    def most_specific_common_supertype(self, others: Any) -> TraceType | None:
        """Return the narrowest type that holds this one and others, or None."""

    @abstractmethod
    def placeholder_value(self, placeholder_context: Any = None) -> Any:
        """Return what stands for the argument while the function is traced."""

    @abstractmethod
    def __hash__(self) -> int: ...

    @abstractmethod
    def __eq__(self, other: object) -> bool: ...


class TracingContext:
    """What is told to those that say how they count."""


@runtime_checkable
class SupportsTracingProtocol(Protocol):
    """Whatever says itself how it counts for traces."""

    def __tf_tracing_type__(self, context: TracingContext) -> TraceType: ...


def own_part(leaf: Any, part: Any) -> Any:
    """Return how an argument counts: as it says itself, or else as `part`."""
    said = getattr(leaf, "__tf_tracing_type__", None)
    return part if said is None or isinstance(leaf, type) else said(TracingContext())


@dataclass(frozen=True)
class Kind:
    """The type of an argument or result, which is known by its text."""

    text: str

    def __repr__(self) -> str:
        return self.text


class FunctionType(Signature):
    """The parameters of a trace, each annotated with its type, its result and what it captures."""

    def __init__(
        self, parameters: Iterable[Parameter], output: Any, captures: dict[int, Any]
    ) -> None:
        super().__init__(list(parameters), return_annotation=output)
        self.captures = captures

    @property
    def output(self) -> Any:
        """The type of what the function returns."""
        return self.return_annotation

    def __repr__(self) -> str:
        given = [
            f"  {x.name} ({x.kind.name}): {x.annotation!r}"
            for x in self.parameters.values()
        ]
        captured = [f"  {key}: {x!r}" for key, x in self.captures.items()]
        lines = ["Input Parameters:", *given, "Output Type:", f"  {self.output!r}"]
        return "\n".join([*lines, "Captures:", *(captured or ["  None"])])


def function_type(
    takes: Binding, output: Any, captured: Iterable[Any]
) -> FunctionType:
    """Return the type of a trace, of its arguments, with specs for tensors, and its result."""
    parameters = [
        Parameter(name, x.kind, annotation=kind_of(takes.traced[name]))
        for name, x in takes.signature.parameters.items()
    ]
    captures = {id(x): kind_of(x.spec) for x in captured}
    return FunctionType(parameters, kind_of(output), captures)


def kind_of(value: Any) -> Any:
    """Return the type of an argument or result, in which specs stand for tensors."""
    if isinstance(value, TensorSpec):
        return Kind(spec_repr(value.without_name()))
    if isinstance(value, Variable):
        head = f"shape={shape_text(value.spec)}, dtype=tf.{value.dtype.name}"
        return Kind(f"VariableSpec({head}, trainable={value.trainable})")
    if isinstance(value, dict):
        pairs = [f"[{key!r}, {kind_of(x)!r}]" for key, x in value.items()]
        return Kind(f"Dict[{', '.join(pairs)}]")
    if isinstance(value, (list, tuple)):
        members = ", ".join(repr(kind_of(x)) for x in nest.children(value))
        return Kind(f"{type(value).__name__.capitalize()}[{members}]")
    is_plain = value is None or isinstance(
        value, (bool, int, float, complex, str, bytes)
    )
    return Kind(f"Literal[{value!r}]" if is_plain else f"Reference[{value!r}]")
