"""What a traced function's arguments are to its cache: bound, flattened, and told by a key.

Tensors count by dtype and shape, variables by identity, Python values by value where they have
equality of their own and by identity where not.
"""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from tensorlite.core import nest
from tensorlite.core.device import DeviceName
from tensorlite.core.dispatch import to_tensor
from tensorlite.core.dtypes import as_dtype
from tensorlite.core.errors import (
    DTypeError,
    InvalidArgumentError,
    StructureError,
    note,
)
from tensorlite.core.operand import Operand
from tensorlite.core.scope import scope
from tensorlite.core.spec import TensorSpec, join
from tensorlite.core.tensor import EagerTensor, Tensor
from tensorlite.function.staged_list import StagedList
from tensorlite.ops.arrays.ensure import ensure_shape

ndarray = np.ndarray
Key: TypeAlias = "tuple[Any, ...]"
PLAIN = (int, bool, str, type(None), bytes)


class Identity:
    """An object as a part of a key: equal only to itself, and kept alive by nobody here."""

    __slots__ = ("_hash", "_ref")

    def __init__(self, value: object) -> None:
        self._hash = id(value)
        try:
            self._ref: Callable[[], object] = weakref.ref(value)
        except TypeError:
            self._ref = lambda: value

    @property
    def value(self) -> object:
        """The object, None when it is gone."""
        return self._ref()

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Identity):
            return NotImplemented
        mine = self._ref()
        return mine is not None and mine is other._ref()

    def __repr__(self) -> str:
        value = self._ref()
        return (
            "an object that is gone"
            if value is None
            else f"{type(value).__name__} object"
        )


@dataclass(frozen=True)
class Arguments:
    """Arguments as they came, flattened, with their key."""

    structure: Any
    """(positional, by keyword), as the function takes them."""
    leaves: tuple[Any, ...]
    parts: Key
    """What the key holds of each leaf; a TensorSpec for those that are tensors."""
    shape: Key
    """What the key holds of the structure."""
    paths: tuple[str, ...]
    labels: tuple[str, ...] = ()
    """The name of each argument."""
    device: DeviceName = DeviceName()
    """The device scope of the call."""

    @property
    def key(self) -> Key:
        """The key of these arguments in a function's cache."""
        return (self.shape, self.parts, self.device)

    @property
    def tensors(self) -> list[Tensor]:
        """The leaves that are tensors of the graph."""
        pairs = zip(self.leaves, self.parts, strict=True)
        return [
            as_input(leaf, part)
            for leaf, part in pairs
            if isinstance(part, TensorSpec)
        ]

    @property
    def structured(self) -> Any:
        """(positional, by keyword), with specs in place of tensors."""
        pairs = zip(self.parts, self.leaves, strict=True)
        specs = [p if isinstance(p, TensorSpec) else leaf for p, leaf in pairs]
        return nest.pack_like(self.structure, specs)

    def with_parts(self, parts: Sequence[Any]) -> Arguments:
        """Return the same arguments, some of which count as other tensors."""
        return replace(self, parts=tuple(parts))

    def remembered(self) -> Arguments:
        """Return what later calls are compared with, which keeps no value alive."""
        return replace(self, structure=None, leaves=())


def as_input(leaf: Any, spec: TensorSpec) -> Tensor:
    """Return an argument as a tensor of its spec's dtype.

    One of a graph of which less is known has the spec's shape, or is an error when it runs.
    """
    if not isinstance(leaf, Tensor):
        return to_tensor(leaf, spec.dtype)
    made = to_tensor(leaf)
    known = isinstance(made, EagerTensor) or spec.accepts(made.spec)
    return (
        made
        if known or not made.spec.accepts(spec)
        else ensure_shape(made, spec.shape)
    )


