"""Summaries: operators that give serialized Summary messages, and those that write to a writer.

What is in the messages is made in values.py; files are written in train/summaries.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dtypes import resource, string
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError
from tensorlite.core.op import Effect, Op
from tensorlite.core.opaque import Resource
from tensorlite.core.spec import TensorSpec
from tensorlite.core.xp import Array, Xp, to_host
from tensorlite.ops.strings.joining import as_text
from tensorlite.ops.summaries import values as values_of
from tensorlite.ops.summaries.event_messages import message, parsed

__all__: list[str] = []

SUMMARY = TensorSpec((), string)


def _need_numbers(op: Op, x: TensorSpec) -> None:
    if x.dtype.kind not in "biuf":
        raise DTypeError(f"{op.name} takes real numbers, not {x}")


def _need_rank(op: Op, x: TensorSpec, *ranks: int) -> None:
    if x.shape is not None and len(x.shape) not in ranks:
        listed = " or ".join(map(str, ranks))
        raise ShapeError(f"{op.name} takes tensors of {listed} axes, not {x}")


def _packed(values: Iterable[dict[str, Any]]) -> Array:
    """Return a serialized Summary, as a tensor of one string."""
    summary = message("Summary")()
    for value in values:
        summary.value.add(**value)
    return one_string(summary.SerializeToString())


def one_string(data: bytes) -> Array:
    """Return bytes as an array of one string, none of which is cut off."""
    made = np.empty((), object)
    made[()] = data
    return made


def text_of(array: Array) -> str:
    """Return the one string of a tensor."""
    return as_text(array.item())


class ScalarSummary(Op):
    """A summary of numbers, each with a tag."""

    differentiable = False

    def infer(self, tags: TensorSpec, values: TensorSpec) -> TensorSpec:
        """Return one string; shapes are compared when this runs, for graphs of what never runs."""
        _need_numbers(self, values)
        return SUMMARY

    def kernel(self, xp: Xp, tags: Array, values: Array) -> Array:
        """Return the summary; ShapeError where tags and values are not equally many."""
        if tags.shape != values.shape:
            raise ShapeError(
                f"ScalarSummary: tags and values have the same shape, not {tags.shape} and "
                f"{values.shape}"
            )
        numbers = to_host(values).astype(np.float64).ravel().tolist()
        return _packed(
            {"tag": as_text(tag), "simple_value": number}
            for tag, number in zip(tags.ravel().tolist(), numbers, strict=True)
        )


class HistogramSummary(Op):
    """A summary of how values are distributed, in buckets that grow with distance from 0."""

    differentiable = False

    def infer(self, tag: TensorSpec, values: TensorSpec) -> TensorSpec:
        """Return one string."""
        _need_numbers(self, values)
        return SUMMARY

    def kernel(self, xp: Xp, tag: Array, values: Array) -> Array:
        """Return the summary; InvalidArgumentError where a value is not finite."""
        name = text_of(tag)
        histogram = values_of.histogram(to_host(values), name)
        return _packed([{"tag": name, "histo": histogram}])


class ImageSummary(Op):
    """A summary of images, of which the floats are spread over what bytes can say."""

    differentiable = False
    max_images: int = 3
    bad_color: tuple[int, ...] = (255, 0, 0, 255)
    """What pixels become that are not finite."""

    def infer(self, tag: TensorSpec, tensor: TensorSpec) -> TensorSpec:
        """Return one string."""
        _need_numbers(self, tensor)
        _need_rank(self, tensor, 4)
        return SUMMARY

    def kernel(self, xp: Xp, tag: Array, tensor: Array) -> Array:
        """Return the summary of the first images."""
        images, bad = to_host(tensor), np.asarray(self.bad_color, np.uint8)
        shown = images[: self.max_images]
        _, height, width, depth = images.shape
        listed = []
        for name, image in zip(
            self.tags(text_of(tag), len(shown)), shown, strict=True
        ):
            is_bytes = image.dtype == np.uint8
            pixels = image if is_bytes else values_of.spread_image(image, bad)
            encoded = values_of.png(pixels)
            content = {"height": height, "width": width, "colorspace": depth}
            listed.append(
                {"tag": name, "image": {**content, "encoded_image_string": encoded}}
            )
        return _packed(listed)

    def tags(self, base: str, count: int) -> list[str]:
        """Return a tag for each image, numbered where there may be several."""
        if self.max_images <= 1:
            return [f"{base}/image"] * count
        return [f"{base}/image/{i}" for i in range(count)]


class AudioSummaryV2(Op):
    """A summary of sound, (clips, frames, channels) or (clips, frames), between -1 and 1."""

    differentiable = False
    max_outputs: int = 3

    def infer(
        self, tag: TensorSpec, tensor: TensorSpec, sample_rate: TensorSpec
    ) -> TensorSpec:
        """Return one string."""
        _need_numbers(self, tensor)
        _need_rank(self, tensor, 2, 3)
        return SUMMARY

    def kernel(self, xp: Xp, tag: Array, tensor: Array, sample_rate: Array) -> Array:
        """Return the summary of the first clips."""
        base, rate = text_of(tag), float(to_host(sample_rate))
        clips = to_host(tensor)[: self.max_outputs]
        clips = clips[..., None] if clips.ndim == 2 else clips
        frames, channels = clips.shape[1:]
        listed = []
        for i, clip in enumerate(clips):
            name = f"{base}/audio/{i}" if self.max_outputs > 1 else f"{base}/audio"
            content = {
                "sample_rate": rate,
                "num_channels": channels,
                "length_frames": frames,
                "encoded_audio_string": values_of.wav(clip, int(rate)),
                "content_type": "audio/wav",
            }
            listed.append({"tag": name, "audio": content})
        return _packed(listed)


class TensorSummaryV2(Op):
    """A summary of any tensor, with words for the plugin that shows it."""

    differentiable = False

    def infer(
        self, tag: TensorSpec, tensor: TensorSpec, metadata: TensorSpec
    ) -> TensorSpec:
        """Return one string."""
        return SUMMARY

    def kernel(self, xp: Xp, tag: Array, tensor: Array, metadata: Array) -> Array:
        """Return the summary."""
        return _packed([_tensor_value(tag, tensor, metadata)])


class MergeSummary(Op):
    """Several summaries as one."""

    differentiable = False

    def infer(self, *inputs: TensorSpec) -> TensorSpec:
        """Return one string."""
        wrong = [x for x in inputs if x.dtype is not string]
        if wrong:
            raise DTypeError(
                f"MergeSummary takes serialized summaries, not {wrong[0]}"
            )
        return SUMMARY

    def kernel(self, xp: Xp, *inputs: Array) -> Array:
        """Return the summary; InvalidArgumentError where two have one tag."""
        merged, seen = message("Summary")(), set()
        for data in [x for array in inputs for x in array.ravel().tolist()]:
            for value in parsed("Summary", data).value:
                if value.tag in seen:
                    raise InvalidArgumentError(
                        f"Duplicate tag {value.tag} found in summary inputs"
                    )
                seen.add(value.tag)
                merged.value.add().CopyFrom(value)
        return one_string(merged.SerializeToString())


def _tensor_value(tag: Array, tensor: Array, metadata: Array) -> dict[str, Any]:
    about = parsed("SummaryMetadata", metadata.item())
    proto = values_of.tensor_proto(to_host(tensor))
    return {"tag": text_of(tag), "tensor": proto, "metadata": about}


class SummaryBuckets(Op):
    """A histogram as a tensor, rows of left edge, right edge and count."""

    differentiable = False
    buckets: int = 30

    def infer(self, values: TensorSpec) -> TensorSpec:
        """Return the spec of the rows."""
        _need_numbers(self, values)
        return TensorSpec((max(0, self.buckets), 3), dtypes.float64)

    def kernel(self, xp: Xp, values: Array) -> Array:
        """Return the rows."""
        return xp.asarray(values_of.buckets(to_host(values), self.buckets))


class SummaryImages(Op):
    """Images as strings: the width, the height, and each as PNG."""

    differentiable = False
    max_outputs: int = 3

    def infer(self, images: TensorSpec) -> TensorSpec:
        """Return the spec of the strings."""
        _need_numbers(self, images)
        _need_rank(self, images, 4)
        return TensorSpec((None,), string)

    def kernel(self, xp: Xp, images: Array) -> Array:
        """Return the strings."""
        given = to_host(images)
        pixels = values_of.bytes_of_image(given[: self.max_outputs])
        _, height, width, _ = given.shape
        sizes = [str(width).encode(), str(height).encode()]
        listed = [*sizes, *[values_of.png(x) for x in pixels]]
        return _strings(listed, (len(listed),))


class SummarySounds(Op):
    """Clips of sound as strings: each as WAV, with an empty label."""

    differentiable = False
    sample_rate: int
    max_outputs: int = 3

    def infer(self, clips: TensorSpec) -> TensorSpec:
        """Return the spec of the strings."""
        _need_numbers(self, clips)
        _need_rank(self, clips, 3)
        return TensorSpec((None, 2), string)

    def kernel(self, xp: Xp, clips: Array) -> Array:
        """Return the strings."""
        made = [
            values_of.wav(x, self.sample_rate)
            for x in to_host(clips)[: self.max_outputs]
        ]
        listed = [part for clip in made for part in (clip, b"")]
        return _strings(listed, (len(made), 2))


def _strings(listed: Sequence[bytes], shape: tuple[int, ...]) -> Array:
    made = np.empty(len(listed), object)
    made[:] = listed
    return made.reshape(shape)


class Sink(Protocol):
    """What events are given to: a file."""

    def add_event(self, event: Any) -> None:
        """Take an Event message."""

    def flush(self) -> None:
        """Write what was taken."""

    def close(self) -> None:
        """Write what was taken, and take no more."""


class WriterState(Resource):
    """What the handle of a summary writer stands for."""

    def __init__(self, sink: Sink) -> None:
        self.sink = sink

    @property
    def spec(self) -> TensorSpec:
        """The spec of the handle."""
        return HANDLE

    def __repr__(self) -> str:
        return f"the summary writer {self.sink!r}"


HANDLE = TensorSpec((), resource)


class WriteSummary(Op):
    """Writes a tensor as a summary of a step."""

    effect = Effect.IO
    differentiable = False

    def infer(
        self,
        writer: TensorSpec,
        step: TensorSpec,
        tensor: TensorSpec,
        tag: TensorSpec,
        metadata: TensorSpec,
    ) -> tuple[TensorSpec, ...]:
        """Return nothing."""
        if step.dtype.kind not in "iu":
            raise DTypeError(f"WriteSummary: a step is a whole number, not {step}")
        return ()

    def kernel(
        self,
        xp: Xp,
        writer: WriterState,
        step: Array,
        tensor: Array,
        tag: Array,
        metadata: Array,
    ) -> tuple[Array, ...]:
        """Give the event to the writer."""
        event = message("Event")(wall_time=time.time(), step=int(to_host(step)))
        event.summary.value.add(**_tensor_value(tag, tensor, metadata))
        writer.sink.add_event(event)
        return ()


class WriteRawProtoSummary(Op):
    """Writes serialized summaries as those of a step."""

    effect = Effect.IO
    differentiable = False

    def infer(
        self, writer: TensorSpec, step: TensorSpec, tensor: TensorSpec
    ) -> tuple[TensorSpec, ...]:
        """Return nothing."""
        if tensor.dtype is not string:
            raise DTypeError(f"WriteRawProtoSummary takes strings, not {tensor}")
        return ()

    def kernel(
        self, xp: Xp, writer: WriterState, step: Array, tensor: Array
    ) -> tuple[Array, ...]:
        """Give the event to the writer."""
        event = message("Event")(wall_time=time.time(), step=int(to_host(step)))
        for data in tensor.ravel().tolist():
            event.summary.MergeFrom(parsed("Summary", data))
        writer.sink.add_event(event)
        return ()


class ImportEvent(Op):
    """Writes a serialized event as it is."""

    effect = Effect.IO
    differentiable = False

    def infer(self, writer: TensorSpec, event: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return nothing."""
        return ()

    def kernel(self, xp: Xp, writer: WriterState, event: Array) -> tuple[Array, ...]:
        """Give the event to the writer."""
        writer.sink.add_event(parsed("Event", event.item()))
        return ()


