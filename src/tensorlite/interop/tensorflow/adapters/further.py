"""Operators of few graphs, which others here say as well: of pictures, bits, tables and samples."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.constant import Const
from tensorlite.core.dispatch import call, calls
from tensorlite.core.dtypes import DType, of_numpy
from tensorlite.core.errors import GraphDefError
from tensorlite.core.op import Op
from tensorlite.core.spec import shape_text
from tensorlite.core.tensor import Tensor
from tensorlite.interop.tensorflow.adapters.containers import of_counter
from tensorlite.interop.tensorflow.adapters.given import Given, Values
from tensorlite.interop.tensorflow.adapters.plain import Adapter
from tensorlite.ops.arrays.arrange import expand_dims
from tensorlite.ops.arrays.create import zeros
from tensorlite.ops.arrays.gather import gather
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.ranges import arange
from tensorlite.ops.arrays.scatter import (
    TensorScatterAdd,
    TensorScatterSub,
    TensorScatterUpdate,
)
from tensorlite.ops.arrays.shape import astype, reshape, shape_of
from tensorlite.ops.control.dataflow import NoOp
from tensorlite.ops.images import files as image_files
from tensorlite.ops.images.boxes import NonMaxSuppressionWithOverlaps
from tensorlite.ops.linear.spectral import Eig
from tensorlite.ops.math.arithmetic import sum as sum_of
from tensorlite.ops.math.bits import bitwise_and, bitwise_right_shift
from tensorlite.ops.math.compare import not_equal
from tensorlite.ops.math.reduce import prod
from tensorlite.ops.nn import candidates
from tensorlite.ops.nn.ctc import CTCLoss
from tensorlite.ops.random import host_draws
from tensorlite.ops.random.generators import Seed
from tensorlite.ops.state.dense_tables import BUCKETS, LOAD, MutableDenseHashTableV2
from tensorlite.ops.state.tables import HashTableV2
from tensorlite.ops.strings.joining import as_text

MOST = 2**24
"""How many zeros an attribute may ask for."""


def _nothing(given: Given) -> Values:
    given.node(NoOp())
    return ()


def _algorithm(given: Given) -> Values:
    """Return the number of the only algorithm that draws here, Philox."""
    return given.node(Const(np.array(1, np.int32))).outputs


def _is_something(given: Given) -> Values:
    """Return whether a scalar is not zero, or empty; of others, whether they have elements."""

    def is_something(x: Tensor) -> Tensor:
        if x.ndim:
            return not_equal(prod(shape_of(x)), 0)
        nothing = "" if x.dtype is dtypes.string else 0
        return x if x.dtype is dtypes.bool_ else not_equal(x, nothing)

    return given.composed(is_something, *given.tensors)


def _empty(given: Given) -> Values:
    dtype = given.dtype("dtype")
    given.attribute("init")
    return given.composed(lambda shape: zeros(shape, dtype=dtype), *given.tensors)


def _unused(given: Given) -> Values:
    """Return what stands for a value that nothing looks at."""
    sizes = [n or 0 for n in given.shape("shape") or ()]
    if np.prod(sizes, dtype=float) > MOST:
        raise GraphDefError(f"{given.record}: {sizes} are more than {MOST} elements")
    value = np.zeros(sizes, given.dtype("dtype").numpy)
    return given.node(Const(value)).outputs


def _in_place(op: type[Op]) -> Adapter:
    def adapter(given: Given) -> Values:
        return given.composed(
            lambda x, rows, y: call(op(), x, expand_dims(rows, axis=-1), y),
            *given.tensors,
        )

    return adapter


def _eig(given: Given) -> Values:
    given.dtype("Tout")
    op = Eig(given.typed("compute_v", bool))
    return given.made(op, *given.tensors)


def _ones_in(x: Tensor) -> Tensor:
    bits = arange(8 * x.dtype.numpy.itemsize, dtype=x.dtype)
    shifted = bitwise_right_shift(expand_dims(x, axis=-1), bits)
    return astype(sum_of(bitwise_and(shifted, bits[1:2]), axis=-1), dtypes.uint8)


def _packed(x: Tensor, threshold: Tensor) -> Tensor:
    """Return eight comparisons in each byte, the first in its highest bit."""
    bits = astype(x > threshold, dtypes.int32)
    rows = reshape(bits, concat([shape_of(x)[:-1], [-1, 8]], axis=0))
    weights = np.array([128, 64, 32, 16, 8, 4, 2, 1], np.int32)
    return astype(sum_of(rows * weights, axis=-1), dtypes.uint8)


def _jpeg_part(given: Given) -> Values:
    for name in ("fancy_upscaling", "try_recover_truncated", "acceptable_fraction"):
        given.attribute(name)
    given.attribute("dct_method")
    op = image_files.DecodeAndCropJpeg(
        channels=given.typed("channels", int), ratio=given.typed("ratio", int)
    )
    return given.made(op, *given.tensors)


def _jpeg_shape(given: Given) -> Values:
    return given.made(
        image_files.ExtractJpegShape(given.dtype("output_type")), *given.tensors
    )


def _part_drawn(given: Given) -> host_draws.StatelessSampleDistortedBoundingBox:
    return host_draws.StatelessSampleDistortedBoundingBox(
        given.listed("aspect_ratio_range", float),
        given.listed("area_range", float),
        given.typed("max_attempts", int),
        given.typed("use_image_if_no_bounding_boxes", bool),
    )


def _window(given: Given) -> Values:
    """Draw a part of an image; how much of a box it has is an attribute, or the last input."""
    op = _part_drawn(given)
    if given.record.op == "SampleDistortedBoundingBoxV2":
        least = given.tensor(2)
    else:
        share = np.array(given.typed("min_object_covered", float), np.float32)
        least = given.helper(Const(share)).outputs[0]
    tensors = given.tensor(0), given.tensor(1), least
    return of_counter(given, op, 4 * op.max_attempts, tensors)


def _seeded_window(given: Given) -> Values:
    op = _part_drawn(given)

    def drawn(size: Tensor, boxes: Tensor, least: Tensor, seed: Tensor) -> Any:
        begin, sizes, box = calls(
            op, size, boxes, least, *Seed(seed).key_and_counter(size)
        )
        return astype(begin, size.dtype), astype(sizes, size.dtype), box

    return given.composed(drawn, *given.tensors)


def _by_counts(given: Given) -> Values:
    """Draw candidates by counts, which are an attribute or the last column of a file."""
    if given.typed("vocab_file", str) or given.typed("num_shards", int) != 1:
        raise GraphDefError(
            f"{given.record}: counts are read from its attribute only"
        )
    for name in ("num_true", "shard"):
        given.typed(name, int)
    power = given.typed("distortion", float)
    counts = given.listed("unigrams", float)
    weights = [0.0] * given.typed("num_reserved_ids", int)
    op = candidates.FixedUnigramCandidates(
        given.typed("num_sampled", int),
        given.typed("range_max", int),
        given.typed("unique", bool),
        (*weights, *[n**power for n in counts]),
    )
    if len(op.weights) != op.range_max:
        raise GraphDefError(
            f"{given.record} has {len(op.weights)} counts for {op.range_max} classes"
        )
    return of_counter(given, op, 2 * op.num_sampled, given.tensors)


def _table(changing: bool, given: Given) -> Values:
    """Make a table; one without a name of its own has its node's."""
    given_here = given.record.attributes
    for name in _OF_MEMORY & given.record.given.keys():
        given.attribute(name)
    named = {
        name: given.typed(name, str) if name in given_here else ""
        for name in ("container", "shared_name")
    }
    shape = given.shape("value_shape") if "value_shape" in given_here else ()
    op = HashTableV2(
        debug_name=given.name,
        container=named["container"],
        shared_name=named["shared_name"] or given.name,
        key_dtype=given.dtype("key_dtype"),
        value_dtype=given.dtype("value_dtype"),
        changing=changing,
        value_shape=tuple([n or 0 for n in shape or ()]),
    )
    given.check_attributes()
    return given.node(op).outputs