class Signature:
    """A function's parameters: binds arguments to them and makes keys."""

    def __init__(self, function: Callable[..., Any], skip_first: bool) -> None:
        signature = inspect.signature(function)
        if skip_first:
            signature = signature.replace(
                parameters=list(signature.parameters.values())[1:]
            )
        self.signature = signature
        plain = (
            inspect.Parameter.POSITIONAL_ONLY,
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
        )
        parameters = signature.parameters.values()
        self.names = list(signature.parameters)
        self.simple = all(p.kind in plain for p in parameters)
        """Whether every argument may stand by position."""

    def bind(
        self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Arguments:
        """Return the arguments with defaults filled in; TypeError when they do not fit."""
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as error:
            note(error, f"in the call of {name}{self.signature}")
            raise
        bound.apply_defaults()
        # In the order in which structures are flattened and packed again: that of the names.
        by_name = dict(sorted(bound.kwargs.items()))
        structure = (bound.args, by_name)
        values = (*bound.args, *by_name.values())
        flat = [leaf for value in values for leaf in _flat(value)]
        parts = tuple([part_of(leaf) for leaf in flat])
        labels = (*self._labels(len(bound.args)), *by_name)
        named = zip(labels, values, strict=True)
        paths = tuple(
            [path for label, value in named for path in nest.paths(value, label)]
        )
        return Arguments(
            structure,
            tuple(flat),
            parts,
            _shape(structure),
            paths,
            labels,
            scope.get().device,
        )

    def specs(self, name: str, wanted: Sequence[Any], given: Arguments) -> list[Any]:
        """Return `input_signature`, which has the parameters' order, in the order of arguments."""
        args, kwargs = given.structure
        plain, rest = list(wanted[: len(args)]), wanted[len(args) :]
        if not rest:
            return plain
        declared = [key for key in self.signature.parameters if key in kwargs]
        if len(rest) != len(declared):
            raise InvalidArgumentError(
                f"{name}: input_signature has {len(rest)} members for the keyword-only parameters "
                f"{declared}; give one for each, or none, so that they keep their values"
            )
        named = dict(zip(declared, rest, strict=True))
        return [*plain, *[named[key] for key in kwargs]]

    def _labels(self, number: int) -> list[str]:
        """Return the names of arguments by position: those of parameters, `rest[0]` beyond."""
        parameters = self.signature.parameters.values()
        kinds = inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD
        plain = [p for p in parameters if p.kind not in kinds]
        rest = [p.name for p in plain if p.kind is inspect.Parameter.VAR_POSITIONAL]
        labels = [p.name for p in plain if p.name not in rest][:number]
        return labels + [f"{rest[0]}[{i}]" for i in range(number - len(labels))]


def _flat(value: Any) -> list[Any]:
    kind = type(value)
    if kind is EagerTensor or kind in PLAIN or kind is float:
        return [value]
    return nest.flatten(value)


def _shape(value: Any) -> Any:
    """Return the structure of a value without its leaves, hashable."""
    if not nest.is_nested(value):
        return None
    keys: Any = ()
    if isinstance(value, dict):
        keys = tuple(value)
        members = list(value.values())
    else:
        keys = nest.kept_of(value)
        members = nest.children(value)
    return (type(value), keys, *[_shape(member) for member in members])


def part_of(leaf: Any) -> Any:
    """Return what a key holds of an argument."""
    if isinstance(leaf, Tensor):
        return leaf.spec.without_value()
    if isinstance(leaf, TensorSpec):
        return leaf
    if isinstance(leaf, (ndarray, np.generic)):
        return TensorSpec(leaf.shape, as_dtype(leaf.dtype))
    if isinstance(leaf, StagedList):
        return leaf.stack().spec.without_value()
    if isinstance(leaf, Operand):
        return Identity(getattr(leaf, "handle", leaf))
    if isinstance(leaf, float):
        return (float, leaf.hex())
    if hasattr(leaf, "__array__"):
        return part_of(np.asarray(leaf))
    if isinstance(leaf, PLAIN) or _has_equality(leaf):
        return (type(leaf), leaf)
    return Identity(leaf)


def _has_equality(leaf: Any) -> bool:
    kind = type(leaf)
    if getattr(kind, "__eq__", None) is object.__eq__ or callable(leaf):
        return False
    try:
        hash(leaf)
    except TypeError:
        return False
    return True


def told(part: Any) -> str:
    """Return a part of a key as readable text."""
    if isinstance(part, TensorSpec):
        return f"{part.dtype.name}{list(part.shape) if part.shape is not None else '[...]'}"
    if isinstance(part, Identity):
        return repr(part)
    if isinstance(part, tuple) and len(part) == 2:
        value = float.fromhex(part[1]) if part[0] is float else part[1]
        return f"{part[0].__name__} {value!r}"
    return repr(part)


def number_of(part: Any) -> TensorSpec | None:
    """Return the spec that a Python number in a key has as a tensor, None for other parts."""
    if isinstance(part, tuple) and part[0] in (int, float):
        return TensorSpec((), as_dtype(part[0]))
    return None


def generalised(old: Sequence[Any], new: Sequence[Any]) -> tuple[Any, ...] | None:
    """Return parts that cover two keys' parts, or None when only another trace does.

    Sizes that differ become unknown, and Python numbers that differ become tensors.
    """
    if len(old) != len(new):
        return None
    parts = [_cover(a, b) for a, b in zip(old, new, strict=True)]
    return None if any(part is None for part in parts) else tuple(parts)


def _cover(a: Any, b: Any) -> Any:
    if a == b:
        return a
    first = a if isinstance(a, TensorSpec) else number_of(a)
    second = b if isinstance(b, TensorSpec) else number_of(b)
    if first is None or second is None or first.dtype is not second.dtype:
        return None
    return join(first, second)


def covers(general: Sequence[Any], parts: Sequence[Any], *, numbers: bool) -> bool:
    """Return whether a trace for general parts serves arguments with these parts.

    With `numbers`, those of Python may stand for tensors.
    """
    return len(general) == len(parts) and all(
        a == b or (isinstance(a, TensorSpec) and _accepted(a, b, numbers=numbers))
        for a, b in zip(general, parts, strict=True)
    )


def _accepted(spec: TensorSpec, part: Any, *, numbers: bool) -> bool:
    if numbers and not isinstance(part, TensorSpec):
        part = number_of(part)
    if not isinstance(part, TensorSpec) or part.name not in {None, spec.name}:
        return False
    return spec.accepts(part)


def checked(name: str, wanted: Any, given: Arguments) -> Arguments:
    """Return arguments as the specs of `input_signature` say; an error names one that does not fit.

    Parameters beyond those of the signature keep their values.
    """
    specs = list(wanted)
    args, kwargs = given.structure
    if len(specs) > len(args) + len(kwargs):
        raise InvalidArgumentError(
            f"{name}: input_signature has {len(specs)} members, the function was given "
            f"{len(args) + len(kwargs)} arguments"
        )
    values = [*args, *kwargs.values()]
    for i, spec in enumerate(specs):
        values[i] = _lists_as_tensors(spec, values[i])
    parts = [
        part
        for i, value in enumerate(values)
        for part in _parts(name, i, value, specs[i : i + 1], given)
    ]
    structure = (
        tuple(values[: len(args)]),
        dict(zip(kwargs, values[len(args) :], strict=True)),
    )
    leaves = tuple([leaf for value in values for leaf in _flat(value)])
    paths = [
        p
        for label, value in zip(given.labels, values, strict=True)
        for p in nest.paths(value, label)
    ]
    return Arguments(
        structure,
        leaves,
        tuple(parts),
        _shape(structure),
        tuple(paths),
        given.labels,
        given.device,
    )


def _lists_as_tensors(spec: Any, value: Any) -> Any:
    """Return a value with tensors for the lists of numbers that stand where `spec` has tensors."""
    if isinstance(spec, TensorSpec):
        is_list = isinstance(value, (list, tuple))
        return to_tensor(value, spec.dtype) if is_list else value
    if type(spec) is not type(value):
        return value
    if isinstance(spec, dict) and spec.keys() == value.keys():
        return {key: _lists_as_tensors(spec[key], x) for key, x in value.items()}
    if type(spec) in {list, tuple} and len(spec) == len(value):
        return type(spec)(map(_lists_as_tensors, spec, value))
    return value


def _parts(
    name: str, place: int, value: Any, spec: list[Any], given: Arguments
) -> list[Any]:
    """Return what a key holds of one argument: what `spec`, if there is one, says of it."""
    leaves = _flat(value)
    if not spec:
        return [part_of(leaf) for leaf in leaves]
    try:
        nest.assert_same(spec[0], value)
    except StructureError as error:
        raise StructureError(
            f"{name}: argument {place} and input_signature: {error}"
        ) from None
    paths = nest.paths(value, given.labels[place])
    wanted = nest.flatten(spec[0])
    return [_fitting(name, *one) for one in zip(paths, wanted, leaves, strict=True)]


def _fitting(name: str, path: str, spec: TensorSpec, leaf: Any) -> TensorSpec:
    try:
        have = leaf if isinstance(leaf, TensorSpec) else as_input(leaf, spec).spec
    except DTypeError as error:
        raise DTypeError(f"{name}: argument {path} is no tensor: {error}") from None
    if not spec.accepts(have):
        kind = DTypeError if have.dtype is not spec.dtype else InvalidArgumentError
        raise kind(
            f"{name}: argument {path} is {told(have)}; input_signature allows {told(spec)}"
        )
    return spec