class WriteGraphSummary(Op):
    """Writes a serialized GraphDef as the graph of a step."""

    effect = Effect.IO
    differentiable = False

    def infer(
        self, writer: TensorSpec, step: TensorSpec, tensor: TensorSpec
    ) -> tuple[TensorSpec, ...]:
        """Return nothing."""
        return ()

    def kernel(
        self, xp: Xp, writer: WriterState, step: Array, tensor: Array
    ) -> tuple[Array, ...]:
        """Give the event to the writer."""
        event = message("Event")(wall_time=time.time(), step=int(to_host(step)))
        event.graph_def = tensor.item()
        writer.sink.add_event(event)
        return ()


class FlushSummaryWriter(Op):
    """Has a writer write what it was given."""

    effect = Effect.IO
    differentiable = False

    def infer(self, writer: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return nothing."""
        return ()

    def kernel(self, xp: Xp, writer: WriterState) -> tuple[Array, ...]:
        """Flush."""
        writer.sink.flush()
        return ()


class CloseSummaryWriter(Op):
    """Has a writer write what it was given, and take no more."""

    effect = Effect.IO
    differentiable = False

    def infer(self, writer: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return nothing."""
        return ()

    def kernel(self, xp: Xp, writer: WriterState) -> tuple[Array, ...]:
        """Close."""
        writer.sink.close()
        return ()
