"""Summaries for TensorBoard in TensorFlow's graphs. Operators: ops/summaries."""

from __future__ import annotations

import numpy as np

from tensorlite.core.errors import GraphDefError
from tensorlite.interop.tensorflow.adapters.given import Given, Values
from tensorlite.interop.tensorflow.adapters.plain import Adapter, Plain
from tensorlite.ops.summaries.writing import ImageSummary


def _image_summary(given: Given) -> Values:
    color = np.asarray(given.attribute("bad_color"))
    if color.dtype.kind not in "iuf" or color.shape not in {(1,), (2,), (3,), (4,)}:
        raise GraphDefError(
            f"{given.record}: its bad_color is {color!r:.80}; allowed are 1 to 4 numbers"
        )
    most = given.typed("max_images", int)
    return given.made(
        ImageSummary(most, tuple(color.astype(np.uint8).tolist())), *given.tensors
    )


SUMMARIES: dict[str, Adapter] = {
    "AudioSummaryV2": Plain("AudioSummaryV2"),
    "HistogramSummary": Plain("HistogramSummary"),
    "ImageSummary": _image_summary,
    "MergeSummary": Plain("MergeSummary"),
    "ScalarSummary": Plain("ScalarSummary"),
    "TensorSummaryV2": Plain("TensorSummaryV2"),
}
