"""Objects that say themselves how a Saver is to save and restore them: SaveableObject, SaveSpec.

How variables and tables are saved is in interop/tensorflow/stored/savers.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tensorlite.compat.views import plain, shown
from tensorlite.core.check import several
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import UnimplementedError
from tensorlite.interop.tensorflow.stored.savers import Saveable

__all__ = ["BaseSaverBuilder", "SaveSpec", "SaveableObject", "saved_as_told"]


class SaveSpec:
    """A tensor to save, or a function that returns it, under a name in checkpoints."""

    def __init__(
        self,
        tensor: Any,
        slice_spec: str,
        name: str,
        dtype: Any = None,
        device: Any = None,
    ) -> None:
        self._tensor, self.slice_spec, self.name = tensor, slice_spec, name
        self.dtype = tensor.dtype if dtype is None else dtype
        self.device = tensor.device if device is None else device

    @property
    def tensor(self) -> Any:
        """The tensor, made now if it is a function that returns it."""
        return self._tensor() if callable(self._tensor) else self._tensor


class SaveableObject:
    """What a program saves by specs of its own; subclasses say how it is restored.

    >>> from tensorlite.compat.v1.training.saveables import SaveableObject, SaveSpec
    >>> SaveableObject(None, [SaveSpec(lambda: 1.0, "", "x", "float32", "")], "x").name
    'x'
    """

    def __init__(self, op: Any, specs: Sequence[SaveSpec], name: str) -> None:
        self.op, self.specs, self.name = op, specs, name

    @property
    def device(self) -> Any:
        """The device of the first of what is saved."""
        return self.specs[0].device

    def restore(self, restored_tensors: Any, restored_shapes: Any) -> Any:
        """Return the operation that gives back what was saved."""
        raise UnimplementedError(
            f"{type(self).__name__}.restore is not written: it returns the operation that gives "
            "the object the tensors of a checkpoint"
        )


class BaseSaverBuilder:
    """What programs find in TensorFlow's class of this name: the classes of what is saved."""

    SaveableObject = SaveableObject
    SaveSpec = SaveSpec


@dataclass(frozen=True)
class SaveableAsTold(Saveable):
    """A SaveableObject among what a Saver saves."""

    @property
    def entries(self) -> list[tuple[str, str]]:
        """The names of what is saved, and which parts of these it is."""
        return [(one.name, one.slice_spec) for one in self.variable.specs]

    @property
    def dtypes(self) -> list[DType]:
        """The dtypes of what is saved."""
        return [plain(one.tensor).dtype for one in self.variable.specs]

    def values(self) -> list[Any]:
        """Return what is saved."""
        return [plain(one.tensor).__tensor__() for one in self.variable.specs]

    def restored(self, values: Sequence[Any], reshaped: bool) -> Any:
        """Return what gives back what was saved."""
        return plain(self.variable.restore([shown(x) for x in values], None))


def saved_as_told(var_list: Any) -> Any:
    """Return what is to be saved, by name or listed, SaveableObjects as a Saver takes them."""
    if isinstance(var_list, Mapping):
        return {name: _as_told(one) for name, one in var_list.items()}
    listed = several(var_list, "var_list", "variables, in a list or by their names")
    return [_as_told(one) for one in listed]


def _as_told(one: Any) -> Any:
    is_own = isinstance(one, SaveableObject)
    return SaveableAsTold(one.name, one) if is_own else one
