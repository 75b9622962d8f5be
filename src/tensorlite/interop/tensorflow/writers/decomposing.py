"""What is written for operators that TensorFlow does not have: several of its own.

Gradients have such, which count and shape. Which have one of TensorFlow's is in spelling.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tensorlite.core.dtypes import DType, int32, int64, string, uint64
from tensorlite.core.op import Op
from tensorlite.graph.graph import Node
from tensorlite.interop.tensorflow.writers.parts import Spelled, constant_part


def _from_begin(node: Node) -> list[Spelled]:
    """Return the axes that are the second input, counted from the first, as `axes`."""
    dtype = node.inputs[1].dtype
    kind: dict[str, Any] = {"T": dtype}
    rank = {"T": node.inputs[0].dtype, "out_type": dtype}
    return [
        Spelled("Size", rank, (0,), "rank"),
        Spelled("AddV2", kind, (1, "rank"), "behind"),
        Spelled("FloorMod", kind, ("behind", "rank"), "modulo"),
        Spelled("Cast", {"SrcT": dtype, "DstT": int32}, ("modulo",), "axes"),
    ]


def _kept_shape(_: Op, node: Node) -> tuple[Spelled, ...]:
    """Stitch the shape and ones at the axes."""
    dtype = node.inputs[0].dtype
    return (
        *_from_begin(node),
        constant_part("zero", 0, int32),
        constant_part("one", 1, int32),
        constant_part("size", 1, dtype),
        Spelled("Size", {"T": dtype, "out_type": int32}, (0,), "count"),
        Spelled("Range", {"Tidx": int32}, ("zero", "count", "one"), "places"),
        Spelled("Shape", {"T": int32, "out_type": int32}, ("axes",), "shape"),
        Spelled(
            "Fill", {"T": dtype, "index_type": int32}, ("shape", "size"), "sizes"
        ),
        Spelled(
            "DynamicStitch", {"N": 2, "T": dtype}, ("places", "axes", 0, "sizes")
        ),
    )


def _reduced_size(_: Op, node: Node) -> tuple[Spelled, ...]:
    """Multiply the sizes at the axes."""
    dtype = node.inputs[0].dtype
    gather = {"Tparams": dtype, "Tindices": int32, "Taxis": int32, "batch_dims": 0}
    flat = {"T": int32, "Tshape": int32}
    product = {"T": dtype, "Tidx": int32, "keep_dims": False}
    return (
        *_from_begin(node),
        constant_part("zero", 0, int32),
        _sizes("flat", -1),
        Spelled("Reshape", flat, ("axes", "flat"), "listed"),
        Spelled("GatherV2", gather, (0, "listed", "zero"), "sizes"),
        Spelled("Prod", product, ("sizes", "zero"), "product"),
        Spelled("Cast", {"SrcT": dtype, "DstT": int64}, ("product",)),
    )


def _count_of(_: Op, node: Node) -> tuple[Spelled, ...]:
    """Multiply all sizes."""
    dtype = node.inputs[0].dtype
    product = {"T": dtype, "Tidx": int32, "keep_dims": False}
    return (
        constant_part("zero", 0, int32),
        Spelled("Prod", product, (0, "zero"), "product"),
        Spelled("Cast", {"SrcT": dtype, "DstT": int64}, ("product",)),
    )


def _sizes(name: str, *values: int) -> Spelled:
    array = np.array(values, np.int32)
    return Spelled("Const", {"value": array, "dtype": int32}, (), name)


def _spliced(op: Op, node: Node) -> tuple[Spelled, ...]:
    """Join what stands before an axis, a one where one is put in, and what comes behind."""
    axis: int = op.attributes()["axis"]
    dtype = node.inputs[0].dtype
    kind: dict[str, Any] = {"T": dtype, "Index": int32}
    is_longer = op.name == "InsertSize"
    one = np.array([1], dtype.numpy)
    middle = [Spelled("Const", {"value": one, "dtype": dtype}, (), "one")]
    joined = ("before", *(["one"] if is_longer else []), "behind")
    return (
        constant_part("zero", 0, int32),
        _sizes("start", 0),
        _sizes("axis", axis),
        _sizes("next", axis if is_longer else axis + 1),
        _sizes("rest", -1),
        *(middle if is_longer else []),
        Spelled("Slice", kind, (0, "start", "axis"), "before"),
        Spelled("Slice", kind, (0, "next", "rest"), "behind"),
        Spelled(
            "ConcatV2",
            {"N": len(joined), "T": dtype, "Tidx": int32},
            (*joined, "zero"),
        ),
    )


def _greatest(op: Op, node: Node) -> tuple[Spelled, ...] | None:
    """Take as many of the greatest as there are: equal ones stay as they stand, there too."""
    given = op.attributes()
    x = node.inputs[0].spec
    if given["axis"] not in (-1, (x.rank or 0) - 1) or not _has_negative(x.dtype):
        return None
    kind = {"T": x.dtype}
    count = {"T": int32, "Index": int32, "end_mask": 1, "shrink_axis_mask": 1}
    bounds = ("last", "end", "step")
    values = 0 if given["descending"] else "negative"
    return (
        Spelled("Neg", kind, (0,), "negative"),
        Spelled("Shape", {"T": x.dtype, "out_type": int32}, (0,), "shape"),
        *(_sizes(*one) for one in (("last", -1), ("end", 0), ("step", 1))),
        Spelled("StridedSlice", count, ("shape", *bounds), "count"),
        Spelled("TopKV2", {**kind, "sorted": True}, (values, "count"), "greatest"),
    )


def _sort(op: Op, node: Node) -> tuple[Spelled, ...] | None:
    """Return the greatest, or the negatives of the negatives' greatest."""
    parts = _greatest(op, node)
    if parts is None:
        return None
    last = "Identity" if op.attributes()["descending"] else "Neg"
    return (*parts, Spelled(last, {"T": node.inputs[0].dtype}, ("greatest",)))


