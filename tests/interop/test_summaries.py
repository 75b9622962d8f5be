"""TensorFlow 1's summaries: compared with what TensorFlow 2.21 gives for the same inputs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import GraphDefError, InvalidArgumentError
from tensorlite.ops.summaries.event_messages import message
from tests.interop.graphdefs import Program
from tests.train.events import decoded


def ran(op: str, *values: Any, **attributes: Any) -> Any:
    """Return the Summary that an operator gives, in a graph that was read."""
    made = Program()
    names = [made.const(f"in{i}", value) for i, value in enumerate(values)]
    made.node(op, "out", *names, **attributes)
    return message("Summary").FromString(made.session().run("out:0"))


def test_scalar_summaries() -> None:
    found = ran(
        "ScalarSummary", ["a", "b"], np.asarray([1, 2], np.float32), T=tl.float32
    )
    assert [(x.tag, x.simple_value) for x in found.value] == [("a", 1.0), ("b", 2.0)]
    with pytest.raises(InvalidArgumentError, match="the same shape"):
        ran("ScalarSummary", ["a", "b"], np.float32(1.0), T=tl.float32)


def test_histogram_summaries() -> None:
    values = np.asarray([-1e-13, 1e-13, -3.0, 1e21, 5.0, 5.0], np.float32)
    histo = ran("HistogramSummary", "h", values, T=tl.float32).value[0].histo
    assert (histo.min, histo.num) == (-3.0, 6.0)
    # TensorFlow's: empty buckets are one, each bucket ends a tenth behind the one before.
    assert list(histo.bucket) == [0, 1, 0, 1, 1, 0, 2, 0, 1]
    assert histo.bucket_limit[3] == 0.0
    assert histo.bucket_limit[4] == 1e-12
    assert histo.bucket_limit[6] / histo.bucket_limit[5] == pytest.approx(1.1)
    assert histo.bucket_limit[-1] == np.finfo(np.float64).max
    empty = ran("HistogramSummary", "h", np.zeros(0, np.float32), T=tl.float32)
    assert list(empty.value[0].histo.bucket) == [0.0]
    for bad, what in ((np.nan, "Nan"), (np.inf, "Infinity")):
        with pytest.raises(
            InvalidArgumentError, match=f"{what} in summary histogram"
        ):
            ran("HistogramSummary", "h", np.float32(bad), T=tl.float32)


def test_image_summaries_spread_floats_and_mark_what_is_not_finite() -> None:
    image = np.asarray([0.0, 1.0, np.nan, 2.0], np.float32).reshape(1, 1, 4, 1)
    color = np.asarray([9, 0, 0, 255], np.uint8)
    for given, wanted in (
        (image, [0, 127, 9, 255]),
        (image - 1.0, [1, 128, 9, 255]),
        (image * 0.0, [0, 0, 9, 0]),
    ):
        found = ran(
            "ImageSummary", "i", given, T=tl.float32, bad_color=color, max_images=1
        )
        assert found.value[0].tag == "i/image"
        data = found.value[0].image.encoded_image_string
        assert decoded(data).ravel().tolist() == wanted


def test_image_and_audio_summaries_number_their_tags() -> None:
    images = np.zeros((3, 2, 2, 3), np.uint8)
    color = np.asarray([255, 0, 0, 255], np.uint8)
    found = ran(
        "ImageSummary", "i", images, T=tl.uint8, bad_color=color, max_images=2
    )
    assert [x.tag for x in found.value] == ["i/image/0", "i/image/1"]
    assert found.value[0].image.colorspace == 3
    sound = np.zeros((2, 8), np.float32)
    found = ran("AudioSummaryV2", "s", sound, np.float32(8000.0), max_outputs=3)
    assert [x.tag for x in found.value] == ["s/audio/0", "s/audio/1"]
    assert found.value[0].audio.length_frames == 8


def test_summaries_are_merged_unless_tags_are_equal() -> None:
    summaries = []
    for tag in ("a", "b"):
        summary = message("Summary")()
        summary.value.add(tag=tag, simple_value=1.0)
        summaries.append(np.asarray(summary.SerializeToString(), object))
    assert [x.tag for x in ran("MergeSummary", *summaries, N=2).value] == ["a", "b"]
    with pytest.raises(InvalidArgumentError, match="Duplicate tag a found"):
        ran("MergeSummary", summaries[0], summaries[0], N=2)
    with pytest.raises(InvalidArgumentError, match="are no Summary"):
        ran("MergeSummary", np.asarray(b"\xff\xff", object), N=1)


def test_a_color_that_is_none_is_refused() -> None:
    images = np.zeros((1, 2, 2, 3), np.uint8)
    for color in ("red", np.zeros((2, 2), np.uint8), np.zeros(9, np.uint8)):
        with pytest.raises(GraphDefError, match="allowed are 1 to 4 numbers"):
            ran(
                "ImageSummary", "i", images, T=tl.uint8, bad_color=color, max_images=1
            )
