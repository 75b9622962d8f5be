"""What TensorFlow's operators on checkpoints become. The operators are in operators.py."""

from __future__ import annotations

import numpy as np

from tensorlite.core.constant import Const
from tensorlite.core.op import Op
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.interop.tensorflow.adapters.given import Given, Values
from tensorlite.interop.tensorflow.adapters.plain import Adapter
from tensorlite.interop.tensorflow.stored.operators import (
    FIRST,
    MergeCheckpoints,
    RestoreTensors,
    SaveTensors,
)


def _save(given: Given) -> Values:
    return _done(given, SaveTensors(), given.tensors)


def _save_first(given: Given) -> Values:
    """Save to a checkpoint of the first format: whole tensors, or slices of them."""
    path, names, *rest = given.tensors
    if given.record.op == "Save":
        rest = [_nothing(given, len(rest)), *rest]
    return _done(given, SaveTensors(FIRST), [path, names, *rest])


def _restore(given: Given) -> Values:
    return _done(given, RestoreTensors(given.dtypes("dtypes")), given.tensors)


def _restore_first(given: Given) -> Values:
    """Restore one tensor, or a slice of one."""
    given.attribute("preferred_shard")
    path, name, *part = given.tensors
    inputs = [path, name, *(part or [_nothing(given, 1)])]
    return _done(given, RestoreTensors((given.dtype("dt"),)), inputs)


def _merge(given: Given) -> Values:
    flags = [given.typed(x, bool) for x in ("delete_old_dirs", "allow_missing_files")]
    return _done(given, MergeCheckpoints(*flags), given.tensors)


def _nothing(given: Given, count: int) -> SymbolicTensor:
    """Return as many empty texts."""
    return given.helper(Const(np.full(count, b"", object))).outputs[0]


def _done(given: Given, op: Op, inputs: list[SymbolicTensor]) -> Values:
    given.check_attributes()
    return given.node(op, *inputs).outputs


STORED: dict[str, Adapter] = {
    "MergeV2Checkpoints": _merge,
    "Restore": _restore_first,
    "RestoreSlice": _restore_first,
    "RestoreV2": _restore,
    "Save": _save_first,
    "SaveSlices": _save_first,
    "SaveV2": _save,
}
