"""Examples, TensorFlow's records of named features, read into tensors.

The operators are given what is wanted as attributes; functions below make them of features. The
messages are in example_messages.py, files of records in records.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import prod
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import calls, to_tensor
from tensorlite.core.dtypes import DType, DTypeLike, as_dtype
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.op import Op
from tensorlite.core.operand import Operand
from tensorlite.core.spec import Dims, TensorSpec
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.shape import reshape
from tensorlite.ops.records.example_messages import example_from
from tensorlite.ops.records.placed_values import PlacedSparse
from tensorlite.ops.sparse.tensor import SparseTensor
from tensorlite.ops.strings.joining import as_bytes

__all__: list[str] = []

_LISTS = {
    dtypes.float32: "float_list",
    dtypes.int64: "int64_list",
    dtypes.string: "bytes_list",
}


class FixedLenFeature(NamedTuple):
    """A feature of one shape; without a default value every example must have it.

    >>> tl.io.FixedLenFeature((), tl.int64, default_value=0).dtype
    tl.int64
    """

    shape: Any
    dtype: DTypeLike
    default_value: Any = None


class VarLenFeature(NamedTuple):
    """A feature of any number of values, read as a SparseTensor.

    >>> tl.io.VarLenFeature(tl.string).dtype
    tl.string
    """

    dtype: DTypeLike


class FixedLenSequenceFeature(NamedTuple):
    """A feature of any number of rows of one shape, filled up to the longest with the default.

    >>> tl.io.FixedLenSequenceFeature((2,), tl.float32, allow_missing=True).shape
    (2,)
    """

    shape: Any
    dtype: DTypeLike
    allow_missing: bool = False
    default_value: Any = None


class SparseFeature(NamedTuple):
    """Two features of one length: where values are, along one axis or several, and the values.

    >>> tl.io.SparseFeature("at", "x", tl.float32, 10).size
    10
    """

    index_key: Any
    value_key: str
    dtype: DTypeLike
    size: Any
    already_sorted: bool = False


Features: TypeAlias = Mapping[str, Any]
Default: TypeAlias = "Callable[[Wanted, Any], Any]"


class Wanted(NamedTuple):
    """One feature as operators are asked for it."""

    key: str
    dtype: DType
    shape: tuple[int, ...]
    kind: str
    """'fixed', 'rows' for any number of rows, or 'sparse'; "?" behind it: may be missing."""

    @property
    def required(self) -> bool:
        """Whether it must be there, which values of any number need not."""
        return self.kind != "sparse" and not self.kind.endswith("?")


def attributes_of(ones: Sequence[Wanted]) -> tuple[Any, Any, Any]:
    """Return features as attributes of operators: keys, specs and kinds."""
    specs = [TensorSpec(one.shape, one.dtype) for one in ones]
    return (
        tuple([one.key for one in ones]),
        tuple(specs),
        tuple([one.kind for one in ones]),
    )


def features_of(
    keys: Sequence[str], specs: Sequence[TensorSpec], kinds: Sequence[str]
) -> list[Wanted]:
    """Return features that stand in an operator's attributes."""
    return [
        Wanted(key, spec.dtype, spec.dims, kind)  # type: ignore[arg-type]  # sizes are known
        for key, spec, kind in zip(keys, specs, kinds, strict=True)
    ]


def values_of(feature: Any, wanted: Wanted, where: str) -> Any:
    """Return a feature's values, None where it has none; DTypeError for those of another kind."""
    kind = None if feature is None else feature.WhichOneof("kind")
    if kind is None:
        return None
    if kind != _LISTS[wanted.dtype]:
        raise InvalidArgumentError(
            f"{where}: Key: {wanted.key}. Data types don't match. Data type: {kind}; expected "
            f"type: {wanted.dtype.name}"
        )
    return getattr(feature, kind).value


def array_of_values(values: Any, dtype: DType) -> Array:
    """Return the values of a feature as an array of a dtype."""
    if dtype is dtypes.string:
        out = np.empty(len(values), object)
        out[:] = list(values)
        return out
    return np.asarray(values, dtype.numpy)


