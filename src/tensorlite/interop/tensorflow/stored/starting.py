"""Variables of graphs that begin with what a checkpoint has, not with what they were given."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from tensorlite.core.dispatch import calls, constant
from tensorlite.core.errors import InvalidArgumentError, NotFoundError
from tensorlite.core.spec import TensorSpec
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.graph_mode.graph import built, get_default_graph, name_scope, outside
from tensorlite.interop.tensorflow.stored.checkpoints import CheckpointReader
from tensorlite.interop.tensorflow.stored.operators import RestoreTensors
from tensorlite.interop.tensorflow.stored.savers import Saveable, saveables
from tensorlite.interop.tensorflow.stored.states import latest_checkpoint
from tensorlite.ops.state.resource import AssignVariableOp


def prefix_of(folder_or_prefix: str | Path) -> str:
    """Return a checkpoint's prefix, which a folder's newest one has."""
    if not Path(folder_or_prefix).is_dir():
        return str(folder_or_prefix)
    found = latest_checkpoint(folder_or_prefix)
    if found is None:
        raise NotFoundError(
            f"Couldn't find 'checkpoint' file or checkpoints in {folder_or_prefix}"
        )
    return found


def begin_from(prefix: str, pairs: Iterable[tuple[str, Any]]) -> None:
    """Let variables begin with tensors of a checkpoint, each given with its name there.

    A variable may be a list of the parts of one. They are read when the initializers run.
    """
    saved = [one for name, x in pairs for one in saveables({name: x})]
    if not saved:
        return
    _check(CheckpointReader(prefix), saved)
    with built(get_default_graph()), outside(), name_scope("checkpoint_initializer"):
        path = constant(np.asarray(prefix.encode(), object))
        names = constant(np.asarray([x.name.encode() for x in saved], object))
        slices = constant(np.asarray([x.slice_spec.encode() for x in saved], object))
        op = RestoreTensors(tuple(x.variable.dtype for x in saved))
        for x, value in zip(saved, calls(op, path, names, slices), strict=True):
            begin_with(x.variable, value)


def begin_with(variable: Any, value: Any) -> None:
    """Let a variable of a graph begin with another value."""
    assigned: Any = calls(AssignVariableOp(), variable.handle, value)
    variable.initializing = variable.graph.nodes[-1] if not assigned else assigned[0]
    if isinstance(value, SymbolicTensor):
        value.respecify(TensorSpec(tuple(variable.spec.dims), variable.dtype))
    variable.first = value


def _check(reader: CheckpointReader, saved: Iterable[Saveable]) -> None:
    """Raise InvalidArgumentError for what a checkpoint lacks, or has with another shape."""
    shapes = reader.get_variable_to_shape_map()
    for x in saved:
        if x.name not in shapes:
            raise InvalidArgumentError(
                f"Tensor {x.name} is not found in the checkpoint; it has {sorted(shapes)[:20]}"
            )
        own = list(x.variable.spec.dims)
        if not x.slice_spec and own != shapes[x.name]:
            raise InvalidArgumentError(
                f"Shape of variable {x.variable.name} ({own}) doesn't match with shape of tensor "
                f"{x.name} ({shapes[x.name]}) from checkpoint reader."
            )