def _arg_sort(op: Op, node: Node) -> tuple[Spelled, ...] | None:
    """Return where the greatest are."""
    parts = _greatest(op, node)
    if parts is None:
        return None
    return (*parts, Spelled("Cast", {"SrcT": int32, "DstT": int64}, ("greatest:1",)))


def _has_negative(dtype: DType) -> bool:
    return dtype.is_floating or dtype.kind == "i"


def _xor(_: Op, node: Node) -> tuple[Spelled, ...]:
    return (Spelled("NotEqual", {"T": node.inputs[0].dtype}),)


def _bound(op: Op, node: Node) -> tuple[Spelled, ...]:
    """Look into rows, which is what there is in TensorFlow, for the values in as many rows."""
    dtype, out = node.inputs[0].dtype, node.outputs[0].dtype
    kind, reshape = {"T": dtype, "Tdim": int32}, {"Tshape": int32}
    search = {"T": dtype, "out_type": out}
    if node.inputs[0].spec.rank == 2:
        return (Spelled(op.name, search, (0, 1)),)
    return (
        constant_part("zero", 0, int32),
        _sizes("flat", 1, -1),
        Spelled("ExpandDims", kind, (0, "zero"), "rows"),
        Spelled("Reshape", {"T": dtype, **reshape}, (1, "flat"), "values"),
        Spelled(op.name, search, ("rows", "values"), "places"),
        Spelled("Shape", {"T": dtype, "out_type": int32}, (1,), "shape"),
        Spelled("Reshape", {"T": out, **reshape}, ("places", "shape")),
    )


def _print(op: Op, node: Node) -> tuple[Spelled, ...] | None:
    """Put the values into a template, and write that; None for streams that are no names."""
    given = op.attributes()
    if not isinstance(given["stream"], str):
        return None
    mark = "{}"
    while any(mark in piece for piece in given["pieces"]):
        mark += "}"
    text = {
        "T": tuple([x.dtype for x in node.inputs]),
        "template": mark.join(given["pieces"]),
        "placeholder": mark,
        "summarize": given["summarize"],
    }
    return (
        Spelled("StringFormat", text, None, "text"),
        Spelled("PrintV2", {"output_stream": given["stream"], "end": ""}, ("text",)),
    )


def _key_and_counter(_: Op, __: Node) -> tuple[Spelled, ...]:
    """Cut the state of a generator, and take its bits for whole numbers without a sign."""
    cut: dict[str, Any] = {"T": int64, "Index": int32}
    bits = {"T": int64, "type": uint64}
    return (
        *(_sizes(*one) for one in (("start", 0), ("two", 2), ("one", 1))),
        Spelled("Slice", cut, (0, "two", "one"), "last"),
        Spelled("Slice", cut, (0, "start", "two"), "first"),
        Spelled("Bitcast", bits, ("last",), "key"),
        Spelled("Bitcast", bits, ("first",), "counter"),
        Spelled("IdentityN", {"T": (uint64, uint64)}, ("key", "counter")),
    )