def _fixed(values: Any, wanted: Wanted, default: Array, where: str) -> Array:
    if values is None:
        if default.size == 0 and (wanted.required or prod(wanted.shape)):
            raise InvalidArgumentError(
                f"{where}: Feature: {wanted.key} (data type: {wanted.dtype.name}) is required but "
                "could not be found."
            )
        return np.broadcast_to(default, wanted.shape)
    if len(values) != prod(wanted.shape):
        raise InvalidArgumentError(
            f"{where}: Key: {wanted.key}. Number of {wanted.dtype.name} values != expected. "
            f"Values size: {len(values)} but output shape: {list(wanted.shape)}"
        )
    return array_of_values(values, wanted.dtype).reshape(wanted.shape)


def _rows(values: Any, wanted: Wanted, where: str) -> Array:
    found = array_of_values([] if values is None else values, wanted.dtype)
    size = prod(wanted.shape)
    if found.size and (size == 0 or found.size % size):
        raise InvalidArgumentError(
            f"{where}: Key: {wanted.key}. Number of values {found.size} is no multiple of the "
            f"size {size} of a row"
        )
    return found.reshape(-1 if size else 0, *wanted.shape)


class ParseExampleV2(Op):
    """Serialized Examples as tensors: of one example, or of a vector of them.

    Sparse features come first. Outputs are the indices of these, their values, their shapes, and
    dense tensors of the others; inputs behind the examples are the default values of the latter.
    """

    differentiable = False
    keys: tuple[str, ...]
    specs: tuple[TensorSpec, ...]
    kinds: tuple[str, ...]

    @property
    def wanted(self) -> list[Wanted]:
        """The features."""
        return features_of(self.keys, self.specs, self.kinds)

    def infer(
        self, serialized: TensorSpec, *defaults: TensorSpec
    ) -> tuple[TensorSpec, ...]:
        """Return what each feature is of all examples."""
        if serialized.dtype is not dtypes.string or (serialized.rank or 0) > 1:
            raise DTypeError(
                f"parse_example takes strings, one or a vector, not {serialized}"
            )
        batch: Dims = serialized.shape or ()
        return _by_part([list(_specs(one, batch)) for one in self.wanted])

    def kernel(
        self, xp: Xp, serialized: Array, *defaults: Array
    ) -> tuple[Array, ...]:
        """Return the features; InvalidArgumentError for what is no example, or lacks one."""
        texts = serialized.ravel().tolist()
        messages = [example_from("Example", as_bytes(text)) for text in texts]
        maps = [message.features.feature for message in messages]
        alone = serialized.ndim == 0
        given = iter(defaults)
        outputs: list[list[Array]] = []
        for one in self.wanted:
            default = np.empty(0) if one.kind == "sparse" else next(given)
            found = [
                values_of(
                    features.get(one.key),
                    one,
                    _where(i, alone),
                )
                for i, features in enumerate(maps)
            ]
            outputs.append(_together(found, one, default, alone))
        return _by_part(outputs)


def _by_part(parts: Sequence[list[Any]]) -> tuple[Any, ...]:
    """Return the parts of sparse features, each of all of them together, and then dense ones."""
    sparse = [x for x in parts if len(x) > 1]
    dense = [x[0] for x in parts if len(x) == 1]
    return (*(x[i] for i in range(3) for x in sparse), *dense)


def _by_feature(
    ones: Sequence[Wanted], outputs: Sequence[Tensor]
) -> dict[Wanted, Any]:
    """Return what each feature is, of the parts of all."""
    count = sum(one.kind == "sparse" for one in ones)
    sparse = zip(
        *(outputs[i * count : (i + 1) * count] for i in range(3)), strict=True
    )
    values = [*(SparseTensor(*x) for x in sparse), *outputs[3 * count :]]
    return dict(zip(ones, values, strict=True))


def _where(i: int, alone: bool) -> str:
    return "parse_single_example" if alone else f"parse_example: example {i}"


def _specs(one: Wanted, batch: Dims) -> Iterator[TensorSpec]:
    if one.kind == "sparse":
        rank = len(batch) + 1
        yield TensorSpec((None, rank), dtypes.int64)
        yield TensorSpec((None,), one.dtype)
        yield TensorSpec((rank,), dtypes.int64)
    elif one.kind.startswith("rows"):
        yield TensorSpec((*batch, None, *one.shape), one.dtype)
    else:
        yield TensorSpec((*batch, *one.shape), one.dtype)


