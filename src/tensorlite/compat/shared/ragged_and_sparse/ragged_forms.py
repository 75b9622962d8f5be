"""What TensorFlow's functions of tensors make of ragged tensors, by the names of their nodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite import ragged
from tensorlite.compat.calling import FORMS, converted
from tensorlite.compat.shared import nests as compat_nest
from tensorlite.core import nest
from tensorlite.core.check import whole_numbers
from tensorlite.core.dispatch import tracer
from tensorlite.core.dtypes import as_dtype
from tensorlite.core.errors import CompositeError, DTypeError, InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.core.spec import normalise_axis
from tensorlite.core.tensor import EagerTensor
from tensorlite.data.composites import RaggedRow
from tensorlite.ops.arrays.shape import shape_of
from tensorlite.ops.ragged.broadcasting import mapped
from tensorlite.ops.ragged.maps import map_numbers
from tensorlite.ops.ragged.tensor import RaggedTensor
from tensorlite.ops.ragged.values import RaggedTensorValue

Function = Callable[..., Any]
Arguments = dict[str, Any]


def form(*names: str) -> Callable[[Function], Function]:
    """Return a decorator of what the functions of some names make of ragged tensors."""

    def decorate(made: Function) -> Function:
        def with_tensors(function: Function, arguments: Arguments) -> Any:
            given = {key: of_arrays(value) for key, value in arguments.items()}
            return made(function, given)

        FORMS.update(dict.fromkeys(names, with_tensors))
        return made

    return decorate


def of_arrays(x: Any) -> Any:
    """Return ragged tensors in the place of their values in arrays, in lists too."""
    if isinstance(x, RaggedTensorValue):
        return RaggedTensor.of_value(x)
    return type(x)(map(of_arrays, x)) if type(x) in (list, tuple) else x


@form(
    *(
        "AsString",
        "Bitcast",
        "Cast",
        "CheckNumerics",
        "CRelu",
        "DecodeRaw",
        "Elu",
        "Gelu",
    ),
    *(
        "EncodeBase64",
        "Identity",
        "LeakyRelu",
        "Relu",
        "Relu6",
        "Selu",
        "Softplus",
        "Softsign",
    ),
    *("StaticRegexFullMatch", "StaticRegexReplace", "StopGradient", "StringLength"),
    *("StringLower", "StringStrip", "StringToHashBucket", "StringToHashBucketFast"),
    *(
        "StringToHashBucketStrong",
        "StringToNumber",
        "StringUpper",
        "Substr",
        "clip_by_value",
    ),
    *(
        "dropout",
        "hash_table_Lookup",
        "ones_like",
        "saturate_cast",
        "swish",
        "zeros_like",
    ),
    *(
        "BiasAdd",
        "Real",
        "Imag",
        "Conj",
        "Angle",
        "UnicodeScript",
        "string_to_index_Lookup",
    ),
    *("Complex", "IdentityN", "batchnorm"),
)
def flat(function: Function, arguments: Arguments) -> Any:
    """Return what is made of the innermost values, in rows as they were."""
    return ragged.map_flat_values(function, **arguments)


@form(
    *("assert_equal", "assert_none_equal", "assert_less", "assert_less_equal"),
    *("assert_greater", "assert_greater_equal", "assert_near"),
)
def _asserted(function: Function, arguments: Arguments) -> Any:
    made: list[Any] = []

    def checked(x: Any, y: Any) -> Any:
        made.append(function(**{**arguments, "x": x, "y": y}))
        return x

    mapped(checked, _all_operands([arguments["x"], arguments["y"]]))
    return made[0]


@form("one_hot")
def _one_hot(function: Function, arguments: Arguments) -> Any:
    indices, axis = arguments["indices"], arguments.get("axis")
    if axis is not None:
        at = normalise_axis(axis, indices.rank + 1)
        if at <= indices.ragged_rank:
            raise InvalidArgumentError(
                f"one_hot: axis {axis} is among those that are split into rows"
            )
        arguments = {**arguments, "axis": at - indices.ragged_rank}
    return ragged.map_flat_values(function, **arguments)


def _all_operands(xs: Any) -> tuple[Any, ...]:
    return tuple([x if isinstance(x, RaggedTensor) else converted(x) for x in xs])


@form("AddN")
def _add_n(function: Function, arguments: Arguments) -> Any:
    inputs = _all_operands(arguments["inputs"])
    return mapped(lambda *xs: function(list(xs)), inputs)


@form("StringJoin")
def _join(function: Function, arguments: Arguments) -> Any:
    inputs = _all_operands(arguments["inputs"])
    return mapped(lambda *xs: function(list(xs), arguments["separator"]), inputs)


@form("concat")
def _concat(_: Function, arguments: Arguments) -> Any:
    values = arguments["values"]
    xs = [values] if isinstance(values, RaggedTensor) else _all_operands(values)
    return ragged.concat(xs, _number(arguments["axis"]))


@form("stack")
def _stack(_: Function, arguments: Arguments) -> Any:
    return ragged.stack(list(_all_operands(arguments["values"])), arguments["axis"])


def _number(x: Any) -> int:
    if isinstance(x, str):
        raise DTypeError(f"axis={x!r}; allowed are integers")
    return int(np.asarray(x.numpy() if hasattr(x, "numpy") else x))


@form("ExpandDims")
def _expand_dims(_: Function, arguments: Arguments) -> Any:
    return ragged.expand_dims(arguments["input"], _number(arguments["axis"]))


@form("Squeeze")
def _squeeze(_: Function, arguments: Arguments) -> Any:
    x, axis = arguments["input"], arguments["axis"]
    axes = axis if isinstance(axis, (list, tuple)) else [axis]
    if axis is None:
        raise InvalidArgumentError("Ragged.squeeze must have an axis argument.")
    for one in sorted([_number(a) for a in axes], reverse=True):
        x = ragged.squeeze(x, one)
    return x


@form("Tile")
def _tile(_: Function, arguments: Arguments) -> Any:
    return ragged.tile(arguments["input"], arguments["multiples"])


@form("split")
def _split(function: Function, arguments: Arguments) -> Any:
    x, parts, num = (arguments[key] for key in ("value", "parts", "num"))
    axis = _number(arguments["axis"])
    at = axis if x.rank is None and axis >= 0 else normalise_axis(axis, x.rank)
    if at > x.ragged_rank:
        flat = {**arguments, "value": x.flat_values, "axis": at - x.ragged_rank}
        return [x.with_flat_values(part) for part in function(**flat)]
    if at:
        raise CompositeError(
            x, f"a ragged tensor, whose axis {at} is split into rows"
        )
    found, first = [], 0
    for size in _sizes(x, parts, num):
        found.append(x[first : first + size])
        first = first + size
    return found


def _sizes(x: Any, parts: Any, num: int | None) -> Any:
    """Return how many rows each part has: of equal parts, or as told."""
    rows = x.nrows()
    known = int(rows) if isinstance(rows, EagerTensor) else None
    if isinstance(parts, int):
        if parts < 1 or (known or 0) % parts:
            raise InvalidArgumentError(
                f"split: Cannot exactly split {known} rows into {parts} parts; give a divisor"
            )
        return [rows // parts] * parts
    if not isinstance(parts, (list, tuple, np.ndarray)):
        return tl.unstack(converted(parts), num=num)
    if any(isinstance(size, Operand) for size in parts):
        return parts
    sizes = whole_numbers(tuple(parts), "split: sizes")
    if num not in (None, len(sizes)):
        raise InvalidArgumentError(
            f"split: `num` does not match the {len(sizes)} sizes given, as it is {num}"
        )
    if min(sizes, default=0) < 0 or known not in (None, sum(sizes)):
        raise InvalidArgumentError(
            f"split: Cannot exactly split {known} rows into parts of {sizes}; their sizes must be "
            "non-negative and add up to the rows"
        )
    return sizes


@form("ReverseV2")
def _reverse(_: Function, arguments: Arguments) -> Any:
    return ragged.reverse(arguments["tensor"], arguments["axis"])


@form("GatherV2", "BatchGather")
def _gather(_: Function, arguments: Arguments) -> Any:
    params, indices = _all_operands([arguments["params"], arguments["indices"]])
    axis, batch = arguments.get("axis"), arguments.get("batch_dims", -1)
    batch += (indices.ndim or 0) if batch < 0 else 0
    return ragged.gather(
        params,
        indices,
        batch if axis is None else _number(axis),
        batch,
    )


@form("GatherNd")
def _gather_nd(_: Function, arguments: Arguments) -> Any:
    params, indices = _all_operands([arguments["params"], arguments["indices"]])
    if isinstance(indices, RaggedTensor):
        flat = {**arguments, "params": params, "indices": indices.flat_values}
        found = _gather_nd(_, flat) if isinstance(params, RaggedTensor) else _(**flat)
        return indices.with_flat_values(found)
    depth = indices.shape[-1]
    if depth is None:
        raise InvalidArgumentError("indices.shape[-1] must be statically known.")
    if indices.ndim == 1:
        return params[tuple([indices[i] for i in range(depth)])]
    if indices.ndim == 2 and depth and indices.shape[0] is None:
        return _at_places(params, indices, depth)
    parts = [
        _gather_nd(_, {"params": params, "indices": row})
        for row in tl.unstack(indices)
    ]
    return ragged.stack(parts) if _are_ragged(parts) else tl.stack(parts)


def _at_places(x: Any, indices: Any, depth: int) -> Any:
    """Return the parts at places of which only the run knows how many there are."""
    places = indices[:, 0]
    for i in range(1, depth):
        if not isinstance(x, RaggedTensor):
            places = tl.astype(tl.expand_dims(places, axis=1), indices.dtype)
            return tl.gather_nd(x, tl.concat([places, indices[:, i:]], axis=1))
        starts = tl.gather(x.row_splits, places)
        places = starts + tl.astype(indices[:, i], starts.dtype)
        x = x.values
    return ragged.gather(x, places)


def _are_ragged(xs: Any) -> bool:
    return any(isinstance(x, RaggedTensor) or x.ndim for x in xs)


@form("boolean_mask")
def _mask(_: Function, arguments: Arguments) -> Any:
    return ragged.boolean_mask(arguments.get("tensor"), arguments["mask"])


@form("Where")
def _places(_: Function, arguments: Arguments) -> Any:
    x = arguments["condition"]
    held = tl.astype(x.flat_values, tl.bool)
    return tl.boolean_mask(x.to_sparse().indices, held)


@form("SelectV2", "Select")
def _select(function: Function, arguments: Arguments) -> Any:
    condition, *rest = _all_operands([arguments[k] for k in ("condition", "x", "y")])
    if isinstance(condition, RaggedTensor) or condition.ndim == 0:
        return mapped(function, (condition, *rest))
    return ragged.where(condition, *rest)


@form("Size")
def _size(_: Function, arguments: Arguments) -> Any:
    kind = as_dtype(arguments["out_type"])
    return tl.astype(
        shape_of(tl.reshape(arguments["input"].flat_values, [-1]))[0], kind
    )


@form("Rank")
def _rank(_: Function, arguments: Arguments) -> Any:
    return tl.asarray(arguments["input"].rank, dtype=tl.int32)


@form("Softmax", "LogSoftmax")
def _softmax(function: Function, arguments: Arguments) -> Any:
    return _within_rows(function, arguments, -np.inf)


@form("Cumsum", "Cumprod")
def _running(function: Function, arguments: Arguments) -> Any:
    return _within_rows(function, arguments, 0)


def _within_rows(function: Function, arguments: Arguments, low: float) -> Any:
    """Return what is made of each row by itself, those filled up being cut again."""
    (key,) = [k for k, x in arguments.items() if isinstance(x, RaggedTensor)]
    x, axis = arguments[key], arguments.get("axis")
    last = x.rank - 1
    at = last if axis is None else _number(axis) % x.rank
    if at < x.ragged_rank and at != 1:
        raise CompositeError(
            x, f"a ragged tensor, whose axis {at} is split into rows"
        )
    if at > x.ragged_rank:
        flat = {**arguments, key: x.flat_values, "axis": at - x.ragged_rank}
        return x.with_flat_values(function(**flat))
    dense = x.to_tensor(np.asarray(low, x.dtype.numpy))
    filled = function(**{**arguments, key: dense, "axis": at})
    return RaggedTensor.from_tensor(filled, lengths=x.row_lengths())


def has_ragged(structure: Any) -> bool:
    """Return whether there is a ragged tensor, or a spec of one, in a structure."""
    if isinstance(structure, (RaggedTensor, RaggedRow)):
        return True
    return nest.is_nested(structure) and any(
        map(has_ragged, nest.children(structure))
    )


def map_rows(fn: Function, elems: Any, signature: Any) -> Any:
    """Return what a function makes of each row, together: ragged, if that is what it makes."""
    first, *_ = compat_nest.flatten(elems)
    count = first.nrows() if has_ragged(first) else tl.shape(first)[0]
    if tracer() is not None or not int(count):
        like = elems if signature is None else signature
        made = map_numbers(
            lambda i: compat_nest.flatten(fn(_packed(elems, i))),
            count,
            [has_ragged(x) for x in compat_nest.flatten(like)],
        )
        return compat_nest.pack_sequence_as(like, made)
    rows = [fn(_packed(elems, i)) for i in range(int(count))]
    columns = [
        list(column) for column in zip(*map(compat_nest.flatten, rows), strict=True)
    ]
    wanted = has_ragged(signature)
    made = [_together(x, wanted or signature is None) for x in columns]
    return compat_nest.pack_sequence_as(rows[0], made)


def _together(column: list[Any], may_differ: bool) -> Any:
    ragged_rows = has_ragged(column) or (may_differ and bool(column[0].ndim))
    return ragged.stack(column) if ragged_rows else tl.stack(column)


def _packed(elems: Any, place: Any) -> Any:
    return compat_nest.map_structure(lambda x: x[place], elems)


@form("DynamicPartition")
def _partition(_: Function, arguments: Arguments) -> Any:
    rows = ragged.stack_dynamic_partitions(
        arguments["data"], arguments["partitions"], arguments["num_partitions"]
    )
    return [rows[i] for i in range(arguments["num_partitions"])]


@form("unstack")
def _unstack(_: Function, arguments: Arguments) -> Any:
    return list(arguments["value"])


def _reduction(made: Callable[[Any, Any, bool], Any]) -> Function:
    def reduced(_: Function, arguments: Arguments) -> Any:
        axis = arguments["axis"]
        given = axis.numpy().tolist() if hasattr(axis, "numpy") else axis
        return made(arguments["input_tensor"], given, arguments["keepdims"])

    return reduced


def _log_of_sums(x: Any, axis: Any, keepdims: bool) -> Any:
    """Return the logarithms of sums of exponentials, of numbers less their greatest."""
    top = _each(_offset, ragged.reduce_max(x, axis, True))
    total = ragged.reduce_sum(mapped(_less, (x, top)), axis, keepdims)
    kept = top if keepdims else _each(_offset, ragged.reduce_max(x, axis, False))
    return _each(tl.log, total) + kept


def _each(function: Function, x: Any) -> Any:
    return mapped(function, (x,)) if isinstance(x, RaggedTensor) else function(x)


def _offset(x: Any) -> Any:
    return tl.stop_gradient(tl.where(tl.isfinite(x), x, tl.zeros_like(x)))


def _less(x: Any, top: Any) -> Any:
    return tl.exp(x - top)


FORMS.update(
    Sum=_reduction(ragged.reduce_sum),
    Prod=_reduction(ragged.reduce_prod),
    Max=_reduction(ragged.reduce_max),
    Min=_reduction(ragged.reduce_min),
    All=_reduction(ragged.reduce_all),
    Any=_reduction(ragged.reduce_any),
    Mean=_reduction(ragged.reduce_mean),
    reduce_variance=_reduction(ragged.reduce_variance),
    reduce_std=_reduction(lambda *given: tl.sqrt(ragged.reduce_variance(*given))),
    ReduceLogSumExp=_reduction(_log_of_sums),
)


@form(
    *("UnsortedSegmentSum", "UnsortedSegmentMean", "UnsortedSegmentSqrtN"),
    *("UnsortedSegmentMax", "UnsortedSegmentMin", "UnsortedSegmentProd"),
)
def _segments(function: Function, arguments: Arguments) -> Any:
    data, ids, count = _all_operands(
        [arguments[key] for key in ("data", "segment_ids", "num_segments")]
    )
    return ragged.segment_rows(function, data, ids, count)


@form("ReduceJoin")
def _reduce_join(function: Function, arguments: Arguments) -> Any:
    """Return the strings of each row, joined."""
    x, axis = arguments["inputs"], arguments["axis"]
    if axis is None or arguments["keepdims"]:
        raise CompositeError(x, "a ragged tensor, which is joined along an axis")
    at = _number(axis) + (x.rank if _number(axis) < 0 else 0)
    if at > 1:
        inner = {**arguments, "inputs": x.values, "axis": at - 1}
        if isinstance(x.values, RaggedTensor):
            return x.with_values(_reduce_join(function, inner))
        return x.with_values(function(**inner))
    filled = x.to_tensor(b"")
    separator = arguments["separator"]
    if not separator:
        return function(filled, at)
    rows = [function(row, 0, separator=separator) for row in x]
    return tl.stack(rows) if at == 1 else function(filled, at, separator=separator)
