"""Tensors without elements."""

from __future__ import annotations

import tensorlite as tl


def test_masks_of_no_sequences_have_no_columns() -> None:
    assert tl.sequence_mask(tl.zeros(0, dtype=tl.int32)).shape == (0, 0)
    assert tl.sequence_mask(tl.asarray([-2, -1])).shape == (2, 0)
    traced = tl.function(tl.sequence_mask)
    assert traced(tl.zeros(0, dtype=tl.int64)).shape == (0, 0)
