"""Ragged tensors in graphs of version 1: compositions whose nodes and names are TensorFlow 1's."""

from __future__ import annotations

from tensorlite.compat.v1.ragged_written import asking, selecting, slicing, texts

EVERY = (asking, selecting, slicing, texts)
"""What has registered all that is written."""
