"""Operators that pass values on: notes for debuggers, for compilers, and for replicas, of one here.

What they note changes no value, so their attributes are not looked at.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from tensorlite.core.constant import Const
from tensorlite.core.errors import GraphDefError
from tensorlite.interop.tensorflow.adapters.given import Given, Values
from tensorlite.interop.tensorflow.adapters.plain import Adapter
from tensorlite.ops.control.dataflow import NoOp


def _same(given: Given) -> Values:
    """Return the first input."""
    return given.give([given.tensor(0)])


def _all(given: Given) -> Values:
    """Return all inputs."""
    return given.give(given.tensors)


def _alone(number: str, given: Given) -> Values:
    """Return the only input; GraphDefError where it is one for each of several replicas."""
    count = given.typed(number, int)
    if count != 1:
        raise GraphDefError(
            f"{given.record}: {number}={count}; supported are graphs of one replica"
        )
    return _same(given)


def _nothing(given: Given) -> Values:
    given.node(NoOp())
    return ()


def _no_result(given: Given) -> Values:
    """Return the message of a compiler that has not been asked: an empty one."""
    return given.node(Const(np.asarray(b"", object))).outputs


PASSING: dict[str, Adapter] = {
    **dict.fromkeys(
        (
            *("Copy", "CopyHost", "CopyToMesh", "CopyToMeshGrad"),
            *("CrossReplicaSum", "DebugGradientRefIdentity", "DebugIdentity"),
            *("DebugIdentityV2", "DebugIdentityV3", "RefIdentity", "Relayout"),
            *("RelayoutLike", "XlaSharding", "XlaSpmdFullToShardShape"),
            "XlaSpmdShardToFullShape",
        ),
        _same,
    ),
    "TPUCompilationResult": _no_result,
    "TPUPartitionedInput": partial(_alone, "N"),
    "TPUPartitionedInputV2": partial(_alone, "N"),
    "TPUPartitionedOutput": partial(_alone, "num_splits"),
    "TPUPartitionedOutputV2": partial(_alone, "num_splits"),
    "TPUReplicateMetadata": _nothing,
    "TPUReplicatedInput": partial(_alone, "N"),
    "TPUReplicatedOutput": partial(_alone, "num_replicas"),
    "XlaOptimizationBarrier": _all,
}
