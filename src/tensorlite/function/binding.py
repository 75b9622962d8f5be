"""Which tensors a trace takes out of the arguments of a call: by its parameters, or one by one.

A parameter that was traced with Python values alone may be left out of calls, or be given again as
it was. How arguments choose a trace is in signature.py.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from inspect import Parameter, Signature
from typing import Any

from tensorlite.core import nest
from tensorlite.core.dispatch import to_tensor
from tensorlite.core.errors import (
    InvalidArgumentError,
    StructureError,
    TensorliteError,
    TracingError,
)
from tensorlite.core.operand import Operand
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor
from tensorlite.function.signature import as_input, part_of


class BindingError(InvalidArgumentError, TracingError, TypeError):
    """Arguments that a trace was not made for."""


class Binding:
    """The parameters of a trace, and what they were traced with."""

    def __init__(self, name: str, labels: Sequence[str], takes: Any) -> None:
        """Bind to what a trace takes: (by position, by name), with specs in place of tensors.

        `labels` are what the arguments by position are called.
        """
        self._name = name
        by_position, by_name = takes
        self.labels = [_identifier(label) for label in labels]
        """What arguments by position are called."""
        named = [*self.labels, *[_identifier(label) for label in by_name]]
        values = [*by_position, *by_name.values()]
        self.traced = dict(zip(named, values, strict=True))
        """What each parameter was traced with."""
        self.signature = Signature(_parameters(self.traced, len(self.labels)))
        self.names = _input_names(self.traced)
        """The name of each input: its spec's, or its parameter's, with a number where taken."""
        self._specs = _specs(values)

    def __call__(
        self, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> list[Tensor]:
        """Return the tensors in the arguments of a call, in the order of the trace's inputs."""
        try:
            return self._structured(args, kwargs)
        except (TypeError, TensorliteError) as error:
            try:
                return self.flat(args, kwargs)
            except (TypeError, TensorliteError) as flat:
                raise BindingError(
                    f"Binding inputs to {self._name}{self.signature} failed due to `{error}`; "
                    f"nor are they one tensor for each of its inputs: {flat}"
                ) from None

    def _structured(
        self, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> list[Tensor]:
        named = {_identifier(key): value for key, value in kwargs.items()}
        bound = self.signature.bind(*args, **named)
        bound.apply_defaults()
        return [
            x
            for label, traced in self.traced.items()
            for x in _tensors(label, traced, bound.arguments[label])
        ]

    @property
    def named(self) -> Any:
        """The arguments, with specs for tensors that bear their own names or those of paths."""
        named = {
            label: nest.pack_like(value, _named(label, value))
            for label, value in self.traced.items()
        }
        args = [named[label] for label in list(named)[: len(self.labels)]]
        return tuple(args), dict(list(named.items())[len(self.labels) :])

    def flat(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Tensor]:
        """Return arguments that are one tensor for each input, by position or by its name."""
        called = f"{self._name}({', '.join(self.names)})"
        if len(args) > len(self.names):
            raise BindingError(
                f"{called} takes {len(self.names)} positional arguments, got {len(args)}"
            )
        named = {_identifier(key): value for key, value in kwargs.items()}
        twice = sorted(set(named) & set(self.names[: len(args)]))
        if twice:
            raise BindingError(f"{called} got two values for {twice[0]!r}")
        missing = sorted(set(self.names[len(args) :]) - set(named))
        if missing:
            raise BindingError(
                f"{called} missing required arguments: {', '.join(missing)}"
            )
        unexpected = sorted(set(named) - set(self.names))
        if unexpected:
            raise BindingError(
                f"{called} got unexpected keyword arguments: {', '.join(unexpected)}"
            )
        given = [*args, *[named[key] for key in self.names[len(args) :]]]
        for i, x in enumerate(given):
            if not isinstance(x, Operand):
                raise BindingError(
                    f"{called}: expected argument #{i}(zero-based) to be a Tensor; got "
                    f"{type(x).__name__} ({x})"
                )
        pairs = zip(self.names, self._specs, given, strict=True)
        return [_fitting(name, spec, to_tensor(x)) for name, spec, x in pairs]


def _identifier(label: str) -> str:
    """Return a label or path as a name: `args[0]` as args_0, `x['a']` as x_a."""
    return re.sub(r"\W+", "_", re.sub(r"\W+$", "", label))


def _specs(value: Any) -> list[TensorSpec]:
    return [x for x in nest.flatten(value) if isinstance(x, TensorSpec)]


def _parameters(traced: Mapping[str, Any], positional: int) -> list[Parameter]:
    """Return the parameters of calls; those at the end that take no tensors have defaults."""
    takes = [bool(_specs(value)) for value in traced.values()]
    last = max([i for i in range(positional) if takes[i]], default=-1)
    kinds = Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY
    return [
        Parameter(
            label,
            kinds[i >= positional],
            default=Parameter.empty if takes[i] or i < last else value,
        )
        for i, (label, value) in enumerate(traced.items())
    ]


def _input_names(traced: Mapping[str, Any]) -> list[str]:
    names: list[str] = []
    for label, value in traced.items():
        for spec in _specs(value):
            wanted = name = _identifier(spec.name or label)
            count = 0
            while name in names:
                count += 1
                name = f"{wanted}_{count}"
            names.append(name)
    return names


def _named(label: str, value: Any) -> list[Any]:
    """Return the leaves of an argument, with names for specs that have none."""
    return [
        x.with_name(_identifier(path))
        if isinstance(x, TensorSpec) and not x.name
        else x
        for path, x in zip(nest.paths(value, label), nest.flatten(value), strict=True)
    ]


def _tensors(label: str, traced: Any, given: Any) -> list[Tensor]:
    """Return the tensors in one argument, whose other values must be those of the trace."""
    if given is traced:
        return []
    try:
        nest.assert_same(traced, given)
    except StructureError as error:
        raise BindingError(
            f"{label}: call and trace don't have the same nested structure: {error}; Can not cast "
            f"{given!r} to {traced!r}"
        ) from None
    taken = []
    for one, leaf in zip(nest.flatten(traced), nest.flatten(given), strict=True):
        if isinstance(one, TensorSpec):
            taken.append(_fitting(label, one, as_input(leaf, one)))
        elif part_of(one) != part_of(leaf):
            raise BindingError(f"{label}: Can not cast {leaf!r} to {one!r}")
    return taken


def _fitting(label: str, spec: TensorSpec, x: Tensor) -> Tensor:
    if not spec.accepts(x.spec):
        raise BindingError(f"{label}: Can not cast {x.spec!r} to {spec!r}")
    return x
