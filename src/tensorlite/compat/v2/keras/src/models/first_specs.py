"""What a model is called with first, batches of any size, by which it is saved."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared import nests
from tensorlite.compat.v2.keras.src.layers import ragged_rows
from tensorlite.compat.views import plain
from tensorlite.core.operand import Operand
from tensorlite.core.spec import TensorSpec
from tensorlite.ops.ragged.base import RaggedParts

Specs = Any
"""A nest of specs, None in place of what is no tensor."""


def of_inputs(given: Any) -> Specs:
    """Return the specs of batches of any size of what a model was given."""
    return nests.map_structure(_of_any_batch, given)


def of_any_batch(specs: Specs) -> Specs:
    """Return specs with any number of rows."""
    return nests.map_structure(_with_any_rows, specs)


def _of_any_batch(x: Any) -> Any:
    if isinstance(x, RaggedParts):
        return ragged_rows.any_number_of(x)
    if not isinstance(x, Operand):
        return None
    tensor: Any = x
    return _with_any_rows(TensorSpec(plain(tensor.get_shape()), tensor.dtype))


def _with_any_rows(spec: Any) -> Any:
    if not isinstance(spec, TensorSpec) or not spec.shape:
        return spec
    return TensorSpec((None, *spec.shape[1:]), spec.dtype, spec.name)
