"""Summaries for TensorBoard in TensorFlow's graphs. Operators: ops/summaries."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from tensorlite.core.constant import Const
from tensorlite.core.errors import GraphDefError
from tensorlite.core.op import Op
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.interop.tensorflow.adapters.given import Given, Values
from tensorlite.interop.tensorflow.adapters.plain import Adapter, Plain
from tensorlite.ops.summaries import writing
from tensorlite.train.summaries.handles import (
    CreateSummaryFileWriter,
    SummaryWriter,
)


def _images(given: Given, color: np.ndarray[Any, Any]) -> writing.ImageSummary:
    if color.dtype.kind not in "iuf" or color.shape not in {(1,), (2,), (3,), (4,)}:
        raise GraphDefError(
            f"{given.record}: its bad_color is {color!r:.80}; allowed are 1 to 4 numbers"
        )
    most = given.typed("max_images", int)
    return writing.ImageSummary(most, tuple(color.astype(np.uint8).tolist()))


def _image_summary(given: Given) -> Values:
    color = np.asarray(given.attribute("bad_color"))
    return given.made(_images(given, color), *given.tensors)


def _sound_summary(given: Given) -> Values:
    """Return a summary of sound whose rate is an attribute."""
    rate = np.array(given.typed("sample_rate", (int, float)), np.float32)
    op = writing.AudioSummaryV2(given.typed("max_outputs", int))
    return given.made(op, *given.tensors, given.helper(Const(rate)).outputs[0])


def _writer(given: Given) -> Values:
    names = {name: given.typed(name, str) for name in ("shared_name", "container")}
    op = SummaryWriter(
        debug_name=given.name,
        shared_name=names["shared_name"] or given.name,
        container=names["container"],
    )
    return given.node(op).outputs


def _done(op: type[Op], given: Given) -> Values:
    given.check_attributes()
    given.node(op(), *given.tensors)
    return ()


def _summarised(op: Op, given: Given, *inputs: SymbolicTensor) -> Values:
    """Write what an operator makes of all inputs but the writer and the step."""
    writer, step, *rest = inputs or given.tensors
    given.check_attributes()
    made = given.helper(op, *rest).outputs[0]
    given.node(writing.WriteRawProtoSummary(), writer, step, made)
    return ()


def _pictures(given: Given) -> Values:
    *inputs, _ = given.tensors
    return _summarised(_images(given, given.constant(4)), given, *inputs)


def _sounds(given: Given) -> Values:
    op = writing.AudioSummaryV2(given.typed("max_outputs", int))
    return _summarised(op, given)


SUMMARIES: dict[str, Adapter] = {
    "AudioSummary": _sound_summary,
    "AudioSummaryV2": Plain("AudioSummaryV2"),
    "CloseSummaryWriter": partial(_done, writing.CloseSummaryWriter),
    "CreateSummaryFileWriter": partial(_done, CreateSummaryFileWriter),
    "FlushSummaryWriter": partial(_done, writing.FlushSummaryWriter),
    "HistogramSummary": Plain("HistogramSummary"),
    "ImageSummary": _image_summary,
    "ImportEvent": partial(_done, writing.ImportEvent),
    "MergeSummary": Plain("MergeSummary"),
    "ScalarSummary": Plain("ScalarSummary"),
    "SummaryWriter": _writer,
    "TensorSummaryV2": Plain("TensorSummaryV2"),
    "WriteAudioSummary": _sounds,
    "WriteGraphSummary": partial(_done, writing.WriteGraphSummary),
    "WriteHistogramSummary": partial(_summarised, writing.HistogramSummary()),
    "WriteImageSummary": _pictures,
    "WriteRawProtoSummary": partial(_done, writing.WriteRawProtoSummary),
    "WriteScalarSummary": partial(_summarised, writing.ScalarSummary()),
    "WriteSummary": partial(_done, writing.WriteSummary),
}
