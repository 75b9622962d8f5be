"""How checks of numbers are written, which TensorFlow has as assertions; and crosses of rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.core.dtypes import DType, bool_, int32, int64, string
from tensorlite.core.op import Op
from tensorlite.graph.graph import Node
from tensorlite.interop.tensorflow.writers.parts import Spelled, constant_part


def _kept_if(
    message: str, truths: str, dtype: DType, *parts: Spelled
) -> tuple[Spelled, ...]:
    """Return what passes the first input on after a check that all truths of a part hold."""
    return (
        *parts,
        constant_part("axis", [0], int32),
        Spelled("All", {"Tidx": int32, "keep_dims": False}, (truths, "axis"), "all"),
        constant_part("message", message.encode(), string),
        Spelled(
            "Assert", {"T": (string,), "summarize": 3}, ("all", "message"), "check"
        ),
        Spelled("Identity", {"T": dtype}, (0,), after=("check",)),
    )


def asserted(op: Op, node: Node) -> tuple[Spelled, ...]:
    """Return an assertion, which tells its message where it tells nothing: TensorFlow's all do."""
    given = op.attributes()
    told = {"summarize": given["summarize"]}
    if len(node.inputs) > 1:
        return (Spelled("Assert", told),)
    text = str(given["message"]).encode()
    kinds = {"T": (string,), **told}
    return (
        constant_part("message", text, string),
        Spelled("Assert", kinds, (0, "message")),
    )


def _not_negative(_: Op, node: Node) -> tuple[Spelled, ...]:
    dtype = node.inputs[0].dtype
    return _kept_if(
        "Input arr must be non-negative!",
        "is_there",
        dtype,
        constant_part("flat", [-1], int32),
        Spelled("Reshape", {"T": dtype, "Tshape": int32}, (0, "flat"), "listed"),
        constant_part("zero", 0, dtype),
        Spelled("GreaterEqual", {"T": dtype}, ("listed", "zero"), "is_there"),
    )


def _growing(_: Op, node: Node) -> tuple[Spelled, ...]:
    """Check each number with the one before it, and the last with their count if it is given."""
    dtype = node.inputs[0].dtype
    kinds = {"T": dtype, "Index": int32}
    rest, most = {**kinds, "end_mask": 1}, {**kinds, "begin_mask": 1}
    parts = [
        *[
            constant_part(f"at_{n}".replace("-", "less_"), [n], int32)
            for n in (0, 1, -1)
        ],
        Spelled("StridedSlice", rest, (0, "at_1", "at_0", "at_1"), "later"),
        Spelled("StridedSlice", most, (0, "at_0", "at_less_1", "at_1"), "earlier"),
        Spelled("GreaterEqual", {"T": dtype}, ("later", "earlier"), "grows"),
    ]
    if len(node.inputs) == 1:
        return _kept_if("segment ids must be non-decreasing", "grows", dtype, *parts)
    return _kept_if(
        "segment ids must be non-decreasing, and less than their number",
        "fits",
        dtype,
        *parts,
        Spelled("Cast", {"SrcT": node.inputs[1].dtype, "DstT": dtype}, (1,), "count"),
        Spelled("Less", {"T": dtype}, (0, "count"), "is_less"),
        constant_part("first", 0, int32),
        Spelled(
            "ConcatV2",
            {"N": 2, "T": bool_, "Tidx": int32},
            ("grows", "is_less", "first"),
            "fits",
        ),
    )


def _crossed(op: Op, node: Node) -> tuple[Spelled, ...]:
    """Write the parts of sparse matrices by kinds: all places, then values, then shapes."""
    given = op.attributes()
    count = len(node.inputs)
    inputs = [i for part in range(3) for i in range(part, count, 3)]
    kinds: dict[str, Any] = {
        "N": count // 3,
        "sparse_types": tuple([x.dtype for x in node.inputs[1::3]]),
        "dense_types": (),
    }
    hashed = given["hashed_output"]
    if not hashed and given["separator"] != _SEPARATOR:
        separator = constant_part("separator", given["separator"].encode(), string)
        return separator, Spelled("SparseCrossV2", kinds, (*inputs, "separator"))
    words = not hashed and set(kinds["sparse_types"]) <= {string}
    kinds |= {
        name: given[name] for name in ("hashed_output", "num_buckets", "hash_key")
    }
    kinds |= {
        "out_type": int64 if hashed else string,
        "internal_type": string if words else int64,
    }
    return (Spelled("SparseCross", kinds, tuple(inputs)),)


_SEPARATOR = "_X_"
"""What stands between words that are crossed by the operator that has no other separator."""


GUARDED: dict[str, Callable[[Op, Node], tuple[Spelled, ...]]] = {
    "NonNegative": _not_negative,
    "SortedSegments": _growing,
    "SparseCross": _crossed,
}
