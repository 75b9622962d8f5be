"""Operators of graphs that take a dataset refuse what is none: damaged graphs may have it."""

from __future__ import annotations

import pytest

import tensorlite as tl
from tensorlite.core.op import Op
from tensorlite.data.reducing import DatasetCardinality, OnlyElement

OUTPUTS = (tl.TensorSpec((), tl.float32),)


@pytest.mark.parametrize(
    "op", [DatasetCardinality(), OnlyElement(OUTPUTS)], ids=lambda op: op.name
)
def test_what_is_no_dataset_is_refused(op: Op) -> None:
    for dtype in (tl.int64, tl.float32):
        with pytest.raises(tl.errors.DTypeError, match="takes a dataset, a variant"):
            op.infer(tl.TensorSpec((), dtype))
    assert op.infer(tl.TensorSpec((), tl.variant))