def _together(
    found: list[Any], one: Wanted, default: Array, alone: bool
) -> list[Array]:
    """Return one feature of all examples."""
    if one.kind == "sparse":
        return _sparse(found, one, alone)
    if one.kind.startswith("rows"):
        rows = [
            _rows(values, one, _where(i, alone)) for i, values in enumerate(found)
        ]
        return [rows[0] if alone else _filled_up(rows, one, default)]
    fixed = [
        _fixed(values, one, default, _where(i, alone))
        for i, values in enumerate(found)
    ]
    if alone:
        return [np.array(fixed[0])]
    out = np.empty((len(fixed), *one.shape), one.dtype.numpy)
    for place, array in enumerate(fixed):
        out[place] = array[()]
    return [out]


def _filled_up(rows: list[Array], one: Wanted, default: Array) -> Array:
    longest = max((len(x) for x in rows), default=0)
    out = np.empty((len(rows), longest, *one.shape), one.dtype.numpy)
    out[...] = default.ravel()[0] if default.size else nothing(one.dtype)
    for place, array in enumerate(rows):
        out[place, : len(array)] = array
    return out


def nothing(dtype: DType) -> Any:
    """Return what fills up tensors of a dtype."""
    return b"" if dtype is dtypes.string else dtype.numpy.type(0)


def _sparse(found: list[Any], one: Wanted, alone: bool) -> list[Array]:
    lengths = [0 if values is None else len(values) for values in found]
    joined = [x for values in found if values is not None for x in values]
    columns = np.concatenate(
        [np.arange(n) for n in lengths] or [np.empty(0, np.int64)]
    )
    places = (
        [columns] if alone else [np.repeat(np.arange(len(found)), lengths), columns]
    )
    longest = max(lengths, default=0)
    shape = [longest] if alone else [len(found), longest]
    return [
        np.stack(places, axis=1).astype(np.int64),
        array_of_values(joined, one.dtype),
        np.asarray(shape, np.int64),
    ]


def wanted_of(key: str, feature: Any) -> list[tuple[Wanted, Any]]:
    """Return what operators are asked for, for a feature, each with its default value or None."""
    if isinstance(feature, SparseFeature):
        names = feature.index_key
        keys = [names] if isinstance(names, str) else list(names)
        places = [(Wanted(k, dtypes.int64, (), "sparse"), None) for k in keys]
        return [
            *places,
            (
                Wanted(feature.value_key, _kind(key, feature.dtype), (), "sparse"),
                None,
            ),
        ]
    if isinstance(feature, VarLenFeature):
        return [(Wanted(key, _kind(key, feature.dtype), (), "sparse"), None)]
    if isinstance(feature, (FixedLenFeature, FixedLenSequenceFeature)):
        dtype, shape = _kind(key, feature.dtype), _shape(key, feature.shape)
        default = feature.default_value
        is_rows = isinstance(feature, FixedLenSequenceFeature)
        made = _default(key, default, dtype, () if is_rows else shape)
        kind = ("rows" if is_rows else "fixed") + ("" if default is None else "?")
        return [(Wanted(key, dtype, shape, kind), made)]
    raise DTypeError(
        f"features[{key!r}] is {feature!r}; allowed are FixedLenFeature, VarLenFeature, "
        "FixedLenSequenceFeature and SparseFeature"
    )


def _kind(key: str, dtype: DTypeLike) -> DType:
    found = as_dtype(dtype)
    if found not in _LISTS:
        raise DTypeError(
            f"features[{key!r}]: dtype={found.name}; allowed are float32, int64 and string"
        )
    return found


def _shape(key: str, shape: Any) -> tuple[int, ...]:
    if shape is None or getattr(shape, "rank", 0) is None:
        raise InvalidArgumentError(
            f"features[{key!r}]: Missing shape for feature {key}"
        )
    sizes = [shape] if isinstance(shape, int) else list(shape)
    if any(n is None or int(n) < 0 for n in sizes):
        raise InvalidArgumentError(
            f"features[{key!r}]: shape={shape!r}; every size must be known; for rows of any number "
            "use FixedLenSequenceFeature, for any number of values VarLenFeature"
        )
    return tuple([int(n) for n in sizes])