def _texts(key: Any) -> tuple[str, ...]:
    return tuple(
        [as_text(x) if isinstance(x, bytes) else str(x) for x in key.ravel().tolist()]
    )


def _dense_table(given: Given) -> Values:
    """Make a table two of whose keys, which are constants, stand for none."""
    given_here = given.record.attributes
    for name in {"use_node_name_sharing"} & given.record.given.keys():
        given.attribute(name)
    named = {
        name: given.typed(name, str) if name in given_here else ""
        for name in ("container", "shared_name")
    }
    sizes: list[Any] = [
        given.typed(name, kind) if name in given_here else default
        for name, kind, default in (
            ("initial_num_buckets", int, BUCKETS),
            ("max_load_factor", float, LOAD),
        )
    ]
    empty, *others = [given.constant(i) for i in range(len(given.values))]
    key_dtype = given.dtype("key_dtype")
    _check_no_keys(given, [empty, *others], key_dtype)
    texts = [_texts(x) for x in (empty, *others)]
    shape = given.shape("value_shape") if "value_shape" in given_here else ()
    op = MutableDenseHashTableV2(
        key_dtype,
        given.dtype("value_dtype"),
        texts[0],
        texts[-1],
        empty.shape,
        tuple([n or 0 for n in shape or ()]),
        *sizes,
        debug_name=given.name,
        container=named["container"],
        shared_name=named["shared_name"] or given.name,
    )
    given.check_attributes()
    return given.node(op).outputs


