"""Summaries as TensorFlow before 1.0 called them: with tags, and all in one namespace."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.v1 import summary
from tensorlite.graph_mode.keys import GraphKeys

__all__ = [
    "audio_summary",
    "histogram_summary",
    "image_summary",
    "merge_all_summaries",
    "merge_summary",
    "scalar_summary",
]

SummaryWriter = summary.FileWriter
merge_summary = summary.merge


def scalar_summary(
    tags: Any, values: Any, collections: Any = None, name: str | None = None
) -> Any:
    """Return a summary of a number, a string tensor; name has no effect."""
    return summary.scalar(str(tags), values, collections)


def histogram_summary(
    tag: Any, values: Any, collections: Any = None, name: str | None = None
) -> Any:
    """Return a summary of how values are spread; name has no effect."""
    return summary.histogram(str(tag), values, collections)


def image_summary(
    tag: Any,
    tensor: Any,
    max_images: int = 3,
    collections: Any = None,
    name: str | None = None,
) -> Any:
    """Return a summary of at most max_images images; name has no effect."""
    return summary.image(str(tag), tensor, max_images, collections)


def audio_summary(
    tag: Any,
    tensor: Any,
    sample_rate: Any,
    max_outputs: int = 3,
    collections: Any = None,
    name: str | None = None,
) -> Any:
    """Return a summary of at most max_outputs sounds; name has no effect."""
    return summary.audio(str(tag), tensor, sample_rate, max_outputs, collections)


def merge_all_summaries(key: str = GraphKeys.SUMMARIES) -> Any:
    """Return all summaries of a collection in one, None if there are none."""
    return summary.merge_all(key)