def _default(key: str, value: Any, dtype: DType, shape: tuple[int, ...]) -> Any:
    """Return a default value of the feature's dtype, an array or a tensor that a graph computes."""
    if value is None:
        return np.empty(0, dtype.numpy)
    if isinstance(value, Operand):
        made: Any = to_tensor(value)
        size = made.spec.size
        if made.dtype is not dtype:
            raise DTypeError(
                f"features[{key!r}]: the default value is {made.spec}, the feature {dtype.name}"
            )
    else:
        made = np.asarray(value, object if dtype is dtypes.string else dtype.numpy)
        size = made.size
    if size not in (1, prod(shape), None):
        raise InvalidArgumentError(
            f"features[{key!r}]: the default value has {size} elements; shape {shape} takes 1 or "
            f"{prod(shape)}"
        )
    wanted = () if size == 1 != prod(shape) else shape
    if isinstance(made, np.ndarray):
        return made.reshape(wanted)
    return made if made.spec.shape == wanted else reshape(made, wanted)


def parse_example(serialized: TensorLike, features: Features) -> dict[str, Any]:
    """Return the features of serialized Examples, of a vector of them or of one, by their names.

    FixedLenFeature and FixedLenSequenceFeature give tensors, VarLenFeature and SparseFeature
    SparseTensors. InvalidArgumentError for bytes that are no Example, a feature that is not there
    and has no default value, and one of another kind or size.

    >>> made = tl.io.Example()
    >>> made.features.feature["x"].int64_list.value.extend([1, 2])
    >>> data = made.SerializeToString()
    >>> print(tl.io.parse_example([data], {"x": tl.io.FixedLenFeature((2,), tl.int64)})["x"])
    [[1 2]]
    """
    return parsed(serialized, features)


def parsed(
    serialized: TensorLike, features: Features, default_of: Default | None = None
) -> dict[str, Any]:
    """Return what `parse_example` does; `default_of` makes tensors of default values."""
    if not features:
        raise InvalidArgumentError(
            "parse_example: features is empty; name at least one"
        )
    asked = Asked(features, default_of)
    op = ParseExampleV2(*attributes_of(asked.ones))
    return asked.taken(calls(op, serialized, *asked.defaults))


class Asked:
    """What operators are asked for features: sparse ones first, and default values of others."""

    def __init__(self, features: Features, default_of: Default | None = None) -> None:
        self._features = features
        named = {key: wanted_of(key, features[key]) for key in sorted(features)}
        pairs = [pair for listed in named.values() for pair in listed]
        pairs.sort(key=lambda pair: pair[0].kind != "sparse")
        self._named = {key: [x for x, _ in listed] for key, listed in named.items()}
        self.ones = [one for one, _ in pairs]
        self.defaults = [
            x if default_of is None else default_of(one, x)
            for one, x in pairs
            if x is not None
        ]

    def taken(self, outputs: Sequence[Tensor]) -> dict[str, Any]:
        """Return the features by their names, of what the operator gave."""
        parts = _by_feature(self.ones, outputs)
        return {
            key: _packed(feature, [parts[one] for one in self._named[key]])
            for key, feature in self._features.items()
        }


def parse_single_example(
    serialized: TensorLike, features: Features
) -> dict[str, Any]:
    """Return the features of one serialized Example, as `parse_example` does.

    >>> made = tl.io.Example()
    >>> made.features.feature["x"].float_list.value.append(0.5)
    >>> feature = tl.io.FixedLenFeature((), tl.float32)
    >>> print(tl.io.parse_single_example(made.SerializeToString(), {"x": feature})["x"])
    0.5
    """
    return parsed(of_one(serialized), features)


def of_one(serialized: TensorLike) -> Tensor:
    """Return one string; InvalidArgumentError for several."""
    one = to_tensor(serialized)
    if one.spec.rank not in (0, None):
        raise InvalidArgumentError(
            f"parse_single_example: serialized is {one.spec}; allowed is one string, and "
            "parse_example takes several"
        )
    return one


def _packed(feature: Any, parts: Sequence[Any]) -> Any:
    if not isinstance(feature, SparseFeature):
        return parts[0]
    *places, values = parts
    sizes = [feature.size] if isinstance(feature.size, int) else list(feature.size)
    op = PlacedSparse(tuple(sizes), feature.already_sorted)
    inputs = [x for place in places for x in (place.indices, place.values)]
    return SparseTensor(*calls(op, values.values, values.dense_shape, *inputs))