def _advanced(op: Op, node: Node) -> tuple[Spelled, ...]:
    """Read a generator and advance it, by a number without a sign."""
    cast = {"SrcT": node.inputs[2].dtype, "DstT": uint64}
    return (
        Spelled("Cast", cast, (2,), "delta"),
        Spelled(op.name, {}, (0, 1, "delta")),
    )


def _repeat(op: Op, node: Node) -> tuple[Spelled, ...]:
    """Gather each element as often as asked for: the next begins where sums of counts end."""
    x, counts = node.inputs[0].dtype, node.inputs[1].dtype
    axis: int = op.attributes()["axis"]
    size = {"T": int32, "Index": int32, "shrink_axis_mask": 1}
    row = {"T": counts, "Tshape": int32}
    places = {"Tparams": x, "Tindices": int32, "Taxis": int32, "batch_dims": 0}
    return (
        constant_part("zero", 0, int32),
        constant_part("axis", axis, int32),
        *(_sizes(*one) for one in (("flat", -1), ("row", 1, -1), ("begin", axis))),
        *(_sizes(*one) for one in (("end", axis + 1), ("step", 1))),
        Spelled("Shape", {"T": x, "out_type": int32}, (0,), "shape"),
        Spelled("StridedSlice", size, ("shape", "begin", "end", "step"), "size"),
        Spelled("Reshape", row, (1, "flat"), "listed"),
        Spelled("Size", {"T": counts, "out_type": int32}, (1,), "number"),
        # One count stands for as many as there are elements.
        constant_part("one", 1, int32),
        Spelled("Maximum", {"T": int32}, ("number", "one"), "some"),
        Spelled("FloorDiv", {"T": int32}, ("size", "some"), "times"),
        Spelled(
            "ExpandDims", {"T": int32, "Tdim": int32}, ("times", "zero"), "every"
        ),
        Spelled(
            "Tile", {"T": counts, "Tmultiples": int32}, ("listed", "every"), "counts"
        ),
        Spelled("Cumsum", {"T": counts, "Tidx": int32}, ("counts", "zero"), "ends"),
        Spelled("Sum", {"T": counts, "Tidx": int32}, ("counts", "zero"), "total"),
        constant_part("first", 0, counts),
        constant_part("next", 1, counts),
        Spelled("Range", {"Tidx": counts}, ("first", "total", "next"), "every_place"),
        Spelled("Reshape", row, ("ends", "row"), "sorted"),
        Spelled("Reshape", row, ("every_place", "row"), "sought"),
        Spelled(
            "UpperBound",
            {"T": counts, "out_type": int32},
            ("sorted", "sought"),
            "found",
        ),
        Spelled(
            "Reshape", {"T": int32, "Tshape": int32}, ("found", "flat"), "places"
        ),
        Spelled("GatherV2", places, (0, "places", "axis")),
    )


def _digests(op: Op, _: Node) -> tuple[Spelled, ...]:
    """Name the method, which is an input there."""
    method = np.empty((), object)
    method[()] = b"farmhash64"
    named = Spelled("Const", {"value": method, "dtype": string}, (), "method")
    return named, Spelled(op.name, {}, (0, "method"))


def _raw(op: Op, _: Node) -> tuple[Spelled, ...]:
    """Write how long texts are to be as an input of another operator, where that is given."""
    given = op.attributes()
    length = given.pop("fixed_length")
    if not length:
        return (Spelled(op.name, given),)
    return (
        constant_part("fixed_length", length, int32),
        Spelled("DecodePaddedRaw", given, (0, "fixed_length")),
    )


def _split(op: Op, _: Node) -> tuple[Spelled, ...]:
    """Make the list anew: its elements are others all."""
    given = {**op.attributes(), "shape_type": int32}
    shape = constant_part("element_shape", -1, int32)
    return shape, Spelled("TensorListSplit", given, (1, "element_shape", 2))


DECOMPOSED: dict[str, Callable[[Op, Node], tuple[Spelled, ...] | None]] = {
    "ArgSort": _arg_sort,
    "CountOf": _count_of,
    "DecodeRaw": _raw,
    "Fingerprint": _digests,
    "InsertSize": _spliced,
    "KeptShape": _kept_shape,
    "KeyAndCounter": _key_and_counter,
    "LogicalXor": _xor,
    "LowerBound": _bound,
    "PrintPieces": _print,
    "ReducedSize": _reduced_size,
    "RemoveSize": _spliced,
    "Repeat": _repeat,
    "RngReadAndSkip": _advanced,
    "Sort": _sort,
    "TensorListSplitIntoExistingList": _split,
    "UpperBound": _bound,
}