def _check_no_keys(given: Given, keys: list[Any], dtype: DType) -> None:
    """Raise GraphDefError for what stands for no key and could not be one, by dtype or shape."""
    for key in keys:
        if of_numpy(key.dtype) is not dtype or key.shape != keys[0].shape:
            raise GraphDefError(
                f"{given.record}: empty and deleted keys are {dtype.name} of one shape, as keys "
                f"are; one is {of_numpy(key.dtype).name}{shape_text(key.shape)}"
            )


_OF_MEMORY = {"use_node_name_sharing", "initial_num_buckets", "max_load_factor"}


def _unfilled(places: Tensor, dy: Tensor) -> tuple[Tensor, Tensor]:
    """Return what flows to the elements, and to the value that empty rows were filled with."""
    own = gather(dy, places)
    return own, astype(sum_of(dy) - sum_of(own), dy.dtype)


def _blank_first(given: Given) -> Values:
    """Return losses and gradients of logits whose blank is class 0, not the last one."""
    op = CTCLoss(
        preprocess_collapse_repeated=given.typed(
            "preprocess_collapse_repeated", bool
        ),
        ctc_merge_repeated=given.typed("ctc_merge_repeated", bool),
        ignore_longer_outputs_than_inputs=given.typed(
            "ignore_longer_outputs_than_inputs", bool
        ),
    )

    def turned(x: Tensor, places: Tensor, labels: Tensor, lengths: Tensor) -> Any:
        last = concat([x[:, :, 1:], x[:, :, :1]], axis=2)
        loss, slope = calls(op, last, places, labels - 1, lengths)
        return loss, concat([slope[:, :, -1:], slope[:, :, :-1]], axis=2)

    return given.composed(turned, *given.tensors)


def _composed(function: Callable[..., Any]) -> Adapter:
    return lambda given: given.composed(function, *given.tensors)


FURTHER: dict[str, Adapter] = {
    "AnonymousHashTable": partial(_table, False),
    "AnonymousMutableDenseHashTable": _dense_table,
    "AnonymousMutableHashTable": partial(_table, True),
    "AnonymousMutableHashTableOfTensors": partial(_table, True),
    "CTCLossV2": _blank_first,
    "CompareAndBitpack": _composed(_packed),
    "DecodeAndCropJpeg": _jpeg_part,
    "DisableCopyOnRead": _nothing,
    "Eig": _eig,
    "Empty": _empty,
    "EncodeJpegVariableQuality": lambda given: given.made(
        image_files.EncodeJpegVariableQuality(), *given.tensors
    ),
    "ExtractJpegShape": _jpeg_shape,
    "NonMaxSuppressionWithOverlaps": lambda given: given.made(
        NonMaxSuppressionWithOverlaps(), *given.tensors
    ),
    "FakeParam": _unused,
    "FixedUnigramCandidateSampler": _by_counts,
    "InplaceAdd": _in_place(TensorScatterAdd),
    "InplaceSub": _in_place(TensorScatterSub),
    "InplaceUpdate": _in_place(TensorScatterUpdate),
    "MutableDenseHashTable": _dense_table,
    "MutableDenseHashTableV2": _dense_table,
    "MutableHashTableOfTensors": partial(_table, True),
    "MutableHashTableOfTensorsV2": partial(_table, True),
    "PopulationCount": _composed(_ones_in),
    "RaggedFillEmptyRowsGrad": _composed(_unfilled),
    "SampleDistortedBoundingBox": _window,
    "SampleDistortedBoundingBoxV2": _window,
    "SparseFillEmptyRowsGrad": _composed(_unfilled),
    "StatelessRandomGetAlg": _algorithm,
    "StatelessSampleDistortedBoundingBox": _seeded_window,
    "ToBool": _is_something,
}
